"""Printed page numbers: reading them, counting on from them, and finding the leaf that a person names.

The labels of a document are one string a leaf, in order, "" where a leaf has none. A label is a number (arabic or
roman, perhaps behind a prefix: "A-12", "ACME-000123") or anything else that a file calls its leaf ("Cover"). A spread
is a leaf with two printed pages; its label names both, "12\u201313". What must stay true: `renumbered` keeps the
count of leaves, and gives no two leaves the same label unless they had it before.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from readdesk.errors import ReadDeskError

_PARTS = re.compile(r"(?P<prefix>.{0,20}?)(?P<number>\d{1,9}|[ivxlcdm]{1,15}|[IVXLCDM]{1,15})")
_ROMAN = tuple(
    zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1), "M CM D CD C XC L XL X IX V IV I".split(), strict=True)
)
_ROMAN_VALUES = dict(zip("IVXLCDM", (1, 5, 10, 50, 100, 500, 1000), strict=True))
_LARGEST_ROMAN = 3999
_LONGEST = 60
_SPREAD = re.compile(r"(.*\S)\s*[-/]\s*(\S+)")
_DASHES = re.compile(r"[\u2010-\u2015\u2212]")
_PAGE_WORD = re.compile(
    r"(?:pages?|pp?|pag|p\u00e1g|p\u00e1gina|p\u00e1gs|seiten?|s|\u0441\u0442\u0440|\u0441|\u7b2c)(?:\.\s*|\s+)|p(?=\d)",
    re.IGNORECASE,
)
_AROUND = " \t\n.,:;[](){}<>-|~*\u00b7\u2022\u9801\u9875"


@dataclass(frozen=True)
class Numeral:
    """A printed page number: what stands before it, its value, and how it is written.

    `system` is "1" (arabic), "i" or "I" (roman); `width` is how many digits it is filled up to with zeros; `pages` is
    how many printed pages the leaf has (2 for a spread).
    """

    value: int
    system: str = "1"
    prefix: str = ""
    width: int = 0
    pages: int = 1

    @property
    def series(self) -> tuple[str, str]:
        """What numbers that count on from one another share."""
        return self.prefix, self.system

    def after(self, leaves: int) -> Numeral | None:
        """The number so many leaves later (earlier below 0); None where that would be below 1."""
        value, pages = self.value + leaves * self.pages, self.pages
        if value < 1 and value + pages > 1:
            value, pages = 1, value + pages - 1
        largest = 10**9 if self.system == "1" else _LARGEST_ROMAN
        return replace(self, value=value, pages=pages) if 1 <= value <= largest else None

    def __str__(self) -> str:
        values = range(self.value, self.value + self.pages)
        return self.prefix + "\u2013".join(self._written(value) for value in values)

    def _written(self, value: int) -> str:
        if self.system == "1":
            return str(value).zfill(self.width)
        return _roman(value) if self.system == "I" else _roman(value).lower()


def numeral_of(label: str) -> Numeral | None:
    """The number that a label is; None for any other label. Two that follow one another are those of a spread."""
    text = _plain(label)
    if len(text) > _LONGEST or not text.isprintable():
        return None
    halves = _SPREAD.fullmatch(text)
    first, second = (_single(halves[1]), _single(halves[2])) if halves else (None, None)
    if first and second and second.prefix in ("", first.prefix):
        is_next = (second.system, second.value) == (first.system, first.value + 1)
        return replace(first, pages=2) if is_next else _single(text)
    return _single(text)


def renumbered(labels: Sequence[str], leaf: int, label: str) -> tuple[str, ...]:
    """The labels once a reader has said what is printed on a leaf (0-based): its neighbours follow from it.

    Leaves after it count on to the end, or to where another series begins ("A-1"; arabic after roman). Leaves before
    it count back as far as 1; roman ones stay roman. What would be below 1 keeps its label, unless that is a number of
    the same series, which is free then. `labels` holds one string for each leaf. Raises ReadDeskError where the label
    is no number or there is no such leaf.
    """
    number = numeral_of(_PAGE_WORD.sub("", _plain(label), count=1) if _PAGE_WORD.match(_plain(label)) else label)
    if number is None:
        raise ReadDeskError(
            f"\u201c{label.strip()}\u201d is no page number.",
            "Type it as it is printed: 127, xii, A-12, or 126-127 for two pages side by side.",
        )
    if not 0 <= leaf < len(labels):
        raise ReadDeskError(f"There is no leaf {leaf + 1}.", f"The document has {len(labels)}.")
    found = list(labels)
    found[leaf] = str(number)
    old = numeral_of(labels[leaf])
    for at in _replaced(labels, range(leaf + 1, len(labels)), {number.series, old.series if old else None}):
        found[at] = str(number.after(at - leaf) or "")
    behind = {number.series, old.series if old and (old.system == "1" or number.system != "1") else None}
    for at in _replaced(labels, range(leaf - 1, -1, -1), behind):
        before = number.after(at - leaf)
        if before or _series(labels[at]) is not None:
            found[at] = str(before or "")
    return tuple(found)


def leaf_of_label(labels: Sequence[str], text: str) -> int | None:
    """The leaf (0-based) that a person means by "127", "p. 127", "IV", or "13" of the spread "12\u201313"; else None.

    What is a label letter by letter comes first, then the same but for case and dashes, then the same number.
    """
    wanted = text.strip()
    if not wanted:
        return None
    plain = _plain(wanted).casefold()
    shorter = _PAGE_WORD.sub("", plain, count=1) if _PAGE_WORD.match(plain) else plain
    for key in (wanted, wanted[len(wanted) - len(shorter) :]):
        if key in labels:
            return labels.index(key)
    for key in (plain, shorter):
        for leaf, label in enumerate(labels):
            if label and _plain(label).casefold() == key:
                return leaf
    number = numeral_of(shorter)
    return None if number is None else _leaf_of_number(labels, number)


def _leaf_of_number(labels: Sequence[str], number: Numeral) -> int | None:
    for leaf, label in enumerate(labels):
        other = numeral_of(label)
        if other is None or other.system.lower() != number.system.lower():
            continue
        if other.prefix.casefold() == number.prefix.casefold() and 0 <= number.value - other.value < other.pages:
            return leaf
    return None


def _replaced(labels: Sequence[str], leaves: range, series: set[tuple[str, str] | None]) -> Iterator[int]:
    """The leaves one after the other until one has a label of a series that stays."""
    for at in leaves:
        if labels[at] and _series(labels[at]) not in series - {None}:
            return
        yield at


def _series(label: str) -> tuple[str, str] | None:
    number = numeral_of(label)
    return number.series if number else None


def _plain(text: str) -> str:
    """A label with one kind of dash, digit and space on one line, and nothing around it."""
    return _DASHES.sub("-", " ".join(unicodedata.normalize("NFKC", text).split())).strip(_AROUND)


def _single(text: str) -> Numeral | None:
    match = _PARTS.fullmatch(text)
    if not match:
        return None
    prefix, number = match["prefix"], match["number"]
    if prefix and not any(character.isalnum() for character in prefix):
        return None
    if number.isdecimal():
        width = len(number) if number.startswith("0") else 0
        return Numeral(int(number), "1", prefix, width) if int(number) > 0 else None
    value = _roman_value(number.upper())
    if not value or prefix[-1:].isalnum():
        return None
    return Numeral(value, "I" if number.isupper() else "i", prefix)


def _roman(value: int) -> str:
    text = ""
    for worth, letters in _ROMAN:
        text += letters * (value // worth)
        value %= worth
    return text


def _roman_value(text: str) -> int:
    """The value of a roman number in capitals; 0 where it is not written as such."""
    values = [_ROMAN_VALUES[letter] for letter in text]
    total = sum(-value if value < max(values[at:]) else value for at, value in enumerate(values))
    return total if 0 < total <= _LARGEST_ROMAN and _roman(total) == text else 0
