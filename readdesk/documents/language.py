"""What a document and its sections are written in.

What a file says of its language is often wrong (a Chinese guide that calls itself English), and a book may change it
within. So the text decides where there is enough of it; a short section goes by what its file says, else it counts as
written in the document's language. Answers are ISO 639-1 codes ("en", "zh").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from readdesk.documents.matter import Seen
from readdesk.documents.normal import UNSPACED

_SUREST_FROM = 0.9
_FEWEST_LETTERS = 200
_MOST_LOOKED_AT = 600
_FEWEST_UNSPACED = 60
_CODE = re.compile(r"[A-Za-z]{2,3}(?![A-Za-z])")
_NONE = frozenset(("und", "mul", "zxx"))
_SHORT = dict(
    pair.split("/")
    for pair in (
        "eng/en deu/de ger/de fra/fr fre/fr spa/es ita/it por/pt rus/ru zho/zh chi/zh cmn/zh jpn/ja kor/ko ara/ar "
        "heb/he nld/nl dut/nl pol/pl tur/tr swe/sv dan/da nor/no nob/nb nno/nn fin/fi ces/cs cze/cs slk/sk slo/sk "
        "ukr/uk ell/el gre/el hun/hu hin/hi fas/fa per/fa tha/th vie/vi ron/ro rum/ro bul/bg cat/ca lat/la hrv/hr "
        "srp/sr ind/id"
    ).split()
)
"""Three letters that files declare (ISO 639-2 and 639-3), and the two that are meant."""


@dataclass(frozen=True)
class Languages:
    """The language of the whole and of each section, "" where nobody knows."""

    document: str
    sections: tuple[str, ...]


class LanguageFinder:
    """Tells languages apart; what that takes is loaded when it is first needed."""

    def __init__(self) -> None:
        self._identifier: LanguageIdentifier | None = None

    def languages_of(self, sections: Sequence[Seen], declared: str) -> Languages:
        """The languages by the text of the sections, and by what the file declares where there is too little of it."""
        detected = [self._of(section.spread) for section in sections]
        counted: Counter[str] = Counter()
        for section, language in zip(sections, detected, strict=True):
            if language:
                counted[language] += section.words
        document = counted.most_common(1)[0][0] if counted else ""
        if not document:
            document = self._of(" ".join(section.sample for section in sections)) or code_of(declared)
        return Languages(
            document,
            tuple(
                language or code_of(section.language) or document
                for section, language in zip(sections, detected, strict=True)
            ),
        )

    def _of(self, text: str) -> str:
        """The language of a text, "" where it is too short or could be several."""
        text = text[:_MOST_LOOKED_AT]
        letters = sum(map(str.isalpha, text))
        if letters < (_FEWEST_UNSPACED if UNSPACED.search(text) else _FEWEST_LETTERS):
            return ""
        if self._identifier is None:
            self._identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
        language, sureness = self._identifier.classify(text)
        return str(language) if float(sureness) >= _SUREST_FROM else ""


def code_of(declared: str) -> str:
    """The code of a language as files declare it ("en-GB", "zh_CN"), "" for what is none."""
    found = _CODE.match(declared.strip())
    code = found[0].lower() if found else ""
    return "" if code in _NONE else _SHORT.get(code, code)
