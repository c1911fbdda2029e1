"""What comes after the gists: computing what every question about them begins with, so that the first begins at once.

It is a job of its own behind all others, because nobody waits for it: the gisting is done when its last gist is kept. A
question comes first; it computes the same beginning, and then nothing is left to do here. A model that cannot do it is
a line in the log.
"""

from __future__ import annotations

import logging

from readdesk.cancel import Cancelled
from readdesk.errors import ModelError
from readdesk.jobs.events import Overtaken, Started
from readdesk.jobs.lane import Steps, Turn
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library
from readdesk.llm.loader import EngineLoader
from readdesk.reading.agent import ReadingAgent

_logger = logging.getLogger(__name__)


def owner_of(record: DocumentRecord, gists_of: str) -> str:
    """Whose beginning of prompts it is: each document has one for every model that wrote gists of it."""
    return f"document {record.id}, gists of {gists_of}"


def remember(number: int, turn: Turn, library: Library, engines: EngineLoader, document: int, model: str) -> Steps:
    """Compute and keep what questions to a model about its own gists begin with; comes to the tokens it read."""
    yield Started(number, "Remembering the gists")
    while True:
        record = library.documents.get(document)
        memory = library.gists.memory(record, model)
        try:
            agent = ReadingAgent(engines.engine(model, turn.cancel), model)
            read = agent.prepare(memory, owner_of(record, model), turn.cancel)
        except Cancelled:
            turn.overtaken()
            yield Overtaken(number)
        except ModelError as error:
            _logger.warning("the gists of document %d could not be computed ahead: %s", document, error)
            return 0
        else:
            _logger.info("read %d tokens of gists of document %d ahead", read, document)
            return read
