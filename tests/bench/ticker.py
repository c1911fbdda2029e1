"""How long a process is ever held: a thread that wants to run every five milliseconds notes how long it had to wait.

Python lets no other thread run while one step of C code holds its lock, and so a window would stand still. A wait
counts only as far as the process itself was computing in it, for on a busy machine every process waits now and then.
"""

from __future__ import annotations

import threading
import time

_INTERVAL = 0.005


class Ticker:
    """Watches this process from `start` to `close`."""

    def __init__(self) -> None:
        self._longest = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def begin(self) -> None:
        """Count anew."""
        self._longest = 0.0

    @property
    def longest(self) -> float:
        """The longest time in seconds that the process was held since `begin`."""
        return self._longest

    def close(self) -> None:
        """End the thread."""
        self._ended.set()
        self._thread.join()

    def _tick(self) -> None:
        wall, used = time.perf_counter(), time.process_time()
        while not self._ended.wait(_INTERVAL):
            now, used_now = time.perf_counter(), time.process_time()
            held = min(now - wall - _INTERVAL, used_now - used)
            self._longest = max(self._longest, held)
            wall, used = now, used_now
