"""Pagination: where an episode of the text ends (ReadAgent, section 3.1).

From the last pause, text is read up to a longest length; labels stand between its paragraphs once a shortest length is
reached; the model scores the labels in one forward pass. Here are the parts without a model: cutting text into units,
finding which boundaries may end a page and which of them get a label, and the rule that decides when the model cannot.

What must stay true: pages tile exactly what they are asked to read; every page is at least one unit long, so that
pagination always advances; a page never crosses a top-level section, nor the place where what is left out or another
page begins; a heading stays with the text beneath it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from sentencex import get_sentence_boundaries

from readdesk.documents.model import Document, Paragraph
from readdesk.documents.normal import count_words, one_line
from readdesk.reading.model import BreakBy, Page
from readdesk.reading.pauses import AROUND, best_pause
from readdesk.reading.prompts import LABELS

PageKind = Literal["article", "book", "transcript", "script"]


@dataclass(frozen=True)
class PageSize:
    """The longest and shortest page in words, and whether the end of the page before is shown (ReadAgent, table 7)."""

    longest: int
    shortest: int
    with_previous: bool = False


SIZES: dict[PageKind, PageSize] = {
    "article": PageSize(600, 280),
    "book": PageSize(3000, 500),
    "transcript": PageSize(600, 280, with_previous=True),
    "script": PageSize(1000, 600),
}

_BOOK_WORDS = 30_000
_REACH = 8 * AROUND
"""Characters on either side of a page that are looked at for its end, where words are compared."""


def kind_of(words: int) -> PageKind:
    """The kind taken for a document of so many words when nothing better is known."""
    return "book" if words >= _BOOK_WORDS else "article"


@dataclass(frozen=True)
class Unit:
    """A piece of text that is never divided: positions, length in words, whether it is a heading."""

    start: int
    end: int
    words: int
    heading: bool


def window(document: Document, start: int, size: PageSize, until: int | None = None) -> tuple[Unit, ...]:
    """The units from a position up to the longest page or where it must end; never none before the end."""
    limit = section_end(document, start, until)
    longest_unit = max(1, (size.longest - size.shortest) // 3)
    found: list[Unit] = []
    words = 0
    for paragraph, first, last in document.between(start, limit):
        for unit in _units(paragraph, first, last, document.language, longest_unit, 2 * size.longest):
            if found and words + unit.words > size.longest:
                return tuple(found)
            found.append(unit)
            words += unit.words
    return tuple(found)


def section_end(document: Document, position: int, until: int | None = None) -> int:
    """Where a page from a position must end: with its top-level section, or at the place that it may not pass."""
    here = document.section_at(position)
    end = document.end if until is None else min(until, document.end)
    for section in document.sections:
        if section.level <= 1 and section.start > position and section.index > here:
            return min(section.start, end)
    return end


def _units(paragraph: Paragraph, first: int, last: int, language: str, longest: int, looked_at: int) -> Iterator[Unit]:
    """A paragraph, or its sentences where it is too long, or hard cuts where it has none.

    A paragraph can be a whole book. Only its next `looked_at` words are cut (the caller's page ends well before them),
    so that reading it page by page does not take its length squared.
    """
    text = paragraph.text
    cuts: list[int] = []
    if _reach(text, first, last, longest) < last:
        last = _reach(text, first, last, looked_at)
        cuts = _sentence_cuts(text, first, last, language, longest)
    heading = paragraph.kind == "heading" and not cuts  # What must be cut is no heading, whatever its file says.
    for start, end in pairwise([first, *cuts, last]):
        yield Unit(paragraph.start + start, paragraph.start + end, count_words(text[start:end]), heading)


def _sentence_cuts(text: str, first: int, last: int, language: str, longest: int) -> list[int]:
    """Places that divide a long text into groups of whole sentences of so many words, where that is possible."""
    part = text[first:last]
    ends = [first + boundary["end_index"] for boundary in get_sentence_boundaries(language or "en", part)]
    ends = [end for end in ends if first < end < last]
    cuts: list[int] = []
    begin, held = first, first
    for end in [*ends, last]:
        if held > begin and count_words(text[begin:end]) > longest:
            cuts.append(held)
            begin = held
        cuts += (hard := _hard_cuts(text, begin, end, longest))
        begin, held = (hard[-1] if hard else begin), end
    return cuts


def _hard_cuts(text: str, begin: int, end: int, longest: int) -> list[int]:
    """Cuts at spaces (or anywhere in a script without them) inside a sentence that is itself too long."""
    cuts = []
    while (reach := _reach(text, begin, end, longest)) < end:
        space = text.rfind(" ", (begin + reach) // 2, reach)
        begin = space + 1 if space > begin else reach
        cuts.append(begin)
    return cuts


def _reach(text: str, begin: int, end: int, words: int) -> int:
    """How far so many words go from a place, at least one character and at most to the end."""
    high = min(end, begin + 8 * words)
    while (held := count_words(text[begin:high])) <= words and high < end:
        high = min(end, begin + 2 * (high - begin))
    if held <= words:
        return end
    low = begin + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if count_words(text[begin:middle]) <= words else (low, middle)
    return low


def places(units: Sequence[Unit], size: PageSize) -> list[int]:
    """Which units may end a page, in order.

    The words up to and with the unit reach the shortest page (what follows does not count), no heading is left alone.
    """
    found = []
    words = 0
    for index, unit in enumerate(units):
        words += unit.words
        if words >= size.shortest and not unit.heading:
            found.append(index)
    return found


def candidates(units: Sequence[Unit], size: PageSize) -> dict[int, str]:
    """The places with labels for the model; where there are more than letters they are thinned evenly."""
    found = places(units, size)
    if len(found) > len(LABELS):
        step = (len(found) - 1) / (len(LABELS) - 1)
        found = [found[round(number * step)] for number in range(len(LABELS))]
    return dict(zip(found, LABELS, strict=False))


def pause_by_words(document: Document, units: Sequence[Unit], found: Sequence[int], limit: int) -> int:
    """The unit, of these places, that ends the page where the words change; `limit` is where the text to read ends."""
    start, end = units[0].start, units[-1].end
    before = texts_between(document, max(0, start - _REACH), start)
    after = texts_between(document, end, min(limit, end + _REACH))
    texts = [*before, *(one_line(document.text(unit.start, unit.end)) for unit in units), *after]
    ends = {paragraph.end for paragraph, _, _ in document.between(start, end)}
    inside = {len(before) + index for index, unit in enumerate(units) if unit.end not in ends}
    headed = {len(before) + place for place in found if any(unit.heading for unit in units[place + 1 : place + 2])}
    return best_pause(texts, [len(before) + place for place in found], inside, headed) - len(before)


def texts_between(document: Document, start: int, end: int) -> list[str]:
    """The paragraphs between two positions as a model reads them, one line each."""
    return [one_line(paragraph.as_read(first, last)) for paragraph, first, last in document.between(start, end)]


def fallback_break(units: Sequence[Unit], found: Collection[int]) -> int:
    """The unit that ends the page when nobody can choose a place: before the last heading, else the last place.

    Without places it is the last unit that is no heading.
    """
    for index in sorted(found, reverse=True):
        if index + 1 < len(units) and units[index + 1].heading:
            return index
    text = [index for index, unit in enumerate(units) if not unit.heading]
    return max(found or text, default=len(units) - 1)


def page_of(document: Document, number: int, units: Sequence[Unit], broken_by: BreakBy) -> Page:
    """The page that these units make."""
    start, words = units[0].start, sum(unit.words for unit in units)
    return Page(number, start, units[-1].end, document.section_at(start), words, broken_by)


def page_by_rule(document: Document, number: int, start: int, size: PageSize, until: int | None = None) -> Page:
    """A page that is divided off without a model."""
    units = window(document, start, size, until)
    if units[-1].end >= section_end(document, start, until):
        return page_of(document, number, units, "end")
    last = fallback_break(units, places(units, size))
    return page_of(document, number, units[: last + 1], "fallback")


def next_start(document: Document, position: int, until: int) -> int | None:
    """Where the page after one that ends at a position begins: at the first character that is no white space."""
    for paragraph, first, last in document.between(position, until):
        part = paragraph.text[first:last]
        if visible := part.lstrip():
            return paragraph.start + last - len(visible)
    return None
