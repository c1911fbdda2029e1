"""Whether a GPU computes what the CPU does, and how fast: for a machine that has one.

    python -m tests.bench.gpu [--model FILE]

Sample: a random little llama that is written here, or a model's file. The same 400 tokens are read on the CPU and
with all layers on the GPU; the twenty likeliest next ones must be as likely up to rounding (0.2 in log-probability),
and twelve replies together must be possible there. With a real file the way of the program is taken too: its layers
by free memory, and the text that it must know. Exit status 2 where this build of llama.cpp has no GPU.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from readdesk.cancel import CancelToken
from readdesk.llm.llama.context import LlamaContext
from readdesk.llm.llama.devices import devices, gpus
from readdesk.llm.llama.loading import open_model
from readdesk.llm.llama.model import LlamaModel
from readdesk.llm.model import LoadOptions
from tests.bench.report import Report
from tests.llm.random_gguf import write_random_gguf

_READ, _PLACES, _CONTEXT = 400, 12, 1024
_LIKELY = 20
_ALL = 999


def main() -> int:
    """Compare, print, judge."""
    parser = argparse.ArgumentParser(description="Whether a GPU computes what the CPU does.")
    parser.add_argument("--model", type=Path, default=None)
    asked = parser.parse_args()
    for device in devices():
        print(f"{device.kind} {device.name}: {device.description}, {device.free >> 20} of {device.total >> 20} MB free")
    if not gpus():
        sys.stderr.write("This build of llama.cpp has no GPU.\n")
        return 2
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        file = asked.model or write_random_gguf(Path(folder))
        slow, on_cpu = _computed(file, 0)
        fast, on_gpu = _computed(file, _ALL)
        likely = np.argsort(on_cpu)[-_LIKELY:]
        report.figure("difference", float(np.abs(on_cpu - on_gpu)[likely].max()), ("<=", 0.2))
        report.figure("reading_times_faster", slow / fast)
        if asked.model is not None:
            opened = open_model(file, LoadOptions(_CONTEXT), CancelToken())
            print(f"{opened.device}: {opened.gpu_layers} layers. {opened.note}")
            report.figure("layers_on_gpu", opened.gpu_layers, (">=", 1))
            opened.close()
    print(report.told("gpu", {"model": asked.model.name if asked.model else "random", "tokens": _READ}))
    return 0 if report.is_met else 1


def _computed(file: Path, layers: int) -> tuple[float, npt.NDArray[np.float64]]:
    """Seconds of reading, and what may follow, with so many layers on the GPU; then replies go on side by side."""
    cancel = CancelToken()
    model = LlamaModel(file, layers, cancel)
    context = LlamaContext(model, _CONTEXT, _PLACES)
    words = model.tokenize("The harbour master took his lamp and went down to the pier. " * 60, special=False)[:_READ]
    context.read(1, words[:8], cancel)  # The first call sets the device up.
    began = time.perf_counter()
    context.read(0, words, cancel)
    found = context.log_probabilities()
    seconds = time.perf_counter() - began
    for place in range(1, _PLACES):
        context.read(place, words[:16], cancel)
    context.step([(place, words[20]) for place in range(_PLACES)], cancel)
    context.close()
    model.close()
    return seconds, found


if __name__ == "__main__":
    sys.exit(main())
