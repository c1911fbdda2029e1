"""`health`: of a book of the library, of a file that is not in it, and of a text read in another way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from readdesk.cli.health import estimate_words, languages_words, report_words, sections_words
from readdesk.documents.model import Matter, Section
from readdesk.library.model import DocumentRecord, HealthReport
from readdesk.library.store import Library
from readdesk.paths import Paths
from tests.cli.terminal import Terminal
from tests.samples import make


def section(
    index: int, title: str, words: int, matter: Matter = "", *, language: str = "en", level: int = 1
) -> Section:
    return Section(
        index, title, level, -1, index, words=words, language=language, matter=matter, is_left_out=bool(matter)
    )


SECTIONS = (
    section(0, "Imprint", 120, "imprint"),
    section(1, "Part One", 0),
    section(2, "I", 4000, level=2),
    section(3, "II", 900, language="fr", level=2),
    section(4, "Licence", 3000, "licence"),
    section(5, "More licence", 1, "licence"),
    section(6, "Cover", 0, "cover"),
)
BOOK = DocumentRecord(
    *(7, "The Ferry", ("Ann Author", "Béla Szabó"), "en", "epub", "/x", "0", 50_000, 8_021, "", ("A note.",), ""),
    structure="contents",
)
REPORT = HealthReport(BOOK, SECTIONS, 12, "starter", 600.0, False, ("By Ann.", "", "It left.", "", "", "", ""))


def test_a_report_in_words() -> None:
    assert report_words(REPORT).splitlines() == [
        "“The Ferry” by Ann Author, Béla Szabó",
        "  EPUB, 8,021 words, English, French (900 words)",
        "  Structure: contents of the file, 7 sections",
        "  Not read by a model (`gist --everything` reads it too):",
        "    imprint: 1 section, 120 words",
        "    licence: 2 sections, 3,001 words",
        "  Note: A note.",
        "  About 12 pages; starter takes about 10 min for them (a guess by the size of its file).",
    ]


@pytest.mark.parametrize(
    ("structure", "expected"),
    [
        ("headings", "headings, 1 section"),
        ("files", "its files, 1 section"),
        ("parts", "parts, 1 section"),
        ("", "1 section"),
    ],
)
def test_a_text_in_words(structure: str, expected: str) -> None:
    book = replace(BOOK, format="text", authors=(), notes=(), structure=structure, encoding="Big5")  # type: ignore[arg-type]
    one = replace(REPORT, document=book, sections=SECTIONS[2:3], openings=("",))
    assert report_words(one).splitlines()[:4] == [
        "“The Ferry”",
        "  Text, 8,021 words, English",
        f"  Structure: {expected}",
        "  Encoding: Big5",
    ]


def test_the_time_in_words() -> None:
    measured = replace(REPORT, is_measured=True, pages=1, seconds=30.0)
    assert estimate_words(measured) == "About 1 page; starter takes about 30 s for them (measured on this computer)."
    missing = replace(REPORT, seconds=None)
    assert "; starter is not on this computer yet, so nobody can say" in estimate_words(missing)
    assert "; no model is on this computer yet, so nobody can say" in estimate_words(replace(missing, model=""))


def test_languages_in_words() -> None:
    assert languages_words(SECTIONS, "en") == "English, French (900 words)"
    assert languages_words((section(0, "I", 9, language=""),), "zh") == "Chinese"
    assert languages_words((section(0, "I", 9, language=""),), "tlh") == "tlh"
    assert languages_words((), "") == "language unknown"


def test_sections_in_words() -> None:
    assert sections_words(REPORT).splitlines()[:5] == [
        "Imprint (120 words) [not read: imprint]: By Ann.",
        "Part One (0 words)",
        "  I (4,000 words): It left.",
        "  II (900 words)",
        "Licence (3,000 words) [not read: licence]",
    ]
    mine = replace(SECTIONS[2], is_left_out=True)
    one = replace(REPORT, sections=(mine,), openings=("",))
    assert sections_words(one) == "  I (4,000 words) [not read: left out by you]"


# -- the command -------------------------------------------------------------------------------------------------


def test_of_a_book_of_the_library(terminal: Terminal, shelf: Path) -> None:
    said = terminal("health", "The Mill", "--sections")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("“The Mill”\n  Text, 2,400 words, English\n  Structure: 3 sections\n  About ")
    assert "\nSection 2 (800 words): mill8n0 mill8n1 " in said.out
    value = terminal("--json", "health", 2).json
    assert (value["id"], value["title"], value["words"], value["pages"]) == (2, "The Mill", 2400, 6)
    assert [item["words"] for item in value["sections"]] == [800, 800, 800]
    assert (value["seconds"], value["measured"], value["choices"]) == (None, False, {"encoding": "", "chapters": ""})


def test_of_a_file_that_is_not_in_the_library(terminal: Terminal, paths: Paths, tmp_path: Path) -> None:
    files = {"a.xhtml": make.xhtml("<h1>One</h1><p>The ferry left at six.</p>")}
    path = make.epub(tmp_path / "book.epub", files)
    said = terminal("health", path, "--sections")
    assert said.code == 0 and said.out.startswith("“A Sample” by Ann Author\n  EPUB, 6 words, English\n")
    assert said.out.endswith("\nOne (6 words): The ferry left at six.\n")
    assert terminal("--json", "health", path).json["id"] == 0
    assert terminal("--json", "list").json == []


def test_of_nothing(terminal: Terminal, shelf: Path, tmp_path: Path) -> None:
    assert "No document is called “nowhere.epub”" in terminal("health", "nowhere.epub").check_error()
    (tmp_path / "empty.txt").write_bytes(b"")
    assert "is empty" in terminal("health", tmp_path / "empty.txt").check_error()
    assert "No model is called" in terminal("health", "2", "--model", "nobody").check_error()
    assert "There is no library at" in terminal("--library", tmp_path / "typo.db", "health", "2").check_error()
    assert not (tmp_path / "typo.db").exists()


TALE = "Der Fährmann ging über die Brücke, und der Müller grüßte ihn. " * 4


def test_other_choices_are_tried_and_then_added(terminal: Terminal, paths: Paths, tmp_path: Path) -> None:
    """Trying changes nothing in the library; adding with them does, and the document stays the same one."""
    path = tmp_path / "tale.txt"
    parts = "\n\n\n".join(f"Strophe {number}\n\n{TALE}" for number in range(1, 4))
    path.write_bytes(parts.encode("cp1252"))
    assert terminal("add", path, "--encoding", "KOI8-R").code == 0
    before = terminal("--json", "health", 1).json
    assert before["encoding"] == "KOI8-R" and before["choices"]["encoding"] == "KOI8-R"
    tried = terminal("--json", "health", 1, "--encoding", "Windows-1252", "--chapters", "Strophe").json
    assert (tried["encoding"], tried["id"]) == ("Windows-1252", 0)
    assert [item["title"] for item in tried["sections"]][-3:] == ["Strophe 1", "Strophe 2", "Strophe 3"]
    assert terminal("--json", "health", 1).json == before
    added = terminal("--json", "add", path, "--encoding", "Windows-1252", "--chapters", "Strophe").json
    assert added["added"][0]["id"] == 1
    now = terminal("--json", "health", 1).json
    assert now["choices"] == {"encoding": "Windows-1252", "chapters": "Strophe"}
    assert now["sections"] == tried["sections"]
    assert terminal("--json", "add", path).json["added"][0]["id"] == 1, "and it stays so"
    assert terminal("--json", "health", 1).json["choices"]["chapters"] == "Strophe"


def test_gist_everything(terminal: Terminal, shelf: Path) -> None:
    """What is left out is taken in; without a model here it goes no further."""
    library = Library(shelf)
    record = library.documents.get(2)
    library.documents.leave_out(record, 0, True)
    assert "There is no model" in terminal("gist", 2).check_error()
    assert library.documents.sections(record)[0].is_left_out
    assert "There is no model" in terminal("gist", 2, "--everything").check_error()
    assert not any(found.is_left_out for found in library.documents.sections(record))
    library.close()
