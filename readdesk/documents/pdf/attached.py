"""The files that lie in a PDF: those that the whole document lists, and those pinned to a leaf.

They are named, never opened: what they hold is no part of the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from readdesk.documents.model import Attachment
from readdesk.documents.pdf.file import FAILURES, pymupdf
from readdesk.documents.pdf.objects import get, line_of, name_at, text_at

MOST_ATTACHED = 1_000
"""Files beyond it are not named, nor counted."""


def attachments_of(document: Any) -> list[Attachment]:
    """The files that lie in a PDF, each once."""
    found = [*_listed(document), *_pinned(document)]
    return list(dict.fromkeys(found))[:MOST_ATTACHED]


def _listed(document: Any) -> Iterator[Attachment]:
    try:
        tree = pymupdf.mupdf.pdf_load_name_tree(
            pymupdf._as_pdf_document(document), pymupdf.mupdf.pdf_new_name("EmbeddedFiles")
        )
        count = min(pymupdf.mupdf.pdf_dict_len(tree), MOST_ATTACHED)
    except FAILURES:
        return
    for at in range(count):
        try:
            name = pymupdf.mupdf.pdf_to_name(pymupdf.mupdf.pdf_dict_get_key(tree, at))
            yield _attachment(pymupdf.mupdf.pdf_dict_get_val(tree, at), name)
        except FAILURES:
            continue


def _pinned(document: Any) -> Iterator[Attachment]:
    for index in range(document.page_count):
        try:
            page = pymupdf._as_pdf_page(document[index])  # Held by a name: its annotations go when it goes.
            annotation = pymupdf.mupdf.pdf_first_annot(page)
            while annotation.m_internal:
                entry = pymupdf.mupdf.pdf_annot_obj(annotation)
                if name_at(entry, "Subtype") == "FileAttachment":
                    pinned = _attachment(get(entry, "FS"), "")
                    yield replace(pinned, description=pinned.description or line_of(text_at(entry, "Contents")))
                annotation = pymupdf.mupdf.pdf_next_annot(annotation)
        except FAILURES:
            continue


def _attachment(entry: Any, name: str) -> Attachment:
    held = get(entry, "EF")
    stream = get(held, "F")
    if not pymupdf.mupdf.pdf_is_dict(stream):
        stream = get(held, "UF")
    size = pymupdf.mupdf.pdf_to_int64(get(get(stream, "Params"), "Size"))
    called = line_of(text_at(entry, "UF")) or line_of(text_at(entry, "F")) or line_of(name) or "a file without a name"
    return Attachment(called, max(size, 0), line_of(text_at(entry, "Desc")))
