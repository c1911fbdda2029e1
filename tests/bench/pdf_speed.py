"""How fast a PDF is read, beside the least that any program must do: PyMuPDF's `get_text("dict")` of every leaf.

Each side runs in a fresh Python of its own, in turns. Ours exhausts DocumentReader after its process has read another
PDF, so that imports are not counted; the bare side counts opening the file and reading its leaves, not the import
either. `add` (`speed.py`) makes a Desk, adds the file and tells what the front process took at most; `draw` starts the
drawing process, opens the file and waits for the first leaf.

    python -m tests.bench.pdf_speed read|bare|draw FILE [PASSWORD]    (prints one JSON line; used by tests.bench.pdf)
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.speed import in_turns, peak_of_this, timed

_MODULE = "tests.bench.pdf_speed"
_WARM = "outline-latex.pdf"
_SCALE = 1.5


@dataclass(frozen=True)
class Pace:
    """What reading a file took, and bare PyMuPDF, in seconds."""

    read: float
    bare: float

    @property
    def ratio(self) -> float:
        """How many times as long ours takes."""
        return self.read / self.bare


def pace_of(path: Path, password: str | None, turns: int) -> Pace:
    """The median of so many turns of both sides."""
    sides = in_turns(("read", "bare"), path, turns, _MODULE, password)
    return Pace(sides["read"].seconds, sides["bare"].seconds)


def front_peak(path: Path) -> float:
    """What the front process takes at most while it adds a file, in MB."""
    return timed("add", path).peak


def first_leaf(path: Path) -> float:
    """Seconds from nothing to the picture of the first leaf."""
    return timed("draw", path, _MODULE).seconds


# -- inside the child --------------------------------------------------------------------------------------------


def read(path: Path, password: str | None) -> float:
    """From a file to the last message of a document process that has read another one."""
    from readdesk.documents.open import DocumentReader  # noqa: PLC0415 - each side loads what it needs alone

    reader = DocumentReader()
    for _ in reader.read(path.with_name(_WARM)):
        pass
    began = time.perf_counter()
    for _ in reader.read(path, password):
        pass
    seconds = time.perf_counter() - began
    reader.close()
    return seconds


def bare(path: Path, password: str | None) -> float:
    """Every leaf's text as a dictionary by PyMuPDF with its default flags, nothing else."""
    sys.modules.setdefault("pymupdf.layout", None)  # type: ignore[arg-type]  # as ours: it is not needed
    import pymupdf as typed_in_part  # noqa: PLC0415 - only this side loads it

    pymupdf: Any = typed_in_part

    pymupdf.TOOLS.mupdf_display_errors(False)
    began = time.perf_counter()
    with pymupdf.open(path) as document:
        document.authenticate(password or "")
        found = sum(len(page.get_text("dict")["blocks"]) for page in document)
    assert found
    return time.perf_counter() - began


def draw(path: Path, password: str | None) -> float:
    """From nothing to the first leaf's pixels."""
    from readdesk.documents.drawer import LeafDrawer  # noqa: PLC0415 - each side loads what it needs alone

    began = time.perf_counter()
    drawer = LeafDrawer()
    drawer.open(path, password)
    assert drawer.leaf(path, password, 0, _SCALE).pixels
    seconds = time.perf_counter() - began
    drawer.close()
    return seconds


if __name__ == "__main__":
    side, file, *words = sys.argv[1:]
    taken = {"read": read, "bare": bare, "draw": draw}[side](Path(file), words[0] if words else None)
    print(json.dumps({"seconds": taken, "peak": peak_of_this()}))
