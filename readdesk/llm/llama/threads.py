"""How many threads write words: measured, because guessing is wrong by a factor of five.

Threads that wait for each other cost more than they bring on a busy or small machine. So a few tokens are decoded with
one thread, two, four …, in rounds, so that a disturbance hits all of them alike, and the smallest number that comes
within a tenth of the best is taken. It is measured once for a model on a machine and kept: two starts that chose
differently would answer at different speeds for no reason that a person could see.

Writing leaves one core to the window where there is more than one. Reading a prompt is bound by computing: it leaves
one from four cores on, and takes all of two or three, because there half or a third of its speed is too dear and the
window was measured not to suffer (its event loop is held 12 ms at most).
"""

from __future__ import annotations

import json
import logging
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from readdesk.cancel import CancelToken
from readdesk.llm.llama.context import LlamaContext

_SECONDS = 2.0
_ROUNDS = 5
_READ_TOKENS = 48
_WARM_TOKENS = 8
_GOOD_ENOUGH = 0.9
_FEW_CORES = 3
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Speeds:
    """Threads that write and that read, and the tokens a second that they came to."""

    threads: int
    batch_threads: int
    writing: float = 0.0
    reading: float = 0.0


def cores() -> int:
    """The cores this process may use, without hyper-threads where that can be told."""
    process = psutil.Process()
    allowed = len(process.cpu_affinity()) if hasattr(process, "cpu_affinity") else psutil.cpu_count() or 1
    return max(1, min(allowed, psutil.cpu_count(logical=False) or allowed))


def reading_threads(count: int) -> int:
    """How many threads read prompts on so many cores."""
    return count if count <= _FEW_CORES else count - 1


def writing_candidates(count: int) -> tuple[int, ...]:
    """Which numbers of threads are tried for writing on so many cores."""
    most = max(1, count - 1)
    return tuple(sorted({most, *(2**power for power in range(8) if 2**power < most)}))


def measure_speeds(
    context: LlamaContext, cancel: CancelToken, clock: Callable[[], float] = time.perf_counter
) -> Speeds:
    """The threads to use with a model and their speeds; takes two seconds at most, and one step more."""
    began, batch_threads = clock(), reading_threads(cores())
    candidates = writing_candidates(cores())
    words = context.model.tokenize("The quick brown fox jumps over the lazy dog. " * 16, special=False)
    text = words[: _WARM_TOKENS + _READ_TOKENS + 1]
    context.set_threads(candidates[0], batch_threads)
    context.read(0, text[:_WARM_TOKENS], cancel)  # The first step fetches the weights from the disk.
    reading = _seconds(lambda: context.read(0, text, cancel), clock)
    fastest = dict.fromkeys(candidates, float("inf"))
    for turn in range(_ROUNDS * len(candidates)):
        if clock() - began > _SECONDS and turn > 0:
            break
        threads = candidates[turn % len(candidates)]
        context.set_threads(threads, batch_threads)
        fastest[threads] = min(fastest[threads], _seconds(lambda: context.step([(0, text[-1])], cancel), clock))
    chosen = choose_threads(fastest)
    return Speeds(chosen, batch_threads, round(1 / fastest[chosen], 1), round((len(text) - _WARM_TOKENS) / reading, 1))


def choose_threads(seconds: dict[int, float]) -> int:
    """The smallest number of threads whose seconds a token come within a tenth of the best."""
    best = min(seconds.values())
    return min(threads for threads, taken in seconds.items() if taken * _GOOD_ENOUGH <= best)


def _seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    began = clock()
    work()
    return max(1e-9, clock() - began)


class KeptSpeeds:
    """Measured speeds in a file, by what they hold for; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self._file = folder / "speeds.json" if folder else None

    def find(self, key: str) -> Speeds | None:
        """What was measured for a model on this machine; None where nothing was that can be read."""
        values = self._read().get(key)
        try:
            return _checked(Speeds(**values)) if isinstance(values, dict) else None
        except TypeError:
            return None

    def keep(self, key: str, speeds: Speeds) -> None:
        """Remember what was measured; where the disk refuses, it is measured again next time."""
        if self._file is None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps({**self._read(), key: asdict(speeds)}, indent=1)
            with tempfile.NamedTemporaryFile("w", dir=self._file.parent, delete=False, encoding="utf-8") as draft:
                draft.write(text)
            Path(draft.name).replace(self._file)
        except OSError as error:
            _logger.warning("measured speeds could not be kept: %s", error)

    def _read(self) -> dict[str, object]:
        try:
            values = json.loads(self._file.read_text(encoding="utf-8")) if self._file else {}
        except (OSError, ValueError):
            return {}
        return values if isinstance(values, dict) else {}


def _checked(speeds: Speeds) -> Speeds | None:
    """The speeds if they can be meant; a file that anyone can edit may hold anything."""
    threads = (speeds.threads, speeds.batch_threads)
    rates = (speeds.writing, speeds.reading)
    if not all(type(number) is int and 1 <= number <= 1024 for number in threads):
        return None
    return speeds if all(isinstance(rate, int | float) and rate >= 0 for rate in rates) else None
