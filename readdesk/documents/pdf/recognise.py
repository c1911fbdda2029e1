"""The document process that recognises text: a leaf is drawn, and the Tesseract within MuPDF reads the picture.

MuPDF writes what was recognised as a PDF whose letters lie under the picture, a string for each word and one baseline
and height for each line; it is opened again and read letter by letter, because lines put together from their places
(`get_text`) come apart where words stand far from one another. Some lines come with the height of the picture beside
them; theirs is told from the width of their letters.

A scan may be turned: where words do not look like words, the leaf is read in the other three ways too, and the best is
kept. What must stay true: rectangles are those of the drawn leaf; notes and stamps of readers are not drawn; nothing
here is interrupted, so whoever wants it to end ends the process, which works at low priority.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

import psutil

from readdesk.cancel import CancelToken
from readdesk.documents.model import RecognisedLeaf, RecognisedWord, Rectangle
from readdesk.documents.pdf.file import FAILURES, open_file, pymupdf, silence
from readdesk.documents.pdf.guess import looks_of, quality_of
from readdesk.documents.pdf.leaves import turned
from readdesk.documents.tessdata import prepared
from readdesk.errors import DocumentError, ReadDeskError

_LOW_ON_WINDOWS = 0x4000
_DPI = 300
_MOST_PIXELS = 18_000_000
_GOOD = 0.85
"""Words that look like this stand upright: on its head the best leaf tried had 0.76."""
_LETTERS_APART = 0.5
"""The share of single letters from which a leaf is lying on its side."""
_WORDS_A_MESSAGE = 2000
_TOUCHING = 0.02
_ASKEW = 0.35
_TOO_HIGH = 2.5
_LETTERS_FOR_HEIGHT = 2.1


class RecognitionService:
    """Recognises leaves, one at a time; keeps copies of Tesseract's data in a folder."""

    def __init__(self, folder: str) -> None:
        silence()
        self._folder = Path(folder)
        with suppress(psutil.Error, OSError):
            psutil.Process().nice(_LOW_ON_WINDOWS if sys.platform == "win32" else 10)

    def leaf(
        self, path: str, password: str | None, index: int, languages: str, tessdata: str, *, cancel: CancelToken
    ) -> Iterator[tuple[RecognisedWord, ...] | RecognisedLeaf]:
        """Batches of the words on a leaf (0-based), then the leaf without them; none is over a megabyte.

        `languages` are Tesseract's names with "+" between them. Raises PasswordNeeded or DocumentError.
        """
        document = open_file(Path(path), password)
        try:
            cancel.raise_if_cancelled()
            data = prepared(Path(tessdata), languages.split("+"), self._folder)
            found = _best(document[index], languages, str(data), cancel)
        except FAILURES as error:
            what = f"Leaf {index + 1} of {Path(path).name}"
            raise DocumentError(f"{what} is damaged and cannot be recognised.", "Get the file again.") from error
        except OSError as error:
            what = f"Tesseract's data cannot be copied ({error.strerror or error})."
            raise ReadDeskError(what, "Free some space, or install Tesseract again.") from error
        finally:
            document.close()
        words = tuple(word for line in found for word in line)
        for start in range(0, len(words), _WORDS_A_MESSAGE):
            yield words[start : start + _WORDS_A_MESSAGE]
        yield RecognisedLeaf(index, languages, quality_of(word.text for word in words))


def _best(page: Any, languages: str, tessdata: str, cancel: CancelToken) -> list[list[RecognisedWord]]:
    """The lines of words of a page, read as it is turned."""
    best: tuple[float, list[list[RecognisedWord]]] = (-1.0, [])
    turns = [0]
    while turns:
        turn = turns.pop(0)
        cancel.raise_if_cancelled()
        found = _recognised(page, turn, languages, tessdata)
        words = [word.text for line in found for word in line]
        quality = looks_of(words)
        if quality > best[0]:
            best = quality, found
        if quality >= _GOOD:
            break
        if not turn and words:
            apart = sum(len(word) == 1 for word in words) / len(words)
            turns = [90, 270, 180] if apart > _LETTERS_APART else [180, 90, 270]
    return best[1]


@dataclass
class _Word:
    """A word of a line as it comes: where it stands from left to right, its line's lower edge there, and its height."""

    text: str
    left: float
    right: float
    bottom: float
    height: float


@dataclass
class _Line:
    """Words of one line; on a leaf that is a little askew each stands a little higher or lower than the one before."""

    words: list[_Word] = field(default_factory=list)

    @property
    def last(self) -> _Word:
        return self.words[-1]

    @property
    def bottom(self) -> float:
        return median([word.bottom for word in self.words])

    @property
    def height(self) -> float:
        return median([word.height for word in self.words])

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


def _recognised(page: Any, turn: int, languages: str, tessdata: str) -> list[list[RecognisedWord]]:
    """What Tesseract reads on a page whose text is turned clockwise by that many degrees."""
    width, height = page.rect.width, page.rect.height
    scale = min(_DPI / 72, math.sqrt(_MOST_PIXELS / max(1.0, width * height)))
    # In colour, for MuPDF 1.28 hands a grey picture on as an empty one.
    pixels = page.get_pixmap(
        matrix=pymupdf.Matrix(scale, scale).prerotate(-turn), colorspace=pymupdf.csRGB, alpha=False, annots=False
    )
    pixels.set_dpi(_DPI, _DPI)
    try:
        written = pixels.pdfocr_tobytes(compress=False, language=languages, tessdata=tessdata)
    except pymupdf.mupdf.FzErrorLibrary as error:
        what = f"Tesseract cannot use its data for {languages}."
        raise ReadDeskError(what, "Install them again, or choose another language.") from error
    size = (width, height) if turn in (0, 180) else (height, width)
    with pymupdf.open(stream=written, filetype="pdf") as read:
        sheet = read[0]
        across, down = size[0] / sheet.rect.width, size[1] / sheet.rect.height
        lines = list(_mended([line for line in _lines(sheet) if line.text.strip()]))
    found: list[list[RecognisedWord]] = []
    for line in lines:
        words = []
        for word in line.words:
            box = word.left * across, (word.bottom - word.height) * down, word.right * across, word.bottom * down
            place = _rounded(turned(box, *size, turn))
            words += [RecognisedWord(part, len(found), place) for part in word.text.split()]
        found.append(words)
    return found


def _lines(sheet: Any) -> Iterator[_Line]:
    """The lines of MuPDF's invisible text, told by their baselines; a word ends where letters do not touch."""
    line = _Line()
    for letter, baseline, (left, top, right, bottom) in _letters(sheet):
        if line.words and not _goes_on(line.last, left, right, baseline):
            yield line
            line = _Line()
        if not line.words or left > line.last.right + _TOUCHING or baseline != line.last.bottom:
            line.words.append(_Word(letter, left, right, baseline, bottom - top))
        else:
            line.last.text += letter
            line.last.right = right
    if line.words:
        yield line


def _goes_on(last: _Word, left: float, right: float, baseline: float) -> bool:
    """Whether a letter stands behind a word in the same line."""
    return abs(last.bottom - baseline) <= _ASKEW * last.height and left >= last.right - (right - left)


def _letters(sheet: Any) -> Iterator[tuple[str, float, Rectangle]]:
    """Each letter with its baseline and its rectangle, in the order in which Tesseract read them."""
    for block in sheet.get_text("rawdict", flags=pymupdf.TEXT_INHIBIT_SPACES)["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                for glyph in span["chars"]:
                    yield glyph["c"], round(glyph["origin"][1], 2), glyph["bbox"]


def _mended(lines: Sequence[_Line]) -> Iterator[_Line]:
    """The lines, those too high for their letters brought to the usual height, between their neighbours."""
    usual = median([line.height for line in lines]) if lines else 0.0
    for number, line in enumerate(lines):
        letters = [(word.right - word.left) / len(word.text) for word in line.words]
        if line.height <= _TOO_HIGH * _LETTERS_FOR_HEIGHT * median(letters):
            yield line
            continue
        before = lines[number - 1] if number else None
        after = lines[number + 1] if number + 1 < len(lines) else None
        bottom = line.bottom
        if before and after and before.bottom + usual < after.bottom - after.height:
            bottom = min((before.bottom + after.bottom) / 2, after.bottom - after.height)
        yield _Line([replace(word, bottom=bottom, height=usual) for word in line.words])


def _rounded(box: Rectangle) -> Rectangle:
    left, top, right, bottom = box
    return round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)
