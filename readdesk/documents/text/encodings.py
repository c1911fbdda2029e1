"""The text of a file, whatever it is encoded in.

A byte order mark is believed, then strict UTF-8 is tried, then UTF-16 without a mark, then the alphabets of the
languages in Latin letters, then charset-normalizer, which is right about all the others. What was guessed is told and
can be chosen otherwise, because no guess is always right.

What must stay true: a text is never shown as rubbish when it could be refused; a few damaged bytes never cost the
whole file; only encodings of the list that people can choose from are taken.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

import charset_normalizer

from readdesk.documents.health import HealthCollector
from readdesk.documents.model import ENCODINGS
from readdesk.documents.signatures import marked, unmarked_utf16
from readdesk.documents.text.alphabets import latin
from readdesk.errors import DocumentError

_UTF8 = "utf-8"
_MOST_DAMAGED = 0.001
_SOUND_FOR_EACH_DAMAGED = 10
_SAMPLE_BYTES = 64_000
_BEFORE = 100
_CUT_BYTES = 3
_WIDER = {
    **dict.fromkeys(("gb2312", "gbk", "hz"), "gb18030"),
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "tis-620": "cp874",
    "cp1125": "cp866",
    "utf-16": "utf-16-le",
    "utf-8-sig": _UTF8,
}
"""Python's names of encodings, and those that read the same bytes and more."""

_GUESSED = (
    "gb18030 big5hkscs cp932 euc_jp cp949 iso2022_jp cp1251 koi8_r koi8_u cp866 iso8859_5 mac_cyrillic cp1253 "
    "iso8859_7 cp1255 iso8859_8 cp1256 iso8859_6 cp874 cp1258 cp1252 cp1250"
).split()
_JAPANESE = "iso2022_jp"
_SHIFT_TO_JAPANESE = re.compile(rb"\x1b\$[@B]")
_HIGH = re.compile(rb"[\x80-\xff]")
_SEQUENCE = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")


def _python_name(name: str) -> str:
    """Python's name of the encoding that is used for a name; raises LookupError or ValueError for none."""
    found = codecs.lookup(name).name
    return codecs.lookup(_WIDER.get(found, found)).name


_PLAIN = {_python_name(name): name for name, _ in ENCODINGS} | {"utf-32-le": "UTF-32LE", "utf-32-be": "UTF-32BE"}


@dataclass(frozen=True)
class Decoded:
    """A text, the plain name of the encoding that it was decoded from, and how many places show as "\ufffd" for it."""

    text: str
    encoding: str
    damaged: int = 0


def decode(data: bytes, name: str, chosen: str, health: HealthCollector, declared: str = "") -> Decoded:
    """The text of a file, in the chosen encoding or ("") in the one found out; raises DocumentError.

    What the file declares is believed unless it is in UTF-8. What was guessed and damaged is told in the health notes.
    """
    mark, encoding = marked(data) or (b"", "")
    if chosen:
        asked = _asked_for(chosen)
        mark, encoding = (mark if asked == encoding else b""), asked
    if encoding:
        decoded = _decoded(data[len(mark) :], encoding)
    else:
        decoded = _declared(data, declared) if declared else None
        is_guess = decoded is None
        decoded = decoded or _guessed(data)
        if is_guess and decoded and decoded.encoding != _PLAIN[_UTF8]:
            health.note(
                f"The file does not say how its letters are encoded; it was read as {decoded.encoding}. "
                "If letters look wrong, choose another encoding."
            )
    if decoded is None:
        raise _not_readable(name, encoding)
    if decoded.damaged:
        places = "1 place" if decoded.damaged == 1 else f"{decoded.damaged} places"
        health.note(f"The file is damaged in {places}, which show as \ufffd.")
    return decoded


def _declared(data: bytes, declared: str) -> Decoded | None:
    """The text as its file declares it, unless the file is plainly in UTF-8 or says what cannot be."""
    decoded = _decoded(data, _UTF8)
    if decoded and not decoded.damaged and not data.isascii():
        return decoded
    try:
        encoding = _python_name(declared)
    except (LookupError, ValueError):
        return None
    return _decoded(data, encoding) if encoding in _PLAIN else None


def _asked_for(chosen: str) -> str:
    """Python's name of an encoding that a person chose."""
    try:
        found = _python_name(chosen.strip())
    except (LookupError, ValueError):
        found = ""
    if found not in _PLAIN:
        listed = ", ".join(name for name, _ in ENCODINGS)
        raise DocumentError(f"There is no encoding named {chosen[:40]!r}.", f"Choose one of {listed}.")
    return found


def _not_readable(name: str, encoding: str) -> DocumentError:
    if encoding:
        return DocumentError(
            f"{name} is not in {_PLAIN[encoding]}.", "Choose another encoding, or let it be found out."
        )
    return DocumentError(
        f"How the letters of {name} are encoded could not be found out.",
        "Choose its encoding, or save it as UTF-8 in a text editor and add it again.",
    )


def _decoded(data: bytes, encoding: str) -> Decoded | None:
    """The text in one encoding, with a few damaged places; None where there are too many for that."""
    try:
        return Decoded(data.decode(encoding), _PLAIN[encoding])
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
    damaged = text.count("\ufffd") - (data.count("\ufffd".encode()) if encoding == _UTF8 else 0)
    if damaged > max(1, _MOST_DAMAGED * len(text)):
        return None
    if encoding == _UTF8 and damaged * _SOUND_FOR_EACH_DAMAGED > len(_SEQUENCE.findall(data)):
        return None
    return Decoded(text, _PLAIN[encoding], damaged)


# -- guessing ----------------------------------------------------------------------------------------------------


def _guessed(data: bytes) -> Decoded | None:
    """The text in the encoding that explains it best; None where none does."""
    # These two may be all ASCII bytes, and so look like UTF-8.
    encoding = unmarked_utf16(data) or (_JAPANESE if data.isascii() and _SHIFT_TO_JAPANESE.search(data) else "")
    if decoded := (_decoded(data, encoding) if encoding else None) or _decoded(data, _UTF8):
        return decoded
    for sample in _samples(data):
        encoding = latin(sample) or _by_statistics(sample)
        if encoding and (decoded := _decoded(data, _python_name(encoding))):
            return decoded
    return None


def _samples(data: bytes) -> Iterator[bytes]:
    """Lines that are not plain ASCII: all of a small file, else many of them; then two halves, one may be undamaged."""
    lines = [line for line in data.splitlines(keepends=True) if not line.isascii()]
    for start, step in ((0, 1), (0, 2), (1, 2)):
        some = lines[start::step]
        step = 1 + sum(map(len, some)) // _SAMPLE_BYTES
        sample = b"".join(some[::step] if len(some) > step else some)
        if found := _HIGH.search(sample):
            yield sample[max(0, found.start() - _BEFORE) :][:_SAMPLE_BYTES]


def _by_statistics(sample: bytes) -> str:
    """What charset-normalizer takes a text for; the end of the sample may have been cut within a character."""
    for cut in range(_CUT_BYTES + 1):
        matches = charset_normalizer.from_bytes(sample[: len(sample) - cut], cp_isolation=list(_GUESSED))
        if (best := matches.best()) is not None:
            return best.encoding
    return ""
