"""A made recogniser in the place of Tesseract: what it finds is known, and it crashes or waits where it is told to.

It runs in a worker like the real one. A test writes into the file `script` of its folder what shall happen on which
leaf ("3 crash", "4 wait", "5 nothing"), and reads in `asked` which leaves it was asked for.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from readdesk.cancel import CancelToken
from readdesk.documents.model import RecognisedLeaf, RecognisedWord
from readdesk.documents.recogniser import LeafRecogniser

QUALITY = 0.9
SERVICE = "tests.recognition:MadeRecognition"


def made_recogniser(folder: Path, **script: str) -> LeafRecogniser:
    """A recogniser that does on a leaf ("leaf3", from 0) what the script says, else finds `lines_of` it."""
    folder.mkdir(exist_ok=True)
    write_script(folder, **script)
    return LeafRecogniser(folder, service=SERVICE)


def write_script(folder: Path, **script: str) -> None:
    """Say what shall happen from now on."""
    lines = (f"{leaf.removeprefix('leaf')} {what}\n" for leaf, what in script.items())
    (folder / "script").write_text("".join(lines))


def asked(folder: Path) -> list[int]:
    """The leaves that it was asked for, in that order."""
    file = folder / "asked"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def lines_of(leaf: int, languages: str = "eng") -> list[str]:
    """What it finds on a leaf."""
    return [
        f"Leaf number {leaf} was recognised in {languages} by a made recog-",
        f"niser, and nobody minds number {leaf}.",
    ]


def recognised(leaf: int, lines: list[str], languages: str = "eng") -> RecognisedLeaf:
    """A leaf with these lines, whose letters are six points wide and ten high."""
    words = []
    for number, line in enumerate(lines):
        left, top = 72.0, 300.0 + 16 * number  # in the midst, where no running head is looked for
        for text in line.split():
            words.append(RecognisedWord(text, number, (left, top, left + 6 * len(text), top + 10)))
            left += 6 * len(text) + 6
    return RecognisedLeaf(leaf, languages, QUALITY if words else 0.0, tuple(words))


class MadeRecognition:
    """The service."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def leaf(
        self, path: str, password: str | None, index: int, languages: str, tessdata: str, *, cancel: CancelToken
    ) -> Iterator[tuple[RecognisedWord, ...] | RecognisedLeaf]:
        with (self._folder / "asked").open("a") as file:
            file.write(f"{index}\n")
        script = dict(line.split() for line in (self._folder / "script").read_text().splitlines())
        what = script.get(str(index), "")
        if what == "crash":
            os._exit(1)
        if what == "wait":
            time.sleep(600)
        found = recognised(index, [] if what == "nothing" else lines_of(index, languages), languages)
        yield found.words
        yield RecognisedLeaf(index, languages, found.quality)
