"""kill -9 at any moment: at most the page in work is lost, nothing is doubled, nothing that was there is done again.

A child gists a document with the real model and is killed again and again: while it starts, while the model loads, in
the middle of pages, between the two inserts of one page, before and after its commit. After each kill a copy of what
lies on the disk is looked at, so that the next start finds the library exactly as the kill left it (trap 46).
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from readdesk.library.store import Library
from tests.jobs.homes import make_home, wait_until_quiet
from tests.jobs.recorder import LONG

CHILD = Path(__file__).with_name("kill_child.py")
STORIES = 9
PAGES = 2 * STORIES
Row = tuple[object, ...]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")


class Child:
    """A run of `kill_child.py` that can be waited for and killed."""

    def __init__(self, home: Path, *words: str) -> None:
        self._home = home
        # Into a file: a process that is left behind would keep a pipe open, and hold the test up instead of failing it.
        self._complaints = home / "complaints.txt"
        self.said: list[str] = []
        self._heard = threading.Condition()
        with self._complaints.open("wb") as complaints:
            self._process = subprocess.Popen(
                [sys.executable, str(CHILD), *words],
                env={**os.environ, "READDESK_HOME": str(home), "PYTHONPATH": str(CHILD.parents[1])},
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
            )
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._heard:
                self.said.append(line.strip())
                self._heard.notify_all()
        with self._heard:
            self.said.append("")
            self._heard.notify_all()

    def wait_for(self, start: str) -> None:
        """Wait until it has said something that starts so, or has ended."""
        with self._heard:
            found = self._heard.wait_for(lambda: any(line.startswith(start) or not line for line in self.said), LONG)
        assert found, self.said

    def kill(self) -> None:
        """End it at once."""
        self._process.send_signal(signal.SIGKILL)

    def finish(self) -> tuple[int, str]:
        """Wait for its end, and that none of its processes outlives it; its exit code and its complaints."""
        code = self._process.wait(3 * LONG)
        wait_until_quiet(self._home)
        self._listener.join()
        return code, self._complaints.read_text()


@dataclass
class Disk:
    """What lies in the library's file at one moment."""

    documents: list[Row] = field(default_factory=list)
    text: list[Row] = field(default_factory=list)
    pages: list[Row] = field(default_factory=list)
    gists: list[Row] = field(default_factory=list)


def look(home: Path, folder: Path) -> Disk:
    """Read a copy of the library, whatever state it is in; it must be sound."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in ("library.db", "library.db-wal"):
        if (home / name).exists():
            shutil.copy(home / name, folder / name)
    with closing(sqlite3.connect(folder / "library.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables:
            return Disk()
        assert {"documents", "sections", "paragraphs", "pages", "gists"} <= tables

        def rows(table: str) -> list[Row]:
            return connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()

        return Disk(rows("documents"), rows("sections") + rows("paragraphs"), rows("pages"), rows("gists"))


def a_book(path: Path) -> Path:
    """Chapters of one page each: in turn one that the model shortens, and one so short that it is its own gist."""
    goods = ("red boat", "grey horse", "old mill", "silver bell", "green cart")
    people = ("baker", "miller", "widow", "priest", "smith")
    towns = ("Hull", "Bergen", "Cork", "Ghent", "Riga")
    chapters = []
    for number in range(1, STORIES + 1):
        sales = [
            f"In spring {number * 7 + turn} the {person} sold the {good} to a man from {town}, "
            f"who paid {turn + 3} coins."
            for turn, (person, good, town) in enumerate(zip(people, goods, towns, strict=True))
        ]
        chapters.append(f"CHAPTER {2 * number - 1}\n\n{' '.join(sales)}")
        chapters.append(f"CHAPTER {2 * number}\n\nNothing was sold for {number} years, and nobody knew why.")
    path.write_text("\n\n\n".join(chapters) + "\n", encoding="utf-8")
    return path


MOMENTS = ["start"] * 6 + ["first page"] * 5 + ["later page"] * 5 + ["INSERT INTO gists", "COMMIT", "COMMIT", "told"]


def test_gisting_survives_twenty_kills(tmp_path: Path, tiny_model: Path) -> None:
    home = tmp_path / "home"
    make_home(home, tiny_model)
    adding = Child(home, "add", str(a_book(tmp_path / "ledger.txt")))
    assert adding.finish() == (0, "")
    chance = random.Random(20)
    moments = chance.sample(MOMENTS, len(MOMENTS))
    before = look(home, tmp_path / "copy")
    assert len(before.documents) == 1 and not before.pages
    page_seconds, kills = 1.0, 0
    for moment in moments:
        exact = moment in ("INSERT INTO gists", "COMMIT", "told")
        child = Child(home, "gist", "1", *([moment] if exact else []))
        if moment == "start":
            time.sleep(chance.uniform(0.05, 1.2))
        elif not exact:
            child.wait_for("started")
            begun = time.monotonic()
            if moment == "later page":
                child.wait_for("page")
                page_seconds = min(3.0, time.monotonic() - begun)
            time.sleep(chance.uniform(0.0, page_seconds))
        if not exact:
            child.kill()
        code, complaints = child.finish()
        kills += code == -signal.SIGKILL
        after = look(home, tmp_path / "copy")
        check(before, after, child, complaints)
        before = after
    assert kills >= len(moments) - 2, "too many runs ended before they were killed"
    last = Child(home, "gist", "1")
    assert last.finish() == (0, "") and last.said[-2] == "done"
    after = look(home, tmp_path / "copy")
    check(before, after, last, "")
    assert len(after.pages) == PAGES
    assert after.pages[-1][4] == after.documents[0][9], "the last page must end where the text ends"
    assert len(before.pages) < PAGES, "everything was done before the last run"


_STILLBORN = re.compile(
    r"Traceback \(most recent call last\):\n(?:  .*\n)*?  .*in spawn_main\n(?:  .*\n)*EOFError: Ran out of input\n"
)
"""What Python itself says in a child whose maker was killed while handing it over, before any line of ours runs."""


def check(before: Disk, after: Disk, child: Child, complaints: str) -> None:
    """What was there is there unchanged, and what came to it fits."""
    assert "Traceback" not in _STILLBORN.sub("", complaints)
    assert (after.text, len(after.documents)) == (before.text, 1)
    # Ids, texts and times: nothing was done again or written over.
    assert after.pages[: len(before.pages)] == before.pages
    assert after.gists[: len(before.gists)] == before.gists
    # Pages tile the document from its beginning, and each has its one gist.
    assert [page[2] for page in after.pages] == list(range(1, len(after.pages) + 1))
    starts, ends = [page[3] for page in after.pages], [page[4] for page in after.pages]
    assert starts == [0, *ends][: len(starts)]
    assert [gist[1] for gist in after.gists] == [page[0] for page in after.pages]
    assert all(gist[4] for gist in after.gists), "a gist has lost its text"
    # What it said to be kept is kept: at most the page in work was lost.
    told = [int(line.split()[1]) for line in child.said if line.startswith("page")]
    assert len(after.pages) >= max(told, default=0)
    assert len(after.pages) - len(before.pages) <= len(told) + 1


def test_adding_survives_kills(tmp_path: Path, tiny_model: Path) -> None:
    """The library has the whole document or nothing of it, from the first start on."""
    home = tmp_path / "home"
    make_home(home, tiny_model)
    book = tmp_path / "long.txt"
    chapters = (f"CHAPTER {number}\n\n" + f"Sentence {number} of this book.\n\n" * 60 for number in range(1, 501))
    book.write_text("\n".join(chapters))
    chance = random.Random(4)
    moments = ["INSERT INTO paragraphs", "COMMIT", *["start"] * 3, *["reading"] * 3]
    chance.shuffle(moments)
    for moment in moments:
        exact = moment in ("INSERT INTO paragraphs", "COMMIT")
        child = Child(home, "add", str(book), *([moment] if exact else []))
        if moment == "reading":
            child.wait_for("started")
        if not exact:
            time.sleep(chance.uniform(0.05, 0.6))
            child.kill()
        code, complaints = child.finish()
        assert "Traceback" not in complaints
        assert code == -signal.SIGKILL or not exact
        found = look(home, tmp_path / "copy")
        if found.documents:
            break
        assert found == Disk()
    last = Child(home, "add", str(book))
    assert last.finish() == (0, "")
    library = Library(home / "library.db")
    (record,) = library.documents.all()
    document = library.documents.load(record)
    library.close()
    assert document.end == record.characters
    assert (len(document.sections), len(document.paragraphs)) == (500, 500 * 61)
