"""The text of PDFs as programs find it that have nothing to do with ReadDesk or MuPDF.

`pdftotext -raw` (Poppler) where it is installed, else pypdf. Tried on all files of the folder of real documents,
Poppler agrees with MuPDF to the letter on all but three (symbols in geotopo-de.pdf that have no Unicode values, an
Arabic word in rotated-arabic.pdf that has two texts, and derived-truncated-warn.pdf, which it does not open); pypdf
differs in five more. Where none of them reads a file, only MuPDF's own text is left to compare with.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pypdf

_LIMIT_SECONDS = 120


@dataclass(frozen=True)
class Told:
    """The text of each leaf, and which program read it."""

    program: str
    leaves: tuple[str, ...]


def content(text: str) -> Counter[str]:
    """The letters and digits of a text after NFKC; soft hyphens, spaces and signs are none."""
    return Counter(filter(str.isalnum, unicodedata.normalize("NFKC", text)))


def told_by_others(path: Path, password: str | None, leaves: int) -> Told | None:
    """What the first program says that reads so many leaves of a file; None where no program does."""
    for program, read in (("pdftotext", _by_poppler), ("pypdf", _by_pypdf)):
        found = read(path, password)
        if len(found) == leaves:
            return Told(program, tuple(found))
    return None


def _by_poppler(path: Path, password: str | None) -> list[str]:
    program = shutil.which("pdftotext")
    if program is None:
        return []
    words = [program, "-raw", "-enc", "UTF-8", *(["-upw", password] if password else []), str(path), "-"]
    done = subprocess.run(words, capture_output=True, timeout=_LIMIT_SECONDS)
    return done.stdout.decode("utf-8", "replace").split("\f")[:-1]


def _by_pypdf(path: Path, password: str | None) -> list[str]:
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(path)
        if reader.is_encrypted:
            reader.decrypt(password or "")
        return [page.extract_text() for page in reader.pages]
    except Exception:  # It raises whatever its parser meets in a damaged file.
        return []
