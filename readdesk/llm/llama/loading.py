"""Loading a model: its weights and the context that answers, on a GPU as far as there is one and it works.

What must stay true: two models never stand in memory at once; whatever goes wrong or is stopped leaves nothing behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from readdesk.cancel import CancelToken
from readdesk.llm.head import bytes_per_token
from readdesk.llm.llama.context import LlamaContext
from readdesk.llm.llama.devices import Device, gpus
from readdesk.llm.llama.model import LlamaModel
from readdesk.llm.llama.offload import KNOWN_TEXT, Sizes, knows, offloaded
from readdesk.llm.model import LoadOptions


@dataclass(frozen=True)
class Opened:
    """A model and its context, what computes it, with how many layers, and what is to be said of that."""

    model: LlamaModel
    context: LlamaContext
    device: str = "CPU"
    gpu_layers: int = 0
    note: str = ""

    def close(self) -> None:
        """Give the memory back."""
        self.context.close()
        self.model.close()


def open_model(path: Path, options: LoadOptions, cancel: CancelToken) -> Opened:
    """Load a model's file as it is asked for. Raises ModelError and Cancelled."""
    trial = _Trial(path, options, cancel)
    found = gpus()
    if not found or options.gpu_layers == 0:
        return Opened(*trial.load(0))
    free = sum(gpu.free for gpu in found)
    (model, context), layers, note = offloaded(options.gpu_layers, _sizes(path, options, cancel), free, trial)
    return Opened(model, context, _named(found) if layers else "CPU", layers, note)


def _named(found: tuple[Device, ...]) -> str:
    return f"GPU ({', '.join(gpu.description for gpu in found)})"


def _sizes(path: Path, options: LoadOptions, cancel: CancelToken) -> Sizes:
    """A model's sizes, from its head alone."""
    model = LlamaModel(path, 0, cancel, only_head=True)
    try:
        return Sizes(model.layers, path.stat().st_size, options.context * bytes_per_token(path))
    finally:
        model.close()


class _Trial:
    """Loads one model with so many layers on the GPU, and asks what every model knows."""

    def __init__(self, path: Path, options: LoadOptions, cancel: CancelToken) -> None:
        self._path = path
        self._options = options
        self._cancel = cancel

    def load(self, layers: int) -> tuple[LlamaModel, LlamaContext]:
        """The weights and their context."""
        model = LlamaModel(self._path, layers, self._cancel)
        try:
            return model, LlamaContext(model, self._options.context)
        except BaseException:
            model.close()  # The next request loads it anew.
            raise

    def works(self, loaded: tuple[LlamaModel, LlamaContext]) -> bool:
        """Whether it finds likely what every model does; unloads it where it cannot even compute."""
        model, context = loaded
        tokens = model.tokenize(KNOWN_TEXT, special=False)
        half = len(tokens) // 2
        try:
            context.read(0, tokens[:half], self._cancel)
            mean = context.score(0, tokens[half:], self._cancel) / (len(tokens) - half)
        except BaseException:
            self.unload(loaded)
            raise
        return knows(mean, model.words)

    def unload(self, loaded: tuple[LlamaModel, LlamaContext]) -> None:
        """Free both."""
        model, context = loaded
        context.close()
        model.close()
