"""What a reply needs before it is used.

Models think aloud, announce what they are about to do, wrap text in fences, repeat themselves and decline. None of that
may reach a gist or an answer. Everything here is a function of the reply's text alone, and never raises; what is clean
stays as it is when it is cleaned again.
"""

from __future__ import annotations

import re

from readdesk.llm.thinking import HiddenThinking, without_thinking

__all__ = ["NO_THINKING", "HiddenThinking", "before_loop", "clean", "is_refusal", "loops", "whole_sentences"]

_FENCE = re.compile(r"^\s*```[\w-]*\n((?:(?!\n?```).)*)(?:\n?```\s*)?$", re.DOTALL)
"""One that was cut off has no end."""
_SHORTENED = r"(?:short\w*|condensed|abridged|concise|summar\w+|gist|rewritten)"
_WORK = rf"(?:{_SHORTENED}|version|passage|text)"
# Only an announcement of the work itself goes: "This is the tale of two friends: …" is a gist.
_PREAMBLE = re.compile(
    r"^(?:(?:sure|certainly|of course|absolutely|okay|ok)\b[^\n:.!]{0,60}[.!:,]\s*)?(?:"
    rf"(?:here(?:['’]s| is| are)|below is|the following is|this is|i(?:['’]ve| have))\b"
    rf"(?=[^\n:]*\b{_SHORTENED}\b|[^\n:]{{0,20}}\b(?:version|passage|text):)[^\n:]{{0,200}}:|"
    r"here (?:it is|you go):|"
    rf"[*_#\s]*(?:the\s+)?(?:{_WORK}\s+){{0,2}}{_WORK}(?:\s*\([^)\n]{{0,40}}\)|\s+is)?[*_]*\s*:[*_]*|"
    rf"#+\s*(?:the\s+)?(?:{_WORK}\s+){{0,2}}{_WORK}\s*\n|"
    r"(?:好的[，,。！!]?\s*)?(?:以下是|下面是|这是)[^\n：:。]{0,40}[：:])\s*",
    re.IGNORECASE,
)
_SERVE = r"(?:assist|help|provide|short|summari|fulfil|compl|generat|answer|continu|process|rewrit|do (?:that|this))"
_REFUSAL = re.compile(
    r"^\W*(?:(?:(?:i(?:['’]m| am) (?:very |so )?sorry|sorry|i apologi[sz]e|unfortunately),? (?:but )?(?:i\b|as an?\b)|"
    rf"i (?:cannot|can['’]t|can not|won['’]t|(?:am|was) (?:unable|not able) to) (?:\w+ ){{0,2}}{_SERVE}|"
    rf"i['’]m (?:unable|not able) to (?:\w+ ){{0,2}}{_SERVE}|"
    r"as an? (?:ai|(?:large )?language model)\b)|"
    r"(?:很?抱歉|对不起)[，,]?\s*(?:但)?我(?:无法|不能))",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…。！？؟।]['\"”’»)\]」』]*(?=\s|$|[^\x00-\u2fff])")
# A character of a script without spaces, or a word of any other: what a loop is counted in.
_WORD = re.compile(
    r"(?=[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uf900-\ufaff])[^\W_]|"
    r"(?:(?![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uf900-\ufaff])[^\W_])+"
)

NO_THINKING = "root ::= [^<\\[] [^<]*"
"""The grammar of a reply that cannot open a mark of thinking, for a second try; "[Page 3]" may come later in it."""


def clean(text: str) -> str:
    """The reply without thinking, control words, fences and announcements; may be empty."""
    shorter = _cleaner(text)
    while shorter != text:
        text, shorter = shorter, _cleaner(shorter)
    return text


def _cleaner(text: str) -> str:
    """One layer less of what is around the text."""
    text = without_thinking(text).strip()
    if fenced := _FENCE.match(text):
        text = fenced.group(1).strip()
    text = _PREAMBLE.sub("", text, count=1).strip() or text
    if len(text) > 2 and text[0] == text[-1] == '"' and text.count('"') == 2:
        text = text[1:-1].strip()
    return text


def is_refusal(text: str) -> bool:
    """Whether the model declined instead of doing the work."""
    return bool(_REFUSAL.match(text))


def loops(text: str) -> bool:
    """Whether the reply goes round in circles: words that come again and again at once, or half the sentences twice."""
    return _loop(text) is not None or _repeats_sentences(text)


def before_loop(text: str) -> str:
    """A reply up to where it begins to say again what it has just said; all of it where it does not."""
    found = _loop(text)
    return text if found is None else _with_its_end(text, found)


def _loop(text: str) -> int | None:
    """How many words are said before the first of them come again and again; None where none do."""
    words = _words(text)
    for length in range(1, len(words) // 3 + 1):
        # A phrase said three times (a short one six times): so many words in a row equal those one phrase before.
        wanted = length * (2 if length > 3 else 5)
        run = 0
        for place in range(length, len(words)):
            run = run + 1 if words[place] == words[place - length] else 0
            if run == wanted:
                return place - wanted + 1
    return None


def _with_its_end(text: str, words: int) -> str:
    """The first so many words of a text, with the marks that stand right behind the last one."""
    places = [match.span() for match in _WORD.finditer(text)]
    end = places[words - 1][1]
    after = re.match(r"[^\w\s]*", text[end:])
    return text[: end + (after.end() if after else 0)]


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _repeats_sentences(text: str) -> bool:
    sentences = [tuple(_words(part)) for part in _SENTENCE_END.split(text)]
    long_ones = [sentence for sentence in sentences if len(sentence) > 4]
    return len(long_ones) >= 4 and len(set(long_ones)) <= len(long_ones) / 2


def whole_sentences(text: str) -> str:
    """The text up to its last finished sentence; empty when none is finished."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    return text[: ends[-1]].strip() if ends else ""
