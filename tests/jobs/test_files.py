"""Adding through the real document process, exporting, and fetching a model."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from readdesk.cli.session import progress_words
from readdesk.documents.open import DocumentReader
from readdesk.errors import DocumentError, DownloadError, PasswordNeeded, ReadDeskError
from readdesk.jobs.add import FileRequest, add
from readdesk.jobs.events import Done, Event, Failed, Progress, Started, Stopped
from readdesk.jobs.export import export
from readdesk.jobs.fetch import fetch
from readdesk.jobs.lane import Lane, Turn
from readdesk.jobs.work import GistRequest, gist
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library
from readdesk.llm.catalogue import Catalogue
from readdesk.paths import Paths
from tests.jobs.books import Engines, add_book, drive, writer
from tests.jobs.recorder import Recorder
from tests.samples import make


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    """One document process for all tests of this file."""
    opened = DocumentReader()
    yield opened
    opened.close()


def add_file(
    library: Library, reader: DocumentReader, path: Path, password: str | None = None
) -> tuple[list[Event], DocumentRecord]:
    """Add a file in this thread."""
    events, record = drive(add(1, Turn(), library, reader, FileRequest(path, password)))
    assert isinstance(record, DocumentRecord)
    return events, record


def test_an_epub(library: Library, reader: DocumentReader, tmp_path: Path) -> None:
    files = {"a.xhtml": make.xhtml("<h1>One</h1><p>First text.</p>"), "b.xhtml": make.xhtml("<p>Second text.</p>")}
    nav = make.entry("a.xhtml", "One") + make.entry("b.xhtml", "Two")
    path = make.epub(tmp_path / "book.epub", files, nav=nav)
    events, record = add_file(library, reader, path)
    assert events == [
        Started(1, "Reading book.epub"),
        Progress(1, "Reading 1", 1, 2, 0.45),
        Progress(1, "Saving", 2),
    ]
    assert (record.title, record.authors) == ("A Sample", ("Ann Author",))
    assert (record.format, record.path) == ("epub", str(path))
    assert [section.title for section in library.documents.sections(record)] == ["One", "Two"]
    paragraphs = library.documents.paragraphs(record, 0, record.characters)
    assert [paragraph.text for paragraph in paragraphs] == ["One", "First text.", "Second text."]
    assert all(paragraph.anchor.spots for paragraph in paragraphs)
    assert record.characters == paragraphs[-1].end


def test_the_same_file_again_and_moved(library: Library, reader: DocumentReader, tmp_path: Path) -> None:
    """It is one document with its gists, and the library knows where it lies now (traps 56 and 58)."""
    path = tmp_path / "a.txt"
    path.write_text("A Tale\n\nThe ferry left at six.\n", encoding="utf-8")
    _, record = add_file(library, reader, path)
    drive(gist(1, Turn(), library, Engines(tiny=writer()), GistRequest(record.id, "tiny")))
    events, again = add_file(library, reader, path)
    assert again.id == record.id and events == [Started(1, "Reading a.txt")]
    moved = path.rename(tmp_path / "b.txt")
    _, found = add_file(library, reader, moved)
    assert (found.id, found.path) == (record.id, str(moved))
    assert len(library.documents.all()) == 1
    assert library.gists.pages(found, "tiny")[0].gist is not None
    moved.write_text("The Mill\n\nNobody knew why it stood still.\n", encoding="utf-8")
    _, other = add_file(library, reader, moved)
    assert other.id != record.id, "a wholly different text is another document"
    assert library.gists.pages(record, "tiny")[0].gist is not None


def _damaged(path: Path) -> Path:
    whole = make.epub(path, {"a.xhtml": make.xhtml("<p>text</p>" * 500)})
    whole.write_bytes(whole.read_bytes()[:-200])
    return whole


def _no_text(path: Path) -> Path:
    return make.epub(path, {"a.xhtml": make.xhtml("<p> </p>")})


def _missing(path: Path) -> Path:
    return path


@pytest.mark.parametrize("make_bad", [_damaged, _no_text, _missing])
def test_a_bad_file_leaves_the_library_unchanged(
    library: Library, reader: DocumentReader, tmp_path: Path, make_bad: object
) -> None:
    assert callable(make_bad)
    add_book(library)
    before = list(library._connections.db.conn.iterdump())
    with pytest.raises(DocumentError):
        add_file(library, reader, make_bad(tmp_path / "bad.epub"))
    assert list(library._connections.db.conn.iterdump()) == before


def test_a_file_that_ends_badly_is_not_half_added(
    library: Library, reader: DocumentReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The document process dies after the first sections: nothing of them is kept, and the next try is whole."""
    path = make.epub(tmp_path / "book.epub", {"a.xhtml": make.xhtml(f"<p>{make.PARAGRAPH}</p>" * 3000)})

    class Dying(DocumentReader):
        def read(self, *arguments: object) -> Iterator[object]:  # type: ignore[override]
            for part in reader.read(*arguments):  # type: ignore[arg-type]
                yield part
                reader._worker.kill()

    with pytest.raises(DocumentError, match="crash"):
        add_file(library, Dying(), path)
    assert library.documents.all() == ()
    _, record = add_file(library, reader, path)
    assert library.documents.paragraphs(record, 0, record.characters)[-1].end == record.characters


def test_a_locked_file(library: Library, reader: DocumentReader, tmp_path: Path) -> None:
    path = make.locked(tmp_path / "locked.pdf", "user", "owner")
    with pytest.raises(PasswordNeeded):
        add_file(library, reader, path)
    with pytest.raises(PasswordNeeded):
        add_file(library, reader, path, "wrong")
    assert library.documents.all() == ()
    _, record = add_file(library, reader, path, "user")
    assert record.words > 20


def test_stopped_while_it_reads(
    library: Library, reader: DocumentReader, lane: Lane, told: Recorder, tmp_path: Path
) -> None:
    """Nothing is kept, and the next file is read."""
    path = make.epub(tmp_path / "book.epub", {"a.xhtml": make.xhtml(f"<p>{make.PARAGRAPH}</p>" * 20_000)})
    lane.submit(1, lambda turn: add(1, turn, library, reader, FileRequest(path)), 10)
    told.started(1)
    lane.stop(1)
    assert told.end(1) == Stopped(1)
    assert library.documents.all() == ()
    (tmp_path / "small.txt").write_text("A small text.")
    lane.submit(2, lambda turn: add(2, turn, library, reader, FileRequest(tmp_path / "small.txt")), 10)
    assert isinstance(told.end(2), Done)
    assert len(library.documents.all()) == 1
    told.check(1, 2)


def test_a_long_pdf_tells_how_far_it_is(library: Library, reader: DocumentReader, tmp_path: Path) -> None:
    path = make.pdf(tmp_path / "long.pdf", [make.lines(make.LINES)] * 40)
    events, _ = add_file(library, reader, path)
    shares = [event.share for event in events if isinstance(event, Progress) and event.share is not None]
    assert len(shares) == len(events) - 2 >= 4, "all but the beginning and the saving"
    assert shares == sorted(shares) and shares[0] > 0 and shares[-1] < 0.95
    assert progress_words(events[1]) == "Reading 10 of 40 (22%)"  # type: ignore[arg-type]


@pytest.mark.parametrize("told", [2, 3, 5])
def test_stopped_between_two_steps(library: Library, reader: DocumentReader, tmp_path: Path, told: int) -> None:
    """Wherever it stands, before the head or while it saves: nothing is kept, and the reader is free for the next."""
    path = make.pdf(tmp_path / "long.pdf", [make.lines(make.LINES)] * 40)
    steps = add(1, Turn(), library, reader, FileRequest(path))
    for _ in range(told):
        assert isinstance(next(steps), Started | Progress)
    steps.close()
    assert library.documents.all() == ()
    _, record = add_file(library, reader, path)
    assert record.words > 40


# -- export ------------------------------------------------------------------------------------------------------


@pytest.fixture
def book(library: Library) -> DocumentRecord:
    """A book with two gists."""
    record = add_book(library, "Tom & [Jerry]")
    drive(gist(1, Turn(), library, Engines(tiny=writer()), GistRequest(record.id, "tiny", 2)))
    return record


def test_export_as_text_and_to_a_file(library: Library, book: DocumentRecord, tmp_path: Path) -> None:
    events, text = drive(export(3, library, book.id, "md", None))
    assert events == [Started(3, "Exporting “Tom & [Jerry]”")]
    assert isinstance(text, str)
    assert text.startswith("# Tom & \\[Jerry\\]\n\n*2 pages, gists by tiny.*\n\n## Section 1\n")
    target = tmp_path / "Größe.md"
    _, place = drive(export(3, library, book.id, "md", target))
    assert place == target and target.read_bytes() == text.encode()
    assert drive(export(3, library, book.id, "md", target))[1] == target
    assert sorted(path.name for path in tmp_path.glob("*.md")) == ["Größe.md"]


def test_the_gists_of_the_model_that_wrote_last(library: Library, book: DocumentRecord) -> None:
    drive(gist(1, Turn(), library, Engines(small=writer()), GistRequest(book.id, "small", 1)))
    _, text = drive(export(3, library, book.id, "md", None))
    assert isinstance(text, str) and "gists by small" in text and "*Not read yet.*" in text


def test_nothing_to_export(library: Library) -> None:
    record = add_book(library)
    with pytest.raises(ReadDeskError, match=rf"has no gists to export\. First run: readdesk gist {record.id}"):
        drive(export(3, library, record.id, "md", None))


def test_a_place_that_cannot_be_written(library: Library, book: DocumentRecord, tmp_path: Path) -> None:
    """A sentence, and no draft is left behind."""
    (tmp_path / "folder.md").mkdir()
    before = sorted(tmp_path.rglob("*"))
    for target in (tmp_path / "folder.md", tmp_path / "nowhere" / "notes.md"):
        with pytest.raises(ReadDeskError, match=r"(cannot be written|no ordinary file).*Name (another|a) file with -o"):
            drive(export(3, library, book.id, "md", target))
    assert sorted(tmp_path.rglob("*")) == before


def test_an_old_export_stays_until_the_new_one_is_whole(
    library: Library, book: DocumentRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "notes.md"
    target.write_text("My old notes.")

    def full(self: Path, *_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(ReadDeskError, match="No space left on device"):
        drive(export(3, library, book.id, "md", target))
    assert target.read_text() == "My old notes."


# -- fetch -------------------------------------------------------------------------------------------------------


def test_a_model_that_is_here_is_not_fetched(paths: Paths, tiny_model: Path, lane: Lane, told: Recorder) -> None:
    paths.models.mkdir(parents=True)
    (paths.models / "tiny.gguf").symlink_to(tiny_model)
    record = Catalogue(paths).find("tiny")
    lane.submit(1, lambda turn: fetch(1, turn, record, paths, told.post, mirror="", offline=True), 10)
    assert told.end(1) == Done(1, paths.models / "tiny.gguf")
    assert told.of(1) == [Started(1, "Getting the model tiny"), Done(1, paths.models / "tiny.gguf")]


def test_offline(paths: Paths, lane: Lane, told: Recorder) -> None:
    record = Catalogue(paths).find("starter")
    lane.submit(1, lambda turn: fetch(1, turn, record, paths, told.post, mirror="", offline=True), 10)
    end = told.end(1)
    assert isinstance(end, Failed) and isinstance(end.error, DownloadError)
    assert "starter is not on this computer, and ReadDesk was started offline" in end.error.message
    assert not paths.models.exists()


def test_progress_and_stop_of_a_download(paths: Paths, lane: Lane, told: Recorder, tmp_path: Path) -> None:
    """It reports while it waits for a lock that another program holds, and stops there."""
    record = replace(Catalogue(paths).find("tiny"), name="waiting")
    paths.models.mkdir(parents=True)
    fcntl = pytest.importorskip("fcntl")
    with (paths.models / ".waiting.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lane.submit(1, lambda turn: fetch(1, turn, record, paths, told.post, mirror="", offline=False), 10)
        now = told.wait_for(lambda event: isinstance(event, Progress))
        assert isinstance(now, Progress)
        assert (now.what, now.done, now.total) == (
            "waiting: waiting for another ReadDesk that downloads it",
            0,
            record.size,
        )
        lane.stop(1)
        assert told.end(1) == Stopped(1)
    told.check(1)


def test_a_device_is_not_replaced_by_an_export(library: Library, book: DocumentRecord, tmp_path: Path) -> None:
    with pytest.raises(ReadDeskError, match="is no ordinary file"):
        list(export(1, library, book.id, "md", tmp_path))


@pytest.mark.parametrize("ends", ["done", "left"])
def test_the_collector_works_again_after_an_import(
    library: Library, reader: DocumentReader, tmp_path: Path, ends: str
) -> None:
    """It rests while a book is read, because it would hold up the window, and is never forgotten."""
    path = make.pdf(tmp_path / "long.pdf", [make.lines(make.LINES)] * 40)
    steps = add(1, Turn(), library, reader, FileRequest(path))
    next(steps)
    next(steps)
    assert not gc.isenabled()
    if ends == "done":
        drive(steps)
    else:
        steps.close()
    assert gc.isenabled()
