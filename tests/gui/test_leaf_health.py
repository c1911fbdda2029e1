"""What came out of a PDF's leaves: listed in the report, and leaf by leaf beside what a model reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from readdesk.documents.model import Attachment, LeafHealth
from readdesk.gui.dialogs.health import HealthDialog
from readdesk.gui.dialogs.leaflist import LeafList
from readdesk.gui.dialogs.modelview import ModelViewDialog
from readdesk.gui.theme import Theme
from readdesk.paths import Paths
from tests.gui.homes import Sitting
from tests.gui.test_health_dialog import REPORT
from tests.samples import windowed

SECONDS = 60_000
LEAVES = (
    LeafHealth(0, "i", "text", 300),
    LeafHealth(1, "ii", "text", 250, columns=2),
    LeafHealth(2, "", "scan"),
    LeafHealth(3, "", "ocr", 200, quality=0.8),
    LeafHealth(4, "1", "ocr", 210, quality=0.9),
    LeafHealth(5, "2", "empty"),
)
SEVERAL = replace(REPORT, leaves=LEAVES, attachments=(Attachment("data <1>.csv", 5700, "Figures"), Attachment("a.txt")))


@pytest.fixture
def report(qtbot: QtBot, theme: Theme) -> HealthDialog:
    dialog = HealthDialog(SEVERAL, theme)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    return dialog


def heads(dialog: HealthDialog) -> list[QTreeWidgetItem]:
    return dialog.findChildren(LeafList)[0]._heads


def test_leaves_are_a_quiet_list_by_kind(report: HealthDialog) -> None:
    """Trap 67: recognised text is told apart, with how good it probably is."""
    assert [item.text(0) for item in heads(report)] == [
        "Text: 2 leaves",
        "Recognised text: 2 leaves, about 85 % of it probably right",
        "Pictures of pages, without text: 1 leaf",
        "Empty: 1 leaf",
    ]
    assert all(not item.isExpanded() and not item.childCount() for item in heads(report))
    assert "Recognised text: 2 leaves" in report.words and "data <1>.csv" in report.words
    assert "6 kB, Figures" in report.words


def test_a_leaf_of_the_list_is_shown_in_the_book(report: HealthDialog, qtbot: QtBot) -> None:
    leaves, shown = report.findChildren(LeafList)[0], list[int]()
    report.leaf_shown.connect(shown.append)
    text = heads(report)[0]
    leaves.setCurrentItem(text)
    QTest.keyClick(leaves, Qt.Key.Key_Right)
    assert [leaf.text(0) for leaf in (text.child(0), text.child(1)) if leaf is not None] == [
        "p. i \u00b7 leaf 1 of 6 \u2013 300 words",
        "p. ii \u00b7 leaf 2 of 6 \u2013 250 words, 2 columns",
    ]
    leaves.itemClicked.emit(text.child(1), 0)
    assert shown == [1] and report.isVisible()
    leaves.itemActivated.emit(text.child(0), 0)
    assert shown == [1, 0] and not report.isVisible(), "Enter goes there"


def test_a_book_without_leaves_has_no_such_list(qtbot: QtBot, theme: Theme) -> None:
    dialog = HealthDialog(REPORT, theme)
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.findChildren(LeafList)[0].isVisible()
    assert "leaves" not in dialog.words.casefold()


# -- what a model reads --------------------------------------------------------------------------------------------


@pytest.fixture
def sitting(qtbot: QtBot, qapp: QApplication, paths: Paths, tmp_path: Path) -> Iterator[Sitting]:
    """The window with the mixed book open."""
    made = Sitting(qtbot, qapp, paths, windowed.mixed(tmp_path / "mixed.pdf"))
    made.until(lambda: made.main.book.reader.can_show_leaves, SECONDS)
    yield made
    made.quit()


def test_what_a_model_reads_stands_beside_the_leaf(sitting: Sitting) -> None:
    main, desk = sitting.main, sitting.window.desk
    record = main.book.record
    assert record is not None
    main.actions_["model_view"].trigger()
    dialog = main.findChildren(ModelViewDialog)[0]
    sitting.until(lambda: dialog._sheet._pictures.get(0) is not None, SECONDS)
    for _, text in desk.leaf_paragraphs(record, 0):
        assert text in dialog.words.replace("\n", " ")
    furniture = desk.leaves(record)[0].furniture
    assert furniture, "the head and the number of every leaf are places"
    read, taken = dialog.words.split("Taken out of the text")
    assert all(part.text in taken and part.text not in read for part in furniture)
    assert dialog._sheet._marks[0], "what was taken out is marked on the leaf"
    QTest.keyClick(dialog, Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
    assert dialog.leaf == 1
    assert any("leaf 2 of 12" in label.text() for label in dialog.findChildren(QLabel))
    sitting.until(lambda: dialog._sheet._pictures.get(0) is not None, SECONDS)
    copy = next(button for button in dialog.findChildren(QPushButton) if "Copy" in button.text())
    copy.click()
    assert QGuiApplication.clipboard().text() == dialog.words
    dialog.close()


def test_of_a_picture_a_model_reads_nothing(sitting: Sitting) -> None:
    """Trap 7: what no model reads is said."""
    main = sitting.main
    main.book.reader.show_leaf(9)
    main.actions_["model_view"].trigger()
    dialog = main.findChildren(ModelViewDialog)[0]
    assert dialog.leaf == 9
    assert "Nothing: this leaf is a picture" in dialog.words
    dialog._step(1)
    dialog._step(1)
    assert "Nothing: this leaf is empty" in dialog.words
    assert not dialog._after.isEnabled()
    main.show_library()
    assert not dialog.isVisible(), "it goes with its book"


def test_the_report_in_the_window_knows_the_leaves(sitting: Sitting) -> None:
    main = sitting.main
    main.actions_["details"].trigger()
    dialog = main.findChildren(HealthDialog)[0]
    assert [item.text(0) for item in heads(dialog)] == [
        "Text: 9 leaves",
        "Pictures of pages, without text: 2 leaves",
        "Empty: 1 leaf",
    ]
    assert "figures.csv" in dialog.words
    dialog.findChildren(LeafList)[0].shown.emit(8)
    assert main.book.reader.leaf == 8 and main.book.reader.can_go_back
    dialog.close()
