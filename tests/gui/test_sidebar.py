"""The gist sidebar and the table of contents: what they say, what they offer, and that they follow the book."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMenu, QProgressBar, QPushButton, QTreeView
from pytestqt.qtbot import QtBot

from readdesk.documents.model import Paragraph, Section
from readdesk.errors import ReadDeskError
from readdesk.gui.itemmodels.gisttree import PARAGRAPH, Role
from readdesk.gui.panes.contents import ContentsPane
from readdesk.gui.panes.sidebar import (
    COMPLETE,
    FAILED,
    NO_MODEL,
    PARTLY,
    PAUSED,
    RUNNING,
    UNREAD,
    WAITING,
    Sidebar,
)
from readdesk.gui.theme import Theme
from readdesk.jobs.events import Progress
from readdesk.library.model import PageRecord
from readdesk.reading.model import Gist, Page

LENGTH = 60_000
SECTIONS = tuple(
    Section(3 * part + chapter, f"Part {part}" if chapter == 0 else f"Chapter {part}.{chapter}", *where)
    for part in range(20)
    for chapter, where in enumerate(
        (
            (1, -1, 3000 * part),
            (2, 3 * part, 3000 * part + 1000),
            (2, 3 * part, 3000 * part + 2000),
        )
    )
)
PAGES = tuple(
    PageRecord(
        Page(number, 1000 * number - 1000, 1000 * number, number - 1, 200, "model"),
        "",
        Gist(number, f"Gist {number}. " + "It says much. " * 10, "tiny", 1, ""),
    )
    for number in range(1, 61)
)


class Side:
    """A sidebar with what it emitted."""

    def __init__(self, bot: QtBot, theme: Theme) -> None:
        self.pane = Sidebar(theme)
        bot.addWidget(self.pane)
        self.bot = bot
        self.places: list[tuple[int, int]] = []
        self.wants: list[str] = []
        self.pane.place_chosen.connect(lambda start, end: self.places.append((start, end)))
        for name in ("started", "paused", "resumed", "stopped", "model_wanted"):
            getattr(self.pane, name).connect(lambda name=name: self.wants.append(name))
        self.pane.resize(330, 700)
        self.pane.show()
        bot.waitExposed(self.pane)
        self.pane.open(SECTIONS, PAGES, LENGTH, lambda start, end: [Paragraph(0, start, "p" * (end - start), ())])

    @property
    def view(self) -> QTreeView:
        return self.pane.findChildren(QTreeView)[0]

    @property
    def label(self) -> QLabel:
        return [each for each in self.pane.findChildren(QLabel) if each.property("role") in ("small", "bad")][-1]

    @property
    def words(self) -> str:
        return self.label.text()

    @property
    def bar(self) -> QProgressBar:
        return self.pane.findChildren(QProgressBar)[0]

    def buttons(self) -> dict[str, QPushButton]:
        return {button.text(): button for button in self.pane.findChildren(QPushButton) if button.isVisible()}

    def press(self, name: str) -> None:
        QTest.mouseClick(self.buttons()[name], Qt.MouseButton.LeftButton)

    def is_seen(self, index: QModelIndex) -> bool:
        room = self.view.visualRect(index)
        return room.isValid() and room.intersects(self.view.viewport().rect())

    def click(self, index: QModelIndex) -> None:
        self.view.scrollTo(index)
        QTest.mouseClick(
            *(self.view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier),
            self.view.visualRect(index).center(),
        )


@pytest.fixture
def side(qtbot: QtBot, theme: Theme) -> Side:
    return Side(qtbot, theme)


# -- the work ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "words", "buttons", "emitted", "bar"),
    [
        (NO_MODEL, "A model on this computer reads the book", ["Get a model…"], ["model_wanted"], -1),
        (UNREAD, "Tiny will read this book page by page", ["Read this book"], ["started"], -1),
        (WAITING, "Waiting for its turn…", ["Pause", "Stop"], ["paused", "stopped"], 290),
        (RUNNING, "7 pages, 29 % of the book", ["Pause", "Stop"], ["paused", "stopped"], 290),
        (PAUSED, "Paused. 7 pages, 29 % of the book.", ["Go on", "Stop"], ["resumed", "stopped"], 290),
        (FAILED, "Stopped by an error. 7 pages, 29 % of the book.", ["Try again"], ["started"], 290),
        (PARTLY, "7 pages, 29 % of the book, read by Tiny.", ["Read on"], ["started"], 290),
        (COMPLETE, "Read to the end by Tiny: 7 pages with gists.", [], [], 1000),
    ],
)
def test_each_state_says_what_is_and_offers_what_can_be_done(
    side: Side, state: str, words: str, buttons: list[str], emitted: list[str], bar: int
) -> None:
    side.pane.show_state(state, 7, 0.29, "Tiny")
    assert side.pane.state == state
    assert side.words.startswith(words)
    assert list(side.buttons()) == buttons
    for name in buttons:
        side.press(name)
    assert side.wants == emitted
    assert (side.bar.value() if side.bar.isVisible() else -1) == bar
    assert bool(side.pane.findChildren(QPushButton)[0].property("primary")) == (
        state in (UNREAD, NO_MODEL, PARTLY, PAUSED)
    )


def test_progress_is_told_with_the_time_that_is_left(side: Side) -> None:
    side.pane.show_state(RUNNING, 1, 0.01)
    side.pane.show_progress(Progress(1, "", 1, None, 0.02))
    assert side.words == "1 page, 2 % of the book"
    side.pane.show_progress(Progress(1, "", 12, None, 0.999, 300.0))
    assert side.words == "12 pages, 99 % of the book · about 5 min left"
    assert side.bar.value() == 999
    side.pane.tell("Loading the model…")
    assert side.words == "Loading the model…"


def test_what_the_model_runs_on_is_told_to_those_who_ask(side: Side) -> None:
    words = "tiny runs on the CPU: 1 thread."
    side.pane.show_model(words)
    for widget in (side.label, side.bar):
        assert (widget.toolTip(), widget.accessibleDescription()) == (words, words)
    side.pane.show_model("")
    assert (side.label.toolTip(), side.bar.accessibleDescription()) == ("", "")


def test_a_failure_says_what_to_do_and_a_new_try_looks_well_again(side: Side) -> None:
    side.pane.show_failure(ReadDeskError("The model broke.", "Choose a smaller one."), 3, 0.5)
    assert side.pane.state == FAILED
    assert side.words == "The model broke. Choose a smaller one."
    label = side.label
    bad = label.palette().color(label.foregroundRole()).name()
    side.pane.show_state(RUNNING, 3, 0.5)
    assert label.palette().color(label.foregroundRole()).name() != bad


# -- the tree --------------------------------------------------------------------------------------------------------


def test_the_tree_unfolds_and_shows_where_the_book_is(side: Side) -> None:
    index = side.pane.tree.index_of_page(45)
    assert not side.is_seen(index)
    side.pane.follow(44_500)
    assert side.is_seen(index)
    assert index.data(Role.HERE)
    assert not side.view.isExpanded(side.pane.tree.index(3, 0)), "other parts stay folded"
    place = side.view.verticalScrollBar().value()
    side.pane.follow(44_600)
    assert side.view.verticalScrollBar().value() == place, "what can be seen already moves nothing"


def test_following_the_book_leaves_the_keyboard_where_it_is(side: Side) -> None:
    side.pane.activateWindow()
    side.pane.focus_tree()
    assert side.view.currentIndex() == side.pane.tree.index(0, 0)
    side.bot.waitUntil(side.view.hasFocus)
    place = side.view.verticalScrollBar().value()
    side.pane.follow(44_500)
    assert side.view.currentIndex() == side.pane.tree.index(0, 0)
    assert side.view.verticalScrollBar().value() == place
    assert side.pane.tree.index_of_page(45).data(Role.HERE)


def test_pages_that_are_looked_up_come_into_view_the_first_one_last(side: Side) -> None:
    side.pane.light((50, 3))
    assert side.pane.tree.index_of_page(3).data(Role.LIT)
    assert side.is_seen(side.pane.tree.index_of_page(50))
    side.pane.light((3, 50, 99))
    assert side.is_seen(side.pane.tree.index_of_page(3))
    side.pane.light(())
    assert not side.pane.tree.index_of_page(3).data(Role.LIT)


def test_a_row_leads_to_its_place_whole_where_it_is_text(side: Side) -> None:
    side.click(side.pane.tree.index(2, 0))
    assert side.places == [(6000, 6000)], "a section is a place"
    index = side.pane.tree.index_of_page(9)
    side.view.expand(side.pane.tree.index(2, 0))
    side.pane.follow(8_500)
    side.click(index)
    assert side.places[1:] == [(8000, 9000)], "a page is marked"
    side.view.expand(index)
    paragraph = side.pane.tree.index(0, 0, index)
    assert paragraph.data(Role.KIND) == PARAGRAPH
    side.view.setCurrentIndex(paragraph)
    QTest.keyClick(side.view, Qt.Key.Key_Return)
    assert side.places[2:] == [(8000, 9000)]


def test_a_gist_can_be_copied(side: Side) -> None:
    side.pane.follow(500)
    index = side.pane.tree.index_of_page(1)
    side.view.customContextMenuRequested.emit(side.view.visualRect(index).center())
    menu = side.pane.findChildren(QMenu)[0]
    assert [action.text() for action in menu.actions()] == ["Copy &gist"]
    menu.actions()[0].trigger()
    menu.close()
    assert QGuiApplication.clipboard().text() == index.data()


def test_closing_shows_nothing(side: Side) -> None:
    side.pane.close_document()
    assert side.pane.tree.rowCount() == 0
    side.pane.follow(500)
    side.pane.light((1,))
    side.pane.focus_tree()
    assert not side.view.currentIndex().isValid()


def test_a_book_of_one_part_is_opened_at_once(side: Side) -> None:
    sections = (Section(0, "Book", 1, -1, 0), Section(1, "One", 2, 0, 10))
    side.pane.open(sections, (), 100, lambda start, end: ())
    assert side.view.isExpanded(side.pane.tree.index(0, 0))
    side.pane.open(SECTIONS, (), LENGTH, lambda start, end: ())
    assert not side.view.isExpanded(side.pane.tree.index(0, 0))


# -- the contents ----------------------------------------------------------------------------------------------------


def test_the_contents_follow_the_book_and_lead_to_a_section(qtbot: QtBot, theme: Theme) -> None:
    pane = ContentsPane(theme)
    qtbot.addWidget(pane)
    pane.resize(300, 400)
    pane.show()
    qtbot.waitExposed(pane)
    pane.open(SECTIONS, LENGTH)
    view = pane.findChildren(QTreeView)[0]
    pane.follow(44_500)
    index = view.model().index(2 - 1, 0, view.model().index(14, 0))
    assert (index.data(), index.data(Role.HERE)) == ("Chapter 14.2", True)
    assert view.viewport().rect().intersects(view.visualRect(index))
    with qtbot.waitSignal(pane.section_chosen) as chosen:
        QTest.mouseClick(
            *(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier),
            view.visualRect(index).center(),
        )
    assert [section.start for section in chosen.args] == [44_000]
    pane.close_document()
    assert view.model().rowCount() == 0


def test_what_a_book_will_take_is_told_until_it_is_read(side: Side) -> None:
    side.pane.show_expectation("130 pages.", "Left out: notes.")
    wanted: list[bool] = []
    side.pane.details_wanted.connect(lambda: wanted.append(True))

    def told() -> list[str]:
        return [label.text() for label in side.pane.findChildren(QLabel) if label.isVisible()]

    for state in (UNREAD, NO_MODEL):
        side.pane.show_state(state, model="Tiny")
        assert told()[:2] == ["130 pages.", "Left out: notes."]
        side.press("Details\u2026")
    assert wanted == [True, True]
    side.pane.show_expectation("130 pages.")
    side.pane.show_state(UNREAD, model="Tiny")
    assert told()[0] == "130 pages." and len(told()) == 2
    for state in (RUNNING, PARTLY, COMPLETE):
        side.pane.show_state(state, 3, 0.5, "Tiny")
        assert len(told()) == 1 and "Details\u2026" not in side.buttons()
