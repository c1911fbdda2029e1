"""The library as rows: what each says of its book, how it is drawn, and figures as people say them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QListView, QStyle, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from readdesk.gui import figures
from readdesk.gui.itemmodels.shelfmodel import ShelfDelegate, ShelfModel, ShelfRole
from readdesk.gui.theme import Theme
from readdesk.library.model import DocumentRecord, Progress, ShelfEntry

EMMA = DocumentRecord(1, "Emma", ("Jane Austen",), "en", "epub", "/e.epub", "", 900_000, 160_000, "", (), "")


def entry(document: DocumentRecord = EMMA, pages: int = 0, share: float = 0.0, complete: bool = False) -> ShelfEntry:
    return ShelfEntry(document, "tiny" if pages else "", Progress(pages, pages, share, complete), "")


# -- figures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("say", "value", "said"),
    [
        *((figures.duration, 0.0, "1 s"), (figures.duration, 40.4, "40 s"), (figures.duration, 89.4, "89 s")),
        *((figures.duration, 90.0, "2 min"), (figures.duration, 720.0, "12 min"), (figures.duration, 5369.0, "89 min")),
        *((figures.duration, 5400.0, "1 h 30 min"), (figures.duration, 7500.0, "2 h 05 min")),
        *((figures.percent, 0.0, "0"), (figures.percent, 0.009, "0"), (figures.percent, 0.29, "29")),
        *((figures.percent, 0.57, "57"), (figures.percent, 0.999, "99"), (figures.percent, 0.999_999_999, "99")),
        *((figures.percent, 1.0, "100"), (figures.percent, 1.2, "100")),
        *((figures.size, 491_400_000, "491 MB"), (figures.size, 1_100_000_000, "1.1 GB"), (figures.size, 0, "0 bytes")),
        *((figures.size, 999, "999 bytes"), (figures.size, 5_700, "6 kB"), (figures.size, 960_000, "1 MB")),
        *((figures.pages, 0, "0 pages"), (figures.pages, 1, "1 page"), (figures.pages, 2, "2 pages")),
        *((figures.words, 1, "1 word"), (figures.words, 1234567, "1,234,567 words")),
    ],
)
def test_figures_are_said_as_people_say_them(say: Callable[[float], str], value: float, said: str) -> None:
    assert say(value) == said


def test_every_whole_per_cent_is_said_as_it_is() -> None:
    assert [figures.percent(number / 100) for number in range(101)] == [str(number) for number in range(101)]


@pytest.mark.parametrize(
    ("text", "is_left"),
    [
        ("Emma", True),
        ("", True),
        ("12 …", True),
        ("שלום Emma", False),
        ("12 « مرحبا", False),
        ("¡Hola!", True),
        ("漢", True),
    ],
)
def test_a_line_belongs_to_the_side_of_its_first_letter(text: str, is_left: bool) -> None:
    side = Qt.AlignmentFlag.AlignLeft if is_left else Qt.AlignmentFlag.AlignRight
    assert figures.alignment(text) == side


@pytest.mark.parametrize("text", ["W" * 200, "ש" * 200, "W"])
def test_a_line_stays_in_its_room(qtbot: QtBot, text: str) -> None:
    image = QImage(300, 40, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    figures.draw_line(painter, QRectF(50, 0, 150, 40), text, Qt.AlignmentFlag.AlignVCenter)
    painter.end()
    inked = [x for x in range(300) if any(image.pixelColor(x, y).lightness() < 200 for y in range(40))]
    assert inked and min(inked) >= 49 and max(inked) <= 201
    assert (max(inked) > 150) == (len(text) > 1)


# -- rows ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "note"),
    [
        (entry(), "Jane Austen · 160,000 words"),
        (entry(pages=1, share=0.119), "Jane Austen · 160,000 words · 1 page with gists, 11 %"),
        (entry(pages=60, share=1.0, complete=True), "Jane Austen · 160,000 words · 60 pages with gists"),
        (entry(pages=60, share=1.0), "Jane Austen · 160,000 words · 60 pages with gists, 100 %"),
        (entry(replace(EMMA, authors=(), words=1)), "1 word"),
        (entry(replace(EMMA, authors=("A. B.", "C. D."))), "A. B., C. D. · 160,000 words"),
    ],
)
def test_a_row_says_who_wrote_it_and_how_far_it_is_read(qtbot: QtBot, shown: ShelfEntry, note: str) -> None:
    model = ShelfModel()
    model.show([shown])
    index = model.index(0, 0)
    assert index.data() == "Emma"
    assert index.data(ShelfRole.NOTE) == note
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == f"Emma. {note}"
    assert index.data(ShelfRole.ENTRY) == shown
    assert index.data(ShelfRole.SEARCHED).startswith("Emma ")


def test_qts_own_test_agrees_with_the_rows(qtbot: QtBot) -> None:
    model = ShelfModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    assert tester.model() is model
    model.show([entry(), entry(pages=2, share=0.5)])
    assert model.rowCount() == 2
    model.show([])
    assert model.rowCount() == 0


def painted(theme: Theme, view: QListView, shown: ShelfEntry, chosen: bool = False) -> QImage:
    model = ShelfModel()
    model.show([shown])
    view.setModel(model)
    delegate = ShelfDelegate(theme, view)
    option = QStyleOptionViewItem()
    size = delegate.sizeHint(option, model.index(0, 0))
    option.rect = QRect(0, 0, 500, size.height())
    if chosen:
        option.state |= QStyle.StateFlag.State_Selected
    image = QImage(500, size.height(), QImage.Format.Format_RGB32)
    image.fill(theme.colour("base"))
    painter = QPainter(image)
    delegate.paint(painter, option, model.index(0, 0))
    painter.end()
    return image


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_rows_show_their_format_and_their_progress(qtbot: QtBot, theme: Theme, choice: str) -> None:
    view = QListView()
    qtbot.addWidget(view)
    theme.choose(choice)
    try:
        looks = [
            painted(theme, view, shown)
            for shown in (
                *(entry(replace(EMMA, format=kind)) for kind in ("epub", "pdf", "text")),
                *(entry(pages=3, share=0.5), entry(pages=3, share=1.0, complete=True)),
            )
        ]
        looks.append(painted(theme, view, entry(), chosen=True))
        assert all(one != other for at, one in enumerate(looks) for other in looks[:at])
        middle = looks[3].height() // 2
        bar = [looks[3].pixelColor(x, middle).name() for x in range(380, 500)]
        assert bar.count(theme.colours.accent) == pytest.approx(46, abs=4)
        assert bar.count(theme.colours.border) == pytest.approx(46, abs=4)
        whole = [looks[4].pixelColor(x, middle).name() for x in range(380, 500)]
        assert whole.count(theme.colours.good) == pytest.approx(92, abs=4)
    finally:
        theme.choose("light")
