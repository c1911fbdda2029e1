"""Reading places: the latest one of each document, and nothing of a document that has gone."""

from __future__ import annotations

from readdesk.library.model import ReadingPlace
from readdesk.library.store import Library
from tests.library.books import add_book


def test_a_document_that_was_never_open_has_no_place(library: Library) -> None:
    assert library.places.get(add_book(library).id) is None


def test_the_latest_place_wins_and_documents_do_not_share_theirs(library: Library) -> None:
    one, other = add_book(library), add_book(library, "Another", "b")
    library.places.keep(one.id, ReadingPlace(10, "3 0.25"))
    library.places.keep(other.id, ReadingPlace(7))
    library.places.keep(one.id, ReadingPlace(99))
    assert library.places.get(one.id) == ReadingPlace(99)
    assert library.places.get(other.id) == ReadingPlace(7)


def test_the_place_of_a_document_that_has_gone_is_ignored(library: Library) -> None:
    library.places.keep(12345, ReadingPlace(1))
    assert library.places.get(12345) is None
