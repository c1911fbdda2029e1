"""A terminal, and a library that has been read already."""

from __future__ import annotations

from pathlib import Path

import pytest

from readdesk.jobs.lane import Turn
from readdesk.jobs.work import GistRequest, gist
from readdesk.library.store import Library
from readdesk.paths import Paths
from tests.cli.terminal import Terminal
from tests.jobs.books import Engines, add_book, drive, writer


@pytest.fixture
def terminal(paths: Paths, capsys: pytest.CaptureFixture[str]) -> Terminal:
    """Commands that keep everything below a temporary folder."""
    return Terminal(capsys)


@pytest.fixture
def shelf(paths: Paths) -> Path:
    """Two books: three pages of the first have gists by *tiny*, one also by *small*; the second has none."""
    library = Library(paths.library)
    record = add_book(library, "The [Ferry]")
    add_book(library, "The Mill", "mill")
    for model, pages in (("small", 1), ("tiny", 3)):
        drive(gist(1, Turn(), library, Engines(**{model: writer()}), GistRequest(record.id, model, pages)))
    library.close()
    return paths.library
