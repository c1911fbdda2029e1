"""Which characters of a leaf's own text lie under rectangles of the drawn leaf, as highlights do.

A character is covered when its middle is. What must stay true: offsets count in the leaf's own text as `readable.py`
defines it; however many rectangles a hostile file has, the work has an end.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from readdesk.documents.model import LeafSpot, Rectangle
from readdesk.documents.pdf.file import FAILURES
from readdesk.documents.pdf.places import Glyph
from readdesk.documents.pdf.readable import own_glyphs

_MOST_COMPARED = 5_000_000
"""Characters that are compared with rectangles in one file."""

_Run = tuple[int, int, Rectangle]
"""First and end of covered characters of one line, and where they are drawn."""


@dataclass(frozen=True)
class _Row:
    """A line of a leaf: where it begins in the leaf's own text, its characters, and how high it stands."""

    start: int
    glyphs: list[Glyph]
    middles: list[tuple[int, float, float]]
    """Of each character that is seen: its number, and twice where its middle is, across and down."""
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
                self._rows.append(_Row(start, glyphs, _middles(glyphs), top, bottom))
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


def _middles(glyphs: Sequence[Glyph]) -> list[tuple[int, float, float]]:
    return [
        (at, x0 + x1, y0 + y1) for at, (character, (x0, y0, x1, y1)) in enumerate(glyphs) if not character.isspace()
    ]


def _covered(row: _Row, box: Rectangle) -> list[_Run]:
    """The covered characters of a line, parted where others stand between them."""
    left, top, right, bottom = (2 * edge for edge in box)
    found = [
        (number, at)
        for number, (at, across, down) in enumerate(row.middles)
        if left <= across <= right and top <= down <= bottom
    ]
    runs: list[_Run] = []
    for _, group in groupby(enumerate(found), key=lambda pair: pair[1][0] - pair[0]):
        places = [at for _, (_, at) in group]
        boxes = zip(*(row.glyphs[at][1] for at in places), strict=True)
        x0, y0, x1, y1 = (edge(values) for edge, values in zip((min, min, max, max), boxes, strict=True))
        place = (round(x0, 1), round(y0, 1), round(x1, 1), round(y1, 1))
        runs.append((row.start + places[0], row.start + places[-1] + 1, place))
    return runs
