"""Fitting what is to be read into the model's context, before every call.

The reply's room is set aside first. Opened pages go in by importance until the context is full; one that does not fit
whole is cut, if a useful part of it fits, else left out; a memory that is too long by itself has every gist cut to the
same length, and its last gists left out where even that is not enough. Whatever was cut or left out is said in the
answer's coverage.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from readdesk.cancel import CancelToken
from readdesk.llm.base import Engine
from readdesk.reading.model import Memory
from readdesk.reading.prompts import memory_text

OVERHEAD_TOKENS = 220
"""Instructions, template and tags around the texts of a prompt."""

_USEFUL_TOKENS = 200
_MEMORY_SHARE = 0.6
_SHORTER = (120, 80, 50, 30, 18, 10)


@dataclass(frozen=True)
class FittedPage:
    """A page's text as it goes into a prompt, and whether it was cut."""

    number: int
    text: str
    shortened: bool


@dataclass(frozen=True)
class FittedMemory:
    """The memory's text as it goes into a prompt, its tokens, how many gists it holds, and whether they were cut."""

    text: str
    tokens: int
    gists: int
    shortened: bool


def fit_memory(engine: Engine, memory: Memory, room: int, cancel: CancelToken) -> FittedMemory:
    """The memory, shortened where that is needed to leave two fifths of the room for pages."""
    limit = int(room * _MEMORY_SHARE)
    text, tokens = "", 0
    for words in (0, *_SHORTER):
        text = memory_text(memory, words)
        tokens = engine.count([text], cancel)[0]
        if tokens <= limit:
            return FittedMemory(text, tokens, len(memory.entries), words > 0)
    kept = len(memory.entries)
    while tokens > limit and kept > 1:
        kept = min(kept - 1, kept * limit // tokens) or 1
        text = memory_text(replace(memory, entries=memory.entries[:kept]), _SHORTER[-1])
        tokens = engine.count([text], cancel)[0]
    return FittedMemory(_cut(engine, text, limit, cancel), min(tokens, limit), kept, True)


def fit_pages(
    engine: Engine,
    pages: Sequence[int],
    text_of: Callable[[int], str],
    room: int,
    cancel: CancelToken,
) -> tuple[tuple[FittedPage, ...], tuple[int, ...]]:
    """Pages by importance as far as they fit in so many tokens, and the numbers of those left out."""
    fitted: list[FittedPage] = []
    left_out: list[int] = []
    for number in pages:
        text = text_of(number)
        tokens = engine.count([text], cancel)[0] + 12
        if tokens <= room:
            fitted.append(FittedPage(number, text, shortened=False))
            room -= tokens
        elif room >= _USEFUL_TOKENS:
            fitted.append(FittedPage(number, _cut(engine, text, room - 12, cancel), shortened=True))
            room = 0
        else:
            left_out.append(number)
    return tuple(fitted), tuple(left_out)


def _cut(engine: Engine, text: str, room: int, cancel: CancelToken) -> str:
    """The beginning of a text that takes at most so many tokens, ending with a whole word."""
    tokens = engine.count([text], cancel)[0]
    while text and tokens > room:
        shorter = text[: max(0, int(len(text) * room / tokens) - 8)]
        text = shorter.rsplit(" ", 1)[0] if " " in shorter else shorter
        tokens = engine.count([text], cancel)[0]
    return text
