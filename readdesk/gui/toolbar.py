"""The bar above: the way to the library, the title of the open book, its page, and how large it is shown.

It shows what it is told and knows no book. What must stay true: on a narrow window the title gives way first.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolBar

from readdesk.gui import figures
from readdesk.gui.actions import Actions
from readdesk.gui.reader.place import ReaderPlace
from readdesk.gui.widgets.pagebox import PageBox


class TitleLabel(QLabel):
    """One line in the middle, elided at its end where there is too little room; QLabel would cut off both ends."""

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        words = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, words)
        painter.end()


class ToolBar(QToolBar):
    """The tools of one window."""

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self._title = TitleLabel()
        self._zoom = QLabel()
        self.page = PageBox()
        self.setWindowTitle(self.tr("Tools"))
        self.setObjectName("tools")
        self.setMovable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self._title.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._title.setMinimumWidth(10)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._zoom.setProperty("role", "small")
        self._zoom.setMinimumWidth(44)
        self._zoom.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._fill(actions)

    def _fill(self, actions: Actions) -> None:
        for name in ("library", "open"):
            self.addAction(actions[name])
        self.addSeparator()
        self.addAction(actions["sidebar"])
        self.addAction(actions["back"])
        self.addWidget(self._title)
        self._page_action = self.addWidget(self.page)
        self.addAction(actions["as_text"])
        self.addAction(actions["zoom_out"])
        self.addWidget(self._zoom)
        self.addAction(actions["zoom_in"])
        self.addSeparator()
        self.addAction(actions["chat"])

    def show_title(self, title: str) -> None:
        """Show the title of the open book; "" for none."""
        self._title.setText(title)
        self._title.setToolTip(figures.plain_tip(title) if title else "")

    def show_zoom(self, zoom: float | None) -> None:
        """Show how large the book is; None where none is open."""
        self._zoom.setText("" if zoom is None else f"{zoom:.0%}")

    def show_page(self, reader: ReaderPlace) -> None:
        """Show the page at which a reader is: a printed one, a leaf, or both."""
        names, leaf = reader.names, reader.leaf
        if leaf is None:
            name = reader.leaf_name
            self.page.show_page(self.tr("p.") if name else "", name, "", self.tr("Printed page"))
            self._page_action.setVisible(bool(name))
            return
        label = names.label(leaf)
        if label:
            after = f"\u00b7 {names.leaf_words(leaf)}"
            tip = self.tr("Printed page; write another one to go there")
            self.page.show_page(self.tr("p."), label, after, tip)
        else:
            after = self.tr("of {count}").format(count=len(names.labels))
            tip = self.tr(
                "Nothing is known to be printed on this leaf; write a page or the number of a leaf to go there"
            )
            self.page.show_page(self.tr("leaf"), str(leaf + 1), after, tip)
        self._page_action.setVisible(True)
