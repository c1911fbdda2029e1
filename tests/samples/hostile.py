"""PDFs that are out of the ordinary: turned, cropped and scaled leaves, and files made to do harm.

Every function writes a file and returns its path. The harmful ones are put together from bytes, so that they can be as
wrong as no library would write them; none of them is larger than a few megabytes.
"""

from __future__ import annotations

import math
import random
import zlib
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pymupdf as typed_in_part

from tests.samples.raw import written

pymupdf: Any = typed_in_part

_WORDS = (
    "rain fallen three days letter came road village under water nobody expected postman least old captain who sat "
    "window counted boats come loose night efficient office river quiet lantern harbour morning bridge copper"
).split()
_MEDIA = (-40, -30, 560, 770)
_CROP = (20, 60, 500, 700)


def turned(path: Path, chance: random.Random) -> Path:
    """A leaf for each /Rotate, with and without a crop box off the origin and a UserUnit of 2.

    Every second leaf is written on as the page lies, every other so that it is upright when drawn.
    """
    document = pymupdf.open()
    for turn, is_cropped, unit, is_upright in product((0, 90, 180, 270), (False, True), (1, 2), (False, True)):
        page = document.new_page(width=600, height=800)
        page.insert_textbox(
            pymupdf.Rect(100, 140, 500, 640), _prose(chance), fontsize=11, rotate=turn if is_upright else 0
        )
        for key, value in (
            ("MediaBox", "[{} {} {} {}]".format(*_MEDIA)),
            *((("CropBox", "[{} {} {} {}]".format(*_CROP)),) if is_cropped else ()),
            *((("UserUnit", str(unit)),) if unit != 1 else ()),
            ("Rotate", str(turn)),
        ):
            document.xref_set_key(page.xref, key, value)
    document.save(path)
    return path


def _prose(chance: random.Random) -> str:
    """Three paragraphs that no other leaf has."""
    paragraphs = [" ".join(chance.choice(_WORDS) for _ in range(40)).capitalize() + "." for _ in range(3)]
    return "\n\n".join(paragraphs)


# -- files made to do harm ---------------------------------------------------------------------------------------

_TEXT = b"BT /F1 12 Tf 72 700 Td (It was a bright cold day in April.) Tj ET"
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
_COMPOSITE = b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H "
_MEBIBYTE = 1 << 20


def stream(data: bytes, words: bytes = b"") -> bytes:
    """A stream with its length."""
    return b"<< /Length %d %s >>\nstream\n" % (len(data), words) + data + b"\nendstream"


def one_leaf(
    path: Path,
    content: bytes = _TEXT,
    *,
    page: bytes = b"/MediaBox [0 0 612 792]",
    resources: bytes = b"",
    catalogue: bytes = b"",
    filters: bytes = b"",
    more: Mapping[int, bytes] | None = None,
    trailer: bytes = b"",
) -> Path:
    """A PDF with one leaf; objects of one's own have numbers from 10."""
    return written(
        path,
        {
            1: b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalogue,
            2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            3: b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R %s "
            b"/Resources << /Font << /F1 5 0 R >> %s >> >>" % (page, resources),
            4: stream(content, filters),
            5: _FONT,
            **(more or {}),
        },
        trailer,
    )


def _page_tree_cycle(path: Path) -> Path:
    """A page tree that holds itself."""
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>"
    tree = b"<< /Type /Pages /Kids [2 0 R 3 0 R 2 0 R] /Count 9 /Parent 2 0 R >>"
    return written(path, {1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: tree, 3: page})


def _page_tree_depth(path: Path) -> Path:
    """A page tree that goes 20,000 levels deep."""
    deep = 20_000
    tree = {
        number: b"<< /Type /Pages /Kids [%d 0 R] /Count 1 /Parent %d 0 R >>" % (number + 1, max(number - 1, 1))
        for number in range(2, deep)
    }
    page = b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] >>" % (deep - 1)
    return written(path, {1: b"<< /Type /Catalog /Pages 2 0 R >>", **tree, deep: page})


def _outline_cycle(path: Path) -> Path:
    """Contents whose entries come after and beneath themselves."""
    more = {
        10: b"<< /Type /Outlines /First 11 0 R /Last 11 0 R /Count 2 >>",
        11: b"<< /Title (One) /Parent 10 0 R /Next 12 0 R /First 10 0 R /Dest [3 0 R /Fit] >>",
        12: b"<< /Title (Two) /Parent 11 0 R /Next 11 0 R /First 12 0 R /Dest [3 0 R /Fit] >>",
    }
    return one_leaf(path, catalogue=b"/Outlines 10 0 R", more=more)


def _tree_cycles(path: Path) -> Path:
    """Labels, names, attachments and form fields in trees that hold themselves."""
    more = {
        10: b"<< /Kids [10 0 R 10 0 R] /Limits [(a) (z)] >>",
        11: b"<< /Fields [12 0 R] >>",
        12: b"<< /T (x) /Kids [12 0 R] /Parent 12 0 R /FT /Tx >>",
    }
    trees = b"/PageLabels 10 0 R /Names << /Dests 10 0 R /EmbeddedFiles 10 0 R /JavaScript 10 0 R >> /AcroForm 11 0 R"
    return one_leaf(path, catalogue=trees, more=more)


def _index_cycle(path: Path) -> Path:
    """An index that says that it was continued from itself."""
    one_leaf(path)
    data = path.read_bytes()
    start = data[data.rindex(b"startxref") + 10 :].split()[0]
    path.write_bytes(data.replace(b"/Size", b"/Prev " + start + b" /Size"))
    return path


def _bomb(path: Path) -> Path:
    """A stream of a megabyte that unpacks to one gigabyte of spaces."""
    return one_leaf(path, _packed(1_024), filters=b"/Filter /FlateDecode")


def _nested_bomb(path: Path) -> Path:
    """A stream of some kilobytes that unpacks twice, to two gigabytes."""
    return one_leaf(path, zlib.compress(_packed(2_048), 9), filters=b"/Filter [/FlateDecode /FlateDecode]")


def _picture_bomb(path: Path) -> Path:
    """A picture of 900 megapixels in a megabyte."""
    words = b"/Type /XObject /Subtype /Image /Width 30000 /Height 30000 /ColorSpace /DeviceGray /BitsPerComponent 8 "
    picture = stream(_packed(859), words + b"/Filter /FlateDecode")
    content = _TEXT + b" q 612 0 0 792 0 0 cm /I Do Q"
    return one_leaf(path, content, resources=b"/XObject << /I 10 0 R >>", more={10: picture})


def _packed(mebibytes: int) -> bytes:
    """So many mebibytes of spaces, packed."""
    packer, block = zlib.compressobj(1), b" " * _MEBIBYTE
    return b"".join([*(packer.compress(block) for _ in range(mebibytes)), packer.flush()])


def strokes(path: Path) -> Path:
    """60,000 long strokes, half of them see-through, with a line of text (trap 12)."""
    chance = random.Random(1)
    lines = [b"%d %d m %d %d %d %d %d %d c S" % tuple(chance.randrange(600) for _ in range(8)) for _ in range(60_000)]
    content = _TEXT + b"\n/G gs 3 w [7 3] 0 d\n" + b"\n".join(lines)
    return one_leaf(path, zlib.compress(content), filters=b"/Filter /FlateDecode", resources=_TRANSPARENT)


_TRANSPARENT = b"/ExtGState << /G << /ca 0.5 /CA 0.5 /BM /Multiply >> >>"


def _spans(path: Path) -> Path:
    """100,000 letters on a leaf, each of them a span of its own."""
    parts = [
        b"/F1 %d Tf 1 0 0 1 %d %d Tm (%c) Tj" % (5 + number % 3, number % 300 * 2, number // 300 * 2, 97 + number % 26)
        for number in range(100_000)
    ]
    return one_leaf(path, b"BT " + b"\n".join(parts) + b" ET")


def _type3_cycle(path: Path) -> Path:
    """A font whose letters are drawn with that font."""
    font = (
        b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] /FirstChar 97 /LastChar 97 "
        b"/Widths [9] /Encoding << /Differences [97 /a] >> /CharProcs << /a 11 0 R >> "
        b"/Resources << /Font << /F1 5 0 R >> >> >>"
    )
    letter = stream(b"9 0 d0 BT /F1 1 Tf (aaaa) Tj ET")
    return one_leaf(path, b"BT /F1 1 Tf 72 700 Td (aaaa) Tj ET", more={5: font, 11: letter})


def _composite_font_cycle(path: Path) -> Path:
    """A composite font that is made of itself."""
    font = _COMPOSITE + b"/DescendantFonts [5 0 R] /ToUnicode 5 0 R >>"
    return one_leaf(path, more={5: font})


def _form_cycle(path: Path) -> Path:
    """A drawing that draws itself."""
    words = b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /X 10 0 R >> >>"
    return one_leaf(
        path, _TEXT + b" /X Do", resources=b"/XObject << /X 10 0 R >>", more={10: stream(b"/X Do /X Do", words)}
    )


def _form_laughs(path: Path) -> Path:
    """Drawings that each draw the next one twenty times, eight levels deep: 25 thousand million words."""
    more = {
        number: stream(
            b"/X Do " * 20,
            b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /X %d 0 R >> >>"
            % (number + 1),
        )
        for number in range(10, 18)
    }
    words = b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >>"
    more[18] = stream(_TEXT, words)
    return one_leaf(path, _TEXT + b" /X Do", resources=b"/XObject << /X 10 0 R >>", more=more)


def _pattern_cycle(path: Path) -> Path:
    """A pattern that is filled with itself."""
    words = (
        b"/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 2 2] /XStep 0.01 /YStep 0.01 "
        b"/Resources << /Pattern << /P 10 0 R >> >>"
    )
    fill = b"/Pattern cs /P scn 0 0 600 700 re f"
    return one_leaf(path, _TEXT + b" " + fill, resources=b"/Pattern << /P 10 0 R >>", more={10: stream(fill, words)})


def _actions(path: Path) -> Path:
    """Scripts and programs that would start when the file is opened, and leave a sign beside it."""
    sign = str(path.with_suffix(".sign")).encode()
    more = {
        10: b"<< /S /JavaScript /JS (this.exportDataObject\\({cName: 'a', nLaunch: 2}\\); app.launchURL\\('file:a'\\)) "
        b"/Next 11 0 R >>",
        11: b"<< /S /Launch /F (/bin/touch) /Unix << /F (/bin/touch) /P (%s) >> /Win << /F (cmd) >> >>" % sign,
        12: b"<< /Type /Annot /Subtype /Link /Rect [0 0 600 700] /A 11 0 R /AA << /PO 11 0 R /E 10 0 R >> >>",
    }
    page = b"/MediaBox [0 0 612 792] /Annots [12 0 R] /AA << /O 11 0 R >>"
    return one_leaf(path, catalogue=b"/OpenAction 10 0 R /AA << /WC 11 0 R >>", page=page, more=more)


def _annotations(path: Path) -> Path:
    """5,000 typed notes and highlights on a leaf."""
    note = b"<< /Type /Annot /Subtype /FreeText /Rect [%d %d %d %d] /DA (/F1 8 Tf) /Contents (note %d) >>"
    mark = (
        b"<< /Type /Annot /Subtype /Highlight /Rect [60 690 300 715] /QuadPoints [60 715 %d 715 60 690 %d 690] "
        b"/C [1 1 0] /Contents (mark %d) >>"
    )
    more = {}
    for number in range(5_000):
        left, low = number % 50 * 12, number // 50 * 7
        told = note % (left, low, left + 12, low + 7, number)
        more[10 + number] = told if number % 2 else mark % (60 + number % 240, 60 + number % 240, number)
    references = b" ".join(b"%d 0 R" % number for number in more)
    return one_leaf(path, page=b"/MediaBox [0 0 612 792] /Annots [" + references + b"]", more=more)


def _nested(path: Path) -> Path:
    """An object, and a leaf's content, in which brackets open 100,000 times."""
    deep = 100_000
    content = b"q " * deep + b"[" * deep + b"BT " * deep + _TEXT
    return one_leaf(path, content, page=b"/MediaBox [0 0 612 792] /X 10 0 R", more={10: b"[" * deep + b"<</A " * deep})


def _character_map(path: Path) -> Path:
    """A font's map of characters with a hundred thousand ranges, each as long as can be."""
    ranges = b"<0000> <FFFF> <0041>\n" * 100_000
    cmap = stream(b"begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 100000 beginbfrange " + ranges)
    font = _COMPOSITE + b"/DescendantFonts [11 0 R] /ToUnicode 12 0 R >>"
    child = b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << >> /W [0 [500]] >>"
    return one_leaf(path, more={5: font, 11: child, 12: cmap})


HOSTILE: Mapping[str, Callable[[Path], Path]] = {
    "page-tree-cycle": _page_tree_cycle,
    "page-tree-depth": _page_tree_depth,
    "outline-cycle": _outline_cycle,
    "tree-cycles": _tree_cycles,
    "index-cycle": _index_cycle,
    "bomb": _bomb,
    "nested-bomb": _nested_bomb,
    "picture-bomb": _picture_bomb,
    "strokes": strokes,
    "spans": _spans,
    "type3-cycle": _type3_cycle,
    "composite-font-cycle": _composite_font_cycle,
    "form-cycle": _form_cycle,
    "form-laughs": _form_laughs,
    "pattern-cycle": _pattern_cycle,
    "actions": _actions,
    "annotations": _annotations,
    "nested": _nested,
    "character-map": _character_map,
    "huge-box": lambda path: one_leaf(path, page=b"/MediaBox [0 0 1e9 1e9]"),
    "no-box": lambda path: one_leaf(path, page=b"/MediaBox [0 0 0 0]"),
    "thin-box": lambda path: one_leaf(path, page=b"/MediaBox [0 0 100000 0.0001] /UserUnit 1000000"),
}
"""Makers of harmful files by name."""


def large(path: Path, leaves: int = 1_400, bytes_a_leaf: int = 200_000) -> Path:
    """A file of that many leaves, each with a page of text and a picture of noise (trap 13)."""
    chance, side = random.Random(1), math.isqrt(bytes_a_leaf)
    words = b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8" % (
        side,
        side,
    )
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R >>", 5: _FONT}
    numbers = range(10, 10 + 3 * leaves, 3)
    for number in numbers:
        lines = b" ".join(b"(%s) Tj 0 -16 Td" % _line(chance) for _ in range(36))
        content = b"q 100 0 0 100 450 40 cm /I Do Q BT /F1 11 Tf 72 700 Td " + lines + b" ET"
        objects[number] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 5 0 R >> /XObject << /I %d 0 R >> >> >>" % (number + 1, number + 2)
        )
        objects[number + 1] = stream(content)
        objects[number + 2] = stream(chance.randbytes(side * side), words)
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    objects[2] = b"<< /Type /Pages /Kids [" + kids + b"] /Count %d >>" % leaves
    return written(path, objects)


def _line(chance: random.Random) -> bytes:
    return " ".join(chance.choice(_WORDS) for _ in range(12)).encode()
