"""Conversations: a question is kept with its answer and its whole trail."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from readdesk.library.store import Library
from readdesk.reading.model import Answer, Cost, LookUp
from tests.library.books import add_book

TRAIL = (
    LookUp(7, "model", "the model named it from its gist; its text has “fish”", shortened=True),
    LookUp(2, "retrieval", "its text has “six”"),
    LookUp(4, "reader", "asked for"),
)
ANSWER = Answer("At «six» [Page 2].", TRAIL, gists=9, pages=9, complete=True, cost=Cost(300, 200, 12))


def test_questions_come_back_in_order_with_their_trails(library: Library) -> None:
    """The trail keeps its order: most important first, not by page."""
    record, other = add_book(library, mark="a"), add_book(library, mark="b")
    assert library.conversations.of(record) == ()
    first = library.conversations.add(record, "tiny", "When did it leave?", ANSWER)
    between = library.conversations.add(other, "tiny", "Of the other one?", ANSWER)
    second = library.conversations.add(record, "small", "And then?", replace(ANSWER, text="Nothing.", look_ups=()))
    assert first < between < second
    asked = library.conversations.of(record)
    assert [(item.question, item.answer, item.model) for item in asked] == [
        ("When did it leave?", "At «six» [Page 2].", "tiny"),
        ("And then?", "Nothing.", "small"),
    ]
    assert [item.look_ups for item in asked] == [TRAIL, ()]
    assert asked[0].coverage == "Read 2 of 9 pages in full, the beginning of 1, all as gists."
    assert [item.question for item in library.conversations.of(other)] == ["Of the other one?"]


def test_a_question_is_kept_whole_or_not_at_all(library: Library) -> None:
    record = add_book(library)
    broken = replace(ANSWER, look_ups=(TRAIL[0], replace(TRAIL[1], reason=None)))  # type: ignore[arg-type]
    with pytest.raises(sqlite3.IntegrityError):
        library.conversations.add(record, "tiny", "When?", broken)
    for table in ("conversations", "questions", "look_ups"):
        assert library._connections.db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
