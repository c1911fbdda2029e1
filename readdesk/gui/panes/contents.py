"""The table of contents: sections alone, the one that is open in bold, those that no model reads muted.

Which sections are left out of gisting is chosen here, in the menu of a row; the pane only says what a person wants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QMenu, QVBoxLayout, QWidget

from readdesk.documents.model import Section
from readdesk.gui.itemmodels.gistdelegate import GistDelegate
from readdesk.gui.itemmodels.gisttree import GistTree, Role
from readdesk.gui.panes.sidebar import TreeView, offer_leaving_out
from readdesk.gui.theme import Theme


class ContentsPane(QFrame):
    """Shows one document's sections."""

    section_chosen = Signal(object)
    """The Section to show in the book."""
    leaving_out_wanted = Signal(int, bool)
    """A section, and whether it and those beneath it are to be left out."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "pane")
        self._tree = GistTree(self)
        self._view = TreeView()
        self._view.setModel(self._tree)
        self._view.setItemDelegate(GistDelegate(theme, self._view, with_states=False))
        self._view.setAccessibleName(self.tr("Table of contents"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 8, 0, 0)
        layout.addWidget(self._view)
        self._view.clicked.connect(self._on_chosen)
        self._view.activated.connect(self._on_chosen)
        self._view.customContextMenuRequested.connect(self._on_menu_requested)

    def open(self, sections: Sequence[Section], length: int) -> None:
        """Show these sections of a document of so many characters."""
        self._tree.open(sections, (), length, lambda start, end: ())
        if sum(1 for section in sections if section.level == 1) == 1:
            self._view.expand(self._tree.index(0, 0))

    def set_sections(self, sections: Sequence[Section]) -> None:
        """The same sections, of which others are left out now."""
        self._tree.set_sections(sections)

    def set_pages(self, page_of: Callable[[Section], str]) -> None:
        """Show the printed page of every section, by what says it of one."""
        self._tree.set_pages(page_of)

    def close_document(self) -> None:
        """Show nothing."""
        self._tree.close()
        self._tree.set_pages(lambda section: "")

    def follow(self, position: int) -> None:
        """The book is at a position."""
        index = self._tree.set_here(position)
        if index.isValid() and not self._view.hasFocus():
            self._view.reveal(index)

    def _on_chosen(self, index: QModelIndex) -> None:
        self.section_chosen.emit(index.data(Role.SECTION))

    def _on_menu_requested(self, place: QPoint) -> None:
        index = self._view.indexAt(place)
        if index.isValid():
            menu = self.menu_for(index)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(self._view.viewport().mapToGlobal(place))

    def menu_for(self, index: QModelIndex) -> QMenu:
        """What can be done with a section."""
        menu = QMenu(self)
        offer_leaving_out(menu, index, self.leaving_out_wanted.emit)
        return menu
