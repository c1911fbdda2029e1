"""What a model reads of a leaf, beside the leaf as it is drawn: the way to see whether a file was understood.

On the left is the leaf, what was taken out of its text marked on it; on the right are its paragraphs in the order in
which a model gets them, with their kind, and in grey at the end what was taken out. What must stay true: the words are
those that a model gets, letter for letter; all of them come from a stranger's file, so they are escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from readdesk.desk import Desk
from readdesk.documents.model import Kind, Leaf, LeafHealth, LeafSpot
from readdesk.errors import ReadDeskError
from readdesk.gui.bridge import Bridge
from readdesk.gui.leafwords import furniture_words, kind_words, leaf_heading, leaf_words
from readdesk.gui.reader.leaves import LeafView
from readdesk.gui.theme import Theme
from readdesk.jobs.events import LeafDrawn
from readdesk.library.model import DocumentRecord

_SIZE = (1180, 800)


class ModelViewDialog(QDialog):
    """Shows the leaves of one document, one at a time."""

    def __init__(
        self,
        record: DocumentRecord,
        leaves: Sequence[Leaf],
        leaf: int,
        desk: Desk,
        bridge: Bridge,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._record = record
        self._drawn = leaves
        self._health = desk.leaves(record)
        self._leaf = min(leaf, len(self._health) - 1)
        self._desk = desk
        self._bridge = bridge
        self._theme = theme
        self._job: int | None = None
        self._sheet = LeafView(theme)
        self._words = QTextBrowser()
        self._name = QLabel()
        self._facts = QLabel()
        self._before = QToolButton()
        self._after = QToolButton()
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self._build()
        self._connect()
        self._show()

    # -- building ------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.setWindowTitle(self.tr("What a model reads of this leaf"))
        screen, window = self.screen().availableGeometry(), self.parentWidget()
        width, height = (window.width(), window.height()) if window is not None else _SIZE
        width, height = max(_SIZE[0], width - 80), max(_SIZE[1], height - 60)
        self.resize(min(width, screen.width() - 40), min(height, screen.height() - 60))
        self._name.setProperty("role", "heading")
        self._facts.setProperty("role", "muted")
        for label in (self._name, self._facts):
            label.setTextFormat(Qt.TextFormat.PlainText)
        for button, icon, name in (
            (self._before, "arrow-left", self.tr("Previous leaf (Ctrl+Page Up)")),
            (self._after, "arrow-right", self.tr("Next leaf (Ctrl+Page Down)")),
        ):
            self._theme.dress(button, icon)
            button.setToolTip(name)
            button.setAccessibleName(name)
        self._sheet.setAccessibleName(self.tr("The leaf as it is drawn"))
        self._words.setAccessibleName(self.tr("What a model reads"))
        self._words.setOpenLinks(False)
        self._words.document().setDocumentMargin(16)
        copy = self._buttons.addButton(self.tr("&Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: QApplication.clipboard().setText(self._words.toPlainText()))
        head = QHBoxLayout()
        for widget in (self._before, self._after, self._name, self._facts):
            head.addWidget(widget)
        head.addStretch(1)
        sides = QSplitter(Qt.Orientation.Horizontal)
        sides.setChildrenCollapsible(False)
        sides.setHandleWidth(1)
        for side in (self._sheet, self._words):
            side.setMinimumWidth(220)
            sides.addWidget(side)
        sides.setSizes([_SIZE[0] * 4 // 9, _SIZE[0] * 5 // 9])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(10)
        layout.addLayout(head)
        layout.addWidget(sides, 1)
        layout.addWidget(self._buttons)

    def _connect(self) -> None:
        self._before.clicked.connect(lambda: self._step(-1))
        self._after.clicked.connect(lambda: self._step(1))
        for keys, step in (("Ctrl+PgUp", -1), ("Ctrl+PgDown", 1)):
            QShortcut(QKeySequence(keys), self, lambda step=step: self._step(step))
        self._sheet.leaves_wanted.connect(self._on_leaf_wanted)
        self._buttons.rejected.connect(self.reject)
        self.finished.connect(lambda _: self._stop())
        self._theme.changed.connect(self._fill)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._words.setFocus()

    # -- a leaf --------------------------------------------------------------------------------------------------

    @property
    def leaf(self) -> int:
        """The leaf that is shown."""
        return self._leaf

    @property
    def words(self) -> str:
        """What stands on the right, as plain words."""
        return self._words.toPlainText()

    def _step(self, step: int) -> None:
        if 0 <= self._leaf + step < len(self._health):
            self._leaf += step
            self._show()

    def _show(self) -> None:
        health = self._health[self._leaf]
        name = leaf_heading(health, len(self._health))
        self._name.setText(name)
        self._facts.setText(" \u2013 ".join(filter(None, (kind_words(health.kind), leaf_words(health)))))
        self._before.setEnabled(self._leaf > 0)
        self._after.setEnabled(self._leaf + 1 < len(self._health))
        self._words.setAccessibleDescription(f"{name}. {self._facts.text()}")
        self._stop()
        self._sheet.open(self._drawn[self._leaf : self._leaf + 1])
        self._sheet.fit_leaf()
        self._sheet.mark([LeafSpot(0, 0, 0, tuple(part.rectangle for part in health.furniture))], softly=True)
        self._sheet.show_leaf(0)
        self._fill()
        self._words.verticalScrollBar().setValue(0)

    def _fill(self) -> None:
        health = self._health[self._leaf]
        read = self._desk.leaf_paragraphs(self._record, self._leaf)
        rows = [self._row(_kind_words(self, kind), text, is_code=kind == "code") for kind, text in read]
        if not rows:
            rows.append(self._row("", self._nothing_words(health), is_grey=True))
        html = [self._table(rows)]
        if health.furniture:
            taken = [self._row(furniture_words(part.kind), part.text, is_grey=True) for part in health.furniture]
            head = escape(self.tr("Taken out of the text, since these are places and no words of it"))
            html.append(f"<p style='color:{self._theme.colours.muted}; margin:22px 0 8px 0'>{head}</p>")
            html.append(self._table(taken))
        self._words.setHtml("".join(html))

    def _nothing_words(self, health: LeafHealth) -> str:
        return {
            "scan": self.tr("Nothing: this leaf is a picture. Its text can be recognised (Book, Recognise text)."),
            "unreadable": self.tr("Nothing: the letters of this leaf have no meaning. Its text can be recognised."),
            "empty": self.tr("Nothing: this leaf is empty."),
        }.get(health.kind, self.tr("Nothing of this leaf is text."))

    def _table(self, rows: Sequence[str]) -> str:
        return f"<table cellspacing='0' cellpadding='0' width='100%'>{''.join(rows)}</table>"

    def _row(self, kind: str, text: str, *, is_grey: bool = False, is_code: bool = False) -> str:
        muted = self._theme.colours.muted
        words = "<br>".join(escape(line) for line in text.splitlines())
        look = f"color:{muted};" if is_grey else ""
        if is_code:
            look += "font-family:monospace; font-size:small; white-space:pre-wrap;"
        return (
            f"<tr><td width='70' style='color:{muted}; font-size:small; padding:2px 10px 12px 0'>{escape(kind)}</td>"
            f"<td style='padding:0 0 12px 0; {look}'>{words}</td></tr>"
        )

    # -- drawing -------------------------------------------------------------------------------------------------

    def _on_leaf_wanted(self, _: object, scale: float) -> None:
        self._stop()
        self._job = self._desk.draw(self._record, (self._leaf,), scale)
        self._bridge.follow(self._job, {LeafDrawn: self._on_leaf_drawn})

    def _on_leaf_drawn(self, event: LeafDrawn) -> None:
        if event.picture is not None:
            self._sheet.set_picture(0, event.scale, event.picture, event.goes_on)
        elif isinstance(event.error, ReadDeskError):
            self._sheet.set_failure(0, event.error.words)

    def _stop(self) -> None:
        if self._job is not None:
            job, self._job = self._job, None
            self._bridge.forget(job)
            self._desk.stop(job)


def _kind_words(dialog: QDialog, kind: Kind) -> str:
    """What a paragraph is; "" for what most are."""
    return {
        "text": "",
        "heading": dialog.tr("heading"),
        "verse": dialog.tr("verse"),
        "item": dialog.tr("list"),
        "code": dialog.tr("code"),
        "table": dialog.tr("table"),
        "caption": dialog.tr("caption"),
        "note": dialog.tr("note"),
    }[kind]
