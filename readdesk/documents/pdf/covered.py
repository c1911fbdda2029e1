"""Which characters of a leaf's own text lie under rectangles of the drawn leaf, as highlights do.

A character is covered when its middle is. What must stay true: offsets count in the leaf's own text as `readable.py`
defines it; however many rectangles a hostile file has, the work has an end.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from readdesk.documents.model import LeafSpot, Rectangle
from readdesk.documents.pdf.file import FAILURES
from readdesk.documents.pdf.readable import Glyph, own_glyphs

_MOST_COMPARED = 10_000_000
"""Characters that are compared with rectangles in one file."""

_Run = tuple[int, int, Rectangle]
"""First and end of covered characters of one line, and where they are drawn."""


@dataclass(frozen=True)
class _Row:
    """A line of a leaf: where it begins in the leaf's own text, its characters, and how high it stands."""

    start: int
    glyphs: list[Glyph]
    top: float
    bottom: float


class Characters:
    """The characters of the leaf that was asked for last."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._index = -1
        self._text = ""
        self._rows: list[_Row] = []
        self._tallest = 0.0
        self._compared = 0

    def under(self, index: int, boxes: Sequence[Rectangle]) -> tuple[LeafSpot, ...]:
        """The characters of a leaf (0-based) under some rectangles, in the order of the leaf's own text."""
        if index != self._index:
            self._load(index)
        runs: list[_Run] = []
        for left, top, right, bottom in boxes:
            first = bisect_left(self._rows, top - self._tallest, key=lambda row: row.top)
            end = bisect_right(self._rows, bottom, key=lambda row: row.top)
            for row in self._rows[first:end]:
                self._compared += 1 + len(row.glyphs)
                if row.bottom >= top and self._compared < _MOST_COMPARED:
                    runs += _covered(row, (left, top, right, bottom))
        return tuple(self._joined(index, sorted(runs)))

    def _load(self, index: int) -> None:
        self._index, self._rows = index, []
        try:
            lines = own_glyphs(self._document[index])
        except FAILURES:
            lines = []
        parts, start = [], 0
        for glyphs in lines:
            if glyphs:
                top, bottom = min(box[1] for _, box in glyphs), max(box[3] for _, box in glyphs)
                self._rows.append(_Row(start, glyphs, top, bottom))
            parts.append("".join(character for character, _ in glyphs))
            start += len(glyphs) + 1
        self._text = "\n".join(parts)
        self._rows.sort(key=lambda row: row.top)
        self._tallest = max((row.bottom - row.top for row in self._rows), default=0.0)

    def _joined(self, index: int, runs: Sequence[_Run]) -> list[LeafSpot]:
        """Runs with nothing but white space between them are one place."""
        spots: list[LeafSpot] = []
        for start, end, box in runs:
            before = spots[-1] if spots else None
            if before and not self._text[before.end : start].strip():
                boxes = before.rectangles if end <= before.end else (*before.rectangles, box)
                spots[-1] = LeafSpot(index, before.start, max(end, before.end), boxes)
            else:
                spots.append(LeafSpot(index, start, end, (box,)))
        return spots


def _covered(row: _Row, box: Rectangle) -> list[_Run]:
    """The covered characters of a line, parted where others stand between them."""
    left, top, right, bottom = box
    runs: list[_Run] = []
    is_open = False
    for at, (character, (x0, y0, x1, y1)) in enumerate(row.glyphs, row.start):
        if character.isspace():
            continue
        if not (2 * left <= x0 + x1 <= 2 * right and 2 * top <= y0 + y1 <= 2 * bottom):
            is_open = False
        elif is_open:
            start, _, (a, b, c, d) = runs[-1]
            runs[-1] = start, at + 1, (min(a, x0), min(b, y0), max(c, x1), max(d, y1))
        else:
            runs.append((at, at + 1, (x0, y0, x1, y1)))
            is_open = True
    return [(start, end, _rounded(place)) for start, end, place in runs]


def _rounded(box: Rectangle) -> Rectangle:
    left, top, right, bottom = box
    return round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)
