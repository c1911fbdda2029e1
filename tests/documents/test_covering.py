"""What rectangles of a span cover: its own characters, and none that stands over, under or on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pymupdf as typed_in_part
import pytest

from readdesk.cancel import CancelToken
from readdesk.documents.anchor import Anchor
from readdesk.documents.model import LeafSpot, Rectangle
from readdesk.documents.pdf.covering import Covering
from readdesk.documents.pdf.readable import own_glyphs, own_inks
from readdesk.documents.render import RenderService
from tests.bench.pdf_anchors import differs, under
from tests.bench.pdf_glyphs import DrawnGlyphs

pymupdf: Any = typed_in_part

Glyph = tuple[str, Rectangle]
TURNS = [0, 90, 180, 270]


def row(text: str, left: float = 0.0, top: float = 0.0, wide: float = 6.0, high: float = 10.0) -> list[Glyph]:
    """Characters side by side."""
    return [(letter, (left + at * wide, top, left + (at + 1) * wide, top + high)) for at, letter in enumerate(text)]


def within(rectangles: Sequence[Rectangle], glyph: Glyph) -> bool:
    """Whether the middle of a character lies in one of some rectangles."""
    left, top, right, bottom = glyph[1]
    x, y = (left + right) / 2, (top + bottom) / 2
    return any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in rectangles)


def found(lines: Sequence[Sequence[Glyph]], start: int, end: int) -> tuple[Rectangle, ...]:
    """The rectangles of a span of lines of which no ink is known."""
    rectangles = Covering(lines).rectangles(start, end)
    assert rectangles is not None
    return rectangles


# -- by hand -------------------------------------------------------------------------------------------------------

BASE, EXPONENT, INDEX, AFTER = row("T"), row("1", 6, -2, 4, 7), row("s", 6, 5, 4, 7), row("S", 11)
FORMULA = [[*BASE, *EXPONENT, *AFTER], INDEX]
"""T with an exponent, and an index beneath that, before S; the index comes last in the text."""


def test_an_index_beneath_is_not_covered() -> None:
    """Trap 65: one rectangle around base and exponent would take in the index."""
    rectangles = found(FORMULA, 0, 3)
    assert all(within(rectangles, glyph) for glyph in FORMULA[0])
    assert not within(rectangles, INDEX[0]) and len(rectangles) > 1


def test_a_formula_that_is_meant_as_a_whole_has_one_rectangle_a_line() -> None:
    assert found(FORMULA, 0, 5) == ((0.0, -2.0, 17.0, 10.0), (6.0, 5.0, 10.0, 12.0))


def test_plain_lines_are_covered_as_high_as_their_font() -> None:
    """Also where lines stand so close that their rectangles overlap, and part of one is meant."""
    lines = [row("one, two"), row("three fo", top=8), row("five six", top=16)]
    assert found(lines, 0, 26) == ((0, 0, 48, 10), (0, 8, 48, 18), (0, 16, 48, 26))
    assert found(lines, 9, 14) == ((0, 8, 30, 18),)
    assert found([row("a b"), row("c")], 1, 2) == ((6, 0, 12, 10),)
    assert Covering(lines).rectangles(40, 41) is None


def test_a_comma_that_hangs_into_a_rectangle_stays_in_it() -> None:
    """As a sign does of which nobody knows what it is."""
    lines = [row(",", 6), [*row("2", 0, 4.5, 4, 8), *row("two", 6, 8)]]
    unknown = [row("\ufffd", 6), lines[1]]
    assert found(lines, 2, 6) == found(unknown, 2, 6) == ((0.0, 4.5, 24.0, 18.0),)


def test_a_letter_over_which_another_one_is_set_is_cut_beside_it() -> None:
    """As the A of LaTeX is: it begins where the L has its middle."""
    lines = [[*row("L", 0), *row("A", 2.9, -1, 6, 8), *row("T", 9)]]
    rectangles = found(lines, 1, 3)
    assert all(within(rectangles, glyph) for glyph in lines[0][1:]) and not within(rectangles, lines[0][0])
    assert rectangles[0][2] - rectangles[0][0] > 5


def test_what_lies_in_the_same_place_is_covered_with_it() -> None:
    """A letter that is drawn twice, or a word that is: there is no way around the other one."""
    lines = [row("word"), row("word")]
    assert found(lines, 0, 4) == found(lines, 5, 9) == ((0, 0, 24, 10),)


def test_an_accent_is_as_high_as_its_ink() -> None:
    """Trap 65: the library tells of an accent over a letter that it is as high as a letter."""
    lines = [[*row("("), *row("˜", 6), *row("p", 6), *row(")", 12)]]
    ink: Rectangle = (6.0, 1.0, 12.0, 2.0)
    rectangles = Covering(lines, [[None, ink, None, None]]).rectangles(0, 2)
    assert rectangles == ((0, 0, 6, 10), ink)


def test_a_leaf_that_is_made_to_do_harm_is_covered_as_plain_text_is() -> None:
    lines = [[*BASE, *EXPONENT], *([INDEX[0]] for _ in range(4_000))]
    assert found(lines, 0, 2) == ((0.0, -2.0, 10.0, 10.0),)


# -- drawn ---------------------------------------------------------------------------------------------------------

RED, GREEN, BLUE = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def formula(path: Path, rotation: int, unit: int) -> Path:
    """A base (red) with an exponent (green) over an index (blue) on a leaf that is turned, cropped and scaled."""
    document = pymupdf.open()
    page = document.new_page(width=120, height=160)
    for text, place, size, colour in (
        ("T", (50, 80), 24, RED),
        ("1", (65, 71), 16, GREEN),
        ("s", (64, 86), 16, BLUE),
    ):
        page.insert_text(place, text, fontsize=size, color=colour)
    page.set_cropbox(pymupdf.Rect(10, 15, 115, 155))
    page.set_rotation(rotation)
    document.xref_set_key(page.xref, "UserUnit", str(unit))
    document.save(path)
    return path


def colours_in(page: Any, rectangles: Sequence[Rectangle]) -> tuple[float, float, float]:
    """How much of all that is red, green and blue on a drawn leaf lies in some rectangles."""
    pixels = page.get_pixmap(matrix=pymupdf.Matrix(2, 2))
    inside, everywhere = [0, 0, 0], [0, 0, 0]
    for at in range(pixels.width * pixels.height):
        values = pixels.samples_mv[3 * at : 3 * at + 3].tolist()
        if min(values) < 128 <= max(values):
            channel, y, x = values.index(max(values)), (at // pixels.width + 0.5) / 2, (at % pixels.width + 0.5) / 2
            everywhere[channel] += 1
            inside[channel] += any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in rectangles)
    red, green, blue = (part / all_of_it for part, all_of_it in zip(inside, everywhere, strict=True))
    return red, green, blue


@pytest.fixture
def service() -> Iterator[RenderService]:
    made = RenderService()
    yield made
    made.close()


@pytest.mark.parametrize("unit", [1, 2])
@pytest.mark.parametrize("rotation", TURNS)
def test_the_ink_of_an_index_is_not_under_a_marked_exponent(
    service: RenderService, tmp_path: Path, rotation: int, unit: int
) -> None:
    """Traps 9 and 65, seen in the pixels."""
    path = formula(tmp_path / "formula.pdf", rotation, unit)
    page = pymupdf.open(path)[0]
    assert ["".join(character for character, _ in line) for line in own_glyphs(page)] == ["T1", "s"]
    both, index = service.locate(str(path), None, (LeafSpot(0, 0, 2), LeafSpot(0, 3, 4)), cancel=CancelToken())
    red, green, blue = colours_in(page, both.rectangles)
    assert red > 0.9 and green > 0.9 and blue < 0.4
    assert colours_in(page, index.rectangles)[2] > 0.9
    assert Anchor.parse(str(Anchor((both, index)))) == Anchor((both, index))


@pytest.mark.parametrize("unit", [1, 2])
@pytest.mark.parametrize("rotation", TURNS)
def test_ink_lies_where_it_is_drawn(tmp_path: Path, rotation: int, unit: int) -> None:
    path = formula(tmp_path / "formula.pdf", rotation, unit)
    page = pymupdf.open(path)[0]
    glyphs = own_glyphs(page)
    inks = own_inks(page, glyphs)
    assert [len(line) for line in inks] == [len(line) for line in glyphs] == [2, 1]
    for channel, (ink, (_, box)) in enumerate(zip(chain(*inks), chain(*glyphs), strict=True)):
        assert ink is not None and colours_in(page, [ink])[channel] > 0.9
        assert area(ink) < 0.7 * area(box)


def area(box: Rectangle) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


@pytest.mark.parametrize(
    ("leaf", "text", "length"),
    [
        (101, "x ∈T 1\ns S\n", 6),
        (97, "Dann ist ∂F\n∂u1 (p)", 11),
        (59, "⇔[ ˜γ0", 5),
        (65, "Wahl von ˜γ ab", 10),
        (48, "falls 1\n2 ≤", 7),
        (1, "ATEX ", 4),
    ],
)
def test_formulas_of_a_real_file(service: RenderService, shared_data: Path, leaf: int, text: str, length: int) -> None:
    """Trap 65: exponent and index, fractions, accents, a letter that is set over another one; judged by PDFium."""
    path = shared_data / "documents/pdf/geotopo-de.pdf"
    lines = own_glyphs(pymupdf.open(path)[leaf])
    start = "\n".join("".join(character for character, _ in line) for line in lines).index(text)
    spot = LeafSpot(leaf, start, start + length)
    ((located,)) = service.locate(str(path), None, (spot,), cancel=CancelToken())
    drawn = DrawnGlyphs(path, None)
    inside, touched = under(located.rectangles, drawn.on(leaf))
    drawn.close()
    assert not differs(text[:length], inside, touched)


def test_no_ink_is_known_of_lines_that_are_put_together_anew(shared_data: Path) -> None:
    page = pymupdf.open(shared_data / "documents/pdf/cjk-vertical-not-embedded.pdf")[0]
    assert own_inks(page, own_glyphs(page)) == []
