"""Windows of real books with a chapter or section break hidden in them.

All headings are taken out of a book, front and back matter too. Around each break lies a window as long as the longest
page of an article, cut into units and candidate places by the program's own rules (`reading/paginate`); its beginning
is drawn so that the break is one of the candidates, anywhere among them. No window holds a second break.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path

from readdesk.documents.model import Document, Paragraph, Section
from readdesk.documents.normal import count_words, normal, one_line
from readdesk.documents.open import DocumentReader
from readdesk.reading.paginate import SIZES, candidates, window
from readdesk.reading.pauses import AROUND
from tests.bench.books import Reading, collected

SIZE = SIZES["article"]
_FEWEST_PLACES = 4
_SLACK = 20
"""Words by which the parts of a paragraph and the whole may differ."""
_REACH = SIZE.longest - SIZE.shortest + _SLACK

NOVELS = (
    *("moby-dick.epub", "war-and-peace.epub", "persuasion-epub2.epub", "dorian-gray.epub", "pg2500.txt", "pg34339.txt"),
    *("mysterious-affair-at-styles.epub", "pg16357.txt", "pg16517.txt", "pg1023.txt", "kusamakura-vertical-ja.epub"),
)
OTHERS = (
    *("nq_pages.jsonl", "meditations.epub", "childrens-literature.epub", "israelsailing-he.epub", "geotopo-de.pdf"),
    *("debian-policy.epub", "developers-reference-ru.epub", "debmake-doc-zh-cn.epub", "ubuntu-packaging-guide.epub"),
    "zsh-manual.pdf",
)
FITTED = frozenset(
    (
        *("moby-dick.epub", "persuasion-epub2.epub", "pg34339.txt", "pg16357.txt", "mysterious-affair-at-styles.epub"),
        *("meditations.epub", "geotopo-de.pdf", "debian-policy.epub", "developers-reference-ru.epub"),
        "childrens-literature.epub",
    )
)
"""The books on which anything is chosen; what is reported comes from the others."""


@dataclass(frozen=True)
class Window:
    """Units of text, which of them may end a page, and which of these is the true end.

    `inside` are the units that end within a paragraph; `before` and `after` are paragraphs around the window.
    """

    book: str
    title: str
    texts: tuple[str, ...]
    inside: frozenset[int]
    places: tuple[int, ...]
    labels: tuple[str, ...]
    true: int
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def answer(self) -> int:
        """The true end's index among the places."""
        return self.places.index(self.true)

    @property
    def chance(self) -> float:
        """How often a blind choice is right."""
        return 1 / len(self.places)

    @property
    def label_of(self) -> dict[int, str]:
        """Each place with its letter."""
        return dict(zip(self.places, self.labels, strict=True))


def windows_of(names: Sequence[str], data: Path, each: int, seed: int) -> list[Window]:
    """At most so many windows of each book, drawn anew from the seed for every book, in a mixed order."""
    reader = DocumentReader()
    found: list[Window] = []
    try:
        for name in names:
            for reading in _readings(reader, name, data):
                found += _windows(name, reading, random.Random(f"{seed} {name} {reading.head.title}"))
    finally:
        reader.close()
    kept: list[Window] = []
    for name in names:
        own = [item for item in found if item.book == name]
        kept += random.Random(f"{seed} {name}").sample(own, min(each, len(own)))
    return kept


def _readings(reader: DocumentReader, name: str, data: Path) -> Iterator[Reading]:
    if not name.endswith(".jsonl"):
        folders = {".epub": "documents/epub", ".pdf": "documents/pdf", ".txt": "narrativeqa"}
        yield collected(reader.read(data / folders[Path(name).suffix] / name))
        return
    with tempfile.TemporaryDirectory() as folder:
        for line in (data / "nq_pages" / name).read_text("utf-8").splitlines():
            page = json.loads(line)
            path = Path(folder) / f"{page['page_id']}.md"
            path.write_text(page["text"], "utf-8")
            yield collected(reader.read(path))


def _windows(name: str, reading: Reading, rng: random.Random) -> Iterator[Window]:
    """One window for each break that has one."""
    document = without_headings(reading.document)
    sections = sorted({paragraph.section for paragraph in document.paragraphs})
    firsts = {
        section: next(at for at, found in enumerate(document.paragraphs) if found.section == section)
        for section in sections
    }
    ends = dict(zip(sections, [*list(firsts.values())[1:], len(document.paragraphs)], strict=True))
    words = list(accumulate((count_words(paragraph.text) for paragraph in document.paragraphs), initial=0))
    for before, after in pairwise(sections):
        starts = list(range(firsts[before], ends[before]))
        rng.shuffle(starts)
        starts = [start for start in starts if -_SLACK < words[ends[before]] - words[start] - SIZE.shortest < _REACH]
        stop = document.paragraphs[ends[after] - 1].end
        for start in starts:
            found = _window(name, reading, document, start, document.paragraphs[firsts[after]].start, stop)
            if found is not None:
                yield found
                break


def _window(name: str, reading: Reading, document: Document, start: int, true: int, stop: int) -> Window | None:
    """The window that begins with a paragraph, if the true break is one of its places and the only one."""
    begin = document.paragraphs[start].start
    units = window(document, begin, SIZE)
    labels = candidates(units, SIZE)
    place = next((at for at, unit in enumerate(units) if unit.end == true), None)
    if place is None or place not in labels or len(labels) < _FEWEST_PLACES or units[-1].end >= stop:
        return None
    ends = {paragraph.end for paragraph, _, _ in document.between(begin, units[-1].end)}
    return Window(
        book=name,
        title=reading.head.title,
        texts=tuple(one_line(document.text(unit.start, unit.end)) for unit in units),
        inside=frozenset(at for at, unit in enumerate(units) if unit.end not in ends),
        places=tuple(labels),
        labels=tuple(labels.values()),
        true=place,
        before=_words_of(reversed(document.between(0, begin)))[::-1],
        after=_words_of(document.between(units[-1].end, document.end)),
    )


def _words_of(parts: Iterable[tuple[Paragraph, int, int]]) -> tuple[str, ...]:
    """As many paragraphs or ends of them as have some AROUND words."""
    found: list[str] = []
    words = 0
    for paragraph, first, last in parts:
        if words >= AROUND:
            break
        found.append(one_line(paragraph.as_read(first, last)))
        words += count_words(found[-1])
    return tuple(found)


def without_headings(document: Document) -> Document:
    """The text of the book itself as one section: no headings, no rules, no titles, no notes, no matter."""
    kept: list[Paragraph] = []
    place = 0
    for paragraph in document.paragraphs:
        section = document.sections[paragraph.section]
        is_text = paragraph.kind not in ("heading", "note") and any(map(str.isalnum, paragraph.text))
        if section.is_left_out or not is_text or normal(paragraph.text) == normal(section.title):
            continue
        kept.append(replace(paragraph, start=place))
        place += len(paragraph.text)
    return Document(document.title, (Section(0, document.title, 1, -1, 0),), tuple(kept), document.language)
