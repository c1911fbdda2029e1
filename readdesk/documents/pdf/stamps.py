"""Stamps: what somebody put onto leaves that were finished, beside the text or across it.

"Downloaded from ...", Bates numbers and "CONFIDENTIAL" at an edge are found with heads and feet (`furniture.py`); here
are those that no edge has: text turned against the leaf's own that stands in the margin (arXiv's on the first leaf
alone, a library's on every one), and a mark that lies across the text of several leaves. Labels of a figure's axes are
turned as well, but they stand within the width of the text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from readdesk.documents.model import Furniture
from readdesk.documents.pdf.edges import masked
from readdesk.documents.pdf.leaves import Leaf, Line

_FEWEST = 3
_LARGE = 1.5
_LONG = 25
_MOST = 20
_SAYS = re.compile(
    r"\b(?:downloaded|licen[sc]ed (?:to|from)|printed (?:by|from|on)|confidential|provided by|access provided|"
    r"all use subject|this content downloaded|arxiv:|accepted manuscript|preprint|draft of|uncorrected proof)",
    re.IGNORECASE,
)


def says_stamp(text: str) -> bool:
    """Whether a running head or foot speaks of the copy and not of the book."""
    return bool(_SAYS.search(text))


def take_stamps(leaves: Sequence[Leaf]) -> None:
    """Take out what stands sideways in the margins, and marks across the text of at least three leaves."""
    across: defaultdict[tuple[str, int, int], list[tuple[int, Line]]] = defaultdict(list)
    for leaf in leaves:
        level = [line for line in leaf.lines if line.is_level]
        turned = [line for line in leaf.lines if not line.is_level]
        if turned and level:
            _take(leaf, [line for line in turned if _is_in_margin(line, leaf, level)])
            turned = [line for line in leaf.lines if not line.is_level]
        for line in _marks(turned, level):
            middle = round((line.left + line.right) / 20), round((line.top + line.bottom) / 20)
            across[masked(line.text), *middle].append((leaf.index, line))
    marks: defaultdict[int, list[Line]] = defaultdict(list)
    for found in across.values():
        if len({index for index, _ in found}) >= _FEWEST:
            for index, line in found:
                marks[index].append(line)
    for leaf in leaves:
        _take(leaf, marks[leaf.index])


def _marks(turned: Sequence[Line], level: Sequence[Line]) -> list[Line]:
    """Lines that lie over others, turned or large, and may be marks across the text: they are few on a leaf."""
    sizes = sorted(line.size for line in level)
    large = _LARGE * sizes[len(sizes) // 2] if sizes else 0.0
    over = [*turned, *(line for line in level if line.size > large)]
    return [line for line in over if any(_lies_over(line, other) for other in level)] if len(over) <= _MOST else []


def _lies_over(line: Line, other: Line) -> bool:
    """Whether a line lies over another, smaller one, which belongs to the text."""
    if line is other or other.size >= line.size:
        return False
    across = min(line.right, other.right) - max(line.left, other.left)
    middle = (other.top + other.bottom) / 2
    edge = 0.2 * line.size if line.is_level else 0.0
    return across > other.size and line.top + edge < middle < line.bottom - edge


def _is_in_margin(line: Line, leaf: Leaf, level: Sequence[Line]) -> bool:
    """Whether a turned line stands beside all text of the leaf, near its edge on the drawn leaf."""
    if leaf.turn in (90, 270):
        return False  # There a turned line is the ordinary head of a leaf that is set sideways.
    texts = [other for other in level if len(other.text) > _LONG] or list(level)
    left, right = min(other.left for other in texts), max(other.right for other in texts)
    is_beside = line.right <= left or line.left >= right
    return is_beside and (line.right <= 0.15 * leaf.width or line.left >= 0.85 * leaf.width)


def _take(leaf: Leaf, lines: Sequence[Line]) -> None:
    if lines:
        gone = {line.start for line in lines}
        leaf.furniture += [Furniture("stamp", line.text.strip(), line.rectangle) for line in lines]
        leaf.lines = [line for line in leaf.lines if line.start not in gone]
