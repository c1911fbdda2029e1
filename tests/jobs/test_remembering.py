"""What a question begins with: named alike for look-up, answer and the work ahead, and computed once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.errors import ModelCrashed, NotFoundError
from readdesk.jobs.ask import Question, ask
from readdesk.jobs.events import Overtaken, Started
from readdesk.jobs.lane import Turn
from readdesk.jobs.remember import remember
from readdesk.jobs.work import GistRequest, gist
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library
from readdesk.llm.local import LocalEngine
from readdesk.llm.model import LoadOptions, Message, Prefix
from readdesk.reading.agent import ReadingAgent
from readdesk.reading.model import Answer
from tests.fakes import Asked, ScriptedEngine, words
from tests.jobs.books import Engines, add_book, drive, writer
from tests.reading.memories import a_memory, texts


@pytest.fixture
def book(library: Library) -> DocumentRecord:
    """A book of which three pages have been read with *tiny*."""
    record = add_book(library)
    drive(gist(1, Turn(), library, Engines(tiny=writer()), GistRequest(record.id, "tiny", 3)))
    return record


def beginning(asked: Asked) -> tuple[str, str]:
    """Whose prefix a request names, and all of the prompt up to its end."""
    assert asked.prefix is not None
    before = "".join(message.content for message in asked.messages[:-1])
    return asked.prefix.owner, before + asked.messages[-1].content[: asked.prefix.characters]


def questions(library: Library, book: DocumentRecord, engine: ScriptedEngine, *texts: str) -> list[Asked]:
    for number, text in enumerate(texts):
        drive(ask(number, Turn(), library, Engines(tiny=engine), Question(book.id, text, "tiny", "tiny", 2)))
    return engine.streamed


def test_look_up_answer_and_the_work_ahead_name_one_beginning(library: Library, book: DocumentRecord) -> None:
    """For questions of any ordinary length."""
    engine = ScriptedEngine(["[3, 1]", "Yes [Page 3].", "[2]", "No."])
    events, read = drive(remember(9, Turn(), library, Engines(tiny=engine), book.id, "tiny"))
    assert events == [Started(9, "Remembering the gists")] and isinstance(read, int) and read > 100
    questions(library, book, engine, "Is it?", "And is the other one, of which was said that it is not, not it?")
    assert len(engine.history) == 5
    (one,) = {beginning(asked) for asked in engine.history}
    owner, text = one
    assert str(book.id) in owner and "tiny" in owner
    assert text.count("[Page ") == 3 and "gist43" in text
    assert all(beginning(asked)[1] + "\n---\n" in asked.text.replace("\n", "", 1) for asked in engine.streamed)


def test_a_memory_cut_to_the_context_is_the_same_for_all_questions(library: Library, book: DocumentRecord) -> None:
    engine = ScriptedEngine(context=1200, otherwise=lambda asked: "[]" if "Which pages" in asked.text else "Yes.")
    drive(remember(9, Turn(), library, Engines(tiny=engine), book.id, "tiny"))
    questions(library, book, engine, *(words(length, "q") for length in range(1, 12)))
    assert len({beginning(asked) for asked in engine.history}) == 1


def test_each_document_and_each_writer_of_gists_has_its_own(library: Library, book: DocumentRecord) -> None:
    drive(gist(2, Turn(), library, Engines(small=writer()), GistRequest(book.id, "small", 3)))
    other = add_book(library, "Another Book", "term")
    drive(gist(3, Turn(), library, Engines(tiny=writer()), GistRequest(other.id, "tiny", 3)))
    engine = ScriptedEngine()
    for document, model in ((book.id, "tiny"), (book.id, "small"), (other.id, "tiny")):
        drive(remember(9, Turn(), library, Engines(tiny=engine, small=engine), document, model))
    assert len({beginning(asked)[0] for asked in engine.history}) == 3


class Interrupted(ScriptedEngine):
    """An engine whose work ahead ends otherwise for so many times."""

    def __init__(self, times: int, error: Exception) -> None:
        super().__init__()
        self._times = times
        self._error = error

    def prepare(self, messages: Sequence[Message], prefix: Prefix, cancel: CancelToken) -> int:
        self._times -= 1
        if self._times >= 0:
            raise self._error
        return super().prepare(messages, prefix, cancel)


def test_it_gives_way_and_goes_on(library: Library, book: DocumentRecord) -> None:
    engine = Interrupted(2, Cancelled())
    events, read = drive(remember(9, Turn(), library, Engines(tiny=engine), book.id, "tiny"))
    assert events[1:] == [Overtaken(9)] * 2 and isinstance(read, int) and read > 0


def test_it_is_stopped(library: Library, book: DocumentRecord) -> None:
    turn = Turn()
    turn.stopped = True
    with pytest.raises(Cancelled):
        drive(remember(9, turn, library, Engines(tiny=Interrupted(1, Cancelled())), book.id, "tiny"))


def test_a_model_that_crashes_there_harms_nothing(library: Library, book: DocumentRecord) -> None:
    engine = Interrupted(1, ModelCrashed("It crashed.", "Try again."))
    assert drive(remember(9, Turn(), library, Engines(tiny=engine), book.id, "tiny"))[1] == 0


def test_a_document_that_has_gone_is_said_like_everywhere(library: Library) -> None:
    with pytest.raises(NotFoundError):
        drive(remember(9, Turn(), library, Engines(tiny=writer()), 77, "tiny"))


# -- with a real model ---------------------------------------------------------------------------------------------


GISTS = [
    f"On day {day} the keeper of the light counted {day * 7} ships, wrote to his sister in Bergen and mended the lamp."
    for day in range(1, 31)
]


def answered(engine: LocalEngine, gists: Sequence[str], question: str, owner: str = "book") -> Answer:
    agent = ReadingAgent(engine, "tiny")
    pages = [f"{text} And so the day went by." for text in gists]
    *_, answer = agent.ask(a_memory(gists), texts(pages), question, 1, CancelToken(), owner)
    assert isinstance(answer, Answer)
    return answer


def test_tiny_answers_after_a_restart_from_what_it_kept(tiny_model: Path, tmp_path: Path) -> None:
    """A question costs its own tokens and the opened pages; the answer is that of a model that read everything."""

    def engine(folder: Path | None) -> LocalEngine:
        limit = 1 << 30
        return LocalEngine("tiny", tiny_model, LoadOptions(4096, threads=1, folder=folder, cache_limit=limit))

    question = "How many ships did he count on day 9?"
    fresh = engine(None)
    expected = answered(fresh, GISTS, question)
    fresh.close()
    first = engine(tmp_path)
    read = ReadingAgent(first, "tiny").prepare(a_memory(GISTS), "book", CancelToken())
    first.close()
    assert read > 1000
    (kept,) = (tmp_path / "memories").iterdir()
    for spoilt in (False, True):
        if spoilt:
            with kept.open("r+b") as file:
                file.seek(-1000, os.SEEK_END)
                file.write(b"spoilt")
        second = engine(tmp_path)
        again = answered(second, GISTS, question)
        second.close()
        assert (again.text, again.look_ups) == (expected.text, expected.look_ups)
        assert again.cost.read == expected.cost.read - (0 if spoilt else read)
        assert kept.stat().st_size > 1000 * 20_000, "what was spoilt is kept anew"
