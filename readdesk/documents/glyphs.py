"""Where the characters of a document's text lie on a drawn leaf, so that they can be pointed at.

Who opens a file knows each character of a leaf's own text with its rectangle (`GlyphLine`); a paragraph's pieces say
which of them went into the document's text. Together these are runs of positions: what was taken out of the text
(running heads, page numbers, hyphens that were joined) is in none of them, and they come in the order of reading.

What must stay true: a run lies in one line of the leaf, and its positions have no gap; nothing is larger than a message
between two processes may be.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from readdesk.documents.model import GlyphLine, GlyphRun, LeafSpot, Paragraph, RecognisedLeaf, Rectangle

_MOST_CHARACTERS = 60_000
"""Of one leaf; 16 bytes each make a message of a little less than a megabyte."""


def lines_of(glyphs: Iterable[Sequence[tuple[str, Rectangle]]]) -> tuple[GlyphLine, ...]:
    """The lines of a leaf's own text, given by the characters of each with their rectangles."""
    lines, start = [], 0
    for line in glyphs:
        lines.append(GlyphLine(start, array("f", [edge for _, box in line for edge in box])))
        start += len(line) + 1
        if start > _MOST_CHARACTERS:
            break
    return tuple(lines)


def recognised_lines(leaf: RecognisedLeaf) -> tuple[GlyphLine, ...]:
    """The lines of a recognised leaf; the characters of a word share its place, as if all were of one width."""
    lines = []
    for _, words in groupby(leaf.spans(), key=lambda span: span[2].line):
        first, edges, at = None, array("f"), 0
        for start, end, word in words:
            first = start if first is None else first
            for _ in range(start - at if at else 0):  # The space before it, which nobody has seen.
                edges.extend((word.rectangle[0], word.rectangle[1], word.rectangle[0], word.rectangle[3]))
            edges.extend(_shared(word.rectangle, end - start))
            at = end
        lines.append(GlyphLine(first or 0, edges))
    return tuple(lines)


def runs_of(paragraphs: Iterable[Paragraph], leaf: int, lines: Sequence[GlyphLine]) -> tuple[GlyphRun, ...]:
    """What of a document's text stands on a leaf (0-based), in the order of reading."""
    starts = [line.start for line in lines]
    runs = []
    for paragraph in paragraphs:
        for piece in paragraph.pieces:
            if isinstance(piece.spot, LeafSpot) and piece.spot.leaf == leaf:
                for first, edges in _cut(lines, starts, piece.spot):
                    position = paragraph.start + piece.start + first - piece.spot.start
                    runs.append(GlyphRun(position, paragraph.start, _around(edges), edges))
    return tuple(runs)


def _cut(lines: Sequence[GlyphLine], starts: Sequence[int], spot: LeafSpot) -> Iterator[tuple[int, array[float]]]:
    """The parts of each line between the offsets of a spot, each with the offset that it begins at."""
    for line in lines[max(0, bisect_right(starts, spot.start) - 1) :]:
        if line.start >= spot.end:
            return
        first = max(spot.start, line.start)
        edges = line.edges[4 * (first - line.start) : 4 * (spot.end - line.start)]
        if edges:
            yield first, edges


def _shared(box: Rectangle, count: int) -> Iterator[float]:
    """The edges of so many characters side by side in a rectangle, or one beneath the other where it is upright."""
    left, top, right, bottom = box
    is_upright = count > 1 and bottom - top > 2 * (right - left)
    across, down = (0.0, (bottom - top) / count) if is_upright else ((right - left) / count, 0.0)
    for number in range(count):
        yield left + number * across
        yield top + number * down
        yield left + (number + 1) * across if across else right
        yield top + (number + 1) * down if down else bottom


def _around(edges: array[float]) -> Rectangle:
    return min(edges[0::4]), min(edges[1::4]), max(edges[2::4]), max(edges[3::4])
