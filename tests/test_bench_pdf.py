"""The bench of PDFs can fail: whatever a reader might do wrong, some figure of it tells."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from readdesk.cancel import CancelToken
from readdesk.documents.drawer import LeafDrawer
from readdesk.documents.model import Document, LeafSpot, Paragraph, Picture, Piece
from readdesk.documents.open import DocumentReader, sniff
from readdesk.documents.service import DocumentService
from readdesk.errors import DocumentError, PasswordNeeded, WorkerFault
from tests.bench.books import Reading, collected
from tests.bench.mutants import LIMIT_SECONDS
from tests.bench.pdf_anchors import differs, has_ink, pdf_anchors, under
from tests.bench.pdf_complete import pdf_completeness, worst
from tests.bench.pdf_expected import PdfRow, outcome_faults, password_faults, pdf_rows_of
from tests.bench.pdf_glyphs import DrawnGlyphs, Glyph
from tests.bench.pdf_hostile import Harm, harm_of, taken_back
from tests.bench.pdf_independent import content, told_by_others
from tests.bench.pdf_orders import MarkedLeaf, alike, faults, marked_leaves
from tests.bench.pdf_spoil import PdfNursery
from tests.bench.report import Report
from tests.bench.ticker import Ticker
from tests.samples import hostile, make

ENDS_MIDWAY = "that had come loose in the night."


def reading_of(path: Path, password: str | None = None) -> Reading:
    return collected(DocumentService().read(path, password, sniff(path), cancel=CancelToken()))


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """Two leaves of two paragraphs each."""
    more = ["The captain said nothing for an hour,", "and then he rose and went down to the harbour."]
    leaf = [*make.lines(make.LINES), *make.lines(more, top=220)]
    return make.pdf(tmp_path / "paper.pdf", [leaf, make.lines(["Chapter two begins with a storm at sea."])])


def with_paragraphs(reading: Reading, paragraphs: list[Paragraph]) -> Reading:
    """The reading with other paragraphs, which tile again."""
    start, tiled = 0, []
    for one in paragraphs:
        tiled.append(replace(one, start=start))
        start += len(one.text)
    return replace(reading, paragraphs=tuple(tiled))


def changed(reading: Reading, number: int, change: Callable[[Paragraph], Paragraph]) -> Reading:
    paragraphs = list(reading.paragraphs)
    paragraphs[number] = change(paragraphs[number])
    return with_paragraphs(reading, paragraphs)


def moved(paragraph: Paragraph) -> Paragraph:
    """A paragraph whose first piece claims to stand one character further on."""
    piece = paragraph.pieces[0]
    assert isinstance(piece.spot, LeafSpot)
    spot = replace(piece.spot, start=piece.spot.start + 1, end=piece.spot.end + 1)
    return replace(paragraph, pieces=(replace(piece, spot=spot), *paragraph.pieces[1:]))


# -- what is expected --------------------------------------------------------------------------------------------


def test_the_table_of_real_pdfs_is_read(shared_data: Path) -> None:
    rows = {row.name: row for row in pdf_rows_of(shared_data)}
    assert set(rows) == {path.name for path in (shared_data / "documents" / "pdf").glob("*.pdf")}
    assert sum(row.must_fail for row in rows.values()) == 3
    assert {row.password for row in rows.values()} - {None} == {"openpassword", "asdfzxcv", "readdesk-user"}
    assert rows["zsh-manual.pdf"].leaves == 480 and rows["derived-truncated-zsh.pdf"].leaves is None
    assert rows["encrypted-aes256-owner-only.pdf"].password is None
    assert [row.name for row in rows.values() if row.has_no_text] == [
        "scan-huckleberry.pdf",
        "scan-two-columns.pdf",
        "scan-rotated-four-ways.pdf",
    ]


def test_what_is_not_as_the_table_says_is_told(paper: Path) -> None:
    reading = reading_of(paper)
    sentence = DocumentError("a.pdf is damaged or was cut short.", "Get the file again.")
    assert not outcome_faults(PdfRow("a.pdf", "ok", leaves=2), reading)
    assert not outcome_faults(PdfRow("a.pdf", "MUST FAIL cleanly"), sentence)
    for expected, leaves, outcome in (
        ("ok", 3, reading),
        ("ok", 2, sentence),
        ("ok", 2, replace(reading, seconds=30.0)),
        ("ok, no text", 2, reading),
        ("ok, almost no text", 2, reading),
        ("MUST FAIL cleanly", None, reading),
        ("MUST FAIL cleanly", None, WorkerFault("Traceback")),
    ):
        assert outcome_faults(PdfRow("a.pdf", expected, leaves=leaves), outcome), expected


def test_a_password_that_is_not_asked_for_is_told(paper: Path) -> None:
    asked = PasswordNeeded("a.pdf is locked with a password.", "Type it.")
    assert not password_faults(asked, asked)
    assert len(password_faults(reading_of(paper), DocumentError("a.pdf is damaged."))) == 2


# -- completeness ------------------------------------------------------------------------------------------------


def test_an_honest_reading_is_complete(paper: Path) -> None:
    found = pdf_completeness(paper, None, reading_of(paper))
    assert found.share == 1.0 and found.wanted == found.own > 250
    assert (found.invented, found.twice, found.lost, found.unread) == (0, 0, 0, 0)
    assert found.program != "MuPDF alone"


def test_a_dropped_paragraph_is_missed_and_lost(paper: Path) -> None:
    reading = reading_of(paper)
    found = pdf_completeness(paper, None, with_paragraphs(reading, list(reading.paragraphs[:-1])))
    count = content(reading.paragraphs[-1].text).total()
    assert found.wanted - found.reached == found.lost == count
    assert "leaf 1" in found.missed_at[0] and "storm at sea" in found.lost_at[0]


def test_invented_words_and_false_places_are_told(paper: Path) -> None:
    reading = reading_of(paper)
    longer = changed(reading, 0, lambda one: replace(one, text=one.text + " Amen."))
    assert pdf_completeness(paper, None, longer).invented == len("Amen")
    assert pdf_completeness(paper, None, changed(reading, 0, moved)).invented > 10
    nowhere = Piece(0, 3, LeafSpot(9, 0, 3))
    beyond = changed(reading, 0, lambda one: replace(one, pieces=(nowhere, *one.pieces[1:])))
    assert pdf_completeness(paper, None, beyond).invented > 3


def test_what_is_read_twice_is_told(paper: Path) -> None:
    reading = reading_of(paper)
    found = pdf_completeness(paper, None, with_paragraphs(reading, [*reading.paragraphs, reading.paragraphs[-1]]))
    assert found.twice == content(reading.paragraphs[-1].text).total()


def test_furniture_counts_out_and_unread_leaves_are_told(tmp_path: Path) -> None:
    path = make.running_heads(tmp_path / "heads.pdf")
    found = pdf_completeness(path, None, reading_of(path))
    assert found.share == 1.0 and found.lost == 0 and found.furniture > 6 * len("CHAPTERTHEHEAD")
    reading = reading_of(path)
    leaves = [
        replace(leaf, furniture=(), kind="scan" if leaf.index == 0 else leaf.kind) for leaf in reading.layers.leaves
    ]
    told = pdf_completeness(path, None, replace(reading, layers=replace(reading.layers, leaves=tuple(leaves))))
    assert told.lost > 5 * len("CHAPTERTHEHEAD") and told.share < 1.0 and told.unread > 100


def test_another_program_reads_the_leaves(paper: Path) -> None:
    told = told_by_others(paper, None, 2)
    assert told is not None and content(told.leaves[1]) == content("Chapter two begins with a storm at sea.")
    assert told_by_others(paper, None, 3) is None
    assert content("eﬀect 1½\u00ad") == Counter("effect112")
    assert worst([]) == 0.0


# -- order -------------------------------------------------------------------------------------------------------


def marked(**fields: Any) -> MarkedLeaf:
    return MarkedLeaf("paper.pdf", fields.pop("index", 0), "made", **{"chains": (), **fields})


def test_a_leaf_that_is_read_as_it_should_be_has_no_faults(paper: Path) -> None:
    leaf = marked(
        chains=(("Rain had fallen", "the road to the village was under water.", "The captain said nothing"),),
        together=(("Rain had fallen", ENDS_MIDWAY),),
        apart=(("Rain had fallen", "The captain said"),),
        absent=("Chapter two", "7"),
    )
    assert faults(leaf, reading_of(paper).paragraphs) == []


def test_each_kind_of_fault_in_reading_order_is_told(paper: Path) -> None:
    paragraphs = reading_of(paper).paragraphs

    def told(**fields: Any) -> str:
        found = faults(marked(**fields), paragraphs)
        assert len(found) == 1
        return found[0].split(":")[0]

    assert told(chains=(("The captain said nothing", "Rain had fallen"),)) == "out of order"
    assert told(chains=((f"{ENDS_MIDWAY} The captain",),)) == "torn into paragraphs"
    assert told(chains=(("Rain had never fallen",),)) == "not there"
    assert told(chains=(("Chapter two",),)) == "not there", "it stands on the other leaf"
    assert told(together=(("Rain had fallen", "The captain said"),)) == "not in one paragraph"
    assert told(apart=(("Rain had fallen", ENDS_MIDWAY),)) == "in one paragraph"
    assert told(absent=("the old captain",)) == "furniture in the text"


def test_a_number_alone_or_at_an_end_is_furniture(tmp_path: Path) -> None:
    texts = ["Rain had fallen for 12 days when the letter came. 7", "8"]
    path = make.pdf(tmp_path / "a.pdf", [[*make.lines(texts[:1]), *make.lines(texts[1:], top=400)]])
    paragraphs = reading_of(path).paragraphs
    found = [number for number in ("7", "8", "12") if faults(marked(absent=(number,)), paragraphs)]
    assert found == (["7", "8"] if any(one.text == "8" for one in paragraphs) else ["7"])


def test_what_counts_as_alike() -> None:
    assert alike("eﬀective — “quote” ’s\n  end") == 'effective - "quote" \'s end'
    assert alike("KSH_ARRAYS . . . . . . . 116") == alike("KSH_ARRAYS 116")
    assert alike("向 Debian 贡献") == alike("向Debian贡献") and alike("贡 献") != alike("贡献")
    assert alike("cli- mate") != alike("climate")


def test_the_marked_leaves_say_what_their_pictures_say(shared_data: Path) -> None:
    """Every letter that was marked is drawn on its leaf, as another program sees it."""
    leaves = marked_leaves()
    assert len(leaves) >= 30 and len({leaf.name for leaf in leaves}) == len(leaves)
    for leaf in leaves:
        glyphs = DrawnGlyphs(shared_data / "documents" / "pdf" / leaf.file, None)
        there = Counter("".join(glyph.letters for glyph in glyphs.on(leaf.index)))
        glyphs.close()
        assert sum(map(len, leaf.chains)) >= 4
        for snippet in {snippet for chain in leaf.chains for snippet in chain}:
            assert not content(snippet) - there, f"{leaf.name}: {snippet}"


# -- anchors -----------------------------------------------------------------------------------------------------


def test_turned_cropped_and_scaled_leaves_have_their_words_under_their_rectangles(tmp_path: Path) -> None:
    """Trap 9: PDFium finds the words of spans under the rectangles, on every kind of leaf."""
    path = hostile.turned(tmp_path / "turned.pdf", random.Random(1))
    reading, drawer = reading_of(path), LeafDrawer()
    try:
        found = pdf_anchors(path, None, reading, drawer, 60, seed=1)
        assert (found.right, found.back) == (found.spans, found.sent) == (60, 6), found.wrong
        drawer_of_others = cast(LeafDrawer, Displaced(drawer))
        assert pdf_anchors(path, None, reading, drawer_of_others, 20, seed=1).right == 0
    finally:
        drawer.close()


class Displaced:
    """A drawing process that places everything twelve points too low."""

    def __init__(self, drawer: LeafDrawer) -> None:
        self._drawer = drawer

    def locate(self, path: Path, password: str | None, spots: tuple[LeafSpot, ...]) -> tuple[LeafSpot, ...]:
        found = self._drawer.locate(path, password, spots)
        return tuple(replace(one, rectangles=tuple(map(self._lower, one.rectangles))) for one in found)

    def _lower(self, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        return box[0] + 12, box[1] + 12, box[2] + 12, box[3] + 12


def test_an_anchor_that_names_other_words_is_told(paper: Path) -> None:
    reading, drawer = reading_of(paper), LeafDrawer()
    try:
        found = pdf_anchors(paper, None, changed(reading, 0, moved), drawer, 40, seed=1)
    finally:
        drawer.close()
    assert 0 < found.spans - found.right < 40 and found.wrong


def test_letters_under_rectangles_are_compared_as_they_are() -> None:
    glyphs = [
        Glyph("a", (0, 0, 4, 8)),
        Glyph("fi", (5, 0, 10, 8)),
        Glyph("b", (11, 0, 15, 8)),
        Glyph("c", (0, 20, 4, 28)),
    ]
    inside, touched = under([(0, 0, 4.5, 8)], glyphs)
    assert ([one.letters for one in inside], [one.letters for one in touched]) == (["a"], ["fi"])
    assert not differs("a", inside, touched) and not differs("af", inside, touched)
    assert differs("ab", inside, touched) and differs("", inside, touched) and differs("ax", inside, touched)
    inside, touched = under([(0, 0, 15, 8)], glyphs)
    assert not differs("a fi-b", inside, touched) and differs("a fi bc", inside, touched)
    assert not differs("a b 0", inside, touched, Counter("0")) and differs("a b 00", inside, touched, Counter("0"))


def test_paper_is_no_ink() -> None:
    row = bytes([255] * 3 * 4 + [0] * 3 * 4)
    picture = Picture(8, 4, 24, row * 4)
    assert has_ink(picture, (2, 0, 6, 4), 1.0) and not has_ink(picture, (0, 0, 2, 4), 1.0)


# -- damaged and harmful -----------------------------------------------------------------------------------------


def test_a_seed_says_all_of_a_damaged_pdf(shared_data: Path) -> None:
    first, again = PdfNursery(shared_data), PdfNursery(shared_data)
    count = len(first.kinds)
    mutants = [first.mutant(seed) for seed in range(3 * count)]
    assert [again.mutant(seed) for seed in reversed(range(3 * count))] == mutants[::-1]
    assert [one.kind.split("+")[0].split(" of ")[0] for one in mutants[:count]] == first.kinds
    assert len({one.data for one in mutants}) > 2.8 * count and count >= 19


def test_a_process_that_is_held_is_seen() -> None:
    ticker = Ticker()
    ticker.start()
    time.sleep(0.3)
    assert ticker.longest < 0.1, "who sleeps is not held"
    ticker.begin()
    sum(range(12_000_000))
    held = ticker.longest
    ticker.close()
    assert held > 0.05


def test_how_long_a_cancel_takes_is_measured() -> None:
    def stubborn(token: CancelToken) -> None:
        while not token.cancelled:
            time.sleep(0.01)
        time.sleep(0.3)

    assert taken_back(lambda token: None, 0.05) == 0.0
    assert 0.25 < taken_back(stubborn, 0.05) < LIMIT_SECONDS
    assert threading.active_count() < 10


def test_what_a_harmful_file_may_do() -> None:
    harm = Harm("a", "opened", 1.0, "drawn", 1.0, 0.1, 0.01, 50.0, 90.0)
    assert harm.is_allowed and replace(harm, read="refused", drawn="refused").is_allowed
    for wrong in (
        replace(harm, read="hang"),
        replace(harm, read="wrong"),
        replace(harm, drawn="unclear"),
        replace(harm, draw_seconds=20.5),
        replace(harm, read_seconds=20.5),
    ):
        assert not wrong.is_allowed


def test_files_with_scripts_and_programs_start_nothing(tmp_path: Path) -> None:
    path = hostile.HOSTILE["actions"](tmp_path / "actions.pdf")
    harm = harm_of(path)
    assert harm.is_allowed and harm.read == "opened" and harm.drawn == "drawn"
    assert not list(tmp_path.glob("*.sign"))


def test_the_reader_itself_reads_a_file_with_cycles(tmp_path: Path) -> None:
    path = hostile.HOSTILE["outline-cycle"](tmp_path / "outline-cycle.pdf")
    reader = DocumentReader()
    try:
        reading = collected(reader.read(path))
    finally:
        reader.close()
    assert Document("", reading.sections, reading.paragraphs).text(0, 99) == "It was a bright cold day in April."


def test_a_report_is_met_where_all_targets_are() -> None:
    report = Report()
    report.figure("a", 0.996, (">=", 0.995))
    report.figure("b", 3, ("<=", 3))
    assert report.is_met and '"met": true' in report.told("pdf", {})
    report.figure("b", 3.1, ("<=", 3))
    assert not report.is_met
