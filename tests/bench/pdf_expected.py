"""The real PDFs, what is expected of each, and what the document process makes of them.

The table of `README.md` in the folder of real documents says what is expected ("ok", "needs password", "ok, no text",
"ok, almost no text", "MUST FAIL cleanly"), which password opens a file, and how many leaves it has. Each file goes
through the real DocumentReader once; all other parts of the bench look at what came out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from readdesk.documents.open import DocumentReader
from readdesk.errors import PasswordNeeded
from tests.bench.books import Outcome, Reading, is_clean, is_crash, outcome_of

_ROW = re.compile(r"\| `documents/pdf/([^`]+)` \|")
_TRAIT, _EXPECTED, _MEASURED = 4, 5, 6
_PASSWORD = re.compile(r"user password \"([^\"]+)\"")
_LEAVES = re.compile(r"(\d+) pages")
_FEW_WORDS = 40
_WRONG_PASSWORD = "not the password"
_GOOD = "outline-latex.pdf"
_HANG_SECONDS = 20.0


@dataclass(frozen=True)
class PdfRow:
    """A PDF of the README's table; `leaves` is None where the file holds none that can be read."""

    name: str
    expected: str
    password: str | None = None
    leaves: int | None = None

    @property
    def must_fail(self) -> bool:
        """Whether the file is meant not to open."""
        return "must fail" in self.expected.lower()

    @property
    def needs_password(self) -> bool:
        """Whether it must be asked for a password."""
        return "needs password" in self.expected.lower()

    @property
    def has_no_text(self) -> bool:
        """Whether nothing but pictures is there."""
        return re.search(r"\bok, no text\b", self.expected.lower()) is not None

    @property
    def has_little_text(self) -> bool:
        """Whether nearly nothing, or nothing with a meaning, is there to be read."""
        return any(words in self.expected.lower() for words in ("almost no text", "next to no text", "garbage"))


def pdf_rows_of(data: Path) -> list[PdfRow]:
    """The rows of the README's table of PDFs."""
    found = []
    for line in (data / "README.md").read_text("utf-8").splitlines():
        match = _ROW.match(line)
        if match:
            cells = line.split(" | ")
            expected, password, leaves = cells[_EXPECTED], _PASSWORD.search(cells[_TRAIT]), None
            counted = _LEAVES.search(cells[_MEASURED])
            if counted and int(counted[1]):
                leaves = int(counted[1])
            needs = "needs password" in expected.lower()
            found.append(PdfRow(match[1], expected.strip(), password[1] if password and needs else None, leaves))
    return found


@dataclass(frozen=True)
class JudgedPdf:
    """A PDF with what became of it, and what is wrong with that."""

    row: PdfRow
    outcome: Outcome
    faults: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """Whether it did what was expected."""
        return not self.faults

    @property
    def said(self) -> str:
        """What became of it, in words."""
        if isinstance(self.outcome, Reading):
            kinds = ", ".join(f"{count} {kind}" for kind, count in kinds_of(self.outcome).items())
            return f"{self.outcome.health.words:,} words, {self.outcome.head.leaves} leaves ({kinds})"
        return f"{type(self.outcome).__name__}: {self.outcome}"


def kinds_of(reading: Reading) -> dict[str, int]:
    """How many leaves are of which kind."""
    kinds = [leaf.kind for leaf in reading.layers.leaves]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def judged_pdfs(rows: Sequence[PdfRow], data: Path, reader: DocumentReader) -> list[JudgedPdf]:
    """Read every PDF; after one that fails, a good one must open."""
    return [_judged(row, data / "documents" / "pdf", reader) for row in rows]


def _judged(row: PdfRow, folder: Path, reader: DocumentReader) -> JudgedPdf:
    faults: list[str] = []
    path = folder / row.name
    outcome = outcome_of(reader, path, password=row.password)
    if row.needs_password:
        faults += password_faults(outcome_of(reader, path), outcome_of(reader, path, password=_WRONG_PASSWORD))
    faults += outcome_faults(row, outcome)
    if not isinstance(outcome, Reading) and not isinstance(outcome_of(reader, folder / _GOOD), Reading):
        faults.append("a good file does not open after it")
    return JudgedPdf(row, outcome, tuple(faults))


def password_faults(without: Outcome, wrong: Outcome) -> list[str]:
    """What is wrong where a password is missing or wrong: it must be asked for, each time with a sentence."""
    return [
        f"{told} is not asked for: {outcome!r}"[:200]
        for told, outcome in (("a missing password", without), ("another password", wrong))
        if not (isinstance(outcome, PasswordNeeded) and is_clean(outcome))
    ]


def outcome_faults(row: PdfRow, outcome: Outcome) -> list[str]:
    """What is not as the table says."""
    if row.must_fail:
        return [] if is_clean(outcome) else [f"fails without one clear sentence: {outcome!r}"[:300]]
    if not isinstance(outcome, Reading):
        return ["the process died or hung" if is_crash(outcome) else "does not open"]
    found = []
    if row.leaves is not None and not outcome.head.leaves == len(outcome.layers.leaves) == row.leaves:
        found.append(f"{outcome.head.leaves} leaves, {len(outcome.layers.leaves)} told of, not {row.leaves}")
    if outcome.seconds > _HANG_SECONDS:
        found.append(f"took {outcome.seconds:.0f} s")
    words = outcome.health.words
    if row.has_no_text:
        unflagged = [leaf.index for leaf in outcome.layers.leaves if leaf.kind != "scan"]
        found += [f"{words} words of a scan"] * bool(words) + [f"not flagged as scans: {unflagged}"] * bool(unflagged)
    elif row.has_little_text:
        found += [f"{words} words where there are next to none"] * (words > _FEW_WORDS)
    elif not words:
        found.append("no words")
    return found
