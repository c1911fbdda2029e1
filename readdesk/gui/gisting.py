"""Reading books with a model: which book is being read, how far it is, and the three verbs pause, go on and stop.

There may be several books in line while one is on the screen, so jobs are kept by document here, and whoever shows a
document asks for its state. What must stay true: events reach listeners with the document's id; a job that has ended is
forgotten, because the library knows how far it came.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from readdesk.desk import Desk
from readdesk.errors import ReadDeskError
from readdesk.gui.bridge import Bridge
from readdesk.jobs.events import (
    Done,
    Failed,
    ModelReady,
    Overtaken,
    PageBegun,
    PageKept,
    Paused,
    Progress,
    Resumed,
    Started,
    Stopped,
)
from readdesk.library.model import DocumentRecord, PageRecord
from readdesk.llm.model import EngineInfo


@dataclass
class GistJob:
    """A book that is being read; `working` are the pages in work that are not kept yet, the first one first.

    `info` is what its model runs on, once it is loaded.
    """

    number: int
    record: DocumentRecord
    model: str
    started: bool = False
    paused: bool = False
    working: tuple[PageBegun, ...] = ()
    progress: Progress | None = None
    info: EngineInfo | None = None

    @property
    def model_words(self) -> str:
        """What its model runs on, in words, as soon as that is known."""
        return self.info.words if self.info is not None else ""


class Gisting(QObject):
    """All gisting jobs of the window."""

    changed = Signal(int)
    """A document whose job has begun, paused, gone on or ended, or whose model is loaded."""
    page_begun = Signal(int, object)
    page_kept = Signal(int, object)
    progressed = Signal(int, object)
    model_ready = Signal(object)
    """The EngineInfo of a model that is loaded now."""
    failed = Signal(int, object)
    """A document's id and a ReadDeskError; the job can still be asked where it was."""

    def __init__(self, desk: Desk, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._bridge = bridge
        self._jobs: dict[int, GistJob] = {}

    @property
    def jobs(self) -> tuple[GistJob, ...]:
        """Every book in line, the first one first."""
        return tuple(self._jobs.values())

    def job(self, document: int) -> GistJob | None:
        """The job of a document, while there is one."""
        return self._jobs.get(document)

    def start(self, record: DocumentRecord, model: str = "") -> None:
        """Read a book, or on in it; where no model is named, with the one that has read it so far.

        Raises ReadDeskError.
        """
        if record.id in self._jobs:
            return
        name = model or self._model_for(record)
        number = self._desk.gist(record.id, name)
        self._jobs[record.id] = GistJob(number, record, name)
        document = record.id
        self._bridge.follow(
            number,
            {
                Started: lambda _: self._on_started(document),
                ModelReady: lambda event: self._on_model_ready(document, event.info),
                PageBegun: lambda event: self._on_page_begun(document, event),
                PageKept: lambda event: self._on_page_kept(document, event.page),
                Progress: lambda event: self._on_progress(document, event),
                Overtaken: lambda _: self._on_overtaken(document),
                Paused: lambda _: self._on_paused(document, True),
                Resumed: lambda _: self._on_paused(document, False),
                Done: lambda _: self._on_ended(document),
                Stopped: lambda _: self._on_ended(document),
                Failed: lambda event: self._on_failed(document, event.error),
            },
        )
        self.changed.emit(document)

    def pause_or_resume(self, document: int) -> None:
        """Let a book rest, or go on with one that rests."""
        job = self._jobs.get(document)
        if job is not None and job.paused:
            self._desk.resume(job.number)
        elif job is not None:
            self._desk.pause(job.number)

    def stop(self, document: int) -> None:
        """End the reading of a book; what was read is kept."""
        job = self._jobs.get(document)
        if job is not None:
            self._desk.stop(job.number)

    def _model_for(self, record: DocumentRecord) -> str:
        """The model that has read this book so far, while it is here; else the one for new books."""
        installed = {state.record.name for state in self._desk.models() if state.installed}
        known = next((name for name in self._desk.gist_models(record) if name in installed), "")
        return known or self._desk.default_model().name

    def _on_started(self, document: int) -> None:
        self._jobs[document].started = True
        self.changed.emit(document)

    def _on_model_ready(self, document: int, info: EngineInfo) -> None:
        self._jobs[document].info = info
        self.changed.emit(document)
        self.model_ready.emit(info)

    def _on_page_begun(self, document: int, event: PageBegun) -> None:
        job = self._jobs[document]
        job.working = (*job.working, event) if event.joins else (event,)
        self.page_begun.emit(document, event)

    def _on_page_kept(self, document: int, page: PageRecord) -> None:
        job = self._jobs[document]
        job.working = tuple(begun for begun in job.working if begun.start != page.page.start)
        self.page_kept.emit(document, page)

    def _on_overtaken(self, document: int) -> None:
        self._jobs[document].working = ()
        self.changed.emit(document)

    def _on_progress(self, document: int, event: Progress) -> None:
        self._jobs[document].progress = event
        self.progressed.emit(document, event)

    def _on_paused(self, document: int, paused: bool) -> None:
        self._jobs[document].paused = paused
        self.changed.emit(document)

    def _on_ended(self, document: int) -> None:
        del self._jobs[document]
        self.changed.emit(document)

    def _on_failed(self, document: int, error: ReadDeskError) -> None:
        self.failed.emit(document, error)
        del self._jobs[document]
        self.changed.emit(document)
