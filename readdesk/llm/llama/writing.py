"""One reply as it is written: picks token after token, makes whole characters of them, and knows when it has ended.

It computes nothing: a context reads the prompt and goes one token further at a time, for one reply or for several
together, and every reply is written by the same rules.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import Literal

from readdesk.llm.llama.context import LAST, LlamaContext
from readdesk.llm.llama.model import LlamaModel
from readdesk.llm.llama.sampler import Sampler
from readdesk.llm.model import Limits


class Writing:
    """A reply to a prompt within its limits; `stops` end it where those name none. Close it: it holds C memory."""

    def __init__(
        self, model: LlamaModel, limits: Limits, stops: Sequence[str] = (), prompt: Sequence[int] = ()
    ) -> None:
        self._model = model
        self._sampler = Sampler(model.vocabulary, limits, prompt)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._stops = limits.stop or tuple(stops)
        self._most = limits.max_tokens
        self._held = ""
        self.text = ""
        self.tokens = 0
        self.finish: Literal["stop", "length"] | None = None if limits.max_tokens > 0 else "length"

    def close(self) -> None:
        """Free the sampler."""
        self._sampler.close()

    def pick(self, context: LlamaContext, output: int = LAST) -> int:
        """Pick the next token from what a context computed; with `finish` set the reply has ended with it."""
        token = context.sample(self._sampler.chain, output)
        if self._model.ends_reply(token):
            self._end("stop")
            return token
        self.tokens += 1
        # Control words come as text too: the channels of gpt-oss and Gemma 4 could not be told from the reply else.
        self._take(self._decoder.decode(self._model.piece(token, special=True)))
        if self.finish is None and self.tokens >= self._most:
            self._end("length")
        return token

    def _take(self, piece: str) -> None:
        """Add to the text up to the first stop word, holding back what may be the beginning of one."""
        self._held += piece
        found = [place for stop in self._stops if (place := self._held.find(stop)) >= 0]
        if found:
            self._held = self._held[: min(found)]
            self._end("stop")
            return
        safe = max(0, len(self._held) - max(map(len, self._stops), default=1) + 1)
        self.text += self._held[:safe]
        self._held = self._held[safe:]

    def _end(self, finish: Literal["stop", "length"]) -> None:
        self.text += self._held
        self._held = ""
        self.finish = finish
