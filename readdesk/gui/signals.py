"""Ctrl-C and the system's wish that the program ends: taken as a person's wish to close the window.

Python looks at signals only between two of its own steps, and an idle event loop has none; so the system writes each
signal into a socket, which wakes the loop.
"""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier


class EndSignals(QObject):
    """Calls a function in the window's thread when the program is asked to end; `close` puts things back."""

    def __init__(self, end: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._end = end
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._wakeup = signal.set_wakeup_fd(self._writer.fileno())
        self._before = {number: signal.signal(number, self._on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_woken)

    def _on_signal(self, number: int, frame: object) -> None:
        """The socket says it; this only keeps Python from ending the program by itself."""

    def _on_woken(self) -> None:
        self._reader.recv(64)
        self._end()

    def close(self) -> None:
        """Leave signals as they were found."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._reader.close()
        self._writer.close()
