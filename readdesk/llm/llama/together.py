"""Several replies written together: the weights are fetched once for a token of each.

Prompts are read one after the other, each at its place; then all replies go on by one token at a time, and a place
whose reply has ended takes the next prompt at once, so that the steps stay wide. A reply that stops, at whatever
moment, leaves its prompt computed for the next time.

llama.cpp computes only neighbouring places in one go; every gap between them fetches the weights once more (twelve of
sixteen places with gaps took 1.5 times as long, measured). So where a gap is left and no prompt waits for it, the last
place of the row changes places with it.

What must stay true: every reply is what its prompt alone would get, up to rounding in how the work is grouped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readdesk.cancel import CancelToken
from readdesk.llm.llama.context import LAST, LlamaContext
from readdesk.llm.llama.places import Places
from readdesk.llm.llama.writing import Writing
from readdesk.llm.model import Limits, Reply


@dataclass(frozen=True)
class Asked:
    """A prompt in tokens, with the limits of its reply."""

    prompt: Sequence[int]
    limits: Limits


@dataclass
class _Begun:
    """A reply that is being written: whose it is, what reading cost, and its last token."""

    index: int
    writing: Writing
    read: int
    reused: int
    token: int

    def pick(self, context: LlamaContext, output: int) -> None:
        self.token = self.writing.pick(context, output)

    def reply(self) -> tuple[int, Reply]:
        assert self.writing.finish is not None
        return self.index, Reply(self.writing.text, self.writing.finish, self.read, self.reused, self.writing.tokens)


def reply_all(
    places: Places, asked: Sequence[Asked], spare: int, stops: Sequence[str], cancel: CancelToken
) -> Iterator[tuple[int, Reply]]:
    """Answer prompts together, each with its index, as they are done; `spare` tokens of every text stay empty."""
    if not asked:
        return
    context = places.fit(max(len(item.prompt) + item.limits.max_tokens for item in asked) + spare, len(asked))
    waiting = deque(enumerate(asked))
    begun: dict[int, _Begun] = {}
    try:
        while waiting or begun:
            while waiting and len(begun) < context.sequences:
                index, item = waiting.popleft()
                place = places.place(item.prompt, begun, [other.prompt for _, other in waiting])
                begun[place] = _begin(context, place, index, item, stops, cancel)
                if begun[place].writing.finish is not None:
                    yield _ended(begun, place)
            if begun:
                _close_up(places, begun)
                _step(context, begun, cancel)
            for place in [place for place, reply in begun.items() if reply.writing.finish is not None]:
                yield _ended(begun, place)
    finally:
        for reply in begun.values():
            reply.writing.close()


def _begin(
    context: LlamaContext, place: int, index: int, item: Asked, stops: Sequence[str], cancel: CancelToken
) -> _Begun:
    """Read a prompt and write the first token of its reply."""
    writing = Writing(context.model, item.limits, stops, item.prompt)
    try:
        reused = context.read(place, item.prompt, cancel)
        begun = _Begun(index, writing, len(item.prompt) - reused, reused, 0)
        if writing.finish is None:
            begun.pick(context, LAST)
    except BaseException:
        writing.close()
        raise
    return begun


def _step(context: LlamaContext, begun: dict[int, _Begun], cancel: CancelToken) -> None:
    """Take every reply one token further."""
    rows = sorted(begun)
    context.step([(place, begun[place].token) for place in rows], cancel)
    for output, place in enumerate(rows):
        begun[place].pick(context, output)


def _close_up(places: Places, begun: dict[int, _Begun]) -> None:
    """Bring the replies that are being written to places side by side."""
    row = range(min(begun), min(begun) + len(begun))
    for gap in [place for place in row if place not in begun]:
        last = max(begun)
        places.swap(gap, last)
        begun[gap] = begun.pop(last)


def _ended(begun: dict[int, _Begun], place: int) -> tuple[int, Reply]:
    ended = begun.pop(place)
    ended.writing.close()
    return ended.reply()
