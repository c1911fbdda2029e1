"""Where the real documents are, for tests of this room."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real documents; tests that need it are skipped where there is none."""
    folder = Path(os.environ.get("READDESK_SHARED_DATA", "")) if os.environ.get("READDESK_SHARED_DATA") else None
    folder = folder or Path(__file__).resolve().parents[3] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the folder of real documents is not here")
    return folder
