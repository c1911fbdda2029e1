"""A strip above the book: what keeps it from being read, and the way to mend that."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from readdesk.gui.theme import Theme


class TextStateStrip(QFrame):
    """One sentence with one button; a person may close it where it is only worth knowing."""

    wanted = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = QLabel()
        self._words = QLabel()
        self._action = QPushButton(self.tr("Recognise text\u2026"))
        self._close = QToolButton()
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._close.setAccessibleName(self.tr("Close this message"))
        self._close.setToolTip(self.tr("Close"))
        theme.dress(self._close, "x")
        self._action.clicked.connect(self.wanted)
        self._close.clicked.connect(self.closed)
        row = QHBoxLayout()
        row.setContentsMargins(14, 7, 8, 7)
        row.setSpacing(12)
        for widget in (self._icon, self._words, self._action, self._close):
            row.addWidget(widget)
        row.setStretchFactor(self._words, 1)
        line = QFrame()
        line.setProperty("role", "line")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(line)
        self.setProperty("role", "pane")
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.hide()

    def show_state(self, words: str, *, is_grave: bool = False) -> None:
        """Say what is amiss; gravely where nothing of the book can be read. "" hides the strip."""
        self._words.setText(words)
        self._action.setAccessibleDescription(words)
        self._action.setProperty("primary", is_grave)
        self._action.style().unpolish(self._action)
        self._action.style().polish(self._action)
        self._close.setVisible(not is_grave)
        self.setVisible(bool(words))

    @property
    def words(self) -> str:
        """What is said; "" while the strip is hidden."""
        return "" if self.isHidden() else self._words.text()

    def _on_theme_changed(self) -> None:
        self._icon.setPixmap(self._theme.icon("image", "accent").pixmap(20, 20))
