"""Pictures of every state of the window, to look at after each change to a view.

    python -m tests.gui.screens OUT [--theme light|dark] [--scale 1|2] [--size 1360x860] [--only NAME ...]

Starts the real window without a screen, over a library of real books and gists that are written by hand, so that each
state comes out alike every time and no model is needed. Real fonts are used; on Debian: `apt-get install
fonts-noto-core fonts-noto-cjk fonts-dejavu-core libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1`.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, QPoint, QTimer
from PySide6.QtGui import QFontDatabase, QPainter
from PySide6.QtWidgets import QApplication

from readdesk.documents.model import Document
from readdesk.documents.normal import count_words
from readdesk.errors import ModelError
from readdesk.gui.app import Window
from readdesk.gui.mainwindow import MainWindow
from readdesk.jobs.events import Done, Failed, LookedUp, PageBegun, Paused, Progress, Started, Text
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library
from readdesk.paths import Paths
from readdesk.reading.model import Answer, Cost, Gist, LookUp, Page
from readdesk.reading.prompts import PROMPT_VERSION
from tests.gui.bookscreens import BOOK_STATES
from tests.gui.pdfscreens import PDF_STATES

ROOT = Path(__file__).resolve().parents[2]
FONTS = ("Noto Serif", "Noto Sans", "Noto Sans CJK SC", "DejaVu Sans Mono")
DATA = Path(os.environ.get("READDESK_TEST_DATA") or ROOT.parent / "shared" / "data") / "documents"
EPUB, PDF = DATA / "epub" / "dorian-gray.epub", DATA / "pdf" / "tracemonkey-two-column.pdf"
OTHERS = (
    "epub/childrens-literature.epub",
    "epub/israelsailing-he.epub",
    "epub/debian-policy.epub",
    "pdf/geotopo-de.pdf",
    "epub/war-and-peace.epub",
    "epub/meditations.epub",
)
GISTS = (
    "Lord Henry visits the painter Basil Hallward, who is finishing a portrait of a young man of great beauty.",
    "Basil refuses to exhibit the picture: he has put too much of himself into it. He tells how he met Dorian Gray "
    "at Lady Brandon's and what the young man means to his art.",
    "Dorian arrives. Lord Henry speaks to him of youth and its shortness, and of the only way to get rid of a "
    "temptation, which is to yield to it. Dorian is troubled as he never was before.",
    "The portrait is finished. Dorian, struck by the thought that it will stay young while he grows old, wishes it "
    "were the other way round, and says he would give his soul for that.",
    "Lord Henry asks his uncle about Dorian's family: a romance, a duel, an early death.",
)
QUESTION = "What does Dorian wish for when he sees his portrait, and who puts the thought into his head?"
ANSWER = (
    "He wishes that the portrait would grow old in his place while he himself stays young, and says that he would "
    "give his **soul** for it (page 4).\n\nThe thought comes from Lord Henry, who has just spoken to him of youth and "
    "its shortness (page 3):\n\n- youth is the one thing worth having,\n- and it lasts only a few years."
)
LOOK_UPS = (
    LookUp(4, "model", "named by the model as the page where the portrait is finished"),
    LookUp(3, "model", "named by the model"),
    LookUp(5, "retrieval", "holds the question's words \u201cDorian\u201d, \u201cportrait\u201d", shortened=True),
)


class Stage:
    """The window over a library made for the pictures, and what is done to it before each."""

    def __init__(self, app: QApplication, folder: Path, size: tuple[int, int], theme: str) -> None:
        os.environ["READDESK_HOME"] = str(folder / "home")
        self.app = app
        self.size = size
        self.theme = theme
        self.data = DATA
        self.paths = Paths.default()
        self.window = self._open()

    def _open(self) -> Window:
        window = Window(self.app, self.paths, offline=True)
        window.theme.choose(self.theme)
        window.main.resize(*self.size)
        window.main.show()
        return window

    @property
    def main(self) -> MainWindow:
        """The window itself."""
        return self.window.main

    def reopen(self) -> None:
        """Close the window and start it again."""
        self.window.close()
        self.window = self._open()

    def add(self, path: Path) -> DocumentRecord:
        """Add a book and wait until it is in the library."""
        before = {record.id for record in self.window.desk.documents()}
        self.main.files.add([path], opened=False)
        self.until(lambda: any(record.id not in before for record in self.window.desk.documents()))
        return max(self.window.desk.documents(), key=lambda record: record.id)

    def until(self, true: Callable[[], bool], seconds: float = 20.0) -> None:
        """Let the window live until something holds."""
        waited = 0.0
        while not true():
            wait(20)
            waited += 0.02
            if waited > seconds:
                raise TimeoutError(f"not the state that was wanted: {self.main.messages._words.text()}")

    def settle(self, milliseconds: int = 500) -> None:
        """Let drawings arrive and timers end."""
        wait(milliseconds)

    def gist(self, record: DocumentRecord, count: int, model: str = "starter") -> None:
        """Keep pages of equal length with gists written by hand."""
        library = Library(self.paths.library)
        document = library.documents.load(record)
        library.gists.set_kind(record, "book")
        for number in range(1, count + 1):
            gap = library.gists.gap(record)
            assert gap is not None
            is_last = number == count and count > len(GISTS)
            end = gap.end if is_last else min(gap.end, _end(document, gap.start + 5200))
            text = document.text(gap.start, end)
            page = Page(gap.number, gap.start, end, document.section_at(gap.start), count_words(text), "model")
            flag = "opening" if number == 5 else ""
            gist = Gist(number, GISTS[(number - 1) % len(GISTS)], model, PROMPT_VERSION, "", flag)  # type: ignore[arg-type]
            library.gists.add_page(record, page, gist, Cost(), 8.0)
        library.close()


def wait(milliseconds: int) -> None:
    """Let the window live for a while; QTest.qWait would keep the lanes' threads from running."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def _end(document: Document, position: int) -> int:
    """The end of the paragraph at a position."""
    return next(paragraph.end for paragraph in document.paragraphs if paragraph.end >= position)


# -- the states ----------------------------------------------------------------------------------------------------


def empty_library(stage: Stage) -> None:
    """Nothing there yet, with the offer of a first run put off."""
    stage.main.start.first_run.hide()


def first_run(stage: Stage) -> None:
    """Nothing there yet: what a model is and three ways on."""
    stage.main.show_library()


def library(stage: Stage) -> None:
    """Several books, two of them read in part or whole."""
    for name in OTHERS:
        stage.add(DATA / name)
    stage.gist(stage.add(PDF), 6)
    stage.gist(stage.add(EPUB), 5)
    stage.main.show_library()


def dropping(stage: Stage) -> None:
    """A file is dragged over the window."""
    stage.main._drop_hint.appear()


def unread(stage: Stage) -> None:
    """A book that was not read yet, no model."""
    stage.main._drop_hint.hide()
    stage.main.open_document(_book(stage, "Meditations"))


def locked(stage: Stage) -> None:
    """A PDF that wants its password."""
    stage.main.files.add([DATA / "pdf" / "encrypted-user-password.pdf"])
    stage.settle(1500)


def refused(stage: Stage) -> None:
    """A file that cannot be opened: a sentence that says what to do."""
    for dialog in stage.main.findChildren(type(stage.main.files.ask_password(ModelError(""), print))):
        dialog.close()
    stage.main.files.add([DATA / "epub" / "bad-not-an-epub.epub"])
    stage.settle(1500)


def reading_epub(stage: Stage) -> None:
    """A novel, read in part."""
    stage.main.messages.hide()
    stage.main.open_document(_book(stage, "Dorian"))
    stage.main.book.show_page(3)
    stage.main.book.reader.text.clear_marks()


def reading_rich(stage: Stage) -> None:
    """Headings, lists, code and emphasis."""
    record = _book(stage, "Debian Policy")
    stage.main.open_document(record)
    stage.main.book.reader.show_position(record.characters // 7)


def reading_pictures(stage: Stage) -> None:
    """A book with its cover and other pictures."""
    stage.main.open_document(_book(stage, "Children"))


def reading_hebrew(stage: Stage) -> None:
    """A book that runs from right to left."""
    stage.main.open_document(_book(stage, "ישראל") if _has(stage, "ישראל") else stage.window.desk.documents()[1])


def reading_pdf(stage: Stage) -> None:
    """A paper's leaves, with a page of the memory marked."""
    stage.main.open_document(_book(stage, "Trace"))
    stage.settle(1500)
    stage.main.book.reader.show_span(4000, 4600)


def pdf_as_text(stage: Stage) -> None:
    """The same paper as the text that the model sees."""
    stage.main.book.reader.show_as_text()


def half_gisted(stage: Stage) -> None:
    """A job at work: pages done, one in work, time left."""
    _at_work(stage)
    _tell(stage, Progress(99, "page 5", 5, None, 0.11, 1260.0))


def paused(stage: Stage) -> None:
    """The same job, resting."""
    _tell(stage, Paused(99))


def failed_job(stage: Stage) -> None:
    """The same job, ended by an error."""
    error = ModelError(
        "The model ended unexpectedly while it read a page.", "Try again; choose a smaller model if it fails again."
    )
    _tell(stage, Failed(99, error))


def expanded_page(stage: Stage) -> None:
    """A page opened to its full text in the sidebar."""
    tree, view = stage.main.book.sidebar.tree, stage.main.book.sidebar._view
    index = tree.index_of_page(2)
    view.expand(index)
    view.setCurrentIndex(index)
    view.scrollTo(index, view.ScrollHint.PositionAtTop)


def look_up_running(stage: Stage) -> None:
    """A question: the pages that are read again are lit."""
    view = stage.main.book.sidebar._view
    view.collapse(stage.main.book.sidebar.tree.index_of_page(2))
    _ask(stage)
    _tell(stage, Started(98, "Asking"), LookedUp(98, LOOK_UPS))


def answer_streaming(stage: Stage) -> None:
    """Half of the answer is there."""
    _tell(stage, Text(98, ANSWER[:150]))


def answer(stage: Stage) -> None:
    """The whole answer with its chips and what it rests on."""
    whole = Answer(ANSWER, LOOK_UPS, 5, 5, False, left_out=(2,), unread_tags=(9,))
    _tell(stage, Text(98, ANSWER[150:]), Done(98, whole))


def chip_clicked(stage: Stage) -> None:
    """A chip was clicked: its page stands marked in the book."""
    stage.main.book.show_page(4)


def narrow(stage: Stage) -> None:
    """A small window."""
    stage.main.resize(820, 620)


def without_sides(stage: Stage) -> None:
    """The book alone."""
    stage.main.resize(*stage.size)
    stage.main.actions_["sidebar"].trigger()
    stage.main.actions_["chat"].trigger()


def menu(stage: Stage) -> None:
    """The Model menu."""
    stage.main.actions_["sidebar"].trigger()
    stage.main.actions_["chat"].trigger()
    menu = stage.main._model_menu
    menu.popup(stage.main.mapToGlobal(QPoint(200, 26)))


STATES = (
    *(empty_library, first_run, library, dropping, unread, locked, refused, reading_epub, reading_rich),
    *(reading_pictures, reading_hebrew, reading_pdf, pdf_as_text, half_gisted, paused, failed_job, expanded_page),
    *(look_up_running, answer_streaming, answer, chip_clicked, narrow, without_sides, menu),
    *BOOK_STATES,
    *PDF_STATES,
)


def _book(stage: Stage, words: str) -> DocumentRecord:
    return next(record for record in stage.window.desk.documents() if words in record.title)


def _has(stage: Stage, words: str) -> bool:
    return any(words in record.title for record in stage.window.desk.documents())


def _at_work(stage: Stage) -> None:
    """A gisting job whose events are told by hand."""
    record = _book(stage, "Dorian")
    stage.main.open_document(record)
    desk = stage.window.desk
    desk.gist = lambda *_, **__: 99  # type: ignore[method-assign]
    desk.default_model = lambda: next(s.record for s in desk.models() if s.record.name == "starter")  # type: ignore[method-assign]
    stage.main.gisting.start(record, "starter")
    last = desk.pages(record)[-1].page
    _tell(stage, Started(99, "Reading"), PageBegun(99, last.number + 1, last.end))
    stage.main.book.reader.show_position(last.start)


def _ask(stage: Stage) -> None:
    stage.window.desk.ask = lambda *_, **__: 98  # type: ignore[method-assign]
    stage.main.book.chat.asked.emit(QUESTION)


def _tell(stage: Stage, *events: object) -> None:
    for event in events:
        stage.window.bridge.post(event)  # type: ignore[arg-type]
    stage.settle(150)


def arguments() -> argparse.Namespace:
    """What was asked for; scale and platform must be set before Qt is loaded."""
    parser = argparse.ArgumentParser(description="Pictures of every state of the window.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--scale", default="1")
    parser.add_argument("--size", default="1360x860")
    parser.add_argument("--only", nargs="*", default=[])
    return parser.parse_args()


def shoot(stage: Stage, out: Path, name: str) -> None:
    """Write the window, with what lies over it, to a PNG."""
    picture = stage.main.grab()
    tips = [each for each in stage.app.topLevelWidgets() if each.inherits("QTipLabel") and each.isVisible()]
    overlay = stage.app.activePopupWidget() or stage.app.activeModalWidget() or next(iter(tips), None)
    if overlay is not None:
        painter = QPainter(picture)
        painter.drawPixmap(stage.main.mapFromGlobal(overlay.mapToGlobal(QPoint(0, 0))), overlay.grab())
        painter.end()
    picture.save(str(out / f"{name}.png"))


def main(asked: argparse.Namespace) -> int:
    """Go through all states in order and write those that were asked for."""
    os.environ["QT_SCALE_FACTOR"] = asked.scale  # Qt reads both when the program is made.
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication(sys.argv[:1])
    missing = [name for name in FONTS if name not in QFontDatabase.families()]
    if missing:
        sys.stderr.write(f"These fonts are missing: {', '.join(missing)}. See the top of this file.\n")
    asked.out.mkdir(parents=True, exist_ok=True)
    width, height = map(int, asked.size.split("x"))
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(app, Path(folder), (width, height), asked.theme)
        try:
            for number, state in enumerate(STATES, 1):
                state(stage)
                stage.settle()
                if not asked.only or state.__name__ in asked.only:
                    shoot(stage, asked.out, f"{number:02d}-{state.__name__.replace('_', '-')}")
                if popup := app.activePopupWidget():
                    popup.close()
        finally:
            stage.window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(arguments()))
