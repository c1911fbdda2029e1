"""The chat pane: what it shows of a question's way, what it emits, and that no answer can do harm."""

from __future__ import annotations

import gc
import re
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QTextCursor, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFrame, QLabel, QMainWindow, QPlainTextEdit, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from readdesk.errors import ReadDeskError
from readdesk.gui.panes.chat import AT_ONCE, ChatPane
from readdesk.gui.panes.exchange import Exchange, TextView
from readdesk.gui.theme import Theme
from readdesk.gui.widgets.flow import FlowLayout
from readdesk.gui.words import answer_html, chip_name, exchange_words, look_up_words, notes, seen
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


@pytest.fixture
def pane(qtbot: QtBot, theme: Theme) -> Pane:
    made = Pane(qtbot, theme)
    made.widget.show_book("Moby-Dick", [])
    return made


def kept(count: int, answer: str = "It is so [Page 12].") -> list[Asked]:
    return [
        Asked(f"Question {number}?", answer, "Read 1 of 42.", "m", "2025", (WHALE,)) for number in range(1, count + 1)
    ]


# -- what words become -------------------------------------------------------------------------------------------------


def links(html: str) -> list[str]:
    return re.findall(r'href="([^"]*)"', html)


def plain(html: str) -> str:
    document = QTextDocument()
    document.setHtml(html)
    return document.toPlainText()


def letters(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("[Page 12] and page 3.", [12, 3]),
        ("pages 3 and 4", [3, 4]),
        ("Pages 3, 4, and 12; page 5", [3, 4, 12, 5]),
        ("page 12 to 14, pages 3–5, page 6-7", [12, 14, 3, 5, 6, 7]),
        ("[Page 3, 4]", [3, 4]),
        ("pages 3 & 4", [3, 4]),
        ("on page 3, 40 men", [3]),
        ("page 99, page 1,234, page 12th, page 1.5, webpage 12, 12 pages", []),
        ("PAGE 12\npage\t3", [12, 3]),
        ("**page 12**", [12]),
    ],
)
def test_mentions_of_known_pages_become_links(text: str, numbers: list[int]) -> None:
    html = answer_html(text, range(1, 43))
    assert links(html) == [f"page:{number}" for number in numbers]
    assert letters(plain(html)) == letters(text.replace("**", ""))


def test_paragraphs_lines_lists_and_bold_words_are_kept() -> None:
    html = answer_html("One\nline.\r\n\r\nTwo **bold** words.\n- a\n* b\n  - c\n1. d\n2) e\n**", ())
    assert plain(html).split("\n") == [
        "One",
        "line.",
        "Two bold words.",
        "•\ta",
        "•\tb",
        "•\tc",
        "1.\td",
        "2)\te",
        "**",
    ]
    assert "<b>bold</b>" in html


@pytest.mark.parametrize("text", HOSTILE)
def test_no_answer_makes_a_tag_or_a_link_of_its_own(text: str) -> None:
    html = answer_html(text, range(1, 43))
    assert set(re.findall(r"<(/?\w+)", html)) <= {"p", "/p", "br", "b", "/b", "a", "/a"}
    assert len(re.findall("<a ", html)) == len(re.findall(r'<a href="page:\d+">', html))
    assert letters(plain(html)) == letters(seen(text).replace("**", ""))


@given(st.text())
def test_any_text_becomes_html_without_a_word_lost(text: str) -> None:
    assert letters(plain(answer_html(text, range(50)))) == letters(seen(text))


@given(st.text("*-1. \npage,<>&;\"'#x[]()\ud800\u2028\ufdd0", max_size=80))
def test_crooked_text_never_raises_and_makes_only_our_tags(text: str) -> None:
    html = answer_html(text, range(50))
    assert re.sub(r'<p style="[^"<>]*">|</p>|<br>|</?b>|<a href="page:\d+">|</a>', "", html).count("<") == 0
    assert letters(plain(html)) == letters(seen(text))


def test_what_is_said_about_a_look_up() -> None:
    assert look_up_words(WHALE) == "Page 12: the model named it from its gist; its text has “whale”."
    assert look_up_words(OATH).startswith("Page 3 (its beginning only: the model's context is full): its text has")
    assert look_up_words(LookUp(7, "reader", "")) == "Page 7."
    assert chip_name(LookUp(7, "reader", "")) == "Page 7"
    assert chip_name(OATH) == "Page 3, its text has “oath”"


def test_notes_say_everything_that_is_odd_and_nothing_else() -> None:
    assert notes(ANSWER) == []
    odd = replace(ANSWER, left_out=(4,), unread_tags=(5, 6), shortened_gists=True, choice_readable=False, cut=True)
    assert notes(odd) == [
        "Left out for lack of room: page 4.",
        "The answer names pages 5, 6, not read in full: unverified.",
        "The gists were cut to fit the model's context.",
        "The model named no pages; they were chosen by the question's words alone.",
        "The answer was cut at its length limit.",
    ]


def test_an_exchange_in_words_leaves_out_what_is_not_there() -> None:
    assert exchange_words("Q?", " A. ", ["one", "two"]) == "Q?\n\nA.\n\none\ntwo"
    assert exchange_words("Q?", "", []) == "Q?"


# -- the flow layout ---------------------------------------------------------------------------------------------------


def flow_of(qtbot: QtBot, width: int, count: int = 4) -> tuple[QWidget, list[QWidget]]:
    holder = QWidget()
    qtbot.addWidget(holder)
    flow = FlowLayout(holder, 10)
    parts = [QWidget() for _ in range(count)]
    for part in parts:
        part.setFixedSize(50, 20)
        flow.addWidget(part)
    holder.resize(width, 200)
    holder.show()
    return holder, parts


@pytest.mark.parametrize(("width", "rows"), [(230, [0] * 4), (229, [0, 0, 0, 30]), (60, [0, 30, 60, 90])])
def test_rows_break_where_they_are_full(qtbot: QtBot, width: int, rows: list[int]) -> None:
    holder, parts = flow_of(qtbot, width)
    assert [part.y() for part in parts] == rows
    assert holder.heightForWidth(width) == rows[-1] + 20
    assert holder.sizeHint().width() == 230
    assert holder.minimumSizeHint().width() == 50


def test_hidden_parts_take_no_room_and_rows_run_the_way_of_the_language(qtbot: QtBot) -> None:
    holder, parts = flow_of(qtbot, 230)
    parts[0].hide()
    holder.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    qtbot.waitUntil(lambda: parts[1].x() == 180)
    assert [part.x() for part in parts[1:]] == [180, 120, 60]
    flow = holder.layout()
    assert isinstance(flow, FlowLayout)
    assert flow.count() == 4
    assert flow.takeAt(0).widget() is parts[0]  # type: ignore[union-attr]
    assert (flow.count(), flow.itemAt(3), flow.takeAt(9)) == (3, None, None)


# -- a question's way --------------------------------------------------------------------------------------------------


def test_a_question_is_asked_looked_up_streamed_and_finished(pane: Pane) -> None:
    pane.field.setPlainText("  Why the whale? ")
    pane.key(Qt.Key.Key_Return)
    assert pane.asked == ["Why the whale?"]
    pane.widget.begin("Why the whale?")
    assert pane.field.toPlainText() == ""
    pane.widget.tell("Loading the model…")
    pane.settle()
    assert "Why the whale?" in pane.words()
    assert "Loading the model…" in pane.words()
    pane.widget.looked_up((WHALE, OATH))
    pane.settle()
    shown = pane.words()
    assert look_up_words(WHALE) in shown
    assert look_up_words(OATH) in shown
    assert "Reading these pages…" in shown
    assert {"Page 12", "Page 3", "Stop"} <= set(pane.buttons())
    pane.widget.add_text("He lost ")
    pane.widget.add_text("a leg")
    pane.bot.waitUntil(lambda: "He lost a leg" in pane.words())
    assert "Reading these pages…" not in pane.words()
    pane.widget.finish(replace(ANSWER, left_out=(9,)))
    pane.settle()
    assert "He lost a leg [Page 12]." in pane.words()
    assert f"{ANSWER.coverage}\nLeft out for lack of room: page 9." in pane.words()
    assert {"Copy", "Ask again"} <= set(pane.buttons(pane.exchanges[0]))
    assert "Stop" not in pane.buttons()


def test_a_chip_and_a_link_lead_to_their_page(pane: Pane) -> None:
    pane.widget.begin("Q?")
    pane.widget.looked_up((WHALE, OATH))
    pane.settle()
    pane.press("Page 3")
    assert pane.pages == [3]
    pane.widget.finish(ANSWER)
    pane.settle()
    view = pane.view()
    cursor = view.document().find("Page 12")
    cursor.setPosition(cursor.selectionStart() + 2)
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, view.cursorRect(cursor).center()
    )
    assert pane.pages == [3, 12]
    for url in ("http://evil", "page:x", "page:", "file:///etc/passwd", "page:-3"):
        view.anchorClicked.emit(QUrl(url))
    assert pane.pages == [3, 12]


def test_chips_say_their_reason_and_guess_no_html(pane: Pane) -> None:
    pane.widget.begin("Q?")
    pane.widget.looked_up((replace(WHALE, reason="its text has “<img src=x>”"),))
    pane.settle()
    chip = pane.buttons()["Page 12"]
    assert chip.accessibleName() == "Page 12, its text has “<img src=x>”"
    assert "&lt;img src=x&gt;" in chip.toolTip()
    pane.widget.looked_up((OATH,))
    pane.settle()
    assert "Page 12" not in pane.buttons()
    assert "Page 3" in pane.buttons()


def test_no_look_up_is_said(pane: Pane) -> None:
    pane.widget.begin("Q?")
    pane.widget.looked_up(())
    pane.settle()
    assert "No page was looked up: the answer rests on gists alone." in pane.words()
    assert "Reading the gists…" in pane.words()


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_answer_is_only_words(pane: Pane, text: str) -> None:
    pane.widget.begin("Q?")
    pane.widget.looked_up((WHALE,))
    pane.widget.add_text(text)
    pane.settle()
    while_written = anchors(pane.view())
    pane.widget.finish(replace(ANSWER, text=text))
    pane.settle()
    assert letters(pane.view().toPlainText()) == letters(seen(text).replace("**", ""))
    assert {*while_written, *anchors(pane.view())} <= {"", "page:12"}
    assert "\ufffc" not in pane.view().document().toRawText()


def anchors(view: TextView) -> set[str]:
    """Where the links of a text lead."""
    cursor = QTextCursor(view.document())
    found = {cursor.charFormat().anchorHref()}
    while cursor.movePosition(QTextCursor.MoveOperation.NextCharacter):
        found.add(cursor.charFormat().anchorHref())
    return found


def test_a_text_loads_nothing_even_if_asked_to(pane: Pane) -> None:
    view = TextView("words", pane.widget)
    view.setHtml('<img src="file:///etc/passwd">')
    assert view.loadResource(QTextDocument.ResourceType.ImageResource.value, QUrl("file:///etc/passwd")) is None


def test_stop_keeps_what_was_written(pane: Pane) -> None:
    pane.widget.begin("Q?")
    pane.widget.add_text("Half an")
    pane.settle()
    pane.press("Stop", pane.exchanges[0])
    assert pane.stops == 1
    pane.widget.stopped()
    pane.settle()
    assert "Half an" in pane.words()
    assert "Stopped." in pane.words()
    pane.press("Ask again")
    assert pane.asked == ["Q?"]


def test_escape_and_the_send_button_stop_only_while_an_answer_is_made(pane: Pane) -> None:
    pane.key(Qt.Key.Key_Escape)
    assert pane.stops == 0
    pane.widget.begin("Q?")
    pane.settle()
    pane.key(Qt.Key.Key_Escape)
    pane.press("Stop", pane.widget)
    assert pane.stops == 2
    pane.widget.stopped()
    pane.settle()
    assert "Stop" not in pane.buttons()
    assert "Ask" in pane.buttons()


def test_escape_comes_before_a_shortcut_of_the_window(qtbot: QtBot, theme: Theme) -> None:
    window, made = QMainWindow(), ChatPane(theme)
    qtbot.addWidget(window)
    window.setCentralWidget(made)
    closed: list[str] = []
    action = window.addAction("Close")
    action.setShortcut(Qt.Key.Key_Escape)
    action.triggered.connect(lambda: closed.append("closed"))
    window.show()
    window.activateWindow()
    made.focus_question()
    qtbot.waitUntil(window.isActiveWindow)
    made.begin("Q?")
    field = made.findChildren(QPlainTextEdit)[0]
    with qtbot.waitSignal(made.stop_requested):
        QTest.keyClick(field, Qt.Key.Key_Escape)
    assert closed == []
    made.stopped()
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert closed == ["closed"]


def test_a_failure_says_both_sentences_and_gives_the_question_back(pane: Pane) -> None:
    pane.field.setPlainText("Why?")
    pane.widget.begin("Why?")
    pane.widget.fail(ReadDeskError("The model broke.", "Try another."))
    pane.settle()
    frame = next(f for f in pane.exchanges[0].findChildren(QFrame) if f.property("role") == "failure")
    assert pane.words(frame) == "The model broke.\nTry another."
    assert pane.field.toPlainText() == "Why?"
    assert "Copy" not in pane.buttons()
    pane.press("Ask again")
    assert pane.asked == ["Why?"]
    pane.widget.begin("Why?")
    pane.settle()
    assert len(pane.exchanges) == 1, "the failed try gives way"
    assert pane.field.toPlainText() == ""


def test_a_draft_typed_meanwhile_outlives_a_failure(pane: Pane) -> None:
    pane.widget.begin("Why?")
    pane.field.setPlainText("And then")
    pane.widget.add_text("Because")
    pane.widget.fail(ReadDeskError("The model broke."))
    pane.settle()
    assert pane.field.toPlainText() == "And then"
    assert "Because" in pane.words()
    assert "Copy" in pane.buttons()


def test_an_empty_answer_is_said_to_be_empty(pane: Pane) -> None:
    pane.widget.begin("Q?")
    pane.widget.finish(replace(ANSWER, text=" "))
    pane.settle()
    assert "The model wrote no answer." in pane.words()
    assert not any(
        "Answer" in view.accessibleName() and view.isVisible() for view in pane.widget.findChildren(TextView)
    )


def test_one_question_at_a_time(pane: Pane) -> None:
    pane.widget.show_book("Moby-Dick", kept(1))
    pane.widget.begin("Q?")
    pane.settle()
    pane.field.setPlainText("Another")
    pane.key(Qt.Key.Key_Return)
    assert pane.asked == []
    assert pane.field.toPlainText() == "Another"
    assert not pane.buttons(pane.exchanges[0])["Ask again"].isEnabled()
    pane.widget.finish(ANSWER)
    assert pane.buttons(pane.exchanges[0])["Ask again"].isEnabled()
    pane.press("Ask")
    assert pane.asked == ["Another"]


def test_copy_takes_everything_as_plain_text(pane: Pane) -> None:
    pane.widget.begin("Why?")
    pane.widget.looked_up((WHALE,))
    pane.widget.finish(replace(ANSWER, look_ups=(WHALE,), cut=True))
    pane.settle()
    pane.press("Copy")
    assert QGuiApplication.clipboard().text() == (
        f"Why?\n\n{ANSWER.text}\n\n{look_up_words(WHALE)}\n{replace(ANSWER, look_ups=(WHALE,)).coverage}\n"
        "The answer was cut at its length limit."
    )
    assert "Copied" in pane.buttons()
    pane.bot.waitUntil(lambda: "Copy" in pane.buttons(), timeout=4000)


def test_copy_of_what_was_stopped_early_claims_nothing(pane: Pane) -> None:
    pane.widget.begin("Why?")
    pane.widget.stopped()
    pane.settle()
    pane.press("Copy")
    assert QGuiApplication.clipboard().text() == "Why?"


@pytest.mark.parametrize("leave", [ChatPane.clear, lambda pane: pane.show_book("Emma", [])])
def test_what_comes_late_for_another_book_is_dropped(pane: Pane, leave: Callable[[ChatPane], None]) -> None:
    pane.widget.begin("Q?")
    leave(pane.widget)
    pane.widget.tell("Loading")
    pane.widget.looked_up((WHALE,))
    pane.widget.add_text("late")
    pane.widget.finish(ANSWER)
    pane.widget.fail(ReadDeskError("late"))
    pane.widget.stopped()
    pane.settle()
    assert pane.exchanges == []
    assert "late" not in pane.words()
    assert "Ask anything about this book." in pane.words()


# -- the question field ------------------------------------------------------------------------------------------------


def test_blank_questions_are_not_sent(pane: Pane) -> None:
    for text in ("", " \n\t "):
        pane.field.setPlainText(text)
        pane.key(Qt.Key.Key_Return)
        pane.key(Qt.Key.Key_Enter)
        assert not pane.buttons()["Ask"].isEnabled()
    assert pane.asked == []


def test_shift_and_enter_begin_a_new_line(pane: Pane) -> None:
    QTest.keyClicks(pane.field, "one")
    pane.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(pane.field, "two")
    assert pane.asked == []
    pane.key(Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)
    assert pane.asked == ["one\ntwo"]


def test_up_in_an_empty_field_brings_the_last_question_back(pane: Pane) -> None:
    pane.key(Qt.Key.Key_Up)
    assert pane.field.toPlainText() == ""
    pane.widget.show_book("Moby-Dick", kept(3))
    pane.key(Qt.Key.Key_Up)
    assert pane.field.toPlainText() == "Question 3?"
    pane.key(Qt.Key.Key_Up)
    pane.field.clear()
    pane.widget.begin("Newest?")
    pane.key(Qt.Key.Key_Up)
    assert pane.field.toPlainText() == "Newest?"


def test_the_field_grows_to_six_lines(pane: Pane) -> None:
    heights = []
    for lines in (1, 2, 6, 7, 30):
        pane.field.setPlainText("\n".join("x" * lines))
        pane.settle()
        heights.append(pane.field.height())
    line = pane.field.fontMetrics().lineSpacing()
    assert [height - heights[0] for height in heights] == [0, line, 5 * line, 5 * line, 5 * line]
    pane.field.setPlainText("a long question " * 8)
    pane.settle()
    assert pane.field.height() > heights[0], "wrapped lines count"
    assert pane.field.verticalScrollBar().maximum() == 0


def test_the_draft_goes_with_its_book(pane: Pane) -> None:
    pane.field.setPlainText("Half")
    pane.widget.show_book("Moby-Dick", kept(1))
    assert pane.field.toPlainText() == "Half"
    pane.widget.show_book("Emma", [])
    assert pane.field.toPlainText() == ""


# -- empty, hinted, long -----------------------------------------------------------------------------------------------


def test_the_empty_state_offers_questions(pane: Pane) -> None:
    assert "Each answer shows which pages were read again" in pane.words()
    pane.press("What are the main points?")
    assert pane.field.toPlainText() == "What are the main points?"
    assert pane.asked == []
    pane.widget.begin("Q?")
    pane.settle()
    assert "What are the main points?" not in pane.buttons()


def test_a_hint_says_why_and_what_to_do(pane: Pane) -> None:
    pane.field.setPlainText("Why?")
    pane.widget.set_hint("Read some pages first, then ask.", "Start reading")
    pane.settle()
    assert "Read some pages first, then ask." in pane.words()
    assert not pane.field.isEnabled()
    assert not pane.buttons()["Ask"].isEnabled()
    assert "What are the main points?" not in pane.buttons()
    pane.press("Start reading")
    pane.widget.show_book("Moby-Dick", kept(1))
    pane.settle()
    assert pane.words().count("Read some pages first, then ask.") == 1
    assert not pane.buttons()["Ask again"].isEnabled()
    pane.press("Start reading")
    assert pane.hints == 2
    pane.widget.set_hint("", "")
    pane.settle()
    assert pane.field.isEnabled()
    assert "Start reading" not in pane.buttons()
    assert pane.field.toPlainText() == "Why?"


def test_a_hint_set_meanwhile_leaves_stop_possible(pane: Pane) -> None:
    pane.widget.begin("Q?")
    pane.widget.set_hint("The model is gone.", "")
    pane.settle()
    assert pane.buttons()["Stop"].isEnabled()
    assert "" not in pane.buttons()


def questions(pane: Pane) -> list[str]:
    return [exchange.question for exchange in sorted(pane.exchanges, key=lambda item: item.y())]


def test_a_long_history_is_shown_by_twenties(pane: Pane) -> None:
    history = kept(2 * AT_ONCE + 5)
    pane.widget.show_book("Moby-Dick", history)
    pane.settle()
    assert questions(pane) == [asked.question for asked in history[-AT_ONCE:]]
    bar = pane.area.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    for count in (2 * AT_ONCE, 2 * AT_ONCE + 5):
        bar.setValue(0)
        first = pane.exchanges[0] if count == 2 * AT_ONCE else min(pane.exchanges, key=lambda item: item.y())
        before = first.mapTo(pane.area, QPoint()).y()
        QTest.mouseClick(pane.buttons()["Show earlier questions"], Qt.MouseButton.LeftButton)
        pane.settle()
        assert questions(pane) == [asked.question for asked in history[-count:]]
        assert abs(first.mapTo(pane.area, QPoint()).y() - before) <= 40, "what was read stays where it was"
    assert "Show earlier questions" not in pane.buttons()


def test_kept_answers_link_the_pages_that_are_known(pane: Pane) -> None:
    history = [replace(kept(1)[0], answer="See page 12 and page 5 and page 50.")]
    pane.widget.show_book("Moby-Dick", history)
    pane.settle()
    assert anchors(pane.view()) == {"", "page:12"}
    pane.widget.show_book("Moby-Dick", history, pages=42)
    pane.settle()
    assert anchors(pane.view()) == {"", "page:12", "page:5"}


def test_another_book_leaves_no_widgets_behind(pane: Pane) -> None:
    pane.widget.show_book("Moby-Dick", kept(1))
    pane.settle()
    one = len(pane.widget.findChildren(QWidget))
    pane.widget.show_book("Emma", kept(45))
    pane.widget.begin("Q?")
    pane.settle()
    assert len(pane.widget.findChildren(QWidget)) > 5 * one
    pane.widget.show_book("Moby-Dick", kept(1))
    pane.settle()
    assert len(pane.widget.findChildren(QWidget)) == one


def test_a_pane_that_is_closed_leaves_nothing_that_a_theme_would_dress(qtbot: QtBot, theme: Theme) -> None:
    made = ChatPane(theme)
    made.show_book("Moby-Dick", kept(2))
    gone = weakref.ref(made)
    made.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    del made
    gc.collect()
    assert gone() is None
    theme.choose("dark")
    theme.choose("light")


# -- following the stream ----------------------------------------------------------------------------------------------


def stream(pane: Pane, pieces: int = 30) -> None:
    for number in range(pieces):
        pane.widget.add_text(f"Line {number} of a long answer.\n\n")
        if number % 10 == 9:
            pane.settle()


def test_the_view_follows_the_answer_only_at_its_end(pane: Pane) -> None:
    pane.widget.show_book("Moby-Dick", kept(5))
    pane.widget.begin("Q?")
    stream(pane)
    bar = pane.area.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    QTest.keyClick(pane.area, Qt.Key.Key_PageUp)
    left_at = bar.value()
    assert left_at < bar.maximum()
    stream(pane)
    pane.widget.finish(replace(ANSWER, text=pane.view().toPlainText()))
    pane.settle()
    assert bar.value() == left_at
    bar.setValue(bar.maximum())
    pane.widget.begin("Next?")
    stream(pane)
    assert bar.value() == bar.maximum() > left_at


def test_a_new_question_comes_into_view(pane: Pane) -> None:
    pane.widget.show_book("Moby-Dick", kept(10))
    pane.settle()
    bar = pane.area.verticalScrollBar()
    bar.setValue(0)
    pane.widget.begin("Q?")
    pane.settle()
    assert bar.value() == bar.maximum() > 0


def test_what_is_selected_stays_selected_while_the_answer_grows(pane: Pane) -> None:
    pane.widget.begin("Q?")
    pane.widget.add_text("The white whale")
    pane.settle()
    cursor = pane.view().document().find("white")
    pane.view().setTextCursor(cursor)
    pane.widget.add_text(" swims on.")
    pane.settle()
    assert pane.view().textCursor().selectedText() == "white"
    assert pane.view().toPlainText() == "The white whale swims on."


def test_a_piece_of_a_long_answer_costs_little(pane: Pane) -> None:
    pane.widget.begin("Q?")
    pane.widget.add_text("captain Ahab hunts **the whale** [Page 12]\n" * 75)
    pane.settle()
    costs = []
    for _ in range(50):
        began = time.perf_counter()
        pane.widget.add_text("more words ")
        costs.append(time.perf_counter() - began)
    assert sorted(costs)[len(costs) // 2] < 0.005


# -- narrow, keyboard, dark --------------------------------------------------------------------------------------------


def overflowing(pane: Pane) -> list[str]:
    """What reaches beyond the right edge of the pane."""
    inside = pane.widget.rect()
    parts: Sequence[QWidget] = [p for p in pane.widget.findChildren(QWidget) if p.isVisible()]
    places = {part: QRect(part.mapTo(pane.widget, QPoint()), part.size()) for part in parts}
    return [repr(part) for part, place in places.items() if place.right() > inside.right() or place.left() < 0]


def test_narrow_panes_wrap_and_break_long_words(qtbot: QtBot, theme: Theme) -> None:
    pane = Pane(qtbot, theme, (260, 640))
    long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
    pane.widget.show_book("Moby-Dick", [])
    assert overflowing(pane) == []
    pane.widget.begin(f"What is {long}?")
    pane.widget.looked_up([replace(WHALE, page=n * 1000, reason=f"its text has “{long}”") for n in range(1, 6)])
    pane.widget.add_text(f"It is\n- {long}\n")
    pane.settle()
    assert overflowing(pane) == []
    pane.widget.fail(ReadDeskError(f"/models/{long} is gone.", f"Get {long}."))
    pane.settle()
    assert overflowing(pane) == []
    assert pane.area.horizontalScrollBar().maximum() == 0
    for view in pane.exchanges[0].findChildren(TextView):
        if view.isVisible():
            assert view.document().size().width() <= view.viewport().width() + 1
            assert view.height() >= view.document().size().height()


def test_the_tab_key_goes_from_top_to_bottom(pane: Pane) -> None:
    pane.widget.show_book("Moby-Dick", kept(2))
    pane.widget.begin("Q?")
    pane.widget.looked_up((WHALE, OATH))
    pane.widget.finish(ANSWER)
    pane.field.setPlainText("next")
    pane.settle()
    pane.widget.activateWindow()
    pane.area.setFocus()
    reached: list[QWidget] = []
    for _ in range(40):
        here = pane.widget.focusWidget()
        assert here is not None
        if here not in reached:
            reached.append(here)
        QTest.keyClick(here, Qt.Key.Key_Tab)
    names = [part.accessibleName() or part.property("text") for part in reached]
    chip = chip_name(WHALE)
    kept_names = [chip, "Answer of the model", "Copy", "Ask again"]
    newest = [chip, chip_name(OATH), "Answer of the model", "Copy", "Ask again"]
    assert names == ["Questions about “Moby-Dick”", *kept_names, *kept_names, *newest, "Question", "Ask"]
    tops = [part.mapTo(pane.widget, QPoint()).y() for part in reached[1:]]
    assert all(one <= other + 40 for one, other in pairwise(tops))


def test_everything_has_a_name(pane: Pane) -> None:
    pane.widget.begin("Q?")
    pane.widget.finish(ANSWER)
    pane.settle()
    assert "" not in pane.buttons()
    assert pane.view().accessibleDescription()
    assert pane.field.accessibleName() == "Question"


def test_links_follow_a_change_of_colours(pane: Pane, theme: Theme) -> None:
    pane.widget.show_book("Moby-Dick", kept(1))
    pane.settle()

    def colour() -> str:
        cursor = pane.view().document().find("Page 12")
        return cursor.charFormat().foreground().color().name()

    assert colour() == theme.colours.accent
    theme.choose("dark")
    try:
        assert colour() == theme.colours.accent
    finally:
        theme.choose("light")
    assert colour() == theme.colours.accent


def test_the_question_can_be_focused(pane: Pane) -> None:
    pane.area.setFocus()
    pane.widget.focus_question()
    assert pane.widget.focusWidget() is pane.field
