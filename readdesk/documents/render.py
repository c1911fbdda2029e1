"""The document process that draws: leaves of a PDF and pictures of an EPUB as pixels, and where characters are drawn.

A drawing-heavy leaf takes minutes and cannot always be interrupted, and pixels are too large for a pipe: so this runs
in a process of its own that may be killed, and writes into shared memory that the front process owns. What an image
file is, MuPDF finds out by its content, and draws it as a page: that puts transparent parts on white, turns photographs
upright and brings all colours to RGB.

What must stay true: the size of a drawing is known before anything is drawn, so that nothing is drawn twice or too
large; rectangles are those of the *drawn* leaf, in points; a leaf's own text is that of `pdf/readable.py`, character
for character; whoever asks names path and password each time, because this process may be a new one.
"""

from __future__ import annotations

import math
import posixpath
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import psutil

from readdesk.cancel import CancelToken
from readdesk.documents.epub.archive import Archive
from readdesk.documents.glyphs import lines_of
from readdesk.documents.model import GlyphLine, Leaf, LeafSpot, Link
from readdesk.documents.pdf.covering import Covering
from readdesk.documents.pdf.file import FAILURES, open_file, pymupdf, silence
from readdesk.documents.pdf.links import links_of
from readdesk.documents.pdf.pagelabels import labels_in
from readdesk.documents.pdf.painting import Painter
from readdesk.documents.pdf.places import Glyph
from readdesk.documents.pdf.readable import own_glyphs, own_inks
from readdesk.documents.stopline import StopLine
from readdesk.errors import DocumentError

Drawn = tuple[int, int, int]
"""Width, height and bytes from one row to the next of what was drawn."""

LeafPainted = tuple[int, int, int, bool]
"""The same of a leaf, and whether it is all of it."""

_MOST_PIXELS = 24_000_000
_MOST_PIXELS_IN_A_FILE = 100_000_000
_BYTES_A_PIXEL = 3
_UNREADABLE_LEAF = (612.0, 792.0)
_MOST_MEMORY = 200 << 20
_SVG_WITHIN = 65_536
_GET_AGAIN = "Get the file again."

_Key = tuple[str, str | None, int, int]


class RenderService:
    """Draws what is asked for, one thing at a time; keeps the file that it used last."""

    def __init__(self, line: StopLine | None = None) -> None:
        silence()
        self._painter = Painter(line)
        self._key: _Key | None = None
        self._file: Any = None

    def open(self, path: str, password: str | None, *, cancel: CancelToken) -> tuple[Leaf, ...]:
        """Every leaf's size in points, as drawn, and its printed label; raises PasswordNeeded or DocumentError."""
        document = self._kept(path, password, open_file)
        labels = labels_in(document)
        leaves = []
        for index in range(document.page_count):
            cancel.raise_if_cancelled()
            leaves.append(Leaf(*_size(document, index), labels[index] if labels else ""))
        return tuple(leaves)

    def leaf(
        self,
        path: str,
        password: str | None,
        index: int,
        scale: float,
        is_coarse: bool,
        order: int,
        canvas: str,
        room: int,
        *,
        cancel: CancelToken,
    ) -> Iterator[LeafPainted | int | None]:
        """Draw a leaf with `scale` pixels a point until the order to stop comes.

        Yields None when it begins, then what was drawn; or nothing but the bytes that it needs.
        """
        document = self._kept(path, password, open_file)
        cancel.raise_if_cancelled()
        try:
            page = document[index]
            size = _pixels(page.rect.width, page.rect.height, scale)
            if (needed := math.prod(size) * _BYTES_A_PIXEL) > room:
                yield needed
                return
            yield None
            pixmap, is_whole = self._painter.paint(page, size, order, is_coarse=is_coarse)
            yield (*_put(pixmap, canvas), is_whole)
        except FAILURES as error:
            what = f"Leaf {index + 1} of {Path(path).name}"
            raise DocumentError(f"{what} is damaged and cannot be drawn.", _GET_AGAIN) from error

    def locate(
        self, path: str, password: str | None, spots: tuple[LeafSpot, ...], *, cancel: CancelToken
    ) -> tuple[LeafSpot, ...]:
        """The same spots with the rectangles of exactly their characters, one a line, mostly; others as they came."""
        document = self._kept(path, password, open_file)
        leaves: dict[int, Covering] = {}
        located = []
        for spot in spots:
            cancel.raise_if_cancelled()
            if spot.leaf not in leaves:
                leaves[spot.leaf] = _covering(document, spot.leaf)
            found = leaves[spot.leaf].rectangles(spot.start, spot.end)
            located.append(spot if found is None else replace(spot, rectangles=found))
        return tuple(located)

    def links(self, path: str, password: str | None, index: int, *, cancel: CancelToken) -> tuple[Link, ...]:
        """The links on a leaf; none where it cannot be read."""
        document = self._kept(path, password, open_file)
        cancel.raise_if_cancelled()
        try:
            return links_of(document, index)
        except FAILURES:
            return ()

    def glyphs(self, path: str, password: str | None, index: int, *, cancel: CancelToken) -> tuple[GlyphLine, ...]:
        """The lines of a leaf's own text with where each character is drawn; none where it cannot be read."""
        document = self._kept(path, password, open_file)
        cancel.raise_if_cancelled()
        return lines_of(_lines(document, index))

    def picture(
        self, path: str, member: str, widest: int, canvas: str, room: int, *, cancel: CancelToken
    ) -> Drawn | int:
        """Draw an image file of an EPUB, at most `widest` pixels wide and never enlarged; an SVG just that wide."""
        archive: Archive = self._kept(path, None, lambda file, _: Archive(file))
        what = f"The picture {posixpath.basename(member)} in {Path(path).name}"
        data = archive.read(archive.find(member))
        if not data:
            raise DocumentError(f"{what} is missing or damaged.", _GET_AGAIN)
        cancel.raise_if_cancelled()
        try:
            pixels = None if _is_svg(data) else _pixels_of_file(data)
            if pixels and math.prod(pixels) > _MOST_PIXELS_IN_A_FILE:
                millions = math.prod(pixels) // 1_000_000
                raise DocumentError(f"{what} is too large to be drawn ({millions:,} megapixels).")
            with pymupdf.open(stream=data, filetype="png" if pixels else "svg") as drawing:
                page = drawing[0]
                width, height = pixels or (page.rect.width, page.rect.height)
                scale = max(widest, 1) / width
                size = _pixels(width, height, min(scale, 1.0) if pixels else scale)
                return _draw(page, size, canvas, room)
        except FAILURES as error:
            raise DocumentError(f"{what} is damaged, or of a kind that cannot be drawn.") from error

    def close(self) -> None:
        """Close the file that was kept."""
        file, self._file, self._key = self._file, None, None
        if file is not None:
            file.close()

    def _kept(self, path: str, password: str | None, open_it: Callable[[Path, str | None], Any]) -> Any:
        """The opened file: still the last one, or opened now because it is another or has changed on disk."""
        file = Path(path)
        try:
            status = file.stat()
            key = (path, password, status.st_mtime_ns, status.st_size)
            if key != self._key:
                self.close()
                self._file = open_it(file, password)
                self._key = key
        except OSError as error:
            raise DocumentError(f"{file.name} cannot be read: {error.strerror or error}.") from error
        return self._file


# -- leaves ------------------------------------------------------------------------------------------------------


def _size(document: Any, index: int) -> tuple[float, float]:
    """A leaf's width and height as drawn; one that cannot be loaded still takes its place."""
    try:
        rectangle = document[index].rect
        return rectangle.width, rectangle.height
    except FAILURES:
        return _UNREADABLE_LEAF


# -- where characters are ----------------------------------------------------------------------------------------


def _lines(document: Any, index: int) -> list[list[Glyph]]:
    """The characters of each line of a leaf with their rectangles as drawn; none where it cannot be read."""
    try:
        return own_glyphs(document[index])
    except FAILURES:
        return []


def _covering(document: Any, index: int) -> Covering:
    """What covers the characters of a leaf as it is drawn; nothing where it cannot be read."""
    lines = _lines(document, index)
    try:
        return Covering(lines, own_inks(document[index], lines))
    except FAILURES:
        return Covering(lines)


# -- pixels ------------------------------------------------------------------------------------------------------


def _pixels(width: float, height: float, scale: float) -> tuple[int, int]:
    """The size of a drawing: as asked for, or as large as a drawing may be."""
    scale = min(scale, math.sqrt(_MOST_PIXELS / (width * height)))
    across = min(max(round(width * scale), 1), _MOST_PIXELS)
    return across, min(max(round(height * scale), 1), _MOST_PIXELS // across)


def _draw(page: Any, size: tuple[int, int], canvas: str, room: int) -> Drawn | int:
    """Draw a page into a block of shared memory, or return the bytes that this needs when they are more than `room`."""
    needed = math.prod(size) * _BYTES_A_PIXEL
    if needed > room:
        return needed
    matrix = pymupdf.Matrix(size[0] / page.rect.width, size[1] / page.rect.height)
    pixmap = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csRGB, alpha=False, annots=True)
    if len(pixmap.samples_mv) > room:  # A corner that is a hair beyond its pixel adds a row.
        return len(pixmap.samples_mv)
    return _put(pixmap, canvas)


def _put(pixmap: Any, canvas: str) -> Drawn:
    """Copy a drawing into a block of shared memory that has room for it."""
    samples = pixmap.samples_mv
    # Attaching tells the resource tracker (Python 3.11), which both processes share and which knows the name already;
    # to take it back there would make the front process's `unlink` complain.
    block = SharedMemory(name=canvas)
    try:
        pixels: Any = block.buf
        pixels[: len(samples)] = samples
    finally:
        block.close()
    _forget_pictures()
    return pixmap.width, pixmap.height, pixmap.stride


def _forget_pictures() -> None:
    """Empty MuPDF's store of decoded pictures before it holds hundreds of megabytes; until then it makes zooming fast.

    Measured from outside, because `TOOLS.store_size` of PyMuPDF 2.0 tells nothing.
    """
    if psutil.Process().memory_info().rss > _MOST_MEMORY:
        pymupdf.TOOLS.store_shrink(100)


def _is_svg(data: bytes) -> bool:
    head = data[:_SVG_WITHIN].removeprefix(b"\xef\xbb\xbf").lstrip()
    return head.startswith(b"<") and b"<svg" in head


def _pixels_of_file(data: bytes) -> tuple[int, int]:
    """Width and height that an image file tells, as it is drawn; nothing is decoded for it.

    `pymupdf.image_profile` would say so, but that of PyMuPDF 2.0 fails on every image.
    """
    image = pymupdf.mupdf.fz_new_image_from_buffer(pymupdf.mupdf.fz_new_buffer_from_copied_data(data))
    width, height = image.w(), image.h()
    is_on_its_side = image.fz_image_orientation() in (2, 4, 6, 8)
    return (height, width) if is_on_its_side else (width, height)
