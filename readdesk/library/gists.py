"""Pages and their gists: what has been read, and so what is missing.

There is no cursor of a job: the end of the last page says where reading goes on, and a page without a gist of a model
and prompt version is what that model still has to shorten. A page and its first gist are kept in one transaction; if
two programs read the same page, the first one's stands and the other's is dropped.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlite_utils import Database

from readdesk.documents.normal import count_words
from readdesk.library.connections import Connections
from readdesk.library.model import DocumentRecord, Figures, PageRecord, Progress
from readdesk.reading.model import Cost, Gist, Memory, MemoryEntry, Page

_NEWEST_GIST = """gists.page = pages.id AND gists.model = :model AND gists.prompt_version = (
    SELECT max(prompt_version) FROM gists AS newest WHERE newest.page = pages.id AND newest.model = :model)"""

_PAGES_WITH_GISTS = f"""
SELECT pages.*, sections.title AS section_title,
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
        return tuple(PageRecord(_page(row), row["section_title"] or "", _gist(row)) for row in rows)

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

    def missing(self, record: DocumentRecord, model: str, prompt_version: int) -> Page | None:
        """The first page that has no gist of this model and prompt version."""
        rows = self._connections.db.query(
            "SELECT * FROM pages WHERE document = ? AND NOT EXISTS (SELECT 1 FROM gists WHERE gists.page = pages.id"
            " AND gists.model = ? AND gists.prompt_version = ?) ORDER BY number LIMIT 1",
            [record.id, model, prompt_version],
        )
        return next((_page(row) for row in rows), None)

    def progress(self, record: DocumentRecord, model: str, prompt_version: int) -> Progress:
        """How far a document is read and shortened by a model."""
        row = next(
            self._connections.db.query(
                "SELECT count(*) AS pages, coalesce(max(end), 0) AS end, (SELECT count(*) FROM gists JOIN pages"
                " ON pages.id = gists.page WHERE pages.document = :document AND gists.model = :model"
                " AND gists.prompt_version = :version) AS gists FROM pages WHERE document = :document",
                {"document": record.id, "model": model, "version": prompt_version},
            )
        )
        share = row["end"] / record.characters if record.characters else 1.0
        complete = row["end"] >= record.characters and row["gists"] == row["pages"]
        return Progress(row["pages"], row["gists"], share, complete)

    def memory(self, record: DocumentRecord, model: str) -> Memory:
        """The gist memory that a model made of a document."""
        entries = tuple(
            MemoryEntry(item.page, item.section, item.gist.text)
            for item in self.pages(record, model)
            if item.gist is not None
        )
        last = self.last_page(record)
        complete = last is not None and last.end >= record.characters and len(entries) == last.number
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
        """Keep a new page with its gist; False when another program has read on meanwhile and nothing was kept."""
        with self._connections.writing() as db:
            last = self.last_page(record)
            expected = (last.number + 1, last.end) if last else (1, 0)
            if (page.number, page.start) != expected or not _has_document(db, record.id):
                return False
            db.execute(
                "INSERT INTO pages (document, number, start, end, section, words, broken_by)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                [record.id, page.number, page.start, page.end, page.section, page.words, page.broken_by],
            )
            _insert_gist(db, record.id, gist, cost, seconds)
        return True

    def add_gist(self, record: DocumentRecord, gist: Gist, cost: Cost, seconds: float) -> None:
        """Keep a gist of a page that stands already; one that is there already stays."""
        with self._connections.writing() as db:
            _insert_gist(db, record.id, gist, cost, seconds)


def _has_document(db: Database, number: int) -> bool:
    return db.execute("SELECT 1 FROM documents WHERE id = ?", [number]).fetchone() is not None


def _insert_gist(db: Database, document: int, gist: Gist, cost: Cost, seconds: float) -> None:
    db.execute(
        "INSERT INTO gists (page, model, prompt_version, text, text_hash, flag, retried, tokens_read,"
        " tokens_reused, tokens_written, seconds, made)"
        " SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM pages WHERE document = ? AND number = ?"
        " ON CONFLICT (page, model, prompt_version) DO NOTHING",
        [
            *(gist.model, gist.prompt_version, gist.text, gist.text_hash, gist.flag, gist.retried),
            *(cost.read, cost.reused, cost.written, seconds),
            datetime.now(UTC).isoformat(timespec="seconds"),
            *(document, gist.page),
        ],
    )


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
