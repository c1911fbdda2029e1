"""A made-up book with all that a book can hold: notes, tables, readings, printed pages, front and back matter."""

from __future__ import annotations

from pathlib import Path

from readdesk.documents.fileread import FileRead
from readdesk.documents.model import (
    DocumentHead,
    Health,
    Kind,
    Mark,
    Matter,
    Paragraph,
    Section,
    SectionHealth,
)
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library

TITLE = "A Book of Everything"
NOTE = "n1"
NOTE_TEXT = "1. Anaximander held that the earth hangs freely; Aristotle, On the Heavens 295b10, says why."
LOREM = (
    "The wind had gone round in the night, and what had been a grey road was now a white one, so that the carts stood "
    "where they had been left and nobody spoke of going on before noon. "
)
CHAPTERS: tuple[tuple[str, Matter], ...] = (
    ("Title page", "title"),
    ("Contents", "contents"),
    ("The weather", ""),
    ("Tables", ""),
    ("Readings and directions", ""),
    ("Notes", "notes"),
    ("Bibliography", "bibliography"),
    ("From the next book", "excerpt"),
)


class Draft:
    """Paragraphs as they are written one after the other."""

    def __init__(self) -> None:
        self.paragraphs: list[Paragraph] = []
        self.sections: list[Section] = []

    @property
    def end(self) -> int:
        return self.paragraphs[-1].end if self.paragraphs else 0

    def section(self, title: str) -> None:
        """Begin a section with its heading."""
        self.sections.append(Section(len(self.sections), title, 1, -1, self.end))
        self.add(title, "heading", level=1)

    def add(self, text: str, kind: Kind = "text", *marks: Mark, level: int = 0) -> Paragraph:
        """Write a paragraph."""
        made = Paragraph(len(self.sections) - 1, self.end, text, (), kind, level, marks)
        self.paragraphs.append(made)
        return made

    def row(self, *cells: str, head: bool = False) -> None:
        """Write a row of a table."""
        text = "\t".join(cells)
        self.add(text, "table", *((Mark(0, len(text), "strong"),) if head else ()))


def draft() -> Draft:
    """The book."""
    made = Draft()
    for title, _ in CHAPTERS:
        made.section(title)
        writer = {
            "The weather": _weather,
            "Tables": _tables,
            "Readings and directions": _readings,
            "Notes": _notes,
        }.get(title)
        if writer is not None:
            writer(made)
        else:
            made.add(LOREM)
    return made


def _weather(made: Draft) -> None:
    words = "Some said that the earth hangs freely in the middle of all things1 and some that it floats2."
    first, second = words.index("1"), words.index("2")
    made.add(
        words + " " + LOREM * 2,
        "text",
        Mark(0, 0, "page", "12"),
        Mark(first, first + 1, "note", NOTE),
        Mark(second, second + 1, "note", "n2"),
    )
    made.add(LOREM, "text", Mark(0, 0, "image", "map.png"), Mark(0, 0, "alt", "A map of the coast with the old road."))
    made.add("Figure 1. The coast.", "caption")
    made.add(LOREM * 3, "text", Mark(200, 200, "page", "13"))
    for number in range(14, 24):
        made.add(LOREM * 4, "text", Mark(30, 30, "page", str(number)))


def _tables(made: Draft) -> None:
    made.add("What the ships carried in three years:")
    made.row("Cargo", "1871", "1872", "1873", head=True)
    made.row("Wool", "1,204", "980", "1,310")
    made.row("Salt fish", "88", "104", "97")
    made.row("Timber from the north", "12,400", "11,980", "9,020")
    made.add("And how their masters spoke of it:")
    made.row("Word", "What it meant to those who used it", head=True)
    made.row(
        "dogger", "A sandbank, and the boats that fished on it; by and by also the men in them, who were proud of it."
    )
    made.row("haar", "A cold fog from the sea.")
    made.add("Three columns of sentences:")
    made.row("Option", "What it does", "When it is wanted", head=True)
    long = "It makes the program wait until everything that was written is on the disk, however long that takes."
    made.row("--sync", long, "Wherever the power may fail and what was written must not be lost, at sea for instance.")
    made.row("--quick", "It does not wait.", "Everywhere else.")


def _readings(made: Draft) -> None:
    japanese = "山路を登りながら、こう考えた。智に働けば角が立つ。情に棹させば流される。意地を通せば窮屈だ。"
    spans = (("山路", "やまみち"), ("智", "ち"), ("角", "かど"), ("棹", "さお"), ("窮屈", "きゅうくつ"))
    marks = [Mark(japanese.index(base), japanese.index(base) + len(base), "ruby", reading) for base, reading in spans]
    made.add(japanese * 3, "text", *marks)
    made.add("שלום עולם, זהו משפט בעברית with a few Latin words שנמשך עוד מעט. " * 3)
    made.add("פריט ראשון ברשימה, ארוך דיו לשתי שורות. " * 3, "item", Mark(0, 0, "label", "1."), level=1)
    made.add("פריט שני.", "item", Mark(0, 0, "label", "2."), level=1)
    made.add("نص باللغة العربية يسير من اليمين إلى اليسار مع Latin في الوسط. " * 3)
    made.row("שם", "גיל", head=True)
    made.row("דינה", "34")
    made.row("משה", "7")
    made.add("中文的段落应该看起来整齐，标点不在行首。" * 8)


def _notes(made: Draft) -> None:
    made.add(NOTE_TEXT, "note", Mark(0, 0, "target", NOTE))
    made.add("2. Thales, says Seneca.", "note", Mark(0, 0, "target", "n2"))


def keep(library: Library, path: Path) -> DocumentRecord:
    """Put the book into a library, as if it had been read from a file."""
    made = draft()
    found = tuple(
        SectionHealth(sum(len(p.text.split()) for p in made.paragraphs if p.section == number), "en", matter)
        for number, (_, matter) in enumerate(CHAPTERS)
    )
    words = sum(section.words for section in found)
    notes = ("The picture map.png is missing from the book.",)
    health = Health(made.end, words, len(found), len(made.paragraphs), (), notes, "en", "contents", "", found)
    head = DocumentHead(TITLE, ("N. N.",), "en", "epub", "made" * 16, 4_000)
    return library.documents.add(FileRead(head, path, health, list(made.sections), list(made.paragraphs)))
