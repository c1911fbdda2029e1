"""A service object in a process of its own: call, stream, cancel, time limit, kill, restart.

Parsers and models crash, hang and hold the interpreter lock; in a process of their own they can do so without harm. A
service is named by a string ("module:Class"), so the front process never imports its module. Its public methods take
the keyword `cancel` (a CancelToken) and return one value, or are generators that stream many.

What must stay true: one request at a time; what is not answered in time is killed and the next request starts it again;
the child ends by itself when the front process dies, in whatever way, because its pipe closes; Ctrl-C reaches only the
front process. Messages stay under a megabyte, so that nobody waits for a pipe: larger things are streamed.
"""

from __future__ import annotations

import importlib
import inspect
import logging
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import psutil

from readdesk.cancel import Cancelled, CancelToken
from readdesk.errors import ReadDeskError, WorkerError, WorkerFault, WorkerTooLargeError

GRACE_SECONDS = 0.7
"""How long a cancelled call may take to answer before its process is killed: stop is promised within one second."""

_OUTPUT_LIMIT = 1_000_000
_SECONDS_BETWEEN_WEIGHING = 0.2
_logger = logging.getLogger(__name__)


class Worker:
    """The front process's end of a service that lives in a child process.

    `ends` makes connections for every new process, which its service is given behind `args`: they cannot be used twice.
    """

    def __init__(
        self,
        service: str,
        *args: Any,
        name: str,
        output: Path | None = None,
        most_memory: int | None = None,
        ends: Callable[[], tuple[Any, ...]] = tuple,
    ) -> None:
        self._ends = ends
        self._most_memory = most_memory
        self._weighed_at = 0.0
        self._service = service
        self._args = args
        self._name = name
        self._output = output
        self._busy = threading.Lock()
        self._sending = threading.Lock()
        self._process: Any = None
        self._connection: Any = None
        self._number = 0

    @property
    def running(self) -> bool:
        """Whether the child process is alive."""
        process = self._process
        return process is not None and bool(process.is_alive())

    @property
    def pid(self) -> int | None:
        """The child's process number while it runs."""
        process = self._process
        return process.pid if process is not None and process.is_alive() else None

    def start(self) -> None:
        """Start the child so that the first request need not wait for it; doing so twice is harmless."""
        with self._busy:
            self._ensure_started()

    def call(
        self, method: str, *args: Any, cancel: CancelToken | None = None, timeout: float | None = None, **kwargs: Any
    ) -> Any:
        """Call a method and return its value.

        Raises what the method raised, Cancelled, or WorkerError when the child died, was silent for `timeout` s or took
        more memory than it may (WorkerTooLargeError).
        """
        answers = list(self._request(method, args, kwargs, cancel or CancelToken(), timeout))
        return answers[-1] if answers else None

    def stream(
        self,
        method: str,
        *args: Any,
        cancel: CancelToken | None = None,
        timeout: float | None = None,
        watch: Callable[[], str] = str,
        **kwargs: Any,
    ) -> Iterator[Any]:
        """Yield what a generator method yields; `timeout` limits each silence. Leaving the loop stops the method.

        `watch` is asked again and again during a silence: once it says a sentence, the child is ended with it.
        """
        return self._request(method, args, kwargs, cancel or CancelToken(), timeout, watch)

    def kill(self) -> None:
        """End the child at once, whatever it is doing."""
        process = self._process
        if process is not None and process.is_alive():
            process.kill()

    def close(self) -> None:
        """Let the child finish, give it a moment, then end it."""
        with self._busy:
            if self.running:
                self._send(("close",))
                self._process.join(GRACE_SECONDS)
            self._discard()

    # -- one request ---------------------------------------------------------------------------------------------

    def _request(
        self,
        method: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        cancel: CancelToken,
        timeout: float | None,
        watch: Callable[[], str] = str,
    ) -> Iterator[Any]:
        while not self._busy.acquire(timeout=0.05):
            cancel.raise_if_cancelled()
        try:
            cancel.raise_if_cancelled()
            self._ensure_started()
            self._number += 1
            number = self._number
            self._send(("call", number, method, args, kwargs))
            with cancel.calling(lambda: self._send(("cancel", number))):
                yield from self._answers(number, cancel, timeout, watch)
        finally:
            self._busy.release()

    def _answers(
        self, number: int, cancel: CancelToken, timeout: float | None, watch: Callable[[], str]
    ) -> Iterator[Any]:
        finished = False
        try:
            while True:
                kind, value = self._next_answer(number, cancel, timeout, watch)
                if kind == "item":
                    yield value
                    continue
                finished = True
                if kind == "error":
                    raise value
                if kind == "value":
                    yield value
                return
        except (Cancelled, WorkerError):
            finished = True
            raise
        finally:
            if not finished:
                self._abandon(number)

    def _abandon(self, number: int) -> None:
        """Stop a stream whose reader has left the loop, so that the next request finds an idle child."""
        stopped = CancelToken()
        stopped.cancel()
        self._send(("cancel", number))
        kind = "item"
        try:
            while kind == "item":
                kind, _ = self._next_answer(number, stopped, None)
        except (Cancelled, WorkerError):
            pass

    def _next_answer(
        self, number: int, cancel: CancelToken, timeout: float | None, watch: Callable[[], str] = str
    ) -> tuple[str, Any]:
        """The next message of this request; kills the child when it is too slow to stop or to answer."""
        silent_since = time.monotonic()
        stopped_at: float | None = None
        while True:
            self._weigh()
            if wait([self._connection, self._process.sentinel], timeout=0.05):
                message = self._receive()
                if message[1] != number:
                    continue
                kind, value = message[0], message[2]
                if not cancel.cancelled:
                    return kind, value
                if kind != "item":
                    raise Cancelled
            now = time.monotonic()
            if cancel.cancelled:
                stopped_at = stopped_at or now
                if now - stopped_at > GRACE_SECONDS:
                    self._discard()
                    raise Cancelled
            elif timeout is not None and now - silent_since > timeout:
                self._discard()
                raise WorkerError(f"{self._name} did not answer for {timeout:.0f} seconds.", "It was started again.")
            elif complaint := watch():
                self._discard()
                raise WorkerError(complaint, "It was started again.")

    def _weigh(self) -> None:
        """End a child that takes more bytes of memory than it may; looked at now and then while it works.

        Not left to a limit of the system, which is none on macOS, and another thing on Windows.
        """
        now = time.monotonic()
        if self._most_memory is None or now - self._weighed_at < _SECONDS_BETWEEN_WEIGHING:
            return
        self._weighed_at = now
        with suppress(psutil.Error):
            if psutil.Process(self._process.pid).memory_info().rss > self._most_memory:
                self._discard()
                raise WorkerTooLargeError(
                    f"{self._name} took more than {self._most_memory >> 20:,} MB of memory.", "It was ended."
                )

    def _receive(self) -> tuple[Any, ...]:
        try:
            message: tuple[Any, ...] = self._connection.recv()
            return message
        except (EOFError, OSError):
            self._process.join(GRACE_SECONDS)
            _logger.error("%s ended with exit code %s", self._name, self._process.exitcode)
            self._discard()
            raise WorkerError(
                f"{self._name} ended unexpectedly.", "It is started again with the next request."
            ) from None

    # -- the process ---------------------------------------------------------------------------------------------

    def _ensure_started(self) -> None:
        if self.running:
            return
        self._discard()
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        ends = self._ends()
        args = theirs, self._service, (*self._args, *ends), self._output
        process = context.Process(target=_serve, args=args, name=self._name, daemon=True)
        # Starting the tracker unblocks Ctrl-C (CPython 3.11), so it must not happen inside the block below.
        if os.name == "posix":
            resource_tracker.ensure_running()
        with _without_interrupts():
            process.start()
        for end in (theirs, *ends):  # The child has its own; while we hold one, nobody sees that the child has gone.
            end.close()
        self._process, self._connection = process, ours

    def _send(self, message: tuple[Any, ...]) -> None:
        try:
            with self._sending:
                if self._connection is not None:
                    self._connection.send(message)
        except (BrokenPipeError, OSError):
            return  # The child has died; the next look at its pipe says so.

    def _discard(self) -> None:
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if process is not None:
            process.kill()
            process.join()
        if connection is not None:
            connection.close()


class _without_interrupts:  # noqa: N801 - reads as a statement where it is used
    """Let a child inherit a blocked Ctrl-C, so that it is not interrupted even while it starts (POSIX)."""

    def __enter__(self) -> None:
        if hasattr(signal, "pthread_sigmask"):
            self._before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})

    def __exit__(self, *_: object) -> None:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_SETMASK, self._before)


# -- inside the child --------------------------------------------------------------------------------------------


def _serve(connection: Connection, service: str, args: tuple[Any, ...], output: Path | None) -> None:
    """Run the service until the front process closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Spinning OpenMP threads make a busy machine five to eight times slower; read when libgomp loads, so set first.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    _redirect_output(output)
    child = _Child(connection)
    threading.Thread(target=child.listen, name="listener", daemon=True).start()
    child.run(service, args)


def _redirect_output(output: Path | None) -> None:
    """Keep the chatter of C libraries off the terminal: it would end up in the middle of an answer."""
    descriptor = os.open(os.devnull, os.O_WRONLY)
    # A place that cannot be written (or, on Windows, a file another worker holds) must not keep a worker from starting.
    with suppress(OSError):
        if output is not None:
            output.parent.mkdir(parents=True, exist_ok=True)
            size = output.stat().st_size if output.exists() else 0
            mode = os.O_TRUNC if size > _OUTPUT_LIMIT else os.O_APPEND
            kept = os.open(output, os.O_WRONLY | os.O_CREAT | mode, 0o600)
            os.close(descriptor)
            descriptor = kept
    for stream, number in ((sys.stdout, 1), (sys.stderr, 2)):
        if stream is not None:
            stream.flush()
        os.dup2(descriptor, number)
    os.close(descriptor)


class _Child:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._inbox: queue.SimpleQueue[tuple[Any, ...] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._current: tuple[int, CancelToken] | None = None
        self._cancelled_early: set[int] = set()

    def listen(self) -> None:
        """Take messages as they come, so that a cancel arrives while the service works."""
        while True:
            try:
                message = self._connection.recv()
            except (EOFError, OSError):
                os._exit(0)  # The front process is gone: nobody is left to work for.
            if message[0] == "call":
                self._inbox.put(message)
            elif message[0] == "cancel":
                self._cancel(message[1])
            else:
                self._inbox.put(None)
                return

    def _cancel(self, number: int) -> None:
        with self._lock:
            if self._current is not None and self._current[0] == number:
                self._current[1].cancel()
            else:
                self._cancelled_early.add(number)

    def run(self, service: str, args: tuple[Any, ...]) -> None:
        instance: Any = None
        while (message := self._inbox.get()) is not None:
            _, number, method, call_args, call_kwargs = message
            cancel = CancelToken()
            with self._lock:
                self._current = (number, cancel)
                early = number in self._cancelled_early
                self._cancelled_early.clear()
            if early:
                cancel.cancel()
            try:
                if instance is None:
                    module, _, name = service.partition(":")
                    instance = getattr(importlib.import_module(module), name)(*args)
                self._answer(number, getattr(instance, method), call_args, call_kwargs, cancel)
            except (ReadDeskError, Cancelled) as error:
                self._connection.send(("error", number, error))
            except BaseException:
                self._connection.send(("error", number, WorkerFault(traceback.format_exc())))
        if hasattr(instance, "close"):
            instance.close()

    def _answer(self, number: int, method: Any, args: Any, kwargs: Any, cancel: CancelToken) -> None:
        if inspect.isgeneratorfunction(method):
            for item in method(*args, cancel=cancel, **kwargs):
                self._connection.send(("item", number, item))
                cancel.raise_if_cancelled()
            self._connection.send(("end", number, None))
        else:
            self._connection.send(("value", number, method(*args, cancel=cancel, **kwargs)))
