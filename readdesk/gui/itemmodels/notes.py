"""Highlights and notes as a list: what each row says, and how it is drawn.

A row is the page and what kind of mark it is, the marked words behind a bar of the mark's colour, and below them what
was noted. What must stay true: a row is never higher than a few lines, however long the note; its tool tip has all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QTextLayout, QTextOption
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from readdesk.documents.model import MarkupKind
from readdesk.gui.figures import draw_line, plain_tip
from readdesk.gui.reader.pagenames import joined
from readdesk.gui.theme import Theme
from readdesk.library.model import Highlight

Index = QModelIndex | QPersistentModelIndex

_PADDING = 8
_BAR = 4
_MOST_LINES = 6
_LONGEST = 600


class NoteRole(IntEnum):
    """What the delegate and the pane ask for besides the text."""

    HIGHLIGHT = Qt.ItemDataRole.UserRole
    HEAD = Qt.ItemDataRole.UserRole + 1
    """The page, the kind of mark, who made it."""
    WORDS = Qt.ItemDataRole.UserRole + 2
    """The marked words and the note, as they are copied."""


class NoteList(QAbstractListModel):
    """The highlights and notes of one document."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self._highlights: tuple[Highlight, ...] = ()
        self._page_of: Callable[[Highlight], str] = lambda _: ""

    def show(self, highlights: Sequence[Highlight], page_of: Callable[[Highlight], str]) -> None:
        """Show these."""
        self.beginResetModel()
        self._highlights, self._page_of = tuple(highlights), page_of
        self.endResetModel()

    def remove(self, highlight: Highlight) -> None:
        """Show this one no more."""
        row = next((row for row, known in enumerate(self._highlights) if known.id == highlight.id), None)
        if row is not None:
            self.beginRemoveRows(QModelIndex(), row, row)
            self._highlights = self._highlights[:row] + self._highlights[row + 1 :]
            self.endRemoveRows()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._highlights)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        highlight = self._highlights[index.row()]
        values: dict[int, Callable[[], Any]] = {
            Qt.ItemDataRole.DisplayRole: lambda: _one_line(highlight.quote or highlight.note)[:_LONGEST],
            Qt.ItemDataRole.ToolTipRole: lambda: plain_tip(self._words(highlight), 1500).replace("\n", "<br>"),
            Qt.ItemDataRole.AccessibleTextRole: lambda: f"{self._head(highlight)}. {self._words(highlight)}",
            NoteRole.HIGHLIGHT: lambda: highlight,
            NoteRole.HEAD: lambda: self._head(highlight),
            NoteRole.WORDS: lambda: self._words(highlight),
        }
        return values[role]() if role in values else None

    @staticmethod
    def _words(highlight: Highlight) -> str:
        return "\n\n".join(filter(None, (highlight.quote.strip(), highlight.note.strip())))

    def _head(self, highlight: Highlight) -> str:
        return joined(self._page_of(highlight), self._kind(highlight.kind), _one_line(highlight.author)[:60])

    def _kind(self, kind: MarkupKind) -> str:
        return {
            "highlight": self.tr("highlight"),
            "underline": self.tr("underlined"),
            "strikeout": self.tr("struck out"),
            "note": self.tr("note"),
            "text": self.tr("typed on the page"),
            "drawing": self.tr("drawing"),
        }[kind]


class NoteDelegate(QStyledItemDelegate):
    """Draws the rows of one list view."""

    def __init__(self, theme: Theme, view: QListView) -> None:
        super().__init__(view)
        self._theme = theme
        self._view = view
        theme.changed.connect(view.viewport().update)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        width = max(60, self._view.viewport().width())
        head = QFontMetricsF(self._small()).height() + 4
        height = head + sum(part.boundingRect().height() + 4 for part in self._parts(index, self._inner(width)))
        return QSize(width, int(height) + 2 * _PADDING)

    @staticmethod
    def _inner(width: int) -> int:
        return width - 2 * _PADDING - _BAR - 14

    def _small(self) -> QFont:
        font = QFont(self._view.font())
        font.setPointSizeF(font.pointSizeF() * 0.9)
        return font

    def _parts(self, index: Index, width: int) -> list[QTextLayout]:
        """The marked words and the note below them, laid out."""
        highlight: Highlight = index.data(NoteRole.HIGHLIGHT)
        texts = [_one_line(text)[:_LONGEST] for text in (highlight.quote, highlight.note) if text.strip()]
        return [_laid_out(text, self._view.font(), width) for text in texts]

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        highlight: Highlight = index.data(NoteRole.HIGHLIGHT)
        room = option.rect.adjusted(4, 2, -8, -2)
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.setPen(QPen(self._theme.colour("accent" if is_chosen else "border"), 1))
        painter.setBrush(self._theme.colour("accent_soft" if is_chosen else "raised"))
        painter.drawRoundedRect(QRectF(room).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        self._paint_bar(painter, room, highlight)
        left = room.left() + _PADDING + _BAR + 2
        width = self._inner(option.rect.width())
        head = QRectF(left, room.top() + _PADDING - 3, width, QFontMetricsF(self._small()).height())
        painter.setFont(self._small())
        painter.setPen(self._theme.colour("muted"))
        draw_line(painter, head, index.data(NoteRole.HEAD), Qt.AlignmentFlag.AlignVCenter)
        top = head.bottom() + 4
        for number, part in enumerate(self._parts(index, width)):
            is_note = bool(number) or not highlight.quote.strip()
            painter.setPen(self._theme.colour("text" if not number else "accent" if is_note else "text"))
            part.draw(painter, QPointF(left, top))
            top += part.boundingRect().height() + 4
        painter.restore()

    def _paint_bar(self, painter: QPainter, room: QRect, highlight: Highlight) -> None:
        colour = QColor(highlight.colour) if QColor.isValidColorName(highlight.colour) else self._theme.colour("mark")
        painter.setPen(QPen(self._theme.colour("border"), 0.5))
        painter.setBrush(colour)
        painter.drawRoundedRect(QRectF(room.left() + 5, room.top() + 7, _BAR + 1, room.height() - 14), 2, 2)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _laid_out(text: str, font: QFont, width: int) -> QTextLayout:
    """Words in so many lines at most, the last one elided where there are more."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    ends = _line_ends(layout, width)
    if len(ends) <= _MOST_LINES:
        return layout
    shorter = QTextLayout(text[: ends[_MOST_LINES - 1]].rstrip()[:-1] + "\u2026", font)
    shorter.setTextOption(option)
    _line_ends(shorter, width)
    return shorter


def _line_ends(layout: QTextLayout, width: int) -> list[int]:
    ends, height = [], 0.0
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(20, width))
        line.setPosition(QPointF(0, height))
        height += line.height() * 1.06
        ends.append(line.textStart() + line.textLength())
    layout.endLayout()
    return ends
