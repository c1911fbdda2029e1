"""Where letters lie, put right: what the library tells about it fits fonts of plain text, and others badly.

- Characters that stand one beneath the other are told about one character too low: from their own origin downwards.
- All letters of a ligature but the first are told to lie behind it, over the next letter; they share its place.
- Symbols come from fonts whose signs reach far above or below (big brackets, roots), and are all told to be as high; a
  line is as high as its letters.
- Text that was recognised is often set in larger letters than lines are apart. Each line would cover half of the one
  above: where neighbours overlap by much, they are cut apart.

What must stay true: the number and order of characters is not touched; widths and places along a line stay, but for
ligatures; nothing here knows PyMuPDF, only the shape of its `rawdict` and `dict`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from readdesk.documents.model import Rectangle
from readdesk.documents.pdf.bidirectional import level
from readdesk.documents.pdf.leaves import turned
from readdesk.documents.pdf.logical import quarter_turn

Glyph = tuple[str, Rectangle]

_ABOVE, _BELOW = 0.88, 0.12
"""Of its size, how much of a vertical character lies above and below its origin, if a font says nothing else."""
_LEAST_ASCENT, _MOST_ASCENT, _MOST_DESCENT = 0.4, 1.3, 0.5
_TOUCHING = 0.12
_MUCH, _LEAST_STEP = 0.3, 0.5
"""Of a line's height, how much neighbours overlap when they are cut, and how far apart they must be."""
_MOST_CUT = 0.36
"""Of its height, how much a character may lose; those that stand higher or lower than the others stay."""
_ALIKE = 0.02
_DESCENT, _UP_TO_NEXT = 0.21, 0.25


def lift_upright(lines: Iterable[Any]) -> None:
    """Move the characters of lines that run downwards (`wmode` 1) to where they are drawn."""
    for line in lines:
        turn = quarter_turn(line["dir"])
        if not line["wmode"] or turn is None:
            continue
        for span in line["spans"]:
            for glyph in span["chars"]:
                start, top, _, bottom = level(glyph["bbox"], turn)
                box = start - _ABOVE * span["size"], top, start + _BELOW * span["size"], bottom
                glyph["bbox"] = turned(box, 0.0, 0.0, turn)
            span["bbox"] = around([glyph["bbox"] for glyph in span["chars"]])
        line["bbox"] = around([span["bbox"] for span in line["spans"]])


def glyphs_of(lines: Sequence[Any]) -> list[list[Glyph]]:
    """The characters of each `rawdict` line with their rectangles put right, in the page's own coordinates."""
    rows = [_Row(line) for line in lines]
    for above, below in pairwise(rows):
        if above.turn == below.turn is not None and above.box and below.box:
            cut = cut_between(above.box, below.box)
            if cut is not None:
                above.end_at(cut)
                below.begin_at(cut)
    return [row.glyphs() for row in rows]


def inks_of(lines: Sequence[Any]) -> list[list[Rectangle | None]]:
    """The ink of each character of `rawdict` lines read with accurate boxes; None where that is as high as its font.

    The library tells so of fonts that say nothing about their signs, and of lines that slant.
    """
    return [
        [_ink(glyph, span, quarter_turn(line["dir"])) for span in line["spans"] for glyph in span["chars"]]
        for line in lines
    ]


def box_of_letters(spans: Sequence[Any]) -> Rectangle | None:
    """The rectangle around those spans of a level line that are set in a font of letters; None if no or all are."""
    letters = [span["bbox"] for span in spans if is_of_letters(span) and not span["text"].isspace()]
    return around(letters) if letters and len(letters) < len(spans) else None


def is_of_letters(span: Any) -> bool:
    """Whether a font is as high as fonts of letters are, and its signs stand on the baseline."""
    return bool(_LEAST_ASCENT <= span["ascender"] <= _MOST_ASCENT and span["descender"] >= -_MOST_DESCENT)


def cut_between(above: Rectangle, below: Rectangle) -> float | None:
    """Where two lines that follow one another are to be cut apart; None if they do not overlap by much.

    Letters stand on the lower fifth of a line's rectangle, and reach up to what hangs down from the line before.
    """
    heights = above[3] - above[1], below[3] - below[1]
    step = below[3] - above[3]
    if above[3] - below[1] < _MUCH * min(heights) or step < _LEAST_STEP * max(heights) or below[1] <= above[1]:
        return None
    if min(above[2], below[2]) <= max(above[0], below[0]):
        return None
    return above[3] - _DESCENT * (above[3] - above[1]) + _UP_TO_NEXT * step


def _ink(glyph: Any, span: Any, turn: int | None) -> Rectangle | None:
    if turn is None:
        return None
    box: Rectangle = glyph["bbox"]
    _, top, _, bottom = level(box, turn)
    font_height = max(span["ascender"] - span["descender"], 1.0) * span["size"]
    return box if bottom - top > 0 and abs(bottom - top - font_height) > _ALIKE * font_height else None


def around(boxes: Sequence[Rectangle]) -> Rectangle:
    """The smallest rectangle that holds all of them."""
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


class _Row:
    """A line's characters in coordinates in which it is level."""

    def __init__(self, line: Any) -> None:
        self.turn = None if line["wmode"] else quarter_turn(line["dir"])
        spans = line["spans"]
        self._characters = "".join([glyph["c"] for span in spans for glyph in span["chars"]])
        boxes = [glyph["bbox"] for span in spans for glyph in span["chars"]]
        self._boxes: list[Rectangle] = [level(box, self.turn) for box in boxes] if self.turn else boxes
        if self.turn is not None:
            self._lower_symbols([is_of_letters(span) for span in spans for _ in span["chars"]])
            if not line.get("rightmost_first"):
                self._part_ligatures()
        self.box = self._usual_box()

    def glyphs(self) -> list[Glyph]:
        """Characters with their rectangles in the page's own coordinates."""
        boxes = [turned(box, 0.0, 0.0, self.turn) for box in self._boxes] if self.turn else self._boxes
        return list(zip(self._characters, boxes, strict=True))

    def end_at(self, cut: float) -> None:
        """Let nothing reach lower."""
        self._boxes = [
            (x0, y0, x1, cut) if 0 < y1 - cut <= _MOST_CUT * (y1 - y0) else (x0, y0, x1, y1)
            for x0, y0, x1, y1 in self._boxes
        ]

    def begin_at(self, cut: float) -> None:
        """Let nothing reach higher."""
        self._boxes = [
            (x0, cut, x1, y1) if 0 < cut - y0 <= _MOST_CUT * (y1 - y0) else (x0, y0, x1, y1)
            for x0, y0, x1, y1 in self._boxes
        ]

    def _usual_box(self) -> Rectangle | None:
        """From the first to the last character that is seen, as high as most of them are."""
        seen = [box for character, box in zip(self._characters, self._boxes, strict=True) if not character.isspace()]
        if not seen:
            return None
        ((top, bottom), _), *_ = Counter([(box[1], box[3]) for box in seen]).most_common(1)
        return min([box[0] for box in seen]), top, max([box[2] for box in seen]), bottom

    def _lower_symbols(self, are_letters: Sequence[bool]) -> None:
        """Let symbols be as high as the letters before them, or else as those behind."""
        if all(are_letters):
            return
        seen = list(zip(self._characters, self._boxes, are_letters, strict=True))
        letters = [box for character, box, is_letter in seen if is_letter and not character.isspace()]
        if not letters:
            return
        _, top, _, bottom = letters[0]
        boxes = []
        for character, box, is_letter in seen:
            if not is_letter:
                box = box[0], top, box[2], bottom
            elif not character.isspace():
                _, top, _, bottom = box
            boxes.append(box)
        self._boxes = boxes

    def _part_ligatures(self) -> None:
        """Share the place of a ligature among its letters.

        The later ones are told where the next character is, but that of the same letter drawn twice is no ligature.
        """
        characters, boxes = self._characters, self._boxes
        at = 1
        while at < len(boxes) - 1:
            first = at - 1
            while at < len(boxes) - 1 and self._is_behind(first, at):
                at += 1
            if at - first > 1:
                left, top, right, bottom = boxes[first]
                width = (right - left) / (at - first)
                for number in range(first, at):
                    start = left + (number - first) * width
                    boxes[number] = (start, top, start + width, bottom)
            at += 1
        assert len(characters) == len(boxes)

    def _is_behind(self, first: int, at: int) -> bool:
        """Whether a character is one of a ligature's, which takes no place of its own."""
        here, following = self._boxes[at], self._boxes[at + 1]
        is_letter = self._characters[first].isalpha() and self._characters[at].isalpha()
        return (
            is_letter
            and abs(here[0] - following[0]) < _TOUCHING
            and abs(here[0] - self._boxes[first][2]) < _TOUCHING
            and self._characters[at] != self._characters[at + 1]
        )
