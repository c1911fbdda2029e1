"""What is known of the leaves of a file beside its text: what each one is, and what else lies on it.

A leaf is one physical page; what stands on it is text of the file, a picture of text, text that a program recognised
in a picture, or nothing. Beside the text there are other layers: notes and highlights that somebody put there, files
attached, links. None of those is the document's text. `model.py` hands these values on.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from readdesk.documents.anchor import LeafSpot, Rectangle

Labelling = Literal["", "file", "found", "set"]
"""Where the printed labels of leaves are from: nobody knows any, the file says them, they were found in page numbers,
a reader has set them."""

LeafKind = Literal["text", "ocr", "scan", "unreadable", "empty"]
"""Text of the file; recognised text (by ReadDesk, or laid invisibly over a picture); a picture without text; text whose
letters have no meaning; nothing at all."""

FurnitureKind = Literal["head", "foot", "number", "stamp", "line", "margin"]
"""Running head, running foot, page number, stamp (Bates number, "Downloaded from"), number of a line, number or note in
the margin that is a place and no text."""

MarkupKind = Literal["highlight", "underline", "strikeout", "note", "text", "drawing"]
"""How somebody marked a leaf: on words (the first three), a note at a point, text typed onto the leaf, a drawing."""


@dataclass(frozen=True)
class Furniture:
    """What was taken out of a leaf's text because it is a place and no text: "49", "THE SIEGE OF VICKSBURG"."""

    kind: FurnitureKind
    text: str
    rectangle: Rectangle


@dataclass(frozen=True)
class LeafHealth:
    """What came out of one leaf. `index` counts from 0, `label` is the printed one ("" where there is none).

    `quality` guesses how well the text was recognised, from 0 to 1 (None for text that is the file's own). A spread
    holds two printed pages; its label names both ("126\u2013127").
    """

    index: int
    label: str = ""
    kind: LeafKind = "text"
    words: int = 0
    columns: int = 1
    quality: float | None = None
    furniture: tuple[Furniture, ...] = ()


@dataclass(frozen=True)
class Markup:
    """A note or highlight that lies in the file: where, in what colour ("#rrggbb"), on which words, and what it says.

    `spots` name the marked characters where there are any; `rectangles` lie on the drawn leaf, in points; `key` is the
    same each time the file is read, so that nothing is taken over twice.
    """

    leaf: int
    kind: MarkupKind
    key: str
    rectangles: tuple[Rectangle, ...] = ()
    spots: tuple[LeafSpot, ...] = ()
    text: str = ""
    author: str = ""
    colour: str = ""
    made: str = ""


@dataclass(frozen=True)
class Attachment:
    """A file that lies in a PDF; `size` is in bytes, 0 where nobody knows."""

    name: str
    size: int = 0
    description: str = ""


@dataclass(frozen=True)
class Link:
    """A place on a drawn leaf that leads to another leaf (0-based; at `top` points from its upper edge) or outside."""

    rectangle: Rectangle
    leaf: int = -1
    top: float = 0.0
    address: str = ""


@dataclass(frozen=True)
class GlyphLine:
    """A line of a leaf's own text: the offset of its first character, and where each character is drawn.

    `edges` are left, top, right and bottom of one character after the other, in points on the drawn leaf.
    """

    start: int
    edges: array[float]


@dataclass(frozen=True)
class GlyphRun:
    """Characters of a document's text, from a position on, that stand in one line of a leaf; edges as of a GlyphLine.

    `paragraph` is the position at which theirs begins, `box` the rectangle around all of them.
    """

    start: int
    paragraph: int
    box: Rectangle
    edges: array[float]

    @property
    def end(self) -> int:
        """The position behind the last one."""
        return self.start + len(self.edges) // 4


@dataclass(frozen=True)
class RecognisedWord:
    """A word recognised in the picture of a leaf, and where it is drawn; words of one line share its number."""

    text: str
    line: int
    rectangle: Rectangle


@dataclass(frozen=True)
class RecognisedLeaf:
    """The text recognised on a leaf: its words in reading order, the languages looked for ("deu+eng"), its quality."""

    leaf: int
    languages: str
    quality: float
    words: tuple[RecognisedWord, ...] = ()

    def spans(self) -> Iterator[tuple[int, int, RecognisedWord]]:
        """Each word between its first and last offset in the leaf's own text: one character parts it from the next.

        That is a space, and a line break where the line ends.
        """
        start = 0
        for word in self.words:
            yield start, start + len(word.text), word
            start += len(word.text) + 1


@dataclass(frozen=True)
class Layers:
    """A batch of what lies on the leaves of a file beside its text."""

    leaves: tuple[LeafHealth, ...] = ()
    markups: tuple[Markup, ...] = ()
    attachments: tuple[Attachment, ...] = ()
