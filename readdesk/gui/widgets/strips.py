"""Two kinds of strips: what is being done, with a way to stop it, and what a person must be told, with a next step."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from readdesk.errors import ReadDeskError
from readdesk.gui.figures import duration
from readdesk.gui.theme import Theme
from readdesk.jobs.events import Progress

_SHOWN_AFTER_MILLISECONDS = 250
_NEWS_MILLISECONDS = 12_000
_MOST_ERRORS = 4
_MOST_STRIPS = 3


class WorkStrip(QFrame):
    """One line for a job: its words, how far it is, and a button that stops it.

    It shows itself only when the job takes longer than a moment: a strip that flashes up says nothing.
    """

    stop_wanted = Signal()

    def __init__(self, theme: Theme, words: str) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self._words = QLabel()
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 0)
        self._bar.setFixedWidth(180)
        self._left = QLabel()
        self._left.setProperty("role", "small")
        self._stop = stop = QToolButton()
        stop.setText(self.tr("Stop"))
        stop.setToolTip(self.tr("Stop this"))
        theme.dress(stop, "x")
        stop.clicked.connect(self.stop_wanted)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 4, 8, 4)
        layout.setSpacing(12)
        layout.addWidget(self._words, 1)
        layout.addWidget(self._left)
        layout.addWidget(self._bar)
        layout.addWidget(stop)
        self.show_words(words)
        self.hide()

    def show_words(self, words: str) -> None:
        """What the job does."""
        self._words.setText(words)
        self._bar.setAccessibleName(words)
        self._stop.setAccessibleName(self.tr("Stop: {what}").format(what=words))

    def show_details(self, words: str) -> None:
        """What is worth knowing of the job beside what it does."""
        for widget in (self, self._bar):
            widget.setToolTip(words)
            widget.setAccessibleDescription(words)

    def show_progress(self, event: Progress) -> None:
        """How far the job is."""
        if event.share is not None:
            self._bar.setRange(0, 1000)
            self._bar.setValue(int(event.share * 1000))
        left = self.tr("about {time} left").format(time=duration(event.seconds_left)) if event.seconds_left else ""
        self._left.setText(left)


class MessageStrip(QFrame):
    """A sentence a person must read, with what to do about it and, where there is one, a button that does it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "failure")
        self._words = QLabel()
        self._words.setWordWrap(True)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._icon = QLabel()
        self._theme = theme
        self._action = QPushButton()
        self._do: Callable[[], None] | None = None
        self._errors: list[str] = []
        self._timer = QTimer(self, interval=_NEWS_MILLISECONDS, singleShot=True)
        self._timer.timeout.connect(self.hide)
        close = QToolButton()
        close.setAccessibleName(self.tr("Close this message"))
        close.setToolTip(self.tr("Close"))
        theme.dress(close, "x")
        close.clicked.connect(self.hide)
        self._action.clicked.connect(self._on_action_clicked)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 8, 8, 8)
        layout.setSpacing(12)
        layout.addWidget(self._icon)
        layout.addWidget(self._words, 1)
        layout.addWidget(self._action)
        layout.addWidget(close)
        theme.changed.connect(self._on_theme_changed)
        self.hide()

    def show_error(self, error: ReadDeskError, action: str = "", do: Callable[[], None] | None = None) -> None:
        """Tell an error, beside those that nobody has closed yet."""
        if self.isHidden() or self.property("role") != "failure":
            self._errors = []
        if error.words not in self._errors:
            self._errors.append(error.words)
        told = self._errors[:_MOST_ERRORS]
        if len(self._errors) > _MOST_ERRORS:
            told.append(self.tr("\u2026 and {count} more.").format(count=len(self._errors) - _MOST_ERRORS))
        self._tell("\n".join(told), "failure", action, do)

    def show_words(self, words: str, action: str = "", do: Callable[[], None] | None = None) -> None:
        """Tell good news or plain facts, for a while where nothing is to be done about them."""
        self._tell(words, "card", action, do)
        if not action:
            self._timer.start()

    def show_warning(self, words: str) -> None:
        """Tell what must be known though nothing has failed: it stays, beside errors that nobody has closed yet."""
        if self.isHidden() or self.property("role") != "failure":
            self._tell(words, "card", "", None)
        else:
            self.show_error(ReadDeskError(words))

    def hide_news(self) -> None:
        """Take good news and plain facts away, which were about something else; an error stays."""
        if self.property("role") != "failure":
            self.hide()

    def _tell(self, words: str, role: str, action: str, do: Callable[[], None] | None) -> None:
        self._timer.stop()
        self._words.setText(words)
        self._words.setAccessibleName(words)
        self._action.setText(action)
        self._action.setVisible(bool(action))
        self._do = do
        self.setProperty("role", role)
        self._on_theme_changed()
        self.show()
        QAccessible.updateAccessibility(QAccessibleEvent(self._words, QAccessible.Event.Alert))

    def _on_theme_changed(self) -> None:
        is_bad = self.property("role") == "failure"
        icon = self._theme.icon("warning-circle" if is_bad else "info", "bad" if is_bad else "accent")
        self._icon.setPixmap(icon.pixmap(20, 20))
        self.style().unpolish(self)
        self.style().polish(self)

    def _on_action_clicked(self) -> None:
        self.hide()
        if self._do is not None:
            self._do()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)


class Strips(QWidget):
    """The strips under the window, one below the other; takes no room while there is none.

    Only the first few are shown, however many files were dropped: the rest are a number.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._strips: list[WorkStrip] = []
        self._more = QLabel()
        self._more.setProperty("role", "small")
        self._more.setContentsMargins(14, 2, 14, 6)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addWidget(self._more)
        self._more.hide()

    def add(self, words: str, stop: Callable[[], None]) -> WorkStrip:
        """A new strip; who added it removes it."""
        strip = WorkStrip(self._theme, words)
        strip.stop_wanted.connect(stop)
        self._strips.append(strip)
        self._arrange()
        return strip

    def remove(self, strip: WorkStrip) -> None:
        """Take a strip away; one that was taken away already is ignored."""
        if strip in self._strips:
            self._strips.remove(strip)
            self._layout.removeWidget(strip)
            strip.hide()
            strip.deleteLater()
            self._arrange()

    def _arrange(self) -> None:
        for strip in self._strips[:_MOST_STRIPS]:
            if self._layout.indexOf(strip) < 0:
                self._layout.insertWidget(self._layout.count() - 1, strip)
                QTimer.singleShot(_SHOWN_AFTER_MILLISECONDS, strip, strip.show)
        left = len(self._strips) - _MOST_STRIPS
        self._more.setText(self.tr("{count} more are waiting").format(count=left))
        self._more.setVisible(left > 0)
