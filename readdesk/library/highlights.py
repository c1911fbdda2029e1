"""Highlights and notes: what a reader marked, in ReadDesk or before that in the file.

What is marked in a file is taken over once, as the reader's own: what was removed here does not come back when the file
is read again, a note that was changed here stays as it is, and what was added to the file since comes in. What has gone
from the file stays, as everything does that the reader marked. Places move with the text.

What must stay true: highlights change in the transaction in which their text does; a highlight that marks text marks
the same words after that as long as they are there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from sqlite_utils import Database

from readdesk.documents.fileread import FileRead
from readdesk.documents.model import Anchor, Document, LeafSpot, Markup, MarkupKind, Paragraph, Spot
from readdesk.errors import NotFoundError
from readdesk.library.connections import Connections
from readdesk.library.coverage import Span
from readdesk.library.model import DocumentRecord, Highlight
from readdesk.library.versions import Alignment

_LOOKED_AT = 20_000
"""Characters to either side within which words are looked for that are no longer where they were."""

_LONGEST_QUOTE = 20_000
_GAP = 3
"""Characters between two runs that are one all the same: a space, a mark of a note."""

_TAKE_OVER = (
    "INSERT INTO highlights (document, kind, start, end, anchor, quote, note, author, colour, made, file_key,"
    " file_note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (document, file_key) DO UPDATE SET"
    " start = excluded.start, end = excluded.end, anchor = excluded.anchor, quote = excluded.quote,"
    " note = CASE WHEN note = file_note THEN excluded.note ELSE note END, file_note = excluded.file_note"
)


class Highlights:
    """The highlights and notes of all documents."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def all(self, record: DocumentRecord) -> tuple[Highlight, ...]:
        """Every highlight and note of a document, as they stand in it one after the other."""
        rows = self._connections.db.query("SELECT * FROM highlights WHERE document = ? AND removed = 0", [record.id])
        return in_order(map(_highlight_of, rows))

    def kinds(self, record: DocumentRecord) -> tuple[MarkupKind, ...]:
        """The kind of every highlight and note of a document, without the rest, which takes longer to read."""
        rows = self._connections.db.execute(
            "SELECT kind FROM highlights WHERE document = ? AND removed = 0 ORDER BY id", [record.id]
        )
        return tuple(kind for (kind,) in rows.fetchall())

    def add(self, highlight: Highlight) -> Highlight:
        """Keep what a reader has marked; comes back with its id, and with the time where it tells none."""
        made = highlight.made or datetime.now(UTC).isoformat(timespec="seconds")
        with self._connections.writing() as db:
            db.table("highlights").insert(
                {
                    "document": highlight.document,
                    "kind": highlight.kind,
                    "start": highlight.start,
                    "end": highlight.end,
                    "anchor": str(highlight.anchor),
                    "quote": highlight.quote[:_LONGEST_QUOTE],
                    "note": highlight.note,
                    "author": highlight.author,
                    "colour": highlight.colour,
                    "made": made,
                }
            )
            number = int(db.execute("SELECT last_insert_rowid()").fetchone()[0])
        return replace(highlight, id=number, made=made, is_from_file=False)

    def remove(self, number: int) -> None:
        """Remove one; what came from a file does not come back with it. Raises NotFoundError."""
        with self._connections.writing() as db:
            gone = db.execute("DELETE FROM highlights WHERE id = ? AND file_key IS NULL", [number]).rowcount
            hidden = db.execute("UPDATE highlights SET removed = 1 WHERE id = ? AND removed = 0", [number]).rowcount
        if gone + hidden < 1:
            raise NotFoundError("This highlight or note has been removed already.", "Look at the others.")


def in_order(highlights: Iterable[Highlight]) -> tuple[Highlight, ...]:
    """As they stand in the document: leaf by leaf, on each those in the text first, the others from top to bottom."""
    return tuple(sorted(highlights, key=_order))


def _order(highlight: Highlight) -> tuple[int, bool, float, int]:
    spot = highlight.anchor.spots[0]
    leaf = spot.leaf if isinstance(spot, LeafSpot) else 0
    if highlight.start is not None:
        return leaf, False, highlight.start, highlight.id
    top = spot.rectangles[0][1] if isinstance(spot, LeafSpot) and spot.rectangles else 0.0
    return leaf, True, top, highlight.id


def _highlight_of(row: dict[str, Any]) -> Highlight:
    return Highlight(
        *(row["id"], row["document"], row["kind"], row["start"], row["end"], Anchor.parse(row["anchor"])),
        *(row["quote"], row["note"], row["author"], row["colour"], row["made"]),
        is_from_file=row["file_key"] is not None,
    )


# -- what is marked in a file ------------------------------------------------------------------------------------


def marked_in(read: FileRead, document: int = 0) -> tuple[Highlight, ...]:
    """What is marked in a file that was read, in the order in which the file lists it."""
    text = _TextOf(read.paragraphs) if read.markups else None
    return tuple(_taken_over(markup, text, document) for markup in read.markups) if text else ()


def _taken_over(markup: Markup, text: _TextOf, document: int) -> Highlight:
    start, end = text.span(markup.spots) or (None, None)
    spots: tuple[Spot, ...] = markup.spots or (LeafSpot(markup.leaf, 0, 0, markup.rectangles),)
    quote = text.between(start, end)[:_LONGEST_QUOTE] if start is not None and end is not None else ""
    return Highlight(
        *(0, document, markup.kind, start, end, Anchor(spots), quote),
        *(markup.text, markup.author, markup.colour, markup.made),
        is_from_file=True,
    )


@dataclass(frozen=True)
class HighlightRows:
    """What is marked in a file that was read, ready to be taken over, and the text that other places move to."""

    found: tuple[tuple[Any, ...], ...]
    text: _TextOf

    @classmethod
    def of(cls, read: FileRead) -> HighlightRows:
        """Write the rows out."""
        marked = zip(marked_in(read), read.markups, strict=True) if read.markups else ()
        return cls(tuple(_row_of(highlight, markup.key) for highlight, markup in marked), _TextOf(read.paragraphs))

    def take_over(self, db: Database, document: int) -> None:
        """Take over what is marked in the file, within the caller's transaction; what is known gets its place anew."""
        db.conn.executemany(_TAKE_OVER, ((document, *row) for row in self.found))

    def move(self, db: Database, document: int, alignment: Alignment, *, is_same_file: bool) -> None:
        """Move what marks text to where that stands now, within the caller's transaction.

        In the same file the anchor still names the place; in another one it is made anew.
        """
        rows = db.execute(
            "SELECT id, start, end, quote FROM highlights WHERE document = ? AND start IS NOT NULL", [document]
        ).fetchall()
        moved = [(number, self._place(start, end, quote, alignment)) for number, start, end, quote in rows]
        db.conn.executemany(
            "UPDATE highlights SET start = ?, end = ? WHERE id = ?", [(*span, number) for number, span in moved]
        )
        if not is_same_file:
            anchors = ((self.text.anchor(*span), number) for number, span in moved)
            db.conn.executemany(
                "UPDATE highlights SET anchor = ? WHERE id = ?",
                [(str(anchor), number) for anchor, number in anchors if anchor is not None],
            )

    def _place(self, start: int, end: int, quote: str, alignment: Alignment) -> Span:
        """Where the words stand now: as they were, else near by, else what stands there instead."""
        span = alignment.span(start, end) if start < end else None
        if span is not None:
            return span
        near = alignment.nearest(start)
        found = self.text.nearest(quote, near)
        if found is not None:
            return found, found + len(quote)
        return near, max(near, min(alignment.nearest(max(start, end - 1)) + 1, near + end - start))


def _row_of(highlight: Highlight, key: str) -> tuple[Any, ...]:
    return (
        *(highlight.kind, highlight.start, highlight.end, str(highlight.anchor), highlight.quote, highlight.note),
        *(highlight.author, highlight.colour, highlight.made, key, highlight.note),
    )


class _TextOf:
    """The text of paragraphs, asked for by positions and by places on leaves; what it needs for that it makes once."""

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self._paragraphs = paragraphs

    @cached_property
    def _document(self) -> Document:
        return Document("", (), tuple(self._paragraphs))

    @cached_property
    def _by_leaf(self) -> dict[int, list[tuple[int, int, int]]]:
        """For each leaf where its characters went: start and end in its own text, and the position of the first one."""
        found: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for paragraph in self._paragraphs:
            for piece in paragraph.pieces:
                if isinstance(piece.spot, LeafSpot):
                    found[piece.spot.leaf].append((piece.spot.start, piece.spot.end, paragraph.start + piece.start))
        for pieces in found.values():
            pieces.sort()
        return found

    def between(self, start: int, end: int) -> str:
        """The characters between two positions."""
        found = self._document.between(start, end)
        return "".join(paragraph.text[first:last] for paragraph, first, last in found)

    def nearest(self, words: str, position: int) -> int | None:
        """Where words stand nearest to a position, not too far from it."""
        if not words.strip():
            return None
        low = max(0, position - _LOOKED_AT)
        text = self.between(low, position + _LOOKED_AT + len(words))
        places = [
            place for place in (text.find(words, position - low), text.rfind(words, 0, position - low)) if place >= 0
        ]
        return min(places, key=lambda place: abs(low + place - position)) + low if places else None

    def anchor(self, start: int, end: int) -> Anchor | None:
        """The place in the file of the text between two positions; None where it has none."""
        spots = [
            spot
            for paragraph, first, last in self._document.between(start, max(end, start + 1))
            if any(piece.start < last and piece.end > first for piece in paragraph.pieces)
            for spot in paragraph.anchor_of(first, last).spots
        ]
        return Anchor(tuple(spots)) if spots else None

    def span(self, spots: Sequence[LeafSpot]) -> Span | None:
        """The positions between which lie the characters of some places; None where the text has none of them.

        Where more lies between them than they are themselves (a box drawn over two columns), it is the longest run.
        """
        runs: list[Span] = []
        for start, end in sorted(span for spot in spots for span in self._spans(spot)):
            if runs and start <= runs[-1][1] + _GAP:
                runs[-1] = runs[-1][0], max(end, runs[-1][1])
            else:
                runs.append((start, end))
        if not runs:
            return None
        marked = sum(end - start for start, end in runs)
        whole = runs[0][0], runs[-1][1]
        return whole if whole[1] - whole[0] <= 2 * marked else max(runs, key=lambda run: run[1] - run[0])

    def _spans(self, spot: LeafSpot) -> Iterator[Span]:
        pieces = self._by_leaf.get(spot.leaf, [])
        at = max(0, bisect_right(pieces, spot.start, key=lambda piece: piece[0]) - 1)
        for start, end, position in pieces[at : bisect_left(pieces, spot.end, key=lambda piece: piece[0])]:
            first, last = max(start, spot.start), min(end, spot.end)
            if first < last:
                yield position + first - start, position + last - start
