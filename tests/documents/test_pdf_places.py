"""Where things lie on the drawn leaf, however the file turns, cuts and scales it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf as typed_in_part
import pytest

from readdesk.cancel import CancelToken
from readdesk.documents.model import LeafSpot, Rectangle
from readdesk.documents.pdf.extract import leaf_of
from readdesk.documents.pdf.leaves import Leaf
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
