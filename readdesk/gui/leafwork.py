"""What can be done with the leaves of the PDF that is open: name them, see what a model reads, recognise their text.

It keeps what came out of the leaves, asks in dialogs, and says what changed; recognising itself is done by whoever
keeps such jobs. What must stay true: a dialog is about the book that was open when it was asked for, and goes with it.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QWidget

from readdesk.desk import Desk
from readdesk.documents.model import LeafHealth, LeafSpot
from readdesk.errors import ReadDeskError
from readdesk.gui import leafwords
from readdesk.gui.bridge import Bridge
from readdesk.gui.dialogs.modelview import ModelViewDialog
from readdesk.gui.dialogs.pagenumber import PageNumberDialog
from readdesk.gui.dialogs.recognition import RecognitionChoice, RecognitionDialog
from readdesk.gui.reader.pagenames import joined, page_words, recognised_words
from readdesk.gui.reader.place import ReaderPlace
from readdesk.gui.theme import Theme
from readdesk.library.model import DocumentRecord, Highlight


class LeafWork(QObject):
    """The verbs for one window's open PDF."""

    relabelled = Signal()
    """The leaves have other printed labels."""
    recognition_chosen = Signal(object, object)
    """A DocumentRecord and the RecognitionChoice for it."""
    failed = Signal(object)
    """A ReadDeskError."""

    def __init__(self, desk: Desk, bridge: Bridge, theme: Theme, reader: ReaderPlace, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk = desk
        self._bridge = bridge
        self._theme = theme
        self._reader = reader
        self._parent = parent
        self._dialog: QDialog | None = None
        self.record: DocumentRecord | None = None
        self.leaves: tuple[LeafHealth, ...] = ()

    def open(self, record: DocumentRecord) -> None:
        """This document is open now."""
        self.record = record
        self._set_leaves(self._desk.leaves(record))

    def close_document(self) -> None:
        """None is."""
        self.record = None
        self._set_leaves(())
        if self._dialog is not None:
            self._dialog.close()

    def _set_leaves(self, leaves: tuple[LeafHealth, ...]) -> None:
        self.leaves = leaves
        self._reader.quoting.recognised = frozenset(leafwords.recognised(leaves))

    @property
    def state_words(self) -> str:
        """What keeps the book from being read; "" where nothing does."""
        return leafwords.state_words(self.leaves)

    @property
    def leaf(self) -> int | None:
        """The leaf that is shown; None where no leaves are known."""
        leaf = self._reader.leaf
        return None if leaf is None or not self.leaves else min(leaf, len(self.leaves) - 1)

    def page_of(self, highlight: Highlight) -> str:
        """The page on which something is marked: the printed one, else its leaf; whether its words are recognised."""
        spot = next((spot for spot in highlight.anchor.spots if isinstance(spot, LeafSpot)), None)
        if spot is None:
            return ""
        leaf = self.leaves[spot.leaf] if 0 <= spot.leaf < len(self.leaves) else LeafHealth(spot.leaf)
        page = page_words(leaf.label) or self.tr("leaf {number}").format(number=spot.leaf + 1)
        return joined(page, recognised_words() if leaf.kind == "ocr" and highlight.quote else "")

    # -- the verbs -----------------------------------------------------------------------------------------------

    def ask_page_number(self) -> None:
        """Ask which page number is printed on the leaf that is shown."""
        record, leaf = self.record, self.leaf
        if record is None or leaf is None:
            return
        dialog = PageNumberDialog([health.label for health in self.leaves], leaf, self._parent.window())
        dialog.chosen.connect(partial(self.name_leaf, leaf))
        self._show(dialog)

    def name_leaf(self, leaf: int, label: str) -> None:
        """Keep what is printed on a leaf, and show it everywhere at once."""
        if self.record is None:
            return
        try:
            self._desk.name_leaf(self.record.id, leaf, label)
        except ReadDeskError as error:
            self.failed.emit(error)
            return
        self.leaves = self._desk.leaves(self.record)
        self._reader.relabel([health.label for health in self.leaves])
        self.relabelled.emit()

    def show_model_view(self) -> None:
        """Show what a model reads of the leaf that is shown."""
        record, leaf = self.record, self.leaf
        if record is None or leaf is None:
            return
        drawn = self._reader.drawn_leaves
        if len(drawn) == len(self.leaves):
            window = self._parent.window()
            self._show(ModelViewDialog(record, drawn, leaf, self._desk, self._bridge, self._theme, window))

    def ask_recognition(self) -> None:
        """Ask which text is to be recognised, or say what is missing for that."""
        record, leaf = self.record, self.leaf
        if record is None or not self.leaves:
            return
        state = self._desk.recognition()
        dialog = RecognitionDialog(record, self.leaves, leaf or 0, state, self._theme, self._parent.window())

        def on_chosen(choice: RecognitionChoice) -> None:
            self.recognition_chosen.emit(record, choice)

        dialog.chosen.connect(on_chosen)
        self._show(dialog)

    def _show(self, dialog: QDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(self._on_finished)
        self._dialog = dialog
        dialog.open()

    def _on_finished(self, _: int) -> None:
        self._dialog = None
