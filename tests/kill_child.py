"""The program that `test_kill` kills: it adds a file or gists a document, with the real processes and the real model.

It says "ready" when the library is open, "started" when its job works, "page N" when a page is kept, "done" at the end.
With a third word it kills itself at the very moment when SQLite begins a statement that starts so, after the first
insert into the table that the job fills last; "told" means: right after it has said that a page is kept.

    READDESK_HOME=FOLDER python tests/kill_child.py {add FILE | gist NUMBER} [STATEMENT | told]
"""

from __future__ import annotations

import os
import queue
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from sqlite_utils import Database

from readdesk.desk import Desk
from readdesk.jobs.events import Done, Event, Failed, Progress, Started
from readdesk.library.connections import Connections
from readdesk.paths import Paths
from readdesk.settings import load_settings

_LAST = {"add": "INSERT INTO paragraphs", "gist": "INSERT INTO gists"}


def main(verb: str, what: str, point: str = "") -> int:
    """Run one job to its end."""
    if point and point != "told":
        _die_at(point, _LAST[verb])
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()

    def post(event: Event) -> None:
        events.put(event)
        if isinstance(event, Progress) and point == "told":
            _say(event.what)
            _die()

    paths = Paths.default()
    desk = Desk(paths, load_settings(paths.config), post)
    _say("ready")
    desk.add(Path(what)) if verb == "add" else desk.gist(int(what), "tiny", kind="article")
    while not isinstance(event := events.get(), Done):
        if isinstance(event, Failed):
            raise event.error
        _say("started" if isinstance(event, Started) else getattr(event, "what", ""))
    desk.close()
    _say("done")
    return 0


def _say(what: str) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _die_at(statement: str, after: str) -> None:
    connect: Callable[[Connections], Database] = Connections._connect

    def traced(self: Connections) -> Database:
        database = connect(self)
        inserted = False

        def begins(sql: str) -> None:
            nonlocal inserted
            inserted = inserted or sql.startswith(after)
            if inserted and sql.startswith(statement):
                _die()

        database.conn.set_trace_callback(begins)
        return database

    Connections._connect = traced  # type: ignore[method-assign]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
