"""The order in which the lines of a leaf are read.

The place of a line decides, never its place in the file: lines are put into regions (`columns.py`), those of a region
that stand at one height into rows, rows that are aligned into tables (`tables.py`). All that in the leaf's reading
frame (`leaves.py`), so that Arabic, vertical Japanese and tables set sideways need no rules of their own.

What must stay true: every line of the leaf is in exactly one row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from readdesk.documents.pdf.beside import without_captions
from readdesk.documents.pdf.columns import Region, baseline_groups, regions_of
from readdesk.documents.pdf.leaves import Leaf, Line, Row
from readdesk.documents.pdf.parts import part_of
from readdesk.documents.pdf.tables import with_tables

_TOUCHING = 0.2
_UNDER = 0.9
_LARGE = 1.7
_SPACE = 0.5
_SPACES = "    "
_MOST_STACKED = 100
"""Lines printed over one another at one height, each a row, that another line may go on."""
_CELLS = re.compile(r"\S+(?: {1,3}\S+)*")


def in_reading_order(leaf: Leaf) -> list[Row]:
    """The rows of a leaf, column after column, lines across columns in their place."""
    regions, leaf.columns = regions_of([part for line in leaf.lines if line.is_level for part in _parts(leaf, line)])
    rows: list[Row] = []
    columns = len(regions)
    for number, region in enumerate(regions):
        found = _rows_in(region, number)
        captions = [] if region.is_side else without_captions(found)
        rows += found if region.is_side else with_tables(found, leaf)
        for caption in captions:
            caption.column, columns = columns, columns + 1
            rows.append(caption)
    return _with_turned(rows, [line for line in leaf.lines if not line.is_level])


def _parts(leaf: Leaf, line: Line) -> Iterable[Line]:
    """A line, in parts where a row of spaces stands for the white between two cells.

    Where the parts lie is guessed from how many characters they have; recognised text has spaces for no reason.
    """
    if _SPACES not in line.text or line.is_mono or line.is_hidden:
        return (line,)
    spaces = line.text.count(" ")
    unit = (line.right - line.left) / (len(line.text) - (1 - _SPACE) * spaces)
    parts: list[Line] = []
    for found in _CELLS.finditer(line.text):
        before = line.text[: found.start()]
        left = line.left + unit * (len(before) - (1 - _SPACE) * before.count(" "))
        right = left + unit * (len(found[0]) - (1 - _SPACE) * found[0].count(" "))
        parts.append(part_of(leaf, line, found.start(), found.end(), left, right))
    return parts


def _rows_in(region: Region, number: int) -> list[Row]:
    rows: list[Row] = []
    lines = sorted(region.lines, key=lambda line: (line.top, line.left))
    capitals = _capitals(lines)
    for group in baseline_groups([line for line in lines if line not in capitals] if capitals else lines):
        if len(group) == 1:
            rows.append(Row(group, number))
            continue
        group.sort(key=lambda line: (line.left, line.top, line.right))
        at = len(rows)
        for line in group:
            row = next((row for row in rows[max(at, len(rows) - _MOST_STACKED) :] if _follows(line, row)), None)
            if row is None:
                rows.append(Row([line], number))
            else:
                row.add(line)
    for capital in capitals:
        _put_before(capital, rows)
    for row in rows if region.is_side else ():
        row.is_side = True
    return rows


def _follows(line: Line, row: Row) -> bool:
    """Whether a line stands behind a row, or begins with an index that stands under the row's last exponent."""
    touching = _TOUCHING if line.right < row.right + line.size else _UNDER
    return line.left >= row.right - 1 - touching * line.size


def _capitals(lines: Sequence[Line]) -> list[Line]:
    """Large first letters that stand before several lines."""
    found = []
    for line in lines:
        if len(line.text.strip()) > 1 or not line.text.strip().isalpha():
            continue
        beside = [
            other
            for other in lines
            if line.top < (other.top + other.bottom) / 2 < line.bottom
            and -other.size < other.left - line.right < 2 * other.size
            and _LARGE * other.size < line.size
        ]
        if len(beside) >= 2:
            found.append(line)
    return found


def _put_before(capital: Line, rows: list[Row]) -> None:
    """Put a large first letter before the first of the lines beside it."""
    for number, row in enumerate(rows):
        if (row.top + row.bottom) / 2 > capital.top and row.left > capital.left:
            capped = Row([capital, *row.lines], row.column)
            # As the lines below see it: they all stand aside for the letter.
            capped.left, capped.top, capped.bottom, capped.is_capped = row.left, row.top, row.bottom, True
            rows[number] = capped
            return
    rows.append(Row([capital], rows[-1].column if rows else 0))


def _with_turned(rows: list[Row], turned: Sequence[Line]) -> list[Row]:
    """Turned lines behind the region in which they stand: labels of a figure never part a sentence."""
    for line in turned:
        middle = (line.top + line.bottom) / 2
        at, column = len(rows), rows[-1].column if rows else 0
        for number, row in enumerate(rows):
            is_last = number + 1 == len(rows) or rows[number + 1].column != row.column
            if is_last and row.bottom >= middle:
                at, column = number + 1, row.column
                break
        rows.insert(at, Row([line], column))
    return rows
