"""Every text that a person sees goes through Qt's translation functions: no bare words in the window's room."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOM = Path(__file__).resolve().parents[2] / "readdesk" / "gui"
SHOWING = {
    *("setText", "setToolTip", "setPlaceholderText", "setAccessibleName", "setAccessibleDescription"),
    *("setWindowTitle", "setLabelText", "setInformativeText", "setOkButtonText", "addTab", "addMenu", "addButton"),
    *("QLabel", "QPushButton", "QAction", "QToolBar", "show_words", "set_hint", "tell"),
}
NAMES = {"ReadDesk"}
"""What is called the same in every language."""


def bare_texts(source: str) -> list[str]:
    """Words that are shown as they stand in the source."""
    found = []
    for call in ast.walk(ast.parse(source)):
        if not isinstance(call, ast.Call):
            continue
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if name in SHOWING:
            found += [
                argument.value
                for argument in call.args
                if isinstance(argument, ast.Constant)
                and isinstance(argument.value, str)
                and any(map(str.isalpha, argument.value))
                and argument.value not in NAMES
            ]
    return found


@pytest.mark.parametrize("file", sorted(ROOM.rglob("*.py")), ids=lambda file: file.name)
def test_no_bare_words(file: Path) -> None:
    assert bare_texts(file.read_text(encoding="utf-8")) == []


def test_bare_words_are_found() -> None:
    assert bare_texts("label.setText('Open')\nQLabel('Open')\nlabel.setText(self.tr('Open'))") == ["Open", "Open"]
