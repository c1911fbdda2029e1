"""The links of a leaf as a list, for those who use no pointer: Enter follows one.

What must stay true: where a link leads is what the file says, so it is shown as plain text.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QListWidget, QVBoxLayout, QWidget

_SIZE = (460, 300)


class LinkListDialog(QDialog):
    """Lists where the links of one leaf lead."""

    chosen = Signal(int)
    """The number of the link to follow, from 0."""

    def __init__(self, leaf: str, links: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Links of this leaf"))
        self._list = QListWidget()
        self._list.setAccessibleName(self.tr("Links of {leaf}").format(leaf=leaf))
        self._list.setProperty("role", "lines")
        self._list.setWordWrap(True)
        self._list.addItems(list(links))
        self._list.setCurrentRow(0)
        words = self.tr("Links on {leaf}:") if links else self.tr("There are no links on {leaf}.")
        head = QLabel(words.format(leaf=leaf))
        head.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        if links:
            follow = buttons.addButton(self.tr("&Follow"), QDialogButtonBox.ButtonRole.AcceptRole)
            follow.setProperty("primary", True)
            follow.setDefault(True)
            buttons.accepted.connect(self._on_accepted)
            self._list.itemDoubleClicked.connect(self._on_accepted)
            self.resize(*_SIZE)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(22, 18, 22, 16)
        layout.setSpacing(12)
        layout.addWidget(head)
        layout.addWidget(self._list, 1)
        layout.addWidget(buttons)
        self._list.setVisible(bool(links))
        self._list.setFocus()

    def _on_accepted(self) -> None:
        self.accept()
        self.chosen.emit(self._list.currentRow())
