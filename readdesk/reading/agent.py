"""The reading agent: reads a document page by page, and answers questions from what it keeps of them.

It is given an engine and values, and returns values: what it has read is kept by others. Reading has two verbs, because
the ends of several pages are found one after the other, but their gists are written together. The text of an opened
page is asked for through a function, so that a question over a thousand pages holds only the few that are opened.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace

from readdesk.cancel import CancelToken
from readdesk.documents.model import Document
from readdesk.documents.normal import count_words, one_line
from readdesk.errors import LabelError, ReadDeskError
from readdesk.llm.base import Engine
from readdesk.llm.model import Limits, Message, Prefix, Reply
from readdesk.llm.replies import NO_THINKING, HiddenThinking, before_loop, clean
from readdesk.reading.budget import OVERHEAD_TOKENS, FittedMemory, FittedPage, fit_memory, fit_pages
from readdesk.reading.gist import ToShorten, gist_limits, write_gists
from readdesk.reading.lookup import look_up
from readdesk.reading.model import Answer, BreakBy, Cost, Gist, LookUp, Memory, Page, Passage, PausesBy
from readdesk.reading.paginate import (
    PageSize,
    Unit,
    candidates,
    fallback_break,
    page_of,
    pause_by_words,
    places,
    section_end,
    texts_between,
    window,
)
from readdesk.reading.prompts import (
    answer_messages,
    break_messages,
    gist_messages,
    gist_words,
    look_up_messages,
    page_tags,
)
from readdesk.retrieval.keyword import KeywordIndex

ANSWER_TOKENS = 400
_TOKENS_A_LABEL = 5
_PREVIOUS_CHARACTERS = 600
_SMALLEST_ROOM = 400
_LOOK_EVERY = 60
"""Characters of an answer between two looks whether it goes round in circles."""

_QUESTION_TOKENS = 60
"""Room for a question that is set aside before its length is known."""


def passage_of(document: Document, page: Page) -> Passage:
    """A page whose bounds stand already, as a model is shown it."""
    return Passage(page, tuple(texts_between(document, page.start, page.end)))


class ReadingAgent:
    """Reads and answers with one engine, under the model's name that its gists will carry.

    `pauses` says who looks for the pauses between pages.
    """

    def __init__(self, engine: Engine, model: str, pauses: PausesBy = "model") -> None:
        self._engine = engine
        self._model = model
        self._pauses = pauses

    # -- reading -------------------------------------------------------------------------------------------------

    def together(self, cancel: CancelToken) -> int:
        """How many pages are worth shortening together."""
        return max(1, self._engine.info(cancel).together)

    def tokens_together(self, cancel: CancelToken) -> int:
        """How many tokens such pages, with their requests and gists, should take in all; 0 where it is not known."""
        return self._engine.info(cancel).tokens_together

    def wake(self, cancel: CancelToken) -> None:
        """Load the model again where it has crashed; raises ModelCrashed when it cannot live at all."""
        self._engine.count([""], cancel)

    def paginate(
        self,
        document: Document,
        number: int,
        start: int,
        size: PageSize,
        cancel: CancelToken,
        until: int | None = None,
    ) -> Passage:
        """Read from a position to the next natural pause: the page that ends there.

        The page does not go beyond `until`: there begins what is left out, or another page.
        """
        limit = section_end(document, start, until)
        units = self._fitting(document, window(document, start, size, limit), size, cancel)
        texts = tuple(one_line(document.text(unit.start, unit.end)) for unit in units)
        if units[-1].end >= limit:
            return Passage(page_of(document, number, units, "end"), texts)
        if self._pauses == "words" and (found := places(units, size)):
            last = pause_by_words(document, units, found, limit)
            return Passage(page_of(document, number, units[: last + 1], "words"), texts[: last + 1])
        before = one_line(document.text(max(0, start - _PREVIOUS_CHARACTERS), start)) if size.with_previous else ""
        labels = candidates(units, size)
        last, broken_by, cost = self._choose_end(document.title, units, texts, labels, before, cancel)
        page = page_of(document, number, units[: last + 1], broken_by)
        return Passage(page, texts[: last + 1], labels if broken_by == "model" else {}, cost)

    def _choose_end(
        self,
        title: str,
        units: Sequence[Unit],
        texts: Sequence[str],
        labels: dict[int, str],
        before: str,
        cancel: CancelToken,
    ) -> tuple[int, BreakBy, Cost]:
        """The last unit of the page, who chose it, and what that cost."""
        if not labels:
            return fallback_break(units, labels), "fallback", Cost()
        try:
            choice = self._engine.choose(break_messages(title, texts, labels, before), tuple(labels.values()), cancel)
        except LabelError:
            return fallback_break(units, labels), "fallback", Cost()
        return list(labels)[choice.best], "model", Cost(choice.tokens_read, choice.tokens_reused)

    def shorten_pages(
        self, document: Document, passages: Sequence[Passage], cancel: CancelToken
    ) -> Generator[tuple[Page, Gist, Cost], None, None]:
        """The gists of pages whose bounds stand, shortened together; yields in their order, with what each cost."""
        wanted = [self._to_shorten(document, passage, cancel) for passage in passages]
        for index, gist, cost in write_gists(self._engine, self._model, wanted, cancel):
            yield passages[index].page, gist, passages[index].cost + cost

    def _to_shorten(self, document: Document, passage: Passage, cancel: CancelToken) -> ToShorten:
        text = document.text(passage.page.start, passage.page.end)
        words = count_words(text)
        texts = self._within_context(passage.texts, words, cancel)
        messages = gist_messages(document.title, texts, passage.labels, gist_words(words))
        return ToShorten(passage.page.number, text, tuple(messages))

    def _within_context(self, texts: Sequence[str], words: int, cancel: CancelToken) -> Sequence[str]:
        """The beginning of a page that fits this engine's context: pages may have been made with a larger one."""
        room = self._engine.info(cancel).context - OVERHEAD_TOKENS - gist_limits(words).max_tokens
        kept: list[str] = []
        for text, tokens in zip(texts, self._engine.count(texts, cancel), strict=True):
            if tokens + _TOKENS_A_LABEL > room:
                return [*kept, text[: max(0, room) * len(text) // (tokens + _TOKENS_A_LABEL)]]
            kept.append(text)
            room -= tokens + _TOKENS_A_LABEL
        return kept

    def _fitting(
        self, document: Document, units: tuple[Unit, ...], size: PageSize, cancel: CancelToken
    ) -> tuple[Unit, ...]:
        """As many of the units as the context holds beside the instructions and the gist; at least one."""
        room = self._engine.info(cancel).context - OVERHEAD_TOKENS - gist_limits(size.longest).max_tokens
        counts = self._engine.count([document.text(unit.start, unit.end) for unit in units], cancel)
        held, taken = 0, 0
        for tokens in counts:
            held += tokens + _TOKENS_A_LABEL
            if held > room:
                break
            taken += 1
        return units[: max(1, taken)]

    # -- asking --------------------------------------------------------------------------------------------------

    def ask(
        self,
        memory: Memory,
        text_of: Callable[[int], str],
        question: str,
        at_most: int,
        cancel: CancelToken,
        owner: str = "",
    ) -> Iterator[tuple[LookUp, ...] | str | Answer]:
        """Yield the look-ups, then the answer's pieces as they are written, then the whole Answer.

        What is computed of the gists is kept for the `owner`, where one is named: the next question begins with it.
        """
        asked = self._engine.count([question], cancel)[0]
        room = self._room(asked, cancel)
        if room < _SMALLEST_ROOM:
            raise ReadDeskError("The question is too long for the model's context.", "Ask it in fewer words.")
        notes = self._notes(memory, asked, cancel)
        prefix = Prefix(owner, len(notes.text)) if owner else None
        hits = KeywordIndex([text_of(entry.page.number) for entry in memory.entries]).best(question, at_most)
        found = look_up(self._engine, memory, notes.text, question, hits, at_most, cancel, prefix)
        chosen = [item.page for item in found.look_ups]
        fitted, left_out = fit_pages(self._engine, chosen, text_of, room - notes.tokens, cancel)
        look_ups = _opened(found.look_ups, fitted)
        yield look_ups
        # Pages stand in the document's order, whatever their importance: a story read backwards is no story.
        opened = sorted((page.number, page.text) for page in fitted)
        reply, cost = yield from self._write_answer(answer_messages(notes.text, opened, question), prefix, cancel)
        text = clean(reply.text)
        read = {number for number, _ in opened}
        yield Answer(
            text=text,
            look_ups=look_ups,
            gists=notes.gists,
            pages=len(memory.entries),
            complete=memory.complete,
            left_out=left_out,
            unread_tags=tuple(number for number in page_tags(text) if number not in read),
            shortened_gists=notes.shortened,
            choice_readable=found.readable,
            cut=reply.finish == "length",
            cost=found.cost + cost,
        )

    def prepare(self, memory: Memory, owner: str, cancel: CancelToken) -> int:
        """Compute what every question about a memory begins with, and keep it; how many tokens were read."""
        notes = self._notes(memory, 0, cancel)
        messages = look_up_messages(notes.text, "", 1)
        return self._engine.prepare(messages, Prefix(owner, len(notes.text)), cancel)

    def _room(self, question: int, cancel: CancelToken) -> int:
        """Tokens for gists and pages beside a question of so many."""
        return self._engine.info(cancel).context - ANSWER_TOKENS - OVERHEAD_TOKENS - question

    def _notes(self, memory: Memory, question: int, cancel: CancelToken) -> FittedMemory:
        """The memory as it goes before a question, the same for all of ordinary length: it is computed once."""
        return fit_memory(self._engine, memory, self._room(max(question, _QUESTION_TOKENS), cancel), cancel)

    def _write_answer(
        self, messages: Sequence[Message], prefix: Prefix | None, cancel: CancelToken
    ) -> Generator[str, None, tuple[Reply, Cost]]:
        """Yield what may be shown of the answer; one that is nothing but thinking is asked for again without it.

        One that goes round in circles is stopped there, and comes without what it said again.
        """
        cost = Cost()
        for limits in (Limits(ANSWER_TOKENS), Limits(ANSWER_TOKENS, grammar=NO_THINKING)):
            hidden = HiddenThinking()
            for item in self._until_loop(messages, limits, cancel, prefix):
                if isinstance(item, Reply):
                    reply = item
                elif shown := hidden.feed(item):
                    yield shown
            if rest := hidden.end():
                yield rest
            cost += Cost(reply.tokens_read, reply.tokens_reused, reply.tokens_written)
            if clean(reply.text):
                break
        return reply, cost

    def _until_loop(
        self, messages: Sequence[Message], limits: Limits, cancel: CancelToken, prefix: Prefix | None
    ) -> Iterator[str | Reply]:
        """A reply as it is written, ended when it goes round in circles."""
        text, short, checked = "", "", 0
        pieces = self._engine.stream(messages, limits, cancel, prefix)
        for item in pieces:
            if isinstance(item, Reply):
                yield replace(item, text=before_loop(item.text))
                return
            text += item
            yield item
            if len(text) >= checked + _LOOK_EVERY:
                checked = len(text)
                if (short := before_loop(text)) != text:
                    break
        if isinstance(pieces, Generator):
            pieces.close()  # The model must not write on, and answers nothing else meanwhile.
        yield Reply(short, "stop", tokens_written=self._engine.count([text], cancel)[0])


def _opened(chosen: Sequence[LookUp], fitted: Sequence[FittedPage]) -> tuple[LookUp, ...]:
    """The look-ups whose pages found room, marked where a page was cut."""
    cut = {page.number: page.shortened for page in fitted}
    return tuple(replace(item, shortened=cut[item.page]) for item in chosen if item.page in cut)
