"""A strip for every book that is being read while another place is on the screen."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from readdesk.gui.gisting import Gisting
from readdesk.gui.widgets.strips import Strips, WorkStrip
from readdesk.jobs.events import Progress


class ReadingStrips(QObject):
    """Keeps the strips of gisting jobs; the book that is shown has its own head in the sidebar."""

    def __init__(self, gisting: Gisting, strips: Strips, parent: QObject) -> None:
        super().__init__(parent)
        self._gisting = gisting
        self._strips = strips
        self._by_document: dict[int, WorkStrip] = {}
        self._shown: int | None = None
        gisting.changed.connect(self._on_changed)
        gisting.progressed.connect(self._on_progressed)

    @property
    def documents(self) -> tuple[int, ...]:
        """The documents that have a strip."""
        return tuple(self._by_document)

    def show_document(self, document: int | None) -> None:
        """This document is on the screen, or none."""
        self._shown = document
        self._update()

    def _on_changed(self, _: int) -> None:
        self._update()

    def _on_progressed(self, document: int, event: Progress) -> None:
        if document in self._by_document:
            self._by_document[document].show_progress(event)

    def _update(self) -> None:
        wanted = {job.record.id: job for job in self._gisting.jobs if job.record.id != self._shown}
        for document in [document for document in self._by_document if document not in wanted]:
            self._strips.remove(self._by_document.pop(document))
        for document, job in wanted.items():
            if document not in self._by_document:
                self._by_document[document] = self._strips.add("", partial(self._gisting.stop, document))
                if job.progress is not None:
                    self._by_document[document].show_progress(job.progress)
            words = (
                self.tr("Paused: \u201c{title}\u201d") if job.paused else self.tr("Reading \u201c{title}\u201d\u2026")
            )
            self._by_document[document].show_words(words.format(title=job.record.title))
            self._by_document[document].show_details(job.model_words)
