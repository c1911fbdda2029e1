"""The order in which the lines of a leaf are read.

Lines of a leaf with two columns are read column by column between the lines that cross both (title, figure, footnote);
a leaf with one column keeps the order of the file. What must stay true: every line of the leaf is in exactly one row.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median

from readdesk.documents.pdf.leaves import Leaf, Line, Row, rows_of

_CJK = re.compile(r"[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]")


def in_reading_order(leaf: Leaf) -> list[Row]:
    """The rows of a leaf, left column before right, lines across both in their place."""
    lines = leaf.lines
    gutter = _gutter([line for line in lines if line.is_level and not line.is_mono])
    if gutter is None:
        return rows_of(lines)
    leaf.columns = 2
    across = [line for line in lines if _side(line, gutter) == 0]
    sizes, crossed = Counter(line.block for line in lines), Counter(line.block for line in across)
    for line in across:
        if line.is_mono:
            crossed[line.block] = sizes[line.block]  # Code is one block, however short some of its lines are.
    crossing: list[Line] = []
    rest: list[Line] = []
    for line in lines:
        is_across = crossed[line.block] > 0.4 * sizes[line.block] or any(_is_beside(line, other) for other in across)
        (crossing if is_across else rest).append(line)
    rows: list[Row] = []
    for row in sorted(
        rows_of(sorted(crossing, key=lambda line: (round(line.top), line.left))), key=lambda row: row.top
    ):
        above = [line for line in rest if (line.top + line.bottom) / 2 < row.top]
        rest = [line for line in rest if (line.top + line.bottom) / 2 >= row.top]
        rows += [*_columns(above, gutter), row]
    return rows + _columns(rest, gutter)


def _is_beside(line: Line, other: Line) -> bool:
    """Whether two lines stand at the same height (a line does so beside itself)."""
    return min(line.bottom, other.bottom) - max(line.top, other.top) > 0.5 * (other.bottom - other.top)


def _columns(lines: Sequence[Line], gutter: float) -> list[Row]:
    left = _by_block(line for line in lines if _side(line, gutter) < 0)
    right = _by_block(line for line in lines if _side(line, gutter) > 0)
    return rows_of(left, 1) + rows_of(right, 2)


def _by_block(lines: Iterable[Line]) -> list[Line]:
    """Blocks from top to bottom; within a block the order of the file."""
    blocks: dict[int, list[Line]] = {}
    for line in lines:
        blocks.setdefault(line.block, []).append(line)
    ordered = sorted(blocks.values(), key=lambda block: min(line.top for line in block))
    return [line for block in ordered for line in block]


def _side(line: Line, gutter: float) -> int:
    """-1 for the left column, 1 for the right one, 0 for a line that lies across both."""
    slack = 1.5 * line.size
    if line.right <= gutter + slack and line.left < gutter:
        return -1
    return 1 if line.left >= gutter - slack else 0


def _gutter(lines: Sequence[Line]) -> float | None:
    """Where the white strip between two columns lies, if there are two columns of running text."""
    if len(lines) < 12:
        return None
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    steps = [left + (right - left) * share / 100 for share in range(35, 66)]
    crossed = [sum(1 for line in lines if line.left < x - 1 and line.right > x + 1) for x in steps]
    fewest = min(crossed)
    best = [x for x, count in zip(steps, crossed, strict=True) if count == fewest]
    gutter = best[len(best) // 2]
    sides = [[line for line in lines if _side(line, gutter) == side] for side in (-1, 1, 0)]
    return gutter if _are_columns(*sides) else None


def _are_columns(left: Sequence[Line], right: Sequence[Line], crossing: Sequence[Line]) -> bool:
    cells = [
        gaps_in(row) + 1 for row in rows_of(sorted((*left, *right), key=lambda line: (round(line.top), line.left)))
    ]
    if cells and median(cells) > 2:
        return False  # A table: its rows are read across.
    total = sum(len(line.text) for line in (*left, *right, *crossing))
    if len(left) < 5 or len(right) < 5 or len(crossing) > len(left) + len(right):
        return False
    for side in (left, right):
        characters = sum(len(line.text) + len(_CJK.findall(line.text)) for line in side)
        rows = rows_of(sorted(side, key=lambda line: (round(line.top), line.left)))
        if characters < 0.12 * total or characters < 20 * len(rows):
            return False
    overlap = min(_bottom(left), _bottom(right)) - max(_top(left), _top(right))
    return overlap > 0.3 * max(_bottom(left) - _top(left), _bottom(right) - _top(right))


def _top(lines: Sequence[Line]) -> float:
    return min(line.top for line in lines)


def _bottom(lines: Sequence[Line]) -> float:
    return max(line.bottom for line in lines)


def gaps_in(row: Row) -> int:
    """How many wide gaps part the lines of a row."""
    return sum(1 for line, after in pairwise(row.lines) if after.left - line.right > 1.2 * line.size)
