"""A leaf that crashes or hangs whoever reads it is left out and named; everything else is there.

Trap 12, and 13 at process level. The leaves say themselves what they do (`paired.py`), and do it for real.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from readdesk.documents import open as opening
from readdesk.documents.model import DocumentHead
from readdesk.documents.open import DocumentReader, Part, ReadSoFar, Recognised
from readdesk.errors import DocumentError
from tests.documents import paired
from tests.documents.reading import Reading, collect
from tests.documents.test_recognise import hash_of
from tests.recognition import recognised

LEAVES = 40
LEAF_SECONDS = 2.0


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DocumentReader]:
    """With the second process, whatever machine this is."""
    monkeypatch.setattr(opening, "may_have_second", lambda: True)
    found = paired.reader(tmp_path, leaf_seconds=LEAF_SECONDS)
    yield found
    found.close()


def check_left_out(reading: Reading, *leaves: int) -> None:
    """Just these leaves have no text, and each is named."""
    assert reading.health.unreadable_leaves == leaves
    assert [note for note in reading.health.notes if "Leaf" in note] == [
        f"Leaf {leaf + 1} could not be read: it stops the program that reads it, so it was left out." for leaf in leaves
    ]
    assert not [note for note in reading.health.notes if "mean nothing" in note]
    lacking = [index for index in range(LEAVES) if f"the number {index + 1} on" not in reading.text]
    assert lacking == list(leaves)
    assert [leaf.index for leaf in reading.layers.leaves if leaf.kind == "unreadable"] == list(leaves)
    assert reading.head.leaves == len(reading.layers.leaves) == LEAVES


@pytest.mark.parametrize("says", ["KILL", "EXIT", "HANG"])
@pytest.mark.parametrize("leaf", [2, LEAVES - 2], ids=["at the front", "at the back"])
def test_a_leaf_that_stops_its_reader_is_left_out(reader: DocumentReader, tmp_path: Path, leaf: int, says: str) -> None:
    path = paired.long_pdf(tmp_path / "long.pdf", {leaf: says}, LEAVES)
    check_left_out(collect(reader.read(path)), leaf)
    other = paired.long_pdf(tmp_path / "other.pdf", {}, LEAVES)
    check_left_out(collect(reader.read(other)))


@pytest.mark.parametrize("says", [{1: "KILL", 38: "EXIT"}, {1: "HANG", 38: "HANG"}])
def test_two_of_them_are_both_left_out(reader: DocumentReader, tmp_path: Path, says: dict[int, str]) -> None:
    path = paired.long_pdf(tmp_path / "long.pdf", says, LEAVES)
    check_left_out(collect(reader.read(path)), *says)


def test_it_may_be_the_only_leaf(reader: DocumentReader, tmp_path: Path) -> None:
    reading = collect(reader.read(paired.long_pdf(tmp_path / "short.pdf", {0: "EXIT"}, 1)))
    (note,) = reading.health.notes
    assert note.startswith("Leaf 1 could not be read") and reading.document.paragraphs == ()


def test_one_process_alone_leaves_them_out_too(
    reader: DocumentReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "may_have_second", lambda: False)
    path = paired.long_pdf(tmp_path / "long.pdf", {3: "KILL", 38: "HANG"}, LEAVES)
    check_left_out(collect(reader.read(path)), 3, 38)


def test_many_of_them_are_one_sentence(reader: DocumentReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readdesk.documents.faults.MOST_SKIPPED", 1)
    bad = {2: "KILL", 3: "KILL"}
    with pytest.raises(DocumentError, match=r"^long.pdf could not be read: it makes the program that reads it crash"):
        collect(reader.read(paired.long_pdf(tmp_path / "long.pdf", bad, LEAVES)))


def test_it_is_not_waited_for_many_that_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readdesk.documents.faults._ALL_SECONDS", 1.5 * LEAF_SECONDS)
    reader = paired.reader(tmp_path, leaf_seconds=LEAF_SECONDS)
    with pytest.raises(DocumentError, match=r"^long.pdf could not be read: reading it takes too long \(nothing came"):
        collect(reader.read(paired.long_pdf(tmp_path / "long.pdf", dict.fromkeys(range(5, 9), "HANG"), LEAVES)))
    reader.close()


def test_a_leaf_that_was_read_when_something_else_ended_its_reader_is_kept(
    reader: DocumentReader, tmp_path: Path
) -> None:
    """One death proves nothing: the system may have ended the process because memory ran short."""
    found: list[Part] = []
    for part in reader.read(paired.long_pdf(tmp_path / "long.pdf", {}, LEAVES)):
        if isinstance(part, ReadSoFar) and part.done == 10 and part not in found:
            reader._worker.kill()
        found.append(part)
    check_left_out(collect(iter(found)))


def test_recognised_text_takes_the_place_of_such_a_leaf(reader: DocumentReader, tmp_path: Path) -> None:
    path = paired.long_pdf(tmp_path / "long.pdf", {2: "KILL"}, LEAVES)
    known = Recognised(hash_of(path), (recognised(2, ["What stands on it after all."]),))
    reading = collect(reader.read(path, recognised=known))
    assert "What stands on it after all." in reading.text
    assert reading.health.unreadable_leaves == ()


def test_what_dies_when_all_leaves_are_read_is_one_sentence(tmp_path: Path) -> None:
    reader = DocumentReader()
    parts = reader.read(paired.long_pdf(tmp_path / "long.pdf", {}, 900))
    for part in parts:
        if isinstance(part, DocumentHead):
            reader._worker.kill()
            break
    with pytest.raises(DocumentError, match="crash"):
        list(parts)
    reader.close()
