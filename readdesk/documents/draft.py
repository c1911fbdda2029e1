"""What an importer says while it reads: what the file tells of itself, where sections start, and paragraphs.

PDF, EPUB and text importers know their format and nothing of positions, section numbers or messages: `stream.py` adds
those. `TextBuilder` makes a paragraph's text from runs of source characters and remembers where each came from and how
it is set.

What must stay true: a piece's characters are, one for one, the source's characters, white space counting as equal to
white space; what was inserted (a space, a newline) belongs to no piece; characters that only steer line breaks (soft
hyphen, word joiner, zero-width space) are left out; a mark neither begins nor ends with white space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from readdesk.documents.model import Kind, Labelling, Layers, Mark, MarkKind, Matter, Piece, Spot, Structure

_IRREGULAR = re.compile(r"\s{2,}|[^\S ]|[\u00ad\u200b\u2060\ufeff]+")
_WHITE = " \t\n\r\f\v\u00a0"

_Span = tuple[int, int, MarkKind, str]

POINTS: frozenset[MarkKind] = frozenset(("image", "alt", "label", "page", "line", "target"))
"""The marks that have no characters."""


@dataclass(frozen=True)
class Told:
    """What a file says of itself."""

    title: str
    authors: tuple[str, ...] = ()
    language: str = ""
    leaves: int = 0
    labels: tuple[str, ...] = ()
    labelling: Labelling = ""
    structure: Structure = ""
    encoding: str = ""


@dataclass(frozen=True)
class Start:
    """A section starts with the next paragraph; level 1 is the top.

    `matter` is what the file itself calls it, `language` what the file says it is written in.
    """

    title: str
    level: int = 1
    label: str = ""
    matter: Matter = ""
    language: str = ""


@dataclass(frozen=True)
class Draft:
    """A paragraph that does not know its position yet."""

    text: str
    pieces: tuple[Piece, ...]
    kind: Kind = "text"
    level: int = 0
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True)
class ReadSoFar:
    """How much of the file has been read; what is counted (leaves, files) depends on its format."""

    done: int
    total: int


Drafted = Told | Start | Draft | Layers | ReadSoFar


class TextBuilder:
    """Collects one paragraph's text; `key` names the place in the file that a run's offsets count in."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._runs: list[tuple[int, int, int, Hashable]] = []
        self._length = 0
        self._last = "\n"
        self._marks: list[_Span] = []
        self._opened: list[tuple[MarkKind, int, str]] = []

    def __bool__(self) -> bool:
        return self._length > 0

    def __len__(self) -> int:
        return self._length

    @property
    def text(self) -> str:
        """What has been added so far."""
        return "".join(self._parts)

    @property
    def last(self) -> str:
        """The last character; a newline while there is none."""
        return self._last

    def add(self, text: str, source: int, key: Hashable = None) -> None:
        """Add source characters, white space folded to single spaces."""
        done = 0
        for odd in () if text.isprintable() and "  " not in text else _IRREGULAR.finditer(text):
            if odd.start() > done:
                self._append(text[done : odd.start()], source + done, key)
            if odd[0].isspace():
                self._append(" ", source + odd.start(), key)
            done = odd.end()
        if done < len(text):
            self._append(text[done:] if done else text, source + done, key)

    def add_verbatim(self, text: str, source: int, key: Hashable = None) -> None:
        """Add source characters as they are (code)."""
        if text:
            self._record(text, source, key)

    def insert(self, text: str) -> None:
        """Add white space that is not in the source, in place of a space that stands there."""
        if not text or not self._length or (text == " " and self._last in _WHITE):
            return
        if self._last == " ":
            self.drop_last()
        self._parts.append(text)
        self._length += len(text)
        self._last = text[-1]

    def write(self, text: str) -> None:
        """Add what is seen in the file but no character of its text (a first letter that is a picture)."""
        self._parts.append(text)
        self._length += len(text)
        self._last = text[-1]

    def drop_last(self) -> None:
        """Take the last character back (a hyphen at the end of a line)."""
        self._parts[-1] = self._parts[-1][:-1]
        self._length -= 1
        start, end, source, key = self._runs[-1] if self._runs else (0, 0, 0, None)
        if end > self._length:
            self._runs.pop()
            if start < self._length:
                self._runs.append((start, self._length, source, key))
        while self._parts and not self._parts[-1]:
            self._parts.pop()
        self._last = self._parts[-1][-1] if self._parts else "\n"

    def open(self, kind: MarkKind, value: str = "") -> bool:
        """Set what is added from now on in a way; return False where it is set so already."""
        if any(kind == opened for opened, _, _ in self._opened):
            return False
        self._opened.append((kind, self._length, value))
        return True

    def close(self) -> None:
        """End what was opened last."""
        kind, start, value = self._opened.pop()
        self.mark(kind, start, value)

    def mark(self, kind: MarkKind, start: int, value: str) -> None:
        """Set what was added since `start`, a former length, in a way."""
        if start < self._length:
            self._marks.append((start, self._length, kind, value))

    def point(self, kind: MarkKind, value: str) -> None:
        """Put a mark without characters here."""
        self._marks.append((self._length, self._length, kind, value))

    def take_points(self) -> list[tuple[MarkKind, str]]:
        """The points that found no text, which are forgotten by it."""
        if not self._marks:
            return []
        marks, self._marks = self._marks, []
        return [(kind, value) for _, _, kind, value in marks if kind in POINTS]

    def _append(self, text: str, source: int, key: Hashable) -> None:
        if text[0] == " " and self._last in _WHITE:
            text, source = text[1:], source + 1
            if not text:
                return
        self._record(text, source, key)

    def _record(self, text: str, source: int, key: Hashable) -> None:
        start, end = self._length, self._length + len(text)
        if self._runs:
            before, until, at, known = self._runs[-1]
            if until == start and known == key and at + until - before == source:
                start, source = before, at
                self._runs.pop()
        self._runs.append((start, end, source, key))
        self._parts.append(text)
        self._length = end
        self._last = text[-1]

    def finish(self, spot: Callable[[Hashable, int, int], Spot], kind: Kind = "text", level: int = 0) -> Draft | None:
        """The paragraph, or None where there is nothing but white space; the builder is empty afterwards.

        What is open goes on in the next paragraph; points without text wait for it or for `take_points`.
        """
        text, runs, marks, opened = "".join(self._parts), self._runs, self._marks, self._opened
        self.__init__()  # type: ignore[misc]  # as new: one builder serves a whole file
        if opened:
            marks += [(start, len(text), kind, value) for kind, start, value in opened]
            self._opened = [(kind, 0, value) for kind, _, value in opened]
        first = len(text) - len(text.lstrip("\n" if kind == "code" else None))
        last = len(text.rstrip())
        if first >= last:
            self._marks = [(0, 0, kind, value) for _, _, kind, value in marks if kind in POINTS]
            return None
        pieces = []
        for start, end, source, key in runs:
            low, high = max(start, first), min(end, last)
            if low < high:
                place = spot(key, source + low - start, source + high - start)
                pieces.append(Piece(low - first, high - first, place))
        if not pieces:
            return None
        return Draft(text[first:last], tuple(pieces), kind, level, _settled(marks, text, first, last) if marks else ())


def _settled(marks: list[_Span], text: str, first: int, last: int) -> tuple[Mark, ...]:
    """Marks of the text between `first` and `last`, without white space at their ends, in the order of their starts."""
    found = []
    for start, end, kind, value in marks:
        start, end = min(max(start, first), last), max(min(end, last), first)
        if kind not in POINTS:
            while start < end and text[start].isspace():
                start += 1
            while start < end and text[end - 1].isspace():
                end -= 1
            if start >= end:
                continue
        found.append(Mark(start - first, end - first, kind, value))
    if len(found) > 1:
        found.sort(key=lambda mark: (mark.start, -mark.end))
    return tuple(found)
