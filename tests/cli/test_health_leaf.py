"""`health` of PDFs: their leaves, one leaf as a model reads it, and what is printed on it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from readdesk.cli.leaves import leaf_words, leaves_lines, ranges_words
from readdesk.documents.model import Anchor, Furniture, LeafHealth, LeafSpot
from readdesk.library.model import DocumentRecord, HealthReport, Highlight, LeafReport
from readdesk.paths import Paths
from tests.cli.terminal import Terminal
from tests.samples import layered, make

BOX = (1.0, 2.0, 3.0, 4.0)
LEAVES = (
    LeafHealth(0, "", "empty"),
    LeafHealth(1, "i", words=10),
    LeafHealth(2, "ii", "scan"),
    LeafHealth(3, "1", "scan"),
    LeafHealth(4, "", "scan"),
    LeafHealth(5, "", "unreadable"),
    LeafHealth(6, "4", "ocr", 20, 2, 0.912, (Furniture("head", "THE FERRY", BOX), Furniture("number", "4", BOX))),
    LeafHealth(7, "5", "ocr", 20, 1, 0.7),
    LeafHealth(8, "", "scan"),
)
BOOK = DocumentRecord(7, "The Ferry", (), "en", "pdf", "/x", "0", 500, 50, "", (), "", labelling="found")
REPORT = HealthReport(BOOK, (), 1, "", None, False, leaves=LEAVES)
MARK = Highlight(1, 7, "highlight", 0, 3, Anchor((LeafSpot(6, 0, 3),)), "The\nferry", "Which\none?", "Ann")


def test_leaves_in_words() -> None:
    assert leaves_lines(REPORT) == [
        "  9 leaves: 1 with text, 2 with recognised text, 4 with a picture only, 1 unreadable, 1 empty; "
        "page numbers are those printed on the leaves",
        "    Recognised text (quality about 70 to 91 %): 4\u20135",
        "    Pictures only, which a model cannot read: ii\u20131, #5, #9",
        "    Unreadable, left out: #6",
    ]
    assert leaves_lines(replace(REPORT, leaves=())) == []
    one = replace(REPORT, leaves=LEAVES[1:2], document=replace(BOOK, labelling="set"))
    assert leaves_lines(one) == ["  1 leaf: 1 with text; page numbers are as you set them"]


def test_not_every_range_is_listed() -> None:
    apart = [LeafHealth(number, str(number)) for number in range(0, 60, 2)]
    assert ranges_words(apart).endswith(", 36, 38 and 10 more")


def test_a_leaf_in_words() -> None:
    report = LeafReport(LEAVES[6], 9, "The ferry left.", (MARK,))
    assert leaf_words(BOOK, report).splitlines() == [
        "\u201cThe Ferry\u201d, p. 4 (leaf 7 of 9)",
        "  Text that a program recognised in a picture (quality about 91 %), 20 words in 2 columns",
        "  Taken out: running head \u201cTHE FERRY\u201d",
        "  Taken out: page number \u201c4\u201d",
        "  Marked on it: highlight \u201cThe ferry\u201d by Ann: Which one?",
        "  What a model reads:",
        "",
        "The ferry left.",
    ]
    assert leaf_words(BOOK, LeafReport(LEAVES[0], 9, "")).splitlines() == [
        "\u201cThe Ferry\u201d, leaf 1 of 9",
        "  Nothing stands on it",
        "  A model reads nothing of it.",
    ]


# -- the command -------------------------------------------------------------------------------------------------


@pytest.fixture
def book(terminal: Terminal, tmp_path: Path) -> Path:
    """A PDF in the library with the labels i, 127, 128."""
    path = make.with_outline(tmp_path / "book.pdf")
    assert terminal("add", path).code == 0
    return path


def test_a_leaf_by_its_label_or_number(terminal: Terminal, book: Path) -> None:
    """Trap 10."""
    by_label = terminal("health", 1, "--leaf", "p. 128")
    assert by_label.code == 0 and "p. 128 (leaf 3 of 3)\n  Text of the file, " in by_label.out
    assert "What a model reads:\n\nChapter 3\n\nRain had fallen" in by_label.out
    assert terminal("health", 1, "--leaf", "3").out == terminal("health", 1, "--leaf", "#3").out == by_label.out
    assert "p. i (leaf 1 of 3)" in terminal("health", 1, "--leaf", "I").out
    for name in ("#128", "4", "0", "#0", "xx", "-1"):
        error = terminal("health", 1, "--leaf", name).check_error()
        assert f"has no leaf \u201c{name}\u201d" in error and "one of its 3 leaves" in error
    value = terminal("--json", "health", 1, "--leaf", "127").json
    assert (value["leaf"], value["label"], value["kind"], value["leaves"]) == (2, "127", "text", 3)
    assert value["text"].startswith("Chapter 2\n\nRain had")


def test_what_is_printed_on_a_leaf_is_said_once(terminal: Terminal, book: Path) -> None:
    said = terminal("health", 1, "--leaf", "#1", "--label", "11")
    assert said.out == "Leaf 1 is p. 11 now; the leaves beside it count on from that.\n"
    value = terminal("--json", "health", 1).json
    assert [leaf["label"] for leaf in value["leaves"]] == ["11", "12", "13"] and value["labels"] == "set"
    assert "What a model reads:\n\nChapter 3" in terminal("health", 1, "--leaf", "13").out
    back = terminal("--json", "health", 1, "--leaf", "11", "--label", "").json
    assert back == {"leaf": 1, "label": "i", "labels": ["i", "127", "128"]}
    assert "no page number" in terminal("health", 1, "--leaf", "#1", "--label", "one").check_error()
    assert "name that with --leaf" in terminal("health", 1, "--label", "5").err
    assert "No document is called" in terminal("health", book.with_name("x.pdf"), "--leaf", "1", "--label", "5").err


def test_a_file_that_is_not_in_the_library(terminal: Terminal, paths: Paths, tmp_path: Path) -> None:
    path = layered.marked(tmp_path / "marked.pdf")
    said = terminal("health", path, "--leaf", "1")
    assert said.code == 0 and "“marked”, leaf 1 of 1\n  Text of the file, 45 words in 1 column\n" in said.out
    assert f"  Marked on it: highlight “{layered.WORDS}” by Ann: A captain!\n" in said.out
    assert "\n\nRain had fallen for three days" in said.out
    value = terminal("--json", "health", path, "--leaf", "#1").json
    assert [mark["kind"] for mark in value["marked"]].count("highlight") == 1 and value["id"] == 0
    assert terminal("--json", "list").json == []
    assert "has no leaf" in terminal("health", path, "--leaf", "2").check_error()


def test_what_lies_in_a_file(terminal: Terminal, paths: Paths, tmp_path: Path) -> None:
    """Notes, highlights and attached files are told, of a file and of a document alike."""
    marked, files = layered.marked(tmp_path / "marked.pdf"), layered.with_files(tmp_path / "files.pdf")
    for path in (marked, files):
        before = terminal("--json", "health", path).json
        assert terminal("add", path).code == 0
        after = terminal("--json", "health", path).json
        assert {**before, "id": 0} == {**after, "id": 0}
    assert after["attachments"][0] == {"name": "figures.csv", "size": 8, "description": "The figures"}
    assert "Note: 3 files are attached to it, which no model reads: figures.csv, " in terminal("health", files).out
    value = terminal("--json", "health", marked).json
    assert value["marked"] == {"highlight": 1, "underline": 2, "strikeout": 1, "note": 1, "text": 1, "drawing": 2}
    assert value["leaves"][0]["kind"] == "text" and value["labels"] == ""
    assert "  1 leaf: 1 with text; no page numbers are known\n" in terminal("health", marked).out


def test_a_document_without_leaves(terminal: Terminal, shelf: Path) -> None:
    assert "Only PDFs have leaves" in terminal("health", 2, "--leaf", "1").check_error()
    value = terminal("--json", "health", 2).json
    assert (value["leaves"], value["labels"], value["marked"], value["attachments"]) == ([], "", {}, [])
    assert "leaves" not in terminal("health", 2).out
