from __future__ import annotations

import socket
import stat
import zipfile
from pathlib import Path

import pytest

from readdesk.cancel import CancelToken
from readdesk.documents.model import ElementSpot
from readdesk.documents.open import ReadSoFar
from readdesk.documents.service import DocumentService
from readdesk.errors import DocumentError, NoTextError
from tests.documents.reading import bare, check_random_spans, epub_resolver, read
from tests.samples import make


def one_file(tmp_path: Path, body: str) -> Path:
    return make.epub(tmp_path / "book.epub", {"a.xhtml": make.xhtml(body)}, nav=make.entry("a.xhtml", "One"))


def test_head_and_reading_order(tmp_path: Path) -> None:
    files = {f"{name}.xhtml": make.xhtml(f"<h1>{name}</h1><p>Text of {name}.</p>") for name in ("b", "a", "c")}
    nav = "".join(make.entry(f"{name}.xhtml", name.upper()) for name in ("b", "a", "c"))
    reading = read(make.epub(tmp_path / "book.epub", files, nav=nav))
    assert (reading.head.title, reading.head.authors, reading.head.language) == ("A Sample", ("Ann Author",), "en")
    assert reading.head.format == "epub" and len(reading.head.file_hash) == 64
    assert reading.by_section() == [
        ("B", ["b", "Text of b."]),
        ("A", ["a", "Text of a."]),
        ("C", ["c", "Text of c."]),
    ]
    assert reading.health.sections == 3 and reading.health.paragraphs == 6


def test_how_much_has_been_read_is_told(tmp_path: Path) -> None:
    """File by file, and no more than a hundred times or so."""
    path = tmp_path / "book.epub"
    for count, told in ((3, [0, 1, 2]), (1000, list(range(0, 1000, 10)))):
        make.epub(path, {f"{number}.xhtml": make.xhtml("<p>x</p>") for number in range(count)})
        parts = list(DocumentService().read(path, None, "epub", cancel=CancelToken()))
        assert [part for part in parts if isinstance(part, ReadSoFar)] == [ReadSoFar(done, count) for done in told]


def test_missing_and_remote_manifest_items_do_not_lose_the_book(tmp_path: Path) -> None:
    """Traps 16 and 17."""
    manifest = (
        '<item id="s" href="gone.css" media-type="text/css"/><item id="i" href="gone.png" media-type="image/png"/>'
        '<item id="r" href="http://example.invalid/a.mp3" media-type="audio/mpeg"/>'
        '<item id="x" href="https://example.invalid/b.xhtml" media-type="application/xhtml+xml"/>'
    )
    path = make.epub(tmp_path / "book.epub", {"a.xhtml": make.xhtml("<p>Here.</p>")}, manifest=manifest)
    reading = read(path)
    assert reading.text == "Here." and reading.health.notes == ()


def test_missing_text_is_told(tmp_path: Path) -> None:
    path = tmp_path / "book.epub"
    make.epub(tmp_path / "whole.epub", {"a.xhtml": make.xhtml("<p>Here.</p>"), "b.xhtml": make.xhtml("<p>Gone.</p>")})
    with zipfile.ZipFile(tmp_path / "whole.epub") as whole, zipfile.ZipFile(path, "w") as part:
        for name in whole.namelist():
            if not name.endswith("b.xhtml"):
                part.writestr(name, whole.read(name))
    reading = read(path)
    assert reading.text == "Here."
    assert "1 of 2 text files" in reading.health.notes[0] and "b.xhtml" in reading.health.notes[0]


def test_names_are_found_in_whatever_spelling(tmp_path: Path) -> None:
    """Trap 18: letter case, percent-encoding, backslash, `../`, in the package and in the contents."""
    manifest = (
        '<item id="p1" href="TEXT/My%20File.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="p2" href="text\\back.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="p3" href="../up.xhtml" media-type="application/xhtml+xml"/>'
    )
    members = {
        "OPS/text/my file.xhtml": make.xhtml("<p>One.</p>"),
        "OPS/text/back.xhtml": make.xhtml("<p>Two.</p>"),
        "up.xhtml": make.xhtml("<p>Three.</p>"),
    }
    nav = make.entry("text/My%20File.xhtml", "First") + make.entry("../UP.xhtml", "Third")
    path = tmp_path / "book.epub"
    make.epub(tmp_path / "raw.epub", {}, nav=nav, manifest=manifest, members=members)
    with zipfile.ZipFile(tmp_path / "raw.epub") as raw, zipfile.ZipFile(path, "w") as mended:
        for name in raw.namelist():
            data = raw.read(name)
            refs = b'<spine><itemref idref="p1"/><itemref idref="p2"/><itemref idref="p3"/>'
            mended.writestr(name, data.replace(b"<spine>", refs) if name.endswith("opf") else data)
    assert read(path).by_section() == [("First", ["One.", "Two."]), ("Third", ["Three."])]


def test_without_contents_headings_then_files(tmp_path: Path) -> None:
    """Trap 19."""
    with_headings = {"a.xhtml": make.xhtml("<h1>Part</h1><p>x</p><h2>Chapter</h2><p>y</p>")}
    reading = read(make.epub(tmp_path / "headings.epub", with_headings))
    assert [(section.title, section.level) for section in reading.document.sections] == [("Part", 1), ("Chapter", 2)]
    without = {"a.xhtml": make.xhtml("<p>x</p>", "First file"), "b.xhtml": make.xhtml("<p>y</p>")}
    assert read(make.epub(tmp_path / "files.epub", without)).by_section() == [("First file", ["x"]), ("b", ["y"])]


def test_several_entries_in_one_file_and_one_chapter_over_files(tmp_path: Path) -> None:
    """Traps 20 and 21."""
    files = {
        "a.xhtml": make.xhtml(
            '<p>Before.</p><section id="one"><h2>One</h2><p>First.</p></section><p><a id="two"/>Second.</p><p>More.</p>'
        ),
        "b.xhtml": make.xhtml("<p>Still second.</p>"),
    }
    nav = make.entry("a.xhtml#one", "One", make.entry("a.xhtml#two", "Two"))
    assert read(make.epub(tmp_path / "book.epub", files, nav=nav)).by_section() == [
        ("A Sample", ["Before."]),
        ("One", ["One", "First."]),
        ("Two", ["Second.", "More.", "Still second."]),
    ]


def test_broken_targets(tmp_path: Path) -> None:
    files = {"a.xhtml": make.xhtml("<p>Start.</p><h2>The Boat</h2><p>Afloat.</p>")}
    nav = make.entry("a.xhtml", "All") + make.entry("a.xhtml#gone", "The boat") + make.entry("gone.xhtml", "Gone")
    reading = read(make.epub(tmp_path / "book.epub", files, nav=nav))
    assert reading.by_section() == [("All", ["Start."]), ("The boat", ["The Boat", "Afloat."])]
    assert "1 entries" in reading.health.notes[0]


def test_large_single_file_is_quick_and_keeps_its_sections(tmp_path: Path) -> None:
    """Trap 22."""
    chapter = "<h2 id='c{0}'>Chapter {0}</h2>" + f"<p>{make.PARAGRAPH * 10}</p>" * 60
    body = "".join(chapter.format(number) for number in range(100))
    nav = "".join(make.entry(f"a.xhtml#c{number}", f"Chapter {number}") for number in range(100))
    reading = read(make.epub(tmp_path / "book.epub", {"a.xhtml": make.xhtml(body)}, nav=nav))
    assert len(body) > 5_000_000 and reading.health.sections == 100


def test_crooked_markup(tmp_path: Path) -> None:
    """Trap 23: empty file, undeclared entity, bare ampersand, no title, no language."""
    files = {
        "empty.xhtml": "",
        "a.xhtml": make.xhtml("<p>Caf&eacute;&nbsp;&amp; AT&T &unknown; x < y</p>"),
        "b.xhtml": "<html><body><p>unclosed <b>bold<p>second<br>line</body></html>",
    }
    reading = read(make.epub(tmp_path / "My Book.epub", files, metadata=""))
    assert reading.head.title == "My Book" and reading.head.language == ""
    assert "Café & AT&T &unknown; x" in reading.text
    assert "unclosed bold" in reading.text and "second\nline" in reading.text


def test_drm_and_fonts(tmp_path: Path) -> None:
    """Trap 24."""
    files = {"a.xhtml": make.xhtml("<p>Here.</p>")}
    font = make.encrypted("http://www.idpf.org/2008/embedding", "OPS/font.otf")
    path = make.epub(tmp_path / "fonts.epub", files, members={"META-INF/encryption.xml": font, "OPS/font.otf": b"x"})
    assert read(path).text == "Here."
    text = make.encrypted("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OPS/a.xhtml")
    path = make.epub(tmp_path / "drm.epub", files, members={"META-INF/encryption.xml": text})
    with pytest.raises(DocumentError, match="protected by DRM"):
        read(path)


def test_container(tmp_path: Path) -> None:
    """Trap 25, and two packages: the first is the book."""
    files = {"a.xhtml": make.xhtml("<p>Here.</p>")}
    with pytest.raises(DocumentError, match=r"container\.xml"):
        read(make.epub(tmp_path / "none.epub", files, container=None))
    with pytest.raises(DocumentError, match="damaged"):
        read(make.epub(tmp_path / "empty.epub", files, container="<container/>"))
    with pytest.raises(DocumentError, match="damaged"):
        read(make.epub(tmp_path / "gone.epub", files, container=make.CONTAINER.replace("package.opf", "gone.opf")))


def test_nothing_is_fetched_run_or_read_from_outside(tmp_path: Path) -> None:
    """Trap 26: scripts, remote things (a socket that would hear of it stays silent), external entities."""
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.3)
        there = f"http://127.0.0.1:{server.getsockname()[1]}"
        attack = (
            f'<!DOCTYPE html SYSTEM "{there}/a.dtd" ['
            f'<!ENTITY s SYSTEM "{secret.as_uri()}"><!ENTITY r SYSTEM "{there}/r">]>'
            f'<html xmlns="http://www.w3.org/1999/xhtml"><head><link rel="stylesheet" href="{there}/a.css"/></head>'
            "<body>"
            f'<script src="{there}/a.js">run()</script><img src="{there}/a.png" alt=""/><iframe src="{there}/b"/>'
            f'<p hidden="">unseen</p><p style="display: none">unseen</p><p>Seen &s; &r;</p></body></html>'
        )
        manifest = f'<item id="x" href="{there}/b.xhtml" media-type="application/xhtml+xml"/>'
        path = make.epub(tmp_path / "book.epub", {"a.xhtml": attack}, manifest=manifest)
        make.changed(path, "OPS/package.opf", lambda text: text.replace("<spine>", '<spine><itemref idref="x"/>'))
        text = read(path).text
        with pytest.raises(TimeoutError):
            server.accept()
    assert text.startswith("Seen") and not any(word in text for word in ("secret", "unseen", "run"))


def test_entities_that_explode_do_not(tmp_path: Path) -> None:
    """Trap 26: ten to the ninth "ha" would be two gigabytes."""
    entities = '<!ENTITY e0 "ha">' + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Seen &e9; too</p></body></html>'
    bomb = f"<!DOCTYPE html [{entities}]>{page}"
    assert len(read(make.epub(tmp_path / "book.epub", {"a.xhtml": bomb})).text) < 1_000_000


def test_bombs_are_refused_before_unpacking(tmp_path: Path) -> None:
    """Trap 27."""
    with pytest.raises(DocumentError, match="unpack"):
        read(make.zip_bomb(tmp_path / "bomb.epub"))
    members = {f"OPS/{number}": b"" for number in range(30_001)}
    with pytest.raises(DocumentError, match="unpack"):
        read(make.epub(tmp_path / "many.epub", {"a.xhtml": make.xhtml("<p>x</p>")}, members=members))


def test_climbing_names_are_ignored(tmp_path: Path) -> None:
    """Trap 27: they are never part of the book, and nothing is ever written to disk."""
    members = {"../../evil.xhtml": make.xhtml("<p>Evil.</p>")}
    manifest = '<item id="e" href="../../../evil.xhtml" media-type="application/xhtml+xml"/>'
    files = {"a.xhtml": make.xhtml("<p>Good.</p>")}
    assert read(make.epub(tmp_path / "book.epub", files, manifest=manifest, members=members)).text == "Good."


def test_links_and_absolute_names_lead_nowhere(tmp_path: Path) -> None:
    """A link in the archive names a file of the computer; an absolute name is one of the archive, else of nothing."""
    secret = tmp_path / "secret.xhtml"
    secret.write_text(make.xhtml("<p>Secret.</p>"))
    manifest = "".join(
        f'<item id="{name}" href="{href}" media-type="application/xhtml+xml"/>'
        for name, href in (("l", "link.xhtml"), ("s", str(secret)), ("f", secret.as_uri()))
    )
    path = make.epub(tmp_path / "book.epub", {"a.xhtml": make.xhtml("<p>Good.</p>")}, manifest=manifest)
    make.changed(path, "OPS/package.opf", lambda text: text.replace("<spine>", '<spine><itemref idref="l"/>'))
    make.changed(path, "OPS/package.opf", lambda text: text.replace("<spine>", '<spine><itemref idref="s"/>'))
    make.changed(path, "OPS/package.opf", lambda text: text.replace("<spine>", '<spine><itemref idref="f"/>'))
    link = zipfile.ZipInfo("OPS/link.xhtml")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, str(secret))
    reading = read(path)
    assert reading.text == "Good." and "3 of 4 text files" in reading.health.notes[0]


def test_footnote_marks_do_not_glue_to_words(tmp_path: Path) -> None:
    """Trap 28."""
    body = (
        '<p>the end.<a epub:type="noteref" href="#n">15</a>Next<sup><a href="#m">2</a></sup> x<sup>2</sup>, '
        "the 1<sup>st</sup> word.</p>"
        '<aside epub:type="footnote" id="n"><p>A note. <a epub:type="backlink" href="#r">back</a></p></aside>'
    )
    assert read(one_file(tmp_path, body)).kinds == [
        ("text", "the end. 15 Next 2 x2, the 1st word."),
        ("note", "A note."),
    ]


def test_kinds_and_white_space(tmp_path: Path) -> None:
    body = """<h1>The  Head</h1><div>Loose text <p>Inner\n   paragraph</p> after it</div>
    <ul><li>one</li><li><p>two</p></li></ul><pre>  code {\n    x\n  }\n</pre>
    <table><tr><td>a</td> <td><p>b</p></td></tr><tr><th>c</th><td>d</td></tr></table>
    <figure><img alt="" src="x.png"/><figcaption>Caption</figcaption></figure>
    <blockquote epub:type="z3998:poem"><p><span>First line</span> <br/> <span>Second line</span></p></blockquote>
    <div class="linegroup"><div>Line one</div><div>Line two</div></div>
    <p>soft\u00adhyphen and word\u2060joiner</p><p><ruby>漢<rt>かん</rt></ruby>字</p><p>  </p>
    <p>a<span epub:type="pagebreak" title="7">7</span> page</p>"""
    assert read(one_file(tmp_path, body)).kinds == [
        ("heading", "The Head"),
        ("text", "Loose text"),
        ("text", "Inner paragraph"),
        ("text", "after it"),
        ("item", "one"),
        ("item", "two"),
        ("code", "  code {\n    x\n  }"),
        ("table", "a\tb"),
        ("table", "c\td"),
        ("caption", "Caption"),
        ("verse", "First line\nSecond line"),
        ("verse", "Line one\nLine two"),
        ("text", "softhyphen and wordjoiner"),
        ("text", "漢字"),
        ("text", "a page"),
    ]


def test_anchors_of_a_made_file(tmp_path: Path) -> None:
    body = "<p>One</p><!-- no --><div> two  <em>three\n four</em><p>five</p>six</div>"
    path = one_file(tmp_path, body)
    document = read(path).document
    check_random_spans(document, epub_resolver(path), 60)
    spot = document.paragraphs[0].anchor.spots[0]
    assert spot == ElementSpot("OPS/a.xhtml", (1, 0), 0, 3)


def test_long_paragraphs_are_cut_at_sentences(tmp_path: Path) -> None:
    path = one_file(tmp_path, f"<p>{make.PARAGRAPH * 700}</p>")
    paragraphs = read(path).document.paragraphs
    assert len(paragraphs) > 2 and all(len(paragraph.text) <= 20_000 for paragraph in paragraphs)
    assert all(paragraph.text.startswith("The quick") and paragraph.text.endswith("minds.") for paragraph in paragraphs)
    check_random_spans(read(path).document, epub_resolver(path), 30)


def test_pictures_only(tmp_path: Path) -> None:
    with pytest.raises(NoTextError):
        read(one_file(tmp_path, '<img src="a.png" alt=""/>'))


@pytest.mark.parametrize(
    "name", ["dorian-gray", "debian-policy", "kusamakura-vertical-ja", "wasteland-obfuscated-font"]
)
def test_random_spans_of_real_books(shared_data: Path, name: str) -> None:
    path = shared_data / "documents" / "epub" / f"{name}.epub"
    check_random_spans(read(path).document, epub_resolver(path))


def test_all_text_of_a_real_book_is_reached_once(shared_data: Path) -> None:
    """Every piece of War and Peace, and nearly every character of its files, in order."""
    path = shared_data / "documents" / "epub" / "war-and-peace.epub"
    document = read(path).document
    resolve = epub_resolver(path)
    mapped = 0
    for paragraph in document.paragraphs[::7]:
        assert bare(resolve(paragraph.anchor)) == bare(paragraph.text)
        mapped += 1
    assert mapped > 1000
    assert sum(len(bare(paragraph.text)) for paragraph in document.paragraphs) > 2_500_000


def test_deeply_nested_text_is_not_dropped(tmp_path: Path) -> None:
    deep = one_file(tmp_path, "<p>One</p>" + "<div>" * 300 + "Deep words" + "</div>" * 300 + "<p>Last words.</p>")
    assert [text for _, texts in read(deep).by_section() for text in texts] == ["One", "Deep words", "Last words."]
