"""Paragraphs that go on in the next column or on the next leaf, whatever stands between.

An unfinished paragraph is held, with the notes, captions, tables and figures that follow it, until the text goes on or
is seen to be over; what stood between comes after it. Within a column only what is no running text (a caption, a note)
can stand between, and only a sentence that plainly goes on is taken up again.

What must stay true: nothing held is lost, and everything comes in the order of the leaves but for what interrupted a
sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from readdesk.documents.draft import Draft
from readdesk.documents.pdf.drafting import draft_of
from readdesk.documents.pdf.joining import is_hyphenated
from readdesk.documents.pdf.layout import Block, goes_on_in
from readdesk.documents.pdf.leaves import Measures

_LOWEST_LEVEL = 6
_SMALL = 0.87
_MOST_BETWEEN = 80
_MOST_LEAVES = 2


class Flow:
    """Holds an unfinished paragraph, and what follows it but is none, until the next text shows whether it goes on."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self._held: list[Block] = []
        self._level = 0

    def add(self, block: Block, leaf: int, level: int) -> Iterator[Draft]:
        """Take the next paragraph, with the level of the section that it starts; yield what is complete by it."""
        held = self._held[0] if self._held else None
        if held and not level and held.may_go_on and leaf - held.rows[-1][0] <= _MOST_LEAVES:
            is_apart = _place(held, -1) != _place(block, 0)
            if (is_apart or _plainly_goes_on(held, block, len(self._held))) and goes_on_in(held, block):
                held.rows += block.rows
                held.room = block.room
                return
            if _is_between(held, block, is_apart) and len(self._held) < _MOST_BETWEEN:
                self._held.append(block)
                return
        yield from self.flush()
        self._held, self._level = [block], min(level, _LOWEST_LEVEL)

    def goes_on_in(self, block: Block) -> bool:
        """Whether what is held would go on in a block of the next leaf."""
        return bool(self._held) and self._held[0].may_go_on and goes_on_in(self._held[0], block)

    def flush(self) -> Iterator[Draft]:
        """Yield what is held."""
        for block in self._held:
            draft = draft_of(block, self._measures)
            if draft is not None:
                yield replace(draft, level=self._level) if draft.kind == "heading" else draft
        self._held = []


def _place(block: Block, row: int) -> tuple[int, int]:
    """The leaf and the column of a row of a block."""
    leaf, found = block.rows[row]
    return leaf, found.column


def _plainly_goes_on(held: Block, block: Block, number: int) -> bool:
    return number > 1 and (block.first.text[:1].islower() or is_hyphenated(held.last.text))


def _is_between(held: Block, block: Block, is_apart: bool) -> bool:
    """Whether a paragraph can stand between two parts of a sentence: it is no running text."""
    if block.kind in ("note", "caption"):
        return True
    if not is_apart or (block.kind == "code" and not held.is_unfinished):
        return False
    if block.is_label:
        return True
    return block.kind in ("table", "code") or (block.kind == "text" and block.first.size < _SMALL * held.last.size)
