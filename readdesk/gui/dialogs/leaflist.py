"""The leaves of a book by what came out of them: how many are of each kind, and each of them when a kind is unfolded.

What must stay true: it costs what is unfolded; an ordinary book is one quiet line.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from readdesk.documents.model import LeafHealth
from readdesk.gui.leafwords import KINDS, kind_summary, leaf_heading, leaf_words
from readdesk.gui.theme import Theme

_LEAF = Qt.ItemDataRole.UserRole
_MOST_LINES = 9
_PADDING = 8


class LeafList(QTreeWidget):
    """Lists the leaves of one document."""

    shown = Signal(int)
    """A leaf to show in the book."""
    chosen = Signal(int)
    """A leaf to go to."""

    def __init__(self, leaves: Sequence[LeafHealth], theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._leaves = leaves
        self._theme = theme
        self._heads: list[QTreeWidgetItem] = []
        self._kinds = {kind: [leaf for leaf in leaves if leaf.kind == kind] for kind in KINDS}
        self.setProperty("role", "choices")
        self.setHeaderHidden(True)
        self.setColumnCount(1)
        self.setIndentation(16)
        self.setExpandsOnDoubleClick(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setUniformRowHeights(True)
        self.setAccessibleName(self.tr("Leaves by what came out of them"))
        for kind, found in self._kinds.items():
            if found:
                item = QTreeWidgetItem(self, [kind_summary(kind, found)])
                item.setSizeHint(0, QSize(0, self._line))
                item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
                item.setData(0, _LEAF, kind)
                self._heads.append(item)
        self.itemExpanded.connect(self._on_expanded)
        self.itemCollapsed.connect(lambda _: self._fit())
        self.itemClicked.connect(self._on_clicked)
        self.itemActivated.connect(self._on_activated)
        theme.changed.connect(self._on_theme_changed)
        self._fit()

    @property
    def _line(self) -> int:
        return QFontMetrics(self.font()).height() + _PADDING

    @property
    def words(self) -> str:
        """What is told of the kinds, one a line."""
        return "\n".join(kind_summary(kind, found) for kind, found in self._kinds.items() if found)

    def _on_expanded(self, item: QTreeWidgetItem) -> None:
        if not item.childCount():
            for leaf in self._kinds[item.data(0, _LEAF)]:
                name, words = leaf_heading(leaf, len(self._leaves)), leaf_words(leaf)
                child = QTreeWidgetItem(item, [" \u2013 ".join(filter(None, (name, words)))])
                child.setData(0, _LEAF, leaf.index)
                child.setSizeHint(0, QSize(0, self._line))
                child.setToolTip(0, self.tr("Show this leaf"))
                font = QFont(self.font())
                font.setPointSizeF(font.pointSizeF() * 0.93)
                child.setFont(0, font)
                child.setForeground(0, self._theme.colour("muted"))
        self._fit()

    def _fit(self) -> None:
        """Be at least as high as the lines need, up to a few."""
        lines = len(self._heads) + sum(item.childCount() for item in self._heads if item.isExpanded())
        lines = min(_MOST_LINES, max(1, lines))
        self.setMinimumHeight(lines * self._line + 4)

    def _on_clicked(self, item: QTreeWidgetItem) -> None:
        leaf = item.data(0, _LEAF)
        if isinstance(leaf, int):
            self.shown.emit(leaf)
        else:
            item.setExpanded(not item.isExpanded())

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        leaf = item.data(0, _LEAF)
        if isinstance(leaf, int):
            self.chosen.emit(leaf)

    def _on_theme_changed(self) -> None:
        for head in self._heads:
            for leaf in head.takeChildren():
                leaf.setForeground(0, self._theme.colour("muted"))
                head.addChild(leaf)
