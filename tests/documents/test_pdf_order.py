from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf as typed_in_part
import pytest

from readdesk.documents.pdf.leaves import Line
from readdesk.documents.pdf.order import in_reading_order
from tests.documents.reading import read
from tests.samples.leaves import leaf_of, line, names_in, paragraphs_of, prose

pymupdf: Any = typed_in_part

SEEDS = range(4)


def order_of(lines: list[Line], seed: int) -> str:
    return "\n".join(row.text for row in in_reading_order(leaf_of(lines, seed)))


def names(name: str, count: int) -> list[str]:
    return [f"{name} {number:02d}" for number in range(count)]


@pytest.mark.parametrize("seed", SEEDS)
def test_title_columns_and_footnote(seed: int) -> None:
    """Traps 1 and 2: whatever the order of the file, title, left, right, footnote."""
    lines = [
        line("A title that runs across both of the columns", 60, 60, 18),
        *prose("left", 20, 50, 120),
        *prose("right", 20, 310, 120),
        *prose("foot", 2, 50, 700, 500, 8),
    ]
    expected = ["A title", *names("left", 20), *names("right", 20), *names("foot", 2)]
    assert names_in(order_of(lines, seed), expected) == expected


@pytest.mark.parametrize(("columns", "width"), [(2, 240), (3, 155), (4, 112)])
@pytest.mark.parametrize("seed", SEEDS)
def test_any_number_of_columns(columns: int, width: float, seed: int) -> None:
    """Trap 1: columns are counted, and read one after the other."""
    lines = [
        one for number in range(columns) for one in prose(f"col{number}", 25, 40 + number * (width + 20), 100, width, 8)
    ]
    leaf = leaf_of(lines, seed)
    text = "\n".join(row.text for row in in_reading_order(leaf))
    expected = [name for number in range(columns) for name in names(f"col{number}", 25)]
    assert names_in(text, expected) == expected
    assert leaf.columns == columns


def test_one_column_is_one() -> None:
    leaf = leaf_of(prose("only", 40, 60, 80, 460), seed=3)
    text = "\n".join(row.text for row in in_reading_order(leaf))
    assert names_in(text, names("only", 40)) == names("only", 40)
    assert leaf.columns == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_columns_that_begin_at_different_heights(seed: int) -> None:
    """Trap 2: an abstract across, a figure in one column, a figure across with its caption, columns again."""
    lines = [
        *prose("abstract", 4, 90, 80, 400),
        *prose("a", 12, 50, 150),
        line("Figure 1: A figure at the head of the right column", 310, 250, 9),
        *prose("b", 4, 310, 280),
        line("Figure 2: A figure across both columns, with a long line of words below it to the right", 60, 400, 9),
        *prose("c", 12, 50, 450),
        *prose("d", 12, 310, 450),
    ]
    expected = [
        *names("abstract", 4),
        *names("a", 12),
        "Figure 1",
        *names("b", 4),
        "Figure 2",
        *names("c", 12),
        *names("d", 12),
    ]
    assert names_in(order_of(lines, seed), expected) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_side_notes_never_part_a_sentence(seed: int) -> None:
    """Trap 2: notes in the margin come after the column they stand beside, as notes."""
    note = [
        line("A remark that", 470, 200, 8),
        line("stands in the", 470, 210, 8),
        line("outer margin.", 470, 220, 8),
    ]
    kinds = paragraphs_of([*prose("text", 30, 60, 100, 380), *note], seed=seed)
    assert [kind for kind, _ in kinds] == ["text", "note"]
    assert names_in(kinds[0][1], names("text", 30)) == names("text", 30)
    assert kinds[1][1] == "A remark that stands in the outer margin."


@pytest.mark.parametrize("seed", SEEDS)
def test_text_beside_a_figure_stays_one_paragraph(seed: int) -> None:
    """Short lines beside a picture are no verse and no column; the text steps back under it."""
    lines = [*prose("full", 3, 60, 100, 460)[:3], *prose("thin", 8, 300, 139, 220), *prose("wide", 4, 60, 243, 460)]
    lines = [one if one is lines[-1] else _unfinished(one) for one in lines]
    assert [kind for kind, _ in paragraphs_of(lines, seed=seed)] == ["text"]


def _unfinished(one: Line) -> Line:
    one.text = one.text.rstrip(".")
    return one


@pytest.mark.parametrize("seed", SEEDS)
def test_captions_never_part_a_sentence(seed: int) -> None:
    """Traps 2 and 4: a sentence goes on in the next column past a figure, its labels and its caption."""
    left, right = prose("left", 20, 50, 100), prose("right", 8, 310, 230)
    _unfinished(left[-1])
    right[0].text = right[0].text.lower()
    figure = [
        line("axis", 330, 110, 7),
        line("label", 420, 140, 7),
        line("Figure 3: What the pilot saw", 310, 180, 9),
        line("from the wall.", 310, 192, 9),
    ]
    kinds = paragraphs_of([*left, *right, *figure], seed=seed)
    assert [kind for kind, _ in kinds] == ["text", "text", "text", "caption"]
    assert names_in(kinds[0][1], ["left 19", "right 00", "right 07"]) == ["left 19", "right 00", "right 07"]
    assert kinds[3][1] == "Figure 3: What the pilot saw from the wall."


@pytest.mark.parametrize("seed", SEEDS)
def test_labels_of_a_figure_never_part_a_sentence(seed: int) -> None:
    """Trap 2: a letter in a figure, as large as the text, is neither its next word nor its end."""
    left, right = prose("left", 20, 50, 100), prose("right", 8, 310, 230)
    _unfinished(left[-1])
    right[0].text = right[0].text.lower()
    figure = [
        line("T", 420, 90),
        line("Trunk", 330, 120, 6),
        line("Anchor", 480, 120, 6),
        line("Figure 3: What the pilot saw from the wall.", 310, 180, 10),
    ]
    found = paragraphs_of([*left, *right, *figure], seed=seed)
    assert names_in(found[0][1], ["left 19", "right 00", "right 07"]) == ["left 19", "right 00", "right 07"]
    assert [text for _, text in found[1:]] == ["T", "Trunk Anchor", "Figure 3: What the pilot saw from the wall."]


@pytest.mark.parametrize("is_indented", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_full_last_line_that_ends_a_sentence(seed: int, is_indented: bool) -> None:
    """Trap 2: where paragraphs begin with an indent, one that has none at the head of a column goes on there."""
    left, right = prose("left", 20, 50, 100), prose("right", 8, 310, 100)
    note = line("Copyright of the pilots, who ask for a fee for every copy.", 50, 700, 7)
    left[0].left += 12
    right[0].left += 12 if is_indented else 0
    found = paragraphs_of([*left, note, *right], seed=seed)
    assert [kind for kind, _ in found] == (["text", "note", "text"] if is_indented else ["text", "note"])
    assert ("right 07" in found[0][1]) is not is_indented


@pytest.mark.parametrize("seed", SEEDS)
def test_lists_of_words_and_meanings_in_two_columns(seed: int) -> None:
    """Trap 2: a gutter through the whole leaf parts lists, also where white within them lines up better."""
    lines = [line("A list of symbols", 60, 60, 18)]
    for side, (left, top, step) in {"west": (60, 100, 14), "east": (320, 107, 15)}.items():
        lines.append(line(f"{side} signs", left, top, 12, is_bold=True))
        for number in range(16):
            lines.append(line("Xy"[: 1 + number % 2], left, top + 40 + step * number))
            meaning = f"{side} {number:02d} of the signs" + " and what it means" * (number % 5 == 2)
            lines.append(line(meaning, left + 40, top + 40 + step * number))
    leaf = leaf_of(lines, seed)
    text = "\n".join(row.text for row in in_reading_order(leaf))
    expected = ["A list", "west signs", *names("west", 16), "east signs", *names("east", 16)]
    assert names_in(text, expected) == expected
    assert leaf.columns == 2


def beside_picture(is_left: bool) -> list[Line]:
    """A column with a picture at one side, its name above it and its caption below, each level with a line."""
    left, away = (300, 110) if is_left else (60, 360)
    lines = [*prose("full", 3, 60, 100, 460), *prose("thin", 9, left, 139, 220), *prose("wide", 4, 60, 256, 460)]
    lines += [line("The boat", away, 139, 9), line("No. 1.", away - 10, 243, 9), line("No. 2.", away + 60, 243, 9)]
    return [one if one.text.startswith("wide 03") else _unfinished(one) for one in lines]


@pytest.mark.parametrize("is_left", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_captions_level_with_a_line_beside_a_picture(seed: int, is_left: bool) -> None:
    """Trap 2: they are no part of that line, and come behind the text."""
    found = paragraphs_of(beside_picture(is_left), seed=seed)
    assert [kind for kind, _ in found] == ["text", "caption", "caption"]
    assert [text for _, text in found[1:]] == ["The boat", "No. 1 No. 2"]
    assert names_in(found[0][1], ["full 02", "thin 00", "thin 08", "wide 03"])[-1] == "wide 03"


@pytest.mark.parametrize("seed", SEEDS)
def test_terms_before_what_they_mean_are_no_captions(seed: int) -> None:
    """Terms stand under one another, and each is the beginning of a line."""
    lines = prose("full", 3, 60, 100, 460)
    for number in range(3):
        top = 150 + 65 * number
        lines += [line(f"-{'abc'[number]}", 90, top), *prose(f"thing{number}", 5, 150, top, 370)]
    lines += prose("wide", 3, 60, 350, 460)
    assert "caption" not in {kind for kind, _ in paragraphs_of(lines, seed=seed)}


@pytest.mark.parametrize("is_indented", [True, False])
def test_text_that_steps_aside_at_the_end_of_a_sentence(is_indented: bool) -> None:
    """Beside a picture a paragraph goes on without an indent where the others have one."""
    lines = [*prose("full", 3, 60, 100, 460), *prose("thin", 8, 300, 139, 220), *prose("next", 3, 60, 243, 460)]
    lines[3].left += 12 if is_indented else 0
    lines[11].left += 12
    kinds = [kind for kind, _ in paragraphs_of(lines)]
    assert kinds == ["text"] * (3 if is_indented else 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_two_printed_pages_on_one_leaf(seed: int) -> None:
    """A spread is two columns that end at different heights."""
    lines = [*prose("verso", 40, 30, 60, 250), *prose("recto", 22, 320, 60, 250)]
    expected = [*names("verso", 40), *names("recto", 22)]
    assert names_in(order_of(lines, seed), expected) == expected


def test_an_index_in_two_columns_is_no_table() -> None:
    """Entries that end in numbers are read column by column, each as a paragraph of its own."""
    words = ["anchor", "ballast", "compass", "dinghy", "ebb tide", "fathom", "gale", "harbour", "island", "jetty"]
    left = [line(f"{word} and more, {number + 3}", 60, 100 + 13 * number) for number, word in enumerate(words)]
    right = [line(f"{word}s of old, {number + 40}", 320, 100 + 13 * number) for number, word in enumerate(words)]
    assert paragraphs_of([*left, *right], seed=1) == [("text", one.text) for one in (*left, *right)]


def test_turned_labels_stay_out_of_the_text() -> None:
    """The name of an axis, turned by a quarter, comes behind the column it stands in."""
    turned = line("height in feet", 45, 150, 8)
    turned.is_level = False
    kinds = paragraphs_of([*prose("text", 12, 60, 100, 460), turned])
    assert [text for _, text in kinds][1:] == ["height in feet"]


def test_a_real_paper_in_any_order(shared_data: Path) -> None:
    """Traps 1 and 2 on fourteen leaves: sentences that go on past columns, figures and leaves."""
    reading = read(shared_data / "documents" / "pdf" / "tracemonkey-two-column.pdf")
    text = reading.text
    for sentence in (
        "we evaluate our dynamic compiler based on a set of industry benchmarks",
        "make deployment as easy as distributing a source file. They are used for small scripts as well as for "
        "complex applications",
        "then we compile O(mk) copies of the innermost loop",
    ):
        assert sentence in text
    captions = [text for kind, text in reading.kinds if kind == "caption"]
    assert sum(caption.startswith("Figure ") for caption in captions) == 13
    assert {leaf.columns for leaf in reading.layers.leaves} <= {1, 2}


def test_a_real_scan_with_pictures_beside_the_text(shared_data: Path) -> None:
    """Traps 2 and 67: recognised text has one wide space between a caption and the line beside it."""
    kinds = read(shared_data / "documents" / "pdf" / "scan-with-ocr-layer.pdf").kinds
    captions = [text for kind, text in kinds if kind == "caption"]
    assert captions == ["SibieyTent.", "*3CHENKLE-S TBOJECTILE.", "No. 1. No. •>."]
    text = "\n".join(text for _, text in kinds)
    assert "in every conceivable shape. A friend from the 96th Ohio" in text
    assert "have no use for a man who enlists in a cause" in text


def test_columns_from_right_to_left(tmp_path: Path) -> None:
    """Trap 15: a leaf in Hebrew is read from the column at the right to the one at the left."""
    document = pymupdf.open()
    page = document.new_page()
    sentence = "הנמל היה שקט כאשר הם ירדו לחפש סירה ואיש לא ראה את הנווט מאז הבוקר ולכן הם חיכו מתחת לחומה "
    for name, box in (("שמאל", (50, 80, 280, 700)), ("ימין", (320, 80, 550, 700))):
        page.insert_htmlbox(box, f'<p dir="rtl" style="font-size:11px">{name} {6 * sentence}סוף {name}.</p>')
    path = tmp_path / "hebrew.pdf"
    document.save(path)
    text = read(path).text
    order = ["ימין ", "סוף ימין", "שמאל ", "סוף שמאל"]
    assert names_in(text, order) == order
