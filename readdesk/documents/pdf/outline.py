"""The outline of a PDF (its bookmarks), and where its entries really lead.

An outline often points at the top of a leaf, at the wrong height, one leaf too early, or nowhere; some are the names of
figures or of files that were put together. So a title is looked for among the rows that could be headings, near the
place that is told, and found there it wins over the place. An entry without a place is looked for between its
neighbours, and left out when it is not there.

What must stay true: no outline, however broken, deep or long, takes more than one pass over its entries; two entries
of one place are two sections only when one follows the other.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from readdesk.documents.model import Matter
from readdesk.documents.pdf.file import FAILURES
from readdesk.documents.pdf.front import key_of
from readdesk.documents.pdf.headings import Heading
from readdesk.documents.pdf.leaves import Leaf
from readdesk.documents.pdf.objects import line_of

_MOST_ENTRIES = 20_000
_DEEPEST = 40
"""Levels of an outline; what is said to be deeper stands on this one, since who looks upwards looks at every level."""
_LONG_KEY = 12
_LOOK_AHEAD = 20
_SHORTEST_KEY = 2
_FEWEST_SHIFTED = 3
_NUMBER_FIRST = re.compile(
    r"(?:(?:chapter|part|section|appendix|kapitel|teil|chapitre|partie|capítulo|глава|часть)\s+)?"
    r"(?:(?:\d{1,3}|[a-z](?=\.\d))(?:\.\d{1,3})*|[ivxlc]{1,6}|[a-z])[.:)\s—–-]+(?=\S)",
    re.IGNORECASE,
)
_NO_TITLE = re.compile(
    r"(?:(?:page|p\.|seite|blank page|untitled|slide|folie|figure|fig\.|table|tab\.|abbildung|tabelle|рис\.|рисунок"
    r"|таблица|图|圖|表)\s*[\divxlc.:-]*\b.{0,200}|[\d\s._-]+|.*\.(?:pdf|docx?|indd|qxd|tex|eps|tiff?|jpe?g|png)|)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Place:
    """A section's title and where it starts.

    Leaf -1 means that nobody knows. `start` is the first line of its heading (`Line.start`) where that was found;
    else `top` is the height that was told, in points of the reading frame, None for the top of the leaf.
    """

    title: str
    level: int
    leaf: int
    top: float | None = None
    start: int | None = None
    left: float | None = None
    matter: Matter = ""
    is_filler: bool = False
    """Whether it only names what stands before the first section, if anything does."""
    waits: bool = False
    """Whether it starts with the first paragraph that begins on its leaf."""


def outline_of(document: Any, leaves: Sequence[Leaf]) -> list[Place]:
    """The entries in their order, as they are told; nothing for an outline that cannot be read."""
    try:
        return [_place(item, level, leaves) for item, level in _items(document)]
    except FAILURES:
        return []


def _items(document: Any) -> Iterator[tuple[Any, int]]:
    """Every entry with its level, without recursion: a hostile outline is as deep as it is long."""
    waiting = [(document.outline, 1)]
    count = 0
    while waiting and count < _MOST_ENTRIES:
        item, level = waiting.pop()
        if item is None or not item.this.m_internal:
            continue
        count += 1
        yield item, level
        waiting += ((item.next, level), (item.down, min(level + 1, _DEEPEST)))


def _place(item: Any, level: int, leaves: Sequence[Leaf]) -> Place:
    raw = item.this.m_internal  # PyMuPDF 2.0 counts the height of named places from below, MuPDF all from above.
    title = line_of(item.title or "")
    number = raw.page.page
    if item.is_external or not 0 <= number < len(leaves):
        return Place(title, level, -1)
    if not math.isfinite(raw.y):
        return Place(title, level, number)
    left = raw.x if math.isfinite(raw.x) else 0.0
    left, top, _, _ = leaves[number].framed((left, raw.y, left, raw.y))
    return Place(title, level, number, top if 0 < top < leaves[number].height else None, None, left or None)


@dataclass(frozen=True)
class Resolved:
    """The entries in the order of the document; how many led nowhere, were found as headings, or lead back."""

    places: tuple[Place, ...]
    lost: int = 0
    matched: int = 0
    aliases: int = 0


def resolved(entries: Sequence[Place], candidates: Sequence[Heading], leaves: int) -> Resolved:
    """Where the entries of an outline really lead."""
    index = _Index(candidates)
    taken: set[tuple[int, int | None]] = set()
    places = []
    for entry in entries:
        places.append(index.near(entry, taken))
        taken.add((places[-1].leaf, places[-1].start))
    places = _shifted(places, index, is_one_leaf=_is_one_leaf(entries))
    places = _found_between(places, index, leaves)
    known = [place for place in places if place.leaf >= 0]
    kept = _without_aliases(known)
    ordered = sorted(kept, key=lambda place: place.leaf)  # On a leaf its paragraphs tell the order.
    return Resolved(
        tuple(ordered),
        len(places) - len(known),
        sum(1 for place in kept if place.start is not None),
        len(known) - len(kept),
    )


def is_worthless(found: Resolved, leaves: int) -> bool:
    """Whether an outline tells nothing of the structure: no titles, or one leaf only."""
    places = found.places
    if not places:
        return True
    if sum(1 for place in places if _NO_TITLE.fullmatch(place.title)) > 0.5 * len(places):
        return True
    return leaves > 2 and len({place.leaf for place in places}) == 1 and len(places) > found.matched


class _Index:
    """The rows that could be headings, by their titles with and without numbers."""

    def __init__(self, candidates: Sequence[Heading]) -> None:
        self._by_key: defaultdict[str, list[Heading]] = defaultdict(list)
        self._on_leaf: defaultdict[int, list[tuple[str, Heading]]] = defaultdict(list)
        for heading in candidates:
            bare = _bare_key(heading.text)
            self._on_leaf[heading.leaf].append((bare, heading))
            for key in {heading.key, bare}:
                self._by_key[key].append(heading)

    def all_of(self, title: str) -> list[Heading]:
        """Every row with that title, in the order of the file."""
        for key in (key_of(title), _bare_key(title)):
            if len(key) >= _SHORTEST_KEY and key in self._by_key:
                return self._by_key[key]
        return []

    def near(self, place: Place, taken: Collection[tuple[int, int | None]]) -> Place:
        """A place at the heading of its title, on its leaf or a neighbouring one; at one not taken, if there is any."""
        if place.leaf < 0:
            return place
        titled = self.all_of(place.title)
        first = bisect_left(titled, place.leaf - 1, key=_leaf)
        found = titled[first : bisect_left(titled, place.leaf + 2, lo=first, key=_leaf)]
        found = found or self._begun(place)
        if not found:
            return place
        found = [heading for heading in found if (heading.leaf, heading.start) not in taken] or found
        top = place.top or 0.0
        best = min(found, key=lambda one: (one.leaf != place.leaf, not one.is_strong, abs(one.top - top)))
        return _at(place, best)

    def _begun(self, place: Place) -> list[Heading]:
        """The rows around a place with which its title begins: a long one goes on in other letters."""
        title = _bare_key(place.title)
        return [
            heading
            for leaf in (place.leaf, place.leaf + 1)
            for key, heading in self._on_leaf.get(leaf, ())
            if heading.is_strong and len(key) >= _LONG_KEY and (title.startswith(key) or key.startswith(title or "-"))
        ]


def _leaf(heading: Heading) -> int:
    return heading.leaf


def _start(heading: Heading) -> tuple[int, int]:
    return heading.leaf, heading.start


def _bare_key(title: str) -> str:
    """A title without its number, as titles are compared."""
    return key_of(_NUMBER_FIRST.sub("", title, count=1))


def _at(place: Place, heading: Heading) -> Place:
    return replace(place, leaf=heading.leaf, top=heading.top, start=heading.start)


def _is_one_leaf(entries: Sequence[Place]) -> bool:
    """Whether several entries all lead to one leaf."""
    known = [place.leaf for place in entries if place.leaf >= 0]
    return len(known) >= _FEWEST_SHIFTED and len(set(known)) == 1


def _shifted(places: Sequence[Place], index: _Index, *, is_one_leaf: bool) -> list[Place]:
    """Places that are all so many leaves off, or all on one leaf, moved to the only headings of their titles."""
    missed = [at for at, place in enumerate(places) if place.leaf >= 0 and place.start is None]
    only = {at: found[0] for at in missed if len(found := index.all_of(places[at].title)) == 1}
    shifts = Counter(heading.leaf - places[at].leaf for at, heading in only.items())
    moved = list(places)
    for at, heading in only.items():
        shift = heading.leaf - places[at].leaf
        if is_one_leaf or (shifts[shift] >= _FEWEST_SHIFTED and shifts[shift] > 0.3 * len(missed)):
            moved[at] = _at(places[at], heading)
    return moved


def _found_between(places: Sequence[Place], index: _Index, leaves: int) -> list[Place]:
    """Entries that lead nowhere at the headings of their titles, between the places of their neighbours."""
    found = list(places)
    after = [(leaves, 0)] * (len(places) + 1)
    for at in range(len(places) - 1, -1, -1):
        after[at] = (places[at].leaf, places[at].start or 0) if places[at].leaf >= 0 else after[at + 1]
    before = (-1, -1)
    for at, place in enumerate(places):
        if place.leaf < 0:
            titled = index.all_of(place.title)
            following = titled[bisect_right(titled, before, key=_start) :][:_LOOK_AHEAD]
            heading = next((one for one in following if one.is_strong), None)
            if heading and (_start(heading) <= after[at + 1] or before >= after[at + 1]):
                found[at] = _at(place, heading)
        if found[at].leaf >= 0:
            start = found[at].start
            before = found[at].leaf, -1 if start is None else start
    return found


def _without_aliases(places: Sequence[Place]) -> list[Place]:
    """Without entries that come back to a place that has a name already: second lists, lists of figures."""
    kept: list[Place] = []
    seen: set[tuple[float, ...]] = set()
    last: tuple[float, ...] = ()
    for place in places:
        here = _order(place)
        if here not in seen or here == last:
            kept.append(place)
            seen.add(here)
        last = here
    return kept


def _order(place: Place) -> tuple[float, ...]:
    return place.leaf, round(place.top or 0.0)


def nested(places: Sequence[Place]) -> list[Place]:
    """The same with levels that skip none: one below the nearest place before that stands higher."""
    found: list[Place] = []
    above: list[int] = []
    for place in places:
        at = bisect_left(above, place.level)
        above = [*above[:at], place.level]
        found.append(replace(place, level=len(above)))
    return found
