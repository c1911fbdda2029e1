"""Places in a file, and how a paragraph's characters and its file's are the same.

An anchor is a place in the file itself that survives zoom, reflow and restart. A paragraph's pieces say which
characters of its text are which characters of the file, so both ways are exact: from a span of text to an anchor, and
from an anchor back to a span. What must stay true: an anchor is frozen and reads and writes as one short string.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, unquote

Rectangle = tuple[float, float, float, float]
"""Left, top, right, bottom on the drawn leaf, in points (1/72 inch), from its upper left corner."""


@dataclass(frozen=True)
class LeafSpot:
    """Characters of one leaf of a PDF: its 0-based index, the span in the leaf's own text, and where it is drawn."""

    leaf: int
    start: int
    end: int
    rectangles: tuple[Rectangle, ...] = ()

    def __str__(self) -> str:
        drawn = "+".join(",".join(f"{value:.1f}" for value in rectangle) for rectangle in self.rectangles)
        return f"p{self.leaf}:{self.start}-{self.end}" + (f"@{drawn}" if drawn else "")


@dataclass(frozen=True)
class ElementSpot:
    """Characters of one element of an EPUB: file in the archive, path of child numbers, span in the element's text."""

    file: str
    path: tuple[int, ...]
    start: int
    end: int

    def __str__(self) -> str:
        return f"e{quote(self.file, safe='/')}:{'.'.join(map(str, self.path))}:{self.start}-{self.end}"


@dataclass(frozen=True)
class TextSpot:
    """Characters of a plain-text file, counted after decoding."""

    start: int
    end: int

    def __str__(self) -> str:
        return f"t{self.start}-{self.end}"


Spot = LeafSpot | ElementSpot | TextSpot


@dataclass(frozen=True)
class Anchor:
    """A place in a file: one or more spots in reading order (a quote may cross a line, a leaf or an element)."""

    spots: tuple[Spot, ...]

    def __str__(self) -> str:
        return "|".join(map(str, self.spots))

    @classmethod
    def parse(cls, text: str) -> Anchor:
        """Read what `str` wrote; raises ValueError for anything else."""
        return cls(tuple(_parse_spot(part) for part in text.split("|")))


def _parse_spot(text: str) -> Spot:
    try:
        kind, rest = text[0], text[1:]
        if kind == "t":
            return TextSpot(*parse_span(rest))
        if kind == "e":
            file, path, span = rest.split(":")
            return ElementSpot(unquote(file), tuple(int(step) for step in path.split(".") if step), *parse_span(span))
        if kind == "p":
            place, _, drawn = rest.partition("@")
            leaf, _, span = place.partition(":")
            return LeafSpot(int(leaf), *parse_span(span), tuple(_rectangle(part) for part in drawn.split("+") if part))
    except (IndexError, ValueError) as error:
        raise ValueError(f"not an anchor: {text!r}") from error
    raise ValueError(f"not an anchor: {text!r}")


def parse_span(text: str) -> tuple[int, int]:
    """The start and the end of a span as they are written: "3-17"; raises ValueError."""
    start, _, end = text.partition("-")
    return int(start), int(end)


def _rectangle(text: str) -> Rectangle:
    left, top, right, bottom = map(float, text.split(","))
    return left, top, right, bottom


@dataclass(frozen=True)
class Piece:
    """Characters `start` to `end` of a paragraph's text that are, one for one, the characters of a spot."""

    start: int
    end: int
    spot: Spot

    def __str__(self) -> str:
        return f"{self.start}-{self.end} {self.spot}"

    def cut(self, start: int, end: int) -> Spot:
        """The spot of a part of this piece; a leaf's rectangles stay those of the whole piece."""
        first, last = max(start, self.start) - self.start, min(end, self.end) - self.start
        spot = self.spot
        if isinstance(spot, LeafSpot):
            return LeafSpot(spot.leaf, spot.start + first, spot.start + last, spot.rectangles)
        if isinstance(spot, ElementSpot):
            return ElementSpot(spot.file, spot.path, spot.start + first, spot.start + last)
        return TextSpot(spot.start + first, spot.start + last)


def pieces_to_text(pieces: Iterable[Piece]) -> str:
    """One line a piece: how a paragraph's pieces are kept."""
    return "\n".join(map(str, pieces))


def pieces_from_text(text: str) -> tuple[Piece, ...]:
    """Read what `pieces_to_text` wrote; raises ValueError for anything else."""
    pieces = []
    for line in text.splitlines():
        span, _, spot = line.partition(" ")
        pieces.append(Piece(*parse_span(span), _parse_spot(spot)))
    return tuple(pieces)


def overlap(pieces: Iterable[Piece], anchor: Anchor) -> tuple[int, int] | None:
    """The span of a paragraph's text that an anchor names, None where it names other places."""
    spans = []
    for piece in pieces:
        for spot in anchor.spots:
            if _place(spot) == _place(piece.spot) and spot.start < piece.spot.end and spot.end > piece.spot.start:
                first = piece.start + max(spot.start, piece.spot.start) - piece.spot.start
                spans.append((first, piece.start + min(spot.end, piece.spot.end) - piece.spot.start))
    return (min(start for start, _ in spans), max(end for _, end in spans)) if spans else None


def _place(spot: Spot) -> tuple[object, ...]:
    """What a spot's span counts in."""
    if isinstance(spot, ElementSpot):
        return spot.file, spot.path
    return (spot.leaf,) if isinstance(spot, LeafSpot) else ()
