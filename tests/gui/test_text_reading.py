"""How a text file is read, in the real window: guessed encodings, the dialog with its preview, changed files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPushButton, QTextBrowser
from pytestqt.qtbot import QtBot

from readdesk.documents.model import NO_CHAPTERS
from readdesk.gui.choosing import BOOKS
from readdesk.gui.dialogs.textreading import TextReadingDialog
from readdesk.paths import Paths
from tests.gui.bookscreens import text_file
from tests.gui.homes import Sitting


@pytest.fixture
def sitting(qtbot: QtBot, qapp: QApplication, paths: Paths, tmp_path: Path) -> Iterator[Sitting]:
    made = Sitting(qtbot, qapp, paths, text_file(tmp_path))
    made.until(lambda: made.main.book.record is not None)
    yield made
    made.quit()


class Asked:
    """The dialog, open in the window, and the hands of a person."""

    def __init__(self, sitting: Sitting) -> None:
        sitting.main.actions_["text_reading"].trigger()
        self.sitting = sitting
        self.dialog = sitting.main.findChildren(TextReadingDialog)[-1]
        self.settle()

    @property
    def encoding(self) -> QComboBox:
        return self.dialog.findChildren(QComboBox)[0]

    @property
    def chapters(self) -> QComboBox:
        return self.dialog.findChildren(QComboBox)[1]

    @property
    def pattern(self) -> QLineEdit:
        return next(field for field in self.dialog.findChildren(QLineEdit) if field.placeholderText())

    @property
    def apply(self) -> QPushButton:
        return next(button for button in self.dialog.findChildren(QPushButton) if "Read it" in button.text())

    @property
    def preview(self) -> str:
        return self.dialog.findChildren(QTextBrowser)[0].toPlainText()

    @property
    def said(self) -> str:
        roles = ("muted", "bad")
        return next(label.text() for label in self.dialog.findChildren(QLabel) if label.property("role") in roles)

    def settle(self) -> None:
        """Wait until what is shown belongs to what is chosen."""
        self.sitting.until(lambda: not self.dialog._timer.isActive() and self.dialog._job is None)

    def choose(self, encoding: str) -> None:
        self.encoding.setCurrentIndex(self.encoding.findData(encoding))
        self.settle()


def test_a_guess_is_told_once_with_a_way_to_change_it(sitting: Sitting) -> None:
    messages = sitting.main.messages
    assert messages.isVisible() and "GB18030" in messages._words.text()
    messages._action.click()
    dialog = sitting.main.findChildren(TextReadingDialog)[0]
    assert dialog.isVisible() and not messages.isVisible()
    dialog.reject()
    record = sitting.main.book.record
    assert record is not None
    sitting.main.show_library()
    sitting.main.open_document(record)
    assert not messages.isVisible()


def test_what_was_told_of_one_book_is_not_told_of_the_next(sitting: Sitting, tmp_path: Path) -> None:
    messages = sitting.main.messages
    assert messages.isVisible() and "GB18030" in messages._words.text()
    other = tmp_path / "other.txt"
    other.write_text("Nothing is to be said of this text. " * 30, encoding="utf-8")
    sitting.main.open_files([other])
    sitting.until(lambda: sitting.main.book.record is not None and sitting.main.book.record.title == "other")
    assert not messages.isVisible()


def test_the_dialog_shows_what_is_found_and_says_what_fails_in_place(sitting: Sitting) -> None:
    asked = Asked(sitting)
    assert "GB18030" in asked.encoding.currentText()
    assert "第三回" in asked.preview and "话说天下大势" in asked.preview
    assert asked.said.startswith("11 sections, from the headings in the text")
    assert not asked.apply.isEnabled(), "nothing is chosen otherwise"
    asked.choose("UTF-8")
    assert "is not in UTF-8" in asked.said and asked.preview == ""
    assert not asked.apply.isEnabled()
    asked.choose("")
    asked.chapters.setCurrentIndex(1)
    asked.settle()
    assert asked.said.startswith("1 section")
    assert asked.apply.isEnabled() and asked.dialog.choices.chapters == NO_CHAPTERS
    asked.chapters.setCurrentIndex(2)
    asked.settle()
    assert asked.pattern.isVisible() and asked.pattern.hasFocus()
    assert not asked.apply.isEnabled(), "a pattern is missing"
    QTest.keyClicks(asked.pattern, "(")
    asked.settle()
    assert not asked.apply.isEnabled() and len(asked.said) > 20
    asked.dialog.reject()


def test_a_choice_is_read_and_the_book_shown_anew_at_its_place(sitting: Sitting) -> None:
    reader = sitting.main.book.reader
    before = sitting.main.book.record
    assert before is not None
    sections = sitting.window.desk.sections(before)
    reader.show_position(sections[5].start)
    asked = Asked(sitting)
    asked.chapters.setCurrentIndex(2)
    asked.pattern.setText("第[一二三四五]回.*")
    asked.dialog._on_changed()
    asked.settle()
    QTest.mouseClick(asked.apply, Qt.MouseButton.LeftButton)
    sitting.until(lambda: sitting.main.book.record != before)
    after = sitting.main.book.record
    assert after is not None and after.id == before.id
    assert after.choices.chapters == "第[一二三四五]回.*"
    assert len(sitting.window.desk.sections(after)) == 6
    assert sitting.window.desk.paragraphs(after, reader.position, reader.position + 1)[0].text.startswith("第五回")


def test_only_texts_can_be_read_otherwise(sitting: Sitting, shared_data: Path) -> None:
    action = sitting.main.actions_["text_reading"]
    assert action.isEnabled()
    sitting.main.open_files([shared_data / "documents/epub/dorian-gray.epub"])
    sitting.until(lambda: sitting.main.book.record is not None and sitting.main.book.record.format == "epub")
    assert not action.isEnabled()
    assert sitting.main.actions_["details"].isEnabled()


def test_a_new_version_of_the_open_book_is_shown(sitting: Sitting) -> None:
    before = sitting.main.book.record
    assert before is not None
    path = Path(before.path)
    text = path.read_bytes().decode("gb18030")
    path.write_bytes((text + "\n\n第十一回 新增\n\n新的段落说了新的话。\n").encode("gb18030"))
    sitting.main.messages.hide()
    sitting.main.open_files([path])
    sitting.until(lambda: sitting.main.book.record != before)
    after = sitting.main.book.record
    assert after is not None and after.id == before.id and after.characters > before.characters
    titles = [section.title for section in sitting.window.desk.sections(after)]
    assert titles[-1].startswith("第十一回")
    contents = sitting.main.book.contents._view.model()
    assert contents.rowCount() == len(titles)
    assert sitting.main.messages.isVisible() or not after.notes


def test_files_of_every_kind_are_offered() -> None:
    texts = {"epub", "pdf", "txt", "md", "markdown", "html", "htm", "xhtml", "mht", "mhtml"}
    assert texts | {"fb2", "mobi", "prc", "azw", "xps", "oxps", "cbz"} == set(BOOKS)
