"""The leaves of a PDF, read by two processes at once: the one that reads the document, and a second one that helps it.

The first goes from the first leaf on, the second from the last one back, and each tells on a board where it is, until
they meet. Every leaf is sent by itself as soon as it is read, its lines as plain tuples, which cost a third of the time
that objects would.

What must stay true: what comes out is what one process alone would read; where there is no second one, or where it
fails in whatever way, the first one reads its leaves; a leaf that is known to stop whoever reads it is not read.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from operator import attrgetter
from pathlib import Path
from typing import Any

from readdesk.cancel import CancelToken
from readdesk.documents.collector import collector_at_rest
from readdesk.documents.pdf import extract
from readdesk.documents.pdf.file import open_file, silence
from readdesk.documents.pdf.leaves import Leaf, Line
from readdesk.documents.second import ALL_READ, NOBODY, Board
from readdesk.errors import DocumentError

_WORTH_SHARING = 24
"""Fewer leaves are read before another process has opened the file."""
_SECONDS_BETWEEN_LOOKS = 0.01
_SECONDS_UNTIL_ASKED = 0.1
_values_of = attrgetter(*Line.__slots__)

_Sent = tuple[int, Leaf, list[tuple[Any, ...]]]
"""The number of the reading, a leaf without its lines, and those."""


@dataclass(frozen=True)
class _Task:
    """What the second process is to read; nothing where `count`, that of all leaves, is 0."""

    number: int
    path: str
    password: str | None
    count: int
    skipped: frozenset[int]


class LeafSource:
    """Reads leaves in the first process; `second` leads to the other one, which serves under `number` (0: it doesn't).

    Leaves that are `skipped` are not read and have no lines.
    """

    def __init__(
        self,
        board: Board | None = None,
        second: Connection | None = None,
        number: int = 0,
        skipped: Collection[int] = (),
    ) -> None:
        self._board = board or Board()
        self._second = second if number else None
        self._number = number
        self._awaited: set[int] = set()
        self.skipped = set(skipped)
        """With those that were given up on while the leaves were read."""

    def at(self, index: int) -> None:
        """Tell that a leaf is being looked at, so that it is known should that never end; ALL_READ: that is over."""
        self._board.first = index

    def leaves(
        self, document: Any, path: Path, password: str | None, cancel: CancelToken
    ) -> Generator[Leaf, None, None]:
        """Every leaf, as they come: in no order."""
        count = document.page_count
        self._awaited = set(range(count))
        self._ask_second(_Task(self._number, str(path), password, count, frozenset(self.skipped)), document)
        try:
            for index in range(count):
                if index in self._awaited:
                    self._board.read_until = index
                    yield from self._arrived()
                    while index in self._awaited and self._second is not None and self._board.second == index:
                        self.at(NOBODY)
                        cancel.raise_if_cancelled()
                        yield from self._arrived(_SECONDS_BETWEEN_LOOKS)
                if index in self._awaited:
                    self._awaited.remove(index)
                    yield self._leaf(document, index)
        finally:
            self._board.read_until = ALL_READ
            self.at(ALL_READ)
            for _ in self._arrived():  # Whoever waits until its leaf is taken sees nothing else.
                pass

    def _leaf(self, document: Any, index: int) -> Leaf:
        if self._board.given_up == index:
            self.skipped.add(index)
        if index in self.skipped:
            return Leaf(index, 1.0, 1.0, kind="unreadable")
        self.at(index)
        return extract.leaf_of(document, index)

    def _ask_second(self, task: _Task, document: Any) -> None:
        if self._second is None:
            return
        is_shared = task.count >= _WORTH_SHARING and document.is_pdf
        try:
            self._second.send(task if is_shared else replace(task, count=0))
        except OSError:
            is_shared = False
        if not is_shared:
            self._second = None

    def _arrived(self, patience: float = 0.0) -> Iterator[Leaf]:
        """The leaves that have come from the second process by now, or within some seconds."""
        try:
            while self._second is not None and self._second.poll(patience):
                number, leaf, lines = self._second.recv()
                patience = 0.0
                if number == self._number and leaf.index in self._awaited:
                    self._awaited.remove(leaf.index)
                    leaf.lines = [Line(*values) for values in lines]
                    yield leaf
        except (EOFError, OSError):
            self._second = None


class LeafService:
    """Reads leaves for the first process, which is at the other end of a pipe."""

    def __init__(self, board: Board, first: Connection) -> None:
        silence()
        self._board = board
        self._first = first

    def serve(self, number: int, *, cancel: CancelToken) -> None:
        """Read leaves of the document that the first process names under that number; waits until it does so."""
        try:
            while not cancel.cancelled:
                if not self._first.poll(_SECONDS_UNTIL_ASKED):
                    continue
                task = self._first.recv()
                if task.number == number:
                    if task.count:
                        with collector_at_rest():
                            self._read(task, cancel)
                    return
        except (EOFError, OSError):
            return  # The first one has ended.
        finally:
            self._board.second = NOBODY

    def _read(self, task: _Task, cancel: CancelToken) -> None:
        try:
            document = open_file(Path(task.path), task.password)
        except DocumentError:
            return
        try:
            # Else the file has changed by now, which the first one will find out.
            indices = range(task.count) if document.page_count == task.count else ()
            for index in reversed(indices):
                if index not in task.skipped:
                    self._board.second = index
                    if cancel.cancelled or self._board.read_until >= index:
                        return
                    self._send(task.number, extract.leaf_of(document, index))
        finally:
            document.close()

    def _send(self, number: int, leaf: Leaf) -> None:
        lines, leaf.lines = [_values_of(line) for line in leaf.lines], []
        if self._board.read_until < ALL_READ:
            sent: _Sent = number, leaf, lines
            self._first.send(sent)
