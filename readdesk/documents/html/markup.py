"""XHTML of an EPUB becomes paragraphs that know their element.

A paragraph belongs to its block element; its pieces count characters in that element's own text, which is
`"".join(element.itertext())` of the file parsed by lxml with comments and processing instructions removed. Path: the
0-based numbers among element children, from the root element down. Anybody with zipfile and lxml finds the same
characters there.

What must stay true: no scripts, nothing hidden; every other character of a file is in exactly one paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from lxml import etree

from readdesk.documents.draft import Draft, Start, TextBuilder
from readdesk.documents.html.elements import Element, roles_of, tag_of, text_of
from readdesk.documents.html.marks import (
    PICTURES,
    Item,
    Listing,
    Loose,
    Point,
    is_description,
    kinds_of,
    picture_link,
    points_before,
)
from readdesk.documents.html.notes import NO_NOTES, NoteLinks
from readdesk.documents.model import ElementSpot, Kind
from readdesk.documents.normal import UNSPACED

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
_NEVER_SKIPPED = frozenset(("html", "body"))
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
_PAGE_WORDS = frozenset(("pagebreak", "doc-pagebreak", "pagenum", "pageno", "page-number", "pagenumber"))
_LINE_WORDS = frozenset(("lnum", "linenum", "line-number", "linenumber"))
_BACK_WORDS = frozenset(("backlink", "doc-backlink"))
_LOCATOR_WORDS = _LINE_WORDS | _PAGE_WORDS
_PAGE_LABEL = re.compile(r"(?:^|[\s\[({_-])([ivxlcdm]{1,9}|[a-z]{0,2}-?\d{1,5}[a-z]?)[\])}.]*$", re.IGNORECASE)
_DROP_CAP_WORDS = frozenset(("dropcap", "drop-cap", "dropcaps", "firstletter", "first-letter", "initial"))
_LONGEST_DROP_CAP = 3
_WORDS_OF_ONE_LETTER = frozenset("AIOÀÓYVЯИАВКОСУЭ")
_NOTE_LABEL = re.compile(r"[\[(]?\s*(?:\d{1,4}|[*†‡§¶#]{1,4}|[a-zA-Z]|[ivxlc]{1,6})\s*[\])]?[.:]?\s*")
_TITLE_WORDS = frozenset(("title", "subtitle", "bridgehead"))
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LONGEST_ROW = 2_000
_LONGEST_LOCATOR = 12
_LONGEST_VERSE_LINE = 80
_LEVEL_OF_TITLE = 2

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
    notes: NoteLinks = NO_NOTES,
    pages: Mapping[Element, str] | None = None,
) -> Iterator[Start | Draft | Loose]:
    """Paragraphs of a file in reading order, with the section starts of the elements that were asked for.

    `picture` gives the name of the picture that a link leads to, or None where there is none; `pages` are the elements
    at which printed pages begin, with their labels.
    """
    yield from _Walker(file, starts, picture, headings_are_sections, notes, pages or {}).walk(root)


class _Walker:
    """Goes through a file once, counting every character of it."""

    def __init__(
        self,
        file: str,
        starts: Mapping[Element, Sequence[Start]],
        picture: Callable[[str], str | None],
        headings_are_sections: bool,
        notes: NoteLinks,
        pages: Mapping[Element, str],
    ) -> None:
        self._file = file
        self._starts = starts
        self._picture = picture
        self._headings_are_sections = headings_are_sections
        self._notes = notes
        self._pages = pages
        self._at = 0
        self._builder = TextBuilder()
        self._bases: dict[Hashable, int] = {}
        self._block = _Block()
        self._to_close: list[Element] = []
        self._gap = False
        self._points: list[Point] = []
        self._pictured: Element | None = None
        self._ruby = 0
        self._is_drop_cap = False

    def walk(self, root: Element) -> Iterator[Start | Draft | Loose]:
        contexts = [_Context(_Block())]
        numbers: list[int] = [0]
        for event, element in etree.iterwalk(root, events=("start", "end")):
            if event == "start":
                numbers.append(0)
                context = self._enter(element, contexts[-1], numbers)
                if context.ends_paragraph and not self._goes_on(context.block):
                    yield from self._flush()
                if starts := self._starts.get(element):
                    yield from self._loose()
                    yield from starts
                self._locate(element)
                contexts.append(context)
                self._add(element.text, context)
            else:
                context = contexts.pop()
                numbers.pop()
                numbers[-1] += 1
                if context.ends_paragraph and not (tag_of(element) == "dt" and self._goes_on(context.block)):
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
        if tag == "rt":
            self._read_ruby(element)
        if self._is_skipped(element, tag):
            return _Context(outer.block, is_skipped=True)
        context = self._context_of(element, tag, outer, numbers)
        for kind in kinds_of(tag, element.get("style")):
            if not (kind == "code" and context.block.is_verbatim) and self._builder.open(kind):
                self._to_close.append(element)
        if name := self._notes.references.get(element):
            if self._builder.open("note", name):
                self._to_close.append(element)
        elif tag in PICTURES:
            self._show(element, tag)
        elif tag == "ruby":
            self._ruby = len(self._builder)
        return context

    def _locate(self, element: Element) -> None:
        """Note what has its place at an element: a printed page, a note's name."""
        if label := self._pages.get(element) or _number_of(element, _PAGE_WORDS):
            self._builder.point("page", label)
        elif label := _number_of(element, _LINE_WORDS):
            self._builder.point("line", label)
        if name := self._notes.targets.get(element):
            self._builder.point("target", name)

    def _read_ruby(self, element: Element) -> None:
        """Keep a reading with the characters since the reading before."""
        if (reading := text_of(element)) and self._ruby < len(self._builder):
            self._builder.mark("ruby", self._ruby, reading)
        self._ruby = len(self._builder)

    def _show(self, element: Element, tag: str) -> None:
        """Note the picture of an element and what it shows, unless it only stands in for one around it."""
        if self._pictured is not None and self._pictured in element.iterancestors("{*}object"):
            return
        link = picture_link(element, tag)
        file = self._picture(link) if link else None
        alt = " ".join((element.get("alt") or element.get("aria-label") or "").split())
        if self._is_first_letter(alt, element.tail or ""):
            self._builder.write(alt)
            return
        if file:
            self._builder.point("image", file)
            self._pictured = element if tag == "object" else self._pictured
        if is_description(alt, link):
            self._builder.point("alt", alt)

    def _is_first_letter(self, alt: str, tail: str) -> bool:
        """Whether a picture is the large first letter of a word, or a word of one letter that begins a paragraph."""
        if not alt.isalpha() or len(alt) > _LONGEST_DROP_CAP:
            return False
        return tail[:1].isalpha() or (alt in _WORDS_OF_ONE_LETTER and not self._builder and bool(tail.strip()))

    def _context_of(self, element: Element, tag: str, outer: _Context, numbers: list[int]) -> _Context:
        if tag == "br":
            self._builder.insert("\n")
        is_block = tag in _BLOCKS or (tag == "text" and str(element.tag).endswith("svg}text"))
        if is_block and not self._begins_as_drop_cap(element):
            return self._enter_block(element, tag, outer, tuple(numbers[1:-1]))
        is_mark = element in self._notes.references or (tag in ("a", "sup") and _is_note_mark(element, tag))
        if is_mark and not UNSPACED.match(self._builder.last):
            self._builder.insert(" ")
        if outer.ends_paragraph or outer.is_mark or is_mark:
            return _Context(outer.block, is_mark=is_mark)
        return outer

    def _begins_as_drop_cap(self, element: Element) -> bool:
        """Whether a block is only the large first letter of the one that follows it."""
        if not element.attrib or not roles_of(element) & _DROP_CAP_WORDS:
            return False
        self._is_drop_cap = len(text_of(element)) <= _LONGEST_DROP_CAP
        return self._is_drop_cap

    def _goes_on(self, block: _Block) -> bool:
        """Whether a block goes on with what is collected: a large first letter, the label of a note."""
        if self._is_drop_cap and self._builder:
            if self._builder.last == " ":
                self._builder.drop_last()
            self._is_drop_cap = False
            return True
        is_in_note = block.kind == self._block.kind == "note" and 0 < len(self._builder) <= _LONGEST_LOCATOR
        if is_in_note and _NOTE_LABEL.fullmatch(self._builder.text):
            self._builder.insert(" ")
            return True
        return False

    def _enter_block(self, element: Element, tag: str, outer: _Context, path: tuple[int, ...]) -> _Context:
        around = outer.block
        if around.join:
            if around.join != "\n" or self._builder.last != "\n":  # A block that only indents is no empty line.
                self._builder.insert("\t" if tag in ("td", "th") else around.join)
            return _Context(around)
        roles = roles_of(element)
        join: Literal["", " ", "\n"] = ""
        kind = "note" if element in self._notes.bodies else _kind_of(tag, roles, around.kind)
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
            return tag not in _NEVER_SKIPPED
        roles = roles_of(element)
        if roles & _LOCATOR_WORDS:
            return tag not in _BLOCKS or len(text_of(element)) <= _LONGEST_LOCATOR
        return bool(roles & _BACK_WORDS) and not _NOTE_LABEL.fullmatch(text_of(element))

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
            if self._gap and text[0].isalnum() and self._builder and not UNSPACED.match(text):
                self._builder.insert(" ")
            self._builder.add(text, start, block.path)
        self._gap = False
        if not text.isspace():
            self._block = block

    def _flush(self) -> Iterator[Start | Draft | Loose]:
        self._gap = False
        self._ruby = 0
        block = self._block
        draft = self._builder.finish(self._spot, block.kind, block.level) if self._builder else None
        if draft is None:
            if points := self._builder.take_points():
                self._points += points
            return
        if draft.kind == "text" and _looks_like_verse(draft.text):
            draft = replace(draft, kind="verse")
        if block.item and (label := block.item.tell()):
            draft = replace(draft, marks=(label, *draft.marks))
        if self._headings_are_sections and draft.kind == "heading" and 1 <= block.rank <= 3:
            yield from self._loose()
            yield Start(_title_of(draft), block.rank)
        if self._points:
            draft, self._points = points_before(draft, self._points), []
        yield draft

    def _loose(self) -> Iterator[Loose]:
        """The points between blocks that a section's start parts from what follows."""
        if self._points:
            yield Loose(tuple(self._points))
        self._points = []

    def _spot(self, key: Hashable, start: int, end: int) -> ElementSpot:
        base = self._bases.get(key, 0)
        return ElementSpot(self._file, cast(tuple[int, ...], key), start - base, end - base)


def _title_of(draft: Draft) -> str:
    """The text of a heading without the marks of notes."""
    text = draft.text
    for mark in reversed(draft.marks):
        if mark.kind == "note":
            text = text[: mark.start].rstrip() + text[mark.end :]
    return text


def _number_of(element: Element, words: frozenset[str]) -> str:
    """The printed page or line that an element says it begins, where it is called such a thing."""
    if not element.attrib or not roles_of(element) & words:
        return ""
    for told in (element.get("title"), element.get("aria-label"), text_of(element), element.get("id")):
        if told and (found := _PAGE_LABEL.search(told.strip())):
            return found[1]
    return ""


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
    children = list(element)
    if len(children) != 1 or (element.text or "").strip() or (children[0].tail or "").strip():
        return False
    return tag_of(children[0]) == ("a" if tag == "sup" else "sup")


def _is_short_row(row: Element) -> bool:
    return sum(map(len, row.itertext())) <= _LONGEST_ROW and not any(tag_of(cell) == "table" for cell in row.iter())


def _has_only_lines(element: Element) -> bool:
    """Whether an element holds only lines of verse: blocks that hold none but blocks that indent a line."""
    tags = {tag_of(inner) for inner in element.iter() if inner is not element}
    return not tags & (_BLOCKS - {"p", "div"}) and len(text_of(element)) <= _LONGEST_ROW


def _looks_like_verse(text: str) -> bool:
    lines = text.split("\n")
    return len(lines) >= 3 and max(map(len, lines)) <= _LONGEST_VERSE_LINE
