"""Reading a prompt whose beginning is kept on disk: a document's gist memory, with a question behind it.

The beginning is taken from wherever more of it is: from what the context holds, or from the disk. Where it is new by
some hundred tokens it is kept, at exactly its end and before the rest of the prompt is read, because only plain
memories can be cut back: a recurrent state is one sum of all that was read, and a kept state of a sliding-window model
holds the last window only (tried). Both are of use whole or not at all.

What must stay true: what is reused are the prompt's own tokens, compared one by one, so nothing here can change a
reply. A state that the context does not take is removed; then the beginning is read like any other text.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import llama_cpp
import psutil

from readdesk.cancel import CancelToken
from readdesk.llm.llama.context import LlamaContext, shared
from readdesk.llm.llama.state import Identity, MemoryCache, file_digest, remove_beyond
from readdesk.llm.model import LoadOptions

WORTH_KEEPING = 256
"""Tokens a prefix must be new by to be kept: some two gists, 1.5 s of reading on two cores."""

_OPEN_END = 8
"""Tokens at a prefix's end that may turn out otherwise with what follows: a state that is of use only whole ends before
them."""

_logger = logging.getLogger(__name__)


def open_cache(path: Path, options: LoadOptions, context: LlamaContext) -> MemoryCache:
    """The cache for a model's file as it is loaded into a context; what a lower limit forbids is removed now."""
    folder = options.folder and options.folder / "memories"
    if folder:
        remove_beyond(options.cache_limit, folder)
    try:
        model = file_digest(path)
    except OSError:
        return MemoryCache(None, 0, Identity("", "", "", ""))
    libraries = (Path(llama_cpp.__file__).parent / "lib").glob("*")
    library = f"{llama_cpp.__version__} {sum(file.stat().st_size for file in libraries)}"
    # Some models turn positions otherwise in long contexts (Phi 3), so its length counts too.
    memory = f"f16, whole windows, {context.length} tokens"
    identity = Identity(model, library, memory, context.model.template or "")
    return MemoryCache(folder, options.cache_limit, identity)


class PrefixReader:
    """Reads prompts into one sequence of a context, with a cache for their beginnings."""

    def __init__(self, context: LlamaContext, sequence: int, cache: MemoryCache) -> None:
        self._context = context
        self._sequence = sequence
        self._cache = cache
        self._only_whole = context.model.cache != "plain"

    def read(self, owner: str, prompt: Sequence[int], alone: Sequence[int], cancel: CancelToken) -> int:
        """Bring the sequence to a prompt, whose prefix `alone` are its tokens without what follows.

        Returns how many tokens did not have to be computed. Raises Cancelled; what was read by then stays usable.
        """
        prefix = prompt[: self._end(prompt, alone)]
        kept = self._taken(owner, prompt[:-1], cancel)  # What may follow comes of computing the last token.
        if len(prefix) - self._usable(kept, prefix) < WORTH_KEEPING or not self._cache.takes(0):
            return self._context.read(self._sequence, prompt, cancel)
        reused = self._read_prefix(owner, prefix, cancel)
        self._context.read(self._sequence, prompt, cancel)
        return reused

    def prepare(self, owner: str, prompt: Sequence[int], alone: Sequence[int], cancel: CancelToken) -> int:
        """Keep a prefix where it is not kept already; how many tokens had to be computed. Raises Cancelled."""
        prefix = prompt[: self._end(prompt, alone)]
        if not self._cache.takes(0) or self._usable(self._cache.tokens(owner), prefix) == len(prefix):
            return 0
        self._taken(owner, prefix, cancel)
        return len(prefix) - self._read_prefix(owner, prefix, cancel)

    def _end(self, prompt: Sequence[int], alone: Sequence[int]) -> int:
        """Where the prefix ends: a token that spans its end belongs to what follows."""
        end = min(shared(alone, prompt), len(prompt) - 1)
        return max(0, end - _OPEN_END) if self._only_whole else end

    def _usable(self, kept: Sequence[int], text: Sequence[int]) -> int:
        """How many tokens of a text need not be computed where the state of these is kept."""
        common = shared(kept, text)
        return 0 if self._only_whole and common < len(kept) else common

    def _taken(self, owner: str, text: Sequence[int], cancel: CancelToken) -> Sequence[int]:
        """Put the kept state into the context where that saves computing; the tokens whose state is kept after that."""
        kept = self._cache.tokens(owner)
        if self._usable(kept, text) <= self._context.usable(self._sequence, text):
            return kept
        state = self._cache.load(owner, cancel)
        if state is None:
            return ()
        if self._context.restore(self._sequence, state.tokens, state.data):
            return kept
        _logger.warning("a computed memory of %d tokens did not fit the model", len(state.tokens))
        self._cache.forget(owner)
        return ()

    def _read_prefix(self, owner: str, prefix: Sequence[int], cancel: CancelToken) -> int:
        """Compute a prefix and keep it; how many of its tokens did not have to be computed."""
        if self._context.tokens[self._sequence] == list(prefix):
            reused = len(prefix)  # `read` would compute the last token again, and a recurrent model everything.
        else:
            reused = self._context.read(self._sequence, prefix, cancel)
        size = self._context.state_size(self._sequence)
        # It is held a second time while it is written.
        if self._cache.takes(size) and size < psutil.virtual_memory().available // 2:
            state = self._context.state(self._sequence)
            is_kept = self._cache.save(owner, prefix, state, cancel)
            _logger.info("memory of %d tokens: %.0f MB, kept: %s", len(prefix), size / 1e6, is_kept)
        return reused
