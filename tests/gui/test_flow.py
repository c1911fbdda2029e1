"""The layout that sets widgets in rows."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from readdesk.gui.widgets.flow import FlowLayout


def flow_of(qtbot: QtBot, width: int, count: int = 4) -> tuple[QWidget, list[QWidget]]:
    holder = QWidget()
    qtbot.addWidget(holder)
    flow = FlowLayout(holder, 10)
    parts = [QWidget() for _ in range(count)]
    for part in parts:
        part.setFixedSize(50, 20)
        flow.addWidget(part)
    holder.resize(width, 200)
    holder.show()
    return holder, parts


@pytest.mark.parametrize(("width", "rows"), [(230, [0] * 4), (229, [0, 0, 0, 30]), (60, [0, 30, 60, 90])])
def test_rows_break_where_they_are_full(qtbot: QtBot, width: int, rows: list[int]) -> None:
    holder, parts = flow_of(qtbot, width)
    assert [part.y() for part in parts] == rows
    assert holder.heightForWidth(width) == rows[-1] + 20
    assert holder.sizeHint().width() == 230
    assert holder.minimumSizeHint().width() == 50


def test_hidden_parts_take_no_room_and_rows_run_the_way_of_the_language(qtbot: QtBot) -> None:
    holder, parts = flow_of(qtbot, 230)
    parts[0].hide()
    holder.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    qtbot.waitUntil(lambda: parts[1].x() == 180)
    assert [part.x() for part in parts[1:]] == [180, 120, 60]
    flow = holder.layout()
    assert isinstance(flow, FlowLayout)
    assert flow.count() == 4
    assert flow.takeAt(0).widget() is parts[0]  # type: ignore[union-attr]
    assert (flow.count(), flow.itemAt(3), flow.takeAt(9)) == (3, None, None)
