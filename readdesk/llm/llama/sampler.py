"""How the next token is picked: one chain of llama.cpp's samplers a reply.

All values are stated, none is left to a library's default: those change between versions and would change every gist.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import llama_cpp as lc
from llama_cpp.llama_grammar import json_schema_to_gbnf

from readdesk.errors import ModelError
from readdesk.llm.model import Limits

_REPEAT_WINDOW = 128
_COPY_PENALTY, _COPY_GROWTH = 1.0, 1.75
"""What the first token beyond the longest copy loses of its logit, and by how much more each further one does."""

_ANY_CHARACTER, _PRINTABLE = r'[^"\\] |', r'[^"\\\x00-\x1F\x7F] |'


class Sampler:
    """A chain built from Limits, for a reply to a prompt in tokens; it holds C memory until it is closed."""

    def __init__(self, vocabulary: lc.llama_vocab_p, limits: Limits, prompt: Sequence[int] = ()) -> None:
        grammar = limits.grammar
        if grammar is None and limits.schema is not None:
            grammar = _grammar_of(limits.schema)
        self.chain = lc.llama_sampler_chain_init(lc.llama_sampler_chain_default_params())
        if grammar is not None:
            self._add(lc.llama_sampler_init_grammar(vocabulary, grammar.encode(), b"root"))
        if limits.repeat_penalty != 1.0:
            size = lc.llama_vocab_n_tokens(vocabulary)
            self._add(lc.llama_sampler_init_penalties(size, _REPEAT_WINDOW, limits.repeat_penalty, 0.0, 0.0))
        if limits.longest_copy > 0:
            self._add(_against_copies(vocabulary, limits, prompt))
        if limits.temperature <= 0:
            self._add(lc.llama_sampler_init_greedy())
            return
        if limits.top_k > 0:
            self._add(lc.llama_sampler_init_top_k(limits.top_k))
        if limits.top_p < 1.0:
            self._add(lc.llama_sampler_init_top_p(limits.top_p, 1))
        if limits.min_p > 0.0:
            self._add(lc.llama_sampler_init_min_p(limits.min_p, 1))
        self._add(lc.llama_sampler_init_temp(limits.temperature))
        self._add(lc.llama_sampler_init_dist(limits.seed))

    def _add(self, sampler: lc.llama_sampler_p) -> None:
        if not sampler:
            lc.llama_sampler_free(self.chain)
            raise _unusable()
        lc.llama_sampler_chain_add(self.chain, sampler)

    def close(self) -> None:
        """Free the chain."""
        lc.llama_sampler_free(self.chain)


def _against_copies(vocabulary: lc.llama_vocab_p, limits: Limits, prompt: Sequence[int]) -> lc.llama_sampler_p:
    """A sampler that has seen the prompt, so that what is copied from it counts as a repetition (llama.cpp's DRY)."""
    none = (ctypes.c_char_p * 0)()
    window = len(prompt) + limits.max_tokens
    penalty, growth = ctypes.c_float(_COPY_PENALTY), ctypes.c_float(_COPY_GROWTH)
    sampler: lc.llama_sampler_p = lc.llama_sampler_init_dry(
        vocabulary, penalty, growth, limits.longest_copy, window, none, 0
    )
    for token in prompt if sampler else ():
        lc.llama_sampler_accept(sampler, token)
    return sampler


def _grammar_of(schema: str) -> str:
    """The grammar of all JSON texts that fit a schema; nothing is fetched for it."""
    try:
        # llama-cpp-python 0.3.36 lets line ends and other control characters stand in a string, which JSON does not.
        return str(json_schema_to_gbnf(schema)).replace(_ANY_CHARACTER, _PRINTABLE)
    except (ValueError, TypeError, LookupError, AttributeError, AssertionError, RecursionError) as error:
        raise _unusable() from error


def _unusable() -> ModelError:
    return ModelError("The reply's grammar cannot be used.", "This is a fault of ReadDesk: please report it.")
