"""Actions as records: each can be reached from a menu, none shares its keys, and each does what it is named for."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu
from pytestqt.qtbot import QtBot

from readdesk.documents.model import Section
from readdesk.gui.actions import ACTIONS, MENUS, Actions
from readdesk.gui.itemmodels.gisttree import GistTree
from readdesk.gui.panes.sidebar import offer_leaving_out
from readdesk.gui.theme import Theme


class Wired:
    """Actions in a window, and which of them were done."""

    def __init__(self, bot: QtBot, theme: Theme) -> None:
        self.window = QMainWindow()
        bot.addWidget(self.window)
        self.done: list[str] = []
        run = {record.name: (lambda name=record.name: self.done.append(name)) for record in ACTIONS}
        self.actions = Actions(self.window, theme, run)
        self.menus = self.actions.fill(self.window.menuBar())


@pytest.fixture
def wired(qtbot: QtBot, theme: Theme) -> Wired:
    return Wired(qtbot, theme)


def test_no_name_and_no_key_is_given_twice() -> None:
    assert len({record.name for record in ACTIONS}) == len(ACTIONS)
    keys = Counter(QKeySequence(each).toString() for record in ACTIONS for each in record.keys)
    assert "" not in keys, "every key is one that Qt knows"
    assert [key for key, count in keys.items() if count > 1] == []


def test_every_action_can_be_reached_from_the_menu_it_names(wired: Wired) -> None:
    assert list(wired.menus) == list(MENUS)
    reached = {name: [a for a in menu.actions() if not a.isSeparator()] for name, menu in wired.menus.items()}
    for record in ACTIONS:
        assert wired.actions[record.name] in reached[record.menu]
    assert sum(map(len, reached.values())) == len(ACTIONS)
    assert not any(menu.actions()[0].isSeparator() for menu in wired.menus.values() if menu.actions())


def test_letters_to_press_are_given_once_in_a_menu(wired: Wired) -> None:
    texts = [[menu.title() for menu in wired.menus.values()]]
    texts += [[action.text() for action in menu.actions() if action.text()] for menu in wired.menus.values()]
    for menu in texts:
        letters = Counter(text[text.index("&") + 1].lower() for text in menu if "&" in text)
        assert [letter for letter, count in letters.items() if count > 1] == [], menu
        assert all("&" in text for text in menu)


def test_each_action_does_its_own_thing_however_it_is_checked(wired: Wired) -> None:
    for record in ACTIONS:
        wired.actions[record.name].trigger()
    assert wired.done == [record.name for record in ACTIONS]
    assert all(wired.actions[record.name].isCheckable() == record.checkable for record in ACTIONS)


def test_tips_name_the_first_key(wired: Wired) -> None:
    assert wired.actions["open"].toolTip() == "Open a file (Ctrl+O)"
    assert wired.actions["about"].toolTip() == "About ReadDesk"
    assert [key.toString() for key in wired.actions["zoom_in"].shortcuts()] == ["Ctrl++", "Ctrl+="]


def test_the_handbook_names_menus_and_keys_that_are_there(wired: Wired) -> None:
    """Whoever looks for what chapter 4 tells of finds it under that name."""
    text = (Path(__file__).parents[2] / "resources/handbook/04-adding-documents.md").read_text(encoding="utf-8")
    titles = {menu.title().replace("&", ""): menu for menu in wired.menus.values()}
    named = re.findall(r"\*\*(\w+) → ([^*]+)\*\*", text)
    assert [name for _, name in named] == ["How this text is read…", "About this book…"]
    for title, name in named:
        assert name in [action.text().replace("&", "") for action in titles[title].actions()]
    assert wired.actions["details"].shortcut().toString() == "Ctrl+I"
    menu = QMenu(wired.window)
    tree = GistTree()
    tree.open([Section(0, "One", 1, -1, 0, words=9)], [], 9, lambda start, end: [])
    offer_leaving_out(menu, tree.index(0, 0), lambda section, is_left_out: None)
    tree.open([Section(0, "One", 1, -1, 0, words=9, is_left_out=True)], [], 9, lambda start, end: [])
    offer_leaving_out(menu, tree.index(0, 0), lambda section, is_left_out: None)
    entries = [action.text().replace("&", "") for action in menu.actions() if action.isEnabled()]
    assert entries == ["Leave out of gisting", "Read this too"]
    assert all(f"**{entry}**" in text for entry in entries)


def test_what_needs_a_book_rests_without_one(wired: Wired) -> None:
    wired.actions.allow_book(False)
    enabled = {record.name for record in ACTIONS if wired.actions[record.name].isEnabled()}
    assert enabled == {"open", "library", "quit", "sidebar", "chat", "handbook", "about"}
    wired.actions.allow_book(True)
    assert all(wired.actions[record.name].isEnabled() for record in ACTIONS)
