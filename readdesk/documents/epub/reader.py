"""EPUB: reading order from the spine, sections from the contents, text from the files.

ebooklib reads the package (metadata, manifest, spine); contents, links and text are read by us, because real books name
files that are not there, spell them differently, or point at places that do not exist. ebooklib 0.20 raises KeyError
for the whole book when one manifest file is missing, so its reader is given no contents at all: it keeps names, and the
archive is asked when a text is needed. A remote item is a name like any other and is never fetched.

What must stay true: one file in memory at a time; a book always has sections; text missing from the archive is told.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ebooklib.epub import EpubBook, EpubNav, EpubNcx, EpubReader
from lxml import etree

from readdesk.cancel import CancelToken
from readdesk.documents.draft import Draft, Drafted, ReadSoFar, Start, Told
from readdesk.documents.epub.archive import CONTAINER, Archive
from readdesk.documents.epub.contents import Contents, Survey, survey, titled
from readdesk.documents.health import HealthCollector
from readdesk.documents.html.elements import Element, is_cut_off, parse, places_in, tag_of
from readdesk.documents.html.marks import Loose, PointPlacer
from readdesk.documents.html.markup import walk
from readdesk.documents.html.notes import NoteFinder
from readdesk.documents.matter import matter_of_roles
from readdesk.documents.model import Matter, Structure
from readdesk.documents.normal import one_line
from readdesk.documents.parts import in_parts
from readdesk.errors import DocumentError, NoTextError

_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_PACKAGE_TYPE = "application/oebps-package+xml"
_FONT_LOCKS = frozenset(("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"))
_MARKUP_TYPES = re.compile(r"html|xml|dtbook", re.IGNORECASE)
_MARKUP_NAMES = re.compile(r"\.(x?html?|xht|xml|svg)$", re.IGNORECASE)
_MOST_TOLD = 100
_DRM_HINT = "ReadDesk cannot open it. Get a copy without protection from where you bought it."


def read(path: Path, health: HealthCollector, cancel: CancelToken) -> Iterator[Drafted]:
    """What an EPUB says of itself, then its sections and paragraphs; raises DocumentError for what is no book."""
    archive = Archive(path)
    try:
        yield from _Book(path, archive, health, cancel).read()
    finally:
        archive.close()


class _Book:
    """One book while it is read, file after file."""

    def __init__(self, path: Path, archive: Archive, health: HealthCollector, cancel: CancelToken) -> None:
        self._path = path
        self._archive = archive
        self._health = health
        self._cancel = cancel
        self._package = _Package(archive, path.name)
        self._notes = NoteFinder()

    def read(self) -> Iterator[Drafted]:
        _refuse_protection(self._archive, self._package, self._path.name)
        files = self._package.texts(self._health)
        package = self._package
        contents = Contents(self._archive, package.nav, package.ncx, package.guide(), files)
        surveyed = survey(self._archive, files, contents, self._cancel)
        if surveyed.structure != "contents":
            contents.forget()
        yield package.told(self._path, surveyed.structure)
        points = PointPlacer()
        drafts = in_parts(self._drafts(files, contents, surveyed, points), surveyed.structure == "parts")
        characters = 0
        for part in drafts:
            characters += len(part.text) if isinstance(part, Draft) else 0
            yield part
        if not characters:
            raise NoTextError(
                f"{self._path.name} holds no text.", "It may be a picture book; ReadDesk reads text only."
            )
        if contents.lost:
            self._health.note(
                f"{contents.lost} entries of the table of contents point to places that are not in the book."
            )

    def _drafts(
        self, files: Sequence[str], contents: Contents, surveyed: Survey, points: PointPlacer
    ) -> Iterator[Start | Draft | ReadSoFar]:
        for number, file in enumerate(files):
            if number % max(1, len(files) // _MOST_TOLD) == 0:
                yield ReadSoFar(number, len(files))
            self._cancel.raise_if_cancelled()
            data = self._archive.read(file)
            root = parse(data or b"")
            if data is None:
                self._health.note(f"The text file {file} is damaged and could not be read.")
            if root is not None and is_cut_off(root):
                self._health.note(f"The text file {file} is nested too deeply to be read to its end.")
            if root is not None:
                yield from points.file(self._file(file, root, contents, surveyed))
        yield from points.end()

    def _file(self, file: str, root: Element, contents: Contents, surveyed: Survey) -> Iterator[Start | Draft | Loose]:
        places = places_in(root)
        starts = contents.starts(file, root, places, surveyed)
        notes = self._notes.links(file, root, partial(self._archive.resolve, file), places)
        picture = partial(_picture, self._archive, file)
        yield from titled(walk(root, file, starts, picture, False, notes, contents.pages(file, places)))


def _picture(archive: Archive, file: str, link: str) -> str | None:
    """The member that a link in a text leads to, when it is one other than the text itself."""
    found, _ = archive.resolve(file, link)
    return found if found != file else None


# -- the package -------------------------------------------------------------------------------------------------


class _PackageReader(EpubReader):  # type: ignore[misc]  # ebooklib has no types
    """ebooklib's reader, given a mended package and no file contents."""

    def __init__(self, package: Element, name: str) -> None:
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
        """Not here: `Contents` does it."""


class _Package:
    """The package document: what belongs to the book, and in what order."""

    def __init__(self, archive: Archive, name: str) -> None:
        self._archive = archive
        self.file = _package_file(archive, name)
        root = parse(archive.read(self.file) or b"")
        references = root.findall(".//{*}guide/{*}reference") if root is not None else []
        self._guide = [(element.get("type") or "", element.get("href") or "") for element in references]
        package = _mended_package(root) if root is not None else None
        if package is None:
            raise DocumentError(
                f"{name} is damaged: its list of contents (the package file) cannot be read.", "Get the file again."
            )
        self._book = _PackageReader(package, self.file).load()
        self._items: dict[str, Any] = {}
        for item in reversed(list(self._book.get_items())):  # Of several with one id the first that is there counts.
            if item.id not in self._items or archive.resolve(self.file, item.file_name)[0]:
                self._items[item.id] = item
        self.nav = self._file_of(EpubNav)
        self.ncx = self._file_of(EpubNcx)

    def _file_of(self, kind: Any) -> str | None:
        item = next((item for item in self._book.get_items() if isinstance(item, kind)), None)
        return self._archive.resolve(self.file, item.file_name)[0] if item is not None else None

    def guide(self) -> dict[str, Matter]:
        """The files that the package itself calls front or back matter (EPUB 2)."""
        found: dict[str, Matter] = {}
        for kind, link in self._guide:
            file, fragment = self._archive.resolve(self.file, link)
            matter = matter_of_roles(frozenset((kind.lower(),)))
            if file and matter and not fragment:
                found.setdefault(file, matter)
        return found

    def told(self, path: Path, structure: Structure) -> Told:
        """Title, authors and language; the file's name stands in for a missing title."""
        titles, creators, languages = (self._metadata(name) for name in ("title", "creator", "language"))
        return Told(
            title=next(iter(titles), "") or path.stem,
            authors=tuple(dict.fromkeys(creators)),
            language=next(iter(languages), ""),
            structure=structure,
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
        raise DocumentError(
            f"{name} is not an EPUB: it has no {CONTAINER}.", "Open an EPUB, a PDF, a text or a saved web page."
        )
    root = parse(archive.read(container) or b"")
    for element in root.iter() if root is not None else ():
        if tag_of(element) == "rootfile" and element.get("media-type", _PACKAGE_TYPE) == _PACKAGE_TYPE:
            found = archive.find(element.get("full-path") or "")
            if found:
                return found
    raise DocumentError(f"{name} is damaged: it does not say where its contents are.", "Get the file again.")


def _mended_package(root: Element) -> Element | None:
    """A package of the shape that ebooklib counts on, made of the parts found; None without a manifest and a spine."""
    parts: dict[str, Element] = {}
    for element in root.iter():
        name = tag_of(element)
        if name in ("metadata", "manifest", "spine") and name not in parts:
            parts[name] = element
    if "manifest" not in parts or "spine" not in parts:
        return None
    package = etree.Element(_OPF + "package")
    for name in ("metadata", "manifest", "spine"):  # In their place they may lie within one another.
        part = parts.get(name)
        package.append(part if part is not None else etree.Element(_OPF + name))
        package[-1].tag = _OPF + name
    metadata, manifest, spine = package
    _mend_metadata(metadata)
    for part, name, needed in ((manifest, "item", ("id", "href")), (spine, "itemref", ("idref",))):
        for element in list(part):
            if tag_of(element) == name and all(element.get(attribute) for attribute in needed):
                element.tag = _OPF + name
            else:
                part.remove(element)
    spine.attrib.pop("toc", "")
    return package


def _mend_metadata(metadata: Element) -> None:
    """Take out what ebooklib stumbles over: names without a namespace, and the lack of any Dublin Core."""
    for element in list(metadata.iterdescendants("{*}dc-metadata")):  # EPUB 1 nests them one deeper
        metadata.extend(list(element))
    for element in list(metadata):
        if element.prefix not in element.nsmap or ":" in tag_of(element):
            metadata.remove(element)
    if metadata.find(_DC + "*") is None:
        etree.SubElement(metadata, _DC + "description", nsmap={"dc": _DC.strip("{}")})


def _refuse_protection(archive: Archive, package: _Package, name: str) -> None:
    """Raise where text is encrypted; fonts may be, since that keeps nobody from reading."""
    texts = package.text_names()
    if any(archive.is_locked(text) for text in texts):
        raise DocumentError(f"{name} is a zip file with a password.", "Unpack it and zip it again without one.")
    data = archive.read(archive.find("META-INF/encryption.xml"))
    root = parse(data) if data else None
    for entry in root.iter("{*}EncryptedData") if root is not None else ():
        method = entry.find(".//{*}EncryptionMethod")
        target = entry.find(".//{*}CipherReference")
        if target is None or (method is not None and method.get("Algorithm") in _FONT_LOCKS):
            continue
        if archive.find(target.get("URI") or "") in texts:
            raise DocumentError(f"{name} is protected by DRM.", _DRM_HINT)
