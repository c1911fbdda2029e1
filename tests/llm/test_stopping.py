"""Stopping at any moment, and what is said afterwards (traps 34 and 35)."""

from __future__ import annotations

import random
from pathlib import Path

from readdesk.cancel import Cancelled
from readdesk.llm.llama.service import LlamaService
from readdesk.llm.model import Limits, LoadOptions
from tests.llm.asking import CancelsAfter, say, user


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
