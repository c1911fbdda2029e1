"""Exporting a document's gists to a file, in one step: the old file stays until the new one is whole."""

from __future__ import annotations

import os
from pathlib import Path

from readdesk.errors import ReadDeskError
from readdesk.jobs.events import Started
from readdesk.jobs.lane import Steps
from readdesk.jobs.recognise import must_have_text
from readdesk.library.export import EXPORTERS
from readdesk.library.store import Library


def export(number: int, library: Library, document: int, form: str, target: Path | None) -> Steps:
    """Write the gists of the model that wrote last; comes to the file, or to the text without a target."""
    record = library.documents.get(document)
    yield Started(number, f"Exporting \u201c{record.title}\u201d")
    models = library.gists.models(record)
    if not models:
        must_have_text(record)
        raise ReadDeskError(
            f"\u201c{record.title}\u201d has no gists to export.",
            "Let a model read it first.",
            f"First run: readdesk gist {record.id}",
        )
    text = EXPORTERS[form](record, library.gists.pages(record, models[0]))
    if target is None:
        return text
    place = target.expanduser().resolve()
    if place.exists() and not place.is_file():
        raise ReadDeskError(f"{target} is no ordinary file.", "Choose another name.", "Name a file with -o.")
    draft = place.with_name(f".{place.name}.{os.getpid()}.new")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(place)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ReadDeskError(
            f"{target} cannot be written ({error.strerror}).", "Choose another place.", "Name another file with -o."
        ) from error
    return place
