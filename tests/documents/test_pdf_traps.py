"""Traps that only show where processes meet: heavy leaves, long files, two readers at once, what is loaded.

Nothing is timed here; how long things take is measured by `tests/bench/pdf.py`.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymupdf as typed_in_part
import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.documents.drawer import LeafDrawer
from readdesk.documents.model import DocumentHead, Paragraph
from readdesk.documents.open import DocumentReader, Part, ReadSoFar
from readdesk.documents.service import DocumentService
from tests.documents.drawing import heavy
from tests.documents.reading import collect, read
from tests.samples import make

pymupdf: Any = typed_in_part
_MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    """The real process."""
    reader = DocumentReader()
    yield reader
    reader.close()


def test_a_heavy_leaf_is_given_up_and_the_next_one_drawn(tmp_path: Path) -> None:
    """Trap 12: a leaf of very many strokes is drawn in a process of its own, which a cancel ends at once."""
    path, light = heavy(tmp_path / "heavy.pdf"), make.pdf(tmp_path / "light.pdf", [make.lines(make.LINES)])
    drawer, cancel = LeafDrawer(), CancelToken()
    try:
        drawer.open(path)
        threading.Timer(0.2, cancel.cancel).start()
        with pytest.raises(Cancelled):
            drawer.leaf(path, None, 0, 4.0, cancel)
        assert drawer.leaf(light, None, 0, 1.0).width > 0
    finally:
        drawer.close()


def test_a_long_file_comes_in_small_messages(tmp_path: Path, reader: DocumentReader) -> None:
    """Trap 13: 1,400 leaves; no message is large, and how far it has come is told all the time."""
    path = make.pdf(tmp_path / "long.pdf", [make.lines(make.LINES * 6)] * 1_400)
    parts: list[Part] = []
    told: list[Part] = []
    for part in reader.read(path):
        assert len(pickle.dumps(part)) < _MEGABYTE
        (told if isinstance(part, ReadSoFar) else parts).append(part)
    reading = collect(iter(parts))
    assert reading.head.leaves == len(reading.layers.leaves) == 1_400
    assert len(told) > 80
    assert {piece.spot.leaf for p in reading.document.paragraphs for piece in p.pieces} == set(range(1_400))  # type: ignore[union-attr]


def test_two_who_read_at_once_both_get_all(tmp_path: Path, reader: DocumentReader) -> None:
    """Trap 14: PyMuPDF is no place for two at once, so the second waits for the first, whoever asks."""
    paths = [
        make.pdf(
            tmp_path / f"{name}.pdf", [make.lines([f"{name} {n} {line}" for line in make.LINES]) for n in range(60)]
        )
        for name in ("one", "two")
    ]
    found: dict[Path, tuple[Paragraph, ...]] = {}

    def take(path: Path) -> None:
        found[path] = collect(reader.read(path)).document.paragraphs

    threads = [threading.Thread(target=take, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {path: read(path).document.paragraphs for path in paths} == found


def test_the_layout_part_of_the_library_is_kept_out() -> None:
    """Trap 64: it costs 140 MB and half a second, and nobody uses it."""
    code = (
        "import sys, readdesk.documents.service, readdesk.documents.render\n"
        "print([name for name in sys.modules if 'onnx' in name], sys.modules['pymupdf.layout'], "
        "'pymupdf' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[] None True"


def test_characters_are_not_fetched_for_an_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trap 65: characters cost four times what spans do, so an ordinary text is read without them."""
    asked: list[bool] = []
    real = pymupdf.TextPage._textpage_dict

    def noticed(self: Any, raw: bool = False) -> Any:
        asked.append(raw)
        return real(self, raw)

    monkeypatch.setattr(pymupdf.TextPage, "_textpage_dict", noticed)
    path = make.pdf(tmp_path / "plain.pdf", [make.lines(make.LINES)] * 3)
    parts = list(DocumentService().read(path, None, "pdf", cancel=CancelToken()))
    assert isinstance(next(part for part in parts if not isinstance(part, ReadSoFar)), DocumentHead)
    assert asked == [False] * 3
    with pymupdf.open(path) as document:
        document[0].get_text("rawdict")
    assert asked.pop(), "this is how it would have been noticed"
