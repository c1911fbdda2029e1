"""Keeps what jobs tell, and checks what must hold for every job's events."""

from __future__ import annotations

import threading
from collections.abc import Callable

from readdesk.jobs.events import END, Event, Started

LONG = 120.0
"""Seconds after which a test gives up waiting; nothing takes that long."""


class Recorder:
    """Takes events from any thread; its `post` is what lanes and desks are given."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.listening: Callable[[Event], None] = lambda _: None
        """Called with every event, in the thread that tells it."""
        self._changed = threading.Condition()

    def post(self, event: Event) -> None:
        """Take an event."""
        self.listening(event)
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def wait_for(self, is_it: Callable[[Event], bool]) -> Event:
        """Wait for the first event of a kind, also one that came before."""
        with self._changed:
            arrived = self._changed.wait_for(lambda: any(map(is_it, self.events)), LONG)
            assert arrived, f"it did not come; these did: {self.events}"
            return next(event for event in self.events if is_it(event))

    def end(self, job: int) -> Event:
        """Wait for a job's last event."""
        return self.wait_for(lambda event: event.job == job and isinstance(event, END))

    def started(self, job: int) -> Event:
        """Wait for a job's first event."""
        return self.wait_for(lambda event: event.job == job and isinstance(event, Started))

    def of(self, job: int) -> list[Event]:
        """What a job has told so far."""
        with self._changed:
            return [event for event in self.events if event.job == job]

    def check(self, *jobs: int) -> None:
        """The last event of each job, and no other, is an end."""
        for job in jobs:
            kinds = [isinstance(event, END) for event in self.of(job)]
            assert kinds and kinds[-1] and sum(kinds) == 1, self.of(job)
