"""What was recognised on leaves: kept leaf by leaf, so that nothing has to be recognised twice.

A row is of one file, known by the hash of its bytes: the words of another file at the same place mean nothing. The
words lie as lines of text, one a word: the number of its line, its rectangle, what it says. A leaf on which nothing was
found has a row too, so that it is not asked again. What must stay true: keeping a leaf touches nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from readdesk.documents.model import LeafSpot, RecognisedLeaf, RecognisedWord, Rectangle
from readdesk.library.connections import Connections
from readdesk.library.model import DocumentRecord


class Recognised:
    """The recognised leaves of all documents."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def all(self, record: DocumentRecord) -> tuple[RecognisedLeaf, ...]:
        """Every recognised leaf of a document's file, in order."""
        rows = self._connections.db.query(
            "SELECT * FROM recognised WHERE document = ? AND file_hash = ? ORDER BY leaf", [record.id, record.file_hash]
        )
        return tuple(map(_leaf_of, rows))

    def done(self, record: DocumentRecord) -> dict[int, str]:
        """The leaves of a document's file that were looked at, and for which languages."""
        rows = self._connections.db.execute(
            "SELECT leaf, languages FROM recognised WHERE document = ? AND file_hash = ?", [record.id, record.file_hash]
        )
        return dict(rows.fetchall())

    def keep(self, record: DocumentRecord, leaf: RecognisedLeaf) -> None:
        """Keep what was recognised on a leaf, in the place of what was there; nothing where the document has gone."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._connections.writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO recognised (document, leaf, file_hash, languages, quality, words, made)"
                " SELECT id, ?, ?, ?, ?, ?, ? FROM documents WHERE id = ?",
                [leaf.leaf, record.file_hash, leaf.languages, leaf.quality, _words_to_text(leaf.words), now, record.id],
            )

    def forget(self, record: DocumentRecord, leaves: Iterable[int] | None = None) -> None:
        """Let what was recognised on some leaves of a document, or on all of them, go."""
        with self._connections.writing() as db:
            if leaves is None:
                db.execute("DELETE FROM recognised WHERE document = ?", [record.id])
            else:
                rows = [(record.id, leaf) for leaf in leaves]
                db.conn.executemany("DELETE FROM recognised WHERE document = ? AND leaf = ?", rows)

    def locate(self, record: DocumentRecord, spots: Iterable[LeafSpot]) -> dict[LeafSpot, LeafSpot]:
        """Those spots that are on recognised leaves, each with itself drawn around just its words."""
        leaves: dict[int, RecognisedLeaf | None] = {}
        located = {}
        for spot in spots:
            if spot.leaf not in leaves:
                leaves[spot.leaf] = self.leaf(record, spot.leaf)
            if (leaf := leaves[spot.leaf]) is not None:
                found = rectangles_of(leaf, spot.start, spot.end)
                located[spot] = replace(spot, rectangles=found or spot.rectangles)
        return located

    def leaf(self, record: DocumentRecord, leaf: int) -> RecognisedLeaf | None:
        """What was recognised on a leaf (0-based); None where it was not looked at."""
        rows = self._connections.db.query(
            "SELECT * FROM recognised WHERE document = ? AND file_hash = ? AND leaf = ?",
            [record.id, record.file_hash, leaf],
        )
        return next((_leaf_of(row) for row in rows), None)


def rectangles_of(leaf: RecognisedLeaf, start: int, end: int) -> tuple[Rectangle, ...]:
    """One rectangle for each line that has words between two offsets of the leaf's own text; parts of words are cut."""
    found = [
        (word.line, _cut(word, max(start - first, 0), min(end, last) - first))
        for first, last, word in leaf.spans()
        if first < end and last > start
    ]
    return tuple(_around(box for _, box in line) for _, line in groupby(found, key=lambda item: item[0]))


def _cut(word: RecognisedWord, first: int, last: int) -> Rectangle:
    """The place of some characters of a word, as if all were of one width; a word that stands upright stays whole."""
    left, top, right, bottom = word.rectangle
    count = len(word.text)
    if (first, last) == (0, count) or right - left < bottom - top:
        return word.rectangle
    width = (right - left) / count
    return round(left + first * width, 1), top, round(left + last * width, 1), bottom


def _around(boxes: Iterator[Rectangle]) -> Rectangle:
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def _words_to_text(words: Iterable[RecognisedWord]) -> str:
    return "\n".join(f"{word.line} {','.join(f'{edge:.1f}' for edge in word.rectangle)} {word.text}" for word in words)


def _words_from_text(text: str) -> Iterator[RecognisedWord]:
    for line in text.split("\n") if text else ():
        number, box, word = line.split(" ", 2)
        left, top, right, bottom = map(float, box.split(","))
        yield RecognisedWord(word, int(number), (left, top, right, bottom))


def _leaf_of(row: dict[str, Any]) -> RecognisedLeaf:
    return RecognisedLeaf(row["leaf"], row["languages"], row["quality"], tuple(_words_from_text(row["words"])))
