from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from markdown_it import MarkdownIt

from readdesk.cancel import CancelToken
from readdesk.documents.draft import Draft, Start, Told
from readdesk.documents.health import HealthCollector
from readdesk.documents.markdown.frontmatter import FrontMatter, front_matter_of
from readdesk.documents.markdown.reader import read as read_markdown
from readdesk.documents.model import Choices, TextSpot
from tests.documents.reading import Reading, bare, check_random_spans, read, text_resolver
from tests.samples import make

ROOT = Path(__file__).resolve().parents[2]

PAGE = """---
title: "The Boat"
author: [Ann Author, Ben Other]
lang: en
---

# The *Boat*[^1]

It was **late** & dark &amp; 5 \\* 6. See [the boat](http://example.org/boat "boat") boat.
Line two with `co de`, ``a ` b``.\\
Hard break <http://example.org/a> ~~gone~~ ***both*** **open

> Quote line
> two [ref] here

1) One
2) Two

   second

   - nested
     more

| a | b \\| c |
|---|---|
| `x` | boat **z** |

```python
def f():

    return 1
```

<div>Raw &lt; <b>html</b><!-- unseen --></div><script>never()</script>

Setext
======

![A picture of a boat](boat.png) follows[^none]

### Three ###

[ref]: http://example.org/ref

[^1]: The note
    goes on.
"""


def of(tmp_path: Path, text: str, name: str = "page.md") -> Reading:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    return read(path)


def check_pieces(drafts: Sequence[Any], text: str) -> None:
    """Every piece is, one for one, the characters of its spot, and no character is in two paragraphs."""
    found: list[int] = []
    for draft in drafts:
        for piece in draft.pieces:
            assert isinstance(piece.spot, TextSpot)
            ours, theirs = draft.text[piece.start : piece.end], text[piece.spot.start : piece.spot.end]
            assert len(ours) == len(theirs)
            assert all(a == b or (a.isspace() and b.isspace()) or b == "\0" for a, b in zip(ours, theirs, strict=True))
            found += range(piece.spot.start, piece.spot.end)
    assert len(found) == len(set(found))


def test_a_page(tmp_path: Path) -> None:
    reading = of(tmp_path, PAGE)
    head = reading.head
    assert (head.title, head.authors, head.language) == ("The Boat", ("Ann Author", "Ben Other"), "en")
    assert head.format == "markdown" and reading.health.structure == "headings"
    assert [(section.title, section.level) for section in reading.document.sections] == [
        ("The Boat", 1),
        ("Setext", 1),
        ("Three", 2),
    ]
    assert reading.kinds == [
        ("heading", "The Boat 1"),
        (
            "text",
            "It was late & dark & 5 * 6. See the boat boat. Line two with co de, a ` b.\n"
            "Hard break http://example.org/a gone both **open",
        ),
        ("text", "Quote line two ref here"),
        ("item", "One"),
        ("item", "Two"),
        ("item", "second"),
        ("item", "nested more"),
        ("table", "a\tb | c"),
        ("table", "x\tboat z"),
        ("code", "def f():\n\n    return 1"),
        ("text", "Raw < html"),
        ("heading", "Setext"),
        ("text", "follows[^none]"),
        ("heading", "Three"),
        ("note", "The note goes on."),
    ]
    check_pieces(reading.document.paragraphs, PAGE)
    plain = "# Boat\n\nIt was *late*\n\n- and dark"
    check_random_spans(of(tmp_path, plain).document, text_resolver(plain), 40)


def test_marks(tmp_path: Path) -> None:
    paragraphs = of(tmp_path, PAGE).document.paragraphs
    set_as = [
        (mark.kind, found.text[mark.start : mark.end] or mark.value) for found in paragraphs for mark in found.marks
    ]
    assert set_as == [
        ("emphasis", "Boat"),
        ("note", "1"),
        ("strong", "late"),
        ("code", "co de"),
        ("code", "a ` b"),
        ("strong", "both"),
        ("emphasis", "both"),
        ("label", "1)"),
        ("label", "2)"),
        ("label", "•"),
        ("strong", "a"),
        ("strong", "b | c"),
        ("code", "x"),
        ("strong", "z"),
        ("alt", "A picture of a boat"),
        ("label", "1"),
        ("target", "1"),
    ]
    assert [found.level for found in paragraphs if found.kind == "item"] == [1, 1, 1, 2]
    assert paragraphs[0].as_read(0, len(paragraphs[0].text)) == "The Boat"


def test_places_are_not_those_of_an_address(tmp_path: Path) -> None:
    """The classic error: the text after a link is found in the link's address."""
    text = "See [here](http://example.org/boat/at/sea 'boat') boat at sea, and ![boat at sea](boat.png) boat.\n"
    reading = of(tmp_path, text)
    paragraph = reading.document.paragraphs[0]
    assert paragraph.text == "See here boat at sea, and boat."
    spots = [piece.spot for piece in paragraph.pieces]
    assert [text[spot.start : spot.end] for spot in spots if isinstance(spot, TextSpot)] == [
        "See ",
        "here",
        " boat at sea, and ",
        "boat.",
    ]
    boat = paragraph.anchor_of(9, 13).spots[0]
    assert isinstance(boat, TextSpot) and boat.start == text.index(" boat at sea, and") + 1


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_line_ends(tmp_path: Path, line_end: str) -> None:
    text = PAGE.replace("\n", line_end)
    reading = of(tmp_path, text)
    assert reading.kinds == of(tmp_path, PAGE).kinds and reading.head.authors == ("Ann Author", "Ben Other")
    check_pieces(reading.document.paragraphs, text)


def test_wrapped_chinese_goes_on_without_a_space(tmp_path: Path) -> None:
    assert of(tmp_path, "# 山\n\n他走了\n很久，\nthen\n停了。\n").text == "山\n他走了很久， then 停了。"


def test_lists_within_quotes_and_tables_within_lists(tmp_path: Path) -> None:
    text = "> 1. One\n>    | a |\n>    |---|\n>    | b\\|c |\n> 2. Two\n>\n>        code\n"
    reading = of(tmp_path, text)
    assert reading.kinds == [("item", "One"), ("table", "a"), ("table", "b|c"), ("item", "Two"), ("code", "code")]
    check_pieces(reading.document.paragraphs, text)


def test_a_long_text_without_headings_has_parts(tmp_path: Path) -> None:
    reading = of(tmp_path, "\n\n".join([make.PARAGRAPH * 20] * 60))
    assert reading.health.structure == "parts" and len(reading.document.sections) == 4
    assert of(tmp_path, "Just text.", "a b.markdown").head.title == "a b"


@pytest.mark.parametrize(
    ("text", "title", "authors", "language"),
    [
        ("---\ntitle: A: B\nauthor: Ann\n---\nx", "A: B", ("Ann",), ""),
        ("---\r\ntitle: 'A'\r\nauthors:\r\n  - Ann\r\n  - Ben\r\n...\r\nx", "A", ("Ann", "Ben"), ""),
        ('+++\ntitle = "A"\nlanguage = "de"\n+++\nx', "A", (), "de"),
        ("---\nlang: fr\n---", "", (), "fr"),
        ("---\n\nJust a line.\n\n---\n", "", (), ""),
        ("title: A\n", "", (), ""),
        ("---\ntitle: never closed\n", "", (), ""),
    ],
)
def test_front_matter(text: str, title: str, authors: tuple[str, ...], language: str) -> None:
    found = front_matter_of(text)
    assert (found.title, found.authors, found.language) == (title, authors, language)
    assert (found == FrontMatter()) == (not title and not language)
    assert text[found.end :] in ("x", "", text)


def test_our_own_pages(tmp_path: Path) -> None:
    """The text of the handbook and the README is what another way of reading them gives."""
    markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for path in [ROOT / "README.md", *sorted((ROOT / "resources" / "handbook").glob("*.md"))]:
        text = path.read_bytes().decode("utf-8")
        reading = read(path)
        root: Any = etree.fromstring(f"<div>{markdown.render(text)}</div>".encode(), etree.HTMLParser(encoding="utf-8"))
        assert bare(reading.text) == bare("".join(root.itertext())), path.name
        check_pieces(reading.document.paragraphs, text)
        visible = sum(len(bare(paragraph.text)) for paragraph in reading.document.paragraphs)
        placed = sum(
            len(bare(paragraph.text[piece.start : piece.end]))
            for paragraph in reading.document.paragraphs
            for piece in paragraph.pieces
        )
        assert placed >= 0.999 * visible


def test_a_long_file_is_read_fast(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("".join(f"## {number}\n\n{make.PARAGRAPH * 4} *x* [y](z)\n\n" for number in range(6_000)))
    assert path.stat().st_size > 2_000_000
    started = time.process_time()
    assert len(list(read_markdown(path, Choices(), HealthCollector(), CancelToken()))) == 18_001
    assert time.process_time() - started < 8


# -- any file ----------------------------------------------------------------------------------------------------

SIGNS = st.sampled_from(
    [
        *(
            "# ",
            "## x ##",
            "\n",
            "\n\n",
            "* ",
            "- ",
            "1. ",
            "> ",
            "```",
            "~~~",
            "`",
            "``",
            "**",
            "*",
            "_",
            "~~",
            "  \n",
        ),
        *(
            "[a](b)",
            "[a](<b c> 'd')",
            "![a](b)",
            "[^1]",
            "[^1]: ",
            "[a]: /b\n",
            "[a]",
            "<b>",
            "</p>",
            "<!--",
            "-->",
            "|",
        ),
        *("\n|---|---|\n", "| a | b\\|c |\n", "&amp;", "&#0;", "&nope;", "\\*", "\\", "<http://a.b>", "---\n", "===\n"),
        *(
            "    ",
            "\t",
            "\0",
            "\r\n",
            "\r",
            "\u3000",
            "\u00a0",
            "\u2028",
            "+++\n",
            "title: x\n",
            "<script>",
            "\x0b",
            "\x85",
        ),
    ]
)


@given(st.lists(st.one_of(SIGNS, st.text(max_size=6)), max_size=24))
def test_any_file_keeps_its_places(tmp_path_factory: pytest.TempPathFactory, parts: list[str]) -> None:
    text = "".join(parts).encode("utf-8", "ignore").decode().removeprefix("\ufeff")
    path = tmp_path_factory.getbasetemp() / "any.md"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    found = list(read_markdown(path, Choices(), HealthCollector(), CancelToken()))
    assert isinstance(found[0], Told)
    assert all(isinstance(part, Draft | Start) for part in found[1:])
    check_pieces([part for part in found if isinstance(part, Draft)], text)


@given(st.lists(st.lists(st.text(st.characters(categories=("Ll", "Lu", "Lo")), min_size=1), min_size=1), max_size=6))
def test_every_character_of_plain_words_is_in_one_paragraph(
    tmp_path_factory: pytest.TempPathFactory, paragraphs: list[list[str]]
) -> None:
    text = "\n\n".join("\n".join(lines) for lines in paragraphs)
    path = tmp_path_factory.getbasetemp() / "words.md"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    drafts = [
        part for part in read_markdown(path, Choices(), HealthCollector(), CancelToken()) if isinstance(part, Draft)
    ]
    assert bare("".join(draft.text for draft in drafts)) == bare(text)
    assert sum(piece.end - piece.start for draft in drafts for piece in draft.pieces) >= len(bare(text))
    check_pieces(drafts, text)
