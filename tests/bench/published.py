"""Gisting the published way, as fast as it can be done so: what ours is held against.

ReadAgent reads every page twice, once for its end and once for its gist, one page after the other, and lets the model
give a reason (60 tokens at most) before it names the end (section 3.1 and the notebook that was released with it). The
instruction stands first there, so the two readings have nothing in common but that. The rest is as good as ours: the
same engine with its reuse of a common beginning, the same batches and threads, the same substance of the requests, the
same limits for a gist, and the same parts of a document left out.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from readdesk.cancel import CancelToken
from readdesk.documents.model import Document
from readdesk.documents.normal import count_words, one_line
from readdesk.llm.base import Engine, complete
from readdesk.llm.model import Limits, Message
from readdesk.reading.gist import gist_limits
from readdesk.reading.paginate import PageSize, candidates, fallback_break, next_start, section_end, window
from readdesk.reading.prompts import break_messages, gist_messages, gist_words

REASON_TOKENS = 60
_PARTS = "\n---\n"
_LETTER = re.compile(r"\[([A-Z])\]|\b([B-HJ-Z])\b")
_REASON = "\nFirst give your reason in one or two sentences, then the letter in square brackets."


@dataclass(frozen=True)
class Published:
    """What reading a document so took: seconds, pages, tokens read anew and written, pages whose end was not named."""

    seconds: float
    pages: int
    read: int
    written: int
    unnamed: int


def gist_as_published(engine: Engine, document: Document, size: PageSize) -> Published:
    """Read a whole document so; its gists are dropped."""
    began, pages, read, written, unnamed = time.perf_counter(), 0, 0, 0, 0
    for first, until in document.readable():
        start = next_start(document, first, until)
        while start is not None:
            limit = section_end(document, start, until)
            units = window(document, start, size, limit)
            texts = [one_line(document.text(unit.start, unit.end)) for unit in units]
            last, labels = len(units) - 1, candidates(units, size)
            if units[-1].end < limit and labels:
                asked = _instruction_first(break_messages(document.title, texts, labels), _REASON)
                reply = complete(engine, asked, Limits(REASON_TOKENS), CancelToken())
                read, written = read + reply.tokens_read, written + reply.tokens_written
                named = _named(reply.text, labels)
                unnamed += named is None
                last = fallback_break(units, labels) if named is None else named
            words = count_words(document.text(start, units[last].end))
            asked = _instruction_first(gist_messages(document.title, texts[: last + 1], {}, gist_words(words)))
            reply = complete(engine, asked, gist_limits(words), CancelToken())
            read, written = read + reply.tokens_read, written + reply.tokens_written
            start, pages = next_start(document, units[last].end, until), pages + 1
    return Published(time.perf_counter() - began, pages, read, written, unnamed)


def _instruction_first(messages: Sequence[Message], more: str = "") -> list[Message]:
    """The same request with its two parts the other way round."""
    passage, _, request = messages[-1].content.rpartition(_PARTS)
    return [*messages[:-1], Message("user", f"{request}{more}{_PARTS}{passage}")]


def _named(reply: str, labels: dict[int, str]) -> int | None:
    """The unit whose letter the reply names last, None where it names none that was shown."""
    letters = [first or second for first, second in _LETTER.findall(reply)]
    units = {letter: unit for unit, letter in labels.items()}
    return next((units[letter] for letter in reversed(letters) if letter in units), None)
