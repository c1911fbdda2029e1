"""What kind of paragraph a row of a leaf begins: heading, caption, entry of a list, code, row of a table, note, text.

A row is looked at by itself first (its letters, its size, its first characters), then beside its neighbours: bold words
that run on into a paragraph are no heading, and a name with a number above a table is its caption. What must stay true:
nothing here changes a row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from readdesk.documents.model import Kind
from readdesk.documents.pdf.captions import (
    begins_note,
    is_bullet,
    is_caption,
    is_finished,
    is_numbered,
    may_be_caption,
)
from readdesk.documents.pdf.leaves import Leaf, Measures, Row

_NO_HEADING = re.compile(r"[,;]\s*$|\s*\d{1,4}[./-]\d{1,2}[./-]\d{2,4}\s*$")
_LARGE = 1.12
_LARGE_IF_RECOGNISED = 1.4
_LONGEST_HEADING = 200
_LONGEST_BOLD_HEADING = 90
_FULL = 0.6


def kind_of(row: Row, leaf: Leaf, measures: Measures) -> Kind:
    """What a row is by itself: the kind of the paragraph that it would begin."""
    text = row.text
    if row.cells:
        return "table"
    if row.is_caption or is_caption(text):
        return "caption"
    if row.is_side:
        return "note"
    if row.is_mono:
        return "code"
    if _is_heading(row, measures):
        return "heading"
    if row.size <= 0.9 * measures.body and row.top > 0.5 * leaf.height and begins_note(text):
        return "note"
    return "item" if is_bullet(text) else "text"


def _is_heading(row: Row, measures: Measures) -> bool:
    text = row.text
    is_large = row.size >= (_LARGE_IF_RECOGNISED if row.main.is_hidden else _LARGE) * measures.body
    is_bold = row.is_bold and len(text) < _LONGEST_BOLD_HEADING and row.size >= 0.98 * measures.body
    if not (is_large or is_bold) or len(text) >= _LONGEST_HEADING or row.is_capped or _NO_HEADING.search(text):
        return False
    return sum(map(str.isalpha, text)) >= (2 if is_large else 3)


def believed(kinds: list[Kind], rows: Sequence[Row], number: int, leading: float) -> Kind:
    """A row's kind; bold words of a paragraph that goes on in plain or in more bold ones are no heading."""
    kind = kinds[number]
    if kind == "heading" and rows[number].is_bold and _is_part_of_text(kinds, rows, number, leading):
        kind = kinds[number] = "text"
    if kind in ("text", "heading") and may_be_caption(rows[number].text):
        near = [rows[at] for at in (number - 1, number + 1) if 0 <= at < len(rows)]
        if any(row.cells for row in near):
            kind = kinds[number] = "caption"
    return kind


def _is_part_of_text(kinds: Sequence[Kind], rows: Sequence[Row], number: int, leading: float) -> bool:
    row = rows[number]
    for near in (number - 1, number + 1):
        if not 0 <= near < len(rows) or kinds[near] != "text" or rows[near].column != row.column:
            continue
        other = rows[near]
        is_next = abs(other.bottom - row.bottom) <= 1.25 * leading * row.size and abs(other.size - row.size) < 0.5
        is_full = row.right - row.left > _FULL * (other.right - row.left)
        goes_on = near > number and is_full and other.text[:1].islower() and not is_numbered(other.text)
        if is_next and (goes_on or (other.is_bold and not is_finished(rows[min(near, number)].text))):
            return True
    return False
