"""Adding a file: the document process reads it, the library keeps it."""

from __future__ import annotations

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
    return library.documents.add(head, path, sections, paragraphs, health)


def _share(part: ReadSoFar) -> float:
    return _SHARE_OF_READING * part.done / part.total if part.total else 0.0


def _again(library: Library, known: DocumentRecord, path: Path) -> DocumentRecord:
    if known.path != str(path):
        library.documents.moved(known, path)
    return library.documents.get(known.id)
