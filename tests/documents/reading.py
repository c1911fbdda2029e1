"""How tests read documents, and how an independent reader finds what an anchor names."""

from __future__ import annotations

import random
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pymupdf as typed_in_part
from lxml import etree

from readdesk.cancel import CancelToken
from readdesk.documents.draft import POINTS
from readdesk.documents.model import (
    AUTOMATIC,
    Anchor,
    Choices,
    Document,
    DocumentHead,
    ElementSpot,
    Health,
    Layers,
    LeafSpot,
    Paragraph,
    Section,
    TextSpot,
)
from readdesk.documents.open import Part, ReadSoFar, sniff
from readdesk.documents.service import DocumentService

pymupdf: Any = typed_in_part


@dataclass(frozen=True)
class Reading:
    """A whole document with what goes before and after it."""

    head: DocumentHead
    document: Document
    health: Health
    layers: Layers = field(default_factory=Layers)

    @property
    def text(self) -> str:
        """All text, paragraphs separated by newlines."""
        return "\n".join(paragraph.text for paragraph in self.document.paragraphs)

    @property
    def kinds(self) -> list[tuple[str, str]]:
        """Kind and text of every paragraph."""
        return [(paragraph.kind, paragraph.text) for paragraph in self.document.paragraphs]

    def by_section(self) -> list[tuple[str, list[str]]]:
        """Every section's title with the texts of its own paragraphs."""
        return [
            (section.title, [found.text for found in self.document.paragraphs if found.section == section.index])
            for section in self.document.sections
        ]


def collect(parts: Iterator[Part]) -> Reading:
    """Put a stream together and check the order that it promises."""
    told: list[ReadSoFar] = []
    parts = _without_told(parts, told)
    head = next(parts)
    assert isinstance(head, DocumentHead)
    sections: list[Section] = []
    paragraphs: list[Paragraph] = []
    health: Health | None = None
    layers = Layers()
    for part in parts:
        assert health is None, "nothing may follow the health"
        if isinstance(part, Section):
            end = paragraphs[-1].end if paragraphs else 0
            assert (part.index, part.start) == (len(sections), end)
            assert part.level == 1 if part.parent < 0 else part.level == sections[part.parent].level + 1
            sections.append(part)
        elif isinstance(part, tuple):
            assert all(found.section == sections[-1].index and found.text.strip() for found in part)
            paragraphs += part
        elif isinstance(part, Layers):
            layers = Layers(
                (*layers.leaves, *part.leaves),
                (*layers.markups, *part.markups),
                (*layers.attachments, *part.attachments),
            )
        else:
            assert isinstance(part, Health)
            health = part
    assert health is not None
    assert all(0 <= part.done <= part.total for part in told)
    assert [part.done for part in told] == sorted(part.done for part in told)
    for paragraph in paragraphs:
        check_marks(paragraph)
    return Reading(head, Document(head.title, tuple(sections), tuple(paragraphs), head.language), health, layers)


def _without_told(parts: Iterator[Part], told: list[ReadSoFar]) -> Iterator[Part]:
    """What is not told of the reading itself; that is put into `told`."""
    for part in parts:
        if isinstance(part, ReadSoFar):
            told.append(part)
            continue
        yield part


def check_marks(paragraph: Paragraph) -> None:
    """Marks lie within their text, are in order, and neither begin nor end with white space."""
    for mark in paragraph.marks:
        assert 0 <= mark.start <= mark.end <= len(paragraph.text)
        if mark.kind in POINTS:
            assert mark.start == mark.end and mark.value
        else:
            found = paragraph.text[mark.start : mark.end]
            assert found and found == found.strip()
    starts = [mark.start for mark in paragraph.marks]
    assert starts == sorted(starts)


def read(path: Path, password: str | None = None, choices: Choices = AUTOMATIC) -> Reading:
    """Read a document in this process."""
    return collect(DocumentService().read(path, password, sniff(path), choices, cancel=CancelToken()))


# -- an independent reader ---------------------------------------------------------------------------------------


def epub_resolver(path: Path) -> Callable[[Anchor], str]:
    """What an anchor names, with zipfile and lxml alone."""
    archive = zipfile.ZipFile(path)
    roots: dict[str, Any] = {}

    def resolve(anchor: Anchor) -> str:
        found = ""
        for spot in anchor.spots:
            assert isinstance(spot, ElementSpot)
            if spot.file not in roots:
                parser = etree.XMLParser(remove_comments=True, remove_pis=True, resolve_entities=False)
                roots[spot.file] = etree.fromstring(archive.read(spot.file), parser)
            element = roots[spot.file]
            for step in spot.path:
                element = element[step]
            found += "".join(element.itertext())[spot.start : spot.end]
        return found

    return resolve


def pdf_resolver(path: Path) -> Callable[[Anchor], str]:
    """What an anchor names, with PyMuPDF's dictionary of a page alone."""
    document = pymupdf.open(path)
    texts: dict[int, str] = {}

    def resolve(anchor: Anchor) -> str:
        found = ""
        for spot in anchor.spots:
            assert isinstance(spot, LeafSpot)
            if spot.leaf not in texts:
                flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
                blocks = document[spot.leaf].get_text("dict", flags=flags)["blocks"]
                lines = [line for block in blocks for line in block.get("lines", ())]
                texts[spot.leaf] = "\n".join("".join(span["text"] for span in line["spans"]) for line in lines)
            found += texts[spot.leaf][spot.start : spot.end]
        return found

    return resolve


def text_resolver(text: str) -> Callable[[Anchor], str]:
    """What an anchor names in a decoded text."""

    def resolve(anchor: Anchor) -> str:
        spots = [spot for spot in anchor.spots if isinstance(spot, TextSpot)]
        assert len(spots) == len(anchor.spots)
        return "".join(text[spot.start : spot.end] for spot in spots)

    return resolve


INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))


def bare(text: str) -> str:
    """The text without white space and without what only steers line breaks."""
    return "".join(text.translate(INVISIBLE).split())


def check_random_spans(document: Document, resolve: Callable[[Anchor], str], count: int = 200, seed: int = 1) -> None:
    """Random spans of a document must be found at their anchors, also after writing and reading those as strings."""
    chance = random.Random(seed)
    for _ in range(count):
        paragraph = chance.choice(document.paragraphs)
        start = chance.randrange(len(paragraph.text))
        end = chance.randint(start + 1, len(paragraph.text))
        if not paragraph.text[start:end].strip():
            continue
        anchor = Anchor.parse(str(paragraph.anchor_of(start, end)))
        assert bare(resolve(anchor)) == bare(paragraph.text[start:end])
