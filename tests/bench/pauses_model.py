"""What a language model says about a window from a single reading: its label scores, and its surprise at every token.

The reading is the program's own prompt for a page's end. The engine gives only the probabilities of the next token,
so the tokens of the passage are scored here, with llama.cpp's own calls; that the label scores are those of the engine
is checked by the bench on a few windows.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import llama_cpp as lc
import numpy as np
import numpy.typing as npt

from readdesk.llm.llama.template import ChatTemplate
from readdesk.reading.prompts import break_messages
from tests.bench.pauses_windows import Window

_CONTEXT = 4096
_BATCH = 128


@dataclass(frozen=True)
class Reading:
    """The log-probability of each label, and those of the first tokens of every unit (the first unit's too)."""

    labels: tuple[float, ...]
    firsts: tuple[tuple[float, ...], ...]
    tokens: int


class Surprised:
    """A model that is only read with."""

    def __init__(self, path: Path, threads: int) -> None:
        lc.llama_backend_init()
        self._quiet = lc.llama_log_callback(lambda level, text, data: None)
        lc.llama_log_set(self._quiet, None)
        self._model = lc.llama_model_load_from_file(str(path).encode(), lc.llama_model_default_params())
        self._vocabulary = lc.llama_model_get_vocab(self._model)
        parameters = lc.llama_context_default_params()
        parameters.n_ctx = _CONTEXT
        parameters.n_batch = parameters.n_ubatch = _BATCH
        self._context = lc.llama_init_from_model(self._model, parameters)
        lc.llama_set_n_threads(self._context, threads, threads)
        raw = lc.llama_model_chat_template(self._model, None)
        bos, eos = lc.llama_vocab_bos(self._vocabulary), lc.llama_vocab_eos(self._vocabulary)
        self._template = ChatTemplate(raw.decode(), self._text(bos), self._text(eos))

    def read(self, window: Window, most: int = 8) -> Reading:
        """Read the prompt for a window's end once; at most so many first tokens of each unit are scored."""
        pieces = self._template.render(break_messages(window.title, window.texts, window.label_of))
        tokens: list[int] = []
        for text, ours in pieces:
            tokens += self._tokens(text, special=ours)
        starts = self._starts(window, tokens)
        wanted = sorted({at + step for at, length in starts for step in range(min(most, length))})
        scores, last = self._scores(tokens, set(wanted))
        firsts = tuple(tuple(scores[at + step] for step in range(min(most, length))) for at, length in starts)
        options = [self._tokens(label, special=False)[0] for label in window.labels]
        return Reading(tuple(float(last[option]) for option in options), firsts, len(tokens))

    def _starts(self, window: Window, tokens: Sequence[int]) -> list[tuple[int, int]]:
        """The index of every unit's first token, and how many tokens it has: by its place in the text's bytes."""
        ends = np.cumsum([len(self._piece(token)) for token in tokens])
        whole = b"".join(map(self._piece, tokens))
        found, begin = [], 0
        for text in window.texts:
            begin = whole.index(text.encode(), begin)
            first = int(np.searchsorted(ends, begin, side="right"))
            last = int(np.searchsorted(ends, begin + len(text.encode()), side="left"))
            found.append((first, last - first + 1))
            begin += len(text.encode())
        return found

    def _scores(self, tokens: Sequence[int], wanted: set[int]) -> tuple[dict[int, float], npt.NDArray[np.float64]]:
        """The log-probabilities of the wanted tokens, and of all tokens as the next one."""
        size = lc.llama_vocab_n_tokens(self._vocabulary)
        lc.llama_memory_clear(lc.llama_get_memory(self._context), True)
        batch = lc.llama_batch_init(_BATCH, 0, 1)
        scores: dict[int, float] = {}
        last: npt.NDArray[np.float64] = np.zeros(0)
        for start in range(0, len(tokens), _BATCH):
            part = tokens[start : start + _BATCH]
            batch.n_tokens = len(part)
            for place, token in enumerate(part):
                at = start + place
                batch.token[place], batch.pos[place] = token, at
                batch.n_seq_id[place], batch.seq_id[place][0] = 1, 0
                batch.logits[place] = at + 1 in wanted or at + 1 == len(tokens)
            if lc.llama_decode(self._context, batch):
                raise RuntimeError("the prompt could not be read")
            for place in range(len(part)):
                at = start + place
                if batch.logits[place]:
                    raw = np.ctypeslib.as_array(lc.llama_get_logits_ith(self._context, place), shape=(size,))
                    last = raw.astype(np.float64)
                    last -= last.max()
                    last -= np.log(np.exp(last).sum())
                    if at + 1 < len(tokens):
                        scores[at + 1] = float(last[tokens[at + 1]])
        lc.llama_batch_free(batch)
        return scores, last

    def _tokens(self, text: str, *, special: bool) -> list[int]:
        raw = text.encode()
        buffer = (lc.llama_token * (len(raw) + 16))()
        return list(buffer[: lc.llama_tokenize(self._vocabulary, raw, len(raw), buffer, len(buffer), False, special)])

    def _piece(self, token: int) -> bytes:
        buffer = ctypes.create_string_buffer(256)
        length = lc.llama_token_to_piece(self._vocabulary, token, buffer, len(buffer), 0, True)
        return bytes(buffer.raw[: max(0, length)])

    def _text(self, token: int) -> str:
        return self._piece(token).decode() if token >= 0 else ""

    def close(self) -> None:
        """Free the model."""
        lc.llama_free(self._context)
        lc.llama_model_free(self._model)
