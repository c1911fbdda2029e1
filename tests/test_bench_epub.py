"""The bench of EPUBs can fail: whatever a reader might do wrong, some figure of it tells."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readdesk.cancel import Cancelled, CancelToken
from readdesk.documents.model import DocumentHead, ElementSpot, Mark, Paragraph, Piece
from readdesk.documents.open import DocumentReader, Part, sniff
from readdesk.documents.service import DocumentService
from readdesk.errors import DocumentError, ModelError, WorkerError, WorkerFault
from readdesk.worker import Worker
from tests.bench import resolve
from tests.bench.align import aligned, differences
from tests.bench.anchors import Asked, anchors, bare, comes_back, drawn
from tests.bench.books import Reading, Row, as_expected, collected, is_clean, rows_of
from tests.bench.chinese import numeral
from tests.bench.complete import completeness
from tests.bench.copies import agreement, words_of
from tests.bench.mutants import Told, _Front, fate_of
from tests.bench.mutate import Mutant, Nursery
from tests.bench.spoil import SECRET
from tests.samples import make

BODY = (
    "<h1>One</h1><p>It was a <em>bright</em> cold day in April.</p><!-- not text --><p>The clocks were striking.</p>"
    "<p hidden=''>Nobody sees this.</p><p>He had no time for <ruby>漢字<rt>かんじ</rt></ruby>, soft&#173;ly put.</p>"
)


def reading_of(path: Path) -> Reading:
    return collected(DocumentService().read(path, None, sniff(path), cancel=CancelToken()))


@pytest.fixture
def book(tmp_path: Path) -> Path:
    files = {"a.xhtml": make.xhtml(BODY), "b.xhtml": make.xhtml("<h1>Two</h1><p>All is well that ends well.</p>")}
    return make.epub(tmp_path / "book.epub", files)


def changed(reading: Reading, number: int, change: Callable[[Paragraph], Paragraph]) -> tuple[Paragraph, ...]:
    paragraphs = list(reading.paragraphs)
    paragraphs[number] = change(paragraphs[number])
    return tuple(paragraphs)


def moved(paragraph: Paragraph) -> Paragraph:
    """A paragraph whose pieces all claim to stand one character further on, or back where there is no more room."""
    pieces = []
    for piece in paragraph.pieces:
        spot = piece.spot
        assert isinstance(spot, ElementSpot)
        shift = 1 if spot.start == 0 else -1
        spot = replace(spot, start=spot.start + shift, end=spot.end + shift)
        pieces.append(Piece(piece.start, piece.end, spot))
    return replace(paragraph, pieces=tuple(pieces))


# -- completeness ------------------------------------------------------------------------------------------------


def test_an_honest_reading_is_complete(book: Path) -> None:
    found = completeness(book, reading_of(book).paragraphs)
    assert found.share == 1.0 and found.wanted == 99
    assert (found.invented, found.twice, found.hidden) == (0, 0, 0)


def test_a_dropped_paragraph_is_told_with_its_place(book: Path) -> None:
    reading = reading_of(book)
    found = completeness(book, [one for one in reading.paragraphs if "clocks" not in one.text])
    assert found.wanted - found.reached == len("Theclockswerestriking")
    assert found.missed_at == ["OPS/a.xhtml 1.2 p: The clocks were striking"]


def test_invented_words_are_told(book: Path) -> None:
    reading = reading_of(book)
    longer = changed(reading, 1, lambda one: replace(one, text=one.text + " Amen."))
    assert completeness(book, longer).invented == len("Amen")
    other = changed(reading, 1, lambda one: replace(one, text=one.text.replace("April", "March")))
    found = completeness(book, other)
    assert found.invented == len("Mach") and found.wanted - found.reached == len("Apil")


def test_a_wrong_source_map_is_told(book: Path) -> None:
    reading = reading_of(book)
    assert completeness(book, changed(reading, 1, moved)).invented > 10
    nowhere = Piece(0, 3, ElementSpot("OPS/no.xhtml", (1,), 0, 3))
    assert completeness(book, changed(reading, 0, lambda one: replace(one, pieces=(nowhere,)))).invented == 3


def test_what_is_read_twice_is_told(book: Path) -> None:
    reading = reading_of(book)
    found = completeness(book, (*reading.paragraphs, reading.paragraphs[1]))
    assert found.twice == len("ItwasabrightcolddayinApril") and found.share == 1.0


def test_hidden_text_and_readings_are_not_wanted(book: Path) -> None:
    reading = reading_of(book)
    place = ElementSpot("OPS/a.xhtml", (1, 3), 0, 6)
    found = completeness(book, (*reading.paragraphs, Paragraph(0, 0, "Nobody", (Piece(0, 6, place),))))
    assert found.hidden == 6 and found.invented == 0
    marked = changed(reading, 3, lambda one: replace(one, marks=(Mark(19, 21, "ruby", "かんじ"),)))
    bare_of_marks = changed(reading, 3, lambda one: replace(one, marks=()))
    assert completeness(book, bare_of_marks).readings_share == 0.0
    assert completeness(book, marked).readings_share == 1.0


# -- anchors -----------------------------------------------------------------------------------------------------


def test_anchors_of_an_honest_reading_are_right(book: Path) -> None:
    found = anchors(book, reading_of(book), 60, seed=1)
    assert (found.spans, found.right, found.sent, found.back, found.wrong) == (60, 60, 6, 6, ())


def test_a_wrong_anchor_is_told(book: Path) -> None:
    reading = reading_of(book)
    found = anchors(book, replace(reading, paragraphs=changed(reading, 1, moved)), 60, seed=1)
    assert 0 < found.spans - found.right <= len(found.wrong)


def test_an_anchor_that_leads_elsewhere_does_not_come_back(book: Path) -> None:
    reading = reading_of(book)
    assert all(comes_back(reading, one) for one in drawn(book, reading, 40, seed=1))
    paragraph = reading.paragraphs[1]
    asked = Asked(paragraph.start, paragraph.end, paragraph.text, str(paragraph.anchor))
    assert comes_back(reading, asked)
    assert not comes_back(replace(reading, paragraphs=changed(reading, 1, moved)), asked)
    assert not comes_back(reading, replace(asked, anchor="eOPS/no.xhtml:1.1:0-5"))


def test_the_resolver_stands_alone(book: Path) -> None:
    program = f"import sys, runpy; runpy.run_path({resolve.__file__!r}); print([n for n in sys.modules if 'desk' in n])"
    done = subprocess.run([sys.executable, "-I", "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
    resolver = resolve.Resolver()
    assert resolver.resolve(str(book), "eOPS/a.xhtml:1.1:9-15") == "bright"
    for wrong in ("eOPS/a.xhtml:1.9:0-1", "eOPS/no.xhtml:1:0-1", "eOPS/a.xhtml:1.1:9-900", "t0-1-2", ""):
        with pytest.raises(ValueError, match=r"spot|element|archive|outside"):
            resolver.resolve(str(book), wrong)


def test_what_may_differ_is_white_space_and_what_steers_line_breaks() -> None:
    assert bare(" soft\u00adly\u200b put\n") == "softlyput"
    assert bare("a b") != bare("a-b")


# -- copies ------------------------------------------------------------------------------------------------------


def test_a_dropped_paragraph_is_missed_in_the_other_copy(tmp_path: Path) -> None:
    chance = random.Random(1)
    texts = [" ".join(chance.choice("sun moon rain snow wind hail fog".split()) for _ in range(60)) for _ in range(20)]
    plain = tmp_path / "plain.txt"
    plain.write_text("A Book\n\n" + "\n\n".join(texts), "utf-8")
    files = {"a.xhtml": make.xhtml("<h1>A Book</h1>" + "".join(f"<p>{text}</p>" for text in texts))}
    text, book = reading_of(plain), reading_of(make.epub(tmp_path / "book.epub", files))
    assert agreement(book, text).strict == 1.0
    paragraphs = [one for one in book.paragraphs if one.text != texts[7]]
    for number in range(1, len(paragraphs)):
        paragraphs[number] = replace(paragraphs[number], start=paragraphs[number - 1].end)
    found = agreement(replace(book, paragraphs=tuple(paragraphs)), text)
    assert 0.94 < found.strict < 0.97 and len(words_of(text)) == found.words == 1202


@given(st.lists(st.sampled_from("abcd"), max_size=14), st.lists(st.sampled_from("abcd"), max_size=14))
def test_aligned_words_are_the_longest_common_row(ours: list[str], theirs: list[str]) -> None:
    pairs = aligned(ours, theirs)
    assert all(ours[left] == theirs[right] for left, right in pairs)
    assert all(before[0] < after[0] and before[1] < after[1] for before, after in pairwise(pairs))
    assert len(pairs) == _longest(tuple(ours), tuple(theirs))
    apart = list(differences(ours, theirs, pairs))
    assert sum(len(left) for left, _ in apart) + len(pairs) == len(ours)


def _longest(ours: tuple[str, ...], theirs: tuple[str, ...]) -> int:
    before = [0] * (len(theirs) + 1)
    for left in ours:
        row = [0]
        for number, right in enumerate(theirs):
            row.append(before[number] + 1 if left == right else max(row[-1], before[number + 1]))
        before = row
    return before[-1]


def test_long_rows_are_aligned_by_anchors() -> None:
    chance = random.Random(2)
    ours = [
        chance.choice("the a of to".split()) if chance.random() < 0.5 else f"w{chance.randrange(3000)}"
        for _ in range(9000)
    ]
    theirs = [word for number, word in enumerate(ours) if number % 100]
    assert len(aligned(ours, theirs)) == len(theirs) == 8910


# -- what is expected --------------------------------------------------------------------------------------------


def test_only_typed_sentences_are_clean() -> None:
    crash = DocumentError("a.epub could not be read: it makes the program that reads it crash.")
    crash.__cause__ = WorkerError("It ended.")
    assert is_clean(DocumentError("a.epub is damaged or was cut short.", "Get the file again."))
    for wrong in (
        crash,
        WorkerFault("Traceback"),
        KeyError("x"),
        ModelError("This is not about a document."),
        DocumentError("KeyError: 'spine'."),
        DocumentError("no sentence"),
        DocumentError("Two lines.\nOf text."),
    ):
        assert not is_clean(wrong)
    assert not as_expected(Row("a.epub", "ok"), DocumentError("a.epub is damaged or was cut short."))


def test_the_table_of_real_books_is_read(shared_data: Path) -> None:
    rows = {row.name: row for row in rows_of(shared_data)}
    assert set(rows) == {path.name for path in (shared_data / "documents" / "epub").glob("*.epub")}
    assert sum(row.must_fail for row in rows.values()) == 3 and rows["haruko-manga-ja.epub"].has_little_text


def test_chinese_numerals() -> None:
    wanted = {
        1: "一",
        10: "十",
        12: "十二",
        20: "二十",
        101: "一百零一",
        110: "一百一十",
        1600: "一千六百",
        1006: "一千零六",
    }
    assert {number: numeral(number) for number in wanted} == wanted


# -- mutants -----------------------------------------------------------------------------------------------------


class Fated:
    """A reader that does one thing with every file."""

    def __init__(self, *parts: Part | Exception) -> None:
        self._parts = parts
        self._worker = Worker("nothing:Nothing", name="Nothing")

    def read(self, path: Path, password: str | None = None, cancel: CancelToken | None = None) -> Iterator[Part]:
        for part in self._parts:
            if isinstance(part, Exception):
                raise part
            yield part


def fate(*parts: Part | Exception) -> Told:
    return fate_of(cast(DocumentReader, Fated(*parts)), Path("a.epub"), 7, "nothing")


def test_the_fate_of_a_mutant(book: Path) -> None:
    reading = reading_of(book)
    parts = list(DocumentService().read(book, None, "epub", cancel=CancelToken()))
    crash = DocumentError("a.epub could not be read: it makes the program that reads it crash.")
    crash.__cause__ = WorkerError("It ended.")
    head = replace(reading.head, title=f"About {SECRET}")
    fates = {
        "opened": fate(*parts),
        "refused": fate(DocumentError("a.epub is damaged or was cut short.")),
        "worker": fate(crash),
        "hang": fate(Cancelled()),
        "leak": fate(head, *(part for part in parts if not isinstance(part, DocumentHead))),
    }
    assert {name: told.fate for name, told in fates.items()} == {name: name for name in fates}
    assert [told.is_allowed for told in fates.values()] == [True, True, True, False, False]
    for wrong in (fate(WorkerFault("Traceback")), fate(*parts[:-1]), fate(*parts, parts[-1]), fate(*parts[1:])):
        assert wrong.fate == "wrong" and not wrong.is_allowed
    assert fate(DocumentError("KeyError: 'x'.")).is_unclear and not fates["refused"].is_unclear
    assert not replace(fates["opened"], seconds=20.5).is_allowed


def test_the_death_of_the_front_process_is_counted_and_the_next_one_goes_on(tmp_path: Path, shared_data: Path) -> None:
    front = _Front(tmp_path)
    mutant = Mutant(7, ".txt", b"Call me Ishmael.", "none")
    front._started().kill()
    assert front.ask(mutant).fate == "front"
    assert front.ask(mutant).fate == "opened"
    front.close()


def test_a_seed_says_all_of_a_mutant(tmp_path: Path, shared_data: Path) -> None:
    first, again = (Nursery(shared_data, tmp_path / "secret.txt") for _ in range(2))
    count = len(first.kinds)
    mutants = [first.mutant(seed) for seed in range(3 * count)]
    assert [again.mutant(seed) for seed in reversed(range(3 * count))] == mutants[::-1]
    assert [mutant.kind.split("+")[0].split(" of ")[0] for mutant in mutants[:count]] == first.kinds
    assert len({mutant.data for mutant in mutants}) > 2.8 * count and count > 50
