"""Pictures of EPUBs, drawn by the real process: every kind, upright, no larger than asked; a sentence for the rest."""

from __future__ import annotations

import base64
import random
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from readdesk.documents.drawer import LeafDrawer
from readdesk.errors import DocumentError
from tests.documents.drawing import BLUE, RED, WHITE, archive, contrast, pixel, png, turned


@pytest.fixture(scope="module")
def drawer() -> Iterator[LeafDrawer]:
    """A drawer for what does not harm it."""
    drawer = LeafDrawer()
    yield drawer
    drawer.close()


@pytest.fixture
def epubs(shared_data: Path) -> Path:
    """The folder of real EPUBs."""
    return shared_data / "documents" / "epub"


CLEAR_BELOW_RED = png(8, 8, b"".join(b"\0" + bytes([255, 0, 0, 255 * (row < 4)]) * 8 for row in range(8)), 6)
GIF = base64.b64decode("R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==")
BMP = base64.b64decode("Qk1OAAAAAAAAADYAAAAoAAAABAAAAAIAAAABABgAAAAAABgAAAAAAAAAAAAAAAAAAAAAAAAA" + "AAD/" * 8)
TIFF = base64.b64decode(
    "SUkqAA4AAAAAAP8AAP8JAAABAwABAAAAAgAAAAEBAwABAAAAAQAAAAIBAwABAAAACAAAAAMBAwABAAAAAQAAAAYB"
    "AwABAAAAAgAAABEBBAABAAAACAAAABUBAwABAAAAAwAAABYBAwABAAAAAQAAABcBBAABAAAABgAAAAAAAAA="
)
WEBP = base64.b64decode("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
BOX = b'<rect y="10" width="10" height="10" fill="red"/>'
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 20">' + BOX + b"</svg>"


@pytest.mark.parametrize(
    ("book", "member", "widest", "size"),
    [
        ("haruko-manga-ja", "OPS/images/01.jpg", 2000, (600, 837)),
        ("haruko-manga-ja", "OPS/images/01.jpg", 300, (300, 418)),
        ("childrens-literature", "EPUB/images/cover.png", 800, (500, 714)),
        ("kusamakura-vertical-ja", "OPS/images/夏目漱石.jpg", 149, (149, 214)),
        ("dorian-gray", "epub/images/cover.svg", 700, (700, 1050)),
        ("mysterious-affair-at-styles", "epub/images/charred-paper.svg", 1500, (1500, 1050)),
    ],
)
def test_pictures_of_real_books(
    drawer: LeafDrawer, epubs: Path, book: str, member: str, widest: int, size: tuple[int, int]
) -> None:
    picture = drawer.picture(epubs / f"{book}.epub", member, widest)
    assert (picture.width, picture.height) == size
    assert contrast(picture, (0, 0, picture.width, picture.height), 1.0) > 60


@pytest.mark.parametrize(
    ("name", "data", "size", "first", "last"),
    [
        ("half.png", CLEAR_BELOW_RED, (8, 8), RED, WHITE),
        ("named-wrongly.jpg", CLEAR_BELOW_RED, (8, 8), RED, WHITE),
        ("one.gif", GIF, (1, 1), RED, RED),
        ("red.bmp", BMP, (4, 2), RED, RED),
        ("blue.tiff", TIFF, (2, 1), BLUE, BLUE),
        ("pictures/drawn.svg", SVG, (100, 200), WHITE, RED),
        ("large.png", png(5000, 4000, (b"\0" + bytes(BLUE) * 5000) * 4000), (100, 80), BLUE, BLUE),
    ],
)
def test_every_kind_of_picture(
    drawer: LeafDrawer, tmp_path: Path, name: str, data: bytes, size: tuple[int, int], first: object, last: object
) -> None:
    picture = drawer.picture(archive(tmp_path / "book.epub", {name: data}), name, 100)
    assert (picture.width, picture.height) == size
    assert (pixel(picture, 0, 0), pixel(picture, size[0] - 1, size[1] - 1)) == (first, last)


def test_a_photograph_stands_upright(drawer: LeafDrawer, epubs: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(epubs / "israelsailing-he.epub") as book:
        jpeg = book.read("OEBPS/DSC_0645.jpg")
    path = archive(tmp_path / "book.epub", {str(how): turned(jpeg, how) for how in (1, 6, 3)})
    upright, side, upside = (drawer.picture(path, name, 4000) for name in ("1", "6", "3"))
    assert (upright.width, upright.height) == (upside.width, upside.height) == (side.height, side.width) == (858, 570)
    assert pixel(upright, 10, 20) == pixel(upside, 857 - 10, 569 - 20) == pixel(side, 569 - 20, 10)
    small = drawer.picture(path, "6", 57)
    assert (small.width, small.height) == (57, 86)


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("cut.png", png(100, 100, random.Random(1).randbytes(40_000))[:2000], "is damaged, or of a kind"),
        ("text.png", b"This is no picture at all.", "is damaged, or of a kind"),
        ("book.png", b"%PDF-1.7 and no picture", "is damaged, or of a kind"),
        ("page.svg", b"<html><body>no picture</body></html>", "is damaged, or of a kind"),
        ("cut.svg", SVG[:50], "is damaged, or of a kind"),
        ("nothing.svg", b'<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0"/>', "is damaged, or of a kind"),
        ("modern.webp", WEBP, "is damaged, or of a kind"),
        ("zero.png", png(0, 0, b""), "is damaged, or of a kind"),
        ("huge.png", png(20_000, 20_000, b""), r"is too large to be drawn \(400 megapixels\)"),
        ("empty.gif", b"", "is missing or damaged"),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_one_sentence(
    drawer: LeafDrawer, tmp_path: Path, name: str, data: bytes, sentence: str
) -> None:
    path = archive(tmp_path / "book.epub", {name: data, "tall.svg": SVG.replace(b"0 0 10 20", b"0 0 10 100000")})
    with pytest.raises(DocumentError, match=f"The picture {name} in book.epub {sentence}"):
        drawer.picture(path, name, 100)
    with pytest.raises(DocumentError, match=r"gone\.png in book\.epub is missing or damaged"):
        drawer.picture(path, "pictures/gone.png", 100)
    strip = drawer.picture(path, "tall.svg", 1000)
    assert strip.width * strip.height <= 24_100_000
