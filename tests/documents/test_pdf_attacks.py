"""PDFs made to do harm, read from end to end: whatever is wrong in one costs little time and nothing else of it."""

from __future__ import annotations

import random
import re
from pathlib import Path

from readdesk.documents.pdf.attached import attachments_of
from readdesk.documents.pdf.file import open_file
from tests.documents.reading import read
from tests.samples import attacks
from tests.samples.hostile import one_leaf


def test_files_pinned_to_a_leaf_are_found_while_its_memory_is_held(tmp_path: Path) -> None:
    """Annotations belong to their page in memory: without it they were lost, and now and then the process with them."""
    document = open_file(attacks.pinned(tmp_path / "pinned.pdf", 900), None)
    assert [file.name for file in attachments_of(document)] == [f"file {number}" for number in range(900)]
    notes = read(attacks.pinned(tmp_path / "more.pdf", 1_100)).health.notes
    assert any(note.startswith("1,000 or more files are attached") for note in notes)


def test_rich_text_of_nothing_but_open_brackets(tmp_path: Path) -> None:
    """A million of them took minutes and more when each was taken for the beginning of a tag that may end anywhere."""
    entries = [
        attacks.HIGHLIGHT % (b"/RC (%s)" % words) for words in (b"<" * 1_000_000, b"<br" * 300_000, b"<p>a</p>b")
    ]
    marked = read(attacks.annotated(tmp_path / "rich.pdf", entries)).layers.markups
    assert [len(markup.text) for markup in marked] == [20_000, 20_000, 3]


def test_letters_without_size_divide_nothing(tmp_path: Path) -> None:
    """A document of letters too small for any size, in a typewriter's font that makes code of them, or in another."""
    shrunk = b"1e-20 0 0 1e-20 %d %d Tm (tiny words) Tj "
    content = b"BT /F1 12 Tf " + b"".join(shrunk % (72 + at % 3 * 100, 700 - at * 20) for at in range(9)) + b"ET"
    for font in (b"Courier", b"Helvetica"):
        assert read(one_leaf(tmp_path / "tiny.pdf", content, more={5: attacks.font(font)})).text.split()


def test_indentation_of_tiny_code_on_a_wide_leaf(tmp_path: Path) -> None:
    """The room before a line of code is drawn with spaces: here there would be five million of them."""
    words = b"BT /F1 0.01 Tf 1 0 0 1 72 %d Tm (first words) Tj 1 0 0 1 %d %d Tm (second) Tj ET "
    content = b"".join(words % (700 - 20 * line, 72 + 2000 * line, 700 - 20 * line) for line in range(6))
    more, page = {5: attacks.font(b"Courier")}, b"/MediaBox [0 0 14400 792]"
    text = read(one_leaf(tmp_path / "far.pdf", content, page=page, more=more)).text
    assert len(text) < 5_000 and text.count("first words") == 6 and text.count("second") == 6


def test_a_leaf_of_endless_columns_is_cut_as_far_as_that_ends(tmp_path: Path) -> None:
    """A hundred columns of a hundred and one rows; of a thousand rows they held the reader up for minutes."""
    word = b"1 0 0 1 %d %.2f Tm (word%d) Tj "
    words = [word % (10 + at % 100 * 6, 10 + at // 100 * 7.5, at) for at in range(10_100)]
    reading = read(one_leaf(tmp_path / "words.pdf", b"BT /F1 1 Tf " + b"".join(words) + b"ET"))
    assert reading.layers.leaves[0].columns < 10
    assert sorted(reading.text.split()) == sorted(f"word{at}" for at in range(10_100))


def test_an_outline_as_deep_as_it_is_long(tmp_path: Path) -> None:
    """Ten thousand levels: whether a section lies in back matter was asked of all above it, for minutes."""
    entry = b"<< /Title (Deep %d) /Parent %d 0 R /First %d 0 R /Dest [3 0 R /Fit] >>"
    more = {11 + at: entry % (at, 10 + at, 12 + at) for at in range(10_000)}
    more[10] = b"<< /First 11 0 R >>"
    path = one_leaf(tmp_path / "deep.pdf", attacks.WORDS, catalogue=b"/Outlines 10 0 R", more=more)
    sections = read(path).document.sections
    assert len(sections) == 10_000 and max(section.level for section in sections) == 40


def test_a_title_is_a_line_however_the_file_tells_it(tmp_path: Path) -> None:
    """Ten megabytes of title went through the window, and one of slashes was tried in every way for minutes."""
    long = attacks.titled(
        tmp_path / "long.pdf", b"(%s)" % (b"Some words " * 1_000_000), b"(%s)" % (b"A B, " * 1_000_000)
    )
    head = read(long).head
    assert head.title == ("Some words " * 28)[:300].strip() and len(head.authors) == 1_000
    slashes = attacks.titled(tmp_path / "slashes.pdf", b"(%s x)" % (b"/" * 200_000), b"(%sx)" % (b" " * 200_000))
    assert read(slashes).head.title == "slashes"
    commands = attacks.titled(tmp_path / "commands.pdf", b"(\xfe\xff\0A\0\x1b\0[\0C\0\0\0D\0\x07)")
    assert read(commands).head.title == "A[CD"


def test_lines_printed_over_one_another(tmp_path: Path) -> None:
    """Each is a row of its own; twenty thousand of them took minutes when each was held against all before it."""
    line = b"1 0 0 1 72 700 Tm (same place words %d) Tj "
    content = b"BT /F1 12 Tf " + b"".join(line % at for at in range(20_000)) + b"ET"
    text = read(one_leaf(tmp_path / "over.pdf", content)).text
    assert len(text.split()) > 20_000 and "words 19999" in text


def test_a_map_full_of_names(tmp_path: Path) -> None:
    """Trap 12: each of thousands of names may begin a column or a table; looking for them ends, and no name is lost."""
    chance = random.Random(1)
    placed = b"".join(
        b"1 0 0 1 %d %d Tm (name%d here) Tj " % (chance.randrange(560), chance.randrange(760), number)
        for number in range(3_000)
    )
    text = read(one_leaf(tmp_path / "map.pdf", b"BT /F1 3 Tf " + placed + b"ET")).text
    assert sorted(re.findall(r"name\d+", text)) == sorted(f"name{number}" for number in range(3_000))
