"""The zip file that an EPUB is: looked at before anything is unpacked, and forgiving about names.

Nothing is ever written to disk, so a name with `../` can do no harm: it is left out of the index, as are links. Names
are found as written, with backslashes, percent-encoding or another letter case, and where a zip tool wrote UTF-8
without saying so.

What must stay true: sizes and ratios are judged before reading; a missing or damaged member is None, never an
exception; an address with a scheme (http, file, data) is never a member.
"""

from __future__ import annotations

import contextlib
import posixpath
import re
import stat
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

from readdesk.errors import DocumentError

CONTAINER = "META-INF/container.xml"

_MOST_MEMBERS = 30_000
_LARGEST_TOTAL = 4 << 30
_LARGEST_TEXT = 64 << 20
_BOMB_SIZE = 16 << 20
_BOMB_RATIO = 100
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class Archive:
    """An opened zip file; raises DocumentError when it is no zip, is cut short, or unpacks to an absurd size."""

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._file: BinaryIO = path.open("rb")
        try:
            self._zip = zipfile.ZipFile(self._file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            self._file.close()
            raise DocumentError(f"{path.name} is damaged or was cut short.", "Get the file again.") from None
        try:
            self._refuse_bombs()
        except DocumentError:
            self.close()
            raise
        self._names = self._index()

    def _refuse_bombs(self) -> None:
        members = self._zip.infolist()
        total = sum(member.file_size for member in members)
        packed = sum(member.compress_size for member in members)
        too_tight = total > _BOMB_SIZE and total > _BOMB_RATIO * max(packed, 1)
        tight_member = any(
            member.file_size > _BOMB_SIZE and member.file_size > _BOMB_RATIO * max(member.compress_size, 1)
            for member in members
        )
        if len(members) > _MOST_MEMBERS or total > _LARGEST_TOTAL or too_tight or tight_member:
            raise DocumentError(
                f"{self._name} would unpack to {total >> 20:,} MB in {len(members):,} files, which no book does.",
                "It was not opened, because it may be made to fill up the computer.",
            )

    def _index(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for member in self._zip.infolist():
            name = member.filename
            is_link = stat.S_ISLNK(member.external_attr >> 16)  # Its content is the name of some file of the computer.
            if not name or member.is_dir() or is_link or ".." in re.split(r"[/\\]", name):
                continue
            for spelling in _spellings(name, member.flag_bits):
                names.setdefault(spelling, name)
                names.setdefault(spelling.casefold(), name)
        return names

    def find(self, name: str) -> str | None:
        """The name of a member as the archive spells it, or None."""
        name = name.replace("\\", "/").lstrip("/")
        for candidate in (name, unquote(name)):
            normal = posixpath.normpath(candidate)
            found = self._names.get(normal) or self._names.get(normal.casefold())
            if found:
                return found
        return None

    def resolve(self, base: str, link: str) -> tuple[str | None, str]:
        """The member and the fragment that a link inside the member `base` names."""
        link = link.strip()
        if _SCHEME.match(link):
            return None, ""
        target, _, fragment = link.partition("#")
        if not target:
            return self.find(base), unquote(fragment)
        return self.find(posixpath.join(posixpath.dirname(base), target)), unquote(fragment)

    def read(self, name: str | None) -> bytes | None:
        """The bytes of a member, or None where it is missing, damaged, locked or far too large for a text."""
        if name is None:
            return None
        try:
            member = self._zip.getinfo(name)
            return self._zip.read(member) if member.file_size <= _LARGEST_TEXT else None
        except (KeyError, ValueError, zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError):
            return None

    def is_locked(self, name: str) -> bool:
        """Whether a member needs a zip password."""
        return bool(self._zip.getinfo(name).flag_bits & 1)

    def close(self) -> None:
        """Close the file."""
        self._zip.close()
        self._file.close()


def _spellings(name: str, flags: int) -> set[str]:
    plain = name.replace("\\", "/").lstrip("/")
    spellings = {plain, unquote(plain)}
    if not flags & 0x800:  # The zip says "cp437", which is what a tool that wrote UTF-8 without the flag gets.
        with contextlib.suppress(UnicodeError):
            spellings.add(plain.encode("cp437").decode("utf-8"))
    return {posixpath.normpath(spelling) for spelling in spellings}
