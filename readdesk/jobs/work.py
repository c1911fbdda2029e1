"""Gisting: find what is missing, do one unit, keep it, say so.

The library is asked before every unit, so there is nothing to remember: a job that was killed, stopped or overtaken
goes on where the kept pages end, and two programs on one library never keep a page twice.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import cast

from readdesk.cancel import Cancelled, CancelToken
from readdesk.documents.model import Document
from readdesk.errors import ReadDeskError
from readdesk.jobs.events import Gisted, Overtaken, PageBegun, PageKept, Progress, Started
from readdesk.jobs.lane import Steps, Turn
from readdesk.library.model import DocumentRecord, PageRecord
from readdesk.library.store import Library
from readdesk.llm.loader import EngineLoader
from readdesk.reading.agent import ReadingAgent
from readdesk.reading.model import Gist, Page
from readdesk.reading.paginate import SIZES, PageKind, PageSize, kind_of
from readdesk.reading.prompts import PROMPT_VERSION

_ESTIMATE_FROM = 3
"""A time left is told from the third page on: before, loading the model and one odd page make it nonsense."""


@dataclass(frozen=True)
class GistRequest:
    """What is to be gisted: the document, with which model, how many of its first pages (None: all), which kind."""

    document: int
    model: str
    pages: int | None = None
    kind: str = "auto"


def gist(number: int, turn: Turn, library: Library, engines: EngineLoader, request: GistRequest) -> Steps:
    """Read and shorten page after page until nothing is missing; comes to Gisted."""
    record = _with_kind(library, library.documents.get(request.document), request.kind)
    yield Started(number, f"Reading \u201c{record.title}\u201d with {request.model}")
    document = library.documents.load(record)
    size = SIZES[cast(PageKind, record.kind)]
    pace = _Pace()

    def agent() -> ReadingAgent:
        return ReadingAgent(engines.engine(request.model, turn.cancel), request.model)

    while (unit := _missing(library, record, request)) is not None:
        yield PageBegun(number, unit.number, unit.start)
        try:
            done = _do(library, record, document, agent(), unit, size, turn.cancel)
        except Cancelled:
            turn.overtaken()
            yield Overtaken(number)
            continue
        if done is not None:
            pace.add(done.page.words, done.seconds)
            title = document.sections[done.page.section].title
            yield PageKept(number, PageRecord(done.page, title, done.gist))
        else:  # Another program was faster: its page is the one that stands.
            pages = library.gists.pages(record, request.model)
            yield from (PageKept(number, item) for item in pages if item.page.number == unit.number)
        yield _progress(number, library, record, request, pace)
    figures = library.gists.figures(record, request.model)
    progress = library.gists.progress(record, request.model, PROMPT_VERSION)
    return Gisted(record, figures, pace.pages, progress.complete)


@dataclass(frozen=True)
class _Unit:
    """One page to do: one that stands already and lacks a gist, or the next one from a position on."""

    number: int
    start: int
    page: Page | None


@dataclass(frozen=True)
class _Kept:
    """A unit that was done and kept, and the seconds it took."""

    page: Page
    gist: Gist
    seconds: float


def _missing(library: Library, record: DocumentRecord, request: GistRequest) -> _Unit | None:
    page = library.gists.missing(record, request.model, PROMPT_VERSION)
    if page is not None:
        within = request.pages is None or page.number <= request.pages
        return _Unit(page.number, page.start, page) if within else None
    last = library.gists.last_page(record)
    number, start = (last.number + 1, last.end) if last else (1, 0)
    if start >= record.characters or (request.pages is not None and number > request.pages):
        return None
    return _Unit(number, start, None)


def _do(
    library: Library,
    record: DocumentRecord,
    document: Document,
    agent: ReadingAgent,
    unit: _Unit,
    size: PageSize,
    cancel: CancelToken,
) -> _Kept | None:
    """Do one unit and keep it; None when another program was faster."""
    started = time.monotonic()
    if unit.page is None:
        read = agent.read_page(document, unit.number, unit.start, size, cancel)
        seconds = time.monotonic() - started
        if not library.gists.add_page(record, read.page, read.gist, read.cost, seconds):
            library.documents.get(record.id)  # Raises when the document itself has gone.
            return None
        return _Kept(read.page, read.gist, seconds)
    text, cost = agent.shorten_page(document, unit.page, cancel)
    seconds = time.monotonic() - started
    library.gists.add_gist(record, text, cost, seconds)
    return _Kept(unit.page, text, seconds)


def _with_kind(library: Library, record: DocumentRecord, kind: str) -> DocumentRecord:
    """The document with the kind of its pages decided; a document that has pages keeps theirs."""
    if record.kind and kind in ("auto", record.kind):
        return record
    if record.kind and library.gists.last_page(record) is not None:
        raise ReadDeskError(
            f"\u201c{record.title}\u201d is already divided into pages of the kind {record.kind}.",
            "It keeps them.",
            "Leave out --kind.",
        )
    library.gists.set_kind(record, kind_of(record.words) if kind == "auto" else kind)
    return library.documents.get(record.id)


class _Pace:
    """How fast pages were done in this job, in words a second."""

    def __init__(self) -> None:
        self.pages = 0
        self._words = 0
        self._seconds = 0.0

    def add(self, words: int, seconds: float) -> None:
        self.pages += 1
        self._words += words
        self._seconds += seconds

    def seconds_for(self, words: float) -> float | None:
        """How long so many words will take, once enough pages are done to tell."""
        if self.pages < _ESTIMATE_FROM or not self._words:
            return None
        return max(1.0, words * self._seconds / self._words)


def _progress(number: int, library: Library, record: DocumentRecord, request: GistRequest, pace: _Pace) -> Progress:
    now = library.gists.progress(record, request.model, PROMPT_VERSION)
    if request.pages is None:
        share = now.share if now.pages == now.gists else now.share * now.gists / now.pages
        left = record.words * (1 - share)
    else:
        share = min(1.0, now.gists / request.pages)
        # Not the mean of the pages so far: the first ones of a book are title, imprint and preface.
        size = SIZES[cast(PageKind, record.kind)]
        left = (request.pages - now.gists) * (size.longest + size.shortest) / 2
    seconds = None if share >= 1 else pace.seconds_for(left)
    return Progress(number, f"page {now.gists}", now.gists, request.pages, share, seconds)
