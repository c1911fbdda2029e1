from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from readdesk.documents.model import Choices
from readdesk.errors import DocumentError
from tests.documents.reading import bare, check_random_spans, read, text_resolver
from tests.samples import make
from tests.samples.novel import novel

WRAPPED = "\n".join(make.LINES)


def write(tmp_path: Path, text: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / "book.txt"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(tmp_path: Path, encoding: str, line_end: str) -> None:
    text = f"Über die Bücher\n\n{WRAPPED}\n\nEnde — schön.".replace("\n", line_end)
    data = text.encode(encoding)
    if encoding == "utf-16-le":
        data = b"\xff\xfe" + data
    if encoding == "utf-16-be":
        data = b"\xfe\xff" + data
    path = tmp_path / "book.txt"
    path.write_bytes(data)
    reading = read(path)
    assert [paragraph.text for paragraph in reading.document.paragraphs] == [
        "Über die Bücher",
        " ".join(make.LINES),
        "Ende — schön.",
    ]
    check_random_spans(reading.document, text_resolver(text), 40)


def test_western_text_is_guessed_and_told(tmp_path: Path) -> None:
    reading = read(write(tmp_path, f"{WRAPPED}\n\nLe café “était” déjà fermé…", "cp1252"))
    assert "café “était” déjà fermé…" in reading.text
    assert "Windows-1252" in reading.health.notes[0]


@pytest.mark.parametrize(
    ("text", "encoding", "name"),
    [
        ("Глава первая\n\nБыло утро, и князь молчал.\n" * 9, "cp1251", "Windows-1251"),
        ("第一章 开始\n春天来了，他们都说。\n" * 9, "gb18030", "GB18030"),
        ("第一章 开始\n春天来了，他们都说。\n" * 9, "utf-16-le", "UTF-16LE"),
        ("Chapter I\n\nIt was spring, they all said.\n" * 9, "utf-16-be", "UTF-16BE"),
    ],
)
def test_other_encodings(tmp_path: Path, text: str, encoding: str, name: str) -> None:
    """Trap 70: never shown as rubbish, and told."""
    reading = read(write(tmp_path, text, encoding))
    assert bare(reading.text) == bare(text) and reading.health.encoding == name
    assert (f"read as {name}" in " ".join(reading.health.notes)) == (not name.startswith("UTF-8"))
    check_random_spans(reading.document, text_resolver(text), 40)


def test_a_chosen_encoding(tmp_path: Path) -> None:
    path = write(tmp_path, "Il était une fois", "cp1252")
    assert read(path, choices=Choices("KOI8-R")).text == "Il Иtait une fois"
    with pytest.raises(DocumentError, match="no encoding named"):
        read(path, choices=Choices("klingon"))


def test_unwrapped_text(tmp_path: Path) -> None:
    lines = [f"{number}. {make.PARAGRAPH * 3}".strip() for number in range(20)]
    reading = read(write(tmp_path, "\n".join(lines)))
    assert [paragraph.text for paragraph in reading.document.paragraphs] == lines


def test_verse_and_speeches_keep_their_lines(tmp_path: Path) -> None:
    verse = "Shall I compare thee\nTo a summer day\nThou art more lovely\nAnd more temperate"
    play = (
        "ANNA.  Good morning to you and to all who are in this house of ours,\nand may the day be kind.\n\nBEN.  Yes."
    )
    reading = read(write(tmp_path, f"{WRAPPED}\n\n{verse}\n\n{play}"))
    assert ("verse", verse) in reading.kinds
    assert reading.kinds[-2][1].startswith("ANNA. Good morning") and reading.kinds[-1] == ("text", "BEN. Yes.")


def test_indented_first_lines(tmp_path: Path) -> None:
    text = "\n".join(f"  {make.LINES[0]}\n" + "\n".join(make.LINES[1:]) for _ in range(3))
    assert len(read(write(tmp_path, text)).document.paragraphs) == 3


@pytest.mark.parametrize("is_spaced", [True, False])
@pytest.mark.parametrize("width", [30, 38, 60])
def test_hard_wrapped_chinese(tmp_path: Path, width: int, is_spaced: bool) -> None:
    """Lines of one length are joined without a space; an indented one or a blank one begins a paragraph."""
    lines = novel(6, 12_000, is_spaced=False).splitlines()
    wrapped = []
    for line in lines:
        line = line.strip() if is_spaced else line
        wrapped += [line[at : at + width] for at in range(0, len(line), width)] + [""] * is_spaced
    reading = read(write(tmp_path, "\n".join(wrapped)))
    paragraphs = [line.strip() for line in lines if line.startswith("\u3000")]
    found = {paragraph.text for paragraph in reading.document.paragraphs}
    assert sum(paragraph in found for paragraph in paragraphs) >= 0.99 * len(paragraphs)
    assert len(reading.document.sections) == 7
    check_random_spans(reading.document, text_resolver("\n".join(wrapped)), 40)


def test_a_paragraph_a_line_or_a_verse_a_line(tmp_path: Path) -> None:
    """Short paragraphs without blank lines between them; a poem in their place stays one."""
    varied = [f"Number {number} {'went on and on, ' * (2 + number % 5)}to the end." for number in range(20)]
    assert len(read(write(tmp_path, "\n".join(varied))).document.paragraphs) == 20
    poem = "\n".join(["Shall I compare thee,", "To a summer day;", "Thou art more lovely", "And more temperate."] * 3)
    assert read(write(tmp_path, poem)).kinds == [("verse", poem)]


KOREAN = "그는 언덕 위의 집에 살았고 아무도 그가 언제 왔는지 기억하지 못했다 " * 6


@pytest.mark.parametrize(
    ("text", "widths"), [(make.PARAGRAPH * 6, [38]), (KOREAN, [40]), (make.PARAGRAPH * 9, [55, 65, 75])]
)
def test_hard_wrapped_prose_of_any_width(tmp_path: Path, text: str, widths: list[int]) -> None:
    """Lines of a narrow file, and of blocks that were broken at different widths, are no verse."""
    whole = [f"{number} {text}".strip() for number in range(12)]
    wrapped = "\n\n".join(
        "\n".join(textwrap.wrap(one, widths[number % len(widths)])) for number, one in enumerate(whole)
    )
    assert read(write(tmp_path, wrapped)).kinds == [("text", one) for one in whole]


def test_a_letter_of_its_own_width(tmp_path: Path) -> None:
    letter = "\n".join(textwrap.wrap(make.PARAGRAPH * 4, 52))
    reading = read(write(tmp_path, "\n\n".join([WRAPPED, WRAPPED, letter, WRAPPED])))
    assert reading.kinds[2] == ("text", (make.PARAGRAPH * 4).strip())


@pytest.mark.parametrize("has_prose", [True, False])
@pytest.mark.parametrize(
    "lines",
    [
        ["Tyger Tyger, burning bright,", "In the forests of the night;", "What immortal hand or eye,"],
        ["the boats are coming in,", "and nobody is there;", "to count them or to call,"],
        ["Shall I compare thee to a day", "Thou art more lovely and more dear", "Rough winds do shake the buds"],
    ],
)
def test_narrow_verse_keeps_its_lines(tmp_path: Path, lines: list[str], has_prose: bool) -> None:
    verse = "\n".join(lines * 3)
    reading = read(write(tmp_path, "\n\n".join([*[WRAPPED] * 3 * has_prose, verse])))
    assert reading.kinds[-1] == ("verse", verse)


def test_a_word_that_a_hyphen_divides(tmp_path: Path) -> None:
    """It is one word; the hyphen goes only where the text itself writes the word without it."""
    text = (
        "He asked about the international question in the drawing-room, about the inter-\n"
        "national question of planet-\nwarming, and was told in the drawing- \n"
        "room by an Anglo-\nSaxon -- and not by a merry-\ngo-round --\nthat nothing was\nplanned."
    )
    reading = read(write(tmp_path, text))
    assert reading.text == (
        "He asked about the international question in the drawing-room, about the international question of "
        "planet-warming, and was told in the drawing-room by an Anglo-Saxon -- and not by a merry-go-round -- "
        "that nothing was planned."
    )
    check_random_spans(reading.document, text_resolver(text), 40)


def test_chapters_and_what_only_looks_like_one(tmp_path: Path) -> None:
    prose = f"Chapter two of my life began in the rain and did not end until\nthe winter. {make.PARAGRAPH}"
    contents = "CONTENTS\n\nCHAPTER I\n\nCHAPTER II\n\nCHAPTER III"
    text = (
        f"THE CAPTAIN\n\nby Ann Author\n\n{contents}\n\n\nPART ONE\n\nCHAPTER I\n\nThe Letter\n\n{WRAPPED}\n\n"
        f"{prose}\n\nCHAPTER II. The Boat\n\n{WRAPPED}\n\nPART TWO\n\nChapter 3\n\n{WRAPPED}\n\n"
        f"I did not mix\nwith them.\n\nEPILOGUE\n\n{WRAPPED}"
    )
    reading = read(write(tmp_path, text))
    assert reading.head.title == "THE CAPTAIN"
    found = [(section.title, section.level) for section in reading.document.sections]
    assert found == [
        ("THE CAPTAIN", 1),
        ("CONTENTS", 1),
        ("PART ONE", 1),
        ("CHAPTER I: The Letter", 2),
        ("CHAPTER II. The Boat", 2),
        ("PART TWO", 1),
        ("Chapter 3", 2),
        ("EPILOGUE", 1),
    ]
    levels = {paragraph.text: paragraph.level for paragraph in reading.document.paragraphs if paragraph.level}
    assert levels["PART TWO"] == 1 and levels["CHAPTER I"] == levels["The Letter"] == 2
    assert all(paragraph.level == 0 for paragraph in reading.document.paragraphs if paragraph.kind != "heading")


@pytest.mark.parametrize(
    ("name", "chapters"),
    [("pg174", 20), ("pg863", 13), ("pg1023", 67), ("pg34339", 32), ("pg16517", 12), ("pg2349", 0)],
)
def test_chapters_of_real_books(shared_data: Path, name: str, chapters: int) -> None:
    path = shared_data / "narrativeqa" / f"{name}.txt"
    reading = read(path)
    titles = [section.title for section in reading.document.sections]
    assert sum(1 for title in titles if title.upper().startswith("CHAPTER") or title.isdigit()) == chapters
    check_random_spans(reading.document, text_resolver(path.read_bytes().decode("utf-8")))


def test_every_character_is_read_once(shared_data: Path) -> None:
    for path in sorted((shared_data / "narrativeqa").glob("*.txt")):
        text = path.read_bytes().decode("utf-8").replace("\ufeff", "")
        assert "".join(read(path).text.split()) == "".join(text.split())
