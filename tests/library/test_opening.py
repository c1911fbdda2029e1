"""Opening: new, again, together with others, and everything that is no library of ours."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlite_utils import Database

from readdesk.errors import LibraryError
from readdesk.library.store import Library
from tests.library.books import Crew, add_book, add_pages


def everything_in(folder: Path) -> dict[str, bytes]:
    """All files of a folder with their bytes."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_new_then_again(tmp_path: Path) -> None:
    """A library appears with its folder; opening it again changes nothing and makes no backup."""
    file = tmp_path / "new" / "deep" / "library.db"
    first = Library(file)
    record = add_book(first)
    first.close()
    before = everything_in(file.parent)
    second = Library(file)
    assert second.documents.all() == (record,)
    second.close()
    assert everything_in(file.parent) == before
    assert list(before) == ["library.db"]


def test_write_ahead_log_is_on(tmp_path: Path) -> None:
    library = Library(tmp_path / "library.db")
    library.close()
    with sqlite3.connect(tmp_path / "library.db") as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA application_id").fetchone() == (0x52444B31,)


def test_an_empty_file_becomes_a_library(tmp_path: Path) -> None:
    (tmp_path / "library.db").touch()
    library = Library(tmp_path / "library.db")
    assert library.documents.all() == ()
    library.close()


def test_every_thread_has_a_connection_and_close_reaches_all(tmp_path: Path) -> None:
    """Two threads work at once, and none of their connections outlives the library."""
    library = Library(tmp_path / "library.db")
    record = add_book(library)
    seen: list[object] = []
    connections: list[object] = []
    both = threading.Barrier(2)

    def work() -> None:
        both.wait(10)
        seen.append(library.documents.all())
        connections.append(library._connections.db)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [(record,)] * 2
    assert connections[0] is not connections[1]
    library.close()
    with pytest.raises(sqlite3.ProgrammingError):
        library.documents.all()
    assert not (tmp_path / "library.db-wal").exists(), "a connection is still open"


def test_two_threads_open_at_the_same_moment(tmp_path: Path) -> None:
    for round_number in range(10):
        both = threading.Barrier(2)
        opened: list[Library] = []
        failed: list[Exception] = []

        def open_it(file: Path, both: threading.Barrier, opened: list[Library], failed: list[Exception]) -> None:
            both.wait(10)
            try:
                opened.append(Library(file))
            except Exception as error:
                failed.append(error)

        file = tmp_path / f"{round_number}.db"
        threads = [threading.Thread(target=open_it, args=(file, both, opened, failed)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for library in opened:
            library.close()
        assert not failed and len(opened) == 2


OPEN_TOGETHER = """
from pathlib import Path
from readdesk.library.store import Library
for number in range(25):
    step()
    library = Library(Path(sys.argv[2]) / f"{number}.db")
    assert library.documents.all() == ()
    library.close()
"""


def test_processes_open_a_new_library_at_the_same_moment(tmp_path: Path) -> None:
    """All get it, whoever comes first (trap 48)."""
    crew = Crew(3, OPEN_TOGETHER, str(tmp_path))
    for _ in range(25):
        crew.step()
    crew.finish()
    assert not list(tmp_path.glob("*before-update*")), "an empty library was backed up"


# -- what is refused ---------------------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("I am no folder.")
    with pytest.raises(LibraryError, match=r"cannot be opened .*--library"):
        Library(tmp_path / "file" / "library.db")
    assert (tmp_path / "file").read_text() == "I am no folder."


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "library.db").mkdir()
    with pytest.raises(LibraryError, match="cannot be opened"):
        Library(tmp_path / "library.db")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter."""
    folder = Path(tempfile.mkdtemp(prefix="readdesk-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


OPEN_OR_SAY = """
import os, sys
from pathlib import Path
from readdesk.errors import LibraryError
from readdesk.library.store import Library
if os.geteuid() == 0:
    os.setuid(65534)
try:
    Library(Path(sys.argv[1])).close()
except LibraryError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
@pytest.mark.parametrize("there", [False, True])
def test_a_folder_that_may_only_be_read(open_folder: Path, there: bool) -> None:
    """A sentence, whether the library is missing there or lies there (root may write anywhere, so it steps down)."""
    file = open_folder / "library.db"
    if there:
        Library(file).close()
    open_folder.chmod(0o555)
    before = everything_in(open_folder)
    child = subprocess.run(
        [sys.executable, "-c", OPEN_OR_SAY, str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (child.returncode, child.stderr) == (0, "")
    assert f"The library {file} cannot be opened" in child.stdout
    assert everything_in(open_folder) == before


def _database_of_another_program(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE documents (id INTEGER PRIMARY KEY, title TEXT)")
        connection.execute("INSERT INTO documents (title) VALUES ('Theirs')")


def _text(file: Path) -> None:
    file.write_text("This is a shopping list, not a database. " * 40)


def _library_with_a_broken_start(file: Path) -> None:
    Library(file).close()
    content = file.read_bytes()
    file.write_bytes(b"\0" * 100 + content[100:])


def _library_with_a_broken_contents(file: Path) -> None:
    """The page that lists the tables is overwritten behind the file's header."""
    Library(file).close()
    content = file.read_bytes()
    file.write_bytes(content[:100] + b"\xff" * 3996 + content[4096:])


def _library_cut_short(file: Path) -> None:
    library = Library(file)
    add_book(library, texts=("A long sentence of a long book. " * 200,) * 40)
    library.close()
    content = file.read_bytes()
    file.write_bytes(content[:3000])


@pytest.mark.parametrize(
    "damage",
    [
        _text,
        _library_with_a_broken_start,
        _library_with_a_broken_contents,
        _library_cut_short,
    ],
)
def test_a_damaged_file_is_refused_and_not_touched(tmp_path: Path, damage: object) -> None:
    """Trap 49."""
    assert callable(damage)
    file = tmp_path / "library.db"
    damage(file)
    before = everything_in(tmp_path)
    with pytest.raises(LibraryError, match=r"The library .* cannot be opened .*\. .*put back a copy"):
        Library(file)
    after = everything_in(tmp_path)
    assert after["library.db"] == before["library.db"]
    # What SQLite leaves beside a file that it could not read must not change a copy that is put in its place.
    assert not after.get("library.db-wal")


def test_a_database_of_another_program_is_refused_and_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "theirs.db"
    _database_of_another_program(file)
    before = everything_in(tmp_path)
    with pytest.raises(LibraryError, match="database of another program"):
        Library(file)
    assert everything_in(tmp_path) == before


def test_a_newer_library_is_refused_and_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "library.db"
    library = Library(file)
    add_pages(library, add_book(library), 2)
    library.close()
    connection = sqlite3.connect(file)
    db = Database(connection)
    db.table("_sqlite_migrations").insert(
        {"migration_set": "readdesk", "name": "of_the_future", "applied_at": "2031-01-01"}
    )
    connection.close()
    before = everything_in(tmp_path)
    with pytest.raises(LibraryError, match="newer ReadDesk"):
        Library(file)
    assert everything_in(tmp_path) == before
