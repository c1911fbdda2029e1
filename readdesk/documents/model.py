"""What a file becomes: a document of sections and paragraphs that know where they came from.

There are two ways of naming a place. A *position* is a character offset into the document's text, which is all
paragraphs one after the other; it orders everything (pages, reading place, spoiler boundary). An *anchor* (`anchor.py`)
is a place in the file itself. A paragraph ties the two together by its pieces.

What must stay true: paragraphs tile the document's text without gaps; nothing here knows a file format's library.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, cast, get_args
from urllib.parse import quote, unquote

from readdesk.documents.anchor import Anchor as Anchor
from readdesk.documents.anchor import ElementSpot as ElementSpot
from readdesk.documents.anchor import LeafSpot as LeafSpot
from readdesk.documents.anchor import Piece as Piece
from readdesk.documents.anchor import Rectangle as Rectangle
from readdesk.documents.anchor import Spot as Spot
from readdesk.documents.anchor import TextSpot as TextSpot
from readdesk.documents.anchor import overlap, parse_span
from readdesk.documents.anchor import pieces_from_text as pieces_from_text
from readdesk.documents.anchor import pieces_to_text as pieces_to_text
from readdesk.documents.leaf import Attachment as Attachment
from readdesk.documents.leaf import Furniture as Furniture
from readdesk.documents.leaf import FurnitureKind as FurnitureKind
from readdesk.documents.leaf import GlyphLine as GlyphLine
from readdesk.documents.leaf import GlyphRun as GlyphRun
from readdesk.documents.leaf import Labelling as Labelling
from readdesk.documents.leaf import Layers as Layers
from readdesk.documents.leaf import LeafHealth as LeafHealth
from readdesk.documents.leaf import LeafKind as LeafKind
from readdesk.documents.leaf import Link as Link
from readdesk.documents.leaf import Markup as Markup
from readdesk.documents.leaf import MarkupKind as MarkupKind
from readdesk.documents.leaf import RecognisedLeaf as RecognisedLeaf
from readdesk.documents.leaf import RecognisedWord as RecognisedWord

Format = Literal["epub", "pdf", "text", "markdown", "html", "fb2", "mobi", "xps", "cbz"]
LEAF_FORMATS: frozenset[Format] = frozenset(("pdf", "fb2", "mobi", "xps", "cbz"))
"""Formats of which PyMuPDF makes leaves that can be drawn."""
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
    "line",
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


def has_leaves(format: Format) -> bool:
    """Whether documents of a format are shown and named by leaves."""
    return format in LEAF_FORMATS


@dataclass(frozen=True)
class Mark:
    """How characters `start` to `end` of a paragraph's text are set; what has no characters stands before `start`.

    `value` is the file of an image in the archive, its description (alt), the label of a list's item ("3.", "\u2022"),
    the printed page or line that begins (page, line), the reading of the characters (ruby), or the name of a note,
    which the mark in the text (note) and the note's own paragraph (target) share.
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
        marks.append(Mark(*parse_span(span), cast(MarkKind, kind), unquote("".join(value))))
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

        Marks of notes would be taken for numbers, so they go; a power is told from a number; what a picture shows is
        said; cells are parted visibly.
        """
        parts, at = [], start
        for mark in self.marks:
            if mark.start >= end and not mark.start == end == len(self.text):
                continue
            if mark.kind == "alt" and at <= mark.start:
                parts += [self.text[at : mark.start], f"[Picture: {mark.value}] "]
                at = mark.start
            elif (mark.kind == "note" and mark.end > at) or self._is_unlinked_note(mark, at):
                parts.append(self.text[at : max(at, mark.start)].rstrip(" "))
                at = max(at, min(mark.end, end))
            elif mark.kind == "superscript" and at < mark.start and self._is_power(mark):
                parts += [self.text[at : mark.start], "^"]
                at = mark.start
        text = "".join([*parts, self.text[at:end]])
        return text.replace("\t", " | ") if self.kind == "table" else text

    def _is_power(self, mark: Mark) -> bool:
        raised = self.text[mark.start : mark.end].lstrip("-+\u2212")
        return raised.isdecimal() and self.text[mark.start - 1].isalnum()

    def _is_unlinked_note(self, mark: Mark, at: int) -> bool:
        """Whether a raised number behind the end of a sentence is the mark of a note that leads nowhere."""
        if mark.kind != "superscript" or not at < mark.start:
            return False
        return self.text[mark.start : mark.end].isdecimal() and self.text[mark.start - 1] in _SENTENCE_ENDS

    def anchor_of(self, start: int, end: int) -> Anchor:
        """The place of characters `start` to `end` of this paragraph's text; raises ValueError for none at all."""
        spots = tuple(piece.cut(start, end) for piece in self.pieces if piece.start < end and piece.end > start)
        if not spots:
            raise ValueError(f"no character of the file is at {start}-{end}")
        return Anchor(spots)


def find_anchor(paragraphs: Iterable[Paragraph], anchor: Anchor) -> tuple[int, int] | None:
    """The positions between which lie the characters that an anchor names; None where they are in no paragraph."""
    spans = [
        (paragraph.start + span[0], paragraph.start + span[1])
        for paragraph in paragraphs
        if (span := overlap(paragraph.pieces, anchor)) is not None
    ]
    return (min(start for start, _ in spans), max(end for _, end in spans)) if spans else None


def read_of_leaf(paragraphs: Iterable[Paragraph], leaf: int) -> tuple[tuple[Kind, str], ...]:
    """What a model reads of one leaf (0-based) of a PDF: the kind and the text of each paragraph, those with text."""
    read = []
    for paragraph in paragraphs:
        spots = ((piece, piece.spot) for piece in paragraph.pieces)
        here = [piece for piece, spot in spots if isinstance(spot, LeafSpot) and spot.leaf == leaf]
        text = paragraph.as_read(here[0].start, here[-1].end).strip() if here else ""
        if text:
            read.append((paragraph.kind, text))
    return tuple(read)


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


Lack = Literal["", "detail", "rest"]
"""What a drawing that takes too long does without: nothing, fine detail, or all that would have been drawn later."""

LACKS: tuple[Lack, ...] = get_args(Lack)
"""What may lack, the least first."""


@dataclass(frozen=True)
class Picture:
    """A drawn leaf or a book's picture: rows of RGB bytes, `stride` bytes from one row to the next."""

    width: int
    height: int
    stride: int
    pixels: bytes
    lack: Lack = ""


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
    labelling: Labelling = ""


@dataclass(frozen=True)
class Choices:
    """How a person wants a text file read: its encoding ("" finds it out) and what its chapters begin with.

    `chapters` is "" (found out), NO_CHAPTERS, or a pattern for the first line of each.
    """

    encoding: str = ""
    chapters: str = ""


AUTOMATIC = Choices()
"""Everything is found out."""

_SENTENCE_ENDS = ".!?,;:\u2026\"'\u201d\u2019\u00bb)]"

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


ENCODINGS: tuple[tuple[str, str], ...] = (
    ("UTF-8", "Unicode (UTF-8)"),
    ("UTF-16LE", "Unicode (UTF-16, low byte first)"),
    ("UTF-16BE", "Unicode (UTF-16, high byte first)"),
    ("GB18030", "Chinese, simplified (GB18030, GBK, GB2312)"),
    ("Big5", "Chinese, traditional (Big5)"),
    ("Shift-JIS", "Japanese (Shift-JIS)"),
    ("EUC-JP", "Japanese (EUC-JP)"),
    ("ISO-2022-JP", "Japanese (ISO-2022-JP)"),
    ("EUC-KR", "Korean (EUC-KR)"),
    ("Windows-1251", "Cyrillic (Windows-1251)"),
    ("KOI8-R", "Cyrillic, Russian (KOI8-R)"),
    ("KOI8-U", "Cyrillic, Ukrainian (KOI8-U)"),
    ("CP866", "Cyrillic (DOS, CP866)"),
    ("ISO-8859-5", "Cyrillic (ISO-8859-5)"),
    ("Mac-Cyrillic", "Cyrillic (Mac)"),
    ("Windows-1252", "Western European (Windows-1252)"),
    ("ISO-8859-15", "Western European (ISO-8859-15)"),
    ("CP850", "Western European (DOS, CP850)"),
    ("Mac-Roman", "Western European (Mac)"),
    ("Windows-1250", "Central European (Windows-1250)"),
    ("ISO-8859-2", "Central European (ISO-8859-2)"),
    ("CP852", "Central European (DOS, CP852)"),
    ("Windows-1254", "Turkish (Windows-1254)"),
    ("Windows-1257", "Baltic (Windows-1257)"),
    ("Windows-1253", "Greek (Windows-1253)"),
    ("ISO-8859-7", "Greek (ISO-8859-7)"),
    ("Windows-1255", "Hebrew (Windows-1255)"),
    ("ISO-8859-8", "Hebrew (ISO-8859-8)"),
    ("Windows-1256", "Arabic (Windows-1256)"),
    ("ISO-8859-6", "Arabic (ISO-8859-6)"),
    ("TIS-620", "Thai (TIS-620)"),
    ("Windows-1258", "Vietnamese (Windows-1258)"),
)
"""The encodings that a person may choose for a text file: the name that Python knows too, and words for people."""
