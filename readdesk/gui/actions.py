"""Everything a person can do in the window, as records: name, keys, icon, place in the menus.

Adding an action is adding a record here and a function where the window connects them. What must stay true: every
action can be reached from a menu, and no key is given twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from readdesk.gui.theme import Theme


@dataclass(frozen=True)
class ActionRecord:
    """One thing to do. `keys` are for the menu first; `checkable` ones show whether they are in force."""

    name: str
    menu: str
    text: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    checkable: bool = False
    needs_book: bool = False
    separated: bool = False
    """Whether a line stands before it in the menu."""


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:  # the name that Qt's tools look for
    """Mark a text for translation where it stands; it is translated where it is used."""
    return text


MENUS = {
    "file": QT_TRANSLATE_NOOP("Actions", "&File"),
    "view": QT_TRANSLATE_NOOP("Actions", "&View"),
    "go": QT_TRANSLATE_NOOP("Actions", "&Go"),
    "read": QT_TRANSLATE_NOOP("Actions", "&Book"),
    "model": QT_TRANSLATE_NOOP("Actions", "&Model"),
    "help": QT_TRANSLATE_NOOP("Actions", "&Help"),
}
ACTIONS: tuple[ActionRecord, ...] = (
    ActionRecord("open", "file", QT_TRANSLATE_NOOP("Actions", "&Open a file\u2026"), ("Ctrl+O",), "file-plus"),
    ActionRecord("library", "file", QT_TRANSLATE_NOOP("Actions", "&Library"), ("Ctrl+L",), "books"),
    ActionRecord(
        "export",
        "file",
        QT_TRANSLATE_NOOP("Actions", "&Export the gists\u2026"),
        ("Ctrl+E",),
        needs_book=True,
        separated=True,
    ),
    ActionRecord("close", "file", QT_TRANSLATE_NOOP("Actions", "&Close the book"), ("Ctrl+W",), needs_book=True),
    ActionRecord("quit", "file", QT_TRANSLATE_NOOP("Actions", "&Quit"), ("Ctrl+Q",), separated=True),
    ActionRecord(
        "sidebar", "view", QT_TRANSLATE_NOOP("Actions", "&Gist sidebar"), ("F9",), "list-bullets", checkable=True
    ),
    ActionRecord(
        "chat", "view", QT_TRANSLATE_NOOP("Actions", "&Chat"), ("Shift+F9",), "chat-circle-text", checkable=True
    ),
    ActionRecord(
        "zoom_in",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Zoom &in"),
        ("Ctrl++", "Ctrl+="),
        "plus",
        needs_book=True,
        separated=True,
    ),
    ActionRecord("zoom_out", "view", QT_TRANSLATE_NOOP("Actions", "Zoom &out"), ("Ctrl+-",), "minus", needs_book=True),
    ActionRecord("zoom_usual", "view", QT_TRANSLATE_NOOP("Actions", "&Usual size"), ("Ctrl+0",), needs_book=True),
    ActionRecord("fit_leaf", "view", QT_TRANSLATE_NOOP("Actions", "&Whole leaf"), ("Ctrl+9",), needs_book=True),
    ActionRecord(
        "as_text",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Show a PDF as &text"),
        ("Ctrl+T",),
        "text-aa",
        checkable=True,
        needs_book=True,
        separated=True,
    ),
    ActionRecord("back", "go", QT_TRANSLATE_NOOP("Actions", "B&ack"), ("Alt+Left",), "arrow-left", needs_book=True),
    ActionRecord("forward", "go", QT_TRANSLATE_NOOP("Actions", "&Forward"), ("Alt+Right",), needs_book=True),
    ActionRecord(
        "next_page",
        "go",
        QT_TRANSLATE_NOOP("Actions", "&Next page with a gist"),
        ("Alt+Down",),
        needs_book=True,
        separated=True,
    ),
    ActionRecord(
        "previous_page",
        "go",
        QT_TRANSLATE_NOOP("Actions", "&Previous page with a gist"),
        ("Alt+Up",),
        needs_book=True,
    ),
    ActionRecord(
        "go_to_leaf", "go", QT_TRANSLATE_NOOP("Actions", "Go to a p&rinted page\u2026"), ("Ctrl+G",), needs_book=True
    ),
    ActionRecord("leaf_links", "go", QT_TRANSLATE_NOOP("Actions", "&Links of this leaf\u2026"), needs_book=True),
    ActionRecord(
        "to_book", "go", QT_TRANSLATE_NOOP("Actions", "To the &book"), ("F6",), needs_book=True, separated=True
    ),
    ActionRecord("to_gists", "go", QT_TRANSLATE_NOOP("Actions", "To the &gists"), ("F7",), needs_book=True),
    ActionRecord("to_notes", "go", QT_TRANSLATE_NOOP("Actions", "To the n&otes"), ("Shift+F7",), needs_book=True),
    ActionRecord(
        "to_question", "go", QT_TRANSLATE_NOOP("Actions", "To the &question"), ("F8", "Ctrl+K"), needs_book=True
    ),
    ActionRecord(
        "read_on", "read", QT_TRANSLATE_NOOP("Actions", "&Read this book"), ("Ctrl+R",), "play", needs_book=True
    ),
    ActionRecord(
        "pause", "read", QT_TRANSLATE_NOOP("Actions", "&Pause or go on"), ("Ctrl+P",), "pause", needs_book=True
    ),
    ActionRecord("stop", "read", QT_TRANSLATE_NOOP("Actions", "&Stop reading"), ("Ctrl+.",), "stop", needs_book=True),
    ActionRecord(
        "read_again",
        "read",
        QT_TRANSLATE_NOOP("Actions", "Read again with the &chosen model"),
        needs_book=True,
        separated=True,
    ),
    ActionRecord(
        "details",
        "read",
        QT_TRANSLATE_NOOP("Actions", "&About this book\u2026"),
        ("Ctrl+I",),
        needs_book=True,
        separated=True,
    ),
    ActionRecord(
        "model_view",
        "read",
        QT_TRANSLATE_NOOP("Actions", "What a &model reads of this leaf\u2026"),
        needs_book=True,
    ),
    ActionRecord("page_number", "read", QT_TRANSLATE_NOOP("Actions", "Set the page &number\u2026"), needs_book=True),
    ActionRecord("recognise", "read", QT_TRANSLATE_NOOP("Actions", "Recognise &text\u2026"), needs_book=True),
    ActionRecord("text_reading", "read", QT_TRANSLATE_NOOP("Actions", "&How this text is read\u2026"), needs_book=True),
    ActionRecord("handbook", "help", QT_TRANSLATE_NOOP("Actions", "&Handbook"), ("F1",), "book-open"),
    ActionRecord("about", "help", QT_TRANSLATE_NOOP("Actions", "&About ReadDesk")),
)


class Actions(QObject):
    """The actions of one window, by name."""

    def __init__(self, parent: QObject, theme: Theme, run: Mapping[str, Callable[[], None]]) -> None:
        super().__init__(parent)
        self._by_name = {record.name: self._make(record, theme, run[record.name]) for record in ACTIONS}

    def __getitem__(self, name: str) -> QAction:
        return self._by_name[name]

    def _make(self, record: ActionRecord, theme: Theme, run: Callable[[], None]) -> QAction:
        action = QAction(QCoreApplication.translate("Actions", record.text), self)
        action.setShortcuts([QKeySequence(keys) for keys in record.keys])
        action.setCheckable(record.checkable)
        if record.icon:
            theme.dress(action, record.icon)
        action.setIconVisibleInMenu(False)
        tip = action.text().replace("&", "").rstrip("\u2026")
        action.setToolTip(f"{tip} ({record.keys[0]})" if record.keys else tip)
        action.triggered.connect(lambda: run())
        return action

    def allow_book(self, allowed: bool) -> None:
        """Whether what needs an open book can be done."""
        for record in ACTIONS:
            if record.needs_book:
                self._by_name[record.name].setEnabled(allowed)

    def fill(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Put every action into its menu; returns the menus by name."""
        menus = {name: bar.addMenu(QCoreApplication.translate("Actions", text)) for name, text in MENUS.items()}
        for record in ACTIONS:
            if record.separated:
                menus[record.menu].addSeparator()
            menus[record.menu].addAction(self._by_name[record.name])
        return menus
