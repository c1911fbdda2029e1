"""The text of an EPUB as zipfile and lxml find it, character by character, without any code of ReadDesk.

The spine is followed by hand: container, package, manifest, spine; names are compared without regard to case, with
percent-encoding undone. Every character of a spine's file is put into one class: wanted (it is shown to a reader),
reading (ruby, the printed number of a line of verse), or nothing (outside of the body, script, style, template, hidden
by the element's own attributes, the number of a printed page). Lists of a navigation document are a class of their own,
because a program may show them as its contents instead.

What must stay true: nothing of `readdesk` is imported here.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from lxml import etree

from tests.bench.resolve import Element, parse

NOTHING, WANTED, READING, CONTENTS = range(4)

_CONTAINER = "META-INF/container.xml"
_NEVER_SHOWN = frozenset(("script", "style", "template"))
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_TYPE = "{http://www.idpf.org/2007/ops}type"
_MARKUP = re.compile(r"\.(x?html?|xht|xml|svg)$", re.IGNORECASE)

Path_ = tuple[int, ...]


@dataclass
class RawFile:
    """A file of the spine: its text, the class of each character, and where each element's text begins and ends."""

    name: str
    text: str = ""
    classes: bytearray = field(default_factory=bytearray)
    spans: dict[Path_, tuple[int, int]] = field(default_factory=dict)
    names: dict[Path_, str] = field(default_factory=dict)
    readings: list[tuple[str, ...]] = field(default_factory=list)
    numbers: list[tuple[str, ...]] = field(default_factory=list)


def is_counted(character: str) -> bool:
    """Whether a character is a letter or a digit after NFKC."""
    if character.isascii():
        return character.isalnum()
    return any(part.isalnum() for part in unicodedata.normalize("NFKC", character))


def files_of(path: Path) -> Iterator[RawFile]:
    """Every file of an EPUB's spine, once each, in reading order."""
    with zipfile.ZipFile(path) as archive:
        for name in spine_of(archive):
            root = parse(archive.read(name))
            if root is not None:
                yield _file(name, root)


# -- the package -------------------------------------------------------------------------------------------------


def spine_of(archive: zipfile.ZipFile) -> list[str]:
    """The members that the spine names; those that are not there are left out."""
    names = {_plain(name): name for name in reversed(archive.namelist())}
    container = parse(archive.read(_CONTAINER))
    assert container is not None
    named = [names.get(_plain(element.get("full-path") or "")) for element in container.iter("{*}rootfile")]
    package_name = next(name for name in named if name is not None)
    package = parse(archive.read(package_name))
    assert package is not None
    links = {item.get("id"): item for item in package.iterfind(".//{*}manifest/{*}item")}
    found: dict[str, None] = {}
    for reference in package.iterfind(".//{*}spine/{*}itemref"):
        item = links.get(reference.get("idref"))
        link = item.get("href") if item is not None else None
        if item is None or not link or not ("xml" in (item.get("media-type") or "") or _MARKUP.search(link)):
            continue
        member = names.get(_plain(posixpath.join(posixpath.dirname(package_name), unquote(link))))
        if member is not None:
            found[member] = None
    return list(found)


def _plain(name: str) -> str:
    return posixpath.normpath(name.replace("\\", "/")).lstrip("/").casefold()


# -- the text ----------------------------------------------------------------------------------------------------


def _file(name: str, root: Element) -> RawFile:
    file = RawFile(name)
    parts: list[str] = []
    _Classifier(file, parts).element(root, (), NOTHING)
    file.text = "".join(parts)
    return file


class _Classifier:
    """Goes through a file once; the body decides that text is wanted, what is inside may decide otherwise."""

    def __init__(self, file: RawFile, parts: list[str]) -> None:
        self._file = file
        self._parts = parts
        self._at = 0

    def element(self, root: Element, path: Path_, kind: int) -> None:
        """Put the text of an element and all below it into classes (a stack instead of recursion: some nest deep)."""
        kinds, starts, paths, counts = [kind], [0], [path], [-1]
        for event, element in etree.iterwalk(root, events=("start", "end")):
            if event == "start":
                counts[-1] += 1
                paths.append((*paths[-1], counts[-1]))
                counts.append(-1)
                starts.append(self._at)
                kinds.append(_kind(element, kinds[-1], is_root=len(kinds) == 1))
                self._file.names[paths[-1][1:]] = _described(element)
                self._add(element.text, kinds[-1])
                continue
            kinds.pop()
            counts.pop()
            self._file.spans[paths.pop()[1:]] = (starts.pop(), self._at)
            if _tag(element) == "ruby" and kinds[-1] == WANTED:
                self._file.readings.append(tuple(_text(part) for part in element.iter("{*}rt")))
            elif _is_line_number(element) and kinds[-1] == WANTED:
                self._file.numbers.append((_text(element),))
            if element is not root:
                self._add(element.tail, kinds[-1])

    def _add(self, text: str | None, kind: int) -> None:
        if text:
            self._parts.append(text)
            self._file.classes += bytes((kind,)) * len(text)
            self._at += len(text)


def _kind(element: Element, outer: int, is_root: bool) -> int:
    tag = _tag(element)
    if tag == "body" or (is_root and tag == "svg"):
        outer = WANTED
    if outer in (NOTHING, READING) or tag in _NEVER_SHOWN or _is_hidden(element):
        return READING if outer == READING else NOTHING
    if tag in ("rt", "rp") or _is_line_number(element):
        return READING
    types = (element.get(_TYPE) or "").split()
    if "pagebreak" in types or element.get("role") == "doc-pagebreak":
        return NOTHING
    if tag == "nav" and set(types) & {"toc", "landmarks", "page-list", "loi", "lot"}:
        return CONTENTS
    return outer


def _is_line_number(element: Element) -> bool:
    return "lnum" in (element.get("class") or "").split()


def _is_hidden(element: Element) -> bool:
    return element.get("hidden") is not None or bool(_HIDDEN.search(element.get("style") or ""))


def _tag(element: Element) -> str:
    return str(element.tag).rpartition("}")[2].lower()


def _text(element: Element) -> str:
    return "".join(map(str, element.itertext()))


def _described(element: Element) -> str:
    words = element.get("class") or element.get(_TYPE) or ""
    return f"{_tag(element)}.{words}" if words else _tag(element)
