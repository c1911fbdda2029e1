"""The way back: where a reader was before following a note, a chapter, a chip.

It works as in a browser of the web: a jump remembers the place it left and forgets what lay ahead. What must stay true:
scrolling is no jump, and only so many places are kept.
"""

from __future__ import annotations

from readdesk.library.model import ReadingPlace

_KEPT = 50


class Jumps:
    """The places that were left, before and after the one that is shown."""

    def __init__(self) -> None:
        self._behind: list[ReadingPlace] = []
        self._ahead: list[ReadingPlace] = []

    def clear(self) -> None:
        """Forget everything: another book is opened."""
        self._behind.clear()
        self._ahead.clear()

    def leave(self, place: ReadingPlace) -> None:
        """A jump leads away from this place."""
        self._ahead.clear()
        if not self._behind or self._behind[-1] != place:
            self._behind.append(place)
        del self._behind[:-_KEPT]

    @property
    def can_go_back(self) -> bool:
        """Whether a place was left."""
        return bool(self._behind)

    @property
    def can_go_forward(self) -> bool:
        """Whether a person went back before."""
        return bool(self._ahead)

    def back(self, now: ReadingPlace) -> ReadingPlace | None:
        """The place that was left last; `now` is where to come forward to again."""
        return self._step(self._behind, self._ahead, now)

    def forward(self, now: ReadingPlace) -> ReadingPlace | None:
        """The place that was gone back from."""
        return self._step(self._ahead, self._behind, now)

    @staticmethod
    def _step(source: list[ReadingPlace], other: list[ReadingPlace], now: ReadingPlace) -> ReadingPlace | None:
        while source and source[-1] == now:
            source.pop()
        if not source:
            return None
        other.append(now)
        return source.pop()
