"""Which of the lines that begin like headings are headings: those whose numbers run on.

One line proves little: "Chapter 3" may be a reference, "第一章里说到" a sentence. But 1, 2, 3 … in their order
through a whole book are its chapters. Among all candidates of one rank the best chain is looked for: going on by one is
rewarded; a gap, a number twice and a new start cost a little; a jump costs more than one line is worth. What must stay
true: a line that is only possible is a heading only beside a neighbour in number; without numbers nothing is judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_WORTH_OF_SURE = 2.0
_WORTH_OF_POSSIBLE = 0.5
_RUNS_ON = 0.5
_COST_OF_GAP = 0.2
_COST_OF_TWICE = 0.1
_COST_OF_NEW_START = 0.3
_COST_OF_JUMP = 1.5
_WIDEST_GAP = 5
_LOOK_BACK = 40
_FEWEST_POSSIBLE = 3


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place that begins like a heading, with its number, if any, and whether it is hardly anything else."""

    place: int
    number: int | None
    is_sure: bool


def running_on(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates of the best chain of numbers, in their order; those without a number are kept as they are."""
    counted = [candidate for candidate in candidates if candidate.number is not None]
    kept = _without_lone(_best_chain(counted))
    unnumbered = [candidate for candidate in candidates if candidate.number is None and candidate.is_sure]
    return sorted([*kept, *unnumbered], key=lambda candidate: candidate.place)


def _best_chain(counted: Sequence[Candidate]) -> list[Candidate]:
    scores: list[float] = []
    befores: list[int] = []
    for at, candidate in enumerate(counted):
        best, before = 0.0, -1
        for other in range(at - 1, max(-1, at - 1 - _LOOK_BACK), -1):
            score = scores[other] - _cost(counted[other], candidate)
            if score > best:
                best, before = score, other
        scores.append(best + (_WORTH_OF_SURE if candidate.is_sure else _WORTH_OF_POSSIBLE))
        befores.append(before)
    chain: list[Candidate] = []
    at = max(range(len(scores)), key=lambda index: scores[index], default=-1)
    while at >= 0:
        chain.append(counted[at])
        at = befores[at]
    return chain[::-1]


def _cost(before: Candidate, after: Candidate) -> float:
    """What it costs that one follows the other; less than nothing where the numbers run on."""
    step = (after.number or 0) - (before.number or 0)
    if step == 1:
        return -_RUNS_ON
    if step == 0:
        return _COST_OF_TWICE
    if 1 < step <= _WIDEST_GAP:
        return _COST_OF_GAP
    if after.number in (0, 1):
        return _COST_OF_NEW_START
    return _COST_OF_JUMP


def _without_lone(chain: Sequence[Candidate]) -> list[Candidate]:
    """The chain without what is only possible and has no neighbour in number, or too few of them."""
    is_proven = any(candidate.is_sure for candidate in chain)
    kept = []
    for at, candidate in enumerate(chain):
        around = [chain[other] for other in (at - 1, at + 1) if 0 <= other < len(chain)]
        near = [abs(_number(other) - _number(candidate)) == 1 for other in around]
        if candidate.is_sure or (near and (all(near) if is_proven else any(near))):
            kept.append(candidate)
    return kept if is_proven or len(kept) >= _FEWEST_POSSIBLE else []


def _number(candidate: Candidate) -> int:
    return candidate.number or 0
