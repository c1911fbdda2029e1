"""Gisting: what is missing is what is to do, whatever happened before and whatever happens between."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import pytest

from readdesk.cancel import Cancelled
from readdesk.errors import ModelError, NotFoundError, ReadDeskError
from readdesk.jobs.ask import Question, ask
from readdesk.jobs.events import (
    Done,
    Event,
    Failed,
    Gisted,
    Overtaken,
    PageBegun,
    PageKept,
    Progress,
    Started,
    Stopped,
    Text,
)
from readdesk.jobs.lane import Lane, Turn
from readdesk.jobs.work import GistRequest, gist
from readdesk.library.model import DocumentRecord, PageRecord
from readdesk.library.store import Library
from readdesk.llm.base import Engine
from tests.fakes import Asked, ScriptedEngine, words
from tests.jobs.books import PAGES, Engines, HeldEngine, add_book, drive, replace_text, short, writer
from tests.jobs.recorder import LONG, Recorder

BOUNDS = [(1, 0, 5), (2, 6, 7), (3, 8, 13), (4, 14, 15), (5, 16, 21), (6, 22, 23)]
"""Of every page: its number, its first and its last paragraph."""


def run(
    library: Library, record: DocumentRecord, pages: int | None = None, kind: str = "auto", **engines: Engine
) -> tuple[list[Event], Gisted]:
    """Gist with the model that is given, in this thread."""
    (model,) = engines
    request = GistRequest(record.id, model, pages, kind, "model")
    told: list[Event] = []
    events, result = drive(gist(1, Turn(told.append), library, Engines(**engines), request), told)
    assert isinstance(result, Gisted)
    return events, result


def check_whole(library: Library, record: DocumentRecord, model: str = "tiny") -> tuple[PageRecord, ...]:
    """Every page is there once, with its own gist, and they tile the document."""
    items = library.gists.pages(record, model)
    document = library.documents.load(record)
    expected = [
        (number, document.paragraphs[first].start, document.paragraphs[last].end) for number, first, last in BOUNDS
    ]
    assert [(item.page.number, item.page.start, item.page.end) for item in items] == expected
    assert items[-1].page.end == record.characters
    for item in items:
        assert item.gist is not None and item.gist.flag == "" and not item.gist.retried
        assert item.gist.text.split()[0] == document.text(item.page.start, item.page.end).split()[0]
    return items


def kept(library: Library) -> list[tuple[object, ...]]:
    """All rows of pages and gists, with ids and times."""
    db = library._connections.db
    return [tuple(row) for table in ("pages", "gists") for row in db.execute(f"SELECT * FROM {table} ORDER BY id")]


def test_a_whole_book(library: Library) -> None:
    record = add_book(library)
    events, result = run(library, record, tiny=writer())
    check_whole(library, record)
    assert events[0] == Started(1, "Reading “A Book” with tiny")
    assert [(event.done, event.total) for event in events[1:] if isinstance(event, Progress)] == [
        (number, None) for number in range(1, PAGES + 1)
    ]
    items = library.gists.pages(record, "tiny")
    assert [event for event in events if isinstance(event, PageBegun | PageKept)] == [
        told for item in items for told in (PageBegun(1, item.page.number, item.page.start), PageKept(1, item))
    ]
    assert len(events) == 2 + 3 * PAGES, "besides these only which model is ready"
    assert (result.document.kind, result.added, result.complete) == ("article", PAGES, True)
    assert (result.figures.pages, result.figures.words, result.figures.gist_words) == (PAGES, 2400, 45 * PAGES)
    assert (result.figures.retried, result.figures.openings, result.figures.fallback_breaks) == (0, 0, 0)
    assert library.gists.memory(record, "tiny").complete


def test_nothing_is_missing_nothing_is_done(library: Library) -> None:
    record = add_book(library)
    run(library, record, tiny=writer())
    before = kept(library)
    events, result = run(library, record, tiny=ScriptedEngine())
    assert events == [Started(1, "Reading “A Book” with tiny")]
    assert (result.added, result.complete, result.figures.pages) == (0, True, PAGES)
    assert kept(library) == before


def test_only_the_first_pages_then_the_rest(library: Library) -> None:
    record = add_book(library)
    engine = writer()
    events, result = run(library, record, pages=2, tiny=engine)
    assert (len(library.gists.pages(record, "tiny")), result.added, result.complete) == (2, 2, False)
    assert [(event.done, event.total, event.share) for event in events if isinstance(event, Progress)] == [
        (1, 2, 0.5),
        (2, 2, 1.0),
    ]
    assert len(engine.streamed) == 2
    before = kept(library)
    assert run(library, record, pages=1, tiny=ScriptedEngine())[1].added == 0
    engine = writer()
    assert run(library, record, pages=4, tiny=engine)[1].added == 2
    assert run(library, record, tiny=engine)[1].added == PAGES - 4
    assert len(engine.streamed) == PAGES - 2
    check_whole(library, record)
    assert set(before) <= set(kept(library))


def test_more_pages_than_there_are(library: Library) -> None:
    record = add_book(library)
    events, result = run(library, record, pages=50, tiny=writer())
    assert (result.added, result.complete) == (PAGES, True)
    check_whole(library, record)
    check_progress(events)


def test_a_second_model_only_shortens(library: Library) -> None:
    """Pages are divided once; the other model's gists are not touched; it goes on where no pages are."""
    record = add_book(library)
    run(library, record, pages=4, tiny=writer())
    before = kept(library)
    second = writer()
    events, result = run(library, record, pages=4, small=second)
    assert (len(second.streamed), second.chosen, result.added) == (4, [], 4)
    assert set(before) <= set(kept(library))
    assert [item.gist and item.gist.model for item in library.gists.pages(record, "small")] == ["small"] * 4
    check_progress(events)
    events, result = run(library, record, small=second)
    assert (result.added, result.complete) == (2, True)
    check_whole(library, record, "small")
    check_progress(events)
    assert [item.gist is None for item in library.gists.pages(record, "tiny")] == [False] * 4 + [True] * 2
    assert run(library, record, tiny=writer())[1].added == 2
    check_whole(library, record, "tiny")


def test_what_is_missing_in_the_middle_comes_first(library: Library) -> None:
    """A gist that is gone is written again before new pages are made; its page stays."""
    record = add_book(library)
    run(library, record, pages=4, tiny=writer())
    with library._connections.writing() as db:
        db.execute("DELETE FROM gists WHERE page = 2")
    engine = writer()
    run(library, record, tiny=engine)
    starts = [asked.messages[-1].content.split("\n\n", 2)[1].split()[0] for asked in engine.streamed]
    assert starts == ["word6n0", "word16n0", "word22n0"]
    check_whole(library, record)


def test_a_new_prompt_version_writes_every_gist_again(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """The old ones stay and are read until then."""
    record = add_book(library)
    run(library, record, tiny=writer())
    before = kept(library)
    for module in ("readdesk.jobs.work", "readdesk.reading.gist"):
        monkeypatch.setattr(f"{module}.PROMPT_VERSION", 99)
    _, result = run(library, record, pages=2, tiny=writer())
    assert (result.added, result.complete, result.figures.pages) == (2, False, PAGES)
    items = check_whole(library, record)
    assert [item.gist and item.gist.prompt_version for item in items] == [99, 99, 1, 1, 1, 1]
    assert set(before) <= set(kept(library))


def test_the_engine_is_asked_for_every_page_anew(library: Library) -> None:
    """Another model may have been loaded in between, for a question."""
    record = add_book(library)
    engines = Engines(tiny=writer())
    drive(gist(1, Turn(), library, engines, GistRequest(record.id, "tiny")))
    assert set(engines.asked) == {"tiny"} and len(engines.asked) >= PAGES


# -- kinds -------------------------------------------------------------------------------------------------------


def test_the_kind_of_pages_is_chosen_once(library: Library) -> None:
    """It can be changed until the first page stands; then another one is refused and nothing is changed."""
    record = add_book(library)
    engine = ScriptedEngine([ModelError("Not today.")])
    with pytest.raises(ModelError):
        run(library, record, kind="book", tiny=engine)
    assert library.documents.get(record.id).kind == "book"
    run(library, record, pages=1, kind="article", tiny=writer())
    assert library.documents.get(record.id).kind == "article"
    before = kept(library)
    with pytest.raises(ReadDeskError, match=r"already divided into pages of the kind article\. Leave out --kind"):
        run(library, record, kind="book", tiny=ScriptedEngine())
    assert kept(library) == before
    run(library, record, pages=2, kind="article", tiny=writer())
    run(library, record, kind="auto", tiny=writer())
    check_whole(library, record)


def test_a_document_that_is_not_there(library: Library) -> None:
    with pytest.raises(NotFoundError):
        drive(gist(1, Turn(), library, Engines(tiny=writer()), GistRequest(7, "tiny")))


# -- errors, stop, overtaking ------------------------------------------------------------------------------------


def test_an_error_keeps_what_was_done(library: Library, lane: Lane, told: Recorder) -> None:
    record = add_book(library)
    engine = writer()
    lane.submit(1, lambda turn: gist(1, turn, library, Engines(tiny=engine), GistRequest(record.id, "tiny", 2)), 10)
    told.end(1)
    engine.replies.append(ModelError("The model ended unexpectedly.", "Try again."))
    lane.submit(2, lambda turn: gist(2, turn, library, Engines(tiny=engine), GistRequest(record.id, "tiny")), 10)
    end = told.end(2)
    assert isinstance(end, Failed) and str(end.error) == "The model ended unexpectedly. Try again."
    assert len(library.gists.pages(record, "tiny")) == 2
    lane.submit(3, lambda turn: gist(3, turn, library, Engines(tiny=engine), GistRequest(record.id, "tiny")), 10)
    assert isinstance(told.end(3), Done)
    check_whole(library, record)
    told.check(1, 2, 3)


@pytest.mark.parametrize("held", ["word0n0", "word8n0", "word22n0"])
def test_stop_in_the_middle_of_a_page_then_go_on(library: Library, lane: Lane, told: Recorder, held: str) -> None:
    """The pages before it are kept as they are; the next run makes the others."""
    record = add_book(library)
    engine = HeldEngine(held)
    lane.submit(1, lambda turn: gist(1, turn, library, Engines(tiny=engine), GistRequest(record.id, "tiny")), 10)
    assert engine.holding.wait(LONG)
    before = kept(library)
    lane.stop(1)
    assert told.end(1) == Stopped(1)
    assert kept(library) == before and len(before) % 2 == 0
    again = writer()
    run(library, record, tiny=again)
    assert len(again.streamed) == PAGES - len(before) // 2
    check_whole(library, record)
    assert set(before) <= set(kept(library))


@pytest.mark.parametrize("held", ["word8n0", "word14n0"])
def test_a_question_overtakes_a_page(library: Library, lane: Lane, told: Recorder, held: str) -> None:
    """It is answered first; then the page is read again, and nothing is lost or doubled."""
    record, other = add_book(library), add_book(library, "The Other", "other")
    run(library, other, pages=1, tiny=writer())
    engine = HeldEngine(held)
    lane.submit(1, lambda turn: gist(1, turn, library, Engines(tiny=engine), GistRequest(record.id, "tiny")), 10)
    assert engine.holding.wait(LONG)
    before = kept(library)
    question = Question(other.id, "What is it about?", "asked", "tiny", 1)
    answerer = ScriptedEngine(["[1]", "About words [Page 1]."])
    lane.submit(2, lambda turn: ask(2, turn, library, Engines(asked=answerer), question), 0)
    assert isinstance(told.end(2), Done)
    assert kept(library) == before
    engine.go_on.set()
    end = told.end(1)
    assert isinstance(end, Done) and end.result.added == PAGES
    check_whole(library, record)
    assert set(before) <= set(kept(library))
    assert told.of(1).count(Overtaken(1)) == 1
    order = [event.job for event in told.events if isinstance(event, Overtaken | Text | Done)]
    assert order == [1, *[2] * (len(order) - 2), 1]
    told.check(1, 2)


def test_stopped_while_it_waits_for_a_question(library: Library, lane: Lane, told: Recorder) -> None:
    record = add_book(library)
    page, answer = HeldEngine("word8n0"), HeldEngine("What")
    lane.submit(1, lambda turn: gist(1, turn, library, Engines(tiny=page), GistRequest(record.id, "tiny")), 10)
    assert page.holding.wait(LONG)
    before = kept(library)
    question = Question(record.id, "What is it about?", "asked", "tiny", 0)
    lane.submit(2, lambda turn: ask(2, turn, library, Engines(asked=answer), question), 0)
    assert answer.holding.wait(LONG)
    lane.stop(1)
    assert told.end(1) == Stopped(1)
    assert kept(library) == before
    answer.go_on.set()
    assert isinstance(told.end(2), Done)
    told.check(1, 2)


def test_a_cancelled_unit_of_a_job_that_ends_is_not_tried_again(library: Library) -> None:
    record = add_book(library)
    turn = Turn()
    steps = gist(1, turn, library, Engines(tiny=writer()), GistRequest(record.id, "tiny"))
    assert isinstance(next(steps), Started)
    assert next(steps) == PageBegun(1, 1, 0)
    turn.stopped = True
    turn.cancel.cancel()
    with pytest.raises(Cancelled):
        next(steps)
    assert kept(library) == []


def test_another_program_reads_the_same_book(library: Library) -> None:
    """The page that was finished first stands; the other one is dropped, and reading goes on behind it (trap 48)."""
    record = add_book(library)

    def late(asked: Asked) -> str:
        """While this gist is written, the other program keeps the same page and the next one."""
        run(library, record, pages=len(library.gists.pages(record, "tiny")) + 2, tiny=writer())
        return f"late {words(44, 'gist')}"

    _, result = run(library, record, tiny=ScriptedEngine(otherwise=late))
    assert result.complete
    check_whole(library, record)


# -- left out ----------------------------------------------------------------------------------------------------


def test_what_is_left_out_is_not_read(library: Library) -> None:
    """Neither is it waited for: shares and the end count what is to be read."""
    record = add_book(library)
    library.documents.leave_out(record, 0, True)
    engine = writer()
    events, result = run(library, record, tiny=engine)
    assert (result.added, result.complete) == (PAGES - 2, True)
    assert [asked.text for asked in engine.streamed if "word0n" in asked.text] == []
    document = library.documents.load(record)
    assert library.gists.pages(record, "tiny")[0].page.start == document.sections[1].start
    check_progress(events)
    assert isinstance(events[-1], Progress) and events[-1].share == 1
    assert library.gists.memory(record, "tiny").complete


def test_a_section_that_is_taken_in_later_is_put_in_its_place(library: Library) -> None:
    record = add_book(library)
    library.documents.leave_out(record, 1, True)
    run(library, record, tiny=writer())
    library.documents.leave_out(record, 1, False)
    events, result = run(library, record, tiny=writer())
    assert (result.added, result.complete) == (2, True)
    assert [event.number for event in events if isinstance(event, PageBegun)] == [3, 4]
    check_whole(library, record)
    check_progress(events)


@pytest.mark.parametrize(("pages", "begun"), [(1, [1]), (2, [1, 2]), (3, [1, 2, 3]), (None, [1, 2, 3, 4])])
def test_the_first_pages_where_there_are_gaps(library: Library, pages: int | None, begun: list[int]) -> None:
    """Pages that stand behind the first so many change nothing: the first ones are made, those without a gist first."""
    record = add_book(library)
    for section in (0, 2):
        library.documents.leave_out(record, section, True)
    run(library, record, tiny=writer())
    for section in (0, 2):
        library.documents.leave_out(record, section, False)
    events, result = run(library, record, pages=pages, tiny=writer())
    # Two pages stand in the middle section: they become the third and the fourth.
    assert [event.number for event in events if isinstance(event, PageBegun)] == [1, 2, 5, 6][: len(begun)][
        : result.added
    ]
    assert result.added == (min(pages, 2) if pages else 4)
    first = library.gists.pages(record, "tiny")[: pages or PAGES]
    assert all(item.gist is not None for item in first)
    check_progress(events)


def test_a_section_is_left_out_while_it_is_read(library: Library) -> None:
    """The page in work has lost its place; reading goes on behind the section."""
    record = add_book(library)

    def late(asked: Asked) -> str:
        library.documents.leave_out(record, 0, True)
        return short(asked)

    _, result = run(library, record, tiny=ScriptedEngine(otherwise=late))
    assert (result.added, result.complete) == (PAGES - 2, True)


def test_the_text_changes_while_a_page_is_read(library: Library) -> None:
    """What was read of the old text is not kept; the new one is read from its beginning."""
    record = add_book(library)
    changed = False

    def late(asked: Asked) -> str:
        nonlocal changed
        if not changed:
            changed = True
            replace_text(library, record, "other")
        return short(asked)

    _, result = run(library, record, tiny=ScriptedEngine(otherwise=late))
    assert result.complete and result.document.text_hash != record.text_hash
    items = library.gists.pages(result.document, "tiny")
    assert len(items) == PAGES == result.added
    assert all(item.gist is not None and item.gist.text.startswith("other") for item in items)


# -- progress ----------------------------------------------------------------------------------------------------


def check_progress(events: list[Event]) -> None:
    """Shares grow to one, and the time left is told from the third page on and is never negative (trap 60)."""
    told = [event for event in events if isinstance(event, Progress)]
    shares = [event.share for event in told if event.share is not None]
    assert len(shares) == len(told) and all(0 < share <= 1 for share in shares)
    assert all(before < after for before, after in pairwise(shares))
    for number, event in enumerate(told, start=1):
        if number < 3 or event.share == 1:
            assert event.seconds_left is None
        else:
            assert event.seconds_left is not None and event.seconds_left >= 1.0


def test_progress_of_a_whole_book(library: Library) -> None:
    record = add_book(library)
    events, _ = run(library, record, tiny=writer())
    check_progress(events)
    last = events[-1]
    assert isinstance(last, Progress) and last.share == 1 and last.what == "page 6"


def test_progress_of_some_pages_and_of_the_rest(library: Library) -> None:
    record = add_book(library)
    for pages in (5, None):
        events, _ = run(library, record, pages=pages, tiny=writer())
        check_progress(events)
        last = events[-1]
        assert isinstance(last, Progress) and last.share == 1


def test_the_time_left_follows_the_words_left(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each page takes a second a hundred words here, so the time left is what is left."""
    record = add_book(library)
    now = 0.0

    def slowly(asked: Asked) -> str:
        nonlocal now
        last = library.gists.last_page(record)
        now += 2.0 if last is not None and last.number % 2 else 6.0
        return short(asked)

    monkeypatch.setattr("readdesk.jobs.work.time", SimpleNamespace(monotonic=lambda: now))
    events, _ = run(library, record, tiny=ScriptedEngine(otherwise=slowly))
    left = [event.seconds_left for event in events if isinstance(event, Progress)]
    assert left[:2] == [None, None] and left[-1] is None
    assert left[2:-1] == [pytest.approx(10, rel=0.05), pytest.approx(8, rel=0.05), pytest.approx(2, rel=0.05)]
