"""Conversations: every question with its answer and the trail of what was looked up for it.

A look-up is kept by the position at which its page began, because a page's number changes when pages are put in before
it, and a page that is made anew may end elsewhere. Its number is counted when the trail is read: that of the page that
holds the position, or of the one that will.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from readdesk.library.connections import Connections
from readdesk.library.model import Asked, DocumentRecord
from readdesk.reading.model import Answer, LookUp


class Conversations:
    """The questions that were asked of all documents."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def add(
        self,
        record: DocumentRecord,
        model: str,
        question: str,
        answer: Answer,
        starts: Mapping[int, int] = MappingProxyType({}),
    ) -> int:
        """Keep a question with its answer and trail; returns the question's number.

        `starts` says where the pages that were looked up begin: meanwhile their numbers may be those of others.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._connections.writing() as db:
            db.execute("INSERT INTO conversations (document, started) VALUES (?, ?)", [record.id, now])
            db.execute(
                "INSERT INTO questions (conversation, model, question, answer, coverage, tokens_read, tokens_reused,"
                " tokens_written, asked) VALUES (last_insert_rowid(), ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    *(model, question, answer.text, answer.coverage),
                    *(answer.cost.read, answer.cost.reused, answer.cost.written, now),
                ],
            )
            number = int(db.execute("SELECT last_insert_rowid()").fetchone()[0])
            db.conn.executemany(
                "INSERT INTO look_ups (question, place, page, by, reason, shortened, position)"
                " VALUES (?, ?, ?, ?, ?, ?, coalesce(?, (SELECT start FROM pages WHERE document = ? AND number = ?)))",
                [
                    (
                        *(number, place, item.page, item.by, item.reason, item.shortened),
                        *(starts.get(item.page), record.id, item.page),
                    )
                    for place, item in enumerate(answer.look_ups)
                ],
            )
        return number

    def of(self, record: DocumentRecord) -> tuple[Asked, ...]:
        """Everything that was asked of a document, oldest first."""
        db = self._connections.db
        rows = list(
            db.query(
                "SELECT questions.* FROM questions JOIN conversations ON conversations.id = questions.conversation"
                " WHERE conversations.document = ? ORDER BY questions.id",
                [record.id],
            )
        )
        return tuple(self._asked(record, row) for row in rows)

    def _asked(self, record: DocumentRecord, row: dict[str, Any]) -> Asked:
        trail = list(
            self._connections.db.query(
                "SELECT page, by, reason, shortened, CASE WHEN position IS NULL THEN page ELSE 1 +"
                " (SELECT count(*) FROM pages WHERE document = ? AND end <= position) END AS page_now"
                " FROM look_ups WHERE question = ? ORDER BY place",
                [record.id, row["id"]],
            )
        )
        return Asked(
            *(row["question"], row["answer"], row["coverage"], row["model"], row["asked"]),
            tuple(LookUp(item["page_now"], item["by"], item["reason"], bool(item["shortened"])) for item in trail),
            tuple((item["page"], item["page_now"]) for item in trail if item["page"] != item["page_now"]),
        )
