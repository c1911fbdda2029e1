"""What a PDF itself calls its leaves, in trees as they come and as nobody should make them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf as typed_in_part
import pytest

from readdesk.documents.pdf.pagelabels import labels_in
from tests.documents.reading import read
from tests.samples import make

pymupdf: Any = typed_in_part


def labelled(tree: str, leaves: int = 6, *objects: str) -> Any:
    """A file of some leaves with this tree of labels; further `objects` are numbered from `{0}` on."""
    document = pymupdf.open()
    for _ in range(leaves):
        document.new_page()
    numbers = [document.get_new_xref() for _ in objects]
    for number, text in zip(numbers, objects, strict=True):
        document.update_object(number, text.format(*numbers))
    document.xref_set_key(document.pdf_catalog(), "PageLabels", tree.format(*numbers))
    return document


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("0 <</S/r>> 2 <</S/D>>", ("i", "ii", "1", "2", "3", "4")),
        ("0 <</S/D/St 127>>", ("127", "128", "129", "130", "131", "132")),
        ("0 <</P(Cover)>> 1 <</S/R/St 9>> 3 <</S/D/P(A-)>>", ("Cover", "IX", "X", "A-1", "A-2", "A-3")),
        ("0 <</S/A/St 25>> 3 <</S/a/St 53>>", ("Y", "Z", "AA", "aaa", "bbb", "ccc")),
        ("2 <</S/D>>", ("", "", "1", "2", "3", "4")),
        ("0 <</P<FEFF00410042>/S/D>>", ("AB1", "AB2", "AB3", "AB4", "AB5", "AB6")),
        ("0 <</P(A/Street-)/S/D>>", tuple(f"A/Street-{number}" for number in range(1, 7))),
        ("0 <</S/r/St 5000>> 1 <</S/D/St -3>>", ("5000", "1", "2", "3", "4", "5")),
        ("3 <</S/D>> 0 <</S/r>>", ("i", "ii", "iii", "1", "2", "3")),
        ("0 <</S/X>> -4 <</S/D>> 99 <</S/D>>", ("",) * 6),
    ],
)
def test_labels_are_those_of_the_rules(rules: str, expected: tuple[str, ...]) -> None:
    """Trap 10: as the file says, also with a slash in a prefix, in UTF-16, and with rules in any order."""
    assert labels_in(labelled(f"<</Nums [{rules}]>>")) == expected


def test_rules_in_the_branches_of_a_tree() -> None:
    kids = "<</Kids [{0} 0 R {1} 0 R]>>"
    found = labels_in(labelled(kids, 6, "<</Nums [0 <</S/r>>]>>", "<</Kids [{2} 0 R]>>", "<</Nums [3 <</S/D>>]>>"))
    assert found == ("i", "ii", "iii", "1", "2", "3")


@pytest.mark.parametrize("tree", ["null", "7", "<<>>", "<</Nums 3>>", "<</Nums [0]>>", "<</Kids [null 5]>>"])
def test_a_file_without_labels(tree: str) -> None:
    """Trap 69, also where the tree is broken."""
    assert labels_in(labelled(tree)) == ()


def test_a_hostile_tree_has_an_end() -> None:
    """Branches that hold each other and themselves thousands of times, and a prefix as long as a book."""
    circle = f"<</Kids [{'{0} 0 R ' * 3000}]/Nums [0 <</S/D/P({'x' * 100_000})>>]>>"
    found = labels_in(labelled("<</Kids [{0} 0 R]>>", 6, circle))
    assert len(found) == 6 and found[0].startswith("xxx") and max(map(len, found)) < 100


def test_a_rule_for_every_leaf_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make.pdf(tmp_path / "plates.pdf", [make.lines(make.LINES)] * 40)
    document = pymupdf.open(path)
    document.set_page_labels([{"startpage": leaf, "prefix": f"Plate {leaf}"} for leaf in range(40)])
    document.saveIncr()
    real = pymupdf.Document._get_page_labels
    asked: list[object] = []

    def noticed(self: Any) -> Any:
        asked.append(self)
        return real(self)

    monkeypatch.setattr(pymupdf.Document, "_get_page_labels", noticed)
    assert read(path).head.labels == tuple(f"Plate {leaf}" for leaf in range(40))
    assert asked == []
    assert pymupdf.open(path)[3].get_label() == "Plate 3" and asked, "this is how it would have been noticed"
