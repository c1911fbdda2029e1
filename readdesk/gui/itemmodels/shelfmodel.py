"""The library as a list, with rows of two lines and how far each book is read."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from readdesk.documents.model import Format
from readdesk.gui.figures import draw_line, pages, percent, plain_tip, words
from readdesk.gui.theme import Theme
from readdesk.library.model import ShelfEntry

Index = QModelIndex | QPersistentModelIndex
_ICONS: dict[Format, str] = {
    "pdf": "file-pdf",
    "epub": "book-bookmark",
    "text": "file-text",
    "markdown": "article",
    "html": "globe",
    "fb2": "book-bookmark",
    "mobi": "book-bookmark",
    "xps": "file-pdf",
    "cbz": "image",
}
_PADDING = 14


class ShelfRole(IntEnum):
    """What the delegate and the filter ask for."""

    ENTRY = Qt.ItemDataRole.UserRole
    NOTE = Qt.ItemDataRole.UserRole + 1
    SEARCHED = Qt.ItemDataRole.UserRole + 2


class ShelfModel(QAbstractListModel):
    """Every document of the library."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[ShelfEntry, ...] = ()

    def show(self, entries: Sequence[ShelfEntry]) -> None:
        """Show these, anew."""
        self.beginResetModel()
        self._entries = tuple(entries)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        document = entry.document
        if role == Qt.ItemDataRole.DisplayRole:
            return document.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(document.title)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{document.title}. {self._note(entry)}"
        if role == ShelfRole.ENTRY:
            return entry
        if role == ShelfRole.NOTE:
            return self._note(entry)
        if role == ShelfRole.SEARCHED:
            return f"{document.title} {' '.join(document.authors)}"
        return None

    def _note(self, entry: ShelfEntry) -> str:
        """Who wrote it, how long it is, how far it is read."""
        parts = [", ".join(entry.document.authors), words(entry.document.words)]
        progress = entry.progress
        if progress.complete and progress.gists:
            parts.append(self.tr("{pages} with gists").format(pages=pages(progress.gists)))
        elif progress.gists:
            parts.append(
                self.tr("{pages} with gists, {share} %").format(
                    pages=pages(progress.gists), share=percent(progress.share)
                )
            )
        return " \u00b7 ".join(filter(None, parts))


class ShelfDelegate(QStyledItemDelegate):
    """Draws a book: an icon of its format, its title, a note, and how far it is read as a bar."""

    def __init__(self, theme: Theme, view: QListView) -> None:
        super().__init__(view)
        self._theme = theme
        self._view = view
        theme.changed.connect(view.viewport().update)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        line = QFontMetricsF(self._view.font()).height()
        return QSize(200, int(2.3 * line + 2 * 10))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = option.rect.adjusted(2, 2, -2, -2)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if chosen or hovered:
            painter.setPen(self._theme.colour("accent") if chosen else Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("accent_soft" if chosen else "raised"))
            painter.drawRoundedRect(QRectF(room).adjusted(0.5, 0.5, -0.5, -0.5), 7, 7)
        entry = index.data(ShelfRole.ENTRY)
        icon = QRect(room.left() + _PADDING, room.center().y() - 13, 26, 26)
        self._theme.icon(_ICONS[entry.document.format], "accent").paint(painter, icon)
        self._paint_words(painter, room.adjusted(2 * _PADDING + 26, 9, -_PADDING, -9), index, entry)
        painter.restore()

    def _paint_words(self, painter: QPainter, room: QRect, index: Index, entry: ShelfEntry) -> None:
        has_bar = entry.progress.gists > 0
        text_room = room.adjusted(0, 0, -110 if has_bar else 0, 0)
        title = QFont(self._view.font())
        title.setWeight(QFont.Weight.DemiBold)
        small = QFont(self._view.font())
        small.setPointSizeF(small.pointSizeF() * 0.9)
        for font, colour, text, place in (
            (title, "text", index.data(), Qt.AlignmentFlag.AlignTop),
            (small, "muted", index.data(ShelfRole.NOTE), Qt.AlignmentFlag.AlignBottom),
        ):
            painter.setFont(font)
            painter.setPen(self._theme.colour(colour))
            draw_line(painter, QRectF(text_room), text, place)
        if has_bar:
            self._paint_bar(painter, QRectF(room.right() - 92, room.center().y() - 2, 92, 5), entry)

    def _paint_bar(self, painter: QPainter, room: QRectF, entry: ShelfEntry) -> None:
        share = 1.0 if entry.progress.complete else entry.progress.share
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("border"))
        painter.drawRoundedRect(room, 2.5, 2.5)
        painter.setBrush(self._theme.colour("good" if entry.progress.complete else "accent"))
        painter.drawRoundedRect(
            QRectF(room.left(), room.top(), max(5.0, room.width() * share), room.height()), 2.5, 2.5
        )
