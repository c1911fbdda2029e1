"""Where the letters of a PDF's leaves are drawn, as PDFium sees it, in points from the upper left corner as drawn.

PDFium (through pypdfium2) tells boxes in the page's own coordinates; the way from there to the drawn leaf is that of
the PDF standard (crop box within media box, UserUnit, /Rotate), written here once more, so that a mistake in ours does
not hide itself. pypdf tells UserUnit, which PDFium does not. What must stay true: no code of ReadDesk or MuPDF.
"""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdf
import pypdfium2 as pdfium

Box = tuple[float, float, float, float]
_MIDDLE = 0.5


@dataclass(frozen=True)
class Glyph:
    """A drawn sign: its letters and digits after NFKC (a ligature has several), its box on the drawn leaf."""

    letters: str
    box: Box

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of the box."""
        left, top, right, bottom = self.box
        return (left + right) * _MIDDLE, (top + bottom) * _MIDDLE


class DrawnGlyphs:
    """The glyphs of each leaf of a file; raises pdfium.PdfiumError where it cannot be opened."""

    def __init__(self, path: Path, password: str | None) -> None:
        self._document = pdfium.PdfDocument(path, password=password)
        self._units = _user_units(path, password, len(self._document))
        self._known: dict[int, tuple[Glyph, ...]] = {}

    def on(self, index: int) -> tuple[Glyph, ...]:
        """The glyphs of a leaf that are letters or digits."""
        if index not in self._known:
            page = self._document[index]
            self._known[index] = tuple(_glyphs(page, _placing(page, self._units[index])))
        return self._known[index]

    def close(self) -> None:
        """Close the file."""
        self._document.close()


def _glyphs(page: Any, place: Callable[[Box], Box]) -> list[Glyph]:
    text = page.get_textpage()
    found: dict[Box, str] = {}
    for index in range(text.count_chars()):
        if pdfium.raw.FPDFText_IsGenerated(text.raw, index):
            continue
        character = chr(pdfium.raw.FPDFText_GetUnicode(text.raw, index))
        letters = "".join(filter(str.isalnum, unicodedata.normalize("NFKC", character)))
        if letters:  # Each letter of a ligature is said to fill all of it, and each word that stands for a glyph too.
            box = text.get_charbox(index)
            found[box] = found.get(box, "") + letters
    return [Glyph(letters, place(box)) for box, letters in found.items()]


def _placing(page: Any, unit: float) -> Callable[[Box], Box]:
    """How a box of the page's own coordinates (upwards from below) gets onto the drawn leaf."""
    left, bottom, right, top = page.get_bbox()
    wide, high = (right - left) * unit, (top - bottom) * unit

    def place(box: Box) -> Box:
        x0, y0, x1, y1 = (box[0] - left) * unit, (top - box[3]) * unit, (box[2] - left) * unit, (top - box[1]) * unit
        turns: dict[int, Box] = {
            90: (high - y1, x0, high - y0, x1),
            180: (wide - x1, high - y1, wide - x0, high - y0),
            270: (y0, wide - x1, y1, wide - x0),
        }
        return turns.get(page.get_rotation(), (x0, y0, x1, y1))

    return place


def _user_units(path: Path, password: str | None, count: int) -> list[float]:
    """The UserUnit of each leaf: 1 where pypdf cannot say."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(path)
        if reader.is_encrypted:
            reader.decrypt(password or "")
        return [float(page.user_unit) for page in reader.pages]
    except Exception:  # It raises whatever its parser meets in a damaged file.
        return [1.0] * count
