"""The memory cache: computed states of prefixes on disk, so that a question after a restart begins at once.

One file for each owner and model: a head (format, identity, counts, checksums), the tokens, the state that llama.cpp
computed for exactly these tokens. It holds only for the same model file, version of llama.cpp, way of keeping the
memory and chat template, all of which make its identity. A file that is wrong, old, cut off or changed in a single byte
is removed and never used; the worst that can happen is that a prefix is read again.

CRC-32 is the checksum because a disk is no adversary and time counts: 0.05 s for 170 MB where SHA-256 takes 0.2 and
BLAKE2 0.3 (measured); it finds every single changed byte. Files are written under another name and renamed, so that
other processes see whole files only; when they were used last is their time of change.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import struct
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import IO

import numpy as np

from readdesk.cancel import CancelToken

_MAGIC = b"RDSTATE1"
"""The last digit is the version of the format."""

_HEAD = struct.Struct("<8s16s16sQQI")
"""Magic, identity, owner, number of tokens, bytes and CRC of the state; the tokens follow, and the CRC of all that."""

_CRC = struct.Struct("<I")
_TOKEN_BYTES = 4
_PIECE = 4 << 20
"""Bytes between two looks at the cancel token."""

_SPARE_DISK = 1 << 30
"""Bytes of the disk that stay free: a convenience must not fill it."""

_STALE_SECONDS = 3600.0
"""A draft of this age was left behind by a process that died."""

_SUFFIX, _DRAFT_SUFFIX = ".state", ".draft"
_SAMPLES, _SAMPLE_BYTES, _EDGE_BYTES = 64, 64 << 10, 1 << 20
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Identity:
    """All that a computed state depends on besides its tokens; texts of any form."""

    model: str
    library: str
    memory: str
    template: str

    @property
    def digest(self) -> bytes:
        """Sixteen bytes that change with every part."""
        return _digest(repr(astuple(self)))


def file_digest(file: Path) -> str:
    """Tells model files apart whatever their dates: size, both ends and samples of what lies between.

    Fine-tuned models share their beginnings and ends, so these alone would not do. Raises OSError.
    """
    size = file.stat().st_size
    places = {size * index // _SAMPLES for index in range(_SAMPLES)}
    found = blake2b(str(size).encode(), digest_size=16)
    with file.open("rb") as stream:
        for place, length in ((0, _EDGE_BYTES), *((p, _SAMPLE_BYTES) for p in sorted(places)), (-1, _EDGE_BYTES)):
            stream.seek(place if place >= 0 else max(0, size - length))
            found.update(stream.read(length))
    return found.hexdigest()


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


@dataclass(frozen=True)
class KeptState:
    """A state as it was saved, and the tokens that it was computed for."""

    tokens: tuple[int, ...]
    data: memoryview


@dataclass(frozen=True)
class _Head:
    tokens: tuple[int, ...]
    size: int
    checksum: int


class MemoryCache:
    """States of one model by owner, at most `limit` bytes of all models together; without a folder it keeps nothing."""

    def __init__(self, folder: Path | None, limit: int, identity: Identity) -> None:
        self._folder = folder if limit > 0 else None
        self._limit = limit
        self._identity = identity

    def takes(self, size: int) -> bool:
        """Whether a state of so many bytes would be kept."""
        return self._folder is not None and size <= self._limit

    def tokens(self, owner: str) -> tuple[int, ...]:
        """The tokens whose state is kept; none where nothing can be used."""
        with self._opened(owner) as stream:
            head = self._head(owner, stream) if stream else None
        return head.tokens if head else ()

    def load(self, owner: str, cancel: CancelToken) -> KeptState | None:
        """What is kept, every byte of it checked; marks it as used. Raises Cancelled."""
        with self._opened(owner) as stream:
            head = self._head(owner, stream) if stream else None
            data = self._body(owner, stream, head, cancel) if stream and head else None
        if head is None or data is None:
            return None
        with contextlib.suppress(OSError):
            os.utime(self._file(owner))
        return KeptState(head.tokens, data)

    def save(self, owner: str, tokens: Sequence[int], state: bytes | memoryview, cancel: CancelToken) -> bool:
        """Keep a state in place of the owner's former one; False where it is too large or the disk refuses it.

        Raises Cancelled; the former state then stays.
        """
        size = _HEAD.size + _TOKEN_BYTES * len(tokens) + _CRC.size + len(state)
        if self._folder is None or not self.takes(size):
            return False
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._remove_drafts()
            if shutil.disk_usage(self._folder).free < size + _SPARE_DISK:
                return False
            self._write(self._file(owner), owner, tokens, memoryview(state), cancel)
            remove_beyond(self._limit, self._folder, self._file(owner))
        except OSError as error:
            _logger.warning("a computed memory could not be kept: %s", error)
            return False
        return True

    def forget(self, owner: str) -> None:
        """Remove what is kept for an owner."""
        if self._folder is not None:
            _remove(self._file(owner))

    # -- reading -------------------------------------------------------------------------------------------------

    def _file(self, owner: str) -> Path:
        """A file for each model, so that two that answer in turn do not take each other's place."""
        assert self._folder is not None
        return self._folder / f"{_digest(owner).hex()}-{_digest(self._identity.model).hex()[:12]}{_SUFFIX}"

    @contextlib.contextmanager
    def _opened(self, owner: str) -> Iterator[IO[bytes] | None]:
        """The owner's file; None where there is none or it cannot be opened."""
        try:
            stream = None if self._folder is None else self._file(owner).open("rb", buffering=0)
        except OSError:
            stream = None
        if stream is None:
            yield None
            return
        with stream:
            yield stream

    def _head(self, owner: str, stream: IO[bytes]) -> _Head | None:
        try:
            head = self._checked_head(owner, stream)
        except (OSError, struct.error):
            head = None
        if head is None:
            self.forget(owner)
        return head

    def _checked_head(self, owner: str, stream: IO[bytes]) -> _Head | None:
        start = stream.read(_HEAD.size)
        magic, identity, whose, count, size, checksum = _HEAD.unpack(start)
        if (magic, identity, whose) != (_MAGIC, self._identity.digest, _digest(owner)):
            return None
        length = count * _TOKEN_BYTES
        if _HEAD.size + length + _CRC.size + size != os.fstat(stream.fileno()).st_size:
            return None
        listed = stream.read(length)
        if _CRC.unpack(stream.read(_CRC.size)) != (zlib.crc32(start + listed),):
            return None
        return _Head(tuple(np.frombuffer(listed, dtype="<i4").tolist()), size, checksum)

    def _body(self, owner: str, stream: IO[bytes], head: _Head, cancel: CancelToken) -> memoryview | None:
        try:
            data, checksum = _read(stream, head.size, cancel)
        except OSError:
            data, checksum = memoryview(b""), 0
        if (len(data), checksum) == (head.size, head.checksum):
            return data
        self.forget(owner)
        return None

    # -- writing -------------------------------------------------------------------------------------------------

    def _write(self, file: Path, owner: str, tokens: Sequence[int], state: memoryview, cancel: CancelToken) -> None:
        listed = np.asarray(tokens, dtype="<i4").tobytes()
        checksum = 0
        for piece in _pieces(state, cancel):
            checksum = zlib.crc32(piece, checksum)
        start = _HEAD.pack(_MAGIC, self._identity.digest, _digest(owner), len(tokens), len(state), checksum)
        handle, name = tempfile.mkstemp(_DRAFT_SUFFIX, dir=file.parent)
        draft = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(start + listed + _CRC.pack(zlib.crc32(start + listed)))
                for piece in _pieces(state, cancel):
                    stream.write(piece)
            draft.replace(file)
        finally:
            _remove(draft)

    def _remove_drafts(self) -> None:
        assert self._folder is not None
        for draft, status in _listed(self._folder, _DRAFT_SUFFIX):
            if time.time() - status.st_mtime > _STALE_SECONDS:
                _remove(draft)


def remove_beyond(limit: int, folder: Path, newest: Path | None = None) -> None:
    """Remove the states that were not used for longest until the others take so many bytes; the `newest` one stays."""
    files = [(status.st_mtime, status.st_size, file) for file, status in _listed(folder, _SUFFIX)]
    total = sum(size for _, size, _ in files)
    for _, size, file in sorted(files):
        if total <= limit:
            return
        if file != newest:
            _remove(file)
            total -= size


def _listed(folder: Path, suffix: str) -> Iterator[tuple[Path, os.stat_result]]:
    """The files of this kind that are still there when they are looked at."""
    for file in folder.glob(f"*{suffix}"):
        with contextlib.suppress(OSError):
            yield file, file.stat()


def _remove(file: Path) -> None:
    """Another process may have been faster, or hold the file open where that locks it."""
    with contextlib.suppress(OSError):
        file.unlink()


def _read(stream: IO[bytes], size: int, cancel: CancelToken) -> tuple[memoryview, int]:
    """So many bytes, fewer where the file ends, and their checksum, taken while a piece is still near the processor."""
    data = np.empty(size, dtype=np.uint8).data  # Not a bytearray: that would be filled with zeros first.
    done = checksum = 0
    while done < size:
        cancel.raise_if_cancelled()
        count = stream.readinto(data[done : done + _PIECE])  # type: ignore[attr-defined]  # IO lacks it, files have it
        if not count:
            break
        checksum = zlib.crc32(data[done : done + count], checksum)
        done += count
    return data[:done], checksum


def _pieces(data: memoryview, cancel: CancelToken) -> Iterator[memoryview]:
    for start in range(0, len(data), _PIECE):
        cancel.raise_if_cancelled()
        yield data[start : start + _PIECE]
