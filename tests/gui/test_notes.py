"""What stands beside the words: marks of notes, readings, printed pages, descriptions of pictures, directions."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage, QTextBlock, QTextFormat, QTextImageFormat
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from readdesk.documents.model import Mark, Paragraph
from readdesk.gui.reader.browser import Browser
from readdesk.gui.reader.typeset import note_of, pictures_of
from readdesk.gui.theme import Theme
from tests.gui.madebook import NOTE, NOTE_TEXT, draft
from tests.gui.textbooks import Book, Shown


class Made(Book):
    """The made-up book of everything."""

    def __init__(self) -> None:
        made = draft()
        self.paragraphs, self.length, self.most = made.paragraphs, made.end, 0
        self.sections = {section.title: section.start for section in made.sections}


class Reading(Shown):
    """The book on the screen, and what is done with its notes."""

    def __init__(self, bot: QtBot, theme: Theme, position: int = 0) -> None:
        self.made = Made()
        super().__init__(bot, theme, self.made, position)
        self.notes: list[str] = []
        self.view.note_chosen.connect(self.notes.append)
        self.view.note_words = lambda name: {NOTE: NOTE_TEXT + " <b>&"}.get(name, "")

    @property
    def own(self) -> Browser:
        assert isinstance(self.browser, Browser)
        return self.browser

    def place_of(self, words: str, inside: int = 0) -> QPoint:
        """Where a character of the text is on the screen."""
        cursor = self.browser.document().find(words)
        cursor.setPosition(cursor.selectionStart() + inside)
        left = self.browser.cursorRect(cursor)
        cursor.setPosition(cursor.position() + 1)
        right = self.browser.cursorRect(cursor)
        return QPoint((left.left() + right.left()) // 2, left.center().y())

    def block(self, words: str) -> QTextBlock:
        return self.browser.document().find(words).block()


@pytest.fixture
def reading(qtbot: QtBot, theme: Theme) -> Reading:
    made = Reading(qtbot, theme)
    made.view.show_position(made.made.sections["The weather"])
    return made


# -- notes -----------------------------------------------------------------------------------------------------------


def test_a_note_mark_is_small_raised_and_looks_like_a_link(reading: Reading, theme: Theme) -> None:
    cursor = reading.browser.document().find("things1")
    look = cursor.charFormat()
    assert look.isAnchor() and note_of(look.anchorHref()) == NOTE
    assert look.foreground().color() == theme.colour("accent")
    assert look.verticalAlignment() == look.VerticalAlignment.AlignSuperScript
    cursor.setPosition(cursor.selectionEnd() - 2)
    assert not cursor.charFormat().isAnchor()


def test_names_of_notes_survive_being_links(qtbot: QtBot, theme: Theme) -> None:
    name = "OEBPS/Text/notes one.xhtml#n:1%?&ü"
    book = Book(1)
    book.paragraphs = [Paragraph(0, 0, "a1 b", (), marks=(Mark(1, 2, "note", name),))]
    book.length = 4
    shown = Shown(qtbot, theme, book)
    chosen: list[str] = []
    shown.view.note_chosen.connect(chosen.append)
    shown.browser.setFocus()
    QTest.keyClick(shown.browser, Qt.Key.Key_Tab)
    shown.press(Qt.Key.Key_Return)
    assert chosen == [name]
    assert note_of("http://evil") is None


def test_hovering_shows_the_note_as_plain_words(reading: Reading) -> None:
    tip = reading.own.tip_at(reading.place_of("things1", 6))
    assert tip == f"<span>{NOTE_TEXT} &lt;b&gt;&amp;</span>"
    assert reading.own.tip_at(reading.place_of("things1", 2)) == ""
    assert reading.own.tip_at(QPoint(2, 2)) == ""


def test_a_click_follows_a_note(reading: Reading) -> None:
    QTest.mouseClick(
        *(reading.browser.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier),
        reading.place_of("things1", 6),
    )
    assert reading.notes == [NOTE]
    QTest.mouseClick(
        *(reading.browser.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier),
        reading.place_of("things1", 2),
    )
    assert reading.notes == [NOTE]


def test_the_keyboard_reaches_the_notes_on_the_screen_and_then_leaves(reading: Reading) -> None:
    position = reading.view.position
    reading.browser.setFocus()
    seen = []
    for _ in range(2):
        QTest.keyClick(reading.browser, Qt.Key.Key_Tab)
        seen.append(reading.browser.textCursor().selectedText())
        reading.press(Qt.Key.Key_Return)
    assert (seen, reading.notes) == (["1", "2"], [NOTE, "n2"])
    QTest.keyClick(reading.browser, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert reading.browser.textCursor().selectedText() == "1"
    assert reading.view.position == position
    assert not reading.own.focusNextPrevChild(False), "there is no link before it, so the keyboard leaves the book"


# -- readings, pages, pictures -----------------------------------------------------------------------------------------


def test_readings_are_drawn_above_their_words_and_are_no_text(reading: Reading, theme: Theme) -> None:
    assert "やまみち" not in reading.browser.document().toPlainText()
    reading.view.show_position(reading.made.sections["Readings and directions"])
    assert reading.own.tip_at(reading.place_of("山路")) == "<span>やまみち</span>"
    place = reading.place_of("山路")
    block = reading.block("山路")
    assert block.blockFormat().lineHeight() > reading.block("שלום").blockFormat().lineHeight()

    def inked(row: int) -> bool:
        image = reading.browser.viewport().grab().toImage()
        ground = theme.colour("base")
        return any(image.pixelColor(x, row) != ground for x in range(place.x() - 12, place.x() + 12))

    assert any(inked(place.y() - offset) for offset in range(13, 20)), "higher than its words are"


def test_printed_pages_stand_in_the_margin(reading: Reading, theme: Theme) -> None:
    image = reading.browser.viewport().grab().toImage()
    margin = int(reading.browser.document().rootFrame().frameFormat().leftMargin())
    row = range(reading.place_of("Some said").y() - 8, reading.place_of("Some said").y() + 8)
    ground = theme.colour("base")
    assert any(image.pixelColor(x, y) != ground for x in range(margin - 24, margin - 6) for y in row)
    other = reading.place_of("going on before noon. The wind had", 26).y() + 40
    assert all(image.pixelColor(x, other) == ground for x in range(margin - 4))


def picture_of(reading: Reading) -> QTextImageFormat:
    """How the picture before the caption is set."""
    block = reading.block("Figure 1.")
    while not block.begin().fragment().charFormat().isImageFormat():
        block = block.previous()
    return block.begin().fragment().charFormat().toImageFormat()


def test_a_picture_says_what_it_shows(reading: Reading) -> None:
    look = picture_of(reading)
    words = "A map of the coast with the old road."
    assert look.stringProperty(QTextFormat.Property.ImageAltText.value) == words
    assert look.toolTip() == f"<span>{words}</span>"


def test_a_picture_that_cannot_be_shown_is_a_box_of_its_size(reading: Reading, theme: Theme) -> None:
    reading.view.set_picture("map.png", QImage())
    look = picture_of(reading)
    assert 100 < look.width() < 560 and 20 < look.height() < 120
    reading.view.set_zoom(2.0)
    assert picture_of(reading).height() > 1.4 * look.height()


def test_descriptions_belong_to_the_picture_they_follow() -> None:
    one, two = Mark(3, 3, "image", "a.png"), Mark(3, 3, "image", "b.png")
    both = Paragraph(0, 0, "abcdef", (), marks=(one, Mark(3, 3, "alt", "A"), two, Mark(3, 3, "alt", "B")))
    assert pictures_of(both) == ((one, "A"), (two, "B"))
    second = Paragraph(0, 0, "abcdef", (), marks=(one, two, Mark(3, 3, "alt", "B")))
    assert pictures_of(second) == ((one, ""), (two, "B"))


def test_a_description_without_a_file_is_a_box_in_its_place(qtbot: QtBot, theme: Theme) -> None:
    book = Book(1)
    marks = (Mark(0, 0, "alt", "A <b>map</b>"), Mark(9, 9, "alt", "A plan"))
    book.paragraphs = [Paragraph(0, 0, "Words and more words.", (), marks=marks)]
    book.length = 21
    shown = Shown(qtbot, theme, book)
    assert shown.wanted == [], "there is nothing that could be asked for"
    text = shown.browser.document().toRawText()
    assert text.count("\ufffc") == 2 and "map" not in text
    shown.view.mark(10, 14)
    assert shown.marked() == ["more"]
    image = shown.browser.viewport().grab().toImage()
    boxes = sum(image.pixelColor(image.width() // 2, y) == theme.colour("border") for y in range(image.height()))
    assert boxes >= 1, "the edges of a box are drawn"


def test_labels_of_notes_hang_before_their_words(qtbot: QtBot, theme: Theme) -> None:
    book = Book(1)
    words = "A note that is long enough to take more than a single line. " * 4
    marks = (Mark(0, 0, "label", "12."), Mark(0, 0, "target", "n"))
    book.paragraphs = [
        Paragraph(0, 0, words, (), "note", 1, marks),
        Paragraph(0, len(words), words, (), "note", 1),
        Paragraph(0, 2 * len(words), words, (), "note"),
    ]
    book.length = 3 * len(words)
    shown = Shown(qtbot, theme, book)
    looks = [shown.browser.document().findBlockByNumber(number).blockFormat() for number in range(3)]
    assert looks[0].textIndent() == -looks[0].leftMargin() < 0
    assert looks[1].leftMargin() == looks[0].leftMargin() and looks[1].textIndent() == 0
    assert looks[2].leftMargin() == 0, "notes without labels need no room for them"


# -- directions ------------------------------------------------------------------------------------------------------


def test_each_paragraph_runs_in_its_own_direction(reading: Reading) -> None:
    reading.view.show_position(reading.made.sections["Readings and directions"])
    right, left = Qt.LayoutDirection.RightToLeft, Qt.LayoutDirection.LeftToRight
    expected = {"山路": left, "שלום עולם": right, "פריט ראשון": right, "نص باللغة": right, "中文的": left}
    assert {words: reading.block(words).blockFormat().layoutDirection() for words in expected} == expected
    item = reading.block("פריט ראשון").blockFormat()
    assert item.rightMargin() > 0 == item.leftMargin()
    label = reading.place_of("1.\tפריט ראשון")
    first = reading.place_of("פריט ראשון")
    assert label.x() > first.x() + 15, "the label stands at the right, with room before the words"
