"""Where characters lie on a drawn leaf: found in real PDFs, put to positions, small enough for a message."""

from __future__ import annotations

import pickle
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest

from readdesk.documents.drawer import LeafDrawer
from readdesk.documents.glyphs import lines_of, recognised_lines, runs_of
from readdesk.documents.model import GlyphLine, LeafSpot, Paragraph, Piece, RecognisedLeaf, RecognisedWord
from tests.documents.reading import read
from tests.samples import make

BOX = (10.0, 20.0, 14.0, 30.0)


@pytest.fixture
def drawer() -> Iterator[LeafDrawer]:
    made = LeafDrawer()
    yield made
    made.close()


@pytest.mark.parametrize("turn", [0, 90])
def test_every_character_lies_where_its_word_is_located(drawer: LeafDrawer, tmp_path: Path, turn: int) -> None:
    """Trap 64: what is pointed at and what is marked are the same places."""
    path = make.rotated(tmp_path / "turned.pdf", turn)
    (line,) = drawer.glyphs(path, None, 0)
    for at in range(len("Landmark")):
        (spot,) = drawer.locate(path, None, (LeafSpot(0, at, at + 1),))
        assert line.edges[4 * at : 4 * at + 4].tolist() == pytest.approx(spot.rectangles[0], abs=0.06)


def test_positions_are_those_of_the_text(drawer: LeafDrawer, tmp_path: Path) -> None:
    """A hyphen that was joined is in no run; every other character of the text but spaces between lines is."""
    path = make.hyphens(tmp_path / "hyphens.pdf")
    reading = read(path)
    text = "".join(paragraph.text for paragraph in reading.document.paragraphs)
    covered = set[int]()
    for leaf in (0, 1):
        runs = runs_of(reading.document.paragraphs, leaf, drawer.glyphs(path, None, leaf))
        assert [run.start for run in runs] == sorted(run.start for run in runs)
        for run in runs:
            left, top, right, bottom = run.box
            assert left < right and top < bottom and run.paragraph <= run.start
            assert covered.isdisjoint(range(run.start, run.end))
            covered.update(range(run.start, run.end))
    missing = {text[at] for at in range(len(text)) if at not in covered}
    assert missing <= {" ", "\n"}
    assert "climate report" in text and text.index("climate report") + 3 in covered


def test_a_leaf_that_is_not_there_has_no_characters(drawer: LeafDrawer, tmp_path: Path) -> None:
    assert drawer.glyphs(make.image_only(tmp_path / "image.pdf"), None, 0) == ()
    assert drawer.glyphs(make.image_only(tmp_path / "image.pdf"), None, 7) == ()


def test_recognised_words_share_their_places(tmp_path: Path) -> None:
    """Offsets are those of the leaf's own text: one character between two words, and between two lines."""
    words = (
        RecognisedWord("ab", 0, (0.0, 0.0, 20.0, 10.0)),
        RecognisedWord("c", 0, (30.0, 0.0, 40.0, 10.0)),
        RecognisedWord("up", 1, (50.0, 0.0, 60.0, 40.0)),
    )
    first, second = recognised_lines(RecognisedLeaf(0, "eng", 0.9, words))
    assert (first.start, second.start) == (0, 5)
    edges = [tuple(first.edges[at : at + 4]) for at in range(0, len(first.edges), 4)]
    assert edges == [(0, 0, 10, 10), (10, 0, 20, 10), (30, 0, 30, 10), (30, 0, 40, 10)]
    assert tuple(second.edges) == (50, 0, 60, 20, 50, 20, 60, 40), "a word that stands upright is cut downwards"


def test_places_that_the_leaf_lacks_are_passed_over() -> None:
    """A file that was replaced meanwhile may have less text than its paragraphs remember."""
    lines = (GlyphLine(0, array("f", BOX * 3)), GlyphLine(4, array("f", BOX * 2)))
    spots = (LeafSpot(0, 1, 9), LeafSpot(1, 0, 3), LeafSpot(0, 40, 50))
    paragraph = Paragraph(0, 100, "x" * 30, tuple(Piece(10 * at, 10 * at + 8, spot) for at, spot in enumerate(spots)))
    runs = runs_of([paragraph], 0, lines)
    assert [(run.start, run.end) for run in runs] == [(100, 102), (103, 105)]
    assert runs_of([paragraph], 5, lines) == ()


def test_a_full_leaf_stays_below_a_message() -> None:
    lines = lines_of([[("x", BOX)] * 120] * 5_000)
    assert len(pickle.dumps(lines)) < 1 << 20 and sum(len(line.edges) for line in lines) > 4 * 50_000
