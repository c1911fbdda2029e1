"""Paragraphs that go on in the next column or on the next leaf, whatever stands between.

An unfinished paragraph is held, with the notes, captions, tables and figures that follow it, until the text goes on or
is seen to be over; what stood between comes after it. What must stay true: nothing held is lost, and everything comes
in the order of the leaves but for what interrupted a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from readdesk.documents.draft import Draft
from readdesk.documents.pdf.layout import Block, draft_of
from readdesk.documents.pdf.leaves import Measures

_LOWEST_LEVEL = 6


class Flow:
    """Holds an unfinished paragraph, and the notes under it, until the next leaf shows whether it goes on."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self._held: list[Block] = []
        self._level = 0

    def add(self, block: Block, leaf: int, level: int) -> Iterator[Draft]:
        """Take the next paragraph, with the level of the section that it starts; yield what is complete by it."""
        held = self._held[0] if self._held else None
        if held and held.rows[-1][0] < leaf and held.goes_on_in(block):
            held.rows += block.rows
            return
        if held and held.is_unfinished and block.kind == "note":
            self._held.append(block)
            return
        yield from self.flush()
        self._held, self._level = [block], min(level, _LOWEST_LEVEL)

    def flush(self) -> Iterator[Draft]:
        """Yield what is held."""
        for block in self._held:
            draft = draft_of(block, self._measures)
            if draft is not None:
                yield replace(draft, level=self._level) if draft.kind == "heading" else draft
        self._held = []
