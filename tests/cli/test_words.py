"""What results and progress are called in words for a person."""

from __future__ import annotations

import pytest

from readdesk.cli.read import gisted_words, trail_words
from readdesk.cli.session import _Line, duration, progress_words
from readdesk.jobs.events import Gisted, ModelReady, Progress, Started
from readdesk.library.model import DocumentRecord, Figures
from readdesk.llm.model import EngineInfo
from readdesk.paths import Paths
from readdesk.reading.model import Answer, LookUp

ANSWER = Answer("Six.", (LookUp(3, "model", "the model named it"),), gists=9, pages=9, complete=True)


def test_the_trail_in_words() -> None:
    look_ups = (ANSWER.look_ups[0], LookUp(5, "retrieval", "its text has “six”", shortened=True))
    full = Answer(
        "Six [Page 7].",
        look_ups,
        gists=9,
        pages=9,
        complete=False,
        left_out=(2, 4),
        unread_tags=(7,),
        shortened_gists=True,
        choice_readable=False,
        cut=True,
    )
    assert trail_words(full).splitlines() == [
        "",
        "Looked up page 3: the model named it.",
        "Looked up page 5 (its beginning only: the model's context is full): its text has “six”.",
        "Read 1 of the 9 pages that have gists so far in full, the beginning of 1, all as gists.",
        "Left out for lack of room: pages 2, 4.",
        "The answer names page 7, not read in full: unverified.",
        "The gists were cut to fit the model's context.",
        "The model named no pages; they were chosen by the question's words alone.",
        "The answer was cut at its length limit.",
    ]
    assert trail_words(ANSWER).splitlines()[1:] == [
        "Looked up page 3: the model named it.",
        "Read 1 of 9 pages in full, all as gists.",
    ]
    none = Answer("Six.", (), gists=9, pages=9, complete=True)
    assert "No page was looked up: the answer rests on gists alone." in trail_words(none)


def test_what_gisting_came_to_in_words(paths: Paths) -> None:
    record = DocumentRecord(1, "The Ferry", (), "", "text", "/x", "0", 9, 9, "article", (), "2026-01-01")
    figures = Figures(8, 4000, 500, 1, 2, 3, 100, 100, 400.0)
    assert gisted_words(Gisted(record, figures, 5, complete=False)).splitlines() == [
        "“The Ferry”: 8 pages with gists (5 now), 4,000 words shortened by 88 %, 7 min in all.",
        "Of these: 1 page ends by rule, 2 gists written twice, 3 pages kept by their first sentences.",
        "More is left to read; run gist again without --pages to go on.",
    ]
    crashed = Gisted(record, figures, 5, complete=True, crashed=(3, 7))
    assert gisted_words(crashed).splitlines()[-1] == (
        "The model crashed on pages 3, 7; the first sentences stand for what it did not read."
    )
    nothing = Gisted(record, Figures(0, 0, 0, 0, 0, 0, 0, 0, 0.0), 0, complete=True)
    assert gisted_words(nothing) == "“The Ferry”: nothing was read."


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.0, "1 s"), (0.4, "1 s"), (59.6, "60 s"), (89, "89 s"), (90, "2 min"), (3600, "60 min"), (9000, "2 h 30 min")],
)
def test_a_duration_in_words(seconds: float, words: str) -> None:
    """Never "0 s" (trap 60)."""
    assert duration(seconds) == words


def test_progress_in_words() -> None:
    assert progress_words(Progress(1, "page 3", 3, None, 0.25, 130.0)) == "page 3 (25%) about 2 min left"
    assert progress_words(Progress(1, "page 3", 3, 8, 0.375)) == "page 3 of 8 (38%)"
    assert progress_words(Progress(1, "starter: the hub", 5, 1_000_000_000, 0.5)) == "starter: the hub (50%)"


def test_plain_progress_is_one_line_in_thirty_seconds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0

    class Clock:
        @staticmethod
        def monotonic() -> float:
            return now

    monkeypatch.setattr("readdesk.cli.session.time", Clock)
    with _Line(plain=True) as line:
        line.show(Started(1, "Reading"))
        for number in range(1, 62):
            line.show(Progress(1, f"page {number}", number))
            now += 1.0
    said = capsys.readouterr()
    assert said.out == "" and said.err.splitlines() == ["Reading …", "page 1", "page 31", "page 61"]


def test_what_the_model_runs_on_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with _Line(plain=True) as line:
        line.show(ModelReady(1, EngineInfo("st\x1b[2Jarter", 4096, decode_speed=22.0)))
    said = capsys.readouterr()
    assert said.out == "" and said.err == "st\ufffd[2Jarter runs on the CPU: about 22 tokens a second.\n"
