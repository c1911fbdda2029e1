"""Pages and their gists: what has been read, and so what is missing.

There is no cursor of a job: the first stretch of readable text without a page says where reading goes on, and a page
without a gist of a model and prompt version is what that model still has to shorten. What is left out counts nowhere;
pages that stand there already stay. A page and its first gist are kept in one transaction; if two programs read the
same page, the first one's stands and the other's is dropped, and so is what was read of a text that has changed.

What must stay true: pages are numbered from 1 in reading order without a number left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from sqlite_utils import Database

from readdesk.documents.model import readable_spans
from readdesk.documents.normal import count_words
from readdesk.library.connections import Connections
from readdesk.library.coverage import Span, gaps, length, shared
from readdesk.library.model import DocumentRecord, Figures, Gap, PageRecord, Progress
from readdesk.library.rows import section_of
from readdesk.reading.model import Cost, Gist, Memory, MemoryEntry, Page

_NEWEST_GIST = """gists.page = pages.id AND gists.model = :model AND gists.prompt_version = (
    SELECT max(prompt_version) FROM gists AS newest WHERE newest.page = pages.id AND newest.model = :model)"""

_PAGES_WITH_GISTS = f"""
WITH spans AS (
    SELECT kind, start, lead(start, 1, (SELECT characters FROM documents WHERE id = :document)) OVER (ORDER BY leaf)
    AS end FROM leaves WHERE document = :document
), recognised AS MATERIALIZED (SELECT start, end FROM spans WHERE kind = 'ocr' AND start < end)
SELECT pages.*, EXISTS (
           SELECT 1 FROM recognised WHERE recognised.start < pages.end AND recognised.end > pages.start
       ) AS is_recognised, sections.title AS section_title,
       gists.model, gists.prompt_version, gists.text, gists.text_hash, gists.flag, gists.retried
FROM pages
LEFT JOIN sections ON sections.document = pages.document AND sections.number = pages.section
LEFT JOIN gists ON {_NEWEST_GIST}
WHERE pages.document = :document
ORDER BY pages.number
"""


class Gists:
    """The pages of all documents and their gists by every model."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def models(self, record: DocumentRecord) -> tuple[str, ...]:
        """The models that wrote gists of a document, the latest first."""
        rows = self._connections.db.query(
            "SELECT model FROM gists JOIN pages ON pages.id = gists.page WHERE pages.document = ?"
            " GROUP BY model ORDER BY max(gists.id) DESC",
            [record.id],
        )
        return tuple(row["model"] for row in rows)

    def pages(self, record: DocumentRecord, model: str) -> tuple[PageRecord, ...]:
        """All pages in order, each with its gist by a model where there is one."""
        rows = self._connections.db.query(_PAGES_WITH_GISTS, {"document": record.id, "model": model})
        return tuple(
            PageRecord(_page(row), row["section_title"] or "", _gist(row), bool(row["is_recognised"])) for row in rows
        )

    def page(self, record: DocumentRecord, number: int) -> Page | None:
        """One page by its number."""
        rows = self._connections.db.query("SELECT * FROM pages WHERE document = ? AND number = ?", [record.id, number])
        return next((_page(row) for row in rows), None)

    def last_page(self, record: DocumentRecord) -> Page | None:
        """The page read last, whose end is where reading goes on."""
        rows = self._connections.db.query(
            "SELECT * FROM pages WHERE document = ? ORDER BY number DESC LIMIT 1", [record.id]
        )
        return next((_page(row) for row in rows), None)

    def gap(self, record: DocumentRecord) -> Gap | None:
        """The first stretch of readable text without a page; it does not begin with white space."""
        spans = self._page_spans(record)
        for start, end in gaps(self._readable(record), spans):
            if (place := self._first_visible(record, start, end)) is not None:
                return Gap(1 + sum(span[0] < start for span in spans), place, end)
        return None

    def missing(self, record: DocumentRecord, model: str, prompt_version: int, after: int = 0) -> Page | None:
        """The first page behind that number that has no gist of this model and prompt version."""
        return next((page for page in self._missing(record, model, prompt_version) if page.number > after), None)

    def _missing(self, record: DocumentRecord, model: str, prompt_version: int) -> Iterator[Page]:
        readable = self._readable(record)
        rows = self._connections.db.query(
            "SELECT * FROM pages WHERE document = ? AND NOT EXISTS (SELECT 1 FROM gists WHERE gists.page = pages.id"
            " AND gists.model = ? AND gists.prompt_version = ?) ORDER BY number",
            [record.id, model, prompt_version],
        )
        return (page for page in map(_page, rows) if shared(readable, (page.start, page.end)))

    def progress(self, record: DocumentRecord, model: str, prompt_version: int) -> Progress:
        """How far a document is read and shortened by a model."""
        readable = self._readable(record)
        paged = [found for span in self._page_spans(record) if (found := shared(readable, span))]
        gists = len(paged) - sum(1 for _ in self._missing(record, model, prompt_version))
        if not record.characters:  # A scan: there is nothing to read yet, so nothing has been read.
            return Progress(0, 0, 0.0, False)
        if self.gap(record) is None:
            return Progress(len(paged), gists, 1.0, gists == len(paged))
        return Progress(len(paged), gists, sum(paged) / length(readable), False)

    def first_done(self, record: DocumentRecord, model: str, prompt_version: int, pages: int) -> int:
        """How many of the first so many pages have a gist of this model and prompt version.

        Pages behind a gap do not count while it is open: those that will fill it come first.
        """
        gap = self.gap(record)
        last = pages if gap is None else min(pages, gap.number - 1)
        row = self._connections.db.execute(
            "SELECT count(*) FROM gists JOIN pages ON pages.id = gists.page"
            " WHERE pages.document = ? AND gists.model = ? AND gists.prompt_version = ? AND pages.number <= ?",
            [record.id, model, prompt_version, last],
        ).fetchone()
        return int(row[0])

    def words_left(self, record: DocumentRecord, model: str, prompt_version: int) -> float:
        """About how many words are still to be read and shortened."""
        unpaged = length(list(gaps(self._readable(record), self._page_spans(record))))
        unshortened = sum(page.words for page in self._missing(record, model, prompt_version))
        return unshortened + record.words * unpaged / max(1, record.characters)

    def _readable(self, record: DocumentRecord) -> tuple[Span, ...]:
        rows = self._connections.db.query("SELECT * FROM sections WHERE document = ? ORDER BY number", [record.id])
        return readable_spans(tuple(map(section_of, rows)), record.characters)

    def _page_spans(self, record: DocumentRecord) -> list[Span]:
        rows = self._connections.db.execute(
            "SELECT start, end FROM pages WHERE document = ? ORDER BY number", [record.id]
        )
        return [(start, end) for start, end in rows]

    def _first_visible(self, record: DocumentRecord, start: int, end: int) -> int | None:
        """The first position between two that is no white space."""
        rows = self._connections.db.execute(
            "SELECT start, text FROM paragraphs WHERE document = :document AND start < :end"
            " AND start >= (SELECT max(start) FROM paragraphs WHERE document = :document AND start <= :start)"
            " ORDER BY start",
            {"document": record.id, "start": start, "end": end},
        )
        for first, text in rows:
            part = text[max(0, start - first) : end - first]
            if visible := part.lstrip():
                return int(max(start, first) + len(part) - len(visible))
        return None

    def memory(self, record: DocumentRecord, model: str) -> Memory:
        """The gist memory that a model made of a document."""
        entries = tuple(
            MemoryEntry(item.page, item.section, item.gist.text)
            for item in self.pages(record, model)
            if item.gist is not None
        )
        known, readable = {entry.page.start for entry in entries}, self._readable(record)
        wanted = {span[0] for span in self._page_spans(record) if shared(readable, span)}
        complete = bool(entries) and wanted <= known and self.gap(record) is None
        return Memory(record.title, entries, complete)

    def figures(self, record: DocumentRecord, model: str) -> Figures:
        """What the newest gists of a model took and came to."""
        row = next(
            self._connections.db.query(
                "SELECT count(*) AS pages, coalesce(sum(words), 0) AS words,"
                " coalesce(sum(broken_by = 'fallback'), 0) AS fallback_breaks, coalesce(sum(retried), 0) AS retried,"
                " coalesce(sum(flag = 'opening'), 0) AS openings, coalesce(sum(tokens_read), 0) AS tokens_read,"
                " coalesce(sum(tokens_written), 0) AS tokens_written, coalesce(sum(seconds), 0.0) AS seconds"
                f" FROM pages JOIN gists ON {_NEWEST_GIST} WHERE pages.document = :document",
                {"document": record.id, "model": model},
            )
        )
        gist_words = sum(count_words(item.gist.text) for item in self.pages(record, model) if item.gist)
        return Figures(gist_words=gist_words, **row)

    def pace(self, model: str) -> float | None:
        """How many words a second a model has shortened on this computer; None where it never did."""
        row = self._connections.db.execute(
            "SELECT sum(pages.words), sum(gists.seconds) FROM gists JOIN pages ON pages.id = gists.page"
            " WHERE gists.model = ?",
            [model],
        ).fetchone()
        return row[0] / row[1] if row[0] and row[1] else None

    def set_kind(self, record: DocumentRecord, kind: str) -> None:
        """Remember the kind of a document's pages; they keep it until they are made anew."""
        with self._connections.writing() as db:
            db.table("documents").update(record.id, {"kind": kind})

    def add_page(self, record: DocumentRecord, page: Page, gist: Gist, cost: Cost, seconds: float) -> bool:
        """Keep a new page with its gist, before those that come after it; False when it has lost its place.

        So it is when another program has read on meanwhile, the text has changed, or it is left out now.
        """
        with self._connections.writing() as db:
            if not _is_the_text(db, record) or not self._has_room(record, page):
                return False
            # In two steps, because no two pages may have one number even for a moment.
            db.execute(
                "UPDATE pages SET number = -1 - number WHERE document = ? AND number >= ?", [record.id, page.number]
            )
            db.execute("UPDATE pages SET number = -number WHERE document = ? AND number < 0", [record.id])
            db.execute(
                "INSERT INTO pages (document, number, start, end, section, words, broken_by)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                [record.id, page.number, page.start, page.end, page.section, page.words, page.broken_by],
            )
            _insert_gist(db, record.id, page, gist, cost, seconds)
        return True

    def _has_room(self, record: DocumentRecord, page: Page) -> bool:
        spans = self._page_spans(record)
        if page.number != 1 + sum(span[0] < page.start for span in spans):
            return False
        for start, end in gaps(self._readable(record), spans):
            if start <= page.start < page.end <= end:
                visible = self._first_visible(record, start, end)
                return visible is not None and page.start <= visible
        return False

    def add_gist(self, record: DocumentRecord, page: Page, gist: Gist, cost: Cost, seconds: float) -> bool:
        """Keep a gist of a page that stands already; one that is there already stays. False when the page has gone."""
        with self._connections.writing() as db:
            return _is_the_text(db, record) and _insert_gist(db, record.id, page, gist, cost, seconds)


def _is_the_text(db: Database, record: DocumentRecord) -> bool:
    """Whether a document is there and has the text that its record knows."""
    found = db.execute("SELECT text_hash, characters FROM documents WHERE id = ?", [record.id]).fetchone()
    return bool(found == (record.text_hash, record.characters))


def _insert_gist(db: Database, document: int, page: Page, gist: Gist, cost: Cost, seconds: float) -> bool:
    """Keep the gist of a page, which is known by where it begins and ends: its number may be another one now."""
    row = db.execute(
        "SELECT id FROM pages WHERE document = ? AND start = ? AND end = ?", [document, page.start, page.end]
    ).fetchone()
    if row is None:
        return False
    db.execute(
        "INSERT INTO gists (page, model, prompt_version, text, text_hash, flag, retried, tokens_read,"
        " tokens_reused, tokens_written, seconds, made) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (page, model, prompt_version) DO NOTHING",
        [
            *(row[0], gist.model, gist.prompt_version, gist.text, gist.text_hash, gist.flag, gist.retried),
            *(cost.read, cost.reused, cost.written, seconds),
            datetime.now(UTC).isoformat(timespec="seconds"),
        ],
    )
    return True


def _page(row: dict[str, Any]) -> Page:
    return Page(row["number"], row["start"], row["end"], row["section"], row["words"], row["broken_by"])


def _gist(row: dict[str, Any]) -> Gist | None:
    if row["model"] is None:
        return None
    return Gist(
        row["number"],
        row["text"],
        row["model"],
        row["prompt_version"],
        row["text_hash"],
        row["flag"],
        bool(row["retried"]),
    )
