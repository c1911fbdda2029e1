"""The leaves of a PDF: what came out of each, what each is called, and the files that lie in it.

What the file (or what is printed on it) calls its leaves is kept as it was found; what a reader said ("this leaf is
p. 127") is kept beside it, and both are put together when labels are asked for. So what was said also holds when the
file is read again, and can be taken back. What must stay true: leaves change in the transaction in which their text
does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from sqlite_utils import Database

from readdesk.documents.fileread import FileRead
from readdesk.documents.model import Attachment, Furniture, LeafHealth, LeafSpot, Section
from readdesk.documents.numbering import numeral_of, renumbered
from readdesk.errors import NotFoundError, ReadDeskError
from readdesk.library.connections import Connections
from readdesk.library.model import DocumentRecord

_PART = re.compile(r"(?P<what>Pages? )(?P<first>[^\s\u2013]+)(?:\u2013(?P<last>[^\s\u2013]+))?")
_INSERT_LEAF = (
    "INSERT INTO leaves (document, leaf, start, label, kind, words, columns, quality, furniture)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_HAS_RECOGNISED = (
    "SELECT EXISTS (SELECT 1 FROM (SELECT kind, start, lead(start, 1, ?) OVER (ORDER BY leaf) AS end FROM leaves"
    " WHERE document = ?) WHERE kind = 'ocr' AND start < end AND start < ? AND end > ?)"
)
_INSERT_ATTACHMENT = "INSERT INTO attachments (document, number, name, size, description) VALUES (?, ?, ?, ?, ?)"


class Leaves:
    """The leaves of all documents."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def all(self, record: DocumentRecord) -> tuple[LeafHealth, ...]:
        """Every leaf of a document in order, by the label that holds now; none where its file has no leaves."""
        rows = self._connections.db.query("SELECT * FROM leaves WHERE document = ? ORDER BY leaf", [record.id])
        leaves = tuple(map(_leaf_of, rows))
        labels = labelled([leaf.label for leaf in leaves], numbering(self._connections.db, record.id))
        return tuple(replace(leaf, label=label) for leaf, label in zip(leaves, labels, strict=True))

    def labels(self, record: DocumentRecord) -> tuple[str, ...]:
        """The printed label of every leaf, "" where it has none; nothing for a file without leaves."""
        return labels_of(self._connections.db, record.id)

    def starts(self, record: DocumentRecord) -> tuple[int, ...]:
        """For each leaf the first position on it, or after it where it holds no text."""
        rows = self._connections.db.execute("SELECT start FROM leaves WHERE document = ? ORDER BY leaf", [record.id])
        return tuple(start for (start,) in rows.fetchall())

    def has_recognised(self, record: DocumentRecord, start: int, end: int) -> bool:
        """Whether some of the text between two positions was recognised in pictures."""
        asked = [record.characters, record.id, end, start]
        return bool(self._connections.db.execute(_HAS_RECOGNISED, asked).fetchone()[0])

    def printed_pages(self, record: DocumentRecord) -> tuple[tuple[int, str], ...]:
        """The positions at which printed pages begin, with their labels, in order; nothing where no leaf has one."""
        named = zip(self.starts(record), self.labels(record), strict=True)
        return tuple((start, label) for start, label in named if label)

    def name(self, record: DocumentRecord, leaf: int, label: str) -> None:
        """Keep what a reader says is printed on a leaf (0-based); "" takes back what was said of it.

        Its neighbours count on from it. Raises ReadDeskError for what is no page number, NotFoundError for no leaf.
        """
        with self._connections.writing() as db:
            found = _labels_found(db, record.id)
            if not 0 <= leaf < len(found):
                raise NotFoundError(
                    f"\u201c{record.title}\u201d has no leaf {leaf + 1}.", f"It has {len(found)} leaves."
                )
            said = [pair for pair in numbering(db, record.id) if pair[0] != leaf]
            if label.strip():
                new = leaf, renumbered(found, leaf, label)[leaf]
                said = sorted([*(pair for pair in said if _is_in_order(pair, new)), new])
            text = "\n".join(f"{at}={name}" for at, name in said)
            before = labels_of(db, record.id)
            db.execute("UPDATE documents SET numbering = ? WHERE id = ?", [text, record.id])
            if record.structure == "parts":
                _rename_parts(db, record.id, before)

    def attachments(self, record: DocumentRecord) -> tuple[Attachment, ...]:
        """The files that lie in a document's file, in order."""
        rows = self._connections.db.execute(
            "SELECT name, size, description FROM attachments WHERE document = ? ORDER BY number", [record.id]
        )
        return tuple(Attachment(*row) for row in rows.fetchall())


@dataclass(frozen=True)
class LeafRows:
    """What the tables of leaves and attachments hold of a file that was read."""

    leaves: tuple[tuple[Any, ...], ...]
    attachments: tuple[tuple[Any, ...], ...]

    @classmethod
    def of(cls, read: FileRead) -> LeafRows:
        """Write the rows out."""
        attachments = enumerate(read.attachments)
        return cls(
            tuple(_leaf_rows(read.leaves, _starts(read))),
            tuple((number, file.name, file.size, file.description) for number, file in attachments),
        )

    def write(self, db: Database, document: int) -> None:
        """Put them in the place of the document's old ones, within the caller's transaction."""
        for table, insert, rows in (
            ("leaves", _INSERT_LEAF, self.leaves),
            ("attachments", _INSERT_ATTACHMENT, self.attachments),
        ):
            db.execute(f"DELETE FROM {table} WHERE document = ?", [document])
            db.conn.executemany(insert, ((document, *row) for row in rows))


def _starts(read: FileRead) -> list[int]:
    """For each leaf the first position on it, or after it where it holds no text."""
    first: dict[int, int] = {}
    for paragraph in read.paragraphs:
        for piece in paragraph.pieces:
            if isinstance(piece.spot, LeafSpot):
                first.setdefault(piece.spot.leaf, paragraph.start + piece.start)
    starts, after = [], read.health.characters
    for leaf in reversed(read.leaves):
        after = min(first.get(leaf.index, after), after)
        starts.append(after)
    return starts[::-1]


def _leaf_rows(leaves: Sequence[LeafHealth], starts: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    for leaf, start in zip(leaves, starts, strict=True):
        furniture = [[found.kind, found.text, *found.rectangle] for found in leaf.furniture]
        yield (
            *(leaf.index, start, leaf.label, leaf.kind, leaf.words, leaf.columns, leaf.quality),
            json.dumps(furniture, ensure_ascii=False) if furniture else "",
        )


def _leaf_of(row: dict[str, Any]) -> LeafHealth:
    furniture = json.loads(row["furniture"] or "[]")
    return LeafHealth(
        *(row["leaf"], row["label"], row["kind"], row["words"], row["columns"], row["quality"]),
        tuple(Furniture(kind, text, tuple(rectangle)) for kind, text, *rectangle in furniture),
    )


# -- labels ------------------------------------------------------------------------------------------------------


def labels_of(db: Database, document: int) -> tuple[str, ...]:
    """The label of every leaf of a document that holds now."""
    return labelled(_labels_found(db, document), numbering(db, document))


def labels_set(db: Database, document: int) -> tuple[str, ...]:
    """The same where a reader has said something of them, else nothing."""
    return labels_of(db, document) if numbering(db, document) else ()


def labelled(labels: Sequence[str], said: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """Labels with what a reader said of some leaves; what fits no more is passed over.

    From the first of them it is counted in both directions, from every other one only forwards.
    """
    found = tuple(labels)
    for leaf, label in said:
        fixed = 0 if leaf == said[0][0] else leaf
        with suppress(ReadDeskError):
            found = *found[:fixed], *renumbered(found[fixed:], leaf - fixed, label)
    return found


def _is_in_order(known: tuple[int, str], new: tuple[int, str]) -> bool:
    """Whether two things said of leaves may both be true: numbers of one series grow from leaf to leaf."""
    one, other = numeral_of(known[1]), numeral_of(new[1])
    if one is None or other is None or one.series != other.series:
        return True
    return (known[0] < new[0]) == (one.value < other.value) and one.value != other.value


def parts_renamed(sections: Sequence[Section], read: FileRead, said: Sequence[tuple[int, str]]) -> tuple[Section, ...]:
    """The sections of a file that was read, those named after its leaves ("Pages 1\u201320") by what a reader said."""
    if read.health.structure != "parts" or not said:
        return tuple(sections)
    found = [leaf.label for leaf in read.leaves]
    labels = labelled(found, said)
    return tuple(replace(section, title=_part_renamed(section.title, found, labels)) for section in sections)


def _rename_parts(db: Database, document: int, before: Sequence[str]) -> None:
    labels = labels_of(db, document)
    rows = db.execute("SELECT number, title FROM sections WHERE document = ?", [document]).fetchall()
    db.conn.executemany(
        "UPDATE sections SET title = ? WHERE document = ? AND number = ?",
        [(_part_renamed(title, before, labels), document, number) for number, title in rows],
    )


def _part_renamed(title: str, before: Sequence[str], labels: Sequence[str]) -> str:
    """A title that names leaves, as `documents/pdf/sections.py` gives it to parts, by other labels of them."""
    named = _PART.fullmatch(title)
    if named is None:
        return title
    old, new = _names(before), _names(labels)
    first, last = named["first"], named["last"] or named["first"]
    if first not in old or last not in old:
        return title
    return named["what"] + "\u2013".join(dict.fromkeys(new[old.index(name)] for name in (first, last)))


def _names(labels: Sequence[str]) -> list[str]:
    return [label or str(number) for number, label in enumerate(labels, 1)]


def numbering(db: Database, document: int) -> list[tuple[int, str]]:
    """What a reader said of leaves, in order."""
    found = db.execute("SELECT numbering FROM documents WHERE id = ?", [document]).fetchone()
    pairs = (line.partition("=") for line in (found[0] if found else "").splitlines())
    return [(int(leaf), label) for leaf, _, label in pairs]


def _labels_found(db: Database, document: int) -> tuple[str, ...]:
    rows = db.execute("SELECT label FROM leaves WHERE document = ? ORDER BY leaf", [document]).fetchall()
    return tuple(label for (label,) in rows)
