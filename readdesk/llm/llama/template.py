"""Chat templates: messages become the tokens the model was trained on.

The template comes from the model's file and is rendered in Jinja's sandbox by llama-cpp-python's own formatter, with
three things of ours: a fixed date (a real one changes the first tokens every day and voids all computed memory),
thinking always switched off, and marks in place of the contents. The contents are tokenised apart from the template, so
that "<|im_end|>" in a book stays text and cannot end a turn.

A template without a system turn gets the instruction at the head of the first user turn; a model without a template
that works gets plain text with headings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import jinja2
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from readdesk.llm.model import Message

_DATE = datetime(2026, 1, 1)
_MARK = re.compile("\ue000(\\d+)\ue001")
# What running a stranger's template can come to: its own refusals are a ValueError, its bugs are any of these.
_FAULTS = (jinja2.TemplateError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
_TRIAL = (Message("system", "Read."), Message("user", "A text."))


class _Formatter(Jinja2ChatFormatter):
    @staticmethod
    def strftime_now(f: str) -> str:
        return _DATE.strftime(f)


class ChatTemplate:
    """The template of one model."""

    def __init__(self, source: str | None, bos: str, eos: str) -> None:
        self._formatter: _Formatter | None = None
        if source is not None:
            try:
                self._formatter = _Formatter(source, eos, bos)
                self._fit(_TRIAL)
            except _FAULTS:
                self._formatter = None
        self.usable = self._formatter is not None
        self.stops: tuple[str, ...] = () if self.usable else ("\n### ",)

    def render(self, messages: Sequence[Message]) -> list[tuple[str, bool]]:
        """The prompt as pieces in order, each with whether it is the template's own text (and not a content)."""
        if self._formatter is None:
            return _plain(messages)
        prompt, contents = self._fit(messages)
        pieces: list[tuple[str, bool]] = []
        # re.split with one group alternates between text and the number of a content.
        for index, part in enumerate(_MARK.split(prompt)):
            pieces.append((contents[int(part)], False) if index % 2 else (part, True))
        return [piece for piece in pieces if piece[0]]

    def _fit(self, messages: Sequence[Message]) -> tuple[str, list[str]]:
        """The prompt with marks and the contents for them, with a system turn where the template takes one."""
        try:
            return self._format(messages)
        except _FAULTS:
            return self._format(_without_system(messages))

    def _format(self, messages: Sequence[Message]) -> tuple[str, list[str]]:
        assert self._formatter is not None
        marked: Any = [{"role": item.role, "content": f"\ue000{number}\ue001"} for number, item in enumerate(messages)]
        rendered = self._formatter(messages=marked, enable_thinking=False, date_string="1 January 2026")
        prompt: str = rendered.prompt
        if len(_MARK.findall(prompt)) < len(messages):
            raise ValueError("the template leaves a message out")
        return prompt, [item.content.strip() for item in messages]


def _without_system(messages: Sequence[Message]) -> list[Message]:
    """The same conversation with the system turn folded into the first user turn."""
    if len(messages) < 2 or messages[0].role != "system":
        return list(messages)
    first = Message("user", f"{messages[0].content.strip()}\n\n{messages[1].content.strip()}")
    return [first, *messages[2:]]


def _plain(messages: Sequence[Message]) -> list[tuple[str, bool]]:
    names = {"system": "Instruction", "user": "Text", "assistant": "Reply"}
    pieces: list[tuple[str, bool]] = []
    for message in messages:
        pieces += [(f"### {names[message.role]}\n", True), (message.content.strip(), False), ("\n\n", True)]
    return [*pieces, ("### Reply\n", True)]
