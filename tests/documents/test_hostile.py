"""Files made to do harm: what is wrong with them costs a sentence or a place, never the program."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readdesk.cancel import CancelToken
from readdesk.documents.draft import POINTS, Draft
from readdesk.documents.epub.archive import Archive
from readdesk.documents.html.elements import parse, text_of
from readdesk.documents.model import DocumentHead, Mark, Piece, TextSpot
from readdesk.documents.open import sniff
from readdesk.documents.service import DocumentService
from readdesk.documents.stream import LONGEST_PARAGRAPH, cut
from readdesk.errors import DocumentError
from tests.documents.reading import read
from tests.samples import make


def book(tmp_path: Path, body: str = "<p>Here.</p>", **more: object) -> Path:
    return make.epub(tmp_path / "book.epub", {"a.xhtml": make.xhtml(body)}, **more)  # type: ignore[arg-type]


# -- packages that are not what ebooklib counts on ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("</metadata>", ""),  # all else lies within the metadata then
        ("<manifest>", "<package><manifest>"),
        ("<metadata ", "<x><metadata "),
        ('xmlns:dc="http://purl.org/dc/elements/1.1/"', ""),
        ("<dc:title>A Sample</dc:title><dc:creator>Ann Author</dc:creator><dc:language>en</dc:language>", ""),
        ('<?xml version="1.0"?>', '<?xml version="1.0" encoding="utf-16"?>'),
        ("<package ", '<!DOCTYPE package [<!ENTITY x SYSTEM "file:///etc/passwd">]><package '),
        ("</package>", "<package><manifest/><spine/></package></package>"),
        ("<spine>", "<spine toc='gone'><itemref/><itemref idref='nobody'/>"),
        ("<manifest>", "<manifest><item/><item id='f0'/><item id='f0' href='other.xhtml'/>"),
    ],
)
def test_crooked_packages_open_where_they_name_their_texts(tmp_path: Path, before: str, after: str) -> None:
    path = make.changed(book(tmp_path), "OPS/package.opf", lambda text: text.replace(before, after))
    assert read(path).text == "Here."


def test_contents_nested_without_end(tmp_path: Path) -> None:
    item = '<li><a href="a.xhtml">x</a><ol>'
    nav = make.entry("a.xhtml", "One") + item * 900 + "</ol></li>" * 900
    assert read(book(tmp_path, nav=nav)).document.sections[0].title == "One"
    point = '<navPoint><navLabel><text>x</text></navLabel><content src="a.xhtml"/>'
    ncx = f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{point * 900}{"</navPoint>" * 900}</navMap></ncx>'
    manifest = '<item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    assert read(book(tmp_path, manifest=manifest, members={"OPS/toc.ncx": ncx})).text == "Here."


# -- characters that are none ------------------------------------------------------------------------------------


@pytest.mark.parametrize("reference", ["&#xD800;", "&#xdfff;", "&#55296;", "&#057343;", "&#x0000DABC;"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_halves_of_surrogates(tmp_path: Path, reference: str, encoding: str) -> None:
    declared = f'<?xml version="1.0" encoding="{encoding}"?>'
    root = parse(f'{declared}<p title="{reference}">One {reference} two</p>'.encode(encoding))
    assert root is not None and text_of(root) == "One \ufffd two" and root.get("title") == "\ufffd"


def test_references_to_characters_stay() -> None:
    root = parse(b"<p>&#55295;&#57344;&#xD7FF;&#xE000;&#x1F600;</p>")
    assert root is not None and root.text == "\ud7ff\ue000\ud7ff\ue000\U0001f600"


# -- archives ----------------------------------------------------------------------------------------------------


def test_names_that_are_none(tmp_path: Path) -> None:
    """zipfile of Python 3.11 fails on an empty name, and on one whose two copies are not the same UTF-8."""
    path = book(tmp_path, members={"OPS/é.png": b"x" * 40})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(zipfile.ZipInfo(""), b"nothing")
    data = path.read_bytes()
    path.write_bytes(data.replace("OPS/é.png".encode(), b"OPS/\xff\xfe.png", 1))
    archive_read = Archive(path)
    assert archive_read.read(archive_read.find("OPS/é.png")) is None
    archive_read.close()
    assert read(path).text == "Here."


# -- time --------------------------------------------------------------------------------------------------------


def test_comments_before_a_text_are_looked_at_once(tmp_path: Path) -> None:
    """Sixty of them would take longer than the universe is old if every way of dividing them were tried."""
    path = tmp_path / "text.txt"
    path.write_text("<!-- c -->" * 60 + "It was a dark night.\n" * 20)
    assert sniff(path) == "text"


WORDS = st.text(st.sampled_from("ab. \n"), min_size=1, max_size=3 * LONGEST_PARAGRAPH // 100)


@given(WORDS, st.lists(st.integers(0, 3 * LONGEST_PARAGRAPH), max_size=30), st.integers(100, 300))
def test_a_long_paragraph_is_cut_without_loss(words: str, places: list[int], repeated: int) -> None:
    text = f"x{words * repeated}x"
    pieces = tuple(Piece(at, min(at + 7, len(text)), TextSpot(3 * at, 3 * at + 7)) for at in range(0, len(text), 7))
    spans = sorted(min(place, len(text) - 1) for place in places)
    marks = tuple(mark for at in spans for mark in (Mark(at, at, "image", str(at)), Mark(at, at + 1, "emphasis")))
    parts = list(cut(Draft(text, pieces, marks=marks)))
    assert "".join("".join(part.text for part in parts).split()) == "".join(text.split())
    assert all(len(part.text) <= LONGEST_PARAGRAPH and part.text == part.text.strip() for part in parts[:-1])
    pictures = [mark.value for part in parts for mark in part.marks if mark.kind in POINTS]
    assert pictures == [str(at) for at in spans]
    emphasised = "".join(
        part.text[mark.start : mark.end] for part in parts for mark in part.marks if mark.start < mark.end
    )
    assert "".join(emphasised.split()) == "".join(text[at] for at in spans if not text[at].isspace())
    for part in parts:
        assert [piece.start for piece in part.pieces] == [0, *(piece.end for piece in part.pieces[:-1])]
        assert part.pieces[-1].end == len(part.text)


def test_a_hundred_thousand_lines_in_one_paragraph() -> None:
    text = "line. " * 100_000
    pieces = tuple(Piece(at, at + 6, TextSpot(at, at + 6)) for at in range(0, len(text), 6))
    marks = tuple(Mark(at, at + 4, "emphasis") for at in range(0, len(text), 6))
    parts = list(cut(Draft(text.rstrip(), pieces, marks=marks)))
    assert sum(len(part.pieces) for part in parts) == sum(len(part.marks) for part in parts) == 100_000


# -- depth, and files that change --------------------------------------------------------------------------------


def test_what_is_nested_too_deeply_is_told(tmp_path: Path) -> None:
    deep = f"<p>First.</p>{'<div>' * 2_300}<p>Deep.</p>{'</div>' * 2_300}<p>Last.</p>"
    assert "nested too deeply" in " ".join(read(book(tmp_path, deep)).health.notes)
    page = tmp_path / "page.html"
    page.write_text(f"<!DOCTYPE html><html><body><h1>T</h1>{deep}</body></html>")
    assert "nested too deeply" in " ".join(read(page).health.notes)
    assert read(book(tmp_path, "<div>" * 500 + "<p>Deep.</p>" + "</div>" * 500)).health.notes == ()


@pytest.mark.parametrize("opening", ["> ", "- "])
def test_markdown_nested_deeply_is_read_whole(tmp_path: Path, opening: str) -> None:
    """markdown-it gives up at twenty, and drops the rest of the outermost list or quote."""
    path = tmp_path / "deep.md"
    if opening == "- ":
        lines = [f"{'  ' * depth}- level{depth}" for depth in range(60)]
        path.write_text("# T\n\n" + "\n".join(lines) + "\n\n- sibling\n")
    else:
        path.write_text("# T\n\n" + "> " * 60 + "level59\n\nsibling\n")
    assert "level59" in read(path).text and "sibling" in read(path).text


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    """Else the text of the old file would be kept under the hash of the new one, and never be read again."""
    path = tmp_path / "book.txt"
    path.write_text("The old text says this.\n\n" * 50)
    parts = DocumentService().read(path, None, "text", cancel=CancelToken())
    assert isinstance(next(parts), DocumentHead)
    path.write_text("The new text says that.\n\n" * 60)
    with pytest.raises(DocumentError, match=r"^book.txt has changed while it was read\."):
        list(parts)


def test_mail_within_mail_without_end(tmp_path: Path) -> None:
    path = tmp_path / "page.mht"
    path.write_text(
        "From: x\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n"
        + "Content-Type: message/rfc822\n\n" * 3_000
        + "Content-Type: text/html\n\n<p>hi</p>\n--b--\n"
    )
    try:
        read(path)
    except DocumentError as error:
        assert "page.mht" in str(error)


def test_the_page_of_a_saved_mail_is_the_one_that_it_names(tmp_path: Path) -> None:
    parts = "".join(
        f"--b\nContent-Type: text/html\nContent-ID: <{name}>\n\n<html><body><p>{text}</p></body></html>\n"
        for name, text in (("advert", "Buy this now."), ("main", "The page itself."))
    )
    head = 'From: x\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=b; start="<main>"\n\n'
    path = tmp_path / "page.mht"
    path.write_text(f"{head}{parts}--b--\n")
    assert read(path).text == "The page itself."


def test_twenty_thousand_links_in_one_paragraph(tmp_path: Path) -> None:
    links = "".join(f'<a href="#q" id="z{number}">1</a> ' for number in range(20_000))
    assert len(read(book(tmp_path, f'<p id="q">{links}</p><p>End.</p>')).document.paragraphs) >= 2


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a name is always text")
def test_a_name_that_is_no_text_is_one_sentence(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.txt"))
    path.write_text("Some words here.")
    with pytest.raises(DocumentError, match=r"^The name of bad\?.txt is not text throughout\."):
        sniff(path)
