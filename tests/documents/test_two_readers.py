"""Two processes read the leaves of a PDF: what comes out is what one would read, whatever becomes of the second."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.documents import open as opening
from readdesk.documents.open import DocumentReader, Part, ReadSoFar, Recognised, sniff
from readdesk.documents.service import DocumentService
from tests.documents import paired
from tests.documents.reading import collect
from tests.documents.test_recognise import hash_of
from tests.recognition import recognised
from tests.samples import make

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 20.0


@pytest.fixture(autouse=True)
def _with_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also on a machine with one processor."""
    monkeypatch.setattr(opening, "may_have_second", lambda: True)


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    found = DocumentReader()
    yield found
    found.close()


def told(parts: Iterator[Part]) -> list[Part]:
    """Everything but how much has been read."""
    return [part for part in parts if not isinstance(part, ReadSoFar)]


def by_one(path: Path, password: str | None = None) -> list[Part]:
    """What one process alone reads."""
    return told(DocumentService().read(path, password, sniff(path), cancel=CancelToken()))


def processes(reader: DocumentReader) -> tuple[psutil.Process, psutil.Process]:
    """Both document processes."""
    return psutil.Process(reader._worker.pid), psutil.Process(reader._second._worker.pid)


def wait_until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.01)


def is_gone(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


# -- the same comes out ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("zsh-manual.pdf", None),
        ("geotopo-de.pdf", None),
        ("debmake-doc-zh-cn.pdf", None),
        ("derived-encrypted-developers-reference.pdf", "readdesk-user"),
    ],
)
def test_two_read_what_one_reads(reader: DocumentReader, shared_data: Path, name: str, password: str | None) -> None:
    path = shared_data / "documents" / "pdf" / name
    assert told(reader.read(path, password)) == by_one(path, password)


def test_both_read_leaves_and_none_is_read_twice_or_out_of_its_order(tmp_path: Path) -> None:
    """The marks come from the processes: the first one has read from the front, the second from the back."""
    reader = paired.reader(tmp_path, paired.MARKING)
    reading = collect(reader.read(paired.long_pdf(tmp_path / "long.pdf")))
    marks = [line for line in reading.text.split() if line in ("First", "Second")]
    assert marks == sorted(marks) and set(marks) == {"First", "Second"} and len(marks) == 40
    assert [f"the number {number} on" in reading.text for number in range(1, 41)] == [True] * 40
    reader.close()


def test_recognised_leaves_have_that_text_whoever_reads_them(tmp_path: Path) -> None:
    path = paired.long_pdf(tmp_path / "long.pdf")
    leaves = tuple(recognised(leaf, [f"Recognised on leaf {leaf}."]) for leaf in (1, 38))
    reader = paired.reader(tmp_path, paired.SLOWLY)
    reading = collect(reader.read(path, recognised=Recognised(hash_of(path), leaves)))
    reader.close()
    assert [leaf.index for leaf in reading.layers.leaves if leaf.kind == "ocr"] == [1, 38]
    assert "Recognised on leaf 1." in reading.text and "Recognised on leaf 38." in reading.text
    assert "the number 2 on" not in reading.text and "the number 39 on" not in reading.text


def test_a_short_file_is_read_by_the_first_alone(tmp_path: Path) -> None:
    reader = paired.reader(tmp_path, paired.MARKING)
    text = collect(reader.read(paired.long_pdf(tmp_path / "short.pdf", leaves=6))).text
    assert text.count("First") == 6 and "Second" not in text
    reader.close()


# -- the second is a help and no more ----------------------------------------------------------------------------


@pytest.mark.parametrize("services", [paired.DYING, paired.FAULTY], ids=["dies", "fails"])
def test_what_the_second_does_not_read_the_first_reads(tmp_path: Path, services: tuple[str, str]) -> None:
    path = paired.long_pdf(tmp_path / "long.pdf")
    reader = paired.reader(tmp_path, services)
    for _ in range(2):  # And a second that has died is there again for the next document.
        assert told(reader.read(path)) == by_one(path)
    reader.close()


def test_a_second_that_is_killed_costs_nothing(tmp_path: Path) -> None:
    path = paired.long_pdf(tmp_path / "long.pdf")
    reader = paired.reader(tmp_path)
    found = []
    for part in reader.read(path):
        if isinstance(part, ReadSoFar) and part.done == 10:
            processes(reader)[1].kill()
        found.append(part)
    assert told(iter(found)) == by_one(path)
    first, _ = processes(reader)
    assert told(reader.read(path)) == by_one(path)
    assert processes(reader)[0] != first, "both start again, with a new pipe"
    reader.close()


def test_both_stop_and_go_on_with_the_next_file(tmp_path: Path) -> None:
    long, short = paired.long_pdf(tmp_path / "long.pdf", leaves=400), paired.long_pdf(tmp_path / "other.pdf")
    reader, cancel = paired.reader(tmp_path), CancelToken()
    began = 0.0
    with pytest.raises(Cancelled):
        for part in reader.read(long, cancel=cancel):
            if isinstance(part, ReadSoFar) and part.done >= 10:
                began = time.monotonic()
                cancel.cancel()
    assert time.monotonic() - began < 1.0
    both = processes(reader)
    assert told(reader.read(short)) == by_one(short)
    assert processes(reader) == both, "they had stopped by themselves"
    reader.close()


def test_leaving_a_document_early_stops_both(tmp_path: Path) -> None:
    path = paired.long_pdf(tmp_path / "long.pdf", leaves=400)
    reader = paired.reader(tmp_path)
    parts = reader.read(path)
    next(part for part in parts if isinstance(part, ReadSoFar) and part.done >= 10)
    parts.close()  # type: ignore[attr-defined]  # it is a generator
    short = make.pdf(tmp_path / "short.pdf", [make.lines(make.LINES)])
    assert told(reader.read(short)) == by_one(short)
    reader.close()


# -- nobody is left ----------------------------------------------------------------------------------------------


def test_closing_ends_both(tmp_path: Path) -> None:
    reader = paired.reader(tmp_path)
    list(reader.read(paired.long_pdf(tmp_path / "long.pdf")))
    both = processes(reader)
    reader.close()
    assert all(map(is_gone, both))


FRONT = """
import sys
from pathlib import Path
from readdesk.documents import open as opening
from tests.documents import paired

if __name__ == "__main__":
    opening.may_have_second = lambda: True
    path = Path(sys.argv[1])
    reader = paired.reader(path.parent)
    for part in reader.read(path):
        if part.done >= 10:
            print(reader._worker.pid, reader._second._worker.pid, flush=True)
            sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_both_end_when_the_front_process_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "front.py"
    script.write_text(FRONT)
    command = [sys.executable, str(script), str(paired.long_pdf(tmp_path / "long.pdf", leaves=400))]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    front = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    assert front.stdout is not None
    both = [psutil.Process(int(number)) for number in front.stdout.readline().split()]
    assert len(both) == 2
    front.kill()
    front.communicate(timeout=PATIENCE)
    for process in both:
        wait_until(lambda process=process: is_gone(process), "it ended")  # type: ignore[misc]
