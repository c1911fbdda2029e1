"""Lines cut into parts, as where the library gives two cells of a table as one line.

Only characters tell exactly where a word stands, and they cost too much to ask for while a file is imported: places
within a line are guessed by how wide letters commonly are. What must stay true: the span of a part in the leaf's own
text is exact.
"""

from __future__ import annotations

from dataclasses import replace

from readdesk.documents.pdf.leaves import Leaf, Line

_WIDTHS = dict.fromkeys(" .,:;!'|()[]/-ijltfIr", 0.28) | dict.fromkeys("mwMW%@&", 0.84)
_WIDE, _USUAL = 0.68, 0.53


def part_of(leaf: Leaf, line: Line, start: int, end: int, left: float, right: float) -> Line:
    """The part of a line that holds some of its characters, between two places."""
    raised = tuple(
        (max(first, start) - start, min(last, end) - start)
        for first, last in line.raised
        if first < end and last > start
    )
    text = line.text[start:end]
    part = replace(line, text=text, start=line.start + start, left=left, right=right, raised=raised)
    part.drawn = leaf.drawn((left, line.top, right, line.bottom)) if line.drawn else None
    if start:
        part.beside = ()
    return part


def word_at(line: Line, place: float) -> tuple[int, float]:
    """The start of the word that begins nearest to a place in a line, and how far from it; -1 if there is none."""
    whole = sum(map(_width, line.text))
    unit = (line.right - line.left) / max(whole, 1.0)
    best, distance, at = -1, 0.0, line.left
    for number, character in enumerate(line.text):
        if number and line.text[number - 1] == " " != character:
            off = abs(at - place)
            if best < 0 or off < distance:
                best, distance = number, off
        at += unit * _width(character)
    return best, distance


def _width(character: str) -> float:
    return _WIDTHS.get(character) or (_WIDE if character.isupper() else _USUAL)
