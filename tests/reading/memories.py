"""Memories for tests: pages of known text with gists of known words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from readdesk.reading.model import Memory, MemoryEntry, Page


def a_memory(gists: Sequence[str], *, sections: Sequence[str] = (), title: str = "A Book", first: int = 1) -> Memory:
    """A complete memory of pages of a hundred characters each."""
    titles = [*sections, *[""] * len(gists)]
    entries = tuple(
        MemoryEntry(Page(first + index, index * 100, index * 100 + 100, 0, 20, "model"), titles[index], gist)
        for index, gist in enumerate(gists)
    )
    return Memory(title, entries, complete=True)


def texts(pages: Sequence[str], first: int = 1) -> Callable[[int], str]:
    """The full text of a page by its number."""
    return lambda number: pages[number - first]
