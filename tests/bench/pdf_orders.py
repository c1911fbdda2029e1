"""The reading order of leaves that were marked by hand: is our text of each in the order in which people read it?

`marked_leaves.toml` says of each leaf why it is there and what a reader finds on it, written down from its picture
alone. Our text of a leaf is what our own source map says: of each paragraph, in order, the characters of its pieces
that lie on this leaf. A snippet must stand within one paragraph. White space, the shape of quotes and dashes, ligatures
and dots that lead to a number count as equal; a hyphen at a line's end, a space within Chinese and everything else do
not, so that snippets across line ends also tell whether paragraphs are clean.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readdesk.documents.model import LeafSpot, Paragraph

MARKED = Path(__file__).with_name("marked_leaves.toml")

_ALIKE = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "\u00ad": ""})
_LEADERS = re.compile(r"\s*(?:\.\s?){3,}(?=\s*\d)")
_CJK = "\u3000-\u303f\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef"
_BESIDE_CJK = re.compile(rf"(?<=[{_CJK}]) (?=[^{_CJK}])|(?<=[^{_CJK}]) (?=[{_CJK}])")
_SHORT = 4


@dataclass(frozen=True)
class MarkedLeaf:
    """A leaf of a file as a reader marked it; `marked_leaves.toml` says what each field means."""

    file: str
    index: int
    why: str
    chains: tuple[tuple[str, ...], ...]
    together: tuple[tuple[str, str], ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The leaf as it is told: leaves are counted from 0."""
        return f"{self.file} leaf {self.index}"


def marked_leaves(path: Path = MARKED) -> list[MarkedLeaf]:
    """All leaves that were marked."""
    with path.open("rb") as file:
        found = tomllib.load(file)["leaf"]
    return [MarkedLeaf(**{name: _frozen(value) for name, value in leaf.items()}) for leaf in found]


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def faults(marked: MarkedLeaf, paragraphs: Sequence[Paragraph]) -> list[str]:
    """What is wrong with a leaf, a sentence each; nothing where it is wholly right."""
    touching = [
        paragraph for paragraph in paragraphs if any(_is_on(piece.spot, marked.index) for piece in paragraph.pieces)
    ]
    parts = [alike(part_on(paragraph, marked.index)) for paragraph in touching]
    wholes = [alike(paragraph.text) for paragraph in touching]
    return [
        *(fault for chain in marked.chains for fault in _chain_faults(chain, parts)),
        *_together_faults(marked.together, wholes),
        *_apart_faults(marked.apart, wholes),
        *(f"furniture in the text: {one!r}" for one in marked.absent if _is_there(alike(one), parts)),
    ]


def part_on(paragraph: Paragraph, leaf: int) -> str:
    """The characters of a paragraph from the first to the last that stands on a leaf."""
    pieces = [piece for piece in paragraph.pieces if _is_on(piece.spot, leaf)]
    return paragraph.text[pieces[0].start : pieces[-1].end] if pieces else ""


def _is_on(spot: object, leaf: int) -> bool:
    return isinstance(spot, LeafSpot) and spot.leaf == leaf


def alike(text: str) -> str:
    """A text in which what counts as equal is equal."""
    text = unicodedata.normalize("NFKC", text).translate(_ALIKE)
    text = " ".join(_LEADERS.sub(" ", text).split())
    return _BESIDE_CJK.sub("", text)


# -- the kinds of fault ------------------------------------------------------------------------------------------


def _chain_faults(chain: Sequence[str], parts: Sequence[str]) -> Iterator[str]:
    text = "\n".join(parts)
    at = 0
    for number, snippet in enumerate(chain):
        wanted = alike(snippet)
        found = text.find(wanted, at)
        if found >= 0:
            at = found + len(wanted)
        elif wanted in text:
            yield f"out of order: {snippet!r} stands before {chain[number - 1]!r}"
        elif wanted in text.replace("\n", " "):
            yield f"torn into paragraphs: {snippet!r}"
        else:
            yield f"not there: {snippet!r}{_nearest(wanted, text)}"


def _nearest(wanted: str, text: str) -> str:
    """What stands there instead, as far as its first words or letters tell."""
    for length in range(len(wanted) - 1, 2, -1):
        place = text.find(wanted[:length])
        if place >= 0:
            return f", but {text[place : place + len(wanted) + 10]!r}"
    return ""


def _together_faults(pairs: Sequence[tuple[str, str]], wholes: Sequence[str]) -> Iterator[str]:
    for first, second in pairs:
        if not any(alike(first) in whole and alike(second) in whole for whole in wholes):
            yield f"not in one paragraph: {first!r} and {second!r}"


def _apart_faults(pairs: Sequence[tuple[str, str]], wholes: Sequence[str]) -> Iterator[str]:
    for first, second in pairs:
        if any(alike(first) in whole and alike(second) in whole for whole in wholes):
            yield f"in one paragraph: {first!r} and {second!r}"


def _is_there(furniture: str, parts: Sequence[str]) -> bool:
    """Whether a running head is in the text, or a number by itself or at a paragraph's end."""
    if len(furniture) > _SHORT:
        return any(furniture in part for part in parts)
    return any(part == furniture or part.endswith(f" {furniture}") for part in parts)
