"""The view of a book as text: places are positions, and they stay whatever is done to the view."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QColor, QImage, QTextDocument
from pytestqt.qtbot import QtBot

from readdesk.documents.model import Mark, Paragraph
from readdesk.gui.reader.text import MOST_AFTER, MOST_BEFORE, TextView
from readdesk.gui.theme import Theme
from tests.gui.textbooks import HEIGHT, NONE, WIDTH, Book, Shown


@pytest.fixture(scope="module")
def book() -> Book:
    return Book()


@pytest.fixture
def shown(qtbot: QtBot, theme: Theme, book: Book) -> Shown:
    return Shown(qtbot, theme, book)


# -- positions -----------------------------------------------------------------------------------------------------


def test_a_position_that_is_shown_is_the_position_at_the_top(shown: Shown, book: Book) -> None:
    chance = random.Random(3)
    places = [0, 1, *(chance.randrange(book.length - 3000) for _ in range(80))]
    places += [paragraph.start + chance.randrange(len(paragraph.text)) for paragraph in book.paragraphs[100:136]]
    for position in places:
        shown.view.show_position(position)
        assert shown.view.position == position
        paragraph = book.at(position)
        line = shown.top_line().removeprefix("12.\t").replace("\ufffc", "")
        if position > 1 and (paragraph.kind != "item"):
            here = position - paragraph.start
            text = paragraph.text.replace("\n", " ")
            at = min(
                (found for found in range(len(text)) if text.startswith(line.replace("\u2028", ""), found)),
                key=lambda found: abs(found + len(line) / 2 - here),
                default=-1,
            )
            assert at - 2 <= here <= at + len(line) + 2, (position, paragraph.kind, line)


@pytest.mark.parametrize("kind", ["text", "verse", "code", "item", "heading", "cjk", "hebrew", "pictures"])
def test_the_position_of_a_scrolled_line_is_its_first_character(shown: Shown, book: Book, kind: str) -> None:
    """Without having been brought there: line for line with the bar, as a wheel does it."""
    remainder = {"text": 1, "verse": 5, "code": 11, "item": 3, "heading": 0, "cjk": 7, "hebrew": 8, "pictures": 10}
    paragraph = next(
        each for number, each in enumerate(book.paragraphs) if number > 200 and number % 12 == remainder[kind]
    )
    shown.view.show_position(paragraph.start)
    block = shown.browser.document().begin()
    while block.userState() != paragraph.start:
        block = block.next()
    top = shown.browser.document().documentLayout().blockBoundingRect(block).top()
    text = block.text().encode("utf-16-le")
    shift = 4 if kind == "item" else 0
    found, expected = [], []
    for number in range(block.layout().lineCount()):
        line = block.layout().lineAt(number)
        shown.own_bar.setValue(round(top + line.y() + line.height() / 2))
        found.append(shown.view.position - paragraph.start)
        before = text[: 2 * line.textStart()].decode("utf-16-le").replace("\ufffc", "")
        expected.append(max(0, len(before) - shift))
    assert found == expected


def test_the_end_of_the_book_is_shown_at_the_bottom(shown: Shown, book: Book) -> None:
    for position in (book.length, book.length - 1, book.length + 99):
        shown.view.show_position(0)
        shown.view.show_position(position)
        assert shown.view.position < book.length - 100
        assert shown.view.last_visible == book.length
    shown.view.show_position(-5)
    assert shown.view.position == 0


def test_only_a_part_of_a_long_book_is_set_and_that_is_quick(qtbot: QtBot, theme: Theme) -> None:
    long = Book(9000)
    assert long.length > 3_000_000
    shown = Shown(qtbot, theme, long, 1_500_000)
    assert shown.view.position == 1_500_000
    began = time.perf_counter()
    for position in (3_000_000, 0, 2_000_000, long.length):
        shown.view.show_position(position)
        assert shown.browser.document().characterCount() < 30_000
    assert time.perf_counter() - began < 2
    assert long.most < 30_000
    shown.own_bar.setValue(0)
    assert shown.view.position > 2_900_000


def test_a_place_that_was_asked_for_before_the_first_showing_holds(qtbot: QtBot, theme: Theme, book: Book) -> None:
    view = TextView(theme)
    qtbot.addWidget(view)
    view.open(book.source, book.length, 54_321)
    with qtbot.waitSignal(view.place_changed) as told:
        view.resize(900, 600)
        view.show()
    assert told.args == [54_321]
    qtbot.waitUntil(lambda: view.position == 54_321)


# -- moving --------------------------------------------------------------------------------------------------------


def step_through(shown: Shown, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> list[tuple[int, int]]:
    """Press a key until nothing moves any more; the positions at the top and at the bottom after each."""
    seen = [(shown.view.position, shown.view.last_visible)]
    while len(seen) < 2000:
        shown.press(key, modifier)
        seen.append((shown.view.position, shown.view.last_visible))
        if seen[-1] == seen[-2]:
            break
    return seen


@pytest.mark.parametrize("key", [Qt.Key.Key_PageDown, Qt.Key.Key_Space])
def test_paging_down_shows_every_line_once_and_never_jumps_back(shown: Shown, book: Book, key: Qt.Key) -> None:
    seen = step_through(shown, key)
    assert seen[0][0] == 0
    assert seen[-1][1] == book.length
    for (top, bottom), (next_top, next_bottom) in pairwise(seen[:-1]):
        assert top < next_top <= bottom, "each page begins within the one before, so nothing is passed over"
        assert next_bottom > bottom
        assert next_top - top > 0.6 * (bottom - top) or next_bottom == book.length
    starts = [paragraph.start for paragraph in book.paragraphs]
    visited = [
        start
        for (top, _), (after, _) in pairwise([*seen[:-1], (book.length, 0)])
        for start in starts
        if top <= start < after
    ]
    assert visited == starts


def test_paging_up_leads_all_the_way_back(shown: Shown, book: Book) -> None:
    shown.press(Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    seen = step_through(shown, Qt.Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)
    assert seen[0][1] == book.length
    assert seen[-1][0] == 0
    assert shown.own_bar.value() == 0
    for (top, _), (next_top, next_bottom) in pairwise(seen[:-1]):
        assert next_top < top <= next_bottom


def test_the_wheel_leads_on_from_wherever_the_bar_or_a_link_has_led(shown: Shown, book: Book) -> None:
    """A place near the edge of what is set must not be a dead end."""
    for position in (21_000, 21_999, 22_000, 22_400, 43_000, 5_999, 6_000, 100):
        for bring in (shown.view.show_position, shown.bar.setValue):
            shown.view.show_position(6_000)
            bring(position)
            assert shown.view.position == position
            shown.wheel(-3)
            assert position < shown.view.position < position + 2_000
            shown.wheel(6)
            assert shown.view.position < position


def test_keys_for_the_ends_of_the_book(shown: Shown, book: Book) -> None:
    shown.press(Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert shown.view.last_visible == book.length
    shown.press(Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert (shown.view.position, shown.own_bar.value()) == (0, 0)
    shown.press(Qt.Key.Key_Space)
    below = shown.view.position
    assert below > 300
    shown.press(Qt.Key.Key_Space, Qt.KeyboardModifier.ShiftModifier)
    assert shown.view.position == 0
    shown.press(Qt.Key.Key_Down)
    assert 0 < shown.own_bar.value() < 100


@pytest.mark.parametrize("key", [Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Left, Qt.Key.Key_Right])
def test_keys_of_the_caret_do_not_lead_away(shown: Shown, key: Qt.Key) -> None:
    shown.view.show_position(100_000)
    shown.press(key)
    assert shown.view.position == 100_000
    shown.press(Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert shown.view.position == 100_000
    assert len(shown.view.selected_text) == 1


def test_the_bar_counts_positions_of_the_whole_book(shown: Shown, book: Book) -> None:
    assert shown.bar.minimum() == 0
    moves: tuple[Callable[[], object], ...] = (
        lambda: shown.view.show_position(77_777),
        lambda: shown.press(Qt.Key.Key_PageDown),
        lambda: shown.wheel(-2),
        lambda: shown.view.mark(150_000, 150_100),
        lambda: shown.view.set_zoom(1.5),
        lambda: shown.view.show_position(book.length),
    )
    for move in moves:
        move()
        assert shown.bar.value() == shown.view.position
        assert shown.bar.pageStep() == shown.view.last_visible - shown.view.position
    assert shown.bar.value() == shown.bar.maximum()
    for value in (0, 123_456, 123_500, 7):
        shown.bar.setValue(value)
        assert shown.view.position == value


def test_the_place_is_told_once_it_rests(qtbot: QtBot, shown: Shown) -> None:
    shown.settle()
    told: list[int] = []
    shown.view.place_changed.connect(told.append)
    for position in range(10_000, 20_000, 500):
        shown.view.show_position(position)
    qtbot.waitUntil(lambda: bool(told))
    assert told == [19_500]


# -- what changes lines keeps the place ------------------------------------------------------------------------------


def test_zooming_keeps_the_line_however_often(shown: Shown) -> None:
    shown.view.show_position(60_050)
    zooms: list[float] = []
    shown.view.zoom_changed.connect(zooms.append)
    for factor in (1.1,) * 8 + (1 / 1.1,) * 8:
        shown.view.set_zoom(shown.view.zoom * factor)
        assert shown.view.position == 60_050
    assert shown.view.zoom == pytest.approx(1.0, abs=0.03)
    assert len(zooms) == 16
    shown.view.set_zoom(99)
    assert shown.view.zoom == 4.0
    shown.view.set_zoom(0.01)
    assert shown.view.zoom == 0.5
    before = shown.browser.document().defaultFont().pointSizeF()
    shown.wheel(1, Qt.KeyboardModifier.ControlModifier)
    assert shown.view.zoom == 0.55
    assert shown.browser.document().defaultFont().pointSizeF() > before
    assert shown.view.position == 60_050


def test_a_line_that_was_scrolled_to_stays_through_zoom_and_theme(shown: Shown, theme: Theme) -> None:
    shown.view.show_position(60_000)
    shown.wheel(-4)
    line, position = shown.top_line(), shown.view.position
    theme.choose("dark")
    try:
        assert (shown.top_line(), shown.view.position) == (line, position)
        colour = shown.browser.document().findBlock(0).begin().fragment().charFormat().foreground().color()
        assert colour in (theme.colour("text"), theme.colour("muted"))
    finally:
        theme.choose("light")
    shown.view.set_zoom(2)
    shown.view.set_zoom(1)
    assert (shown.top_line(), shown.view.position) == (line, position)


def test_other_widths_and_heights_keep_the_line(shown: Shown) -> None:
    shown.view.show_position(100_000)
    shown.wheel(-5)
    position = shown.view.position
    for width, height in ((400, 700), (900, 500), (1500, 900), (330, 300), (WIDTH, HEIGHT)):
        shown.resize(width, height)
        assert shown.view.position == position
        last = shown.view.last_visible
        assert position < last < position + 6_000
    shown.view.show_position(0)
    shown.resize(500)
    assert (shown.view.position, shown.own_bar.value()) == (0, 0)


def test_lines_are_never_too_long_to_read(shown: Shown) -> None:
    shown.resize(1800)
    frame = shown.browser.document().rootFrame().frameFormat()
    room = shown.browser.viewport().width()
    assert frame.leftMargin() == frame.rightMargin() > room / 4
    assert (room - 2 * frame.leftMargin()) / shown.browser.fontMetrics().averageCharWidth() < 120


# -- marks ---------------------------------------------------------------------------------------------------------


def test_exactly_the_words_between_two_positions_are_marked(shown: Shown, book: Book) -> None:
    for paragraph in book.paragraphs[240:264]:
        size = len(paragraph.text)
        for first, last in ((0, size), (0, 1), (size - 1, size), (4, min(20, size)), (min(15, size - 2), size - 1)):
            shown.view.mark(paragraph.start + first, paragraph.start + last)
            words = "".join(shown.marked()).replace("\u2028", "\n").replace("\ufffc", "")
            assert words == paragraph.text[first:last], (paragraph.kind, first, last)
            assert not "".join(shown.marked()).endswith("\ufffc")
            assert shown.view.position <= paragraph.start + first <= shown.view.last_visible


def test_marks_reach_over_paragraphs_and_come_again_with_their_words(shown: Shown, book: Book) -> None:
    start, end = book.paragraphs[301].start + 3, book.paragraphs[306].end - 2
    expected = [paragraph.text for paragraph in book.paragraphs[301:307]]
    expected[0], expected[-1] = expected[0][3:], expected[-1][:-2]

    def marked() -> list[str]:
        return [words.replace("\u2028", "\n").replace("\ufffc", "") for words in shown.marked()]

    shown.view.mark(start, end)
    assert marked() == expected
    assert shown.own_bar.value() > 0 and shown.view.position < start, "it stands a little below the top"
    shown.view.show_position(0)
    assert marked() == []
    shown.view.show_position(start - 5_000)
    for _ in range(6):
        shown.press(Qt.Key.Key_PageDown)
    assert marked() == expected
    shown.view.set_zoom(1.4)
    assert marked() == expected
    shown.view.clear_marks()
    assert marked() == []


def test_a_mark_that_is_visible_moves_nothing_and_is_soft_where_it_is_told(shown: Shown, theme: Theme) -> None:
    shown.view.show_position(50_000)
    shown.view.mark(50_200, 50_230)
    assert shown.view.position == 50_000

    def colour() -> QColor:
        selection = shown.browser.extraSelections()[0]
        return selection.format.background().color()

    assert colour() == theme.colour("mark")
    shown.view.mark(50_200, 50_230, softly=True)
    assert colour() == theme.colour("accent_soft")


# -- pictures ------------------------------------------------------------------------------------------------------


def picture(width: int, height: int) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    return image


def test_pictures_are_asked_for_once_and_in_the_width_of_a_line(shown: Shown) -> None:
    names = [name for name, _ in shown.wanted]
    assert len(names) == len(set(names)) > 3
    frame = shown.browser.document().rootFrame().frameFormat()
    room = shown.browser.viewport().width() - frame.leftMargin() - frame.rightMargin()
    assert all(width == int(room * shown.view.devicePixelRatioF()) for _, width in shown.wanted)
    shown.view.set_zoom(1.2)
    assert len(shown.wanted) == len(names)


def test_pictures_that_come_late_leave_the_line_where_it_is(shown: Shown) -> None:
    shown.view.show_position(60_000)
    shown.wheel(-3)
    position, line, value = shown.view.position, shown.top_line(), shown.own_bar.value()
    for name, _ in list(shown.wanted):
        shown.view.set_picture(name, picture(500, 400))
        assert (shown.view.position, shown.top_line()) == (position, line)
    assert shown.own_bar.value() > value + 100, "there were pictures above, which took room"
    shown.view.set_picture("never-asked-for.png", picture(9, 9))
    assert "never-asked-for.png" not in str(shown.browser.document().toHtml())


def test_a_cover_at_the_very_beginning_is_seen_when_it_comes(qtbot: QtBot, theme: Theme) -> None:
    book = Book(60)
    first = book.paragraphs[0]
    book.paragraphs[0] = Paragraph(0, 0, first.text, (), "heading", 1, (Mark(0, 0, "image", "cover.png"),))
    shown = Shown(qtbot, theme, book)
    before = shown.browser.document().size().height()
    shown.view.set_picture("cover.png", picture(300, 400))
    assert shown.own_bar.value() == 0
    assert shown.browser.document().size().height() > before + 300
    assert shown.browser.viewport().grab().toImage().pixelColor(314, 200) == QColor("red")


def test_pictures_become_narrower_with_the_window(shown: Shown) -> None:
    shown.view.set_picture("before9.png", picture(1000, 300))
    shown.resize(400)

    def widths() -> set[float]:
        found = set()
        block = shown.browser.document().begin()
        while block.isValid():
            iterator = block.begin()
            while not iterator.atEnd():
                look = iterator.fragment().charFormat()
                if look.isImageFormat() and look.toImageFormat().name() == "before9.png":
                    found.add(look.toImageFormat().width())
                iterator += 1
            block = block.next()
        return found

    assert widths() and max(widths()) <= shown.browser.viewport().width()


def test_a_picture_for_a_book_that_was_left_is_dropped(shown: Shown, book: Book) -> None:
    name = shown.wanted[0][0]
    shown.view.close_document()
    shown.view.set_picture(name, picture(500, 400))
    assert shown.browser.document().isEmpty()
    shown.wanted.clear()
    shown.view.open(book.source, book.length)
    assert name in [wanted for wanted, _ in shown.wanted], "it is asked for again"


# -- what a file may not do ------------------------------------------------------------------------------------------


def test_html_is_shown_as_words_and_nothing_is_fetched(qtbot: QtBot, theme: Theme) -> None:
    evil = '<img src="file:///etc/passwd"><script>x</script> <a href="http://evil">y</a> &lt;b&gt;'
    book = Book(1)
    book.paragraphs = [Paragraph(0, 0, evil, (), marks=(Mark(5, 5, "image", "/etc/passwd"),))]
    book.length = len(evil)
    shown = Shown(qtbot, theme, book)
    assert shown.browser.toPlainText().replace("\ufffc", "") == evil
    assert shown.browser.document().find("y").charFormat().anchorHref() == ""
    for kind in (QTextDocument.ResourceType.ImageResource, QTextDocument.ResourceType.StyleSheetResource):
        found = shown.browser.loadResource(kind.value, QUrl("file:///etc/passwd"))
        assert isinstance(found, QImage) and found.isNull()
    assert not shown.browser.openLinks()
    assert shown.wanted[0][0] == "/etc/passwd", "only what is given under that name is shown"


# -- closing -------------------------------------------------------------------------------------------------------


def test_closing_shows_nothing_and_tells_nothing(qtbot: QtBot, shown: Shown) -> None:
    shown.view.mark(50_000, 50_010)
    told: list[int] = []
    shown.view.place_changed.connect(told.append)
    shown.view.close_document()
    assert shown.browser.toPlainText() == ""
    assert shown.marked() == []
    assert (shown.view.position, shown.bar.maximum()) == (0, 0)
    for act in (shown.view.clear_marks, lambda: shown.view.set_zoom(1.3), lambda: shown.view.resize(500, 500)):
        act()
    shown.press(Qt.Key.Key_PageDown)
    shown.view.show_position(5)
    shown.view.mark(1, 3)
    qtbot.wait(200)  # Nothing can be waited for: it is to stay silent.
    assert told == []


def test_an_empty_book_is_no_trouble(qtbot: QtBot, theme: Theme) -> None:
    book = Book(1)
    book.paragraphs, book.length = [], 0
    shown = Shown(qtbot, theme, book)
    shown.press(Qt.Key.Key_PageDown)
    shown.press(Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    shown.view.set_zoom(2)
    assert (shown.view.position, shown.view.last_visible, shown.view.reading_position) == (0, 0, 0)


def test_a_book_of_tiny_paragraphs_is_no_slower(theme: Theme, qtbot: QtBot) -> None:
    """Two hundred thousand paragraphs of one letter: few are set, and a mark looks at no more than those."""
    length = 200_000
    view = TextView(theme)
    qtbot.addWidget(view)
    view.resize(WIDTH, HEIGHT)
    view.show()

    def source(start: int, end: int) -> list[Paragraph]:
        return [Paragraph(0, at, "a", ()) for at in range(start, min(end, length))]

    view.open(source, length)
    for position in (0, 57, 100_000, length - 1):
        view.mark(position, min(position + 3_000, length))
        assert view._holds(position)
        assert len(view._paragraphs) <= MOST_BEFORE + MOST_AFTER
        assert len(view._browser.extraSelections()) <= MOST_BEFORE + MOST_AFTER
    view.show_position(100_000)
    assert abs(view.position - 100_000) <= 1
