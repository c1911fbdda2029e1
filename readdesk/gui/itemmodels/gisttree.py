"""The gist memory as a tree: sections, the pages that were read of them, and each page's own paragraphs beneath.

A page stands under the section in which it begins. What a section or page has come to (to do, working, done, failed, or
left out) is worked out from the pages and from the place that a job says it is at; nothing of that is kept twice.
Paragraphs are asked for when a page is opened, so that a book of a thousand pages costs what its gists cost.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from readdesk.documents.model import Paragraph, Section, readable_spans
from readdesk.gui.figures import plain_tip
from readdesk.gui.matters import left_out_words
from readdesk.gui.reader.pagenames import joined, page_words, recognised_words
from readdesk.library.model import PageRecord

Index = QModelIndex | QPersistentModelIndex


class Role(IntEnum):
    """What a delegate asks for besides the text."""

    KIND = Qt.ItemDataRole.UserRole
    STATE = Qt.ItemDataRole.UserRole + 1
    POSITION = Qt.ItemDataRole.UserRole + 2
    PAGE = Qt.ItemDataRole.UserRole + 3
    """The PageRecord, of a page."""
    LIT = Qt.ItemDataRole.UserRole + 4
    """Whether a page is being looked up for a question."""
    HERE = Qt.ItemDataRole.UserRole + 5
    """Whether the book is open at this page or section."""
    NOTE = Qt.ItemDataRole.UserRole + 6
    """Words of lesser weight beside the text."""
    LENGTH = Qt.ItemDataRole.UserRole + 7
    SECTION = Qt.ItemDataRole.UserRole + 8
    """The Section, of a section."""
    LEFT_OUT = Qt.ItemDataRole.UserRole + 9
    """Whether nothing of a section and of those beneath it is read."""
    PRINTED = Qt.ItemDataRole.UserRole + 10
    """The label of the printed page on which a section begins; "" where nobody knows it."""


TODO, WORKING, DONE, FAILED, LEFT_OUT = "todo", "working", "done", "failed", "left out"
SECTION, PAGE, PARAGRAPH = "section", "page", "paragraph"


@dataclass(eq=False)
class Node:
    """A row: a section, a page or a paragraph."""

    kind: str
    row: int
    parent: Node | None
    start: int
    end: int
    section: Section | None = None
    page: PageRecord | None = None
    paragraph: Paragraph | None = None
    children: list[Node] = field(default_factory=list)
    opened: bool = False


class GistTree(QAbstractItemModel):
    """Sections, pages and paragraphs of one document."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._root = Node("", 0, None, 0, 0)
        self._sections: list[Node] = []
        self._pages: dict[int, Node] = {}
        self._readable: tuple[tuple[int, int], ...] = ()
        self._done: list[tuple[int, int]] = []
        self._told: list[str] = []
        self._paragraphs: Callable[[int, int], Sequence[Paragraph]] = lambda start, end: ()
        self._page_of: Callable[[Section], str] = lambda section: ""
        self._working: tuple[tuple[int, int], ...] = ()
        self._failure: tuple[int, int, str] | None = None
        self._lit: frozenset[int] = frozenset()
        self._here: Node | None = None

    # -- filling -------------------------------------------------------------------------------------------------

    def open(
        self,
        sections: Sequence[Section],
        pages: Iterable[PageRecord],
        length: int,
        paragraphs: Callable[[int, int], Sequence[Paragraph]],
    ) -> None:
        """Show a document of so many characters, anew."""
        self.beginResetModel()
        self._root = Node("", 0, None, 0, length)
        self._paragraphs = paragraphs
        self._sections, self._pages, self._done = [], {}, []
        self._readable = readable_spans(sections, length) if sections else ((0, length),)
        self._working, self._failure, self._here = (), None, None
        self._lit = frozenset()
        by_index: dict[int, Node] = {}
        for number, section in enumerate(sections):
            after = (sections[later] for later in range(number + 1, len(sections)))
            end = next((other.start for other in after if other.level <= section.level), length)
            parent = by_index.get(section.parent, self._root)
            node = Node(SECTION, len(parent.children), parent, section.start, end, section=section)
            parent.children.append(node)
            by_index[section.index] = node
            self._sections.append(node)
        for record in pages:
            self._place(record)
        self._note_gists()
        self._told = [self._state(node) for node in self._sections]
        self.endResetModel()

    def close(self) -> None:
        """Show nothing."""
        self.open((), (), 0, lambda start, end: ())

    def _home_of(self, record: PageRecord) -> Node:
        return self._sections[record.page.section] if record.page.section < len(self._sections) else self._root

    def _row_for(self, home: Node, start: int) -> int:
        """Pages stand before the subsections that begin after them."""
        return bisect_right(home.children, (start, False), key=lambda child: (child.start, child.kind == SECTION))

    def _place(self, record: PageRecord) -> Node:
        home = self._home_of(record)
        row = self._row_for(home, record.page.start)
        node = Node(PAGE, row, home, record.page.start, record.page.end, page=record)
        home.children.insert(row, node)
        for number in range(row + 1, len(home.children)):
            home.children[number].row = number
        self._pages[record.page.number] = node
        return node

    def _note_gists(self) -> None:
        """Work out anew which stretches of the text have gists."""
        self._done = []
        pages = (node for node in self._pages.values() if node.page is not None and node.page.gist is not None)
        for start, end in sorted((node.start, node.end) for node in pages):
            if self._done and start <= self._done[-1][1]:
                self._done[-1] = (self._done[-1][0], max(end, self._done[-1][1]))
            else:
                self._done.append((start, end))

    def set_sections(self, sections: Sequence[Section]) -> None:
        """The same sections, of which others are left out now."""
        by_index = {section.index: section for section in sections}
        for node in self._sections:
            if node.section is not None:
                node.section = by_index.get(node.section.index, node.section)
        self._readable = readable_spans(sections, self._root.end)
        for number, node in enumerate(self._sections):
            self._told[number] = self._state(node)
            self._changed(node)

    # -- what jobs tell ------------------------------------------------------------------------------------------

    def set_page(self, record: PageRecord) -> None:
        """A page was read, or read again."""
        self._failure = None
        self._working = tuple(place for place in self._working if place[0] != record.page.number)
        known = self._pages.get(record.page.number)
        if known is not None:
            known.page = record
            self._changed(known)
        else:
            home = self._home_of(record)
            row = self._row_for(home, record.page.start)
            self.beginInsertRows(self._index_of(home), row, row)
            self._place(record)
            self.endInsertRows()
        self._note_gists()
        self._states_changed()

    def set_working(self, number: int, start: int, *, joins: bool = False) -> None:
        """The page of that number, which begins at that position, is in work: alone, or beside those that are."""
        before = (*self._working, self._failure)
        self._working, self._failure = (*(self._working if joins else ()), (number, start)), None
        self._states_changed(before)

    def set_idle(self) -> None:
        """Nothing is in work."""
        before, self._working = self._working, ()
        self._states_changed(before)

    def set_failed(self, number: int, start: int, words: str) -> None:
        """The page of that number, which begins at that position, has failed."""
        self._failure = (number, start, words)
        self.set_idle()

    def light(self, pages: Iterable[int]) -> None:
        """Light up the pages that are looked up, and no others."""
        before, self._lit = self._lit, frozenset(pages)
        for number in before | self._lit:
            if number in self._pages:
                self._changed(self._pages[number])

    def set_here(self, position: int) -> QModelIndex:
        """The book is open at a position; returns the index of the page or section that holds it."""
        node = self._node_at(min(position, self._root.end - 1))
        if node is not self._here:
            before, self._here = self._here, node
            for each in (before, node):
                if each is not None:
                    self._changed(each)
        return self._index_of(node) if node is not None else QModelIndex()

    def set_pages(self, page_of: Callable[[Section], str]) -> None:
        """On which printed page a section begins, by its label: known now, or known otherwise than before."""
        self._page_of = page_of
        for node in self._sections:
            self._changed(node)

    def index_of_page(self, number: int) -> QModelIndex:
        """The index of a page; an invalid one where it was not read."""
        return self._index_of(self._pages[number]) if number in self._pages else QModelIndex()

    def _node_at(self, position: int) -> Node | None:
        found: Node | None = None
        at = self._root
        while True:
            children = [
                child for child in at.children if child.kind != PARAGRAPH and child.start <= position < child.end
            ]
            if not children:
                return found
            found = at = children[-1]

    # -- states --------------------------------------------------------------------------------------------------

    def _state(self, node: Node) -> str:
        if self._failure is not None and self._holds(node, self._failure[0], self._failure[1]):
            return FAILED
        if any(self._holds(node, number, start) for number, start in self._working):
            return WORKING
        if node.kind == PAGE and node.page is not None:
            return DONE if node.page.gist is not None else TODO
        if self._is_left_out(node):
            return LEFT_OUT
        wanted = list(self._wanted(node))
        # A page may begin in one section and reach into the next ones.
        return DONE if all(self._has_gists(*span) for span in wanted or ((node.start, node.start),)) else TODO

    def _wanted(self, node: Node) -> Iterator[tuple[int, int]]:
        """The stretches of a section that are to have gists."""
        first = bisect_right(self._readable, node.start, key=lambda span: span[1])
        for start, end in self._readable[first:]:
            if start >= node.end:
                return
            yield max(start, node.start), min(end, node.end)

    def _is_left_out(self, node: Node) -> bool:
        """Whether a section and all beneath it are left out; a half title before chapters that are read is not."""
        left_out = node.section is not None and node.section.is_left_out
        return left_out and next(self._wanted(node), None) is None

    def _has_gists(self, start: int, end: int) -> bool:
        at = bisect_left(self._done, max(end, start + 1), key=lambda span: span[1])
        return at < len(self._done) and self._done[at][0] <= start

    @property
    def share(self) -> float:
        """How much of what is not left out has gists."""
        whole = sum(end - start for start, end in self._readable)
        done = 0
        for start, end in self._done:
            done += sum(max(0, min(end, last) - max(start, first)) for first, last in self._readable)
        return done / whole if whole else 0.0

    def _holds(self, node: Node, number: int, start: int) -> bool:
        if node.kind == PAGE and node.page is not None:
            # What fills a gap has the number that the page behind it has until then.
            return node.page.page.number == number and node.start == start
        return node.start <= start < node.end

    def _note(self, node: Node) -> str:
        if node.kind == SECTION:
            if self._failure is not None and self._holds(node, self._failure[0], self._failure[1]):
                return self._failure[2]
            return ""
        if node.page is None:
            return ""
        words = self.tr("{count} words").format(count=f"{node.page.page.words:,}")
        flag = node.page.gist.flag if node.page.gist is not None else ""
        extra = {
            "verbatim": self.tr("as it stands"),
            "cut": self.tr("gist cut short"),
            "opening": self.tr("its opening only"),
            "crashed": self.tr("its opening only: the model crashed on it"),
        }.get(flag, "")
        return joined(words, recognised_words() if node.page.is_recognised else "", extra)

    def _states_changed(self, before: Iterable[tuple[Any, ...] | None] = ()) -> None:
        """Tell of the sections whose state is another now, and of the pages that are or were in work."""
        for number, node in enumerate(self._sections):
            state = self._state(node)
            if state != self._told[number]:
                self._told[number] = state
                self._changed(node)
        for place in filter(None, (*before, *self._working, self._failure)):
            if place[0] in self._pages:
                self._changed(self._pages[place[0]])

    def _changed(self, node: Node) -> None:
        index = self._index_of(node)
        self.dataChanged.emit(index, index)

    # -- Qt ------------------------------------------------------------------------------------------------------

    def _node(self, index: Index) -> Node:
        found = index.internalPointer() if index.isValid() else self._root
        assert isinstance(found, Node)
        return found

    def _index_of(self, node: Node) -> QModelIndex:
        return QModelIndex() if node is self._root else self.createIndex(node.row, 0, node)

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:
        children = self._node(parent).children
        return self.createIndex(row, 0, children[row]) if 0 <= row < len(children) and column == 0 else QModelIndex()

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        node = self._node(index).parent if index.isValid() else None
        return self._index_of(node) if node is not None else QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return len(self._node(parent).children)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 1

    def hasChildren(self, parent: Index = QModelIndex()) -> bool:
        node = self._node(parent)
        return node.kind == PAGE or bool(node.children)

    def canFetchMore(self, parent: Index) -> bool:
        node = self._node(parent)
        return node.kind == PAGE and not node.opened

    def fetchMore(self, parent: Index) -> None:
        if not self.canFetchMore(parent):
            return
        node = self._node(parent)
        node.opened = True
        found = self._paragraphs(node.start, node.end)
        if not found:
            return
        self.beginInsertRows(self._index_of(node), 0, len(found) - 1)
        for paragraph in found:
            start, end = max(paragraph.start, node.start), min(paragraph.end, node.end)
            node.children.append(Node(PARAGRAPH, len(node.children), node, start, end, paragraph=paragraph))
        self.endInsertRows()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        node = self._node(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(node)
        if role == Qt.ItemDataRole.ToolTipRole and node.kind == SECTION:
            return self._tip(node)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(node)
        values: dict[int, Callable[[], Any]] = {
            Role.KIND: lambda: node.kind,
            Role.STATE: lambda: self._state(node),
            Role.POSITION: lambda: node.start,
            Role.PAGE: lambda: node.page,
            Role.LIT: lambda: node.page is not None and node.page.page.number in self._lit,
            Role.HERE: lambda: node is self._here,
            Role.NOTE: lambda: self._note(node),
            Role.LENGTH: lambda: node.end - node.start,
            Role.SECTION: lambda: node.section,
            Role.LEFT_OUT: lambda: self._is_left_out(node),
            Role.PRINTED: lambda: self._page_of(node.section) if node.section is not None else "",
        }
        return values[role]() if role in values else None

    def _text(self, node: Node) -> str:
        if node.section is not None:
            return node.section.title
        if node.page is not None:
            return node.page.gist.text if node.page.gist is not None else ""
        assert node.paragraph is not None
        first = node.start - node.paragraph.start
        return node.paragraph.text[first : first + node.end - node.start]

    def _tip(self, node: Node) -> str:
        """A section's title in full, and why it failed or is left out."""
        lines = filter(None, (self._text(node), self._note(node), self._why_left_out(node)))
        return "<br>".join(map(plain_tip, lines))

    def _why_left_out(self, node: Node) -> str:
        return left_out_words(node.section) if node.section is not None and self._is_left_out(node) else ""

    def _spoken(self, node: Node) -> str:
        """The row for who hears it: what it is, what it has come to, and its text."""
        states = {
            TODO: self.tr("to do"),
            WORKING: self.tr("working"),
            DONE: self.tr("done"),
            FAILED: self.tr("failed"),
            LEFT_OUT: self.tr("left out of gisting"),
        }
        if node.kind == PARAGRAPH:
            return self._text(node)
        if node.page is not None:
            return self.tr("Page {number}, {state}. {gist}").format(
                number=node.page.page.number, state=states[self._state(node)], gist=self._text(node)
            )
        what = self._why_left_out(node) or states[self._state(node)]
        printed = page_words(self._page_of(node.section)) if node.section is not None else ""
        return ", ".join(filter(None, (self._text(node), printed, what)))
