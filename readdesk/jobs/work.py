"""Gisting: find what is missing, do one unit, keep it, say so.

The library is asked before every unit, so there is nothing to remember: a job that was killed, stopped or overtaken
goes on with the first page or gap that lacks something, and two programs on one library never keep a page twice. Also
the text is asked for anew when the document's file has brought another one meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
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
            done = None
        else:
            yield from _told(number, library, record, document, request, unit, done)
            if done is not None:
                pace.add(done.page.words, done.seconds)
            yield _progress(number, library, record, request, pace)
        now = library.documents.get(record.id)  # Raises when the document itself has gone.
        if (now.text_hash, now.characters) != (record.text_hash, record.characters):
            document = library.documents.load(now)
        record = now
    figures = library.gists.figures(record, request.model)
    progress = library.gists.progress(record, request.model, PROMPT_VERSION)
    return Gisted(record, figures, pace.pages, progress.complete)


def _told(
    number: int,
    library: Library,
    record: DocumentRecord,
    document: Document,
    request: GistRequest,
    unit: _Unit,
    done: _Kept | None,
) -> Iterator[PageKept]:
    """The page that stands now where the unit was: another program may have been faster, then it is that one's."""
    if done is not None:
        is_recognised = library.leaves.has_recognised(record, done.page.start, done.page.end)
        title = document.sections[done.page.section].title
        yield PageKept(number, PageRecord(done.page, title, done.gist, is_recognised))
        return
    for item in library.gists.pages(record, request.model):
        if (item.page.number, item.page.start) == (unit.number, unit.start) and item.gist is not None:
            yield PageKept(number, item)


@dataclass(frozen=True)
class _Unit:
    """One page to do: one that stands already and lacks a gist, or a new one from a position, not beyond another."""

    number: int
    start: int
    end: int
    page: Page | None


@dataclass(frozen=True)
class _Kept:
    """A unit that was done and kept, and the seconds it took."""

    page: Page
    gist: Gist
    seconds: float


def _missing(library: Library, record: DocumentRecord, request: GistRequest) -> _Unit | None:
    """The first page without a gist, else the first text without a page, of the pages that are asked for."""
    page = library.gists.missing(record, request.model, PROMPT_VERSION)
    if page is not None and (request.pages is None or page.number <= request.pages):
        return _Unit(page.number, page.start, page.end, page)
    gap = library.gists.gap(record)
    if gap is not None and (request.pages is None or gap.number <= request.pages):
        return _Unit(gap.number, gap.start, gap.end, None)
    return None


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
        read = agent.read_page(document, unit.number, unit.start, size, cancel, unit.end)
        seconds = time.monotonic() - started
        is_kept = library.gists.add_page(record, read.page, read.gist, read.cost, seconds)
        return _Kept(read.page, read.gist, seconds) if is_kept else None
    text, cost = agent.shorten_page(document, unit.page, cancel)
    seconds = time.monotonic() - started
    is_kept = library.gists.add_gist(record, unit.page, text, cost, seconds)
    return _Kept(unit.page, text, seconds) if is_kept else None


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
    done = now.gists
    if request.pages is None:
        share = now.share if now.pages == now.gists else now.share * now.gists / now.pages
        left = library.gists.words_left(record, request.model, PROMPT_VERSION)
    else:
        done = library.gists.first_done(record, request.model, PROMPT_VERSION, request.pages)
        share = min(1.0, done / request.pages)
        # Not the mean of the pages so far: the first ones of a book are title, imprint and preface.
        size = SIZES[cast(PageKind, record.kind)]
        left = (request.pages - done) * (size.longest + size.shortest) / 2
    seconds = None if share >= 1 else pace.seconds_for(left)
    return Progress(number, f"page {done}", done, request.pages, share, seconds)
