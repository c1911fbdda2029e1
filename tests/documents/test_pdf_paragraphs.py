from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from readdesk.documents.normal import normal
from readdesk.documents.pdf.captions import is_caption
from readdesk.documents.pdf.joining import keeps_hyphen
from readdesk.documents.pdf.leaves import Line
from tests.documents.reading import read
from tests.samples.leaves import line, paragraphs_of, prose


def lines_of(*texts: str, left: float = 60, right: float = 400) -> list[Line]:
    """Full lines, but for the last."""
    last = len(texts) - 1
    return [
        line(text, left, 100 + 13 * number, right=None if number == last else right)
        for number, text in enumerate(texts)
    ]


def joined(*texts: str) -> str:
    found = paragraphs_of(lines_of(*texts))
    assert len(found) == 1
    return found[0][1]


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("the new cli-", "mate and the climate of old", "the new climate and the climate of old"),
        ("some planet-warming and planet-", "warming gases", "some planet-warming and planet-warming gases"),
        ("the long Ein- und Aus- und Ein-", "und Ausgabe", "the long Ein- und Aus- und Ein- und Ausgabe"),
        ("a box that is self-", "contained in all", "a box that is self-contained in all"),
        ("in the years 1998-", "2000 it was so", "in the years 1998-2000 it was so"),
        ("see https://example.org/a-", "long/name for more", "see https://example.org/a-long/name for more"),
        (
            "from interpreter-",
            "to-trace and back to the interpreter",
            "from interpreter-to-trace and back to the interpreter",
        ),
        ("with a soft hy\u00ad", "phen at the end", "with a soft hyphen at the end"),
        ("the option ‘-", "d’ of the command", "the option ‘-d’ of the command"),
        ("put it into debian/-", "patches and go", "put it into debian/patches and go"),
        ("the command build --", "arguments", "the command build -- arguments"),
        ("in /usr/share/doc/changelog.", "gz of it", "in /usr/share/doc/changelog.gz of it"),
        ("and see https://bugs.", "example.org for it", "and see https://bugs.example.org for it"),
        ("rather than earlier/later.", "dpkg is one", "rather than earlier/later. dpkg is one"),
        (
            "all non-free and non-native ones, other porters, and non-",
            "porters too",
            "all non-free and non-native ones, other porters, and non-porters too",
        ),
        (
            "a mis-speculation that is no match for a mis-",
            "match of types",
            "a mis-speculation that is no match for a mismatch of types",
        ),
        ("for MySQL-", "compatible ones", "for MySQL-compatible ones"),
        ("климати-", "ческий и прочее", "климатический и прочее"),
        ("unterschied-", "liche Dinge", "unterschiedliche Dinge"),
        ("日本語の文章は", "続きます", "日本語の文章は続きます"),
    ],
)
def test_line_ends(first: str, second: str, whole: str) -> None:
    """Trap 4."""
    assert joined(first, second) == whole


def test_hyphen_between_known_words() -> None:
    """Trap 4: two words of the document stay two; a word of the document becomes one."""
    words = frozenset(("mixed", "mode", "output", "register", "put", "out"))
    assert keeps_hyphen("mixed", "mode", words)
    assert not keeps_hyphen("out", "put", words)
    assert not keeps_hyphen("regis", "ter", words)


def test_a_short_bold_line_is_a_heading_whatever_follows() -> None:
    """Bold words run on into plain ones only where they fill their line."""
    after = [replace(one, text="f is a map: " + one.text.lower()) for one in prose("x", 2, 60, 113, 460)]
    assert paragraphs_of([line("Example 23", 60, 100, is_bold=True), *after])[0][0] == "heading"
    bold = line("Bold words that begin a sentence and fill their line as it would", 60, 100, right=520, is_bold=True)
    assert paragraphs_of([bold, *after])[0][0] == "text"


def test_signs_of_formulas_reach_into_neighbouring_lines() -> None:
    """A line is as far from the next as their letters are, however high the signs between them are."""
    lines = [replace(one, baseline=one.bottom - 3) for one in prose("text", 8, 60, 100, 460)]
    lines[3].bottom += 9
    lines[5].top, lines[5].bottom = lines[5].top - 4, lines[5].bottom + 12
    apart = replace(lines[7], text="Another one.", top=lines[7].top + 22, bottom=lines[7].bottom + 22)
    assert apart.baseline is not None
    lines[6].bottom += 16
    found = paragraphs_of([*lines, replace(apart, baseline=apart.baseline + 22)])
    assert [kind for kind, _ in found] == ["text", "text"]
    assert found[1][1] == "Another one."


def test_entries_further_apart_than_lines_are_no_measure_of_them() -> None:
    """Where a leaf is full of short entries, the lines of its few paragraphs still tell what a line's distance is."""
    entries = [line(f"• entry {number} here", 80, 100 + 16 * number) for number in range(20)]
    first, second = prose("one", 5, 60, 430, 460), prose("two", 5, 60, 502, 460)
    found = paragraphs_of([*entries, *first, *second])
    assert [kind for kind, _ in found] == [*["item"] * 20, "text", "text"]


def test_hyphen_over_columns_and_leaves() -> None:
    """Trap 4: a word parted by a column or a leaf is joined there."""
    first, second = prose("one", 12, 50, 100), prose("two", 12, 310, 100)
    first[-1].text = "and here the word is par-"
    second[0].text = "ted by a column, as is the next one, which"
    second[-1].text = "is at the end of the leaf and is called fore-"
    third = [line("shortened by those who know.", 50, 100)]
    found = paragraphs_of([*first, *second], third)
    assert len(found) == 1
    assert "word is parted by" in found[0][1] and "called foreshortened by" in found[0][1]


def test_spaces_behind_ligatures() -> None:
    """Trap 5: "benefi ciaries" is one word where the document writes it so; "of fice" of its own is left alone."""
    text = joined("all beneficiaries are here, and", "the benefi ciaries too, if five")
    assert text == "all beneficiaries are here, and the beneficiaries too, if five"
    assert normal("eﬀective") == normal("effective")
    assert "if five" in text


def test_paragraphs_by_indent_and_by_space() -> None:
    indented = [
        *lines_of("A paragraph of two lines that", "ends here."),
        line("   ", 60, 126),
        line("Another that begins further in", 75, 126, right=400),
        line("and ends.", 60, 139),
        line("A third after white space", 60, 172, right=400),
        line("that also ends.", 60, 185),
    ]
    texts = [text for _, text in paragraphs_of([one for one in indented if one.text.strip()])]
    assert texts == [
        "A paragraph of two lines that ends here.",
        "Another that begins further in and ends.",
        "A third after white space that also ends.",
    ]


def test_items_keep_their_wrapped_lines() -> None:
    lines = []
    for number in range(3):
        lines.append(line(f"{number + 1}. An entry that is long enough to be", 60, 100 + 26 * number, right=400))
        lines.append(line("wrapped into a second line.", 75, 113 + 26 * number))
    assert paragraphs_of(lines) == [
        ("item", f"{number}. An entry that is long enough to be wrapped into a second line.") for number in (1, 2, 3)
    ]


def test_a_large_first_letter_joins_its_word() -> None:
    letter = line("O", 60, 100, 34, right=84)
    beside = [
        line("nce upon a time there was a boat", 90, 101, right=400),
        line("that nobody wanted to sail in", 90, 114, right=400),
    ]
    below = [line("and so it lay there for many years.", 60, 140)]
    found = paragraphs_of([letter, *beside, line("because of the wind and the rain", 60, 127, right=400), *below])
    assert [text for _, text in found] == [
        "Once upon a time there was a boat that nobody wanted to sail in because of the wind and the rain and so it "
        "lay there for many years."
    ]


def test_headings_are_of_one_kind() -> None:
    """A heading of two lines is one; bold words that begin a paragraph, dates and bold prose are none."""
    lines = [
        line("A Heading that is so long", 60, 60, 16),
        line("that it takes two lines", 60, 80, 16),
        *prose("text", 8, 60, 120, 340),
        line("Note that all of it", 60, 240, right=400, is_bold=True),
        line("applies to what is said here.", 60, 253),
        line("01/07/2015", 60, 300, is_bold=True),
        line("A heading in bold", 60, 340, is_bold=True),
        *prose("more", 6, 60, 370, 340),
    ]
    found = paragraphs_of(lines)
    assert [text for kind, text in found if kind == "heading"] == [
        "A Heading that is so long that it takes two lines",
        "A heading in bold",
    ]
    assert ("text", "Note that all of it applies to what is said here.") in found


def test_code_keeps_its_lines() -> None:
    lines = [
        line("def ship(name):", 60, 100, is_mono=True),
        line("return name", 84, 113, is_mono=True),
        line("ship('Alma')", 60, 139, is_mono=True),
    ]
    lines = [*prose("text", 5, 60, 20, 340), *lines]
    assert paragraphs_of(lines)[-1] == ("code", "def ship(name):\n    return name\nship('Alma')")


def test_footnotes_and_figures_between_two_leaves() -> None:
    """Traps 2 and 4: what stands between comes after the sentence, and a heading is never swallowed."""
    first = prose("one", 20, 60, 100, 460)
    first[-1].text = first[-1].text.rstrip(".")
    note = [line("1 A note that stands at the foot.", 60, 720, 8)]
    second = [
        line("Figure 1: A plan of the harbour", 60, 80, 9),
        *prose("two", 5, 60, 120, 460),
        line("A Heading", 60, 220, 16),
        *prose("three", 5, 60, 260, 460),
    ]
    second[1].text = "goes on " + second[1].text
    found = paragraphs_of([*first, *note], second)
    assert [kind for kind, _ in found] == ["text", "note", "caption", "heading", "text"]
    assert "goes on two 00" in found[0][1] and "one 19" in found[0][1]


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Figure 3: The harbour", True),
        ("Fig. 2. The wall", True),
        ("Table 12. Ships and their tons", True),
        ("Abbildung 1.1: Der Hafen", True),
        ("Tabelle 4", True),
        ("Рис. 5. Гавань", True),
        ("图 1：港口", True),
        ("図 2 港の地図", True),
        ("Figure 3 shows the harbour", False),
        ("Table manners are 3: many", False),
        ("Figures: none", False),
    ],
)
def test_captions_are_known_by_their_names(text: str, is_one: bool) -> None:
    assert is_caption(text) is is_one


def test_a_real_scan_beside_pictures(shared_data: Path) -> None:
    """Text that runs around a picture is one paragraph, its words joined."""
    text = read(shared_data / "documents" / "pdf" / "scan-with-ocr-layer.pdf").text
    assert "A report creeps into camp that Johnston is coming with fifty thousand men to raise the siege" in text
    assert "These shells are visitors we do not care to see in camp, for their movements are so clumsy" in text
