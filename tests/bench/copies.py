"""Two copies of one book, an EPUB and a plain text, as our readers give them: do they say the same words?

Words are runs of letters and digits after NFKC and casefold. Both sides are handled alike and by these rules only:
apostrophes within a word are dropped ("don't" is "dont"), every other sign parts words, hyphens and dashes too. No
spelling is mended: "connexion" is not "connection", "café" is not "cafe". Sections that are front or back matter
(imprint, licence, endnotes) are left out as the program leaves them out, and marks of notes are not read.

`aligned` is the share of the text file's words that stand in the same order in the EPUB. Where the two differ only in
how the same letters are parted into words ("to-day" and "today"), the words count as aligned; `strict` is without that.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from tests.bench.align import aligned, differences
from tests.bench.books import Reading

PAIRS = (("dorian-gray.epub", "pg174.txt"), ("mysterious-affair-at-styles.epub", "pg863.txt"))

_WORD = re.compile(r"[^\W_]+(?:['’ʼ‘][^\W_]+)*")
_APOSTROPHES = re.compile(r"['’ʼ‘]")
_LONGEST_TOLD = 12


@dataclass(frozen=True)
class Agreement:
    """How far two copies agree; `missing` are words that only the text file has, `added` those of the EPUB alone."""

    words: int
    aligned: float
    strict: float
    left_out: tuple[int, int]
    differences: tuple[tuple[str, int], ...]
    longest: tuple[str, ...]


def words_of(reading: Reading) -> list[str]:
    """The words that a model would read of a document, in order."""
    found: list[str] = []
    for start, end in reading.document.readable():
        for paragraph, first, last in reading.document.between(start, end):
            text = unicodedata.normalize("NFKC", paragraph.as_read(first, last)).casefold()
            found += (_APOSTROPHES.sub("", word) for word in _WORD.findall(text))
    return found


def agreement(book: Reading, text: Reading) -> Agreement:
    """Compare an EPUB with a plain text."""
    theirs, ours = words_of(text), words_of(book)
    pairs = aligned(theirs, ours)
    apart = list(differences(theirs, ours, pairs))
    parted = sum(len(left) for left, right in apart if "".join(left) == "".join(right))
    apart = [(left, right) for left, right in apart if "".join(left) != "".join(right)]
    count = max(len(theirs), 1)
    common = Counter(f"{_told(left)} / {_told(right)}" for left, right in apart)
    longest = sorted(apart, key=lambda pair: -len(pair[0]) - len(pair[1]))[:20]
    return Agreement(
        words=len(theirs),
        aligned=(len(pairs) + parted) / count,
        strict=len(pairs) / count,
        left_out=(text.left_out_words, book.left_out_words),
        differences=tuple(common.most_common(20)),
        longest=tuple(f"{_told(left)} / {_told(right)}" for left, right in longest),
    )


def _told(words: tuple[str, ...]) -> str:
    shown = " ".join(words[:_LONGEST_TOLD]) or "-"
    return shown if len(words) <= _LONGEST_TOLD else f"{shown} … ({len(words)} words)"
