"""What stands behind the view of a PDF's leaves: where they lie, one below the other, and which pictures are kept.

Lengths of leaves are points; everything else is pixels of the screen from the top of the first gap, sideways from the
line that all leaves are centred on. A leaf and the gap above it belong together, so every height belongs to one leaf.

What must stay true: only `arrange` walks through all leaves; questions are answered by halving, since a book of two
thousand leaves must scroll as smoothly as one of ten. No size that a file claims can break the arithmetic. Pictures
stay below a number of bytes, except that what is visible is never dropped.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import median

from PySide6.QtGui import QImage

from readdesk.documents.model import Lack, Leaf, Picture

GAP = 12
"""Pixels between two leaves, above the first and below the last."""

_EDGE = 2  # What is painted around the leaf before.
_LONGEST_SIDE = 14_400.0  # Points; the limit that the PDF standard names.
_STEEPEST = 20.0  # The long side of a leaf by its short one.
_UNUSUAL = 1.5  # A leaf so many times larger than the median is a map or a poster, and does not count for fitting.


class LeafStack:
    """The leaves of one document at one zoom (pixels a point)."""

    def __init__(self, leaves: Sequence[Leaf] = ()) -> None:
        self._sizes = [_sane_size(leaf) for leaf in leaves]
        self._typical = _usual([width for width, _ in self._sizes]), _usual([height for _, height in self._sizes])
        self.has_unusually_wide = any(width > self._typical[0] for width, _ in self._sizes)
        self._widest = max((width for width, _ in self._sizes), default=0.0)
        self.arrange(1.0)

    def __len__(self) -> int:
        return len(self._sizes)

    def arrange(self, zoom: float) -> None:
        """Lay the leaves out at a zoom."""
        self.zoom = zoom
        self._tops: list[float] = []
        below = float(GAP)
        for _, height in self._sizes:
            self._tops.append(below)
            below += height * zoom + GAP
        self.height = below if self._sizes else 0.0
        self.width = self._widest * zoom + 2 * GAP if self._sizes else 0.0

    def fitting_zoom(self, width: float, height: float) -> float:
        """The zoom at which usual leaves, with gaps around them, fit so many pixels."""
        return min((width - 2 * GAP) / self._typical[0], (height - 2 * GAP) / self._typical[1])

    def size(self, index: int) -> tuple[float, float]:
        """Width and height of a leaf in pixels."""
        width, height = self._sizes[index]
        return width * self.zoom, height * self.zoom

    def top(self, index: int) -> float:
        """Where a leaf begins."""
        return self._tops[index]

    def at(self, height: float) -> int:
        """The leaf at a height, or of the gap above it; 0 when there are none."""
        return max(0, bisect_right(self._tops, height + GAP) - 1)

    def between(self, top: float, bottom: float) -> range:
        """The leaves of which something lies between two heights."""
        return range(self.at(top), bisect_left(self._tops, bottom))

    def place_at(self, height: float) -> tuple[int, float]:
        """The leaf at a height, and the fraction of it that lies above."""
        if not self._sizes:
            return 0, 0.0
        index = self.at(height)
        return index, min(1.0, max(0.0, height - self._tops[index]) / self.size(index)[1])

    def height_of(self, index: int, fraction: float) -> float:
        """The height that `place_at` gives this place for; the very top of a leaf takes the gap above along."""
        if not self._sizes:
            return 0.0
        above = GAP - _EDGE if index else GAP
        return self._tops[index] + (fraction * self.size(index)[1] if fraction > 0 else -above)

    def point_at(self, height: float) -> tuple[int, float]:
        """The leaf at a height, and how many points below its top; in a gap, less than 0 by as many pixels."""
        if not self._sizes:
            return 0, 0.0
        index = self.at(height)
        below = height - self._tops[index]
        return index, below if below < 0 else below / self.zoom

    def height_of_point(self, index: int, points: float) -> float:
        """The height that `point_at` gives this point for."""
        if not self._sizes:
            return 0.0
        return self._tops[index] + (points if points < 0 else points * self.zoom)


@dataclass(frozen=True)
class Kept:
    """The picture of a leaf, drawn at so many pixels a point; what it lacks, and whether a better one is to come."""

    scale: float
    image: QImage
    lack: Lack = ""
    goes_on: bool = False


class Pictures:
    """The pictures at hand by leaf, below a number of bytes: those least recently visible go first."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self._kept: OrderedDict[int, Kept] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, index: int) -> Kept | None:
        """The picture of a leaf."""
        return self._kept.get(index)

    def touch(self, index: int) -> None:
        """Note that a leaf is visible."""
        if index in self._kept:
            self._kept.move_to_end(index)

    def put(self, index: int, kept: Kept, visible: range) -> None:
        """Keep a picture; one that comes when its leaf is far away is the first to go."""
        self.drop(index)
        self._kept[index] = kept
        self.size += kept.image.sizeInBytes()
        is_near = visible.start - 1 <= index <= visible.stop
        self._kept.move_to_end(index, last=is_near)
        self._make_room(visible)

    def _make_room(self, visible: Collection[int]) -> None:
        for index in [index for index in self._kept if index not in visible]:
            if self.size <= self.limit:
                return
            self.drop(index)

    def drop(self, index: int) -> None:
        """Keep a picture no longer."""
        if (kept := self._kept.pop(index, None)) is not None:
            self.size -= kept.image.sizeInBytes()

    def clear(self) -> None:
        """Keep nothing."""
        self._kept.clear()
        self.size = 0


def image_of(picture: Picture) -> QImage:
    """A picture in the form that is painted fastest, with bytes of its own; raises ValueError for too few bytes."""
    if picture.width < 1 or picture.height < 1 or picture.stride < 3 * picture.width:
        raise ValueError(f"no picture: {picture.width} by {picture.height}, {picture.stride} bytes a row")
    if len(picture.pixels) < picture.stride * (picture.height - 1) + 3 * picture.width:
        raise ValueError("a picture without all of its rows")  # Qt would read past their end.
    rows = QImage(picture.pixels, picture.width, picture.height, picture.stride, QImage.Format.Format_RGB888)
    return rows.convertToFormat(QImage.Format.Format_RGB32)


def _sane_size(leaf: Leaf) -> tuple[float, float]:
    sides = [min(_LONGEST_SIDE, max(1.0, side)) if math.isfinite(side) else 1.0 for side in (leaf.width, leaf.height)]
    least = max(sides) / _STEEPEST
    return max(sides[0], least), max(sides[1], least)


def _usual(lengths: list[float]) -> float:
    """The largest of the lengths that is no exception."""
    bound = median(lengths) * _UNUSUAL if lengths else 0.0
    return max((length for length in lengths if length <= bound), default=1.0)
