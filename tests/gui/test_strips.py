"""Strips: work that goes on with a way to stop it, and messages with a next step."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from readdesk.errors import ReadDeskError
from readdesk.gui.theme import Theme
from readdesk.gui.widgets.strips import MessageStrip, Strips, WorkStrip
from readdesk.jobs.events import Progress


@pytest.fixture
def strips(qtbot: QtBot, theme: Theme) -> Strips:
    made = Strips(theme)
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def message(qtbot: QtBot, theme: Theme) -> MessageStrip:
    made = MessageStrip(theme)
    qtbot.addWidget(made)
    return made


def words(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible() and label.text()]


def bar(strip: WorkStrip) -> QProgressBar:
    return strip.findChildren(QProgressBar)[0]


def test_a_strip_shows_itself_when_its_work_takes_a_moment(qtbot: QtBot, strips: Strips) -> None:
    strip = strips.add("Adding Emma…", lambda: None)
    assert not strip.isVisible()
    assert strips.sizeHint().height() == 0
    qtbot.waitUntil(strip.isVisible)
    assert words(strip) == ["Adding Emma…"]
    assert strips.sizeHint().height() > 10


def test_a_strip_of_quick_work_is_never_seen(qtbot: QtBot, strips: Strips) -> None:
    shown: list[bool] = []
    quick, slow = strips.add("Quick…", lambda: None), strips.add("Slow…", lambda: None)
    quick.destroyed.connect(lambda: shown.append(False))
    strips.remove(quick)
    qtbot.waitUntil(slow.isVisible)
    assert shown == [False], "it has gone before the other one came"
    assert [label.text() for label in strips.findChildren(QLabel) if label.isVisible()][:1] == ["Slow…"]
    strips.remove(slow)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert strips.sizeHint().height() == 0
    assert strips.findChildren(WorkStrip) == []


def test_stop_stops_its_own_work(qtbot: QtBot, strips: Strips) -> None:
    stopped: list[str] = []
    first = strips.add("First…", lambda: stopped.append("first"))
    second = strips.add("Second…", lambda: stopped.append("second"))
    qtbot.waitUntil(lambda: first.isVisible() and second.isVisible())
    button = second.findChildren(QToolButton)[0]
    assert button.accessibleName() == "Stop: Second…"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert stopped == ["second"]


def test_progress_is_shown_as_far_as_it_is_known(qtbot: QtBot, strips: Strips) -> None:
    strip = strips.add("Getting the model…", lambda: None)
    qtbot.waitUntil(strip.isVisible)
    strip.show_progress(Progress(1, "", 1))
    assert bar(strip).maximum() == 0, "nobody knows how much there is"
    strip.show_progress(Progress(1, "", 1, 4, 0.25, 125.0))
    assert (bar(strip).value(), bar(strip).maximum()) == (250, 1000)
    assert words(strip) == ["Getting the model…", "about 2 min left"]
    strip.show_progress(Progress(1, "", 2, 4, 0.5))
    assert (bar(strip).value(), words(strip)) == (500, ["Getting the model…"])


def test_details_are_told_to_those_who_ask(strips: Strips) -> None:
    strip = strips.add("Reading “Emma”…", lambda: None)
    strip.show_details("tiny runs on the CPU.")
    assert (strip.toolTip(), bar(strip).accessibleDescription()) == ("tiny runs on the CPU.", "tiny runs on the CPU.")
    assert "Emma" in bar(strip).accessibleName()


def test_an_error_is_told_in_both_its_sentences_as_plain_words(message: MessageStrip) -> None:
    assert not message.isVisible()
    message.show_error(ReadDeskError("<b>It broke.</b>", "Try again."))
    assert message.isVisible()
    assert words(message) == ["<b>It broke.</b> Try again."]
    label = next(label for label in message.findChildren(QLabel) if label.text())
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert label.accessibleName() == "<b>It broke.</b> Try again."
    assert message.property("role") == "failure"
    assert not message.findChildren(QPushButton)[0].isVisible()
    message.show_words("All is well.")
    assert (message.property("role"), words(message)) == ("card", ["All is well."])


def test_the_next_step_is_done_once_and_the_message_goes(message: MessageStrip) -> None:
    done: list[str] = []
    message.show_words("The model is here.", "Read this book", lambda: done.append("read"))
    button = message.findChildren(QPushButton)[0]
    assert (button.isVisible(), button.text()) == (True, "Read this book")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert done == ["read"]
    assert not message.isVisible()
    message.show_words("Something else.")
    assert not button.isVisible()
    button.click()
    assert done == ["read"], "the step before is forgotten"


def test_a_next_step_may_tell_a_message_itself(message: MessageStrip) -> None:
    message.show_words("First.", "Go", lambda: message.show_words("Second."))
    message.findChildren(QPushButton)[0].click()
    assert message.isVisible()
    assert words(message) == ["Second."]


def test_escape_and_the_cross_close_a_message(message: MessageStrip) -> None:
    closing: tuple[Callable[[], object], ...] = (
        lambda: QTest.keyClick(message, Qt.Key.Key_Escape),
        lambda: QTest.mouseClick(message.findChildren(QToolButton)[0], Qt.MouseButton.LeftButton),
    )
    for close in closing:
        message.show_words("Here.")
        QTest.keyClick(message, Qt.Key.Key_A)
        assert message.isVisible()
        close()
        assert not message.isVisible()


def test_news_of_another_book_goes_and_an_error_stays(message: MessageStrip) -> None:
    message.show_words("1 of 142 leaves is a picture without text.")
    message.hide_news()
    assert not message.isVisible()
    message.show_error(ReadDeskError("It is damaged.", "Get it again."))
    message.hide_news()
    assert message.isVisible() and "It is damaged." in message._words.text()


def test_a_warning_stays_and_takes_no_error_away(message: MessageStrip) -> None:
    message.show_words("It is there.")
    message.show_warning("The GPU has no memory.")
    assert words(message) == ["The GPU has no memory."] and message.property("role") == "card"
    assert not message._timer.isActive(), "nobody may have looked in these seconds"
    message.show_error(ReadDeskError("It broke."))
    message.show_warning("The GPU has no memory.")
    assert words(message) == ["It broke.\nThe GPU has no memory."]


def test_a_message_takes_the_colours_of_the_moment(message: MessageStrip, theme: Theme) -> None:
    message.show_error(ReadDeskError("It broke."))
    icon = next(label for label in message.findChildren(QLabel) if not label.text())
    light = icon.pixmap().toImage()
    theme.choose("dark")
    try:
        assert icon.pixmap().toImage() != light
    finally:
        theme.choose("light")
    assert icon.pixmap().toImage() == light


def test_news_goes_by_itself_and_what_asks_for_something_stays(theme: Theme, qtbot: QtBot) -> None:
    strip = MessageStrip(theme)
    qtbot.addWidget(strip)
    strip.show_words("It is there.")
    assert strip._timer.isActive()
    strip._timer.timeout.emit()
    assert strip.isHidden()
    strip.show_words("It is there.", "Read", lambda: None)
    assert not strip._timer.isActive()
    strip.show_words("It is there.")
    strip.show_error(ReadDeskError("It is gone.", "Look for it."))
    assert not strip._timer.isActive() and not strip.isHidden()
