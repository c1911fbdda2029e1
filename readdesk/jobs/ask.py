"""A question: ahead of everything else, answered from the gist memory, kept with its trail.

Pages may have other numbers when an old answer is read again; it names them by those that they have now.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from readdesk.errors import ReadDeskError
from readdesk.jobs.events import LookedUp, ModelReady, Started, Text
from readdesk.jobs.lane import Steps, Turn
from readdesk.jobs.remember import owner_of
from readdesk.library.model import Asked, DocumentRecord
from readdesk.library.store import Library
from readdesk.llm.loader import EngineLoader
from readdesk.reading.agent import ReadingAgent
from readdesk.reading.model import Answer
from readdesk.reading.prompts import retagged


@dataclass(frozen=True)
class Question:
    """What is asked of which document; `model` answers, `gists_of` is the model whose gists are read."""

    document: int
    text: str
    model: str
    gists_of: str
    max_pages: int


def ask(number: int, turn: Turn, library: Library, engines: EngineLoader, question: Question) -> Steps:
    """Look up and answer; comes to the Answer."""
    record = library.documents.get(question.document)
    yield Started(number, f"Asking \u201c{record.title}\u201d with {question.model}")
    memory = library.gists.memory(record, question.gists_of)
    if not memory.entries:
        raise ReadDeskError(
            f"\u201c{record.title}\u201d has not been read yet.",
            "Let a model read some pages first.",
            f"First run: readdesk gist {record.id}",
        )
    document = library.documents.load(record)
    pages = {entry.page.number: entry.page for entry in memory.entries}

    def text_of(page: int) -> str:
        return document.text(pages[page].start, pages[page].end)

    answer: Answer | None = None
    engine = engines.engine(question.model, turn.cancel)
    yield ModelReady(number, engine.info(turn.cancel))
    reader = ReadingAgent(engine, question.model)
    owner = owner_of(record, question.gists_of)
    for item in reader.ask(memory, text_of, question.text, question.max_pages, turn.cancel, owner):
        if isinstance(item, Answer):
            answer = item
        elif isinstance(item, str):
            yield Text(number, item)
        else:
            yield LookedUp(number, item)
    assert answer is not None
    starts = {number: page.start for number, page in pages.items()}
    library.conversations.add(record, question.model, question.text, answer, starts)
    return answer


def history(library: Library, record: DocumentRecord) -> tuple[Asked, ...]:
    """What was asked of a document, oldest first, with today's page numbers."""
    asked = library.conversations.of(record)
    return tuple(replace(item, answer=retagged(item.answer, dict(item.moved)), moved=()) for item in asked)
