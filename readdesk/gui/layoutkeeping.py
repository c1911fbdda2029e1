"""How the window lay when it was closed: its size and place, the widths of its parts, which of them were hidden."""

from __future__ import annotations

from base64 import b64decode, b64encode

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

from readdesk.desk import Desk
from readdesk.errors import ReadDeskError
from readdesk.gui.bookplace import BookPlace

SIZE = (1360, 860)
"""How large a window is at first, where the screen is large enough."""


def keep_layout(desk: Desk, window: QMainWindow, book: BookPlace) -> None:
    """Remember it."""
    parts = [window.saveGeometry(), book.saveState()]
    hidden = [str(int(place.isHidden())) for place in (book.side, book.chat)]
    words = " ".join([*(b64encode(bytes(part.data())).decode() for part in parts), *hidden])
    try:
        desk.set_option("window.layout", words)
        desk.set_option("window.zoom", book.reader.text.zoom)
    except ReadDeskError:
        return  # The place of a window is not worth a message on the way out.


def restore_layout(desk: Desk, window: QMainWindow, book: BookPlace) -> None:
    """Lay the window out as it was, or as the screen allows."""
    try:
        geometry, splitter, side, chat = str(desk.option("window.layout")).split()
        window.restoreGeometry(QByteArray(b64decode(geometry)))
        book.restoreState(QByteArray(b64decode(splitter)))
        book.side.setHidden(side == "1")
        book.chat.setHidden(chat == "1")
    except ValueError:
        screen = QGuiApplication.primaryScreen().availableGeometry()
        window.resize(min(SIZE[0], screen.width() - 40), min(SIZE[1], screen.height() - 60))
    book.reader.text.set_zoom(float(desk.option("window.zoom")))
