"""What fits goes in by importance; what is cut or left out is said; nothing ever exceeds its room."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readdesk.cancel import CancelToken
from readdesk.reading.budget import FittedPage, fit_memory, fit_pages
from readdesk.reading.prompts import memory_text
from tests.fakes import ScriptedEngine, count_tokens, words
from tests.reading.memories import a_memory, texts

ENGINE = ScriptedEngine()
PAGES = [words(100, f"p{number}x") for number in range(1, 6)]
WHOLE = count_tokens(PAGES[0]) + 12
NONE = CancelToken()


def test_pages_that_fit_go_in_whole_in_order_of_importance() -> None:
    fitted, left_out = fit_pages(ENGINE, [4, 1, 3], texts(PAGES), 3 * WHOLE, NONE)
    assert fitted == tuple(FittedPage(number, PAGES[number - 1], False) for number in (4, 1, 3))
    assert left_out == ()


def test_the_page_that_does_not_fit_is_cut_at_a_word_and_the_rest_left_out() -> None:
    pages = [words(300, f"p{number}x") for number in range(1, 6)]
    room = count_tokens(pages[0]) + 12 + 250
    fitted, left_out = fit_pages(ENGINE, [4, 1, 3, 5], texts(pages), room, NONE)
    assert [(page.number, page.shortened) for page in fitted] == [(4, False), (1, True)]
    assert left_out == (3, 5)
    assert pages[0].startswith(fitted[1].text + " ")
    assert 200 < count_tokens(fitted[1].text) <= 250 - 12


def test_a_rest_too_small_to_be_of_use_is_not_filled() -> None:
    pages = [words(300, "long"), words(20, "short")]
    fitted, left_out = fit_pages(ENGINE, [1, 2], texts(pages), 199, NONE)
    assert [page.number for page in fitted] == [2]
    assert left_out == (1,)


@pytest.mark.parametrize("room", [0, -50])
def test_without_room_everything_is_left_out(room: int) -> None:
    assert fit_pages(ENGINE, [2, 1], texts(PAGES), room, NONE) == ((), (2, 1))


@given(
    st.lists(st.integers(1, 400), min_size=1, max_size=8),
    st.integers(0, 1500),
    st.sampled_from(["word", "\u6587"]),
)
@settings(deadline=None)
def test_pages_never_exceed_their_room_and_none_is_lost(lengths: list[int], room: int, stem: str) -> None:
    pages = [words(length) if stem == "word" else stem * length for length in lengths]
    asked = list(range(len(pages), 0, -1))
    fitted, left_out = fit_pages(ENGINE, asked, texts(pages), room, NONE)
    assert sum(count_tokens(page.text) for page in fitted) <= room
    assert sorted([*(page.number for page in fitted), *left_out]) == sorted(asked)
    for page in fitted:
        whole = pages[page.number - 1]
        assert page.text == whole if not page.shortened else whole.startswith(page.text) and page.text != whole


# -- memory --------------------------------------------------------------------------------------------------------

MEMORY = a_memory([words(60, f"gist{number}x") for number in range(1, 11)])


def test_a_memory_that_fits_stays_whole() -> None:
    fitted = fit_memory(ENGINE, MEMORY, 2000, NONE)
    assert (fitted.text, fitted.gists, fitted.shortened) == (memory_text(MEMORY), 10, False)
    assert fitted.tokens == count_tokens(fitted.text)


def test_a_memory_that_is_too_long_has_every_gist_cut_to_the_same_length() -> None:
    fitted = fit_memory(ENGINE, MEMORY, 900, NONE)
    assert (fitted.text, fitted.gists, fitted.shortened) == (memory_text(MEMORY, 30), 10, True)


def test_a_memory_that_is_far_too_long_loses_its_last_gists_and_says_how_many_are_left() -> None:
    fitted = fit_memory(ENGINE, MEMORY, 150, NONE)
    assert fitted.shortened and 0 < fitted.gists < 10
    assert fitted.text.count("[Page ") == fitted.gists
    assert f"[Page {fitted.gists}]" in fitted.text
    assert fitted.tokens <= 90


@given(st.integers(1, 40), st.integers(0, 150), st.integers(40, 3000), st.booleans())
@settings(deadline=None)
def test_a_memory_never_exceeds_its_share_of_the_room(pages: int, length: int, room: int, unspaced: bool) -> None:
    memory = a_memory([("\u6587" * length if unspaced else words(length)) or "x"] * pages)
    fitted = fit_memory(ENGINE, memory, room, NONE)
    assert count_tokens(fitted.text) <= fitted.tokens <= 0.6 * room
    assert 1 <= fitted.gists <= pages
    assert fitted.gists == pages or fitted.shortened
