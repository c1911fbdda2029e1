"""Words of the open document that leave the window: as they are, or with where they stand.

What must stay true: words go out as the document's text has them (hyphens at line ends joined, nothing of running
heads), and with their place it is said where a program has recognised them in a picture.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QGuiApplication

from readdesk.desk import Desk
from readdesk.documents.model import Paragraph
from readdesk.gui.reader.leafplaces import LeafPlaces
from readdesk.gui.reader.pagenames import PageNames, page_words, recognised_words
from readdesk.library.model import DocumentRecord

translate = QCoreApplication.translate


class Quoting:
    """Quotes from one document at a time; whoever shows it keeps what is known of its pages."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.record: DocumentRecord | None = None
        self.names = PageNames()
        self.places = LeafPlaces()
        self.recognised: frozenset[int] = frozenset()
        """The leaves whose text was recognised."""

    def open(self, record: DocumentRecord | None, names: PageNames, places: LeafPlaces | None = None) -> None:
        """This document is shown now, or none; its pages are called so."""
        self.record, self.names, self.places = record, names, places or LeafPlaces()

    def paragraphs(self, start: int, end: int) -> tuple[Paragraph, ...]:
        """The paragraphs between two positions."""
        return self._desk.paragraphs(self.record, start, end) if self.record is not None else ()

    def words(self, start: int, end: int) -> str:
        """The text between two positions, paragraphs separated by a blank line."""
        cut = (part.text[max(0, start - part.start) : end - part.start] for part in self.paragraphs(start, end))
        return "\n\n".join(filter(None, (text.strip() for text in cut)))

    def copy_with_place(self, start: int, end: int) -> None:
        """Copy the text between two positions with where it stands."""
        QGuiApplication.clipboard().setText(self.with_place(start, end))

    def with_place(self, start: int, end: int) -> str:
        """The same with the title of the document and the page below it."""
        if self.record is None:
            return ""
        parts = (self.record.title, self.page(start, end), self.note(start, end))
        return f"{self.words(start, end)}\n\n({', '.join(filter(None, parts))})"

    def page(self, start: int, end: int) -> str:
        """The printed page or pages between two positions, else leaves; "" where nobody knows any."""
        if not self.names.labels:
            return page_words(_range(self.names.name_at(start), self.names.name_at(max(start, end - 1))))
        leaves = self._leaves(start, end)
        labels = self.names.label(leaves.start), self.names.label(leaves.stop - 1)
        if all(labels):
            return page_words(_range(*labels))
        numbers = _range(str(leaves.start + 1), str(leaves.stop))
        return translate("Quoting", "leaf {number}").format(number=numbers)

    def note(self, start: int, end: int) -> str:
        """That some of the text between two positions was recognised; "" where none was."""
        return (
            recognised_words() if self.names.labels and self.recognised.intersection(self._leaves(start, end)) else ""
        )

    def _leaves(self, start: int, end: int) -> range:
        return range(self.places.leaf_of(start), self.places.leaf_of(max(start, end - 1)) + 1)


def _range(first: str, last: str) -> str:
    return first if first == last else f"{first}\u2013{last}"
