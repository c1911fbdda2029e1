"""Words that are selected in a book stay selected when other paragraphs are set around them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from readdesk.gui.theme import Theme
from tests.gui.textbooks import Book, Shown


def selected_words(shown: Shown) -> str:
    """What a person has selected."""
    return shown.view.selected_text


def test_a_selection_outlives_a_shift_a_zoom_and_a_change_of_colours(qtbot: QtBot, theme: Theme) -> None:
    book = Book()
    shown = Shown(qtbot, theme, book, book.length // 2)
    start = book.at(book.length // 2 + 300).start
    shown.view.select(start, start + 40)
    words = selected_words(shown)
    assert len(words.split()) > 2
    shown.view._set_around(start + 1_500)
    assert selected_words(shown) == words
    shown.view.set_zoom(1.3)
    assert selected_words(shown) == words
    theme.choose("dark")
    theme.choose("light")
    assert selected_words(shown) == words
    shown.view.show_position(0)
    assert selected_words(shown) == "", "what is no longer set cannot be selected"


def test_letting_go_of_the_mouse_sets_what_comes_next(qtbot: QtBot, theme: Theme) -> None:
    """While the mouse selects nothing moves under it; afterwards one can scroll on."""
    book = Book()
    shown = Shown(qtbot, theme, book, book.length // 2)
    viewport = shown.browser.viewport()
    place = QPointF(60, 60)

    def send(kind: QEvent.Type, buttons: Qt.MouseButton) -> None:
        event = QMouseEvent(
            kind, place, viewport.mapToGlobal(place), Qt.MouseButton.LeftButton, buttons, Qt.KeyboardModifier.NoModifier
        )
        QApplication.sendEvent(viewport, event)

    send(QEvent.Type.MouseButtonPress, Qt.MouseButton.LeftButton)
    end = shown.view._paragraphs[-1].end
    shown.browser.verticalScrollBar().setValue(shown.browser.verticalScrollBar().maximum())
    assert shown.view._paragraphs[-1].end == end
    send(QEvent.Type.MouseButtonRelease, Qt.MouseButton.NoButton)
    assert shown.view._paragraphs[-1].end > end
