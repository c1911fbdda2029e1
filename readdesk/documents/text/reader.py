"""Plain text: its title, its chapters and its paragraphs.

Offsets of a `TextSpot` count the characters of the decoded file as it stands: a byte order mark is not counted, and
"\\r\\n" counts as two. A text tells nothing of its structure, so chapters come from headings that run on; a long text
without any is cut into parts of equal length, and a person may say what chapters begin with.

What must stay true: every character that is not white space is in exactly one paragraph, or is a page number that stood
alone on its line and is the value of a page mark (or a hyphen that `hyphens.py` lets go).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from readdesk.cancel import CancelToken
from readdesk.documents.draft import Drafted, Start, Told
from readdesk.documents.health import HealthCollector
from readdesk.documents.model import NO_CHAPTERS, Choices
from readdesk.documents.normal import one_line
from readdesk.documents.parts import in_parts
from readdesk.documents.text import gutenberg
from readdesk.documents.text.divisions import Divided, divided_of
from readdesk.documents.text.encodings import decode
from readdesk.documents.text.headings import rank_of
from readdesk.documents.text.lines import Block, Style, blocks_of, paragraphs_of, style_of
from readdesk.documents.text.pagenumbers import without_page_numbers

_LONGEST_TITLE = 80
_LOWEST_LEVEL = 6
_CREDIT = re.compile(
    r"(e-?text|produced|prepared|transcribed|transcriber|translated|edited|scanned|by)\b", re.IGNORECASE
)
_NAMED_TITLE = re.compile(r"(?:title|书名|書名|名称|название)[:：]\s*(.+)$", re.IGNORECASE)
_NAMED_AUTHOR = re.compile(r"(?:author|作者|著者|автор|autor|auteur|autore)\s*[:：]\s*(\S.{0,60})$", re.IGNORECASE)


def read(path: Path, choices: Choices, health: HealthCollector, cancel: CancelToken) -> Iterator[Drafted]:
    """What a text file says of itself, then its sections and paragraphs; raises DocumentError."""
    decoded = decode(path.read_bytes(), path.name, choices.encoding, health)
    text = decoded.text
    book = gutenberg.unwrapped(text)
    blocks: Sequence[Block] = blocks_of(text, book.start, book.end)
    style = style_of(blocks)
    blocks = [[line] for block in blocks for line in block] if style.is_unwrapped else blocks
    if choices.chapters in ("", NO_CHAPTERS):  # A person's pattern may mean just these lines.
        blocks = without_page_numbers(blocks, style.width)
    title = book.title or _title(blocks) or path.stem
    author = book.author or _author(blocks)
    divided = divided_of(blocks, title, choices.chapters)
    yield Told(title, (author,) if author else (), structure=divided.structure, encoding=decoded.encoding)
    yield from _licence(text, 0, book.start)
    is_in_parts = divided.structure == "parts"
    if not is_in_parts and (not divided.headings or min(divided.headings) > 0):
        yield Start(title)
    yield from in_parts(_drafts(divided, style, cancel), is_in_parts)
    yield from _licence(text, book.end, len(text))


def _drafts(divided: Divided, style: Style, cancel: CancelToken) -> Iterator[Drafted]:
    level = 1
    for number, block in enumerate(divided.blocks):
        heading = divided.headings.get(number)
        if heading is None:
            cancel.raise_if_cancelled()
            yield from paragraphs_of(block, style, None)
            continue
        if heading.title:
            level = heading.level if number else 1  # Nothing may lie within a licence that stands before it.
            yield Start(heading.title, level, matter=heading.matter)
        for draft in paragraphs_of(block, style, "heading" if heading.is_line else None):
            yield replace(draft, level=min(level, _LOWEST_LEVEL)) if heading.is_line else draft


def _licence(text: str, start: int, end: int) -> Iterator[Drafted]:
    """What Project Gutenberg adds, as a section that nobody need read."""
    blocks = blocks_of(text, start, end)
    if blocks:
        yield Start(gutenberg.TITLE, matter="licence")
    style = style_of(blocks)
    for block in blocks:
        yield from paragraphs_of(block, style, None)


# -- title and author --------------------------------------------------------------------------------------------


def _title(blocks: Sequence[Block]) -> str:
    """The first short line that is no numbered heading and no credit: most texts begin with their title."""
    for block in blocks[:6]:
        lines = [line.text.strip() for line in block]
        if named := next((found for line in lines[:6] if (found := _NAMED_TITLE.match(line))), None):
            return _bare(named[1])
        lines = [line for line in lines if not _NAMED_AUTHOR.match(line)]
        line = one_line(" ".join(lines)).strip("_*= ")
        if not lines or rank_of(lines) is not None or len(lines) > 2 or len(line) > _LONGEST_TITLE:
            continue
        if not _CREDIT.match(line):
            return _bare(line.rstrip(".,"))
    return ""


def _bare(title: str) -> str:
    """A title without the brackets that Chinese and Japanese put around it."""
    return title.strip().strip("《》『』【】")


def _author(blocks: Sequence[Block]) -> str:
    """Who a line at the beginning says has written the text."""
    lines = [line.text.strip() for block in blocks[:6] for line in block[:6]]
    return next((found[1].strip() for line in lines if (found := _NAMED_AUTHOR.match(line))), "")
