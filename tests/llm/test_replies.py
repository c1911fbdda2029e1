"""What models really say around what was asked of them, and that reading it never fails.

The crooked replies are of the kinds that small models give; each parser also meets any text at all.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from readdesk.llm.replies import HiddenThinking, before_loop, clean, is_refusal, loops, whole_sentences

GIST = "Anna lost her boat in the storm. The harbour master went to look for it."

# -- cleaning ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>The user wants a short text.</think>{GIST}",
        f"<think>\n\n</think>\n\n{GIST}",
        f"The user wants a short text. I should keep the names.\n</think>\n\n{GIST}",
        f"<think>First.</think>{GIST}<think>Was that short enough?</think>",
        f"<think>One.</think><think>Two.</think>\n{GIST}",
        f"<think>So <think>nested</think> and on</think>{GIST}",
        f"<Thinking>Hm.</Thinking>\n{GIST}",
        f"<reasoning>a < b, so</reasoning>{GIST}",
        f"{GIST}\n<think>Now I could also mention that",
        f"[THINK]Short.[/THINK]{GIST}",
        f"◁think▷Short.◁/think▷\n{GIST}",
        f"<|START_THINKING|>Short.<|END_THINKING|><|START_RESPONSE|>{GIST}<|END_RESPONSE|>",
        f"<|channel>thought\nShort.\n<channel|>{GIST}<turn|>",
        f"<|channel|>analysis<|message|>Short.<|end|><|start|>assistant<|channel|>final<|message|>{GIST}<|return|>",
        f"<|channel|>analysis<|message|>A.<|end|><|start|>assistant<|channel|>commentary<|message|>B.<|end|>"
        f"<|start|>assistant<|channel|>final<|message|>{GIST}",
        f"analysisThe user wants a short text.assistantfinal{GIST}",
        f"<unused94>thought\nShort.<unused95>{GIST}",
        f"{GIST}<unused49><unused49>",
        f"<｜Assistant｜>{GIST}<｜end▁of▁sentence｜>",
        f"```text\n{GIST}",
        f"<|im_start|>assistant<|im_end|>{GIST}".replace("assistant", ""),
        f"{GIST}<|im_end|>",
        f"{GIST}</s>",
        f"<start_of_turn>{GIST}<end_of_turn>\n",
        f"```\n{GIST}\n```",
        f"```text\n{GIST}\n```\n",
        f"Here is the shortened text:\n```\n{GIST}\n```",
        f"```markdown\n**Summary:** {GIST}\n```",
        f'"{GIST}"',
        f'<think>Quotes?</think>\n\nHere\'s a shortened version of the passage:\n\n"{GIST}"',
    ],
)
def test_what_is_around_a_reply_goes(reply: str) -> None:
    assert clean(reply) == GIST


@pytest.mark.parametrize(
    "preamble",
    [
        "Here is the shortened passage:\n\n",
        "Here's a concise version of the passage in about 60 words:\n\n",
        "Here\u2019s the shortened text: ",
        "Here is a shortened version of the passage, keeping the order of events, the names, the places and the "
        "numbers that matter, as you asked:\n",
        "Sure! Here is the shortened text:\n",
        "Sure, here's a summary of the passage:\n",
        "Certainly! Below is the shortened passage:\n",
        "Of course. This is the shortened version:\n",
        "The following is a condensed version:\n",
        "I have shortened the passage for you:\n",
        "Here you go:\n",
        "Shortened text:\n",
        "Shortened passage: ",
        "The shortened text is: ",
        "Shortened version (about 60 words):\n",
        "**Shortened text:**\n\n",
        "**Summary**: ",
        "### Shortened Version\n\n",
        "Summary:\n",
        "Gist: ",
        "Text: ",
    ],
)
def test_announcements_go(preamble: str) -> None:
    assert clean(preamble + GIST) == GIST


@pytest.mark.parametrize("preamble", ["以下是缩短后的文本：", "好的，以下是这段文字的缩写:\n\n", "这是摘要：\n"])
def test_announcements_in_chinese_go(preamble: str) -> None:
    assert clean(preamble + "安娜在风暴中丢了船。") == "安娜在风暴中丢了船。"


@pytest.mark.parametrize(
    "text",
    [
        GIST,
        "This is the tale of two friends: Anna and the harbour master.",
        "Here is where the road ends: a pier, a lamp and nothing else.",
        "Sure of himself, the harbour master took his lamp.",
        "Okay was all she said. Then she left.",
        "Text messages from Anna stopped on Monday: the storm had come.",
        "The passage shows one thing: boats do not wait.",
        "The passage between the islands was closed: ice.",
        'Anna said "wait" and then "go".',
        '"Wait," said Anna. "I come with you."',
        "x < y and y > z, so `x < z`.",
        "He had a short way to go: over the pier, to the boat.",
        "1. Anna wakes.\n2. The boat is gone.",
        "It costs 3 < 5 coins, I think>so.",
        "这是一个漫长的夜晚，安娜没有睡。",
        "analysis of the storm: the assistant finally left.",
        "[Page 3] Anna thinks. [Page 4] She goes.",
        "```\nx\n```\nThat was code.",
    ],
)
def test_a_text_that_only_looks_like_it_stays(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    "reply",
    [
        "",
        " \n ",
        "<think>",
        "<think>\n\n</think>\n\n",
        "<think>The passage is about a boat. The user wants about sixty words. Let me",
        "A long thought without a beginning tag.</think>",
        "<|im_end|>",
        "<think>a</think>\n<think>b",
        "<|channel|>analysis<|message|>The user wants",
        "[THINK]The user wants",
        "<unused49>" * 20,
    ],
)
def test_a_reply_that_is_all_thinking_is_empty(reply: str) -> None:
    """Trap 33: closed, empty, without its beginning, or cut off by the limit."""
    assert clean(reply) == ""


TAGS = (
    "[THINK]",
    "<|channel|>",
    "analysis",
    "final<|message|>",
    "<unused49>",
    "<think>",
    "</think>",
    "<Thought>",
    "</thought>",
    "<|im_end|>",
    "</s>",
    "<",
    "th",
    "ink>",
    "|>",
)
WRAPPING = ("```", "```text\n", "\n```", "\n", '"', " ", "**")
WORDS = ("Here is the text:", "Sure!", "Summary:", "word", "one two.", "。", "以下是：")
FRAGMENTS = st.sampled_from([*TAGS, *WRAPPING, *WORDS])
REPLIES = st.one_of(st.text(), st.lists(FRAGMENTS, max_size=14).map("".join))


@given(REPLIES)
@example("<thi</s>nk>a")
@example("Text:Summary:Gist:")
@example('"Here is the text: "')
def test_cleaning_never_fails_and_twice_is_once(reply: str) -> None:
    once = clean(reply)
    assert clean(once) == once
    assert len(once) <= len(reply)
    assert once == once.strip()


@given(REPLIES)
def test_nothing_that_was_not_said_is_added(reply: str) -> None:
    rest = iter(reply)
    assert all(character in rest for character in clean(reply))


# -- showing a reply as it is written ------------------------------------------------------------------------------


def shown(pieces: list[str]) -> str:
    hidden = HiddenThinking()
    return "".join([*map(hidden.feed, pieces), hidden.end()])


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (GIST, GIST),
        (f"<think>Hm, <b>so</b>.</think>\n\n{GIST}", GIST),
        (f"<think>\n</think>{GIST}<Reasoning>Done?</Reasoning>", GIST),
        (f"{GIST} <think>and so", f"{GIST} "),
        ("<think>nothing else", ""),
        (f"[THINK]Hm.[/THINK] {GIST}</s>", GIST),
        (f"<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>{GIST}", GIST),
        (f"<|channel>thought\nHm.<channel|>{GIST}<|im_end|>", GIST),
        ("It is said on [Page 3].", "It is said on [Page 3]."),
        ("x <| y |> z", "x <| y |> z"),
        ("a < b <i>x</i> <thin> <thinker>", "a < b <i>x</i> <thin> <thinker>"),
        ("It ends with <", "It ends with <"),
        ("It ends with </think", "It ends with </think"),
        ("", ""),
    ],
)
def test_thinking_is_not_shown_however_it_arrives(reply: str, expected: str, size: int) -> None:
    pieces = [reply[start : start + size] for start in range(0, len(reply), size)]
    assert shown(pieces) == expected


def test_words_are_shown_as_soon_as_they_are_known_to_be_words() -> None:
    hidden = HiddenThinking()
    assert [hidden.feed(piece) for piece in ("Anna ", "went <", "b> ", "<thi", "nk>x", "</think>", "on")] == [
        "Anna ",
        "went ",
        "<b> ",
        "",
        "",
        "",
        "on",
    ]


@given(st.lists(st.one_of(FRAGMENTS, st.text(max_size=5)), max_size=14), st.integers(1, 5))
def test_what_is_shown_does_not_depend_on_the_pieces(fragments: list[str], size: int) -> None:
    reply = "".join(fragments)
    pieces = [reply[start : start + size] for start in range(0, len(reply), size)]
    assert shown(pieces) == shown(fragments) == shown([reply])


# -- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I can't assist with that.",
        "I\u2019m sorry, but I can\u2019t help with this request.",
        "I am sorry, I cannot shorten this text.",
        "Sorry, but I can't do that.",
        "I cannot provide a summary of this passage.",
        "I can't continue with this.",
        "I am not able to help with that.",
        "I'm unable to process this passage.",
        "I apologize, but I cannot fulfil this request.",
        "Unfortunately, I am unable to shorten copyrighted text.",
        "As an AI language model, I do not read books.",
        "As a language model I have no access to the passage.",
        "抱歉，我无法完成这个请求。",
        "很抱歉，但我不能这样做。",
    ],
)
def test_a_refusal_is_seen(reply: str) -> None:
    assert is_refusal(reply)


@pytest.mark.parametrize(
    "text",
    [
        GIST,
        "",
        "I cannot forget the evening on which my brother left.",
        "I can't say that I liked him, but he knew boats.",
        "I won't go, said Anna.",
        "I am sorry for the old man, who has lost his only lamp.",
        "Sorry for the noise, the captain closed the door.",
        "As an airman he had seen worse.",
        "Unfortunately, the boat was gone.",
        "The teacher says: I'm sorry, but I can't assist with that.",
        "我无法忘记那个夜晚。",
    ],
)
def test_a_story_in_the_first_person_is_no_refusal(text: str) -> None:
    assert not is_refusal(text)


# -- loops ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        "The man said no " + "no " * 30,
        "She walked to the sea and back again, " * 6,
        "The harbour master counted the boats. " * 4,
        GIST + " " + "He took his lamp. " * 8,
        "Anna and the boat and the boat and the boat and the boat and the boat and the boat and the boat",
        "A " + "storm came over the little town and nobody slept. " * 3,
        "He goes to the pier. She goes to the church. " * 5,
        "他去了码头。" * 5,
        "安娜丢了船，" * 6,
        "很" * 40,
        "船长说：你好。" * 4 + "然后",
        "ha" + "!ha" * 40,
        "One long sentence about the sea here. Another long sentence about the pier. " * 3,
        "\n".join(f"- The boat is blue and the boat is gone {'' if i % 2 else 'too'}" for i in range(12)),
        "да " * 50,
    ],
)
def test_going_round_in_circles_is_seen(reply: str) -> None:
    assert loops(reply)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No.",
        GIST,
        "It was very very good, and he was a very, very old man.",
        "Never, never, never give in, he said.",
        "Tomorrow, and tomorrow, and tomorrow, creeps in this petty pace from day to day.",
        "Row, row, row your boat, gently down the stream. Merrily, merrily, merrily, merrily, life is but a dream.",
        "Anna, Ben, Clara, David, Emma, Fritz, Gustav and Hanna went to the pier.",
        "1. Anna wakes. 2. Anna goes out. 3. Anna finds the pier. 4. Anna comes home.",
        "The king has a horse. The queen has a horse. The page has a boat. The cook has a pan.",
        "He left\u2026 and left\u2026 and\u2026 left.",
        "……他没有说话。……她也没有。",
        "他说：“好好好，我们走吧！”天天向上，人人平等。",
        "红楼梦里的人物很多：宝玉、黛玉、宝钗、湘云、探春、惜春、迎春、元春。",
        "1234567890 11111111 000000",
        "- - - - - - - - -\n* * * * * * * *",
        "Buffalo buffalo Buffalo buffalo buffalo is a sentence.",
    ],
)
def test_what_a_person_would_write_is_no_loop(text: str) -> None:
    assert not loops(text)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Call me Ishmael.\n\n" + "Loomings.\n\n" * 9, "Call me Ishmael.\n\nLoomings."),
        ("The harbour master counted the boats. " * 4, "The harbour master counted the boats."),
        (GIST + " " + "He took his lamp and left. " * 8, GIST + " He took his lamp and left."),
        ("他去了码头。" * 8, "他去了码头。"),
        ("İstanbul größte. " * 9, "İstanbul größte."),
        (GIST, GIST),
        ("", ""),
    ],
)
def test_what_is_said_again_and_again_is_said_once(reply: str, expected: str) -> None:
    assert before_loop(reply) == expected
    assert before_loop(expected) == expected


def test_a_long_reply_is_checked_at_once() -> None:
    started = time.process_time()
    assert not loops(" ".join(f"word{number}" for number in range(3000)))
    assert not loops("".join(chr(0x4E00 + number % 5000) for number in range(3000)))
    assert time.process_time() - started < 20.0, "the check grew out of hand"


@given(st.text(alphabet=st.sampled_from("ab .,。龙很\n"), max_size=80) | st.text())
def test_looking_for_loops_never_fails(text: str) -> None:
    assert loops(text) in (True, False)


@given(st.lists(st.sampled_from("anna boat storm pier lamp went down sea".split()), min_size=4, max_size=9))
def test_any_phrase_said_eight_times_is_a_loop(phrase: list[str]) -> None:
    assert loops(" ".join(phrase * 8))
    assert loops("Once upon a time " + " ".join(phrase * 8) + " and")


# -- whole sentences -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GIST + " Then he", GIST),
        (GIST, GIST),
        ("No end here", ""),
        ("", ""),
        ("It cost 3.50 in all", ""),
        ("She cried: “Wait!” Then", "She cried: “Wait!”"),
        ("“Is that so?” he", "“Is that so?”"),
        ("安娜丢了船。他去找", "安娜丢了船。"),
        ("“你好！”他说", "“你好！”"),
        ("Она ушла. И не", "Она ушла."),
        ("यह अंत है। और", "यह अंत है।"),
        ("…", "…"),
    ],
)
def test_what_was_cut_off_ends_with_its_last_whole_sentence(text: str, expected: str) -> None:
    assert whole_sentences(text) == expected


@given(st.text())
def test_whole_sentences_are_a_beginning_and_stay_whole(text: str) -> None:
    found = whole_sentences(text)
    assert text.strip().startswith(found)
    assert whole_sentences(found) == found
