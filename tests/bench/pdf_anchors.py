"""Anchors of random spans of PDFs: what stands under the rectangles that the window draws?

Spans are drawn as for books (`anchors.py`): evenly over the document, one to four hundred characters, through a library
and back from the string. The real drawing process then finds the rectangles of exactly their characters (as the window
asks it to), and PDFium says which glyphs have their middle in one of them (`pdf_glyphs.py`). Their letters and digits
must be the span's, as a multiset, for what lies in what order in one rectangle says nothing. A ligature of which a span
holds a part may be in or out, and letters count out that only one of the two programs has anywhere on the leaf. Where
PDFium does not open a file, its leaves are drawn, and every rectangle must hold ink.

Beside the real files, a made one has a leaf for each way to turn, crop and scale a page, with text that runs upright on
the page and upright on the drawn leaf.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pypdfium2 as pdfium

from readdesk.documents.anchor import Anchor
from readdesk.documents.drawer import LeafDrawer
from readdesk.documents.model import LeafSpot, Picture, Rectangle
from tests.bench.anchors import Answers, Asked, comes_back, drawn
from tests.bench.books import Reading
from tests.bench.pdf_glyphs import Box, DrawnGlyphs, Glyph
from tests.bench.pdf_independent import content

_ONE_BACK_IN = 10
_SPOTS_AT_ONCE = 200
_NONE: Counter[str] = Counter()
_SCALE = 2.0
_INK = 40
_SLACK = 0.06
"""Rectangles are kept with one decimal."""
_BESIDE = 1.5


def pdf_anchors(
    path: Path, password: str | None, reading: Reading, drawer: LeafDrawer, count: int, seed: int
) -> Answers:
    """Ask for so many spans of a document."""
    asked = drawn(path, reading, count, seed)
    shown = located(path, password, drawer, asked)
    try:
        glyphs = DrawnGlyphs(path, password)
    except pdfium.PdfiumError:
        wrong = _without_ink(path, password, drawer, asked, shown)
    else:
        floor = _Floor(reading, glyphs)
        wrong = [
            told for one, spots in zip(asked, shown, strict=True) if (told := _not_under(one, spots, glyphs, floor))
        ]
        glyphs.close()
    lost = [one for one in asked[::_ONE_BACK_IN] if not comes_back(reading, one)]
    sent = len(asked[::_ONE_BACK_IN])
    faults = (*wrong, *(f"{_told(one)} does not lead back" for one in lost))
    return Answers(len(asked), len(asked) - len(wrong), sent, sent - len(lost), faults)


def located(path: Path, password: str | None, drawer: LeafDrawer, asked: Sequence[Asked]) -> list[tuple[LeafSpot, ...]]:
    """The spots of every span with the rectangles of exactly its characters, as the window gets them.

    Spots go to the drawing process in the order of their leaves, so that it looks at each leaf once or twice.
    """
    spots = {spot for one in asked for spot in Anchor.parse(one.anchor).spots if isinstance(spot, LeafSpot)}
    ordered = sorted(spots, key=lambda spot: (spot.leaf, spot.start, spot.end))
    found: dict[LeafSpot, LeafSpot] = {}
    for start in range(0, len(ordered), _SPOTS_AT_ONCE):
        some = tuple(ordered[start : start + _SPOTS_AT_ONCE])
        found |= zip(some, drawer.locate(path, password, some), strict=True)
    return [
        tuple(found[spot] for spot in Anchor.parse(one.anchor).spots if isinstance(spot, LeafSpot)) for one in asked
    ]


# -- read under the rectangles -----------------------------------------------------------------------------------


class _Floor:
    """What our text and PDFium's of a leaf do not have in common, wherever it stands: symbols read in another way."""

    def __init__(self, reading: Reading, glyphs: DrawnGlyphs) -> None:
        self._glyphs = glyphs
        self._ours: dict[int, Counter[str]] = {}
        for paragraph in reading.paragraphs:
            for piece in paragraph.pieces:
                if isinstance(piece.spot, LeafSpot):
                    counted = self._ours.setdefault(piece.spot.leaf, Counter())
                    counted.update(content(paragraph.text[piece.start : piece.end]))
        for leaf in reading.layers.leaves:
            counted = self._ours.setdefault(leaf.index, Counter())
            counted.update(content("".join(taken.text for taken in leaf.furniture)))

    def on(self, leaves: Iterable[int]) -> tuple[Counter[str], Counter[str]]:
        """The letters that only we have on leaves, and those that only PDFium has."""
        ours, theirs = Counter[str](), Counter[str]()
        for leaf in leaves:
            drawn_there = Counter("".join(glyph.letters for glyph in self._glyphs.on(leaf)))
            ours += self._ours.get(leaf, Counter()) - drawn_there
            theirs += drawn_there - self._ours.get(leaf, Counter())
        return ours, theirs


def _not_under(asked: Asked, spots: Sequence[LeafSpot], glyphs: DrawnGlyphs, floor: _Floor) -> str:
    """What is wrong with the text under a span's rectangles, nothing where it is the span's."""
    leaves = sorted({spot.leaf for spot in spots})
    inside: list[Glyph] = []
    touched: list[Glyph] = []
    for leaf in leaves:
        rectangles = [rectangle for spot in spots if spot.leaf == leaf for rectangle in spot.rectangles]
        within, beside = under(rectangles, glyphs.on(leaf))
        inside += within
        touched += beside
    difference = differs(asked.text, inside, touched, *floor.on(leaves))
    return f"{_told(asked)} {difference}" if difference else ""


def under(rectangles: Sequence[Rectangle], glyphs: Sequence[Glyph]) -> tuple[list[Glyph], list[Glyph]]:
    """The glyphs with their middle in a rectangle, and the ligatures that only touch one."""
    inside, touched = [], []
    for glyph in glyphs:
        if any(_holds(rectangle, glyph) for rectangle in rectangles):
            inside.append(glyph)
        elif len(glyph.letters) > 1 and any(_meets(rectangle, glyph.box) for rectangle in rectangles):
            touched.append(glyph)
    return inside, touched


def differs(
    text: str,
    inside: Sequence[Glyph],
    touched: Sequence[Glyph] = (),
    only_ours: Counter[str] = _NONE,
    only_theirs: Counter[str] = _NONE,
) -> str:
    """How the letters and digits of the glyphs under rectangles differ from a text's; nothing where they do not."""
    ours = content(text)
    whole = Counter("".join(glyph.letters for glyph in inside if len(glyph.letters) == 1))
    parts = Counter("".join(glyph.letters for glyph in (*inside, *touched) if len(glyph.letters) > 1))
    missing, other = ((ours - whole) - parts) - only_ours, (whole - ours) - only_theirs
    if not missing and not other:
        return ""
    return f"has {''.join(missing.elements())!r} beside, and {''.join(other.elements())!r} more under its rectangles"


def _holds(rectangle: Rectangle, glyph: Glyph) -> bool:
    x, y = glyph.middle
    left, top, right, bottom = rectangle
    return left - _SLACK <= x <= right + _SLACK and top - _SLACK <= y <= bottom + _SLACK


def _meets(rectangle: Rectangle, box: Box) -> bool:
    """Whether a box lies in a rectangle or hardly beside it: a half ligature's place is a guess of MuPDF's."""
    left, top, right, bottom = rectangle
    is_across = left - _BESIDE <= box[2] and right + _BESIDE >= box[0]
    return is_across and top - _BESIDE <= box[3] and bottom + _BESIDE >= box[1]


def _told(asked: Asked) -> str:
    return f"{asked.start}-{asked.end} {asked.text[:60]!r}: {asked.anchor[:90]}"


# -- drawn -------------------------------------------------------------------------------------------------------


def _without_ink(
    path: Path,
    password: str | None,
    drawer: LeafDrawer,
    asked: Sequence[Asked],
    shown: Sequence[tuple[LeafSpot, ...]],
) -> list[str]:
    """The spans of which a rectangle holds nothing but paper."""
    pictures: dict[int, Picture] = {}
    wrong = []
    for one, spots in zip(asked, shown, strict=True):
        for spot in spots:
            if spot.leaf not in pictures:
                pictures[spot.leaf] = drawer.leaf(path, password, spot.leaf, _SCALE)
            empty = [box for box in spot.rectangles if not has_ink(pictures[spot.leaf], box, _SCALE)]
            if empty or not spot.rectangles:
                wrong.append(f"{_told(one)} has no ink on leaf {spot.leaf} in {empty[:2]}")
                break
    return wrong


def has_ink(picture: Picture, rectangle: Rectangle, scale: float) -> bool:
    """Whether pixels of a rectangle (points) differ from one another as letters differ from paper."""
    left, top, right, bottom = (
        math.floor(rectangle[0] * scale) - 1,
        math.floor(rectangle[1] * scale),
        math.ceil(rectangle[2] * scale) + 1,
        math.ceil(rectangle[3] * scale),
    )
    darkest, lightest = 255, 0
    for row in range(max(top, 0), min(bottom, picture.height)):
        start = row * picture.stride
        values = picture.pixels[start + 3 * max(left, 0) + 1 : start + 3 * min(right, picture.width) : 3]
        if values:
            darkest, lightest = min(darkest, *values, 255), max(lightest, *values, 0)
    return lightest - darkest >= _INK
