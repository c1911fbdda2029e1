"""PDFs: is everything there, in order, nothing invented, every place found again, fast, and is no file fatal?

    python -m tests.bench.pdf [--quick] [--seed 1] [--data FOLDER] [--mutants 2000] [--only PART …] [--verbose]

Sample: the PDFs of the folder of real documents, all of them, each read by the real document process. Parts:
`expected` (what the folder's README says of each file), `completeness` (`pdf_complete.py`, beside Poppler or pypdf),
`order` (`pdf_orders.py`, leaves marked by hand in `marked_leaves.toml`), `anchors` (`pdf_anchors.py`, 500 spans a
document beside PDFium), `speed` (`pdf_speed.py`, in turns with bare PyMuPDF, median of 3; zsh-manual.pdf has 480
leaves, and every other document of more than 50 is measured too), `mutants` (`pdf_spoil.py`, 2,000 damaged files),
`hostile` (`pdf_hostile.py`, files made to do harm, and one of 1,400 leaves and 300 MB). Spans and mutants are drawn
with the seed (1). `--quick` leaves documents of more than 50 leaves out of completeness and anchors, asks 20 spans a
document, measures the speed of the manual only and once, and takes 60 mutants and a few harmful files. `--verbose`
tells what is wrong, and where.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from readdesk.documents.drawer import LeafDrawer
from readdesk.documents.open import DocumentReader
from tests.bench.anchors import Answers
from tests.bench.books import Reading, outcome_of
from tests.bench.mutants import FATES, LIMIT_SECONDS, Tally, fates_of
from tests.bench.pdf_anchors import pdf_anchors
from tests.bench.pdf_complete import PdfCompleteness, pdf_completeness, worst
from tests.bench.pdf_expected import JudgedPdf, judged_pdfs, pdf_rows_of
from tests.bench.pdf_hostile import harm_of
from tests.bench.pdf_orders import faults, marked_leaves
from tests.bench.pdf_speed import first_leaf, front_peak, pace_of
from tests.bench.pdf_spoil import PdfNursery
from tests.bench.report import Report
from tests.samples.hostile import HOSTILE, large, turned

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("READDESK_TEST_DATA") or ROOT.parent / "shared" / "data")

MANUAL = "zsh-manual.pdf"
LONG = 50
MUTANTS, QUICK_MUTANTS = 2_000, 60
HELD_SECONDS = 0.1
LARGE_SECONDS = 80.0
QUICK_HARM = ("page-tree-cycle", "outline-cycle", "actions")


@dataclass
class Run:
    """What all parts share: what was asked, the reader, a folder for what is made, the figures."""

    asked: argparse.Namespace
    reader: DocumentReader
    folder: Path
    report: Report
    judged: list[JudgedPdf] = field(default_factory=list)

    @property
    def data(self) -> Path:
        """The folder of real documents."""
        return Path(self.asked.data)

    @property
    def pdfs(self) -> Path:
        """The folder of real PDFs."""
        return self.data / "documents" / "pdf"

    def all_judged(self) -> list[JudgedPdf]:
        """Every PDF, read once for all parts."""
        if not self.judged:
            self.judged = judged_pdfs(pdf_rows_of(self.data), self.data, self.reader)
        return self.judged

    def readings(self, are_all: bool = True) -> list[tuple[JudgedPdf, Reading]]:
        """The PDFs that opened; not the long ones where a quick answer is wanted and `are_all` is not."""
        found = [(one, one.outcome) for one in self.all_judged() if isinstance(one.outcome, Reading)]
        return [pair for pair in found if are_all or not self.asked.quick or pair[1].head.leaves <= LONG]

    def tell(self, lines: Sequence[str], most: int = 12) -> None:
        """Print details, where they were asked for."""
        if self.asked.verbose:
            for line in lines[:most]:
                print(f"      {line}")


# -- the parts ---------------------------------------------------------------------------------------------------


def expected_part(run: Run) -> None:
    """Every file does what the README says."""
    judged = run.all_judged()
    run.report.figure("expected_right", sum(one.is_right for one in judged), (">=", len(judged)))
    run.report.figure("expected_of", len(judged))
    for one in judged:
        print(f"  {'ok   ' if one.is_right else 'WRONG'} {one.row.name}: {one.row.expected} -> {one.said}")
        for fault in one.faults:
            print(f"        {fault}")


def order_part(run: Run) -> None:
    """Every leaf that was marked by hand is read as people read it."""
    readings = {one.row.name: reading for one, reading in run.readings()}
    marked, right = marked_leaves(), 0
    for leaf in marked:
        found = faults(leaf, readings[leaf.file].paragraphs) if leaf.file in readings else ["the file does not open"]
        right += not found
        print(f"  {'ok   ' if not found else 'WRONG'} {leaf.name} ({leaf.why})")
        run.tell(found, most=40)
    run.report.figure("order_leaves", len(marked), (">=", 30))
    run.report.figure("order_right", right, (">=", len(marked)))


def completeness_part(run: Run) -> None:
    """Every letter is reached, once, and none is invented."""
    found: dict[str, PdfCompleteness] = {}
    for judged, reading in run.readings(are_all=False):
        path = run.pdfs / judged.row.name
        found[path.stem] = one = pdf_completeness(path, judged.row.password, reading)
        print(f"  {path.stem}: {one.share:.5f} reached ({one.wanted - one.reached} of {one.wanted} missed), {one.told}")
        for kind, lines in one.details.items():
            run.tell([f"{kind} {line}" for line in lines])
        run.report.figure(f"reached.{path.stem}", one.share)
    run.report.figure("reached_min", worst(one.share for one in found.values()), (">=", 0.995))
    run.report.figure("own_lost", sum(one.lost for one in found.values()))
    run.report.figure("own_lost_share_max", max(one.lost / max(one.own, 1) for one in found.values()), ("<=", 0.005))
    run.report.figure("invented", sum(one.invented for one in found.values()), ("<=", 0))
    run.report.figure("reached_twice", sum(one.twice for one in found.values()), ("<=", 0))
    run.report.figure("floor_missed", sum(one.floor_missed for one in found.values()))
    run.report.figure("floor_invented", sum(one.floor_invented for one in found.values()))


def anchors_part(run: Run) -> None:
    """Every anchor leads to rectangles under which its own words stand."""
    count = 20 if run.asked.quick else 500
    made = turned(run.folder / "turned.pdf", random.Random(run.asked.seed))
    asked = [(run.pdfs / one.row.name, one.row.password, reading) for one, reading in run.readings(are_all=False)]
    outcome = outcome_of(run.reader, made)
    assert isinstance(outcome, Reading), outcome
    drawer, answers = LeafDrawer(), dict[str, Answers]()
    try:
        for path, password, reading in (*asked, (made, None, outcome)):
            if not reading.document.end:
                continue
            answers[path.stem] = one = pdf_anchors(path, password, reading, drawer, count, run.asked.seed)
            print(f"  {path.stem}: {one.right} of {one.spans} anchors right, {one.back} of {one.sent} come back")
            run.tell(one.wrong)
            run.report.figure(f"anchors.{path.stem}", one.right / one.spans)
    finally:
        drawer.close()
    spans, sent = sum(one.spans for one in answers.values()), sum(one.sent for one in answers.values())
    run.report.figure("anchor_spans", spans)
    run.report.figure("anchors_right", sum(one.right for one in answers.values()) / spans, (">=", 0.995))
    run.report.figure("anchors_right_min", worst(one.right / one.spans for one in answers.values()), (">=", 0.995))
    run.report.figure("anchors_back", sum(one.back for one in answers.values()) / sent, (">=", 1.0))


def speed_part(run: Run) -> None:
    """Long documents beside bare PyMuPDF, the front process, the first leaf."""
    turns = 1 if run.asked.quick else 3
    rows = [row for row in pdf_rows_of(run.data) if (row.leaves or 0) > LONG and not row.must_fail]
    ratios = []
    for row in rows:
        if run.asked.quick and row.name != MANUAL:
            continue
        pace = pace_of(run.pdfs / row.name, row.password, turns)
        ratios.append(pace.ratio)
        print(f"  {row.name} ({row.leaves} leaves): {pace.read:.2f} s, bare {pace.bare:.2f} s: {pace.ratio:.2f} times")
        run.report.figure(f"ratio.{Path(row.name).stem}", pace.ratio)
    peak, shown = front_peak(run.pdfs / MANUAL), first_leaf(run.pdfs / MANUAL)
    print(f"  {MANUAL}: the front process took {peak:.0f} MB at most; its first leaf was drawn after {shown:.2f} s")
    run.report.figure("ratio_manual", run.report.figures[f"ratio.{Path(MANUAL).stem}"], ("<=", 2.5))
    run.report.figure("ratio_max", max(ratios), ("<=", 2.5))
    run.report.figure("front_peak_mb", peak, ("<=", 150))
    run.report.figure("first_leaf_s", shown, ("<=", 2.0))


def mutants_part(run: Run) -> None:
    """Whatever is done to a file, a document or a typed error comes of it, in time."""
    count = run.asked.mutants or (QUICK_MUTANTS if run.asked.quick else MUTANTS)
    first = run.asked.seed * 1_000_000
    tally = Tally()
    for told in fates_of(PdfNursery(run.data), run.folder, range(first, first + count)):
        tally.add(told)
        if not told.is_allowed or told.fate == "worker" or told.is_unclear or told.held > HELD_SECONDS:
            print(f"  {'unclear ' if told.is_unclear else ''}{told} held {told.held * 1000:.0f} ms", flush=True)
    print(f"  {dict(tally.counts)}; slowest: {tally.slowest}\n  largest: {tally.largest}")
    for cause, times in Counter(told.cause for told in tally.remarkable).most_common():
        print(f"  {times} × {cause}")
    run.report.figure("mutants", count)
    for fate in FATES:
        target = ("<=", 0.0) if fate in ("wrong", "hang", "front") else None
        run.report.figure(f"mutants_{fate}", tally.counts[fate], target)
    run.report.figure("mutants_unclear", len(tally.unclear), ("<=", 0))
    run.report.figure("mutants_slowest_s", tally.slowest.seconds if tally.slowest else 0.0, ("<=", LIMIT_SECONDS))
    run.report.figure("mutants_front_held_s", tally.held, ("<=", HELD_SECONDS))
    run.report.figure("mutants_reader_peak_mb", tally.largest.peak if tally.largest else 0.0)


def hostile_part(run: Run) -> None:
    """Files made to do harm hold nobody up."""
    makers = {name: make for name, make in HOSTILE.items() if not run.asked.quick or name in QUICK_HARM}
    found = []
    for name, make in makers.items():
        path = make(run.folder / f"{name}.pdf")
        found.append(harm_of(path))
        print(f"  {'ok   ' if found[-1].is_allowed else 'WRONG'} {str(found[-1])[:400]}", flush=True)
        path.unlink()
    if not run.asked.quick:
        path = large(run.folder / "large.pdf")
        found.append(harm_of(path, LARGE_SECONDS))
        shown = first_leaf(path)
        print(f"  {'ok   ' if found[-1].is_allowed else 'WRONG'} {found[-1]}; first leaf after {shown:.2f} s")
        run.report.figure("large_first_leaf_s", shown, ("<=", 2.0))
        run.report.figure("large_reader_peak_mb", found[-1].reader_peak, ("<=", 500))
        run.report.figure("large_front_peak_mb", found[-1].front_peak, ("<=", 150))
    run.report.figure("hostile_signs", len(list(run.folder.glob("*.sign"))), ("<=", 0))
    run.report.figure("hostile", len(found))
    run.report.figure("hostile_wrong", sum(not one.is_allowed for one in found), ("<=", 0))
    run.report.figure(
        "hostile_slowest_s", max(max(one.read_seconds, one.draw_seconds) for one in found[: len(makers)]), ("<=", 20)
    )
    run.report.figure("hostile_cancel_s", max(one.cancel for one in found), ("<=", 1.0))
    run.report.figure("hostile_front_held_s", max(one.held for one in found), ("<=", HELD_SECONDS))


PARTS: dict[str, Callable[[Run], None]] = {
    "expected": expected_part,
    "completeness": completeness_part,
    "order": order_part,
    "anchors": anchors_part,
    "speed": speed_part,
    "mutants": mutants_part,
    "hostile": hostile_part,
}


# -- the command -------------------------------------------------------------------------------------------------


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description="Completeness, order, anchors, speed and robustness of reading PDFs.")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--mutants", type=int, default=None)
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def main(asked: argparse.Namespace) -> int:
    """Measure, print, judge."""
    if not (asked.data / "README.md").exists():
        sys.stderr.write("This bench needs the folder of real documents.\n")
        return 2
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
    print(report.told("pdf", on))
    return 0 if report.is_met else 1


if __name__ == "__main__":
    sys.exit(main(arguments()))
