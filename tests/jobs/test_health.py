"""What is told of a document before hours are spent on it: parts, pages, seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from readdesk.documents.fileread import FileRead
from readdesk.documents.model import DocumentHead, Health, Matter, SectionHealth
from readdesk.documents.normal import count_words
from readdesk.jobs.health import Reader, health, pages_of
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library
from readdesk.reading.model import Cost
from tests.fakes import a_document, words
from tests.library.books import gist, page

GIGABYTE = 1_000_000_000


def add_sections(library: Library, counted: Sequence[tuple[int, Matter]]) -> DocumentRecord:
    """A book of top-level sections of so many words and that matter, each with a heading."""
    texts: list[str] = []
    headings: list[int] = []
    for number, (count, _) in enumerate(counted):
        headings.append(len(texts))
        texts += [f"Part {number}", *([words(count, f"s{number}n")] if count else [])]
    document = a_document(texts, headings=headings, sections=headings)
    sectioned = tuple(SectionHealth(count + 2, "en", matter) for count, matter in counted)
    total = sum(count_words(text) for text in texts)
    found = Health(document.end, total, len(counted), len(texts), structure="headings", sectioned=sectioned)
    head = DocumentHead("A Book", (), "en", "text", f"{len(library.documents.all())}".rjust(64, "0"), 1)
    return library.documents.add(
        FileRead(head, Path("/b.txt"), found, list(document.sections), list(document.paragraphs))
    )


def test_pages_follow_the_words_that_are_not_left_out(library: Library) -> None:
    """A page never goes over a top-level section's end, so that a short one is a page of its own."""
    record = add_sections(library, [(300, "imprint"), (30, ""), (2000, ""), (0, "")])
    report = health(library, record, Reader())
    assert [section.is_left_out for section in report.sections] == [True, False, False, False]
    assert report.pages == 1 + round(2002 / 440) + 1
    assert report.document == record
    library.documents.leave_out(record, 0, False)
    assert health(library, record, Reader()).pages == report.pages + 1
    nested = [replace(section, level=2 if section.index else 1) for section in report.sections]
    assert pages_of(nested, "article") == round(2036 / 440)


def test_the_first_words_of_each_section(library: Library) -> None:
    record = add_sections(library, [(5, ""), (0, ""), (40, "")])
    openings = health(library, record, Reader()).openings
    assert openings[0] == "s0n0 s0n1 s0n2 s0n3 s0n4."
    assert openings[1] == ""
    assert openings[2].startswith("s2n0 s2n1 ") and openings[2].endswith(" …") and len(openings[2]) <= 82


def test_seconds_by_a_rule_of_thumb(library: Library) -> None:
    """Twice the file, twice the time; nothing without a model."""
    record = add_sections(library, [(548, "")])
    starter = health(library, record, Reader("starter", 11 * GIGABYTE // 10))
    assert (starter.model, starter.is_measured) == ("starter", False)
    assert starter.seconds == pytest.approx(10.0)
    assert health(library, record, Reader("large", 22 * GIGABYTE // 10)).seconds == pytest.approx(20.0)
    nobody = health(library, record, Reader())
    assert (nobody.model, nobody.seconds, nobody.is_measured) == ("", None, False)
    assert health(library, record, Reader("starter")).seconds is None, "it is not on this computer"


def test_seconds_as_they_were_measured(library: Library) -> None:
    """By all that this model has done in the library, for whatever document."""
    first, other = add_sections(library, [(548, "")]), add_sections(library, [(998, "")])
    for record, count, seconds in ((first, 100, 5.0), (other, 300, 15.0)):
        done = page(1, 0, 100, words=count)
        assert library.gists.add_page(record, done, gist(1, model="starter"), Cost(), seconds)
    report = health(library, other, Reader("starter", GIGABYTE))
    assert report.is_measured and report.seconds == pytest.approx(1000 / 20)
    assert not health(library, other, Reader("small", GIGABYTE)).is_measured


def test_a_document_of_an_older_library_is_counted_when_it_is_looked_at(library: Library) -> None:
    record = add_sections(library, [(50, ""), (60, "")])
    with library._connections.writing() as db:
        db.execute("UPDATE sections SET words = 0")
    assert [section.words for section in health(library, record, Reader()).sections] == [52, 62]
