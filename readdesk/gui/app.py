"""Starts the window: program, theme, desk, bridge, and what happens to an error nobody expected.

The desk's work is stopped after the window has gone from the screen, so that closing never looks like hanging. What
must stay true: a bug is told in a sentence and written to the log, never shown as a traceback, and does not end the
program.
"""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from readdesk.desk import Desk
from readdesk.errors import ReadDeskError
from readdesk.gui.bridge import Bridge
from readdesk.gui.mainwindow import MainWindow
from readdesk.gui.signals import EndSignals
from readdesk.gui.theme import Theme
from readdesk.paths import Paths
from readdesk.settings import load_settings

_logger = logging.getLogger(__name__)


class Window:
    """Everything that lives as long as the window: made together, closed together."""

    def __init__(self, app: QApplication, paths: Paths, *, offline: bool = False) -> None:
        settings = load_settings(paths.config)
        self.theme = Theme(app, settings.text("window.theme"))
        self.bridge = Bridge()
        self.desk = Desk(paths, settings, self.bridge.post, offline=offline)
        try:
            self.desk.warm_up()
            self.main = MainWindow(self.desk, self.bridge, self.theme)
        except BaseException:
            self.desk.close()  # Else its threads would keep the program alive without a window.
            raise

    def begin(self, files: Sequence[Path] = ()) -> None:
        """Show the window and open what was named; the handbook where the library is new."""
        self.main.show()
        self.main.add_handbook(opened=not files)
        if files:
            self.main.open_files(list(files))

    def close(self) -> None:
        """Stop all work and give everything back."""
        self.main.hide()
        self.bridge.close()
        self.desk.close()
        self.main.deleteLater()


def run(paths: Paths, files: Sequence[Path] = (), *, offline: bool = False) -> int:
    """Show the window until it is closed; returns the exit code.

    Raises ReadDeskError when it cannot be opened, after a box has told: who clicked an icon sees no terminal.
    """
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("ReadDesk")
    app.setDesktopFileName("readdesk")
    try:
        window = Window(app, paths, offline=offline)
    except ReadDeskError as error:
        QMessageBox.critical(None, "ReadDesk", error.words)
        raise
    sys.excepthook = _ErrorTeller(window.main)
    ends = EndSignals(window.main.close, app)
    gc.freeze()  # What is there from the start stays: looking through it again and again would hold up the window.
    try:
        QTimer.singleShot(0, lambda: window.begin(files))
        return app.exec()
    finally:
        window.close()
        ends.close()
        sys.excepthook = sys.__excepthook__


class _ErrorTeller:
    """Tells of an error nobody expected, and keeps it in the log."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def __call__(self, kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        _logger.error("window", exc_info=(kind, error, traceback))
        told = (
            error
            if isinstance(error, ReadDeskError)
            else ReadDeskError(
                QCoreApplication.translate("App", "Something went wrong inside ReadDesk."),
                QCoreApplication.translate("App", "Nothing that was saved is lost; the log file says more."),
            )
        )
        self._window.messages.show_error(told)
