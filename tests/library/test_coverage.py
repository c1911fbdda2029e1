"""Gaps: what is to be read and has no page; pages and gaps tile what is readable, whatever is left out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readdesk.library.coverage import Span, gaps, length, shared


@pytest.mark.parametrize(
    ("readable", "pages", "expected"),
    [
        ([(0, 9)], [], [(0, 9)]),
        ([(0, 9)], [(0, 9)], []),
        ([(0, 9)], [(0, 4)], [(4, 9)]),
        ([(0, 9)], [(2, 4), (4, 6)], [(0, 2), (6, 9)]),
        ([(3, 5), (7, 9)], [], [(3, 5), (7, 9)]),
        ([(3, 5), (7, 9)], [(0, 4)], [(4, 5), (7, 9)]),
        ([(3, 5), (7, 9)], [(4, 8)], [(3, 4), (8, 9)]),
        ([(3, 9)], [(0, 2), (9, 12)], [(3, 9)]),
        ([], [(0, 4)], []),
    ],
)
def test_gaps(readable: list[Span], pages: list[Span], expected: list[Span]) -> None:
    assert list(gaps(readable, pages)) == expected


class Counted(list[Span]):
    """Spans that count how often one of them is looked at."""

    looks = 0

    def __getitem__(self, index: Any) -> Any:
        self.looks += 1
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[Span]:
        for number in range(len(self)):
            yield self[number]


def test_many_spans_and_pages_are_gone_through_once() -> None:
    """It is asked after every page, and a book of verse has thousands of sections."""
    readable = [(start, start + 9) for start in range(0, 20_000, 10)]
    pages = Counted((start, start + 4) for start in range(0, 20_000, 5))
    found = list(gaps(readable, pages))
    assert found[:3] == [(4, 5), (14, 15), (24, 25)] and len(found) == 2_000
    assert pages.looks < 5 * (len(pages) + len(readable))
    counted = Counted(readable)
    assert [shared(counted, page) for page in pages[1_000:1_003]] == [4, 4, 4]
    assert counted.looks < 3 * 2 * 20


def test_a_page_over_several_spans() -> None:
    assert list(gaps([(0, 3), (4, 6), (7, 9), (10, 12)], [(1, 8), (8, 11)])) == [(0, 1), (11, 12)]


def _spans(cuts: list[int]) -> list[Span]:
    """Every second stretch between some places."""
    places = sorted(set(cuts))
    return [span for number, span in enumerate(pairwise(places)) if number % 2 == 0]


@given(st.lists(st.integers(0, 60), max_size=9), st.lists(st.integers(0, 60), max_size=9))
def test_pages_and_gaps_tile_what_is_readable(readable_cuts: list[int], page_cuts: list[int]) -> None:
    readable, pages = _spans(readable_cuts), _spans(page_cuts)
    found = list(gaps(readable, pages))
    covered = [place for start, end in found for place in range(start, end)]
    wanted = {place for start, end in readable for place in range(start, end)}
    paged = {place for start, end in pages for place in range(start, end)}
    assert covered == sorted(wanted - paged)
    assert all(start < end for start, end in found)
    assert sum(shared(readable, page) for page in pages) == len(wanted & paged)
    assert length(found) == len(covered)
