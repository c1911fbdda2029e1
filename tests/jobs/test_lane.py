"""A lane: order, overtaking, stopping, errors, closing. Steps wait for each other, never for the clock."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Iterator

import pytest

from readdesk.cancel import Cancelled
from readdesk.errors import DocumentError, ReadDeskError
from readdesk.jobs.events import Done, Event, Failed, Overtaken, Progress, Started, Stopped
from readdesk.jobs.lane import Lane, Steps, Turn
from tests.jobs.recorder import LONG, Recorder


def counting(number: int, steps: int = 3) -> Callable[[Turn], Steps]:
    """A job of so many quick steps."""

    def run(turn: Turn) -> Steps:
        yield Started(number, "Counting")
        for done in range(1, steps + 1):
            yield Progress(number, "Counting", done)
        return f"counted to {steps}"

    return run


class Unit:
    """A job whose one unit of work takes until it is let go or cancelled; it is tried again after an overtaking."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.working = threading.Event()
        self.go_on = threading.Event()
        self.tries = 0
        self.closed = threading.Event()

    def __call__(self, turn: Turn) -> Steps:
        yield Started(self.number, "Working")
        try:
            while True:
                try:
                    self._work(turn)
                except Cancelled:
                    turn.overtaken()
                    yield Overtaken(self.number)
                    continue
                yield Progress(self.number, "Working", 1)
                return self.tries
        finally:
            self.closed.set()

    def _work(self, turn: Turn) -> None:
        self.tries += 1
        self.working.set()
        while not self.go_on.is_set():
            if turn.cancel.wait(0.01):
                raise Cancelled


def test_first_come_first_served(lane: Lane, told: Recorder) -> None:
    first = Unit(1)
    lane.submit(1, first, 10)
    for number in (2, 3):
        lane.submit(number, counting(number), 10)
    first.go_on.set()
    assert told.end(3) == Done(3, "counted to 3")
    assert [event.job for event in told.events] == [1] * 3 + [2] * 5 + [3] * 5
    assert told.of(2) == [
        Started(2, "Counting"),
        *(Progress(2, "Counting", done) for done in (1, 2, 3)),
        Done(2, "counted to 3"),
    ]
    told.check(1, 2, 3)


def test_urgent_ones_go_first_among_those_that_wait(lane: Lane, told: Recorder) -> None:
    first = Unit(1)
    lane.submit(1, first, 0)
    for number, urgency in ((2, 10), (3, 5), (4, 10), (5, 5)):
        lane.submit(number, counting(number), urgency)
    first.go_on.set()
    told.end(4)
    ends = [event.job for event in told.events if isinstance(event, Done)]
    assert ends == [1, 3, 5, 2, 4]
    assert first.tries == 1, "something of lower urgency overtook it"


def test_a_question_overtakes_the_step_in_work(lane: Lane, told: Recorder) -> None:
    """The overtaken job gives its unit up, steps back, tries it again with a fresh token, and finishes."""
    page = Unit(1)
    lane.submit(1, page, 10)
    assert page.working.wait(LONG)
    lane.submit(2, counting(2), 0)
    assert told.end(2) == Done(2, "counted to 3")
    assert not page.go_on.is_set() and not page.closed.is_set()
    page.go_on.set()
    assert told.end(1) == Done(1, 2)
    assert [event.job for event in told.events] == [1, 1, 2, 2, 2, 2, 2, 1, 1]
    assert told.of(1) == [Started(1, "Working"), Overtaken(1), Progress(1, "Working", 1), Done(1, 2)]


def test_overtaken_again_and_again(lane: Lane, told: Recorder) -> None:
    """Every question finds a token that can be cancelled."""
    page = Unit(1)
    lane.submit(1, page, 10)
    for number in range(2, 12):
        page.working.clear()
        lane.submit(number, counting(number, 1), 0)
        told.end(number)
        assert page.working.wait(LONG)
    page.go_on.set()
    assert told.end(1) == Done(1, page.tries) and 10 <= page.tries <= 11
    told.check(*range(1, 12))


def test_a_step_that_does_not_look_is_overtaken_after_it(lane: Lane, told: Recorder) -> None:
    """What it did is not lost, and its next step does not find itself cancelled."""
    at_work, go_on = threading.Event(), threading.Event()
    seen: list[bool] = []

    def blind(turn: Turn) -> Steps:
        at_work.set()
        go_on.wait(LONG)
        seen.append(turn.cancel.cancelled)
        yield Progress(1, "Blind", 1)
        seen.append(turn.cancel.cancelled)
        yield Progress(1, "Blind", 2)

    lane.submit(1, blind, 10)
    assert at_work.wait(LONG)
    lane.submit(2, counting(2), 0)
    go_on.set()
    told.end(1)
    assert [event.job for event in told.events] == [1, 2, 2, 2, 2, 2, 1, 1]
    assert seen == [True, False]


def test_one_of_the_same_urgency_does_not_overtake(lane: Lane, told: Recorder) -> None:
    """A second question waits for the first."""
    first = Unit(1)
    lane.submit(1, first, 0)
    assert first.working.wait(LONG)
    lane.submit(2, counting(2), 0)
    first.go_on.set()
    told.end(2)
    assert first.tries == 1
    assert [event.job for event in told.events] == [1, 1, 1, 2, 2, 2, 2, 2]


# -- stopping ----------------------------------------------------------------------------------------------------


def test_stop_before_the_start(lane: Lane, told: Recorder) -> None:
    """At once, although another job is in the middle of a long step; nothing of it ever runs."""
    page, waiting = Unit(1), Unit(2)
    lane.submit(1, page, 10)
    assert page.working.wait(LONG)
    lane.submit(2, waiting, 10)
    lane.stop(2)
    assert told.end(2) == Stopped(2)
    assert page.tries == 1 and not page.go_on.is_set()
    page.go_on.set()
    assert told.end(1) == Done(1, 1)
    assert told.of(2) == [Stopped(2)] and waiting.tries == 0


def test_stop_during_a_step(lane: Lane, told: Recorder) -> None:
    page = Unit(1)
    lane.submit(1, page, 10)
    lane.submit(2, counting(2), 10)
    assert page.working.wait(LONG)
    lane.stop(1)
    assert told.end(1) == Stopped(1)
    assert told.of(1) == [Started(1, "Working"), Stopped(1)]
    assert page.tries == 1 and page.closed.is_set()
    assert told.end(2) == Done(2, "counted to 3")


def test_stop_between_steps(lane: Lane, told: Recorder) -> None:
    """An overtaken job is stopped while it waits for the question that overtook it; its generator is closed first."""
    page, question = Unit(1), Unit(2)
    closed_at_end: list[bool] = []

    def listen(event: Event) -> None:
        if event == Stopped(1):
            closed_at_end.append(page.closed.is_set())

    told.listening = listen
    lane.submit(1, page, 10)
    assert page.working.wait(LONG)
    lane.submit(2, question, 0)
    assert question.working.wait(LONG)
    lane.stop(1)
    assert told.end(1) == Stopped(1)
    assert closed_at_end == [True] and page.tries == 1
    assert not question.closed.is_set() and question.tries == 1
    question.go_on.set()
    assert told.end(2) == Done(2, 1)
    told.check(1, 2)


def test_stop_at_a_save_point(lane: Lane, told: Recorder) -> None:
    """A job that never looks at its token ends with the step in which it was stopped."""

    def stops_itself(turn: Turn) -> Steps:
        yield Started(1, "Deaf")
        lane.stop(1)
        yield Progress(1, "Deaf", 1)
        yield Progress(1, "Deaf", 2)

    lane.submit(1, stops_itself, 10)
    assert told.end(1) == Stopped(1)
    assert told.of(1) == [Started(1, "Deaf"), Progress(1, "Deaf", 1), Stopped(1)]


def test_stop_from_within_an_event(lane: Lane, told: Recorder) -> None:
    """Who listens may stop the job in the same call."""

    def listen(event: Event) -> None:
        if isinstance(event, Progress):
            lane.stop(event.job)

    told.listening = listen
    lane.submit(1, counting(1), 10)
    assert told.end(1) == Stopped(1)
    assert told.of(1) == [Started(1, "Counting"), Progress(1, "Counting", 1), Stopped(1)]


def test_a_job_that_is_done_when_it_is_stopped_is_done(lane: Lane, told: Recorder) -> None:
    lane.submit(1, counting(1), 10)
    assert told.end(1) == Done(1, "counted to 3")
    lane.stop(1)
    lane.submit(2, counting(2), 10)
    told.end(2)
    told.check(1, 2)


def test_stop_of_an_unknown_number(lane: Lane, told: Recorder) -> None:
    page = Unit(1)
    lane.submit(1, page, 10)
    assert page.working.wait(LONG)
    lane.stop(99)
    page.go_on.set()
    assert told.end(1) == Done(1, 1)
    assert {event.job for event in told.events} == {1}


# -- errors ------------------------------------------------------------------------------------------------------


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def log() -> Iterator[list[str]]:
    """What is logged by the lane, whatever other tests did to the loggers above it."""
    handler, logger = _Kept(), logging.getLogger("readdesk.jobs.lane")
    logger.addHandler(handler)
    yield handler.lines
    logger.removeHandler(handler)


def test_a_fault_of_ours_is_one_sentence_and_a_log_entry(lane: Lane, told: Recorder, log: list[str]) -> None:
    def faulty(turn: Turn) -> Steps:
        yield Started(1, "Dividing")
        print(1 // 0)  # noqa: T201 - never printed

    lane.submit(1, faulty, 10)
    lane.submit(2, counting(2), 10)
    end = told.end(1)
    assert isinstance(end, Failed)
    assert str(end.error) == (
        "Something went wrong inside ReadDesk. Nothing that was saved is lost; the log file says more."
    )
    assert len(log) == 1 and "ZeroDivisionError" in log[0] and "in faulty" in log[0]
    assert told.end(2) == Done(2, "counted to 3")
    told.check(1, 2)


def test_an_error_for_people_passes_as_it_is(lane: Lane, told: Recorder, log: list[str]) -> None:
    error = DocumentError("The file is wet.", "Dry it.")

    def faulty(turn: Turn) -> Steps:
        yield Started(1, "Reading")
        raise error

    lane.submit(1, faulty, 10)
    end = told.end(1)
    assert isinstance(end, Failed) and end.error is error and not log


def test_a_fault_while_stopping(lane: Lane, told: Recorder) -> None:
    """Also a job that cannot end well has one end, and the lane lives."""

    def clumsy(turn: Turn) -> Steps:
        try:
            yield Started(1, "Clumsy")
            turn.cancel.wait(LONG)
            yield Progress(1, "Clumsy", 1)
        finally:
            raise ReadDeskError("The vase fell.")

    lane.submit(1, clumsy, 10)
    told.started(1)
    lane.stop(1)
    end = told.end(1)
    assert isinstance(end, Failed) and end.error.message == "The vase fell."
    lane.submit(2, counting(2), 10)
    told.end(2)
    told.check(1, 2)


# -- closing -----------------------------------------------------------------------------------------------------


def test_close_ends_what_works_and_what_waits(told: Recorder) -> None:
    lane = Lane("test lane", told.post)
    jobs = {number: Unit(number) for number in (1, 2, 3)}
    lane.submit(1, jobs[1], 10)
    assert jobs[1].working.wait(LONG)
    lane.submit(2, jobs[2], 10)
    lane.submit(3, jobs[3], 20)
    lane.close()
    assert "test lane" not in [thread.name for thread in threading.enumerate()]
    assert [told.of(number)[-1] for number in (1, 2, 3)] == [Stopped(1), Stopped(2), Stopped(3)]
    told.check(1, 2, 3)
    assert [jobs[number].tries for number in (1, 2, 3)] == [1, 0, 0]
    lane.close()


@pytest.mark.parametrize("seed", range(5))
def test_whatever_happens_every_job_has_one_end(seed: int) -> None:
    """Jobs of all kinds, overtaking and stopped at random from several threads."""
    chance = random.Random(seed)
    told = Recorder()
    lane = Lane("test lane", told.post)
    numbers = list(range(60))

    def job(number: int, kind: int) -> Callable[[Turn], Steps]:
        if kind == 0:
            return counting(number)
        if kind == 1:
            unit = Unit(number)
            threading.Timer(0.01, unit.go_on.set).start()
            return unit

        def fails(turn: Turn) -> Steps:
            yield Started(number, "Failing")
            raise ReadDeskError("No.") if kind == 2 else ValueError("no")

        return fails

    def stop_some(which: list[int]) -> None:
        for number in which:
            lane.stop(number)

    stoppers = [
        threading.Thread(target=stop_some, args=([chance.choice(numbers) for _ in range(100)],)) for _ in range(2)
    ]
    for number in numbers:
        lane.submit(number, job(number, chance.randrange(4)), chance.choice((0, 10)))
        if number == 20:
            for stopper in stoppers:
                stopper.start()
    for number in numbers[:50]:
        told.end(number)
    lane.close()
    for stopper in stoppers:
        stopper.join()
    told.check(*numbers)
