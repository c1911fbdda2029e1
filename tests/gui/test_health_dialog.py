"""What is known of a book before it is read: in the sidebar, and as a report to read and to copy."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QTextBrowser
from pytestqt.qtbot import QtBot

from readdesk.documents.model import ENCODINGS, Section
from readdesk.gui import estimates
from readdesk.gui.dialogs.health import HealthDialog
from readdesk.gui.theme import Theme
from readdesk.library.model import DocumentRecord, HealthReport

SECTIONS = (
    Section(0, "Cover <i>", 1, -1, 0, words=10, matter="cover", is_left_out=True),
    Section(1, "One", 1, -1, 100, words=40_000),
    Section(2, "Chosen", 1, -1, 900, words=200, is_left_out=True),
    Section(3, "Notes", 1, -1, 1000, words=1_500, matter="notes", is_left_out=True),
)
RECORD = DocumentRecord(
    *(3, "A <b>Book</b>", ("A. Writer", "B. Other"), "ja", "text", "/books/a.txt", "hash", 2000, 41_710, ""),
    *(("The file is damaged in 1 place & more.",), "2026-01-01"),
    structure="headings",
    encoding="Shift-JIS",
)
REPORT = HealthReport(RECORD, SECTIONS, 130, "starter", 7_811.0, False)


def shown(qtbot: QtBot, theme: Theme, report: HealthReport = REPORT) -> HealthDialog:
    dialog = HealthDialog(report, theme)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    return dialog


def test_effort_says_pages_and_time_and_how_sure_that_is() -> None:
    assert estimates.effort_words(REPORT) == "About 130 pages, about 2 h 10 min with starter (a rough guess)"
    measured = replace(REPORT, is_measured=True, seconds=1_500, pages=1)
    assert estimates.effort_words(measured) == "About 1 page, about 25 min with starter"
    assert estimates.effort_words(replace(REPORT, seconds=None, model="")) == "About 130 pages"
    assert estimates.read_words(REPORT) == "40,000 words"


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        (SECTIONS, "Left out: cover, notes, 1 section more."),
        (SECTIONS[1:2], ""),
        (SECTIONS[2:3], "Left out: 1 section."),
        ((SECTIONS[2], replace(SECTIONS[2], index=7)), "Left out: 2 sections."),
        ((SECTIONS[3], replace(SECTIONS[3], index=7)), "Left out: notes."),
    ],
)
def test_what_is_left_out_in_short(sections: tuple[Section, ...], words: str) -> None:
    assert estimates.left_out_summary(sections) == words


def test_plain_words_for_codes() -> None:
    assert estimates.language_words("ja") == "Japanese"
    assert estimates.language_words("zh-CN") == "Chinese"
    assert estimates.language_words("") == ""
    assert estimates.encoding_words("shift-jis") == dict(ENCODINGS)["Shift-JIS"]
    assert estimates.encoding_words("KLINGON-1") == "KLINGON-1"
    assert estimates.structure_words("parts", 12).startswith("12 sections, parts of equal length")
    assert estimates.structure_words("", 1) == "1 section"


def test_the_report_says_everything_as_it_is(qtbot: QtBot, theme: Theme) -> None:
    words = shown(qtbot, theme).words
    for part in (
        *("A <b>Book</b>", "A. Writer, B. Other", "About 130 pages", "Plain text", "41,710 words, 1,710 of them"),
        *("Japanese", "4 sections, from the headings in the text", "Japanese (Shift-JIS)", "/books/a.txt"),
        *("Cover <i>", "cover, 10 words", "as chosen, 200 words", "The file is damaged in 1 place & more."),
    ):
        assert part in words


def test_an_ordinary_book_has_no_empty_headings(qtbot: QtBot, theme: Theme) -> None:
    record = replace(RECORD, notes=(), encoding="", language="", authors=())
    words = shown(qtbot, theme, replace(REPORT, document=record, sections=SECTIONS[1:2])).words
    assert all(part not in words for part in ("Left out", "Worth knowing", "Encoding", "Language"))
    assert "41,710 words\n" in words


def test_the_report_is_copied_selected_and_closed_with_keys(qtbot: QtBot, theme: Theme) -> None:
    dialog = shown(qtbot, theme)
    text = dialog.findChildren(QTextBrowser)[0]
    assert dialog.focusWidget() is text
    QTest.keyClick(text, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert "Japanese" in text.textCursor().selectedText()
    copy = next(button for button in dialog.findChildren(QPushButton) if "Copy" in button.text())
    copy.click()
    assert QGuiApplication.clipboard().text() == dialog.words
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_the_report_follows_the_colours(qtbot: QtBot, theme: Theme) -> None:
    dialog = shown(qtbot, theme)
    theme.choose("dark")
    try:
        assert theme.colours.muted in dialog.findChildren(QTextBrowser)[0].toHtml()
    finally:
        theme.choose("light")
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in dialog.findChildren(QLabel))
