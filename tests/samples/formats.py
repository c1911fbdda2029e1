"""Books in the other formats of leaves (FB2, MOBI, XPS, CBZ), written by hand."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf as typed_in_part

pymupdf: Any = typed_in_part

CHAPTERS = (
    (
        "The Ferry",
        "The ferry had not come for three days, and the people on the pier began to speak of the winter. " * 12,
    ),
    (
        "The Pier",
        "Nobody knew who had built the pier, and nobody asked, for it had always been there, like the sea. " * 12,
    ),
)


def fb2(path: Path) -> Path:
    """A FictionBook with a title, an author and two chapters."""
    sections = "".join(f"<section><title><p>{title}</p></title><p>{text}</p></section>" for title, text in CHAPTERS)
    path.write_text(
        '<?xml version="1.0" encoding="utf-8"?>\n<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0">'
        "<description><title-info><author><first-name>Anna</first-name><last-name>Tester</last-name></author>"
        "<book-title>A Winter Book</book-title><lang>en</lang></title-info></description>"
        f"<body>{sections}</body></FictionBook>",
        encoding="utf-8",
    )
    return path


def mobi(path: Path, encryption: int = 0) -> Path:
    """A MOBI of one uncompressed text; `encryption` says how its text is locked (it is not)."""
    body = "".join(f"<h1>{title}</h1><p>{text}</p>" for title, text in CHAPTERS)
    text = f"<html><head><title>A Winter Book</title></head><body>{body}</body></html>".encode()
    pieces = [text[at : at + 4096] for at in range(0, len(text), 4096)]
    header = b"MOBI" + struct.pack(">IIII", 232, 2, 65001, 1) + bytes(212)
    first = struct.pack(">HHIHHHH", 1, 0, len(text), len(pieces), 4096, encryption, 0) + header
    records = [first, *pieces]
    at = 78 + 8 * len(records) + 2
    entries = b""
    for number, record in enumerate(records):
        entries += struct.pack(">II", at, number)
        at += len(record)
    name = b"A Winter Book".ljust(32, b"\0")
    top = name + bytes(28) + b"BOOKMOBI" + bytes(8) + struct.pack(">H", len(records))
    path.write_bytes(top + entries + bytes(2) + b"".join(records))
    return path


def cbz(path: Path, leaves: int = 3) -> Path:
    """A comic: grey pictures, and what programs put beside them."""
    pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 300, 400))
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("ComicInfo.xml", "<ComicInfo/>")
        for number in range(leaves):
            pixels.clear_with(80 + 40 * number)
            file.writestr(f"{number:02d}.png", pixels.tobytes("png"))
    return path


def xps(path: Path, lines: Sequence[str] = ("The ferry had not come", "for three days.")) -> Path:
    """An XPS of one leaf with lines of text."""
    glyphs = "".join(
        f'<Glyphs Fill="#ff000000" FontUri="/f.ttf" FontRenderingEmSize="20" OriginX="60"'
        f' OriginY="{100 + 30 * number}" UnicodeString="{line}"/>'
        for number, line in enumerate(lines)
    )
    relation = "http://schemas.microsoft.com/xps/2005/06"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(
            "[Content_Types].xml", '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
        )
        file.writestr(
            "_rels/.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            f'<Relationship Type="{relation}/fixedrepresentation" Target="/s.fdseq" Id="R0"/></Relationships>',
        )
        file.writestr(
            "s.fdseq",
            f'<FixedDocumentSequence xmlns="{relation}"><DocumentReference Source="/d.fdoc"/></FixedDocumentSequence>',
        )
        file.writestr(
            "d.fdoc",
            f'<FixedDocument xmlns="{relation}"><PageContent Source="/1.fpage" Width="600" Height="800"/>'
            "</FixedDocument>",
        )
        file.writestr(
            "1.fpage", f'<FixedPage xmlns="{relation}" Width="600" Height="800" xml:lang="en">{glyphs}</FixedPage>'
        )
        file.writestr("f.ttf", pymupdf.Font("helv").buffer)
    return path
