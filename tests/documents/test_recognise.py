"""Recognised text: laid out as lines, guessed at, read by the real Tesseract where there is one.

Traps 6 and 7: leaves that are pictures, or whose letters mean nothing, get a text. What needs Tesseract is skipped
where it is missing, unless READDESK_REQUIRE_TESSERACT=1.
"""

from __future__ import annotations

import hashlib
import struct
import sys
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path

import pytest

from readdesk.cancel import CancelToken
from readdesk.documents import tessdata
from readdesk.documents.model import Layers, LeafHealth, Markup, RecognisedLeaf, RecognisedWord, Rectangle
from readdesk.documents.open import DocumentReader, Recognised
from readdesk.documents.pdf.guess import quality_of
from readdesk.documents.pdf.leaves import Leaf, Line, turned
from readdesk.documents.pdf.recognised import lay, marked_words
from readdesk.documents.recogniser import LeafRecogniser
from readdesk.documents.service import DocumentService
from readdesk.documents.tessdata import find_tessdata, finding_blocks, prepared, recognition_state, usual_language
from readdesk.errors import DocumentError, ReadDeskError
from tests.recognition import recognised
from tests.samples import make, scans
from tests.samples.make import pymupdf

LINES = ["The first line of words stands here.", "And the second line of words ends so."]
HUCKLEBERRY = (
    "He listened some more; then he come tip-toeing down and stood right between us; we could a touched him, nearly. "
    "Well, likely it was minutes and minutes that there warn’t a sound, and we all there so close together. There was "
    "a place on my ankle that got to itching; but I dasn’t scratch it; and then my ear begun to itch; and next my back,"
    " right between my shoulders. Seemed like I’d die if I couldn’t scratch. Well, I’ve noticed that thing plenty of "
    "times since. If you are with the quality, or at a funeral, or trying to go to sleep when you ain’t sleepy—if you "
    "are anywheres"
)
"""What stands on the leaf, read by a person."""


# -- laying out --------------------------------------------------------------------------------------------------


def own_text(leaf: RecognisedLeaf) -> str:
    """The leaf's own text by its definition: words joined by spaces, lines by line breaks."""
    text = ""
    for before, word in pairwise((None, *leaf.words)):
        assert word is not None
        text += ("" if before is None else " " if before.line == word.line else "\n") + word.text
    return text


def laid(leaf: RecognisedLeaf, turn: int = 0) -> Leaf:
    """The leaf laid out on a sheet of 600 by 800, all of it turned clockwise."""
    words = tuple(replace(word, rectangle=turned(word.rectangle, 600, 800, turn)) for word in leaf.words)
    size = (600, 800) if turn in (0, 180) else (800, 600)
    return lay(Leaf(3, *size, label="iv"), replace(leaf, words=words))


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_words_become_lines_of_the_reading_frame(turn: int) -> None:
    """Trap 9: however the leaf lies, lines run from left to right in its frame, and are drawn where they are."""
    words = recognised(3, LINES)
    leaf = laid(words, turn)
    assert (leaf.index, leaf.label, leaf.kind, leaf.quality) == (3, "iv", "ocr", words.quality)
    assert (leaf.turn, leaf.width, leaf.height) == (turn, 600, 800)
    assert [line.text for line in leaf.lines] == LINES
    first = leaf.lines[0]
    box = (72.0, 300.0, 72.0 + 6 * len(LINES[0]), 310.0)
    assert (first.left, first.right) == pytest.approx((box[0], box[2]))
    assert first.top < box[1] < box[3] < first.bottom < leaf.lines[1].top + 2
    assert first.rectangle == pytest.approx(turned(box, 600, 800, turn))


def test_offsets_count_in_the_leafs_own_text() -> None:
    words = recognised(3, LINES)
    text = own_text(words)
    assert text == "\n".join(LINES)
    for line in laid(words).lines:
        assert text[line.start : line.start + len(line.text)] == line.text
    assert [text[start:end] for start, end, _ in words.spans()] == text.split()


def test_a_line_is_parted_where_a_gap_is_wide() -> None:
    """Cells of a table stay apart, and every word is in exactly one part."""
    words = (
        RecognisedWord("left", 0, (72, 100, 96, 110)),
        RecognisedWord("cell", 0, (102, 100, 126, 110)),
        RecognisedWord("right", 0, (300, 100, 330, 110)),
    )
    lines = laid(RecognisedLeaf(3, "eng", 1.0, words)).lines
    assert [(line.text, line.start) for line in lines] == [("left cell", 0), ("right", 10)]


def test_arabic_is_read_from_the_right() -> None:
    """Trap 15: the words come in reading order, from right to left."""
    places: list[Rectangle] = [(500, 100, 540, 112), (450, 100, 490, 112), (400, 100, 440, 112)]
    words = tuple(RecognisedWord(word, 0, box) for word, box in zip(("كان", "يوما", "جميلا"), places, strict=True))
    leaf = laid(RecognisedLeaf(3, "ara", 1.0, words))
    assert leaf.is_mirrored and leaf.turn == 0
    assert [line.text for line in leaf.lines] == ["كان يوما جميلا"]
    assert leaf.lines[0].rectangle == pytest.approx((400, 100, 540, 112))


def test_lines_of_one_size_are_of_one_size() -> None:
    """A line without long letters is lower, but no smaller; a heading is."""
    body, heading = recognised(3, LINES), recognised(3, ["A Heading"])
    low = tuple(replace(word, rectangle=(*word.rectangle[:3], word.rectangle[3] - 2)) for word in body.words[7:])
    large = tuple(
        replace(word, line=-1, rectangle=(left, top - 200, left + 2 * (right - left), top - 180))
        for word in heading.words
        for left, top, right, _ in [word.rectangle]
    )
    lines = laid(replace(body, words=(*large, *body.words[:7], *low))).lines
    assert lines[1].size == lines[2].size < 0.7 * lines[0].size


def test_a_leaf_on_which_nothing_was_found_keeps_what_it_has() -> None:
    nothing = RecognisedLeaf(0, "eng", 0.0)
    own = Leaf(0, 600, 800, lines=[Line("its own", 0, 1, 1, 50, 11, 10)], kind="ocr", quality=0.4)
    assert lay(own, nothing) is own
    picture = lay(Leaf(0, 600, 800, kind="scan"), nothing)
    assert (picture.kind, picture.lines, picture.quality) == ("ocr", [], None)


def test_a_highlight_is_of_the_words_beneath_it() -> None:
    words = recognised(3, LINES)
    box = (72.0, 299.0, 72.0 + 6 * len("The first"), 311.0)
    mark, note = Markup(3, "highlight", "k", (box,)), Markup(3, "note", "n", (box,))
    found = list(marked_words([mark, note], words))
    assert [(spot.leaf, spot.start, spot.end) for spot in found[0].spots] == [(3, 0, len("The first"))]
    assert found[1] == note


# -- guessing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        make.PARAGRAPH,
        "I’d die if I couldn’t; the well-known Mr. O’Neill paid £12,300 (see p. 34) in 1884—or so they said.",
        "Die Rechtsschutzversicherung zahlt im Jahr 2015 höchstens 2.000 €, schrieb Herr Müller-Lüdenscheidt.",
        "Однажды весною, в час небывало жаркого заката, в Москве, на Патриарших прудах",
        "吾輩は猫である。名前はまだ無い。",
    ],
)
def test_words_of_any_language_look_like_words(text: str) -> None:
    assert quality_of(text.split()) > 0.9


@pytest.mark.parametrize(
    "text",
    [
        "2A NNI‘I 6F6867# XATALL IE18-80L (818) 9SEI6 VO “BUBZIRY, J0aNS PIPUXO OZLEI “Uy ‘soTUOMOI,q UUrT uut]",
        "T h e L i n n S e q u e n c e r 3 2 T r a c k M I D I S e q u e n c e R e c o r d e r",
        "ee ° eeee >SaOHSH hed > msec wn mee Ee2323E57 22 F528 SRP _ © GESSRSSE [2868S _ RB",
    ],
)
def test_a_leaf_on_its_head_or_side_does_not_look_like_words(text: str) -> None:
    """These came out of real scans."""
    assert quality_of(text.split()) < 0.75


def test_nothing_is_known_of_nothing_and_little_of_a_few_words() -> None:
    assert quality_of([]) == 0.0 and quality_of(["|", "=", "~~"]) == 0.0
    assert 0 < quality_of(["Yes"]) < quality_of(["Yes", "indeed", "they", "are"]) < 1


# -- Tesseract's data --------------------------------------------------------------------------------------------


def made_data(settings: bytes = b"") -> bytes:
    """A file of language data: three parts, of which the second is missing."""
    offsets = (28 if settings else -1, -1, 28 + len(settings))
    return struct.pack("<i3q", 3, *offsets) + settings + b"the network"


def parts_of(data: bytes) -> tuple[bytes, bytes]:
    """The settings of such a file, and its other part."""
    _, settings, missing, network = struct.unpack_from("<i3q", data)
    assert missing == -1
    return data[settings:network], data[network:]


def test_copies_of_the_data_ask_for_blocks() -> None:
    settings, rest = parts_of(finding_blocks(made_data()))
    assert settings.split() == [b"tessedit_pageseg_mode", b"3"] and rest == b"the network"
    settings, rest = parts_of(finding_blocks(made_data(b"a_setting 1")))
    assert settings.split() == [b"a_setting", b"1", b"tessedit_pageseg_mode", b"3"] and rest == b"the network"


@pytest.mark.parametrize(
    "data", [b"", b"xy", b"\xff" * 40, struct.pack("<i", 2), made_data(b"tessedit_pageseg_mode 5"), made_data()[:20]]
)
def test_data_of_another_make_are_used_as_they_are(data: bytes) -> None:
    assert finding_blocks(data) == data


def test_the_systems_data_are_not_changed(tmp_path: Path) -> None:
    source = tmp_path / "system"
    source.mkdir()
    (source / "eng.traineddata").write_bytes(made_data())
    into = prepared(source, ["eng"], tmp_path / "cache" / "tessdata")
    assert (source / "eng.traineddata").read_bytes() == made_data()
    copy = into / "eng.traineddata"
    before = copy.stat().st_ino
    prepared(source, ["eng"], into)
    assert copy.stat().st_ino == before
    (source / "eng.traineddata").write_bytes(made_data(b"newer 1"))
    prepared(source, ["eng"], into)
    assert b"newer 1" in copy.read_bytes()


def test_languages_that_are_there_are_chosen_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("deu", "eng", "osd"):
        (tmp_path / f"{name}.traineddata").write_bytes(b"")
    assert find_tessdata({"TESSDATA_PREFIX": str(tmp_path)}) == tmp_path
    monkeypatch.setattr("locale.getlocale", lambda: ("fr_FR", "UTF-8"))
    state = recognition_state(tmp_path)
    assert (state.is_available, state.languages) == (True, ("deu", "eng"))
    assert usual_language(state.languages, "de-AT") == "deu"
    assert usual_language(state.languages, "ru") == "eng"
    assert usual_language(("fra", "deu"), "ru") == "fra"
    assert usual_language(("lat",)) == "lat" and usual_language(()) == ""


@pytest.mark.parametrize(
    ("system", "release", "command"),
    [
        ("linux", {"ID": "ubuntu"}, "sudo apt install tesseract-ocr tesseract-ocr-deu"),
        ("linux", {"ID": "linuxmint", "ID_LIKE": "ubuntu debian"}, "sudo apt install tesseract-ocr tesseract-ocr-deu"),
        ("linux", {"ID": "fedora"}, "sudo dnf install tesseract tesseract-langpack-deu"),
        ("linux", {"ID": "arch"}, "sudo pacman -S tesseract tesseract-data-eng tesseract-data-deu"),
        ("linux", {"ID": "opensuse-leap"}, "sudo zypper install tesseract-ocr tesseract-ocr-traineddata-deu"),
        ("darwin", {}, "brew install tesseract tesseract-lang"),
        ("win32", {}, "winget install UB-Mannheim.TesseractOCR"),
    ],
)
def test_the_command_that_installs_it(
    system: str, release: dict[str, str], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr("platform.freedesktop_os_release", lambda: release)
    assert recognition_state(None, "de") == tessdata.RecognitionState(False, (), command)


def test_without_tesseract_the_command_that_installs_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    recogniser = LeafRecogniser(tmp_path / "cache")
    assert not recogniser.state().is_available
    with pytest.raises(ReadDeskError, match=r"needs Tesseract.*Install it: .*tesseract"):
        recogniser.languages_for("")
    (tmp_path / "eng.traineddata").write_bytes(b"")
    assert recogniser.languages_for("eng, eng") == "eng"
    with pytest.raises(ReadDeskError, match=r"no data for deu on this computer; it has eng.*deu"):
        recogniser.languages_for("eng+deu")
    with pytest.raises(ReadDeskError, match="no data for eng; rm") as told:
        recogniser.languages_for("eng; rm")
    assert "rm" not in told.value.hint.removeprefix("Choose from these, or install more, for example: ")


# -- on its way to the text --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    """The document process."""
    made = DocumentReader()
    yield made
    made.close()


def leaves_and_text(reader: DocumentReader, path: Path, found: Recognised) -> tuple[list[LeafHealth], str]:
    """What came out of each leaf, and the whole text."""
    leaves: list[LeafHealth] = []
    text = ""
    for part in reader.read(path, recognised=found):
        if isinstance(part, Layers):
            leaves += part.leaves
        elif isinstance(part, tuple):
            text += "\n".join(paragraph.text for paragraph in part) + "\n"
    return leaves, text


def hash_of(path: Path) -> str:
    """The hash of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_leaf_of_very_many_words_goes_in_pieces(reader: DocumentReader, tmp_path: Path) -> None:
    """No message is over a megabyte; a newspaper's leaf has ten thousand words."""
    path = scans.blank(tmp_path / "scan.pdf")
    words = tuple(
        RecognisedWord(f"word{number}", number // 10, (left, number / 20, left + 40, number / 20 + 1))
        for number in range(9_000)
        for left in [20 + number % 10 * 50]
    )
    leaves, text = leaves_and_text(reader, path, Recognised(hash_of(path), (RecognisedLeaf(0, "eng", 0.7, words),)))
    assert [(leaf.kind, leaf.quality) for leaf in leaves] == [("ocr", 0.7)]
    assert all(f"word{number}" in text for number in range(0, 9_000, 997))


def test_two_who_hand_recognised_leaves_on_at_once_both_get_theirs(tmp_path: Path) -> None:
    """A file is added while another one, whose text was recognised, is read again."""
    service, cancel = DocumentService(), CancelToken()
    files = {number: scans.blank(tmp_path / f"{number}.pdf") for number in (1, 2)}
    for number in files:
        service.take_recognised(number, recognised(0, [f"The words of file {number}."]), cancel=cancel)
    for number, path in files.items():
        parts = service.read(path, None, "pdf", recognised=(number, 1, hash_of(path)), cancel=cancel)
        text = [paragraph.text for part in parts if isinstance(part, tuple) for paragraph in part]
        assert text == [f"The words of file {number}."]


def test_leaves_that_nobody_came_for_are_forgotten(tmp_path: Path) -> None:
    service, cancel = DocumentService(), CancelToken()
    path = scans.blank(tmp_path / "scan.pdf")
    for number in range(1, 10):
        service.take_recognised(number, recognised(0, LINES), cancel=cancel)
    with pytest.raises(DocumentError, match="lost on the way"):
        list(service.read(path, None, "pdf", recognised=(1, 1, hash_of(path)), cancel=cancel))


def test_letters_that_seem_a_little_larger_make_no_heading(reader: DocumentReader, tmp_path: Path) -> None:
    """Sizes of recognised letters are guesses; twice as large is large all the same."""
    path = scans.blank(tmp_path / "scan.pdf")
    words, top = list[RecognisedWord](), 100.0
    for number, (line, scale) in enumerate(
        [("A Heading", 2.0), *((LINES[n % 2], 1.32 if n > 9 else 1) for n in range(12))]
    ):
        left = 72.0
        for word in line.split():
            words.append(RecognisedWord(word, number, (left, top, left + 6 * scale * len(word), top + 10 * scale)))
            left += 6 * scale * (len(word) + 1)
        top += 30 if number == 0 else 16
    found = Recognised(hash_of(path), (RecognisedLeaf(0, "eng", 0.9, tuple(words)),))
    parts = [part for part in reader.read(path, recognised=found) if isinstance(part, tuple)]
    headings = [paragraph.text for part in parts for paragraph in part if paragraph.kind == "heading"]
    assert headings == ["A Heading"]


def test_words_of_another_file_are_not_used(reader: DocumentReader, tmp_path: Path) -> None:
    """Trap 56: the file was replaced between recognising and reading."""
    path = scans.blank(tmp_path / "scan.pdf")
    leaves, text = leaves_and_text(reader, path, Recognised("0" * 64, (recognised(0, LINES),)))
    assert [leaf.kind for leaf in leaves] == ["scan"] and text == ""


# -- the real Tesseract ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recogniser(tesseract: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LeafRecogniser]:
    """The process that recognises."""
    made = LeafRecogniser(tmp_path_factory.mktemp("recogniser"))
    yield made
    made.close()


def lines_of(leaf: RecognisedLeaf) -> list[str]:
    """The lines of a recognised leaf."""
    return own_text(leaf).splitlines()


def accuracy(expected: str, found: str) -> float:
    """The share of characters of a text that are found in that order."""
    blocks = SequenceMatcher(None, expected, found, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(expected)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_scan_is_read_however_it_lies(recogniser: LeafRecogniser, tmp_path: Path, turn: int) -> None:
    """Every word of a made scan, where it is drawn: ink lies in each rectangle, and none outside of all."""
    path = scans.scan(tmp_path / "scan.pdf", [make.LINES], [turn])
    found = recogniser.recognise(path, None, 0, "eng")
    assert lines_of(found) == list(make.LINES) and found.quality > 0.9
    page = pymupdf.open(path)[0]
    pixels = page.get_pixmap(colorspace=pymupdf.csGRAY)
    dark = {(x, y) for x in range(pixels.width) for y in range(pixels.height) if pixels.pixel(x, y)[0] < 120}
    for word in found.words:
        left, top, right, bottom = word.rectangle
        inside = {(x, y) for x, y in dark if left - 1.5 <= x <= right + 0.5 and top - 1.5 <= y <= bottom + 0.5}
        assert inside, word
        dark -= inside
    assert not dark


def test_columns_are_read_one_after_the_other(
    recogniser: LeafRecogniser, reader: DocumentReader, tmp_path: Path
) -> None:
    """Trap 1, on a picture."""
    path = scans.columns(tmp_path / "columns.pdf")
    found = recogniser.recognise(path, None, 0, "eng")
    _, text = leaves_and_text(reader, path, Recognised(hash_of(path), (found,)))
    text = text.replace("\n", " ")
    places = [text.index("A Title")]
    places += [text.index(f"{side} bank, mile {number}") for side in ("left", "right") for number in range(10, 20)]
    assert places == sorted(places)


def test_a_picture_of_nothing_has_no_words(recogniser: LeafRecogniser, tmp_path: Path) -> None:
    found = recogniser.recognise(scans.blank(tmp_path / "blank.pdf"), None, 0, "eng")
    assert found == RecognisedLeaf(0, "eng", 0.0)


def test_a_passage_of_a_real_scan(recogniser: LeafRecogniser, reader: DocumentReader, shared_data: Path) -> None:
    """Of a page of 1884 with a drawing beside its text; hyphens at line ends are joined, too."""
    path = shared_data / "documents" / "pdf" / "scan-huckleberry.pdf"
    found = recogniser.recognise(path, None, 0, "eng")
    _, text = leaves_and_text(reader, path, Recognised(hash_of(path), (found,)))
    passage = text[text.index("He listened") :][: len(HUCKLEBERRY) + 40].replace("\n", " ")
    assert accuracy(HUCKLEBERRY, passage) > 0.98
    assert "minutes and minutes" in passage and "right between my" in passage


def test_a_real_scan_turned_four_ways_reads_the_same(recogniser: LeafRecogniser, shared_data: Path) -> None:
    path = shared_data / "documents" / "pdf" / "scan-rotated-four-ways.pdf"
    texts = [own_text(recogniser.recognise(path, None, leaf, "eng")) for leaf in (0, 1, 2)]
    assert all(accuracy(texts[0], text) > 0.99 for text in texts[1:])


def test_broken_data_are_named(tesseract: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "eng.traineddata").write_bytes(b"nothing of use")
    monkeypatch.setenv("TESSDATA_PREFIX", str(folder))
    recogniser = LeafRecogniser(tmp_path / "cache")
    try:
        with pytest.raises(ReadDeskError, match="cannot use its data for eng"):
            recogniser.recognise(scans.blank(tmp_path / "blank.pdf"), None, 0, "eng")
    finally:
        recogniser.close()
