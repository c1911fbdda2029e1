"""`ocr`, and what the other commands say of a scan. Recognising itself needs Tesseract and is skipped without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from readdesk.library.store import Library
from readdesk.paths import Paths
from tests.cli.terminal import Terminal
from tests.samples import make, scans


@pytest.fixture
def scan(terminal: Terminal, tmp_path: Path) -> Path:
    """A library with one document: three leaves, of which two are pictures."""
    path = scans.mixed(tmp_path / "The Ferry.pdf", scans=(0, 2))
    assert terminal("add", path).code == 0
    return path


@pytest.fixture
def without_tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tesseract's data are looked for where there are none."""
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))


def test_a_scan_is_added_and_every_command_says_what_to_do(terminal: Terminal, tmp_path: Path) -> None:
    """Trap 7: importing succeeds, no model is called, and the next command is named."""
    said = terminal("add", scans.scan(tmp_path / "scan.pdf", [make.LINES]))
    assert said.code == 0 and "0 words" in said.out and "picture without text" in said.out
    for words in (("gist", 1), ("ask", 1, "Who came?"), ("export", 1)):
        told = terminal(*words).check_error()
        assert "its leaves are pictures" in told and told.endswith("First run: readdesk ocr 1")
    shown = terminal("pages", 1)
    assert shown.code == 0 and "readdesk ocr 1" in shown.out
    assert "No text that a model could read yet; recognise it with: readdesk ocr 1" in terminal("health", 1).out
    assert terminal("list").code == 0


def test_without_tesseract_the_command_that_installs_it_is_told(
    terminal: Terminal, scan: Path, without_tesseract: None
) -> None:
    told = terminal("ocr", 1).check_error()
    assert "needs Tesseract" in told and "Install it: " in told
    listed = terminal("ocr", "--list")
    assert listed.code == 0 and "Install it: " in listed.out
    assert terminal("--json", "ocr", "--list").json["available"] is False


@pytest.mark.parametrize("leaves", ["0", "3-1", "x", "1-", "", "1;2"])
def test_what_names_no_leaves_is_wrong_usage(terminal: Terminal, scan: Path, leaves: str) -> None:
    said = terminal("ocr", 1, "--leaves", leaves)
    assert said.code == 2 and "3-10" in said.err


def test_leaves_that_are_not_there_and_documents_without_any(terminal: Terminal, scan: Path, tmp_path: Path) -> None:
    assert "has only 3 leaves" in terminal("ocr", 1, "--leaves", "2-4").check_error()
    assert terminal("ocr").code == 2
    book = tmp_path / "book.txt"
    book.write_text(make.PARAGRAPH * 20)
    terminal("add", book)
    assert "no leaves" in terminal("ocr", 2).check_error()
    other = make.pdf(tmp_path / "other.pdf", [make.lines(make.LINES)])
    assert terminal("health", scans.scan(tmp_path / "new.pdf", [["Words."]])).out.endswith(
        f"First run: readdesk add {tmp_path / 'new.pdf'}\n"
    )
    assert f"other.pdf is not in the library. First run: readdesk add {other}" in terminal("ocr", other).check_error()


def test_the_text_of_pictures_is_recognised(terminal: Terminal, scan: Path, paths: Paths, tesseract: Path) -> None:
    said = terminal("--plain", "ocr", 1, "--languages", "eng", "--leaves", "3")
    assert (
        said.code == 0 and "1 leaf of 3 with recognised text" in said.out and "1 leaf without text is left" in said.out
    )
    whole = terminal("--json", "ocr", 1, "--languages", "eng").json
    assert [leaf["kind"] for leaf in whole["leaves"]] == ["ocr", "text", "ocr"]
    library = Library(paths.library)
    record = library.documents.get(1)
    text = library.documents.text(record, 0, record.characters)
    library.close()
    assert all(f"This is leaf {number} of the book." in text for number in (1, 2, 3))
    assert "every leaf has text" in terminal("ocr", 1, "--languages", "eng").out
    again = terminal("ocr", 1, "--languages", "eng", "--leaves", "3", "--redo").out
    assert "2 leaves of 3 with recognised text (0 more than before)" in again and "every leaf" not in again
    assert "holds what its file does again" in terminal("ocr", 1, "--forget").out
    assert [leaf["kind"] for leaf in terminal("--json", "health", 1).json["leaves"]] == ["scan", "text", "scan"]
    assert "eng" in terminal("ocr", "--list").out


def test_a_locked_scan(terminal: Terminal, tmp_path: Path, tesseract: Path) -> None:
    """Trap 8: the password is needed each time, since it is kept nowhere."""
    terminal("add", make.locked(tmp_path / "lease.pdf", "sesame", "the owner's"), "--password", "sesame")
    words = ("ocr", 1, "--languages", "eng", "--leaves", "1", "--redo")
    refused = terminal("--plain", *words)
    assert refused.code == 1 and "Traceback" not in refused.err
    assert refused.err.splitlines()[-1] == "lease.pdf is locked with a password. Give it with --password."
    said = terminal("--plain", *words, "--password", "sesame")
    assert said.code == 0 and "1 leaf of 1 with recognised text (1 more than before)" in said.out
