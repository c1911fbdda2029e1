"""Which text stands on which leaf: the ways between positions of a text and leaves.

A leaf without text begins where the next one does, so a position alone cannot tell such leaves apart.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from readdesk.documents.model import Section
from readdesk.gui.reader.pagenames import PageNames


@dataclass(frozen=True)
class LeafPlaces:
    """The first position on each leaf, or after it where it holds no text, in a text that ends at `end`."""

    starts: tuple[int, ...] = ()
    end: int = 0

    def start_of(self, leaf: int) -> int:
        """The first position on a leaf."""
        return self.starts[leaf] if leaf < len(self.starts) else 0

    def leaf_of(self, position: int) -> int:
        """The leaf on which a position stands."""
        return max(0, bisect_right(self.starts, position) - 1)

    def leaf_of_section(self, section: Section, names: PageNames) -> int:
        """The leaf on which a section begins: its label tells leaves without text apart."""
        leaf = names.find(section.label)
        if leaf is not None and bisect_left(self.starts, section.start) <= leaf <= self.leaf_of(section.start):
            return leaf
        return self.leaf_of(section.start)

    def reading_position(self, leaf: int, fraction: float) -> int:
        """About where a reader looks: a fifth of a leaf below the top, counted as if words were spread evenly."""
        leaf, fraction = (leaf + 1, fraction - 0.8) if fraction > 0.8 else (leaf, fraction + 0.2)
        ends = [*self.starts[1:], self.end]
        leaf = min(leaf, len(self.starts) - 1)
        return int(self.starts[leaf] + fraction * (ends[leaf] - self.starts[leaf]))
