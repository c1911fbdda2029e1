"""Adding a file: the document process reads it, the library keeps it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from readdesk.documents.model import DocumentHead, Health, Paragraph, Section
from readdesk.documents.open import DocumentReader, ReadSoFar
from readdesk.errors import DocumentError
from readdesk.jobs.events import Progress, Started
from readdesk.jobs.lane import Steps, Turn
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library

_SHARE_OF_READING = 0.9


def add(number: int, turn: Turn, library: Library, reader: DocumentReader, path: Path, password: str | None) -> Steps:
    """Add a file; comes to its DocumentRecord, which is the old one when the file is known already."""
    yield Started(number, f"Reading {path.name}")
    with _collector_at_rest():
        return (yield from _add(number, turn, library, reader, path, password))


def _add(number: int, turn: Turn, library: Library, reader: DocumentReader, path: Path, password: str | None) -> Steps:
    head: DocumentHead | None = None
    health: Health | None = None
    sections: list[Section] = []
    paragraphs: list[Paragraph] = []
    for part in reader.read(path, password, turn.cancel):
        if isinstance(part, ReadSoFar):
            if 0 < part.done < part.total:
                yield Progress(number, f"Reading {part.done}", part.done, part.total, _share(part))
        elif isinstance(part, DocumentHead):
            head = part
            if (known := library.documents.by_file_hash(part.file_hash)) is not None:
                return _again(library, known, path)
        elif isinstance(part, Section):
            sections.append(part)
        elif isinstance(part, Health):
            health = part
        else:
            paragraphs += part
    if head is None or health is None:
        raise DocumentError(f"{path.name} could not be read to its end.", "Try again; if it fails again, report it.")
    yield Progress(number, "Saving", len(sections))
    record = library.documents.add(head, path, sections, paragraphs, health)
    while paragraphs:  # All at once would be one step of Python's, in which no other thread gets a turn.
        del paragraphs[-200:]
    return record


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Keep Python from looking for circles among the hundred thousands of pieces of a book, of which there are none.

    Each such look holds every thread, the window's too: 128 ms were measured while War and Peace was read.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _share(part: ReadSoFar) -> float:
    return _SHARE_OF_READING * part.done / part.total if part.total else 0.0


def _again(library: Library, known: DocumentRecord, path: Path) -> DocumentRecord:
    if known.path != str(path):
        library.documents.moved(known, path)
    return library.documents.get(known.id)
