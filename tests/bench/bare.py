"""Bare llama.cpp: the fewest calls that read a prompt and write words, which ours is held against.

Tokens go in by batches of the size that ours takes, the next token is the likeliest one, and nothing else is done: no
template, no text, no other process. Read and written here is what any program must read and write.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from pathlib import Path

import llama_cpp as lc

BATCH = 512


class Bare:
    """A model with one context of one sequence, through llama.cpp's own calls."""

    def __init__(self, path: Path, context: int, threads: int, batch_threads: int) -> None:
        self._quiet = lc.llama_log_callback(lambda *_: None)
        lc.llama_log_set(self._quiet, ctypes.c_void_p(0))
        lc.llama_backend_init()
        weights = lc.llama_model_default_params()
        weights.n_gpu_layers = 0
        self._model = lc.llama_model_load_from_file(str(path).encode(), weights)
        self._vocabulary = lc.llama_model_get_vocab(self._model)
        parameters = lc.llama_context_default_params()
        parameters.n_ctx = context
        parameters.n_batch = parameters.n_ubatch = BATCH
        parameters.n_threads, parameters.n_threads_batch = threads, batch_threads
        self._context = lc.llama_init_from_model(self._model, parameters)
        self._likeliest = lc.llama_sampler_init_greedy()

    def close(self) -> None:
        """Free everything."""
        lc.llama_sampler_free(self._likeliest)
        lc.llama_free(self._context)
        lc.llama_model_free(self._model)

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text."""
        raw = text.encode()
        buffer = (lc.llama_token * (len(raw) + 16))()
        return list(buffer[: lc.llama_tokenize(self._vocabulary, raw, len(raw), buffer, len(buffer), False, False)])

    def read(self, tokens: Sequence[int]) -> float:
        """Seconds that a prompt takes in an empty memory."""
        lc.llama_memory_clear(lc.llama_get_memory(self._context), True)
        began = time.perf_counter()
        for start in range(0, len(tokens), BATCH):
            self._decode(tokens[start : start + BATCH])
        lc.llama_synchronize(self._context)
        return time.perf_counter() - began

    def write(self, count: int) -> float:
        """Seconds that so many tokens take after what was read, never ending by themselves."""
        began = time.perf_counter()
        for _ in range(count):
            self._decode([lc.llama_sampler_sample(self._likeliest, self._context, -1)])
        lc.llama_synchronize(self._context)
        return time.perf_counter() - began

    def step(self, tokens: Sequence[int]) -> float:
        """Seconds that a few more tokens of the same text take in one call, which are then forgotten."""
        memory = lc.llama_get_memory(self._context)
        before = lc.llama_memory_seq_pos_max(memory, 0) + 1
        began = time.perf_counter()
        self._decode(tokens)
        lc.llama_synchronize(self._context)
        seconds = time.perf_counter() - began
        lc.llama_memory_seq_rm(memory, 0, before, -1)
        return seconds

    def _decode(self, tokens: Sequence[int]) -> None:
        buffer = (lc.llama_token * len(tokens))(*tokens)
        status = lc.llama_decode(self._context, lc.llama_batch_get_one(buffer, len(tokens)))
        if status:
            raise RuntimeError(f"llama_decode answered {status}")
