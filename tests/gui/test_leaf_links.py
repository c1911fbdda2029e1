"""Links on drawn leaves: where they lead is shown, a click follows them, and nothing else opens an address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QListWidget, QPushButton
from pytestqt.qtbot import QtBot

from readdesk.gui.dialogs.linklist import LinkListDialog
from readdesk.gui.outside import offer_address
from readdesk.gui.reader.leaves import LeafView
from readdesk.gui.theme import Theme
from readdesk.gui.widgets.hoverlabel import HoverLabel
from readdesk.gui.widgets.strips import MessageStrip
from readdesk.paths import Paths
from tests.gui.homes import Sitting
from tests.samples import windowed


@pytest.fixture
def sitting(qtbot: QtBot, qapp: QApplication, paths: Paths, tmp_path: Path) -> Iterator[Sitting]:
    """The window with the linked book open and drawn."""
    made = Sitting(qtbot, qapp, paths, windowed.linked(tmp_path / "linked.pdf"))
    made.until(lambda: made.main.book.reader.can_show_leaves)
    made.until(lambda: made.main.book.reader.leaves._pictures.get(0) is not None)
    yield made
    made.quit()


def place(view: LeafView, point: tuple[float, float]) -> QPoint:
    """A point of the first leaf, as it lies in the viewport."""
    return (view._leaf_box(0).topLeft() + QPointF(*point) * view.zoom).toPoint()


def hover(sitting: Sitting, point: tuple[float, float]) -> None:
    view = sitting.main.book.reader.leaves
    QTest.mouseMove(view.viewport(), place(view, point))


def hint(sitting: Sitting) -> HoverLabel:
    return sitting.main.book.reader.pointer.links._hint


def click(sitting: Sitting, point: tuple[float, float]) -> None:
    view = sitting.main.book.reader.leaves
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place(view, point))


def test_where_a_link_leads_is_seen_before_it_is_followed(sitting: Sitting) -> None:
    shape = sitting.main.book.reader.leaves.viewport().cursor
    hover(sitting, windowed.LINK_PLACE)
    sitting.until(lambda: hint(sitting).isVisible())
    assert hint(sitting).text() == windowed.ADDRESS
    assert shape().shape() == Qt.CursorShape.PointingHandCursor
    hover(sitting, windowed.INNER_PLACE)
    assert hint(sitting).text() == "To p. 3 \u00b7 leaf 3 of 6"
    hover(sitting, (300, 500))
    assert not hint(sitting).isVisible() and shape().shape() == Qt.CursorShape.ArrowCursor


def test_a_link_within_the_book_is_a_jump_that_can_be_undone(sitting: Sitting) -> None:
    hover(sitting, windowed.INNER_PLACE)
    sitting.until(lambda: hint(sitting).isVisible())
    click(sitting, windowed.INNER_PLACE)
    reader = sitting.main.book.reader
    leaf, fraction = reader.leaves.place()
    assert leaf == 2 and fraction > 0.3, "it leads to a place below the top of the third leaf"
    assert not hint(sitting).isVisible()
    sitting.main.actions_["back"].trigger()
    assert reader.leaves.place()[0] == 0


def test_an_address_is_opened_only_when_a_person_says_so(sitting: Sitting, monkeypatch: pytest.MonkeyPatch) -> None:
    went: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", went.append)
    hover(sitting, windowed.LINK_PLACE)
    sitting.until(lambda: hint(sitting).isVisible())
    click(sitting, windowed.LINK_PLACE)
    messages = sitting.main.messages
    assert windowed.ADDRESS in messages._words.text() and went == []
    messages._action.click()
    assert [url.toString() for url in went] == [windowed.ADDRESS]


def test_a_drag_over_a_link_is_no_click(sitting: Sitting) -> None:
    hover(sitting, windowed.INNER_PLACE)
    sitting.until(lambda: hint(sitting).isVisible())
    view, held = sitting.main.book.reader.leaves, Qt.KeyboardModifier.NoModifier
    at = place(view, windowed.INNER_PLACE)
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, held, at)
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, held, at + QPoint(20, 0))
    assert view.place()[0] == 0


def test_links_are_listed_for_those_who_use_no_pointer(sitting: Sitting) -> None:
    main = sitting.main
    main.actions_["leaf_links"].trigger()
    sitting.until(lambda: bool(main.findChildren(LinkListDialog)))
    dialog = main.findChildren(LinkListDialog)[0]
    listed = dialog.findChildren(QListWidget)[0]
    words = [listed.item(row).text() for row in range(listed.count())]
    assert words == [windowed.ADDRESS, "To p. 3 \u00b7 leaf 3 of 6"], "as they stand on the leaf"
    QTest.keyClick(listed, Qt.Key.Key_Down)
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert main.book.reader.leaves.place()[0] == 2 and main.book.reader.can_go_back
    sitting.until(lambda: not main.findChildren(LinkListDialog))
    main.actions_["leaf_links"].trigger()
    sitting.until(lambda: bool(main.findChildren(LinkListDialog)))
    (dialog,) = main.findChildren(LinkListDialog)
    assert "There are no links on p. 3" in dialog.findChildren(QLabel)[0].text()
    main.show_library()
    assert not dialog.isVisible() and not main.actions_["leaf_links"].isEnabled()


def test_another_book_has_other_links(sitting: Sitting, tmp_path: Path) -> None:
    hover(sitting, windowed.LINK_PLACE)
    sitting.until(lambda: hint(sitting).isVisible())
    reader = sitting.main.book.reader
    sitting.main.files.add([windowed.unnumbered(tmp_path / "other.pdf", 4)])
    sitting.until(lambda: len(reader.drawn_leaves) == 4)
    hover(sitting, (300, 500))
    hover(sitting, windowed.LINK_PLACE)
    sitting.until(lambda: 0 in reader.pointer.links._links, 20_000)
    assert not hint(sitting).isVisible()


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:alert(1)", "ms-msdt:/id", "letter.exe", ""])
def test_what_is_no_address_of_the_web_is_never_opened(
    qtbot: QtBot, theme: Theme, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: pytest.fail(f"opened {url}"))
    strip = MessageStrip(theme)
    qtbot.addWidget(strip)
    offer_address(strip, address)
    assert "does not open" in strip._words.text()
    assert not any(button.isVisibleTo(strip) for button in strip.findChildren(QPushButton))
