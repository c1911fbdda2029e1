"""PDFs that are out of the ordinary: turned, cropped and scaled leaves, and files made to do harm.

Every function writes a file and returns its path. The harmful ones are put together from bytes, so that they can be as
wrong as no library would write them; none of them is larger than a few megabytes.
"""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path
from typing import Any

import pymupdf as typed_in_part

pymupdf: Any = typed_in_part

_WORDS = (
    "rain fallen three days letter came road village under water nobody expected postman least old captain who sat "
    "window counted boats come loose night efficient office river quiet lantern harbour morning bridge copper"
).split()
_MEDIA = (-40, -30, 560, 770)
_CROP = (20, 60, 500, 700)


def turned(path: Path, chance: random.Random) -> Path:
    """A leaf for each /Rotate, with and without a crop box off the origin and a UserUnit of 2.

    Every second leaf is written on as the page lies, every other so that it is upright when drawn.
    """
    document = pymupdf.open()
    for turn, is_cropped, unit, is_upright in product((0, 90, 180, 270), (False, True), (1, 2), (False, True)):
        page = document.new_page(width=600, height=800)
        page.insert_textbox(
            pymupdf.Rect(100, 140, 500, 640), _prose(chance), fontsize=11, rotate=turn if is_upright else 0
        )
        for key, value in (
            ("MediaBox", "[{} {} {} {}]".format(*_MEDIA)),
            *((("CropBox", "[{} {} {} {}]".format(*_CROP)),) if is_cropped else ()),
            *((("UserUnit", str(unit)),) if unit != 1 else ()),
            ("Rotate", str(turn)),
        ):
            document.xref_set_key(page.xref, key, value)
    document.save(path)
    return path


def _prose(chance: random.Random) -> str:
    """Three paragraphs that no other leaf has."""
    paragraphs = [" ".join(chance.choice(_WORDS) for _ in range(40)).capitalize() + "." for _ in range(3)]
    return "\n\n".join(paragraphs)
