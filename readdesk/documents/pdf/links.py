"""Where the links on a leaf lead: to another place of the same file, or to an address of the web.

What a link asks for beyond that (to start a program, to open another file, to run a script) is passed over, whoever
made the file. What must stay true: rectangles and heights are those of *drawn* leaves, in points; nothing is fetched.
"""

from __future__ import annotations

import math
from typing import Any
from urllib.parse import urlsplit

from readdesk.documents.model import Link, Rectangle
from readdesk.documents.pdf.file import FAILURES, pymupdf

_SCHEMES = ("http", "https", "mailto")
_MOST_LINKS = 5_000
_LONGEST_ADDRESS = 4_000
_MOST_CHARACTERS = 400_000
"""Of all addresses on a leaf together: no message is over a megabyte."""


def links_of(document: Any, index: int) -> tuple[Link, ...]:
    """The links on a leaf (0-based) that lead somewhere; raises one of FAILURES where it cannot be loaded."""
    page = document[index]
    found: list[Link] = []
    characters = 0
    link = pymupdf.mupdf.fz_load_links(page.this)
    while link.m_internal and len(found) < _MOST_LINKS and characters < _MOST_CHARACTERS:
        try:
            target = _target(document, link)
        except FAILURES:
            target = None
        if target is not None:
            found.append(target)
            characters += len(target.address)
        link = link.next()
    return tuple(found)


def _target(document: Any, link: Any) -> Link | None:
    box, address = link.m_internal.rect, link.m_internal.uri or ""
    rectangle: Rectangle = (box.x0, box.y0, box.x1, box.y1)
    if not all(map(math.isfinite, rectangle)) or rectangle[0] >= rectangle[2] or rectangle[1] >= rectangle[3]:
        return None
    rectangle = round(box.x0, 1), round(box.y0, 1), round(box.x1, 1), round(box.y1, 1)
    if pymupdf.mupdf.fz_is_external_link(address):
        return Link(rectangle, address=address) if _is_of_the_web(address) else None
    place, _, top = pymupdf.mupdf.fz_resolve_link(document.this, address)
    leaf = place.page
    if not 0 <= leaf < document.page_count:
        return None
    height = document[leaf].rect.height
    return Link(rectangle, leaf, round(min(max(top, 0.0), height), 1) if math.isfinite(top) else 0.0)


def _is_of_the_web(address: str) -> bool:
    if len(address) > _LONGEST_ADDRESS or not address.isprintable():
        return False
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme.lower() in _SCHEMES and bool(parts.netloc or parts.scheme.lower() == "mailto")
