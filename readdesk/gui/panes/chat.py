"""The pane in which a book is asked: what was asked before, the answer that is being made, and the question field.

The pane holds no logic: it emits what a person wants and is told what happened, one question at a time. What must stay
true: what comes for a question that is no longer shown is dropped, what a person has typed is never lost to an error,
and the view follows an answer only while the person is at its end.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import pairwise

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from readdesk.errors import ReadDeskError
from readdesk.gui.panes.exchange import FLAT_PADDING, Exchange
from readdesk.gui.theme import Theme
from readdesk.library.model import Asked
from readdesk.reading.model import Answer, LookUp

AT_ONCE = 20
"""How many earlier questions become widgets at a time."""

_MOST_LINES = 6
_AT_THE_END = 4
_ICON = 40
_MARGIN = 14


class QuestionField(QPlainTextEdit):
    """A field for a question that grows with it, to six lines: Enter sends, Shift and Enter begin a new line."""

    sent = Signal()
    recalled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "question-field")
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().documentLayout().documentSizeChanged.connect(self._on_size_changed)
        self._on_size_changed()

    def question(self) -> str:
        """What is asked, without white space around it."""
        return self.toPlainText().strip()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter sends; Up in an empty field brings back the last question."""
        entered = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if entered and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.sent.emit()
        elif event.key() == Qt.Key.Key_Up and not self.toPlainText():
            self.recalled.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Only what has a size knows how much of it the frame takes; another font or style resizes it too."""
        super().resizeEvent(event)
        self._on_size_changed()

    def _on_size_changed(self) -> None:
        # The layout of a plain text document counts its height in lines, those that are wrapped too.
        lines = int(self.document().documentLayout().documentSize().height())
        # One pixel less and QPlainTextEdit believes that the last line does not fit, and scrolls the first one away.
        around = self.height() - self.viewport().height() + 2 * int(self.document().documentMargin()) + 1
        shown = max(1, min(lines, _MOST_LINES))
        self.setVerticalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines > _MOST_LINES else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        self.setFixedHeight(shown * self.fontMetrics().lineSpacing() + around)


class EmptyState(QWidget):
    """What stands where no question was asked yet: what may be asked, or why nothing can be asked now."""

    chosen = Signal(str)
    hint_chosen = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._words = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self._words.setProperty("role", "muted")
        self._hint_button = QPushButton()
        self._hint_button.setProperty("primary", True)
        self._hint_button.clicked.connect(self.hint_chosen)
        self._examples = QButtonGroup(self)
        self._examples.buttonClicked.connect(self._on_example_clicked)
        column = QVBoxLayout(self)
        column.setSpacing(8)
        column.addStretch(2)
        column.addWidget(self._icon)
        column.addWidget(self._words)
        column.addSpacing(4)
        column.addWidget(self._hint_button, 0, Qt.AlignmentFlag.AlignHCenter)
        for question in self._questions():
            button = QPushButton(question, flat=True)
            button.setMinimumWidth(1)
            self._examples.addButton(button)
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        theme.changed.connect(self.recolour)
        self.recolour()
        self.show_hint("", "")

    def show_hint(self, text: str, button: str) -> None:
        """Say why nothing can be asked and what to do; an empty text offers examples instead."""
        self._words.setText(
            text or self.tr("Ask anything about this book. Each answer shows which pages were read again for it.")
        )
        self._hint_button.setText(button)
        self._hint_button.setVisible(bool(text and button))
        for example in self._examples.buttons():
            example.setVisible(not text)

    def recolour(self) -> None:
        """Draw the icon in the colours of the moment."""
        icon = self._theme.icon("chat-circle-dots")
        self._icon.setPixmap(icon.pixmap(QSize(_ICON, _ICON), self.devicePixelRatioF()))

    def tab_stops(self) -> list[QWidget]:
        """What the Tab key reaches, in order."""
        return [self._hint_button, *self._examples.buttons()]

    def _questions(self) -> tuple[str, ...]:
        return (
            self.tr("What is this book about?"),
            self.tr("What are the main points?"),
            self.tr("Which terms are defined?"),
        )

    def _on_example_clicked(self, button: QAbstractButton) -> None:
        self.chosen.emit(button.text())


class ChatPane(QWidget):
    """Questions to one book and their answers."""

    asked = Signal(str)
    stop_requested = Signal()
    page_chosen = Signal(int)
    hint_chosen = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = ""
        self._pages: Container[int] = ()
        self.recognised: set[int] = set()
        """The pages of which some text was recognised in pictures; whoever knows the book keeps this true."""
        self._older: list[Asked] = []
        self._exchanges: list[Exchange] = []
        self._current: Exchange | None = None
        self._last_question = ""
        self._hint = ""
        self._following = True
        self._from_end: int | None = None
        self._build()
        theme.changed.connect(self._on_theme_changed)
        self._refresh()

    # -- what it is told ---------------------------------------------------------------------------------------------

    def show_book(self, title: str, history: Sequence[Asked], pages: int = 0) -> None:
        """Show a book's questions, oldest first; `pages` is how many pages an answer may name, where that is known.

        Whatever was shown goes, a running answer too; what was typed goes with the book it was meant for.
        """
        self._drop(self._exchanges)
        if title != self._title:
            self._field.clear()
        self._title = title
        self._pages = range(1, pages + 1)
        self._last_question = history[-1].question if history else ""
        self._older = list(history[:-AT_ONCE])
        for asked in history[-AT_ONCE:]:
            self._show_kept(asked, len(self._exchanges))
        self._scroll.setAccessibleName(self.tr("Questions about \u201c{title}\u201d").format(title=title))
        self._refresh()
        self._follow()

    def clear(self) -> None:
        """Show no book; a hint stays until it is set anew."""
        self.show_book("", ())
        self._field.clear()

    def set_hint(self, text: str, button: str) -> None:
        """Say why nothing can be asked now, with a button for what to do; an empty text lets questions be asked."""
        self._hint = text
        self._empty.show_hint(text, button)
        self._hint_words.setText(text)
        self._hint_button.setText(button)
        self._hint_button.setVisible(bool(button))
        self._refresh()

    def begin(self, question: str) -> None:
        """A question is being answered; the try of it that failed last gives way."""
        if self._exchanges and self._exchanges[-1].failed and self._exchanges[-1].question == question:
            self._drop(self._exchanges[-1:])
        self._current = self._add(question, len(self._exchanges))
        self._current.tell(self.tr("Asking…"))
        self._last_question = question
        if self._field.question() == question.strip():
            self._field.clear()
        self._refresh()
        self._follow()

    def tell(self, words: str) -> None:
        """Say what is being done for the question before the first word of its answer."""
        if self._current:
            self._current.tell(words)

    def looked_up(self, look_ups: Sequence[LookUp]) -> None:
        """Show which pages are read again for the question."""
        if self._current:
            self._current.looked_up(look_ups)
            self._current.tell(self.tr("Reading these pages…") if look_ups else self.tr("Reading the gists…"))
            self._order_tabs()

    def add_text(self, text: str) -> None:
        """Add a piece of the answer."""
        if self._current:
            self._current.add_text(text)

    def finish(self, answer: Answer) -> None:
        """The answer is whole."""
        if self._current:
            self._current.finish(answer)
            self._end()

    def fail(self, error: ReadDeskError) -> None:
        """The question came to an error; it goes back into the field unless something else was typed meanwhile."""
        if self._current:
            self._current.fail(error)
            if not self._field.toPlainText():
                self._write(self._current.question)
            self._end()

    def stopped(self) -> None:
        """The question was stopped; what was written stays."""
        if self._current:
            self._current.stop()
            self._end()

    def focus_question(self) -> None:
        """Let the person type a question, or do what must be done before."""
        (self._field if self._field.isEnabled() else self._hint_button).setFocus()

    # -- how it is built ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._exchange_list(), 1)
        column.addWidget(self._hint_bar())
        column.addWidget(self._composer())

    def _exchange_list(self) -> QScrollArea:
        self._scroll = QScrollArea(widgetResizable=True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._empty = EmptyState(self._theme)
        self._empty.chosen.connect(self._on_example_chosen)
        self._empty.hint_chosen.connect(self.hint_chosen)
        self._earlier = QPushButton(self.tr("Show earlier questions"), flat=True)
        self._earlier.clicked.connect(self._on_earlier_clicked)
        self._column = QVBoxLayout()
        self._column.setSpacing(24)
        content = QWidget()
        inside = QVBoxLayout(content)
        inside.setContentsMargins(_MARGIN - FLAT_PADDING, _MARGIN, _MARGIN - FLAT_PADDING, _MARGIN)
        inside.setSpacing(12)
        inside.addWidget(self._empty, 1)
        inside.addWidget(self._earlier, 0, Qt.AlignmentFlag.AlignHCenter)
        inside.addLayout(self._column)
        inside.addStretch(0)
        self._scroll.setWidget(content)
        bar = self._scroll.verticalScrollBar()
        bar.rangeChanged.connect(self._on_range_changed)
        bar.valueChanged.connect(self._on_scrolled)
        return self._scroll

    def _hint_bar(self) -> QFrame:
        """Where the hint stands when the empty state is not shown."""
        self._hint_frame = QFrame()
        self._hint_frame.setProperty("role", "hint")
        self._hint_words = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._hint_words.setProperty("role", "muted")
        self._hint_button = QPushButton()
        self._hint_button.clicked.connect(self.hint_chosen)
        row = QHBoxLayout(self._hint_frame)
        row.setContentsMargins(_MARGIN, 8, _MARGIN, 8)
        row.addWidget(self._hint_words, 1)
        row.addWidget(self._hint_button)
        return self._hint_frame

    def _composer(self) -> QFrame:
        frame = QFrame()
        frame.setProperty("role", "composer")
        self._field = QuestionField()
        self._field.setPlaceholderText(self.tr("Ask this book…"))
        self._field.setAccessibleName(self.tr("Question"))
        self._field.sent.connect(self._on_sent)
        self._field.recalled.connect(self._on_recalled)
        self._field.textChanged.connect(self._refresh_send)
        self._send = QPushButton()
        self._send.setProperty("primary", True)
        self._send.setProperty("role", "send")
        self._send.clicked.connect(self._on_send_clicked)
        row = QHBoxLayout(frame)
        row.setContentsMargins(_MARGIN, 10, _MARGIN, 10)
        row.setSpacing(8)
        row.addWidget(self._field, 1)
        row.addWidget(self._send, 0, Qt.AlignmentFlag.AlignBottom)
        return frame

    # -- exchanges ---------------------------------------------------------------------------------------------------

    def _add(self, question: str, place: int) -> Exchange:
        exchange = Exchange(question, self._pages, self.recognised)
        exchange.page_chosen.connect(self.page_chosen)
        exchange.asked_again.connect(self._on_asked_again)
        exchange.stop_requested.connect(self.stop_requested)
        self._exchanges.insert(place, exchange)
        self._column.insertWidget(place, exchange)
        return exchange

    def _show_kept(self, asked: Asked, place: int) -> None:
        self._add(asked.question, place).show_kept(asked)

    def _drop(self, exchanges: Sequence[Exchange]) -> None:
        for exchange in list(exchanges):
            self._exchanges.remove(exchange)
            self._column.removeWidget(exchange)
            exchange.hide()
            exchange.deleteLater()
        if self._current not in self._exchanges:
            self._current = None

    def _end(self) -> None:
        self._current = None
        self._refresh()

    # -- state -------------------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        """Show what is possible now."""
        self._empty.setVisible(not self._exchanges)
        self._earlier.setVisible(bool(self._older))
        self._hint_frame.setVisible(bool(self._hint and self._exchanges))
        self._field.setEnabled(not self._hint)
        for exchange in self._exchanges:
            exchange.let_ask(self._may_ask())
        self._refresh_send()
        self._order_tabs()

    def _refresh_send(self) -> None:
        running = self._current is not None
        name = self.tr("Stop") if running else self.tr("Ask")
        if name != self._send.accessibleName():
            self._send.setAccessibleName(name)
            self._draw_send()
            self._send.setToolTip(self.tr("Stop this answer (Esc)") if running else self.tr("Ask (Enter)"))
        self._send.setEnabled(running or (self._may_ask() and bool(self._field.question())))

    def _draw_send(self) -> None:
        self._send.setIcon(self._theme.icon("stop" if self._current else "paper-plane-tilt", "on_accent"))

    def _may_ask(self) -> bool:
        return self._current is None and not self._hint

    def _write(self, words: str) -> None:
        self._field.setPlainText(words)
        self._field.moveCursor(self._field.textCursor().MoveOperation.End)

    def _order_tabs(self) -> None:
        """From top to bottom; without this Qt goes by when a widget was made."""
        stops: list[QWidget] = [self._scroll, *self._empty.tab_stops(), self._earlier]
        for exchange in self._exchanges:
            stops += exchange.tab_stops()
        for one, next_one in pairwise([*stops, self._hint_button, self._field, self._send]):
            QWidget.setTabOrder(one, next_one)

    def _follow(self) -> None:
        bar = self._scroll.verticalScrollBar()
        self._following, self._from_end = True, None
        bar.setValue(bar.maximum())

    # -- what happens ------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Escape is ours while an answer is being made, before any shortcut of the window."""
        if event.type() == QEvent.Type.ShortcutOverride and self._is_stop(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape stops the answer that is being made."""
        if self._is_stop(event):
            self.stop_requested.emit()
        else:
            super().keyPressEvent(event)

    def _is_stop(self, event: QEvent) -> bool:
        return self._current is not None and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape

    def _on_sent(self) -> None:
        if self._may_ask() and (question := self._field.question()):
            self.asked.emit(question)

    def _on_send_clicked(self) -> None:
        if self._current:
            self.stop_requested.emit()
        else:
            self._on_sent()

    def _on_asked_again(self, question: str) -> None:
        if self._may_ask():
            self.asked.emit(question)

    def _on_recalled(self) -> None:
        if self._last_question:
            self._write(self._last_question)

    def _on_example_chosen(self, question: str) -> None:
        self._write(question)
        self._field.setFocus()

    def _on_earlier_clicked(self) -> None:
        """Twenty more above; what is being read stays where it is."""
        bar = self._scroll.verticalScrollBar()
        self._following, self._from_end = False, bar.maximum() - bar.value()
        # A button that is hidden hands the focus on, and the view would jump to whatever gets it.
        self._scroll.setFocus()
        more, self._older = self._older[-AT_ONCE:], self._older[:-AT_ONCE]
        for place, asked in enumerate(more):
            self._show_kept(asked, place)
        self._refresh()

    def _on_range_changed(self, _lowest: int, highest: int) -> None:
        bar = self._scroll.verticalScrollBar()
        if self._from_end is not None:
            bar.setValue(highest - self._from_end)
        elif self._following:
            bar.setValue(highest)

    def _on_scrolled(self, value: int) -> None:
        highest = self._scroll.verticalScrollBar().maximum()
        self._following = value >= highest - _AT_THE_END
        if self._from_end is not None and value != highest - self._from_end:
            self._from_end = None

    def _on_theme_changed(self) -> None:
        self._draw_send()
        for exchange in self._exchanges:
            exchange.recolour()
