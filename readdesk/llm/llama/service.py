"""The service inside the model process: one loaded model that streams, scores and counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import llama_cpp

from readdesk.cancel import CancelToken
from readdesk.errors import LabelError, ModelError
from readdesk.llm.llama.context import LlamaContext
from readdesk.llm.llama.loading import Opened, open_model
from readdesk.llm.llama.model import LlamaModel
from readdesk.llm.llama.places import MOST_TOGETHER, Places, measure_footprint, memory_budget, worth_together
from readdesk.llm.llama.prefix import PrefixReader, open_cache
from readdesk.llm.llama.state import file_digest
from readdesk.llm.llama.template import ChatTemplate
from readdesk.llm.llama.threads import KeptSpeeds, Speeds, cores, measure_speeds, reading_threads
from readdesk.llm.llama.together import Asked, reply_all
from readdesk.llm.llama.writing import Writing
from readdesk.llm.model import Choice, EngineInfo, Likelihood, Limits, LoadOptions, Message, Prefix, Reply, Request

_RESERVE = 8
"""Tokens of context that are never filled, for the end of a turn."""

_GIST_ROOM = 256
"""Tokens for the reply to the next prompt at the same place, so that it need not be made longer for it."""

_ANSWER = 0
"""The only sequence of the answering context."""


@dataclass(frozen=True)
class _Loaded:
    """What is there once a model is loaded."""

    model: LlamaModel
    template: ChatTemplate
    answering: LlamaContext
    prefixes: PrefixReader
    places: Places
    info: EngineInfo

    def close(self) -> None:
        self.places.close()
        self.answering.close()
        self.model.close()


class LlamaService:
    """What `readdesk.llm.local.LocalEngine` talks to; its methods mirror the Engine protocol."""

    def __init__(self, name: str, path: Path, options: LoadOptions) -> None:
        self._name = name
        self._path = path
        self._options = options
        self._now: _Loaded | None = None

    def info(self, *, cancel: CancelToken) -> EngineInfo:
        """Load the model when needed and say what runs."""
        return self._loaded(cancel).info

    def count(self, texts: Sequence[str], *, cancel: CancelToken) -> tuple[int, ...]:
        """How many tokens each text takes."""
        model = self._loaded(cancel).model
        return tuple(len(model.tokenize(text, special=False)) for text in texts)

    def stream(
        self, messages: Sequence[Message], limits: Limits, prefix: Prefix | None = None, *, cancel: CancelToken
    ) -> Iterator[str | Reply]:
        """Read the messages and yield the reply's pieces, then the Reply."""
        loaded = self._loaded(cancel)
        loaded.places.rest()
        context = loaded.answering
        prompt = self._prompt(loaded, messages, reserve=limits.max_tokens)
        if prefix is None:
            reused = context.read(_ANSWER, prompt, cancel)
        else:
            alone = self._tokens(loaded, _beginning(messages, prefix))
            reused = loaded.prefixes.read(prefix.owner, prompt, alone, cancel)
        with closing(Writing(loaded.model, limits, loaded.template.stops, prompt)) as writing:
            shown = 0
            while writing.finish is None:
                token = writing.pick(context)
                if len(writing.text) > shown:
                    yield writing.text[shown:]
                    shown = len(writing.text)
                if writing.finish is None:
                    context.step([(_ANSWER, token)], cancel)
        yield Reply(writing.text, writing.finish, len(prompt) - reused, reused, writing.tokens)

    def reply_all(self, requests: Sequence[Request], *, cancel: CancelToken) -> Iterator[tuple[int, Reply]]:
        """Answer several prompts, each with its index."""
        loaded = self._loaded(cancel)
        asked = [
            Asked(self._prompt(loaded, request.messages, request.limits.max_tokens), request.limits)
            for request in requests
        ]
        yield from reply_all(loaded.places, asked, _RESERVE, loaded.template.stops, cancel)

    def prepare(self, messages: Sequence[Message], prefix: Prefix, *, cancel: CancelToken) -> int:
        """Compute a prefix, so that what is asked after it begins at once."""
        loaded = self._loaded(cancel)
        prompt = self._prompt(loaded, messages, reserve=1)
        alone = self._tokens(loaded, _beginning(messages, prefix))
        return loaded.prefixes.prepare(prefix.owner, prompt, alone, cancel)

    def likelihood(self, messages: Sequence[Message], reply: str, *, cancel: CancelToken) -> Likelihood:
        """How likely a given reply to the messages is."""
        loaded = self._loaded(cancel)
        tokens = loaded.model.tokenize(reply, special=False)
        prompt = self._prompt(loaded, messages, reserve=len(tokens))
        reused = loaded.answering.read(_ANSWER, prompt, cancel)
        total = loaded.answering.score(_ANSWER, tokens, cancel)
        return Likelihood(total, len(tokens), len(prompt) - reused, reused)

    def choose(self, messages: Sequence[Message], options: Sequence[str], *, cancel: CancelToken) -> Choice:
        """Score each option as the first token of the reply."""
        loaded = self._loaded(cancel)
        tokens = [loaded.model.tokenize(option, special=False) for option in options]
        if any(len(token) != 1 for token in tokens) or len({token[0] for token in tokens}) < len(tokens):
            raise LabelError(
                f"The model {self._name} writes its labels in more than one piece.", "Take another model for reading."
            )
        prompt = self._prompt(loaded, messages, reserve=1)
        context = loaded.places.fit(len(prompt) + _GIST_ROOM, MOST_TOGETHER)  # Other pages of the group follow.
        reused = context.read(loaded.places.place(prompt), prompt, cancel)
        scores = context.log_probabilities()
        return Choice(
            tuple(float(scores[token[0]]) for token in tokens), tokens_read=len(prompt) - reused, tokens_reused=reused
        )

    def close(self) -> None:
        """Free the model."""
        if self._now is not None:
            self._now.close()
            self._now = None

    def _prompt(self, loaded: _Loaded, messages: Sequence[Message], reserve: int) -> list[int]:
        prompt = self._tokens(loaded, messages)
        if len(prompt) + reserve + _RESERVE > loaded.info.context:
            raise ModelError(
                f"The text takes {len(prompt)} tokens and the reply {reserve}, but the model's context holds "
                f"{loaded.info.context}.",
                "Choose a larger context (setting engine.context) or fewer pages.",
            )
        return prompt

    def _tokens(self, loaded: _Loaded, messages: Sequence[Message]) -> list[int]:
        model = loaded.model
        tokens: list[int] = []
        for text, ours in loaded.template.render(messages):
            tokens += model.tokenize(text, special=ours)
        if model.begins_with_bos and tokens[:1] != [model.bos]:
            tokens.insert(0, model.bos)  # Not every template writes it, and plain text never does.
        return tokens

    # -- loading -------------------------------------------------------------------------------------------------

    def _loaded(self, cancel: CancelToken) -> _Loaded:
        if self._now is None:
            opened = open_model(self._path, self._options, cancel)
            try:
                self._now = self._with_speed(opened, cancel)
            except BaseException:
                opened.close()  # The next request loads the model anew; two would not fit into memory.
                raise
        return self._now

    def _with_speed(self, opened: Opened, cancel: CancelToken) -> _Loaded:
        """Choose the threads, and say what runs."""
        model, context = opened.model, opened.context
        speeds = self._speeds(opened, cancel)
        context.set_threads(speeds.threads, speeds.batch_threads)
        footprint = measure_footprint(context, cancel)
        template = ChatTemplate(model.template, model.special_text(model.bos), model.special_text(model.eos))
        info = EngineInfo(
            model=self._name,
            context=context.length,
            device=opened.device,
            gpu_layers=opened.gpu_layers,
            layers=model.layers + 1,
            note=opened.note,
            cache=model.cache,
            threads=speeds.threads,
            batch_threads=speeds.batch_threads,
            decode_speed=speeds.writing,
            prompt_speed=speeds.reading,
            has_template=template.usable,
            together=worth_together(footprint),
            bytes_per_token=footprint.per_token,
            tokens_together=footprint.tokens_in(memory_budget()),
        )
        prefixes = PrefixReader(context, _ANSWER, open_cache(self._path, self._options, context))
        places = Places(model, footprint, (speeds.threads, speeds.batch_threads))
        return _Loaded(model, template, context, prefixes, places, info)

    def _speeds(self, opened: Opened, cancel: CancelToken) -> Speeds:
        """The threads that a person chose, else those that were measured here, now or before."""
        if self._options.threads:
            return Speeds(self._options.threads, reading_threads(cores()))
        kept = KeptSpeeds(self._options.folder)
        key = f"{file_digest(self._path)} {llama_cpp.__version__} {cores()} {opened.device} {opened.gpu_layers}"
        speeds = kept.find(key)
        if speeds is None:
            speeds = measure_speeds(opened.context, cancel)
            kept.keep(key, speeds)
        return speeds


def _beginning(messages: Sequence[Message], prefix: Prefix) -> list[Message]:
    """The messages as far as the prefix goes."""
    return [*messages[:-1], Message(messages[-1].role, messages[-1].content[: prefix.characters])]
