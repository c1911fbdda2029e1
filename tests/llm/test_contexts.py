"""What a context holds and computes, with several texts in it: kept apart, cut back, stopped, saved and restored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.errors import ModelError
from readdesk.llm.llama.context import BATCH, LlamaContext
from readdesk.llm.llama.model import LlamaModel

ROUNDING = 0.05
"""How far two ways of grouping the same work may differ; the tokens' log-probabilities lie between -1 and -20."""


def fresh_log_probabilities(file: Path, prompt: list[int]) -> npt.NDArray[np.float64]:
    """What a model that has seen nothing else expects after a prompt."""
    model = LlamaModel(file, 0, CancelToken())
    context = LlamaContext(model, 1024)
    context.read(0, prompt, CancelToken())
    expected = context.log_probabilities()
    context.close()
    model.close()
    return expected


def test_a_computation_is_stopped_in_the_middle_of_a_batch(context: LlamaContext, random_file: Path) -> None:
    """The flag that llama.cpp asks before every step, raised before the first one."""
    prompt = context.model.tokenize("b" * (BATCH + 100), special=False)
    token = CancelToken()
    token.raise_if_cancelled = lambda: None  # type: ignore[method-assign] # only the flag may stop it
    token.cancel()
    with pytest.raises(Cancelled):
        context.read(0, prompt, token)
    assert context.tokens == [[]]
    assert context.read(0, prompt, CancelToken()) == 0
    assert context.tokens == [prompt]
    after = context.log_probabilities()
    assert after == pytest.approx(fresh_log_probabilities(random_file, prompt), abs=1e-6)


def words(text: str) -> list[int]:
    """Tokens of a text of ASCII letters in the random model's vocabulary: one a letter."""
    return [byte + 5 for byte in text.encode()]


def test_texts_of_one_context_do_not_disturb_one_another(model: LlamaModel, random_file: Path) -> None:
    context = LlamaContext(model, 512, 3)
    texts = [words(text * 20) for text in ("one thing", "another", "a third one")]
    for sequence, text in enumerate(texts):
        context.read(sequence, text, CancelToken())
    for token in words("xyz"):
        context.step([(0, token), (2, token)], CancelToken())
    ends = [words("xyz"), [], words("xyz")]
    assert context.tokens == [[*text, *end] for text, end in zip(texts, ends, strict=True)]
    for sequence in (1, 0, 2):
        prompt = [*texts[sequence], *ends[sequence], *words("!")]
        assert context.read(sequence, prompt, CancelToken()) == len(prompt) - 1
        assert context.log_probabilities() == pytest.approx(fresh_log_probabilities(random_file, prompt), abs=ROUNDING)
    context.close()


def test_a_step_says_what_may_follow_each_of_its_rows(model: LlamaModel, random_file: Path) -> None:
    context = LlamaContext(model, 512, 4)
    texts = [words("b" * length) for length in (3, 40, 300, 7)]
    for sequence, text in enumerate(texts):
        context.read(sequence, text, CancelToken())
    rows = [(0, 100), (1, 101), (3, 102)]
    context.step(rows, CancelToken())
    for output, (sequence, token) in enumerate(rows):
        expected = fresh_log_probabilities(random_file, [*texts[sequence], token])
        assert context.log_probabilities(output) == pytest.approx(expected, abs=ROUNDING)
    context.close()


def test_every_sequence_has_the_whole_length(model: LlamaModel) -> None:
    context = LlamaContext(model, 512, 3)
    assert (context.length, context.sequences) == (512, 3)
    for sequence in range(3):
        context.read(sequence, words("b" * 512), CancelToken())
    assert [len(tokens) for tokens in context.tokens] == [512] * 3
    context.close()


def test_a_kept_state_goes_on_where_it_was_in_another_context(model: LlamaModel, random_file: Path) -> None:
    prompt = words("a long beginning " * 20)
    one, other = LlamaContext(model, 1024, 2), LlamaContext(model, 512, 2)
    one.read(0, prompt, CancelToken())
    data = one.state(0)
    assert len(data) == one.state_size(0)
    other.read(1, words("what was there before"), CancelToken())
    assert other.restore(1, prompt, data)
    longer = [*prompt, *words("and on")]
    assert other.read(1, longer, CancelToken()) == len(prompt)
    assert other.log_probabilities() == pytest.approx(fresh_log_probabilities(random_file, longer), abs=ROUNDING)
    other.close()
    one.close()


@pytest.mark.parametrize("damage", ["short", "long", "noise", "empty", "tokens", "no tokens"])
def test_a_state_that_is_not_that_of_its_tokens_leaves_nothing(context: LlamaContext, damage: str) -> None:
    prompt = words("a beginning " * 20)
    context.read(0, prompt, CancelToken())
    data = context.state(0)
    spoilt = {"short": data[:-100], "long": data + b"\0", "noise": b"\7" * len(data), "empty": b""}.get(damage, data)
    tokens = {"tokens": prompt[:-1], "no tokens": []}.get(damage, prompt)
    assert not context.restore(0, tokens, spoilt)
    assert context.tokens == [[]]
    assert context.read(0, prompt, CancelToken()) == 0


def test_a_context_that_memory_cannot_hold_says_so(model: LlamaModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("llama_cpp.llama_init_from_model", lambda *_: None)
    with pytest.raises(ModelError, match=r"not enough memory for random\.gguf with a context of 1024 tokens"):
        LlamaContext(model, 512, 2)


def test_texts_change_places_with_all_that_is_computed(model: LlamaModel, random_file: Path) -> None:
    context = LlamaContext(model, 512, 3)
    long, short = words("a long text " * 20), words("short")
    context.read(0, long, CancelToken())
    context.read(2, short, CancelToken())
    context.swap(0, 2)
    context.swap(0, 1)
    assert context.tokens == [[], short, long]
    for sequence, text in ((1, short), (2, long)):
        assert context.read(sequence, [*text, 99], CancelToken()) == len(text)
        expected = fresh_log_probabilities(random_file, [*text, 99])
        assert context.log_probabilities() == pytest.approx(expected, abs=ROUNDING)
    context.close()
