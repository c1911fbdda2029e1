"""The bridge: events from any thread arrive in the window's thread, in order, and never hold it up."""

from __future__ import annotations

import threading
import time
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from readdesk.errors import ReadDeskError
from readdesk.gui.bridge import TEXT_MILLISECONDS, Bridge
from readdesk.jobs.events import Done, Event, Failed, Progress, Started, Stopped, Text

KINDS = (Started, Progress, Text, Done, Failed, Stopped)


class Follower:
    """Keeps what it is told of its jobs, and in which thread and when."""

    def __init__(self, bridge: Bridge, *jobs: int) -> None:
        self.events: list[Event] = []
        self.threads: set[int] = set()
        self.times: list[float] = []
        for job in jobs:
            bridge.follow(job, dict.fromkeys(KINDS, self.take))

    def take(self, event: Event) -> None:
        self.events.append(event)
        self.threads.add(threading.get_ident())
        self.times.append(time.perf_counter())

    def of(self, job: int) -> list[Event]:
        return [event for event in self.events if event.job == job]


@pytest.fixture
def bridge(qapp: QApplication) -> Bridge:
    return Bridge()


def post_all(bridge: Bridge, *events: Event) -> None:
    """Post from another thread and wait until that is done."""

    def work() -> None:
        for event in events:
            bridge.post(event)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_events_of_several_threads_arrive_in_order_in_the_thread_of_the_window(qtbot: QtBot, bridge: Bridge) -> None:
    jobs = range(1, 7)
    follower = Follower(bridge, *jobs)
    begin = threading.Barrier(len(jobs))

    def work(job: int) -> None:
        begin.wait()
        for done in range(300):
            bridge.post(Progress(job, "", done))
        bridge.post(Done(job))

    threads = [threading.Thread(target=work, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    qtbot.waitUntil(lambda: sum(isinstance(event, Done) for event in follower.events) == len(jobs))
    for thread in threads:
        thread.join()
    for job in jobs:
        assert follower.of(job) == [*(Progress(job, "", done) for done in range(300)), Done(job)]
    assert follower.threads == {threading.get_ident()}


def test_a_job_is_followed_before_its_first_event_is_told(qtbot: QtBot, bridge: Bridge) -> None:
    """The lane may be quicker than whoever started the job, and stopping tells in the window's own thread."""
    post_all(bridge, Started(1, ""))
    bridge.post(Stopped(1))
    follower = Follower(bridge, 1)
    assert follower.events == []
    qtbot.waitUntil(lambda: follower.events == [Started(1, ""), Stopped(1)])


def test_only_followed_kinds_of_followed_jobs_are_told(qtbot: QtBot, bridge: Bridge) -> None:
    follower = Follower(bridge, 1)
    seen: list[Event] = []
    bridge.follow(2, {Done: seen.append})
    post_all(bridge, Started(7, ""), Started(2, ""), Text(2, "a"), Done(2), Done(7), Done(1))
    qtbot.waitUntil(lambda: follower.events == [Done(1)])
    assert seen == [Done(2)]


def test_a_forgotten_job_is_told_no_more_not_even_its_waiting_text(qtbot: QtBot, bridge: Bridge) -> None:
    follower, other = Follower(bridge, 1), Follower(bridge, 2)
    post_all(bridge, Started(1, ""), Text(1, "late"), Started(2, ""))
    qtbot.waitUntil(lambda: other.events == [Started(2, "")])
    bridge.forget(1)
    bridge.forget(None)
    bridge.forget(99)
    post_all(bridge, Text(1, "later"), Done(1), Text(2, "in time"))
    qtbot.waitUntil(lambda: other.events[1:] == [Text(2, "in time")])
    assert follower.events == [Started(1, "")]


@pytest.mark.parametrize(
    "end", [Done(1), Stopped(1), Failed(1, ReadDeskError("It broke."))], ids=lambda e: type(e).__name__
)
def test_nothing_is_told_after_the_last_event(qtbot: QtBot, bridge: Bridge, end: Event) -> None:
    follower, other = Follower(bridge, 1), Follower(bridge, 2)
    post_all(bridge, Text(1, "whole"), end, Text(1, "late"), Started(1, ""), Done(1), Text(2, "x"))
    qtbot.waitUntil(lambda: other.events == [Text(2, "x")])
    assert follower.events == [Text(1, "whole"), end]


def test_pieces_of_text_are_joined_and_told_before_the_next_event_of_their_job(qtbot: QtBot, bridge: Bridge) -> None:
    follower = Follower(bridge, 1, 2)
    post_all(
        bridge,
        *(Text(1, "He "), Text(2, "x"), Text(1, "lost"), Progress(1, "", 1)),
        *(Text(1, " a leg"), Text(2, "y"), Done(1), Text(2, "z"), Done(2)),
    )
    qtbot.waitUntil(lambda: Done(2) in follower.events)
    assert follower.of(1) == [Text(1, "He lost"), Progress(1, "", 1), Text(1, " a leg"), Done(1)]
    assert follower.of(2) == [Text(2, "xyz"), Done(2)]


def test_text_that_streams_is_told_at_most_every_40_milliseconds(qtbot: QtBot, bridge: Bridge) -> None:
    follower = Follower(bridge, 1)
    posted: list[str] = []

    def post_piece() -> None:
        posted.append(f"{len(posted)} ")
        bridge.post(Text(1, posted[-1]))

    timer = QTimer(interval=1)
    timer.timeout.connect(post_piece)
    timer.start()
    qtbot.waitUntil(lambda: len(follower.events) >= 6)
    timer.stop()
    gaps = [after - before for before, after in pairwise(follower.times)]
    assert min(gaps) > 0.001 * TEXT_MILLISECONDS * 0.9
    bridge.post(Done(1))
    qtbot.waitUntil(lambda: Done(1) in follower.events)
    assert "".join(event.text for event in follower.events if isinstance(event, Text)) == "".join(posted)
    assert len(posted) > 3 * len(follower.events), "pieces were put together"


class Watchdog(QObject):
    """The longest time in which the event loop did not come round."""

    def __init__(self) -> None:
        super().__init__()
        self.longest = 0.0
        self._last = time.perf_counter()
        self._timer = self.startTimer(5)

    def timerEvent(self, event: QEvent) -> None:
        now = time.perf_counter()
        self.longest = max(self.longest, now - self._last)
        self._last = now


def longest_hold(qtbot: QtBot, bridge: Bridge, job: int) -> float:
    """Post 20,000 events at once, each of which takes a while to handle, and measure."""
    count = 20_000
    handled = 0

    def handle(_: Progress) -> None:
        nonlocal handled
        handled += 1
        until = time.perf_counter() + 0.000_05
        while time.perf_counter() < until:
            pass

    ended: list[Event] = []
    bridge.follow(job, {Progress: handle, Done: ended.append})
    post_all(bridge, *(Progress(job, "", done) for done in range(count)), Done(job))
    watchdog = Watchdog()
    qtbot.waitUntil(lambda: bool(ended), timeout=20_000)
    assert handled == count
    return watchdog.longest


def test_a_flood_of_events_does_not_hold_up_the_window(qtbot: QtBot, bridge: Bridge) -> None:
    # A second try, because the machine may be busy with something else.
    assert longest_hold(qtbot, bridge, 1) < 0.06 or longest_hold(qtbot, bridge, 2) < 0.06


def test_a_handler_that_fails_does_not_keep_other_events_back(qtbot: QtBot, bridge: Bridge) -> None:
    def fail(_: Progress) -> None:
        raise ValueError("a bug of ours")

    ended: list[Event] = []
    bridge.follow(1, {Progress: fail, Done: ended.append})
    with qtbot.captureExceptions() as raised:
        post_all(bridge, Progress(1, "", 1), Progress(1, "", 2), Done(1))
        qtbot.waitUntil(lambda: ended == [Done(1)])
    assert [kind for kind, *_ in raised] == [ValueError, ValueError]
