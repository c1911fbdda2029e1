"""The committed handbook is what its Markdown builds, has the promised length, and is a book that readers can open."""

from __future__ import annotations

import importlib.util
import sys
import zipfile
from pathlib import Path
from types import ModuleType
from typing import get_args
from xml.etree import ElementTree

import pytest
from ebooklib import ITEM_DOCUMENT, epub

from readdesk.documents.model import Format

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "resources" / "handbook"
COMMITTED = ROOT / "resources" / "handbook.epub"
REBUILD = "rebuild it with: python packaging/handbook.py"


@pytest.fixture(scope="module")
def handbook() -> ModuleType:
    """The script as a module; it is no part of a package, so it is loaded from its path."""
    spec = importlib.util.spec_from_file_location("handbook_script", ROOT / "packaging" / "handbook.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


def _chapter_titles() -> list[str]:
    texts = [file.read_text(encoding="utf-8") for file in sorted(SOURCE.glob("*.md"))]
    return [text.splitlines()[0].removeprefix("# ") for text in texts]


def test_same_source_gives_same_bytes_and_committed_file_is_current(handbook: ModuleType, tmp_path: Path) -> None:
    first, second = tmp_path / "first.epub", tmp_path / "second.epub"
    handbook.build(SOURCE, first)
    handbook.build(SOURCE, second)
    assert first.read_bytes() == second.read_bytes()
    # Not one comparison of bytes: pytest would print a difference of 50,000 characters.
    is_current = COMMITTED.exists() and COMMITTED.read_bytes() == first.read_bytes()
    assert is_current, f"resources/handbook.epub is not what resources/handbook/*.md builds; {REBUILD}"


def test_length_suits_a_sample_book() -> None:
    words = sum(len(file.read_text(encoding="utf-8").split()) for file in SOURCE.glob("*.md"))
    assert 3_000 <= words <= 5_000


def test_every_format_that_opens_is_named() -> None:
    """A format that is added is told of in the handbook and in the README."""
    names = {"epub": "EPUB", "pdf": "PDF", "text": "text", "markdown": "Markdown", "html": "HTML"}
    names |= {format: format.upper() for format in ("fb2", "mobi", "xps", "cbz")}
    chapter = (SOURCE / "04-adding-documents.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first_words, window = readme.split("\n\n")[1], readme.split("## The window")[1].split("\n\n")[1]
    for name in [names[each] for each in get_args(Format)]:
        assert name in chapter and name in first_words and name in window
    assert all(name in chapter and name in window for name in ("XHTML", "MHTML"))


def test_archive_is_an_epub_without_traces_of_a_machine() -> None:
    with zipfile.ZipFile(COMMITTED) as archive:
        entries = archive.infolist()
        assert archive.testzip() is None
        assert archive.read("mimetype") == b"application/epub+zip"
    assert entries[0].filename == "mimetype"
    assert {entry.compress_type for entry in entries} == {zipfile.ZIP_STORED}
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}


def test_contents_name_every_chapter_and_every_section_anchor_exists() -> None:
    with zipfile.ZipFile(COMMITTED) as archive:
        nav = ElementTree.fromstring(archive.read("EPUB/nav.xhtml"))
        ncx = ElementTree.fromstring(archive.read("EPUB/toc.ncx"))
        links = nav.findall(".//{*}nav/{*}ol//{*}a")
        for link in links:
            file, _, anchor = str(link.get("href")).partition("#")
            chapter = ElementTree.fromstring(archive.read(f"EPUB/{file}"))
            assert not anchor or [element.get("id") for element in chapter.iter()].count(anchor) == 1
    chapters = [link.text for link in links if "#" not in str(link.get("href"))]
    headings = sum(file.read_text(encoding="utf-8").count("\n## ") for file in SOURCE.glob("*.md"))
    assert chapters == _chapter_titles()
    assert len(links) == len(chapters) + headings == len(ncx.findall(".//{*}navPoint"))


def test_ebooklib_opens_it_and_the_text_is_inside() -> None:
    book = epub.read_epub(COMMITTED)
    assert book.get_metadata("DC", "title")[0][0] == "The ReadDesk Handbook"
    assert book.get_metadata("DC", "language")[0][0] == "en"
    assert len(book.toc) == len(book.spine) == len(_chapter_titles())
    documents = [item for item in book.get_items_of_type(ITEM_DOCUMENT) if not isinstance(item, epub.EpubNav)]
    text = " ".join("".join(ElementTree.fromstring(item.get_content()).itertext()) for item in documents)
    assert "a file of 1.1 GB" in text
    assert "Press Ctrl-C, and it stops within a second." in text
    assert "readdesk add FILE…" in text


@pytest.mark.parametrize(
    "text", ["No heading.\n", "# One\n\n# Two\n", "## A section\n\n# A title\n", "# T\n## A b\n## a B\n"]
)
def test_a_chapter_of_the_wrong_form_is_named(handbook: ModuleType, tmp_path: Path, text: str) -> None:
    (tmp_path / "01-odd.md").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"01-odd\.md"):
        handbook.build(tmp_path, tmp_path / "odd.epub")


def test_a_folder_without_chapters_is_refused(handbook: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no chapters"):
        handbook.build(tmp_path, tmp_path / "empty.epub")
