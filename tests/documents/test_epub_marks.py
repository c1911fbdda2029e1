"""How text is set in EPUBs: emphasis with its characters, levels, labels of lists, and where pictures stand."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from readdesk.documents.draft import POINTS, Draft
from readdesk.documents.html import elements, markup
from readdesk.documents.model import Mark, Paragraph
from readdesk.documents.stream import cut
from tests.documents.reading import bare, read
from tests.samples import make

PIXEL = b"\x89PNG\r\n\x1a\n"


def paragraphs(tmp_path: Path, body: str, *more: str) -> Sequence[Paragraph]:
    """The paragraphs of a book of files that each are a section; it has the pictures a.png, b.png and c.svg."""
    files = {f"{number}.xhtml": make.xhtml(text) for number, text in enumerate((body, *more))}
    nav = "".join(make.entry(name, f"File {name}") for name in files)
    members = {f"OPS/pictures/{name}": PIXEL for name in ("a.png", "b.png", "c.svg")}
    return read(make.epub(tmp_path / "book.epub", files, nav=nav, members=members)).document.paragraphs


def shown(paragraph: Paragraph) -> list[tuple[str, str]]:
    """Kind of every mark with its characters, or with its place and value."""
    return [
        (mark.kind, f"{mark.start} {mark.value}" if mark.kind in POINTS else paragraph.text[mark.start : mark.end])
        for mark in paragraph.marks
    ]


# -- characters --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        *((f"<{tag}>x</{tag}>", "emphasis") for tag in ("em", "i", "cite", "dfn", "var")),
        *((f"<{tag}>x</{tag}>", "strong") for tag in ("strong", "b")),
        *((f"<{tag}>x</{tag}>", "code") for tag in ("code", "kbd", "samp", "tt")),
        ("<sup>x</sup>", "superscript"),
        ("<sub>x</sub>", "subscript"),
        ('<span style="color: red; font-style : italic">x</span>', "emphasis"),
        ('<span style="FONT-WEIGHT:bold">x</span>', "strong"),
        ('<span style="font-weight: 700">x</span>', "strong"),
        ('<span style="font-size: 70%; vertical-align: super">x</span>', "superscript"),
    ],
)
def test_kinds(tmp_path: Path, html: str, kind: str) -> None:
    (paragraph,) = paragraphs(tmp_path, f"<p>Before {html} after</p>")
    assert paragraph.text == "Before x after"
    assert paragraph.marks == (Mark(7, 8, kind),)  # type: ignore[arg-type]


@pytest.mark.parametrize("html", ['<span style="font-weight: 400">x</span>', "<q>x</q>", "<em> </em>", "<b/>"])
def test_what_is_not_marked(tmp_path: Path, html: str) -> None:
    assert paragraphs(tmp_path, f"<p>Before {html} after</p>")[0].marks == ()


@pytest.mark.parametrize(
    ("html", "text", "marks"),
    [
        ("<p>\n  <em> One\n  two </em>\n three</p>", "One two three", [("emphasis", "One two")]),
        ("<p>One <em>two<br/>three</em></p>", "One two\nthree", [("emphasis", "two\nthree")]),
        ("<p>One <em><br/>two </em><br/>three</p>", "One\ntwo\nthree", [("emphasis", "two")]),
        ("<p>so\u00adft <i>hy\u00adphen</i></p>", "soft hyphen", [("emphasis", "hyphen")]),
        ("<p><b>a<i>b</i></b><i>c</i></p>", "abc", [("strong", "ab"), ("emphasis", "b"), ("emphasis", "c")]),
        ("<p><em>a <i>b</i> c</em></p>", "a b c", [("emphasis", "a b c")]),
        ("<p>x<sup><a href='#n'>1</a></sup></p>", "x 1", [("note", "1"), ("superscript", "1")]),
        ("<pre>a <code>b</code> <b>c</b></pre>", "a b c", [("strong", "c")]),
        ("<p>a <script><b>b</b></script><em>c</em></p>", "a c", [("emphasis", "c")]),
        ("<p style='font-style: italic'>a</p>", "a", [("emphasis", "a")]),
    ],
)
def test_spans(tmp_path: Path, html: str, text: str, marks: list[tuple[str, str]]) -> None:
    (paragraph,) = paragraphs(tmp_path, html)
    assert (paragraph.text, shown(paragraph)) == (text, marks)


def test_a_mark_goes_on_over_blocks(tmp_path: Path) -> None:
    found = paragraphs(tmp_path, "<p>One</p><i><p>two</p> <p>three</p></i><p>four</p>")
    assert [shown(paragraph) for paragraph in found] == [[], [("emphasis", "two")], [("emphasis", "three")], []]


def test_marks_are_cut_with_a_long_paragraph(tmp_path: Path) -> None:
    sentence = "<p>" + "The <em>quick</em> fox. " * 1500 + "</p>"
    whole = "<p><b>" + make.PARAGRAPH * 700 + '<img src="pictures/a.png"/></b></p>'
    found = paragraphs(tmp_path, sentence, whole)
    first = [paragraph for paragraph in found if paragraph.section == 0]
    assert len(first) == 2 and sum(len(paragraph.marks) for paragraph in first) == 1500
    assert {words for paragraph in first for words in shown(paragraph)} == {("emphasis", "quick")}
    second = [paragraph for paragraph in found if paragraph.section == 1]
    assert len(second) > 2
    assert all(paragraph.marks[0] == Mark(0, len(paragraph.text), "strong") for paragraph in second)
    pictures = [shown(paragraph)[1:] for paragraph in second]
    assert pictures == [[]] * (len(second) - 1) + [[("image", f"{len(second[-1].text)} OPS/pictures/a.png")]]


def test_a_picture_in_the_white_space_at_a_cut_is_kept_once() -> None:
    text = "x" * 19_000 + ". " + "y" * 19_000
    marks = tuple(Mark(place, place, "image", "a.png") for place in (19_001, 19_002))
    first, second = cut(Draft(text, (), "item", 2, (Mark(0, 0, "label", "3."), *marks)))
    assert first.marks == (Mark(0, 0, "label", "3."), Mark(19_001, 19_001, "image", "a.png"))
    assert second.marks == (Mark(0, 0, "image", "a.png"),)
    assert (second.kind, second.level) == ("item", 2)


@dataclass(frozen=True)
class Node:
    """Text in an inline element, with more inside."""

    tag: str
    parts: tuple[Node | str, ...]

    def html(self) -> str:
        """As markup."""
        inside = "".join(part if isinstance(part, str) else part.html() for part in self.parts)
        return f"<{self.tag}>{inside}</{self.tag}>"

    def characters(self, around: frozenset[str] = frozenset()) -> Iterator[tuple[str, frozenset[str]]]:
        """Every visible character with how it is set."""
        kinds = around | ({KINDS[self.tag]} if self.tag in KINDS else frozenset())
        for part in self.parts:
            if isinstance(part, str):
                yield from ((character, kinds) for character in bare(part))
            else:
                yield from part.characters(kinds)


KINDS = {"em": "emphasis", "b": "strong", "code": "code", "sup": "superscript"}
TEXTS = st.text("ab \n\u00ad\u00a0", max_size=6)
NODES = st.recursive(
    TEXTS,
    lambda inside: st.builds(
        Node, st.sampled_from([*KINDS, "span", "p", "div", "li"]), st.lists(inside, max_size=4).map(tuple)
    ),
    max_leaves=25,
)


@given(st.lists(NODES, max_size=4))
def test_every_character_is_set_as_its_elements_say(parts: list[Node | str]) -> None:
    body = Node("div", tuple(parts))
    root = elements.parse(make.xhtml(body.html()).encode())
    assert root is not None
    found = []
    for draft in markup.walk(root, "a.xhtml", {}, lambda link: link):
        assert isinstance(draft, Draft)
        for mark in draft.marks:
            assert 0 <= mark.start < mark.end <= len(draft.text)
            assert draft.text[mark.start : mark.end] == draft.text[mark.start : mark.end].strip()
        for place, character in enumerate(draft.text):
            kinds = frozenset(mark.kind for mark in draft.marks if mark.start <= place < mark.end)
            if not character.isspace():
                found.append((character, kinds))
    assert found == list(body.characters())


# -- levels and lists --------------------------------------------------------------------------------------------


def test_levels(tmp_path: Path) -> None:
    body = (
        "<h1>A</h1><h6>B</h6><h3><div>C</div></h3><p class='title'>D</p><p>E</p>"
        "<ul><li>F<ol><li><p>G</p><h4>H</h4></li></ol></li></ul><dl><dt>I</dt><dd>J<dl><dt>K</dt></dl></dd></dl>"
    )
    found = [(paragraph.text, paragraph.kind, paragraph.level) for paragraph in paragraphs(tmp_path, body)]
    assert found == [
        ("A", "heading", 1),
        ("B", "heading", 6),
        ("C", "heading", 3),
        ("D", "heading", 2),
        ("E", "text", 0),
        ("F", "item", 1),
        ("G", "item", 2),
        ("H", "heading", 4),
        ("I", "item", 1),
        ("J", "item", 1),
        ("K", "item", 2),
    ]


def labels(found: Sequence[Paragraph]) -> list[str]:
    """Label and text of every paragraph."""
    return [
        "".join(f"{mark.value} " for mark in paragraph.marks if mark.kind == "label") + paragraph.text
        for paragraph in found
    ]


@pytest.mark.parametrize(
    ("html", "labelled"),
    [
        ("<ol><li>a</li><li>b</li></ol>", ["1. a", "2. b"]),
        ("<ol start='9'><li>a</li><li value='3'>b</li><li>c</li></ol>", ["9. a", "3. b", "4. c"]),
        ("<ol start='x'><li value=''>a</li></ol>", ["1. a"]),
        ("<ol type='a' start='26'><li>a</li><li>b</li></ol>", ["z. a", "aa. b"]),
        ("<ol type='I' start='1994'><li>a</li></ol>", ["MCMXCIV. a"]),
        ("<ol type='i' start='0'><li>a</li><li>b</li></ol>", ["0. a", "i. b"]),
        ("<ol style='list-style-type: upper-alpha'><li>a</li></ol>", ["A. a"]),
        ("<ul><li>a<ul><li>b</li></ul>c</li></ul>", ["• a", "• b", "c"]),
        ("<ul style='list-style: none'><li>a</li></ul>", ["a"]),
        ("<ol><li><p>a</p><p>b</p></li><li> <em>c</em></li></ol>", ["1. a", "b", "2. c"]),
        ("<ol><li/><li><b/></li><li>c</li></ol><p>d</p>", ["3. c", "d"]),
        ("<ol><li><ul><li>a</li></ul>b</li><li>c</li></ol>", ["• a", "b", "2. c"]),
        ("<ol><li>a<ol><li>b</li></ol></li><li>c</li></ol>", ["1. a", "1. b", "2. c"]),
        ("<nav><ol><li>a</li></ol></nav>", ["a"]),
        ("<li>a</li>", ["a"]),
    ],
)
def test_labels(tmp_path: Path, html: str, labelled: list[str]) -> None:
    assert labels(paragraphs(tmp_path, html)) == labelled


# -- pictures ----------------------------------------------------------------------------------------------------

A, B, C = ("OPS/pictures/a.png", "OPS/pictures/b.png", "OPS/pictures/c.svg")
IMG_A, IMG_B = ('<img src="pictures/a.png" alt=""/>', '<img src="pictures/B.png"/>')


@pytest.mark.parametrize(
    ("html", "pictures"),
    [
        (IMG_A, [A]),
        ('<object data="pictures/c.svg" type="image/svg+xml"/>', [C]),
        (f'<object data="pictures/c.svg" type="image/svg+xml">{IMG_A}</object>', [C]),
        (f'<object data="gone.svg" type="image/svg+xml">{IMG_A}</object>', [A]),
        ('<object data="pictures/a.png" type="text/html"/>', []),
        (
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
            '<image xlink:href="pictures/b.png"/><image href="pictures/a.png"/></svg>',
            [B, A],
        ),
        ('<img src="https://example.invalid/a.png"/><img src="file:///a.png"/><img src="data:image/png,x"/>', []),
        ('<img src="gone.png"/><img src=""/><img/><img src="#x"/><img src="0.xhtml"/>', []),
        ('<img src="pictures/a.png" hidden=""/><noscript/><template><img src="pictures/b.png"/></template>', []),
    ],
)
def test_what_is_a_picture(tmp_path: Path, html: str, pictures: list[str]) -> None:
    (paragraph,) = paragraphs(tmp_path, f"<p>Before</p>{html}")
    assert paragraph.text == "Before"
    assert paragraph.marks == tuple(Mark(6, 6, "image", file) for file in pictures)


@pytest.mark.parametrize(
    ("files", "places"),
    [
        ([f"<p>x {IMG_A} y{IMG_B}</p>"], {"x y": [f"2 {A}", f"3 {B}"]}),
        ([f"<p>x</p><div>{IMG_A}</div> {IMG_B}<p>y</p>"], {"y": [f"0 {A}", f"0 {B}"]}),
        ([f"<p>x</p><ol><li>{IMG_A}</li></ol><p>y</p>"], {"y": [f"0 {A}"]}),
        ([f"<p>x</p><p>&#160;{IMG_A}</p>", "<p>y</p>"], {"x": [f"1 {A}"]}),
        ([f"<p>{IMG_A}</p>", "<h1>x</h1>"], {"x": [f"0 {A}"]}),
        ([f"<p>{IMG_A}</p>", f"<p>{IMG_B}</p>", "<p>x</p>"], {"x": [f"0 {A}", f"0 {B}"]}),
        (["<p>x</p>", f"<p>{IMG_A}</p>", "<p>y</p>"], {"y": [f"0 {A}"]}),
        (["<p>x</p>", f"<p>{IMG_A}</p>"], {"x": [f"1 {A}"]}),
        ([f"<h1>{IMG_A}x</h1>"], {"x": [f"0 {A}"]}),
        ([f"<ul><li>{IMG_A}x</li></ul>"], {"x": [f"0 {A}"]}),
    ],
)
def test_where_a_picture_stands(tmp_path: Path, files: list[str], places: dict[str, list[str]]) -> None:
    found = paragraphs(tmp_path, *files)
    pictures = {paragraph.text: [place for kind, place in shown(paragraph) if kind == "image"] for paragraph in found}
    assert {text: place for text, place in pictures.items() if place} == places


def test_a_picture_stays_in_its_section(tmp_path: Path) -> None:
    body = f'<p>x</p>{IMG_A}<h2 id="two">{IMG_B}Two</h2><p>y</p><p>{IMG_A}<a id="three"/>Three</p>'
    nav = "".join(make.entry(f"0.xhtml{place}", place or "One") for place in ("", "#two", "#three"))
    path = tmp_path / "book.epub"
    make.epub(path, {"0.xhtml": make.xhtml(body)}, nav=nav, members={A: PIXEL, B: PIXEL})
    found = read(path).document.paragraphs
    assert [(paragraph.section, paragraph.text, shown(paragraph)) for paragraph in found] == [
        (0, "x", [("image", f"1 {A}")]),
        (1, "Two", [("image", f"0 {B}")]),
        (1, "y", []),
        (2, "Three", [("image", f"0 {A}")]),
    ]
    make.epub(path, {"0.xhtml": make.xhtml(body)}, members={A: PIXEL, B: PIXEL})
    by_headings = read(path).document.paragraphs
    assert [shown(paragraph)[0][1] for paragraph in by_headings if paragraph.marks] == [f"1 {A}", f"0 {B}", f"0 {A}"]


# -- real books --------------------------------------------------------------------------------------------------

_EMPHASIS = "self::x:em or self::x:i or self::x:cite or self::x:dfn or self::x:var"


@pytest.mark.parametrize(("name", "folder"), [("dorian-gray", "epub/text/"), ("meditations", "epub/text/")])
def test_emphasis_of_a_real_book(shared_data: Path, name: str, folder: str) -> None:
    """Every emphasised character that lxml finds, and no other, in order."""
    path = shared_data / "documents" / "epub" / f"{name}.epub"
    found = read(path).document.paragraphs
    marked = {
        bare(paragraph.text[mark.start : mark.end])
        for paragraph in found
        for mark in paragraph.marks
        if mark.kind == "emphasis"
    }
    wanted = set()
    with zipfile.ZipFile(path) as archive:
        for member in archive.namelist():
            if member.startswith(folder) and member.endswith(".xhtml"):
                root: Any = etree.fromstring(archive.read(member))
                space = {"x": "http://www.w3.org/1999/xhtml"}
                query = f"//x:body//*[{_EMPHASIS}][not(ancestor::*[{_EMPHASIS}])]"
                wanted |= {bare("".join(element.itertext())) for element in root.xpath(query, namespaces=space)}
    assert len(wanted) > 20 and marked == wanted


def test_pictures_of_a_real_book(shared_data: Path) -> None:
    """Brock's drawings stand before their captions, and every one is in the archive."""
    path = shared_data / "documents" / "epub" / "persuasion-epub2.epub"
    found = [
        (mark.value, paragraph.text)
        for paragraph in read(path).document.paragraphs
        for mark in paragraph.marks
        if mark.kind == "image"
    ]
    assert found[0] == ("cover.jpeg", "Persuasion")
    assert ("images/00010.jpg", "“Here is a nut,” said he...“to exemplify”") in found
    assert [name for name, _ in found[1:]] == [f"images/{number:05}.jpg" for number in range(1, 25)]
    assert {name for name, _ in found} <= set(zipfile.ZipFile(path).namelist())


def test_lists_of_a_real_manual(shared_data: Path) -> None:
    found = read(shared_data / "documents" / "epub" / "debian-policy.epub").document.paragraphs
    guidelines = next(number for number, paragraph in enumerate(found) if paragraph.text == "Free Redistribution")
    titles = [paragraph for paragraph in found[guidelines : guidelines + 40] if shown(paragraph)[:1]]
    assert labels(titles)[:3] == ["1. Free Redistribution", "2. Source Code", "3. Derived Works"]
    assert all((paragraph.kind, paragraph.level) == ("item", 2) for paragraph in titles[:3])
