"""Two long rows of words aligned in order: what both have, and where they differ.

Patience: rows of five words (then three, then one) that each side has once are anchors, of which the longest increasing
chain is kept; between two anchors the same is done again, and what is left is small enough for the longest common
subsequence by its table. The result is a lower bound of the true one, and exact between anchors.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_ANCHOR_LENGTHS = (5, 3, 1)
_LARGEST_TABLE = 400_000

Pairs = list[tuple[int, int]]
Words = Sequence[str]


def aligned(ours: Words, theirs: Words) -> Pairs:
    """Pairs of indices of equal words, increasing on both sides."""
    pairs: Pairs = []
    work = [(0, len(ours), 0, len(theirs), 0)]
    while work:
        first, last, low, high, step = work.pop()
        while first < last and low < high and ours[first] == theirs[low]:
            pairs.append((first, low))
            first, low = first + 1, low + 1
        while first < last and low < high and ours[last - 1] == theirs[high - 1]:
            pairs.append((last - 1, high - 1))
            last, high = last - 1, high - 1
        if first == last or low == high:
            continue
        if (last - first) * (high - low) <= _LARGEST_TABLE:
            pairs += _by_table(ours[first:last], theirs[low:high], first, low)
        elif step == len(_ANCHOR_LENGTHS):
            pairs += _by_blocks(ours[first:last], theirs[low:high], first, low)
        else:
            work += _between(ours, theirs, (first, last, low, high), step)
    return sorted(pairs)


def _between(
    ours: Words, theirs: Words, bounds: tuple[int, int, int, int], step: int
) -> Iterator[tuple[int, int, int, int, int]]:
    """The stretches that anchors leave; an anchor itself begins the stretch after it."""
    first, last, low, high = bounds
    length = _ANCHOR_LENGTHS[step]
    mine, yours = _unique(ours, first, last, length), _unique(theirs, low, high, length)
    chain = _increasing([(place, yours[key]) for key, place in mine.items() if key in yours])
    for left, right in [*chain, (last, high)]:
        yield first, left, low, right, step if chain else step + 1
        first, low = left, right


def _unique(words: Words, first: int, last: int, length: int) -> dict[tuple[str, ...], int]:
    """Where each row of so many words that occurs once begins."""
    rows = [tuple(words[place : place + length]) for place in range(first, last - length + 1)]
    counts = Counter(rows)
    return {row: first + number for number, row in enumerate(rows) if counts[row] == 1}


def _increasing(pairs: Pairs) -> Pairs:
    """The longest chain of pairs that increases on both sides."""
    tails: list[int] = []
    chain: list[int] = []
    before: list[int] = []
    pairs = sorted(pairs)
    for number, (_, right) in enumerate(pairs):
        place = bisect_left(tails, right)
        before.append(chain[place - 1] if place else -1)
        tails[place : place + 1] = [right]
        chain[place : place + 1] = [number]
    found: Pairs = []
    number = chain[-1] if chain else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _by_table(ours: Words, theirs: Words, first: int, low: int) -> Pairs:
    """The longest common subsequence, exactly."""
    table = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for left in range(len(ours) - 1, -1, -1):
        row, below = table[left], table[left + 1]
        for right in range(len(theirs) - 1, -1, -1):
            same = ours[left] == theirs[right]
            row[right] = below[right + 1] + 1 if same else max(below[right], row[right + 1])
    pairs: Pairs = []
    left = right = 0
    while left < len(ours) and right < len(theirs):
        if ours[left] == theirs[right]:
            pairs.append((first + left, low + right))
            left, right = left + 1, right + 1
        elif table[left + 1][right] >= table[left][right + 1]:
            left += 1
        else:
            right += 1
    return pairs


def _by_blocks(ours: Words, theirs: Words, first: int, low: int) -> Pairs:
    """What has no anchors and is too large for a table."""
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    return [(first + block.a + number, low + block.b + number) for block in blocks for number in range(block.size)]


def differences(ours: Words, theirs: Words, pairs: Pairs) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """What stands between the pairs: words of ours, words of theirs."""
    left = right = 0
    for mine, yours in [*pairs, (len(ours), len(theirs))]:
        if mine > left or yours > right:
            yield tuple(ours[left:mine]), tuple(theirs[right:yours])
        left, right = mine + 1, yours + 1
