"""The page that is shown, in a box to write another one into: "p. [127] · leaf 143 of 480".

What is written there goes to whoever knows the book; Escape takes it back. What must stay true: following the book
never changes what a person is writing.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QSizePolicy, QWidget

from readdesk.gui.figures import plain_tip

_CHARACTERS, _MOST_CHARACTERS = 5, 11


class PageBox(QWidget):
    """Shows a page and asks for others."""

    chosen = Signal(str)
    """What a person wrote."""
    left = Signal()
    """The box has done its work: the keyboard belongs to the book again."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._before = QLabel()
        self._field = QLineEdit()
        self._after = QLabel()
        self._shown = ""
        for label in (self._before, self._after):
            label.setProperty("role", "small")
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._field.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._field.setAccessibleName(self.tr("Page"))
        self._field.installEventFilter(self)
        self._field.returnPressed.connect(self._on_return)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(4, 0, 8, 0)
        layout.setSpacing(5)
        for widget in (self._before, self._field, self._after):
            layout.addWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.show_page("", "", "")

    @property
    def words(self) -> str:
        """Everything that is shown, as one line."""
        return " ".join(filter(None, (self._before.text(), self._shown, self._after.text())))

    def show_page(self, before: str, name: str, after: str, tip: str = "") -> None:
        """Show a page by its name, with words before and after it; the box stays while one writes."""
        self._shown = name
        self._before.setText(before)
        self._after.setText(after)
        if not self._field.isModified():
            self._field.setText(name)
        self._field.setFixedWidth(self._width(name))
        self._field.setToolTip(plain_tip(tip) if tip else "")
        self._field.setAccessibleDescription(self.words)
        for widget in (self._before, self._field, self._after):
            widget.setVisible(bool(before or name or after))

    def _width(self, name: str) -> int:
        count = min(max(len(name), _CHARACTERS), _MOST_CHARACTERS)
        return QFontMetrics(self._field.font()).horizontalAdvance("0" * count) + 22

    def begin(self) -> None:
        """Put the keyboard into the box, what stands there selected."""
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._field.selectAll()

    def _on_return(self) -> None:
        words = self._field.text().strip()
        self._restore()
        if words:
            self.chosen.emit(words)
        self.left.emit()

    def _restore(self) -> None:
        self._field.setText(self._shown)
        self._field.setModified(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self._restore()
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            self._restore()
            self.left.emit()
            return True
        return super().eventFilter(watched, event)
