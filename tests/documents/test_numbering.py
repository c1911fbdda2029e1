"""Page numbers as people say them: a leaf is named once, its neighbours follow; a typed number finds its leaf."""

from __future__ import annotations

import pytest

from readdesk.documents.numbering import Numeral, leaf_of_label, numeral_of, renumbered
from readdesk.errors import ReadDeskError

NOTHING = ("",) * 6


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("127", Numeral(127)),
        (" 127. ", Numeral(127)),
        ("[12]", Numeral(12)),
        ("xii", Numeral(12, "i")),
        ("IV", Numeral(4, "I")),
        ("A-12", Numeral(12, "1", "A-")),
        ("A-iv", Numeral(4, "i", "A-")),
        ("B7", Numeral(7, "1", "B")),
        ("ACME-000123", Numeral(123, "1", "ACME-", 6)),
        ("12\u201313", Numeral(12, pages=2)),
        ("126-127", Numeral(126, pages=2)),
        ("xii / xiii", Numeral(12, "i", pages=2)),
        ("xii-xiii", Numeral(12, "i", pages=2)),
        ("2-17", Numeral(17, "1", "2-")),
        ("\uff11\uff12", Numeral(12)),
        ("App\u2028\r 7", Numeral(7, "1", "App ")),
    ],
)
def test_reads_printed_numbers(label: str, expected: Numeral | None) -> None:
    assert numeral_of(label) == expected


@pytest.mark.parametrize("label", ["", "Cover", "iix", "0", "12a", "Abc-", "--", "9" * 5000, "civil"])
def test_what_is_no_number(label: str) -> None:
    assert numeral_of(label) is None


@pytest.mark.parametrize("text", ["1", "9", "iii", "IX", "A-9", "ACME-000009", "9\u201310", "mcmxcix"])
def test_a_number_is_written_as_it_was_read(text: str) -> None:
    number = numeral_of(text)
    assert number is not None
    assert str(number) == text
    following = number.after(1)
    assert following is not None and following.after(-1) == number


# -- the reader says what a leaf is called -----------------------------------------------------------------------


def test_neighbours_follow_from_one_leaf() -> None:
    assert renumbered(NOTHING, 2, "127") == ("125", "126", "127", "128", "129", "130")


def test_nothing_is_below_one() -> None:
    assert renumbered(NOTHING, 3, "2") == ("", "", "1", "2", "3", "4")


def test_leaves_below_one_lose_a_number_that_another_leaf_has_now() -> None:
    labels = tuple(str(number) for number in range(1, 7))
    assert renumbered(labels, 3, "2") == ("", "", "1", "2", "3", "4")


def test_roman_front_matter_stays_roman() -> None:
    labels = ("Cover", "i", "ii", "iii", "1", "2", "3")
    assert renumbered(labels, 5, "3") == ("Cover", "i", "ii", "iii", "2", "3", "4")
    assert renumbered(labels, 5, "30") == ("Cover", "i", "ii", "iii", "29", "30", "31")


def test_arabic_leaves_stay_when_the_front_matter_is_named() -> None:
    labels = ("", "", "", "1", "2", "3")
    assert renumbered(labels, 2, "iv") == ("ii", "iii", "iv", "1", "2", "3")


def test_roman_first_and_arabic_then_make_both() -> None:
    roman = renumbered(NOTHING, 1, "ii")
    assert roman == ("i", "ii", "iii", "iv", "v", "vi")
    assert renumbered(roman, 3, "1") == ("i", "ii", "iii", "1", "2", "3")


def test_another_series_ends_it() -> None:
    labels = ("1", "2", "3", "A-1", "A-2")
    assert renumbered(labels, 1, "12") == ("11", "12", "13", "A-1", "A-2")
    assert renumbered(labels, 3, "B-7") == ("1", "2", "3", "B-7", "B-8")


def test_a_series_may_be_called_otherwise() -> None:
    assert renumbered(("Page 1", "Page 2", "Page 3"), 1, "12") == ("11", "12", "13")


def test_zeros_and_prefixes_stay() -> None:
    assert renumbered(NOTHING[:3], 1, "ACME-000100") == ("ACME-000099", "ACME-000100", "ACME-000101")


def test_spreads_hold_two_each() -> None:
    assert renumbered(NOTHING[:4], 2, "4-5") == ("1", "2\u20133", "4\u20135", "6\u20137")
    assert renumbered(NOTHING[:4], 1, "p. 127-128")[2] == "129\u2013130"


@pytest.mark.parametrize("label", ["", "hello", "-", "12a", "iix"])
def test_a_sentence_for_what_is_no_number(label: str) -> None:
    with pytest.raises(ReadDeskError, match="is no page number"):
        renumbered(NOTHING, 0, label)


@pytest.mark.parametrize("leaf", [-1, 6])
def test_a_sentence_for_a_leaf_that_is_not_there(leaf: int) -> None:
    with pytest.raises(ReadDeskError, match="no leaf"):
        renumbered(NOTHING, leaf, "1")


# -- finding a leaf ----------------------------------------------------------------------------------------------

BOOK = ("Cover", "", "i", "ii", "iii", "1", "2", "4\u20135", "6", "A-1", "A-2")


@pytest.mark.parametrize(
    ("text", "leaf"),
    [
        ("2", 6),
        ("p. 2", 6),
        ("p2", 6),
        ("Page 2", 6),
        ("S. 6", 8),
        ("ii", 3),
        ("II", 3),
        ("cover", 0),
        ("4", 7),
        ("5", 7),
        ("4-5", 7),
        ("pp. 4\u20135", 7),
        ("a-2", 10),
        ("02", 6),
        ("3", None),
        ("99", None),
        ("", None),
        ("nonsense", None),
    ],
)
def test_finds_what_people_type(text: str, leaf: int | None) -> None:
    """Trap 10: going to a page works by its printed label."""
    assert leaf_of_label(BOOK, text) == leaf


def test_the_exact_label_comes_first() -> None:
    assert leaf_of_label(("12\u201313", "13"), "13") == 1
    assert leaf_of_label(("i", "I"), "I") == 1
    assert leaf_of_label(("2", "p. 2"), "p. 2") == 1


def test_what_commands_a_terminal_is_no_label() -> None:
    """A prefix may be anything that is printed, and nothing else."""
    assert numeral_of("\x1b[31m5") is None and numeral_of("A\x005") is None
    assert numeral_of("A\u00a05") is not None
