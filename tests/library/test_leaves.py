"""Leaves of PDFs in a library: what came out of each, what each is called, and attached files."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import Any

import pytest

from readdesk.documents.fileread import FileRead
from readdesk.documents.model import Attachment, Furniture, Piece
from readdesk.errors import NotFoundError, ReadDeskError
from readdesk.library.model import DocumentRecord
from readdesk.library.renewal import Renewal
from readdesk.library.store import Library
from tests.library.books import add_book
from tests.library.leafbooks import BOX, TEXTS, leaf_read, spot_of

FILES = (Attachment("figures.csv", 8, "The figures"), Attachment("müller.txt"))


def labels_of_sections(library: Library) -> list[str]:
    """The labels in the table of contents."""
    return [section.label for section in library.documents.sections(library.documents.get(1))]


def test_leaves_come_back_as_they_were(library: Library) -> None:
    read = leaf_read(labels=("i", "", "2", "3"), attachments=FILES)
    record = library.documents.add(read)
    assert library.leaves.all(record) == tuple(read.leaves)
    assert library.leaves.all(record)[0].furniture == (Furniture("head", "THE FERRY", BOX),)
    assert library.leaves.labels(record) == ("i", "", "2", "3")
    assert library.leaves.attachments(record) == FILES
    assert record.labelling == "file"


def test_a_book_without_leaves(library: Library) -> None:
    record = add_book(library)
    assert (library.leaves.all(record), library.leaves.labels(record), library.leaves.attachments(record)) == ((),) * 3
    assert record.labelling == ""
    with pytest.raises(NotFoundError, match="no leaf 1"):
        library.leaves.name(record, 0, "5")


def test_a_reader_says_what_is_printed(library: Library) -> None:
    """Trap 10: an offset is set once; the contents show it too."""
    record = library.documents.add(leaf_read())
    assert labels_of_sections(library) == ["1", "2", "3", "4"]
    library.leaves.name(record, 2, "p. 127")
    assert library.leaves.labels(record) == ("125", "126", "127", "128")
    assert [leaf.label for leaf in library.leaves.all(record)] == ["125", "126", "127", "128"]
    assert labels_of_sections(library) == ["125", "126", "127", "128"]
    assert library.documents.get(1).labelling == "set"


def test_what_was_said_can_be_said_anew_and_taken_back(library: Library) -> None:
    record = library.documents.add(leaf_read(labels=("1", "2", "3", "4")))
    library.leaves.name(record, 2, "127")
    library.leaves.name(record, 2, "12")
    assert library.leaves.labels(record) == ("10", "11", "12", "13")
    library.leaves.name(record, 0, "ii")
    assert library.leaves.labels(record) == ("ii", "iii", "12", "13")
    library.leaves.name(record, 0, "")
    library.leaves.name(record, 2, " ")
    assert library.leaves.labels(record) == ("1", "2", "3", "4")
    assert labels_of_sections(library) == ["1", "2", "3", "4"]
    assert library.documents.get(1).labelling == "file"


def test_several_things_that_were_said(library: Library) -> None:
    """All hold, in whatever order they were said; what cannot be true beside what is said now was a mistake."""
    record = library.documents.add(leaf_read())
    library.leaves.name(record, 2, "30")
    library.leaves.name(record, 0, "15")
    assert library.leaves.labels(record) == ("15", "16", "30", "31")
    library.leaves.name(record, 3, "20")
    assert library.leaves.labels(record) == ("15", "16", "17", "20")
    library.leaves.name(record, 3, "3")
    assert library.leaves.labels(record) == ("", "1", "2", "3")


def test_what_is_no_number_changes_nothing(library: Library) -> None:
    record = library.documents.add(leaf_read())
    with pytest.raises(ReadDeskError, match="no page number"):
        library.leaves.name(record, 0, "the first")
    for leaf in (-1, 4):
        with pytest.raises(NotFoundError, match="no leaf"):
            library.leaves.name(record, leaf, "5")
    assert library.leaves.labels(record) == ("", "", "", "")


def test_what_was_said_is_one_line(library: Library) -> None:
    """What is pasted may hold the ends of lines, which part what was said of one leaf from that of the next."""
    record = library.documents.add(leaf_read())
    library.leaves.name(record, 1, "Plate\u20287")
    assert library.leaves.labels(record) == ("Plate 6", "Plate 7", "Plate 8", "Plate 9")


def test_what_was_said_holds_when_the_file_is_read_again(library: Library) -> None:
    """Also where other labels were found in it this time, and where it has another text."""
    record = library.documents.add(leaf_read(attachments=FILES))
    library.leaves.name(record, 2, "127")
    record = library.documents.update(record, leaf_read(labels=("1", "2", "3", "4")))
    assert library.leaves.labels(record) == ("125", "126", "127", "128")
    assert library.leaves.attachments(record) == ()
    record = library.documents.update(record, leaf_read((*TEXTS, "A fifth leaf.")))
    assert library.leaves.labels(record) == ("125", "126", "127", "128", "129")
    assert labels_of_sections(library) == ["125", "126", "127", "128", "129"]
    record = library.documents.update(record, leaf_read(TEXTS[:2]))
    assert library.leaves.labels(record) == ("", ""), "the leaf that it was said of has gone"
    assert library.documents.sections(record)[0].label == "1"


def test_parts_are_called_by_their_leaves(library: Library) -> None:
    """Where nothing divides a text, its parts are named after leaves; what a reader chose for one of them stays."""

    def in_parts() -> FileRead:
        read = leaf_read()
        titles = ("Pages 1\u20132", "Page 3", "Pages 4\u20139", "Pages of a diary")
        read.sections = [replace(section, title=title) for section, title in zip(read.sections, titles, strict=True)]
        read.health = replace(read.health, structure="parts")
        return read

    def titles() -> list[str]:
        return [section.title for section in library.documents.sections(record)]

    record = library.documents.add(in_parts())
    library.leaves.name(record, 0, "11")
    assert titles() == ["Pages 11\u201312", "Page 13", "Pages 4\u20139", "Pages of a diary"]
    library.documents.leave_out(record, 1, True)
    record = library.documents.update(record, in_parts())
    assert titles()[:2] == ["Pages 11\u201312", "Page 13"]
    assert [section.is_left_out for section in library.documents.sections(record)] == [False, True, False, False]
    library.leaves.name(record, 0, "")
    assert titles()[:2] == ["Pages 1\u20132", "Page 3"]


def test_what_is_chosen_while_the_file_is_read_again_holds(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """A leaf is named, and a section left out, in the moment before the new text is kept."""
    read = leaf_read()
    read.sections = [replace(section, title=f"Page {number}") for number, section in enumerate(read.sections, 1)]
    read.health = replace(read.health, structure="parts")
    record = library.documents.add(read)
    write_out, calls = Renewal.of, list[DocumentRecord]()

    def slow(*arguments: Any) -> Renewal:
        renewal = write_out(*arguments)
        if not calls:
            library.leaves.name(record, 0, "11")
            library.documents.leave_out(record, 2, True)
        calls.append(record)
        return renewal

    monkeypatch.setattr(Renewal, "of", slow)
    library.documents.update(record, read)
    sections = library.documents.sections(record)
    assert [section.title for section in sections] == ["Page 11", "Page 12", "Page 13", "Page 14"]
    assert [section.is_left_out for section in sections] == [False, False, True, False]
    assert len(calls) == 2


def test_the_text_of_a_leaf(library: Library) -> None:
    record = library.documents.add(leaf_read())
    assert library.documents.leaf_text(record, 1) == TEXTS[1]
    assert library.documents.leaf_text(record, 9) == ""


def test_printed_pages_begin_where_their_leaves_do(library: Library) -> None:
    """A leaf without text begins where the next one does; one without a label is no printed page."""
    read = leaf_read(labels=("i", "", "2", "3", "4"), texts=(*TEXTS, "The end."))
    read.paragraphs[3] = replace(read.paragraphs[3], pieces=(Piece(0, 5, spot_of(2, 100, 105)),))
    record = library.documents.add(read)
    starts = [0, *accumulate(map(len, TEXTS))]
    starts[3] = starts[4]
    assert library.leaves.starts(record) == library.documents.leaf_starts(record, 5) == tuple(starts)
    assert library.leaves.printed_pages(record) == ((0, "i"), *zip(starts[2:], ("2", "3", "4"), strict=True))
    library.leaves.name(record, 4, "40")
    assert library.leaves.printed_pages(record)[-1] == (starts[4], "40")


def test_where_text_is_recognised(library: Library) -> None:
    """Trap 67: a span says so that touches a recognised leaf; one that only ends where such a leaf begins does not."""
    read = leaf_read()
    read.leaves[1] = replace(read.leaves[1], kind="ocr")
    record = library.documents.add(read)
    first, second, third = accumulate(map(len, TEXTS[:3]))
    asked = library.leaves.has_recognised
    assert not asked(record, 0, first) and asked(record, 0, first + 1)
    assert asked(record, second - 1, second) and not asked(record, second, third)


def test_leaves_go_with_their_document(library: Library) -> None:
    record = library.documents.add(leaf_read(attachments=FILES))
    with library._connections.writing() as db:
        db.execute("DELETE FROM documents WHERE id = ?", [record.id])
    for table in ("leaves", "attachments", "highlights"):
        assert library._connections.db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
