from __future__ import annotations

import email.message
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from readdesk.cancel import CancelToken
from readdesk.documents.draft import Draft
from readdesk.documents.health import HealthCollector
from readdesk.documents.html.reader import read as read_page
from readdesk.documents.model import Anchor, Choices, ElementSpot
from readdesk.documents.open import sniff
from readdesk.errors import DocumentError, NoTextError
from tests.documents.reading import Reading, bare, check_random_spans, read
from tests.samples import make

TEXT = f"<p>{make.PARAGRAPH * 4}</p>"
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>The Boat – The Daily Site</title>
<meta property="og:title" content="The Boat"><meta name="author" content="Ann Author">
<script>document.write("never")</script><style>p {{ color: red }}</style></head>
<body class="page"><a class="skip-link" href="#a">Skip to text</a>
<header><a href="/">The Daily Site</a><nav><ul><li>Home</li><li>About</li></ul></nav></header>
<div id="cookie-consent">We use cookies. <button>Accept</button></div>
<main id="a"><article><header><h1>The Boat</h1><p>by Ann Author</p></header>
{text}<noscript>Turn scripts on.</noscript>
<h2>One &amp; two</h2><p>It was <em>late</em>,<br>and dark.<sup><a href="#n1" id="r1">1</a></sup></p>
<form><label>Your mail</label><input value="x"><select><option>Daily</option></select><textarea>t</textarea></form>
<aside>Read this next!</aside>
<h2>Three</h2><ol><li>a</li><li>b</li></ol>
<figure><img src="http://example.org/boat.png" alt="A boat at night"><figcaption>The boat.</figcaption></figure>
<table><tr><th>x</th><td>1</td></tr></table>
<p id="n1"><a href="#r1">1</a> A note.</p>
</article></main>
<aside class="sidebar">Popular today</aside><footer>© 2020</footer></body></html>
"""


def of(tmp_path: Path, page: str | bytes, name: str = "page.html") -> Reading:
    path = tmp_path / name
    path.write_bytes(page.encode() if isinstance(page, str) else page)
    return read(path)


def page_resolver(page: str | bytes, parser: Any = None) -> Callable[[Anchor], str]:
    """What an anchor names, with lxml alone."""
    data = page.encode() if isinstance(page, str) else page
    root: Any = etree.fromstring(data, parser or etree.HTMLParser(remove_comments=True, remove_pis=True))

    def resolve(anchor: Anchor) -> str:
        found = ""
        for spot in anchor.spots:
            assert isinstance(spot, ElementSpot) and spot.file == ""
            element = root
            for step in spot.path:
                element = element[step]
            found += "".join(element.itertext())[spot.start : spot.end]
        return found

    return resolve


def test_the_article_of_a_page(tmp_path: Path) -> None:
    page = PAGE.format(text=TEXT)
    reading = of(tmp_path, page)
    head = reading.head
    assert (head.title, head.authors, head.language, head.format) == ("The Boat", ("Ann Author",), "en", "html")
    assert [(section.title, section.level) for section in reading.document.sections] == [
        ("The Boat", 1),
        ("One & two", 2),
        ("Three", 2),
    ]
    assert reading.kinds == [
        ("heading", "The Boat"),
        ("text", "by Ann Author"),
        ("text", make.PARAGRAPH.strip() + (" " + make.PARAGRAPH.strip()) * 3),
        ("heading", "One & two"),
        ("text", "It was late,\nand dark. 1"),
        ("text", "Your mail"),
        ("heading", "Three"),
        ("item", "a"),
        ("item", "b"),
        ("caption", "The boat."),
        ("table", "x\t1"),
        ("note", "1 A note."),
    ]
    marks = {mark.kind: mark.value for paragraph in reading.document.paragraphs for mark in paragraph.marks}
    assert marks["alt"] == "A boat at night" and marks["note"] == marks["target"] and "image" not in marks
    assert reading.health.structure == "headings" and reading.health.encoding == "UTF-8"
    check_random_spans(reading.document, page_resolver(page))


def test_what_was_left_out_is_told(tmp_path: Path) -> None:
    notes = of(tmp_path, PAGE.format(text=TEXT)).health.notes
    assert len(notes) == 1 and notes[0].startswith("Left out of this web page: ")
    assert all(word in notes[0] for word in ("menus", "side columns", "cookie notices", "headers and footers"))
    assert of(tmp_path, f"<html><body>{TEXT}</body></html>").health.notes == ()


def test_what_may_be_the_text_is_never_left_out(tmp_path: Path) -> None:
    """A page that is nothing but a menu, a side column that holds most of the text, an article that is a teaser."""
    only_menu = "<html><body><nav><ul><li>One</li><li>Two</li></ul></nav></body></html>"
    assert of(tmp_path, only_menu).text == "One\nTwo"
    large = f"<html><body><p>Short.</p><aside>{TEXT}</aside></body></html>"
    assert "quick brown fox" in of(tmp_path, large).text
    teaser = f"<html><body><article><p>Teaser</p></article>{TEXT}</body></html>"
    assert of(tmp_path, teaser).text.startswith("Teaser\nThe quick")
    two = f"<html><body><article>{TEXT}</article><article>{TEXT}</article></body></html>"
    assert len(of(tmp_path, two).document.paragraphs) == 2
    title = f"<html><body><header><h1>Title</h1></header>{TEXT}</body></html>"
    assert of(tmp_path, title).text.startswith("Title\n")
    note = f"<html><body><main>{TEXT}<aside role='doc-footnote'>A note.</aside></main></body></html>"
    assert of(tmp_path, note).text.endswith("A note.")


@pytest.mark.parametrize(
    ("declared", "encoding", "name"),
    [
        ('<meta charset="windows-1251">', "cp1251", "Windows-1251"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', "koi8_r", "KOI8-R"),
        ("<meta charset=iso-8859-5>", "iso8859_5", "ISO-8859-5"),
        ("", "cp1251", "Windows-1251"),
        ('<meta charset="nonsense">', "cp1251", "Windows-1251"),
        ('<meta charset="iso-8859-1">', "utf-8", "UTF-8"),
        ("", "utf-16", "UTF-16LE"),
        ("", "utf-8-sig", "UTF-8"),
    ],
)
def test_encodings_of_pages(tmp_path: Path, declared: str, encoding: str, name: str) -> None:
    russian = "Князь Андрей молчал и смотрел в окно на тёмный лес. " * 8
    page = f"<!DOCTYPE html><html><head>{declared}<title>Князь</title></head><body><p>{russian}</p></body></html>"
    reading = of(tmp_path, page.encode(encoding))
    assert (reading.text, reading.head.title) == (russian.strip(), "Князь")
    assert reading.health.encoding == name
    is_guess = encoding == "cp1251" and "windows" not in declared
    assert bool(reading.health.notes) == is_guess


def test_a_chosen_encoding(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes("<html><body><p>Il était</p></body></html>".encode("cp1252"))
    assert read(path, choices=Choices("Windows-1251")).text == "Il йtait"


def test_mhtml(tmp_path: Path) -> None:
    """A page as Chromium saves it: a mail of the page and its pictures."""
    message = email.message.Message()
    message["From"] = "<Saved by Blink>"
    message["Subject"] = "The Boat"
    message["MIME-Version"] = "1.0"
    message["Content-Type"] = 'multipart/related; type="text/html"; boundary="x"'
    picture = email.message.Message()
    picture["Content-Type"] = "image/png"
    picture.set_payload("iVBORw0KGgo=")
    page = email.message.Message()
    page.set_payload(PAGE.format(text=TEXT).encode(), "utf-8")
    page.replace_header("Content-Type", 'text/html; charset="utf-8"')
    message.set_payload([picture, page])
    for name in ("page.mhtml", "page.mht", "page.txt"):
        reading = of(tmp_path, message.as_bytes(), name)
        assert reading.head.title == "The Boat" and len(reading.document.paragraphs) == 12
    check_random_spans(reading.document, page_resolver(PAGE.format(text=TEXT)), 50)


def test_xhtml_and_html_without_a_head(tmp_path: Path) -> None:
    page = make.xhtml("<h1>One</h1><p>Text &amp; more<br/>here.</p>", "Title")
    reading = of(tmp_path, page, "page.xhtml")
    assert (reading.head.title, reading.text) == ("Title", "One\nText & more\nhere.")
    check_random_spans(reading.document, page_resolver(page, etree.XMLParser(resolve_entities=False)), 50)
    assert of(tmp_path, "<p>One<p>Two", "page.htm").text == "One\nTwo"
    assert of(tmp_path, "just words", "page.html").head.format == "text"
    broken = "<html><body><p>One<div>Two</div><b>Three &nope; &hellip; <i>Four</b></i>"
    assert of(tmp_path, broken).text == "One\nTwo\nThree &nope; … Four"


def test_what_a_page_is_not(tmp_path: Path) -> None:
    page = "<!DOCTYPE html><html><body><h1>404 Not Found</h1></body></html>"
    for name in ("book.pdf", "book.epub"):
        path = tmp_path / name
        path.write_text(page)
        with pytest.raises(DocumentError, match="in place of the book"):
            sniff(path)
    for empty in ("<html></html>", "<html><body><script>x</script></body></html>", "<html><body><nav></nav></body>"):
        with pytest.raises(NoTextError):
            of(tmp_path, empty)
    feed = tmp_path / "feed.html"
    feed.write_text("<?xml version='1.0'?><rss><channel/></rss>")
    with pytest.raises(DocumentError, match="XML"):
        sniff(feed)


def test_a_long_page_without_headings_has_parts(tmp_path: Path) -> None:
    reading = of(tmp_path, f"<html><body>{f'<p>{make.PARAGRAPH * 20}</p>' * 60}</body></html>")
    assert reading.health.structure == "parts"
    assert [section.title for section in reading.document.sections] == ["Part 1", "Part 2", "Part 3", "Part 4"]


def test_pages_of_real_books(shared_data: Path, tmp_path: Path) -> None:
    """Chapters of an EPUB, saved as pages: their text and their anchors are those of the file."""
    with zipfile.ZipFile(shared_data / "documents" / "epub" / "moby-dick.epub") as archive:
        names = [name for name in archive.namelist() if "chapter_" in name and name.endswith(".xhtml")][:20]
        for name in names:
            page = archive.read(name)
            reading = of(tmp_path, page, "page.xhtml")
            parser = etree.XMLParser(remove_comments=True, remove_pis=True)
            body: Any = etree.fromstring(page, parser).find("{*}body")
            assert bare(reading.text) == bare("".join(body.itertext()))
            check_random_spans(reading.document, page_resolver(page, parser), 20)


def test_a_long_page_is_read_fast(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(f"<html><body>{f'<h2>One</h2>{TEXT}' * 15_000}</body></html>")
    assert path.stat().st_size > 5_000_000
    started = time.process_time()
    drafts = list(read_page(path, Choices(), HealthCollector(), CancelToken()))
    assert time.process_time() - started < 6 and sum(isinstance(part, Draft) for part in drafts) == 30_000


# -- any page ----------------------------------------------------------------------------------------------------

WORDS = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="<&\xad\u200b\u2060\ufeff"), max_size=8
)
INLINE = st.tuples(st.sampled_from(["span", "em", "b", "a", "code"]), WORDS).map(
    lambda of: f"<{of[0]}>{of[1]}</{of[0]}>"
)
BLOCK = st.tuples(
    st.sampled_from(["p", "div", "h2", "li", "blockquote", "pre"]), st.lists(st.one_of(INLINE, WORDS), max_size=3)
).map(lambda of: f"<{of[0]}>{''.join(of[1])}</{of[0]}>")


@given(st.lists(st.one_of(BLOCK, WORDS), max_size=8))
def test_every_character_is_read_once(tmp_path_factory: pytest.TempPathFactory, blocks: list[str]) -> None:
    page = f"<html><body>{''.join(blocks)}</body></html>"
    path = tmp_path_factory.getbasetemp() / "any.html"
    path.write_text(page, encoding="utf-8-sig", newline="")
    drafts = [part for part in read_page(path, Choices(), HealthCollector(), CancelToken()) if isinstance(part, Draft)]
    root: Any = etree.fromstring(page.encode(), etree.HTMLParser(encoding="utf-8"))
    assert bare("".join(draft.text for draft in drafts)) == bare("".join(root.itertext()))


SOUP = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *("<html>", "<body>", "</body>", "<main>", "</main>", "<article>", "<nav>", "</nav>", "<!--", "-->"),
                *("<table><tr><td>", "</table>", "<script>", "</p>", "<p hidden>", "<svg><title>", "&#0;", "&nope;"),
                *("<meta charset=utf-7>", "<base href=x>", "<aside>", "<frameset>", "\0", "]]>", "<![CDATA[", "<?x"),
                *('<a href="#a">1</a>', '<p id="a">', "<ruby>", "<rt>", "<li value=99999999999>", "<ol start=-5>"),
            ]
        ),
        st.text(max_size=6),
    ),
    max_size=20,
)


@given(SOUP, st.sampled_from(["utf-8", "utf-16", "cp1251", "gb18030"]), st.booleans())
def test_a_page_never_raises_anything_else(
    tmp_path_factory: pytest.TempPathFactory, soup: list[str], encoding: str, is_mail: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "soup.html"
    mail = "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/html\n\n"
    path.write_bytes(((mail if is_mail else "") + "".join(soup)).encode(encoding, "ignore") or b" ")
    try:
        list(read_page(path, Choices(), HealthCollector(), CancelToken()))
    except DocumentError as error:
        assert error.message
