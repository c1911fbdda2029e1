"""One GGUF model and its context, through llama.cpp's own calls.

The high-level class of llama-cpp-python hides what a reading program lives on: which tokens are already computed, how
to stop in the middle of a long prompt, and the probabilities of the next token. So the pointers are held here.

What must stay true: `tokens` lists exactly what the memory of the context holds; a prompt is continued from the longest
common beginning, and where the memory cannot be cut back (recurrent models) it is read anew, never continued wrongly.
Sliding-window models keep their full window for the same reason.
"""

from __future__ import annotations

import codecs
import ctypes
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import llama_cpp as lc
import numpy as np
import numpy.typing as npt

from readdesk.cancel import Cancelled, CancelToken
from readdesk.errors import ModelError
from readdesk.llm.llama.sampler import Sampler
from readdesk.llm.model import CacheKind, Limits

BATCH = 512
"""Tokens read in one call; an interrupted call loses at most these."""


class LlamaModel:
    """A loaded model with one context and one sequence. Raises ModelError when the file cannot be loaded."""

    def __init__(self, path: Path, context: int, gpu_layers: int, threads: int, batch_threads: int) -> None:
        self._log = _Log()
        lc.llama_backend_init()
        self._model = self._load(path, gpu_layers)
        self._vocab = lc.llama_model_get_vocab(self._model)
        self._context = self._open(path, min(context, lc.llama_model_n_ctx_train(self._model) or context))
        self._memory = lc.llama_get_memory(self._context)
        self._stop = _StopFlag(self._context)
        self.tokens: list[int] = []
        self.set_threads(threads, batch_threads)

    def _load(self, path: Path, gpu_layers: int) -> lc.llama_model_p:
        parameters = lc.llama_model_default_params()
        parameters.n_gpu_layers = gpu_layers if gpu_layers >= 0 else 999
        model: lc.llama_model_p | None = lc.llama_model_load_from_file(str(path).encode(), parameters)
        if not model:
            raise ModelError(
                f"The model file {path.name} cannot be loaded ({self._log.reason()}).",
                "Take another model.",
                "Take another model: `readdesk models list`.",
            )
        return model

    def _open(self, path: Path, context: int) -> lc.llama_context_p:
        parameters = lc.llama_context_default_params()
        parameters.n_ctx = context
        parameters.n_batch = parameters.n_ubatch = BATCH
        parameters.swa_full = True
        parameters.no_perf = True
        handle: lc.llama_context_p | None = lc.llama_init_from_model(self._model, parameters)
        if not handle:
            lc.llama_model_free(self._model)
            raise ModelError(
                f"There is not enough memory for {path.name} with a context of {context} tokens.",
                "Choose a smaller context (setting engine.context) or a smaller model.",
            )
        return handle

    def close(self) -> None:
        """Free the context and the model."""
        lc.llama_free(self._context)
        lc.llama_model_free(self._model)

    # -- what it is ----------------------------------------------------------------------------------------------

    @property
    def context(self) -> int:
        """The longest prompt and reply together, in tokens."""
        return int(lc.llama_n_ctx(self._context))

    @property
    def cache(self) -> CacheKind:
        """How the memory behaves when it is cut back."""
        if lc.llama_model_is_recurrent(self._model) or lc.llama_model_is_hybrid(self._model):
            return "recurrent"
        return "window" if lc.llama_model_n_swa(self._model) > 0 else "plain"

    @property
    def template(self) -> str | None:
        """The chat template inside the file, or None for a base model."""
        raw = lc.llama_model_chat_template(self._model, None)
        return raw.decode("utf-8", "replace") if raw else None

    def special_text(self, token: int) -> str:
        """The text of a control token such as the beginning of a prompt; empty for none."""
        return self._piece(token, special=True).decode("utf-8", "replace") if token >= 0 else ""

    @property
    def bos(self) -> int:
        """The token at the beginning of a text, -1 for none."""
        return int(lc.llama_vocab_bos(self._vocab))

    @property
    def begins_with_bos(self) -> bool:
        """Whether every text must begin with `bos`."""
        return bool(lc.llama_vocab_get_add_bos(self._vocab)) and self.bos >= 0

    @property
    def eos(self) -> int:
        """The token at the end of a text, -1 for none."""
        return int(lc.llama_vocab_eos(self._vocab))

    def set_threads(self, threads: int, batch_threads: int) -> None:
        """How many threads write words and how many read prompts."""
        lc.llama_set_n_threads(self._context, threads, batch_threads)

    # -- text and tokens -----------------------------------------------------------------------------------------

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Tokens of a text; only with `special` do control words in it become control tokens."""
        raw = text.encode("utf-8", "replace")
        room = len(raw) + 16
        while True:
            buffer = (lc.llama_token * room)()
            count = lc.llama_tokenize(self._vocab, raw, len(raw), buffer, room, False, special)
            if count >= 0:
                return list(buffer[:count])
            room = -count

    def _piece(self, token: int, *, special: bool = False) -> bytes:
        room = 64
        while True:
            buffer = ctypes.create_string_buffer(room)
            length = lc.llama_token_to_piece(self._vocab, token, buffer, room, 0, special)
            if length >= 0:
                return bytes(buffer.raw[:length])
            room = -length

    # -- reading and writing -------------------------------------------------------------------------------------

    def read(self, prompt: Sequence[int], cancel: CancelToken) -> int:
        """Bring the memory to exactly this prompt and compute what may follow; return how many tokens were reused.

        Raises Cancelled; what was read by then stays usable.
        """
        reused = self._cut_back(prompt)
        with self._stop.raised_by(cancel):
            for start in range(reused, len(prompt), BATCH):
                cancel.raise_if_cancelled()
                self._decode(prompt[start : start + BATCH])
        return reused

    def _cut_back(self, prompt: Sequence[int]) -> int:
        """Keep the longest common beginning, at least one token short so that something is left to compute."""
        pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(self.tokens, prompt, strict=False))
        common = min(sum(1 for _ in pairs), len(prompt) - 1)
        if common < len(self.tokens) and not lc.llama_memory_seq_rm(self._memory, 0, common, -1):
            common = 0
        if common == 0:
            lc.llama_memory_clear(self._memory, True)
        del self.tokens[common:]
        return common

    def _decode(self, tokens: Sequence[int]) -> None:
        buffer = (lc.llama_token * len(tokens))(*tokens)
        status = lc.llama_decode(self._context, lc.llama_batch_get_one(buffer, len(tokens)))
        if status == 0:
            self.tokens.extend(tokens)
            return
        # A part of the batch may have been stored: forget it, so that `tokens` stays true.
        if not lc.llama_memory_seq_rm(self._memory, 0, len(self.tokens), -1):
            lc.llama_memory_clear(self._memory, True)
            self.tokens.clear()
        if status == 2:
            raise Cancelled
        raise ModelError("The model could not go on computing.", f"llama.cpp answered {status}; try a smaller context.")

    def log_probabilities(self) -> npt.NDArray[np.float64]:
        """Log-probabilities of all tokens as the next one, after `read`."""
        size = lc.llama_vocab_n_tokens(self._vocab)
        logits = np.ctypeslib.as_array(lc.llama_get_logits_ith(self._context, -1), shape=(size,)).astype(np.float64)
        logits -= logits.max()
        normalised: npt.NDArray[np.float64] = logits - np.log(np.exp(logits).sum())
        return normalised

    def write(self, limits: Limits, cancel: CancelToken) -> Iterator[str]:
        """Yield the reply piece by piece after `read`, up to the limits; fewer tokens mean that it ended by itself."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        room = min(limits.max_tokens, self.context - len(self.tokens))
        with Sampler(self._vocab, limits) as sampler, self._stop.raised_by(cancel):
            for _ in range(room):
                cancel.raise_if_cancelled()
                token = sampler.sample(self._context)
                if lc.llama_vocab_is_eog(self._vocab, token):
                    return
                yield decoder.decode(self._piece(token))
                self._decode([token])


class _StopFlag:
    """Stops a computation in the middle of a prompt, from any thread.

    llama.cpp asks a C function before every step whether to abort. A Python function there would take the interpreter
    lock a thousand times a token; the C library's `strlen` over two bytes gives the same answer (0 or 1) for nothing.
    """

    def __init__(self, context: lc.llama_context_p) -> None:
        self._flag = ctypes.create_string_buffer(b"\0", 2)
        self._asks = lc.llama_cpp.ggml_abort_callback(ctypes.cast(_C_LIBRARY.strlen, ctypes.c_void_p).value or 0)
        lc.llama_set_abort_callback(context, self._asks, ctypes.cast(self._flag, ctypes.c_void_p))

    @contextmanager
    def raised_by(self, cancel: CancelToken) -> Iterator[None]:
        """Allow computing in the block until the token is cancelled."""
        self._flag[0] = b"\0"
        with cancel.calling(self._raise):
            yield

    def _raise(self) -> None:
        self._flag[0] = b"\1"


_C_LIBRARY = ctypes.CDLL("ucrtbase" if hasattr(ctypes, "windll") else None)


_ERROR = 4
"""GGML_LOG_LEVEL_ERROR of ggml.h; the numbers in llama-cpp-python 0.3.36's own _logger.py are of an older version."""

_COMPLAINTS = {
    "invalid magic": "it is not a GGUF file",
    "unknown model architecture": "this version of llama.cpp does not know its architecture",
    "corrupted or incomplete": "it is damaged or incomplete",
    "failed to read": "it is damaged or incomplete",
    "failed to open": "it cannot be opened",
}


class _Log:
    """Keeps llama.cpp's messages off the terminal and the last complaint for a person."""

    def __init__(self) -> None:
        self._complaint = ""
        self._callback = lc.llama_log_callback(self._take)
        lc.llama_log_set(self._callback, ctypes.c_void_p(0))

    def _take(self, level: int, text: bytes, _: ctypes.c_void_p) -> None:
        words = text.decode("utf-8", "replace").strip()
        if level == _ERROR and words and not self._complaint:
            self._complaint = words

    def reason(self) -> str:
        """The first complaint, in words for a person where we have them."""
        for sign, meaning in _COMPLAINTS.items():
            if sign in self._complaint:
                return meaning
        return self._complaint.split(": ", 1)[-1] or "the reason was not given"
