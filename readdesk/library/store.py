"""The library file: opened, checked, migrated with a backup, and its managers.

No model call and no parsing happens inside a transaction. A file that is newer than this program, belongs to another
program, or is damaged, is refused with a sentence and not touched.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from readdesk.errors import LibraryError
from readdesk.library.connections import Connections
from readdesk.library.conversations import Conversations
from readdesk.library.documents import Documents
from readdesk.library.gists import Gists
from readdesk.library.highlights import Highlights
from readdesk.library.leaves import Leaves
from readdesk.library.places import Places
from readdesk.library.recognised import Recognised
from readdesk.library.schema import MIGRATION_NAMES, migrations
from readdesk.library.shelf import Shelf

_APPLICATION_ID = 0x52444B31
"""Written into the file's header ("RDK1"), so that another program's database is not taken for a library."""


class Library:
    """One SQLite file with its managers: documents, leaves and their text, highlights, gists, conversations, places.

    Raises LibraryError when it is unusable.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._connections = Connections(file)
        try:
            self._prepare()
        except (sqlite3.DatabaseError, OSError) as error:
            self.close()
            raise LibraryError(
                f"The library {file} cannot be opened ({error}).",
                "Put back a copy of it, or free the disk if it is full.",
                "Free the disk if it is full; else put back a copy of it, or choose another one with --library.",
            ) from error
        except LibraryError:
            self.close()
            raise
        self.documents = Documents(self._connections)
        self.gists = Gists(self._connections)
        self.conversations = Conversations(self._connections)
        self.places = Places(self._connections)
        self.leaves = Leaves(self._connections)
        self.highlights = Highlights(self._connections)
        self.recognised = Recognised(self._connections)
        self.shelf = Shelf(self._connections)

    def close(self) -> None:
        """Close every thread's connection."""
        self._connections.close()

    def _prepare(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        db = self._connections.db
        if db.table_names():
            self._check()
        if migrations.pending(db):
            self._migrate()

    def _check(self) -> None:
        db = self._connections.db
        if db.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
            raise LibraryError(
                f"{self.file} is a database of another program.",
                "Move it out of the way.",
                "Name another file for the library with --library.",
            )
        if {entry.name for entry in migrations.applied(db)} - MIGRATION_NAMES:
            raise LibraryError(
                f"The library {self.file} was written by a newer ReadDesk.", "Update ReadDesk; nothing was changed."
            )

    def _migrate(self) -> None:
        """Bring the tables to today in one transaction; neither a kill nor another program finds half of it."""
        self._connections.use_write_ahead_log()
        with self._connections.writing() as db:
            if not migrations.pending(db):
                return  # Another program did it while this one waited for its turn.
            if migrations.applied(db):
                self._connections.copy_to(self.file.with_suffix(".before-update.db"))
            db.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            migrations.apply(db)
