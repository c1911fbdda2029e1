"""The gist memory as a tree: where pages stand, what has come of each, and how rows are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from readdesk.documents.model import Paragraph, Section
from readdesk.gui.itemmodels.gistdelegate import GistDelegate
from readdesk.gui.itemmodels.gisttree import DONE, FAILED, PAGE, PARAGRAPH, SECTION, TODO, WORKING, GistTree, Role
from readdesk.gui.panes.sidebar import TreeView
from readdesk.gui.theme import Theme
from readdesk.library.model import PageRecord
from readdesk.reading.model import Gist, GistFlag, Page

LENGTH = 1000
SECTIONS = (
    Section(0, "Front", 1, -1, 0),
    Section(1, "Part One", 1, -1, 100),
    Section(2, "Chapter 1", 2, 1, 200),
    Section(3, "Chapter 2", 2, 1, 400),
    Section(4, "Scene", 3, 3, 450),
    Section(5, "Part Two", 1, -1, 700),
)


def page(
    number: int, start: int, end: int, section: int, gist: str | None = "A gist.", flag: GistFlag = ""
) -> PageRecord:
    written = Gist(number, gist, "tiny", 1, "", flag) if gist is not None else None
    return PageRecord(Page(number, start, end, section, 1234, "model"), SECTIONS[section].title, written)


PAGES = (
    page(1, 0, 100, 0),
    page(2, 100, 200, 1),
    page(3, 200, 400, 2),
    page(4, 400, 500, 3),
    page(5, 500, 700, 4),
    page(6, 700, 1000, 5),
)


class Tree:
    """A model under Qt's own test, which stops at the first thing that is wrong."""

    def __init__(self) -> None:
        self.model = GistTree()
        self.tester = QAbstractItemModelTester(
            self.model, QAbstractItemModelTester.FailureReportingMode.Fatal, self.model
        )
        self.tester.setUseFetchMore(False)
        self.asked: list[tuple[int, int]] = []
        self.told: list[str] = []
        self.model.dataChanged.connect(lambda first, _: self.told.append(self.name(first)))

    def open(self, pages: Sequence[PageRecord] = (), sections: Sequence[Section] = SECTIONS) -> None:
        self.model.open(sections, pages, LENGTH, self.paragraphs)
        self.told.clear()

    def paragraphs(self, start: int, end: int) -> Sequence[Paragraph]:
        """Paragraphs of 80 letters, as the library gives them: whole ones."""
        self.asked.append((start, end))
        every = [Paragraph(0, at, f"{at:04}".ljust(79, ".") + "!", ()) for at in range(0, LENGTH, 80)]
        return [paragraph for paragraph in every if paragraph.end > start and paragraph.start < end]

    def name(self, index: QModelIndex) -> str:
        record = index.data(Role.PAGE)
        return f"page {record.page.number}" if record is not None else str(index.data())

    def rows(self, parent: QModelIndex = QModelIndex()) -> Iterator[tuple[int, QModelIndex]]:
        """Every row with its depth, from the top."""
        for row in range(self.model.rowCount(parent)):
            index = self.model.index(row, 0, parent)
            yield 0, index
            yield from ((depth + 1, below) for depth, below in self.rows(index))

    def outline(self) -> list[str]:
        return [". " * depth + self.name(index) for depth, index in self.rows()]

    def states(self) -> dict[str, str]:
        return {self.name(index): index.data(Role.STATE) for _, index in self.rows()}

    def find(self, name: str) -> QModelIndex:
        return next(index for _, index in self.rows() if self.name(index) == name)


@pytest.fixture
def tree(qtbot: QtBot) -> Tree:
    return Tree()


# -- where things stand ----------------------------------------------------------------------------------------------


def test_pages_stand_under_their_sections_among_the_subsections(tree: Tree) -> None:
    tree.open((*PAGES, page(7, 150, 200, 1), page(8, 650, 700, 1)))
    assert tree.outline() == [
        *("Front", ". page 1", "Part One", ". page 2", ". page 7"),
        *(". Chapter 1", ". . page 3", ". Chapter 2", ". . page 4", ". . Scene", ". . . page 5"),
        *(". page 8", "Part Two", ". page 6"),
    ]
    assert {index.data(Role.KIND) for _, index in tree.rows()} == {SECTION, PAGE}


def test_pages_that_come_in_any_order_stand_as_if_they_had_been_there(tree: Tree) -> None:
    tree.open()
    inserted: list[tuple[str, int, int]] = []
    tree.model.rowsInserted.connect(lambda parent, a, b: inserted.append((str(parent.data()), a, b)))
    for record in (PAGES[4], PAGES[1], page(7, 150, 200, 1), PAGES[3], PAGES[0], PAGES[5], PAGES[2]):
        tree.model.set_page(record)
    assert inserted[:4] == [("Scene", 0, 0), ("Part One", 0, 0), ("Part One", 1, 1), ("Chapter 2", 0, 0)]
    built = tree.outline()
    tree.open((*PAGES, page(7, 150, 200, 1)))
    assert built == tree.outline()


def test_pages_of_a_document_without_sections_stand_alone(tree: Tree) -> None:
    tree.open(sections=())
    tree.model.set_working(1, 0)
    tree.model.set_page(PAGES[1])
    tree.model.set_page(PAGES[0])
    assert tree.outline() == ["page 1", "page 2"]
    assert tree.states() == {"page 1": DONE, "page 2": DONE}


def test_a_page_is_opened_to_its_own_words_cut_at_its_bounds(tree: Tree) -> None:
    tree.open(PAGES)
    assert tree.asked == []
    index = tree.find("page 2")
    assert tree.model.hasChildren(index) and tree.model.rowCount(index) == 0
    assert tree.model.canFetchMore(index)
    assert not tree.model.canFetchMore(tree.find("Front"))
    tree.model.fetchMore(index)
    assert tree.asked == [(100, 200)]
    assert not tree.model.canFetchMore(index)
    rows = [tree.model.index(row, 0, index) for row in range(tree.model.rowCount(index))]
    assert [(row.data(Role.POSITION), row.data(Role.LENGTH)) for row in rows] == [(100, 60), (160, 40)]
    assert [row.data(Role.KIND) for row in rows] == [PARAGRAPH, PARAGRAPH]
    assert rows[0].data() == "." * 59 + "!"
    assert rows[1].data() == "0160".ljust(40, ".")
    assert rows[1].parent() == index
    tree.model.set_page(replace(PAGES[1], gist=replace(PAGES[1].gist, text="Anew.")))  # type: ignore[type-var]
    assert (index.data(), tree.model.rowCount(index)) == ("Anew.", 2), "a new gist leaves it open"


def test_qts_own_test_agrees_when_everything_is_opened(tree: Tree) -> None:
    tree.open(PAGES)
    tester = QAbstractItemModelTester(tree.model, QAbstractItemModelTester.FailureReportingMode.Fatal, tree.model)
    assert tree.asked == [(record.page.start, record.page.end) for record in PAGES]
    tester.setUseFetchMore(False)  # It would fetch while it is told of a reset, and take that for a fault.
    tree.model.set_page(page(7, 150, 200, 1))
    tree.model.set_working(8, 650)
    tree.model.light((3, 7))
    tree.model.set_here(150)
    tree.model.set_failed(8, 650, "It broke.")
    tree.model.close()
    assert tree.model.rowCount() == 0


# -- what has come of it ---------------------------------------------------------------------------------------------


def test_states_through_a_whole_job(tree: Tree) -> None:
    tree.open()
    assert set(tree.states().values()) == {TODO}
    done: list[str] = []
    working = {
        1: ["Front"],
        2: ["Part One"],
        3: ["Part One", "Chapter 1"],
        4: ["Part One", "Chapter 2"],
        5: ["Part One", "Chapter 2", "Scene"],
        6: ["Part Two"],
    }
    finished = {1: ["Front"], 3: ["Chapter 1"], 5: ["Part One", "Chapter 2", "Scene"], 6: ["Part Two"]}
    for record in PAGES:
        number = record.page.number
        tree.model.set_working(number, record.page.start)
        at_work = [name for name, state in tree.states().items() if state == WORKING]
        assert at_work == working[number]
        assert {name for name, state in tree.states().items() if state == DONE} == set(done)
        tree.model.set_page(record)
        done += [f"page {number}", *finished.get(number, [])]
        assert {name for name, state in tree.states().items() if state == DONE} == set(done)
        assert WORKING not in tree.states().values(), "it is kept, so nothing is in work until the next one is begun"
    tree.model.set_idle()
    assert set(tree.states().values()) == {DONE}


def test_what_is_told_to_have_changed_is_what_has_changed(tree: Tree) -> None:
    """Else a spinner would stay on the screen until somebody scrolls."""
    tree.open()
    before = tree.states()

    def changed() -> set[str]:
        nonlocal before
        now = tree.states()
        found = {name for name, state in now.items() if name in before and before[name] != state}
        before = now
        return found

    for record in PAGES:
        tree.told.clear()
        tree.model.set_working(record.page.number, record.page.start)
        assert changed() <= set(tree.told)
        tree.told.clear()
        tree.model.set_page(record)
        assert changed() <= set(tree.told)
    acts: tuple[Callable[[], None], ...] = (
        lambda: tree.model.set_working(4, 400),
        lambda: tree.model.set_working(2, 100),
        lambda: tree.model.set_failed(2, 100, "It broke."),
        lambda: tree.model.set_working(3, 200),
        tree.model.set_idle,
    )
    for act in acts:
        tree.told.clear()
        act()
        assert changed() <= set(tree.told) and tree.told


def test_pages_that_are_read_together_are_all_in_work_until_each_is_kept(tree: Tree) -> None:
    tree.open(PAGES[:1])

    def working() -> set[str]:
        return {name for name, state in tree.states().items() if state == WORKING}

    tree.model.set_working(2, 100)
    for record in PAGES[2:4]:
        tree.model.set_working(record.page.number, record.page.start, joins=True)
    assert working() == {"Part One", "Chapter 1", "Chapter 2"}
    tree.model.set_page(PAGES[1])
    assert working() == {"Part One", "Chapter 1", "Chapter 2"}, "Part One holds the chapters"
    tree.told.clear()
    tree.model.set_page(PAGES[2])
    assert working() == {"Part One", "Chapter 2"} and "Chapter 1" in tree.told
    tree.model.set_working(6, 700)
    assert working() == {"Part Two"}, "the first of a group is alone in work"
    tree.model.set_idle()
    assert working() == set()


def test_a_page_that_fails_shows_in_its_sections_until_something_is_begun(tree: Tree) -> None:
    tree.open(PAGES[:4])
    tree.model.set_working(5, 500)
    tree.model.set_failed(5, 500, "The model broke.")
    failed = {name for name, state in tree.states().items() if state == FAILED}
    assert failed == {"Part One", "Chapter 2", "Scene"}
    assert "The model broke." in tree.find("Scene").data(Qt.ItemDataRole.ToolTipRole)
    assert tree.find("Front").data(Qt.ItemDataRole.ToolTipRole) == "<span>Front</span>"
    tree.model.set_working(5, 500)
    assert tree.states()["Scene"] == WORKING
    tree.model.set_page(PAGES[4])
    assert tree.states()["Scene"] == DONE
    assert tree.find("Scene").data(Qt.ItemDataRole.ToolTipRole) == "<span>Scene</span>"


def test_a_gist_that_is_missing_in_the_middle_leaves_its_sections_to_do(tree: Tree) -> None:
    """As after a failure, or where another model has read part of the pages."""
    tree.open((*PAGES[:2], page(3, 200, 400, 2, None), *PAGES[3:]))
    states = tree.states()
    assert {name for name, state in states.items() if state == TODO} == {"page 3", "Chapter 1", "Part One"}
    assert tree.find("page 3").data() == ""
    tree.model.set_working(3, 200)
    assert {name for name, state in tree.states().items() if state == WORKING} == {"page 3", "Chapter 1", "Part One"}
    tree.model.set_page(PAGES[2])
    assert set(tree.states().values()) == {DONE}


def test_a_missing_page_counts_in_every_section_that_it_reaches_into(tree: Tree) -> None:
    tree.open((PAGES[0], page(2, 100, 420, 1, None), page(3, 420, 700, 3), PAGES[5]))
    states = tree.states()
    assert {name for name, state in states.items() if state == TODO} == {
        *("Part One", "Chapter 1", "Chapter 2", "page 2"),
    }
    assert states["Scene"] == states["Part Two"] == DONE


def test_a_second_model_reads_page_after_page(tree: Tree) -> None:
    bare = [replace(record, gist=None) for record in PAGES]
    tree.open((PAGES[0], *bare[1:]))
    assert [name for name, state in tree.states().items() if state == DONE] == ["Front", "page 1"]
    tree.model.set_working(2, 100)
    assert {name for name, state in tree.states().items() if state == WORKING} == {"Part One", "page 2"}
    for record in PAGES[1:]:
        tree.model.set_page(record)
    assert set(tree.states().values()) == {DONE}
    assert len(tree.outline()) == len(SECTIONS) + len(PAGES)


# -- what else is told -------------------------------------------------------------------------------------------------


def test_pages_that_are_looked_up_are_lit_and_no_others(tree: Tree) -> None:
    tree.open(PAGES)

    def lit() -> list[str]:
        return [tree.name(index) for _, index in tree.rows() if index.data(Role.LIT)]

    tree.model.light((3, 5, 99))
    assert lit() == ["page 3", "page 5"]
    assert sorted(tree.told) == ["page 3", "page 5"]
    tree.told.clear()
    tree.model.light((5, 6))
    assert lit() == ["page 5", "page 6"]
    assert {"page 3", "page 6"} <= set(tree.told)
    tree.model.light(())
    assert lit() == []


@pytest.mark.parametrize(
    ("position", "name"),
    [
        *((0, "page 1"), (99, "page 1"), (100, "page 2"), (250, "page 3"), (449, "page 4"), (460, "Scene")),
        *((699, "page 5"), (700, "Part Two"), (999, "Part Two"), (1000, "Part Two")),
    ],
)
def test_the_place_of_the_book_is_the_innermost_row_that_holds_it(tree: Tree, position: int, name: str) -> None:
    tree.open(PAGES[:5])
    tree.model.set_here(150)
    tree.told.clear()
    index = tree.model.set_here(position)
    assert tree.name(index) == name
    assert [tree.name(each) for _, each in tree.rows() if each.data(Role.HERE)] == [name]
    assert set(tree.told) == {"page 2", name} or name == "page 2"
    assert index == tree.find(name)


def test_a_place_before_anything_is_nowhere(tree: Tree) -> None:
    assert not tree.model.set_here(5).isValid()
    tree.open(sections=SECTIONS[1:2])
    assert not tree.model.set_here(5).isValid()
    assert tree.model.set_here(150).data() == "Part One"


def test_rows_say_aloud_what_they_show(tree: Tree) -> None:
    tree.open((PAGES[0], page(2, 100, 200, 1, None)))
    tree.model.set_working(2, 100)

    def spoken(name: str) -> str:
        return str(tree.find(name).data(Qt.ItemDataRole.AccessibleTextRole))

    assert spoken("Front") == "Front, done"
    assert spoken("Part Two") == "Part Two, to do"
    assert spoken("page 1") == "Page 1, done. A gist."
    assert spoken("page 2") == "Page 2, working. "
    tree.model.set_failed(2, 100, "It broke.")
    assert spoken("page 2") == "Page 2, failed. "
    tree.model.fetchMore(tree.find("page 1"))
    words = tree.model.index(0, 0, tree.find("page 1"))
    assert words.data(Qt.ItemDataRole.AccessibleTextRole) == words.data()


@pytest.mark.parametrize(
    ("flag", "note"),
    [
        ("", "1,234 words"),
        ("verbatim", "1,234 words · as it stands"),
        ("cut", "1,234 words · gist cut short"),
        ("opening", "1,234 words · its opening only"),
        ("crashed", "1,234 words · its opening only: the model crashed on it"),
    ],
)
def test_a_page_notes_its_length_and_what_is_odd_about_its_gist(tree: Tree, flag: GistFlag, note: str) -> None:
    tree.open((page(1, 0, 100, 0, flag=flag),))
    assert tree.find("page 1").data(Role.NOTE) == note
    assert tree.find("Front").data(Role.NOTE) == ""


def test_a_page_of_recognised_text_says_so() -> None:
    """Trap 67: words that a program recognised in a picture may hold errors."""
    tree = Tree()
    tree.open((replace(page(1, 0, 100, 0, flag="cut"), is_recognised=True), page(2, 100, 200, 1)))
    assert tree.find("page 1").data(Role.NOTE) == "1,234 words \u00b7 recognised text \u00b7 gist cut short"
    assert tree.find("page 2").data(Role.NOTE) == "1,234 words"


def test_another_document_leaves_nothing_of_the_first(tree: Tree) -> None:
    tree.open(PAGES)
    tree.model.set_failed(2, 100, "It broke.")
    tree.model.light((1,))
    tree.model.set_here(0)
    tree.model.set_working(2, 100)
    tree.open(PAGES[:1])
    assert WORKING not in tree.states().values() and FAILED not in tree.states().values()
    assert not any(index.data(Role.LIT) or index.data(Role.HERE) for _, index in tree.rows())
    assert tree.model.index_of_page(1).isValid()
    assert not tree.model.index_of_page(2).isValid()
    tree.model.close()
    assert tree.outline() == []
    assert not tree.model.index_of_page(1).isValid()


# -- how it is drawn ---------------------------------------------------------------------------------------------------


class Drawn:
    """A tree in its view, every row of it opened."""

    def __init__(self, bot: QtBot, theme: Theme, tree: Tree) -> None:
        self.tree, self.view = tree, TreeView()
        bot.addWidget(self.view)
        long = "A gist of many words that will not fit into one line of a narrow pane. " * 3
        self.records = (page(1, 0, 100, 0, long), page(2, 100, 200, 1, None), page(3, 200, 400, 2, "שלום " * 30))
        tree.open(self.records)
        self.view.setModel(tree.model)
        self.delegate = GistDelegate(theme, self.view)
        self.view.setItemDelegate(self.delegate)
        self.view.resize(330, 700)
        self.view.show()
        bot.waitExposed(self.view)
        for number in (1, 2, 3):
            self.view.expand(tree.model.index_of_page(number))
        self.view.expandAll()

    def height(self, index: QModelIndex) -> int:
        return self.delegate.sizeHint(QStyleOptionViewItem(), index).height()

    def heights(self) -> dict[str, int]:
        return {f"{index.data(Role.KIND)} {self.tree.name(index)}": self.height(index) for _, index in self.tree.rows()}

    def painted(self, index: QModelIndex, chosen: bool = False) -> QImage:
        image = QImage(300, self.height(index), QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.magenta)
        option = QStyleOptionViewItem()
        option.rect = QRect(0, 0, image.width(), image.height())
        if chosen:
            option.state |= QStyle.StateFlag.State_Selected
        painter = QPainter(image)
        self.delegate.paint(painter, option, index)
        painter.end()
        return image


@pytest.fixture
def drawn(qtbot: QtBot, theme: Theme, tree: Tree) -> Drawn:
    return Drawn(qtbot, theme, tree)


def _has_height(drawn: Drawn, index: QModelIndex, height: int) -> bool:
    return drawn.view.visualRect(index).height() == height


def test_rows_grow_as_the_pane_becomes_narrower(qtbot: QtBot, drawn: Drawn) -> None:
    assert isinstance(drawn.view.model(), QAbstractItemModel)
    found = {}
    for width in (500, 330, 220):
        drawn.view.resize(width, 700)
        found[width] = drawn.heights()
        index = drawn.tree.find("page 1")
        wanted = drawn.height(index)
        qtbot.waitUntil(partial(_has_height, drawn, index, wanted))
    assert found[500]["page page 1"] < found[330]["page page 1"] < found[220]["page page 1"]
    assert found[500]["section Front"] == found[220]["section Front"]
    assert found[220]["page page 2"] < found[500]["page page 1"], "without a gist there is only its head"
    paragraphs = [name for name in found[220] if name.startswith(PARAGRAPH)]
    assert paragraphs and all(found[500][name] <= found[220][name] for name in paragraphs)


def test_words_fit_into_their_row(drawn: Drawn) -> None:
    """What is painted last is a row's ground, not half a line."""
    drawn.view.resize(240, 700)
    index = drawn.tree.find("page 1")
    option = drawn.view.visualRect(index)
    image = QImage(option.width(), drawn.height(index) + 60, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.magenta)
    painter = QPainter(image)
    style = QStyleOptionViewItem()
    style.rect = QRect(0, 0, option.width(), drawn.height(index))
    drawn.delegate.paint(painter, style, index)
    painter.end()
    below = {
        image.pixelColor(x, y).name()
        for y in range(drawn.height(index), image.height())
        for x in range(0, 240, 3)
        if x < image.width()
    }
    assert below == {"#ff00ff"}


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_every_kind_of_row_is_painted_in_both_themes(drawn: Drawn, theme: Theme, choice: str) -> None:
    theme.choose(choice)
    try:
        drawn.tree.model.set_working(2, 100)
        drawn.tree.model.light((1,))
        drawn.tree.model.set_here(250)
        for _, index in drawn.tree.rows():
            plain, chosen = drawn.painted(index), drawn.painted(index, chosen=True)
            colours = {plain.pixelColor(x, y).name() for x in range(plain.width()) for y in range(plain.height())}
            assert len(colours) > 3, "words are drawn"
            assert plain != chosen
        lit = drawn.painted(drawn.tree.find("page 1"))
        assert lit.pixelColor(1, lit.height() // 2).name() == theme.colours.accent
        drawn.tree.model.light(())
        assert drawn.painted(drawn.tree.find("page 1")) != lit
    finally:
        theme.choose("light")


def test_each_state_looks_different(drawn: Drawn) -> None:
    tree, name = drawn.tree, "page 2"
    todo = drawn.painted(tree.find(name))
    tree.model.set_working(2, 100)
    working = drawn.painted(tree.find(name))
    tree.model.set_failed(2, 100, "It broke.")
    failed = drawn.painted(tree.find(name))
    tree.model.set_page(page(2, 100, 200, 1, ""))
    done = drawn.painted(tree.find(name))
    looks = [todo, working, failed, done]
    assert all(one != other for at, one in enumerate(looks) for other in looks[:at])
