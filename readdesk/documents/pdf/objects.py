"""Entries of a PDF's objects as Python's values: what is missing or of another type is empty, never an error.

Strings come without characters that command a terminal and without halves of characters, since they are shown and kept.
"""

from __future__ import annotations

import re
from typing import Any

from readdesk.documents.normal import one_line
from readdesk.documents.pdf.file import pymupdf

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Characters that belong in no text; tab and newline do."""

_LONGEST_LINE = 300


def get(entry: Any, key: str) -> Any:
    """The value of an entry of a dictionary."""
    return pymupdf.mupdf.pdf_dict_gets(entry, key)


def text_at(entry: Any, key: str) -> str:
    """An entry that is a string, decoded."""
    value = get(entry, key)
    return str(pymupdf.mupdf.pdf_to_text_string(value)) if pymupdf.mupdf.pdf_is_string(value) else ""


def name_at(entry: Any, key: str) -> str:
    """An entry that is a name."""
    return str(pymupdf.mupdf.pdf_to_name(get(entry, key)))


def numbers_at(entry: Any, key: str, most: int) -> list[float]:
    """The first numbers of an entry that is an array."""
    array = get(entry, key)
    count = min(pymupdf.mupdf.pdf_array_len(array), most)
    return [pymupdf.mupdf.pdf_to_real(pymupdf.mupdf.pdf_array_get(array, at)) for at in range(count)]


def line_of(text: str) -> str:
    """A text as one line of a length that can be shown."""
    return whole(one_line(CONTROL.sub("", text))[:_LONGEST_LINE])


def whole(text: str) -> str:
    """A text without halves of characters, which could be neither sent nor kept."""
    return text.encode(errors="replace").decode()
