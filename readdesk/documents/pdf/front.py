"""What stands before the first section of a PDF: title page, imprint, printed contents.

A printed list of contents is known by its leaders ("Title ..... 12") or, under its name, by lines that end in numbers.
Its entries are no headings, but they say what the headings are. What must stay true: a leaf of running text is never
taken for front matter; everything here looks only at leaves before the first section or at lists of contents.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from readdesk.documents.model import Matter
from readdesk.documents.normal import one_line
from readdesk.documents.pdf.leaves import Leaf, Line, Row, rows_of
from readdesk.documents.text.names import is_contents, is_name

LEADERS = re.compile(r"[.·…](?:\s?[.·…]){3,}")
"""The dots between a title and its page in a list of contents."""

_FEWEST_ENTRIES = 3
_SHARE_OF_ENTRIES = 0.4
_FRONT = 0.2
"""The share of a document in which its list of contents begins; an index looks like one."""

_ENTRY_END = re.compile(r"[\s.·…]*\b(?:\d{1,4}|[ivxlc]{1,7}|[A-Z]-?\d{1,3})\s*$")
_MOST_WORDS_OF_TITLE = 120
_MOST_TITLE_LEAVES = 3
_FEWEST_WORDS = 25
_LONGEST_NAME = 40
_FIRST_LINES = 6
_MOST_WORDS_OF_IMPRINT = 500
_IMPRINT = re.compile(
    r"©|\(c\) ?(?:19|20)\d\d|\bcopyright\b|\bisbn\b|all rights reserved|alle rechte vorbehalten|tous droits réservés"
    r"|reservados todos los derechos|все права защищены|авторские права|版权所有|版權所有|著作権|isbn",
    re.IGNORECASE,
)


def key_of(text: str) -> str:
    """A title as titles are compared: letters and digits alone."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def ends_entry(text: str) -> bool:
    """Whether a row ends with a number, as the entries of a list of contents do."""
    return _ENTRY_END.search(text) is not None


@dataclass(frozen=True)
class Printed:
    """The lists of contents that are printed.

    `leaves` are those of all lists, also of an index; `runs` are the first and the last leaf of each list in the front,
    and its name; `entries` are their titles as keys with how deep they stand.
    """

    leaves: frozenset[int] = frozenset()
    runs: tuple[tuple[int, int, str], ...] = ()
    entries: Mapping[str, int] = field(default_factory=dict)

    def depth_of(self, key: str) -> int | None:
        """How deep an entry stands (1 is the outermost); None for what is not listed."""
        return self.entries.get(key)


def printed_contents(leaves: Sequence[Leaf]) -> Printed:
    """The lists of contents of a document; one that goes on over several leaves is one."""
    found: set[int] = set()
    runs: list[tuple[int, int, str]] = []
    entries: list[tuple[float, str]] = []
    for leaf in leaves:
        name = next((one_line(line.text) for line in leaf.lines[:4] if _is_name(line)), "")
        ending = _entries(leaf, is_expected=bool(name) or leaf.index - 1 in found)
        if not ending:
            continue
        found.add(leaf.index)
        if runs and runs[-1][1] == leaf.index - 1:
            runs[-1] = runs[-1][0], leaf.index, runs[-1][2]
        elif name or leaf.index <= max(3, _FRONT * len(leaves)):
            runs.append((leaf.index, leaf.index, name or "Contents"))
        else:
            continue  # An index looks like a list of contents.
        entries += [(row.left, key_of(_ENTRY_END.sub("", LEADERS.sub(" ", row.text)))) for row in ending]
    return Printed(frozenset(found), tuple(runs), _depths(entries))


def _is_name(line: Line) -> bool:
    text = line.text.strip()
    return bool(text) and is_contents(text)


def _entries(leaf: Leaf, *, is_expected: bool) -> list[Row]:
    """The rows of a list of contents; nothing for a leaf that is no such list."""
    led = sum(1 for line in leaf.lines if LEADERS.search(line.text))
    if led < _FEWEST_ENTRIES and not is_expected:
        return []
    rows = rows_of(line for line in leaf.lines if line.is_level)
    ending = [row for row in rows if _ENTRY_END.search(row.text) and len(row.text) > 3]
    fewest = max(_FEWEST_ENTRIES, _SHARE_OF_ENTRIES * len(rows))
    is_list = led >= fewest or (is_expected and len(ending) >= fewest)
    return ending if is_list and len(ending) >= _FEWEST_ENTRIES else []


def _depths(entries: Sequence[tuple[float, str]]) -> dict[str, int]:
    """How deep each entry is indented; the first of two of one name counts."""
    edges: list[float] = []
    for left in sorted(left for left, _ in entries):
        if not edges or left - edges[-1] > 6:
            edges.append(left)
    depths: dict[str, int] = {}
    for left, key in entries:
        depths.setdefault(key, sum(1 for edge in edges if edge <= left + 0.1))
    return depths


@dataclass(frozen=True)
class Front:
    """A section before the first one: its leaf, its title and what it is ("" for text)."""

    leaf: int
    title: str
    matter: Matter


def front_of(leaves: Sequence[Leaf], printed: Printed, words: Sequence[int], title: str) -> list[Front]:
    """What the leaves before the first section are, those of one kind as one section; nothing where all are text."""
    found: list[Front] = []
    for leaf in leaves:
        if not leaf.lines:
            continue
        before = found[-1].matter if found else ""
        kind = _kind_of(leaf, printed, before, words[leaf.index], is_first=not found)
        if found and not kind and words[leaf.index] < _FEWEST_WORDS:
            continue  # Next to nothing: a name on an empty leaf.
        if not found or kind != before:
            found.append(Front(leaf.index, _title_of(leaf, kind, printed, title), kind))
    return found if any(front.matter for front in found) else []


def _kind_of(leaf: Leaf, printed: Printed, before: Matter, words: int, *, is_first: bool) -> Matter:
    if leaf.index in printed.leaves:
        return "contents"
    if words <= _MOST_WORDS_OF_IMPRINT and not (is_first and words <= _MOST_WORDS_OF_TITLE) and _is_imprint(leaf):
        return "imprint"
    if words <= _MOST_WORDS_OF_TITLE and (is_first or before == "title") and _is_set_out(leaf.lines):
        return "title"
    return ""


def _is_imprint(leaf: Leaf) -> bool:
    """Whether a leaf says at its beginning, or again and again, whose a book is; a preface may say so once."""
    said = [number for number, line in enumerate(leaf.lines) if _IMPRINT.search(line.text)]
    is_named = any(is_name(line.text.strip()) for line in leaf.lines[:4] if line.text.strip())
    return bool(said) and not is_named and (said[0] < _FIRST_LINES or len(said) > 1)


def title_leaves(leaves: Sequence[Leaf], words: Sequence[int]) -> frozenset[int]:
    """The leaves at the beginning that are title pages; never all of a document."""
    found = []
    for leaf in leaves[:_MOST_TITLE_LEAVES]:
        if leaf.lines and (words[leaf.index] > _MOST_WORDS_OF_TITLE or not _is_set_out(leaf.lines)):
            break
        found.append(leaf.index)
    return frozenset(found) if len(leaves) > 2 * _MOST_TITLE_LEAVES else frozenset()


def _is_set_out(lines: Sequence[Line]) -> bool:
    """Whether lines are set as a title page is: none of them a sentence that fills the line and goes on."""
    return sum(1 for line in lines if len(line.text) > 70) <= 1


def _title_of(leaf: Leaf, kind: Matter, printed: Printed, title: str) -> str:
    if kind == "contents":
        return next((name for first, last, name in printed.runs if first <= leaf.index <= last), "Contents")
    if kind == "imprint":
        name = one_line(max(leaf.lines[:4], key=lambda line: line.size).text)
        return name if _IMPRINT.search(name) and len(name) < _LONGEST_NAME else "Copyright"
    return title
