"""Recognising the text of leaves: find those that lack it, do one, keep it, say so.

There is nothing to remember: a job that was stopped or killed goes on with the first leaf that has no row for its file
and these languages. At the end, and when it is stopped, the document is read again with what was recognised in its
place, as after any change of its file: pages, gists and highlights of other leaves stay. A leaf that brings the
process down twice is passed over and named.

What must stay true: each leaf is kept at once, alone; only words of a file with the very bytes that the library knows
are kept; a program that closes waits for nothing.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from readdesk.cancel import Cancelled, CancelToken
from readdesk.documents.collector import collector_at_rest
from readdesk.documents.model import LeafKind, RecognisedLeaf
from readdesk.documents.open import DocumentReader, state_of
from readdesk.documents.recogniser import LeafRecogniser
from readdesk.errors import DocumentError, PasswordNeeded, ReadDeskError, WorkerError
from readdesk.jobs.add import FileRequest, lacks_leaves, read_file
from readdesk.jobs.events import Progress, Started
from readdesk.jobs.lane import Steps, Turn
from readdesk.jobs.view import Shown
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library

_ESTIMATE_FROM = 3
_TRIES = 2
_LACKING: tuple[LeafKind, ...] = ("scan", "unreadable")


@dataclass(frozen=True)
class RecognitionRequest:
    """Which leaves of a document (None: all), in which languages ("deu+eng").

    With `redo` also those that have recognised text, and of leaves that are named those with a text of their own.
    """

    document: int
    languages: str
    leaves: tuple[int, ...] | None = None
    redo: bool = False
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Recognisers:
    """Who recognises leaves and who reads the file again; `is_closing` says that there is no time for that."""

    leaves: LeafRecogniser
    reader: DocumentReader
    is_closing: Callable[[], bool] = lambda: False


def recognise(number: int, turn: Turn, library: Library, by: Recognisers, request: RecognitionRequest) -> Steps:
    """Recognise leaf after leaf; comes to the DocumentRecord with the new text."""
    record = library.documents.get(request.document)
    yield Started(number, f"Recognising the text of \u201c{record.title}\u201d")
    file, state = _same_file(record, request.password)
    if lacks_leaves(library, record):
        record = yield from _renewed(number, turn, library, by.reader, request, _Work(()))
    work = _Work(_missing(library, record, request))
    try:
        while work.left:
            yield work.progress(number)
            try:
                found = work.do(by.leaves, file, request, turn.cancel)
            except Cancelled:
                turn.overtaken()
                continue
            if found is not None:
                if state_of(file) != state:
                    file, state = _same_file(record, request.password)
                if library.documents.get(record.id).file_hash != record.file_hash:
                    raise _replaced(record, "meanwhile")
                library.recognised.keep(record, found)
        if work.done or work.skipped:
            yield work.progress(number)
    except (Cancelled, GeneratorExit):
        if work.done:
            _renew_unless_closing(number, library, by, request, work)
        raise
    record = library.documents.get(record.id)
    if work.done or work.skipped or is_behind(library, record):
        record = yield from _renewed(number, turn, library, by.reader, request, work)
    return record


def forget(number: int, turn: Turn, library: Library, by: Recognisers, request: RecognitionRequest) -> Steps:
    """Take recognised text back, so that leaves hold what their file does; comes to the DocumentRecord."""
    record = library.documents.get(request.document)
    yield Started(number, f"Taking back what was recognised in \u201c{record.title}\u201d")
    _same_file(record, request.password)
    library.recognised.forget(record, request.leaves)
    return (yield from _renewed(number, turn, library, by.reader, request, _Work(()), is_anew=True))


def must_have_text(record: DocumentRecord) -> None:
    """Raise ReadDeskError for a document that no model can read yet: a scan, or letters that have no meaning."""
    if not record.words:
        raise ReadDeskError(
            f"\u201c{record.title}\u201d holds no text that can be read: its leaves are pictures, or their letters mean"
            " nothing to a program.",
            "Recognise its text first.",
            f"First run: readdesk ocr {record.id}",
        )


def is_behind(library: Library, record: DocumentRecord) -> bool:
    """Whether something was recognised that is not in the document's text yet."""
    leaves = {leaf.index: leaf for leaf in library.leaves.all(record)}
    for found in library.recognised.all(record):
        leaf = leaves.get(found.leaf)
        if leaf is None or (not found.words and leaf.kind == "unreadable"):  # That keeps what it has.
            continue
        if leaf.kind in _LACKING or (found.words and leaf.quality != found.quality):
            return True
    return False


def _same_file(record: DocumentRecord, password: str | None) -> tuple[Path, tuple[int, ...]]:
    """The document's file and its state; raises DocumentError where it has gone or is another one by now."""
    path = Shown(record, password).file
    state = state_of(path)
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DocumentError(f"{path.name} cannot be read: {error.strerror or error}.") from error
    if digest != record.file_hash:
        raise _replaced(record, "since it was added")
    return path, state


def _replaced(record: DocumentRecord, when: str) -> DocumentError:
    return DocumentError(
        f"The file of \u201c{record.title}\u201d was replaced by another one {when}.",
        "Add it again, then recognise its text.",
    )


def _missing(library: Library, record: DocumentRecord, request: RecognitionRequest) -> list[int]:
    """The leaves that are to be recognised, in order."""
    done = library.recognised.done(record)
    found = []
    for leaf in library.leaves.all(record):
        if request.leaves is not None and leaf.index not in request.leaves:
            continue
        if request.redo:
            is_wanted = leaf.kind in (*_LACKING, "ocr") or (request.leaves is not None and leaf.kind == "text")
        else:
            is_wanted = leaf.kind in _LACKING and done.get(leaf.index) != request.languages
        if is_wanted:
            found.append(leaf.index)
    return found


class _Work:
    """The leaves that are left, those that were passed over, and how fast it goes."""

    def __init__(self, leaves: Sequence[int]) -> None:
        self.left = list(leaves)
        self.done = 0
        self.skipped: list[int] = []
        self._total = len(leaves)
        self._seconds = 0.0
        self._tries = 0

    def do(
        self, recogniser: LeafRecogniser, file: Path, request: RecognitionRequest, cancel: CancelToken
    ) -> RecognisedLeaf | None:
        """Recognise the first leaf that is left; None where that failed. Raises Cancelled."""
        started = time.monotonic()
        leaf = self.left[0]
        try:
            found = recogniser.recognise(file, request.password, leaf, request.languages, cancel)
        except WorkerError:
            self._tries += 1
            if self._tries >= _TRIES:
                self._skip()
            return None
        except PasswordNeeded:
            raise
        except DocumentError:
            if not file.is_file():
                raise
            self._skip()
            return None
        self._seconds += time.monotonic() - started
        self.done += 1
        self._next()
        return found

    def _skip(self) -> None:
        self.skipped.append(self.left[0])
        self._next()

    def _next(self) -> None:
        del self.left[0]
        self._tries = 0

    def progress(self, number: int) -> Progress:
        """How far it is; the time left is known from the third leaf on."""
        past = self._total - len(self.left)
        seconds = None
        if self.left and self.done >= _ESTIMATE_FROM:
            seconds = max(1.0, self._seconds / self.done * len(self.left))
        share = past / self._total if self._total else 1.0
        return Progress(number, f"leaf {past}", past, self._total, share, seconds)

    def notes(self) -> Iterator[str]:
        """What a person should know of leaves that were passed over."""
        if self.skipped:
            names = ", ".join(str(leaf + 1) for leaf in self.skipped)
            which = f"Leaf {names}" if len(self.skipped) == 1 else f"Leaves {names}"
            yield f"{which} could not be recognised."


def _renew_unless_closing(
    number: int, library: Library, by: Recognisers, request: RecognitionRequest, work: _Work
) -> None:
    """Read the file again for a job that was stopped; not while the program closes, the next job makes up for it."""
    with closing(_renewed(number, Turn(), library, by.reader, request, work)) as steps:
        while not by.is_closing() and next(steps, None) is not None:
            pass


def _renewed(
    number: int,
    turn: Turn,
    library: Library,
    reader: DocumentReader,
    request: RecognitionRequest,
    work: _Work,
    *,
    is_anew: bool = False,
) -> Steps:
    """Read the file again with what was recognised in its place; comes to the DocumentRecord."""
    record = library.documents.get(request.document)
    asked = FileRequest(Path(record.path), request.password).with_recognised(library, record)
    with collector_at_rest():
        read = yield from read_file(number, turn, reader, asked, record.choices)
        assert read is not None
        if read.head.file_hash != record.file_hash:
            raise _replaced(record, "meanwhile")
        read.health = replace(read.health, notes=(*read.health.notes, *work.notes()))
        documents = library.documents
        record = documents.update(record, read) if work.done or is_anew else documents.refresh(record, read)
        read.forget()
    return record
