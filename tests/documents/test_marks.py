"""Marks: how a paragraph is set, written and read again."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readdesk.documents.model import Mark, MarkKind, marks_from_text, marks_to_text

MARKS = st.lists(
    st.builds(Mark, st.integers(0, 99), st.integers(0, 99), st.sampled_from(get_args(MarkKind)), st.text())
)


@given(MARKS)
def test_marks_read_what_they_wrote(marks: list[Mark]) -> None:
    assert marks_from_text(marks_to_text(marks)) == tuple(marks)


@pytest.mark.parametrize("text", ["0-1 shouting", "1 emphasis", "a-b emphasis", "0-1"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        marks_from_text(text)


def test_a_mark_is_cut_with_its_paragraph() -> None:
    assert Mark(5, 15, "emphasis").cut(10, 30) == Mark(0, 5, "emphasis")
    assert Mark(12, 12, "image", "a.png").cut(10, 30) == Mark(2, 2, "image", "a.png")
