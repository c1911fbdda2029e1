"""From what an importer says to the messages that leave the document process.

Here paragraphs get their positions, sections their number, parent and start; long paragraphs are cut, short ones are
sent in batches. What must stay true: a section comes before its paragraphs, positions are consecutive, no message is
over a megabyte, and nothing is kept longer than one batch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from readdesk.documents.draft import POINTS, Draft, ReadSoFar, Start
from readdesk.documents.health import HealthCollector
from readdesk.documents.model import Mark, Paragraph, Piece, Section
from readdesk.documents.normal import one_line

LONGEST_PARAGRAPH = 20_000
"""Characters; a longer one is cut at the end of a sentence, else at a space."""

_BATCH_BYTES = 100_000
_BYTES_PER_PIECE = 120
_BYTES_PER_MARK = 120
_LONGEST_TITLE = 300
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*\s+|[。！？][」』”]*|\n")


def assemble(
    drafts: Iterable[Start | Draft | ReadSoFar], health: HealthCollector, title: str
) -> Iterator[Section | tuple[Paragraph, ...] | ReadSoFar]:
    """Sections and batches of paragraphs, in reading order; what comes before the first section gets one of its own."""
    numberer = _Numberer(health)
    for draft in drafts:
        if isinstance(draft, ReadSoFar):
            yield draft
            continue
        if isinstance(draft, Start):
            yield from numberer.flush()
            yield numberer.section(draft)
            continue
        if not numberer.has_section:
            yield numberer.section(Start(title))
        for part in cut(draft):
            if numberer.add(part):
                yield from numberer.flush()
    yield from numberer.flush()


class _Numberer:
    """Knows how far the document has come."""

    def __init__(self, health: HealthCollector) -> None:
        self._health = health
        self._position = 0
        self._section = -1
        self._open: list[tuple[int, int]] = []
        self._batch: list[Paragraph] = []
        self._bytes = 0

    @property
    def has_section(self) -> bool:
        return self._section >= 0

    def section(self, start: Start) -> Section:
        """Number a section; its parent is the nearest one before it with a smaller level."""
        self._section += 1
        while self._open and self._open[-1][0] >= start.level:
            self._open.pop()
        parent = self._open[-1][1] if self._open else -1
        self._open.append((start.level, self._section))
        title = one_line(start.title)[:_LONGEST_TITLE] or "Untitled"
        self._health.section(replace(start, title=title), parent)
        return Section(self._section, title, len(self._open), parent, self._position, start.label)

    def add(self, draft: Draft) -> bool:
        """Give a paragraph its position; return whether it is time to flush."""
        paragraph = Paragraph(
            self._section, self._position, draft.text, draft.pieces, draft.kind, draft.level, draft.marks
        )
        self._position = paragraph.end
        self._health.paragraph(paragraph)
        self._batch.append(paragraph)
        self._bytes += 2 * len(draft.text) + _BYTES_PER_PIECE * len(draft.pieces)
        if draft.marks:
            self._bytes += sum(_BYTES_PER_MARK + len(mark.value) for mark in draft.marks)
        return self._bytes >= _BATCH_BYTES

    def flush(self) -> Iterator[tuple[Paragraph, ...]]:
        if self._batch:
            yield tuple(self._batch)
        self._batch, self._bytes = [], 0


def cut(draft: Draft) -> Iterator[Draft]:
    """The paragraph, in parts where it is too long for one; white space at a cut is dropped."""
    while len(draft.text) > LONGEST_PARAGRAPH:
        place = _place_to_cut(draft.text)
        end = len(draft.text[:place].rstrip())
        rest = len(draft.text) - len(draft.text[place:].lstrip())
        before = tuple(mark for mark in draft.marks if mark.start < place)
        after = tuple(mark for mark in draft.marks if mark.start >= place or mark.kind not in POINTS)
        yield _part(draft, 0, end, before)
        draft = _part(draft, rest, len(draft.text), after)
    yield draft


def _place_to_cut(text: str) -> int:
    head = text[:LONGEST_PARAGRAPH]
    ends = [match.end() for match in _SENTENCE_END.finditer(head, LONGEST_PARAGRAPH // 2)]
    if ends:
        return ends[-1]
    space = head.rfind(" ", LONGEST_PARAGRAPH // 2)
    return space if space > 0 else LONGEST_PARAGRAPH


def _part(draft: Draft, start: int, end: int, marks: Sequence[Mark]) -> Draft:
    pieces = tuple(
        Piece(max(piece.start, start) - start, min(piece.end, end) - start, piece.cut(start, end))
        for piece in draft.pieces
        if piece.start < end and piece.end > start
    )
    return replace(draft, text=draft.text[start:end], pieces=pieces, marks=_marks_in(marks, start, end))


def _marks_in(marks: Sequence[Mark], start: int, end: int) -> tuple[Mark, ...]:
    """Marks of a part; a picture that stands in white space at a cut goes to the part's edge."""
    found = []
    for mark in marks:
        if mark.kind in POINTS:
            place = min(max(mark.start, start), end) - start
            found.append(Mark(place, place, mark.kind, mark.value))
        elif mark.start < end and mark.end > start:
            found.append(mark.cut(start, end))
    return tuple(found)
