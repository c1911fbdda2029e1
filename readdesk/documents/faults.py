"""Which leaves of a file crash or hang whoever reads them: they are found by reading it again, and are then left out.

Both processes that read leaves tell on a board where they are, which stays when they die. A leaf on which one hung is
at fault; one on which a process died may have been read by chance when something else ended it, so two have to die.

What must stay true: a file is given up on after a few of such leaves, and after so many seconds of waiting for them in
all; what dies or hangs elsewhere, or takes too much memory, is no fault of a leaf.
"""

from __future__ import annotations

import time
from collections import Counter

from readdesk.documents.second import ALL_READ, NOBODY, Board, SecondReader

MOST_SKIPPED = 3
LEAF_SECONDS = 7.0
"""How long a leaf may take; what takes longer never ends."""
_ALL_SECONDS = 16.0
"""How long is waited in all for leaves of one file that never end."""
_DEATHS = 2
_MOST_READINGS = 2 * MOST_SKIPPED + 2


class Faults:
    """The leaves of one file that stop whoever reads them; `leaf_seconds` is how long each may take."""

    def __init__(self, board: Board, second: SecondReader, leaf_seconds: float = LEAF_SECONDS) -> None:
        self._board = board
        self._second = second
        self._leaf_seconds = leaf_seconds
        self._deaths: Counter[int] = Counter()
        self._hung: set[int] = set()
        self._readings = 0
        self._waited = 0.0
        self._first_at = self._second_at = (NOBODY, 0.0)
        self.silence = 0.0
        """How many seconds nothing came before the last reading was ended for it."""

    @property
    def skipped(self) -> tuple[int, ...]:
        """The leaves (0-based) that are known to be at fault."""
        died = {leaf for leaf, deaths in self._deaths.items() if deaths >= _DEATHS}
        return tuple(sorted(self._hung | died))

    def begin(self) -> None:
        """The file is about to be read, once more or for the first time."""
        self._readings += 1
        self._first_at = self._second_at = (NOBODY, 0.0)
        self.silence = 0.0
        self._board.clear()

    def watch(self) -> str:
        """Look at both processes: end the second one where it hangs, say a sentence where the first one does."""
        now = time.monotonic()
        patience = max(0.0, min(self._leaf_seconds, _ALL_SECONDS - self._waited))
        self._second_at = _since(self._second_at, self._board.second, now)
        leaf, since = self._second_at
        if leaf != self._board.given_up and _is_leaf(leaf) and now - since > patience:
            self._give_up(leaf, now - since)
            self._board.given_up = leaf
            self._second.kill()
        self._first_at = _since(self._first_at, self._board.first, now)
        leaf, since = self._first_at
        if not _is_leaf(leaf) or now - since <= patience:
            return ""
        self._give_up(leaf, now - since)
        self.silence = now - since
        return f"Leaf {leaf + 1} came to no end."

    def _give_up(self, leaf: int, seconds: float) -> None:
        self._hung.add(leaf)
        self._waited += seconds

    def may_go_on(self) -> bool:
        """Whether to read the file again, now that the first process has ended and the second is at rest."""
        if not self.silence and not _is_leaf(self._board.first):
            return False
        for leaf in (self._board.first, self._board.second):
            if _is_leaf(leaf):
                self._deaths[leaf] += 1
        if self.silence:
            self.silence = self._waited
        are_few = len(self.skipped) <= MOST_SKIPPED and self._readings < _MOST_READINGS
        return are_few and self._waited < _ALL_SECONDS


def _is_leaf(leaf: int) -> bool:
    return NOBODY < leaf < ALL_READ


def _since(known: tuple[int, float], leaf: int, now: float) -> tuple[int, float]:
    """The leaf that a process is at, and since when that is known."""
    return known if known[0] == leaf else (leaf, now)
