"""What sections are besides the book itself, in plain words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from readdesk.documents.model import Matter, Section

translate = QCoreApplication.translate


def matter_words(matter: Matter) -> str:
    """What kind of front or back matter a section is; "" for the book itself."""
    return {
        "": "",
        "cover": translate("Matters", "cover"),
        "title": translate("Matters", "title page"),
        "contents": translate("Matters", "table of contents"),
        "imprint": translate("Matters", "imprint"),
        "licence": translate("Matters", "licence"),
        "notes": translate("Matters", "notes"),
        "bibliography": translate("Matters", "bibliography"),
        "index": translate("Matters", "index"),
        "excerpt": translate("Matters", "excerpt from another book"),
        "promotion": translate("Matters", "advertisement"),
    }[matter]


def left_out_words(section: Section) -> str:
    """Why a section is not read for gists; "" for one that is."""
    if not section.is_left_out:
        return ""
    what = matter_words(section.matter)
    if not what:
        return translate("Matters", "left out of gisting")
    return translate("Matters", "left out of gisting: {what}").format(what=what)
