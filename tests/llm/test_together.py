"""Several replies written together, and choices, at the places of the reading context.

Whatever the order, the number of places and what happened before: every reply is the one that its prompt alone gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from readdesk.cancel import CancelToken
from readdesk.llm.llama import places as places_module
from readdesk.llm.llama.context import LlamaContext
from readdesk.llm.llama.service import LlamaService
from readdesk.llm.model import Limits, Reply, Request
from tests.llm.asking import ENDLESS, ONE_THREAD, fresh_say, say, user

PASSAGES = [f"{letter}{number} passage {letter * number} " * 6 for number, letter in enumerate("ABCDEFGHabcdefgh" * 2)]


def request(text: str, limits: Limits | None = None) -> Request:
    return Request(tuple(user(text)), limits or Limits(20, grammar="root ::= [a-hA-H]{1,30}"))


def answered(service: LlamaService, requests: Sequence[Request], cancel: CancelToken | None = None) -> dict[int, Reply]:
    """All replies by the index of their request, each exactly once."""
    replies = list(service.reply_all(requests, cancel=cancel or CancelToken()))
    assert sorted(index for index, _ in replies) == list(range(len(requests)))
    return dict(replies)


def alone(file: Path, requests: Sequence[Request]) -> list[str]:
    return [fresh_say(file, list(item.messages), item.limits) for item in requests]


def texts(replies: dict[int, Reply]) -> list[str]:
    return [replies[index].text for index in sorted(replies)]


# -- replies -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 2, 5, 16, 23])
def test_replies_written_together_are_those_that_their_prompts_alone_get(
    service: LlamaService, random_file: Path, count: int
) -> None:
    requests = [request(passage) for passage in PASSAGES[:count]]
    assert texts(answered(service, requests)) == alone(random_file, requests)


def test_every_reply_has_its_own_limits(service: LlamaService, random_file: Path) -> None:
    whole = fresh_say(random_file, user("hello"), Limits(60, grammar=ENDLESS))
    kinds = [
        Limits(0),
        Limits(1, grammar=ENDLESS),
        Limits(60, grammar=ENDLESS),
        Limits(60, grammar=ENDLESS, stop=(whole[20:23],)),
        Limits(30, grammar='root ::= "abc"'),
        Limits(30, grammar='root ::= "漢字\U0001f600"'),
        Limits(4, grammar='root ::= "a漢漢漢"'),
        Limits(30, temperature=1.0, top_k=200, seed=3),
        Limits(60, grammar="root ::= [a-d]{60}", repeat_penalty=5.0),
    ]
    replies = answered(service, [request("hello", limits) for limits in kinds])
    for index, limits in enumerate(kinds):
        expected = say(service, user("hello"), limits)
        told = replies[index]
        assert (told.text, told.finish, told.tokens_written) == (
            expected.text,
            expected.finish,
            expected.tokens_written,
        )
        assert told.tokens_read + told.tokens_reused == expected.tokens_read + expected.tokens_reused


def test_short_replies_come_before_long_ones(service: LlamaService) -> None:
    lengths = [40, 3, 20, 1, 10]
    requests = [request("hello", Limits(length, grammar=ENDLESS)) for length in lengths]
    order = [index for index, _ in service.reply_all(requests, cancel=CancelToken())]
    assert [lengths[index] for index in order] == sorted(lengths)


@pytest.mark.parametrize(("width", "steps"), [(1, 34), (2, 19), (3, 14), (6, 11)])
def test_a_place_takes_the_next_prompt_as_soon_as_its_reply_has_ended(
    random_file: Path, monkeypatch: pytest.MonkeyPatch, width: int, steps: int
) -> None:
    """The first token of a reply comes with the reading; six replies of 12, 3, 7, 5, 9 and 4 make 34 more."""
    monkeypatch.setattr(places_module, "MOST_TOGETHER", width)
    lengths = [12, 3, 7, 5, 9, 4]
    requests = [request(text, Limits(length, grammar=ENDLESS)) for text, length in zip(PASSAGES, lengths, strict=False)]
    expected = alone(random_file, requests)
    service = LlamaService("random", random_file, ONE_THREAD)
    service.info(cancel=CancelToken())
    taken = counted_steps(monkeypatch)
    assert texts(answered(service, requests)) == expected
    assert len(taken) == steps
    service.close()


def counted_steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows by the number of rows of every step."""
    taken: list[int] = []
    step = LlamaContext.step

    def counted(self: LlamaContext, rows: Sequence[tuple[int, int]], *args: Any, **named: Any) -> None:
        taken.append(len(rows))
        step(self, rows, *args, **named)

    monkeypatch.setattr(LlamaContext, "step", counted)
    return taken


def test_few_ended_replies_between_others_are_carried_along(
    service: LlamaService, random_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gap in a row of places would cost llama.cpp a call of its own; one wider than what is written is left out."""
    lengths = [9, 2, 9, 3, 2, 9, 2, 2]
    requests = [request(text, Limits(length, grammar=ENDLESS)) for text, length in zip(PASSAGES, lengths, strict=False)]
    expected = alone(random_file, requests)
    service.info(cancel=CancelToken())
    taken = counted_steps(monkeypatch)
    assert texts(answered(service, requests)) == expected
    assert taken == [8, 6, 3, 3, 3, 3, 3, 3]
    assert texts(answered(service, requests)) == expected, "what was carried along is cut back"


# -- the places ----------------------------------------------------------------------------------------------------


def test_the_reply_to_a_passage_finds_what_the_choice_has_read(service: LlamaService) -> None:
    """The prompts of a page: one passage, and another request behind it."""
    requests = [request(f"{passage}\n---\nShorten it.") for passage in PASSAGES[:8]]
    for passage in PASSAGES[:8]:
        choice = service.choose(user(f"{passage}\n---\nWhere is a pause?"), ("A", "B"), cancel=CancelToken())
        assert choice.tokens_read > len(passage)
    replies = answered(service, list(reversed(requests)))
    assert all(reply.tokens_reused > 100 and reply.tokens_read < 30 for reply in replies.values())
