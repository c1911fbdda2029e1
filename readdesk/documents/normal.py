"""The one normaliser and counter that anchors, quotes, search and keywords share.

Text of real files is full of ligatures, soft hyphens, odd spaces and two ways of writing one accent. Everything that
compares text compares it here. Lengths of pages are counted in words, and a script without spaces (Chinese, Japanese,
Thai …) has no words to count by spaces: one of its characters counts as two thirds of a word, which is about what it
takes of a model's context.
"""

from __future__ import annotations

import re
import unicodedata

_SPACES = re.compile(r"\s+")
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[^\W_]+(?:['’\u00ad-][^\W_]+)*")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))

_WORDS_PERUNSPACED = 2 / 3


def normal(text: str) -> str:
    """The text for comparison: compatibility forms folded, case and invisible characters gone, one kind of space."""
    folded = unicodedata.normalize("NFKC", text).translate(_INVISIBLE).casefold()
    return _SPACES.sub(" ", folded).strip()


def count_words(text: str) -> int:
    """How long a text is in words, for any script."""
    unspaced = len(UNSPACED.findall(text))
    if not unspaced:
        return len(_WORD.findall(text))
    return len(_WORD.findall(UNSPACED.sub(" ", text))) + round(unspaced * _WORDS_PERUNSPACED)


def one_line(text: str) -> str:
    """The text with every run of white space made one space."""
    return _SPACES.sub(" ", text).strip()
