"""Rows of tables: cells stand below one another, positions hold, and what does not fit is still read."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from readdesk.documents.model import Mark, Paragraph
from readdesk.gui.reader.tables import Row, is_head, is_row, rows_of
from readdesk.gui.reader.typeset import Typesetter
from readdesk.gui.theme import Theme
from tests.gui.madebook import Draft
from tests.gui.textbooks import Book, Shown


class Made(Book):
    """A book of rows that are given."""

    def __init__(self, *rows: tuple[str, ...], heads: int = 1) -> None:
        draft = Draft()
        draft.section("Tables")
        for number, cells in enumerate(rows):
            draft.row(*cells, head=number < heads)
        draft.add("After the table. " * 300)
        self.paragraphs = draft.paragraphs
        self.length = draft.end
        self.most = 0


def set_rows(theme: Theme, book: Book, width: float = 500) -> list[Row]:
    found = rows_of(book.paragraphs, Typesetter(theme, 1.0).small, width)
    return [found[paragraph.start] for paragraph in book.paragraphs if paragraph.kind == "table"]


def left_of(shown: Shown, row: int, cell: int) -> int:
    """Where a cell of a row begins on the screen."""
    paragraph = [each for each in shown.book.paragraphs if each.kind == "table"][row]
    offset = sum(len(text) + 1 for text in paragraph.text.split("\t")[:cell])
    shown.view.select(paragraph.start + offset, paragraph.start + offset + 1)
    cursor = shown.browser.textCursor()
    cursor.setPosition(cursor.selectionStart())
    return shown.browser.cursorRect(cursor).left()


def test_cells_of_a_column_begin_alike(qtbot: QtBot, theme: Theme) -> None:
    book = Made(("Word", "Meaning"), ("haar", "A fog."), ("a longer word", "Something else."))
    shown = Shown(qtbot, theme, book)
    assert len({left_of(shown, row, 1) for row in range(3)}) == 1
    assert left_of(shown, 2, 1) > left_of(shown, 2, 0) + 80


def test_figures_end_alike(theme: Theme) -> None:
    found = set_rows(theme, Made(("Cargo", "1871", "Note"), ("Wool", "1,204", "good"), ("Fish", "88", "12 lost")))
    assert [is_right for _, is_right in found[0].stops] == [True, False]
    assert [(row.is_first, row.is_last, row.is_head) for row in found] == [
        (True, False, True),
        (False, False, False),
        (False, True, False),
    ]


def test_a_long_last_cell_wraps_within_its_column(qtbot: QtBot, theme: Theme) -> None:
    shown = Shown(qtbot, theme, Made(("Word", "Meaning"), ("haar", "A cold fog from the sea. " * 8)))
    paragraph = shown.book.paragraphs[2]
    assert set_rows(theme, shown.book)[1].hanging > 0
    first = left_of(shown, 1, 1)
    shown.view.select(paragraph.end - 3, paragraph.end - 2)
    block = shown.browser.textCursor().block()
    line = block.layout().lineAt(block.layout().lineCount() - 1)
    left = shown.browser.document().rootFrame().frameFormat().leftMargin()
    assert block.layout().lineCount() > 2
    assert abs(left + line.x() - first) < 3


def test_columns_of_sentences_are_set_below_one_another(qtbot: QtBot, theme: Theme) -> None:
    long = "It waits until all that was written is on the disk, however long it takes."
    book = Made(("Option", "What", "When"), ("--sync", long, long))
    found = set_rows(theme, book)
    assert all(row.is_stacked and not row.stops for row in found)
    shown = Shown(qtbot, theme, book)
    assert left_of(shown, 1, 0) == left_of(shown, 1, 1) == left_of(shown, 1, 2)
    assert "Option\u2003What\u2003When" in shown.browser.document().toRawText(), "the head stays one line"


@pytest.mark.parametrize("width", [300, 640, 1200])
def test_positions_hold_in_tables(qtbot: QtBot, theme: Theme, width: int) -> None:
    draft = Draft()
    for number in range(150):
        draft.row(f"row {number}", "cell " * (number % 30), str(number), head=number % 20 == 0)
    book = Book(1)
    book.paragraphs, book.length = draft.paragraphs, draft.end
    shown = Shown(qtbot, theme, book)
    shown.view.resize(width, 700)
    for paragraph in draft.paragraphs[5:90:7]:
        shown.view.show_position(paragraph.start)
        assert shown.view.position == paragraph.start
        size = len(paragraph.text)
        for first, last in ((0, size), (4, min(12, size)), (size - 2, size)):
            shown.view.mark(paragraph.start + first, paragraph.start + last)
            words = "".join(shown.marked())
            assert len(words) == last - first
            assert words.split() == paragraph.text[first:last].split()


def test_another_width_sets_the_columns_anew(qtbot: QtBot, theme: Theme) -> None:
    book = Made(("Option", "What it does now", "When"), ("--sync", "It waits for the disk", "at sea and in storms"))
    shown = Shown(qtbot, theme, book)
    wide = left_of(shown, 1, 2)
    shown.resize(330)
    assert left_of(shown, 1, 2) < wide
    assert left_of(shown, 1, 2) == left_of(shown, 1, 0), "now they stand below one another"


def test_what_a_row_and_a_head_are() -> None:
    drawn = Paragraph(0, 0, "a   b\nc   d", (), "table")
    assert not is_row(drawn)
    assert is_row(Paragraph(0, 0, "a\tb", (), "table"))
    strong = Paragraph(0, 0, "ab\tcd", (), "table", marks=(Mark(0, 2, "strong"), Mark(3, 5, "strong")))
    partly = Paragraph(0, 0, "ab\tcd", (), "table", marks=(Mark(0, 2, "strong"),))
    assert (is_head(strong), is_head(partly), is_head(drawn)) == (True, False, False)


def test_two_tables_in_a_row_are_two(theme: Theme) -> None:
    draft = Draft()
    draft.row("A", "B", head=True)
    draft.row("a very long first cell", "b")
    draft.row("C", "D", head=True)
    draft.row("c", "d")
    book = Book(1)
    book.paragraphs = draft.paragraphs
    first, _, second, _ = set_rows(theme, book)
    assert first.stops[0][0] > second.stops[0][0]
    assert second.is_first


def test_rules_are_drawn_below_rows(qtbot: QtBot, theme: Theme) -> None:
    shown = Shown(qtbot, theme, Made(("Word", "Meaning"), ("haar", "A fog."), ("dogger", "A bank.")))
    left = int(shown.browser.document().rootFrame().frameFormat().leftMargin())
    image = shown.browser.viewport().grab().toImage()
    column = [image.pixelColor(left + 30, y) for y in range(image.height())]
    assert theme.colour("border") in column
    assert shown.browser.viewport().rect().contains(QPoint(left, 0))
