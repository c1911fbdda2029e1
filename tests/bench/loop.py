"""A window whose event loop is watched: a timer of five milliseconds notes how long it had to wait."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from readdesk.gui.app import Window
from readdesk.paths import Paths

_MILLISECONDS = 5


class Watched:
    """The window, and the longest gap since `begin`."""

    def __init__(self) -> None:
        self._app = QApplication([])
        self._window = Window(self._app, Paths.default(), offline=True)
        self._main = self._window.main
        self._main.resize(1300, 850)
        self._main.show()
        gc.freeze()  # As the program does.
        self._timer = QTimer(interval=_MILLISECONDS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_timeout)
        self._last = 0.0
        self._longest = 0.0
        self._wait(1500)

    def begin(self) -> None:
        """Count anew."""
        self._last, self._longest = time.perf_counter(), 0.0
        self._timer.start()

    def longest(self) -> float:
        """Seconds that the timer had to wait beyond its own interval, at most."""
        self._timer.stop()
        return max(0.0, self._longest - _MILLISECONDS / 1000)

    def _on_timeout(self) -> None:
        now = time.perf_counter()
        self._longest, self._last = max(self._longest, now - self._last), now

    def _wait(self, milliseconds: int) -> None:
        loop = QEventLoop()
        QTimer.singleShot(milliseconds, loop.quit)
        loop.exec()

    def _until(self, true: Callable[[], bool], seconds: float = 240.0) -> None:
        deadline = time.monotonic() + seconds
        while not true():
            self._wait(20)
            if time.monotonic() > deadline:
                raise TimeoutError("the window did not come to the state that was wanted")

    def add(self, paths: Sequence[Path]) -> None:
        """Import files while the library is shown, and open the last."""
        count = len(self._window.desk.documents()) + len(paths)
        self._main.files.add(paths, opened=False)
        self._until(lambda: len(self._window.desk.documents()) >= count)
        self._wait(300)

    def gist(self) -> None:
        """Read some pages of a novel that is open."""
        self._main.open_document(self._window.desk.find("Moby"))
        self._wait(800)
        self._last, self._longest = time.perf_counter(), 0.0  # Opening a book is not what is measured here.
        self._main.book.read_on()
        self._until(lambda: len(self._main.book._pages) >= 5)
        self._main.book.stop_reading()
        self._until(lambda: not self._main.gisting.jobs)

    def ask(self) -> None:
        """Ask, look up, stream."""
        self._main.book.chat.asked.emit("Who is Ishmael, and why does he go to sea?")
        self._until(lambda: not self._main.book._asking._questions)
        self._wait(200)

    def turn_leaves(self, path: Path) -> None:
        """Page through a PDF."""
        self._main.open_document(self._window.desk.find(str(path)))
        self._until(lambda: self._main.book.reader.can_show_leaves)
        self._wait(500)
        self._last, self._longest = time.perf_counter(), 0.0
        for _ in range(40):
            QTest.keyClick(self._main.book.reader.leaves, Qt.Key.Key_PageDown)
            self._wait(60)

    def turn_text(self, path: Path) -> None:
        """Page through a novel."""
        self._main.open_document(self._window.desk.find(str(path)))
        self._wait(500)
        self._last, self._longest = time.perf_counter(), 0.0
        for _ in range(80):
            QTest.keyClick(self._main.book.reader.text._browser, Qt.Key.Key_PageDown)
            self._wait(30)

    def close(self) -> None:
        """End the window."""
        self._window.close()
