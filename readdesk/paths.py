"""Where things lie, decided once.

`Paths` is made at the start and handed down. READDESK_HOME puts everything into one folder (a stick, a test); without
it the places are those the system keeps for programs. The library may lie anywhere (`--library`), so it is a path of
its own; models do not belong to a library and are shared by all.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

import platformdirs

_PACKAGE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Paths:
    """The folders ReadDesk writes to; none of them is made before something is written."""

    data: Path
    config: Path
    cache: Path
    models: Path
    library: Path

    @classmethod
    def default(cls) -> Paths:
        """The places for this user on this system, or all below READDESK_HOME."""
        home = os.environ.get("READDESK_HOME")
        if home:
            root = Path(home).expanduser().absolute()
            return cls._below(root, root / "config", root / "cache")
        folders = platformdirs.PlatformDirs("readdesk", appauthor=False)
        return cls._below(folders.user_data_path, folders.user_config_path, folders.user_cache_path)

    @classmethod
    def _below(cls, data: Path, config: Path, cache: Path) -> Paths:
        return cls(data, config, cache, models=data / "models", library=data / "library.db")

    def with_library(self, library: Path) -> Paths:
        """The same places with another library file; a folder means `library.db` inside it."""
        library = library.expanduser().absolute()
        return replace(self, library=library / "library.db" if library.is_dir() else library)


def resource(name: str) -> Path:
    """A file of `resources/`, which lies beside the package in a checkout and inside it in a wheel.

    Raises FileNotFoundError when it is in neither place.
    """
    for folder in (_PACKAGE / "resources", _PACKAGE.parent / "resources"):
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(f"resources/{name} is missing from this installation of ReadDesk")
