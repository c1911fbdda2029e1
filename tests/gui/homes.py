"""A whole window over a home of its own, with the real model *tiny* at hand, and a check that nothing of it is left."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import psutil
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from readdesk.gui.app import Window
from readdesk.paths import Paths

PATIENCE = 120_000
"""Milliseconds after which a test gives up waiting for a job."""


class Sitting:
    """One run of the program: a window from its start to its end."""

    def __init__(self, qtbot: QtBot, app: QApplication, paths: Paths, *files: Path, offline: bool = True) -> None:
        self._qtbot = qtbot
        self.paths = paths
        self._threads = set(threading.enumerate())
        self._children = set(psutil.Process().children(recursive=True))
        self.window = Window(app, paths, offline=offline)
        self.main = self.window.main
        self.main.resize(1200, 800)
        self.window.begin(files)

    def until(self, true: Callable[[], bool], milliseconds: int = PATIENCE) -> None:
        """Wait, with the window alive, until something holds."""
        self._qtbot.waitUntil(true, timeout=milliseconds)

    def quit(self) -> None:
        """Close the window as a person does, and look for what stayed."""
        self.main.close()
        self.window.close()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert not shiboken6.isValid(self.main), "the window was not deleted, nor its timers"
        stayed = set(threading.enumerate()) - self._threads
        assert not stayed, f"threads stayed: {stayed}"
        children = [child for child in set(psutil.Process().children(recursive=True)) - self._children if _lives(child)]
        assert not children, f"processes stayed: {children}"
        windows = [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()]
        assert not windows, f"windows stayed: {windows}"


def _lives(process: psutil.Process) -> bool:
    try:
        # multiprocessing keeps this helper of its own as long as the tests run.
        helper = "resource_tracker" in " ".join(process.cmdline())
        return not helper and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
