"""States of the window for the pictures: what a PDF holds beside its text, scans, and what a model reads of a leaf."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QInputDialog, QLineEdit

from readdesk.gui.dialogs.leaflist import LeafList
from readdesk.gui.dialogs.modelview import ModelViewDialog
from readdesk.gui.dialogs.recognition import RecognitionChoice, RecognitionDialog
from readdesk.jobs.events import Progress
from readdesk.library.model import DocumentRecord
from tests.gui.bookscreens import close_dialogs
from tests.samples import hostile, windowed

if TYPE_CHECKING:
    from tests.gui.screens import Stage


def _open(stage: Stage, path: Path) -> DocumentRecord:
    close_dialogs(stage)
    stage.main.messages.hide()
    found = [record for record in stage.window.desk.documents() if record.path == str(path.resolve())]
    record = found[0] if found else stage.add(path)
    stage.main.open_document(record)
    stage.until(lambda: stage.main.book.reader.can_show_leaves)
    stage.main.messages.hide()
    stage.settle(900)
    return record


def pdf_labels(stage: Stage) -> None:
    """A manual with printed labels: the box says both, the table of contents the printed page."""
    _open(stage, stage.data / "pdf" / "derived-owner-only-no-copy-fhs.pdf")
    stage.main.book.side.setCurrentWidget(stage.main.book.contents)
    stage.main.book.reader.show_leaf(14)
    stage.settle(900)


def pdf_page_number(stage: Stage) -> None:
    """The dialog that sets a page number."""
    _open(stage, stage.data / "pdf" / "scan-with-ocr-layer.pdf")
    stage.main.book.reader.show_leaf(2)
    stage.settle(900)
    stage.main.actions_["page_number"].trigger()
    field = stage.main.findChildren(QDialog)[0].findChildren(QLineEdit)[0]
    field.setText("127")


def pdf_page_number_bad(stage: Stage) -> None:
    """What is no page number."""
    stage.main.findChildren(QDialog)[0].findChildren(QLineEdit)[0].setText("the third")


def pdf_about(stage: Stage) -> None:
    """The report of a PDF with what came out of its leaves."""
    _open(stage, windowed.mixed(stage.paths.data / "mixed.pdf"))
    stage.main.actions_["details"].trigger()


def pdf_about_unfolded(stage: Stage) -> None:
    """The same with a kind unfolded."""
    leaves = stage.main.findChildren(LeafList)[0]
    head = leaves.topLevelItem(leaves.topLevelItemCount() - 1)
    assert head is not None
    head.setExpanded(True)
    first = head.child(0)
    assert first is not None
    leaves.setCurrentItem(first)


def pdf_model_view(stage: Stage) -> None:
    """What a model reads of a leaf in two columns."""
    _open(stage, stage.data / "pdf" / "tracemonkey-two-column.pdf")
    stage.main.book.reader.show_leaf(2)
    stage.settle(900)
    stage.main.actions_["model_view"].trigger()
    stage.settle(1200)


def pdf_model_view_scan(stage: Stage) -> None:
    """The same of a leaf without text."""
    _open(stage, stage.data / "pdf" / "scan-huckleberry.pdf")
    stage.main.actions_["model_view"].trigger()
    stage.settle(1200)
    assert stage.main.findChildren(ModelViewDialog)


def pdf_in_part(stage: Stage) -> None:
    """A leaf of 60,000 strokes, as far as it is drawn, and the words that say so."""
    _open(stage, hostile.strokes(stage.paths.data / "strokes.pdf"))
    stage.settle(6000)


def pdf_scan(stage: Stage) -> None:
    """A book of pictures: the strip, the sidebar and the chat say what to do."""
    _open(stage, stage.data / "pdf" / "scan-multipage.pdf")
    stage.main.book.side.setCurrentWidget(stage.main.book.sidebar)


def pdf_scan_as_text(stage: Stage) -> None:
    """The text of a book that has none."""
    stage.main.book.reader.show_as_text()


def pdf_recognition(stage: Stage) -> None:
    """Which text is to be recognised."""
    stage.main.book.reader.show_as_leaves()
    stage.main.actions_["recognise"].trigger()
    assert stage.main.findChildren(RecognitionDialog)


def pdf_recognition_lacking(stage: Stage) -> None:
    """The same where the program is missing."""
    close_dialogs(stage)
    desk = stage.window.desk
    there = desk.recognition

    def lacking() -> object:
        return replace(there(), is_available=False, languages=())

    desk.recognition = lacking  # type: ignore[assignment]
    stage.main.actions_["recognise"].trigger()
    desk.recognition = there  # type: ignore[method-assign]


def pdf_mixed(stage: Stage) -> None:
    """A book of which a few leaves are pictures."""
    _open(stage, windowed.mixed(stage.paths.data / "mixed.pdf"))


def pdf_recognising(stage: Stage) -> None:
    """Recognition at work."""
    record = _open(stage, stage.data / "pdf" / "scan-multipage.pdf")
    desk = stage.window.desk
    desk.recognise = lambda *_, **__: 97  # type: ignore[method-assign]
    stage.main.recognising.start(record, RecognitionChoice("eng"))
    stage.settle(400)
    stage.window.bridge.post(Progress(97, "leaf 3", 2, 6, None, 200.0))


def pdf_notes(stage: Stage) -> None:
    """Highlights and notes from the file."""
    _open(stage, windowed.annotated(stage.paths.data / "annotated.pdf"))
    stage.main.book.side.setCurrentWidget(stage.main.book.notes)


def pdf_note_chosen(stage: Stage) -> None:
    """One of them was chosen."""
    stage.main.book.notes._view.setCurrentIndex(stage.main.book.notes._notes.index(1))
    stage.main.book.notes._on_chosen(stage.main.book.notes._notes.index(1))
    stage.settle(600)


def pdf_no_notes(stage: Stage) -> None:
    """A file in which nothing is marked."""
    _open(stage, stage.data / "pdf" / "outline-latex.pdf")
    stage.main.book.side.setCurrentWidget(stage.main.book.notes)


def pdf_link(stage: Stage) -> None:
    """The pointer is over a link that leads out of the book."""
    _open(stage, windowed.linked(stage.paths.data / "linked.pdf"))
    view = stage.main.book.reader.leaves
    box = view._leaf_box(0)
    place = (box.topLeft() + QPointF(110, 116) * view.zoom).toPoint()
    QTest.mouseMove(view.viewport(), place - QPoint(30, 30))
    QTest.mouseMove(view.viewport(), place)
    stage.settle(600)
    QTest.mouseMove(view.viewport(), place + QPoint(1, 0))


def pdf_link_chosen(stage: Stage) -> None:
    """It was clicked."""
    view = stage.main.book.reader.leaves
    place = (view._leaf_box(0).topLeft() + QPointF(110, 116) * view.zoom).toPoint()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)


def pdf_selection(stage: Stage) -> None:
    """Words of one column are selected, with the menu over them."""
    _open(stage, stage.data / "pdf" / "tracemonkey-two-column.pdf")
    reader = stage.main.book.reader
    reader.show_leaf(1)
    stage.settle(900)
    glyphs, view = reader.pointer._glyphs, reader.leaves
    glyphs.text(1)
    stage.until(lambda: glyphs.known(1) is not None)
    corner = view._leaf_box(1).topLeft()
    held = Qt.KeyboardModifier.NoModifier
    for step, (x, y) in enumerate(((80, 120), (200, 190))):
        place = (corner + QPointF(x, y) * view.zoom).toPoint()
        keys = Qt.KeyboardModifier.ShiftModifier if step else held
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, keys, place)
    stage.settle(300)


def pdf_selection_menu(stage: Stage) -> None:
    """What can be done with them."""
    view = stage.main.book.reader.leaves
    stage.main.book.reader.pointer.selection._pop_up(view.viewport().mapToGlobal(QPoint(300, 260)))


def pdf_links(stage: Stage) -> None:
    """The links of a leaf as a list."""
    _open(stage, windowed.linked(stage.paths.data / "linked.pdf"))
    stage.main.actions_["leaf_links"].trigger()
    stage.until(lambda: bool(stage.main.findChildren(QDialog)))


def pdf_recognised_notes(stage: Stage) -> None:
    """Notes on recognised text."""
    close_dialogs(stage)
    _open(stage, windowed.with_words_beneath(stage.paths.data / "beneath.pdf", 3))
    stage.main.book.side.setCurrentWidget(stage.main.book.notes)


def pdf_many_leaves(stage: Stage) -> None:
    """The report of a book with 1,400 leaves, unfolded."""
    _open(stage, windowed.unnumbered(stage.paths.data / "many.pdf", 1400))
    stage.main.actions_["details"].trigger()
    pdf_about_unfolded(stage)


def pdf_locked(stage: Stage) -> None:
    """A locked file, the first time."""
    close_dialogs(stage)
    stage.main.messages.hide()
    stage.main.files.add([stage.data / "pdf" / "encrypted-aes256-user-password.pdf"])
    stage.until(lambda: bool(stage.main.findChildren(QInputDialog)))


def pdf_locked_again(stage: Stage) -> None:
    """The same after a wrong password."""
    dialog = stage.main.findChildren(QInputDialog)[-1]
    dialog.setTextValue("wrong")
    dialog.accept()
    stage.settle(1500)


def pdf_unlocked(stage: Stage) -> None:
    """With the right one."""
    dialog = next(dialog for dialog in stage.main.findChildren(QInputDialog) if dialog.isVisible())
    dialog.setTextValue("asdfzxcv")
    dialog.accept()
    stage.until(lambda: stage.main.book.reader.can_show_leaves)
    stage.settle(800)


def pdf_closed(stage: Stage) -> None:
    """Nothing is left of it."""
    close_dialogs(stage)
    stage.main.messages.hide()
    stage.main.show_library()


PDF_STATES = (
    *(pdf_labels, pdf_page_number, pdf_page_number_bad, pdf_about, pdf_about_unfolded),
    *(
        pdf_model_view,
        pdf_model_view_scan,
        pdf_in_part,
        pdf_scan,
        pdf_scan_as_text,
        pdf_recognition,
        pdf_recognition_lacking,
    ),
    *(pdf_mixed, pdf_recognising, pdf_notes, pdf_note_chosen, pdf_no_notes, pdf_link, pdf_link_chosen),
    *(pdf_links, pdf_recognised_notes, pdf_selection, pdf_selection_menu, pdf_many_leaves),
    *(pdf_locked, pdf_locked_again, pdf_unlocked, pdf_closed),
)
