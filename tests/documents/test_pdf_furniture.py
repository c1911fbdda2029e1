"""What is printed on leaf after leaf leaves the text and is kept as what it is; what is text stays."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from readdesk.documents.model import Furniture
from tests.documents.reading import Reading, check_random_spans, pdf_resolver, read
from tests.samples import make, printed


def kept(reading: Reading) -> Counter[tuple[str, str]]:
    """Kind and text of all furniture of a document."""
    return Counter((found.kind, found.text) for found in furniture(reading))


def furniture(reading: Reading) -> list[Furniture]:
    """All furniture of a document."""
    return [found for leaf in reading.layers.leaves for found in leaf.furniture]


def words(reading: Reading) -> list[str]:
    """All words of a document's text, in order."""
    return reading.text.split()


def line_marks(reading: Reading) -> list[tuple[str, str]]:
    """The value of each mark of a line or margin, with the word that it stands before."""
    return [
        (mark.value, paragraph.text[mark.start :].split()[0])
        for paragraph in reading.document.paragraphs
        for mark in paragraph.marks
        if mark.kind == "line"
    ]


def at_lines(leaves: int, seed: int, lines: int = 25) -> list[str]:
    """The first word of each line that `printed` sets on so many leaves."""
    return [line.split()[0] for line in islice(printed.prose(seed), leaves * lines)]


# -- heads, feet, numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("misread", [False, True])
def test_heads_that_alternate_and_numbers_at_the_foot(tmp_path: Path, misread: bool) -> None:
    """Trap 3: left and right leaves, changing chapters, chapter openings, roman numbers, misread letters."""
    reading = read(printed.book(tmp_path / "book.pdf", misread=misread))
    text = reading.text
    assert "VOYAGE" not in text and "VOVAGE" not in text and "HARBOUR" not in text.replace("THE GREY HARBOUR", "", 1)
    assert not any(word.isdigit() or word in ("ii", "iii", "iv") for word in words(reading))
    assert text.count("CHAPTER") == text.count(" Voyage") == 4
    kinds = Counter(found.kind for found in furniture(reading))
    assert kinds == {"number": 24, "head": 17}
    assert kept(reading)["number", "iii"] == 1
    running = " ".join(islice(printed.prose(1), 3 * 20 + 4 * 22 + 17 * printed.LINES_A_LEAF)).split()
    assert [word for word in words(reading)[3:] if word.lower().strip(".") in printed.WORDS] == running


def test_what_opens_short_chapters_stays(tmp_path: Path) -> None:
    """Trap 3: "CHAPTER" on leaf after leaf is no head: it stands lower, and only where the usual head does not."""
    reading = read(printed.book(tmp_path / "short.pdf", chapters=(6, 2, 2, 2, 6), front=1))
    assert reading.text.count("CHAPTER") == 5 and "VOYAGE" not in reading.text
    assert Counter(found.kind for found in furniture(reading)) == {"number": 18, "head": 13}


def test_furniture_knows_where_it_is_drawn(tmp_path: Path) -> None:
    reading = read(printed.book(tmp_path / "book.pdf"))
    left, top, right, bottom = next(found.rectangle for found in furniture(reading) if found.text == "3")
    assert printed.RIGHT - 20 < left < right < printed.RIGHT + 1 and 35 < top < 50 < bottom < 60


def test_a_first_line_on_two_leaves_and_a_number_now_and_then_stay(tmp_path: Path) -> None:
    """Trap 3: what repeats twice is text, and so is "Remark 4" at the top of a leaf now and then."""
    content = []
    for leaf in range(24):
        first = ["The same first line stands on two leaves."] if leaf in (4, 5) else []
        remark = [(72.0, 80.0, f"Remark {leaf // 6 + 1}", 11.0)] if leaf % 6 == 0 else []
        content.append([*remark, *make.lines([*first, f"On leaf {leaf} we read:", *make.LINES], top=110)])
    reading = read(make.pdf(tmp_path / "remarks.pdf", content))
    assert reading.text.count("The same first line stands on two leaves.") == 2
    assert [reading.text.count(f"Remark {n}") for n in (1, 2, 3, 4)] == [1, 1, 1, 1]
    assert not furniture(reading)


def test_an_item_of_a_list_is_no_page_number(tmp_path: Path) -> None:
    """The item "4." at the top of page 4 is text, though its number is the leaf's."""
    first = ["Turn the machine on.", "2. Wait for it.", "Click it.", "4. Click the button again.", "Nothing happens."]
    content = [
        [*make.lines([line], top=70), *make.lines(make.LINES, top=110), (300.0, 810.0, str(leaf + 1), 9.0)]
        for leaf, line in enumerate(first)
    ]
    reading = read(make.pdf(tmp_path / "items.pdf", content))
    assert all(line in reading.text for line in first)
    assert [found.text for found in furniture(reading)] == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize(
    ("text", "left", "is_taken"),
    [
        ("1", 295, True),
        ("- 1 -", 290, True),
        ("1", 520, True),
        ("1", 200, False),
        ("7", 295, False),
        ("Page 7 of 30", 270, True),
    ],
)
def test_a_lone_leaf_gives_up_only_what_is_surely_its_number(
    tmp_path: Path, text: str, left: float, is_taken: bool
) -> None:
    """Nothing repeats on one leaf: only its own number, in the middle or at the outer corner, is no text."""
    reading = read(make.pdf(tmp_path / "one.pdf", [[*make.lines(make.LINES), (left, 800.0, text, 10.0)]]))
    assert (text not in reading.text) is is_taken
    assert [found.text for found in furniture(reading)] == [text] * is_taken


def test_a_word_that_is_all_there_is_stays(tmp_path: Path) -> None:
    reading = read(make.pdf(tmp_path / "word.pdf", [[(200.0, 60.0, "Intentionally blank", 11.0)]] * 4))
    assert reading.text.count("Intentionally blank") == 4


def test_the_header_of_a_table_stays_on_each_leaf(tmp_path: Path) -> None:
    """It is text of the table: whoever reads one leaf of it needs the names of its columns."""
    reading = read(printed.numbered_table(tmp_path / "table.pdf"))
    assert reading.text.count("Name") == 3 and not furniture(reading)
    assert all(f"{row}\t" in reading.text for row in (1, 20, 21, 60))


def test_a_head_of_three_parts_over_a_table_goes(tmp_path: Path) -> None:
    """Trap 3: white space tells it from the header of the table."""
    reading = read(printed.numbered_table(tmp_path / "table.pdf", head=True))
    assert "Register" not in reading.text and len(furniture(reading)) == 9
    assert all(f"{row}\t" in reading.text for row in (1, 20, 21, 60))


def test_a_leaf_set_sideways_loses_the_same_head(tmp_path: Path) -> None:
    """Trap 9: the head of a leaf whose table is set sideways is that of every other leaf."""
    reading = read(printed.landscape_table(tmp_path / "sideways.pdf"))
    assert kept(reading) == Counter(
        {("head", "THE GREY HARBOUR"): 5, **{("number", str(number)): 1 for number in range(31, 36)}}
    )
    assert "HARBOUR" not in reading.text and "master 11" in reading.text


def test_real_heads(shared_data: Path) -> None:
    """Trap 3 on real files: a scan whose heads are misread, and a manual whose chapters open with a line of text."""
    scan = read(shared_data / "documents/pdf/scan-with-ocr-layer.pdf")
    assert "VICKSB" not in scan.text and len(furniture(scan)) >= 10
    assert "gerous for use" in scan.text and "Solid Shot strapped" in scan.text
    policy = read(shared_data / "documents/pdf/debian-policy.pdf")
    assert policy.text.count("CHAPTER\n") + policy.text.count("CHAPTER ") >= 20
    assert "Debian Policy Manual, Release" not in policy.text
    assert kept(policy)["head", "Debian Policy Manual, Release 4.6.2.0"] > 150


# -- stamps ------------------------------------------------------------------------------------------------------


def test_stamps_beside_and_across_the_text(tmp_path: Path) -> None:
    """Trap 3: Bates numbers that count up, a note in the margin with another date on each leaf, a word across."""
    reading = read(printed.stamped(tmp_path / "stamped.pdf"))
    found = kept(reading)
    assert {kind for kind, _ in found} == {"stamp"} and len(furniture(reading)) == 12
    assert found["stamp", "CONFIDENTIAL"] == 4 and found["stamp", "ACME-000124"] == 1
    assert found["stamp", "Downloaded from archive.example on 12 May 2020"] == 1
    assert words(reading) == " ".join(islice(printed.prose(9), 4 * printed.LINES_A_LEAF)).split()


def test_a_note_in_the_margin_of_one_leaf_is_a_stamp_and_the_label_of_an_axis_is_not(tmp_path: Path) -> None:
    reading = read(printed.preprint(tmp_path / "preprint.pdf"))
    assert list(kept(reading)) == [("stamp", "arXiv:2001.00001v1 [cs.CL] 1 Jan 2020")]
    assert reading.text.count("accuracy in percent") == 4


# -- numbers of lines and margins --------------------------------------------------------------------------------


@pytest.mark.parametrize("in_line", [False, True])
def test_numbers_of_lines_become_marks(tmp_path: Path, in_line: bool) -> None:
    """Trap 68: beside the text or at the beginning of the library's own line ("1 This is a line")."""
    path = printed.legal_paper(tmp_path / "legal.pdf", in_line=in_line)
    reading = read(path)
    assert words(reading) == " ".join(islice(printed.prose(4), 75)).split()
    numbers = [str(number) for number in range(1, 26)] * 3
    assert line_marks(reading) == list(zip(numbers, at_lines(3, 4), strict=True))
    assert [found.text for found in furniture(reading) if found.kind == "line"] == numbers
    assert [found.text for found in furniture(reading) if found.kind == "number"] == ["1", "2", "3"]
    check_random_spans(reading.document, pdf_resolver(path), 100)


def test_every_fifth_line_counted_on(tmp_path: Path) -> None:
    """Trap 68."""
    reading = read(printed.legal_paper(tmp_path / "legal.pdf", printed.counting_on))
    expected = list(enumerate(at_lines(3, 4), start=1))[4::5]
    assert line_marks(reading) == [(str(number), word) for number, word in expected]
    assert not any(word.isdigit() for word in words(reading))


def test_typewritten_lines_are_numbered_and_those_of_a_listing_are_text(tmp_path: Path) -> None:
    """Trap 68: a court's transcript is set in one width as programs are, but it is the whole document."""
    transcript = read(printed.transcript(tmp_path / "transcript.pdf"))
    assert [value for value, _ in line_marks(transcript)] == [str(number) for number in range(1, 26)] * 3
    assert not any(word.isdigit() for word in words(transcript))
    listing = read(printed.listing(tmp_path / "listing.pdf"))
    assert [word for word in words(listing) if word.isdigit()] == [str(number) for number in range(1, 11)] * 3
    assert not line_marks(listing)


def test_verse_numbered_at_the_right(tmp_path: Path) -> None:
    """Trap 68: the mark stands where the line begins, on whichever side its number is."""
    reading = read(printed.verse(tmp_path / "verse.pdf"))
    first = [line.capitalize().split()[0] for line in islice(printed.prose(5, 190), 40)]
    assert line_marks(reading) == [(str(number), first[number - 1]) for number in range(5, 41, 5)]
    assert not any(word.isdigit() for word in words(reading))


def test_numbers_between_two_columns(tmp_path: Path) -> None:
    """Trap 68: patents."""
    reading = read(printed.patent(tmp_path / "patent.pdf"))
    assert [value for value, _ in line_marks(reading)] == ["5", "10", "15", "20", "25", "30"] * 2
    assert words(reading) == " ".join(islice(printed.prose(8, 150, 9), 120)).split()


@pytest.mark.parametrize(
    "labels",
    [
        [str(number) for number in range(12, 24)],
        [f"[{number}]" for number in range(1, 13)],
        "17a b c d e 18a b c d e 19a b".split(),
    ],
)
def test_numbers_in_margins_become_marks(tmp_path: Path, labels: list[str]) -> None:
    """Trap 68: numbers of paragraphs and of an older edition, in the outer margin."""
    path = printed.margin_numbers(tmp_path / "margin.pdf", labels)
    reading = read(path)
    assert [(found.kind, found.text) for found in furniture(reading)] == [("margin", label) for label in labels]
    assert [value for value, _ in line_marks(reading)] == labels
    assert all(word.lower().strip(".") in printed.WORDS for word in words(reading))
    check_random_spans(reading.document, pdf_resolver(path), 60)


def test_lists_and_tables_keep_their_numbers(tmp_path: Path) -> None:
    """Trap 68: the items of a list, a bibliography whose text hangs, the first column of a table."""
    items = read(printed.numbered_list(tmp_path / "list.pdf"))
    assert [sum(word == str(number) for word in words(items)) for number in range(1, 7)] == [3] * 6
    sources = [f"[{number}]" for number in range(1, 13)]
    hanging = read(printed.margin_numbers(tmp_path / "hanging.pdf", sources, outside=False))
    assert [word for word in words(hanging) if word.startswith("[")] == sources
    table = read(printed.numbered_table(tmp_path / "table.pdf"))
    assert not [*line_marks(items), *line_marks(hanging), *line_marks(table)]
