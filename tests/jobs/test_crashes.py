"""A page on which the model crashes: tried alone, passed over, named; the book goes on (trap 46)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from readdesk.cancel import CancelToken
from readdesk.documents.fileread import FileRead
from readdesk.documents.model import DocumentHead, Health
from readdesk.errors import ModelCrashed, ModelError
from readdesk.jobs.events import PageKept
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library
from readdesk.llm.model import Choice, EngineInfo, LoadOptions, Message
from readdesk.reading.gist import opening
from tests.fakes import Asked, Scripted, ScriptedEngine, a_document, words
from tests.jobs.books import PAGES, add_book, short, writer
from tests.jobs.test_gisting import check_whole, kept, run
from tests.jobs.test_groups import Together, begun, told_as_kept
from tests.llm.dying import POISON, MortalEngine
from tests.llm.random_gguf import write_random_gguf

GONE = ModelCrashed("The model ended unexpectedly.", "Try again; if it happens again, take another model.")


class Crashing(Together):
    """A writer whose process dies of some texts: while it looks for pauses in them, or while it shortens them."""

    def __init__(self, *poison: str, together: int = 4, times: int = 99, alive: bool = True) -> None:
        super().__init__(together, self._write)
        self._poison = poison
        self._left = times
        self._alive = alive
        self.crashes = 0

    def choose(self, messages: Sequence[Message], options: Sequence[str], cancel: CancelToken) -> Choice:
        self._read_text(messages[-1].content)
        return super().choose(messages, options, cancel)

    def count(self, texts: Sequence[str], cancel: CancelToken) -> tuple[int, ...]:
        if self.crashes and not self._alive:
            raise GONE
        return super().count(texts, cancel)

    def _write(self, asked: Asked) -> Scripted:
        self._read_text(asked.messages[-1].content)
        return short(asked)

    def _read_text(self, text: str) -> None:
        if self._left and any(f"{stem} " in text for stem in self._poison):
            self._left -= 1
            self.crashes += 1
            raise GONE


def flags(library: Library, record: DocumentRecord, model: str = "tiny") -> list[str | None]:
    return [item.gist.flag if item.gist else None for item in library.gists.pages(record, model)]


def test_one_crash_loses_nothing(library: Library) -> None:
    """The pages of the group are tried one by one; none is flagged."""
    record = add_book(library)
    engine = Crashing("word14n0", times=1)
    events, result = run(library, record, tiny=engine)
    check_whole(library, record)
    assert begun(events)[:2] == [[1], [2, 3, 4, 5]], "the page is the third of a group of four"
    assert begun(events)[2:] == [[4], [5], [6]], (
        "what was done before it stays, and every page of the rest is tried alone"
    )
    assert (engine.crashes, result.added, result.crashed) == (1, PAGES, ())


@pytest.mark.parametrize("together", [1, 4])
@pytest.mark.parametrize(("poison", "page"), [("word2n5", 1), ("word7n0", 2), ("word14n50", 4), ("word23n90", 6)])
def test_a_page_that_crashes_alone_twice_is_passed_over_and_named(
    library: Library, together: int, poison: str, page: int
) -> None:
    """Its opening stands for it, flagged; all others have their gists, and the pages tile the book as ever."""
    record = add_book(library)
    engine = Crashing(poison, together=together)
    events, result = run(library, record, tiny=engine)
    items = library.gists.pages(record, "tiny")
    assert [item.page.number for item in items] == list(range(1, PAGES + 1)) == told_as_kept(events)
    assert flags(library, record) == ["crashed" if number == page else "" for number in range(1, PAGES + 1)]
    assert (result.crashed, result.complete, result.added) == ((page,), True, PAGES)
    document = library.documents.load(record)
    passed_over = items[page - 1]
    assert passed_over.gist is not None
    assert passed_over.gist.text == opening(document.text(passed_over.page.start, passed_over.page.end))
    assert engine.crashes in (2, 3), "twice alone, and at most once among others"
    told = next(event for event in events if isinstance(event, PageKept) and event.page.page.number == page)
    assert told.page == passed_over


def test_a_page_that_was_passed_over_is_not_tried_again(library: Library) -> None:
    """No crash at every start: that it crashed is kept like a gist, and another model may do better."""
    record = add_book(library)
    run(library, record, tiny=Crashing("word14n50"))
    before = kept(library)
    engine = Crashing("word14n50")
    _, result = run(library, record, tiny=engine)
    assert (engine.history, result.added, result.crashed) == ([], 0, (4,))
    assert kept(library) == before
    _, result = run(library, record, small=writer())
    assert result.crashed == () and flags(library, record, "small") == [""] * PAGES


def test_the_end_of_a_page_that_cannot_be_looked_for_is_found_by_rule(library: Library) -> None:
    record = add_book(library)
    engine = Crashing("word8n5")
    run(library, record, tiny=engine)
    pages = [item.page for item in library.gists.pages(record, "tiny")]
    assert [page.broken_by for page in pages] == ["model", "end", "fallback", "end", "model", "end"]
    assert [page.start for page in pages[1:]] == [page.end for page in pages[:-1]]
    assert library.gists.figures(record, "tiny").fallback_breaks == 1


def test_a_page_that_stands_already_is_passed_over_for_a_second_model(library: Library) -> None:
    record = add_book(library)
    run(library, record, tiny=writer())
    bounds = [item.page for item in library.gists.pages(record, "tiny")]
    _, result = run(library, record, small=Crashing("word8n5"))
    assert [item.page for item in library.gists.pages(record, "small")] == bounds
    assert result.crashed == (3,) and flags(library, record, "small") == ["", "", "crashed", "", "", ""]


def test_a_model_that_crashes_with_nothing_to_read_ends_the_job(library: Library) -> None:
    """No page is blamed for a model that cannot even be loaded again."""
    record = add_book(library)
    with pytest.raises(ModelCrashed, match="ended unexpectedly"):
        run(library, record, tiny=Crashing("word14n50", alive=False))
    assert flags(library, record) == ["", "", ""]


def test_a_model_that_crashes_on_everything_ends_the_job(library: Library) -> None:
    """A book is not filled with openings because the memory of a computer is full."""
    record = add_book(library)
    engine = Crashing(*(f"word{number}n5" for number in range(6, 24)))
    with pytest.raises(ModelCrashed, match="ended unexpectedly"):
        run(library, record, tiny=engine)
    assert flags(library, record) == ["", "crashed", "crashed"]


def test_an_error_that_is_no_crash_ends_the_job_at_once(library: Library) -> None:
    record = add_book(library)
    engine = ScriptedEngine([ModelError("The text takes too much room.")])
    with pytest.raises(ModelError, match="too much room"):
        run(library, record, tiny=engine)
    assert len(engine.streamed) == 1


# -- a real process ------------------------------------------------------------------------------------------------


class GroupsOfFour(MortalEngine):
    """Works in groups whatever this computer does best, and remembers its processes."""

    def __init__(self, file: Path) -> None:
        super().__init__("random", file, LoadOptions(context=2048, threads=1))
        self.processes: set[int] = set()

    def info(self, cancel: CancelToken) -> EngineInfo:
        """As the model says, but for the size of groups."""
        return replace(super().info(cancel), together=4)

    def count(self, texts: Sequence[str], cancel: CancelToken) -> tuple[int, ...]:
        """As the model says."""
        counts = super().count(texts, cancel)
        assert self._worker.pid is not None
        self.processes.add(self._worker.pid)
        return counts


@pytest.mark.parametrize(("poisoned", "processes"), [(1, 3), (4, 4), (6, 3)])
def test_a_process_that_really_dies_of_a_page(library: Library, tmp_path: Path, poisoned: int, processes: int) -> None:
    """The real engine and its process: every page but one is shortened, and the model is loaded again for the rest."""
    texts = [f"Chapter {number} has {words(90, f'w{number}x')}" for number in range(1, 7)]
    texts[poisoned - 1] += f" and {POISON}"
    document = a_document(texts, sections=range(len(texts)))
    health = Health(document.end, 600, len(texts), len(texts))
    head = DocumentHead("A Book", (), "en", "text", "0" * 64, 1)
    record = library.documents.add(
        FileRead(head, Path("/book.txt"), health, list(document.sections), list(document.paragraphs))
    )
    engine = GroupsOfFour(write_random_gguf(tmp_path))
    try:
        _, result = run(library, record, random=engine)
    finally:
        engine.close()
    found = flags(library, record, "random")
    assert [number for number, flag in enumerate(found, start=1) if flag == "crashed"] == [poisoned]
    assert (len(found), result.crashed, result.complete, result.added) == (6, (poisoned,), True, 6)
    assert len(engine.processes) == processes, "it has died alone twice, and once among others where it had such"
