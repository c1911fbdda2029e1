"""The lines of a leaf become paragraphs in reading order.

Lines of a leaf with two columns are read column by column between the lines that cross both (title, figure, footnote);
a leaf with one column keeps the order of the file. A paragraph ends where the gap, the indentation, the size of letters
or a short last line say so. Simple on purpose: tables, side notes and formulas come later.

What must stay true: no line is lost and none is read twice; every character maps to its line on its leaf.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import cast

from readdesk.documents.draft import Draft, TextBuilder
from readdesk.documents.health import is_unusable
from readdesk.documents.model import Kind, LeafSpot, Rectangle
from readdesk.documents.pdf.leaves import Leaf, Measures, Row, keeps_hyphen
from readdesk.documents.pdf.order import gaps_in

_BULLET = re.compile(r"\s*[•‣▪◦●■–—*·]\s|\s*[•‣▪◦●■]")
_NUMBERED = re.compile(r"\s*(?:\(?\d{1,3}[.)]|\(?[a-z][.)]|\[\d{1,3}\])\s")
_LEADERS = re.compile(r"(?:\s?[.·…]){4,}\s*\S{0,8}$")
_LEADER = re.compile(r"(?:\s*[.·…]){5,}\s*")
_NOTE_MARK = re.compile(r"\s*(?:\d{1,3}|[*†‡§¶])\s*\S")
_LAST_WORD = re.compile(r"([^\W\d_]+(?:[-‐][^\W\d_]+)*)[-‐\u00ad]\s*$")
_FIRST_WORD = re.compile(r"\s*([^\W_]+)")
_FINISHED = re.compile(r"[.!?:;。！？…][\"'”’»)\]」』]*$")
_CJK = re.compile(r"[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]")


# -- paragraphs --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Block:
    """A paragraph being put together: rows, possibly of two leaves."""

    kind: Kind
    rows: list[tuple[int, Row]] = field(default_factory=list)

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
        return self.kind == "text" and not _FINISHED.search(self.last.text.rstrip())

    def goes_on_in(self, other: Block) -> bool:
        """Whether a block of the next column or leaf continues this one."""
        if not self.is_unfinished or other.kind != "text" or abs(self.last.size - other.first.size) > 0.6:
            return False
        start = other.first.text.lstrip()
        if _BULLET.match(start) or _LEADERS.search(self.last.text):
            return False
        return (
            start[:1].islower()
            or bool(_LAST_WORD.search(self.last.text))
            or (len(self.last.text) > 40 and not start[:1].isdigit() and bool(_CJK.match(start) or other.is_unindented))
        )

    @property
    def is_unindented(self) -> bool:
        """Whether its first row starts where the others do."""
        return len(self.rows) < 2 or self.first.left <= self.rows[1][1].left + 0.5 * self.first.size


def blocks_of(leaf: Leaf, rows: Sequence[Row], measures: Measures) -> list[Block]:
    """The paragraphs of a leaf, in order; one that goes on in the next column is one."""
    margins = _margins(rows, measures)
    leading = _leading(rows)
    blocks: list[Block] = []
    for number, row in enumerate(rows):
        kind = _kind_of(row, leaf, measures)
        following = rows[number + 1] if number + 1 < len(rows) else None
        if (
            blocks
            and blocks[-1].last.column == row.column
            and _belongs(blocks[-1], row, following, kind, margins, leading)
        ):
            blocks[-1].rows.append((leaf.index, row))
            continue
        block = Block(kind, [(leaf.index, row)])
        blocks.append(block)
    return _joined_over_columns(blocks)


def _joined_over_columns(blocks: Sequence[Block]) -> list[Block]:
    joined: list[Block] = []
    for block in blocks:
        before = joined[-1] if joined else None
        if before and 0 != before.last.column != block.first.column != 0 and before.goes_on_in(block):
            before.rows += block.rows
        else:
            joined.append(block)
    return joined


def _kind_of(row: Row, leaf: Leaf, measures: Measures) -> Kind:
    letters = sum(character.isalpha() for character in row.text)
    if row.is_mono:
        return "code"
    if row.size >= 1.12 * measures.body and letters >= 2 and len(row.text) < 200:
        return "heading"
    if row.is_bold and letters >= 3 and len(row.text) < 90 and row.size >= 0.98 * measures.body:
        return "heading"
    if len(row.lines) > 2 and gaps_in(row) >= 2:
        return "table"
    if row.size <= 0.9 * measures.body and row.top > 0.55 * leaf.height and _NOTE_MARK.match(row.text):
        return "note"
    return "item" if _BULLET.match(row.text) else "text"


def _margins(rows: Sequence[Row], measures: Measures) -> dict[int, tuple[float, float]]:
    """The left and right edge of each column's text."""
    margins = {}
    for column in {row.column for row in rows}:
        level = [row for row in rows if row.column == column and row.is_level] or list(rows)
        lefts, rights = sorted(row.left for row in level), sorted(row.right for row in level)
        right = rights[int(0.9 * (len(rights) - 1))]
        margins[column] = (lefts[len(lefts) // 10], max(right, measures.right) if not column else right)
    return margins


def _leading(rows: Sequence[Row]) -> float:
    """The usual distance from one line to the next, in units of the font size."""
    pairs = pairwise(rows)
    steps = [(after.bottom - row.bottom) / row.size for row, after in pairs if row.size and row.column == after.column]
    usual = [step for step in steps if 0.8 < step < 2.2]
    return median(usual) if usual else 1.2


def _belongs(
    block: Block,
    row: Row,
    following: Row | None,
    kind: Kind,
    margins: dict[int, tuple[float, float]],
    leading: float,
) -> bool:
    """Whether a row continues the paragraph above it."""
    last = block.last
    size = max(last.size, 1.0)
    if not (last.is_level and row.is_level):
        return last.is_level == row.is_level and last.main.block == row.main.block
    step = (row.bottom - last.bottom) / size
    if kind == "code" or block.kind == "code":
        return kind == block.kind and -0.2 < step < 2.2 * max(leading, 1.0)
    if not -0.2 < step <= leading * 1.25 + 0.12 or kind == "table" or block.kind == "table":
        return False
    if kind == "heading" or block.kind == "heading":
        return kind == block.kind and abs(row.size - last.size) < 0.5 and row.is_bold == last.is_bold
    if abs(row.size - last.size) > 0.15 * size or kind in ("item", "note"):
        return False
    return not _ends_here(block, row, following, margins[row.column])


def _ends_here(block: Block, row: Row, following: Row | None, margin: tuple[float, float]) -> bool:
    """Whether indentation or a short last line says that the paragraph above is over."""
    last, (left, right) = block.last, margin
    em = max(row.size, 1.0)
    first_word = row.text.split(maxsplit=1)[0] if row.text.split() else ""
    room = right - last.right - 0.5 * em * (len(first_word) + 1)
    if _LEADERS.search(last.text) or (_NUMBERED.match(row.text) and (room > 0 or _NUMBERED.match(block.first.text))):
        return True
    if _LAST_WORD.search(last.text):
        return False
    is_short = room > 1.5 * em
    shift = row.left - last.left
    if len(block.rows) == 1 and abs(shift) > 0.6 * em:
        is_hanging = bool(_BULLET.match(last.text) or _NUMBERED.match(last.text)) and shift > 0
        continues_indent = following is not None and abs(following.left - row.left) < 0.3 * em
        if shift < 0 or is_hanging or (continues_indent and not is_short):
            return is_short and bool(_FINISHED.search(last.text.rstrip()))
        return True
    if abs(shift) > 0.6 * em:
        return True
    return is_short and (bool(_FINISHED.search(last.text.rstrip())) or room > 6 * em or last.left > left + 2 * em)


# -- text --------------------------------------------------------------------------------------------------------


def draft_of(block: Block, measures: Measures) -> Draft | None:
    """A paragraph's text, hyphens at line ends joined, with the leaf, span and rectangle of each line."""
    builder = TextBuilder()
    left = min(row.left for _, row in block.rows)
    for number, (leaf, row) in enumerate(block.rows):
        if number:
            _join(builder, block, block.rows[number - 1][1].text, row.text, measures)
        _add_row(builder, block.kind, leaf, row, left)
    draft = builder.finish(_spot, block.kind)
    # Brackets of formulas come as characters that no font can name; alone they are no text.
    return None if draft is None or is_unusable(draft.text) else draft


def _add_row(builder: TextBuilder, kind: Kind, leaf: int, row: Row, left: float) -> None:
    for number, line in enumerate(row.lines):
        key = (leaf, line.rectangle)
        if kind == "code":
            edge = left if number == 0 else row.lines[number - 1].right
            builder.insert(" " * max(round((line.left - edge) / (0.6 * line.size)), 0 if number == 0 else 1))
            builder.add_verbatim(line.text.rstrip(), line.start, key)
            continue
        if number:
            builder.insert("\t" if kind == "table" else " ")
        done = 0
        for leader in _LEADER.finditer(line.text):
            builder.add(line.text[done : leader.start()], line.start + done, key)
            builder.insert("\t")
            done = leader.end()
        builder.add(line.text[done:], line.start + done, key)


def _join(builder: TextBuilder, block: Block, before: str, after: str, measures: Measures) -> None:
    """Put what belongs between two lines: nothing after a hyphen or within Chinese, else a space."""
    if block.kind == "code":
        builder.insert("\n")
        return
    hyphenated, first = _LAST_WORD.search(before), _FIRST_WORD.match(after)
    if builder.last == " ":
        builder.drop_last()
    if hyphenated and first and builder.last in "-‐":
        if not keeps_hyphen(hyphenated[1], first[1], measures.words):
            builder.drop_last()
    elif hyphenated and before.rstrip().endswith("\u00ad"):
        return  # The builder has left out the soft hyphen itself.
    elif not (builder.last in "—–/" and not before.endswith(" ")) and not (
        _CJK.match(builder.last) and _CJK.match(after.lstrip()[:1])
    ):
        builder.insert(" ")


def _spot(key: Hashable, start: int, end: int) -> LeafSpot:
    leaf, rectangle = cast(tuple[int, Rectangle], key)
    return LeafSpot(leaf, start, end, (rectangle,))
