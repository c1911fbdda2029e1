"""How the lines of a paragraph are put together again: hyphens, ligatures, scripts without spaces.

A hyphen at a line's end is dropped or kept by rule and by the document's own words; nothing else is known of any
language. What was cut off in print ("Ein- und Ausgabe", "1998-2000", an address) keeps its hyphen. Some fonts put a
space behind a ligature within a word ("benefi ciaries"): it goes where the document writes the word without it.

What must stay true: no character but a hyphen or a space is ever lost.
"""

from __future__ import annotations

import re
from collections.abc import Hashable

from readdesk.documents.draft import TextBuilder

_LETTER = r"[^\W\d_\u3040-\u30ff\u3400-\u9fff]"
_LAST_WORD = re.compile(rf"({_LETTER}+(?:[-‐]{_LETTER}+)*)[-‐\u00ad]\s*$")
_OPTION = re.compile(r"[^\w\s][-‐]\s*$(?<!\s--)(?<!\s--\s)")
_CUT_PATH = re.compile(r"\w/[-‐]\s*$")
_FIRST_WORD = re.compile(r"\s*([^\W_]+(?:[-‐][^\W_]+)*)")
_LAST_DIGIT = re.compile(r"\d[-‐]\s*$")
_ADDRESS = re.compile(r"(?:https?://|www\.|ftp://|[\w.]+@)\S*[-/_=&?%~+]\s*$")
_PATH = re.compile(r"(?:^|[\s(])(?:/|\S+://|\S+/\S*/|\S+\.\S*/)\S*\.$")
_CONJUNCTIONS = frozenset(("und", "oder", "sowie", "bzw", "bis", "and", "or", "et", "og", "och", "ou", "и", "или"))
_PREFIXES = frozenset(("self", "half", "well", "quasi"))
_SHORTEST_PART = 4
_CJK = re.compile(r"[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef]")
_SPLIT = re.compile(r"([^\W\d_]*(?:ff[il]?|f[il]))( )([^\W\d_]+)")


def is_hyphenated(text: str) -> bool:
    """Whether a line ends within a word."""
    return text.rstrip()[-1:] in "-‐\u00ad" and bool(_LAST_WORD.search(text))


def is_cjk(character: str) -> bool:
    """Whether a character belongs to a script that is written without spaces."""
    return character >= "\u3000" and bool(_CJK.match(character))


def keeps_hyphen(before: str, after: str, words: frozenset[str]) -> bool:
    """Whether the hyphen between a line's last word and the next line's first belongs to the word."""
    head, tail = (part.casefold().replace("‐", "-") for part in (before, after))
    if f"{head}-{tail}" in words:
        return not (head + tail in words and after[:1].islower())
    if head + tail in words:
        return False
    if not after[:1].islower() or "-" in head:
        return True
    if "-" in tail:
        first = tail.partition("-")[0]
        return head in words and head + first not in words
    if tail in words and ((head in words and len(head) > 1) or (f"{head}-" in words and len(head) > 2)):
        return True
    return (head in _PREFIXES and len(tail) >= _SHORTEST_PART) or any(map(str.isupper, before[1:]))


def join(builder: TextBuilder, before: str, after: str, words: frozenset[str]) -> None:
    """Put what belongs between two lines: nothing after a hyphen or within Chinese, else a space."""
    if builder.last == " ":
        builder.drop_last()
    last = before.rstrip()[-1:]
    if last == "\u00ad" and is_hyphenated(before):
        return  # The builder has left out the soft hyphen itself.
    first = _FIRST_WORD.match(after) if last in "-‐" else None
    if first and builder.last in "-‐":
        _join_hyphen(builder, before, first[1], words)
    elif not _touch(builder.last, before, after):
        builder.insert(" ")


def _touch(last: str, before: str, after: str) -> bool:
    """Whether no space belongs between two lines: after a dash or a slash, within an address, within Chinese."""
    if last in "—–/" and not before.endswith(" "):
        return True
    if last == "." and after[:1].islower() and _PATH.search(before):
        return True
    if last in "_=&?%~" and after[:1].isalnum() and _ADDRESS.search(before):
        return True
    return is_cjk(last) and is_cjk(after.lstrip()[:1])


def _join_hyphen(builder: TextBuilder, before: str, first: str, words: frozenset[str]) -> None:
    """Keep the hyphen at a line's end, drop it, or put a space behind it; `first` is the next line's first word."""
    if _CUT_PATH.search(before):
        builder.drop_last()  # The hyphen was put in where a path was cut.
        return
    if _ADDRESS.search(before) or _LAST_DIGIT.search(before) or _OPTION.search(before):
        return
    hyphenated = _LAST_WORD.search(before)
    if hyphenated is None:
        is_option = before.rstrip()[-2:-1] == " " and len(first) == 1
        builder.insert("" if is_option else " ")
    elif _is_cut_off(hyphenated[1], first, words):
        builder.insert(" ")
    elif not keeps_hyphen(hyphenated[1], first, words):
        builder.drop_last()


def _is_cut_off(before: str, after: str, words: frozenset[str]) -> bool:
    """Whether the hyphen stands for a part that comes later: "Ein- und Ausgabe"."""
    return after in _CONJUNCTIONS and not {(before + after).casefold(), f"{before}-{after}".casefold()} & words


def add_words(builder: TextBuilder, text: str, start: int, key: Hashable, words: frozenset[str]) -> None:
    """Add a line's characters, without spaces behind ligatures within words."""
    done = 0
    if "fi " in text or "fl " in text or "ff " in text:
        for split in _SPLIT.finditer(text):
            if (split[1] + split[3]).casefold() in words:
                builder.add(text[done : split.start(2)], start + done, key)
                done = split.end(2)
    builder.add(text[done:] if done else text, start + done, key)
