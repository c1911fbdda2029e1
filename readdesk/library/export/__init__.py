"""Exports: the library's content in formats that other programs read, one file a format."""

from __future__ import annotations

from collections.abc import Callable

from readdesk.library.export.markdown import to_markdown
from readdesk.library.model import DocumentRecord, PageRecord

Exporter = Callable[[DocumentRecord, tuple[PageRecord, ...]], str]

EXPORTERS: dict[str, Exporter] = {"md": to_markdown}
"""Adding a format is adding a record here."""
