"""A virtual screen whose pixels can be read, and programs that are timed until words stand on it.

Every program is measured alike, from the moment it is started until the middle of the screen has changed for the last
time (a caret that blinks is no change); its own opinion of being ready is not asked. Needs Xvfb (Debian: `apt-get
install xvfb`).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt
import psutil

_WIDTH, _HEIGHT = 1400, 900
_MIDDLE = (slice(260, 620), slice(330, 640))
_CHANGE = 0.004
"""The share of the middle that must change to count."""

_STILL_SECONDS = 1.5


@dataclass(frozen=True)
class Shown:
    """How long a program took until it stood there, in seconds, and the memory of all its processes then, in MB."""

    seconds: float
    memory: float


class Screen:
    """Xvfb with its frame buffer in a file."""

    def __init__(self, number: int = 93) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.display = f":{number}"
        self._server = subprocess.Popen(
            ["Xvfb", self.display, "-screen", "0", f"{_WIDTH}x{_HEIGHT}x24", "-fbdir", self._folder.name],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._file = Path(self._folder.name) / "Xvfb_screen0"
        deadline = time.monotonic() + 10
        while not self._file.exists() or self._file.stat().st_size < _WIDTH * _HEIGHT * 4:
            if time.monotonic() > deadline:
                raise RuntimeError("Xvfb did not start")
            time.sleep(0.05)
        time.sleep(0.5)

    def __enter__(self) -> Screen:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.terminate()
        self._server.wait()
        self._folder.cleanup()

    def middle(self) -> npt.NDArray[np.uint8]:
        """What is in the middle of the screen, as grey."""
        data = np.memmap(self._file, dtype=np.uint8, mode="r")
        frame = data[len(data) - _WIDTH * _HEIGHT * 4 :].reshape(_HEIGHT, _WIDTH, 4)
        return np.asarray(frame[_MIDDLE][..., :3].mean(axis=2), dtype=np.uint8)

    def _settled(self, began: float, process: subprocess.Popen[bytes]) -> float:
        """Seconds from the beginning to the last change of the middle; raises TimeoutError when it never comes."""
        seen = self.middle()
        changed = 0.0
        while True:
            now = time.monotonic() - began
            if now > 40 or process.poll() is not None:
                raise TimeoutError("the program showed nothing, or never came to rest")
            picture = self.middle()
            if float((np.abs(picture.astype(int) - seen) > 12).mean()) > _CHANGE:
                seen, changed = picture, now
            elif changed and now - changed > _STILL_SECONDS and picture.any():
                return changed
            time.sleep(0.01)

    def show(self, command: Sequence[str], environment: Mapping[str, str], settle: float = 0.5) -> Shown:
        """Start a program, wait until it stands on the screen, and end it; raises TimeoutError after 40 seconds."""
        before = time.monotonic()
        process = subprocess.Popen(
            command,
            env={**os.environ, "DISPLAY": self.display, "QT_QPA_PLATFORM": "xcb", **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            seconds = self._settled(before, process)
            time.sleep(settle)
            return Shown(seconds, memory_of(process.pid))
        finally:
            _end(process)
            self._wait_until_empty()

    def _wait_until_empty(self) -> None:
        deadline = time.monotonic() + 10
        while self.middle().any() and time.monotonic() < deadline:
            time.sleep(0.05)


def memory_of(process: int) -> float:
    """The proportional set size of a process and all below it, in MB."""
    tree = [psutil.Process(process), *psutil.Process(process).children(recursive=True)]
    return sum(one.memory_full_info().pss for one in tree if one.is_running()) / 1e6


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program as a person closes it, then for sure."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=5)
            return
        except (subprocess.TimeoutExpired, ProcessLookupError):
            continue


def can_be_used() -> bool:
    """Whether there is an Xvfb here."""
    return shutil.which("Xvfb") is not None
