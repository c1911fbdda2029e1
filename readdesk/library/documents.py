"""Documents: what was added, with its whole text.

A document is known by the hash of its file and by that of its text, so the same file twice is one entry wherever it
lies, and so is one with a new cover or other tags. A file that was replaced by a new version of itself stays the same
document: what is as it was keeps its gists. Where it may as well be another book, both are kept: an entry too many is
soon seen, lost gists are hours of work. Adding is one transaction at the end of reading: a file that turns out to be
unreadable leaves no trace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from readdesk.documents.fileread import FileRead
from readdesk.documents.model import (
    Anchor,
    Document,
    DocumentHead,
    Format,
    Kind,
    Paragraph,
    Section,
    Spot,
    find_anchor,
    read_of_leaf,
)
from readdesk.documents.normal import count_words, normal
from readdesk.errors import NotFoundError
from readdesk.library.connections import Connections
from readdesk.library.earlier import with_text_of
from readdesk.library.highlights import HighlightRows
from readdesk.library.leaves import LeafRows, labels_set, numbering, parts_renamed
from readdesk.library.model import DocumentRecord
from readdesk.library.renewal import Renewal
from readdesk.library.rows import (
    INSERT_PARAGRAPH,
    INSERT_SECTION,
    MARKS_AS_READ,
    document_row,
    judged_sections,
    new_document_row,
    paragraph_as_read,
    paragraph_of,
    paragraph_rows,
    record_of,
    section_of,
    section_rows,
)
from readdesk.library.versions import Alignment, Text, with_choices

_LIST = "`readdesk list` shows the library."
_OPENING = 600
_FEW_PAGES, _LEAST_WITH_PAGES = 2, 0.75
"""Where more pages than these would go, so much of the old work must still be there."""

_LEAST_AT_ONE_PATH = 0.2
"""A file that holds less of the old work than this is another book at the same place."""

_LEAST_UNDER_ANOTHER_NAME = 0.5
"""The same for one whose title or authors are others, or that says no title of its own."""

_LEAST_BY_NAME = 0.6
_TEXT_FORMATS: set[Format] = {"text", "markdown", "html"}
_LEAF_OF_PIECE = re.compile(r"^(\d+)-\d+ p(\d+):", re.MULTILINE)


class Documents:
    """The documents of a library."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def all(self) -> tuple[DocumentRecord, ...]:
        """Every document, in the order they were added."""
        return tuple(record_of(row) for row in self._connections.db.query("SELECT * FROM documents ORDER BY id"))

    def get(self, number: int) -> DocumentRecord:
        """The document with an id; raises NotFoundError."""
        for row in self._connections.db.query("SELECT * FROM documents WHERE id = ?", [number]):
            return record_of(row)
        raise NotFoundError(f"No document has the id {number}.", "It was removed meanwhile.", _LIST)

    def by_file_hash(self, file_hash: str) -> DocumentRecord | None:
        """The document made from a file with this hash, if there is one."""
        for row in self._connections.db.query("SELECT * FROM documents WHERE file_hash = ?", [file_hash]):
            return record_of(row)
        return None

    def at_path(self, path: Path) -> DocumentRecord | None:
        """The document whose file lies there, if there is one."""
        return _whose_file_it_is([record for record in self.all() if record.path == str(path)])

    def find(self, name: str) -> DocumentRecord:
        """The document named by an id, a path or the start of its title; raises NotFoundError for none or several."""
        records = self.all()
        places = _places(name)
        for record in records:
            if name == str(record.id):
                return record
        if (there := _whose_file_it_is([record for record in records if record.path in places])) is not None:
            return there
        wanted = normal(name)
        found = [record for record in records if wanted and normal(record.title).startswith(wanted)]
        exact = [record for record in found if normal(record.title) == wanted]
        if len(found) == 1 or len(exact) == 1:
            return (exact or found)[0]
        if not found:
            if size_of(Path(name)) is not None:
                raise NotFoundError(
                    f"{name} is not in the library.", "Add it first.", f"First run: readdesk add {name}"
                )
            raise NotFoundError(f"No document is called “{name}”.", "The library shows all.", _LIST)
        several = ", ".join(f"{record.id} “{record.title}”" for record in found)
        raise NotFoundError(f"“{name}” is the start of more than one title: {several}.", "Name one by its number.")

    def add(self, read: FileRead) -> DocumentRecord:
        """Keep a whole document, or bring the one up to date of which this is a new version."""
        judged = judged_sections(read.sections, read.health)
        text = _text_of(read.paragraphs, judged)
        if (known := self.by_file_hash(read.head.file_hash)) is not None:
            return known
        found = self._version_of(read, text)
        if found is not None:
            return self._renew(*found, judged, read) or self.add(read)
        row = new_document_row(document_row(read, text.hash))
        rows = list(paragraph_rows(0, read.paragraphs))
        leaves, highlights = LeafRows.of(read), HighlightRows.of(read)
        with self._connections.writing() as db:
            if (known := self.by_file_hash(read.head.file_hash)) is not None:
                return known  # Another program has added it meanwhile.
            db.table("documents").insert(row)
            number = int(db.execute("SELECT last_insert_rowid()").fetchone()[0])
            db.conn.executemany(INSERT_SECTION, section_rows(number, judged, read.paragraphs))
            db.conn.executemany(INSERT_PARAGRAPH, ((number, *rest) for _, *rest in rows))
            leaves.write(db, number)
            highlights.take_over(db, number)
        return self.get(number)

    def update(self, record: DocumentRecord, read: FileRead) -> DocumentRecord:
        """Bring a document up to date with what its file holds now, or with how it was read this time."""
        judged = judged_sections(read.sections, read.health)
        alignment = Alignment.of(self._text(record), _text_of(read.paragraphs, judged))
        return self._renew(record, alignment, judged, read) or self.update(self.get(record.id), read)

    def refresh(self, record: DocumentRecord, read: FileRead) -> DocumentRecord:
        """Take in what is found in a file that an earlier program read; a text on which gists rest stays as it was."""
        judged = judged_sections(read.sections, read.health)
        alignment = Alignment.of(self._text(record), _text_of(read.paragraphs, judged))
        if self._lost(record, alignment) > _FEW_PAGES:
            paragraphs = self.paragraphs(record, 0, record.characters)
            read = with_text_of(read, record, self.sections(record), paragraphs)
        return self.update(record, read)

    def _lost(self, record: DocumentRecord, alignment: Alignment) -> int:
        """How many pages would go with a new text."""
        pages = self._connections.db.execute("SELECT start, end FROM pages WHERE document = ?", [record.id]).fetchall()
        return sum(alignment.span(start, end) is None for start, end in pages)

    def _renew(
        self, record: DocumentRecord, alignment: Alignment, judged: Sequence[Section], read: FileRead
    ) -> DocumentRecord | None:
        """Put a new text in the place of an old one; None where that, or a reader's choices, have changed meanwhile."""
        row = document_row(read, alignment.new.hash)
        said, before = numbering(self._connections.db, record.id), self.sections(record)
        renewal = Renewal.of(record, row, alignment, with_choices(parts_renamed(judged, read, said), before), read)
        with self._connections.writing() as db:
            known = self.by_file_hash(read.head.file_hash)
            if known is not None and known.id != record.id:
                return known
            now = self.get(record.id)
            if (now.text_hash, now.characters) != (record.text_hash, record.characters):
                return None
            if (numbering(db, record.id), self.sections(record)) != (said, before):
                return None
            renewal.write(db)
        return self.get(record.id)

    def has_version(self, read: FileRead) -> bool:
        """Whether adding a file that is not known by its hash would bring a document up to date."""
        text = _text_of(read.paragraphs, judged_sections(read.sections, read.health))
        return self._version_of(read, text) is not None

    def _version_of(self, read: FileRead, text: Text) -> tuple[DocumentRecord, Alignment] | None:
        """The document that a file of another hash is a version of, with how their texts compare."""
        head, path = read.head, read.path
        records = [record for record in self.all() if _is_of_one_kind(record.format, head.format)]
        same = [record for record in records if (record.text_hash, record.format) == (text.hash, head.format)]
        same = same if text.starts else []  # Two scans have no text in common.
        if same:
            record = next((record for record in same if record.path == str(path)), same[0])
            return record, Alignment.of(self._text(record), text)
        replaced = [record for record in records if record.path == str(path)]
        gone = [record for record in records if _is_called(record, head) and record not in replaced]
        gone = [record for record in gone if size_of(Path(record.path)) != record.size]
        for candidates in (replaced, gone):
            compared = ((record, Alignment.of(self._text(record), text)) for record in candidates)
            found = [
                (record, alignment) for record, alignment in compared if self._goes_on(record, alignment, head, path)
            ]
            if found:
                return max(found, key=lambda pair: pair[1].share)
        return None

    def _goes_on(self, record: DocumentRecord, alignment: Alignment, head: DocumentHead, path: Path) -> bool:
        """Whether a document may become what a file holds; one of another name only where it keeps a page."""
        # What has no title gets that of its file, which every other text at that path gets as well.
        is_one_name = (record.title, record.authors) == (head.title, head.authors) and head.title != path.stem
        if not alignment.old.starts:
            return record.path == str(path)  # A scan that has got a text; it had nothing that could be lost.
        least = _LEAST_AT_ONE_PATH if is_one_name else _LEAST_UNDER_ANOTHER_NAME
        if alignment.share < (least if record.path == str(path) else _LEAST_BY_NAME):
            return False
        pages = self._connections.db.execute("SELECT start, end FROM pages WHERE document = ?", [record.id]).fetchall()
        lost = sum(alignment.span(start, end) is None for start, end in pages)
        # A file that was cut short for a moment must not cost hours of gists: it becomes an entry of its own, and the
        # old one is found by its text when the whole file is back.
        if lost > _FEW_PAGES and alignment.share < _LEAST_WITH_PAGES:
            return False
        return is_one_name or lost < len(pages) or not pages

    def _text(self, record: DocumentRecord) -> Text:
        rows = self._connections.db.execute(
            "SELECT paragraphs.start, text, coalesce(matter, '') = '' FROM paragraphs LEFT JOIN sections"
            " ON sections.document = paragraphs.document AND sections.number = paragraphs.section"
            " WHERE paragraphs.document = ? ORDER BY paragraphs.start",
            [record.id],
        ).fetchall()
        return Text.of(((start, text) for start, text, _ in rows), (bool(is_own) for *_, is_own in rows))

    def moved(self, record: DocumentRecord, path: Path) -> None:
        """Remember where the file lies now."""
        with self._connections.writing() as db:
            db.table("documents").update(record.id, {"path": str(path)})

    def load(self, record: DocumentRecord) -> Document:
        """The whole text of a document, without where each character stands in the file."""
        paragraphs = self._connections.db.query(
            f"SELECT section, start, text, kind, {MARKS_AS_READ} FROM paragraphs WHERE document = ? ORDER BY start",
            [record.id],
        )
        return Document(record.title, self.sections(record), tuple(map(paragraph_as_read, paragraphs)), record.language)

    def paragraphs(
        self, record: DocumentRecord, start: int, end: int, *, with_pieces: bool = True
    ) -> tuple[Paragraph, ...]:
        """The paragraphs that lie between two positions; reading their pieces is most of the work."""
        pieces = "pieces" if with_pieces else "'' AS pieces"
        rows = self._connections.db.query(
            f"SELECT section, start, text, kind, {pieces}, level, marks"
            " FROM paragraphs WHERE document = :document AND start < :end"
            " AND start >= (SELECT max(start) FROM paragraphs WHERE document = :document AND start <= :start)"
            " ORDER BY start",
            {"document": record.id, "start": start, "end": end},
        )
        found = map(paragraph_of, rows)
        return tuple(paragraph for paragraph in found if paragraph.end > start)

    def anchor(self, record: DocumentRecord, start: int, end: int) -> Anchor:
        """The place in the file of the text between two positions; raises ValueError where there is none."""
        spots: list[Spot] = []
        for paragraph in self.paragraphs(record, start, end):
            first, last = max(start - paragraph.start, 0), min(end - paragraph.start, len(paragraph.text))
            spots += paragraph.anchor_of(first, last).spots
        if not spots:
            raise ValueError(f"no text is at {start}-{end}")
        return Anchor(tuple(spots))

    def span(self, record: DocumentRecord, anchor: Anchor) -> tuple[int, int] | None:
        """The positions between which lie the characters that an anchor names; None where the text lacks them."""
        rows = self._connections.db.query(
            "SELECT section, start, text, kind, pieces, level, '' AS marks FROM paragraphs WHERE document = ?"
            " ORDER BY start",
            [record.id],
        )
        return find_anchor(map(paragraph_of, rows), anchor)

    def leaf_starts(self, record: DocumentRecord, count: int) -> tuple[int, ...]:
        """For each leaf the first position on it, or after it where it holds no text."""
        starts: list[int | None] = [None] * count
        rows = self._connections.db.query(
            "SELECT start, pieces FROM paragraphs WHERE document = ? ORDER BY start", [record.id]
        )
        for row in rows:
            for piece in _LEAF_OF_PIECE.finditer(row["pieces"]):
                leaf = int(piece[2])
                if leaf < count and starts[leaf] is None:
                    starts[leaf] = row["start"] + int(piece[1])
        found, after = [], record.characters
        for start in reversed(starts):
            after = after if start is None else min(start, after)
            found.append(after)
        return tuple(reversed(found))

    def text(self, record: DocumentRecord, start: int, end: int) -> str:
        """The text between two positions, paragraphs separated by a blank line."""
        return Document(record.title, (), self.paragraphs(record, start, end)).text(start, end)

    def leaf_paragraphs(self, record: DocumentRecord, leaf: int) -> tuple[tuple[Kind, str], ...]:
        """What a model reads of a leaf (0-based): kind and text of each paragraph; nothing where it reads nothing."""
        return read_of_leaf(self.on_leaf(record, leaf), leaf)

    def on_leaf(self, record: DocumentRecord, leaf: int) -> tuple[Paragraph, ...]:
        """The paragraphs of which something stands on a leaf (0-based), in order."""
        rows = self._connections.db.query(
            "SELECT section, start, text, kind, pieces, level, marks FROM paragraphs"
            " WHERE document = ? AND instr(pieces, ?) ORDER BY start",
            [record.id, f" p{leaf}:"],
        )
        return tuple(map(paragraph_of, rows))

    def leaf_text(self, record: DocumentRecord, leaf: int) -> str:
        """What a model reads of a leaf (0-based), paragraphs separated by a blank line; "" where it reads nothing."""
        return "\n\n".join(text for _, text in self.leaf_paragraphs(record, leaf))

    def sections(self, record: DocumentRecord) -> tuple[Section, ...]:
        """The table of contents in reading order."""
        rows = self._connections.db.query("SELECT * FROM sections WHERE document = ? ORDER BY number", [record.id])
        labels = labels_set(self._connections.db, record.id)
        return tuple(section_of(row, labels) for row in rows)

    def counted_sections(self, record: DocumentRecord) -> tuple[Section, ...]:
        """The sections with their words, also of a document that was added before they were counted."""
        sections = self.sections(record)
        if not record.words or any(section.words for section in sections):
            return sections
        counts: dict[int, int] = {}
        rows = self._connections.db.query("SELECT section, text FROM paragraphs WHERE document = ?", [record.id])
        for row in rows:
            counts[row["section"]] = counts.get(row["section"], 0) + count_words(row["text"])
        return tuple(replace(section, words=counts.get(section.index, 0)) for section in sections)

    def openings(self, record: DocumentRecord) -> dict[int, str]:
        """The beginning of the text of each section that has one beside its headings, by its number."""
        rows = self._connections.db.query(
            "SELECT section, min(start), substr(text, 1, ?) AS text FROM paragraphs"
            " WHERE document = ? AND kind != 'heading' GROUP BY section",
            [_OPENING, record.id],
        )
        return {row["section"]: row["text"] for row in rows}

    def leave_out(self, record: DocumentRecord, section: int, is_left_out: bool) -> None:
        """Leave a section and those beneath it out of what is read, or take them in; raises NotFoundError."""
        with self._connections.writing() as db:
            parents = dict(db.execute("SELECT number, parent FROM sections WHERE document = ?", [record.id]).fetchall())
            if section not in parents:
                raise NotFoundError(f"“{record.title}” has no such section any more.", "Look at its contents again.")
            db.conn.executemany(
                "UPDATE sections SET left_out = ? WHERE document = ? AND number = ?",
                [(is_left_out, record.id, number) for number in _beneath(section, parents)],
            )

    def find_note(self, record: DocumentRecord, name: str) -> tuple[int, int] | None:
        """Where the paragraph stands that is the target of a note's mark: its start and end."""
        for paragraph in self._marked(record, "target"):
            if any(mark.kind == "target" and mark.value == name for mark in paragraph.marks):
                return paragraph.start, paragraph.end
        return None

    def printed_pages(self, record: DocumentRecord) -> tuple[tuple[int, str], ...]:
        """The positions at which pages of the printed book begin, with their labels, in order."""
        return tuple(
            (paragraph.start + mark.start, mark.value)
            for paragraph in self._marked(record, "page")
            for mark in paragraph.marks
            if mark.kind == "page"
        )

    def _marked(self, record: DocumentRecord, kind: str) -> Iterator[Paragraph]:
        """The paragraphs, without their pieces, that have a mark of a kind."""
        rows = self._connections.db.query(
            "SELECT section, start, text, kind, '' AS pieces, level, marks FROM paragraphs"
            " WHERE document = ? AND instr(marks, ?) ORDER BY start",
            [record.id, f" {kind}"],
        )
        yield from map(paragraph_of, rows)


def _beneath(section: int, parents: dict[int, int]) -> set[int]:
    """A section and all those beneath it."""
    found = {section}
    for number in sorted(parents):  # A parent always comes before what is beneath it.
        if parents[number] in found:
            found.add(number)
    return found


def _places(name: str) -> set[str]:
    """What a name may be as a path: as it stands, and where it leads."""
    path = Path(name)
    try:
        return {str(path.absolute()), str(path.expanduser().resolve())}
    except (RuntimeError, OSError, ValueError):  # "~name" of nobody, links in a circle, a NUL
        return {str(path.absolute())}


def _whose_file_it_is(records: Sequence[DocumentRecord]) -> DocumentRecord | None:
    """Of documents that lie at one path the one whose file has the size of what is there, else the newest."""
    there = (record for record in reversed(records) if size_of(Path(record.path)) == record.size)
    return next(there, records[-1] if records else None)


def _text_of(paragraphs: Sequence[Paragraph], judged: Sequence[Section]) -> Text:
    matter = {section.index for section in judged if section.matter}
    own = (paragraph.section not in matter for paragraph in paragraphs)
    return Text.of(((paragraph.start, paragraph.text) for paragraph in paragraphs), own)


def _is_of_one_kind(one: Format, other: Format) -> bool:
    """Whether a file of one format may become one of the other; an EPUB never becomes a PDF."""
    return one == other or {one, other} <= _TEXT_FORMATS


def _is_called(record: DocumentRecord, head: DocumentHead) -> bool:
    return (record.title, record.authors, record.format) == (head.title, head.authors, head.format)


def size_of(path: Path) -> int | None:
    """The size of the file at a path, None where there is none."""
    try:
        return path.stat().st_size if path.is_file() else None
    except (OSError, ValueError):
        return None
