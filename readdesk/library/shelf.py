"""The library as a shelf: every document with how far it is read, in one query however many there are."""

from __future__ import annotations

from readdesk.library.connections import Connections
from readdesk.library.model import Progress, ShelfEntry
from readdesk.library.rows import record_of

_SHELF = """
WITH newest AS (
    SELECT pages.document AS document, max(gists.id) AS gist
    FROM gists JOIN pages ON pages.id = gists.page GROUP BY pages.document
),
paged AS (SELECT document, count(*) AS pages, max(end) AS end FROM pages GROUP BY document),
gisted AS (
    SELECT newest.document AS document, model.model AS model, count(DISTINCT gists.page) AS gists
    FROM newest JOIN gists AS model ON model.id = newest.gist
    JOIN pages ON pages.document = newest.document
    JOIN gists ON gists.page = pages.id AND gists.model = model.model
    GROUP BY newest.document
)
SELECT documents.*, coalesce(gisted.model, '') AS model, coalesce(gisted.gists, 0) AS gists,
       coalesce(paged.pages, 0) AS pages, coalesce(paged.end, 0) AS end, coalesce(places.seen, '') AS seen
FROM documents
LEFT JOIN paged ON paged.document = documents.id
LEFT JOIN gisted ON gisted.document = documents.id
LEFT JOIN places ON places.document = documents.id
ORDER BY seen DESC, documents.id DESC
"""


class Shelf:
    """Looks at all documents at once."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def entries(self) -> tuple[ShelfEntry, ...]:
        """Every document, the one that was open last first, then the newest."""
        found = []
        for row in self._connections.db.query(_SHELF):
            share = row["end"] / row["characters"] if row["characters"] else 1.0
            complete = row["end"] >= row["characters"] and row["gists"] == row["pages"]
            progress = Progress(row["pages"], row["gists"], share, complete)
            found.append(ShelfEntry(record_of(row), row["model"], progress, row["seen"]))
        return tuple(found)
