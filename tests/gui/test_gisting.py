"""Which pages of a book the window takes to be in work, whatever order its job tells things in."""

from __future__ import annotations

from typing import cast

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from readdesk.desk import Desk
from readdesk.errors import ModelError
from readdesk.gui.bridge import Bridge
from readdesk.gui.gisting import Gisting
from readdesk.jobs.events import Event, Failed, Overtaken, PageBegun, PageKept, Started
from readdesk.library.model import DocumentRecord, PageRecord
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
