"""What a PDF itself calls its leaves: rules in a tree, each for the leaves from one on.

They are read from the file's own objects, once for all leaves. PyMuPDF 2.0 reads them all anew for every leaf (24 s
for 1,400 leaves with a rule each), fails on a slash in a prefix, and hands a prefix in UTF-16 on as it is written. What
must stay true: a broken or hostile tree costs next to nothing; a label is one line of a length that can be shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from readdesk.documents.numbering import Numeral
from readdesk.documents.pdf.file import FAILURES, pymupdf
from readdesk.documents.pdf.objects import get, line_of, name_at, text_at

_MOST_ENTRIES = 200_000
_LONGEST = 60
_LARGEST_ROMAN = 3999
_ROMAN = {"R": "I", "r": "i"}
_LETTERS = {"A": "A", "a": "a"}


def labels_in(document: Any) -> tuple[str, ...]:
    """The label of every leaf, "" for leaves before the first rule; nothing where the file has no labels."""
    if not document.is_pdf:
        return ()
    count = document.page_count
    try:
        root = get(get(pymupdf.mupdf.pdf_trailer(pymupdf._as_pdf_document(document)), "Root"), "PageLabels")
        rules = sorted({start: rule for start, rule in _rules(root) if 0 <= start < count}.items())
    except FAILURES:
        return ()
    labels = [""] * count
    for (start, rule), (end, _) in pairwise((*rules, (count, None))):
        labels[start:end] = _labels(rule, end - start)
    return tuple(labels) if rules else ()


def _rules(root: Any) -> Iterator[tuple[int, Any]]:
    """Each rule with the leaf from which it holds; without recursion, since a hostile tree has circles."""
    waiting, seen = [root], set[int]()
    while waiting:
        node = waiting.pop()
        numbers = list(_entries(get(node, "Nums")))
        for start, rule in zip(numbers[::2], numbers[1::2], strict=False):
            yield int(pymupdf.mupdf.pdf_to_int(start)), rule
        for child in _entries(get(node, "Kids")):
            number = int(pymupdf.mupdf.pdf_to_num(child))
            if not number or number not in seen:
                seen.add(number)
                waiting.append(child)


def _entries(array: Any) -> Iterator[Any]:
    for at in range(min(pymupdf.mupdf.pdf_array_len(array), _MOST_ENTRIES)):
        yield pymupdf.mupdf.pdf_array_get(array, at)


def _labels(rule: Any, count: int) -> list[str]:
    """What so many leaves are called by a rule."""
    prefix, style = line_of(text_at(rule, "P"))[:_LONGEST], name_at(rule, "S")
    first = max(1, int(pymupdf.mupdf.pdf_to_int(get(rule, "St"))))
    return [f"{prefix}{_written(number, style)}".strip() for number in range(first, first + count)]


def _written(number: int, style: str) -> str:
    """A number as decimal, roman or letters (a to z, aa to zz, ...), or nothing where only the prefix counts."""
    if style == "D" or (style in _ROMAN and number > _LARGEST_ROMAN):
        return str(number)
    if style in _ROMAN:
        return str(Numeral(number, _ROMAN[style]))
    if style in _LETTERS:
        return chr(ord(_LETTERS[style]) + (number - 1) % 26) * min(1 + (number - 1) // 26, _LONGEST)
    return ""
