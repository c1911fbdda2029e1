"""The document process: reads a file with the parser of its format and streams what comes out.

PyMuPDF and lxml may crash or hang on a hostile file, so this runs in a process of its own (see `worker.py`) and is
never imported by the front process. What must stay true: the head comes first, the health last, nothing over a
megabyte.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from readdesk.cancel import CancelToken
from readdesk.documents import epub, pdf, text
from readdesk.documents.draft import Draft, Drafted, Start, Told
from readdesk.documents.health import HealthCollector
from readdesk.documents.model import DocumentHead, Format, Health, Paragraph, Section
from readdesk.documents.stream import assemble
from readdesk.errors import DocumentError, NoTextError


class DocumentService:
    """Reads documents, one at a time."""

    def __init__(self) -> None:
        pdf.silence()

    def read(
        self, path: str | Path, password: str | None, format: Format, *, cancel: CancelToken
    ) -> Iterator[DocumentHead | Section | tuple[Paragraph, ...] | Health]:
        """Yield DocumentHead, then each Section followed by batches of its paragraphs, then Health.

        Raises DocumentError, PasswordNeeded or NoTextError with a sentence for the person.
        """
        path = Path(path)
        health = HealthCollector()
        head, drafts = _begin(path, format, _drafted(path, password, format, health, cancel))
        yield head
        for part in assemble(drafts, health, head.title):
            cancel.raise_if_cancelled()
            yield part
        result = health.result()
        if not result.words:
            raise NoTextError(f"{path.name} holds no words to read.", "Open an EPUB, a PDF or a text file that does.")
        yield result


def _drafted(
    path: Path, password: str | None, format: Format, health: HealthCollector, cancel: CancelToken
) -> Iterator[Drafted]:
    try:
        if format == "pdf":
            yield from pdf.read(path, password, health, cancel)
        elif format == "epub":
            yield from epub.read(path, health, cancel)
        else:
            yield from text.read(path, health, cancel)
    except OSError as error:
        raise DocumentError(f"{path.name} cannot be read: {error.strerror or error}.") from error


def _begin(path: Path, format: Format, drafted: Iterator[Drafted]) -> tuple[DocumentHead, Iterator[Start | Draft]]:
    first = next(drafted)
    if not isinstance(first, Told):
        raise TypeError(f"an importer must begin with Told, not {type(first).__name__}")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    head = DocumentHead(
        title=first.title,
        authors=first.authors,
        language=first.language,
        format=format,
        file_hash=digest,
        size=path.stat().st_size,
        leaves=first.leaves,
        labels=first.labels,
    )
    return head, (part for part in drafted if not isinstance(part, Told))
