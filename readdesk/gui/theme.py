"""How the window looks: two sets of colours, one style sheet, and icons in the colours of the moment.

Fusion draws the widgets on every system, with our palette; `resources/app.qss` says the rest with the names of colours
in place of colours. The window follows the system's light or dark unless a person chose one. What must stay true: no
colour stands anywhere but here, text and icons keep a contrast of 4.5 to 1, and what was dressed once is dressed again
when the colours change.
"""

from __future__ import annotations

import os
import weakref
from dataclasses import asdict, dataclass
from string import Template

os.environ.setdefault("QT_API", "pyside6")  # Qtawesome asks qtpy, which else takes whatever binding it finds first.

import qtawesome
import shiboken6
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QColor, QIcon, QPalette
from PySide6.QtWidgets import QAbstractButton, QApplication

from readdesk.paths import resource


@dataclass(frozen=True)
class Colours:
    """The colours of one theme by what they are for."""

    window: str
    """Behind panes and bars."""
    base: str
    """Behind the book, lists and fields."""
    raised: str
    """Cards and bubbles on the window."""
    text: str
    muted: str
    """Text of lesser weight."""
    border: str
    accent: str
    on_accent: str
    accent_soft: str
    """Behind what is chosen or belongs to the accent."""
    mark: str
    """Behind marked words."""
    selection: str
    """Behind words that are selected on a drawn leaf."""
    good: str
    busy: str
    bad: str
    bad_soft: str


LIGHT = Colours(
    window="#f4f3f0",
    base="#fdfdfb",
    raised="#ffffff",
    text="#1f1e1c",
    muted="#65615a",
    border="#d8d5ce",
    accent="#1b647e",
    on_accent="#ffffff",
    accent_soft="#dcebf0",
    mark="#ffe08a",
    selection="#b3d7ea",
    good="#2c6e31",
    busy="#8a5200",
    bad="#a8261d",
    bad_soft="#fae5e2",
)
DARK = Colours(
    window="#202124",
    base="#17181a",
    raised="#2a2b2f",
    text="#e6e3dd",
    muted="#a5a198",
    border="#3b3c41",
    accent="#74bdd6",
    on_accent="#0c222b",
    accent_soft="#21404b",
    mark="#6b5510",
    selection="#2b5566",
    good="#7fc784",
    busy="#e8b05c",
    bad="#f0958c",
    bad_soft="#452421",
)

SCHEMES: dict[str, Qt.ColorScheme] = {
    "system": Qt.ColorScheme.Unknown,
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
}
"""What a person may choose, by the value of the setting `window.theme`."""


Wearer = QAction | QAbstractButton
"""What can wear an icon."""


class Theme(QObject):
    """The colours in force; `changed` is emitted after the program was dressed anew."""

    changed = Signal()

    def __init__(self, app: QApplication, choice: str = "system") -> None:
        super().__init__(app)
        self._app = app
        self._sheet = Template(resource("app.qss").read_text(encoding="utf-8"))
        self._dressed: list[tuple[weakref.ref[Wearer], str, str]] = []
        self.colours = LIGHT
        app.setStyle("Fusion")
        self.choose(choice)
        app.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)

    def choose(self, choice: str) -> None:
        """Follow the system, or be light or dark; what is no choice counts as "system"."""
        hints = self._app.styleHints()
        hints.setColorScheme(SCHEMES.get(choice, Qt.ColorScheme.Unknown))
        # The offscreen and minimal platforms know no scheme of the system and keep none that is set.
        chosen = SCHEMES.get(choice, Qt.ColorScheme.Unknown)
        self._dress(chosen if chosen != Qt.ColorScheme.Unknown else hints.colorScheme())

    @property
    def is_dark(self) -> bool:
        """Whether the dark colours are in force."""
        return self.colours is DARK

    def colour(self, name: str) -> QColor:
        """A colour by its name in Colours; raises AttributeError."""
        return QColor(getattr(self.colours, name))

    def icon(self, name: str, colour: str = "muted") -> QIcon:
        """A Phosphor icon ("play", "book-open") in a colour of the moment; `dress` keeps it up to date."""
        found: QIcon = qtawesome.icon(
            f"ph.{name}", color=self.colour(colour), color_disabled=self.colour("border"), scale_factor=1.05
        )
        return found

    def dress(self, wearer: Wearer, name: str, colour: str = "muted") -> None:
        """Give an action or a button an icon, now and whenever the colours change."""
        self._dressed = [entry for entry in self._dressed if entry[0]() not in (None, wearer)]
        self._dressed.append((weakref.ref(wearer), name, colour))
        wearer.setIcon(self.icon(name, colour))

    def _on_scheme_changed(self, scheme: Qt.ColorScheme) -> None:
        self._dress(scheme)

    def _dress(self, scheme: Qt.ColorScheme) -> None:
        self.colours = DARK if scheme == Qt.ColorScheme.Dark else LIGHT
        self._app.setPalette(_palette(self.colours))
        self._app.setStyleSheet(self._sheet.substitute(asdict(self.colours)))
        for wearer, name, colour in self._dressed:
            # A wearer may be gone for Qt while Python still holds its shell.
            if (worn := wearer()) is not None and shiboken6.isValid(worn):
                worn.setIcon(self.icon(name, colour))
        self.changed.emit()


def _palette(colours: Colours) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for which, name in (
        (role.Window, "window"),
        (role.WindowText, "text"),
        (role.Base, "base"),
        (role.AlternateBase, "window"),
        (role.Text, "text"),
        (role.PlaceholderText, "muted"),
        (role.Button, "raised"),
        (role.ButtonText, "text"),
        (role.BrightText, "on_accent"),
        (role.Highlight, "accent"),
        (role.HighlightedText, "on_accent"),
        (role.Link, "accent"),
        (role.LinkVisited, "accent"),
        (role.ToolTipBase, "raised"),
        (role.ToolTipText, "text"),
        (role.Accent, "accent"),
        (role.Mid, "border"),
        (role.Midlight, "border"),
        (role.Dark, "border"),
        (role.Light, "raised"),
    ):
        palette.setColor(which, QColor(getattr(colours, name)))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(colours.muted))
    return palette
