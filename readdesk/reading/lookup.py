"""Look-up: which pages to read again in full for a question (ReadAgent, section 3.2, parallel).

The model sees every gist under its page tag and names pages at once. The reply is bound by a grammar to the pages that
exist; what is named twice or beyond the number allowed is dropped in code. Small models choose badly from gists alone
(measured with *starter*: the right page in 4 of 11 questions, where the words of the pages themselves put it first in
9 of 11), so the model's choice is fused with a keyword ranking of the pages' full text; the trail says who chose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from readdesk.cancel import CancelToken
from readdesk.llm.base import Engine, complete
from readdesk.llm.model import Limits, Prefix
from readdesk.reading.model import Cost, LookUp, LookUpBy, Memory
from readdesk.reading.prompts import look_up_grammar, look_up_messages, parse_look_up
from readdesk.retrieval.fuse import fuse
from readdesk.retrieval.keyword import Hit

_TOKENS_A_PAGE = 8
_WORDS_SHOWN = 4


@dataclass(frozen=True)
class Chosen:
    """What a look-up came to: the pages, most important first, whether the model's reply could be read, the cost."""

    look_ups: tuple[LookUp, ...]
    readable: bool
    cost: Cost


def look_up(
    engine: Engine,
    memory: Memory,
    memory_text: str,
    question: str,
    hits: Sequence[Hit],
    at_most: int,
    cancel: CancelToken,
    prefix: Prefix | None = None,
) -> Chosen:
    """The pages to open, each with who chose it and why; none is a legal answer. `hits` index the memory's entries."""
    pages = [entry.page.number for entry in memory.entries]
    if not pages or at_most < 1:
        return Chosen((), True, Cost())
    limits = Limits(at_most * _TOKENS_A_PAGE + 8, grammar=look_up_grammar(pages, at_most))
    reply = complete(engine, look_up_messages(memory_text, question, at_most), limits, cancel, prefix)
    named = parse_look_up(reply.text, pages, at_most)
    by_words = {pages[hit.index]: hit for hit in hits}
    order = fuse([named or (), tuple(by_words)])[:at_most]
    look_ups = tuple(_explained(page, named or (), by_words) for page in order)
    cost = Cost(reply.tokens_read, reply.tokens_reused, reply.tokens_written)
    return Chosen(look_ups, named is not None, cost)


def _explained(page: int, named: Sequence[int], by_words: dict[int, Hit]) -> LookUp:
    reasons = []
    by: LookUpBy = "retrieval"
    if page in named:
        by = "model"
        reasons.append("the model named it from its gist")
    if page in by_words:
        shown = [f"\u201c{word}\u201d" for word in by_words[page].words[:_WORDS_SHOWN]]
        reasons.append(f"its text has {', '.join(shown)}")
    return LookUp(page, by, "; ".join(reasons))
