"""Adding a file, and reading one again: the document process reads it, the library keeps it.

What is known by its bytes is not read at all, unless somebody wants it read in another way, or an earlier ReadDesk
read it, which kept less of it. While a file is read, its whole text is kept in memory, so that the library changes in
one transaction or not at all. What a person chose for a text holds for its new versions; another book that lies at the
same path now is read automatically.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from readdesk.documents.collector import collector_at_rest
from readdesk.documents.fileread import FileRead
from readdesk.documents.model import AUTOMATIC, Choices, DocumentHead, Health, Layers, Section, has_leaves
from readdesk.documents.open import NOTHING_RECOGNISED, DocumentReader, ReadSoFar, Recognised
from readdesk.errors import DocumentError
from readdesk.jobs.events import Progress, Started
from readdesk.jobs.lane import Steps, Turn
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library

_SHARE_OF_READING = 0.9
NOT_YET = Health(0, 0, 0, 0)
"""The health of a file whose end has not been seen."""


@dataclass(frozen=True)
class FileRequest:
    """A file to read: where it lies, its password, and how its text is to be read (None: as it was, else found out).

    What was `recognised` on leaves of it becomes their text.
    """

    path: Path
    password: str | None = field(default=None, repr=False)
    choices: Choices | None = None
    recognised: Recognised = NOTHING_RECOGNISED
    is_again: bool = False
    """Whether a file that is known is read all the same."""

    def with_recognised(self, library: Library, record: DocumentRecord | None) -> FileRequest:
        """The same with all that the library knows to be recognised on leaves of the document's file."""
        leaves = library.recognised.all(record) if record else ()
        return replace(self, recognised=Recognised(record.file_hash, leaves)) if record and leaves else self


def add(number: int, turn: Turn, library: Library, reader: DocumentReader, request: FileRequest) -> Steps:
    """Add a file; comes to its DocumentRecord, which is the old one when the file is known already."""
    yield Started(number, f"Reading {request.path.name}")
    request = request.with_recognised(library, library.documents.at_path(request.path))
    known: DocumentRecord | None = None

    def is_wanted(head: DocumentHead) -> bool:
        nonlocal known
        known = library.documents.by_file_hash(head.file_hash)
        is_other = known is None or request.is_again or request.choices not in (None, known.choices)
        return is_other or (known is not None and lacks_leaves(library, known))

    with collector_at_rest():
        read = yield from _read_as_before(number, turn, library, reader, request, is_wanted)
        if read is None:
            assert known is not None
            return _again(library, known, request.path)
        yield Progress(number, "Saving", len(read.sections))
        record = _kept(library, known, read, request) if known else library.documents.add(read)
        read.forget()
        return record


def _kept(library: Library, known: DocumentRecord, read: FileRead, request: FileRequest) -> DocumentRecord:
    """Bring a known document up to date: with all of its text only where that was asked for."""
    if request.is_again or request.choices not in (None, known.choices):
        return library.documents.update(known, read)
    return library.documents.refresh(known, read)


def lacks_leaves(library: Library, record: DocumentRecord) -> bool:
    """Whether a document was read by an earlier ReadDesk, which knew nothing of the leaves of its file."""
    return has_leaves(record.format) and not library.leaves.labels(record)


def reread(
    number: int, turn: Turn, library: Library, reader: DocumentReader, document: int, request: FileRequest
) -> Steps:
    """Read the file of a document again, with other choices; comes to its DocumentRecord."""
    record = library.documents.get(document)
    choices = request.choices or record.choices
    yield Started(number, f"Reading {request.path.name}")
    request = request.with_recognised(library, record)
    with collector_at_rest():
        read = yield from read_file(number, turn, reader, request, choices)
        assert read is not None
        yield Progress(number, "Saving", len(read.sections))
        known = library.documents.by_file_hash(read.head.file_hash)
        record = library.documents.update(known, read) if known else library.documents.add(read)
        read.forget()
        return record


def _read_as_before(
    number: int,
    turn: Turn,
    library: Library,
    reader: DocumentReader,
    request: FileRequest,
    is_wanted: Callable[[DocumentHead], bool],
) -> Generator[Progress, None, FileRead | None]:
    """Read a file as it is asked for, else like the document at its path, else automatically."""
    at_path = library.documents.at_path(request.path)
    choices = request.choices or (at_path.choices if at_path else AUTOMATIC)
    if request.choices is not None or choices == AUTOMATIC:
        return (yield from read_file(number, turn, reader, request, choices, is_wanted))
    read: FileRead | None = None
    with suppress(DocumentError):
        read = yield from read_file(number, turn, reader, request, choices, is_wanted)
        if read is None or library.documents.has_version(read):
            return read
    try:  # What was chosen for another text makes this one unreadable, or a row of wrong letters.
        return (yield from read_file(number, turn, reader, request, AUTOMATIC, is_wanted))
    except DocumentError:
        if read is None:
            raise
        return read


def read_file(
    number: int,
    turn: Turn,
    reader: DocumentReader,
    request: FileRequest,
    choices: Choices,
    is_wanted: Callable[[DocumentHead], bool] = lambda head: True,
) -> Generator[Progress, None, FileRead | None]:
    """Read a whole file; None when it turns out at its head that it is not wanted. Raises DocumentError."""
    read: FileRead | None = None
    is_whole = False
    for part in reader.read(request.path, request.password, turn.cancel, choices, request.recognised):
        if isinstance(part, ReadSoFar):
            if 0 < part.done < part.total:
                yield Progress(number, f"Reading {part.done}", part.done, part.total, _share(part))
        elif isinstance(part, DocumentHead):
            if not is_wanted(part):
                return None
            read = FileRead(part, request.path, NOT_YET, choices=choices)
        elif read is None:
            break
        elif isinstance(part, Section):
            read.sections.append(part)
        elif isinstance(part, Health):
            read.health, is_whole = part, True
        elif isinstance(part, Layers):
            read.take(part)
        else:
            read.paragraphs += part
    if read is None or not is_whole:
        name = request.path.name
        raise DocumentError(f"{name} could not be read to its end.", "Try again; if it fails again, report it.")
    return read


def _share(part: ReadSoFar) -> float:
    return _SHARE_OF_READING * part.done / part.total if part.total else 0.0


def _again(library: Library, known: DocumentRecord, path: Path) -> DocumentRecord:
    if known.path != str(path):
        library.documents.moved(known, path)
    return library.documents.get(known.id)
