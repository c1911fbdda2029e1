"""Markdown: headings become sections, and what is set in some way is marked so.

What a person does not see (signs that set text, addresses of links, references) is no text. What must stay true: each
piece of a paragraph is, one for one, a piece of the file; a character that was written otherwise there (an entity)
belongs to no piece.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path

from markdown_it.token import Token

from readdesk.cancel import CancelToken
from readdesk.documents.draft import Draft, Drafted, Start, TextBuilder, Told
from readdesk.documents.health import HealthCollector
from readdesk.documents.html.marks import Item, is_description
from readdesk.documents.markdown.frontmatter import front_matter_of
from readdesk.documents.markdown.source import NOWHERE, Source, parser
from readdesk.documents.model import Choices, Kind, Mark, MarkKind, Structure, TextSpot
from readdesk.documents.normal import count_words
from readdesk.documents.parts import FEWEST_WORDS_FOR_PARTS, in_parts
from readdesk.documents.text.encodings import decode

_LOWEST_SECTION = 3
_LONGEST_VERSE_LINE = 80
_MARK_OF_TOKEN: dict[str, MarkKind] = {"em": "emphasis", "strong": "strong"}
_UNSEEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|template)\b.*?(?:</\1\s*>|\Z)|<[/!?]?[A-Za-z][^<>]*>|<[!?][^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
_ENDS_PARAGRAPH = re.compile(r"</?(?:p|div|li|ul|ol|h[1-6]|tr|table|br|hr|section|details|summary|blockquote)\b", re.I)
_BREAKS_LINE = re.compile(r"<br\b", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_UNSPACED = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff9f]")


def read(path: Path, choices: Choices, health: HealthCollector, cancel: CancelToken) -> Iterator[Drafted]:
    """What a Markdown file says of itself, then its sections and paragraphs; raises DocumentError."""
    decoded = decode(path.read_bytes(), path.name, choices.encoding, health)
    front = front_matter_of(decoded.text)
    drafts = list(_Reader(decoded.text, front.end, cancel).read())
    starts = [draft for draft in drafts if isinstance(draft, Start)]
    title = front.title or next((start.title for start in starts if start.level == 1), "") or path.stem
    structure = _structure(drafts, bool(starts))
    yield Told(title, front.authors, front.language, structure=structure, encoding=decoded.encoding)
    yield from in_parts(drafts, structure == "parts")


def _structure(drafts: Sequence[Start | Draft], has_headings: bool) -> Structure:
    if has_headings:
        return "headings"
    words = sum(count_words(draft.text) for draft in drafts if isinstance(draft, Draft))
    return "parts" if words >= FEWEST_WORDS_FOR_PARTS else ""


class _Reader:
    """Goes through the tokens of a file once."""

    def __init__(self, text: str, start: int, cancel: CancelToken) -> None:
        self._tokens = parser().parse(text[start:])
        self._source = Source(text[start:], start)
        self._cancel = cancel
        self._builder = TextBuilder()
        self._lists: list[str] = []
        self._item: Item | None = None
        self._items: list[Item | None] = []
        self._note = ""
        self._noted: set[str] = set()

    def read(self) -> Iterator[Start | Draft]:
        for number, token in enumerate(self._tokens):
            self._cancel.raise_if_cancelled()
            if token.type == "inline":
                yield from self._paragraph(token, self._tokens[number - 1])
            elif token.type == "tr_open":
                yield from self._row(number)
            elif token.type in ("fence", "code_block"):
                yield from self._code(token)
            elif token.type == "html_block":
                yield from self._html(token)
            else:
                self._enter_or_leave(token)

    def _enter_or_leave(self, token: Token) -> None:
        """Keep count of the lists, items and notes that the next paragraphs lie in."""
        if token.type in ("ordered_list_open", "bullet_list_open"):
            self._lists.append(token.type)
        elif token.type in ("ordered_list_close", "bullet_list_close"):
            self._lists.pop()
        elif token.type == "list_item_open":
            self._items.append(self._item)
            label = f"{token.info}{token.markup}" if self._lists[-1] == "ordered_list_open" else "•"
            self._item = Item(label, self._item)
        elif token.type == "list_item_close":
            self._item = self._items.pop()
        elif token.type == "note_open":
            self._note = str(token.meta["label"])
            if self._note not in self._noted:
                self._noted.add(self._note)
                self._builder.point("target", self._note)
        elif token.type == "note_close":
            self._note = ""

    # -- blocks --------------------------------------------------------------------------------------------------

    def _paragraph(self, token: Token, opening: Token) -> Iterator[Start | Draft]:
        first = token.map[0] if token.map else 0
        if opening.type in ("th_open", "td_open"):
            return  # Cells are read with their row.
        if opening.type != "heading_open":
            self._inline(token, self._source.of_lines(token.content, first))
            yield from self._finish("text")
            return
        level = int(opening.tag[1:])
        is_signed = opening.markup.startswith("#")
        self._inline(
            token,
            self._source.of_heading(token.content, first, level)
            if is_signed
            else self._source.of_lines(token.content, first),
        )
        for draft in self._finish("heading", level):
            if level <= _LOWEST_SECTION and not self._lists and not self._note:
                yield Start(_title_of(draft), level)
            yield draft

    def _row(self, number: int) -> Iterator[Draft]:
        """A row of a table, its cells parted by tabs."""
        row = self._tokens[number]
        cells: list[Token] = []
        for token in self._tokens[number + 1 :]:
            if token.type == "tr_close":
                break
            cells += [token] if token.type == "inline" else []
        offsets = self._source.of_row([cell.content for cell in cells], row.map[0] if row.map else 0)
        is_head = number + 1 < len(self._tokens) and self._tokens[number + 1].type == "th_open"
        for cell, places in zip(cells, offsets, strict=True):
            if self._builder:
                self._builder.insert("\t")
            is_set = is_head and self._builder.open("strong")
            self._inline(cell, places)
            if is_set:
                self._builder.close()
        yield from self._finish("table")

    def _code(self, token: Token) -> Iterator[Draft]:
        first = (token.map[0] if token.map else 0) + (token.type == "fence")
        content = token.content.removesuffix("\n")
        self._place(content, self._source.of_lines(content, first), is_verbatim=True)
        yield from self._finish("code")

    def _html(self, token: Token) -> Iterator[Draft]:
        """The text of a block of HTML, without its tags."""
        offsets = self._source.of_lines(token.content, token.map[0] if token.map else 0)
        at = 0
        for match in [*_UNSEEN.finditer(token.content), None]:
            end = match.start() if match else len(token.content)
            self._with_entities(token.content[at:end], offsets[at:end])
            if match is None or _ENDS_PARAGRAPH.match(match[0]):
                yield from self._finish("text")
            at = match.end() if match else end

    def _with_entities(self, text: str, offsets: Sequence[int]) -> None:
        at = 0
        for match in _ENTITY.finditer(text):
            self._place(text[at : match.start()], offsets[at : match.start()])
            self._builder.write(unescape(match[0]))
            at = match.end()
        self._place(text[at:], offsets[at:])

    def _finish(self, kind: Kind, level: int = 0) -> Iterator[Draft]:
        """The paragraph that was collected, if any, as what it is where it stands."""
        if kind == "text" and self._note:
            kind = "note"
        elif kind == "text" and self._item is not None:
            kind, level = "item", len(self._lists)
        draft = self._builder.finish(_spot, kind, level)
        if draft is None:
            return
        if draft.kind == "text" and _is_verse(draft.text):
            draft = replace(draft, kind="verse")
        if self._item is not None and (label := self._item.tell()):
            draft = replace(draft, marks=(label, *draft.marks))
        if self._note and any(mark.kind == "target" for mark in draft.marks):
            draft = replace(draft, marks=(Mark(0, 0, "label", self._note), *draft.marks))
        yield draft

    # -- within a block ------------------------------------------------------------------------------------------

    def _inline(self, block: Token, offsets: Sequence[int]) -> None:
        """The text of a block with its marks."""
        opened: list[bool] = []
        before = ""
        for token in block.children or ():
            name, _, way = token.type.rpartition("_")
            if name in _MARK_OF_TOKEN and way == "open":
                opened.append(self._builder.open(_MARK_OF_TOKEN[name]))
            elif name in _MARK_OF_TOKEN and way == "close":
                if opened.pop():
                    self._builder.close()
            else:
                self._leaf(token, before, block.content, offsets)
            before = token.type + token.info

    def _leaf(self, token: Token, before: str, content: str, offsets: Sequence[int]) -> None:
        """One token without others in it; `content` is the text of its block as it stands in the file."""
        at = int(token.meta.get("at", 0))
        if token.type == "text":
            at += before == "link_openauto"
            self._at(token.content, at, content, offsets)
        elif token.type == "text_special" and token.info == "entity":
            self._builder.write(token.content)
        elif token.type == "text_special":
            self._at(token.content, at + (len(token.content) == 1), content, offsets)
        elif token.type == "code_inline":
            self._inline_code(token, at + len(token.markup), content, offsets)
        elif token.type == "softbreak":
            self._soft_break(content[at:].lstrip())
        elif token.type == "hardbreak" or (token.type == "html_inline" and _BREAKS_LINE.match(token.content)):
            self._builder.insert("\n")
        elif token.type == "image":
            self._image(token)
        elif token.type == "note_mark":
            self._builder.insert(" ")
            if is_opened := self._builder.open("note", token.content):
                self._at(token.content, at + 2, content, offsets)
            if is_opened:
                self._builder.close()

    def _inline_code(self, token: Token, at: int, content: str, offsets: Sequence[int]) -> None:
        is_opened = self._builder.open("code")
        if not content[at:].replace("\n", " ").startswith(token.content):
            at += 1  # One space at each end is only there to part the code from its signs.
        self._at(token.content, at, content, offsets)
        if is_opened:
            self._builder.close()

    def _soft_break(self, following: str) -> None:
        """A break that only the width of the file made; Chinese and Japanese go on without a space."""
        is_unspaced = _UNSPACED.match(self._builder.last) and _UNSPACED.match(following)
        self._builder.insert("" if is_unspaced else " ")

    def _image(self, token: Token) -> None:
        """What a picture shows; the picture itself lies elsewhere."""
        children = token.children or ()
        alt = " ".join("".join(child.content for child in children if child.type != "image").split())
        if is_description(alt, str(token.attrs.get("src", ""))):
            self._builder.point("alt", alt)

    def _at(self, text: str, at: int, content: str, offsets: Sequence[int]) -> None:
        """Text that stands from `at` on in the text of its block, or was written otherwise there."""
        found = content[at : at + len(text)].replace("\n", " ")
        if found == text:
            self._place(text, offsets[at : at + len(text)])
        else:
            self._builder.write(text)

    def _place(self, text: str, offsets: Sequence[int], is_verbatim: bool = False) -> None:
        """Text with the places of its characters, in runs that follow one another in the file."""
        add = self._builder.add_verbatim if is_verbatim else self._builder.add
        start = 0
        for end in range(1, len(text) + 1):
            if end < len(text) and _goes_on(offsets[end - 1], offsets[end]):
                continue
            if offsets[start] == NOWHERE:
                self._builder.write(text[start:end])
            else:
                add(text[start:end], offsets[start])
            start = end


def _goes_on(before: int, after: int) -> bool:
    return after == before + 1 if before != NOWHERE else after == NOWHERE


def _spot(key: Hashable, start: int, end: int) -> TextSpot:
    return TextSpot(start, end)


def _title_of(draft: Draft) -> str:
    """The text of a heading without the marks of notes."""
    text = draft.text
    for mark in reversed(draft.marks):
        if mark.kind == "note":
            text = text[: mark.start].rstrip() + text[mark.end :]
    return text


def _is_verse(text: str) -> bool:
    lines = text.split("\n")
    return len(lines) >= 3 and max(map(len, lines)) <= _LONGEST_VERSE_LINE
