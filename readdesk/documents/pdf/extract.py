"""What stands on a leaf: the lines of its own text with their places, and what kind of leaf it is.

Spans are enough for that; characters are looked at only where they are needed (`readable.py`), and drawings only on
leaves with pictures or next to no text. What is no part of what a reader sees gets no line, but stays in the leaf's
own text, so that offsets count the same for all: invisible text that lies over no picture, or over words that can be
seen anyway, and runs of characters that no font could name.

What must stay true: a leaf that the library cannot read has no lines; `Line.text` is the leaf's own text from
`Line.start` on, character for character.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from readdesk.documents.model import Rectangle
from readdesk.documents.pdf.file import FAILURES, pymupdf
from readdesk.documents.pdf.leaves import Leaf, Line
from readdesk.documents.pdf.legible import NAMELESS_RUN, is_soup
from readdesk.documents.pdf.logical import quarter_turn
from readdesk.documents.pdf.pictures import settle_kind
from readdesk.documents.pdf.places import around, box_of_letters, cut_between
from readdesk.documents.pdf.readable import OwnLine, own_lines, placing

_BOLD, _MONO = pymupdf.TEXT_FONT_BOLD, pymupdf.TEXT_FONT_MONOSPACED
_IS_DRAWN = pymupdf.mupdf.FZ_STEXT_FILLED | pymupdf.mupdf.FZ_STEXT_STROKED
_MONO_NAMES = re.compile(r"mono|courier|typewriter|consol|cmtt|lmtt|menlo|inconsolata", re.IGNORECASE)
_WORD_GAP = 1.5
_WIDE_SPACE = 3.0
_RAISED_SIZE = 0.88
_LEAST_RAISED, _MOST_RAISED = 0.15, 0.9
_LEVEL = (1.0, 0.0)
_HIGH = 1.5
"""Of its letters' size, how high a line is at most that holds nothing but letters."""


def leaf_of(document: Any, index: int) -> Leaf:
    """A leaf with its lines; one that the library cannot read is empty."""
    try:
        page = document[index]
        bounds = page.rect
        leaf = Leaf(index, bounds.width, bounds.height)
        lines = own_lines(page)
        if is_soup("\n".join([text for text, _, _ in lines])):
            leaf.kind = "unreadable"
            return leaf
        builder = _Builder(leaf, page, lines)
        builder.build()
        settle_kind(leaf, page, builder.framed)
        return leaf
    except FAILURES:
        return Leaf(index, 1.0, 1.0, kind="unreadable")


class _Builder:
    """Makes lines of a leaf's own text."""

    def __init__(self, leaf: Leaf, page: Any, lines: Sequence[OwnLine]) -> None:
        self._leaf = leaf
        self._lines = lines
        self._placed = placing(page)
        self._set_frame(page.rotation)
        self._is_plain = self._placed is None and not leaf.is_framed

    def build(self) -> None:
        """Add every line to the leaf."""
        start = 0
        for text, block, line in self._lines:
            if text and not text.isspace():
                self._add(text, start, block, line)
            start += len(text) + 1
        for above, below in pairwise(self._leaf.lines):
            if above.bottom > below.top > above.top and above.is_level and below.is_level:
                self._cut_apart(above, below)

    def _cut_apart(self, above: Line, below: Line) -> None:
        """Let a line end where the next one begins, if they overlap by much."""
        cut = cut_between(_frame_of(above), _frame_of(below))
        if cut is None:
            return
        above.bottom, below.top = min(above.bottom, round(cut, 1)), max(below.top, round(cut, 1))
        if self._leaf.is_framed:
            above.drawn, below.drawn = (_rounded(self._leaf.drawn(_frame_of(line))) for line in (above, below))

    def framed(self, box: Rectangle) -> Rectangle:
        """A rectangle of the unrotated page in the leaf's reading frame."""
        if self._placed:
            box = self._placed(box)
        return self._leaf.framed(box) if self._leaf.is_framed else box

    def _set_frame(self, rotation: int) -> None:
        """Turn the leaf's frame so that most of its text is level and runs to the right."""
        leaf = self._leaf
        turns: Counter[int] = Counter()
        from_the_right = 0
        for text, _, line in self._lines:
            turn = 0 if line["dir"] == _LEVEL else quarter_turn(line["dir"])
            if turn is not None:
                turns[turn] += len(text)
            if line.get("rightmost_first"):
                from_the_right += len(text)
        most = turns.most_common(1)[0][0] if turns else -rotation
        leaf.turn = (most + rotation) % 360
        leaf.is_mirrored = 2 * from_the_right > sum(turns.values())
        self._upright = most
        if leaf.turn in (90, 270):
            leaf.width, leaf.height = leaf.height, leaf.width

    def _add(self, text: str, start: int, block: int, line: Any) -> None:
        """Add a line of the library, in parts where a wide gap separates columns or the hidden from what is seen."""
        spans = line["spans"]
        is_level = line["dir"] == _LEVEL if self._is_plain else quarter_turn(line["dir"]) == self._upright
        ends = self._ends(spans, is_level) if len(spans) > 1 else ()
        if not ends:
            self._add_part(text, start, spans, block, line, line["bbox"], is_level)
            return
        first = 0
        for end in (*ends, len(spans)):
            part = spans[first:end]
            length = sum([len(span["text"]) for span in part])
            seen = [span["bbox"] for span in part if not span["text"].isspace()]
            self._add_part(text[:length], start, part, block, line, around(seen or [part[0]["bbox"]]), is_level)
            text, start, first = text[length:], start + length, end

    def _ends(self, spans: Sequence[Any], is_level: bool) -> list[int]:
        """The numbers of the spans that begin another part of a line; a space as wide as a gap ends a part, too."""
        ends: list[int] = []
        widest = _WIDE_SPACE * min([span["size"] for span in spans])
        was_drawn, end, is_wide_space = _is_drawn(spans[0]), math.inf, False
        for number, span in enumerate(spans):
            left, _, right, _ = span["bbox"] if self._is_plain else self.framed(span["bbox"])
            is_drawn = bool(span["char_flags"] & _IS_DRAWN and span["alpha"])
            has_gap = is_wide_space or left - end > _WORD_GAP * span["size"]
            if is_drawn is not was_drawn or (has_gap and is_level):
                ends.append(number)
            is_wide_space = right - left > widest and span["text"].isspace()
            was_drawn, end = is_drawn, right
        return ends

    def _add_part(
        self, text: str, start: int, spans: Sequence[Any], block: int, line: Any, box: Rectangle, is_level: bool
    ) -> None:
        if not text or text.isspace():
            return
        whole = self._line(text, start, spans, block, line, box, is_level)
        if not text.isascii() and NAMELESS_RUN.search(text):
            self._add_pieces(whole)
        else:
            self._leaf.lines.append(whole)

    def _add_pieces(self, whole: Line) -> None:
        """Add a line without the runs of characters that no font could name; a piece's place is guessed by lengths."""
        text = whole.text
        width = (whole.right - whole.left) / len(text)
        at = 0
        for run in (*NAMELESS_RUN.finditer(text), None):
            end = run.start() if run else len(text)
            if text[at:end].strip():
                left, right = whole.left + at * width, whole.left + end * width
                if whole.is_rightmost_first and not self._leaf.is_mirrored:
                    left, right = whole.right - end * width, whole.right - at * width
                box = (round(left, 1), whole.top, round(right, 1), whole.bottom)
                drawn = _rounded(self._leaf.drawn(box)) if self._leaf.is_framed else None
                piece = replace(whole, text=text[at:end], start=whole.start + at, left=box[0], right=box[2], raised=())
                piece.drawn = drawn
                self._leaf.lines.append(piece)
            at = run.end() if run else end

    def _line(
        self, text: str, start: int, spans: Sequence[Any], block: int, line: Any, box: Rectangle, is_level: bool
    ) -> Line:
        main = spans[0]
        if len(spans) > 1:
            lengths = [len(span["text"]) for span in spans]
            main = spans[lengths.index(max(lengths))]
            if main["text"].isspace():  # Most often it is none, and to ask each would take long.
                main = max(spans, key=lambda span: 0 if span["text"].isspace() else len(span["text"]))
        left, top, right, bottom = box if self._is_plain else self.framed(box)
        if is_level and bottom - top > _HIGH * main["size"] and (letters := box_of_letters(spans)):
            _, top, _, bottom = letters if self._is_plain else self.framed(letters)
        framed = left, top, right, bottom
        return Line(
            text,
            start,
            round(left, 1),
            round(top, 1),
            round(right, 1),
            round(bottom, 1),
            size=round(main["size"], 2),
            is_bold=bool(main["flags"] & _BOLD) and _are_all(_is_bold, spans),
            is_mono=_is_mono(main) and _are_all(_is_mono, spans),
            is_level=is_level,
            block=block,
            raised=_raised(spans, main, line["dir"]) if len(spans) > 1 else (),
            is_hidden=not _is_drawn(main),
            is_vertical=bool(line["wmode"]),
            is_rightmost_first=line.get("rightmost_first", False),
            drawn=_rounded(self._leaf.drawn(framed)) if self._leaf.is_framed else None,
            baseline=round(main["origin"][1] if self._is_plain else self.framed(main["origin"] * 2)[1], 1),
        )


def _is_drawn(span: Any) -> bool:
    """Whether letters are drawn so that they can be seen."""
    return bool(span["char_flags"] & _IS_DRAWN and span["alpha"])


def _rounded(box: Rectangle) -> Rectangle:
    left, top, right, bottom = box
    return round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)


def _frame_of(line: Line) -> Rectangle:
    return line.left, line.top, line.right, line.bottom


def _are_all(is_so: Callable[[Any], bool], spans: Sequence[Any]) -> bool:
    """Whether all spans are, but for spaces."""
    return all(is_so(span) or span["text"].isspace() for span in spans)


def _is_bold(span: Any) -> bool:
    return bool(span["flags"] & _BOLD)


def _is_mono(span: Any) -> bool:
    return bool(span["flags"] & _MONO) or _has_mono_name(span["font"])


@lru_cache(256)
def _has_mono_name(font: str) -> bool:
    return _MONO_NAMES.search(font) is not None


def _raised(spans: Sequence[Any], main: Any, direction: tuple[float, float]) -> tuple[tuple[int, int], ...]:
    """The spans of a line's text that are smaller than the rest and stand above its baseline, neighbours joined."""
    size, (x, y), (across, down) = main["size"], main["origin"], direction
    if min([span["size"] for span in spans]) > _RAISED_SIZE * size:
        return ()
    found: list[tuple[int, int]] = []
    start = 0
    for span in spans:
        text = span["text"]
        end = start + len(text)
        if span["size"] <= _RAISED_SIZE * size and not text.isspace():
            lift = (span["origin"][0] - x) * down - (span["origin"][1] - y) * across
            if _LEAST_RAISED * size <= lift <= _MOST_RAISED * size:
                first, last = start + len(text) - len(text.lstrip()), start + len(text.rstrip())
                if found and found[-1][1] == first:
                    first = found.pop()[0]
                found.append((first, last))
        start = end
    whole = "".join([span["text"] for span in spans])
    return tuple(span for span in found if not _is_within_word(whole, *span))


def _is_within_word(text: str, start: int, end: int) -> bool:
    """Whether raised letters stand amid others, as in the name of LaTeX."""
    around = text[max(start - 1, 0) : start] + text[end : end + 1]
    return len(around) == 2 and around.isalpha() and text[start:end].isalpha()
