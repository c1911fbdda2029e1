"""A person's own pattern for chapters: matches, or one sentence; never a wait."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readdesk.documents.text.pattern import matched
from readdesk.errors import DocumentError


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("(", "not a regular expression"),
        ("[", "not a regular expression"),
        ("*", "not a regular expression"),
        ("(?P<a>x)(?P<a>y)", "not a regular expression"),
        ("x" * 400, "too long"),
        (".*", "every line"),
        ("(a+)+$", "takes too long"),
        ("(a|aa)+$", "takes too long"),
        ("(a?b?)*c", "takes too long"),
        ("((ab)*|c){5,}x", "takes too long"),
        (r"(\w+\s?)*$", "takes too long"),
        (".*.*.*.*.*x", "takes too long"),
        ("a?" * 12 + "a" * 12, "takes too long"),
        ("(a+)(?#x)+$", "comments or flags"),
        ("(?x)(a+) +$", "comments or flags"),
        ("(?x) (a+ # ) \n )+$", "comments or flags"),
        ("(?i:a+)+$", "comments or flags"),
        ("(a|\udcff)", "characters that are none"),
    ],
)
def test_patterns_that_cannot_be_used_are_said(pattern: str, sentence: str) -> None:
    started = time.monotonic()
    with pytest.raises(DocumentError, match=sentence) as caught:
        list(matched(pattern, ["a" * 10_000] * 3))
    assert caught.value.hint and time.monotonic() - started < 1


@pytest.mark.parametrize("pattern", [r"第.+章", r"chapter \d+", r"(part|chapter) [ivx]+\.?", r"\d{1,3}\.\s", "=== "])
def test_patterns_that_can_be_used(pattern: str) -> None:
    assert list(matched(pattern, ["no"])) == [False]


@given(st.text(alphabet="a(b)|*+?[]{1,}\\d.^$", max_size=14))
def test_any_pattern_gives_matches_or_one_sentence(pattern: str) -> None:
    started = time.monotonic()
    try:
        list(matched(pattern, ["a" * 300, "ab" * 100 + "c"]))
    except DocumentError as error:
        assert error.message and error.hint
    assert time.monotonic() - started < 2
