"""What is marked in a book and noted beside it: each highlight and note with its words, its page and its colour.

Those that lie in a PDF were taken over when it was added; removing one here leaves the file as it is. The pane only
shows and says what a person wants. What must stay true: everything here comes from a stranger's file and is drawn as
plain text; a row costs what is visible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QListView, QMenu, QVBoxLayout, QWidget

from readdesk.gui.itemmodels.notes import NoteDelegate, NoteList, NoteRole
from readdesk.gui.theme import Theme
from readdesk.library.model import Highlight

_BATCH = 60
"""Rows that are set at a time."""


class NotesPane(QFrame):
    """Lists one document's highlights and notes."""

    chosen = Signal(object)
    """The Highlight to show in the book."""
    removal_wanted = Signal(object)
    """The Highlight to remove from the library."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "pane")
        self._notes = NoteList(self)
        self._view = NoteView()
        self._view.setModel(self._notes)
        self._view.setItemDelegate(NoteDelegate(theme, self._view))
        self._view.setAccessibleName(self.tr("Highlights and notes"))
        self._empty = QLabel(
            self.tr("Nothing is marked in this book. Highlights and notes that lie in a PDF stand here.")
        )
        self._empty.setProperty("role", "muted")
        self._empty.setWordWrap(True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._empty.setContentsMargins(14, 14, 14, 14)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 8, 0, 0)
        layout.addWidget(self._view)
        layout.addWidget(self._empty, 1)
        self._view.clicked.connect(self._on_chosen)
        self._view.activated.connect(self._on_chosen)
        self._view.removed.connect(self._on_removed)
        self._view.customContextMenuRequested.connect(self._on_menu_requested)
        self.show_notes(())

    def show_notes(self, highlights: Sequence[Highlight], page_of: Callable[[Highlight], str] = lambda _: "") -> None:
        """Show these, in order, each with the page that it stands on."""
        self._notes.show(highlights, page_of)
        self._view.setVisible(bool(highlights))
        self._empty.setVisible(not highlights)

    def remove(self, highlight: Highlight) -> None:
        """Show this one no more."""
        self._notes.remove(highlight)
        self._view.setVisible(bool(self.count))
        self._empty.setVisible(not self.count)

    def focus_list(self) -> None:
        """Put the keyboard into the list, on its first row where none was chosen."""
        self._view.setFocus()
        if not self._view.currentIndex().isValid() and self.count:
            self._view.setCurrentIndex(self._notes.index(0))

    @property
    def count(self) -> int:
        """How many are shown."""
        return self._notes.rowCount()

    def _on_chosen(self, index: QModelIndex) -> None:
        self.chosen.emit(index.data(NoteRole.HIGHLIGHT))

    def _on_removed(self, index: QModelIndex) -> None:
        self.removal_wanted.emit(index.data(NoteRole.HIGHLIGHT))

    def _on_menu_requested(self, place: QPoint) -> None:
        index = self._view.indexAt(place)
        if index.isValid():
            menu = self.menu_for(index)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self._view.viewport().mapToGlobal(place))

    def menu_for(self, index: QModelIndex) -> QMenu:
        """What can be done with a note."""
        menu = QMenu(self)
        words = index.data(NoteRole.WORDS)
        menu.addAction(self.tr("&Copy text"), lambda: QApplication.clipboard().setText(words))
        highlight = index.data(NoteRole.HIGHLIGHT)
        remove = self.tr("&Remove from ReadDesk") if highlight.is_from_file else self.tr("&Remove")
        menu.addAction(remove, lambda: self.removal_wanted.emit(highlight))
        return menu


class NoteView(QListView):
    """The list, whose rows take new heights when its width changes."""

    removed = Signal(QModelIndex)
    """Delete was pressed on a row."""

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        # Rows are as high as their words need; setting twenty thousand of them at once would hold the window.
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setBatchSize(_BATCH)
        self.verticalScrollBar().setSingleStep(24)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete and self.currentIndex().isValid():
            self.removed.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)
