"""How long gisting takes, beside the floor of one sequence and beside the published way.

    python -m tests.bench.gisting [--quick] [--model starter] [--pauses auto|model|words] [--only pg2349 pg863]
                                  [--without-published] [--data FOLDER] [--models FOLDER]

Sample: the whole of pg2349.txt and the first 20,000 words of pg863.txt of narrativeqa, as they are added by a person.
`--quick` takes 500 words and *tiny*, whose gists are too bad to be held against a target. No seed: nothing is drawn by
lot. Ours is the job of the Desk, from asking for the gists to Done, with the model loaded before. The floor is what one
sequence needs that reads every token once of what is read of the document, and writes the tokens of our gists (but not
of short pages, which are their own) one at a time, by the speeds of bare llama.cpp (`bare.py`) measured just before and
just after ours with the same threads: reading stretches of a page's length, writing after one. The published way is
`published.py`, through the same engine.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ["OMP_WAIT_POLICY"] = "passive"  # Read when llama.cpp loads.

from readdesk.cancel import CancelToken
from readdesk.desk import Desk
from readdesk.documents.model import Document
from readdesk.jobs.events import END, Done, Event, Gisted, PageKept
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library
from readdesk.llm.local import LocalEngine
from readdesk.llm.model import EngineInfo, LoadOptions
from readdesk.paths import Paths
from readdesk.reading.paginate import SIZES
from readdesk.settings import Settings
from tests.bench.bare import Bare
from tests.bench.published import gist_as_published
from tests.bench.report import Report

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("READDESK_TEST_DATA") or ROOT.parent / "shared" / "data") / "narrativeqa"
WORDS = {"pg2349": 1_000_000, "pg863": 20_000}
QUICK_WORDS = 500
_CONTEXT = 8192
_STRETCH = 800
_WRITTEN = 48
_FIRST_WORDS = 300


@dataclass(frozen=True)
class Ours:
    """What our job took: seconds to the end and to the first gist, its figures, and the gists that were written."""

    seconds: float
    first: float
    done: Gisted
    gists: tuple[str, ...]
    document: Document


@dataclass(frozen=True)
class Speeds:
    """Tokens a second of bare llama.cpp: reading a page, writing after it."""

    reading: float
    writing: float


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description="How long gisting takes beside its floor and the published way.")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--model", default="")
    parser.add_argument("--pauses", default="auto")
    parser.add_argument("--only", nargs="+", default=sorted(WORDS))
    parser.add_argument("--without-published", action="store_true")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--models", type=Path, default=Path(os.environ.get("READDESK_TEST_MODELS", "models")))
    return parser.parse_args()


def main(asked: argparse.Namespace) -> int:
    """Measure, print, judge."""
    model = asked.model or ("tiny" if asked.quick else "starter")
    file = asked.models / f"{model}.gguf"
    texts = {name: asked.data / f"{name}.txt" for name in asked.only}
    if not file.exists() or not all(path.exists() for path in texts.values()):
        sys.stderr.write(f"This bench needs {file} and {', '.join(map(str, texts.values()))}.\n")
        return 2
    report = Report()
    for name, path in texts.items():
        words = QUICK_WORDS if asked.quick else WORDS[name]
        with tempfile.TemporaryDirectory() as folder:
            home = Home(Path(folder), file, asked.pauses)
            measure(report, name, home, first_words(path, words), with_published=not asked.without_published)
    if asked.quick:
        report.targets.clear()
    on = {"model": model, "files": asked.only, "words": QUICK_WORDS if asked.quick else WORDS, "pauses": asked.pauses}
    print(report.told("gisting", {**on, "cores": os.cpu_count()}))
    return 0 if report.is_met else 1


def first_words(path: Path, count: int) -> str:
    """The text up to the paragraph in which so many words are reached."""
    taken, held = list[str](), 0
    for paragraph in path.read_text(encoding="utf-8", errors="replace").split("\n\n"):
        taken.append(paragraph)
        held += len(paragraph.split())
        if held >= count:
            break
    return "\n\n".join(taken)


def measure(report: Report, name: str, home: Home, text: str, *, with_published: bool) -> None:
    """The three sides for one text, and the ratios."""
    info = home.info
    before = speeds(home.model, info, text)
    ours = home.gist(name, text)
    after = speeds(home.model, info, text)
    published = None
    if with_published:
        engine = LocalEngine(home.model.stem, home.model, LoadOptions(_CONTEXT, threads=info.threads))
        engine.info(CancelToken())
        published = gist_as_published(engine, ours.document, SIZES["article"])
        engine.close()
    bare = Bare(home.model, 512, info.threads, info.batch_threads)
    read = sum(len(bare.tokens(ours.document.text(*span))) for span in ours.document.readable())
    written = sum(len(bare.tokens(gist)) for gist in ours.gists)
    bare.close()
    reading, writing = (before.reading + after.reading) / 2, (before.writing + after.writing) / 2
    floor = read / reading + written / writing
    figures = ours.done.figures
    report.figure(f"{name}_words", figures.words)
    report.figure(f"{name}_pages", figures.pages)
    report.figure(f"{name}_tokens", read)
    report.figure(f"{name}_gist_tokens", written)
    report.figure(f"{name}_read_per_token", figures.tokens_read / read)
    report.figure(f"{name}_retried", figures.retried)
    report.figure(f"{name}_openings", figures.openings)
    report.figure(f"{name}_bare_reading", reading)
    report.figure(f"{name}_bare_writing", writing)
    report.figure(f"{name}_first_gist_s", ours.first)
    report.figure(f"{name}_s", ours.seconds)
    report.figure(f"{name}_floor_s", floor)
    report.figure(f"{name}_to_floor", ours.seconds / floor, ("<=", 1.0))
    if published is not None:
        report.figure(f"{name}_published_s", published.seconds)
        report.figure(f"{name}_published_pages", published.pages)
        report.figure(f"{name}_published_read", published.read)
        report.figure(f"{name}_published_written", published.written)
        report.figure(f"{name}_published_unnamed", published.unnamed)
        report.figure(f"{name}_times_faster", published.seconds / ours.seconds, (">=", 1.8))
    print(
        json.dumps({key: round(value, 3) for key, value in report.figures.items() if key.startswith(name)}), flush=True
    )


def speeds(model: Path, info: EngineInfo, text: str) -> Speeds:
    """Bare llama.cpp over stretches from all over a text; the median of five."""
    bare = Bare(model, _STRETCH + _WRITTEN + 16, info.threads, info.batch_threads)
    tokens = bare.tokens(text)
    reading, writing = list[float](), list[float]()
    for part in range(5):
        start = max(0, (len(tokens) - _STRETCH) * part // 4)
        stretch = tokens[start : start + _STRETCH]
        reading.append(len(stretch) / bare.read(stretch))
        writing.append(_WRITTEN / bare.write(_WRITTEN))
    bare.close()
    return Speeds(sorted(reading)[2], sorted(writing)[2])


class Home:
    """A ReadDesk of its own with one model."""

    def __init__(self, folder: Path, model: Path, pauses: str) -> None:
        self.model = model
        self._paths = Paths(folder, folder / "config", folder / "cache", folder / "models", folder / "library.db")
        self._paths.models.mkdir()
        (self._paths.models / model.name).symlink_to(model.resolve())
        self._folder = folder
        self._settings = Settings()
        self._settings.set("reading.pauses", pauses)
        self._settings.set("engine.context", _CONTEXT)
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        engine = LocalEngine(model.stem, model, LoadOptions(_CONTEXT))
        self.info = engine.info(CancelToken())
        engine.close()
        self._settings.set("engine.threads", self.info.threads)  # So that all sides have the same.

    def gist(self, name: str, text: str) -> Ours:
        """Add a text and gist it, after a few words of it that load the model."""
        desk = Desk(self._paths, self._settings, self._events.put, offline=True)
        try:
            warm = self._added(desk, "warm", " ".join(text.split()[:_FIRST_WORDS]))
            self._to_end(desk.gist(warm.id, self.model.stem))
            record = self._added(desk, name, text)
            began = time.perf_counter()
            events = self._to_end(desk.gist(record.id, self.model.stem), began)
        finally:
            desk.close()
        done = events[-1][1]
        assert isinstance(done, Done)
        first = next(when for when, event in events if isinstance(event, PageKept))
        library = Library(self._paths.library)
        document = library.documents.load(record)
        found = [item.gist for item in library.gists.pages(record, self.model.stem) if item.gist]
        gists = tuple(gist.text for gist in found if gist.flag != "verbatim")
        library.close()
        return Ours(events[-1][0], first, done.result, gists, document)

    def _added(self, desk: Desk, name: str, text: str) -> DocumentRecord:
        path = self._folder / f"{name}.txt"
        path.write_text(text, encoding="utf-8")
        done = self._to_end(desk.add(path))[-1][1]
        assert isinstance(done, Done)
        record: DocumentRecord = done.result
        return record

    def _to_end(self, job: int, began: float = 0.0) -> Sequence[tuple[float, Event]]:
        """All events of a job with the seconds since `began`; anything but Done is an error."""
        events: list[tuple[float, Event]] = []
        while not events or not isinstance(events[-1][1], END):
            event = self._events.get()
            if event.job == job:
                events.append((time.perf_counter() - began, event))
        assert isinstance(events[-1][1], Done), events[-1][1]
        return events


if __name__ == "__main__":
    sys.exit(main(arguments()))
