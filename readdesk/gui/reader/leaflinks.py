"""Links on drawn leaves: a hand over each, where it leads in the corner, and a click that follows it.

The links of a leaf are asked for when the pointer first comes over it. What must stay true: what leads out of the book
is only told to whoever decides about that, since it comes from a stranger's file; a drag that ends on a link is no
click on it; late links of another book are dropped.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent

from readdesk.desk import Desk
from readdesk.documents.model import Link
from readdesk.gui.bridge import Bridge, Handlers
from readdesk.gui.reader.leaves import LeafView
from readdesk.gui.reader.pagenames import PageNames
from readdesk.gui.widgets.hoverlabel import HoverLabel
from readdesk.jobs.events import Done, Failed
from readdesk.library.model import DocumentRecord

_STILL = 4.0
"""Pixels that the pointer may move between press and release of a click."""


class LeafLinks(QObject):
    """Finds and follows the links of the document in one view of leaves."""

    leaf_chosen = Signal(int, float)
    """A leaf, and how many points below its upper edge."""
    address_chosen = Signal(str)
    """A place outside the book."""
    found = Signal(int)
    """The links of this leaf are known now."""

    def __init__(self, desk: Desk, bridge: Bridge, view: LeafView) -> None:
        super().__init__(view)
        self._desk = desk
        self._bridge = bridge
        self._view = view
        self._record: DocumentRecord | None = None
        self._names = PageNames()
        self._links: dict[int, tuple[Link, ...]] = {}
        self._jobs: dict[int, int] = {}
        self._at: QPointF | None = None
        self._pressed: tuple[Link, QPointF] | None = None
        self.is_over_words: Callable[[QPointF], bool] = lambda place: False
        """Whether words that can be selected lie at a place of the viewport; whoever knows says it."""
        self._hint = HoverLabel(view.viewport())
        view.viewport().setMouseTracking(True)
        view.viewport().installEventFilter(self)

    def open(self, record: DocumentRecord, names: PageNames) -> None:
        """The view shows this document now, or calls its pages otherwise."""
        if record != self._record:
            self.close_document()
        self._record, self._names = record, names

    def close_document(self) -> None:
        """The view shows nothing."""
        for job in self._jobs.values():
            self._bridge.forget(job)
            self._desk.stop(job)
        self._links, self._jobs, self._record, self._pressed = {}, {}, None, None
        self._show(None)

    def link_at(self, place: QPointF) -> Link | None:
        """The link at a place of the viewport, as far as links are known; those on top come last in a file."""
        found = self._view.point_at(place)
        if found is None:
            return None
        leaf, x, y = found
        if leaf not in self._links:
            self._ask(leaf)
        for link in reversed(self._links.get(leaf, ())):
            left, top, right, bottom = link.rectangle
            if left <= x <= right and top <= y <= bottom:
                return link
        return None

    def of_leaf(self, leaf: int) -> tuple[Link, ...] | None:
        """The links of a leaf as they stand on it; where they are not known yet they are asked for."""
        if leaf not in self._links:
            self._ask(leaf)
            return None
        return tuple(sorted(self._links[leaf], key=lambda link: (link.rectangle[1], link.rectangle[0])))

    def words_of(self, link: Link) -> str:
        """Where a link leads."""
        if link.address:
            return link.address
        return self.tr("To {page}").format(page=self._names.words(link.leaf))

    def follow(self, link: Link) -> None:
        """Go where a link leads, or tell who goes."""
        if link.address:
            self.address_chosen.emit(link.address)
        elif 0 <= link.leaf < len(self._names.labels):
            self.leaf_chosen.emit(link.leaf, link.top)

    # -- finding -------------------------------------------------------------------------------------------------

    def _ask(self, leaf: int) -> None:
        if self._record is None or leaf in self._jobs:
            return
        job = self._jobs[leaf] = self._desk.links(self._record, leaf)
        # What fails has no links to follow; the leaf itself says what is wrong with it.
        handlers: Handlers = {
            Done: lambda event: self._on_found(leaf, event),
            Failed: lambda _: self._take(leaf, ()),
        }
        self._bridge.follow(job, handlers)

    def _on_found(self, leaf: int, event: Done) -> None:
        self._take(leaf, tuple(event.result))

    def _take(self, leaf: int, links: tuple[Link, ...]) -> None:
        self._links[leaf] = links
        self.look_again()
        self.found.emit(leaf)

    def look_again(self) -> None:
        """More is known of what lies under the pointer."""
        if self._at is not None:
            self._show(self.link_at(self._at))

    # -- the pointer ---------------------------------------------------------------------------------------------

    def _show(self, link: Link | None) -> None:
        if link is not None:
            self._view.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        elif self._at is not None and self.is_over_words(self._at):
            self._view.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        else:
            self._view.viewport().unsetCursor()
        self._hint.show_words(self.words_of(link) if link is not None else "")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            self._at = event.position()
            self._show(self.link_at(self._at))
        elif kind in (QEvent.Type.Leave, QEvent.Type.Wheel):
            self._at = None
            self._show(None)
        elif isinstance(event, QMouseEvent) and event.button() == Qt.MouseButton.LeftButton:
            if kind == QEvent.Type.MouseButtonPress:
                link = self.link_at(event.position())
                self._pressed = (link, event.position()) if link is not None else None
            elif kind == QEvent.Type.MouseButtonRelease:
                self._on_released(event.position())
        return super().eventFilter(watched, event)

    def _on_released(self, place: QPointF) -> None:
        pressed, self._pressed = self._pressed, None
        if pressed is None or (pressed[1] - place).manhattanLength() > _STILL:
            return
        if self.link_at(place) == pressed[0]:
            self._at = None
            self._show(None)
            self.follow(pressed[0])
