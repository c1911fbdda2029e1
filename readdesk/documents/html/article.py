"""Which part of a web page is its text: the article, without menus, side columns, forms and cookie notices.

Elements that are left out get the attribute `hidden`, which `markup.py` respects; the tree stays as it is, so that
paths to elements count what anybody counts who parses the file. What must stay true: what may be text is left in where
leaving it out would take much of the page; what was left out is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lxml import etree

from readdesk.documents.html.elements import Element, roles_of, tag_of, types_of

_CONTROLS = frozenset(
    ("noscript", "button", "select", "textarea", "input", "datalist", "dialog", "iframe", "object", "canvas", "meter")
)
_FOLDED = ("menus", "side columns", "headers and footers of the site", "cookie notices")
_MENU_TAGS = frozenset(("nav", "menu"))
_MENU_WORDS = frozenset(
    "navigation menu menubar toolbar search breadcrumb breadcrumbs navbar skip-link mw-editsection".split()
)
_SIDE_WORDS = frozenset(
    (
        "complementary sidebar navbox newsletter advertisement advert social-share share-buttons sharing related-posts "
        "noprint"
    ).split()
)
_SITE_WORDS = frozenset("banner contentinfo site-header site-footer page-footer global-header global-footer".split())
_NOTE_ROLES = frozenset(("footnote", "footnotes", "endnotes", "note", "doc-footnote", "doc-endnotes", "doc-endnote"))
_COOKIE = re.compile(r"cookie|consent|gdpr|onetrust|cc-window", re.IGNORECASE)
_WITHIN_ARTICLE = frozenset(("article", "main", "section", "blockquote"))
_NEVER = frozenset(("html", "body", "main", "article"))
_LONGEST_NOTICE = 3_000
_MOST_LEFT_OUT = 0.7
_LARGEST_SIDE = 0.25
_FEWEST_IN_ARTICLE = 0.5


@dataclass(frozen=True)
class Article:
    """The element that holds the text, and what was left out in words for people."""

    element: Element
    left_out: tuple[str, ...]


def article_of(root: Element) -> Article:
    """The article of a page; what is left out of it is hidden in the tree."""
    for element in root.iter():
        if tag_of(element) in _CONTROLS:
            element.set("hidden", "")
    lengths = _lengths(root)
    total = lengths[root]
    around = dict(_around(root, lengths))
    left_out: dict[str, None] = {}
    if sum(lengths[element] for element in around) <= _MOST_LEFT_OUT * total:
        for element, kind in around.items():
            element.set("hidden", "")
            if lengths[element]:
                left_out[_FOLDED[kind]] = None
        total -= sum(lengths[element] for element in around)
    found = _main(root, lengths, total)
    if found is not root and lengths[root] > lengths[found] and total > _seen(found):
        left_out["what stands around the article"] = None
    return Article(found, tuple(left_out))


def _lengths(root: Element) -> dict[Element, int]:
    """How many visible characters each element holds, hidden ones none."""
    lengths: dict[Element, int] = {}
    for _, element in etree.iterwalk(root, events=("end",)):
        is_hidden = element.get("hidden") is not None or tag_of(element) in ("script", "style", "template", "head", "")
        own = 0 if is_hidden else len("".join((element.text or "").split()))
        inner = 0 if is_hidden else sum(lengths[child] + len("".join((child.tail or "").split())) for child in element)
        lengths[element] = own + inner
    return lengths


def _around(root: Element, lengths: Mapping[Element, int]) -> Iterator[tuple[Element, int]]:
    """The outermost elements that are not the article, with their kind."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        kind = _kind_of(element, lengths, lengths[root])
        if kind is None:
            waiting += reversed(element)
        elif element.get("hidden") is None:
            yield element, kind


def _kind_of(element: Element, lengths: Mapping[Element, int], total: int) -> int | None:
    """Which of the kinds that are left out an element is."""
    tag = tag_of(element)
    if tag in _NEVER or tag == "":
        return None
    roles = roles_of(element) if element.attrib else frozenset()
    if tag in _MENU_TAGS or roles & _MENU_WORDS:
        return 0
    if tag == "aside" or roles & _SIDE_WORDS:
        is_note = bool(types_of(element) & _NOTE_ROLES or roles & _NOTE_ROLES)
        return None if is_note or lengths[element] > _LARGEST_SIDE * total else 1
    if roles & _SITE_WORDS or (tag in ("header", "footer") and _is_of_site(element)):
        return None if lengths[element] > _LARGEST_SIDE * total else 2
    named = f"{element.get('id') or ''} {element.get('class') or ''}" if element.attrib else ""
    if _COOKIE.search(named) and lengths[element] <= min(_LONGEST_NOTICE, _LARGEST_SIDE * total):
        return 3
    return None


def _is_of_site(element: Element) -> bool:
    """Whether a header or footer is that of the whole page and does not hold the title of the text."""
    if any(tag_of(outer) in _WITHIN_ARTICLE for outer in element.iterancestors()):
        return False
    return element.find(".//{*}h1") is None


def _main(root: Element, lengths: Mapping[Element, int], total: int) -> Element:
    """The only `main` or `article` with half of the text; else all of the page."""
    for tag in ("main", "article"):
        found = [element for element in root.iter() if tag_of(element) == tag or (tag == "main" and _is_main(element))]
        if len(found) == 1 and _seen(found[0]) >= _FEWEST_IN_ARTICLE * total and _seen(found[0]):
            return found[0]
    return root


def _is_main(element: Element) -> bool:
    return element.get("role") == "main"


def _seen(element: Element) -> int:
    """How many characters of an element are not hidden."""
    return _lengths(element)[element]


def path_to(element: Element) -> tuple[int, ...]:
    """The numbers of the children from the root of the file down to an element."""
    path: list[int] = []
    parent = element.getparent()
    while parent is not None:
        path.append(parent.index(element))
        element, parent = parent, parent.getparent()
    return tuple(reversed(path))
