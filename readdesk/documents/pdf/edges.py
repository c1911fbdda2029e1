"""The rows at the upper and lower edge of a leaf, among which its running heads, feet and page numbers are.

Rows are told from the edge inwards with their distance from it, so that leaves of different sizes compare. On a leaf
whose reading frame is turned (a table set sideways) the edges of the drawn leaf are looked at as well: its head stands
there as on every other leaf. Recognised text is misread here and there, so texts also compare by pairs of letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from readdesk.documents.normal import normal
from readdesk.documents.numbering import Numeral
from readdesk.documents.pdf.leaves import Leaf, Line, Row, rows_of
from readdesk.documents.pdf.numbers import lone_number, numbers_in

Edge = Literal["top", "bottom"]

_LOOKED_AT = 0.25
_ROWS = 4
_STEP = 3.0
_STEP_RECOGNISED = 12.0
_LONGEST_NUMBER = 14
_ALIKE = 0.6
_FEWEST_PAIRS = 6
_NUMBERS = re.compile(r"\d+|\b[ivxlcdm]+\b")


@dataclass(slots=True)
class EdgeRow:
    """A row near an edge: its distance from it (points; `step` is that in coarse steps) and what it says.

    `masked` is its text with every number made "#"; `height` is that of the leaf it stands on; `gap` is the white
    space between it and the next row inwards, in its own font size. Only recognised text is misread.
    """

    edge: Edge
    row: Row
    height: float
    step: int
    text: str
    masked: str
    numbers: list[Numeral]
    is_recognised: bool = False
    gap: float = 99.0
    pairs: frozenset[str] = field(default=frozenset())

    @property
    def distance(self) -> float:
        """How far its farther side is from the edge, as a share of the leaf's height."""
        return (self.row.bottom if self.edge == "top" else self.height - self.row.top) / max(self.height, 1.0)

    @property
    def is_number(self) -> bool:
        """Whether it holds nothing but page numbers."""
        return bool(self.numbers) and all(lone_number(line.text.strip()) for line in self.row.lines)

    @property
    def is_comparable(self) -> bool:
        """Whether its text tells it from others: a row of a table of numbers looks like any other."""
        return any(map(str.isalpha, self.masked)) or len(self.text) <= _LONGEST_NUMBER

    def is_like(self, other: EdgeRow) -> bool:
        """Whether both say the same but for misread letters, at about the same height."""
        mine, theirs = self._pairs(), other._pairs()
        total = len(mine) + len(theirs)
        if min(len(mine), len(theirs)) < _FEWEST_PAIRS or abs(self.step - other.step) > 2:
            return False
        return 2 * len(mine & theirs) >= _ALIKE * total

    def _pairs(self) -> frozenset[str]:
        if not self.pairs:
            letters = "".join(filter(str.isalpha, self.masked))
            self.pairs = frozenset(first + second for first, second in pairwise(letters)) or frozenset(" ")
        return self.pairs


def edge_rows(leaf: Leaf) -> list[EdgeRow]:
    """The outermost rows at both edges, from the edge inwards."""
    is_recognised = leaf.kind == "ocr" or any(line.is_hidden for line in leaf.lines)
    step = _STEP_RECOGNISED if is_recognised else _STEP
    rows = _rows([line for line in leaf.lines if line.is_level], leaf.height, step)
    if leaf.turn in (90, 270):
        drawn = [_as_drawn(line) for line in leaf.lines if not line.is_level]
        rows = _rows(drawn, leaf.width, step) + rows
    return rows


def _as_drawn(line: Line) -> Line:
    left, top, right, bottom = line.rectangle
    return replace(line, left=left, top=top, right=right, bottom=bottom, is_level=True)


def _rows(lines: Sequence[Line], height: float, step: float) -> list[EdgeRow]:
    reach = _LOOKED_AT * height
    top = rows_of(_by_baseline(line for line in lines if line.bottom <= reach))[:_ROWS]
    bottom = rows_of(_by_baseline(line for line in lines if line.top >= height - reach))[-_ROWS:][::-1]
    return [
        *(_edge_row("top", row, height, step) for row in _with_gaps(top)),
        *(_edge_row("bottom", row, height, step) for row in _with_gaps(bottom)),
    ]


def _with_gaps(rows: Sequence[Row]) -> Iterable[tuple[Row, float]]:
    for number, row in enumerate(rows):
        inner = rows[number + 1] if number + 1 < len(rows) else None
        space = max(inner.top - row.bottom, row.top - inner.bottom) if inner else 99.0
        yield row, space / max(row.size, 1.0)


def _edge_row(edge: Edge, found: tuple[Row, float], height: float, step: float) -> EdgeRow:
    row, gap = found
    text = " ".join(row.text.split())
    distance = row.top if edge == "top" else height - row.bottom
    is_recognised = step == _STEP_RECOGNISED
    return EdgeRow(
        edge, row, height, round(distance / step), text, masked(text), _numbers(row, text), is_recognised, gap
    )


def _numbers(row: Row, text: str) -> list[Numeral]:
    if len(row.lines) == 1:
        return numbers_in(text)
    cells = [lone_number(line.text.strip()) for line in row.lines]
    return [number for number in cells if number] or numbers_in(text)


def masked(text: str) -> str:
    """The text as it is compared, every number made the same."""
    return _NUMBERS.sub("#", text.lower() if text.isascii() else normal(text))


def _by_baseline(lines: Iterable[Line]) -> list[Line]:
    """From top to bottom, and within one baseline from left to right."""
    ordered: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.top, line.left)):
        if ordered and line.top < (ordered[-1][0].top + ordered[-1][0].bottom) / 2:
            ordered[-1].append(line)
        else:
            ordered.append([line])
    return [line for group in ordered for line in sorted(group, key=lambda line: line.left)]
