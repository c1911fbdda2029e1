"""Several replies written together, and choices, at the places of the reading context.

Whatever the order, the number of places and what happened before: every reply is the one that its prompt alone gets.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.errors import ModelError
from readdesk.llm.llama import places as places_module
from readdesk.llm.llama.context import LlamaContext
from readdesk.llm.llama.model import LlamaModel
from readdesk.llm.llama.places import Footprint, Places, measure_footprint, memory_budget
from readdesk.llm.llama.service import LlamaService
from readdesk.llm.model import Limits, Reply, Request
from tests.llm.asking import ENDLESS, ONE_THREAD, CancelsAfter, fresh_say, say, user
from tests.llm.random_gguf import write_random_gguf
from tests.llm.random_kinds import KINDS, write_random_kind

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


def counted_steps(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """A list that grows by the places of every step."""
    taken: list[list[int]] = []
    step = LlamaContext.step

    def counted(self: LlamaContext, rows: Sequence[tuple[int, int]], *args: Any, **named: Any) -> None:
        taken.append([place for place, _ in rows])
        step(self, rows, *args, **named)

    monkeypatch.setattr(LlamaContext, "step", counted)
    return taken


def test_replies_that_are_written_on_stand_side_by_side(
    service: LlamaService, random_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gap in a row of places costs llama.cpp a call of its own; who closes it takes along what was computed."""
    lengths = [9, 2, 9, 3, 2, 9, 2, 5]
    requests = [request(text, Limits(length, grammar=ENDLESS)) for text, length in zip(PASSAGES, lengths, strict=False)]
    expected = alone(random_file, requests)
    service.info(cancel=CancelToken())
    taken = counted_steps(monkeypatch)
    assert texts(answered(service, requests)) == expected
    assert [len(rows) for rows in taken] == [8, 5, 4, 4, 3, 3, 3, 3]
    assert all(rows == list(range(rows[0], rows[0] + len(rows))) for rows in taken)
    once_more = answered(service, list(reversed(requests)))
    assert {reply.tokens_read for reply in once_more.values()} == {1}, "nothing is lost"
    assert texts(once_more) == list(reversed(expected))
    some = [requests[index] for index in (7, 2, 5)]
    taken.clear()
    assert texts(answered(service, some)) == [expected[index] for index in (7, 2, 5)]
    assert all(rows == list(range(rows[0], rows[0] + len(rows))) for rows in taken)


# -- the places ----------------------------------------------------------------------------------------------------


def test_the_reply_to_a_passage_finds_what_the_choice_has_read(service: LlamaService) -> None:
    """The prompts of a page: one passage, and another request behind it."""
    requests = [request(f"{passage}\n---\nShorten it.") for passage in PASSAGES[:8]]
    for passage in PASSAGES[:8]:
        choice = service.choose(user(f"{passage}\n---\nWhere is a pause?"), ("A", "B"), cancel=CancelToken())
        assert choice.tokens_read > len(passage)
    replies = answered(service, list(reversed(requests)))
    assert all(reply.tokens_reused > 100 and reply.tokens_read < 30 for reply in replies.values())


def test_questions_and_reading_do_not_disturb_one_another(service: LlamaService) -> None:
    asked = user(f"{PASSAGES[9]} a question")
    requests = [request(passage) for passage in PASSAGES[:6]]
    first, replies = say(service, asked, Limits(10)), answered(service, requests)
    again, once_more = say(service, asked, Limits(10)), answered(service, requests)
    assert (again.text, again.tokens_read) == (first.text, 1)
    assert texts(once_more) == texts(replies)
    assert {reply.tokens_read for reply in once_more.values()} == {1}


def test_what_a_waiting_prompt_will_want_is_not_overwritten(
    service: LlamaService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places_module, "MOST_TOGETHER", 3)
    for passage in PASSAGES[:3]:
        service.choose(user(passage), ("A", "B"), cancel=CancelToken())
    service.choose(user(PASSAGES[0]), ("A", "B"), cancel=CancelToken())
    replies = answered(service, [request(PASSAGES[number]) for number in (3, 2, 1)])
    assert [replies[number].tokens_read for number in (1, 2)] == [1, 1]


def test_a_longer_prompt_makes_room_and_what_was_computed_moves_along(service: LlamaService) -> None:
    answered(service, [request(passage) for passage in PASSAGES[:4]])
    before = answered(service, [request(passage) for passage in PASSAGES[:3]])
    long = answered(service, [request("b" * 700)])  # It takes the place that was not used for longest: the fourth.
    after = answered(service, [request(passage) for passage in PASSAGES[:3]])
    assert long[0].tokens_read > 700
    assert texts(after) == texts(before)
    assert {reply.tokens_read for reply in after.values()} == {1}


def test_a_prompt_that_does_not_fit_is_refused_before_anything_is_computed(
    service: LlamaService, random_file: Path
) -> None:
    requests = [request(PASSAGES[0]), request("b" * 1020), request(PASSAGES[1])]
    with pytest.raises(ModelError, match=r"The text takes 10\d\d tokens and the reply 20"):
        list(service.reply_all(requests, cancel=CancelToken()))
    del requests[1]
    assert texts(answered(service, requests)) == alone(random_file, requests)


def test_a_grammar_that_cannot_be_used_is_an_error_and_the_next_replies_work(
    service: LlamaService, random_file: Path
) -> None:
    requests = [request(PASSAGES[0]), request(PASSAGES[1], Limits(10, grammar="root ::= (")), request(PASSAGES[2])]
    with pytest.raises(ModelError, match="grammar"):
        list(service.reply_all(requests, cancel=CancelToken()))
    del requests[1]
    assert texts(answered(service, requests)) == alone(random_file, requests)


def test_a_computation_that_fails_is_an_error_and_the_next_replies_work(
    service: LlamaService, random_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = [request(passage) for passage in PASSAGES[:4]]
    expected = alone(random_file, requests)
    answered(service, requests[:2])
    with monkeypatch.context() as patched:
        patched.setattr("llama_cpp.llama_decode", lambda *_: -3)
        with pytest.raises(ModelError, match="could not go on computing"):
            list(service.reply_all(requests, cancel=CancelToken()))
    assert texts(answered(service, requests)) == expected


# -- stopping ------------------------------------------------------------------------------------------------------


def test_whatever_was_stopped_the_next_replies_are_those_of_a_fresh_load(
    service: LlamaService, random_file: Path
) -> None:
    """Traps 34 and 35: at any look at the token, in the reading or in a step, with choices between."""
    chance = random.Random(5)
    requests = [request(passage, Limits(9, grammar=ENDLESS)) for passage in PASSAGES[:12]]
    expected = alone(random_file, requests)
    stopped = 0
    for _ in range(40):
        wanted = chance.sample(range(12), chance.randrange(1, 12))
        try:
            service.choose(user(PASSAGES[wanted[0]] * 2), ("A", "B"), cancel=CancelsAfter(chance.randrange(8)))
            for _ in service.reply_all(
                [requests[index] for index in wanted], cancel=CancelsAfter(chance.randrange(24))
            ):
                if chance.random() < 0.05:
                    break
        except Cancelled:
            stopped += 1
        if chance.random() < 0.4:
            found = answered(service, [requests[index] for index in wanted])
            assert texts(found) == [expected[index] for index in wanted]
    assert 10 < stopped < 40


def test_what_was_read_before_a_stop_is_not_read_again(service: LlamaService) -> None:
    requests = [request(passage, Limits(30, grammar=ENDLESS)) for passage in PASSAGES[:6]]
    with pytest.raises(Cancelled):
        list(service.reply_all(requests, cancel=CancelsAfter(12)))
    assert {reply.tokens_read for reply in answered(service, requests).values()} == {1}


# -- other kinds of models -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("architecture", KINDS)
def test_replies_are_right_whatever_the_kind_of_memory(tmp_path: Path, architecture: str) -> None:
    """Every order of choices and replies, and once more: what cannot be cut back is read anew."""
    file = write_random_kind(tmp_path, architecture)
    lengths = (12, 15, 13, 17, 14)  # Gaps are left, and closed.
    requests = [request(text, Limits(length, grammar=ENDLESS)) for text, length in zip(PASSAGES, lengths, strict=False)]
    expected = alone(file, requests)
    service = LlamaService(architecture, file, ONE_THREAD)
    for passage in PASSAGES[:5]:
        service.choose(user(f"{passage} and something behind it"), ("A", "B"), cancel=CancelToken())
    for _ in range(2):
        assert texts(answered(service, requests)) == expected
    service.close()


def test_a_base_model_is_asked_in_plain_words_and_ends_before_the_next_heading(tmp_path: Path) -> None:
    """Trap 63: a model without a chat template, with several replies at once."""
    file = write_random_gguf(tmp_path, template=None, name="base.gguf")
    heading = Limits(40, grammar='root ::= "abc" "\\n### " "Text" [a-h]{20}')
    requests = [request(PASSAGES[0], heading), request(PASSAGES[1]), request(PASSAGES[2], heading)]
    expected = alone(file, requests)
    service = LlamaService("base", file, ONE_THREAD)
    replies = answered(service, requests)
    assert texts(replies) == expected
    assert (replies[0].text, replies[0].finish) == ("abc", "stop")
    service.close()


# -- memory --------------------------------------------------------------------------------------------------------


def test_a_footprint_is_what_texts_of_any_length_take(model: LlamaModel) -> None:
    context = LlamaContext(model, 512)
    footprint = measure_footprint(context, CancelToken())
    for length in (1, 2, 300):
        context.read(0, [7] * length, CancelToken())
        assert context.state_size(0) == footprint.of(length)
    context.close()


class Memory:
    """What psutil says of a computer with so many free bytes."""

    def __init__(self, available: int) -> None:
        self.available = available


def test_the_budget_is_a_quarter_of_what_is_free_and_never_much(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets = []
    for available in (64 << 30, 2 << 30):
        monkeypatch.setattr(psutil, "virtual_memory", lambda free=available: Memory(free))
        budgets.append((memory_budget(), memory_budget(held=1 << 30)))
    assert budgets == [(1 << 30, 1 << 30), (512 << 20, 768 << 20)]


def opened(monkeypatch: pytest.MonkeyPatch, fails_above: int = 99) -> list[tuple[int, int]]:
    """A list of the lengths and widths of all contexts made from now on; wider ones find no memory."""
    made: list[tuple[int, int]] = []

    class Recorded(LlamaContext):
        def __init__(self, model: LlamaModel, length: int, sequences: int = 1) -> None:
            if sequences > fails_above:
                raise ModelError("There is not enough memory.")
            super().__init__(model, length, sequences)
            made.append((self.length, self.sequences))

    monkeypatch.setattr(places_module, "LlamaContext", Recorded)
    return made


MEGABYTE = Footprint(fixed=0, per_token=1 << 20)
"""Of a model so large that a gigabyte holds 1,024 tokens."""


def test_places_are_as_many_as_memory_holds_and_made_anew_only_for_more(
    model: LlamaModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(psutil, "virtual_memory", lambda: Memory(64 << 30))
    made = opened(monkeypatch)
    places = Places(model, MEGABYTE, (1, 1))
    for length, wanted in [(100, 1), (512, 2), (400, 9), (700, 1), (900, 5), (100, 1), (1500, 3), (100, 2)]:
        places.fit(length, wanted)
    assert made == [(512, 1), (512, 2), (1024, 1), (1536, 1), (512, 2)]
    places.close()


def test_where_there_is_less_memory_than_was_thought_there_are_fewer_places(
    model: LlamaModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = opened(monkeypatch, fails_above=5)
    places = Places(model, Footprint(0, 1), (1, 1))
    for wanted in (16, 16, 1, 5):
        assert places.fit(300, wanted).sequences == 4
    assert made == [(512, 4)], "what there was no memory for is not tried again and again"
    places.close()
    opened(monkeypatch, fails_above=0)
    with pytest.raises(ModelError, match="not enough memory"):
        places.fit(300, 16)


def test_a_question_frees_the_places_that_were_not_used_for_long(
    model: LlamaModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = opened(monkeypatch)
    now = [1000.0]
    places = Places(model, Footprint(0, 1), (1, 1), clock=lambda: now[0])
    for later in (0.0, 500.0, 900.0):
        places.fit(100)
        now[0] += later
        places.rest()
    places.fit(100)
    assert len(made) == 2
    places.close()
