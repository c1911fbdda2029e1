"""What lies over the window while files are dragged above it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from readdesk.gui.theme import Theme


class DropHint(QWidget):
    """A frame with a sentence that lets every event through."""

    def __init__(self, theme: Theme, over: QWidget) -> None:
        super().__init__(over)
        self._over = over
        self._theme = theme
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def appear(self) -> None:
        """Cover the window."""
        self.setGeometry(self._over.rect())
        self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = self._theme.colour("window")
        veil.setAlpha(225)
        painter.fillRect(self.rect(), veil)
        pen = QPen(self._theme.colour("accent"), 2, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(24, 24, -24, -24), 14, 14)
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        painter.setFont(font)
        painter.setPen(self._theme.colour("text"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.tr("Drop to open"))
