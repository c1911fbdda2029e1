"""The small questions of the window: which files, which model, where to, which page.

Each is asked in a dialog that holds nothing up, and its answer goes to whoever does the thing. What must stay true:
nothing is done here, and a dialog that was closed has done nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMessageBox, QWidget

from readdesk.library.model import DocumentRecord

BOOKS = (
    *("epub", "pdf", "txt", "md", "markdown", "html", "htm", "xhtml", "mht", "mhtml"),
    *("fb2", "mobi", "prc", "azw", "xps", "oxps", "cbz"),
)
"""How the names of files end that can be opened."""

_LONGEST_NAME = 80


class Choosing(QObject):
    """Asks in front of one window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window

    def files(self, use: Callable[[list[Path]], None]) -> None:
        """Ask which files to open."""
        ends = " ".join(f"*.{ending}" for ending in BOOKS)
        kinds = self.tr("Books and texts ({endings});;All files (*)").format(endings=ends)
        names, _ = QFileDialog.getOpenFileNames(self._window, self.tr("Open books"), "", kinds)
        if names:
            use([Path(name) for name in names])

    def model_file(self, use: Callable[[Path], None]) -> None:
        """Ask for a model file."""
        title, kinds = self.tr("Use a model file"), self.tr("Models (*.gguf)")
        name, _ = QFileDialog.getOpenFileName(self._window, title, "", kinds)
        if name:
            use(Path(name))

    def export(self, record: DocumentRecord, use: Callable[[Path], None]) -> None:
        """Ask where the gists of a book go."""
        suggestion = "".join(" " if character in '/\\:*?"<>|' else character for character in record.title).strip()
        title, kinds = self.tr("Export the gists"), self.tr("Markdown (*.md)")
        name, _ = QFileDialog.getSaveFileName(self._window, title, f"{suggestion[:_LONGEST_NAME]}.md", kinds)
        if name:
            use(Path(name))

    def page(self, names: tuple[str, ...], use: Callable[[str], None], *, has_leaves: bool = False) -> None:
        """Ask for a printed page by its label, in a book of leaves also for a leaf by its number."""
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle(self.tr("Go to a printed page"))
        words = self.tr("Printed page, {first} to {last}:").format(first=names[0], last=names[-1])
        if has_leaves:
            words += "\n" + self.tr("(A leaf by its number: #5 is the fifth.)")
        dialog.setLabelText(words)
        dialog.textValueSelected.connect(use)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def model(self, size: str, starter: Callable[[], None], own: Callable[[], None]) -> None:
        """Offer the ways to a model; the starter model is of that size."""
        box = QMessageBox(self._window)
        box.setWindowTitle(self.tr("Get a model"))
        box.setText(self.tr("A language model on this computer does the reading."))
        box.setInformativeText(
            self.tr("The starter model is {size} to download; better ones are in the Model menu.").format(size=size)
        )
        first = box.addButton(self.tr("Get the starter model"), QMessageBox.ButtonRole.AcceptRole)
        second = box.addButton(self.tr("Use a model file\u2026"), QMessageBox.ButtonRole.ActionRole)
        box.addButton(self.tr("Later"), QMessageBox.ButtonRole.RejectRole)
        first.clicked.connect(starter)
        second.clicked.connect(own)
        box.finished.connect(box.deleteLater)
        box.open()
