"""The desk: opens the library, the workers and the lanes, and offers the verbs of the program.

Window and command line do nothing but call these verbs and show the events that come back through `post` (called from
the lanes' threads, and from the caller's own where `stop` ends a job that waits). Verbs that take time return a job's
number at once; what only looks into the library answers directly. Closing stops all work within a second; what was
finished is kept.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Concatenate, ParamSpec

from readdesk.documents.drawer import LeafDrawer
from readdesk.documents.model import (
    AUTOMATIC,
    Attachment,
    Choices,
    Kind,
    LeafHealth,
    Paragraph,
    Section,
    has_leaves,
)
from readdesk.documents.open import DocumentReader
from readdesk.documents.recogniser import LeafRecogniser
from readdesk.documents.recogniser import RecognitionState as RecognitionState
from readdesk.errors import ModelError, NotFoundError, ReadDeskError
from readdesk.jobs import view
from readdesk.jobs.add import FileRequest, add, reread
from readdesk.jobs.ask import Question, ask, history
from readdesk.jobs.events import Event, Started
from readdesk.jobs.export import export
from readdesk.jobs.fetch import fetch
from readdesk.jobs.health import Reader, examine, health, leaf_report
from readdesk.jobs.lane import Lane, Steps, Turn
from readdesk.jobs.recognise import Recognisers, RecognitionRequest, forget, must_have_text, recognise
from readdesk.jobs.remember import remember
from readdesk.jobs.work import GistRequest, gist
from readdesk.library.model import (
    Asked,
    DocumentRecord,
    HealthReport,
    Highlight,
    LeafReport,
    PageRecord,
    ReadingPlace,
    ShelfEntry,
)
from readdesk.library.store import Library
from readdesk.llm.catalogue import Catalogue
from readdesk.llm.loader import EngineLoader
from readdesk.llm.model import ModelRecord, ModelState
from readdesk.paths import Paths
from readdesk.settings import Settings, Value, save_settings

_URGENT, _ORDINARY, _LAST = 0, 10, 20
_P = ParamSpec("_P")
_logger = logging.getLogger(__name__)


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
        self._loader = EngineLoader(self._catalogue, settings, output, paths.cache / "engine")
        self._reader = DocumentReader(output)
        self._drawer = LeafDrawer(output)
        self._recogniser = LeafRecogniser(paths.cache / "tessdata", output)
        self._passwords: dict[str, str] = {}
        self._places: dict[int, ReadingPlace] = {}
        self._is_keeping = False
        self._numbers = itertools.count(1)
        self._lanes = {name: Lane(name, post) for name in ("model", "files", "net", "view", "notes", "recognition")}
        self._is_closing = False

    # -- verbs that take time ------------------------------------------------------------------------------------

    def add(
        self, path: Path, password: str | None = None, choices: Choices | None = None, *, is_again: bool = False
    ) -> int:
        """Add a file to the library; the job comes to its DocumentRecord.

        Without choices a document that is known there is read as it was, and any other file finds its own way. A known
        file is read only where it `is_again` wanted: what comes out in another way then loses its gists.
        """
        place = _place(path)
        request = FileRequest(place, password, choices, is_again=is_again)

        def steps(number: int, turn: Turn) -> Steps:
            return self._opened_with(str(place), password, add(number, turn, self._library, self._reader, request))

        return self._submit("files", steps)

    def reread(self, document: int, choices: Choices) -> int:
        """Read a document's file again with other choices; the job comes to its DocumentRecord."""
        record = self._library.documents.get(document)
        request = FileRequest(Path(record.path), self._passwords.get(record.path), choices)
        return self._submit(
            "files", lambda number, turn: reread(number, turn, self._library, self._reader, document, request)
        )

    def examine(
        self, path: Path, password: str | None = None, choices: Choices = AUTOMATIC, model: str = "", leaf: str = ""
    ) -> int:
        """Read a file without adding it; the job comes to its HealthReport, for a model or the default one.

        It also holds a leaf, by its printed label or its number, where one is asked for.
        """
        place = _place(path)
        request, by = FileRequest(place, password, choices), self._reader_of(model)

        def steps(number: int, turn: Turn) -> Steps:
            report = examine(number, turn, self._library, self._reader, request, by, leaf)
            return self._opened_with(str(place), password, report)

        return self._submit("files", steps)

    def recognise(
        self,
        document: int,
        languages: str = "",
        leaves: Sequence[int] | None = None,
        redo: bool = False,
        password: str | None = None,
        *,
        forgets: bool = False,
    ) -> int:
        """Recognise the text of leaves that lack it (0-based; None: all); the job comes to the DocumentRecord.

        `languages` are Tesseract's names with "+" between them, "" chooses. With `redo` also recognised text is done
        again, with `forgets` it is taken back. Raises ReadDeskError where Tesseract is not installed, or the document
        has no leaves.
        """
        record = self._library.documents.get(document)
        if not has_leaves(record.format):
            raise ReadDeskError(f"\u201c{record.title}\u201d has no leaves, so there is no text to recognise in it.")
        chosen = "" if forgets else self._recogniser.languages_for(languages, record.language)
        wanted = None if leaves is None else tuple(leaves)
        typed = self._passwords.get(record.path) if password is None else password
        request = RecognitionRequest(document, chosen, wanted, redo, typed)
        by = Recognisers(self._recogniser, self._reader, lambda: self._is_closing)

        def steps(number: int, turn: Turn) -> Steps:
            work = forget if forgets else recognise
            return self._opened_with(record.path, password, work(number, turn, self._library, by, request))

        return self._submit("recognition", steps)

    def gist(self, document: int, model: str = "", pages: int | None = None, kind: str = "auto") -> int:
        """Read a document and write a gist of every page, or of its first so many; the job comes to Gisted."""
        must_have_text(self._library.documents.get(document))
        record = self._remembered(self._catalogue.find(model)) if model else self.default_model()
        request = GistRequest(document, record.name, pages, kind, self._settings.text("reading.pauses"))

        def get_ready(number: int, turn: Turn) -> Steps:
            return remember(number, turn, self._library, self._loader, document, record.name)

        def steps(number: int, turn: Turn) -> Steps:
            gisted = yield from gist(number, turn, self._library, self._loader, request)
            self._submit("model", get_ready, _LAST)  # For the first question, when nothing else is to do.
            return gisted

        return self._submit("model", steps)

    def ask(self, document: int, question: str, model: str = "", max_pages: int | None = None) -> int:
        """Ask a document, ahead of all gisting; the job comes to the Answer. Raises ReadDeskError."""
        record = self._library.documents.get(document)
        if not question.strip():
            raise ReadDeskError("The question is empty.", "Write what you want to know.")
        writers = self._library.gists.models(record)
        if not writers:
            must_have_text(record)
            raise ReadDeskError(
                f"\u201c{record.title}\u201d has not been read yet.",
                "Let a model read some pages first.",
                f"First run: readdesk gist {record.id}",
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

    def pause(self, number: int) -> None:
        """Let a gisting job rest within a second; the pages in work are begun anew when it goes on."""
        self._lanes["model"].pause(number)

    def resume(self, number: int) -> None:
        """Let a gisting job that rests go on."""
        self._lanes["model"].resume(number)

    # -- showing a document --------------------------------------------------------------------------------------

    def open_leaves(self, document: int, password: str | None = None) -> int:
        """Open a PDF for drawing; the job comes to OpenedLeaves, or fails with PasswordNeeded."""
        record = self._library.documents.get(document)
        shown = self._shown(record) if password is None else view.Shown(record, password)

        def steps(number: int, turn: Turn) -> Steps:
            opening = view.open_leaves(number, turn, self._library, self._drawer, shown)
            return self._opened_with(record.path, password, opening)

        return self._submit("view", steps)

    def draw(self, document: DocumentRecord, leaves: Sequence[int], scale: float) -> int:
        """Draw leaves of a PDF at a scale in pixels a point, in this order; the job tells of each with LeafDrawn."""
        shown, wanted = self._shown(document), tuple(leaves)
        return self._look(_ORDINARY, view.draw_leaves, self._drawer, shown, wanted, scale)

    def locate(self, document: DocumentRecord, start: int, end: int) -> int:
        """Find where words of a PDF are drawn; the job comes to an Anchor with their rectangles."""
        shown = self._shown(document)
        return self._look(_URGENT, view.locate, self._library, self._drawer, shown, (start, end))

    def picture(self, document: DocumentRecord, member: str, widest: int) -> int:
        """Unpack a picture of an EPUB, at most so many pixels wide; the job comes to the Picture."""
        shown = self._shown(document)
        return self._look(_ORDINARY, view.unpack_picture, self._drawer, shown, member, widest)

    def links(self, document: DocumentRecord, leaf: int) -> int:
        """Find the links on a leaf (0-based) of a PDF; the job comes to a tuple of Link."""
        shown = self._shown(document)
        return self._look(_URGENT, view.find_links, self._drawer, shown, leaf)

    def glyphs(self, document: DocumentRecord, leaf: int) -> int:
        """Find where the text of a leaf (0-based) is drawn; the job comes to a tuple of GlyphRun in reading order."""
        shown = self._shown(document)
        return self._look(_URGENT, view.find_glyphs, self._library, self._drawer, shown, leaf)

    def find_highlights(self, document: DocumentRecord) -> int:
        """Look up what is marked in a document, which may be much; the job comes to what `highlights` gives."""
        return self._submit("notes", lambda number, turn: view.find_highlights(number, self._library, document))

    def paragraphs(self, document: DocumentRecord, start: int, end: int) -> tuple[Paragraph, ...]:
        """The paragraphs between two positions, without where they stand in the file."""
        return self._library.documents.paragraphs(document, start, end, with_pieces=False)

    def sections(self, document: DocumentRecord) -> tuple[Section, ...]:
        """The table of contents in reading order."""
        return self._library.documents.sections(document)

    def find_note(self, document: DocumentRecord, name: str) -> tuple[int, int] | None:
        """Start and end of the paragraph that a note's mark of this name points to, where there is one."""
        return self._library.documents.find_note(document, name)

    def printed_pages(self, document: DocumentRecord) -> tuple[tuple[int, str], ...]:
        """The positions at which pages of the printed book begin, with their labels, in order."""
        return self._library.leaves.printed_pages(document) or self._library.documents.printed_pages(document)

    def leaves(self, document: DocumentRecord) -> tuple[LeafHealth, ...]:
        """What came out of every leaf of a PDF, by the label that holds now; nothing for other documents."""
        return self._library.leaves.all(document)

    def leaf_report(self, document: DocumentRecord, name: str) -> LeafReport:
        """One leaf of a PDF, by its printed label, else by its number ("#3" is always that); raises NotFoundError."""
        return leaf_report(self._library, document, name)

    def name_leaf(self, document: int, leaf: int, label: str) -> None:
        """Say what is printed on a leaf (0-based), from which its neighbours count on; "" takes that back.

        Raises ReadDeskError for what is no page number and for a leaf that is not there.
        """
        self._library.leaves.name(self._library.documents.get(document), leaf, label)

    def leaf_paragraphs(self, document: DocumentRecord, leaf: int) -> tuple[tuple[Kind, str], ...]:
        """What a model reads of a leaf (0-based): kind and text of each paragraph."""
        return self._library.documents.leaf_paragraphs(document, leaf)

    def highlights(self, document: DocumentRecord) -> tuple[Highlight, ...]:
        """What is marked in a document, here or before that in its file, as it stands in it."""
        return self._library.highlights.all(document)

    def remove_highlight(self, number: int) -> None:
        """Remove a highlight or note by its id; the file keeps its own. Raises NotFoundError."""
        self._library.highlights.remove(number)

    def attachments(self, document: DocumentRecord) -> tuple[Attachment, ...]:
        """The files that lie in a document's file."""
        return self._library.leaves.attachments(document)

    def leave_out(self, document: int, section: int, is_left_out: bool) -> None:
        """Leave a section and those beneath it out of gisting, or take them in; pages that stand already stay."""
        self._library.documents.leave_out(self._library.documents.get(document), section, is_left_out)

    def place(self, document: int) -> ReadingPlace | None:
        """Where a document was left, if it was ever open."""
        place = self._places.get(document)
        if place is None or place.text_hash not in ("", self._library.documents.get(document).text_hash):
            return self._library.places.get(document)
        return place

    def keep_place(self, document: int, place: ReadingPlace) -> None:
        """Remember where a document is left: at once for this desk, in the library with `close` or a little later."""
        self._places[document] = place
        if not self._is_keeping:
            self._is_keeping = True
            self._submit("notes", lambda number, turn: self._keep_places(number))

    def warm_up(self) -> None:
        """Start the process that draws, so that the first book need not wait for it."""
        self._submit("view", lambda number, turn: self._start_drawing(number))

    # -- looking -------------------------------------------------------------------------------------------------

    def documents(self) -> tuple[DocumentRecord, ...]:
        """Every document of the library."""
        return self._library.documents.all()

    def shelf(self) -> tuple[ShelfEntry, ...]:
        """Every document with how far it is read, the one that was open last first."""
        return self._library.shelf.entries()

    def history(self, document: DocumentRecord) -> tuple[Asked, ...]:
        """What was asked of a document, oldest first."""
        return history(self._library, document)

    def health(self, document: DocumentRecord, model: str = "", *, with_openings: bool = False) -> HealthReport:
        """What a person should know of a document before a model (by default the one for new books) reads it."""
        return health(self._library, document, self._reader_of(model), with_openings=with_openings)

    def recognition(self) -> RecognitionState:
        """Whether text can be recognised on this computer, in which languages, and what to install for it."""
        return self._recogniser.state()

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
                f"\u201c{document.title}\u201d has no page {number}.",
                "Choose another one.",
                f"Run: readdesk pages {document.id}",
            )
        return self._library.documents.text(document, page.start, page.end)

    def models(self) -> tuple[ModelState, ...]:
        """Every model that is known, and whether it is here."""
        return tuple(self._catalogue.state(record) for record in self._catalogue.records())

    def default_model(self) -> ModelRecord:
        """The model that new books are read with; raises ModelError when there is none."""
        return self._remembered(self._loader.default())

    def option(self, key: str) -> Value:
        """The value of a setting; raises KeyError for a key that is none."""
        return self._settings.get(key)

    def set_option(self, key: str, value: Value) -> None:
        """Choose the value of a setting and keep it; raises ReadDeskError when it cannot be that or cannot be kept."""
        self._settings.set(key, value)
        try:
            save_settings(self._settings, self._paths.config)
        except OSError as error:
            raise ReadDeskError(
                f"The settings cannot be kept in {self._paths.config} ({error.strerror}).",
                "Make room there or allow writing; until then they hold for this run.",
            ) from error

    def add_model(self, path: Path, name: str | None = None) -> ModelRecord:
        """Make a .gguf file known under a name; raises ModelError."""
        return self._catalogue.add(path, name)

    def close(self) -> None:
        """Stop all work and give everything back."""
        self._is_closing = True
        for lane in self._lanes.values():
            lane.stop_all()
        for lane in self._lanes.values():
            lane.close()
        try:
            self._flush_places()
        except Exception:  # A full disk must not keep the processes from ending.
            _logger.exception("places")
        # Each process is given a moment to end by itself; side by side, or closing would take the sum of them.
        with ThreadPoolExecutor(max_workers=4) as closers:
            for part in (self._loader, self._reader, self._drawer, self._recogniser):
                closers.submit(part.close)
        self._library.close()

    # -- inside --------------------------------------------------------------------------------------------------

    def _submit(self, lane: str, steps: Callable[[int, Turn], Steps], urgency: int = _ORDINARY) -> int:
        number = next(self._numbers)
        self._lanes[lane].submit(number, lambda turn: steps(number, turn), urgency)
        return number

    def _reader_of(self, model: str) -> Reader:
        """Who will read: the model of this name, else the one for new books; nobody where there is none."""
        try:
            record = self._catalogue.find(model) if model else self._loader.default()
        except (ModelError, NotFoundError):
            if model:
                raise
            return Reader()
        return Reader(record.name, record.size if self._catalogue.installed(record) else 0)

    def _look(
        self, urgency: int, job: Callable[Concatenate[int, Turn, _P], Steps], *what: _P.args, **how: _P.kwargs
    ) -> int:
        """Have something shown, in the lane for that."""
        return self._submit("view", lambda number, turn: job(number, turn, *what, **how), urgency)

    def _shown(self, record: DocumentRecord) -> view.Shown:
        return view.Shown(record, self._passwords.get(record.path))

    def _opened_with(self, path: str, password: str | None, steps: Steps) -> Steps:
        """Do a job, and remember the password once it has opened the file: for this run only, never in a file."""
        result = yield from steps
        if password is not None:
            self._passwords[path] = password
        return result

    def _keep_places(self, number: int) -> Steps:
        self._is_keeping = False  # From here on a new place needs a new job, also where this one fails.
        yield Started(number, "Keeping the place")
        self._flush_places()

    def _flush_places(self) -> None:
        for document, place in list(self._places.items()):
            self._library.places.keep(document, place)
            if self._places.get(document) is place:
                del self._places[document]

    def _start_drawing(self, number: int) -> Steps:
        yield Started(number, "Getting ready to draw")
        self._drawer.start()

    def _remembered(self, record: ModelRecord) -> ModelRecord:
        """The model, added to the catalogue where it was named by its path: its gists carry its name, and are asked."""
        return record if record in self._catalogue.records() else self._catalogue.add(record.path)


def _place(path: Path) -> Path:
    """Where a path leads, so that a file has one name from wherever it is named."""
    try:
        return path.expanduser().resolve()
    except (RuntimeError, OSError, ValueError):  # "~name" of nobody, links in a circle, a NUL
        return path.absolute()
