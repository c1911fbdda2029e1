"""Stopping work that has begun.

A `CancelToken` is handed down to everything that may take time; whoever wants it to stop calls `cancel()` from any
thread. Work looks at the token at its own save points (`raise_if_cancelled`), and what cannot look (a call into another
process, a download) registers a callback. A token never goes back: a new piece of work gets a new token.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Cancelled(Exception):
    """The work was stopped on request; nothing that was saved is lost."""


class CancelToken:
    """A flag that is raised once, from any thread, and tells those who asked to be told."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    @property
    def cancelled(self) -> bool:
        """Whether the work is to stop."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Ask the work to stop; asking again does nothing."""
        with self._lock:
            if self._event.is_set():
                return
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def raise_if_cancelled(self) -> None:
        """Raise `Cancelled` when the work is to stop."""
        if self._event.is_set():
            raise Cancelled

    def wait(self, seconds: float) -> bool:
        """Wait until cancelled or until the seconds have passed; return whether cancelled."""
        return self._event.wait(seconds)

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """Call `callback` on cancel while the block runs, at once if it has happened already."""
        with self._lock:
            already = self._event.is_set()
            if not already:
                self._callbacks.append(callback)
        if already:
            callback()
        try:
            yield
        finally:
            with self._lock:
                if callback in self._callbacks:
                    self._callbacks.remove(callback)
