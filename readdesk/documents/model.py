"""What a file becomes: a document of sections and paragraphs that know where they came from.

Two ways of naming a place live here. A *position* is a character offset into the document's text, which is all
paragraphs one after the other; it orders everything (pages, reading place, spoiler boundary). An *anchor* is a place in
the file itself that survives zoom, reflow and restart. A paragraph ties the two together: its pieces say which
characters of its text are which characters of the file.

What must stay true: paragraphs tile the document's text without gaps; an anchor is frozen and reads and writes as one
short string; nothing here knows a file format's library.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, cast, get_args
from urllib.parse import quote, unquote

Format = Literal["epub", "pdf", "text", "markdown", "html"]
Kind = Literal["text", "heading", "verse", "item", "code", "table", "caption", "note"]
MarkKind = Literal[
    "emphasis",
    "strong",
    "code",
    "superscript",
    "subscript",
    "ruby",
    "note",
    "image",
    "alt",
    "label",
    "page",
    "target",
]
Matter = Literal[
    "",
    "cover",
    "title",
    "contents",
    "imprint",
    "licence",
    "notes",
    "bibliography",
    "index",
    "excerpt",
    "promotion",
]
Structure = Literal["", "contents", "headings", "files", "parts"]
"""What the sections were made from: the file's own contents, its headings, its files, or parts of a fixed length."""

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
            return TextSpot(*_span(rest))
        if kind == "e":
            file, path, span = rest.split(":")
            return ElementSpot(unquote(file), tuple(int(step) for step in path.split(".") if step), *_span(span))
        if kind == "p":
            place, _, drawn = rest.partition("@")
            leaf, _, span = place.partition(":")
            return LeafSpot(int(leaf), *_span(span), tuple(_rectangle(part) for part in drawn.split("+") if part))
    except (IndexError, ValueError) as error:
        raise ValueError(f"not an anchor: {text!r}") from error
    raise ValueError(f"not an anchor: {text!r}")


def _span(text: str) -> tuple[int, int]:
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
        pieces.append(Piece(*_span(span), _parse_spot(spot)))
    return tuple(pieces)


@dataclass(frozen=True)
class Mark:
    """How characters `start` to `end` of a paragraph's text are set; what has no characters stands before `start`.

    `value` is the file of an image in the archive, its description (alt), the label of a list's item ("3.", "\u2022"),
    the printed page that begins (page), the reading of the characters (ruby), or the name of a note, which the mark in
    the text (note) and the note's own paragraph (target) share.
    """

    start: int
    end: int
    kind: MarkKind
    value: str = ""

    def cut(self, start: int, end: int) -> Mark:
        """This mark in a part of the paragraph, counted from the part's beginning."""
        return Mark(max(self.start, start) - start, min(self.end, end) - start, self.kind, self.value)

    def __str__(self) -> str:
        return f"{self.start}-{self.end} {self.kind}" + (f" {quote(self.value)}" if self.value else "")


def marks_to_text(marks: Iterable[Mark]) -> str:
    """One line a mark: how a paragraph's marks are kept."""
    return "\n".join(map(str, marks))


def marks_from_text(text: str) -> tuple[Mark, ...]:
    """Read what `marks_to_text` wrote; raises ValueError for anything else."""
    marks = []
    for line in text.splitlines():
        span, kind, *value = line.split(" ", 2)
        if kind not in get_args(MarkKind):
            raise ValueError(f"not a mark: {line!r}")
        marks.append(Mark(*_span(span), cast(MarkKind, kind), unquote("".join(value))))
    return tuple(marks)


@dataclass(frozen=True)
class Paragraph:
    """The smallest piece of text: its section, its first position in the document, and where each character is from.

    `level` is a heading's (1 the largest) or an item's depth in its list (1 the outermost); 0 where that is not known.
    """

    section: int
    start: int
    text: str
    pieces: tuple[Piece, ...]
    kind: Kind = "text"
    level: int = 0
    marks: tuple[Mark, ...] = ()

    @property
    def end(self) -> int:
        """The position after the last character."""
        return self.start + len(self.text)

    @property
    def anchor(self) -> Anchor:
        """The whole paragraph's place in the file."""
        return self.anchor_of(0, len(self.text))

    def as_read(self, start: int, end: int) -> str:
        """What a model reads of characters `start` to `end`.

        Marks of notes would be taken for numbers, so they go; what a picture shows is said; cells are parted visibly.
        """
        parts, at = [], start
        for mark in self.marks:
            if mark.kind == "note" and mark.start < end and mark.end > at:
                parts.append(self.text[at : max(at, mark.start)].rstrip(" "))
                at = max(at, min(mark.end, end))
            elif mark.kind == "alt" and at <= mark.start <= end:
                parts += [self.text[at : mark.start], f"[Picture: {mark.value}] "]
                at = mark.start
        text = "".join([*parts, self.text[at:end]])
        return text.replace("\t", " | ") if self.kind == "table" else text

    def anchor_of(self, start: int, end: int) -> Anchor:
        """The place of characters `start` to `end` of this paragraph's text; raises ValueError for none at all."""
        spots = tuple(piece.cut(start, end) for piece in self.pieces if piece.start < end and piece.end > start)
        if not spots:
            raise ValueError(f"no character of the file is at {start}-{end}")
        return Anchor(spots)


@dataclass(frozen=True)
class Section:
    """A node of the table of contents, in reading order; level 1 is the top, -1 as parent means none.

    `matter` says what front or back matter it is ("" is the book itself), `language` what it is written in (ISO 639-1,
    "" where nobody knows); a section that is left out is shown, but no model reads it for a gist.
    """

    index: int
    title: str
    level: int
    parent: int
    start: int
    label: str = ""
    words: int = 0
    language: str = ""
    matter: Matter = ""
    is_left_out: bool = False


def readable_spans(sections: Sequence[Section], end: int) -> tuple[tuple[int, int], ...]:
    """The stretches of a text that ends there which belong to sections that are not left out, neighbours joined."""
    spans: list[tuple[int, int]] = []
    ends = [*(section.start for section in sections[1:]), end]
    for section, until in zip(sections, ends, strict=True):
        if section.is_left_out or section.start >= until:
            continue
        if spans and spans[-1][1] == section.start:
            spans[-1] = (spans[-1][0], until)
        else:
            spans.append((section.start, until))
    return tuple(spans)


@dataclass(frozen=True)
class Leaf:
    """A leaf of a PDF as it is drawn: width and height in points (1/72 inch), and its printed label."""

    width: float
    height: float
    label: str = ""


@dataclass(frozen=True)
class Picture:
    """A drawn leaf or a book's picture: rows of RGB bytes, `stride` bytes from one row to the next."""

    width: int
    height: int
    stride: int
    pixels: bytes


@dataclass(frozen=True)
class DocumentHead:
    """What a file says of itself, and the hash of its bytes (SHA-256, hexadecimal)."""

    title: str
    authors: tuple[str, ...]
    language: str
    format: Format
    file_hash: str
    size: int
    leaves: int = 0
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Choices:
    """How a person wants a text file read: its encoding ("" finds it out) and what its chapters begin with.

    `chapters` is "" (found out), NO_CHAPTERS, or a pattern for the first line of each.
    """

    encoding: str = ""
    chapters: str = ""


AUTOMATIC = Choices()
"""Everything is found out."""

NO_CHAPTERS = "-"
"""The choice that a text has no chapters."""


@dataclass(frozen=True)
class SectionHealth:
    """What a section turned out to be once it was read: its length in words, its language, its matter."""

    words: int
    language: str = ""
    matter: Matter = ""


@dataclass(frozen=True)
class Health:
    """What came out of a file: what a person should know before spending hours on it.

    `notes` are sentences for a person; `unreadable_leaves` are 0-based leaves without usable text; `sectioned` tells
    of each section in order; `encoding` is how a text file was decoded.
    """

    characters: int
    words: int
    sections: int
    paragraphs: int
    unreadable_leaves: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    language: str = ""
    structure: Structure = ""
    encoding: str = ""
    sectioned: tuple[SectionHealth, ...] = ()


def sections_with(sections: Iterable[Section], health: Health) -> tuple[Section, ...]:
    """The sections with what was found out about them at the end; front and back matter is left out at first."""
    return tuple(
        replace(
            section,
            words=found.words,
            language=found.language,
            matter=found.matter,
            is_left_out=bool(found.matter),
        )
        for section, found in zip(sections, health.sectioned, strict=True)
    )


@dataclass(frozen=True)
class Document:
    """A whole document in memory, as pagination needs it."""

    title: str
    sections: tuple[Section, ...]
    paragraphs: tuple[Paragraph, ...]
    language: str = ""
    _starts: tuple[int, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        for before, after in pairwise(self.paragraphs):
            if before.end != after.start:
                raise ValueError(f"a gap between positions {before.end} and {after.start}")
        object.__setattr__(self, "_starts", tuple(paragraph.start for paragraph in self.paragraphs))

    @property
    def end(self) -> int:
        """The position after the last character of the document."""
        return self.paragraphs[-1].end if self.paragraphs else 0

    def between(self, start: int, end: int) -> tuple[tuple[Paragraph, int, int], ...]:
        """The paragraphs between two positions, each with the span of its own text that lies between them."""
        found = []
        for paragraph in self.paragraphs[self._index_at(start) :]:
            if paragraph.start >= end:
                break
            first, last = max(start - paragraph.start, 0), min(end - paragraph.start, len(paragraph.text))
            if first < last:
                found.append((paragraph, first, last))
        return tuple(found)

    def text(self, start: int, end: int) -> str:
        """The text between two positions, paragraphs separated by a blank line."""
        return "\n\n".join(
            paragraph.as_read(first, last).strip() for paragraph, first, last in self.between(start, end)
        )

    def readable(self) -> tuple[tuple[int, int], ...]:
        """The stretches of text that belong to sections which are not left out, in order, neighbours joined."""
        return readable_spans(self.sections, self.end)

    def section_at(self, position: int) -> int:
        """The index of the section of the paragraph at a position."""
        return self.paragraphs[self._index_at(position)].section

    def _index_at(self, position: int) -> int:
        return max(0, bisect_right(self._starts, position) - 1)
