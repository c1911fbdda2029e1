"""What a job's model runs on is told once in every job that needs one, as soon as the model is loaded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.jobs.ask import Question, ask
from readdesk.jobs.events import Event, LookedUp, ModelReady, Overtaken, PageKept, Started
from readdesk.jobs.lane import Turn
from readdesk.jobs.work import GistRequest, gist
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library
from readdesk.llm.base import Engine
from readdesk.llm.local import LocalEngine
from tests.fakes import ScriptedEngine
from tests.jobs.books import PAGES, Engines, add_book, drive, writer
from tests.jobs.test_gisting import run
from tests.jobs.test_groups import Interrupted, Together

NOTE = "The GPU has memory for 12 of the model's 29 layers; the CPU does the rest."


def ready(events: list[Event]) -> list[ModelReady]:
    return [event for event in events if isinstance(event, ModelReady)]


def test_gisting_tells_it_before_the_first_page_is_kept(library: Library) -> None:
    engine = Together(4)
    engine.runs = replace(engine.runs, device="GPU (a big one)", gpu_layers=12, note=NOTE)
    events, _ = run(library, add_book(library), tiny=engine)
    assert ready(events) == [ModelReady(1, engine.runs)]
    kinds = [type(event) for event in events]
    assert kinds.index(Started) < kinds.index(ModelReady) < kinds.index(PageKept)


def test_a_job_with_nothing_to_read_needs_no_model(library: Library) -> None:
    record = add_book(library)
    run(library, record, tiny=writer())
    events, _ = run(library, record, tiny=writer())
    assert events == [Started(1, "Reading \u201cA Book\u201d with tiny")]


def test_pages_that_stand_already_tell_it_too(library: Library) -> None:
    record = add_book(library)
    run(library, record, tiny=writer())
    events, _ = run(library, record, small=writer())
    assert len(ready(events)) == 1


def test_a_job_that_is_overtaken_again_and_again_tells_it_once(library: Library) -> None:
    engine = Interrupted(3)
    events, result = run(library, add_book(library), tiny=engine)
    assert result.added == PAGES and engine.interruptions > 0
    assert len(ready(events)) == 1


class LateEngines(Engines):
    """A model whose loading gives way to questions at first."""

    def __init__(self, times: int, **engines: Engine) -> None:
        super().__init__(**engines)
        self._times = times

    def engine(self, name: str, cancel: CancelToken) -> Engine:
        """The engine, after some interruptions."""
        self._times -= 1
        if self._times >= 0:
            raise Cancelled
        return super().engine(name, cancel)


def test_it_is_told_when_the_model_is_loaded_after_all(library: Library) -> None:
    record, told = add_book(library), list[Event]()
    work = gist(1, Turn(told.append), library, LateEngines(2, tiny=writer()), GistRequest(record.id, "tiny"))
    events, _ = drive(work, told)
    assert [event for event in events if isinstance(event, Overtaken | ModelReady)] == [
        *(Overtaken(1), Overtaken(1), ModelReady(1, writer().runs))
    ]


@pytest.fixture
def book(library: Library) -> DocumentRecord:
    record = add_book(library)
    run(library, record, pages=2, tiny=writer())
    return record


def test_a_question_tells_it_before_anything_is_looked_up(library: Library, book: DocumentRecord) -> None:
    engine = ScriptedEngine(["[2]", "Words."])
    engine.runs = replace(engine.runs, has_template=False)
    question = Question(book.id, "What is it about?", "asked", "tiny", 1)
    events, _ = drive(ask(2, Turn(), library, Engines(asked=engine), question))
    assert [type(event) for event in events][:3] == [Started, ModelReady, LookedUp]
    assert ready(events) == [ModelReady(2, engine.runs)]


def test_the_real_tiny_tells_what_it_runs_on(library: Library, tiny_engine: LocalEngine) -> None:
    record = add_book(library)
    events, _ = run(library, record, pages=1, tiny=tiny_engine)
    (event,) = ready(events)
    assert event.info == tiny_engine.info(CancelToken())
    assert event.info.words.startswith("tiny runs on the CPU: 1 thread")
