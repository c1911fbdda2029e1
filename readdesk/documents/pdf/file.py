"""PyMuPDF itself, and a file of leaves opened with it: for reading, for drawing, for recognising text.

Most are PDFs. FB2, MOBI, XPS and CBZ are opened as far as the library does it; what has no leaves of its own (the first
two) is always set on the same sheets in the same size, so that a place on a leaf stays what it is.

PyMuPDF 2.0 imports its layout part with onnxruntime (0.7 s, 140 MB) and its Markdown part with onnxruntime too (0.25 s,
85 MB); both are kept out (0.1 s, 50 MB). What must stay true: `needs_pass` is asked before any page; the sheets' size
never changes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from readdesk.documents.model import Format, has_leaves
from readdesk.documents.open import sniff
from readdesk.errors import DocumentError, PasswordNeeded

for part in ("pymupdf.layout", "pymupdf4llm"):
    sys.modules.setdefault(part, None)  # type: ignore[arg-type]  # None is how an import is refused
import pymupdf as typed_in_part  # noqa: E402 - after those parts have been kept out

pymupdf: Any = typed_in_part
pymupdf.TOOLS.unset_quad_corrections(False)  # Whoever imports the Markdown part takes the fonts' own heights away.

FAILURES = (RuntimeError, ValueError, IndexError, ArithmeticError, AssertionError, pymupdf.mupdf.FzErrorBase)
"""What PyMuPDF raises for damaged files, and where something that only PDFs have is asked of another file."""

_SHEET = {"width": 420, "height": 595, "fontsize": 11}
"""On what FB2 and MOBI are set: A5, in points."""


def silence() -> None:
    """Keep MuPDF's complaints about damaged files off the screen: the person gets a sentence instead."""
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.no_recommend_layout()


def open_file(path: Path, password: str | None) -> Any:
    """Open a file of leaves; raises PasswordNeeded or DocumentError (damaged, empty, protected, something else)."""
    format = _format_of(path)
    try:
        document = pymupdf.open(path, filetype=format)
        if document.needs_pass and not document.authenticate(_typed(password)):
            document.close()
            raise _locked(path.name, password)
        if document.is_reflowable:
            document.layout(**_SHEET)
        is_empty = document.is_pdf != (format == "pdf") or document.page_count == 0
    except FAILURES as error:
        raise _unreadable(path.name, format, error) from error
    if is_empty:
        document.close()
        raise DocumentError(f"{path.name} is damaged or was cut short: no page is left in it.", "Get the file again.")
    return document


def _format_of(path: Path) -> Format:
    """What the file is by its content; what is no file of leaves is opened as a PDF, which fails with a sentence."""
    try:
        format = sniff(path)
    except DocumentError:
        return "pdf"
    return format if has_leaves(format) else "pdf"


def _typed(password: str | None) -> str:
    """A password as the library takes one; a terminal may hand on bytes that are no text."""
    return (password or "").encode(errors="replace").decode()


def _unreadable(name: str, format: Format, error: Exception) -> DocumentError:
    if "encryption" in str(error.__cause__) or "crypt filter" in str(error.__cause__):
        return DocumentError(
            f"{name} is protected so that only certain programs can read it (DRM).", "Get a copy without that."
        )
    kind = "a PDF" if format == "pdf" else f"{'an' if format in ('fb2', 'mobi', 'xps') else 'a'} {format.upper()} file"
    return DocumentError(f"{name} is damaged and cannot be read as {kind}.", "Get the file again.")


def _locked(name: str, password: str | None) -> PasswordNeeded:
    if password is None:
        return PasswordNeeded(
            f"{name} is locked with a password.", "Type it to open the file.", "Give it with --password."
        )
    return PasswordNeeded(
        f"The password for {name} is wrong.", "Type the right one.", "Give the right one with --password."
    )
