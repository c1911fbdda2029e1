"""The front process's side of drawing: leaves of a PDF and pictures of an EPUB, drawn in a process of their own.

Pixels come through one block of shared memory that this side makes, enlarges and removes; the child only writes into
it. They are copied out at once, so that the next drawing cannot change the last. A leaf that takes long is stopped
through a `StopLine`, and comes as far as it was drawn; so is one that is not wanted any more. Only what cannot even be
stopped costs the process its life.

What must stay true: no format library is imported here; one thread at a time; a drawing that is cancelled, crashes or
never ends harms only its own request, and one that is not whole says so; after `close` neither the process nor the
block is left.
"""

from __future__ import annotations

import posixpath
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

from readdesk.cancel import CancelToken
from readdesk.documents.model import GlyphLine, Lack, Leaf, LeafSpot, Link, Picture
from readdesk.documents.stopline import StopLine
from readdesk.errors import DocumentError, WorkerError
from readdesk.worker import Worker

SILENCE_SECONDS = 18.0
"""How long anything may take that cannot be stopped; what takes longer never ends, as a rule."""

PATIENCE_SECONDS = 4.0
"""After how long a leaf is shown as far as it is drawn, unless whoever asks has more patience, or less."""

_COARSER = 3
"""How many times as large the pixels of a coarse drawing are: a drawing-heavy leaf then takes a quarter of the time."""

_MEBIBYTE = 1 << 20
_FIRST_CANVAS = 8 * _MEBIBYTE


class LeafDrawer:
    """Draws in the document process; started again by itself when a file has brought that down."""

    def __init__(self, output: Path | None = None) -> None:
        self._line = StopLine()
        service = "readdesk.documents.render:RenderService"
        self._worker = Worker(service, self._line, name="document drawing", output=output)
        self._canvas: SharedMemory | None = None

    def start(self) -> None:
        """Start the process so that the first leaf need not wait for it."""
        self._worker.start()

    def open(self, path: Path, password: str | None = None, cancel: CancelToken | None = None) -> tuple[Leaf, ...]:
        """Every leaf of a PDF, without drawing it; raises PasswordNeeded, DocumentError or Cancelled."""
        leaves: tuple[Leaf, ...] = self._ask(path.name, "open", "open", str(path), password, cancel=cancel)
        return leaves

    def leaf(
        self,
        path: Path,
        password: str | None,
        index: int,
        scale: float,
        cancel: CancelToken | None = None,
        *,
        seconds: float = PATIENCE_SECONDS,
        is_coarse: bool = False,
    ) -> Picture:
        """A leaf by its 0-based index with `scale` pixels a point (less where that would be too many pixels).

        After so many seconds it is taken as far as it is drawn; a coarse one has larger pixels. The picture says what
        it lacks. Raises PasswordNeeded, DocumentError or Cancelled.
        """
        what, cancel = f"Leaf {index + 1} of {path.name}", cancel or CancelToken()
        if is_coarse:
            scale /= _COARSER
        order = self._line.next_order()
        args = (str(path), password, index, scale, is_coarse, order)
        canvas = self._canvas or self._new_canvas(_FIRST_CANVAS)
        with cancel.calling(lambda: self._line.stop(order)):
            while isinstance(answer := self._leaf(what, args, canvas, order, seconds, cancel), int):
                canvas = self._new_canvas(answer)
        width, height, stride, is_whole = answer
        lack: Lack = "rest" if not is_whole else "detail" if is_coarse else ""
        return _copied(canvas, width, height, stride, lack)

    def locate(
        self, path: Path, password: str | None, spots: tuple[LeafSpot, ...], cancel: CancelToken | None = None
    ) -> tuple[LeafSpot, ...]:
        """The same spots with the rectangles of exactly their characters, one a line, in points on the drawn leaf."""
        located: tuple[LeafSpot, ...] = self._ask(
            f"The text of {path.name}", "find", "locate", str(path), password, spots, cancel=cancel
        )
        return located

    def links(self, path: Path, password: str | None, leaf: int, cancel: CancelToken | None = None) -> tuple[Link, ...]:
        """The links on a leaf (0-based); raises PasswordNeeded, DocumentError or Cancelled."""
        what = f"Leaf {leaf + 1} of {path.name}"
        found: tuple[Link, ...] = self._ask(what, "read", "links", str(path), password, leaf, cancel=cancel)
        return found

    def glyphs(
        self, path: Path, password: str | None, leaf: int, cancel: CancelToken | None = None
    ) -> tuple[GlyphLine, ...]:
        """Where the characters of a leaf (0-based) are drawn; raises PasswordNeeded, DocumentError or Cancelled."""
        what = f"Leaf {leaf + 1} of {path.name}"
        found: tuple[GlyphLine, ...] = self._ask(what, "read", "glyphs", str(path), password, leaf, cancel=cancel)
        return found

    def picture(self, path: Path, member: str, widest: int, cancel: CancelToken | None = None) -> Picture:
        """An image file of an EPUB, at most `widest` pixels wide and never enlarged; an SVG just that wide.

        Raises DocumentError or Cancelled.
        """
        what = f"The picture {posixpath.basename(member)} in {path.name}"
        return self._draw(what, "picture", str(path), member, widest, cancel=cancel)

    def close(self) -> None:
        """End the process and give the shared memory back."""
        self._worker.close()
        self._line.close()
        self._drop_canvas()

    def _leaf(
        self, what: str, args: tuple[Any, ...], canvas: SharedMemory, order: int, seconds: float, cancel: CancelToken
    ) -> Any:
        """Have a leaf drawn, and say stop so many seconds after that was begun: opening a file is not drawing."""
        timer = threading.Timer(seconds, self._line.stop, (order,))
        answer = None
        try:
            with _telling(what, "draw"):
                for answer in self._worker.stream(
                    "leaf", *args, canvas.name, canvas.size, cancel=cancel, timeout=SILENCE_SECONDS
                ):
                    if answer is None:
                        timer.start()
        finally:
            timer.cancel()
        return answer

    def _draw(self, what: str, method: str, *args: Any, cancel: CancelToken | None) -> Picture:
        """Have something drawn, in a larger canvas when the first one was too small, and copy it out."""
        canvas = self._canvas or self._new_canvas(_FIRST_CANVAS)
        while isinstance(
            answer := self._ask(what, "draw", method, *args, canvas.name, canvas.size, cancel=cancel), int
        ):
            canvas = self._new_canvas(answer)
        width, height, stride = answer
        return _copied(canvas, width, height, stride)

    def _ask(self, what: str, verb: str, method: str, *args: Any, cancel: CancelToken | None) -> Any:
        with _telling(what, verb):
            return self._worker.call(method, *args, cancel=cancel, timeout=SILENCE_SECONDS)

    def _new_canvas(self, needed: int) -> SharedMemory:
        self._drop_canvas()
        try:
            self._canvas = SharedMemory(create=True, size=-(-needed // _MEBIBYTE) * _MEBIBYTE)
        except OSError as error:
            raise DocumentError(
                "There is no memory left to draw in.", "Close other programs, then try again."
            ) from error
        return self._canvas

    def _drop_canvas(self) -> None:
        canvas, self._canvas = self._canvas, None
        if canvas is not None:
            canvas.close()
            canvas.unlink()


def _copied(canvas: SharedMemory, width: int, height: int, stride: int, lack: Lack = "") -> Picture:
    pixels: Any = canvas.buf
    return Picture(width, height, stride, bytes(pixels[: stride * height]), lack)


@contextmanager
def _telling(what: str, verb: str) -> Iterator[None]:
    """Tell a person that the process was too slow or has died."""
    asked = time.monotonic()
    try:
        yield
    except WorkerError as error:
        if time.monotonic() - asked >= SILENCE_SECONDS:
            hint = "Try a smaller size, or another part of the file."
            raise DocumentError(f"{what} takes too long to {verb}.", hint) from error
        hint = "The file is probably damaged; get it again."
        raise DocumentError(f"{what} makes the program that draws it crash.", hint) from error
