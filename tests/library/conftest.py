"""A library in a temporary folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from readdesk.library.store import Library


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """An empty library."""
    opened = Library(tmp_path / "library.db")
    yield opened
    opened.close()
