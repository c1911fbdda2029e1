"""Gist notes as Markdown: sections as headings, pages in order, each with the model that wrote it."""

from __future__ import annotations

import re

from readdesk.documents.normal import one_line
from readdesk.library.model import DocumentRecord, PageRecord

_MARK = re.compile(r"[\\`*_\[\]<>#|~]|&(?=#?\w+;)")
_LIST_MARK = re.compile(r"^(\d*)([-+.)])")

_FLAGS = {
    "verbatim": "the page's own words",
    "cut": "cut at the length limit",
    "opening": "the page's first sentences: the model could not shorten it",
    "crashed": "the page's first sentences: the model crashed on it",
}


def to_markdown(record: DocumentRecord, pages: tuple[PageRecord, ...]) -> str:
    """The gist memory of a document as one Markdown text."""
    models = sorted({item.gist.model for item in pages if item.gist})
    lines = [f"# {_escaped(record.title)}", ""]
    if record.authors:
        lines += [_escaped(", ".join(record.authors)), ""]
    lines += [
        f"*{len(pages)} page{'s' * (len(pages) != 1)}, gists by {_escaped(', '.join(models)) or 'no model yet'}.*",
        "",
    ]
    section = None
    for item in pages:
        if item.section and item.section != section:
            section = item.section
            lines += [f"## {_escaped(section)}", ""]
        recognised = ", recognised text" * item.is_recognised
        lines += [
            f"**Page {item.page.number}** ({item.page.words} words{recognised}){_flag(item)}",
            "",
            _gist(item),
            "",
        ]
    return "\n".join(lines).rstrip() + "\n"


def _gist(item: PageRecord) -> str:
    return _escaped(item.gist.text) if item.gist else "*Not read yet.*"


def _flag(item: PageRecord) -> str:
    words = _FLAGS.get(item.gist.flag) if item.gist else None
    return f" — *{words}*" if words else ""


def _escaped(text: str) -> str:
    """The text on one line, with a backslash before all that Markdown would take for a mark."""
    return _LIST_MARK.sub(r"\1\\\2", _MARK.sub(r"\\\g<0>", one_line(text)))
