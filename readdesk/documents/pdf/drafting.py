"""The text of a paragraph: its lines joined, with the leaf, the span and the rectangle of each.

Code keeps its lines and what is drawn between its words, the cells of a table are parted by tabulators, everything else
is one line of text. What must stay true: every character that is put in maps to its line on its leaf; what is left out
is a hyphen, white space, or a row of dots that leads to a number.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import cast

from readdesk.documents.draft import Draft, TextBuilder
from readdesk.documents.health import is_unusable
from readdesk.documents.model import LeafSpot, Rectangle
from readdesk.documents.pdf.joining import add_words, join
from readdesk.documents.pdf.layout import Block
from readdesk.documents.pdf.leaves import Line, Measures, Row

_LEADER = re.compile(r"(?:\s*[.·…]){5,}\s*")
_FAR = 3.0
_LONGEST_FORMULA = 60
_MOST_SPACES = 200
"""Between two words of code: letters next to nothing wide would be far from one another."""


def draft_of(block: Block, measures: Measures) -> Draft | None:
    """A paragraph's text, hyphens at line ends joined, with the leaf, span and rectangle of each line."""
    builder = TextBuilder()
    if block.kind == "code":
        _add_code(builder, block)
    elif block.kind == "table":
        _add_cells(builder, block, measures.words)
    else:
        for number, (leaf, row) in enumerate(block.rows):
            if number:
                join(builder, block.rows[number - 1][1].lines[-1].text, row.lines[0].text, measures.words)
            _add_row(builder, leaf, row, measures.words)
    draft = builder.finish(_spot, block.kind)
    return None if draft is None or _is_nothing(draft.text) else draft


def _is_nothing(text: str) -> bool:
    """Whether it is no text: brackets of formulas come as characters that no font can name, and say nothing alone.

    In a formula they may be a third of its few characters; in a longer text so many make soup of it.
    """
    is_formula = len(text) <= _LONGEST_FORMULA and any(map(str.isalnum, text))
    return not is_formula and is_unusable(text)


def _add_row(builder: TextBuilder, leaf: int, row: Row, words: frozenset[str]) -> None:
    last = row.lines[0]
    for number, line in enumerate(row.lines):
        if number and not (number == 1 and row.is_capped):
            is_number = line.left - last.right > _FAR * line.size and line.text.strip().isdigit()
            builder.insert("\t" if is_number else " ")
        _add_line(builder, leaf, line, words)
        last = line


def _add_line(builder: TextBuilder, leaf: int, line: Line, words: frozenset[str]) -> None:
    """A line's characters, dots that lead to a number left out, with the numbers beside it and what is raised."""
    key, text, done = (leaf, line.rectangle), line.text, 0
    for number in line.beside:
        builder.point("line", number)
    for start, end in line.raised:
        add_words(builder, text[done:start], line.start + done, key, words)
        at = len(builder)
        builder.add(text[start:end], line.start + start, key)
        builder.mark("superscript", at, "")
        done = end
    if not done and (". ." in text or "..." in text or "…" in text or "·" in text):
        for leader in _LEADER.finditer(text):
            builder.add(text[done : leader.start()], line.start + done, key)
            builder.insert("\t")
            done = leader.end()
    add_words(builder, text[done:], line.start + done, key, words)


def _add_code(builder: TextBuilder, block: Block) -> None:
    """Lines of code, with the indentation and the gaps that are drawn."""
    edge = min(row.left for _, row in block.rows)
    for number, (leaf, row) in enumerate(block.rows):
        if number:
            builder.insert("\n")
        left = edge
        for line in row.lines:
            spaces = round((line.left - left) / (0.6 * max(line.size, 1.0)))
            builder.insert(" " * max(min(spaces, _MOST_SPACES), 0 if line is row.lines[0] else 1))
            for place in line.beside:
                builder.point("line", place)
            builder.add_verbatim(line.text.rstrip(), line.start, (leaf, line.rectangle))
            left = line.right


def _add_cells(builder: TextBuilder, block: Block, words: frozenset[str]) -> None:
    """Cells parted by tabulators; an empty cell keeps its place, so that the others stay under their heading."""
    for leaf, row in block.rows:
        column = 0
        for number, (line, cell) in enumerate(zip(row.lines, row.cells, strict=True)):
            if cell > column:
                if builder:
                    builder.insert("\t" * (cell - column))
                else:
                    builder.write("\t" * (cell - column))
                column = cell
            elif number:
                join(builder, row.lines[number - 1].text, line.text, words)
            _add_line(builder, leaf, line, words)


def _spot(key: Hashable, start: int, end: int) -> LeafSpot:
    leaf, rectangle = cast(tuple[int, Rectangle], key)
    return LeafSpot(leaf, start, end, (rectangle,))
