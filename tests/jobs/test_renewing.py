"""Files that change: what is as it was keeps its gists, what is not is to do again (traps 56, 58 and 71); all real."""

from __future__ import annotations

import re
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readdesk.documents.fileread import FileRead
from readdesk.documents.model import AUTOMATIC, Choices, DocumentHead, Health, Paragraph
from readdesk.documents.normal import normal
from readdesk.documents.open import DocumentReader
from readdesk.errors import DocumentError
from readdesk.jobs.add import FileRequest, add, reread
from readdesk.jobs.lane import Turn
from readdesk.jobs.work import GistRequest, gist
from readdesk.library.model import DocumentRecord, PageRecord, ReadingPlace
from readdesk.library.store import Library
from readdesk.reading.model import Answer, LookUp
from tests.jobs.books import Engines, drive, writer
from tests.jobs.homes import as_text, short_pages
from tests.samples import make


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    """One document process for all tests of this file."""
    opened = DocumentReader()
    yield opened
    opened.close()


Add = Callable[..., DocumentRecord]


@pytest.fixture
def added(library: Library, reader: DocumentReader) -> Add:
    """Adds a file in this thread."""

    def add_file(path: Path, choices: Choices | None = None, *, is_again: bool = False) -> DocumentRecord:
        _, record = drive(add(1, Turn(), library, reader, FileRequest(path, None, choices, is_again=is_again)))
        assert isinstance(record, DocumentRecord)
        return record

    return add_file


@pytest.fixture
def book(shared_data: Path, tmp_path: Path) -> Path:
    """A real novel."""
    return Path(shutil.copy(shared_data / "documents/epub/persuasion-epub2.epub", tmp_path / "persuasion.epub"))


def gisted(library: Library, record: DocumentRecord) -> int:
    """Gist what is missing; how many pages were done."""
    _, result = drive(gist(1, Turn(), library, Engines(tiny=writer()), GistRequest(record.id, "tiny")))
    assert result.complete  # type: ignore[attr-defined]
    check_tiling(library, library.documents.get(record.id))
    return int(result.added)  # type: ignore[attr-defined]


def check_tiling(library: Library, record: DocumentRecord) -> None:
    """Pages in order, without overlap, each with its own gist; all that is readable is covered."""
    items = library.gists.pages(record, "tiny")
    document = library.documents.load(record)
    assert [item.page.number for item in items] == list(range(1, len(items) + 1))
    last = 0
    for item in items:
        assert last <= item.page.start < item.page.end
        last = item.page.end
        assert item.page.section == document.section_at(item.page.start)
        assert item.gist is not None
        text = document.text(item.page.start, item.page.end)
        if item.gist.flag != "verbatim":
            assert item.gist.text.split()[0] == text.split()[0], "another page's gist"
    assert library.gists.gap(record) is None


def gist_ids(library: Library) -> dict[int, tuple[int, int, int]]:
    """Every gist's page by its own id: number, start, end."""
    rows = library._connections.db.execute(
        "SELECT gists.id, number, start, end FROM gists JOIN pages ON pages.id = gists.page"
    )
    return {row[0]: (row[1], row[2], row[3]) for row in rows}


def asked(library: Library, record: DocumentRecord, *pages: int) -> None:
    """Keep a question whose trail names some pages."""
    trail = tuple(LookUp(page, "model", "named") for page in pages)
    library.conversations.add(record, "tiny", "What?", Answer("So.", trail, 1, 1, True))


def trail(library: Library, record: DocumentRecord) -> list[int]:
    return [item.page for item in library.conversations.of(record)[-1].look_ups]


def visible(library: Library, record: DocumentRecord, item: PageRecord) -> str:
    return normal(library.documents.text(record, item.page.start, item.page.end))


def paragraph_in_the_middle(library: Library, record: DocumentRecord) -> Paragraph:
    """A paragraph of plain words well within a page."""
    page = library.gists.pages(record, "tiny")[len(library.gists.pages(record, "tiny")) // 2].page
    found = library.documents.paragraphs(record, page.start, page.end)
    plain = [p for p in found if p.text.isascii() and not set(p.text) & set("&<>'\"_") and len(p.text) > 60]
    return next(p for p in plain if len(p.pieces) == 1 and page.start < p.start and p.end < page.end)


def change_paragraph(path: Path, paragraph: Paragraph, new: str) -> None:
    """Put other words in the place of the paragraph's first forty characters."""
    begun = paragraph.text[:40]
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if begun in archive.read(name).decode("utf-8", "ignore")]
    make.changed(path, names[0], lambda text: text.replace(begun, new, 1))


# -- tags and covers ---------------------------------------------------------------------------------------------


def test_a_tag_or_a_cover_makes_nothing_stale(library: Library, added: Add, book: Path) -> None:
    """Trap 71: another title, another author, another cover; the text stays, and so does everything made of it."""
    record = added(book)
    assert gisted(library, record) > 20
    asked(library, record, 7, 2)
    library.places.keep(record.id, ReadingPlace(12345, "view"))
    before, pages = gist_ids(library), library.gists.pages(record, "tiny")
    with zipfile.ZipFile(book) as archive:
        package = next(name for name in archive.namelist() if name.endswith(".opf"))
        picture = next(name for name in archive.namelist() if name.endswith((".jpg", ".png")))
    make.changed(book, package, lambda text: re.sub(r"(<dc:title[^>]*>)[^<]*", r"\1Persuasion, annotated", text))
    make.changed(book, package, lambda text: re.sub(r"(<dc:creator[^>]*>)[^<]*", r"\1J. Austen", text))
    with zipfile.ZipFile(book, "a") as archive:
        archive.writestr(f"{picture}.old", archive.read(picture))
    again = added(book)
    assert again.id == record.id and again.file_hash != record.file_hash and again.size == book.stat().st_size
    assert again.title == "Persuasion, annotated" and again.authors == ("J. Austen",)
    assert gist_ids(library) == before
    assert [replace(item, section="") for item in library.gists.pages(again, "tiny")] == [
        replace(item, section="") for item in pages
    ]
    assert again.notes == record.notes and trail(library, again) == [7, 2]
    assert library.places.get(record.id) == ReadingPlace(12345, "view")
    assert gisted(library, again) == 0
    assert library.documents.anchor(again, 1000, 1010) == library.documents.anchor(record, 1000, 1010)


def test_the_same_text_in_two_files_is_one_entry(library: Library, added: Add, tmp_path: Path) -> None:
    """Trap 58; a PDF of it is another one."""
    words = "The ferry left at six, and nobody was on it but the postman."
    files = {"a.xhtml": make.xhtml(f"<h1>One</h1><p>{words}</p>")}
    first = added(make.epub(tmp_path / "one.epub", files))
    copy = added(make.epub(tmp_path / "two.epub", files, metadata="<dc:title>Tagged</dc:title>"))
    assert (copy.id, copy.path, copy.title) == (first.id, str(tmp_path / "two.epub"), "Tagged")
    pdf = added(make.pdf(tmp_path / "three.pdf", [make.lines(["One", words])]))
    assert pdf.id != first.id and len(library.documents.all()) == 2
    (tmp_path / "four.txt").write_text(f"One\n\n{words}\n")
    assert added(tmp_path / "four.txt").id not in (first.id, pdf.id)


def test_characters_that_nobody_sees(library: Library, added: Add, tmp_path: Path) -> None:
    """They move every position behind them; no page is lost, no gist is stale, and anchors fit the new file."""
    path = chapters(tmp_path, 3)
    record = added(path)
    gisted(library, record)
    before = [visible(library, record, item) for item in library.gists.pages(record, "tiny")]
    make.changed(path, "OPS/0.xhtml", lambda text: text.replace("letters", "let&#x200C;ters"))
    again = added(path)
    assert (again.id, again.text_hash, again.notes) == (record.id, record.text_hash, record.notes)
    assert again.characters == record.characters + 6
    assert [visible(library, again, item) for item in library.gists.pages(again, "tiny")] == before
    assert gisted(library, again) == 0


# -- new versions ------------------------------------------------------------------------------------------------


def chapters(folder: Path, count: int, name: str = "serial.epub") -> Path:
    """A serial of so many chapters, each of which makes one page."""
    found = short_pages(count)
    files = {f"{n}.xhtml": make.xhtml(f"<h1>{title}</h1><p>{text}</p>") for n, (title, text) in enumerate(found)}
    nav = "".join(make.entry(file, title) for file, (title, _) in zip(files, found, strict=True))
    return make.epub(folder / name, files, nav=nav)


def test_new_chapters_at_the_end_are_all_there_is_to_do(library: Library, added: Add, tmp_path: Path) -> None:
    """Trap 71."""
    record = added(chapters(tmp_path, 5))
    assert gisted(library, record) == 5
    before = gist_ids(library)
    longer = added(chapters(tmp_path, 7))
    assert longer.id == record.id
    assert longer.notes[-1] == "The file has changed since it was added: 5 of 5 pages are as they were."
    assert gist_ids(library) == before
    progress = library.gists.progress(longer, "tiny", 1)
    assert (progress.pages, progress.gists, progress.complete) == (5, 5, False)
    assert gisted(library, longer) == 2
    assert gist_ids(library).items() >= before.items()


def test_a_corrected_paragraph_makes_one_page_to_do(library: Library, added: Add, book: Path) -> None:
    """Trap 71, in a real novel: the others keep their gists, and all that points into the text moves with it."""
    record = added(book)
    pages = gisted(library, record)
    items = library.gists.pages(record, "tiny")
    before = [visible(library, record, item) for item in items]
    changed = paragraph_in_the_middle(library, record)
    (page,) = [item.page for item in items if item.page.start <= changed.start < item.page.end]
    asked(library, record, page.number + 2, page.number, 1)
    behind = items[page.number + 3]
    library.places.keep(record.id, ReadingPlace(behind.page.start + 5, "view"))
    change_paragraph(book, changed, "It was corrected by the author, who had forgotten that it rained.")
    renewed = added(book)
    assert renewed.id == record.id and renewed.characters != record.characters
    assert (
        renewed.notes[-1] == f"The file has changed since it was added: {pages - 1} of {pages} pages are as they were."
    )
    kept = library.gists.pages(renewed, "tiny")
    assert [visible(library, renewed, item) for item in kept] == [
        said for said, item in zip(before, items, strict=True) if item.page != page
    ]
    assert trail(library, renewed) == [page.number + 1, page.number, 1], "the page in the middle is still to come"
    place = library.places.get(record.id)
    assert place is not None and (place.position - behind.page.start - 5, place.view) == (
        renewed.characters - record.characters,
        "",
    )
    gap = library.gists.gap(renewed)
    assert gap is not None and (gap.number, gap.start) == (page.number, page.start)
    assert gisted(library, renewed) == 1
    assert trail(library, renewed) == [page.number + 2, page.number, 1]
    assert len(library.gists.pages(renewed, "tiny")) == pages


def test_a_chapter_that_is_taken_out_takes_its_pages_along(library: Library, added: Add, tmp_path: Path) -> None:
    """And one that is put in is to do; what was looked up in one that has gone points to what stands there now."""
    record = added(chapters(tmp_path, 5))
    gisted(library, record)
    asked(library, record, 5, 3, 2)
    make.changed(tmp_path / "serial.epub", "OPS/2.xhtml", lambda text: text.replace("ferry", "mail coach"))
    shutil.copy(tmp_path / "serial.epub", tmp_path / "changed.epub")
    found = [(number, chapter) for number, chapter in enumerate(short_pages(5)) if number != 2]
    files = {f"{n}.xhtml": make.xhtml(f"<h1>{title}</h1><p>{text}</p>") for n, (title, text) in found}
    nav = "".join(make.entry(f"{n}.xhtml", title) for n, (title, _) in found)
    shorter = added(make.epub(tmp_path / "serial.epub", files, nav=nav))
    assert shorter.id == record.id
    assert [item.page.number for item in library.gists.pages(shorter, "tiny")] == [1, 2, 3, 4]
    assert trail(library, shorter) == [4, 3, 2]
    assert gisted(library, shorter) == 0
    (tmp_path / "changed.epub").replace(tmp_path / "serial.epub")
    longer = added(tmp_path / "serial.epub")
    assert longer.id == record.id
    assert [item.page.number for item in library.gists.pages(longer, "tiny")] == [1, 2, 3, 4]
    assert gisted(library, longer) == 1
    assert trail(library, longer)[0] == 5 and trail(library, longer)[2] == 2


def test_a_new_version_at_another_place(library: Library, added: Add, tmp_path: Path) -> None:
    """It is the same document once the old file has gone; two editions side by side are two."""
    old = chapters(tmp_path, 5)
    record = added(old)
    gisted(library, record)
    side = added(chapters(tmp_path, 7, "second edition.epub"))
    assert side.id != record.id
    old.unlink()
    third = added(chapters(tmp_path, 6, "third edition.epub"))
    assert third.id == record.id and third.path.endswith("third edition.epub")
    assert len(library.documents.all()) == 2
    assert gisted(library, third) == 1


def test_a_wholly_different_book_at_the_same_path(library: Library, added: Add, book: Path, tmp_path: Path) -> None:
    """Trap 56: it is another entry; the old one keeps its text and gists, and its path finds the new one."""
    record = added(chapters(tmp_path, 3))
    gisted(library, record)
    book.replace(tmp_path / "serial.epub")
    other = added(tmp_path / "serial.epub")
    assert other.id != record.id
    assert library.documents.get(record.id) == replace(record, kind="article")
    assert len(library.gists.pages(record, "tiny")) == 3
    assert library.documents.find(str(tmp_path / "serial.epub")).id == other.id
    at_path = library.documents.at_path(tmp_path / "serial.epub")
    assert at_path is not None and at_path.id == other.id
    back = added(chapters(tmp_path, 4))
    assert back.id == record.id, "the first book has come back in a new version"
    assert library.documents.find(str(tmp_path / "serial.epub")).id == record.id


def story(path: Path, title: str, about: str, count: int = 8) -> Path:
    """A text as Project Gutenberg gives it: a short story, and a licence that is three times as long."""
    mark = f"THE PROJECT GUTENBERG EBOOK {title.upper()} ***"
    licence = "\n\n".join(text for _, text in short_pages(3 * count, "licensee"))
    head = f"The Project Gutenberg eBook of {title}\n\nTitle: {title}\n\nAuthor: Ann Author\n"
    body = as_text(short_pages(count, about))
    path.write_text(f"{head}\n*** START OF {mark}\n\n{body}\n\n*** END OF {mark}\n\n{licence}\n")
    return path


def test_a_licence_in_common_makes_no_version(library: Library, added: Add, tmp_path: Path) -> None:
    """Trap 56: every text of one source ends with the same pages; two stories saved at one path are two books."""
    record = added(story(tmp_path / "download.txt", "The Ferry", "ferry"))
    assert [section.matter for section in library.documents.sections(record)][-1] == "licence"
    pages = gisted(library, record)
    asked(library, record, 2)
    kept = library.gists.pages(record, "tiny")
    other = added(story(tmp_path / "download.txt", "The Balloon", "balloon"))
    assert other.id != record.id and other.title == "The Balloon" and other.notes == ()
    assert library.gists.pages(record, "tiny") == kept and len(kept) == pages
    assert trail(library, record) == [2] and library.conversations.of(other) == ()
    assert "ferry" in library.documents.text(record, 0, record.characters)
    longer = added(story(tmp_path / "download.txt", "The Ferry", "ferry", 9))
    assert longer.id == record.id
    assert longer.notes[-1] == f"The file has changed since it was added: {pages} of {pages} pages are as they were."
    assert gisted(library, other) > 0 and len(library.documents.all()) == 2


def revised(path: Path, title: str, edition: str, changed: Sequence[int] = range(4)) -> Path:
    """Four chapters of a page each; those changed end with a word on the edition."""
    files = {
        f"{n}.xhtml": make.xhtml(
            f"<h1>{name}</h1><p>{text}</p><p>So it was in the {edition if n in changed else 'end'}.</p>"
        )
        for n, (name, text) in enumerate(short_pages(4))
    }
    nav = "".join(make.entry(file, f"CHAPTER {n}") for n, file in enumerate(files, start=1))
    return make.epub(path, files, nav=nav, metadata=f"<dc:title>{title}</dc:title>" if title else "<dc:language/>")


@pytest.mark.parametrize(
    ("before", "after", "changed", "is_one"),
    [
        ("A Serial", "A Serial", range(4), True),
        ("A Serial", "Another Serial", range(4), False),
        ("A Serial", "Another Serial", range(3), True),
        ("", "", range(4), False),
        ("", "", range(3), True),
    ],
)
def test_a_book_of_another_name_takes_no_place_where_every_page_would_go(
    library: Library, added: Add, tmp_path: Path, before: str, after: str, changed: Sequence[int], is_one: bool
) -> None:
    """Though most of the text is the same; a title that is only the file's name says nothing."""
    record = added(revised(tmp_path / "book.epub", before, "first", changed))
    assert record.title == (before or "book") and gisted(library, record) == 4
    again = added(revised(tmp_path / "book.epub", after, "second", changed))
    assert (again.id == record.id) is is_one
    assert len(library.gists.pages(record, "tiny")) == (4 - len(changed) if is_one else 4)
    assert gisted(library, again) == (len(changed) if is_one else 4)


def test_a_file_cut_short_for_a_moment_costs_no_page(library: Library, added: Add, tmp_path: Path) -> None:
    """An interrupted copy is an entry of its own; when the whole file is back, so is all that was made of it."""
    record = added(chapters(tmp_path, 8))
    assert gisted(library, record) == 8
    pages = library.gists.pages(record, "tiny")
    short = added(chapters(tmp_path, 4))
    assert short.id != record.id and library.gists.pages(record, "tiny") == pages
    assert added(chapters(tmp_path, 8)).id == record.id and gisted(library, record) == 0
    assert library.gists.pages(record, "tiny") == pages


def test_no_page_is_lost_where_none_is_there(library: Library, added: Add, tmp_path: Path) -> None:
    record = added(revised(tmp_path / "book.epub", "A Serial", "first"))
    assert added(revised(tmp_path / "book.epub", "Another Serial", "second")).id == record.id


def test_a_file_that_was_moved(library: Library, added: Add, tmp_path: Path) -> None:
    """Trap 56."""
    record = added(chapters(tmp_path, 3))
    gisted(library, record)
    (tmp_path / "serial.epub").rename(tmp_path / "elsewhere.epub")
    moved = added(tmp_path / "elsewhere.epub")
    assert moved == replace(record, path=str(tmp_path / "elsewhere.epub"), kind="article")
    assert gisted(library, moved) == 0


def test_what_a_person_left_out_stays_left_out(library: Library, added: Add, tmp_path: Path) -> None:
    record = added(chapters(tmp_path, 4))
    library.documents.leave_out(record, 1, True)
    assert gisted(library, record) == 3
    longer = added(chapters(tmp_path, 6))
    assert [section.is_left_out for section in library.documents.sections(longer)] == [False, True, *[False] * 4]
    assert gisted(library, longer) == 2


# -- other choices -----------------------------------------------------------------------------------------------

RUSSIAN = (
    "Глава {number}\n\nВ шесть часов паром номер {number} ушёл из гавани, и на нём не было никого, кроме почтальона, "
    "который вёз письма из города. Никто не читал их вслух, и никто не спрашивал, от кого они пришли в этот раз."
)


def test_a_text_read_in_another_encoding_is_the_same_document(
    library: Library, reader: DocumentReader, added: Add, tmp_path: Path
) -> None:
    """Though not a word is as it was; the choice is kept, and a new version of the file is read with it."""
    path = tmp_path / "paroms.txt"
    path.write_bytes("\n\n\n".join(RUSSIAN.format(number=number) for number in range(1, 4)).encode("koi8-r"))
    wrong, right = Choices("Windows-1252"), Choices("KOI8-R")
    record = added(path, wrong)
    assert record.choices == wrong and "паром" not in library.documents.text(record, 0, record.characters)
    gisted(library, record)
    _, again = drive(reread(1, Turn(), library, reader, record.id, FileRequest(path, None, right)))
    assert isinstance(again, DocumentRecord)
    assert (again.id, again.choices, again.file_hash) == (record.id, right, record.file_hash)
    assert "паром" in library.documents.text(again, 0, again.characters)
    assert again.notes[-1].startswith("It was read again in another way: 0 of ")
    assert library.gists.pages(again, "tiny") == () and gisted(library, again) > 0
    assert added(path).choices == right, "the same file, and nothing else was asked for"
    with path.open("ab") as file:
        file.write(("\n\n\n" + RUSSIAN.format(number=4)).encode("koi8-r"))
    longer = added(path)
    assert (longer.id, longer.choices) == (record.id, right)
    assert "паром номер 4" in library.documents.text(longer, 0, longer.characters)
    assert added(path, wrong).choices == wrong


@pytest.mark.parametrize(
    ("chosen", "first", "wrong", "second", "right", "said"),
    [
        ("UTF-8", "L’été à Besançon.", "utf-8", "ушёл из гавани", "koi8-r", "is not in UTF-8"),
        ("KOI8-R", "ушёл из гавани", "koi8-r", "L’été à Besançon.", "utf-8", ""),
    ],
)
def test_what_was_chosen_for_one_book_is_not_forced_on_another(
    library: Library,
    added: Add,
    tmp_path: Path,
    chosen: str,
    first: str,
    wrong: str,
    second: str,
    right: str,
    said: str,
) -> None:
    """An encoding that does not fit another book fails, or makes wrong letters of it that no document goes on with."""
    path, choices = tmp_path / "download.txt", Choices(chosen)
    russian = [RUSSIAN.format(number=number) for number in range(1, 4)]
    french = [
        f"Chapitre {number}\n\nL’été, la mère de René a mangé {number} pâtes à Besançon." for number in range(1, 4)
    ]
    texts = {"koi8-r": "\n\n\n".join(russian), "utf-8": "\n\n\n".join(french)}
    path.write_bytes((texts[wrong] + f"\n\n{first}\n").encode(wrong))
    record = added(path, choices)
    path.write_bytes((texts[right] + f"\n\n{second}\n").encode(right))
    if said:
        with pytest.raises(DocumentError, match=said):
            added(path, choices)
    other = added(path)
    assert other.id != record.id and other.choices == AUTOMATIC
    assert second in library.documents.text(other, 0, other.characters)
    path.write_bytes((texts[wrong] + f"\n\n{first}\n\nFIN\n").encode(wrong))
    library.documents.moved(other, tmp_path / "elsewhere.txt")
    longer = added(path)
    assert (longer.id, longer.choices) == (record.id, choices), "a new version is read as the first one was"
    path.write_bytes(b"")
    with pytest.raises(DocumentError):
        added(path)


def test_a_file_that_is_another_document_by_now_is_read_as_that(
    library: Library, reader: DocumentReader, added: Add, tmp_path: Path
) -> None:
    path, second = tmp_path / "one.txt", tmp_path / "two.txt"
    record, other = added(story(path, "The Ferry", "ferry")), added(story(second, "The Balloon", "balloon"))
    shutil.copy(second, path)
    wanted = Choices(chapters=r"CHAPTER \d+")
    _, again = drive(reread(1, Turn(), library, reader, record.id, FileRequest(path, None, wanted)))
    assert isinstance(again, DocumentRecord) and (again.id, again.choices) == (other.id, wanted)
    assert library.documents.get(record.id) == record


# -- several programs, and faults --------------------------------------------------------------------------------


def test_another_program_was_faster(library: Library, added: Add, tmp_path: Path) -> None:
    """What was compared with an old text is compared anew."""
    path = chapters(tmp_path, 3)
    stale = added(path)
    gisted(library, stale)
    longer = added(chapters(tmp_path, 5))
    gisted(library, longer)
    paragraphs = library.documents.paragraphs(longer, 0, longer.characters)
    sections = library.documents.sections(longer)
    head, health = parts_of(longer)
    again = library.documents.update(stale, FileRead(head, path, health, list(sections), list(paragraphs)))
    assert again.id == stale.id and gisted(library, again) == 0


def test_what_another_program_made_of_it_is_judged_anew(
    library: Library, added: Add, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file was found to be a new version; before it is kept, the document has become a version of something else."""
    path = tmp_path / "serial.epub"
    record = added(revised(path, "A Serial", "first"))
    found: list[Any] = []
    version_of = library.documents._version_of

    def first_of_all(*arguments: Any) -> Any:
        result = version_of(*arguments)
        if not found:
            found.append(result)
            with library._connections.writing() as db:
                db.execute("UPDATE documents SET text_hash = 'other', title = 'Third' WHERE id = ?", [record.id])
                db.execute("UPDATE paragraphs SET text = 'Other words.' WHERE document = ?", [record.id])
        return result

    monkeypatch.setattr(library.documents, "_version_of", first_of_all)
    other = added(revised(path, "Another Serial", "second"))
    assert found[0] is not None and found[0][0].id == record.id and other.id != record.id
    assert library.documents.get(record.id).title == "Third"


def test_an_update_is_whole_or_not_at_all(library: Library, added: Add, tmp_path: Path) -> None:
    path = chapters(tmp_path, 3)
    record = added(path)
    gisted(library, record)
    asked(library, record, 2)
    before = list(library._connections.db.conn.iterdump())
    paragraphs = library.documents.paragraphs(record, 0, record.characters)[1:]
    head, health = parts_of(record)
    broken = [*paragraphs, replace(paragraphs[-1], kind=None)]  # type: ignore[arg-type]
    with pytest.raises(sqlite3.IntegrityError):
        library.documents.update(
            record, FileRead(head, path, health, list(library.documents.sections(record)), list(broken))
        )
    sections = [*library.documents.sections(record), library.documents.sections(record)[0]]
    with pytest.raises(sqlite3.IntegrityError):
        library.documents.update(record, FileRead(head, path, health, list(sections), list(paragraphs)))
    assert list(library._connections.db.conn.iterdump()) == before


def parts_of(record: DocumentRecord) -> tuple[DocumentHead, Health]:
    """What the file of a document says and comes to."""
    head = DocumentHead(record.title, record.authors, record.language, record.format, "f" * 64, record.size)
    return head, Health(record.characters, record.words, 0, 0)


def test_a_pdf_that_an_earlier_readdesk_added_gets_its_leaves(library: Library, added: Add, tmp_path: Path) -> None:
    """It is known by its bytes, and is read again all the same: its pages keep their gists."""
    path = make.pdf(tmp_path / "a.pdf", [[(72, 100 + 20 * at, line, 12) for at, line in enumerate(make.LINES)]] * 3)
    record = added(path)
    done = gisted(library, record)
    leaves = library.leaves.all(record)
    with sqlite3.connect(tmp_path / "library.db") as db:
        db.execute("DELETE FROM leaves")
    assert not library.leaves.all(record) and done
    assert added(path).id == record.id
    assert library.leaves.all(record) == leaves
    assert len([item for item in library.gists.pages(record, "tiny") if item.gist]) == done


def test_gists_stay_where_this_readdesk_reads_a_pdf_otherwise(library: Library, added: Add, tmp_path: Path) -> None:
    """Its text, on which the gists rest, stays as an earlier ReadDesk read it, until somebody wants it anew."""
    lines = [(72, 100 + 20 * at, f"{line} Then {at} came.", 12) for at, line in enumerate(make.LINES * 8)]
    path = make.pdf(tmp_path / "a.pdf", [lines] * 20)
    record = added(path)
    with sqlite3.connect(tmp_path / "library.db") as db:  # The earlier program took the letters for others.
        db.execute("DELETE FROM leaves")
        db.execute("UPDATE paragraphs SET text = replace(replace(text, 'e', 'x'), 'a', 'y')")
        db.execute("UPDATE documents SET text_hash = ?", [library.documents._text(record).hash])
    done = gisted(library, record)
    assert done > 3
    refreshed = added(path)
    assert refreshed.id == record.id and any("--again" in note for note in refreshed.notes)
    assert "lxttxr" in library.documents.text(refreshed, 0, 2000)
    assert len([item for item in library.gists.pages(refreshed, "tiny") if item.gist]) == done
    leaves = library.leaves.all(refreshed)
    assert len(leaves) == 20 and all(leaf.words for leaf in leaves)
    assert library.leaves.starts(refreshed)[1] > 0
    anew = added(path, is_again=True)
    assert anew.id == record.id and "letter" in library.documents.text(anew, 0, 2000)
    assert "0 of" in anew.notes[-1] and not any("--again" in note for note in anew.notes)
