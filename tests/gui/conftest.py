"""What the tests of the window share: one program, one theme."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from readdesk.gui.theme import Theme


@pytest.fixture(scope="session")
def theme(qapp: QApplication) -> Theme:
    """The theme of all tests, light."""
    return Theme(qapp, "light")
