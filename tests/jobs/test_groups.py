"""Gisting in groups: what holds page by page also holds where several pages are read together."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.jobs.ask import Question, ask
from readdesk.jobs.events import Done, Event, Gisted, Overtaken, PageBegun, PageKept, Stopped
from readdesk.jobs.lane import Lane, Turn
from readdesk.jobs.work import GistRequest, gist
from readdesk.library.store import Library
from readdesk.llm.model import Choice, Message, Reply, Request
from tests.fakes import Asked, Scripted, ScriptedEngine, words
from tests.jobs.books import PAGES, Engines, HeldEngine, add_book, drive, replace_text, short, writer
from tests.jobs.recorder import LONG, Recorder
from tests.jobs.test_gisting import check_progress, check_whole, kept, run


class Together(ScriptedEngine):
    """A writer of several gists at once: remembers which groups it was given, and may answer from behind."""

    def __init__(
        self,
        together: int,
        otherwise: Callable[[Asked], Scripted] = short,
        *,
        backwards: bool = False,
        replied: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(together=together, otherwise=otherwise)
        self.groups: list[int] = []
        self._backwards = backwards
        self._replied = replied

    def reply_all(self, requests: Sequence[Request], cancel: CancelToken) -> Iterator[tuple[int, Reply]]:
        self.groups.append(len(requests))
        replies = super().reply_all(requests, cancel)
        for reply in reversed(list(replies)) if self._backwards else replies:
            yield reply
            self._replied()


def begun(events: Sequence[Event]) -> list[list[int]]:
    """The pages in work together, group by group."""
    groups: list[list[int]] = []
    for event in events:
        if isinstance(event, PageBegun):
            groups[-1].append(event.number) if event.joins else groups.append([event.number])
    return groups


def told_as_kept(events: Sequence[Event]) -> list[int]:
    """The numbers of the pages that were told to be kept."""
    return [event.page.page.number for event in events if isinstance(event, PageKept)]


@pytest.mark.parametrize(
    ("together", "groups"),
    [
        (1, [[1], [2], [3], [4], [5], [6]]),
        (2, [[1], [2, 3], [4, 5], [6]]),
        (3, [[1], [2, 3, 4], [5, 6]]),
        (16, [[1], [2, 3, 4, 5], [6]]),
    ],
)
def test_groups_grow_from_one_page_and_are_never_larger_than_pays(
    library: Library, together: int, groups: list[list[int]]
) -> None:
    """Sections end in the middle of groups here; the pages are those that one by one would be."""
    record = add_book(library)
    engine = Together(together)
    events, result = run(library, record, tiny=engine)
    check_whole(library, record)
    assert begun(events) == groups and engine.groups == [len(group) for group in groups]
    assert told_as_kept(events) == list(range(1, PAGES + 1))
    assert (result.added, result.complete, result.crashed) == (PAGES, True, ())
    check_progress(events)


@pytest.mark.parametrize(
    ("tokens", "groups"),
    [
        (5040, [[1], [2, 3, 4, 5], [6]]),
        (3780, [[1], [2, 3, 4], [5, 6]]),
        (3779, [[1], [2, 3], [4, 5], [6]]),
        (1240, [[1], [2, 3], [4, 5], [6]]),
        (1239, [[1], [2], [3], [4], [5], [6]]),
    ],
)
def test_a_group_is_no_larger_than_what_stays_in_memory(library: Library, tokens: int, groups: list[list[int]]) -> None:
    """Where the model looks for the pauses: what was read for the first pages' ends is to serve for their gists too."""
    engine = Together(16)
    engine.runs = replace(engine.runs, tokens_together=tokens)
    events, _ = run(library, add_book(library), tiny=engine)
    assert begun(events) == groups and engine.groups == [len(group) for group in groups]


def test_a_group_is_as_large_as_pays_where_nothing_was_read_for_it(library: Library) -> None:
    """The words look for the pauses, or the pages stand already."""
    record = add_book(library)
    for model, pauses in (("tiny", "words"), ("small", "model")):
        engine = Together(16)
        engine.runs = replace(engine.runs, tokens_together=1)
        run_with = GistRequest(record.id, model, pauses=pauses)
        events, _ = drive(gist(1, Turn(), library, Engines(**{model: engine}), run_with))
        assert max(map(len, begun(events))) == 4


def test_by_itself_the_model_is_not_asked_for_pauses(library: Library) -> None:
    """The words find more of them; a person may choose otherwise."""
    record = add_book(library)
    for pauses, choices in (("auto", 0), ("words", 0), ("model", 3)):
        engine = writer()
        drive(gist(1, Turn(), library, Engines(tiny=engine), GistRequest(record.id, "tiny", pauses=pauses)))
        assert len(engine.chosen) == choices
        assert {item.page.broken_by for item in library.gists.pages(record, "tiny")} == (
            {"model", "end"} if choices else {"words", "end"}
        )
        record = add_book(library, pauses, pauses)


@pytest.mark.parametrize("pages", [1, 2, 3, 4, 5])
def test_only_the_first_pages_are_made_however_large_a_group_may_be(library: Library, pages: int) -> None:
    record = add_book(library)
    engine = Together(16)
    events, result = run(library, record, pages=pages, tiny=engine)
    assert result.added == len(library.gists.pages(record, "tiny")) == sum(engine.groups) == pages
    check_progress(events)
    run(library, record, tiny=Together(16))
    check_whole(library, record)


def test_a_second_model_shortens_in_groups_what_stands(library: Library) -> None:
    record = add_book(library)
    run(library, record, pages=5, tiny=writer())
    second = Together(16)
    events, result = run(library, record, small=second)
    assert begun(events) == [[1], [2, 3, 4, 5], [6]], "what is new begins a group of its own"
    assert (second.chosen, result.added) == ([], PAGES)
    check_whole(library, record, "small")


def test_a_group_ends_where_a_gap_ends(library: Library) -> None:
    record = add_book(library)
    for section in (0, 2):
        library.documents.leave_out(record, section, True)
    run(library, record, tiny=writer())
    for section in (0, 2):
        library.documents.leave_out(record, section, False)
    events, result = run(library, record, tiny=Together(16))
    assert begun(events) == [[1], [2], [5, 6]] and result.complete
    check_whole(library, record)


def test_every_page_is_kept_once_it_and_those_before_it_are_done(library: Library) -> None:
    record = add_book(library)
    counts: list[int] = []

    def look() -> None:
        counts.append(len(library.gists.pages(record, "tiny")))

    run(library, record, pages=3, tiny=Together(16, replied=look))
    assert counts == [1, 2, 3]
    counts.clear()
    other = add_book(library, "The Other", "other")
    record = other
    events, _ = run(library, other, pages=3, tiny=Together(16, backwards=True, replied=look))
    assert counts == [1, 1, 3], "the last page of a group may be ready first; it waits for those before it"
    assert told_as_kept(events) == [1, 2, 3]


def test_gists_that_do_not_hold_up_are_asked_for_again_together(library: Library) -> None:
    """Traps 38 and 40: once more with freer limits, then the opening; the others of their group are not touched."""
    record = add_book(library)
    tries: dict[str, int] = {}

    def crooked(asked: Asked) -> str:
        first = asked.messages[-1].content.split("\n\n", 2)[1].split()[0]
        tries[first] = tries.get(first, 0) + 1
        loops = first == "word14n0" or (first in ("word6n0", "word16n0") and tries[first] == 1)
        return "no end " * 80 if loops else short(asked)

    engine = Together(4, crooked)
    _, result = run(library, record, tiny=engine)
    assert engine.groups == [1, 4, 3, 1]
    items = library.gists.pages(record, "tiny")
    assert [item.gist and (item.gist.flag, item.gist.retried) for item in items] == [
        *(("", False), ("", True), ("", False)),
        *(("opening", True), ("", True), ("", False)),
    ]
    assert (result.figures.retried, result.figures.openings) == (3, 1)
    assert [asked.limits.temperature for asked in engine.streamed if asked.limits] == [
        *(0, 0, 0, 0, 0, 0.7, 0.7, 0.7, 0),
    ]


def test_another_program_keeps_pages_of_the_group_in_work(library: Library) -> None:
    """Trap 48: the page that was finished first stands; nothing is doubled and nothing is lost."""
    record = add_book(library)

    def late(asked: Asked) -> str:
        run(library, record, pages=len(library.gists.pages(record, "tiny")) + 2, tiny=writer())
        return f"late {words(44, 'gist')}"

    _, result = run(library, record, tiny=Together(4, late))
    assert result.complete
    check_whole(library, record)


def test_the_text_changes_in_the_middle_of_a_group(library: Library) -> None:
    """Nothing that was read of the old text is kept, whatever of the group was still to come."""
    record = add_book(library)

    def late(asked: Asked) -> str:
        if "word8n0" in asked.text and library.documents.get(record.id).text_hash == record.text_hash:
            replace_text(library, record, "other")
        return short(asked)

    _, result = run(library, record, tiny=Together(4, late))
    assert result.complete and result.document.text_hash != record.text_hash
    items = library.gists.pages(result.document, "tiny")
    assert len(items) == PAGES
    assert all(item.gist is not None and item.gist.text.startswith("other") for item in items)


# -- stop, overtaking --------------------------------------------------------------------------------------------------


def held_in_a_group(hold: str) -> HeldEngine:
    return HeldEngine(hold, together=4)


def test_a_question_in_the_middle_of_a_group(library: Library, lane: Lane, told: Recorder) -> None:
    """What was done of the group is kept and told; it goes on with one page, whose end is not looked for again."""
    record, other = add_book(library), add_book(library, "The Other", "other")
    run(library, other, pages=1, tiny=writer())
    before = len(kept(library))
    engine = held_in_a_group("word14n0")
    lane.submit(
        1, lambda turn: gist(1, turn, library, Engines(tiny=engine), GistRequest(record.id, "tiny", pauses="model")), 10
    )
    assert engine.holding.wait(LONG)
    assert told_as_kept(told.of(1)) == [1, 2, 3] and len(kept(library)) == before + 6
    question = Question(other.id, "What is it about?", "asked", "tiny", 1)
    answerer = ScriptedEngine(["[1]", "About words [Page 1]."])
    lane.submit(2, lambda turn: ask(2, turn, library, Engines(asked=answerer), question), 0)
    assert isinstance(told.end(2), Done)
    choices = len(engine.chosen)
    engine.go_on.set()
    end = told.end(1)
    assert isinstance(end, Done) and end.result.added == PAGES
    check_whole(library, record)
    assert begun(told.of(1)) == [[1], [2, 3, 4, 5], [4], [5, 6]]
    assert told.of(1).count(Overtaken(1)) == 1
    assert len(engine.chosen) == choices, "the ends of the pages were known"
    told.check(1, 2)


def test_stopped_in_the_middle_of_a_group(library: Library, lane: Lane, told: Recorder) -> None:
    """Whatever is kept was told, so that a window shows what the library holds."""
    record = add_book(library)
    engine = held_in_a_group("word16n0")
    lane.submit(
        1, lambda turn: gist(1, turn, library, Engines(tiny=engine), GistRequest(record.id, "tiny", pauses="model")), 10
    )
    assert engine.holding.wait(LONG)
    lane.stop(1)
    assert told.end(1) == Stopped(1)
    assert told_as_kept(told.of(1)) == [1, 2, 3, 4]
    assert len(library.gists.pages(record, "tiny")) == 4
    again = Together(16)
    run(library, record, tiny=again)
    assert len(again.streamed) == PAGES - 4
    check_whole(library, record)


class Interrupted(Together):
    """An engine that is stopped for a question now and then, as often in the middle of a group as before it."""

    def __init__(self, seed: int) -> None:
        super().__init__(together=5)
        self._chance = random.Random(seed)
        self.interruptions = 0

    def choose(self, messages: Sequence[Message], options: Sequence[str], cancel: CancelToken) -> Choice:
        self._may_come_between()
        return super().choose(messages, options, cancel)

    def reply_all(self, requests: Sequence[Request], cancel: CancelToken) -> Iterator[tuple[int, Reply]]:
        for reply in super().reply_all(requests, cancel):
            self._may_come_between()
            yield reply

    def _may_come_between(self) -> None:
        if self._chance.random() < 0.3:
            self.interruptions += 1
            raise Cancelled


def test_interrupted_at_any_moment_every_page_comes_once(library: Library) -> None:
    interruptions = 0
    for seed in range(8):
        record = add_book(library, f"Book {seed}", f"book{seed}x")
        told: list[Event] = []
        engine = Interrupted(seed)
        work = gist(1, Turn(told.append), library, Engines(tiny=engine), GistRequest(record.id, "tiny", pauses="model"))
        events, result = drive(work, told)
        assert isinstance(result, Gisted) and result.added == PAGES
        check_whole(library, record)
        assert told_as_kept(events) == list(range(1, PAGES + 1))
        assert events.count(Overtaken(1)) == engine.interruptions
        interruptions += engine.interruptions
    assert interruptions >= 8
