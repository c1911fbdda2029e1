"""Where a quote stands: printed pages, leaves without a number, and what was recognised."""

from __future__ import annotations

from typing import cast

import pytest

from readdesk.desk import Desk
from readdesk.gui.reader.leafplaces import LeafPlaces
from readdesk.gui.reader.pagenames import PageNames
from readdesk.gui.reader.quoting import Quoting
from readdesk.gui.reader.wordbounds import word_around

DESK = cast(Desk, None)
"""Pages are named without one."""


@pytest.mark.parametrize(
    ("start", "end", "page", "note"),
    [
        (0, 5, "p. iv", ""),
        (0, 100, "p. iv", ""),
        (50, 101, "p. iv\u2013127", "recognised text"),
        (100, 150, "p. 127", "recognised text"),
        (150, 250, "leaf 2\u20133", "recognised text"),
        (200, 250, "leaf 3", ""),
    ],
)
def test_pages_of_leaves(start: int, end: int, page: str, note: str) -> None:
    """Traps 10 and 67: the printed page where there is one, and whether words were recognised."""
    quoting = Quoting(DESK)
    quoting.names, quoting.places = PageNames(("iv", "127", "")), LeafPlaces((0, 100, 200), 300)
    quoting.recognised = frozenset((1,))
    assert (quoting.page(start, end), quoting.note(start, end)) == (page, note)


def test_pages_of_a_book_without_leaves() -> None:
    quoting = Quoting(DESK)
    quoting.names = PageNames(printed=((10, "1"), (50, "2")))
    assert [quoting.page(*span) for span in ((0, 5), (10, 50), (20, 51))] == ["", "p. 1", "p. 1\u20132"]
    assert quoting.note(0, 60) == "" and quoting.with_place(0, 5) == ""


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("the old captain", 4, "old"),
        ("the old captain", 6, "old"),
        ("the old captain", 7, " "),
        ("don\u2019t go", 1, "don\u2019t"),
        ("a \U0001d49c\U0001d4b7 word", 2, "\U0001d49c\U0001d4b7"),
        ("a \U0001d49c\U0001d4b7 word", 6, "word"),
        ("\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd", 6, "\u05e2\u05d5\u05dc\u05dd"),
        ("end", 2, "end"),
        ("", 0, ""),
    ],
)
def test_words_in_any_script(text: str, place: int, word: str) -> None:
    assert text[slice(*word_around(text, place))] == word
