"""Draws the rows of the gist tree: sections with their state, pages as a small card of words, paragraphs beneath.

Rows are as high as their words need at the width there is. Setting words costs, so heights are remembered by text and
width; Qt asks for a row's height again only when it changed.
"""

from __future__ import annotations

from collections import OrderedDict
from math import ceil

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTreeView

from readdesk.gui.figures import draw_line
from readdesk.gui.itemmodels.gisttree import (
    DONE,
    FAILED,
    LEFT_OUT,
    PAGE,
    PARAGRAPH,
    SECTION,
    TODO,
    WORKING,
    Role,
)
from readdesk.gui.theme import Theme

_PADDING = 7
_STATE = 16
_HEIGHTS_KEPT = 4_000
_ICONS = {
    TODO: ("circle", "muted"),
    WORKING: ("spinner", "busy"),
    DONE: ("check-circle", "good"),
    LEFT_OUT: ("minus", "muted"),
}
_FAILED_ICON = ("warning-circle", "bad")

Index = QModelIndex | QPersistentModelIndex


class GistDelegate(QStyledItemDelegate):
    """Draws sections, pages and paragraphs for one tree view."""

    def __init__(self, theme: Theme, view: QTreeView, *, with_states: bool = True) -> None:
        super().__init__(view)
        self._with_states = with_states
        self._theme = theme
        self._view = view
        self._heights: OrderedDict[tuple[str, int, str], int] = OrderedDict()
        theme.changed.connect(view.viewport().update)

    # -- sizes ---------------------------------------------------------------------------------------------------

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        kind = index.data(Role.KIND)
        width = self._width(index)
        line = int(QFontMetricsF(self._small()).height())
        if kind == SECTION:
            return QSize(width, int(QFontMetricsF(self._view.font()).height()) + 12)
        text = self._height(index.data(Qt.ItemDataRole.DisplayRole) or "", width - 2 * _PADDING, kind)
        head = line + 4 if kind == PAGE else 0
        return QSize(width, text + head + 2 * _PADDING + (4 if kind == PAGE else 0))

    def _width(self, index: Index) -> int:
        depth = 0
        parent = index.parent()
        while parent.isValid():
            depth, parent = depth + 1, parent.parent()
        indent = self._view.indentation() * (depth + (1 if self._view.rootIsDecorated() else 0))
        return max(60, self._view.viewport().width() - indent - 6)

    def _height(self, text: str, width: int, kind: str) -> int:
        key = (text, width, kind)
        if key not in self._heights:
            self._heights[key] = int(self._laid_out(text, self._font(kind), width).boundingRect().height())
            if len(self._heights) > _HEIGHTS_KEPT:
                self._heights.popitem(last=False)
        return self._heights[key]

    def _font(self, kind: str) -> QFont:
        return self._small() if kind == PARAGRAPH else QFont(self._view.font())

    def _small(self) -> QFont:
        font = QFont(self._view.font())
        font.setPointSizeF(font.pointSizeF() * 0.9)
        return font

    @staticmethod
    def _laid_out(text: str, font: QFont, width: int) -> QTextLayout:
        layout = QTextLayout(text.replace("\n", "\u2028"), font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        height = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(20, width))
            line.setPosition(QPointF(0, height))
            height += line.height() * 1.06
        layout.endLayout()
        return layout

    # -- painting ------------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rectangle = option.rect.adjusted(0, 1, -6, -1)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        kind = index.data(Role.KIND)
        if kind == SECTION:
            self._paint_section(painter, rectangle, index, chosen)
        elif kind == PAGE:
            self._paint_page(painter, rectangle, index, chosen)
        else:
            self._paint_paragraph(painter, rectangle, index, chosen)
        painter.restore()

    def _ground(self, painter: QPainter, rectangle: QRect, fill: str | None, edge: str | None) -> None:
        painter.setPen(QPen(self._theme.colour(edge), 1) if edge else Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour(fill) if fill else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(rectangle).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)

    def _paint_section(self, painter: QPainter, rectangle: QRect, index: Index, chosen: bool) -> None:
        if chosen:
            self._ground(painter, rectangle, "accent_soft", None)
        state = index.data(Role.STATE)
        font = QFont(self._view.font())
        font.setWeight(QFont.Weight.DemiBold if index.data(Role.HERE) else QFont.Weight.Normal)
        painter.setFont(font)
        is_left_out = index.data(Role.LEFT_OUT)
        font.setItalic(is_left_out)
        painter.setFont(font)
        is_muted = is_left_out or (self._with_states and state == TODO and not index.data(Role.HERE))
        painter.setPen(self._theme.colour("muted" if is_muted else "text"))
        taken = _STATE + 10 if self._with_states else self._paint_printed(painter, rectangle, index)
        room = rectangle.adjusted(4, 0, -taken, 0)
        draw_line(painter, QRectF(room), index.data(), Qt.AlignmentFlag.AlignVCenter)
        if self._with_states:
            place = QRect(rectangle.right() - _STATE - 4, rectangle.center().y() - 7, 16, 16)
            self._paint_state(painter, place, state)

    def _paint_printed(self, painter: QPainter, rectangle: QRect, index: Index) -> int:
        """The printed page on which a section begins, at the end of its line; returns the pixels that this takes."""
        label = index.data(Role.PRINTED)
        if not label:
            return 0
        painter.save()
        painter.setFont(self._small())
        painter.setPen(self._theme.colour("muted"))
        width = min(ceil(QFontMetricsF(painter.font()).horizontalAdvance(label)), rectangle.width() // 3)
        room = QRectF(rectangle.right() - width - 4, rectangle.top(), width, rectangle.height())
        draw_line(painter, room, label, Qt.AlignmentFlag.AlignVCenter)
        painter.restore()
        return width + 12

    def _paint_page(self, painter: QPainter, rectangle: QRect, index: Index, chosen: bool) -> None:
        lit, here = index.data(Role.LIT), index.data(Role.HERE)
        edge = "accent" if chosen or here else "border"
        self._ground(painter, rectangle, "accent_soft" if lit or chosen else "raised", edge)
        if lit:
            painter.setBrush(self._theme.colour("accent"))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(QRectF(rectangle.left(), rectangle.top() + 6, 3, rectangle.height() - 12), 1.5, 1.5)
        inner = rectangle.adjusted(_PADDING, _PADDING - 1, -_PADDING, -_PADDING)
        small = self._small()
        height = int(QFontMetricsF(small).height())
        self._paint_head(painter, QRect(inner.left(), inner.top(), inner.width(), height), index, small)
        self._paint_words(painter, inner.adjusted(0, height + 4, 0, 0), index.data(), PAGE, "text")

    def _paint_head(self, painter: QPainter, room: QRect, index: Index, small: QFont) -> None:
        """The line over a gist: the page's number, its length, its state."""
        record = index.data(Role.PAGE)
        bold = QFont(small)
        bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        painter.setPen(self._theme.colour("accent"))
        name = self.tr("Page {number}").format(number=record.page.number)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)
        taken = int(QFontMetricsF(bold).horizontalAdvance(name)) + 8
        painter.setFont(small)
        painter.setPen(self._theme.colour("muted"))
        rest = room.adjusted(taken, 0, -_STATE - 4, 0)
        note = QFontMetricsF(small).elidedText(index.data(Role.NOTE), Qt.TextElideMode.ElideRight, rest.width())
        painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, note)
        state = QRect(room.right() - _STATE + 1, room.center().y() - 7, 16, 16)
        self._paint_state(painter, state, index.data(Role.STATE))

    def _paint_paragraph(self, painter: QPainter, rectangle: QRect, index: Index, chosen: bool) -> None:
        if chosen:
            self._ground(painter, rectangle, "accent_soft", None)
        painter.fillRect(
            QRect(rectangle.left(), rectangle.top() + 3, 2, rectangle.height() - 6), self._theme.colour("border")
        )
        self._paint_words(
            painter, rectangle.adjusted(_PADDING, _PADDING, -_PADDING, -_PADDING), index.data(), PARAGRAPH, "muted"
        )

    def _paint_words(self, painter: QPainter, room: QRect, text: str, kind: str, colour: str) -> None:
        painter.setPen(self._theme.colour(colour))
        self._laid_out(text or "", self._font(kind), room.width()).draw(painter, QPointF(room.topLeft()))

    def _paint_state(self, painter: QPainter, room: QRect, state: str) -> None:
        name, colour = _FAILED_ICON if state == FAILED else _ICONS[state]
        self._theme.icon(name, colour).paint(painter, room)
