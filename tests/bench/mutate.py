"""Mutants: small real files, and made ones of other kinds, spoilt in one to three ways that their seed decides.

A mutant's seed is all that is needed to make it again: the kind of damage goes round with it, so that every kind has
its share, and everything else is drawn from it. What must stay true: the same seed and the same folder of real
documents give the same bytes.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.bench.chinese import chinese_text
from tests.bench.spoil import ARCHIVES, BYTES, Inside, Spoiler
from tests.bench.spoilmarkup import MARKUP, PACKAGES

SECRET_FILE = "secret.txt"

_EPUBS = (
    *("bad-mimetype-missing", "calibre-quick-start-epub2", "childrens-literature", "debmake-doc-zh-cn"),
    *("kusamakura-vertical-ja", "regime-anticancer-ar", "w3c-nonlinear-spine", "w3c-two-package-documents"),
)
_TEXTS = ("pg994.txt", "pg2349.txt")
_PAGES = re.compile(r"(?<!nav)(?<!toc)\.(x?html?|svg)$", re.IGNORECASE)
_PACKAGE_FILES = re.compile(r"\.(opf|ncx)$|(nav|toc)[^/]*\.x?html$|container\.xml$", re.IGNORECASE)

MARKDOWN = """---
title: A Made Book
---

# One

Some *words* and **more**, a [link](http://example.invalid), `code`.

- a
  - b
    1. c

> quoted
> > twice

## Two

| a | b |
| - | - |
| 1 | 2 |

```python
print("x")
```

A note[^1].

[^1]: The note.
"""
HTML = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A Made Page</title></head><body>
<nav><ul><li><a href="#a">One</a></li></ul></nav><h1 id="a">One</h1><p>It was a <em>bright</em> day &amp; cold.</p>
<table><tr><th>a</th><td>b</td></tr></table><ol><li>x<ul><li>y</li></ul></li></ol><h2>Two</h2><pre>code
  more</pre><p>The end.</p></body></html>
"""


@dataclass(frozen=True)
class Specimen:
    """A whole file before it is spoilt: its kind is the ending of its name."""

    name: str
    ending: str
    data: bytes


@dataclass(frozen=True)
class Mutant:
    """A spoilt file, and what was done to what."""

    seed: int
    ending: str
    data: bytes
    kind: str


class Nursery:
    """Makes mutants of the files of the folder of real documents."""

    def __init__(self, data: Path, secret: Path) -> None:
        self._secret = str(secret).encode()
        folder = data / "documents" / "epub"
        self._epubs = [Specimen(name, ".epub", (folder / f"{name}.epub").read_bytes()) for name in _EPUBS]
        self._texts = [*_real_texts(data), *_made_texts(data)]
        self._ways = _ways()

    @property
    def kinds(self) -> list[str]:
        """Every kind of damage; seeds go round in them."""
        return list(self._ways)

    def mutant(self, seed: int) -> Mutant:
        """The mutant of a seed."""
        chance = random.Random(seed)
        names = list(self._ways)
        first = names[seed % len(names)]
        is_archive = not first.startswith("text.")
        specimen = chance.choice(self._epubs if is_archive else self._texts)
        data, done = specimen.data, [first]
        data = self._ways[first](chance, data)
        more = [name for name in names if name.startswith("text.") != is_archive and not _needs_archive(name)]
        for name in chance.sample(more, k=chance.choice((0, 0, 0, 1, 2))):
            data = self._ways[name](chance, data or b"x")
            done.append(name)
        data = data.replace(b"file://SECRET", b"file://" + self._secret)
        return Mutant(seed, specimen.ending, data, f"{'+'.join(done)} of {specimen.name}")


def _needs_archive(name: str) -> bool:
    """Whether a way of spoiling must find a whole archive, so that it cannot come second."""
    return not name.startswith(("bytes.", "text."))


def _ways() -> dict[str, Spoiler]:
    found: dict[str, Spoiler] = {f"bytes.{name}": way for name, way in BYTES.items()}
    found |= {f"zip.{name}": way for name, way in ARCHIVES.items()}
    found |= {f"page.{name}": Inside(_PAGES, way) for name, way in MARKUP.items()}
    found |= {f"package.{name}": Inside(_PACKAGE_FILES, way) for name, way in PACKAGES.items()}
    found |= {f"text.{name}": way for name, way in {**BYTES, **MARKUP, **TEXTS}.items()}
    return found


def _real_texts(data: Path) -> list[Specimen]:
    return [Specimen(name, ".txt", (data / "narrativeqa" / name).read_bytes()) for name in _TEXTS]


def _made_texts(data: Path) -> list[Specimen]:
    """Markdown, a page, and texts in several encodings."""
    chinese = chinese_text(data, 20_000, 8, seed=1)
    russian = json.loads((data / "xquad/xquad_ru.jsonl").read_text("utf-8").splitlines()[0])["passage"]
    texts = [Specimen("made.md", ".md", MARKDOWN.encode()), Specimen("made.html", ".html", HTML.encode())]
    for encoding in ("utf-8", "utf-16", "utf-16-be", "gb18030", "big5"):
        texts.append(Specimen(f"chinese {encoding}", ".txt", chinese.encode(encoding, "replace")))
    for encoding in ("cp1251", "koi8-r", "utf-32"):
        texts.append(Specimen(f"russian {encoding}", ".txt", (russian + "\n\n").encode(encoding, "replace") * 3))
    return texts


# -- texts -------------------------------------------------------------------------------------------------------


def _filled(units: Sequence[bytes], counts: Sequence[int], chance: random.Random, data: bytes) -> bytes:
    place = chance.choice((0, len(data) // 2, len(data)))
    return data[:place] + chance.choice(units) * chance.choice(counts) + data[place:]


_SIGNS = (
    *(b"[", b"*", b"_", b"`", b"#", b"> ", b"<", b"![", b"](", b"|", b"~~", b"\\", b"&", b"--", b"$", b"**a", b"*a_"),
)
_LINES = (
    *(
        b"\n",
        b"\r",
        b"\r\n",
        b"\x0c",
        b"# x\n",
        b"- x\n",
        b"> x\n",
        b"|a|b|\n",
        b"```\n",
        b"Chapter 1\n\n",
        b"[a]: b\n",
    ),
)
_LETTERS = (
    b"a",
    b" ",
    b"\t",
    b"\0",
    "\u0301".encode(),
    "\u4e00".encode(),
    "\U0001f600".encode(),
    b"ab. ",
    b"\xff",
    b"<b>",
)


def _indented(chance: random.Random, data: bytes) -> bytes:
    """Lists, quotes and elements that go deeper with every line."""
    unit, depth = chance.choice((b"- x", b"1. x", b"> x", b"* x", b"    x")), chance.choice((100, 1_000, 4_000))
    if unit.startswith(b">"):
        return data + b"\n\n" + b">" * depth + b" x\n"
    return data + b"\n\n" + b"\n".join(b"  " * number + unit for number in range(min(depth, 1_500))) + b"\n"


def _order_marks(chance: random.Random, data: bytes) -> bytes:
    """A byte order mark that does not fit."""
    mark = chance.choice((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\xff\xfe\0\0", b"\0\0\xfe\xff", b"+/v8"))
    return mark + (data if chance.random() < 0.7 else data[1:])


def _mixed(chance: random.Random, data: bytes) -> bytes:
    """Half in one encoding, half in another."""
    text = data.decode("utf-8", "replace")
    half = len(text) // 2
    names = ("utf-8", "utf-16-le", "gb18030", "cp1252", "shift_jis", "utf-7", "cp037")
    return text[:half].encode(chance.choice(names), "replace") + text[half:].encode(chance.choice(names), "replace")


TEXTS: Mapping[str, Spoiler] = {
    "signs": partial(_filled, _SIGNS, (100, 5_000, 50_000)),
    "lines": partial(_filled, _LINES, (100, 5_000, 100_000)),
    "letters": partial(_filled, _LETTERS, (1_000, 300_000, 2_000_000)),
    "indented": _indented,
    "order_marks": _order_marks,
    "mixed": _mixed,
}
