"""Where a model computes: one context of llama.cpp with one or several sequences, over weights that others share.

A sequence is a text the model has read and may go on with. Several sequences are kept apart in memory (not in one
unified cache, which was measured to slow down reading), and one step can take each of them one token further: the
weights are fetched once for all.

What must stay true: `tokens` lists exactly what the memory of each sequence holds, whatever was stopped or went wrong;
a prompt is continued from the longest common beginning, and where the memory cannot be cut back (recurrent models) it
is read anew, never continued wrongly. Sliding-window models keep their full window for the same reason.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import llama_cpp as lc
import numpy as np
import numpy.typing as npt

from readdesk.cancel import Cancelled, CancelToken
from readdesk.errors import ModelError
from readdesk.llm.llama.model import LlamaModel

BATCH = 512
"""Tokens read in one call; an interrupted call loses at most these, in recurrent models all that was read."""

OUTPUTS = 32
"""Positions of one call whose logits are wanted. They take memory for the whole vocabulary each, so not 512 of them."""

LAST = -1
"""The output that was computed last: that of the prompt's last token after `read`."""


def shared(first: Sequence[int], second: Sequence[int]) -> int:
    """How many tokens two texts have in common at their beginning."""
    pairs = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    return sum(1 for _ in pairs)


class Row(NamedTuple):
    """One token to compute: whose text it continues, and whether what may follow it is wanted."""

    sequence: int
    token: int
    is_wanted: bool = True


class LlamaContext:
    """A memory of `sequences` texts of up to `length` tokens each. Raises ModelError when there is no room for it."""

    def __init__(self, model: LlamaModel, length: int, sequences: int = 1) -> None:
        self.model = model
        self.sequences = sequences
        self._handle = _open(model, min(length, model.longest_context or length), sequences)
        self._memory = lc.llama_get_memory(self._handle)
        self._batch = _Batch()
        self._stop = _StopFlag(self._handle)
        self.tokens: list[list[int]] = [[] for _ in range(sequences)]

    def close(self) -> None:
        """Free the memory."""
        lc.llama_free(self._handle)

    @property
    def length(self) -> int:
        """The longest prompt and reply together, in tokens, of each sequence."""
        return int(lc.llama_n_ctx_seq(self._handle))

    def set_threads(self, threads: int, batch_threads: int) -> None:
        """How many threads write words and how many read prompts."""
        lc.llama_set_n_threads(self._handle, threads, batch_threads)

    # -- reading -------------------------------------------------------------------------------------------------

    def read(self, sequence: int, prompt: Sequence[int], cancel: CancelToken) -> int:
        """Bring a sequence to exactly this prompt and compute what may follow; return how many tokens were reused.

        Raises Cancelled; what was read by then stays usable.
        """
        reused = self._cut_back(sequence, prompt)
        last = len(prompt) - 1
        for start in range(reused, len(prompt), BATCH):
            cancel.raise_if_cancelled()
            places = range(start, min(start + BATCH, len(prompt)))
            self._compute([Row(sequence, prompt[place], place == last) for place in places], cancel)
        return reused

    def step(self, rows: Sequence[tuple[int, int]], cancel: CancelToken) -> None:
        """Take sequences one token further, all in one call: (sequence, token) in order of the sequences.

        What may follow is then found under the number of the row.
        """
        cancel.raise_if_cancelled()
        self._compute([Row(sequence, token) for sequence, token in rows], cancel)

    def common(self, sequence: int, prompt: Sequence[int]) -> int:
        """How many tokens of a prompt a sequence holds at its beginning."""
        return shared(self.tokens[sequence], prompt)

    def usable(self, sequence: int, text: Sequence[int]) -> int:
        """How many tokens of a text a sequence holds in such a way that it can go on from there."""
        common = self.common(sequence, text)
        can_be_cut = self.model.cache != "recurrent" and self._has_window(sequence, common)
        return common if can_be_cut or common == len(self.tokens[sequence]) else 0

    def _has_window(self, sequence: int, length: int) -> bool:
        """Whether all is still there that a sequence of this length goes on from.

        Kept states of sliding-window models hold the last window only, however whole it was, and llama.cpp cuts them
        back without complaint: what is read behind the gap is silently another text (tried).
        """
        first = int(lc.llama_memory_seq_pos_min(self._memory, sequence))
        return 0 <= first <= max(0, length - int(lc.llama_model_n_swa(self.model.handle)))

    def _cut_back(self, sequence: int, prompt: Sequence[int]) -> int:
        """Keep the longest common beginning, at least one token short so that something is left to compute."""
        common = min(self.common(sequence, prompt), len(prompt) - 1)
        if common < len(self.tokens[sequence]):
            self._keep(sequence, common)
        return len(self.tokens[sequence])

    def _keep(self, sequence: int, length: int) -> None:
        """Keep so many tokens of a sequence, or none where its memory cannot be cut back."""
        is_possible = length > 0 and self._has_window(sequence, length)
        if not is_possible or not lc.llama_memory_seq_rm(self._memory, sequence, length, -1):
            lc.llama_memory_seq_rm(self._memory, sequence, -1, -1)
            length = 0
        del self.tokens[sequence][length:]

    def _compute(self, rows: Sequence[Row], cancel: CancelToken) -> None:
        positions = {row.sequence: itertools.count(len(self.tokens[row.sequence])) for row in rows}
        batch = self._batch.filled(rows, [next(positions[row.sequence]) for row in rows])
        with self._stop.raised_by(cancel):
            status = lc.llama_decode(self._handle, batch)
        if status == 0:
            for row in rows:
                self.tokens[row.sequence].append(row.token)
            return
        # A part of the batch may have been stored: forget it, so that `tokens` stays true.
        for sequence in positions:
            self._keep(sequence, len(self.tokens[sequence]))
        if status == 2:
            raise Cancelled
        raise ModelError("The model could not go on computing.", f"llama.cpp answered {status}; try a smaller context.")

    # -- what may follow -----------------------------------------------------------------------------------------

    def log_probabilities(self, output: int = LAST) -> npt.NDArray[np.float64]:
        """Log-probabilities of all tokens as the next one, after `read` or a row of `step`."""
        logits = lc.llama_get_logits_ith(self._handle, output)
        values = np.ctypeslib.as_array(logits, shape=(self.model.words,)).astype(np.float64)
        values -= values.max()
        normalised: npt.NDArray[np.float64] = values - np.log(np.exp(values).sum())
        return normalised

    def sample(self, chain: lc.llama_sampler_p, output: int = LAST) -> int:
        """The next token as a chain of samplers picks it, after `read` or a row of `step`."""
        return int(lc.llama_sampler_sample(chain, self._handle, output))

    def score(self, sequence: int, reply: Sequence[int], cancel: CancelToken) -> float:
        """The log-probability of a continuation, after `read`; its last token is not computed."""
        total = float(self.log_probabilities()[reply[0]]) if reply else 0.0
        for start in range(0, len(reply) - 1, OUTPUTS):
            cancel.raise_if_cancelled()
            known = reply[start : min(start + OUTPUTS, len(reply) - 1)]
            self._compute([Row(sequence, token) for token in known], cancel)
            for output in range(len(known)):
                total += float(self.log_probabilities(output)[reply[start + output + 1]])
        return total

    # -- keeping -------------------------------------------------------------------------------------------------

    def state_size(self, sequence: int) -> int:
        """Bytes of what is computed for a sequence."""
        return int(lc.llama_state_seq_get_size(self._handle, sequence))

    def state(self, sequence: int) -> bytes:
        """What is computed for a sequence, to be restored into a context of as many sequences over the same model."""
        size = self.state_size(sequence)
        buffer = (ctypes.c_uint8 * size)()
        return bytes(memoryview(buffer)[: lc.llama_state_seq_get_data(self._handle, buffer, size, sequence)])

    def restore(self, sequence: int, tokens: Sequence[int], data: bytes | memoryview) -> bool:
        """Put a kept state of these tokens in place of what a sequence holds; False (and nothing held) if it fails."""
        self._keep(sequence, 0)
        raw = np.frombuffer(data, dtype=np.uint8)
        pointer = raw.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
        taken = lc.llama_state_seq_set_data(self._handle, pointer, len(raw), sequence)
        last = lc.llama_memory_seq_pos_max(self._memory, sequence)
        if not tokens or taken != len(raw) or last != len(tokens) - 1:
            self._keep(sequence, 0)
            return False
        self.tokens[sequence] = list(tokens)
        return True

    def swap(self, one: int, other: int) -> None:
        """Let two sequences change what they hold; sliding-window models keep the last window of it only."""
        held = [(list(self.tokens[sequence]), self.state(sequence)) for sequence in (one, other)]
        for sequence, (tokens, state) in zip((other, one), held, strict=True):
            if not self.restore(sequence, tokens, state) and tokens:
                raise ModelError("The model's memory could not be arranged.", "Try again.")


def _open(model: LlamaModel, length: int, sequences: int) -> lc.llama_context_p:
    parameters = lc.llama_context_default_params()
    parameters.n_ctx = length * sequences
    parameters.n_seq_max = sequences
    parameters.n_batch = parameters.n_ubatch = BATCH
    parameters.n_outputs_max = max(OUTPUTS, sequences)
    parameters.kv_unified = False
    parameters.swa_full = True
    parameters.no_perf = True
    handle: lc.llama_context_p | None = lc.llama_init_from_model(model.handle, parameters)
    if not handle:
        raise ModelError(
            f"There is not enough memory for {model.name} with a context of {length * sequences} tokens.",
            "Choose a smaller context (setting engine.context) or a smaller model.",
        )
    return handle


class _Batch:
    """The arrays that one call of llama.cpp reads, kept from call to call."""

    def __init__(self) -> None:
        self._tokens = (lc.llama_token * BATCH)()
        self._positions = (lc.llama_pos * BATCH)()
        self._ones = (ctypes.c_int32 * BATCH)(*[1] * BATCH)
        self._sequences = (lc.llama_seq_id * BATCH)()
        self._wanted = (ctypes.c_int8 * BATCH)()
        one = ctypes.POINTER(lc.llama_seq_id)
        size = ctypes.sizeof(lc.llama_seq_id)
        places = [ctypes.cast(ctypes.byref(self._sequences, size * index), one) for index in range(BATCH)]
        self._sequence_places = (one * BATCH)(*places)

    def filled(self, rows: Sequence[Row], positions: Sequence[int]) -> lc.llama_batch:
        """A batch of these rows; valid until the next one."""
        count = len(rows)
        self._tokens[:count] = [row.token for row in rows]
        self._positions[:count] = list(positions)
        self._sequences[:count] = [row.sequence for row in rows]
        self._wanted[:count] = [int(row.is_wanted) for row in rows]
        return lc.llama_batch(
            n_tokens=count,
            token=self._tokens,
            embd=None,
            pos=self._positions,
            n_seq_id=self._ones,
            seq_id=self._sequence_places,
            logits=self._wanted,
        )


class _StopFlag:
    """Stops a computation in the middle of a prompt, from any thread.

    llama.cpp asks a C function before every step whether to abort. A Python function there would take the interpreter
    lock a thousand times a token; the C library's `strlen` over two bytes gives the same answer (0 or 1) for nothing.
    """

    def __init__(self, context: lc.llama_context_p) -> None:
        self._flag = ctypes.create_string_buffer(b"\0", 2)
        self._asks = lc.llama_cpp.ggml_abort_callback(ctypes.cast(_C_LIBRARY.strlen, ctypes.c_void_p).value or 0)
        lc.llama_set_abort_callback(context, self._asks, ctypes.cast(self._flag, ctypes.c_void_p))
        self._lock = threading.Lock()
        self._call = 0

    @contextmanager
    def raised_by(self, cancel: CancelToken) -> Iterator[None]:
        """Allow computing in the block until the token is cancelled."""
        with self._lock:
            self._flag[0] = b"\0"
            self._call += 1
            call = self._call
        with cancel.calling(lambda: self._raise(call)):
            yield

    def _raise(self, call: int) -> None:
        """Stop that call, and not the next one when the word comes late."""
        with self._lock:
            if call == self._call:
                self._flag[0] = b"\1"


_C_LIBRARY = ctypes.CDLL("ucrtbase" if hasattr(ctypes, "windll") else None)
