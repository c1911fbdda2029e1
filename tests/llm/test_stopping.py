"""Stopping at any moment, and what is said afterwards (traps 34 and 35)."""

from __future__ import annotations

import ctypes
import random
from pathlib import Path

import llama_cpp
import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.llm.llama.model import LlamaModel
from readdesk.llm.llama.service import LlamaService
from readdesk.llm.model import Limits, LoadOptions
from tests.llm.asking import ONE_THREAD, CancelsAfter, fresh_say, say, user


def test_whatever_was_stopped_before_the_next_reply_is_that_of_a_fresh_load(random_file: Path) -> None:
    chance = random.Random(3)
    service = LlamaService("random", random_file, LoadOptions(context=2048, threads=1))
    texts = ["a long beginning " * 60 + ending for ending in ("", "one", "two " * 40)] + ["short", "b" * 1200]
    expected = {text: fresh_say_long(random_file, text) for text in texts}
    stopped = 0
    for _ in range(60):
        text = chance.choice(texts)
        try:
            for _ in service.stream(user(text), Limits(12), cancel=CancelsAfter(chance.randrange(20))):
                if chance.random() < 0.05:
                    break
        except Cancelled:
            stopped += 1
        if chance.random() < 0.4:
            assert say(service, user(text), Limits(12)).text == expected[text]
    service.close()
    assert 10 < stopped < 60


def fresh_say_long(file: Path, text: str) -> str:
    service = LlamaService("fresh", file, LoadOptions(context=2048, threads=1))
    try:
        return say(service, user(text), Limits(12)).text
    finally:
        service.close()


def test_a_stop_while_a_model_is_loaded_ends_it_and_it_can_be_loaded_again(random_file: Path) -> None:
    """Trap 34: llama.cpp asks after every part of the file whether to go on."""
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        LlamaModel(random_file, 0, token)
    service = LlamaService("random", random_file, ONE_THREAD)
    with pytest.raises(Cancelled):
        list(service.stream(user("hello"), Limits(9), cancel=token))
    assert say(service, user("hello"), Limits(9)).text == fresh_say(random_file, user("hello"), Limits(9))
    service.close()


def test_a_stop_in_the_middle_of_loading_is_no_damaged_file(random_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    token = CancelToken()
    load = llama_cpp.llama_model_load_from_file

    def stopped_in_between(path: bytes, parameters: llama_cpp.llama_model_params) -> object:
        assert parameters.progress_callback(0.5, ctypes.c_void_p(0)), "nobody wants it to stop yet"
        token.cancel()
        return load(path, parameters)

    monkeypatch.setattr("llama_cpp.llama_model_load_from_file", stopped_in_between)
    with pytest.raises(Cancelled):
        LlamaModel(random_file, 0, token)
