"""Markdown notes: whatever a title, a section or a gist holds is read as text, never as a mark."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from readdesk.documents.normal import one_line
from readdesk.library.export import EXPORTERS
from readdesk.library.model import DocumentRecord, PageRecord
from tests.library.books import gist, page

RECORD = DocumentRecord(1, "A Sample", ("Ann Author",), "en", "text", "/x", "0", 100, 20, "article", (), "2026-01-01")


def to_markdown(record: DocumentRecord, *pages: PageRecord) -> str:
    """The notes as they are exported."""
    return EXPORTERS["md"](record, pages)


def blocks(markdown: str) -> list[tuple[str, str]]:
    """Every block of a Markdown text with its plain words, as an independent reader sees it."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(markdown)
    found = []
    for before, token in zip([Token("", "", 0), *tokens], tokens, strict=False):
        if token.type == "inline":
            assert before.type in ("heading_open", "paragraph_open"), before.type
            found.append((before.tag, _words(token.children or ())))
        else:
            assert token.type in ("heading_open", "heading_close", "paragraph_open", "paragraph_close"), token.type
    return found


def _words(tokens: object) -> str:
    assert isinstance(tokens, list)
    allowed = ("text", "text_special", "em_open", "em_close", "strong_open", "strong_close")
    assert all(token.type in allowed for token in tokens), [token.type for token in tokens]
    return "".join(token.content for token in tokens)


def test_the_notes_of_a_small_book() -> None:
    items = (
        PageRecord(page(1, 0, 10), "One", gist(1, "The ferry left.")),
        PageRecord(page(2, 10, 20), "One", gist(2, "It rained.", flag="cut")),
        PageRecord(page(3, 20, 30), "Two", gist(3, "Two lines.", flag="opening")),
        PageRecord(page(4, 30, 40), "", gist(4, "A motto.", flag="verbatim")),
        PageRecord(page(5, 40, 50), "Two", None),
    )
    assert to_markdown(RECORD, *items) == (
        "# A Sample\n\nAnn Author\n\n*5 pages, gists by tiny.*\n\n"
        "## One\n\n**Page 1** (10 words)\n\nThe ferry left.\n\n"
        "**Page 2** (10 words) — *cut at the length limit*\n\nIt rained.\n\n"
        "## Two\n\n**Page 3** (10 words) — *the page's first sentences: the model could not shorten it*\n\n"
        "Two lines.\n\n"
        "**Page 4** (10 words) — *the page's own words*\n\nA motto.\n\n"
        "**Page 5** (10 words)\n\n*Not read yet.*\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "# no heading",
        "*no* emphasis, __none__, ~~not struck~~",
        "[no](link) and ![no](image) and <b>no</b> tag",
        "file_name_with_underscores and `no code`",
        "1. no list",
        "12) no list",
        "- no list",
        "+ no list",
        "* no list",
        "> no quote",
        "---",
        "===",
        "```no fence",
        "~~~ no fence",
        "a | b",
        "Tom &amp; Jerry & Co &copy; &#35;",
        "a back\\slash and \\# two",
        "https://example.org/a_b_c*d*",
        "two  spaces and a\ttab",
        "ends with a slash\\",
        "[^1]: no note",
        "[x]: /no-definition",
        "☃ $x_1$ 100 % #1",
    ],
)
def test_nothing_is_taken_for_a_mark(text: str) -> None:
    """A text is the same after an independent reader has read the Markdown."""
    record = replace(RECORD, title=text, authors=(text, "Ann"))
    markdown = to_markdown(record, PageRecord(page(1, 0, 10), text, gist(1, text, model="m_o*d")))
    words = one_line(text)
    assert blocks(markdown) == [
        ("h1", words),
        ("p", f"{words}, Ann"),
        ("p", "1 page, gists by m_o*d."),
        ("h2", words),
        ("p", "Page 1 (10 words)"),
        ("p", words),
    ]


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("ab1 .)-+*_#>`~[](){}!|&;<=\\\"'/:\n\té字\u00a0"), min_size=1, max_size=12))
def test_any_gist_is_read_as_text(text: str) -> None:
    markdown = to_markdown(RECORD, PageRecord(page(1, 0, 10), "", gist(1, text)))
    expected = [("p", one_line(text))] if text.strip() else []
    assert blocks(markdown)[3:] == [("p", "Page 1 (10 words)"), *expected][:][0:]


def test_the_file_is_what_was_exported(tmp_path: Path) -> None:
    markdown = to_markdown(RECORD, PageRecord(page(1, 0, 10), "Ärger", gist(1, "Größe – 字 🐟")))
    (tmp_path / "notes.md").write_text(markdown, encoding="utf-8")
    assert (tmp_path / "notes.md").read_text(encoding="utf-8") == markdown and markdown.endswith("🐟\n")
