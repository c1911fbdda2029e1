"""Saying what is printed on a leaf where nobody else does: "this leaf is p. 127", and every other leaf follows.

What comes of it is shown while one types. What must stay true: nothing is changed before "Set", and what is no page
number is said in its own sentence, in place.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from readdesk.documents.numbering import renumbered
from readdesk.errors import ReadDeskError
from readdesk.gui.reader.pagenames import PageNames, page_words

_WIDTH = 460


class PageNumberDialog(QDialog):
    """Asks for the printed page number of one leaf."""

    chosen = Signal(str)
    """What is printed there; "" takes back what was said."""

    def __init__(self, labels: Sequence[str], leaf: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = PageNames(tuple(labels))
        self._leaf = leaf
        self._field = QLineEdit(self._names.label(leaf))
        self._outcome = QLabel()
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._apply = self._buttons.addButton(self.tr("&Set"), QDialogButtonBox.ButtonRole.AcceptRole)
        self._build()
        self._field.textChanged.connect(self._on_text_changed)
        self._buttons.accepted.connect(self._on_accepted)
        self._buttons.rejected.connect(self.reject)
        self._on_text_changed()
        self._field.selectAll()

    def _build(self) -> None:
        self.setWindowTitle(self.tr("Set the page number"))
        self.setMinimumWidth(_WIDTH)
        shown = QLabel(self.tr("The leaf that is shown is {leaf}.").format(leaf=self._names.leaf_words(self._leaf)))
        ask = QLabel(self.tr("&Printed on it is page"))
        ask.setBuddy(self._field)
        self._field.setFixedWidth(120)
        self._field.setPlaceholderText(self.tr("for example 127"))
        why = QLabel(
            self.tr(
                "The leaves after it count on from there, those before it count back. Citations, the table of "
                "contents and \u201cGo to a printed page\u201d go by these numbers; the file stays as it is."
            )
        )
        why.setProperty("role", "muted")
        for label in (shown, why, self._outcome):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._apply.setProperty("primary", True)
        line = QHBoxLayout()
        line.addWidget(ask)
        line.addWidget(self._field)
        line.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(22, 18, 22, 16)
        layout.setSpacing(12)
        layout.addWidget(shown)
        layout.addLayout(line)
        layout.addWidget(self._outcome)
        layout.addWidget(why)
        layout.addWidget(self._buttons)

    def _on_text_changed(self) -> None:
        words = self._field.text().strip()
        is_good = True
        if not words:
            told = self.tr("Nothing: what you have said about this leaf before is taken back.")
        else:
            try:
                told = self._outcome_words(renumbered(self._names.labels, self._leaf, words))
            except ReadDeskError as error:
                told, is_good = error.words, False
        self._outcome.setText(told)
        self._outcome.setProperty("role", "" if is_good else "bad")
        self._outcome.style().unpolish(self._outcome)
        self._outcome.style().polish(self._outcome)
        self._field.setAccessibleDescription(told)
        self._apply.setEnabled(is_good)

    def _outcome_words(self, labels: Sequence[str]) -> str:
        """What the first leaf, the neighbours and the last leaf will be called."""
        last = len(labels) - 1
        leaves = sorted({0, max(0, self._leaf - 1), self._leaf, min(last, self._leaf + 1), last})
        told = self.tr("leaf {number} is {page}")
        none = self.tr("without a number")
        parts = [told.format(number=leaf + 1, page=page_words(labels[leaf]) or none) for leaf in leaves]
        return self.tr("Then {leaves}.").format(leaves=", ".join(parts))

    def _on_accepted(self) -> None:
        if self._apply.isEnabled():
            self.chosen.emit(self._field.text().strip())
            self.accept()
