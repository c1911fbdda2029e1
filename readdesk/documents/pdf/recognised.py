"""Recognised words become the lines of a leaf, as if they stood in the file.

The leaf's own text, in which offsets count, is then that of `RecognisedLeaf.spans`: words parted by spaces, lines by
line breaks. How the leaf is turned is told from the way its words follow one another. A word's box tells the size of
its letters only roughly, and a line without long letters is low; so sizes that are nearly the usual one are the usual
one, or every other line would look like a heading. Lines are hidden ones, as those of a layer of recognised text in the
file are: whoever looks at sizes trusts them less.

What must stay true: every word is in exactly one line; `Line.text` is the leaf's own text from `Line.start` on,
character for character; nothing here knows PyMuPDF or Tesseract.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from math import cbrt
from statistics import median

from readdesk.documents.model import LeafSpot, Markup, RecognisedLeaf, RecognisedWord, Rectangle
from readdesk.documents.pdf.leaves import Leaf, Line

_Word = tuple[int, RecognisedWord, Rectangle]
"""Where a word begins in the leaf's own text, the word, and its place in the reading frame."""

_ON_WORDS = ("highlight", "underline", "strikeout")
_GAP = 2.0
_LETTERS_FOR_SIZE = 2.3
_NEARLY, _NEARLY_IN_A_WORD = 0.25, 0.45
_SURE_FROM = 12
_FEWEST_LETTERS = 4
_AIR = 0.2
"""What lines of a file have above and below their ink, in units of their size; else running text looks like rows."""
_NEXT_LINE = 1.3
_RIGHT_TO_LEFT = ("\u0590", "\u08ff")


def lay(leaf: Leaf, recognised: RecognisedLeaf) -> Leaf:
    """The leaf with recognised words in the place of its own text; its size and label stay.

    Where nothing was found its own text stays, and a picture is one that was looked at.
    """
    if not recognised.words:
        return leaf if leaf.lines else replace(leaf, kind="ocr", quality=None)
    size = (leaf.width, leaf.height) if leaf.turn in (0, 180) else (leaf.height, leaf.width)
    turn, is_mirrored = _direction(recognised.words)
    width, height = size if turn in (0, 180) else (size[1], size[0])
    laid = Leaf(
        leaf.index, width, height, label=leaf.label, kind="ocr", quality=recognised.quality, furniture=leaf.furniture
    )
    laid.turn, laid.is_mirrored = turn, is_mirrored
    words = [(start, word, laid.framed(word.rectangle)) for start, _, word in recognised.spans()]
    parts = [part for _, line in groupby(words, key=lambda item: item[1].line) for part in _parts(list(line))]
    usual = _usual_size(parts)
    block = 0
    for part in parts:
        line = _line(part, usual)
        if laid.lines and not _is_beneath(laid.lines[-1], line):
            block += 1
        line.block = block
        laid.lines.append(line)
    return laid


def marked_words(markups: Iterable[Markup], recognised: RecognisedLeaf) -> Iterator[Markup]:
    """Highlights and notes of a leaf, on the recognised words that lie under them."""
    for markup in markups:
        spots: list[LeafSpot] = []
        for start, end, word in recognised.spans() if markup.kind in _ON_WORDS else ():
            if not any(_holds_middle(box, word.rectangle) for box in markup.rectangles):
                continue
            if spots and spots[-1].end + 1 == start:
                before = spots.pop()
                spots.append(LeafSpot(before.leaf, before.start, end, (*before.rectangles, word.rectangle)))
            else:
                spots.append(LeafSpot(recognised.leaf, start, end, (word.rectangle,)))
        yield replace(markup, spots=tuple(spots))


def _holds_middle(box: Rectangle, other: Rectangle) -> bool:
    across, down = (other[0] + other[2]) / 2, (other[1] + other[3]) / 2
    return box[0] <= across <= box[2] and box[1] <= down <= box[3]


def notes_on_text(leaves: Sequence[Leaf]) -> Iterator[str]:
    """What a person should know of leaves whose text cannot be read, or was recognised."""
    pictures = sum(leaf.kind == "scan" for leaf in leaves)
    meaningless = sum(leaf.kind == "unreadable" for leaf in leaves)
    total = len(leaves)
    if pictures == total:
        which = "Its only leaf is a picture" if total == 1 else f"All {total} leaves are pictures"
        yield f"{which} without text. Have the text recognised (OCR) before a model reads it."
    elif pictures:
        verb = "is a picture" if pictures == 1 else "are pictures"
        yield f"{pictures} of {total} leaves {verb} without text; no model reads them until it is recognised (OCR)."
    if meaningless:
        verb = "holds" if meaningless == 1 else "hold"
        yield (
            f"{meaningless} of {_counted(total)} {verb} letters that mean nothing to a computer; no model reads them"
            " until their text is recognised (OCR)."
        )


def _counted(leaves: int) -> str:
    return "1 leaf" if leaves == 1 else f"{leaves} leaves"


def _direction(words: Sequence[RecognisedWord]) -> tuple[int, bool]:
    """How far the words are turned clockwise, and whether they are read from right to left."""
    votes = {0: 0.0, 90: 0.0, 180: 0.0, 270: 0.0}
    for before, after in pairwise(words):
        if before.line != after.line:
            continue
        across = after.rectangle[0] + after.rectangle[2] - before.rectangle[0] - before.rectangle[2]
        down = after.rectangle[1] + after.rectangle[3] - before.rectangle[1] - before.rectangle[3]
        if abs(across) >= abs(down):
            votes[0 if across >= 0 else 180] += 1
        else:
            votes[90 if down >= 0 else 270] += 1
    turn = max(votes, key=lambda degrees: votes[degrees])
    first, last = _RIGHT_TO_LEFT
    letters = [character for word in words for character in word.text if character.isalpha()]
    is_right_to_left = 2 * sum(first <= letter <= last for letter in letters) > len(letters)
    return ((turn + 180) % 360, True) if is_right_to_left else (turn, False)


def _parts(words: list[_Word]) -> Iterator[list[_Word]]:
    """The words of a line, in parts where a wide gap may part columns or cells."""
    part = words[:1]
    for before, after in pairwise(words):
        if after[2][0] - before[2][2] > _GAP * _height(after):
            yield part
            part = []
        part.append(after)
    yield part


def _height(word: _Word) -> float:
    return max(1.0, word[2][3] - word[2][1])


def _size(words: Sequence[_Word]) -> float:
    """About the size of letters, from how high and, which varies less from line to line, how wide they are."""
    letters = sum(len(word.text) for _, word, _ in words)
    high = median(map(_height, words))
    if letters < _FEWEST_LETTERS:
        return high
    wide = sum(box[2] - box[0] for _, _, box in words) / letters
    return float(cbrt(high * (max(0.1, wide) * _LETTERS_FOR_SIZE) ** 2))


def _usual_size(parts: Iterable[Sequence[_Word]]) -> float:
    """The size of most letters of a leaf."""
    sizes = [size for part in parts for size in [_size(part)] * sum(len(word.text) for _, word, _ in part)]
    return median(sizes) if sizes else 10.0


def _line(words: Sequence[_Word], usual: float) -> Line:
    text = " ".join(word.text for _, word, _ in words)
    size = _size(words)
    least = (_NEARLY if len(text) >= _SURE_FROM else _NEARLY_IN_A_WORD) * usual
    if usual - least <= size <= (1 + _NEARLY) * usual or len(text) < _FEWEST_LETTERS:
        size = usual
    left, top, right, bottom = _around([box for _, _, box in words])
    drawn = _around([word.rectangle for _, word, _ in words])
    air = _AIR * size
    place = left, top - air, right, bottom + air
    return Line(text, words[0][0], *place, size=round(size, 1), is_hidden=True, drawn=drawn)


def _around(boxes: Sequence[Rectangle]) -> Rectangle:
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def _is_beneath(before: Line, line: Line) -> bool:
    """Whether a line follows another closely, in one column."""
    size = max(before.size, line.size)
    is_close = -0.5 * size <= line.bottom - before.bottom <= (1 + _NEXT_LINE) * size
    return is_close and min(before.right, line.right) > max(before.left, line.left) - size
