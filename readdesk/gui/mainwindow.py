"""The window: start page or open book in the middle, messages above, work below, and the menus.

It puts together what others do: files come in through Files, models through Models, reading through Gisting, and the
open book lives in BookPlace. What must stay true: it asks the desk only for what answers at once or comes as events,
and closing it at any moment loses nothing that was finished.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import (
    QActionGroup,
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
)
from PySide6.QtWidgets import (
    QDialog,
    QInputDialog,
    QMainWindow,
    QMenu,
    QMessageBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

import readdesk
from readdesk.desk import Desk
from readdesk.documents.model import Choices, has_leaves
from readdesk.errors import ReadDeskError
from readdesk.gui.actions import Actions
from readdesk.gui.bookplace import BookPlace
from readdesk.gui.bridge import Bridge
from readdesk.gui.choosing import Choosing
from readdesk.gui.dialogs.textreading import CHOOSABLE
from readdesk.gui.files import Files
from readdesk.gui.gisting import Gisting
from readdesk.gui.layoutkeeping import SIZE, keep_layout, restore_layout
from readdesk.gui.models import STARTER, Models
from readdesk.gui.outside import offer_address
from readdesk.gui.panes.start import StartPage
from readdesk.gui.readingstrips import ReadingStrips
from readdesk.gui.recognising import Recognising
from readdesk.gui.theme import SCHEMES, Theme
from readdesk.gui.toolbar import ToolBar
from readdesk.gui.widgets.drophint import DropHint
from readdesk.gui.widgets.strips import MessageStrip, Strips
from readdesk.library.model import DocumentRecord
from readdesk.paths import resource

_SHELF_MILLISECONDS = 800
HANDBOOK = "handbook.epub"


class MainWindow(QMainWindow):
    """One window over one desk."""

    def __init__(self, desk: Desk, bridge: Bridge, theme: Theme) -> None:
        super().__init__()
        self._desk = desk
        self._theme = theme
        self._password: QInputDialog | None = None
        self._shown_count = self._awaited = 0
        self._choosing = Choosing(self)
        self.strips = Strips(theme)
        self.messages = MessageStrip(theme)
        self.files = Files(desk, bridge, self.strips, self)
        self.models = Models(desk, bridge, self.strips, self)
        self.gisting = Gisting(desk, bridge, self)
        self.recognising = Recognising(desk, bridge, self.strips, self)
        self.reading_strips = ReadingStrips(self.gisting, self.strips, self)
        self.start = StartPage(theme)
        self.book = BookPlace(desk, bridge, theme, self.gisting, self.models)
        self.places = QStackedWidget()
        self.actions_ = Actions(self, theme, self._verbs())
        self.tools = ToolBar(self.actions_)
        self._shelf_timer = QTimer(self, interval=_SHELF_MILLISECONDS, singleShot=True)
        self._drop_hint = DropHint(theme, self)
        self._build()
        self._connect()
        restore_layout(desk, self, self.book)
        self.show_library()

    # -- building ------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.setWindowTitle("ReadDesk")
        self.setAcceptDrops(True)
        self.resize(*SIZE)
        self.places.addWidget(self.start)
        self.places.addWidget(self.book)
        middle = QWidget()
        layout = QVBoxLayout(middle)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.messages)
        layout.addWidget(self.places, 1)
        layout.addWidget(self.strips)
        self.setCentralWidget(middle)
        self.addToolBar(self.tools)
        menus = self.actions_.fill(self.menuBar())
        self._add_themes(menus["view"])
        self._model_menu = menus["model"]

    def _add_themes(self, menu: QMenu) -> None:
        menu.addSeparator()
        themes = menu.addMenu(self.tr("&Colours"))
        names = {"system": self.tr("As the &system"), "light": self.tr("&Light"), "dark": self.tr("&Dark")}
        group = QActionGroup(themes)
        for choice in SCHEMES:
            action = themes.addAction(names[choice])
            action.setCheckable(True)
            action.setChecked(self._desk.option("window.theme") == choice)
            action.setActionGroup(group)
            action.triggered.connect(lambda _, choice=choice: self._on_theme_chosen(choice))

    def _verbs(self) -> dict[str, Callable[[], None]]:
        """What each action does."""
        book = self.book
        return {
            "open": self.choose_files,
            "library": self.show_library,
            "export": self.choose_export,
            "close": self.show_library,
            "quit": self._on_quit,
            "sidebar": lambda: self._show_place(self.book.side, self.actions_["sidebar"].isChecked()),
            "chat": lambda: self._show_place(self.book.chat, self.actions_["chat"].isChecked()),
            "zoom_in": book.reader.zoom_in,
            "zoom_out": book.reader.zoom_out,
            "zoom_usual": book.reader.zoom_usual,
            "fit_leaf": book.reader.leaves.fit_leaf,
            "as_text": self._on_as_text,
            "back": book.reader.go_back,
            "forward": book.reader.go_forward,
            "next_page": lambda: book.step_page(1),
            "previous_page": lambda: book.step_page(-1),
            "go_to_leaf": self.choose_leaf,
            "leaf_links": self._on_leaf_links,
            "to_book": book.reader.focus_view,
            "to_gists": self._on_to_gists,
            "to_notes": self._on_to_notes,
            "to_question": self._on_to_question,
            "read_on": book.read_on,
            "pause": book.pause_or_resume,
            "stop": book.stop_reading,
            "read_again": book.read_again,
            "details": book.show_details,
            "model_view": book.leaf_work.show_model_view,
            "page_number": book.leaf_work.ask_page_number,
            "recognise": book.leaf_work.ask_recognition,
            "text_reading": book.choose_text_reading,
            "handbook": self.open_handbook,
            "about": self._on_about,
        }

    def _connect(self) -> None:
        self.start.document_chosen.connect(self._on_document_chosen)
        self.start.open_wanted.connect(self.choose_files)
        self.start.starter_wanted.connect(lambda: self.models.fetch(STARTER))
        self.start.own_model_wanted.connect(self.choose_model_file)
        self.files.added.connect(self._on_added)
        self.files.reread.connect(self._on_reread)
        self.files.exported.connect(self._on_exported)
        self.book.reading_chosen.connect(self._on_reading_chosen)
        self.book.recognition_chosen.connect(self.recognising.start)
        self.recognising.changed.connect(self._on_recognising_changed)
        self.recognising.recognised.connect(self._on_reread)
        for teller in (self.files, self.models, self.book, self.recognising):
            teller.failed.connect(self.messages.show_error)
        self.models.changed.connect(self._on_models_changed)
        self.models.arrived.connect(self._on_model_arrived)
        self.models.warned.connect(self.messages.show_warning)
        self.gisting.model_ready.connect(self.models.warn_of)
        self.models.file_wanted.connect(self.choose_model_file)
        self.book.model_wanted.connect(self._on_model_wanted)
        self.book.reader.password_needed.connect(self._on_password_needed)
        self.book.reader.view_changed.connect(self._on_view_changed)
        self.book.reader.address_chosen.connect(partial(offer_address, self.messages))
        self.book.reader.position_changed.connect(lambda _: self._show_page())
        self.tools.page.chosen.connect(self._on_leaf_chosen)
        self.tools.page.left.connect(self.book.reader.focus_view)
        self.gisting.changed.connect(self._on_gisting_changed)
        self.gisting.page_kept.connect(lambda *_: self._shelf_timer.start())
        self.gisting.failed.connect(self._on_gisting_failed)
        self._model_menu.aboutToShow.connect(lambda: self.models.fill(self._model_menu))
        self._shelf_timer.timeout.connect(self._refresh_shelf)

    # -- the library ---------------------------------------------------------------------------------------------

    def show_library(self) -> None:
        """Show the start page; an open book is closed, its jobs go on."""
        self._forget_password()
        self.book.close_document()
        self.places.setCurrentWidget(self.start)
        self.actions_.allow_book(False)
        for name in ("sidebar", "chat"):
            self.actions_[name].setEnabled(False)
            self.actions_[name].setChecked(False)
        self.tools.show_title("")
        self._on_view_changed()
        self.setWindowTitle("ReadDesk")
        self._refresh_shelf()
        self._on_models_changed()
        self.reading_strips.show_document(None)
        self.start.focus_list()

    def open_document(self, record: DocumentRecord) -> None:
        """Open a book of the library where it was left."""
        self._shown_count += 1
        self._forget_password()
        self.places.setCurrentWidget(self.book)
        self.actions_.allow_book(True)
        for name, place in (("sidebar", self.book.side), ("chat", self.book.chat)):
            self.actions_[name].setEnabled(True)
            self.actions_[name].setChecked(not place.isHidden())
        self.book.open(record)
        self.tools.show_title(record.title)
        self.setWindowTitle(f"{record.title} \u2013 ReadDesk")
        self._on_view_changed()
        self._on_recognising_changed(record.id)
        self.reading_strips.show_document(record.id)
        self.book.reader.focus_view()

    def _on_document_chosen(self, record: DocumentRecord) -> None:
        self.messages.hide()
        self.open_document(record)

    def open_files(self, paths: list[Path]) -> None:
        """Add files and open the last one when it is there, unless another book was opened meanwhile."""
        self._awaited = self._shown_count
        self.book.reader.keep_place()  # Where one of them is the open book in a new version, its place moves with it.
        self.files.add(paths)

    def open_handbook(self) -> None:
        """Open the handbook, which is added where the library lacks it."""
        self.files.add([resource(HANDBOOK)])

    def add_handbook(self, *, opened: bool) -> None:
        """Put the handbook into a library that has nothing yet."""
        if not self._desk.documents():
            self.files.add([resource(HANDBOOK)], opened=opened)

    def _refresh_shelf(self) -> None:
        if self.places.currentWidget() is self.start:
            self.start.show_shelf(self._desk.shelf())

    def _on_added(self, record: DocumentRecord, opened: bool) -> None:
        self._refresh_shelf()
        if self._is_open(record):
            self._on_reread(record)
            self._awaited = self._shown_count
        elif opened and self._awaited != self._shown_count:
            words = self.tr("\u201c{title}\u201d is in the library.").format(title=record.title)
            self.messages.show_words(words, self.tr("Open"), lambda: self.open_document(record))
        elif opened:
            self.messages.hide_news()
            self.open_document(record)
            self._awaited = self._shown_count
            self._tell_notes(record)

    def _on_reading_chosen(self, record: DocumentRecord, choices: Choices) -> None:
        self.book.reader.keep_place()
        self.files.read_again(record, choices)

    def _on_reread(self, record: DocumentRecord) -> None:
        """A document has another text, or may have one."""
        self._refresh_shelf()
        if self._is_open(record) and record != self.book.record:
            self.open_document(record)
            self._tell_notes(record)

    def _is_open(self, record: DocumentRecord) -> bool:
        return self.book.record is not None and self.book.record.id == record.id

    def _tell_notes(self, record: DocumentRecord) -> None:
        """Say what is worth knowing of a file, with a way to choose otherwise where its encoding was guessed."""
        if not record.notes or not self.messages.isHidden():
            return
        words = " ".join(record.notes)
        is_guessed = record.format in CHOOSABLE and not record.choices.encoding and record.encoding in words
        if is_guessed:
            self.messages.show_words(words, self.tr("Change\u2026"), self.actions_["text_reading"].trigger)
        else:
            self.messages.show_words(words)

    # -- choosing ------------------------------------------------------------------------------------------------

    def choose_files(self) -> None:
        """Ask which files to open."""
        self._choosing.files(self.open_files)

    def choose_model_file(self) -> None:
        """Ask for a model file."""
        self._choosing.model_file(self.models.add_file)

    def choose_export(self) -> None:
        """Ask where the gists of the open book go."""
        record = self.book.record
        if record is not None:
            self._choosing.export(record, lambda path: self.files.export(record, path))

    def choose_leaf(self) -> None:
        """Ask for a page by its printed label, or for a leaf by its number."""
        names = self.book.reader.leaf_names()
        if names:
            self._choosing.page(names, self._on_leaf_chosen, has_leaves=self.book.reader.leaf is not None)

    def _on_leaf_chosen(self, words: str) -> None:
        if not self.book.reader.show_leaf_named(words.strip()):
            self.messages.show_error(
                ReadDeskError(
                    self.tr("No page is called \u201c{name}\u201d.").format(name=words.strip()),
                    self.tr("Give a printed label or a number."),
                )
            )

    # -- what the parts tell -------------------------------------------------------------------------------------

    def _on_exported(self, target: object) -> None:
        self.messages.show_words(self.tr("The gists are in {file}.").format(file=target))

    def _on_models_changed(self) -> None:
        if self.models.default() is not None:
            self.start.first_run.hide()
        elif self.models.is_fetching(STARTER):
            self.start.first_run.show_fetching()
        elif not self.start.first_run.is_put_off:
            self.start.first_run.offer(self.models.starter_size())

    def _on_model_arrived(self, name: str) -> None:
        words = self.tr("The model {name} is ready to read.").format(name=name)
        if self.book.record is not None and self.gisting.job(self.book.record.id) is None:
            self.messages.show_words(words, self.tr("Read this book"), self.book.read_on)
        else:
            self.messages.show_words(words)

    def _on_model_wanted(self) -> None:
        """Offer the ways to a model, wherever that was asked for."""
        if self.models.is_fetching(STARTER):
            self.messages.show_words(self.tr("The starter model is on its way; reading can begin when it is here."))
            return
        size = self.models.starter_size()
        self._choosing.model(size, lambda: self.models.fetch(STARTER), self.choose_model_file)

    def _on_password_needed(self, record: DocumentRecord, words: str) -> None:
        self._forget_password()
        dialog = self.files.ask_password(ReadDeskError(words), self.book.reader.open_leaves)
        dialog.rejected.connect(self.book.reader.show_as_text)
        dialog.finished.connect(self._on_password_ended)
        self._password = dialog

    def _on_password_ended(self) -> None:
        self._password = None

    def _forget_password(self) -> None:
        """The dialog asks for the book that was open: it goes with it, and acts on no other."""
        if self._password is not None:
            dialog, self._password = self._password, None
            dialog.blockSignals(True)
            dialog.hide()
            dialog.deleteLater()

    def _on_view_changed(self) -> None:
        reader = self.book.reader
        self.tools.show_zoom(reader.zoom if self.book.record is not None else None)
        is_of_leaves = self.book.record is not None and has_leaves(self.book.record.format)
        self.actions_["as_text"].setEnabled(is_of_leaves and reader.can_show_leaves)
        self.actions_["as_text"].setChecked(is_of_leaves and not reader.shows_leaves)
        self.actions_["fit_leaf"].setEnabled(reader.shows_leaves and is_of_leaves)
        self.actions_["go_to_leaf"].setEnabled(bool(reader.leaf_names()))
        self.actions_["leaf_links"].setEnabled(reader.leaf is not None)
        record = self.book.record
        self.actions_["text_reading"].setEnabled(record is not None and record.format in CHOOSABLE)
        for name in ("model_view", "page_number"):
            self.actions_[name].setEnabled(self.book.leaf_work.leaf is not None)
        self.actions_["recognise"].setEnabled(bool(self.book.leaf_work.leaves))
        self.actions_["back"].setEnabled(reader.can_go_back)
        self.actions_["forward"].setEnabled(reader.can_go_forward)
        self._show_page()

    def _show_page(self) -> None:
        """Say which page is shown: the printed one, where that is known, and the leaf."""
        self.tools.show_page(self.book.reader)

    def _on_as_text(self) -> None:
        if self.actions_["as_text"].isChecked():
            self.book.reader.show_as_text()
        else:
            self.book.reader.show_as_leaves()

    def _on_leaf_links(self) -> None:
        leaf = self.book.reader.leaf
        if leaf is not None:
            self.book.reader.pointer.list_links(leaf, self.book.reader.names.words(leaf), self)

    def _on_theme_chosen(self, choice: str) -> None:
        self._theme.choose(choice)
        try:
            self._desk.set_option("window.theme", choice)
        except ReadDeskError as error:
            self.messages.show_error(error)

    def _on_recognising_changed(self, document: int) -> None:
        if self.book.record is not None and self.book.record.id == document:
            self.book.show_text_state(self.recognising.is_at_work(document))

    def _on_gisting_changed(self, _: int) -> None:
        self._shelf_timer.start()

    def _on_gisting_failed(self, document: int, error: ReadDeskError) -> None:
        if self.book.record is None or self.book.record.id != document:
            self.messages.show_error(error)

    # -- places --------------------------------------------------------------------------------------------------

    def _show_place(self, place: QWidget, shown: bool) -> None:
        place.setVisible(shown)

    def _on_to_gists(self) -> None:
        self.actions_["sidebar"].setChecked(True)
        self.book.side.show()
        self.book.side.setCurrentWidget(self.book.sidebar)
        self.book.sidebar.focus_tree()

    def _on_to_notes(self) -> None:
        self.actions_["sidebar"].setChecked(True)
        self.book.side.show()
        self.book.side.setCurrentWidget(self.book.notes)
        self.book.notes.focus_list()

    def _on_to_question(self) -> None:
        self.actions_["chat"].setChecked(True)
        self.book.chat.show()
        self.book.chat.focus_question()

    def _on_about(self) -> None:
        words = self.tr(
            "ReadDesk {version}\n\nA reading assistant that works offline. Free software under the AGPL, version 3 or "
            "later."
        ).format(version=readdesk.__version__)
        QMessageBox.about(self, self.tr("About ReadDesk"), words)

    # -- dropping files ------------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()
            self._drop_hint.appear()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._drop_hint.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self._drop_hint.hide()
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        models = [path for path in paths if path.suffix.lower() == ".gguf"]
        for path in models:
            self.models.add_file(path)
        if books := [path for path in paths if path not in models]:
            self.open_files(books)
        event.acceptProposedAction()

    # -- closing -------------------------------------------------------------------------------------------------

    def _on_quit(self) -> None:
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        for dialog in self.findChildren(QDialog):
            dialog.close()
        self.book.reader.keep_place()
        keep_layout(self._desk, self, self.book)
        event.accept()
