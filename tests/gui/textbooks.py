"""A long made-up book of every kind of paragraph, and the text view over it with the hands and eyes of a person."""

from __future__ import annotations

import random
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollBar, QTextBrowser
from pytestqt.qtbot import QtBot

from readdesk.documents.model import Kind, Mark, Paragraph
from readdesk.gui.reader.text import TextView
from readdesk.gui.theme import Theme

HEIGHT, WIDTH = 700, 640
NONE = Qt.KeyboardModifier.NoModifier


class Book:
    """A long book of every kind of paragraph; each says its own number."""

    def __init__(self, count: int = 600, seed: int = 1) -> None:
        chance = random.Random(seed)
        self.paragraphs: list[Paragraph] = []
        self.most = 0
        for number in range(count):
            start = self.paragraphs[-1].end if self.paragraphs else 0
            self.paragraphs.append(_paragraph(number, start, chance))
        self.length = self.paragraphs[-1].end

    def source(self, start: int, end: int) -> Sequence[Paragraph]:
        """As the library gives them."""
        found = [paragraph for paragraph in self.paragraphs if paragraph.end > start and paragraph.start < end]
        self.most = max(self.most, sum(len(paragraph.text) for paragraph in found))
        return found

    def at(self, position: int) -> Paragraph:
        return next(paragraph for paragraph in reversed(self.paragraphs) if paragraph.start <= position)

    def text(self, start: int, end: int) -> str:
        return "".join(paragraph.text for paragraph in self.paragraphs)[start:end]


def _paragraph(number: int, start: int, chance: random.Random) -> Paragraph:
    kind: Kind = "text"
    level, marks = 0, tuple[Mark, ...]()
    text = f"P{number} " + " ".join(f"w{number}x{word}" for word in range(chance.randrange(5, 120)))
    match number % 12:
        case 0:
            kind, level, text = "heading", 1 + number % 3, f"P{number} Chapter"
        case 3:
            kind, level, marks = "item", 1, (Mark(0, 0, "label", "12."),)
        case 5:
            kind, text = "verse", "\n".join(f"P{number} verse line {line}" for line in range(9))
        case 7:
            text = f"P{number} " + "漢字仮名交じり文の段落𠮷。" * chance.randrange(3, 30)
        case 8:
            text = f"P{number} " + "שלום זהו משפט בעברית שנמשך עוד " * chance.randrange(3, 15)
        case 9:
            marks = (Mark(0, 0, "image", f"before{number % 36}.png"),)
        case 10:
            marks = (Mark(20, 20, "image", f"within{number % 36}.png"),)
        case 11:
            kind, text = "code", f"if p{number} < 3:\n    return <b>'😀'</b> & x\n" * 4
    return Paragraph(0, start, text, (), kind, level, marks)


class Shown:
    """A view that is shown, and what a person sees of it."""

    def __init__(self, bot: QtBot, theme: Theme, book: Book, position: int = 0) -> None:
        self.bot, self.book = bot, book
        self.view = TextView(theme)
        bot.addWidget(self.view)
        self.wanted: list[tuple[str, int]] = []
        self.view.picture_wanted.connect(lambda member, width: self.wanted.append((member, width)))
        self.view.resize(WIDTH, HEIGHT)
        self.view.show()
        bot.waitExposed(self.view)
        self.view.open(book.source, book.length, position)

    @property
    def browser(self) -> QTextBrowser:
        return self.view.findChildren(QTextBrowser)[0]

    @property
    def bar(self) -> QScrollBar:
        return next(bar for bar in self.view.findChildren(QScrollBar) if bar.parent() is self.view)

    @property
    def own_bar(self) -> QScrollBar:
        return self.browser.verticalScrollBar()

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
        QTest.keyClick(self.browser, key, modifier)

    def wheel(self, steps: int, modifier: Qt.KeyboardModifier = NONE) -> None:
        event = QWheelEvent(
            *(QPointF(100, 100), QPointF(100, 100), QPoint(), QPoint(0, 120 * steps)),
            *(Qt.MouseButton.NoButton, modifier, Qt.ScrollPhase.NoScrollPhase, False),
        )
        QApplication.sendEvent(self.browser.viewport(), event)

    def top_line(self) -> str:
        """The words of the first line that stands whole on the screen, as a person reads them."""
        cursor = self.browser.cursorForPosition(QPoint(self.browser.viewport().width() // 2, 6))
        block = cursor.block()
        line = block.layout().lineForTextPosition(cursor.positionInBlock())
        text = block.text().encode("utf-16-le")
        return text[2 * line.textStart() : 2 * (line.textStart() + line.textLength())].decode("utf-16-le").strip()

    def marked(self) -> list[str]:
        return [selection.cursor.selectedText() for selection in self.browser.extraSelections()]

    def settle(self) -> None:
        """Wait until the view has told its place: what was moved has come to rest then."""
        with self.bot.waitSignal(self.view.place_changed):
            self.view.show_position(self.view.position)

    def resize(self, width: int, height: int = HEIGHT) -> None:
        """Resize and wait until the lines are set for that."""
        before = self.browser.document().rootFrame().frameFormat().leftMargin()
        with self.bot.waitSignal(self.view.place_changed):
            self.view.resize(width, height)
        assert width == WIDTH or before != self.browser.document().rootFrame().frameFormat().leftMargin() or width < 656
