"""Figures as people say them, in the window's language, and lines of text as delegates draw them."""

from __future__ import annotations

import unicodedata
from html import escape

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QTextOption

translate = QCoreApplication.translate


def duration(seconds: float) -> str:
    """A length of time: "40 s", "12 min", "2 h 05 min"."""
    if seconds < 90:
        return translate("Figures", "{seconds} s").format(seconds=max(1, round(seconds)))
    minutes = round(seconds / 60)
    if minutes < 90:
        return translate("Figures", "{minutes} min").format(minutes=minutes)
    return translate("Figures", "{hours} h {minutes:02d} min").format(hours=minutes // 60, minutes=minutes % 60)


def percent(share: float) -> str:
    """A share in whole per cent, never "100" before the end."""
    return str(100 if share >= 1 else min(99, int(share * 100 + 1e-6)))


def size(count: int) -> str:
    """A number of bytes: "812 bytes", "34 kB", "491 MB", "1.1 GB"."""
    if count < 1e3:
        return translate("Figures", "{size} bytes").format(size=count)
    if count < 9.5e5:
        return translate("Figures", "{size:.0f} kB").format(size=count / 1e3)
    if count >= 1e9:
        return translate("Figures", "{size:.1f} GB").format(size=count / 1e9)
    return translate("Figures", "{size:.0f} MB").format(size=count / 1e6)


def pages(count: int) -> str:
    """A number of pages."""
    if count == 1:
        return translate("Figures", "1 page")
    return translate("Figures", "{count} pages").format(count=count)


def plain_tip(text: str, longest: int = 400) -> str:
    """A tool tip that shows a text as it is: Qt takes what looks like HTML for HTML."""
    shown = text if len(text) <= longest else f"{text[: longest - 1]}\u2026"
    return f"<span>{escape(shown)}</span>"


def alignment(text: str) -> Qt.AlignmentFlag:
    """To which side a line of text belongs by its first letter: Hebrew and Arabic to the right."""
    kinds = (unicodedata.bidirectional(character) for character in text)
    first = next((kind for kind in kinds if kind in ("L", "R", "AL")), "L")
    return Qt.AlignmentFlag.AlignLeft if first == "L" else Qt.AlignmentFlag.AlignRight


def draw_line(painter: QPainter, room: QRectF, text: str, vertical: Qt.AlignmentFlag) -> None:
    """Draw one line of text in the painter's font, elided where it is too long, in its own direction from the left."""
    option = QTextOption(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute | vertical)
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    is_left = alignment(text) == Qt.AlignmentFlag.AlignLeft
    option.setTextDirection(Qt.LayoutDirection.LeftToRight if is_left else Qt.LayoutDirection.RightToLeft)
    elided = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, room.width())
    painter.drawText(room, elided, option)


def words(count: int) -> str:
    """A number of words."""
    if count == 1:
        return translate("Figures", "1 word")
    return translate("Figures", "{count} words").format(count=f"{count:,}")
