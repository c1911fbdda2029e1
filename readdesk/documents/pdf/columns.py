"""Where the columns of a leaf are: white gutters that part its lines into regions, each read from top to bottom.

Leaves are cut recursively. A gutter is tried at every left or right edge that several lines share. The lines that lie
across it (title, figure, footnote) part the leaf into bands; between two of them the lines left and right of it are
columns when both sides are running text, and a side note or a caption when one is narrow and set apart. The gutter
beside which most lines stand is taken, then both sides are cut in turn, so any number of columns is found wherever they
start. Cells of a table are no columns: they are short, or begin at the same heights on both sides.

What must stay true: every line is in exactly one region; no region depends on the order of the lines given.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from readdesk.documents.pdf.leaves import Line

Verdict = Literal["", "columns", "left", "right"]
"""What a gutter parts: nothing, columns, or a note beside the text, at its left or at its right."""

_WORDS = re.compile(r"[^\W\d_]{2}[^\w\s]{0,3}\s+[^\w\s]?[^\W\d_]|[\u3040-\u30ff\u3400-\u9fff]{5}")
_STEP = 4.0
_FEWEST_AT_EDGE = 3
_OVERHANG = 1.5
_SPACE = 0.45
_GUTTER = 0.6
_FEWEST_LINES = 4
_MOST_LINES = 0.8
_FEWEST_ROWS = 6
_WIDE = 8.0
_FEWEST_ENTRIES = 6
_WIDE_ENTRY = 4.0
_LABEL = 4.5
_SMALLER = 0.92
_MUCH_SMALLER = 0.87
_FEWEST_ALONE = 3
_FEWEST_IN_LIST = 10
_AT_ONE_HEIGHT = 0.1
_MOST_AT_ONE_HEIGHT = 0.4
_MOST_STEPS = 1_000_000
"""Lines that are held against gutters on one leaf: a newspaper takes a third of it, a map full of names all."""

_DEEPEST = 30


@dataclass(slots=True)
class Region:
    """Lines that are read together; `is_side` says that they stand beside the text (a note, a caption)."""

    lines: list[Line]
    is_side: bool = False


@dataclass(slots=True)
class _Run:
    """What lies between two lines across a gutter; the lines across it are a run of their own, without verdict."""

    lines: list[Line]
    left: list[Line]
    right: list[Line]
    is_across: bool = False
    verdict: Verdict = ""


_Extent = tuple[Sequence[Line], float, float]
"""Lines at one height, where the first of them begins and where the last one ends."""


def regions_of(lines: Iterable[Line]) -> tuple[list[Region], int]:
    """The regions of a leaf in reading order, and how many columns of running text stand beside one another."""
    ordered = sorted(lines, key=lambda line: (line.top, line.left))
    return _Cutter(_MOST_STEPS).cut(ordered)


def baseline_groups(lines: Iterable[Line]) -> list[list[Line]]:
    """Lines, given from top to bottom, put together with those that stand at the height of the first of them."""
    groups: list[list[Line]] = []
    top = bottom = -1.0
    for line in lines:
        upper, lower = line.top, line.bottom
        # The lines come from top to bottom, so an overlap begins at the upper edge of the one that is looked at.
        overlap = (bottom if bottom < lower else lower) - upper
        if overlap > 0 and groups and overlap >= 0.5 * min(bottom - top, lower - upper):
            groups[-1].append(line)
        else:
            groups.append([line])
            top, bottom = upper, lower
    return groups


class _Cutter:
    """Cuts the lines of one leaf, as long as that takes no more steps than it may."""

    def __init__(self, steps: int) -> None:
        self._steps = steps

    def cut(self, lines: list[Line], depth: int = 0) -> tuple[list[Region], int]:
        """The regions of some lines in reading order, and how many columns stand beside one another."""
        groups = baseline_groups(lines)
        if len(lines) == len(groups) and not _stand_beside(lines):
            return [Region(lines)], 1
        extents = [
            (group, group[0].left, group[0].right)
            if len(group) == 1
            else (group, min([line.left for line in group]), max([line.right for line in group]))
            for group in groups
        ]
        best: list[_Run] = []
        best_score = 0.0
        for x in self._tried(_edges(lines), len(lines), depth):
            runs = _runs(extents, x)
            score = sum(map(_score, runs))
            if score > best_score:
                best, best_score = runs, score
        if not best or (best_score < _FEWEST_LINES and _share(best, lines) < _MOST_LINES):
            return [Region(lines)], 1
        regions: list[Region] = []
        columns = 1
        for run in _bands(_settled(best)):
            found, count = self._cut_run(run, depth + 1)
            regions += found
            columns = max(columns, count)
        return regions, columns

    def _cut_run(self, run: _Run, depth: int) -> tuple[list[Region], int]:
        if run.verdict == "columns":
            left, count = self.cut(run.left, depth)
            right, more = self.cut(run.right, depth)
            return left + right, count + more
        if run.verdict:
            text, side = (run.left, run.right) if run.verdict == "right" else (run.right, run.left)
            regions, count = self.cut(text, depth)
            return [*regions, Region(side, is_side=True)], count
        return self.cut(run.lines, depth) if run.left or run.right else ([Region(run.lines)], 1)

    def _tried(self, gutters: Sequence[float], lines: int, depth: int) -> Sequence[float]:
        """The gutters that are tried: all of them, where that is not too much work for one leaf."""
        cost = len(gutters) * lines
        if depth > _DEEPEST or cost > self._steps:
            return ()
        self._steps -= cost
        return gutters


def _share(runs: Sequence[_Run], lines: Sequence[Line]) -> float:
    """Which share of the lines stands beside a gutter."""
    return sum(len(run.lines) for run in runs if run.verdict) / len(lines)


def _stand_beside(lines: Sequence[Line]) -> bool:
    """Whether two lines at least stand beside others, be it at other heights."""
    beside, bottom = 0, -1.0
    for line in lines:
        if line.top < bottom - 0.3 * (line.bottom - line.top):
            beside += 1
        bottom = max(bottom, line.bottom)
    return beside >= 2


def _edges(lines: Sequence[Line]) -> list[float]:
    """Where a gutter may end: just before a left edge, or just behind a right one, that several lines share."""
    lefts: defaultdict[int, list[float]] = defaultdict(list)
    rights: defaultdict[int, list[float]] = defaultdict(list)
    for line in lines:
        lefts[int(line.left / _STEP)].append(line.left)
        rights[int(line.right / _STEP)].append(line.right)
    first, last = min(lefts), max(rights)
    found = set()
    for step, edge in lefts.items():
        if step > first + 1 and len(edge) + len(lefts.get(step + 1, ())) >= _FEWEST_AT_EDGE:
            found.add(min(edge) - 1)
    for step, edge in rights.items():
        if step < last - 1 and len(edge) + len(rights.get(step - 1, ())) >= _FEWEST_AT_EDGE:
            found.add(max(edge) + 1)
    return _different(lines, sorted(found))


def _different(lines: Sequence[Line], gutters: Iterable[float]) -> list[float]:
    """The gutters that may part lines, each in another way than those before it."""
    lefts, rights = sorted([line.left for line in lines]), sorted([line.right for line in lines])
    found: dict[tuple[int, int, int], float] = {}
    for x in gutters:
        left, right = bisect_right(rights, x + 1), len(lefts) - bisect_left(lefts, x - 1)
        over = [line for line in lines if line.left < x and x + 1 < line.right <= x + _OVERHANG * line.size]
        counts = left, right, len(over)
        if right and _may_part(counts, len(lines)):
            found.setdefault(counts, x)
    return list(found.values())


def _may_part(counts: tuple[int, int, int], lines: int) -> bool:
    """Whether enough lines stand beside a gutter for columns, or most of them, so that it is worth a closer look."""
    left, right, over = counts
    fewer = min(left + over, right)
    return fewer >= _FEWEST_LINES or (fewer > 0 and left + right + over >= _MOST_LINES * lines)


# -- runs between the lines across a gutter ----------------------------------------------------------------------


def _runs(groups: Sequence[_Extent], x: float) -> list[_Run]:
    """Lines left and right of a gutter, run by run, with the lines across it between them."""
    runs: list[_Run] = []
    run: _Run | None = None
    for group, first, last in groups:
        is_across = False
        left: Sequence[Line] = ()
        right: Sequence[Line] = ()
        if last <= x + 1:
            left = group
        elif first >= x - 1:
            right = group
        else:
            left, right = _sides(group, x)
            is_across = len(left) + len(right) < len(group) or (bool(left and right) and _is_one(left, right))
        if run is not None and run.is_across and left and not right and _goes_on(run.lines[-1], left):
            is_across = True
        if run is None or run.is_across != is_across:
            run = _Run([], [], [], is_across)
            runs.append(run)
        run.lines += group
        if not is_across:
            run.left += left
            run.right += right
    for run in runs:
        if run.left and run.right and len(run.lines) >= _FEWEST_LINES:
            run.verdict = _verdict(run.left, run.right, 2)
    return runs


def _sides(group: Sequence[Line], x: float) -> tuple[list[Line], list[Line]]:
    left: list[Line] = []
    right: list[Line] = []
    for line in group:
        if line.right <= x + 1 or (line.left < x and line.right <= x + _OVERHANG * line.size):
            left.append(line)
        elif line.left >= x - 1:
            right.append(line)
    return left, right


def _is_one(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Whether what stands at one height is one line in parts, or a line of code with a remark behind it."""
    last, first = max(left, key=lambda line: line.right), min(right, key=lambda line: line.left)
    return first.left - last.right < _SPACE * last.size or (last.is_mono and first.is_mono)


def _goes_on(last: Line, left: Sequence[Line]) -> bool:
    """Whether one short line ends what was set across the gutter above it."""
    line = left[0]
    is_next = line.top - last.top < 1.4 * line.size and abs(line.size - last.size) < 0.1 * line.size
    return len(left) == 1 and is_next and abs(line.left - last.left) < 2


def _score(run: _Run) -> float:
    if run.verdict == "columns":
        return float(min(len(run.left), len(run.right)))
    return 0.5 * min(len(run.left), len(run.right)) if run.verdict else 0.0


def _settled(runs: list[_Run]) -> list[_Run]:
    """Where a gutter is known, even one line on each side of it makes columns."""
    if any(run.verdict == "columns" for run in runs):
        for run in runs:
            run.verdict = run.verdict or _verdict(run.left, run.right, 1)
    return runs


def _bands(runs: Sequence[_Run]) -> list[_Run]:
    """Runs without columns put together with the lines across the gutter, but for text of one column only."""
    bands: list[_Run] = []
    is_open = False
    has_columns = any(run.verdict == "columns" for run in runs)
    for run in runs:
        is_alone = has_columns and not run.is_across and not (run.left and run.right)
        is_alone = is_alone and len(run.lines) >= _FEWEST_ALONE and not _are_mono(run.lines)
        if run.verdict or is_alone:
            bands.append(run if run.verdict else _Run(run.lines, [], []))
            is_open = False
        elif is_open:
            band = bands[-1]
            band.lines += run.lines
            band.left += run.left
            band.right += run.right
        else:
            bands.append(_Run(list(run.lines), list(run.left), list(run.right)))
            is_open = True
    return bands


# -- what stands on both sides -----------------------------------------------------------------------------------


def _verdict(left: Sequence[Line], right: Sequence[Line], fewest: int) -> Verdict:
    if not left or not right or not _overlap(left, right):
        return ""
    are_words = _are_words(left) and _are_words(right)
    if not are_words and min(len(left), len(right)) < _FEWEST_ENTRIES:
        return ""
    are_apart = _white(left, right) >= _GUTTER * left[0].size
    is_even = not (_is_smaller(left, right) or _is_smaller(right, left))
    if not are_apart and is_even:
        return ""
    may_be_columns = are_apart and is_even and min(len(left), len(right)) >= fewest
    if may_be_columns and _are_entries(left) and _are_entries(right):
        return "columns"
    if not are_words:
        return ""
    widths = [_widths(side) for side in (left, right)]
    are_wide = [sum(side) >= _WIDE * len(side) for side in widths]
    if may_be_columns:
        if all(are_wide) and _is_filled(widths[0]) and _is_filled(widths[1]):
            return "columns" if _are_columns(left, right, fewest) else ""
        if all(are_wide) and _are_lists(left, right):
            return "columns"
    if are_wide[1] and _is_set_apart(left, right, "right"):
        return "left"
    return "right" if are_wide[0] and _is_set_apart(right, left, "left") else ""


def _white(left: Sequence[Line], right: Sequence[Line]) -> float:
    """How wide the white between two sides is, but for a few lines that hang over."""
    rights, lefts = sorted(line.right for line in left), sorted(line.left for line in right)
    return lefts[len(lefts) // 10] - rights[len(rights) - 1 - len(rights) // 10]


def _are_columns(left: Sequence[Line], right: Sequence[Line], fewest: int) -> bool:
    """Whether words that fill both sides are no code, no table, and no rows of dots."""
    if (_are_mono(left) and _are_mono(right)) or _begin_together(left, right):
        return False
    return fewest < 2 or min(len(left), len(right)) > _FEWEST_ROWS or not _are_rows(left, right)


def _are_lists(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Whether both sides are long lists, be it of words and what they mean, each with rows at heights of its own."""
    if min(len(left), len(right)) < _FEWEST_IN_LIST or (_are_mono(left) and _are_mono(right)):
        return False
    sides = [[min(group, key=lambda line: line.left) for group in baseline_groups(side)] for side in (left, right)]
    if not all(len(firsts) >= _FEWEST_IN_LIST and _begin_at_one_edge(firsts) for firsts in sides):
        return False
    fewer, more = sorted(sides, key=len)
    tops = [line.top for line in more]
    beside = sum(1 for line in fewer if any(abs(line.top - top) < _AT_ONE_HEIGHT * line.size for top in tops))
    return beside < _MOST_AT_ONE_HEIGHT * len(fewer)


def _begin_at_one_edge(lines: Sequence[Line]) -> bool:
    edges = Counter([round(line.left / _STEP) for line in lines])
    return edges.most_common(1)[0][1] >= 0.6 * len(lines)


def _are_words(lines: Sequence[Line]) -> bool:
    """Whether most of the text holds several words a line (or Chinese), as no label, number or path does."""
    of_words = sum([line.right - line.left for line in lines if _WORDS.search(line.text)])
    return of_words > 0.5 * sum([line.right - line.left for line in lines])


def _are_rows(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Whether every line has one beside it, as in a small table."""
    return len(left) == len(right) and all(
        abs(line.top - other.top) < 0.2 * line.size for line, other in zip(left, right, strict=True)
    )


def _widths(lines: Sequence[Line]) -> list[float]:
    """How wide the rows of a side are, in units of their font size; only a label is one with what it stands before."""
    widths = []
    for group in baseline_groups(lines):
        size = max(group[0].size, 1.0)
        covered = [line.right - line.left for line in group]
        extent = max([line.right for line in group]) - min([line.left for line in group])
        if len(group) == 2 and min(covered) < _LABEL * size and sum(covered) >= 0.7 * extent:
            covered = [extent]
        widths += [width / size for width in covered]
    return widths


def _overlap(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Whether two sides stand beside one another for a good part of the shorter one."""
    tops = [min([line.top for line in side]) for side in (left, right)]
    bottoms = [max([line.bottom for line in side]) for side in (left, right)]
    shorter = min(bottoms[0] - tops[0], bottoms[1] - tops[1])
    return min(bottoms) - max(tops) > 0.3 * shorter


def _is_filled(widths: Sequence[float]) -> bool:
    """Whether most of a side's text fills its lines, as running text does and cells do not."""
    full = 0.72 * sorted(widths)[int(0.9 * (len(widths) - 1))]
    return sum(width for width in widths if width >= full) >= 0.5 * sum(widths)


def _are_entries(lines: Sequence[Line]) -> bool:
    """Whether lines are entries of an index or of contents: words, then a number."""
    if len(lines) < _FEWEST_ENTRIES:
        return False
    entries = sum(1 for line in lines if line.text.rstrip()[-1:].isdigit() and not line.text.lstrip()[:1].isdigit())
    widths = _widths(lines)
    return entries >= 0.6 * len(lines) and sum(widths) >= _WIDE_ENTRY * len(widths)


def _are_mono(lines: Sequence[Line]) -> bool:
    return sum(line.is_mono for line in lines) > 0.5 * len(lines)


def _begin_together(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Whether what white space parts begins at the same heights on both sides, as the rows of a table do."""
    starts = [_starts(side) for side in (left, right)]
    fewer, more = sorted(starts, key=len)
    if len(fewer) < 3 or len(more) > 2 * len(fewer):
        return False
    together = sum(1 for top in fewer if any(abs(top - other) <= 3 for other in more))
    return together >= 0.75 * len(fewer)


def _starts(lines: Sequence[Line]) -> list[float]:
    starts, last = [], None
    for line in lines:
        if last is None or line.top - last.top > 1.45 * line.size:
            starts.append(line.top)
        last = line
    return starts


def _is_set_apart(side: Sequence[Line], text: Sequence[Line], edge: Literal["left", "right"]) -> bool:
    """Whether some words beside the text, aligned at the edge towards it, are a note or a caption and no labels."""
    if len(text) < 3 or len(side) > len(text) + 2 or _are_mono(side) or all(line.is_bold for line in side):
        return False
    if not _is_filled(_widths(text)):
        return False
    if _size(side) <= _SMALLER * _size(text):
        return True
    stacked = {id(line) for pair in pairwise(side) if _is_under(*pair, edge) for line in pair}
    return len(side) >= 3 and len(stacked) >= 0.7 * len(side) and not _begin_together(side, text)


def _is_smaller(side: Sequence[Line], text: Sequence[Line]) -> bool:
    """Whether one side is a caption, small and short, beside text."""
    return len(side) < 0.8 * len(text) and _size(side) <= _MUCH_SMALLER * _size(text)


def _size(lines: Sequence[Line]) -> float:
    return sorted(line.size for line in lines)[len(lines) // 2]


def _is_under(line: Line, after: Line, edge: Literal["left", "right"]) -> bool:
    is_next = 0.7 * line.size < after.top - line.top < 1.5 * line.size
    return is_next and abs((line.left - after.left) if edge == "left" else (line.right - after.right)) < 2
