"""PDFs that somebody hostile, or no program at all, would write, beside those of `hostile.py`: a trait each.

Every function writes a file and returns its path.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.samples.hostile import one_leaf

WORDS = b"BT /F1 12 Tf 72 700 Td (It was a bright cold day in April.) Tj ET"

HIGHLIGHT = (
    b"<< /Type /Annot /Subtype /Highlight /Rect [60 690 300 715] /QuadPoints [60 715 200 715 60 690 200 690] %s >>"
)


def annotated(path: Path, annotations: Sequence[bytes], content: bytes = WORDS) -> Path:
    """A leaf with annotations written by hand."""
    more = {10 + number: entry for number, entry in enumerate(annotations)}
    references = b" ".join(b"%d 0 R" % number for number in more)
    page = b"/MediaBox [0 0 612 792] /Annots [" + references + b"]"
    return one_leaf(path, content, page=page, more=more)


def pinned(path: Path, count: int) -> Path:
    """A leaf to which so many files are pinned."""
    entry = (
        b"<< /Type /Annot /Subtype /FileAttachment /Rect [%d 1 %d 30] "
        b"/FS << /Type /Filespec /F (file %d) /EF << /F 9 0 R >> >> >>"
    )
    return annotated(path, [entry % (number, number + 9, number) for number in range(count)])


def titled(path: Path, title: bytes, author: bytes = b"()") -> Path:
    """A leaf of a document with a title and an author, as they are written in the file."""
    return one_leaf(path, WORDS, trailer=b"/Info 10 0 R", more={10: b"<< /Title %s /Author %s >>" % (title, author)})


def font(name: bytes) -> bytes:
    """A font that every reader has."""
    return b"<< /Type /Font /Subtype /Type1 /BaseFont /%s >>" % name
