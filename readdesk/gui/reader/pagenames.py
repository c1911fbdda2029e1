"""What the pages of a book are called: by the label printed on them, and in a PDF by the number of the leaf as well.

A person who cites needs the printed label, a person who turns leaves needs to know how many there are; the two differ
in most books, so both are always said. What must stay true: a leaf is found by what is printed on it before it is found
by its number, and a spread by either of its two pages.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from readdesk.documents.numbering import leaf_of_label

translate = QCoreApplication.translate


@dataclass(frozen=True)
class PageNames:
    """The labels of every leaf ("" where it has none), or the positions at which printed pages begin with theirs."""

    labels: tuple[str, ...] = ()
    printed: tuple[tuple[int, str], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What every page is called: its label, a leaf's number where it has none."""
        if self.labels:
            return tuple(label or str(number) for number, label in enumerate(self.labels, 1))
        return tuple(label for _, label in self.printed)

    @property
    def has_labels(self) -> bool:
        """Whether anything is printed on any page."""
        return any(self.labels) or bool(self.printed)

    def label(self, leaf: int) -> str:
        """What is printed on a leaf; "" for nothing."""
        return self.labels[leaf] if 0 <= leaf < len(self.labels) else ""

    def name_at(self, position: int) -> str:
        """The printed page on which a position stands, in a book without leaves; "" before the first."""
        at = bisect_right(self.printed, position, key=lambda page: page[0])
        return self.printed[at - 1][1] if at else ""

    def leaf_words(self, leaf: int) -> str:
        """The number of a leaf among all: "leaf 143 of 480"."""
        words = translate("PageNames", "leaf {number} of {count}")
        return words.format(number=leaf + 1, count=len(self.labels))

    def words(self, leaf: int) -> str:
        """A leaf by both of its names: "p. 127 · leaf 143 of 480"."""
        return joined(page_words(self.label(leaf)), self.leaf_words(leaf))

    def find(self, words: str) -> int | None:
        """The leaf, or the entry of `printed`, that a person means: by its label, else a leaf by its number ("#5")."""
        wanted = words.strip()
        found = leaf_of_label(self.labels or self.names, wanted) if wanted and self.has_labels else None
        if found is not None:
            return found
        number = wanted.removeprefix("#")
        is_leaf = number.isdecimal() and 1 <= int(number) <= len(self.labels)
        return int(number) - 1 if is_leaf else None


def page_words(label: str) -> str:
    """A printed page by its label: "p. 127"; "" for none."""
    return translate("PageNames", "p. {label}").format(label=label) if label else ""


def recognised_words() -> str:
    """What is said beside the page of words that a program has recognised in a picture: they may hold errors."""
    return translate("PageNames", "recognised text")


def joined(*parts: str) -> str:
    """Parts of a line, of which some may be empty."""
    return " \u00b7 ".join(filter(None, parts))
