"""What is left out of gisting: how it looks, why it is so, and how to have it otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QTreeView
from pytestqt.qtbot import QtBot

from readdesk.documents.model import Matter, Section
from readdesk.gui.itemmodels.gisttree import DONE, LEFT_OUT, TODO, GistTree, Role
from readdesk.gui.matters import left_out_words, matter_words
from readdesk.gui.panes.contents import ContentsPane
from readdesk.gui.theme import Theme
from readdesk.library.model import PageRecord
from readdesk.reading.model import Gist, Page

SECTIONS = (
    Section(0, "Cover", 1, -1, 0, matter="cover", is_left_out=True),
    Section(1, "One", 1, -1, 100),
    Section(2, "Two", 1, -1, 500),
    Section(3, "Two, notes", 2, 2, 800, matter="notes", is_left_out=True),
    Section(4, "<Index>", 1, -1, 900, matter="index", is_left_out=True),
)
LENGTH = 1000


def page(number: int, start: int, end: int, section: int) -> PageRecord:
    return PageRecord(Page(number, start, end, section, 50, "model"), "", Gist(number, "Gist.", "tiny", 1, ""))


PAGES = (page(1, 100, 500, 1), page(2, 500, 800, 2))


def opened(*pages: PageRecord) -> GistTree:
    tree = GistTree()
    tree.open(SECTIONS, pages, LENGTH, lambda start, end: ())
    return tree


def rows(tree: GistTree, parent: QModelIndex | None = None) -> dict[str, QModelIndex]:
    """Every section by its title."""
    found = {}
    parent = QModelIndex() if parent is None else parent
    for row in range(tree.rowCount(parent)):
        index = tree.index(row, 0, parent)
        if index.data(Role.SECTION) is not None:
            found[index.data()] = index
            found |= rows(tree, index)
    return found


def states(tree: GistTree) -> dict[str, str]:
    return {title: index.data(Role.STATE) for title, index in rows(tree).items()}


@pytest.fixture
def pane(qtbot: QtBot, theme: Theme) -> ContentsPane:
    made = ContentsPane(theme)
    qtbot.addWidget(made)
    made.open(SECTIONS, LENGTH)
    made.show()
    return made


def test_what_is_left_out_is_not_still_to_do() -> None:
    expected = {"Cover": LEFT_OUT, "One": TODO, "Two": TODO, "Two, notes": LEFT_OUT, "<Index>": LEFT_OUT}
    assert states(opened()) == expected
    assert states(opened(PAGES[0])) == expected | {"One": DONE}
    assert states(opened(*PAGES)) == expected | {"One": DONE, "Two": DONE}, "what is left out below it is no matter"


def test_the_share_counts_what_is_to_be_read() -> None:
    assert opened().share == 0
    assert opened(PAGES[0]).share == pytest.approx(400 / 700)
    assert opened(*PAGES).share == 1


def test_taking_a_section_in_makes_it_something_to_do_again() -> None:
    tree = opened(*PAGES)
    told: list[str] = []
    tree.dataChanged.connect(lambda index, _: told.append(index.data()))
    tree.set_sections([replace(section, is_left_out=False) for section in SECTIONS])
    assert states(tree) == {"Cover": TODO, "One": DONE, "Two": TODO, "Two, notes": TODO, "<Index>": TODO}
    assert set(told) == {section.title for section in SECTIONS}
    assert tree.share == pytest.approx(0.7)
    tree.set_page(page(3, 0, 100, 0))
    assert states(tree)["Cover"] == DONE, "a page before those that stand already"


def test_why_is_said_to_eyes_and_ears() -> None:
    tree = opened()
    index = rows(tree)["<Index>"]
    assert index.data(Qt.ItemDataRole.ToolTipRole) == (
        "<span>&lt;Index&gt;</span><br><span>left out of gisting: index</span>"
    )
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "<Index>, left out of gisting: index"
    assert left_out_words(Section(9, "Chosen", 1, -1, 0, is_left_out=True)) == "left out of gisting"
    assert left_out_words(Section(9, "Kept", 1, -1, 0, matter="notes")) == ""
    assert all(matter_words(matter) for matter in get_args(Matter) if matter)


def test_the_menu_of_a_row_changes_what_is_left_out(pane: ContentsPane) -> None:
    wanted: list[tuple[int, bool]] = []
    pane.leaving_out_wanted.connect(lambda section, left: wanted.append((section, left)))
    tree = pane.findChildren(QTreeView)[0].model()
    read, left = pane.menu_for(tree.index(1, 0)), pane.menu_for(tree.index(0, 0))
    assert [action.text() for action in read.actions()] == ["&Leave out of gisting"]
    assert [action.text() for action in left.actions()] == ["Left out of gisting: cover", "&Read this too"]
    assert not left.actions()[0].isEnabled()
    read.actions()[0].trigger()
    left.actions()[1].trigger()
    assert wanted == [(1, True), (0, False)]


def test_what_is_left_out_is_drawn_muted(pane: ContentsPane, theme: Theme) -> None:
    view = pane.findChildren(QTreeView)[0]

    def darkest(row: int) -> int:
        image = view.viewport().grab(view.visualRect(view.model().index(row, 0))).toImage()
        return min(
            image.pixelColor(x, y).lightness() for x in range(4, image.width()) for y in range(4, image.height() - 4)
        )

    assert darkest(1) < theme.colour("muted").lightness() - 20 <= darkest(0)


def test_a_half_title_over_chapters_that_are_read_is_not_left_out(pane: ContentsPane) -> None:
    sections = [
        Section(0, "The Book", 1, -1, 0, matter="title", is_left_out=True),
        Section(1, "One", 2, 0, 20),
        Section(2, "Two", 2, 0, 500),
    ]
    pane.open(sections, LENGTH)
    model = pane.findChildren(QTreeView)[0].model()
    title = model.index(0, 0)
    assert (title.data(Role.LEFT_OUT), title.data(Role.STATE)) == (False, TODO)
    assert "left out" not in title.data(Qt.ItemDataRole.ToolTipRole)
    assert [action.text() for action in pane.menu_for(title).actions()] == ["&Leave out of gisting"]
    pane.set_sections([replace(section, is_left_out=True) for section in sections])
    assert (title.data(Role.LEFT_OUT), title.data(Role.STATE)) == (True, LEFT_OUT)
