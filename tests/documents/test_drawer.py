"""Drawing, with the real process, real files and the shared memory between.

Samples are raw PDF and image bytes. Whether a rectangle is where its characters are is seen in the pixels: there must
be ink in it. Only "stops within a second" is timed.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.documents import drawer as drawer_module
from readdesk.documents.drawer import LeafDrawer
from readdesk.documents.model import DocumentHead, LeafSpot, Paragraph, Picture
from readdesk.documents.open import DocumentReader
from readdesk.errors import DocumentError, PasswordNeeded
from tests.documents.drawing import RED, WHITE, contrast, dark, heavy, pdf, pixel, written
from tests.samples.hostile import HOSTILE, one_leaf, stream
from tests.test_layers import NEVER_IN_FRONT, loaded

ROOT = Path(__file__).resolve().parents[2]
SHARED_MEMORY = Path("/dev/shm")
ON_LINUX = pytest.mark.skipif(not SHARED_MEMORY.is_dir(), reason="shared memory is a folder on Linux only")
PATIENCE = 20.0


@pytest.fixture(scope="module")
def drawer() -> Iterator[LeafDrawer]:
    """A drawer for what does not harm it."""
    drawer = LeafDrawer()
    yield drawer
    drawer.close()


@pytest.fixture
def fresh() -> Iterator[LeafDrawer]:
    """A drawer that may be harmed."""
    drawer = LeafDrawer()
    yield drawer
    drawer.close()


@pytest.fixture
def pdfs(shared_data: Path) -> Path:
    """The folder of real PDFs."""
    return shared_data / "documents" / "pdf"


# -- leaves --------------------------------------------------------------------------------------------------------


def test_every_leaf_of_a_real_book_has_its_size_and_label(drawer: LeafDrawer, pdfs: Path) -> None:
    leaves = drawer.open(pdfs / "zsh-manual.pdf", None)
    assert len(leaves) == 480
    assert [leaves[index].label for index in (0, 2, 9, 479)] == ["T-1", "i", "1", "471"]
    assert {(round(leaf.width), round(leaf.height)) for leaf in leaves} == {(595, 842)}


@pytest.mark.parametrize("name", ["debian-policy", "geotopo-de", "tracemonkey-two-column", "zsh-manual"])
def test_labels_are_those_that_the_import_keeps(drawer: LeafDrawer, pdfs: Path, name: str) -> None:
    reader = DocumentReader()
    head = next(part for part in reader.read(pdfs / f"{name}.pdf") if isinstance(part, DocumentHead))
    reader.close()
    leaves = drawer.open(pdfs / f"{name}.pdf", None)
    assert [leaf.label for leaf in leaves] == list(head.labels or [""] * head.leaves)


def test_a_leaf_is_drawn_as_large_as_asked_and_has_ink(drawer: LeafDrawer, pdfs: Path) -> None:
    for scale, size in ((1.5, (893, 1263)), (0.2, (119, 168))):
        picture = drawer.leaf(pdfs / "zsh-manual.pdf", None, 20, scale)
        assert (picture.width, picture.height) == size
        assert 0.01 < len(dark(picture, 200)) / (picture.width * picture.height) < 0.5
        assert pixel(picture, 0, 0) == WHITE


def test_sizes_are_those_of_the_leaf_as_it_is_drawn(drawer: LeafDrawer, pdfs: Path, tmp_path: Path) -> None:
    box = "/CropBox [50 100 250 350]"
    entries = (box, f"{box} /Rotate 90", "/CropBox [-9 -9 900 900] /Rotate 180", f"{box} /Rotate -90 /UserUnit 2")
    path = pdf(tmp_path / "boxes.pdf", [(written("Here", 100, 200), entry) for entry in entries])
    leaves = drawer.open(path, None)
    assert [(leaf.width, leaf.height) for leaf in leaves] == [(200, 250), (250, 200), (300, 400), (500, 400)]
    for index, leaf in enumerate(leaves):
        picture = drawer.leaf(path, None, index, 1.5)
        assert (picture.width, picture.height) == (1.5 * leaf.width, 1.5 * leaf.height)
    turns = drawer.open(pdfs / "rotated-landscape-page.pdf", None)
    assert [leaf.width > leaf.height for leaf in turns] == [False, True]


def test_annotations_are_drawn(drawer: LeafDrawer, tmp_path: Path) -> None:
    look = (
        "<< /Type /XObject /Subtype /Form /BBox [0 0 50 50] /Length 23 >>\nstream\n1 0 0 rg 0 0 50 50 re f\nendstream"
    )
    stamp = "<< /Type /Annot /Subtype /Stamp /Rect [100 100 150 150] /F 4 /AP << /N 5 0 R >> >>"
    picture = drawer.leaf(pdf(tmp_path / "note.pdf", [("", "/Annots [4 0 R]")], (stamp, look)), None, 0, 1.0)
    assert (pixel(picture, 125, 400 - 125), pixel(picture, 200, 200)) == (RED, WHITE)


def test_a_drawing_never_has_more_than_24_megapixels(drawer: LeafDrawer, pdfs: Path, tmp_path: Path) -> None:
    picture = drawer.leaf(pdfs / "zsh-manual.pdf", None, 20, 50.0)
    assert pixel(picture, 0, 0) == WHITE
    assert 23_900_000 < picture.width * picture.height <= 24_010_000
    assert picture.width / picture.height == pytest.approx(595.28 / 841.89, rel=0.001)
    long = pdf(tmp_path / "long.pdf", [("", "/MediaBox [0 0 10 14000]")])
    strip, dot = drawer.leaf(long, None, 0, 1000.0), drawer.leaf(long, None, 0, 0.0)
    assert 20_000_000 < strip.width * strip.height <= 24_200_000
    assert (dot.width, dot.height) == (1, 1)


def test_a_file_that_has_changed_is_read_again(drawer: LeafDrawer, tmp_path: Path) -> None:
    path = pdf(tmp_path / "changing.pdf", [("", "")])
    assert len(drawer.open(path, None)) == 1
    assert len(drawer.open(pdf(path, [("", ""), ("", "")]), None)) == 2


# -- where characters are ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["", "/UserUnit 1.5"])
@pytest.mark.parametrize("box", ["", "/CropBox [40 60 290 380]"])
@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_rectangles_hold_the_ink_of_their_characters_and_no_other(
    drawer: LeafDrawer, tmp_path: Path, turn: int, box: str, unit: str
) -> None:
    words = written("HHH MMM WWW", 60, 250, 24) + written("XXX", 60, 200, 24)
    path = pdf(tmp_path / "words.pdf", [(words, f"{box} {unit} /Rotate {turn}")])
    spots = tuple(LeafSpot(0, start, start + 3) for start in (0, 4, 8, 12))
    ink = dark(drawer.leaf(path, None, 0, 2.0))
    counted = 0
    for spot in drawer.locate(path, None, spots):
        ((left, top, right, bottom),) = (tuple(2 * value for value in found) for found in spot.rectangles)
        inside = {(x, y) for x, y in ink if left - 1 <= x <= right and top - 1 <= y <= bottom}
        assert len(inside) > 200
        counted += len(inside)
    assert counted == len(ink), "no ink is outside, or in two of them"


def test_a_part_of_a_word_has_a_part_of_its_rectangle(drawer: LeafDrawer, tmp_path: Path) -> None:
    path = pdf(tmp_path / "line.pdf", [(written("one two", 60, 250) + written("three", 60, 200), "")])
    spans = ((0, 3), (1, 2), (0, 13), (3, 4), (90, 95))
    kept = ((1.0, 2.0, 3.0, 4.0),)
    located = drawer.locate(path, None, tuple(LeafSpot(0, start, end, kept) for start, end in spans))
    assert [(spot.start, spot.end) for spot in located] == list(spans)
    word, letter, all_of_it, space, beyond = (spot.rectangles for spot in located)
    ((left, top, right, bottom),), ((inner, _, outer, _),) = word, letter
    assert left < inner < outer < right
    first, second = all_of_it
    assert first[:2] == (left, top) and first[2] > right and second[1] >= bottom - 5
    ((start, _, end, _),) = space
    assert right - 1 <= start < end <= first[2] and end - start < outer - left, "a space has its own place"
    assert beyond == kept, "what is not there stays where it was"
    assert drawer.locate(path, None, (LeafSpot(7, 0, 3, kept),)) == (LeafSpot(7, 0, 3, kept),)


REAL = (
    *("tracemonkey-two-column", "debian-policy", "tables-nics-rotated", "rotated-landscape-page", "damaged-streams"),
    *("geotopo-de", "debmake-doc-zh-cn", "rotated-arabic", "derived-owner-only-no-copy-fhs"),
)


def words_of(path: Path, count: int) -> tuple[LeafSpot, ...]:
    """Spots of random words of a document, as the import found them, without their rectangles."""
    reader = DocumentReader()
    paragraphs: list[Paragraph] = []
    for part in reader.read(path):
        paragraphs += part if isinstance(part, tuple) else ()
    reader.close()
    chance = random.Random(path.name)
    spots: list[LeafSpot] = []
    while len(spots) < count:
        paragraph = chance.choice(paragraphs)
        word = chance.choice(paragraph.text.split())
        start = paragraph.text.index(word)
        anchor = paragraph.anchor_of(start, start + len(word))
        spots += (LeafSpot(spot.leaf, spot.start, spot.end) for spot in anchor.spots if isinstance(spot, LeafSpot))
    return tuple(spots)


@pytest.mark.parametrize("name", REAL)
def test_words_of_real_files_are_found_where_they_are_drawn(drawer: LeafDrawer, pdfs: Path, name: str) -> None:
    path = pdfs / f"{name}.pdf"
    drawn: dict[int, Picture] = {}
    for spot in drawer.locate(path, None, words_of(path, 60)):
        if spot.leaf not in drawn:
            drawn[spot.leaf] = drawer.leaf(path, None, spot.leaf, 2.0)
        assert spot.rectangles, spot
        assert all(contrast(drawn[spot.leaf], rectangle, 2.0) > 60 for rectangle in spot.rectangles), spot


COMPARE = """
import json, sys
from readdesk.documents.pdf.file import pymupdf, silence
from readdesk.documents.pdf.readable import own_lines
from readdesk.documents.render import _lines
silence()
leaves, characters, differing = 0, 0, []
for path in sys.argv[1:]:
    for page in pymupdf.open(path):
        text = "\\n".join(text for text, _, _ in own_lines(page))
        other = "\\n".join("".join(glyph for glyph, _ in line) for line in _lines(page.parent, page.number))
        leaves, characters = leaves + 1, characters + len(text)
        differing += [(path, page.number)] if text != other else []
print(json.dumps([leaves, characters, differing]))
"""


def test_offsets_count_the_same_text_as_the_import(pdfs: Path) -> None:
    """Of every leaf, character for character: "dict" is what a leaf's own text is made of, "rawdict" has rectangles."""
    closed = ("encrypted-user", "encrypted-aes256-user", "derived-encrypted", "damaged-header", "damaged-empty")
    files = [str(path) for path in sorted(pdfs.glob("*.pdf")) if not path.name.startswith(closed)]
    command = [sys.executable, "-c", COMPARE, *files]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=300)
    leaves, characters, differing = json.loads(done.stdout)
    assert leaves > 900 and characters > 2_000_000
    assert differing == []


# -- files that do not open ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("encrypted-user-password", "openpassword"),
        ("encrypted-aes256-user-password", "asdfzxcv"),
        ("derived-encrypted-developers-reference", "readdesk-user"),
    ],
)
def test_a_locked_file_asks_for_its_password(drawer: LeafDrawer, pdfs: Path, name: str, password: str) -> None:
    path = pdfs / f"{name}.pdf"
    with pytest.raises(PasswordNeeded) as missing:
        drawer.open(path, None)
    assert missing.value.message == f"{name}.pdf is locked with a password."
    assert missing.value.hint == "Type it to open the file."
    with pytest.raises(PasswordNeeded, match="is wrong"):
        drawer.open(path, "sesame")
    assert drawer.open(path, password)
    assert len(dark(drawer.leaf(path, password, 0, 1.0))) > 50
    with pytest.raises(PasswordNeeded):
        drawer.leaf(path, None, 0, 1.0)
    assert len(drawer.open(pdfs / "encrypted-aes256-owner-only.pdf", None)) == 1, "locked only against changes"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("damaged-header-only.pdf", "damaged"),
        ("damaged-empty-file.pdf", "damaged"),
        ("derived-truncated-zsh.pdf", "no page is left in it"),
        ("not-there.pdf", "not-there.pdf cannot be read: No such file or directory"),
        ("../epub/moby-dick.epub", "moby-dick.epub is damaged"),
    ],
)
def test_a_damaged_file_is_one_sentence(drawer: LeafDrawer, pdfs: Path, name: str, sentence: str) -> None:
    with pytest.raises(DocumentError, match=sentence):
        drawer.open(pdfs / name, None)
    with pytest.raises(DocumentError, match=sentence):
        drawer.leaf(pdfs / name, None, 0, 1.0)


def test_a_repaired_file_is_drawn_and_a_missing_leaf_is_a_sentence(drawer: LeafDrawer, pdfs: Path) -> None:
    for name in ("damaged-streams", "damaged-object-header", "damaged-xref-missing", "derived-truncated-warn"):
        assert len(dark(drawer.leaf(pdfs / f"{name}.pdf", None, 0, 1.0))) > 50
    with pytest.raises(DocumentError, match=r"Leaf 6 of damaged-streams\.pdf is damaged and cannot be drawn"):
        drawer.leaf(pdfs / "damaged-streams.pdf", None, 5, 1.0)


# -- stopping, crashing, never ending ------------------------------------------------------------------------------


class Aside(threading.Thread):
    """Runs something in a thread and keeps what was raised, and when."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__()
        self._work = work
        self.error: BaseException | None = None
        self.ended = 0.0
        self.start()

    def run(self) -> None:
        try:
            self._work()
        except BaseException as error:
            self.error = error
        self.ended = time.monotonic()


def begun(drawer: LeafDrawer, path: Path, cancel: CancelToken | None = None) -> Aside:
    """The heavy leaf in work: the process has computed for a moment."""
    drawer.open(path, None)
    process = psutil.Process(drawer._worker.pid)
    before = sum(process.cpu_times()[:2])
    aside = Aside(lambda: drawer.leaf(path, None, 0, 1.5, cancel))
    deadline = time.monotonic() + PATIENCE
    while sum(process.cpu_times()[:2]) < before + 0.3:
        assert time.monotonic() < deadline and aside.is_alive()
        time.sleep(0.01)
    return aside


def test_a_heavy_leaf_stops_within_a_second_and_the_next_is_drawn(fresh: LeafDrawer, tmp_path: Path) -> None:
    path, token = heavy(tmp_path / "heavy.pdf"), CancelToken()
    aside, process = begun(fresh, path, token), fresh._worker.pid
    asked = time.monotonic()
    token.cancel()
    aside.join(PATIENCE)
    assert isinstance(aside.error, Cancelled)
    assert aside.ended - asked < 1.0
    assert len(dark(fresh.leaf(path, None, 1, 1.5))) > 50
    assert fresh._worker.pid == process, "the process need not die for it"


def test_a_crash_is_one_sentence_and_the_next_request_works(fresh: LeafDrawer, tmp_path: Path) -> None:
    path = heavy(tmp_path / "heavy.pdf")
    aside = begun(fresh, path)
    fresh._worker.kill()
    aside.join(PATIENCE)
    assert isinstance(aside.error, DocumentError)
    assert aside.error.message == "Leaf 1 of heavy.pdf makes the program that draws it crash."
    assert len(dark(fresh.leaf(path, None, 1, 1.5))) > 50


def test_a_leaf_that_never_ends_is_one_sentence(
    fresh: LeafDrawer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = heavy(tmp_path / "heavy.pdf")
    fresh.open(path, None)
    with monkeypatch.context() as patch, pytest.raises(DocumentError, match=r"Leaf 1 of heavy\.pdf takes too long to"):
        patch.setattr(drawer_module, "SILENCE_SECONDS", 1.0)
        fresh.leaf(path, None, 0, 1.5)
    assert len(dark(fresh.leaf(path, None, 1, 1.5))) > 50


# -- leaves that take long -----------------------------------------------------------------------------------------

A_MOMENT = 0.5


@pytest.mark.parametrize("name", ["strokes", "form-laughs"])
def test_a_leaf_that_takes_for_ever_is_shown_as_far_as_it_is_drawn(
    fresh: LeafDrawer, tmp_path: Path, name: str
) -> None:
    """Trap 12: what there was time for is a picture that says so, and the process that draws lives on."""
    path, easy = HOSTILE[name](tmp_path / "hostile.pdf"), pdf(tmp_path / "easy.pdf", [(written("Easy", 100, 200), "")])
    whole = fresh.leaf(easy, None, 0, 1.5)
    process = fresh._worker.pid
    for is_coarse, size in ((False, (918, 1188)), (True, (306, 396)), (False, (918, 1188))):
        picture = fresh.leaf(path, None, 0, 1.5, seconds=A_MOMENT, is_coarse=is_coarse)
        assert picture.lack == "rest"
        assert (picture.width, picture.height) == size
        words = {(x, y) for x, y in dark(picture, 200) if y < 0.2 * picture.height}
        assert len(words) > 20, "the line of text comes first"
        assert pixel(picture, 0, 0) == WHITE
        assert fresh.leaf(easy, None, 0, 1.5) == whole, "what comes next is whole, and as it was before"
    assert fresh._worker.pid == process


def test_what_was_painted_into_a_transparent_group_is_shown_too(fresh: LeafDrawer, tmp_path: Path) -> None:
    drawn = b"1 0 0 RG 9 w " + b"\n".join(b"%d 0 m %d 700 l S" % (x % 600, x % 599) for x in range(60_000))
    words = b"/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Group << /S /Transparency /I true >>"
    path = one_leaf(
        tmp_path / "group.pdf",
        b"/G gs /X Do",
        resources=b"/XObject << /X 10 0 R >> /ExtGState << /G << /ca 0.5 /CA 0.5 >> >>",
        more={10: stream(drawn, words)},
    )
    picture = fresh.leaf(path, None, 0, 1.0, seconds=A_MOMENT)
    red, green, blue = pixel(picture, 2, 700)
    assert picture.lack == "rest"
    assert red == 255 and 100 < green == blue < 160


def test_a_coarse_leaf_is_whole_but_says_that_it_lacks_detail(drawer: LeafDrawer, pdfs: Path) -> None:
    fine, coarse = (drawer.leaf(pdfs / "zsh-manual.pdf", None, 20, 1.5, is_coarse=flag) for flag in (False, True))
    assert (fine.lack, coarse.lack) == ("", "detail")
    assert (fine.width, coarse.width) == (893, 298)
    assert all({y // (picture.height // 10) for _, y in dark(picture, 200)} >= {1, 5, 8} for picture in (fine, coarse))
    assert drawer.leaf(pdfs / "zsh-manual.pdf", None, 20, 1.5) == fine, "smooth again"


def test_an_order_to_stop_what_is_done_does_not_stop_what_comes_next(fresh: LeafDrawer, pdfs: Path) -> None:
    whole = fresh.leaf(pdfs / "zsh-manual.pdf", None, 20, 1.5)
    for _ in range(300):  # More than there are numbers of orders.
        fresh._line.stop(fresh._line._order)
        assert fresh.leaf(pdfs / "zsh-manual.pdf", None, 20, 0.1).lack == ""
    assert fresh.leaf(pdfs / "zsh-manual.pdf", None, 20, 1.5) == whole


def test_a_process_that_was_started_again_can_be_stopped_too(fresh: LeafDrawer, tmp_path: Path) -> None:
    path = heavy(tmp_path / "heavy.pdf")
    for is_killed in (True, False):
        assert fresh.leaf(path, None, 0, 1.5, seconds=A_MOMENT).lack == "rest"
        if is_killed:
            fresh._worker.kill()
            fresh._worker._process.join(PATIENCE)
        else:
            fresh.close()
    assert fresh.leaf(path, None, 0, 1.5, seconds=A_MOMENT).lack == "rest"


FOR_EVER = """
import sys
from readdesk.documents.pdf import painting
from readdesk.documents.stopline import StopLine

painting._LIFE_SECONDS = 1
line = StopLine()
line.__getstate__()
painter = painting.Painter(line)
page = painting.pymupdf.open(sys.argv[1])[0]
print(painter.paint(page, (600, 800), line.next_order())[1])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="there are no alarms on Windows")
def test_a_drawing_that_nobody_waits_for_any_more_ends_by_itself(tmp_path: Path) -> None:
    """A front process that was killed can order nothing, and a process that draws does not see that it is gone."""
    path = HOSTILE["form-laughs"](tmp_path / "laughs.pdf")
    easy = pdf(tmp_path / "easy.pdf", [(written("Easy", 100, 200), "")])
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ends = [
        subprocess.run(
            [sys.executable, "-c", FOR_EVER, str(file)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        for file in (easy, path)
    ]
    assert [(end.returncode, end.stdout.strip()) for end in ends] == [(0, "True"), (-signal.SIGALRM, "")]


def test_words_of_a_leaf_that_takes_long_are_found(fresh: LeafDrawer, tmp_path: Path) -> None:
    path = HOSTILE["strokes"](tmp_path / "strokes.pdf")
    fresh.leaf(path, None, 0, 1.0, seconds=A_MOMENT)
    (line,) = fresh.glyphs(path, None, 0)
    assert len(line.edges) == 4 * len("It was a bright cold day in April.")
    (spot,) = fresh.locate(path, None, (LeafSpot(0, 9, 15),))
    ((left, top, right, bottom),) = spot.rectangles
    assert 72 < left < right < 300 and 70 < top < 92 < bottom < 100


# -- shared memory -------------------------------------------------------------------------------------------------


def blocks() -> set[str]:
    """The blocks of shared memory that there are."""
    return {path.name for path in SHARED_MEMORY.iterdir()}


@ON_LINUX
def test_the_canvas_grows_and_is_gone_after_close(fresh: LeafDrawer, pdfs: Path) -> None:
    names, drawn = [], []
    for scale in (1.0, 1.5, 4.0, 1.5):
        drawn.append(fresh.leaf(pdfs / "zsh-manual.pdf", None, 20, scale))
        assert fresh._canvas is not None
        names.append(fresh._canvas.name)
        assert blocks() & set(names) == {names[-1]}
    assert names[0] == names[1] != names[2] == names[3], "a new one only where a drawing did not fit"
    assert len(drawn[2].pixels) > 20_000_000 and drawn[1] == drawn[3], "pixels are copied out"
    fresh.close()
    assert not blocks() & set(names)
    assert fresh.leaf(pdfs / "zsh-manual.pdf", None, 20, 1.5) == drawn[1], "a closed drawer starts again when asked"


FRONT = """
import sys
from pathlib import Path
from readdesk.documents.drawer import LeafDrawer

def main():
    drawer = LeafDrawer()
    for scale in (1.0, 4.0, 1.0):
        drawer.leaf(Path(sys.argv[1]), None, 3, scale)
        drawer._worker.kill()
        drawer._worker._process.join()
        print(drawer._canvas.name, flush=True)
    if sys.argv[2] == "close":
        drawer.close()
    else:
        sys.stdin.read()

if __name__ == "__main__":
    main()
"""


@ON_LINUX
@pytest.mark.parametrize("end", ["close", "kill"])
def test_no_shared_memory_outlives_the_program(pdfs: Path, tmp_path: Path, end: str) -> None:
    (tmp_path / "front.py").write_text(FRONT, encoding="ascii")
    command = [sys.executable, str(tmp_path / "front.py"), str(pdfs / "zsh-manual.pdf"), end]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)
    assert process.stdout is not None
    names = {process.stdout.readline().strip() for _ in range(3)}
    if end == "kill":
        process.kill()
    _, errors = process.communicate(timeout=PATIENCE)
    if end == "close":
        assert (errors, process.returncode) == ("", 0), "nothing is left for the resource tracker to complain about"
    deadline = time.monotonic() + PATIENCE
    while names & blocks():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert len(names) == 2


def test_the_front_process_loads_no_parser() -> None:
    assert loaded("import readdesk.documents.drawer", *NEVER_IN_FRONT) == []
