"""The worker's promises, with real processes: values and errors cross, stop stops, crashes stay inside, nobody is left.

The services are in tests/services.py. Only "stops within a second" is timed.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil
import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.errors import PasswordNeeded, ReadDeskError, WorkerError, WorkerFault
from readdesk.worker import Worker
from tests.services import OddError

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 20.0
POSIX_ONLY = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.fixture(scope="module")
def echo() -> Iterator[Worker]:
    """A worker for what does not harm it."""
    worker = Worker("tests.services:Echo", "a mark", name="The echo")
    yield worker
    worker.close()


@pytest.fixture
def fresh() -> Iterator[Worker]:
    """A worker that may be harmed."""
    worker = Worker("tests.services:Echo", name="The echo")
    yield worker
    worker.close()


def wait_until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.01)


class Aside(threading.Thread):
    """Runs something in a thread and keeps what came of it."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__()
        self._work = work
        self.result: Any = None
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self.result = self._work()
        except BaseException as error:
            self.error = error

    def outcome(self) -> Any:
        """What the work returned or raised."""
        self.join(PATIENCE)
        assert not self.is_alive()
        if self.error is not None:
            raise self.error
        return self.result


# -- values --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [None, 7, " with  spaces \n", "龙 \U0001f409 \ud83d", ("a", 1.5), {"key": [b"\0"]}])
def test_values_come_back_as_they_went(echo: Worker, value: object) -> None:
    assert echo.call("echo", value) == value


def test_arguments_by_name_and_of_the_service_arrive(echo: Worker) -> None:
    assert echo.call("named", second=2, first=9) == 7
    assert echo.call("mark") == "a mark"


def test_a_message_of_900_kilobytes_passes_both_ways(echo: Worker) -> None:
    value = os.urandom(900_000)
    assert echo.call("echo", value) == value


def test_large_pieces_stream_in_order_to_a_slow_reader(echo: Worker) -> None:
    seen = []
    for piece in echo.stream("large", 12, 900_000):
        seen.append((piece[0], len(piece)))
        time.sleep(0.01)
    assert seen == [(number, 900_000) for number in range(12)]


def test_a_stream_yields_what_the_generator_yields(echo: Worker) -> None:
    assert list(echo.stream("numbers", 5)) == [0, 1, 2, 3, 4]
    assert list(echo.stream("numbers", 0)) == []


def test_a_service_keeps_its_object_between_calls_in_another_process(fresh: Worker) -> None:
    assert not fresh.running and fresh.pid is None
    assert [fresh.call("calls") for _ in range(3)] == [1, 2, 3]
    assert fresh.call("pid") == fresh.pid != os.getpid()


def test_starting_ahead_and_twice_makes_one_process(fresh: Worker) -> None:
    fresh.start()
    pid = fresh.pid
    fresh.start()
    assert pid is not None and fresh.call("pid") == pid


def test_threads_of_a_child_wait_passively(fresh: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY")
    assert fresh.call("environment", "OMP_WAIT_POLICY") == "passive"


# -- errors --------------------------------------------------------------------------------------------------------


def test_errors_for_people_keep_their_type_and_both_sentences(echo: Worker) -> None:
    with pytest.raises(OddError) as odd:
        echo.call("fail", "odd")
    assert (odd.value.message, odd.value.hint) == ("An odd thing happened.", "Do an even one.")
    with pytest.raises(PasswordNeeded) as locked:
        echo.call("fail", "password")
    assert str(locked.value) == "The file is locked. Type its password."


@pytest.mark.parametrize(("kind", "sign"), [("bug", "KeyError: 'a bug of ours'"), ("exit", "SystemExit: 3")])
def test_a_bug_in_the_child_shows_its_own_traceback_and_the_child_lives_on(echo: Worker, kind: str, sign: str) -> None:
    pid = echo.call("pid")
    with pytest.raises(WorkerFault) as fault:
        echo.call("fail", kind)
    assert sign in str(fault.value)
    assert "services.py" in str(fault.value) and "in fail" in str(fault.value)
    assert echo.call("pid") == pid


def test_a_value_that_cannot_be_sent_is_a_fault_not_a_silence(echo: Worker) -> None:
    with pytest.raises(WorkerFault, match="pickle"):
        echo.call("unpicklable")
    assert echo.call("echo", 1) == 1


def test_an_argument_that_cannot_be_sent_harms_nothing(echo: Worker) -> None:
    with pytest.raises((TypeError, pickle.PicklingError)):
        echo.call("echo", threading.Lock())
    assert echo.call("echo", 1) == 1


def test_a_method_that_does_not_exist_is_a_fault(echo: Worker) -> None:
    with pytest.raises(WorkerFault, match="no attribute 'missing'"):
        echo.call("missing")


def test_a_stream_yields_what_came_before_its_error(echo: Worker) -> None:
    seen = []
    with pytest.raises(OddError, match="The stream broke"):
        for number in echo.stream("fail_after", 3):
            seen.append(number)
    assert seen == [0, 1, 2]
    assert echo.call("echo", 1) == 1


def test_a_service_that_could_not_be_made_is_made_with_the_next_call(tmp_path: Path) -> None:
    worker = Worker("tests.services:Broken", tmp_path / "wanted", name="The broken one")
    try:
        with pytest.raises(ReadDeskError, match="The wanted file is missing"):
            worker.call("works")
        (tmp_path / "wanted").touch()
        assert worker.call("works") is True
    finally:
        worker.close()


def test_a_service_that_does_not_exist_is_a_fault() -> None:
    worker = Worker("tests.services:Nobody", name="Nobody")
    try:
        with pytest.raises(WorkerFault, match="Nobody"):
            worker.call("works")
    finally:
        worker.close()


# -- stopping ------------------------------------------------------------------------------------------------------


def stop_time(work: Callable[[CancelToken], Any], begun: Path) -> float:
    """Seconds from the cancel to Cancelled."""
    token = CancelToken()
    aside = Aside(lambda: work(token))
    wait_until(begun.exists, "the work began")
    started = time.monotonic()
    token.cancel()
    with pytest.raises(Cancelled):
        aside.outcome()
    return time.monotonic() - started


def test_work_that_looks_at_its_token_stops_and_its_process_goes_on(echo: Worker, tmp_path: Path) -> None:
    pid = echo.call("pid")
    begun = tmp_path / "begun"
    assert stop_time(lambda token: echo.call("wait_for_cancel", begun, cancel=token), begun) < 1.0
    assert echo.call("pid") == pid


def test_work_that_ignores_its_token_is_killed_and_the_next_call_works(fresh: Worker, tmp_path: Path) -> None:
    pid = fresh.call("pid")
    begun = tmp_path / "begun"
    assert stop_time(lambda token: fresh.call("ignore_cancel", begun, cancel=token), begun) < 1.2
    assert not psutil.pid_exists(pid)
    assert fresh.call("pid") != pid


def test_a_cancelled_stream_ends_with_cancelled_and_yields_nothing_more(echo: Worker) -> None:
    pid = echo.call("pid")
    token = CancelToken()
    seen = []
    with pytest.raises(Cancelled):
        for number in echo.stream("numbers", 1000, 0.02, cancel=token):
            seen.append(number)
            if number == 3:
                token.cancel()
    assert seen == [0, 1, 2, 3]
    assert echo.call("pid") == pid


def test_what_was_cancelled_before_never_begins(echo: Worker, tmp_path: Path) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        echo.call("ignore_cancel", tmp_path / "begun", cancel=token)
    with pytest.raises(Cancelled):
        next(echo.stream("numbers", 3, cancel=token))
    assert echo.call("echo", 1) == 1
    assert not (tmp_path / "begun").exists()


def test_what_waits_for_its_turn_can_be_cancelled(echo: Worker, tmp_path: Path) -> None:
    first, second = CancelToken(), CancelToken()
    running = Aside(lambda: echo.call("wait_for_cancel", tmp_path / "begun", cancel=first))
    wait_until((tmp_path / "begun").exists, "the first call began")
    waiting = Aside(lambda: echo.call("echo", 1, cancel=second))
    second.cancel()
    with pytest.raises(Cancelled):
        waiting.outcome()
    assert running.is_alive(), "the call in work must go on"
    first.cancel()
    with pytest.raises(Cancelled):
        running.outcome()


class Overlooked(CancelToken):
    """A token whose cancel is seen only once the call is on its way."""

    def raise_if_cancelled(self) -> None:
        pass


def test_a_cancel_that_arrives_with_its_call_stops_it(echo: Worker, tmp_path: Path) -> None:
    pid = echo.call("pid")
    for number in range(10):
        token = Overlooked()
        token.cancel()
        with pytest.raises(Cancelled):
            echo.call("wait_for_cancel", tmp_path / str(number), cancel=token)
    assert echo.call("pid") == pid, "it heard of the cancel and was not killed"


def test_a_late_cancel_does_not_stop_the_next_call(echo: Worker, tmp_path: Path) -> None:
    token = CancelToken()
    assert echo.call("echo", 1, cancel=token) == 1
    token.cancel()
    assert list(echo.stream("numbers", 3, 0.01)) == [0, 1, 2]


def test_leaving_a_stream_early_frees_the_child(echo: Worker) -> None:
    pid = echo.call("pid")
    for number in echo.stream("numbers", 1_000_000, 0.01):
        if number == 2:
            break
    assert echo.call("pid") == pid


@pytest.mark.parametrize("method", [("large", 100_000, 900_000), ("deaf",)])
def test_leaving_a_stream_of_one_that_does_not_look_frees_the_worker(fresh: Worker, method: tuple[Any, ...]) -> None:
    stream = fresh.stream(*method)
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert fresh.call("echo", 1, timeout=PATIENCE) == 1


def test_silence_beyond_the_limit_is_an_error_and_the_next_call_works(fresh: Worker, tmp_path: Path) -> None:
    pid = fresh.call("pid")
    with pytest.raises(WorkerError, match="The echo did not answer for 1 seconds"):
        fresh.call("ignore_cancel", tmp_path / "begun", timeout=1.0)
    assert not psutil.pid_exists(pid)
    assert fresh.call("calls") == 1


def test_who_watches_a_silence_may_end_it(fresh: Worker, tmp_path: Path) -> None:
    answers = iter(["", "", "This leads to nothing."])
    begun = tmp_path / "begun"
    with pytest.raises(WorkerError, match="This leads to nothing"):
        list(fresh.stream("ignore_cancel", begun, watch=lambda: next(answers)))
    assert fresh.call("echo", "there again") == "there again"


def test_every_new_process_is_given_ends_of_its_own(tmp_path: Path) -> None:
    """The front process keeps none of them, so that whoever has the other end sees when the child has gone."""
    ours: list[Connection] = []

    def ends() -> tuple[Connection]:
        end, theirs = multiprocessing.get_context("spawn").Pipe()
        ours.append(end)
        return (theirs,)

    worker = Worker("tests.services:Telling", name="The telling", ends=ends)
    for number in range(2):
        worker.call("tell", number)
        assert ours[number].recv() == number
        worker.kill()
        with pytest.raises(EOFError):
            ours[number].recv()
        wait_until(lambda: not worker.running, "it ended")
    worker.close()


def test_the_limit_is_on_each_silence_not_on_the_whole_stream(fresh: Worker) -> None:
    fresh.start()
    assert fresh.call("echo", 1) == 1
    assert len(list(fresh.stream("numbers", 12, 0.2, timeout=1.5))) == 12


# -- crashes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["exit", "abort", "kill"])
def test_a_crash_is_one_sentence_and_the_next_call_starts_a_new_child(fresh: Worker, how: str) -> None:
    assert fresh.call("calls") == 1
    with pytest.raises(WorkerError) as error:
        fresh.call("die", how)
    assert error.value.message == "The echo ended unexpectedly."
    assert error.value.hint
    assert not fresh.running
    assert fresh.call("calls") == 1


def test_a_crash_in_a_stream_comes_after_what_was_sent(fresh: Worker) -> None:
    stream = fresh.stream("die_streaming")
    assert next(stream) == 1
    with pytest.raises(WorkerError):
        next(stream)
    assert fresh.call("echo", 1) == 1


def test_killing_from_another_thread_ends_the_call(fresh: Worker, tmp_path: Path) -> None:
    aside = Aside(lambda: fresh.call("ignore_cancel", tmp_path / "begun"))
    wait_until((tmp_path / "begun").exists, "the call began")
    fresh.kill()
    with pytest.raises(WorkerError):
        aside.outcome()
    assert fresh.call("echo", 1) == 1


def test_a_child_that_died_between_two_calls_is_started_again(fresh: Worker) -> None:
    fresh.call("echo", 1)
    fresh.kill()
    wait_until(lambda: not fresh.running, "the child died")
    assert fresh.call("calls") == 1


# -- several callers, and the end ----------------------------------------------------------------------------------


def test_two_threads_are_served_one_after_the_other(echo: Worker) -> None:
    def several(kind: int) -> list[Any]:
        return [(echo.call("overlap"), echo.call("echo", (kind, number))) for number in range(5)]

    first, second = Aside(lambda: several(1)), Aside(lambda: several(2))
    assert first.outcome() == [(False, (1, number)) for number in range(5)]
    assert second.outcome() == [(False, (2, number)) for number in range(5)]


def test_closing_lets_the_service_close_and_ends_the_child(tmp_path: Path) -> None:
    worker = Worker("tests.services:Closing", tmp_path / "sign", name="The closing one")
    worker.call("ready")
    pid = worker.pid
    assert pid is not None
    worker.close()
    assert (tmp_path / "sign").exists()
    assert not worker.running and not psutil.pid_exists(pid)
    worker.close()
    assert worker.call("ready") is True, "a closed worker starts again when it is asked"
    worker.close()


def test_output_of_the_child_reaches_the_file_and_never_ours(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "logs" / "worker.log"
    worker = Worker("tests.services:Echo", name="The echo", output=file)
    quiet = Worker("tests.services:Echo", name="The quiet echo")
    try:
        worker.call("shout", "noise from C")
        quiet.call("shout", "noise from C")
    finally:
        worker.close()
        quiet.close()
    assert capfd.readouterr() == ("", "")
    assert file.read_text().count("noise from C") == 4


# -- signals: a front process of its own, which prints what happens to it ------------------------------------------

FRONT = """
import sys, time
from readdesk.cancel import Cancelled, CancelToken
from readdesk.worker import Worker
from pathlib import Path

def main():
    worker = Worker("tests.services:Echo", name="The echo")
    print(worker.call("pid"), flush=True)
    {body}

if __name__ == "__main__":
    main()
"""


def front(tmp_path: Path, body: str) -> subprocess.Popen[str]:
    script = tmp_path / "front.py"
    script.write_text(FRONT.format(body=textwrap.indent(textwrap.dedent(body), "    ").strip()))
    return subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@POSIX_ONLY
@pytest.mark.parametrize("busy", [True, False])
def test_the_child_ends_when_the_front_process_is_killed(tmp_path: Path, busy: bool) -> None:
    begun = tmp_path / "begun"
    process = front(tmp_path, f"worker.call('ignore_cancel', Path({str(begun)!r}))" if busy else "time.sleep(60)")
    child = psutil.Process(int(line(process)))
    if busy:
        wait_until(begun.exists, "the call began")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    wait_until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, "the child ended")


@POSIX_ONLY
def test_ctrl_c_reaches_the_front_process_and_never_the_child(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    body = f"""
        token = CancelToken()
        try:
            worker.call("wait_for_cancel", Path({str(begun)!r}), cancel=token)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        print(worker.call("pid"), flush=True)
        print(list(worker.stream("numbers", 3)), flush=True)
        worker.close()
    """
    process = front(tmp_path, body)
    child = line(process)
    wait_until(begun.exists, "the call began")
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE)
    assert output.split("\n") == ["interrupted", child, "[0, 1, 2]", ""]
    assert (errors, process.returncode) == ("", 0)


@POSIX_ONLY
def test_ctrl_c_while_the_child_starts_does_not_harm_it(tmp_path: Path) -> None:
    body = """
        second = Worker("tests.services:Echo", name="The second echo")
        try:
            second.start()
            pid = second.pid
            print("started", flush=True)
            while True:
                time.sleep(0.01)
        except KeyboardInterrupt:
            print(second.call("pid") == pid, flush=True)
        worker.close()
        second.close()
    """
    process = front(tmp_path, body)
    line(process)
    assert line(process) == "started"
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE)
    assert (output, errors, process.returncode) == ("True\n", "", 0), "the child must be the one that was started"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_already_the_first_child_starts_with_ctrl_c_blocked(tmp_path: Path) -> None:
    """It may come while Python itself starts, before any code of ours could ignore it."""
    process = front(tmp_path, "time.sleep(60)")
    status = Path(f"/proc/{line(process)}/status").read_text(encoding="ascii")
    process.kill()
    process.communicate(timeout=PATIENCE)
    blocked = next(int(words.split()[1], 16) for words in status.splitlines() if words.startswith("SigBlk"))
    assert blocked & (1 << (signal.SIGINT - 1))
