"""A model service whose process really dies of a text: what an assertion inside llama.cpp does."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

from readdesk.cancel import CancelToken
from readdesk.llm.llama.service import LlamaService
from readdesk.llm.local import LocalEngine
from readdesk.llm.model import Choice, LoadOptions, Message, Reply, Request
from readdesk.worker import Worker

POISON = "arsenic"


class DyingService(LlamaService):
    """The real service, except that no text with POISON in it is survived."""

    def reply_all(self, requests: Sequence[Request], *, cancel: CancelToken) -> Iterator[tuple[int, Reply]]:
        """Like the real one."""
        _die_of(*(request.messages for request in requests))
        yield from super().reply_all(requests, cancel=cancel)

    def choose(self, messages: Sequence[Message], options: Sequence[str], *, cancel: CancelToken) -> Choice:
        """Like the real one."""
        _die_of(messages)
        return super().choose(messages, options, cancel=cancel)


def _die_of(*prompts: Sequence[Message]) -> None:
    if any(POISON in message.content for messages in prompts for message in messages):
        os.kill(os.getpid(), signal.SIGTERM if os.name == "nt" else signal.SIGKILL)


class MortalEngine(LocalEngine):
    """A LocalEngine whose process holds that service."""

    def __init__(self, name: str, file: Path, options: LoadOptions) -> None:
        super().__init__(name, file, options)
        self._worker = Worker("tests.llm.dying:DyingService", name, file, options, name="The model")
