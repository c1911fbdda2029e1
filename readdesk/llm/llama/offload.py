"""How many layers of a model go on a GPU: as many as its free memory holds, fewer where that was too many, none where
the GPU computes nonsense.

Drivers differ in what they can still give, and some compute junk with certain models (see the tests), so the sum is
only where it begins: what counts is that the model loads and knows a text that every model knows. What must stay true:
it ends with a model that works or with the error of loading it on the CPU; whatever is not as it was asked for is said
in one sentence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, TypeVar

from readdesk.errors import ModelError

ALL = -1
_SPARE_BYTES = 600 << 20
"""For computing, beside weights and memory, and for what else is on the screen."""

KNOWN_TEXT = "one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen"
"""What every model that works finds likely, in whatever language it was trained."""


Loaded = TypeVar("Loaded")


class Trial(Protocol[Loaded]):
    """How a model is tried with so many layers on the GPU."""

    def load(self, layers: int) -> Loaded:
        """Load it; raises ModelError where there is no memory for it."""
        ...

    def works(self, loaded: Loaded) -> bool:
        """Whether it knows what every model knows; raises ModelError, and unloads it, where it cannot compute."""
        ...

    def unload(self, loaded: Loaded) -> None:
        """Give its memory back."""
        ...


@dataclass(frozen=True)
class Sizes:
    """A model's size in layers, bytes of weights, and bytes of memory for its context."""

    layers: int
    weights: int
    memory: int


def layers_that_fit(sizes: Sizes, free: int) -> int:
    """How many layers fit into so many free bytes; one more than there are means that all of the model does."""
    a_layer = (sizes.weights + sizes.memory) / (sizes.layers + 1)
    return max(0, min(sizes.layers + 1, int((free - _SPARE_BYTES) / a_layer)))


def knows(mean_log_probability: float, words: int) -> bool:
    """Whether a model that gives the known text this mean log-probability a token works; guessing gives -log(words)."""
    return math.isfinite(mean_log_probability) and mean_log_probability > -0.5 * math.log(words)


def offloaded(wanted: int, sizes: Sizes, free: int, trial: Trial[Loaded]) -> tuple[Loaded, int, str]:
    """The loaded model, how many of its layers are on the GPU, and what is to be said of that ("" for nothing).

    `wanted` layers, or ALL for as many as fit into so many free bytes. Raises what loading on the CPU raises.
    """
    everything = sizes.layers + 1
    first = layers_that_fit(sizes, free) if wanted == ALL else min(wanted, everything)
    layers = first
    while layers > 0:
        try:
            loaded = trial.load(layers)
            is_right = trial.works(loaded)
        except ModelError:
            layers //= 2
            continue
        if is_right:
            return loaded, layers, _said(layers, first, everything, is_asked=wanted != ALL)
        trial.unload(loaded)
        return trial.load(0), 0, "The GPU computes nonsense with this model, so the CPU does the work."
    return (
        trial.load(0),
        0,
        "" if first == 0 and wanted == 0 else "The GPU has no memory for this model, so the CPU works.",
    )


def _said(layers: int, tried: int, everything: int, *, is_asked: bool) -> str:
    if layers < tried or (layers < everything and not is_asked):
        return f"The GPU has memory for {layers} of the model's {everything} layers; the CPU does the rest."
    return ""
