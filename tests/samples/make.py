"""Small EPUBs and PDFs that each have one trait; every function writes a file and returns its path.

EPUBs are put together with zipfile so that they can be as broken as those that people have; PDFs are drawn with
PyMuPDF.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pymupdf as typed_in_part

pymupdf: Any = typed_in_part

CONTAINER = """<?xml version="1.0"?>
<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>
<rootfile full-path="OPS/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""

XHTML = """<?xml version="1.0" encoding="utf-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">
<head><title>{title}</title><style>p {{ margin: 0 }}</style></head>
<body>{body}</body></html>"""

PARAGRAPH = "The quick brown fox jumps over the lazy dog near the quiet river, and nobody minds. "

LINES = (
    "Rain had fallen for three days when the letter came, and the road",
    "to the village was under water. Nobody expected the postman, least",
    "of all the old captain, who sat by the window and counted the boats",
    "that had come loose in the night.",
)


# -- EPUB --------------------------------------------------------------------------------------------------------


def xhtml(body: str, title: str = "") -> str:
    """A whole XHTML file."""
    return XHTML.format(title=title, body=body)


def epub(
    path: Path,
    files: Mapping[str, str],
    *,
    nav: str = "",
    manifest: str = "",
    metadata: str = "<dc:title>A Sample</dc:title><dc:creator>Ann Author</dc:creator><dc:language>en</dc:language>",
    members: Mapping[str, str | bytes] | None = None,
    container: str | None = CONTAINER,
) -> Path:
    """An EPUB of whole XHTML files in spine order; `nav` lists its contents, `members` are added as they are."""
    items = "".join(
        f'<item id="f{number}" href="{name}" media-type="application/xhtml+xml"/>' for number, name in enumerate(files)
    )
    if nav:
        items += '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
    spine = "".join(f'<itemref idref="f{number}"/>' for number in range(len(files)))
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f'<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">{metadata}</metadata>'
        f"<manifest>{items}{manifest}</manifest><spine>{spine}</spine></package>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        if container is not None:
            archive.writestr("META-INF/container.xml", container)
        archive.writestr("OPS/package.opf", package)
        for name, content in files.items():
            archive.writestr(f"OPS/{name}", content)
        if nav:
            archive.writestr("OPS/nav.xhtml", xhtml(f'<nav epub:type="toc"><ol>{nav}</ol></nav>'))
        for name, data in (members or {}).items():
            archive.writestr(name, data)
    return path


def changed(path: Path, member: str, change: Callable[[str], str]) -> Path:
    """The same zip file with the text of one member changed."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members[member] = change(members[member].decode()).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def entry(href: str, title: str, children: str = "") -> str:
    """One entry of a navigation list."""
    return f'<li><a href="{href}">{title}</a>{f"<ol>{children}</ol>" if children else ""}</li>'


def encrypted(algorithm: str, uri: str) -> str:
    """An encryption.xml that says how one member is locked."""
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
        'xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>'
        f'<enc:EncryptionMethod Algorithm="{algorithm}"/><enc:CipherData><enc:CipherReference URI="{uri}"/>'
        "</enc:CipherData></enc:EncryptedData></encryption>"
    )


def zip_bomb(path: Path) -> Path:
    """An EPUB with a member of 64 MB that is packed to a few kilobytes."""
    return epub(path, {"a.xhtml": xhtml("<p>Harmless.</p>")}, members={"OPS/big.bin": b"\0" * (64 << 20)})


# -- PDF ---------------------------------------------------------------------------------------------------------


def pdf(path: Path, leaves: Sequence[Sequence[tuple[float, float, str, float]]], **save: Any) -> Path:
    """A PDF of lines given by left edge, baseline, text and size, leaf by leaf."""
    document = pymupdf.open()
    for lines in leaves:
        page = document.new_page()
        for left, baseline, text, size in lines:
            page.insert_text((left, baseline), text, fontsize=size)
    document.save(path, **save)
    return path


def lines(
    texts: Sequence[str], left: float = 72, top: float = 100, size: float = 11
) -> list[tuple[float, float, str, float]]:
    """Lines one under the other."""
    return [(left, top + number * size * 1.3, text, size) for number, text in enumerate(texts)]


def two_columns(path: Path) -> Path:
    """Two columns whose lines interleave in the file, under a title and over a footnote that cross both."""
    content: list[tuple[float, float, str, float]] = [(72, 80, "A Title That Runs Across Both Columns Of The Leaf", 20)]
    for number in range(12):
        content.append((50, 120 + 14 * number, f"left {number:02d} with words that fill the line", 10))
        content.append((320, 120 + 14 * number, f"right {number:02d} with words that fill a line", 10))
    note = "A footnote that runs across both columns of the leaf, from the left edge to the right one, and ends."
    content.append((50, 330, note, 9))
    return pdf(path, [content])


def running_heads(path: Path, leaves: int = 6) -> Path:
    """Leaves with a running head and a page number; the first line of two leaves is the same."""
    content = []
    for number in range(leaves):
        first = (
            "A first line that is on two leaves stays." if number in (1, 4) else f"Leaf number {number} begins here."
        )
        content.append(
            [
                (72, 40, f"CHAPTER {number // 3 + 1}. THE HEAD", 9),
                *lines([first, *LINES], top=90),
                (300, 810, str(number + 1), 9),
            ]
        )
    return pdf(path, content)


def hyphens(path: Path) -> Path:
    """Words parted at line ends: one to join, two to keep, and a paragraph that goes on over the leaf."""
    first = [
        "The committee spoke of the climate and of a planet-warming gas that",
        "nobody had seen in this village, and they agreed that the new cli-",
        "mate report was about planet-warming gases, most of all the planet-",
        "warming kind, as the report on the Franco-",
        "Prussian side had said before, and this sentence does not end on the",
    ]
    second = ["first leaf but goes on until the end of this line on the second leaf."]
    return pdf(path, [lines(first), lines(second)])


def rotated(path: Path, turn: int) -> Path:
    """One word on a leaf that is turned, with a crop box."""
    document = pymupdf.open()
    page = document.new_page(width=400, height=600)
    page.insert_text((150, 200), "Landmark", fontsize=20)
    page.set_cropbox(pymupdf.Rect(50, 60, 380, 560))
    page.set_rotation(turn)
    document.save(path)
    return path


def image_only(path: Path) -> Path:
    """A leaf that holds a picture and no text."""
    document = pymupdf.open()
    page = document.new_page()
    pixels = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 50, 50))
    pixels.clear_with(120)
    page.insert_image(page.rect, pixmap=pixels)
    document.save(path)
    return path


def locked(path: Path, user: str, owner: str) -> Path:
    """A PDF with passwords; an empty user password locks only what may be done with it."""
    content = [lines(LINES)]
    return pdf(path, content, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=user, owner_pw=owner)


def with_outline(path: Path) -> Path:
    """Three leaves, an outline with a place in the middle of a leaf and one that points nowhere, and printed labels."""
    document = pymupdf.open()
    for number in range(3):
        page = document.new_page()
        page.insert_text((72, 100), f"Chapter {number + 1}", fontsize=18)
        for left, baseline, text, size in lines(LINES, top=140):
            page.insert_text((left, baseline), text, fontsize=size)
        page.insert_text((72, 400), f"Part {number + 1}.1", fontsize=14)
        page.insert_text((72, 430), "A short paragraph that belongs to the part.", fontsize=11)
    document.set_toc(
        [[1, "Chapter 1", 1], [2, "Part 1.1", 1], [1, "Chapter 2", 2], [2, "Nowhere at all", -1], [1, "Chapter 3", 3]]
    )
    document.set_page_labels(
        [{"startpage": 0, "style": "r", "firstpagenum": 1}, {"startpage": 1, "style": "D", "firstpagenum": 127}]
    )
    document.save(path)
    return path
