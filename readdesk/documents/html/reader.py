"""Saved web pages: HTML, XHTML, and MHTML (a page in the form of a mail).

A page becomes paragraphs as a file of an EPUB does (`markup.py`); its spots name no file, since there is only one. Only
the article is read; what is left out is told. What must stay true: nothing is fetched, no script runs, no picture is
shown, and an element's path counts the children of the page as lxml parses it, comments removed.
"""

from __future__ import annotations

import email
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from lxml import etree

from readdesk.cancel import CancelToken
from readdesk.documents.draft import Draft, Drafted, Start, Told
from readdesk.documents.health import HealthCollector
from readdesk.documents.html.article import Article, article_of, path_to
from readdesk.documents.html.elements import Element, is_cut_off, language_of, parse, places_in, tag_of, text_of
from readdesk.documents.html.marks import PointPlacer
from readdesk.documents.html.markup import walk
from readdesk.documents.html.notes import NoteFinder
from readdesk.documents.model import Choices, ElementSpot, Piece, Structure
from readdesk.documents.normal import count_words, one_line
from readdesk.documents.parts import FEWEST_WORDS_FOR_PARTS, in_parts
from readdesk.documents.text.encodings import decode

_DECLARED = re.compile(
    rb"<\?xml[^>]{0,100}encoding\s*=\s*[\"']([\w.:-]{1,40})|<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w.:-]{1,40})",
    re.IGNORECASE,
)
_HEAD_BYTES = 4096
_XML_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_IS_XHTML = re.compile(
    r"\s*+(?:<\?xml|(?:(?><!--.*?-->)\s*+|<!doctype[^>]*+>\s*+)*+<html[^>]*\sxmlns\s*=)", re.IGNORECASE | re.DOTALL
)
_SECTION_TAGS = frozenset(("h1", "h2", "h3"))
_AUTHORS = ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author")
_LONGEST_AUTHOR = 100


def read(path: Path, choices: Choices, health: HealthCollector, cancel: CancelToken) -> Iterator[Drafted]:
    """What a web page says of itself, then its sections and paragraphs; raises DocumentError."""
    page, declared = _page_of(path.read_bytes())
    found = _DECLARED.search(page[:_HEAD_BYTES])
    declared = declared or (found[1] or found[2]).decode("ascii") if found else declared
    decoded = decode(page, path.name, choices.encoding, health, declared)
    root = _parsed(decoded.text)
    if root is None:
        yield Told(path.stem, encoding=decoded.encoding)
        return
    if is_cut_off(root):
        health.note("This web page is nested too deeply to be read to its end.")
    said = _said(root)
    article = article_of(root)
    if article.left_out:
        health.note(f"Left out of this web page: {', '.join(article.left_out)}.")
    has_headings = any(tag_of(element) in _SECTION_TAGS and text_of(element) for element in article.element.iter())
    drafts = list(_drafts(root, article, has_headings, cancel))
    structure = _structure(drafts, has_headings)
    title = _title(root, said) or path.stem
    yield Told(title, _authors(said), language_of(root), structure=structure, encoding=decoded.encoding)
    yield from in_parts(drafts, structure == "parts")


def _structure(drafts: list[Start | Draft], has_headings: bool) -> Structure:
    if has_headings:
        return "headings"
    words = sum(count_words(draft.text) for draft in drafts if isinstance(draft, Draft))
    return "parts" if words >= FEWEST_WORDS_FOR_PARTS else ""


def _drafts(root: Element, article: Article, has_headings: bool, cancel: CancelToken) -> Iterator[Start | Draft]:
    """The paragraphs of the article, with paths from the root of the page."""
    path = path_to(article.element)
    notes = NoteFinder().links("", root, _resolve, places_in(root))
    placer = PointPlacer()
    for part in placer.file(walk(article.element, "", {}, _no_picture, has_headings, notes)):
        cancel.raise_if_cancelled()
        yield _from_root(part, path)
    for part in placer.end():
        yield _from_root(part, path)


def _resolve(link: str) -> tuple[str | None, str]:
    """The place within the page that a link names; other pages are not there."""
    page, _, place = link.partition("#")
    return (None, place) if page else ("", place)


def _no_picture(link: str) -> str | None:
    """Pictures of web pages lie elsewhere, and nothing is fetched."""
    return None


def _from_root(part: Start | Draft, path: tuple[int, ...]) -> Start | Draft:
    if isinstance(part, Start) or not path:
        return part
    return replace(part, pieces=tuple(_piece_from_root(piece, path) for piece in part.pieces))


def _piece_from_root(piece: Piece, path: tuple[int, ...]) -> Piece:
    assert isinstance(piece.spot, ElementSpot)
    return replace(piece, spot=replace(piece.spot, path=path + piece.spot.path))


# -- the file ----------------------------------------------------------------------------------------------------


def _page_of(data: bytes) -> tuple[bytes, str]:
    """The page of a file and the encoding that a mail around it declares."""
    if not re.match(rb"[A-Za-z-]+:[ \t]", data):
        return data, ""
    try:
        mail = email.message_from_bytes(data)
        parts = [part for part in mail.walk() if part.get_content_type() in ("text/html", "application/xhtml+xml")]
    except RecursionError:  # Parts within parts, thousands deep.
        return data, ""
    start = mail.get_param("start")
    parts.sort(key=lambda part: part.get("Content-ID") != start)  # The page stands where the mail says, else first.
    for part in parts:
        payload = part.get_payload(decode=True)
        if isinstance(payload, bytes):
            return payload, part.get_content_charset() or ""
    return data, ""


def _parsed(text: str) -> Element | None:
    """The root element of a page, by the rules of XML only where the page says that it follows them."""
    text = _XML_DECLARATION.sub("", text, count=1) if (is_xhtml := _IS_XHTML.match(text) is not None) else text
    data = text.replace("\0", "\ufffd").encode("utf-8", "replace")
    if is_xhtml and (root := parse(data)) is not None:
        return root
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        return etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


# -- what the page says ------------------------------------------------------------------------------------------


def _said(root: Element) -> Mapping[str, str]:
    """The page's own description of itself, by name."""
    said: dict[str, str] = {}
    for element in root.iter("{*}meta"):
        name = (element.get("name") or element.get("property") or "").lower()
        if name and (content := one_line(element.get("content") or "")):
            said.setdefault(name, content)
    return said


def _title(root: Element, said: Mapping[str, str]) -> str:
    """The title without the name of the site, where the page gives it so."""
    element = next(root.iter("{*}title"), None)
    title = text_of(element) if element is not None else ""
    shared = said.get("og:title", "")
    if shared and (not title or shared.casefold() in title.casefold()):
        return shared
    first = next((found for found in map(text_of, root.iter("{*}h1")) if found), "")
    return title or first


def _authors(said: Mapping[str, str]) -> tuple[str, ...]:
    author = next((said[name] for name in _AUTHORS if name in said), "")
    is_address = "://" in author or len(author) > _LONGEST_AUTHOR
    return (author,) if author and not is_address else ()
