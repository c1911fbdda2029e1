"""A newcomer's way through the real window with the real model: model, book, gists, question, chip, quit, again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QLabel, QPushButton, QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

from readdesk.gui.actions import ACTIONS
from readdesk.gui.app import Window
from readdesk.gui.mainwindow import MainWindow
from readdesk.gui.panes.sidebar import COMPLETE, NO_MODEL, PARTLY, PAUSED, RUNNING, UNREAD
from readdesk.paths import Paths
from readdesk.settings import Settings, save_settings
from tests.gui.homes import Sitting
from tests.jobs.homes import as_text, long_page, short_pages, wait_until_quiet

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def spared(paths: Paths) -> None:
    """Settings that spare what is not needed here."""
    settings = Settings()
    settings.set("engine.threads", 1)
    settings.set("engine.context", 4096)
    settings.set("window.theme", "light")
    save_settings(settings, paths.config)


def drop(main: MainWindow, *files: Path) -> None:
    """Drop files onto the window."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    event = QDropEvent(
        QPointF(100, 100), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    main.dropEvent(event)
    assert event.isAccepted()


def ask(main: MainWindow, words: str) -> None:
    """Type a question and press Enter."""
    main.book.chat.focus_question()
    field = main.book.chat.focusProxy() or main.focusWidget()
    assert field is not None
    QTest.keyClicks(field, words)
    QTest.keyClick(field, Qt.Key.Key_Return)


def chips(main: MainWindow) -> list[QPushButton]:
    """The chips of the look-ups that are shown."""
    return [b for b in main.book.chat.findChildren(QPushButton) if b.property("role") == "chip" and b.isVisible()]


def said(main: MainWindow) -> str:
    """All words of the chat pane."""
    labels = [label.text() for label in main.book.chat.findChildren(QLabel)]
    return " ".join([*labels, *(text.toPlainText() for text in main.book.chat.findChildren(QTextBrowser))])


def test_the_newcomers_way(qtbot: QtBot, qapp: QApplication, paths: Paths, tiny_model: Path, tmp_path: Path) -> None:
    book = tmp_path / "ferry.txt"
    book.write_text(as_text(short_pages(4)), encoding="utf-8")
    sitting = Sitting(qtbot, qapp, paths)
    main = sitting.main

    # First run: the handbook is opened, reading needs no model.
    sitting.until(lambda: main.book.record is not None and main.book.record.title == "The ReadDesk Handbook")
    assert main.book.sidebar.state == NO_MODEL
    main.actions_["library"].trigger()
    assert main.start.first_run.isVisible()

    # A model of one's own.
    drop(main, tiny_model)
    assert not main.start.first_run.isVisible()
    assert main.models.default() is not None

    # A book is dropped and read.
    drop(main, book)
    sitting.until(lambda: main.book.record is not None and main.book.record.path == str(book))
    assert main.book.sidebar.state == UNREAD
    QTest.mouseClick(main.book.sidebar._main, Qt.MouseButton.LeftButton)
    sitting.until(lambda: len(main.book._pages) >= 1)
    assert main.book.sidebar.state == RUNNING
    assert " runs on the CPU: 1 thread" in main.book.sidebar._bar.toolTip()

    # Pause, go on, stop, read on to the end.
    QTest.mouseClick(main.book.sidebar._main, Qt.MouseButton.LeftButton)
    sitting.until(lambda: main.book.sidebar.state in (PAUSED, COMPLETE))
    if main.book.sidebar.state == PAUSED:
        QTest.mouseClick(main.book.sidebar._main, Qt.MouseButton.LeftButton)
        sitting.until(lambda: main.book.sidebar.state in (RUNNING, COMPLETE))
        main.actions_["stop"].trigger()
        sitting.until(lambda: main.book.sidebar.state in (PARTLY, COMPLETE))
    if main.book.sidebar.state == PARTLY:
        main.actions_["read_on"].trigger()
    sitting.until(lambda: main.book.sidebar.state == COMPLETE)
    assert main.book.sidebar._bar.toolTip() == "", "no model is at work any more"
    assert main.book.record is not None
    numbers = [item.page.number for item in sitting.window.desk.pages(main.book.record)]
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) == 4

    # A question, its chips, a click on one.
    ask(main, "Which letters came from Bergen?")
    sitting.until(lambda: bool(chips(main)))
    sitting.until(lambda: not main.book._asking._questions)
    assert "Read" in said(main) and "in full" in said(main)
    before = main.book.reader.text._marked
    QTest.mouseClick(chips(main)[-1], Qt.MouseButton.LeftButton)
    marked = main.book.reader.text._marked
    assert marked is not None and marked != before
    pages = {(item.page.start, item.page.end) for item in main.book._pages.values()}
    assert marked in pages
    main.book.reader.show_position(marked[0])
    main.actions_["zoom_in"].trigger()
    position = main.book.reader.position
    sitting.until(lambda: main.book.reader._place is not None and main.book.reader._place.position == position)
    sitting.quit()
    wait_until_quiet(paths.data)

    # Start again: everything is there.
    again = Sitting(qtbot, qapp, paths)
    entries = again.window.desk.shelf()
    assert entries[0].document.path == str(book)
    assert entries[0].progress.complete
    again.main.open_document(entries[0].document)
    assert again.main.book.sidebar.state == COMPLETE
    assert again.main.book.reader.position == position
    assert again.main.book.reader.zoom == 1.1
    assert "Which letters came from Bergen?" in said(again.main)
    again.until(lambda: bool(chips(again.main)))
    again.quit()
    wait_until_quiet(paths.data)


def test_a_question_during_gisting_is_answered_first(
    qtbot: QtBot, qapp: QApplication, paths: Paths, tiny_model: Path, tmp_path: Path
) -> None:
    """Also when another book is open by then; and quitting in the middle loses nothing that was done."""
    short, long = tmp_path / "ferry.txt", tmp_path / "log.txt"
    short.write_text(as_text(short_pages(2)), encoding="utf-8")
    long.write_text(
        "\n\n\n".join(long_page(900).replace("THE LOG", f"LOG {number}") for number in range(1, 6)), encoding="utf-8"
    )
    sitting = Sitting(qtbot, qapp, paths, short)
    main = sitting.main
    sitting.until(lambda: main.book.record is not None)
    main.models.add_file(tiny_model)
    main.book.read_on()
    sitting.until(lambda: main.book.sidebar.state == COMPLETE)
    main.open_files([long])
    sitting.until(lambda: main.book.record is not None and main.book.record.path == str(long))
    main.book.read_on()
    assert main.book.record is not None
    long_id = main.book.record.id
    sitting.until(lambda: (job := main.gisting.job(long_id)) is not None and job.working is not None)
    main.open_document(sitting.window.desk.find(str(short)))
    assert len(main.reading_strips.documents) == 1, "the book that is read elsewhere has a strip"
    ask(main, "What came?")
    sitting.until(lambda: not main.book._asking._questions)
    assert main.gisting.job(long_id) is not None, "the long book was not finished before the question"
    sitting.quit()
    wait_until_quiet(paths.data)
    again = Sitting(qtbot, qapp, paths)
    asked = again.window.desk.history(again.window.desk.find(str(short)))
    assert [item.question for item in asked] == ["What came?"]
    again.quit()


def test_a_locked_pdf_is_asked_for_its_password(
    qtbot: QtBot, qapp: QApplication, paths: Paths, shared_data: Path
) -> None:
    file = shared_data / "documents/pdf/encrypted-user-password.pdf"
    sitting = Sitting(qtbot, qapp, paths, file)
    main = sitting.main

    def dialog() -> QInputDialog | None:
        return next((d for d in main.findChildren(QInputDialog) if d.isVisible()), None)

    for words in ("wrong", "openpassword"):
        sitting.until(lambda: dialog() is not None)
        shown = dialog()
        assert shown is not None and "--" not in shown.labelText()
        shown.setTextValue(words)
        shown.accept()
    sitting.until(lambda: main.book.reader.can_show_leaves)
    assert main.book.reader.shows_leaves
    sitting.quit()

    again = Sitting(qtbot, qapp, paths)
    again.main.open_document(again.window.desk.find(str(file)))
    again.until(lambda: any(d.isVisible() for d in again.main.findChildren(QInputDialog)))
    next(d for d in again.main.findChildren(QInputDialog) if d.isVisible()).reject()
    again.until(lambda: not again.main.book.reader.shows_leaves)
    assert again.main.book.reader.text._paragraphs, "without the password its text can still be read"
    again.quit()


def test_what_cannot_be_opened_is_told_and_harms_nothing(
    qtbot: QtBot, qapp: QApplication, paths: Paths, shared_data: Path, tmp_path: Path
) -> None:
    sitting = Sitting(qtbot, qapp, paths)
    main = sitting.main
    sitting.until(lambda: main.book.record is not None)
    for file in (
        shared_data / "documents/epub/bad-not-an-epub.epub",
        shared_data / "documents/pdf/damaged-empty-file.pdf",
        shared_data / "documents/pdf/damaged-header-only.pdf",
        tmp_path / "missing.epub",
        tmp_path,
    ):
        main.messages.hide()
        drop(main, file)
        sitting.until(lambda: main.messages.isVisible())
        words = main.messages._words.text()
        assert file.name in words and "Traceback" not in words and "--" not in words, words
    assert len(sitting.window.desk.documents()) == 1
    sitting.quit()


def test_closing_while_everything_works(
    qtbot: QtBot, qapp: QApplication, paths: Paths, tiny_model: Path, tmp_path: Path, shared_data: Path
) -> None:
    long = tmp_path / "log.txt"
    long.write_text(long_page(3000), encoding="utf-8")
    sitting = Sitting(qtbot, qapp, paths, long)
    main = sitting.main
    sitting.until(lambda: main.book.record is not None)
    main.models.add_file(tiny_model)
    main.book.read_on()
    sitting.until(lambda: any(job.working for job in main.gisting.jobs))
    main.open_files([shared_data / "documents/pdf/zsh-manual.pdf"])
    sitting.quit()
    wait_until_quiet(paths.data)


def test_every_action_does_something_or_waits_for_a_book(qtbot: QtBot, qapp: QApplication, paths: Paths) -> None:
    """Every record of an action has its verb; without a book nothing that needs one can be chosen."""
    window = Window(qapp, paths, offline=True)
    for record in ACTIONS:
        assert window.main.actions_[record.name].isEnabled() == (
            not record.needs_book and record.name not in ("sidebar", "chat")
        )
    window.close()


def test_widgets_have_names_for_who_cannot_see(qtbot: QtBot, qapp: QApplication, paths: Paths) -> None:
    """Whatever takes the keyboard says what it is."""
    sitting = Sitting(qtbot, qapp, paths)
    main = sitting.main
    sitting.until(lambda: main.book.record is not None)
    nameless = []
    for widget in main.findChildren(QPushButton):
        if widget.isVisible() and not (widget.text() or widget.accessibleName()):
            nameless.append(widget)
    assert nameless == []
    places: tuple[QWidget, ...] = (main.book.reader.text._browser, main.book.sidebar._view, main.book.reader.leaves)
    assert all(place.accessibleName() for place in places)
    sitting.quit()


def test_the_program_ends_well_when_the_system_asks_it_to(paths: Paths) -> None:
    """SIGTERM, as at the end of a session, closes the window like a person: exit code 0 and nothing left."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    program = subprocess.Popen(
        [sys.executable, "-m", "readdesk"], env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for_library(paths, program)
    program.send_signal(signal.SIGTERM)
    _, errors = program.communicate(timeout=30)
    assert (program.returncode, "leaked" in errors, "Traceback" in errors) == (0, False, False), errors
    wait_until_quiet(paths.data)


def wait_for_library(paths: Paths, program: subprocess.Popen[str]) -> None:
    """Wait until the program has put the handbook into its library."""
    deadline = time.monotonic() + 60
    while program.poll() is None and time.monotonic() < deadline:
        if paths.library.exists() and b"ReadDesk Handbook" in b"".join(
            file.read_bytes() for file in paths.data.glob("library.db*")
        ):
            return
        time.sleep(0.1)
    raise AssertionError("the window did not come up")


def test_an_import_that_ends_late_does_not_take_the_book_away(
    qtbot: QtBot, qapp: QApplication, paths: Paths, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    for file in (first, second):
        file.write_text(f"The book called {file.stem}. " * 30, encoding="utf-8")
    sitting = Sitting(qtbot, qapp, paths, first)
    main = sitting.main
    sitting.until(lambda: main.book.record is not None and main.book.record.path == str(first))
    assert {record.title for record in sitting.window.desk.documents()} >= {"The ReadDesk Handbook"}
    main.open_files([second])
    main.open_document(sitting.window.desk.find("The ReadDesk Handbook"))
    sitting.until(lambda: main.messages.isVisible())
    assert main.book.record is not None and main.book.record.title == "The ReadDesk Handbook"
    main.messages._action.click()
    assert main.book.record.path == str(second)
    sitting.quit()


def test_a_model_that_cannot_be_fetched_is_told_and_offered_again(
    qtbot: QtBot, qapp: QApplication, paths: Paths
) -> None:
    sitting = Sitting(qtbot, qapp, paths, offline=True)
    main = sitting.main
    sitting.until(lambda: main.book.record is not None)
    main.show_library()
    QTest.mouseClick(main.start.first_run._starter, Qt.MouseButton.LeftButton)
    sitting.until(lambda: main.messages.isVisible())
    assert "offline" in main.messages._words.text() and "readdesk " not in main.messages._words.text()
    assert main.start.first_run.isVisible() and main.start.first_run._starter.isEnabled()
    sitting.quit()
