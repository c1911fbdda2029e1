"""The pictures of the text view: which were asked for, which have come, and what stands for one that cannot be shown.

A picture that is missing, refused or of a kind that nobody can draw is a quiet box with what the book says about it.
What must stay true: only so many pictures are kept, those that came first go first and can be asked for again.
"""

from __future__ import annotations

from collections import OrderedDict

from PySide6.QtCore import QCoreApplication, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter, QPen, QTextDocument

from readdesk.documents.model import Paragraph
from readdesk.gui.reader.typeset import SANS, UNSEEN, pictures_of
from readdesk.gui.theme import Theme

_KEPT = 40
_PADDING = 10
_LONGEST = 600


class Pictures:
    """What one view has of its book's pictures, by their file in the archive; a null image cannot be shown."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._images: OrderedDict[str, QImage] = OrderedDict()
        self._words: dict[str, str] = {}
        self._asked: set[str] = set()

    def clear(self) -> None:
        """Forget everything: another book is opened."""
        self._images.clear()
        self._words.clear()
        self._asked.clear()

    def ask(self, paragraph: Paragraph) -> list[str]:
        """The pictures of a paragraph that nobody has asked for yet; from now on they are asked for."""
        wanted = []
        for mark, words in pictures_of(paragraph):
            if mark.value in self._asked:
                continue
            self._asked.add(mark.value)
            self._words[mark.value] = words
            if mark.value.startswith(UNSEEN):
                self.put(mark.value, QImage())
            else:
                wanted.append(mark.value)
        return wanted

    def put(self, member: str, image: QImage) -> bool:
        """Keep a picture that has come; whether it was asked for."""
        if member not in self._asked:
            return False
        self._images[member] = image
        while len(self._images) > _KEPT:
            self._asked.discard(self._images.popitem(last=False)[0])
        return True

    def dress(self, document: QTextDocument, room: QSizeF, points: float, ratio: float) -> dict[str, QImage]:
        """Give a document its pictures, boxes for those that cannot be shown; returns them all."""
        shown = {
            member: self._box(member, room.width(), points, ratio) if image.isNull() else image
            for member, image in self._images.items()
        }
        for member, image in shown.items():
            document.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(member), image)
        return shown

    def _box(self, member: str, widest: float, points: float, ratio: float) -> QImage:
        """A box that says what would be seen, at most so many pixels wide."""
        said = self._words.get(member, "")
        words = (
            QCoreApplication.translate("Pictures", "Picture: {words}").format(words=said[:_LONGEST])
            if said
            else QCoreApplication.translate("Pictures", "A picture that cannot be shown")
        )
        font = QFont()
        font.setFamilies(SANS)
        font.setPointSizeF(0.8 * points)
        flags = Qt.TextFlag.TextWordWrap.value | Qt.AlignmentFlag.AlignLeading.value
        width = max(60.0, widest - 2 * _PADDING - 3)
        room = QFontMetricsF(font).boundingRect(QRectF(0, 0, width, 10_000), flags, words)
        size = QSizeF(room.width() + 2 * _PADDING + 3, room.height() + 2 * _PADDING)
        image = QImage((size * ratio).toSize(), QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(ratio)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("border"), 1))
        painter.setBrush(self._theme.colour("window"))
        painter.drawRoundedRect(QRectF(0.5, 0.5, size.width() - 1, size.height() - 1), 6, 6)
        painter.setFont(font)
        painter.setPen(self._theme.colour("muted"))
        painter.drawText(QRectF(_PADDING, _PADDING, room.width() + 3, room.height()), flags, words)
        painter.end()
        return image
