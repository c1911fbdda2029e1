"""Whether characters that came out of a file are words, or soup of fonts that have no names for their letters.

A font that does not say which letters its signs are yields their numbers: characters that nobody uses, letters of a
shifted alphabet, "(cid:12)". That is told by rules that hold for any language: characters without a meaning, alphabets
mixed within words, how often vowels come. The rules are strict, since a leaf of program text, of figures or of formulas
is no soup.

What must stay true: nothing is judged by a list of words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise

from readdesk.documents.health import NAMELESS, is_unusable

_GLYPH_NUMBER = re.compile(r"\(cid:\d+\)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_LATIN_WORD = re.compile(r"[a-zA-Z\u00c0-\u024f]{3,}")
_VOWEL = re.compile(r"[aeiouyæœøıAEIOUYÆŒØ]")
_NOT_LATIN = re.compile(r"[\u0370-\u03ff\u1f00-\u1fff\u0400-\u052f]")
_SCRIPTS = re.compile(r"(?P<l>[a-zA-Z\u00c0-\u024f])|(?P<g>[\u0370-\u03ff\u1f00-\u1fff])|(?P<c>[\u0400-\u052f])")
_SWITCH = re.compile(
    r"[a-zA-Z\u00c0-\u024f][\u0370-\u03ff\u1f00-\u1fff\u0400-\u052f]"
    r"|[\u0370-\u03ff\u1f00-\u1fff\u0400-\u052f][a-zA-Z\u00c0-\u024f]"
    r"|[\u0370-\u03ff\u1f00-\u1fff][\u0400-\u052f]|[\u0400-\u052f][\u0370-\u03ff\u1f00-\u1fff]"
)
_SHARE = 0.3
_FEWEST_WORDS = 12
_FEWEST_VOWELS = 0.22
_MOST_WITHOUT_VOWEL = 0.6
_FEW = 0.1
_COMMON_VOWELS = "aeiouyAEIOUY"
_SHIFTS = (28, 29, 30, 31)
"""By how much the number of a letter is less than its code, in fonts that begin with a space or with nothing."""
_COMMON_LETTERS = frozenset("etaoinsrhldu")
_USUAL_COMMON, _USUAL_VOWELS = 0.62, 0.3
_MOST_LETTERS = 0.7
_KINDS_OF_MARKS = 4
_END_OF_ASCII = 127

NAMELESS_RUN = re.compile(rf"(?:{NAMELESS}\s*){{3,}}")
"""Characters in a row that no font could name. One or two may be brackets of a formula; more of them say nothing."""


def is_soup(text: str) -> bool:
    """Whether the text of a leaf, as a whole, has no meaning (trap 6); one without any text is no soup."""
    if not text or text.isspace():
        return False
    if is_unusable(text):
        return True
    if "(cid:" in text and sum(map(len, _GLYPH_NUMBER.findall(text))) >= _SHARE * len(_visible(text)):
        return True
    return _is_mixed(text) or _is_all_marks(text) or _is_shifted(text)


def _visible(text: str) -> str:
    return "".join(text.split())


def _is_all_marks(text: str) -> bool:
    """Whether there is no letter, but marks of several kinds, more than digits: no table of figures is so."""
    if any(map(str.isalpha, text)):
        return False
    visible = _visible(text)
    marks = [character for character in visible if not character.isalnum()]
    return 2 * len(marks) >= len(visible) and len(set(marks)) >= _KINDS_OF_MARKS


def _is_mixed(text: str) -> bool:
    """Whether most words change from one alphabet to another and back."""
    if text.isascii() or not _NOT_LATIN.search(text) or not _SWITCH.search(text):
        return False
    words = _WORD.findall(text)
    mixed = sum(1 for word in words if not word.isascii() and _changes(word) >= 2)
    return mixed >= 3 and mixed >= _SHARE * len(words)


def _changes(word: str) -> int:
    scripts = [found.lastgroup for found in _SCRIPTS.finditer(word)]
    return sum(1 for one, other in pairwise(scripts) if one != other)


def _is_shifted(text: str) -> bool:
    """Whether Latin letters come as no language has them, but do once each character is moved by the same number."""
    vowels = sum(map(text.count, _COMMON_VOWELS))
    if vowels >= _FEWEST_VOWELS * len(text):
        return False  # Counted before words are looked for, which takes longer.
    visible = _visible(text)
    if vowels >= _FEWEST_VOWELS * len(visible):
        return False
    words = _LATIN_WORD.findall(text)
    if len(words) < _FEWEST_WORDS or _is_natural(words):
        return False
    if sum(map(str.islower, visible)) > _FEW * len(visible):
        return False
    codes = [code for code in map(ord, visible) if code < _END_OF_ASCII]
    return any(_is_language("".join([chr(code + shift) for code in codes])) for shift in _SHIFTS)


def _is_language(text: str) -> bool:
    """Whether Latin letters come about as often as in most languages."""
    letters = [character for character in text if character.isascii() and character.islower()]
    common = sum(1 for character in letters if character in _COMMON_LETTERS)
    is_usual = common >= _USUAL_COMMON * len(letters) and _vowels(letters) >= _USUAL_VOWELS
    return is_usual and len(letters) >= _MOST_LETTERS * len(text)


def _is_natural(words: list[str]) -> bool:
    return _vowels(words) >= _FEWEST_VOWELS or _without_vowel(words) < _MOST_WITHOUT_VOWEL


def _plain(word: str) -> str:
    return word if word.isascii() else unicodedata.normalize("NFD", word)


def _vowels(words: Iterable[str]) -> float:
    """The share of vowels among the letters of words."""
    text = _plain("".join(words))
    letters = sum(map(str.isalpha, text))
    return len(_VOWEL.findall(text)) / letters if letters else 1.0


def _without_vowel(words: list[str]) -> float:
    return sum(1 for word in words if not _VOWEL.search(_plain(word))) / len(words)
