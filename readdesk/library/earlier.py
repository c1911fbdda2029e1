"""Documents that an earlier ReadDesk has read: what this one finds in their files, without what was made of them going.

Newer rules for furniture, columns and hyphens make another text of the same file, and hours of gists are tied to the
old one. So a text that has pages stays as it is; what lies beside it (leaves, labels, notes, attached files) is taken
in, and a person is told how to have the text read anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from readdesk.documents.fileread import FileRead
from readdesk.documents.model import Paragraph, Section
from readdesk.library.model import DocumentRecord


def with_text_of(
    read: FileRead, record: DocumentRecord, sections: Sequence[Section], paragraphs: Sequence[Paragraph]
) -> FileRead:
    """What was read of a file, but for its text, which is that of the document."""
    health = replace(
        read.health,
        characters=record.characters,
        words=record.words,
        sections=len(sections),
        paragraphs=len(paragraphs),
        language=record.language,
        structure=record.structure,
        sectioned=(),
        notes=(*read.health.notes, old_text_words()),
    )
    return replace(read, health=health, sections=list(sections), paragraphs=list(paragraphs))


def old_text_words() -> str:
    """What a person is told of a text that stays as it was."""
    return (
        "Its text is as an earlier ReadDesk read it, so that its gists stay; this one reads some of it in another way "
        "(to have that, add the file with --again)."
    )
