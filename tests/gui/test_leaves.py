"""The view of a PDF's leaves: what it asks for, what it paints, where it is after scrolling, zooming and resizing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from readdesk.documents.model import Lack, Leaf, LeafSpot, Picture, Rectangle
from readdesk.gui.reader.leafstack import GAP, Kept, LeafStack, Pictures, image_of
from readdesk.gui.reader.leaves import PICTURE_BYTES, ZOOM_LEAST, ZOOM_MOST, LeafView
from readdesk.gui.theme import DARK, LIGHT, Theme

A_LEAF = Leaf(400, 600)
RED, GREEN, BLUE = (200, 30, 30), (30, 200, 30), (30, 30, 200)
Asked = Callable[[], list[tuple[tuple[int, ...], float]]]


def picture(width: int, height: int, colour: tuple[int, int, int] = RED) -> Picture:
    """A picture of one colour; its rows are longer than their pixels, as they come."""
    row = bytes(colour) * width + bytes(5)
    return Picture(width, height, len(row), row * height)


def drawn(scale: float, colour: tuple[int, int, int] = RED) -> Picture:
    return picture(round(400 * scale), round(600 * scale), colour)


def made(qtbot: QtBot, theme: Theme, picture_bytes: int = PICTURE_BYTES) -> LeafView:
    """A view that is not shown yet."""
    view = LeafView(theme, picture_bytes=picture_bytes)
    qtbot.addWidget(view)
    view.resize(501, 700)  # an odd width: the middle lies between two pixels
    return view


@pytest.fixture
def view(qtbot: QtBot, theme: Theme) -> LeafView:
    shown = made(qtbot, theme)
    shown.show()
    qtbot.waitExposed(shown)
    return shown


@pytest.fixture
def asked(view: LeafView, qtbot: QtBot) -> Asked:
    """What the view asked for since the last call, once its timers have run out."""
    calls: list[tuple[tuple[int, ...], float]] = []
    view.leaves_wanted.connect(lambda leaves, scale: calls.append((leaves, scale)))

    def since() -> list[tuple[tuple[int, ...], float]]:
        settle(qtbot)
        found, calls[:] = calls.copy(), []
        return found

    return since


def settle(qtbot: QtBot) -> None:
    """Let every timer of the view run out."""
    qtbot.wait(200)


def lay_out(view: LeafView, count: int, zoom: float = 1.0) -> None:
    """Show so many leaves at a zoom."""
    view.open([A_LEAF] * count)
    view.set_zoom(zoom)
    view.show_leaf(0)


def colour_at(view: LeafView, x: float, y: float) -> tuple[int, int, int]:
    """The colour in the viewport."""
    return parts(view.viewport().grab().toImage().pixelColor(round(x), round(y)))


def parts(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()


def wheel(view: LeafView, at: QPoint, notches: int = 0, pixels: tuple[int, int] = (0, 0), ctrl: bool = False) -> None:
    """Turn the wheel, or stroke a touchpad, over a point of the viewport."""
    held = Qt.KeyboardModifier.ControlModifier if ctrl else Qt.KeyboardModifier.NoModifier
    where, turn, stroke = QPointF(at), QPoint(0, 120 * notches), QPoint(*pixels)
    button, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    QApplication.sendEvent(view.viewport(), QWheelEvent(where, where, stroke, turn, button, held, phase, False))


def test_what_lacks_is_asked_for_what_is_visible_first(view: LeafView, asked: Asked) -> None:
    lay_out(view, 10)
    assert asked() == [((0, 1, 2), 1.0)]  # 700 pixels: all of leaf 0, the beginning of leaf 1; leaf 2 is the neighbour
    for index in (0, 1, 2):
        view.set_picture(index, 1.0, drawn(1.0))
    view.show_leaf(1, 0.5)
    assert asked() == [((3,), 1.0)]
    view.show_leaf(4, 0.9)
    assert asked() == [((5, 4, 6, 7, 3), 1.0)]  # 5 takes most of the viewport


def test_what_is_being_drawn_is_not_asked_for_again(view: LeafView, asked: Asked) -> None:
    lay_out(view, 10)
    assert asked() == [((0, 1, 2), 1.0)]
    view.verticalScrollBar().setValue(20)
    assert asked() == []
    view.set_picture(0, 1.0, drawn(1.0))
    view.verticalScrollBar().setValue(40)
    assert asked() == []
    view.set_zoom(1.1)
    assert [(set(leaves), scale) for leaves, scale in asked()] == [({0, 1, 2}, 1.1)]
    view.set_zoom(1.0)
    assert [(set(leaves), scale) for leaves, scale in asked()] == [({1, 2}, 1.0)]


def test_scrolling_asks_on_its_way_but_not_at_every_step(view: LeafView, asked: Asked, qtbot: QtBot) -> None:
    lay_out(view, 100)
    asked()
    for value in range(0, 30_000, 1000):
        view.verticalScrollBar().setValue(value)
    assert [view.place()[0] in leaves for leaves, _ in asked()] == [True]
    for value in range(0, 20_000, 1000):
        view.verticalScrollBar().setValue(value)
        qtbot.wait(10)
    assert 1 < len(asked()) < 15


def test_zooming_asks_once_it_rests_and_only_when_shown(view: LeafView, asked: Asked, qtbot: QtBot) -> None:
    view.hide()
    view.open([A_LEAF] * 3)
    assert asked() == []
    view.show()
    assert [scale for _, scale in asked()] == [view.zoom]
    for _ in range(4):
        view.zoom_in()
        qtbot.wait(10)
    assert [scale for _, scale in asked()] == [view.zoom]


def test_a_leaf_that_failed_shows_why_and_is_not_asked_for_again(view: LeafView, asked: Asked, theme: Theme) -> None:
    lay_out(view, 2)
    view.set_picture(0, 1.0, drawn(1.0))
    view.set_failure(0, "\u2588" * 30)
    assert colour_at(view, 250, 100) == (255, 255, 255)
    assert colour_at(view, 244, 312) == parts(theme.colour("bad"))
    assert asked() == [((1,), 1.0)]
    view.set_zoom(1.1)
    assert asked() == [((1,), 1.1)]
    view.open([A_LEAF])
    assert asked() == [((0,), 1.1)]


# -- leaves that take long -----------------------------------------------------------------------------------------


def lacking(lack: Lack, colour: tuple[int, int, int] = RED) -> Picture:
    return replace(drawn(1.0, colour), lack=lack)


@pytest.mark.parametrize(
    ("lack", "goes_on", "said"),
    [
        ("rest", True, "This leaf takes long to draw. Only a part of it is shown so far."),
        ("rest", False, "This leaf is too complex to draw in full. Only a part of it is shown."),
        ("detail", True, "This leaf takes long to draw. It is shown without detail so far."),
        ("detail", False, "This leaf is too complex to draw in full. It is shown without detail."),
    ],
)
def test_a_leaf_says_what_its_picture_lacks(view: LeafView, lack: Lack, goes_on: bool, said: str) -> None:
    """In words on a strip above the picture, wherever it is scrolled to, and for a screen reader."""
    strip = parts(QColor(LIGHT.accent_soft))
    lay_out(view, 2)
    view.set_picture(0, 1.0, lacking(lack), goes_on)
    left = view.viewport().width() / 2 - 195
    assert view.accessibleDescription() == f"Leaf 1 of 2. {said}"
    assert (colour_at(view, left, GAP + 2), colour_at(view, left, GAP + 200)) == (strip, RED)
    view.show_leaf(0, 0.5)
    assert (colour_at(view, left, 2), colour_at(view, left, 200)) == (strip, RED)
    view.show_leaf(0)
    view.set_picture(0, 1.0, drawn(1.0))
    assert view.accessibleDescription() == "Leaf 1 of 2"
    assert colour_at(view, left, GAP + 2) == RED


def test_the_strip_stays_on_the_leaf_however_narrow(view: LeafView) -> None:
    view.open([Leaf(60, 300)])
    view.set_zoom(1.0)
    view.set_picture(0, 1.0, replace(picture(60, 300), lack="rest"))
    middle = view.viewport().width() / 2
    assert colour_at(view, middle - 29, GAP + 2) == parts(QColor(LIGHT.accent_soft))
    assert colour_at(view, middle - 33, GAP + 2) == colour_at(view, 5, 5)


def test_a_leaf_that_is_still_drawn_is_asked_for_again_only_behind_others(view: LeafView, asked: Asked) -> None:
    lay_out(view, 10)
    assert asked() == [((0, 1, 2), 1.0)]
    view.set_picture(0, 1.0, lacking("rest"), True)
    view.set_picture(1, 1.0, drawn(1.0))
    view.set_picture(2, 1.0, drawn(1.0))
    view.verticalScrollBar().setValue(20)
    assert asked() == [], "it is being drawn"
    view.show_leaf(1)
    assert asked() == [((3, 0), 1.0)], "asking ends the drawing before, so it comes along"
    view.set_picture(3, 1.0, drawn(1.0))
    view.set_picture(0, 1.0, lacking("rest"))
    view.show_leaf(0)
    assert asked() == [], "there will be no better one"
    view.set_zoom(1.1)
    assert 0 in asked()[0][0], "at another size there may be"


def test_what_shows_more_is_not_replaced_while_a_leaf_is_drawn_anew(view: LeafView) -> None:
    lay_out(view, 1)
    middle = view.viewport().width() / 2
    for lack, goes_on, colour, seen in (
        ("rest", True, RED, RED),
        ("detail", True, GREEN, GREEN),
        ("rest", True, BLUE, GREEN),
        ("detail", True, BLUE, BLUE),
        ("rest", False, RED, RED),
    ):
        view.set_picture(0, 1.0, lacking(lack, colour), goes_on)  # type: ignore[arg-type]
        assert colour_at(view, middle, GAP + 300) == seen


@pytest.mark.parametrize("zoom", [0.25, 0.9, 1.0, 1.7, 5.0])
@pytest.mark.parametrize("place", [(0, 0.0), (3, 0.0), (7, 0.25), (40, 0.999)])
def test_a_place_is_where_one_went(view: LeafView, zoom: float, place: tuple[int, float]) -> None:
    view.open([Leaf(400, 500 + index) for index in range(60)])
    view.set_zoom(zoom)
    view.show_leaf(*place)
    assert view.place() == place


def test_a_place_after_scrolling_is_what_is_at_the_top(view: LeafView) -> None:
    lay_out(view, 10)
    down = view.verticalScrollBar()
    down.setValue(3 * (600 + GAP) + GAP + 150)
    assert view.place() == (3, 0.25)
    view.show_leaf(99, 7.0)
    assert down.value() == down.maximum()
    view.show_leaf(-3)
    assert view.place() == (0, 0.0)


def test_a_place_survives_resizes_and_being_given_early(qtbot: QtBot, theme: Theme) -> None:
    view = made(qtbot, theme)
    view.open([A_LEAF] * 21)
    view.show_leaf(20, 0.4)
    view.resize(800, 200)
    view.show()
    qtbot.waitExposed(view)
    for width, height in ((800, 200), (900, 300), (333, 200), (1200, 300)):
        view.resize(width, height)
        assert view.place() == (20, 0.4)
    view.verticalScrollBar().setValue(view.verticalScrollBar().value() - 31)
    place = view.place()
    view.resize(700, 300)
    assert view.place() == pytest.approx(place, abs=2e-3)


def test_a_new_place_is_told_once_it_rests(view: LeafView, qtbot: QtBot) -> None:
    view.open([A_LEAF] * 50)
    told: list[tuple[int, float]] = []
    view.place_changed.connect(lambda index, fraction: told.append((index, fraction)))
    for index in range(1, 30):
        view.show_leaf(index)
    assert told == []
    settle(qtbot)
    view.resize(600, 600)
    settle(qtbot)
    assert told == [(29, 0.0)]


def test_the_width_fits_and_goes_on_fitting(view: LeafView, qtbot: QtBot) -> None:
    view.open([A_LEAF] * 20)
    for width in (501, 900, 300):
        view.resize(width, 700)
        settle(qtbot)  # Qt may show the scroll bar later
        assert 400 * view.zoom + 2 * GAP == pytest.approx(view.viewport().width(), abs=1)
        assert view.horizontalScrollBar().maximum() == 0
    fitting = view.zoom
    view.set_zoom(1.0)
    view.resize(600, 700)
    assert view.zoom == 1.0
    view.resize(300, 700)
    view.fit_width()
    view.open([*[A_LEAF] * 9, Leaf(2000, 600)])  # a map does not make the others small
    assert view.zoom == fitting
    assert view.horizontalScrollBar().maximum() > 1000


def test_a_whole_leaf_fits(view: LeafView) -> None:
    view.open([A_LEAF] * 20)
    view.show_leaf(5, 0.2)
    view.fit_leaf()
    for height in (700, 400):
        view.resize(500, height)
        assert view.place() == (5, 0.0)
        assert 600 * view.zoom + 2 * GAP == pytest.approx(height, abs=1)


def test_zoom_goes_in_steps_between_bounds_and_is_told(view: LeafView) -> None:
    lay_out(view, 3)
    told: list[float] = []
    view.zoom_changed.connect(told.append)
    view.zoom_in()
    view.zoom_out()
    for factor in (99, 0, 0):
        view.set_zoom(factor)
    assert told == pytest.approx([1.2, 1.0, ZOOM_MOST, ZOOM_LEAST])


def point_under(view: LeafView, at: QPoint) -> tuple[float, float]:
    """Points from the middle line and from the top of the leaf that begins last above a point of the viewport."""
    across, down = view.horizontalScrollBar(), view.verticalScrollBar()
    x = (at.x() - view.viewport().width() / 2 + across.value() - across.maximum() / 2) / view.zoom
    return x, (down.value() + at.y() - (view.place()[0] + 1) * GAP) / view.zoom


@pytest.mark.parametrize("at", [QPoint(244, 350), QPoint(30, 600)])
def test_zoom_keeps_the_point_under_the_pointer_or_the_middle(view: LeafView, at: QPoint) -> None:
    lay_out(view, 20, 2.0)
    view.show_leaf(3, 0.3)
    before = point_under(view, at)
    wheel(view, at, notches=1, ctrl=True)
    assert view.zoom == pytest.approx(2.4)
    assert point_under(view, at) == pytest.approx(before, abs=0.6)
    wheel(view, at, notches=-2, ctrl=True)
    assert view.zoom == pytest.approx(2.0 / 1.2)
    assert point_under(view, at) == pytest.approx(before, abs=1.0)
    middle = view.viewport().rect().center()
    before = point_under(view, middle)
    view.zoom_in()
    assert point_under(view, middle) == pytest.approx(before, abs=0.6)


def test_keys_move(view: LeafView) -> None:
    lay_out(view, 20, 3.0)
    across, down = view.horizontalScrollBar(), view.verticalScrollBar()
    key, shift, ctrl = Qt.Key, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier

    def value_after(pressed: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> int:
        QTest.keyClick(view, pressed, modifier)
        return down.value()

    value_after(key.Key_Home)
    assert 0 < value_after(key.Key_Down) < 100
    assert value_after(key.Key_Up) == 0
    page = value_after(key.Key_Space)
    assert 600 < page < 700
    assert [value_after(key.Key_PageDown), value_after(key.Key_PageUp)] == [2 * page, page]
    assert value_after(key.Key_Space, shift) == 0
    assert [value_after(key.Key_End), value_after(key.Key_Home)] == [down.maximum(), 0]
    assert [value_after(key.Key_End, ctrl), value_after(key.Key_Home, ctrl)] == [down.maximum(), 0]
    before = across.value()
    value_after(key.Key_Right)
    assert across.value() > before


def test_wheel_and_touchpad_move(view: LeafView) -> None:
    lay_out(view, 20, 3.0)
    across, down = view.horizontalScrollBar(), view.verticalScrollBar()
    x = across.value()
    wheel(view, QPoint(200, 200), pixels=(7, -13))
    assert (across.value(), down.value()) == (x - 7, 13)
    wheel(view, QPoint(200, 200), notches=-1)
    assert down.value() > 50


def test_a_leaf_without_a_picture_is_a_sheet_with_its_label(view: LeafView, theme: Theme) -> None:
    lay_out(view, 1)
    plain = view.viewport().grab().toImage()
    assert colour_at(view, 250, 100) == (255, 255, 255)
    assert QColor(plain.pixel(5, 300)) == theme.colour("window")
    middle = {plain.pixel(x, y) for x in range(220, 280) for y in range(290, 340)}
    assert theme.colour("muted").rgb() in middle
    view.open([Leaf(400, 600, "xvii")])
    assert view.viewport().grab().toImage() != plain


def test_a_picture_is_painted_where_its_leaf_lies(view: LeafView, theme: Theme) -> None:
    lay_out(view, 2)
    view.set_picture(0, 1.0, drawn(1.0, RED))
    view.set_picture(1, 1.0, drawn(1.0, BLUE))
    left = view.viewport().width() // 2 - 200
    for x, y in ((left, GAP), (left + 399, GAP), (left, GAP + 599), (left + 399, GAP + 599)):
        assert colour_at(view, x, y) == RED
    assert colour_at(view, left - 1, 300) == parts(theme.colour("border"))
    assert colour_at(view, left + 200, GAP + 600 + GAP // 2) == parts(theme.colour("window"))
    assert colour_at(view, left + 200, GAP + 600 + GAP) == BLUE


def test_a_picture_at_another_scale_serves_until_the_right_one_comes(view: LeafView, asked: Asked) -> None:
    lay_out(view, 1)
    view.set_picture(0, 1.0, drawn(1.0, RED))
    view.set_zoom(0.5)
    assert asked() == [((0,), 0.5)]
    x = view.viewport().width() / 2
    assert colour_at(view, x - 95, GAP + 290) == RED
    assert colour_at(view, x - 105, GAP + 290) != RED
    view.set_picture(0, 0.5, drawn(0.5, GREEN))
    assert colour_at(view, x - 95, GAP + 290) == GREEN
    view.set_picture(0, 1.0, drawn(1.0, RED))  # late: ordered before the zoom
    assert colour_at(view, x - 95, GAP + 290) == GREEN
    view.open([A_LEAF])
    view.set_picture(0, 1.0, drawn(1.0, RED))  # late too, but better than none
    assert colour_at(view, x - 95, GAP + 290) == RED


def test_what_comes_for_no_leaf_or_no_place_is_harmless(view: LeafView) -> None:
    view.open([A_LEAF])
    before = view.viewport().grab().toImage()
    for index in (-1, 1, 400):
        view.set_picture(index, 1.0, drawn(1.0))
        view.set_failure(index, "no")
        view.mark([LeafSpot(index, 0, 1, ((0, 0, 9, 9),))])
    view.mark([LeafSpot(0, 0, 9, ((math.nan, 0, 10, 10), (math.inf, 0, 10, 10), (900, 900, 950, 950)))])
    view.show_leaf(0)
    assert view.viewport().grab().toImage() == before


def test_a_view_without_leaves_answers(view: LeafView, asked: Asked) -> None:
    view.open([A_LEAF] * 5)
    view.show_leaf(3)
    view.close_document()
    for step in (view.fit_leaf, view.zoom_in, view.fit_width, view.clear_marks):
        step()
    view.show_leaf(2, 0.5)
    view.mark([LeafSpot(0, 0, 1, ((0, 0, 9, 9),))])
    assert asked() == []
    assert (view.place(), view.verticalScrollBar().maximum()) == ((0, 0.0), 0)
    assert view.accessibleDescription() == ""


def test_marks_are_multiplied_over_the_leaf(view: LeafView, theme: Theme) -> None:
    lay_out(view, 2, 1.5)
    view.set_picture(0, 1.5, drawn(1.5, GREEN))
    boxes: tuple[Rectangle, ...] = ((100, 100, 200, 112), (100, 112, 150, 124))
    view.mark([LeafSpot(0, 0, 9, boxes)])

    def at(x: float, y: float) -> tuple[int, int, int]:
        box = view._leaf_box(0)
        return colour_at(view, box.x() + x * 1.5, box.y() + y * 1.5)

    marked = tuple(round(a * b / 255) for a, b in zip(GREEN, parts(theme.colour("mark")), strict=True))
    assert at(150, 106) == at(110, 112) == at(99.5, 106) == marked  # inside, where two overlap, and the padding
    assert at(97, 106) == at(180, 118) == GREEN
    theme.choose("dark")  # leaves stay white, and so their marks stay what they are; what is around them changes
    dark = at(150, 106), colour_at(view, 3, 3)
    theme.choose("light")
    assert dark == (marked, parts(QColor(DARK.window)))
    view.clear_marks()
    assert at(150, 106) == GREEN


def test_a_mark_is_scrolled_to_unless_it_is_visible(view: LeafView) -> None:
    lay_out(view, 30)
    view.show_leaf(10)
    view.mark([LeafSpot(10, 0, 9, ((10, 300, 90, 312),))])
    assert view.place() == (10, 0.0)
    view.mark([LeafSpot(20, 0, 9, ((10, 300, 90, 312),)), LeafSpot(2, 0, 9, ((10, 300, 90, 312),))])
    top = view._leaf_box(20).y() + 300
    assert 0.2 * 700 < top < 0.5 * 700
    view.mark([LeafSpot(3, 0, 9)])
    assert view.place() == (3, 0.0)
    view.set_zoom(4.0)
    view.mark([LeafSpot(0, 0, 9, ((370, 20, 395, 30),))])
    left = view._leaf_box(0).x()
    assert 0 < left + 370 * 4 < left + 395 * 4 < view.viewport().width()


def test_a_dense_screen_gets_its_pixels(qtbot: QtBot, theme: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LeafView, "devicePixelRatioF", lambda view: 2.0)
    sharp = made(qtbot, theme)
    lay_out(sharp, 2)
    with qtbot.waitSignal(sharp.leaves_wanted) as blocker:
        sharp.show()
    assert blocker.args == [(0, 1), 2.0]
    row = bytes((0, 0, 0, 255, 255, 255)) * 400  # lines one device pixel wide
    sharp.set_picture(0, 2.0, Picture(800, 1200, len(row), row * 1200))
    screen = QImage(sharp.viewport().size() * 2, QImage.Format.Format_RGB32)
    screen.setDevicePixelRatio(2)
    sharp.viewport().render(screen)
    left = round(sharp._leaf_box(0).x() * 2)
    middle = [QColor(screen.pixel(left + x, 400)).red() for x in range(800)]
    assert middle == [0, 255] * 400


def test_two_thousand_leaves_cost_what_is_visible(
    view: LeafView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(view, 2000, 0.5)
    settle(qtbot)
    touched, size = list[int](), LeafStack.size

    def count(self: LeafStack, index: int) -> tuple[float, float]:
        touched.append(index)
        return size(self, index)

    monkeypatch.setattr(LeafStack, "size", count)
    view.show_leaf(1500)
    settle(qtbot)
    assert set(touched) == {1499, 1500, 1501, 1502, 1503}
    assert len(touched) < 100


def test_pictures_and_wishes_stay_below_a_number_of_bytes(qtbot: QtBot, theme: Theme) -> None:
    small = made(qtbot, theme, picture_bytes=4 * 400 * 600 * 2)
    lay_out(small, 40)

    def draw(leaves: tuple[int, ...], scale: float) -> None:
        assert len(leaves) <= 2  # no neighbour: there is no room for it
        for leaf in leaves:
            small.set_picture(leaf, scale, drawn(scale))

    small.leaves_wanted.connect(draw)
    small.show()
    for index in range(0, 40, 3):
        small.show_leaf(index)
        qtbot.wait(60)
        assert colour_at(small, 250, 100) == RED
        assert len(small._pictures) <= 2


def test_what_is_visible_is_not_dropped() -> None:
    pictures, image = Pictures(limit=3000), image_of(picture(10, 25))  # 1,000 bytes each
    for index in range(5):
        pictures.put(index, Kept(1.0, image), range(0, 5))
    assert len(pictures) == 5
    pictures.put(5, Kept(1.0, image), range(4, 6))
    assert [index for index in range(6) if pictures.get(index)] == [3, 4, 5]
    pictures.put(0, Kept(1.0, image), range(4, 6))  # it comes when one has gone far away
    assert [index for index in range(6) if pictures.get(index)] == [3, 4, 5]
    assert pictures.size == 3000


def test_a_picture_needs_all_of_its_rows() -> None:
    whole = picture(7, 3, BLUE)
    last = Picture(7, 3, whole.stride, whole.pixels[:-5])  # the last row without what fills it up
    assert parts(image_of(last).pixelColor(6, 2)) == BLUE
    short, empty = Picture(7, 3, whole.stride, whole.pixels[:-6]), Picture(0, 0, 0, b"")
    for crooked in (short, empty, Picture(7, 4, whole.stride, whole.pixels), Picture(9, 2, 20, whole.pixels)):
        with pytest.raises(ValueError, match="picture"):
            image_of(crooked)


@pytest.mark.parametrize("size", [(0, 0), (-5, 700), (math.nan, math.inf), (1e12, 3), (1, 1e9), (0.001, 0.001)])
def test_absurd_sizes_break_nothing(view: LeafView, size: tuple[float, float]) -> None:
    for leaves in ([A_LEAF, Leaf(*size), A_LEAF], [Leaf(*size)] * 2):
        view.open(leaves)
        for step in (view.fit_width, view.fit_leaf, view.zoom_in):
            step()
            view.show_leaf(1)
            view.viewport().grab()
        width, height = view._stack.size(1)
        assert 0.0499 <= width / height <= 20.001
        assert min(width, height) >= view.zoom > 0


def test_a_screen_reader_hears_where_the_reader_is(view: LeafView, qtbot: QtBot) -> None:
    assert view.accessibleName() == "Book"
    view.open([Leaf(400, 600, "i"), Leaf(400, 600, "{x}"), Leaf(400, 600), A_LEAF, A_LEAF])
    heard = [view.accessibleDescription()]
    for index in (1, 2):
        view.show_leaf(index)
        settle(qtbot)
        heard.append(view.accessibleDescription())
    assert heard == ["Leaf 1 of 5, printed label i", "Leaf 2 of 5, printed label {x}", "Leaf 3 of 5"]
