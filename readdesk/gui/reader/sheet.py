"""What is set in a text view: paragraphs in a document of Qt's, and the ways between positions and the screen.

Places are counted in the document's pixels from its top. What must stay true: every question costs what is set, never
what the book is long.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

from readdesk.documents.model import Paragraph
from readdesk.gui.reader.tables import Row
from readdesk.gui.reader.typeset import PICTURES, Setting


class Sheet:
    """Paragraphs, at least one, that are set in a document: where their characters stand, and which are rows."""

    def __init__(
        self,
        document: QTextDocument,
        paragraphs: Sequence[Paragraph],
        settings: Mapping[int, Setting],
        rows: Mapping[int, Row],
    ) -> None:
        self.document = document
        self.settings = settings
        self.rows = rows
        self._paragraphs = paragraphs
        self._starts = [paragraph.start for paragraph in paragraphs]
        self._by_start = {paragraph.start: paragraph for paragraph in paragraphs}

    def paragraph(self, block: QTextBlock) -> Paragraph | None:
        """The paragraph that is set in a block; None in one that holds pictures alone."""
        return self._by_start.get(block.userState())

    def block_of(self, position: int) -> tuple[QTextBlock, int]:
        """The block in which a position stands, and its place in there."""
        number = max(0, bisect_right(self._starts, position) - 1)
        paragraph = self._paragraphs[number]
        setting = self.settings[paragraph.start]
        block = self.document.findBlockByNumber(setting.block)
        offset = min(max(0, position - paragraph.start), len(paragraph.text))
        return block, setting.place_of(offset) if offset else 0

    def spans_between(self, start: int, end: int) -> list[tuple[int, int]]:
        """The spans of the document that hold the words between two positions, as far as they are set."""
        spans = []
        for paragraph in self._paragraphs:
            if paragraph.end > start and paragraph.start < end:
                setting = self.settings[paragraph.start]
                block, _ = self.block_of(paragraph.start)
                first = setting.place_of(max(0, start - paragraph.start))
                last = setting.end_of(min(end, paragraph.end) - paragraph.start)
                spans.append((block.position() + first, block.position() + last))
        return spans

    def position_at(self, y: float) -> int:
        """The position of the line at a height."""
        below = y + 2
        x = self.document.rootFrame().frameFormat().leftMargin() + 1
        place = self.document.documentLayout().hitTest(QPointF(x, below), Qt.HitTestAccuracy.FuzzyHit)
        block = self.document.findBlock(max(0, place))
        while block.userState() == PICTURES and block.next().isValid():
            block = block.next()
        if block.userState() < 0:
            return self._paragraphs[-1].end
        setting = self.settings[block.userState()]
        below -= self.document.documentLayout().blockBoundingRect(block).top()
        for number in range(block.layout().lineCount()):
            line = block.layout().lineAt(number)
            if line.y() + line.height() > below:  # By its height alone: at the left a line of Hebrew ends.
                return block.userState() + setting.offset_of(line.textStart())
        return block.userState() + setting.offset_of(block.length() - 1)

    def top_of(self, position: int) -> float:
        """How far down the line of a position is."""
        block, place = self.block_of(position)
        rectangle = self.document.documentLayout().blockBoundingRect(block)
        line = block.layout().lineForTextPosition(place)
        return rectangle.top() + (line.y() if line.isValid() and place else 0.0)

    def selected(self, cursor: QTextCursor) -> tuple[int, int] | None:
        """The positions between which words are selected, from where to where; None for none."""
        ends = []
        for place in (cursor.anchor(), cursor.position()) if cursor.hasSelection() else ():
            block = self.document.findBlock(place)
            setting = self.settings.get(block.userState())
            if setting is not None:
                ends.append(block.userState() + setting.offset_of(place - block.position()))
        return (ends[0], ends[1]) if len(ends) == 2 else None

    def cursor_over(self, selected: tuple[int, int]) -> QTextCursor | None:
        """A cursor that selects the words between two positions; None where one of them is not set."""
        first, last = self._paragraphs[0].start, self._paragraphs[-1].end
        if not all(first <= end < last for end in selected):
            return None
        cursor = QTextCursor(self.document)
        modes = QTextCursor.MoveMode.MoveAnchor, QTextCursor.MoveMode.KeepAnchor
        for position, mode in zip(selected, modes, strict=True):
            block, place = self.block_of(position)
            cursor.setPosition(block.position() + place, mode)
        return cursor
