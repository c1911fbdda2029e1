"""Notes, readings, descriptions, first letters and tables of an EPUB (traps 28 and its neighbours)."""

from __future__ import annotations

from pathlib import Path

import pytest

from readdesk.documents.model import Paragraph, find_anchor
from tests.documents.reading import read
from tests.samples import make


def paragraphs(tmp_path: Path, *bodies: str) -> tuple[Paragraph, ...]:
    files = {f"{number}.xhtml": make.xhtml(body) for number, body in enumerate(bodies)}
    nav = "".join(make.entry(name, name) for name in files)
    return read(make.epub(tmp_path / "book.epub", files, nav=nav)).document.paragraphs


def references(found: tuple[Paragraph, ...]) -> list[tuple[str, str]]:
    """The marks of notes in the text, with the text of their notes."""
    notes = {mark.value: paragraph.text for paragraph in found for mark in paragraph.marks if mark.kind == "target"}
    return [
        (paragraph.text[mark.start : mark.end], notes.get(mark.value, ""))
        for paragraph in found
        for mark in paragraph.marks
        if mark.kind == "note"
    ]


SUP = "<sup>[1]</sup>"
SPHINX = '<a class="footnote-reference brackets" href="#f" id="r">1</a>'
DEFINITION = '<dl class="footnote brackets"><dt id="f"><span><a class="fn-backref" href="#r">1</a></span></dt>'


@pytest.mark.parametrize(
    ("body", "label", "note"),
    [
        (
            'x<a epub:type="noteref" href="#n">3</a></p><aside epub:type="footnote" id="n">Said.</aside><p>',
            "3",
            "Said.",
        ),
        ('x<a role="doc-noteref" href="#n">*</a></p><p role="doc-footnote" id="n">Said.</p><p>', "*", "Said."),
        ('x<sup><a href="#n">[2]</a></sup></p><div><p id="n">2. Said.</p></div><p>', "[2]", "2. Said."),
        ('x<a href="#n"><sup>2</sup></a></p><div><p><a id="n"/>2. Said.</p></div><p>', "2", "2. Said."),
        ('x<a href="#n" id="r">[1]</a></p><p id="n">[<a href="#r">1</a>] Said.</p><p>', "[1]", "[1] Said."),
        (
            f'x<a id="r" href="#n">{SUP}</a></p><div id="n"><p><a href="#r">{SUP}</a>Said.</p></div><p>',
            "[1]",
            "[1] Said.",
        ),
        (f"x{SPHINX}</p>{DEFINITION}<dd><p>Said.</p></dd></dl><p>", "1", "1 Said."),
        ('x<a role="doc-noteref" href="#n">1</a></p><ul><li id="n"><p>Said. ↩</p></li></ul><p>', "1", "Said. ↩"),
    ],
)
def test_a_reference_knows_its_note(tmp_path: Path, body: str, label: str, note: str) -> None:
    """Trap 28: linked, not glued to words, and no number in what a model reads."""
    found = paragraphs(tmp_path, f"<p>A word {body} The end.</p>")
    assert references(found) == [(label, note)]
    assert found[0].text == f"A word x {label}" and found[0].as_read(0, len(found[0].text)) == "A word x"
    assert [paragraph.kind for paragraph in found] == ["text", "note", "text"]


def test_notes_in_a_file_of_their_own(tmp_path: Path) -> None:
    text = '<p>One<a epub:type="noteref" href="1.xhtml#n1">1</a> two<a epub:type="noteref" href="1.xhtml#n2">2</a>.</p>'
    notes = (
        '<section epub:type="endnotes"><ol><li id="n1"><p>First.</p></li><li id="n2"><p>Second.</p></li></ol></section>'
    )
    found = paragraphs(tmp_path, text, notes)
    assert references(found) == [("1", "First."), ("2", "Second.")]
    assert found[0].text == "One 1 two 2."
    assert found[0].as_read(0, 12) == "One two." and found[0].as_read(4, 12) == " two."
    assert [(paragraph.kind, paragraph.section) for paragraph in found] == [("text", 0), ("note", 1), ("note", 1)]


def test_ways_back_from_notes_in_another_file_are_no_references(tmp_path: Path) -> None:
    text = '<p>One<sup><a id="r1" href="1.xhtml#n1">1</a></sup> more.</p>'
    notes = '<p id="n1"><sup><a href="0.xhtml#r1">1</a></sup> First.</p>'
    found = paragraphs(tmp_path, text, notes)
    assert references(found) == [("1", "1 First.")]
    assert [paragraph.kind for paragraph in found] == ["text", "note"]


@pytest.mark.parametrize(
    "body",
    [
        '<p>See section <a href="#four">4</a>.</p><h2 id="four">Four</h2>',
        '<p>See <a href="#p">here</a> and <a href="http://x.invalid/#1">1</a></p><p id="p">x</p>',
        '<nav><ol><li><a href="#x">1</a></li></ol></nav><p id="x">One</p>',
        '<div epub:type="index"><p>whales, <a href="#x"><sup>12</sup></a></p></div><p id="x">One</p>',
        '<p>As <a id="r" href="#n">the note says</a></p><p id="n">[<a href="#r">1</a>] Said.</p>',
        '<p><sup><a id="v1" href="#v1">1</a></sup> In the beginning</p>',
        '<p><a id="t1" href="#c1">1</a></p><h2 id="c1"><a href="#t1">1</a></h2><p>Text.</p>',
    ],
)
def test_other_links_are_none(tmp_path: Path, body: str) -> None:
    assert references(paragraphs(tmp_path, body)) == []


def test_a_long_chapter_is_no_note_because_a_number_leads_to_it(tmp_path: Path) -> None:
    long = "It went on and on. " * 400
    found = paragraphs(tmp_path, f'<p>x<sup><a href="#c">2</a></sup></p><div id="c"><p>{long}</p></div>')
    assert [paragraph.kind for paragraph in found] == ["text", "text"]


@pytest.mark.parametrize(
    ("html", "text", "readings"),
    [
        ("<ruby>漢字<rt>かんじ</rt></ruby>を", "漢字を", [("漢字", "かんじ")]),
        ("<ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>", "漢字", [("漢", "かん"), ("字", "じ")]),
        ("前<ruby><rb>漢字</rb><rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>後", "前漢字後", [("漢字", "かんじ")]),
        ("<ruby>漢字<rt> </rt></ruby>", "漢字", []),
    ],
)
def test_readings_of_ruby(tmp_path: Path, html: str, text: str, readings: list[tuple[str, str]]) -> None:
    (paragraph,) = paragraphs(tmp_path, f"<p>{html}</p>")
    assert paragraph.text == text
    found = [(text[mark.start : mark.end], mark.value) for mark in paragraph.marks if mark.kind == "ruby"]
    assert found == readings


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ('<p><span class="dropcap">T</span>he end.</p>', "The end."),
        ('<div class="drop-cap">T</div>\n<p>he end.</p>', "The end."),
        ('<p><img src="t.png" alt="T"/>he end.</p>', "The end."),
        ('<p><img src="t.png" alt="T"/> he end.</p>', "he end."),
        ('<p><img src="a.png" alt="A"/> man at the end.</p>', "A man at the end."),
    ],
)
def test_a_large_first_letter_belongs_to_its_word(tmp_path: Path, html: str, text: str) -> None:
    (paragraph,) = paragraphs(tmp_path, html)
    assert paragraph.text == text
    start = text.index("end")
    assert find_anchor([paragraph], paragraph.anchor_of(start, start + 3)) == (start, start + 3)


@pytest.mark.parametrize(
    ("image", "described"),
    [
        ('<img src="a.png" alt="A map of the house"/>', "A map of the house"),
        ('<img src="gone.png" alt="A map"/>', "A map"),
        ('<img src="a.png" alt="a.png"/>', None),
        ('<img src="a.png" alt="Image"/>', None),
        ('<img src="a.png" alt=""/>', None),
    ],
)
def test_what_a_picture_shows_is_said(tmp_path: Path, image: str, described: str | None) -> None:
    (paragraph,) = paragraphs(tmp_path, f"<p>Before {image} after.</p>")
    assert paragraph.text == "Before after."
    assert [mark.value for mark in paragraph.marks if mark.kind == "alt"] == ([described] if described else [])
    said = f"Before [Picture: {described}] after." if described else "Before after."
    assert paragraph.as_read(0, len(paragraph.text)) == said


@pytest.mark.parametrize(
    ("html", "told"),
    [
        ("10<sup>6</sup> people on 5 m<sup>2</sup>", "10^6 people on 5 m^2"),
        ("10<sup>-3</sup>, x<sup>n</sup>, the 1<sup>st</sup>, H<sub>2</sub>O", "10^-3, xn, the 1st, H2O"),
        ("“Yes.”<sup>1</sup> He left.<sup>23</sup> Then", "“Yes.” He left. Then"),
        ("词语<a epub:type='noteref' href='#n'>[3]</a>继续", "词语继续"),
        ("言葉<sup><a href='#n'>3</a></sup>続く", "言葉続く"),
    ],
)
def test_what_a_model_reads_of_raised_characters(tmp_path: Path, html: str, told: str) -> None:
    """A power is told from a number; a mark of a note, linked or not, is none (trap 28)."""
    paragraph = paragraphs(tmp_path, f"<p>{html}</p><p id='n'>Said.</p>")[0]
    assert paragraph.as_read(0, len(paragraph.text)) == told


def test_a_picture_is_described_once(tmp_path: Path) -> None:
    (paragraph,) = paragraphs(tmp_path, '<p>One sentence. <img src="a.png" alt="A map of Rome"/>Two sentences.</p>')
    assert paragraph.as_read(0, 14) == "One sentence. "
    assert paragraph.as_read(14, len(paragraph.text)) == "[Picture: A map of Rome] Two sentences."


def test_a_table_is_rows(tmp_path: Path) -> None:
    html = "<table><tr><th>Name</th><th>Age</th></tr><tr><td>Ann</td><td><p>7</p></td></tr></table>"
    found = paragraphs(tmp_path, html)
    assert [(paragraph.kind, paragraph.text) for paragraph in found] == [("table", "Name\tAge"), ("table", "Ann\t7")]
    assert [mark.kind for mark in found[0].marks] == ["strong", "strong"]
    assert found[1].as_read(0, 5) == "Ann | 7"


def test_lines_of_verse_and_their_numbers(tmp_path: Path) -> None:
    html = (
        '<div class="linegroup"><div>April is the cruellest month</div><div class="in"><div>breeding</div></div>'
        '<div>Lilacs<span class="lnum">10</span></div></div>'
    )
    (paragraph,) = paragraphs(tmp_path, html)
    assert (paragraph.kind, paragraph.text) == ("verse", "April is the cruellest month\nbreeding\nLilacs")
    assert [(mark.kind, mark.value) for mark in paragraph.marks] == [("line", "10")]


def test_every_reference_of_real_books_finds_its_note(shared_data: Path) -> None:
    counts = {"meditations": 122, "war-and-peace": 137, "debian-policy": 128, "debmake-doc-zh-cn": 22}
    counts |= {"wasteland-obfuscated-font": 50, "developers-reference-ru": 8, "regime-anticancer-ar": 1}
    for name, count in counts.items():
        found = references(read(shared_data / f"documents/epub/{name}.epub").document.paragraphs)
        assert (name, len(found), [label for label, note in found if not note]) == (name, count, [])


def test_readings_of_a_real_book(shared_data: Path) -> None:
    book = read(shared_data / "documents/epub/kusamakura-vertical-ja.epub")
    found = [
        (p.text[mark.start : mark.end], mark.value)
        for p in book.document.paragraphs
        for mark in p.marks
        if mark.kind == "ruby"
    ]
    assert len(found) == 4603 and ("奇麗", "きれい") in found and ("白隠和尚", "はくいんおしょう") in found
