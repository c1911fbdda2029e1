"""A page as pixels, as far as they could be painted until somebody said stop.

Some leaves take minutes, and some made to do harm take for ever. MuPDF looks at its "cookie" between two things that it
paints: when the flag in it is raised it leaves the rest out, and what has been painted is a picture like any other,
also where it was painted into a transparent group. The flag is raised through a `StopLine`, from the front process.

What must stay true: there is one cookie as long as the process lives, because the system may write into it at any time;
an order to stop that came late, for an earlier drawing, does not harm this one; where the front process has died and no
order can come any more, this one does not go on for ever (not on Windows, which has no alarms).
"""

from __future__ import annotations

import ctypes
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from readdesk.documents.pdf.file import pymupdf
from readdesk.documents.stopline import StopLine

mupdf: Any = pymupdf.mupdf

_SMOOTH, _ROUGH = 8, 0
"""Bits with which MuPDF smooths the edges of lines and areas; letters are always smooth."""
_PATIENCE_SECONDS = 1.0
_LIFE_SECONDS = 30
"""More than a front process waits before it ends one that draws and cannot be stopped."""


class Painter:
    """Paints one page at a time, and stops when an order comes for it."""

    def __init__(self, line: StopLine | None = None) -> None:
        self._cookie = mupdf.FzCookie()
        # The flag `abort`, an int, is the cookie's first member; whichever of its bytes is set, it is raised.
        self._flag = (ctypes.c_ubyte * 1).from_address(int(self._cookie.m_internal.this))
        self._is_listening = line.listen(self._flag) if line is not None else None

    def paint(self, page: Any, size: tuple[int, int], order: int = 0, *, is_coarse: bool = False) -> tuple[Any, bool]:
        """A page as a pixmap of that many pixels, and whether all of it was painted before the order to stop came."""
        while True:
            if self._is_listening is not None:
                self._is_listening.wait(_PATIENCE_SECONDS)
            if self._flag[0] != order:  # It may have come already: then nothing is to be painted at all.
                self._flag[0] = 0
            with self._for_a_life():
                pixmap = self._painted(page, size, _ROUGH if is_coarse else _SMOOTH)
            if self._flag[0] in (0, order):
                return pixmap, not self._flag[0]

    @contextmanager
    def _for_a_life(self) -> Iterator[None]:
        """End this process if that takes too long for anybody to wait for; the system does, which needs no lock."""
        has_alarm = self._is_listening is not None and hasattr(signal, "alarm")
        if has_alarm:
            signal.alarm(_LIFE_SECONDS)
        try:
            yield
        finally:
            if has_alarm:
                signal.alarm(0)

    def _painted(self, page: Any, size: tuple[int, int], smoothness: int) -> Any:
        across, down = size[0] / page.rect.width, size[1] / page.rect.height
        matrix = mupdf.FzMatrix(across, 0, 0, down, -page.rect.x0 * across, -page.rect.y0 * down)
        pixmap = mupdf.fz_new_pixmap_with_bbox(pymupdf.csRGB.this, mupdf.FzIrect(0, 0, *size), mupdf.FzSeparations(), 0)
        pixmap.fz_clear_pixmap_with_value(255)
        mupdf.fz_set_graphics_aa_level(smoothness)
        try:
            device = mupdf.fz_new_draw_device(mupdf.FzMatrix(), pixmap)
            mupdf.fz_run_page(page.this, device, matrix, self._cookie)
            mupdf.fz_close_device(device)
        finally:
            mupdf.fz_set_graphics_aa_level(_SMOOTH)
        return pymupdf.Pixmap("raw", pixmap)
