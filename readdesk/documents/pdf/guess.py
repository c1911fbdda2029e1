"""How well a text was recognised, guessed from what its words look like and how they repeat.

Neither Tesseract through MuPDF nor an invisible text layer says how sure it is of a word. Two things tell without a
dictionary, so that names and old spelling count as words:

- Recognition that went wrong (a leaf on its head, hatching taken for letters) makes digits within words, capitals in
  the midst of small letters, words without a vowel and single letters, which good text of any language hardly has.
- A poor picture (few dots an inch) makes other letters, and words that look like some. But the short words of a
  language are few and come again and again; misread ones come once ("tbe", "oi", "aud"). How many do so is known for
  languages in Latin letters that have many of them, and for a leaf of running text; elsewhere only looks count.

What must stay true: leaves that were read better are told to be better. Of leaves of prose in pictures of 60 to 300
dots an inch the guess was within 0.2 of the share of characters that Tesseract read right, most often below it; a leaf
full of formulas is told to be worse than it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_EDGES = "\"'“”‘’‚„«»‹›()[]{}<>.,;:!?…*•·-–—/|~_=+^°©®§¶†‡&%$€£#@\\`´"
_NUMBER = re.compile(r"\d[\d.,:/'’–-]*")
_INNER = re.compile(r"[-‐’'·.&/—–]")
_ABBREVIATION = re.compile(r"[^\W\d_]{1,4}\.\W*")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]+")
_VOWEL = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýÿāēīōūąęůőűı]", re.IGNORECASE)
_ODD_CASE = re.compile(r"[a-zß-öø-ÿ][A-ZÀ-Þ]|[A-ZÀ-Þ]{2}[a-zß-öø-ÿ]{1,2}\b")
_TRIPLE = re.compile(r"(.)\1\1")
_WORDS_ALONE = frozenset("aiouyeàéAIOYE")
_WINDOW = 300
_FEWEST_WORDS = 120
_SHORT = (2, 3)
_LEAST_SHORT = 0.3
_USUALLY_ONCE, _ONCE_IN_FEW = 0.03, 40.0
"""The share of short words that come once among so many words: in prose 0.15 of 300, 0.3 of 120."""
_MOST_ONCE = 0.9
_SURE_FROM = 8
"""With fewer words than these nothing is known for sure."""


def quality_of(words: Iterable[str]) -> float:
    """How well words were recognised, from 0 (noise) to 1; 0 where there are none."""
    found = list(words)
    return round(looks_of(found) * _repeating(found), 2)


def looks_of(words: Iterable[str]) -> float:
    """How much words look like words of some language, from 0 to 1; 0 where there are none."""
    good = total = 0.0
    for word in words:
        looks, weight = _looks(word)
        good += looks * weight
        total += weight
    return round(good / total * min(1.0, (total + 2) / _SURE_FROM), 2) if total else 0.0


def _repeating(words: Sequence[str]) -> float:
    """How much of a text was read right, as its short words tell; 1 where they tell nothing."""
    read = [core.lower() for word in words if (core := word.strip(_EDGES)) and core.isalpha()]
    latin = sum(1 for word in read if _LATIN.fullmatch(word))
    if len(read) < _FEWEST_WORDS or 2 * latin < len(read):
        return 1.0
    parts = max(round(len(read) / _WINDOW), 1)
    size = len(read) / parts
    shares = [_right_share(read[round(part * size) : round((part + 1) * size)]) for part in range(parts)]
    return sum(shares) / parts


def _right_share(words: Sequence[str]) -> float:
    counted = Counter(word for word in words if _SHORT[0] <= len(word) <= _SHORT[1])
    short = counted.total()
    if short < _LEAST_SHORT * len(words):
        return 1.0
    once = sum(1 for count in counted.values() if count == 1) / short
    usual = _USUALLY_ONCE + _ONCE_IN_FEW / len(words)
    return 1.0 - min(max(once - usual, 0.0), _MOST_ONCE)


def _looks(word: str) -> tuple[float, float]:
    """How much a word looks like one, and how much that counts."""
    core = word.strip(_EDGES)
    if not core:
        return 0.0, 0.5 if len(word) > 1 else 0.25
    if _NUMBER.fullmatch(core):
        return 1.0, 0.5
    if _ABBREVIATION.fullmatch(word.lstrip(_EDGES)):
        return 1.0, 0.5
    if unspaced := len(_UNSPACED.findall(core)):
        return 1.0, max(1.0, unspaced / 2)
    if len(core) == 1:
        is_word = core in _WORDS_ALONE or not core.isascii()
        return (1.0 if is_word else 0.0), (0.25 if is_word and core.isascii() else 1.0)
    return (1.0 if all(map(_is_like_a_word, _INNER.split(core))) else 0.0), 1.0


def _is_like_a_word(part: str) -> bool:
    if not part or part.isdigit():
        return True
    if not all(character.isalpha() or not character.isascii() for character in part):
        return False
    if _TRIPLE.search(part) or _ODD_CASE.search(part):
        return False
    return len(part) == 1 or part.isupper() or not _LATIN.fullmatch(part) or bool(_VOWEL.search(part))
