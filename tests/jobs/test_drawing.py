"""Drawing leaves as a job: what is told of those that take long, and that who is more urgent is not kept waiting."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.desk import Desk
from readdesk.documents.drawer import LeafDrawer
from readdesk.documents.model import LACKS, Lack, Picture
from readdesk.errors import DocumentError
from readdesk.jobs import view
from readdesk.jobs.events import Done, Event, LeafDrawn, Overtaken, Started
from readdesk.jobs.lane import Lane, Steps, Turn
from readdesk.jobs.view import draw_leaves
from readdesk.library.model import DocumentRecord
from readdesk.paths import Paths
from readdesk.settings import Settings
from tests.documents.drawing import pdf, written
from tests.jobs.homes import wait_until_quiet
from tests.jobs.recorder import LONG, Recorder
from tests.samples.hostile import HOSTILE

Answer = Lack | DocumentError
SORRY = DocumentError("Leaf 1 takes too long to draw.", "Try a smaller size.")


class Shown:
    """A document whose file is there."""

    file, password = Path("book.pdf"), None


class Drawer:
    """Answers by a script for each leaf, and keeps what it was asked for."""

    def __init__(self, script: dict[int, list[Answer]]) -> None:
        self.asked: list[tuple[int, bool]] = []
        self.seconds: list[float] = []
        self._script = script

    def leaf(
        self, _: Path, __: None, leaf: int, scale: float, cancel: CancelToken, *, seconds: float, is_coarse: bool
    ) -> Picture:
        self.asked.append((leaf, is_coarse))
        self.seconds.append(seconds)
        answer = self._script[leaf].pop(0)
        if isinstance(answer, DocumentError):
            raise answer
        width = 100 if is_coarse else 300
        return Picture(width, 1, 3 * width, bytes((len(self.asked),)) * 3 * width, answer)


def told(script: dict[int, list[Answer]]) -> tuple[list[tuple[int, Lack | None, int, bool]], Drawer]:
    """Of each event its leaf, what its picture lacks and the number of the drawing, and whether it goes on."""
    drawer = Drawer(script)
    steps = draw_leaves(1, Turn(), cast(LeafDrawer, drawer), cast(view.Shown, Shown()), tuple(script), 2.0)
    events = [event for event in steps if isinstance(event, LeafDrawn)]
    assert all(event.scale == 2.0 and (event.picture is None) == (event.error is not None) for event in events)
    return [
        (event.leaf, event.picture.lack, event.picture.pixels[0], event.goes_on)
        if event.picture
        else (event.leaf, None, 0, event.goes_on)
        for event in events
    ], drawer


def test_leaves_that_take_no_time_are_drawn_once_each() -> None:
    events, drawer = told({4: [""], 3: [""]})
    assert events == [(4, "", 1, False), (3, "", 2, False)]
    assert drawer.asked == [(4, False), (3, False)]


def test_a_leaf_that_takes_long_is_shown_at_once_and_better_after_the_others() -> None:
    events, drawer = told({4: ["rest", "detail", ""], 3: [""]})
    assert events == [(4, "rest", 1, True), (3, "", 2, False), (4, "detail", 3, True), (4, "", 4, False)]
    assert drawer.asked == [(4, False), (3, False), (4, True), (4, False)]
    assert drawer.seconds[0] < 5 and drawer.seconds[-1] < 18, "it is stopped before the process would be ended"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (["rest", "detail", "rest"], [("rest", 1, True), ("detail", 2, True), ("detail", 2, False)]),
        (["rest", "rest", "rest"], [("rest", 1, True), ("rest", 3, False)]),
        (["rest", "rest", ""], [("rest", 1, True), ("", 3, False)]),
        (["rest", "detail", SORRY], [("rest", 1, True), ("detail", 2, True), ("detail", 2, False)]),
        (["rest", SORRY], [("rest", 1, True), ("rest", 1, False)]),
        ([SORRY], [(None, 0, False)]),
    ],
)
def test_what_shows_most_stays(script: list[Answer], expected: list[tuple[Lack | None, int, bool]]) -> None:
    events, _ = told({0: script})
    assert [event[1:] for event in events] == expected


def test_whole_is_better_than_coarse_and_coarse_than_a_part() -> None:
    assert LACKS == ("", "detail", "rest")


class Held(Drawer):
    """Draws until it is cancelled, the first time."""

    def __init__(self) -> None:
        super().__init__({0: [""]})
        self.is_drawing = threading.Event()

    def leaf(self, *args: Any, **how: Any) -> Picture:
        cancel: CancelToken = args[4]
        if not self.is_drawing.is_set():
            self.is_drawing.set()
            assert cancel.wait(LONG)
            raise Cancelled
        return super().leaf(*args, **how)


def test_a_drawing_that_gives_way_is_done_afterwards() -> None:
    drawer, recorder = Held(), Recorder()
    lane = Lane("view", recorder.post)
    shown = cast(view.Shown, Shown())

    def urgent(turn: Turn) -> Steps:
        yield Started(2, "Looking for words")
        return "found"

    try:
        lane.submit(1, lambda turn: draw_leaves(1, turn, cast(LeafDrawer, drawer), shown, (0,), 1.0), 10)
        assert drawer.is_drawing.wait(LONG)
        lane.submit(2, urgent, 0)
        assert isinstance(recorder.end(1), Done)
    finally:
        lane.close()
    kinds = [(event.job, type(event)) for event in recorder.events]
    assert kinds.index((1, Overtaken)) < kinds.index((2, Done)) < kinds.index((1, LeafDrawn))


# -- with the real process -----------------------------------------------------------------------------------------


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def desk(paths: Paths, recorder: Recorder) -> Iterator[Desk]:
    """An empty library and no model."""
    opened = Desk(paths, Settings(), recorder.post)
    yield opened
    opened.close()
    wait_until_quiet(paths.data)


def test_words_are_found_while_a_leaf_takes_long(
    desk: Desk, recorder: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trap 12: 60,000 see-through strokes are shown as far as they are drawn, and do not keep the words waiting."""
    monkeypatch.setattr(view, "_TRIES", tuple(view._Try(0.5, this.is_coarse) for this in view._TRIES))
    added = recorder.end(desk.add(HOSTILE["strokes"](tmp_path / "strokes.pdf")))
    assert isinstance(added, Done) and isinstance(added.result, DocumentRecord)
    drawing = desk.draw(added.result, (0,), 1.5)

    def is_drawn(event: Event) -> bool:
        return event.job == drawing and isinstance(event, LeafDrawn)

    first = recorder.wait_for(is_drawn)
    assert isinstance(first, LeafDrawn) and first.goes_on and first.picture and first.picture.lack == "rest"
    words = recorder.end(desk.glyphs(added.result, 0))
    assert isinstance(words, Done) and len(words.result) == 1
    assert isinstance(recorder.end(drawing), Done)
    last = [event for event in recorder.of(drawing) if isinstance(event, LeafDrawn)][-1]
    assert not last.goes_on and last.picture and last.picture.lack == "rest" and last.picture.width == 918


def test_a_leaf_without_text_is_not_searched_for_words(
    desk: Desk, recorder: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be without because the search takes for ever, and drawing would wait for it."""
    path = pdf(tmp_path / "two.pdf", [(written("Some words to read", 50, 200), ""), ("9 9 50 50 re f", "")])
    added = recorder.end(desk.add(path))
    assert isinstance(added, Done) and isinstance(added.result, DocumentRecord)
    asked: list[int] = []
    search = desk._drawer.glyphs

    def searched(path: Path, password: str | None, leaf: int, cancel: CancelToken | None = None) -> Any:
        asked.append(leaf)
        return search(path, password, leaf, cancel)

    monkeypatch.setattr(desk._drawer, "glyphs", searched)
    words, nothing = recorder.end(desk.glyphs(added.result, 0)), recorder.end(desk.glyphs(added.result, 1))
    assert isinstance(words, Done) and len(words.result) == 1
    assert isinstance(nothing, Done) and nothing.result == ()
    assert asked == [0]
