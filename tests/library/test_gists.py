"""Pages and gists: kept together, in order, once; and what is missing is what is to do."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from readdesk.documents.fileread import FileRead
from readdesk.documents.model import Health, Matter, Paragraph, Section, SectionHealth
from readdesk.jobs.ask import history
from readdesk.library.model import DocumentRecord, Figures, Gap, Progress
from readdesk.library.store import Library
from readdesk.reading.model import Answer, Cost, LookUp
from tests.library.books import COST, TEXTS, Crew, add_book, add_pages, gist, head, page

END = sum(map(len, TEXTS))


def rows(library: Library, table: str) -> int:
    """How many rows a table has."""
    return int(library._connections.db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_a_page_and_its_gist_come_back(library: Library) -> None:
    record = add_book(library)
    first, second = page(1, 0, 60), replace(page(2, 60, END, section=1), broken_by="end")
    assert library.gists.add_page(record, first, gist(1, "Left, at «six»."), COST, 2.5)
    assert library.gists.add_page(record, second, gist(2, flag="cut", retried=True), COST, 2.5)
    items = library.gists.pages(record, "tiny")
    assert [item.page for item in items] == [first, second]
    assert [item.section for item in items] == ["One", "Two"]
    assert [item.gist for item in items] == [gist(1, "Left, at «six»."), gist(2, flag="cut", retried=True)]
    assert library.gists.last_page(record) == second


def test_page_and_gist_are_kept_together_or_not_at_all(library: Library) -> None:
    """A gist that the database refuses takes its page with it."""
    record = add_book(library)
    add_pages(library, record, 1)
    with pytest.raises(sqlite3.Error):
        library.gists.add_page(record, page(2, 10, 20), replace(gist(2), text=None), COST, 2.0)  # type: ignore[arg-type]
    assert (rows(library, "pages"), rows(library, "gists")) == (1, 1)
    assert library.gists.add_page(record, page(2, 10, 20), gist(2), COST, 2.0)
    assert (rows(library, "pages"), rows(library, "gists")) == (2, 2)


def test_a_raise_in_the_middle_undoes_all_of_it(library: Library) -> None:
    """Also what sqlite-utils wrote, which commits by itself outside a transaction."""
    record = add_book(library)
    with pytest.raises(KeyboardInterrupt), library._connections.writing() as db:
        db.table("documents").update(record.id, {"kind": "book"})
        db.table("documents").insert({**next(db.query("SELECT * FROM documents")), "id": 99, "file_hash": "x"})
        raise KeyboardInterrupt
    assert library.documents.all() == (record,)
    library.gists.set_kind(record, "book")
    assert library.documents.get(record.id).kind == "book"


@pytest.mark.parametrize(
    "wrong",
    [
        page(2, 20, 30),  # the number that stands already
        page(3, 10, 20),  # the start of a page that stands already
        page(4, 20, 30),  # a number left out
        page(3, 25, 30),  # a gap
        page(3, 15, 30),  # an overlap
        page(1, 0, 10),
    ],
)
def test_a_page_that_does_not_continue_the_last_one_is_refused(library: Library, wrong: object) -> None:
    record = add_book(library)
    add_pages(library, record, 2)
    before = library.gists.pages(record, "tiny")
    assert not library.gists.add_page(record, wrong, gist(wrong.number, "Other."), COST, 1.0)  # type: ignore[arg-type,attr-defined]
    assert library.gists.pages(record, "tiny") == before
    assert (rows(library, "pages"), rows(library, "gists")) == (2, 2)


@pytest.mark.parametrize("wrong", [page(1, 5, 10), page(2, 0, 10), page(0, 0, 10)])
def test_the_first_page_begins_the_document(library: Library, wrong: object) -> None:
    record = add_book(library)
    assert not library.gists.add_page(record, wrong, gist(1), COST, 1.0)  # type: ignore[arg-type]
    assert rows(library, "pages") == 0


def test_a_page_of_a_document_that_is_gone_is_not_kept(library: Library) -> None:
    """Trap 47."""
    record = add_book(library)
    assert not library.gists.add_page(replace(record, id=77), page(1, 0, 10), gist(1), COST, 1.0)
    assert rows(library, "pages") == 0


def test_two_models_side_by_side(library: Library) -> None:
    """Pages are common to all models; each has its own gists and its own gaps."""
    record = add_book(library)
    add_pages(library, record, 3, "tiny")
    assert library.gists.missing(record, "small", 1) == page(1, 0, 10)
    library.gists.add_gist(record, page(1, 0, 10), gist(1, "By small.", "small"), COST, 1.0)
    assert library.gists.missing(record, "small", 1) == page(2, 10, 20)
    assert library.gists.missing(record, "tiny", 1) is None
    library.gists.add_gist(record, page(3, 20, 30), gist(3, "By small too.", "small"), COST, 1.0)
    assert library.gists.missing(record, "small", 1) == page(2, 10, 20)
    texts = [item.gist and item.gist.text for item in library.gists.pages(record, "small")]
    assert texts == ["By small.", None, "By small too."]
    assert [item.gist and item.gist.model for item in library.gists.pages(record, "tiny")] == ["tiny"] * 3
    assert library.gists.models(record) == ("small", "tiny")
    assert library.gists.models(add_book(library, mark="b")) == ()


def test_a_gist_that_is_there_stays(library: Library) -> None:
    record = add_book(library)
    add_pages(library, record, 1)
    library.gists.add_gist(record, page(1, 0, 10), gist(1, "Another one."), Cost(9, 9, 9), 99.0)
    assert library.gists.pages(record, "tiny")[0].gist == gist(1)
    library.gists.add_gist(record, page(5, 40, 50), gist(5, "Of no page."), COST, 1.0)
    assert rows(library, "gists") == 1


def test_the_newest_prompt_version_wins(library: Library) -> None:
    """Page by page: where the new version has none yet, the old gist is read."""
    record = add_book(library)
    add_pages(library, record, 2)
    library.gists.add_gist(record, page(2, 10, 20), gist(2, "New.", version=2), COST, 3.0)
    items = library.gists.pages(record, "tiny")
    assert [item.gist and (item.gist.text, item.gist.prompt_version) for item in items] == [
        ("A short text.", 1),
        ("New.", 2),
    ]
    assert [entry.gist for entry in library.gists.memory(record, "tiny").entries] == ["A short text.", "New."]
    assert library.gists.missing(record, "tiny", 2) == page(1, 0, 10)
    assert library.gists.missing(record, "tiny", 1) is None
    assert library.gists.progress(record, "tiny", 2).gists == 1
    figures = library.gists.figures(record, "tiny")
    assert (figures.pages, figures.words, figures.seconds) == (2, 20, 5.0)


def test_progress(library: Library) -> None:
    record = add_book(library)
    assert library.gists.progress(record, "tiny", 1) == Progress(0, 0, 0.0, False)
    add_pages(library, record, 2)
    assert library.gists.progress(record, "tiny", 1) == Progress(2, 2, 20 / END, False)
    assert library.gists.progress(record, "small", 1) == Progress(2, 0, 20 / END, False)
    assert library.gists.add_page(record, page(3, 20, END), gist(3), COST, 1.0)
    assert library.gists.progress(record, "tiny", 1) == Progress(3, 3, 1.0, True)
    assert library.gists.progress(record, "small", 1) == Progress(3, 0, 1.0, False)
    other = add_book(library, mark="b")
    assert library.gists.progress(other, "tiny", 1) == Progress(0, 0, 0.0, False)


def test_memory(library: Library) -> None:
    """In order, with pages and sections; complete only when the whole text has gists of this model."""
    record = add_book(library)
    assert library.gists.memory(record, "tiny").entries == ()
    add_pages(library, record, 2)
    memory = library.gists.memory(record, "tiny")
    assert (memory.title, memory.complete) == ("A Sample", False)
    assert [(entry.page, entry.section, entry.gist) for entry in memory.entries] == [
        (page(1, 0, 10), "One", "A short text."),
        (page(2, 10, 20), "One", "A short text."),
    ]
    assert library.gists.add_page(record, page(3, 20, END, section=1), gist(3), COST, 1.0)
    assert library.gists.memory(record, "tiny").complete
    library.gists.add_gist(record, page(1, 0, 10), gist(1, model="small"), COST, 1.0)
    small = library.gists.memory(record, "small")
    assert [entry.page.number for entry in small.entries] == [1] and not small.complete


def test_figures(library: Library) -> None:
    """Of one document and one model, in words as pages count them."""
    record = add_book(library)
    assert library.gists.figures(record, "tiny") == Figures(0, 0, 0, 0, 0, 0, 0, 0, 0.0)
    pages = (
        (replace(page(1, 0, 10, words=200), broken_by="fallback"), gist(1, "Five words – they say so.")),
        (page(2, 10, 20, words=100), gist(2, "第二页说了很多。", retried=True)),
        (replace(page(3, 20, 30, words=50), broken_by="end"), gist(3, "One.", flag="opening", retried=True)),
    )
    for one, text in pages:
        assert library.gists.add_page(record, one, text, Cost(100, 50, 7), 1.5)
    library.gists.add_gist(record, page(1, 0, 10), gist(1, model="small"), COST, 50.0)
    add_pages(library, add_book(library, mark="b"), 2)
    assert library.gists.figures(record, "tiny") == Figures(
        pages=3,
        words=350,
        gist_words=5 + 5 + 1,  # seven Chinese characters are about five words
        fallback_breaks=1,
        retried=2,
        openings=1,
        tokens_read=300,
        tokens_written=21,
        seconds=4.5,
    )


# -- left out ----------------------------------------------------------------------------------------------------


@pytest.fixture
def book(library: Library) -> DocumentRecord:
    """Three sections of a hundred characters; the first is an imprint, the last an index."""
    paragraphs = [Paragraph(n, 100 * n, str(n) * 100, (), "text") for n in range(3)]
    sections = [Section(n, f"S{n}", 1, -1, 100 * n) for n in range(3)]
    sectioned = tuple(SectionHealth(20, "en", matter) for matter in _MATTERS)
    health = Health(300, 60, 3, 3, sectioned=sectioned)
    return library.documents.add(FileRead(head(), Path("/b.txt"), health, list(sections), list(paragraphs)))


_MATTERS: tuple[Matter, ...] = ("imprint", "", "index")


def bounds(library: Library, record: DocumentRecord, model: str = "tiny") -> list[tuple[int, int, int, bool]]:
    """Number, start, end and whether there is a gist, of every page."""
    items = library.gists.pages(record, model)
    return [(item.page.number, item.page.start, item.page.end, item.gist is not None) for item in items]


def keep(library: Library, record: DocumentRecord, number: int, start: int, end: int, model: str = "tiny") -> bool:
    return library.gists.add_page(record, page(number, start, end, start // 100), gist(number, model=model), COST, 1.0)


def test_what_is_left_out_is_not_missing(library: Library, book: DocumentRecord) -> None:
    assert library.gists.gap(book) == Gap(1, 100, 200)
    assert library.gists.words_left(book, "tiny", 1) == pytest.approx(20)
    assert keep(library, book, 1, 100, 160)
    assert library.gists.gap(book) == Gap(2, 160, 200)
    assert library.gists.progress(book, "tiny", 1) == Progress(1, 1, 0.6, False)
    assert library.gists.words_left(book, "small", 1) == pytest.approx(10 + 8)
    assert keep(library, book, 2, 160, 200)
    assert library.gists.gap(book) is None and library.gists.words_left(book, "tiny", 1) == 0
    assert library.gists.progress(book, "tiny", 1) == Progress(2, 2, 1.0, True)
    assert library.gists.memory(book, "tiny").complete
    assert library.gists.progress(book, "small", 1) == Progress(2, 0, 1.0, False)


def test_a_page_never_goes_into_what_is_left_out(library: Library, book: DocumentRecord) -> None:
    assert not keep(library, book, 1, 0, 50), "the imprint is left out"
    assert not keep(library, book, 1, 100, 201), "it would go into the index"
    assert keep(library, book, 1, 100, 200)
    assert not keep(library, book, 2, 200, 300)


def test_pages_that_are_put_in_before_others_shift_them_and_their_look_ups(
    library: Library, book: DocumentRecord
) -> None:
    other = add_book(library, mark="b")
    add_pages(library, other, 2)
    assert keep(library, book, 1, 100, 150) and keep(library, book, 2, 150, 200)
    trail = (LookUp(2, "model", "named"), LookUp(1, "reader", "asked for", shortened=True))
    answer = Answer("It rains [Page 2], says page 1.", trail, 2, 2, True)
    for record in (book, other):
        library.conversations.add(record, "tiny", "What?", answer)
    library.documents.leave_out(book, 0, False)
    assert library.gists.gap(book) == Gap(1, 0, 100)
    assert library.gists.progress(book, "tiny", 1) == Progress(2, 2, 0.5, False)
    assert not library.gists.memory(book, "tiny").complete
    assert not keep(library, book, 1, 0, 101), "there is another page"
    assert keep(library, book, 1, 0, 40)
    assert library.gists.gap(book) == Gap(2, 40, 100)
    assert keep(library, book, 2, 40, 100)
    assert bounds(library, book) == [(1, 0, 40, True), (2, 40, 100, True), (3, 100, 150, True), (4, 150, 200, True)]
    (asked,) = library.conversations.of(book)
    assert asked.look_ups == (replace(trail[0], page=4), replace(trail[1], page=3))
    assert asked.moved == ((2, 4), (1, 3))
    (told,) = history(library, book)
    assert told.answer == "It rains [Page 4], says page 3." and told.look_ups == asked.look_ups
    assert library.conversations.of(other)[0].look_ups == trail, "another document's pages are where they were"
    assert bounds(library, other)[0][0] == 1


def test_pages_of_what_is_left_out_later_stay_and_are_not_demanded(library: Library, book: DocumentRecord) -> None:
    library.documents.leave_out(book, 0, False)
    assert keep(library, book, 1, 0, 100) and keep(library, book, 2, 100, 200)
    library.documents.leave_out(book, 0, True)
    assert bounds(library, book) == [(1, 0, 100, True), (2, 100, 200, True)]
    assert library.gists.missing(book, "small", 1) == page(2, 100, 200, 1)
    assert library.gists.add_gist(book, page(2, 100, 200), gist(2, model="small"), COST, 1.0)
    assert library.gists.missing(book, "small", 1) is None
    assert library.gists.progress(book, "small", 1) == Progress(1, 1, 1.0, True)
    assert library.gists.memory(book, "small").complete
    assert library.gists.first_done(book, "small", 1, 1) == 0
    library.documents.leave_out(book, 1, True)
    assert library.gists.progress(book, "tiny", 1) == Progress(0, 0, 1.0, True), "nothing is to be read at all"


def test_a_gist_finds_its_page_under_whatever_number(library: Library, book: DocumentRecord) -> None:
    """While it was written, another program has put a page in before."""
    assert keep(library, book, 1, 100, 200)
    first = library.gists.missing(book, "small", 1)
    assert first is not None
    library.documents.leave_out(book, 0, False)
    assert keep(library, book, 1, 0, 100)
    assert library.gists.add_gist(book, first, gist(1, "Mine.", "small"), COST, 1.0)
    assert bounds(library, book, "small") == [(1, 0, 100, False), (2, 100, 200, True)]
    assert not library.gists.add_gist(book, page(1, 0, 99), gist(1, model="small"), COST, 1.0)


def test_white_space_is_no_gap(library: Library) -> None:
    record = add_book(library, texts=("One two.   ", "Three."))
    assert library.gists.add_page(record, page(1, 0, 8), gist(1), COST, 1.0)
    assert library.gists.gap(record) == Gap(2, 11, 17), "it begins with its first visible character"
    assert library.gists.add_page(record, page(2, 11, 17, 1), gist(2), COST, 1.0)
    assert library.gists.gap(record) is None
    assert library.gists.progress(record, "tiny", 1).complete


def test_the_shelf_says_the_same(library: Library, book: DocumentRecord) -> None:
    """Whatever is left out, paged and gisted."""
    add_pages(library, add_book(library, mark="b"), 2)

    def check() -> None:
        for entry in library.shelf.entries():
            assert entry.progress == library.gists.progress(entry.document, entry.model, 1)

    check()
    assert keep(library, book, 1, 100, 150, "small")
    check()
    library.documents.leave_out(book, 2, False)
    check()
    assert keep(library, book, 2, 150, 200) and keep(library, book, 3, 200, 300)
    check()
    assert [entry.model for entry in library.shelf.entries()] == ["tiny", "tiny"]
    for section, is_left_out in ((1, True), (0, False), (1, False), (2, True)):
        library.documents.leave_out(book, section, is_left_out)
        check()


# -- several programs --------------------------------------------------------------------------------------------

WRITE_TOGETHER = """
from pathlib import Path
from readdesk.library.store import Library
from tests.library.books import COST, add_book, gist, page
library = Library(Path(sys.argv[2]))
mine = add_book(library, "Mine", f"mine{me}", texts=(str(me) * 10,) * 100)
both = add_book(library, "Both", "both", texts=("x" * 10,) * 100)
step()
kept = 0
for number in range(1, 101):
    assert library.gists.add_page(mine, page(number, number * 10 - 10, number * 10), gist(number), COST, 1.0)
    library.gists.set_kind(mine, "article")
    last = library.gists.last_page(both)
    at = last.number if last else 0
    if at < 100:
        text = f"By {me}."
        kept += library.gists.add_page(both, page(at + 1, at * 10, at * 10 + 10), gist(at + 1, text), COST, 1.0)
    assert len(library.gists.pages(mine, "tiny")) == number
print(kept)
library.close()
"""


def test_two_programs_write_at_once(library: Library) -> None:
    """Never "database is locked", never a page twice (trap 48)."""
    crew = Crew(2, WRITE_TOGETHER, str(library.file))
    crew.step()
    kept = [int(said) for said in crew.finish()]
    records = {record.file_hash.strip("0"): record for record in library.documents.all()}
    for name in ("mine", "mine1", "both"):
        items = library.gists.pages(records[name], "tiny")
        assert [(item.page.number, item.page.start, item.page.end) for item in items] == [
            (number, number * 10 - 10, number * 10) for number in range(1, len(items) + 1)
        ]
        assert all(item.gist is not None for item in items)
        if name != "both":
            assert len(items) == 100
    shared = [item.gist and item.gist.text for item in library.gists.pages(records["both"], "tiny")]
    assert [shared.count("By 0."), shared.count("By 1.")] == kept
    assert sum(kept) == len(shared)
