"""How much of an EPUB's text is reached, and whether anything is there that the book does not say.

Ours is only what our own source map says: each piece of each paragraph marks the characters of the file that it claims
to be. A claim is checked: letter for letter (NFKC) what stands there. Letters and digits count, nothing else.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from readdesk.documents.model import ElementSpot, Mark, MarkKind, Paragraph, Piece
from tests.bench.raw import CONTENTS, WANTED, RawFile, files_of, is_counted

_LONGEST_TOLD = 90


@dataclass
class Completeness:
    """What was found in one book, in letters and digits; the lists tell where."""

    wanted: int = 0
    reached: int = 0
    twice: int = 0
    invented: int = 0
    hidden: int = 0
    contents: int = 0
    contents_reached: int = 0
    readings: int = 0
    readings_found: int = 0
    numbers: int = 0
    numbers_found: int = 0
    missed_at: list[str] = field(default_factory=list)
    invented_at: list[str] = field(default_factory=list)
    twice_at: list[str] = field(default_factory=list)
    hidden_at: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of the wanted letters and digits that are reached."""
        return self.reached / self.wanted if self.wanted else 1.0

    @property
    def told(self) -> str:
        """What else was found, on a line."""
        contents = f", contents {self.contents_reached} of {self.contents}" if self.contents else ""
        ruby = f", line numbers {self.numbers_found} of {self.numbers}" if self.numbers else ""
        ruby += f", ruby {self.readings_found} of {self.readings}" if self.readings else ""
        return f"{self.invented} invented, {self.twice} twice, {self.hidden} hidden{contents}{ruby}"

    @property
    def details(self) -> dict[str, list[str]]:
        """Where, by what is wrong."""
        return {
            "missed": self.missed_at,
            "invented": self.invented_at,
            "twice": self.twice_at,
            "hidden": self.hidden_at,
        }

    @property
    def readings_share(self) -> float:
        """The share of the ruby readings that are values of marks."""
        return self.readings_found / self.readings if self.readings else 1.0

    @property
    def numbers_share(self) -> float:
        """The share of the numbers of printed lines that are values of marks."""
        return self.numbers_found / self.numbers if self.numbers else 1.0


def completeness(path: Path, paragraphs: Iterable[Paragraph]) -> Completeness:
    """Compare a book's paragraphs with the book."""
    paragraphs = tuple(paragraphs)
    found = Completeness()
    files = {file.name: file for file in files_of(path)}
    counts = {name: array("H", bytes(2 * len(file.text))) for name, file in files.items()}
    for paragraph in paragraphs:
        _claims(paragraph, files, counts, found)
    for name, file in files.items():
        _count(file, counts[name], found)
    marks = [mark for paragraph in paragraphs for mark in paragraph.marks]
    for file in files.values():
        found.readings += sum(bool(_bare(part)) for group in file.readings for part in group)
        found.numbers += len(file.numbers)
    found.readings_found = _found(chain.from_iterable(file.readings for file in files.values()), marks, "ruby")
    found.numbers_found = _found(chain.from_iterable(file.numbers for file in files.values()), marks, "line")
    return found


def _claims(
    paragraph: Paragraph, files: dict[str, RawFile], counts: dict[str, array[int]], found: Completeness
) -> None:
    """Mark what a paragraph's pieces claim; what is no claim, or a wrong one, is invented."""
    at = 0
    for piece in paragraph.pieces:
        _unclaimed(paragraph, at, piece.start, found)
        at = piece.end
        place = _place(piece, files)
        ours = paragraph.text[piece.start : piece.end]
        if place is None:
            _unclaimed(paragraph, piece.start, piece.end, found)
            continue
        name, start = place
        theirs = files[name].text[start : start + len(ours)]
        count = counts[name]
        for number, character in enumerate(ours):
            if number < len(theirs) and _is_same(character, theirs[number]):
                count[start + number] += 1
            elif is_counted(character):
                found.invented += 1
                found.invented_at.append(f"{piece.spot}: {character!r} is {theirs[number : number + 1]!r} there")
    _unclaimed(paragraph, at, len(paragraph.text), found)


def _is_same(ours: str, theirs: str) -> bool:
    if ours == theirs or (ours.isspace() and theirs.isspace()):
        return True
    return unicodedata.normalize("NFKC", ours) == unicodedata.normalize("NFKC", theirs)


def _unclaimed(paragraph: Paragraph, start: int, end: int, found: Completeness) -> None:
    """Letters that belong to no piece come from nowhere."""
    count = sum(map(is_counted, paragraph.text[start:end]))
    if count:
        found.invented += count
        found.invented_at.append(f"no piece at position {paragraph.start + start}: {paragraph.text[start:end]!r}")


def _place(piece: Piece, files: dict[str, RawFile]) -> tuple[str, int] | None:
    """The file and the offset in its whole text at which a piece claims to stand."""
    spot = piece.spot
    if not isinstance(spot, ElementSpot) or spot.file not in files:
        return None
    span = files[spot.file].spans.get(spot.path)
    if span is None or spot.end - spot.start != piece.end - piece.start or span[0] + spot.end > span[1]:
        return None
    return spot.file, span[0] + spot.start


def _count(file: RawFile, counts: array[int], found: Completeness) -> None:
    missed: list[int] = []
    hidden: list[int] = []
    twice: list[int] = []
    for place, (character, kind, count) in enumerate(zip(file.text, file.classes, counts, strict=True)):
        if not is_counted(character):
            continue
        if kind in (WANTED, CONTENTS):
            found.wanted += 1
            found.reached += count > 0
            if not count:
                missed.append(place)
        elif count:
            hidden.append(place)
        if kind == CONTENTS:
            found.contents += 1
            found.contents_reached += count > 0
        if count > 1:
            twice.append(place)
    found.hidden += len(hidden)
    found.twice += len(twice)
    for places, told in ((missed, found.missed_at), (hidden, found.hidden_at), (twice, found.twice_at)):
        for start, end in _runs(file, places):
            told.append(f"{file.name} {_element_at(file, start)}: {_shown(file.text[start:end])}")


def _runs(file: RawFile, places: list[int]) -> Iterator[tuple[int, int]]:
    """Stretches of places between which there is no other letter."""
    start = end = -1
    for place in places:
        if end >= 0 and not any(map(is_counted, file.text[end:place])):
            end = place + 1
            continue
        if end >= 0:
            yield start, end
        start, end = place, place + 1
    if end >= 0:
        yield start, end


def _element_at(file: RawFile, place: int) -> str:
    """Path and name of the innermost element around a character."""
    path: tuple[int, ...] = ()
    while True:
        number = 0
        while (span := file.spans.get((*path, number))) is not None and not span[0] <= place < span[1]:
            number += 1
        if span is None:
            return f"{'.'.join(map(str, path))} {file.names[path].replace(' ', '.')}"
        path = (*path, number)


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_TOLD else f"{line[:_LONGEST_TOLD]}… ({len(line)} characters)"


def _found(groups: Iterable[tuple[str, ...]], marks: Iterable[Mark], kind: MarkKind) -> int:
    """How many of these are the value of a mark, by themselves or joined with the others of their element."""
    marked = Counter(_bare(mark.value) for mark in marks if mark.kind == kind)
    found = 0
    for group in groups:
        parts = [_bare(part) for part in group if _bare(part)]
        joined = "".join(parts)
        if all(marked[part] > 0 for part in parts):
            marked.subtract(parts)
            found += len(parts)
        elif marked[joined] > 0:
            marked[joined] -= 1
            found += len(parts)
    return found


def _bare(text: str) -> str:
    return "".join(filter(is_counted, unicodedata.normalize("NFKC", text)))
