"""Markdown parsed so that every character of a text still knows its place in the file.

markdown-it-py tells the lines of a block but not where its words stand, and looking for them afterwards finds them in
the wrong place (in the address of a link that they follow). So its inline parser is given a state that notes its
position with every token, and the text of a block is laid over its lines character by character.

What must stay true: an offset is either the right one or -1; the parser's rules are its own, nothing is reimplemented.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

FOOTNOTES = "footnotes"
"""Where the labels of footnotes stand in the environment of a parse."""

NOWHERE = -1
"""The offset of a character that is not in the file."""

_LINE_END = re.compile(r"\r\n?|\n")
_NOTE = re.compile(r"\[\^([^\]\s]{1,80})\]")
_NOTE_BODY = re.compile(r"\[\^([^\]\s]{1,80})\]:[ \t]*")
_DEEPEST = 200
_INDENT_OF_NOTE = 4


# -- the parser --------------------------------------------------------------------------------------------------


class _PlacedState(StateInline):
    """Notes with every token where in the text of its block it begins."""

    def __init__(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> None:
        super().__init__(src, md, env, tokens)
        self._begin = 0

    def append_pending(self, text: str) -> None:
        if not self.pending:
            self._begin = self.pos
        super().append_pending(text)

    def pushPending(self) -> Token:  # noqa: N802  # markdown-it's name
        token = super().pushPending()
        token.meta["at"] = self._begin
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token = super().push(ttype, tag, nesting)
        before = self.tokens[-2] if len(self.tokens) > 1 else None
        after = before.meta.get("at", 0) + len(before.content) if before and before.type == "text" else 0
        token.meta["at"] = max(self.pos, after)  # A run of asterisks is pushed one by one from where it begins.
        return token


class _PlacedInline(ParserInline):
    """The inline parser with that state."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = _PlacedState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def parser() -> MarkdownIt:
    """CommonMark with tables, struck text and footnotes, whose tokens know their places."""
    markdown = MarkdownIt()
    markdown.inline = _PlacedInline()
    markdown.configure("commonmark")
    markdown.enable(["table", "strikethrough"])
    markdown.options["maxNesting"] = _DEEPEST  # Twenty, the usual limit, loses what lies deeper and all that follows.
    markdown.block.ruler.before("reference", "note_body", _note_body, {"alt": ["paragraph", "reference"]})
    markdown.inline.ruler.before("link", "note_mark", _note_mark)
    # These join tokens, and with them would go what stands between their places.
    markdown.disable(["text_join", "fragments_join"])
    return markdown


def _note_body(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The text of a footnote ("[^1]: …"): a container like an item of a list."""
    begin = state.bMarks[start] + state.tShift[start]
    match = None if state.is_code_block(start) else _NOTE_BODY.match(state.src, begin, state.eMarks[start])
    if match is None:
        return False
    if silent:
        return True
    kept = state.bMarks[start], state.tShift[start], state.sCount[start], state.blkIndent, state.parentType
    state.env.setdefault(FOOTNOTES, set()).add(match[1])
    state.push("note_open", "", 1).meta["label"] = match[1]
    state.bMarks[start], state.tShift[start] = match.end(), 0
    state.blkIndent += _INDENT_OF_NOTE
    state.sCount[start] = state.blkIndent
    state.parentType = "footnote"
    state.md.block.tokenize(state, start, end)
    state.push("note_close", "", -1)
    state.bMarks[start], state.tShift[start], state.sCount[start], state.blkIndent, state.parentType = kept
    return True


def _note_mark(state: StateInline, silent: bool) -> bool:
    """The mark of a footnote ("[^1]"), where that footnote is there."""
    match = _NOTE.match(state.src, state.pos, state.posMax)
    if match is None or match[1] not in state.env.get(FOOTNOTES, ()):
        return False
    if not silent:
        state.push("note_mark", "", 0).content = match[1]
    state.pos = match.end()
    return True


# -- places ------------------------------------------------------------------------------------------------------


class Source:
    """The lines of a Markdown file, each with its offset; `base` is that of the first character."""

    def __init__(self, text: str, base: int) -> None:
        self._lines: list[str] = []
        self._starts: list[int] = []
        at = 0
        for match in _LINE_END.finditer(text):
            self._keep(text[at : match.start()], base + at)
            at = match.end()
        self._keep(text[at:], base + at)

    def _keep(self, line: str, start: int) -> None:
        self._lines.append(line.replace("\0", "\ufffd"))
        self._starts.append(start)

    def line(self, number: int) -> str:
        """A line without its end; none behind the last."""
        return self._lines[number] if number < len(self._lines) else ""

    def offset(self, number: int, column: int) -> int:
        """Where a character of a line stands in the file."""
        return self._starts[number] + column if number < len(self._starts) else NOWHERE

    def of_lines(self, content: str, first: int) -> list[int]:
        """The offsets of the characters of a block's text whose lines are the ends of the file's, from `first` on."""
        offsets: list[int] = []
        for number, part in enumerate(content.split("\n"), start=first):
            if number > first:
                offsets.append(self.offset(number - 1, len(self.line(number - 1))))
            column = _column_of(part, self.line(number))
            blank = len(part) - len(part.lstrip())
            for at in range(len(part)):
                is_placed = column is not None and (at >= blank or column >= blank)
                offsets.append(self.offset(number, (column or 0) + at - blank) if is_placed else NOWHERE)
        return offsets

    def of_heading(self, content: str, number: int, level: int) -> list[int]:
        """The same for a heading of one line with number signs around it."""
        line = self.line(number)
        opening = line.find("#" * level)
        column = line.find(content, opening + level) if opening >= 0 else -1
        return [self.offset(number, column + at) if column >= 0 else NOWHERE for at in range(len(content))]

    def of_row(self, cells: Sequence[str], number: int) -> list[list[int]]:
        """The same for the cells of a table's row; an escaped bar stands without its backslash."""
        line = self.line(number)
        found: list[list[int]] = []
        at = 0
        for cell in cells:
            pattern = "".join(r"\\?\|" if character == "|" else re.escape(character) for character in cell)
            match = re.compile(rf"(?:^[\s>|*+\-\d.)]*?|\|\s*|(?<=\|)\s*)({pattern})\s*(?=\||$)").search(line, at)
            if not cell or match is None:
                found.append([NOWHERE] * len(cell))
                continue
            columns = _columns_of(cell, line, match.start(1))
            found.append([self.offset(number, column) for column in columns])
            at = match.end()
        return found


def _column_of(part: str, line: str) -> int | None:
    """Where the text of a part begins in a line that it ends; blanks before it may be others than in the line."""
    bare = part.lstrip()
    if line.endswith(bare):
        return len(line) - len(bare)
    bare, line = bare.rstrip(), line.rstrip()
    return len(line) - len(bare) if line.endswith(bare) else None


def _columns_of(cell: str, line: str, start: int) -> list[int]:
    columns = []
    for character in cell:
        if line[start] != character:
            start += 1
        columns.append(start)
        start += 1
    return columns
