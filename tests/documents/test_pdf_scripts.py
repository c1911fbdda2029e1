"""Text that runs from right to left or from top to bottom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pymupdf as typed_in_part
import pytest

from readdesk.cancel import CancelToken
from readdesk.documents.model import LeafSpot
from readdesk.documents.pdf.extract import leaf_of
from readdesk.documents.pdf.readable import LEAF_FLAGS, own_glyphs, own_lines
from readdesk.documents.render import RenderService
from tests.documents.reading import read
from tests.samples import scripts
from tests.samples.scripts import Run

pymupdf: Any = typed_in_part

SENTENCES: list[list[Run]] = [
    [("שלום עולם", True)],
    [("הספר יצא ב-", True), ("45", False), (" עותקים.", True)],
    [("בתאריך ", True), ("12/3/2024", False), (" (יום שלישי), אמר: ", True), ("hello world", False), ("!", True)],
    [("מחיר: ", True), ("45%", False), (", או ", True), ("$3.50", False), (".", True)],
    [("גרסה ", True), ("Windows 10", False), (" [חדשה] של ", True), ("ReadDesk 2.0", False), (" כאן", True)],
    [("בשנים ", True), ("1990", False), (" ", True), ("2000", False), (" ו-", True), ("2010", False)],
    [("מילה ", True), ("123", False), (" (", True), ("abc", False), (") סוף", True)],
    [("ראו ", True), ("ReadDesk", False), (" [", True), ("12", False), ("] כאן", True)],
    [("שָׁלוֹם לָכֶם", True)],
    [("مرحبا بالعالم ", True), ("45", False), (" مرة.", True)],
]


def texts(path: Path) -> list[str]:
    return [text for text, _, _ in own_lines(pymupdf.open(path)[0])]


def written(path: Path, lines: Sequence[Sequence[Run]], write: Callable[..., str], **how: Any) -> Path:
    operators = "".join(write(runs, 380, 40 + 25 * number, **how) for number, runs in enumerate(lines))
    return scripts.pdf(path, [operators])


@pytest.mark.parametrize(
    ("write", "how"),
    [
        (scripts.as_it_looks, {}),
        (scripts.as_it_is_read, {}),
        (scripts.as_it_is_read, {"turns_brackets": True}),
    ],
)
def test_lines_from_right_to_left_are_in_logical_order(
    tmp_path: Path, write: Callable[..., str], how: dict[str, bool]
) -> None:
    """Trap 15: whether the file holds what is seen or what is read, and whichever brackets it names."""
    path = written(tmp_path / "right.pdf", SENTENCES, write, **how)
    assert texts(path) == ["".join(text for text, _ in runs) for runs in SENTENCES]


@pytest.mark.parametrize("write", [scripts.as_it_looks, scripts.as_it_is_read])
def test_joined_letters_become_plain_ones(tmp_path: Path, write: Callable[..., str]) -> None:
    """Trap 15: also two letters that are drawn as one."""
    path = written(tmp_path / "joined.pdf", [[("ﻣﺮﺣﺒﺎ ﺍﻟﺴﻼﻡ", True)]], write)
    assert texts(path) == ["مرحبا السلام"]


@pytest.mark.parametrize("write", [scripts.as_it_looks, scripts.as_it_is_read])
def test_each_character_keeps_its_place(tmp_path: Path, write: Callable[..., str]) -> None:
    """Trap 15: letters descend from the right edge, those of numbers and Latin words ascend."""
    path = written(tmp_path / "places.pdf", [SENTENCES[2]], write)
    line = own_glyphs(pymupdf.open(path)[0])[0]
    lefts = {at: round(box[0]) for at, (_, box) in enumerate(line)}
    assert "".join(character for character, _ in line) == "".join(text for text, _ in SENTENCES[2])
    assert [lefts[at] for at in (0, 1, 5)] == [375, 370, 350]
    assert [lefts[at] for at in (7, 8, 15)] == [300, 305, 340]
    assert lefts[line.index(next(glyph for glyph in line if glyph[0] == "h"))] == 150


@pytest.mark.parametrize("write", [scripts.as_it_looks, scripts.as_it_is_read])
def test_words_from_right_to_left_are_located(tmp_path: Path, write: Callable[..., str]) -> None:
    """Trap 15: a quote lies where it is drawn."""
    path = written(tmp_path / "quote.pdf", SENTENCES[:2], write)
    text = "\n".join(texts(path))
    start = text.index("עולם")
    spots = (LeafSpot(0, start, start + 4, ()), LeafSpot(0, text.index("45"), text.index("45") + 2, ()))
    service = RenderService()
    found = service.locate(str(path), None, spots, cancel=CancelToken())
    service.close()
    boxes = [spot.rectangles[0] for spot in found]
    assert [(box[0], box[2]) for box in boxes] == [(335.0, 355.0), (315.0, 325.0)]


def test_a_paragraph_from_right_to_left_is_read_as_one(tmp_path: Path) -> None:
    """Trap 15: lines that begin at the right edge, the first one indented, are a paragraph, and two columns two."""
    first = [("הספר הזה נכתב לפני שנים רבות מאוד ויצא לאור", True)]
    lines = [first, [("בעיר קטנה על שפת הים, ואיש לא קרא אותו עד", True)], [("היום הזה.", True)]]
    operators = "".join(
        scripts.as_it_is_read(runs, 370 if number % 3 == 0 else 380, 40 + 13 * number)
        for number, runs in enumerate(lines * 2)
    )
    reading = read(scripts.pdf(tmp_path / "paragraph.pdf", [operators]))
    whole = " ".join(text for ((text, _),) in lines)
    assert [paragraph.text for paragraph in reading.document.paragraphs] == [whole, whole]


def test_text_set_by_a_browser_engine(tmp_path: Path) -> None:
    """Trap 15: joined letters and three fonts in a line, as MuPDF's own typesetting writes them."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_htmlbox(
        (50, 50, 550, 300),
        "<p dir=rtl>שלום עולם 123 hello world בעולם (טוב) 12/3/2024.</p>"
        "<p dir=rtl>עברית <b>מודגש</b> ונקודה, PDF 45%.</p><p>Latin then עולם טוב and on</p>",
    )
    document.save(tmp_path / "set.pdf")
    assert texts(tmp_path / "set.pdf") == [
        "שלום עולם 123 hello world בעולם (טוב) 12/3/2024.",
        "עברית מודגש ונקודה, PDF 45%.",
        "Latin then עולם טוב and on",
    ]


def test_what_the_file_spells_out_stays_as_it_is(shared_data: Path) -> None:
    """A font without a Unicode map on an otherwise good line goes, whole words told by the file stay (trap 6)."""
    document = pymupdf.open(shared_data / "documents" / "pdf" / "rotated-arabic.pdf")
    for index in range(4):
        assert [line.text.strip() for line in leaf_of(document, index).lines] == ["حَبيبي habibi", "حَبيبي"]


COLUMNS = [
    "　吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつか",
    "ぬ。何でも薄暗いじめじめした所でニャーニャー泣いていた事だけは",
    "記憶している。",
    "　しかもあとで聞くとそれは書生という人間中で一番獰悪な種族であっ",
]


def test_vertical_columns_become_running_text(tmp_path: Path) -> None:
    """Characters one beneath the other, columns from the right, a paragraph over two leaves."""
    leaves = [
        "".join(scripts.written(text, 370 - 20 * number, 50, 12) for number, text in enumerate(COLUMNS)),
        scripts.written("たそうだ。", 370, 50, 12),
    ]
    path = scripts.pdf(tmp_path / "vertical.pdf", leaves, is_vertical=True)
    reading = read(path)
    assert [paragraph.text for paragraph in reading.document.paragraphs] == [
        "".join(COLUMNS[:3]).strip(),
        COLUMNS[3].strip() + "たそうだ。",
    ]
    leaf = leaf_of(pymupdf.open(path), 0)
    assert (leaf.turn, leaf.width, leaf.height, len(leaf.lines)) == (90, 500, 400, 4)
    assert all(line.is_vertical and line.is_level for line in leaf.lines)
    left, top, right, bottom = leaf.lines[1].rectangle
    assert (left, right) == (344, 356) and bottom - top == pytest.approx(12 * len(COLUMNS[1]), abs=1)


def test_a_real_vertical_leaf(shared_data: Path) -> None:
    """Two columns, and two leaves with nothing but a frame, which are empty and not unreadable."""
    path = shared_data / "documents" / "pdf" / "cjk-vertical-not-embedded.pdf"
    document = pymupdf.open(path)
    leaves = [leaf_of(document, index) for index in range(3)]
    assert [line.text for line in leaves[0].lines] == ["あいうえお", "日本語"]
    assert [leaf.kind for leaf in leaves] == ["text", "empty", "empty"]
    assert read(path).health.unreadable_leaves == ()


def test_vertical_text_on_a_turned_leaf(tmp_path: Path) -> None:
    """Trap 9 with characters one beneath the other."""
    columns = "".join(scripts.written(text, 370 - 20 * number, 50, 12) for number, text in enumerate(COLUMNS[1:3]))
    path = scripts.pdf(tmp_path / "turned.pdf", [columns], "/Rotate 90", is_vertical=True)
    leaf = leaf_of(pymupdf.open(path), 0)
    assert leaf.turn == 180 and leaf.lines[0].rectangle[1::2] == (364, 376)
    assert read(path).text == "".join(COLUMNS[1:3])


def test_columns_from_right_to_left(tmp_path: Path) -> None:
    """Traps 1 and 15: the right one is read first."""
    right = [
        "שנים רבות מאוד עברו מאז יצא הספר",
        "לאור בעיר קטנה ואיש לא קרא בו אף",
        "מילה עד שבא אדם אחד מן הצפון ופתח",
    ] * 4
    left = [
        "אותו בלילה אחד של חורף והתחיל לק",
        "רוא עד אור הבוקר כי לא יכול היה",
        "להפסיק והשמש כבר עלתה מעל הגגות",
    ] * 4
    operators = "".join(
        scripts.as_it_is_read([(words, True)], edge, 60 + 14 * number)
        for number, pair in enumerate(zip(left, right, strict=True))
        for words, edge in zip(pair, (190, 385), strict=True)
    )
    reading = read(scripts.pdf(tmp_path / "columns.pdf", [operators]))
    assert reading.layers.leaves[0].columns == 2
    assert " ".join(paragraph.text for paragraph in reading.document.paragraphs) == " ".join([*right, *left])


def test_an_endless_line_stays_as_it_is(tmp_path: Path) -> None:
    """What a hostile file makes of a line costs no more than any other."""
    path = scripts.pdf(tmp_path / "endless.pdf", [scripts.written("א 1 2 " * 2_000, 10, 50, 0.05)])
    (line,) = pymupdf.open(path)[0].get_text("dict", flags=LEAF_FLAGS)["blocks"][0]["lines"]
    assert texts(path) == ["".join(span["text"] for span in line["spans"])]


def test_lines_of_nothing_but_space_do_no_harm(tmp_path: Path) -> None:
    """A column of spaces between two with letters."""
    columns = [COLUMNS[1], "\u3000\u3000", COLUMNS[2]]
    operators = "".join(scripts.written(text, 370 - 20 * number, 50, 12) for number, text in enumerate(columns))
    vertical = leaf_of(pymupdf.open(scripts.pdf(tmp_path / "space.pdf", [operators], is_vertical=True)), 0)
    assert (vertical.kind, [line.text for line in vertical.lines]) == ("text", [COLUMNS[1], COLUMNS[2]])


def test_cells_written_from_the_right_tell_nothing_of_lines(tmp_path: Path) -> None:
    """Trap 15: a table whose right cell comes first, in a file that holds what is seen otherwise."""
    cells = scripts.written("יחמ", 365, 40) + scripts.written("12.50", 335, 40)
    operators = cells + "".join(scripts.as_it_looks(runs, 380, 80 + 20 * at) for at, runs in enumerate(SENTENCES[1:6]))
    path = scripts.pdf(tmp_path / "cells.pdf", [operators])
    assert texts(path) == ["מחי 12.50", *("".join(text for text, _ in runs) for runs in SENTENCES[1:6])]
