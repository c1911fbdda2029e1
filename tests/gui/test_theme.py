"""Colours and icons: enough contrast in both themes, and what was dressed follows a change."""

from __future__ import annotations

from itertools import product

import pytest
import shiboken6
from PySide6.QtGui import QAction, QColor
from pytestqt.qtbot import QtBot

from readdesk.gui.theme import DARK, LIGHT, Colours, Theme

TEXTS = ("text", "muted", "accent", "good", "busy", "bad")
GROUNDS = ("window", "base", "raised")


def luminance(colour: str) -> float:
    """The relative luminance of WCAG 2.2."""
    linear = [_linear(QColor(colour).redF()), _linear(QColor(colour).greenF()), _linear(QColor(colour).blueF())]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_measured_right() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_can_be_read_on_every_ground(colours: Colours) -> None:
    pairs = [
        *product(TEXTS, GROUNDS),
        *product(("text", "accent"), ("accent_soft",)),
        *(("on_accent", "accent"), ("text", "mark"), ("text", "bad_soft"), ("bad", "bad_soft")),
    ]
    poor = {(t, g): round(contrast(getattr(colours, t), getattr(colours, g)), 2) for t, g in pairs}
    assert {pair: value for pair, value in poor.items() if value < 4.5} == {}


def test_a_change_of_theme_reaches_the_program_and_what_was_dressed(theme: Theme, qtbot: QtBot) -> None:
    action = QAction("Stop")
    theme.dress(action, "stop")
    before = action.icon().pixmap(24).toImage()
    with qtbot.waitSignal(theme.changed):
        theme.choose("dark")
    assert theme.is_dark
    assert action.icon().pixmap(24).toImage() != before
    with qtbot.waitSignal(theme.changed):
        theme.choose("light")
    assert not theme.is_dark
    assert action.icon().pixmap(24).toImage() == before


def test_what_is_gone_is_not_dressed_again(theme: Theme) -> None:
    theme.dress(QAction("Gone"), "stop")
    theme.choose("dark")
    theme.choose("light")


def test_what_qt_has_deleted_is_not_dressed_again(theme: Theme) -> None:
    action = QAction("Deleted")
    theme.dress(action, "stop")
    shiboken6.delete(action)
    theme.choose("dark")
    theme.choose("light")
