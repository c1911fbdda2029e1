"""PDFs for the tests and pictures of the window: a mixed file, one with highlights and notes, one with links."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf as typed_in_part

pymupdf: Any = typed_in_part

WIDTH, HEIGHT = 420, 595
SENTENCES = (
    "Rain had fallen for three days when the letter came, and the road to the village was under water.",
    "Nobody expected the postman, least of all the old captain, who sat by the window and counted the boats.",
    "He had sailed to places of which the maps of his youth knew nothing, and he had come back from most of them.",
    "The letter was short. It named a harbour, a ship and a day in autumn, and it was signed by no one he knew.",
)
MORE = (
    "In the evening the neighbours came with lanterns and asked whether he would go.",
    "He laid the sheet on the table, put his pipe on top of it, and said that the tide would tell.",
    "Nobody slept much that night, for the wind had turned and every shutter knew it.",
)
ADDRESS = "https://www.example.org/harbours?of=the+north"
LINK_PLACE = (110.0, 116.0)
"""A point, in points from the upper left corner, on the link that leads out of `linked`."""

INNER_PLACE = (110.0, 196.0)
"""The same for the link that leads to its third leaf."""


def mixed(path: Path, texts: int = 9, scans: int = 2) -> Path:
    """Leaves of text with page numbers, some that are pictures of text, an empty one, and two attached files."""
    document = pymupdf.open()
    for number in range(texts):
        _write(document.new_page(width=WIDTH, height=HEIGHT), number + 1)
    for number in range(scans):
        _draw_scan(document.new_page(width=WIDTH, height=HEIGHT), texts + number + 1)
    document.new_page(width=WIDTH, height=HEIGHT)
    document.embfile_add("figures.csv", b"year,boats\n1891,12\n" * 300, filename="figures.csv", desc="What was counted")
    document.embfile_add("letter.txt", b"Come in autumn.", filename="letter.txt")
    document.set_metadata({"title": "The Captain's Letter", "author": "A. Writer"})
    document.save(path)
    return path


def scanned(path: Path, leaves: int = 2) -> Path:
    """Nothing but pictures of text."""
    document = pymupdf.open()
    for number in range(leaves):
        _draw_scan(document.new_page(width=WIDTH, height=HEIGHT), number + 1)
    document.save(path)
    return path


def with_words_beneath(path: Path, leaves: int = 2) -> Path:
    """Pictures of text with the same words invisibly beneath, as programs that recognise text leave them; one marked.

    The first leaf is text that the file itself has.
    """
    document = pymupdf.open()
    _write(document.new_page(width=WIDTH, height=HEIGHT), 1)
    for number in range(1, leaves):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        _draw_scan(page, number + 1)
        _write(page, number + 1, render_mode=3)
    for number in range(leaves):
        _mark(document[number], "the road to the village", (1, 0.85, 0.3))
    document.set_metadata({"title": "The Captain's Letter, recognised"})
    document.save(path)
    return path


def annotated(path: Path, leaves: int = 4) -> Path:
    """Highlights in three colours, one with a note, an underlined sentence, a note at a point."""
    document = pymupdf.open()
    for number in range(leaves):
        _write(document.new_page(width=WIDTH, height=HEIGHT), number + 1)
    page = document[0]
    _mark(page, "the road to the village", (1, 0.85, 0.3))
    _mark(page, "counted the boats", (0.55, 0.85, 0.6), "How many of them, and does anyone else count them later?")
    page = document[1]
    _mark(page, "the maps of his youth", (0.95, 0.6, 0.75), author="R. Reader")
    underlined = page.add_underline_annot(page.search_for("signed by no one he knew"))
    underlined.set_colors(stroke=(0.2, 0.4, 0.9))
    underlined.update()
    note = document[2].add_text_annot((330, 300), "Compare this with the second chapter. " * 12)
    note.set_info(title="R. Reader")
    note.update()
    document.set_metadata({"title": "The Captain's Letter, annotated"})
    document.save(path)
    return path


def linked(path: Path) -> Path:
    """A leaf with a link out of the book and one to the third leaf."""
    document = pymupdf.open()
    for number in range(6):
        _write(document.new_page(width=WIDTH, height=HEIGHT), number + 1, below=250)
    page = document[0]
    page.insert_text((60, 120), "See the list of harbours", fontsize=12, color=(0.1, 0.2, 0.7))
    page.insert_text((60, 200), "Further on, on the third leaf", fontsize=12, color=(0.1, 0.2, 0.7))
    page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(58, 106, 220, 126), "uri": ADDRESS})
    page.insert_link(
        {"kind": pymupdf.LINK_GOTO, "from": pymupdf.Rect(58, 186, 240, 206), "page": 2, "to": pymupdf.Point(0, 240)}
    )
    document.set_metadata({"title": "The Captain's Letter, linked"})
    document.save(path)
    return path


def _write(page: Any, number: int, below: float = 70, **how: Any) -> None:
    text = f"{' '.join(SENTENCES)}\n\n{' '.join(MORE)}"
    room = pymupdf.Rect(60, below, WIDTH - 60, HEIGHT - 70)
    page.insert_textbox(room, text, fontsize=11, lineheight=1.4, **how)
    page.insert_text((60, 40), "THE CAPTAIN'S LETTER", fontsize=8, **how)
    page.insert_text((WIDTH / 2, HEIGHT - 30), str(number), fontsize=9, **how)


def _draw_scan(page: Any, number: int) -> None:
    with pymupdf.open() as drawing:
        _write(drawing.new_page(width=WIDTH, height=HEIGHT), number)
        picture = drawing[0].get_pixmap(dpi=150)
    page.insert_image(page.rect, pixmap=picture)


def _mark(page: Any, words: str, colour: tuple[float, float, float], note: str = "", author: str = "") -> None:
    mark = page.add_highlight_annot(page.search_for(words))
    mark.set_colors(stroke=colour)
    mark.set_info(content=note, title=author)
    mark.update()


def unnumbered(path: Path, leaves: int) -> Path:
    """Leaves of text on which no number is printed."""
    document = pymupdf.open()
    for number in range(leaves):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        text = " ".join(SENTENCES[number % 4 :] + SENTENCES[: number % 4])
        page.insert_textbox(pymupdf.Rect(60, 70, WIDTH - 60, HEIGHT - 70), text, fontsize=11, lineheight=1.4)
    document.set_metadata({"title": "The Captain's Letter, unnumbered"})
    document.save(path)
    return path
