"""Conversations: every question with its answer and the trail of what was looked up for it."""

from __future__ import annotations

from datetime import UTC, datetime

from readdesk.library.connections import Connections
from readdesk.library.model import Asked, DocumentRecord
from readdesk.reading.model import Answer, LookUp


class Conversations:
    """The questions that were asked of all documents."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def add(self, record: DocumentRecord, model: str, question: str, answer: Answer) -> int:
        """Keep a question with its answer and trail; returns the question's number."""
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
                "INSERT INTO look_ups VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (number, place, item.page, item.by, item.reason, item.shortened)
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
        return tuple(
            Asked(row["question"], row["answer"], row["coverage"], row["model"], row["asked"], self._trail(row["id"]))
            for row in rows
        )

    def _trail(self, question: int) -> tuple[LookUp, ...]:
        rows = self._connections.db.query("SELECT * FROM look_ups WHERE question = ? ORDER BY place", [question])
        return tuple(LookUp(row["page"], row["by"], row["reason"], bool(row["shortened"])) for row in rows)
