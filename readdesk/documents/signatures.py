"""What the first bytes of a file tell of the encoding of its text.

Both sides need this: the front process to see that a file is text at all, the document process to decode it. What must
stay true: nothing is loaded for it, and bytes that are no text (a program, a picture) are never taken for UTF-16.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from itertools import pairwise

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks and the encodings that they stand for, the longer before what they begin with."""

_SAMPLE_BYTES = 4096
_FEWEST_UNITS = 4
_FEWEST_LETTERS = 0.5
_FEWEST_PAUSES = 0.01
_MOST_SCRIPTS = 0.2
_PAUSES = frozenset("\n\r \u3000\u3001\u3002\uff0c")
_STEERING = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ue000-\uf8ff\ufffe\uffff]")


def marked(data: bytes) -> tuple[bytes, str] | None:
    """The byte order mark that the data begin with and its encoding."""
    return next((found for found in MARKS if data.startswith(found[0])), None)


def unmarked_utf16(data: bytes) -> str:
    """ "utf-16-le" or "utf-16-be" for a text that is so encoded without saying so, else "".

    Read the wrong way round, a text is a jumble of many scripts, of control characters and of what is no character.
    """
    sample = data[:_SAMPLE_BYTES]
    sample = sample[: len(sample) // 2 * 2]
    jumbles = {}
    for encoding in ("utf-16-le", "utf-16-be"):
        text = sample.decode(encoding, "replace").removesuffix("\ufffd")  # A pair may be cut at the end.
        if len(text) >= _FEWEST_UNITS and (jumble := _jumble(text)) < _MOST_SCRIPTS:
            jumbles[jumble] = encoding
    return jumbles[min(jumbles)] if jumbles else ""


def _jumble(text: str) -> float:
    """How mixed a text is: 1 for no text at all, else the changes of script from letter to letter, for each letter.

    Two bytes of a text in another encoding are often a Chinese character, but hardly ever a comma or a space.
    """
    pauses = sum(character in _PAUSES for character in text)
    if "\ufffd" in text or _STEERING.search(text) or pauses < _FEWEST_PAUSES * len(text):
        return 1.0
    letters = [character for character in text if character.isalpha()]
    if len(letters) < _FEWEST_LETTERS * len("".join(text.split())):
        return 1.0
    scripts = [_script(character) for character in letters]
    return sum(before != after for before, after in pairwise(scripts)) / max(1, len(letters))


def _script(letter: str) -> str:
    """The script of a letter; Chinese and Japanese writing are one, since they are mixed in every sentence."""
    name = unicodedata.name(letter, "").partition(" ")[0]
    return "CJK" if name in ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL") else name
