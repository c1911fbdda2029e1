"""A chat pane for tests: what it emitted, the hands of a person, and what is asked and answered in it."""

from __future__ import annotations

import re

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from readdesk.gui.panes.chat import ChatPane
from readdesk.gui.panes.exchange import Exchange, TextView
from readdesk.gui.theme import Theme
from readdesk.library.model import Asked
from readdesk.reading.model import Answer, LookUp

WHALE = LookUp(12, "model", "the model named it from its gist; its text has “whale”")
OATH = LookUp(3, "retrieval", "its text has “oath”", shortened=True)
ANSWER = Answer("He lost a **leg** [Page 12].\n\n- An oath, page 3", (WHALE, OATH), 40, 42, True)
HOSTILE = (
    "<img src=file:///etc/passwd>",
    "<script>alert(1)</script>",
    "[x](http://evil) http://evil <http://evil>",
    '<a href="http://evil">page 12</a>',
    "![x](file:///etc/passwd)",
    '<p style="background-image:url(file:///etc/passwd)">x</p>',
    "&lt;img src=x&gt; &#60;b&#62;",
    "**<b onload=x>** page 12**\n- <ul><li>",
    "<!-- --> <![CDATA[ ]]> </p></body></html>",
    "\ufdd0\ufdd1\ufffc\x00\x1b[31m\ud800",
)


class Pane:
    """A chat pane with what it emitted, and the hands of a person."""

    def __init__(self, qtbot: QtBot, theme: Theme, size: tuple[int, int] = (420, 640)) -> None:
        self.widget = ChatPane(theme)
        qtbot.addWidget(self.widget)
        self.bot = qtbot
        self.asked: list[str] = []
        self.pages: list[int] = []
        self.stops = self.hints = 0
        self.widget.asked.connect(self.asked.append)
        self.widget.page_chosen.connect(self.pages.append)
        self.widget.stop_requested.connect(self._on_stop)
        self.widget.hint_chosen.connect(self._on_hint)
        self.widget.resize(*size)
        self.widget.show()
        self.settle()

    def _on_stop(self) -> None:
        self.stops += 1

    def _on_hint(self) -> None:
        self.hints += 1

    def settle(self) -> None:
        """Let what was posted happen: deletions, layouts one after the other, paintings."""
        heights: list[int] = []
        while len(heights) < 3 or len(set(heights[-3:])) > 1:
            self.bot.wait(25)
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            heights.append(self.area.verticalScrollBar().maximum())

    @property
    def field(self) -> QPlainTextEdit:
        return self.widget.findChildren(QPlainTextEdit)[0]

    @property
    def area(self) -> QScrollArea:
        return self.widget.findChildren(QScrollArea)[0]

    @property
    def exchanges(self) -> list[Exchange]:
        return [item for item in self.widget.findChildren(Exchange) if item.isVisible()]

    def buttons(self, parent: QWidget | None = None) -> dict[str, QPushButton]:
        """The buttons that are shown, by what they are called."""
        found = (parent or self.widget).findChildren(QPushButton)
        return {button.text() or button.accessibleName(): button for button in found if button.isVisible()}

    def press(self, name: str, parent: QWidget | None = None) -> None:
        QTest.mouseClick(self.buttons(parent)[name], Qt.MouseButton.LeftButton)

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.field, key, modifier)

    def words(self, parent: QWidget | None = None) -> str:
        """Everything that can be read, line by line."""
        parent = parent or self.widget
        views = [view.toPlainText() for view in parent.findChildren(TextView) if view.isVisible()]
        labels = [label.text() for label in parent.findChildren(QLabel) if label.isVisible()]
        return "\n".join([*views, *labels])

    def view(self) -> TextView:
        """The newest answer."""
        return next(v for v in self.exchanges[-1].findChildren(TextView) if "Answer" in v.accessibleName())


def open_pane(qtbot: QtBot, theme: Theme) -> Pane:
    """A pane over a book without questions."""
    made = Pane(qtbot, theme)
    made.widget.show_book("Moby-Dick", [])
    return made


def kept(count: int, answer: str = "It is so [Page 12].") -> list[Asked]:
    """Questions that were answered earlier."""
    return [
        Asked(f"Question {number}?", answer, "Read 1 of 42.", "m", "2025", (WHALE,)) for number in range(1, count + 1)
    ]


def letters(text: str) -> list[str]:
    """The words of a text, without what stands between them."""
    return re.findall(r"\w+", text)


def anchors(view: TextView) -> set[str]:
    """Where the links of a text lead."""
    cursor = QTextCursor(view.document())
    found = {cursor.charFormat().anchorHref()}
    while cursor.movePosition(QTextCursor.MoveOperation.NextCharacter):
        found.add(cursor.charFormat().anchorHref())
    return found
