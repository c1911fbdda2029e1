"""What the chat says about an answer, in words, and how an answer's own text becomes HTML.

An answer is written by a model that has read a stranger's file, so its text is never trusted: everything is escaped
first, and only then are three things made of it: bold words, lines of a list, and links to pages. What must stay true:
the only tags are those written here, the only links begin with `page:`, and no word is lost.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from functools import partial
from html import escape
from itertools import groupby

from PySide6.QtCore import QCoreApplication

from readdesk.gui.reader.pagenames import recognised_words
from readdesk.reading.model import Answer, LookUp

PAGE_SCHEME = "page"
"""The scheme of the only links there are: `page:12`."""

_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
# Control characters, halves of characters, what Qt's documents use as marks of their own, places of pictures.
_UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufff9-\ufffc\ufffe\uffff]")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<mark>[-*•]|\d{1,3}[.)])[ \t]+(?P<words>\S.*)")
_BOLD = re.compile(r"\*\*(?=[^\s*])(.{1,400}?)(?<=[^\s*])\*\*")
_NUMBER = r"[0-9]{1,6}\b(?![.,][0-9])"
_RANGE = r"\s?[-–—]\s?|\s+(?:to|and|or|through)\s+|\s?&amp;\s?"
_MENTION = re.compile(
    rf"\bpages\s+{_NUMBER}(?:(?:,\s?(?:and\s+|or\s+)?|{_RANGE}){_NUMBER})*"
    rf"|\[page\s+{_NUMBER}(?:,\s?{_NUMBER})+"
    rf"|\bpage\s+{_NUMBER}(?:(?:{_RANGE}){_NUMBER})*",
    re.IGNORECASE,
)
"""Mentions of pages in escaped text; several at once only where that is plain, so not in "on page 3, 40 men"."""
_NUMBER_ALONE = re.compile(r"(?:pages?\s+)?[0-9]+", re.IGNORECASE)

ITEM_INDENT = 18
"""How far the words of a list's line are set in, in pixels; a view's tab stops stand there."""

_GAP = 8
_ITEM_GAP = 3

translate = QCoreApplication.translate


# -- the answer's own text -------------------------------------------------------------------------------------------


def seen(text: str) -> str:
    """The text as it can be shown: one kind of line end, and nothing that is no character."""
    return _UNSEEN.sub("", _LINE_ENDS.sub("\n", text))


def answer_html(text: str, pages: Container[int]) -> str:
    """An answer as HTML that cannot do harm; mentions of these pages become links `page:12`."""
    blocks: list[str] = []
    for kind, lines in groupby(seen(text).split("\n"), _kind):
        if kind == "plain":
            inner = "<br>".join(_line_html(line, pages) for line in lines)
            blocks.append(f'<p style="{_style(_GAP if blocks else 0)}">{inner}</p>')
        elif kind == "item":
            for place, line in enumerate(lines):
                blocks.append(_item_html(line, pages, (_ITEM_GAP if place else _GAP) if blocks else 0))
    return "".join(blocks)


def _kind(line: str) -> str:
    if not line.strip():
        return "blank"
    return "item" if _ITEM.fullmatch(line) else "plain"


def _style(above: int, indent: int = 0, first: int = 0) -> str:
    """Qt's documents know margins in pixels only."""
    return f"margin:{above}px 0 0 {indent}px; text-indent:{first}px; white-space:pre-wrap"


def _item_html(line: str, pages: Container[int], above: int) -> str:
    """A line of a list, its further rows set in beneath its words."""
    found = _ITEM.fullmatch(line)
    assert found is not None
    mark = found["mark"] if found["mark"][0].isdigit() else "•"
    depth = 1 + min(4, len(found["indent"].expandtabs(4)) // 2)
    return (
        f'<p style="{_style(above, ITEM_INDENT * depth, -ITEM_INDENT)}">{mark}\t{_line_html(found["words"], pages)}</p>'
    )


def _line_html(line: str, pages: Container[int]) -> str:
    linked = _MENTION.sub(partial(_linked, pages), escape(line.rstrip(), quote=False))
    return _BOLD.sub(r"<b>\1</b>", linked)


def _linked(pages: Container[int], mention: re.Match[str]) -> str:
    """A mention with every known number a link; the word "page" belongs to the first."""
    return _NUMBER_ALONE.sub(partial(_link, pages), mention.group())


def _link(pages: Container[int], found: re.Match[str]) -> str:
    number = int(re.sub(r"\D", "", found.group()))
    return f'<a href="{PAGE_SCHEME}:{number}">{found.group()}</a>' if number in pages else found.group()


# -- what is said about it -------------------------------------------------------------------------------------------


def page_words(item: LookUp) -> str:
    """What a chip says."""
    return translate("ChatWords", "Page {page}").format(page=item.page)


def chip_name(item: LookUp, recognised: Container[int] = ()) -> str:
    """What a chip is called where it is not seen."""
    parts = [page_words(item), recognised_words() if item.page in recognised else "", seen(item.reason)]
    return ", ".join(filter(None, parts))


def look_up_words(item: LookUp, recognised: Container[int] = ()) -> str:
    """One look-up in a line: which page, whether its text is recognised, whether only its beginning was read, why."""
    page = page_words(item)
    if item.page in recognised:
        page = translate("ChatWords", "{page} (recognised text)").format(page=page)
    if item.shortened:
        page = translate("ChatWords", "{page} (its beginning only: the model's context is full)").format(page=page)
    return f"{page}: {seen(item.reason)}." if item.reason else f"{page}."


def trail_words(look_ups: Iterable[LookUp], recognised: Container[int] = ()) -> list[str]:
    """One line for every look-up, or that there was none; pages of which some text is `recognised` say so."""
    lines = [look_up_words(item, recognised) for item in look_ups]
    return lines or [translate("ChatWords", "No page was looked up: the answer rests on gists alone.")]


def notes(answer: Answer) -> list[str]:
    """What a reader should know of an answer besides its coverage, one sentence each."""
    found = [
        (translate("ChatWords", "Left out for lack of room: {pages}."), answer.left_out),
        (translate("ChatWords", "The answer names {pages}, not read in full: unverified."), answer.unread_tags),
    ]
    sentences = [sentence.format(pages=_numbers(pages)) for sentence, pages in found if pages]
    if answer.shortened_gists:
        sentences.append(translate("ChatWords", "The gists were cut to fit the model's context."))
    if not answer.choice_readable:
        sentences.append(
            translate("ChatWords", "The model named no pages; they were chosen by the question's words alone.")
        )
    if answer.cut:
        sentences.append(translate("ChatWords", "The answer was cut at its length limit."))
    return sentences


def _numbers(pages: Sequence[int]) -> str:
    one = translate("ChatWords", "page {numbers}")
    several = translate("ChatWords", "pages {numbers}")
    return (one if len(pages) == 1 else several).format(numbers=", ".join(map(str, pages)))


def exchange_words(question: str, answer: str, trail: Sequence[str]) -> str:
    """A question, its answer and what is said about it, as plain text to keep elsewhere."""
    return "\n\n".join(part for part in (question, answer.strip(), "\n".join(trail)) if part)
