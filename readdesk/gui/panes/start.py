"""The start page: the library, and on a first run what a model is and how to get one.

Reading needs no model, so the page never stands in the way: the card with the three choices lies above the list and
goes when a model is there, or for now with "Later".
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from readdesk.gui.itemmodels.shelfmodel import ShelfDelegate, ShelfModel, ShelfRole
from readdesk.gui.theme import Theme
from readdesk.library.model import DocumentRecord, ShelfEntry

_WIDEST = 760
_SEARCH_FROM = 7


class StartPage(QWidget):
    """The library as a list; emits which book was chosen."""

    document_chosen = Signal(object)
    """A DocumentRecord."""
    open_wanted = Signal()
    starter_wanted = Signal()
    own_model_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = ShelfModel()
        self._filtered = QSortFilterProxyModel(self)
        self._filtered.setSourceModel(self._model)
        self._filtered.setFilterRole(ShelfRole.SEARCHED)
        self._filtered.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.first_run = FirstRun()
        self._search = QLineEdit()
        self._list = QListView()
        self._places = QStackedWidget()
        self._open = QPushButton(self.tr("Open a file\u2026"))
        self._build()
        self._connect()

    def _build(self) -> None:
        title = QLabel(self.tr("Library"))
        title.setProperty("role", "title")
        self._search.setPlaceholderText(self.tr("Search titles and authors"))
        self._search.setAccessibleName(self._search.placeholderText())
        self._search.setClearButtonEnabled(True)
        self._search.setFixedWidth(230)
        self._open.setProperty("primary", True)
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(title)
        head.addStretch(1)
        head.addWidget(self._search)
        head.addWidget(self._open)
        self._list.setModel(self._filtered)
        self._list.setItemDelegate(ShelfDelegate(self._theme, self._list))
        self._list.setMouseTracking(True)
        self._list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self._list.setAccessibleName(self.tr("Books in the library"))
        self._places.addWidget(self._list)
        self._places.addWidget(self._empty())
        column = QWidget()
        column.setMaximumWidth(_WIDEST)
        inner = QVBoxLayout(column)
        inner.setContentsMargins(24, 30, 24, 16)
        inner.setSpacing(18)
        inner.addLayout(head)
        inner.addWidget(self.first_run)
        inner.addWidget(self._places, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addStretch(1)
        layout.addWidget(column, 100)
        layout.addStretch(1)

    def _empty(self) -> QWidget:
        """What stands where there is no book yet."""
        page = QWidget()
        icon, words, hint = QLabel(), QLabel(self.tr("No books yet")), QLabel()
        icon.setPixmap(self._theme.icon("books", "muted").pixmap(56, 56))
        words.setProperty("role", "heading")
        hint.setText(self.tr("Drop an EPUB, a PDF, a text or a web page anywhere in this window, or open one."))
        hint.setProperty("role", "muted")
        hint.setWordWrap(True)
        layout = QVBoxLayout(page)
        layout.addStretch(1)
        for label in (icon, words, hint):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            layout.addWidget(label)
        layout.addStretch(2)
        return page

    def _connect(self) -> None:
        self._open.clicked.connect(self.open_wanted)
        self._search.textChanged.connect(self._filtered.setFilterFixedString)
        self._list.activated.connect(self._on_activated)
        self._list.clicked.connect(self._on_activated)
        self.first_run.starter_wanted.connect(self.starter_wanted)
        self.first_run.own_model_wanted.connect(self.own_model_wanted)

    def show_shelf(self, entries: Sequence[ShelfEntry]) -> None:
        """Show the library; the row that was chosen stays chosen."""
        chosen = self._list.currentIndex().data(ShelfRole.ENTRY)
        self._model.show(entries)
        self._places.setCurrentIndex(0 if entries else 1)
        self._search.setVisible(len(entries) >= _SEARCH_FROM or bool(self._search.text()))
        for row in range(self._filtered.rowCount()):
            entry = self._filtered.index(row, 0).data(ShelfRole.ENTRY)
            if chosen is not None and entry.document.id == chosen.document.id:
                self._list.setCurrentIndex(self._filtered.index(row, 0))

    def focus_list(self) -> None:
        """Put the keyboard into the list, on its first row: the book that was open last."""
        self._list.setFocus()
        self._list.setCurrentIndex(self._filtered.index(0, 0))
        self._list.scrollToTop()

    def _on_activated(self, index: QModelIndex) -> None:
        entry = index.data(ShelfRole.ENTRY)
        if isinstance(entry, ShelfEntry):
            document: DocumentRecord = entry.document
            self.document_chosen.emit(document)


class FirstRun(QFrame):
    """A card that says what a model is for and offers three ways on."""

    starter_wanted = Signal()
    own_model_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.is_put_off = False
        self.setProperty("role", "card")
        self._starter = QPushButton()
        self._own = QPushButton(self.tr("Use a model file\u2026"))
        self._later = QPushButton(self.tr("Later"))
        self._words = QLabel()
        self._build()
        self._starter.clicked.connect(self.starter_wanted)
        self._own.clicked.connect(self.own_model_wanted)
        self._later.clicked.connect(self._on_put_off)

    def _build(self) -> None:
        title = QLabel(self.tr("Choose a model to read with"))
        title.setProperty("role", "heading")
        self._words.setWordWrap(True)
        self._words.setProperty("role", "muted")
        self._starter.setProperty("primary", True)
        self._later.setProperty("flat", True)
        self._own.setToolTip(self.tr("A .gguf file that is on this computer already"))
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self._starter, self._own, self._later):
            buttons.addWidget(button)
        buttons.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 16)
        layout.setSpacing(10)
        layout.addWidget(title)
        layout.addWidget(self._words)
        layout.addLayout(buttons)

    def offer(self, size: str) -> None:
        """Offer the starter model of that size."""
        self._words.setText(
            self.tr(
                "ReadDesk reads with a language model that runs on this computer: nothing you read leaves it, and "
                "after the download no network is needed. The starter model ({size}) shows how things go; better "
                "ones are in the Model menu. You can open and read books without one."
            ).format(size=size)
        )
        self._starter.setText(self.tr("Get the starter model"))
        self._starter.setEnabled(True)
        self.show()

    def show_fetching(self) -> None:
        """The download has begun."""
        self._starter.setText(self.tr("Getting the starter model\u2026"))
        self._starter.setEnabled(False)

    def _on_put_off(self) -> None:
        self.is_put_off = True
        self.hide()
