"""What the pointer does over drawn leaves: it follows links and selects words.

Both look at the same moves of the same pointer; here they are told of the document together, and agree on its shape.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from readdesk.desk import Desk
from readdesk.gui.bridge import Bridge
from readdesk.gui.reader.leafglyphs import LeafGlyphs
from readdesk.gui.reader.leaflinks import LeafLinks
from readdesk.gui.reader.leafselection import LeafSelection
from readdesk.gui.reader.leaves import LeafView
from readdesk.gui.reader.pagenames import PageNames
from readdesk.gui.reader.quoting import Quoting
from readdesk.library.model import DocumentRecord


class LeafPointer(QObject):
    """The pointer over one view of leaves."""

    leaf_chosen = Signal(int, float)
    """A leaf, and how many points below its upper edge."""
    address_chosen = Signal(str)
    """A place outside the book."""

    def __init__(self, desk: Desk, bridge: Bridge, quoting: Quoting, view: LeafView) -> None:
        super().__init__(view)
        self._record: DocumentRecord | None = None
        self._glyphs = LeafGlyphs(desk, bridge, self)
        self.selection = LeafSelection(self._glyphs, quoting, view)
        self.links = LeafLinks(desk, bridge, view)
        self.links.is_over_words = self.selection.is_over_words
        self.selection.pointer_changed.connect(self.links.look_again)
        self.links.leaf_chosen.connect(self.leaf_chosen)
        self.links.address_chosen.connect(self.address_chosen)

    def open(self, record: DocumentRecord, names: PageNames) -> None:
        """The view shows this document now, or calls its pages otherwise."""
        if record != self._record:
            self.close_document()
            self._glyphs.open(record)
        self._record = record
        self.links.open(record, names)

    def close_document(self) -> None:
        """The view shows nothing."""
        self._record = None
        self._glyphs.open(None)
        self.selection.clear()
        self.links.close_document()
