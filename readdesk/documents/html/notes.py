"""Foot- and endnotes of a book: which links lead to notes, and where those notes stand.

Few files say what a note is. A link is a reference to a note when the file says so (EPUB 3 types, ARIA roles, the
classes of common tools), when it is set as a superscript, or when it is a short label whose target links back. A target
may lie in another file, so names are remembered from file to file: a name is the file and the id within it.

What must stay true: a link of a contents list, an index, or the way back from a note is never a reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from readdesk.documents.html.elements import Element, roles_of, tag_of, text_of

_REFERENCE_WORDS = frozenset(
    ("noteref", "doc-noteref", "annoref", "footnote-reference", "footnote-ref", "fnref", "endnote-ref", "noteanchor")
)
_BACK_WORDS = frozenset(("backlink", "doc-backlink", "fn-backref", "footnote-back", "footnote-backref", "backref"))
_LISTS_OF_LINKS = frozenset(("toc", "doc-toc", "index", "doc-index", "page-list", "landmarks", "loi", "lot"))
_LABEL = re.compile(
    r"[\[({]?\s*(?:\d{1,4}|[*†‡§¶#]{1,4}|[a-z]|[ivxlc]{1,6}|注\s*\d{0,3}|note \d{1,4})\s*[\])}.]?", re.I
)
_LINK_BACK = re.compile(r"[\[({]?\s*(?:\d{1,4}|[*†‡§¶#↩↑^]{1,4}\ufe0e?|[a-z]|back|return)\s*[\])}.]?", re.IGNORECASE)
_BODIES = frozenset(("p", "li", "div", "aside", "dd", "dt", "section", "td", "blockquote"))
_LONGEST_BODY = 6_000
_MOST_LINKS = 50
_HEADING = re.compile("h[1-6]")

Resolve = Callable[[str], tuple[str | None, str]]
"""The file and the id within it that a link of the present file names."""


@dataclass(frozen=True)
class NoteLinks:
    """The notes of one file: its references with the names of their notes, notes' own places, and their blocks."""

    references: Mapping[Element, str] = field(default_factory=dict)
    targets: Mapping[Element, str] = field(default_factory=dict)
    bodies: frozenset[Element] = frozenset()


NO_NOTES = NoteLinks()


class NoteFinder:
    """Knows the names that references of all files so far have used, and where those references stand."""

    def __init__(self) -> None:
        self._named: set[str] = set()
        self._origins: set[str] = set()

    def links(self, file: str, root: Element, resolve: Resolve, places: Mapping[str, Element]) -> NoteLinks:
        """The notes of a file."""
        references: dict[Element, str] = {}
        for link in root.iter("{*}a"):
            target = link.get("href") or ""
            if "#" not in target or not _may_refer(link):
                continue
            found, fragment = resolve(target)
            name = f"{found}#{fragment}"
            if found is None or not fragment or name in self._origins:  # The way back looks like a reference.
                continue
            place = places.get(fragment) if found == file else None
            if _is_alone_in_heading(link) or (place is not None and _block_of(place) is _block_of(link)):
                continue
            if _says_so(link) or (place is not None and _links_back(place, link, resolve)):
                references[link] = name
                self._origins.update(f"{file}#{key}" for key in _names_of(link))
        self._named.update(references.values())
        targets = {element: name for key, element in places.items() if (name := f"{file}#{key}") in self._named}
        bodies = frozenset(body for element in targets if (body := _body_of(element)) is not None)
        return NoteLinks(references, targets, bodies)


def _may_refer(link: Element) -> bool:
    roles = roles_of(link)
    if roles & _BACK_WORDS:
        return False
    if not roles & _REFERENCE_WORDS and not _LABEL.fullmatch(text_of(link)):
        return False
    return not any(tag_of(around) == "nav" or roles_of(around) & _LISTS_OF_LINKS for around in link.iterancestors())


def _says_so(link: Element) -> bool:
    """Whether the link is set or named as a reference."""
    if roles_of(link) & _REFERENCE_WORDS:
        return True
    around = link.getparent()
    if around is not None and tag_of(around) == "sup":
        return True
    return any(tag_of(inner) == "sup" for inner in link)


def _links_back(place: Element, link: Element, resolve: Resolve) -> bool:
    """Whether at the target a short label leads back to the reference or the block that it stands in."""
    names = _names_of(link)
    block = _body_of(place)
    for back in (place, *(islice(block.iter("{*}a"), _MOST_LINKS) if block is not None else ())):
        target = back.get("href") or ""
        if "#" in target and resolve(target)[1] in names and _LINK_BACK.fullmatch(text_of(back)):
            return True
    return False


def _names_of(link: Element) -> set[str]:
    """The ids by which the way back may lead to a reference: its own, and those around and in it within its block."""
    names = {element.get("id") or "" for element in (link, *link.iterdescendants())}
    for around in link.iterancestors():
        names.add(around.get("id") or "")
        if tag_of(around) in _BODIES:
            break
    return names - {""}


def _is_alone_in_heading(link: Element) -> bool:
    """Whether a link is all the text of a heading: then it leads to the list of contents."""
    block = _block_of(link)
    return block is not None and bool(_HEADING.fullmatch(tag_of(block))) and text_of(block) == text_of(link)


def _block_of(element: Element) -> Element | None:
    """The nearest block or heading around an element, or itself."""
    for around in (element, *element.iterancestors()):
        if tag_of(around) in _BODIES or _HEADING.fullmatch(tag_of(around)):
            return around
    return None


def _body_of(element: Element) -> Element | None:
    """The block that a note's name stands in or on, unless that is too long to be a note."""
    for around in (element, *element.iterancestors()):
        tag = tag_of(around)
        if tag in _BODIES:
            return around if sum(len(text) for text in around.itertext()) <= _LONGEST_BODY else None
        if tag in ("body", "html") or _HEADING.fullmatch(tag):
            return None
    return None
