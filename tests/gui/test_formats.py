"""Every format that opens has a name, an icon and a place in the dialog that asks for files."""

from __future__ import annotations

from typing import get_args

import pytest

from readdesk.documents.model import Format
from readdesk.gui.choosing import BOOKS
from readdesk.gui.estimates import format_words
from readdesk.gui.itemmodels.shelfmodel import _ICONS
from readdesk.gui.theme import Theme

ENDINGS = {"text": "txt", "markdown": "md"}


@pytest.mark.parametrize("format", get_args(Format))
def test_a_format_is_named_and_can_be_chosen(format: Format, theme: Theme) -> None:
    assert format_words(format)
    assert ENDINGS.get(format, format) in BOOKS
    assert not theme.icon(_ICONS[format]).isNull()
