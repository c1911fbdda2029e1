"""What the tests of drawing share: raw PDF and image bytes as samples, and how pixels are looked at."""

from __future__ import annotations

import random
import struct
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

from readdesk.documents.model import Picture, Rectangle
from tests.samples import raw

RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)


# -- samples -------------------------------------------------------------------------------------------------------


def pdf(path: Path, leaves: Sequence[tuple[str, str]], more: Sequence[str] = ()) -> Path:
    """A PDF of raw leaves: what draws each, and entries of its dictionary; `more` are objects from number 4 on."""
    first = 4 + len(more)
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(leaves)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(leaves)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *more,
    ]
    for number, (operators, entries) in enumerate(leaves):
        box = "" if "/MediaBox" in entries else "/MediaBox [0 0 300 400]"
        resources = f"/Resources << /Font << /F 3 0 R >> >> /Contents {first + 2 * number + 1} 0 R"
        objects.append(f"<< /Type /Page /Parent 2 0 R {box} {resources} {entries} >>")
        objects.append(f"<< /Length {len(operators)} >>\nstream\n{operators}\nendstream")
    return raw.written(path, {number: content.encode("ascii") for number, content in enumerate(objects, 1)})


def written(text: str, x: int, y: int, size: int = 20) -> str:
    """Operators that write a line of text."""
    return f"BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n"


def heavy(path: Path, strokes: int = 60_000) -> Path:
    """A first leaf that takes tens of seconds to draw, and a second that takes none."""
    chance = random.Random(1)
    points = (f"{chance.randrange(300)} {chance.randrange(400)}" for _ in range(4 * strokes))
    lines = (f"{a} m {b} {c} {d} c S" for a, b, c, d in zip(points, points, points, points, strict=True))
    return pdf(path, [("1 J 1 j [3 2] 0 d 4 w\n" + "\n".join(lines), ""), (written("Easy", 100, 200), "")])


def png(width: int, height: int, rows: bytes, kind: int = 2) -> bytes:
    """A PNG of raw rows, each with its filter byte; kind 2 is RGB, 6 RGB and alpha."""
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


def turned(jpeg: bytes, orientation: int) -> bytes:
    """A JPEG that says how the camera was held, and nothing else of itself."""
    kept, place = b"", 2
    while jpeg[place + 1] != 0xDA:
        length = 2 + int.from_bytes(jpeg[place + 2 : place + 4], "big")
        if not 0xE0 <= jpeg[place + 1] <= 0xEF:
            kept += jpeg[place : place + length]
        place += length
    tag = b"Exif\0\0II*\0" + struct.pack("<IHHHIII", 8, 1, 0x0112, 3, 1, orientation, 0)
    return jpeg[:2] + b"\xff\xe1" + (len(tag) + 2).to_bytes(2, "big") + tag + kept + jpeg[place:]


def archive(path: Path, members: dict[str, bytes]) -> Path:
    """A zip file as an EPUB is one."""
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)
    return path


# -- looking at pixels ---------------------------------------------------------------------------------------------


def pixel(picture: Picture, x: int, y: int) -> tuple[int, int, int]:
    """The colour at a place, of a picture that is whole."""
    assert picture.stride >= 3 * picture.width and len(picture.pixels) == picture.stride * picture.height
    red, green, blue = picture.pixels[y * picture.stride + 3 * x :][:3]
    return red, green, blue


def contrast(picture: Picture, rectangle: Rectangle, scale: float) -> int:
    """How much the red, green or blue within a rectangle of the leaf differs at most; some ink in it: > 60."""
    left, top, right, bottom = (max(round(scale * value), 0) for value in rectangle)
    rows = (y * picture.stride for y in range(top, min(bottom, picture.height)))
    found = b"".join(picture.pixels[row + 3 * left : row + 3 * min(right, picture.width)] for row in rows)
    return max(max(found[colour::3]) - min(found[colour::3]) for colour in range(3)) if found else 0


def dark(picture: Picture, level: int = 128) -> set[tuple[int, int]]:
    """All dark places."""
    places = (place for place in range(1, len(picture.pixels), 3) if picture.pixels[place] < level)
    return {(place % picture.stride // 3, place // picture.stride) for place in places}
