"""What somebody put onto the leaves of a PDF, and the files that lie in it: never the document's text.

Annotations are read from the file's own objects, since appearances may be missing or wrong. One of each kind of mark:
on words, at a point, typed onto the leaf, drawn. Replies and the words of pop-ups belong to the note that they hang on.
The characters that a highlight covers are looked up only on leaves that have one, as they cost more than the rest of
the leaf.

What must stay true: rectangles lie on the *drawn* leaf; a leaf without annotations costs next to nothing; a broken
annotation is passed over and harms nothing else; the key of a mark is the same each time the file is read.
"""

from __future__ import annotations

import hashlib
import html
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from readdesk.documents.model import Attachment, Layers, LeafHealth, Markup, MarkupKind, Rectangle
from readdesk.documents.pdf.attached import MOST_ATTACHED
from readdesk.documents.pdf.covered import Characters
from readdesk.documents.pdf.file import FAILURES, pymupdf
from readdesk.documents.pdf.objects import CONTROL, get, line_of, name_at, numbers_at, text_at, whole

_Part = TypeVar("_Part")

_KINDS: dict[str, MarkupKind] = {
    "Highlight": "highlight",
    "Underline": "underline",
    "Squiggly": "underline",
    "StrikeOut": "strikeout",
    "Text": "note",
    "Caret": "note",
    "FreeText": "text",
    "Ink": "drawing",
    "Line": "drawing",
    "Square": "drawing",
    "Circle": "drawing",
    "Polygon": "drawing",
    "PolyLine": "drawing",
    "Stamp": "drawing",
}
_ON_WORDS = frozenset(("highlight", "underline", "strikeout"))
_CALLED: dict[MarkupKind, str] = {
    "highlight": "highlight",
    "underline": "highlight",
    "strikeout": "highlight",
    "note": "note",
    "text": "note",
    "drawing": "drawing",
}
_HIDDEN = 2
_MOST_NAMED = 5
_LONGEST_NOTE = 20_000
_MOST_QUADS = 2_000
_MOST_MARKUPS = 30_000
_LONGEST_THREAD = 100
_BATCH_BYTES = 200_000
_MOST_FURNITURE, _LONGEST_FURNITURE = 500, 300
"""Of one leaf: what is printed in margins is less, and no message is over a megabyte."""
_TAG = re.compile(r"<(br|/p|/div)\b[^<>]*>|<[^<>]*>", re.IGNORECASE)  # No tag is looked for behind the next "<".
_DATE = re.compile(r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d)?)?(?:Z|([+-])(\d\d)'?(\d\d)?'?)?")


@dataclass
class _Found:
    """An annotation that is a mark: its number in the file, what it is, and what hangs on it."""

    number: int
    kind: MarkupKind
    entry: Any
    text: str
    author: str
    replies: list[tuple[str, str, str]]
    """Date, author and words of each."""


class MarkupReader:
    """Reads the annotations of one file, leaf by leaf."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._keys: Counter[str] = Counter()
        self._count = 0
        self._characters = Characters(document)
        self.has_more = False
        """Whether the file holds more than anybody wrote by hand, and the rest was passed over."""

    def of_leaf(self, index: int) -> list[Markup]:
        """What is marked on a leaf (0-based), in the order of the file."""
        try:
            page = pymupdf._as_pdf_page(self._document[index])
            annotation = pymupdf.mupdf.pdf_first_annot(page)
            if not annotation.m_internal:
                return []
            entries = []
            while annotation.m_internal:
                entries.append(pymupdf.mupdf.pdf_annot_obj(annotation))
                annotation = pymupdf.mupdf.pdf_next_annot(annotation)
            place = _Placing(page)
        except FAILURES:
            return []
        return list(self._markups(index, entries, place))

    def _markups(self, index: int, entries: Sequence[Any], place: _Placing) -> Iterator[Markup]:
        for found in _threads(entries):
            if self._count >= _MOST_MARKUPS:
                self.has_more = True
                return
            try:
                markup = self._markup(index, found, place)
            except FAILURES:
                continue
            if markup is not None:
                self._count += 1
                yield markup

    def _markup(self, index: int, found: _Found, place: _Placing) -> Markup | None:
        boxes = place.quads(found.entry) if found.kind in _ON_WORDS else []
        boxes = boxes or place.box(found.entry)
        text = _joined(found)
        if not boxes and not text:
            return None
        spots = self._characters.under(index, boxes) if found.kind in _ON_WORDS else ()
        key = self._key(index, found, boxes)
        made = _date(text_at(found.entry, "M") or text_at(found.entry, "CreationDate"))
        colour = _colour(found.entry)
        return Markup(index, found.kind, key, tuple(boxes), spots, text, found.author, colour, made)

    def _key(self, index: int, found: _Found, boxes: Sequence[Rectangle]) -> str:
        """The name that the file gives the annotation, which holds on its leaf only, else what it is and says."""
        name = text_at(found.entry, "NM")
        parts = (name,) if name else (found.kind, repr(boxes), found.text, found.author)
        digest = hashlib.sha256("\0".join((str(index), *parts)).encode(errors="replace")).hexdigest()[:24]
        self._keys[digest] += 1  # Some programs give all of a leaf's annotations one name.
        return digest if self._keys[digest] == 1 else f"{digest}-{self._keys[digest]}"


# -- annotations -------------------------------------------------------------------------------------------------


def _threads(entries: Sequence[Any]) -> list[_Found]:
    """The marks of a leaf, each with the replies to it and with the words of its pop-up."""
    found: list[_Found] = []
    answers: list[tuple[int, _Found]] = []
    for entry in entries:
        try:
            kind = _KINDS.get(name_at(entry, "Subtype"))
            if kind is None:
                continue
            text, author = _words(entry), line_of(text_at(entry, "T"))
            number, parent = pymupdf.mupdf.pdf_to_num(entry), pymupdf.mupdf.pdf_to_num(get(entry, "IRT"))
            if parent and name_at(entry, "RT") != "Group":
                if text and not text_at(entry, "State"):
                    answers.append((parent, _Found(number, kind, entry, text, author, [])))
            elif not pymupdf.mupdf.pdf_to_int(get(entry, "F")) & _HIDDEN:
                found.append(_Found(number, kind, entry, text, author, []))
        except FAILURES:
            continue
    _hang(found, answers)
    return found


def _hang(found: list[_Found], answers: Sequence[tuple[int, _Found]]) -> None:
    """Give every mark the replies to it, and the replies to those; a reply to nothing stands for itself."""
    roots = {mark.number: mark for mark in found if mark.number}
    parents = {reply.number: parent for parent, reply in answers if reply.number}
    for parent, reply in answers:
        for _ in range(_LONGEST_THREAD):
            if parent in roots or parent not in parents:
                break
            parent = parents[parent]
        if parent in roots:
            roots[parent].replies.append((_date(text_at(reply.entry, "M")), reply.author, reply.text))
        else:
            found.append(reply)


def _joined(found: _Found) -> str:
    replies = (f"{author}: {text}" if author else text for _, author, text in sorted(found.replies))
    return "\n\n".join(part for part in (found.text, *replies) if part)[:_LONGEST_NOTE]


def _words(entry: Any) -> str:
    """What an annotation says: in plain text, else in its pop-up, else in rich text."""
    text = text_at(entry, "Contents") or text_at(get(entry, "Popup"), "Contents")
    if not text:
        rich = text_at(entry, "RC")
        text = html.unescape(_TAG.sub(lambda tag: "\n" if tag[1] else "", rich))
    text = CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    return whole(text[:_LONGEST_NOTE])


def _colour(entry: Any) -> str:
    """The colour as "#rrggbb"; "" where the annotation tells none."""
    parts = [min(max(part, 0.0), 1.0) if math.isfinite(part) else 0.0 for part in numbers_at(entry, "C", 4)]
    if len(parts) == 4:
        *inks, black = parts
        parts = [(1 - ink) * (1 - black) for ink in inks]
    elif len(parts) == 1:
        parts *= 3
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts) if len(parts) == 3 else ""


def _date(text: str) -> str:
    """A date of a PDF ("D:20240105120000+01'00'") in ISO 8601; "" for what is none."""
    match = _DATE.match(text)
    if not match:
        return ""
    year, month, day, hour, minute, second, sign, hours, minutes = match.groups()
    date = f"{year}-{month or '01'}-{day or '01'}"
    if not ("01" <= (month or "01") <= "12" and "01" <= (day or "01") <= "31"):
        return ""
    if hour is None or hour > "23" or minute > "59" or (second or "00") > "59":
        return date
    zone = f"{sign}{hours}:{minutes or '00'}" if sign else "+00:00" if "Z" in match[0] else ""
    return f"{date}T{hour}:{minute}:{second or '00'}{zone}"


class _Placing:
    """Brings places of a page's own space onto the drawn leaf: turned, cropped, in its own unit."""

    def __init__(self, page: Any) -> None:
        matrix, box = pymupdf.mupdf.FzMatrix(), pymupdf.mupdf.FzRect()
        page.pdf_page_transform(box, matrix)
        self._matrix = matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f
        drawn = pymupdf.mupdf.fz_transform_rect(box, matrix)
        self._width, self._height = drawn.x1 - drawn.x0, drawn.y1 - drawn.y0

    def quads(self, entry: Any) -> list[Rectangle]:
        """The rectangles round the quadrilaterals of an annotation, as far as they lie on the leaf."""
        numbers = numbers_at(entry, "QuadPoints", 8 * _MOST_QUADS)
        quads = (numbers[at : at + 8] for at in range(0, len(numbers) - 7, 8))
        return [box for quad in quads if (box := self._around(quad)) is not None]

    def box(self, entry: Any) -> list[Rectangle]:
        """The rectangle of an annotation, if it lies on the leaf and has a size."""
        numbers = numbers_at(entry, "Rect", 4)
        box = self._around(numbers) if len(numbers) == 4 else None
        return [] if box is None else [box]

    def _around(self, numbers: Sequence[float]) -> Rectangle | None:
        a, b, c, d, e, f = self._matrix
        if not all(map(math.isfinite, numbers)):
            return None
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        if len(points) == 2:
            (left, top), (right, bottom) = points
            points += [(left, bottom), (right, top)]
        across = [x * a + y * c + e for x, y in points]
        down = [x * b + y * d + f for x, y in points]
        left, right = max(min(across), 0.0), min(max(across), self._width)
        top, bottom = max(min(down), 0.0), min(max(down), self._height)
        box = round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)
        return box if box[0] < box[2] and box[1] < box[3] else None


# -- what a person is told ---------------------------------------------------------------------------------------


def notes_of(markups: Sequence[Markup], attachments: Sequence[Attachment], *, has_more: bool) -> Iterator[str]:
    """Sentences for a person about what lies in the file beside its text."""
    if markups:
        kinds = [markup.kind for markup in markups]
        them = "it is" if len(kinds) == 1 else "they are"
        yield f"{count_of_marks(kinds)} came with the file; {them} yours to keep or remove, and no part of the text."
    if has_more:
        yield f"The file holds more than {_MOST_MARKUPS:,} notes and highlights; the others are left out."
    if attachments:
        names = [file.name for file in attachments[:_MOST_NAMED]]
        more = f" and {len(attachments) - _MOST_NAMED:,} more" if len(attachments) > _MOST_NAMED else ""
        many = "or more " if len(attachments) == MOST_ATTACHED else ""
        what = "A file is attached" if len(attachments) == 1 else f"{len(attachments):,} {many}files are attached"
        yield f"{what} to it, which no model reads: {', '.join(names)}{more}."


def count_of_marks(kinds: Sequence[MarkupKind]) -> str:
    """How many of each there are: "3 highlights, 1 note and 2 drawings"."""
    counted = Counter(_CALLED[kind] for kind in kinds)
    words = [
        f"{counted[what]:,} {what}{'' if counted[what] == 1 else 's'}"
        for what in dict.fromkeys(_CALLED.values())
        if counted[what]
    ]
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


# -- messages ----------------------------------------------------------------------------------------------------


def batches(
    leaves: Iterable[LeafHealth], markups: Iterable[Markup], attachments: Iterable[Attachment]
) -> Iterator[Layers]:
    """All of it in messages of a size that is sent at once."""
    for batch in _cut(map(_bounded, leaves), _size_of_leaf):
        yield Layers(leaves=tuple(batch))
    for marked in _cut(markups, _size_of_markup):
        yield Layers(markups=tuple(marked))
    for files in _cut(attachments, lambda file: 4 * len(file.name + file.description)):
        yield Layers(attachments=tuple(files))


def _bounded(leaf: LeafHealth) -> LeafHealth:
    """The leaf with no more furniture than can be sent and shown."""
    if len(leaf.furniture) <= _MOST_FURNITURE and all(len(part.text) <= _LONGEST_FURNITURE for part in leaf.furniture):
        return leaf
    kept = (replace(part, text=part.text[:_LONGEST_FURNITURE]) for part in leaf.furniture[:_MOST_FURNITURE])
    return replace(leaf, furniture=tuple(kept))


def _cut(parts: Iterable[_Part], size_of: Callable[[_Part], int]) -> Iterator[list[_Part]]:
    batch: list[_Part] = []
    size = 0
    for part in parts:
        batch.append(part)
        size += 100 + size_of(part)
        if size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _size_of_leaf(leaf: LeafHealth) -> int:
    return 4 * len(leaf.label) + sum(100 + 4 * len(found.text) for found in leaf.furniture)


def _size_of_markup(markup: Markup) -> int:
    places = len(markup.rectangles) + sum(1 + len(spot.rectangles) for spot in markup.spots)
    return 60 * places + 4 * len(markup.text + markup.author)
