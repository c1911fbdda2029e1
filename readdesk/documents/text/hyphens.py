"""Words that a hyphen at a line's end divides.

Some files divide words where a line was full ("inter-", "national"), others break lines only where a hyphen stood
anyway ("drawing-", "room"), as Project Gutenberg does. So the two parts are one word without a space, and the hyphen
stays unless the text itself writes the word without it. What must stay true: no other character is ever lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_HYPHENS = ("-", "‐")
_LONGEST = 60
_LAST_PART = re.compile(r"(?:[^\W\d_]+[-‐])*[^\W\d_]+(?=[-‐]$)")
_FIRST_PART = re.compile(r"\s*([^\W\d_]+(?:[-‐][^\W\d_]+)*)")
_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")


def divided_word(before: str, after: str) -> tuple[str, str] | None:
    """The two parts of a word that a line and the next one share; None where they share none."""
    end = before.rstrip()
    if not end.endswith(_HYPHENS):
        return None
    head, tail = _LAST_PART.search(end[-_LONGEST:]), _FIRST_PART.match(after)
    return (head[0].casefold(), tail[1].casefold()) if head and tail else None


def words_without_hyphen(pairs: Iterable[tuple[str, str]], lines: Sequence[str]) -> frozenset[str]:
    """The words that two lines share and that the text elsewhere writes without a hyphen and never with one."""
    divided = {parts for before, after in pairs if (parts := divided_word(before, after))}
    if not divided:
        return frozenset()
    words = {word.replace("‐", "-") for line in lines for word in _WORD.findall(line.casefold())}
    return frozenset(
        f"{head}{tail}" for head, tail in divided if head + tail in words and f"{head}-{tail}" not in words
    )
