"""How a text file is read: its encoding and what its chapters begin with, with a look at what comes of it.

Every change is tried on the file itself, a moment after the last key, without touching the library; only "Read it this
way" hands the choices on. What must stay true: what is shown belongs to what is chosen now, since a look that was
overtaken is stopped; what cannot be read is said in its own sentence, in place.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from readdesk.desk import Desk
from readdesk.documents.model import AUTOMATIC, ENCODINGS, NO_CHAPTERS, Choices
from readdesk.gui import estimates
from readdesk.gui.bridge import Bridge
from readdesk.gui.theme import Theme
from readdesk.jobs.events import Done, Failed
from readdesk.library.model import DocumentRecord, HealthReport

CHOOSABLE = ("text", "markdown", "html")
"""The formats whose encoding can be chosen; chapters only of the first."""

_WAIT_MILLISECONDS = 350
_MOST_SHOWN = 200
_LONGEST_TITLE = 100
_SIZE = (620, 560)
_FOUND, _NONE, _OWN = 0, 1, 2


class TextReadingDialog(QDialog):
    """Lets a person choose for one document."""

    chosen = Signal(object)
    """The Choices to read it with from now on."""

    def __init__(
        self, record: DocumentRecord, desk: Desk, bridge: Bridge, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._record = record
        self._desk = desk
        self._bridge = bridge
        self._theme = theme
        self._job: int | None = None
        self._encoding = QComboBox()
        self._chapters = QComboBox()
        self._pattern = QLineEdit()
        self._said = QLabel()
        self._preview = QTextBrowser()
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._apply = self._buttons.addButton(self.tr("&Read it this way"), QDialogButtonBox.ButtonRole.AcceptRole)
        self._timer = QTimer(self, interval=_WAIT_MILLISECONDS, singleShot=True)
        self._fill()
        self._build()
        self._connect()
        self._look()

    # -- building ------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        """Offer what can be chosen, and show what holds now."""
        now = estimates.encoding_words(self._record.encoding) if not self._record.choices.encoding else ""
        found = self.tr("Automatic: {encoding}").format(encoding=now) if now else self.tr("Automatic")
        self._encoding.addItem(found, "")
        for name, words in ENCODINGS:
            self._encoding.addItem(words, name)
        chosen = self._record.choices.encoding.casefold()
        names = [name.casefold() for name, _ in ENCODINGS]
        self._encoding.setCurrentIndex(names.index(chosen) + 1 if chosen in names else 0)
        self._chapters.addItems(
            [self.tr("Automatic"), self.tr("None: one single text"), self.tr("Lines that match a pattern")]
        )
        chapters = self._record.choices.chapters
        self._chapters.setCurrentIndex(_FOUND if not chapters else _NONE if chapters == NO_CHAPTERS else _OWN)
        self._pattern.setText(chapters if chapters not in ("", NO_CHAPTERS) else "")

    def _build(self) -> None:
        self.setWindowTitle(self.tr("How this text is read"))
        self.resize(*_SIZE)
        self._pattern.setPlaceholderText(self.tr("for example: Chapter \\d+"))
        self._pattern.setAccessibleName(self.tr("Pattern of the first line of each chapter"))
        self._pattern.setToolTip(self.tr("A regular expression that the first line of each chapter matches"))
        self._said.setWordWrap(True)
        self._said.setTextFormat(Qt.TextFormat.PlainText)
        self._said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._preview.setOpenLinks(False)
        self._preview.setAccessibleName(self.tr("What is found that way"))
        self._preview.document().setDocumentMargin(10)
        self._apply.setProperty("primary", True)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.setSpacing(10)
        form.addRow(self.tr("&Encoding:"), self._encoding)
        if self._record.format == "text":
            form.addRow(self.tr("&Chapters:"), self._chapters)
            form.addRow("", self._pattern)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 16)
        layout.setSpacing(12)
        layout.addLayout(form)
        layout.addWidget(self._said)
        layout.addWidget(self._preview, 1)
        layout.addWidget(self._buttons)
        self._on_chapters_changed()

    def _connect(self) -> None:
        self._encoding.currentIndexChanged.connect(lambda _: self._on_changed())
        self._chapters.currentIndexChanged.connect(lambda _: self._on_chapters_changed())
        self._pattern.textEdited.connect(lambda _: self._on_changed())
        self._timer.timeout.connect(self._look)
        self._buttons.accepted.connect(self._on_accepted)
        self._buttons.rejected.connect(self.reject)
        self.finished.connect(lambda _: self._stop())
        self._theme.changed.connect(self._look)

    # -- choosing ------------------------------------------------------------------------------------------------

    @property
    def choices(self) -> Choices:
        """What is chosen now."""
        if self._record.format != "text":
            return Choices(encoding=self._encoding.currentData())
        chapters = {_FOUND: "", _NONE: NO_CHAPTERS, _OWN: self._pattern.text().strip()}[self._chapters.currentIndex()]
        return Choices(self._encoding.currentData(), chapters)

    @property
    def _lacks_pattern(self) -> bool:
        return self._record.format == "text" and self._chapters.currentIndex() == _OWN and not self.choices.chapters

    def _on_chapters_changed(self) -> None:
        is_own = self._chapters.currentIndex() == _OWN
        self._pattern.setVisible(is_own and self._record.format == "text")
        if is_own and self.isVisible():
            self._pattern.setFocus()
        self._on_changed()

    def _on_changed(self) -> None:
        self._stop()
        self._apply.setEnabled(False)
        self._timer.start()

    def _on_accepted(self) -> None:
        self.chosen.emit(self.choices)
        self.accept()

    # -- looking -------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Try what is chosen on the file."""
        self._stop()
        if self._lacks_pattern:
            self._say(self.tr("Write what the first line of each chapter looks like."))
            self._preview.clear()
            return
        self._say(self.tr("Reading\u2026"))
        self._job = self._desk.examine(Path(self._record.path), choices=self.choices)
        self._bridge.follow(self._job, {Done: self._on_done, Failed: self._on_failed})

    def _stop(self) -> None:
        self._timer.stop()
        if self._job is not None:
            job, self._job = self._job, None
            self._bridge.forget(job)
            self._desk.stop(job)

    def _on_done(self, event: Done) -> None:
        self._job = None
        report = event.result
        assert isinstance(report, HealthReport)
        structure = estimates.structure_words(report.document.structure, len(report.sections))
        encoding = estimates.encoding_words(report.document.encoding)
        self._say(self.tr("{sections}. {encoding}.").format(sections=structure, encoding=encoding))
        self._preview.setHtml(self._html(report))
        self._apply.setEnabled(self.choices != (self._record.choices or AUTOMATIC))

    def _on_failed(self, event: Failed) -> None:
        self._job = None
        self._say(event.error.words, is_bad=True)
        self._preview.clear()
        self._apply.setEnabled(False)

    def _html(self, report: HealthReport) -> str:
        muted = self._theme.colours.muted
        openings = report.openings or ("",) * len(report.sections)
        rows = [
            f"<p style='margin:0 0 9px {18 * (section.level - 1)}px'><b>{escape(section.title[:_LONGEST_TITLE])}</b>"
            f"<br><span style='color:{muted}'>{escape(opening)}</span></p>"
            for section, opening in zip(report.sections[:_MOST_SHOWN], openings, strict=False)
        ]
        if len(report.sections) > _MOST_SHOWN:
            more = self.tr("\u2026 and {count} more.").format(count=len(report.sections) - _MOST_SHOWN)
            rows.append(f"<p style='color:{muted}'>{escape(more)}</p>")
        return "".join(rows)

    def _say(self, words: str, *, is_bad: bool = False) -> None:
        self._said.setText(words)
        self._said.setProperty("role", "bad" if is_bad else "muted")
        self._said.style().unpolish(self._said)
        self._said.style().polish(self._said)
        self._said.setAccessibleName(words)
        QAccessible.updateAccessibility(QAccessibleEvent(self._said, QAccessible.Event.Alert))
