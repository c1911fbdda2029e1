"""Where each document was left, and when.

A place is a position in the document's text, which orders everything, and a short string of the view that showed it,
which knows what a position cannot say (how far down a leaf). The latest one wins.
"""

from __future__ import annotations

from datetime import UTC, datetime

from readdesk.library.connections import Connections
from readdesk.library.model import ReadingPlace


class Places:
    """The reading places of all documents."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def get(self, document: int) -> ReadingPlace | None:
        """Where a document was left; None for one that was never open."""
        rows = self._connections.db.query("SELECT position, view FROM places WHERE document = ?", [document])
        return next((ReadingPlace(row["position"], row["view"]) for row in rows), None)

    def keep(self, document: int, place: ReadingPlace) -> None:
        """Remember where a document is left; one that has gone or has another text meanwhile is ignored."""
        with self._connections.writing() as db:
            db.execute(
                "INSERT INTO places (document, position, view, seen) SELECT id, ?, ?, ? FROM documents"
                " WHERE id = ? AND ? IN ('', text_hash)"
                " ON CONFLICT (document) DO UPDATE SET position = excluded.position, view = excluded.view,"
                " seen = excluded.seen",
                [
                    *(place.position, place.view, datetime.now(UTC).isoformat(timespec="microseconds")),
                    *(document, place.text_hash),
                ],
            )
