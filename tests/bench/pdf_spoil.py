"""Ways to spoil a PDF, and the small real PDFs that are spoilt.

Everything is drawn from the `random.Random` that is handed in, so the same seed spoils in the same way. Objects are
found as they are written ("12 0 obj … endobj"); a file that keeps them in packed streams loses its streams instead.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.bench.mutate import Mutant, Specimen
from tests.bench.spoil import BYTES, Spoiler, flip

_FILES = (
    *("damaged-streams", "outline-latex", "form-latex", "form-libreoffice", "rotated-arabic", "annotated-comments"),
    *("rotated-landscape-page", "cjk-vertical-not-embedded", "font-without-unicode-map", "placeholder-ru"),
    *("multicolumn-latex", "outline-wrong-titles", "tables-nics", "scan-two-columns", "encrypted-aes256-owner-only"),
    *("encrypted-user-password", "damaged-object-header", "damaged-xref-missing", "tables-nics-rotated"),
)
_OBJECT = re.compile(rb"\d+ \d+ obj\b.*?endobj", re.DOTALL)
_STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)
_REFERENCE = re.compile(rb"\d+ 0 R\b")
_LENGTH = re.compile(rb"/Length \d+")
_NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
_NAME = re.compile(rb"/[A-Za-z][A-Za-z0-9]*")
_BOX = re.compile(rb"/(MediaBox|CropBox|Rotate|UserUnit|Count|W|Index|Size|Prev|DecodeParms)\b")
_KIDS = re.compile(rb"/Kids ?\[[^\]]*\]")
_XREF = re.compile(rb"\d{10} \d{5} [nf]|startxref\s+\d+|/Root \d+ 0 R|/Prev \d+")
_NUMBERS = (b"0", b"-1", b"1", b"65535", b"2147483647", b"-2147483648", b"4294967296", b"1e30", b"0.00001", b"99999999")
_WORDS = (
    *(b"/Page", b"/Pages", b"/Font", b"/FlateDecode", b"/LZWDecode", b"/DCTDecode", b"/ASCII85Decode", b"/Type0"),
    *(b"/XObject", b"/Form", b"/Identity-H", b"/Crypt", b"/ObjStm", b"/XRef", b"/Outlines", b"/RunLengthDecode"),
)
_OPERATORS = (
    *(b"q\n" * 5_000, b"Q\n" * 200, b"BT ET " * 1_000, b"/Fm0 Do ", b"(" * 3_000, b"[" * 3_000, b"<<" * 2_000),
    *(
        b"1e38 0 0 1e38 0 0 cm ",
        b"0 0 0 0 0 0 cm ",
        b"/F1 1e9 Tf (a) Tj ",
        b"3 Tr ",
        b"BI /W 9999999 /H 9999999 ID x EI ",
    ),
)

Match = re.Match[bytes]


class PdfNursery:
    """Makes mutants of small real PDFs; the first kind of damage goes round with the seed."""

    def __init__(self, data: Path) -> None:
        folder = data / "documents" / "pdf"
        self._specimens = [Specimen(name, ".pdf", (folder / f"{name}.pdf").read_bytes()) for name in _FILES]
        self._ways = {**{f"bytes.{name}": way for name, way in BYTES.items()}, **PDFS, "splice": self._spliced}

    @property
    def kinds(self) -> list[str]:
        """Every kind of damage."""
        return list(self._ways)

    def mutant(self, seed: int) -> Mutant:
        """The mutant of a seed."""
        chance = random.Random(seed)
        names = list(self._ways)
        specimen = chance.choice(self._specimens)
        done = [names[seed % len(names)], *chance.sample(names, k=chance.choice((0, 0, 0, 1, 2)))]
        data = specimen.data
        for name in done:
            data = self._ways[name](chance, data or b"x")
        return Mutant(seed, specimen.ending, data, f"{'+'.join(done)} of {specimen.name}")

    def _spliced(self, chance: random.Random, data: bytes) -> bytes:
        """Objects of another file take the place of some of this one, or stand beside them."""
        others = _OBJECT.findall(chance.choice(self._specimens).data)
        if not others:
            return flip(chance, data)
        return _changed(chance, data, _OBJECT, lambda _: chance.choice(others), (1, 2, 5))


def _changed(
    chance: random.Random,
    data: bytes,
    pattern: re.Pattern[bytes],
    change: Callable[[Match], bytes],
    counts: Sequence[int] = (1, 1, 3, 10),
) -> bytes:
    """Some matches of a pattern, chosen by chance, changed; bytes flipped where there is none."""
    matches = list(pattern.finditer(data))
    if not matches:
        return flip(chance, data)
    chosen = chance.sample(matches, k=min(chance.choice(counts), len(matches)))
    for match in sorted(chosen, key=lambda match: -match.start()):
        data = data[: match.start()] + change(match) + data[match.end() :]
    return data


def lose_objects(chance: random.Random, data: bytes) -> bytes:
    """Some objects are gone."""
    return _changed(chance, data, _OBJECT, lambda _: b"", (1, 2, 5))


def swap_objects(chance: random.Random, data: bytes) -> bytes:
    """Some objects hold what another one holds."""
    objects = _OBJECT.findall(data) or [b""]

    def other(match: Match) -> bytes:
        number: bytes = match[0].split(b"obj", 1)[0]
        body: bytes = chance.choice(objects).split(b"obj", 1)[-1]
        return number + b"obj" + body

    return _changed(chance, data, _OBJECT, other, (1, 2))


def references(chance: random.Random, data: bytes) -> bytes:
    """Some references lead elsewhere, also back to where they come from."""
    known = _REFERENCE.findall(data) or [b"1 0 R"]
    return _changed(chance, data, _REFERENCE, lambda _: chance.choice((*known, b"0 0 R", b"99999 0 R")))


def kids(chance: random.Random, data: bytes) -> bytes:
    """The page tree has other children: itself, itself many times, none, numbers."""
    known = _REFERENCE.findall(data) or [b"1 0 R"]
    own = [chance.choice(known) for _ in range(chance.choice((1, 3, 500)))]
    return _changed(chance, data, _KIDS, lambda _: b"/Kids [" + b" ".join([*own, b"1 0 R"]) + b"]", (1, 3))


def xref(chance: random.Random, data: bytes) -> bytes:
    """Places in the file's index are wrong."""

    def moved(match: Match) -> bytes:
        return re.sub(rb"\d+", lambda number: b"%010d" % chance.randrange(len(data) * 2), match[0], count=1)

    return _changed(chance, data, _XREF, moved)


def lengths(chance: random.Random, data: bytes) -> bytes:
    """Streams are said to be shorter or longer than they are."""
    return _changed(chance, data, _LENGTH, lambda _: b"/Length " + chance.choice((*_NUMBERS, b"1 0 R", b"/Length")))


def numbers(chance: random.Random, data: bytes) -> bytes:
    """Some numbers are extreme."""
    return _changed(chance, data, _NUMBER, lambda _: chance.choice(_NUMBERS))


def boxes(chance: random.Random, data: bytes) -> bytes:
    """Boxes, turns, counts and the like have odd values."""
    odd = (b"[0 0 0 0]", b"[0 0 1e9 1e9]", b"[9 9 -9 -9]", b"45", b"-90", b"[]", b"null", b"<<>>", b"[0 0 1e-9 5]")
    return _changed(chance, data, _BOX, lambda match: match[0] + b" " + chance.choice((*odd, *_NUMBERS)) + b" /X")


def names(chance: random.Random, data: bytes) -> bytes:
    """Some names are others."""
    known = _NAME.findall(data) or [b"/X"]
    return _changed(chance, data, _NAME, lambda _: chance.choice((*known, *_WORDS)))


def raw_streams(chance: random.Random, data: bytes) -> bytes:
    """The packed bytes of a stream are not what they were."""
    return _changed(
        chance, data, _STREAM, lambda match: b"stream\n" + flip(chance, match[1] or b"x") + b"\nendstream", (1, 3)
    )


def contents(chance: random.Random, data: bytes) -> bytes:
    """What a stream holds once unpacked is spoilt, and packed again: operators, fonts, character maps."""

    def packed_again(match: Match) -> bytes:
        try:
            inside = zlib.decompress(match[1])
        except zlib.error:
            return b"stream\n" + flip(chance, match[1] or b"x") + b"\nendstream"
        place = chance.randrange(len(inside) + 1)
        inside = chance.choice(
            (
                flip(chance, inside or b"x"),
                inside[:place] + chance.choice(_OPERATORS) + inside[place:],
                inside[:place],
                inside * 5 if len(inside) < 200_000 else inside,
                re.sub(_NUMBER, lambda _: chance.choice(_NUMBERS), inside, count=20),
            )
        )
        return b"stream\n" + zlib.compress(inside) + b"\nendstream"

    return _changed(chance, data, _STREAM, packed_again, (1, 2, 4))


def nested(chance: random.Random, data: bytes) -> bytes:
    """Arrays or dictionaries go thousands of levels deep."""
    opening = chance.choice((b"[", b"<</A ", b"("))
    return _changed(chance, data, _NUMBER, lambda _: opening * chance.choice((100, 5_000, 60_000)), (1,))


PDFS: Mapping[str, Spoiler] = {
    "lose_objects": lose_objects,
    "swap_objects": swap_objects,
    "references": references,
    "kids": kids,
    "xref": xref,
    "lengths": lengths,
    "numbers": numbers,
    "boxes": boxes,
    "names": names,
    "raw_streams": raw_streams,
    "contents": contents,
    "nested": nested,
}
