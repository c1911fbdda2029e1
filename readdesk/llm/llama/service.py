"""The service inside the model process: one loaded model that streams, scores and counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import llama_cpp

from readdesk.cancel import CancelToken
from readdesk.errors import LabelError, ModelError
from readdesk.llm.llama.model import LlamaModel
from readdesk.llm.llama.template import ChatTemplate
from readdesk.llm.llama.threads import cores, measure_threads
from readdesk.llm.model import Choice, EngineInfo, Likelihood, Limits, LoadOptions, Message, Prefix, Reply, Request

_RESERVE = 8
"""Tokens of context that are never filled, for the end of a turn."""


class LlamaService:
    """What `readdesk.llm.local.LocalEngine` talks to; its methods mirror the Engine protocol."""

    def __init__(self, name: str, path: Path, options: LoadOptions) -> None:
        self._name = name
        self._path = path
        self._options = options
        self._model: LlamaModel | None = None
        self._info: EngineInfo | None = None
        self._template = ChatTemplate(None, "", "")

    def info(self, *, cancel: CancelToken) -> EngineInfo:
        """Load the model when needed and say what runs."""
        self._loaded(cancel)
        assert self._info is not None
        return self._info

    def count(self, texts: Sequence[str], *, cancel: CancelToken) -> tuple[int, ...]:
        """How many tokens each text takes."""
        model = self._loaded(cancel)
        return tuple(len(model.tokenize(text, special=False)) for text in texts)

    def stream(
        self, messages: Sequence[Message], limits: Limits, prefix: Prefix | None = None, *, cancel: CancelToken
    ) -> Iterator[str | Reply]:
        """Read the messages and yield the reply's pieces, then the Reply."""
        model = self._loaded(cancel)
        prompt = self._prompt(messages, reserve=limits.max_tokens)
        reused = model.read(prompt, cancel)
        text = ""
        for piece in _until(model.write(limits, cancel), limits.stop or self._template.stops):
            text += piece
            yield piece
        written = len(model.tokens) - len(prompt)
        yield Reply(
            text=text,
            finish="length" if written >= limits.max_tokens else "stop",
            tokens_read=len(prompt) - reused,
            tokens_reused=reused,
            tokens_written=written,
        )

    def reply_all(self, requests: Sequence[Request], *, cancel: CancelToken) -> Iterator[tuple[int, Reply]]:
        """Answer several prompts, each with its index."""
        for index, request in enumerate(requests):
            for item in self.stream(request.messages, request.limits, cancel=cancel):
                if isinstance(item, Reply):
                    yield index, item

    def prepare(self, messages: Sequence[Message], prefix: Prefix, *, cancel: CancelToken) -> int:
        """Compute a prefix, so that what is asked after it begins at once."""
        model = self._loaded(cancel)
        prompt = self._prompt(messages, reserve=1)
        return len(prompt) - model.read(prompt, cancel)

    def likelihood(self, messages: Sequence[Message], reply: str, *, cancel: CancelToken) -> Likelihood:
        """How likely a given reply to the messages is."""
        model = self._loaded(cancel)
        tokens = model.tokenize(reply, special=False)
        prompt = self._prompt(messages, reserve=len(tokens))
        reused = model.read(prompt, cancel)
        total = 0.0
        for place, token in enumerate(tokens):
            total += float(model.log_probabilities()[token])
            if place + 1 < len(tokens):
                model.read([*prompt, *tokens[: place + 1]], cancel)
        return Likelihood(total, len(tokens), len(prompt) - reused, reused)

    def choose(self, messages: Sequence[Message], options: Sequence[str], *, cancel: CancelToken) -> Choice:
        """Score each option as the first token of the reply."""
        model = self._loaded(cancel)
        tokens = [model.tokenize(option, special=False) for option in options]
        if any(len(token) != 1 for token in tokens) or len({token[0] for token in tokens}) < len(tokens):
            raise LabelError(
                f"The model {self._name} writes its labels in more than one piece.", "Take another model for reading."
            )
        prompt = self._prompt(messages, reserve=1)
        reused = model.read(prompt, cancel)
        scores = model.log_probabilities()
        return Choice(
            tuple(float(scores[token[0]]) for token in tokens), tokens_read=len(prompt) - reused, tokens_reused=reused
        )

    def close(self) -> None:
        """Free the model."""
        if self._model is not None:
            self._model.close()
            self._model = None

    def _prompt(self, messages: Sequence[Message], reserve: int) -> list[int]:
        model = self._model
        assert model is not None
        prompt: list[int] = []
        for text, ours in self._template.render(messages):
            prompt += model.tokenize(text, special=ours)
        if model.begins_with_bos and prompt[:1] != [model.bos]:
            prompt.insert(0, model.bos)  # Not every template writes it, and plain text never does.
        if len(prompt) + reserve + _RESERVE > model.context:
            raise ModelError(
                f"The text takes {len(prompt)} tokens and the reply {reserve}, but the model's context holds "
                f"{model.context}.",
                "Choose a larger context (setting engine.context) or fewer pages.",
            )
        return prompt

    def _loaded(self, cancel: CancelToken) -> LlamaModel:
        if self._model is not None:
            return self._model
        batch_threads = cores()
        threads = self._options.threads or 1
        model = LlamaModel(self._path, self._options.context, self._options.gpu_layers, threads, batch_threads)
        speed = 0.0
        if not self._options.threads:
            try:
                threads, speed = measure_threads(model, cancel)
            except BaseException:
                model.close()  # The next request loads it anew; two would not fit into memory.
                raise
            model.set_threads(threads, batch_threads)
        self._template = ChatTemplate(model.template, model.special_text(model.bos), model.special_text(model.eos))
        self._info = EngineInfo(
            model=self._name,
            context=model.context,
            device="GPU" if llama_cpp.llama_supports_gpu_offload() and self._options.gpu_layers else "CPU",
            cache=model.cache,
            threads=threads,
            batch_threads=batch_threads,
            decode_speed=round(speed, 1),
            has_template=self._template.usable,
        )
        self._model = model
        return model


def _until(pieces: Iterator[str], stops: Sequence[str]) -> Iterator[str]:
    """Pass the pieces on up to the first stop word, holding back what may be the beginning of one."""
    held = ""
    longest = max(map(len, stops), default=1)
    for piece in pieces:
        held += piece
        found = min((place for stop in stops if (place := held.find(stop)) >= 0), default=-1)
        if found >= 0:
            yield held[:found]
            return
        safe = len(held) - longest + 1
        if safe > 0:
            yield held[:safe]
            held = held[safe:]
    yield held
