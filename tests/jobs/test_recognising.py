"""Recognising the text of scans as a job: only what is missing, leaf by leaf, stopped and killed and gone on with.

A made recogniser stands in for Tesseract, so that everything is known; the files, the reader and the library are real.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from readdesk.documents.drawer import LeafDrawer
from readdesk.documents.model import Choices, LeafSpot
from readdesk.documents.open import DocumentReader
from readdesk.errors import DocumentError
from readdesk.jobs.add import FileRequest, add, reread
from readdesk.jobs.events import Done, Event, Failed, Progress, Stopped
from readdesk.jobs.lane import Lane, Steps, Turn
from readdesk.jobs.recognise import Recognisers, RecognitionRequest, forget, is_behind, recognise
from readdesk.jobs.view import Shown, locate
from readdesk.library.export.markdown import to_markdown
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library
from readdesk.reading.model import Cost, Gist, Page
from tests.jobs.recorder import Recorder
from tests.recognition import QUALITY, asked, lines_of, made_recogniser, write_script
from tests.samples import scans

Run = Callable[..., Event]
_ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def reader() -> Iterator[DocumentReader]:
    """The document process."""
    made = DocumentReader()
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the made recogniser is told what to do."""
    return tmp_path / "recogniser"


@pytest.fixture
def run(lane: Lane, told: Recorder, library: Library, reader: DocumentReader, folder: Path) -> Iterator[Run]:
    """Runs a job of recognition to its end, which is returned."""
    recogniser = made_recogniser(folder)
    numbers = iter(range(1, 100))

    def do(
        record: DocumentRecord,
        languages: str = "eng",
        listening: Callable[[Event], None] | None = None,
        leaves: tuple[int, ...] | None = None,
        redo: bool = False,
        is_closing: Callable[[], bool] = lambda: False,
        work: Callable[..., Steps] = recognise,
    ) -> Event:
        number = next(numbers)
        request = RecognitionRequest(record.id, languages, leaves, redo)
        by = Recognisers(recogniser, reader, is_closing)
        told.listening = listening or (lambda _: None)
        lane.submit(number, lambda turn: work(number, turn, library, by, request), 10)
        return told.end(number)

    yield do
    recogniser.close()


def added(library: Library, reader: DocumentReader, lane: Lane, told: Recorder, path: Path) -> DocumentRecord:
    """Add a file."""
    number = 1000 + len(told.events)
    lane.submit(number, lambda turn: add(number, turn, library, reader, FileRequest(path)), 10)
    end = told.end(number)
    assert isinstance(end, Done), end
    record: DocumentRecord = end.result
    return record


@pytest.fixture
def scan(library: Library, reader: DocumentReader, lane: Lane, told: Recorder, tmp_path: Path) -> DocumentRecord:
    """Five leaves that are pictures."""
    path = scans.scan(tmp_path / "scan.pdf", [scans.leaf_words(number) for number in range(5)])
    return added(library, reader, lane, told, path)


def text_of(library: Library, record: DocumentRecord) -> str:
    """The whole text of a document."""
    return library.documents.text(record, 0, record.characters)


def kinds(library: Library, record: DocumentRecord) -> list[str]:
    """What each leaf is."""
    return [leaf.kind for leaf in library.leaves.all(record)]


def test_a_scan_is_a_document_without_text(library: Library, scan: DocumentRecord) -> None:
    """Trap 7: importing succeeds, the leaves are known to be pictures, and a person is told."""
    assert (scan.words, scan.characters) == (0, 0)
    assert kinds(library, scan) == ["scan"] * 5
    assert "pictures" in scan.notes[0] and "OCR" in scan.notes[0]
    assert text_of(library, scan) == "" and library.documents.load(scan).paragraphs == ()
    assert library.documents.leaf_starts(scan, 5) == (0,) * 5
    progress = library.gists.progress(scan, "any", 1)
    shelved = library.shelf.entries()[0].progress
    assert (progress.share, progress.complete) == (0.0, False) == (shelved.share, shelved.complete)


def test_what_was_recognised_can_be_taken_back(library: Library, scan: DocumentRecord, run: Run) -> None:
    """All of it, or that of some leaves: they hold what the file does, and can be recognised anew."""
    run(scan)
    assert kinds(library, scan) == ["ocr"] * 5
    some = run(scan, leaves=(1, 3), work=forget)
    assert isinstance(some, Done) and kinds(library, scan) == ["ocr", "scan", "ocr", "scan", "ocr"]
    run(scan, work=forget)
    assert kinds(library, scan) == ["scan"] * 5 and text_of(library, library.documents.get(scan.id)) == ""
    run(scan, leaves=(2,))
    assert kinds(library, scan) == ["scan", "scan", "ocr", "scan", "scan"]


def test_two_scans_are_two_documents(
    library: Library, reader: DocumentReader, lane: Lane, told: Recorder, tmp_path: Path, scan: DocumentRecord
) -> None:
    """Having no text is nothing that two documents have in common."""
    other = added(library, reader, lane, told, scans.scan(tmp_path / "other.pdf", [["Something else."]]))
    assert other.id != scan.id and len(library.documents.all()) == 2
    assert library.documents.get(scan.id).path.endswith("scan.pdf")


def test_a_scan_that_has_got_a_text_takes_its_own_place(
    library: Library, reader: DocumentReader, lane: Lane, told: Recorder, tmp_path: Path, scan: DocumentRecord
) -> None:
    """Another program laid text over the pictures: there was nothing to lose."""
    scans.mixed(tmp_path / "scan.pdf", scans=(), leaves=5)
    again = added(library, reader, lane, told, tmp_path / "scan.pdf")
    assert again.id == scan.id and again.words > 0 and len(library.documents.all()) == 1


def test_recognised_words_become_the_text(library: Library, scan: DocumentRecord, run: Run) -> None:
    end = run(scan)
    assert isinstance(end, Done)
    record = end.result
    assert record.id == scan.id and record.notes == ()
    assert kinds(library, record) == ["ocr"] * 5
    assert [leaf.quality for leaf in library.leaves.all(record)] == [QUALITY] * 5
    for leaf in range(5):
        assert f"number {leaf} was recognised in eng by a made recogniser, and" in text_of(library, record)


def test_progress_tells_how_long_it_takes_from_the_third_leaf_on(
    told: Recorder, scan: DocumentRecord, run: Run
) -> None:
    """Trap 60: the time left is never negative, and not told before anybody can know it."""
    run(scan)
    progress = [event for event in told.of(1) if isinstance(event, Progress) and event.total == 5]
    assert [event.done for event in progress][:6] == [0, 1, 2, 3, 4, 5]
    assert [event.seconds_left is None for event in progress][:6] == [True, True, True, False, False, True]
    assert all(event.seconds_left is None or event.seconds_left >= 1 for event in progress)


def test_only_leaves_without_text_are_recognised(
    library: Library, reader: DocumentReader, lane: Lane, told: Recorder, tmp_path: Path, run: Run, folder: Path
) -> None:
    """Trap 7: of a mixed file only the pictures; pages and gists of the other leaves stay as they are."""
    record = added(library, reader, lane, told, scans.mixed(tmp_path / "mixed.pdf", scans=(1, 3), leaves=4))
    start = record.characters - 20
    page = Page(1, 0, 40, 0, 8, "fallback")
    gist = Gist(1, "A gist.", "model", 1, "hash", "", False)
    assert library.gists.add_page(record, page, gist, Cost(1, 0, 1), 1.0)
    words = library.documents.text(record, start, record.characters)
    end = run(record)
    assert isinstance(end, Done)
    assert asked(folder) == [1, 3] and kinds(library, end.result) == ["text", "ocr", "text", "ocr"]
    kept = library.gists.pages(end.result, "model")
    assert [item.gist.text for item in kept if item.gist] == ["A gist."]
    whole = text_of(library, end.result)
    assert whole.index("Leaf number 1 was") < whole.index("leaf 3 of the book") < whole.index("Leaf number 3 was")
    assert words[-10:] in whole
    assert [item.is_recognised for item in kept] == [False]


def test_pages_of_recognised_text_say_so(library: Library, scan: DocumentRecord, run: Run) -> None:
    """Whoever reads or exports a page knows that it may hold errors of recognition."""
    run(scan, leaves=(0, 2))
    record = library.documents.get(scan.id)
    gist = Gist(1, "A gist.", "model", 1, "hash", "", False)
    assert library.gists.add_page(record, Page(1, 0, 60, 0, 12, "fallback"), gist, Cost(1, 0, 1), 1.0)
    pages = library.gists.pages(record, "model")
    assert [item.is_recognised for item in pages] == [True]
    assert "**Page 1** (12 words, recognised text)" in to_markdown(record, pages)


def test_a_stopped_job_keeps_what_it_has_and_goes_on(
    library: Library, lane: Lane, scan: DocumentRecord, run: Run, folder: Path
) -> None:
    def stop(event: Event) -> None:
        if isinstance(event, Progress) and event.done == 2 and event.total == 5:
            lane.stop(event.job)

    assert isinstance(run(scan, listening=stop), Stopped)
    assert kinds(library, library.documents.get(scan.id)) == ["ocr", "ocr", "scan", "scan", "scan"]
    assert asked(folder) == [0, 1]
    end = run(scan)
    assert isinstance(end, Done) and kinds(library, end.result) == ["ocr"] * 5
    assert asked(folder) == [0, 1, 2, 3, 4]


def test_a_leaf_that_takes_long_is_given_up_when_stopped(
    library: Library, lane: Lane, scan: DocumentRecord, run: Run, folder: Path
) -> None:
    """Nothing waits for Tesseract: its process is killed, and comes back with the next leaf."""
    write_script(folder, leaf1="wait")

    def stop(event: Event) -> None:
        if isinstance(event, Progress) and event.done == 1 and event.total == 5:
            timer.start()

    timer = _Later(lambda: lane.stop(1), folder, [0, 1])
    assert isinstance(run(scan, listening=stop), Stopped)
    timer.join()
    write_script(folder)
    assert isinstance(run(scan), Done)
    assert asked(folder) == [0, 1, 1, 2, 3, 4]


def test_closing_the_program_does_not_wait_for_the_text(
    library: Library, lane: Lane, scan: DocumentRecord, run: Run, folder: Path
) -> None:
    """The leaves are kept; the next job reads the file again although nothing is left to recognise."""

    def stop(event: Event) -> None:
        if isinstance(event, Progress) and event.done == 5 and event.total == 5:
            lane.stop(event.job)

    assert isinstance(run(scan, listening=stop, is_closing=lambda: True), Stopped)
    assert kinds(library, library.documents.get(scan.id)) == ["scan"] * 5 and is_behind(library, scan)
    end = run(scan)
    assert isinstance(end, Done) and kinds(library, end.result) == ["ocr"] * 5
    assert asked(folder) == [0, 1, 2, 3, 4] and not is_behind(library, end.result)


def test_closing_ends_reading_again_after_a_stop(library: Library, scan: DocumentRecord, run: Run, lane: Lane) -> None:
    """Where the program closes just after a person has stopped the job."""
    looked: list[bool] = []

    def is_closing() -> bool:
        looked.append(len(looked) > 0)
        return looked[-1]

    def stop(event: Event) -> None:
        if isinstance(event, Progress) and event.done == 2 and event.total == 5:
            lane.stop(event.job)

    assert isinstance(run(scan, listening=stop, is_closing=is_closing), Stopped)
    assert looked[-1] and kinds(library, library.documents.get(scan.id)) == ["scan"] * 5
    assert sorted(library.recognised.done(scan)) == [0, 1] and is_behind(library, scan)


def test_a_leaf_that_brings_the_process_down_twice_is_named(
    library: Library, scan: DocumentRecord, run: Run, folder: Path
) -> None:
    """Trap 46: no crash loop; the leaf is passed over after two tries, and a person is told which it is."""
    write_script(folder, leaf2="crash")
    end = run(scan)
    assert isinstance(end, Done)
    assert asked(folder) == [0, 1, 2, 2, 3, 4]
    assert kinds(library, end.result) == ["ocr", "ocr", "scan", "ocr", "ocr"]
    assert "Leaf 3 could not be recognised." in end.result.notes


def test_a_leaf_on_which_nothing_was_found_is_not_asked_again(
    library: Library, scan: DocumentRecord, run: Run, folder: Path
) -> None:
    write_script(folder, leaf0="nothing")
    first = run(scan)
    assert isinstance(first, Done)
    assert kinds(library, first.result) == ["ocr"] * 5 and library.leaves.all(first.result)[0].words == 0
    assert isinstance(run(scan), Done)
    assert asked(folder) == [0, 1, 2, 3, 4]


def test_recognised_leaves_can_be_done_again(library: Library, scan: DocumentRecord, run: Run, folder: Path) -> None:
    run(scan)
    end = run(scan, languages="deu", leaves=(1, 2), redo=True)
    assert isinstance(end, Done)
    assert asked(folder) == [0, 1, 2, 3, 4, 1, 2]
    found = [leaf.languages for leaf in library.recognised.all(end.result)]
    assert found == ["eng", "deu", "deu", "eng", "eng"]
    assert text_of(library, end.result).count("recognised in deu") == 2


def test_named_leaves_alone_are_done(library: Library, scan: DocumentRecord, run: Run, folder: Path) -> None:
    end = run(scan, leaves=(3,))
    assert isinstance(end, Done) and asked(folder) == [3]
    assert kinds(library, end.result) == ["scan", "scan", "scan", "ocr", "scan"]


def test_another_file_at_the_same_place_is_not_looked_at(
    scan: DocumentRecord, run: Run, folder: Path, tmp_path: Path
) -> None:
    """Trap 56: words of one file never become those of another."""
    scans.scan(tmp_path / "scan.pdf", [["Another book."]])
    end = run(scan)
    assert isinstance(end, Failed) and isinstance(end.error, DocumentError)
    assert "replaced" in str(end.error) and asked(folder) == []


@pytest.mark.parametrize("is_added", [False, True])
def test_a_file_that_is_replaced_meanwhile_ends_it(
    library: Library,
    reader: DocumentReader,
    scan: DocumentRecord,
    run: Run,
    folder: Path,
    tmp_path: Path,
    is_added: bool,
) -> None:
    """Trap 56: nothing of the other file is kept, also where the library knows that one by now."""

    def replace_it(event: Event) -> None:
        if isinstance(event, Progress) and event.done == 2 and event.total == 5:
            scans.scan(tmp_path / "scan.pdf", [scans.leaf_words(number) for number in range(6)])
            if is_added:
                for _ in add(500, Turn(), library, reader, FileRequest(tmp_path / "scan.pdf")):
                    pass

    end = run(scan, listening=replace_it)
    assert isinstance(end, Failed) and "replaced by another one" in str(end.error)
    assert asked(folder) == [0, 1, 2]
    found = library._connections.db.execute("SELECT leaf, file_hash FROM recognised ORDER BY leaf").fetchall()
    assert found == [(0, scan.file_hash), (1, scan.file_hash)]


def test_a_file_that_was_only_touched_goes_on(scan: DocumentRecord, run: Run, folder: Path) -> None:
    def touch(event: Event) -> None:
        if isinstance(event, Progress) and event.done == 2 and event.total == 5:
            os.utime(scan.path, (1, 1))

    assert isinstance(run(scan, listening=touch), Done) and asked(folder) == [0, 1, 2, 3, 4]


def test_a_file_that_has_gone_is_named(scan: DocumentRecord, run: Run, tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").unlink()
    end = run(scan)
    assert isinstance(end, Failed) and "no longer at" in str(end.error)


def test_reading_again_uses_what_was_recognised(
    library: Library, reader: DocumentReader, lane: Lane, told: Recorder, scan: DocumentRecord, run: Run
) -> None:
    run(scan)
    request = FileRequest(Path(scan.path), None, Choices(chapters="-"))
    lane.submit(50, lambda turn: reread(50, turn, library, reader, scan.id, request), 10)
    end = told.end(50)
    assert isinstance(end, Done) and kinds(library, end.result) == ["ocr"] * 5 and end.result.words > 50


def test_a_copy_elsewhere_is_the_same_document(
    library: Library, reader: DocumentReader, lane: Lane, told: Recorder, scan: DocumentRecord, run: Run, tmp_path: Path
) -> None:
    run(scan)
    (tmp_path / "elsewhere").mkdir()
    copy = Path(shutil.copy(scan.path, tmp_path / "elsewhere" / "copy.pdf"))
    again = added(library, reader, lane, told, copy)
    assert again.id == scan.id and again.words > 50


class _NoDrawer(LeafDrawer):
    """Fails when it is asked where characters are: the file knows nothing of recognised words."""

    def locate(self, *arguments: object, **named: object) -> tuple[LeafSpot, ...]:
        raise AssertionError("the file was asked")


def test_words_are_found_on_the_picture(
    library: Library, lane: Lane, told: Recorder, scan: DocumentRecord, run: Run
) -> None:
    """An anchor's rectangles are those of its very words, one a line, also of a word parted at a line's end."""
    run(scan)
    record = library.documents.get(scan.id)
    text = "".join(paragraph.text for paragraph in library.documents.paragraphs(record, 0, record.characters))
    start = text.index("made recogniser", text.index("number 3"))
    shown = Shown(record)
    lane.submit(60, lambda turn: locate(60, turn, library, _NoDrawer(), shown, (start, start + 15)), 10)
    end = told.end(60)
    assert isinstance(end, Done)
    spots = end.result.spots
    assert {spot.leaf for spot in spots} == {3}
    rectangles = [rectangle for spot in spots for rectangle in spot.rectangles]
    first, second = lines_of(3)
    left = 72.0 + 6 * first.index("made")
    assert rectangles == [(left, 300.0, 72.0 + 6 * (len(first) - 1), 310.0), (72.0, 316.0, 72.0 + 6 * 5, 326.0)]
    assert second.startswith("niser,")


def test_killing_the_program_loses_one_leaf_at_most(
    library: Library, scan: DocumentRecord, run: Run, folder: Path
) -> None:
    """Trap 46: kill -9 in the midst; what was done is there, and nothing of it is done again."""
    write_script(folder, leaf3="wait")
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(library.file), str(folder), str(scan.id)],
        cwd=_ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout is not None
    for line in child.stdout:
        if line.strip() == "3":
            break
    os.kill(child.pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    child.wait()
    child.stdout.close()
    assert sorted(library.recognised.done(scan)) == [0, 1, 2]
    write_script(folder)
    before = asked(folder)
    end = run(scan)
    assert isinstance(end, Done) and kinds(library, end.result) == ["ocr"] * 5
    assert asked(folder)[len(before) :] == [3, 4]


_CHILD = """
import sys
from pathlib import Path
from readdesk.documents.open import DocumentReader
from readdesk.jobs.events import Progress
from readdesk.jobs.lane import Turn
from readdesk.jobs.recognise import Recognisers, RecognitionRequest, recognise
from readdesk.library.store import Library
from tests.recognition import SERVICE
from readdesk.documents.recogniser import LeafRecogniser
if __name__ == "__main__":
    by = Recognisers(LeafRecogniser(Path(sys.argv[2]), service=SERVICE), DocumentReader())
    request = RecognitionRequest(int(sys.argv[3]), "eng")
    for event in recognise(1, Turn(), Library(Path(sys.argv[1])), by, request):
        if isinstance(event, Progress):
            print(event.done, flush=True)
"""


class _Later:
    """Does something in a thread once the recogniser was asked for certain leaves."""

    def __init__(self, do: Callable[[], None], folder: Path, wanted: list[int]) -> None:
        self._do, self._folder, self._wanted = do, folder, wanted
        self._thread = threading.Thread(target=self._wait)

    def _wait(self) -> None:
        for _ in range(1200):
            if asked(self._folder) == self._wanted:
                self._do()
                return
            time.sleep(0.05)

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        self._thread.join()


def test_a_document_of_an_earlier_readdesk_is_read_again_first(
    library: Library, scan: DocumentRecord, run: Run, tmp_path: Path
) -> None:
    """Nothing is known of its leaves: it was said that every one of them had text."""
    with sqlite3.connect(tmp_path / "library.db") as db:
        db.execute("DELETE FROM leaves")
    assert isinstance(run(scan), Done)
    assert kinds(library, scan) == ["ocr"] * 5
