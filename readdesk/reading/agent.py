"""The reading agent: reads a document page by page, and answers questions from what it keeps of them.

It is given an engine and values, and returns values: what it has read is kept by others. The text of an opened page is
asked for through a function, so that a question over a thousand pages holds only the few that are opened.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace

from readdesk.cancel import CancelToken
from readdesk.documents.model import Document
from readdesk.documents.normal import one_line
from readdesk.errors import LabelError, ReadDeskError
from readdesk.llm.base import Engine
from readdesk.llm.model import Limits, Message, Reply
from readdesk.llm.replies import NO_THINKING, HiddenThinking, clean
from readdesk.reading.budget import OVERHEAD_TOKENS, FittedPage, fit_memory, fit_pages
from readdesk.reading.gist import gist_limits, write_gist
from readdesk.reading.lookup import look_up
from readdesk.reading.model import Answer, BreakBy, Cost, Gist, LookUp, Memory, Page, ReadPage
from readdesk.reading.paginate import PageSize, Unit, candidates, fallback_break, section_end, window
from readdesk.reading.prompts import answer_messages, break_messages, gist_messages, page_tags
from readdesk.retrieval.keyword import KeywordIndex

ANSWER_TOKENS = 400
_TOKENS_A_LABEL = 5
_PREVIOUS_CHARACTERS = 600
_SMALLEST_ROOM = 400


class ReadingAgent:
    """Reads and answers with one engine, under the model's name that its gists will carry."""

    def __init__(self, engine: Engine, model: str) -> None:
        self._engine = engine
        self._model = model

    # -- reading -------------------------------------------------------------------------------------------------

    def read_page(
        self,
        document: Document,
        number: int,
        start: int,
        size: PageSize,
        cancel: CancelToken,
        until: int | None = None,
    ) -> ReadPage:
        """Read from a position to the next natural pause, and shorten what was read: one reading serves both.

        The page does not go beyond `until`: there begins what is left out, or another page.
        """
        limit = section_end(document, start, until)
        units = self._fitting(document, window(document, start, size, limit), size, cancel)
        texts = [one_line(document.text(unit.start, unit.end)) for unit in units]
        labels = {} if units[-1].end >= limit else candidates(units, size)
        if units[-1].end >= limit:
            choice: tuple[int, BreakBy, Cost] = len(units) - 1, "end", Cost()
        else:
            choice = self._choose_end(document, start, units, texts, labels, size, cancel)
        last, broken_by, cost = choice
        page = Page(
            number,
            start,
            units[last].end,
            document.section_at(start),
            sum(unit.words for unit in units[: last + 1]),
            broken_by,
        )
        gist, gist_cost = self._shorten(document, page, texts[: last + 1], labels, cancel)
        return ReadPage(page, gist, cost + gist_cost)

    def _choose_end(
        self,
        document: Document,
        start: int,
        units: Sequence[Unit],
        texts: Sequence[str],
        labels: dict[int, str],
        size: PageSize,
        cancel: CancelToken,
    ) -> tuple[int, BreakBy, Cost]:
        """The last unit of the page, who chose it, and what that cost."""
        if not labels:
            return fallback_break(units, labels), "fallback", Cost()
        before = one_line(document.text(max(0, start - _PREVIOUS_CHARACTERS), start)) if size.with_previous else ""
        try:
            choice = self._engine.choose(
                break_messages(document.title, texts, labels, before), tuple(labels.values()), cancel
            )
        except LabelError:
            return fallback_break(units, labels), "fallback", Cost()
        return list(labels)[choice.best], "model", Cost(choice.tokens_read, choice.tokens_reused)

    def shorten_page(self, document: Document, page: Page, cancel: CancelToken) -> tuple[Gist, Cost]:
        """The gist of a page whose bounds stand already."""
        paragraphs = document.between(page.start, page.end)
        texts = [one_line(paragraph.as_read(first, last)) for paragraph, first, last in paragraphs]
        return self._shorten(document, page, texts, {}, cancel)

    def _shorten(
        self, document: Document, page: Page, texts: Sequence[str], labels: dict[int, str], cancel: CancelToken
    ) -> tuple[Gist, Cost]:
        texts = self._within_context(texts, page.words, cancel)
        return write_gist(
            self._engine,
            self._model,
            page.number,
            document.text(page.start, page.end),
            lambda words: gist_messages(document.title, texts, labels, words),
            cancel,
        )

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
        self, memory: Memory, text_of: Callable[[int], str], question: str, at_most: int, cancel: CancelToken
    ) -> Iterator[tuple[LookUp, ...] | str | Answer]:
        """Yield the look-ups, then the answer's pieces as they are written, then the whole Answer."""
        room = self._engine.info(cancel).context - ANSWER_TOKENS - OVERHEAD_TOKENS
        room -= self._engine.count([question], cancel)[0]
        if room < _SMALLEST_ROOM:
            raise ReadDeskError("The question is too long for the model's context.", "Ask it in fewer words.")
        notes = fit_memory(self._engine, memory, room, cancel)
        hits = KeywordIndex([text_of(entry.page.number) for entry in memory.entries]).best(question, at_most)
        found = look_up(self._engine, memory, notes.text, question, hits, at_most, cancel)
        chosen = [item.page for item in found.look_ups]
        fitted, left_out = fit_pages(self._engine, chosen, text_of, room - notes.tokens, cancel)
        look_ups = _opened(found.look_ups, fitted)
        yield look_ups
        # Pages stand in the document's order, whatever their importance: a story read backwards is no story.
        opened = sorted((page.number, page.text) for page in fitted)
        reply, cost = yield from self._write_answer(answer_messages(notes.text, opened, question), cancel)
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

    def _write_answer(
        self, messages: Sequence[Message], cancel: CancelToken
    ) -> Generator[str, None, tuple[Reply, Cost]]:
        """Yield what may be shown of the answer; one that is nothing but thinking is asked for again without it."""
        cost = Cost()
        for limits in (Limits(ANSWER_TOKENS), Limits(ANSWER_TOKENS, grammar=NO_THINKING)):
            hidden = HiddenThinking()
            for item in self._engine.stream(messages, limits, cancel):
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


def _opened(chosen: Sequence[LookUp], fitted: Sequence[FittedPage]) -> tuple[LookUp, ...]:
    """The look-ups whose pages found room, marked where a page was cut."""
    cut = {page.number: page.shortened for page in fitted}
    return tuple(replace(item, shortened=cut[item.page]) for item in chosen if item.page in cut)
