"""Small books for a library, and Python children that use one library at the same moment."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from string import ascii_lowercase

from readdesk.documents.fileread import FileRead
from readdesk.documents.model import (
    DocumentHead,
    ElementSpot,
    Health,
    Kind,
    LeafSpot,
    Paragraph,
    Piece,
    Section,
    TextSpot,
)
from readdesk.documents.normal import count_words
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library
from readdesk.reading.model import Cost, Gist, GistFlag, Page
from readdesk.reading.prompts import PROMPT_VERSION

TEXTS = (
    "The ferry left at six, and nobody was on it but the postman.",
    "At noon the wind turned and the nets came up empty.",
    "In the evening the harbour master wrote two lines in his book.",
    "Then it rained for a week.",
)
COST = Cost(100, 20, 30)


def head(title: str = "A Sample", mark: str = "a", authors: tuple[str, ...] = ("Ann Author",)) -> DocumentHead:
    """What a file says of itself; `mark` makes its hash."""
    return DocumentHead(title, authors, "en", "text", mark.rjust(64, "0"), 1234)


def parts(texts: Sequence[str] = TEXTS) -> tuple[list[Section], list[Paragraph]]:
    """Two top-level sections over paragraphs of some kinds, whose pieces name places of all three formats."""
    starts = list(accumulate((len(text) for text in texts), initial=0))
    middle = len(texts) // 2
    sections = [Section(0, "One", 1, -1, 0, "1"), Section(1, "Two", 1, -1, starts[middle], "ii")]
    kinds: list[Kind] = ["heading", "text", "verse", "note"]
    paragraphs = []
    for number, text in enumerate(texts):
        length = len(text)
        spots = (
            LeafSpot(number, 5, 5 + length, ((1.0, 2.0, 3.5, 4.0), (0.0, 0.0, 9.5, 9.0))),
            ElementSpot("OPS/a b:ü.xhtml", (0, 3, number), 7, 7 + length),
            TextSpot(starts[number] + 9, starts[number] + 9 + length),
        )
        half = max(1, length // 2)
        spot = spots[number % 3]
        whole = Piece(0, length, spot)
        pieces = (Piece(0, half, whole.cut(0, half)), Piece(half, length, whole.cut(half, length)))
        section = 0 if number < middle else 1
        paragraphs.append(Paragraph(section, starts[number], text, pieces, kinds[number % 4]))
    return sections, paragraphs


def add_book(
    library: Library,
    title: str = "A Sample",
    mark: str = "a",
    *,
    texts: Sequence[str] | None = None,
    path: Path | None = None,
) -> DocumentRecord:
    """Add a book of a few sentences; those of another mark are as long and have other letters."""
    if texts is None:
        texts = TEXTS if mark == "a" else [_turned(text, 1 + int(mark, 36) % 25) for text in TEXTS]
    path = path or Path(f"/books/{mark}.txt")
    sections, paragraphs = parts(texts)
    words = sum(count_words(text) for text in texts)
    health = Health(sum(map(len, texts)), words, len(sections), len(paragraphs), notes=("A note, with “quotes”.",))
    return library.documents.add(FileRead(head(title, mark), path, health, list(sections), list(paragraphs)))


def _turned(text: str, by: int) -> str:
    """A text with every small letter put some places further."""
    return text.translate(str.maketrans(ascii_lowercase, ascii_lowercase[by:] + ascii_lowercase[:by]))


def page(number: int, start: int, end: int, section: int = 0, words: int = 10) -> Page:
    """A page as the model would have ended it."""
    return Page(number, start, end, section, words, "model")


def gist(
    number: int,
    text: str = "A short text.",
    model: str = "tiny",
    version: int = PROMPT_VERSION,
    flag: GistFlag = "",
    retried: bool = False,
) -> Gist:
    """A gist of a page."""
    return Gist(number, text, model, version, "0123456789abcdef", flag, retried)


def add_pages(library: Library, record: DocumentRecord, count: int, model: str = "tiny", length: int = 10) -> None:
    """Add so many first pages of ten characters each, with gists."""
    for number in range(1, count + 1):
        start = (number - 1) * length
        assert library.gists.add_page(record, page(number, start, start + length), gist(number, model=model), COST, 2.0)


# -- children ----------------------------------------------------------------------------------------------------


class Crew:
    """Python processes that run the same code and start each step at the same moment.

    The code finds its number in `me` and calls `step()` to wait for the others.
    """

    def __init__(self, size: int, code: str, *arguments: str) -> None:
        before = (
            "import sys\nme = int(sys.argv[1])\ndef step():\n    print('ready', flush=True)\n    sys.stdin.readline()\n"
        )
        self._children = [
            subprocess.Popen(
                [sys.executable, "-c", before + code, str(number), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for number in range(size)
        ]
        self._said: list[list[str]] = [[] for _ in self._children]

    def step(self) -> None:
        """Let all go on once all are ready."""
        for child, said in zip(self._children, self._said, strict=True):
            assert child.stdout is not None
            while (line := child.stdout.readline()) != "ready\n":
                assert line, child.communicate(timeout=30)[1]
                said.append(line)
        for child in self._children:
            assert child.stdin is not None
            child.stdin.write("\n")
            child.stdin.flush()

    def finish(self) -> list[str]:
        """Wait for all to end well; what each has printed."""
        for child, said in zip(self._children, self._said, strict=True):
            out, complaints = child.communicate(timeout=120)
            assert child.returncode == 0, complaints
            said.append(out)
        return ["".join(said) for said in self._said]
