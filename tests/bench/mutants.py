"""Mutants through the real reader: a document or a ReadDeskError may come of them, and nothing else.

The files are read as the program reads them, by one DocumentReader with its process, in a Python of its own (the front
process), so that its death or its hanging is counted too and the next mutant goes on. What is told of a mutant:

    opened   a document came, and its stream kept its promises
    refused  a ReadDeskError; `unclear` are those among them that are not one plain sentence
    worker   the document process died or was too slow, which the front process told as a DocumentError
    wrong    any other exception, also one inside the document process
    hang     nothing after 20 seconds
    front    the front process died
    leak     a text holds what stands in another file

    python -m tests.bench.mutants    (reads a JSON line a mutant, answers with a JSON line; used by mutants_of)
"""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, Protocol, get_args

from readdesk.cancel import Cancelled, CancelToken
from readdesk.documents.open import DocumentReader
from readdesk.errors import ReadDeskError
from tests.bench.books import Outcome, Reading, is_clean, is_crash, outcome_of
from tests.bench.mutate import SECRET_FILE, Mutant, Nursery
from tests.bench.spoil import SECRET
from tests.bench.ticker import Ticker

Fate = Literal["opened", "refused", "worker", "wrong", "hang", "front", "leak"]

LIMIT_SECONDS = 20.0
_PATIENCE_SECONDS = 30.0
_MOST_MEMORY = 8 << 30
_ROOT = Path(__file__).resolve().parents[2]
_TOLD_EVERY = 250
_ODD = re.compile(r"0x[0-9a-f]+|position \d+|\S*site-packages/|\S*/lib/python[\d.]+/|\S+(?=/readdesk/)")


@dataclass(frozen=True)
class Told:
    """What became of a mutant.

    `peak` is the document process' memory at most, in MB, so far; `held` how long the front process stood still at
    most, in seconds.
    """

    seed: int
    kind: str
    fate: Fate
    seconds: float
    said: str = ""
    is_unclear: bool = False
    peak: float = 0.0
    held: float = 0.0

    @property
    def is_allowed(self) -> bool:
        """Whether this may happen."""
        return self.fate in ("opened", "refused", "worker") and self.seconds <= LIMIT_SECONDS

    @property
    def cause(self) -> str:
        """What went wrong and where, without what differs from mutant to mutant; as a key to count by."""
        return f"{self.fate}: {_ODD.sub('…', self.said)[:300]}"

    def __str__(self) -> str:
        return f"{self.seed} {self.fate} {self.seconds:.1f} s {self.peak:.0f} MB [{self.kind}] {self.said}"


@dataclass
class Tally:
    """What became of all mutants."""

    counts: Counter[Fate] = field(default_factory=Counter)
    remarkable: list[Told] = field(default_factory=list)
    unclear: list[Told] = field(default_factory=list)
    slowest: Told | None = None
    largest: Told | None = None
    held: float = 0.0

    def add(self, told: Told) -> None:
        """Count a mutant."""
        self.counts[told.fate] += 1
        if not told.is_allowed or told.fate == "worker":
            self.remarkable.append(told)
        if told.is_unclear:
            self.unclear.append(told)
        if self.slowest is None or told.seconds > self.slowest.seconds:
            self.slowest = told
        if self.largest is None or told.peak > self.largest.peak:
            self.largest = told
        self.held = max(self.held, told.held)


class Mother(Protocol):
    """Makes the mutant of a seed."""

    def mutant(self, seed: int) -> Mutant:
        """The same for the same seed."""


def mutants_of(data: Path, folder: Path, seeds: Sequence[int]) -> Iterator[Told]:
    """What becomes of each mutant, in the order of the seeds; the file of the last one stays in the folder."""
    secret = folder / SECRET_FILE
    secret.write_text(f"{SECRET}\n", "utf-8")
    yield from fates_of(Nursery(data, secret), folder, seeds)


def fates_of(nursery: Mother, folder: Path, seeds: Sequence[int]) -> Iterator[Told]:
    """What becomes of each mutant that a nursery makes."""
    front = _Front(folder)
    try:
        for number, seed in enumerate(seeds, start=1):
            yield front.ask(nursery.mutant(seed))
            if number % _TOLD_EVERY == 0:
                print(f"  {number} of {len(seeds)} mutants", flush=True)
    finally:
        front.close()


class _Front:
    """The front process from outside; it is started again where it has died."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def ask(self, mutant: Mutant) -> Told:
        """What becomes of a mutant."""
        path = self._folder / f"mutant{mutant.ending}"
        path.write_bytes(mutant.data)
        process = self._process or self._started()
        began = time.monotonic()
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # Then its end is what comes next.
            process.stdin.write(json.dumps({"seed": mutant.seed, "kind": mutant.kind, "path": str(path)}) + "\n")
            process.stdin.flush()
        try:
            line = self._lines.get(timeout=_PATIENCE_SECONDS)
            fate: Fate = "front"
        except queue.Empty:
            line, fate = "", "hang"
        if line:
            return Told(**json.loads(line))
        seconds = time.monotonic() - began
        self.close(is_dead=True)
        return Told(mutant.seed, mutant.kind, fate, seconds, f"the front process ended with {process.returncode}")

    def _started(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.mutants"],
            cwd=self._folder,
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._process, self._lines = process, queue.SimpleQueue()
        threading.Thread(target=self._listen, args=(process, self._lines), daemon=True).start()
        return process

    def _listen(self, process: subprocess.Popen[str], lines: queue.SimpleQueue[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put("")

    def close(self, is_dead: bool = False) -> None:
        """End the process."""
        if self._process is None:
            return
        if is_dead:
            self._process.kill()
        with suppress(BrokenPipeError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._process.wait(timeout=_PATIENCE_SECONDS)
        self._process = None


# -- the front process -------------------------------------------------------------------------------------------


def serve() -> int:
    """Read the mutants that are asked for."""
    _spare_the_machine()
    reader, ticker = DocumentReader(), Ticker()
    reader.start()
    ticker.start()
    for line in sys.stdin:
        asked = json.loads(line)
        ticker.begin()
        told = fate_of(reader, Path(asked["path"]), asked["seed"], asked["kind"])
        sys.stdout.write(json.dumps({**asdict(told), "held": ticker.longest}) + "\n")
        sys.stdout.flush()
    ticker.close()
    reader.close()
    return 0


def _spare_the_machine() -> None:
    """A mutant that wants all memory gets an error instead; the processes that are started inherit it."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - not on every system

        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))


def fate_of(reader: DocumentReader, path: Path, seed: int, kind: str, limit: float = LIMIT_SECONDS) -> Told:
    """Read one file within so many seconds and say what came of it."""
    token = CancelToken()
    timer = threading.Timer(limit, token.cancel)
    timer.start()
    began = time.monotonic()
    outcome = outcome_of(reader, path, token)
    seconds = time.monotonic() - began
    timer.cancel()
    is_unclear = isinstance(outcome, ReadDeskError) and not is_crash(outcome) and not is_clean(outcome)
    return Told(seed, kind, _fate(outcome), seconds, _said(outcome), is_unclear, _peak_of(reader))


def _fate(outcome: Outcome) -> Fate:
    if isinstance(outcome, Reading):
        texts = (outcome.head.title, *outcome.head.authors, *(paragraph.text for paragraph in outcome.paragraphs))
        return "leak" if any(SECRET in text for text in texts) else "opened"
    if isinstance(outcome, Cancelled):
        return "hang"
    if is_crash(outcome):
        return "worker"
    return "refused" if isinstance(outcome, ReadDeskError) else "wrong"


def _said(outcome: Outcome) -> str:
    if isinstance(outcome, Reading):
        return f"{outcome.health.words} words, {len(outcome.sections)} sections"
    lines = str(outcome).strip().splitlines() or [""]
    places = [line.strip() for line in lines if line.strip().startswith("File ")]
    return f"{type(outcome).__name__}: {lines[-1][:300]} {' < '.join(reversed(places[-3:]))}".strip()


def _peak_of(reader: DocumentReader) -> float:
    """The most memory that the document process has taken since it started, in MB; 0 where that is not known."""
    status = Path(f"/proc/{reader._worker.pid}/status")
    try:
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return 0.0
    return int(line.split()[1]) * 1024 / 1e6


FATES: tuple[Fate, ...] = get_args(Fate)

if __name__ == "__main__":
    sys.exit(serve())
