"""Threads are measured, chosen calmly, and kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.llm.llama.context import LlamaContext
from readdesk.llm.llama.model import LlamaModel
from readdesk.llm.llama.threads import (
    KeptSpeeds,
    Speeds,
    choose_threads,
    cores,
    measure_speeds,
    reading_threads,
    writing_candidates,
)
from tests.llm.random_gguf import write_random_gguf


@pytest.fixture
def context(tmp_path: Path) -> Iterator[LlamaContext]:
    model = LlamaModel(write_random_gguf(tmp_path), 0, CancelToken())
    context = LlamaContext(model, 1024)
    yield context
    context.close()
    model.close()


@pytest.mark.parametrize(
    ("count", "reading", "writing"),
    [(1, 1, (1,)), (2, 2, (1,)), (3, 3, (1, 2)), (4, 3, (1, 2, 3)), (8, 7, (1, 2, 4, 7)), (17, 16, (1, 2, 4, 8, 16))],
)
def test_writing_leaves_a_core_to_the_window(count: int, reading: int, writing: tuple[int, ...]) -> None:
    assert reading_threads(count) == reading
    assert writing_candidates(count) == writing


def test_trap_62_threads_that_wait_for_one_another_are_not_taken() -> None:
    """Trap 62: two threads on two busy cores are five to eight times slower than one."""
    assert choose_threads({1: 0.045, 2: 0.25}) == 1
    assert choose_threads({1: 0.045, 2: 0.041}) == 1, "a tenth is not worth a core"
    assert choose_threads({1: 0.045, 2: 0.025, 4: 0.024}) == 2
    assert choose_threads({1: 0.045, 2: float("inf")}) == 1, "what there was no time to measure is not taken"


def test_a_model_is_measured(context: LlamaContext) -> None:
    speeds = measure_speeds(context, CancelToken())
    assert speeds.threads in writing_candidates(cores())
    assert speeds.batch_threads == reading_threads(cores())
    assert speeds.writing > 0
    assert speeds.reading > 0


def test_measuring_ends_after_two_seconds_however_slow_the_model_is(context: LlamaContext) -> None:
    """Every look at the clock comes 0.3 s after the one before."""
    looks = 0

    def clock() -> float:
        nonlocal looks
        looks += 1
        return 0.3 * looks

    measure_speeds(context, CancelToken(), clock)
    assert 0.3 * (looks - 1) <= 2.0 + 3 * 0.3, "a step, and the looks around it"


def test_measuring_can_be_stopped(context: LlamaContext) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        measure_speeds(context, cancel)


def test_what_was_measured_is_kept_for_each_model(tmp_path: Path) -> None:
    first, second = Speeds(1, 2, 22.0, 150.0), Speeds(3, 7, 8.5, 40.0)
    KeptSpeeds(tmp_path / "new").keep("one", first)
    KeptSpeeds(tmp_path / "new").keep("two", second)
    kept = KeptSpeeds(tmp_path / "new")
    assert (kept.find("one"), kept.find("two"), kept.find("three")) == (first, second, None)
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["speeds.json"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"one": 3}',
        '{"one": {"threads": 0, "batch_threads": 1}}',
        '{"one": {"threads": "2", "batch_threads": 1}}',
        '{"one": {"threads": 100000, "batch_threads": 1}}',
        '{"one": {"threads": 1, "batch_threads": 1, "writing": "fast"}}',
        '{"one": {"threads": 1, "more": 1}}',
        '{"one": {"threads": 1}}',
        "\x00\xff",
    ],
)
def test_a_file_that_holds_anything_else_is_measured_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "speeds.json").write_text(text, encoding="utf-8")
    kept = KeptSpeeds(tmp_path)
    assert kept.find("one") is None
    kept.keep("one", Speeds(1, 1))
    assert kept.find("one") == Speeds(1, 1)


def test_without_a_folder_nothing_is_kept() -> None:
    kept = KeptSpeeds(None)
    kept.keep("one", Speeds(1, 1))
    assert kept.find("one") is None


def test_a_disk_that_refuses_does_not_keep_a_model_from_answering(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    KeptSpeeds(tmp_path / "file").keep("one", Speeds(1, 1))
    assert KeptSpeeds(tmp_path / "file").find("one") is None
