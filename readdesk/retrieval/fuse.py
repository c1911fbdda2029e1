"""Putting rankings together: reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

_DAMPING = 60.0


def fuse(rankings: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """One ranking from several, best first; what stands high in many stands highest, ties go to the earlier ranking."""
    scores: dict[int, float] = defaultdict(float)
    for ranking in rankings:
        for place, item in enumerate(ranking):
            scores[item] += 1.0 / (_DAMPING + place)
    return tuple(sorted(scores, key=lambda item: -scores[item]))
