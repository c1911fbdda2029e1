"""How well a text was recognised, guessed from what its words look like.

Neither Tesseract through MuPDF nor an invisible text layer says how sure it is of a word. But recognition that went
wrong (a leaf on its head, hatching taken for letters) makes digits within words, capitals in the midst of small
letters, words without a vowel and single letters, which good text of any language hardly has. No dictionary is asked:
names and old spelling count as words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_EDGES = "\"'“”‘’‚„«»‹›()[]{}<>.,;:!?…*•·-–—/|~_=+^°©®§¶†‡&%$€£#@\\`´"
_NUMBER = re.compile(r"\d[\d.,:/'’–-]*")
_INNER = re.compile(r"[-‐’'·.&/—–]")
_ABBREVIATION = re.compile(r"[^\W\d_]{1,4}\.\W*")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]+")
_VOWEL = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýÿāēīōūąęůőűı]", re.IGNORECASE)
_ODD_CASE = re.compile(r"[a-zß-öø-ÿ][A-ZÀ-Þ]|[A-ZÀ-Þ]{2}[a-zß-öø-ÿ]{1,2}\b")
_TRIPLE = re.compile(r"(.)\1\1")
_WORDS_ALONE = frozenset("aiouyeàéAIOYE")
_SURE_FROM = 8
"""With fewer words than these nothing is known for sure."""


def quality_of(words: Iterable[str]) -> float:
    """How well words were recognised, from 0 (noise) to 1; 0 where there are none."""
    good = total = 0.0
    for word in words:
        looks, weight = _looks(word)
        good += looks * weight
        total += weight
    return round(good / total * min(1.0, (total + 2) / _SURE_FROM), 2) if total else 0.0


def _looks(word: str) -> tuple[float, float]:
    """How much a word looks like one, and how much that counts."""
    core = word.strip(_EDGES)
    if not core:
        return 0.0, 0.5 if len(word) > 1 else 0.25
    if _NUMBER.fullmatch(core):
        return 1.0, 0.5
    if _ABBREVIATION.fullmatch(word.lstrip(_EDGES)):
        return 1.0, 0.5
    if unspaced := len(_UNSPACED.findall(core)):
        return 1.0, max(1.0, unspaced / 2)
    if len(core) == 1:
        is_word = core in _WORDS_ALONE or not core.isascii()
        return (1.0 if is_word else 0.0), (0.25 if is_word and core.isascii() else 1.0)
    return (1.0 if all(map(_is_like_a_word, _INNER.split(core))) else 0.0), 1.0


def _is_like_a_word(part: str) -> bool:
    if not part or part.isdigit():
        return True
    if not all(character.isalpha() or not character.isascii() for character in part):
        return False
    if _TRIPLE.search(part) or _ODD_CASE.search(part):
        return False
    return len(part) == 1 or part.isupper() or not _LATIN.fullmatch(part) or bool(_VOWEL.search(part))
