"""A question's way through the chat pane, from the field to the answer or the failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFrame, QMainWindow, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from readdesk.errors import ReadDeskError
from readdesk.gui.panes.chat import ChatPane
from readdesk.gui.panes.exchange import TextView
from readdesk.gui.theme import Theme
from readdesk.gui.words import look_up_words, seen
from tests.gui.chatting import ANSWER, HOSTILE, OATH, WHALE, Pane, anchors, kept, letters, open_pane


@pytest.fixture
def pane(qtbot: QtBot, theme: Theme) -> Pane:
    return open_pane(qtbot, theme)


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


def test_a_page_of_recognised_text_says_so(pane: Pane) -> None:
    """Trap 67: what an answer rests on may hold errors where a program has recognised it in a picture."""
    pane.widget.recognised.add(WHALE.page)
    pane.widget.begin("Q?")
    pane.widget.looked_up((WHALE, OATH))
    pane.settle()
    chips = {chip.text(): chip for chip in pane.exchanges[0].findChildren(QPushButton)}
    whale, oath = chips[f"Page {WHALE.page}"], chips[f"Page {OATH.page}"]
    assert "recognised text" in whale.toolTip() and "recognised text" in whale.accessibleName()
    assert "recognised" not in oath.toolTip() + oath.accessibleName()
    pane.widget.finish(ANSWER)
    pane.settle()
    pane.press("Copy")
    trail = QGuiApplication.clipboard().text()
    assert f"Page {WHALE.page} (recognised text): " in trail and f"Page {OATH.page} (its beginning" in trail


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
