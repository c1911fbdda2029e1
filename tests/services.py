"""Services that test_worker.py puts into child processes, each named as "tests.services:Name"."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

from readdesk.cancel import CancelToken
from readdesk.errors import PasswordNeeded, ReadDeskError


class OddError(ReadDeskError):
    """A child of ReadDeskError that only this service knows."""


class Echo:
    """Every way in which a service can behave."""

    def __init__(self, mark: str = "") -> None:
        self._mark = mark
        self._lock = threading.Lock()
        self._calls = 0

    def echo(self, value: object, *, cancel: CancelToken) -> object:
        """The value itself."""
        return value

    def mark(self, *, cancel: CancelToken) -> str:
        """What the service was made with."""
        return self._mark

    def pid(self, *, cancel: CancelToken) -> int:
        """The process this runs in."""
        return os.getpid()

    def environment(self, name: str, *, cancel: CancelToken) -> str | None:
        """A variable of the child's environment."""
        return os.environ.get(name)

    def named(self, *, first: int, second: int, cancel: CancelToken) -> int:
        """Keyword arguments arrive as such."""
        return first - second

    def calls(self, *, cancel: CancelToken) -> int:
        """How often this object was asked: a new process begins at one."""
        self._calls += 1
        return self._calls

    def numbers(self, count: int, pause: float = 0.0, *, cancel: CancelToken) -> Iterator[int]:
        """Numbers from 0, with a pause after each that a cancel cuts short."""
        for number in range(count):
            yield number
            cancel.wait(pause)

    def swell(self, size: int, *, cancel: CancelToken) -> Iterator[int]:
        """Take more and more memory, up to so many bytes, and tell how much."""
        held: list[bytes] = []
        while (taken := sum(map(len, held))) < size:
            held.append(b"x" * (8 << 20))
            yield taken
            cancel.wait(0.02)

    def deaf(self, *, cancel: CancelToken) -> Iterator[int]:
        """Yield once, then work on without looking."""
        yield 1
        time.sleep(60)

    def large(self, count: int, size: int, *, cancel: CancelToken) -> Iterator[bytes]:
        """Large pieces."""
        for number in range(count):
            yield bytes([number % 256]) * size

    def fail(self, kind: str, *, cancel: CancelToken) -> None:
        """Raise an error of a kind."""
        if kind == "odd":
            raise OddError("An odd thing happened.", "Do an even one.")
        if kind == "password":
            raise PasswordNeeded("The file is locked.", "Type its password.")
        if kind == "exit":
            sys.exit(3)
        raise KeyError("a bug of ours")

    def fail_after(self, count: int, *, cancel: CancelToken) -> Iterator[int]:
        """Numbers, then an error."""
        yield from range(count)
        raise OddError("The stream broke.", "Begin again.")

    def unpicklable(self, *, cancel: CancelToken) -> object:
        """A value that cannot leave the process."""
        return threading.Lock()

    def wait_for_cancel(self, begun: Path, *, cancel: CancelToken) -> str:
        """Work that looks at its token; the file says that it has begun."""
        begun.touch()
        cancel.wait(60)
        cancel.raise_if_cancelled()
        return "never told to stop"

    def ignore_cancel(self, begun: Path, seconds: float = 60.0, *, cancel: CancelToken) -> str:
        """Work that does not look."""
        begun.touch()
        time.sleep(seconds)
        return "awake"

    def overlap(self, *, cancel: CancelToken) -> bool:
        """Whether another call is in here at the same time."""
        if not self._lock.acquire(blocking=False):
            return True
        time.sleep(0.05)
        self._lock.release()
        return False

    def die(self, how: str, *, cancel: CancelToken) -> None:
        """End the process without a word."""
        if how == "exit":
            os._exit(7)
        if how == "abort":
            os.abort()
        os.kill(os.getpid(), signal.SIGKILL)

    def die_streaming(self, *, cancel: CancelToken) -> Iterator[int]:
        """Yield once, then end the process."""
        yield 1
        os._exit(7)

    def shout(self, text: str, *, cancel: CancelToken) -> None:
        """Write to standard output and error as Python and as C libraries do."""
        print(text, flush=True)  # noqa: T201 - this is what must not be seen
        print(text, file=sys.stderr, flush=True)  # noqa: T201
        os.write(1, text.encode())
        os.write(2, text.encode())


class Broken:
    """A service that cannot be made until a file is there."""

    def __init__(self, wanted: Path) -> None:
        if not wanted.exists():
            raise ReadDeskError("The wanted file is missing.", "Make it.")

    def works(self, *, cancel: CancelToken) -> bool:
        """Answer."""
        return True


class Closing:
    """A service that writes a file when it is closed in peace."""

    def __init__(self, sign: Path) -> None:
        self._sign = sign

    def ready(self, *, cancel: CancelToken) -> bool:
        """Answer."""
        return True

    def close(self) -> None:
        """Leave the sign."""
        self._sign.touch()


class Telling:
    """Has an end of a pipe, whose other end somebody else has."""

    def __init__(self, end: Connection) -> None:
        self._end = end

    def tell(self, value: object, *, cancel: CancelToken) -> None:
        self._end.send(value)
