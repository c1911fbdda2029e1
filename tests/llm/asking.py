"""How the tests ask a model: in this process, from a fresh load, and which processes hold one."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from pathlib import Path

from readdesk.cancel import CancelToken
from readdesk.llm.llama.service import LlamaService
from readdesk.llm.model import Limits, LoadOptions, Message, Reply

ONE_THREAD = LoadOptions(context=1024, threads=1)
ENDLESS = "root ::= [a-h]{600}"
"""The grammar of a reply that ends only at its limit."""
SYSTEM = Message("system", "You are a reader.")


def user(text: str) -> list[Message]:
    return [SYSTEM, Message("user", text)]


def say(service: LlamaService, messages: Sequence[Message], limits: Limits) -> Reply:
    *pieces, reply = service.stream(messages, limits, cancel=CancelToken())
    assert isinstance(reply, Reply)
    assert "".join(map(str, pieces)) == reply.text
    return reply


def fresh_say(file: Path, messages: Sequence[Message], limits: Limits) -> str:
    """What a model that has seen nothing else replies."""
    service = LlamaService("fresh", file, ONE_THREAD)
    try:
        return say(service, messages, limits).text
    finally:
        service.close()


def model_processes() -> set[int]:
    """The process numbers of all engines of this test run."""
    return {child.pid or 0 for child in multiprocessing.active_children() if child.name == "The model"}


class CancelsAfter(CancelToken):
    """A token that is cancelled at the n-th look at it."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self._looks = looks

    def raise_if_cancelled(self) -> None:
        self._looks -= 1
        if self._looks < 0:
            self.cancel()
        super().raise_if_cancelled()
