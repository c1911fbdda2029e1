"""What the leaves of a PDF are called: by the file, else by the page numbers printed on them."""

from __future__ import annotations

from collections.abc import Sequence

from readdesk.documents.pdf.leaves import Leaf


def labels_of(leaves: Sequence[Leaf]) -> tuple[str, ...]:
    """The label of each leaf, "" where it has none; nothing at all where no leaf has one."""
    labels = tuple(leaf.label for leaf in leaves)
    return labels if any(labels) else ()
