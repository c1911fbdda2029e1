"""A question while a book is gisted: how long until its first word, and whether it is the same answer.

The same question about the same memory is first asked with nothing else at work. Then the document goes on being
gisted, and at a random moment of that the question comes; it must begin within the idle time and two seconds, and say
the same. Every round has the same few gists, because those that are written meanwhile would change the answer: the
gisting that is overtaken is that of a second document.
"""

from __future__ import annotations

import queue
import random
import tempfile
import time
from pathlib import Path

from readdesk.desk import Desk
from readdesk.jobs.events import END, Done, Event, Text
from readdesk.paths import Paths
from readdesk.reading.model import Answer
from readdesk.settings import Settings
from tests.bench.report import Report

_QUESTION = "What is told of the house?"
_PAGES = 4
_IDLE_ROUNDS = 3


def overtake(report: Report, model: Path, book: Path, moments: int, chance: random.Random) -> None:
    """Ask at random moments of gisting, and hold that against asking alone."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        paths = Paths(home, home / "config", home / "cache", home / "models", home / "library.db")
        paths.models.mkdir()
        (paths.models / model.name).symlink_to(model.resolve())
        desk = _Watched(paths, model.stem)
        try:
            _measure(report, desk, home, book, moments, chance)
        finally:
            desk.close()


def _measure(report: Report, desk: _Watched, home: Path, book: Path, moments: int, chance: random.Random) -> None:
    text = book.read_text(encoding="utf-8", errors="replace")
    asked = desk.add(home / "asked.txt", text[3000:14_000])
    other = desk.add(home / "other.txt", text[14_000:])
    desk.finish(desk.desk.gist(asked, desk.model, _PAGES))
    desk.ask(asked)  # The first one computes the memory and keeps it.
    idle = [desk.ask(asked) for _ in range(_IDLE_ROUNDS)]
    idle_seconds, idle_answer = min(seconds for seconds, _ in idle), idle[0][1]
    waits, differing, job = list[float](), 0, desk.desk.gist(other, desk.model)
    for _ in range(moments):
        time.sleep(chance.uniform(0.5, 8.0))  # The random moment itself.
        if desk.has_ended(job):
            other = desk.add(home / f"other{len(waits)}.txt", text[14_000 + 7 * len(waits) :])
            job = desk.desk.gist(other, desk.model)
            time.sleep(chance.uniform(0.5, 4.0))
        seconds, answer = desk.ask(asked)
        waits.append(seconds)
        differing += answer != idle_answer
    desk.desk.stop(job)
    waits.sort()
    report.figure("overtake_idle_s", idle_seconds)
    report.figure("overtake_median_s", waits[len(waits) // 2])
    report.figure("overtake_95_s", waits[min(len(waits) - 1, int(0.95 * len(waits)))])
    beyond = waits[min(len(waits) - 1, int(0.95 * len(waits)))] - idle_seconds
    report.figure("overtake_95_beyond_idle_s", beyond, ("<=", 2.0))
    report.figure("overtake_answers_differ", differing, ("<=", 0))


class _Watched:
    """A Desk whose events are looked at by the job that they belong to."""

    def __init__(self, paths: Paths, model: str) -> None:
        self.model = model
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._ended: dict[int, Event] = {}
        self.desk = Desk(paths, Settings(), self._events.put, offline=True)

    def add(self, path: Path, text: str) -> int:
        """Add a text as a file; the document's id."""
        path.write_text(text, encoding="utf-8")
        number: int = self.finish(self.desk.add(path)).result.id
        return number

    def ask(self, document: int) -> tuple[float, str]:
        """Seconds to the first word of the answer, and the answer."""
        began = time.perf_counter()
        job = self.desk.ask(document, _QUESTION, self.model)
        first = 0.0
        while True:
            event = self._next()
            if event.job == job and isinstance(event, Text) and not first:
                first = time.perf_counter() - began
            if event.job == job and isinstance(event, END):
                assert isinstance(event, Done) and isinstance(event.result, Answer), event
                return first, event.result.text

    def finish(self, job: int) -> Done:
        """Wait for the end of a job."""
        while job not in self._ended:
            self._next()
        ended = self._ended[job]
        assert isinstance(ended, Done), ended
        return ended

    def has_ended(self, job: int) -> bool:
        """Whether a job has come to its end by now."""
        while not self._events.empty():
            self._next()
        return job in self._ended

    def _next(self) -> Event:
        event = self._events.get()
        if isinstance(event, END):
            self._ended[event.job] = event
        return event

    def close(self) -> None:
        """Stop everything."""
        self.desk.close()
