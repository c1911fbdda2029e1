"""Qt's text browser as the text view uses it: read only, without bars, with keys that move through a book.

What must stay true: it fetches nothing and opens no link, since what it shows comes from a stranger's file; no key
leads away from what is on the screen except those that are meant to.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QUrl, Signal
from PySide6.QtGui import QImage, QKeyEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget


class Browser(QTextBrowser):
    """Qt's text browser, read only, which opens no links and tells when it is resized or zoomed."""

    resizing = Signal()
    """Its size is another, its lines are as before."""
    resized = Signal()
    zoomed = Signal(int)
    released = Signal()
    """The mouse has let go of what it selected."""
    moved = Signal(bool)
    """To the very end of the book, or to its beginning."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.is_selecting = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # With the caret the keyboard selects words, and a screen reader reads line by line.
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.viewport().installEventFilter(self)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing is fetched by itself: pictures are given."""
        return QImage()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress:
            self.is_selecting = True
        elif event.type() == QEvent.Type.MouseButtonRelease:
            self.is_selecting = False
            self.released.emit()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.resizing.emit()
        super().resizeEvent(event)
        self.resized.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoomed.emit(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
            return
        super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        page = int(self.viewport().height() * 0.9)
        key, control = event.key(), event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if key in (Qt.Key.Key_Home, Qt.Key.Key_End) and control:
            self.moved.emit(key == Qt.Key.Key_End)
        elif key == Qt.Key.Key_PageDown or (
            key == Qt.Key.Key_Space and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        ):
            bar.setValue(bar.value() + page)
        elif key in (Qt.Key.Key_PageUp, Qt.Key.Key_Space):
            bar.setValue(bar.value() - page)
        elif key in (Qt.Key.Key_Down, Qt.Key.Key_Up) and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            bar.setValue(bar.value() + (48 if key == Qt.Key.Key_Down else -48))
        else:
            self._bring_caret()
            super().keyPressEvent(event)

    def _bring_caret(self) -> None:
        """Put the caret where the eyes are before a key moves it: Qt scrolls to it, however far off it was left."""
        is_seen = self.viewport().rect().intersects(self.cursorRect())
        if not is_seen and not self.textCursor().hasSelection():
            self.setTextCursor(self.cursorForPosition(self.viewport().rect().center()))
