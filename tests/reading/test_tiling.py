"""Pages tile any document exactly, whatever the model answers (ReadAgent's code loses text at both ends)."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from readdesk.cancel import CancelToken
from readdesk.documents.model import Document
from readdesk.documents.normal import count_words
from readdesk.errors import ModelError
from readdesk.reading.agent import ReadingAgent
from readdesk.reading.model import ReadPage
from readdesk.reading.paginate import SIZES, PageSize, section_end
from tests.fakes import ScriptedEngine, a_document, words

SIZE = PageSize(longest=60, shortest=25)
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


def read_all(document: Document, engine: ScriptedEngine) -> list[ReadPage]:
    agent = ReadingAgent(engine, "scripted")
    pages: list[ReadPage] = []
    position = 0
    while position < document.end:
        pages.append(agent.read_page(document, len(pages) + 1, position, SIZE, CancelToken()))
        assert pages[-1].page.end > position, "pagination did not advance"
        position = pages[-1].page.end
    return pages


@settings(max_examples=150, deadline=None)
@given(documents(), st.lists(st.one_of(st.integers(0, 25), st.none()), max_size=40), st.sampled_from([500, 8192]))
def test_pages_tile_any_document(document: Document, picks: list[int | None], context: int) -> None:
    choices = [ModelError("no labels") if pick is None else pick for pick in picks]
    engine = ScriptedEngine(choices=choices, otherwise=lambda asked: SHORTENED, context=context)
    pages = [read.page for read in read_all(document, engine)]

    assert pages[0].start == 0
    assert pages[-1].end == document.end
    assert all(before.end == after.start for before, after in pairwise(pages))
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    whole = "".join(paragraph.text for paragraph in document.paragraphs)
    assert "".join(whole[page.start : page.end] for page in pages) == whole
    for page in pages:
        assert page.end <= section_end(document, page.start), "a page crosses a top-level section"
        assert page.words <= SIZE.longest, "a page is longer than the longest"
        if page.broken_by == "model":
            assert page.words >= SIZE.shortest, "the model was offered a label too early"
        if page.broken_by == "fallback" and context > 500:
            assert page.words >= SIZE.shortest, "a page is too short although the next text would have fitted"
        kinds = [paragraph.kind for paragraph, _, _ in document.between(page.start, page.end)]
        if kinds[-1] == "heading" and page.end < section_end(document, page.start):
            assert set(kinds) == {"heading"}, "a heading is parted from the text beneath it"


def test_words_after_a_label_do_not_count_towards_it() -> None:
    document = a_document([words(100)] * 8)
    engine = ScriptedEngine(choices=[0], otherwise=lambda asked: words(60, "gist"))
    first = ReadingAgent(engine, "scripted").read_page(document, 1, 0, SIZES["article"], CancelToken())
    assert first.page.words == 300  # the first label stands after the third paragraph: 200 words are below 280


def test_a_heading_stays_with_the_text_beneath_it() -> None:
    document = a_document([words(30), "A new chapter", words(25), words(40)], headings=[1])
    engine = ScriptedEngine(choices=[ModelError("no")], otherwise=lambda asked: "Somebody goes to the pier again.")
    first = ReadingAgent(engine, "scripted").read_page(document, 1, 0, SIZE, CancelToken())
    assert document.text(first.page.start, first.page.end) == words(30)
    assert first.page.broken_by == "fallback"


def test_one_reading_serves_choice_and_gist() -> None:
    document = a_document([words(100)] * 8)
    engine = ScriptedEngine(choices=[0], otherwise=lambda asked: words(60, "gist"))
    ReadingAgent(engine, "scripted").read_page(document, 1, 0, SIZES["article"], CancelToken())
    chosen, streamed = engine.chosen[0].messages[-1].content, engine.streamed[0].messages[-1].content
    until_label = chosen[: chosen.index("[A]")]
    assert count_words(until_label) >= 300
    assert streamed.startswith(until_label), "the gist's prompt does not continue what was read for the choice"
