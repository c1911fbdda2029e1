"""Where a page ends, without asking a model: where the words change.

Writing keeps to its words as long as it keeps to its subject, so the text before a pause and the text after it share
fewer words than the texts on both sides of any other place. That is the finding of Hearst, "TextTiling: Segmenting Text
into Multi-paragraph Subtopic Passages" (Computational Linguistics 23, 1997); this is our own form of it, made for one
choice among few places. Before words are compared, what the file says of its structure is used: a heading or a rule of
asterisks is a pause that the author made, and within a paragraph there is none. Measured by `tests/bench/pauses.py`.

What must stay true: no language is known here (words come from the one normaliser, scripts without spaces count by
pairs of characters, the text itself tells which words are common); the same texts give the same place; where nothing
speaks for one place, the last is taken: longer pages are fewer, and each costs a call of the model.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate, chain, pairwise

from readdesk.documents.normal import UNSPACED, normal

AROUND = 4000
"""Words on either side of a page that are worth giving, to tell common words from rare: with 1000 one pause in twenty
is missed that is found with these, a whole book finds no more (measured)."""

_COMPARED = 200
"""Words before and after a place that are compared; 80 and 120 find fewer pauses (measured)."""

_BEGINNING = 1.5
"""What a capital letter after a place is worth, in standard deviations of the likeness of words (measured)."""

_EQUAL = 1e-9
"""Likenesses that differ by less are the same."""

_RULE = re.compile(r"[\s*＊∗⁎⁂•·●◆◇■□☆★※#=~_–—―─━-]+")
"""A line of asterisks, dots, squares or dashes; but not of three points, with which somebody says nothing."""

_WORD = re.compile(r"[^\W_]+")
_RUN = re.compile(rf"{UNSPACED.pattern}+|[^{UNSPACED.pattern[1:-1]}]+")


def best_pause(
    texts: Sequence[str], places: Sequence[int], inside: Collection[int] = (), headed: Collection[int] = ()
) -> int:
    """The place where a page best ends: the index of the text after which something new begins.

    `texts` are paragraphs or parts of them, in order, those of the page and about AROUND words more on either side;
    `places` are indices of those that may end the page, `inside` of those that end within a paragraph, `headed` of
    those that a heading follows. Without places it is the last text; raises ValueError where there is none.
    """
    if not texts:
        raise ValueError("a page without text has no end")
    if not places:
        return len(texts) - 1
    best = _strongest(texts, places, inside, headed)
    if len(best) == 1:
        return best[0]
    return max(zip(pause_scores(texts, best), best, strict=True))[1]


def _strongest(
    texts: Sequence[str], places: Sequence[int], inside: Collection[int], headed: Collection[int]
) -> Sequence[int]:
    """The places that the text's own structure prefers: at a rule or a heading, else a paragraph's end, else all."""
    marked = [place for place in places if place in headed or _RULE.fullmatch(texts[place])]
    ends = [place for place in places if place not in inside]
    return marked or ends or places


def pause_scores(texts: Sequence[str], places: Sequence[int]) -> list[float]:
    """How much speaks for a pause after each of some texts: the higher the better, comparable among these places.

    The likeness of the words before and after, in standard deviations below its mean, and a beginning's capital letter:
    what begins in the middle of a sentence, as the next item of a list, or with somebody speaking, begins nothing new.
    """
    words = [_words(text) for text in texts]
    rarity = _rarity(words)
    stream = list(chain.from_iterable(words))
    ends = list(accumulate(map(len, words)))
    likeness = [_likeness(_around(stream, ends[place]), rarity) for place in places]
    dips = [-deviation for deviation in _standardised(likeness)]
    return [dip + _BEGINNING * _begins_anew(texts, place + 1) for dip, place in zip(dips, places, strict=True)]


def _words(text: str) -> list[str]:
    """The words of a text in comparable form; pairs of characters where a script has no spaces."""
    found: list[str] = []
    for run in (run for word in _WORD.findall(normal(text)) for run in _RUN.findall(word)):
        found += map("".join, pairwise(run)) if len(run) > 1 and UNSPACED.match(run) else [run]
    return found


def _rarity(words: Sequence[Sequence[str]]) -> Mapping[str, float]:
    """How much each word tells: the logarithm of how few of the texts hold it (inverse document frequency)."""
    held = Counter(chain.from_iterable(map(set, words)))
    return {word: math.log((len(words) + 1) / (count + 0.5)) for word, count in held.items()}


def _around(stream: Sequence[str], end: int) -> tuple[Sequence[str], Sequence[str]]:
    return stream[max(0, end - _COMPARED) : end], stream[end : end + _COMPARED]


def _likeness(sides: tuple[Sequence[str], Sequence[str]], rarity: Mapping[str, float]) -> float:
    """The cosine between two stretches of words, each word as long as it is rare; 0 where one of them is empty."""
    before, after = ({word: count * rarity[word] for word, count in Counter(side).items()} for side in sides)
    shared = math.fsum(length * after[word] for word, length in before.items() if word in after)
    return shared / (math.hypot(*before.values()) * math.hypot(*after.values()) or 1.0)


def _standardised(values: Sequence[float]) -> list[float]:
    """Each value as its distance from the mean in standard deviations; all 0 where they are equal."""
    mean = math.fsum(values) / len(values)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    return [(value - mean) / spread if spread > _EQUAL else 0.0 for value in values]


def _begins_anew(texts: Sequence[str], place: int) -> bool:
    """Whether a text begins with a letter that is not a small one (scripts without capitals have none)."""
    first = texts[place][:1] if place < len(texts) else ""
    return first.isalpha() and not first.islower()
