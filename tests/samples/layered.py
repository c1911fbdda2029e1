"""PDFs with more on their leaves than text: notes, highlights, drawings, attached files, links; whole and broken ones.

Every function writes a file and returns its path.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf as typed_in_part

from tests.samples.make import LINES, lines

pymupdf: Any = typed_in_part

WORDS = "the old captain"
"""What the highlight of `marked` covers."""

RED = (1.0, 0.0, 0.0)


def marked(path: Path, turn: int = 0, unit: float = 1.0) -> Path:
    """A leaf, turned, cropped and in its own unit, with one mark of every kind; the note has two replies."""
    document = pymupdf.open()
    page = document.new_page(width=500, height=600)
    _write(page, lines(LINES))
    page.set_cropbox(pymupdf.Rect(40, 50, 480, 560))
    page.add_highlight_annot(_quads(page, WORDS)).set_colors(stroke=RED)
    for annotation in page.annots():
        _say(annotation, "A captain!", "Ann")
        annotation.update()
    _say(page.add_underline_annot(_quads(page, "three days")), "", "Ann")
    _say(page.add_strikeout_annot(_quads(page, "loose in the night")), "Too loose?", "")
    _say(page.add_squiggly_annot(_quads(page, "under water")), "", "")
    note = page.add_text_annot(pymupdf.Point(300, 200), "Where is the village?")
    _say(note, "Where is the village?", "Ann")
    first = _reply(page, note, "In the north.", "Bob", "D:20240301090000Z")
    _reply(page, first, "Of what?", "Ann", "D:20240302090000Z")
    typed = page.add_freetext_annot(pymupdf.Rect(100, 300, 300, 330), "Typed over the leaf", fontsize=11)
    _say(typed, "Typed over the leaf", "Bob")
    page.add_ink_annot([[(60, 350), (80, 370), (100, 350)]])
    page.add_rect_annot(pymupdf.Rect(120, 350, 200, 400))
    page.set_rotation(turn)
    if unit != 1.0:
        document.xref_set_key(page.xref, "UserUnit", str(unit))
    document.save(path)
    return path


def many_marks(path: Path, count: int, leaves: int = 4) -> Path:
    """Leaves with so many highlights in all, every one on a word of its own line; entries are written by hand."""
    document = pymupdf.open()
    each = count // leaves
    for leaf in range(leaves):
        page = document.new_page()
        _write(page, lines([f"Line {number} of leaf {leaf} has words." for number in range(50)], top=60))
        found = page.search_for("has")
        references = []
        for number in range(each):
            box = found[number % len(found)] * page.transformation_matrix
            xref = document.get_new_xref()
            quad = f"{box.x0} {box.y1} {box.x1} {box.y1} {box.x0} {box.y0} {box.x1} {box.y0}"
            document.update_object(
                xref,
                f"<</Type/Annot/Subtype/Highlight/Rect[{box.x0} {box.y0} {box.x1} {box.y1}]"
                f"/QuadPoints[{quad}]/Contents(Remark {leaf} {number})/T(Ann)/C[1 1 0]>>",
            )
            references.append(f"{xref} 0 R")
        document.xref_set_key(page.xref, "Annots", f"[{' '.join(references)}]")
    document.save(path)
    return path


BROKEN = (
    "<</Subtype/Highlight/Rect[0 0 0 0]/QuadPoints[]>>",
    "<</Subtype/Highlight/Rect[72 650 200 700]/QuadPoints[1 2 3]/Contents(Three numbers)>>",
    "<</Subtype/Highlight/QuadPoints[1e38 1e38 -1e38 1e38 1e39 0 0 0]/Contents(Far away)>>",
    "<</Subtype/Highlight/QuadPoints(text)/Rect/Name/Contents 7/T[1]/C(red)/M 12>>",
    "<</Subtype/Underline/QuadPoints[/a/b/c/d/e/f/g/h]>>",
    "<</Subtype/Text/Rect[10 10 10 10]/Contents(A point)/M(D:20249999)/C[1 2]>>",
    "<</Subtype/Text/IRT 1 0 R/Contents(A reply to nothing)>>",
    "<</Subtype/Text/Rect[900 900 950 950]/Contents(Beside the leaf)/M(yesterday)/C[0 1 1 0]>>",
    "<</Subtype/Ink/Rect[72 500 90 520]>>",
    "<</Subtype/Popup/Rect[0 0 10 10]/Contents(A pop-up of nobody)>>",
    "<</Subtype/Unheard/Rect[72 500 90 520]/Contents(Of no kind)>>",
    "<</Subtype/Stamp/Rect[72 500 90 520]/F 2/Contents(Hidden)>>",
    "<</Rect[72 500 90 520]>>",
    "null",
    "(a string)",
)


def broken_marks(path: Path, entries: Sequence[str] = BROKEN) -> Path:
    """A leaf whose annotations are written by hand, most of them as no program should; one is listed but missing."""
    document = pymupdf.open()
    page = document.new_page()
    _write(page, lines(LINES))
    references = []
    for entry in entries:
        xref = document.get_new_xref()
        document.update_object(xref, entry)
        references.append(f"{xref} 0 R")
    document.xref_set_key(page.xref, "Annots", f"[{' '.join(references)} 9999 0 R 5 null]")
    document.save(path)
    return path


def with_files(path: Path) -> Path:
    """A PDF with two files that the document lists and one that is pinned to its leaf."""
    document = pymupdf.open()
    page = document.new_page()
    _write(page, lines(["Three files lie in this one.", *LINES[:2]]))
    document.embfile_add("figures", b"1,2\n3,4\n", "figures.csv", "figures.csv", "The figures")
    document.embfile_add("notes", b"words", "Notizen für später.txt", "Notizen für später.txt")
    page.add_file_annot(pymupdf.Point(300, 300), b"x" * 1000, "letter.txt", desc="The letter itself")
    document.save(path)
    return path


ACTIONS = (
    "/A<</S/GoTo/D[{leaf} 0 R/XYZ 100 215 0]>>",
    "/Dest[{leaf} 0 R/Fit]",
    "/Dest(landmark)",
    "/A<</S/URI/URI(https://example.org/a?b=c)>>",
    "/A<</S/URI/URI(mailto:ann@example.org)>>",
    "/A<</S/URI/URI(javascript:alert\\(1\\))>>",
    "/A<</S/URI/URI(ftp://example.org/x)>>",
    "/A<</S/URI/URI(file:///etc/passwd)>>",
    "/A<</S/URI/URI(http://)>>",
    "/A<</S/Launch/F(/bin/sh)>>",
    "/A<</S/GoToR/F(other.pdf)/D[0/Fit]>>",
    "/A<</S/JavaScript/JS(app.alert\\(1\\))>>",
    "/A<</S/GoTo/D[77/Fit]>>",
    "/A<</S/GoTo/D(nowhere)>>",
    "/A 9999 0 R",
    "",
)
"""Where links of `linked` lead; the first five lead somewhere."""


def linked(path: Path, turn: int = 0) -> Path:
    """Two leaves, the second one turned and cropped, with the word "Landmark" at the place that links name."""
    document = pymupdf.open()
    for _ in range(2):
        _write(document.new_page(width=500, height=600), lines(LINES))
    document[1].insert_text((100, 400), "Landmark", fontsize=20)
    document[1].set_cropbox(pymupdf.Rect(50, 60, 480, 580))
    document[1].set_rotation(turn)
    leaf, references = document[1].xref, []
    for number, action in enumerate(ACTIONS):
        xref = document.get_new_xref()
        rectangle = f"/Rect[72 {560 - 30 * number} 200 {580 - 30 * number}]"
        document.update_object(xref, f"<</Subtype/Link{rectangle}{action.replace('{leaf}', str(leaf))}>>")
        references.append(f"{xref} 0 R")
    document.xref_set_key(document[0].xref, "Annots", f"[{' '.join(references)}]")
    names = f"<</Names[(landmark)[{leaf} 0 R/XYZ 100 215 0]]>>"
    document.xref_set_key(document.pdf_catalog(), "Names", f"<</Dests {names}>>")
    document.save(path)
    return path


def _write(page: Any, texts: Sequence[tuple[float, float, str, float]]) -> None:
    for left, baseline, text, size in texts:
        page.insert_text((left, baseline), text, fontsize=size)


def _quads(page: Any, words: str) -> Any:
    found = page.search_for(words, quads=True)
    assert found, words
    return found


def _say(annotation: Any, words: str, author: str) -> None:
    annotation.set_info(content=words, title=author, modDate="D:20240229120501+01'00'")


def _reply(page: Any, to: Any, words: str, author: str, date: str) -> Any:
    reply = page.add_text_annot(pymupdf.Point(300, 200), words)
    reply.set_info(content=words, title=author, modDate=date)
    reply.set_irt_xref(to.xref)
    return reply
