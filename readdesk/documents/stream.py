"""From what an importer says to the messages that leave the document process.

Here paragraphs get their positions, sections their number, parent and start; long paragraphs are cut, short ones are
sent in batches. What must stay true: a section comes before its paragraphs, positions are consecutive, no message is
over a megabyte, and nothing is kept longer than one batch.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from readdesk.documents.draft import POINTS, Draft, ReadSoFar, Start
from readdesk.documents.health import HealthCollector
from readdesk.documents.model import Layers, Mark, Paragraph, Piece, Section
from readdesk.documents.normal import one_line

LONGEST_PARAGRAPH = 20_000
"""Characters; a longer one is cut at the end of a sentence, else at a space."""

_BATCH_BYTES = 100_000
_BYTES_PER_PIECE = 120
_BYTES_PER_MARK = 120
_LONGEST_TITLE = 300
_NOT_WHITE = re.compile(r"\S|\Z")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*\s+|[。！？][」』”]*|\n")


def assemble(
    drafts: Iterable[Start | Draft | Layers | ReadSoFar], health: HealthCollector, title: str
) -> Iterator[Section | tuple[Paragraph, ...] | Layers | ReadSoFar]:
    """Sections and batches of paragraphs, in reading order; what comes before the first section gets one of its own."""
    numberer = _Numberer(health)
    for draft in drafts:
        if isinstance(draft, ReadSoFar | Layers):
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
    if not numberer.has_section:  # A scan: its leaves can be looked at, and its text recognised.
        yield numberer.section(Start(title))


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
    """The paragraph, in parts where it is too long for one; white space at a cut is dropped.

    Goes once over text, pieces and marks, since a hostile file can have a hundred thousand of each in one paragraph.
    """
    if len(draft.text) <= LONGEST_PARAGRAPH:
        yield draft
        return
    text, pieces, marks = draft.text, deque(draft.pieces), deque(draft.marks)
    start, open_marks = 0, list[Mark]()
    while len(text) - start > LONGEST_PARAGRAPH:
        place = start + _place_to_cut(text[start : start + LONGEST_PARAGRAPH])
        end = start + len(text[start:place].rstrip())
        while marks and marks[0].start < place:
            open_marks.append(marks.popleft())
        yield _part(draft, start, end, _taken(pieces, end), open_marks)
        open_marks = [mark for mark in open_marks if mark.kind not in POINTS and mark.end > place]
        start = _NOT_WHITE.search(text, place).start()  # type: ignore[union-attr]  # no paragraph ends with white space
    yield _part(draft, start, len(text), pieces, [*open_marks, *marks])


def _taken(pieces: deque[Piece], end: int) -> list[Piece]:
    """The pieces that begin before a place, taken away, but for one that goes on behind it."""
    taken = []
    while pieces and pieces[0].start < end:
        taken.append(pieces.popleft())
    if taken and taken[-1].end > end:
        pieces.appendleft(taken[-1])
    return taken


def _place_to_cut(head: str) -> int:
    ends = [match.end() for match in _SENTENCE_END.finditer(head, LONGEST_PARAGRAPH // 2)]
    if ends:
        return ends[-1]
    space = head.rfind(" ", LONGEST_PARAGRAPH // 2)
    return space if space > 0 else LONGEST_PARAGRAPH


def _part(draft: Draft, start: int, end: int, pieces: Iterable[Piece], marks: Iterable[Mark]) -> Draft:
    cut_pieces = tuple(
        Piece(max(piece.start, start) - start, min(piece.end, end) - start, piece.cut(start, end))
        for piece in pieces
        if piece.start < end and piece.end > start
    )
    return replace(draft, text=draft.text[start:end], pieces=cut_pieces, marks=_marks_in(marks, start, end))


def _marks_in(marks: Iterable[Mark], start: int, end: int) -> tuple[Mark, ...]:
    """Marks of a part; a picture that stands in white space at a cut goes to the part's edge."""
    found = []
    for mark in marks:
        if mark.kind in POINTS:
            place = min(max(mark.start, start), end) - start
            found.append(Mark(place, place, mark.kind, mark.value))
        elif mark.start < end and mark.end > start:
            found.append(mark.cut(start, end))
    return tuple(found)
