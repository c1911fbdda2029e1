"""The front process's side of reading documents: what a file is, and a client of the process that reads it.

A file is known by its content, never by its name. Whatever cannot be a book is refused here with a sentence, before a
parser sees it. What must stay true: no format library is imported here; `read` yields DocumentHead, then every Section
in reading order followed by batches of its paragraphs, and Health at the very end; ReadSoFar and Layers
may come at any time before that.
"""

from __future__ import annotations

import itertools
import re
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from readdesk.cancel import Cancelled, CancelToken
from readdesk.documents.draft import ReadSoFar
from readdesk.documents.faults import LEAF_SECONDS, Faults
from readdesk.documents.model import (
    AUTOMATIC,
    Choices,
    DocumentHead,
    Format,
    Health,
    Layers,
    Paragraph,
    RecognisedLeaf,
    Section,
    has_leaves,
)
from readdesk.documents.second import Board, SecondReader, may_have_second
from readdesk.documents.signatures import marked, unmarked_utf16
from readdesk.errors import DocumentError, WorkerError, WorkerTooLargeError
from readdesk.worker import Worker

__all__ = ["DocumentReader", "Part", "ReadSoFar", "Recognised", "sniff", "state_of"]

Part = DocumentHead | Section | tuple[Paragraph, ...] | Layers | Health | ReadSoFar
"""What a document's stream is made of."""


@dataclass(frozen=True)
class Recognised:
    """The leaves of a file, known by the hash of its bytes, whose text was recognised."""

    file_hash: str
    leaves: tuple[RecognisedLeaf, ...]


NOTHING_RECOGNISED = Recognised("", ())


@dataclass(frozen=True)
class _Request:
    """What is to be read."""

    path: Path
    password: str | None
    format: Format
    choices: Choices
    recognised: Recognised
    cancel: CancelToken


_SERVICES = "readdesk.documents.service:DocumentService", "readdesk.documents.pdf.share:LeafService"

_SILENCE_SECONDS = 120.0
_SILENCE_SECONDS_OF_LEAVES = 18.0
"""A reader of leaves tells of every few leaves and between its steps; what keeps silent for longer never ends."""

_WORDS_A_MESSAGE = 2000
_MOST_MEMORY = 2 << 30
_HEAD_BYTES = 4096
_PDF_HEADER_WITHIN = 1024
_BLANK = b"\xef\xbb\xbf \t\r\n\0"
_OBJECT = re.compile(rb"\b\d+\s+\d+\s+obj\b")
_WHAT_TO_OPEN = "Open an EPUB, a PDF, a text or a saved web page."
_GET_AGAIN = "Get the file again."

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"BM", "a picture"),
    (b"II*\x00", "a picture"),
    (b"MM\x00*", "a picture"),
    (b"{\\rtf", "a rich-text document"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"AT&TFORM", "a DjVu document"),
    (b"%!PS", "a PostScript document"),
    (b"\x1f\x8b", "a packed file (gzip)"),
    (b"7z\xbc\xaf", "a packed file (7z)"),
    (b"Rar!", "a packed file (rar)"),
    (b"ID3", "a sound file"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"SQLite format 3", "a database"),
)
# Comments are taken once and for all: tried in every way, a few dozen of them would hold the program up for ever.
_WEB_PAGE = re.compile(
    rb"\s*+(?:<\?xml[^>]*+>\s*+)?(?:(?><!--.*?-->)\s*+)*+<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(rb"<(?:p|div|h[1-6]|body|head|title|table|ul|ol|br|span|a|article|main|meta)\b[^<>]*>", re.IGNORECASE)
_FICTION_BOOK = re.compile(rb"\s*<\?xml\s[^>]*>\s*(?:<!--.{0,2000}?-->\s*)?<(?:\w+:)?FictionBook\b", re.DOTALL)
_MOBI_KINDS = (b"BOOKMOBI", b"TEXtREAd")
_FIRST_RECORD = 78
_ENCRYPTION_AT = 12
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".jp2", ".jxr", ".webp")
_BESIDE_PICTURES = ("comicinfo.xml", "thumbs.db", ".ds_store", ".nfo", ".txt", ".sfv")
_MAIL = re.compile(rb"[A-Za-z-]+:[ \t]")
_MAIL_OF_PARTS = re.compile(rb"^content-type:\s*multipart/related", re.IGNORECASE | re.MULTILINE)
_WEB_NAMES = frozenset((".html", ".htm", ".xhtml", ".xht", ".mht", ".mhtml"))
_BOOK_NAMES = frozenset((".pdf", ".epub"))
_MARKDOWN_NAMES = frozenset((".md", ".markdown", ".mkd", ".mdown"))
_XML = re.compile(rb"\s*<\?xml\s")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def sniff(path: Path) -> Format:
    """What kind of document a file is by its content; raises DocumentError for what is none."""
    head = _head(path)
    if _is_pdf(head):
        return "pdf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _sniff_zip(path)
    for signature, kind in _SIGNATURES:
        if head.startswith(signature) and not _is_plain(head):
            raise DocumentError(f"{path.name} is {kind}, not a book.", _WHAT_TO_OPEN)
    if head[8:12] == b"WEBP":
        raise DocumentError(f"{path.name} is a picture, not a book.", _WHAT_TO_OPEN)
    if head[60:68] in _MOBI_KINDS:
        return _sniff_mobi(path, head)
    content = _decoded(head)
    if _FICTION_BOOK.match(content):
        return "fb2"
    if _is_web_page(content, path):
        return "html"
    if _XML.match(content):
        raise DocumentError(f"{path.name} is an XML file, not a book.", _WHAT_TO_OPEN)
    if len(_CONTROL.findall(content)) > len(content) // 200:
        raise DocumentError(f"{path.name} is not a book: it holds neither text nor a known format.", _WHAT_TO_OPEN)
    return "markdown" if path.suffix.lower() in _MARKDOWN_NAMES else "text"


def _head(path: Path) -> bytes:
    if not _is_writable(path):
        name = path.name.encode("utf-8", "replace").decode()
        raise DocumentError(f"The name of {name} is not text throughout.", "Give the file another name.")
    try:
        if path.is_dir():
            raise DocumentError(f"{path} is a folder.", "Name a file in it.")
        if not path.exists():
            raise DocumentError(f"There is no file {path}.", "Check how its name is written.")
        if not path.is_file():
            raise DocumentError(f"{path} is not a file.", _WHAT_TO_OPEN)
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except PermissionError as error:
        raise DocumentError(f"{path} cannot be opened: this is not allowed.", "Check its permissions.") from error
    except (OSError, ValueError) as error:
        raise DocumentError(f"{path} cannot be opened.", "Check how its name is written.") from error
    if not head.strip(b"\x00"):
        raise DocumentError(f"{path.name} is empty.", _GET_AGAIN)
    return head


def _is_pdf(head: bytes) -> bool:
    """Whether a file is a PDF: some have other bytes before their header, and some texts speak of that header."""
    at = head.find(b"%PDF-", 0, _PDF_HEADER_WITHIN)
    return at >= 0 and (not head[:at].strip(_BLANK) or _OBJECT.search(head, at) is not None)


def _decoded(head: bytes) -> bytes:
    """The first bytes in UTF-8, where they are in another form of Unicode; else as they are, without a mark."""
    mark, encoding = marked(head) or (b"", unmarked_utf16(head))
    body = head[len(mark) :]
    return body.decode(encoding, "replace").encode() if encoding else body


def _is_web_page(content: bytes, path: Path) -> bool:
    """Whether a file is HTML; raises DocumentError where it was saved in place of a book."""
    is_named = path.suffix.lower() in _WEB_NAMES
    if not (_WEB_PAGE.match(content) or _is_saved_mail(content) or (is_named and _TAG.search(content))):
        return False
    if path.suffix.lower() in _BOOK_NAMES:
        raise DocumentError(
            f"{path.name} is a web page, which was saved in place of the book.",
            "Get the book again; read the page first.",
        )
    return True


def _is_saved_mail(content: bytes) -> bool:
    """Whether a file is a web page with all that belongs to it, as browsers save it in the form of a mail (MHTML)."""
    headers = re.split(rb"\r?\n\r?\n", content, maxsplit=1)[0]
    return _MAIL.match(headers) is not None and _MAIL_OF_PARTS.search(headers) is not None


def _is_writable(path: Path) -> bool:
    """Whether a path is text that can be kept: on Linux a name may be any bytes."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_plain(head: bytes) -> bool:
    """Whether a signature may be the first letters of a text ("BM", "MZ", "ID3")."""
    return not head.startswith((b"{\\rtf", b"%!PS")) and head.isascii() and not _CONTROL.search(head)


def _sniff_mobi(path: Path, head: bytes) -> Format:
    """A MOBI; raises DocumentError where its text is encrypted, which only its first record tells."""
    first = int.from_bytes(head[_FIRST_RECORD : _FIRST_RECORD + 4])
    with path.open("rb") as file:
        file.seek(first + _ENCRYPTION_AT)
        if any(file.read(2)):
            raise DocumentError(f"{path.name} is a Kindle book protected by DRM.", "Get a copy without that.")
    return "mobi"


def _sniff_zip(path: Path) -> Format:
    try:
        with zipfile.ZipFile(path) as archive:
            names = {name.casefold() for name in archive.namelist()}
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise DocumentError(f"{path.name} is damaged or was cut short.", _GET_AGAIN) from error
    if "meta-inf/container.xml" in names:
        return "epub"
    if "mimetype" in names and any(name.endswith(".opf") for name in names):
        raise DocumentError(f"{path.name} is an EPUB without its META-INF/container.xml.", _GET_AGAIN)
    if any(name.endswith(".fdseq") for name in names):
        return "xps"
    if _is_comic(names):
        return "cbz"
    kind = "an Office document" if names & {"[content_types].xml", "content.xml"} else "a zip file, but not an EPUB"
    raise DocumentError(f"{path.name} is {kind}.", _WHAT_TO_OPEN)


def _is_comic(names: set[str]) -> bool:
    """Whether a zip file holds pictures and nothing that could be the text of a book."""
    files = {name for name in names if not name.endswith(("/", *_BESIDE_PICTURES))}
    return bool(files) and all(name.endswith(_PICTURES) for name in files)


def state_of(path: Path) -> tuple[int, ...]:
    """What changes when a file is written or replaced; nothing for one that is not there."""
    try:
        state = path.stat()
    except OSError:
        return ()
    return state.st_ino, state.st_size, state.st_mtime_ns


class DocumentReader:
    """Reads documents in the document process, and leaves of long PDFs in a second one too.

    A leaf that crashes or hangs whoever reads it is left out, which the Health says; one may take `leaf_seconds`.
    `services` are others in tests: that of the process that reads, and that of the one that helps.
    """

    def __init__(
        self,
        output: Path | None = None,
        most_memory: int = _MOST_MEMORY,
        services: tuple[str, str] = _SERVICES,
        leaf_seconds: float = LEAF_SECONDS,
    ) -> None:
        self._leaf_seconds = leaf_seconds
        self._board = Board()
        self._second = SecondReader(services[1], self._board, output, most_memory)
        self._worker = Worker(
            services[0],
            self._board,
            name="The document reader",
            output=output,
            most_memory=most_memory,
            ends=self._second.end_for_first,
        )
        self._busy = threading.Lock()
        self._numbers = itertools.count(1)

    def start(self) -> None:
        """Start the process so that the first document need not wait for it."""
        self._worker.start()

    def read(
        self,
        path: Path,
        password: str | None = None,
        cancel: CancelToken | None = None,
        choices: Choices = AUTOMATIC,
        recognised: Recognised = NOTHING_RECOGNISED,
    ) -> Iterator[Part]:
        """Stream a document: DocumentHead, then each Section followed by batches of its paragraphs, then Health.

        Before the Health comes now and then a ReadSoFar, also before the head. Leaves that were `recognised` have that
        text for their own, if the file is still the one that they are of.
        Raises DocumentError (PasswordNeeded, NoTextError) or Cancelled.
        """
        request = _Request(path, password, sniff(path), choices, recognised, cancel or CancelToken())
        while not self._busy.acquire(timeout=0.05):
            request.cancel.raise_if_cancelled()
        try:
            yield from self._read(request)
        finally:
            self._busy.release()

    def _read(self, request: _Request) -> Iterator[Part]:
        """Read; leaves that crash or hang their reader are left out, which takes some readings to find out."""
        patience = _SILENCE_SECONDS_OF_LEAVES if has_leaves(request.format) else _SILENCE_SECONDS
        faults = Faults(self._board, self._second, self._leaf_seconds)
        heard, told, is_begun = time.monotonic(), 0, False
        while True:
            try:
                for part in self._parts(request, patience, faults):
                    if not isinstance(part, ReadSoFar):
                        is_begun = True
                    elif part.done < told:
                        continue  # Read again.
                    else:
                        told = part.done
                    yield part
                    heard = time.monotonic()
                return
            except WorkerError as error:
                self._second.finish()
                silence = time.monotonic() - heard
                if is_begun or isinstance(error, WorkerTooLargeError) or not faults.may_go_on():
                    silence = faults.silence or (silence if silence >= patience else 0.0)
                    raise _unreadable(request.path.name, error, request.choices, silence) from error

    def _parts(self, request: _Request, patience: float, faults: Faults) -> Iterator[Part]:
        """One reading, without the leaves that are known to be at fault."""
        number = self._with_second(request.cancel) if has_leaves(request.format) else 0
        faults.begin()
        asked = str(request.path), request.password, request.format, request.choices
        try:
            with request.cancel.calling(self._second.stop):
                batch = self._hand_on(request.recognised, request.cancel)
                arguments = (*asked, batch, number, faults.skipped)
                for part in self._worker.stream(
                    "read", *arguments, cancel=request.cancel, timeout=patience, watch=faults.watch
                ):
                    if number and isinstance(part, ReadSoFar):  # The first one is up; it tells the second what to do.
                        self._second.begin(number)
                        number = 0
                    yield part
        except (Cancelled, WorkerError, GeneratorExit):
            self._second.stop()  # Else both come to an end by themselves.
            raise

    def _with_second(self, cancel: CancelToken) -> int:
        """Get both processes ready; the number under which the second will serve, 0 where it would not help."""
        self._second.rest(cancel)
        if self._second.is_lost:
            self._worker.close()
        self._worker.start()
        return next(self._numbers) if may_have_second() else 0

    def _hand_on(self, recognised: Recognised, cancel: CancelToken | None) -> tuple[int, int, str] | None:
        """Give recognised leaves to the process, in messages that are not too long, before it reads."""
        if not recognised.leaves:
            return None
        number, count = next(self._numbers), 0
        for leaf in recognised.leaves:
            for start in range(0, max(1, len(leaf.words)), _WORDS_A_MESSAGE):
                piece = replace(leaf, words=leaf.words[start : start + _WORDS_A_MESSAGE])
                self._worker.call("take_recognised", number, piece, cancel=cancel, timeout=_SILENCE_SECONDS)
                count += 1
        return number, count, recognised.file_hash

    def close(self) -> None:
        """End the processes."""
        self._second.close()
        self._worker.close()


def _unreadable(name: str, error: WorkerError, choices: Choices, silence: float) -> DocumentError:
    if isinstance(error, WorkerTooLargeError):
        reason = "reading it takes more memory than any book does"
    elif silence:
        reason = f"reading it takes too long (nothing came for {silence:.0f} seconds)"
    else:
        reason = "it makes the program that reads it crash"
    what_to_do = "The file is probably damaged; get it again."
    if choices.chapters:
        what_to_do = "Choose a simpler pattern for chapters; if that does not help, the file is probably damaged."
    return DocumentError(f"{name} could not be read: {reason}.", what_to_do)
