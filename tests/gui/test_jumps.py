"""Jumps and the way back: notes, chapters, printed pages, over a real desk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QInputDialog, QLabel
from pytestqt.qtbot import QtBot

from readdesk.gui.dialogs.health import HealthDialog
from readdesk.gui.itemmodels.gisttree import LEFT_OUT, TODO, Role
from readdesk.gui.reader.jumps import Jumps
from readdesk.gui.theme import Theme
from readdesk.library.model import DocumentRecord, ReadingPlace
from readdesk.library.store import Library
from readdesk.paths import Paths
from tests.gui.homes import Sitting
from tests.gui.madebook import NOTE, NOTE_TEXT, keep
from tests.gui.test_reader_place import Reader
from tests.jobs.homes import wait_until_quiet


@pytest.fixture
def reader(qtbot: QtBot, theme: Theme, paths: Paths) -> Iterator[Reader]:
    made = Reader(qtbot, theme, paths)
    yield made
    made.close()
    wait_until_quiet(paths.data)


@pytest.fixture
def record(reader: Reader, paths: Paths) -> DocumentRecord:
    library = Library(paths.library)
    made = keep(library, paths.data / "everything.epub")
    library.close()
    reader.open(made)
    return made


def start_of(reader: Reader, record: DocumentRecord, title: str) -> int:
    return next(section.start for section in reader.desk.sections(record) if section.title == title)


def test_places_that_were_left_come_back_in_order() -> None:
    jumps = Jumps()
    first, second, third = ReadingPlace(1), ReadingPlace(2), ReadingPlace(3)
    assert jumps.back(first) is None and not jumps.can_go_back
    jumps.leave(first)
    jumps.leave(second)
    assert jumps.back(third) == second
    assert jumps.back(second) == first
    assert (jumps.can_go_back, jumps.can_go_forward) == (False, True)
    assert jumps.forward(first) == second
    jumps.leave(second)
    assert not jumps.can_go_forward, "what lay ahead is forgotten"
    for number in range(200):
        jumps.leave(ReadingPlace(number))
    steps = 0
    while jumps.back(ReadingPlace(999)) is not None:
        steps += 1
    assert steps == 50


def test_a_place_that_is_shown_already_is_no_step_back() -> None:
    jumps = Jumps()
    jumps.leave(ReadingPlace(1))
    jumps.leave(ReadingPlace(2))
    assert jumps.back(ReadingPlace(2)) == ReadingPlace(1)


def test_a_note_is_jumped_to_and_marked_and_back_leads_to_its_mark(reader: Reader, record: DocumentRecord) -> None:
    weather = start_of(reader, record, "The weather")
    reader.place.show_position(weather)
    assert reader.place.note_words(NOTE) == NOTE_TEXT
    assert not reader.place.can_go_back
    reader.place.text.note_chosen.emit(NOTE)
    assert reader.marked() == NOTE_TEXT
    assert reader.place.text.last_visible >= start_of(reader, record, "Notes")
    assert reader.place.can_go_back
    reader.place.go_back()
    assert reader.place.position == weather
    assert not reader.place.can_go_back
    reader.place.go_forward()
    assert reader.place.position > weather
    reader.place.text.note_chosen.emit("nowhere")
    assert reader.place.note_words("nowhere") == ""
    assert reader.errors == []


def test_printed_pages_of_an_epub_can_be_gone_to(reader: Reader, record: DocumentRecord) -> None:
    assert reader.place.leaf_names()[:3] == ("12", "13", "14")
    assert reader.place.leaf_name == "", "the title page has no number"
    assert reader.place.show_leaf_named("20")
    assert reader.place.leaf_name == "20"
    pages = {name: position for position, name in reader.desk.printed_pages(record)}
    assert reader.place.position == pages["20"]
    assert not reader.place.show_leaf_named("1"), "a number is no label"
    reader.place.go_back()
    assert reader.place.position == 0


def test_another_book_has_no_way_back(reader: Reader, record: DocumentRecord, tmp_path: Path) -> None:
    reader.place.jump_to(500)
    path = tmp_path / "other.txt"
    path.write_text("\n\n".join("Words go on. " * 20 for _ in range(50)), "utf-8")
    reader.open(reader.add(path))
    assert not reader.place.can_go_back
    reader.place.go_back()
    assert reader.place.position == 0
    assert reader.place.leaf_names() == ()


def test_back_in_a_pdf_leads_to_the_same_place_on_the_leaf(reader: Reader, shared_data: Path) -> None:
    record = reader.add(shared_data / "documents/pdf/tracemonkey-two-column.pdf")
    reader.open(record)
    reader.place.leaves.show_leaf(3, 0.25)
    before = reader.place.leaves.place()
    reader.place.jump_to(record.characters - 10)
    assert reader.place.leaf_name != "4"
    reader.place.go_back()
    leaf, fraction = reader.place.leaves.place()
    assert leaf == before[0] and abs(fraction - before[1]) < 0.01
    assert reader.place.leaf_name == "4"


@pytest.fixture
def sitting(qtbot: QtBot, qapp: QApplication, paths: Paths) -> Iterator[Sitting]:
    """The window, with the made-up book in its library."""
    paths.data.mkdir(parents=True, exist_ok=True)
    library = Library(paths.library)
    keep(library, paths.data / "everything.epub")
    library.close()
    made = Sitting(qtbot, qapp, paths)
    yield made
    made.quit()


def test_what_is_left_out_is_changed_in_the_library_and_in_both_panes(
    sitting: Sitting,
) -> None:
    record = sitting.window.desk.documents()[0]
    sitting.main.open_document(record)
    book = sitting.main.book

    def labels() -> str:
        return " ".join(label.text() for label in book.sidebar.findChildren(QLabel) if not label.isHidden())

    assert "2,010 words to read." in labels() and "Left out: title page" in labels()
    notes = next(section for section in sitting.window.desk.sections(record) if section.title == "Notes")
    book.contents.leaving_out_wanted.emit(notes.index, False)
    assert not sitting.window.desk.sections(record)[notes.index].is_left_out
    index = book.sidebar.tree.index(notes.index, 0)
    assert index.data(Role.STATE) == TODO
    assert "2,030 words to read." in labels() and "notes" not in labels()
    book.sidebar.leaving_out_wanted.emit(notes.index, True)
    assert index.data(Role.STATE) == LEFT_OUT
    sitting.main.actions_["details"].trigger()
    dialog = sitting.main.findChildren(HealthDialog)[0]
    assert dialog.isVisible() and "excerpt from another book" in dialog.words
    dialog.close()


def test_the_menu_leads_to_a_printed_page_and_back(sitting: Sitting) -> None:
    main = sitting.main
    main.open_document(sitting.window.desk.documents()[0])
    assert not main.actions_["back"].isEnabled() and main.actions_["go_to_leaf"].isEnabled()
    main.actions_["go_to_leaf"].trigger()
    dialog = main.findChildren(QInputDialog)[0]
    assert "12 to 23" in dialog.labelText()
    dialog.setTextValue("17")
    dialog.accept()
    assert main.tools.page.words == "p. 17"
    place = main.book.reader.position
    assert place > 0 and main.actions_["back"].isEnabled()
    assert main.actions_["back"].shortcut().toString() == "Alt+Left"
    main.actions_["back"].trigger()
    assert main.book.reader.position == 0
    assert not main.actions_["back"].isEnabled() and main.actions_["forward"].isEnabled()
    main.actions_["forward"].trigger()
    assert main.book.reader.position == place
