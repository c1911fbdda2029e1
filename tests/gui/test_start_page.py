"""The start page: the library to choose from, and the card of the first run."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QListView, QPushButton
from pytestqt.qtbot import QtBot

from readdesk.gui.panes.start import StartPage
from readdesk.gui.theme import Theme
from readdesk.library.model import DocumentRecord, Progress, ShelfEntry

TITLES = ("Emma", "Moby-Dick", "Persuasion", "Ulysses", "The Waste Land", "Meditations", "ישראל", "Walden")


def shelf(*numbers: int) -> list[ShelfEntry]:
    """Entries of these books."""
    return [
        ShelfEntry(
            DocumentRecord(n, TITLES[n], (f"Author {n}",), "en", "epub", "", "", 9, 9, "", (), ""),
            *("", Progress(0, 0, 0.0, False), ""),
        )
        for n in numbers
    ]


class Start:
    """A start page with what it emitted."""

    def __init__(self, bot: QtBot, theme: Theme) -> None:
        self.page = StartPage(theme)
        bot.addWidget(self.page)
        self.bot = bot
        self.chosen: list[int] = []
        self.wants: list[str] = []
        self.page.document_chosen.connect(lambda record: self.chosen.append(record.id))
        for name in ("open_wanted", "starter_wanted", "own_model_wanted"):
            getattr(self.page, name).connect(lambda name=name: self.wants.append(name))
        self.page.resize(900, 700)
        self.page.show()
        bot.waitExposed(self.page)

    @property
    def books(self) -> QListView:
        return self.page.findChildren(QListView)[0]

    @property
    def search(self) -> QLineEdit:
        return self.page.findChildren(QLineEdit)[0]

    def titles(self) -> list[str]:
        model = self.books.model()
        return [model.index(row, 0).data() for row in range(model.rowCount())]

    def words(self) -> str:
        return "\n".join(label.text() for label in self.page.findChildren(QLabel) if label.isVisible())

    def buttons(self) -> dict[str, QPushButton]:
        return {button.text(): button for button in self.page.findChildren(QPushButton) if button.isVisible()}

    def press(self, name: str) -> None:
        QTest.mouseClick(self.buttons()[name], Qt.MouseButton.LeftButton)


@pytest.fixture
def start(qtbot: QtBot, theme: Theme) -> Start:
    return Start(qtbot, theme)


def test_an_empty_library_says_how_to_fill_it(start: Start) -> None:
    start.page.show_shelf([])
    assert "No books yet" in start.words()
    assert not start.books.isVisible()
    start.press("Open a file…")
    assert start.wants == ["open_wanted"]
    start.page.show_shelf(shelf(0))
    assert "No books yet" not in start.words()
    assert start.books.isVisible()
    start.page.focus_list()


def test_a_book_is_chosen_by_a_click_or_a_key(start: Start) -> None:
    start.page.show_shelf(shelf(3, 1, 2))
    assert start.titles() == ["Ulysses", "Moby-Dick", "Persuasion"]
    index = start.books.model().index(1, 0)
    QTest.mouseClick(
        *(start.books.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier),
        start.books.visualRect(index).center(),
    )
    assert start.chosen == [1]
    start.page.focus_list()
    assert start.books.currentIndex().data() == "Ulysses", "the one that was open last"
    QTest.keyClick(start.books, Qt.Key.Key_Down)
    QTest.keyClick(start.books, Qt.Key.Key_Down)
    QTest.keyClick(start.books, Qt.Key.Key_Return)
    assert start.chosen == [1, 2]


def test_the_row_that_was_chosen_stays_chosen_when_the_shelf_changes(start: Start) -> None:
    start.page.show_shelf(shelf(0, 1, 2))
    start.books.setCurrentIndex(start.books.model().index(2, 0))
    start.page.show_shelf(shelf(2, 0, 4, 1))
    assert start.books.currentIndex().data() == "Persuasion"
    assert start.books.currentIndex().row() == 0
    start.page.show_shelf(shelf(0, 1))
    assert not start.books.currentIndex().isValid()


def test_a_long_shelf_can_be_searched_by_title_and_author(start: Start) -> None:
    start.page.show_shelf(shelf(*range(6)))
    assert not start.search.isVisible(), "a short one is seen at a glance"
    start.page.show_shelf(shelf(*range(8)))
    assert start.search.isVisible()
    QTest.keyClicks(start.search, "w")
    assert start.titles() == ["The Waste Land", "Walden"]
    QTest.keyClicks(start.search, "al")
    assert start.titles() == ["Walden"]
    start.search.setText("author 3")
    assert start.titles() == ["Ulysses"]
    start.search.setText("שר")
    assert start.titles() == ["ישראל"]
    start.search.setText("(.*[")
    assert start.titles() == [], "a search is words, no pattern"
    start.search.clear()
    assert len(start.titles()) == 8


def test_a_search_that_hides_books_is_never_hidden_itself(start: Start) -> None:
    start.page.show_shelf(shelf(*range(8)))
    start.search.setText("emma")
    start.page.show_shelf(shelf(0, 1, 2))
    assert start.titles() == ["Emma"]
    assert start.search.isVisible()


def test_the_first_run_offers_three_ways(start: Start) -> None:
    card = start.page.first_run
    card.offer("491 MB")
    assert "starter model (491 MB)" in start.words()
    start.press("Get the starter model")
    start.press("Use a model file…")
    assert start.wants == ["starter_wanted", "own_model_wanted"]
    card.show_fetching()
    assert not start.buttons()["Getting the starter model…"].isEnabled()
    card.offer("491 MB")
    assert start.buttons()["Get the starter model"].isEnabled()
    assert not card.is_put_off
    start.press("Later")
    assert card.is_put_off
    assert not card.isVisible()
