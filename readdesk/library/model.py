"""Rows of the library that are not already values of documents or reading."""

from __future__ import annotations

from dataclasses import dataclass, field

from readdesk.documents.model import (
    AUTOMATIC,
    Anchor,
    Attachment,
    Choices,
    Format,
    Labelling,
    LeafHealth,
    MarkupKind,
    Section,
    Structure,
)
from readdesk.reading.model import Gist, LookUp, Page


@dataclass(frozen=True)
class DocumentRecord:
    """A document of the library.

    `kind` is the kind of pages it has, "" before the first; `notes` are its health's; `size` is its file's, in bytes;
    `encoding` is how a text file was decoded, and `choices` what a person chose about that; `text_hash` is the same
    for every file with this text; `labelling` is where the labels of its leaves are from. The id is 0 before a document
    is in the library.
    """

    id: int
    title: str
    authors: tuple[str, ...]
    language: str
    format: Format
    path: str
    file_hash: str
    characters: int
    words: int
    kind: str
    notes: tuple[str, ...]
    added: str
    size: int = 0
    structure: Structure = ""
    encoding: str = ""
    choices: Choices = AUTOMATIC
    text_hash: str = ""
    labelling: Labelling = ""


@dataclass(frozen=True)
class Highlight:
    """What a reader marked in a document, in ReadDesk or before that in the file, and what is noted there.

    `start` and `end` are positions in the text, None for what marks no text of it (a note at a point, a drawing, a
    highlight over a scan); `quote` is that text. `colour` is "#rrggbb" or "", `made` ISO 8601 or "". The id is 0 before
    it is in the library.
    """

    id: int
    document: int
    kind: MarkupKind
    start: int | None
    end: int | None
    anchor: Anchor
    quote: str = ""
    note: str = ""
    author: str = ""
    colour: str = ""
    made: str = ""
    is_from_file: bool = False


@dataclass(frozen=True)
class HealthReport:
    """What a person should know before spending hours on a document.

    `pages` are those that its text, what is left out not counted, will about have; `seconds` is how long `model` takes
    for them (None where there is no model): measured on this computer, or by a rule of thumb. `openings` are the first
    words of each section. `leaves`, `markups` (the kinds of all that is marked) and `attachments` are those of a PDF;
    `leaf` is the one that was asked for, if any.
    """

    document: DocumentRecord
    sections: tuple[Section, ...]
    pages: int
    model: str
    seconds: float | None
    is_measured: bool
    openings: tuple[str, ...] = ()
    leaves: tuple[LeafHealth, ...] = ()
    markups: tuple[MarkupKind, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    leaf: LeafReport | None = None


@dataclass(frozen=True)
class LeafReport:
    """One leaf of `leaves`: what came out of it, what a model reads of it, and what is marked on it."""

    health: LeafHealth
    leaves: int
    text: str
    highlights: tuple[Highlight, ...] = ()


@dataclass(frozen=True)
class Gap:
    """Text without a page: the number that a page begun at its start would get, and the position it may not pass."""

    number: int
    start: int
    end: int


@dataclass(frozen=True)
class Progress:
    """How far a document is read: pages made, pages with a gist of the model asked for, share of the text, all done.

    What is left out counts nowhere.
    """

    pages: int
    gists: int
    share: float
    complete: bool


@dataclass(frozen=True)
class ShelfEntry:
    """A document as the library shows it: how far it is gisted by the model that read it last, and when it was open.

    `model` is "" before the first gist, `seen` is "" before the first opening (ISO 8601, UTC).
    """

    document: DocumentRecord
    model: str
    progress: Progress
    seen: str


@dataclass(frozen=True)
class ReadingPlace:
    """Where a document was left: the position at the top, and what a view needs to show exactly that again.

    `text_hash` is that of the text it is a place of; once the document has another text, it is none any more.
    """

    position: int
    view: str = ""
    text_hash: str = field(default="", compare=False)


@dataclass(frozen=True)
class Asked:
    """A question that was answered, with its trail; `moved` are pages of it that had another number when it was asked.

    The answer names them by the number of then, which stands first.
    """

    question: str
    answer: str
    coverage: str
    model: str
    asked: str
    look_ups: tuple[LookUp, ...]
    moved: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class PageRecord:
    """A page as people see it: with the title of its section and its gist where there is one.

    Where some of its text `is_recognised` in pictures, whoever quotes it says so: it may hold errors.
    """

    page: Page
    section: str
    gist: Gist | None
    is_recognised: bool = False


@dataclass(frozen=True)
class Figures:
    """What a document's gists of one model took and came to, for the report of a job."""

    pages: int
    words: int
    gist_words: int
    fallback_breaks: int
    retried: int
    openings: int
    tokens_read: int
    tokens_written: int
    seconds: float
