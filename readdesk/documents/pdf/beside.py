"""Captions of a picture around which the text flows, where they stand at the height of one of its lines.

Beside a picture the lines of a column begin, or end, at an edge of their own. A caption above or below the picture is
often level with the first or the last of them, and then looks like the beginning or the end of that line. That edge
tells it: the text keeps to its side, the caption stands by itself on the other, away from the margin, and the next line
is as wide as the column again. Terms of a list stand at the margin or under one another.

What must stay true: a line is either in its row or among the captions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from readdesk.documents.pdf.captions import is_finished
from readdesk.documents.pdf.leaves import Row

_AT_EDGE = 0.6
_INDENT = 3.0
_GAP = 1.2
_AWAY = 1.5
_NARROWEST_PICTURE = 5.0
_ACROSS = 2.0
_STEP = 1.8
_FEWEST_ABOVE = 3
_FEWEST_BELOW = 5


def without_captions(rows: list[Row]) -> list[Row]:
    """Take the captions of pictures out of the rows of a region; they are returned as rows of their own."""
    found = [number for number, row in enumerate(rows) if len(row.lines) > 1 and not row.is_mono]
    if not found or len(rows) <= _FEWEST_ABOVE:
        return []
    lefts, rights = sorted(row.left for row in rows), sorted(row.right for row in rows)
    margins = (lefts[len(lefts) // 10], rights[len(rights) - 1 - len(rights) // 10])
    captions = []
    for number in found:
        row = rows[number]
        for side in (_Side(rows, margins[0], 1), _Side(rows, margins[1], -1)):
            if side.has_caption(number):
                text = row.lines[-1] if side.sign > 0 else row.lines[0]
                caption = Row([line for line in row.lines if line is not text], row.column)
                caption.is_caption = True
                captions.append(caption)
                rows[number] = Row([text], row.column)
                break
    return captions


@dataclass(frozen=True, slots=True)
class _Side:
    """The side of a column at which a picture may be: the left one (`sign` is 1) or the right one (-1)."""

    rows: Sequence[Row]
    margin: float
    sign: int

    def has_caption(self, number: int) -> bool:
        """Whether a row is a line of the text with a caption beside it."""
        row = self.rows[number]
        text, others = (row.lines[-1], row.lines[:-1]) if self.sign > 0 else (row.lines[0], row.lines[1:])
        size = max(text.size, 1.0)
        edge = text.left if self.sign > 0 else text.right
        if self.sign * (edge - self.margin) < _NARROWEST_PICTURE * size:
            return False
        outer, inner = (others[0].left, others[-1].right) if self.sign > 0 else (others[-1].right, others[0].left)
        if self.sign * (outer - self.margin) < _AWAY * size or self.sign * (edge - inner) < _GAP * size:
            return False
        if any(abs(self._edge(other) - outer) < _AT_EDGE * size for other in self.rows if other is not row):
            return False  # Terms of a list stand under one another.
        above = self._count(number - 1, -1, edge)
        if above >= _FEWEST_ABOVE:
            return not is_finished(self.rows[number - 1].text) and self._is_across(number + 1, edge)
        if number + 1 == len(self.rows):
            return False
        first = self._edge(self.rows[number + 1])
        below = self._count(number + 1, 1, first)
        is_indented = 0 <= self.sign * (edge - first) + _AT_EDGE * size <= _INDENT * size
        is_alone = number == 0 or self._is_across(number - 1, first)
        return below >= _FEWEST_BELOW and is_indented and is_alone and self._is_across(number + 1 + below, first)

    def _edge(self, row: Row) -> float:
        return row.left if self.sign > 0 else row.right

    def _count(self, number: int, step: int, edge: float) -> int:
        """How many rows from one on, upwards or downwards, keep to an edge."""
        count = 0
        while 0 <= number < len(self.rows):
            row = self.rows[number]
            near = self.rows[number - step].top if 0 <= number - step < len(self.rows) else row.top
            if len(row.lines) > 1 or abs(self._edge(row) - edge) > _AT_EDGE * row.size:
                break
            if abs(row.top - near) > _STEP * row.size:
                break
            count += 1
            number += step
        return count

    def _is_across(self, number: int, edge: float) -> bool:
        """Whether there is no such row, or one that runs across the edge."""
        if not 0 <= number < len(self.rows):
            return True
        row = self.rows[number]
        return row.left < edge - _ACROSS * row.size and row.right > edge + _ACROSS * row.size
