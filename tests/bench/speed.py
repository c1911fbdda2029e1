"""How fast a book is added, beside the least that any program must do to read it: ebooklib and lxml alone.

Each side runs in a fresh Python of its own, in turns, and its clock starts after `import sys`: ours makes a Desk in an
empty home, adds the file and waits for Done (the document process starts within that time), or only exhausts
DocumentReader; the bare side calls `read_epub` and joins `itertext` of every item of the spine. What the front process
took at most (VmHWM) is read at the end of ours, when everything is still there.

    python -m tests.bench.speed add|read|bare FILE    (prints one JSON line; used by tests.bench.epub)
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SIDES = ("add", "read", "bare")
_ROOT = Path(__file__).resolve().parents[2]
_LIMIT_SECONDS = 300


@dataclass(frozen=True)
class Timed:
    """What one side took: seconds, the peak of the front process in MB, words and sections where it counts them."""

    seconds: float
    peak: float
    words: int = 0
    sections: int = 0


def timed(side: str, path: Path, module: str = "tests.bench.speed", password: str | None = None) -> Timed:
    """Run one side of a module in a Python of its own; raises CalledProcessError where it fails."""
    command = [sys.executable, "-m", module, side, str(path), *([password] if password else [])]
    done = subprocess.run(command, check=True, cwd=_ROOT, capture_output=True, text=True, timeout=_LIMIT_SECONDS)
    return Timed(**json.loads(done.stdout.strip().splitlines()[-1]))


def in_turns(
    sides: Sequence[str],
    path: Path,
    turns: int,
    module: str = "tests.bench.speed",
    password: str | None = None,
) -> dict[str, Timed]:
    """The run of median length of each side; peaks are the largest of all turns."""
    found: dict[str, list[Timed]] = {side: [] for side in sides}
    for _ in range(turns):
        for side in sides:
            found[side].append(timed(side, path, module, password))
    return {side: _median(results) for side, results in found.items()}


def _median(results: Sequence[Timed]) -> Timed:
    one = results[0]
    seconds = statistics.median(result.seconds for result in results)
    return Timed(seconds, max(result.peak for result in results), one.words, one.sections)


# -- inside the child --------------------------------------------------------------------------------------------


def add(path: Path) -> dict[str, float]:
    """From a file to saved, through a Desk."""
    import queue  # noqa: PLC0415 - importing is a part of what is timed, on every side

    from readdesk.desk import Desk  # noqa: PLC0415
    from readdesk.jobs.events import END, Done, Event  # noqa: PLC0415
    from readdesk.paths import Paths  # noqa: PLC0415
    from readdesk.settings import Settings  # noqa: PLC0415

    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        paths = Paths(home, home / "config", home / "cache", home / "models", home / "library.db")
        desk = Desk(paths, Settings(), events.put, offline=True)
        try:
            began = time.perf_counter()
            desk.add(path)
            while not isinstance(event := events.get(), END):
                pass
            seconds, peak = time.perf_counter() - began, peak_of_this()
            assert isinstance(event, Done), event
            sections = len(desk.sections(event.result))
        finally:
            desk.close()
    return {"seconds": seconds, "peak": peak, "words": event.result.words, "sections": sections}


def read(path: Path) -> dict[str, float]:
    """From a file to the last message of the document process."""
    from readdesk.documents.open import DocumentReader  # noqa: PLC0415

    reader = DocumentReader()
    began = time.perf_counter()
    for _ in reader.read(path):
        pass
    seconds = time.perf_counter() - began
    reader.close()
    return {"seconds": seconds, "peak": peak_of_this()}


def bare(path: Path) -> dict[str, float]:
    """The text of every item of the spine by ebooklib and lxml, nothing else."""
    began = time.perf_counter()
    from ebooklib import epub  # noqa: PLC0415 - here and not above, so that ours does not load it
    from lxml import etree  # noqa: PLC0415

    book = epub.read_epub(str(path))
    items = {item.id: item for item in book.get_items()}
    texts = []
    for identifier, _ in book.spine:
        root = etree.fromstring(items[identifier].get_content(), etree.HTMLParser(encoding="utf-8"))
        texts.append("".join(map(str, root.itertext())))
    assert sum(map(len, texts)) > 0
    return {"seconds": time.perf_counter() - began, "peak": peak_of_this()}


def peak_of_this() -> float:
    """The most memory that this process has taken, in MB."""
    status = Path("/proc/self/status")
    if not status.exists():
        import psutil  # noqa: PLC0415 - for systems without /proc

        return float(psutil.Process().memory_info().rss) / 1e6
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024 / 1e6


if __name__ == "__main__":
    print(json.dumps({"add": add, "read": read, "bare": bare}[sys.argv[1]](Path(sys.argv[2]))))
