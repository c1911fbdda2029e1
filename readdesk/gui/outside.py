"""Links that lead out of a book: a person sees where to, and only then may the system's own program open them.

What must stay true: nothing but addresses of the web and of mail is ever opened, since a file may name programs and
files of this computer as well.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QDesktopServices

from readdesk.gui.widgets.strips import MessageStrip

_SCHEMES = ("http", "https", "mailto")
_LONGEST = 300

translate = QCoreApplication.translate


def offer_address(messages: MessageStrip, address: str) -> None:
    """Say where a link leads, with a button that opens it."""
    shown = address if len(address) <= _LONGEST else f"{address[:_LONGEST]}\u2026"
    url = QUrl(address)
    if not url.isValid() or url.scheme().casefold() not in _SCHEMES:
        words = translate("Outside", "This link leads to {address}, which ReadDesk does not open.")
        messages.show_words(words.format(address=shown))
        return

    def follow() -> None:
        QDesktopServices.openUrl(url)

    words = translate("Outside", "This link leads out of the book, to {address}")
    messages.show_words(words.format(address=shown), translate("Outside", "Open"), follow)
