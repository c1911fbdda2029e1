"""The view of a PDF as its leaves look, one below the other.

It draws no PDF: it says which leaves it lacks (`leaves_wanted`), and pictures arrive when another process has drawn
them. Until then a leaf is a white sheet with its number, or its picture at another zoom. Sheets are white in the dark
theme too, and what is written or marked on them has the colours that the light theme has for paper.

What must stay true: painting and scrolling cost what is visible, never what the book is long; pictures stay below a
number of bytes, and what is visible is never dropped; what is being drawn is not asked for again, since asking anew
ends the drawing before; a place that was gone to is the same place after a zoom or a resize.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QAbstractSlider, QFrame, QWidget

from readdesk.documents.model import LACKS, Leaf, LeafSpot, Picture, Rectangle
from readdesk.gui.reader.leafpaper import ink, on_pixels
from readdesk.gui.reader.leafsays import lack_words, paint_instead, paint_note, place_words
from readdesk.gui.reader.leafstack import GAP, Kept, LeafStack, Pictures, image_of
from readdesk.gui.theme import Theme

ZOOM_LEAST, ZOOM_MOST, ZOOM_STEP = 0.25, 5.0, 1.2
PICTURE_BYTES = 160 * 1024 * 1024

_FIT_LEAST = 0.05  # A poster in a narrow pane is fitted below the least zoom that can be chosen.
_SCROLL_MS, _ZOOM_MS, _PLACE_MS = 30, 120, 100
_LINE = 40  # Pixels an arrow key scrolls; a notch of the wheel is three.
_MARK_PADDING = 1.5
_SAME_SCALE = 5e-4  # Less than a pixel on a leaf.
_GREATEST = 2**31 - 1  # What a scroll bar can count to.

_PAGE_KEYS = {
    Qt.Key.Key_Space: QAbstractSlider.SliderAction.SliderPageStepAdd,
    Qt.Key.Key_Home: QAbstractSlider.SliderAction.SliderToMinimum,
    Qt.Key.Key_End: QAbstractSlider.SliderAction.SliderToMaximum,
}


class LeafView(QAbstractScrollArea):
    """Leaves of a PDF to scroll, zoom and mark; zoom is pixels a point, scale is device pixels a point."""

    leaves_wanted = Signal(object, float)
    """Leaves that lack a picture of this scale, the most important first."""
    place_changed = Signal(int, float)
    """The leaf at the top, and the fraction of it scrolled past."""
    zoom_changed = Signal(float)

    def __init__(self, theme: Theme, parent: QWidget | None = None, picture_bytes: int = PICTURE_BYTES) -> None:
        super().__init__(parent)
        self._theme = theme
        self._leaves: tuple[Leaf, ...] = ()
        self._stack = LeafStack()
        self._pictures = Pictures(picture_bytes)
        self._failures: dict[int, str] = {}
        self._marks: dict[int, tuple[Rectangle, ...]] = {}
        self._mark_colour = "mark"
        self._selected: Mapping[int, Sequence[Rectangle]] = {}
        self._fit: Literal["width", "leaf", "free"] = "width"
        self._gone_to: tuple[int, float] | None = (0, 0.0)
        self._place_told = (0, 0.0)
        self._asked: set[int] = set()
        self._asked_scale = 0.0
        self._is_moving = False
        self._asking = self._timer(_SCROLL_MS, self._on_asking_due)
        self._telling = self._timer(_PLACE_MS, self._on_telling_due)
        self._set_up()
        theme.changed.connect(self._on_theme_changed)

    def _set_up(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCornerWidget(QWidget(self))  # Else Fusion draws a frame where the bars meet.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.verticalScrollBar().setSingleStep(_LINE)
        self.horizontalScrollBar().setSingleStep(_LINE)
        self.setAccessibleName(self.tr("Book"))

    def _timer(self, interval: int, due: Callable[[], None]) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=interval)
        timer.timeout.connect(due)
        return timer

    # -- what is shown -------------------------------------------------------------------------------------------

    def open(self, leaves: Sequence[Leaf]) -> None:
        """Show the leaves of a document from its beginning; how it was zoomed stays."""
        zoom = self.zoom
        self._leaves, self._stack = tuple(leaves), LeafStack(leaves)
        self._stack.arrange(zoom)
        self._pictures.clear()
        self._failures, self._marks, self._selected, self._asked = {}, {}, {}, set()
        self._gone_to, self._place_told = (0, 0.0), (0, 0.0)
        self._arrange(self._zoom_in_force())
        self._describe(0)

    def close_document(self) -> None:
        """Show nothing."""
        self.open(())

    def relabel(self, labels: Sequence[str]) -> None:
        """Give the same leaves other printed labels."""
        self._leaves = tuple(replace(leaf, label=label) for leaf, label in zip(self._leaves, labels, strict=True))
        self._describe(self._place_told[0])
        self.viewport().update()

    def set_picture(self, index: int, scale: float, picture: Picture, goes_on: bool = False) -> None:
        """Show a drawn leaf; one that comes late for its scale serves until the right one comes.

        Where it `goes_on`, the picture lacks something and a better one may still come of the same asking.
        """
        if not 0 <= index < len(self._stack):
            return
        if not goes_on:
            self._forget_asking(index, scale)
        kept = self._pictures.get(index)
        if kept is not None and self._is_wanted(kept.scale):
            is_worse = goes_on and LACKS.index(picture.lack) > LACKS.index(kept.lack)
            if is_worse or not self._is_wanted(scale):
                return
        self._failures.pop(index, None)
        self._pictures.put(index, Kept(scale, image_of(picture), picture.lack, goes_on), self._visible())
        self._repaint_leaf(index)
        if index == self._place_told[0]:
            self._describe(index)

    def set_failure(self, index: int, words: str) -> None:
        """Show on a leaf why it could not be drawn; it is not asked for again until the document is opened anew."""
        if 0 <= index < len(self._stack):
            self._asked.discard(index)
            self._pictures.drop(index)
            self._failures[index] = words
            self._repaint_leaf(index)
            if index == self._place_told[0]:
                self._describe(index)

    def mark(self, spots: Sequence[LeafSpot], *, softly: bool = False) -> None:
        """Mark these spots and no others, softly where they are many; scroll to the first unless it is visible."""
        self._marks, self._mark_colour = {}, "accent_soft" if softly else "mark"
        known = [spot for spot in spots if 0 <= spot.leaf < len(self._stack)]
        for spot in known:
            sound = tuple(box for box in spot.rectangles if all(map(math.isfinite, box)))
            self._marks[spot.leaf] = self._marks.get(spot.leaf, ()) + sound
        if known:
            self._reveal(known[0].leaf)
        self.viewport().update()

    def clear_marks(self) -> None:
        """Take all marks away."""
        self.mark(())

    def select(self, rectangles: Mapping[int, Sequence[Rectangle]]) -> None:
        """Show these as selected, by leaf, and nothing else."""
        if rectangles != self._selected:
            self._selected = rectangles
            self.viewport().update()

    # -- where the reader is -------------------------------------------------------------------------------------

    def show_leaf(self, index: int, fraction: float = 0.0) -> None:
        """Scroll a leaf to the top, or so far past it."""
        if len(self._stack):
            self._go_to((min(max(index, 0), len(self._stack) - 1), min(max(fraction, 0.0), 1.0)))

    def place(self) -> tuple[int, float]:
        """The leaf at the top of the viewport, and the fraction of it scrolled past."""
        height = self.verticalScrollBar().value()
        if self._gone_to is not None and round(self._stack.height_of(*self._gone_to)) == height:
            return self._gone_to
        return self._stack.place_at(height)

    @property
    def zoom(self) -> float:
        """Pixels a point."""
        return self._stack.zoom

    def set_zoom(self, factor: float) -> None:
        """Zoom around the middle of the viewport, within the bounds."""
        self._zoom_around(factor, self._middle())

    def zoom_in(self) -> None:
        """One step larger."""
        self.set_zoom(self.zoom * ZOOM_STEP)

    def zoom_out(self) -> None:
        """One step smaller."""
        self.set_zoom(self.zoom / ZOOM_STEP)

    def fit_width(self) -> None:
        """Make leaves as wide as the viewport, and keep them so."""
        self._fit = "width"
        self._arrange(self._zoom_in_force(), self._middle())

    def fit_leaf(self) -> None:
        """Make whole leaves fit the viewport, and keep them so; the one in the middle comes to the top."""
        self._fit = "leaf"
        middle = self._stack.at(self.verticalScrollBar().value() + self.viewport().height() / 2)
        self._arrange(self._zoom_in_force())
        self.show_leaf(middle)

    # -- laying out ----------------------------------------------------------------------------------------------

    def _zoom_around(self, factor: float, point: QPointF) -> None:
        self._fit = "free"
        self._arrange(min(max(factor, min(ZOOM_LEAST, self.zoom)), ZOOM_MOST), point)

    def _zoom_in_force(self) -> float:
        """The zoom that fits, or that was chosen; a bar counts as there, lest fitting and bars chase each other."""
        if self._fit == "free" or not len(self._stack):
            return self.zoom
        room, beside = self.maximumViewportSize(), self.verticalScrollBar().sizeHint().width()
        below = self.horizontalScrollBar().sizeHint().height() if self._stack.has_unusually_wide else 0
        height = room.height() - below if self._fit == "leaf" else math.inf
        return min(max(self._stack.fitting_zoom(room.width() - beside, height), _FIT_LEAST), ZOOM_MOST)

    def _arrange(self, zoom: float, fixed: QPointF | None = None) -> None:
        """Lay out anew at a zoom; the point `fixed` of the viewport stays where it is, else what is at the top does."""
        before, across, down = self.zoom, self.horizontalScrollBar(), self.verticalScrollBar()
        place = (self._gone_to or self.place()) if fixed is None else None
        fixed = QPointF(self.viewport().width() / 2, 0) if fixed is None else fixed
        aside = fixed.x() - self.viewport().width() / 2
        shift = (across.value() - across.maximum() / 2 + aside) * zoom / before - aside
        point = self._stack.point_at(down.value() + fixed.y())
        with self._moving():
            self._stack.arrange(zoom)
            self._set_ranges()
            across.setValue(round(shift + across.maximum() / 2))
            down.setValue(round(self._stack.height_of_point(*point) - fixed.y()))
        self._gone_to = place
        if place is not None:
            self._go_to(place)
        self._catch_up(zoom != before)

    def _catch_up(self, is_zoomed: bool) -> None:
        self.viewport().update()
        self._asking.start(_ZOOM_MS)
        self._tell_soon()
        if is_zoomed:
            self.zoom_changed.emit(self.zoom)

    def _set_ranges(self) -> None:
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        for _ in range(2):  # A bar takes room from the other one; some versions of Qt show it at once, some later.
            room = self.viewport().size()
            across.setRange(0, max(0, round(self._stack.width) - room.width()))
            across.setPageStep(room.width())
            down.setRange(0, min(_GREATEST, max(0, math.ceil(self._stack.height) - room.height())))
            down.setPageStep(max(1, room.height() - min(_LINE, room.height() // 10)))

    def _go_to(self, place: tuple[int, float]) -> None:
        self._gone_to = place
        with self._moving():
            self.verticalScrollBar().setValue(min(_GREATEST, round(self._stack.height_of(*place))))

    @contextmanager
    def _moving(self) -> Iterator[None]:
        """While the view itself moves bars, that is no scrolling by the reader."""
        outer, self._is_moving = self._is_moving, True
        try:
            yield
        finally:
            self._is_moving = outer

    def _visible(self) -> range:
        top = self.verticalScrollBar().value()
        return self._stack.between(top, top + self.viewport().height())

    def _middle(self) -> QPointF:
        return QPointF(self.viewport().width() / 2, self.viewport().height() / 2)

    def _leaf_box(self, index: int) -> QRectF:
        """Where a leaf lies in the viewport."""
        width, height = self._stack.size(index)
        across = self.horizontalScrollBar()
        middle = self.viewport().width() / 2 - across.value() + across.maximum() / 2
        return QRectF(middle - width / 2, self._stack.top(index) - self.verticalScrollBar().value(), width, height)

    def point_at(self, place: QPointF) -> tuple[int, float, float] | None:
        """The leaf at a place of the viewport, and how many points from its left and upper edge; None beside it."""
        near = self.point_near(place)
        return near if near is not None and self._leaf_box(near[0]).contains(place) else None

    def point_near(self, place: QPointF) -> tuple[int, float, float] | None:
        """The same, also beside the leaf and in the gap above it; None where no leaves are shown."""
        if not len(self._stack):
            return None
        index = self._stack.at(self.verticalScrollBar().value() + place.y())
        within = place - self._leaf_box(index).topLeft()
        return index, within.x() / self.zoom, within.y() / self.zoom

    @property
    def visible(self) -> range:
        """The leaves of which something is seen."""
        return self._visible() if len(self._stack) else range(0)

    def fraction_of(self, index: int, top: float) -> float:
        """The fraction of a leaf that lies above so many points below its upper edge."""
        return top / self._leaves[index].height if 0 <= index < len(self._leaves) and top > 0 else 0.0

    def _mark_box(self, leaf: QRectF, mark: Rectangle) -> QRectF:
        left, top, right, bottom = (side * self.zoom for side in mark)
        box = QRectF(QPointF(left, top), QPointF(right, bottom)).normalized().translated(leaf.topLeft())
        return box.adjusted(-_MARK_PADDING, -_MARK_PADDING, _MARK_PADDING, _MARK_PADDING).intersected(leaf)

    def _reveal(self, index: int) -> None:
        """Scroll to the first mark of a leaf, a third down the viewport, unless it is visible."""
        if not self._marks[index]:
            if index not in self._visible():
                self.show_leaf(index)
            return
        box, room = self._mark_box(self._leaf_box(index), self._marks[index][0]), self.viewport().rect()
        if box.top() < 0 or box.bottom() > room.height():
            rest = max(GAP, (room.height() - box.height()) / 3)
            self.verticalScrollBar().setValue(round(self.verticalScrollBar().value() + box.top() - rest))
        if box.left() < 0 or box.right() > room.width():
            rest = max(GAP, (room.width() - box.width()) / 2)
            self.horizontalScrollBar().setValue(round(self.horizontalScrollBar().value() + box.left() - rest))

    # -- asking and telling --------------------------------------------------------------------------------------

    def _scale(self) -> float:
        return self.zoom * self.devicePixelRatioF()

    def _is_wanted(self, scale: float) -> bool:
        return math.isclose(scale, self._scale(), rel_tol=_SAME_SCALE)

    def _lacking(self) -> tuple[int, ...]:
        """Leaves without the picture they should have: what is visible, the largest part first, then neighbours."""
        visible = self._visible()
        room = QRectF(self.viewport().rect())
        wanted = sorted(visible, key=lambda index: -self._leaf_box(index).intersected(room).height())
        used = sum(map(self._bytes_of, wanted))
        for index in (visible.stop, visible.start - 1):
            if 0 <= index < len(self._stack) and index not in visible:
                used += self._bytes_of(index)
                # A neighbour that there is no room for would be dropped as it comes, and asked for at every step.
                wanted += [index] if used <= self._pictures.limit else []
        lacking = [index for index in wanted if index not in self._failures and not self._has_wanted(index)]
        return tuple(sorted(lacking, key=self._has_lacking))  # What takes long comes after what shows nothing yet.

    def _has_wanted(self, index: int) -> bool:
        kept = self._pictures.get(index)
        return kept is not None and self._is_wanted(kept.scale) and not kept.goes_on

    def _has_lacking(self, index: int) -> bool:
        kept = self._pictures.get(index)
        return kept is not None and kept.goes_on

    def _bytes_of(self, index: int) -> float:
        width, height = self._stack.size(index)
        return 4 * width * height * self.devicePixelRatioF() ** 2

    def _forget_asking(self, index: int, scale: float) -> None:
        if math.isclose(scale, self._asked_scale, rel_tol=_SAME_SCALE):
            self._asked.discard(index)

    def _on_asking_due(self) -> None:
        if not self.isVisible():
            return  # Its size means nothing yet; being shown asks.
        for index in self._visible():
            self._pictures.touch(index)
        lacking, scale = self._lacking(), self._scale()
        is_asked = self._asked.issuperset(lacking) and math.isclose(scale, self._asked_scale, rel_tol=_SAME_SCALE)
        if lacking and not is_asked:
            self._asked, self._asked_scale = set(lacking), scale
            self.leaves_wanted.emit(lacking, scale)

    def _tell_soon(self) -> None:
        if not self._telling.isActive():
            self._telling.start()

    def _on_telling_due(self) -> None:
        place = self.place()
        if place != self._place_told:
            self._place_told = place
            self._describe(place[0])
            self.place_changed.emit(*place)

    def _describe(self, index: int) -> None:
        """Tell a screen reader the place (Qt sends the event) and what is wrong with the leaf there."""
        said, kept = "", self._pictures.get(index)
        if self._leaves:
            wrong = self._failures.get(index) or (lack_words(kept.lack, kept.goes_on) if kept else "")
            said = place_words(self._leaves[index], index + 1, len(self._leaves), wrong)
        self.setAccessibleDescription(said)

    def _on_theme_changed(self) -> None:
        self.viewport().update()

    # -- painting ------------------------------------------------------------------------------------------------

    def _repaint_leaf(self, index: int) -> None:
        if index in self._visible():
            self.viewport().update(self._leaf_box(index).toAlignedRect().adjusted(-2, -2, 2, 2))

    def _paint_leaf(self, painter: QPainter, index: int) -> None:
        kept = None if index in self._failures else self._pictures.get(index)
        box, fits = on_pixels(painter, self._leaf_box(index), kept.image if kept else None)
        room = box.intersected(QRectF(self.viewport().rect()))
        painter.fillRect(box.adjusted(-1, -1, 1, 1), self._theme.colour("border"))
        if kept is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not fits)
            painter.drawImage(box, kept.image, QRectF(kept.image.rect()))
        else:
            painter.fillRect(box, ink("raised"))
            name = self._leaves[index].label or str(index + 1)
            paint_instead(painter, room, name, self._failures.get(index), self.font(), box.width())
        self._paint_marks(painter, box, self._marks.get(index, ()), self._mark_colour)
        self._paint_marks(painter, box, self._selected.get(index, ()), "selection")
        if kept is not None and kept.lack:
            paint_note(painter, room, lack_words(kept.lack, kept.goes_on), self.font())

    def _paint_marks(self, painter: QPainter, box: QRectF, marks: Sequence[Rectangle], colour: str) -> None:
        """Marks are multiplied over the leaf, as a pen would; where two overlap it is as if they were one."""
        if not marks:
            return
        path = QPainterPath()
        path.setFillRule(Qt.FillRule.WindingFill)
        for mark in marks:
            path.addRect(self._mark_box(box, mark))
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        painter.fillPath(path, ink(colour))
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)

    # -- what Qt tells -------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what is visible."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._theme.colour("window"))
        top = self.verticalScrollBar().value()
        for index in self._stack.between(top + event.rect().top() - 1, top + event.rect().bottom() + 2):
            self._paint_leaf(painter, index)
        painter.end()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Note that a bar was moved, by the reader or by us."""
        self.viewport().update()
        if not self._is_moving:
            self._gone_to = None
        if not self._asking.isActive():  # Not put off again and again: a long scroll shall show leaves on its way.
            self._asking.start(_SCROLL_MS)
        self._tell_soon()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the place at the top, and the fit."""
        super().resizeEvent(event)
        if not self._is_moving:  # Bars that come and go while leaves are laid out resize the viewport too.
            self._arrange(self._zoom_in_force())

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for what is lacking, whatever was asked for before."""
        super().showEvent(event)
        self._asked = set()
        self._asking.start(_SCROLL_MS)

    def event(self, event: QEvent) -> bool:
        """Ask for other pictures when the view comes to a screen of another density."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._asking.start(_ZOOM_MS)
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space, Home and End; the scroll area knows arrows and Page Up and Down."""
        action = _PAGE_KEYS.get(Qt.Key(event.key()))
        if action is None or event.modifiers() & (Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier):
            super().keyPressEvent(event)
            return
        if event.key() == Qt.Key.Key_Space and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            action = QAbstractSlider.SliderAction.SliderPageStepSub
        self.verticalScrollBar().triggerAction(action)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl, around the pointer; else scroll, by the very pixels where a touchpad gives them."""
        pixels = event.pixelDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._zoom_around(self.zoom * ZOOM_STEP ** (event.angleDelta().y() / 120), event.position())
        elif not pixels.isNull() and QGuiApplication.platformName() != "xcb":  # Qt calls them unreliable on X11.
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() - pixels.x())
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() - pixels.y())
        else:
            super().wheelEvent(event)
            return
        event.accept()
