"""An open book: gists on one side, the book in the middle, the chat on the other, and what ties them together.

A click on a page, a paragraph or a chip is a span of positions that the reader shows; the reader's position is what the
sidebar follows. Each of the three can be hidden and made wider. What must stay true: everything here is about the one
document that is open, and closing it leaves no job's events behind.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QTabWidget, QVBoxLayout, QWidget

from readdesk.desk import Desk
from readdesk.errors import ReadDeskError
from readdesk.gui import estimates
from readdesk.gui.asking import Asking
from readdesk.gui.bridge import Bridge
from readdesk.gui.dialogs.health import HealthDialog
from readdesk.gui.dialogs.textreading import CHOOSABLE, TextReadingDialog
from readdesk.gui.gisting import Gisting
from readdesk.gui.leafwork import LeafWork
from readdesk.gui.models import Models
from readdesk.gui.panes.chat import ChatPane
from readdesk.gui.panes.contents import ContentsPane
from readdesk.gui.panes.notes import NotesPane
from readdesk.gui.panes.sidebar import (
    COMPLETE,
    NO_MODEL,
    NO_TEXT,
    PARTLY,
    PAUSED,
    RUNNING,
    UNREAD,
    WAITING,
    Sidebar,
)
from readdesk.gui.reader.place import ReaderPlace
from readdesk.gui.theme import Theme
from readdesk.gui.widgets.textstate import TextStateStrip
from readdesk.jobs.events import Done, PageBegun, Progress
from readdesk.library.model import DocumentRecord, Highlight, PageRecord

_WIDTHS = (330, 760, 370)


class BookPlace(QSplitter):
    """The three places of an open book."""

    failed = Signal(object)
    """A ReadDeskError."""
    model_wanted = Signal()
    recognition_chosen = Signal(object, object)
    """A DocumentRecord and the RecognitionChoice for it."""
    reading_chosen = Signal(object, object)
    """A DocumentRecord and the Choices that its file is to be read with."""

    def __init__(
        self, desk: Desk, bridge: Bridge, theme: Theme, gisting: Gisting, models: Models, parent: QWidget | None = None
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._desk = desk
        self._bridge = bridge
        self._theme = theme
        self._gisting = gisting
        self._models = models
        self.record: DocumentRecord | None = None
        self._pages: dict[int, PageRecord] = {}
        self._failure: ReadDeskError | None = None
        self._has_pages = False
        self.sidebar = Sidebar(theme)
        self.contents = ContentsPane(theme)
        self.notes = NotesPane(theme)
        self.text_state = TextStateStrip(theme)
        self.side = QTabWidget()
        self.reader = ReaderPlace(desk, bridge, theme)
        self.leaf_work = LeafWork(desk, bridge, theme, self.reader, self)
        self._finding: int | None = None
        self._quiet: set[int] = set()
        """The documents of which a person has heard what they lack."""
        self.chat = ChatPane(theme)
        self._asking = Asking(desk, bridge, self.chat, self)
        self._build()
        self._connect()

    def _build(self) -> None:
        self.side.setDocumentMode(True)
        self.side.setAccessibleName(self.tr("Gists, contents and notes"))
        self.side.tabBar().setDrawBase(False)
        self.side.addTab(self.sidebar, self.tr("Gists"))
        self.side.addTab(self.contents, self.tr("Contents"))
        self.side.addTab(self.notes, self.tr("Notes"))
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.text_state)
        column.addWidget(self.reader, 1)
        for widget, width in ((self.side, 220), (middle, 320), (self.chat, 260)):
            widget.setMinimumWidth(width)
            self.addWidget(widget)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(1)
        self.setStretchFactor(0, 0)
        self.setStretchFactor(1, 1)
        self.setStretchFactor(2, 0)
        self.setSizes(list(_WIDTHS))

    def _connect(self) -> None:
        self.sidebar.place_chosen.connect(self._on_place_chosen)
        self.sidebar.started.connect(self.read_on)
        self.sidebar.paused.connect(self.pause_or_resume)
        self.sidebar.resumed.connect(self.pause_or_resume)
        self.sidebar.stopped.connect(self.stop_reading)
        self.sidebar.model_wanted.connect(self.model_wanted)
        self.sidebar.details_wanted.connect(self.show_details)
        self.contents.section_chosen.connect(self.reader.jump_to_section)
        for pane in (self.sidebar, self.contents):
            pane.leaving_out_wanted.connect(self.leave_out)
        self.notes.chosen.connect(self.show_highlight)
        self.notes.removal_wanted.connect(self.remove_highlight)
        self.text_state.wanted.connect(self.leaf_work.ask_recognition)
        self.text_state.closed.connect(self._on_text_state_closed)
        self.sidebar.recognition_wanted.connect(self.leaf_work.ask_recognition)
        self.leaf_work.relabelled.connect(self._show_pages_of_leaves)
        self.leaf_work.recognition_chosen.connect(self.recognition_chosen)
        self.leaf_work.failed.connect(self.failed)
        self.reader.position_changed.connect(self._on_position_changed)
        self.reader.view_changed.connect(self._on_view_changed)
        self.reader.failed.connect(self.failed)
        self.chat.page_chosen.connect(self.show_page)
        self.chat.hint_chosen.connect(self._on_hint_chosen)
        self._asking.looked_up.connect(self.sidebar.light)
        self._asking.failed.connect(self.failed)
        self._asking.model_ready.connect(self._models.warn_of)
        self._gisting.changed.connect(self._on_gisting_changed)
        self._gisting.page_begun.connect(self._on_page_begun)
        self._gisting.page_kept.connect(self._on_page_kept)
        self._gisting.progressed.connect(self._on_progressed)
        self._gisting.failed.connect(self._on_gisting_failed)
        self._models.changed.connect(self.refresh_state)

    # -- the document --------------------------------------------------------------------------------------------

    def open(self, record: DocumentRecord) -> None:
        """Show a document with its gists and its questions."""
        if record == self.record:
            return
        if self.record is not None and self.record.id == record.id:
            self.reader.forget_place()  # Another text: its place is where the library has moved it to.
        self.close_document()
        self.record = record
        self.leaf_work.open(record)
        self._show_pages()
        self.contents.open(self._desk.sections(record), record.characters)
        self.contents.set_pages(self.reader.page_of)
        self._show_notes()
        self._asking.open(record, len(self._pages))
        self.refresh_state()
        self.reader.open(record)

    def _show_pages(self) -> None:
        """Show the gist memory as the library has it."""
        record = self.record
        assert record is not None
        pages = self._desk.pages(record)
        self._pages = {item.page.number: item for item in pages}
        self.chat.recognised.clear()
        self.chat.recognised.update(number for number, item in self._pages.items() if item.is_recognised)
        paragraphs = partial(self._desk.paragraphs, record)
        self.sidebar.open(self._desk.sections(record), pages, record.characters, paragraphs)
        job = self._gisting.job(record.id)
        for begun in job.working if job is not None else ():
            self.sidebar.tree.set_working(begun.number, begun.start, joins=begun.joins)

    def close_document(self) -> None:
        """Show nothing; jobs go on."""
        if self.record is None:
            return
        self.reader.close_document()
        self._asking.close_document()
        self.sidebar.close_document()
        self.contents.close_document()
        self._bridge.forget(self._finding)
        self.notes.show_notes(())
        self.leaf_work.close_document()
        self.record, self._pages, self._failure = None, {}, None

    def show_page(self, number: int) -> None:
        """Show a page of the gist memory in the book, marked."""
        item = self._pages.get(number)
        if item is not None:
            self.reader.jump_to_span(item.page.start, item.page.end)

    def show_highlight(self, highlight: Highlight) -> None:
        """Show what is marked in the book."""
        if highlight.start is not None and highlight.end is not None and highlight.start < highlight.end:
            self.reader.jump_to_span(highlight.start, highlight.end)
        else:
            self.reader.jump_to_anchor(highlight.anchor)

    def remove_highlight(self, highlight: Highlight) -> None:
        """Remove a highlight or note from the library; a file keeps its own."""
        try:
            self._desk.remove_highlight(highlight.id)
        except ReadDeskError as error:
            self.failed.emit(error)
        self.notes.remove(highlight)

    def _show_notes(self) -> None:
        """Show highlights and notes when they are there: twenty thousand of them take a while."""
        self._bridge.forget(self._finding)
        self._finding = self._desk.find_highlights(self.record) if self.record is not None else None
        if self._finding is not None:
            page_of = self.leaf_work.page_of
            self._bridge.follow(self._finding, {Done: lambda event: self.notes.show_notes(event.result, page_of)})

    def _show_pages_of_leaves(self) -> None:
        """Leaves are called otherwise than before, here and in what is told of the document."""
        if self.record is not None:
            self.record = self._desk.find(str(self.record.id))
            self.leaf_work.record = self.record
            self.contents.set_pages(self.reader.page_of)
            self._show_notes()

    def _on_view_changed(self) -> None:
        if self.reader.can_show_leaves and not self._has_pages:
            self.contents.set_pages(self.reader.page_of)  # Only now is it known which text stands on which leaf.
        self._has_pages = self.reader.can_show_leaves

    def step_page(self, step: int) -> None:
        """Show the next or the previous page of the gist memory."""
        position = self.reader.position
        starts = sorted((item.page.start, number) for number, item in self._pages.items())
        if step > 0:
            found = next((number for start, number in starts if start > position), None)
        else:
            found = next((number for start, number in reversed(starts) if start < position), None)
        if found is not None:
            self.reader.show_position(self._pages[found].page.start)

    def show_details(self) -> None:
        """Show what is known about the book before it is read."""
        if self.record is not None:
            report = self._desk.health(self.record)
            files = self._desk.attachments(self.record)
            report = replace(report, leaves=self.leaf_work.leaves, attachments=files)
            dialog = HealthDialog(report, self._theme, self.window())
            dialog.leaf_shown.connect(self.reader.jump_to_leaf)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.open()

    def choose_text_reading(self) -> None:
        """Ask how the text file that is open is to be read."""
        if self.record is None or self.record.format not in CHOOSABLE:
            return
        record = self.record
        dialog = TextReadingDialog(record, self._desk, self._bridge, self._theme, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(lambda choices: self.reading_chosen.emit(record, choices))
        dialog.open()

    def leave_out(self, section: int, is_left_out: bool) -> None:
        """Leave a section and those beneath it out of gisting, or take them in."""
        if self.record is None:
            return
        try:
            self._desk.leave_out(self.record.id, section, is_left_out)
        except ReadDeskError as error:
            self.failed.emit(error)
        sections = self._desk.sections(self.record)
        self.sidebar.tree.set_sections(sections)
        self.contents.set_sections(sections)
        self.refresh_state()

    def _on_place_chosen(self, start: int, end: int) -> None:
        if end > start:
            self.reader.jump_to_span(start, end)
        else:
            self.reader.jump_to(start)

    def _on_position_changed(self, position: int) -> None:
        self.sidebar.follow(position)
        self.contents.follow(position)

    # -- reading -------------------------------------------------------------------------------------------------

    def read_on(self) -> None:
        """Start reading this book with a model, or go on."""
        self._start_reading("")

    def read_again(self) -> None:
        """Read this book with the model that is chosen for new books."""
        chosen = self._models.default()
        self._start_reading(chosen.name if chosen is not None else "")

    def _start_reading(self, model: str) -> None:
        if self.record is None:
            return
        if self.has_no_text:
            self.leaf_work.ask_recognition()
            return
        if self._models.default() is None:
            self.model_wanted.emit()
            return
        self._failure = None
        try:
            self._gisting.start(self.record, model)
        except ReadDeskError as error:
            self.failed.emit(error)

    def pause_or_resume(self) -> None:
        """Let the reading of this book rest, or go on."""
        if self.record is not None:
            self._gisting.pause_or_resume(self.record.id)

    def stop_reading(self) -> None:
        """End the reading of this book."""
        if self.record is not None:
            self._gisting.stop(self.record.id)

    @property
    def has_no_text(self) -> bool:
        """Whether the book that is open holds no word that a model could read."""
        return self.record is not None and not self.record.words

    def show_text_state(self, is_at_work: bool) -> None:
        """Say what keeps the book from being read, unless that is being mended."""
        words = self.leaf_work.state_words if self.record is not None and not is_at_work else ""
        is_heard = self.record is not None and self.record.id in self._quiet and not self.has_no_text
        self.text_state.show_state("" if is_heard else words, is_grave=self.has_no_text)

    def _on_text_state_closed(self) -> None:
        if self.record is not None:
            self._quiet.add(self.record.id)
            self.text_state.show_state("")

    def refresh_state(self) -> None:
        """Say anew what has come of the book and what can be done."""
        if self.record is None:
            return
        pages = sum(1 for item in self._pages.values() if item.gist is not None)
        share = self._share()
        job = self._gisting.job(self.record.id)
        model = next(iter(self._desk.gist_models(self.record)), "")
        default = self._models.default()
        if job is not None:
            state = PAUSED if job.paused else RUNNING if job.started else WAITING
            model = job.model
        elif self.has_no_text:
            state = NO_TEXT
        elif pages:
            state = COMPLETE if share >= 1 else PARTLY
        else:
            state = UNREAD if default is not None else NO_MODEL
            model = default.title if default is not None else ""
            report = self._desk.health(self.record)
            self.sidebar.show_expectation(
                self.tr("{words} to read. {effort}.").format(
                    words=estimates.read_words(report), effort=estimates.effort_words(report)
                ),
                estimates.left_out_summary(report.sections),
            )
        self.sidebar.show_state(state, pages, share, model)
        self.sidebar.show_model(job.model_words if job is not None else "")
        if state == RUNNING and job is not None and job.progress is not None:
            self.sidebar.show_progress(job.progress)
        if job is None and self._failure is not None:
            self.sidebar.show_failure(self._failure, pages, share)
        self._hint_at_questions(pages, state)

    def _share(self) -> float:
        """How much of what is not left out has gists."""
        if self.record is None or not self._pages:
            return 0.0
        missing = any(item.gist is None for item in self._pages.values())
        share = self.sidebar.tree.share
        return min(share, 0.99) if missing else share

    def _hint_at_questions(self, pages: int, state: str) -> None:
        """Say why nothing can be asked, while that is so."""
        if pages:
            self.chat.set_hint("", "")
        elif state == NO_TEXT and self.leaf_work.state_words:
            words = self.tr("This book has no text yet, so nothing can be asked. Recognise its text first.")
            self.chat.set_hint(words, self.tr("Recognise text\u2026"))
        elif state == NO_TEXT:
            self.chat.set_hint(self.tr("This book holds no words, so nothing can be asked."), "")
        elif state == NO_MODEL:
            self.chat.set_hint(self.tr("To ask this book, a model must read it first."), self.tr("Get a model\u2026"))
        elif state == UNREAD:
            self.chat.set_hint(self.tr("Let the model read some pages first, then ask."), self.tr("Read this book"))
        else:
            self.chat.set_hint(self.tr("The first page is being read; then you can ask."), "")

    def _on_hint_chosen(self) -> None:
        if self.has_no_text:
            self.leaf_work.ask_recognition()
        elif self._models.default() is None:
            self.model_wanted.emit()
        else:
            self.read_on()

    # -- what gisting tells --------------------------------------------------------------------------------------

    def _is_shown(self, document: int) -> bool:
        return self.record is not None and self.record.id == document

    def _on_gisting_changed(self, document: int) -> None:
        if not self._is_shown(document):
            return
        job = self._gisting.job(document)
        if (job is None and self._failure is None) or (job is not None and (job.paused or not job.working)):
            self.sidebar.tree.set_idle()
        self.refresh_state()
        if job is not None and job.started and not job.paused and job.progress is None:
            is_ready = job.info is not None
            self.sidebar.tell(self.tr("Reading\u2026") if is_ready else self.tr("Loading the model and reading\u2026"))

    def _on_page_begun(self, document: int, event: PageBegun) -> None:
        if self._is_shown(document):
            self.sidebar.tree.set_working(event.number, event.start, joins=event.joins)

    def _on_page_kept(self, document: int, page: PageRecord) -> None:
        if not self._is_shown(document):
            return
        is_first = not self._pages
        known = self._pages.get(page.page.number)
        if known is not None and known.page.start != page.page.start:
            self._show_pages()  # It fills a gap: those behind it have other numbers now.
            return
        self._pages[page.page.number] = page
        if page.is_recognised:
            self.chat.recognised.add(page.page.number)
        self.sidebar.tree.set_page(page)
        if is_first:
            self._hint_at_questions(1, RUNNING)

    def _on_progressed(self, document: int, event: Progress) -> None:
        job = self._gisting.job(document)
        if self._is_shown(document) and job is not None and not job.paused:
            self.sidebar.show_progress(event)

    def _on_gisting_failed(self, document: int, error: ReadDeskError) -> None:
        if self._is_shown(document):
            self._failure = error
            job = self._gisting.job(document)
            if job is not None and job.working:
                self.sidebar.tree.set_failed(job.working[0].number, job.working[0].start, error.message)
