"""Numbers of lines and numbers in margins: places that people cite, set beside the text and never part of it.

Lines are numbered in legal papers (1 to 28 down the margin of every leaf), in editions of verse (every fifth) and in
patents (between the columns). Margins hold the numbers of paragraphs ("12", "[12]") and of an older edition ("17a").
Both leave the text; a line keeps the numbers beside it in `Line.beside`, where they become marks.

A list's items and a table's first column look much the same, so a column of numbers must prove itself. That of lines
counts steadily, no text lies over it, and it numbers running prose (sentences that go on in the next row), or as many
rows stand between its numbers as it counts. Margin numbers stand outside the width of the whole document's text and
count on from leaf to leaf. A number may be the beginning of the library's own line ("1 This is a line"): then it is cut
off, and `Line.start` moves on with the text.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from readdesk.documents.model import Furniture
from readdesk.documents.pdf.leaves import Leaf, Line, Measures

_NUMBER = re.compile(r"\s*(\[?(\d{1,4})[a-e]?\]?|[b-e])(\s+(?=\S)|\s*$)")
_STEPS = (1, 5, 10)
_FEWEST_LINES = 5
_FEWEST_STEPS = 3
_GRID = 20
_FEWEST_IN_MARGINS = 4
_MOST_ON_A_LEAF = 120
_LONG = 25
_SHARE_IN_ORDER = 0.7
_SENTENCE_END = re.compile(r"[.!?:;\u3002\uff01\uff1f][\"'\u201d\u2019)\]]*$")


@dataclass(slots=True)
class _Cell:
    """A number that may stand beside the text; `cut` counts the characters that a line begins with it, 0 for all."""

    leaf: Leaf
    line: Line
    text: str
    value: int
    cut: int
    right: float

    @property
    def middle(self) -> float:
        return (self.line.top + self.line.bottom) / 2


@dataclass(slots=True)
class _Column:
    """Numbers one below the other that count steadily."""

    cells: list[_Cell]
    step: int

    @property
    def place(self) -> tuple[int, int, bool]:
        """What the columns of several leaves share: step, right edge, and whether lines begin with them."""
        return self.step, round(max(cell.right for cell in self.cells) / 12), self.cells[0].cut > 0


def take_margins(leaves: Sequence[Leaf], measures: Measures) -> None:
    """Move the numbers of lines and margins from each leaf's lines to its furniture, and tell the lines beside them."""
    mono = sum(len(line.text) if line.is_mono else -len(line.text) for leaf in leaves for line in leaf.lines)
    is_typed = mono > 0  # A transcript in typewriter letters; else those are listings.
    cells = {leaf.index: found for leaf in leaves if (found := _cells(leaf, is_typed=is_typed))}
    if not cells:
        return
    taken = _line_numbers(cells, len(leaves), is_typed=is_typed)
    gone = {id(cell.line) for cell in taken}
    rest = {index: [cell for cell in found if id(cell.line) not in gone] for index, found in cells.items()}
    _move(taken, "line")
    _move(_margin_numbers(leaves, rest, measures), "margin")


def _cells(leaf: Leaf, *, is_typed: bool) -> list[_Cell]:
    """The numbers that lines of a leaf are or begin with."""
    found = []
    for line in leaf.lines:
        match = _NUMBER.match(line.text)
        if match and line.is_level:
            is_whole = match.end() == len(line.text)
            if is_whole or (match[2] and (is_typed or not line.is_mono)):
                share = 1.0 if is_whole else match.end(1) / len(line.text)
                right = line.left + (line.right - line.left) * share
                cut = 0 if is_whole else match.end()
                found.append(_Cell(leaf, line, match[1], int(match[2] or 0), cut, right))
    return found if len(found) <= _MOST_ON_A_LEAF else []


# -- numbers of lines --------------------------------------------------------------------------------------------


def _line_numbers(cells: dict[int, list[_Cell]], leaves: int, *, is_typed: bool) -> list[_Cell]:
    """The numbers of lines on all leaves: columns that prove themselves, and others like them."""
    columns = [column for found in cells.values() if len(found) > 1 for column in _columns(found)]
    proven = Counter(column.place for column in columns if _numbers_lines(column, is_typed=is_typed))
    known = {place for place, count in proven.items() if place[0] > 1 or count >= 2 or leaves <= 2}
    taken = []
    for column in columns:
        step, right, is_cut = column.place
        is_known = any((step, right + shift, is_cut) in known for shift in (-1, 0, 1))
        if is_known and (len(column.cells) > 2 or step > 1) and _is_clear(column):
            taken += column.cells
    return taken


def _columns(cells: Sequence[_Cell]) -> list[_Column]:
    """The columns of numbers on a leaf, each number in one of them at most."""
    groups: defaultdict[tuple[bool, int], list[_Cell]] = defaultdict(list)
    for cell in sorted(cells, key=lambda cell: cell.middle):
        edge = cell.line.left if cell.cut else cell.right
        near = [key for key in groups if key[0] is bool(cell.cut) and abs(key[1] - edge) < 0.8 * cell.line.size]
        groups[near[0] if near else (bool(cell.cut), round(edge))].append(cell)
    columns = []
    for group in groups.values():
        runs = [_Column(_run(group, step), step) for step in _STEPS]
        best = max(runs, key=lambda column: len(column.cells))
        if len(best.cells) >= max(2, _SHARE_IN_ORDER * len(group)):
            columns.append(best)
    return columns


def _run(cells: Sequence[_Cell], step: int) -> list[_Cell]:
    """The longest run from top to bottom that counts by a step; what does not fit (a misread number) is left out."""
    best: list[_Cell] = []
    runs: dict[int, list[_Cell]] = {}
    for cell in cells:
        if cell.text != str(cell.value) or (step > 1 and cell.value % step):
            continue
        run = [*runs.pop(cell.value - step, ()), cell]
        runs[cell.value] = run
        best = max(best, run, key=len)
    return best


def _numbers_lines(column: _Column, *, is_typed: bool) -> bool:
    """Whether a column numbers the lines of a text, and not the items of a list or the rows of a table."""
    if not _is_clear(column):
        return False
    rows = _rows_beside(column)
    if not is_typed and sum(1 for row in rows if row[0].is_mono) > 0.5 * len(rows):
        return False  # A listing: text speaks of the lines of a program by their numbers, which stay with them.
    middles = [sum((line.top + line.bottom) / 2 for line in row) / len(row) for row in rows]
    if column.step > 1:
        if len(column.cells) < _FEWEST_STEPS:
            return False
        between = [
            sum(1 for middle in middles if cell.middle - 1 <= middle < after.middle - 1)
            for cell, after in pairwise(column.cells)
        ]
        return sum(1 for count in between if abs(count - column.step) <= 1) >= 0.7 * len(between)
    if len(column.cells) < _FEWEST_LINES or not _is_prose(rows, column):
        return False
    first, last = column.cells[0].line.top - 2, column.cells[-1].line.bottom + 2
    beside = sum(1 for middle in middles if first < middle < last)
    return 0.7 * len(column.cells) <= beside <= 1.3 * len(column.cells) or _is_grid(column)


def _is_grid(column: _Column) -> bool:
    """Whether the numbers are those of ruled paper: many, and all as far from one another."""
    steps = [after.middle - cell.middle for cell, after in pairwise(column.cells)]
    usual = sorted(steps)[len(steps) // 2]
    return len(column.cells) >= _GRID and all(abs(step - usual) < 0.15 * usual for step in steps)


def _is_clear(column: _Column) -> bool:
    """Whether no text lies over the column, between its first number and its last."""
    if column.cells[0].cut:
        return True
    leaf = column.cells[0].leaf
    numbers = {id(cell.line) for cell in column.cells}
    left = min(cell.line.left for cell in column.cells) + 1
    right = max(cell.right for cell in column.cells) - 1
    top, bottom = column.cells[0].line.top, column.cells[-1].line.bottom
    over = [
        line
        for line in leaf.lines
        if line.left < right and line.right > left and line.bottom > top + 2 and line.top < bottom - 2
    ]
    return sum(1 for line in over if id(line) not in numbers) <= 0.05 * len(column.cells)


def _rows_beside(column: _Column) -> list[list[Line]]:
    """The text beside a column, in rows from top to bottom: that on its right, or on its left where there is none."""
    cells = column.cells
    lines = [line for line in cells[0].leaf.lines if line.is_level and line.text.strip()]
    numbers = set() if cells[0].cut else {id(cell.line) for cell in cells}
    left = min(cell.line.left for cell in cells)
    right = max(cell.right for cell in cells)
    top, bottom = cells[0].line.top - 3, cells[-1].line.bottom + 3
    near = [line for line in lines if id(line) not in numbers and line.bottom > top and line.top < bottom]
    start = left if cells[0].cut else right
    beside = [line for line in near if line.left >= start - 1] or [line for line in near if line.right <= left + 1]
    rows: list[list[Line]] = []
    for line in sorted(beside, key=lambda line: (line.top + line.bottom, line.left)):
        middle = (line.top + line.bottom) / 2
        if rows and middle - (rows[-1][0].top + rows[-1][0].bottom) / 2 < 0.5 * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _is_prose(rows: Sequence[Sequence[Line]], column: _Column) -> bool:
    """Whether the rows are lines of running text: filled, without cells, sentences going on in the next one."""
    cuts = {id(cell.line): cell.cut for cell in column.cells}
    texts = ["".join(line.text[cuts.get(id(line), 0) :] for line in row).strip() for row in rows]
    if len(rows) < _FEWEST_LINES or sum(1 for row in rows if _has_cells(row)) > 0.3 * len(rows):
        return False
    width = max(row[-1].right for row in rows) - min(row[0].left for row in rows)
    filled = sum(1 for row in rows if row[-1].right - row[0].left > 0.7 * width)
    goes_on = sum(1 for text, after in pairwise(texts) if not _SENTENCE_END.search(text) and not after[:1].isupper())
    return filled >= 0.5 * len(rows) and goes_on >= 0.3 * (len(rows) - 1)


def _has_cells(row: Sequence[Line]) -> bool:
    ordered = sorted(row, key=lambda line: line.left)
    return any(after.left - line.right > 1.5 * line.size for line, after in pairwise(ordered))


# -- numbers in margins ------------------------------------------------------------------------------------------


def _margin_numbers(leaves: Sequence[Leaf], cells: dict[int, list[_Cell]], measures: Measures) -> list[_Cell]:
    """The numbers outside the text's width, if they count on through the document."""
    outer = [
        cell
        for _, on_leaf in sorted(cells.items())
        for cell in sorted(on_leaf, key=lambda cell: cell.middle)
        if _is_outermost(cell)
    ]
    if len(outer) < _FEWEST_IN_MARGINS:
        return []
    edges = _edges(leaves)
    found = [
        cell for cell in outer if _is_outside(cell, edges[cell.leaf.index % 2]) and _is_beside_text(cell, measures)
    ]
    if len(found) < _FEWEST_IN_MARGINS or not any(cell.value for cell in found):
        return []
    offsets = Counter(cell.value - cell.leaf.index for cell in found)
    if len(offsets) < 0.5 * len(found):
        return []  # They count the leaves: page numbers.
    follows = sum(1 for cell, after in pairwise(found) if _follows(cell, after))
    return found if follows >= _SHARE_IN_ORDER * (len(found) - 1) else []


def _follows(cell: _Cell, after: _Cell) -> bool:
    """Whether one margin number may come next after another: 12 and 13, 17a and b, 1094a and 5, 5 and 10."""
    if not after.value:
        return cell.text[-1:].isalpha() and after.text > cell.text[-1]
    if not cell.value:
        return after.text[-1:].isalpha()
    has_letter = cell.text[-1:].isalpha() or after.text[-1:].isalpha()
    return after.value - cell.value in (1, 5) or (has_letter and after.value in (cell.value, 5))


def _edges(leaves: Sequence[Leaf]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where the text of even and of odd leaves begins and ends: where most of its long lines do."""
    lefts, rights = (Counter[int](), Counter[int]()), (Counter[int](), Counter[int]())
    for leaf in leaves:
        for line in leaf.lines:
            if len(line.text) > _LONG:
                lefts[leaf.index % 2][round(line.left)] += 1
                rights[leaf.index % 2][round(line.right)] += 1
    (even_left, odd_left), (even_right, odd_right) = map(_usual, lefts), map(_usual, rights)
    return (even_left, even_right), (odd_left, odd_right)


def _usual(places: Counter[int]) -> float:
    return float(places.most_common(1)[0][0]) if places else 0.0


def _is_outermost(cell: _Cell) -> bool:
    """Whether a number stands left or right of all long lines of its leaf."""
    long = [line for line in cell.leaf.lines if len(line.text) > _LONG and line is not cell.line and line.is_level]
    if cell.cut:
        return all(cell.line.left < line.left - 2 * cell.line.size for line in long)
    return all(line.left > cell.right for line in long) or all(line.right < cell.line.left for line in long)


def _is_outside(cell: _Cell, edge: tuple[float, float]) -> bool:
    """Whether a number stands left or right of where the text of the document begins and ends."""
    left, right = edge
    slack = 0.2 * cell.line.size
    if cell.cut:
        return cell.line.left < left - 2 * cell.line.size
    return cell.right < left - slack or cell.line.left > right + slack


def _is_beside_text(cell: _Cell, measures: Measures) -> bool:
    """Whether running text, and no heading, stands beside a number."""
    if cell.cut:
        return cell.line.size < 1.12 * measures.body
    beside = _line_beside(cell.leaf, cell.line)
    is_heading = beside is None or beside.size >= 1.12 * measures.body or (beside.is_bold and cell.line.is_bold)
    return not is_heading and cell.line.size < 1.12 * measures.body


# -- out of the text ---------------------------------------------------------------------------------------------


def _move(cells: Sequence[_Cell], kind: Literal["line", "margin"]) -> None:
    """Take numbers out of the lines, keep them as furniture, and tell the lines beside them."""
    gone = {id(cell.line) for cell in cells if not cell.cut}
    for leaf in {cell.leaf.index: cell.leaf for cell in cells}.values():
        leaf.lines = [line for line in leaf.lines if id(line) not in gone]
    for cell in cells:
        number = _cut(cell) if cell.cut else cell.line
        beside = cell.line if cell.cut else _line_beside(cell.leaf, number)
        if beside is not None:
            beside.beside += (cell.text,)
        cell.leaf.furniture.append(Furniture(kind, cell.text, number.rectangle))


def _cut(cell: _Cell) -> Line:
    """Take the number off the beginning of its line; where it ends is guessed from how many letters it has."""
    line, leaf, cut = cell.line, cell.leaf, cell.cut
    left = round(line.left + (line.right - line.left) * cut / len(line.text), 1)
    boxes = (line.left, line.top, round(cell.right, 1), line.bottom), (left, line.top, line.right, line.bottom)
    drawn = [leaf.drawn(box) if line.drawn else None for box in boxes]
    number = replace(line, text=line.text[:cut].rstrip(), right=round(cell.right, 1), drawn=drawn[0], raised=())
    line.raised = tuple((start - cut, end - cut) for start, end in line.raised if start >= cut)
    line.text, line.start, line.left, line.drawn = line.text[cut:], line.start + cut, left, drawn[1]
    return number


def _line_beside(leaf: Leaf, number: Line) -> Line | None:
    """The first line of the row that stands at the height of a number, on the side that is nearer."""
    middle = (number.top + number.bottom) / 2
    level = [
        line
        for line in leaf.lines
        if line is not number
        and line.is_level
        and abs((line.top + line.bottom) / 2 - middle) <= 0.8 * max(line.size, number.size)
        and not _NUMBER.fullmatch(line.text)
    ]
    if not level:
        return None
    found = min(level, key=lambda line: (round(abs((line.top + line.bottom) / 2 - middle) / 4), _space(line, number)))
    is_right = found.left > number.right - 1
    for line in sorted(level, key=lambda line: -line.left):
        is_same_side = (line.left > number.right - 1) is is_right
        if is_same_side and -1 <= found.left - line.right < 2 * line.size:
            found = line
    return found


def _space(line: Line, number: Line) -> float:
    return max(line.left - number.right, number.left - line.right, 0.0)
