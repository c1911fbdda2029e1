"""The Engine protocol: words in, words out, wherever the model runs.

Everything above this room knows a model only through these few verbs, so that a model on this computer, one behind an
address, and a scripted one in a test are equals. Every call takes a CancelToken and raises Cancelled when it is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from readdesk.cancel import CancelToken
from readdesk.llm.model import Choice, EngineInfo, Likelihood, Limits, Message, Prefix, Reply, Request


class Engine(Protocol):
    """A language model that can be asked."""

    def info(self, cancel: CancelToken) -> EngineInfo:
        """What runs and how fast; loads the model when that has not happened yet. Raises ModelError."""
        ...

    def count(self, texts: Sequence[str], cancel: CancelToken) -> tuple[int, ...]:
        """How many tokens each text takes, without any template around it."""
        ...

    def stream(
        self, messages: Sequence[Message], limits: Limits, cancel: CancelToken, prefix: Prefix | None = None
    ) -> Iterator[str | Reply]:
        """Yield the pieces of the reply as they are written, then the whole Reply. Raises ModelError.

        What was computed for the `prefix` is taken from where it is kept, and kept there where it is new.
        """
        ...

    def reply_all(self, requests: Sequence[Request], cancel: CancelToken) -> Iterator[tuple[int, Reply]]:
        """Answer several prompts together: the index of each and its Reply, as they are done. Raises ModelError.

        A reply is the one that its prompt alone would get, up to rounding in how the work is grouped.
        """
        ...

    def prepare(self, messages: Sequence[Message], prefix: Prefix, cancel: CancelToken) -> int:
        """Compute a prefix and keep it, so that what is asked after it begins at once; how many tokens were read."""
        ...

    def likelihood(self, messages: Sequence[Message], reply: str, cancel: CancelToken) -> Likelihood:
        """How likely a given reply to the messages is. Raises ModelError."""
        ...

    def choose(self, messages: Sequence[Message], options: Sequence[str], cancel: CancelToken) -> Choice:
        """Score each option as the beginning of the reply, from one reading of the messages. Raises ModelError.

        Every option must be a single token that no other option shares; LabelError otherwise.
        """
        ...

    def close(self) -> None:
        """Give back the memory and whatever process holds the model."""
        ...


def complete(
    engine: Engine, messages: Sequence[Message], limits: Limits, cancel: CancelToken, prefix: Prefix | None = None
) -> Reply:
    """The whole reply at once. Raises ModelError when the engine does."""
    reply: Reply | None = None
    for item in engine.stream(messages, limits, cancel, prefix):
        if isinstance(item, Reply):
            reply = item
    if reply is None:
        raise RuntimeError("a reply ended without its closing record")
    return reply
