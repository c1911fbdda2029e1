"""The only way in for events: from the lanes' threads to the widget that waits for a job's number.

Lanes post from their own threads; here the events wait until the window's thread takes them. Who has started a job
follows it by its number and is told of its events in order; nobody is told of a job that is not followed (any more), so
late events of an old job fall away. Pieces of text are put together and handed on at most every 40 milliseconds:
painting each token would cost more than writing it. Taking events never holds the window for longer than a few
milliseconds: what is left waits for the next round.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from readdesk.jobs.events import END, Event, Text

TEXT_MILLISECONDS = 40
_ROUND_SECONDS = 0.012

Handlers = Mapping[type[Any], Callable[[Any], None]]
"""What to call for which kind of event; kinds that are not named are passed over."""


class Bridge(QObject):
    """Hands events to followers in the window's thread."""

    _arrived = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[Event] = deque()
        self._is_called = False
        self._followers: dict[int, Handlers] = {}
        self._texts: dict[int, list[str]] = {}
        self._text_timer = QTimer(self, interval=TEXT_MILLISECONDS, singleShot=True)
        self._text_timer.timeout.connect(self._on_text_due)
        # Queued also within the window's own thread: a job must be followed before its first event is told.
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)

    def post(self, event: Event) -> None:
        """Take an event, from any thread."""
        self._waiting.append(event)
        self._call()

    def follow(self, job: int, handlers: Handlers) -> None:
        """Be told of a job's events until its last one; to be called before going back to the event loop."""
        self._followers[job] = handlers

    def forget(self, job: int | None) -> None:
        """Be told no more of a job, which goes on; one that nobody follows is ignored."""
        if job is not None:
            self._followers.pop(job, None)
            self._texts.pop(job, None)

    def _call(self) -> None:
        # One call at a time: Qt handles all calls that wait in one go, so a call an event would be one long round.
        if not self._is_called:
            self._is_called = True
            self._arrived.emit()

    def close(self) -> None:
        """Tell nobody of anything any more: what jobs say while they are stopped is for a window that is gone."""
        self._text_timer.stop()
        self._followers.clear()
        self._texts.clear()
        self._waiting.clear()

    def _on_arrived(self) -> None:
        self._is_called = False
        until = time.perf_counter() + _ROUND_SECONDS
        try:
            while self._waiting and time.perf_counter() < until:
                self._take(self._waiting.popleft())
        finally:
            if self._waiting:
                self._call()

    def _take(self, event: Event) -> None:
        if event.job not in self._followers:
            return
        if isinstance(event, Text):
            self._texts.setdefault(event.job, []).append(event.text)
            if not self._text_timer.isActive():
                self._text_timer.start()
            return
        self._tell_text(event.job)
        self._tell(event)
        if isinstance(event, END):
            self._followers.pop(event.job, None)

    def _on_text_due(self) -> None:
        for job in list(self._texts):
            self._tell_text(job)

    def _tell_text(self, job: int) -> None:
        pieces = self._texts.pop(job, None)
        if pieces:
            self._tell(Text(job, "".join(pieces)))

    def _tell(self, event: Event) -> None:
        handler = self._followers.get(event.job, {}).get(type(event))
        if handler is not None:
            handler(event)
