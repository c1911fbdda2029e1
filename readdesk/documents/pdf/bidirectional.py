"""What was written, from what is seen of a line: the Unicode bidirectional algorithm backwards.

A line is cells from left to right, each a letter with its points. Where it runs from right to left, they are read the
other way round, but for numbers and Latin words; brackets, which are drawn turned there, are turned back. A number and
a Latin word beside it look the same whichever was written first; there the order in the file tells, if it can.

What must stay true: each cell given comes back once; nothing here knows how the library describes a line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from readdesk.documents.model import Rectangle
from readdesk.documents.pdf.leaves import turned

RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_JOINED_FORMS = re.compile(r"[\ufb1d-\ufdcf\ufe70-\ufefc]")
_OPENING, _CLOSING = "([{<«‹⟨", ")]}>»›⟩"
_BRACKETS = "([{", ")]}"
_MIRRORED = dict(zip(_OPENING + _CLOSING, _CLOSING + _OPENING, strict=True))
_KINDS = {
    " ": " ",
    **dict.fromkeys(".,:/\u060c\u066b\u066c", "S"),
    **dict.fromkeys("+-\u2212", "G"),
    **dict.fromkeys("%°#$€£¥₪\u066a", "T"),
}
"""What characters mean for the direction of numbers beside them: separators, signs, and what belongs to a number."""
_LATIN_RUN = r"(?=[^R]*L)T?[LN](?:[^R]*[LN])?T?"
_LEFT_TO_RIGHT = re.compile(rf"{_LATIN_RUN}|T?N(?:[SG]?N)*T?")
_LEFT_TO_RIGHT_IN_ARABIC = re.compile(rf"{_LATIN_RUN}|N(?:S?N)*")
_RIGHT_TO_LEFT_RUN = re.compile(r"R(?:[^L]*R)?")
_NUMBER_BEFORE = re.compile(r"N(?:[SG]?N)* $")
_GAP_WITHOUT_SPACE = 0.18
_GAP_WITH_SPACE = 0.06
NO_WIDTH = 0.05
"""Points up to which a character counts as one without a width of its own."""


def has_right_to_left(text: str) -> bool:
    """Whether a text has letters of a script that runs from right to left."""
    return RIGHT_TO_LEFT.search(text) is not None


def level(box: Rectangle, turn: int) -> Rectangle:
    """A rectangle in coordinates in which a line that is turned by so many degrees is level."""
    return turned(box, 0.0, 0.0, (360 - turn) % 360)


@dataclass(slots=True)
class Cell:
    """A letter with what stands above and below it, or several letters drawn as one.

    `start` and `end` lie on the line, `order` is its place in the file, `kind` what it means for the direction: R and L
    for letters, N for digits, S, G and T for what may stand within or beside numbers, O for the rest.
    """

    glyphs: list[tuple[str, Rectangle]]
    span: Any
    start: float
    end: float
    order: int
    kind: str
    is_right: bool = False
    """Whether it turned out to run from right to left."""

    @property
    def text(self) -> str:
        """Its characters, in the order in which they are read."""
        return "".join(character for character, _ in self.glyphs)


def cells_of(glyphs: Iterable[tuple[Any, Any]], turn: int) -> list[Cell]:
    """A line from left to right: letters with their points and accents, and spaces; `glyphs` come with their spans."""
    cells: list[Cell] = []
    marks: list[_Loose] = []
    waiting: list[_Loose] = []
    spaces: list[float] = []
    for order, (glyph, span) in enumerate(glyphs):
        character = glyph["c"]
        start, _, end, _ = level(glyph["bbox"], turn)
        loose = _Loose(character, glyph["bbox"], (start + end) / 2, len(cells) - 1)
        if unicodedata.combining(character):
            marks.append(loose)
        elif character.isspace():
            spaces.append(loose.middle)
        elif cells and end - start < NO_WIDTH and character.isalpha():
            if abs(start - cells[-1].end) < NO_WIDTH:
                _attach(cells[-1], loose, marks)
            else:
                waiting.append(loose)  # The library has turned the run: the letter that it is drawn with comes next.
        else:
            parts = [(part, glyph["bbox"]) for part in _plain_letters(character)]
            parts += [(other.character, other.box) for other in reversed(waiting)]
            cells.append(Cell(parts, span, start, end, order, _kind(parts[0][0])))
            waiting = []
    for left_over in waiting:
        _attach(cells[-1], left_over, marks)
    for mark in marks:
        bearer = _bearer(cells, mark.middle, mark.before)
        if bearer is not None:
            bearer.glyphs.append((mark.character, mark.box))
    return _with_spaces(sorted(cells, key=lambda cell: cell.start + cell.end), spaces)


@dataclass(frozen=True)
class _Loose:
    """A character without a width of its own: a point, an accent, or one of several letters that are drawn as one."""

    character: str
    box: Rectangle
    middle: float
    before: int
    """The number of the letter before it in the file."""


def _attach(cell: Cell, loose: _Loose, marks: list[_Loose]) -> None:
    """Put a letter to those that are drawn with it, behind the points that the file has before it."""
    cell.glyphs += [(mark.character, mark.box) for mark in marks if mark.before == loose.before]
    marks[:] = [mark for mark in marks if mark.before != loose.before]
    cell.glyphs.append((loose.character, loose.box))


def _kind(character: str) -> str:
    if character.isdecimal():
        return "N"
    if RIGHT_TO_LEFT.match(character):
        return "R" if character.isalpha() else _KINDS.get(character, "O")
    return "L" if character.isalpha() else _KINDS.get(character, "O")


def _plain_letters(character: str) -> str:
    """A letter in the form in which it is joined as the plain letter or letters."""
    if not _JOINED_FORMS.match(character):
        return character
    return unicodedata.normalize("NFKC", character).replace(" ", "") or character


def _bearer(cells: Sequence[Cell], centre: float, before: int) -> Cell | None:
    """The letter that a point or accent belongs to: the one under it; on a border the one before it in the file."""
    under = [number for number, cell in enumerate(cells) if cell.start - 0.3 <= centre <= cell.end + 0.3]
    if before in under:
        return cells[before]
    nearest = min(under or range(len(cells)), key=lambda n: abs(cells[n].start + cells[n].end - 2 * centre), default=-1)
    return cells[nearest] if nearest >= 0 else None


def _with_spaces(cells: Sequence[Cell], spaces: Sequence[float]) -> list[Cell]:
    """Letters with spaces where there is room: those of the file may stand anywhere once all is in visual order."""
    spaced = list(cells[:1])
    for before, cell in pairwise(cells):
        size, gap = max(before.span["size"], 1.0), cell.start - before.end
        is_told = gap > _GAP_WITH_SPACE * size and any(before.end <= middle <= cell.start for middle in spaces)
        if is_told or (gap > _GAP_WITHOUT_SPACE * size and not _are_wide(before, cell)):
            spaced.append(_space_between(before, cell))
        spaced.append(cell)
    return spaced


def _are_wide(before: Cell, cell: Cell) -> bool:
    """Whether both are characters of a script that puts no spaces."""
    return all(unicodedata.east_asian_width(found.glyphs[0][0]) in "WF" for found in (before, cell))


def _space_between(before: Cell, cell: Cell) -> Cell:
    one, other = before.glyphs[0][1], cell.glyphs[0][1]
    left, right = sorted((one[0], one[2], other[0], other[2]))[1:3]
    top, bottom = sorted((one[1], one[3], other[1], other[3]))[1:3]
    return Cell([(" ", (left, top, right, bottom))], before.span, before.end, cell.start, before.order, " ")


def from_the_right(seen: Sequence[Cell]) -> list[Cell]:
    """What was written as a line that runs from right to left: Latin words and numbers in it keep their direction."""
    kinds = "".join(cell.kind for cell in seen)
    for cell in seen:
        cell.is_right = True
    is_arabic = any(cell.kind == "R" and cell.glyphs[0][0] >= "\u0600" for cell in seen)
    pattern = _LEFT_TO_RIGHT_IN_ARABIC if is_arabic else _LEFT_TO_RIGHT
    pieces: list[Sequence[Cell]] = []
    at = 0
    for run in pattern.finditer(kinds):
        pieces += [[cell] for cell in seen[at : run.start()]]
        pieces += _as_in_file(seen[run.start() : run.end()])
        at = run.end()
    pieces += [[cell] for cell in seen[at:]]
    return [cell for piece in reversed(pieces) for cell in piece]


def _as_in_file(run: Sequence[Cell]) -> list[list[Cell]]:
    """A run from left to right, in parts where the file has what stands right before what stands left.

    A number and a Latin word beside it look the same whichever was written first. A bracket without its other half
    belongs to the line, not to the run, and parts the run too.
    """
    for cell in run:
        cell.is_right = False
    alone = _alone(run)
    parts: list[list[Cell]] = [[]]
    for number, cell in enumerate(run):
        following = run[number + 1] if number + 1 < len(run) else None
        is_space = cell.kind == " "
        is_turned = is_space and following and parts[-1] and following.order < parts[-1][-1].order
        if number in alone or is_turned or (is_space and alone & {number - 1, number + 1}):
            cell.is_right = True
            parts += [[cell], []]
        else:
            parts[-1].append(cell)
    return parts


def _alone(run: Sequence[Cell]) -> set[int]:
    """The places of brackets in a run whose other halves stand outside of it."""
    opened: list[int] = []
    alone: set[int] = set()
    for number, cell in enumerate(run):
        if cell.text in _BRACKETS[0]:
            opened.append(number)
        elif cell.text in _BRACKETS[1]:
            if opened:
                opened.pop()
            else:
                alone.add(number)
    return alone.union(opened)


def from_the_left(seen: Sequence[Cell]) -> list[Cell]:
    """What was written as a line that runs from left to right and holds words that do not."""
    kinds = "".join(cell.kind for cell in seen)
    found: list[Cell] = []
    at = 0
    for run in _RIGHT_TO_LEFT_RUN.finditer(kinds):
        start = run.start()
        number = _NUMBER_BEFORE.search(kinds, at, start)
        if number and seen[number.start()].order > seen[start].order:
            start = number.start()  # Written behind the words, and so drawn left of them.
        found += [*seen[at:start], *from_the_right(seen[start : run.end()])]
        at = run.end()
    return [*found, *seen[at:]]


def turn_brackets(lines: Iterable[Sequence[Cell]]) -> None:
    """Turn the brackets in what runs from right to left, unless this leaf holds them as they are written."""
    brackets = [[cell for cell in line if cell.is_right and cell.text in _MIRRORED] for line in lines]
    as_they_look = as_written = 0
    for line in brackets:
        for one, other in zip(line[::2], line[1::2], strict=False):
            as_written += one.text in _OPENING and other.text in _CLOSING
            as_they_look += one.text in _CLOSING and other.text in _OPENING
    if as_written > as_they_look:
        return
    for cell in (cell for line in brackets for cell in line):
        cell.glyphs = [(_MIRRORED[cell.text], box) for _, box in cell.glyphs]
