"""Which way of finding a page's end finds the breaks that authors made, and what does it cost?

`python -m tests.bench.pauses [--quick] [--books NAME…] [--models NAME… --windows N --keep FOLDER] [--embedder]`

Chapter and section breaks of novels and other books (at most 40 a book, drawn by the seed) are hidden: headings are
taken out, and a window of 600 words is laid around each so that the break is anywhere among the candidate places. A way
gives every place a score; the rank of the true break is 0 where it is best and 0.5 by chance. What a way is made of
(words that are compared, weights) was chosen on the books in FITTED; the figures are of the others, with a bootstrap
error. `--models` reads the windows with language models too: labels and surprise, from one reading, slow; what is read
is kept in `--keep`, so that a run that was broken off goes on.

Targets: the program's way finds more than twice what chance finds, and no fewer breaks than the labels of any model.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench.pauses_methods import FREE, Scores, apart_from_engine, combined, embedded, product, read_by_model
from tests.bench.pauses_windows import FITTED, NOVELS, OTHERS, Window, windows_of
from tests.bench.report import Report

DATA = Path(os.environ.get("READDESK_TEST_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
_QUICK = ("dorian-gray.epub", "pg2500.txt", "israelsailing-he.epub")
_SAMPLES = 1000


def ranked(window: Window, scores: Sequence[float]) -> tuple[float, float]:
    """The rank of the true break from 0 to 1, and whether it is the first (a part of it, where several are equal)."""
    true = scores[window.answer]
    better = sum(score > true for score in scores)
    equal = sum(score == true for score in scores) - 1
    return (better + equal / 2) / (len(scores) - 1), 0.0 if better else 1 / (equal + 1)


def error_of(values: Sequence[float], rng: random.Random) -> float:
    """The standard error of a mean, by drawing the sample anew."""
    means = [sum(rng.choices(values, k=len(values))) / len(values) for _ in range(_SAMPLES)]
    middle = sum(means) / _SAMPLES
    return float((sum((mean - middle) ** 2 for mean in means) / _SAMPLES) ** 0.5)


def told(name: str, windows: Sequence[Window], scores: Scores, usual: Scores, report: Report, seed: int) -> None:
    """Print and keep how one way does on the windows it has scores for, beside chance and the program (`usual`)."""
    each = zip(windows, scores, usual, strict=True)
    known = [(window, found, other) for window, found, other in each if found is not None and other is not None]
    if not known:
        return
    ranks, firsts = zip(*(ranked(window, found) for window, found, _ in known), strict=True)
    ours = [ranked(window, other)[1] for window, _, other in known]
    rng = random.Random(seed)
    more = [one - other for one, other in zip(firsts, ours, strict=True)]
    rank, first, count = sum(ranks) / len(ranks), sum(firsts) / len(firsts), len(known)
    chance = sum(window.chance for window, _, _ in known) / count
    print(
        f"  {name:34} {count:4}  rank {rank:.3f} ± {error_of(ranks, rng):.3f}  first {first:6.1%} ± "
        f"{error_of(firsts, rng):5.1%}  chance {chance:6.1%}  more than ours {sum(more) / count:+6.1%} ± "
        f"{error_of(more, rng):5.1%}",
        flush=True,
    )
    report.figure(f"{name}: rank", rank)
    report.figure(f"{name}: first", first)
    if name == "ours":
        report.figure("first, times chance", first / chance, (">=", 2.0))
    elif name.endswith(": labels"):
        report.figure(f"ours over {name}", -sum(more) / count, (">=", 0.0))


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Which way of finding a page's end finds hidden breaks.")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--books", nargs="+", choices=[*NOVELS, *OTHERS], default=[*NOVELS, *OTHERS])
    parser.add_argument("--each", type=int, default=40, help="windows of a book at most")
    parser.add_argument("--models", nargs="+", default=[], help="names of GGUF files, without their ending")
    parser.add_argument("--windows", type=int, default=168, help="windows that a model reads at most")
    parser.add_argument("--keep", type=Path, default=None, help="folder for what models have read")
    parser.add_argument("--embedder", action="store_true", help="MiniLM too, for the same windows")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--files", type=Path, default=Path(os.environ.get("READDESK_TEST_MODELS", "models")))
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def main(asked: argparse.Namespace) -> int:
    """Measure, print, judge."""
    if not (asked.data / "README.md").exists():
        sys.stderr.write("This bench needs the folder of real documents.\n")
        return 2
    windows = windows_of(_QUICK if asked.quick else asked.books, asked.data, asked.each, asked.seed)
    ways = scored(asked, windows)
    report = Report()
    for name in asked.models:
        path = asked.files / f"{name}.gguf"
        apart = apart_from_engine(windows, _in_turns(windows), path, asked.keep)
        report.figure(f"{name}: labels, apart from the engine's", apart, ("<=", 0.2))
    began = time.process_time()
    for window in windows:
        product(window)
    report.figure("milliseconds a page, ours", 1000 * (time.process_time() - began) / len(windows))
    for title, of_half in (("chosen on", True), ("reported", False)):
        half = [at for at, window in enumerate(windows) if (window.book in FITTED) is of_half]
        print(f"{title}: {len({windows[at].book for at in half})} books, {len(half)} breaks")
        kept = Report() if of_half else report
        usual = [ways["ours"][at] for at in half]
        for name, scores in ways.items() if half else ():
            told(name, [windows[at] for at in half], [scores[at] for at in half], usual, kept, asked.seed)
    on = {
        "files": sorted({window.book for window in windows}),
        "breaks": len(windows),
        "models": asked.models,
        "seed": asked.seed,
        "quick": asked.quick,
        "cores": os.cpu_count(),
    }
    print(report.told("pauses", on))
    return 0 if report.is_met else 1


def scored(asked: argparse.Namespace, windows: Sequence[Window]) -> Mapping[str, Scores]:
    """The scores that each way gives to the places of each window; None where a window was not read."""
    ways: dict[str, Scores] = {name: [way(window) for window in windows] for name, way in FREE.items()}
    order = _in_turns(windows)[: asked.windows]
    if asked.embedder:
        ways |= embedded(windows, order, asked.files / "embedder")
    for name in asked.models:
        found = read_by_model(windows, order, asked.files / f"{name}.gguf", asked.threads, asked.keep)
        ways |= found | combined(name, ways, found)
    return ways


def _in_turns(windows: Sequence[Window]) -> list[int]:
    """The windows in an order of which every beginning holds as many of each book as can be."""
    turns: dict[str, int] = {}
    keyed = []
    for at, window in enumerate(windows):
        turns[window.book] = turns.get(window.book, 0) + 1
        keyed.append((turns[window.book], at))
    return [at for _, at in sorted(keyed)]


if __name__ == "__main__":
    sys.exit(main(arguments()))
