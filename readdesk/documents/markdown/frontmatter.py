"""What a Markdown file says of itself before its text: title, authors and language between two lines of dashes.

This is YAML in most files, and TOML in some. Only the few plain forms in which people write these three are read, so
that no file can do more than tell its title.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_END = r"(?:\r\n?|\n)"
_BLOCK = re.compile(rf"(---|\+\+\+)[ \t]*{_END}(.*?{_END})(?:\1|\.\.\.)[ \t]*(?:{_END}|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(title|author|authors|creator|lang|language)[ \t]*[:=][ \t]*(.*(?:\n[ \t]*- .*)*)", re.I | re.M)
_LONGEST = 20_000


@dataclass(frozen=True)
class FrontMatter:
    """What was said, and where the text begins."""

    end: int = 0
    title: str = ""
    authors: tuple[str, ...] = ()
    language: str = ""


def front_matter_of(text: str) -> FrontMatter:
    """What a text says of itself; nothing where it does not begin so."""
    match = _BLOCK.match(text[:_LONGEST])
    said = re.sub(_END, "\n", match[2]) if match else ""
    if match is None or not re.search(r"^[\w-]+[ \t]*[:=]", said, re.MULTILINE):
        return FrontMatter()
    fields = {found[1].lower(): found[2] for found in _FIELD.finditer(said)}
    people = next((fields[name] for name in ("author", "authors", "creator") if name in fields), "")
    language = fields.get("lang") or fields.get("language") or ""
    return FrontMatter(match.end(), _plain(fields.get("title", "")), _listed(people), _plain(language))


def _plain(value: str) -> str:
    return " ".join(value.strip().strip("\"'").split())


def _listed(value: str) -> tuple[str, ...]:
    """The members of a list in either form, else the one value."""
    if value.strip().startswith("["):
        members = value.strip().strip("[]").split(",")
    elif "\n" in value:
        members = [line.strip().removeprefix("- ") for line in value.split("\n")]
    else:
        members = [value]
    return tuple(member for member in map(_plain, members) if member)
