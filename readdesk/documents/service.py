"""The document process: reads a file with the parser of its format and streams what comes out.

PyMuPDF and lxml may crash or hang on a hostile file, so this runs in a process of its own (see `worker.py`) and is
never imported by the front process. What must stay true: the head comes first, the health last, how much has been read
at any time before that, nothing over a megabyte.
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

from readdesk.cancel import CancelToken
from readdesk.documents.collector import collector_at_rest
from readdesk.documents.draft import Drafted, ReadSoFar, Told
from readdesk.documents.epub import reader as epub
from readdesk.documents.health import HealthCollector
from readdesk.documents.html import reader as webpage
from readdesk.documents.language import LanguageFinder
from readdesk.documents.markdown import reader as markdown
from readdesk.documents.model import (
    AUTOMATIC,
    Choices,
    DocumentHead,
    Format,
    Health,
    Layers,
    Paragraph,
    RecognisedLeaf,
    Section,
    has_leaves,
)
from readdesk.documents.open import state_of
from readdesk.documents.pdf import reader as pdf
from readdesk.documents.pdf.file import silence
from readdesk.documents.pdf.share import LeafSource
from readdesk.documents.second import Board
from readdesk.documents.stream import assemble
from readdesk.documents.text import reader as text
from readdesk.errors import DocumentError, NoTextError

_MOST_BATCHES = 4
"""Recognised leaves are taken for one reading after the other, but two lanes may each be about to ask for theirs."""


class DocumentService:
    """Reads documents, one at a time.

    `board` and `second` are those of a second process that may help to read leaves (`second.py`).
    """

    def __init__(self, board: Board | None = None, second: Connection | None = None) -> None:
        silence()
        self._board = board
        self._second = second
        self._languages = LanguageFinder()
        self._recognised: dict[int, list[RecognisedLeaf]] = {}

    def take_recognised(self, batch: int, piece: RecognisedLeaf, *, cancel: CancelToken) -> None:
        """Take a leaf, or one piece of it after the other, for a reading that follows; the last batches are kept."""
        self._recognised.setdefault(batch, []).append(piece)
        while len(self._recognised) > _MOST_BATCHES:  # Whoever sent the oldest one has been stopped before reading.
            del self._recognised[min(self._recognised)]

    def read(
        self,
        path: str | Path,
        password: str | None,
        format: Format,
        choices: Choices = AUTOMATIC,
        recognised: tuple[int, int, str] | None = None,
        number: int = 0,
        skipped: tuple[int, ...] = (),
        *,
        cancel: CancelToken,
    ) -> Iterator[DocumentHead | Section | tuple[Paragraph, ...] | Layers | Health | ReadSoFar]:
        """Yield DocumentHead, then each Section followed by batches of its paragraphs, then Health.

        Before the Health come batches of layers, and now and then how much has been read, this also before the head.
        `recognised` names a batch of leaves that was taken, how many pieces it came in, and the hash of their file.
        Under `number` the second process serves, unless it is 0; leaves that are `skipped` (0-based) are not read.

        Raises DocumentError, PasswordNeeded or NoTextError with a sentence for the person.
        """
        with collector_at_rest():
            source = LeafSource(self._board, self._second, number, skipped)
            yield from self._read(Path(path), password, format, choices, recognised, source, cancel)

    def _read(
        self,
        path: Path,
        password: str | None,
        format: Format,
        choices: Choices,
        recognised: tuple[int, int, str] | None,
        source: LeafSource,
        cancel: CancelToken,
    ) -> Iterator[DocumentHead | Section | tuple[Paragraph, ...] | Layers | Health | ReadSoFar]:
        before = state_of(path)
        health = HealthCollector(self._languages)
        leaves = self._recognised_of(path, *recognised) if recognised else ()
        drafted = _drafted(path, password, format, choices, health, cancel, leaves, source)
        told = yield from _until_told(drafted)
        health.told(told)
        head = _head(path, format, told)
        yield head
        drafts = (part for part in drafted if not isinstance(part, Told))
        for part in assemble(drafts, health, head.title):
            cancel.raise_if_cancelled()
            yield part
        if state_of(path) != before:  # Else the text of the old file would be kept under the hash of the new one.
            raise DocumentError(f"{path.name} has changed while it was read.", "Add it again when it is complete.")
        result = health.result()
        if not result.words and not told.leaves:  # Leaves can be looked at, and their text recognised.
            raise NoTextError(f"{path.name} holds no words to read.", "Open a file that does.")
        yield result

    def _recognised_of(self, path: Path, batch: int, count: int, file_hash: str) -> tuple[RecognisedLeaf, ...]:
        """The leaves of a batch where they are of just this file; raises DocumentError where some were lost."""
        pieces = self._recognised.pop(batch, [])
        if len(pieces) != count:
            raise DocumentError(f"The recognised text of {path.name} was lost on the way.", "Try again.")
        if not path.is_file() or _hash_of(path) != file_hash:
            return ()
        leaves: dict[int, RecognisedLeaf] = {}
        for piece in pieces:
            before = leaves.get(piece.leaf)
            leaves[piece.leaf] = replace(piece, words=before.words + piece.words) if before else piece
        return tuple(leaves.values())


def _drafted(
    path: Path,
    password: str | None,
    format: Format,
    choices: Choices,
    health: HealthCollector,
    cancel: CancelToken,
    recognised: tuple[RecognisedLeaf, ...],
    source: LeafSource,
) -> Iterator[Drafted]:
    try:
        if has_leaves(format):
            yield from pdf.read(path, password, health, cancel, recognised, source)
        elif format == "epub":
            yield from epub.read(path, health, cancel)
        elif format == "html":
            yield from webpage.read(path, choices, health, cancel)
        elif format == "markdown":
            yield from markdown.read(path, choices, health, cancel)
        else:
            yield from text.read(path, choices, health, cancel)
    except OSError as error:
        raise DocumentError(f"{path.name} cannot be read: {error.strerror or error}.") from error


def _until_told(drafted: Iterator[Drafted]) -> Generator[ReadSoFar, None, Told]:
    """What a file says of itself; how much has been read before that is passed on."""
    for part in drafted:
        if isinstance(part, ReadSoFar):
            yield part
        elif isinstance(part, Told):
            return part
        else:
            break
    raise TypeError("an importer must begin with Told")


def _hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _head(path: Path, format: Format, told: Told) -> DocumentHead:
    return DocumentHead(
        title=told.title,
        authors=told.authors,
        language=told.language,
        format=format,
        file_hash=_hash_of(path),
        size=path.stat().st_size,
        leaves=told.leaves,
        labels=told.labels,
        labelling=told.labelling,
    )
