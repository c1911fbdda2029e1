"""Actions as records: each can be reached from a menu, none shares its keys, and each does what it is named for."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from readdesk.gui.actions import ACTIONS, MENUS, Actions
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


def test_what_needs_a_book_rests_without_one(wired: Wired) -> None:
    wired.actions.allow_book(False)
    enabled = {record.name for record in ACTIONS if wired.actions[record.name].isEnabled()}
    assert enabled == {"open", "library", "quit", "sidebar", "chat", "handbook", "about"}
    wired.actions.allow_book(True)
    assert all(wired.actions[record.name].isEnabled() for record in ACTIONS)
