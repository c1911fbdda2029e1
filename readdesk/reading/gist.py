"""Gisting: pages become short texts that keep their flow (ReadAgent, section 3.1).

Several pages are shortened together. A reply is used only when it holds up: not empty, not cut off, not longer than its
page, no refusal, no loop, no copying. Those that do not are asked for once more, together again, with other sampling,
and bound not to think where the first ones were nothing else; then the page's first sentences stand in, flagged, so
that a job never stops at a page and a reader always sees which gists are no gists.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from readdesk.cancel import CancelToken
from readdesk.documents.normal import count_words, normal, one_line
from readdesk.llm.base import Engine
from readdesk.llm.model import Limits, Message, Reply, Request
from readdesk.llm.replies import NO_THINKING, clean, is_refusal, loops, whole_sentences
from readdesk.reading.model import Cost, Gist, GistFlag
from readdesk.reading.prompts import PROMPT_VERSION, gist_words, without_labels

VERBATIM_WORDS = 60
"""A page of so few words is its own gist: a title page, an epigraph."""

_TOKENS_PER_WORD = 1.7
_TOKENS_SPARE = 40
_OPENING_WORDS = 60
_COPIED_CHARACTERS = 160
"""A run of this length that stands in the page word for word is copied: some 28 words of English."""
_LONGEST_COPY = 8
"""Tokens in a row that a gist may take from its page: names and sayings, not sentences. Without it a small model copies
on to its limit (*starter*: 7 of 16 pages of a story; with it none of them)."""

_SHORTEST = 0.25
"""A gist under this share of the length asked for has left the page out rather than shortened it."""


def gist_limits(page_words: int, *, again: bool = False, grammar: str | None = None) -> Limits:
    """The likeliest words at first; freer ones when the first try went wrong."""
    tokens = round(gist_words(page_words) * _TOKENS_PER_WORD) + _TOKENS_SPARE
    first = Limits(tokens, repeat_penalty=1.05, longest_copy=_LONGEST_COPY)
    if again:
        return replace(first, temperature=0.7, top_p=0.9, top_k=40, repeat_penalty=1.1, seed=2, grammar=grammar)
    return first


@dataclass(frozen=True)
class ToShorten:
    """One page to shorten: its number, its text, and the prompt that asks for its gist."""

    page: int
    text: str
    messages: tuple[Message, ...]

    @property
    def is_short(self) -> bool:
        """Whether it is its own gist."""
        return count_words(self.text) <= VERBATIM_WORDS


def write_gists(
    engine: Engine, model: str, pages: Sequence[ToShorten], cancel: CancelToken
) -> Iterator[tuple[int, Gist, Cost]]:
    """The gists of pages that are shortened together, with what each cost, in order and as early as that allows.

    Yields the index of each page; raises what the engine raises, and what has come until then stands.
    """
    done = {
        index: _gist(page, one_line(page.text), model, "verbatim") for index, page in enumerate(pages) if page.is_short
    }
    costs = [Cost() for _ in pages]
    thoughts: set[int] = set()
    told = next((index for index in range(len(pages)) if index not in done), len(pages))
    for index in range(told):  # They need not wait for a reply.
        yield index, done[index], costs[index]
    for index, reply, again in _replies(engine, pages, done, thoughts, cancel):
        costs[index] += Cost(reply.tokens_read, reply.tokens_reused, reply.tokens_written)
        page = pages[index]
        if not clean(reply.text):
            thoughts.add(index)
        short, flag = _check(reply, page.text, again=again)
        if short and (again or not flag):
            done[index] = _gist(page, short, model, flag, retried=again)
        elif again:
            done[index] = _gist(page, opening(page.text), model, "opening", retried=True)
        while told in done:
            yield told, done[told], costs[told]
            told += 1
    for index in range(told, len(pages)):
        yield index, done[index], costs[index]


def _replies(
    engine: Engine, pages: Sequence[ToShorten], done: dict[int, Gist], thoughts: set[int], cancel: CancelToken
) -> Iterator[tuple[int, Reply, bool]]:
    """The replies for pages that are not done, then once more for those that are still not.

    Whoever takes them adds to `done`, and to `thoughts` what came to nothing but thinking.
    """
    for again in (False, True):
        wanted = [index for index in range(len(pages)) if index not in done]
        requests = []
        for index in wanted:
            # It costs time for every word, so only where it is needed.
            grammar = NO_THINKING if index in thoughts else None
            limits = gist_limits(count_words(pages[index].text), again=again, grammar=grammar)
            requests.append(Request(pages[index].messages, limits))
        if requests:
            for at, reply in engine.reply_all(requests, cancel):
                yield wanted[at], reply, again


def crashed_gist(page: int, text: str, model: str) -> Gist:
    """What stands for the gist of a page on which the model crashes: its opening."""
    return _gist(ToShorten(page, text, ()), opening(text), model, "crashed")


def _check(reply: Reply, page: str, *, again: bool) -> tuple[str, GistFlag]:
    """What of a reply can be kept; empty for nothing. What is copied is better than nothing, the second time."""
    text = one_line(without_labels(clean(reply.text)))
    flag: GistFlag = ""
    if reply.finish == "length":
        text, flag = whole_sentences(text), "cut"
    words, page_words = count_words(text), count_words(page)
    bad = words >= page_words or words < gist_words(page_words) * _SHORTEST or is_refusal(text) or loops(text)
    return ("", "") if bad or (not again and copies(text, page)) else (text, flag)


def copies(text: str, page: str) -> bool:
    """Whether a long run of the text stands in the page word for word."""
    text, page = normal(text), normal(page)
    last = len(text) - _COPIED_CHARACTERS
    return any(text[start : start + _COPIED_CHARACTERS] in page for start in range(last + 1))


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


def _gist(page: ToShorten, short: str, model: str, flag: GistFlag, *, retried: bool = False) -> Gist:
    return Gist(page.page, short, model, PROMPT_VERSION, text_hash(page.text), flag, retried)
