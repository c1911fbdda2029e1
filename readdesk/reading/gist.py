"""Gisting: one page becomes a short text that keeps its flow (ReadAgent, section 3.1).

A reply is used only when it holds up: not empty, not cut off, not longer than its page, no refusal, no loop, no
copying (a small model that begins to copy goes on to the limit, so it is stopped there and then). One that does not is
asked for once more with other sampling; then the page's first sentences stand in, flagged, so that a job
never stops at a page and a reader always sees which gists are no gists.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from readdesk.cancel import CancelToken
from readdesk.documents.normal import count_words, normal, one_line
from readdesk.llm.base import Engine
from readdesk.llm.model import Limits, Message, Reply
from readdesk.llm.replies import clean, is_refusal, loops, whole_sentences
from readdesk.reading.model import Cost, Gist, GistFlag
from readdesk.reading.prompts import PROMPT_VERSION, gist_words, without_labels

VERBATIM_WORDS = 60
"""A page of so few words is its own gist: a title page, an epigraph."""

_TOKENS_PER_WORD = 1.7
_TOKENS_SPARE = 40
_OPENING_WORDS = 60
_COPIED_CHARACTERS = 160
"""A run of this length that stands in the page word for word is copied: some 28 words of English."""
_SHORTEST = 0.25
"""A gist under this share of the length asked for has left the page out rather than shortened it."""


def gist_limits(page_words: int, *, again: bool = False) -> Limits:
    """The likeliest words at first; freer ones when the first try went wrong."""
    tokens = round(gist_words(page_words) * _TOKENS_PER_WORD) + _TOKENS_SPARE
    if again:
        return Limits(tokens, temperature=0.7, top_p=0.9, top_k=40, repeat_penalty=1.1, seed=2)
    return Limits(tokens, repeat_penalty=1.05)


def write_gist(
    engine: Engine,
    model: str,
    page: int,
    text: str,
    messages: Callable[[int], Sequence[Message]],
    cancel: CancelToken,
) -> tuple[Gist, Cost]:
    """The gist of a page's text and what it cost; `messages` makes the prompt for a wanted length in words."""
    words = count_words(text)
    cost = Cost()
    if words <= VERBATIM_WORDS:
        return _gist(page, text, one_line(text), model, "verbatim"), cost
    for again in (False, True):
        limits = gist_limits(words, again=again)
        short, flag, spent = _try(engine, messages(gist_words(words)), limits, text, cancel, stop_copying=not again)
        cost += spent
        if short and (again or not flag):
            return _gist(page, text, short, model, flag, retried=again), cost
    return _gist(page, text, opening(text), model, "opening", retried=True), cost


def _try(
    engine: Engine, messages: Sequence[Message], limits: Limits, page: str, cancel: CancelToken, *, stop_copying: bool
) -> tuple[str, GistFlag, Cost]:
    """One reply: what of it can be kept (empty for nothing), its flag, and its cost."""
    source = normal(page) if stop_copying else ""
    text, checked = "", 0
    for item in engine.stream(messages, limits, cancel):
        if isinstance(item, Reply):
            return *_check(item, count_words(page)), Cost(item.tokens_read, item.tokens_reused, item.tokens_written)
        text += item
        if source and len(text) > checked + _COPIED_CHARACTERS:
            checked = len(text)
            if normal(text[-_COPIED_CHARACTERS - 1 : -1]) in source:
                break
    return "", "", Cost(written=engine.count([text], cancel)[0])


def _check(reply: Reply, page_words: int) -> tuple[str, GistFlag]:
    """What of a reply can be kept; empty for nothing."""
    text = one_line(without_labels(clean(reply.text)))
    flag: GistFlag = ""
    if reply.finish == "length":
        text, flag = whole_sentences(text), "cut"
    words = count_words(text)
    bad = words >= page_words or words < gist_words(page_words) * _SHORTEST or is_refusal(text) or loops(text)
    return ("", "") if bad else (text, flag)


def opening(text: str) -> str:
    """The first sentences of a page, about sixty words."""
    line = one_line(text)
    words = line.split(" ")
    # A script without spaces is one "word" a line: take a number of characters that says about as much.
    start = " ".join(words[:_OPENING_WORDS]) if len(words) > _OPENING_WORDS else line[: _OPENING_WORDS * 6]
    return whole_sentences(start) or start + " …"


def text_hash(text: str) -> str:
    """A page's text as 16 hexadecimal digits, the same for every way of writing its spaces and accents."""
    return hashlib.sha256(normal(text).encode()).hexdigest()[:16]


def _gist(page: int, text: str, short: str, model: str, flag: GistFlag, *, retried: bool = False) -> Gist:
    return Gist(page, short, model, PROMPT_VERSION, text_hash(text), flag, retried)
