"""A library file's connections: one a thread, as SQLite wants it, and writing as transactions.

WAL, so that reading never waits for writing; writes take the lock at once, so that two programs on one library wait for
each other for some seconds instead of failing half-way.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlite_utils import Database

from readdesk.errors import LibraryError

_WAIT_SECONDS = 20.0


class Connections:
    """Hands every thread its own connection to one file, and closes them all."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._local = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._lock = threading.Lock()

    @property
    def db(self) -> Database:
        """This thread's connection."""
        database: Database | None = getattr(self._local, "database", None)
        if database is None:
            database = self._local.database = self._connect()
        return database

    def _connect(self) -> Database:
        # They are closed by `close`, which may run in another thread than the one that made them.
        connection = sqlite3.connect(self.file, timeout=_WAIT_SECONDS, check_same_thread=False)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        with self._lock:
            self._open.append(connection)
        return Database(connection, execute_plugins=False)

    def use_write_ahead_log(self) -> None:
        """Turn WAL on, which stays with the file. SQLite does not wait by itself for others that do the same (3.40)."""
        deadline = time.monotonic() + _WAIT_SECONDS
        while True:
            try:
                self.db.enable_wal()
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
            time.sleep(0.02)

    def copy_to(self, target: Path) -> None:
        """Write a whole and current copy of the file as it was before the transaction that is going on."""
        draft = target.with_name(f"{target.name}.new")
        draft.unlink(missing_ok=True)
        with closing(sqlite3.connect(self.file)) as source, closing(sqlite3.connect(draft)) as copy:
            source.backup(copy)
        draft.replace(target)

    @contextmanager
    def writing(self) -> Iterator[Database]:
        """A transaction that takes the write lock at once and is undone when the block raises."""
        database = self.db
        database.execute("BEGIN IMMEDIATE")
        try:
            yield database
            database.conn.commit()
        except sqlite3.OperationalError as error:
            database.conn.rollback()
            if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                raise LibraryError(
                    f"The library {self.file} cannot be written: the disk is full or not there any more.",
                    "Make room, then go on; what was finished is kept.",
                ) from error
            raise
        except BaseException:
            database.conn.rollback()
            raise

    def close(self) -> None:
        """Close every thread's connection."""
        with self._lock:
            for connection in self._open:
                connection.close()
            self._open.clear()
