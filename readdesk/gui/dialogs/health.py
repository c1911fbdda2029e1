"""What a person should know of a book before hours are spent on it: a report to read, to select and to copy.

Everything in it comes from a stranger's file, so all of it is escaped. Of a PDF it also tells what came out of its
leaves, which can be unfolded and gone to. What must stay true: the report is one text that the keyboard scrolls and
selects, and "Copy" gives the same words as the eyes see.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from math import ceil

from PySide6.QtCore import QSizeF, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QLabel,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from readdesk.gui import estimates, figures
from readdesk.gui.dialogs.leaflist import LeafList
from readdesk.gui.matters import matter_words
from readdesk.gui.theme import Theme
from readdesk.library.model import HealthReport

_SIZE, _SIZE_WITH_LEAVES = (560, 560), (600, 680)
_MOST_ROWS = 200
_LONGEST_TITLE = 120

Fact = tuple[str, str]


class HealthDialog(QDialog):
    """Shows one report."""

    leaf_shown = Signal(int)
    """A leaf to show in the book."""

    def __init__(self, report: HealthReport, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._report = report
        self._theme = theme
        self._text = QTextBrowser()
        self._leaves = LeafList(report.leaves, theme)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self._build()
        self._fill()
        theme.changed.connect(self._fill)

    def _build(self) -> None:
        document = self._report.document
        self.setWindowTitle(self.tr("About this book"))
        width, height = _SIZE_WITH_LEAVES if self._report.leaves else _SIZE
        screen = self.screen().availableGeometry()
        self.resize(min(width, screen.width() - 40), min(height, screen.height() - 60))
        title, authors = QLabel(document.title), QLabel(", ".join(document.authors))
        effort = QLabel(estimates.effort_words(self._report))
        for label, role in ((title, "title"), (authors, "muted"), (effort, "heading")):
            label.setProperty("role", role)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        authors.setVisible(bool(document.authors))
        self._text.setProperty("role", "words")
        self._text.setFrameShape(QFrame.Shape.NoFrame)
        self._text.setOpenLinks(False)
        self._text.setAccessibleName(self.tr("Report"))
        self._text.document().setDocumentMargin(0)
        copy = self._buttons.addButton(self.tr("&Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: QApplication.clipboard().setText(self.words))
        self._buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 16)
        layout.setSpacing(8)
        head = QLabel(self.tr("What came out of its leaves"))
        head.setProperty("role", "strong")
        head.setTextFormat(Qt.TextFormat.PlainText)
        head.setBuddy(self._leaves)
        for widget in (title, authors, effort, self._text, head, self._leaves, self._buttons):
            layout.addWidget(widget)
        layout.setStretchFactor(self._text, 3)
        if self._report.leaves:
            layout.setStretchFactor(self._leaves, 1)
            self._text.document().documentLayout().documentSizeChanged.connect(self._on_text_sized)
        for widget in (head, self._leaves):
            widget.setVisible(bool(self._report.leaves))
        self._leaves.shown.connect(self.leaf_shown)
        self._leaves.chosen.connect(self._on_leaf_chosen)

    def _on_text_sized(self, size: QSizeF) -> None:
        """The text takes no more room than it has lines, so that the leaves stand right below it."""
        self._text.setMaximumHeight(ceil(size.height()) + 4)

    def _on_leaf_chosen(self, leaf: int) -> None:
        self.leaf_shown.emit(leaf)
        self.accept()

    @property
    def words(self) -> str:
        """The whole report as plain words."""
        document = self._report.document
        head = [document.title, ", ".join(document.authors), estimates.effort_words(self._report)]
        leaves = ["", self.tr("Leaves"), self._leaves.words] if self._report.leaves else []
        return "\n".join([*filter(None, head), "", self._text.toPlainText(), *leaves])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._text.setFocus()  # Else Qt reads out the button first, and keys scroll nothing.

    def _fill(self) -> None:
        parts = [self._table(self._facts())]
        if left := self._left_out():
            parts += [self._heading(self.tr("Left out of gisting")), self._table(left)]
            parts.append(self._small(self.tr("The menu of a section in the table of contents changes that.")))
        if self._report.document.notes:
            parts.append(self._heading(self.tr("Worth knowing")))
            parts += [f"<p style='margin:6px 0 0 0'>{escape(note)}</p>" for note in self._report.document.notes]
        if files := self._files():
            parts += [self._heading(self.tr("Files inside this file")), self._table(files)]
            parts.append(self._small(self.tr("ReadDesk names them and opens none of them.")))
        self._text.setHtml("".join(parts))

    def _facts(self) -> list[Fact]:
        report, document = self._report, self._report.document
        left = sum(section.words for section in report.sections if section.is_left_out)
        words = figures.words(document.words)
        if left:
            words = self.tr("{words}, {left} of them left out").format(words=words, left=f"{left:,}")
        facts = [
            (self.tr("Format"), estimates.format_words(document.format)),
            (self.tr("Length"), words),
            (self.tr("Language"), estimates.language_words(document.language)),
            (self.tr("Sections"), estimates.structure_words(document.structure, len(report.sections))),
            (self.tr("Encoding"), estimates.encoding_words(document.encoding)),
            (self.tr("File"), document.path),
        ]
        return [(name, value) for name, value in facts if value]

    def _left_out(self) -> list[Fact]:
        left = [section for section in self._report.sections if section.is_left_out]
        rows = []
        for section in left[:_MOST_ROWS]:
            why = matter_words(section.matter) or self.tr("as chosen")
            rows.append((section.title[:_LONGEST_TITLE], f"{why}, {figures.words(section.words)}"))
        if len(left) > _MOST_ROWS:
            rows.append(("\u2026", self.tr("{count} more").format(count=len(left) - _MOST_ROWS)))
        return rows

    def _files(self) -> list[Fact]:
        rows = []
        for file in self._report.attachments[:_MOST_ROWS]:
            description = file.description[:_LONGEST_TITLE] if file.description != file.name else ""
            facts = (figures.size(file.size) if file.size else "", description)
            rows.append((file.name[:_LONGEST_TITLE], ", ".join(filter(None, facts))))
        return rows

    def _heading(self, words: str) -> str:
        return f"<p style='margin:18px 0 0 0'><b>{escape(words)}</b></p>"

    def _small(self, words: str) -> str:
        return f"<p style='margin:6px 0 0 0; color:{self._theme.colours.muted}'>{escape(words)}</p>"

    def _table(self, rows: Iterable[Fact]) -> str:
        muted = self._theme.colours.muted
        cells = (
            f"<tr><td style='color:{muted}; padding:0 18px 5px 0'>{escape(name)}</td>"
            f"<td style='padding:0 0 5px 0'>{escape(value)}</td></tr>"
            for name, value in rows
        )
        return f"<table style='margin-top:6px' cellspacing='0' cellpadding='0'>{''.join(cells)}</table>"
