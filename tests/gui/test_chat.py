"""The chat pane: its field, hints, long histories, following a stream, narrow windows and the keyboard."""

from __future__ import annotations

import gc
import time
import weakref
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from readdesk.errors import ReadDeskError
from readdesk.gui.panes.chat import AT_ONCE, ChatPane
from readdesk.gui.panes.exchange import TextView
from readdesk.gui.theme import Theme
from readdesk.gui.words import chip_name
from tests.gui.chatting import ANSWER, OATH, WHALE, Pane, anchors, kept, open_pane


@pytest.fixture
def pane(qtbot: QtBot, theme: Theme) -> Pane:
    return open_pane(qtbot, theme)


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
