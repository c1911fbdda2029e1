"""The library as a shelf: every document with how far it is read, in one query however many there are."""

from __future__ import annotations

from readdesk.library.connections import Connections
from readdesk.library.model import Progress, ShelfEntry
from readdesk.library.rows import record_of

_SHELF = """
WITH spans AS (
    SELECT sections.document AS document, sections.start AS start, left_out,
           coalesce(lead(sections.start) OVER (PARTITION BY document ORDER BY number), characters) AS end
    FROM sections JOIN documents ON documents.id = sections.document
),
out AS MATERIALIZED (SELECT document, start, end FROM spans WHERE left_out AND start < end),
unread AS (SELECT document, sum(end - start) AS characters FROM out GROUP BY document),
wanted AS MATERIALIZED (
    SELECT pages.id AS page, pages.document AS document, pages.end - pages.start - coalesce(sum(
        min(out.end, pages.end) - max(out.start, pages.start)), 0) AS characters
    FROM pages LEFT JOIN out ON out.document = pages.document AND out.start < pages.end AND out.end > pages.start
    GROUP BY pages.id HAVING characters > 0
),
newest AS (
    SELECT pages.document AS document, max(gists.id) AS gist
    FROM gists JOIN pages ON pages.id = gists.page GROUP BY pages.document
),
paged AS (SELECT document, count(*) AS pages, sum(characters) AS characters FROM wanted GROUP BY document),
gisted AS (
    SELECT newest.document AS document, model.model AS model, count(DISTINCT wanted.page) AS gists
    FROM newest JOIN gists AS model ON model.id = newest.gist
    LEFT JOIN wanted ON wanted.document = newest.document AND EXISTS (
        SELECT 1 FROM gists WHERE gists.page = wanted.page AND gists.model = model.model)
    GROUP BY newest.document
)
SELECT documents.*, coalesce(gisted.model, '') AS model, coalesce(gisted.gists, 0) AS gists,
       coalesce(paged.pages, 0) AS pages, coalesce(paged.characters, 0) AS paged,
       documents.characters - coalesce(unread.characters, 0) AS readable, coalesce(places.seen, '') AS seen
FROM documents
LEFT JOIN unread ON unread.document = documents.id
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
            has_text = bool(row["characters"])  # A scan has none, and none of it has been read.
            share = row["paged"] / row["readable"] if row["readable"] else float(has_text)
            complete = has_text and row["paged"] >= row["readable"] and row["gists"] == row["pages"]
            progress = Progress(row["pages"], row["gists"], share, complete)
            found.append(ShelfEntry(record_of(row), row["model"], progress, row["seen"]))
        return tuple(found)
