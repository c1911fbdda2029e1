"""What words of an answer become, and what is said about it: nothing lost, nothing harmful."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument

from readdesk.gui.words import answer_html, chip_name, exchange_words, look_up_words, notes, seen
from readdesk.reading.model import LookUp
from tests.gui.chatting import ANSWER, HOSTILE, OATH, WHALE, letters


def links(html: str) -> list[str]:
    return re.findall(r'href="([^"]*)"', html)


def plain(html: str) -> str:
    document = QTextDocument()
    document.setHtml(html)
    return document.toPlainText()


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("[Page 12] and page 3.", [12, 3]),
        ("pages 3 and 4", [3, 4]),
        ("Pages 3, 4, and 12; page 5", [3, 4, 12, 5]),
        ("page 12 to 14, pages 3–5, page 6-7", [12, 14, 3, 5, 6, 7]),
        ("[Page 3, 4]", [3, 4]),
        ("pages 3 & 4", [3, 4]),
        ("on page 3, 40 men", [3]),
        ("page 99, page 1,234, page 12th, page 1.5, webpage 12, 12 pages", []),
        ("PAGE 12\npage\t3", [12, 3]),
        ("**page 12**", [12]),
    ],
)
def test_mentions_of_known_pages_become_links(text: str, numbers: list[int]) -> None:
    html = answer_html(text, range(1, 43))
    assert links(html) == [f"page:{number}" for number in numbers]
    assert letters(plain(html)) == letters(text.replace("**", ""))


def test_paragraphs_lines_lists_and_bold_words_are_kept() -> None:
    html = answer_html("One\nline.\r\n\r\nTwo **bold** words.\n- a\n* b\n  - c\n1. d\n2) e\n**", ())
    assert plain(html).split("\n") == [
        "One",
        "line.",
        "Two bold words.",
        "•\ta",
        "•\tb",
        "•\tc",
        "1.\td",
        "2)\te",
        "**",
    ]
    assert "<b>bold</b>" in html


@pytest.mark.parametrize("text", HOSTILE)
def test_no_answer_makes_a_tag_or_a_link_of_its_own(text: str) -> None:
    html = answer_html(text, range(1, 43))
    assert set(re.findall(r"<(/?\w+)", html)) <= {"p", "/p", "br", "b", "/b", "a", "/a"}
    assert len(re.findall("<a ", html)) == len(re.findall(r'<a href="page:\d+">', html))
    assert letters(plain(html)) == letters(seen(text).replace("**", ""))


@given(st.text())
def test_any_text_becomes_html_without_a_word_lost(text: str) -> None:
    assert letters(plain(answer_html(text, range(50)))) == letters(seen(text))


@given(st.text("*-1. \npage,<>&;\"'#x[]()\ud800\u2028\ufdd0", max_size=80))
def test_crooked_text_never_raises_and_makes_only_our_tags(text: str) -> None:
    html = answer_html(text, range(50))
    assert re.sub(r'<p style="[^"<>]*">|</p>|<br>|</?b>|<a href="page:\d+">|</a>', "", html).count("<") == 0
    assert letters(plain(html)) == letters(seen(text))


def test_what_is_said_about_a_look_up() -> None:
    assert look_up_words(WHALE) == "Page 12: the model named it from its gist; its text has “whale”."
    assert look_up_words(OATH).startswith("Page 3 (its beginning only: the model's context is full): its text has")
    assert look_up_words(LookUp(7, "reader", "")) == "Page 7."
    assert chip_name(LookUp(7, "reader", "")) == "Page 7"
    assert chip_name(OATH) == "Page 3, its text has “oath”"


def test_notes_say_everything_that_is_odd_and_nothing_else() -> None:
    assert notes(ANSWER) == []
    odd = replace(ANSWER, left_out=(4,), unread_tags=(5, 6), shortened_gists=True, choice_readable=False, cut=True)
    assert notes(odd) == [
        "Left out for lack of room: page 4.",
        "The answer names pages 5, 6, not read in full: unverified.",
        "The gists were cut to fit the model's context.",
        "The model named no pages; they were chosen by the question's words alone.",
        "The answer was cut at its length limit.",
    ]


def test_an_exchange_in_words_leaves_out_what_is_not_there() -> None:
    assert exchange_words("Q?", " A. ", ["one", "two"]) == "Q?\n\nA.\n\none\ntwo"
    assert exchange_words("Q?", "", []) == "Q?"
