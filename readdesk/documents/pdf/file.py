"""PyMuPDF itself, and a PDF opened with it: for reading, for drawing, for recognising text.

PyMuPDF 2.0 imports its layout part with onnxruntime (0.7 s, 140 MB) and its Markdown part with onnxruntime too (0.25 s,
85 MB); both are kept out (0.1 s, 50 MB). What must stay true: `needs_pass` is asked before any page.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from readdesk.errors import DocumentError, PasswordNeeded

for part in ("pymupdf.layout", "pymupdf4llm"):
    sys.modules.setdefault(part, None)  # type: ignore[arg-type]  # None is how an import is refused
import pymupdf as typed_in_part  # noqa: E402 - after those parts have been kept out

pymupdf: Any = typed_in_part

FAILURES = (RuntimeError, ValueError, IndexError, ArithmeticError, pymupdf.mupdf.FzErrorBase)
"""What PyMuPDF raises for damaged files."""


def silence() -> None:
    """Keep MuPDF's complaints about damaged files off the screen: the person gets a sentence instead."""
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.no_recommend_layout()


def open_file(path: Path, password: str | None) -> Any:
    """Open a PDF; raises PasswordNeeded or DocumentError (damaged, empty, protected, no PDF)."""
    try:
        document = pymupdf.open(path, filetype="pdf")
        if document.needs_pass and not document.authenticate(_typed(password)):
            document.close()
            raise _locked(path.name, password)
        is_empty = not document.is_pdf or document.page_count == 0
    except FAILURES as error:
        raise _unreadable(path.name, error) from error
    if is_empty:
        document.close()
        raise DocumentError(f"{path.name} is damaged or was cut short: no page is left in it.", "Get the file again.")
    return document


def _typed(password: str | None) -> str:
    """A password as the library takes one; a terminal may hand on bytes that are no text."""
    return (password or "").encode(errors="replace").decode()


def _unreadable(name: str, error: Exception) -> DocumentError:
    if "encryption" in str(error.__cause__) or "crypt filter" in str(error.__cause__):
        return DocumentError(
            f"{name} is protected so that only certain programs can read it (DRM).", "Get a copy without that."
        )
    return DocumentError(f"{name} is damaged and cannot be read as a PDF.", "Get the file again.")


def _locked(name: str, password: str | None) -> PasswordNeeded:
    if password is None:
        return PasswordNeeded(
            f"{name} is locked with a password.", "Type it to open the file.", "Give it with --password."
        )
    return PasswordNeeded(
        f"The password for {name} is wrong.", "Type the right one.", "Give the right one with --password."
    )
