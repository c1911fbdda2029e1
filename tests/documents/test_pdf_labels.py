"""Leaves are called what is printed on them: found in the furniture, voted on, filled in, or told by the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf as typed_in_part
import pytest

from readdesk.cancel import CancelToken
from readdesk.documents.model import DocumentHead, Furniture
from readdesk.documents.numbering import leaf_of_label
from readdesk.documents.pdf.labels import labels_of
from readdesk.documents.pdf.leaves import Leaf
from readdesk.documents.service import DocumentService
from tests.documents.reading import read
from tests.samples import make, printed

pymupdf: Any = typed_in_part


def leaves(*heads: str, own: Sequence[str] = ()) -> list[Leaf]:
    """A leaf for each head that was taken off it ("" for none), with what the file calls them."""
    found = []
    for index, head in enumerate(heads):
        leaf = Leaf(index, 400, 600, label=own[index] if own else "")
        if head:
            leaf.furniture.append(Furniture("number" if head.isdigit() else "head", head, (50, 30, 90, 40)))
        found.append(leaf)
    return found


def test_a_whole_book(tmp_path: Path) -> None:
    """Trap 69: no labels in the file; roman front matter, and arabic pages with openings and a misread number."""
    for misread in (False, True):
        labels = read(printed.book(tmp_path / "book.pdf", misread=misread)).head.labels
        assert labels == ("i", "ii", "iii", "iv", *map(str, range(1, 22)))


def test_sections_and_health_carry_the_label(tmp_path: Path) -> None:
    """Trap 10."""
    reading = read(printed.numbered(tmp_path / "late.pdf", [str(number) for number in range(127, 133)]))
    assert reading.document.sections[0].label == "127"
    assert [leaf.label for leaf in reading.layers.leaves] == ["127", "128", "129", "130", "131", "132"]


def test_a_section_on_a_leaf_without_a_label_is_called_by_its_place(tmp_path: Path) -> None:
    content = [[(72.0, 90.0, f"{n + 1}. A Heading", 18.0), *make.lines(make.LINES, top=130)] for n in range(4)]
    reading = read(make.pdf(tmp_path / "plain.pdf", content))
    assert reading.head.labels == ()
    assert [section.label for section in reading.document.sections] == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        (["50 THE SIEGE", "THE SIEGE 51", "52 THE SIEGE"], ["50", "51", "52"]),
        (["", "", "", "1", "2", "3"], ["", "", "", "1", "2", "3"]),
        (["", "8", "9", "10"], ["7", "8", "9", "10"]),
        (["7", "", "9", "", "11"], ["7", "8", "9", "10", "11"]),
        (["7", "8", "4", "10", "11"], ["7", "8", "9", "10", "11"]),
        (["7", "8", "19", "20", "11", "12", "13"], ["7", "8", "9", "10", "11", "12", "13"]),
        (["7", "8", "THE SIEGE l0", "10", "11"], ["7", "8", "9", "10", "11"]),
        (["47", "48", "", "", "49", "50", "51"], ["47", "48", "", "", "49", "50", "51"]),
        (["49", "50", "53", "54", "55"], ["49", "50", "53", "54", "55"]),
        (["xi", "xii", "xiii", "1", "2", "3"], ["xi", "xii", "xiii", "1", "2", "3"]),
        (["xi", "xii", "", "", "2", "3", "4"], ["xi", "xii", "", "1", "2", "3", "4"]),
        ([*"12341234"], [*"12341234"]),
        (["A-1", "A-2", "A-3"], ["", "", ""]),
        (["Page 3 of 9", "Page 4 of 9", "Page 5 of 9"], ["3", "4", "5"]),
        (["CHAPTER 2. FILES 10", "CHAPTER 2. FILES 11", "CHAPTER 3. LINES 12"], ["10", "11", "12"]),
    ],
)
def test_printed_numbers(heads: list[str], expected: list[str]) -> None:
    """Trap 69: in heads, out-voted where misread, filled in, broken by plates, begun anew."""
    assert labels_of(leaves(*heads)) == (tuple(expected) if any(expected) else ())


def test_a_spread_is_found_by_both_its_numbers(tmp_path: Path) -> None:
    labels = read(printed.spreads(tmp_path / "spreads.pdf")).head.labels
    assert labels == ("12\u201313", "14\u201315", "16\u201317", "18\u201319", "20\u201321")
    assert [leaf_of_label(labels, text) for text in ("12", "13", "14", "p. 21")] == [0, 0, 1, 4]


def test_stamps_name_leaves_only_where_nothing_else_does(tmp_path: Path) -> None:
    stamps = [f"ACME-{number:06d}" for number in range(98, 102)]
    assert read(printed.numbered(tmp_path / "bates.pdf", [""] * 4, stamps=stamps)).head.labels == tuple(stamps)
    both = read(printed.numbered(tmp_path / "both.pdf", list("3456"), stamps=stamps))
    assert both.head.labels == ("3", "4", "5", "6")


def test_the_file_is_believed_where_it_says_more() -> None:
    """Trap 10: its labels name the cover too, which prints nothing."""
    own = ("Cover", "i", "ii", "1", "2", "3")
    assert labels_of(leaves("", "", "ii", "1", "2", "3", own=own)) == own
    assert labels_of(leaves("", "", "", "", "", "", own=own)) == own


def test_the_leaves_are_believed_where_the_file_contradicts_them() -> None:
    """A person cites what is printed: a file that counts 1, 2, 3, or names pages otherwise, is no help."""
    printed_numbers = ("101", "102", "103", "104")
    assert labels_of(leaves(*printed_numbers, own=("1", "2", "3", "4"))) == printed_numbers
    assert labels_of(leaves(*printed_numbers, own=("i", "ii", "iii", "iv"))) == printed_numbers
    assert labels_of(leaves("101", "", "", "", own=("i", "ii", "iii", "iv"))) == ("i", "ii", "iii", "iv")


def test_nothing_printed_and_nothing_told() -> None:
    assert labels_of(leaves("", "", "")) == ()
    assert labels_of(leaves("", "", "", own=("1", "2", "3"))) == ("1", "2", "3")


def test_labels_written_in_utf_16(tmp_path: Path) -> None:
    """PyMuPDF hands on "<FEFF0041002D>1" for what is "A-1"."""
    path = make.pdf(tmp_path / "utf16.pdf", [make.lines(make.LINES)] * 3)
    document = pymupdf.open(path)
    document.xref_set_key(document.pdf_catalog(), "PageLabels", "<</Nums[0<</S/D/P<FEFF0041002D>>>]>>")
    document.save(tmp_path / "labels.pdf")
    assert read(tmp_path / "labels.pdf").head.labels == ("A-1", "A-2", "A-3")


@pytest.mark.parametrize(
    ("name", "front", "last"),
    [
        ("zsh-manual.pdf", ("T-1", "T-2", "i"), "471"),
        ("debian-policy.pdf", ("1", "2", "i"), "183"),
        ("scan-with-ocr-layer.pdf", ("49", "50", "52"), "55"),
        ("outline-latex.pdf", ("1", "2", "3"), "4"),
    ],
)
def test_real_labels(shared_data: Path, name: str, front: tuple[str, ...], last: str) -> None:
    """Traps 10 and 69 on real files; a plate was left out of the scan."""
    parts = DocumentService().read(shared_data / "documents/pdf" / name, None, "pdf", cancel=CancelToken())
    labels = next(part.labels for part in parts if isinstance(part, DocumentHead))
    assert labels[:3] == front and labels[-1] == last
