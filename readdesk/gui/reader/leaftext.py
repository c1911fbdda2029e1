"""The text of one drawn leaf as something to point at: from a point to a position, and from positions to rectangles.

A leaf in two columns must not be selected across: what is nearest to a point is looked for in two steps, first the part
of a paragraph, then the line in it. A part is lines of one paragraph that go downwards, so a paragraph that goes on in
the next column has two. What must stay true: there is always a nearest position where there is any text.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from readdesk.documents.model import GlyphRun, Rectangle

_UPWARDS = 0.5
"""Of its height, how much higher than the one before a line begins that starts a new part."""
_PADDING = 1.0

Place = tuple[float, float]
"""How far below the left and the upper edge of the leaf, in points."""


class LeafText:
    """The runs of one leaf."""

    def __init__(self, runs: Sequence[GlyphRun] = ()) -> None:
        self._runs = runs
        self._starts = [run.start for run in runs]
        self._parts = list(_parts(runs))

    def is_over(self, place: Place) -> bool:
        """Whether a place lies on words."""
        return any(
            _distance(part.box, place) <= _PADDING and any(_distance(run.box, place) <= _PADDING for run in part.runs)
            for part in self._parts
        )

    def caret_at(self, place: Place) -> int | None:
        """The position between two characters that is nearest to a place; None where the leaf has no text."""
        run = self._nearest(place)
        if run is None:
            return None
        at = _nearest_character(run, place)
        axis = _axis(run)
        before = _middle(run, at, axis) > place[axis]
        return run.start + at + (before if _is_reversed(run, axis) else not before)

    def character_at(self, place: Place) -> int | None:
        """The position of the character that is nearest to a place; None where the leaf has no text."""
        run = self._nearest(place)
        return None if run is None else run.start + _nearest_character(run, place)

    def rectangles(self, start: int, end: int) -> tuple[Rectangle, ...]:
        """What the characters between two positions cover, one rectangle for each line."""
        found = []
        for run in self._runs[max(0, bisect_right(self._starts, start) - 1) :]:
            if run.start >= end:
                break
            first, last = max(start - run.start, 0), min(end, run.end) - run.start
            if first < last:
                edges = run.edges[4 * first : 4 * last]
                found.append((min(edges[0::4]), min(edges[1::4]), max(edges[2::4]), max(edges[3::4])))
        return tuple(found)

    def _nearest(self, place: Place) -> GlyphRun | None:
        nearest, least = None, (math.inf, math.inf, math.inf)
        for part in self._parts:
            away = _distance(part.box, place)
            if away > least[0]:
                continue
            for run in part.runs:
                beside, below = _beside(run.box, place)
                found = (away, beside, below) if _axis(run) else (away, below, beside)
                if found < least:
                    nearest, least = run, found
        return nearest


@dataclass(frozen=True)
class _Part:
    """Lines of a paragraph that go downwards."""

    box: Rectangle
    runs: tuple[GlyphRun, ...]


def _parts(runs: Sequence[GlyphRun]) -> Iterator[_Part]:
    held: list[GlyphRun] = []
    for before, run in pairwise([None, *runs]):
        assert run is not None
        if before is not None and _begins_part(before, run):
            yield _part(held)
            held = []
        held.append(run)
    if held:
        yield _part(held)


def _begins_part(before: GlyphRun, run: GlyphRun) -> bool:
    if run.paragraph != before.paragraph or _axis(run) or _axis(before):
        return True
    return run.box[1] < before.box[1] - _UPWARDS * (before.box[3] - before.box[1])


def _part(runs: Sequence[GlyphRun]) -> _Part:
    boxes = [run.box for run in runs]
    left, top, right, bottom = zip(*boxes, strict=True)
    return _Part((min(left), min(top), max(right), max(bottom)), tuple(runs))


def _axis(run: GlyphRun) -> int:
    """Along what a run goes: 0 across, 1 down or up."""
    left, top, right, bottom = run.box
    return int(bottom - top > right - left and len(run.edges) > 4)


def _middle(run: GlyphRun, at: int, axis: int) -> float:
    return (run.edges[4 * at + axis] + run.edges[4 * at + axis + 2]) / 2


def _is_reversed(run: GlyphRun, axis: int) -> bool:
    """Whether a run goes to the left, or upwards."""
    return _middle(run, len(run.edges) // 4 - 1, axis) < _middle(run, 0, axis)


def _nearest_character(run: GlyphRun, place: Place) -> int:
    axis = _axis(run)
    lows, highs, at = run.edges[axis::4], run.edges[axis + 2 :: 4], place[axis]
    away = [max(low - at, at - high, 0.0) for low, high in zip(lows, highs, strict=True)]
    return away.index(min(away))


def _beside(box: Rectangle, place: Place) -> Place:
    """How far a place is from a rectangle, across and down."""
    left, top, right, bottom = box
    return max(left - place[0], place[0] - right, 0.0), max(top - place[1], place[1] - bottom, 0.0)


def _distance(box: Rectangle, place: Place) -> float:
    return math.hypot(*_beside(box, place))
