"""A document whose file has changed: its new text put in the place of the old one, and what was made of it kept.

All of it is one transaction of the caller's; what takes time (reading the file, comparing the texts, writing out the
rows) is done before. Pages whose text is as it was move to where it stands now, with their gists; the others go, and
what they covered is to do again. Look-ups, highlights and the place where the document was left move with the text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from readdesk.documents.fileread import FileRead
from readdesk.documents.model import Section
from readdesk.library.highlights import HighlightRows
from readdesk.library.leaves import LeafRows
from readdesk.library.model import DocumentRecord
from readdesk.library.rows import INSERT_PARAGRAPH, INSERT_SECTION, paragraph_rows, section_rows
from readdesk.library.versions import Alignment, changed_words

_OF_DOCUMENT = """SELECT id FROM questions WHERE conversation IN (SELECT id FROM conversations WHERE document = ?)"""


@dataclass(frozen=True)
class Renewal:
    """All that is needed to bring a document up to date."""

    record: DocumentRecord
    row: dict[str, Any]
    alignment: Alignment
    sections: tuple[tuple[Any, ...], ...]
    paragraphs: list[tuple[Any, ...]]
    leaves: LeafRows
    highlights: HighlightRows
    section_of: tuple[int, ...]
    """The section of each paragraph of the new text."""

    @classmethod
    def of(
        cls,
        record: DocumentRecord,
        row: dict[str, Any],
        alignment: Alignment,
        sections: Sequence[Section],
        read: FileRead,
    ) -> Renewal:
        """Write out the rows of a document's new text."""
        return cls(
            record,
            row,
            alignment,
            tuple(section_rows(record.id, sections, read.paragraphs)),
            list(paragraph_rows(record.id, read.paragraphs)),
            LeafRows.of(read),
            HighlightRows.of(read),
            tuple(paragraph.section for paragraph in read.paragraphs),
        )

    def write(self, db: Database) -> None:
        """Put the new text in the place of the old one, within the caller's transaction."""
        number = self.record.id
        for table in ("sections", "paragraphs"):
            db.execute(f"DELETE FROM {table} WHERE document = ?", [number])
        db.conn.executemany(INSERT_SECTION, self.sections)
        db.conn.executemany(INSERT_PARAGRAPH, self.paragraphs)
        kept, pages = self._move_pages(db)
        if not self.alignment.is_identity:
            self._move_places(db)
        row = dict(self.row)
        is_same_file = row["file_hash"] == self.record.file_hash
        if not (self.alignment.is_identity and is_same_file):
            self.highlights.move(db, number, self.alignment, is_same_file=is_same_file)
        self.leaves.write(db, number)
        self.highlights.take_over(db, number)
        if row["text_hash"] != self.record.text_hash and (pages or not is_same_file):
            notes = [*json.loads(row["notes"]), changed_words(kept, pages, is_same_file=is_same_file)]
            row["notes"] = json.dumps(notes, ensure_ascii=False)
        db.table("documents").update(number, row)

    def _move_pages(self, db: Database) -> tuple[int, int]:
        """Move the pages that are as they were and drop the others; how many were kept, of how many."""
        number = self.record.id
        pages = db.execute("SELECT id, start, end FROM pages WHERE document = ? ORDER BY number", [number]).fetchall()
        moved = [(page, self.alignment.span(start, end)) for page, start, end in pages]
        db.conn.executemany("DELETE FROM pages WHERE id = ?", [(page,) for page, span in moved if span is None])
        # Out of the way first, because no two pages may have one number or start even for a moment.
        db.execute("UPDATE pages SET number = -number, start = -1 - start WHERE document = ?", [number])
        kept = [(page, *span) for page, span in moved if span is not None]
        db.conn.executemany(
            "UPDATE pages SET number = ?, start = ?, end = ?, section = ? WHERE id = ?",
            [
                (place, start, end, self.section_of[self.alignment.new.index_at(start)], page)
                for place, (page, start, end) in enumerate(kept, start=1)
            ],
        )
        return len(kept), len(pages)

    def _move_places(self, db: Database) -> None:
        """Move look-ups and the reading place; how a view showed the old text tells nothing of the new one."""
        number, nearest = self.record.id, self.alignment.nearest
        look_ups = db.execute(
            f"SELECT question, place, position FROM look_ups WHERE question IN ({_OF_DOCUMENT})"
            " AND position IS NOT NULL",
            [number],
        ).fetchall()
        db.conn.executemany(
            "UPDATE look_ups SET position = ? WHERE question = ? AND place = ?",
            [(nearest(position), question, place) for question, place, position in look_ups],
        )
        for (position,) in db.execute("SELECT position FROM places WHERE document = ?", [number]).fetchall():
            db.execute("UPDATE places SET position = ?, view = '' WHERE document = ?", [nearest(position), number])
