"""One question and what came of it: the pages that were looked up, the answer, and what the answer rests on.

An exchange is told what happened and shows it; it decides nothing. Texts stand in a QTextBrowser that is as tall as its
words, since a QLabel cannot break a word that is longer than a line, and is laid out anew as a whole for every piece of
an answer. What must stay true: nothing but our own few tags reaches a document (see words.py), no document loads
anything, and pieces of an answer are painted at most every 40 ms, however fast they come.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from html import escape
from math import ceil

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QShowEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from readdesk.errors import ReadDeskError
from readdesk.gui.reader.pagenames import joined, recognised_words
from readdesk.gui.widgets.flow import FlowLayout
from readdesk.gui.words import (
    ITEM_INDENT,
    PAGE_SCHEME,
    answer_html,
    chip_name,
    exchange_words,
    notes,
    page_words,
    seen,
    trail_words,
)
from readdesk.library.model import Asked
from readdesk.reading.model import Answer, LookUp

FLAT_PADDING = 6
"""How far the style sheet sets the words of a flat button in, in pixels."""

_PAINT_EVERY_MS = 40
_COPIED_FOR_MS = 1500
_BUBBLE_INDENT = 28
_BUBBLE_PADDING = 12
_AIR = 3


class TextView(QTextBrowser):
    """Text to read and select that is as tall as its words and never scrolls or loads anything by itself."""

    def __init__(self, role: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heights: dict[int, int] = {}
        self.setProperty("role", role)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTabStopDistance(ITEM_INDENT)
        self.setOpenLinks(False)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.document().setDocumentMargin(0)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_lines(self, lines: Iterable[str]) -> None:
        """Show plain text, each line a paragraph with a little air above it."""
        self.setPlainText("\n".join(map(seen, lines)))
        air = QTextBlockFormat()
        air.setTopMargin(_AIR)
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        if cursor.hasSelection():
            cursor.mergeBlockFormat(air)
        self._forget_height()

    def show_html(self, html: str) -> None:
        """Show HTML made by words.py; what is selected stays selected while the text grows."""
        was = self.textCursor()
        anchor, position = was.anchor(), was.position()
        self.setHtml(html)
        if position or anchor:
            last = self.document().characterCount() - 1
            cursor = self.textCursor()
            cursor.setPosition(min(anchor, last))
            cursor.setPosition(min(position, last), QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)
        self._forget_height()

    def widest_line(self) -> int:
        """How wide the text would like to be, in pixels."""
        metrics = self.fontMetrics()
        return max(metrics.horizontalAdvance(line) for line in self.toPlainText().split("\n"))

    def heightForWidth(self, width: int) -> int:
        """As tall as the words are in that width; layouts ask for the same few widths over and over."""
        if width not in self._heights:
            document, shown_in = self.document(), self.viewport().width()
            document.setTextWidth(width)
            self._heights[width] = ceil(document.size().height())
            if width != shown_in:
                document.setTextWidth(shown_in)
        return self._heights[width]

    def sizeHint(self) -> QSize:
        """Its height follows from its width; see heightForWidth."""
        return QSize(200, self.fontMetrics().lineSpacing())

    def minimumSizeHint(self) -> QSize:
        """Narrow panes break even long words."""
        return QSize(40, self.fontMetrics().lineSpacing())

    def changeEvent(self, event: QEvent) -> None:
        """Another font is another height."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._forget_height()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The pane scrolls, not the text."""
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that scroll by a page belong to the pane."""
        if event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _forget_height(self) -> None:
        self._heights.clear()
        self.updateGeometry()

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing is ever loaded, whatever a text asks for."""
        return None


class Exchange(QWidget):
    """A question, the pages looked up for it, its answer and what that rests on; `failed` once it came to an error."""

    page_chosen = Signal(int)
    asked_again = Signal(str)
    stop_requested = Signal()

    def __init__(
        self,
        question: str,
        pages: Container[int] = (),
        recognised: Container[int] = (),
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._recognised = recognised
        self.question = question
        self.failed = False
        self._pages = pages
        self._answer = ""
        self._look_ups: tuple[LookUp, ...] = ()
        self._looked_up: list[str] = []
        self._rests_on: list[str] = []
        self._paint_soon = QTimer(self, singleShot=True, interval=_PAINT_EVERY_MS)
        self._paint_soon.timeout.connect(self._on_paint_due)
        self._copied = QTimer(self, singleShot=True, interval=_COPIED_FOR_MS)
        self._copied.timeout.connect(self._on_copied_long_ago)
        self._build()

    # -- what it is told ---------------------------------------------------------------------------------------------

    def tell(self, words: str) -> None:
        """Say what is being done; the next piece of the answer takes it away."""
        self._status.setText(seen(words))
        self._status.setVisible(bool(words))

    def looked_up(self, look_ups: Sequence[LookUp]) -> None:
        """Show the pages that are read again, and why."""
        self._look_ups = tuple(look_ups)
        for chip in self._chip_group.buttons():
            self._chip_group.removeButton(chip)
            chip.setParent(None)
            chip.deleteLater()
        for item in self._look_ups:
            self._add_chip(item)
        self._chips.setVisible(bool(self._look_ups))
        self._looked_up = trail_words(self._look_ups, self._recognised)
        self._reasons.show_lines(self._looked_up)
        self._reasons.show()

    def add_text(self, text: str) -> None:
        """Add a piece of the answer; it is painted within 40 ms."""
        self._answer += text
        if not self._paint_soon.isActive():
            self._paint_soon.start()

    def finish(self, answer: Answer) -> None:
        """Show the whole answer and what it rests on."""
        self._answer = answer.text
        self._pages = range(1, answer.pages + 1)
        if answer.look_ups != self._look_ups or not self._looked_up:
            self.looked_up(answer.look_ups)
        self._rest_on([answer.coverage, *notes(answer)])
        self._end()

    def show_kept(self, asked: Asked) -> None:
        """Show an answer from the library."""
        self._answer = asked.answer
        self.looked_up(asked.look_ups)
        self._rest_on([asked.coverage])
        self._end()

    def stop(self) -> None:
        """Keep what was written so far, and say that it was stopped."""
        self._end(self.tr("Stopped."))

    def fail(self, error: ReadDeskError) -> None:
        """Say what went wrong and what to do about it."""
        self.failed = True
        self._column.insertWidget(self._column.indexOf(self._line), self._failure_frame(error))
        self._end()

    def let_ask(self, possible: bool) -> None:
        """Whether the question can be asked again now."""
        self._again.setEnabled(possible)

    def recolour(self) -> None:
        """Links keep the colour they were made with, so they are made anew."""
        self._paint()

    def tab_stops(self) -> list[QWidget]:
        """What the Tab key reaches, in order."""
        return [*self._chip_group.buttons(), self._view, self._copy, self._again, self._stop]

    # -- how it is built ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self._status = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._status.setProperty("role", "muted")
        self._chips = QWidget()
        self._chip_row = FlowLayout(self._chips)
        self._chip_group = QButtonGroup(self)
        self._chip_group.idClicked.connect(self.page_chosen)
        self._reasons = TextView("small")
        self._view = self._answer_view()
        self._line = QFrame()
        self._line.setProperty("role", "line")
        self._rests = TextView("small")
        self._column = column = QVBoxLayout()
        # Set in by as much as flat buttons are padded, so that their words stand below the text.
        column.setContentsMargins(FLAT_PADDING, 0, FLAT_PADDING, 0)
        column.setSpacing(8)
        later = (self._chips, self._reasons, self._view, self._status, self._line, self._rests)
        for part in (self._question_row(), *later):
            column.addWidget(part)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(4)
        whole.addLayout(column)
        whole.addWidget(self._buttons())
        for part in later:
            part.hide()

    def _question_row(self) -> QWidget:
        """The question in a frame as wide as its words, set to the end of the row as what a person says is."""
        row = QWidget()
        frame = QFrame()
        frame.setProperty("role", "question")
        words = TextView("words")
        words.show_lines([self.question])
        words.setAccessibleName(self.tr("Your question"))
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(_BUBBLE_PADDING, 8, _BUBBLE_PADDING, 8)
        inside.addWidget(words)
        beside = QHBoxLayout(row)
        beside.setContentsMargins(_BUBBLE_INDENT, 0, 0, 0)
        beside.addStretch(1)
        beside.addWidget(frame, 1000)
        self._question_words, self._question_frame = words, frame
        return row

    def _answer_view(self) -> TextView:
        view = TextView("words")
        view.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        view.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        view.setTabChangesFocus(True)
        view.setAccessibleName(self.tr("Answer of the model"))
        view.setAccessibleDescription(
            self.tr("Written by the language model from this book; the pages it was read from are named with it.")
        )
        view.anchorClicked.connect(self._on_link_clicked)
        return view

    def _failure_frame(self, error: ReadDeskError) -> QFrame:
        frame = QFrame()
        frame.setProperty("role", "failure")
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(12, 10, 12, 10)
        inside.setSpacing(4)
        for role, words in (("error", error.message), ("words", error.hint)):
            if words:
                view = TextView(role)
                view.show_lines([words])
                inside.addWidget(view)
        return frame

    def _buttons(self) -> QWidget:
        row = QWidget()
        flow = FlowLayout(row, 4)
        self._copy = QPushButton(self.tr("Copy"), flat=True)
        self._copy.setToolTip(self.tr("Copy the question, the answer and its pages"))
        self._copy.clicked.connect(self._on_copy_clicked)
        self._again = QPushButton(self.tr("Ask again"), flat=True)
        self._again.clicked.connect(self._on_again_clicked)
        self._stop = QPushButton(self.tr("Stop"), flat=True)
        self._stop.setToolTip(self.tr("Stop this answer (Esc)"))
        self._stop.clicked.connect(self._on_stop_clicked)
        for button in (self._copy, self._again, self._stop):
            flow.addWidget(button)
            button.setVisible(button is self._stop)
        return row

    def _add_chip(self, item: LookUp) -> None:
        chip = QPushButton(page_words(item))
        chip.setProperty("role", "chip")
        chip.setAccessibleName(chip_name(item, self._recognised))
        chip.setCursor(Qt.CursorShape.PointingHandCursor)
        tip = joined(recognised_words() if item.page in self._recognised else "", seen(item.reason))
        # The reason holds words of the book: marked as HTML, so that Qt does not guess, and escaped.
        chip.setToolTip(f"<qt>{escape(tip, quote=False)}</qt>" if tip else "")
        self._chip_row.addWidget(chip)
        self._chip_group.addButton(chip, item.page)

    # -- how it is shown ---------------------------------------------------------------------------------------------

    def _rest_on(self, sentences: list[str]) -> None:
        self._rests_on = sentences
        self._rests.show_lines(sentences)
        self._line.show()
        self._rests.show()

    def _end(self, status: str = "") -> None:
        """Nothing more comes: the last words, and the buttons of what is over."""
        self._paint_soon.stop()
        self._paint()
        empty = not (self._answer.strip() or status or self.failed)
        self.tell(self.tr("The model wrote no answer.") if empty else status)
        self._stop.hide()
        self._again.show()
        self._copy.setVisible(not self.failed or bool(self._answer.strip()))

    def _paint(self) -> None:
        known = self._pages if self._pages else {item.page for item in self._look_ups}
        self._view.show_html(answer_html(self._answer, known))
        self._view.setVisible(bool(self._answer.strip()))

    def changeEvent(self, event: QEvent) -> None:
        """Another font is another width of the question."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_question()

    def showEvent(self, event: QShowEvent) -> None:
        """The style sheet's fonts are known from here on."""
        super().showEvent(event)
        self._fit_question()

    def _fit_question(self) -> None:
        # Two pixels more: a line that is exactly as wide as its words may break.
        self._question_frame.setMaximumWidth(self._question_words.widest_line() + 2 * _BUBBLE_PADDING + 2)

    # -- what happens ------------------------------------------------------------------------------------------------

    def _on_paint_due(self) -> None:
        if self._answer.strip():
            self._status.hide()
        self._paint()

    def _on_link_clicked(self, url: QUrl) -> None:
        if url.scheme() == PAGE_SCHEME and url.path().isdecimal():
            self.page_chosen.emit(int(url.path()))

    def _on_copy_clicked(self) -> None:
        trail = [*self._looked_up, *self._rests_on]
        QGuiApplication.clipboard().setText(exchange_words(self.question, seen(self._answer), trail))
        self._copy.setText(self.tr("Copied"))
        self._copied.start()

    def _on_copied_long_ago(self) -> None:
        self._copy.setText(self.tr("Copy"))

    def _on_again_clicked(self) -> None:
        self.asked_again.emit(self.question)

    def _on_stop_clicked(self) -> None:
        self.stop_requested.emit()
