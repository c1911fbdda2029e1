"""What an anchor names, found with zipfile and lxml alone: this script knows nothing of ReadDesk but how anchors read.

    python tests/bench/resolve.py < QUESTIONS

Every line of the questions is JSON, `{"path": FILE, "anchor": TEXT, "encoding": NAME}` (the encoding only for text
files); every line of the answers is `{"text": FOUND}` or `{"error": WHY}`. An anchor is spots joined by `|`: of an
EPUB `eMEMBER:PATH:START-END` (the member percent-encoded, the path child numbers from the root element down, joined by
full stops, the span in the element's own text), of a text `tSTART-END` in the decoded file without its byte order mark.

What must stay true: nothing of `readdesk` is imported; a file is parsed as it stands, and only where that fails are
named entities of HTML written out, and then errors passed over.
"""

from __future__ import annotations

import codecs
import json
import re
import sys
import zipfile
from html.entities import html5
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lxml import etree

Element = etree._Element

_SPOT = re.compile(r"e(?P<file>[^:]*):(?P<path>[\d.]*):(?P<start>\d+)-(?P<end>\d+)|t(?P<first>\d+)-(?P<last>\d+)")
_NAMED = re.compile(rb"&([A-Za-z][A-Za-z0-9]*;)")
_XML_NAMES = frozenset((b"amp;", b"lt;", b"gt;", b"quot;", b"apos;"))
_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def parse(data: bytes) -> Element | None:
    """The root element of a text file of an EPUB, without comments and processing instructions."""
    for attempt, recover in ((data, False), (_NAMED.sub(_written_out, data), False), (data, True)):
        parser = etree.XMLParser(
            remove_comments=True, remove_pis=True, no_network=True, huge_tree=True, recover=recover
        )
        try:
            root = etree.fromstring(attempt, parser)
        except (etree.XMLSyntaxError, ValueError):
            continue
        if root is not None and not any(isinstance(found, etree._Entity) for found in root.iter()):
            return root
    return None


def _written_out(match: re.Match[bytes]) -> bytes:
    if match[1] in _XML_NAMES:
        return match[0]
    characters = html5.get(match[1].decode("ascii"), "")
    return "".join(f"&#{ord(character)};" for character in characters).encode("ascii") or match[0]


def decoded(data: bytes, encoding: str) -> str:
    """A text file's characters, its byte order mark not among them."""
    for mark, name in _ORDER_MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name)
    return data.decode(encoding or "utf-8")


class Resolver:
    """Finds what anchors name, and remembers what it has parsed."""

    def __init__(self) -> None:
        self._archives: dict[str, zipfile.ZipFile] = {}
        self._roots: dict[tuple[str, str], Element] = {}
        self._texts: dict[tuple[str, str, str], str] = {}

    def resolve(self, path: str, anchor: str, encoding: str = "") -> str:
        """The characters of all spots of an anchor; raises ValueError where there is no such place."""
        return "".join(self._spot(path, spot, encoding) for spot in anchor.split("|"))

    def _spot(self, path: str, written: str, encoding: str) -> str:
        spot = _SPOT.fullmatch(written)
        if spot is None:
            raise ValueError(f"not a spot: {written!r}")
        if spot["first"] is not None:
            text, start, end = self._plain(path, encoding), int(spot["first"]), int(spot["last"])
        else:
            text = self._element(path, unquote(spot["file"]), spot["path"])
            start, end = int(spot["start"]), int(spot["end"])
        if not 0 <= start < end <= len(text):
            raise ValueError(f"{written!r} is outside of {len(text)} characters")
        return text[start:end]

    def _plain(self, path: str, encoding: str) -> str:
        key = (path, "", encoding)
        if key not in self._texts:
            self._texts[key] = decoded(Path(path).read_bytes(), encoding)
        return self._texts[key]

    def _element(self, path: str, file: str, steps: str) -> str:
        key = (path, file, steps)
        if key not in self._texts:
            element: Any = self._root(path, file)
            for step in steps.split(".") if steps else ():
                if int(step) >= len(element):
                    raise ValueError(f"{file} has no element {steps}")
                element = element[int(step)]
            self._texts[key] = "".join(element.itertext())
        return self._texts[key]

    def _root(self, path: str, file: str) -> Element:
        if path not in self._archives:
            self._archives[path] = zipfile.ZipFile(path)
        if (path, file) not in self._roots:
            try:
                root = parse(self._archives[path].read(file))
            except KeyError:
                root = None
            if root is None:
                raise ValueError(f"{file} is not in the archive or cannot be parsed")
            self._roots[path, file] = root
        return self._roots[path, file]


def main() -> int:
    """Answer questions until there are no more."""
    resolver = Resolver()
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = {"text": resolver.resolve(asked["path"], asked["anchor"], asked.get("encoding", ""))}
        except (ValueError, OSError, zipfile.BadZipFile) as error:
            answer = {"error": str(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
