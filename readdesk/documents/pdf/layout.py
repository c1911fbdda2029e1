"""The rows of a leaf, in reading order, become paragraphs.

A paragraph ends where the gap, the indentation, the size of letters or a short last line say so. What "short" means is
seen from the rows around: beside a figure, in a quotation and in a narrow column lines end elsewhere than on the rest
of the leaf. What is drawn beside the text (a note, a caption of a figure) is a paragraph of its own kind.

What must stay true: no line is lost and none is read twice; every character maps to its line on its leaf.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median, median_low

from readdesk.documents.model import Kind
from readdesk.documents.pdf.captions import (
    has_leaders,
    is_bullet,
    is_finished,
    is_numbered,
)
from readdesk.documents.pdf.joining import is_cjk, is_hyphenated
from readdesk.documents.pdf.kinds import believed, kind_of
from readdesk.documents.pdf.leaves import Leaf, Measures, Row

_SMALL = 0.93
_MOST_FEET = 8
_INDENT = 0.6
_FAR = 3.0
_SAME_EDGE = 0.6
_STRIP = 3
_NARROWEST = 9
_FEWEST_ROWS = 8
_FULL = 7
_NO_ROOM = 0.5
_ALMOST = 2.0
_WIDEST_LABEL = 0.6
_SIGNS = "=∈⊆≤≥→⇒"
_ENDS_PROOF = ("■", "□", "∎", "◻")
_LONG = 18


@dataclass(slots=True)
class Block:
    """A paragraph being put together: rows, possibly of two leaves."""

    kind: Kind
    rows: list[tuple[int, Row]] = field(default_factory=list)
    room: float = 0.0
    """How far the last row ends before the edge of its column, in units of its font size."""
    is_label: bool = False
    """Whether it is a bit of a figure: short words set apart above a caption."""

    @property
    def first(self) -> Row:
        """The first row."""
        return self.rows[0][1]

    @property
    def last(self) -> Row:
        """The last row."""
        return self.rows[-1][1]

    @property
    def is_unfinished(self) -> bool:
        """Whether its last sentence goes on."""
        return self.kind in ("text", "item") and not is_finished(self.last.text)

    @property
    def may_go_on(self) -> bool:
        """Whether its last sentence goes on, or its last row is full so that only what follows can tell."""
        return self.is_unfinished or (self.kind == "text" and self.room <= _NO_ROOM and self.is_indented)

    @property
    def is_indented(self) -> bool:
        """Whether its first row starts behind the others."""
        shift = self.first.left - self.rows[1][1].left if len(self.rows) > 1 else 0.0
        return _INDENT * self.first.size < shift < _FAR * self.first.size

    @property
    def is_unindented(self) -> bool:
        """Whether its first row starts where the others do."""
        return len(self.rows) < 2 or self.first.left <= self.rows[1][1].left + 0.5 * self.first.size


@dataclass(slots=True)
class _Column:
    """How the text of one region is set: its edges, its usual step in units of the font size, each row's own edge."""

    left: float
    right: float
    leading: float
    edges: list[float]
    rows: Sequence[Row] = ()
    are_entries: bool = False
    """Whether its rows are the entries of an index: words, then numbers."""


def blocks_of(leaf: Leaf, rows: Sequence[Row], measures: Measures) -> list[Block]:
    """The paragraphs of a leaf, in order."""
    columns = _columns(leaf, rows, measures)
    kinds = [kind_of(row, leaf, measures) for row in rows]
    blocks: list[Block] = []
    at: defaultdict[int, int] = defaultdict(int)
    for number, row in enumerate(rows):
        column = columns[row.column]
        place = at[row.column]
        at[row.column] += 1
        following = rows[number + 1] if number + 1 < len(rows) and rows[number + 1].column == row.column else None
        kind = believed(kinds, rows, number, column.leading)
        room = (column.edges[place] - row.right) / max(row.size, 1.0)
        if blocks and _belongs(blocks[-1], row, following, kind, column, place):
            blocks[-1].rows.append((leaf.index, row))
            blocks[-1].room = room
            continue
        if kind == "text" and is_numbered(row.text) and not _leads_to_number(row):
            kind = "item"
        blocks.append(Block(kind, [(leaf.index, row)], room))
    _find_feet(blocks, leaf, measures)
    _find_labels(blocks, columns)
    return blocks


def _find_feet(blocks: Sequence[Block], leaf: Leaf, measures: Measures) -> None:
    """Small text at the foot of a column is a note, also without a mark, if it stands under text of the usual size."""
    if not blocks:
        return
    for last in {block.first.column: number for number, block in enumerate(blocks)}.values():
        column, first = blocks[last].first.column, last + 1
        while first and blocks[first - 1].first.column == column and _is_small(blocks[first - 1], leaf, measures):
            first -= 1
        above = blocks[first - 1] if 0 < first <= last else None
        if not above or above.first.column != column or above.kind not in ("text", "item", "note"):
            continue
        feet = blocks[first : last + 1]
        if above.last.size > _SMALL * measures.body and len(above.last.text) > 20 and len(feet) <= _MOST_FEET:
            for block in feet:
                block.kind = "note"


def _is_small(block: Block, leaf: Leaf, measures: Measures) -> bool:
    row = block.first
    is_low = row.size <= _SMALL * measures.body and row.top > 0.5 * leaf.height
    return is_low and (block.kind == "note" or (block.kind == "text" and not has_leaders(row.text)))


def _find_labels(blocks: Sequence[Block], columns: Mapping[int, _Column]) -> None:
    """What stands in a figure: words by themselves, small or away from the edge, from a caption upwards."""
    for number, block in enumerate(blocks):
        at = number - 1
        while block.kind == "caption" and at >= 0 and _is_label(blocks[at], block, columns):
            blocks[at].is_label = True
            at -= 1


def _is_label(block: Block, caption: Block, columns: Mapping[int, _Column]) -> bool:
    if block.kind not in ("text", "item") or block.first.column != caption.first.column:
        return False
    column = columns[block.first.column]
    for _, row in block.rows:
        covered = sum([line.right - line.left for line in row.lines])
        is_apart = row.size < _SMALL * caption.first.size or row.left > column.left + row.size
        if not is_apart or covered > _WIDEST_LABEL * (column.right - column.left):
            return False
    return not _is_formula(block)


def _is_formula(block: Block) -> bool:
    return any(sign in row.text for _, row in block.rows for sign in _SIGNS)


# -- how a column is set -----------------------------------------------------------------------------------------


def _columns(leaf: Leaf, rows: Sequence[Row], measures: Measures) -> dict[int, _Column]:
    by_column: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        by_column[row.column].append(row)
    leading = _leading(rows, measures.right) if len(by_column) > 1 or len(rows) <= _FEWEST_ROWS else 0.0
    columns = {}
    for number, found in by_column.items():
        level = [row for row in found if row.is_level] or found
        lefts, rights = sorted(row.left for row in level), sorted(row.right for row in level)
        right = rights[int(0.9 * (len(rights) - 1))]
        if leaf.columns == 1 and not found[0].is_side:
            right = max(right, measures.right)
        columns[number] = _Column(
            lefts[len(lefts) // 10],
            right,
            _leading(found, right) if len(found) > _FEWEST_ROWS else leading,
            _edges(found, right),
            found,
            _are_entries(found),
        )
    return columns


def _are_entries(rows: Sequence[Row]) -> bool:
    if len(rows) <= _FEWEST_ROWS:
        return False
    entries = [row for row in rows if row.text[-1:].isdigit() and not row.text[:1].isdigit()]
    return len(entries) >= 0.6 * len(rows)


def _leading(rows: Sequence[Row], right: float) -> float:
    """The usual distance from one line to the next, in units of the font size; full lines tell it best."""
    usual, below_full = [], []
    for row, after in pairwise(rows):
        step = _step(row, after) / row.size if row.size and row.column == after.column else 0.0
        if 0.8 < step < 2.2:
            usual.append(step)
            if row.right > right - _ALMOST * row.size and not is_finished(row.text):
                below_full.append(step)
    if not usual:
        return 1.2
    if len(below_full) > 1:
        return median_low(below_full)
    return min([*below_full, median(usual)])


def _step(row: Row, after: Row) -> float:
    """How far a row is below another."""
    above, below = row.main.baseline, after.main.baseline
    return after.bottom - row.bottom if above is None or below is None else below - above


def _edges(rows: Sequence[Row], right: float) -> list[float]:
    """Where the lines around each row end: several that end at one place show an edge of their own."""
    edges = [right] * len(rows)
    run = 1
    for number in range(1, len(rows) + 1):
        row = rows[number - 1]
        slack = _SAME_EDGE * row.size
        if number < len(rows) and abs(rows[number].right - row.right) <= slack:
            run += 1
            continue
        if run >= _STRIP and row.right < right - 2 * slack and row.right - row.left > _NARROWEST * row.size:
            first = number - run
            edge = max(rows[at].right for at in range(first, number))
            for at in range(first, number):
                edges[at] = edge
            for at in (first - 1, number):
                # The last line of a paragraph and the first below a figure end short of it, or at it.
                if 0 <= at < len(rows) and rows[at].right < edge and abs(rows[at].left - row.left) < 2 * row.size:
                    edges[at] = edge
        run = 1
    return edges


# -- where paragraphs end ----------------------------------------------------------------------------------------


def _belongs(block: Block, row: Row, following: Row | None, kind: Kind, column: _Column, place: int) -> bool:
    """Whether a row continues the paragraph above it."""
    last = block.last
    size = max(last.size, 1.0)
    if not (last.is_level and row.is_level):
        return last.is_level == row.is_level and last.main.block == row.main.block
    step = _step(last, row) / size
    if kind == "code" and block.kind == "code":
        return -0.2 < step < 2.2 * max(column.leading, 1.0)
    if last.column != row.column or "table" in (kind, block.kind) or "code" in (kind, block.kind):
        return False
    if not -0.2 < step <= column.leading * 1.25 + 0.12:
        return False
    if kind == "heading" or block.kind == "heading":
        return kind == block.kind and abs(row.size - last.size) < 0.5 and row.is_bold == last.is_bold
    if kind == "caption" or (kind in ("item", "note") and kind != block.kind):
        return False
    if abs(row.size - last.size) > 0.15 * size or kind == "item" or (kind == "note" and not row.is_side):
        return False
    if block.kind == "caption":
        return not is_finished(last.text) or last.right > column.edges[place - 1] - 2 * size
    return not _ends_here(block, row, following, column, column.edges[place - 1] if place else column.right)


def _ends_here(block: Block, row: Row, following: Row | None, column: _Column, edge: float) -> bool:
    """Whether indentation or a short last line says that the paragraph above is over."""
    last = block.last
    em = max(row.size, 1.0)
    room = edge - last.right - em * _first_width(row.text)
    if (
        last.text.endswith(_ENDS_PROOF)
        or _leads_to_number(last)
        or (is_numbered(row.text) and _is_next_entry(block, row, room))
    ):
        return True
    if is_hyphenated(last.text):
        return False
    if column.are_entries:
        return not last.text.endswith((",", ";", "–"))
    is_short = room > 1.5 * em
    is_over = is_finished(last.text)
    shift = row.left - last.left
    if abs(shift) > _FAR * em and not is_short and (not is_over or _is_plain(row, following, column)):
        return False  # The text steps aside for a figure, or back under it.
    if len(block.rows) == 1 and abs(shift) > _INDENT * em:
        is_hanging = (is_bullet(last.text) or is_numbered(last.text)) and shift > 0
        continues_indent = following is not None and abs(following.left - row.left) < 0.3 * em
        if shift < 0 or is_hanging or (continues_indent and not is_short):
            return is_short and is_over
        return True
    if abs(shift) > _INDENT * em:
        return not (block.first.is_capped and shift < 0 and not is_short)
    if not is_over and abs(shift) < 0.3 * em and last.right - last.left > _LONG * em and _goes_on(last.text, row.text):
        return False  # Two lines in a narrow box show no edge of their own.
    return is_short and (is_over or room > 6 * em or last.left > column.left + 2 * em)


def _is_plain(row: Row, following: Row | None, column: _Column) -> bool:
    """Whether a row has no indent where other paragraphs of its column begin with one."""
    if following is None or abs(following.left - row.left) > 0.3 * row.size:
        return False
    return any(
        _INDENT * first.size < first.left - column.left < _FAR * first.size
        and is_finished(before.text)
        and abs(after.left - column.left) < 0.3 * first.size
        for before, first, after in zip(column.rows, column.rows[1:], column.rows[2:], strict=False)
    )


def _is_next_entry(block: Block, row: Row, room: float) -> bool:
    """Whether a number at the beginning of a row is that of an entry: it stands where the others do."""
    if is_numbered(block.first.text):
        return abs(row.left - block.first.left) < 0.5 * row.size or row.left < block.first.left
    return room > 0


def _first_width(text: str) -> float:
    """How much room the first word of a line takes with the space before it, in units of the font size."""
    words = text.split(maxsplit=1)
    return 2.0 if not words or is_cjk(words[0][0]) else 0.5 * (len(words[0]) + 1)


def _leads_to_number(row: Row) -> bool:
    """Whether a row is an entry of contents: dots or a wide gap lead to a number."""
    if len(row.lines) > 1:
        number, before = row.lines[-1], row.lines[-2]
        if number.left - before.right > _FAR * number.size and number.text.strip().isdigit():
            return True
    return has_leaders(row.text)


def _goes_on(last: str, text: str) -> bool:
    """Whether a line plainly goes on in the next one."""
    return text[:1].islower() or (is_cjk(last[-1:]) and is_cjk(text[:1]))


def goes_on_in(block: Block, other: Block) -> bool:
    """Whether a block of the next column or leaf continues a paragraph."""
    last, first = block.last, other.first
    if not block.may_go_on or other.kind != "text" or abs(last.size - first.size) > 0.06 * last.size:
        return False
    if other.is_label:
        return False
    if not block.is_unfinished:
        # Paragraphs begin with an indent here, and this one does not.
        return len(other.rows) > 1 and abs(first.left - other.rows[1][1].left) < 0.3 * first.size
    start = first.text.lstrip()
    if is_bullet(start) or has_leaders(last.text) or (_is_entry(block) and _is_entry(other)):
        return False
    if block.kind == "item" and first.left < block.first.left + 0.3 * first.size:
        return False
    if start[:1].islower() or is_hyphenated(last.text):
        return True
    if block.kind != "text" or block.room > _FULL or len(last.text) <= 30 or is_numbered(start) or start.isdigit():
        return False
    return is_cjk(start[:1]) or other.is_unindented


def _is_entry(block: Block) -> bool:
    """Whether a paragraph is one row that ends with a number, as the entries of an index do."""
    return len(block.rows) == 1 and block.last.text[-1:].isdigit()
