"""PDFs put together from their objects: the one place that writes a file's index; nothing of PyMuPDF is needed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def written(path: Path, objects: Mapping[int, bytes], trailer: bytes = b"") -> Path:
    """A PDF of these objects, number 1 being its catalogue, with a right index."""
    places: dict[int, int] = {}
    with path.open("wb") as file:
        file.write(b"%PDF-1.7\n")
        for number, body in objects.items():
            places[number] = file.tell()
            file.write(b"%d 0 obj\n" % number + body + b"\nendobj\n")
        start, count = file.tell(), max(objects) + 1
        file.write(b"xref\n0 %d\n" % count)
        for number in range(count):
            file.write(b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 65535 f \n")
        file.write(b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (count, trailer, start))
    return path
