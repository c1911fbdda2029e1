"""What is said to the model, and how its replies are read.

Every prompt puts the text first and the request last, so that what the model has computed for a text serves the next
request about it: choosing a page's end and shortening that page share one reading, and so do look-up and answer. The
wording is ours. PROMPT_VERSION goes up with every change, because a gist belongs to the prompt that made it; golden
files in the tests pin the exact messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from readdesk.documents.normal import count_words
from readdesk.llm.model import Message
from readdesk.reading.model import Memory, MemoryEntry

PROMPT_VERSION = 1

LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Single letters are one token in every vocabulary we know; numbers of two digits are not."""

_READER = "You are an attentive reader. You read books with a person and hold to what the text says."
_LABEL_LINE = re.compile(r"\s*\[[A-Z]\](?=\s|$)")
_LIST = re.compile(r"\[[\d\s,]*\]")
_NUMBERS_ALONE = re.compile(r"[\W_]*\d+(?:[\W_]+\d+)*[\W_]*")
_NUMBERS = r"\d{1,6}\b(?:\s*(?:,|;|&|-|\u2013|\band\b)\s*(?:pages?\s+)?\d{1,6}\b)*"
_TAGS = re.compile(rf"(?:\[pages?|\bpages)\s+{_NUMBERS}|\bpage\s+\d{{1,6}}\b", re.IGNORECASE)
"""Page tags of an answer: "[Page 3]" and "page 3", several at once only where that is plain: "[Page 3, 4]", "pages 3
and 4", but not "on page 3, 40 men"."""


def _labelled(title: str, units: Sequence[str], labels: Mapping[int, str]) -> str:
    """The passage with a label on a line of its own after every unit that is a candidate."""
    lines = [f"From: {title}", ""]
    for index, unit in enumerate(units):
        lines += [unit, ""]
        if index in labels:
            lines += [f"[{labels[index]}]", ""]
    return "\n".join(lines)


def break_messages(title: str, units: Sequence[str], labels: dict[int, str], before: str = "") -> list[Message]:
    """Ask where a page should end; `labels` maps the index of a unit to the letter that stands after it.

    `before` is the end of the previous page, which helps for transcripts only (ReadAgent, section 4.4).
    """
    passage = _labelled(title, units, labels)
    context = f"Just before this passage:\n{before}\n\n" if before else ""
    request = (
        f"{context}The letters in square brackets stand between paragraphs. At which letter is the most natural place "
        "to pause reading: where a scene, a conversation, an argument or a topic has come to its end and something new "
        f"begins? Answer with one letter only, one of: {', '.join(labels.values())}."
    )
    return [Message("system", _READER), Message("user", f"{passage}\n---\n{request}")]


def gist_messages(title: str, units: Sequence[str], labels: Mapping[int, str], words: int) -> list[Message]:
    """Ask for a page's text in about `words` words; the same passage, cut where the page ends."""
    passage = _labelled(title, units, labels)
    request = (
        f"Shorten the passage above to about {words} words. Keep the order of events and thoughts, the names, the "
        "places and the numbers that matter, and who says or does what. Leave out ornament. Add nothing that is not in "
        "the passage. Write plain sentences in the language of the passage, without a heading and without the letters "
        "in square brackets. Write only the shortened text."
    )
    return [Message("system", _READER), Message("user", f"{passage}\n---\n{request}")]


def gist_words(page_words: int) -> int:
    """How long a page's gist should be, in words: about an eighth of the page, between 40 and 120."""
    return max(40, min(120, page_words // 8))


def without_labels(text: str) -> str:
    """A gist without the labels a model may have copied."""
    return _LABEL_LINE.sub("", text).strip()


# -- memory, look-up, answer ---------------------------------------------------------------------------------------


def memory_text(memory: Memory, gist_words_at_most: int = 0) -> str:
    """All gists under their page tags; a limit cuts every gist to its first words."""
    lines = [f"Notes on: {memory.title}", ""]
    for entry in memory.entries:
        lines += [_tag(entry), _first_words(entry.gist, gist_words_at_most), ""]
    return "\n".join(lines)


def _tag(entry: MemoryEntry) -> str:
    return f"[Page {entry.page.number}] {entry.section}".rstrip()


def _first_words(text: str, limit: int) -> str:
    if not limit or count_words(text) <= limit:
        return text
    start = " ".join(text.split()[:limit])
    while (words := count_words(start)) > limit:  # A script without spaces: one "word" is a sentence.
        start = start[: max(1, len(start) * limit // words - 1)]
    return start + " …"


def look_up_messages(memory: str, question: str, at_most: int) -> list[Message]:
    """Ask which pages should be read again in full; answered by a list of page numbers, most important first."""
    request = (
        "Above are short notes on the pages of a text; the pages themselves say more. Which pages should be read again "
        f"in full to answer the question below? Name as few as will do, {_at_most(at_most)}, the most important first, "
        f"as a list of page numbers in square brackets, empty when the notes alone are enough.\n\nQuestion: {question}"
    )
    return [Message("system", _READER), Message("user", f"{memory}\n---\n{request}")]


def _at_most(pages: int) -> str:
    """The limit in words: a small model takes a figure in the request for the page it should name (tried)."""
    words = ("none", "only one", "two at most", "three at most", "four at most", "five at most", "six at most")
    return words[pages] if pages < len(words) else "not more than a handful"


def look_up_grammar(pages: Iterable[int], at_most: int) -> str:
    """The GBNF grammar of a list of at most so many of these page numbers."""
    numbers = " | ".join(f'"{page}"' for page in pages)
    more = f' (", " page){{0,{at_most - 1}}}' if at_most > 1 else ""
    return f'root ::= "[" (page{more})? "]"\npage ::= {numbers}'


def parse_look_up(reply: str, pages: Iterable[int], at_most: int) -> tuple[int, ...] | None:
    """The page numbers a reply names: known ones, each once, the first so many; None when it names no pages at all.

    The grammar makes a list; an engine without grammars also answers "4, 5", "[\"4\", \"5\"]" or "Pages 4 and 5".
    """
    found = _LIST.search(reply) or _NUMBERS_ALONE.fullmatch(reply)
    named = [int(number) for number in re.findall(r"\d{1,9}", found.group())] if found else page_tags(reply)
    if not found and not named:
        return None
    allowed = set(pages)
    return tuple(dict.fromkeys(number for number in named if number in allowed))[:at_most]


def answer_messages(memory: str, opened: Sequence[tuple[int, str]], question: str) -> list[Message]:
    """Ask the question; the opened pages follow the memory in the document's order, the question comes last."""
    pages = "\n\n".join(f"[Page {number}, in full]\n{text}" for number, text in opened)
    full = f"\n---\nThese pages in full:\n\n{pages}\n" if opened else ""
    request = (
        "Answer the question from the notes and pages above, and from nothing else, in one to three short and exact "
        "sentences. After each sentence name the page it comes from, like [Page 3]. If they do not hold the answer, "
        f"say that it was not found.\n\nQuestion: {question}"
    )
    return [Message("system", _READER), Message("user", f"{memory}{full}\n---\n{request}")]


def page_tags(answer: str) -> tuple[int, ...]:
    """The pages an answer names, in order, each once."""
    found = " ".join(_TAGS.findall(answer))
    return tuple(dict.fromkeys(int(number) for number in re.findall(r"\d{1,6}", found)))


def retagged(answer: str, numbers: Mapping[int, int]) -> str:
    """The answer with the pages it names under their new numbers."""

    def renumber(number: re.Match[str]) -> str:
        return str(numbers.get(int(number[0]), int(number[0])))

    return _TAGS.sub(lambda tag: re.sub(r"\d{1,6}", renumber, tag[0]), answer)
