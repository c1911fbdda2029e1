"""How many threads write words: measured, because guessing is wrong by a factor of five.

Decoding is bound by memory, and threads that wait for each other cost more than they bring on a busy or small machine.
So a few tokens are decoded with one thread, two, four … and the smallest number that is within a tenth of the best is
kept. Reading prompts is bound by computing and takes all cores.
"""

from __future__ import annotations

import time

import psutil

from readdesk.cancel import CancelToken
from readdesk.llm.llama.context import LlamaContext

_SECONDS = 2.0
_TOKENS = 4
_GOOD_ENOUGH = 0.9


def cores() -> int:
    """The cores this process may use, without hyper-threads where that can be told."""
    process = psutil.Process()
    allowed = len(process.cpu_affinity()) if hasattr(process, "cpu_affinity") else psutil.cpu_count() or 1
    return max(1, min(allowed, psutil.cpu_count(logical=False) or allowed))


def measure_threads(context: LlamaContext, cancel: CancelToken) -> tuple[int, float]:
    """The number of threads to decode with and its speed in tokens a second; takes two seconds at most."""
    everything = cores()
    candidates = sorted({1, *(2**power for power in range(1, 8) if 2**power < everything), everything})
    prompt = context.model.tokenize("The quick brown fox jumps over the lazy dog.", special=False)
    deadline = time.monotonic() + _SECONDS
    speeds: dict[int, float] = {}
    for threads in candidates:
        context.set_threads(threads, everything)
        speeds[threads] = _speed(context, prompt, cancel)
        if time.monotonic() > deadline:
            break
    best = max(speeds.values())
    chosen = min(threads for threads, speed in speeds.items() if speed >= best * _GOOD_ENOUGH)
    return chosen, speeds[chosen]


def _speed(context: LlamaContext, prompt: list[int], cancel: CancelToken) -> float:
    """Tokens a second of the fastest of a few single-token steps: the fastest is the one least disturbed."""
    context.read(0, prompt, cancel)
    fastest = float("inf")
    for step in range(_TOKENS):
        started = time.perf_counter()
        context.read(0, [*prompt, *prompt[: step + 1]], cancel)
        fastest = min(fastest, time.perf_counter() - started)
    return 1.0 / fastest
