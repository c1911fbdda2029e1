"""Where the sections of a PDF start: at the places of its outline, else at large headings, else every twenty leaves.

An outline often points at the top of a leaf, at the wrong height, or nowhere. So a title is first looked for among the
leaf's own paragraphs, then the height is believed, then the leaf. An entry without a leaf is looked for among all
headings of the document and dropped when it is not there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from readdesk.documents.normal import normal, one_line
from readdesk.documents.pdf.layout import Block
from readdesk.documents.pdf.leaves import Leaf, Measures, Row, rows_of

_LEAVES_IN_A_PART = 20
_LONGEST_HEADING = 120
_LONGEST_NUMBER = 12
_MOST_HEADINGS_PER_LEAF = 3
_LEADERS = re.compile(r"(?:\s?[.·…]){4,}")


@dataclass(frozen=True)
class Place:
    """A section's title and where it starts; leaf -1 means that nobody knows, top None the top of the leaf."""

    title: str
    level: int
    leaf: int
    top: float | None = None


def from_headings(leaves: Sequence[Leaf], measures: Measures) -> list[Place]:
    """Headings set larger than the text; none where there are too few or too many to be sections."""
    found = [(leaf, row) for leaf in leaves for row in _headings(leaf, measures)]
    by_size: defaultdict[float, list[tuple[Leaf, Row]]] = defaultdict(list)
    for leaf, row in found:
        by_size[round(row.size * 2) / 2].append((leaf, row))
    # What is that large only on the first leaf is the title of the whole.
    sizes = sorted((size for size, rows in by_size.items() if any(leaf.index for leaf, _ in rows)), reverse=True)
    while sizes and sum(len(by_size[size]) for size in sizes) > _MOST_HEADINGS_PER_LEAF * len(leaves):
        sizes.pop()  # The smallest are too many to be sections.
    levels = {size: min(level, 3) for level, size in enumerate(sizes, start=1)}
    places = _joined(
        [
            (Place(one_line(row.text), levels[size], leaf.index, row.top), row)
            for leaf, row in found
            if (size := round(row.size * 2) / 2) in levels
        ]
    )
    places = [place for place in places if len(place.title) <= _LONGEST_HEADING]
    return places if len(places) >= 2 else []


def _headings(leaf: Leaf, measures: Measures) -> list[Row]:
    rows = rows_of(line for line in leaf.lines if line.is_level)
    return [row for row in rows if row.size >= 1.12 * measures.body and _is_title(row.text)]


def _is_title(text: str) -> bool:
    letters = sum(character.isalpha() for character in text)
    return letters >= 3 and letters >= 0.5 * len(text) and len(text) < _LONGEST_HEADING and not _LEADERS.search(text)


def _joined(found: Sequence[tuple[Place, Row]]) -> list[Place]:
    """A heading of several lines is one."""
    places: list[Place] = []
    last: Row | None = None
    for place, row in found:
        before = places[-1] if places else None
        is_same = before and last and (before.leaf, before.level) == (place.leaf, place.level)
        if is_same and before and last and 0 < row.bottom - last.bottom < 1.6 * row.size:
            places[-1] = replace(before, title=f"{before.title} {place.title}")
        else:
            places.append(place)
        last = row
    return places


def in_parts(leaves: int, labels: Sequence[str]) -> list[Place]:
    """Parts of twenty leaves, for a document that tells nothing of its structure; none for a short one."""
    if leaves <= _LEAVES_IN_A_PART:
        return []
    parts = []
    for start in range(0, leaves, _LEAVES_IN_A_PART):
        end = min(start + _LEAVES_IN_A_PART, leaves) - 1
        parts.append(Place(f"Pages {label_of(start, labels)}–{label_of(end, labels)}", 1, start))
    return parts


def label_of(leaf: int, labels: Sequence[str]) -> str:
    """The printed label of a leaf, else its number counted from one."""
    return (labels[leaf] if leaf < len(labels) else "") or str(leaf + 1)


def find_lost(places: Sequence[Place], leaves: Sequence[Leaf], measures: Measures) -> list[Place]:
    """The entries with those that point nowhere looked for among the headings; what is not there is left out."""
    if all(place.leaf >= 0 for place in places):
        return list(places)
    headings: dict[str, tuple[int, float]] = {}
    for leaf in leaves:
        for row in rows_of(line for line in leaf.lines if line.is_level):
            if (row.size >= 1.1 * measures.body or row.is_bold) and _is_title(row.text):
                headings.setdefault(_key(row.text), (leaf.index, row.top))
    found = []
    for place in places:
        if place.leaf < 0 and _key(place.title) in headings:
            leaf_index, top = headings[_key(place.title)]
            place = replace(place, leaf=leaf_index, top=top)
        if place.leaf >= 0:
            found.append(place)
    return found


def place_titles(places: Sequence[Place], blocks: Sequence[Block]) -> dict[int, list[Place]]:
    """The block before which each section of a leaf starts, by its number; after the last block is a number too."""
    found: dict[int, list[Place]] = {}
    earliest = 0
    for place in places:
        at = _block_of(place, blocks, earliest)
        found.setdefault(at, []).append(place)
        earliest = at
    return found


def _block_of(place: Place, blocks: Sequence[Block], earliest: int) -> int:
    key = _key(place.title)
    for number in range(earliest, len(blocks)):
        text = _key(" ".join(row.text for _, row in blocks[number].rows[:4]))
        if key and (text == key or (text.endswith(key) and len(text) - len(key) <= _LONGEST_NUMBER)):
            return number
    if place.top is None:
        return earliest
    for number in range(earliest, len(blocks)):
        block = blocks[number]
        if block.first.bottom > place.top + 1:
            return number
    return len(blocks)


def _key(text: str) -> str:
    return "".join(character for character in normal(text) if character.isalnum())
