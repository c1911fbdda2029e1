"""Made scans: leaves of text, drawn and put into a PDF as pictures, so that every word and its place is known."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from tests.samples.make import LINES, pymupdf

_DPI = 150


def leaf_words(number: int) -> list[str]:
    """The lines of a made leaf; no two leaves say the same."""
    return [f"This is leaf {number + 1} of the book.", *LINES]


def scan(path: Path, leaves: Sequence[Sequence[str]], turns: Sequence[int] = (), size: float = 12) -> Path:
    """A PDF whose leaves are pictures of these lines; each picture may be turned clockwise by 90, 180 or 270."""
    document = pymupdf.open()
    for number, lines in enumerate(leaves):
        add_scan(document, lines, turns[number] if turns else 0, size)
    document.save(path)
    return path


def add_scan(document: object, lines: Sequence[str], turn: int = 0, size: float = 12) -> None:
    """Put a picture of lines behind the other leaves of a document."""
    with pymupdf.open() as drawn:
        page = drawn.new_page()
        for number, line in enumerate(lines):
            page.insert_text((72, 100 + number * size * 1.4), line, fontsize=size)
        scale = _DPI / 72
        picture = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale).prerotate(turn), alpha=False)
    wide, high = picture.width / scale, picture.height / scale
    leaf = document.new_page(width=wide, height=high)  # type: ignore[attr-defined]
    leaf.insert_image(leaf.rect, pixmap=picture)


def mixed(path: Path, scans: Sequence[int] = (1,), leaves: int = 3) -> Path:
    """Leaves of text, but for some that are pictures."""
    document = pymupdf.open()
    for number in range(leaves):
        if number in scans:
            add_scan(document, leaf_words(number))
            continue
        page = document.new_page()
        for row, line in enumerate(leaf_words(number)):
            page.insert_text((72, 100 + row * 16), line, fontsize=11)
    document.save(path)
    return path


def columns(path: Path) -> Path:
    """A picture of two columns under a title."""
    document, drawn = pymupdf.open(), pymupdf.open()
    page = drawn.new_page()
    page.insert_text((72, 80), "A Title Across Both Columns", fontsize=20)
    for side, left in (("left", 60), ("right", 320)):
        text = " ".join(f"On the {side} bank, mile {number}, somebody saw the river rise." for number in range(10, 20))
        for row, line in enumerate(textwrap.wrap(text, 42)):
            page.insert_text((left, 130 + 13 * row), line, fontsize=10)
    picture = page.get_pixmap(dpi=_DPI, alpha=False)
    leaf = document.new_page()
    leaf.insert_image(leaf.rect, pixmap=picture)
    document.save(path)
    return path


def blank(path: Path) -> Path:
    """A picture of nothing but grey."""
    document = pymupdf.open()
    page = document.new_page()
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 400, 500))
    pixels.clear_with(230)
    page.insert_image(page.rect, pixmap=pixels)
    document.save(path)
    return path
