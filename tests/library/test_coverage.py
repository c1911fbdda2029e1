"""Gaps: what is to be read and has no page; pages and gaps tile what is readable, whatever is left out."""

from __future__ import annotations

from itertools import pairwise

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
