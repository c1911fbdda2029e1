"""Words in the lower corner of a view, as a browser shows where a link leads; gone with the pointer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLabel, QWidget

_MARGIN = 6


class HoverLabel(QLabel):
    """Lies over the lower left corner of its parent while it has words."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = parent
        self.setProperty("role", "hover")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        parent.installEventFilter(self)
        self.hide()

    def show_words(self, words: str) -> None:
        """Show these, shortened in the middle where they are too long; none hide it."""
        if not words:
            self.hide()
            return
        room = int(0.75 * self._view.width())
        self.setText(QFontMetrics(self.font()).elidedText(words, Qt.TextElideMode.ElideMiddle, room))
        self.adjustSize()
        self._place()
        self.show()
        self.raise_()

    def _place(self) -> None:
        self.move(_MARGIN, self._view.height() - self.height() - _MARGIN)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)
