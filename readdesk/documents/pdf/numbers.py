"""Page numbers among what is printed at the edges of leaves: which texts may be one, and which of them count up.

A number alone proves nothing: a year, a chapter's number and the number of a table stand at edges too. A page number
is one that goes up with the leaves. Each number found is tried as counting one a leaf and two a leaf (spreads, scans
of right-hand pages only); numbers that agree on where they began are a *series*.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from readdesk.documents.numbering import Numeral, numeral_of

_FEWEST = 3
_WINDOW = 6
_LONGEST_ALONE = 34
_LONGEST_PART = 9
_LONGEST_ROW = 120
_STAMP_DIGITS = 5
_OF_ALL = re.compile(
    r"\W*(?:(?:pages?|p|seiten?|pag|p\u00e1gina|strona|\u0441\u0442\u0440|\u0441\u0442\u0440\u0430\u043d\u0438\u0446\u0430)\.?\s*)?"
    r"(\d{1,5}|[ivxlcdm]{1,9})\s*(?:of|von|de|di|sur|z|\u0438\u0437|/)\s*\d{1,5}\W*",
    re.IGNORECASE,
)
_WITH_WORD = re.compile(
    r"\W*(?:pages?|pp?|seiten?|s|pag|p\u00e1gina|strona|str|\u0441\u0442\u0440|\u0441\u0442\u0440\u0430\u043d\u0438\u0446\u0430|\u7b2c)\b\.?\s*"
    r"(\d{1,5}|[ivxlcdm]{1,9})\W*(?:\u9875|\u9801|\u30da\u30fc\u30b8)?",
    re.IGNORECASE,
)
_AT_START = re.compile(r"\W*(\d{1,4}|[ivxlc]{1,8}|[IVXLC]{1,8})(?:\.?\s+|\s*[\u00b7|\u2022\u2013\u2014]\s*)(?=\S)")
_AT_END = re.compile(r"(?:(?<=[^\W\d]\.)|(?<=[\s\u00b7|\u2022\u2013\u2014]))(\d{1,4}|[ivxlc]{1,8}|[IVXLC]{1,8})\W*$")
_MAY_HOLD_ONE = re.compile(r"\d|^\W*[ivxlcdm]+\b|\b[ivxlcdm]+\W*$", re.IGNORECASE)
_LEADERS = re.compile(r"(?:\.\s?){4}|\u2026")


@dataclass(frozen=True)
class Series:
    """What numbers that count on from one another share: how they are written, how fast they go up, and where from."""

    prefix: str
    system: str
    step: int
    origin: int
    pages: int = 1

    def at(self, leaf: int) -> Numeral | None:
        """The number of a leaf in this series; None where that would be below 1."""
        value = self.origin + leaf * self.step
        return Numeral(value, self.system, self.prefix, pages=self.pages) if value > 0 else None


def lone_number(text: str) -> Numeral | None:
    """The page number that a text consists of, perhaps with ornaments, "Page" before or "of 30" behind it."""
    if len(text) > _LONGEST_ALONE or not text:
        return None
    for pattern in (_OF_ALL, _WITH_WORD):
        match = pattern.fullmatch(text)
        if match:
            return numeral_of(match[1])
    number = numeral_of(text)
    is_stamped = number is not None and is_stamp(number)
    return number if number and (len(number.prefix) <= _LONGEST_PART or is_stamped) and _is_label(number) else None


def _is_label(number: Numeral) -> bool:
    """Whether what stands before a number is short, as in "A-12": "Chapter 3" is no page number."""
    letters = sum(character.isalpha() for character in number.prefix)
    return letters <= 2 or is_stamp(number)


def is_of_all(text: str) -> bool:
    """Whether a text says itself that it numbers pages: "Page 3 of 30"."""
    return bool(_OF_ALL.fullmatch(text) or _WITH_WORD.fullmatch(text))


def numbers_in(text: str) -> list[Numeral]:
    """The page numbers that a text may hold: it is one, or one stands at its beginning or end ("50 THE SIEGE")."""
    if len(text) > _LONGEST_ROW or not _MAY_HOLD_ONE.search(text):
        return []
    alone = lone_number(text)
    if alone:
        return [alone]
    if _LEADERS.search(text):
        return []  # An entry of a table of contents.
    found = [match[1] for match in (_AT_START.match(text), _AT_END.search(text)) if match]
    return [number for number in map(numeral_of, found) if number]


def is_stamp(number: Numeral) -> bool:
    """Whether it is the number of a stamp (Bates), which counts the leaves of a whole case and no book's pages."""
    return number.width >= _STAMP_DIGITS or (len(str(number.value)) >= _STAMP_DIGITS and bool(number.prefix))


def series_of(number: Numeral, leaf: int) -> Iterable[Series]:
    """The series that a number on a leaf may belong to."""
    if number.pages == 2:
        return (Series(number.prefix, number.system, 2, number.value - 2 * leaf, 2),)
    prefix, system, value = number.prefix, number.system, number.value
    return Series(prefix, system, 1, value - leaf), Series(prefix, system, 2, value - 2 * leaf)


def counting(found: Mapping[int, Sequence[Numeral]]) -> dict[int, set[Numeral]]:
    """Of the numbers seen on each leaf those that are page numbers or stamps: they go up with the leaves nearby.

    Where several do, the series that has more leaves in the document wins.
    """
    leaves: defaultdict[Series, list[int]] = defaultdict(list)
    for leaf, numbers in found.items():
        for series in {series for number in numbers for series in series_of(number, leaf)}:
            leaves[series].append(leaf)
    support: dict[tuple[Series, int], int] = {}
    for series, at in leaves.items():
        if len(at) >= _FEWEST:
            support.update({(series, leaf): len(at) for leaf in in_runs(sorted(at), _WINDOW)})
    result: dict[int, set[Numeral]] = {}
    for leaf, numbers in found.items():
        for are_stamps in (False, True):
            strength = {
                number: max(support.get((series, leaf), 0) for series in series_of(number, leaf))
                for number in numbers
                if is_stamp(number) is are_stamps
            }
            most = max(strength.values(), default=0)
            if most:
                # The two numbers of a spread are as strong as one another, but for a leaf or two.
                result.setdefault(leaf, set()).update(number for number in strength if 3 * strength[number] > 2 * most)
    return result


def in_runs(leaves: Sequence[int], window: int, fewest: int = _FEWEST) -> set[int]:
    """The leaves (in order) that are among so many within a window of leaves."""
    return {
        leaf
        for first, last in zip(range(len(leaves)), range(fewest - 1, len(leaves)), strict=False)
        if leaves[last] - leaves[first] < window
        for leaf in leaves[first : last + 1]
    }
