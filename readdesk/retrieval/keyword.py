"""Keyword ranking inside a document: BM25 over texts with our own tokens.

The tokens are those of the one normaliser, so that ligatures, accents and case do not matter; a run of a script without
spaces becomes pairs of characters, since a library's default would make a whole Chinese sentence one token.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from readdesk.documents.normal import UNSPACED, normal

_WORD = re.compile(r"[^\W_]+")
_SAME_SCRIPT = re.compile(rf"{UNSPACED.pattern}+|[^{UNSPACED.pattern[1:-1]}]+")
_COMMON = frozenset(
    """
    a an and are as at be been but by can could did do does for from had has have he her him his how i if in into is it
    its me my no not of on or our she should so some such than that the their them then there these they this to under
    was we were what when where which who whom whose why will with would you your s t
    """.split()
)


@dataclass(frozen=True)
class Hit:
    """One text of an index: its place there, its score, and the question's words it holds, as they were asked."""

    index: int
    score: float
    words: tuple[str, ...]


def tokens(text: str) -> list[str]:
    """The words of a text in comparable form; pairs of characters for scripts without spaces; common words left out."""
    found: list[str] = []
    runs = (run for word in _WORD.findall(_without_accents(normal(text))) for run in _SAME_SCRIPT.findall(word))
    for run in runs:
        if not UNSPACED.search(run):
            found += [] if run in _COMMON else [run]
        elif len(run) == 1:
            found.append(run)
        else:
            found += [first + second for first, second in pairwise(run)]
    return found


def _without_accents(text: str) -> str:
    """Latin, Greek and Cyrillic letters without their marks; "cafe" finds "café"."""
    return "".join(mark for mark in unicodedata.normalize("NFD", text) if not unicodedata.combining(mark))


class KeywordIndex:
    """BM25 over texts, kept in memory."""

    def __init__(self, texts: Sequence[str]) -> None:
        # bm25s draws its progress with tqdm, which starts a thread of its own even where nothing is drawn (tqdm 4.70).
        os.environ.setdefault("DISABLE_TQDM", "1")
        import bm25s  # noqa: PLC0415 - it brings scipy, a fifth of the time in which the window starts

        self._tokens = [tokens(text) for text in texts]
        self._ranking = bm25s.BM25()
        self._usable = any(self._tokens)
        if self._usable:
            self._ranking.index(self._tokens, show_progress=False)

    def best(self, question: str, at_most: int) -> tuple[Hit, ...]:
        """The texts that share words with the question, best first, never one that shares none."""
        asked = dict.fromkeys(tokens(question))
        if not self._usable or not asked:
            return ()
        scores = self._ranking.get_scores(list(asked))
        order = sorted(range(len(self._tokens)), key=lambda index: -float(scores[index]))
        return tuple(self._hit(index, float(scores[index]), question) for index in order[:at_most] if scores[index] > 0)

    def _hit(self, index: int, score: float, question: str) -> Hit:
        there = set(self._tokens[index])
        words = dict.fromkeys(_WORD.findall(question))
        return Hit(index, score, tuple(word for word in words if not there.isdisjoint(tokens(word))))
