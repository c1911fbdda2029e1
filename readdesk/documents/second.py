"""A second process that reads leaves of a PDF for the one that reads the document: the front process's side of it.

What a leaf holds is most of the work, and no leaf needs another one. So the first process takes them from the front,
the second from the back, until they meet (`pdf/share.py`); only the front process may start both. They talk through a
pipe of their own, which is made anew whenever the first one starts, since neither may hold an end of a dead one.

What must stay true: the second is a help and no more, so that whatever becomes of it, the first one reads what is left;
it works only while a document is read; it ends with the first one and with the front process.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from readdesk.cancel import Cancelled, CancelToken
from readdesk.errors import WorkerError, WorkerFault
from readdesk.worker import Worker

NOBODY = -1
ALL_READ = 1 << 30
"""In place of a leaf: nobody reads, nothing is left to be read."""

_REST_SECONDS = 5.0


class Board:
    """Which leaf (0-based) each process is at, in memory that they and the front process see.

    A process that has crashed or hangs can tell nothing any more, and a message for every leaf costs too much.
    """

    def __init__(self) -> None:
        self._cells: Any = multiprocessing.get_context("spawn").RawArray("i", 4)
        self.clear()

    def clear(self) -> None:
        """Begin another document."""
        self.first = self.second = self.read_until = self.given_up = NOBODY

    @property
    def first(self) -> int:
        """What the first process is at."""
        return int(self._cells[0])

    @first.setter
    def first(self, leaf: int) -> None:
        self._cells[0] = leaf

    @property
    def second(self) -> int:
        """What the second process is at."""
        return int(self._cells[1])

    @second.setter
    def second(self, leaf: int) -> None:
        self._cells[1] = leaf

    @property
    def read_until(self) -> int:
        """Up to where the first one reads itself: the second one leaves that alone."""
        return int(self._cells[2])

    @read_until.setter
    def read_until(self, leaf: int) -> None:
        self._cells[2] = leaf

    @property
    def given_up(self) -> int:
        """The leaf that the second process was ended for, because it came to no end."""
        return int(self._cells[3])

    @given_up.setter
    def given_up(self, leaf: int) -> None:
        self._cells[3] = leaf


class SecondReader:
    """The second process; started with the first document that may have many leaves."""

    def __init__(self, service: str, board: Board, output: Path | None, most_memory: int) -> None:
        self._worker = Worker(
            service,
            board,
            name="The second document reader",
            output=output,
            most_memory=most_memory,
            ends=self._its_end,
        )
        self._end: Connection | None = None
        self._stop = CancelToken()
        self._thread: threading.Thread | None = None

    def end_for_first(self) -> tuple[Connection]:
        """An end of a new pipe for the first process, which starts; the second has to start again too."""
        self.close()
        ours, self._end = multiprocessing.get_context("spawn").Pipe()
        return (ours,)

    def _its_end(self) -> tuple[Connection]:
        end, self._end = self._end, None
        if end is None:
            raise WorkerError("The second document reader has lost the first one.")
        return (end,)

    @property
    def is_lost(self) -> bool:
        """Whether it has ended, and the first one must start again before it can have another."""
        return self._end is None and not self._worker.running

    def begin(self, number: int) -> None:
        """Have it serve the first process, under this number, until that needs it no more; does not wait."""
        self.finish()
        self._stop = CancelToken()
        self._thread = threading.Thread(target=self._serve, args=(number, self._stop), name="leaves", daemon=True)
        self._thread.start()

    def _serve(self, number: int, stop: CancelToken) -> None:
        try:
            self._worker.call("serve", number, cancel=stop)
        except (Cancelled, WorkerError, WorkerFault):
            return  # What it did not read the first one reads.

    def stop(self) -> None:
        """Ask it to come to an end; does not wait."""
        self._stop.cancel()

    def rest(self, cancel: CancelToken) -> None:
        """Wait until it has ended by itself: on a busy machine it may not even have started. Raises Cancelled."""
        until = time.monotonic() + _REST_SECONDS
        while self._thread is not None and self._thread.is_alive() and time.monotonic() < until:
            self._thread.join(0.05)
            cancel.raise_if_cancelled()
        self.finish()

    def finish(self) -> None:
        """Have it come to an end, which takes less than a second."""
        self._stop.cancel()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def kill(self) -> None:
        """End it at once."""
        self._worker.kill()

    def close(self) -> None:
        """End it for good."""
        self._worker.kill()  # It holds nothing that could be lost, and nobody waits for its farewell.
        self.finish()
        self._worker.close()
        if self._end is not None:
            self._end.close()
            self._end = None


def may_have_second() -> bool:
    """Whether a second process has a processor of its own."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) > 1
    return (os.cpu_count() or 1) > 1
