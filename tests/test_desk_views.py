"""What the window asks of the desk: leaves, words in them, pictures, places, the shelf, options; all real."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from readdesk.desk import Desk
from readdesk.documents.model import Anchor, Choices, LeafSpot, Picture
from readdesk.errors import NotFoundError, PasswordNeeded, ReadDeskError
from readdesk.jobs.events import Done, Failed, LeafDrawn, OpenedLeaves, Stopped
from readdesk.library.model import DocumentRecord, HealthReport, ReadingPlace
from readdesk.paths import Paths
from readdesk.settings import Settings, load_settings
from tests.jobs.homes import as_text, short_pages, wait_until_quiet
from tests.jobs.recorder import Recorder


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
    assert isinstance(end, Done), end
    assert isinstance(end.result, DocumentRecord)
    return end.result


def test_leaves_are_opened_drawn_and_searched(desk: Desk, told: Recorder, shared_data: Path) -> None:
    record = add(desk, told, shared_data / "documents/pdf/outline-latex.pdf")
    opened = told.end(desk.open_leaves(record.id))
    assert isinstance(opened, Done) and isinstance(opened.result, OpenedLeaves)
    leaves, starts = opened.result.leaves, opened.result.starts
    assert len(leaves) == len(starts) == 4
    assert list(starts) == sorted(starts) and starts[0] == 0 and starts[-1] < record.characters
    job = desk.draw(record, (2, 0), 0.5)
    told.end(job)
    drawn = [event for event in told.of(job) if isinstance(event, LeafDrawn)]
    assert [(event.leaf, event.scale, event.error) for event in drawn] == [(2, 0.5, None), (0, 0.5, None)]
    assert all(event.picture and event.picture.width == round(leaves[event.leaf].width / 2) for event in drawn)
    start = starts[1]
    located = told.end(desk.locate(record, start, start + 12))
    assert isinstance(located, Done) and isinstance(located.result, Anchor)
    spots = [spot for spot in located.result.spots if isinstance(spot, LeafSpot)]
    assert spots[0].leaf == 1 and spots[0].rectangles
    left, top, right, bottom = spots[0].rectangles[0]
    assert 0 <= left < right <= leaves[1].width and 0 <= top < bottom <= leaves[1].height


def test_a_locked_pdf_asks_again_in_the_next_run(desk: Desk, paths: Paths, told: Recorder, shared_data: Path) -> None:
    """The password is remembered for this run and written nowhere."""
    record = add(desk, told, shared_data / "documents/pdf/encrypted-user-password.pdf", "openpassword")
    assert isinstance(told.end(desk.open_leaves(record.id)), Done)
    desk.close()
    again = Desk(paths, Settings(), told.post)
    try:
        # Jobs of another desk count anew, so its events are looked at alone.
        fresh = Recorder()
        again._lanes["view"]._post = fresh.post
        locked = fresh.end(again.open_leaves(record.id))
        assert isinstance(locked, Failed) and isinstance(locked.error, PasswordNeeded)
        wrong = fresh.end(again.open_leaves(record.id, "wrong"))
        assert isinstance(wrong, Failed) and isinstance(wrong.error, PasswordNeeded)
        assert isinstance(fresh.end(again.open_leaves(record.id, "openpassword")), Done)
    finally:
        again.close()
    kept = b"".join(file.read_bytes() for file in paths.data.rglob("*") if file.is_file())
    assert b"openpassword" not in kept


def test_a_file_that_has_gone_is_told(desk: Desk, told: Recorder, shared_data: Path, tmp_path: Path) -> None:
    copy = tmp_path / "moved.pdf"
    copy.write_bytes((shared_data / "documents/pdf/outline-latex.pdf").read_bytes())
    record = add(desk, told, copy)
    copy.unlink()
    end = told.end(desk.open_leaves(record.id))
    assert isinstance(end, Failed) and "no longer" in end.error.message and "add it" in end.error.hint
    assert desk.paragraphs(record, 0, 500), "its text is still there"


def test_a_picture_of_an_epub(desk: Desk, told: Recorder, shared_data: Path) -> None:
    record = add(desk, told, shared_data / "documents/epub/childrens-literature.epub")
    end = told.end(desk.picture(record, "EPUB/images/cover.png", 200))
    assert isinstance(end, Done) and isinstance(end.result, Picture) and end.result.width == 200


def test_old_drawings_can_be_stopped_before_they_begin(desk: Desk, told: Recorder, shared_data: Path) -> None:
    record = add(desk, told, shared_data / "documents/pdf/zsh-manual.pdf")
    first = desk.draw(record, range(200), 2.0)
    second = desk.draw(record, (5,), 1.0)
    desk.stop(first)
    assert isinstance(told.end(first), Stopped) and isinstance(told.end(second), Done)
    assert len([event for event in told.of(first) if isinstance(event, LeafDrawn)]) < 200


def test_places_survive_closing(desk: Desk, paths: Paths, told: Recorder, shared_data: Path) -> None:
    record = add(desk, told, shared_data / "documents/epub/childrens-literature.epub")
    assert desk.place(record.id) is None
    for position in range(100):
        desk.keep_place(record.id, ReadingPlace(position))
    desk.keep_place(record.id, ReadingPlace(1234, "7 0.5"))
    assert desk.place(record.id) == ReadingPlace(1234, "7 0.5")
    desk.close()
    again = Desk(paths, Settings(), told.post)
    assert again.place(record.id) == ReadingPlace(1234, "7 0.5")
    assert [entry.document.id for entry in again.shelf()] == [record.id] and again.shelf()[0].seen
    again.close()


def test_a_place_of_a_text_that_was_replaced_meanwhile_is_none(desk: Desk, told: Recorder, tmp_path: Path) -> None:
    """The window may still tell where the old text was left while the new one is put in its place."""
    path = tmp_path / "book.txt"
    lines = [f"The paragraph with the number {number} says one thing." for number in range(40)]
    path.write_text("\n\n".join(lines))
    old = add(desk, told, path)
    desk.keep_place(old.id, ReadingPlace(700, text_hash=old.text_hash))
    path.write_text("\n\n".join(["A new beginning.", *lines]))
    new = add(desk, told, path)
    assert new.id == old.id and new.text_hash != old.text_hash
    desk.keep_place(old.id, ReadingPlace(700, text_hash=old.text_hash))
    moved = desk.place(old.id)
    assert moved is not None and moved.position == 700 + len("A new beginning.")
    desk.keep_place(old.id, ReadingPlace(5, text_hash=new.text_hash))
    assert desk.place(old.id) == ReadingPlace(5, text_hash=new.text_hash)


def test_the_shelf_shows_the_last_opened_first(desk: Desk, told: Recorder, tmp_path: Path) -> None:
    records = []
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.txt").write_text(f"The book called {name}. " * 20, encoding="utf-8")
        records.append(add(desk, told, tmp_path / f"{name}.txt"))
    assert [entry.document.title for entry in desk.shelf()] == ["three", "two", "one"]
    desk.keep_place(records[0].id, ReadingPlace(5))
    told.wait_for(lambda event: isinstance(event, Done) and bool(desk.shelf()[0].seen))
    assert [entry.document.title for entry in desk.shelf()] == ["one", "three", "two"]
    assert all((entry.model, entry.progress.gists, entry.progress.complete) == ("", 0, False) for entry in desk.shelf())


def test_a_file_is_examined_without_being_added(desk: Desk, told: Recorder, shared_data: Path) -> None:
    """And once it is added, the library says the same of it."""
    path = shared_data / "documents/epub/childrens-literature.epub"
    end = told.end(desk.examine(path))
    assert isinstance(end, Done) and isinstance(end.result, HealthReport)
    report = end.result
    assert desk.documents() == () and (report.document.id, report.document.path) == (0, str(path.resolve()))
    assert report.document.title and report.document.words == sum(section.words for section in report.sections)
    assert len(report.openings) == len(report.sections) and any(report.openings)
    assert report.pages > 0 and (report.model, report.seconds) == ("", None)
    record = add(desk, told, path)
    known = desk.health(record, with_openings=True)
    assert (known.sections, known.openings, known.pages) == (report.sections, report.openings, report.pages)
    assert replace(record, id=0, added="", text_hash="") == report.document
    with pytest.raises(NotFoundError, match="No model is called"):
        desk.health(record, "nobody")


def test_examining_a_file_that_is_no_book(desk: Desk, told: Recorder, tmp_path: Path) -> None:
    (tmp_path / "nothing.txt").write_bytes(b"")
    end = told.end(desk.examine(tmp_path / "nothing.txt"))
    assert isinstance(end, Failed) and "is empty" in end.error.message


def test_a_section_is_left_out_and_taken_in_again(desk: Desk, told: Recorder, tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text(as_text(short_pages(3)), encoding="utf-8")
    record = add(desk, told, tmp_path / "book.txt")
    before = desk.sections(record)
    desk.leave_out(record.id, 1, True)
    assert [section.is_left_out for section in desk.sections(record)][1]
    assert desk.health(record).pages == len(before) - 1
    desk.leave_out(record.id, 1, False)
    assert desk.sections(record) == before
    with pytest.raises(NotFoundError):
        desk.leave_out(99, 0, True)
    assert desk.find_note(record, "no such") is None and desk.printed_pages(record) == ()


def test_a_text_is_read_again_in_another_encoding(desk: Desk, told: Recorder, tmp_path: Path) -> None:
    """The document stays the same one, and is read so from then on (trap 70)."""
    path = tmp_path / "tale.txt"
    path.write_bytes(("Паром ушёл в шесть часов, и на нём не было никого. " * 8).encode("cp1251"))
    record = add(desk, told, path)
    end = told.end(desk.reread(record.id, Choices("KOI8-R")))
    assert isinstance(end, Done) and isinstance(end.result, DocumentRecord)
    wrong = end.result
    assert (wrong.id, wrong.encoding, wrong.choices) == (record.id, "KOI8-R", Choices("KOI8-R"))
    assert "Паром" not in desk.paragraphs(wrong, 0, 100)[0].text
    end = told.end(desk.add(path))
    assert isinstance(end, Done) and end.result == wrong, "nobody asked for another way"
    end = told.end(desk.add(path, choices=Choices("Windows-1251")))
    assert isinstance(end, Done) and end.result.id == record.id
    assert "Паром" in desk.paragraphs(end.result, 0, 100)[0].text
    path.unlink()
    gone = told.end(desk.reread(record.id, Choices("KOI8-R")))
    assert isinstance(gone, Failed) and "There is no file" in gone.error.message
    assert desk.find(str(record.id)).choices == Choices("Windows-1251")


def test_the_notes_of_a_real_book_are_found(desk: Desk, told: Recorder, shared_data: Path) -> None:
    """Every mark of a note that the book has a text for leads to a paragraph."""
    record = add(desk, told, shared_data / "documents/epub/meditations.epub")
    marks = [mark for p in desk.paragraphs(record, 0, record.characters) for mark in p.marks if mark.kind == "note"]
    found = [desk.find_note(record, mark.value) for mark in marks[:50]]
    assert marks and all(place is not None and place[0] < place[1] for place in found)


def test_options_are_kept_and_checked(desk: Desk, paths: Paths) -> None:
    desk.set_option("window.theme", "dark")
    assert desk.option("window.theme") == "dark"
    assert load_settings(paths.config).text("window.theme") == "dark"
    with pytest.raises(ReadDeskError):
        desk.set_option("window.theme", 3)
    with pytest.raises(KeyError):
        desk.option("window.taste")


def test_options_that_cannot_be_kept_still_hold(desk: Desk, paths: Paths) -> None:
    paths.config.parent.mkdir(parents=True, exist_ok=True)
    paths.config.write_text("a file where a folder should be")
    with pytest.raises(ReadDeskError, match="cannot be kept"):
        desk.set_option("window.zoom", 1.5)
    assert desk.option("window.zoom") == 1.5


def test_warming_up_starts_the_process_that_draws(desk: Desk, told: Recorder) -> None:
    desk.warm_up()
    told.wait_for(lambda event: isinstance(event, Done))
    assert desk._drawer._worker.running
