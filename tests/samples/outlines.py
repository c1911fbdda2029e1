"""PDFs whose outlines, headings and notes are as odd as those that people have; every function returns its path.

Text is drawn with the fonts that every PDF reader has. A heading is larger or bold, a raised mark is small and set
above the line, a footnote is small and stands at the foot.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf as typed_in_part

from tests.samples.make import LINES

pymupdf: Any = typed_in_part

BODY, SMALL = 11.0, 8.0
Words = tuple[str, float, str]
"""Text, its size and its font ("helv" plain, "hebo" bold)."""


class Sheets:
    """Draws a document line by line; `top` is where the next line goes, in points from above."""

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self.top = 0.0
        self._page: Any = None

    def leaf(self, top: float = 90.0) -> None:
        """Begin a leaf."""
        self._page = self.document.new_page()
        self.top = top

    def heading(self, text: str, size: float = 16.0, *, is_bold: bool = True, left: float = 72.0) -> float:
        """A heading with white space around it; returns its baseline."""
        self.top += 1.2 * size
        baseline = self.top
        self._page.insert_text((left, baseline), text, fontsize=size, fontname="hebo" if is_bold else "helv")
        self.top += 1.4 * size
        return baseline

    def text(self, lines: Sequence[str] = LINES, size: float = BODY, left: float = 72.0) -> None:
        """A paragraph of lines; "{…}" in a line is raised."""
        for line in lines:
            self._line(line, size, left)
            self.top += 1.25 * size
        self.top += 0.8 * size

    def foot(self, lines: Sequence[str], left: float = 72.0) -> None:
        """Small lines that end at the foot of the leaf."""
        self.top = 760.0 - 1.25 * SMALL * len(lines)
        for line in lines:
            self._line(line, SMALL, left)
            self.top += 1.25 * SMALL

    def _line(self, line: str, size: float, left: float) -> None:
        for number, part in enumerate(line.replace("}", "{").split("{")):
            is_raised = number % 2 == 1
            drawn = 0.65 * size if is_raised else size
            baseline = self.top - (0.38 * size if is_raised else 0.0)
            self._page.insert_text((left, baseline), part, fontsize=drawn, fontname="helv")
            left += pymupdf.get_text_length(part, fontsize=drawn, fontname="helv")

    def save(self, path: Path, outline: Sequence[Sequence[Any]] = ()) -> Path:
        """Write the file; `outline` is made of level, title, leaf counted from one, and the height if there is one."""
        if outline:
            self.document.set_toc([_entry(*entry) for entry in outline])
        self.document.save(path)
        return path


def _entry(level: int, title: str, leaf: int, top: float | None = None) -> list[Any]:
    if top is None:
        return [level, title, leaf]
    kind = {"kind": pymupdf.LINK_GOTO, "page": leaf - 1, "to": pymupdf.Point(72, top)}
    return [level, title, leaf, kind]


def chapters(count: int = 4, *, leaves: int = 1, names: Sequence[str] = (), middle: bool = False) -> Sheets:
    """Chapters "N Storms of the year N" on leaves of their own, or from the middle of a leaf on."""
    sheets = Sheets()
    for number in range(1, count + 1):
        for part in range(leaves):
            sheets.leaf()
            if part == 0:
                if middle:
                    sheets.text([f"The end of what stood before chapter {number}, which is no part of it."])
                    sheets.text()
                    sheets.top = 400.0
                sheets.heading(names[number - 1] if names else f"{number} Storms of the year {number}")
            for _ in range(3):
                sheets.text()
    return sheets
