"""Models in the window: which are here, which one reads new books, and bringing more."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from readdesk.desk import Desk
from readdesk.errors import ReadDeskError
from readdesk.gui import figures
from readdesk.gui.bridge import Bridge
from readdesk.gui.widgets.strips import Strips
from readdesk.jobs.events import Done, Failed, Progress, Stopped
from readdesk.llm.model import EngineInfo, ModelRecord

STARTER = "starter"


class Models(QObject):
    """Knows the models and fills the Model menu."""

    changed = Signal()
    """What is here, or what is chosen, or what is on its way."""
    failed = Signal(object)
    """A ReadDeskError."""
    file_wanted = Signal()
    arrived = Signal(str)
    """The name of a model that is here now."""
    warned = Signal(str)
    """What a person must know of a model before it is used."""

    def __init__(self, desk: Desk, bridge: Bridge, strips: Strips, window: QWidget) -> None:
        super().__init__(window)
        self._desk = desk
        self._bridge = bridge
        self._strips = strips
        self._fetching: set[str] = set()
        self._warned: set[tuple[str, str]] = set()
        """Models with what a person has heard of them."""
        self._more: QMenu | None = None
        self._choice: QActionGroup | None = None

    def default(self) -> ModelRecord | None:
        """The model that reads new books; None while there is none."""
        try:
            return self._desk.default_model()
        except ReadDeskError:
            return None

    def is_fetching(self, name: str) -> bool:
        """Whether a model is on its way."""
        return name in self._fetching

    def starter_size(self) -> str:
        """How much the starter model is to download."""
        records = {state.record.name: state.record for state in self._desk.models()}
        return figures.size(records[STARTER].size)

    def fetch(self, name: str) -> None:
        """Bring a model to this computer, with a strip that tells how far it is."""
        if name in self._fetching:
            return
        try:
            job = self._desk.fetch_model(name)
        except ReadDeskError as error:
            self.failed.emit(error)
            return
        self._fetching.add(name)
        words = self.tr("Getting the model {name}\u2026").format(name=name)
        strip = self._strips.add(words, lambda: self._desk.stop(job))

        def on_ended(event: Done | Failed | Stopped) -> None:
            self._fetching.discard(name)
            self._strips.remove(strip)
            self.changed.emit()
            if isinstance(event, Failed):
                self.failed.emit(event.error)
            elif isinstance(event, Done):
                self.arrived.emit(name)

        ends = {Done: on_ended, Failed: on_ended, Stopped: on_ended}
        self._bridge.follow(job, {Progress: strip.show_progress, **ends})
        self.changed.emit()

    def add_file(self, path: Path) -> None:
        """Make a .gguf file known and read new books with it."""
        try:
            record = self._desk.add_model(path)
            self._desk.set_option("models.default", record.name)
        except ReadDeskError as error:
            self.failed.emit(error)
            return
        self.changed.emit()
        self.arrived.emit(record.name)

    def warn_of(self, info: EngineInfo) -> None:
        """Say what must be known of a model that is loaded, once while the program runs."""
        told = (info.model, info.warning)
        if info.warning and told not in self._warned:
            self._warned.add(told)
            self.warned.emit(info.words)

    def choose(self, name: str) -> None:
        """Read new books with this model."""
        try:
            self._desk.set_option("models.default", name)
        except ReadDeskError as error:
            self.failed.emit(error)
        self.changed.emit()

    def fill(self, menu: QMenu) -> None:
        """Put the models that are here, as a choice, and those that can be had into a menu."""
        for left in (self._more, self._choice):
            if left is not None:
                left.deleteLater()
        menu.clear()
        states = [state for state in self._desk.models() if state.record.kind == "chat"]
        chosen = self.default()
        group = self._choice = QActionGroup(menu)
        for state in (state for state in states if state.installed):
            action = QAction(state.record.title, menu)
            action.setCheckable(True)
            action.setChecked(chosen is not None and state.record.name == chosen.name)
            action.setActionGroup(group)
            action.triggered.connect(partial(self._on_chosen, state.record.name))
            menu.addAction(action)
        if not group.actions():
            none = menu.addAction(self.tr("No model is here yet"))
            none.setEnabled(False)
        menu.addSeparator()
        more = self._more = menu.addMenu(self.tr("&Get a model"))
        for state in (
            state for state in states if not state.installed and state.record.files and not state.record.path
        ):
            self._offer(more, state.record)
        menu.addAction(self.tr("&Use a model file\u2026"), self.file_wanted.emit)

    def _offer(self, menu: QMenu, record: ModelRecord) -> None:
        star = "\u2605 " if record.starred else ""
        words = f"{star}{record.title} \u2013 {figures.size(record.size)}"
        action = menu.addAction(words, partial(self.fetch, record.name))
        action.setToolTip(record.good_for)
        action.setEnabled(record.name not in self._fetching)

    def _on_chosen(self, name: str, _: bool = False) -> None:
        self.choose(name)
