"""How the tests read one page: where it ends, then its gist."""

from __future__ import annotations

from dataclasses import dataclass

from readdesk.cancel import CancelToken
from readdesk.documents.model import Document
from readdesk.reading.agent import ReadingAgent
from readdesk.reading.model import Cost, Gist, Page
from readdesk.reading.paginate import PageSize


@dataclass(frozen=True)
class ReadPage:
    """What has come of reading one page."""

    page: Page
    gist: Gist
    cost: Cost


def read_page(
    agent: ReadingAgent, document: Document, number: int, start: int, size: PageSize, until: int | None = None
) -> ReadPage:
    """Read from a position to the next pause, and shorten that alone."""
    passage = agent.paginate(document, number, start, size, CancelToken(), until)
    ((page, gist, cost),) = agent.shorten_pages(document, [passage], CancelToken())
    return ReadPage(page, gist, cost)
