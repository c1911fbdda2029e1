"""Books in a library and engines beside it, for jobs that run without a model."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from readdesk.cancel import CancelToken
from readdesk.documents.fileread import FileRead
from readdesk.documents.model import Document, DocumentHead, Health
from readdesk.documents.normal import count_words
from readdesk.jobs.events import Event
from readdesk.jobs.lane import Steps
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library
from readdesk.llm.base import Engine
from readdesk.llm.loader import EngineLoader
from readdesk.llm.model import Limits, Message, Prefix, Reply
from tests.fakes import Asked, ScriptedEngine, a_document, words

SECTIONS, PARAGRAPHS = 3, 8
PAGES = 6
"""Each section has a page of six hundred words and one of the two hundred that are left."""


def add_book(library: Library, title: str = "A Book", stem: str = "word") -> DocumentRecord:
    """Three sections of eight paragraphs of a hundred words, no word twice."""
    head, document, health = _book(title, stem)
    return library.documents.add(
        FileRead(head, Path("/book.txt"), health, list(document.sections), list(document.paragraphs))
    )


def replace_text(library: Library, record: DocumentRecord, stem: str) -> DocumentRecord:
    """Give a book other words."""
    head, document, health = _book(record.title, stem)
    return library.documents.update(
        record, FileRead(head, Path("/book.txt"), health, list(document.sections), list(document.paragraphs))
    )


def _book(title: str, stem: str) -> tuple[DocumentHead, Document, Health]:
    texts = [words(100, f"{stem}{number}n") for number in range(SECTIONS * PARAGRAPHS)]
    document = a_document(texts, sections=range(0, len(texts), PARAGRAPHS), title=title)
    head = DocumentHead(title, (), "en", "text", stem.rjust(64, "0"), 1)
    count = sum(count_words(text) for text in texts)
    return head, document, Health(document.end, count, SECTIONS, len(texts))


def short(asked: Asked) -> str:
    """A gist that holds up and tells which page it is of: it begins with the page's first word."""
    passage = asked.messages[-1].content.split("\n\n", 2)[1]
    return f"{passage.split()[0]} {words(44, 'gist')}"


def writer() -> ScriptedEngine:
    """A model that shortens whatever it gets and takes the longest pages."""
    return ScriptedEngine(otherwise=short)


class HeldEngine(ScriptedEngine):
    """A writer that stops in the middle of the replies to a text, until it is let go or cancelled."""

    def __init__(self, hold: str, together: int = 1) -> None:
        super().__init__(otherwise=short, together=together)
        self._hold = hold
        self.holding = threading.Event()
        self.go_on = threading.Event()
        self.ended: list[str] = []

    def stream(
        self, messages: Sequence[Message], limits: Limits, cancel: CancelToken, prefix: Prefix | None = None
    ) -> Iterator[str | Reply]:
        """Like the engine below it, with a pause after the second piece: the first one may be held back as a mark."""
        pieces = super().stream(messages, limits, cancel, prefix)
        try:
            yield from islice(pieces, 2)
            if self._hold in messages[-1].content:
                self.holding.set()
                while not self.go_on.is_set() and not cancel.wait(0.01):
                    pass
            yield from pieces
            self.ended.append("by itself")
        except GeneratorExit:
            self.ended.append("closed")
            raise


class Engines(EngineLoader):
    """Hands out engines by name, loaded ones, and remembers who asked."""

    def __init__(self, **engines: Engine) -> None:
        self._engines = engines
        self.asked: list[str] = []

    def engine(self, name: str, cancel: CancelToken) -> Engine:
        """The engine of this name."""
        cancel.raise_if_cancelled()
        self.asked.append(name)
        return self._engines[name]


def drive(steps: Steps, events: list[Event] | None = None) -> tuple[list[Event], object]:
    """Run a job to its end in this thread: its events, and what it comes to.

    What it tells in the middle of a step is among them where its turn puts that into the same list.
    """
    events = [] if events is None else events
    while True:
        try:
            events.append(next(steps))
        except StopIteration as end:
            return events, end.value
