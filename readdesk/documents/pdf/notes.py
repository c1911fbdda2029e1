"""Footnotes and endnotes of a PDF, and the marks in the text that lead to them.

A footnote stands in smaller letters below the text of its column and begins with a number or a sign; the same number or
sign is raised somewhere on its leaf. Endnotes stand in a section of their own; their numbers run on as those in the
text do, which may begin anew in every chapter. Numbers are looked for in the lines of all leaves before paragraphs are
made, and put onto paragraphs by the characters of the leaf that they are, whatever the paragraphs became.

What must stay true: a raised number without a note is a superscript, never the mark of a note; an exponent (one letter
or a digit before it) is taken for a mark only where nothing else can be meant; no line is lost.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TypeVar

from readdesk.documents.draft import Draft
from readdesk.documents.matter import matter_of_title
from readdesk.documents.model import LeafSpot, Mark, Piece
from readdesk.documents.pdf.captions import is_finished
from readdesk.documents.pdf.layout import Block
from readdesk.documents.pdf.leaves import Leaf, Line, Measures, rows_of
from readdesk.documents.pdf.outline import Place
from readdesk.documents.pdf.sections import cut_at

_SMALL = 0.93
_HIGHEST = 0.35
_SAME_SIZE = 0.35
_LONGEST_LABEL = 4
_WIDEST_STEP = 2
_LOOK_AHEAD = 30
_SIGNS = str.maketrans("∗⁎＊", "***")
_NUMBER_OR_SIGN = re.compile(r"(?<![\w+−-])\d{1,4}(?![\w+−-])|[*†‡§¶‖]{1,3}")
_AT_START = re.compile(r"\s*[(\[]?(\d{1,3}|[*∗⁎†‡§¶‖]{1,3})[.)\]]?(?=\s*\S)")
_ENDNOTE = re.compile(r"\s*[(\[]?(\d{1,3})[.)\]]?(?:\s+\S|\s*$)")
_BEFORE_MARK = re.compile(
    r"(?:[^\W\d_]{2}|[.,;:!?…)\]”’»\"'。，、；：！？」』）\u3040-\u30ff\u3400-\u9fff])\s?$|\s$|^$"
)
_SIGN_IN_TEXT = re.compile(r"(?<=[\w.,;:!?)”’\"])\s?([*∗⁎†‡§¶‖]{1,3})(?![\w*])")

_Span = tuple[int, int, str]
"""Characters of a leaf's own text, and the name of the note that they lead to."""


@dataclass(frozen=True, slots=True)
class _Raised:
    """A raised label in the text: its leaf, its span in the leaf's own text, and whether it looks like a mark."""

    leaf: int
    start: int
    end: int
    label: str
    is_likely: bool


@dataclass(frozen=True, slots=True)
class _Note:
    """A note: its leaf, its first line, its label and the span of that in the leaf's own text."""

    leaf: int
    line: int
    label: str
    start: int
    end: int

    @property
    def name(self) -> str:
        """The name that its marks share; a leaf may have several notes of one label."""
        return f"n{self.leaf}.{self.line}"


_Labelled = TypeVar("_Labelled", _Raised, _Note)


@dataclass
class Notes:
    """What was found in a document: marks by leaf, where notes begin, and the lines that are notes."""

    spans: dict[int, list[_Span]] = field(default_factory=dict)
    targets: dict[int, dict[int, str]] = field(default_factory=dict)
    feet: dict[int, frozenset[int]] = field(default_factory=dict)
    continued: dict[int, list[Line]] = field(default_factory=dict)

    def settle(self, leaf: int, blocks: MutableSequence[Block]) -> None:
        """Make the notes of a leaf blocks of their own, with what of the last one stands on the next leaf."""
        for start in self.targets.get(leaf, ()):
            cut_at(blocks, start, "note")
        feet = self.feet.get(leaf)
        if not feet:
            return
        last = None
        for block in blocks:
            if block.kind in ("text", "item", "note", "heading") and block.first.lines[0].start in feet:
                block.kind = "note"
                last = block
        if last and leaf in self.continued:
            last.rows += [(leaf + 1, row) for row in rows_of(self.continued[leaf], last.last.column)]

    def marked(self, draft: Draft) -> Draft:
        """A paragraph with the marks of notes, and the names of the notes that begin with it."""
        if not self.spans:
            return draft
        references = list(self._marks_of(draft.pieces, draft.text))
        ends = {mark.end for mark in references}
        marks = [mark for mark in draft.marks if mark.kind != "superscript" or mark.end not in ends]
        marks += references
        first = draft.pieces[0].spot
        if isinstance(first, LeafSpot) and draft.pieces[0].start == 0:
            name = self.targets.get(first.leaf, {}).get(first.start)
            if name:
                draft, marks = _apart(draft, marks)
                marks.append(Mark(0, 0, "target", name))
        if tuple(marks) == draft.marks:
            return draft
        return replace(draft, marks=tuple(sorted(marks, key=lambda mark: (mark.start, -mark.end))))

    def _marks_of(self, pieces: Iterable[Piece], text: str) -> Iterable[Mark]:
        for piece in pieces:
            spot = piece.spot
            spans = self.spans.get(spot.leaf, ()) if isinstance(spot, LeafSpot) else ()
            if not spans or not isinstance(spot, LeafSpot):
                continue
            for start, end, name in spans[bisect_left(spans, (spot.start,)) :]:
                if start >= spot.end:
                    break
                place = piece.start + start - spot.start
                until = min(place + end - start, piece.end)
                if text[place:until].strip() == text[place:until] != "":
                    yield Mark(place, until, "note", name)


def _apart(draft: Draft, marks: Sequence[Mark]) -> tuple[Draft, list[Mark]]:
    """A note whose label is glued to its first word, with a space between them."""
    match = _AT_START.match(draft.text)
    at = match.end() if match else 0
    if not match or not draft.text[at : at + 1].isalnum() or draft.text[:at] != match[0].rstrip():
        return draft, list(marks)
    pieces: list[Piece] = []
    for piece in draft.pieces:
        if piece.start < at < piece.end:
            pieces.append(Piece(piece.start, at, piece.cut(piece.start, at)))
            pieces.append(Piece(at + 1, piece.end + 1, piece.cut(at, piece.end)))
        else:
            shift = 1 if piece.start >= at else 0
            pieces.append(Piece(piece.start + shift, piece.end + shift, piece.spot))
    moved = [replace(mark, start=mark.start + (mark.start >= at), end=mark.end + (mark.end > at)) for mark in marks]
    return replace(draft, text=f"{draft.text[:at]} {draft.text[at:]}", pieces=tuple(pieces)), moved


# -- finding -----------------------------------------------------------------------------------------------------


def tie_notes(leaves: Sequence[Leaf], measures: Measures, places: Sequence[Place]) -> Notes:
    """Tie the notes of a document to their marks; takes lines of a note off the next leaf, where it goes on there."""
    found = Notes()
    raised: list[_Raised] = []
    feet: list[_Note] = []
    ends = _endnote_leaves(leaves, places)
    endnotes: list[_Note] = []
    for leaf in leaves:
        of_leaf = [line for line in leaf.lines if line.raised]
        foot = _foot(leaf, measures)
        if leaf.index in ends:
            endnotes += _endnotes(leaf, ends[leaf.index])
            foot = []
        if not of_leaf and not foot:
            continue
        starts = {line.start for line in foot}
        known = _labels_of(foot)
        refs = [ref for line in of_leaf if line.start not in starts for ref in _raised(leaf.index, line, known)]
        notes = _notes(leaf, foot, refs)
        refs += _signs(leaf, starts, notes, refs)
        raised += refs
        feet += notes
        if notes:
            first = foot.index(next(line for line in foot if line.start == notes[0].line))
            found.feet[leaf.index] = frozenset(line.start for line in foot[first:])
    _continue(leaves, measures, feet, found)
    ties = _tied(raised, feet, _running(endnotes))
    found.spans = _spans_of(ties)
    for note in ties.values():
        found.targets.setdefault(note.leaf, {})[note.line] = note.name
    return found


def _foot(leaf: Leaf, measures: Measures) -> list[Line]:
    """The small lines below which no text of the usual size stands in their column, column by column."""
    largest = _SMALL * measures.body
    small = [
        line for line in leaf.lines if line.size <= largest and line.top > _HIGHEST * leaf.height and line.is_level
    ]
    if not small:
        return []
    middle = leaf.width / 2
    lowest = [0.0, 0.0]
    for line in leaf.lines:
        if line.size > largest and line.is_level and len(line.text) > _LONGEST_LABEL:
            if line.left < middle:
                lowest[0] = max(lowest[0], line.top)
            if line.right > middle:
                lowest[1] = max(lowest[1], line.top)
    columns = [
        line
        for line in small
        if (line.left >= middle or line.top > lowest[0]) and (line.right <= middle or line.top > lowest[1])
    ]
    return sorted(columns, key=lambda line: (line.left >= middle, round(line.top), line.left))


def _labels_of(foot: Sequence[Line]) -> set[str]:
    """The labels with which lines at the foot of a leaf begin."""
    return {match[1].translate(_SIGNS) for line in foot if (match := _AT_START.match(line.text))}


def _raised(leaf: int, line: Line, known: set[str]) -> Iterable[_Raised]:
    """The labels that are raised in a line; `known` are those of the notes below it."""
    for start, end in line.raised:
        is_likely = _BEFORE_MARK.search(line.text[:start]) is not None
        for label in _NUMBER_OR_SIGN.finditer(line.text[start:end].translate(_SIGNS)):
            at = line.start + start + label.start()
            for text in _parted(label[0], known):
                yield _Raised(leaf, at, at + len(text), text, is_likely)
                at += len(text)


def _parted(label: str, known: set[str]) -> Sequence[str]:
    """A label, or two that touch: "23" is 2 and 3 where those have notes and 23 has none."""
    if label in known or not label.isdigit():
        return (label,)
    for cut in range(1, len(label)):
        if label[:cut] in known and label[cut:] in known:
            return label[:cut], label[cut:]
    return (label,)


def _notes(leaf: Leaf, foot: Sequence[Line], refs: Sequence[_Raised]) -> list[_Note]:
    """The notes at the foot of a leaf: those whose label is raised, or stands raised in the text."""
    named = {ref.label for ref in refs}
    found: list[_Note] = []
    for line in foot:
        match = _AT_START.match(line.text)
        if not match:
            continue
        label = match[1].translate(_SIGNS)
        is_raised = bool(line.raised) and line.raised[0][0] <= match.start(1) < line.raised[0][1]
        is_sign = not label.isdigit()
        if (is_raised or label in named or is_sign) and all(note.label != label for note in found):
            found.append(_Note(leaf.index, line.start, label, line.start + match.start(1), line.start + match.end(1)))
    return found


def _signs(leaf: Leaf, foot: set[int], notes: Sequence[_Note], refs: Sequence[_Raised]) -> list[_Raised]:
    """Signs in the text that are not set as raised, since signs are high anyway, for notes that have no mark yet."""
    wanted = {note.label for note in notes if not note.label.isdigit()} - {ref.label for ref in refs}
    if not wanted:
        return []
    return [
        _Raised(leaf.index, line.start + match.start(1), line.start + match.end(1), match[1].translate(_SIGNS), True)
        for line in leaf.lines
        if line.start not in foot
        for match in _SIGN_IN_TEXT.finditer(line.text)
        if match[1].translate(_SIGNS) in wanted
    ]


def _continue(leaves: Sequence[Leaf], measures: Measures, notes: Sequence[_Note], found: Notes) -> None:
    """Take what goes on of the last note of a leaf off the foot of the next one."""
    last = {note.leaf for note in notes}
    for leaf in leaves[1:]:
        before = leaf.index - 1
        if before not in last or before not in found.feet:
            continue
        above = [line for line in leaves[before].lines if line.start in found.feet[before]]
        end = max(above, key=lambda line: (line.left >= leaves[before].width / 2, line.top))
        if is_finished(end.text):
            continue
        own = found.feet.get(leaf.index, frozenset())
        rest = [line for line in _foot(leaf, measures) if line.start not in own]
        if rest and abs(rest[0].size - end.size) < _SAME_SIZE and not _AT_START.match(rest[0].text):
            rest = [line for line in rest if abs(line.size - end.size) < _SAME_SIZE]
            taken = {line.start for line in rest}
            found.continued[before] = rest
            leaf.lines = [line for line in leaf.lines if line.start not in taken]


# -- endnotes ----------------------------------------------------------------------------------------------------


def _endnote_leaves(leaves: Sequence[Leaf], places: Sequence[Place]) -> dict[int, tuple[float, float]]:
    """The leaves of sections of notes, with the heights between which they lie."""
    found: dict[int, tuple[float, float]] = {}
    for place, after in pairwise((*places, Place("", 1, len(leaves)))):
        if place.is_filler or matter_of_title(place.title) != "notes":
            continue
        for leaf in range(place.leaf, min(after.leaf + 1, len(leaves))):
            top = (place.top or 0.0) if leaf == place.leaf else 0.0
            bottom = (after.top or 0.0) if leaf == after.leaf else leaves[leaf].height
            if bottom > top:
                found[leaf] = top, bottom
    return found


def _endnotes(leaf: Leaf, heights: tuple[float, float]) -> list[_Note]:
    """Lines of a section of notes that begin with a number, at the left edge of their column."""
    top, bottom = heights
    found = []
    for line in leaf.lines:
        match = _ENDNOTE.match(line.text) if top <= line.top < bottom else None
        if not match and line.raised and top <= line.top < bottom and line.raised[0][0] == 0:
            match = _AT_START.match(line.text)
        if match:
            found.append(
                _Note(leaf.index, line.start, match[1], line.start + match.start(1), line.start + match.end(1))
            )
    return found


def _running(notes: Sequence[_Note]) -> list[_Note]:
    """Those whose numbers run on from one to the next or begin anew: a year at the start of a line does not."""
    found: list[_Note] = []
    for at, note in enumerate(notes):
        number, before = int(note.label), int(found[-1].label) if found else 0
        is_next = before < number <= before + _WIDEST_STEP
        begins = number == 1 and _next_label(notes[at + 1 :], {"2", str(before + 1)}) != str(before + 1)
        if is_next or begins:
            found.append(note)
    return found


def _next_label(notes: Sequence[_Note], labels: set[str]) -> str:
    return next((note.label for note in notes[:_LOOK_AHEAD] if note.label in labels), "")


# -- tying -------------------------------------------------------------------------------------------------------


def _tied(raised: Sequence[_Raised], feet: Sequence[_Note], endnotes: Sequence[_Note]) -> dict[_Raised, _Note]:
    ties: dict[_Raised, _Note] = {}
    by_leaf: defaultdict[int, list[_Raised]] = defaultdict(list)
    for ref in raised:
        by_leaf[ref.leaf].append(ref)
    for note in feet:
        refs = _likely([ref for ref in by_leaf[note.leaf] if ref.label == note.label])
        if not refs and note.label.isdigit():  # The note did not fit onto the leaf of its mark.
            refs = [
                ref for ref in by_leaf[note.leaf - 1] if ref.label == note.label and ref.is_likely and ref not in ties
            ]
        ties |= dict.fromkeys(refs, note)
    free = [ref for ref in raised if ref not in ties and ref.is_likely and ref.label.isdigit()]
    return ties | _tied_at_the_end(free, endnotes)


def _likely(refs: Sequence[_Raised]) -> list[_Raised]:
    """Those that look like marks; where none does, the only one."""
    likely = [ref for ref in refs if ref.is_likely]
    return likely or list(refs if len(refs) == 1 else ())


def _tied_at_the_end(refs: Sequence[_Raised], notes: Sequence[_Note]) -> dict[_Raised, _Note]:
    """Marks with the notes of the next section of notes, or of the part of it that belongs to their chapter."""
    runs, parts = _runs(refs), _runs(notes)
    ties: dict[_Raised, _Note] = {}
    if len(runs) == len(parts):
        pairs = zip(runs, parts, strict=True)
    elif len(parts) == 1:
        pairs = zip([list(refs)], parts, strict=True)
    else:
        return {}
    for run, part in pairs:
        known = {note.label: note for note in part}
        ties |= {ref: known[ref.label] for ref in run if ref.label in known}
    return ties


def _runs(found: Sequence[_Labelled]) -> list[list[_Labelled]]:
    """Parted where the numbers begin anew."""
    runs: list[list[_Labelled]] = []
    for one in found:
        if not runs or int(one.label) < int(runs[-1][-1].label):
            runs.append([])
        runs[-1].append(one)
    return runs


def _spans_of(ties: Mapping[_Raised, _Note]) -> dict[int, list[_Span]]:
    """The marks of notes by leaf, in the order of its text."""
    spans: defaultdict[int, list[_Span]] = defaultdict(list)
    for ref, note in ties.items():
        spans[ref.leaf].append((ref.start, ref.end, note.name))
    return {leaf: sorted(found) for leaf, found in spans.items()}
