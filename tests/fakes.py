"""Fakes that stand where the real things are slow: a scripted engine, and documents made of words.

A `ScriptedEngine` answers from queues and remembers what it was asked, so that a test can say exactly what a model did
and look at exactly what it saw. It keeps the Engine's promises: pieces, then the Reply; Cancelled when it is stopped.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from readdesk.cancel import CancelToken
from readdesk.documents.model import Document, Kind, Paragraph, Piece, Section, TextSpot
from readdesk.errors import ModelError
from readdesk.llm.model import Choice, EngineInfo, Likelihood, Limits, Message, Prefix, Reply, Request

if TYPE_CHECKING:
    from readdesk.llm.base import Engine

_PIECE = 5


@dataclass(frozen=True)
class Asked:
    """One request to the engine: the messages, with the limits of a reply or the options of a choice."""

    messages: tuple[Message, ...]
    limits: Limits | None = None
    options: tuple[str, ...] = ()
    prefix: Prefix | None = None

    @property
    def text(self) -> str:
        """All messages as one text."""
        return "\n".join(message.content for message in self.messages)


@dataclass(frozen=True)
class Cut:
    """A reply that ran to its limit."""

    text: str


Scripted = str | Cut | Exception


class ScriptedEngine:
    """An engine that says what it was told to.

    `replies` are taken in order by `stream`; a text is a whole reply, a Cut one that ran to its limit, an exception is
    raised. `choices` are taken in order by `choose`: the index of an option, or an exception. When a queue is empty,
    `otherwise` makes the reply and the last option is chosen.
    """

    def __init__(
        self,
        replies: Sequence[Scripted] = (),
        choices: Sequence[int | Exception] = (),
        *,
        context: int = 8192,
        together: int = 1,
        otherwise: Callable[[Asked], Scripted] | None = None,
    ) -> None:
        self.replies = deque(replies)
        self.choices = deque(choices)
        self.history: list[Asked] = []
        self.closed = False
        self._context = context
        self.runs = EngineInfo("scripted", context, together=together)
        """What it says that it runs on."""
        self._otherwise = otherwise

    @property
    def streamed(self) -> list[Asked]:
        """The requests for words."""
        return [asked for asked in self.history if asked.limits is not None]

    @property
    def chosen(self) -> list[Asked]:
        """The requests for a choice."""
        return [asked for asked in self.history if asked.options]

    def info(self, cancel: CancelToken) -> EngineInfo:
        cancel.raise_if_cancelled()
        return self.runs

    def count(self, texts: Sequence[str], cancel: CancelToken) -> tuple[int, ...]:
        cancel.raise_if_cancelled()
        return tuple(count_tokens(text) for text in texts)

    def stream(
        self, messages: Sequence[Message], limits: Limits, cancel: CancelToken, prefix: Prefix | None = None
    ) -> Iterator[str | Reply]:
        asked = Asked(tuple(messages), limits=limits, prefix=prefix)
        self.history.append(asked)
        reply = self._next_reply(asked)
        if isinstance(reply, Exception):
            raise reply
        read = self._read(messages)
        text = reply.text if isinstance(reply, Cut) else reply
        for start in range(0, len(text), _PIECE):
            cancel.raise_if_cancelled()
            yield text[start : start + _PIECE]
        cancel.raise_if_cancelled()
        written = count_tokens(text)
        yield Reply(text, "length" if isinstance(reply, Cut) else "stop", tokens_read=read, tokens_written=written)

    def reply_all(self, requests: Sequence[Request], cancel: CancelToken) -> Iterator[tuple[int, Reply]]:
        for index, request in enumerate(requests):
            for item in self.stream(request.messages, request.limits, cancel):
                if isinstance(item, Reply):
                    yield index, item

    def prepare(self, messages: Sequence[Message], prefix: Prefix, cancel: CancelToken) -> int:
        cancel.raise_if_cancelled()
        self.history.append(Asked(tuple(messages), prefix=prefix))
        return self._read(messages)

    def likelihood(self, messages: Sequence[Message], reply: str, cancel: CancelToken) -> Likelihood:
        cancel.raise_if_cancelled()
        tokens = count_tokens(reply)
        return Likelihood(-0.1 * tokens, tokens, self._read(messages))

    def choose(self, messages: Sequence[Message], options: Sequence[str], cancel: CancelToken) -> Choice:
        asked = Asked(tuple(messages), options=tuple(options))
        self.history.append(asked)
        cancel.raise_if_cancelled()
        wanted = self.choices.popleft() if self.choices else len(options) - 1
        if isinstance(wanted, Exception):
            raise wanted
        scores = tuple(-0.1 if index == wanted else -5.0 - index for index in range(len(options)))
        return Choice(scores, tokens_read=self._read(messages))

    def close(self) -> None:
        self.closed = True

    def _next_reply(self, asked: Asked) -> Scripted:
        if self.replies:
            return self.replies.popleft()
        if self._otherwise is not None:
            return self._otherwise(asked)
        raise AssertionError(f"the engine was asked once too often:\n{asked.text}")

    def _read(self, messages: Sequence[Message]) -> int:
        """Like a real engine: what does not fit is refused."""
        tokens = sum(count_tokens(message.content) for message in messages)
        if tokens > self._context:
            raise ModelError(f"The text takes {tokens} tokens, but the model's context holds {self._context}.")
        return tokens


if TYPE_CHECKING:
    _conforms: type[Engine] = ScriptedEngine


def count_tokens(text: str) -> int:
    """About what a real tokenizer makes of a text: 1.3 a word, one for each character of a script without spaces."""
    unspaced = sum(1 for character in text if character >= "\u2e80")
    return math.ceil(1.3 * len(text.split())) + unspaced


def a_document(
    texts: Sequence[str],
    *,
    headings: Sequence[int] = (),
    sections: Sequence[int] = (0,),
    levels: Sequence[int] = (),
    title: str = "A Book",
    language: str = "en",
) -> Document:
    """A document of these paragraphs, as a text file would give them.

    `headings` are the indices of paragraphs that are headings; `sections` those of paragraphs that begin a section (the
    first must be 0), with `levels` beside them (1 by default).
    """
    depths = list(levels) or [1] * len(sections)
    paragraphs: list[Paragraph] = []
    begun: list[Section] = []
    place = 0
    for index, text in enumerate(texts):
        if index in sections:
            number = len(begun)
            begun.append(Section(number, f"Section {number + 1}", depths[number], _parent(begun, depths), place))
        kind: Kind = "heading" if index in headings else "text"
        pieces = (Piece(0, len(text), TextSpot(place, place + len(text))),)
        paragraphs.append(Paragraph(len(begun) - 1, place, text, pieces, kind))
        place += len(text)
    return Document(title, tuple(begun), tuple(paragraphs), language)


def _parent(begun: Sequence[Section], depths: Sequence[int]) -> int:
    """The last section before that is higher, -1 for none."""
    depth = depths[len(begun)]
    return next((section.index for section in reversed(begun) if section.level < depth), -1)


def words(count: int, stem: str = "word") -> str:
    """A paragraph of so many different words, in sentences of ten."""
    parts = [f"{stem}{number}{'.' if number % 10 == 9 or number == count - 1 else ''}" for number in range(count)]
    return " ".join(parts)
