"""PDF through PyMuPDF: its leaves are read one by one, then what is known only from all of them makes text of it.

The way of a leaf: its lines (`extract.py`, in two processes at once: `share.py`), without furniture (`furniture.py`),
in reading order (`order.py`), as paragraphs (`layout.py`, `flow.py`), in sections (`sections.py`), with its notes tied
to their marks (`notes.py`). What must stay true: one leaf at a time; cancel is looked at for every leaf.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from readdesk.cancel import CancelToken
from readdesk.documents.draft import Draft, Drafted, ReadSoFar, Start
from readdesk.documents.health import HealthCollector
from readdesk.documents.model import LeafHealth, Markup, RecognisedLeaf
from readdesk.documents.normal import count_words
from readdesk.documents.pdf.attached import attachments_of
from readdesk.documents.pdf.facts import told_of
from readdesk.documents.pdf.file import open_file
from readdesk.documents.pdf.flow import Flow
from readdesk.documents.pdf.furniture import take_furniture
from readdesk.documents.pdf.labels import labels_of
from readdesk.documents.pdf.layers import MarkupReader, batches, notes_of
from readdesk.documents.pdf.layout import blocks_of
from readdesk.documents.pdf.leaves import Leaf, Measures
from readdesk.documents.pdf.notes import Notes, tie_notes
from readdesk.documents.pdf.order import in_reading_order
from readdesk.documents.pdf.outline import Place
from readdesk.documents.pdf.pagelabels import labels_in
from readdesk.documents.pdf.recognised import lay, marked_words, notes_on_text
from readdesk.documents.pdf.sections import Plan, label_of, place_titles, plan_of, settle_kinds
from readdesk.documents.pdf.share import LeafSource
from readdesk.documents.second import ALL_READ
from readdesk.errors import DocumentError, NoTextError

_LEAVES_BETWEEN_TOLD, _SECONDS_BETWEEN_TOLD = 16, 3.0
_SHARE_OF_LEAVES = 2 / 3


def read(
    path: Path,
    password: str | None,
    health: HealthCollector,
    cancel: CancelToken,
    recognised: Sequence[RecognisedLeaf] = (),
    source: LeafSource | None = None,
) -> Iterator[Drafted]:
    """What a PDF says of itself, then its sections and paragraphs; `recognised` leaves have that text for their own.

    `source` reads the leaves, perhaps with the help of another process.
    Raises PasswordNeeded, NoTextError (all leaves are empty) or DocumentError (damaged, no PDF).
    """
    document = open_file(path, password)
    try:
        if document.is_repaired:
            health.note("The file is damaged; it was repaired as far as possible, and parts may be missing.")
        known = {leaf.leaf: leaf for leaf in recognised}
        reading = _Reading(document, path, password, health, cancel, known, source or LeafSource())
        yield from _read(reading)
    finally:
        document.close()


@dataclass(frozen=True)
class _Reading:
    """What is read, by whom, and for whom."""

    document: Any
    path: Path
    password: str | None
    health: HealthCollector
    cancel: CancelToken
    recognised: Mapping[int, RecognisedLeaf]
    source: LeafSource


def _read(reading: _Reading) -> Iterator[Drafted]:
    document, path, health = reading.document, reading.path, reading.health
    leaves = yield from _leaves_of(reading)
    still_here = ReadSoFar(int(len(leaves) * _SHARE_OF_LEAVES), len(leaves))
    marks = MarkupReader(document)
    marked = yield from _marked(reading, leaves, marks)
    if not marked and all(leaf.kind == "empty" for leaf in leaves):
        raise _nothing(path.name, is_repaired=document.is_repaired)
    for note in _notes_on(leaves, reading.source.skipped):
        health.note(note)
    measures = Measures.of(leaves)
    yield still_here  # Each step over all leaves takes seconds in a very long file, and silence has a limit.
    take_furniture(leaves, measures)
    yield still_here
    told = told_of(document, path, leaves, labels_of(leaves), measures)
    words = [count_words("\n".join(line.text for line in leaf.lines)) for leaf in leaves]
    yield still_here
    plan = plan_of(document, leaves, measures, words, told.labels, told.title, health)
    yield replace(told, structure=plan.structure)
    notes = tie_notes(leaves, measures, plan.places)
    for part in _paragraphs(leaves, plan, notes, measures, told.labels, reading.cancel):
        yield notes.marked(part) if isinstance(part, Draft) else part
    attached = attachments_of(document)
    for note in notes_of(marked, attached, has_more=marks.has_more):
        health.note(note)
    yield from batches(_leaf_healths(leaves, told.labels, words), marked, attached)


def _leaves_of(reading: _Reading) -> Generator[ReadSoFar, None, list[Leaf]]:
    """All leaves in their order, each with the text that was recognised on it; tells how many there are by now."""
    leaves: list[Leaf] = []
    count, told_at = reading.document.page_count, time.monotonic()
    yield ReadSoFar(0, count)
    with closing(reading.source.leaves(reading.document, reading.path, reading.password, reading.cancel)) as found:
        for leaf in found:
            recognised = reading.recognised.get(leaf.index)
            leaves.append(lay(leaf, recognised) if recognised else leaf)
            reading.cancel.raise_if_cancelled()
            is_due = len(leaves) % _LEAVES_BETWEEN_TOLD == 0 or time.monotonic() - told_at > _SECONDS_BETWEEN_TOLD
            if is_due and len(leaves) < count:
                told_at = time.monotonic()
                yield ReadSoFar(int(len(leaves) * _SHARE_OF_LEAVES), count)
    leaves.sort(key=lambda leaf: leaf.index)
    return leaves


def _marked(reading: _Reading, leaves: Sequence[Leaf], marks: MarkupReader) -> Generator[ReadSoFar, None, list[Markup]]:
    """What is marked on all leaves; sets their labels by the way, and tells that it goes on."""
    labels, told_at = labels_in(reading.document), time.monotonic()
    marked: list[Markup] = []
    for leaf in leaves:
        reading.cancel.raise_if_cancelled()
        if time.monotonic() - told_at > _SECONDS_BETWEEN_TOLD:
            told_at = time.monotonic()
            yield ReadSoFar(int(len(leaves) * _SHARE_OF_LEAVES), len(leaves))
        leaf.label = labels[leaf.index] if labels else ""
        if leaf.kind in ("scan", "unreadable"):
            reading.health.unreadable(leaf.index)
        if leaf.index in reading.source.skipped:
            continue
        reading.source.at(leaf.index)
        found, recognised = marks.of_leaf(leaf.index), reading.recognised.get(leaf.index)
        marked += marked_words(found, recognised) if recognised else found
    reading.source.at(ALL_READ)
    return marked


def _notes_on(leaves: Sequence[Leaf], skipped: Collection[int]) -> Iterator[str]:
    """What a person should know of leaves whose text cannot be read."""
    for index in sorted(skipped):
        yield f"Leaf {index + 1} could not be read: it stops the program that reads it, so it was left out."
    if others := [leaf for leaf in leaves if leaf.index not in skipped]:
        yield from notes_on_text(others)


def _nothing(name: str, *, is_repaired: bool) -> DocumentError:
    if is_repaired:
        return DocumentError(f"{name} is damaged: nothing is left on its leaves.", "Get the file again.")
    return NoTextError(f"{name} holds no words to read: its leaves are empty.", "Open a file that does.")


def _leaf_healths(leaves: Sequence[Leaf], labels: Sequence[str], words: Sequence[int]) -> Iterator[LeafHealth]:
    """What came out of each leaf; words are counted before paragraphs are made, all else is known after that."""
    for leaf, count in zip(leaves, words, strict=True):
        label = labels[leaf.index] if labels else ""
        yield LeafHealth(leaf.index, label, leaf.kind, count, leaf.columns, leaf.quality, tuple(leaf.furniture))


# -- paragraphs --------------------------------------------------------------------------------------------------


def _paragraphs(
    leaves: Sequence[Leaf],
    plan: Plan,
    notes: Notes,
    measures: Measures,
    labels: Sequence[str],
    cancel: CancelToken,
) -> Iterator[Start | Draft | ReadSoFar]:
    by_leaf: defaultdict[int, list[Place]] = defaultdict(list)
    for place in plan.places:
        by_leaf[place.leaf].append(place)
    flow = Flow(measures)
    for leaf in leaves:
        cancel.raise_if_cancelled()
        if leaf.index % _LEAVES_BETWEEN_TOLD == 0:
            done = len(leaves) * _SHARE_OF_LEAVES + leaf.index * (1 - _SHARE_OF_LEAVES)
            yield ReadSoFar(int(done), len(leaves))
        label = label_of(leaf.index, labels)
        blocks = blocks_of(leaf, in_reading_order(leaf), measures)
        leaf.lines = []
        notes.settle(leaf.index, blocks)
        starts = place_titles(by_leaf[leaf.index], blocks, flow.goes_on_in)
        settle_kinds(blocks, starts, is_front=leaf.index in plan.front)
        for number, block in enumerate(blocks):
            started = starts.get(number, ())
            if started:
                yield from flow.flush()
            yield from (Start(place.title, place.level, label, place.matter) for place in started)
            yield from flow.add(block, leaf.index, started[0].level if started else 0)
        if len(blocks) in starts:
            yield from flow.flush()
            yield from (Start(place.title, place.level, label, place.matter) for place in starts[len(blocks)])
    yield from flow.flush()
