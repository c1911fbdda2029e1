"""Selecting words on drawn leaves of real PDFs: in the order of reading, over columns and leaves, turned or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from readdesk.documents.model import RecognisedLeaf, RecognisedWord, Rectangle
from readdesk.gui.reader.leafselection import LeafSelection
from readdesk.gui.reader.leaves import LeafView
from readdesk.gui.theme import Theme
from readdesk.gui.widgets.hoverlabel import HoverLabel
from readdesk.jobs.events import Done
from readdesk.paths import Paths
from tests.gui.homes import Sitting
from tests.gui.test_reader_place import Reader
from tests.jobs.homes import wait_until_quiet
from tests.samples import make, scans, scripts, windowed

NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton


class Selecting:
    """A book in the reader place, and a pointer that selects in it."""

    def __init__(self, reader: Reader, path: Path) -> None:
        self.reader = reader
        QGuiApplication.clipboard().clear()
        self.record = reader.add(path)
        reader.open(self.record)
        reader.place.resize(1000, 900)
        self.view.set_zoom(1.5)
        self.view.show_leaf(0)

    @property
    def view(self) -> LeafView:
        return self.reader.place.leaves

    @property
    def selection(self) -> LeafSelection:
        return self.reader.place.pointer.selection

    @property
    def text(self) -> str:
        """The whole text of the document."""
        found = self.reader.desk.paragraphs(self.record, 0, self.record.characters)
        return "".join(paragraph.text for paragraph in found)

    def know(self, *leaves: int) -> None:
        """Wait until it is known where words stand."""
        glyphs = self.reader.place.pointer._glyphs
        for leaf in leaves:
            glyphs.text(leaf)
        self.reader.until(lambda: all(glyphs.known(leaf) is not None for leaf in leaves))

    def place(self, leaf: int, x: float, y: float) -> QPoint:
        """A point of a leaf, as it lies in the viewport."""
        return (self.view._leaf_box(leaf).topLeft() + QPointF(x, y) * self.view.zoom).toPoint()

    def box(self, at: int, leaf: int = 0) -> Rectangle:
        """Where a character is drawn."""
        known = self.reader.place.pointer._glyphs.known(leaf)
        assert known is not None
        (found,) = known.rectangles(at, at + 1)
        return found

    def at(self, words: str, share: float = 0.5, leaf: int = 0, *, last: bool = False) -> QPoint:
        """A share of the way across the first or the last character of words."""
        start = self.text.index(words)
        left, top, right, bottom = self.box(start + len(words) - 1 if last else start, leaf)
        return self.place(leaf, left + share * (right - left), (top + bottom) / 2)

    def press(self, at: QPoint, held: Qt.KeyboardModifier = NONE) -> None:
        QTest.mousePress(self.view.viewport(), LEFT, held, at)

    def drag(self, start: QPoint, end: QPoint) -> None:
        self.press(start)
        self.move(start + (end - start) / 2)
        self.move(end)
        QTest.mouseRelease(self.view.viewport(), LEFT, NONE, end)

    def move(self, at: QPoint) -> None:
        """Move with the button held, which `QTest.mouseMove` cannot."""
        where = QPointF(at)
        event = QMouseEvent(QEvent.Type.MouseMove, where, self.view.viewport().mapToGlobal(where), LEFT, LEFT, NONE)
        QApplication.sendEvent(self.view.viewport(), event)

    def selected(self) -> str:
        span = self.selection.span
        return self.text[slice(*span)] if span is not None else ""

    def copied(self) -> str:
        QTest.keyClick(self.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        return QGuiApplication.clipboard().text()


@pytest.fixture
def reader(qtbot: QtBot, theme: Theme, paths: Paths) -> Iterator[Reader]:
    made = Reader(qtbot, theme, paths)
    yield made
    made.close()
    wait_until_quiet(paths.data)


def test_a_drag_down_a_column_stays_in_it(reader: Reader, tmp_path: Path) -> None:
    """Lines of two columns interleave in the file and lie side by side; only those dragged over are taken."""
    made = Selecting(reader, make.two_columns(tmp_path / "columns.pdf"))
    made.know(0)
    made.drag(made.at("left 02", 0.1), made.at("left 06 with words that fill the line", 0.9, last=True) + QPoint(20, 0))
    selected = made.selected()
    assert [f"left {number:02d}" in selected for number in range(12)] == [2 <= number <= 6 for number in range(12)]
    assert "right" not in selected
    marked = made.view._selected[0]
    assert len(marked) == 5 and all(right < 310 for _, _, right, _ in marked), "one rectangle a line, in the column"
    assert made.copied() == " ".join(selected.split())


def test_over_both_columns_goes_the_reading_order(reader: Reader, tmp_path: Path) -> None:
    made = Selecting(reader, make.two_columns(tmp_path / "columns.pdf"))
    made.know(0)
    made.drag(made.at("left 10", 0.1), made.at("right 01", 0.9, last=True))
    selected = made.selected()
    assert "left 10" in selected and "left 11" in selected and "right 01" in selected
    assert "left 09" not in selected and "right 02" not in selected and "footnote" not in selected


def test_words_paragraphs_and_what_shift_does(reader: Reader, tmp_path: Path) -> None:
    made = Selecting(reader, windowed.unnumbered(tmp_path / "plain.pdf", 1))
    made.know(0)
    at = made.at("postman")
    QTest.mouseDClick(made.view.viewport(), LEFT, NONE, at)
    assert made.selected() == "postman"
    made.press(at)
    assert made.selected() == made.text, "a third click takes the paragraph"
    QTest.mouseRelease(made.view.viewport(), LEFT, NONE, at)
    QTest.qWait(QGuiApplication.styleHints().mouseDoubleClickInterval() + 50)
    made.press(made.at("letter came", 0.1))
    assert made.selected() == "", "a click takes the selection away"
    made.press(made.at("came, and", 0.9, last=True), SHIFT)
    assert made.selected() == "letter came, and"
    made.press(made.at("Rain had", 0.1), SHIFT)
    assert made.selected() == "Rain had fallen for three days when the "
    QTest.keyClick(made.view, Qt.Key.Key_Escape)
    assert made.selected() == "" and made.view._selected == {}


def test_a_double_click_and_a_drag_take_whole_words(reader: Reader, tmp_path: Path) -> None:
    made = Selecting(reader, windowed.unnumbered(tmp_path / "plain.pdf", 1))
    made.know(0)
    QTest.mouseDClick(made.view.viewport(), LEFT, NONE, made.at("fallen"))
    made.move(made.at("letter came"))
    assert made.selected() == "fallen for three days when the letter"


def test_over_leaves_without_what_is_no_text(reader: Reader, tmp_path: Path) -> None:
    """Trap 3: running heads and page numbers lie between, and are not copied; hyphens at line ends are joined."""
    made = Selecting(reader, make.running_heads(tmp_path / "heads.pdf"))
    made.know(0, 1)
    made.view.set_zoom(0.6)
    first, last = "Leaf number 0 begins", "A first line that is on two leaves"
    made.drag(made.at(first, 0.0), made.at(last, 1.0, 1, last=True))
    assert made.selection.span is not None and set(made.view._selected) >= {0, 1}
    words = made.copied()
    assert words.startswith("Leaf number 0 begins") and words.endswith("on two leaves")
    assert "CHAPTER" not in words and "\n1\n" not in words and made.view._selected[1]


def test_a_word_parted_at_a_line_end_is_one(reader: Reader, tmp_path: Path) -> None:
    made = Selecting(reader, make.hyphens(tmp_path / "hyphens.pdf"))
    made.know(0)
    QTest.mouseDClick(made.view.viewport(), LEFT, NONE, made.at("mate report"))
    assert made.copied() == "climate"
    assert len(made.view._selected[0]) == 2, "its two halves are marked"


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_leaf_that_is_turned(reader: Reader, tmp_path: Path, turn: int) -> None:
    """Trap 65: rotation and crop box; the word is selected where it is drawn."""
    made = Selecting(reader, make.rotated(tmp_path / "turned.pdf", turn))
    made.know(0)
    boxes = [made.box(at) for at in (0, len("Landmark") - 1)]
    ends = [made.place(0, (left + right) / 2, (top + bottom) / 2) for left, top, right, bottom in boxes]
    across = {0: QPoint(9, 0), 90: QPoint(0, 9), 180: QPoint(-9, 0), 270: QPoint(0, -9)}[turn]
    made.drag(ends[0] - across, ends[1] + across)
    assert made.selected() == "Landmark"
    made.drag(ends[1] + across, made.at("mark") - across)
    assert made.selected() == "mark", "backwards, too"


def test_letters_from_right_to_left(reader: Reader, tmp_path: Path) -> None:
    """Trap 9: a drag to the left goes forwards."""
    words = "שלום עולם הספר הזה נקרא מימין לשמאל"
    line = scripts.as_it_is_read([(words, True)], 360, 100)
    made = Selecting(reader, scripts.pdf(tmp_path / "hebrew.pdf", [line]))
    made.know(0)
    assert words in made.text
    start, end = made.at("עולם", 0.9), made.at("הספר", 0.1, last=True)
    assert end.x() < start.x()
    made.drag(start, end)
    assert made.copied() == "עולם הספר"
    QTest.mouseDClick(made.view.viewport(), LEFT, NONE, made.at("נקרא"))
    assert made.selected() == "נקרא"


def test_what_a_program_recognised_is_copied_with_a_word_about_it(
    qtbot: QtBot, qapp: QApplication, paths: Paths, tmp_path: Path
) -> None:
    """Trap 67: words over a picture are selected like others; what is copied with its page says that they may err."""
    sitting = Sitting(qtbot, qapp, paths, windowed.with_words_beneath(tmp_path / "beneath.pdf"))
    reader = sitting.main.book.reader
    sitting.until(lambda: reader.can_show_leaves)
    reader.show_leaf(1)
    glyphs, selection = reader.pointer._glyphs, reader.pointer.selection
    glyphs.text(1)
    sitting.until(lambda: glyphs.known(1) is not None)
    known, record = glyphs.known(1), sitting.main.book.record
    assert known is not None and record is not None
    whole = "".join(part.text for part in sitting.window.desk.paragraphs(record, 0, record.characters))
    at = whole.index("postman", reader._places.start_of(1))
    left, top, right, bottom = known.rectangles(at, at + 1)[0]
    place = reader.leaves._leaf_box(1).topLeft() + QPointF(left + right, top + bottom) / 2 * reader.leaves.zoom
    QTest.mouseDClick(reader.leaves.viewport(), LEFT, NONE, place.toPoint())
    QTest.keyClick(reader.leaves, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "postman"
    told = [label.text() for label in reader.leaves.findChildren(HoverLabel) if label.isVisible()]
    assert told == ["Copied. This is recognised text: it may hold errors."]
    menu = selection.menu()
    menu.actions()[1].trigger()
    copied = QGuiApplication.clipboard().text()
    assert copied == "postman\n\n(The Captain's Letter, recognised, p. 2, recognised text)"
    reader.show_as_text()
    reader.text.select(at, at + len("postman"))
    QGuiApplication.clipboard().clear()
    more = QMenu()
    reader.text._add_to_menu(more)
    more.actions()[0].trigger()
    assert QGuiApplication.clipboard().text() == copied, "the view of the text says the same"
    sitting.quit()


def test_words_that_readdesk_recognised(reader: Reader, tmp_path: Path) -> None:
    """Where ReadDesk itself has recognised a scan the library knows where its words are."""
    path = scans.scan(tmp_path / "scan.pdf", [["A word"]])
    record = reader.add(path)
    words = (
        RecognisedWord("Ferry", 0, (72.0, 90.0, 122.0, 104.0)),
        RecognisedWord("boats", 0, (130.0, 90.0, 180.0, 104.0)),
        RecognisedWord("sank", 1, (72.0, 110.0, 112.0, 124.0)),
    )
    reader.desk._library.recognised.keep(record, RecognisedLeaf(0, "eng", 0.9, words))
    job, done = reader.desk.reread(record.id, record.choices), list[Done]()
    reader.bridge.follow(job, {Done: done.append})
    reader.until(lambda: bool(done))
    made = Selecting(reader, path)
    assert "Ferry boats sank" in made.text.replace("\n", " ")
    made.know(0)
    QTest.mouseDClick(made.view.viewport(), LEFT, NONE, made.place(0, 155, 97))
    assert made.copied() == "boats"
    made.drag(made.place(0, 73, 97), made.place(0, 111, 118))
    assert made.copied() == "Ferry boats sank"


def test_words_come_late(reader: Reader, tmp_path: Path) -> None:
    """A drag before it is known where words stand selects as soon as it is; one of another book never does."""
    made = Selecting(reader, windowed.unnumbered(tmp_path / "plain.pdf", 1))
    start, end = made.place(0, 60, 76), made.place(0, 300, 200)
    made.drag(start, end)
    assert made.selection.span is None
    reader.until(lambda: made.selection.span is not None)
    assert made.selected().startswith("Rain had fallen")
    other = reader.add(windowed.unnumbered(tmp_path / "other.pdf", 2))
    reader.open(made.record)
    made.drag(start, end)
    reader.open(other)
    reader.place.pointer._glyphs.text(0)
    reader.until(lambda: reader.place.pointer._glyphs.known(0) is not None)
    assert made.selection.span is None


def test_the_end_may_come_late_too(reader: Reader, tmp_path: Path) -> None:
    """Only the first leaf is known when a drag has ended on the second one."""
    made = Selecting(reader, windowed.unnumbered(tmp_path / "plain.pdf", 2))
    made.view.set_zoom(0.6)
    made.know(0)
    made.drag(made.at("Rain had", 0.0), made.place(1, 300, 90))
    reader.until(lambda: "Nobody expected" in made.selected()[100:])
    assert made.selected().startswith("Rain had") and set(made.view._selected) == {0, 1}


def test_a_drag_beyond_the_view_scrolls_it(reader: Reader, tmp_path: Path) -> None:
    made = Selecting(reader, windowed.unnumbered(tmp_path / "plain.pdf", 3))
    made.know(0, 1, 2)
    bar, height = made.view.verticalScrollBar(), made.view.viewport().height()
    made.press(made.at("Rain had", 0.0))
    made.move(QPoint(300, height + 40))
    reader.until(lambda: bar.value() == bar.maximum())
    assert made.selected() == made.text[: len(made.selected())] and made.reader.place._places.starts[2] < len(
        made.selected()
    )
    made.move(QPoint(300, height // 2))
    stopped = bar.value()
    QTest.qWait(150)
    assert bar.value() == stopped, "back in the view it rests"
    QTest.mouseRelease(made.view.viewport(), LEFT, NONE, QPoint(300, height // 2))


def test_the_pointer_has_a_shape_over_words(reader: Reader, tmp_path: Path) -> None:
    made = Selecting(reader, windowed.unnumbered(tmp_path / "plain.pdf", 1))
    shape = made.view.viewport().cursor
    over, beside = made.place(0, 100, 84), made.place(0, 100, 560)
    QTest.mouseMove(made.view.viewport(), beside)
    QTest.mouseMove(made.view.viewport(), over)
    reader.until(lambda: shape().shape() == Qt.CursorShape.IBeamCursor)
    QTest.mouseMove(made.view.viewport(), beside)
    assert shape().shape() == Qt.CursorShape.ArrowCursor


def test_a_leaf_without_text_has_nothing_to_select(reader: Reader, tmp_path: Path) -> None:
    made = Selecting(reader, make.image_only(tmp_path / "image.pdf"))
    made.know(0)
    made.drag(made.place(0, 50, 50), made.place(0, 300, 300))
    QTest.mouseDClick(made.view.viewport(), LEFT, NONE, made.place(0, 100, 100))
    assert made.selection.span is None and made.copied() == ""
    assert not any(action.isEnabled() for action in made.selection.menu().actions())
