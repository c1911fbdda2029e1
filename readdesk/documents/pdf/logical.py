"""Lines in the order in which they are read, where the order in the file tells nothing about it.

Old programs write Hebrew and Arabic as it looks, the last letter first; newer ones as it is read; the library cuts both
wherever the direction changes. So the order in the file is not looked at: characters are put side by side as they are
drawn, and from what is seen is concluded what was written (`bidirectional.py`). Letters in the forms in which they are
joined become plain ones. Characters that stand one beneath the other are joined to lines in the same way; the library
cuts those after each.

What must stay true: every character of a line stays, besides spaces, with its own rectangle; nothing here knows
PyMuPDF, only the shape of its `rawdict`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from readdesk.documents.model import Rectangle
from readdesk.documents.pdf.bidirectional import (
    NO_WIDTH,
    RIGHT_TO_LEFT,
    Cell,
    cells_of,
    from_the_left,
    from_the_right,
    level,
    turn_brackets,
)

_SENTENCE_MARKS = frozenset(".,:;!?")
_SAME_LINE_GAP = 1.5
_LINES_LOOKED_BACK = 8
_LONGEST_LINE = 5_000


def arranged(lines: Sequence[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """Lines (block and `rawdict` line) as they are read; a line that is right to left says so ("rightmost_first")."""
    groups = _grouped(lines)
    right, left = (sum(group.letters[side] for group in groups) for side in (0, 1))
    directions = [group.runs_leftwards for group in groups if group.turn is not None and group.has_both]
    is_in_order = any(directions) and 2 * sum(directions) >= len(directions)
    found: list[tuple[int, Any]] = []
    rebuilt: list[_Logical] = []
    for group in groups:
        is_rightmost_first = group.turn is not None and group.reads_right_to_left(right > left, is_in_order)
        is_as_it_was = not (is_rightmost_first or group.letters[0] or group.is_vertical)
        if is_as_it_was or group.is_bare or group.is_spelled_out or group.is_endless:
            found += [(block, _plain(line, is_rightmost_first)) for block, line in group.lines]
            continue
        logical = _Logical(group, is_rightmost_first)
        rebuilt.append(logical)
        found.append((group.lines[0][0], logical.line))
    turn_brackets(logical.cells for logical in rebuilt)
    for logical in rebuilt:
        logical.fill()
    return found


def _plain(line: Any, is_rightmost_first: bool) -> Any:
    for span in line["spans"]:
        span["text"] = "".join(glyph["c"] for glyph in span["chars"])
    line["rightmost_first"] = is_rightmost_first
    return line


# -- lines of the library that are one line ----------------------------------------------------------------------


@dataclass(slots=True)
class _Group:
    """Lines of the library on one baseline, side by side; coordinates are turned so that they are level."""

    lines: list[tuple[int, Any]]
    turn: int | None
    box: Rectangle
    is_vertical: bool
    letters: tuple[int, int] = (0, 0)

    def reads_right_to_left(self, is_usual: bool, is_in_order: bool) -> bool:
        """Whether the line as a whole does: by its order in the file if that tells, else by what is usual here."""
        right, left = self.letters
        if not right:
            return is_usual and not self.is_vertical and min(self._places(), default=(0.0, 0, ""))[2] in _SENTENCE_MARKS
        if is_in_order and left:
            return self.runs_leftwards
        return 5 * right >= left if is_usual else right >= left

    @property
    def runs_leftwards(self) -> bool:
        """Whether the file has what stands right before what stands left, beyond single words.

        Those tell nothing: the library itself turns what looks like a word written the wrong way.
        """
        seen = sorted(self._places())
        return self.has_both and seen[0][1] > seen[-1][1]

    @property
    def has_both(self) -> bool:
        """Whether it holds letters from right to left, and words or numbers from left to right."""
        return self.letters[0] > 0 and any(
            character.isdecimal() or _is_left_to_right(character) for _, _, character in self._places()
        )

    @property
    def is_bare(self) -> bool:
        """Whether nothing but spaces and accents is in it."""
        return all(unicodedata.combining(character) for _, _, character in self._places())

    def _places(self) -> Iterable[tuple[float, int, str]]:
        """Where the middle of each character is, its place in the file, and the character; no spaces."""
        for order, (glyph, _) in enumerate(self.glyphs()):
            if not glyph["c"].isspace():
                left, _, right, _ = level(glyph["bbox"], self.turn or 0)
                yield (left + right) / 2, order, glyph["c"]

    @property
    def is_spelled_out(self) -> bool:
        """Whether the file itself says what is written (ActualText): whole words, with spaces, on a single sign."""
        before = False
        for glyph, _ in self.glyphs():
            box = level(glyph["bbox"], self.turn or 0)
            has_no_width = box[2] - box[0] < NO_WIDTH
            if before and has_no_width and glyph["c"].isspace():
                return True
            before = has_no_width and glyph["c"].isalpha()
        return False

    @property
    def is_endless(self) -> bool:
        """Whether it is longer than any line of a book: what is done to lines takes the square of their length."""
        return sum(len(span["chars"]) for _, line in self.lines for span in line["spans"]) > _LONGEST_LINE

    def glyphs(self) -> Iterable[tuple[Any, Any]]:
        """Every character with the span that it is in, in the order of the file."""
        return ((glyph, span) for _, line in self.lines for span in line["spans"] for glyph in span["chars"])


def quarter_turn(direction: Sequence[float]) -> int | None:
    """By how many degrees clockwise a line that runs that way is turned (0, 90, 180, 270); None for a slanting one."""
    across, down = direction
    if abs(across) > 0.9:
        return 0 if across > 0 else 180
    if abs(down) > 0.9:
        return 90 if down > 0 else 270
    return None


def _grouped(lines: Sequence[tuple[int, Any]]) -> list[_Group]:
    groups: list[_Group] = []
    for block, line in lines:
        turn = quarter_turn(line["dir"])
        box = level(line["bbox"], turn or 0)
        text = "".join(glyph["c"] for span in line["spans"] for glyph in span["chars"])
        letters = _letters(text)
        for group in reversed(groups[-_LINES_LOOKED_BACK:]):
            if turn is not None and group.turn == turn and _is_beside(group.box, box):
                group.lines.append((block, line))
                group.box = _around((group.box, box))
                group.letters = group.letters[0] + letters[0], group.letters[1] + letters[1]
                break
        else:
            groups.append(_Group([(block, line)], turn, box, bool(line["wmode"]), letters))
    return groups


def _letters(text: str) -> tuple[int, int]:
    """How many letters run from right to left, and how many from left to right."""
    right = len(RIGHT_TO_LEFT.findall(text))
    return right, sum(map(str.isalpha, text)) - right if not right else sum(map(_is_left_to_right, text))


def _is_left_to_right(character: str) -> bool:
    return character.isalpha() and not RIGHT_TO_LEFT.match(character)


def _is_beside(one: Rectangle, other: Rectangle) -> bool:
    lower = min(one[3] - one[1], other[3] - other[1])
    overlap = min(one[3], other[3]) - max(one[1], other[1])
    gap = max(one[0], other[0]) - min(one[2], other[2])
    return overlap >= 0.5 * lower and gap <= _SAME_LINE_GAP * lower


def _around(boxes: Iterable[Rectangle]) -> Rectangle:
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


@dataclass(slots=True)
class _Logical:
    """One line put together anew."""

    group: _Group
    is_rightmost_first: bool
    cells: list[Cell] = field(default_factory=list)
    line: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        seen = cells_of(self.group.glyphs(), self.group.turn or 0)
        if self.is_rightmost_first:
            self.cells = from_the_right(seen)
        else:
            self.cells = seen if self.group.is_vertical else from_the_left(seen)

    def fill(self) -> None:
        """Make the library's description of the line."""
        spans: list[Any] = []
        for cell in self.cells:
            if not spans or (spans[-1]["from"] is not cell.span and not cell.text.isspace()):
                spans.append({**cell.span, "from": cell.span, "chars": []})
            spans[-1]["chars"] += [{"c": character, "bbox": box} for character, box in cell.glyphs]
        for span in spans:
            span["text"] = "".join(glyph["c"] for glyph in span["chars"])
            span["bbox"] = _around(glyph["bbox"] for glyph in span["chars"])
        first = self.group.lines[0][1]
        self.line |= {
            "spans": spans,
            "dir": first["dir"],
            "wmode": first["wmode"],
            "bbox": _around(span["bbox"] for span in spans),
            "rightmost_first": self.is_rightmost_first,
        }
