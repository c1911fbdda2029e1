"""What a reply needs before it is used.

Models think aloud, announce what they are about to do, wrap text in fences, repeat themselves and decline. None of that
may reach a gist or an answer. Everything here is a function of the reply's text alone, and never raises.
"""

from __future__ import annotations

import re

from readdesk.documents.normal import normal

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"^.*?</(?:think|thinking|thought|reasoning)>", re.DOTALL | re.IGNORECASE)
_THOUGHT_START = re.compile(r"<(?:think|thinking|thought|reasoning)>.*$", re.DOTALL | re.IGNORECASE)
_CONTROL = re.compile(r"<\|[^|<>\n]{1,40}\|>|</?s>|<(?:start|end)_of_turn>")
_FENCE = re.compile(r"^\s*```[\w-]*\n(.*?)\n?```\s*$", re.DOTALL)
_PREAMBLE = re.compile(
    r"^(?:(?:sure|certainly|of course|okay|ok)\b[^\n:.!]{0,60}[.!:,]\s*)?"
    r"(?:(?:here(?:'s| is| are)|this is|below is)\b[^\n:]{0,100}:|"
    r"\**(?:shortened|short|condensed)?\s*(?:text|version|passage|summary|gist)\**\s*:\**)\s*",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"^\W*(?:i(?:'m| am) (?:sorry|unable|not able)|i (?:cannot|can't|can not|won't)|as an ai\b|sorry, (?:but )?i\b)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…。！？؟।]['\"”’»)\]」』]*(?=\s|$|[^\x00-\u2fff])")


def clean(text: str) -> str:
    """The reply without thinking, control words, fences and announcements; may be empty."""
    text = _THOUGHT.sub("", text)
    text = _THOUGHT_START.sub("", _THOUGHT_END.sub("", text))
    text = _CONTROL.sub("", text).strip()
    if fenced := _FENCE.match(text):
        text = fenced.group(1).strip()
    shorter = _PREAMBLE.sub("", text, count=1).strip()
    text = shorter or text
    if len(text) > 2 and text[0] == text[-1] == '"' and text.count('"') == 2:
        text = text[1:-1].strip()
    return text


def is_refusal(text: str) -> bool:
    """Whether the model declined instead of doing the work."""
    return bool(_REFUSAL.match(text))


def loops(text: str) -> bool:
    """Whether the reply goes round in circles: words that come again and again at once, or half the sentences twice."""
    words = normal(text).split() if " " in text.strip() else list(normal(text))
    for length in range(1, max(2, len(words) // 3 + 1)):
        run = 1
        for place in range(length, len(words) - length + 1, length):
            run = run + 1 if words[place : place + length] == words[place - length : place] else 1
            if run >= (3 if length > 3 else 6):
                return True
    return _repeats_sentences(text)


def _repeats_sentences(text: str) -> bool:
    sentences = [normal(part) for part in _SENTENCE_END.split(text)]
    long_ones = [sentence for sentence in sentences if len(sentence) > 25]
    return len(long_ones) >= 4 and len(set(long_ones)) <= len(long_ones) / 2


def whole_sentences(text: str) -> str:
    """The text up to its last finished sentence; empty when none is finished."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    return text[: ends[-1]].strip() if ends else ""
