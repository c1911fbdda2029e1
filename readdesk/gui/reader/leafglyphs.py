"""Where the words of drawn leaves stand: asked for once for each leaf, and kept for the latest ones.

What must stay true: late answers of another book are dropped; the window never waits for one.
"""

from __future__ import annotations

from collections import OrderedDict

from PySide6.QtCore import QObject, Signal

from readdesk.desk import Desk
from readdesk.gui.bridge import Bridge
from readdesk.gui.reader.leaftext import LeafText
from readdesk.jobs.events import Done, Failed
from readdesk.library.model import DocumentRecord

_MOST = 60
"""Leaves; a full one takes a few hundred kilobytes."""


class LeafGlyphs(QObject):
    """Finds the words of the leaves of one document at a time."""

    found = Signal(int)
    """The text of this leaf is known now."""

    def __init__(self, desk: Desk, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self._bridge = bridge
        self._record: DocumentRecord | None = None
        self._texts: OrderedDict[int, LeafText] = OrderedDict()
        self._jobs: dict[int, int] = {}

    def open(self, record: DocumentRecord | None) -> None:
        """Another document is shown, or none."""
        for job in self._jobs.values():
            self._bridge.forget(job)
            self._desk.stop(job)
        self._texts, self._jobs, self._record = OrderedDict(), {}, record

    def text(self, leaf: int) -> LeafText | None:
        """The text of a leaf; where it is not known yet it is asked for."""
        known = self._texts.get(leaf)
        if known is not None:
            self._texts.move_to_end(leaf)
        elif self._record is not None and leaf not in self._jobs:
            job = self._jobs[leaf] = self._desk.glyphs(self._record, leaf)
            handlers = {
                Done: lambda event: self._on_found(leaf, LeafText(event.result)),
                # The leaf itself says what is wrong with it; here it has no words.
                Failed: lambda _: self._on_found(leaf, LeafText()),
            }
            self._bridge.follow(job, handlers)
        return known

    def known(self, leaf: int) -> LeafText | None:
        """The text of a leaf as far as it is known; it is not asked for."""
        return self._texts.get(leaf)

    def _on_found(self, leaf: int, text: LeafText) -> None:
        self._jobs.pop(leaf, None)
        self._texts[leaf] = text
        if len(self._texts) > _MOST:
            self._texts.popitem(last=False)
        self.found.emit(leaf)
