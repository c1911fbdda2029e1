"""The only place that puts things together: what must hold for every process, then the command line or the window.

Imported again in every child process (that is how they start), so nothing of ReadDesk is imported at the top.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from readdesk.paths import Paths


def main() -> int:
    """Run ReadDesk; returns the exit code."""
    # Threads of llama.cpp that wait by spinning make a busy machine five to eight times slower.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    # Nothing is fetched that was not asked for, not even by a library that likes to look for updates.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")

    try:
        from readdesk.cli.main import run  # noqa: PLC0415 - child processes must not pay for the command line
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        return 130
    return run(window=_window)


def _window(paths: Paths, files: Sequence[Path], offline: bool) -> int:
    """Show the window; the command line hands over to it and never imports it."""
    from readdesk.errors import ReadDeskError  # noqa: PLC0415 - as all of ours here

    try:
        from readdesk.gui.app import run  # noqa: PLC0415 - Qt is loaded only when there is a window
    except ImportError as error:  # A bare Linux lacks libraries of the system that Qt is linked to.
        raise ReadDeskError(
            f"The window cannot start, because something of the system is missing: {error}.",
            "The file README.md says what to install; until then there are the commands.",
            "The file README.md says what to install; the commands work without (`readdesk --help`).",
        ) from error
    return run(paths, files, offline=offline)


if __name__ == "__main__":
    sys.exit(main())
