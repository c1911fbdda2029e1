"""Questions to the book that is open: what was asked goes to the desk, what comes back goes to the chat pane.

A question goes on while another book is open; coming back shows it as far as it has come, and its answer is kept in the
library in any case. One question at a time for each book.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal

from readdesk.desk import Desk
from readdesk.errors import ReadDeskError
from readdesk.gui.bridge import Bridge
from readdesk.gui.panes.chat import ChatPane
from readdesk.jobs.events import Done, Failed, LookedUp, ModelReady, Started, Stopped, Text
from readdesk.library.model import DocumentRecord
from readdesk.reading.model import LookUp


@dataclass
class _Question:
    """A question that is being answered."""

    number: int
    words: str
    tells: str
    look_ups: tuple[LookUp, ...] = ()
    text: list[str] = field(default_factory=list)


class Asking(QObject):
    """Connects one chat pane with the desk."""

    looked_up = Signal(object)
    """The numbers of the pages that are looked up for the question on the screen; none when it is answered."""

    failed = Signal(object)
    """A ReadDeskError of a question whose book is no longer on the screen."""

    model_ready = Signal(object)
    """The EngineInfo of a model that is loaded now."""

    def __init__(self, desk: Desk, bridge: Bridge, pane: ChatPane, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._bridge = bridge
        self._pane = pane
        self._record: DocumentRecord | None = None
        self._questions: dict[int, _Question] = {}
        pane.asked.connect(self._on_asked)
        pane.stop_requested.connect(self._on_stop_requested)

    def open(self, record: DocumentRecord, pages: int) -> None:
        """Show what was asked of a book, and what is being asked."""
        self._record = record
        self._pane.show_book(record.title, self._desk.history(record), pages)
        question = self._questions.get(record.id)
        if question is None:
            return
        self._pane.begin(question.words)
        self._pane.tell(question.tells)
        if question.look_ups:
            self._pane.looked_up(question.look_ups)
            self.looked_up.emit(_numbers(question.look_ups))
        if question.text:
            self._pane.add_text("".join(question.text))

    def close_document(self) -> None:
        """Show nothing; what is being asked goes on."""
        self._record = None
        self._pane.clear()

    def _on_asked(self, words: str) -> None:
        record = self._record
        if record is None or record.id in self._questions:
            return
        self._pane.begin(words)
        try:
            number = self._desk.ask(record.id, words)
        except ReadDeskError as error:
            self._pane.fail(error)
            return
        self._questions[record.id] = _Question(number, words, self.tr("Waiting for its turn\u2026"))
        self._pane.tell(self._questions[record.id].tells)
        document = record.id
        self._bridge.follow(
            number,
            {
                Started: lambda _: self._on_started(document),
                LookedUp: lambda event: self._on_looked_up(document, event.look_ups),
                Text: lambda event: self._on_text(document, event.text),
                ModelReady: lambda event: self.model_ready.emit(event.info),
                Done: lambda event: self._on_done(document, event),
                Failed: lambda event: self._on_failed(document, event.error),
                Stopped: lambda _: self._on_stopped(document),
            },
        )

    def _on_stop_requested(self) -> None:
        question = self._questions.get(self._record.id) if self._record is not None else None
        if question is not None:
            self._desk.stop(question.number)

    def _is_shown(self, document: int) -> bool:
        return self._record is not None and self._record.id == document

    def _on_started(self, document: int) -> None:
        question = self._questions[document]
        question.tells = self.tr("Looking for the pages that matter\u2026")
        if self._is_shown(document):
            self._pane.tell(question.tells)

    def _on_looked_up(self, document: int, look_ups: tuple[LookUp, ...]) -> None:
        question = self._questions[document]
        question.look_ups, question.tells = look_ups, self.tr("Reading them again\u2026")
        if self._is_shown(document):
            self._pane.looked_up(look_ups)
            self._pane.tell(question.tells)
            self.looked_up.emit(_numbers(look_ups))

    def _on_text(self, document: int, text: str) -> None:
        self._questions[document].text.append(text)
        if self._is_shown(document):
            self._pane.add_text(text)

    def _on_done(self, document: int, event: Done) -> None:
        del self._questions[document]
        if self._is_shown(document):
            self._pane.finish(event.result)
            self.looked_up.emit(())

    def _on_failed(self, document: int, error: ReadDeskError) -> None:
        del self._questions[document]
        if self._is_shown(document):
            self._pane.fail(error)
            self.looked_up.emit(())
        else:
            self.failed.emit(error)

    def _on_stopped(self, document: int) -> None:
        del self._questions[document]
        if self._is_shown(document):
            self._pane.stopped()
            self.looked_up.emit(())


def _numbers(look_ups: Iterable[LookUp]) -> tuple[int, ...]:
    return tuple(item.page for item in look_ups)
