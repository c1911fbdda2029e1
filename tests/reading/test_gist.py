"""A gist is a gist or is flagged: each crooked reply is refused, tried once more, replaced by the opening."""

from __future__ import annotations

import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.errors import ModelError
from readdesk.llm.model import Message
from readdesk.llm.replies import NO_THINKING
from readdesk.reading.gist import VERBATIM_WORDS, ToShorten, gist_limits, opening, text_hash, write_gists
from readdesk.reading.model import Cost, Gist
from readdesk.reading.prompts import PROMPT_VERSION, gist_words
from tests.fakes import Cut, Scripted, ScriptedEngine, words

PAGE = " ".join(
    f"On day {number} the harbour master counted {number + 3} boats and wrote it into his book." for number in range(20)
)
GOOD = "Day after day the harbour master counts the boats, from three to twenty-two, and keeps a book of them all."
OTHER = "For twenty days a harbour master writes down how many boats he sees, and every day there is one more."
OPENING = opening(PAGE)


def to_shorten(page: str = PAGE, number: int = 7) -> ToShorten:
    return ToShorten(number, page, (Message("user", f"{page}\n---\nShorten it."),))


def shorten(engine: ScriptedEngine, page: str = PAGE) -> tuple[Gist, Cost]:
    ((index, gist, cost),) = write_gists(engine, "scripted", [to_shorten(page)], CancelToken())
    assert index == 0
    return gist, cost


def test_a_good_reply_is_the_gist() -> None:
    engine = ScriptedEngine([GOOD])
    gist, cost = shorten(engine)
    assert gist == Gist(7, GOOD, "scripted", PROMPT_VERSION, text_hash(PAGE), "", retried=False)
    assert cost.written > 0 and cost.read > 0
    assert [asked.limits for asked in engine.history] == [gist_limits(300)]


@pytest.mark.parametrize(
    "reply",
    [
        f"Here is the shortened passage:\n\n{GOOD}",
        f"<think>The user wants about forty words.</think>\n\n{GOOD}",
        f"They want it short.\n</think>\n{GOOD}",
        f"```\n{GOOD}\n```",
        f"[A] {GOOD} [C]",
        "  " + GOOD.replace(", ", ",\n") + "\n\n",
        f'Sure! Here is a shortened version:\n"{GOOD}"',
    ],
)
def test_what_is_around_a_gist_goes_without_a_second_try(reply: str) -> None:
    gist, _ = shorten(ScriptedEngine([reply]))
    assert (gist.text, gist.flag, gist.retried) == (GOOD, "", False)


CROOKED: list[Scripted] = [
    "",
    "   \n",
    "<think>The passage is about boats. I should",
    "<think>\n\n</think>",
    "Boats.",
    "He counted the boats. " * 12,
    "no " * 60,
    words(400, "longer"),
    "I'm sorry, but I can't help with shortening this text for you, because it may be under copyright of somebody.",
    Cut("no whole sentence in here at all although it has so very many words that it runs up to its limit"),
    Cut("Boats. And then the"),
    PAGE[:400],
]


@pytest.mark.parametrize("reply", CROOKED)
def test_a_crooked_reply_is_tried_once_more_with_other_sampling(reply: Scripted) -> None:
    """Traps 38 and 40."""
    engine = ScriptedEngine([reply, GOOD])
    gist, cost = shorten(engine)
    assert (gist.text, gist.flag, gist.retried) == (GOOD, "", True)
    first, second = engine.history
    assert first.messages == second.messages
    is_bound = second.limits is not None and second.limits.grammar is not None
    assert first.limits == gist_limits(300)
    assert second.limits == gist_limits(300, again=True, grammar=NO_THINKING if is_bound else None)
    assert first.limits.temperature == 0 < second.limits.temperature
    assert cost.written > shorten(ScriptedEngine([GOOD]))[1].written or not str(getattr(reply, "text", reply)).strip()


@pytest.mark.parametrize(
    ("reply", "is_bound"),
    [("<think>Boats. I should", True), ("<|channel|>analysis<|message|>Boats", True), ("Boats.", False)],
)
def test_trap_33_what_was_all_thinking_is_asked_for_again_without_it(reply: str, is_bound: bool) -> None:
    """Trap 33: such a reply is no gist, and another one in which the model thinks again would be none either."""
    engine = ScriptedEngine([Cut(reply), GOOD])
    assert shorten(engine)[0].text == GOOD
    assert [asked.limits and asked.limits.grammar for asked in engine.history] == [
        None,
        NO_THINKING if is_bound else None,
    ]


@pytest.mark.parametrize("first", CROOKED)
@pytest.mark.parametrize("second", [*CROOKED[:6], CROOKED[8]])
def test_two_crooked_replies_leave_the_pages_opening_flagged(first: Scripted, second: Scripted) -> None:
    gist, _ = shorten(ScriptedEngine([first, second]))
    assert (gist.text, gist.flag, gist.retried) == (OPENING, "opening", True)


def test_a_reply_cut_at_its_limit_is_tried_again_and_then_kept_up_to_its_last_sentence() -> None:
    again = Cut(f"{OTHER} And when the last")
    gist, _ = shorten(ScriptedEngine([Cut(f"{GOOD} And then"), again]))
    assert (gist.text, gist.flag, gist.retried) == (OTHER, "cut", True)


@pytest.mark.parametrize("start", [0, 37, 100, 260])
def test_a_long_run_of_the_page_anywhere_in_a_gist_is_copied(start: int) -> None:
    engine = ScriptedEngine([f"{GOOD[:90]} {PAGE[start : start + 180]} {GOOD[:40]}", GOOD])
    gist, _ = shorten(engine)
    assert (gist.text, gist.retried) == (GOOD, True)


def test_a_quotation_is_not_copied() -> None:
    quoting = f"{GOOD} {PAGE[:120]}"
    assert shorten(ScriptedEngine([quoting]))[0].retried is False


def test_a_gist_never_ends_a_job_but_an_engine_that_fails_does() -> None:
    with pytest.raises(ModelError, match="gone"):
        shorten(ScriptedEngine([ModelError("The model is gone.")]))


def test_a_stop_leaves_no_gist() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        list(write_gists(ScriptedEngine([GOOD]), "scripted", [to_shorten()], token))


@pytest.mark.parametrize("page", ["The End", "PART ONE\n\nThe Storm", words(VERBATIM_WORDS), "第一章\n风暴"])
def test_a_short_page_is_its_own_gist_without_the_model(page: str) -> None:
    gist, cost = shorten(ScriptedEngine(), page)
    assert (gist.text, gist.flag, gist.retried) == (" ".join(page.split()), "verbatim", False)
    assert cost == Cost()


def test_a_page_a_word_longer_is_shortened() -> None:
    gist, _ = shorten(ScriptedEngine(["Ten short words that say what all of these said."]), words(VERBATIM_WORDS + 1))
    assert gist.flag == ""


def test_a_chinese_page_is_shortened_in_chinese() -> None:
    page = "港口的主人每天数船，把数目写在本子上，晚上才回家，家里没有人等他。" * 8
    short = "主人天天数船，记在本子上，夜里独自回家……他没有家人，只有这些船。"
    gist, _ = shorten(ScriptedEngine([short]), page)
    assert (gist.text, gist.flag) == (short, "")


def test_the_opening_is_whole_sentences_of_about_sixty_words() -> None:
    assert OPENING.endswith("into his book.") and PAGE.startswith(OPENING)
    assert 30 <= len(OPENING.split()) <= 60
    assert opening("no end " * 100) == ("no end " * 30).strip() + " …"
    assert opening("Short. And rest") == "Short."
    chinese = opening("风暴来了，船都走了。" * 100)
    assert chinese.endswith("。") and len(chinese) <= 360


def test_a_hash_does_not_see_how_spaces_and_accents_are_written() -> None:
    assert text_hash("Café\n\n noir") == text_hash("Cafe\u0301 noir")
    assert text_hash("Café noir") != text_hash("Café rouge")
    assert len(text_hash("")) == 16


def test_neither_try_may_copy_long_runs_of_the_page() -> None:
    assert 0 < gist_limits(300).longest_copy == gist_limits(300, again=True).longest_copy < 20


def test_limits_follow_the_length() -> None:
    assert gist_limits(100).max_tokens < gist_limits(600).max_tokens < gist_limits(3000).max_tokens
    assert gist_words(10) == 40 and gist_words(480) == 60 and gist_words(100_000) == 120


def test_short_pages_at_the_front_need_not_wait_for_a_reply() -> None:
    """A stop in the middle of a long page behind them does not take them away."""
    pages = [to_shorten(text, number) for number, text in enumerate(("It left.", "It came.", words(300)), start=1)]
    gists = write_gists(ScriptedEngine([ModelError("It broke.")]), "tiny", pages, CancelToken())
    assert [next(gists)[1].text for _ in range(2)] == ["It left.", "It came."]
    with pytest.raises(ModelError):
        next(gists)
