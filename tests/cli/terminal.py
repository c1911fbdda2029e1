"""Command lines run in this process, and the real program in one of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from readdesk.cli.main import run


@dataclass(frozen=True)
class Said:
    """How a command ended, and what it printed where."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be one JSON value and nothing else."""
        assert self.out, self
        return json.loads(self.out)

    def check_error(self, code: int = 1) -> str:
        """A person sees one line of words, on standard error only, with no traceback; it is returned."""
        assert (self.code, self.out) == (code, ""), self
        told = [line for line in self.err.splitlines() if not line.endswith("…")]
        assert len(told) == 1 and "Traceback" not in self.err, self.err
        return told[0]


class Terminal:
    """Runs command lines in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str | Path | int) -> Said:
        """Run `readdesk` with these words."""
        self._capsys.readouterr()
        code = run([str(word) for word in words])
        return Said(code, *self._capsys.readouterr())


def environment(home: Path) -> Mapping[str, str]:
    """The environment of a program that keeps everything in a home."""
    return {**os.environ, "READDESK_HOME": str(home)}


def program(home: Path, *words: str | Path | int) -> Said:
    """Run the real program to its end."""
    child = subprocess.run(
        [sys.executable, "-m", "readdesk", *map(str, words)],
        env=environment(home),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return Said(child.returncode, child.stdout, child.stderr)


def _hear_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Program:
    """The real program in a process group of its own, as a terminal starts it."""

    def __init__(self, home: Path, *words: str | Path | int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "readdesk", *map(str, words)],
            env=environment(home),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
            # Tests may run in the background, where Ctrl-C is ignored and children would inherit that.
            preexec_fn=_hear_ctrl_c,
        )

    def wait_for_words(self) -> str:
        """Wait for the next line on standard error."""
        assert self._process.stderr is not None
        return self._process.stderr.readline()

    def wait_for_output(self) -> None:
        """Wait for the first character on standard output."""
        assert self._process.stdout is not None
        assert self._process.stdout.read(1)

    def press_ctrl_c_only(self) -> None:
        """Interrupt it without waiting for its end."""
        os.killpg(self._process.pid, signal.SIGINT)

    def press_ctrl_c(self) -> tuple[Said, float]:
        """Interrupt the whole process group, as the terminal does; how it ended, and after how many seconds."""
        before = time.monotonic()
        os.killpg(self._process.pid, signal.SIGINT)
        self._process.wait(60)
        seconds = time.monotonic() - before
        out, err = self._process.communicate()
        return Said(self._process.returncode, out, err), seconds
