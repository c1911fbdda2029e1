"""Which rows of a PDF are headings, told by size, weight, numbering and the white space around them.

Rows that could be headings are collected once, leaf by leaf; they serve twice. A title of the outline is looked for
among them, whatever its place was said to be. And where there is no outline, they are the sections: numbers say how
deep a heading stands ("2.1" stands below "2", a section below a chapter); a heading without a number stands as deep as
the numbered ones that are set like it, else by its size.

What must stay true: a heading stands alone on its row; a list of contents holds none but its own name; what is large on
the first leaf alone is the title of the whole, not of a section.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from readdesk.documents.normal import one_line
from readdesk.documents.pdf.front import LEADERS, Printed, ends_entry, key_of, title_leaves
from readdesk.documents.pdf.leaves import Leaf, Line, Measures
from readdesk.documents.text.chapters import Candidate, running_on
from readdesk.documents.text.names import is_contents, is_name
from readdesk.documents.text.numbering import RANK_OF_CHAPTER, RANK_OF_NUMBER, numbered

LARGE = 1.12
"""How much larger than the text a heading without any other sign is set."""

_LARGE_RECOGNISED = 1.3
"""The same for recognised text, whose sizes are guesses."""

_LONGEST = 120
_LONGEST_WEAK = 60
_NEVER_FIRST = frozenset("-–—•*([{'\"‘“=+/<>|~`$#@&.,;:!?")
_MOST_PER_LEAF = 3
_MOST_IN_SHORT = 12
_MOST_ROWS = 4
_MOST_BOLD_ROWS = 2
_WIDEST_GAP = 3.0
_SPACE_ABOVE = 0.45
_FEWEST_CAPITALS = 3
_LOWEST_DEPTH = 6
_FEWEST = 2
_FEWEST_LABELS = 4
_FEWEST_NUMBERED = 5
_SHARE_NUMBERED = 0.5
_OPENINGS = frozenset(
    "abstract summary executivesummary zusammenfassung kurzfassung abstrakt résumé resumen resumo riassunto аннотация "
    "реферат 摘要 要旨 概要 초록 ملخص תקציר streszczenie".split()
)
_DECIMAL = re.compile(r"(?:§+\s*)?(?:[A-Z]\.|[A-Z](?=\.\d)|\d{1,3})(?:\.\d{1,3})*[.:)]?(?=\s+\S|$)")
_ROMAN = re.compile(r"[IVXLC]{1,6}\.(?=\s+\S)")
_NUMBER_ALONE = re.compile(r"(?:§+\s*)?[\dA-Z](?:[\d.]{0,12})[.:)]?")
_ENDS_SENTENCE = (".", ",", ";", "。", "，", "；")


@dataclass(frozen=True, slots=True)
class Heading:
    """A row, or a few, that could be a heading: where it begins (`Line.start` on its leaf) and how it is set.

    `depth` is what its number says (1 for a chapter, 0 or less above it), None where it has none. `is_alone` says that
    no text goes before it on its row, `has_space` that white space parts it from the text above.
    """

    leaf: int
    start: int
    top: float
    bottom: float
    size: float
    is_bold: bool
    is_large: bool
    text: str
    key: str
    depth: int | None = None
    rows: int = 1
    is_alone: bool = True
    has_space: bool = True

    @property
    def is_strong(self) -> bool:
        """Whether it is set as headings are."""
        return self.is_large or self.is_bold

    @property
    def style(self) -> tuple[float, bool, bool]:
        """What headings of one kind share: size in half points, weight, capitals."""
        return round(self.size * 2) / 2, self.is_bold, self.text.isupper()


def candidates_of(leaves: Sequence[Leaf], measures: Measures, printed: Printed) -> list[Heading]:
    """Every row that could be a heading, in the order of the file."""
    found: list[Heading] = []
    for leaf in leaves:
        rows = _joined(list(_rows(leaf, measures)))
        if leaf.index in printed.leaves:
            rows = [row for row in rows if is_contents(row.text) or (row.is_large and not ends_entry(row.text))]
        found += rows
    return found


def _rows(leaf: Leaf, measures: Measures) -> Iterable[Heading]:
    lines = [line for line in leaf.lines if line.is_level and line.text.strip()]
    at = 0
    while at < len(lines):
        end = at + 1
        if not _is_styled(lines[at], measures):
            at = end
            continue
        while end < len(lines) and _are_beside(lines[end - 1], lines[end]):
            end += 1
        heading = _heading(leaf.index, lines, at, end, measures)
        if heading is not None:
            yield heading
        at = end


def _is_styled(line: Line, measures: Measures) -> bool:
    """Whether a line may begin a heading: cheap, since every line of a document is asked."""
    if line.is_mono or len(line.text) > _LONGEST:
        return False
    if line.is_bold or line.size >= LARGE * measures.body:
        return True
    text = line.text.strip()
    if len(text) > _LONGEST_WEAK or text[0].islower() or text[0] in _NEVER_FIRST:
        return False
    return text.isupper() or depth_of(text) is not None or _is_named(text)


def _is_named(text: str) -> bool:
    return len(text) < 40 and is_name(text)


def _overlap(line: Line, after: Line) -> bool:
    """Whether two lines that follow one another stand at one height."""
    overlap = min(line.bottom, after.bottom) - max(line.top, after.top)
    return overlap > 0.5 * min(line.bottom - line.top, after.bottom - after.top)


def _are_beside(line: Line, after: Line) -> bool:
    gap = after.left - line.right
    is_number = _NUMBER_ALONE.fullmatch(line.text.strip()) is not None
    widest = (2 * _WIDEST_GAP if is_number else _WIDEST_GAP) * line.size
    return _overlap(line, after) and -0.5 * line.size < gap < widest


def _heading(leaf: int, lines: Sequence[Line], at: int, end: int, measures: Measures) -> Heading | None:
    row = lines[at:end]
    text = one_line(" ".join(line.text for line in row))
    main = max(row, key=lambda line: len(line.text))
    if len(text) > _LONGEST or main.is_mono or not _is_title(text) or LEADERS.search(text):
        return None
    is_large = main.size >= (_LARGE_RECOGNISED if main.is_hidden else LARGE) * measures.body
    is_bold = all(line.is_bold or _NUMBER_ALONE.fullmatch(line.text.strip()) for line in row) and main.is_bold
    top, bottom = min(line.top for line in row), max(line.bottom for line in row)
    return Heading(
        leaf,
        row[0].start,
        top,
        bottom,
        main.size,
        is_bold and main.size >= 0.98 * measures.body,
        is_large,
        text,
        key_of(text),
        depth_of(text),
        is_alone=not (at and _overlap(lines[at - 1], lines[at]))
        and not (end < len(lines) and _overlap(lines[end - 1], lines[end])),
        has_space=_has_space(lines, at, end, top, bottom, main.size),
    )


def _has_space(lines: Sequence[Line], at: int, end: int, top: float, bottom: float, size: float) -> bool:
    """Whether white space parts a row from the text above it, or nothing stands above it."""
    if at == 0:
        return True
    before = lines[at - 1]
    gap = top - before.bottom
    if gap < -2 * size:  # It stands at the top of the next column.
        return True
    after = lines[end].top - bottom if end < len(lines) else size
    return gap > _SPACE_ABOVE * size and gap > after - 0.1 * size


def _is_title(text: str) -> bool:
    text = _DECIMAL.sub("", text, count=1).replace(" ", "")
    letters = sum(character.isalpha() for character in text)
    return letters >= 2 and letters >= 0.45 * len(text)


def depth_of(text: str) -> int | None:
    """How deep the number before a title says that it stands: chapters and "1" at 1, "1.2" at 2, parts at 0."""
    if match := _DECIMAL.match(text):
        number = match[0].rstrip(".:)")
        return number.count(".") + 1 + (1 if number.startswith("§") else 0)
    if _ROMAN.match(text):
        return 1
    found = numbered(text)
    if found is None or found.number is None or found.rank >= RANK_OF_NUMBER:
        return None
    return {1: -2, 2: -1, 3: 0, 4: 0}.get(found.rank, 1 if found.rank == RANK_OF_CHAPTER else 2)


def _joined(rows: Sequence[Heading]) -> list[Heading]:
    """A heading of several rows is one; many rows of one kind are a paragraph and none."""
    found: list[Heading] = []
    for row in rows:
        if found and _is_one(found[-1], row):
            before = found[-1]
            text = one_line(f"{before.text} {row.text}")
            found[-1] = replace(before, bottom=row.bottom, text=text, rows=before.rows + 1, key=key_of(text))
        else:
            found.append(row)
    most = [(row, _MOST_ROWS if row.is_large else _MOST_BOLD_ROWS) for row in found]
    return [row for row, rows in most if row.rows <= rows and row.text[0] not in _NEVER_FIRST]


def _is_one(before: Heading, row: Heading) -> bool:
    """Whether a row goes on with the heading above it."""
    if abs(before.size - row.size) > 0.5 or before.is_bold != row.is_bold or not (before.is_strong and row.is_strong):
        return False
    return row.depth is None and -0.5 * row.size < row.top - before.bottom < 0.6 * row.size


# -- sections ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Levelled:
    """A heading that starts a section, and how deep that stands (1 at the top)."""

    heading: Heading
    level: int


def chosen(
    candidates: Sequence[Heading], all_leaves: Sequence[Leaf], words: Sequence[int], printed: Printed, title: str
) -> list[Levelled]:
    """The headings that are sections, in the order of the file; none where there are too few to be any.

    `words` is how many each leaf has, `title` the document's own.
    """
    leaves = len(all_leaves)
    first = title_leaves(all_leaves, words)
    alone = _without_tables([found for found in candidates if _may_start(found) and found.leaf not in first])
    alone = _without_front(_numbers_joined(alone), key_of(title))
    strong = [found for found in alone if found.is_large or (found.is_bold and _reads_as_title(found))]
    strong = _numbered_throughout(strong)
    strong = _few_enough(_without_labels(_without_title(strong)), leaves)
    weak = [found for found in alone if not found.is_strong and found.has_space and _reads_as_title(found)]
    accepted = sorted([*strong, *_confirmed(weak, strong, printed)], key=_place)
    if len(accepted) < _FEWEST:
        accepted = _named(weak) or _capitals(weak, leaves) or accepted
    if len(accepted) < _FEWEST:
        return []
    return _levelled(accepted, printed)


def _may_start(heading: Heading) -> bool:
    return heading.is_alone and (heading.is_large or not heading.text[0].islower())


def _place(heading: Heading) -> tuple[int, int]:
    return heading.leaf, heading.start


def _reads_as_title(heading: Heading) -> bool:
    """Whether a row set in the size of the text is a title: parted from the text above, and no sentence."""
    return heading.has_space and len(heading.text) <= 90 and not heading.text.endswith((*_ENDS_SENTENCE, ":", "："))


def _without_tables(found: Sequence[Heading]) -> list[Heading]:
    """Without rows that have others of their kind beside them: the heads of a table."""
    beside = Counter((one.leaf, round(one.top), one.style) for one in found)
    return [one for one in found if beside[one.leaf, round(one.top), one.style] < (3 if one.is_large else 2)]


def _without_front(found: Sequence[Heading], title: str) -> list[Heading]:
    """Without the title of the whole and, on its leaf, the authors between it and the first heading that is known."""
    first = min((one.leaf for one in found), default=0)
    heads = [one for one in found if one.leaf == first]
    titles = [at for at, one in enumerate(heads) if title and one.key == title]
    known = [at for at, one in enumerate(heads) if one.depth is not None or is_opening(one.text)]
    start = next((at for at in known if not titles or at > titles[0]), None)
    rest = [one for one in found if one.leaf != first and one.key != title]
    if titles:
        return [*(heads[start:] if start is not None else heads[titles[-1] + 1 :]), *rest]
    return [*heads, *rest]


def is_opening(text: str) -> bool:
    """Whether a row is what papers and books call what comes first ("Abstract", "Preface")."""
    return _is_named(text) or key_of(text) in _OPENINGS


def _numbered_throughout(found: Sequence[Heading]) -> list[Heading]:
    """Where most headings are numbered, bold rows without a number are none."""
    numbered_ones = sum(1 for one in found if one.depth is not None)
    if numbered_ones < max(_FEWEST_NUMBERED, _SHARE_NUMBERED * len(found)):
        return list(found)
    return [one for one in found if one.is_large or one.depth is not None or is_opening(one.text)]


def _without_labels(found: Sequence[Heading]) -> list[Heading]:
    """Without styles in which a few words come again and again ("Note", "Tip")."""
    keys: defaultdict[tuple[float, bool, bool], list[str]] = defaultdict(list)
    for one in found:
        keys[one.style].append(one.key)
    labels = {
        style
        for style, all_keys in keys.items()
        if len(all_keys) >= _FEWEST_LABELS and len(set(all_keys)) < 0.5 * len(all_keys)
    }
    return [one for one in found if one.style not in labels or (one.depth or 0) > 1]


def _numbers_joined(found: Sequence[Heading]) -> list[Heading]:
    """A row that is no more than "Chapter 4" is one heading with the title beneath it; "Chapter" and "Four" are too."""
    joined: list[Heading] = []
    for one in found:
        before = joined[-1] if joined else None
        if before and _is_close(before, one) and is_bare_number(f"{before.text} {one.text}"):
            joined[-1] = _together(before, one, f"{before.text} {one.text}")
        elif before and _is_close(before, one) and one.depth is None and one.is_strong and is_bare_number(before.text):
            joined[-1] = _together(before, one, f"{before.text.rstrip('.:')}: {one.text}")
        else:
            joined.append(one)
    return joined


def _together(before: Heading, one: Heading, text: str) -> Heading:
    return replace(one, start=before.start, top=before.top, text=text, key=key_of(text), depth=depth_of(text))


def _is_close(before: Heading, one: Heading) -> bool:
    """Whether a row stands right below another."""
    return before.leaf == one.leaf and 0 <= one.top - before.bottom < 4 * max(before.size, one.size)


def is_bare_number(text: str) -> bool:
    """Whether a text is no more than the number of a chapter or part ("CHAPTER ONE")."""
    known = numbered(text)
    return known is not None and known.number is not None and not known.rest


def _without_title(found: Sequence[Heading]) -> list[Heading]:
    """Without what is so large on the first leaf alone."""
    later = {one.style[0] for one in found if one.leaf > 0}
    return [one for one in found if one.style[0] in later or not one.is_large or is_opening(one.text)]


def _few_enough(found: Sequence[Heading], leaves: int) -> list[Heading]:
    """Without the smallest styles, as long as there are too many headings to be sections."""
    kept = list(found)
    for style in sorted({one.style for one in kept}):
        of_style = [one for one in kept if one.style == style]
        if not of_style[0].is_large and len(of_style) > leaves:
            kept = [one for one in kept if one.style != style or (one.depth or 0) > 1]
        if len(kept) > max(_MOST_PER_LEAF * leaves, _MOST_IN_SHORT):
            kept = [one for one in kept if one.style != style]
    return kept


def _confirmed(weak: Sequence[Heading], strong: Sequence[Heading], printed: Printed) -> list[Heading]:
    """Rows without any sign of size or weight that are listed in the printed contents, or whose numbers go on."""
    numbers = {_number(one): _place(one) for one in strong if one.depth is not None}
    found = []
    for one in weak:
        number = _number(one)
        is_next = len(number) > 1 and (
            (number[-1] == "1" and number[:-1] in numbers) or (*number[:-1], _before(number[-1])) in numbers
        )
        if printed.depth_of(one.key) is not None or (is_next and number not in numbers):
            numbers.setdefault(number, _place(one))
            found.append(one)
    return found


def _number(heading: Heading) -> tuple[str, ...]:
    match = _DECIMAL.match(heading.text)
    return tuple(match[0].strip("§ .:)").split(".")) if match else ()


def _before(number: str) -> str:
    return str(int(number) - 1) if number.isdecimal() else ""


def _named(weak: Sequence[Heading]) -> list[Heading]:
    """Rows like "Chapter IV", set as the text is, whose numbers run on."""
    found: list[Heading] = []
    by_rank: defaultdict[int, list[Candidate]] = defaultdict(list)
    for at, one in enumerate(weak):
        known = numbered(one.text)
        if known is not None and known.rank < RANK_OF_NUMBER:
            by_rank[known.rank].append(Candidate(at, known.number, known.is_sure))
    for candidates in by_rank.values():
        found += [weak[candidate.place] for candidate in running_on(candidates)]
    names = [one for one in weak if _is_named(one.text)] if found else []
    return sorted({_place(one): one for one in (*found, *names)}.values(), key=_place)


def _capitals(weak: Sequence[Heading], leaves: int) -> list[Heading]:
    """Short rows in capitals, where there are some and not too many."""
    found = [one for one in weak if one.text.isupper() and len(one.text) <= 60]
    times = Counter(one.key for one in found)
    found = [one for one in found if times[one.key] == 1]
    return found if _FEWEST_CAPITALS <= len(found) <= leaves else []


def _levelled(found: Sequence[Heading], printed: Printed) -> list[Levelled]:
    """Headings with their levels: by their numbers, else as those of their style, else by their size."""
    of_style: defaultdict[tuple[float, bool, bool], list[int]] = defaultdict(list)
    has_numbers = any(one.depth is not None for one in found)
    for one in found:
        depth = one.depth if has_numbers else printed.depth_of(one.key)
        if depth is not None:
            of_style[one.style].append(depth)
    known = {style: Counter(depths).most_common(1)[0][0] for style, depths in of_style.items()}
    styles = sorted({one.style for one in found}, key=lambda style: (-style[0], not style[1], not style[2]))
    depth_of_style = _depths_of_styles(styles, known)
    depths = [one.depth if one.depth is not None else depth_of_style[one.style] for one in found]
    ranks = {depth: min(rank, _LOWEST_DEPTH) for rank, depth in enumerate(sorted(set(depths)), start=1)}
    return [Levelled(one, ranks[depth]) for one, depth in zip(found, depths, strict=True)]


def _depths_of_styles(
    styles: Sequence[tuple[float, bool, bool]], known: dict[tuple[float, bool, bool], int]
) -> dict[tuple[float, bool, bool], int]:
    """How deep each style stands, the largest first; one without numbers stands below the one before it."""
    depths: dict[tuple[float, bool, bool], int] = {}
    first = min(known.values(), default=1)
    last: tuple[tuple[float, bool, bool], int] | None = None
    for style in styles:
        if style in known:
            depth = known[style]
        elif last is None:
            depth = first if not known or style[0] - max(size for size, _, _ in known) < 1 else first - 1
        elif last[0][:2] == style[:2]:
            depth = last[1]  # Capitals alone make no level.
        else:
            depth = last[1] + 1
        depths[style] = depth
        last = style, depth
    return depths
