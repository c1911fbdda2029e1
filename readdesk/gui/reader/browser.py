"""Qt's text browser as the text view uses it: read only, without bars, with keys that move through a book.

Tab leads through the links that are on the screen and then out of the book, Enter follows one. What must stay true: it
fetches nothing and opens no link by itself, since what it shows comes from a stranger's file; no key leads away from
what is on the screen except those that are meant to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QContextMenuEvent,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QMenu, QTextBrowser, QToolTip, QWidget

from readdesk.gui.figures import plain_tip


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
    link_chosen = Signal(str)
    """Where a link leads that was clicked, or reached with Tab and followed with Enter."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.is_selecting = False
        self.tip_of: Callable[[str], str] = lambda link: ""
        """What a link leads to, as plain words; whoever fills the view says it."""
        self.paint_over: Callable[[QPainter, QRectF], None] = lambda painter, shown: None
        """Paints over the text, in the document's own pixels."""
        self.add_to_menu: Callable[[QMenu], None] = lambda menu: None
        """Adds what else can be done with what is selected."""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # With the caret the keyboard selects words, and a screen reader reads line by line.
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
            | Qt.TextInteractionFlag.LinksAccessibleByMouse
        )
        self.anchorClicked.connect(self._on_anchor_clicked)
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

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        painter.setClipRect(event.rect())
        left, top = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        painter.translate(-left, -top)
        self.paint_over(painter, QRectF(event.rect()).translated(left, top))
        painter.end()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.createStandardContextMenu(event.pos())
        self.add_to_menu(menu)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    # -- links and tips ------------------------------------------------------------------------------------------

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.tip_at(event.pos())
            if words:
                QToolTip.showText(event.globalPos(), words, self.viewport())
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def tip_at(self, place: QPoint) -> str:
        """What the tool tip says at a place of the viewport, as HTML; "" for nothing."""
        left, top = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        found = self.document().documentLayout().formatAt(QPointF(place.x() + left, place.y() + top)).toCharFormat()
        if found.anchorHref():
            return plain_tip(self.tip_of(found.anchorHref()))
        return found.toolTip()

    def focusNextPrevChild(self, forward: bool) -> bool:
        links = list(self._links_shown())
        at = self.textCursor()
        if forward:
            found = next((link for link in links if link.selectionStart() >= at.selectionEnd()), None)
            if not self._is_shown(at):
                found = links[0] if links else None
        else:
            found = next((link for link in reversed(links) if link.selectionEnd() <= at.selectionStart()), None)
            if not self._is_shown(at):
                found = links[-1] if links else None
        if found is None:
            return super().focusNextPrevChild(forward)
        self.setTextCursor(found)
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self._spoken(found)))
        return True

    def _spoken(self, link: QTextCursor) -> str:
        """A link for who hears it."""
        tip = self.tip_of(link.charFormat().anchorHref())
        return self.tr("Note {mark}, link. {words}").format(mark=link.selectedText().strip(), words=tip)

    def _is_shown(self, cursor: QTextCursor) -> bool:
        return self.viewport().rect().intersects(self.cursorRect(cursor))

    def _links_shown(self) -> Iterator[QTextCursor]:
        """The links on the screen in reading order, each selected."""
        room = self.viewport().rect()
        block = self.cursorForPosition(room.topLeft()).block()
        last = self.cursorForPosition(room.bottomRight()).block().blockNumber()
        while block.isValid() and block.blockNumber() <= last:
            iterator = block.begin()
            while not iterator.atEnd():
                fragment = iterator.fragment()
                if fragment.charFormat().anchorHref():
                    cursor = QTextCursor(self.document())
                    cursor.setPosition(fragment.position())
                    cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
                    if self._is_shown(cursor):
                        yield cursor
                iterator += 1
            block = block.next()

    def _on_anchor_clicked(self, url: QUrl) -> None:
        self.link_chosen.emit(url.toString(QUrl.ComponentFormattingOption.FullyEncoded))

    # -- keys ----------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.textCursor().hasSelection():
            link = self.textCursor().charFormat().anchorHref()
            if link:
                self.link_chosen.emit(link)
                return
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
