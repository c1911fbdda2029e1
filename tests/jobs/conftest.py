"""A library, a lane and what it tells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from readdesk.jobs.lane import Lane
from readdesk.library.store import Library
from tests.jobs.recorder import Recorder


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """An empty library."""
    opened = Library(tmp_path / "library.db")
    yield opened
    opened.close()


@pytest.fixture
def told() -> Recorder:
    """What jobs tell."""
    return Recorder()


@pytest.fixture
def lane(told: Recorder) -> Iterator[Lane]:
    """A lane that is closed at the end."""
    opened = Lane("test lane", told.post)
    yield opened
    opened.close()
