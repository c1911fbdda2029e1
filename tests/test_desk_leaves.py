"""Leaves at the desk: what came out of them, labels, links, what is marked, and files that are not what they say.

All real: the document process reads, the drawing process finds links, the library keeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from readdesk.desk import Desk
from readdesk.documents.model import Anchor, LeafSpot, Link
from readdesk.errors import DocumentError, NotFoundError, PasswordNeeded, ReadDeskError
from readdesk.jobs.add import FileRequest
from readdesk.jobs.events import Done, Failed, OpenedLeaves
from readdesk.jobs.view import Shown
from readdesk.library.model import DocumentRecord, HealthReport
from readdesk.paths import Paths
from readdesk.settings import Settings
from tests.jobs.homes import wait_until_quiet
from tests.jobs.recorder import Recorder
from tests.samples import layered, make


@pytest.fixture
def told() -> Recorder:
    return Recorder()


@pytest.fixture
def desk(paths: Paths, told: Recorder) -> Iterator[Desk]:
    """An empty library and no model."""
    opened = Desk(paths, Settings(), told.post)
    yield opened
    opened.close()
    wait_until_quiet(paths.data)


def add(desk: Desk, told: Recorder, path: Path, password: str | None = None) -> DocumentRecord:
    """Add a file and wait for it."""
    end = told.end(desk.add(path, password))
    assert isinstance(end, Done) and isinstance(end.result, DocumentRecord), end
    return end.result


def labels_of(desk: Desk, told: Recorder, record: DocumentRecord) -> list[str]:
    """What the window calls the leaves."""
    end = told.end(desk.open_leaves(record.id))
    assert isinstance(end, Done) and isinstance(end.result, OpenedLeaves)
    return [leaf.label for leaf in end.result.leaves]


def test_a_reader_names_a_leaf(desk: Desk, told: Recorder, tmp_path: Path) -> None:
    """Trap 10: leaves, contents and printed pages are called by what the reader said."""
    record = add(desk, told, make.with_outline(tmp_path / "book.pdf"))
    assert [leaf.label for leaf in desk.leaves(record)] == labels_of(desk, told, record) == ["i", "127", "128"]
    assert record.labelling == "file"
    desk.name_leaf(record.id, 0, "12")
    assert [leaf.label for leaf in desk.leaves(record)] == labels_of(desk, told, record) == ["12", "13", "14"]
    assert [section.label for section in desk.sections(record)] == ["12", "12", "13", "14"]
    assert [label for _, label in desk.printed_pages(record)] == ["12", "13", "14"]
    assert desk.leaf_report(record, "13").health.index == 1
    assert desk.find("1").labelling == "set"
    with pytest.raises(ReadDeskError, match="no page number"):
        desk.name_leaf(record.id, 0, "first")
    with pytest.raises(NotFoundError, match="no leaf 4"):
        desk.name_leaf(record.id, 3, "5")
    desk.name_leaf(record.id, 0, "")
    assert labels_of(desk, told, record) == ["i", "127", "128"]


def test_what_a_model_reads_of_a_leaf(desk: Desk, told: Recorder, tmp_path: Path) -> None:
    record = add(desk, told, make.running_heads(tmp_path / "heads.pdf"))
    report = desk.leaf_report(record, "#3")
    assert report.text.startswith("Leaf number 2 begins here.") and "THE HEAD" not in report.text
    assert report.text == "\n\n".join(text for _, text in desk.leaf_paragraphs(record, 2)) and report.leaves == 6
    assert "CHAPTER 1. THE HEAD" in {found.text for found in report.health.furniture}
    assert desk.leaf_paragraphs(record, 99) == ()


def test_what_is_marked_is_taken_over_once(desk: Desk, told: Recorder, tmp_path: Path) -> None:
    path = layered.marked(tmp_path / "marked.pdf")
    record = add(desk, told, path)
    found = desk.highlights(record)
    assert len(found) == 8 and all(mark.is_from_file for mark in found)
    captain = next(mark for mark in found if mark.kind == "highlight")
    assert (captain.quote, captain.note, captain.author) == (layered.WORDS, "A captain!", "Ann")
    located = told.end(desk.locate(record, captain.start or 0, captain.end or 0))
    assert isinstance(located, Done) and isinstance(located.result, Anchor)
    spot, place = located.result.spots[0], captain.anchor.spots[0]
    assert isinstance(spot, LeafSpot) and isinstance(place, LeafSpot)
    assert (spot.start, spot.end) == (place.start, place.end)
    assert spot.rectangles[0] == pytest.approx(place.rectangles[0], abs=0.2)
    desk.remove_highlight(captain.id)
    told.end(desk.reread(record.id, record.choices))
    again = desk.highlights(record)
    assert len(again) == 7 and captain.id not in [mark.id for mark in again]
    with pytest.raises(NotFoundError):
        desk.remove_highlight(captain.id)


def test_attached_files_are_named(desk: Desk, told: Recorder, tmp_path: Path) -> None:
    path = layered.with_files(tmp_path / "files.pdf")
    examined = told.end(desk.examine(path))
    assert isinstance(examined, Done) and isinstance(examined.result, HealthReport)
    record = add(desk, told, path)
    assert desk.attachments(record) == examined.result.attachments == desk.health(record).attachments
    assert [file.name for file in desk.attachments(record)] == ["figures.csv", "Notizen für später.txt", "letter.txt"]


def test_links_of_a_leaf(desk: Desk, told: Recorder, tmp_path: Path) -> None:
    record = add(desk, told, layered.linked(tmp_path / "linked.pdf"))
    end = told.end(desk.links(record, 0))
    assert isinstance(end, Done) and all(isinstance(link, Link) for link in end.result)
    assert [(link.leaf, link.address) for link in end.result] == [
        *[(1, "")] * 3,
        (-1, "https://example.org/a?b=c"),
        (-1, "mailto:ann@example.org"),
    ]
    assert isinstance(told.end(desk.links(record, 1)), Done)


def test_a_locked_file(desk: Desk, told: Recorder, paths: Paths, tmp_path: Path) -> None:
    """Trap 8: it asks, asks again after a wrong password, and reads, draws and finds links with the right one."""
    path = make.locked(tmp_path / "lease.pdf", "open sesame", "owner")
    for password, words in ((None, "is locked"), ("sesame", "is wrong")):
        end = told.end(desk.add(path, password))
        assert isinstance(end, Failed) and isinstance(end.error, PasswordNeeded) and words in end.error.message
    assert desk.documents() == ()
    record = add(desk, told, path, "open sesame")
    assert labels_of(desk, told, record) == [""]
    wrong = told.end(desk.open_leaves(record.id, "sesame"))
    assert isinstance(wrong, Failed) and isinstance(wrong.error, PasswordNeeded)
    assert labels_of(desk, told, record) == [""], "the right one is still remembered"
    assert told.end(desk.links(record, 0)) == Done(told.events[-1].job, ())
    owner = add(desk, told, make.locked(tmp_path / "owner.pdf", "", "owner"))
    assert owner.id == record.id, "the same text: it opens without a password"
    assert "open sesame" not in f"{FileRequest(path, 'open sesame')} {Shown(record, 'open sesame')}"


def test_files_that_are_not_what_they_say(desk: Desk, told: Recorder, paths: Paths, tmp_path: Path) -> None:
    """Trap 11: each gets a sentence of its own, and the library is as it was, also after the next start."""
    kept = add(desk, told, make.pdf(tmp_path / "kept.pdf", [make.lines(make.LINES)]))
    whole = make.pdf(tmp_path / "whole.pdf", [make.lines(["Another text.", *make.LINES])] * 3).read_bytes()
    for name, content, words in (
        ("empty.pdf", b"", "empty.pdf is empty"),
        ("zeros.pdf", bytes(5000), "zeros.pdf is empty"),
        ("page.pdf", b"<!DOCTYPE html><html><body>Not found</body></html>", "web page, which was saved in place of"),
        ("picture.pdf", b"\x89PNG\r\n\x1a\n" + bytes(100), "is a picture"),
        ("header.pdf", b"%PDF-1.7\n%%EOF\n", "damaged"),
        ("cut.pdf", whole[:120], "damaged"),
        (
            "leafless.pdf",
            b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[]/Count 0>>"
            b"endobj\ntrailer<</Root 1 0 R>>",
            "no page is left",
        ),
        ("blank.pdf", _blank(tmp_path), "holds no words to read"),
        ("drm.pdf", _protected(whole), "only certain programs can read it (DRM)"),
    ):
        (tmp_path / name).write_bytes(content)
        end = told.end(desk.add(tmp_path / name))
        assert isinstance(end, Failed) and isinstance(end.error, DocumentError), (name, end)
        assert words in end.error.message and end.error.hint, (name, end.error)
    assert desk.documents() == (kept,)
    desk.close()
    again = Desk(paths, Settings(), told.post)
    assert again.documents() == (kept,)
    again.close()


def _blank(folder: Path) -> bytes:
    return make.pdf(folder / "no-words.pdf", [[], []]).read_bytes()


def _protected(content: bytes) -> bytes:
    """The same PDF, said to be locked by the programs of a shop."""
    root = content.rindex(b"/Root")
    lock = b"/Encrypt<</Filter/EBX_HANDLER/V 1/R 2/O(%b)/U(%b)/P -4>>/ID[(a)(b)]" % (b"x" * 32, b"y" * 32)
    return content[:root] + lock + content[root:]


def test_a_pdf_by_any_name(desk: Desk, told: Recorder, tmp_path: Path) -> None:
    """Trap 11: content decides; a repaired file says so and its leaves are there."""
    whole = make.pdf(tmp_path / "whole.pdf", [make.lines(make.LINES)] * 3).read_bytes()
    (tmp_path / "book.epub").write_bytes(b"junk before it\n" + whole[: whole.rindex(b"xref") - 1])
    record = add(desk, told, tmp_path / "book.epub")
    assert record.format == "pdf" and len(desk.leaves(record)) == 3
    assert "repaired as far as possible" in record.notes[0]
