"""Rows of the tables and the values they stand for: documents, sections, paragraphs.

Both directions stand side by side, so that what is written comes back as it was. What must stay true: a row for a table
is a tuple in the order of the columns that its INSERT names.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from readdesk.documents.fileread import FileRead
from readdesk.documents.model import (
    Choices,
    Health,
    LeafSpot,
    Mark,
    Paragraph,
    Section,
    marks_from_text,
    marks_to_text,
    pieces_from_text,
    pieces_to_text,
    sections_with,
)
from readdesk.library.model import DocumentRecord
from readdesk.library.versions import with_defaults

INSERT_SECTION = (
    "INSERT INTO sections (document, number, title, level, parent, start, label, words, language, matter, left_out,"
    " leaf) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
INSERT_PARAGRAPH = (
    "INSERT INTO paragraphs (document, start, section, kind, text, pieces, level, marks)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)

_READ_ALOUD = ("note", "alt", "superscript")
MARKS_AS_READ = (
    "CASE WHEN instr(marks, ' note') OR instr(marks, ' alt') OR instr(marks, ' superscript')"
    " THEN marks ELSE '' END AS marks"
)
"""The marks of a paragraph where a model reads something else than its text; most paragraphs have none."""


def document_row(read: FileRead, text_hash: str) -> dict[str, Any]:
    """What the table of documents holds of a file that was read."""
    head, health = read.head, read.health
    return {
        "file_hash": head.file_hash,
        "text_hash": text_hash,
        "title": head.title,
        "authors": authors_to_text(head.authors),
        "language": health.language or head.language,
        "format": head.format,
        "path": str(read.path),
        "size": head.size,
        "characters": health.characters,
        "words": health.words,
        "notes": json.dumps(health.notes, ensure_ascii=False),
        "structure": health.structure,
        "encoding": health.encoding,
        "choices": json.dumps(asdict(read.choices), ensure_ascii=False),
        "labelling": head.labelling,
    }


def new_document_row(row: dict[str, Any]) -> dict[str, Any]:
    """The row of a document that is new in the library."""
    return {**row, "kind": "", "added": datetime.now(UTC).isoformat(timespec="seconds")}


def unsaved_record(read: FileRead) -> DocumentRecord:
    """The record that a file would get, for one that is not added."""
    return record_of({**new_document_row(document_row(read, "")), "id": 0, "added": "", "numbering": ""})


def authors_to_text(authors: Sequence[str]) -> str:
    """The authors as they are kept."""
    return json.dumps(authors, ensure_ascii=False)


def record_of(row: dict[str, Any]) -> DocumentRecord:
    """The document that a row of the table describes."""
    return DocumentRecord(
        id=row["id"],
        title=row["title"],
        authors=tuple(json.loads(row["authors"])),
        language=row["language"],
        format=row["format"],
        path=row["path"],
        file_hash=row["file_hash"],
        characters=row["characters"],
        words=row["words"],
        kind=row["kind"],
        notes=tuple(json.loads(row["notes"])),
        added=row["added"],
        size=row["size"],
        structure=row["structure"],
        encoding=row["encoding"],
        choices=Choices(**json.loads(row["choices"])),
        text_hash=row["text_hash"],
        labelling="set" if row["numbering"] else row["labelling"],
    )


def judged_sections(sections: Sequence[Section], health: Health) -> tuple[Section, ...]:
    """The sections with what was found out about them, and what of them is left out at first."""
    return with_defaults(sections_with(sections, health)) if health.sectioned else tuple(sections)


def section_rows(
    document: int, sections: Sequence[Section], paragraphs: Sequence[Paragraph]
) -> Iterator[tuple[Any, ...]]:
    """Rows for INSERT_SECTION; the text tells on which leaf of a PDF each section begins."""
    for section in sections:
        yield (
            *(document, section.index, section.title, section.level, section.parent, section.start, section.label),
            *(section.words, section.language, section.matter, section.is_left_out),
            _leaf_at(section.start, paragraphs),
        )


def _leaf_at(position: int, paragraphs: Sequence[Paragraph]) -> int:
    """The leaf of the first paragraph from a position on, -1 where that is on none."""
    at = bisect_left(paragraphs, position, key=lambda paragraph: paragraph.start)
    spot = paragraphs[at].pieces[0].spot if at < len(paragraphs) and paragraphs[at].pieces else None
    return spot.leaf if isinstance(spot, LeafSpot) else -1


def section_of(row: dict[str, Any], labels: Sequence[str] = ()) -> Section:
    """The section that a row describes; with other labels of the leaves than the file's, where there are any."""
    leaf = row["leaf"]
    label = labels[leaf] or str(leaf + 1) if 0 <= leaf < len(labels) else row["label"]
    return Section(
        *(row["number"], row["title"], row["level"], row["parent"], row["start"], label),
        *(row["words"], row["language"], row["matter"], bool(row["left_out"])),
    )


def paragraph_rows(document: int, paragraphs: Sequence[Paragraph]) -> Iterator[tuple[Any, ...]]:
    """Rows for INSERT_PARAGRAPH."""
    for p in paragraphs:
        set_as = p.level, marks_to_text(p.marks)
        yield (document, p.start, p.section, p.kind, p.text, pieces_to_text(p.pieces), *set_as)


def paragraph_of(row: dict[str, Any]) -> Paragraph:
    """The paragraph that a row describes."""
    pieces, marks = pieces_from_text(row["pieces"]), marks_from_text(row["marks"])
    return Paragraph(row["section"], row["start"], row["text"], pieces, row["kind"], row["level"], marks)


def paragraph_as_read(row: dict[str, Any]) -> Paragraph:
    """The paragraph with only those marks that change what a model reads."""
    marks: tuple[Mark, ...] = ()
    if row["marks"]:
        marks = tuple(mark for mark in marks_from_text(row["marks"]) if mark.kind in _READ_ALOUD)
    return Paragraph(row["section"], row["start"], row["text"], (), row["kind"], marks=marks)
