"""Where things lie on the drawn leaf, however the file turns, cuts and scales it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf as typed_in_part
import pytest

from readdesk.cancel import CancelToken
from readdesk.documents.model import LeafSpot, Rectangle
from readdesk.documents.pdf.extract import leaf_of
from readdesk.documents.pdf.leaves import Leaf
from readdesk.documents.pdf.readable import own_lines
from readdesk.documents.render import RenderService
from tests.documents.reading import read
from tests.samples import sheets

pymupdf: Any = typed_in_part

TURNS = [0, 90, 180, 270]


def landmark(path: Path, rotation: int, set_at: int, unit: int) -> Path:
    """One word, set turned counter-clockwise, on a leaf that is turned, cropped and scaled."""
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    page.insert_text((200, 300), "Landmark", fontsize=20, rotate=set_at)
    page.set_cropbox(pymupdf.Rect(50, 60, 380, 560))
    page.set_rotation(rotation)
    document.xref_set_key(page.xref, "UserUnit", str(unit))
    document.save(path)
    return path


def ink(path: Path) -> Rectangle:
    """The smallest rectangle around everything that is drawn on the first leaf."""
    pixels = pymupdf.open(path)[0].get_pixmap(colorspace=pymupdf.csGRAY)
    rows, stride = pixels.samples, pixels.stride
    dark = [(at % stride, at // stride) for at in range(len(rows)) if rows[at] < 128]
    return min(x for x, _ in dark), min(y for _, y in dark), max(x for x, _ in dark) + 1, max(y for _, y in dark) + 1


def lies_around(outer: Rectangle, inner: Rectangle, slack: float) -> bool:
    """Whether a rectangle holds another one, and is not much larger."""
    room = (inner[0] - outer[0], inner[1] - outer[1], outer[2] - inner[2], outer[3] - inner[3])
    return all(-1.5 <= side <= slack for side in room)


@pytest.mark.parametrize("unit", [1, 2])
@pytest.mark.parametrize("set_at", TURNS)
@pytest.mark.parametrize("rotation", TURNS)
def test_a_word_lies_where_it_is_drawn(tmp_path: Path, rotation: int, set_at: int, unit: int) -> None:
    """Trap 9: turned leaves, turned text, a crop box away from the corner, units of 1/36 inch, and all of them."""
    path = landmark(tmp_path / "word.pdf", rotation, set_at, unit)
    inked = ink(path)
    leaf = leaf_of(pymupdf.open(path), 0)
    (line,) = leaf.lines
    assert leaf.turn == (rotation - set_at) % 360
    assert lies_around(line.rectangle, inked, 9 * unit)
    service = RenderService()
    (spot,) = service.locate(str(path), None, (LeafSpot(0, 0, 8, ()),), cancel=CancelToken())
    service.close()
    assert lies_around(spot.rectangles[0], inked, 9 * unit)


@pytest.mark.parametrize("set_at", TURNS)
@pytest.mark.parametrize("rotation", TURNS)
def test_the_reading_frame_is_level(tmp_path: Path, rotation: int, set_at: int) -> None:
    """Trap 9: there the word is wide and low and the leaf as wide as the text runs; a place goes there and back."""
    leaf = leaf_of(pymupdf.open(landmark(tmp_path / "word.pdf", rotation, set_at, 1)), 0)
    (line,) = leaf.lines
    assert line.is_level and line.right - line.left > 3 * (line.bottom - line.top)
    assert 0 <= line.left < line.right <= leaf.width and 0 <= line.top < line.bottom <= leaf.height
    assert {leaf.width, leaf.height} == {330, 500} and (leaf.width == 330) == (set_at % 180 == 0)
    box = (line.left, line.top, line.right, line.bottom)
    assert leaf.drawn(box) == pytest.approx(line.rectangle)
    assert leaf.framed(line.rectangle) == pytest.approx(box)


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("is_mirrored", [False, True])
def test_a_place_goes_into_the_frame_and_back(turn: int, is_mirrored: bool) -> None:
    leaf = Leaf(0, 300, 200, turn=turn, is_mirrored=is_mirrored)
    box = (10.0, 20.0, 70.0, 35.0)
    assert leaf.framed(leaf.drawn(box)) == box
    drawn = (10.0, 20.0, 70.0, 35.0)
    assert leaf.drawn(leaf.framed(drawn)) == drawn


@pytest.mark.parametrize("set_at", [90, 180, 270])
def test_a_leaf_set_sideways_is_read_in_order(tmp_path: Path, set_at: int) -> None:
    """Trap 9: its lines are one paragraph, as if they were level."""

    def draw(page: Any) -> None:
        page.insert_textbox(pymupdf.Rect(40, 40, 360, 460), " ".join(sheets.WORDS), fontsize=11, rotate=set_at)

    reading = read(sheets.sheets(tmp_path / "sideways.pdf", draw))
    assert [paragraph.text for paragraph in reading.document.paragraphs] == [" ".join(sheets.WORDS)]


def test_a_sideways_note_beside_level_text_is_not_level(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        sheets.text(page)
        page.insert_text((20, 300), "arXiv:1234.5678v1", fontsize=11, rotate=90)

    document = pymupdf.open(sheets.sheets(tmp_path / "note.pdf", draw))
    assert [line.is_level for line in leaf_of(document, 0).lines] == [True, True, True, False]


# -- where letters lie on a line -----------------------------------------------------------------------------------


def located(path: Path, index: int, *spans: tuple[int, int]) -> list[tuple[Rectangle, ...]]:
    """The rectangles of characters between offsets of a leaf's own text."""
    service = RenderService()
    spots = tuple(LeafSpot(index, start, end, ((0.0, 0.0, 1.0, 1.0),)) for start, end in spans)
    found = service.locate(str(path), None, spots, cancel=CancelToken())
    service.close()
    return [spot.rectangles for spot in found]


def own_text(path: Path, index: int) -> str:
    return "\n".join(text for text, _, _ in own_lines(pymupdf.open(path)[index]))


def in_a_column(path: Path, text: str, size: float, rotation: int, **metrics: str) -> Path:
    """Characters one beneath the other, in a font that is embedded."""
    document = pymupdf.open()
    page = document.new_page(width=300, height=400)
    page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("cjk").buffer)
    page.insert_text((100, 60), text, fontname="F0", fontsize=size)
    page.set_rotation(rotation)
    for xref in range(1, document.xref_length()):
        if document.xref_get_key(xref, "Encoding")[1] == "/Identity-H":
            document.xref_set_key(xref, "Encoding", "/Identity-V")
        if document.xref_get_key(xref, "Subtype")[1] == "/CIDFontType2":
            for key, value in metrics.items():
                document.xref_set_key(xref, key, value)
    document.save(path)
    return path


def dark_share(path: Path, box: Rectangle) -> float:
    """How much of everything dark on the first leaf lies in a rectangle."""
    pixels = pymupdf.open(path)[0].get_pixmap(colorspace=pymupdf.csGRAY)
    rows, stride = pixels.samples, pixels.stride
    dark = [(at % stride, at // stride) for at in range(len(rows)) if rows[at] < 128]
    return sum(1 for x, y in dark if box[0] - 1 <= x < box[2] + 1 and box[1] - 1 <= y < box[3] + 1) / len(dark)


@pytest.mark.parametrize("rotation", TURNS)
@pytest.mark.parametrize("metrics", [{}, {"DW2": "[880 -1500]"}, {"DW2": "[500 -1000]"}])
def test_characters_beneath_one_another_lie_where_they_are_drawn(
    tmp_path: Path, rotation: int, metrics: dict[str, str]
) -> None:
    """Traps 9 and 15: the library tells of each where the next one is."""
    path = in_a_column(tmp_path / "column.pdf", "漢\u3000字", 30, rotation, **metrics)
    first, last, both = located(path, 0, (0, 1), (2, 3), (0, 3))
    assert first[0] != last[0]
    assert 0.4 < dark_share(path, first[0]) < 0.6 and 0.4 < dark_share(path, last[0]) < 0.6
    assert dark_share(path, both[0]) == 1.0
    (line,) = leaf_of(pymupdf.open(path), 0).lines
    assert dark_share(path, line.rectangle) == 1.0


def test_vertical_lines_of_a_real_file_lie_where_they_are_drawn(shared_data: Path) -> None:
    """Trap 15: a font that is not embedded."""
    path = shared_data / "documents" / "pdf" / "cjk-vertical-not-embedded.pdf"
    lines = leaf_of(pymupdf.open(path), 0).lines
    assert sum(dark_share(path, line.rectangle) for line in lines) == 1.0
    assert dark_share(path, located(path, 0, (0, len(lines[0].text)))[0][0]) == dark_share(path, lines[0].rectangle)


def test_a_line_with_high_symbols_is_as_high_as_its_letters(shared_data: Path) -> None:
    """Trap 65: signs of a font for formulas are told to reach far down into the next line."""
    path = shared_data / "documents" / "pdf" / "geotopo-de.pdf"
    text = own_text(path, 69)
    start = text.index("⇒P und Q liegen")
    (((_, _, _, bottom),),) = located(path, 69, (start, start + 40))
    lines = [line for line in leaf_of(pymupdf.open(path), 69).lines if line.text.startswith("⇒")]
    assert bottom < 532 and all(line.bottom - line.top < 13 for line in lines[:2])


def test_lines_that_are_set_close_do_not_cover_one_another(shared_data: Path) -> None:
    """Trap 67: recognised text is set in larger letters than its lines are apart."""
    path = shared_data / "documents" / "pdf" / "scan-with-ocr-layer.pdf"
    text = own_text(path, 2)
    starts = [text.index(words) for words in ("with saw-dust.", "ble, and the edge", "turned down over")]
    found = [rectangles for (rectangles,) in located(path, 2, *((start, start + 14) for start in starts))]
    leaf = leaf_of(pymupdf.open(path), 2)
    kept = [
        line.rectangle for line in leaf.lines if line.text.startswith(("with saw-dust.", "ble, and", "turned down"))
    ]
    for rectangles in (found, kept):
        assert len(rectangles) == 3
        assert all(above[3] <= below[1] + 0.2 for above, below in pairwise(rectangles))
        assert all(box[3] - box[1] > 5 for box in rectangles)


@pytest.mark.parametrize(("word", "part"), [("offset", "off"), ("offset", "of"), ("file", "f")])
def test_the_letters_of_a_ligature_share_its_place(shared_data: Path, word: str, part: str) -> None:
    """Trap 65: the library tells of the later ones that they lie over the next letter."""
    path = shared_data / "documents" / "pdf" / "zsh-manual.pdf"
    start = own_text(path, 334).index(f" {word}") + 1
    spans = (start, start + len(part)), (start + len(part), start + len(word)), (start, start + len(word))
    (first,), (rest,), (whole,) = located(path, 334, *spans)
    assert first[0] == whole[0] and rest[2] == whole[2] and first[2] < whole[2] and rest[0] > whole[0]
    assert abs(first[2] - rest[0]) <= 0.2


def test_spaces_have_no_place_but_their_own(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((40, 60), "one   two", fontsize=10)

    path = sheets.sheets(tmp_path / "spaces.pdf", draw)
    (one,), (two,), (spaces,) = located(path, 0, (0, 3), (6, 9), (3, 6))
    assert one[2] - 0.2 <= spaces[0] < spaces[2] <= two[0] + 0.2
