"""What stands on a leaf: its own text, as lines with their places on the drawn leaf.

A leaf's own text, in which a LeafSpot's offsets count, is made of all lines of all text blocks of
`page.get_text("dict", flags=LEAF_FLAGS)`, in that order, each line being its spans' texts put together, lines joined by
"\\n". Rectangles are those of lines on the *drawn* leaf: the library counts on the unrotated page. Ligatures come apart
by those flags, so that text compares as people write it. What must stay true: whoever looks characters up later
(`render.py`) sees the same text, character for character.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from readdesk.documents.model import Rectangle
from readdesk.documents.pdf.file import FAILURES, pymupdf
from readdesk.documents.pdf.leaves import Leaf, Line

LEAF_FLAGS: int = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
"""The flags of `get_text` that a leaf's own text is defined by."""

_BOLD, _MONO = pymupdf.TEXT_FONT_BOLD, pymupdf.TEXT_FONT_MONOSPACED
_MONO_NAMES = re.compile(r"mono|courier|typewriter|consol|cmtt|lmtt|menlo|inconsolata", re.IGNORECASE)
_MARKED_TEXT = re.compile(r"([^\W\d_]{3}|[.,;:!?)”’\"])$")
_WORD_GAP = 1.5


def leaf_of(document: Any, index: int) -> Leaf:
    """A leaf with its lines and the label that the file gives it; one that the library cannot read is empty."""
    try:
        page = document[index]
        leaf = Leaf(index, page.rect.width, page.rect.height, label=page.get_label())
        matrix = tuple(page.rotation_matrix) if page.rotation else None
        start = 0
        for block in page.get_text("dict", flags=LEAF_FLAGS)["blocks"]:
            for line in block.get("lines", ()):
                start = _add_line(leaf, line, block["number"], start, matrix)
        return leaf
    except FAILURES:
        return Leaf(index, 1.0, 1.0)


def _add_line(leaf: Leaf, line: Any, block: int, start: int, matrix: tuple[float, ...] | None) -> int:
    """Add a line of the library, in parts where a wide gap separates columns; return where the next one starts."""
    group: list[Any] = []
    for span in line["spans"]:
        if group and line["dir"][0] > 0.9 and (_has_gap(group[-1], span) or _is_note_mark(group[-1], span)):
            start = _add_part(leaf, line, group, block, start, matrix)
            group = []
        group.append(span)
    return _add_part(leaf, line, group, block, start, matrix) + 1


def _has_gap(before: Any, span: Any) -> bool:
    return bool(span["bbox"][0] - before["bbox"][2] > _WORD_GAP * span["size"])


def _is_note_mark(before: Any, span: Any) -> bool:
    """Whether a span is the raised number of a footnote, which must not be glued to the word before it."""
    is_raised = span["flags"] & pymupdf.TEXT_FONT_SUPERSCRIPT and span["text"].strip().isdigit()
    return bool(is_raised and _MARKED_TEXT.search(before["text"]))


def _add_part(
    leaf: Leaf, line: Any, spans: Sequence[Any], block: int, start: int, matrix: tuple[float, ...] | None
) -> int:
    text = "".join(span["text"] for span in spans)
    end = start + len(text)
    if not text.strip():
        return end
    box = (
        min(span["bbox"][0] for span in spans),
        min(span["bbox"][1] for span in spans),
        max(span["bbox"][2] for span in spans),
        max(span["bbox"][3] for span in spans),
    )
    main = max(spans, key=lambda span: len(span["text"].strip()))
    across, down = line["dir"]
    if matrix:
        across = across * matrix[0] + down * matrix[2]
    seen = [span for span in spans if span["text"].strip()]
    leaf.lines.append(
        Line(
            text,
            start,
            *_drawn(box, matrix),
            size=round(main["size"], 2),
            is_bold=all(span["flags"] & _BOLD for span in seen),
            is_mono=all(span["flags"] & _MONO or _MONO_NAMES.search(span["font"]) for span in seen),
            is_level=across > 0.9,
            block=block,
        )
    )
    return end


def _drawn(box: Rectangle, matrix: tuple[float, ...] | None) -> Rectangle:
    """A rectangle of the unrotated page on the drawn leaf."""
    left, top, right, bottom = box
    if matrix:
        a, b, c, d, e, f = matrix
        xs = sorted((left * a + top * c + e, right * a + bottom * c + e))
        ys = sorted((left * b + top * d + f, right * b + bottom * d + f))
        left, top, right, bottom = xs[0], ys[0], xs[1], ys[1]
    return round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)
