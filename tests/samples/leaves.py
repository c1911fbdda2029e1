"""Leaves as PyMuPDF leaves them, made by hand: lines with places, to be put in order without a PDF in between."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

from readdesk.documents.draft import Draft
from readdesk.documents.pdf.flow import Flow
from readdesk.documents.pdf.layout import blocks_of
from readdesk.documents.pdf.leaves import Leaf, Line, Measures
from readdesk.documents.pdf.order import in_reading_order

WIDTH, HEIGHT = 600.0, 800.0

WORDS = (
    "the harbour was quiet when they came down to look for a boat and nobody had seen the pilot since the morning so "
    "they waited under the wall until the rain was over and spoke of the long way that still lay before them"
).split()


def line(
    text: str,
    left: float,
    top: float,
    size: float = 10,
    right: float | None = None,
    is_bold: bool = False,
    is_mono: bool = False,
) -> Line:
    """A line of text; it is half as wide as high for every character unless its right edge is given."""
    end = left + 0.5 * size * len(text) if right is None else right
    return Line(text, 0, left, top, end, top + 1.2 * size, size, is_bold, is_mono)


def prose(name: str, count: int, left: float, top: float, width: float = 240, size: float = 10) -> list[Line]:
    """Lines that fill a column; each begins with a name and its number, and only the last ends a sentence."""
    length = int(width / (0.5 * size))
    lines = []
    for number in range(count):
        text, at = f"{name} {number:02d}", 3 * number
        while len(text) + 1 + len(WORDS[at % len(WORDS)]) <= length:
            text, at = f"{text} {WORDS[at % len(WORDS)]}", at + 1
        end = "." if number == count - 1 else ""
        lines.append(line(text + end, left, top + 1.3 * size * number, size, left + width))
    return lines


def table(rows: Sequence[Sequence[str]], lefts: Sequence[float], top: float, size: float = 10) -> list[Line]:
    """A table whose cells begin at the places given; an empty cell is no line at all."""
    return [
        line(cell, left, top + 1.4 * size * number, size)
        for number, row in enumerate(rows)
        for cell, left in zip(row, lefts, strict=True)
        if cell
    ]


def leaf_of(lines: Iterable[Line], seed: int = 0, index: int = 0) -> Leaf:
    """A leaf of lines that the file draws in any order."""
    numbered, start = [], 0
    for one in lines:
        numbered.append(replace(one, start=start, block=start))
        start += len(one.text) + 1
    random.Random(seed).shuffle(numbered)
    return Leaf(index, WIDTH, HEIGHT, numbered)


def drafts_of(leaves: Sequence[Leaf]) -> list[Draft]:
    """The paragraphs of leaves, as the reader of PDFs makes them."""
    measures = Measures.of(leaves)
    flow = Flow(measures)
    drafts: list[Draft] = []
    for leaf in leaves:
        for block in blocks_of(leaf, in_reading_order(leaf), measures):
            drafts += flow.add(block, leaf.index, 0)
    return [*drafts, *flow.flush()]


def paragraphs_of(*sides: Iterable[Line], seed: int = 0) -> list[tuple[str, str]]:
    """Kind and text of the paragraphs of one leaf after another, each given by its lines."""
    leaves = [leaf_of(lines, seed, index) for index, lines in enumerate(sides)]
    return [(draft.kind, draft.text) for draft in drafts_of(leaves)]


def names_in(text: str, names: Iterable[str]) -> list[str]:
    """The names in the order in which they come in a text; all must be there."""
    places = {name: text.index(name) for name in names}
    return sorted(places, key=lambda name: places[name])
