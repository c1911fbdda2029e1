"""FB2, MOBI, XPS and CBZ: read, drawn and located as PDFs are."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from functools import partial
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import pytest

from readdesk.cancel import CancelToken
from readdesk.documents.model import LEAF_FORMATS, LeafSpot, has_leaves
from readdesk.documents.open import sniff
from readdesk.documents.render import RenderService
from readdesk.errors import DocumentError
from tests.documents.reading import Reading, read
from tests.samples import formats

MAKERS: dict[str, Callable[[Path], Path]] = {
    "fb2": formats.fb2,
    "mobi": formats.mobi,
    "xps": formats.xps,
    "cbz": formats.cbz,
}


def made(folder: Path, format: str) -> Path:
    return MAKERS[format](folder / f"book.{format}")


@pytest.mark.parametrize("format", MAKERS)
def test_they_are_known_by_their_content(tmp_path: Path, format: str) -> None:
    path = made(tmp_path, format)
    assert sniff(path) == format
    assert sniff(path.rename(tmp_path / "book.pdf")) == format


def test_leaves_are_of_all_of_them() -> None:
    assert {*MAKERS, "pdf"} == LEAF_FORMATS
    assert has_leaves("xps") and not has_leaves("epub")


@pytest.mark.parametrize("format", ["fb2", "mobi"])
def test_books_without_leaves_are_set_on_sheets(tmp_path: Path, format: str) -> None:
    reading = read(made(tmp_path, format))
    assert reading.head.title == "A Winter Book" and reading.head.format == format and reading.head.leaves >= 2
    assert reading.by_section() == [(title, [title, text.strip()]) for title, text in formats.CHAPTERS]


def test_the_author_of_an_fb2(tmp_path: Path) -> None:
    assert read(formats.fb2(tmp_path / "book.fb2")).head.authors == ("Anna Tester",)


def test_an_xps_is_read(tmp_path: Path) -> None:
    assert read(formats.xps(tmp_path / "book.xps")).text == "The ferry had not come for three days."


def test_a_comic_is_a_scan(tmp_path: Path) -> None:
    reading = read(formats.cbz(tmp_path / "book.cbz"))
    assert [leaf.kind for leaf in reading.layers.leaves] == ["scan"] * 3
    assert reading.document.paragraphs == () and reading.head.title == "book"


@pytest.mark.parametrize("format", MAKERS)
def test_their_leaves_are_drawn(tmp_path: Path, format: str) -> None:
    path = made(tmp_path, format)
    service = RenderService()
    leaves = service.open(str(path), None, cancel=CancelToken())
    width, height = round(leaves[0].width / 2), round(leaves[0].height / 2)
    needed = width * height * 3
    canvas = SharedMemory(create=True, size=needed)
    block: Any = canvas.buf
    block[:needed] = b"\xff" * needed
    drawing = partial(service.leaf, str(path), None, 0, 0.5, False, 1, canvas.name, cancel=CancelToken())
    try:
        too_small, drawn = list(drawing(needed - 1)), list(drawing(needed))
        pixels = bytes(block[:needed])
    finally:
        canvas.close()
        canvas.unlink()
        service.close()
    assert too_small == [needed]
    assert drawn == [None, (width, height, 3 * width, True)]
    assert min(pixels) < 128


@pytest.mark.parametrize("format", ["fb2", "mobi", "xps"])
def test_a_place_is_found_again(tmp_path: Path, format: str) -> None:
    """Trap 29: whoever opens the file anew finds the words where they were."""
    path = made(tmp_path, format)
    reading = read(path)
    paragraph = next(found for found in reading.document.paragraphs if "ferry had" in found.text)
    at = paragraph.text.index("ferry")
    (spot,) = paragraph.anchor_of(at, at + 5).spots
    assert isinstance(spot, LeafSpot)
    service = RenderService()
    ((found),) = service.locate(str(path), None, (spot,), cancel=CancelToken())
    service.close()
    (left, top, right, bottom), (outer,) = found.rectangles[0], spot.rectangles
    assert outer[0] - 1 <= left < right <= outer[2] + 1 and outer[1] - 1 <= top < bottom <= outer[3] + 1
    assert right - left < (outer[2] - outer[0]) / 2
    assert _same(reading, read(path))


def _same(one: Reading, other: Reading) -> bool:
    return one.document == other.document


def test_a_locked_kindle_book_is_said_to_be_so(tmp_path: Path) -> None:
    """Trap 24 in another format."""
    with pytest.raises(DocumentError, match="DRM"):
        sniff(formats.mobi(tmp_path / "book.mobi", encryption=2))


@pytest.mark.parametrize("format", MAKERS)
def test_one_cut_short_is_a_sentence_or_a_book(tmp_path: Path, format: str) -> None:
    """Trap 11: whatever is left of it, nothing but a sentence is raised."""
    whole = made(tmp_path, format).read_bytes()
    for share in (0.1, 0.5, 0.9):
        path = tmp_path / f"cut-{share}.{format}"
        path.write_bytes(whole[: int(len(whole) * share)])
        try:
            assert read(path).head.format in (format, "text")
        except DocumentError as error:
            assert path.name in error.message


def test_pictures_beside_text_are_no_comic(tmp_path: Path) -> None:
    """Trap 61."""
    path = formats.cbz(tmp_path / "site.zip")
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("index.html", "<p>A page</p>")
    with pytest.raises(DocumentError, match="zip file"):
        sniff(path)
