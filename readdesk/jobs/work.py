"""Gisting: find what is missing, do the next few pages together, keep them, say so.

The ends of a group of pages are found one after the other, then their gists are written together, which is faster than
one by one. Groups grow from one page, so that the first gist comes early, as far as the engine's memory holds what it
has read of them, and begin anew with one when a question has come between, so that a reader who asks again and again
does not hold a book up. The library is asked before every group, so there is nothing to remember: a job that was
killed, stopped or overtaken goes on with the first page or gap that lacks something, and two programs on one library
never keep a page twice. Also the text is asked for anew when the document's file has brought another one meanwhile.

What must stay true: a page is kept as soon as it and those before it are done; nothing is told as kept that is not; a
page on which the model crashes is tried alone, and passed over when it crashes there twice (trap 46).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import cast

from readdesk.cancel import Cancelled
from readdesk.documents.model import Document
from readdesk.errors import ModelCrashed, ReadDeskError
from readdesk.jobs.events import Gisted, ModelReady, Overtaken, PageBegun, PageKept, Progress, Started
from readdesk.jobs.lane import Steps, Turn
from readdesk.library.model import DocumentRecord, PageRecord
from readdesk.library.store import Library
from readdesk.llm.loader import EngineLoader
from readdesk.reading.agent import ReadingAgent, passage_of
from readdesk.reading.gist import crashed_gist
from readdesk.reading.model import Cost, Gist, Page, Passage, PausesBy
from readdesk.reading.paginate import SIZES, PageKind, kind_of, next_start, page_by_rule
from readdesk.reading.prompts import PROMPT_VERSION

AUTO_PAUSES: PausesBy = "words"
"""Who looks for pauses where a person has chosen nobody.

Of 80 hidden breaks of real books the words found 39 % and *starter* by its labels 13 %, no more than chance; words also
cost no reading. Larger models were not measured (`tests/bench/pauses.py`).
"""

_GROWTH = 4
"""How a group grows: small ones write each token nearly as slowly as one page alone."""

_ESTIMATE_FROM = 3
"""A time left is told from the third page on: before, loading the model and one odd page make it nonsense."""
_TOKENS_A_WORD = 1.6
_REQUEST_TOKENS = 300
"""What a page takes beside its words: the request and the gist."""
_MOST_CRASHES = 2
_MOST_PASSED_OVER = 2
"""So many pages in a row may be passed over; where the next one crashes too, it is the model and not the book."""


@dataclass(frozen=True)
class GistRequest:
    """What is to be gisted: the document, with which model, how many of its first pages (None: all), which kind.

    `pauses` says who looks for the pauses between pages: "model", "words" or "auto".
    """

    document: int
    model: str
    pages: int | None = None
    kind: str = "auto"
    pauses: str = "auto"


def gist(number: int, turn: Turn, library: Library, engines: EngineLoader, request: GistRequest) -> Steps:
    """Read and shorten pages until nothing is missing; comes to Gisted."""
    record = _with_kind(library, library.documents.get(request.document), request.kind)
    yield Started(number, f"Reading \u201c{record.title}\u201d with {request.model}")
    job = _Gisting(number, turn, library, engines, request, record)
    yield from job.steps()
    return job.outcome()


@dataclass(frozen=True)
class _Unit:
    """One page to do: one that stands already and lacks a gist, or a new one from a position, not beyond another."""

    number: int
    start: int
    end: int
    page: Page | None


class _Gisting:
    """A gisting job: the document as it is now, how many pages it does together, where the model has crashed."""

    def __init__(
        self,
        number: int,
        turn: Turn,
        library: Library,
        engines: EngineLoader,
        request: GistRequest,
        record: DocumentRecord,
    ) -> None:
        self._number = number
        self._turn = turn
        self._library = library
        self._engines = engines
        self._request = request
        self._record = record
        self._document: Document = library.documents.load(record)
        self._pauses = cast(PausesBy, AUTO_PAUSES if request.pauses == "auto" else request.pauses)
        self._pace = _Pace()
        self._is_ready_told = False
        self._together = 1
        self._found: dict[_Unit, Passage] = {}
        self._alone_until = 0
        self._crashes: Counter[int] = Counter()
        self._passed_over = 0

    def steps(self) -> Steps:
        """Group after group until nothing is missing."""
        while (first := self._missing()) is not None:
            try:
                yield from self._group(first)
            except Cancelled:
                self._turn.overtaken()
                self._together = 1
                yield Overtaken(self._number)
            now = self._library.documents.get(self._record.id)  # Raises when the document itself has gone.
            if _text_of(now) != _text_of(self._record):
                self._document = self._library.documents.load(now)
                self._found.clear()
            self._record = now

    def outcome(self) -> Gisted:
        """What it has come to."""
        gists, model = self._library.gists, self._request.model
        crashed = [item.page.number for item in gists.pages(self._record, model) if _has_crashed(item)]
        complete = gists.progress(self._record, model, PROMPT_VERSION).complete
        figures = gists.figures(self._record, model)
        return Gisted(self._record, figures, self._pace.pages, complete, tuple(crashed))

    # -- what is to do -------------------------------------------------------------------------------------------

    def _missing(self) -> _Unit | None:
        """The first page without a gist, else the first text without a page, of the pages that are asked for."""
        page = self._library.gists.missing(self._record, self._request.model, PROMPT_VERSION)
        if page is not None and self._is_asked_for(page.number):
            return _Unit(page.number, page.start, page.end, page)
        gap = self._library.gists.gap(self._record)
        if gap is not None and self._is_asked_for(gap.number):
            return _Unit(gap.number, gap.start, gap.end, None)
        return None

    def _after(self, unit: _Unit, passage: Passage) -> _Unit | None:
        """The unit behind one that has come to this passage, where the two can be done together."""
        page = passage.page
        if not self._is_asked_for(page.number + 1):
            return None
        if unit.page is not None:
            known = self._library.gists.missing(self._record, self._request.model, PROMPT_VERSION, page.number)
            if known is None or not self._is_asked_for(known.number):
                return None
            return _Unit(known.number, known.start, known.end, known)
        start = next_start(self._document, page.end, unit.end)
        return None if start is None else _Unit(page.number + 1, start, unit.end, None)

    def _is_asked_for(self, number: int) -> bool:
        return self._request.pages is None or number <= self._request.pages

    # -- one group -----------------------------------------------------------------------------------------------

    def _group(self, first: _Unit) -> Steps:
        """Find the ends of the next few pages, then shorten them together."""
        most = 1 if first.start < self._alone_until else self._together
        watch = _Watch()
        begun: list[tuple[_Unit, Passage]] = []
        unit: _Unit | None = first
        try:
            while unit is not None:
                last = unit
                yield PageBegun(self._number, unit.number, unit.start, joins=bool(begun))
                with watch:
                    begun.append((unit, self._passage(unit)))
                more = len(begun) < most and self._has_room(begun)
                unit = self._after(*begun[-1]) if more else None
            # In one step: the engine answers one request at a time, so no question could be answered in between.
            self._shorten(begun, watch)
        except ModelCrashed as error:
            self._after_crash(first, last, error)

    def _has_room(self, begun: Sequence[tuple[_Unit, Passage]]) -> bool:
        """Whether one page more, no longer than these, leaves in memory what was read of these for their ends."""
        if self._pauses != "model" or begun[-1][0].page is not None:
            return True
        limit = self._agent().tokens_together(self._turn.cancel)
        longest = max(passage.page.words for _, passage in begun)
        # All places are as long as the longest text needs.
        return not limit or (len(begun) + 1) * (_TOKENS_A_WORD * longest + _REQUEST_TOKENS) <= limit

    def _agent(self) -> ReadingAgent:
        """Made for every step: another model may have been loaded in between, for a question."""
        engine = self._engines.engine(self._request.model, self._turn.cancel)
        if not self._is_ready_told:
            self._turn.tell(ModelReady(self._number, engine.info(self._turn.cancel)))
            self._is_ready_told = True
        return ReadingAgent(engine, self._request.model, self._pauses)

    def _passage(self, unit: _Unit) -> Passage:
        """The page of a unit; what was found before a question came between is not looked for again."""
        if unit.page is not None:
            return passage_of(self._document, unit.page)
        if unit not in self._found:
            size = SIZES[cast(PageKind, self._record.kind)]
            agent = self._agent()
            found = agent.paginate(self._document, unit.number, unit.start, size, self._turn.cancel, unit.end)
            self._found[unit] = found
        return self._found[unit]

    def _shorten(self, begun: Sequence[tuple[_Unit, Passage]], watch: _Watch) -> None:
        agent = self._agent()
        most = agent.together(self._turn.cancel)
        words_left = sum(passage.page.words for _, passage in begun)
        done = agent.shorten_pages(self._document, [passage for _, passage in begun], self._turn.cancel)
        with watch, closing(done):  # Left half-way, the engine would be held by it.
            for (unit, _), (page, text, cost) in zip(begun, done, strict=True):
                seconds = watch.take(page.words / max(1, words_left))
                words_left -= page.words
                self._keep(unit, page, text, cost, seconds)
                self._found.pop(unit, None)
                self._passed_over = 0
                if self._is_outdated():
                    return
        self._together = min(_GROWTH * self._together, most)

    def _is_outdated(self) -> bool:
        """Whether the text has changed, so that nothing more of this group can be kept."""
        return _text_of(self._library.documents.get(self._record.id)) != _text_of(self._record)

    def _keep(self, unit: _Unit, page: Page, text: Gist, cost: Cost, seconds: float) -> None:
        """Keep a page, and tell of what stands there now: another program may have been faster."""
        gists = self._library.gists
        keep = gists.add_page if unit.page is None else gists.add_gist
        if keep(self._record, page, text, cost, seconds):
            self._pace.add(page.words, seconds)
            is_recognised = self._library.leaves.has_recognised(self._record, page.start, page.end)
            title = self._document.sections[page.section].title
            self._turn.tell(PageKept(self._number, PageRecord(page, title, text, is_recognised)))
        else:
            for item in gists.pages(self._record, self._request.model):
                if (item.page.number, item.page.start) == (page.number, page.start) and item.gist is not None:
                    self._turn.tell(PageKept(self._number, item))
        self._turn.tell(_progress(self._number, self._library, self._record, self._request, self._pace))

    # -- crashes -------------------------------------------------------------------------------------------------

    def _after_crash(self, first: _Unit, last: _Unit, error: ModelCrashed) -> None:
        """The pages of a group are tried one by one; one that crashes alone twice is passed over."""
        self._together = 1
        if first is not last:
            self._alone_until = last.start + 1
        else:
            self._crashes[first.start] += 1
        if self._crashes[first.start] >= _MOST_CRASHES:
            self._pass_over(first, error)
        self._agent().wake(self._turn.cancel)  # Where it crashes with nothing to read, no page is to blame.

    def _pass_over(self, unit: _Unit, error: ModelCrashed) -> None:
        if self._passed_over >= _MOST_PASSED_OVER:
            raise error
        self._passed_over += 1
        if unit.page is not None:
            page = unit.page
        elif unit in self._found:
            page = self._found[unit].page
        else:
            size = SIZES[cast(PageKind, self._record.kind)]
            page = page_by_rule(self._document, unit.number, unit.start, size, unit.end)
        text = crashed_gist(page.number, self._document.text(page.start, page.end), self._request.model)
        self._keep(unit, page, text, Cost(), 0.0)


def _text_of(record: DocumentRecord) -> tuple[str, int]:
    """What changes with a document's text."""
    return record.text_hash, record.characters


def _has_crashed(item: PageRecord) -> bool:
    return item.gist is not None and item.gist.flag == "crashed"


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


class _Watch:
    """The time that a group of pages takes, shared out among them; it runs only inside its `with` blocks."""

    def __init__(self) -> None:
        self._spent = self._since = 0.0

    def __enter__(self) -> None:
        self._since = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._spent += time.monotonic() - self._since

    def take(self, share: float) -> float:
        """The seconds of a page that is this share of the pages left; they are taken off what was spent."""
        now = time.monotonic()
        self._spent, self._since = self._spent + now - self._since, now
        seconds = self._spent * share
        self._spent -= seconds
        return seconds


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
