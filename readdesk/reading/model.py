"""Values of the reading agent: pages and their gists, the gist memory, look-ups and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

BreakBy = Literal["model", "words", "fallback", "end", "uniform"]
"""Who ended a page: the model, a dip in the words on both sides, the rule when neither could, or a section's end."""

PausesBy = Literal["model", "words"]
"""Who looks for the pauses between pages: the model, by labels that it scores, or the words alone, without a model."""

GistFlag = Literal["", "verbatim", "cut", "opening", "crashed"]
"""What a reader should know of a gist: nothing, the page's own short text, cut at the limit, the page's opening where
the model could not shorten it, or its opening where the model crashed on it."""

LookUpBy = Literal["model", "retrieval", "reader"]


@dataclass(frozen=True)
class Page:
    """An episode of the text: positions `start` to `end`, in section `section`, counted from 1."""

    number: int
    start: int
    end: int
    section: int
    words: int
    broken_by: BreakBy


@dataclass(frozen=True)
class Gist:
    """The shortened text of one page, and everything needed to tell whether it still holds."""

    page: int
    text: str
    model: str
    prompt_version: int
    text_hash: str
    flag: GistFlag = ""
    retried: bool = False


@dataclass(frozen=True)
class Cost:
    """What a piece of work took of the model: tokens read anew, reused and written."""

    read: int = 0
    reused: int = 0
    written: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.read + other.read, self.reused + other.reused, self.written + other.written)


@dataclass(frozen=True)
class Passage:
    """A page as a model is shown it: the texts of its units, the labels behind some of them, and what it has cost.

    The labels stay for the gist where the model has read them to find the page's end, so that it reads nothing twice.
    """

    page: Page
    texts: tuple[str, ...]
    labels: Mapping[int, str] = field(default_factory=dict)
    cost: Cost = Cost()


@dataclass(frozen=True)
class MemoryEntry:
    """One page of the memory: its tag, its section's title, its gist and its full length in words."""

    page: Page
    section: str
    gist: str


@dataclass(frozen=True)
class Memory:
    """The gist memory of a document: every page that has a gist, in order; `complete` when the whole text is paged."""

    title: str
    entries: tuple[MemoryEntry, ...]
    complete: bool

    def entry(self, number: int) -> MemoryEntry:
        """The entry of a page number; raises KeyError when the memory has none."""
        for entry in self.entries:
            if entry.page.number == number:
                return entry
        raise KeyError(number)


@dataclass(frozen=True)
class LookUp:
    """One page that was read again in full for a question: by whom it was chosen and why, and whether it was cut."""

    page: int
    by: LookUpBy
    reason: str
    shortened: bool = False


@dataclass(frozen=True)
class Answer:
    """An answer and what it rests on.

    `left_out` are pages that were chosen but did not fit the context; `unread_tags` are pages that the answer names
    although they were not read in full; `gists` is how many gists were read, `pages` how many pages the document has.
    """

    text: str
    look_ups: tuple[LookUp, ...]
    gists: int
    pages: int
    complete: bool
    left_out: tuple[int, ...] = ()
    unread_tags: tuple[int, ...] = ()
    shortened_gists: bool = False
    choice_readable: bool = True
    cut: bool = False
    cost: Cost = Cost()

    @property
    def coverage(self) -> str:
        """What was read, in words."""
        known = "1 page" if self.pages == 1 else f"{self.pages} pages"
        if not self.complete:
            known = f"the {known} that {'has a gist' if self.pages == 1 else 'have gists'} so far"
        gists = "all" if self.gists == self.pages else str(self.gists)
        whole = sum(not item.shortened for item in self.look_ups)
        cut = len(self.look_ups) - whole
        beginnings = f", the beginning of {cut}" if cut else ""
        return f"Read {whole} of {known} in full{beginnings}, {gists} as gists."
