"""Plain text: decoding, paragraphs, and chapters by their headings.

Offsets of a `TextSpot` count the characters of the decoded file as it stands: a byte order mark is not counted, and
"\\r\\n" counts as two.

Lines are joined into paragraphs only where a line ends because it was full; a break that the next word did not force
was meant (verse, plays, lists). What must stay true: every character that is not white space is in exactly one
paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from readdesk.cancel import CancelToken
from readdesk.documents.draft import Draft, Drafted, Start, TextBuilder, Told
from readdesk.documents.encodings import decode
from readdesk.documents.headings import headings_of, rank_of
from readdesk.documents.health import HealthCollector
from readdesk.documents.model import Choices, Kind, TextSpot
from readdesk.documents.normal import one_line

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\n|\r|\Z)")
_LONG_LINE = 120
_LONGEST_TITLE = 80
_LOWEST_LEVEL = 6
_CREDIT = re.compile(
    r"(e-?text|produced|prepared|transcribed|transcriber|translated|edited|scanned|by)\b", re.IGNORECASE
)
_NAMED_TITLE = re.compile(r"title:\s*(.+)$", re.IGNORECASE)
_SENTENCE_END = (".", "!", "?", "…", ":", '"', "”", "’", "'", ")", "*", "。", "！", "？", "」", "』")


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its line end, and where it starts in the decoded file."""

    text: str
    start: int


Block = Sequence[Line]
"""Lines between two blank ones."""


def read(path: Path, choices: Choices, health: HealthCollector, cancel: CancelToken) -> Iterator[Drafted]:
    """What a text file says of itself, then its sections and paragraphs; raises DocumentError."""
    decoded = decode(path.read_bytes(), path.name, choices.encoding, health)
    text = decoded.text
    blocks = list(blocks_of(text))
    width = _width(blocks)
    is_unwrapped = _is_unwrapped(blocks)
    if is_unwrapped:
        blocks = [[line] for block in blocks for line in block]
    headings = headings_of([[line.text for line in block] for block in blocks])
    title = _title(blocks) or path.stem
    yield Told(title=title, encoding=decoded.encoding)
    if not headings or min(headings) > 0:
        yield Start(title)
    level = 1
    for number, block in enumerate(blocks):
        cancel.raise_if_cancelled()
        heading = headings.get(number)
        if heading is not None and heading.title:
            level = heading.level
            yield Start(heading.title, level)
        for draft in _paragraphs(block, width, "heading" if heading is not None else None):
            yield draft if heading is None else replace(draft, level=min(level, _LOWEST_LEVEL))


# -- the title ---------------------------------------------------------------------------------------------------


def _title(blocks: Sequence[Block]) -> str:
    """The first short line that is no numbered heading and no credit: most texts begin with their title."""
    for block in blocks[:6]:
        lines = [line.text for line in block]
        line = one_line(" ".join(lines)).strip("_*= ")
        if rank_of(lines) is not None or len(block) > 2 or len(line) > _LONGEST_TITLE or _CREDIT.match(line):
            continue
        named = _NAMED_TITLE.match(line)
        return named[1] if named else line.rstrip(".,")
    return ""


# -- lines and paragraphs ----------------------------------------------------------------------------------------


def blocks_of(text: str) -> Iterator[Block]:
    """Runs of lines between blank lines."""
    block: list[Line] = []
    for match in _LINE.finditer(text):
        if match[1].strip():
            block.append(Line(match[1], match.start()))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _width(blocks: Sequence[Block]) -> int:
    """How long a full line is: the length that nineteen of twenty lines do not exceed."""
    lengths = sorted(len(line.text.rstrip()) for block in blocks for line in block)
    return lengths[int(0.95 * (len(lengths) - 1))] if lengths else 0


def _is_unwrapped(blocks: Sequence[Block]) -> bool:
    """Whether every line is a paragraph: many lines are longer than any wrapping leaves them."""
    lengths = [len(line.text.rstrip()) for block in blocks for line in block]
    return sum(1 for length in lengths if length > _LONG_LINE) > 0.1 * len(lengths)


def _paragraphs(block: Block, width: int, kind: Kind | None) -> Iterator[Draft]:
    if kind is None and len(block) > 2 and _meant_breaks(block, width) > 0.5:
        draft = _join(block, "\n", "verse")
    elif kind is None:
        for part in _by_indent(block):
            draft = _join(part, "", "text", width)
            if draft is not None:
                yield draft
        return
    else:
        draft = _join(block, "\n", kind)
    if draft is not None:
        yield draft


def _meant_breaks(block: Block, width: int) -> float:
    """The share of line ends at which the next line's first word would still have fitted."""
    return sum(_is_meant(line, after, width) for line, after in pairwise(block)) / (len(block) - 1)


def _is_meant(line: Line, after: Line, width: int) -> bool:
    first_word = after.text.split(maxsplit=1)[0]
    return len(line.text.rstrip()) + 1 + len(first_word) < width - 3


def _by_indent(block: Block) -> Iterator[Block]:
    """Paragraphs that only an indented first line tells apart."""
    indents = [len(line.text) - len(line.text.lstrip()) for line in block]
    left = min(indents)
    firsts = [number for number, indent in enumerate(indents) if left + 1 < indent <= left + 8 and number]
    if not firsts or len(firsts) > 0.5 * len(block) or len(set(indents)) > 2:
        yield block
        return
    for start, end in zip([0, *firsts], [*firsts, len(block)], strict=True):
        yield block[start:end]


def _join(block: Block, between: str, kind: Kind, width: int = 0) -> Draft | None:
    """One paragraph of some lines; `between` is what parts them, or nothing where only meant breaks stay."""
    builder = TextBuilder()
    for number, line in enumerate(block):
        if number and between:
            builder.insert(between)
        elif number and _is_meant(block[number - 1], line, width) and _ends_sentence(block[number - 1]):
            builder.insert("\n")
        elif number:
            builder.insert(" ")
        builder.add(line.text, line.start)
    return builder.finish(_spot, kind)


def _ends_sentence(line: Line) -> bool:
    return line.text.rstrip().endswith(_SENTENCE_END)


def _spot(key: Hashable, start: int, end: int) -> TextSpot:
    return TextSpot(start, end)
