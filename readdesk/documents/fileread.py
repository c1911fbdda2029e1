"""All that came out of a file: what the document process streams, put together in the front process.

It goes as one value from the job that read the file to the library that keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from readdesk.documents.model import (
    AUTOMATIC,
    Attachment,
    Choices,
    DocumentHead,
    Health,
    Layers,
    LeafHealth,
    Markup,
    Paragraph,
    Section,
)


@dataclass
class FileRead:
    """A file that was read: where it lies, how it was read, and what it holds."""

    head: DocumentHead
    path: Path
    health: Health
    sections: list[Section] = field(default_factory=list)
    paragraphs: list[Paragraph] = field(default_factory=list)
    choices: Choices = AUTOMATIC
    leaves: list[LeafHealth] = field(default_factory=list)
    markups: list[Markup] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)

    def take(self, layers: Layers) -> None:
        """Add a batch of layers."""
        self.leaves += layers.leaves
        self.markups += layers.markups
        self.attachments += layers.attachments

    def forget(self) -> None:
        """Let go of the text: all at once would be one step of Python's, in which no other thread gets a turn."""
        while self.paragraphs:
            del self.paragraphs[-200:]
