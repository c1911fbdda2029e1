"""PDFs in scripts that run from right to left or from top to bottom, written by hand.

Their one font names every letter by its Unicode number and makes all as wide as half their height (points and accents
have no width), so that a test knows where each letter lies, and the file may hold letters in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.samples import raw

_BRACKETS = str.maketrans("()[]", ")(][")
_TO_UNICODE = """/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CMapName /U def
/CMapType 2 def
1 begincodespacerange
<0000> <FFFF>
endcodespacerange
1 beginbfrange
<0000> <FFFF> <0000>
endbfrange
endcmap
end
end"""

Run = tuple[str, bool]
"""A text in the order in which it is read, and whether it runs from right to left."""


def pdf(path: Path, leaves: Sequence[str], entries: str = "", is_vertical: bool = False) -> Path:
    """A PDF of leaves given by the operators that draw them, 400 by 500 points; `entries` are of each leaf."""
    kids = " ".join(f"{7 + 2 * number} 0 R" for number in range(len(leaves)))
    encoding = "Identity-V" if is_vertical else "Identity-H"
    wide = "" if is_vertical else "/W [1425 1479 0 1611 1631 0]"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(leaves)} >>",
        f"<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /{encoding} /DescendantFonts [4 0 R]"
        " /ToUnicode 5 0 R >>",
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /FontDescriptor 6 0 R"
        " /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
        f" /DW {1000 if is_vertical else 500} {wide} >>",
        f"<< /Length {len(_TO_UNICODE)} >>\nstream\n{_TO_UNICODE}\nendstream",
        "<< /Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 /Ascent 800"
        " /Descent -200 /CapHeight 700 /StemV 80 >>",
    ]
    for number, operators in enumerate(leaves):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 500] /Resources << /Font << /F 3 0 R >> >>"
            f" /Contents {8 + 2 * number} 0 R {entries} >>"
        )
        objects.append(f"<< /Length {len(operators)} >>\nstream\n{operators}\nendstream")
    return raw.written(path, {number: content.encode("ascii") for number, content in enumerate(objects, 1)})


def written(text: str, left: float, top: float, size: float = 10) -> str:
    """Operators that write characters from a place on, counted from the leaf's upper left corner."""
    return f"BT /F {size} Tf {left} {500 - top} Td <{text.encode('utf-16-be').hex()}> Tj ET\n"


def as_it_looks(runs: Sequence[Run], right: float, top: float, size: float = 10) -> str:
    """A line from right to left as old programs write it: what is seen, from the left to the right."""
    seen = "".join(text[::-1].translate(_BRACKETS) if is_right else text for text, is_right in reversed(runs))
    return written(seen, right - _width(seen) * size / 2, top, size)


def as_it_is_read(runs: Sequence[Run], right: float, top: float, size: float = 10, turns_brackets: bool = False) -> str:
    """The same line as new programs write it: letter by letter in the order of reading, each in its place."""
    operators, at = "", right
    for text, is_right in runs:
        if not is_right:
            at -= len(text) * size / 2
            operators += written(text, at, top, size)
            continue
        for letter in text.translate(_BRACKETS) if turns_brackets else text:
            at -= _width(letter) * size / 2
            operators += written(letter, at + (0 if _width(letter) else size / 4), top, size)
    return operators


def _width(text: str) -> int:
    return sum(1 for letter in text if not 0x591 <= ord(letter) <= 0x5C7 and not 0x64B <= ord(letter) <= 0x65F)
