"""What a person should know before spending hours on a document: its parts, its length, how long a model will take.

The pages are counted as gisting will make them: of the mean length of their kind, and never over the end of a top-level
section. The time comes from what the model took for the pages it has done on this computer. Where it has done none, a
rule of thumb stands in: the larger its file, the slower it reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from readdesk.documents.collector import collector_at_rest
from readdesk.documents.fileread import FileRead
from readdesk.documents.model import AUTOMATIC, LeafSpot, Section, has_leaves, read_of_leaf
from readdesk.documents.normal import one_line
from readdesk.documents.numbering import leaf_of_label
from readdesk.documents.open import DocumentReader
from readdesk.errors import NotFoundError
from readdesk.jobs.add import FileRequest, read_file
from readdesk.jobs.events import Started
from readdesk.jobs.lane import Steps, Turn
from readdesk.library.highlights import in_order, marked_in
from readdesk.library.model import DocumentRecord, HealthReport, Highlight, LeafReport
from readdesk.library.rows import judged_sections, unsaved_record
from readdesk.library.store import Library
from readdesk.reading.paginate import SIZES, PageKind, kind_of

_WORDS_A_SECOND, _OF_BYTES = 55.0, 1.1e9
"""The rule of thumb: what a model of this size shortens on two ordinary cores."""

_OPENING_CHARACTERS = 80
_ONLY_OPENING_CHARACTERS = 400
"""Where nothing divides the text, its beginning is all that a person has to judge it by."""


@dataclass(frozen=True)
class Reader:
    """The model that a report is for, and its size in bytes; 0 where it is not on this computer."""

    name: str = ""
    size: int = 0


def examine(
    number: int, turn: Turn, library: Library, reader: DocumentReader, request: FileRequest, by: Reader, leaf: str = ""
) -> Steps:
    """Read a file without adding it; comes to its HealthReport, with a leaf by its name where one is asked for.

    Raises NotFoundError where there is no such leaf.
    """
    yield Started(number, f"Reading {request.path.name}")
    choices = request.choices or AUTOMATIC
    with collector_at_rest():
        read = yield from read_file(number, turn, reader, request, choices)
        assert read is not None
        record = unsaved_record(read)
        openings: dict[int, str] = {}
        for paragraph in read.paragraphs:
            if paragraph.kind != "heading":
                openings.setdefault(paragraph.section, paragraph.text)
        report = replace(
            _report(library, record, judged_sections(read.sections, read.health), openings, by),
            leaves=tuple(read.leaves),
            markups=tuple(markup.kind for markup in read.markups),
            attachments=tuple(read.attachments),
            leaf=_leaf_of(read, leaf) if leaf else None,
        )
        read.forget()
        return report


def health(library: Library, record: DocumentRecord, by: Reader, *, with_openings: bool = True) -> HealthReport:
    """The report of a document of the library; finding the openings is most of the work."""
    documents = library.documents
    openings = documents.openings(record) if with_openings else {}
    return replace(
        _report(library, record, documents.counted_sections(record), openings, by),
        leaves=library.leaves.all(record),
        markups=library.highlights.kinds(record),
        attachments=library.leaves.attachments(record),
    )


def leaf_report(library: Library, record: DocumentRecord, name: str) -> LeafReport:
    """One leaf of a document, by its printed label, else by its number; raises NotFoundError."""
    leaves = library.leaves.all(record)
    leaf = find_leaf(record, [leaf.label for leaf in leaves], name)
    text = library.documents.leaf_text(record, leaf)
    return LeafReport(leaves[leaf], len(leaves), text, _marked_on(library.highlights.all(record), leaf))


def _leaf_of(read: FileRead, name: str) -> LeafReport:
    """The same of a file that is not in the library."""
    leaf = find_leaf(unsaved_record(read), [leaf.label for leaf in read.leaves], name)
    text = "\n\n".join(text for _, text in read_of_leaf(read.paragraphs, leaf))
    return LeafReport(read.leaves[leaf], len(read.leaves), text, _marked_on(in_order(marked_in(read)), leaf))


def _marked_on(highlights: Sequence[Highlight], leaf: int) -> tuple[Highlight, ...]:
    places = ((mark, mark.anchor.spots[0]) for mark in highlights)
    return tuple(mark for mark, spot in places if isinstance(spot, LeafSpot) and spot.leaf == leaf)


def find_leaf(record: DocumentRecord, labels: Sequence[str], name: str) -> int:
    """The leaf (0-based) of a printed label, else of a number counted from one ("#3" is always a number).

    Raises NotFoundError.
    """
    if not labels and has_leaves(record.format):
        what = f"\u201c{record.title}\u201d was added by an earlier ReadDesk, which kept nothing of its leaves."
        raise NotFoundError(what, "Add its file again; gists and highlights stay.")
    if not labels:
        raise NotFoundError(f"\u201c{record.title}\u201d has no leaves.", "Only PDFs have leaves, and files like them.")
    number = name.strip().removeprefix("#")
    found = None if name.strip().startswith("#") else leaf_of_label(labels, name)
    if found is None and number.isdecimal() and 1 <= int(number) <= len(labels):
        found = int(number) - 1
    if found is None:
        raise NotFoundError(
            f"\u201c{record.title}\u201d has no leaf \u201c{name.strip()}\u201d.",
            f"Give a printed page number, or one of its {len(labels)} leaves as a number: #1 is the first.",
        )
    return found


def _report(
    library: Library, record: DocumentRecord, sections: tuple[Section, ...], openings: Mapping[int, str], by: Reader
) -> HealthReport:
    words = sum(section.words for section in sections if not section.is_left_out)
    kind = cast(PageKind, record.kind or kind_of(record.words))
    pace = library.gists.pace(by.name) if by.size else None
    thumb = _WORDS_A_SECOND * _OF_BYTES / by.size if by.size else None
    rate = pace or thumb
    longest = _OPENING_CHARACTERS if len(sections) > 1 else _ONLY_OPENING_CHARACTERS
    return HealthReport(
        record,
        sections,
        pages_of(sections, kind),
        by.name,
        words / rate if rate else None,
        pace is not None,
        tuple(_opening(openings.get(section.index, ""), longest) for section in sections),
    )


def pages_of(sections: Sequence[Section], kind: PageKind) -> int:
    """About how many pages a kind makes of what is not left out."""
    mean = (SIZES[kind].longest + SIZES[kind].shortest) / 2
    chapters: list[int] = []
    for section in sections:
        if section.level <= 1 or not chapters:
            chapters.append(0)
        chapters[-1] += 0 if section.is_left_out else section.words
    return sum(max(1, round(words / mean)) for words in chapters if words)


def _opening(text: str, longest: int) -> str:
    line = one_line(text)
    if len(line) <= longest:
        return line
    start = line[: longest + 1]
    return (start[: start.rfind(" ")] if " " in start else start[:-1]) + " …"
