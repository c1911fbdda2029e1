"""What lies on the leaves of a PDF beside its text: notes, highlights, attached files, links."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pymupdf as typed_in_part
import pytest

from readdesk.cancel import CancelToken
from readdesk.documents.model import Attachment, Furniture, Layers, LeafHealth, Link, Markup, Rectangle
from readdesk.documents.pdf.attached import attachments_of
from readdesk.documents.pdf.file import open_file
from readdesk.documents.pdf.layers import MarkupReader, batches, count_of_marks, notes_of
from readdesk.documents.pdf.links import links_of
from readdesk.documents.render import RenderService
from readdesk.documents.service import DocumentService
from tests.documents.reading import read
from tests.samples import layered, make

pymupdf: Any = typed_in_part

MESSAGE_BYTES = 1_000_000


def markups_of(path: Path) -> list[Markup]:
    """All that is marked in a file."""
    document = open_file(path, None)
    reader = MarkupReader(document)
    return [markup for index in range(document.page_count) for markup in reader.of_leaf(index)]


def words_of(path: Path, markup: Markup) -> str:
    """The characters that a mark names in the leaf's own text, by the library's dictionary of the page alone."""
    document = pymupdf.open(path)
    page = document[markup.leaf]
    document.xref_set_key(page.xref, "Annots", "[]")
    page = document.reload_page(page)
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
    blocks = page.get_text("dict", flags=flags)["blocks"]
    lines = [line for block in blocks for line in block.get("lines", ())]
    text = "\n".join("".join(span["text"] for span in line["spans"]) for line in lines)
    return "|".join(text[spot.start : spot.end] for spot in markup.spots)


def test_one_of_every_kind(tmp_path: Path) -> None:
    path = layered.marked(tmp_path / "marked.pdf")
    found = markups_of(path)
    assert [(markup.kind, markup.text, markup.author) for markup in found] == [
        ("highlight", "A captain!", "Ann"),
        ("underline", "", "Ann"),
        ("strikeout", "Too loose?", ""),
        ("underline", "", ""),
        ("note", "Where is the village?\n\nBob: In the north.\n\nAnn: Of what?", "Ann"),
        ("text", "Typed over the leaf", "Bob"),
        ("drawing", "", ""),
        ("drawing", "", ""),
    ]
    words = [words_of(path, markup) for markup in found]
    assert words == [layered.WORDS, "three days", "loose in the night", "under water", "", "", "", ""]
    assert found[0].colour == "#ff0000" and found[0].made == "2024-02-29T12:05:01+01:00"
    assert len({markup.key for markup in found}) == len(found)


@pytest.mark.parametrize(("turn", "unit"), [(0, 1.0), (90, 1.0), (180, 1.0), (270, 1.0), (0, 2.0), (270, 0.5)])
def test_a_highlight_lies_where_it_is_drawn(tmp_path: Path, turn: int, unit: float) -> None:
    """Trap 9: on leaves that are turned, cropped and in a unit of their own."""
    path = layered.marked(tmp_path / "turned.pdf", turn, unit)
    highlight = markups_of(path)[0]
    assert words_of(path, highlight) == layered.WORDS
    left, top, right, bottom = _drawn_in_red(path)
    for box in (highlight.rectangles[0], highlight.spots[0].rectangles[0]):
        assert len(highlight.rectangles) == len(highlight.spots) == len(highlight.spots[0].rectangles) == 1
        assert box == pytest.approx((left, top, right, bottom), abs=5 * unit)


def _drawn_in_red(path: Path) -> Rectangle:
    """The pixels of the drawn leaf, one a point, that only the highlight paints."""
    document = pymupdf.open(path)
    page = document[0]
    document.xref_set_key(page.xref, "Annots", f"[{next(page.annots()).xref} 0 R]")
    page = document.reload_page(page)
    pixels = page.get_pixmap(alpha=False)
    red = [
        (x, y)
        for y in range(pixels.height)
        for x in range(pixels.width)
        if pixels.pixel(x, y)[1] < 100 < pixels.pixel(x, y)[0]
    ]
    across, down = zip(*red, strict=True)
    return min(across), min(down), max(across) + 1, max(down) + 1


def test_keys_stay(tmp_path: Path) -> None:
    """The same each time, whether or not the file names its annotations, and also where two are the same."""
    for path in (layered.marked(tmp_path / "named.pdf"), layered.many_marks(tmp_path / "many.pdf", 200, leaves=2)):
        first = markups_of(path)
        assert [markup.key for markup in markups_of(path)] == [markup.key for markup in first]
        assert len({markup.key for markup in first}) == len(first)
    entry = "<</Subtype/Text/Rect[10 10 20 20]/Contents(Twice)>>"
    twice = markups_of(layered.broken_marks(tmp_path / "twice.pdf", [entry, entry]))
    assert len({markup.key for markup in twice}) == 2
    named = "<</Subtype/Text/Rect[10 10 20 20]/NM(one)/Contents({})>>"
    before = markups_of(layered.broken_marks(tmp_path / "before.pdf", [named.format("As it was")]))
    after = markups_of(layered.broken_marks(tmp_path / "after.pdf", [named.format("Said anew")]))
    assert before[0].key == after[0].key and before[0].text != after[0].text


def test_broken_annotations_harm_nothing(tmp_path: Path) -> None:
    path = layered.broken_marks(tmp_path / "broken.pdf")
    found = markups_of(path)
    assert [(markup.kind, markup.text, len(markup.rectangles)) for markup in found] == [
        ("highlight", "Three numbers", 1),
        ("highlight", "Far away", 0),
        ("note", "A point", 0),
        ("note", "Beside the leaf", 0),
        ("drawing", "", 1),
        ("note", "A reply to nothing", 0),
    ]
    assert [markup.made for markup in found] == [""] * 6
    assert [markup.colour for markup in found] == ["", "", "", "#ff0000", "", ""]
    reading = read(path)
    assert "the letter came" in reading.text and reading.layers.markups == tuple(found)


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (r"/Contents(One\r\nTwo\rThree)", "One\nTwo\nThree"),
        ("/Contents<FEFF0041001B005B00330031006D000000420009>", "A[31mB"),
        ("/RC(<body><p>Rich &amp; <b>fat</b></p><p>words</p></body>)", "Rich & fat\nwords"),
        ("/Popup<</Contents(In the pop-up)>>", "In the pop-up"),
        ("/Contents<FEFF0041D83D>", "A???"),
        (f"/Contents({'long ' * 10_000})", ("long " * 4_000)),
    ],
)
def test_words_of_notes(tmp_path: Path, entry: str, text: str) -> None:
    path = layered.broken_marks(tmp_path / "words.pdf", [f"<</Subtype/Text/Rect[10 10 20 20]{entry}>>"])
    assert [markup.text.encode().decode() for markup in markups_of(path)] == [text]


def test_more_than_anybody_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hostile file has no end of marks; those beyond are told, and highlights of everything cost only so much."""
    whole = "<</Subtype/Highlight/QuadPoints[0 800 600 800 0 0 600 0]>>"
    path = layered.broken_marks(tmp_path / "hostile.pdf", [whole] * 12)
    monkeypatch.setattr("readdesk.documents.pdf.layers._MOST_MARKUPS", 10)
    monkeypatch.setattr("readdesk.documents.pdf.covered._MOST_COMPARED", 1_000)
    reader = MarkupReader(open_file(path, None))
    found = reader.of_leaf(0)
    assert len(found) == 10 and reader.has_more
    assert found[0].spots and not found[-1].spots and all(markup.rectangles for markup in found)
    assert "the others are left out" in list(notes_of(found, (), has_more=True))[1]


def test_a_thread_that_runs_in_a_circle(tmp_path: Path) -> None:
    """Two notes that answer each other are both kept."""
    path = layered.broken_marks(tmp_path / "circle.pdf", ["<</Subtype/Text/Contents(A)>>"] * 2)
    document = pymupdf.open(path)
    one, other = (
        int(word.split()[0]) for word in document.xref_get_key(document[0].xref, "Annots")[1][1:].split("R")[:2]
    )
    document.xref_set_key(one, "IRT", f"{other} 0 R")
    document.xref_set_key(other, "IRT", f"{one} 0 R")
    document.save(tmp_path / "round.pdf")
    assert [markup.text for markup in markups_of(tmp_path / "round.pdf")] == ["A", "A"]


def test_notes_are_no_text_of_the_document(tmp_path: Path) -> None:
    """Trap 67: what is typed onto a leaf is a note, and never the document's words."""
    path = layered.marked(tmp_path / "marked.pdf")
    reading = read(path)
    assert "Typed over the leaf" not in reading.text and "captain!" not in reading.text
    assert "the old captain" in reading.text
    assert [markup.kind for markup in reading.layers.markups].count("text") == 1
    assert "4 highlights, 2 notes and 2 drawings came with the file; they are yours" in reading.health.notes[-1]


def test_a_highlight_over_two_lines_is_one_place(tmp_path: Path) -> None:
    """Its quads are of two lines; another one marks two places of one line."""
    document = pymupdf.open(make.pdf(tmp_path / "plain.pdf", [make.lines(make.LINES)]))
    page = document[0]
    page.add_highlight_annot([*page.search_for("the road", quads=True), *page.search_for("to the village", quads=True)])
    page.add_highlight_annot([*page.search_for("Rain", quads=True), *page.search_for("three", quads=True)])
    document.save(tmp_path / "lines.pdf")
    over, apart = markups_of(tmp_path / "lines.pdf")
    assert words_of(tmp_path / "lines.pdf", over) == "the road\nto the village" and len(over.spots[0].rectangles) == 2
    assert words_of(tmp_path / "lines.pdf", apart) == "Rain|three"


def test_many_marks_are_sent_in_small_messages(tmp_path: Path) -> None:
    path = layered.many_marks(tmp_path / "many.pdf", 20_000)
    parts = [
        part for part in DocumentService().read(path, None, "pdf", cancel=CancelToken()) if isinstance(part, Layers)
    ]
    marked = [markup for part in parts for markup in part.markups]
    assert len(marked) == 20_000 and all(markup.spots for markup in marked)
    assert marked[-1].text == "Remark 3 4999"
    assert max(len(pickle.dumps(part)) for part in parts) < MESSAGE_BYTES


def test_leaves_without_marks_are_not_read_by_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trap 65: links and notes at a point need no characters either."""
    asked: list[int] = []

    def glyphs_of(page: Any) -> list[object]:
        asked.append(page.number)
        return []

    monkeypatch.setattr("readdesk.documents.pdf.covered.own_glyphs", glyphs_of)
    assert markups_of(layered.linked(tmp_path / "linked.pdf")) == []
    markups_of(layered.broken_marks(tmp_path / "note.pdf", ["<</Subtype/Text/Rect[10 10 20 20]/Contents(A)>>"]))
    assert asked == []
    markups_of(layered.marked(tmp_path / "marked.pdf"))
    assert asked == [0], "once, whatever the number of highlights"


def test_a_real_file_with_comments(shared_data: Path) -> None:
    path = shared_data / "documents" / "pdf" / "annotated-comments.pdf"
    note, highlight, *others = read(path).layers.markups
    assert (note.kind, note.author, note.text) == ("note", "moose", "Note in second paragraph")
    assert (highlight.kind, words_of(path, highlight)) == ("highlight", "crazy.")
    assert others[0].text.endswith("Umlaut: äöüß")


# -- files -------------------------------------------------------------------------------------------------------


def test_attached_files_are_named(tmp_path: Path) -> None:
    path = layered.with_files(tmp_path / "files.pdf")
    assert attachments_of(open_file(path, None)) == [
        Attachment("figures.csv", 8, "The figures"),
        Attachment("Notizen für später.txt", 5, "notes"),
        Attachment("letter.txt", 1000, "The letter itself"),
    ]
    reading = read(path)
    assert [file.name for file in reading.layers.attachments] == ["figures.csv", "Notizen für später.txt", "letter.txt"]
    assert "3 files are attached to it, which no model reads: figures.csv, Notizen" in reading.health.notes[-1]


def test_what_a_person_is_told() -> None:
    one = [Markup(0, "note", "k")]
    assert list(notes_of(one, (), has_more=False)) == [
        "1 note came with the file; it is yours to keep or remove, and no part of the text."
    ]
    assert (
        count_of_marks(["highlight", "strikeout", "note", "text", "drawing"]) == "2 highlights, 2 notes and 1 drawing"
    )
    files = [Attachment(f"{number}.txt") for number in range(7)]
    (told,) = notes_of((), files, has_more=False)
    assert told.startswith("7 files are attached") and told.endswith("4.txt and 2 more.")
    assert len(list(notes_of(one, files, has_more=True))) == 3


def test_batches_hold_everything_once() -> None:
    marked = [Markup(0, "note", str(number), text="x" * 10_000) for number in range(50)]
    parts = list(batches((), marked, [Attachment("a")] * 3))
    assert len(parts) > 2 and [markup for part in parts for markup in part.markups] == marked
    assert [file for part in parts for file in part.attachments] == [Attachment("a")] * 3


def test_what_was_taken_out_of_a_leaf_is_sent_within_bounds() -> None:
    """A hostile file has a hundred thousand lines in its margin; an ordinary leaf comes as it is."""
    line = Furniture("line", "1", (1, 1, 2, 2))
    hostile = LeafHealth(1, furniture=(Furniture("stamp", "x" * 1_000_000, (1, 1, 2, 2)), *(line,) * 100_000))
    plain = LeafHealth(0, furniture=(line,) * 40)
    (layers,) = batches((plain, hostile), (), ())
    assert layers.leaves[0] == plain and len(pickle.dumps(layers)) < 200_000
    assert layers.leaves[1].furniture[0].text == "x" * 300 and layers.leaves[1].furniture[1] == line


# -- links -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("turn", "top"), [(0, 325.0), (90, 50.0), (180, 195.0), (270, 380.0)])
def test_links_lead_to_places_and_to_the_web(tmp_path: Path, turn: int, top: float) -> None:
    """Trap 9: heights on a leaf that is turned and cropped. Nothing leads to programs, other files or scripts."""
    path = layered.linked(tmp_path / "linked.pdf", turn)
    found = RenderService().links(str(path), None, 0, cancel=CancelToken())
    assert found == tuple(links_of(open_file(path, None), 0))
    boxes: list[Rectangle] = [(72.0, 20.0 + 30 * number, 200.0, 40.0 + 30 * number) for number in range(5)]
    assert found == (
        Link(boxes[0], 1, top),
        Link(boxes[1], 1, 0.0),
        Link(boxes[2], 1, top),
        Link(boxes[3], address="https://example.org/a?b=c"),
        Link(boxes[4], address="mailto:ann@example.org"),
    )
    word = pymupdf.open(path)[1]
    place = (word.search_for("Landmark")[0] * word.rotation_matrix).normalize()
    assert place.y0 - 30 <= top <= place.y1 + 30


def test_links_of_a_leaf_that_is_not_there(tmp_path: Path) -> None:
    path = layered.linked(tmp_path / "linked.pdf")
    assert RenderService().links(str(path), None, 7, cancel=CancelToken()) == ()


def test_very_long_addresses_are_sent_within_bounds(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for number in range(400):
        address = f"https://example.org/{number}/{'x' * 3900}"
        page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(72, number, 90, number + 1), "uri": address})
    document.save(tmp_path / "links.pdf")
    found = RenderService().links(str(tmp_path / "links.pdf"), None, 0, cancel=CancelToken())
    assert len(found) > 50 and len(pickle.dumps(found)) < 1_000_000
