"""How much of a PDF's text is reached, and whether anything is there that the file does not say.

Two questions, both in letters and digits (NFKC). From outside: of the characters that an independent program finds on
a leaf, which are in our paragraphs there, or in what we took out as furniture and marks? Where bare MuPDF itself
differs from that program, that is the floor, which is told and counted out: a symbol without Unicode value is anyone's
guess. From inside: our own source map says which characters of a leaf's own text each paragraph claims to be; every
claim is checked letter for letter, and what nobody claims is lost unless it is furniture, a number of a line, or a
label.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from readdesk.documents.model import LeafSpot, MarkKind, Paragraph
from readdesk.documents.pdf.file import open_file
from readdesk.documents.pdf.readable import own_lines
from tests.bench.books import Reading
from tests.bench.pdf_independent import content, told_by_others

_UNREAD: frozenset[str] = frozenset(("scan", "unreadable"))
_TAKEN_OUT: frozenset[MarkKind] = frozenset(("line", "page", "label"))
_LONGEST_TOLD = 70


@dataclass
class PdfCompleteness:
    """What was found in one file, in letters and digits; the lists tell where."""

    program: str = "MuPDF alone"
    wanted: int = 0
    reached: int = 0
    furniture: int = 0
    floor_missed: int = 0
    floor_invented: int = 0
    invented: int = 0
    own: int = 0
    lost: int = 0
    twice: int = 0
    unread: int = 0
    missed_at: list[str] = field(default_factory=list)
    invented_at: list[str] = field(default_factory=list)
    lost_at: list[str] = field(default_factory=list)
    twice_at: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of the wanted letters and digits that are reached."""
        return self.reached / self.wanted if self.wanted else 1.0

    @property
    def told(self) -> str:
        """What else was found, on a line."""
        return (
            f"{self.invented} invented, {self.twice} twice, {self.lost} of {self.own} of our own lost, "
            f"{self.furniture} furniture, {self.unread} on unread leaves; {self.program} has {self.floor_missed} that "
            f"bare MuPDF lacks and lacks {self.floor_invented}"
        )

    @property
    def details(self) -> dict[str, list[str]]:
        """Where, by what is wrong."""
        return {
            "missed": self.missed_at,
            "invented": self.invented_at,
            "lost": self.lost_at,
            "twice": self.twice_at,
        }


@dataclass
class _OnLeaf:
    """What we say of one leaf: its own text, how often each character is claimed, and what stands beside the text."""

    text: str
    bare: str
    counts: array[int]
    claimed: list[str] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)


def pdf_completeness(path: Path, password: str | None, reading: Reading) -> PdfCompleteness:
    """Compare a PDF's paragraphs with the file."""
    found = PdfCompleteness()
    leaves = _leaves_of(path, password)
    for paragraph in reading.paragraphs:
        _claim(paragraph, leaves, found)
    unread = {leaf.index for leaf in reading.layers.leaves if leaf.kind in _UNREAD}
    for health in reading.layers.leaves:
        leaves[health.index].aside += (taken.text for taken in health.furniture)
        found.furniture += content("".join(taken.text for taken in health.furniture)).total()
    others = told_by_others(path, password, len(leaves))
    if others is not None:
        found.program = others.program
    for index, leaf in enumerate(leaves):
        if index in unread:
            found.unread += content(leaf.text).total()
            continue
        _inside(index, leaf, found)
        _outside(index, leaf, others.leaves[index] if others else leaf.bare, found)
    return found


def _leaves_of(path: Path, password: str | None) -> list[_OnLeaf]:
    document = open_file(path, password)
    try:
        return [_leaf_of(document, index) for index in range(document.page_count)]
    finally:
        document.close()


def _leaf_of(document: Any, index: int) -> _OnLeaf:
    page = document[index]
    text = "\n".join(line[0] for line in own_lines(page))
    return _OnLeaf(text, page.get_text(), array("H", bytes(2 * len(text))))


# -- from inside -------------------------------------------------------------------------------------------------


def _claim(paragraph: Paragraph, leaves: Sequence[_OnLeaf], found: PdfCompleteness) -> None:
    """Mark what a paragraph's pieces claim; what is no claim, or a wrong one, is invented."""
    at = 0
    for piece in paragraph.pieces:
        _unclaimed(paragraph, at, piece.start, found)
        at = piece.end
        spot, ours = piece.spot, paragraph.text[piece.start : piece.end]
        if not isinstance(spot, LeafSpot) or spot.leaf >= len(leaves) or spot.end - spot.start != len(ours):
            _invent(ours, f"{spot}: no such place", found)
            continue
        leaf = leaves[spot.leaf]
        theirs = leaf.text[spot.start : spot.end]
        leaf.claimed.append(ours)
        for place in range(spot.start, min(spot.end, len(leaf.counts))):
            leaf.counts[place] += 1
        if ours != theirs and _bare(ours) != _bare(theirs):
            _invent(ours, f"{spot}: {ours[:40]!r} is {theirs[:40]!r} there", found)
    _unclaimed(paragraph, at, len(paragraph.text), found)
    _put_aside(paragraph, leaves)


def _put_aside(paragraph: Paragraph, leaves: Sequence[_OnLeaf]) -> None:
    """Numbers of lines and labels are values of marks: they go to the leaf of the characters that follow."""
    spots = [(piece.end, piece.spot.leaf) for piece in paragraph.pieces if isinstance(piece.spot, LeafSpot)]
    for mark in paragraph.marks:
        if mark.kind in _TAKEN_OUT and spots:
            index = next((leaf for end, leaf in spots if end > mark.start), spots[-1][1])
            leaves[index].aside.append(mark.value)


def _bare(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def _unclaimed(paragraph: Paragraph, start: int, end: int, found: PdfCompleteness) -> None:
    """Letters that belong to no piece come from nowhere."""
    _invent(paragraph.text[start:end], f"no piece at position {paragraph.start + start}", found)


def _invent(text: str, where: str, found: PdfCompleteness) -> None:
    count = content(text).total()
    if count:
        found.invented += count
        found.invented_at.append(f"{where}: {_shown(text)!r}")


def _inside(index: int, leaf: _OnLeaf, found: PdfCompleteness) -> None:
    """Every letter of a leaf's own text is claimed once, or stands aside."""
    found.own += content(leaf.text).total()
    lost = Counter("".join(_parts(leaf, 0)))
    for start, end in _stretches(leaf, 2):
        found.twice += content(leaf.text[start:end]).total()
        found.twice_at.append(f"leaf {index}: {_shown(leaf.text[start:end])!r}")
    missing = content("".join(lost.elements())) - content("".join(leaf.aside))
    found.lost += missing.total()
    if missing:
        parts = [_shown(part) for part in _parts(leaf, 0) if content(part)]
        found.lost_at.append(f"leaf {index}: {missing.total()} of {parts} (aside: {[*map(_shown, leaf.aside)]})")


def _parts(leaf: _OnLeaf, count: int) -> Iterator[str]:
    return (leaf.text[start:end] for start, end in _stretches(leaf, count))


def _stretches(leaf: _OnLeaf, count: int) -> Iterator[tuple[int, int]]:
    """Stretches of a leaf's own text that are claimed so often (2 is twice or more often)."""
    start = -1
    for place, claims in enumerate((*leaf.counts, -1)):
        if min(claims, 2) == count:
            start = place if start < 0 else start
        elif start >= 0:
            yield start, place
            start = -1


# -- from outside ------------------------------------------------------------------------------------------------


def _outside(index: int, leaf: _OnLeaf, theirs: str, found: PdfCompleteness) -> None:
    """Compare a leaf with what an independent program says of it; what bare MuPDF says is the floor."""
    independent, bare, aside = content(theirs), content(leaf.bare), content("".join(leaf.aside))
    ours = content("".join(leaf.claimed))
    found.floor_missed += (independent - bare).total()
    found.floor_invented += (bare - independent).total()
    wanted = (independent & bare) - aside
    reached = wanted & ours
    found.wanted += wanted.total()
    found.reached += reached.total()
    if missed := wanted - ours:
        found.missed_at.append(f"leaf {index}: {_counted(missed)}")
    if invented := (ours + aside) - (independent | bare):
        found.invented += invented.total()
        found.invented_at.append(f"leaf {index}: {_counted(invented)} that no other program finds there")


def _counted(characters: Counter[str]) -> str:
    return _shown("".join(sorted(characters.elements())))


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_TOLD else f"{line[:_LONGEST_TOLD]}… ({len(line)} characters)"


def worst(shares: Iterable[float]) -> float:
    """The smallest share; 0 where there is none at all, for then nothing was measured."""
    return min(shares, default=0.0)
