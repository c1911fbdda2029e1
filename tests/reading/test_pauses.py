"""Pauses found without a model: where the words change, in any script, and what happens where nothing changes."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readdesk.reading.paginate import PageSize, pause_by_words, places, window
from readdesk.reading.pauses import best_pause, pause_scores
from tests.fakes import a_document

SHIP = "sail mast harbour captain rope anchor deck tide gull compass sailor wave".split()
KITCHEN = "flour butter oven spoon apron dough sugar recipe kettle pastry cream plate".split()
COMMON = "the a of and to in was it he that".split()

SHIP_ZH = "船长 水手 风帆 海浪 港口 甲板 罗盘 铁锚 绳索 潮水".split()
KITCHEN_ZH = "面粉 黄油 烤箱 厨师 食谱 砂糖 奶油 盘子 勺子 水壶".split()


def paragraphs(subject: Sequence[str], count: int, seed: int, words: int = 40) -> list[str]:
    """Paragraphs of which every second word is of the subject."""
    rng = random.Random(seed)
    return [
        " ".join(rng.choice(subject if at % 2 else COMMON) for at in range(words)).capitalize() + "."
        for _ in range(count)
    ]


def chinese(subject: Sequence[str], count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    return ["的".join(rng.choice(subject) for _ in range(20)) + "。" for _ in range(count)]


@pytest.mark.parametrize("change", [6, 8, 11, 13])
def test_a_page_ends_where_the_subject_changes(change: int) -> None:
    texts = paragraphs(SHIP, change + 1, seed=1) + paragraphs(KITCHEN, 19 - change, seed=2)
    assert best_pause(texts, range(5, 15)) == change


@pytest.mark.parametrize("change", [6, 8, 11, 13])
def test_a_page_of_a_script_without_spaces_ends_where_the_subject_changes(change: int) -> None:
    texts = chinese(SHIP_ZH, change + 1, seed=1) + chinese(KITCHEN_ZH, 19 - change, seed=2)
    assert best_pause(texts, range(5, 15)) == change


def test_words_are_compared_as_the_one_normaliser_has_them() -> None:
    """Ligatures, case and soft hyphens make no new subject: the change is at 9, not at 6."""
    fish = "fish fin reef flounder finch".split()
    odd = [word.replace("fi", "\ufb01").replace("fl", "\ufb02").upper() for word in fish]
    odd = [word[:2] + "\u00ad" + word[2:] for word in odd]
    texts = paragraphs(fish, 7, seed=1) + [text.upper() for text in paragraphs(odd, 3, seed=2)]
    texts += paragraphs(KITCHEN, 8, seed=3)
    assert best_pause(texts, range(4, 14)) == 9


def test_common_words_count_for_less_than_rare_ones() -> None:
    """At 32 the words that the whole text is full of change, at 29 the few rare ones."""
    rng = random.Random(5)
    texts = []
    for at in range(60):
        rare = SHIP if at <= 29 else KITCHEN
        frequent = ["said", "went", "came", "told"]
        if 20 <= at < 45:
            frequent = frequent[:2] if at <= 32 else frequent[2:]
        texts.append(" ".join([*(rng.choice(frequent) for _ in range(24)), *(rng.choice(rare) for _ in range(16))]))
    assert best_pause(texts, range(25, 38)) == 29


def test_no_page_ends_within_a_paragraph_where_another_place_is_left() -> None:
    texts = paragraphs(SHIP, 8, seed=1) + paragraphs(KITCHEN, 8, seed=2)
    assert best_pause(texts, [5, 6, 7, 8, 9]) == 7
    assert best_pause(texts, [5, 6, 7, 8, 9], inside={7}) in {5, 6, 8, 9}
    assert best_pause(texts, [6, 7, 8], inside={6, 7, 8}) == 7, "where all are alike, the words decide"


@pytest.mark.parametrize("rule", ["* * *", "***", "\u2042", "\u2014\u2014\u2014", "~", "◆　◆　◆"])
def test_a_rule_is_a_pause_that_the_author_made(rule: str) -> None:
    texts = paragraphs(SHIP, 8, seed=1) + paragraphs(KITCHEN, 4, seed=2) + [rule] + paragraphs(KITCHEN, 4, seed=3)
    assert best_pause(texts, range(5, 15)) == 12


def test_a_heading_is_a_pause_that_the_author_made() -> None:
    """Among several headings the words decide; one that follows no place that may end the page does not count."""
    texts = paragraphs(SHIP, 8, seed=1) + paragraphs(KITCHEN, 10, seed=2)
    assert best_pause(texts, range(5, 15), headed={11}) == 11
    assert best_pause(texts, range(5, 15), headed={7, 11, 13}) == 7
    assert best_pause(texts, range(5, 15), headed={2, 16}) == 7


def test_a_page_ends_before_a_heading_and_not_within_a_paragraph_of_a_document() -> None:
    """With the units, places and surroundings that pagination gives: the words change within the long paragraph."""
    long = " ".join([*paragraphs(SHIP, 4, seed=1), *paragraphs(KITCHEN, 4, seed=2)])
    texts = [
        *paragraphs(SHIP, 3, seed=3),
        long,
        *paragraphs(KITCHEN, 3, seed=4),
        "A heading",
        *paragraphs(KITCHEN, 9, 5),
    ]
    size = PageSize(600, 150)
    for headings, end in (((), 4), ((7,), 7)):
        document = a_document(texts, headings=headings, sections=(0, 7), levels=(1, 2))
        units = window(document, 0, size)
        found = places(units, size)
        assert any(unit.end < document.paragraphs[3].end for unit in (units[place] for place in found))
        last = pause_by_words(document, units, found, document.end)
        assert units[last].end == document.paragraphs[end].start


@pytest.mark.parametrize("silence", ["\u2026\u2026", "\u300c\u2026\u2026\u300d", "?!", "..."])
def test_somebody_who_says_nothing_is_no_rule(silence: str) -> None:
    texts = paragraphs(SHIP, 8, seed=1) + paragraphs(KITCHEN, 4, seed=2) + [silence] + paragraphs(KITCHEN, 4, seed=3)
    assert best_pause(texts, range(5, 15)) == 7


@pytest.mark.parametrize("continued", ["the sea", "\u201cThe sea", "\u300cThe sea", "\u2013 The sea"])
def test_what_goes_on_begins_nothing_new(continued: str) -> None:
    """Where the words are equal, a page ends where a sentence of the teller begins."""
    texts = [f"{continued} was calm."] * 12
    texts[8] = "The sea was calm."
    assert best_pause(texts, [5, 6, 7, 8, 9]) == 7


def test_where_nothing_speaks_for_one_place_the_page_is_long() -> None:
    """Fewer pages mean fewer calls of the model."""
    assert best_pause(["The same words again."] * 12, [4, 5, 6, 7]) == 7
    assert best_pause(["他去了码头。"] * 12, [4, 5, 6, 7]) == 7
    assert best_pause(["?"] * 9, [2, 3]) == 3


def test_one_place_is_taken_and_without_places_the_page_is_all_there_is() -> None:
    texts = paragraphs(SHIP, 5, seed=1) + paragraphs(KITCHEN, 5, seed=2)
    assert best_pause(texts, [7]) == 7
    assert best_pause(texts, []) == 9
    with pytest.raises(ValueError, match="without text"):
        best_pause([], [])


_TEXTS = st.lists(
    st.one_of(st.text(max_size=30), st.sampled_from(["", " ", "* * *", "文" * 300, "a b c " * 90])),
    min_size=1,
    max_size=12,
)


@given(_TEXTS, st.data())
def test_any_texts_have_one_pause_that_is_always_the_same(texts: list[str], data: st.DataObject) -> None:
    """Trap 39: the break is one of the places, whatever the text."""
    indices = st.integers(0, len(texts) - 1)
    places = sorted(data.draw(st.sets(indices, min_size=1)))
    inside = data.draw(st.sets(indices))
    found = best_pause(texts, places, inside)
    assert found in places
    assert found == best_pause(list(texts), tuple(places), frozenset(inside))
    assert all(score == score and abs(score) < 1000 for score in pause_scores(texts, places))
