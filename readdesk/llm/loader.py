"""Which engine answers for a model's name: one model is in memory at a time.

Loading costs seconds and gigabytes, so the engine that was used last stays until another one is asked for.
"""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from readdesk.cancel import CancelToken
from readdesk.errors import ModelError
from readdesk.llm.base import Engine
from readdesk.llm.catalogue import Catalogue
from readdesk.llm.local import LocalEngine
from readdesk.llm.model import LoadOptions, ModelRecord
from readdesk.settings import Settings

_logger = logging.getLogger(__name__)


class EngineLoader:
    """Makes engines from the catalogue and the settings, and closes them."""

    def __init__(
        self, catalogue: Catalogue, settings: Settings, output: Path | None = None, folder: Path | None = None
    ) -> None:
        """Without a folder nothing is kept of what engines measure and compute."""
        self._catalogue = catalogue
        self._settings = settings
        self._output = output
        self._folder = folder
        self._lock = threading.Lock()
        self._name = ""
        self._told = False
        self._engine: Engine | None = None

    def default(self) -> ModelRecord:
        """The model for new books: the one chosen in the settings, else the best installed; raises ModelError."""
        chosen = self._settings.text("models.default")
        record = self._catalogue.find(chosen) if chosen else self._catalogue.best_installed()
        if record is None:
            raise ModelError(
                "There is no model on this computer yet.", "Get one first.", "First run: readdesk models get starter"
            )
        return record

    def engine(self, name: str, cancel: CancelToken) -> Engine:
        """The loaded engine of a model, the same one as before where it is the same model. Raises ModelError."""
        record = self._catalogue.find(name)
        with self._lock:
            if self._engine is None or self._name != record.name:
                self._close()
                self._engine = self._make(record)
                self._name = record.name
                self._told = False
            engine = self._engine
        info = engine.info(cancel)
        if not self._told:
            self._told = True
            _logger.info("loaded %s", info)
            _logger.info("1,000 tokens take %.1f MB of memory", info.bytes_per_token / 1000)
        return engine

    def _make(self, record: ModelRecord) -> Engine:
        if record.kind != "chat":
            raise ModelError(
                f"{record.name} is no model that can answer.",
                "Choose another one.",
                "`readdesk models list` shows all.",
            )
        options = LoadOptions(
            context=self._settings.number("engine.context"),
            threads=self._settings.number("engine.threads"),
            gpu_layers=self._settings.number("engine.gpu_layers"),
            folder=self._folder,
            cache_limit=self._settings.number("engine.cache_limit") * 1_000_000,
        )
        return LocalEngine(record.name, self._catalogue.file(record), options, self._output)

    def close(self) -> None:
        """End the model process."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None
