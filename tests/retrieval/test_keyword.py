"""Keyword ranking and fusion: what counts as the same word, and in which order texts come."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readdesk.retrieval.fuse import fuse
from readdesk.retrieval.keyword import KeywordIndex, tokens


def found(texts: list[str], question: str, at_most: int = 10) -> list[int]:
    return [hit.index for hit in KeywordIndex(texts).best(question, at_most)]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("effective beneficiaries", "The e\ufb00ective help of bene\ufb01ciaries."),
        ("cafe", "They met in a café."),
        ("CAFÉ", "They met in a cafe."),
        ("naive", "A nai\u0308ve question, with the accent apart."),
        ("Straße", "Die STRASSE war leer."),
        ("tolstoy's", "Tolstoy wrote it."),
        ("cooperate", "They co\u00adoper\u00adate with soft hyphens."),
        ("ёлка", "Новогодняя елка стояла в углу."),
        ("hobbit", "\u201cHobbit!\u201d he cried."),
    ],
)
def test_the_same_word_in_another_spelling_is_found(question: str, text: str) -> None:
    assert found(["Something else entirely.", text], question) == [1]


def test_a_two_character_word_is_found_inside_a_chinese_sentence() -> None:
    texts = ["我们今天去了火车站。", "图书馆里的书很多。", "他在学校读书。"]
    assert found(texts, "图书") == [1]
    assert found(texts, "火车什么时候到?") == [0]


def test_a_latin_word_inside_chinese_is_found_and_its_neighbours_too() -> None:
    texts = ["他每天使用Python编程三小时。", "他每天使用锤子。"]
    assert found(texts, "Python") == [0]
    assert found(texts, "编程") == [0]
    assert tokens("使用Python编程") == ["使用", "python", "编程"]


def test_a_run_without_spaces_becomes_pairs_and_a_single_character_stays() -> None:
    assert tokens("红楼梦") == ["红楼", "楼梦"]
    assert tokens("梦。") == ["梦"]


@pytest.mark.parametrize("question", ["", "   ", "?!", "the of and", "\u00ad"])
def test_a_question_without_words_finds_nothing(question: str) -> None:
    assert found(["the cat of the house", "and so on"], question) == []


@pytest.mark.parametrize("texts", [[], [""], ["", "?"], ["the of and"]])
def test_texts_without_words_are_never_found(texts: list[str]) -> None:
    assert found(texts, "anything at all") == []


def test_texts_that_share_no_word_are_left_out() -> None:
    assert found(["cats and dogs", "birds", "fish"], "elephants") == []
    assert found(["cats and dogs", "birds", "fish"], "elephants eat fish") == [2]


def test_more_and_rarer_words_stand_higher() -> None:
    texts = ["ship ship storm captain", "ship harbour", "ship storm harbour lighthouse keeper", "ship"]
    assert found(texts, "lighthouse keeper in the storm") == [2, 0]
    assert found(texts, "ship captain")[0] == 0


def test_equal_texts_keep_their_order_and_the_number_is_limited() -> None:
    assert found(["same words", "other thing", "same words", "same words"], "words", at_most=2) == [0, 2]
    assert found(["same words"], "words", at_most=0) == []


def test_a_hit_says_which_words_of_the_question_it_holds_as_they_were_asked() -> None:
    (hit,) = KeywordIndex(["the café closed early"]).best("When does the Cafe open, or was it CLOSED?", 3)
    assert hit.words == ("Cafe", "CLOSED")
    assert hit.score > 0


@given(st.lists(st.text(max_size=60), max_size=6), st.text(max_size=40))
def test_hits_are_places_in_the_texts_each_once_and_share_a_token(texts: list[str], question: str) -> None:
    hits = KeywordIndex(texts).best(question, 4)
    assert len({hit.index for hit in hits}) == len(hits) <= 4
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for hit in hits:
        assert set(tokens(question)) & set(tokens(texts[hit.index]))


# -- fusion --------------------------------------------------------------------------------------------------------


def test_what_stands_in_both_rankings_comes_first() -> None:
    assert fuse([[7, 3, 5], [9, 3]]) == (3, 7, 9, 5)


def test_ties_go_to_the_earlier_ranking() -> None:
    assert fuse([[1, 2], [3, 4]]) == (1, 3, 2, 4)


def test_fusing_nothing_is_nothing_and_one_ranking_is_itself() -> None:
    assert fuse([]) == fuse([[], ()]) == ()
    assert fuse([[4, 2, 8]]) == (4, 2, 8)


@given(st.lists(st.lists(st.integers(0, 9), unique=True, max_size=8), max_size=4))
def test_a_fused_ranking_holds_everything_once(rankings: list[list[int]]) -> None:
    fused = fuse(rankings)
    assert sorted(fused) == sorted({item for ranking in rankings for item in ranking})
