"""What the leaves of a PDF are called: by the numbers printed on them and by what the file says.

A reader cites what is printed. So the file's own labels are taken where they say more than 1, 2, 3 and leaves do not
print other numbers; where most leaves that print a number contradict them, the printed ones win. Printed numbers are
read from the furniture that was removed. They are misread, missing on chapter openings and plates, and begin anew after
roman front matter; so each leaf chooses among the series that numbers on any leaf belong to, at the lowest cost: going
on in a series costs nothing, contradicting the number on a leaf something, changing to another series more. Numbers of
a stamp (Bates) name leaves only where nothing else does.

What must stay true: a leaf without a label has "", and no label at all is told as nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from readdesk.documents.numbering import Numeral, numeral_of
from readdesk.documents.pdf.leaves import Leaf
from readdesk.documents.pdf.numbers import Series, is_stamp, numbers_in, series_of

_FEWEST = 2
_CONTRADICTION = 1.0
_CHANGE = 1.6
_LEAVES_BEFORE = 2
_MOST_SERIES = 60


@dataclass(frozen=True)
class _Found:
    """The numbers printed on a leaf, and whether anything at all is printed at its edges."""

    series: frozenset[Series]
    has_furniture: bool


def labels_of(leaves: Sequence[Leaf]) -> tuple[str, ...]:
    """The label of each leaf, "" where it has none; nothing at all where no leaf has one."""
    own = tuple(leaf.label for leaf in leaves)
    printed = _printed(leaves, are_stamps=False)
    says_more = any(label and label != str(index + 1) for index, label in enumerate(own))
    if says_more and not _contradicts(own, printed):
        return own
    if not any(printed):
        printed = own if any(own) else _printed(leaves, are_stamps=True)
    return printed if any(printed) else ()


def _contradicts(own: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether the file's own labels name most leaves that print a number otherwise than they do."""
    pairs = [(label, number) for label, number in zip(own, printed, strict=True) if number]
    wrong = sum(1 for label, number in pairs if _value(label) != _value(number))
    return len(pairs) >= 3 and wrong > 0.5 * len(pairs) and len(pairs) > 0.5 * sum(1 for label in own if label)


def _value(label: str) -> object:
    number = numeral_of(label)
    return (number.value, number.system.lower(), number.pages) if number else label


def _printed(leaves: Sequence[Leaf], *, are_stamps: bool) -> tuple[str, ...]:
    """The labels that follow from the numbers printed on leaves; "" where none does."""
    found = [_found(leaf, are_stamps=are_stamps) for leaf in leaves]
    chosen = _chosen(found)
    if not chosen:
        return ("",) * len(leaves)
    width = max((len(n) for leaf in leaves for n in _digits(leaf, are_stamps=are_stamps)), default=0)
    return tuple(
        _label(series, index, width if are_stamps else 0) for index, series in enumerate(_settled(chosen, found))
    )


def _label(series: Series | None, leaf: int, width: int) -> str:
    number = series.at(leaf) if series else None
    if number is None:
        return ""
    return str(Numeral(number.value, number.system, number.prefix, width, number.pages))


def _digits(leaf: Leaf, *, are_stamps: bool) -> list[str]:
    """How the filled-up numbers of a leaf's stamps are written."""
    if not are_stamps:
        return []
    numbers = [number for found in leaf.furniture for number in numbers_in(found.text)]
    return ["0" * number.width for number in numbers if number.width]


def _found(leaf: Leaf, *, are_stamps: bool) -> _Found:
    """The series that the numbers in a leaf's furniture may belong to."""
    series: set[Series] = set()
    singles: list[tuple[float, Numeral]] = []
    furniture = [found for found in leaf.furniture if found.kind not in ("line", "margin")]
    for found in furniture:
        for number in numbers_in(found.text):
            if is_stamp(number) is are_stamps and (found.kind == "number" or not number.prefix or are_stamps):
                series.update(series_of(number, leaf.index))
                singles.append(((found.rectangle[0] + found.rectangle[2]) / 2, number))
    for middle, number in singles:
        for other_middle, other in singles:
            is_next = (other.prefix, other.system, other.value) == (number.prefix, number.system, number.value + 1)
            if is_next and number.pages == 1 and other_middle - middle > 0.3 * leaf.width:
                # Two pages side by side: the number on the left one, and the next on the right.
                series = {Series(number.prefix, number.system, 2, number.value - 2 * leaf.index, 2)}
    return _Found(frozenset(series), bool(furniture))


# -- choosing ----------------------------------------------------------------------------------------------------


def _chosen(found: Sequence[_Found]) -> list[Series] | None:
    """The series of each leaf at the lowest cost over all (dynamic programming); None where no number is printed."""
    count: dict[Series, int] = {}
    for leaf in found:
        for series in leaf.series:
            count[series] = count.get(series, 0) + 1
    known = sorted((series for series in count if count[series] >= _FEWEST), key=lambda series: -count[series])
    known = known[:_MOST_SERIES]
    if not known or (len(found) > 2 * _FEWEST and count[known[0]] <= _FEWEST):
        return None
    costs = {series: 0.0 if series.step == 1 or series.pages == 2 else 0.5 for series in known}
    steps: list[dict[Series, Series]] = []
    for leaf in found:
        best = min(costs, key=lambda series: costs[series])
        before: dict[Series, Series] = {}
        after: dict[Series, float] = {}
        for series in known:
            change = costs[best] + _CHANGE
            before[series] = series if costs[series] <= change else best
            missed = _CONTRADICTION if leaf.series and series not in leaf.series else 0.0
            after[series] = min(costs[series], change) + missed
        steps.append(before)
        costs = after
    return _way_back(min(costs, key=lambda series: costs[series]), steps)


def _way_back(last: Series, steps: Sequence[dict[Series, Series]]) -> list[Series]:
    way = []
    for before in reversed(steps):
        way.append(last)
        last = before[last]
    return way[::-1]


def _settled(chosen: Sequence[Series], found: Sequence[_Found]) -> list[Series | None]:
    """The series of each leaf; None before, between and after the numbers where nobody can tell."""
    seen = [series in leaf.series for series, leaf in zip(chosen, found, strict=True)]
    settled: list[Series | None] = [series if is_seen else None for series, is_seen in zip(chosen, seen, strict=True)]
    numbered = [index for index, is_seen in enumerate(seen) if is_seen]
    for first, last in zip([-1, *numbered], [*numbered, len(found)], strict=True):
        _fill(settled, chosen, found, first, last)
    return settled


def _fill(
    settled: list[Series | None], chosen: Sequence[Series], found: Sequence[_Found], first: int, last: int
) -> None:
    """Name the leaves between two that print their numbers (-1 and the count of leaves: there is none)."""
    before = chosen[first] if first >= 0 else None
    after = chosen[last] if last < len(found) else None
    if before == after:
        settled[first + 1 : last] = [before] * (last - first - 1)
        return
    floor = _highest(before, first)
    for index in range(last - 1, first, -1):
        number = after.at(index) if after else None
        is_near = last - index <= _LEAVES_BEFORE or found[index].has_furniture
        if after is None or number is None or not is_near or (_is_same_kind(before, after) and number.value <= floor):
            break
        settled[index] = after
    for index in range(first + 1, last):
        if settled[index] is not None or not found[index].has_furniture or before is None:
            break
        settled[index] = before


def _highest(series: Series | None, leaf: int) -> int:
    number = series.at(leaf) if series else None
    return number.value + number.pages - 1 if number else 0


def _is_same_kind(before: Series | None, after: Series) -> bool:
    return before is not None and (before.prefix, before.system) == (after.prefix, after.system)
