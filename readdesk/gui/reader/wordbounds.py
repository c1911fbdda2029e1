"""Where a word of a text begins and ends, in any script: Qt knows, but counts in halves of characters."""

from __future__ import annotations

from PySide6.QtCore import QTextBoundaryFinder


def word_around(text: str, place: int) -> tuple[int, int]:
    """Start and end of the word at a place; of the space or sign that stands there, where it is no word."""
    if not 0 <= place < len(text):
        return place, place
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Word, text)
    finder.setPosition(_halves(text[: place + 1]))
    start = finder.toPreviousBoundary()
    end = finder.toNextBoundary()
    first = _characters(text, max(0, start))
    return first, max(first + 1, _characters(text, end) if end >= 0 else len(text))


def _halves(text: str) -> int:
    """The length of a text in UTF-16."""
    return len(text) + sum(1 for character in text if character > "\uffff")


def _characters(text: str, halves: int) -> int:
    """How many characters so many units of UTF-16 are."""
    if text.isascii():
        return halves
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * halves].decode("utf-16-le", "surrogatepass"))
