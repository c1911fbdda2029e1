"""Two texts of one document: what of the new one is as it was, and where each place of the old one is now.

Paragraphs are compared in their normal form, so that neither invisible characters nor a new way of writing an accent
makes a difference. They are aligned like the lines of two files (patience: what stands once in both is an anchor, then
the same between two anchors), which takes a moment for forty thousand. A page is as it was when all its paragraphs
stand in the new text one after the other. Nothing here knows the library.

What must stay true: places keep their order; a page that is as it was has the same words, wherever it stands now.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import accumulate, pairwise

from readdesk.documents.model import Section
from readdesk.documents.normal import normal
from readdesk.library.coverage import Span

_MOST_COMPARED = 250_000
"""Pairs of paragraphs that are compared one by one where no anchor is; beyond it two texts are simply different."""

_Block = tuple[int, int, int, int]
"""Some paragraphs of the old text and some of the new one: first and end of each."""


@dataclass(frozen=True)
class Text:
    """A text as it is compared: where each paragraph begins, what it says, and that in its normal form.

    `own` says of each whether it belongs to the work itself; a licence is the same in a thousand files, and an index
    says nothing of whose text it is.
    """

    starts: tuple[int, ...]
    texts: tuple[str, ...]
    keys: tuple[str, ...]
    own: tuple[bool, ...]

    @classmethod
    def of(cls, paragraphs: Iterable[tuple[int, str]], own: Iterable[bool] = ()) -> Text:
        """The text of paragraphs, each given by where it begins and what it says; all is its own where none is."""
        told = tuple(paragraphs)
        starts, texts = tuple(start for start, _ in told), tuple(text for _, text in told)
        marked = tuple(own)
        return cls(starts, texts, tuple(map(normal, texts)), marked if any(marked) else (True,) * len(starts))

    @property
    def end(self) -> int:
        """The position after the last character; 0 where there is no text."""
        return self.starts[-1] + len(self.texts[-1]) if self.starts else 0

    @property
    def hash(self) -> str:
        """The same for all texts that differ in nothing one can read."""
        digest = hashlib.sha256()
        for key in self.keys:
            digest.update(key.encode())
            digest.update(b"\n")
        return digest.hexdigest()

    def index_at(self, position: int) -> int:
        """The number of the paragraph that holds a position."""
        return max(0, bisect_right(self.starts, position) - 1)


@dataclass(frozen=True)
class Alignment:
    """Which paragraphs of an old text stand in a new one."""

    old: Text
    new: Text
    pairs: dict[int, int]
    _breaks: tuple[int, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        broken = [
            index not in self.pairs or self.pairs[index] - 1 != self.pairs.get(index - 1)
            for index in range(len(self.old.keys))
        ]
        object.__setattr__(self, "_breaks", tuple(accumulate(broken)))

    @classmethod
    def of(cls, old: Text, new: Text) -> Alignment:
        """Align two texts."""
        return cls(old, new, dict(align(old.keys, new.keys)))

    @property
    def share(self) -> float:
        """How much of the old work stands in the new one, by characters; what is no part of either does not count."""
        found = total = 0
        for index, key in enumerate(self.old.keys):
            other = self.pairs.get(index)
            if self.old.own[index] and (other is None or self.new.own[other]):
                total += len(key)
                found += 0 if other is None else len(key)
        return found / max(1, total)

    @property
    def is_identity(self) -> bool:
        """Whether every position is what it was."""
        return self.old.starts == self.new.starts and self.old.keys == self.new.keys and self.old.end == self.new.end

    def span(self, start: int, end: int) -> Span | None:
        """Where the text between two positions stands now; None where it is not as it was."""
        first, last = self.old.index_at(start), self.old.index_at(end - 1)
        if first not in self.pairs or self._breaks[first] != self._breaks[last]:
            return None
        place = self._place(first, start), self._place(last, end)
        return place if place[0] < place[1] else None

    def nearest(self, position: int) -> int:
        """What a position is now; that of a paragraph that has gone is where something else stands instead."""
        if not self.new.starts:
            return 0
        index = self.old.index_at(position)
        if index in self.pairs:
            return min(self._place(index, position), self.new.end - 1)
        while index >= 0 and index not in self.pairs:
            index -= 1
        after = self.pairs[index] + 1 if index >= 0 else 0
        return self.new.starts[min(after, len(self.new.starts) - 1)]

    def _place(self, index: int, position: int) -> int:
        """A position in, or at the end of, a paragraph that stands in the new text."""
        other = self.pairs[index]
        old, new = self.old.texts[index], self.new.texts[other]
        offset = position - self.old.starts[index]
        if old != new and offset > 0:
            offset = len(new) if offset >= len(old) else _offset(old[:offset], new)
        return self.new.starts[other] + offset


def _offset(before: str, text: str) -> int:
    """How far a text goes that begins, in its normal form, with what was before."""
    wanted = len(normal(before))
    return bisect_left(range(len(text)), wanted, key=lambda end: len(normal(text[:end])))


def align(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of the indices of what is equal, both growing."""
    found: list[tuple[int, int]] = []
    blocks: list[_Block] = [(0, len(old), 0, len(new))]
    while blocks:
        low, high, first, last = blocks.pop()
        while low < high and first < last and old[low] == new[first]:
            found.append((low, first))
            low, first = low + 1, first + 1
        while low < high and first < last and old[high - 1] == new[last - 1]:
            high, last = high - 1, last - 1
            found.append((high, last))
        if low < high and first < last:
            block = low, high, first, last
            anchors = _anchors(old, new, block) or list(_compared(old, new, block))
            found += anchors
            if anchors:
                edges = [(low - 1, first - 1), *anchors, (high, last)]
                blocks += [(a + 1, c, b + 1, d) for (a, b), (c, d) in pairwise(edges)]
    return sorted(found)


def _anchors(old: Sequence[str], new: Sequence[str], block: _Block) -> list[tuple[int, int]]:
    """What stands exactly once on both sides: the longest row of pairs in which both grow."""
    low, high, first, last = block
    once = {key for key, count in Counter(old[low:high]).items() if count == 1}
    counted = Counter(new[first:last])
    places = {key: index for index, key in enumerate(new[first:last], start=first) if key in once and counted[key] == 1}
    pairs = [(index, places[key]) for index, key in enumerate(old[low:high], start=low) if key in places]
    ends: list[int] = []  # The smallest last place of a row of each length, and which pair that is.
    holders: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        at = bisect_left(ends, place)
        before.append(holders[at - 1] if at else -1)
        ends[at : at + 1], holders[at : at + 1] = [place], [number]
    row: list[tuple[int, int]] = []
    number = holders[-1] if holders else -1
    while number >= 0:
        row.append(pairs[number])
        number = before[number]
    return row[::-1]


def _compared(old: Sequence[str], new: Sequence[str], block: _Block) -> Iterator[tuple[int, int]]:
    """What a comparison of everything with everything finds, where that is little."""
    low, high, first, last = block
    if (high - low) * (last - first) > _MOST_COMPARED:
        return
    for match in SequenceMatcher(None, old[low:high], new[first:last], autojunk=False).get_matching_blocks():
        for step in range(match.size):
            yield low + match.a + step, first + match.b + step


# -- sections and words --------------------------------------------------------------------------------------------


def with_defaults(sections: Sequence[Section]) -> tuple[Section, ...]:
    """The sections as they are left out at first: front and back matter; where that would be all, nothing is."""
    found = tuple(replace(section, is_left_out=bool(section.matter)) for section in sections)
    if any(section.words and not section.is_left_out for section in found):
        return found
    return tuple(replace(section, is_left_out=False) for section in found)


def with_choices(sections: Sequence[Section], old: Sequence[Section]) -> tuple[Section, ...]:
    """The sections with what a person chose about those of the same title in an old version."""
    chosen = {
        key: section.is_left_out
        for key, section, default in zip(_keys(old), old, with_defaults(old), strict=True)
        if section.is_left_out != default.is_left_out
    }
    return tuple(
        replace(section, is_left_out=chosen.get(key, section.is_left_out))
        for key, section in zip(_keys(sections), sections, strict=True)
    )


def _keys(sections: Sequence[Section]) -> list[tuple[str, int]]:
    """Each section's title, and how many of that title stand before it."""
    seen: Counter[str] = Counter()
    keys = []
    for section in sections:
        title = normal(section.title)
        keys.append((title, seen[title]))
        seen[title] += 1
    return keys


def changed_words(kept: int, pages: int, *, is_same_file: bool) -> str:
    """What a person is told of a document whose text has changed."""
    what = "It was read again in another way" if is_same_file else "The file has changed since it was added"
    if not pages:
        return f"{what}."
    return f"{what}: {kept} of {pages} {'page is as it was' if pages == 1 else 'pages are as they were'}."
