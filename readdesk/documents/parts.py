"""Parts of about one length, for a long text that tells nothing of its structure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from readdesk.documents.draft import Draft, Drafted, Start
from readdesk.documents.normal import count_words

FEWEST_WORDS_FOR_PARTS = 15_000
"""A shorter text is one section."""

_WORDS_IN_A_PART = 5_000


def in_parts(drafts: Iterable[Drafted], is_wanted: bool) -> Iterator[Drafted]:
    """The same with a section every few thousand words, at the end of a paragraph, where that is wanted."""
    words, part = _WORDS_IN_A_PART, 0
    for draft in drafts:
        if is_wanted and isinstance(draft, Draft):
            if words >= _WORDS_IN_A_PART:
                words, part = 0, part + 1
                yield Start(f"Part {part}")
            words += count_words(draft.text)
        yield draft
