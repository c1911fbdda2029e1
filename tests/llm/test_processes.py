"""A model in a process of its own: asked, killed, closed, asked by several threads, and files that are no models."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from readdesk.cancel import CancelToken
from readdesk.errors import ModelError
from readdesk.llm.base import complete
from readdesk.llm.local import LocalEngine
from readdesk.llm.model import Limits, Request
from tests.llm.asking import ENDLESS, ONE_THREAD, fresh_say, model_processes, user
from tests.llm.random_gguf import write_random_gguf


@pytest.fixture
def engine(random_file: Path) -> Iterator[LocalEngine]:
    engine = LocalEngine("random", random_file, ONE_THREAD)
    yield engine
    engine.close()


def test_an_engine_answers_as_its_service_does(engine: LocalEngine, random_file: Path) -> None:
    assert engine.info(CancelToken()).model == "random"
    assert engine.count(["abc", ""], CancelToken()) == (3, 0)
    reply = complete(engine, user("hello"), Limits(30), CancelToken())
    assert reply.text == fresh_say(random_file, user("hello"), Limits(30))
    choice = engine.choose(user("hello"), ("A", "B"), CancelToken())
    assert len(choice.log_probabilities) == 2
    ((index, together),) = engine.reply_all([Request(tuple(user("hello")), Limits(30))], CancelToken())
    assert (index, together.text) == (0, reply.text)
    assert together.tokens_reused > 0, "what was read for the choice serves the reply"


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_killed_model_process_is_one_sentence_and_then_works_again(engine: LocalEngine) -> None:
    others = model_processes()
    before = complete(engine, user("hello"), Limits(30), CancelToken())
    (process,) = model_processes() - others
    stream = engine.stream(user("hello"), Limits(500, grammar=ENDLESS), CancelToken())
    next(stream)
    os.kill(process, signal.SIGKILL)
    with pytest.raises(ModelError) as error:
        list(stream)
    assert error.value.message == "The model ended unexpectedly." and error.value.hint
    after = complete(engine, user("hello"), Limits(30), CancelToken())
    assert (after.text, after.tokens_reused) == (before.text, 0)


def test_closing_ends_the_process(random_file: Path) -> None:
    others = model_processes()
    engine = LocalEngine("random", random_file, ONE_THREAD)
    engine.info(CancelToken())
    assert len(model_processes() - others) == 1
    engine.close()
    assert model_processes() == others


def test_two_threads_that_ask_at_once_are_both_answered(engine: LocalEngine, random_file: Path) -> None:
    answers: dict[str, str] = {}

    def ask(text: str) -> None:
        answers[text] = complete(engine, user(text), Limits(40), CancelToken()).text

    threads = [threading.Thread(target=ask, args=(text,)) for text in ("first", "second", "third")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {text: fresh_say(random_file, user(text), Limits(40)) for text in ("first", "second", "third")}


def damaged(folder: Path, kind: str) -> Path:
    file = folder / f"{kind}.gguf"
    whole = write_random_gguf(folder).read_bytes()
    if kind == "truncated":
        file.write_bytes(whole[: len(whole) // 2])
    elif kind == "header":
        file.write_bytes(whole[:3000])
    elif kind == "other":
        file.write_bytes(random.Random(1).randbytes(100_000))
    elif kind == "empty":
        file.write_bytes(b"")
    elif kind == "architecture":
        write_random_gguf(folder, architecture="llamarama", name=file.name)
    return file


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("truncated", "it is damaged or incomplete"),
        ("header", "it is damaged or incomplete"),
        ("empty", "it is "),
        ("other", "it is not a GGUF file"),
        ("architecture", "does not know its architecture"),
        ("missing", "it cannot be opened"),
    ],
)
def test_a_file_that_is_no_model_is_told_with_its_reason_every_time(tmp_path: Path, kind: str, reason: str) -> None:
    engine = LocalEngine("bad", damaged(tmp_path, kind), ONE_THREAD)
    try:
        for _ in range(2):
            with pytest.raises(ModelError) as error:
                engine.info(CancelToken())
            assert f"The model file {kind}.gguf cannot be loaded" in error.value.message
            assert reason in error.value.message
            assert error.value.hint
    finally:
        engine.close()
