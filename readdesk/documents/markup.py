"""XHTML of an EPUB becomes paragraphs that know their element.

A paragraph belongs to its block element; its pieces count characters in that element's own text, which is
`"".join(element.itertext())` of the file parsed by lxml with comments and processing instructions removed. Path: the
0-based numbers among element children, from the root element down. Anybody with zipfile and lxml finds the same
characters there.

Well-formed files are parsed as they are. Only where libxml2 reports errors are named entities and bare ampersands
mended first, and if that still loses text the HTML parser is used. What must stay true: no network, no external
entities, no scripts, nothing hidden; every other character of a file is in exactly one paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html.entities import html5
from typing import Literal, cast

from lxml import etree

from readdesk.documents.draft import Draft, Start, TextBuilder
from readdesk.documents.marks import PICTURES, Item, Listing, Loose, kinds_of, picture_link, pictures_before
from readdesk.documents.model import ElementSpot, Kind

Element = etree._Element

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    (
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    )
) | frozenset(_HEADINGS)
_SKIPPED = frozenset(
    ("script", "style", "head", "template", "rt", "rp", "audio", "video", "annotation", "annotation-xml", "metadata")
)
_SKIPPED_IN_SVG = frozenset(("title", "desc", "defs"))
_KIND_OF_TAG: Mapping[str, Kind] = {
    **dict.fromkeys(_HEADINGS, "heading"),
    "li": "item",
    "dt": "item",
    "dd": "item",
    "pre": "code",
    "figcaption": "caption",
    "caption": "caption",
}
_NOTE_WORDS = frozenset(
    ("footnote", "footnotes", "endnote", "endnotes", "rearnote", "rearnotes", "doc-footnote", "doc-endnote")
)
_VERSE_WORDS = frozenset(("poem", "poetry", "verse", "song", "hymn", "stanza", "linegroup"))
_STANZA_WORDS = frozenset(("linegroup", "stanza", "lg"))
_LOCATOR_WORDS = frozenset(
    ("pagebreak", "doc-pagebreak", "pagenum", "pageno", "lnum", "linenum", "backlink", "doc-backlink")
)
_TITLE_WORDS = frozenset(("title", "subtitle", "bridgehead"))
_CONTENTS_WORDS = frozenset(("toc", "landmarks", "page-list", "loi", "lot"))
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_WORDS = re.compile(r"[\s:]+")
_LONGEST_ROW = 2_000
_LONGEST_LOCATOR = 12
_LONGEST_VERSE_LINE = 80
_LEVEL_OF_TITLE = 2

_REPAIRABLE = re.compile(
    rb"<!\[CDATA\[.*?\]\]>|<!--.*?-->|&(#[0-9]+;|#[xX][0-9a-fA-F]+;|[A-Za-z][A-Za-z0-9]*;)?", re.DOTALL
)
_XML_ENTITIES = frozenset((b"amp;", b"lt;", b"gt;", b"quot;", b"apos;"))
_DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL | re.IGNORECASE)
_DECLARATION = re.compile(rb"^\s*<\?xml[^>]*\?>")


# -- parsing -----------------------------------------------------------------------------------------------------


def parse(data: bytes) -> Element | None:
    """The root element of an XML or XHTML file, mended where it must be; None where there is nothing to parse."""
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
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace").encode("utf-8")
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
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def roles_of(element: Element) -> frozenset[str]:
    """The words of an element's class, role and epub:type."""
    found: list[str] = []
    for name, value in element.attrib.items():
        if str(name).rpartition("}")[2] in ("class", "role", "type", "epub:type"):
            found += _WORDS.split(str(value).lower())
    return frozenset(found)


def text_of(element: Element) -> str:
    """All text of an element on one line."""
    return " ".join("".join(map(str, element.itertext())).split())


# -- walking -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Block:
    """What holds for the text of a block: its place, kind, how blocks inside join, its list.

    `rank` is the heading that it is itself, `level` what its paragraphs are told.
    """

    path: tuple[int, ...] = ()
    kind: Kind = "text"
    rank: int = 0
    level: int = 0
    is_verbatim: bool = False
    join: Literal["", " ", "\n"] = ""
    listing: Listing | None = None
    item: Item | None = None


@dataclass(frozen=True, slots=True)
class _Context:
    """What holds for the text of an element: its block, and what the element itself does to it."""

    block: _Block
    is_skipped: bool = False
    is_mark: bool = False
    ends_paragraph: bool = False


def walk(
    root: Element,
    file: str,
    starts: Mapping[Element, Sequence[Start]],
    picture: Callable[[str], str | None],
    headings_are_sections: bool = False,
    skip_contents: bool = False,
) -> Iterator[Start | Draft | Loose]:
    """Paragraphs of a file in reading order, with the section starts of the elements that were asked for.

    `picture` gives the name of the picture that a link leads to, or None where there is none.
    """
    yield from _Walker(file, starts, picture, headings_are_sections, skip_contents).walk(root)


class _Walker:
    """Goes through a file once, counting every character of it."""

    def __init__(
        self,
        file: str,
        starts: Mapping[Element, Sequence[Start]],
        picture: Callable[[str], str | None],
        headings_are_sections: bool,
        skip_contents: bool,
    ) -> None:
        self._file = file
        self._starts = starts
        self._picture = picture
        self._headings_are_sections = headings_are_sections
        self._skip_contents = skip_contents
        self._at = 0
        self._builder = TextBuilder()
        self._bases: dict[Hashable, int] = {}
        self._block = _Block()
        self._to_close: list[Element] = []
        self._gap = False
        self._pictures: list[str] = []
        self._pictured: Element | None = None

    def walk(self, root: Element) -> Iterator[Start | Draft | Loose]:
        contexts = [_Context(_Block())]
        numbers: list[int] = [0]
        for event, element in etree.iterwalk(root, events=("start", "end")):
            if event == "start":
                numbers.append(0)
                context = self._enter(element, contexts[-1], numbers)
                if context.ends_paragraph:
                    yield from self._flush()
                if starts := self._starts.get(element):
                    yield from self._loose()
                    yield from starts
                contexts.append(context)
                self._add(element.text, context)
            else:
                context = contexts.pop()
                numbers.pop()
                numbers[-1] += 1
                if context.ends_paragraph:
                    yield from self._flush()
                while self._to_close and self._to_close[-1] is element:
                    self._to_close.pop()
                    self._builder.close()
                self._gap = self._gap or context.is_mark
                if element is not root:
                    self._add(element.tail, contexts[-1])
        yield from self._flush()
        yield from self._loose()

    def _enter(self, element: Element, outer: _Context, numbers: list[int]) -> _Context:
        """The context of an element; marks, pictures and white space that begin with it are noted."""
        tag = tag_of(element)
        if outer.is_skipped:
            return outer
        if self._is_skipped(element, tag):
            return _Context(outer.block, is_skipped=True)
        context = self._context_of(element, tag, outer, numbers)
        for kind in kinds_of(tag, element.get("style")):
            if not (kind == "code" and context.block.is_verbatim) and self._builder.open(kind):
                self._to_close.append(element)
        if tag in PICTURES:
            self._show(element, tag)
        return context

    def _show(self, element: Element, tag: str) -> None:
        """Note the picture of an element, unless it only stands in for one around it."""
        link = picture_link(element, tag)
        file = self._picture(link) if link else None
        if file and (self._pictured is None or self._pictured not in element.iterancestors("{*}object")):
            self._builder.point("image", file)
            self._pictured = element if tag == "object" else self._pictured

    def _context_of(self, element: Element, tag: str, outer: _Context, numbers: list[int]) -> _Context:
        if tag == "br":
            self._builder.insert("\n")
        if tag in _BLOCKS or (tag == "text" and str(element.tag).endswith("svg}text")):
            return self._enter_block(element, tag, outer, tuple(numbers[1:-1]))
        is_mark = tag in ("a", "sup") and _is_note_mark(element, tag)
        if is_mark:
            self._builder.insert(" ")
        if outer.ends_paragraph or outer.is_mark or is_mark:
            return _Context(outer.block, is_mark=is_mark)
        return outer

    def _enter_block(self, element: Element, tag: str, outer: _Context, path: tuple[int, ...]) -> _Context:
        around = outer.block
        if around.join:
            self._builder.insert("\t" if tag in ("td", "th") else around.join)
            return _Context(around)
        roles = roles_of(element)
        join: Literal["", " ", "\n"] = ""
        kind = _kind_of(tag, roles, around.kind)
        if tag == "tr" and _is_short_row(element):
            kind, join = "table", " "
        elif roles & _STANZA_WORDS and _has_only_lines(element):
            join = "\n"
        self._bases[path] = self._at
        listing, item = Listing.inside(around.listing, element, tag), around.item
        if tag == "li" and listing and (label := listing.label(element)):
            item = Item(label, around.item)
        level = _level_of(tag, kind, around, listing)
        is_verbatim = around.is_verbatim or tag == "pre"
        block = _Block(path, kind, _HEADINGS.get(tag, 0), level, is_verbatim, join, listing, item)
        return _Context(block, ends_paragraph=True)

    def _is_skipped(self, element: Element, tag: str) -> bool:
        if tag in _SKIPPED or tag == "":
            return True
        if not element.attrib:
            return tag in _SKIPPED_IN_SVG and str(element.tag).startswith("{http://www.w3.org/2000/svg}")
        if element.get("hidden") is not None or _HIDDEN.search(element.get("style") or ""):
            return True
        roles = roles_of(element)
        if roles & _LOCATOR_WORDS:
            return tag not in _BLOCKS or len(text_of(element)) <= _LONGEST_LOCATOR
        return self._skip_contents and tag == "nav" and bool(roles & _CONTENTS_WORDS)

    def _add(self, text: str | None, context: _Context) -> None:
        if not text:
            return
        start = self._at
        self._at += len(text)
        if context.is_skipped:
            return
        block = context.block
        if block.is_verbatim:
            self._builder.add_verbatim(text, start, block.path)
        else:
            if self._gap and text[0].isalnum() and self._builder:
                self._builder.insert(" ")
            self._builder.add(text, start, block.path)
        self._gap = False
        if not text.isspace():
            self._block = block

    def _flush(self) -> Iterator[Start | Draft | Loose]:
        self._gap = False
        block = self._block
        draft = self._builder.finish(self._spot, block.kind, block.level) if self._builder else None
        if draft is None:
            if pictures := self._builder.take_points():
                self._pictures += pictures
            return
        if draft.kind == "text" and _looks_like_verse(draft.text):
            draft = replace(draft, kind="verse")
        if block.item and (label := block.item.tell()):
            draft = replace(draft, marks=(label, *draft.marks))
        if self._headings_are_sections and draft.kind == "heading" and 1 <= block.rank <= 3:
            yield from self._loose()
            yield Start(draft.text, block.rank)
        if self._pictures:
            draft, self._pictures = pictures_before(draft, self._pictures), []
        yield draft

    def _loose(self) -> Iterator[Loose]:
        """The pictures between blocks that a section's start parts from what follows."""
        if self._pictures:
            yield Loose(tuple(self._pictures))
        self._pictures = []

    def _spot(self, key: Hashable, start: int, end: int) -> ElementSpot:
        base = self._bases.get(key, 0)
        return ElementSpot(self._file, cast(tuple[int, ...], key), start - base, end - base)


def _level_of(tag: str, kind: Kind, outer: _Block, listing: Listing | None) -> int:
    if kind == "heading":
        return _HEADINGS.get(tag) or (outer.level if outer.kind == "heading" else _LEVEL_OF_TITLE)
    if kind == "item":
        return listing.depth if listing else 1
    return 0


def _kind_of(tag: str, roles: frozenset[str], outer: Kind) -> Kind:
    if outer == "note" or roles & _NOTE_WORDS:
        return "heading" if tag in _HEADINGS else "note"
    if tag in _KIND_OF_TAG:
        return _KIND_OF_TAG[tag]
    if roles & _VERSE_WORDS:
        return "verse"
    if tag == "p" and roles & _TITLE_WORDS and outer == "text":
        return "heading"
    return outer


def _is_note_mark(element: Element, tag: str) -> bool:
    if roles_of(element) & {"noteref", "doc-noteref"}:
        return True
    children = list(element)
    if len(children) != 1 or (element.text or "").strip() or (children[0].tail or "").strip():
        return False
    return tag_of(children[0]) == ("a" if tag == "sup" else "sup")


def _is_short_row(row: Element) -> bool:
    return sum(map(len, row.itertext())) <= _LONGEST_ROW and not any(tag_of(cell) == "table" for cell in row.iter())


def _has_only_lines(element: Element) -> bool:
    return all(
        tag_of(child) in ("p", "div", "span", "br")
        and not any(tag_of(inner) in _BLOCKS for inner in child.iter() if inner is not child)
        for child in element
    )


def _looks_like_verse(text: str) -> bool:
    lines = text.split("\n")
    return len(lines) >= 3 and max(map(len, lines)) <= _LONGEST_VERSE_LINE
