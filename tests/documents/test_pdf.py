from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf as typed_in_part
import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.documents.model import DocumentHead, LeafSpot
from readdesk.documents.open import ReadSoFar
from readdesk.documents.pdf.joining import keeps_hyphen
from readdesk.documents.service import DocumentService
from readdesk.errors import DocumentError, PasswordNeeded
from tests.documents.reading import check_random_spans, pdf_resolver, read
from tests.samples import make

pymupdf: Any = typed_in_part


def test_two_columns_between_title_and_footnote(tmp_path: Path) -> None:
    """Traps 1 and 2."""
    path = make.two_columns(tmp_path / "columns.pdf")
    text = read(path).text
    order = [
        "A Title That Runs",
        *(f"left {n:02d}" for n in range(12)),
        *(f"right {n:02d}" for n in range(12)),
        "A footnote",
    ]
    places = [text.index(word) for word in order]
    assert places == sorted(places)
    check_random_spans(read(path).document, pdf_resolver(path), 60)


def test_running_heads_and_numbers_are_left_out(tmp_path: Path) -> None:
    """Trap 3."""
    reading = read(make.running_heads(tmp_path / "heads.pdf"))
    assert "THE HEAD" not in reading.text
    assert not any(paragraph.text.isdigit() for paragraph in reading.document.paragraphs)
    assert reading.text.count("A first line that is on two leaves stays.") == 2
    assert all(f"Leaf number {number} begins here." in reading.text for number in (0, 2, 3, 5))


def test_hyphens_and_paragraphs_over_leaves(tmp_path: Path) -> None:
    """Trap 4."""
    path = make.hyphens(tmp_path / "hyphens.pdf")
    reading = read(path)
    assert len(reading.document.paragraphs) == 1
    assert "the new climate report" in reading.text
    assert "the planet-warming kind" in reading.text
    assert "Franco-Prussian side" in reading.text
    assert "does not end on the first leaf but goes on" in reading.text
    check_random_spans(reading.document, pdf_resolver(path), 60)


@pytest.mark.parametrize(
    ("before", "after", "words", "keeps"),
    [
        ("cli", "mate", {"climate"}, False),
        ("planet", "warming", {"planet-warming"}, True),
        ("planet", "warming", {"planet-warming", "planetwarming"}, False),
        ("well", "known", {"well", "known"}, False),
        ("world", "famous", {"world", "famous"}, True),
        ("Franco", "Prussian", set(), True),
        ("Trace", "Monkey", {"tracemonkey"}, False),
        ("page", "12", set(), True),
        ("state-of", "the", set(), True),
    ],
)
def test_hyphen_rule(before: str, after: str, words: set[str], keeps: bool) -> None:
    if before == "well":
        words |= {"wellknown"}
    assert keeps_hyphen(before, after, frozenset(words)) is keeps


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_rectangles_lie_on_the_drawn_leaf(tmp_path: Path, turn: int) -> None:
    """Trap 9: the rectangle covers the word's ink, whatever rotation and crop box."""
    path = make.rotated(tmp_path / "turned.pdf", turn)
    spot = read(path).document.paragraphs[0].anchor.spots[0]
    assert isinstance(spot, LeafSpot) and spot.rectangles
    left, top, right, bottom = spot.rectangles[0]
    pixels = pymupdf.open(path)[0].get_pixmap(colorspace=pymupdf.csGRAY)
    dark = [(x, y) for y in range(pixels.height) for x in range(pixels.width) if pixels.pixel(x, y)[0] < 100]
    inside = [(x, y) for x, y in dark if left - 1 <= x <= right + 1 and top - 1 <= y <= bottom + 1]
    assert len(dark) > 200 and len(inside) == len(dark)


def test_passwords(tmp_path: Path) -> None:
    """Trap 8."""
    path = make.locked(tmp_path / "locked.pdf", "open sesame", "owner")
    with pytest.raises(PasswordNeeded, match="--password"):
        read(path)
    with pytest.raises(PasswordNeeded, match="wrong"):
        read(path, "sesame")
    assert "the letter came" in read(path, "open sesame").text
    assert "the letter came" in read(make.locked(tmp_path / "owner.pdf", "", "owner")).text


def test_scans(tmp_path: Path) -> None:
    """Trap 7: no text at all is said, in a document whose leaves can be looked at; one among others is marked."""
    scan = make.image_only(tmp_path / "scan.pdf")
    alone = read(scan)
    assert (alone.health.words, alone.health.unreadable_leaves, len(alone.document.sections)) == (0, (0,), 1)
    assert "picture without text" in alone.health.notes[0]
    mixed = pymupdf.open(scan)
    mixed.insert_pdf(pymupdf.open(make.pdf(tmp_path / "text.pdf", [make.lines(make.LINES)])))
    mixed.save(tmp_path / "mixed.pdf")
    reading = read(tmp_path / "mixed.pdf")
    assert reading.health.unreadable_leaves == (0,) and reading.head.leaves == 2


def test_outline_and_labels(tmp_path: Path) -> None:
    """Trap 10, and an entry that points nowhere."""
    reading = read(make.with_outline(tmp_path / "outline.pdf"))
    found = [(section.title, section.level, section.label) for section in reading.document.sections]
    assert found == [("Chapter 1", 1, "i"), ("Part 1.1", 2, "i"), ("Chapter 2", 1, "127"), ("Chapter 3", 1, "128")]
    assert reading.head.labels == ("i", "127", "128")
    sections = dict(reading.by_section())
    assert sections["Part 1.1"] == ["Part 1.1", "A short paragraph that belongs to the part."]
    assert sections["Chapter 1"][0] == "Chapter 1" and len(sections["Chapter 1"]) == 2
    assert "1 entry" in reading.health.notes[0]
    levels = {paragraph.text: paragraph.level for paragraph in reading.document.paragraphs if paragraph.level}
    assert levels == {"Chapter 1": 1, "Part 1.1": 2, "Chapter 2": 1, "Chapter 3": 1}


def test_how_much_has_been_read_is_told_from_the_start(tmp_path: Path) -> None:
    """Before the head, while leaves are read, and after it, while paragraphs are made of them."""
    path = make.pdf(tmp_path / "long.pdf", [make.lines(make.LINES)] * 40)
    parts = list(DocumentService().read(path, None, "pdf", cancel=CancelToken()))
    head = next(number for number, part in enumerate(parts) if isinstance(part, DocumentHead))
    assert parts[:head] == [ReadSoFar(done, 40) for done in (0, 10, 21, 26, 26, 26)]
    after = [part for part in parts[head:] if isinstance(part, ReadSoFar)]
    assert after == [ReadSoFar(26, 40), ReadSoFar(32, 40), ReadSoFar(37, 40)]


def test_reading_stops_between_two_leaves(tmp_path: Path) -> None:
    path = make.pdf(tmp_path / "long.pdf", [make.lines(make.LINES)] * 40)
    cancel = CancelToken()
    parts = DocumentService().read(path, None, "pdf", cancel=cancel)
    assert next(parts) == ReadSoFar(0, 40)
    cancel.cancel()
    with pytest.raises(Cancelled):
        next(parts)


def test_without_outline_headings(tmp_path: Path) -> None:
    content = [[(72.0, 90.0, f"{n + 1}. A Heading", 18.0), *make.lines(make.LINES, top=130)] for n in range(4)]
    reading = read(make.pdf(tmp_path / "headings.pdf", content))
    assert [section.title for section in reading.document.sections] == [f"{n + 1}. A Heading" for n in range(4)]


def test_damaged_files(tmp_path: Path) -> None:
    """Trap 11."""
    whole = make.pdf(tmp_path / "whole.pdf", [make.lines(make.LINES)] * 3).read_bytes()
    (tmp_path / "cut.pdf").write_bytes(whole[:120])
    with pytest.raises(DocumentError, match="damaged"):
        read(tmp_path / "cut.pdf")
    (tmp_path / "no-table.pdf").write_bytes(whole[: whole.rindex(b"xref") - 1])
    reading = read(tmp_path / "no-table.pdf")
    assert "the letter came" in reading.text and "repaired" in reading.health.notes[0]


@pytest.mark.parametrize(
    "name", ["debian-policy", "tracemonkey-two-column", "geotopo-de", "debmake-doc-zh-cn", "tables-nics-rotated"]
)
def test_random_spans_of_real_documents(shared_data: Path, name: str) -> None:
    path = shared_data / "documents" / "pdf" / f"{name}.pdf"
    check_random_spans(read(path).document, pdf_resolver(path))


def test_a_real_paper_in_two_columns(shared_data: Path) -> None:
    text = read(shared_data / "documents" / "pdf" / "tracemonkey-two-column.pdf").text
    assert "Section 7 we evaluate our dynamic compiler based on" in text
    assert "more difficult to compile than statically typed ones. Since no concrete type information" in text
    assert "low-level compiler intermediate representation we call LIR" in text


def test_a_real_manual(shared_data: Path) -> None:
    reading = read(shared_data / "documents" / "pdf" / "debian-policy.pdf")
    assert reading.health.sections > 330
    assert "Debian Policy Manual, Release" not in reading.text
    titles = dict(reading.by_section())
    assert titles["Standards conformance"][0] == "4.1 Standards conformance"
