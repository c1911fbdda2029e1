"""Anchors of random spans, written as strings by the library and read by a script that knows nothing of ReadDesk.

Spans are drawn evenly over the document, one to four hundred characters long, so some cross paragraphs and files. What
the script finds must be the span's text, white space aside, and aside from the characters that only steer line breaks
and are left out of every text (soft hyphen, zero-width space, word joiner, byte order mark). The way back, by the
program's own `find_anchor` among all paragraphs of the document, is gone from the string for one span in ten: it must
come to the span again, invisible characters at its ends aside.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from readdesk.documents.anchor import Anchor
from readdesk.documents.fileread import FileRead
from readdesk.documents.model import Document, find_anchor
from readdesk.library.store import Library
from tests.bench.books import Reading

_SCRIPT = Path(__file__).with_name("resolve.py")
_LONGEST_SPAN = 400
_LEFT_OUT = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
_ONE_BACK_IN = 10


@dataclass(frozen=True)
class Asked:
    """A span of a document, its text, and its anchor as the library writes it."""

    start: int
    end: int
    text: str
    anchor: str


@dataclass(frozen=True)
class Answers:
    """How many spans were asked for and how many were right, how many were sent back and came back, what was wrong."""

    spans: int
    right: int
    sent: int
    back: int
    wrong: tuple[str, ...]


def anchors(path: Path, reading: Reading, count: int, seed: int) -> Answers:
    """Ask for so many spans of a document."""
    asked = drawn(path, reading, count, seed)
    found = resolved(path, [one.anchor for one in asked], reading.health.encoding)
    wrong = []
    for one, answer in zip(asked, found, strict=True):
        if bare(answer.get("text", "")) != bare(one.text):
            said = answer.get("error") or f"names {answer['text'][:60]!r}"
            wrong.append(f"{one.start}-{one.end} {one.text[:60]!r}: {one.anchor[:120]} {said}")
    lost = [one for one in asked[::_ONE_BACK_IN] if not comes_back(reading, one)]
    told = (
        *wrong,
        *(f"{one.start}-{one.end} {one.text[:60]!r}: {one.anchor[:120]} does not lead back" for one in lost),
    )
    sent = len(asked[::_ONE_BACK_IN])
    return Answers(len(asked), len(asked) - len(wrong), sent, sent - len(lost), told)


def drawn(path: Path, reading: Reading, count: int, seed: int) -> list[Asked]:
    """Random spans with their anchors, through a library in a temporary folder."""
    chance = random.Random(seed + zlib.crc32(path.name.encode()))
    asked: list[Asked] = []
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder) / "library.db")
        try:
            record = library.documents.add(
                FileRead(reading.head, path, reading.health, list(reading.sections), list(reading.paragraphs))
            )
            while len(asked) < count:
                start, end = _span(chance, reading.document.end)
                text = text_between(reading.document, start, end)
                if bare(text):
                    asked.append(Asked(start, end, text, str(library.documents.anchor(record, start, end))))
        finally:
            library.close()
    return asked


def _span(chance: random.Random, end: int) -> tuple[int, int]:
    start = chance.randrange(end)
    return start, min(end, start + chance.randint(1, _LONGEST_SPAN))


def text_between(document: Document, start: int, end: int) -> str:
    """The very characters between two positions."""
    return "".join(paragraph.text[first:last] for paragraph, first, last in document.between(start, end))


def resolved(path: Path, written: Sequence[str], encoding: str) -> list[dict[str, str]]:
    """What the independent script finds at anchors."""
    lines = "".join(
        json.dumps({"path": str(path), "anchor": anchor, "encoding": encoding}) + "\n" for anchor in written
    )
    command = [sys.executable, "-I", str(_SCRIPT)]
    done = subprocess.run(command, check=True, input=lines, capture_output=True, text=True, encoding="utf-8")
    return [json.loads(line) for line in done.stdout.splitlines()]


def bare(text: str) -> str:
    """The text without white space and without what only steers line breaks."""
    return "".join(text.translate(_LEFT_OUT).split())


# -- the way back ------------------------------------------------------------------------------------------------


def comes_back(reading: Reading, asked: Asked) -> bool:
    """Whether the string of an anchor leads back to its span."""
    found = find_anchor(reading.paragraphs, Anchor.parse(asked.anchor))
    return found is not None and _trimmed(reading, *found) == _trimmed(reading, asked.start, asked.end)


def _trimmed(reading: Reading, start: int, end: int) -> tuple[int, int]:
    """A span without what is no visible character at its ends."""
    text = text_between(reading.document, start, end)
    first = next((number for number, character in enumerate(text) if bare(character)), 0)
    last = next((number for number, character in enumerate(reversed(text)) if bare(character)), 0)
    return start + first, end - last
