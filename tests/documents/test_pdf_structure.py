"""Where the sections of a PDF start, and what stands before and behind them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf as typed_in_part
import pytest

from readdesk.documents.pdf.facts import authors_of
from readdesk.documents.pdf.outline import Place, nested
from tests.documents.reading import Reading, read
from tests.samples import make
from tests.samples.outlines import Sheets, chapters

pymupdf: Any = typed_in_part


def titles(reading: Reading) -> list[tuple[str, int]]:
    """The sections with their levels."""
    return [(section.title, section.level) for section in reading.document.sections]


def matters(reading: Reading) -> dict[str, str]:
    """What each section is that is not the text itself."""
    found = zip(reading.document.sections, reading.health.sectioned, strict=True)
    return {section.title: health.matter for section, health in found if health.matter}


def first_of(reading: Reading, title: str) -> str:
    """The first paragraph of a section."""
    return dict(reading.by_section())[title][0]


# -- outlines ----------------------------------------------------------------------------------------------------


def test_a_title_found_as_a_heading_wins_over_a_wrong_height(tmp_path: Path) -> None:
    sheets = chapters(4, middle=True)
    outline = [[1, f"Storms of the year {number}", number, top] for number, top in ((1, 20.0), (2, 780.0), (3, 95.0))]
    reading = read(sheets.save(tmp_path / "heights.pdf", outline))
    for number in (1, 2, 3):
        assert first_of(reading, f"Storms of the year {number}") == f"{number} Storms of the year {number}"
    assert reading.health.structure == "contents"


def test_an_entry_one_leaf_too_early_starts_at_its_heading(tmp_path: Path) -> None:
    sheets = chapters(4, leaves=2)
    outline = [[1, f"Storms of the year {number}", max(1, 2 * number - 2)] for number in range(1, 5)]
    reading = read(sheets.save(tmp_path / "early.pdf", outline))
    for number in range(1, 5):
        assert first_of(reading, f"Storms of the year {number}") == f"{number} Storms of the year {number}"


def test_a_height_is_believed_where_no_heading_has_the_title(tmp_path: Path) -> None:
    sheets = Sheets()
    sheets.leaf()
    sheets.text(["The end of the first tale is told in this line."])
    sheets.top = 400
    sheets.text(["The second tale begins with these words and has no heading."])
    path = sheets.save(tmp_path / "plain.pdf", [[1, "One", 1, 60.0], [1, "Two", 1, 380.0]])
    assert first_of(read(path), "Two").startswith("The second tale")


def test_entries_without_a_place_are_looked_for_between_their_neighbours(tmp_path: Path) -> None:
    sheets = chapters(4, names=["Storms", "Calm", "Storms", "Home"])
    outline = [[1, "Storms", 1], [1, "Calm", -1], [1, "Storms", -1], [1, "Nowhere", -1], [1, "Home", 4]]
    reading = read(sheets.save(tmp_path / "lost.pdf", outline))
    assert [title for title, _ in titles(reading)] == ["Storms", "Calm", "Storms", "Home"]
    assert [section.label for section in reading.document.sections] == ["1", "2", "3", "4"]
    assert "1 entry of the outline points to a place that is not in the file." in reading.health.notes


def test_entries_of_the_same_title_each_start_at_their_own_heading(tmp_path: Path) -> None:
    sheets = chapters(6, names=["Spring", "Storms", "Summer", "Storms", "Autumn", "Storms"])
    outline = [
        [level, title, leaf]
        for leaf, (level, title) in enumerate(
            [(1, "Spring"), (2, "Storms"), (1, "Summer"), (2, "Storms"), (1, "Autumn"), (2, "Storms")], start=1
        )
    ]
    reading = read(sheets.save(tmp_path / "same.pdf", outline))
    assert titles(reading) == [(entry[1], entry[0]) for entry in outline]
    assert [section.label for section in reading.document.sections] == list("123456")


def test_all_entries_on_the_first_leaf_are_found_by_their_titles(tmp_path: Path) -> None:
    sheets = chapters(5)
    outline = [[1, f"{number} Storms of the year {number}", 1] for number in range(1, 6)]
    reading = read(sheets.save(tmp_path / "one-leaf.pdf", outline))
    assert [section.label for section in reading.document.sections] == list("12345")
    assert reading.health.structure == "contents"


def test_an_outline_that_is_some_leaves_off_is_moved(tmp_path: Path) -> None:
    sheets = chapters(6, leaves=3)
    outline = [[1, f"{number} Storms of the year {number}", 3 * number - 2 + 5] for number in range(1, 5)]
    reading = read(sheets.save(tmp_path / "shifted.pdf", outline))
    assert [section.label for section in reading.document.sections] == ["1", "4", "7", "10"]


@pytest.mark.parametrize(
    "names",
    [["Page 1", "Page 2", "Page 3"], ["scan-001.pdf", "chap02.indd", "end.pdf"], ["Figure 1: A boat", "Table 2", "3"]],
)
def test_an_outline_of_pages_files_or_figures_gives_way_to_headings(tmp_path: Path, names: list[str]) -> None:
    outline = [[1, name, number] for number, name in enumerate(names, start=1)]
    reading = read(chapters(4).save(tmp_path / "useless.pdf", outline))
    assert [title for title, _ in titles(reading)] == [
        f"{number} Storms of the year {number}" for number in range(1, 5)
    ]
    assert reading.health.structure == "headings"
    assert "tells nothing of its chapters; sections were made from its headings" in reading.health.notes[0]


def test_a_single_entry_of_a_long_document_gives_way_to_headings(tmp_path: Path) -> None:
    reading = read(chapters(6, leaves=2).save(tmp_path / "single.pdf", [[1, "The whole book", 1]]))
    assert len(reading.document.sections) == 6 and reading.health.structure == "headings"


def test_levels_that_skip_are_nested() -> None:
    levels = (2, 4, 4, 3, 1, 5)
    assert [place.level for place in nested([Place("x", level, 0) for level in levels])] == [1, 2, 2, 2, 1, 2]


@pytest.mark.parametrize("key", ["Next", "First"])
def test_an_outline_that_runs_in_a_circle_is_left(tmp_path: Path, key: str) -> None:
    path = chapters(3).save(tmp_path / "sound.pdf", [[1, "A", 1], [1, "B", 2], [2, "C", 3]])
    document = pymupdf.open(path)
    entries = document.get_outline_xrefs()
    document.xref_set_key(entries[-1 if key == "First" else 1], key, f"{entries[0]} 0 R")
    document.save(tmp_path / "circle.pdf")
    reading = read(tmp_path / "circle.pdf")
    assert [title for title, _ in titles(reading)][:1] == ["1 Storms of the year 1"]


def test_an_outline_of_ten_thousand_entries_is_read(tmp_path: Path) -> None:
    """All of them on leaves with many paragraphs, and half of them with one title that is printed often."""
    sheets = Sheets()
    for _ in range(3):
        sheets.leaf(40)
        for _ in range(14):
            sheets.heading("Storms", 12)
            sheets.text(["A line."])
    outline = [[1, "Storms" if number % 2 else f"Entry {number}", number % 3 + 1] for number in range(10_000)]
    reading = read(sheets.save(tmp_path / "many.pdf", outline))
    assert len(reading.document.sections) >= 30


def test_a_second_list_of_the_same_places_is_dropped(shared_data: Path) -> None:
    """The real outline names nine places three times over, under titles that are not in the text."""
    reading = read(shared_data / "documents/pdf/outline-wrong-titles.pdf")
    assert [title for title, _ in titles(reading)] == [
        *("Contents", "First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth")
    ]
    assert titles(reading)[5] == ("Fifth", 3)
    assert "The titles of the outline are not those of the headings in the text." in reading.health.notes


def test_real_outlines_start_at_their_headings(shared_data: Path) -> None:
    """In every section of the manual that has a heading, it is the first paragraph."""
    reading = read(shared_data / "documents/pdf/outline-latex.pdf")
    found = [(title, texts[0].split()[-1]) for title, texts in reading.by_section() if title != "Contents"]
    assert len(found) == 9 and all(title == first for title, first in found)
    reading = read(shared_data / "documents/pdf/outline-invalid-destinations.pdf")
    assert reading.health.structure == "headings" and len(reading.document.sections) == 10


# -- headings ----------------------------------------------------------------------------------------------------


def test_numbers_say_how_deep_headings_stand(tmp_path: Path) -> None:
    sheets = Sheets()
    for chapter in (1, 2):
        sheets.leaf()
        sheets.heading(f"{chapter} A chapter")
        sheets.text()
        for part in (1, 2):
            sheets.heading(f"{chapter}.{part} A part", 12)
            sheets.text()
            sheets.heading(f"{chapter}.{part}.1 Smaller still", 11)
            sheets.text()
    sheets.leaf()
    sheets.heading("References")
    sheets.text(["[1] A. Author, A paper on boats, 1999, and [2] B. Author, another one."])
    reading = read(sheets.save(tmp_path / "numbers.pdf"))
    assert titles(reading)[:6] == [
        ("1 A chapter", 1),
        *[("1.1 A part", 2), ("1.1.1 Smaller still", 3), ("1.2 A part", 2), ("1.2.1 Smaller still", 3)],
        ("2 A chapter", 1),
    ]
    assert titles(reading)[-1] == ("References", 1) and matters(reading) == {"References": "bibliography"}
    levels = {found.text: found.level for found in reading.document.paragraphs if found.kind == "heading"}
    assert levels["1.2.1 Smaller still"] == 3 and levels["References"] == 1


def test_chapters_set_like_the_text_are_found_by_their_numbers(tmp_path: Path) -> None:
    sheets = Sheets()
    for number in ("I", "II", "III", "IV"):
        sheets.leaf()
        sheets.heading(f"CHAPTER {number}", 11, is_bold=False, left=250)
        for _ in range(4):
            sheets.text()
    reading = read(sheets.save(tmp_path / "typed.pdf"))
    assert [title for title, _ in titles(reading)] == [f"CHAPTER {number}" for number in ("I", "II", "III", "IV")]
    assert reading.document.paragraphs[0].kind == "heading"


def test_a_number_above_its_title_is_one_heading(tmp_path: Path) -> None:
    sheets = Sheets()
    for number, title in enumerate(("Storms", "Calm", "Home"), start=1):
        sheets.leaf()
        sheets.heading(f"Chapter {number}", 14)
        sheets.heading(title, 20)
        sheets.text()
        sheets.text()
    plain = read(sheets.save(tmp_path / "numbers.pdf"))
    assert titles(plain) == [("Chapter 1: Storms", 1), ("Chapter 2: Calm", 1), ("Chapter 3: Home", 1)]
    outline = [[1, title, leaf] for leaf, title in enumerate(("Storms", "Calm", "Home"), start=1)]
    told = read(sheets.save(tmp_path / "outline.pdf", outline))
    assert dict(told.by_section())["Calm"][:2] == ["Chapter 2", "Calm"]


def test_labels_of_boxes_and_heads_of_tables_are_no_headings(tmp_path: Path) -> None:
    sheets = chapters(4)
    sheets.leaf()
    for number in range(5):
        sheets.heading("Tip", 13)
        sheets.text([f"A useful remark, the {number}th of them, stands in this box."])
    sheets.heading("Name", 11)
    sheets.top -= 2.6 * 11
    sheets.heading("Length", 11, left=300)
    reading = read(sheets.save(tmp_path / "labels.pdf"))
    assert len(reading.document.sections) == 4


def test_authors_of_a_paper_are_no_headings(shared_data: Path) -> None:
    reading = read(shared_data / "documents/pdf/tracemonkey-two-column.pdf")
    assert [title for title, level in titles(reading) if level == 1][:4] == [
        "Trace-based Just-in-Time Type Specialization for Dynamic Languages",
        *("Abstract", "1. Introduction", "2. Overview: Example Tracing Run"),
    ]
    assert ("3.1 Traces", 2) in titles(reading)
    authors = next(found for found in reading.document.paragraphs if "Jesse Ruderman" in found.text)
    assert authors.kind == "text"
    assert matters(reading) == {"References": "bibliography"}


def test_a_real_standard_without_outline(shared_data: Path) -> None:
    reading = read(shared_data / "documents/pdf/derived-owner-only-no-copy-fhs.pdf")
    assert reading.health.structure == "headings"
    found = [title for title, level in titles(reading) if level == 1 and title.startswith("Chapter")]
    assert [title.split(".")[0] for title in found] == [f"Chapter {number}" for number in range(1, 8)]
    assert ("3.13. /opt : Add-on application software packages", 2) in titles(reading)
    assert {"Table of Contents": "contents", "Copyright": "imprint"}.items() <= matters(reading).items()


@pytest.mark.parametrize("name", ["debian-policy", "debmake-doc-zh-cn"])
def test_headings_of_real_books_are_those_of_their_outlines(shared_data: Path, tmp_path: Path, name: str) -> None:
    """The outline is taken away, and the sections are made from what is printed."""
    document = pymupdf.open(shared_data / f"documents/pdf/{name}.pdf")
    told = [(bare(title), level) for level, title, _ in document.get_toc()]
    document.set_toc([])
    document.save(tmp_path / "without.pdf")
    reading = read(tmp_path / "without.pdf")
    assert reading.health.structure == "headings"
    found = [(bare(title), level) for title, level in titles(reading)]
    same = sum(1 for title, level in told if any(one.endswith(title) and level == at for one, at in found))
    named = sum(1 for title, _ in told if any(one.endswith(title) for one, _ in found))
    assert named >= 0.97 * len(told) and same >= 0.9 * len(told) and len(found) < 1.1 * len(told)


def test_a_table_has_no_headings(shared_data: Path) -> None:
    reading = read(shared_data / "documents/pdf/tables-warn-report.pdf")
    assert len(reading.document.sections) == 1 and reading.health.structure == ""


# -- parts, front and back ---------------------------------------------------------------------------------------


def test_parts_are_of_about_one_length_and_begin_with_a_paragraph(tmp_path: Path) -> None:
    sheets = Sheets()
    for number in range(40):
        sheets.leaf(60)
        for part in range(10):
            first = f"And so leaf {number} goes on with part {part} of what was told before it, as it does each time,"
            sheets.text([first, *LONG])
    reading = read(sheets.save(tmp_path / "parts.pdf"))
    assert reading.health.structure == "parts"
    words = [found.words for found in reading.health.sectioned]
    assert len(words) == 6 and max(words) < 1.3 * min(words)
    assert [title for title, _ in titles(reading)][:2] == ["Pages 1–7", "Pages 8–14"]
    assert all(texts[0].startswith("And so leaf") for _, texts in reading.by_section())


LONG = (*make.LINES[:3], "that had come loose in the night, and there were more of them than he could count.")


def test_a_short_text_has_no_parts(tmp_path: Path) -> None:
    reading = read(make.pdf(tmp_path / "short.pdf", [make.lines(make.LINES)] * 45))
    assert len(reading.document.sections) == 1 and reading.health.structure == ""


def test_what_stands_before_the_first_section_is_told_apart(tmp_path: Path) -> None:
    sheets = Sheets()
    sheets.leaf(200)
    sheets.heading("A Year of Storms", 24)
    sheets.text(["Ann Author"])
    sheets.leaf()
    sheets.text(["Copyright © 2020 Ann Author. All rights reserved.", "ISBN 978-0-00-000000-2"])
    sheets.leaf()
    sheets.heading("Contents", 16)
    sheets.text([f"{number} Storms of the year {number} .................... {number}" for number in range(1, 5)])
    sheets.leaf()
    sheets.heading("Preface", 16)
    sheets.text()
    sheets.text()
    for number in range(1, 5):
        sheets.leaf()
        sheets.heading(f"{number} Storms of the year {number}")
        for _ in range(4):
            sheets.text()
    outline = [[1, f"{number} Storms of the year {number}", number + 4] for number in range(1, 5)]
    reading = read(sheets.save(tmp_path / "front.pdf", outline))
    assert [title for title, _ in titles(reading)][:5] == [
        *("A Year of Storms", "Copyright", "Contents", "Preface", "1 Storms of the year 1")
    ]
    assert matters(reading) == {"A Year of Storms": "title", "Copyright": "imprint", "Contents": "contents"}
    assert reading.head.title == "A Year of Storms"


def test_front_and_back_matter_of_real_books(shared_data: Path) -> None:
    found = matters(read(shared_data / "documents/pdf/debmake-doc-ru.pdf"))
    assert found["Contents"] == "contents" and found["Copyright"] == "imprint" and "title" in found.values()
    found = matters(read(shared_data / "documents/pdf/geotopo-de.pdf"))
    assert found["Inhaltsverzeichnis"] == "contents" and found["Stichwortverzeichnis"] == "index"


def test_a_real_manual_has_all_its_sections(shared_data: Path) -> None:
    reading = read(shared_data / "documents/pdf/zsh-manual.pdf")
    outline = pymupdf.open(shared_data / "documents/pdf/zsh-manual.pdf").get_toc()
    found = [title for title, _ in titles(reading)]
    assert found[-len(outline) :] == [title for _, title, _ in outline]
    assert next(title for title, matter in matters(reading).items() if matter == "index") == "Concept Index"
    begun = sum(1 for title, texts in reading.by_section() if texts and bare(title) in bare(texts[0]))
    assert begun >= 0.97 * len(outline)


def bare(title: str) -> str:
    """Letters and digits alone."""
    return "".join(filter(str.isalnum, title)).casefold()


# -- what a file says of itself ----------------------------------------------------------------------------------


@pytest.mark.parametrize("junk", ["Untitled", "Microsoft Word - final.doc", "report_v3.docx", "/home/me/book.tex", ""])
def test_a_title_that_a_program_made_up_gives_way_to_the_largest_text(tmp_path: Path, junk: str) -> None:
    sheets = chapters(2)
    sheets.document.set_metadata({"title": junk, "author": "user"})
    page = sheets.document[0]
    page.insert_text((72, 60), "A Year of Storms", fontsize=24, fontname="hebo")
    reading = read(sheets.save(tmp_path / "title.pdf"))
    assert reading.head.title == "A Year of Storms" and reading.head.authors == ()


@pytest.mark.parametrize(
    ("told", "names"),
    [
        ("Osamu Aoki, Fonzie Huang, and Lev Lamberov", ("Osamu Aoki", "Fonzie Huang", "Lev Lamberov")),
        ("Osamu Aoki and Лев Ламберов", ("Osamu Aoki", "Лев Ламберов")),
        ("Cuellar-Lopez, Monica", ("Cuellar-Lopez, Monica",)),
        ("A. B. Smith; C. Jones & D. Brown", ("A. B. Smith", "C. Jones", "D. Brown")),
        ("Microsoft Office User", ()),
        ("", ()),
    ],
)
def test_authors(told: str, names: tuple[str, ...]) -> None:
    assert authors_of(told) == names
