"""Lists of contents in a plain text: where they stand, so that nobody takes them for chapters or for the book.

A list is known by its headings having no text between them and coming again later, or by the name above it and its
entries coming again. What must stay true: text that is not an entry never counts as part of a list, so nothing of the
book itself is taken for front matter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from readdesk.documents.normal import normal
from readdesk.documents.text.names import is_contents
from readdesk.documents.text.numbering import RANK_OF_NUMBER, Numbered, numbered

FEWEST = 3
"""Headings without text between them that are a list."""

_MOST_ENTRIES_UNKNOWN = 0.4
_LONGEST_ENTRY = 90
_LONGEST_LIST = 0.2
_PAGE = re.compile(r"[\s.·…_-]*(?:\d{1,4}|[ivxlc]{1,7})?\s*$")
_PREFIX = re.compile(r"(?:[ivxlcdm]+|\d{1,3})[.)]?\s+", re.IGNORECASE)

Blocks = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Lists:
    """The blocks that are entries, and each list as its first block, the block after it, and whether it is named."""

    entries: frozenset[int]
    spans: tuple[tuple[int, int, bool], ...]


def lists_of(candidates: Mapping[int, Numbered], blocks: Blocks) -> Lists:
    """The lists of contents among the blocks of a text, by what each block is numbered as."""
    entries: set[int] = set()
    numbers = _Numbers(candidates)
    for run in runs_of(sorted(candidates)):
        entries |= _entries_of(run, candidates, numbers)
    named = [number for number, found in candidates.items() if found.rank == 0 and is_contents(blocks[number][0])]
    spans = []
    known = _Known(blocks) if named or entries else None
    end = 0
    for name in named:
        if name < end:
            continue  # A line of the list before that is called so too.
        end = name + 1
        while known and end < len(blocks) and _goes_on(end, candidates, entries, known, numbers, blocks):
            end += 1
        if end - name > FEWEST or any(len(block) >= FEWEST for block in blocks[name + 1 : end]):
            spans.append((name, end, True))
    covered = {number for start, end, _ in spans for number in range(start, end)}
    for run in runs_of(sorted(entries - covered)):
        if any(candidates[number].rank < RANK_OF_NUMBER for number in run) and len(run) >= FEWEST:
            spans.append((run[0], run[-1] + 1, False))
    return Lists(
        frozenset(entries | {number for start, end, _ in spans for number in range(start + 1, end)}),
        tuple(_small(spans, blocks)),
    )


class _Numbers:
    """How often each number of each rank stands in a text, and where for the last time."""

    def __init__(self, candidates: Mapping[int, Numbered]) -> None:
        keys = {number: (found.rank, found.number) for number, found in sorted(candidates.items())}
        self._last = {key: number for number, key in keys.items()}
        self._times = Counter(keys.values())
        self.end = max(candidates, default=0)

    def comes_after(self, found: Numbered, number: int) -> bool:
        """Whether the same number stands anywhere after a block."""
        return self._last[found.rank, found.number] > number

    def come_outside(self, listed: Sequence[Numbered]) -> bool:
        """Whether any of these numbers also stands elsewhere."""
        times = Counter((found.rank, found.number) for found in listed)
        return any(self._times[key] > count for key, count in times.items())


def _goes_on(
    number: int,
    candidates: Mapping[int, Numbered],
    entries: set[int],
    known: _Known,
    numbers: _Numbers,
    blocks: Blocks,
) -> bool:
    """Whether a named list goes on with a block; a numbered one is an entry only where its number comes again."""
    found = candidates.get(number)
    if number in entries:
        return True
    if found is None or not found.rank:
        return found is None and known.is_list(blocks[number])
    return numbers.comes_after(found, number)


def runs_of(numbers: Sequence[int]) -> Iterator[list[int]]:
    """Runs of numbers that follow one another."""
    run: list[int] = []
    for number in numbers:
        if run and number != run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _entries_of(run: Sequence[int], candidates: Mapping[int, Numbered], numbers: _Numbers) -> set[int]:
    """The entries of a list among headings without text between them; the headings of the first chapter may follow."""
    split = len(run) - 1
    while split > 0 and 0 < candidates[run[split - 1]].rank < candidates[run[split]].rank:
        split -= 1
    before = [candidates[number] for number in run[:split]]
    ranks = [found.rank for found in before]
    most = max((rank for rank in set(ranks) if rank), key=ranks.count, default=0)
    first = candidates[run[split]]
    is_begun_again = any((found.rank, found.number) == (first.rank, first.number) for found in before)
    if not is_begun_again and not 0 < first.rank < most:
        split = len(run)
        ranks = [candidates[number].rank for number in run]
        most = max((rank for rank in set(ranks) if rank), key=ranks.count, default=0)
    if not most or ranks.count(most) < FEWEST:
        return set()
    comes_again = numbers.come_outside([candidates[number] for number in run[:split]])
    if most < RANK_OF_NUMBER and not comes_again and run[-1] < numbers.end:
        return set()
    first_entry = next((at for at, number in enumerate(run) if candidates[number].rank), 0)
    return set(run[first_entry:split])


def _small(spans: Sequence[tuple[int, int, bool]], blocks: Blocks) -> Iterator[tuple[int, int, bool]]:
    """The lists that are small beside the whole: else there is no book for them to list."""
    total = sum(len(line) for block in blocks for line in block)
    for span in spans:
        if sum(len(line) for block in blocks[span[0] : span[1]] for line in block) <= _LONGEST_LIST * total:
            yield span


class _Known:
    """Knows the short lines of a text, to tell whether an entry comes again."""

    def __init__(self, blocks: Blocks) -> None:
        self._times: dict[str, int] = {}
        for block in blocks:
            for line in {*block, " ".join(block)} if len(block) <= 2 else block:
                if len(line) <= _LONGEST_ENTRY:
                    for key in {_key(line), _key(_PREFIX.sub("", line.strip(), count=1))}:
                        self._times[key] = self._times.get(key, 0) + 1

    def is_list(self, block: Sequence[str]) -> bool:
        """Whether most lines of a block are numbered, lead to a page, or come again."""
        unknown = sum(not self._is_entry(line.strip()) for line in block)
        return unknown <= _MOST_ENTRIES_UNKNOWN * len(block)

    def _is_entry(self, line: str) -> bool:
        if len(line) > _LONGEST_ENTRY:
            return False
        if re.search(r"[.·…\s]{2,}\d{1,4}$", line) or numbered(line):
            return True
        return any(self._times.get(_key(text), 0) > 1 for text in (line, _PREFIX.sub("", line, count=1)))


def _key(line: str) -> str:
    return "".join(character for character in normal(_PAGE.sub("", line)) if character.isalnum())
