"""A question: looked up, answered piece by piece, kept with its trail; stopped at any moment without a trace."""

from __future__ import annotations

import pytest

from readdesk.errors import ModelError, NotFoundError, ReadDeskError
from readdesk.jobs.ask import Question, ask, history
from readdesk.jobs.events import Done, Failed, LookedUp, ModelReady, Started, Stopped, Text
from readdesk.jobs.lane import Lane, Turn
from readdesk.jobs.work import GistRequest, gist
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library
from readdesk.reading.model import Answer
from tests.fakes import Asked, Cut, ScriptedEngine
from tests.jobs.books import Engines, HeldEngine, add_book, drive, writer
from tests.jobs.recorder import LONG, Recorder


@pytest.fixture
def book(library: Library) -> DocumentRecord:
    """A book of which three pages have been read with *tiny*."""
    record = add_book(library)
    drive(gist(1, Turn(), library, Engines(tiny=writer()), GistRequest(record.id, "tiny", 3)))
    return record


def test_the_way_of_a_question(library: Library, book: DocumentRecord) -> None:
    """Look-ups come first, then the answer's pieces; what is kept is what was told."""
    engine = ScriptedEngine(["[3, 1]", "It is about words [Page 3]. And page 2 too."])
    question = Question(book.id, "What do the words say?", "asked", "tiny", 2)
    events, answer = drive(ask(5, Turn(), library, Engines(asked=engine), question))
    assert isinstance(answer, Answer)
    assert events[0] == Started(5, "Asking “A Book” with asked")
    assert events[1] == ModelReady(5, engine.runs)
    assert isinstance(events[2], LookedUp)
    assert [(item.page, item.by) for item in events[2].look_ups] == [(3, "model"), (1, "model")]
    assert all(isinstance(event, Text) for event in events[3:]) and len(events) > 6
    assert "".join(event.text for event in events[3:] if isinstance(event, Text)) == answer.text
    assert (answer.gists, answer.pages, answer.complete, answer.unread_tags) == (3, 3, False, (2,))
    (asked,) = library.conversations.of(book)
    assert (asked.question, asked.answer, asked.model) == ("What do the words say?", answer.text, "asked")
    assert asked.look_ups == answer.look_ups == events[2].look_ups
    assert asked.coverage == answer.coverage
    look_up, answering = engine.streamed
    assert all("word0n0 gist0" in request.text for request in (look_up, answering))
    assert "word5n99" in answering.text and "word5n99" not in look_up.text


def test_pages_are_put_in_while_a_question_is_answered(library: Library) -> None:
    """Another program reads a section that was left out: the trail and the answer name the page that was read."""
    record = add_book(library)
    library.documents.leave_out(record, 0, True)
    drive(gist(1, Turn(), library, Engines(tiny=writer()), GistRequest(record.id, "tiny")))

    def late(request: Asked) -> str:
        if "Answer the question" not in request.text:
            return "[1]"
        library.documents.leave_out(record, 0, False)
        drive(gist(2, Turn(), library, Engines(tiny=writer()), GistRequest(record.id, "tiny")))
        return "It begins there [Page 1]."

    question = Question(record.id, "Where does it begin?", "asked", "tiny", 1)
    drive(ask(3, Turn(), library, Engines(asked=ScriptedEngine(otherwise=late)), question))
    (asked,) = history(library, record)
    assert [item.page for item in asked.look_ups] == [3]
    assert asked.answer == "It begins there [Page 3]."


def test_the_gists_of_another_model_are_read(library: Library, book: DocumentRecord) -> None:
    drive(gist(2, Turn(), library, Engines(small=writer()), GistRequest(book.id, "small", 1)))
    engine = ScriptedEngine(["[]", "Yes."])
    drive(ask(3, Turn(), library, Engines(asked=engine), Question(book.id, "Is it?", "asked", "tiny", 1)))
    assert engine.history[0].text.count("[Page ") == 3
    engine = ScriptedEngine(["[]", "Yes."])
    drive(ask(4, Turn(), library, Engines(asked=engine), Question(book.id, "Is it?", "asked", "small", 1)))
    assert engine.history[0].text.count("[Page ") == 1
    assert [asked.model for asked in library.conversations.of(book)] == ["asked", "asked"]


def test_a_document_without_gists(library: Library, book: DocumentRecord) -> None:
    """Also when another model has read it."""
    engines = Engines(asked=ScriptedEngine())
    for record, model in ((add_book(library, "New", "new"), "tiny"), (book, "small")):
        with pytest.raises(ReadDeskError, match=rf"has not been read yet\. First run: readdesk gist {record.id}"):
            drive(ask(1, Turn(), library, engines, Question(record.id, "What?", "asked", model, 3)))
        assert library.conversations.of(record) == ()
    with pytest.raises(NotFoundError):
        drive(ask(1, Turn(), library, engines, Question(77, "What?", "asked", "tiny", 3)))


def test_stopped_in_the_middle_of_an_answer(library: Library, book: DocumentRecord, lane: Lane, told: Recorder) -> None:
    """The engine's stream is ended, nothing of the answer is kept, and the next question is answered."""
    engine = HeldEngine("Question: Why?")
    question = Question(book.id, "Why?", "asked", "tiny", 0)
    lane.submit(1, lambda turn: ask(1, turn, library, Engines(asked=engine), question), 0)
    assert engine.holding.wait(LONG)
    told.wait_for(lambda event: isinstance(event, Text))
    lane.stop(1)
    assert told.end(1) == Stopped(1)
    assert library.conversations.of(book) == ()
    engine.go_on.set()
    lane.submit(2, lambda turn: ask(2, turn, library, Engines(asked=engine), question), 0)
    assert isinstance(told.end(2), Done)
    assert len(library.conversations.of(book)) == 1
    told.check(1, 2)


def test_stopped_between_two_pieces(library: Library, book: DocumentRecord) -> None:
    """Closing the job closes the engine's stream at once, not whenever the garbage is collected."""
    engine = HeldEngine("nothing")
    steps = ask(1, Turn(), library, Engines(asked=engine), Question(book.id, "Why?", "asked", "tiny", 0))
    while not isinstance(next(steps), Text):
        pass
    assert engine.ended == []
    steps.close()
    assert engine.ended == ["closed"]
    assert library.conversations.of(book) == ()


def test_an_engine_that_fails(library: Library, book: DocumentRecord, lane: Lane, told: Recorder) -> None:
    engine = ScriptedEngine(["[1]", ModelError("The model ended unexpectedly.", "Try again.")])
    question = Question(book.id, "Why?", "asked", "tiny", 1)
    lane.submit(1, lambda turn: ask(1, turn, library, Engines(asked=engine), question), 0)
    end = told.end(1)
    assert isinstance(end, Failed) and end.error.message == "The model ended unexpectedly."
    assert library.conversations.of(book) == ()


def test_an_answer_that_ran_to_its_limit_is_kept_and_says_so(library: Library, book: DocumentRecord) -> None:
    engine = ScriptedEngine(["[1]", Cut("On and on")])
    _, answer = drive(ask(1, Turn(), library, Engines(asked=engine), Question(book.id, "Why?", "asked", "tiny", 1)))
    assert isinstance(answer, Answer) and answer.cut
    assert library.conversations.of(book)[0].answer == "On and on"
