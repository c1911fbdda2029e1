"""A layout that sets widgets in rows and begins a new row where one is full, as words are set in lines.

Qt has no such layout. Chips and small buttons need it, since a pane may be narrower than one row of them. What must
stay true: the height is a function of the width alone, hidden widgets take no room, and rows run from right to left
where the language does.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QStyle, QWidget


class FlowLayout(QLayout):
    """Rows of widgets, each at the size it asks for."""

    def __init__(self, parent: QWidget | None = None, gap: int = 6) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setSpacing(gap)
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        """Called by addWidget."""
        self._items.append(item)

    def count(self) -> int:
        """How many items there are, hidden ones too."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """The item at an index, None beyond the last: Qt counts on that."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove and return the item at an index, None beyond the last."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """It wants no more room than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Narrower means more rows."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of all rows in that width."""
        places = [place for _, place in self._places(QRect(0, 0, width, 0))]
        margins = self.contentsMargins()
        return max((place.bottom() + 1 for place in places), default=margins.top()) + margins.bottom()

    def setGeometry(self, rect: QRect) -> None:
        """Place every widget that is shown."""
        super().setGeometry(rect)
        parent = self.parentWidget()
        direction = parent.layoutDirection() if parent else Qt.LayoutDirection.LeftToRight
        for item, place in list(self._places(rect)):
            item.setGeometry(QStyle.visualRect(direction, rect, place))

    def sizeHint(self) -> QSize:
        """All in one row."""
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() for size in sizes) + self.spacing() * max(0, len(sizes) - 1)
        return self._with_margins(QSize(width, max((size.height() for size in sizes), default=0)))

    def minimumSize(self) -> QSize:
        """As much as the largest widget."""
        size = QSize()
        for item in self._items:
            if not item.isEmpty():
                size = size.expandedTo(item.minimumSize())
        return self._with_margins(size)

    def _with_margins(self, size: QSize) -> QSize:
        margins = self.contentsMargins()
        return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _places(self, rect: QRect) -> Iterator[tuple[QLayoutItem, QRect]]:
        """Every shown item and where it stands, from the left."""
        inner = rect.marginsRemoved(self.contentsMargins())
        x, y, row_height = inner.x(), inner.y(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            size.setWidth(max(min(size.width(), inner.width()), item.minimumSize().width()))
            if x > inner.x() and x + size.width() > inner.right() + 1:
                x, y, row_height = inner.x(), y + row_height + self.spacing(), 0
            yield item, QRect(QPoint(x, y), size)
            x += size.width() + self.spacing()
            row_height = max(row_height, size.height())
