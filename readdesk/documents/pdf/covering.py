"""Rectangles that cover the characters of a span on the drawn leaf: those, and none that stands beside them.

A line of plain text is covered by one rectangle from its first to its last character, as high as its font. In formulas
that takes in others: an index stands under an exponent, a denominator under its numerator, an accent over its letter,
and a label of a drawing over the numbers of an axis. So where the ink of a character that is not meant would have its
middle in a rectangle, the rectangle is made of smaller ones, and a character that takes it in by itself is covered no
further up and down than its own ink.

What must stay true: the middle of every character of a span lies in one of its rectangles, which come in the order of
the text; where no other is taken in, they are those of the line; the work grows with a leaf's characters, not with
their square.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

from readdesk.documents.model import Rectangle
from readdesk.documents.pdf.places import Glyph, around

_BESIDE = 0.5
"""Of the lower one's height, how much two characters of a line share if they stand beside one another."""
_SLACK = 0.1
"""How far a middle must be outside; rectangles are kept with one decimal."""
_ACROSS, _DOWN_INK, _DOWN_FONT = (0.5, 0.6), (0.5,), (0.45, 0.6)
"""Where in a rectangle the middle of the ink is: slanting letters have it further right, and small ones lower."""
_MOST_LOST = 0.36
"""Of its width and height, how much a character may lose on each side for the sake of others."""
_LEAST_SEEN = 0.5
"""How wide and high a character is that has a sign of its own: letters of a ligature may share that of the first."""
_UNKNOWN = "\ufffd"
_MOST_NEAR = 5_000
"""More middles than so many are beside no line of a book: leaves made to do harm are covered as plain text is."""

_Middle = tuple[float, float, int]
"""How far across and down, and the offset of the character in the leaf's own text."""


class Covering:
    """The characters of a leaf's own text line by line, and where the library knows it, how high each one's ink is."""

    def __init__(self, lines: Sequence[Sequence[Glyph]], inks: Sequence[Sequence[Rectangle | None]] = ()) -> None:
        self._lines = lines
        self._inks = [_beneath(*pair) for pair in zip(lines, inks, strict=True)] if inks else []
        self._sorted: dict[int, list[_Middle]] = {}

    def rectangles(self, start: int, end: int) -> tuple[Rectangle, ...] | None:
        """The rectangles of the visible characters between two offsets of the leaf's own text: one a line, mostly.

        Where none of them is visible it is that of the spaces, if they have any; None where there are no such offsets.
        """
        seen: list[Rectangle] = []
        blank: list[Rectangle] = []
        first = 0
        for number, line in enumerate(self._lines):
            low, high = max(start - first, 0), max(end - first, 0)
            visible = [at for at, (character, _) in enumerate(line[low:high], low) if not character.isspace()]
            if visible:
                seen += map(_rounded, self._around(number, visible, (start, end)))
            elif line[low:high]:
                blank.append(_rounded(around([box for _, box in line[low:high]])))
            first += len(line) + 1
        return None if start >= first else tuple(seen or blank)

    def _around(self, number: int, visible: Sequence[int], span: tuple[int, int]) -> list[Rectangle]:
        """Rectangles around characters of a line that take in no others, as far as that can be."""
        boxes = [self._lines[number][at][1] for at in visible]
        others = self._others_in(around(boxes), span)
        runs = _runs(boxes)
        if not any(_holds(run, other) for run in runs for other in others):
            return runs
        inks = [self._ink(number, at) for at in visible]
        cut = [_without(box, ink or box, others) for box, ink in zip(boxes, inks, strict=True) if _is_seen(box)]
        return _runs(cut, others) if cut else runs

    def _ink(self, number: int, at: int) -> Rectangle | None:
        return self._inks[number][at] if self._inks else None

    def _others_in(self, box: Rectangle, span: tuple[int, int]) -> list[_Middle]:
        """The middles in a rectangle that are those of characters outside a span; none where there are too many."""
        side = int(box[2] - box[0] >= box[3] - box[1])
        if side not in self._sorted:
            self._sorted[side] = sorted(self._all_middles(), key=lambda middle: middle[side])
        near = _between(self._sorted[side], box[side], box[side + 2], side)
        if len(near) > _MOST_NEAR:
            return []
        return [middle for middle in near if not span[0] <= middle[2] < span[1] and _holds(box, middle)]

    def _all_middles(self) -> Iterator[_Middle]:
        first = 0
        for number, line in enumerate(self._lines):
            for at, (character, box) in enumerate(line):
                if _is_seen(box) and _is_a_sign(character):
                    ink = self._ink(number, at)
                    left, top, right, bottom = ink or box
                    for x, y in product(_ACROSS, _DOWN_INK if ink else _DOWN_FONT):
                        yield left + x * (right - left), top + y * (bottom - top), first + at
            first += len(line) + 1


def _is_seen(box: Rectangle) -> bool:
    return min(box[2] - box[0], box[3] - box[1]) >= _LEAST_SEEN


def _is_a_sign(character: str) -> bool:
    """Letters, digits and symbols; a comma that hangs down from the line above is not worth a step."""
    return not (character.isspace() or character == _UNKNOWN or unicodedata.category(character).startswith("P"))


def _beneath(line: Sequence[Glyph], inks: Sequence[Rectangle | None]) -> list[Rectangle | None]:
    """The ink of each character, no wider than its own rectangle: that of a ligature is all its letters' together."""
    found: list[Rectangle | None] = []
    for (_, box), ink in zip(line, inks, strict=True):
        left, right = (max(box[0], ink[0]), min(box[2], ink[2])) if ink else (0.0, 0.0)
        found.append((left, ink[1], right, ink[3]) if ink and left < right else None)
    return found


def _between(middles: Sequence[_Middle], low: float, high: float, side: int) -> Sequence[_Middle]:
    """Those of sorted middles that lie between two edges, across (`side` 0) or down (1)."""
    first = bisect_left(middles, low - _SLACK, key=lambda middle: middle[side])
    return middles[first : bisect_right(middles, high + _SLACK, key=lambda middle: middle[side])]


def _without(box: Rectangle, ink: Rectangle, others: Sequence[_Middle]) -> Rectangle:
    """A character's rectangle without others: as high as its ink, and cut beside them, where that helps."""
    held = [other for other in others if _holds(box, other)]
    if held and sum(_holds(ink, other) for other in held) < len(held):
        box = ink
    across, down = _MOST_LOST * (box[2] - box[0]), _MOST_LOST * (box[3] - box[1])
    kept = box[0] + across, box[1] + down, box[2] - across, box[3] - down
    cut = box
    for other in held:
        if _holds(cut, other):
            cut = _cut_at(cut, other, kept)
    return box if any(_holds(cut, other) for other in held) else cut


def _cut_at(box: Rectangle, other: _Middle, kept: Rectangle) -> Rectangle:
    """A rectangle cut on the side that another's middle is nearest to; whole where that takes of what must be kept."""
    left, top, right, bottom = box
    across, down, _ = other
    beyond = 2 * _SLACK
    cuts = [
        (across + beyond - left, (across + beyond, top, right, bottom)),
        (down + beyond - top, (left, down + beyond, right, bottom)),
        (right - across + beyond, (left, top, across - beyond, bottom)),
        (bottom - down + beyond, (left, top, right, down - beyond)),
    ]
    for _, cut in sorted(cuts):
        if cut[0] <= kept[0] and cut[1] <= kept[1] and cut[2] >= kept[2] and cut[3] >= kept[3]:
            return cut
    return box


def _runs(boxes: Sequence[Rectangle], others: Sequence[_Middle] = ()) -> list[Rectangle]:
    """Rectangles around characters of a line that stand beside one another; those of a fraction stand otherwise."""
    if len({(box[1], box[3]) for box in boxes}) == 1 and not others:
        return [around(boxes)]
    is_level = sum(_shared(*pair, 1) for pair in pairwise(boxes)) >= sum(_shared(*pair, 0) for pair in pairwise(boxes))
    runs: list[Rectangle] = [boxes[0]]
    for box in boxes[1:]:
        both = around((runs[-1], box))
        if _shared(runs[-1], box, 1 if is_level else 0) >= _BESIDE and not _takes_in(both, (runs[-1], box), others):
            runs[-1] = both
        else:
            runs.append(box)
    return runs


def _takes_in(both: Rectangle, parts: Sequence[Rectangle], others: Sequence[_Middle]) -> bool:
    """Whether a rectangle around two holds the middle of another character that neither of them holds."""
    return any(_holds(both, other) and not any(_holds(part, other) for part in parts) for other in others)


def _holds(box: Rectangle, middle: _Middle) -> bool:
    across, down, _ = middle
    left, top, right, bottom = box
    return left - _SLACK <= across <= right + _SLACK and top - _SLACK <= down <= bottom + _SLACK


def _shared(one: Rectangle, other: Rectangle, side: int) -> float:
    """How much of the lesser height (`side` 1) or width (0) two rectangles have in common, at most 1."""
    common = min(one[side + 2], other[side + 2]) - max(one[side], other[side])
    least = min(one[side + 2] - one[side], other[side + 2] - other[side])
    return max(common, 0.0) / least if least > 0 else 1.0


def _rounded(box: Rectangle) -> Rectangle:
    left, top, right, bottom = box
    return round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)
