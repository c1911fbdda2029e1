"""How pages cover what is to be read: what is missing is what is to do.

Pages stand in reading order and do not overlap, but need not follow one another: what is left out has none, and a text
that was changed has lost some. All of this is arithmetic on spans of positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Span = tuple[int, int]
"""Start and end position."""


def gaps(readable: Sequence[Span], pages: Sequence[Span]) -> Iterator[Span]:
    """The stretches of readable text that no page covers, each within one span and between two pages."""
    for start, end in readable:
        for page_start, page_end in pages:
            if page_end <= start:
                continue
            if page_start >= end:
                break
            if page_start > start:
                yield start, page_start
            start = page_end
        if start < end:
            yield start, end


def shared(readable: Sequence[Span], page: Span) -> int:
    """How many characters of a page are to be read; 0 for one that is wholly left out."""
    return sum(max(0, min(end, page[1]) - max(start, page[0])) for start, end in readable)


def length(spans: Sequence[Span]) -> int:
    """How many characters some spans hold."""
    return sum(end - start for start, end in spans)
