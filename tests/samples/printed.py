"""PDFs that look like printed matter: books with heads, legal papers, verse, spreads, stamped copies.

The running text is made of random words, so that no two lines are alike but those that a maker wants to be.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import pymupdf as typed_in_part

pymupdf: Any = typed_in_part

WORDS = (
    "river letter captain morning harbour window silence garden winter village lantern bridge shadow paper voice "
    "table stone winter barley candle orchard thunder market ribbon journey saddle wagon pepper mirror island "
    "carried watched followed remembered opened answered gathered promised counted waited walked turned under "
    "behind across toward beneath without among nearly slowly seldom often always never quietly old small grey "
    "distant narrow heavy broken certain patient sudden"
).split()

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")

WIDTH, HEIGHT = 420, 600
LEFT, RIGHT, TOP = 60, 360, 90
LEADING = 15
LINES_A_LEAF = 28


def prose(seed: int, width: float = RIGHT - LEFT, size: float = 11) -> Iterator[str]:
    """Lines of running text that fill a width, one after the other and without end."""
    chance = random.Random(seed)
    line = ""
    while True:
        words = [chance.choice(WORDS) for _ in range(chance.randint(9, 16))]
        for word in f"{' '.join(words).capitalize()}.".split():
            if pymupdf.get_text_length(f"{line} {word}", fontsize=size) > width:
                yield line
                line = word
            else:
                line = f"{line} {word}".strip()


def _fill(
    page: Any, lines: Iterator[str], count: int, *, left: float = LEFT, top: float = TOP, render_mode: int = 0
) -> None:
    for number in range(count):
        page.insert_text((left, top + LEADING * number), next(lines), fontsize=11, render_mode=render_mode)


def _at_right(page: Any, text: str, right: float, baseline: float, size: float = 9, render_mode: int = 0) -> None:
    left = right - pymupdf.get_text_length(text, fontsize=size)
    page.insert_text((left, baseline), text, fontsize=size, render_mode=render_mode)


def _in_middle(page: Any, text: str, baseline: float, size: float = 9, render_mode: int = 0) -> None:
    left = (LEFT + RIGHT) / 2 - pymupdf.get_text_length(text, fontsize=size) / 2
    page.insert_text((left, baseline), text, fontsize=size, render_mode=render_mode)


def book(path: Path, chapters: Sequence[int] = (5, 6, 3, 7), front: int = 4, *, misread: bool = False) -> Path:
    """A book: a title leaf, roman front matter from leaf ii on, chapters of so many leaves from page 1 on.

    Left leaves have the number outside and the book's title, right ones the chapter's title and the number; the first
    leaf of a chapter has the word CHAPTER over it and its number at the foot. `misread` spoils letters and numbers, and
    draws the text invisibly over a picture, as a scan's.
    """
    document = pymupdf.open()
    text = prose(1)
    document.new_page(width=WIDTH, height=HEIGHT).insert_text((LEFT, 200), "THE GREY HARBOUR", fontsize=24)
    for number in range(2, front + 1):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        _fill(page, text, 20)
        _in_middle(page, ("", "i", "ii", "iii", "iv", "v", "vi")[number], 570)
    at = 0
    for chapter, leaves in enumerate(chapters, start=1):
        for leaf in range(leaves):
            at += 1
            page = document.new_page(width=WIDTH, height=HEIGHT)
            if leaf == 0:
                _in_middle(page, "CHAPTER", 70, 10)
                _in_middle(page, f"The {ORDINALS[chapter - 1].capitalize()} Voyage", 110, 18)
                _fill(page, text, 22, top=160)
                _in_middle(page, str(at), 570)
                continue
            if misread:
                page.insert_image(page.rect, pixmap=_paper())
            _fill(page, text, LINES_A_LEAF, render_mode=3 * misread)
            _head(page, at, f"THE {ORDINALS[chapter - 1].upper()} VOYAGE", misread=misread)
    document.save(path)
    return path


def _paper() -> Any:
    """The picture of a scanned leaf."""
    pixels = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 42, 60))
    pixels.clear_with(250)
    return pixels


def _head(page: Any, number: int, chapter: str, *, misread: bool) -> None:
    shown, title = str(number), "THE GREY HARBOUR"
    if misread and number % 3 == 0:
        title, chapter = title.replace("R", "K", 1), chapter.replace("Y", "V", 1)
    if misread and number == 9:
        shown = "4"
    mode = 3 * misread
    if number % 2:
        _in_middle(page, chapter, 50, render_mode=mode)
        _at_right(page, shown, RIGHT, 50, render_mode=mode)
    else:
        page.insert_text((LEFT, 50), shown, fontsize=9, render_mode=mode)
        _in_middle(page, title, 50, render_mode=mode)


def numbered(path: Path, numbers: Sequence[str], *, stamps: Sequence[str] = ()) -> Path:
    """A leaf for each number, with it in the middle of the foot ("" prints none) and a stamp at the foot's right."""
    document = pymupdf.open()
    text = prose(2)
    for number, stamp in zip(numbers, stamps or [""] * len(numbers), strict=True):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        _fill(page, text, 24)
        _in_middle(page, number, 560)
        _at_right(page, stamp, WIDTH - 20, 585, 8)
    document.save(path)
    return path


def spreads(path: Path, leaves: int = 5, first: int = 12) -> Path:
    """Two pages on each leaf, with a number at the foot of each: 12 and 13, 14 and 15."""
    document = pymupdf.open()
    text = prose(3)
    for leaf in range(leaves):
        page = document.new_page(width=2 * WIDTH, height=HEIGHT)
        for half in (0, 1):
            _fill(page, text, 26, left=LEFT + half * WIDTH)
            number = str(first + 2 * leaf + half)
            page.insert_text((LEFT + 150 + half * WIDTH, 560), number, fontsize=9)
    document.save(path)
    return path


Numbering = Callable[[int, int], str]
"""The number of a line from those of its leaf and of the line on it, both from 0; "" prints none."""


def every_line(_: int, line: int) -> str:
    """1 to 25 on every leaf, as on pleading paper."""
    return str(line + 1)


def counting_on(leaf: int, line: int) -> str:
    """Every fifth line, counted through the whole document."""
    number = 25 * leaf + line + 1
    return "" if number % 5 else str(number)


def legal_paper(path: Path, numbering: Numbering = every_line, leaves: int = 3, *, in_line: bool = False) -> Path:
    """Running text with numbers of lines in the left margin, or (in_line) as the beginning of each line itself."""
    document = pymupdf.open()
    text = prose(4)
    for leaf in range(leaves):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        for line in range(25):
            baseline, number = TOP + 18 * line, numbering(leaf, line)
            if in_line:
                page.insert_text((40, baseline), f"{number} {next(text)}", fontsize=11)
                continue
            page.insert_text((LEFT, baseline), next(text), fontsize=11)
        for line in range(25):
            if not in_line and numbering(leaf, line):
                _at_right(page, numbering(leaf, line), 45, TOP + 18 * line)
        _in_middle(page, str(leaf + 1), 580)
    document.save(path)
    return path


def transcript(path: Path, leaves: int = 3) -> Path:
    """Typewritten leaves of twenty-five numbered lines."""
    document = pymupdf.open()
    text = prose(13, 200)
    for _ in range(leaves):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        for line in range(25):
            page.insert_text((40, TOP + 18 * line), f"{line + 1:2d}", fontsize=10, fontname="cour")
            page.insert_text((80, TOP + 18 * line), next(text), fontsize=10, fontname="cour")
    document.save(path)
    return path


def listing(path: Path, leaves: int = 3) -> Path:
    """A book with a program on each leaf whose lines are numbered."""
    document = pymupdf.open()
    text, code = prose(14), prose(15, 160)
    for _ in range(leaves):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        _fill(page, text, 18)
        for line in range(10):
            page.insert_text((LEFT, 400 + 14 * line), f"{line + 1:2d}", fontsize=9, fontname="cour")
            page.insert_text((LEFT + 30, 400 + 14 * line), next(code), fontsize=9, fontname="cour")
    document.save(path)
    return path


def verse(path: Path) -> Path:
    """A poem of forty lines on two leaves, every fifth numbered at the right."""
    document = pymupdf.open()
    text = prose(5, 190)
    for leaf in range(2):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        for line in range(20):
            number = 20 * leaf + line + 1
            page.insert_text((LEFT, TOP + 20 * line), next(text).capitalize(), fontsize=11)
            if number % 5 == 0:
                _at_right(page, str(number), RIGHT, TOP + 20 * line)
    document.save(path)
    return path


def margin_numbers(path: Path, labels: Sequence[str], *, outside: bool = True) -> Path:
    """Paragraphs of four lines, three on a leaf, each with a label in the outer margin, or where the text begins.

    Without `outside` the first two leaves have no labels, and the others are a list whose text hangs.
    """
    document = pymupdf.open()
    text, wanted = prose(6), cycle(labels) if not outside else iter(labels)
    for leaf in range(len(labels) // 3 + (0 if outside else 2)):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        for paragraph in range(3):
            top = TOP + 90 * paragraph
            left = LEFT if outside or leaf < 2 else LEFT + 30
            _fill(page, prose(10 * leaf + paragraph, RIGHT - left), 4, left=left, top=top)
            if outside:
                page.insert_text((20 if leaf % 2 else RIGHT + 25, top), next(wanted), fontsize=8)
            elif leaf >= 2:
                page.insert_text((LEFT, top), next(wanted), fontsize=11)
        _fill(page, text, 6, top=TOP + 300)
    document.save(path)
    return path


def numbered_list(path: Path, leaves: int = 3) -> Path:
    """Lists of five items on every leaf, numbers at the margin, the text of each hanging over two lines."""
    document = pymupdf.open()
    for leaf in range(leaves):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        _fill(page, prose(20 + leaf), 6)
        for item in range(6):
            top = TOP + 120 + 40 * item
            page.insert_text((LEFT, top), f"{item + 1}", fontsize=11)
            _fill(page, prose(100 * leaf + item, RIGHT - LEFT - 30), 2, left=LEFT + 30, top=top)
    document.save(path)
    return path


def numbered_table(path: Path, leaves: int = 3, *, head: bool = False) -> Path:
    """A table on every leaf whose first column counts its rows, under the same header, perhaps under a running head."""
    document = pymupdf.open()
    chance = random.Random(7)
    for leaf in range(leaves):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        rows = [("No.", "Name", "Place", "Sum")]
        rows += [
            (str(20 * leaf + row + 1), chance.choice(WORDS), chance.choice(WORDS), str(chance.randint(10, 999)))
            for row in range(20)
        ]
        if head:
            rows[0] = ("", "", "", "")
            for left, cell in zip((50, 200, 320), ("Grey Harbour Ltd", "Register", "May 1912"), strict=True):
                page.insert_text((left, 40), cell, fontsize=9)
        for number, row in enumerate(rows):
            for left, cell in zip((50, 90, 200, 320), row, strict=True):
                page.insert_text((left, 50 + 18 * number), cell, fontsize=10)
    document.save(path)
    return path


def patent(path: Path) -> Path:
    """Two columns with every fifth line numbered in the gap between them."""
    document = pymupdf.open()
    text = prose(8, 150, 9)
    for leaf in range(2):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        for left in (40, 230):
            for line in range(30):
                page.insert_text((left, 60 + 12 * line), next(text), fontsize=9)
        for line in range(4, 30, 5):
            _at_right(page, str(line + 1), 216, 60 + 12 * line, 8)
        _in_middle(page, str(leaf + 1), 30)
    document.save(path)
    return path


def stamped(path: Path, leaves: int = 4) -> Path:
    """A copy with a sideways note in the right margin, a word across the text, and Bates numbers at the foot."""
    document = pymupdf.open()
    text = prose(9)
    for leaf in range(leaves):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        _fill(page, text, LINES_A_LEAF)
        note = f"Downloaded from archive.example on {leaf + 10} May 2020"
        page.insert_text((WIDTH - 20, 500), note, fontsize=8, rotate=90)
        turn = (pymupdf.Point(200, 300), pymupdf.Matrix(45))
        page.insert_text((120, 300), "CONFIDENTIAL", fontsize=40, color=(0.8, 0.8, 0.8), morph=turn)
        _at_right(page, f"ACME-{leaf + 123:06d}", WIDTH - 20, 585, 8)
    document.save(path)
    return path


def preprint(path: Path) -> Path:
    """A paper of four leaves: a note stands sideways in the margin of the first, a figure on each has such a label."""
    document = pymupdf.open()
    text = prose(11)
    for leaf in range(4):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        _fill(page, text, 20)
        if leaf == 0:
            page.insert_text((25, 450), "arXiv:2001.00001v1 [cs.CL] 1 Jan 2020", fontsize=14, rotate=90)
        page.insert_text((LEFT + 20, 500), "accuracy in percent", fontsize=12, rotate=90)
    document.save(path)
    return path


def landscape_table(path: Path) -> Path:
    """Five leaves with heads and numbers; the third holds only a table set sideways, under the same head."""
    document = pymupdf.open()
    text = prose(12)
    for leaf in range(5):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        _in_middle(page, "THE GREY HARBOUR", 50)
        _at_right(page, str(leaf + 31), RIGHT, 50)
        if leaf != 2:
            _fill(page, text, 24)
            continue
        for row in range(12):
            for column, word in enumerate(("harbour", "vessel", "tons", "master")):
                page.insert_text((100 + 18 * row, 520 - 110 * column), f"{word} {row}", fontsize=10, rotate=90)
    document.save(path)
    return path
