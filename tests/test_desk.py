"""The whole way with the real document process and the real model: add, gist, ask, stop, close, go on."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from readdesk.desk import Desk
from readdesk.errors import ModelError, NotFoundError, ReadDeskError
from readdesk.jobs.events import (
    Done,
    Failed,
    Gisted,
    LookedUp,
    ModelReady,
    Overtaken,
    PageBegun,
    PageKept,
    Progress,
    Started,
    Stopped,
    Text,
)
from readdesk.library.model import DocumentRecord
from readdesk.llm.local import LocalEngine
from readdesk.paths import Paths
from readdesk.reading.model import Answer
from readdesk.settings import Settings
from tests.jobs.homes import as_text, long_page, make_home, short_pages, wait_until_quiet
from tests.jobs.recorder import Recorder
from tests.samples import make

CONTEXT = 4096


@pytest.fixture
def settings(paths: Paths, tiny_model: Path) -> Settings:
    """Settings that spare what is not needed here; the model lies in its place."""
    return make_home(paths.data, tiny_model, CONTEXT)


@pytest.fixture
def told() -> Recorder:
    return Recorder()


@pytest.fixture
def desk(paths: Paths, settings: Settings, told: Recorder) -> Iterator[Desk]:
    """An empty library with the model at hand."""
    opened = Desk(paths, settings, told.post)
    yield opened
    opened.close()
    wait_until_quiet(paths.data)


def add(desk: Desk, told: Recorder, path: Path) -> DocumentRecord:
    """Add a file and wait for it."""
    end = told.end(desk.add(path))
    assert isinstance(end, Done), end
    assert isinstance(end.result, DocumentRecord)
    return end.result


def add_text(desk: Desk, told: Recorder, folder: Path, name: str, text: str) -> DocumentRecord:
    """Add a text under a name."""
    (folder / name).write_text(text, encoding="utf-8")
    return add(desk, told, folder / name)


def wait_until_it_reads(told: Recorder, job: int) -> None:
    """Wait until the model is in the middle of reading a long page for a job; it is loaded already."""
    told.started(job)
    time.sleep(0.4)
    assert isinstance(told.of(job)[-1], PageBegun | ModelReady), "the page is too short to be stopped while it is read"


def test_the_whole_way(desk: Desk, told: Recorder, tmp_path: Path) -> None:
    """An EPUB and a text; a question about one while the other is being read."""
    chapters = short_pages(4)
    files = {f"{n}.xhtml": make.xhtml(f"<h1>{title}</h1><p>{text}</p>") for n, (title, text) in enumerate(chapters)}
    nav = "".join(make.entry(name, title) for name, (title, _) in zip(files, chapters, strict=True))
    epub = add(desk, told, make.epub(tmp_path / "ferry.epub", files, nav=nav))
    text = add_text(desk, told, tmp_path, "mill.txt", as_text(short_pages(3, "mill cart")))
    assert [record.title for record in desk.documents()] == ["A Sample", "mill"]

    epub_gisting = desk.gist(epub.id, "tiny", pages=3)
    end = told.end(epub_gisting)
    assert isinstance(end, Done) and isinstance(end.result, Gisted)
    assert (end.result.added, end.result.complete, end.result.figures.pages) == (3, False, 3)
    pages = desk.pages(epub)
    assert [(item.page.number, item.section) for item in pages] == [(n, f"CHAPTER {n}") for n in (1, 2, 3)]
    assert all(item.gist is not None and item.gist.text and item.gist.model == "tiny" for item in pages)
    assert desk.gist_models(epub) == ("tiny",)
    assert "In week 12 the ferry" in desk.page_text(epub, 2)

    gisting = desk.gist(text.id, "tiny")
    told.started(gisting)
    asking = desk.ask(epub.id, "Which letters came from Bergen?", max_pages=1)
    answered = told.end(asking)
    assert isinstance(answered, Done) and isinstance(answered.result, Answer)
    assert not any(isinstance(event, Done) for event in told.of(gisting)), "the question was not answered first"
    finished = told.end(gisting)
    assert isinstance(finished, Done) and finished.result.complete
    check_answer(desk, told, epub, asking, answered.result)
    bounds = [(item.page.number, item.page.start, item.page.end) for item in desk.pages(text)]
    assert [number for number, _, _ in bounds] == [1, 2, 3]
    assert bounds[0][1] == 0 and bounds[-1][2] == text.characters
    assert [end for _, _, end in bounds[:-1]] == [start for _, start, _ in bounds[1:]]
    kinds = [type(event) for event in told.of(gisting) if not isinstance(event, Overtaken | PageBegun)]
    assert kinds == [Started, ModelReady, *[PageKept, Progress] * 3, Done]
    told.check(epub_gisting, gisting, asking)


def check_answer(desk: Desk, told: Recorder, record: DocumentRecord, job: int, answer: Answer) -> None:
    """What was told is what came out, and it is kept with its trail."""
    events = told.of(job)
    looked_up = [event for event in events if isinstance(event, LookedUp)]
    assert [type(event) for event in events[:3]] == [Started, ModelReady, LookedUp] and len(looked_up) == 1
    assert looked_up[0].look_ups == answer.look_ups and len(answer.look_ups) == 1
    assert "".join(event.text for event in events if isinstance(event, Text)).strip()
    assert (answer.pages, answer.complete) == (3, False)
    (asked,) = desk._library.conversations.of(record)
    assert (asked.question, asked.answer, asked.look_ups) == (
        "Which letters came from Bergen?",
        answer.text,
        answer.look_ups,
    )


def test_a_long_page_gives_way_and_stops(
    desk: Desk, told: Recorder, tmp_path: Path, record_testsuite_property: Callable[[str, object], None]
) -> None:
    """In the middle of its reading it is overtaken by a question, then stopped within a second, then done.

    The model's process lives through all of it: only so is what it has read of the page not lost.
    """
    short = add_text(desk, told, tmp_path, "ferry.txt", as_text(short_pages(1)))
    told.end(desk.gist(short.id, "tiny"))
    record = add_text(desk, told, tmp_path, "log.txt", long_page())
    first = desk.gist(record.id, "tiny", kind="book")
    wait_until_it_reads(told, first)
    process = model_process(desk)

    asking = desk.ask(short.id, "What came?", max_pages=0)
    assert isinstance(told.end(asking), Done)
    assert [type(event) for event in told.of(first)][:4] == [Started, PageBegun, ModelReady, Overtaken]

    wait_until_it_reads(told, first)
    before = time.monotonic()
    desk.stop(first)
    assert told.end(first) == Stopped(first)
    seconds = time.monotonic() - before
    record_testsuite_property("stop_seconds_desk", round(seconds, 3))
    assert seconds < 1.0
    assert desk.pages(record) == ()

    second = desk.gist(record.id, "tiny", kind="book")
    end = told.end(second)
    assert isinstance(end, Done) and end.result.complete and end.result.added == 1
    assert len(desk.pages(record)) == 1
    assert model_process(desk) == process
    told.check(first, asking, second)


def model_process(desk: Desk) -> int:
    """The number of the process that holds the model."""
    engine = desk._loader._engine
    assert isinstance(engine, LocalEngine)
    number = engine._worker.pid
    assert number is not None
    return number


def test_close_while_everything_works(paths: Paths, settings: Settings, tmp_path: Path) -> None:
    """No thread and no process stays, every job has its end, and the next desk finds the library as it was."""
    threads = set(threading.enumerate())
    told = Recorder()
    desk = Desk(paths, settings, told.post)
    record = add_text(desk, told, tmp_path, "log.txt", long_page())
    large = make.epub(tmp_path / "large.epub", {"a.xhtml": make.xhtml(f"<p>{make.PARAGRAPH}</p>" * 30_000)})
    gisting, waiting = desk.gist(record.id, "tiny", kind="book"), desk.gist(record.id, "tiny")
    wait_until_it_reads(told, gisting)
    adding = desk.add(large)
    told.started(adding)
    desk.close()
    assert set(threading.enumerate()) <= threads
    wait_until_quiet(paths.data)
    told.check(gisting, waiting, adding)
    assert [told.of(job)[-1] for job in (gisting, waiting, adding)] == [
        Stopped(gisting),
        Stopped(waiting),
        Stopped(adding),
    ]
    again = Desk(paths, settings, told.post)
    assert again.documents() == (replace(record, kind="book"),) and again.pages(record) == ()
    again.close()


FRONT = """
import queue, sys
from pathlib import Path
from readdesk.desk import Desk
from readdesk.jobs.events import Done, Failed, Gisted
from readdesk.paths import Paths
from readdesk.settings import load_settings

events = queue.SimpleQueue()

def wait(job):
    while not isinstance(event := events.get(timeout=60), Done):
        assert not isinstance(event, Failed), event
    return event.result

paths = Paths.default()
desk = Desk(paths, load_settings(paths.config), events.put)
for file in sys.argv[1:]:
    record = wait(desk.add(Path(file)))
gisted = wait(desk.gist(record.id, "tiny", 1))
assert gisted.figures.tokens_written > 0
assert wait(desk.ask(record.id, "What came?", max_pages=1)).text
wait(desk.export(record.id, "md", None))
desk.close()
print(*sys.modules)
"""
HEAVY = {"pymupdf", "fitz", "ebooklib", "lxml", "llama_cpp", "torch", "faiss", "sentence_transformers", "PySide6"}


def test_the_front_process_stays_light(paths: Paths, settings: Settings, tmp_path: Path) -> None:
    """Whatever the desk does, parsers and models live in processes of their own."""
    epub = make.epub(tmp_path / "a.epub", {"a.xhtml": make.xhtml("<p>A short text.</p>")})
    pdf = make.pdf(tmp_path / "a.pdf", [make.lines(make.LINES)])
    text = tmp_path / "a.txt"
    text.write_text(as_text(short_pages(1)))
    child = subprocess.run(
        [sys.executable, "-c", FRONT, str(epub), str(pdf), str(text)], capture_output=True, text=True, check=False
    )
    assert (child.returncode, child.stderr) == (0, "")
    loaded = {name.partition(".")[0] for name in child.stdout.split()}
    assert "readdesk" in loaded and not loaded & HEAVY
    wait_until_quiet(paths.data)


# -- models ------------------------------------------------------------------------------------------------------


def test_without_a_model(paths: Paths, told: Recorder, tmp_path: Path) -> None:
    """Adding works; reading says what to do."""
    desk = Desk(paths, Settings(), told.post)
    record = add_text(desk, told, tmp_path, "ferry.txt", "The ferry left.")
    with pytest.raises(ModelError, match="First run: readdesk models get starter"):
        desk.gist(record.id)
    with pytest.raises(NotFoundError, match="No model is called nothing"):
        desk.gist(record.id, "nothing")
    end = told.end(desk.gist(record.id, "starter"))
    assert isinstance(end, Failed) and "readdesk models get starter" in str(end.error)
    with pytest.raises(ReadDeskError, match="has not been read yet"):
        desk.ask(record.id, "What left?")
    assert [state.installed for state in desk.models()] == [False] * len(desk.models())
    desk.close()


def test_a_model_named_by_its_path(paths: Paths, told: Recorder, tmp_path: Path, tiny_model: Path) -> None:
    """Its gists carry its name, so it is known by that name from now on, also after a restart."""
    (tmp_path / "my own.gguf").symlink_to(tiny_model)
    settings = make_home(tmp_path / "elsewhere", tiny_model)
    desk = Desk(paths, settings, told.post)
    record = add_text(desk, told, tmp_path, "ferry.txt", "The ferry left.")
    end = told.end(desk.gist(record.id, str(tmp_path / "my own.gguf")))
    assert isinstance(end, Done) and end.result.figures.pages == 1
    assert desk.gist_models(record) == ("my-own",)
    desk.close()
    desk = Desk(paths, settings, told.post)
    assert desk.default_model().name == "my-own"
    assert isinstance(told.end(desk.ask(record.id, "What left?", max_pages=0)), Done)
    assert isinstance(told.end(desk.gist(record.id)), Done)
    desk.close()
    wait_until_quiet(paths.data)


def test_an_empty_question(desk: Desk, told: Recorder, tmp_path: Path) -> None:
    record = add_text(desk, told, tmp_path, "ferry.txt", "The ferry left.")
    with pytest.raises(ReadDeskError, match="question is empty"):
        desk.ask(record.id, "  \n ")


def test_a_file_has_one_name_from_wherever_it_is_named(
    desk: Desk, told: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "books").mkdir()
    record = add_text(desk, told, tmp_path / "books", "~ferry.txt", "The ferry left.")
    monkeypatch.chdir(tmp_path / "books")
    for name in ("~ferry.txt", "../books/~ferry.txt", str(tmp_path / "books" / "~ferry.txt")):
        assert add(desk, told, Path(name)) == record
        assert desk.find(name) == record
