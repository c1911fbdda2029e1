"""What the pointer does over drawn leaves: it follows links and selects words.

Both look at the same moves of the same pointer; here they are told of the document together, and agree on its shape.
For those who use no pointer the links of a leaf are a list.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from readdesk.desk import Desk
from readdesk.gui.bridge import Bridge
from readdesk.gui.dialogs.linklist import LinkListDialog
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
        self._listed: tuple[int, str, QWidget] | None = None
        self._list: LinkListDialog | None = None
        self.links.found.connect(self._on_links_found)
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
        self._record, self._listed = None, None
        if self._list is not None:
            self._list.close()
        self._glyphs.open(None)
        self.selection.clear()
        self.links.close_document()

    def list_links(self, leaf: int, name: str, window: QWidget) -> None:
        """Show the links of a leaf as a list over a window, as soon as they are known."""
        self._listed = leaf, name, window
        if self.links.of_leaf(leaf) is not None:
            self._on_links_found(leaf)

    def _on_links_found(self, leaf: int) -> None:
        if self._listed is None or self._listed[0] != leaf:
            return
        (_, name, window), self._listed = self._listed, None
        links = self.links.of_leaf(leaf) or ()
        dialog = LinkListDialog(name, [self.links.words_of(link) for link in links], window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(lambda number: self.links.follow(links[number]))
        dialog.finished.connect(self._on_list_closed)
        self._list = dialog
        dialog.open()

    def _on_list_closed(self) -> None:
        self._list = None
