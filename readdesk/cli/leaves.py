"""What is told of the leaves of a PDF: a line for each kind of leaf, or one leaf with all that a model reads of it.

A leaf is named by what is printed on it, since that is what people see; "#3" is the third leaf of the file. Both are
always told, so that nobody looks at the wrong one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from readdesk.documents.model import FurnitureKind, Labelling, LeafHealth, LeafKind, MarkupKind
from readdesk.library.model import DocumentRecord, HealthReport, Highlight, LeafReport

_MOST_RANGES = 20
_LONGEST_QUOTE = 200

_KINDS: dict[LeafKind, str] = {
    "text": "with text",
    "ocr": "with recognised text",
    "scan": "with a picture only",
    "unreadable": "unreadable",
    "empty": "empty",
}
_ONE: dict[LeafKind, str] = {
    "text": "Text of the file",
    "ocr": "Text that a program recognised in a picture",
    "scan": "A picture without text",
    "unreadable": "Text whose letters have no meaning to a computer",
    "empty": "Nothing stands on it",
}
_LISTED: dict[LeafKind, str] = {
    "ocr": "Recognised text",
    "scan": "Pictures only, which a model cannot read",
    "unreadable": "Unreadable, left out",
}
_LABELLINGS: dict[Labelling, str] = {
    "": "no page numbers are known",
    "file": "page numbers are the file's own",
    "found": "page numbers are those printed on the leaves",
    "set": "page numbers are as you set them",
}
_FURNITURE: dict[FurnitureKind, str] = {
    "head": "running head",
    "foot": "running foot",
    "number": "page number",
    "stamp": "stamp",
    "line": "line number",
    "margin": "note in the margin",
}
_MARKUPS: dict[MarkupKind, str] = {
    "highlight": "highlight",
    "underline": "underlined",
    "strikeout": "struck out",
    "note": "note",
    "text": "typed on it",
    "drawing": "drawing",
}


def leaves_lines(report: HealthReport) -> list[str]:
    """The leaves of a PDF in a few lines; none for other documents."""
    leaves = report.leaves
    if not leaves:
        return []
    counted = Counter(leaf.kind for leaf in leaves)
    kinds = ", ".join(f"{counted[kind]:,} {words}" for kind, words in _KINDS.items() if counted[kind])
    count = "1 leaf" if len(leaves) == 1 else f"{len(leaves):,} leaves"
    lines = [f"  {count}: {kinds}; {_LABELLINGS[report.document.labelling]}"]
    for kind, words in _LISTED.items():
        if found := [leaf for leaf in leaves if leaf.kind == kind]:
            lines.append(f"    {words}{_quality_words(found)}: {ranges_words(found)}")
    return lines


def _quality_words(leaves: Sequence[LeafHealth]) -> str:
    qualities = [round(100 * leaf.quality) for leaf in leaves if leaf.quality is not None]
    if not qualities:
        return ""
    low, high = min(qualities), max(qualities)
    return f" (quality about {low} %)" if low == high else f" (quality about {low} to {high} %)"


def ranges_words(leaves: Sequence[LeafHealth]) -> str:
    """Leaves by what is printed on them, neighbours as ranges: "12\u201314, 20, #31"."""
    groups = groupby(enumerate(leaves), key=lambda pair: (pair[1].index - pair[0], bool(pair[1].label)))
    ranges = []
    for _, group in groups:
        found = [_name(leaf) for _, leaf in group]
        ranges.append(found[0] if len(found) == 1 else f"{found[0]}\u2013{found[-1]}")
    more = f" and {len(ranges) - _MOST_RANGES:,} more" if len(ranges) > _MOST_RANGES else ""
    return ", ".join(ranges[:_MOST_RANGES]) + more


def _name(leaf: LeafHealth) -> str:
    return leaf.label or f"#{leaf.index + 1}"


def leaf_words(document: DocumentRecord, report: LeafReport) -> str:
    """One leaf for a person: what it is, what was taken out, what is marked on it, and what a model reads of it."""
    leaf = report.health
    columns = f"{leaf.columns} columns" if leaf.columns > 1 else "1 column"
    size = f", {leaf.words:,} words in {columns}" if leaf.words else ""
    lines = [
        f"\u201c{document.title}\u201d, {_place_words(report)}",
        f"  {_ONE[leaf.kind]}{_quality_words([leaf])}{size}",
        *(f"  Taken out: {_FURNITURE[found.kind]} \u201c{found.text}\u201d" for found in leaf.furniture),
        *(f"  Marked on it: {_mark_words(mark)}" for mark in report.highlights),
        "  What a model reads:" if report.text else "  A model reads nothing of it.",
    ]
    return "\n".join([*lines, "", report.text] if report.text else lines)


def _place_words(report: LeafReport) -> str:
    leaf = report.health
    place = f"leaf {leaf.index + 1:,} of {report.leaves:,}"
    return f"p. {leaf.label} ({place})" if leaf.label else place


def _mark_words(mark: Highlight) -> str:
    quote = mark.quote[:_LONGEST_QUOTE] + ("\u2026" if len(mark.quote) > _LONGEST_QUOTE else "")
    quoted = f" \u201c{' '.join(quote.split())}\u201d" if quote else ""
    by = f" by {mark.author}" if mark.author else ""
    said = f": {' '.join(mark.note.split())}" if mark.note else ""
    return f"{_MARKUPS[mark.kind]}{quoted}{by}{said}"


def named_words(leaf: int, label: str) -> str:
    """What a person is told once they have said what is printed on a leaf (0-based)."""
    if not label:
        return f"Leaf {leaf + 1:,} is called again as it was found."
    return f"Leaf {leaf + 1:,} is p. {label} now; the leaves beside it count on from that."


# -- for programs ------------------------------------------------------------------------------------------------


def leaves_json(report: HealthReport) -> dict[str, object]:
    """The leaves of a document, what is marked in it and which files lie in it."""
    return {
        "labels": report.document.labelling,
        "leaves": [leaf_health_json(leaf) for leaf in report.leaves],
        "marked": dict(Counter(report.markups)),
        "attachments": [
            {"name": file.name, "size": file.size, "description": file.description} for file in report.attachments
        ],
    }


def leaf_health_json(leaf: LeafHealth) -> dict[str, object]:
    """What came out of a leaf; it is counted from one."""
    return {
        "leaf": leaf.index + 1,
        "label": leaf.label,
        "kind": leaf.kind,
        "words": leaf.words,
        "columns": leaf.columns,
        "quality": leaf.quality,
        "taken_out": [{"kind": found.kind, "text": found.text} for found in leaf.furniture],
    }


def leaf_json(document: DocumentRecord, report: LeafReport) -> dict[str, object]:
    """One leaf with what a model reads of it."""
    return {
        "id": document.id,
        "title": document.title,
        **leaf_health_json(report.health),
        "leaves": report.leaves,
        "marked": list(_marks_json(report.highlights)),
        "text": report.text,
    }


def _marks_json(highlights: Iterable[Highlight]) -> Iterable[dict[str, object]]:
    for mark in highlights:
        yield {
            "kind": mark.kind,
            "quote": mark.quote,
            "note": mark.note,
            "author": mark.author,
            "colour": mark.colour,
            "made": mark.made,
            "from_file": mark.is_from_file,
            "place": str(mark.anchor),
        }
