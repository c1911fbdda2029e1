"""The reading context: the places where prompts are read, apart from the one where questions are answered.

A prompt goes to the place that holds its beginning already (the page's end was chosen from the same passage that is now
to be shortened), else to an empty one, else to the one that was not used for longest. The context is made when it is
first needed, as wide as is asked for and memory allows, and anew only when something longer or more is; what is
computed moves along where it can. When nothing was read for ten minutes, the next question frees it.

What must stay true: which place a prompt goes to decides only how much is read again, never what is said.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import psutil

from readdesk.cancel import CancelToken
from readdesk.errors import ModelError
from readdesk.llm.llama.context import LlamaContext
from readdesk.llm.llama.model import LlamaModel

MOST_TOGETHER = 16
"""Replies that are written together at most: more were not measured to bring much, and memory is dear."""

_TYPICAL_TOKENS = 1536
"""A page of an article with its request and its gist."""

_BUDGET = 1 << 30
_SHARE_OF_MEMORY = 4
_LENGTH_STEP = 512
_IDLE_SECONDS = 600.0


@dataclass(frozen=True)
class Footprint:
    """Bytes that one text takes in a context: whatever its length, and for each of its tokens."""

    fixed: int
    per_token: int

    def of(self, tokens: int) -> int:
        """Bytes of a text of so many tokens."""
        return self.fixed + tokens * self.per_token

    def tokens_in(self, budget: int) -> int:
        """How many tokens texts of the usual length may have in all."""
        return budget // self.of(_TYPICAL_TOKENS) * _TYPICAL_TOKENS


def measure_footprint(context: LlamaContext, cancel: CancelToken) -> Footprint:
    """What llama.cpp keeps for one token and for a second one: the files' own figures are different in every family."""
    text = context.model.tokenize("one two", special=False)
    context.read(0, text[:1], cancel)
    first = context.state_size(0)
    context.step([(0, text[1])], cancel)
    per_token = context.state_size(0) - first
    return Footprint(first - per_token, per_token)


def memory_budget(held: int = 0) -> int:
    """Bytes that the reading context may take: a gigabyte, or a quarter of what is free (and `held` by it now)."""
    return min(_BUDGET, (psutil.virtual_memory().available + held) // _SHARE_OF_MEMORY)


def worth_together(footprint: Footprint) -> int:
    """How many replies can be written together at the usual length of a page."""
    return max(1, min(MOST_TOGETHER, memory_budget() // footprint.of(_TYPICAL_TOKENS)))


class Places:
    """The places of one model, each for one prompt and its reply; `threads` are those that write and that read."""

    def __init__(
        self,
        model: LlamaModel,
        footprint: Footprint,
        threads: tuple[int, int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._footprint = footprint
        self._threads = threads
        self._clock = clock
        self._context: LlamaContext | None = None
        self._uses: list[int] = []
        self._use = 0
        self._used_at = 0.0
        self._most = _BUDGET

    def close(self) -> None:
        """Free the memory; what is read next makes it anew."""
        if self._context is not None:
            self._context.close()
            self._context = None

    def rest(self) -> None:
        """Free the memory when nothing was read for long."""
        if self._clock() - self._used_at > _IDLE_SECONDS:
            self.close()
            self._most = _BUDGET

    def fit(self, length: int, wanted: int = 1) -> LlamaContext:
        """A context whose texts may have so many tokens, with so many places if memory allows. Raises ModelError."""
        self._used_at = self._clock()
        length = -(-length // _LENGTH_STEP) * _LENGTH_STEP
        length = min(length, self._model.longest_context or length)
        width = self._width(length)
        now = self._context
        if now is not None and now.length >= length and now.sequences >= min(wanted, width):
            return now
        if now is not None and now.length < length and min(wanted, width) <= now.sequences <= width:
            width = now.sequences  # It only has to be longer: as many places can take over what they hold.
        else:
            # No wider than is asked for: making a gigabyte of memory can take longer than a stop may, and goes on.
            width = min(wanted, width)
        return self._make(length, width)

    def place(self, prompt: Sequence[int], busy: Collection[int] = (), waiting: Sequence[Sequence[int]] = ()) -> int:
        """The place to read a prompt at, none of the busy ones, nor one that a waiting prompt will want if possible."""
        context = self._context
        assert context is not None
        free = [place for place in range(context.sequences) if place not in busy]
        best = max(free, key=lambda place: context.usable(place, prompt))
        if not _continues(context, best, prompt):
            wanted = {place for place in free for other in waiting if _continues(context, place, other)}
            # An empty place was never used, or its use came to nothing.
            best = min(free, key=lambda place: (place in wanted, bool(context.tokens[place]) * self._uses[place]))
        self._use += 1
        self._uses[best] = self._use
        return best

    def swap(self, one: int, other: int) -> None:
        """Let two places change what they hold."""
        assert self._context is not None
        self._context.swap(one, other)
        self._uses[one], self._uses[other] = self._uses[other], self._uses[one]

    def _width(self, length: int) -> int:
        held = self._context
        now = self._footprint.of(held.length) * held.sequences if held is not None else 0
        return max(1, min(MOST_TOGETHER, min(self._most, memory_budget(now)) // self._footprint.of(length)))

    def _make(self, length: int, width: int) -> LlamaContext:
        kept = self._taken_out(length, width)
        self.close()
        context = self._context = self._opened(length, width)
        context.set_threads(*self._threads)
        if context.sequences == len(self._uses):
            for place, (tokens, state) in kept.items():
                context.restore(place, tokens, state)
        else:
            self._uses = [0] * context.sequences
        return context

    def _opened(self, length: int, width: int) -> LlamaContext:
        """A context of so many places, or of fewer where the computer has no memory for them after all."""
        while True:
            try:
                return LlamaContext(self._model, length, width)
            except ModelError:
                if width == 1:
                    raise
                width //= 2
                # Else it would be tried again for every group of pages, and what was read for them would be lost.
                self._most = width * self._footprint.of(length)

    def _taken_out(self, length: int, width: int) -> dict[int, tuple[list[int], bytes]]:
        """What is held now, where a new context can take it over: llama.cpp ties a state to the number of texts."""
        now = self._context
        if now is None or now.sequences != width:
            return {}
        held = {place: tokens for place, tokens in enumerate(now.tokens) if 0 < len(tokens) < length}
        return {place: (tokens, now.state(place)) for place, tokens in held.items()}


def _continues(context: LlamaContext, place: int, prompt: Sequence[int]) -> bool:
    """Whether a place holds so much of a prompt that it is meant for it, and not only begins with the same words."""
    shorter = min(len(context.tokens[place]), len(prompt))
    return shorter > 0 and 2 * context.usable(place, prompt) >= shorter
