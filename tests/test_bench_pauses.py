"""The bench of pauses hides real breaks and tells a good way from a blind one."""

from __future__ import annotations

from pathlib import Path

import pytest

from readdesk.documents.normal import count_words
from tests.bench.pauses import ranked
from tests.bench.pauses_methods import added, product
from tests.bench.pauses_windows import SIZE, Window, windows_of


def a_window(true: int) -> Window:
    texts = tuple(f"Text {number}." for number in range(6))
    return Window("a.txt", "A", texts, frozenset({3}), (2, 3, 4, 5), ("A", "B", "C", "D"), true, (), ("More.",))


@pytest.mark.parametrize(("true", "expected"), [(2, (0.0, 1.0)), (3, (1.0, 0.0)), (4, (0.5, 0.0)), (5, (0.5, 0.0))])
def test_a_rank_is_0_for_the_best_and_equals_share_theirs(true: int, expected: tuple[float, float]) -> None:
    assert ranked(a_window(true), [0.9, 0.1, 0.5, 0.5]) == expected


def test_where_all_places_are_equal_the_rank_is_that_of_chance() -> None:
    assert ranked(a_window(4), [1.0] * 4) == (0.5, 0.25)


def test_ways_are_added_in_standard_deviations_and_places_out_of_the_question_stay_so() -> None:
    (scores,) = added([[[1.0, -1000.0, 3.0]], [[300.0, 900.0, 100.0]]], (1.0, 2.0))
    assert scores is not None
    assert scores[0] > scores[2] > scores[1]
    assert added([[None], [[1.0]]], (1.0, 1.0)) == [None]


def test_the_program_never_takes_a_place_within_a_paragraph() -> None:
    scores = product(a_window(4))
    assert scores[1] == min(scores) and scores[1] < -100


def test_breaks_of_a_real_book_are_hidden_among_the_places(shared_data: Path) -> None:
    windows = windows_of(("pg2500.txt",), shared_data, each=40, seed=1)
    assert len(windows) >= 8
    for window in windows:
        assert window.true in window.places and window.true not in window.inside
        assert sum(map(count_words, window.texts)) <= SIZE.longest
        assert count_words(" ".join(window.texts[: window.true + 1])) >= SIZE.shortest - 20
        assert not any(text.isupper() for text in window.texts), "a heading is left"
    assert {window.places.index(window.true) / len(window.places) > 0.5 for window in windows} == {True, False}
    assert windows == windows_of(("pg2500.txt",), shared_data, each=40, seed=1), "not the same by the same seed"
