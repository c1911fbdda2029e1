"""Counts what comes out of a file while it streams by, so that a person knows before hours are spent."""

from __future__ import annotations

import re

from readdesk.documents.draft import Start, Told
from readdesk.documents.language import LanguageFinder
from readdesk.documents.matter import Seen, judged
from readdesk.documents.model import Health, Paragraph, SectionHealth
from readdesk.documents.normal import count_words

_REPLACEMENT_SHARE = 0.3
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
NAMELESS = r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ue000-\uf8ff\ufffd\U000f0000-\U0010ffff]"
"""The pattern of a character that no font could name: replacement, private use, control."""
_NAMELESS = re.compile(NAMELESS)


class HealthCollector:
    """Filled by the importer (notes, leaves) and by the stream (everything that can be counted)."""

    def __init__(self, languages: LanguageFinder | None = None) -> None:
        self._languages = languages or LanguageFinder()
        self.characters = 0
        self._words = 0
        self._paragraphs = 0
        self._sections: list[Seen] = []
        self._leaves: list[int] = []
        self._notes: list[str] = []
        self._told = Told("")

    def note(self, sentence: str) -> None:
        """Keep a sentence for the person, once."""
        if sentence not in self._notes:
            self._notes.append(sentence)

    def unreadable(self, leaf: int) -> None:
        """Mark a leaf (0-based) as without usable text."""
        self._leaves.append(leaf)

    def told(self, told: Told) -> None:
        """Remember what the file says of itself."""
        self._told = told

    def section(self, start: Start, parent: int) -> None:
        """Count a section; what follows belongs to it."""
        self._sections.append(Seen(start.title, parent, start.matter, start.language))

    def paragraph(self, paragraph: Paragraph) -> None:
        """Count a paragraph and its text."""
        words = count_words(paragraph.text)
        self._paragraphs += 1
        self.characters += len(paragraph.text)
        self._words += words
        self._sections[-1].add(paragraph, words)

    def result(self) -> Health:
        """What was counted and found out."""
        matters = judged(self._sections)
        languages = self._languages.languages_of(self._sections, self._told.language)
        return Health(
            characters=self.characters,
            words=self._words,
            sections=len(self._sections),
            paragraphs=self._paragraphs,
            unreadable_leaves=tuple(self._leaves),
            notes=tuple(self._notes),
            language=languages.document,
            structure=self._told.structure,
            encoding=self._told.encoding,
            sectioned=tuple(
                SectionHealth(seen.words, language, matter)
                for seen, language, matter in zip(self._sections, languages.sections, matters, strict=True)
            ),
        )


def is_unusable(text: str) -> bool:
    """Whether a text is no text: empty, or at least 30 % characters that no font could name."""
    nameless = len(_NAMELESS.findall(text)) if not text.isascii() or _CONTROL.search(text) else 0
    return nameless >= _REPLACEMENT_SHARE * len("".join(text.split())) if nameless else not text or text.isspace()
