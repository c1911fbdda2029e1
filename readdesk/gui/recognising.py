"""Recognising the text of scans: one job a document, each with a strip that tells how far it is and stops it.

A job goes on while another book is open; what it has recognised is kept, so that it can be begun again at any time.
"""

from __future__ import annotations

from contextlib import suppress

from PySide6.QtCore import QObject, Signal

from readdesk.desk import Desk
from readdesk.errors import ReadDeskError
from readdesk.gui.bridge import Bridge
from readdesk.gui.dialogs.recognition import RecognitionChoice
from readdesk.gui.widgets.strips import Strips, WorkStrip
from readdesk.jobs.events import Done, Failed, Progress, Stopped
from readdesk.library.model import DocumentRecord


class Recognising(QObject):
    """All recognition jobs of the window."""

    changed = Signal(int)
    """A document whose job has begun or ended."""
    recognised = Signal(object)
    """The DocumentRecord of a document that has other text now."""
    failed = Signal(object)
    """A ReadDeskError."""

    def __init__(self, desk: Desk, bridge: Bridge, strips: Strips, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._bridge = bridge
        self._strips = strips
        self._jobs: dict[int, int] = {}

    def is_at_work(self, document: int) -> bool:
        """Whether a document's text is being recognised."""
        return document in self._jobs

    def start(self, record: DocumentRecord, choice: RecognitionChoice) -> None:
        """Recognise text of a document; one whose text is being recognised is left alone."""
        if record.id in self._jobs:
            return
        try:
            job = self._desk.recognise(record.id, choice.languages, choice.leaves, choice.redo)
        except ReadDeskError as error:
            self.failed.emit(error)
            return
        self._jobs[record.id] = job
        words = self.tr("Recognising the text of \u201c{title}\u201d\u2026").format(title=record.title)
        strip = self._strips.add(words, lambda: self._desk.stop(job))

        is_whole = False  # After the last leaf the job tells how far it is with reading the file again.

        def on_ended(event: Done | Failed | Stopped) -> None:
            self._on_ended(record, strip, event)

        def on_progress(event: Progress) -> None:
            nonlocal is_whole
            strip.show_progress(_with_share(event))
            if is_whole:
                strip.show_words(self.tr("Putting the recognised text in its place\u2026"))
            else:
                strip.show_words(self._words(record, event))
            is_whole = is_whole or event.done == event.total

        ends = {Done: on_ended, Failed: on_ended, Stopped: on_ended}
        self._bridge.follow(job, {Progress: on_progress, **ends})
        self.changed.emit(record.id)

    def _words(self, record: DocumentRecord, event: Progress) -> str:
        words = self.tr("Recognising the text of \u201c{title}\u201d: {done} of {total} leaves")
        if event.total is None:
            words = self.tr("Recognising the text of \u201c{title}\u201d\u2026")
        return words.format(title=record.title, done=event.done, total=event.total)

    def _on_ended(self, record: DocumentRecord, strip: WorkStrip, event: Done | Failed | Stopped) -> None:
        self._jobs.pop(record.id, None)
        self._strips.remove(strip)
        if isinstance(event, Failed):
            self.failed.emit(event.error)
        self.changed.emit(record.id)
        if isinstance(event, Failed | Stopped):  # What was recognised before that is kept.
            self._tell_again(record.id)
        else:
            self.recognised.emit(event.result)

    def _tell_again(self, document: int) -> None:
        with suppress(ReadDeskError):  # It may have been removed meanwhile.
            self.recognised.emit(self._desk.find(str(document)))


def _with_share(event: Progress) -> Progress:
    """The same with the share that follows from its numbers, where it names none."""
    if event.share is not None or not event.total:
        return event
    return Progress(event.job, event.what, event.done, event.total, event.done / event.total, event.seconds_left)
