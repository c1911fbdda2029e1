"""The Engine that runs in a process of this computer.

It owns the model process: a crash of llama.cpp ends only that process, and the message says so. The process starts with
the first request and is killed by the worker when it does not stop in time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from readdesk.cancel import CancelToken
from readdesk.errors import ModelCrashed, WorkerError
from readdesk.llm.model import Choice, EngineInfo, Likelihood, Limits, LoadOptions, Message, Prefix, Reply, Request
from readdesk.worker import Worker

if TYPE_CHECKING:
    from readdesk.llm.base import Engine


_SILENCE_SECONDS = 900.0
"""Longer than any prompt takes on a slow computer; a model that is silent for so long has hung."""


class LocalEngine:
    """A GGUF file in a model process. Every verb raises ModelError when the model cannot be used."""

    def __init__(self, name: str, path: Path, options: LoadOptions, output: Path | None = None) -> None:
        self._worker = Worker(
            "readdesk.llm.llama.service:LlamaService", name, path, options, name="The model", output=output
        )
        self._info: EngineInfo | None = None

    def info(self, cancel: CancelToken) -> EngineInfo:
        """What runs; loads the model the first time."""
        if self._info is None:
            self._info = self._call("info", cancel=cancel)
        return self._info

    def count(self, texts: Sequence[str], cancel: CancelToken) -> tuple[int, ...]:
        """How many tokens each text takes."""
        counts: tuple[int, ...] = self._call("count", tuple(texts), cancel=cancel)
        return counts

    def stream(
        self, messages: Sequence[Message], limits: Limits, cancel: CancelToken, prefix: Prefix | None = None
    ) -> Iterator[str | Reply]:
        """Yield the pieces of the reply, then the Reply."""
        yield from self._stream("stream", tuple(messages), limits, prefix, cancel=cancel)

    def reply_all(self, requests: Sequence[Request], cancel: CancelToken) -> Iterator[tuple[int, Reply]]:
        """Answer several prompts together."""
        # All prompts may be read before the first reply is done.
        yield from self._stream("reply_all", tuple(requests), cancel=cancel, prompts=len(requests))

    def prepare(self, messages: Sequence[Message], prefix: Prefix, cancel: CancelToken) -> int:
        """Compute a prefix and keep it."""
        tokens: int = self._call("prepare", tuple(messages), prefix, cancel=cancel)
        return tokens

    def likelihood(self, messages: Sequence[Message], reply: str, cancel: CancelToken) -> Likelihood:
        """How likely a given reply is."""
        found: Likelihood = self._call("likelihood", tuple(messages), reply, cancel=cancel)
        return found

    def choose(self, messages: Sequence[Message], options: Sequence[str], cancel: CancelToken) -> Choice:
        """Score each option as the beginning of the reply."""
        choice: Choice = self._call("choose", tuple(messages), tuple(options), cancel=cancel)
        return choice

    def close(self) -> None:
        """End the model process."""
        self._worker.close()

    def _stream(self, method: str, *args: Any, cancel: CancelToken, prompts: int = 1) -> Iterator[Any]:
        try:
            yield from self._worker.stream(method, *args, cancel=cancel, timeout=_SILENCE_SECONDS * max(1, prompts))
        except WorkerError as error:
            raise _as_crash(error) from error

    def _call(self, method: str, *args: Any, cancel: CancelToken) -> Any:
        try:
            return self._worker.call(method, *args, cancel=cancel, timeout=_SILENCE_SECONDS)
        except WorkerError as error:
            raise _as_crash(error) from error


def _as_crash(error: WorkerError) -> ModelCrashed:
    again = "if it happens again, take another model."
    return ModelCrashed(error.message, f"Try again; {again}", f"Run the same command again; {again}")


if TYPE_CHECKING:
    _conforms: type[Engine] = LocalEngine
