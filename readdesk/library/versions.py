"""Whether a file is a document that the library knows already, and what of it stays when its text has changed."""

from __future__ import annotations

from pathlib import Path


def size_of(path: Path) -> int | None:
    """The size of the file at a path, None where there is none."""
    try:
        return path.stat().st_size if path.is_file() else None
    except (OSError, ValueError):
        return None
