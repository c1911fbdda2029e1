"""Which pages of a book the window takes to be in work, whatever order its job tells things in."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from readdesk.desk import Desk
from readdesk.errors import ModelError
from readdesk.gui.bridge import Bridge
from readdesk.gui.gisting import Gisting
from readdesk.gui.models import Models
from readdesk.gui.readingstrips import ReadingStrips
from readdesk.gui.theme import Theme
from readdesk.gui.widgets.strips import Strips, WorkStrip
from readdesk.jobs.events import Done, Event, Failed, ModelReady, Overtaken, PageBegun, PageKept, Started
from readdesk.library.model import DocumentRecord, PageRecord
from readdesk.llm.model import EngineInfo
from readdesk.reading.model import Gist, Page

RECORD = DocumentRecord(5, "The Ferry", (), "", "text", "/x", "0", 900, 900, "article", (), "2026-01-01")


class OneJob:
    """A desk that gists under the number 1."""

    def gist(self, document: int, model: str) -> int:
        return 1


class Book:
    """A book whose job tells what a test makes it tell."""

    def __init__(self, bot: QtBot) -> None:
        self._bot = bot
        self._bridge = Bridge()
        self.gisting = Gisting(cast(Desk, OneJob()), self._bridge)
        self.gisting.start(RECORD, "tiny")

    def tell(self, *events: Event) -> None:
        for event in events:
            self._bridge.post(event)
        self._bot.wait(1)

    def working(self) -> list[int]:
        job = self.gisting.job(RECORD.id)
        return [] if job is None else [begun.number for begun in job.working]


@pytest.fixture
def book(qapp: QApplication, qtbot: QtBot) -> Book:
    return Book(qtbot)


def begun(number: int, *, joins: bool = False) -> PageBegun:
    return PageBegun(1, number, 100 * number, joins)


def kept(number: int) -> PageKept:
    gist = Gist(number, "It left.", "tiny", 1, "0")
    return PageKept(1, PageRecord(Page(number, 100 * number, 100 * number + 100, 0, 20, "model"), "", gist))


def test_pages_that_are_read_together_are_in_work_until_each_is_kept(book: Book) -> None:
    book.tell(Started(1, "Reading"), begun(1))
    assert book.working() == [1]
    book.tell(kept(1), begun(2), begun(3, joins=True), begun(4, joins=True))
    assert book.working() == [2, 3, 4]
    book.tell(kept(2))
    assert book.working() == [3, 4]
    book.tell(begun(5))
    assert book.working() == [5], "what another program was faster with is not in work for ever"


def test_what_gives_way_to_a_question_is_not_in_work(book: Book) -> None:
    book.tell(Started(1, "Reading"), begun(1), begun(2, joins=True), Overtaken(1))
    assert book.working() == []
    book.tell(begun(1))
    assert book.working() == [1]


def test_the_page_that_failed_can_still_be_asked_for(book: Book) -> None:
    failed: list[list[int]] = []
    book.gisting.failed.connect(lambda document, error: failed.append(book.working()))
    book.tell(Started(1, "Reading"), begun(1), begun(2, joins=True), kept(1), Failed(1, ModelError("It broke.")))
    assert failed == [[2]] and book.working() == []


# -- what the model runs on --------------------------------------------------------------------------------------------

NOTE = "The GPU computes nonsense with this model, so the CPU does the work."
INFO = EngineInfo("tiny", 4096, threads=2)


def test_a_book_that_is_read_elsewhere_tells_what_its_model_runs_on(book: Book, theme: Theme, qtbot: QtBot) -> None:
    strips = Strips(theme)
    qtbot.addWidget(strips)
    ReadingStrips(book.gisting, strips, strips).show_document(None)
    book.tell(Started(1, "Reading"))
    (strip,) = strips.findChildren(WorkStrip)
    assert strip.toolTip() == ""
    book.tell(ModelReady(1, INFO))
    job = book.gisting.job(RECORD.id)
    assert job is not None and job.model_words == strip.toolTip() == "tiny runs on the CPU: 2 threads."
    again = Strips(theme)
    qtbot.addWidget(again)
    ReadingStrips(book.gisting, again, again).show_document(None)
    assert again.findChildren(WorkStrip)[0].toolTip() == strip.toolTip(), "also of a strip that comes later"


def test_what_must_be_known_of_a_model_is_told_once(qtbot: QtBot, book: Book, theme: Theme) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    models = Models(cast(Desk, OneJob()), Bridge(), Strips(theme), window)
    warned: list[str] = []
    models.warned.connect(warned.append)
    book.gisting.model_ready.connect(models.warn_of)
    book.tell(Started(1, "Reading"), ModelReady(1, INFO))
    assert warned == [], "nothing is odd about it"
    odd = replace(INFO, note=NOTE)
    book.tell(ModelReady(1, odd), Done(1))
    models.warn_of(odd)
    assert warned == [f"tiny runs on the CPU: 2 threads. {NOTE}"]
    models.warn_of(replace(odd, model="base", has_template=False))
    assert len(warned) == 2 and warned[1].startswith("base runs") and warned[1].endswith("in plain words.")
