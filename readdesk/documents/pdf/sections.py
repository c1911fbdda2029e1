"""Where the sections of a PDF start: at the places of its outline, else at its headings, else every few thousand words.

An outline is believed unless it tells nothing (`outline.py`); then headings serve (`headings.py`). What stands before
the first section becomes title page, imprint and contents where it looks so (`front.py`). What must stay true: sections
come in the order in which the document is read; one that has a heading starts exactly with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass

from readdesk.documents.health import HealthCollector
from readdesk.documents.model import Kind, Structure
from readdesk.documents.parts import FEWEST_WORDS_FOR_PARTS
from readdesk.documents.pdf.front import Front, Printed, front_of, key_of, printed_contents, title_leaves
from readdesk.documents.pdf.headings import Heading, candidates_of, chosen, is_bare_number, is_opening
from readdesk.documents.pdf.layout import Block
from readdesk.documents.pdf.leaves import Leaf, Measures
from readdesk.documents.pdf.outline import Place, Resolved, is_worthless, nested, outline_of, resolved

_WORDS_IN_A_PART = 5_000
_FEWEST_LEAVES_FOR_PARTS = 10
_LONGEST_NUMBER = 12
_FEW_PLACES = 2
_FEWEST_BETTER = 4
_LEAVES_FOR_BETTER = 10
_FEWEST_TOLD = 4
_MOST_LOOKED_FOR = 100
_MOST_ABOVE = 2
_LONGEST_ABOVE = 30


@dataclass(frozen=True)
class Plan:
    """The sections of a document in their order, and what they were made from.

    `front` are the leaves on which large or bold rows before the first section are names, dates and entries of lists.
    """

    places: tuple[Place, ...]
    structure: Structure = ""
    front: frozenset[int] = frozenset()


def plan_of(
    document: object,
    leaves: Sequence[Leaf],
    measures: Measures,
    words: Sequence[int],
    labels: Sequence[str],
    title: str,
    health: HealthCollector,
) -> Plan:
    """Decide where sections start; `words` is how many each leaf has, `title` the document's own."""
    printed = printed_contents(leaves)
    candidates = candidates_of(leaves, measures, printed)
    entries = outline_of(document, leaves)
    outline = resolved(entries, candidates, len(leaves))
    headings: list[Place] = []
    if is_worthless(outline, len(leaves)) or _is_little(outline, len(leaves)):
        headings = [
            Place(one.heading.text, one.level, one.heading.leaf, one.heading.top, one.heading.start)
            for one in chosen(candidates, leaves, words, printed, title)
        ]
    uses_outline = bool(outline.places) and not _are_better(headings, outline, len(leaves))
    has_others = sum(1 for one in candidates if one.is_strong) >= _FEWEST_TOLD
    if entries:
        _tell(outline, health, uses_outline=uses_outline, has_headings=bool(headings), has_others=has_others)
    places = list(outline.places) if uses_outline else headings
    if places:
        front = _Front(leaves, printed, candidates, words, title)
        with_front = front.before(places)
        titles = {place.leaf for place in with_front if place.is_filler and place.matter in ("title", "")}
        leaves_of_front = printed.leaves | (titles & {*title_leaves(leaves, words), places[0].leaf})
        return Plan(with_front, "contents" if uses_outline else "headings", frozenset(leaves_of_front))
    parts = in_parts(words, labels)
    return Plan(tuple(parts), "parts") if parts else Plan((_filler(leaves, title),))


def _is_little(outline: Resolved, leaves: int) -> bool:
    """Whether an outline of a longer document names hardly any places in it."""
    return len({place.leaf for place in outline.places}) <= _FEW_PLACES and leaves >= _LEAVES_FOR_BETTER


def _are_better(headings: Sequence[Place], outline: Resolved, leaves: int) -> bool:
    if is_worthless(outline, leaves):
        return bool(headings)
    return len(headings) >= _FEWEST_BETTER and len(headings) > len(outline.places)


def _tell(
    outline: Resolved, health: HealthCollector, *, uses_outline: bool, has_headings: bool, has_others: bool
) -> None:
    """Say what was wrong with an outline."""
    if not uses_outline:
        instead = "its headings" if has_headings else "parts of a fixed length"
        health.note(f"The outline of the file tells nothing of its chapters; sections were made from {instead}.")
        return
    if outline.lost == 1:
        health.note("1 entry of the outline points to a place that is not in the file.")
    elif outline.lost:
        health.note(f"{outline.lost} entries of the outline point to places that are not in the file.")
    if len(outline.places) >= _FEWEST_TOLD and not outline.matched and has_others:
        health.note("The titles of the outline are not those of the headings in the text.")


# -- front matter and parts --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Front:
    """What is known when front matter is looked for."""

    leaves: Sequence[Leaf]
    printed: Printed
    candidates: Sequence[Heading]
    words: Sequence[int]
    title: str

    def before(self, places: Sequence[Place]) -> tuple[Place, ...]:
        """The places with what stands before the first of them, and with lists of contents that stand behind it."""
        first = places[0].leaf
        fronts = front_of(self.leaves[:first], self.printed, self.words, self.title)
        found = [self._place(front) for front in fronts]
        if not found:
            found = [_filler(self.leaves, self.title)]
        elif found[-1].matter:
            found.append(Place(self.title, 1, first, is_filler=True))
        return tuple(sorted((*found, *self._lists(places), *nested(places)), key=lambda place: place.leaf))

    def _place(self, front: Front) -> Place:
        """The section of a part of the front, called by its first heading where it is text."""
        if not front.matter:
            for one in self.candidates:
                if one.leaf == front.leaf and (one.is_large or is_opening(one.text)):
                    return Place(one.text, 1, one.leaf, one.top, is_filler=True)
        return Place(front.title, 1, front.leaf, matter=front.matter, is_filler=True)

    def _lists(self, places: Sequence[Place]) -> list[Place]:
        """Lists of contents behind the first place, each with a section for the text that follows it."""
        found = []
        starts = {place.leaf for place in places}
        for first, last, name in self.printed.runs:
            if first <= places[0].leaf or first in starts:
                continue
            found.append(Place(name, 1, first, matter="contents", is_filler=True))
            after = next((place.title for place in reversed(places) if place.leaf < first), self.title)
            if last + 1 < len(self.leaves):
                found.append(Place(after, 1, last + 1, is_filler=True))
        return found


def _filler(leaves: Sequence[Leaf], title: str) -> Place:
    """The section of what stands before the first one."""
    return Place(title, 1, next((leaf.index for leaf in leaves if leaf.lines), 0), is_filler=True)


def in_parts(words: Sequence[int], labels: Sequence[str]) -> list[Place]:
    """Parts of whole leaves and about one length in words, for a long text that tells nothing of its structure."""
    total = sum(words)
    if total < FEWEST_WORDS_FOR_PARTS or len(words) < _FEWEST_LEAVES_FOR_PARTS:
        return []
    count = max(2, round(total / _WORDS_IN_A_PART))
    starts = [0]
    done = 0
    for leaf, length in enumerate(words):
        if done >= len(starts) * total / count and leaf > starts[-1]:
            starts.append(leaf)
        done += length
    ends = [*starts[1:], len(words)]
    return [
        Place(_pages(start, end - 1, labels), 1, start, waits=start > 0)
        for start, end in zip(starts, ends, strict=True)
    ]


def _pages(first: int, last: int, labels: Sequence[str]) -> str:
    if first == last:
        return f"Page {label_of(first, labels)}"
    return f"Pages {label_of(first, labels)}–{label_of(last, labels)}"


def label_of(leaf: int, labels: Sequence[str]) -> str:
    """The printed label of a leaf, else its number counted from one."""
    return (labels[leaf] if leaf < len(labels) else "") or str(leaf + 1)


# -- among the paragraphs of a leaf ------------------------------------------------------------------------------


def place_titles(
    places: Sequence[Place], blocks: MutableSequence[Block], goes_on_in: Callable[[Block], bool]
) -> Mapping[int, list[Place]]:
    """The block before which each section of a leaf starts, by its number; after the last block is a number too.

    A block in the middle of which a section starts is cut there; `goes_on_in` tells whether the text of the leaf before
    goes on in a block.
    """
    if not places:
        return {}
    for place in places:
        if place.start is not None:
            cut_at(blocks, place.start, "heading")
    found: dict[int, list[Place]] = {}
    keys = [key_of(_text_of(block)) for block in blocks] if len(places) <= _MOST_LOOKED_FOR else []
    earliest = 0
    for place in places:
        if place.waits:
            at = next((number + goes_on_in(block) for number, block in enumerate(blocks) if block.kind == "text"), 0)
        else:
            at = _with_number(_block_of(place, blocks, keys, earliest), blocks)
        found.setdefault(at, []).append(place)
        earliest = at if place.start is None else earliest
    return {at: _named(found[at]) for at in sorted(found)}


def _named(places: Sequence[Place]) -> list[Place]:
    """Without what only fills up where something else starts."""
    return [place for place in places if not place.is_filler] or list(places[-1:])


def settle_kinds(blocks: Sequence[Block], starts: Mapping[int, Sequence[Place]], *, is_front: bool) -> None:
    """Make headings of the blocks with which sections start, and text of what is only set large in the front."""
    first = min((at for at, places in starts.items() if not places[0].is_filler), default=len(blocks))
    for number, block in enumerate(blocks):
        is_start = any(_is_heading_of(place, block) for place in starts.get(number, ())[:_MOST_LOOKED_FOR])
        if is_start and block.kind in ("text", "item"):
            block.kind = "heading"
        elif is_front and block.kind == "heading" and number < first and number not in starts:
            block.kind = "text"


def _is_heading_of(place: Place, block: Block) -> bool:
    key = key_of(place.title)
    return not place.is_filler and (place.start is not None or (key != "" and key_of(_text_of(block)).endswith(key)))


def cut_at(blocks: MutableSequence[Block], start: int, kind: Kind) -> None:
    """Begin a block of some kind with the row of a line that stands in the middle of another."""
    for number, block in enumerate(blocks):
        for at, (_, row) in enumerate(block.rows):
            if any(line.start == start for line in row.lines):
                if at:
                    blocks[number : number + 1] = [Block(block.kind, block.rows[:at]), Block(kind, block.rows[at:])]
                return


def _block_of(place: Place, blocks: Sequence[Block], keys: Sequence[str], earliest: int) -> int:
    """The block with which a section starts: by its heading, its title or its height; `keys` are the blocks'."""
    if place.start is not None:
        for number, block in enumerate(blocks):
            if any(line.start == place.start for line in block.first.lines):
                return number
    key = key_of(place.title)
    for number in range(earliest, len(keys) if key and not place.is_filler else 0):
        text = keys[number]
        if text == key or (text.endswith(key) and len(text) - len(key) <= _LONGEST_NUMBER):
            return number
    if place.top is None:
        return earliest
    below = [number for number in range(earliest, len(blocks)) if blocks[number].first.bottom > place.top + 1]
    left = place.left
    if left is not None:
        below = [number for number in below if _reaches(blocks[number], left)] or below
    return below[0] if below else len(blocks)


def _with_number(at: int, blocks: Sequence[Block]) -> int:
    """The same, or the block of "Chapter" and "One" above the title."""
    text = ""
    for number in range(at - 1, max(-1, at - 1 - _MOST_ABOVE), -1):
        text = f"{_text_of(blocks[number])} {text}".strip()
        if len(text) > _LONGEST_ABOVE or at == len(blocks):
            return at
        if is_bare_number(text):
            return number
    return at


def _text_of(block: Block) -> str:
    return " ".join(row.text for _, row in block.rows[:4])


def _reaches(block: Block, left: float) -> bool:
    """Whether a block lies under a point, or to its right within one column."""
    return any(row.left - 40 <= left < row.right for _, row in block.rows)
