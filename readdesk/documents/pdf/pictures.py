"""What kind of leaf it is, by what is drawn on it beside text: a scan, a scan with recognised text, an empty sheet.

Programs that recognise text lay it invisibly over the picture of the page, or visibly under it. Invisible text that
lies over no picture, or over words that can be seen, is not what a reader sees: doubled words, words for search
engines, orders to a language model; it is left out. Few visible words on a picture that fills the leaf are a stamp
("Downloaded from …"), unless they are as large as a title.

What must stay true: a leaf with much visible text and no large picture is not looked at again, since that takes time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from readdesk.documents.model import Furniture, Rectangle
from readdesk.documents.pdf.guess import quality_of
from readdesk.documents.pdf.leaves import Leaf, Line

_FEW_CHARACTERS = 200
_STAMP_CHARACTERS = 120
_LARGE_PIXELS = 400_000
_MOST, _HALF, _SOME = 0.6, 0.5, 0.1
_MANY_STROKES = 100
_TITLE_SIZE = 14.0
_MOST_COMPARED = 2_000_000


def settle_kind(leaf: Leaf, page: Any, framed: Callable[[Rectangle], Rectangle]) -> None:
    """Find out the leaf's kind and quality; take out lines that nobody sees and stamps on scans."""
    has_hidden = any(line.is_hidden for line in leaf.lines)
    has_little = sum(len(line.text) for line in leaf.lines if not line.is_hidden) < _FEW_CHARACTERS
    if not (has_hidden or has_little or _has_large_picture(page)):
        return
    log = page.get_bboxlog()
    pictures = list(dict.fromkeys(framed(box) for kind, box, *_ in log if kind == "fill-image"))
    for box in map(framed, _painted_over(log, page) if leaf.lines and not has_hidden else ()):
        for line in leaf.lines:
            line.is_hidden = line.is_hidden or _common(_frame_of(line), box) >= _HALF * _area(_frame_of(line))
    strokes = sum(1 for kind, *_ in log if kind.endswith("path"))
    _leave_out_unseen(leaf, pictures, strokes)
    _settle(leaf, min(sum(map(_area, pictures)) / max(leaf.width * leaf.height, 1.0), 1.0), strokes)


def _settle(leaf: Leaf, covered: float, strokes: int) -> None:
    shown = sum(len(line.text.strip()) for line in leaf.lines if not line.is_hidden)
    hidden = [line for line in leaf.lines if line.is_hidden]
    if sum(len(line.text.strip()) for line in hidden) > shown:
        leaf.kind, leaf.quality = "ocr", quality_of(word for line in hidden for word in line.text.split())
    elif not leaf.lines:
        leaf.kind = "scan" if covered >= _SOME or strokes >= _MANY_STROKES else "empty"
    elif covered >= _MOST and shown < _STAMP_CHARACTERS and all(line.size < _TITLE_SIZE for line in leaf.lines):
        leaf.kind = "scan"
        leaf.furniture += [Furniture("stamp", line.text.strip(), line.rectangle) for line in leaf.lines]
        leaf.lines = []


def _has_large_picture(page: Any) -> bool:
    return any(picture[2] * picture[3] >= _LARGE_PIXELS for picture in page.get_images())


def _painted_over(log: Sequence[Any], page: Any) -> list[Rectangle]:
    """Where pictures without transparent parts that nearly fill the leaf are drawn after all text."""
    texts = [number for number, (kind, *_) in enumerate(log) if kind.endswith("text")]
    if not texts or any(picture[1] for picture in page.get_images()):
        return []
    least = _area(page.rect) * _MOST
    return [box for kind, box, *_ in log[texts[-1] + 1 :] if kind == "fill-image" and _area(box) >= least]


def _frame_of(line: Line) -> Rectangle:
    return line.left, line.top, line.right, line.bottom


def _leave_out_unseen(leaf: Leaf, pictures: Sequence[Rectangle], strokes: int) -> None:
    shown = [line for line in leaf.lines if not line.is_hidden]
    if (len(leaf.lines) - len(shown)) * (len(shown) + len(pictures)) > _MOST_COMPARED:
        leaf.lines = shown
        return
    is_drawn = not shown and strokes >= _MANY_STROKES
    leaf.lines = [
        line for line in leaf.lines if not line.is_hidden or is_drawn or _is_recognised(line, pictures, shown)
    ]


def _is_recognised(line: Line, pictures: Sequence[Rectangle], shown: Sequence[Line]) -> bool:
    """Whether an invisible line lies over a picture, and over no words that can be seen."""
    box = _frame_of(line)
    least = _HALF * _area(box)
    if not any(_common(box, picture) >= least for picture in pictures):
        return False
    return not any(_common(box, _frame_of(other)) > least for other in shown)


def _area(box: Any) -> float:
    return float(max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0))


def _common(one: Rectangle, other: Rectangle) -> float:
    return _area((max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])))
