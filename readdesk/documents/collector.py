"""Python's search for circles of objects, kept from running where there are none and it costs much.

What comes out of a file are hundreds of thousands of small values without circles. Both sides of a reading make them:
the process that reads (6 to 10 % of its time for a long PDF) and the one that keeps them.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Keep Python from looking for circles among the hundred thousands of pieces of a book, of which there are none.

    Each such look holds every thread, the window's too: 128 ms were measured while War and Peace was read.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
