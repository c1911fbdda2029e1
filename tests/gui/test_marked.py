"""Highlights and notes from a file in the sidebar: listed, shown in the book, removed from the library alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from readdesk.documents.model import Anchor, LeafSpot
from readdesk.gui.itemmodels.notes import Index, NoteDelegate, NoteRole
from readdesk.gui.panes.notes import NotesPane
from readdesk.gui.theme import Theme
from readdesk.library.highlights import Highlights
from readdesk.library.model import DocumentRecord, Highlight
from readdesk.paths import Paths
from tests.gui.homes import Sitting
from tests.samples import windowed

SECONDS = 60_000
PLACE = Anchor((LeafSpot(1, 0, 4),))


@pytest.fixture
def sitting(qtbot: QtBot, qapp: QApplication, paths: Paths, tmp_path: Path) -> Iterator[Sitting]:
    """The window with the annotated book open."""
    made = Sitting(qtbot, qapp, paths, windowed.annotated(tmp_path / "annotated.pdf"))
    made.until(lambda: made.main.book.reader.can_show_leaves and made.main.book.notes.count > 0, SECONDS)
    yield made
    made.quit()


def rows(pane: NotesPane) -> list[QModelIndex]:
    return [pane._notes.index(row) for row in range(pane.count)]


def row_of(pane: NotesPane, words: str) -> QModelIndex:
    return next(index for index in rows(pane) if words in index.data(NoteRole.WORDS))


def test_what_lies_in_the_file_is_listed_with_its_page(sitting: Sitting) -> None:
    """Trap 67: notes are listed as notes; no word of them is the book's."""
    main, pane = sitting.main, sitting.main.book.notes
    main.actions_["to_notes"].trigger()
    assert main.book.side.currentWidget() is pane
    heads = [index.data(NoteRole.HEAD) for index in rows(pane)]
    assert [head.split(" \u00b7 ")[0] for head in heads] == ["p. 1", "p. 1", "p. 2", "p. 2", "p. 3"]
    assert {head.split(" \u00b7 ")[1] for head in heads} == {"highlight", "underlined", "note"}
    counted = row_of(pane, "counted the boats")
    assert counted.data() == "counted the boats"
    assert "How many of them" in counted.data(Qt.ItemDataRole.AccessibleTextRole)
    record = main.book.record
    assert record is not None
    text = "".join(each.text for each in sitting.window.desk.paragraphs(record, 0, record.characters))
    assert "How many of them" not in text and "Compare this" not in text


def test_words_of_a_recognised_leaf_are_said_to_be_so(
    qtbot: QtBot, qapp: QApplication, paths: Paths, tmp_path: Path
) -> None:
    """Trap 67: a quote from recognised text says so beside its page, seen or heard."""
    made = Sitting(qtbot, qapp, paths, windowed.with_words_beneath(tmp_path / "beneath.pdf"))
    pane = made.main.book.notes
    made.until(lambda: pane.count == 2, SECONDS)
    first, second = rows(pane)
    assert [leaf.kind for leaf in made.main.book.leaf_work.leaves] == ["text", "ocr"]
    assert "recognised" not in first.data(NoteRole.HEAD)
    assert second.data(NoteRole.HEAD) == "p. 2 \u00b7 recognised text \u00b7 highlight"
    assert "recognised text" in second.data(Qt.ItemDataRole.AccessibleTextRole)
    made.quit()


def test_a_note_that_is_chosen_is_shown_and_the_way_back_leads_home(sitting: Sitting) -> None:
    book = sitting.main.book
    book.notes._on_chosen(row_of(book.notes, "the maps of his youth"))
    sitting.until(lambda: bool(book.reader.leaves._marks.get(1)), SECONDS)
    assert 1 in book.reader.leaves._visible()
    note = row_of(book.notes, "Compare this with the second chapter")
    book.notes._on_chosen(note)
    sitting.until(lambda: bool(book.reader.leaves._marks.get(2)), SECONDS)
    assert 2 in book.reader.leaves._visible(), "a note at a point marks no text, but a place on a leaf"
    book.reader.go_back()
    book.reader.go_back()
    assert book.reader.leaves.place()[0] == 0
    book.reader.show_as_text()
    book.notes._on_chosen(row_of(book.notes, "counted the boats"))
    assert book.reader.text._marked is not None
    book.notes._on_chosen(note)
    assert book.reader.shows_leaves, "what is no text is shown where it is drawn"


def test_a_note_is_removed_from_the_library_but_not_from_the_file(sitting: Sitting) -> None:
    book, desk = sitting.main.book, sitting.window.desk
    record = book.record
    assert record is not None
    before = Path(record.path).read_bytes()
    book.notes._view.setCurrentIndex(row_of(book.notes, "counted the boats"))
    QTest.keyClick(book.notes._view, Qt.Key.Key_Delete)
    assert book.notes.count == 4 and len(desk.highlights(record)) == 4
    assert Path(record.path).read_bytes() == before
    menu = book.notes.menu_for(rows(book.notes)[0])
    assert [action.text() for action in menu.actions()] == ["&Copy text", "&Remove from ReadDesk"]
    menu.actions()[0].trigger()
    assert "the road to the village" in QGuiApplication.clipboard().text().replace("\n", " ")


def test_the_window_looks_nothing_up_by_itself(
    qtbot: QtBot, qapp: QApplication, paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty thousand highlights take up to a second to look up, which the window must not wait for."""
    threads = list[threading.Thread]()
    look_up = Highlights.all

    def told(self: Highlights, record: DocumentRecord) -> tuple[Highlight, ...]:
        threads.append(threading.current_thread())
        return look_up(self, record)

    monkeypatch.setattr(Highlights, "all", told)
    made = Sitting(qtbot, qapp, paths, windowed.annotated(tmp_path / "annotated.pdf"))
    pane = made.main.book.notes
    made.until(lambda: pane.count == 5, SECONDS)
    pane.removal_wanted.emit(rows(pane)[0].data(NoteRole.HIGHLIGHT))
    made.main.book.leaf_work.name_leaf(0, "40")
    made.until(lambda: pane.count == 4 and "p. 40" in rows(pane)[0].data(NoteRole.HEAD), SECONDS)
    assert threads and threading.main_thread() not in threads
    made.main.show_library()
    assert pane.count == 0
    made.quit()


def test_many_notes_are_set_a_few_at_a_time(qtbot: QtBot, theme: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    sized = list[int]()
    size = NoteDelegate.sizeHint

    def told(self: NoteDelegate, option: QStyleOptionViewItem, index: Index) -> QSize:
        sized.append(index.row())
        return size(self, option, index)

    monkeypatch.setattr(NoteDelegate, "sizeHint", told)
    pane = NotesPane(theme)
    qtbot.addWidget(pane)
    pane.resize(300, 600)
    pane.show()
    many = 20_000
    pane.show_notes([Highlight(at, 1, "highlight", at, at + 1, PLACE, quote=f"Words {at}") for at in range(many)])
    pane.grab()
    assert pane.count == many and 0 < len(set(sized)) < 500
    pane.remove(Highlight(0, 1, "highlight", 0, 1, PLACE))
    assert pane.count == many - 1 and rows(pane)[0].data() == "Words 1"


def test_a_book_without_notes_says_so(qtbot: QtBot, theme: Theme) -> None:
    pane = NotesPane(theme)
    qtbot.addWidget(pane)
    pane.show()
    empty = next(label for label in pane.findChildren(QLabel) if "Nothing is marked" in label.text())
    assert empty.isVisible() and not pane._view.isVisible()
    note = Highlight(1, 1, "note", None, None, PLACE, note="<b>bold?</b> " * 300, author="A\nB", colour="no colour")
    pane.show_notes((note,), lambda _: "p. 2")
    assert pane._view.isVisible() and not empty.isVisible()
    index = pane._notes.index(0)
    assert index.data(NoteRole.HEAD) == "p. 2 \u00b7 note \u00b7 A B"
    assert "<b>" not in index.data(Qt.ItemDataRole.ToolTipRole).replace("&lt;b&gt;", "")
    pane.resize(300, 700)
    assert pane._view.visualRect(index).height() < 200, "a row is a few lines, however long the note"
    pane.grab()
