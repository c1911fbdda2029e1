"""Builds the handbook's EPUB from its Markdown chapters: `python packaging/handbook.py`.

The EPUB is committed, so that a checkout has a sample book without building anything, and a test rebuilds and compares
it. That works only while the same Markdown gives the same bytes on every machine and in every year: identifier and
dates are constants, and the archive is written anew with fixed entries and without compression, since zlib's output
differs between its builds.
"""

from __future__ import annotations

import datetime
import io
import re
import sys
import zipfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ebooklib import epub
from markdown_it import MarkdownIt

RESOURCES = Path(__file__).resolve().parent.parent / "resources"
SOURCE = RESOURCES / "handbook"
TARGET = RESOURCES / "handbook.epub"

TITLE = "The ReadDesk Handbook"
LANGUAGE = "en"
IDENTIFIER = "urn:uuid:6c1f2a58-3d0b-4b7e-9a44-5e1d0c7f8b21"
MODIFIED = datetime.datetime(2026, 11, 30, tzinfo=datetime.UTC)
ENTRY_TIME = (1980, 1, 1, 0, 0, 0)
FILE_MODE = 0o100644

STYLE_FILE = "handbook.css"
STYLE = """\
body { margin: 1em; line-height: 1.5; }
h1 { font-size: 1.5em; line-height: 1.2; }
h2 { font-size: 1.15em; line-height: 1.3; margin-top: 1.6em; }
pre { margin-left: 1.5em; white-space: pre-wrap; }
li { margin-bottom: 0.4em; }
"""


@dataclass(frozen=True)
class Chapter:
    """One chapter: the name of its Markdown file, its title, its sections as (anchor, heading), and its XHTML."""

    name: str
    title: str
    sections: tuple[tuple[str, str], ...]
    html: str


def build(source: Path, target: Path) -> None:
    """Write the EPUB of the chapters `source/*.md`, in the order of their names; raises ValueError for a bad one."""
    chapters = [_read_chapter(file) for file in sorted(source.glob("*.md"), key=lambda file: file.name)]
    if not chapters:
        raise ValueError(f"no chapters in {source}")
    draft = io.BytesIO()
    epub.write_epub(draft, _make_book(chapters), {"mtime": MODIFIED, "play_order": {"enabled": True, "start_from": 1}})
    target.write_bytes(_repack(draft))


def main() -> int:
    """Rebuild the committed EPUB and say so."""
    build(SOURCE, TARGET)
    print(f"{TARGET.relative_to(RESOURCES.parent).as_posix()}: {TARGET.stat().st_size:,} bytes")
    return 0


def _read_chapter(file: Path) -> Chapter:
    markdown = MarkdownIt("commonmark", {"xhtmlOut": True})
    tokens = markdown.parse(file.read_text(encoding="utf-8"))
    titles: list[str] = []
    sections: list[tuple[str, str]] = []
    for token, inline in pairwise(tokens):
        if token.type != "heading_open":
            continue
        if token.tag == "h1":
            titles.append(inline.content)
        elif token.tag == "h2":
            anchor = re.sub(r"[^a-z0-9]+", "-", inline.content.lower()).strip("-")
            token.attrSet("id", anchor)
            sections.append((anchor, inline.content))
    if len(titles) != 1 or tokens[0].tag != "h1":
        raise ValueError(f"{file.name} does not begin with its one '#' heading")
    if len(dict(sections)) < len(sections):
        raise ValueError(f"{file.name} has two '##' headings that give the same anchor")
    return Chapter(file.stem, titles[0], tuple(sections), str(markdown.renderer.render(tokens, markdown.options, {})))


def _make_book(chapters: list[Chapter]) -> epub.EpubBook:
    book = epub.EpubBook()
    book.set_identifier(IDENTIFIER)
    book.set_title(TITLE)
    book.set_language(LANGUAGE)
    book.add_metadata("DC", "publisher", "ReadDesk")
    # EbookLib puts its version here, and with it every upgrade would change the bytes.
    book.set_unique_metadata("OPF", "generator", "", {"name": "generator", "content": "ReadDesk packaging/handbook.py"})
    book.add_item(epub.EpubItem("style", STYLE_FILE, "text/css", STYLE.encode()))
    for chapter in chapters:
        page = epub.EpubHtml(f"chapter-{chapter.name}", f"{chapter.name}.xhtml", title=chapter.title, lang=LANGUAGE)
        page.set_content(chapter.html.encode())
        page.add_link(href=STYLE_FILE, rel="stylesheet", type="text/css")
        book.add_item(page)
        book.spine.append(page)
        book.toc.append((page, [_link(page, anchor, heading) for anchor, heading in chapter.sections]))
    book.add_item(epub.EpubNcx())
    # The contents list stays out of the spine: it is not text to be read and gisted.
    book.add_item(epub.EpubNav())
    return book


def _link(page: epub.EpubHtml, anchor: str, heading: str) -> epub.Link:
    return epub.Link(f"{page.file_name}#{anchor}", heading, f"{page.id}-{anchor}")


def _repack(draft: io.BytesIO) -> bytes:
    # EbookLib writes the mimetype first, as EPUB demands; its order of entries is that in which they were added.
    packed = io.BytesIO()
    with zipfile.ZipFile(draft) as old, zipfile.ZipFile(packed, "w") as new:
        for name in old.namelist():
            entry = zipfile.ZipInfo(name, ENTRY_TIME)
            entry.create_system = 3  # otherwise Windows writes another byte than Linux
            entry.external_attr = FILE_MODE << 16
            new.writestr(entry, old.read(name), compress_type=zipfile.ZIP_STORED)
    return packed.getvalue()


if __name__ == "__main__":
    sys.exit(main())
