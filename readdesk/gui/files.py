"""Bringing things in and out: adding files to the library and reading them again, and exporting gists.

Each job has a strip with its progress and a way to stop it; what goes wrong is told as a sentence. Several files can be
added at once; the last one that was named is opened when it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QInputDialog, QLabel, QLineEdit, QWidget

from readdesk.desk import Desk
from readdesk.documents.model import Choices
from readdesk.errors import PasswordNeeded, ReadDeskError
from readdesk.gui.bridge import Bridge
from readdesk.gui.widgets.strips import Strips
from readdesk.jobs.events import Done, Failed, Progress, Stopped
from readdesk.library.model import DocumentRecord


class Files(QObject):
    """Adds and exports for one window."""

    added = Signal(object, bool)
    """A DocumentRecord, and whether it is to be opened."""
    reread = Signal(object)
    """The DocumentRecord of a document that was read again in another way."""
    exported = Signal(object)
    """The file that was written."""
    failed = Signal(object)
    """A ReadDeskError."""

    def __init__(self, desk: Desk, bridge: Bridge, strips: Strips, window: QWidget) -> None:
        super().__init__(window)
        self._desk = desk
        self._bridge = bridge
        self._strips = strips
        self._window = window

    def add(self, paths: Sequence[Path], *, opened: bool = True) -> None:
        """Add files to the library; the last one is opened when it is there."""
        for number, path in enumerate(paths, 1):
            self._add(path, None, opened and number == len(paths))

    def _add(self, path: Path, password: str | None, opened: bool) -> None:
        job = self._desk.add(path, password)
        strip = self._strips.add(self.tr("Adding {name}\u2026").format(name=path.name), lambda: self._desk.stop(job))

        def on_failed(event: Failed) -> None:
            self._strips.remove(strip)
            if isinstance(event.error, PasswordNeeded):
                self.ask_password(event.error, lambda given: self._add(path, given, opened))
            else:
                self.failed.emit(event.error)

        def on_done(event: Done) -> None:
            self._strips.remove(strip)
            assert isinstance(event.result, DocumentRecord)
            self.added.emit(event.result, opened)

        self._bridge.follow(
            job,
            {
                Progress: strip.show_progress,
                Done: on_done,
                Failed: on_failed,
                Stopped: lambda _: self._strips.remove(strip),
            },
        )

    def read_again(self, record: DocumentRecord, choices: Choices) -> None:
        """Read a document's file again with other choices."""
        job = self._desk.reread(record.id, choices)
        words = self.tr("Reading {title} again\u2026").format(title=record.title)
        strip = self._strips.add(words, lambda: self._desk.stop(job))

        def on_done(event: Done) -> None:
            self._strips.remove(strip)
            self.reread.emit(event.result)

        def on_failed(event: Failed) -> None:
            self._strips.remove(strip)
            self.failed.emit(event.error)

        def on_stopped(_: object) -> None:
            self._strips.remove(strip)

        self._bridge.follow(job, {Progress: strip.show_progress, Done: on_done, Failed: on_failed, Stopped: on_stopped})

    def export(self, record: DocumentRecord, target: Path) -> None:
        """Write a book's gists to a file."""
        job = self._desk.export(record.id, "md", target)
        strip = self._strips.add(self.tr("Writing {name}\u2026").format(name=target.name), lambda: self._desk.stop(job))

        def on_ended(_: object) -> None:
            self._strips.remove(strip)

        def on_done(event: Done) -> None:
            self._strips.remove(strip)
            self.exported.emit(event.result)

        def on_failed(event: Failed) -> None:
            self._strips.remove(strip)
            self.failed.emit(event.error)

        self._bridge.follow(job, {Done: on_done, Failed: on_failed, Stopped: on_ended})

    def ask_password(self, error: ReadDeskError, use: Callable[[str], object]) -> QInputDialog:
        """Ask for a file's password without holding anything up; `use` is called with it."""
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle(self.tr("Password"))
        dialog.setLabelText(self.tr("{what} Its password:").format(what=error.message))
        for label in dialog.findChildren(QLabel):
            label.setTextFormat(Qt.TextFormat.PlainText)
        dialog.setTextEchoMode(QLineEdit.EchoMode.Password)
        dialog.setOkButtonText(self.tr("Open"))
        dialog.textValueSelected.connect(use)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog
