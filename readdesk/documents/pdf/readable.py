"""A leaf's own text, in which a LeafSpot's offsets count: the words that belong to the document, in logical order.

It is made of all lines of all text blocks of `page.get_text("dict", flags=LEAF_FLAGS)`, in that order, each line being
its spans' texts put together, lines joined by "\\n". Ligatures come apart by those flags, so that text compares as
people write it. Two kinds of leaves need more:

- Where somebody has typed or stamped something onto a leaf, the library would mix it with the document's words: such a
  leaf is read from its contents and its form fields alone.
- Where letters run from right to left, or stand one beneath the other, lines are put together anew (`logical.py`).
  Only those leaves are read character by character, which takes four times as long.

What must stay true: who reads lines (`extract.py`) and who looks characters up (`render.py`, `covered.py`) see the same
text, one character for one; places on the drawn leaf are made by `placing` alone.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from readdesk.documents.model import Rectangle
from readdesk.documents.pdf.bidirectional import has_right_to_left
from readdesk.documents.pdf.file import pymupdf
from readdesk.documents.pdf.leaves import turned
from readdesk.documents.pdf.logical import arranged
from readdesk.documents.pdf.places import Glyph, glyphs_of, inks_of, lift_upright

LEAF_FLAGS: int = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
"""The flags of `get_text` that a leaf's own text is defined by."""

_INK_FLAGS: int = LEAF_FLAGS | pymupdf.TEXT_ACCURATE_BBOXES

OwnLine = tuple[str, int, Any]
"""The text of a line, the number of its block, and the library's description of it (`dir`, `wmode`, `spans`)."""


def own_lines(page: Any) -> list[OwnLine]:
    """The lines of a leaf's own text; rectangles are those of the unrotated page."""
    text_page = _text_page(page) or page.get_textpage(flags=LEAF_FLAGS)
    lines, needs_care = [], False
    for block in text_page.extractDICT()["blocks"]:
        number = block["number"]
        for line in block.get("lines", ()):
            spans = line["spans"]
            text = spans[0]["text"] if len(spans) == 1 else "".join([span["text"] for span in spans])
            needs_care = needs_care or line["wmode"] or (not text.isascii() and has_right_to_left(text))
            lines.append((text, number, line))
    if not needs_care:
        return lines
    return [
        ("".join(span["text"] for span in line["spans"]), number, line)
        for number, line in arranged(_with_characters(page, text_page))
    ]


def own_glyphs(page: Any) -> list[list[Glyph]]:
    """The characters of each line of a leaf's own text with their rectangles on the drawn leaf."""
    lines = _with_characters(page, _text_page(page))
    if any(line["wmode"] or has_right_to_left(_text_of(line)) for _, line in lines):
        lines = arranged(lines)
    glyphs = glyphs_of([line for _, line in lines])
    place = placing(page)
    return [[(character, place(box)) for character, box in line] for line in glyphs] if place else glyphs


def own_inks(page: Any, glyphs: Sequence[Sequence[Glyph]]) -> list[list[Rectangle | None]]:
    """The rectangles of the ink of the characters that `own_glyphs` has found, None for one of which nothing is known.

    There are none at all where it finds other lines: where lines were put together anew, and where characters that are
    told to be lower make other words.
    """
    lines = [line for _, line in _with_characters(page, _text_page(page, _INK_FLAGS), _INK_FLAGS)]
    if [_text_of(line) for line in lines] != ["".join([character for character, _ in line]) for line in glyphs]:
        return []
    place = placing(page)
    inks = inks_of(lines)
    return [[place(box) if box else None for box in line] for line in inks] if place else inks


def placing(page: Any) -> Callable[[Rectangle], Rectangle] | None:
    """How a rectangle of the unrotated page gets onto the drawn leaf; None where it stays the same.

    Not `Page.rotation_matrix`: that of PyMuPDF 2.0 knows nothing of a page's UserUnit.
    """
    turn = page.rotation
    if not turn:
        return None
    width, height = page.rect.width, page.rect.height
    if turn != 180:
        width, height = height, width
    return lambda box: turned(box, width, height, turn)


def _with_characters(page: Any, text_page: Any, flags: int = LEAF_FLAGS) -> list[tuple[int, Any]]:
    blocks = page.get_text("rawdict", flags=flags, textpage=text_page)["blocks"]
    lines = [(block["number"], line) for block in blocks for line in block.get("lines", ())]
    lift_upright(line for _, line in lines)
    return lines


def _text_of(line: Any) -> str:
    return "".join(glyph["c"] for span in line["spans"] for glyph in span["chars"])


def _text_page(page: Any, flags: int = LEAF_FLAGS) -> Any:
    """A page's contents and form fields without notes and stamps; None where the library reads just those anyway."""
    if not page.parent.is_pdf or page.first_annot is None:
        return None
    mupdf, turn = pymupdf.mupdf, page.rotation
    if turn:
        page.set_rotation(0)  # As `Page.get_textpage` does: coordinates are those of the unrotated page.
    try:
        found = mupdf.FzStextPage(mupdf.fz_bound_page(page.this))
        device = mupdf.fz_new_stext_device(found, mupdf.FzStextOptions(flags))
        for run in (mupdf.fz_run_page_contents, mupdf.fz_run_page_widgets):
            run(page.this, device, mupdf.FzMatrix(), mupdf.FzCookie())
        mupdf.fz_close_device(device)
    finally:
        if turn:
            page.set_rotation(turn)
    text_page = pymupdf.TextPage(found)
    text_page.parent = weakref.proxy(page)
    return text_page
