"""The book in the middle: the view that suits it, opened where it was left.

EPUBs and texts are shown as text; a PDF as its drawn leaves, or as the text that the model sees of it, which is also
what a screen reader can read. Everybody outside speaks in positions of the document's text; only here they become
leaves and rectangles. Pages of the printed book have names in both: a leaf's label, or a mark in an EPUB.

What must stay true: a late picture of another book is dropped, a book whose file has gone is still shown, as text, and
every jump can be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QStackedWidget, QWidget

from readdesk.desk import Desk
from readdesk.documents.model import Anchor, Leaf, LeafSpot, Section, has_leaves
from readdesk.errors import PasswordNeeded, ReadDeskError
from readdesk.gui.bridge import Bridge, Handlers
from readdesk.gui.reader.jumps import Jumps
from readdesk.gui.reader.leafplaces import LeafPlaces
from readdesk.gui.reader.leafpointer import LeafPointer
from readdesk.gui.reader.leafstack import image_of
from readdesk.gui.reader.leaves import LeafView
from readdesk.gui.reader.pagenames import PageNames
from readdesk.gui.reader.quoting import Quoting
from readdesk.gui.reader.text import TextView
from readdesk.gui.theme import Theme
from readdesk.jobs.events import Done, Failed, LeafDrawn, OpenedLeaves
from readdesk.library.model import DocumentRecord, ReadingPlace

_KEEP_MILLISECONDS = 1500
_WIDEST_PICTURE = 1600
_ZOOM_STEP = 1.1
_MANY = 1500
"""Characters; what is longer is marked softly."""


class ReaderPlace(QStackedWidget):
    """Shows one document at a time."""

    position_changed = Signal(int)
    """The position that is probably read: a little below the top of what is shown."""
    password_needed = Signal(object, str)
    """The DocumentRecord, and what to tell the person."""
    failed = Signal(object)
    """A ReadDeskError to be told."""
    address_chosen = Signal(str)
    """Where a link leads that goes out of the book."""
    view_changed = Signal()
    """Leaves or text, their zoom, or which way leads back."""

    def __init__(self, desk: Desk, bridge: Bridge, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._bridge = bridge
        self._record: DocumentRecord | None = None
        self._places = LeafPlaces()
        self.names = PageNames()
        """What the pages of the document are called, as far as that is known yet."""
        self.drawn_leaves: tuple[Leaf, ...] = ()
        """The leaves of a PDF as they are drawn, once it is open for that."""
        self._jumps = Jumps()
        self._jobs: dict[str, int] = {}
        self._pending: tuple[int, int] | None = None
        self._place: ReadingPlace | None = None
        self._has_leaves = False
        self._softly = False
        self._left: tuple[int, int, float] | None = None
        self.text = TextView(theme)
        self.leaves = LeafView(theme)
        self.quoting = Quoting(desk)
        """What is copied from the document, with where it stands."""
        self.pointer = LeafPointer(desk, bridge, self.quoting, self.leaves)
        self.addWidget(self.text)
        self.addWidget(self.leaves)
        self._keep_timer = QTimer(self, interval=_KEEP_MILLISECONDS, singleShot=True)
        self._keep_timer.timeout.connect(self.keep_place)
        self.text.place_changed.connect(self._on_text_moved)
        self.text.picture_wanted.connect(self._on_picture_wanted)
        self.text.note_chosen.connect(self._on_note_chosen)
        self.text.note_words = self.note_words
        self.text.copy_with_place = self.quoting.copy_with_place
        self.text.zoom_changed.connect(self._on_view_changed)
        self.leaves.place_changed.connect(self._on_leaves_moved)
        self.leaves.leaves_wanted.connect(self._on_leaves_wanted)
        self.leaves.zoom_changed.connect(self._on_view_changed)
        self.pointer.leaf_chosen.connect(self.jump_to_leaf)
        self.pointer.address_chosen.connect(self.address_chosen)

    # -- opening -------------------------------------------------------------------------------------------------

    def open(self, record: DocumentRecord) -> None:
        """Show a document where it was left."""
        self.close_document()
        self._record = record
        self._place = self._desk.place(record.id) or ReadingPlace(0)
        if has_leaves(record.format):
            self.open_leaves()
        else:
            self.names = PageNames(printed=self._desk.printed_pages(record))
            self._name_pages()
            self._show_text(self._place.position)
        self._desk.keep_place(record.id, replace(self._place, text_hash=record.text_hash))

    def open_leaves(self, password: str | None = None) -> None:
        """Open the PDF's leaves for drawing, again with a password where one was needed."""
        if self._record is None:
            return
        self.setCurrentWidget(self.leaves)
        job = self._desk.open_leaves(self._record.id, password)
        self._follow("open", job, {Done: self._on_leaves_opened, Failed: self._on_leaves_failed})

    def close_document(self) -> None:
        """Keep the place and show nothing."""
        self.keep_place()
        for name in list(self._jobs):
            self._stop(name)
        self._record, self._places, self._pending, self._has_leaves = None, LeafPlaces(), None, False
        self._left = None
        self.names, self.drawn_leaves = PageNames(), ()
        self._jumps.clear()
        self.pointer.close_document()
        self._name_pages()
        self.leaves.close_document()
        self.text.close_document()

    def _show_text(self, position: int) -> None:
        record = self._record
        assert record is not None
        self.setCurrentWidget(self.text)
        self.text.open(partial(self._desk.paragraphs, record), record.characters, position)
        self.view_changed.emit()

    def _on_leaves_opened(self, event: Done) -> None:
        opened = event.result
        assert isinstance(opened, OpenedLeaves)
        self._places = LeafPlaces(opened.starts, self._record.characters if self._record is not None else 0)
        self._has_leaves = True
        self.names = PageNames(tuple(leaf.label for leaf in opened.leaves))
        self.drawn_leaves = opened.leaves
        self.leaves.open(opened.leaves)
        self._name_pages()
        place = self._place or ReadingPlace(0)
        leaf, _, fraction = place.view.partition(" ")
        if leaf.isdigit() and int(leaf) < len(opened.leaves):
            self.leaves.show_leaf(int(leaf), float(fraction or 0))
        else:
            self.leaves.show_leaf(self._places.leaf_of(place.position) if place.position else 0)
        self.view_changed.emit()
        if self._pending is not None:
            self.show_span(*self._pending)

    def _on_leaves_failed(self, event: Failed) -> None:
        record = self._record
        if isinstance(event.error, PasswordNeeded) and record is not None:
            self.password_needed.emit(record, event.error.message)
            return
        self.failed.emit(event.error)
        self.show_as_text()

    # -- leaves or text ------------------------------------------------------------------------------------------

    @property
    def can_show_leaves(self) -> bool:
        """Whether the document has drawn leaves."""
        return self._has_leaves

    @property
    def shows_leaves(self) -> bool:
        """Whether leaves are shown now."""
        return self.currentWidget() is self.leaves

    def show_as_text(self) -> None:
        """Show a PDF as the text that the model sees."""
        if self._record is not None:
            place = self._place.position if self._place is not None else 0
            position = self.position if self._has_leaves else place
            self._left = (position, *self.leaves.place()) if self._has_leaves else None
            self._show_text(position)
            if self._pending is not None:
                pending, self._pending = self._pending, None
                self.show_span(*pending)

    def show_as_leaves(self) -> None:
        """Show a PDF as its leaves again, at the same place."""
        if self._has_leaves and not self.shows_leaves:
            place = self._leaf_beside_text()
            self.setCurrentWidget(self.leaves)
            self.leaves.show_leaf(*place)
            self.view_changed.emit()

    # -- places --------------------------------------------------------------------------------------------------

    @property
    def position(self) -> int:
        """The position at the top."""
        if not self.shows_leaves:
            return self.text.position
        leaf, _ = self.leaves.place()
        return self._places.start_of(leaf)

    def show_span(self, start: int, end: int) -> None:
        """Show the words between two positions, marked: softly where they are many, as a whole page is."""
        if self._record is None:
            return
        self._softly = end - start > _MANY
        if not self.shows_leaves:
            self.text.mark(start, end, softly=self._softly)
            return
        if not self._has_leaves:
            self._pending = (start, end)
            return
        self._pending = None
        self._follow(
            "locate", self._desk.locate(self._record, start, end), {Done: self._on_located, Failed: self._on_failed}
        )

    def jump_to_anchor(self, anchor: Anchor) -> None:
        """Show a place on leaves that no text stands for, marked; the way back leads here."""
        spots = [spot for spot in anchor.spots if isinstance(spot, LeafSpot)]
        if spots and self._has_leaves and not self.shows_leaves:
            self.show_as_leaves()
        if spots and self._has_leaves:
            self._stop("locate")
            self._jump(partial(self.leaves.mark, spots))

    def show_position(self, position: int) -> None:
        """Bring a position to the top, unmarked."""
        if not self.shows_leaves:
            self.text.show_position(position)
        elif self._has_leaves:
            self.leaves.show_leaf(self._places.leaf_of(position))
        elif self._record is not None:
            self._place, self._pending = ReadingPlace(position), None

    def show_leaf(self, leaf: int, top: float = 0.0) -> None:
        """Bring a leaf to the top, or what is so many points below its upper edge."""
        if self.shows_leaves:
            self.leaves.show_leaf(leaf, self.leaves.fraction_of(leaf, top))
        elif self._has_leaves:
            self.text.show_position(self._places.start_of(leaf))

    def focus_view(self) -> None:
        """Put the keyboard into the book."""
        (self.leaves if self.shows_leaves else self.text).setFocus()

    @property
    def leaf(self) -> int | None:
        """The leaf that is shown, or whose text is; None in a document without leaves."""
        if not self._has_leaves:
            return None
        return self.leaves.place()[0] if self.shows_leaves else self._leaf_beside_text()[0]

    def _leaf_beside_text(self) -> tuple[int, float]:
        """The leaf of the text that is shown; the one that was left for it while nothing was read since."""
        position = self.position
        if self._left is not None and self._left[0] == position:
            return self._left[1:]
        return self._places.leaf_of(position), 0.0

    def leaf_names(self) -> tuple[str, ...]:
        """The printed label of every page, its number where a leaf has none; none where nobody knows them."""
        return self.names.names

    @property
    def leaf_name(self) -> str:
        """The printed page that is shown, or the number of a leaf without a label; "" where nobody knows it."""
        leaf = self.leaf
        if leaf is None:
            return self.names.name_at(self.text.reading_position)
        return self.names.label(leaf) or str(leaf + 1)

    def page_of(self, section: Section) -> str:
        """The label of the printed page on which a section begins; "" where nobody knows it."""
        if self._has_leaves:
            return self.names.label(self._places.leaf_of_section(section, self.names))
        return self.names.name_at(section.start)

    def show_leaf_named(self, name: str) -> bool:
        """Bring a page to the top by its printed label, else a leaf by its number; whether there is one."""
        number = self.names.find(name)
        if number is None:
            return False
        if self._has_leaves:
            self.jump_to_leaf(number)
        else:
            self.jump_to(self.names.printed[number][0])
        return True

    def relabel(self, labels: Sequence[str]) -> None:
        """The leaves have other printed labels from now on."""
        if self._has_leaves and len(labels) == len(self.names.labels):
            self.names = PageNames(tuple(labels))
            self.leaves.relabel(labels)
            self._name_pages()
            self.view_changed.emit()

    def _name_pages(self) -> None:
        """The pages are called so from now on."""
        self.quoting.open(self._record, self.names, self._places)
        if self._record is not None and self._has_leaves:
            self.pointer.open(self._record, self.names)

    # -- jumps ---------------------------------------------------------------------------------------------------

    def jump_to(self, position: int) -> None:
        """Bring a position to the top; the way back leads here."""
        self._jump(partial(self.show_position, position))

    def jump_to_section(self, section: Section) -> None:
        """Show the beginning of a section; the way back leads here."""
        if self.shows_leaves and self._has_leaves:
            self.jump_to_leaf(self._places.leaf_of_section(section, self.names))
        else:
            self.jump_to(section.start)

    def jump_to_leaf(self, leaf: int, top: float = 0.0) -> None:
        """Bring a leaf to the top, or what is so many points below its upper edge; the way back leads here."""
        self._jump(partial(self.show_leaf, leaf, top))

    def jump_to_span(self, start: int, end: int) -> None:
        """Show the words between two positions, marked; the way back leads here."""
        self._jump(partial(self.show_span, start, end))

    @property
    def can_go_back(self) -> bool:
        """Whether a jump can be undone."""
        return self._jumps.can_go_back

    @property
    def can_go_forward(self) -> bool:
        """Whether a jump was undone."""
        return self._jumps.can_go_forward

    def go_back(self) -> None:
        """Return to where the last jump led away from."""
        self._return(self._jumps.back)

    def go_forward(self) -> None:
        """Go again where the last jump that was undone had led."""
        self._return(self._jumps.forward)

    def note_words(self, name: str) -> str:
        """The text of a note of the document; "" where it has no such note."""
        found = self._desk.find_note(self._record, name) if self._record is not None else None
        if found is None or self._record is None:
            return ""
        return "\n".join(paragraph.text for paragraph in self._desk.paragraphs(self._record, *found))

    def _jump(self, move: Callable[[], None]) -> None:
        place = self._place_now()
        if place is not None:
            self._jumps.leave(place)
        move()
        self.view_changed.emit()

    def _return(self, step: Callable[[ReadingPlace], ReadingPlace | None]) -> None:
        now = self._place_now()
        place = step(now) if now is not None else None
        if place is not None:
            leaf, _, fraction = place.view.partition(" ")
            if self.shows_leaves and leaf.isdigit():
                self.leaves.show_leaf(int(leaf), float(fraction or 0))
            else:
                self.show_position(place.position)
        self.view_changed.emit()

    def _on_note_chosen(self, name: str) -> None:
        found = self._desk.find_note(self._record, name) if self._record is not None else None
        if found is not None:
            self.jump_to_span(*found)

    def keep_place(self) -> None:
        """Remember where the document is now."""
        self._keep_timer.stop()
        self._place = self._place_now()
        if self._record is not None and self._place is not None:
            self._desk.keep_place(self._record.id, replace(self._place, text_hash=self._record.text_hash))

    def forget_place(self) -> None:
        """The document has another text now: where it is shown is no place of that one."""
        self._keep_timer.stop()
        self._record = None

    def _place_now(self) -> ReadingPlace | None:
        """Where the document is; while it is opening, where it will be shown."""
        if self._record is None or (self.shows_leaves and not self._has_leaves):
            return self._place
        if not self.shows_leaves:
            return ReadingPlace(self.text.position)
        leaf, fraction = self.leaves.place()
        return ReadingPlace(self.position, f"{leaf} {fraction:.3f}")

    def _on_located(self, event: Done) -> None:
        assert isinstance(event.result, Anchor)
        spots = [spot for spot in event.result.spots if isinstance(spot, LeafSpot)]
        self.leaves.mark(spots, softly=self._softly)

    def _on_text_moved(self, _: int) -> None:
        self._moved(self.text.reading_position)

    def _on_leaves_moved(self, leaf: int, fraction: float) -> None:
        if self._has_leaves and self.shows_leaves:
            self._moved(self._places.reading_position(leaf, fraction))

    def _moved(self, reading: int) -> None:
        self._place = self._place_now()
        if not self._keep_timer.isActive():
            self._keep_timer.start()
        self.position_changed.emit(reading)

    # -- pictures ------------------------------------------------------------------------------------------------

    def _on_leaves_wanted(self, leaves: object, scale: float) -> None:
        assert isinstance(leaves, tuple)
        if self._record is not None and self._has_leaves:
            self._stop("draw")
            self._follow("draw", self._desk.draw(self._record, leaves, scale), {LeafDrawn: self._on_leaf_drawn})

    def _on_leaf_drawn(self, event: LeafDrawn) -> None:
        if event.picture is not None:
            self.leaves.set_picture(event.leaf, event.scale, event.picture, event.goes_on)
        elif event.error is not None:
            self.leaves.set_failure(event.leaf, event.error.words)

    def _on_picture_wanted(self, member: str, width: int) -> None:
        if self._record is None:
            return
        job = self._desk.picture(self._record, member, min(width, _WIDEST_PICTURE))
        self._follow(
            f"picture {member}",
            job,
            {
                Done: lambda event: self.text.set_picture(member, image_of(event.result)),
                Failed: lambda _: self.text.set_picture(member, QImage()),
            },
        )

    # -- zoom ----------------------------------------------------------------------------------------------------

    def zoom_in(self) -> None:
        """Larger."""
        if self.shows_leaves:
            self.leaves.zoom_in()
        else:
            self.text.set_zoom(self.text.zoom * _ZOOM_STEP)

    def zoom_out(self) -> None:
        """Smaller."""
        if self.shows_leaves:
            self.leaves.zoom_out()
        else:
            self.text.set_zoom(self.text.zoom / _ZOOM_STEP)

    def zoom_usual(self) -> None:
        """As wide as the window, or letters as designed."""
        if self.shows_leaves:
            self.leaves.fit_width()
        else:
            self.text.set_zoom(1.0)

    @property
    def zoom(self) -> float:
        """The zoom of the view that is shown."""
        return self.leaves.zoom if self.shows_leaves else self.text.zoom

    def _on_view_changed(self, _: float) -> None:
        self.view_changed.emit()

    # -- jobs ----------------------------------------------------------------------------------------------------

    def _follow(self, name: str, job: int, handlers: Handlers) -> None:
        self._stop(name)  # Else the one before would be forgotten here and still told, be it into another book.
        self._jobs[name] = job
        self._bridge.follow(job, handlers)

    def _stop(self, name: str) -> None:
        job = self._jobs.pop(name, None)
        if job is not None:
            self._bridge.forget(job)
            self._desk.stop(job)

    def _on_failed(self, event: Failed) -> None:
        self.tell(event.error)

    def tell(self, error: ReadDeskError) -> None:
        """Hand an error on to who shows it."""
        self.failed.emit(error)
