"""What Project Gutenberg puts around its texts: a licence before and after, and what the book is called in between."""

from __future__ import annotations

import re
from dataclasses import dataclass

_START = re.compile(r"^\*\*\* ?START OF (?:THE|THIS) PROJECT GUTENBERG.*$", re.MULTILINE)
_SMALL_PRINT = re.compile(r"^\*END[* ]+THE SMALL PRINT.*$", re.MULTILINE)
_END = re.compile(
    r"^(?:\*\*\* ?END OF (?:THE|THIS) PROJECT GUTENBERG|End of (?:the |this )?Project Gutenberg).*$", re.MULTILINE
)
_FIELD = re.compile(r"^(Title|Author|Language):[ \t]*(\S.*(?:\r?\n[ \t]+\S.*)*)", re.MULTILINE)
_WITHIN = 30_000
TITLE = "Project Gutenberg licence"


@dataclass(frozen=True)
class Wrapped:
    """Where the book itself starts and ends in the text, and what the wrapping says of it."""

    start: int
    end: int
    title: str = ""
    author: str = ""


def unwrapped(text: str) -> Wrapped:
    """The book within what Project Gutenberg adds; all of the text where it adds nothing."""
    head = text[:_WITHIN]
    match = _START.search(head) or _SMALL_PRINT.search(head)
    start = match.end() if match else 0
    ending = next((found for found in _END.finditer(text, start)), None)
    end = ending.start() if ending and match else len(text)
    fields = {found[1]: " ".join(found[2].split()) for found in _FIELD.finditer(head[:start])}
    return Wrapped(start, end, fields.get("Title", ""), fields.get("Author", ""))
