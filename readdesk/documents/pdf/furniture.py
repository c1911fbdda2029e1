"""Running heads, footers and page numbers: what is printed on leaf after leaf and is no part of the text.

A row at the upper or lower edge is furniture when it stands at the same height on at least three leaves near one
another with the same text, digits and roman numbers masked. Where most leaves have furniture at one height, a row
standing alone there is furniture too (the head of a short chapter). Rows are taken from the edge inwards and the
first that is none ends it, so that a line of text is never taken from under a real first line; white space must part
them from the text, and what is set larger than the text ("Chapter 3") is a heading.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from readdesk.documents.model import Furniture, FurnitureKind
from readdesk.documents.normal import normal
from readdesk.documents.pdf.leaves import Leaf, Line, Measures, Row, rows_of

_FEWEST_LEAVES = 3
_NEAR = 8
_EDGE = 0.14
_LOOKED_AT = 0.25
_MOST_ROWS = 3
_LARGEST = 1.1
_GAP = 0.35
_GAP_IN_SLOT = 0.9
_LONGEST_NUMBER = 14
_LONGEST_IN_SLOT = 100
_NUMBERS = re.compile(r"\d+|\b[ivxlcdm]+\b")

Key = tuple[str, str, int]
"""Edge ("top", "bottom"), masked text, height in steps of three points."""

Slot = tuple[str, int, int, bool]
"""Edge, height in steps of three points, size in points, bold: where and how a document prints its furniture."""


def take_furniture(leaves: Sequence[Leaf], measures: Measures) -> None:
    """Take the furniture out of the lines of each leaf, and keep it beside them."""
    for index, starts in _furniture_of(leaves, measures).items():
        leaf = leaves[index]
        for line in leaf.lines:
            if line.start in starts:
                kind: FurnitureKind = "head" if line.bottom < 0.5 * leaf.height else "foot"
                leaf.furniture.append(Furniture(kind, line.text.strip(), line.rectangle))
        leaf.lines = [line for line in leaf.lines if line.start not in starts]


def _furniture_of(leaves: Sequence[Leaf], measures: Measures) -> dict[int, set[int]]:
    """The furniture of each leaf, as `Line.start` numbers; only leaves that have some."""
    edges = {leaf.index: _edge_rows(leaf) for leaf in leaves}
    seen: defaultdict[Key, set[int]] = defaultdict(set)
    for index, rows in edges.items():
        for edge, row in rows:
            for key in _keys(edge, row):
                seen[key].add(index)
    repeated = {key for key, indexes in seen.items() if _is_regular(sorted(indexes), len(leaves))}
    slots = _slots(edges, repeated, len(leaves))
    found: dict[int, set[int]] = {}
    for index, rows in edges.items():
        starts: set[int] = set()
        for edge in ("top", "bottom"):
            starts |= _take(edge, [row for at, row in rows if at == edge], repeated, slots, leaves[index], measures)
        if starts:
            found[index] = starts
    return found


def _is_regular(indexes: Sequence[int], leaves: int) -> bool:
    """Whether some text is on three leaves near one another: "Remark 4" now and then at the top of a leaf is not."""
    runs = zip(indexes, indexes[_FEWEST_LEAVES - 1 :], strict=False)
    return any(last - first <= _NEAR for first, last in runs) or len(indexes) > max(_FEWEST_LEAVES, 0.25 * leaves)


def _edge_rows(leaf: Leaf) -> list[tuple[str, Row]]:
    """The outermost rows at both edges, from the edge inwards."""
    level = [line for line in leaf.lines if line.is_level]
    top = sorted((line for line in level if line.bottom <= _LOOKED_AT * leaf.height), key=_from_top)
    bottom = sorted((line for line in level if line.top >= (1 - _LOOKED_AT) * leaf.height), key=_from_top)
    rows = [("top", row) for row in rows_of(_by_baseline(top))[: _MOST_ROWS + 1]]
    return rows + [("bottom", row) for row in reversed(rows_of(_by_baseline(bottom))[-_MOST_ROWS - 1 :])]


def _from_top(line: Line) -> tuple[float, float]:
    return line.top, line.left


def _by_baseline(lines: Iterable[Line]) -> list[Line]:
    """From top to bottom, and within one baseline from left to right."""
    ordered: list[list[Line]] = []
    for line in lines:
        if ordered and line.top < (ordered[-1][0].top + ordered[-1][0].bottom) / 2:
            ordered[-1].append(line)
        else:
            ordered.append([line])
    return [line for group in ordered for line in sorted(group, key=lambda line: line.left)]


def _masked(row: Row) -> str:
    return _NUMBERS.sub("#", normal(row.text))


def _keys(edge: str, row: Row) -> Iterable[Key]:
    text = _masked(row)
    if not any(character.isalpha() for character in text) and len(row.text) > _LONGEST_NUMBER:
        return ()  # A line of a table of numbers looks like any other.
    step = round(row.top / 3)
    return ((edge, text, step + shift) for shift in (-1, 0, 1))


def _slots(edges: dict[int, list[tuple[str, Row]]], repeated: set[Key], leaves: int) -> set[Slot]:
    """Heights at which most leaves have furniture."""
    count: defaultdict[Slot, set[int]] = defaultdict(set)
    for index, rows in edges.items():
        for edge, row in rows:
            if (edge, _masked(row), round(row.top / 3)) in repeated:
                count[_slot(edge, row)].add(index)
    return {slot for slot, indexes in count.items() if len(indexes) >= max(_FEWEST_LEAVES, 0.4 * leaves)}


def _slot(edge: str, row: Row) -> Slot:
    return edge, round(row.top / 3), round(row.size), row.is_bold


def _take(
    edge: str, rows: Sequence[Row], repeated: set[Key], slots: set[Slot], leaf: Leaf, measures: Measures
) -> set[int]:
    """The lines of an edge's furniture: rows from the edge inwards, as far as white space parts them from the text."""
    taken = 0
    for number, row in enumerate(rows[:_MOST_ROWS]):
        step = round(row.top / 3)
        is_known = (edge, _masked(row), step) in repeated
        is_in_slot = _slot(edge, row) in slots and len(row.text) < _LONGEST_IN_SLOT and not row.is_mono
        if not (is_known or is_in_slot) or row.size > _LARGEST * measures.body or not _is_at_edge(edge, row, leaf):
            break
        inner = rows[number + 1] if number + 1 < len(rows) else None
        if (
            inner is None
            or max(inner.top - row.bottom, row.top - inner.bottom) > (_GAP if is_known else _GAP_IN_SLOT) * row.size
        ):
            taken = number + 1
    return {line.start for row in rows[:taken] for line in row.lines}


def _is_at_edge(edge: str, row: Row, leaf: Leaf) -> bool:
    return row.bottom <= _EDGE * leaf.height if edge == "top" else row.top >= (1 - _EDGE) * leaf.height
