"""Documents: added whole or not at all, found by what people call them, given back as they were."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from readdesk.documents.fileread import FileRead
from readdesk.documents.model import Anchor, Choices, Health, Mark, Paragraph, Section, SectionHealth
from readdesk.errors import NotFoundError
from readdesk.library.store import Library
from tests.library.books import TEXTS, Crew, add_book, head, parts

END = sum(map(len, TEXTS))


def test_a_document_comes_back_as_it_was(library: Library) -> None:
    """Text, kinds, sections, and where every character stands in the file."""
    record = add_book(library)
    sections, paragraphs = parts()
    assert library.documents.sections(record) == tuple(sections)
    assert library.documents.paragraphs(record, 0, record.characters) == tuple(paragraphs)
    document = library.documents.load(record)
    assert document.sections == tuple(sections)
    assert document.paragraphs == tuple(replace(paragraph, pieces=()) for paragraph in paragraphs)
    assert (document.title, document.language, document.end) == ("A Sample", "en", record.characters)


def test_the_record_says_what_the_file_said(library: Library) -> None:
    record = add_book(library, "Ein „Büchlein“ 🐟", "c0ffee", path=Path("/bücher/a b.txt"))
    assert record == library.documents.get(record.id) == library.documents.by_file_hash("c0ffee".rjust(64, "0"))
    assert (record.title, record.authors, record.language) == ("Ein „Büchlein“ 🐟", ("Ann Author",), "en")
    assert (record.format, record.path, record.kind) == ("text", "/bücher/a b.txt", "")
    assert record.characters == sum(map(len, TEXTS)) and record.words == 42
    assert record.notes == ("A note, with “quotes”.",)
    assert library.documents.by_file_hash("0" * 64) is None


def test_paragraphs_between_two_positions(library: Library) -> None:
    """Those that have at least one character there, whole."""
    record = add_book(library)
    _, all_of_them = parts()
    second = all_of_them[1]

    def found(start: int, end: int) -> list[int]:
        return [all_of_them.index(paragraph) for paragraph in library.documents.paragraphs(record, start, end)]

    assert found(0, 1) == [0]
    assert found(second.start, second.end) == [1]
    assert found(second.start - 1, second.start) == [0]
    assert found(second.end - 1, second.end + 1) == [1, 2]
    assert found(record.characters, record.characters + 9) == []


def test_the_same_file_twice_is_one_entry(library: Library) -> None:
    """Trap 58."""
    first = add_book(library, "A Sample", "a", path=Path("/one.txt"))
    again = add_book(library, "A Sample", "a", path=Path("/two.txt"))
    other = add_book(library, "A Sample", "b")
    assert again == first and library.documents.all() == (first, other)
    assert len(library.documents.paragraphs(first, 0, first.characters)) == len(TEXTS)


def test_a_moved_file(library: Library) -> None:
    """Trap 56."""
    record, other = add_book(library, mark="a"), add_book(library, mark="b", path=Path("/other"))
    library.documents.moved(record, Path("/new/place.txt"))
    assert library.documents.get(record.id) == replace(record, path="/new/place.txt")
    assert library.documents.find("/new/place.txt").id == record.id
    assert library.documents.get(other.id) == other


def test_adding_is_whole_or_not_at_all(library: Library) -> None:
    """A fault in the last paragraph leaves no trace of the first."""
    sections, paragraphs = parts()
    broken: list[Paragraph] = [*paragraphs, paragraphs[0]]
    with pytest.raises(sqlite3.IntegrityError):
        library.documents.add(FileRead(head(), Path("/x"), Health(10, 2, 2, 5), list(sections), list(broken)))
    assert library.documents.all() == ()
    for table in ("documents", "sections", "paragraphs"):
        assert library._connections.db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert add_book(library).characters == sum(map(len, TEXTS))


def test_sections_and_choices_come_back_as_they_were(library: Library) -> None:
    """What was found out about sections and the text stays with the document; the health's language goes first."""
    sections, paragraphs = parts()
    sectioned = (SectionHealth(20, "en", "imprint"), SectionHealth(22, "fr"))
    health = Health(END, 42, 2, 4, language="fr", structure="headings", encoding="big5", sectioned=sectioned)
    choices = Choices("big5", "^第.章")
    record = library.documents.add(FileRead(head(), Path("/b.txt"), health, list(sections), list(paragraphs), choices))
    assert (record.language, record.structure, record.encoding, record.choices) == ("fr", "headings", "big5", choices)
    expected = (
        replace(sections[0], words=20, language="en", matter="imprint", is_left_out=True),
        replace(sections[1], words=22, language="fr"),
    )
    assert library.documents.sections(record) == library.documents.load(record).sections == expected
    assert library.documents.load(record).readable() == ((sections[1].start, END),)


def test_a_pamphlet_that_is_all_imprint_is_read(library: Library) -> None:
    sections, paragraphs = parts()
    sectioned = (SectionHealth(42, "en", "imprint"), SectionHealth(0, "en"))
    record = library.documents.add(
        FileRead(head(), Path("/b.txt"), Health(END, 42, 2, 4, sectioned=sectioned), list(sections), list(paragraphs))
    )
    assert [(s.matter, s.is_left_out) for s in library.documents.sections(record)] == [("imprint", False), ("", False)]


def test_a_loaded_text_is_read_without_its_marks_of_notes(library: Library) -> None:
    """And with what its pictures show; other marks are not even looked at."""
    texts = ("The end.15 And more.", "A ferry.", "Plain.")
    sections, paragraphs = parts(texts)
    marks = (
        (Mark(8, 10, "note", "n 15"), Mark(0, 3, "emphasis")),
        (Mark(0, 0, "alt", "A map"),),
        (Mark(0, 5, "ruby", "x"),),
    )
    paragraphs = [replace(p, kind="text", marks=found) for p, found in zip(paragraphs, marks, strict=True)]
    record = library.documents.add(
        FileRead(head(), Path("/b.txt"), Health(34, 7, 2, 3), list(sections), list(paragraphs))
    )
    loaded = library.documents.load(record)
    assert [paragraph.marks for paragraph in loaded.paragraphs] == [marks[0][:1], marks[1], ()]
    assert loaded.text(0, 34) == "The end. And more.\n\n[Picture: A map] A ferry.\n\nPlain."
    assert library.documents.text(record, 0, 34) == loaded.text(0, 34)
    assert library.documents.paragraphs(record, 0, 34) == tuple(paragraphs)


def test_sections_are_left_out_with_those_beneath_them(library: Library) -> None:
    _, paragraphs = parts(("One.", "Two.", "Three.", "Four.", "Five."))
    starts = [paragraph.start for paragraph in paragraphs]
    levels = ((1, -1), (2, 0), (3, 1), (2, 0), (1, -1))
    sections = [Section(n, f"S{n}", level, parent, starts[n]) for n, (level, parent) in enumerate(levels)]
    paragraphs = [replace(paragraph, section=n) for n, paragraph in enumerate(paragraphs)]
    record = library.documents.add(
        FileRead(head(), Path("/b.txt"), Health(23, 5, 5, 5), list(sections), list(paragraphs))
    )

    def left_out() -> list[int]:
        return [section.index for section in library.documents.sections(record) if section.is_left_out]

    for section, is_left_out, expected in (
        (1, True, [1, 2]),
        (0, True, [0, 1, 2, 3]),
        (3, False, [0, 1, 2]),
        (0, False, []),
        (4, True, [4]),
    ):
        library.documents.leave_out(record, section, is_left_out)
        assert left_out() == expected
    with pytest.raises(NotFoundError, match="has no such section any more"):
        library.documents.leave_out(record, 5, True)


def test_notes_and_printed_pages_are_found(library: Library) -> None:
    sections, paragraphs = parts()
    marked = (
        (Mark(4, 4, "page", "iv"), Mark(9, 9, "page", "page 5")),
        (Mark(0, 0, "target", "a b#1"), Mark(0, 2, "note", "other")),
        (Mark(0, 0, "target", "a b#12"),),
        (Mark(3, 3, "page", "6"),),
    )
    paragraphs = [replace(p, marks=marks) for p, marks in zip(paragraphs, marked, strict=True)]
    record = library.documents.add(
        FileRead(head(), Path("/b.txt"), Health(END, 42, 2, 4), list(sections), list(paragraphs))
    )
    assert library.documents.find_note(record, "a b#12") == (paragraphs[2].start, paragraphs[2].end)
    assert library.documents.find_note(record, "a b#1") == (paragraphs[1].start, paragraphs[1].end)
    assert library.documents.find_note(record, "other") is None
    last = paragraphs[3].start + 3
    assert library.documents.printed_pages(record) == ((4, "iv"), (9, "page 5"), (last, "6"))


# -- finding -----------------------------------------------------------------------------------------------------


@pytest.fixture
def shelf(library: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Library:
    """Five documents; number 3 is called 1984, and number 5 like the start of 1 and 2."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "books").mkdir()
    titles = ("The Ferry to the North", "The Ferry Home", "1984", "Ætna & Straße", "The Ferry")
    for number, title in enumerate(titles):
        add_book(library, title, f"{number}", path=tmp_path / "books" / f"{number}.txt")
    return library


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("1", 1),
        ("4", 4),
        ("the ferry to", 1),
        ("  THE   ferry\thome ", 2),
        ("ætna & STRASSE", 4),
        ("The Ferry", 5),
        ("1984", 3),
        ("19", 3),
        ("books/1.txt", 2),
        ("./books/../books/1.txt", 2),
    ],
)
def test_a_document_is_found_by(shelf: Library, name: str, number: int) -> None:
    """Id, start of the title in any way of writing it, path from here; a whole title goes before the start of one."""
    assert shelf.documents.find(name).id == number


def test_a_document_is_found_by_its_path(shelf: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shelf.documents.find(str(tmp_path / "books" / "0.txt")).id == 1
    monkeypatch.setenv("HOME", str(tmp_path))
    assert shelf.documents.find("~/books/0.txt").id == 1


def test_an_id_goes_before_a_title(shelf: Library) -> None:
    add_book(shelf, "2 Years Before the Mast", "f")
    assert shelf.documents.find("2").title == "The Ferry Home"
    assert shelf.documents.find("2 years").id == 6


@pytest.mark.parametrize(
    "name", ["99", "9" * 30, "9" * 5000, "Ferry", "books/9.txt", "", "  ", "~nobody-of-that-name/x", "²"]
)
def test_none_is_found(shelf: Library, name: str) -> None:
    with pytest.raises(NotFoundError, match=r"(No document is called “.*”|has the id).*readdesk list"):
        shelf.documents.find(name)


def test_several_are_found(shelf: Library) -> None:
    """The message names them all, so that one can be chosen by its number."""
    add_book(shelf, "The Ferry", "f")
    with pytest.raises(NotFoundError) as caught:
        shelf.documents.find("The Ferry")
    assert str(caught.value) == (
        "“The Ferry” is the start of more than one title: 1 “The Ferry to the North”, 2 “The Ferry Home”, "
        "5 “The Ferry”, 6 “The Ferry”. Name one by its number."
    )


def test_get_what_is_not_there(library: Library) -> None:
    with pytest.raises(NotFoundError, match="No document has the id 7"):
        library.documents.get(7)


# -- whatever people have ----------------------------------------------------------------------------------------

NUMBERS = count()
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXT, min_size=1, max_size=6), title=TEXT)
@example(texts=["\0\0 NUL", "\0", "after"], title="\0")
def test_any_text_comes_back(library: Library, texts: list[str], title: str) -> None:
    """Also with quotes, NUL, emoji, right-to-left marks and what looks like SQL."""
    record = add_book(library, title, f"p{next(NUMBERS)}", texts=texts)
    sections, paragraphs = parts(texts)
    assert record.title == title
    assert library.documents.sections(record) == tuple(sections)
    assert library.documents.paragraphs(record, 0, record.characters) == tuple(paragraphs)
    assert library.documents.load(record).text(0, record.characters) == "\n\n".join(text.strip() for text in texts)


ADD_TOGETHER = """
from pathlib import Path
from readdesk.library.store import Library
from tests.library.books import add_book
library = Library(Path(sys.argv[2]))
for number in range(20):
    step()
    print(add_book(library, "Both", f"{number}", path=Path(f"/{me}")).id, flush=True)
library.close()
"""


def test_two_programs_add_the_same_file(library: Library) -> None:
    """One entry, whoever is first, and both get it (traps 48 and 58)."""
    crew = Crew(2, ADD_TOGETHER, str(library.file))
    for _ in range(20):
        crew.step()
    said = crew.finish()
    assert [len(library.documents.all()), said[0]] == [20, said[1]]


def test_an_anchor_leads_back_to_the_text(library: Library) -> None:
    """From positions to an anchor, to the string that is kept of it, and back; also over two paragraphs."""
    record = add_book(library)
    _, paragraphs = parts()
    second = paragraphs[1]
    for span in ((second.start + 2, second.start + 5), (second.end - 3, second.end + 3), (0, 1)):
        anchor = Anchor.parse(str(library.documents.anchor(record, *span)))
        assert library.documents.span(record, anchor) == span
    assert library.documents.span(record, Anchor.parse("t900000-900001")) is None
    assert library.documents.span(record, Anchor.parse("ebook.xhtml:1.0:0-3")) is None
