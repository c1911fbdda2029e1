"""The table of contents of an EPUB: where its sections start, which files are front or back matter, printed pages.

Told by the navigation document (EPUB 3) or the NCX (EPUB 2), whichever knows more places that exist; by the guide and
the landmarks; and by what the elements themselves are called. Where a book tells nothing usable, `survey` finds what
else it can be divided by: its headings, its files, or nothing. What must stay true: an entry whose place does not exist
still starts somewhere sensible in its file or is counted as lost; a file that follows a cover or a title page without
an entry of its own does not become a part of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from readdesk.cancel import CancelToken
from readdesk.documents.draft import Draft, Start
from readdesk.documents.epub.archive import Archive
from readdesk.documents.html.elements import Element, language_of, parse, roles_of, tag_of, text_of, types_of
from readdesk.documents.html.marks import Loose
from readdesk.documents.matter import matter_of_roles, matter_of_title
from readdesk.documents.model import Matter, Structure
from readdesk.documents.normal import normal, one_line

_FEWEST_FOUND = 0.25
_FEWEST_HEADINGS = 3
_LONG_WITHOUT = 60_000
_LONGEST_TITLE = 80
_LOWEST_HEADING = 6
_DEEPEST = 50
_MOST_PARTS = 40
_IN_SEVERAL_FILES = frozenset(("notes", "bibliography", "index", "excerpt"))
"""What goes on in the next file when that says nothing else, not even by a heading."""
_BOILERPLATE_WORDS = frozenset(("pg-boilerplate", "pgheader", "pgfooter"))
_SECTION_HEADINGS = ("{*}h1", "{*}h2", "{*}h3")
_DIVISIONS = ("{*}section", "{*}div")
_END_OF_BOOK = "*** END OF TH"
_LICENCE = "The Project Gutenberg licence"
_HEADING = re.compile("h[1-6]")


@dataclass
class _Entry:
    title: str
    level: int
    file: str | None
    fragment: str = ""
    children: list[_Entry] = field(default_factory=list)


class Contents:
    """What a book tells of its own structure, with its places in the text."""

    def __init__(
        self, archive: Archive, nav: str | None, ncx: str | None, guide: Mapping[str, Matter], files: Sequence[str]
    ) -> None:
        self.entries: list[_Entry] = []
        self.lost = 0
        self._pages: list[_Entry] = []
        self._matter_of_file: dict[str, Matter] = dict(guide)
        self._is_after: Matter = ""
        for source, reads in ((nav, _nav_entries), (ncx, _ncx_entries)):
            root = parse(archive.read(source) or b"") if source else None
            if root is not None and source:
                self._take(list(reads(root, archive, source, "toc")), set(files))
                self._pages = self._pages or list(reads(root, archive, source, "page-list"))
                self._take_landmarks(root, archive, source)
        if len(self.entries) < _FEWEST_FOUND * self.lost:
            self.entries, self.lost = [], 0  # Contents for other files than these: headings tell more.
        self._index()

    def _take(self, entries: list[_Entry], files: set[str]) -> None:
        found = [entry for entry in entries if entry.file in files]
        if len(found) > len(self.entries):
            self.entries, self.lost = found, len(entries) - len(found)

    def _take_landmarks(self, root: Element, archive: Archive, source: str) -> None:
        for nav in root.iter("{*}nav"):
            if roles_of(nav) & {"landmarks"}:
                for link in nav.iter("{*}a"):
                    file, fragment = archive.resolve(source, link.get("href") or "")
                    matter = matter_of_roles(types_of(link))
                    if file and matter and not fragment:
                        self._matter_of_file.setdefault(file, matter)

    def forget(self) -> None:
        """Do without the entries."""
        self.entries, self.lost = [], 0
        self._index()

    def _index(self) -> None:
        self._entries_of = _by_file(self.entries)
        self._pages_of = _by_file(self._pages)

    @property
    def places(self) -> int:
        """How many different places the entries name."""
        return len({(entry.file, entry.fragment) for entry in self.entries})

    @property
    def chapters(self) -> int:
        """How many different places of the book itself the entries name."""
        return len({(entry.file, entry.fragment) for entry in self.entries if not matter_of_title(entry.title)})

    def pages(self, file: str, places: Mapping[str, Element]) -> dict[Element, str]:
        """The elements of a file at which printed pages begin, with their labels."""
        return {
            places[entry.fragment]: entry.title for entry in self._pages_of.get(file, ()) if entry.fragment in places
        }

    def starts(
        self, file: str, root: Element, places: Mapping[str, Element], surveyed: Survey
    ) -> dict[Element, list[Start]]:
        """The elements of a file at which sections start: those of its entries, its headings, or itself."""
        matter = self._matter_of_file.get(file) or _matter_of_file(root)
        if surveyed.structure == "headings":
            starts = _by_headings(root, matter)
        else:
            starts = self._by_entries(file, root, places, matter)
        self._start_licence(root, starts)
        if root not in starts:
            starts |= self._start_of_file(file, root, starts, matter, surveyed.titles.get(file, ""))
        last = [start.matter or matter_of_title(start.title) for several in starts.values() for start in several[-1:]]
        self._is_after = last[-1] if last else self._is_after
        return starts

    def _by_entries(
        self, file: str, root: Element, places: Mapping[str, Element], matter: Matter
    ) -> dict[Element, list[Start]]:
        starts: dict[Element, list[Start]] = {}
        headings: dict[str, Element] | None = None
        entries = self._entries_of.get(file, ())
        is_alone = len(entries) == 1  # One of several is a chapter in a file that also holds a list of contents.
        for entry in entries:
            element = places.get(entry.fragment) if entry.fragment else root
            if element is None:
                headings = _headings(root) if headings is None else headings
                element = headings.get(normal(entry.title), root)
            found = _matter_around(element) or (matter if element is root or is_alone else "")
            start = Start(entry.title, entry.level, matter=found, language=language_of(element))
            starts.setdefault(element, []).append(start)
        return starts

    def _start_of_file(
        self, file: str, root: Element, starts: Mapping[Element, list[Start]], matter: Matter, title: str
    ) -> dict[Element, list[Start]]:
        """A start for a file without an entry, where it is wanted or holds another matter than what came before it."""
        if starts and not _has_text_before(root, starts):
            return {}
        goes_on = matter == self._is_after or (
            not matter and self._is_after in _IN_SEVERAL_FILES and not _headings(root)
        )
        if not title and goes_on:
            return {}
        return {root: [Start(title or title_of(root, file), matter=matter, language=language_of(root))]}

    def _start_licence(self, root: Element, starts: dict[Element, list[Start]]) -> None:
        """The licence of Project Gutenberg stands before and after its books, without an entry."""
        for element in root.iter():
            if not _is_boilerplate(element) or any(around in starts for around in element.iterancestors(*_DIVISIONS)):
                continue
            starts[element] = [Start(_LICENCE, matter="licence")]
            after = element.getnext()
            if (element.text or "").lstrip().startswith(_END_OF_BOOK):
                return  # All that follows belongs to it.
            if after is not None and after not in starts:
                starts[after] = [Start(_heading_from(after) or title_of(root, ""))]


def _by_headings(root: Element, matter: Matter) -> dict[Element, list[Start]]:
    """Sections by the headings of a file, for a book that tells of none."""
    starts: dict[Element, list[Start]] = {}
    for element in root.iter(*_SECTION_HEADINGS):
        if title := _without_notes(element):
            found = _matter_around(element) or matter
            start = Start(title, int(tag_of(element)[1]), matter=found, language=language_of(element))
            starts[element] = [start]
    return starts


def _without_notes(heading: Element) -> str:
    """The text of a heading without raised characters: the mark of a note is no part of a title."""
    bare = deepcopy(heading)
    for raised in list(bare.iter("{*}sup")):
        raised.text = ""
        for inner in list(raised):
            raised.remove(inner)
    return text_of(bare) or text_of(heading)


def _is_boilerplate(element: Element) -> bool:
    """Whether an element is, or begins, what Project Gutenberg puts around its books."""
    if (element.text or "").lstrip().startswith(_END_OF_BOOK):
        return True
    if not element.attrib or tag_of(element) not in ("section", "div", "pre"):
        return False
    return bool(roles_of(element) & _BOILERPLATE_WORDS) or element.get("id") in ("pg-header", "pg-footer")


def _heading_from(element: Element) -> str:
    """The first heading in an element or after it."""
    for part in (element, *element.itersiblings()):
        for inner in part.iter():
            if _HEADING.fullmatch(tag_of(inner)) and (title := text_of(inner)):
                return title[:_LONGEST_TITLE]
    return ""


def _by_file(entries: Iterable[_Entry]) -> dict[str, list[_Entry]]:
    found: dict[str, list[_Entry]] = {}
    for entry in entries:
        found.setdefault(entry.file or "", []).append(entry)
    return found


def _headings(root: Element) -> dict[str, Element]:
    """The headings of a file by their titles, for entries whose anchor does not exist."""
    found: dict[str, Element] = {}
    for element in root.iter():
        if _HEADING.fullmatch(tag_of(element)):
            found.setdefault(normal(text_of(element)), element)
    return found


def _matter_around(element: Element) -> Matter:
    """What the element, or the nearest one around it, is called."""
    for around in (element, *element.iterancestors()):
        if matter := matter_of_roles(types_of(around)):
            return matter
    return ""


def _matter_of_file(root: Element) -> Matter:
    """What the body of a file, or the only part in it, is called."""
    body = next(root.iter("{*}body"), root)
    if matter := matter_of_roles(types_of(body)):
        return matter
    if len(body) > _MOST_PARTS:
        return ""
    parts = [child for child in body if tag_of(child) != "" and text_of(child)]
    return matter_of_roles(types_of(parts[0])) if len(parts) == 1 else ""


def _has_text_before(root: Element, starts: Mapping[Element, object]) -> bool:
    """Whether a file has text before the first of the elements at which sections start."""
    for element in next(root.iter("{*}body"), root).iter():
        if element in starts:
            return False
        if (element.text or "").strip():
            return True
    return False


# -- entries -----------------------------------------------------------------------------------------------------


def _nav_entries(root: Element, archive: Archive, source: str, kind: str) -> Iterator[_Entry]:
    navs = list(root.iter("{*}nav"))
    wanted = [nav for nav in navs if roles_of(nav) & {kind, f"doc-{kind}"}]
    if not wanted and kind == "toc":
        wanted = [nav for nav in navs if not roles_of(nav) & {"page-list", "landmarks"}]
    for nav in wanted[:1]:
        for child in nav:
            if tag_of(child) in ("ol", "ul"):
                yield from _flat(_nav_list(child, 1, archive, source))


def _nav_list(items: Element, level: int, archive: Archive, source: str) -> list[_Entry]:
    entries: list[_Entry] = []
    for item in items if level <= _DEEPEST else ():
        entry = _Entry("", level, None)
        for child in item:
            if tag_of(child) in ("ol", "ul"):
                entry.children = _nav_list(child, level + 1, archive, source)
                continue
            link = next((found for found in child.iter() if found.get("href")), None)
            entry.title = entry.title or text_of(child)
            if link is not None and entry.file is None:
                entry.file, entry.fragment = archive.resolve(source, link.get("href") or "")
        entries.append(entry)
    return entries


def _ncx_entries(root: Element, archive: Archive, source: str, kind: str) -> Iterator[_Entry]:
    wanted, points = ("navmap", "navpoint") if kind == "toc" else ("pagelist", "pagetarget")
    for element in root.iter():
        if tag_of(element) == wanted:
            yield from _flat(_ncx_list(element, 1, archive, source, points))


def _ncx_list(parent: Element, level: int, archive: Archive, source: str, points: str) -> list[_Entry]:
    entries: list[_Entry] = []
    for point in parent if level <= _DEEPEST else ():
        if tag_of(point) != points:
            continue
        entry = _Entry("", level, None)
        for child in point:
            if tag_of(child) == "navlabel":
                entry.title = text_of(child)
            elif tag_of(child) == "content":
                entry.file, entry.fragment = archive.resolve(source, child.get("src") or "")
        entry.children = _ncx_list(point, level + 1, archive, source, points)
        entries.append(entry)
    return entries


def _flat(entries: list[_Entry]) -> Iterator[_Entry]:
    """Entries in the order of the contents; one without a place of its own starts where its first child does."""
    for entry in entries:
        below = list(_flat(entry.children))
        if entry.file is None and below:
            entry.file, entry.fragment = below[0].file, below[0].fragment
        if entry.title or entry.file:
            yield entry
        yield from below


def titled(parts: Iterable[Start | Draft | Loose]) -> Iterator[Start | Draft | Loose]:
    """The same with a paragraph that only repeats its section's title made the heading that it is set as."""
    title, level = "", 1
    for part in parts:
        if isinstance(part, Start):
            title, level = normal(part.title), part.level
        elif isinstance(part, Draft):
            if title and part.kind == "text" and normal(part.text) == title:
                part = replace(part, kind="heading", level=min(level + 1, _LOWEST_HEADING))
            title = ""
        yield part


# -- without contents --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Survey:
    """What a book can be divided by when it does not tell: and the titles of its files, where they are told apart."""

    structure: Structure
    titles: Mapping[str, str] = field(default_factory=dict)


def survey(archive: Archive, files: Sequence[str], contents: Contents, cancel: CancelToken) -> Survey:
    """How to divide a book: by its contents, else by headings, else by files, else into parts where it is long."""
    if contents.chapters > 2 or (contents.chapters and len(files) == 1 and not _is_long(archive, files)):
        return Survey("contents")
    headings, length = 0, 0
    titles: dict[str, str] = {}
    for file in files:
        cancel.raise_if_cancelled()
        root = parse(archive.read(file) or b"")
        if root is not None:
            headings += sum(1 for _ in root.iter(*_SECTION_HEADINGS))
            length += len(text_of(next(root.iter("{*}body"), root)))
            titles[file] = title_of(root, file)
    if headings >= (_FEWEST_HEADINGS if contents.places else 2) or (
        headings and len(titles) == 1 and not contents.places
    ):
        return Survey("headings")
    if contents.places:
        return Survey("contents")
    if len(titles) > 1:
        return Survey("files", _told_apart(titles))
    return Survey("parts") if length > _LONG_WITHOUT else Survey("files", titles)


def _is_long(archive: Archive, files: Sequence[str]) -> bool:
    return sum(len(archive.read(file) or b"") for file in files) > _LONG_WITHOUT


def _told_apart(titles: Mapping[str, str]) -> dict[str, str]:
    """Titles of files; one that several share (the book's own) gets a number."""
    shared = Counter(titles.values())
    return {
        file: title if shared[title] == 1 else f"{title} ({number})"
        for number, (file, title) in enumerate(titles.items(), start=1)
    }


def title_of(root: Element, file: str) -> str:
    """The first heading in an element, else what a file calls itself, else its name."""
    for element in root.iter():
        if _HEADING.fullmatch(tag_of(element)) and (title := text_of(element)):
            return title[:_LONGEST_TITLE]
    found = next(root.iter("{*}title"), None)
    return (one_line(text_of(found)) if found is not None else "") or PurePosixPath(file).stem
