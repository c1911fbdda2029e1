"""Pages tile any document exactly, whatever the model answers (ReadAgent's code loses text at both ends)."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readdesk.documents.model import Document, Paragraph
from readdesk.documents.normal import count_words
from readdesk.errors import LabelError
from readdesk.reading.agent import ReadingAgent
from readdesk.reading.model import Page, PausesBy
from readdesk.reading.paginate import SIZES, PageSize, Unit, candidates, fallback_break, kind_of, section_end, window
from readdesk.reading.prompts import LABELS
from tests.fakes import ScriptedEngine, a_document, words
from tests.reading.reading import ReadPage, read_page

SIZE = PageSize(longest=60, shortest=25)
LONGEST_UNIT = (SIZE.longest - SIZE.shortest) // 3
PAUSES: tuple[PausesBy, ...] = ("model", "words")
SHORTENED = "Somebody goes to the pier and comes back again."

_PARAGRAPHS = st.one_of(
    st.integers(1, 40).map(words),
    st.integers(100, 300).map(words),
    st.integers(80, 200).map(lambda count: " ".join(f"endless{number}" for number in range(count))),
    st.integers(1, 250).map(lambda count: "文" * count),
    st.integers(1, 30).map(lambda count: "他去了码头。" * count),
    st.text(alphabet="aé ß\u2028.!?", min_size=1, max_size=60).filter(str.strip),
    st.just("x" * 900),
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    texts = draw(st.lists(_PARAGRAPHS, min_size=1, max_size=14))
    places = st.integers(0, len(texts) - 1)
    headings = draw(st.lists(places, max_size=5, unique=True))
    begun = sorted({0, *draw(st.lists(places, max_size=4))})
    levels = [1, *draw(st.lists(st.integers(1, 3), min_size=len(begun) - 1, max_size=len(begun) - 1))]
    return a_document(texts, headings=headings, sections=begun, levels=levels)


def read_all(
    document: Document, engine: ScriptedEngine, size: PageSize = SIZE, pauses: PausesBy = "model"
) -> list[ReadPage]:
    agent = ReadingAgent(engine, "scripted", pauses)
    pages: list[ReadPage] = []
    position = 0
    while position < document.end:
        pages.append(read_page(agent, document, len(pages) + 1, position, size))
        assert pages[-1].page.end > position, "pagination did not advance"
        position = pages[-1].page.end
    return pages


@settings(max_examples=150, deadline=None)
@given(
    documents(),
    st.lists(st.one_of(st.integers(0, 25), st.none()), max_size=40),
    st.sampled_from([500, 8192]),
    st.sampled_from(PAUSES),
)
def test_pages_tile_any_document(document: Document, picks: list[int | None], context: int, pauses: PausesBy) -> None:
    """Trap 39: whoever looks for pauses, also where the model cannot name one, every character is on one page."""
    choices = [LabelError("no labels") if pick is None else pick for pick in picks]
    engine = ScriptedEngine(choices=choices, otherwise=lambda asked: SHORTENED, context=context)
    pages = [read.page for read in read_all(document, engine, pauses=pauses)]
    assert not engine.chosen or pauses == "model"

    assert pages[0].start == 0
    assert pages[-1].end == document.end
    assert all(before.end == after.start for before, after in pairwise(pages))
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    whole = "".join(paragraph.text for paragraph in document.paragraphs)
    assert "".join(whole[page.start : page.end] for page in pages) == whole
    for page in pages:
        assert page.end <= section_end(document, page.start), "a page crosses a top-level section"
        assert page.words <= SIZE.longest, "a page is longer than the longest"
        if page.broken_by in ("model", "words"):
            assert page.words >= SIZE.shortest, "a page could end too early"
        after = document.between(page.end, page.end + 1)
        kinds = [paragraph.kind for paragraph, _, _ in document.between(page.start, page.end)]
        if page.broken_by == "fallback" and context > 500 and after[0][0].kind != "heading":
            assert page.words >= SIZE.shortest, "a page is too short although more text would have fitted"
        last = document.between(page.start, page.end)[-1][0]
        if last.kind == "heading" and is_whole(last, page) and page.end < section_end(document, page.start):
            assert set(kinds) == {"heading"}, "a heading is parted from the text beneath it"


@settings(max_examples=60, deadline=None)
@given(documents(), st.sampled_from(PAUSES), st.data())
def test_pages_tile_what_is_not_left_out(document: Document, pauses: PausesBy, data: st.DataObject) -> None:
    """Each stretch exactly, and no page goes into the one beside it or over the place where another page begins."""
    flags = data.draw(st.lists(st.booleans(), min_size=len(document.sections), max_size=len(document.sections)))
    sections = tuple(replace(section, is_left_out=flag) for section, flag in zip(document.sections, flags, strict=True))
    document = replace(document, sections=sections)
    agent = ReadingAgent(ScriptedEngine(otherwise=lambda asked: SHORTENED), "scripted", pauses)
    for start, end in document.readable():
        stop = data.draw(st.integers(start + 1, end))  # Another page, made before, begins here.
        for position, until in ((start, stop), (stop, end)):
            while position < until:
                page = read_page(agent, document, 1, position, SIZE, until).page
                assert page.start == position < page.end <= until
                position = page.end


def is_whole(paragraph: Paragraph, page: Page) -> bool:
    """Whether a page holds the whole of a paragraph that is short enough to be a heading."""
    return page.start <= paragraph.start and paragraph.end <= page.end and count_words(paragraph.text) <= LONGEST_UNIT


def test_words_after_a_label_do_not_count_towards_it() -> None:
    document = a_document([words(10), words(10), words(10), words(10), words(40)])
    engine = ScriptedEngine(choices=[0])
    first = read_page(ReadingAgent(engine, "scripted"), document, 1, 0, SIZE)
    assert first.page.words == 30  # not 20: the paragraph after a label is not on the page


def test_a_heading_stays_with_the_text_beneath_it() -> None:
    document = a_document([words(30), "A new chapter", words(25), words(40)], headings=[1])
    engine = ScriptedEngine(choices=[LabelError("no")], otherwise=lambda asked: "Somebody goes to the pier again.")
    first = read_page(ReadingAgent(engine, "scripted"), document, 1, 0, SIZE)
    assert document.text(first.page.start, first.page.end) == words(30)
    assert first.page.broken_by == "fallback"


def test_one_reading_serves_choice_and_gist() -> None:
    document = a_document([words(40), words(50), words(45), words(80)])
    engine = ScriptedEngine(choices=[0], replies=[words(20, "short")])
    read_page(ReadingAgent(engine, "scripted"), document, 1, 0, PageSize(200, 80))
    chosen, streamed = engine.chosen[0].messages[-1].content, engine.streamed[0].messages[-1].content
    until_label = chosen[: chosen.index("[A]")]
    assert count_words(until_label) >= 80
    assert streamed.startswith(until_label), "the gist's prompt does not continue what was read for the choice"


def test_where_the_words_change_a_page_ends_without_the_model() -> None:
    """And no label is in the prompt of its gist, nor could one be in the gist (trap 73)."""
    ship = " ".join(f"The ship{number % 7} sailed the sea and the mate{number % 5} sang." for number in range(12))
    mill = " ".join(f"A mill{number % 7} ground the corn while bread{number % 5} baked." for number in range(12))
    document = a_document([ship, ship, ship, mill, mill, mill])
    engine = ScriptedEngine(otherwise=lambda asked: words(45, "short"))
    size = PageSize(550, 150)
    agent = ReadingAgent(engine, "scripted", "words")
    first = read_page(agent, document, 1, 0, size)
    assert (first.page.end, first.page.broken_by) == (document.paragraphs[3].start, "words")
    assert engine.chosen == [] and "[A]" not in engine.streamed[0].text
    last = read_page(agent, document, 2, first.page.end, size)
    assert (last.page.end, last.page.broken_by) == (document.end, "end")


@pytest.mark.parametrize("pauses", PAUSES)
def test_a_page_too_short_for_any_place_ends_by_rule(pauses: PausesBy) -> None:
    """Trap 39: the context holds less than the shortest page, so there is no place to choose from."""
    document = a_document([words(100, f"p{number}x") for number in range(20)])
    engine = ScriptedEngine(context=1100, otherwise=lambda asked: words(30, "short"))
    pages = [read.page for read in read_all(document, engine, PageSize(3000, 1500), pauses)]
    assert {page.broken_by for page in pages[:-1]} == {"fallback"} and engine.chosen == []
    assert [page.start for page in pages] == [0, *(page.end for page in pages[:-1])]


def test_a_label_of_two_tokens_ends_the_page_by_rule() -> None:
    """Trap 73: a model that cannot score the letters is not asked to write one."""
    document = a_document([words(40), words(50), words(45), words(80)])
    engine = ScriptedEngine(choices=[LabelError("two pieces")], replies=[words(30, "short")])
    read = read_page(ReadingAgent(engine, "scripted"), document, 1, 0, PageSize(200, 80))
    assert read.page.broken_by == "fallback" and len(engine.streamed) == 1
    assert "".join(engine.chosen[0].options) == "ABCDE" and "[A]" in engine.chosen[0].text
    assert "[A]" not in engine.streamed[0].text, "nothing was read of the passage with letters in it"


def test_the_previous_page_is_shown_where_that_helps_and_nowhere_else() -> None:
    document = a_document([words(30, "before"), words(30, "after"), words(40)])
    for size, shown in ((PageSize(60, 25), False), (PageSize(60, 25, with_previous=True), True)):
        engine = ScriptedEngine()
        read_page(ReadingAgent(engine, "scripted"), document, 2, document.paragraphs[0].end, size)
        assert ("Just before this passage:\nbefore0 before1" in engine.chosen[0].text) is shown


def test_a_page_holds_what_fits_the_context_and_the_next_goes_on() -> None:
    document = a_document([words(100, f"p{number}x") for number in range(40)])
    engine = ScriptedEngine(context=1400, otherwise=lambda asked: words(30, "short"))
    pages = read_all(document, engine, PageSize(3000, 500))
    assert len(pages) > 4 and pages[-1].page.end == document.end
    assert all(read.gist.flag == "" for read in pages), "every prompt fitted"


def test_labels_are_letters_thinned_evenly_and_the_last_place_has_one() -> None:
    document = a_document([words(10, f"p{number}x") for number in range(120)])
    size = PageSize(1000, 100)
    units = window(document, 0, size)
    labels = candidates(units, size)
    assert list(labels.values()) == list(LABELS)
    places = list(labels)
    assert (places[0], places[-1]) == (9, 99)
    assert {after - before for before, after in pairwise(places)} <= {3, 4}


def test_a_page_ends_before_a_heading_by_rule_else_at_the_last_place() -> None:
    units = [Unit(number, number + 1, 10, heading=number in (5, 8)) for number in range(10)]
    labels = {3: "A", 4: "B", 6: "C", 7: "D", 9: "E"}
    assert fallback_break(units, labels) == 7
    assert fallback_break(units[:5], {3: "A", 4: "B"}) == 4
    assert fallback_break(units[:9], {}) == 7, "no heading at the end of a page"
    assert fallback_break([Unit(0, 1, 3, heading=True)], {}) == 0


def test_a_paragraph_as_long_as_a_book_is_read_in_time_and_cut_at_spaces() -> None:
    for text in ("word " * 200_000, "字" * 600_000, "Somebody went to the pier again. " * 30_000):
        document = a_document([text])
        started = time.process_time()
        position, unit_ends = 0, []
        for _ in range(20):
            units = window(document, position, SIZES["article"])
            position = units[-1].end
            unit_ends += [unit.end for unit in units]
        assert time.process_time() - started < 30.0, "the time grows with the length of the paragraph"
        if " " in text:
            assert all(text[end - 1] == " " for end in unit_ends)


def test_top_level_sections_end_pages_and_lower_ones_do_not() -> None:
    texts = [words(20, f"p{number}x") for number in range(6)]
    document = a_document(texts, sections=[0, 2, 4], levels=[1, 2, 1])
    assert (
        section_end(document, 0) == section_end(document, document.paragraphs[2].start) == document.paragraphs[4].start
    )
    assert section_end(document, document.paragraphs[4].start) == document.end


def test_kinds_follow_the_length() -> None:
    assert (kind_of(29_999), kind_of(30_000)) == ("article", "book")
    assert all(size.shortest < size.longest for size in SIZES.values())
