"""PDFs whose leaves are not plain text: scans, stamps, invisible words, notes, fonts without names for letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pymupdf as typed_in_part

pymupdf: Any = typed_in_part

WORDS = [
    "When the letter came nobody in the house was awake, and so it lay",
    "on the mat until the evening, among the leaves that the wind had",
    "blown in, where at last the youngest of them found it and read it.",
]


def sheets(path: Path, *drawn: Callable[[Any], None]) -> Path:
    """A PDF with a leaf for each function, which is given the page."""
    document = pymupdf.open()
    for draw in drawn:
        draw(document.new_page(width=400, height=500))
    document.save(path)
    return path


def text(page: Any, lines: Sequence[str] = WORDS, top: float = 60, size: float = 11, **how: Any) -> None:
    """Lines one under the other; `render_mode=3` makes them invisible."""
    for number, line in enumerate(lines):
        page.insert_text((40, top + number * size * 1.3), line, fontsize=size, **how)


def picture(page: Any, box: Sequence[float] | None = None, side: int = 40) -> None:
    """A grey picture over the leaf or a part of it."""
    pixels = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, side, side))
    pixels.clear_with(200)
    page.insert_image(pymupdf.Rect(box) if box else page.rect, pixmap=pixels)


def without_unicode(path: Path, lines: Sequence[str]) -> Path:
    """Lines in a font that is embedded without its Unicode map: they can be seen, but not read."""
    document = pymupdf.open()
    page = document.new_page(width=400, height=500)
    writer = pymupdf.TextWriter(page.rect)
    for number, line in enumerate(lines):
        writer.append((40, 60 + 16 * number), line, font=pymupdf.Font("cjk"))
    writer.write_text(page)
    for xref in range(1, document.xref_length()):
        if document.xref_is_font(xref):
            document.xref_set_key(xref, "ToUnicode", "null")
    document.save(path)
    return path
