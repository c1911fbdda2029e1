"""Tables: rows whose cells stand under one another become rows of cells.

Neighbouring rows of several cells are a table when its columns are seen in nearly all of them: cells share their left
edge, their right edge or their middle. Columns are found from the rows with most cells; a heading over several columns
belongs to the first of them. A row that has nothing in the first column and little elsewhere is the rest of wrapped
cells above it. Entries of a list or of contents, numbered headings and code are none.

What must stay true: no line is lost; a line's column in `Row.cells` is counted from 0 in its table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median, median_low

from readdesk.documents.pdf.leaves import Leaf, Line, Row
from readdesk.documents.pdf.parts import part_of, word_at

_LABEL = re.compile(r"\s*(?:[•‣▪◦●■–—*·]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxlc]+)[.):]|\[\d{1,3}\]|\d+(?:\.\d+)+\.?)\s*$")
_FORMULA = re.compile(r"[=∈∉∑∫∂≤≥⊆⊂∀∃→⇒⇔∪∩√∥⟨⟩∘◦−\ufffd\uf000-\uf8ff]")
_LEADERS = re.compile(r"[.·…](?:\s?[.·…]){3,}")
_GAP = 0.75
_WIDE_GAP = 1.2
_PLAIN_GAP = 3.0
_FEWEST_ROWS = 3
_ALIGNED = 0.6
_LOOKED_AT = 8
_NEXT_ROW = 3.5
_NEXT_LINE = 1.45
_FEWEST_CLEAR = 5
_LEAST = 0.4
_NEAR = 1.5
_SPACE = 0.3
_MOST_STEPS = 100_000
"""Lines that are looked at for tables in one region: each row of a map full of names may begin one."""


Span = tuple[float, float]
"""Left and right edge."""

Placed = tuple[int, Line]
"""A line and the number of its column."""


def with_tables(rows: list[Row], leaf: Leaf) -> list[Row]:
    """The rows of a region, those of tables with their cells; wrapped cells are put together."""
    if sum(len(row.lines) > 1 for row in rows) < 2:
        return rows
    found: list[Row] = []
    at, steps = 0, _MOST_STEPS
    while at < len(rows):
        end = _end_of_run(rows, at)
        steps -= sum([len(row.lines) for row in rows[at:end]])
        table = _table_of(rows[at:end], leaf, rows) if end - at >= 2 and steps > 0 else None
        if table is None:
            found.append(rows[at])
            at += 1
            continue
        at += table.taken
        while at < len(rows) and table.takes(rows[at], rows[at - 1]):
            at += 1
        found += table.as_rows()
    return found


def _end_of_run(rows: Sequence[Row], at: int) -> int:
    """Where rows of several cells end; single cells between them belong to the run."""
    first = rows[at]
    if not _has_cells(first):
        return at
    end = at + 1
    number = at + 1
    widest = 0.0
    while number < len(rows) and number - end < 3:
        before, row = rows[number - 1], rows[number]
        step = row.top - before.top
        if row.top - before.bottom > _NEXT_ROW * row.size or (number - at > _FEWEST_ROWS and step > 1.6 * widest):
            break
        widest = max(widest, step)
        if _has_cells(row):
            end = number + 1
        elif len(row.lines) == 1 and (abs(row.size - first.size) > 0.08 * first.size or (row.is_bold > first.is_bold)):
            break  # A heading.
        number += 1
    return end


def _has_cells(row: Row) -> bool:
    if len(row.lines) < 2:
        return False
    last = row.lines[0]
    if len(row.lines) == 2 and _LABEL.match(last.text):
        return False
    for line in row.lines[1:]:
        if line.left - last.right > _GAP * line.size:
            return not row.is_mono and not _LEADERS.search(row.text)
        last = line
    return False


def _cells_of(row: Row, edges: Collection[float] = ()) -> list[list[Line]]:
    """The lines of each cell; lines that begin at an edge have been cut there."""
    cells = [[row.lines[0]]]
    for line in row.lines[1:]:
        if line.left - cells[-1][-1].right > _GAP * line.size or line.left in edges:
            cells.append([line])
        else:
            cells[-1].append(line)
    return cells


def _span(cell: Sequence[Line]) -> Span:
    return cell[0].left, max(line.right for line in cell)


@dataclass(slots=True)
class _Table:
    """Columns, the rows found so far as lines with the numbers of their columns, and how many rows were taken."""

    columns: list[Span]
    column: int
    usual: float
    edges: Collection[float] = ()
    found: list[list[Placed]] = field(default_factory=list)
    taken: int = 0

    def add(self, row: Row, before: Row | None) -> None:
        """Take a row in: as one of its own, or as the rest of the cells that are wrapped in the one above."""
        placed = [(_column_of(_span(cell), self.columns), line) for cell in _cells_of(row, self.edges) for line in cell]
        if before is not None and self._is_rest(placed, row.top - before.top, row.size):
            self.found[-1] += placed
        else:
            self.found.append(placed)
        self.taken += 1

    def takes(self, row: Row, before: Row) -> bool:
        """Take a row below the table in if it is the rest of a cell that is wrapped in the last one."""
        span = (row.left, row.right)
        number = _column_of(span, self.columns)
        edge = self.columns[number + 1][0] if number + 1 < len(self.columns) else max(self.columns[number][1], row.left)
        is_within = number > 0 and self.columns[number - 1][1] < row.left + 1 and row.right <= edge + 1
        placed = [(number, line) for line in row.lines]
        if not is_within or not self._is_rest(placed, row.top - before.top, row.size):
            return False
        self.found[-1] += placed
        return True

    def _is_rest(self, placed: Sequence[Placed], step: float, size: float) -> bool:
        """Whether a row holds only the rest of cells that are wrapped in the row above."""
        above = {column for column, _ in self.found[-1]}
        here = {column for column, _ in placed}
        if 0 in here or step > _NEXT_LINE * size:
            return False
        if len(self.columns) == 2 and above == {0}:
            return True  # A long term and what it means, in the next line.
        if not here <= above:
            return False
        if len(self.found) == 1 and self._is_head(placed):
            return True
        if len(here) > max(1, len(self.columns) // 2):
            return False
        is_close = step < 0.95 * self.usual or len(here) < len(above)
        return is_close and any(character.isalpha() for _, line in placed for character in line.text)

    def _is_head(self, placed: Sequence[Placed]) -> bool:
        """Whether a row is the second line of bold column heads, which are set in one size."""
        size = self.found[0][0][1].size
        return all(line.is_bold and abs(line.size - size) < 0.5 for _, line in (*self.found[0], *placed))

    def as_rows(self) -> list[Row]:
        """The rows with their cells from left to right."""
        rows = []
        for placed in self.found:
            placed.sort(key=lambda cell: cell[0])
            row = Row([line for _, line in placed], self.column)
            row.cells = tuple(number for number, _ in placed)
            rows.append(row)
        return rows


def _table_of(rows: Sequence[Row], leaf: Leaf, region: Sequence[Row]) -> _Table | None:
    """The table at the beginning of some rows of a region, or None where there is none."""
    while len(rows) >= 2:
        table = _table_to_end(rows, leaf, region)
        if not isinstance(table, int):
            return table
        rows = rows[:table]
    return None


def _table_to_end(rows: Sequence[Row], leaf: Leaf, region: Sequence[Row]) -> _Table | int | None:
    """The table that some rows are, None where they are none, or the number of the row that ends it."""
    spans = [[_span(cell) for cell in _cells_of(row)] for row in rows]
    several = [row for row in spans if len(row) > 1]
    most = max(map(len, spans))
    size = rows[0].size
    if len(several) < _FEWEST_ROWS and not (len(several) == len(rows) == 2 and _is_plain(spans, most, size)):
        return None
    if len(several) < _FEWEST_CLEAR and _gap_between(several) < _WIDE_GAP * size:
        return None  # Running text with wide spaces.
    columns = _used(_merged(_columns(spans), spans), spans, size)
    across = next((number for number, row in enumerate(spans) if _is_across(row, columns)), None)
    if across is not None:
        return across
    if len(columns) < 2 or not _are_aligned(spans, columns, size, len(several)):
        return None
    if _are_formulas(rows) or (all(row.lines[-1].text.strip().isalnum() for row in rows) and _has_contents(region)):
        return None
    steps = [after.top - row.top for row, after in pairwise(rows)]
    edges = _left_edges(spans, columns, size)
    table = _Table(columns, rows[0].column, median(steps), frozenset(edges.values()))
    rows = [_with_full_cells_cut(row, columns, edges, leaf) for row in rows]
    for number, row in enumerate(rows):
        table.add(row, rows[number - 1] if number else None)
    return table


def _has_contents(rows: Sequence[Row]) -> bool:
    """Whether dots lead to numbers in several rows."""
    return sum(bool(_LEADERS.search(row.text)) for row in rows) >= _FEWEST_ROWS


def _left_edges(spans: Sequence[Sequence[Span]], columns: Sequence[Span], size: float) -> dict[int, float]:
    """Where columns begin whose cells begin at one place, by their numbers."""
    lefts: list[list[float]] = [[] for _ in columns]
    for row in spans:
        for span in row:
            lefts[_column_of(span, columns)].append(span[0])
    edges = {}
    for number, column in enumerate(lefts):
        middle = median_low(column) if len(column) >= _FEWEST_ROWS else 0.0
        if middle and sum(1 for left in column if abs(left - middle) < 0.2 * size) >= 0.7 * len(column):
            edges[number] = middle
    return edges


def _with_full_cells_cut(row: Row, columns: Sequence[Span], edges: Mapping[int, float], leaf: Leaf) -> Row:
    """A row that lacks one cell only, with the line cut that runs from the cell before it to its end."""
    cells = _cells_of(row)
    if len(columns) < _FEWEST_ROWS or len(cells) != len(columns) - 1:
        return row
    taken = {_column_of(_span(cell), columns) for cell in cells}
    for cell in cells:
        line = cell[-1]
        missing = _column_of(_span(cell), columns) + 1
        edge = edges.get(missing)
        if (
            edge is None
            or missing in taken
            or not line.left < edge - line.size < edge < line.right - _LEAST * line.size
        ):
            continue
        at, distance = word_at(line, edge)
        if at < 0 or distance > _NEAR * line.size:
            continue
        before = part_of(leaf, line, 0, at, line.left, round(edge - _SPACE * line.size, 1))
        after = part_of(leaf, line, at, len(line.text), edge, line.right)
        place = row.lines.index(line)
        return Row([*row.lines[:place], before, after, *row.lines[place + 1 :]], row.column)
    return row


def _is_plain(spans: Sequence[Sequence[Span]], most: int, size: float) -> bool:
    """Whether two rows are plainly a table: three cells, or two far apart that begin under one another."""
    if most > 2:
        return True
    first, second = spans
    are_under = all(abs(cell[0] - other[0]) < 0.3 * size for cell, other in zip(first, second, strict=True))
    return are_under and _gap_between(spans) > _PLAIN_GAP * size


def _gap_between(spans: Sequence[Sequence[Span]]) -> float:
    return median(after[0] - before[1] for row in spans for before, after in pairwise(row))


def _is_across(row: Sequence[Span], columns: Sequence[Span]) -> bool:
    """Whether a row is one line of text across the columns."""
    if len(row) > 1 or len(columns) < 2:
        return False
    left, right = row[0]
    covered = sum(1 for column in columns if column[0] < right - 1 and column[1] > left + 1)
    return covered > 1 and right - left > 0.5 * (columns[-1][1] - columns[0][0])


def _are_formulas(rows: Sequence[Row]) -> bool:
    lines = [line for row in rows for line in row.lines]
    return sum(1 for line in lines if _FORMULA.search(line.text)) > 0.25 * len(lines)


def _used(columns: list[Span], spans: Sequence[Sequence[Span]], size: float) -> list[Span]:
    """Columns that several rows have; what only one has is the end of the cell before it, if it stands close."""
    if len(spans) <= _FEWEST_ROWS:
        return columns
    count = [0] * len(columns)
    for row in spans:
        for span in row:
            count[_column_of(span, columns)] += 1
    used = columns[:1]
    for column, rows in zip(columns[1:], count[1:], strict=True):
        if rows == 1 and column[0] - used[-1][1] < _WIDE_GAP * size:
            used[-1] = (used[-1][0], column[1])
        else:
            used.append(column)
    return used


def _columns(spans: Sequence[Sequence[Span]]) -> list[Span]:
    """The columns: what cells cover, without those that span several cells of the fullest rows."""
    fullest = sorted(spans, key=len, reverse=True)[:_LOOKED_AT]
    most = len(fullest[0])
    single = [span for row in spans for span in row if len(row) == most or not _spans_several(span, fullest)]
    columns: list[Span] = []
    for left, right in sorted(single):
        if columns and left < columns[-1][1] - 0.5:
            columns[-1] = (columns[-1][0], max(columns[-1][1], right))
        else:
            columns.append((left, right))
    return columns


def _merged(columns: list[Span], spans: Sequence[Sequence[Span]]) -> list[Span]:
    """Neighbours put together that never have cells in one row: a heading in the middle, numbers at the right."""
    rows: list[set[int]] = [set() for _ in columns]
    for number, row in enumerate(spans):
        for span in row:
            rows[_column_of(span, columns)].add(number)
    merged: list[Span] = []
    taken: set[int] = set()
    for column, numbers in zip(columns, rows, strict=True):
        if merged and not taken & numbers:
            merged[-1] = (merged[-1][0], column[1])
            taken |= numbers
        else:
            merged.append(column)
            taken = numbers
    return merged


def _spans_several(span: Span, fullest: Sequence[Sequence[Span]]) -> bool:
    first, last = span[0] + 1, span[1] - 1
    across = sum(1 for row in fullest if sum(1 for left, right in row if left < last and right > first) > 1)
    return across > 0.25 * len(fullest) or sum(1 for left, right in fullest[0] if left < last and right > first) > 1


def _column_of(span: Span, columns: Sequence[Span]) -> int:
    for number, (left, right) in enumerate(columns):
        if left < span[1] - 0.5 and right > span[0] + 0.5:
            return number
    return min(range(len(columns)), key=lambda number: abs(columns[number][0] - span[0]))


def _are_aligned(spans: Sequence[Sequence[Span]], columns: Sequence[Span], size: float, several: int) -> bool:
    """Whether most columns have cells in several rows, under one another."""
    edges: list[list[Span]] = [[] for _ in columns]
    for row in spans:
        for span in row:
            edges[_column_of(span, columns)].append(span)
    used = [column for column in edges if len(column) >= min(_FEWEST_ROWS, several)]
    if len(used) < 2 or len(used) < 0.5 * len(columns):
        return False
    if len(used) == 2 and several < 0.6 * len(spans):
        return False
    aligned = sum(1 for column in used if _is_aligned(column, size))
    return aligned == len(used) if len(used) < 4 else aligned >= 0.75 * len(used)


def _is_aligned(column: Sequence[Span], size: float) -> bool:
    for edge in (
        [left for left, _ in column],
        [right for _, right in column],
        [(left + right) / 2 for left, right in column],
    ):
        middle = median(edge)
        if sum(1 for place in edge if abs(place - middle) <= _ALIGNED * size) >= 0.7 * len(edge):
            return True
    return False
