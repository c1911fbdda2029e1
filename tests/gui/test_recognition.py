"""Scans in the window: they open, say what they lack, start no model, and get their text recognised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QRadioButton,
)
from pytestqt.qtbot import QtBot

from readdesk.desk import RecognitionState
from readdesk.documents.model import LeafHealth, LeafKind
from readdesk.gui import leafwords
from readdesk.gui.dialogs.recognition import RecognitionChoice, RecognitionDialog
from readdesk.gui.languages import offered, recognition_name, suited
from readdesk.gui.panes.sidebar import NO_TEXT
from readdesk.gui.theme import Theme
from readdesk.jobs.events import Progress
from readdesk.library.model import DocumentRecord
from readdesk.paths import Paths
from tests.gui.homes import Sitting
from tests.samples import windowed

RECORD = DocumentRecord(
    *(3, "A Scan", (), "de", "pdf", "/books/scan.pdf", "hash", 0, 0, "", (), "2026-01-01"),
)
STATE = RecognitionState(True, ("deu", "eng", "osd", "chi_sim", "jpn_vert"), "sudo apt install tesseract-ocr")
SECONDS = 60_000


def leaves(*kinds: LeafKind) -> tuple[LeafHealth, ...]:
    return tuple(LeafHealth(index, kind=kind, words=10 * (kind == "text")) for index, kind in enumerate(kinds))


# -- words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        (("text", "ocr", "empty"), ""),
        (("scan", "scan", "empty"), "This book is pictures of pages: ReadDesk cannot read it yet."),
        (("text", "scan", "unreadable", "empty"), "2 leaves of 4 have no text that ReadDesk can read."),
        (("text", "ocr", "scan"), "1 leaf of 3 has no text that ReadDesk can read."),
        (("unreadable",), "The letters of this book mean nothing to a program: ReadDesk cannot read it yet."),
        ((), ""),
    ],
)
def test_what_a_book_lacks_is_one_sentence(kinds: tuple[LeafKind, ...], words: str) -> None:
    """Traps 6 and 7: pictures and letters without meaning are no text; an empty leaf lacks nothing."""
    assert leafwords.state_words(leaves(*kinds)) == words


def test_languages_have_names_and_the_books_own_comes_first() -> None:
    assert offered(STATE.languages) == ("chi_sim", "eng", "deu", "jpn_vert"), "sorted by name, without osd"
    assert recognition_name("deu") == "German" and recognition_name("chi_sim") == "Chinese, simplified"
    assert recognition_name("jpn_vert") == "Japanese (vertical)" and recognition_name("xyz9") == "xyz9"
    assert suited(STATE.languages, "de") == ("deu",)
    assert suited(STATE.languages, "zh-Hans") == ("chi_sim",)
    assert suited(STATE.languages, "") == ("eng",)
    assert suited(("fra",), "pl") == ("fra",) and suited((), "pl") == ()


# -- the dialog ----------------------------------------------------------------------------------------------------


def shown(
    qtbot: QtBot, theme: Theme, found: tuple[LeafHealth, ...], state: RecognitionState = STATE
) -> RecognitionDialog:
    dialog = RecognitionDialog(RECORD, found, 1, state, theme)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def begin(dialog: RecognitionDialog) -> QPushButton | None:
    buttons = dialog.findChildren(QPushButton)
    return next((button for button in buttons if "Recognise" in button.text()), None)


def test_the_dialog_offers_what_can_be_done(qtbot: QtBot, theme: Theme) -> None:
    dialog = shown(qtbot, theme, leaves("scan", "ocr", "text", "scan"))
    assert [button.text() for button in dialog.findChildren(QRadioButton)] == [
        "All that have no text: 2 leaves",
        "These, and again what was recognised before: 3 leaves",
        "Only the leaf that is shown: leaf 2 of 4",
    ]
    assert dialog.choice == RecognitionChoice("deu"), "the language of the book, all that lack text"
    dialog.findChildren(QRadioButton)[1].click()
    assert dialog.choice == RecognitionChoice("deu", redo=True)
    dialog.findChildren(QRadioButton)[2].click()
    assert dialog.choice == RecognitionChoice("deu", (1,), redo=True)
    languages = dialog.findChildren(QListWidget)[0]
    for row in range(languages.count()):
        languages.item(row).setCheckState(Qt.CheckState.Unchecked)
    button = begin(dialog)
    assert button is not None and not button.isEnabled(), "no language, nothing to begin with"
    languages.itemClicked.emit(languages.item(1))
    languages.setCurrentRow(2)
    QTest.keyClick(languages, Qt.Key.Key_Space)
    chosen: list[RecognitionChoice] = []
    dialog.chosen.connect(chosen.append)
    button.click()
    assert chosen == [RecognitionChoice("eng+deu", (1,), redo=True)]


def test_where_the_program_is_missing_the_dialog_says_how_to_get_it(qtbot: QtBot, theme: Theme) -> None:
    dialog = shown(qtbot, theme, leaves("scan"), replace(STATE, is_available=False, languages=()))
    assert begin(dialog) is None
    assert any("not installed on this computer" in label.text() for label in dialog.findChildren(QLabel))
    command = dialog.findChildren(QLineEdit)[0]
    assert command.text() == STATE.hint and command.isReadOnly()
    next(button for button in dialog.findChildren(QPushButton) if "Copy" in button.text()).click()
    assert QGuiApplication.clipboard().text() == STATE.hint


# -- the window ----------------------------------------------------------------------------------------------------


@pytest.fixture
def sitting(qtbot: QtBot, qapp: QApplication, paths: Paths) -> Iterator[Sitting]:
    made = Sitting(qtbot, qapp, paths)
    yield made
    made.quit()


def opened(sitting: Sitting, path: Path) -> DocumentRecord:
    sitting.main.files.add([path])
    place = str(path.resolve())
    sitting.until(lambda: sitting.main.book.record is not None and sitting.main.book.record.path == place, SECONDS)
    sitting.until(lambda: sitting.main.book.reader.can_show_leaves, SECONDS)
    record = sitting.main.book.record
    assert record is not None
    return record


def test_a_scan_opens_says_what_it_lacks_and_starts_no_model(
    sitting: Sitting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trap 7: leaves are drawn, every place says what to do, and reading it leads to recognition, not to a model."""
    record = opened(sitting, windowed.scanned(tmp_path / "scan.pdf"))
    main, book = sitting.main, sitting.main.book
    assert record.words == 0 and book.reader.shows_leaves
    sitting.until(lambda: book.reader.leaves._pictures.get(0) is not None, SECONDS)
    assert book.text_state.words == "This book is pictures of pages: ReadDesk cannot read it yet."
    assert book.sidebar.state == NO_TEXT
    assert any("Recognise its text first" in label.text() for label in book.chat.findChildren(QLabel))
    monkeypatch.setattr(sitting.window.desk, "gist", lambda *_, **__: pytest.fail("a model was started"))
    for name in ("read_on", "read_again"):
        main.actions_[name].trigger()
        dialog = main.findChildren(RecognitionDialog)[-1]
        assert dialog.isVisible()
        dialog.close()
    book.sidebar._main.click()
    assert main.findChildren(RecognitionDialog)[-1].isVisible()
    main.findChildren(RecognitionDialog)[-1].close()
    book.reader.show_as_text()
    assert not book.reader.shows_leaves and book.reader.position == 0
    book.reader.text.set_zoom(2.0)
    book.reader.show_as_leaves()
    assert book.reader.shows_leaves


def test_leaves_without_text_are_told_apart(sitting: Sitting, shared_data: Path) -> None:
    """Trap 7: a scan begins at its first leaf, its contents lead to their own leaves, and text leads back."""
    opened(sitting, shared_data / "documents/pdf/scan-multipage.pdf")
    reader, contents = sitting.main.book.reader, sitting.main.book.contents
    assert reader.leaf == 0
    sections = sitting.window.desk.sections(sitting.window.desk.documents()[-1])
    contents.section_chosen.emit(sections[1])
    assert reader.leaf == 1, [section.label for section in sections]
    reader.show_as_text()
    assert reader.leaf == 1
    reader.show_as_leaves()
    assert reader.leaf == 1
    contents.section_chosen.emit(sections[0])
    assert reader.leaf == 0


def test_a_mixed_book_says_it_softly_and_the_strip_can_be_closed(sitting: Sitting, tmp_path: Path) -> None:
    record = opened(sitting, windowed.mixed(tmp_path / "mixed.pdf"))
    book = sitting.main.book
    assert book.text_state.words == "2 leaves of 12 have no text that ReadDesk can read."
    assert book.sidebar.state != NO_TEXT
    book.text_state.closed.emit()
    assert book.text_state.words == ""
    sitting.main.show_library()
    sitting.main.open_document(record)
    assert book.text_state.words == "", "who closed it has read it"


def test_recognised_text_comes_into_the_book(sitting: Sitting, tmp_path: Path) -> None:
    """Trap 7: only what lacks text is recognised; the book shows its text when that is done."""
    state = sitting.window.desk.recognition()
    if "eng" not in state.languages:
        pytest.skip(f"the data for English are not installed: {state.hint}")
    record = opened(sitting, windowed.mixed(tmp_path / "mixed.pdf", texts=1, scans=1))
    main, book = sitting.main, sitting.main.book
    main.actions_["recognise"].trigger()
    dialog = main.findChildren(RecognitionDialog)[-1]
    button = begin(dialog)
    assert button is not None and dialog.choice.languages == "eng"
    button.click()
    assert main.recognising.is_at_work(record.id) and book.text_state.words == ""
    sitting.until(lambda: not main.recognising.is_at_work(record.id), SECONDS)
    sitting.until(lambda: book.record is not None and book.record.words > record.words, SECONDS)
    assert [leaf.kind for leaf in book.leaf_work.leaves] == ["text", "ocr", "empty"]
    assert book.text_state.words == ""
    sitting.until(lambda: book.reader.can_show_leaves, SECONDS)


def test_a_job_tells_how_far_it_is_and_can_be_stopped(
    sitting: Sitting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = opened(sitting, windowed.scanned(tmp_path / "scan.pdf"))
    main, desk = sitting.main, sitting.window.desk
    stopped: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(desk, "recognise", lambda *_, **__: 4711)
        patch.setattr(desk, "stop", stopped.append)
        main.recognising.start(record, RecognitionChoice("eng"))
        strip = main.strips._strips[0]
        sitting.window.bridge.post(Progress(4711, "leaf 1", 1, 2, None, 90.0))
        sitting.until(lambda: "1 of 2 leaves" in strip._words.text())
        assert strip._left.text() == "about 2 min left" and strip._bar.value() == 500
        strip.stop_wanted.emit()
        assert stopped == [4711]
