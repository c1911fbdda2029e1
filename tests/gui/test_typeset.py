"""Typesetting: one block a paragraph, places and characters one step apart, and no text that does anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QFont, QImage, QTextBlock, QTextCursor, QTextDocument

from readdesk.documents.model import Kind, Mark, Paragraph
from readdesk.gui.reader.typeset import BODY_POINTS, PICTURES, Setting, Typesetter, resize_pictures
from readdesk.gui.theme import Theme

ROOM = QSizeF(400, 300)
EM = 16.0


class Sheet:
    """A document with paragraphs set in it."""

    def __init__(self, theme: Theme, pictures: dict[str, QImage] | None = None) -> None:
        self.document = QTextDocument()
        self.pictures = pictures or {}
        self.setter = Typesetter(theme, 1.0)
        self.cursor = QTextCursor(self.document)

    def set(
        self, text: str, kind: Kind = "text", level: int = 0, marks: tuple[Mark, ...] = (), start: int = 0
    ) -> Setting:
        paragraph = Paragraph(0, start, text, (), kind, level, marks)
        return self.setter.set(self.cursor, paragraph, self.pictures, ROOM, EM)

    @property
    def blocks(self) -> list[QTextBlock]:
        return [self.document.findBlockByNumber(number) for number in range(self.document.blockCount())]

    def runs(self, number: int = -1) -> list[tuple[str, QFont, str]]:
        """The runs of a block that are set alike: text, font, name of the picture."""
        found = []
        iterator = self.blocks[number].begin()
        while not iterator.atEnd():
            fragment = iterator.fragment()
            look = fragment.charFormat()
            found.append((fragment.text(), look.font(), look.toImageFormat().name() if look.isImageFormat() else ""))
            iterator += 1
        return found


@pytest.fixture
def sheet(theme: Theme) -> Sheet:
    return Sheet(theme)


def words_at(sheet: Sheet, setting: Setting, first: int, last: int, block: int = -1) -> str:
    """What stands between the places of two characters of a paragraph."""
    cursor = QTextCursor(sheet.blocks[block])
    begin = cursor.position()
    cursor.setPosition(begin + setting.place_of(first))
    cursor.setPosition(begin + setting.end_of(last), QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText()


@given(
    st.integers(0, 4),
    st.lists(st.integers(1, 30), max_size=5).map(lambda found: tuple(sorted(found))),
    st.sets(st.integers(0, 30), max_size=5).map(lambda found: tuple(sorted(found))),
    st.integers(0, 31),
)
def test_places_and_characters_lead_to_each_other(
    label: int, objects: tuple[int, ...], wide: tuple[int, ...], offset: int
) -> None:
    setting = Setting(label, objects, wide)
    assert setting.offset_of(setting.place_of(offset)) == offset
    assert setting.place_of(offset) < setting.place_of(offset + 1)
    assert [setting.offset_of(place) for place in range(label + 1)] == [0] * (label + 1)


def test_every_paragraph_is_one_block_that_knows_its_position(sheet: Sheet) -> None:
    sheet.set("Title", "heading", 1, start=100)
    sheet.set("Two\nlines\tof verse", "verse", start=105)
    sheet.set("odd \u2029 ends \r and \ufdd0 frames \ufdd1", start=123)
    sheet.set("plain", start=150)
    assert [block.userState() for block in sheet.blocks] == [100, 105, 123, 150]
    assert [block.length() - 1 for block in sheet.blocks] == [5, 18, 27, 5]
    assert sheet.blocks[1].text() == "Two\u2028lines of verse"


def test_html_is_set_as_the_words_it_is(sheet: Sheet) -> None:
    text = '<b>x</b> &amp; <img src="file:///etc/passwd"> <a href="http://evil">y</a>'
    sheet.set(text)
    assert [run[0] for run in sheet.runs()] == [text]
    assert not sheet.blocks[0].charFormat().isAnchor()


def test_a_label_stands_before_the_text_and_is_none_of_it(sheet: Sheet) -> None:
    setting = sheet.set("First point", "item", 2, (Mark(0, 0, "label", "12."),))
    assert sheet.blocks[0].text() == "12.\tFirst point"
    assert setting.place_of(0) == 4
    assert words_at(sheet, setting, 0, 5) == "First"
    deeper = sheet.blocks[0].blockFormat()
    assert deeper.textIndent() < 0 < deeper.leftMargin()
    assert deeper.tabPositions()[0].position == -deeper.textIndent(), "the words of all lines begin alike"
    sheet.set("its second paragraph", "item", 2)
    assert sheet.blocks[1].blockFormat().textIndent() == 0
    sheet.set("Outer", "item", 1, (Mark(0, 0, "label", "12."),))
    assert sheet.blocks[2].blockFormat().leftMargin() < deeper.leftMargin()


def test_pictures_stand_before_within_and_after_their_paragraph(sheet: Sheet) -> None:
    marks = (Mark(0, 0, "image", "a.png"), Mark(4, 4, "image", "b.png"), Mark(8, 8, "image", "c.png"))
    setting = sheet.set("Once and", marks=marks, start=50)
    sheet.set("then", start=58)
    assert [block.userState() for block in sheet.blocks] == [PICTURES, 50, PICTURES, 58]
    assert sheet.runs(0)[0][2] == "a.png"
    assert [(text, name) for text, _, name in sheet.runs(1)] == [("Once", ""), ("\ufffc", "b.png"), (" and", "")]
    assert sheet.runs(2)[0][2] == "c.png"
    assert words_at(sheet, setting, 5, 8, 1) == "and"
    assert words_at(sheet, setting, 0, 4, 1) == "Once"


def test_several_pictures_at_one_place_are_all_set(sheet: Sheet) -> None:
    setting = sheet.set("ab", marks=(Mark(1, 1, "image", "x.png"), Mark(1, 1, "image", "y.png")))
    assert [name for _, _, name in sheet.runs(0) if name] == ["x.png", "y.png"]
    assert (words_at(sheet, setting, 0, 1), words_at(sheet, setting, 1, 2)) == ("a", "b")


@pytest.mark.parametrize("text", ["漢字仮名交じり文", "a 😀 b 𝔘𝔫 c", "𠮷野家で𠮟る", "שלום עולם", "e\u0301 a\u030a"])
def test_each_character_is_found_where_it_stands(sheet: Sheet, text: str) -> None:
    setting = sheet.set(text, "item", 1, (Mark(0, 0, "label", "•"), Mark(2, 2, "image", "x.png")))
    assert [words_at(sheet, setting, at, at + 1) for at in range(len(text))] == list(text)
    assert setting.place_of(len(text)) == sheet.blocks[-1].length() - 1


def test_marks_change_how_their_words_look(sheet: Sheet) -> None:
    sheet.set("an old grey cat", marks=(Mark(3, 11, "emphasis"), Mark(7, 11, "strong"), Mark(12, 15, "code")))
    looks = {text: (font.italic(), font.bold()) for text, font, _ in sheet.runs()}
    assert looks == {
        "an ": (False, False),
        "old ": (True, False),
        "grey": (True, True),
        " ": (False, False),
        "cat": (False, False),
    }
    assert sheet.runs()[-1][1].families()[0] == "JetBrains Mono"


def test_headings_are_larger_the_higher_they_are_and_notes_smaller(sheet: Sheet) -> None:
    for level in (1, 2, 3, 4):
        sheet.set("Title", "heading", level)
    sheet.set("plain")
    sheet.set("aside", "note")
    sizes = [sheet.runs(number)[0][1].pointSizeF() for number in range(6)]
    assert sizes[0] > sizes[1] > sizes[2] > sizes[3] == sizes[4] == BODY_POINTS > sizes[5]
    assert [block.blockFormat().headingLevel() for block in sheet.blocks] == [1, 2, 3, 4, 0, 0]


def test_pictures_fit_their_room_and_are_never_blown_up(theme: Theme) -> None:
    sizes = {"small.png": (40, 30), "wide.png": (1600, 400), "tall.png": (200, 900)}
    made = {name: QImage(*size, QImage.Format.Format_RGB32) for name, size in sizes.items()}
    sheet = Sheet(theme, made)
    for name in made:
        sheet.set("x", marks=(Mark(0, 0, "image", name),))
    found = [sheet.blocks[number].begin().fragment().charFormat().toImageFormat() for number in (0, 2, 4)]
    assert [(round(look.width()), round(look.height())) for look in found] == [(40, 30), (400, 100), (67, 300)]


def test_a_picture_that_comes_late_takes_its_size_wherever_it_stands(sheet: Sheet) -> None:
    sheet.set("ab", marks=(Mark(0, 0, "image", "x.png"), Mark(1, 1, "image", "x.png"), Mark(1, 1, "image", "x.png")))
    sheet.set("cd", marks=(Mark(1, 1, "image", "y.png"),))
    made = {"x.png": QImage(800, 400, QImage.Format.Format_RGB32)}
    resize_pictures(QTextCursor(sheet.document), "x.png", made, ROOM)
    widths: dict[str, set[float]] = {}
    for block in sheet.blocks:
        iterator = block.begin()
        while not iterator.atEnd():
            look = iterator.fragment().charFormat()
            if look.isImageFormat():
                widths.setdefault(look.toImageFormat().name(), set()).add(look.toImageFormat().width())
            iterator += 1
    assert widths == {"x.png": {400.0}, "y.png": {0.0}}
    assert sheet.blocks[1].text() == "a\ufffc\ufffcb"
