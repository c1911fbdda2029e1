"""A line on which a process is told to stop what a library computes for it, though that holds the interpreter lock.

While MuPDF draws, no other Python thread of its process runs (PyMuPDF 2.0 keeps the lock), so nobody there could set
the flag at which MuPDF stops. But a thread that waits for bytes has let go of the lock, and the system itself writes
what comes into the memory the thread has named: the flag. This works wherever there are sockets.

What must stay true: the front process makes the line and may close and use it again; its other end goes to the child
by being pickled with the arguments of the process; to say stop never blocks; an order is a number from 1 to 255, by
which the child knows an old one.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import Any

_ORDERS = 255


class StopLine:
    """One end in the front process, where orders are given, and one in a child, where they arrive in memory."""

    def __init__(self) -> None:
        self._ours: socket.socket | None = None
        self._theirs: socket.socket | None = None
        self._order = 0

    # -- in the front process ------------------------------------------------------------------------------------

    def next_order(self) -> int:
        """A number for a piece of work that may have to be stopped."""
        self._order = self._order % _ORDERS + 1
        return self._order

    def stop(self, order: int) -> None:
        """Have this piece of work stopped; from any thread, and harmless when it is done."""
        ours = self._ours
        with suppress(OSError):  # Nobody listens any more, or has listened for a long time.
            if ours is not None:
                ours.send(bytes((order,)))

    def close(self) -> None:
        """Give both ends back."""
        for end in (self._ours, self._theirs):
            if end is not None:
                end.close()
        self._ours = self._theirs = None

    def __getstate__(self) -> socket.socket:
        """The child's end, which this process keeps too: the child may have to be started again."""
        if self._theirs is None:
            self._ours, self._theirs = socket.socketpair()
            self._ours.setblocking(False)
        return self._theirs

    # -- in the child --------------------------------------------------------------------------------------------

    def __setstate__(self, theirs: socket.socket) -> None:
        self.__init__()  # type: ignore[misc]  # as new: only the socket comes from the front process
        self._theirs = theirs

    def listen(self, flag: Any) -> threading.Event:
        """Have each order written into `flag`, a writable buffer of one byte that must live as long as the process.

        Returns what is set whenever an order that comes would be written; None comes before that.
        """
        is_listening = threading.Event()
        threading.Thread(target=self._listen, args=(flag, is_listening), name="stop line", daemon=True).start()
        return is_listening

    def _listen(self, flag: Any, is_listening: threading.Event) -> None:
        theirs = self._theirs
        with suppress(OSError):
            while theirs is not None:
                is_listening.set()
                if not theirs.recv_into(flag):
                    return
                is_listening.clear()
