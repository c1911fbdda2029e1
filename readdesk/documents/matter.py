"""Front and back matter: what is printed with a book and is not the book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from readdesk.documents.model import Matter, Paragraph

_SAMPLE = 1_500


@dataclass
class Seen:
    """What is remembered of a section while it streams by: enough to judge it, whatever its length."""

    title: str
    parent: int
    told: Matter = ""
    language: str = ""
    words: int = 0
    sample: str = ""
    note_words: int = 0
    paragraphs: int = 0
    kinds: dict[str, int] = field(default_factory=dict)

    def add(self, paragraph: Paragraph, words: int) -> None:
        """Take in a paragraph of so many words."""
        self.words += words
        self.paragraphs += 1
        self.kinds[paragraph.kind] = self.kinds.get(paragraph.kind, 0) + 1
        if paragraph.kind == "note":
            self.note_words += words
        if len(self.sample) < _SAMPLE and paragraph.kind != "code":
            self.sample += f"{paragraph.text[:_SAMPLE]} "


def judged(sections: Sequence[Seen]) -> list[Matter]:
    """What each section is; "" for the book itself."""
    return [section.told for section in sections]
