"""Which blocks of a plain text are headings.

A heading stands alone, is short, and is numbered in a way that books number ("CHAPTER I", "第十二章", "IV.") or is a
name that books give their parts ("PREFACE"). Which of the numbered ones count is decided by whether their numbers run
on. Where nothing is numbered, short lines in capitals serve. A list of contents (headings without text between them) is
a section of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from readdesk.documents.model import Matter
from readdesk.documents.normal import count_words, normal, one_line
from readdesk.documents.text import listed
from readdesk.documents.text.chapters import Candidate, running_on
from readdesk.documents.text.names import is_name
from readdesk.documents.text.numbering import LONGEST_HEADING, RANK_OF_CHAPTER, RANK_OF_NUMBER, Numbered, numbered

_LONGEST_SUBTITLE = 70
_LONGEST_UNSPACED_SUBTITLE = 25
_FEWEST_SUBTITLED = 0.6
_FEW = 4
_STAGE = re.compile(r"scene|enter\b", re.IGNORECASE)
_RANK_OF_CAPITALS = 8
_FEWEST_CAPITALS = 3
_MOST_TIMES = 2
_FEWEST_WORDS = 300
_DECORATION = "_*= \u3000\t"
_SENTENCE_SIGNS = tuple('.,!?"”。，！？…：:」』、；;）)')
_IS_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

Blocks = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Heading:
    """A section that begins with a block; without a title, the block is a second line of the heading before it.

    Where `is_line` is false, the block is no heading itself, but the first of the section.
    """

    title: str
    level: int = 1
    matter: Matter = ""
    is_line: bool = True


def headings_of(blocks: Blocks, title: str = "") -> Mapping[int, Heading]:
    """The headings among the blocks of a text, by the number of the block; `title` is the text's own."""
    all_candidates = ((number, candidate_of(block)) for number, block in enumerate(blocks))
    candidates = {number: candidate for number, candidate in all_candidates if candidate is not None}
    contents = listed.lists_of(candidates, blocks)
    outside = {number: one for number, one in candidates.items() if number not in contents.entries}
    ranks = _accepted(outside)
    if sum(1 for rank in ranks.values() if rank) < _FEW:
        ranks = _capitals(blocks, contents.entries, title) | ranks
    found = _titled(ranks, blocks, candidates)
    for start, end, is_named in contents.spans:
        name = one_line(" ".join(blocks[start])).strip(_DECORATION) if is_named else "Contents"
        found[start] = Heading(name, 1, "contents", is_line=is_named)
        if end < len(blocks) and end not in found:
            found[end] = Heading(title or "Text", is_line=False)
    return found


def rank_of(block: Sequence[str]) -> int | None:
    """How high a heading stands (1 is the highest, 0 beside the numbered ones), or None for what is no heading."""
    found = candidate_of(block)
    return found.rank if found and found.is_sure else None


def candidate_of(block: Sequence[str]) -> Numbered | None:
    """What a block is numbered as; names without a number have rank 0."""
    if len(block) > 2:
        return None
    line = block[0] if len(block) == 1 else one_line(" ".join(block))
    line = line.strip(_DECORATION)
    if not line or len(line) > LONGEST_HEADING:
        return None
    found = numbered(line)
    if found is None:
        return Numbered(0, None, "", True) if is_name(line) else None
    return None if found.rank == RANK_OF_NUMBER and len(block) > 1 else found


def _accepted(candidates: Mapping[int, Numbered]) -> dict[int, int]:
    """The ranks of the candidates that are headings, rank by rank."""
    ranks = {number: 0 for number, found in candidates.items() if found.rank == 0}
    for rank in {found.rank for found in candidates.values()} - {0}:
        of_rank = [
            Candidate(number, found.number, found.is_sure)
            for number, found in sorted(candidates.items())
            if found.rank == rank
        ]
        ranks |= {candidate.place: rank for candidate in running_on(of_rank)}
    return ranks


def _titled(ranks: Mapping[int, int], blocks: Blocks, candidates: Mapping[int, Numbered]) -> dict[int, Heading]:
    """Headings with their levels and titles; a title on the next line is joined to its number."""
    levels = {rank: level for level, rank in enumerate(sorted({rank for rank in ranks.values() if rank}), start=1)}
    bare = [number for number, found in candidates.items() if ranks.get(number) == RANK_OF_CHAPTER and not found.rest]
    followed = [number for number in bare if number + 1 not in ranks and _is_unspaced_subtitle(blocks, number + 1)]
    are_subtitled = bool(bare) and len(followed) >= _FEWEST_SUBTITLED * len(bare)
    found: dict[int, Heading] = {}
    for number, rank in sorted(ranks.items()):
        if number in found:
            continue
        title = one_line(" ".join(blocks[number])).strip(_DECORATION)
        after = number + 1
        is_speaker = rank == _RANK_OF_CAPITALS and after < len(blocks) and " ".join(blocks[after]).isupper()
        if rank and after not in ranks and after + 1 < len(blocks) and not is_speaker:
            is_below = number in followed if are_subtitled else _is_subtitle(title, blocks[after], blocks[after + 1])
            if is_below:
                title = f"{title.rstrip('.:')}: {one_line(' '.join(blocks[after])).strip(_DECORATION)}"
                found[after] = Heading("")
        found[number] = Heading(title, levels.get(rank, 1))
    return found


def _is_subtitle(title: str, block: Sequence[str], following: Sequence[str]) -> bool:
    """Whether a block is the title that stands under "CHAPTER I": one short line, no sentence, with text after it."""
    line = one_line(" ".join(block))
    if len(block) > 2 or len(line) > _LONGEST_SUBTITLE or len(title.split()) > 3 or len(" ".join(following)) < 80:
        return False
    if _STAGE.match(line):
        return False
    words = [word for word in line.split() if len(word) > 4 and word[0].isalpha()]
    looks_titled = bool(words) and all(word[0].isupper() for word in words)
    return line.isupper() or (looks_titled and not line.endswith((".", ",", "!", "?", '"', "”")))


def _is_unspaced_subtitle(blocks: Blocks, number: int) -> bool:
    """The same for a script without capitals: a short line without a sentence's signs."""
    if number + 1 >= len(blocks) or len(blocks[number]) > 1:
        return False
    line = blocks[number][0].strip(_DECORATION)
    is_short = len(line) <= _LONGEST_UNSPACED_SUBTITLE
    return is_short and _IS_UNSPACED.search(line) is not None and not line.endswith(_SENTENCE_SIGNS)


def _capitals(blocks: Blocks, listed_entries: frozenset[int], title: str) -> dict[int, int]:
    """Short lines in capitals: the text's own title, and those that divide it into several parts of some pages."""
    found = {
        number: " ".join(block[0].split())
        for number, block in enumerate(blocks)
        if len(block) == 1 and block[0].isupper() and 4 <= len(block[0].strip()) <= 60 and not _ends_speech(block[0])
    }
    times = Counter(found.values())
    titles = {number for number, line in found.items() if times[line] <= _MOST_TIMES} - listed_entries
    are_speakers = len(found) > 2 * len(titles)
    kept = _without_runs(sorted(titles))
    several = len({found[number] for number in titles}) >= _FEWEST_CAPITALS
    if are_speakers or not several or _median_of_words(kept, blocks) < _FEWEST_WORDS:
        kept = [number for number in kept if normal(title).startswith(normal(found[number]).strip(_DECORATION))]
    return dict.fromkeys(kept, _RANK_OF_CAPITALS)


def _median_of_words(numbers: Sequence[int], blocks: Blocks) -> int:
    """How many words stand after each of some blocks, up to the next of them; those without any do not count."""
    ends = [*numbers[1:], len(blocks)] if numbers else []
    texts = (blocks[start + 1 : end] for start, end in zip(numbers, ends, strict=True))
    words = sorted(sum(count_words(line) for block in text for line in block) for text in texts if text)
    return words[len(words) // 2] if words else 0


def _ends_speech(line: str) -> bool:
    """Whether a line in capitals is a cry, a signature or a speaker rather than a title."""
    return line.rstrip("_*= ").endswith((".", "!", ":", ",", '"', "”", "-", ")", "]"))


def _without_runs(numbers: Sequence[int]) -> list[int]:
    """Three or more lines without text between them are a title page or a list."""
    return [number for run in listed.runs_of(numbers) if len(run) < listed.FEWEST for number in run]
