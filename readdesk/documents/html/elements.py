"""Elements of XML, XHTML and HTML files: parsed with mending where that is needed, and looked at.

Well-formed files are parsed as they are. Only where libxml2 reports errors are named entities and bare ampersands
mended first, and if that still loses text the HTML parser is used. What must stay true: no network, no external
entities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from html.entities import html5

from lxml import etree

Element = etree._Element

_WORDS = re.compile(r"[\s:]+")
_DEEPEST = 2_000
_LANGUAGE = ("{http://www.w3.org/XML/1998/namespace}lang", "lang")
_REPAIRABLE = re.compile(
    rb"<!\[CDATA\[.*?\]\]>|<!--.*?-->|&(#[0-9]+;|#[xX][0-9a-fA-F]+;|[A-Za-z][A-Za-z0-9]*;)?", re.DOTALL
)
_SURROGATE = re.compile(
    rb"&#(?:[xX]0*[dD][89a-fA-F][0-9a-fA-F]{2}|0*(?:55(?:29[6-9]|[3-9]\d\d)|56\d{3}|57(?:[0-2]\d\d|3(?:[0-3]\d|4[0-3]))));"
)
_XML_ENTITIES = frozenset((b"amp;", b"lt;", b"gt;", b"quot;", b"apos;"))
_DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL | re.IGNORECASE)
_DECLARATION = re.compile(rb"^\s*<\?xml[^>]*\?>")


# -- parsing -----------------------------------------------------------------------------------------------------


def parse(data: bytes) -> Element | None:
    """The root element of an XML or XHTML file, mended where it must be; None where there is nothing to parse."""
    data = _readable(data)
    root, is_clean = _parse_xml(data)
    if is_clean:
        return root
    mended = _mend(data)
    root, is_clean = _parse_xml(mended)
    if is_clean:
        return root
    other = _parse_html(mended)
    if root is None or (other is not None and _text_length(other) > 1.02 * _text_length(root)):
        return other
    return root


def _readable(data: bytes) -> bytes:
    """The file without what libxml2 lets through and lxml then cannot read: references to halves of surrogates."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = _DECLARATION.sub(b"", data.decode("utf-16", "replace").removeprefix("\ufeff").encode("utf-8", "replace"))
    return _SURROGATE.sub(b"&#xFFFD;", data) if b"&#" in data else data


def _parse_xml(data: bytes) -> tuple[Element | None, bool]:
    parser = etree.XMLParser(
        recover=True,
        no_network=True,
        load_dtd=False,
        resolve_entities="internal",  # type: ignore[arg-type]  # lxml-stubs 0.5 knows only booleans
        remove_comments=True,
        remove_pis=True,
        huge_tree=True,  # Else libxml2 drops, without a word, what lies deeper than 256 elements.
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None, False
    return root, root is not None and len(parser.error_log) == 0


def _parse_html(data: bytes) -> Element | None:
    parser = etree.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        return etree.fromstring(_DOCTYPE.sub(b"", _DECLARATION.sub(b"", data)), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def _text_length(root: Element) -> int:
    return sum(len(text.strip()) for text in root.itertext())


def _mend(data: bytes) -> bytes:
    """Named entities as numbers, bare ampersands written out, and bytes that are not UTF-8 read as Western."""
    if b"<!ENTITY" not in data:
        data = _REPAIRABLE.sub(_mend_ampersand, data)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        declared = re.search(rb'encoding=["\']([\w-]+)', data[:200])
        if declared is None or declared[1].lower() in (b"utf-8", b"utf8"):
            return _DECLARATION.sub(b"", data).decode("cp1252", "replace").encode("utf-8")
    return data


def _mend_ampersand(match: re.Match[bytes]) -> bytes:
    name = match[1]
    if name is None:
        return b"&amp;" if match[0] == b"&" else match[0]
    if name in _XML_ENTITIES or name.startswith(b"#"):
        return match[0]
    characters = html5.get(name.decode("ascii"))
    if characters is None:
        return b"&amp;" + name
    return "".join(f"&#{ord(character)};" for character in characters).encode("ascii")


# -- looking at elements -----------------------------------------------------------------------------------------


def tag_of(element: Element) -> str:
    """The lower-case tag without its namespace."""
    tag = element.tag
    return _local(tag) if isinstance(tag, str) else ""


@lru_cache(maxsize=512)
def _local(tag: str) -> str:
    return tag.rpartition("}")[2].lower()


def roles_of(element: Element) -> frozenset[str]:
    """The words of an element's class, role and epub:type."""
    found: list[str] = []
    for name, value in element.attrib.items():
        if str(name).rpartition("}")[2] in ("class", "role", "type", "epub:type"):
            found += _WORDS.split(str(value).lower())
    return frozenset(found)


def types_of(element: Element) -> frozenset[str]:
    """The words of an element's role and epub:type: what it is, not how it looks."""
    found: list[str] = []
    for name, value in element.attrib.items():
        if str(name).rpartition("}")[2] in ("role", "type", "epub:type"):
            found += _WORDS.split(str(value).lower())
    return frozenset(found)


def text_of(element: Element) -> str:
    """All text of an element on one line, readings of ruby left out."""
    texts = map(str, element.itertext()) if element.find(".//{*}rt") is None else _texts(element)
    return " ".join("".join(texts).split())


def _texts(element: Element) -> Iterator[str]:
    skipped: Element | None = None
    for event, inner in etree.iterwalk(element, events=("start", "end")):
        if event == "start":
            skipped = inner if skipped is None and tag_of(inner) in ("rt", "rp") else skipped
            text = inner.text
        else:
            skipped = None if skipped is inner else skipped
            text = inner.tail if inner is not element else None
        if text and skipped is None:
            yield str(text)


def is_cut_off(root: Element) -> bool:
    """Whether a file is nested so deeply that libxml2 (2.14) has left out what lies deeper, and all that follows."""
    depth = deepest = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    return deepest >= _DEEPEST


def language_of(element: Element) -> str:
    """What the element, or the nearest one around it, says of its language."""
    for around in (element, *element.iterancestors()):
        for name in _LANGUAGE:
            if language := around.get(name):
                return language
    return ""


def places_in(root: Element) -> dict[str, Element]:
    """The elements of a file by their ids and, where links name them, the names of anchors."""
    places: dict[str, Element] = {}
    for element in root.iter():
        for name in (element.get("id"), element.get("name") if tag_of(element) == "a" else None):
            if name:
                places.setdefault(name, element)
    return places
