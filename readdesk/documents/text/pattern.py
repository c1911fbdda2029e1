"""A person's own pattern for the lines with which chapters begin.

Python's regular expressions can take longer than the universe lasts, and nothing can stop one that runs. So a pattern
that repeats what itself repeats or branches is refused before it is tried, only the beginning of a line is matched, and
the whole may take a few seconds. What must stay true: whatever is typed, the answer is matches or one sentence.
"""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Iterable, Iterator

from readdesk.errors import DocumentError

_LONGEST_PATTERN = 300
_LONGEST_LINE = 200
_MOST_REPEATS = 3
_MOST_CHOICES = 8
_SECONDS = 5.0
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?#[^)]*\)|[()|]|[*+?]|\{\d*,?\d*\}|.", re.DOTALL)
_UNSEEN = re.compile(r"\(\?[#aiLmsux-]")
"""What would hide from a look at the pattern's parts how they are repeated."""

_REPEAT = re.compile(r"[*+]|\{\d*,?\d*\}")


def matched(pattern: str, lines: Iterable[str]) -> Iterator[bool]:
    """Whether each line begins with the pattern, in any case of letters; raises DocumentError for a bad pattern."""
    compiled = _compiled(pattern)
    started = time.monotonic()
    for line in lines:
        yield compiled.match(line[:_LONGEST_LINE].strip()) is not None
        if time.monotonic() - started > _SECONDS:
            raise _too_slow()


def _compiled(pattern: str) -> re.Pattern[str]:
    if _UNSEEN.search(pattern):
        raise DocumentError(
            "The pattern for chapters has comments or flags in it.",
            "Leave them out; capitals make no difference anyway.",
        )
    if not _is_writable(pattern):
        raise DocumentError("The pattern for chapters has characters that are none.", "Write it anew.")
    if len(pattern) > _LONGEST_PATTERN:
        raise DocumentError("The pattern for chapters is too long.", f"Use at most {_LONGEST_PATTERN} characters.")
    try:
        with warnings.catch_warnings(action="ignore", category=FutureWarning):  # "[[" may mean more one day
            compiled = re.compile(pattern, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        raise DocumentError(
            f"The pattern for chapters is not a regular expression: {error}.",
            "Correct it, or let chapters be found out.",
        ) from error
    if _is_costly(pattern):
        raise _too_slow()
    if compiled.match(""):
        raise DocumentError(
            "The pattern for chapters fits every line.", "Name what a chapter begins with, for example Chapter \\d+."
        )
    return compiled


def _is_writable(pattern: str) -> bool:
    """Whether a pattern is text that can be kept; bytes of a command line that are no UTF-8 are none."""
    return not any("\ud800" <= character <= "\udfff" for character in pattern)


def _too_slow() -> DocumentError:
    return DocumentError(
        "The pattern for chapters takes too long to compare.",
        "Make it simpler: repeat no group that repeats or branches itself, and use * and + sparingly.",
    )


def _is_costly(pattern: str) -> bool:
    """Whether a pattern repeats a group with a repetition or a choice in it, or has too many of either."""
    tokens = _TOKEN.findall(pattern)
    varied = [False]
    closed_varied = False
    repeats = choices = 0
    for number, token in enumerate(tokens):
        if token == "(":
            varied.append(False)
        elif token == ")":
            closed_varied = varied.pop() if len(varied) > 1 else False
            varied[-1] = varied[-1] or closed_varied
        elif token == "|":
            varied[-1] = True
            choices += len(varied) > 1
        elif _REPEAT.fullmatch(token) or (token == "?" and number and tokens[number - 1] != "("):
            if token != "?" and number and tokens[number - 1] == ")" and closed_varied:
                return True
            is_modifier = number and (_REPEAT.fullmatch(tokens[number - 1]) or tokens[number - 1] == "?")
            varied[-1] = True
            repeats += token != "?"
            choices += token == "?" and not is_modifier
    return repeats > _MOST_REPEATS or choices > _MOST_CHOICES
