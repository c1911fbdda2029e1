"""Tables: rows whose cells stand under one another become rows of cells.

Neighbouring rows of several cells are a table when its columns are seen in nearly all of them: cells share their left
edge, their right edge or their middle. Columns are found from the rows with most cells; a heading over several columns
belongs to the first of them. A row that has nothing in the first column and little elsewhere is the rest of wrapped
cells above it. Entries of a list or of contents, numbered headings and code are none.

What must stay true: no line is lost; a line's column in `Row.cells` is counted from 0 in its table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from readdesk.documents.pdf.leaves import Line, Row

_LABEL = re.compile(r"\s*(?:[•‣▪◦●■–—*·]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxlc]+)[.):]|\[\d{1,3}\]|\d+(?:\.\d+)+\.?)\s*$")
_LEADERS = re.compile(r"(?:\s?[.·…]){4,}")
_GAP = 0.45
_WIDE_GAP = 1.2
_FEWEST_ROWS = 3
_ALIGNED = 0.6
_LOOKED_AT = 8
_NEXT_ROW = 3.5

Span = tuple[float, float]
"""Left and right edge."""

Placed = tuple[int, Line]
"""A line and the number of its column."""


def with_tables(rows: list[Row]) -> list[Row]:
    """The rows of a region, those of tables with their cells; wrapped cells are put together."""
    found: list[Row] = []
    at = 0
    while at < len(rows):
        end = _end_of_run(rows, at)
        table = _table_of(rows[at:end]) if end - at >= 2 else None
        if table is None:
            found.append(rows[at])
            at += 1
        else:
            found += table
            at = end
    return found


def _end_of_run(rows: Sequence[Row], at: int) -> int:
    """Where rows of several cells end; single cells between them belong to the run."""
    if not _has_cells(rows[at]):
        return at
    end = at + 1
    number = at + 1
    while number < len(rows) and number - end < 3:
        before, row = rows[number - 1], rows[number]
        if row.top - before.bottom > _NEXT_ROW * row.size:
            break
        if _has_cells(row):
            end = number + 1
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


def _cells_of(row: Row) -> list[list[Line]]:
    cells = [[row.lines[0]]]
    for line in row.lines[1:]:
        if line.left - cells[-1][-1].right > _GAP * line.size:
            cells.append([line])
        else:
            cells[-1].append(line)
    return cells


def _span(cell: Sequence[Line]) -> Span:
    return cell[0].left, max(line.right for line in cell)


def _table_of(rows: Sequence[Row]) -> list[Row] | None:
    """The rows of a table, or None where they are none."""
    cells = [_cells_of(row) for row in rows]
    spans = [[_span(cell) for cell in row] for row in cells]
    several = [row for row in spans if len(row) > 1]
    most = max(map(len, spans))
    if len(several) < _FEWEST_ROWS and not (most > 2 and len(several) == len(rows) == 2):
        return None
    columns = _merged(_columns(spans), spans)
    if len(columns) < 2 or not _are_aligned(spans, columns, rows[0].size, len(several)):
        return None
    placed = [[_column_of(span, columns) for span in row] for row in spans]
    return _joined(rows, cells, placed, len(columns))


def _columns(spans: Sequence[Sequence[Span]]) -> list[Span]:
    """The columns: what cells cover, without those that span several cells of the fullest rows."""
    fullest = sorted(spans, key=len, reverse=True)[:_LOOKED_AT]
    single = [span for row in spans for span in row if not _spans_several(span, fullest)]
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


def _joined(
    rows: Sequence[Row], cells: Sequence[Sequence[Sequence[Line]]], placed: Sequence[Sequence[int]], width: int
) -> list[Row]:
    """One row for each row of the table; the rest of wrapped cells goes behind what is above it."""
    steps = [after.top - row.top for row, after in pairwise(rows)]
    usual = median(steps) if steps else 0.0
    table: list[list[Placed]] = []
    for number, row in enumerate(rows):
        found = [(column, line) for cell, column in zip(cells[number], placed[number], strict=True) for line in cell]
        if number and _is_rest(table[-1], found, row.top - rows[number - 1].top, usual, row.size, width):
            table[-1] += found
        else:
            table.append(found)
    return [_row_of(found, rows[0].column) for found in table]


def _is_rest(
    above: Sequence[Placed],
    found: Sequence[Placed],
    step: float,
    usual: float,
    size: float,
    width: int,
) -> bool:
    """Whether a row holds only the rest of cells that are wrapped in the row above."""
    taken = {column for column, _ in above}
    here = {column for column, _ in found}
    if 0 in here or not here <= taken or len(here) > max(1, width // 2):
        return False
    return step <= 1.45 * size and (step < 0.95 * usual or len(here) < len(taken)) and not _are_numbers(found)


def _are_numbers(found: Sequence[Placed]) -> bool:
    return all(not any(character.isalpha() for character in line.text) for _, line in found)


def _row_of(found: list[Placed], column: int) -> Row:
    found.sort(key=lambda cell: cell[0])
    row = Row([line for _, line in found], column)
    row.cells = tuple(number for number, _ in found)
    return row
