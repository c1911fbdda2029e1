"""PDF through PyMuPDF: leaves, outline, labels.

A leaf's own text, in which a LeafSpot's offsets count, is made of all lines of all text blocks of
`page.get_text("dict", flags=LEAF_FLAGS)`, in that order, each line being its spans' texts put together, lines joined by
"\\n". Rectangles are those of lines on the *drawn* leaf: the library counts on the unrotated page, so the page's
rotation matrix is applied. Ligatures come apart by those flags, so that text compares as people write it.

PyMuPDF 2.0 imports its layout part with onnxruntime (0.7 s, 140 MB); it is kept out (0.25 s, 85 MB). What must stay
true: `needs_pass` is asked before any page; one leaf at a time; cancel is looked at for every leaf.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from readdesk.cancel import CancelToken
from readdesk.documents.draft import Draft, Drafted, ReadSoFar, Start, Told
from readdesk.documents.health import HealthCollector, is_unusable
from readdesk.documents.model import Rectangle
from readdesk.documents.normal import one_line
from readdesk.documents.pdf.furniture import furniture_of
from readdesk.documents.pdf.layout import Block, blocks_of, draft_of, in_reading_order
from readdesk.documents.pdf.leaves import Leaf, Line, Measures, rows_of
from readdesk.documents.pdf.sections import Place, find_lost, from_headings, in_parts, label_of, place_titles
from readdesk.errors import DocumentError, NoTextError, PasswordNeeded

sys.modules.setdefault("pymupdf.layout", None)  # type: ignore[arg-type]  # None is how an import is refused
import pymupdf as typed_in_part  # noqa: E402 - after its layout part has been kept out

pymupdf: Any = typed_in_part

LEAF_FLAGS: int = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
"""The flags of `get_text` that a leaf's own text is defined by."""

_FAILURES = (RuntimeError, ValueError, IndexError, pymupdf.mupdf.FzErrorBase)
_BOLD, _MONO = pymupdf.TEXT_FONT_BOLD, pymupdf.TEXT_FONT_MONOSPACED
_MONO_NAMES = re.compile(r"mono|courier|typewriter|consol|cmtt|lmtt|menlo|inconsolata", re.IGNORECASE)
_JUNK_TITLE = re.compile(
    r"^(untitled|title|document\d*|microsoft word.*|.*\.(docx?|tex|dvi|indd|qxd|rtf|pdf|ps))$", re.I
)
_AUTHOR_GAP = re.compile(r"\s*[;&]\s*|\s+and\s+")
_MARKED_TEXT = re.compile(r"([^\W\d_]{3}|[.,;:!?)”’\"])$")
_NAMED_DESTINATION = 4
_WORD_GAP = 1.5
_LOWEST_LEVEL = 6
_LEAVES_BETWEEN_TOLD = 16
_SHARE_OF_LEAVES = 2 / 3


def silence() -> None:
    """Keep MuPDF's complaints about damaged files off the screen: the person gets a sentence instead."""
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.no_recommend_layout()


def read(path: Path, password: str | None, health: HealthCollector, cancel: CancelToken) -> Iterator[Drafted]:
    """What a PDF says of itself, then its sections and paragraphs.

    Raises PasswordNeeded, NoTextError (a scan) or DocumentError (damaged, empty, no PDF).
    """
    document = _open(path, password)
    try:
        if document.is_repaired:
            health.note("The file is damaged; it was repaired as far as possible, and parts may be missing.")
        yield from _read(document, path, health, cancel)
    finally:
        document.close()


def _open(path: Path, password: str | None) -> Any:
    damaged = DocumentError(f"{path.name} is damaged and cannot be read as a PDF.", "Get the file again.")
    try:
        document = pymupdf.open(path, filetype="pdf")
        if document.needs_pass and not document.authenticate(password or ""):
            document.close()
            raise _locked(path.name, password)
        is_empty = not document.is_pdf or document.page_count == 0
    except _FAILURES as error:
        raise damaged from error
    if is_empty:
        document.close()
        raise DocumentError(f"{path.name} is damaged or was cut short: no page is left in it.", "Get the file again.")
    return document


def _locked(name: str, password: str | None) -> PasswordNeeded:
    if password is None:
        return PasswordNeeded(
            f"{name} is locked with a password.", "Type it to open the file.", "Give it with --password."
        )
    return PasswordNeeded(
        f"The password for {name} is wrong.", "Type the right one.", "Give the right one with --password."
    )


def _read(document: Any, path: Path, health: HealthCollector, cancel: CancelToken) -> Iterator[Drafted]:
    leaves, labels = [], []
    for index in range(document.page_count):
        cancel.raise_if_cancelled()
        if index % _LEAVES_BETWEEN_TOLD == 0:
            yield ReadSoFar(int(index * _SHARE_OF_LEAVES), document.page_count)
        leaf, label = _leaf(document, index)
        if is_unusable("".join(line.text for line in leaf.lines)):
            health.unreadable(index)
            leaf.lines = []
        leaves.append(leaf)
        labels.append(label)
    if not any(leaf.lines for leaf in leaves):
        raise NoTextError(
            f"{path.name} holds no text that can be read: it is a scan, or its letters have no meaning to a computer.",
            "Text recognition (OCR) is not there yet; give the file a text layer with an OCR program first.",
        )
    measures = Measures.of(leaves)
    furniture = furniture_of(leaves, measures)
    told = _told(document, path, leaves, labels, measures)
    yield told
    places = _places(document, leaves, furniture, measures, told.labels, health)
    yield from _paragraphs(leaves, places, furniture, measures, told, cancel)


# -- leaves ------------------------------------------------------------------------------------------------------


def _leaf(document: Any, index: int) -> tuple[Leaf, str]:
    """A leaf's lines and printed label; a leaf that the library cannot read is empty."""
    try:
        page = document[index]
        leaf = Leaf(index, page.rect.width, page.rect.height)
        matrix = tuple(page.rotation_matrix) if page.rotation else None
        start = 0
        for block in page.get_text("dict", flags=LEAF_FLAGS)["blocks"]:
            for line in block.get("lines", ()):
                start = _add_line(leaf, line, block["number"], start, matrix)
        return leaf, page.get_label()
    except _FAILURES:
        return Leaf(index, 1.0, 1.0), ""


def _add_line(leaf: Leaf, line: Any, block: int, start: int, matrix: tuple[float, ...] | None) -> int:
    """Add a line of the library, in parts where a wide gap separates columns; return where the next one starts."""
    group: list[Any] = []
    for span in line["spans"]:
        if group and line["dir"][0] > 0.9 and (_has_gap(group[-1], span) or _is_note_mark(group[-1], span)):
            start = _add_part(leaf, line, group, block, start, matrix)
            group = []
        group.append(span)
    return _add_part(leaf, line, group, block, start, matrix) + 1


def _has_gap(before: Any, span: Any) -> bool:
    return bool(span["bbox"][0] - before["bbox"][2] > _WORD_GAP * span["size"])


def _is_note_mark(before: Any, span: Any) -> bool:
    """Whether a span is the raised number of a footnote, which must not be glued to the word before it."""
    is_raised = span["flags"] & pymupdf.TEXT_FONT_SUPERSCRIPT and span["text"].strip().isdigit()
    return bool(is_raised and _MARKED_TEXT.search(before["text"]))


def _add_part(
    leaf: Leaf, line: Any, spans: Sequence[Any], block: int, start: int, matrix: tuple[float, ...] | None
) -> int:
    text = "".join(span["text"] for span in spans)
    end = start + len(text)
    if not text.strip():
        return end
    box = (
        min(span["bbox"][0] for span in spans),
        min(span["bbox"][1] for span in spans),
        max(span["bbox"][2] for span in spans),
        max(span["bbox"][3] for span in spans),
    )
    main = max(spans, key=lambda span: len(span["text"].strip()))
    across, down = line["dir"]
    if matrix:
        across = across * matrix[0] + down * matrix[2]
    seen = [span for span in spans if span["text"].strip()]
    leaf.lines.append(
        Line(
            text,
            start,
            *_drawn(box, matrix),
            size=round(main["size"], 2),
            is_bold=all(span["flags"] & _BOLD for span in seen),
            is_mono=all(span["flags"] & _MONO or _MONO_NAMES.search(span["font"]) for span in seen),
            is_level=across > 0.9,
            block=block,
        )
    )
    return end


def _drawn(box: Rectangle, matrix: tuple[float, ...] | None) -> Rectangle:
    """A rectangle of the unrotated page on the drawn leaf."""
    left, top, right, bottom = box
    if matrix:
        a, b, c, d, e, f = matrix
        xs = sorted((left * a + top * c + e, right * a + bottom * c + e))
        ys = sorted((left * b + top * d + f, right * b + bottom * d + f))
        left, top, right, bottom = xs[0], ys[0], xs[1], ys[1]
    return round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)


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
        labels=tuple(labels) if any(labels) else (),
    )


def _largest(leaf: Leaf, measures: Measures) -> str:
    """The largest text of the first leaf, which is the title of most papers and books that name none."""
    rows = [row for row in rows_of(leaf.lines) if row.is_level and sum(map(str.isalpha, row.text)) >= 3]
    size = max((row.size for row in rows), default=0.0)
    text = one_line(" ".join(row.text for row in rows if row.size > size - 0.5))
    return text if size >= 1.15 * measures.body and len(text) <= 200 else ""


def _language(document: Any) -> str:
    try:
        kind, value = document.xref_get_key(document.pdf_catalog(), "Lang")
    except _FAILURES:
        return ""
    return str(value) if kind == "string" and re.fullmatch(r"[A-Za-z]{2,3}(-[\w-]+)?", value) else ""


def _places(
    document: Any,
    leaves: Sequence[Leaf],
    furniture: Mapping[int, set[int]],
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
    return from_headings(leaves, furniture, measures) or in_parts(len(leaves), labels)


def _outline(document: Any, leaves: Sequence[Leaf]) -> list[Place]:
    try:
        entries = document.get_toc(simple=False)
    except _FAILURES:
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
    furniture: Mapping[int, set[int]],
    measures: Measures,
    told: Told,
    cancel: CancelToken,
) -> Iterator[Start | Draft | ReadSoFar]:
    by_leaf: defaultdict[int, list[Place]] = defaultdict(list)
    for place in places:
        by_leaf[place.leaf].append(place)
    flow = _Flow(measures)
    has_start = False
    for leaf in leaves:
        cancel.raise_if_cancelled()
        if leaf.index % _LEAVES_BETWEEN_TOLD == 0:
            done = len(leaves) * _SHARE_OF_LEAVES + leaf.index * (1 - _SHARE_OF_LEAVES)
            yield ReadSoFar(int(done), len(leaves))
        label = label_of(leaf.index, told.labels)
        blocks = blocks_of(leaf, in_reading_order(leaf, furniture.get(leaf.index)), measures)
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


class _Flow:
    """Holds an unfinished paragraph, and the notes under it, until the next leaf shows whether it goes on."""

    def __init__(self, measures: Measures) -> None:
        self._measures = measures
        self._held: list[Block] = []
        self._level = 0

    def add(self, block: Block, leaf: int, level: int) -> Iterator[Draft]:
        """Take the next paragraph, with the level of the section that it starts; yield what is complete by it."""
        held = self._held[0] if self._held else None
        if held and held.rows[-1][0] < leaf and held.goes_on_in(block):
            held.rows += block.rows
            return
        if held and held.is_unfinished and block.kind == "note":
            self._held.append(block)
            return
        yield from self.flush()
        self._held, self._level = [block], min(level, _LOWEST_LEVEL)

    def flush(self) -> Iterator[Draft]:
        """Yield what is held."""
        for block in self._held:
            draft = draft_of(block, self._measures)
            if draft is not None:
                yield replace(draft, level=self._level) if draft.kind == "heading" else draft
        self._held = []
