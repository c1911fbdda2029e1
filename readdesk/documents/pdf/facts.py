"""What a PDF says of itself: its title, its authors, its language.

The title that a program wrote into a file is often its name or a word like "untitled"; then the largest text of the
first leaf with text is the title, as in most papers and books, else the file's name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from readdesk.documents.draft import Told
from readdesk.documents.model import Labelling
from readdesk.documents.normal import one_line
from readdesk.documents.pdf.file import FAILURES
from readdesk.documents.pdf.headings import depth_of
from readdesk.documents.pdf.leaves import Leaf, Measures, rows_of
from readdesk.documents.pdf.objects import CONTROL, line_of, whole
from readdesk.documents.text.names import is_contents

_JUNK_TITLE = re.compile(
    r"(?:untitled.{0,12}|no ?title|title|document\s?\d*|doc\d+|presentation\d*|slide \d+"
    r"|microsoft (?:word|powerpoint).*"
    r"|unbenannt.{0,12}|sans titre.{0,12}|sin título.{0,12}|без названия|无标题|無題|новый документ"
    r"|(?:scan|img|image|dsc)[\s_-]*\d[\w\s-]*|\(?[\d\W_]+\)?|(?:file|https?):.*|[^\s]*[/\\][^\s]*|\S+\.[a-z]{2,4}"
    r"|.*\.(?:docx?|pptx?|xlsx?|odt|tex|dvi|indd|qxd|rtf|pdf|e?ps|html?|txt))",
    re.IGNORECASE,
)
_JUNK_AUTHOR = re.compile(
    r"(?:unknown|anonymous|author|user|admin|administrator|owner|root|default|microsoft( office user)?|windows user"
    r"|\S+\.\w{2,4}|\W*)",
    re.IGNORECASE,
)
_AUTHOR_GAP = re.compile(r"\s*[;&\n]\s*|,?\s+(?:and|und|et|y|и)\s+")
_COMMA = re.compile(r"\s*[,，、]\s*")
_LONGEST_TITLE = 200
_LONGEST_AUTHORS = 5_000
_LARGER = 1.15
_LEAVES_WITH_TITLE = 3
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[\w-]+)?")


def told_of(document: Any, path: Path, leaves: Sequence[Leaf], labels: Sequence[str], measures: Measures) -> Told:
    """What the file says of itself, and what its first leaf says where the file says nothing."""
    facts = document.metadata or {}
    title = line_of(facts.get("title") or "")
    if not title or _JUNK_TITLE.fullmatch(title):
        title = largest(leaves, measures) or path.stem
    return Told(
        title=title,
        authors=authors_of(whole(CONTROL.sub("", (facts.get("author") or "")[:_LONGEST_AUTHORS]))),
        language=_language(document),
        leaves=len(leaves),
        labels=tuple(labels),
        labelling=_labelling(leaves, labels),
    )


def largest(leaves: Sequence[Leaf], measures: Measures) -> str:
    """The largest text of the first leaf with text, if it is large enough to be a title; else ""."""
    leaf = next((leaf for leaf in leaves[:_LEAVES_WITH_TITLE] if leaf.lines), None)
    if leaf is None or leaf.kind == "ocr" or any(line.is_hidden for line in leaf.lines):
        return ""
    rows = [row for row in rows_of(leaf.lines) if row.is_level and sum(map(str.isalpha, row.text)) >= 3]
    size = max((row.size for row in rows), default=0.0)
    text = one_line(" ".join(row.text for row in rows if row.size > size - 0.5)).rstrip("*†‡§ ")
    is_title = size >= _LARGER * measures.body and len(text) <= _LONGEST_TITLE and not _JUNK_TITLE.fullmatch(text)
    return text if is_title and not is_contents(text) and not _is_chapter(text, size, leaf, leaves) else ""


def _is_chapter(text: str, size: float, leaf: Leaf, leaves: Sequence[Leaf]) -> bool:
    """Whether a numbered text is the first of several that are as large."""
    if depth_of(text) is None:
        return False
    return any(line.size > size - 0.5 for other in leaves[leaf.index + 1 :] for line in other.lines)


def authors_of(told: str) -> tuple[str, ...]:
    """The names in a file's line of authors, however they are parted; "Surname, Given name" is one."""
    names: list[str] = []
    for part in _AUTHOR_GAP.split(told):
        parts = [one_line(name) for name in _COMMA.split(part) if name.strip()]
        are_whole = len(parts) > 1 and sum(1 for name in parts if " " in name or not name.isascii()) * 2 > len(parts)
        names += parts if are_whole else [one_line(part).strip(", ")]
    return tuple(name for name in names if not _JUNK_AUTHOR.fullmatch(name))


def _language(document: Any) -> str:
    try:
        kind, value = document.xref_get_key(document.pdf_catalog(), "Lang")
    except FAILURES:
        return ""
    return str(value) if kind == "string" and _LANGUAGE.fullmatch(value) else ""


def _labelling(leaves: Sequence[Leaf], labels: Sequence[str]) -> Labelling:
    if not any(labels):
        return ""
    return "file" if all(leaf.label == label for leaf, label in zip(leaves, labels, strict=True)) else "found"
