"""Tesseract's language data on this computer: where they lie, for which languages, and how to get them.

MuPDF has Tesseract built in; only the data for each language (`deu.traineddata`) come from the system. They are looked
for anew each time, because a person may install them while ReadDesk runs.

MuPDF asks Tesseract to take a leaf for one block of text, so that lines run across columns and hatching becomes
letters. What the data themselves say counts instead, so ReadDesk uses copies of them that ask for blocks to be found.
Such a file is a count of parts, their offsets (-1 for one that is not there), and the parts, of which the first holds
settings. What must stay true: the system's files are never changed; a file of another make is used as it is.
"""

from __future__ import annotations

import locale
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PLACES = (
    "/usr/share/tesseract-ocr/*/tessdata",
    "/usr/share/tessdata",
    "/usr/share/tesseract/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
    "/opt/local/share/tessdata",
)
_WINDOWS_PLACES = (
    ("ProgramFiles", "Tesseract-OCR/tessdata"),
    ("ProgramFiles(x86)", "Tesseract-OCR/tessdata"),
    ("LOCALAPPDATA", "Programs/Tesseract-OCR/tessdata"),
)
_DATA = ".traineddata"
_NO_LANGUAGES = frozenset(("osd", "equ"))
_PROGRAM_SECONDS = 10.0
_FIND_BLOCKS = b"\ntessedit_pageseg_mode 3\n"
_MOST_PARTS = 64

_LANGUAGE = re.compile(r"[a-z]{3}(_[a-z]+)*")

_CODES = dict(
    pair.split("=")
    for pair in (
        "ar=ara be=bel bg=bul bn=ben ca=cat cs=ces da=dan de=deu el=ell en=eng es=spa et=est eu=eus fa=fas fi=fin "
        "fr=fra ga=gle gl=glg he=heb hi=hin hr=hrv hu=hun hy=hye id=ind is=isl it=ita ja=jpn ka=kat ko=kor la=lat "
        "lt=lit lv=lav mk=mkd ms=msa nb=nor nl=nld nn=nor no=nor pl=pol pt=por ro=ron ru=rus sk=slk sl=slv sq=sqi "
        "sr=srp sv=swe ta=tam th=tha tr=tur uk=ukr ur=urd vi=vie zh=chi_sim"
    ).split()
)
"""ISO 639-1 and what Tesseract calls the language."""

_COMMANDS = {
    "debian": ("sudo apt install tesseract-ocr", " tesseract-ocr-{}"),
    "fedora": ("sudo dnf install tesseract", " tesseract-langpack-{}"),
    "arch": ("sudo pacman -S tesseract tesseract-data-eng", " tesseract-data-{}"),
    "suse": ("sudo zypper install tesseract-ocr", " tesseract-ocr-traineddata-{}"),
    "darwin": ("brew install tesseract tesseract-lang", ""),
    "win32": ("winget install UB-Mannheim.TesseractOCR", ""),
}
"""What installs Tesseract with English, and what is added for a language (all come at once where that is nothing)."""

_EXAMPLES = ("eng", "deu", "fra", "spa")
_RELATIVES = {"ubuntu": "debian", "rhel": "fedora", "centos": "fedora", "manjaro": "arch", "opensuse": "suse"}


@dataclass(frozen=True)
class RecognitionState:
    """Whether text can be recognised here, for which languages (as Tesseract calls them: "deu"), and what to install.

    `hint` is the command that brings Tesseract, or further languages where it is there.
    """

    is_available: bool
    languages: tuple[str, ...]
    hint: str


def recognition_state(folder: Path | None, language: str = "") -> RecognitionState:
    """What can be recognised with the data of a folder; the hint is for a language (ISO 639-1) if that is lacking."""
    languages = languages_in(folder)
    wished = [_CODES.get(code[:2], "") for code in (language, _own_language())]
    examples = _EXAMPLES if languages else ("eng",)
    lacking = next((code for code in (*wished, *examples) if code and code not in languages), "eng")
    return RecognitionState(bool(languages), languages, install_command(lacking))


def find_tessdata(environ: Mapping[str, str] = os.environ) -> Path | None:
    """The folder of Tesseract's data, None where there is none; TESSDATA_PREFIX alone counts where it is set."""
    if named := environ.get("TESSDATA_PREFIX"):
        return _first([Path(named), Path(named) / "tessdata"])
    places = [Path(place) for place in _PLACES if "*" not in place]
    places += [found for place in _PLACES if "*" in place for found in sorted(Path("/").glob(place[1:]), reverse=True)]
    places += [Path(environ[key]) / place for key, place in _WINDOWS_PLACES if key in environ]
    return _first(places) or _first(_places_of_program())


def _first(places: Sequence[Path]) -> Path | None:
    return next((place for place in places if languages_in(place)), None)


def _places_of_program() -> list[Path]:
    """Where the program `tesseract` has its data: beside it on Windows, else it says so."""
    program = shutil.which("tesseract")
    if program is None:
        return []
    places = [Path(program).parent / "tessdata"]
    with suppress(OSError, subprocess.SubprocessError):
        command = [program, "--list-langs"]
        told = subprocess.run(command, capture_output=True, text=True, timeout=_PROGRAM_SECONDS, check=False)
        quoted = (told.stdout + told.stderr).split('"')
        places += [Path(quoted[1])] if len(quoted) > 2 else []
    return places


def languages_in(folder: Path | None) -> tuple[str, ...]:
    """The languages whose data lie in a folder, in the order of their names."""
    try:
        names = {file.name.removesuffix(_DATA) for file in folder.glob(f"*{_DATA}")} if folder else set()
    except OSError:
        return ()
    return tuple(sorted(names - _NO_LANGUAGES))


def usual_language(installed: Sequence[str], language: str = "") -> str:
    """The one to look for where nobody says: a document's (ISO 639-1), else the reader's, else English, else any."""
    wished = [_CODES.get(code[:2], "") for code in (language, _own_language())]
    return next((code for code in (*wished, "eng", *installed) if code in installed), "")


def _own_language() -> str:
    """The reader's own language as ISO 639-1, "" where the system does not say."""
    name = locale.getlocale()[0] or ""
    return name[:2] if name[2:3] == "_" else ""  # Windows says "German_Germany".


def install_command(code: str = "eng") -> str:
    """The command that installs Tesseract with a language on this system; English alone for what is no language."""
    first, more = _COMMANDS[_system()]
    is_further = code != "eng" and _LANGUAGE.fullmatch(code)  # People copy commands: nothing else may get into one.
    return first + (more.format(code.replace("_", "-")) if is_further else "")


def _system() -> str:
    if sys.platform in _COMMANDS:
        return sys.platform
    told: Mapping[str, str] = {}
    with suppress(OSError):
        told = platform.freedesktop_os_release()
    names = [told.get("ID", ""), *told.get("ID_LIKE", "").split()]
    known = (_RELATIVES.get(name.partition("-")[0], name) for name in names)
    return next((name for name in known if name in _COMMANDS), "debian")


# -- copies that find blocks -------------------------------------------------------------------------------------


def prepared(folder: Path, languages: Sequence[str], into: Path) -> Path:
    """A folder with copies of the data of these languages that divide leaves into blocks; made once."""
    into.mkdir(parents=True, exist_ok=True)
    for code in languages:
        source, copy = folder / f"{code}{_DATA}", into / f"{code}{_DATA}"
        if copy.exists() and copy.stat().st_mtime_ns == source.stat().st_mtime_ns:
            continue
        draft = copy.with_name(f"{copy.name}.{os.getpid()}")
        draft.write_bytes(finding_blocks(source.read_bytes()))
        shutil.copystat(source, draft)
        draft.replace(copy)
    return into


def finding_blocks(data: bytes) -> bytes:
    """A language's data that ask for blocks to be found; as they are where they are made otherwise or say it already.

    Those for vertical writing, and only those, have a setting of their own.
    """
    head = struct.calcsize("<i")
    count = struct.unpack_from("<i", data)[0] if len(data) >= head else 0
    body = head + 8 * count
    if not 0 < count <= _MOST_PARTS or len(data) < body:
        return data
    offsets = struct.unpack_from(f"<{count}q", data, head)
    there = [offset for offset in offsets[1:] if offset >= 0]
    if not there or min(there) < body or max(there) > len(data):
        return data
    first = min(there)
    settings = data[offsets[0] : first] if 0 <= offsets[0] < first else b""
    if b"tessedit_pageseg_mode" in settings:
        return data
    settings += _FIND_BLOCKS
    shift = body + len(settings) - first
    moved = (body, *(offset + shift if offset >= 0 else offset for offset in offsets[1:]))
    return struct.pack(f"<i{count}q", count, *moved) + settings + data[first:]
