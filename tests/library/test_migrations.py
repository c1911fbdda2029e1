"""Migrations: what is known, and that every library of the past opens with all that it holds."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database, Migrations

from readdesk.documents.model import AUTOMATIC
from readdesk.library import schema, store
from readdesk.library.store import Library
from tests.library.books import add_book

FIRST = Path(__file__).with_name("first_library.sql")
"""A library of the first release, as SQL: never to be changed."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A library file of the first release: two documents, four pages, gists of two models, one question."""
    file = tmp_path / "library.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(FIRST.read_text(encoding="utf-8"))
        assert connection.execute("PRAGMA application_id").fetchone() == (0x52444B31,)
    return file


@pytest.fixture
def next_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """ReadDesk with one migration more."""
    migrations = Migrations("readdesk")
    migrations()(schema.first_tables)

    @migrations()
    def with_shelf(db: Database) -> None:
        db.execute("ALTER TABLE documents ADD COLUMN shelf TEXT NOT NULL DEFAULT 'none'")

    monkeypatch.setattr(store, "migrations", migrations)
    monkeypatch.setattr(store, "MIGRATION_NAMES", schema.MIGRATION_NAMES | {"with_shelf"})


def content(file: Path) -> list[tuple[object, ...]]:
    """All that the tables of the first release hold."""
    with closing(sqlite3.connect(":memory:")) as first:
        first.executescript(FIRST.read_text(encoding="utf-8"))
        tables = [row[0] for row in first.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql > ''")]
        known = {table: ", ".join(_columns(first, table)) for table in tables if not table.startswith("_")}
    assert len(known) == 8
    with closing(sqlite3.connect(file)) as connection:
        return [
            row
            for table, names in known.items()
            for row in connection.execute(f"SELECT {names} FROM {table} ORDER BY 1, 2")
        ]


def columns(file: Path) -> list[str]:
    """The columns of the table of documents."""
    with closing(sqlite3.connect(file)) as connection:
        return _columns(connection, "documents")


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [f'"{row[1]}"' for row in connection.execute(f"PRAGMA table_info({table})")]


def test_the_known_migrations_are_the_registered_ones() -> None:
    """Who appends a migration must name it in MIGRATION_NAMES, else the library it made counts as "newer"."""
    registered = {migration.name for migration in schema.migrations.pending(Database(memory=True))}
    assert registered == schema.MIGRATION_NAMES


def test_the_first_library_opens_with_all_it_holds(old: Path) -> None:
    before = content(old)
    library = Library(old)
    records = library.documents.all()
    assert [record.title for record in records] == ["The Ferry", "Ein Büchlein"]
    assert records[0].authors == ("Ann Author", "Béla Szabó") and records[0].kind == "article"
    assert [item.gist and item.gist.text for item in library.gists.pages(records[0], "tiny")] == [
        "The ferry left.",
        "It rained.",
        None,
    ]
    assert library.gists.models(records[0]) == ("small", "tiny")
    assert library.conversations.of(records[0])[0].look_ups[0].reason == "the model named it from its gist"
    assert library.documents.paragraphs(records[0], 0, 5)[0].anchor.spots
    assert (records[0].structure, records[0].encoding, records[0].choices) == ("", "", AUTOMATIC)
    sections = library.documents.sections(records[0])
    assert sections and not any(section.matter or section.is_left_out for section in sections)
    library.close()
    assert content(old) == before
    is_older = {"first_tables"} < schema.MIGRATION_NAMES
    assert old.with_name("library.before-update.db").exists() == is_older


@pytest.mark.usefixtures("next_release")
def test_an_update_keeps_everything_and_a_copy_of_before(old: Path) -> None:
    """Trap 49; the copy is whole even while another program has the library open and its last words in the WAL."""
    other = sqlite3.connect(old)
    other.execute("PRAGMA journal_mode = WAL")
    other.execute("UPDATE gists SET text = 'Only in the WAL.' WHERE id = 1")
    other.commit()
    assert old.with_name("library.db-wal").stat().st_size > 0
    before = content(old)
    library = Library(old)
    library.close()
    other.close()
    backup = old.with_name("library.before-update.db")
    assert content(old) == content(backup) == before
    assert '"shelf"' in columns(old) and '"shelf"' not in columns(backup)
    assert sorted(path.name for path in old.parent.iterdir()) == ["library.before-update.db", "library.db"]


@pytest.mark.usefixtures("next_release")
def test_two_update_at_the_same_moment(old: Path) -> None:
    """The second one finds it done, and does not put the new library in the place of the old one's copy."""
    both = threading.Barrier(2)
    failed: list[Exception] = []

    def open_it() -> None:
        both.wait(10)
        try:
            Library(old).close()
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert '"shelf"' in columns(old) and '"shelf"' not in columns(old.with_name("library.before-update.db"))


def test_a_migration_that_fails_leaves_the_old_library(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, columns_before = content(old), columns(old)
    with monkeypatch.context() as patched:
        migrations = Migrations("readdesk")
        migrations()(schema.first_tables)

        @migrations()
        def goes_wrong(db: Database) -> None:
            db.execute("ALTER TABLE documents ADD COLUMN shelf TEXT NOT NULL DEFAULT 'none'")
            db.execute("DELETE FROM gists")
            raise RuntimeError("the programmer's fault")

        patched.setattr(store, "migrations", migrations)
        with pytest.raises(RuntimeError, match="the programmer's fault"):
            Library(old)
    assert (content(old), columns(old)) == (before, columns_before)
    library = Library(old)
    assert len(library.documents.all()) == 2
    library.close()


def test_a_new_library_that_was_not_finished_is_begun_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first start was killed between two tables (trap 46)."""
    file = tmp_path / "library.db"
    with monkeypatch.context() as patched:
        migrations = Migrations("readdesk")

        @migrations()
        def first_tables(db: Database) -> None:
            schema.first_tables(db)
            raise KeyboardInterrupt

        patched.setattr(store, "migrations", migrations)
        with pytest.raises(KeyboardInterrupt):
            Library(file)
    library = Library(file)
    record = add_book(library)
    library.close()
    assert record.id == 1
    assert not file.with_name("library.before-update.db").exists()
