"""The engine's promises, with llama.cpp itself and a random little model for the edges (*tiny* is in test_tiny.py).

A service in this process shows what is computed. What is read from memory must be what a fresh load would say: every
test of reuse, of stopping and of crashing ends with that comparison.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.errors import ModelError
from readdesk.llm.llama.context import OUTPUTS, LlamaContext
from readdesk.llm.llama.model import LlamaModel
from readdesk.llm.llama.places import MOST_TOGETHER
from readdesk.llm.llama.service import LlamaService
from readdesk.llm.llama.template import ChatTemplate
from readdesk.llm.llama.threads import cores
from readdesk.llm.model import EngineInfo, Limits, LoadOptions, Reply, Request
from readdesk.llm.replies import clean
from readdesk.reading.prompts import look_up_grammar
from tests.llm import random_gguf
from tests.llm.asking import ENDLESS, ONE_THREAD, fresh_say, say, user
from tests.llm.random_gguf import LETTERS

# -- what it is --------------------------------------------------------------------------------------------------------


def test_a_model_says_what_runs(service: LlamaService) -> None:
    info = service.info(cancel=CancelToken())
    expected = EngineInfo("random", 1024, "CPU", "plain", 1, cores(), 0.0, True, layers=random_gguf.LAYERS + 1)
    assert replace(info, together=1, tokens_together=0, bytes_per_token=0) == expected
    in_memory = 2 * 2 * random_gguf.LAYERS * random_gguf.WIDTH
    assert in_memory <= info.bytes_per_token <= in_memory + 16
    assert info.together == MOST_TOGETHER and info.tokens_together > 16 * 1024


def test_the_context_is_never_longer_than_the_model_was_made_for(random_file: Path) -> None:
    service = LlamaService("random", random_file, LoadOptions(context=100_000, threads=1))
    assert service.info(cancel=CancelToken()).context == 2048
    service.close()


def test_threads_are_measured_when_none_are_given(random_file: Path) -> None:
    service = LlamaService("random", random_file, LoadOptions(context=512))
    info = service.info(cancel=CancelToken())
    assert 1 <= info.threads <= cores()
    assert info.decode_speed > 0
    service.close()


def test_a_stop_while_threads_are_measured_leaves_a_model_that_can_be_loaded(random_file: Path) -> None:
    service = LlamaService("random", random_file, LoadOptions(context=512))
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        service.info(cancel=token)
    assert service.info(cancel=CancelToken()).threads >= 1
    service.close()


def test_texts_are_counted_without_a_template_and_control_words_are_words(service: LlamaService) -> None:
    counts = service.count(["", "abc", "ä", "<|im_end|>", "a b"], cancel=CancelToken())
    assert counts == (0, 3, 2, 10, 3)


def test_a_token_longer_than_any_buffer_keeps_its_text(model: LlamaModel) -> None:
    assert model.special_text(random_gguf.LONG_TOKEN).strip() == " ".join(["long"] * 60)
    assert model.special_text(-1) == ""


# -- replies -----------------------------------------------------------------------------------------------------------


def test_a_reply_is_the_same_every_time_and_from_a_fresh_load(service: LlamaService, random_file: Path) -> None:
    first = say(service, user("hello"), Limits(40))
    again = say(service, user("hello"), Limits(40))
    assert first.text == again.text == fresh_say(random_file, user("hello"), Limits(40))
    assert (first.tokens_reused, again.tokens_read) == (0, 1)
    assert first.tokens_read == again.tokens_read + again.tokens_reused


def test_a_common_beginning_is_reused_without_changing_the_reply(service: LlamaService, random_file: Path) -> None:
    passage = "a passage that stands first " * 12
    say(service, user(f"{passage} first question"), Limits(30))
    reply = say(service, user(f"{passage} another question, longer"), Limits(30))
    assert reply.tokens_reused > len(passage)
    assert reply.text == fresh_say(random_file, user(f"{passage} another question, longer"), Limits(30))


def test_chance_follows_the_seed(service: LlamaService) -> None:
    def drawn(seed: int) -> str:
        return say(service, user("hello"), Limits(30, temperature=1.0, top_k=200, seed=seed)).text

    assert drawn(1) == drawn(1)
    assert len({drawn(seed) for seed in range(5)}) == 5


def test_the_repeat_penalty_changes_what_repeats(service: LlamaService) -> None:
    limits = Limits(60, grammar="root ::= [a-d]{60}")
    plain = say(service, user("hello"), limits).text
    punished = say(service, user("hello"), Limits(60, grammar=limits.grammar, repeat_penalty=5.0)).text
    assert plain != punished


@pytest.mark.parametrize("tokens", [1, 7, 64])
def test_a_reply_stops_at_its_limit_and_says_so(service: LlamaService, tokens: int) -> None:
    reply = say(service, user("hello"), Limits(tokens, grammar=ENDLESS))
    assert (reply.finish, reply.tokens_written) == ("length", tokens)
    assert len(reply.text) == tokens


def test_a_reply_that_ends_by_itself_says_so(service: LlamaService) -> None:
    reply = say(service, user("hello"), Limits(50, grammar='root ::= "abc"'))
    assert (reply.text, reply.finish, reply.tokens_written) == ("abc", "stop", 3)


def test_a_stop_word_ends_the_reply_before_it(service: LlamaService) -> None:
    whole = say(service, user("hello"), Limits(60, grammar=ENDLESS)).text
    stop = whole[30:34]
    reply = say(service, user("hello"), Limits(60, grammar=ENDLESS, stop=("zzz", stop)))
    assert reply.text == whole[: whole.find(stop)]
    assert reply.finish == "stop"


def test_a_stop_word_that_never_comes_swallows_nothing(service: LlamaService) -> None:
    reply = say(service, user("hello"), Limits(20, grammar='root ::= "abcdefgh"', stop=("ghi", "h?")))
    assert reply.text == "abcdefgh"


@pytest.mark.parametrize("text", ["Grüße", "漢字かな", "\U0001f600\U0001f469\u200d\U0001f680", "a\u0301é"])
def test_characters_of_several_tokens_arrive_whole(service: LlamaService, text: str) -> None:
    pieces = list(service.stream(user("hello"), Limits(60, grammar=f'root ::= "{text}"'), cancel=CancelToken()))
    assert isinstance(pieces[-1], Reply) and pieces[-1].text == text
    assert "\ufffd" not in "".join(map(str, pieces[:-1]))


def test_a_character_cut_by_the_limit_is_left_out(service: LlamaService) -> None:
    assert say(service, user("hello"), Limits(4, grammar='root ::= "a漢漢漢"')).text == "a漢"
    assert say(service, user("hello"), Limits(6, grammar='root ::= "a漢漢漢"')).text == "a漢"


@pytest.mark.parametrize("seed", range(4))
def test_a_grammar_binds_every_reply(service: LlamaService, seed: int) -> None:
    grammar = look_up_grammar([1, 2, 17, 203], 3)
    reply = say(service, user("which pages?"), Limits(40, temperature=2.0, top_k=200, seed=seed, grammar=grammar))
    assert re.fullmatch(r"\[((1|2|17|203)(, (1|2|17|203)){0,2})?\]", reply.text)


def test_a_grammar_that_cannot_be_used_is_an_error_and_the_next_reply_works(service: LlamaService) -> None:
    expected = say(service, user("hello"), Limits(10)).text
    with pytest.raises(ModelError, match="grammar"):
        say(service, user("hello"), Limits(10, grammar="root ::= ("))
    assert say(service, user("hello"), Limits(10)).text == expected


PROPOSITIONS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"kind": {"enum": ["fact", "claim"]}, "text": {"type": "string", "maxLength": 12}},
        "required": ["kind", "text"],
    },
    "minItems": 1,
    "maxItems": 2,
}


@pytest.mark.parametrize("seed", range(4))
def test_a_schema_binds_every_reply(service: LlamaService, seed: int) -> None:
    schema = json.dumps(PROPOSITIONS)
    reply = say(service, user("what is said?"), Limits(300, temperature=1.0, top_k=200, seed=seed, schema=schema))
    found = json.loads(reply.text)
    assert reply.finish == "stop" and 1 <= len(found) <= 2
    assert all(set(item) == {"kind", "text"} and item["kind"] in ("fact", "claim") for item in found)
    # Noise is not always UTF-8: what is no character counts for none.
    assert all(len(item["text"].replace("\ufffd", "")) <= 12 for item in found)


@pytest.mark.parametrize(
    "schema", ["", "[]", "{", "7", '{"type": "number of pages"}', '{"$ref": "https://a.b/c.json"}']
)
def test_a_schema_that_cannot_be_used_is_an_error_and_the_next_reply_works(service: LlamaService, schema: str) -> None:
    with pytest.raises(ModelError, match="grammar"):
        say(service, user("hello"), Limits(10, schema=schema))
    assert say(service, user("hello"), Limits(3, schema='{"const": 7}')).text.startswith("7")


# -- choosing ----------------------------------------------------------------------------------------------------------


def test_a_choice_is_the_next_tokens_log_probability(
    service: LlamaService, model: LlamaModel, context: LlamaContext
) -> None:
    options = tuple(LETTERS[:6])
    choice = service.choose(user("choose"), options, cancel=CancelToken())
    prompt = [model.bos]
    for text, ours in ChatTemplate(model.template, "<s>", "</s>").render(user("choose")):
        prompt += model.tokenize(text, special=ours)
    context.read(0, prompt, CancelToken())
    everything = context.log_probabilities()
    assert np.exp(everything).sum() == pytest.approx(1.0)
    expected = [everything[model.tokenize(option, special=False)[0]] for option in options]
    assert choice.log_probabilities == pytest.approx(expected, abs=1e-4)
    assert choice.best == int(np.argmax(expected))
    assert choice.tokens_read == len(prompt)


def test_a_choice_reads_what_a_gist_will_reuse(service: LlamaService) -> None:
    choice = service.choose(user("the same words"), ("A", "B"), cancel=CancelToken())
    gist = Request(tuple(user("the same words")), Limits(1))
    ((_, reply),) = service.reply_all([gist], cancel=CancelToken())
    assert (choice.tokens_reused, reply.tokens_read) == (0, 1)
    assert reply.tokens_reused == choice.tokens_read - 1


@pytest.mark.parametrize("options", [("A", "AB"), ("A", "B", "A"), ("A", ""), ("A", "ä"), ("10", "11")])
def test_options_that_are_no_single_tokens_are_refused(service: LlamaService, options: tuple[str, ...]) -> None:
    """Trap 73: numbers of two digits are two tokens, letters are one."""
    with pytest.raises(ModelError, match="more than one piece"):
        service.choose(user("choose"), options, cancel=CancelToken())
    assert len(service.choose(user("choose"), ("A", "B"), cancel=CancelToken()).log_probabilities) == 2


def test_control_words_of_a_reply_come_as_text(service: LlamaService) -> None:
    """Else the channels of gpt-oss could not be told from its reply; what is shown and kept is without them."""
    replies = [say(service, user("Say something."), Limits(200, temperature=9.0, seed=seed)).text for seed in range(12)]
    assert any("<|im_start|>" in reply for reply in replies)
    assert not any(re.search(r"<\|im_start\|>|<s>", clean(reply)) for reply in replies)


# -- likelihood ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [0, 1, 2, OUTPUTS, OUTPUTS + 1, OUTPUTS + 2, 100])
def test_a_likelihood_is_the_sum_of_its_tokens_step_by_step(
    service: LlamaService, context: LlamaContext, length: int
) -> None:
    reply = ("a reply that was written by somebody else " * 3)[:length]
    told = service.likelihood(user("hello"), reply, cancel=CancelToken())
    tokens = context.model.tokenize(reply, special=False)
    prompt = [context.model.bos]
    for text, ours in ChatTemplate(context.model.template, "<s>", "</s>").render(user("hello")):
        prompt += context.model.tokenize(text, special=ours)
    expected = 0.0
    for place, token in enumerate(tokens):
        context.read(0, [*prompt, *tokens[:place]], CancelToken())
        expected += context.log_probabilities()[token]
    assert (told.tokens, told.tokens_read) == (length, len(prompt))
    assert told.log_probability == pytest.approx(expected, abs=0.01 * max(1, length))
    assert say(service, user("hello"), Limits(5)).tokens_read == 1, "and the prompt is still there"


def test_a_long_run_of_the_prompt_is_not_copied(tiny_model: Path) -> None:
    """Asked to repeat a sentence, a model does so; with a limit for copies it goes other ways after some words."""
    service = LlamaService("tiny", tiny_model, ONE_THREAD)
    sentence = "The harbour master of the little town took his lamp and went down to the pier to look for the boat."
    asked = user(f"Repeat exactly this sentence and nothing else: {sentence}")
    free, bound = (say(service, asked, Limits(40, longest_copy=longest)).text for longest in (0, 4))
    service.close()
    assert longest_common(free, sentence) >= 60
    assert longest_common(bound, sentence) < 45


def longest_common(text: str, other: str) -> int:
    """The length of the longest run of characters that both have."""
    return max(
        (end - start for start in range(len(text)) for end in range(start, len(text) + 1) if text[start:end] in other),
        default=0,
    )
