"""Documents: added whole or not at all, found by what people call them, given back as they were."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from readdesk.documents.model import Health, Paragraph
from readdesk.errors import NotFoundError
from readdesk.library.store import Library
from tests.library.books import TEXTS, Crew, add_book, head, parts


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
        library.documents.add(head(), Path("/x"), sections, broken, Health(10, 2, 2, 5))
    assert library.documents.all() == ()
    for table in ("documents", "sections", "paragraphs"):
        assert library._connections.db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert add_book(library).characters == sum(map(len, TEXTS))


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

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXT, min_size=1, max_size=6), title=TEXT)
@example(texts=["\0\0 NUL", "\0", "after"], title="\0")
def test_any_text_comes_back(library: Library, texts: list[str], title: str) -> None:
    """Also with quotes, NUL, emoji, right-to-left marks and what looks like SQL."""
    count = len(library.documents.all())
    record = add_book(library, title, f"p{count}", texts=texts)
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
