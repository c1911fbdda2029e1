"""Lines of a plain text become paragraphs.

Some files break every line where it was full, others write each paragraph as one line, and verse, plays and lists break
lines on purpose. So each file is looked at as a whole: how long its full lines are, and whether lines end sentences.
Lines are then joined only where a line ends because it was full; a break that the next word did not force was meant.
Chinese and Japanese have no spaces, so a full line there lacks no word, only a character, and joins without a space.

What must stay true: every character that is not white space is in exactly one paragraph, at its own place, but a
hyphen at a line's end that the text's own words tell to go.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from readdesk.documents.draft import Draft, TextBuilder
from readdesk.documents.model import Kind, Mark, Piece, TextSpot
from readdesk.documents.text.hyphens import divided_word, words_without_hyphen

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\n|\r|\Z)")
_LONG_LINE = 120
_FEWEST_LINES = 4
_ENDING = 0.9
_ENDING_UNSPACED = 0.6
_MOST_FULL = 0.3
_MEDIAN_OF_VERSE = 40
_LONGEST_TITLE = 12
_SLACK = 3
_NARROWEST = 50
_FEWEST_FULL = 0.85
_MOST_BEGUN = 0.6
_MOST_ENDED = 0.4
_SAMPLE_BLOCKS = 500
SENTENCE_END = (".", "!", "?", "…", ":", '"', "”", "’", "'", ")", "*", "。", "！", "？", "」", "』", "）", "—", "~")
_VERSE_END = (*SENTENCE_END, ",", ";", "，", "；")
_UNSPACED = "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uff9f"
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_SHARED_SIGNS = frozenset("“”‘’…—·")
"""Signs that stand without spaces in Chinese and Japanese, and with them elsewhere."""

_FIRST_WORD = re.compile(rf"\s*([{_UNSPACED}]|[^\s{_UNSPACED}]+)")
_IRREGULAR = re.compile(r"\s{2,}|[^\S ]|[\u00ad\u200b\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its line end, where it starts in the decoded file, and the printed pages that begin with it."""

    text: str
    start: int
    pages: tuple[str, ...] = ()


Block = Sequence[Line]
"""Lines between two blank ones."""


@dataclass(frozen=True)
class Style:
    """How a file breaks its lines: the length of a full line, and whether each line is a paragraph.

    `joined` are the words that lose the hyphen by which a line's end divides them.
    """

    width: int
    is_unwrapped: bool
    joined: frozenset[str] = frozenset()


def blocks_of(text: str, start: int, end: int) -> list[Block]:
    """Runs of lines between blank lines, of a part of a text."""
    blocks: list[Block] = []
    block: list[Line] = []
    for match in _LINE.finditer(text, start, end):
        line = match[1]
        if line and not line.isspace():
            block.append(Line(line, match.start()))
        elif block:
            blocks.append(block)
            block = []
    if block:
        blocks.append(block)
    return blocks


def style_of(blocks: Sequence[Block]) -> Style:
    """How the lines of a text are broken."""
    lengths = sorted(len(line.text.rstrip()) for block in blocks for line in block)
    if not lengths:
        return Style(0, False)
    width = lengths[int(0.95 * (len(lengths) - 1))]  # Nineteen of twenty lines are no longer.
    is_long = sum(1 for length in lengths if length > _LONG_LINE) > 0.1 * len(lengths)
    lines = [line.text for block in blocks[:_SAMPLE_BLOCKS] for line in block[:_SAMPLE_BLOCKS]]
    is_unspaced = len(_IS_UNSPACED.findall("".join(lines))) > 0.5 * sum(map(len, lines))
    together = [block for block in blocks if len(block) > 1]
    if not is_unspaced and width < _NARROWEST and not _are_full(together, width):
        width = _NARROWEST
    pairs = ((line.text, after.text) for block in together for line, after in pairwise(block))
    joined = words_without_hyphen(pairs, [line.text for block in blocks for line in block])
    return Style(width, is_long or _are_paragraphs(together, width, is_unspaced), joined)


def _are_full(blocks: Sequence[Block], width: int) -> bool:
    """Whether lines end because they were full: nearly all are, and few begin or end as those of a verse do."""
    pairs = [pair for block in blocks for pair in pairwise(block)]
    full = sum(not _is_meant(line, after, width) for line, after in pairs)
    if not pairs or full < _FEWEST_FULL * len(pairs):
        return False
    begun = sum(after.text.lstrip()[:1].isupper() for _, after in pairs)
    ended = sum(line.text.rstrip().endswith(_VERSE_END) for line, _ in pairs)
    return begun <= _MOST_BEGUN * len(pairs) and ended <= _MOST_ENDED * len(pairs)


def _are_paragraphs(blocks: Sequence[Block], width: int, is_unspaced: bool) -> bool:
    """Whether lines that stand together are a paragraph each: most end a sentence, and few because they were full."""
    lines = [line.text for block in blocks for line in block]
    if len(lines) < _FEWEST_LINES:
        return False
    full = sum(not _is_meant(line, after, width) for block in blocks for line, after in pairwise(block))
    if full > _MOST_FULL * sum(len(block) - 1 for block in blocks):
        return False
    median = sorted(map(len, lines))[len(lines) // 2]
    if not is_unspaced:
        return median > _MEDIAN_OF_VERSE and _share_ending(lines) >= _ENDING
    lines = [line for line in lines if len(line) > _LONGEST_TITLE]
    indented = sum(line.startswith("\u3000") for line in lines)
    return bool(lines) and (_share_ending(lines) >= _ENDING_UNSPACED or indented >= _ENDING_UNSPACED * len(lines))


def _share_ending(lines: Sequence[str]) -> float:
    """The share of lines that end a sentence."""
    return sum(line.rstrip().endswith(SENTENCE_END) for line in lines) / len(lines)


def paragraphs_of(block: Block, style: Style, kind: Kind | None) -> Iterator[Draft]:
    """The paragraphs of a block; `kind` is None where it shall be found out."""
    if len(block) == 1 and (draft := _of_line(block[0], kind or "text")):
        yield draft
        return
    if kind is None and len(block) > 2 and _meant_breaks(block, style.width) > 0.5 and not _is_indented(block):
        own = _own_width(block)
        drafts = [_join(block, "", "text", replace(style, width=own)) if own else _join(block, "\n", "verse")]
    elif kind is None:
        drafts = [_join(part, "", "text", style) for part in _by_indent(block)]
    else:
        drafts = [_join(block, "\n", kind)]
    yield from (draft for draft in drafts if draft is not None)


def _of_line(line: Line, kind: Kind) -> Draft | None:
    """The paragraph of a regular line, which is most of them; None where white space must be folded."""
    text = line.text.strip()
    if not text or _IRREGULAR.search(text):
        return None
    start = line.start + len(line.text) - len(line.text.lstrip())
    marks = tuple(Mark(0, 0, "page", page) for page in line.pages)
    return Draft(text, (Piece(0, len(text), TextSpot(start, start + len(text))),), kind, marks=marks)


def _meant_breaks(block: Block, width: int) -> float:
    """The share of line ends at which the next line's first word would still have fitted."""
    return sum(_is_meant(line, after, width) for line, after in pairwise(block)) / (len(block) - 1)


def _own_width(block: Block) -> int:
    """The width that all lines of a block were broken at, though others are wider; 0 where they agree on none."""
    width = max(len(line.text.rstrip()) for line in block)
    return width if len(block) >= _FEWEST_LINES and _are_full([block], width + _SLACK + 1) else 0


def _is_meant(line: Line, after: Line, width: int) -> bool:
    if line.text.endswith("-") and divided_word(line.text, after.text):
        return False
    first = _FIRST_WORD.match(after.text)
    return len(line.text.rstrip()) + 1 + (len(first[1]) if first else 0) < width - _SLACK


def _is_indented(block: Block) -> bool:
    """Whether paragraphs of Chinese or Japanese begin with the wide space that is usual there."""
    return block[0].text.startswith("\u3000")


def _by_indent(block: Block) -> Iterator[Block]:
    """Paragraphs that only an indented first line tells apart."""
    indents = [len(line.text) - len(line.text.lstrip()) for line in block]
    left = min(indents)
    if any(line.text.startswith("\u3000") for line in block):
        firsts = [number for number, line in enumerate(block) if line.text.startswith("\u3000") and number]
    else:
        firsts = [number for number, indent in enumerate(indents) if left + 1 < indent <= left + 8 and number]
        if not firsts or len(firsts) > 0.5 * len(block) or len(set(indents)) > 2:
            yield block
            return
    for start, end in zip([0, *firsts], [*firsts, len(block)], strict=True):
        yield block[start:end]


def _join(block: Block, between: str, kind: Kind, style: Style | None = None) -> Draft | None:
    """One paragraph of some lines; `between` is what parts them, or nothing where only meant breaks stay."""
    builder = TextBuilder()
    for number, line in enumerate(block):
        text = line.text.lstrip() if number else line.text
        if number and between:
            builder.insert(between)
        elif number and style:
            _part(builder, block[number - 1], line, style)
        for page in line.pages:
            builder.point("page", page)
        builder.add(text, line.start + len(line.text) - len(text))
    return builder.finish(_spot, kind)


def _part(builder: TextBuilder, before: Line, line: Line, style: Style) -> None:
    """Put what parts two lines of one paragraph: nothing within a word that a hyphen divides."""
    parts = divided_word(before.text, line.text)
    if parts is None:
        builder.insert(_between(before, line, style.width))
        return
    if builder.last == " ":
        builder.drop_last()
    if "".join(parts) in style.joined:
        builder.drop_last()


def _between(before: Line, line: Line, width: int) -> str:
    """What parts two lines of one paragraph."""
    end, text = before.text.rstrip(), line.text.lstrip()
    if _is_meant(before, line, width) and end.endswith(SENTENCE_END):
        return "\n"
    sides = (end[-1:], text[:1])
    are_joined = all(_IS_UNSPACED.match(side) or side in _SHARED_SIGNS for side in sides)
    return "" if are_joined and any(map(_IS_UNSPACED.match, sides)) else " "


def _spot(key: Hashable, start: int, end: int) -> TextSpot:
    return TextSpot(start, end)
