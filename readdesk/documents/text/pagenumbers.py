"""Page numbers that stand alone on their lines, in a text that was taken from a PDF or from scanned pages.

Chapters are numbered so too. But a chapter begins where a sentence has ended, a page wherever the one before was full.
So numbers that run on are those of pages where the text often breaks off before them. They are taken out of the running
text, and the paragraph that they part is put together; each becomes a page mark where its page begins. That is after
the number where numbers stand above their pages, and after the number before where they stand below.

What must stay true: a line that is taken out is, character for character, the page of a line that is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from readdesk.documents.text.chapters import Candidate, running_on
from readdesk.documents.text.headings import candidate_of
from readdesk.documents.text.lines import SENTENCE_END, Block, Line

_FEWEST = 3
_FEWEST_BROKEN = 1 / 3
_SHORTEST_PAGE = 600
_LONGEST_NUMBER = 4
_WIDEST_GAP = 5
_FULL = 0.75
_FULL_ANYWHERE = 40
_LONG_PAGE = 1.5


def without_page_numbers(blocks: Sequence[Block], width: int) -> Sequence[Block]:
    """The blocks, with page numbers made pages of lines; `width` is the length of a full line."""
    candidates = [line for block in blocks for line in block if _is_number(line)]
    if len(candidates) < _FEWEST:
        return blocks
    lines = [line for block in blocks for line in block]
    full = min(_FULL * width, _FULL_ANYWHERE)
    numbers = _page_numbers(lines, full)
    pages = _begun(lines, numbers) if numbers else {}
    taken = {number for begun in pages.values() for number in begun}
    return _joined(blocks, pages, taken, full) if taken else blocks


def _is_number(line: Line) -> bool:
    text = line.text.strip()
    return len(text) <= _LONGEST_NUMBER and text.isdecimal()


def _page_numbers(lines: Sequence[Line], full: float) -> list[int]:
    """Which lines are page numbers: a chain whose members lie a page apart, with text that breaks off before many."""
    found = [Candidate(at, int(line.text), True) for at, line in enumerate(lines) if _is_number(line)]
    chain = running_on(found)
    near = {
        one.place
        for pair in pairwise(chain)
        if 0 <= (pair[1].number or 0) - (pair[0].number or 0) <= _WIDEST_GAP
        for one in pair
    }
    numbers = sorted(near)
    if len(numbers) < _FEWEST:
        return []
    broken = sum(
        0 < at < len(lines) - 1 and not _is_number(lines[at - 1]) and _breaks_off(lines[at - 1], lines[at + 1], full)
        for at in numbers
    )
    apart = median(lines[after].start - lines[before].start for before, after in pairwise(numbers))
    return numbers if broken > _FEWEST_BROKEN * len(numbers) and apart >= _SHORTEST_PAGE else []


def _breaks_off(before: Line, after: Line, full: float) -> bool:
    """Whether a sentence goes on from one line to another that a number stands between."""
    text = before.text.rstrip()
    return not text.endswith(SENTENCE_END) and (len(text) >= full or after.text.lstrip()[:1].islower())


def _begun(lines: Sequence[Line], numbers: Sequence[int]) -> dict[int, list[int]]:
    """Which page numbers belong to which line, with which their page begins, both as indices of lines."""
    are_below = numbers[0] > len(lines) - 1 - numbers[-1]
    apart = round(median(after - before for before, after in pairwise(numbers)))
    are_numbers = set(numbers)
    begun: dict[int, list[int]] = {}
    for before, at in pairwise((-1, *numbers)):
        first = at + 1
        if are_below:
            first = before + 1 if at - before <= _LONG_PAGE * apart else at - apart
        while first in are_numbers:
            first += 1
        if first < len(lines):
            begun.setdefault(first, []).append(at)
    return begun


def _joined(blocks: Sequence[Block], pages: dict[int, list[int]], taken: set[int], full: float) -> list[Block]:
    """The blocks without the lines that are taken out; what only these have parted is one block."""
    lines = [line for block in blocks for line in block]
    joined: list[Block] = []
    current: list[Line] = []
    at = -1
    is_parted = False
    for block in blocks:
        is_blank = True
        for line in block:
            at += 1
            if at in taken:
                is_parted = True
                continue
            if is_parted:
                is_blank = not _goes_on(current, line, full)
            if current and is_blank:
                joined.append(current)
                current = []
            values = tuple(lines[number].text.strip() for number in pages.get(at, ()))
            current.append(replace(line, pages=values) if values else line)
            is_blank = is_parted = False
    return [*joined, current] if current else joined


def _goes_on(block: Block, line: Line, full: float) -> bool:
    """Whether a paragraph goes on with a line, and neither is a heading."""
    if not block or not _breaks_off(block[-1], line, full) or candidate_of([line.text]) is not None:
        return False
    return candidate_of([one.text for one in block]) is None
