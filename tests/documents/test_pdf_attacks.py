"""PDFs made to do harm, read from end to end: whatever is wrong in one costs little time and nothing else of it."""

from __future__ import annotations

from pathlib import Path

from readdesk.documents.pdf.attached import attachments_of
from readdesk.documents.pdf.file import open_file
from tests.documents.reading import read
from tests.samples import attacks


def test_files_pinned_to_a_leaf_are_found_while_its_memory_is_held(tmp_path: Path) -> None:
    """Annotations belong to their page in memory: without it they were lost, and now and then the process with them."""
    document = open_file(attacks.pinned(tmp_path / "pinned.pdf", 900), None)
    assert [file.name for file in attachments_of(document)] == [f"file {number}" for number in range(900)]


def test_rich_text_of_nothing_but_open_brackets(tmp_path: Path) -> None:
    """A million of them took minutes and more when each was taken for the beginning of a tag that may end anywhere."""
    entries = [
        attacks.HIGHLIGHT % (b"/RC (%s)" % words) for words in (b"<" * 1_000_000, b"<br" * 300_000, b"<p>a</p>b")
    ]
    marked = read(attacks.annotated(tmp_path / "rich.pdf", entries)).layers.markups
    assert [len(markup.text) for markup in marked] == [20_000, 20_000, 3]
