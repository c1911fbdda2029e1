"""Files made to do harm (`samples/hostile.py`): what becomes of reading and of drawing them, and of taking that back?

Each file goes through a front process of its own with a DocumentReader and a LeafDrawer, as the program has them. It is
read, and its first leaf is drawn, each within twenty seconds; then both are begun again and cancelled while they run.
What must come is a document or a picture, or a sentence; the front process may never be held.

    python -m tests.bench.pdf_hostile FILE SECONDS    (prints one JSON line; used by tests.bench.pdf)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from readdesk.cancel import Cancelled, CancelToken
from readdesk.documents.drawer import LeafDrawer
from readdesk.documents.open import DocumentReader
from readdesk.errors import ReadDeskError
from tests.bench.books import is_clean
from tests.bench.mutants import LIMIT_SECONDS, fate_of
from tests.bench.speed import peak_of_this
from tests.bench.ticker import Ticker

_ROOT = Path(__file__).resolve().parents[2]
_PATIENCE_SECONDS = 90.0
_SCALE = 1.5
_BEGUN_SECONDS = 0.4
_LATER_SECONDS = 1.5


@dataclass(frozen=True)
class Harm:
    """What a file did; times are in seconds, memory in MB. `cancel` is the longest of all times to take work back."""

    name: str
    read: str
    read_seconds: float
    drawn: str
    draw_seconds: float
    cancel: float
    held: float
    front_peak: float
    reader_peak: float
    said: str = ""
    limit: float = LIMIT_SECONDS

    @property
    def is_allowed(self) -> bool:
        """Whether reading and drawing came to an end of their own, in time, with a result or a sentence."""
        return (
            self.read in ("opened", "refused", "worker")
            and self.drawn in ("drawn", "refused")
            and max(self.read_seconds, self.draw_seconds) <= self.limit
        )

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.read} in {self.read_seconds:.1f} s, {self.drawn} in {self.draw_seconds:.1f} s, taken "
            f"back in {self.cancel:.2f} s, front held {self.held * 1000:.0f} ms, {self.front_peak:.0f} MB front, "
            f"{self.reader_peak:.0f} MB reader; {self.said}"
        )


def harm_of(path: Path, limit: float = LIMIT_SECONDS) -> Harm:
    """What a file does to a front process of its own; reading and drawing may take so many seconds each."""
    command = [sys.executable, "-m", "tests.bench.pdf_hostile", str(path), str(limit)]
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    try:
        done = subprocess.run(
            command, cwd=_ROOT, env=environment, capture_output=True, text=True, timeout=limit + _PATIENCE_SECONDS
        )
    except subprocess.TimeoutExpired:
        return _lost(path, "hang", "the front process did not end")
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        return _lost(path, "front", f"the front process ended with {done.returncode}: {done.stderr[-300:]}")
    return Harm(**json.loads(lines[-1]))


def _lost(path: Path, fate: str, said: str) -> Harm:
    return Harm(path.stem, fate, _PATIENCE_SECONDS, fate, _PATIENCE_SECONDS, 0.0, 0.0, 0.0, 0.0, said)


# -- the front process -------------------------------------------------------------------------------------------


def harm(path: Path, limit: float) -> Harm:
    """Read, draw, and take both back."""
    reader, drawer, ticker = DocumentReader(), LeafDrawer(), Ticker()
    reader.start()
    drawer.start()
    ticker.start()
    told = fate_of(reader, path, 0, path.stem, limit)
    drawn, draw_seconds, said = _drawn(drawer, path, limit)
    cancels = [
        seconds
        for after in (_BEGUN_SECONDS, _LATER_SECONDS)
        for seconds in (
            taken_back(lambda token: [None for _ in reader.read(path, cancel=token)], after),
            taken_back(lambda token: drawer.leaf(path, None, 0, _SCALE, token), after),
        )
    ]
    held = ticker.longest
    ticker.close()
    reader.close()
    drawer.close()
    return Harm(
        name=path.stem,
        read=told.fate,
        read_seconds=told.seconds,
        drawn=drawn,
        draw_seconds=draw_seconds,
        cancel=max(cancels),
        held=held,
        front_peak=peak_of_this(),
        reader_peak=told.peak,
        said=f"{told.said} / {said}",
        limit=limit,
    )


def _drawn(drawer: LeafDrawer, path: Path, limit: float) -> tuple[str, float, str]:
    token = CancelToken()
    timer = threading.Timer(limit, token.cancel)
    timer.start()
    began = time.monotonic()
    try:
        leaves = drawer.open(path, cancel=token)
        picture = drawer.leaf(path, None, 0, _SCALE, token)
        fate, said = "drawn", f"{picture.width}x{picture.height} of {len(leaves)}{', in part' * bool(picture.lack)}"
    except Cancelled:
        fate, said = "hang", "nothing was drawn"
    except ReadDeskError as error:
        fate, said = ("refused" if is_clean(error) else "unclear"), str(error)
    except Exception as error:  # What must never happen is what is looked for.
        fate, said = "wrong", f"{type(error).__name__}: {str(error).strip()[-200:]}"
    finally:
        timer.cancel()
    return fate, time.monotonic() - began, said


def taken_back(work: Callable[[CancelToken], object], after: float) -> float:
    """Seconds from a cancel, so long after the beginning, to the end of work; 0 for work that was done by then."""
    token = CancelToken()
    ends: list[float] = []

    def begin() -> None:
        with suppress(Cancelled, ReadDeskError):
            work(token)
        ends.append(time.monotonic())

    thread = threading.Thread(target=begin)
    thread.start()
    thread.join(after)
    asked = time.monotonic()
    token.cancel()
    thread.join()
    return max(0.0, ends[0] - asked) if ends else LIMIT_SECONDS


if __name__ == "__main__":
    print(json.dumps(asdict(harm(Path(sys.argv[1]), float(sys.argv[2])))))
