"""Pausing: a job rests in line, gives its unit up, lets others pass, and goes on where it was."""

from __future__ import annotations

import pytest

from readdesk.jobs.events import Done, Overtaken, Paused, Progress, Resumed, Started, Stopped
from readdesk.jobs.lane import Lane
from tests.jobs.recorder import LONG, Recorder
from tests.jobs.test_lane import Unit, counting


def test_the_step_in_work_gives_way_and_is_tried_again(lane: Lane, told: Recorder) -> None:
    page = Unit(1)
    lane.submit(1, page, 10)
    assert page.working.wait(LONG)
    lane.pause(1)
    told.wait_for(lambda event: event == Paused(1))
    page.go_on.set()
    lane.submit(2, counting(2), 10)
    assert told.end(2) == Done(2, "counted to 3"), "a job that rests holds nobody up"
    assert page.tries == 1
    lane.resume(1)
    assert told.end(1) == Done(1, 2)
    assert told.of(1) == [
        *(Started(1, "Working"), Overtaken(1), Paused(1), Resumed(1)),
        *(Progress(1, "Working", 1), Done(1, 2)),
    ]


def test_a_job_that_waits_rests_at_once(lane: Lane, told: Recorder) -> None:
    first = Unit(1)
    lane.submit(1, first, 10)
    assert first.working.wait(LONG)
    lane.submit(2, counting(2), 10)
    lane.pause(2)
    assert told.of(2) == [Paused(2)]
    lane.submit(3, counting(3), 10)
    first.go_on.set()
    told.end(3)
    assert told.of(2) == [Paused(2)]
    lane.resume(2)
    assert told.end(2) == Done(2, "counted to 3")


def test_twice_is_once_and_what_is_not_here_is_ignored(lane: Lane, told: Recorder) -> None:
    page = Unit(1)
    lane.submit(1, page, 10)
    assert page.working.wait(LONG)
    lane.resume(1)
    lane.pause(99)
    lane.resume(99)
    lane.pause(1)
    told.wait_for(lambda event: event == Paused(1))
    lane.pause(1)
    page.go_on.set()
    lane.resume(1)
    lane.resume(1)
    told.end(1)
    assert [event for event in told.events if isinstance(event, Paused | Resumed)] == [Paused(1), Resumed(1)]


def test_one_that_rests_can_be_stopped(lane: Lane, told: Recorder) -> None:
    page = Unit(1)
    lane.submit(1, page, 10)
    assert page.working.wait(LONG)
    lane.pause(1)
    told.wait_for(lambda event: event == Paused(1))
    lane.stop(1)
    assert told.end(1) == Stopped(1)
    assert page.closed.is_set()


@pytest.mark.parametrize("waits", [False, True])
def test_closing_ends_one_that_rests(waits: bool) -> None:
    told = Recorder()
    lane = Lane("test lane", told.post)
    page = Unit(1)
    lane.submit(1, page, 10)
    assert page.working.wait(LONG)
    lane.submit(2, counting(2), 10)
    lane.pause(2 if waits else 1)
    told.wait_for(lambda event: isinstance(event, Paused))
    lane.close()
    assert told.end(1) == Stopped(1)
    told.check(1, 2)
