"""The weights of one GGUF file, through llama.cpp's own calls: what it is, its words and its tokens.

The high-level class of llama-cpp-python hides what a reading program lives on: which tokens are already computed, how
to stop in the middle of a long prompt, and the probabilities of the next token. So the pointers are held here, and in
context.py, where computing happens: several contexts share the weights of one model.

What must stay true: loading can be stopped; a file that cannot be loaded is one ModelError with its reason.
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import llama_cpp as lc

from readdesk.cancel import Cancelled, CancelToken
from readdesk.errors import ModelError
from readdesk.llm.model import CacheKind


class LlamaModel:
    """A loaded model without a context; with `only_head` its words and its sizes are known, but it computes nothing.

    Raises ModelError when the file cannot be loaded, and Cancelled.
    """

    def __init__(self, path: Path, gpu_layers: int, cancel: CancelToken, *, only_head: bool = False) -> None:
        self.name = path.name
        lc.llama_backend_init()
        self.handle = _load(path, gpu_layers, cancel, only_head=only_head)
        self.vocabulary: lc.llama_vocab_p = lc.llama_model_get_vocab(self.handle)

    def close(self) -> None:
        """Free the weights; every context over them must be closed before."""
        lc.llama_model_free(self.handle)

    # -- what it is ----------------------------------------------------------------------------------------------

    @property
    def longest_context(self) -> int:
        """The longest context the model was made for, in tokens; 0 where the file does not say."""
        return int(lc.llama_model_n_ctx_train(self.handle))

    @property
    def layers(self) -> int:
        """How many layers it has, without the one that makes words of their outcome; 0 where the file does not say."""
        text = self._fact(f"{self._fact('general.architecture')}.block_count")
        return int(text) if text.isdecimal() else 0

    def _fact(self, key: str) -> str:
        """A value of the file's head, which is there before anything is loaded; "" where there is none."""
        buffer = ctypes.create_string_buffer(64)
        length = lc.llama_model_meta_val_str(self.handle, key.encode(), buffer, 64)
        return buffer.value.decode("utf-8", "replace") if length >= 0 else ""

    @property
    def cache(self) -> CacheKind:
        """How the memory behaves when it is cut back."""
        if lc.llama_model_is_recurrent(self.handle) or lc.llama_model_is_hybrid(self.handle):
            return "recurrent"
        return "window" if lc.llama_model_n_swa(self.handle) > 0 else "plain"

    @property
    def template(self) -> str | None:
        """The chat template inside the file, or None for a base model."""
        raw = lc.llama_model_chat_template(self.handle, None)
        return raw.decode("utf-8", "replace") if raw else None

    def special_text(self, token: int) -> str:
        """The text of a control token such as the beginning of a prompt; empty for none."""
        return self.piece(token, special=True).decode("utf-8", "replace") if token >= 0 else ""

    @property
    def bos(self) -> int:
        """The token at the beginning of a text, -1 for none."""
        return int(lc.llama_vocab_bos(self.vocabulary))

    @property
    def begins_with_bos(self) -> bool:
        """Whether every text must begin with `bos`."""
        return bool(lc.llama_vocab_get_add_bos(self.vocabulary)) and self.bos >= 0

    @property
    def eos(self) -> int:
        """The token at the end of a text, -1 for none."""
        return int(lc.llama_vocab_eos(self.vocabulary))

    @property
    def words(self) -> int:
        """How many different tokens there are."""
        return int(lc.llama_vocab_n_tokens(self.vocabulary))

    # -- text and tokens -----------------------------------------------------------------------------------------

    def ends_reply(self, token: int) -> bool:
        """Whether a token means that nothing more follows."""
        return bool(lc.llama_vocab_is_eog(self.vocabulary, token))

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Tokens of a text; only with `special` do control words in it become control tokens."""
        raw = text.encode("utf-8", "replace")
        room = len(raw) + 16
        while True:
            buffer = (lc.llama_token * room)()
            count = lc.llama_tokenize(self.vocabulary, raw, len(raw), buffer, room, False, special)
            if count >= 0:
                return list(buffer[:count])
            room = -count

    def piece(self, token: int, *, special: bool = False) -> bytes:
        """The bytes of a token, which need not be whole characters; none of a control token without `special`."""
        room = 64
        while True:
            buffer = ctypes.create_string_buffer(room)
            length = lc.llama_token_to_piece(self.vocabulary, token, buffer, room, 0, special)
            if length >= 0:
                return bytes(buffer.raw[:length])
            room = -length


def _load(path: Path, gpu_layers: int, cancel: CancelToken, *, only_head: bool) -> lc.llama_model_p:
    complaints = _complaints()
    complaints.begin()
    going_on = lc.llama_progress_callback(lambda _share, _data: not cancel.cancelled)
    parameters = lc.llama_model_default_params()
    parameters.n_gpu_layers = gpu_layers if gpu_layers >= 0 else 999
    no_device = (ctypes.c_void_p * 1)()
    if gpu_layers == 0:  # Else llama.cpp reads long prompts on a GPU all the same, also on one that computes nonsense.
        parameters.devices = ctypes.addressof(no_device)
    parameters.progress_callback = going_on
    parameters.vocab_only = only_head
    model: lc.llama_model_p | None = lc.llama_model_load_from_file(str(path).encode(), parameters)
    if model:
        return model
    if cancel.cancelled:
        raise Cancelled
    raise ModelError(
        f"The model file {path.name} cannot be loaded ({complaints.reason()}).",
        "Take another model.",
        "Take another model: `readdesk models list`.",
    )


_ERROR = 4
"""GGML_LOG_LEVEL_ERROR of ggml.h; the numbers in llama-cpp-python 0.3.36's own _logger.py are of an older version."""

_COMPLAINTS = {
    "invalid magic": "it is not a GGUF file",
    "unknown model architecture": "this version of llama.cpp does not know its architecture",
    "corrupted or incomplete": "it is damaged or incomplete",
    "failed to read": "it is damaged or incomplete",
    "failed to open": "it cannot be opened",
}


@cache
def _complaints() -> _Complaints:
    """The one of this process: llama.cpp has one place for its messages, and calls it as long as it lives."""
    return _Complaints()


class _Complaints:
    """Keeps llama.cpp's messages off the terminal and the last complaint for a person."""

    def __init__(self) -> None:
        self._complaint = ""
        self._callback = lc.llama_log_callback(self._take)
        lc.llama_log_set(self._callback, ctypes.c_void_p(0))

    def begin(self) -> None:
        """Forget what was said of another file."""
        self._complaint = ""

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
