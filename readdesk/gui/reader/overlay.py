"""What is painted over the text that Qt has set: readings above their words, rules of tables, numbers of printed pages.

Qt's text engine knows no ruby, no borders of a paragraph and no notes in the margin, and as characters they would shift
every position. What must stay true: painting costs what is visible, and nothing painted here moves a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen, QTextBlock, QTextCursor, QTextDocument

from readdesk.documents.model import Mark
from readdesk.gui.reader.sheet import Sheet
from readdesk.gui.reader.tables import Row
from readdesk.gui.reader.typeset import RUBY_SIZE, SANS, Setting
from readdesk.gui.theme import Theme

_PAGE_POINTS = 8.0
_PAGE_GAP = 10


class Overlay:
    """Paints over one text view."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme

    def paint(self, painter: QPainter, sheet: Sheet, shown: QRectF, zoom: float) -> None:
        """Paint over the part of a document that is shown; the painter counts in the document's own pixels."""
        names = QFont()
        names.setFamilies(SANS)
        names.setPointSizeF(_PAGE_POINTS * min(1.6, max(0.8, zoom)))
        for block, room in _blocks(sheet.document, shown):
            paragraph = sheet.paragraph(block)
            if paragraph is None:
                continue
            setting = sheet.settings[paragraph.start]
            row = sheet.rows.get(paragraph.start)
            if row is not None:
                self._rule(painter, block, room, row)
            for mark in paragraph.marks:
                if mark.kind == "ruby":
                    self._reading(painter, block, room, setting, mark)
                elif mark.kind == "page":
                    painter.setFont(names)
                    self._page(painter, block, room, setting.place_of(mark.start), mark.value)

    def _rule(self, painter: QPainter, block: QTextBlock, room: QRectF, row: Row) -> None:
        """A thin line below a row, a stronger one below a head."""
        if row.is_last and row.is_first:
            return
        painter.setPen(QPen(self._theme.colour("muted" if row.is_head else "border"), 1.0))
        # The room below a block's last line belongs to no block.
        height = round(room.bottom() + 0.26 * block.layout().lineAt(0).height()) + 0.5
        width = min(row.width, room.width())
        is_reversed = block.blockFormat().layoutDirection() == Qt.LayoutDirection.RightToLeft
        left = room.right() - width if is_reversed else room.left()
        painter.drawLine(QPointF(left, height), QPointF(left + width, height))

    def _reading(self, painter: QPainter, block: QTextBlock, room: QRectF, setting: Setting, mark: Mark) -> None:
        """The reading above its words; where they are broken over lines, as much of it over each as has its words."""
        first, last = setting.place_of(mark.start), setting.end_of(mark.end)
        parts = list(_parts(block, first, last))
        painter.setPen(self._theme.colour("muted"))
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + first + 1)
        font = cursor.charFormat().font()
        font.setPointSizeF(font.pointSizeF() * RUBY_SIZE)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        divided = _divided(mark.value, [part[0] for part in parts])
        for words, (_, left, right, top) in zip(divided, parts, strict=True):
            width = metrics.horizontalAdvance(words)
            left = min(max(room.left(), room.left() + (left + right - width) / 2), room.right() - width)
            height = metrics.height()
            place = QRectF(left - 2, room.top() + top - 0.86 * height, width + 4, height)
            painter.drawText(place, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter, words)

    def _page(self, painter: QPainter, block: QTextBlock, room: QRectF, at: int, name: str) -> None:
        """The number of a printed page in the margin, beside the line in which it begins."""
        margin = block.document().rootFrame().frameFormat().leftMargin()
        width = QFontMetricsF(painter.font()).horizontalAdvance(name)
        line = block.layout().lineForTextPosition(at)
        if line.isValid() and width + _PAGE_GAP + 2 <= margin:
            painter.setPen(self._theme.colour("muted"))
            painter.drawText(QPointF(margin - width - _PAGE_GAP, room.top() + line.y() + line.ascent()), name)


def _blocks(document: QTextDocument, shown: QRectF) -> Iterator[tuple[QTextBlock, QRectF]]:
    """The blocks of which something is shown, with where they stand."""
    layout = document.documentLayout()
    above = QPointF(document.rootFrame().frameFormat().leftMargin() + 1, max(0.0, shown.top() - 40))
    block = document.findBlock(max(0, layout.hitTest(above, Qt.HitTestAccuracy.FuzzyHit)))
    while block.isValid():
        room = layout.blockBoundingRect(block)
        if room.top() > shown.bottom() + 40:
            return
        yield block, room
        block = block.next()


def _parts(block: QTextBlock, first: int, last: int) -> Iterator[tuple[int, float, float, float]]:
    """The parts of a span on each of its lines: how many places, from where to where, and the line's top."""
    layout = block.layout()
    while first < last:
        line = layout.lineForTextPosition(first)
        if not line.isValid():
            return
        end = min(last, line.textStart() + line.textLength())
        left, right = (_x(line.cursorToX(place)) for place in (first, end))
        yield end - first, min(left, right), max(left, right), line.y()
        first = max(end, first + 1)


def _x(found: object) -> float:
    """PySide gives the place with the character it belongs to."""
    return float(found[0]) if isinstance(found, tuple) else float(found)  # type: ignore[arg-type]


def _divided(words: str, shares: Sequence[int]) -> list[str]:
    """A reading in parts as long as the shares."""
    whole, parts, at = max(1, sum(shares)), [], 0
    done = 0
    for share in shares:
        done += share
        end = round(len(words) * done / whole)
        parts.append(words[at:end])
        at = end
    return parts
