"""The view of a book as text: a window of paragraphs that moves through the book, in Qt's own text browser.

War and Peace has three million characters; setting them all takes seconds and every change of width would take them
again. So only some twenty thousand around the reading place are set, anew whenever the place comes near their edge,
with every line staying where it was on the screen. The bar beside it counts positions of the whole book. A text browser
is what screen readers know, which a painted widget of our own would not be.

What must stay true: nothing here takes longer for a longer book; a place is a position, never a pixel.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QRectF, QSize, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QPainter, QTextCursor, QTextDocument
from PySide6.QtWidgets import QHBoxLayout, QMenu, QScrollBar, QTextEdit, QWidget

from readdesk.documents.model import Paragraph
from readdesk.gui.reader.browser import Browser
from readdesk.gui.reader.overlay import Overlay
from readdesk.gui.reader.pictures import Pictures
from readdesk.gui.reader.sheet import Sheet
from readdesk.gui.reader.tables import rows_of
from readdesk.gui.reader.typeset import BODY_POINTS, Setting, Typesetter, marked_format, note_of, resize_pictures
from readdesk.gui.theme import Theme

Source = Callable[[int, int], Sequence[Paragraph]]
"""Gives the paragraphs between two positions."""

BEFORE, AFTER, EDGE = 6_000, 16_000, 2_500
"""Characters that are set before and after the place, and how near to their edge it may come."""

MOST_BEFORE, MOST_AFTER = 150, 300
"""Paragraphs that are set before and after the place: in a book of tiny ones they are what takes time."""

_WIDEST_EM = 36
_PLACE_MILLISECONDS = 120


class TextView(QWidget):
    """Shows a document's paragraphs; it is given them by position and never knows a file."""

    place_changed = Signal(int)
    """The position of the line at the top."""
    picture_wanted = Signal(str, int)
    """A file in the archive, and how wide its picture may be in pixels of the screen."""
    zoom_changed = Signal(float)
    note_chosen = Signal(str)
    """The name of a note whose mark was followed."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._source: Source | None = None
        self._length = 0
        self._zoom = 1.0
        self._paragraphs: list[Paragraph] = []
        self._marked: tuple[int, int] | None = None
        self._mark_colour = "mark"
        self._pictures = Pictures(theme)
        self._is_unheard = False
        self._brought: tuple[int, int] | None = None
        self._held: tuple[int, float] | None = None
        self._browser = Browser(self)
        self._overlay = Overlay(theme)
        self._sheet: Sheet | None = None
        self.note_words: Callable[[str], str] = lambda name: ""
        """The text of a note by its name; whoever opens a document says it."""
        self.copy_with_place: Callable[[int, int], None] = lambda start, end: None
        """Copies the words between two positions with where they stand; whoever opens a document says how."""
        self._document: QTextDocument | None = None
        self._bar = QScrollBar(Qt.Orientation.Vertical, self)
        self._place_timer = QTimer(self, interval=_PLACE_MILLISECONDS, singleShot=True)
        self._resize_timer = QTimer(self, interval=60, singleShot=True)
        self._build()

    def _build(self) -> None:
        self._browser.setAccessibleName(self.tr("Book"))
        self._bar.setAccessibleName(self.tr("Place in the book"))
        layout = QHBoxLayout(self)
        layout.setSpacing(0)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._browser)
        layout.addWidget(self._bar)
        self.setFocusProxy(self._browser)
        self._browser.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._browser.resizing.connect(self._on_resizing)
        self._browser.resized.connect(self._resize_timer.start)
        self._browser.zoomed.connect(self._on_zoomed)
        self._browser.moved.connect(self._on_moved)
        self._browser.released.connect(self._on_released)
        self._browser.link_chosen.connect(self._on_link_chosen)
        self._browser.tip_of = lambda link: self.note_words(note_of(link) or "")
        self._browser.paint_over = self._paint_over
        self._browser.add_to_menu = self._add_to_menu
        self._bar.valueChanged.connect(self._on_bar_moved)
        self._place_timer.timeout.connect(self._on_place_due)
        self._resize_timer.timeout.connect(self._on_resized)
        self._theme.changed.connect(self._on_theme_changed)

    # -- what it shows -------------------------------------------------------------------------------------------

    def open(self, source: Source, length: int, position: int = 0) -> None:
        """Show a document of so many characters at a position."""
        self._source, self._length, self._marked, self._held = source, length, None, None
        self._pictures.clear()
        self._set_around(position)

    def close_document(self) -> None:
        """Show nothing."""
        self._source, self._length = None, 0
        self._paragraphs, self._marked, self._held, self._sheet = [], None, None, None
        self._pictures.clear()
        self._browser.setExtraSelections([])
        self._browser.clear()
        self._bar.setRange(0, 0)

    @property
    def position(self) -> int:
        """The position that was brought to the top, or of the line that was scrolled there."""
        value = self._browser.verticalScrollBar().value()
        # A line begins elsewhere at another width: going by its beginning, each change would lead further up.
        if self._brought is not None and self._brought[0] == value:
            return self._brought[1]
        return self._position_at(value)

    @property
    def last_visible(self) -> int:
        """The position of the line at the bottom."""
        bar = self._browser.verticalScrollBar()
        return self._position_at(bar.value() + self._browser.viewport().height())

    def show_position(self, position: int, above: float = 0.0) -> None:
        """Bring a position to the top, or below it by a share of the height."""
        position = max(0, min(position, self._length))
        if not self._holds(position):
            self._set_around(position)
        self._scroll_to(position, above)
        self._move_window()

    @property
    def reading_position(self) -> int:
        """The position that a reader probably looks at: a fifth below the top."""
        height = self._browser.viewport().height()
        return self._position_at(self._browser.verticalScrollBar().value() + 0.2 * height)

    def mark(self, start: int, end: int, *, softly: bool = False) -> None:
        """Mark the words between two positions and show them, a little below the top; softly where they are many."""
        self._marked, self._mark_colour = (start, end), "accent_soft" if softly else "mark"
        visible = self._holds(start) and self.position <= start and end <= self.last_visible
        if not visible:
            self.show_position(start, above=0.12)
        self._paint_marks()

    def clear_marks(self) -> None:
        """Mark nothing."""
        self._marked = None
        self._paint_marks()

    @property
    def selected_text(self) -> str:
        """The words that are selected."""
        return self._browser.textCursor().selectedText().replace("\u2029", "\n\n").replace("\u2028", "\n")

    @property
    def selected_span(self) -> tuple[int, int] | None:
        """The positions between which words are selected."""
        found = self._sheet.selected(self._browser.textCursor()) if self._sheet is not None else None
        return (min(found), max(found)) if found is not None else None

    def select(self, start: int, end: int) -> None:
        """Select the words between two positions, where both are set."""
        over = self._sheet.cursor_over((start, end)) if self._sheet is not None else None
        if over is not None:
            self._browser.setTextCursor(over)

    def set_picture(self, member: str, image: QImage) -> None:
        """Give a picture that was wanted; a null image stands for one that cannot be shown."""
        if self._pictures.put(member, image):
            self._keeping_place(lambda: self._put_picture(member))

    # -- zoom ----------------------------------------------------------------------------------------------------

    @property
    def zoom(self) -> float:
        """How large letters are; 1 is as designed."""
        return self._zoom

    def set_zoom(self, zoom: float) -> None:
        """Make letters larger or smaller; the line at the top stays."""
        zoom = round(min(4.0, max(0.5, zoom)), 2)
        if zoom != self._zoom:
            self._zoom = zoom
            self._set_anew()
            self.zoom_changed.emit(zoom)

    # -- setting -------------------------------------------------------------------------------------------------

    def _set_around(self, position: int) -> None:
        """Set the paragraphs around a position and bring it to the top."""
        if self._source is None:
            return
        first, last = max(0, position - BEFORE), min(self._length, position + AFTER)
        found = self._source(first, last)
        at = bisect_right(found, position, key=lambda paragraph: paragraph.start)
        self._paragraphs = list(found[max(0, at - MOST_BEFORE) : at + MOST_AFTER])
        with self._unheard():
            self._fill()
        self._scroll_to(position)

    def _set_anew(self) -> None:
        """Set the same place again: the look or the width has changed."""
        if self._paragraphs:
            self._keeping_place(self._fill)

    def _fill(self) -> None:
        document = QTextDocument(self._browser)
        before = self._sheet
        selected = before.selected(self._browser.textCursor()) if before is not None else None
        wanted = [member for paragraph in self._paragraphs for member in self._pictures.ask(paragraph)]
        width = self._set_in(document)
        self._browser.setDocument(document)
        if self._document is not None:
            self._document.deleteLater()
        self._document = document
        self._finish_layout()
        if selected is not None:
            self.select(*selected)
        self._paint_marks()
        for member in wanted:
            self.picture_wanted.emit(member, int(width * self.devicePixelRatioF()))

    def _set_in(self, document: QTextDocument) -> float:
        """Set the paragraphs in an empty document. Returns the width of a line in pixels."""
        typesetter = Typesetter(self._theme, self._zoom)
        document.setDefaultFont(typesetter.body)
        document.setDocumentMargin(0)
        document.setUndoRedoEnabled(False)
        em = typesetter.em * self.logicalDpiY() / 72
        width = self._lay_margins(document, em)
        room = self._room(width)
        rows = rows_of(self._paragraphs, typesetter.small, width)
        pictures = self._dress(document, room)
        cursor = QTextCursor(document)
        settings: dict[int, Setting] = {}
        for paragraph in self._paragraphs:
            row = rows.get(paragraph.start)
            settings[paragraph.start] = typesetter.set(cursor, paragraph, pictures, room, em, row)
        self._sheet = Sheet(document, self._paragraphs, settings, rows)
        return width

    def _finish_layout(self) -> None:
        """Lay out everything now: Qt does so step by step, and its bar ends at a guess until the last step was told."""
        self._brought = None
        document = self._browser.document()
        document.pageCount()
        height = round(document.documentLayout().documentSize().height())
        self._browser.verticalScrollBar().setMaximum(max(0, height - self._browser.viewport().height()))

    def _lay_margins(self, document: QTextDocument, em: float) -> float:
        """Keep lines readable: at most so many letters wide, in the middle. Returns the width of a line in pixels."""
        room = self._browser.viewport().width()
        width = min(room - 2 * 28.0, _WIDEST_EM * em)
        margin = max(12.0, (room - width) / 2)
        frame = document.rootFrame().frameFormat()
        frame.setLeftMargin(margin)
        frame.setRightMargin(margin)
        frame.setTopMargin(28)
        frame.setBottomMargin(0.4 * self._browser.viewport().height())
        document.rootFrame().setFrameFormat(frame)
        return max(80.0, room - 2 * margin)

    def _dress(self, document: QTextDocument, room: QSizeF) -> dict[str, QImage]:
        return self._pictures.dress(document, room, BODY_POINTS * self._zoom, self.devicePixelRatioF())

    def _put_picture(self, member: str) -> None:
        document = self._browser.document()
        margins = document.rootFrame().frameFormat()
        width = self._browser.viewport().width() - margins.leftMargin() - margins.rightMargin()
        room = self._room(width)
        resize_pictures(QTextCursor(document), member, self._dress(document, room), room)
        self._finish_layout()

    def _room(self, width: float) -> QSizeF:
        """How large a picture may be: as wide as a line, and not much higher than half of the window."""
        return QSizeF(width, max(200.0, 0.62 * self._browser.viewport().height()))

    def _paint_marks(self) -> None:
        selections = []
        if self._marked is not None and self._sheet is not None:
            look = marked_format(self._theme.colour(self._mark_colour), self._theme.colour("text"))
            for start, end in self._sheet.spans_between(*self._marked):
                selection = QTextEdit.ExtraSelection()
                cursor = QTextCursor(self._browser.document())
                cursor.setPosition(start)
                cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
                selection.cursor, selection.format = cursor, look
                selections.append(selection)
        self._browser.setExtraSelections(selections)

    # -- positions and places ------------------------------------------------------------------------------------

    def _holds(self, position: int) -> bool:
        """Whether a position is set with enough around it; what stands at an edge could not be scrolled on from."""
        if not self._paragraphs:
            return False
        first, last = self._paragraphs[0].start, self._paragraphs[-1].end
        from_start = first <= 0 or position >= first + self._edge
        return from_start and (last >= self._length or position < last - self._edge)

    @property
    def _edge(self) -> int:
        """How near to the edge of what is set the place may come: less where little is set, in tiny paragraphs."""
        return min(EDGE, (self._paragraphs[-1].end - self._paragraphs[0].start) // 8)

    def _position_at(self, y: float) -> int:
        return self._sheet.position_at(y) if self._sheet is not None and self._paragraphs else 0

    def _top_of(self, position: int) -> float:
        return self._sheet.top_of(position) if self._sheet is not None else 0.0

    def _scroll_to(self, position: int, above: float = 0.0) -> None:
        if not self._paragraphs:
            return
        room = above * self._browser.viewport().height()
        self._held = None
        # At the very beginning the margin above belongs to the page.
        top = 0.0 if position <= 0 else self._top_of(position) - max(room, 2.0)
        self._scroll(top)
        if above == 0.0 and self._browser.verticalScrollBar().value() == max(0, round(top)):
            self._brought = self._browser.verticalScrollBar().value(), position
        self._tell_bar()

    def _place(self) -> tuple[int, float]:
        """The position at the top, and how many pixels of the way to it and beyond are scrolled past."""
        value = self._browser.verticalScrollBar().value()
        if value == 0 and self._paragraphs[0].start == 0:
            return 0, -math.inf  # What comes in at the very beginning (a cover) is to be seen.
        return self.position, value - self._top_of(self.position)

    def _return_to(self, place: tuple[int, float]) -> None:
        position, ahead = place
        self._scroll(max(0.0, self._top_of(position) + ahead))
        self._brought = self._browser.verticalScrollBar().value(), position
        self._tell_bar()

    def _keeping_place(self, change: Callable[[], object]) -> None:
        """Do something that moves lines, with the line at the top staying where it is."""
        place, self._held = self._held or (self._place() if self._paragraphs else None), None
        with self._unheard():
            change()
        if place is not None:
            self._return_to(place)

    def _scroll(self, top: float) -> None:
        """Scroll without being told of it by the bar."""
        with self._unheard():
            self._browser.verticalScrollBar().setValue(round(top))
        self._place_timer.start()

    @contextmanager
    def _unheard(self) -> Iterator[None]:
        """While the block runs the browser's bar moves by our own doing."""
        before, self._is_unheard = self._is_unheard, True
        try:
            yield
        finally:
            self._is_unheard = before

    # -- moving --------------------------------------------------------------------------------------------------

    def _on_scrolled(self, _: int) -> None:
        if self._is_unheard or self._held is not None or not self._paragraphs:
            return
        self._place_timer.start()
        self._tell_bar()
        if not self._browser.is_selecting:
            self._move_window()

    def _move_window(self) -> None:
        """Set other paragraphs when the place comes near the edge of those that are set."""
        if self._source is None or not self._paragraphs:
            return
        position, last = self.position, self.last_visible
        near_start = self._paragraphs[0].start > 0 and position < self._paragraphs[0].start + self._edge
        near_end = self._paragraphs[-1].end < self._length and last > self._paragraphs[-1].end - self._edge
        if near_start or near_end:
            place = self._place()
            self._set_around(position)
            self._return_to(place)

    def _tell_bar(self) -> None:
        self._bar.blockSignals(True)
        seen = max(1, self.last_visible - self.position)
        self._bar.setRange(0, max(0, self._length - seen))
        self._bar.setPageStep(seen)
        self._bar.setSingleStep(max(1, seen // 20))
        self._bar.setValue(self.position)
        self._bar.blockSignals(False)

    def _on_bar_moved(self, value: int) -> None:
        if not self._holds(value):
            self._set_around(value)
        self._scroll_to(value)
        self._move_window()

    def _on_released(self) -> None:
        self._move_window()

    def _on_moved(self, to_end: bool) -> None:
        self.show_position(self._length if to_end else 0)

    def _on_place_due(self) -> None:
        if self._paragraphs:
            self.place_changed.emit(self.position)

    def _on_resizing(self) -> None:
        # Qt sets the lines anew by itself and leaves the bar where it was, so the place is noted before.
        if self._held is None and self._paragraphs:
            self._held = self._place()

    def _on_resized(self) -> None:
        if self._paragraphs:
            self._keeping_place(self._fit_width)

    def _fit_width(self) -> None:
        if self._sheet is None or self._sheet.rows:
            self._fill()  # Where cells begin goes by the width.
            return
        document = self._browser.document()
        em = Typesetter(self._theme, self._zoom).em * self.logicalDpiY() / 72
        room = self._room(self._lay_margins(document, em))
        shown = self._dress(document, room)
        for member in shown:
            resize_pictures(QTextCursor(document), member, shown, room)
        self._finish_layout()

    def _on_link_chosen(self, link: str) -> None:
        name = note_of(link)
        if name is not None:
            self.note_chosen.emit(name)

    def _add_to_menu(self, menu: QMenu) -> None:
        span = self.selected_span
        action = menu.addAction(self.tr("Copy with &page"))
        action.setEnabled(span is not None)
        action.triggered.connect(lambda: self.copy_with_place(*span) if span is not None else None)

    def _paint_over(self, painter: QPainter, shown: QRectF) -> None:
        if self._sheet is not None:
            self._overlay.paint(painter, self._sheet, shown, self._zoom)

    def _on_zoomed(self, steps: int) -> None:
        self.set_zoom(self._zoom * 1.1**steps)

    def _on_theme_changed(self) -> None:
        self._set_anew()

    def sizeHint(self) -> QSize:
        return QSize(640, 720)
