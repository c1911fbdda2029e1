"""Which text is to be recognised, and in which languages; or how to get the program that does it.

What must stay true: only languages that are installed can be chosen, at least one is, and nothing begins before
"Recognise".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from readdesk.desk import RecognitionState
from readdesk.documents.model import LeafHealth
from readdesk.gui.languages import offered, recognition_name, suited
from readdesk.gui.leafwords import count_words, leaf_name, recognised, textless
from readdesk.gui.theme import Theme
from readdesk.library.model import DocumentRecord

_WIDTH, _BESIDE, _MOST_ROWS = 480, 40, 7
_LACKING, _THIS, _AGAIN = 0, 1, 2
_CODE = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class RecognitionChoice:
    """What a person chose: languages ("deu+eng"), leaves (None: all that need it), whether also what has been done."""

    languages: str
    leaves: tuple[int, ...] | None = None
    redo: bool = False


class RecognitionDialog(QDialog):
    """Asks for one document."""

    chosen = Signal(object)
    """A RecognitionChoice."""

    def __init__(
        self,
        record: DocumentRecord,
        leaves: Sequence[LeafHealth],
        leaf: int,
        state: RecognitionState,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._leaves = leaves
        self._leaf = leaf
        self._languages = QListWidget()
        self._which = QButtonGroup(self)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.setWindowTitle(self.tr("Recognise text"))
        self.setMinimumWidth(_WIDTH)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(22, 18, 22, 16)
        layout.setSpacing(10)
        if state.is_available and offered(state.languages):
            self._build_choices(layout, record, state)
        else:
            self._build_lack(layout, state)
            layout.addStretch(1)
        layout.addWidget(self._buttons)
        self._buttons.rejected.connect(self.reject)
        # By itself Qt allows for words of one line, and for two thirds of a small screen.
        room = self.screen().availableGeometry().height() - _BESIDE
        self.resize(_WIDTH, min(layout.totalHeightForWidth(_WIDTH), room))

    # -- choosing ------------------------------------------------------------------------------------------------

    def _build_choices(self, layout: QVBoxLayout, record: DocumentRecord, state: RecognitionState) -> None:
        words = self.tr(
            "A program on this computer reads the pictures of the pages. It makes mistakes, and takes some seconds a "
            "leaf; you can go on reading meanwhile."
        )
        intro = _label(words, "muted")
        layout.addWidget(intro)
        layout.addWidget(_label(self.tr("Languages of the text"), "heading"))
        begun_with = suited(state.languages, record.language)
        for code in offered(state.languages):
            item = QListWidgetItem(recognition_name(code), self._languages)
            item.setData(_CODE, code)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if code in begun_with else Qt.CheckState.Unchecked)
        self._languages.setProperty("role", "choices")
        self._languages.setAccessibleName(self.tr("Languages of the text"))
        self._languages.setFrameShape(QFrame.Shape.NoFrame)
        self._languages.setSpacing(2)
        self._languages.setCurrentRow(0)
        self._paint_checks()
        rows = min(_MOST_ROWS, self._languages.count())
        self._languages.setFixedHeight(rows * (self._languages.sizeHintForRow(0) + 4) + 4)
        self._languages.itemChanged.connect(lambda _: self._on_changed())
        self._languages.itemClicked.connect(self._on_language_clicked)
        self._theme.changed.connect(self._paint_checks)
        layout.addWidget(self._languages)
        if state.hint:
            more = self.tr("Further ones can be installed, for example with: {command}").format(command=state.hint)
            layout.addWidget(_label(more, "small"))
        layout.addSpacing(4)
        layout.addWidget(_label(self.tr("Leaves"), "heading"))
        for number, words in self._offers():
            button = QRadioButton(words)
            self._which.addButton(button, number)
            layout.addWidget(button)
        first = self._which.buttons()[0]
        first.setChecked(True)
        self._begin = self._buttons.addButton(self.tr("&Recognise"), QDialogButtonBox.ButtonRole.AcceptRole)
        self._begin.setProperty("primary", True)
        self._buttons.accepted.connect(self._on_accepted)
        self._on_changed()

    def _offers(self) -> list[tuple[int, str]]:
        """Which leaves can be chosen, in words; what would do nothing is not offered."""
        lacking, done = len(textless(self._leaves)), len(recognised(self._leaves))
        offers = []
        if lacking:
            words = self.tr("All that have no text: {leaves}").format(leaves=count_words(lacking))
            offers.append((_LACKING, words))
        if done:
            words = self.tr("These, and again what was recognised before: {leaves}")
            if not lacking:
                words = self.tr("Again what was recognised before: {leaves}")
            offers.append((_AGAIN, words.format(leaves=count_words(lacking + done))))
        if not offers or self._leaves[self._leaf].kind != "empty":
            name = leaf_name(self._leaves[self._leaf], len(self._leaves))
            offers.append((_THIS, self.tr("Only the leaf that is shown: {leaf}").format(leaf=name)))
        return offers

    def _chosen_languages(self) -> list[str]:
        items = (self._languages.item(row) for row in range(self._languages.count()))
        return [item.data(_CODE) for item in items if item.checkState() == Qt.CheckState.Checked]

    def _on_language_clicked(self, item: QListWidgetItem) -> None:
        """The whole row is the box; the space bar does the same by itself."""
        is_checked = item.checkState() == Qt.CheckState.Checked
        item.setCheckState(Qt.CheckState.Unchecked if is_checked else Qt.CheckState.Checked)

    def _paint_checks(self) -> None:
        """Show what is checked with icons: the style's own boxes cannot be seen on dark colours."""
        chosen = self._chosen_languages()
        with QSignalBlocker(self._languages):
            for row in range(self._languages.count()):
                is_chosen = self._languages.item(row).data(_CODE) in chosen
                name, colour = ("check-square", "accent") if is_chosen else ("square", "muted")
                self._languages.item(row).setIcon(self._theme.icon(name, colour))

    def _on_changed(self) -> None:
        self._paint_checks()
        self._begin.setEnabled(bool(self._chosen_languages()))

    @property
    def choice(self) -> RecognitionChoice:
        """What is chosen now."""
        languages, which = "+".join(self._chosen_languages()), self._which.checkedId()
        if which == _THIS:
            return RecognitionChoice(languages, (self._leaf,), redo=True)
        return RecognitionChoice(languages, redo=which == _AGAIN)

    def _on_accepted(self) -> None:
        self.chosen.emit(self.choice)
        self.accept()

    # -- what is missing -----------------------------------------------------------------------------------------

    def _build_lack(self, layout: QVBoxLayout, state: RecognitionState) -> None:
        words = self.tr(
            "Pictures of pages are read with the program Tesseract, which is not installed on this computer. It is "
            "free software and works offline."
        )
        layout.addWidget(_label(words, ""))
        if state.hint:
            layout.addWidget(_label(self.tr("This command installs it, in a terminal:"), ""))
            layout.addLayout(self._command_row(state.hint))
            layout.addWidget(_label(self.tr("Then open this dialog again; ReadDesk need not be restarted."), "muted"))
        self._buttons.button(QDialogButtonBox.StandardButton.Cancel).setText(self.tr("Close"))

    def _command_row(self, command: str) -> QHBoxLayout:
        field = QLineEdit(command)
        field.setReadOnly(True)
        field.setAccessibleName(self.tr("The command that installs Tesseract"))
        field.setCursorPosition(0)
        copy = QPushButton(self.tr("&Copy"))
        copy.clicked.connect(lambda: QApplication.clipboard().setText(command))
        row = QHBoxLayout()
        row.addWidget(field, 1)
        row.addWidget(copy)
        return row


def _label(words: str, role: str) -> QLabel:
    label = QLabel(words)
    label.setProperty("role", role)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
