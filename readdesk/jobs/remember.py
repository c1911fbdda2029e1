"""What comes after the gists: computing what every question about them begins with, so that the first begins at once.

It is a convenience: a question gives it up and comes first, a model that cannot do it is a line in the log, and the
gists are kept whatever happens here.
"""

from __future__ import annotations

import logging

from readdesk.cancel import Cancelled
from readdesk.errors import ReadDeskError
from readdesk.jobs.lane import Turn
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library
from readdesk.llm.loader import EngineLoader
from readdesk.reading.agent import ReadingAgent

_logger = logging.getLogger(__name__)


def owner_of(record: DocumentRecord, gists_of: str) -> str:
    """Whose beginning of prompts it is: each document has one for every model that wrote gists of it."""
    return f"document {record.id}, gists of {gists_of}"


def remember(turn: Turn, library: Library, engines: EngineLoader, record: DocumentRecord, model: str) -> bool:
    """Compute and keep what questions to a model about its own gists begin with; False where that gave way."""
    memory = library.gists.memory(record, model)
    if not memory.entries:
        return True
    try:
        agent = ReadingAgent(engines.engine(model, turn.cancel), model)
        read = agent.prepare(memory, owner_of(record, model), turn.cancel)
    except Cancelled:
        return False
    except ReadDeskError as error:
        _logger.warning("the gists of document %d could not be computed ahead: %s", record.id, error)
        return True
    _logger.info("computed %d tokens of the gists of document %d ahead", read, record.id)
    return True
