"""The one normaliser and counter that anchors, quotes, search and keywords share.

Text of real files is full of ligatures, soft hyphens, odd spaces and two ways of writing one accent. Everything that
compares text compares it here. Lengths of pages are counted in words, and a script without spaces (Chinese, Japanese,
Thai …) has no words to count by spaces: one of its characters counts as two thirds of a word, which is about what it
takes of a model's context.

What must stay true: `folded(text).text` is `normal(text)`, whatever the text, so that what is found in one is known to
lie in the other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_SPACES = re.compile(r"\s+")
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_UNSPACED_RUN = re.compile(f"{UNSPACED.pattern}+")
_WORD = re.compile(r"[^\W_]+(?:['’\u00ad-][^\W_]+)*")
_ASCII_WORDS = {code: " " for code in range(128) if not chr(code).isalnum()} | {ord("'"): "-", ord("-"): "-"}
"""Makes of an ASCII text its words parted by spaces, with all that joins letters made a hyphen."""
_INVISIBLE: dict[int, None] = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))

_WORDS_PER_UNSPACED = 2 / 3


def normal(text: str) -> str:
    """The text for comparison: compatibility forms folded, case and invisible characters gone, one kind of space."""
    if text.isascii():  # Nothing to fold but case, and most titles and words are so.
        return one_line(text.lower())
    folded = unicodedata.normalize("NFKC", text).translate(_INVISIBLE).casefold()
    return one_line(folded)


@dataclass(frozen=True)
class Folded:
    """A text as it is compared, with the place in the original of each of its characters, and the original's length."""

    text: str
    places: tuple[int, ...]
    length: int

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that characters `start` to `end` come from; raises ValueError for none."""
        if not 0 <= start < end <= len(self.text):
            raise ValueError(f"no characters are at {start}-{end}")
        after = self.places[end] if end < len(self.places) else self.length
        last = self.places[end - 1]
        return self.places[start], max(after, last + 1) if after > last else last + 1

    def find(self, words: str, start: int = 0) -> tuple[int, int] | None:
        """The first span of the original, from a character of the folded text on, that reads like these words."""
        wanted = normal(words)
        at = self.text.find(wanted, start) if wanted else -1
        return self.span(at, at + len(wanted)) if at >= 0 else None


def folded(text: str) -> Folded:
    """The text for comparison with where each character comes from."""
    parts: list[str] = []
    places: list[int] = []
    for start, cluster in _clusters(text):
        part = _SPACES.sub(" ", unicodedata.normalize("NFKC", cluster).translate(_INVISIBLE).casefold())
        if part == " " and (not parts or parts[-1].endswith(" ")):
            continue
        parts.append(part)
        places += [start] * len(part)
    return _stripped("".join(parts), places, len(text))


def _stripped(found: str, places: list[int], length: int) -> Folded:
    """Without white space at the ends, and one space for several where a single character became space and letter."""
    kept = [at for at, character in enumerate(found) if character != " " or (at and found[at - 1] != " ")]
    while kept and found[kept[-1]] == " ":
        kept.pop()
    while kept and found[kept[0]] == " ":
        kept.pop(0)
    return Folded("".join(found[at] for at in kept), tuple(places[at] for at in kept), length)


def _clusters(text: str) -> Iterator[tuple[int, str]]:
    """The pieces of a text that fold each by itself: a character with all that may combine with it."""
    if text.isascii() or unicodedata.is_normalized("NFKC", text):
        yield from enumerate(text)
        return
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not _combines(text[at]):
            yield start, text[start:at]
            start = at


def _combines(character: str) -> bool:
    """Whether a character may become one with the one before it."""
    return unicodedata.combining(character) > 0 or character in _COMPOSED_WITH


_COMPOSED_WITH = frozenset(
    chr(code)
    for first, last in (
        *((0x1161, 0x1175), (0x11A8, 0x11C2)),  # Hangul vowels and final consonants
        *((code, code) for code in (0x09BE, 0x09D7, 0x0B3E, 0x0B56, 0x0B57, 0x0BBE, 0x0BD7, 0x0CC2, 0x0CD5, 0x0CD6)),
        *((code, code) for code in (0x0D3E, 0x0D57, 0x0DCF, 0x0DDF, 0x102E, 0x1B35, 0x11127, 0x1133E, 0x11357)),
        *((code, code) for code in (0x114B0, 0x114BA, 0x114BD, 0x115AF, 0x11930, 0x113B8, 0x113BB, 0x113C2, 0x113C5)),
        *((code, code) for code in (0x113C7, 0x113C8, 0x113C9, 0x1611E, 0x1611F, 0x16120, 0x16129, 0x16D67)),
        (0xFF9E, 0xFFA0),  # half-width voicing marks and filler
        (0xFFA1, 0xFFDC),  # half-width jamo
        (0x3131, 0x318E),  # compatibility jamo, which become the ones above
    )
    for code in range(first, last + 1)
)
"""Characters that combine with the one before though their combining class is 0, also after compatibility folding."""


def count_words(text: str) -> int:
    """How long a text is in words, for any script."""
    if text.isascii():  # Most texts are, and need not be searched.
        return len(text.translate(_ASCII_WORDS).replace("--", " ").replace("-", "").split())
    spaced, runs = _UNSPACED_RUN.subn(" ", text)
    unspaced = len(text) - len(spaced) + runs
    return len(_WORD.findall(spaced)) + round(unspaced * _WORDS_PER_UNSPACED)


def one_line(text: str) -> str:
    """The text with every run of white space made one space."""
    return " ".join(text.split())
