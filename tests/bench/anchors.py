"""Anchors of random spans, written as strings by the library and read by a script that knows nothing of ReadDesk.

Spans are drawn evenly over the document, one to four hundred characters long, so some cross paragraphs and files. What
the script finds must be the span's text, white space aside, and aside from the characters that only steer line breaks
and are left out of every text (soft hyphen, zero-width space, word joiner, byte order mark). The way back, from an
anchor to positions, is measured as soon as there is a function for it in `readdesk.documents`.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from readdesk.documents.model import Anchor, Document
from readdesk.library.store import Library
from tests.bench.books import Reading

_SCRIPT = Path(__file__).with_name("resolve.py")
_LONGEST_SPAN = 400
_LEFT_OUT = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
_HOMES_OF_THE_WAY_BACK = ("anchor", "model", "places")

PositionOf = Callable[[Sequence[Any], Anchor], Any]


@dataclass(frozen=True)
class Asked:
    """A span of a document, its text, and its anchor as the library writes it."""

    start: int
    end: int
    text: str
    anchor: str


@dataclass(frozen=True)
class Answers:
    """How many spans were asked for, how many were right there and (where there is a way) back, and what was wrong."""

    spans: int
    right: int
    back: int | None
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
    way_back = position_of()
    back = None if way_back is None else sum(_comes_back(way_back, reading, one) for one in asked)
    return Answers(len(asked), len(asked) - len(wrong), back, tuple(wrong))


def drawn(path: Path, reading: Reading, count: int, seed: int) -> list[Asked]:
    """Random spans with their anchors, through a library in a temporary folder."""
    chance = random.Random(seed + zlib.crc32(path.name.encode()))
    asked: list[Asked] = []
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder) / "library.db")
        try:
            record = library.documents.add(reading.head, path, reading.sections, reading.paragraphs, reading.health)
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


def position_of() -> PositionOf | None:
    """The function that finds the positions of an anchor, where there is one yet."""
    for name in _HOMES_OF_THE_WAY_BACK:
        try:
            module = import_module(f"readdesk.documents.{name}")
        except ModuleNotFoundError:
            continue
        found: PositionOf | None = getattr(module, "position_of", None)
        if found is not None:
            return found
    return None


def _comes_back(way_back: PositionOf, reading: Reading, asked: Asked) -> bool:
    """Whether an anchor leads back to its span, or to as much of it as is text of the file."""
    try:
        found = way_back(reading.paragraphs, Anchor.parse(asked.anchor))
    except (ValueError, LookupError):
        return False
    if isinstance(found, int):
        return _is_start(reading, asked, found)
    return (
        isinstance(found, tuple)
        and _is_start(reading, asked, found[0])
        and bare(text_between(reading.document, found[0], found[1])) == bare(asked.text)
    )


def _is_start(reading: Reading, asked: Asked, found: int) -> bool:
    """Whether nothing but white space parts a position from the span's start."""
    low, high = sorted((asked.start, found))
    return not bare(text_between(reading.document, low, high))
