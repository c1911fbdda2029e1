"""PDF through PyMuPDF: its leaves are read one by one, then what is known only from all of them makes text of it.

The way of a leaf: its lines (`extract.py`), without furniture (`furniture.py`), in reading order (`order.py`), as
paragraphs (`layout.py`), in sections (`sections.py`). What must stay true: one leaf at a time; cancel is looked at for
every leaf.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from readdesk.cancel import CancelToken
from readdesk.documents.draft import Draft, Drafted, ReadSoFar, Start, Told
from readdesk.documents.health import HealthCollector, is_unusable
from readdesk.documents.model import Labelling, LeafHealth, Markup
from readdesk.documents.normal import count_words, one_line
from readdesk.documents.pdf.attached import attachments_of
from readdesk.documents.pdf.extract import leaf_of
from readdesk.documents.pdf.file import FAILURES, open_file
from readdesk.documents.pdf.flow import Flow
from readdesk.documents.pdf.furniture import take_furniture
from readdesk.documents.pdf.labels import labels_of
from readdesk.documents.pdf.layers import MarkupReader, batches, notes_of
from readdesk.documents.pdf.layout import blocks_of
from readdesk.documents.pdf.leaves import Leaf, Measures, rows_of
from readdesk.documents.pdf.order import in_reading_order
from readdesk.documents.pdf.sections import Place, find_lost, from_headings, in_parts, label_of, place_titles
from readdesk.errors import NoTextError

_JUNK_TITLE = re.compile(
    r"^(untitled|title|document\d*|microsoft word.*|.*\.(docx?|tex|dvi|indd|qxd|rtf|pdf|ps))$", re.I
)
_AUTHOR_GAP = re.compile(r"\s*[;&]\s*|\s+and\s+")
_MARKED_TEXT = re.compile(r"([^\W\d_]{3}|[.,;:!?)”’\"])$")
_NAMED_DESTINATION = 4
_WORD_GAP = 1.5
_LEAVES_BETWEEN_TOLD = 16
_SHARE_OF_LEAVES = 2 / 3


def read(path: Path, password: str | None, health: HealthCollector, cancel: CancelToken) -> Iterator[Drafted]:
    """What a PDF says of itself, then its sections and paragraphs.

    Raises PasswordNeeded, NoTextError (a scan) or DocumentError (damaged, empty, no PDF).
    """
    document = open_file(path, password)
    try:
        if document.is_repaired:
            health.note("The file is damaged; it was repaired as far as possible, and parts may be missing.")
        yield from _read(document, path, health, cancel)
    finally:
        document.close()


def _read(document: Any, path: Path, health: HealthCollector, cancel: CancelToken) -> Iterator[Drafted]:
    leaves: list[Leaf] = []
    marks, marked = MarkupReader(document), list[Markup]()
    for index in range(document.page_count):
        cancel.raise_if_cancelled()
        if index % _LEAVES_BETWEEN_TOLD == 0:
            yield ReadSoFar(int(index * _SHARE_OF_LEAVES), document.page_count)
        leaf = leaf_of(document, index)
        if is_unusable("".join(line.text for line in leaf.lines)):
            health.unreadable(index)
            leaf.kind, leaf.lines = "unreadable" if leaf.lines else "scan", []
        leaves.append(leaf)
        marked += marks.of_leaf(index)
    if not any(leaf.lines for leaf in leaves):
        raise NoTextError(
            f"{path.name} holds no text that can be read: it is a scan, or its letters have no meaning to a computer.",
            "Text recognition (OCR) is not there yet; give the file a text layer with an OCR program first.",
        )
    measures = Measures.of(leaves)
    take_furniture(leaves, measures)
    told = _told(document, path, leaves, labels_of(leaves), measures)
    yield told
    words = [sum(count_words(line.text) for line in leaf.lines) for leaf in leaves]
    places = _places(document, leaves, measures, told.labels, health)
    yield from _paragraphs(leaves, places, measures, told, cancel)
    attached = attachments_of(document)
    for note in notes_of(marked, attached, has_more=marks.has_more):
        health.note(note)
    yield from batches(_leaf_healths(leaves, told.labels, words), marked, attached)


def _leaf_healths(leaves: Sequence[Leaf], labels: Sequence[str], words: Sequence[int]) -> Iterator[LeafHealth]:
    """What came out of each leaf; words are counted before paragraphs are made, all else is known after that."""
    for leaf, count in zip(leaves, words, strict=True):
        label = labels[leaf.index] if labels else ""
        yield LeafHealth(leaf.index, label, leaf.kind, count, leaf.columns, leaf.quality, tuple(leaf.furniture))


# -- what the file tells -----------------------------------------------------------------------------------------


def _told(document: Any, path: Path, leaves: Sequence[Leaf], labels: Sequence[str], measures: Measures) -> Told:
    facts = document.metadata or {}
    title = one_line(facts.get("title") or "")
    if not title or _JUNK_TITLE.match(title):
        title = _largest(leaves[0], measures) or path.stem
    authors = [one_line(name) for name in _AUTHOR_GAP.split(facts.get("author") or "")]
    return Told(
        title=title,
        authors=tuple(name for name in authors if name),
        language=_language(document),
        leaves=len(leaves),
        labels=tuple(labels),
        labelling=_labelling(leaves, labels),
    )


def _labelling(leaves: Sequence[Leaf], labels: Sequence[str]) -> Labelling:
    if not any(labels):
        return ""
    return "file" if all(leaf.label == label for leaf, label in zip(leaves, labels, strict=True)) else "found"


def _largest(leaf: Leaf, measures: Measures) -> str:
    """The largest text of the first leaf, which is the title of most papers and books that name none."""
    rows = [row for row in rows_of(leaf.lines) if row.is_level and sum(map(str.isalpha, row.text)) >= 3]
    size = max((row.size for row in rows), default=0.0)
    text = one_line(" ".join(row.text for row in rows if row.size > size - 0.5))
    return text if size >= 1.15 * measures.body and len(text) <= 200 else ""


def _language(document: Any) -> str:
    try:
        kind, value = document.xref_get_key(document.pdf_catalog(), "Lang")
    except FAILURES:
        return ""
    return str(value) if kind == "string" and re.fullmatch(r"[A-Za-z]{2,3}(-[\w-]+)?", value) else ""


def _places(
    document: Any,
    leaves: Sequence[Leaf],
    measures: Measures,
    labels: Sequence[str],
    health: HealthCollector,
) -> list[Place]:
    outline = _outline(document, leaves)
    places = find_lost(outline, leaves, measures)
    if len(places) < len(outline):
        health.note(f"{len(outline) - len(places)} entries of the outline point to places that are not in the file.")
    if places:
        return sorted(places, key=lambda place: place.leaf)
    return from_headings(leaves, measures) or in_parts(len(leaves), labels)


def _outline(document: Any, leaves: Sequence[Leaf]) -> list[Place]:
    try:
        entries = document.get_toc(simple=False)
    except FAILURES:
        return []
    places = []
    for level, title, number, destination in entries:
        leaf = number - 1 if 0 < number <= len(leaves) else -1
        point = destination.get("to") if leaf >= 0 else None
        top = None
        if point is not None:
            # PyMuPDF 2.0 turns the height of a direct destination to count from the top, not that of a named one.
            top = leaves[leaf].height - point.y if destination.get("kind") == _NAMED_DESTINATION else point.y
        places.append(Place(one_line(title), level, leaf, top if top and top > 0 else None))
    return places


# -- paragraphs --------------------------------------------------------------------------------------------------


def _paragraphs(
    leaves: Sequence[Leaf],
    places: Sequence[Place],
    measures: Measures,
    told: Told,
    cancel: CancelToken,
) -> Iterator[Start | Draft | ReadSoFar]:
    by_leaf: defaultdict[int, list[Place]] = defaultdict(list)
    for place in places:
        by_leaf[place.leaf].append(place)
    flow = Flow(measures)
    has_start = False
    for leaf in leaves:
        cancel.raise_if_cancelled()
        if leaf.index % _LEAVES_BETWEEN_TOLD == 0:
            done = len(leaves) * _SHARE_OF_LEAVES + leaf.index * (1 - _SHARE_OF_LEAVES)
            yield ReadSoFar(int(done), len(leaves))
        label = label_of(leaf.index, told.labels)
        blocks = blocks_of(leaf, in_reading_order(leaf), measures)
        leaf.lines = []
        starts = place_titles(by_leaf[leaf.index], blocks)
        for number, block in enumerate(blocks):
            if number in starts or not has_start:
                yield from flow.flush()
            if not has_start and number not in starts:
                yield Start(told.title, 1, label)
            has_start = True
            yield from (Start(place.title, place.level, label) for place in starts.get(number, ()))
            yield from flow.add(block, leaf.index, starts[number][0].level if number in starts else 0)
        if len(blocks) in starts:
            yield from flow.flush()
            has_start = True
            yield from (Start(place.title, place.level, label) for place in starts[len(blocks)])
    yield from flow.flush()
