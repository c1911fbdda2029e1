"""Lines in the order in which they are read, where the order in the file tells nothing about it.

Old programs write Hebrew and Arabic as it looks, the last letter first; newer ones as it is read; the library cuts both
wherever the direction changes. So the order in the file is not looked at: characters are put side by side as they are
drawn, and from what is seen is concluded what was written (the Unicode bidirectional algorithm backwards). Numbers and
Latin words keep their direction, brackets are turned, letters in the forms in which they are joined become plain ones.
Characters that stand one beneath the other are joined to lines in the same way; the library cuts those after each.

What must stay true: every character of a line stays, besides spaces, with its own rectangle; nothing here knows
PyMuPDF, only the shape of its `rawdict`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from readdesk.documents.model import Rectangle

_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_JOINED_FORMS = re.compile(r"[\ufb1d-\ufdcf\ufe70-\ufefc]")
_SENTENCE_MARKS = frozenset(".,:;!?")
_OPENING, _CLOSING = "([{<«‹⟨", ")]}>»›⟩"
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
_SAME_LINE_GAP = 1.5
_GAP_WITHOUT_SPACE = 0.18
_GAP_WITH_SPACE = 0.06
_LINES_LOOKED_BACK = 8
_NO_WIDTH = 0.05
_LONGEST_LINE = 5_000


def has_right_to_left(text: str) -> bool:
    """Whether a text has letters of a script that runs from right to left."""
    return _RIGHT_TO_LEFT.search(text) is not None


def arranged(lines: Sequence[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """Lines (block and `rawdict` line) as they are read; a line that is right to left says so ("rightmost_first")."""
    groups = _grouped(lines)
    right, left = (sum(group.letters[side] for group in groups) for side in (0, 1))
    is_in_order = any(group.runs_leftwards for group in groups if group.turn is not None)
    found: list[tuple[int, Any]] = []
    rebuilt: list[_Logical] = []
    for group in groups:
        is_rightmost_first = group.turn is not None and group.reads_right_to_left(right > left, is_in_order)
        is_as_it_was = not (is_rightmost_first or group.letters[0] or group.is_vertical)
        if is_as_it_was or group.is_spelled_out or group.is_endless:
            found += [(block, _plain(line, is_rightmost_first)) for block, line in group.lines]
            continue
        logical = _Logical(group, is_rightmost_first)
        rebuilt.append(logical)
        found.append((group.lines[0][0], logical.line))
    _turn_brackets(rebuilt)
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
        if not self.letters[0]:
            return False
        seen = sorted(self._places())
        has_others = any(character.isdecimal() or _is_left_to_right(character) for _, _, character in seen)
        return has_others and seen[0][1] > seen[-1][1]

    def _places(self) -> Iterable[tuple[float, int, str]]:
        """Where the middle of each character is, its place in the file, and the character; no spaces."""
        for order, (glyph, _) in enumerate(self.glyphs()):
            if not glyph["c"].isspace():
                left, _, right, _ = box_of(glyph["bbox"], self.turn or 0)
                yield (left + right) / 2, order, glyph["c"]

    @property
    def is_spelled_out(self) -> bool:
        """Whether the file itself says what is written (ActualText): whole words, with spaces, on a single sign."""
        before = False
        for glyph, _ in self.glyphs():
            box = box_of(glyph["bbox"], self.turn or 0)
            has_no_width = box[2] - box[0] < _NO_WIDTH
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


def box_of(box: Rectangle, turn: int) -> Rectangle:
    """A rectangle in coordinates in which a line with that turn is level."""
    left, top, right, bottom = box
    if turn == 90:
        return top, -right, bottom, -left
    if turn == 180:
        return -right, -bottom, -left, -top
    return (-bottom, left, -top, right) if turn == 270 else box


def _grouped(lines: Sequence[tuple[int, Any]]) -> list[_Group]:
    groups: list[_Group] = []
    for block, line in lines:
        turn = quarter_turn(line["dir"])
        box = box_of(line["bbox"], turn or 0)
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
    right = len(_RIGHT_TO_LEFT.findall(text))
    return right, sum(map(str.isalpha, text)) - right if not right else sum(map(_is_left_to_right, text))


def _is_left_to_right(character: str) -> bool:
    return character.isalpha() and not _RIGHT_TO_LEFT.match(character)


def _is_beside(one: Rectangle, other: Rectangle) -> bool:
    lower = min(one[3] - one[1], other[3] - other[1])
    overlap = min(one[3], other[3]) - max(one[1], other[1])
    gap = max(one[0], other[0]) - min(one[2], other[2])
    return overlap >= 0.5 * lower and gap <= _SAME_LINE_GAP * lower


def _around(boxes: Iterable[Rectangle]) -> Rectangle:
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


# -- what was written, from what is seen -------------------------------------------------------------------------


@dataclass(slots=True)
class _Cell:
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


@dataclass(slots=True)
class _Logical:
    """One line put together anew."""

    group: _Group
    is_rightmost_first: bool
    cells: list[_Cell] = field(default_factory=list)
    line: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        seen = _with_spaces(*_cells(self.group))
        if self.is_rightmost_first:
            self.cells = _from_the_right(seen)
        else:
            self.cells = seen if self.group.is_vertical else _from_the_left(seen)

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


def _cells(group: _Group) -> tuple[list[_Cell], list[float]]:
    """The letters of a line from left to right, each with its points and accents, and the middle of each space."""
    cells: list[_Cell] = []
    marks: list[_Loose] = []
    waiting: list[_Loose] = []
    spaces: list[float] = []
    for order, (glyph, span) in enumerate(group.glyphs()):
        character = glyph["c"]
        start, _, end, _ = box_of(glyph["bbox"], group.turn or 0)
        loose = _Loose(character, glyph["bbox"], (start + end) / 2, len(cells) - 1)
        if unicodedata.combining(character):
            marks.append(loose)
        elif character.isspace():
            spaces.append(loose.middle)
        elif cells and end - start < _NO_WIDTH and character.isalpha():
            if abs(start - cells[-1].end) < _NO_WIDTH:
                _attach(cells[-1], loose, marks)
            else:
                waiting.append(loose)  # The library has turned the run: the letter that it is drawn with comes next.
        else:
            parts = [(part, glyph["bbox"]) for part in _plain_letters(character)]
            parts += [(other.character, other.box) for other in reversed(waiting)]
            cells.append(_Cell(parts, span, start, end, order, _kind(parts[0][0])))
            waiting = []
    for left_over in waiting:
        _attach(cells[-1], left_over, marks)
    for mark in marks:
        bearer = _bearer(cells, mark.middle, mark.before)
        if bearer is not None:
            bearer.glyphs.append((mark.character, mark.box))
    return sorted(cells, key=lambda cell: cell.start + cell.end), sorted(spaces)


@dataclass(frozen=True)
class _Loose:
    """A character without a width of its own: a point, an accent, or one of several letters that are drawn as one."""

    character: str
    box: Rectangle
    middle: float
    before: int
    """The number of the letter before it in the file."""


def _attach(cell: _Cell, loose: _Loose, marks: list[_Loose]) -> None:
    """Put a letter to those that are drawn with it, behind the points that the file has before it."""
    cell.glyphs += [(mark.character, mark.box) for mark in marks if mark.before == loose.before]
    marks[:] = [mark for mark in marks if mark.before != loose.before]
    cell.glyphs.append((loose.character, loose.box))


def _kind(character: str) -> str:
    if character.isdecimal():
        return "N"
    if _RIGHT_TO_LEFT.match(character):
        return "R" if character.isalpha() else _KINDS.get(character, "O")
    return "L" if character.isalpha() else _KINDS.get(character, "O")


def _plain_letters(character: str) -> str:
    """A letter in the form in which it is joined as the plain letter or letters."""
    if not _JOINED_FORMS.match(character):
        return character
    return unicodedata.normalize("NFKC", character).replace(" ", "") or character


def _bearer(cells: Sequence[_Cell], centre: float, before: int) -> _Cell | None:
    """The letter that a point or accent belongs to: the one under it; on a border the one before it in the file."""
    under = [number for number, cell in enumerate(cells) if cell.start - 0.3 <= centre <= cell.end + 0.3]
    if before in under:
        return cells[before]
    nearest = min(under or range(len(cells)), key=lambda n: abs(cells[n].start + cells[n].end - 2 * centre), default=-1)
    return cells[nearest] if nearest >= 0 else None


def _with_spaces(cells: Sequence[_Cell], spaces: Sequence[float]) -> list[_Cell]:
    """Letters with spaces where there is room: those of the file may stand anywhere once all is in visual order."""
    spaced = list(cells[:1])
    for before, cell in pairwise(cells):
        size, gap = max(before.span["size"], 1.0), cell.start - before.end
        is_told = gap > _GAP_WITH_SPACE * size and any(before.end <= middle <= cell.start for middle in spaces)
        if is_told or (gap > _GAP_WITHOUT_SPACE * size and not _are_wide(before, cell)):
            spaced.append(_space_between(before, cell))
        spaced.append(cell)
    return spaced


def _are_wide(before: _Cell, cell: _Cell) -> bool:
    """Whether both are characters of a script that puts no spaces."""
    return all(unicodedata.east_asian_width(found.glyphs[0][0]) in "WF" for found in (before, cell))


def _space_between(before: _Cell, cell: _Cell) -> _Cell:
    one, other = before.glyphs[0][1], cell.glyphs[0][1]
    left, right = sorted((one[0], one[2], other[0], other[2]))[1:3]
    top, bottom = sorted((one[1], one[3], other[1], other[3]))[1:3]
    return _Cell([(" ", (left, top, right, bottom))], before.span, before.end, cell.start, before.order, " ")


def _from_the_right(seen: Sequence[_Cell]) -> list[_Cell]:
    """What was written as a line that runs from right to left: Latin words and numbers in it keep their direction."""
    kinds = "".join(cell.kind for cell in seen)
    for cell in seen:
        cell.is_right = True
    is_arabic = any(cell.kind == "R" and cell.glyphs[0][0] >= "\u0600" for cell in seen)
    pattern = _LEFT_TO_RIGHT_IN_ARABIC if is_arabic else _LEFT_TO_RIGHT
    pieces: list[Sequence[_Cell]] = []
    at = 0
    for run in pattern.finditer(kinds):
        pieces += [[cell] for cell in seen[at : run.start()]]
        pieces += _as_in_file(seen[run.start() : run.end()])
        at = run.end()
    pieces += [[cell] for cell in seen[at:]]
    return [cell for piece in reversed(pieces) for cell in piece]


def _as_in_file(run: Sequence[_Cell]) -> list[list[_Cell]]:
    """A run from left to right, in parts where the file has what stands right before what stands left.

    A number and a Latin word beside it look the same whichever was written first.
    """
    for cell in run:
        cell.is_right = False
    parts: list[list[_Cell]] = [[]]
    for number, cell in enumerate(run):
        following = run[number + 1] if number + 1 < len(run) else None
        if cell.kind == " " and following and parts[-1] and following.order < parts[-1][-1].order:
            cell.is_right = True
            parts += [[cell], []]
        else:
            parts[-1].append(cell)
    return parts


def _from_the_left(seen: Sequence[_Cell]) -> list[_Cell]:
    """What was written as a line that runs from left to right and holds words that do not."""
    kinds = "".join(cell.kind for cell in seen)
    found: list[_Cell] = []
    at = 0
    for run in _RIGHT_TO_LEFT_RUN.finditer(kinds):
        start = run.start()
        number = _NUMBER_BEFORE.search(kinds, at, start)
        if number and seen[number.start()].order > seen[start].order:
            start = number.start()  # Written behind the words, and so drawn left of them.
        found += [*seen[at:start], *_from_the_right(seen[start : run.end()])]
        at = run.end()
    return [*found, *seen[at:]]


def _turn_brackets(lines: Sequence[_Logical]) -> None:
    """Turn the brackets of a leaf's lines from right to left where the file holds them as they look."""
    as_they_look = as_written = 0
    for line in lines:
        brackets = [cell.text for cell in line.cells if cell.is_right and cell.text in _MIRRORED]
        for one, other in zip(brackets[::2], brackets[1::2], strict=False):
            as_written += one in _OPENING and other in _CLOSING
            as_they_look += one in _CLOSING and other in _OPENING
    if as_written > as_they_look:
        return
    for line in lines:
        for cell in line.cells:
            if cell.is_right and cell.text in _MIRRORED:
                cell.glyphs = [(_MIRRORED[cell.text], box) for _, box in cell.glyphs]
