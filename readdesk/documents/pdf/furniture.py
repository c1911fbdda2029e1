"""Running heads, feet and page numbers: what is printed on leaf after leaf and is no part of the text.

A row at an edge is furniture for one of four reasons: it says the same (numbers masked, misread letters forgiven) at
the same height on at least three leaves close to one another; its number goes up with the leaves; it stands where most
leaves have such a row (the head of a short chapter); or it is a lone number that is the leaf's own. Rows are taken from
the edge inwards and the first that is none ends it, so that a line of text is never taken from under a real first line;
white space must part them from the text, and what is set larger than the text is a heading.

What repeats only on leaves that lack the usual head ("CHAPTER" over "ONE") belongs to the text: it opens chapters. So
does the header of a table that is repeated on every leaf: its cells stand over those of the row below, and a part of
the table that is read alone needs them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Sequence

from readdesk.documents.model import Furniture, FurnitureKind
from readdesk.documents.pdf.edges import Edge, EdgeRow, edge_rows
from readdesk.documents.pdf.leaves import Leaf, Line, Measures, Row
from readdesk.documents.pdf.marginal import take_margins
from readdesk.documents.pdf.numbers import counting, in_runs, is_of_all, is_stamp, lone_number
from readdesk.documents.pdf.stamps import says_stamp, take_stamps

_FEWEST_LEAVES = 3
_WINDOW = 7
_EDGE = 0.14
_NUMBER_EDGE = 0.22
_MOST_ROWS = 3
_LARGEST = 1.1
_LARGEST_NUMBER = 2.0
_GAP = 0.35
_GAP_IN_SLOT = 0.9
_LONGEST_IN_SLOT = 100
_LONGEST_MARK = 4
_NEIGHBOURS = 4
_LONG_RUN = 5
_FEWEST_CELLS = 3
_LARGEST_GAP_IN_TABLE = 1.2

Key = tuple[Edge, str, int]
"""Edge, masked text, distance from the edge in steps."""

Slot = tuple[Edge, int, int, bool]
"""Edge, distance in steps, size in points, bold: where and how a document prints its furniture."""


def take_furniture(leaves: Sequence[Leaf], measures: Measures) -> None:
    """Take stamps, the numbers of lines, heads, feet and page numbers out of the lines of each leaf.

    They are kept beside the lines in `Leaf.furniture`; `Line.beside` tells a line's numbers.
    """
    take_stamps(leaves)
    take_margins(leaves, measures)
    edges = {leaf.index: edge_rows(leaf) for leaf in leaves if leaf.lines}
    known = _Known(edges, len(leaves), measures)
    taken = {leaf.index: _taken(leaf, edges.get(leaf.index, ()), known) for leaf in leaves}
    if all(len(taken[leaf.index]) == len(leaf.lines) for leaf in leaves):
        return  # One word on every leaf is all that such a document says.
    for leaf in leaves:
        found = taken[leaf.index]
        starts = {line.start for _, line in found}
        leaf.furniture += [Furniture(_kind_of(line, edge), line.text.strip(), line.rectangle) for edge, line in found]
        leaf.lines = [line for line in leaf.lines if line.start not in starts]


def _taken(leaf: Leaf, rows: Sequence[EdgeRow], known: _Known) -> list[tuple[Edge, Line]]:
    """The lines of a leaf that are furniture, with the edge that each stands at."""
    found: list[tuple[Edge, Line]] = []
    groups: defaultdict[tuple[Edge, float], list[EdgeRow]] = defaultdict(list)
    for row in rows:
        groups[row.edge, row.height].append(row)
    for (edge, _), group in groups.items():
        found += [(edge, line) for row in group[: known.taken(group, leaf)] for line in row.row.lines]
    return found


def _kind_of(line: Line, edge: str) -> FurnitureKind:
    number = lone_number(line.text.strip())
    if says_stamp(line.text) or (number and is_stamp(number)):
        return "stamp"
    return "number" if number else "head" if edge == "top" else "foot"


class _Known:
    """What the document prints at its edges again and again."""

    def __init__(self, edges: dict[int, list[EdgeRow]], leaves: int, measures: Measures) -> None:
        self._leaves = leaves
        self._measures = measures
        self._numbers = counting({index: [n for row in rows for n in row.numbers] for index, rows in edges.items()})
        self._numbered = self._find_numbered(edges)
        repeated = _repeated(edges, leaves)
        openings = _openings(repeated, edges, self._is_counting)
        self._repeated = {key: at for key, at in repeated.items() if key not in openings}
        self._alike = _alike(edges, self._repeated, openings)
        self._slots = self._find_slots(edges)

    def taken(self, rows: Sequence[EdgeRow], leaf: Leaf) -> int:
        """How many of an edge's rows, told from the edge inwards, are furniture."""
        taken = 0
        for number, row in enumerate(rows[:_MOST_ROWS]):
            gap = self._gap_needed(row, leaf, is_outermost=number == 0)
            if gap is None or self._is_table_header(row, rows[number + 1 : number + 3], leaf.index):
                break
            if row.gap > gap:
                taken = number + 1
        return taken

    def _is_table_header(self, row: EdgeRow, inner: Sequence[EdgeRow], leaf: int) -> bool:
        """Whether a row is the header of the table right below it; a head of three parts stands further off."""
        if row.gap > _LARGEST_GAP_IN_TABLE or self._is_counting(row, leaf):
            return False
        return any(_is_header(row.row, other.row) for other in inner)

    def _gap_needed(self, row: EdgeRow, leaf: Leaf, *, is_outermost: bool) -> float | None:
        """How much white space must part the row from the text for being furniture; None where it is none."""
        size = row.row.size / self._measures.body
        is_counting = self._is_counting(row, leaf.index)
        is_known = self._is_known(row, leaf.index)
        if row.is_number and row.distance <= _NUMBER_EDGE and size <= _LARGEST_NUMBER:
            if is_counting or is_known:
                return 0.0
            if is_outermost and _is_own_number(row, leaf):
                return _GAP_IN_SLOT
        if size > _LARGEST or row.distance > _EDGE:
            return None
        if is_known or id(row) in self._alike or (is_counting and (row.edge, row.step) in self._numbered):
            return _GAP
        if self._is_in_slot(row):
            return _GAP_IN_SLOT
        return -1.0 if is_outermost and _is_signature(row, leaf) else None

    def _is_counting(self, row: EdgeRow, leaf: int) -> bool:
        return bool(row.numbers) and not self._numbers.get(leaf, frozenset()).isdisjoint(row.numbers)

    def _is_known(self, row: EdgeRow, leaf: int) -> bool:
        return leaf in self._repeated.get(_key(row), ())

    def _find_numbered(self, edges: dict[int, list[EdgeRow]]) -> set[tuple[Edge, int]]:
        """Where heads and feet that hold the leaf's number stand: an item "5." of a list on page 5 is none."""
        count: Counter[tuple[Edge, int]] = Counter()
        for index, rows in edges.items():
            for row in rows:
                if self._is_counting(row, index) and not row.is_number:
                    count.update((row.edge, row.step + shift) for shift in (-1, 0, 1))
        return {place for place, times in count.items() if times >= max(_FEWEST_LEAVES, 0.15 * self._leaves)}

    def _is_in_slot(self, row: EdgeRow) -> bool:
        return _slot(row) in self._slots and len(row.text) < _LONGEST_IN_SLOT and not row.row.is_mono

    def _find_slots(self, edges: dict[int, list[EdgeRow]]) -> set[Slot]:
        """Where most leaves have furniture."""
        count: defaultdict[Slot, set[int]] = defaultdict(set)
        for index, rows in edges.items():
            for row in rows:
                if self._is_known(row, index) or id(row) in self._alike:
                    count[_slot(row)].add(index)
        return {slot for slot, at in count.items() if len(at) >= max(_FEWEST_LEAVES, 0.4 * self._leaves)}


def _slot(row: EdgeRow) -> Slot:
    return row.edge, row.step, round(row.row.size), row.row.is_bold


def _repeated(edges: dict[int, list[EdgeRow]], leaves: int) -> dict[Key, set[int]]:
    """Texts that are on several leaves near one another, with these leaves: "Remark 4" now and then is not.

    Three will do where the document prints such texts on many leaves, or has few; elsewhere it takes five.
    """
    seen: defaultdict[Key, set[int]] = defaultdict(set)
    for index, rows in edges.items():
        for row in rows:
            if row.is_comparable:
                for shift in (-1, 0, 1):
                    seen[row.edge, row.masked, row.step + shift].add(index)
    few = {key: near for key, at in seen.items() if len(at) >= _FEWEST_LEAVES and (near := _near(at, leaves))}
    places: defaultdict[tuple[Edge, int], set[int]] = defaultdict(set)
    for (edge, _, step), at in few.items():
        places[edge, step].update(at)
    usual = max(_FEWEST_LEAVES, 0.3 * leaves)
    many = {key: at if len(places[key[0], key[2]]) >= usual else _closely(at, leaves) for key, at in few.items()}
    return {key: at for key, at in many.items() if at}


def _near(at: set[int], leaves: int) -> set[int]:
    return at if len(at) > max(_FEWEST_LEAVES, 0.25 * leaves) else in_runs(sorted(at), _WINDOW)


def _closely(at: set[int], leaves: int) -> set[int]:
    return at if len(at) > max(_FEWEST_LEAVES, 0.25 * leaves) else in_runs(sorted(at), 2 * _LONG_RUN, _LONG_RUN)


def _openings(
    repeated: dict[Key, set[int]], edges: dict[int, list[EdgeRow]], is_counting: Callable[[EdgeRow, int], bool]
) -> set[Key]:
    """The repeated texts that stand only on leaves without the usual head, at another height: they open chapters."""
    found: set[Key] = set()
    for edge in ("top", "bottom"):
        places: defaultdict[int, set[int]] = defaultdict(set)
        for index, rows in edges.items():
            for row in rows:
                if row.edge == edge and (_key(row) in repeated or is_counting(row, index)):
                    places[row.step].add(index)
        usual = max(places, key=lambda step: len(places[step]), default=0)
        if len(places.get(usual, ())) < 0.5 * len(edges):
            continue
        headed = places[usual] | places.get(usual - 1, set()) | places.get(usual + 1, set())
        for step, at in places.items():
            is_opening = abs(step - usual) > 1 and len(at & headed) <= 0.2 * len(at) and len(at) < 0.3 * len(edges)
            if is_opening and not in_runs(sorted(at), _LONG_RUN, _LONG_RUN):
                found |= {key for key in repeated if key[0] == edge and key[2] == step and key[1].strip("# -.")}
    return found


def _alike(edges: dict[int, list[EdgeRow]], repeated: Container[Key], openings: Container[Key]) -> set[int]:
    """The outermost rows (by `id`) of recognised text that say nearly what two neighbours say: misread heads."""
    likes: Counter[int] = Counter()
    for edge in ("top", "bottom"):
        outer = {
            index: [
                (row, _key(row) in repeated)
                for row in rows
                if row.is_recognised and row.edge == edge and _key(row) not in openings
            ][:2]
            for index, rows in edges.items()
        }
        for index, rows in outer.items():
            others = [found for near in range(index + 1, index + 1 + _NEIGHBOURS) for found in outer.get(near, ())]
            for row, is_known in rows:
                for other, is_other_known in others:
                    if not (is_known and is_other_known) and row.is_like(other):
                        likes[id(row)] += 1
                        likes[id(other)] += 1
    return {row for row, count in likes.items() if count >= 2}


def _key(row: EdgeRow) -> Key:
    return row.edge, row.masked, row.step


def _is_header(row: Row, inner: Row) -> bool:
    """Whether a row is the header of a table: each of its cells, three at least, stands over one of the row below."""
    if len(row.lines) < _FEWEST_CELLS or len(inner.lines) < len(row.lines):
        return False
    under = [[line for line in inner.lines if line.left < cell.right and line.right > cell.left] for cell in row.lines]
    return all(under) and len({lines[0].start for lines in under}) == len(row.lines)


def _is_own_number(row: EdgeRow, leaf: Leaf) -> bool:
    """Whether a lone number at the edge is surely the leaf's: it is its own, in the middle or at the outer corner.

    A document of one or two leaves has nothing that repeats; only this is taken there.
    """
    if len(leaf.lines) <= len(row.row.lines):
        return False
    is_own = any(number.value == leaf.index + 1 or str(number) == leaf.label for number in row.numbers)
    middle = (row.row.left + row.row.right) / 2 / max(leaf.width, 1.0)
    stands_apart = abs(middle - 0.5) < 0.1 or not 0.25 < middle < 0.75
    return stands_apart and (is_own or is_of_all(row.text))


def _is_signature(row: EdgeRow, leaf: Leaf) -> bool:
    """Whether it is the binder's mark at the foot of a scanned leaf ("-4"), set in from the left of the text."""
    if row.edge == "top" or not (leaf.kind == "ocr" or row.row.main.is_hidden) or len(row.text) > _LONGEST_MARK:
        return False
    left = min(line.left for line in leaf.lines)
    return any(map(str.isdigit, row.text)) and row.row.left > left + row.row.size
