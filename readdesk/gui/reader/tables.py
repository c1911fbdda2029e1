"""How the rows of a table are set, each of which is a paragraph of its own with tabs between its cells.

Neighbouring rows are taken together and share tab stops, made from their widest cells; where the last column is long it
wraps within itself. What would not fit even so (several columns of whole sentences) is set one cell below the other,
since a cell that wraps under another one cannot be read. What must stay true: a row stays one block of text, with as
many characters as its paragraph has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QFont, QFontMetricsF

from readdesk.documents.model import Paragraph

_GAP = 1.3
"""Between two columns, in ems of the table's own letters."""

_MOST_BEFORE_LAST = 0.66
_FIGURES = frozenset("0123456789.,:%+-\u2212\u2013/() $\u20ac\u00a3")


@dataclass(frozen=True)
class Row:
    """How one row is set: where its cells after the first begin, in pixels, or all of them one below the other."""

    stops: tuple[tuple[float, bool], ...] = ()
    """The place of each and whether it is the right edge of the cell."""
    width: float = 0.0
    """How wide the whole table is."""
    is_stacked: bool = False
    is_head: bool = False
    is_first: bool = False
    is_last: bool = False

    @property
    def hanging(self) -> float:
        """Where further lines of the last cell begin."""
        return self.stops[-1][0] if self.stops and not self.stops[-1][1] else 0.0


def rows_of(paragraphs: Sequence[Paragraph], font: QFont, width: float) -> dict[int, Row]:
    """The rows among these paragraphs by their position, for a line of so many pixels."""
    found: dict[int, Row] = {}
    for table in _tables(paragraphs):
        found.update(_set(table, font, width))
    return found


def is_row(paragraph: Paragraph) -> bool:
    """Whether a paragraph is a row of a table, and no picture of one made of spaces and line ends."""
    return paragraph.kind == "table" and ("\t" in paragraph.text or "\n" not in paragraph.text)


def is_head(paragraph: Paragraph) -> bool:
    """Whether every letter of a row is strong."""
    strong = sorted((mark.start, mark.end) for mark in paragraph.marks if mark.kind == "strong")
    at = 0
    for start, end in [*strong, (len(paragraph.text), len(paragraph.text))]:
        if paragraph.text[at:start].strip():
            return False
        at = max(at, end)
    return bool(strong)


def _tables(paragraphs: Iterable[Paragraph]) -> Iterator[list[Paragraph]]:
    """Rows that stand together; a head after other rows begins another table."""
    table: list[Paragraph] = []
    for paragraph in paragraphs:
        row = is_row(paragraph)
        begins = row and bool(table) and is_head(paragraph) and not is_head(table[-1])
        if table and (not row or begins or table[-1].end != paragraph.start):
            yield table
            table = []
        if row:
            table.append(paragraph)
    if table:
        yield table


def _set(table: Sequence[Paragraph], font: QFont, width: float) -> dict[int, Row]:
    cells = [paragraph.text.split("\t") for paragraph in table]
    heads = _heads(table)
    plain, bold = QFontMetricsF(font), QFontMetricsF(_bold(font))
    columns = max(map(len, cells))
    widths = [0.0] * columns
    for row, head in zip(cells, heads, strict=True):
        metrics = bold if head else plain
        for number, cell in enumerate(row):
            widths[number] = max(widths[number], *(metrics.horizontalAdvance(line) for line in cell.split("\n")))
    gap = _GAP * plain.height() / 1.3
    breaks = any("\n" in cell for row in cells for cell in row[:-1])
    stacked = columns > 1 and (breaks or not _fits(widths, gap, width))
    stops = () if stacked else _stops(widths, gap, [_is_of_figures(cells, heads, number) for number in range(columns)])
    last = len(table) - 1
    whole = width if stacked else min(width, sum(widths) + gap * (columns - 1))
    return {
        paragraph.start: Row(stops, whole, stacked, heads[number], number == 0, number == last)
        for number, paragraph in enumerate(table)
    }


def _heads(table: Sequence[Paragraph]) -> list[bool]:
    """Which rows are heads: those that begin the table; one where every row is strong."""
    strong = [is_head(paragraph) for paragraph in table]
    leading = strong.index(False) if False in strong else 1
    return [number < leading for number in range(len(table))]


def _fits(widths: Sequence[float], gap: float, width: float) -> bool:
    """Whether all columns stand side by side, be it with the last one wrapped."""
    whole = sum(widths) + gap * (len(widths) - 1)
    before = sum(widths[:-1]) + gap * (len(widths) - 1)
    return whole <= width or before <= _MOST_BEFORE_LAST * width


def _stops(widths: Sequence[float], gap: float, figures: Sequence[bool]) -> tuple[tuple[float, bool], ...]:
    stops = []
    left = widths[0] + gap
    for width, to_right in zip(widths[1:], figures[1:], strict=True):
        stops.append((left + width, True) if to_right else (left, False))
        left += width + gap
    return tuple(stops)


def _is_of_figures(cells: Sequence[Sequence[str]], heads: Sequence[bool], number: int) -> bool:
    """Whether a column holds figures, which stand one below the other at their right."""
    column = [row[number] for row, head in zip(cells, heads, strict=True) if number < len(row) and not head]
    filled = [cell for cell in column if cell.strip()]
    digits = any(character.isdigit() for cell in filled for character in cell)
    return digits and all(_FIGURES.issuperset(cell) for cell in filled)


def _bold(font: QFont) -> QFont:
    found = QFont(font)
    found.setWeight(QFont.Weight.Bold)
    return found
