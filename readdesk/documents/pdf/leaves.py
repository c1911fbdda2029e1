"""What is left of a PDF's leaf once the library has read it: lines with their place on the drawn leaf.

All leaves of a document are kept so (about 20 kB each) while it is imported: running heads, body size and the words for
joining hyphens can only be known from the whole.

Coordinates are those of the leaf's *reading frame*: the drawn leaf turned (and for Hebrew and Arabic mirrored) so that
most of its text runs from left to right and its lines follow from top to bottom. Columns of vertical Japanese are rows
in it, a table set sideways is level, Arabic is indented at the left. Whoever puts lines in order, joins them and looks
for indents, columns and heads needs no other rule for them. The drawn leaf is `Line.rectangle`, and what `Leaf.drawn`
makes of a place in the frame.

What must stay true: nothing here knows PyMuPDF; `Line.start` counts in the leaf's own text (see `readable.py`); what
goes into an anchor or is shown is a rectangle of the drawn leaf.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from readdesk.documents.model import Furniture, LeafKind, Rectangle

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_HYPHENS = "-‐\u00ad"
_TOLERANCE = 1.0


@dataclass(slots=True)
class Line:
    """A run of text on one baseline, in the order in which it is read.

    Coordinates are in points from the upper left corner of the leaf's reading frame; there a line that `is_level` runs
    from left to right, also where its letters are Arabic or stand one beneath the other.
    """

    text: str
    start: int
    left: float
    top: float
    right: float
    bottom: float
    size: float
    is_bold: bool = False
    is_mono: bool = False
    is_level: bool = True
    block: int = 0
    raised: tuple[tuple[int, int], ...] = ()
    """Spans of the text that are set as superscripts."""
    is_hidden: bool = False
    """Whether it is drawn invisibly, as recognised text is over its picture."""
    is_vertical: bool = False
    """Whether its characters stand one beneath the other (Chinese, Japanese)."""
    is_rightmost_first: bool = False
    """Whether it is read from right to left (Hebrew, Arabic)."""
    drawn: Rectangle | None = None
    """Where it is on the drawn leaf, if the reading frame is another."""
    beside: tuple[str, ...] = ()
    """The printed numbers of the line or margin that stand beside it."""
    baseline: float | None = None
    """Where most of its letters stand, if that is known: signs of formulas reach far above and below it."""

    @property
    def rectangle(self) -> Rectangle:
        """Where the line is on the drawn leaf."""
        return self.drawn or (self.left, self.top, self.right, self.bottom)


@dataclass(slots=True)
class Leaf:
    """One physical page: its size and its lines in the order of the file, without what was taken out of them.

    `turn` says by how many degrees clockwise (0, 90, 180, 270) its text is turned on the drawn leaf, `is_mirrored` that
    it is read from right to left: both make its reading frame, in which `width` and `height` are told too. `label` is
    what the file itself calls it. `furniture` is what was taken out because it is a place and no text.
    """

    index: int
    width: float
    height: float
    lines: list[Line] = field(default_factory=list)
    label: str = ""
    kind: LeafKind = "text"
    columns: int = 1
    quality: float | None = None
    furniture: list[Furniture] = field(default_factory=list)
    turn: int = 0
    is_mirrored: bool = False

    @property
    def is_framed(self) -> bool:
        """Whether the reading frame is another than the drawn leaf."""
        return bool(self.turn or self.is_mirrored)

    def drawn(self, box: Rectangle) -> Rectangle:
        """A rectangle of the reading frame on the drawn leaf."""
        if self.is_mirrored:
            box = (self.width - box[2], box[1], self.width - box[0], box[3])
        return turned(box, self.width, self.height, self.turn)

    def framed(self, box: Rectangle) -> Rectangle:
        """A rectangle of the drawn leaf in the reading frame."""
        size = (self.width, self.height) if self.turn in (0, 180) else (self.height, self.width)
        left, top, right, bottom = turned(box, *size, (360 - self.turn) % 360)
        return (self.width - right, top, self.width - left, bottom) if self.is_mirrored else (left, top, right, bottom)


def turned(box: Rectangle, width: float, height: float, turn: int) -> Rectangle:
    """Where a rectangle of a sheet of that size lies when the sheet was turned clockwise by 0, 90, 180 or 270."""
    left, top, right, bottom = box
    if turn == 90:
        return height - bottom, left, height - top, right
    if turn == 180:
        return width - right, height - bottom, width - left, height - top
    if turn == 270:
        return top, width - right, bottom, width - left
    return box


class Row:
    """Lines beside one another, read as one (a number and its heading, the cells of a table).

    `column` numbers the region of the leaf that it is read in. The edges are those on the leaf as it is read: on one
    turned, or written from right to left or from top to bottom, they count from where its lines begin. `cells` names
    the column of each line in a table, and is empty for everything else. `is_capped` says that its first line is the
    large first letter of the word that follows, `is_caption` that it stands above or below a picture beside the text.
    """

    __slots__ = (
        "_text",
        "bottom",
        "cells",
        "column",
        "is_capped",
        "is_caption",
        "is_side",
        "left",
        "lines",
        "main",
        "right",
        "size",
        "top",
    )

    def __init__(self, lines: list[Line], column: int = 0) -> None:
        first = lines[0]
        self.lines = lines
        self.column = column
        self.is_side = False
        self.is_capped = False
        self.is_caption = False
        self.cells: tuple[int, ...] = ()
        self.left, self.top, self.right, self.bottom = first.left, first.top, first.right, first.bottom
        self._text: str | None = None
        self.main = first
        """The line with most characters: its size (`size`, in points) and weight are the row's."""
        self.size = first.size
        for line in lines[1:]:
            self._widen(line)

    def add(self, line: Line) -> None:
        """Take one more line in, at the end."""
        self.lines.append(line)
        self._text = None
        self._widen(line)

    def _widen(self, line: Line) -> None:
        self.right = max(self.right, line.right)
        self.top = min(self.top, line.top)
        self.bottom = max(self.bottom, line.bottom)
        if len(line.text) > len(self.main.text):
            self.main, self.size = line, line.size

    @property
    def text(self) -> str:
        """The row's text, for looking at."""
        if self._text is None:
            self._text = " ".join([line.text.strip() for line in self.lines])
        return self._text

    @property
    def is_bold(self) -> bool:
        """Whether all of it is bold."""
        return all(line.is_bold for line in self.lines)

    @property
    def is_mono(self) -> bool:
        """Whether all of it is typewriter text."""
        return all(line.is_mono for line in self.lines)

    @property
    def is_level(self) -> bool:
        """Whether it runs from left to right on the drawn leaf."""
        return self.lines[0].is_level


def rows_of(lines: Iterable[Line], column: int = 0) -> list[Row]:
    """Neighbouring lines on one baseline put together; the order stays."""
    rows: list[Row] = []
    for line in lines:
        if rows and _goes_on(rows[-1], line):
            rows[-1].add(line)
        else:
            rows.append(Row([line], column))
    return rows


def _goes_on(row: Row, line: Line) -> bool:
    before = row.lines[-1]
    if not (before.is_level and line.is_level) or line.left < before.right - _TOLERANCE - 0.2 * line.size:
        return False
    overlap = min(before.bottom, line.bottom) - max(before.top, line.top)
    return overlap >= 0.5 * min(before.bottom - before.top, line.bottom - line.top)


@dataclass(frozen=True)
class Measures:
    """What only the whole document tells: the size of its body text, its words, and how wide it is set.

    What several compounds begin with is among the words too, with its hyphen ("non-").
    """

    body: float
    words: frozenset[str]
    right: float

    @classmethod
    def of(cls, leaves: Sequence[Leaf]) -> Measures:
        """Count sizes by characters and collect the words that stand within lines."""
        sizes: Counter[float] = Counter()
        rights: Counter[int] = Counter()
        tokens: set[str] = set()
        for leaf in leaves:
            for line in leaf.lines:
                length = len(line.text)
                sizes[line.size] += length
                if length > 40:
                    rights[round(line.right / 3)] += 1
            tokens.update(_whole_tokens(leaf.lines))
        words = set(_WORD.findall("\n".join(tokens).casefold().replace("‐", "-")))
        compounds = Counter([word.partition("-")[0] + "-" for word in words if "-" in word])
        words |= {head for head, count in compounds.items() if count > 1}
        halves: Counter[float] = Counter()
        for size, count in sizes.items():
            halves[round(size * 2) / 2] += count
        del halves[0.0]  # What is drawn too small to be seen tells nothing of the size of what is read.
        body = halves.most_common(1)[0][0] if halves else 10.0
        right = rights.most_common(1)[0][0] * 3.0 if rights else 0.0
        return cls(body, frozenset(words), right)


def _whole_tokens(lines: Iterable[Line]) -> list[str]:
    """What white space parts within lines: the first may be the rest of a word, the last the beginning of one."""
    within = []
    for line in lines:
        text = line.text.strip()
        if text[-1:] in _HYPHENS:
            text = text.rpartition(" ")[0]
        within.append(text.partition(" ")[2] or text)
    return "\n".join(within).split()
