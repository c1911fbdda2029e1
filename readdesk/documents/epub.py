"""EPUB: reading order from the spine, sections from the contents, text from the files.

ebooklib reads the package (metadata, manifest, spine); contents, links and text are read here, because real books name
files that are not there, spell them differently, or point at places that do not exist. ebooklib 0.20 raises KeyError
for the whole book when one manifest file is missing, so its reader is given no contents at all: it keeps names, and the
archive is asked when a text is needed. A remote item is a name like any other and is never fetched.

What must stay true: one file in memory at a time; a book always has sections; text missing from the archive is told.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from ebooklib.epub import EpubBook, EpubNav, EpubNcx, EpubReader
from lxml import etree

from readdesk.cancel import CancelToken
from readdesk.documents import markup
from readdesk.documents.archive import CONTAINER, Archive
from readdesk.documents.draft import Draft, Drafted, ReadSoFar, Start, Told
from readdesk.documents.health import HealthCollector
from readdesk.documents.marks import PicturePlacer
from readdesk.documents.normal import normal, one_line
from readdesk.errors import DocumentError, NoTextError

_OPF = "{http://www.idpf.org/2007/opf}"
_PACKAGE_TYPE = "application/oebps-package+xml"
_FONT_LOCKS = frozenset(("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"))
_MARKUP_TYPES = re.compile(r"html|xml|dtbook", re.IGNORECASE)
_MARKUP_NAMES = re.compile(r"\.(x?html?|xht|xml|svg)$", re.IGNORECASE)
_FEWEST_FOUND = 0.25
_MOST_TOLD = 100
_DRM_HINT = "ReadDesk cannot open it. Get a copy without protection from where you bought it."


def read(path: Path, health: HealthCollector, cancel: CancelToken) -> Iterator[Drafted]:
    """What an EPUB says of itself, then its sections and paragraphs; raises DocumentError for what is no book."""
    archive = Archive(path)
    try:
        yield from _read(path, archive, health, cancel)
    finally:
        archive.close()


def _read(path: Path, archive: Archive, health: HealthCollector, cancel: CancelToken) -> Iterator[Drafted]:
    package = _Package(archive, path.name)
    _refuse_protection(archive, package, path.name)
    yield package.told(path)
    files = package.texts(health)
    contents = _Contents(archive, package, files)
    by_headings = not contents.entries and _has_headings(archive, files, cancel)
    characters = 0
    pictures = PicturePlacer()
    for number, file in enumerate(files):
        if number % max(1, len(files) // _MOST_TOLD) == 0:
            yield ReadSoFar(number, len(files))
        cancel.raise_if_cancelled()
        data = archive.read(file)
        root = markup.parse(data or b"")
        if data is None:
            health.note(f"The text file {file} is damaged and could not be read.")
        if root is None:
            continue
        starts = contents.starts(file, root)
        if not contents.entries and not by_headings:
            starts = {root: [Start(_title_of(root, file))]}
        found = partial(_picture, archive, file)
        for draft in pictures.file(markup.walk(root, file, starts, found, by_headings, file == package.nav)):
            characters += len(draft.text) if isinstance(draft, Draft) else 0
            yield draft
    for draft in pictures.end():
        characters += len(draft.text) if isinstance(draft, Draft) else 0
        yield draft
    if not characters:
        raise NoTextError(f"{path.name} holds no text.", "It may be a picture book; ReadDesk reads text only.")
    if contents.lost:
        health.note(f"{contents.lost} entries of the table of contents point to places that are not in the book.")


def _picture(archive: Archive, file: str, link: str) -> str | None:
    """The member that a link in a text leads to, when it is one other than the text itself."""
    found, _ = archive.resolve(file, link)
    return found if found != file else None


# -- the package -------------------------------------------------------------------------------------------------


class _PackageReader(EpubReader):  # type: ignore[misc]  # ebooklib has no types
    """ebooklib's reader, given a mended package and no file contents."""

    def __init__(self, package: markup.Element, name: str) -> None:
        super().__init__(name)
        self._package = package
        self.opf_file = name
        self.opf_dir = posixpath.dirname(name)

    def load(self) -> EpubBook:
        self.container = etree.ElementTree(self._package)
        self._load_metadata()
        self._load_manifest()
        self._load_spine()
        return self.book

    def read_file(self, name: str) -> bytes:
        return b""

    def _parse_ncx(self, data: bytes) -> None:
        """Not here: `_Contents` does it."""


class _Package:
    """The package document: what belongs to the book, and in what order."""

    def __init__(self, archive: Archive, name: str) -> None:
        self._archive = archive
        self.file = _package_file(archive, name)
        root = markup.parse(archive.read(self.file) or b"")
        if root is None or not _mend_package(root):
            raise DocumentError(
                f"{name} is damaged: its list of contents (the package file) cannot be read.", "Get the file again."
            )
        self._book = _PackageReader(root, self.file).load()
        self._items: dict[str, Any] = {item.id: item for item in reversed(list(self._book.get_items()))}
        self.nav = self._file_of(EpubNav)
        self.ncx = self._file_of(EpubNcx)

    def _file_of(self, kind: Any) -> str | None:
        item = next((item for item in self._book.get_items() if isinstance(item, kind)), None)
        return self._archive.resolve(self.file, item.file_name)[0] if item is not None else None

    def told(self, path: Path) -> Told:
        """Title, authors and language; the file's name stands in for a missing title."""
        titles, creators, languages = (self._metadata(name) for name in ("title", "creator", "language"))
        return Told(
            title=next(iter(titles), "") or path.stem,
            authors=tuple(dict.fromkeys(creators)),
            language=next(iter(languages), ""),
        )

    def _metadata(self, name: str) -> list[str]:
        values = [one_line(value or "") for value, _ in self._book.get_metadata("DC", name)]
        return [value for value in values if value]

    def texts(self, health: HealthCollector) -> list[str]:
        """The text files in reading order; those that the archive lacks are noted."""
        found: dict[str, None] = {}
        missing = []
        named = 0
        for identifier, _ in self._book.spine:
            item = self._items.get(identifier)
            if item is None or not _is_markup(item):
                continue
            named += 1
            file, _ = self._archive.resolve(self.file, item.file_name)
            if file is None:
                missing.append(item.file_name)
            else:
                found[file] = None
        if missing:
            health.note(
                f"{len(missing)} of {named} text files that the book names are missing "
                f"({', '.join(missing[:3])}{', …' if len(missing) > 3 else ''})."
            )
        return list(found)

    def text_names(self) -> set[str]:
        """Every file of the book that holds text, the package included."""
        items = [item for item in self._book.get_items() if _is_markup(item) or isinstance(item, EpubNcx)]
        found = {self._archive.resolve(self.file, item.file_name)[0] for item in items}
        return {self.file} | {name for name in found if name}


def _is_markup(item: Any) -> bool:
    return bool(_MARKUP_TYPES.search(item.media_type or "") or _MARKUP_NAMES.search(item.file_name))


def _package_file(archive: Archive, name: str) -> str:
    """The first package that the container names, else the only .opf there is."""
    container = archive.find(CONTAINER)
    if container is None:
        raise DocumentError(f"{name} is not an EPUB: it has no {CONTAINER}.", "Open an EPUB, a PDF or a text file.")
    root = markup.parse(archive.read(container) or b"")
    for element in root.iter() if root is not None else ():
        if markup.tag_of(element) == "rootfile" and element.get("media-type", _PACKAGE_TYPE) == _PACKAGE_TYPE:
            found = archive.find(element.get("full-path") or "")
            if found:
                return found
    raise DocumentError(f"{name} is damaged: it does not say where its contents are.", "Get the file again.")


def _mend_package(root: markup.Element) -> bool:
    """Give a package the shape that ebooklib counts on; return whether there is a manifest and a spine."""
    parts: dict[str, markup.Element] = {}
    for element in root.iter():
        name = markup.tag_of(element)
        if name in ("metadata", "manifest", "spine") and name not in parts:
            element.tag = _OPF + name
            parts[name] = element
    if "manifest" not in parts or "spine" not in parts:
        return False
    if "metadata" not in parts:
        parts["metadata"] = etree.SubElement(root, _OPF + "metadata")
    for element in list(parts["metadata"].iterdescendants("{*}dc-metadata")):  # EPUB 1 nests them one deeper
        parts["metadata"].extend(list(element))
    for element in list(parts["metadata"]):
        if element.prefix not in element.nsmap or ":" in markup.tag_of(element):
            parts["metadata"].remove(element)
    for part, needed in (("manifest", ("id", "href")), ("spine", ("idref",))):
        for element in list(parts[part]):
            element.tag = _OPF + markup.tag_of(element)
            if not all(element.get(name) for name in needed):
                parts[part].remove(element)
    parts["spine"].attrib.pop("toc", "")
    return True


def _refuse_protection(archive: Archive, package: _Package, name: str) -> None:
    """Raise where text is encrypted; fonts may be, since that keeps nobody from reading."""
    texts = package.text_names()
    if any(archive.is_locked(text) for text in texts):
        raise DocumentError(f"{name} is a zip file with a password.", "Unpack it and zip it again without one.")
    data = archive.read(archive.find("META-INF/encryption.xml"))
    root = markup.parse(data) if data else None
    for entry in root.iter("{*}EncryptedData") if root is not None else ():
        method = entry.find(".//{*}EncryptionMethod")
        target = entry.find(".//{*}CipherReference")
        if target is None or (method is not None and method.get("Algorithm") in _FONT_LOCKS):
            continue
        if archive.find(target.get("URI") or "") in texts:
            raise DocumentError(f"{name} is protected by DRM.", _DRM_HINT)


# -- contents ----------------------------------------------------------------------------------------------------


@dataclass
class _Entry:
    title: str
    level: int
    file: str | None
    fragment: str = ""
    children: list[_Entry] = field(default_factory=list)


class _Contents:
    """The table of contents, from the navigation document or the NCX, with its places in the text."""

    def __init__(self, archive: Archive, package: _Package, files: Sequence[str]) -> None:
        self.entries: list[_Entry] = []
        self.lost = 0
        known = set(files)
        for source, parse in ((package.nav, _nav_entries), (package.ncx, _ncx_entries)):
            root = markup.parse(archive.read(source) or b"") if source else None
            entries = list(parse(root, archive, source)) if root is not None and source else []
            found = [entry for entry in entries if entry.file in known]
            if len(found) > len(self.entries):
                self.entries, self.lost = found, len(entries) - len(found)
        if len(self.entries) < _FEWEST_FOUND * self.lost:
            self.entries = []  # Contents for other files than these: headings tell more.

    def starts(self, file: str, root: markup.Element) -> dict[markup.Element, list[Start]]:
        """The elements of a file at which sections start, in the order of the contents."""
        entries = [entry for entry in self.entries if entry.file == file]
        starts: dict[markup.Element, list[Start]] = {}
        if not entries:
            return starts
        places = _fragments(root) if any(entry.fragment for entry in entries) else {}
        for entry in entries:
            element = root
            if entry.fragment:
                found = places.get(entry.fragment)
                element = found if found is not None else _heading_named(root, entry.title)
            starts.setdefault(element, []).append(Start(entry.title, entry.level))
        return starts


def _fragments(root: markup.Element) -> dict[str, markup.Element]:
    places: dict[str, markup.Element] = {}
    for element in root.iter():
        for name in (element.get("id"), element.get("name") if markup.tag_of(element) == "a" else None):
            if name:
                places.setdefault(name, element)
    return places


def _heading_named(root: markup.Element, title: str) -> markup.Element:
    """The heading with a title, for an entry whose anchor does not exist; else the file itself."""
    for element in root.iter():
        if re.fullmatch("h[1-6]", markup.tag_of(element)) and normal(markup.text_of(element)) == normal(title):
            return element
    return root


def _nav_entries(root: markup.Element, archive: Archive, source: str) -> Iterator[_Entry]:
    navs = [element for element in root.iter() if markup.tag_of(element) == "nav"]
    wanted = [nav for nav in navs if markup.roles_of(nav) & {"toc", "doc-toc"}] or navs
    for nav in wanted[:1]:
        for child in nav:
            if markup.tag_of(child) in ("ol", "ul"):
                yield from _flat(_nav_list(child, 1, archive, source))


def _nav_list(items: markup.Element, level: int, archive: Archive, source: str) -> list[_Entry]:
    entries = []
    for item in items:
        entry = _Entry("", level, None)
        for child in item:
            if markup.tag_of(child) in ("ol", "ul"):
                entry.children = _nav_list(child, level + 1, archive, source)
                continue
            link = next((found for found in child.iter() if found.get("href")), None)
            entry.title = entry.title or markup.text_of(child)
            if link is not None and entry.file is None:
                entry.file, entry.fragment = archive.resolve(source, link.get("href") or "")
        entries.append(entry)
    return entries


def _ncx_entries(root: markup.Element, archive: Archive, source: str) -> Iterator[_Entry]:
    for element in root.iter():
        if markup.tag_of(element) == "navmap":
            yield from _flat(_ncx_list(element, 1, archive, source))


def _ncx_list(parent: markup.Element, level: int, archive: Archive, source: str) -> list[_Entry]:
    entries = []
    for point in parent:
        if markup.tag_of(point) != "navpoint":
            continue
        entry = _Entry("", level, None)
        for child in point:
            if markup.tag_of(child) == "navlabel":
                entry.title = markup.text_of(child)
            elif markup.tag_of(child) == "content":
                entry.file, entry.fragment = archive.resolve(source, child.get("src") or "")
        entry.children = _ncx_list(point, level + 1, archive, source)
        entries.append(entry)
    return entries


def _flat(entries: list[_Entry]) -> Iterator[_Entry]:
    """Entries in the order of the contents; one without a place of its own starts where its first child does."""
    for entry in entries:
        below = list(_flat(entry.children))
        if entry.file is None and below:
            entry.file, entry.fragment = below[0].file, below[0].fragment
        if entry.title or entry.file:
            yield entry
        yield from below


# -- without contents --------------------------------------------------------------------------------------------


def _has_headings(archive: Archive, files: Sequence[str], cancel: CancelToken) -> bool:
    for file in files:
        cancel.raise_if_cancelled()
        root = markup.parse(archive.read(file) or b"")
        if root is not None and any(markup.tag_of(element) in ("h1", "h2", "h3") for element in root.iter()):
            return True
    return False


def _title_of(root: markup.Element, file: str) -> str:
    found = next((element for element in root.iter() if markup.tag_of(element) == "title"), None)
    return (markup.text_of(found) if found is not None else "") or Path(file).stem
