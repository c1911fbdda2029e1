from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.documents.model import DocumentHead
from readdesk.documents.open import DocumentReader, sniff
from readdesk.errors import DocumentError, PasswordNeeded
from tests.documents.reading import collect, read
from tests.samples import make

MUST_FAIL = {
    "epub/bad-not-an-epub.epub": "Office document",
    "epub/bad-zip-no-end-header.epub": "cut short",
    "epub/derived-truncated.epub": "cut short",
    "pdf/damaged-header-only.pdf": "damaged",
    "pdf/damaged-empty-file.pdf": "empty",
    "pdf/derived-truncated-zsh.pdf": "no page is left",
}
PASSWORDS = {
    "pdf/encrypted-user-password.pdf": "openpassword",
    "pdf/encrypted-aes256-user-password.pdf": "asdfzxcv",
    "pdf/derived-encrypted-developers-reference.pdf": "readdesk-user",
}
WITHOUT_TEXT = (
    "pdf/scan-huckleberry.pdf",
    "pdf/scan-two-columns.pdf",
    "pdf/scan-rotated-four-ways.pdf",
    "pdf/font-without-unicode-map.pdf",
)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.pdf", b"", "is empty"),
        ("a.epub", b"\x89PNG\r\n\x1a\n....", "picture"),
        ("a.pdf", b"\xff\xd8\xff\xe0..JFIF", "picture"),
        ("a.pdf", b"<!DOCTYPE html>\n<html><p>Not found</p></html>", "web page"),
        ("a.epub", b"\n <html lang='en'>", "web page"),
        ("a.txt", b"<?xml version='1.0'?><opml/>", "XML"),
        ("a.txt", b"{\\rtf1 text}", "rich-text"),
        ("a.txt", bytes(range(256)) * 4, "neither text"),
        ("a.txt", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Office"),
        ("a.mobi", b"x" * 60 + b"BOOKMOBI", "Kindle"),
        ("a.epub", b"PK\x03\x04 cut short", "cut short"),
    ],
)
def test_what_is_no_book_is_said(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    """Traps 11 and 61."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DocumentError, match=sentence):
        sniff(path)


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (b"\r\n\xef\xbb\xbf%PDF-1.4\n", "pdf"),
        (b"HTTP/1.1 200 OK\r\n\r\n%PDF-1.4\n1 0 obj <<>> endobj", "pdf"),
        (b"Every such file begins with %PDF-1.4, as we shall see in the chapters that follow.", "text"),
    ],
)
def test_a_pdf_may_have_something_before_its_header(tmp_path: Path, content: bytes, format: str) -> None:
    """Trap 11: and a text that speaks of the header is none."""
    (tmp_path / "file").write_bytes(content)
    assert sniff(tmp_path / "file") == format


def test_missing_folder_and_forbidden(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="no file"):
        sniff(tmp_path / "gone.epub")
    with pytest.raises(DocumentError, match="folder"):
        sniff(tmp_path)
    with pytest.raises(DocumentError, match=r"no file|cannot be opened"):
        sniff(Path("a\0b"))
    forbidden = tmp_path / "forbidden.txt"
    forbidden.write_text("x")
    forbidden.chmod(0)
    if not os.access(forbidden, os.R_OK):
        with pytest.raises(DocumentError, match="not allowed"):
            sniff(forbidden)


def test_content_counts_not_the_name(tmp_path: Path) -> None:
    book = make.epub(tmp_path / "book.pdf", {"a.xhtml": make.xhtml("<p>x</p>")})
    text = tmp_path / "text.epub"
    text.write_text("MZ is how this text begins, and BM could be another way.")
    paper = make.pdf(tmp_path / "paper.txt", [make.lines(make.LINES)])
    page = tmp_path / "page.txt"
    page.write_text("<!-- saved --><!DOCTYPE html>\n<html><p>Found</p></html>")
    notes = tmp_path / "notes.MD"
    notes.write_text("# Notes")
    assert (sniff(book), sniff(text), sniff(paper)) == ("epub", "text", "pdf")
    assert (sniff(page), sniff(notes)) == ("html", "markdown")
    with zipfile.ZipFile(tmp_path / "plain.epub", "w") as archive:
        archive.writestr("a.txt", "x")
    with pytest.raises(DocumentError, match="not an EPUB"):
        sniff(tmp_path / "plain.epub")


def test_the_front_process_stays_light() -> None:
    code = (
        "import sys, readdesk.documents.open; "
        "sys.exit(any(name.split('.')[0] in ('pymupdf', 'ebooklib', 'lxml') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_real_document_gives_its_result(shared_data: Path) -> None:
    """Those meant to fail fail with a sentence, locked ones ask, all others open with text."""
    documents = shared_data / "documents"
    for path in sorted(documents.glob("*/*.*")):
        name = path.relative_to(documents).as_posix()
        if name in MUST_FAIL:
            with pytest.raises(DocumentError, match=MUST_FAIL[name]):
                read(path)
        elif name in WITHOUT_TEXT:
            reading = read(path)
            assert reading.document.paragraphs == () and reading.health.unreadable_leaves
        else:
            if name in PASSWORDS:
                with pytest.raises(PasswordNeeded, match="locked"):
                    read(path)
                with pytest.raises(PasswordNeeded, match="wrong"):
                    read(path, "not it")
            assert read(path, PASSWORDS.get(name)).health.characters > 0, name


@pytest.fixture(scope="module")
def reader() -> object:
    found = DocumentReader()
    yield found
    found.close()


def test_through_the_document_process(reader: DocumentReader, tmp_path: Path) -> None:
    path = make.epub(tmp_path / "book.epub", {"a.xhtml": make.xhtml(f"<p>{make.PARAGRAPH * 5000}</p>")})
    parts = list(reader.read(path))
    assert all(len(pickle.dumps(part)) < 1_000_000 for part in parts) and len(parts) > 4
    assert collect(iter(parts)) == read(path)
    with pytest.raises(PasswordNeeded, match="locked"):
        list(reader.read(make.locked(tmp_path / "locked.pdf", "user", "owner")))
    assert len(list(reader.read(tmp_path / "locked.pdf", "user"))) > 2
    with pytest.raises(DocumentError, match="damaged"):
        (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7\nnothing")
        list(reader.read(tmp_path / "bad.pdf"))


def test_cancel_and_go_on(reader: DocumentReader, tmp_path: Path, shared_data: Path) -> None:
    cancel = CancelToken()
    parts = reader.read(shared_data / "documents" / "pdf" / "zsh-manual.pdf", cancel=cancel)
    started = time.monotonic()
    with pytest.raises(Cancelled):
        for part in parts:
            assert isinstance(part, DocumentHead) or part
            cancel.cancel()
    assert time.monotonic() - started < 15
    path = make.epub(tmp_path / "book.epub", {"a.xhtml": make.xhtml("<p>Still there.</p>")})
    assert collect(reader.read(path)).text == "Still there."


def test_a_crash_is_one_sentence(tmp_path: Path) -> None:
    path = make.epub(tmp_path / "book.epub", {"a.xhtml": make.xhtml(f"<p>{make.PARAGRAPH}</p>" * 20_000)})
    found = DocumentReader()
    parts = found.read(path)
    assert isinstance(next(parts), DocumentHead)
    found._worker.kill()
    with pytest.raises(DocumentError, match="crash"):
        list(parts)
    assert isinstance(next(found.read(path)), DocumentHead)
    found.close()


def test_a_file_that_takes_too_much_memory_is_one_sentence(tmp_path: Path) -> None:
    book = make.epub(tmp_path / "book.epub", {"a.xhtml": make.xhtml("<p>Text.</p>" * 50_000)})
    reader = DocumentReader(most_memory=1 << 20)
    try:
        with pytest.raises(DocumentError, match=r"^book.epub could not be read: reading it takes more memory"):
            list(reader.read(book))
    finally:
        reader.close()
