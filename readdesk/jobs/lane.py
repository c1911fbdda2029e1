"""A lane: one thread that advances generators, the most urgent first.

A job is a generator of events. Between two of its steps the lane may advance a more urgent one; a step in work is asked
to stop for it through the turn's token, gives its unit up, and tries it again in its next step. So a question never
waits for a long page, and no job needs a lock. A job that is paused keeps its place in line and gives its unit up in
the same way. The lane ends its thread when it is closed: no daemon threads.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from readdesk.cancel import Cancelled, CancelToken
from readdesk.errors import ReadDeskError
from readdesk.jobs.events import Done, Event, Failed, Paused, Resumed, Stopped

_logger = logging.getLogger(__name__)

Steps = Generator[Event, None, Any]
Post = Callable[[Event], None]


class Turn:
    """A job's view of its lane: the token of the step in work, and whether the job is to end.

    `tell` posts an event in the middle of a step, where one step finishes several things.
    """

    def __init__(self, tell: Post = lambda _: None) -> None:
        self.tell = tell
        self.stopped = False
        self.cancel = CancelToken()

    def overtaken(self) -> None:
        """To be called when Cancelled arrives: raises it again when the job is to end, else the unit is tried again."""
        if self.stopped:
            raise Cancelled


@dataclass(order=True)
class _Job:
    urgency: int
    order: int
    number: int = field(compare=False)
    steps: Steps = field(compare=False)
    turn: Turn = field(compare=False)
    paused: bool = field(default=False, compare=False)

    @property
    def may_run(self) -> bool:
        """Whether its next step may be done; one that is to end is never held back."""
        return self.turn.stopped or not self.paused


class Lane:
    """Runs jobs one step at a time; a lower `urgency` number goes first."""

    def __init__(self, name: str, post: Post) -> None:
        self._post = post
        self._order = itertools.count()
        self._jobs: list[_Job] = []
        self._current: _Job | None = None
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=name)
        self._thread.start()

    def submit(self, number: int, steps: Callable[[Turn], Steps], urgency: int) -> None:
        """Queue a job; one that is more urgent than the step in work makes that step give way."""
        turn = Turn(self._post)
        job = _Job(urgency, next(self._order), number, steps(turn), turn)
        with self._changed:
            if self._closing:
                self._post(Stopped(number))
                return
            self._jobs.append(job)
            if self._current is not None and job < self._current:
                self._current.turn.cancel.cancel()
            self._changed.notify()

    def stop(self, number: int) -> None:
        """End a job: at once where it waits, else at its step's next save point; one that is not here is ignored."""
        with self._changed:
            found = [job for job in self._jobs if job.number == number]
            for job in found:
                job.turn.stopped = True
                job.turn.cancel.cancel()
            # What waits for its turn may wait for a long page of another job, so it is ended by the caller's thread.
            waiting = [job for job in found if job is not self._current]
            self._jobs = [job for job in self._jobs if job not in waiting]
        for job in waiting:
            self._advance(job)

    def pause(self, number: int) -> None:
        """Let a job rest, its step in work too; Paused is told when it does. One that is not here is ignored."""
        with self._changed:
            found = [job for job in self._jobs if job.number == number and not job.paused]
            for job in found:
                job.paused = True
                if job is self._current:
                    job.turn.cancel.cancel()
                else:
                    self._post(Paused(job.number))

    def resume(self, number: int) -> None:
        """Let a paused job go on; one that is not here or does not rest is ignored."""
        with self._changed:
            found = [job for job in self._jobs if job.number == number and job.paused]
            for job in found:
                job.paused = False
                self._post(Resumed(job.number))  # Under the lock, so that no late Paused comes after it.
            self._changed.notify()

    def stop_all(self) -> None:
        """Stop everything; the thread ends by itself, which `close` waits for."""
        with self._changed:
            self._closing = True
            for job in self._jobs:
                job.turn.stopped = True
                job.turn.cancel.cancel()
            self._changed.notify()

    def close(self) -> None:
        """Stop everything and end the thread."""
        self.stop_all()
        self._thread.join()

    # -- the lane's thread ---------------------------------------------------------------------------------------

    def _run(self) -> None:
        while (job := self._next()) is not None:
            ended = self._advance(job)
            with self._changed:
                self._current = None
                if ended:
                    self._jobs.remove(job)
                elif job.paused:
                    self._post(Paused(job.number))

    def _next(self) -> _Job | None:
        with self._changed:
            while not any(job.may_run for job in self._jobs):
                if self._closing:
                    return None
                self._changed.wait()
            job = min(job for job in self._jobs if job.may_run)
            if job.turn.cancel.cancelled and not job.turn.stopped:
                job.turn.cancel = CancelToken()  # It was overtaken; what it does now must be stoppable anew.
            self._current = job
            return job

    def _advance(self, job: _Job) -> bool:
        """Do one step; whether the job has ended. The last event is posted here and nowhere else."""
        try:
            if job.turn.stopped:
                job.steps.close()
                raise Cancelled
            self._post(next(job.steps))
            return False
        except StopIteration as end:
            self._post(Done(job.number, end.value))
        except Cancelled:
            self._post(Stopped(job.number))
        except ReadDeskError as error:
            self._post(Failed(job.number, error))
        except Exception:
            _logger.exception("job %s", job.number)
            self._post(Failed(job.number, ReadDeskError("Something went wrong inside ReadDesk.", _REPORT)))
        return True


_REPORT = "Nothing that was saved is lost; the log file says more."
