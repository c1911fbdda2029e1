"""The real books, what is expected of each, and what the document process makes of them.

The table of `README.md` in the folder of real documents says what is expected: "ok", "ok, almost no text" or "MUST FAIL
cleanly". Each file goes through the real DocumentReader once; all other parts of the bench look at what came out.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from readdesk.cancel import Cancelled, CancelToken
from readdesk.documents.model import Document, DocumentHead, Health, Layers, Paragraph, Section, sections_with
from readdesk.documents.open import DocumentReader, Part, ReadSoFar
from readdesk.errors import DocumentError, ReadDeskError, WorkerError

_ROW = re.compile(r"\| `documents/epub/([^`]+)` \|")
_EXPECTED_COLUMN = 6
_FEW_WORDS = 600
_SENTENCE = re.compile(r"[^\n\r]{8,300}[.?!”]")
_INNARDS = re.compile(r"Traceback|File \"|\w+(?:Error|Exception)\b|0x[0-9a-f]{6}|<class|lxml|ebooklib|zipfile")


@dataclass(frozen=True)
class Row:
    """A book of the README's table, and what is expected of it."""

    name: str
    expected: str

    @property
    def must_fail(self) -> bool:
        """Whether the file is meant not to open."""
        return "must fail" in self.expected.lower()

    @property
    def has_little_text(self) -> bool:
        """Whether nearly nothing is there to be read."""
        return "almost no text" in self.expected.lower()


def rows_of(data: Path) -> list[Row]:
    """The rows of the README's table of EPUBs."""
    found = []
    for line in (data / "README.md").read_text("utf-8").splitlines():
        match = _ROW.match(line)
        if match:
            found.append(Row(match[1], line.split(" | ")[_EXPECTED_COLUMN - 1].strip()))
    return found


@dataclass(frozen=True)
class Reading:
    """A whole document with what goes before and after it."""

    head: DocumentHead
    sections: tuple[Section, ...]
    paragraphs: tuple[Paragraph, ...]
    health: Health
    seconds: float = 0.0
    layers: Layers = field(default_factory=Layers)

    @cached_property
    def document(self) -> Document:
        """The document, its sections as they are left out by themselves."""
        sections = sections_with(self.sections, self.health)
        return Document(self.head.title, sections, self.paragraphs, self.head.language)

    @property
    def left_out_words(self) -> int:
        """Words of the sections that no model reads."""
        return sum(section.words for section in self.document.sections if section.is_left_out)


Outcome = Reading | BaseException
"""What became of a file."""


def collected(parts: Iterable[Part]) -> Reading:
    """Put a stream together; raises AssertionError or ValueError where it breaks its promises."""
    began = time.monotonic()
    head: DocumentHead | None = None
    health: Health | None = None
    sections: list[Section] = []
    paragraphs: list[Paragraph] = []
    layers = Layers()
    for part in parts:
        if isinstance(part, ReadSoFar):
            continue
        assert health is None, "something follows the health"
        if isinstance(part, DocumentHead):
            assert head is None and not sections, "the head does not come first"
            head = part
        elif isinstance(part, Section):
            assert part.index == len(sections), "a section is missing"
            sections.append(part)
        elif isinstance(part, Health):
            health = part
        elif isinstance(part, Layers):
            layers = _with(layers, part)
        else:
            assert all(found.section == len(sections) - 1 for found in part), "a paragraph of another section"
            paragraphs += part
    assert head is not None and health is not None, "the stream ends early"
    reading = Reading(head, tuple(sections), tuple(paragraphs), health, time.monotonic() - began, layers)
    assert reading.document.end == sum(len(paragraph.text) for paragraph in paragraphs)
    return reading


def _with(layers: Layers, more: Layers) -> Layers:
    return Layers(layers.leaves + more.leaves, layers.markups + more.markups, layers.attachments + more.attachments)


def outcome_of(
    reader: DocumentReader, path: Path, cancel: CancelToken | None = None, password: str | None = None
) -> Outcome:
    """The reading of a file, or whatever was raised instead."""
    try:
        return collected(reader.read(path, password, cancel=cancel))
    except (ReadDeskError, Cancelled) as error:
        return error
    except Exception as error:  # What must never happen is what is looked for.
        return error


def is_clean(outcome: Outcome) -> bool:
    """Whether a failure is typed, says one plain sentence, and is no crash of the process."""
    if not isinstance(outcome, DocumentError) or is_crash(outcome):
        return False
    return bool(_SENTENCE.fullmatch(outcome.message)) and not _INNARDS.search(f"{outcome.message} {outcome.hint}")


def is_crash(outcome: Outcome) -> bool:
    """Whether the process that reads has died or hung."""
    return isinstance(outcome, WorkerError) or isinstance(getattr(outcome, "__cause__", None), WorkerError)


@dataclass(frozen=True)
class Judged:
    """A book with what became of it, and whether that is what was expected."""

    row: Row
    outcome: Outcome
    is_right: bool

    @property
    def said(self) -> str:
        """What became of it, in words."""
        if isinstance(self.outcome, Reading):
            return f"{self.outcome.health.words:,} words"
        return f"{type(self.outcome).__name__}: {self.outcome}"


def judged(rows: Sequence[Row], data: Path, reader: DocumentReader) -> list[Judged]:
    """Read every book; after one that fails, a good one must open."""
    good = next(row for row in reversed(rows) if not row.must_fail and not row.has_little_text)
    found = []
    for row in rows:
        outcome = outcome_of(reader, data / "documents/epub" / row.name)
        is_right = as_expected(row, outcome)
        if not isinstance(outcome, Reading):
            is_right &= isinstance(outcome_of(reader, data / "documents/epub" / good.name), Reading)
        found.append(Judged(row, outcome, is_right))
    return found


def as_expected(row: Row, outcome: Outcome) -> bool:
    """Whether what became of a file is what the table says."""
    if row.must_fail:
        return is_clean(outcome)
    if row.has_little_text:
        return is_clean(outcome) or (isinstance(outcome, Reading) and outcome.health.words < _FEW_WORDS)
    return isinstance(outcome, Reading) and outcome.health.words > 0
