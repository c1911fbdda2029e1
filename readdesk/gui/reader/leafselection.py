"""Selecting words on drawn leaves: running text in the order of reading, never a rectangle of the leaf.

A selection is a span of positions, so it may go over leaves and columns, and what is copied is the document's text. A
drag selects characters, one that began with a double click words, with a triple click paragraphs; Shift and a click
moves the end. Where words stand comes late (`leafglyphs.py`): what was pressed and where the pointer is are kept, and
the selection follows when it is known. Who uses no mouse selects in the view of the text.

What must stay true: a click that ends where it began selects nothing and takes the selection away.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QApplication, QMenu

from readdesk.gui.reader.leafglyphs import LeafGlyphs
from readdesk.gui.reader.leaves import LeafView
from readdesk.gui.reader.quoting import Quoting
from readdesk.gui.reader.wordbounds import word_around
from readdesk.gui.widgets.hoverlabel import HoverLabel

Unit = Literal["character", "word", "paragraph"]
Point = tuple[int, float, float]
"""A leaf, and how many points right of and below its upper left corner."""

_REST_MILLISECONDS = 120
"""How long the pointer rests on a leaf before it is asked where words stand: not for those that are scrolled past."""
_SCROLL_MILLISECONDS, _FASTEST = 40, 60
_TOLD_MILLISECONDS = 4000
_MOST_SHOWN = 30
"""Leaves that are marked at once; more are seen only where nobody can read them."""


class LeafSelection(QObject):
    """Selects and copies words in one view of leaves."""

    pointer_changed = Signal()
    """What lies under the pointer is known now."""

    def __init__(self, glyphs: LeafGlyphs, quoting: Quoting, view: LeafView) -> None:
        super().__init__(view)
        self._glyphs = glyphs
        self._quoting = quoting
        self._view = view
        self.span: tuple[int, int] | None = None
        """The positions between which words are selected."""
        self._unit: Unit = "character"
        self._pressed: Point | None = None
        self._origin: tuple[int, int] | None = None
        self._now: Point | None = None
        self._is_dragging = False
        self._is_waiting = False
        self._at = QPointF()
        self._last_double: tuple[int, QPointF] = (0, QPointF())
        self._told = HoverLabel(view.viewport())
        self._told_timer = QTimer(self, interval=_TOLD_MILLISECONDS, singleShot=True)
        self._rest_timer = QTimer(self, interval=_REST_MILLISECONDS, singleShot=True)
        self._scroll_timer = QTimer(self, interval=_SCROLL_MILLISECONDS)
        self._told_timer.timeout.connect(self._told.hide)
        self._rest_timer.timeout.connect(self._on_rested)
        self._scroll_timer.timeout.connect(self._on_scroll_due)
        glyphs.found.connect(self._on_found)
        view.verticalScrollBar().valueChanged.connect(self._show)
        view.zoom_changed.connect(self._show)
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    # -- what is selected ----------------------------------------------------------------------------------------

    def clear(self) -> None:
        """Select nothing."""
        self._pressed, self._origin, self._now = None, None, None
        self._is_dragging = self._is_waiting = False
        self._scroll_timer.stop()
        self._set(None)

    def copy(self) -> None:
        """Copy the words that are selected; that they were recognised is told beside them."""
        if self.span is not None:
            QApplication.clipboard().setText(self._quoting.words(*self.span))
            if self._quoting.note(*self.span):
                self._told.show_words(self.tr("Copied. This is recognised text: it may hold errors."))
                self._told_timer.start()

    def copy_with_place(self) -> None:
        """Copy them with the title of the book and the page."""
        if self.span is not None:
            self._quoting.copy_with_place(*self.span)

    def is_over_words(self, place: QPointF) -> bool:
        """Whether words lie at a place of the viewport, as far as that is known."""
        point = self._view.point_at(place)
        text = self._glyphs.known(point[0]) if point is not None else None
        return point is not None and text is not None and text.is_over(point[1:])

    def menu(self) -> QMenu:
        """What can be done with what is selected."""
        menu = QMenu(self._view)
        copy = menu.addAction(self.tr("&Copy"), self.copy)
        copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        menu.addAction(self.tr("Copy with &page"), self.copy_with_place)
        for action in menu.actions():
            action.setEnabled(self.span is not None)
        return menu

    def _set(self, span: tuple[int, int] | None) -> None:
        if span != self.span:
            self.span = span
            self._show()

    def _show(self) -> None:
        """Mark what is selected on the leaves that are seen."""
        if self.span is None:
            self._view.select({})
            return
        shown = {leaf: self._glyphs.text(leaf) for leaf in self._view.visible[:_MOST_SHOWN]}
        self._view.select({leaf: text.rectangles(*self.span) for leaf, text in shown.items() if text is not None})

    # -- following the pointer -----------------------------------------------------------------------------------

    def _begin(self, point: Point, unit: Unit) -> None:
        self._pressed, self._now, self._unit, self._origin = point, point, unit, None
        self._is_dragging = True
        self._update()

    def _extend(self, point: Point) -> None:
        self._now, self._unit, self._is_dragging = point, "character", True
        self._update()

    def _update(self) -> None:
        """Select from what was pressed to where the pointer is, once both are known."""
        if self._origin is None and self._pressed is not None:
            self._origin = self._unit_at(self._pressed)
        now = self._unit_at(self._now) if self._now is not None else None
        self._is_waiting = self._origin is None or now is None
        if self._origin is not None and now is not None:
            start, end = min(self._origin[0], now[0]), max(self._origin[1], now[1])
            self._set((start, end) if start < end else None)
        elif self._origin is None:
            self._set(None)

    def _unit_at(self, point: Point) -> tuple[int, int] | None:
        """The span that a point of a leaf stands for; None where its words are not known yet, or there are none."""
        text = self._glyphs.text(point[0])
        if text is None:
            return None
        if self._unit == "character":
            caret = text.caret_at(point[1:])
            return None if caret is None else (caret, caret)
        position = text.character_at(point[1:])
        found = self._quoting.paragraphs(position, position + 1) if position is not None else ()
        if position is None or not found:
            return None
        paragraph = found[0]
        if self._unit == "paragraph":
            return paragraph.start, paragraph.end
        start, end = word_around(paragraph.text, position - paragraph.start)
        return paragraph.start + start, paragraph.start + end

    def _on_found(self, leaf: int) -> None:
        if self._is_waiting or self._is_dragging:
            self._update()
        if leaf in self._view.visible:
            self._show()
        self.pointer_changed.emit()

    def _on_rested(self) -> None:
        point = self._view.point_at(self._at)
        if point is not None:
            self._glyphs.text(point[0])

    def _on_scroll_due(self) -> None:
        """Scroll while the pointer is held above or below the view, the faster the farther."""
        height, bar = self._view.viewport().height(), self._view.verticalScrollBar()
        beyond = min(self._at.y(), 0.0) + max(self._at.y() - height, 0.0)
        bar.setValue(bar.value() + round(max(-_FASTEST, min(_FASTEST, beyond))))
        self._drag_to(self._at)

    def _drag_to(self, place: QPointF) -> None:
        height = self._view.viewport().height()
        self._now = self._view.point_near(QPointF(place.x(), min(max(place.y(), 0.0), height - 1.0))) or self._now
        self._update()

    # -- what Qt tells -------------------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if watched is self._view:
            if isinstance(event, QKeyEvent) and kind == QEvent.Type.KeyPress:
                return self._key(event)
            if isinstance(event, QContextMenuEvent):
                self._pop_up(event.globalPos())
                return True
            return False
        if isinstance(event, QContextMenuEvent):
            self._pop_up(event.globalPos())
            return True
        if isinstance(event, QMouseEvent):
            self._mouse(kind, event)
        return False

    def _key(self, event: QKeyEvent) -> bool:
        if self.span is not None and event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif self.span is not None and event.key() == Qt.Key.Key_Escape:
            self.clear()
        else:
            return False
        return True

    def _mouse(self, kind: QEvent.Type, event: QMouseEvent) -> None:
        self._at = event.position()
        if kind == QEvent.Type.MouseMove:
            if self._is_dragging and event.buttons() & Qt.MouseButton.LeftButton:
                is_beyond = not 0 <= self._at.y() <= self._view.viewport().height()
                if is_beyond and not self._scroll_timer.isActive():
                    self._scroll_timer.start()
                elif not is_beyond:
                    self._scroll_timer.stop()
                self._drag_to(self._at)
            else:
                self._rest_timer.start()
        elif event.button() == Qt.MouseButton.LeftButton:
            if kind == QEvent.Type.MouseButtonRelease:
                self._is_dragging = False
                self._scroll_timer.stop()
            else:
                self._press(kind, event)

    def _press(self, kind: QEvent.Type, event: QMouseEvent) -> None:
        point = self._view.point_near(event.position())
        if point is None:
            return
        time, place = self._last_double
        is_soon = event.timestamp() - time <= QGuiApplication.styleHints().mouseDoubleClickInterval()
        is_near = (event.position() - place).manhattanLength() <= QApplication.startDragDistance()
        if kind == QEvent.Type.MouseButtonDblClick:
            self._last_double = event.timestamp(), event.position()
            self._begin(point, "word")
        elif time and is_soon and is_near:
            self._last_double = 0, QPointF()
            self._begin(point, "paragraph")
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._origin is not None:
            self._extend(point)
        else:
            self._begin(point, "character")

    def _pop_up(self, place: QPoint) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)
