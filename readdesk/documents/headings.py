"""Which lines of a plain text are headings.

A heading stands alone between blank lines, is short, and is numbered in a way that books number ("CHAPTER I", "Act 2",
"IV.", "PART ONE. The Boat") or is a name that books give their parts ("PREFACE"). Where nothing is numbered, short
lines in capitals serve. Prose that merely starts so ("Chapter two of my life began …") and lists of contents (headings
without text between them) are rejected.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from readdesk.documents.normal import one_line

_LONGEST = 90
_LONGEST_SUBTITLE = 70
_NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty the first second third fourth fifth sixth seventh eighth ninth "
    "tenth last"
).replace(" ", "|")
_NUMBER = rf"(?:[ivxlcdm]+|\d{{1,3}}|(?:{_NUMBER_WORDS})(?:[ -](?:{_NUMBER_WORDS}))?)"
_NAMED = re.compile(
    rf"(?P<word>volume|book|part|act|chap(?:ter|\.)|letter|stave|canto|section|scene)\s+{_NUMBER}(?P<rest>\s*[.:—–-]?(?:\s.*)?)$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(rf"(?:the\s+)?{_NUMBER}\s+(?P<word>volume|book|part|act|chapter|canto|scene)\.?$", re.IGNORECASE)
_ALONE = re.compile(
    r"(?:the\s+)?(?:preface|prologue|epilogue|introduction|foreword|afterword|conclusion|appendix(?: [A-Z0-9]+)?|"
    r"dramatis person(?:ae|æ)|persons?(?: represented)?|epigraph|postscript|contents|illustrations|footnotes|notes|"
    r"index)\.?$",
    re.IGNORECASE,
)
_ROMAN = re.compile(r"(?=.)C{0,2}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\.?$")
_ARABIC = re.compile(r"[1-9]\d{0,2}\.?$")
_NUMBERED_TITLE = re.compile(r"(?:[IVXLC]+|[1-9]\d{0,2})\.\s+\S.*$")
_STAGE = re.compile(r"scene|enter\b", re.IGNORECASE)
_RANKS = {"volume": 1, "book": 2, "part": 3, "act": 3, "chapter": 5, "letter": 5, "stave": 5, "canto": 5, "section": 6}
_RANKS |= {"scene": 6, "chap.": 5}
_RANK_OF_NUMBER = 7
_RANK_OF_CAPITALS = 8
_FEW = 4


@dataclass(frozen=True)
class Heading:
    """A block that is a heading; an empty title marks a second line that belongs to the heading before it."""

    title: str
    level: int


def headings_of(blocks: Sequence[Sequence[str]]) -> Mapping[int, Heading]:
    """The headings among the blocks of a text, by the number of the block."""
    ranks = {number: rank for number, block in enumerate(blocks) if (rank := rank_of(block)) is not None}
    ranks = _without_contents(ranks, blocks)
    if sum(1 for rank in ranks.values() if rank) < _FEW:
        ranks = _without_contents(_capitals(blocks), blocks) | ranks
    levels = {rank: level for level, rank in enumerate(sorted({rank for rank in ranks.values() if rank}), start=1)}
    found: dict[int, Heading] = {}
    for number, rank in sorted(ranks.items()):
        if number in found:
            continue
        title = one_line(" ".join(blocks[number])).strip("_*= ")
        after = number + 1
        if (
            rank
            and after not in ranks
            and after + 1 < len(blocks)
            and _is_subtitle(title, blocks[after], blocks[after + 1])
        ):
            title = f"{title.rstrip('.:')}: {one_line(' '.join(blocks[after])).strip('_*= ')}"
            found[after] = Heading("", 1)
        found[number] = Heading(title, levels.get(rank, 1))
    return found


def rank_of(block: Sequence[str]) -> int | None:
    """How high a heading stands (1 is the highest, 0 beside the numbered ones), or None for what is no heading."""
    if len(block) > 2:
        return None
    line = one_line(" ".join(block)).strip("_*= ")
    if not line or len(line) > _LONGEST:
        return None
    named = _NAMED.match(line)
    if named and _is_title(named["rest"], line):
        return _RANKS[named["word"].lower()]
    ordinal = _ORDINAL.match(line)
    if ordinal and (line.isupper() or line.istitle()):
        return _RANKS[ordinal["word"].lower()]
    if _ALONE.match(line) and line[0].isupper():
        return 0
    if len(block) == 1 and (_ROMAN.match(line) or _ARABIC.match(line)):
        return _RANK_OF_NUMBER
    if len(block) == 1 and _NUMBERED_TITLE.match(line) and _is_title(line.split(maxsplit=1)[1], line):
        return _RANK_OF_NUMBER
    return None


def _is_title(rest: str, line: str) -> bool:
    """Whether what follows the number reads like a title and not like the rest of a sentence."""
    words = rest.strip(" .:—–-").split()
    if not words or line.isupper():
        return True
    if rest[:1].isspace() and rest.strip()[0] not in ".:—–-" and words[0][0].islower():
        return False
    long_words = [word for word in words if len(word) > 4 and word[0].isalpha()]
    is_capitalised = all(word[0].isupper() for word in long_words)
    return (is_capitalised or len(words) <= 8) and not rest.rstrip().endswith((",", ";")) and words[0][0].isupper()


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


def _capitals(blocks: Sequence[Sequence[str]]) -> dict[int, int]:
    """Short lines in capitals, where there are several of them."""
    found = {
        number: _RANK_OF_CAPITALS
        for number, block in enumerate(blocks)
        if len(block) == 1 and block[0].isupper() and 4 <= len(block[0].strip()) <= 60 and not _ends_speech(block[0])
    }
    return found if len(found) >= 2 else {}


def _ends_speech(line: str) -> bool:
    """Whether a line in capitals is a cry, a signature or a speaker rather than a title."""
    return line.rstrip("_*= ").endswith((".", "!", ":", ",", '"', "”", "-", ")", "]"))


def _without_contents(ranks: Mapping[int, int], blocks: Sequence[Sequence[str]]) -> dict[int, int]:
    """Drop runs of headings of one rank that have no text between them: they are a list of contents."""
    numbers = sorted(ranks)
    listed: set[int] = set()
    run: list[int] = []
    for number in [*numbers, len(blocks) + 9]:
        if run and number == run[-1] + 1 and ranks.get(number) == ranks[run[-1]]:
            run.append(number)
            continue
        if len(run) >= 3:
            listed.update(run)
        run = [number]
    return {number: rank for number, rank in ranks.items() if number not in listed}
