"""What is written on a leaf instead of its picture, or on one that lacks something; and the same for a screen reader.

A leaf that takes too long to draw is shown as far as it is drawn, or without detail. What must stay true: such a
picture is never seen without the words that say so, wherever the leaf is scrolled to.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QTextOption

from readdesk.documents.model import Lack, Leaf
from readdesk.gui.reader.leafpaper import ink
from readdesk.gui.reader.leafstack import GAP

translate = QCoreApplication.translate

_PADDING = 6.0
_NUMBER_MOST, _NUMBER_LEAST = 48.0, 10.0


def lack_words(lack: Lack, goes_on: bool) -> str:
    """What the picture of a leaf lacks, and whether more is to come; "" where it lacks nothing."""
    if lack == "rest" and goes_on:
        return translate("LeafView", "This leaf takes long to draw. Only a part of it is shown so far.")
    if lack == "rest":
        return translate("LeafView", "This leaf is too complex to draw in full. Only a part of it is shown.")
    if lack == "detail" and goes_on:
        return translate("LeafView", "This leaf takes long to draw. It is shown without detail so far.")
    if lack == "detail":
        return translate("LeafView", "This leaf is too complex to draw in full. It is shown without detail.")
    return ""


def place_words(leaf: Leaf, number: int, count: int, lacks: str) -> str:
    """Where the reader is, for a screen reader, since painted leaves say nothing."""
    if leaf.label:
        said = translate("LeafView", "Leaf {number} of {count}, printed label {label}")
    else:
        said = translate("LeafView", "Leaf {number} of {count}")
    said = said.format(number=number, count=count, label=leaf.label)
    return f"{said}. {lacks}" if lacks else said


def paint_instead(painter: QPainter, room: QRectF, name: str, failure: str | None, font: QFont, width: float) -> None:
    """What a leaf is called, larger on a wider one, or why it could not be drawn; `room` is what is visible of it."""
    if failure is None:
        font.setPixelSize(round(min(_NUMBER_MOST, max(_NUMBER_LEAST, width / 8))))
    painter.setFont(font)
    painter.setPen(ink("muted" if failure is None else "bad"))
    within = room.adjusted(GAP, 0, -GAP, 0)
    painter.drawText(within, name if failure is None else failure, QTextOption(Qt.AlignmentFlag.AlignCenter))


def paint_note(painter: QPainter, room: QRectF, words: str, font: QFont) -> None:
    """What a picture lacks, on a strip along the upper edge of what is visible of its leaf."""
    within = QRectF(0, 0, max(1.0, room.width() - 2 * _PADDING), room.height())
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
    needed = QFontMetricsF(font).boundingRect(within, flags, words).height() + 2 * _PADDING
    strip = QRectF(room.topLeft(), QPointF(room.right(), min(room.bottom(), room.top() + needed)))
    painter.fillRect(strip, ink("accent_soft"))
    painter.setFont(font)
    painter.setPen(ink("text"))
    painter.drawText(strip.adjusted(_PADDING, _PADDING, -_PADDING, 0), flags, words)
