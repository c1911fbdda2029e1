"""How a plain text is divided into sections: by its chapters, by a person's pattern, or into parts.

What must stay true: blocks are only ever cut between two lines, so no character is lost or doubled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from readdesk.documents.model import NO_CHAPTERS, Structure
from readdesk.documents.normal import count_words, one_line
from readdesk.documents.parts import FEWEST_WORDS_FOR_PARTS
from readdesk.documents.text.chapters import Candidate, running_on
from readdesk.documents.text.headings import Heading, candidate_of, headings_of
from readdesk.documents.text.lines import Block
from readdesk.documents.text.numbering import RANK_OF_NUMBER, Numbered, numbered
from readdesk.documents.text.pattern import matched

_LONGEST_TITLE = 120
_FEWEST_LISTED = 3


@dataclass(frozen=True)
class Divided:
    """Blocks, the headings of sections by the number of the block, and what these were made from."""

    blocks: Sequence[Block]
    headings: Mapping[int, Heading]
    structure: Structure


def divided_of(blocks: Sequence[Block], title: str, chapters: str) -> Divided:
    """The blocks, cut where chapters begin; `chapters` is a person's choice. Raises DocumentError for a bad pattern."""
    if chapters == NO_CHAPTERS:
        return Divided(blocks, {}, "")
    if chapters:
        return _by_pattern(blocks, chapters)
    blocks = _cut_at_headings(blocks)
    headings = headings_of([[line.text for line in block] for block in blocks], title)
    if headings:
        return Divided(blocks, headings, "headings")
    words = sum(count_words(line.text) for block in blocks for line in block)
    return Divided(blocks, {}, "parts" if words >= FEWEST_WORDS_FOR_PARTS else "")


def _by_pattern(blocks: Sequence[Block], pattern: str) -> Divided:
    """Chapters that begin with the lines of a person's pattern."""
    are_first = matched(pattern, (line.text.strip() for block in blocks for line in block))
    places = {(number, at) for number, block in enumerate(blocks) for at in range(len(block)) if next(are_first)}
    cut, begun = _cut(blocks, places)
    headings = {number: Heading(one_line(cut[number][0].text)[:_LONGEST_TITLE]) for number in begun}
    return Divided(cut, headings, "headings" if headings else "")


def _cut_at_headings(blocks: Sequence[Block]) -> Sequence[Block]:
    """The blocks, with headings cut off that no blank line parts from their text, where their numbers run on."""
    within = {(number, at): found for number, block in enumerate(blocks) for at, found in _within(block)}
    if not within:
        return blocks
    places = dict(within)
    for number, block in enumerate(blocks):
        if (found := candidate_of([line.text for line in block])) is not None and found.rank:
            places[number, 0] = found
    by_rank: defaultdict[int, list[Candidate]] = defaultdict(list)
    order = sorted(places)
    for index, place in enumerate(order):
        found = places[place]
        by_rank[found.rank].append(Candidate(index, found.number, found.is_sure and place not in within))
    kept = {order[candidate.place] for rank in by_rank for candidate in running_on(by_rank[rank])}
    return _cut(blocks, kept & set(within))[0]


def _within(block: Block) -> Iterator[tuple[int, Numbered]]:
    """The lines of a block that name a chapter; those of a list do not."""
    if len(block) == 1 or candidate_of([line.text for line in block]) is not None:
        return
    found = {at: named for at, line in enumerate(block) if (named := numbered(line.text.strip())) is not None}
    for at, named in found.items():
        beside = sum(other in found for other in range(at - _FEWEST_LISTED + 1, at + _FEWEST_LISTED))
        if named.is_sure and named.number is not None and named.rank < RANK_OF_NUMBER and beside < _FEWEST_LISTED:
            yield at, named


def _cut(blocks: Sequence[Block], places: set[tuple[int, int]]) -> tuple[list[Block], list[int]]:
    """The blocks with some lines (number of the block, of the line in it) cut off, and the numbers of those."""
    cut: list[Block] = []
    begun: list[int] = []
    for number, block in enumerate(blocks):
        start = 0
        for at in range(len(block)):
            if (number, at) in places:
                cut += [block[start:at]] if at > start else []
                begun.append(len(cut))
                cut.append(block[at : at + 1])
                start = at + 1
        cut += [block[start:]] if start < len(block) else []
    return cut, begun
