"""Sets our paragraphs in Qt's text engine: one block each, so that a position and a place on the screen are one step
apart.

Headings by their level, emphasis, lists with their labels, verse, code, rows of tables, marks of notes and pictures. A
label or a picture in the text is no character of the document, so `Setting` remembers where such things stand. A
paragraph runs in the direction of its own first letter. What must stay true: a paragraph is one block, whose user state
is its first position; a block that holds only pictures has the state PICTURES; the only links are marks of notes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from urllib.parse import quote, unquote

from PySide6.QtCore import QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextImageFormat,
    QTextOption,
)

from readdesk.documents.model import Mark, Paragraph
from readdesk.gui.figures import alignment, plain_tip
from readdesk.gui.reader.tables import Row, is_row
from readdesk.gui.theme import Theme

PICTURES = -2
"""The user state of a block that holds pictures and no text of the document."""

SERIF = ["Literata", "Source Serif 4", "Noto Serif", "Charter", "Georgia", "DejaVu Serif", "serif"]
MONO = ["JetBrains Mono", "Noto Sans Mono", "DejaVu Sans Mono", "Menlo", "Consolas", "monospace"]
SANS = ["Noto Sans", "Inter", "Segoe UI", "Helvetica Neue", "DejaVu Sans", "sans-serif"]
BODY_POINTS = 12.5
RUBY_SIZE = 0.5
"""How large readings are, by the words they stand over."""

NOTE_SCHEME = "note:"
UNSEEN = "unseen:"
"""What the name of a picture begins with that has a description and no file."""

_LINE_HEIGHT = 128.0
_LONGEST_TITLE = 60
_NOTE_HANGING = 2.0
_RUBY_LINE_HEIGHT = 156.0
_HEADINGS = {1: 1.65, 2: 1.35, 3: 1.15}
_LINE_SEPARATOR = "\u2028"
# Qt takes these as ends of blocks or of frames; the latter are no characters at all.
_SET_AS = str.maketrans({**dict.fromkeys("\n\u2029", _LINE_SEPARATOR), **dict.fromkeys("\t\r\ufdd0\ufdd1", " ")})
_Pictures = Sequence[tuple[Mark, str]]
_SMALL = {"note": 0.88, "caption": 0.9, "code": 0.86, "table": 0.9}


@dataclass(frozen=True)
class Setting:
    """Where a block differs from its paragraph: a label in front, pictures within, characters that count as two.

    Qt counts in UTF-16, so a character beyond its first plane (an emoji, a rare ideograph) takes two places.
    """

    label: int = 0
    objects: tuple[int, ...] = ()
    wide: tuple[int, ...] = ()

    block: int = field(default=0, compare=False)
    """The block's number in the text document."""

    def place_of(self, offset: int) -> int:
        """Where in the block the paragraph's character stands."""
        return self.label + offset + bisect_right(self.objects, offset) + bisect_left(self.wide, offset)

    def end_of(self, offset: int) -> int:
        """Where in the block the characters before that one end, without a picture that stands between."""
        return self.label + offset + bisect_left(self.objects, offset) + bisect_left(self.wide, offset)

    def offset_of(self, place: int) -> int:
        """Which of the paragraph's characters stands at a place of the block; 0 for its label."""
        place -= self.label
        for at in sorted(self.objects + self.wide):
            if place > at:
                place -= 1
        return max(0, place)


class Typesetter:
    """Appends paragraphs to a document in the colours and at the zoom of the moment."""

    def __init__(self, theme: Theme, zoom: float) -> None:
        self._theme = theme
        self.em = BODY_POINTS * zoom
        self.body = QFont()
        self.body.setFamilies(SERIF)
        self.body.setPointSizeF(self.em)
        self.small = QFont(self.body)
        self.small.setPointSizeF(self.em * _SMALL["table"])

    def set(
        self,
        cursor: QTextCursor,
        paragraph: Paragraph,
        pictures: Mapping[str, QImage],
        room: QSizeF,
        pixels_per_em: float,
        row: Row | None = None,
    ) -> Setting:
        """Append a paragraph with its pictures; the cursor stands at the end, in a fresh block or an empty document."""
        block_format = self._block_format(paragraph, pixels_per_em)
        if row is not None:
            _set_row(block_format, row, pixels_per_em)
        _turn(block_format, paragraph)
        before, within, after = _placed(paragraph)
        self._set_pictures(cursor, before, pictures, room)
        if cursor.position():
            cursor.insertBlock(block_format)
        else:
            cursor.setBlockFormat(block_format)
        cursor.block().setUserState(paragraph.start)
        setting = self._set_text(cursor, paragraph, within, pictures, room, row)
        setting = replace(setting, block=cursor.block().blockNumber())
        self._set_pictures(cursor, after, pictures, room)
        return setting

    # -- text ----------------------------------------------------------------------------------------------------

    def _set_text(
        self,
        cursor: QTextCursor,
        paragraph: Paragraph,
        within: _Pictures,
        pictures: Mapping[str, QImage],
        room: QSizeF,
        row: Row | None,
    ) -> Setting:
        base = self._character_format(paragraph)
        label = _label_of(paragraph)
        if label:
            muted = QTextCharFormat(base)
            muted.setForeground(self._theme.colour("muted"))
            cursor.insertText(label, muted)
        text = paragraph.text.translate(_set_as(row))
        objects = [mark for mark, _ in within]
        title = _title_of(paragraph) if row is not None and row.is_stacked else ()
        for start, end, marks in _runs(paragraph, title, objects):
            for mark, words in within:
                if mark.start == start:
                    cursor.insertImage(_image_format(mark.value, pictures, room, words))
            cursor.insertText(text[start:end], self._marked(base, marks))
        wide = tuple(at for at, character in enumerate(text) if character > "\uffff")
        return Setting(len(label), tuple(mark.start for mark in objects), wide)

    def _character_format(self, paragraph: Paragraph) -> QTextCharFormat:
        found = QTextCharFormat()
        mono = paragraph.kind == "table" and not is_row(paragraph)
        found.setFontFamilies(MONO if paragraph.kind == "code" or mono else SERIF)
        size = _SMALL.get(paragraph.kind, 1.0)
        if paragraph.kind == "heading":
            size = _HEADINGS.get(paragraph.level or 2, 1.0)
            found.setFontWeight(QFont.Weight.DemiBold)
        found.setFontPointSize(self.em * size)
        muted = paragraph.kind in ("note", "caption")
        found.setForeground(self._theme.colour("muted" if muted else "text"))
        return found

    def _marked(self, base: QTextCharFormat, marks: Iterable[Mark]) -> QTextCharFormat:
        found = QTextCharFormat(base)
        for mark in marks:
            if mark.kind == "emphasis":
                found.setFontItalic(True)
            elif mark.kind == "strong":
                found.setFontWeight(QFont.Weight.Bold)
            elif mark.kind == "code":
                found.setFontFamilies(MONO)
                found.setFontPointSize(base.fontPointSize() * 0.9)
            elif mark.kind == "superscript":
                found.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSuperScript)
            elif mark.kind == "subscript":
                found.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSubScript)
            elif mark.kind == "ruby":
                found.setToolTip(plain_tip(mark.value))
            elif mark.kind == "note":
                self._link_note(found, mark.value)
        return found

    def _link_note(self, found: QTextCharFormat, name: str) -> None:
        """A small raised link, in the colour that says that something can be clicked."""
        found.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSuperScript)
        found.setFontWeight(QFont.Weight.DemiBold)
        found.setForeground(self._theme.colour("accent"))
        found.setAnchor(True)
        found.setAnchorHref(NOTE_SCHEME + quote(name, safe=""))

    # -- blocks --------------------------------------------------------------------------------------------------

    def _block_format(self, paragraph: Paragraph, em: float) -> QTextBlockFormat:
        found = QTextBlockFormat()
        found.setLineHeight(_LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        found.setBottomMargin(0.7 * em)
        kind, level = paragraph.kind, max(1, paragraph.level)
        if kind == "heading":
            found.setLineHeight(118.0, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            found.setTopMargin((1.9 if level == 1 else 1.3) * em)
            found.setHeadingLevel(min(level, 6))
        elif kind == "item":
            # Labels of two digits and a dot need the room that all items of a list then have.
            numbered = any(mark.kind == "label" and mark.value != "\u2022" for mark in paragraph.marks)
            hanging = 2.1 if numbered else 1.3
            self._hang(found, paragraph, 1.7 * em * level + (0.5 * em if numbered else 0), hanging * em)
            found.setBottomMargin(0.3 * em)
        elif kind == "verse":
            found.setLeftMargin(2.2 * em)
        elif kind == "code":
            found.setBackground(self._theme.colour("window"))
            found.setLeftMargin(0.6 * em)
            found.setLineHeight(125.0, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        elif kind == "caption":
            found.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        elif kind in ("table", "note"):
            found.setBottomMargin(0.3 * em)
            if kind == "note" and (paragraph.level or _label_of(paragraph)):
                self._hang(found, paragraph, _NOTE_HANGING * em, _NOTE_HANGING * em)
        if any(mark.kind == "ruby" for mark in paragraph.marks):
            # Qt puts the room of a high line below it, so the readings of the first need a margin.
            found.setLineHeight(_RUBY_LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            found.setTopMargin(found.topMargin() + RUBY_SIZE * em)
        return found

    @staticmethod
    def _hang(found: QTextBlockFormat, paragraph: Paragraph, margin: float, hanging: float) -> None:
        """Set words in, with the label, where there is one, before them."""
        found.setLeftMargin(margin)
        if _label_of(paragraph):
            found.setTextIndent(-hanging)
            found.setTabPositions([QTextOption.Tab(hanging, QTextOption.TabType.LeftTab)])

    def _set_pictures(
        self,
        cursor: QTextCursor,
        marks: _Pictures,
        pictures: Mapping[str, QImage],
        room: QSizeF,
    ) -> None:
        for mark, words in marks:
            block_format = QTextBlockFormat()
            block_format.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            block_format.setTopMargin(0.6 * self.em)
            block_format.setBottomMargin(0.9 * self.em)
            if cursor.position():
                cursor.insertBlock(block_format)
            else:
                cursor.setBlockFormat(block_format)
            cursor.block().setUserState(PICTURES)
            cursor.insertImage(_image_format(mark.value, pictures, room, words))


def resize_pictures(cursor: QTextCursor, member: str, pictures: Mapping[str, QImage], room: QSizeF) -> None:
    """Give every picture of that name in a document its size, now that it is there."""
    block = cursor.document().begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            fragment = iterator.fragment()
            char_format = fragment.charFormat()
            if char_format.isImageFormat() and char_format.toImageFormat().name() == member:
                cursor.setPosition(fragment.position())
                cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
                words = char_format.stringProperty(QTextFormat.Property.ImageAltText.value)
                cursor.setCharFormat(_image_format(member, pictures, room, words))
            iterator += 1
        block = block.next()


def note_of(link: str) -> str | None:
    """The name of the note that a link leads to; None where it is no such link."""
    return unquote(link.removeprefix(NOTE_SCHEME)) if link.startswith(NOTE_SCHEME) else None


def pictures_of(paragraph: Paragraph) -> tuple[tuple[Mark, str], ...]:
    """The pictures of a paragraph in order, each with what the book says that it shows ("" for nothing).

    A description follows its picture; one without a picture stands for one whose file cannot be had, and its mark names
    no file of the book.
    """
    found: list[tuple[Mark, str]] = []
    for mark in paragraph.marks:
        if mark.kind == "image":
            found.append((mark, ""))
        elif mark.kind == "alt" and found and found[-1][0].start == mark.start and not found[-1][1]:
            found[-1] = found[-1][0], mark.value
        elif mark.kind == "alt" and mark.value:
            found.append((Mark(mark.start, mark.end, "image", UNSEEN + mark.value), mark.value))
    return tuple(sorted(found, key=lambda each: each[0].start))


def _image_format(member: str, pictures: Mapping[str, QImage], room: QSizeF, words: str) -> QTextImageFormat:
    found = QTextImageFormat()
    found.setName(member)
    found.setProperty(QTextFormat.Property.ImageAltText, words)
    if words:
        found.setToolTip(plain_tip(words))
    image = pictures.get(member)
    if image is not None and not image.isNull():
        size = image.deviceIndependentSize()
        ratio = min(1.0, room.width() / max(1, size.width()), room.height() / max(1, size.height()))
        found.setWidth(size.width() * ratio)
        found.setHeight(size.height() * ratio)
    return found


def _set_as(row: Row | None) -> dict[int, str]:
    """How characters are set that mean something to Qt: a tab is one only between the cells of a row."""
    if row is None:
        return _SET_AS
    if not row.is_stacked:
        return {**_SET_AS, ord("\t"): "\t"}
    return {**_SET_AS, ord("\t"): "\u2003" if row.is_head else _LINE_SEPARATOR}


def _set_row(found: QTextBlockFormat, row: Row, em: float) -> None:
    """Tab stops where the cells begin, and room for the rules."""
    kinds = QTextOption.TabType
    found.setTabPositions(
        [QTextOption.Tab(place, kinds.RightTab if is_right else kinds.LeftTab) for place, is_right in row.stops]
    )
    found.setLeftMargin(row.hanging)
    found.setTextIndent(-row.hanging)
    found.setTopMargin((0.8 if row.is_first else 0.22) * em)
    found.setBottomMargin((0.9 if row.is_last else 0.1) * em)


def _turn(found: QTextBlockFormat, paragraph: Paragraph) -> None:
    """Let a paragraph run in the direction of its own first letter, with the label of an item before it."""
    if alignment(paragraph.text) == Qt.AlignmentFlag.AlignLeft:
        found.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        return
    found.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    # Margins are left and right for Qt, whatever the direction; so are the kinds of tab stops, seen from the right.
    found.setRightMargin(found.leftMargin())
    found.setLeftMargin(0)
    kinds = QTextOption.TabType
    other = {kinds.LeftTab: kinds.RightTab, kinds.RightTab: kinds.LeftTab}
    found.setTabPositions([QTextOption.Tab(tab.position, other[tab.type]) for tab in found.tabPositions()])


def _label_of(paragraph: Paragraph) -> str:
    return next((f"{mark.value}\t" for mark in paragraph.marks if mark.kind == "label"), "")


def _placed(paragraph: Paragraph) -> tuple[_Pictures, _Pictures, _Pictures]:
    """The pictures before, within and after a paragraph."""
    found, end = pictures_of(paragraph), len(paragraph.text)
    return (
        [each for each in found if each[0].start <= 0],
        [each for each in found if 0 < each[0].start < end],
        [each for each in found if each[0].start >= end > 0],
    )


def _title_of(paragraph: Paragraph) -> tuple[Mark, ...]:
    """The first cell of a row, strong where it is short: it is the title of those below it."""
    first = paragraph.text.partition("\t")[0]
    return (Mark(0, len(first), "strong"),) if 0 < len(first) <= _LONGEST_TITLE else ()


def _runs(
    paragraph: Paragraph, more: Iterable[Mark], objects: Iterable[Mark]
) -> Iterable[tuple[int, int, tuple[Mark, ...]]]:
    """Spans of text that are set alike, with what holds for them."""
    spans = [mark for mark in (*paragraph.marks, *more) if mark.start < mark.end]
    end = len(paragraph.text)
    edges = {0, end, *(mark.start for mark in objects), *(mark.start for mark in spans), *(mark.end for mark in spans)}
    cuts = sorted(edge for edge in edges if 0 <= edge <= end)
    for start, stop in pairwise(cuts):
        yield start, stop, tuple(mark for mark in spans if mark.start <= start and mark.end >= stop)


def marked_format(colour: QColor, text: QColor) -> QTextCharFormat:
    """How marked words look."""
    found = QTextCharFormat()
    found.setBackground(colour)
    found.setForeground(text)
    return found
