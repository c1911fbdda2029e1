"""States of the window for the pictures: what a book can hold, what is known of it, and how a text file is read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QDialog, QToolTip, QTreeView

from readdesk.gui.dialogs.textreading import TextReadingDialog
from readdesk.gui.reader.browser import Browser
from readdesk.library.model import DocumentRecord, HealthReport
from readdesk.library.store import Library
from tests.gui import madebook

if TYPE_CHECKING:
    from tests.gui.screens import Stage

STARTER_SECONDS = 7_900.0


def text_file(folder: Path, name: str = "three-kingdoms.txt") -> Path:
    """A Chinese text with chapters, in an encoding that it does not name."""
    path = folder / name
    numbers = "一二三四五六七八九十"
    chapters = (
        f"第{number}回 风起云涌\n\n" + "话说天下大势，分久必合，合久必分。周末七国分争，并入于秦。\n\n" * 6
        for number in numbers
    )
    path.write_bytes(("三国\n\n" + "".join(chapters)).encode("gb18030"))
    return path


def _everything(stage: Stage) -> DocumentRecord:
    """The made-up book, in the library since it was first asked for."""
    found = [record for record in stage.window.desk.documents() if record.title == madebook.TITLE]
    if not found:
        library = Library(stage.paths.library)
        found = [madebook.keep(library, stage.paths.data / "everything.epub")]
        library.close()
    return found[0]


def _show(stage: Stage, title: str) -> None:
    record = _everything(stage)
    stage.main.messages.hide()
    stage.main.open_document(record)
    sections = stage.window.desk.sections(record)
    stage.main.book.reader.show_position(next(section.start for section in sections if section.title == title))
    stage.settle(600)


def close_dialogs(stage: Stage) -> None:
    """Close what is in front of the window."""
    for dialog in stage.main.findChildren(QDialog):
        dialog.close()
    QToolTip.hideText()


def reading_notes(stage: Stage) -> None:
    """Marks of notes, one of them with its tool tip; printed pages in the margin; a picture that is missing."""
    _show(stage, "The weather")
    browser = stage.main.book.reader.text.findChildren(Browser)[0]
    cursor = browser.document().find("things1")
    place = browser.cursorRect(cursor).center() - QPoint(3, 0)
    QToolTip.showText(browser.viewport().mapToGlobal(place), browser.tip_at(place), browser)


def reading_tables(stage: Stage) -> None:
    """Tables of figures, of sentences, and one that does not fit."""
    QToolTip.hideText()
    _show(stage, "Tables")


def reading_ruby(stage: Stage) -> None:
    """Readings above their words, and both directions."""
    _show(stage, "Readings and directions")


def left_out(stage: Stage) -> None:
    """The table of contents with what is left out, and the menu of a row."""
    _show(stage, "The weather")
    stage.main.book.side.setCurrentWidget(stage.main.book.contents)
    view = stage.main.book.contents.findChildren(QTreeView)[0]
    index = view.model().index(6, 0)
    view.setCurrentIndex(index)
    menu = stage.main.book.contents.menu_for(index)
    menu.popup(view.viewport().mapToGlobal(view.visualRect(index).center()))


def unread_with_model(stage: Stage) -> None:
    """What reading the book will take, before it begins; what is left out is nothing to do."""
    stage.main.book.side.setCurrentWidget(stage.main.book.sidebar)
    desk = stage.window.desk
    health = desk.health

    def known(document: DocumentRecord, model: str = "", *, with_openings: bool = False) -> HealthReport:
        return replace(health(document, model), pages=130, seconds=STARTER_SECONDS, model="starter")

    desk.health = known  # type: ignore[method-assign]
    desk.default_model = lambda: next(s.record for s in desk.models() if s.record.name == "starter")  # type: ignore[method-assign]
    stage.main.book.refresh_state()


def about_book(stage: Stage) -> None:
    """The whole report."""
    stage.main.book.show_details()


def text_guessed(stage: Stage) -> None:
    """A text whose encoding was guessed: the strip says so and offers another one."""
    close_dialogs(stage)
    stage.main.show_library()
    stage.main.open_files([text_file(stage.paths.data)])
    stage.until(lambda: stage.main.book.record is not None and stage.main.book.record.format == "text")


def text_reading(stage: Stage) -> None:
    """How that text is read, with what is found."""
    stage.main.actions_["text_reading"].trigger()
    stage.settle(2500)


def text_refused(stage: Stage) -> None:
    """An encoding that the text cannot be in."""
    dialog = stage.main.findChildren(TextReadingDialog)[0]
    dialog._encoding.setCurrentIndex(dialog._encoding.findData("UTF-8"))
    dialog._chapters.setCurrentIndex(2)
    dialog._pattern.setText("第.回")
    dialog._on_changed()
    stage.settle(2500)


def text_closed(stage: Stage) -> None:
    """The dialog is gone again."""
    close_dialogs(stage)
    stage.main.messages.hide()


BOOK_STATES = (
    *(reading_notes, reading_tables, reading_ruby, left_out, unread_with_model, about_book),
    *(text_guessed, text_reading, text_refused, text_closed),
)
