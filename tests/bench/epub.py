"""EPUBs and texts: is everything there, nothing invented, every place found again, fast, and is no file fatal?

    python -m tests.bench.epub [--quick] [--seed 1] [--data FOLDER] [--mutants 2000] [--only PART …] [--verbose]
    python -m tests.bench.epub --only-mutant SEED

Sample: the EPUBs of the folder of real documents, all of them, each read by the real document process; two novels of
which the folder has a plain text too; a Chinese text of 6 MB and 1,600 chapters made from XQuAD's passages. Parts:
`expected` (what the folder's README says of each file), `completeness` (`complete.py`), `copies` (`copies.py`),
`anchors` (`anchors.py`, 500 spans a document), `speed` (`speed.py`, War and Peace beside bare ebooklib and lxml in
turns, median of 3), `mutants` (`mutants.py`, 2,000 damaged files). Spans, mutants and the Chinese text are drawn with
the seed (1). `--quick` leaves War and Peace out of all but the speed, asks 50 spans a document, takes one turn and 60
mutants. `--verbose` tells what was missed, and where copies differ.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from readdesk.documents.open import DocumentReader
from tests.bench import books, copies
from tests.bench.anchors import anchors
from tests.bench.books import Judged, Reading
from tests.bench.chinese import chinese_text
from tests.bench.complete import Completeness, completeness
from tests.bench.mutants import FATES, LIMIT_SECONDS, Tally, mutants_of
from tests.bench.report import Report
from tests.bench.speed import SIDES, in_turns

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("READDESK_TEST_DATA") or ROOT.parent / "shared" / "data")
LARGE = "war-and-peace.epub"
TEXT_FILE = "narrativeqa/pg174.txt"
CHINESE_SIZE, CHINESE_CHAPTERS = 6_000_000, 1_600
MUTANTS, QUICK_MUTANTS = 2_000, 60


@dataclass
class Run:
    """What all parts share: what was asked, the reader, a folder for what is made, the figures."""

    asked: argparse.Namespace
    reader: DocumentReader
    folder: Path
    report: Report
    judged: list[Judged] = field(default_factory=list)

    @property
    def data(self) -> Path:
        """The folder of real documents."""
        return Path(self.asked.data)

    def readings(self) -> list[tuple[Path, Reading]]:
        """The books that opened, with their files; every book is read once for all parts."""
        if not self.judged:
            rows = [row for row in books.rows_of(self.data) if not (self.asked.quick and row.name == LARGE)]
            self.judged = books.judged(rows, self.data, self.reader)
        folder = self.data / "documents" / "epub"
        return [(folder / one.row.name, one.outcome) for one in self.judged if isinstance(one.outcome, Reading)]

    def tell(self, lines: Sequence[str], most: int = 6) -> None:
        """Print details, where they were asked for."""
        if self.asked.verbose:
            for line in lines[:most]:
                print(f"      {line}")


# -- the parts ---------------------------------------------------------------------------------------------------


def expected_part(run: Run) -> None:
    """Every file does what the README says."""
    run.readings()
    right = sum(one.is_right for one in run.judged)
    run.report.figure("expected_right", right, (">=", len(run.judged)))
    run.report.figure("expected_of", len(run.judged))
    for one in run.judged:
        print(f"  {'ok   ' if one.is_right else 'WRONG'} {one.row.name}: {one.row.expected} -> {one.said}")
        if isinstance(one.outcome, Reading):
            print(f"        {described(one.outcome)}")


def described(reading: Reading) -> str:
    """What was found out about a document, on a line."""
    health = reading.health
    notes = f"; {' '.join(health.notes)}" if health.notes else ""
    return (
        f"{health.words:,} words, {health.sections} sections from {health.structure or '?'}, language "
        f"{health.language or '?'}, {reading.left_out_words:,} words left out, {reading.seconds:.2f} s{notes}"
    )


def completeness_part(run: Run) -> None:
    """Every letter is reached, once, and none is invented."""
    found: dict[str, Completeness] = {}
    for path, reading in run.readings():
        found[path.stem] = one = completeness(path, reading.paragraphs)
        print(f"  {path.stem}: {one.share:.5f} reached ({one.wanted - one.reached} of {one.wanted} missed), {one.told}")
        for kind, lines in one.details.items():
            run.tell([f"{kind} {line}" for line in lines])
        run.report.figure(f"reached.{path.stem}", one.share)
    all_found = found.values()
    run.report.figure("reached_min", min(one.share for one in all_found), (">=", 0.995))
    run.report.figure("invented", sum(one.invented for one in all_found), ("<=", 0))
    run.report.figure("reached_twice", sum(one.twice for one in all_found), ("<=", 0))
    run.report.figure("hidden_reached", sum(one.hidden for one in all_found))
    run.report.figure("ruby_min", min(one.readings_share for one in all_found), (">=", 1.0))
    run.report.figure("line_numbers_min", min(one.numbers_share for one in all_found), (">=", 1.0))


def copies_part(run: Run) -> None:
    """An EPUB and a plain text of one book say the same."""
    readings = {path.name: reading for path, reading in run.readings()}
    shares = []
    for book, text in copies.PAIRS:
        plain = books.outcome_of(run.reader, run.data / "narrativeqa" / text)
        if book not in readings or not isinstance(plain, Reading):
            shares.append(0.0)
            continue
        found = copies.agreement(readings[book], plain)
        shares.append(found.strict)
        print(
            f"  {text} ({found.words:,} words) in {book}: {found.strict:.5f} aligned, {found.aligned:.5f} with words "
            f"parted otherwise; left out {found.left_out[0]} and {found.left_out[1]} words"
        )
        run.tell([f"{count} × {told}" for told, count in found.differences], most=20)
        run.tell([f"longest: {told}" for told in found.longest], most=8)
        run.report.figure(f"aligned.{Path(book).stem}", found.strict)
        run.report.figure(f"aligned_however_parted.{Path(book).stem}", found.aligned)
    run.report.figure("aligned_min", min(shares), (">=", 0.993))


def anchors_part(run: Run) -> None:
    """Every anchor names its span, to an independent script too."""
    count = 50 if run.asked.quick else 500
    readings = run.readings()
    for path in (run.data / TEXT_FILE, *chinese_files(run)):
        outcome = books.outcome_of(run.reader, path)
        if isinstance(outcome, Reading):
            readings.append((path, outcome))
        else:
            print(f"  {path.name} did not open: {outcome}")
    answers = {path.name: anchors(path, reading, count, run.asked.seed) for path, reading in readings}
    for name, one in answers.items():
        if one.wrong:
            print(f"  {name}: {one.right} of {one.spans} anchors right, {one.back} of {one.sent} come back")
            for line in one.wrong[:6]:
                print(f"      {line}")
    spans, sent = sum(one.spans for one in answers.values()), sum(one.sent for one in answers.values())
    print(f"  {spans} spans of {len(answers)} documents, {sent} sent back")
    run.report.figure("anchor_spans", spans)
    run.report.figure("anchors_right", sum(one.right for one in answers.values()) / spans, (">=", 1.0))
    run.report.figure("anchors_back", sum(one.back for one in answers.values()) / sent, (">=", 1.0))


def chinese_files(run: Run) -> tuple[Path, Path]:
    """A Chinese text in UTF-8 and one in GB18030."""
    text = chinese_text(run.data, 300_000, 80, run.asked.seed)
    files = run.folder / "chinese.txt", run.folder / "chinese-gb18030.txt"
    files[0].write_text(text, "utf-8")
    files[1].write_text(text, "gb18030")
    return files


def speed_part(run: Run) -> None:
    """A long novel beside bare ebooklib and lxml, and a long Chinese text."""
    turns = 1 if run.asked.quick else 3
    sides = in_turns(SIDES, run.data / "documents" / "epub" / LARGE, turns)
    added, read, bare = (sides[side] for side in SIDES)
    chinese = run.folder / "long-chinese.txt"
    chinese.write_text(chinese_text(run.data, CHINESE_SIZE, CHINESE_CHAPTERS, run.asked.seed), "utf-8")
    long_text = in_turns(("add",), chinese, turns)["add"]
    print(
        f"  {LARGE} ({added.words:,} words): added in {added.seconds:.2f} s, read in {read.seconds:.2f} s, "
        f"bare ebooklib and lxml {bare.seconds:.2f} s; the front process took {added.peak:.0f} MB at most\n"
        f"  a Chinese text of {chinese.stat().st_size / 1e6:.1f} MB: {long_text.sections} sections in "
        f"{long_text.seconds:.2f} s, {long_text.peak:.0f} MB"
    )
    run.report.figure("words_per_second_added", added.words / added.seconds, (">=", 150_000))
    run.report.figure("words_per_second_read", added.words / read.seconds)
    run.report.figure("words_per_second_bare", added.words / bare.seconds)
    run.report.figure("added_to_bare", added.seconds / bare.seconds)
    run.report.figure("chinese_s", long_text.seconds, ("<=", 3.0))
    run.report.figure("chinese_sections", long_text.sections, (">=", CHINESE_CHAPTERS))
    run.report.figure("front_peak_mb", max(added.peak, long_text.peak), ("<=", 150))


def mutants_part(run: Run) -> None:
    """Whatever is done to a file, a document or a typed error comes of it, in time."""
    count = run.asked.mutants or (QUICK_MUTANTS if run.asked.quick else MUTANTS)
    first = run.asked.seed * 1_000_000
    tally = Tally()
    for told in mutants_of(run.data, run.folder, range(first, first + count)):
        tally.add(told)
        if told.fate not in ("opened", "refused") or not told.is_allowed or told.is_unclear:
            print(f"  {'unclear ' if told.is_unclear else ''}{told}", flush=True)
    print(f"  slowest: {tally.slowest}\n  largest: {tally.largest}")
    for cause, times in Counter(told.cause for told in tally.remarkable).most_common():
        print(f"  {times} × {cause}")
    targets = dict.fromkeys(("wrong", "hang", "front", "leak"), ("<=", 0.0))
    run.report.figure("mutants", count)
    for fate in FATES:
        run.report.figure(f"mutants_{fate}", tally.counts[fate], targets.get(fate))
    run.report.figure("mutants_unclear", len(tally.unclear), ("<=", 0))
    run.report.figure("mutants_slowest_s", tally.slowest.seconds if tally.slowest else 0.0, ("<=", LIMIT_SECONDS))
    run.report.figure("mutants_reader_peak_mb", tally.largest.peak if tally.largest else 0.0)


PARTS: dict[str, Callable[[Run], None]] = {
    "expected": expected_part,
    "completeness": completeness_part,
    "copies": copies_part,
    "anchors": anchors_part,
    "speed": speed_part,
    "mutants": mutants_part,
}


# -- the command -------------------------------------------------------------------------------------------------


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description="Completeness, anchors, speed and robustness of reading EPUBs.")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--mutants", type=int, default=None)
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--only-mutant", type=int, metavar="SEED")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def main(asked: argparse.Namespace) -> int:
    """Measure, print, judge."""
    if not (asked.data / "README.md").exists():
        sys.stderr.write("This bench needs the folder of real documents.\n")
        return 2
    if asked.only_mutant is not None:
        return one_mutant(asked.data, asked.only_mutant)
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        reader = DocumentReader()
        run = Run(asked, reader, Path(folder), report)
        try:
            for name in asked.only:
                print(f"{name}:", flush=True)
                PARTS[name](run)
        finally:
            reader.close()
    on = {
        "files": [one.row.name for one in run.judged],
        "seed": asked.seed,
        "quick": asked.quick,
        "cores": os.cpu_count(),
    }
    print(report.told("epub", on))
    return 0 if report.is_met else 1


def one_mutant(data: Path, seed: int) -> int:
    """Repeat a mutant and keep its file."""
    folder = Path(tempfile.mkdtemp(prefix="mutant-"))
    told = next(mutants_of(data, folder, [seed]))
    print(f"{told}\nkept in {folder}")
    return 0 if told.is_allowed else 1


if __name__ == "__main__":
    sys.exit(main(arguments()))
