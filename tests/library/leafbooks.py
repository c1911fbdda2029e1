"""PDFs as they come out of reading, made by hand: every paragraph lies on a leaf of its own, at known offsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

from readdesk.documents.fileread import FileRead
from readdesk.documents.model import (
    Attachment,
    DocumentHead,
    Furniture,
    Health,
    LeafHealth,
    LeafSpot,
    Markup,
    Paragraph,
    Piece,
    Section,
)
from readdesk.documents.normal import count_words

TEXTS = (
    "The ferry left at six, and nobody was on it but the postman.",
    "At noon the wind turned and the nets came up empty.",
    "In the evening the harbour master wrote two lines in his book.",
    "Then it rained for a week.",
)
BEFORE = 10
"""Characters of furniture that stand before the text in each leaf's own text."""

BOX = (72.0, 100.0, 300.0, 112.0)


def leaf_read(
    texts: Sequence[str] = TEXTS,
    *,
    labels: Sequence[str] = (),
    markups: Sequence[Markup] = (),
    attachments: Sequence[Attachment] = (),
    mark: str = "a",
) -> FileRead:
    """A file that was read: one leaf and one section for each text; `mark` makes its hash."""
    starts = list(accumulate((len(text) for text in texts), initial=0))
    labels = labels or [""] * len(texts)
    head = DocumentHead(
        *("The Ferry Book", ("Ann Author",), "en", "pdf", mark.rjust(64, "0"), 1234, len(texts), tuple(labels)),
        labelling="file" if any(labels) else "",
    )
    sections = [
        Section(number, f"Chapter {number + 1}", 1, -1, starts[number], labels[number] or str(number + 1))
        for number in range(len(texts))
    ]
    paragraphs = [
        Paragraph(number, starts[number], text, (Piece(0, len(text), spot_of(number, 0, len(text))),))
        for number, text in enumerate(texts)
    ]
    words = sum(map(count_words, texts))
    health = Health(starts[-1], words, len(texts), len(texts))
    read = FileRead(head, Path(f"/books/{mark}.pdf"), health, sections, paragraphs)
    read.leaves = [
        LeafHealth(number, labels[number], "text", count_words(text), 1, None, (Furniture("head", "THE FERRY", BOX),))
        for number, text in enumerate(texts)
    ]
    read.markups, read.attachments = list(markups), list(attachments)
    return read


def spot_of(leaf: int, start: int, end: int) -> LeafSpot:
    """The place in the file of some characters of a leaf's paragraph."""
    return LeafSpot(leaf, BEFORE + start, BEFORE + end, (BOX,))


def highlight(leaf: int, words: str, key: str, text: str = "", texts: Sequence[str] = TEXTS) -> Markup:
    """A highlight in the file on some words of a leaf."""
    start = texts[leaf].index(words)
    spot = spot_of(leaf, start, start + len(words))
    return Markup(leaf, "highlight", key, (BOX,), (spot,), text, "Ann", "#ffff00", "2024-02-29")


def note(leaf: int, key: str, text: str) -> Markup:
    """A note at a point of a leaf."""
    return replace(highlight(leaf, "e", key, text), kind="note", spots=())
