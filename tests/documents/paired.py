"""Services in the place of both document processes: they tell who read a leaf, and die or hang where a leaf says so.

What shall happen stands on the leaf itself ("KILL", "EXIT", "HANG"), so that it happens to whoever reads it. Leaves
take their time, so that the second process comes to its share of even a short file.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from readdesk.cancel import CancelToken
from readdesk.documents.open import DocumentReader
from readdesk.documents.pdf import extract, share
from readdesk.documents.pdf.leaves import Leaf
from readdesk.documents.service import DocumentService
from tests.samples import make

SLOWLY = "tests.documents.paired:Slowly", "tests.documents.paired:SecondSlowly"
MARKING = "tests.documents.paired:Marking", "tests.documents.paired:SecondMarking"
DYING = SLOWLY[0], "tests.documents.paired:SecondDying"
FAULTY = SLOWLY[0], "tests.documents.paired:SecondFaulty"

_read_leaf = extract.leaf_of


def long_pdf(path: Path, says: dict[int, str] | None = None, leaves: int = 40) -> Path:
    """A PDF whose leaves say their number, and some of them (0-based) what shall happen to whoever reads them."""
    return make.pdf(path, [_lines((says or {}).get(index, ""), index) for index in range(leaves)])


def _lines(says: str, index: int) -> Sequence[tuple[float, float, str, float]]:
    return make.lines((make.LINES[0], f"with the number {index + 1} on it, {says}", *make.LINES[1:]))


def reader(folder: Path, services: tuple[str, str] = SLOWLY, **rest: Any) -> DocumentReader:
    """A reader with such services, whose second process is there already: it comes with the first file."""
    made = DocumentReader(services=services, **rest)
    list(made.read(long_pdf(folder / "first.pdf", leaves=1)))
    made._second.rest(CancelToken())
    return made


def _slowly(document: Any, index: int) -> Leaf:
    time.sleep(0.02)
    text = document[index].get_text()
    if "KILL" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    if "EXIT" in text:
        os._exit(3)
    if "HANG" in text:
        time.sleep(3600)
    return _read_leaf(document, index)


def _marked(name: str, document: Any, index: int) -> Leaf:
    leaf = _slowly(document, index)
    leaf.lines[0].text = f"{name} {leaf.lines[0].text}"
    return leaf


class Slowly(DocumentService):
    """The first process, slow."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        extract.leaf_of = _slowly


class Marking(DocumentService):
    """The first process writes upon each leaf who read it."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        extract.leaf_of = lambda document, index: _marked("First", document, index)


class SecondSlowly(share.LeafService):
    """The second process, slow."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        extract.leaf_of = _slowly


class SecondMarking(share.LeafService):
    """The second process writes upon each leaf who read it."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        extract.leaf_of = lambda document, index: _marked("Second", document, index)


class SecondDying(share.LeafService):
    """The second process dies of every leaf whose number is a multiple of five."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        extract.leaf_of = lambda document, index: os._exit(3) if index % 5 == 0 else _slowly(document, index)


class SecondFaulty(share.LeafService):
    """The second process fails with an error that nobody expects."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        extract.leaf_of = _fail


def _fail(document: Any, index: int) -> Leaf:
    raise TypeError(f"leaf {index} of {document}")
