"""The normaliser: what compares equal, and where in the original it stands."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from readdesk.documents.normal import folded, normal

TRICKY = (
    "e\u0301ﬁﬀĲ\u00adǅ한ᄒ\u1161\u11abﾊﾞ①㌔\u3000\u00a0\u200bİßΣς\u0345\u0344½ａ\u09c7\u09be\u1100\u1161\u2057\ufdfa´¨"
)


@given(st.text(st.sampled_from(TRICKY) | st.characters()))
@example("한\u11ab")
@example(" ´a ")
@example("ﾊ\uff9f")
@example("\u3131\u314f")
def test_folding_is_normalising_with_places(text: str) -> None:
    found = folded(text)
    assert found.text == normal(text)
    assert len(found.places) == len(found.text)
    assert list(found.places) == sorted(found.places)
    assert all(0 <= place < len(text) for place in found.places)


def test_every_composition_is_known() -> None:
    wrong = []
    for code in range(sys.maxunicode + 1):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            text = "".join(chr(int(part, 16)) for part in parts)
            if folded(text).text != normal(text):
                wrong.append(text)
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("An eﬀective  beneﬁ\u00adt.", "effective benefit", "eﬀective  beneﬁ\u00adt"),
        ("Cafe\u0301 au lait", "CAFÉ", "Cafe\u0301"),
        ("one\u00a0\n two, three", "one two", "one\u00a0\n two"),
        ("ＡＢＣ第①章", "abc第1", "ＡＢＣ第①"),
        ("STRASSE Straße", "strasse s", "STRASSE S"),
        ("x ½ y", "1⁄2", "½"),
        ("nothing", "else", None),
        ("anything", " \u200b", None),
    ],
)
def test_words_are_found_in_the_original(text: str, words: str, found: str | None) -> None:
    span = folded(text).find(words)
    assert (text[span[0] : span[1]] if span else None) == found


def test_a_span_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no characters are at 2-2"):
        folded("abc").span(2, 2)
