"""The gist sidebar: how far the book is read and by whom, and the gist memory as a tree that follows the book.

The pane is told what a job does and emits what a person wants; it starts nothing itself. What must stay true: it always
says what can be done next, and following the book never takes the keyboard's place in the tree away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QProgressBar,
    QPushButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from readdesk.documents.model import Paragraph, Section
from readdesk.errors import ReadDeskError
from readdesk.gui import figures
from readdesk.gui.itemmodels.gistdelegate import GistDelegate
from readdesk.gui.itemmodels.gisttree import PAGE, PARAGRAPH, SECTION, GistTree, Role
from readdesk.gui.matters import left_out_words
from readdesk.gui.theme import Theme
from readdesk.jobs.events import Progress
from readdesk.library.model import PageRecord

NO_TEXT, NO_MODEL, UNREAD, WAITING, RUNNING, PAUSED, FAILED, PARTLY, COMPLETE = (
    *("no text", "no model", "unread", "waiting", "running", "paused", "failed", "partly", "complete"),
)


class Sidebar(QFrame):
    """Shows one document's gist memory and the work on it."""

    place_chosen = Signal(int, int)
    """Two positions: what to show in the book, marked."""
    started = Signal()
    paused = Signal()
    resumed = Signal()
    stopped = Signal()
    model_wanted = Signal()
    recognition_wanted = Signal()
    details_wanted = Signal()
    leaving_out_wanted = Signal(int, bool)
    """A section, and whether it and those beneath it are to be left out."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "pane")
        self._state = UNREAD
        self.tree = GistTree(self)
        self._words = QLabel()
        self._bar = QProgressBar()
        self._main = QPushButton()
        self._stop = QPushButton(self.tr("Stop"))
        self._expected = QLabel()
        self._left_out = QLabel()
        self._details = QPushButton(self.tr("Details\u2026"))
        self._view = TreeView()
        self._delegate = GistDelegate(theme, self._view)
        self._build()
        self._connect()

    def _build(self) -> None:
        for label, role in ((self._expected, ""), (self._left_out, "small"), (self._words, "small")):
            label.setProperty("role", role)
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar.setAccessibleName(self.tr("How much of the book is read"))
        self._details.setProperty("flat", True)
        self._details.setToolTip(self.tr("What is known about this book before it is read"))
        self._stop.setProperty("flat", True)
        buttons = QHBoxLayout()
        buttons.addWidget(self._main)
        buttons.addWidget(self._stop)
        buttons.addWidget(self._details)
        buttons.addStretch(1)
        head = QVBoxLayout()
        head.setContentsMargins(14, 12, 14, 10)
        head.setSpacing(7)
        for widget in (self._bar, self._expected, self._left_out, self._words):
            head.addWidget(widget)
        head.addLayout(buttons)
        line = QFrame()
        line.setProperty("role", "line")
        self._view.setModel(self.tree)
        self._view.setItemDelegate(self._delegate)
        self._view.setAccessibleName(self.tr("Gist memory: sections and pages"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(line)
        layout.addWidget(self._view, 1)

    def _connect(self) -> None:
        self._main.clicked.connect(self._on_main_clicked)
        self._stop.clicked.connect(self.stopped)
        self._details.clicked.connect(self.details_wanted)
        self._view.clicked.connect(self._on_row_chosen)
        self._view.activated.connect(self._on_row_chosen)
        self._view.customContextMenuRequested.connect(self._on_menu_requested)

    # -- a document ----------------------------------------------------------------------------------------------

    def open(
        self,
        sections: Sequence[Section],
        pages: Iterable[PageRecord],
        length: int,
        paragraphs: Callable[[int, int], Sequence[Paragraph]],
    ) -> None:
        """Show a document's sections and pages."""
        self.tree.open(sections, pages, length, paragraphs)
        if sum(1 for section in sections if section.level == 1) == 1:
            self._view.expand(self.tree.index(0, 0))

    def close_document(self) -> None:
        """Show nothing."""
        self.tree.close()

    def follow(self, position: int) -> None:
        """The book is at a position: unfold and show the page or section there."""
        index = self.tree.set_here(position)
        if index.isValid() and not self._view.hasFocus():
            self._view.reveal(index)

    def focus_tree(self) -> None:
        """Put the keyboard into the tree, on the row of the book's place."""
        self._view.setFocus()
        if not self._view.currentIndex().isValid() and self.tree.rowCount():
            self._view.setCurrentIndex(self.tree.index(0, 0))

    def light(self, pages: Iterable[int]) -> None:
        """Light up the pages that are looked up, and show the first."""
        numbers = list(pages)
        self.tree.light(numbers)
        for number in reversed(numbers):
            index = self.tree.index_of_page(number)
            if index.isValid():
                self._view.scrollTo(index)

    # -- the work ------------------------------------------------------------------------------------------------

    @property
    def state(self) -> str:
        """What the head of the pane says of the work."""
        return self._state

    def show_state(self, state: str, pages: int = 0, share: float = 0.0, model: str = "") -> None:
        """Say what has come of the book, and offer what can be done next."""
        self._state = state
        self._words.setText(self._words_of(state, pages, share, model))
        self._set_role(self._words, "bad" if state == FAILED else "small")
        self._offer(state)
        is_ahead = state in (UNREAD, NO_MODEL) and bool(self._expected.text())
        for widget in (self._expected, self._details):
            widget.setVisible(is_ahead)
        self._left_out.setVisible(is_ahead and bool(self._left_out.text()))
        self._bar.setVisible(state not in (NO_TEXT, NO_MODEL, UNREAD))
        self._bar.setValue(1000 if state == COMPLETE else int(share * 1000))

    def _words_of(self, state: str, pages: int, share: float, model: str) -> str:
        """What has come of the book, in a sentence."""
        words = {
            NO_TEXT: self.tr("This book has no text yet, so a model cannot read it. Recognise its text first."),
            NO_MODEL: self.tr("A model on this computer reads the book and writes a gist of every page."),
            UNREAD: self.tr(
                "{model} will read this book page by page and write a gist of each. You can read and ask meanwhile."
            ),
            WAITING: self.tr("Waiting for its turn\u2026"),
            RUNNING: "{read}",
            PAUSED: self.tr("Paused. {read}."),
            FAILED: self.tr("Stopped by an error. {read}."),
            PARTLY: self.tr("{read}, read by {model}."),
            COMPLETE: self.tr("Read to the end by {model}: {pages} with gists."),
        }[state]
        return words.format(model=model, pages=figures.pages(pages), read=self._read(pages, share))

    def _read(self, pages: int, share: float) -> str:
        return self.tr("{pages}, {share} % of the book").format(
            pages=figures.pages(pages), share=figures.percent(share)
        )

    def _offer(self, state: str) -> None:
        """Show the buttons for what can be done."""
        main = {
            NO_TEXT: self.tr("Recognise text\u2026"),
            NO_MODEL: self.tr("Get a model\u2026"),
            UNREAD: self.tr("Read this book"),
            WAITING: self.tr("Pause"),
            RUNNING: self.tr("Pause"),
            PAUSED: self.tr("Go on"),
            FAILED: self.tr("Try again"),
            PARTLY: self.tr("Read on"),
            COMPLETE: "",
        }[state]
        self._main.setText(main)
        self._main.setVisible(bool(main))
        self._main.setProperty("primary", state in (NO_TEXT, UNREAD, NO_MODEL, PARTLY, PAUSED))
        self._set_role(self._main, "")
        self._stop.setVisible(state in (RUNNING, PAUSED, WAITING))

    def show_expectation(self, effort: str, left_out: str = "") -> None:
        """What reading the book will take and what is left out, in words, for as long as nothing of it is read."""
        self._expected.setText(effort)
        self._left_out.setText(left_out)

    @staticmethod
    def _set_role(widget: QWidget, role: str) -> None:
        """Give a widget a role of the style sheet, which Qt looks at only when it is told to."""
        widget.setProperty("role", role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)

    def show_progress(self, event: Progress) -> None:
        """How far the job is."""
        share = event.share or 0.0
        self._bar.setValue(int(share * 1000))
        words = self._read(event.done, share)
        if event.seconds_left is not None:
            words += " \u00b7 " + self.tr("about {time} left").format(time=figures.duration(event.seconds_left))
        self._words.setText(words)

    def show_model(self, words: str) -> None:
        """What the model that reads the book runs on; "" while none is loaded for it."""
        for widget in (self._words, self._bar):
            widget.setToolTip(words)
            widget.setAccessibleDescription(words)

    def tell(self, words: str) -> None:
        """Say what is being done."""
        self._words.setText(words)

    def show_failure(self, error: ReadDeskError, pages: int, share: float) -> None:
        """The job has failed."""
        self.show_state(FAILED, pages, share)
        self._words.setText(error.words)

    def _on_main_clicked(self) -> None:
        signal = {NO_TEXT: self.recognition_wanted, NO_MODEL: self.model_wanted}
        signal |= {RUNNING: self.paused, WAITING: self.paused, PAUSED: self.resumed}
        signal.get(self._state, self.started).emit()

    # -- rows ----------------------------------------------------------------------------------------------------

    def _on_row_chosen(self, index: QModelIndex) -> None:
        start, length = index.data(Role.POSITION), index.data(Role.LENGTH)
        kind = index.data(Role.KIND)
        whole = kind in (PAGE, PARAGRAPH)
        self.place_chosen.emit(start, start + length if whole else start)

    def _on_menu_requested(self, place: QPoint) -> None:
        index = self._view.indexAt(place)
        text = index.data(Qt.ItemDataRole.DisplayRole) if index.isValid() else ""
        if not text:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        name = self.tr("Copy &gist") if index.data(Role.KIND) == PAGE else self.tr("&Copy text")
        menu.addAction(name, lambda: QApplication.clipboard().setText(text))
        if index.data(Role.KIND) == SECTION:
            menu.addSeparator()
            offer_leaving_out(menu, index, self.leaving_out_wanted.emit)
        menu.popup(self._view.viewport().mapToGlobal(place))


def offer_leaving_out(menu: QMenu, index: QModelIndex, choose: Callable[[int, bool], object]) -> None:
    """Put into a section's menu why it is left out, where it is, and the way to have it otherwise."""
    section, is_left_out = index.data(Role.SECTION), bool(index.data(Role.LEFT_OUT))
    if is_left_out:
        why = left_out_words(section)
        menu.addAction(f"{why[0].upper()}{why[1:]}").setEnabled(False)
    read = QCoreApplication.translate("Sidebar", "&Read this too")
    leave = QCoreApplication.translate("Sidebar", "&Leave out of gisting")
    menu.addAction(read if is_left_out else leave, partial(choose, section.index, not is_left_out))


class TreeView(QTreeView):
    """The tree, whose rows take new heights when its width changes."""

    def __init__(self) -> None:
        super().__init__()
        self.setUniformRowHeights(False)
        self.setVerticalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHeaderHidden(True)
        self.setIndentation(14)
        self.setExpandsOnDoubleClick(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalScrollBar().setSingleStep(24)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()

    def reveal(self, index: QModelIndex) -> None:
        """Unfold the sections above a row, and its own where it is one, and scroll to it if it is out of sight."""
        above = index
        while above.isValid():
            if above.data(Role.KIND) == SECTION and self.model().hasChildren(above):
                self.expand(above)
            above = above.parent()
        room = self.visualRect(index)
        if not room.isValid() or room.top() < 0 or room.bottom() > self.viewport().height():
            self.scrollTo(index, QTreeView.ScrollHint.PositionAtTop)
