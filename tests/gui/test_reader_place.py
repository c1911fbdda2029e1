"""The book in the middle, over a real desk and real files: views, places, marks, pictures, and what goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTextBrowser
from pytestqt.qtbot import QtBot

from readdesk.desk import Desk
from readdesk.errors import ReadDeskError
from readdesk.gui.bridge import Bridge
from readdesk.gui.reader.place import ReaderPlace
from readdesk.gui.theme import Theme
from readdesk.jobs.events import Done, Event, Failed
from readdesk.library.model import DocumentRecord, ReadingPlace
from readdesk.paths import Paths
from readdesk.settings import Settings
from tests.jobs.homes import wait_until_quiet

LONG = 60_000
SECRET = "openpassword"


class Told(Bridge):
    """The bridge, which also keeps every event that came through it."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Event] = []

    def post(self, event: Event) -> None:
        self.events.append(event)
        super().post(event)


class Reader:
    """A reader place over a desk, with what it emitted."""

    def __init__(self, bot: QtBot, theme: Theme, paths: Paths) -> None:
        self.bot, self.theme, self.paths = bot, theme, paths
        self.bridge = Told()
        self.desk = Desk(paths, Settings(), self.bridge.post)
        self.place = ReaderPlace(self.desk, self.bridge, theme)
        bot.addWidget(self.place)
        self.positions: list[int] = []
        self.passwords: list[tuple[str, str]] = []
        self.errors: list[ReadDeskError] = []
        self.views = 0
        self.place.position_changed.connect(self.positions.append)
        self.place.password_needed.connect(lambda record, words: self.passwords.append((record.title, words)))
        self.place.failed.connect(self.errors.append)
        self.place.view_changed.connect(self._on_view_changed)
        self.place.resize(720, 640)
        self.place.show()
        bot.waitExposed(self.place)

    def _on_view_changed(self) -> None:
        self.views += 1

    def until(self, holds: Callable[[], bool]) -> None:
        self.bot.waitUntil(holds, timeout=LONG)

    def add(self, path: Path, password: str | None = None) -> DocumentRecord:
        """Add a file and wait for it."""
        job = self.desk.add(path, password)
        ended: list[Done] = []
        failed: list[Failed] = []
        self.bridge.follow(job, {Done: ended.append, Failed: failed.append})
        self.until(lambda: bool(ended or failed))
        assert not failed, failed
        record = ended[0].result
        assert isinstance(record, DocumentRecord)
        return record

    def open(self, record: DocumentRecord) -> None:
        """Open a document and wait until its view is there."""
        self.place.open(record)
        if record.format == "pdf":
            self.until(lambda: self.place.can_show_leaves)

    def close(self) -> None:
        self.place.close_document()
        self.desk.close()

    @property
    def browser(self) -> QTextBrowser:
        return self.place.text.findChildren(QTextBrowser)[0]

    def marked(self) -> str:
        return "".join(selection.cursor.selectedText() for selection in self.browser.extraSelections())

    def moved(self, move: Callable[[], object]) -> None:
        """Move the book and wait until that is told."""
        with self.bot.waitSignal(self.place.position_changed, timeout=LONG):
            move()


@pytest.fixture
def reader(qtbot: QtBot, theme: Theme, paths: Paths) -> Iterator[Reader]:
    made = Reader(qtbot, theme, paths)
    yield made
    made.close()
    wait_until_quiet(paths.data)


@pytest.fixture
def epubs(shared_data: Path) -> Path:
    return shared_data / "documents/epub"


@pytest.fixture
def pdfs(shared_data: Path) -> Path:
    return shared_data / "documents/pdf"


def text_file(folder: Path, name: str, count: int = 400) -> Path:
    path = folder / f"{name}.txt"
    path.write_text("\n\n".join(f"Paragraph {n} of {name}. " + "Words go on. " * 12 for n in range(count)), "utf-8")
    return path


# -- text ----------------------------------------------------------------------------------------------------------


def test_an_epub_is_shown_as_text_with_its_pictures(reader: Reader, epubs: Path) -> None:
    record = reader.add(epubs / "childrens-literature.epub")
    reader.open(record)
    assert not reader.place.shows_leaves and not reader.place.can_show_leaves
    assert reader.place.position == 0
    first = reader.desk.paragraphs(record, 0, 300)[0].text.split("\n")[0]
    assert first in reader.browser.toPlainText()
    cover = "EPUB/images/cover.png"

    def size() -> tuple[float, float]:
        cursor = reader.browser.textCursor()
        cursor.setPosition(0)
        cursor.setPosition(1, cursor.MoveMode.KeepAnchor)
        look = cursor.charFormat().toImageFormat()
        assert look.name() == cover
        return look.width(), look.height()

    reader.until(lambda: size()[0] > 100)
    assert size()[1] <= 0.62 * reader.browser.viewport().height() + 1
    seen = reader.browser.viewport().grab().toImage()
    ground = reader.theme.colour("base")
    assert any(seen.pixelColor(seen.width() // 2, y) != ground for y in range(60, 300))
    assert reader.errors == []


def test_a_place_is_kept_and_found_again_also_by_another_run(
    reader: Reader, qtbot: QtBot, theme: Theme, paths: Paths, epubs: Path
) -> None:
    record = reader.add(epubs / "meditations.epub")
    other = reader.add(text_file(paths.data.parent, "other"))
    reader.open(record)
    reader.moved(lambda: reader.place.show_position(90_000))
    assert 90_000 <= reader.positions[-1] < 91_000
    reader.open(other)
    assert reader.place.position == 0
    reader.open(record)
    assert reader.place.position == 90_000
    reader.close()
    again = Reader(qtbot, theme, paths)
    try:
        again.open(again.desk.find(str(record.id)))
        assert again.place.position == 90_000
    finally:
        again.close()


def test_the_last_move_before_closing_counts(reader: Reader, tmp_path: Path) -> None:
    """Whoever turns a page and closes the book at once expects to find that page."""
    record = reader.add(text_file(tmp_path, "book"))
    reader.open(record)
    reader.moved(lambda: reader.place.show_position(20_000))
    QTest.keyClick(reader.browser, Qt.Key.Key_PageDown)
    position = reader.place.position
    assert position > 20_200
    reader.place.keep_place()
    assert reader.desk.place(record.id) == ReadingPlace(position)
    QTest.keyClick(reader.browser, Qt.Key.Key_PageDown)
    position = reader.place.position
    reader.place.close_document()
    assert reader.desk.place(record.id) == ReadingPlace(position)


def test_words_of_a_text_are_marked_softly_where_they_are_many(reader: Reader, tmp_path: Path, theme: Theme) -> None:
    record = reader.add(text_file(tmp_path, "book"))
    reader.open(record)
    start = next(
        p.start for p in reader.desk.paragraphs(record, 0, record.characters) if p.text.startswith("Paragraph 50")
    )
    reader.place.show_span(start, start + 12)
    assert reader.marked() == "Paragraph 50"

    def colour() -> str:
        selection = reader.browser.extraSelections()[0]
        return selection.format.background().color().name()

    assert colour() == theme.colours.mark
    reader.place.show_span(start, start + 1_600)
    assert colour() == theme.colours.accent_soft
    reader.place.close_document()
    reader.place.show_span(1, 5)
    assert reader.marked() == ""


def test_zoom_is_that_of_the_view_that_is_shown(reader: Reader, tmp_path: Path) -> None:
    record = reader.add(text_file(tmp_path, "book"))
    reader.open(record)
    views = reader.views
    reader.place.zoom_in()
    assert reader.place.zoom == reader.place.text.zoom == 1.1
    assert reader.views == views + 1
    reader.place.zoom_out()
    reader.place.zoom_out()
    assert reader.place.zoom < 1
    reader.place.zoom_usual()
    assert reader.place.zoom == 1.0
    reader.place.focus_view()
    assert reader.place.text.focusProxy() is reader.browser


# -- leaves --------------------------------------------------------------------------------------------------------


def has_picture(reader: Reader, leaf: int) -> bool:
    return reader.place.leaves._pictures.get(leaf) is not None


def test_a_pdf_is_shown_as_its_leaves_and_as_text_at_the_same_place(reader: Reader, pdfs: Path) -> None:
    record = reader.add(pdfs / "tracemonkey-two-column.pdf")
    reader.open(record)
    assert reader.place.shows_leaves
    assert reader.place.leaf_names() == tuple(str(number) for number in range(1, 15))
    reader.until(lambda: has_picture(reader, 0))
    reader.moved(lambda: reader.place.show_leaf(5))
    reader.until(lambda: has_picture(reader, 5))
    position = reader.place.position
    assert 0 < position < record.characters
    assert position < reader.positions[-1] < record.characters, "a little below the top is what is read"
    reader.place.show_as_text()
    assert not reader.place.shows_leaves
    assert reader.place.position == position
    reader.place.show_leaf(7)
    later = reader.place.position
    assert later > position
    reader.place.show_as_leaves()
    assert reader.place.shows_leaves
    assert reader.place.leaves.place()[0] == 7
    reader.place.show_position(position)
    assert reader.place.leaves.place()[0] == 5
    assert reader.errors == []


def test_a_leaf_is_found_by_its_label_or_number(reader: Reader, pdfs: Path) -> None:
    record = reader.add(pdfs / "derived-owner-only-no-copy-fhs.pdf")
    reader.open(record)
    names = reader.place.leaf_names()
    assert len(names) == 50
    roman = next(name for name in names if not name.isdecimal())
    assert reader.place.show_leaf_named(roman.upper())
    assert reader.place.leaves.place()[0] == names.index(roman)
    assert reader.place.show_leaf_named("#50")
    assert reader.place.leaves.place()[0] == 49, "a leaf is named by its number as well"
    assert reader.place.show_leaf_named("12")
    assert reader.place.leaves.place()[0] == (names.index("12") if "12" in names else 11)
    for wrong in ("0", "99999", "", "none", "#0", "#51"):
        assert not reader.place.show_leaf_named(wrong)
    reader.place.close_document()
    assert reader.place.leaf_names() == ()


def test_words_of_a_pdf_are_marked_where_they_are_drawn_also_when_it_is_still_opening(
    reader: Reader, pdfs: Path
) -> None:
    record = reader.add(pdfs / "tracemonkey-two-column.pdf")
    reader.place.open(record)
    start = record.characters // 2
    reader.place.show_span(start, start + 40)
    reader.until(lambda: bool(reader.place.leaves._marks))
    leaf = next(iter(reader.place.leaves._marks))
    assert 5 <= leaf <= 8
    assert reader.place.leaves._marks[leaf]
    top, shown = reader.place.leaves.place(), reader.place.leaves._visible()
    assert leaf in shown, top


def test_a_place_on_a_leaf_is_found_again_exactly(reader: Reader, pdfs: Path, tmp_path: Path) -> None:
    record = reader.add(pdfs / "tracemonkey-two-column.pdf")
    other = reader.add(text_file(tmp_path, "other"))
    reader.open(record)
    reader.moved(lambda: reader.place.leaves.show_leaf(3, 0.25))
    reader.open(other)
    kept = reader.desk.place(record.id)
    assert kept is not None and kept.view == "3 0.250"
    reader.open(record)
    assert reader.place.leaves.place() == (3, 0.25)
    reader.place.leaves.show_leaf(8, 0.5)
    reader.place.close_document()
    kept = reader.desk.place(record.id)
    assert kept is not None and kept.view == "8 0.500"


def test_what_is_chosen_while_a_pdf_is_opening_is_shown_when_it_is_there(reader: Reader, pdfs: Path) -> None:
    record = reader.add(pdfs / "tracemonkey-two-column.pdf")
    reader.place.open(record)
    reader.place.show_position(record.characters - 1)
    reader.until(lambda: reader.place.can_show_leaves)
    assert reader.place._places.leaf_of(record.characters - 1) in reader.place.leaves._visible()


# -- what goes wrong -------------------------------------------------------------------------------------------------


def test_a_locked_pdf_asks_and_opens_with_its_password(
    reader: Reader, qtbot: QtBot, theme: Theme, paths: Paths, pdfs: Path
) -> None:
    record = reader.add(pdfs / "encrypted-user-password.pdf", SECRET)
    reader.close()
    again = Reader(qtbot, theme, paths)
    try:
        record = again.desk.find(str(record.id))
        again.place.open(record)
        again.until(lambda: len(again.passwords) == 1)
        assert again.passwords[0][0] == record.title and again.passwords[0][1]
        assert not again.place.can_show_leaves and again.errors == []
        again.place.open_leaves("wrong")
        again.until(lambda: len(again.passwords) == 2)
        again.place.open_leaves(SECRET)
        again.until(lambda: again.place.can_show_leaves)
        again.until(lambda: has_picture(again, 0))
    finally:
        again.close()


def test_who_knows_no_password_reads_the_text(
    reader: Reader, qtbot: QtBot, theme: Theme, paths: Paths, pdfs: Path
) -> None:
    record = reader.add(pdfs / "encrypted-user-password.pdf", SECRET)
    reader.close()
    again = Reader(qtbot, theme, paths)
    try:
        again.place.open(again.desk.find(str(record.id)))
        again.until(lambda: bool(again.passwords))
        again.place.show_as_text()
        assert not again.place.shows_leaves
        assert again.desk.paragraphs(record, 0, 40)[0].text[:20] in again.browser.toPlainText()
        again.place.show_as_leaves()
        assert not again.place.shows_leaves
    finally:
        again.close()


def test_a_pdf_whose_file_has_gone_is_shown_as_text_with_the_words_that_were_asked_for(
    reader: Reader, pdfs: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "moved.pdf"
    copy.write_bytes((pdfs / "tracemonkey-two-column.pdf").read_bytes())
    record = reader.add(copy)
    copy.unlink()
    reader.place.open(record)
    start = record.characters // 2
    reader.place.show_span(start, start + 30)
    reader.until(lambda: bool(reader.errors))
    assert "no longer" in reader.errors[0].message
    assert not reader.place.shows_leaves
    expected = "".join(
        paragraph.text[max(0, start - paragraph.start) : max(0, start + 30 - paragraph.start)]
        for paragraph in reader.desk.paragraphs(record, start, start + 30)
    )
    assert reader.marked().replace("\u2028", "\n") == expected


def test_an_epub_whose_file_has_gone_is_still_shown(reader: Reader, epubs: Path, tmp_path: Path) -> None:
    copy = tmp_path / "moved.epub"
    copy.write_bytes((epubs / "childrens-literature.epub").read_bytes())
    record = reader.add(copy)
    copy.unlink()
    reader.open(record)
    reader.until(lambda: any(isinstance(event, Failed) for event in reader.bridge.events))
    assert len(reader.browser.toPlainText()) > 1_000
    assert reader.errors == [], "that pictures lack can be seen"


def test_changing_books_fast_leaves_nothing_of_the_others(
    reader: Reader, epubs: Path, pdfs: Path, tmp_path: Path
) -> None:
    pictures = reader.add(epubs / "childrens-literature.epub")
    paper = reader.add(pdfs / "tracemonkey-two-column.pdf")
    manual = reader.add(pdfs / "outline-latex.pdf")
    plain = reader.add(text_file(tmp_path, "plain"))
    for _ in range(3):
        for record in (pictures, paper, plain, manual, paper, pictures):
            reader.place.open(record)
            reader.place.show_span(100, 140)
    reader.open(manual)
    assert len(reader.place.leaf_names()) == 4
    reader.until(lambda: has_picture(reader, 0))
    reader.place.open(plain)
    assert reader.browser.toPlainText().startswith("Paragraph 0 of plain.")
    # What was begun ends before a job that comes last in its line.
    last = reader.desk.picture(pictures, "EPUB/images/cover.png", 100)
    ended: list[Event] = []
    reader.bridge.follow(last, {Done: ended.append, Failed: ended.append})
    reader.until(lambda: bool(ended))
    assert "\ufffc" not in reader.browser.toPlainText()
    assert not reader.place.can_show_leaves and len(reader.place.leaves._pictures) == 0
    assert reader.place.leaves._marks == {}
    assert reader.errors == []
    assert reader.bridge._followers.keys() <= {last}, "nothing is followed any more"


def test_marks_that_are_found_late_are_not_put_into_another_book(reader: Reader, pdfs: Path) -> None:
    paper = reader.add(pdfs / "tracemonkey-two-column.pdf")
    manual = reader.add(pdfs / "outline-latex.pdf")
    reader.open(paper)
    for start in (100, 5_000, 9_000):
        reader.place.show_span(start, start + 50)
    reader.place.close_document()
    assert reader.bridge._followers == {}, "nobody waits for what was found of it"
    reader.open(manual)
    reader.until(lambda: has_picture(reader, 0))
    assert reader.place.leaves._marks == {}
