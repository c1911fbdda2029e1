"""What came out of the leaves of a PDF, in words: for one leaf, for a kind of leaf, for the whole book.

What must stay true: a leaf of which nobody can read a word is never called text, and an empty leaf is no fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from readdesk.documents.model import FurnitureKind, LeafHealth, LeafKind
from readdesk.gui import figures
from readdesk.gui.reader.pagenames import joined, page_words

translate = QCoreApplication.translate

KINDS: tuple[LeafKind, ...] = ("text", "ocr", "scan", "unreadable", "empty")
"""All kinds of leaves, in the order in which they are told."""

NO_TEXT: tuple[LeafKind, ...] = ("scan", "unreadable")
"""What something is written on that no model can read as it is."""


def textless(leaves: Sequence[LeafHealth]) -> tuple[int, ...]:
    """The leaves that cannot be read until their text is recognised."""
    return tuple(leaf.index for leaf in leaves if leaf.kind in NO_TEXT)


def recognised(leaves: Sequence[LeafHealth]) -> tuple[int, ...]:
    """The leaves whose text a program has recognised."""
    return tuple(leaf.index for leaf in leaves if leaf.kind == "ocr")


def kind_words(kind: LeafKind) -> str:
    """What a leaf is, as the head of a list of such leaves."""
    return {
        "text": translate("LeafWords", "Text"),
        "ocr": translate("LeafWords", "Recognised text"),
        "scan": translate("LeafWords", "Pictures of pages, without text"),
        "unreadable": translate("LeafWords", "Text whose letters have no meaning"),
        "empty": translate("LeafWords", "Empty"),
    }[kind]


def count_words(count: int) -> str:
    """A number of leaves."""
    if count == 1:
        return translate("LeafWords", "1 leaf")
    return translate("LeafWords", "{count} leaves").format(count=f"{count:,}")


def quality_words(quality: float | None) -> str:
    """How well text was recognised; "" where it was not recognised, or nobody knows."""
    if quality is None:
        return ""
    return translate("LeafWords", "about {percent} % of it probably right").format(percent=round(100 * quality))


def leaf_name(leaf: LeafHealth, count: int) -> str:
    """A leaf by its printed page and by its number."""
    words = translate("LeafWords", "leaf {number} of {count}").format(number=leaf.index + 1, count=count)
    return joined(page_words(leaf.label), words)


def leaf_heading(leaf: LeafHealth, count: int) -> str:
    """The same where it begins a line; "p." stays as it is."""
    name = leaf_name(leaf, count)
    return name if leaf.label else name[:1].upper() + name[1:]


def leaf_words(leaf: LeafHealth) -> str:
    """What came out of a leaf: its words, its columns, how sure its text is."""
    columns = translate("LeafWords", "{count} columns").format(count=leaf.columns) if leaf.columns > 1 else ""
    words = figures.words(leaf.words) if leaf.words or leaf.kind in ("text", "ocr") else ""
    return ", ".join(filter(None, (words, columns, quality_words(leaf.quality))))


def kind_summary(kind: LeafKind, leaves: Sequence[LeafHealth]) -> str:
    """How many leaves are of a kind; of recognised text, how good it is on the whole."""
    count = count_words(len(leaves))
    qualities = [leaf.quality for leaf in leaves if leaf.quality is not None]
    if not qualities:
        return f"{kind_words(kind)}: {count}"
    return f"{kind_words(kind)}: {count}, {quality_words(sum(qualities) / len(qualities))}"


def furniture_words(kind: FurnitureKind) -> str:
    """What was taken out of a leaf's text."""
    return {
        "head": translate("LeafWords", "running head"),
        "foot": translate("LeafWords", "running foot"),
        "number": translate("LeafWords", "page number"),
        "stamp": translate("LeafWords", "stamp"),
        "line": translate("LeafWords", "line numbers"),
        "margin": translate("LeafWords", "in the margin"),
    }[kind]


def state_words(leaves: Sequence[LeafHealth]) -> str:
    """What keeps a book from being read, in a sentence; "" where nothing does."""
    kinds = Counter(leaf.kind for leaf in leaves)
    lacking = sum(kinds[kind] for kind in NO_TEXT)
    if not lacking:
        return ""
    if lacking < len(leaves) - kinds["empty"]:
        words = translate("LeafWords", "{leaves} of {count} have no text that ReadDesk can read.")
        if lacking == 1:
            words = translate("LeafWords", "{leaves} of {count} has no text that ReadDesk can read.")
        return words.format(leaves=count_words(lacking), count=f"{len(leaves):,}")
    if kinds["unreadable"] > kinds["scan"]:
        return translate(
            "LeafWords", "The letters of this book mean nothing to a program: ReadDesk cannot read it yet."
        )
    return translate("LeafWords", "This book is pictures of pages: ReadDesk cannot read it yet.")
