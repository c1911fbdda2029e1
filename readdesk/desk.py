"""The desk: opens the library, the workers and the lanes, and offers the verbs of the program.

Window and command line do nothing but call these verbs and show the events that come back through `post` (called from
the lanes' threads, and from the caller's own where `stop` ends a job that waits). Verbs that take time return a job's
number at once; what only looks into the library answers directly. Closing stops all work within a second; what was
finished is kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from readdesk.documents.open import DocumentReader
from readdesk.errors import NotFoundError, ReadDeskError
from readdesk.jobs.add import add
from readdesk.jobs.ask import Question, ask
from readdesk.jobs.events import Event
from readdesk.jobs.export import export
from readdesk.jobs.fetch import fetch
from readdesk.jobs.lane import Lane, Steps, Turn
from readdesk.jobs.work import GistRequest, gist
from readdesk.library.model import DocumentRecord, PageRecord
from readdesk.library.store import Library
from readdesk.llm.catalogue import Catalogue
from readdesk.llm.loader import EngineLoader
from readdesk.llm.model import ModelRecord
from readdesk.paths import Paths
from readdesk.settings import Settings

_URGENT, _ORDINARY = 0, 10


@dataclass(frozen=True)
class ModelState:
    """A model of the catalogue and whether it is on this computer."""

    record: ModelRecord
    installed: bool


class Desk:
    """Everything ReadDesk can do, for one library. Raises LibraryError when that cannot be opened."""

    def __init__(
        self, paths: Paths, settings: Settings, post: Callable[[Event], None], *, offline: bool = False
    ) -> None:
        self._paths = paths
        self._settings = settings
        self._post = post
        self._offline = offline
        output = paths.cache / "workers.log"
        self._library = Library(paths.library)
        self._catalogue = Catalogue(paths)
        self._loader = EngineLoader(self._catalogue, settings, output)
        self._reader = DocumentReader(output)
        self._numbers = itertools.count(1)
        self._lanes = {name: Lane(name, post) for name in ("model", "files", "net")}

    # -- verbs that take time ------------------------------------------------------------------------------------

    def add(self, path: Path, password: str | None = None) -> int:
        """Add a file to the library; the job comes to its DocumentRecord."""
        return self._submit(
            "files", lambda number, turn: add(number, turn, self._library, self._reader, _place(path), password)
        )

    def gist(self, document: int, model: str = "", pages: int | None = None, kind: str = "auto") -> int:
        """Read a document and write a gist of every page, or of its first so many; the job comes to Gisted."""
        record = self._remembered(self._catalogue.find(model)) if model else self.default_model()
        request = GistRequest(document, record.name, pages, kind)
        return self._submit("model", lambda number, turn: gist(number, turn, self._library, self._loader, request))

    def ask(self, document: int, question: str, model: str = "", max_pages: int | None = None) -> int:
        """Ask a document, ahead of all gisting; the job comes to the Answer. Raises ReadDeskError."""
        record = self._library.documents.get(document)
        if not question.strip():
            raise ReadDeskError("The question is empty.", "Write what you want to know.")
        writers = self._library.gists.models(record)
        if not writers:
            raise ReadDeskError(
                f"\u201c{record.title}\u201d has not been read yet.", f"First run: readdesk gist {record.id}"
            )
        name = self._remembered(self._catalogue.find(model)).name if model else writers[0]
        of = name if name in writers else writers[0]
        limit = self._settings.number("ask.max_pages") if max_pages is None else max_pages
        asked = Question(document, question.strip(), name, of, limit)
        return self._submit(
            "model", lambda number, turn: ask(number, turn, self._library, self._loader, asked), _URGENT
        )

    def export(self, document: int, form: str, target: Path | None) -> int:
        """Write a document's gists to a file; the job comes to the file, or to the text where no file is named."""
        place = _place(target) if target is not None else None
        return self._submit("files", lambda number, turn: export(number, self._library, document, form, place))

    def fetch_model(self, name: str) -> int:
        """Bring a model to this computer; the job comes to its file. Raises NotFoundError."""
        record = self._catalogue.find(name)
        mirror = self._settings.text("models.mirror")

        def steps(number: int, turn: Turn) -> Steps:
            return fetch(number, turn, record, self._paths, self._post, mirror=mirror, offline=self._offline)

        return self._submit("net", steps)

    def stop(self, number: int) -> None:
        """End a job within a second; what it has finished is kept."""
        for lane in self._lanes.values():
            lane.stop(number)

    # -- looking -------------------------------------------------------------------------------------------------

    def documents(self) -> tuple[DocumentRecord, ...]:
        """Every document of the library."""
        return self._library.documents.all()

    def find(self, name: str) -> DocumentRecord:
        """The document named by id, path or start of the title; raises NotFoundError."""
        return self._library.documents.find(name)

    def gist_models(self, document: DocumentRecord) -> tuple[str, ...]:
        """The models that wrote gists of a document, the latest first."""
        return self._library.gists.models(document)

    def pages(self, document: DocumentRecord, model: str = "") -> tuple[PageRecord, ...]:
        """The pages with the gists of a model, by default of the one that wrote last; raises NotFoundError."""
        writers = self.gist_models(document)
        if model and model not in writers:
            model = self._catalogue.find(model).name
        return self._library.gists.pages(document, model or next(iter(writers), ""))

    def page_text(self, document: DocumentRecord, number: int) -> str:
        """The full text of a page; raises NotFoundError."""
        page = self._library.gists.page(document, number)
        if page is None:
            raise NotFoundError(
                f"\u201c{document.title}\u201d has no page {number}.", f"Run: readdesk pages {document.id}"
            )
        return self._library.documents.text(document, page.start, page.end)

    def models(self) -> tuple[ModelState, ...]:
        """Every model that is known, and whether it is here."""
        return tuple(ModelState(record, self._catalogue.installed(record)) for record in self._catalogue.records())

    def default_model(self) -> ModelRecord:
        """The model that new books are read with; raises ModelError when there is none."""
        return self._remembered(self._loader.default())

    def add_model(self, path: Path, name: str | None = None) -> ModelRecord:
        """Make a .gguf file known under a name; raises ModelError."""
        return self._catalogue.add(path, name)

    def close(self) -> None:
        """Stop all work and give everything back."""
        for lane in self._lanes.values():
            lane.stop_all()
        for lane in self._lanes.values():
            lane.close()
        self._loader.close()
        self._reader.close()
        self._library.close()

    # -- inside --------------------------------------------------------------------------------------------------

    def _submit(self, lane: str, steps: Callable[[int, Turn], Steps], urgency: int = _ORDINARY) -> int:
        number = next(self._numbers)
        self._lanes[lane].submit(number, lambda turn: steps(number, turn), urgency)
        return number

    def _remembered(self, record: ModelRecord) -> ModelRecord:
        """The model, added to the catalogue where it was named by its path: its gists carry its name, and are asked."""
        return record if record in self._catalogue.records() else self._catalogue.add(record.path)


def _place(path: Path) -> Path:
    """Where a path leads, so that a file has one name from wherever it is named."""
    try:
        return path.expanduser().resolve()
    except (RuntimeError, OSError):  # "~name" of nobody, links in a circle
        return path.absolute()
