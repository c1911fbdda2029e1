"""Sections of an EPUB where its contents are good, odd, poor or missing; front and back matter; printed pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from readdesk.documents.matter import Seen, judged, matter_of_title
from readdesk.documents.model import sections_with
from tests.documents.reading import Reading, read
from tests.samples import make

PROSE = "<p>" + "It was a long day and nothing happened that anybody would tell. " * 12 + "</p>"
NCX = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'


def book(tmp_path: Path, bodies: Mapping[str, str] | Sequence[str], nav: str = "", **more: object) -> Reading:
    named = bodies if isinstance(bodies, Mapping) else {f"{number}.xhtml": body for number, body in enumerate(bodies)}
    files = {name: make.xhtml(body) for name, body in named.items()}
    return read(make.epub(tmp_path / "book.epub", files, nav=nav, **more))  # type: ignore[arg-type]


def matters(reading: Reading) -> list[tuple[str, str]]:
    sections = sections_with(reading.document.sections, reading.health)
    return [(section.title, section.matter) for section in sections]


def ncx(points: str, pages: str = "") -> dict[str, str]:
    xml = f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{points}</navMap>{pages}</ncx>'
    return {"OPS/toc.ncx": xml}


def point(title: str, source: str, inside: str = "", tag: str = "navPoint") -> str:
    return f'<{tag}><navLabel><text>{title}</text></navLabel><content src="{source}"/>{inside}</{tag}>'


# -- the ladder --------------------------------------------------------------------------------------------------


def test_the_ncx_of_an_old_book(tmp_path: Path) -> None:
    points = point("One", "0.xhtml", point("Deep", "0.xhtml#d")) + point("Two", "1.xhtml")
    bodies = [f"<h1>x</h1>{PROSE}<h2 id='d'>y</h2>{PROSE}", PROSE]
    reading = book(tmp_path, bodies, manifest=NCX, members=ncx(points))
    found = [(section.title, section.level) for section in reading.document.sections]
    assert found == [("One", 1), ("Deep", 2), ("Two", 1)]
    assert reading.health.structure == "contents"


def test_headings_serve_without_contents(tmp_path: Path) -> None:
    """Trap 19."""
    reading = book(tmp_path, [f"<h1>A</h1>{PROSE}<h2>B</h2>{PROSE}", f"<h1>C</h1>{PROSE}"])
    assert [(section.title, section.level) for section in reading.document.sections] == [("A", 1), ("B", 2), ("C", 1)]
    assert reading.health.structure == "headings"


def test_the_mark_of_a_note_is_no_part_of_a_title(tmp_path: Path) -> None:
    note = '<aside epub:type="footnote" id="n"><p>Said.</p></aside>'
    reading = book(tmp_path, [f"<h1>Dawn<sup><a href='#n'>1</a></sup></h1>{PROSE}{note}", f"<h1>Dusk</h1>{PROSE}"])
    assert reading.document.sections[0].title == "Dawn"


def test_headings_serve_where_the_contents_name_the_whole_book_only(tmp_path: Path) -> None:
    bodies = [f"<h1>A</h1>{PROSE}", f"<h1>B</h1>{PROSE}", f"<h1>C</h1>{PROSE}"]
    reading = book(tmp_path, bodies, make.entry("0.xhtml", "Start"))
    assert [section.title for section in reading.document.sections] == ["A", "B", "C"]


def test_files_serve_without_headings(tmp_path: Path) -> None:
    files = {
        name: make.xhtml(PROSE, title) for name, title in (("a.xhtml", "Dawn"), ("b.xhtml", ""), ("c.xhtml", "Dusk"))
    }
    reading = read(make.epub(tmp_path / "book.epub", files))
    assert [section.title for section in reading.document.sections] == ["Dawn", "b", "Dusk"]
    assert reading.health.structure == "files"


def test_files_that_all_call_themselves_by_the_book_are_told_apart(tmp_path: Path) -> None:
    files = {f"{number}.xhtml": make.xhtml(PROSE, "My Book") for number in range(3)}
    reading = read(make.epub(tmp_path / "book.epub", files))
    assert [section.title for section in reading.document.sections] == ["My Book (1)", "My Book (2)", "My Book (3)"]


def test_one_long_file_without_anything_is_cut_into_parts(tmp_path: Path) -> None:
    reading = book(tmp_path, [PROSE * 200])
    titles = [section.title for section in reading.document.sections]
    assert reading.health.structure == "parts"
    assert titles == [f"Part {number}" for number in range(1, len(titles) + 1)]
    assert len(titles) == -(-reading.health.words // 5_040)  # whole paragraphs of 144 words
    assert all(found.words <= 5_040 for found in reading.health.sectioned)


def test_a_title_that_is_no_heading_is_set_as_one(tmp_path: Path) -> None:
    bodies = [f"<p class='x'>CHAPTER I</p>{PROSE}", f"<p>Chapter 2 began late.</p>{PROSE}"]
    nav = make.entry("0.xhtml", "Chapter I") + make.entry("1.xhtml", "Chapter II")
    kinds = book(tmp_path, bodies, nav).kinds
    assert kinds[0] == ("heading", "CHAPTER I") and kinds[2][0] == "text"


def test_several_entries_for_one_place(tmp_path: Path) -> None:
    """Trap 20: the part and its first chapter begin at the same element."""
    nav = make.entry("0.xhtml", "Part", make.entry("0.xhtml", "One") + make.entry("0.xhtml#b", "Two"))
    reading = book(tmp_path, [f"{PROSE}<h2 id='b'>Two</h2>{PROSE}"], nav)
    assert [(title, len(texts)) for title, texts in reading.by_section()] == [("Part", 0), ("One", 1), ("Two", 2)]


# -- front and back matter ---------------------------------------------------------------------------------------


def typed(name: str, text: str = PROSE) -> str:
    return f'<section epub:type="{name}"><h2>{name.title()}</h2>{text}</section>'


def test_what_the_file_calls_its_parts(tmp_path: Path) -> None:
    names = ("titlepage", "copyright-page", "dedication", "chapter", "endnotes", "index", "colophon")
    nav = "".join(make.entry(f"{number}.xhtml", name) for number, name in enumerate(names))
    found = matters(book(tmp_path, [typed(name, PROSE * (9 if name == "chapter" else 1)) for name in names], nav))
    assert [matter for _, matter in found] == ["title", "imprint", "", "", "notes", "index", "imprint"]


def test_a_file_after_the_cover_does_not_become_part_of_it(tmp_path: Path) -> None:
    """An entry for the cover only, one for chapter two: chapter one must be read."""
    bodies = [typed("cover", "<p>A Book</p>"), f"<h1>One</h1>{PROSE}", PROSE, f"<h1>Two</h1>{PROSE}"]
    nav = make.entry("0.xhtml", "Cover") + make.entry("3.xhtml", "Two")
    reading = book(tmp_path, bodies, nav)
    assert matters(reading) == [("Cover", "cover"), ("One", ""), ("Two", "")]
    assert [len(texts) for _, texts in reading.by_section()] == [2, 3, 2]


def test_a_title_page_is_not_the_parent_whose_chapters_are_left_out(tmp_path: Path) -> None:
    nav = make.entry("0.xhtml", "My Book", make.entry("1.xhtml", "I"))
    found = matters(book(tmp_path, [typed("halftitlepage", ""), f"<h2>I</h2>{PROSE}"], nav))
    assert found == [("My Book", "title"), ("I", "")]


def test_sections_of_the_notes_belong_to_them(tmp_path: Path) -> None:
    nav = make.entry("0.xhtml", "I") + make.entry("1.xhtml", "Notes", make.entry("1.xhtml#a", "Chapter I"))
    bodies = [PROSE * 3, f"<h1>Notes</h1><h2 id='a'>Chapter I</h2>{PROSE}"]
    assert matters(book(tmp_path, bodies, nav)) == [("I", ""), ("Notes", "notes"), ("Chapter I", "notes")]


def test_the_guide_of_an_old_book(tmp_path: Path) -> None:
    path = tmp_path / "book.epub"
    make.epub(
        path,
        {"a.xhtml": make.xhtml(PROSE), "b.xhtml": make.xhtml(PROSE * 3)},
        nav=make.entry("a.xhtml", "Welcome"),
    )
    guide = '<guide><reference type="copyright-page" title="Rights" href="a.xhtml"/></guide></package>'
    reading = read(make.changed(path, "OPS/package.opf", lambda text: text.replace("</package>", guide)))
    assert matters(reading)[0] == ("Welcome", "imprint")


def test_the_licence_of_project_gutenberg_is_no_part_of_the_book(tmp_path: Path) -> None:
    licence = (
        '<section class="pg-boilerplate pgheader" id="pg-header"><p>This eBook is for the use of anyone.</p></section>'
    )
    end = '<section class="pg-boilerplate pgfooter" id="pg-footer"><p>*** END ***</p></section>'
    reading = book(tmp_path, [f"{licence}<div><h1>A Tale</h1>{PROSE}</div>", f"{PROSE}{end}"])
    found = matters(reading)
    assert found[0] == ("The Project Gutenberg licence", "licence") == found[-1]
    assert ("A Tale", "") in found
    assert [len(texts) for _, texts in reading.by_section()][-1] == 1


@pytest.mark.parametrize(
    ("title", "matter"),
    [
        *[
            ("Table of Contents", "contents"),
            ("Оглавление", "contents"),
            ("目录", "contents"),
            ("תוכן העניינים", "contents"),
        ],
        *[("Copyright", "imprint"), ("版权信息", "imprint"), ("奥付", "imprint"), ("Impressum", "imprint")],
        *[("NOTES", "notes"), ("Примечания", "notes"), ("注释", "notes"), ("7. References", "bibliography")],
        *[("An excerpt from The Next Book", "excerpt"), ("Leseprobe: Der Wald", "excerpt")],
        *[("Also by Ann Author", "promotion"), ("About the Author", "promotion"), ("Об авторе", "promotion")],
        *[
            ("Index", "index"),
            ("Sachregister", "index"),
            ("索引", "index"),
            ("Appendix B: GNU Free Documentation License", "licence"),
        ],
        *[("Notes from Underground", ""), ("The Contents of the Box", ""), ("Cover Me", ""), ("1.1. Copyright", "")],
        *[("Preface", ""), ("Dedication", ""), ("Introduction", ""), ("", ""), ("III", ""), ("Chapter 2", "")],
    ],
)
def test_what_titles_say(title: str, matter: str) -> None:
    assert matter_of_title(title) == matter


def test_a_title_counts_only_where_such_a_thing_stands() -> None:
    """A chapter called "Notes" in the first half, "Copyright" in the middle, or a long one, is the book."""
    titles = (*(("One", 3_000), ("Notes", 500), ("Copyright", 400), ("Two", 3_000)), ("Notes", 300), ("Index", 200))
    sections = [Seen(title, -1, words=words) for title, words in titles]
    assert judged(sections) == ["", "", "", "", "notes", "index"]
    assert judged([Seen("Copyright", -1, words=5_000), Seen("One", -1, words=5_000)]) == ["", ""]


CHAPTERS = [Seen(f"Chapter {number}", -1, words=3_000) for number in range(1, 11)]


@pytest.mark.parametrize(
    "title",
    [
        *("Extract from Mina's Journal", "Extract from the Log of the Demeter", "Excerpts from a Diary", "Preview"),
        *("Literatur", "Литература", "Register", "מפתח", "Notes", "Note", "References", "Index", "Copyright"),
        *("The Licence", "License", "Advertisement", "About the Author", "Contents", "Cover", "Imprint", "Colophon"),
        *(
            "Praise for the Dead",
            "Also by Night",
            "Titelblatt",
            "目次",
            "注",
            "Указатель",
            "The Index",
            "Notes to Self",
        ),
    ],
)
@pytest.mark.parametrize("place", [3, 5, 7, 9])
def test_a_chapter_in_the_middle_is_never_left_out(title: str, place: int) -> None:
    """Chapters are called all sorts of things; one that is left out is worse than an index that is read."""
    chapter = Seen(title, -1, words=3_200)
    assert judged([*CHAPTERS[:place], chapter, *CHAPTERS[place:]]) == [""] * 11


def test_a_first_chapter_is_no_licence_and_a_last_one_no_register() -> None:
    assert judged([Seen("The Licence", -1, words=3_200), *CHAPTERS]) == [""] * 11
    assert judged([Seen("Advertisement", -1, words=744), *CHAPTERS]) == [""] * 11
    assert judged([*CHAPTERS, Seen("Notes", -1, words=3_000), Seen("The End", -1, words=4_000)]) == [""] * 12


def test_the_back_of_an_ordinary_book() -> None:
    back = (*(("Acknowledgments", 800), ("Notes", 3_000), ("Index", 1_500), ("About the Author", 100)),)
    more = (*(("Also by Ann Author", 50), ("An Excerpt from Next", 2_500)),)
    sections = [*CHAPTERS, *(Seen(title, -1, words=words) for title, words in (*back, *more))]
    assert judged(sections)[10:] == ["", "notes", "index", "promotion", "promotion", "excerpt"]


def test_a_part_is_measured_with_its_chapters() -> None:
    def parted(title: str, words: int) -> list[Seen]:
        return [*CHAPTERS, Seen(title, -1), *(Seen(f"For {number}", 10, words=words) for number in range(5))]

    assert judged(parted("Notes", 3_200))[10:] == [""] * 6
    assert judged(parted("Notes", 400))[10:] == ["notes"] * 6


def test_notes_and_references_of_single_chapters() -> None:
    sections = [
        part
        for number in range(3)
        for part in (
            Seen(f"Chapter {number}", -1, words=2_000),
            Seen("A Part", 3 * number, words=900),
            Seen("References", 3 * number, words=300),
        )
    ]
    assert judged(sections) == ["", "", "bibliography"] * 3


def test_what_would_leave_most_of_a_book_out_is_not_believed() -> None:
    sections = [Seen("One", -1, words=300), Seen("Excerpt from the Diary", -1, words=200), Seen("Index", -1, words=400)]
    assert judged(sections) == ["", "", ""]
    assert judged([Seen("One", -1, words=400), Seen("x", -1, told="notes", words=310)]) == ["", "notes"]
    assert judged([Seen("One", -1, words=300), Seen("x", -1, told="notes", words=900)]) == ["", ""]
    assert judged([Seen("One", -1, words=3_000, told="cover"), Seen("Two", -1, words=3_000)]) == ["", ""]


# -- printed pages -----------------------------------------------------------------------------------------------


def pages(reading: Reading) -> list[tuple[str, str]]:
    """The labels of printed pages with the text that follows each."""
    return [
        (mark.value, paragraph.text[mark.start :])
        for paragraph in reading.document.paragraphs
        for mark in paragraph.marks
        if mark.kind == "page"
    ]


def test_page_breaks_in_the_text(tmp_path: Path) -> None:
    body = (
        '<span epub:type="pagebreak" id="p1" title="xii"/>'
        '<p>One <span epub:type="pagebreak" id="p127">127</span>two.</p>'
        '<div role="doc-pagebreak" aria-label="Page 128."></div>'
        '<p>three <a class="pagenum" id="Page_129">[Pg 129]</a></p>'
    )
    reading = book(tmp_path, [body])
    assert pages(reading) == [("xii", "One two."), ("127", "two."), ("128", "three"), ("129", "")]
    assert reading.text == "One two.\nthree"


def test_page_lists_of_both_kinds(tmp_path: Path) -> None:
    body = '<p id="a">One.</p><p>Two <b id="b">three</b>.</p>'
    nav = make.entry("0.xhtml", "One") + "</ol></nav><nav epub:type='page-list'><ol>"
    nav += make.entry("0.xhtml#a", "7") + make.entry("0.xhtml#b", "8")
    assert pages(book(tmp_path, [body], nav)) == [("7", "One."), ("8", "three.")]
    targets = "".join(point(label, f"0.xhtml#{at}", tag="pageTarget") for label, at in (("iv", "a"), ("v", "b")))
    members = ncx(point("One", "0.xhtml"), f"<pageList>{targets}</pageList>")
    assert pages(book(tmp_path, [body], manifest=NCX, members=members)) == [("iv", "One."), ("v", "three.")]


def test_a_real_book_with_printed_pages(shared_data: Path) -> None:
    labels = [label for label, _ in pages(read(shared_data / "documents/epub/childrens-literature.epub"))]
    assert (labels[:5], len(labels)) == (["169", "170", "171", "172", "173"], 92)


# -- languages ---------------------------------------------------------------------------------------------------


def test_the_text_and_not_the_file_tells_the_language(shared_data: Path) -> None:
    chinese = read(shared_data / "documents/epub/debmake-doc-zh-cn.epub")
    assert (chinese.head.language, chinese.health.language) == ("en", "zh")
    russian = read(shared_data / "documents/epub/developers-reference-ru.epub")
    by_title = dict(
        zip((section.title for section in russian.document.sections), russian.health.sectioned, strict=True)
    )
    assert russian.health.language == "ru"
    assert by_title["How to salvage a package"].language == "en"
