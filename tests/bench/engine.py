"""The engine beside bare llama.cpp, beside itself without a kept memory, on a busy machine, and when it is stopped.

    python -m tests.bench.engine [--quick] [--model starter] [--only speed width memory busy stop overtake]
                                 [--moments 50] [--seed 1] [--models FOLDER] [--data FOLDER]

Sample: pg2349.txt of narrativeqa. `speed`: a prompt of 1,000 tokens and 64 words written after it, ours through the
model process, bare llama.cpp (`bare.py`) with the same threads, in turns. `width`: what a call with several tokens of
one text costs beside a call with one, which is what a guess of the next words (prompt-lookup speculation) must earn.
`memory`: the time to the first piece of an answer to a short question after 6,000 tokens of gists, from a fresh start
with the computed memory on disk (its file just written, so the system still holds it) and without. `busy`: writing
while two processes do nothing but compute, against quiet. `stop`: a cancel at random moments of the first six seconds
of a 20,000-token prompt, of writing, of several replies together, and of the first 1.5 of loading; what had ended by
then is not counted. The answer asked for at once afterwards is compared with an undisturbed one. `overtake`: a question
at random moments of gisting, through the Desk; the time to its first word is held against the same question when
nothing else runs. The moments come from the seed. `--quick` takes *tiny* and six moments.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

os.environ["OMP_WAIT_POLICY"] = "passive"  # Read when llama.cpp loads.

from readdesk.cancel import Cancelled, CancelToken
from readdesk.llm.base import complete
from readdesk.llm.local import LocalEngine
from readdesk.llm.model import Limits, LoadOptions, Message, Prefix, Request
from tests.bench.bare import Bare
from tests.bench.overtaking import overtake
from tests.bench.report import Report

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("READDESK_TEST_DATA") or ROOT.parent / "shared" / "data") / "narrativeqa"
PARTS = ("speed", "width", "memory", "busy", "stop", "overtake")
_CONTEXT = 8192
_LONG_CONTEXT = 24_576
_PROMPT, _WRITTEN = 1000, 64
_MEMORY = 6000
_LONG = 20_000
_TURNS = 3
_WIDTHS = (1, 2, 3, 5, 8, 16)
_ENDLESS = "root ::= [a-z ]{1900}"
_SYSTEM = Message("system", "You are an attentive reader.")
_QUESTION = "Who is the person that these notes speak of most? Answer in one sentence."


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description="The engine beside bare llama.cpp, and how soon it stops.")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--model", default="")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--models", type=Path, default=Path(os.environ.get("READDESK_TEST_MODELS", "models")))
    return parser.parse_args()


def main(asked: argparse.Namespace) -> int:
    """Measure, print, judge."""
    model = asked.models / f"{asked.model or ('tiny' if asked.quick else 'starter')}.gguf"
    book = asked.data / "pg2349.txt"
    if not model.exists() or not book.exists():
        sys.stderr.write(f"This bench needs {model} and {book}.\n")
        return 2
    text = book.read_text(encoding="utf-8", errors="replace")[3000:]
    moments = 6 if asked.quick else asked.moments
    report, chance = Report(), random.Random(asked.seed)
    parts: dict[str, Callable[[], None]] = {
        "speed": lambda: speed(report, model, text),
        "width": lambda: width(report, model, text),
        "memory": lambda: memory(report, model, text),
        "busy": lambda: busy(report, model, text),
        "stop": lambda: stop(report, model, text, moments, chance),
        "overtake": lambda: overtake(report, model, book, moments, chance),
    }
    for name in asked.only:
        known = set(report.figures)
        parts[name]()
        found = {key: round(value, 4) for key, value in report.figures.items() if key not in known}
        print(json.dumps({name: found}), flush=True)
    on = {"model": model.stem, "files": [book.name], "moments": moments, "seed": asked.seed, "cores": os.cpu_count()}
    print(report.told("engine", on))
    return 0 if report.is_met else 1


@contextmanager
def engine_of(model: Path, options: LoadOptions) -> Iterator[LocalEngine]:
    """An engine that is loaded, closed at the end."""
    engine = LocalEngine(model.stem, model, options)
    try:
        engine.info(CancelToken())
        yield engine
    finally:
        engine.close()


def _ask(text: str, question: str = _QUESTION) -> list[Message]:
    return [_SYSTEM, Message("user", f"{text}\n---\n{question}")]


def _cut(bare: Bare, text: str, tokens: int) -> str:
    """About so many tokens of a text, repeated where it is too short."""
    while len(bare.tokens(text[: 8 * tokens])) < tokens:
        text += text
    size = 4 * tokens
    while len(bare.tokens(text[:size])) < tokens:
        size += tokens // 10 + 1
    return text[:size]


# -- speed ---------------------------------------------------------------------------------------------------------


def speed(report: Report, model: Path, text: str) -> None:
    """Reading and writing, ours and bare in turns; the best turn of each, which is the least disturbed one."""
    ours: dict[str, list[float]] = {"reading": [], "writing": []}
    bares: dict[str, list[float]] = {"reading": [], "writing": []}
    with engine_of(model, LoadOptions(_CONTEXT)) as engine:
        info = engine.info(CancelToken())
        bare = Bare(model, _PROMPT + _WRITTEN + 64, info.threads, info.batch_threads)
        for turn in range(_TURNS):
            passage = _cut(bare, text[turn * 5000 :], _PROMPT)
            messages = _ask(passage, "Tell it in your own words, at length.")
            limits = Limits(_WRITTEN)
            began = time.perf_counter()
            pieces = engine.stream(messages, limits, CancelToken())
            next(pieces)
            first = time.perf_counter()
            reply = list(pieces)[-1]
            ended = time.perf_counter()
            assert not isinstance(reply, str)
            ours["reading"].append(reply.tokens_read / (first - began))
            # The first word came with reading; a reply that ends by itself takes one step more, to find that out.
            steps = reply.tokens_written - 1 + (reply.finish == "stop")
            ours["writing"].append(steps / (ended - first))
            bares["reading"].append(_PROMPT / bare.read(bare.tokens(passage)[:_PROMPT]))
            bares["writing"].append(steps / bare.write(steps))
        bare.close()
    for kind in ("reading", "writing"):
        report.figure(f"{kind}_bare", max(bares[kind]))
        report.figure(f"{kind}_ours", max(ours[kind]))
        report.figure(f"{kind}_to_bare", max(ours[kind]) / max(bares[kind]), (">=", 0.95))


def width(report: Report, model: Path, text: str) -> None:
    """The fastest of several calls with so many tokens, in turns, with the threads that write."""
    with engine_of(model, LoadOptions(_CONTEXT)) as engine:
        threads = engine.info(CancelToken()).threads
    bare = Bare(model, _PROMPT + 128, threads, threads)
    tokens = bare.tokens(text)
    bare.read(tokens[:_PROMPT])
    fastest = dict.fromkeys(_WIDTHS, float("inf"))
    for count in _WIDTHS * 6:
        fastest[count] = min(fastest[count], bare.step(tokens[_PROMPT : _PROMPT + count]))
    bare.close()
    for count in _WIDTHS[1:]:
        report.figure(f"width_{count}_cost", fastest[count] / fastest[1])


# -- the kept memory -----------------------------------------------------------------------------------------------


def memory(report: Report, model: Path, text: str) -> None:
    """The first piece of an answer after a fresh start, with the computed memory on disk and without."""
    bare = Bare(model, 64, 1, 1)
    notes = _cut(bare, text, _MEMORY)
    bare.close()
    messages, prefix = _ask(notes), Prefix("bench", len(notes))
    with tempfile.TemporaryDirectory() as folder:
        options = LoadOptions(_CONTEXT, folder=Path(folder), cache_limit=2 << 30)
        without, cold = _first_piece(model, LoadOptions(_CONTEXT), messages, None)
        with engine_of(model, options) as engine:
            engine.prepare(messages, prefix, CancelToken())
        kept = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
        results = [_first_piece(model, options, messages, prefix) for _ in range(_TURNS)]
    report.figure("memory_tokens", _MEMORY)
    report.figure("memory_kept_mb", kept / 1e6)
    report.figure("first_piece_without_s", without)
    report.figure("first_piece_with_s", statistics.median(seconds for seconds, _ in results))
    report.figure("first_piece_ratio", statistics.median(seconds for seconds, _ in results) / without, ("<=", 1 / 20))
    report.figure("memory_answers_differ", sum(answer != cold for _, answer in results), ("<=", 0))


def _first_piece(
    model: Path, options: LoadOptions, messages: list[Message], prefix: Prefix | None
) -> tuple[float, str]:
    with engine_of(model, options) as engine:
        began = time.perf_counter()
        pieces = engine.stream(messages, Limits(40), CancelToken(), prefix)
        next(pieces)
        seconds = time.perf_counter() - began
        reply = list(pieces)[-1]
        assert not isinstance(reply, str)
        return seconds, reply.text


# -- a busy machine ------------------------------------------------------------------------------------------------


def busy(report: Report, model: Path, text: str) -> None:
    """Writing beside two processes that compute for ever, against quiet, in turns."""
    quiet, disturbed = list[float](), list[float]()
    with engine_of(model, LoadOptions(_CONTEXT)) as engine:
        for turn in range(_TURNS):
            messages = _ask(text[turn * 2000 :][:800], "Tell it in your own words, at length.")
            complete(engine, messages, Limits(4), CancelToken())
            quiet.append(_writing(engine, messages))
            others = [multiprocessing.get_context("spawn").Process(target=_spin, daemon=True) for _ in range(2)]
            for other in others:
                other.start()
            time.sleep(1.5)  # A bench must wait until they have started; nothing is retried.
            disturbed.append(_writing(engine, messages))
            for other in others:
                other.kill()
                other.join()
    report.figure("busy_quiet", statistics.median(quiet))
    report.figure("busy_disturbed", statistics.median(disturbed))
    report.figure("busy_to_quiet", statistics.median(disturbed) / statistics.median(quiet), (">=", 0.4))


def _writing(engine: LocalEngine, messages: list[Message]) -> float:
    pieces = engine.stream(messages, Limits(_WRITTEN, grammar=_ENDLESS), CancelToken())
    next(pieces)
    began = time.perf_counter()
    reply = list(pieces)[-1]
    assert not isinstance(reply, str)
    return (reply.tokens_written - 1) / (time.perf_counter() - began)


def _spin() -> None:
    number = 1
    while True:
        number = number * 3 % 1_000_003


# -- stopping ------------------------------------------------------------------------------------------------------


def stop(report: Report, model: Path, text: str, moments: int, chance: random.Random) -> None:
    """Cancel at random moments of every kind of work, then ask at once."""
    question, limits = _ask(text[:1500]), Limits(24)
    with engine_of(model, LoadOptions(_LONG_CONTEXT)) as engine:
        bare = Bare(model, 64, 1, 1)
        long = _cut(bare, text, min(_LONG, engine.info(CancelToken()).context - 500))
        bare.close()
        undisturbed = complete(engine, question, limits, CancelToken()).text
        works: dict[str, Callable[[CancelToken], object]] = {
            "prompt": lambda cancel: complete(engine, _ask(long), limits, cancel),
            "writing": lambda cancel: complete(engine, question, Limits(1800, grammar=_ENDLESS), cancel),
            "together": lambda cancel: list(engine.reply_all(_several(text), cancel)),
        }
        waits, differing = dict[str, list[float | None]](), 0
        for moment in range(moments):
            name = sorted(works)[moment % len(works)]
            waits.setdefault(name, []).append(_stopped_after(works[name], chance.uniform(0.05, 6.0)))
            differing += complete(engine, question, limits, CancelToken()).text != undisturbed
    loading = [_loading_stopped_after(model, chance.uniform(0.0, 1.5)) for _ in range(max(2, moments // 10))]
    every: list[float] = []
    for name, found in [*waits.items(), ("loading", loading)]:
        stopped = [wait for wait in found if wait is not None]
        report.figure(f"stop_{name}_longest_s", max(stopped, default=0.0))
        every += stopped
    report.figure("stops", len(every))
    report.figure("stop_95_s", _ninety_fifth(every or [float("inf")]), ("<=", 1.0))
    report.figure("stop_answers_differ", differing, ("<=", 0))


def _several(text: str) -> list[Request]:
    parts = [text[start : start + 2500] for start in range(0, 20_000, 2500)]
    return [Request(tuple(_ask(part, "Shorten this.")), Limits(120)) for part in parts]


def _stopped_after(work: Callable[[CancelToken], object], seconds: float) -> float | None:
    """Seconds from the cancel to the end of the call; None where it had ended by itself."""
    cancel = CancelToken()
    cancelled_at = list[float]()

    def cancel_it() -> None:
        cancelled_at.append(time.perf_counter())
        cancel.cancel()

    timer = threading.Timer(seconds, cancel_it)
    timer.start()
    try:
        work(cancel)
    except Cancelled:
        return time.perf_counter() - cancelled_at[0]
    finally:
        timer.cancel()
        timer.join()
    return None


def _loading_stopped_after(model: Path, seconds: float) -> float | None:
    engine = LocalEngine(model.stem, model, LoadOptions(_CONTEXT))
    try:
        return _stopped_after(engine.info, seconds)
    finally:
        engine.close()


def _ninety_fifth(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]


if __name__ == "__main__":
    sys.exit(main(arguments()))
