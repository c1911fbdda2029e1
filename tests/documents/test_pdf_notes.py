"""Foot- and endnotes of PDFs and the marks that lead to them (trap 28)."""

from __future__ import annotations

import re
from pathlib import Path

from readdesk.documents.model import Paragraph
from tests.documents.reading import Reading, check_random_spans, pdf_resolver, read
from tests.samples.make import LINES
from tests.samples.outlines import Sheets


def targets(reading: Reading) -> dict[str, Paragraph]:
    """The notes by their names."""
    return {
        mark.value: paragraph
        for paragraph in reading.document.paragraphs
        for mark in paragraph.marks
        if mark.kind == "target"
    }


def ties(reading: Reading) -> list[tuple[str, str]]:
    """What stands before each mark, with the first words of its note."""
    notes = targets(reading)
    return [
        (paragraph.text[: mark.start].split()[-1], " ".join(notes[mark.value].text.split()[:3]))
        for paragraph in reading.document.paragraphs
        for mark in paragraph.marks
        if mark.kind == "note"
    ]


def paragraph_with(reading: Reading, words: str) -> Paragraph:
    """The first paragraph in which some words stand."""
    return next(found for found in reading.document.paragraphs if words in found.text)


def test_marks_come_apart_from_words_and_lead_to_their_notes(tmp_path: Path) -> None:
    """Trap 28: the model reads no "end.15"; the leaf's own text keeps it."""
    sheets = Sheets()
    for leaf in range(2):
        sheets.leaf()
        sheets.text([f"The captain of boat {leaf} slept until the end.{{15}} Then the rain", *LINES[1:]])
        sheets.text([f"Nobody woke him{{16}}, not even the postman of village {leaf}."])
        sheets.foot([f"15 As he says himself on leaf {leaf}.", "16 They had tried."])
    path = sheets.save(tmp_path / "notes.pdf")
    reading = read(path)
    assert ties(reading) == [
        ("end.", "15 As he"),
        ("him", "16 They had"),
        ("end.", "15 As he"),
        ("him", "16 They had"),
    ]
    assert len(targets(reading)) == 4, "numbers that begin anew on every leaf are notes of their own"
    found = paragraph_with(reading, "boat 0 slept")
    assert "end.15" in found.text and "until the end. Then" in found.as_read(0, len(found.text))
    assert all(note.kind == "note" for note in targets(reading).values())
    check_random_spans(reading.document, pdf_resolver(path), 80)


def test_a_note_does_not_cut_a_sentence_over_two_leaves(tmp_path: Path) -> None:
    sheets = Sheets()
    sheets.leaf(600)
    sheets.text(["Rain had fallen for three days{1} when the letter came, and the old road to", LINES[1][:-7]])
    sheets.foot(["1 Some say four."])
    sheets.leaf()
    sheets.text(["village people waited for the postman, and none of them expected the captain to", *LINES[2:]])
    reading = read(sheets.save(tmp_path / "sentence.pdf"))
    kinds = [(found.kind, found.text.split()[0]) for found in reading.document.paragraphs]
    assert kinds == [("text", "Rain"), ("note", "1")]
    assert "village people waited" in reading.document.paragraphs[0].text


def test_a_note_that_goes_on_at_the_foot_of_the_next_leaf_is_one(tmp_path: Path) -> None:
    sheets = Sheets()
    sheets.leaf()
    sheets.text(["The first sentence has a long note.{1} The second one has none, and ends."])
    sheets.foot(["1 This note is so long that it does not fit and so it goes on, with"])
    sheets.leaf()
    sheets.text(["A new paragraph begins on the second leaf.{2} It has a note too."])
    sheets.foot(["these words at the foot of the second leaf.", "2 This one is short."])
    path = sheets.save(tmp_path / "goes-on.pdf")
    reading = read(path)
    notes = [note.text for note in targets(reading).values()]
    assert notes[0].endswith("goes on, with these words at the foot of the second leaf.")
    assert notes[1] == "2 This one is short."
    check_random_spans(reading.document, pdf_resolver(path), 60)


def test_signs_and_several_marks_of_one_note(tmp_path: Path) -> None:
    sheets = Sheets()
    sheets.leaf()
    sheets.text(["The first boat* was found. The second boat§ was not, and the third{1} came", "home late.{1}"])
    sheets.foot(["* A small one.", "§ A large one.", "1 Both of them."])
    reading = read(sheets.save(tmp_path / "signs.pdf"))
    assert ties(reading) == [
        ("boat", "* A small"),
        ("boat", "§ A large"),
        ("third", "1 Both of"),
        ("late.", "1 Both of"),
    ]


def test_two_marks_that_touch_are_two_notes(tmp_path: Path) -> None:
    sheets = Sheets()
    sheets.leaf()
    sheets.text(["The boats were tied to the pier.{12} The postman saw them there.{3,4}"])
    sheets.foot(["1 Not all.", "2 A wooden one.", "3 So he said.", "4 In a letter."])
    reading = read(sheets.save(tmp_path / "touching.pdf"))
    assert [mark for _, mark in ties(reading)] == ["1 Not all.", "2 A wooden", "3 So he", "4 In a"]


def test_exponents_are_no_marks(tmp_path: Path) -> None:
    """A power on a leaf with a note of the same number, and powers on a leaf without any."""
    sheets = Sheets()
    sheets.leaf()
    sheets.text(["The area is x{2} and the sum 10{6} of them, as the captain knew.{2} So did we."])
    sheets.foot(["2 He had learned it."])
    sheets.leaf()
    sheets.text(["Here 10{6} boats are x{2} and have no notes at all."])
    reading = read(sheets.save(tmp_path / "powers.pdf"))
    assert ties(reading) == [("knew.", "2 He had")]
    found = paragraph_with(reading, "The area")
    assert found.as_read(0, len(found.text)) == (
        "The area is x^2 and the sum 10^6 of them, as the captain knew. So did we."
    )
    marks = [mark.kind for mark in paragraph_with(reading, "Here 10").marks]
    assert marks == ["superscript", "superscript"]


def test_small_text_at_the_foot_without_a_mark_in_the_text_is_no_target(tmp_path: Path) -> None:
    sheets = Sheets()
    sheets.leaf()
    sheets.text()
    sheets.foot(["12 Harbour Street, Sometown, is where this was printed."])
    assert not targets(read(sheets.save(tmp_path / "print.pdf")))


def test_endnotes_of_chapters_are_tied_where_numbers_begin_anew(tmp_path: Path) -> None:
    sheets = Sheets()
    for chapter in (1, 2):
        sheets.leaf()
        sheets.heading(f"Chapter {chapter}")
        sheets.text([f"The first boat of chapter {chapter} was lost.{{1}} The second came back.{{2}}", *LINES])
        sheets.text()
    sheets.leaf()
    sheets.heading("Notes")
    for chapter in (1, 2):
        sheets.text([f"1. In the storm of chapter {chapter}.", f"2. In the calm of chapter {chapter}."])
    outline = [[1, "Chapter 1", 1], [1, "Chapter 2", 2], [1, "Notes", 3]]
    reading = read(sheets.save(tmp_path / "endnotes.pdf", outline))
    notes = targets(reading)
    found = [
        (paragraph.section, notes[mark.value].text)
        for paragraph in reading.document.paragraphs
        for mark in paragraph.marks
        if mark.kind == "note"
    ]
    assert found == [
        (0, "1. In the storm of chapter 1."),
        (0, "2. In the calm of chapter 1."),
        (1, "1. In the storm of chapter 2."),
        (1, "2. In the calm of chapter 2."),
    ]


def test_a_label_glued_to_its_note_comes_apart(tmp_path: Path) -> None:
    sheets = Sheets()
    sheets.leaf()
    sheets.text(["The captain slept.{1} The rest of them did not, and so the night went by."])
    sheets.foot(["{1}So he said."])
    path = sheets.save(tmp_path / "glued.pdf")
    reading = read(path)
    assert [note.text for note in targets(reading).values()] == ["1 So he said."]
    check_random_spans(reading.document, pdf_resolver(path), 40)


def test_all_notes_of_a_real_manual_are_those_of_its_epub(shared_data: Path) -> None:
    """Both files hold the same book; the EPUB says which notes there are and where their marks stand."""
    pdf = read(shared_data / "documents/pdf/debian-policy.pdf")
    epub = read(shared_data / "documents/epub/debian-policy.epub")
    assert len(targets(pdf)) == len(targets(epub)) == 128
    assert before_marks(pdf) == before_marks(epub)


def before_marks(reading: Reading) -> set[str]:
    """The last letters before each mark."""
    return {
        re.sub(r"\W+", "", paragraph.text[: mark.start]).casefold()[-15:]
        for paragraph in reading.document.paragraphs
        for mark in paragraph.marks
        if mark.kind == "note"
    }


def test_notes_of_real_papers_and_books(shared_data: Path) -> None:
    assert len(targets(read(shared_data / "documents/pdf/tracemonkey-two-column.pdf"))) == 2
    german = read(shared_data / "documents/pdf/geotopo-de.pdf")
    assert len(targets(german)) >= 10
    assert all(note.text[1:2] == " " for note in targets(german).values())
