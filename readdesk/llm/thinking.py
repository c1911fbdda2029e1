"""What a model says to itself before and beside its reply, and the words that steer it: how both are told from text.

Every family has its own marks: tags, channels, control words of the vocabulary. They stand here once, as two lists, for
a reply that has ended (`without_thinking`) and for one that is still being written (`HiddenThinking`). What must stay
true: both never raise, leave alone what only looks like a mark, and agree with one another on well-formed replies.
"""

from __future__ import annotations

import re

_NAMES = ("think", "thinking", "thought", "reasoning", "reflection", "seed:think")
_BEGINNINGS = (
    *(f"<{name}>" for name in _NAMES),
    "[THINK]",  # Mistral
    "◁think▷",  # Kimi
    "<|START_THINKING|>",  # Command
    "<|begin_of_thought|>",
    "<|channel>thought",  # Gemma 4
    "<|channel|>analysis",  # gpt-oss
    "<|channel|>commentary",
    "<unused94>",  # MedGemma
)
_ENDS = (
    *(f"</{name}>" for name in _NAMES),
    "[/THINK]",
    "◁/think▷",
    "<|END_THINKING|>",
    "<|end_of_thought|>",
    "<channel|>",
    "<|channel|>final<|message|>",
    "<unused95>",
)
_CONTROL = (
    r"<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\s]{1,40}｜>|<\|[a-z_]{1,20}>|<[a-z_]{1,20}\|>|<unused\d{1,4}>|"
    r"</?s>|<(?:start|end)_of_turn>|<(?:pad|eos|bos|unk)>|\[/?INST\]"
)


def _one_of(marks: tuple[str, ...]) -> str:
    return "|".join(re.escape(mark) for mark in sorted(marks, key=len, reverse=True))


_THOUGHT = re.compile(rf"(?:{_one_of(_BEGINNINGS)}).*?(?:{_one_of(_ENDS)})", re.DOTALL | re.IGNORECASE)
_UP_TO_END = re.compile(rf"^.*?(?:{_one_of(_ENDS)})", re.DOTALL | re.IGNORECASE)
_UNCLOSED = re.compile(rf"(?:{_one_of(_BEGINNINGS)}).*$", re.DOTALL | re.IGNORECASE)
# The channels of gpt-oss where a program has dropped the control words around their names.
_SPOKEN_CHANNELS = re.compile(r"^\s*analysis(?=\S).*?assistant\s?final", re.DOTALL)
_CONTROL_WORD = re.compile(_CONTROL)
_MARK = re.compile(rf"(?P<begins>{_one_of(_BEGINNINGS)})|(?P<ends>{_one_of(_ENDS)})|(?-i:{_CONTROL})", re.IGNORECASE)
_UNFINISHED = re.compile(r"<[|｜/]?[^\s<>|｜]{0,40}[|｜]?$|\[/?(?:I(?:N(?:ST?)?)?)?$")
_MARKS = tuple(mark.casefold() for mark in (*_BEGINNINGS, *_ENDS))
_LONGEST = max(map(len, _MARKS))


def without_thinking(text: str) -> str:
    """A whole reply without what stands between marks of thinking, and without control words."""
    text = _SPOKEN_CHANNELS.sub("", _THOUGHT.sub("", text))
    text = _UNCLOSED.sub("", _UP_TO_END.sub("", text))
    return _CONTROL_WORD.sub("", text)


class HiddenThinking:
    """Passes a reply on as it is written, without what stands between marks of thinking."""

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._begun = False

    def feed(self, piece: str) -> str:
        """What may be shown once this piece has come; what may be the beginning of a mark waits for the next one."""
        rest = self._held + piece
        known = _held_from(rest)
        self._held = rest[known:]
        return self._without_lead(self._said(rest[:known]))

    def end(self) -> str:
        """What was still waiting when the reply ended."""
        held, self._held = self._held, ""
        return self._without_lead(self._said(held))

    def _said(self, text: str) -> str:
        """What of a text with whole marks is said aloud."""
        said, place = "", 0
        for mark in _MARK.finditer(text):
            said += "" if self._thinking else text[place : mark.start()]
            place = mark.end()
            if mark["begins"]:
                self._thinking = True
            elif mark["ends"]:
                self._thinking = False
        return said if self._thinking else said + text[place:]

    def _without_lead(self, text: str) -> str:
        """The text without the white space before the first word."""
        text = text if self._begun else text.lstrip()
        self._begun = self._begun or bool(text)
        return text


def _held_from(text: str) -> int:
    """From where on a text may be the beginning of a mark that has not come whole; its length where nothing is."""
    folded = text[-_LONGEST:].casefold()
    if len(folded) == len(text[-_LONGEST:]):  # Else places would differ; no mark holds such a letter.
        for place in range(len(folded)):
            if any(len(mark) > len(folded) - place and mark.startswith(folded[place:]) for mark in _MARKS):
                return len(text) - len(folded) + place
    unfinished = _UNFINISHED.search(text)
    return unfinished.start() if unfinished else len(text)
