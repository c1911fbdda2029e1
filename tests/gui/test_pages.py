"""Printed pages and leaves: the box that says both, going to either, and setting a number where none is known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from readdesk.gui.dialogs.pagenumber import PageNumberDialog
from readdesk.gui.itemmodels.gisttree import Role
from readdesk.gui.reader.pagenames import PageNames
from readdesk.gui.widgets.pagebox import PageBox
from readdesk.library.model import DocumentRecord
from readdesk.paths import Paths
from tests.gui.homes import Sitting
from tests.samples import windowed

LABELS = ("Cover", "i", "ii", "", "1", "2", "3", "12\u201313", "14")


# -- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "leaf"),
    [
        *(("ii", 2), ("II", 2), ("3", 6), ("p. 3", 6), ("cover", 0), ("13", 7), ("12", 7), ("12-13", 7), ("14", 8)),
        *(("#3", 2), ("#9", 8), ("#10", None), ("#0", None), ("4", 3), ("nine", None), ("", None), ("  ", None)),
    ],
)
def test_a_page_is_found_by_its_label_before_its_number(said: str, leaf: int | None) -> None:
    """Trap 10: "go to page 3" is the page on which 3 is printed; a spread is found by each of its two pages."""
    assert PageNames(LABELS).find(said) == leaf


def test_a_leaf_has_two_names() -> None:
    """Trap 10: the printed label and the leaf of the file are both said."""
    names = PageNames(LABELS)
    assert names.words(7) == "p. 12\u201313 \u00b7 leaf 8 of 9"
    assert names.words(3) == "leaf 4 of 9", "nothing is printed there"
    assert names.names[3] == "4"
    assert PageNames(("", "")).find("2") == 1
    assert PageNames(printed=((0, "5"), (40, "6"))).find("6") == 1
    assert PageNames(printed=((0, "5"),)).find("1") is None, "an EPUB has no leaves"


# -- the box -------------------------------------------------------------------------------------------------------


@pytest.fixture
def box(qtbot: QtBot) -> PageBox:
    made = PageBox()
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    return made


def field(box: PageBox) -> QLineEdit:
    return box.findChildren(QLineEdit)[0]


def test_the_box_tells_what_was_written_and_shows_what_is(box: PageBox, qtbot: QtBot) -> None:
    box.show_page("p.", "127", "\u00b7 leaf 143 of 480")
    assert box.words == "p. 127 \u00b7 leaf 143 of 480"
    assert field(box).accessibleName() == "Page" and field(box).accessibleDescription() == box.words
    box.begin()
    chosen: list[str] = []
    box.chosen.connect(chosen.append)
    QTest.keyClicks(field(box), " iv ")
    box.show_page("p.", "128", "\u00b7 leaf 144 of 480")
    assert field(box).text() == " iv ", "the book scrolls on; what is being written stays"
    with qtbot.waitSignal(box.left):
        QTest.keyClick(field(box), Qt.Key.Key_Return)
    assert chosen == ["iv"]
    assert field(box).text() == "128"


def test_escape_takes_back_what_was_written(box: PageBox, qtbot: QtBot) -> None:
    box.show_page("leaf", "5", "of 6")
    box.begin()
    QTest.keyClicks(field(box), "999")
    with qtbot.assertNotEmitted(box.chosen), qtbot.waitSignal(box.left):
        QTest.keyClick(field(box), Qt.Key.Key_Escape)
    assert field(box).text() == "5"
    QTest.keyClicks(field(box), "7")
    QApplication.sendEvent(field(box), QFocusEvent(QEvent.Type.FocusOut))
    box.show_page("leaf", "6", "of 6")
    assert field(box).text() == "6"


# -- setting a number ----------------------------------------------------------------------------------------------


def dialog_words(dialog: PageNumberDialog) -> str:
    return " ".join(label.text() for label in dialog.findChildren(QLabel))


def test_the_dialog_says_what_will_come_of_a_number(qtbot: QtBot) -> None:
    dialog = PageNumberDialog([""] * 480, 142)
    qtbot.addWidget(dialog)
    chosen: list[str] = []
    dialog.chosen.connect(chosen.append)
    line = dialog.findChildren(QLineEdit)[0]
    line.setText(" p. 127")
    assert "leaf 143 is p. 127, leaf 144 is p. 128, leaf 480 is p. 464" in dialog_words(dialog)
    assert "leaf 1 is without a number" in dialog_words(dialog)
    apply = next(button for button in dialog.findChildren(QDialogButtonBox)[0].buttons() if "Set" in button.text())
    line.setText("the third")
    assert not apply.isEnabled() and "no page number" in dialog_words(dialog)
    assert "no page number" in line.accessibleDescription()
    line.setText("")
    assert apply.isEnabled() and "taken back" in dialog_words(dialog)
    line.setText("127")
    apply.click()
    assert chosen == ["127"] and not dialog.isVisible()


@pytest.fixture
def sitting(qtbot: QtBot, qapp: QApplication, paths: Paths) -> Iterator[Sitting]:
    made = Sitting(qtbot, qapp, paths)
    yield made
    made.quit()


def opened(sitting: Sitting, path: Path) -> DocumentRecord:
    """Add a PDF, open it, and wait until its leaves can be drawn."""
    sitting.main.files.add([path])
    sitting.until(lambda: sitting.main.book.record is not None and sitting.main.book.record.path == str(path.resolve()))
    sitting.until(lambda: sitting.main.book.reader.can_show_leaves)
    record = sitting.main.book.record
    assert record is not None
    return record


def test_a_number_that_is_set_holds_everywhere_at_once(sitting: Sitting, tmp_path: Path) -> None:
    """Trap 69: where neither the file nor its leaves say a number, the reader says it once."""
    record = opened(sitting, windowed.unnumbered(tmp_path / "book.pdf", 6))
    main, book = sitting.main, sitting.main.book
    assert main.tools.page.words == "leaf 1 of 6"
    book.reader.show_leaf(2)
    sitting.until(lambda: main.tools.page.words == "leaf 3 of 6")
    main.actions_["page_number"].trigger()
    dialog = main.findChildren(PageNumberDialog)[0]
    dialog.findChildren(QLineEdit)[0].setText("127")
    dialog._on_accepted()
    assert main.tools.page.words == "p. 127 \u00b7 leaf 3 of 6"
    assert book.reader.leaves.accessibleDescription() == "Leaf 3 of 6, printed label 127"
    assert book.contents._tree.index(0, 0).data(Role.PRINTED) == "125"
    assert [leaf.label for leaf in sitting.window.desk.leaves(record)] == ["125", "126", "127", "128", "129", "130"]
    main.tools.page.chosen.emit("129")
    assert book.reader.leaf == 4
    main.actions_["back"].trigger()
    assert book.reader.leaf == 2
    main.actions_["page_number"].trigger()
    again = main.findChildren(PageNumberDialog)[0]
    assert again.findChildren(QLineEdit)[0].text() == "127"
    again.findChildren(QLineEdit)[0].setText("")
    again._on_accepted()
    assert main.tools.page.words == "leaf 3 of 6"


def test_the_box_leads_to_labels_of_the_file_and_says_what_is_not_there(sitting: Sitting, shared_data: Path) -> None:
    opened(sitting, shared_data / "documents/pdf/derived-owner-only-no-copy-fhs.pdf")
    main = sitting.main
    main.tools.page.chosen.emit("ii")
    sitting.until(lambda: main.tools.page.words.startswith("p. ii \u00b7 leaf "))
    main.tools.page.chosen.emit("4711")
    assert "No page is called \u201c4711\u201d" in main.messages._words.text()
    main.show_library()
    assert main.tools.page.words == ""
