"""Two versions of a text: what is as it was, and where every place of the old one is now."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from itertools import accumulate, pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from readdesk.documents.model import Matter, Section
from readdesk.documents.normal import normal
from readdesk.library.versions import Alignment, Text, align, changed_words, with_choices, with_defaults


def text(paragraphs: Sequence[str]) -> Text:
    """A text of paragraphs one after the other."""
    starts = accumulate((len(paragraph) for paragraph in paragraphs), initial=0)
    return Text.of(zip(starts, paragraphs, strict=False))


def aligned(old: Sequence[str], new: Sequence[str]) -> Alignment:
    return Alignment.of(text(old), text(new))


LETTERS = st.lists(st.sampled_from("abcdefgh"), max_size=40)


@given(LETTERS, LETTERS)
@example(list("abab"), list("baba"))
def test_pairs_are_equal_and_keep_their_order(old: list[str], new: list[str]) -> None:
    pairs = align(old, new)
    assert all(old[one] == new[other] for one, other in pairs)
    assert all(before[0] < after[0] and before[1] < after[1] for before, after in pairwise(pairs))
    assert align(old, old) == [(index, index) for index in range(len(old))]
    if set(old) & set(new):
        assert pairs


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("abcd", "abxcd", [(0, 0), (1, 1), (2, 3), (3, 4)]),
        ("abcd", "acd", [(0, 0), (2, 1), (3, 2)]),
        ("abcd", "axcd", [(0, 0), (2, 2), (3, 3)]),
        ("a*b*c", "a*x*c", [(0, 0), (1, 1), (3, 3), (4, 4)]),
        ("abc", "xyz", []),
        ("", "abc", []),
    ],
)
def test_what_is_put_in_taken_out_or_changed(old: str, new: str, expected: list[tuple[int, int]]) -> None:
    assert align(old, new) == expected


def test_forty_thousand_paragraphs_take_a_moment() -> None:
    """Whatever was done to them: one changed, every tenth, all in another order, nothing in common but refrains."""
    chance = random.Random(7)
    old = [f"paragraph {number}" if number % 9 else "* * *" for number in range(40_000)]
    one = [*old[:20_000], "changed", *old[20_001:]]
    tenth = [f"{key}!" if chance.random() < 0.1 else key for key in old]
    shuffled = chance.sample(old, len(old))
    refrains = [str(chance.randrange(50)) for _ in old]
    other_refrains = [str(chance.randrange(50)) for _ in old]
    started = time.process_time()
    assert len(align(old, one)) == 39_999
    unchanged = sum(before == after for before, after in zip(old, tenth, strict=True))
    assert len(align(old, tenth)) == unchanged
    align(old, shuffled)
    align(refrains, other_refrains)
    assert time.process_time() - started < 5.0


OLD = ("One.", "Two, and more of it.", "Three.", "Four.")


def test_pages_whose_paragraphs_stand_together_are_as_they_were() -> None:
    new = ("One.", "New.", "Two, and more of it.", "Three.", "Other.")
    found = aligned(OLD, new)
    assert found.span(0, 4) == (0, 4)
    assert found.span(4, 30) == (8, 34), "two paragraphs, both moved"
    assert found.span(9, 12) == (13, 16), "within a paragraph"
    assert found.span(0, 24) is None, "something stands between them now"
    assert found.span(24, 35) is None and found.span(30, 35) is None, "one has changed"
    assert not found.is_identity and found.share == pytest.approx((4 + 20 + 6) / 35)


def test_only_the_work_itself_tells_whose_version_it_is() -> None:
    """A licence counts neither for nor against, whichever of the two texts knows it for one."""
    licence = "You may copy it, give it away or use it again, whatever it says above."

    def share(old: Sequence[str], old_own: Sequence[bool], new: Sequence[str], new_own: Sequence[bool]) -> float:
        places = [list(accumulate((len(part) for part in parts), initial=0)) for parts in (old, new)]
        before = Text.of(zip(places[0], old, strict=False), old_own)
        return Alignment.of(before, Text.of(zip(places[1], new, strict=False), new_own)).share

    one, other = ("One story.", "It ends.", licence), ("Another.", "Whatever.", licence)
    longer = ("One story.", "It goes on.", licence)
    known, unknown = (True, True, False), (True, True, True)
    assert (
        share(one, known, other, known) == share(one, unknown, other, known) == share(one, known, other, unknown) == 0
    )
    assert share(one, unknown, other, unknown) > 0.5
    for marks in ((known, known), (known, unknown), (unknown, known)):
        assert share(one, marks[0], longer, marks[1]) == pytest.approx(10 / 18)
    assert share(one, (False,) * 3, longer, (False,) * 3) == pytest.approx(80 / 88), "nothing but matter is compared"


def test_the_nearest_place() -> None:
    found = aligned(OLD, ("One.", "Changed.", "Three.", "Four."))
    assert [found.nearest(position) for position in (0, 3, 4, 20, 24, 25, 34)] == [0, 3, 4, 4, 12, 13, 22]
    gone = aligned(OLD, ("Two, and more of it.",))
    assert [gone.nearest(position) for position in (0, 6, 24, 34)] == [0, 2, 0, 0]
    assert aligned(OLD, ("Nothing.",)).nearest(34) == 0


def test_places_in_a_paragraph_that_is_written_another_way() -> None:
    """Soft hyphens and ligatures change lengths, not words."""
    old, new = ("A ﬁne harbour. It rains.", "End."), ("A fine har\u00adbour. It rains.", "End.")
    found = aligned(old, new)
    assert found.old.hash == found.new.hash and not found.is_identity
    assert found.share == 1.0
    rains = old[0].index("It")
    start, end = found.span(rains, len(old[0])) or (0, 0)
    assert new[0][start:end].strip() == "It rains." and end == len(new[0])
    assert found.span(0, rains) == (0, start)
    assert found.span(len(old[0]), len(old[0]) + 4) == (len(new[0]), len(new[0]) + 4)


WORDS = st.text(alphabet="aﬁb \u00ad", min_size=1, max_size=12).filter(lambda part: bool(normal(part)))


@given(st.lists(WORDS, min_size=1, max_size=12), st.lists(WORDS, min_size=1, max_size=12), st.data())
def test_a_page_that_is_as_it_was_has_the_same_words(old: list[str], new: list[str], data: st.DataObject) -> None:
    """And pages keep their order and do not run into one another."""
    found = aligned(old, new)
    cuts = sorted(data.draw(st.sets(st.integers(0, found.old.end), min_size=2, max_size=5)))
    before, after = "".join(old), "".join(new)
    last = 0
    for start, end in pairwise(cuts):
        place = found.span(start, end)
        assert 0 <= found.nearest(start) < found.new.end
        if place is not None:
            assert last <= place[0] < place[1] <= found.new.end
            assert _letters(after[place[0] : place[1]]) == _letters(before[start:end])
            last = place[1]


def _letters(part: str) -> str:
    return normal(part).replace(" ", "")


# -- sections and words ------------------------------------------------------------------------------------------


def section(index: int, title: str, matter: Matter = "", *, is_left_out: bool = False, words: int = 10) -> Section:
    return Section(index, title, 1, -1, index, matter=matter, words=words, is_left_out=is_left_out)


def test_choices_follow_the_titles() -> None:
    """What a person left out or took in stays so; what was left out by itself follows the new judgement."""
    old = (
        section(0, "Imprint", "imprint"),
        section(1, "Notes", "notes", is_left_out=True),
        section(2, "I", is_left_out=True),
        section(3, "I"),
    )
    new = (
        section(0, "IMPRINT", "imprint", is_left_out=True),
        section(1, "I"),
        section(2, "Notes"),
        section(3, "I"),
        section(4, "I"),
        section(5, "Index", "index", is_left_out=True),
    )
    assert [s.is_left_out for s in with_choices(new, old)] == [False, True, False, False, False, True]
    assert with_choices(new, ()) == new


def test_a_text_that_is_nothing_but_imprint_is_read() -> None:
    sections = (section(0, "Imprint", "imprint"), section(1, "Empty", words=0))
    assert not any(s.is_left_out for s in with_defaults(sections))
    assert [s.is_left_out for s in with_defaults((*sections, section(2, "I")))] == [True, False, False]
    longer = with_defaults((*sections, section(2, "I")))
    assert with_choices(longer, with_defaults(sections)) == longer, "that was nobody's choice"


@pytest.mark.parametrize(
    ("kept", "pages", "same", "expected"),
    [
        (12, 14, False, "The file has changed since it was added: 12 of 14 pages are as they were."),
        (1, 1, False, "The file has changed since it was added: 1 of 1 page is as it was."),
        (0, 0, False, "The file has changed since it was added."),
        (0, 3, True, "It was read again in another way: 0 of 3 pages are as they were."),
    ],
)
def test_a_person_is_told(kept: int, pages: int, same: bool, expected: str) -> None:
    assert changed_words(kept, pages, is_same_file=same) == expected
