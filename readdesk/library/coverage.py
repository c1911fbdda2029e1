"""How pages cover what is to be read: what is missing is what is to do.

Pages stand in reading order and do not overlap, but need not follow one another: what is left out has none, and a text
that was changed has lost some. All of this is arithmetic on spans of positions.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

Span = tuple[int, int]
"""Start and end position."""


def gaps(readable: Sequence[Span], pages: Sequence[Span]) -> Iterator[Span]:
    """The stretches of readable text that no page covers, each within one span and between two pages.

    Both come in order and are gone through once, side by side: this is asked after every page of a book.
    """
    count, here = len(pages), 0
    for start, end in readable:
        while here < count and pages[here][1] <= start:
            here += 1
        while here < count and pages[here][0] < end:
            page_start, page_end = pages[here]
            if page_start > start:
                yield start, page_start
            start = page_end
            if page_end > end:
                break  # It reaches into the next span.
            here += 1
        if start < end:
            yield start, end


def shared(readable: Sequence[Span], page: Span) -> int:
    """How many characters of a page are to be read; 0 for one that is wholly left out."""
    first = bisect_right(readable, page[0], key=lambda span: span[1])
    last = bisect_left(readable, page[1], lo=first, key=lambda span: span[0])
    return sum(min(end, page[1]) - max(start, page[0]) for start, end in readable[first:last])


def length(spans: Sequence[Span]) -> int:
    """How many characters some spans hold."""
    return sum(end - start for start, end in spans)
