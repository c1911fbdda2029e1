"""Highlights and notes: taken over from a file once, kept, removed, and moved with the text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from readdesk.documents.model import Anchor, LeafSpot
from readdesk.errors import NotFoundError
from readdesk.library.model import DocumentRecord, Highlight
from readdesk.library.store import Library
from tests.library.leafbooks import BOX, TEXTS, highlight, leaf_read, note, spot_of

POSTMAN = highlight(0, "the postman", "k1", "Who is he?")
NETS = highlight(1, "nets came up", "k2")
MASTER = note(2, "k3", "A point")
MARKUPS = (NETS, POSTMAN, MASTER)


def told(library: Library, record: DocumentRecord) -> list[tuple[str, str]]:
    """Quote and note of everything that is marked."""
    return [(found.quote, found.note) for found in library.highlights.all(record)]


def text_at(library: Library, record: DocumentRecord, found: Highlight) -> str:
    """The words of the text that a highlight marks now."""
    assert found.start is not None and found.end is not None
    return library.documents.text(record, found.start, found.end)


def mine(library: Library, record: DocumentRecord, words: str, remark: str = "") -> Highlight:
    """Mark words of the text in ReadDesk."""
    start = "".join(TEXTS).index(words)
    anchor = library.documents.anchor(record, start, start + len(words))
    return library.highlights.add(
        Highlight(0, record.id, "highlight", start, start + len(words), anchor, words, remark, colour="#00ff00")
    )


def test_they_are_taken_over_in_order(library: Library) -> None:
    record = library.documents.add(leaf_read(markups=MARKUPS))
    postman, nets, master = library.highlights.all(record)
    assert (postman.quote, postman.note, postman.author) == ("the postman", "Who is he?", "Ann")
    assert (postman.colour, postman.made, postman.is_from_file) == ("#ffff00", "2024-02-29", True)
    assert postman.start == TEXTS[0].index("the postman") and postman.anchor == Anchor(POSTMAN.spots)
    assert library.documents.span(record, postman.anchor) == (postman.start, postman.end)
    assert nets.quote == text_at(library, record, nets) == "nets came up"
    assert (master.kind, master.start, master.end, master.quote) == ("note", None, None, "")
    assert library.highlights.kinds(record) == ("highlight", "highlight", "note")
    assert master.anchor == Anchor((LeafSpot(2, 0, 0, (BOX,)),))


def test_marks_of_what_is_no_text_keep_their_place(library: Library) -> None:
    """A highlight over a running head, which is no part of the text."""
    head = replace(POSTMAN, key="head", spots=(LeafSpot(0, 0, 9, (BOX,)),))
    record = library.documents.add(leaf_read(markups=(head,)))
    (found,) = library.highlights.all(record)
    assert (found.start, found.quote) == (None, "") and found.anchor == Anchor(head.spots)


def test_a_box_over_two_columns_marks_the_longest_run(library: Library) -> None:
    """Else it would mark all that is read between the two."""
    ends = (spot_of(0, 0, 9), spot_of(2, 0, 14))
    near = (spot_of(1, 0, 7), spot_of(1, 14, 20))
    marks = (replace(POSTMAN, key="far", spots=ends), replace(POSTMAN, key="near", spots=near))
    record = library.documents.add(leaf_read(markups=marks))
    assert [(mark.quote, len(mark.anchor.spots)) for mark in library.highlights.all(record)] == [
        (TEXTS[2][:14], 2),
        (TEXTS[1][:20], 2),
    ]


def test_what_was_removed_does_not_come_back(library: Library) -> None:
    record = library.documents.add(leaf_read(markups=MARKUPS))
    first = library.highlights.all(record)[0]
    library.highlights.remove(first.id)
    assert library.highlights.kinds(record) == ("highlight", "note")
    with pytest.raises(NotFoundError, match="removed already"):
        library.highlights.remove(first.id)
    again = leaf_read(markups=(*MARKUPS, highlight(3, "rained", "k4")))
    record = library.documents.update(record, again)
    assert [quote for quote, _ in told(library, record)] == ["nets came up", "", "rained"]


def test_nothing_is_taken_over_twice(library: Library) -> None:
    record = library.documents.add(leaf_read(markups=MARKUPS))
    before = library.highlights.all(record)
    record = library.documents.update(record, leaf_read(markups=MARKUPS))
    assert library.highlights.all(record) == before
    record = library.documents.update(record, leaf_read())
    assert library.highlights.all(record) == before, "what has gone from the file stays"


def test_a_note_that_was_written_on_in_the_file(library: Library) -> None:
    """It is brought up to date, unless it was changed here."""
    record = library.documents.add(leaf_read(markups=(POSTMAN, NETS)))
    nets = library.highlights.all(record)[1]
    with library._connections.writing() as db:
        db.execute("UPDATE highlights SET note = 'mine' WHERE id = ?", [nets.id])
    anew = (replace(POSTMAN, text="I know him"), replace(NETS, text="Empty?"))
    record = library.documents.update(record, leaf_read(markups=anew))
    assert told(library, record) == [("the postman", "I know him"), ("nets came up", "mine")]


def test_the_readers_own(library: Library) -> None:
    record = library.documents.add(leaf_read())
    made = mine(library, record, "harbour master", "The master!")
    assert made.id and made.made and not made.is_from_file
    assert library.highlights.all(record) == (made,)
    record = library.documents.update(record, leaf_read(markups=MARKUPS))
    assert made in library.highlights.all(record) and len(library.highlights.all(record)) == 4
    library.highlights.remove(made.id)
    assert made not in library.highlights.all(record)


def test_they_move_with_the_text(library: Library) -> None:
    """The same file read in another way: positions move, the place in the file is the same."""
    record = library.documents.add(leaf_read(markups=(POSTMAN,)))
    made = mine(library, record, "harbour master")
    other = leaf_read(("A title that was not seen before.", *TEXTS))
    for number, paragraph in enumerate(other.paragraphs):
        piece = replace(paragraph.pieces[0], spot=spot_of(max(0, number - 1), 0, len(paragraph.text)))
        other.paragraphs[number] = replace(paragraph, pieces=(piece,))
    record = library.documents.update(record, other)
    moved = [found for found in library.highlights.all(record) if found.id == made.id]
    assert [text_at(library, record, found) for found in library.highlights.all(record)] == [
        "the postman",
        "harbour master",
    ]
    assert moved[0].anchor == made.anchor and moved[0].start != made.start


def test_they_move_into_another_file(library: Library) -> None:
    """A new version of the file: the place in it is another one."""
    record = library.documents.add(leaf_read(markups=(POSTMAN,)))
    made = mine(library, record, "harbour master")
    record = library.documents.update(record, leaf_read(("A new first leaf.", *TEXTS), mark="b"))
    _, moved = library.highlights.all(record)
    assert moved.id == made.id and moved.anchor.spots[0].start == made.anchor.spots[0].start
    assert isinstance(moved.anchor.spots[0], LeafSpot) and moved.anchor.spots[0].leaf == 3
    assert [text_at(library, record, found) for found in library.highlights.all(record)] == [
        "the postman",
        "harbour master",
    ]


def test_words_in_a_paragraph_that_has_changed_are_found(library: Library) -> None:
    """And where they have gone, the mark stays at what stands there instead."""
    record = library.documents.add(leaf_read())
    made, lost = mine(library, record, "harbour master"), mine(library, record, "rained for a week")
    texts = (*TEXTS[:2], f"But {TEXTS[2][0].lower()}{TEXTS[2][1:]}", "Then the sun shone.")
    record = library.documents.update(record, leaf_read(texts))
    found, gone = library.highlights.all(record)
    assert found.id == made.id and text_at(library, record, found) == "harbour master"
    assert gone.id == lost.id and gone.quote == "rained for a week"
    assert gone.start == sum(map(len, texts[:2])) and gone.end == gone.start + 1


def test_thousands_are_moved_at_once(library: Library) -> None:
    texts = tuple(f"Line {number} of a long book has some words." for number in range(2_000))
    marks = tuple(highlight(number, "some words", f"k{number}", texts=texts) for number in range(2_000))
    record = library.documents.add(leaf_read(texts, markups=marks))
    library.highlights.remove(library.highlights.all(record)[0].id)
    other = ("A leaf before.", *texts)
    record = library.documents.update(record, leaf_read(other, mark="b"))
    found = library.highlights.all(record)
    assert len(found) == 1_999
    assert all(text_at(library, record, mark) == "some words" for mark in found[::100])
