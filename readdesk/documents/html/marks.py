"""How the text of an EPUB is set: emphasis, the labels of lists, pictures and where they stand.

The publisher's style sheets are not read: what counts is the meaning of an element and what its own style says. A
picture has no characters, so it stands before a character of some paragraph. What must stay true: labels count as the
file says, and only the first paragraph of an item has one; a picture, a printed page or a note's name that no text
follows in its section or file is never lost while the book has any text at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from lxml import etree

from readdesk.documents.draft import POINTS, Draft, Start
from readdesk.documents.model import Mark, MarkKind

Element = etree._Element

_KIND_OF_TAG: Mapping[str, MarkKind] = {
    **dict.fromkeys(("em", "i", "cite", "dfn", "var"), "emphasis"),
    **dict.fromkeys(("strong", "b", "th"), "strong"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
    "sup": "superscript",
    "sub": "subscript",
}
_KIND_OF_STYLE: tuple[tuple[re.Pattern[str], MarkKind], ...] = (
    (re.compile(r"font-style\s*:\s*(italic|oblique)", re.IGNORECASE), "emphasis"),
    (re.compile(r"font-weight\s*:\s*(bold|[6-9]00)", re.IGNORECASE), "strong"),
    (re.compile(r"vertical-align\s*:\s*super", re.IGNORECASE), "superscript"),
    (re.compile(r"vertical-align\s*:\s*sub", re.IGNORECASE), "subscript"),
)
PICTURES = frozenset(("img", "image", "object"))
"""The tags of elements that may show a picture."""

_NO_DESCRIPTION = frozenset(
    ("image", "img", "picture", "photo", "figure", "illustration", "graphic", "cover", "logo", "missing alt", "no alt")
)

_LISTS = frozenset(("ol", "ul", "dl", "menu", "dir"))
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s*:\s*([a-z-]+)", re.IGNORECASE)
_FORM_OF_STYLE: Mapping[str, str] = {
    "none": "",
    "decimal": "1",
    "lower-alpha": "a",
    "lower-latin": "a",
    "upper-alpha": "A",
    "upper-latin": "A",
    "lower-roman": "i",
    "upper-roman": "I",
    **dict.fromkeys(("disc", "circle", "square"), "•"),
}
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_LARGEST_ROMAN = 3999
_NUMBER = re.compile(r"\s*([+-]?\d{1,6})\s*")


# -- characters --------------------------------------------------------------------------------------------------


def kinds_of(tag: str, style: str | None) -> tuple[MarkKind, ...]:
    """How the text of an element is set, by its tag and its own style."""
    kind = _KIND_OF_TAG.get(tag)
    if not style:
        return (kind,) if kind else ()
    found = dict.fromkeys(styled for pattern, styled in _KIND_OF_STYLE if pattern.search(style))
    return tuple(({kind: None} if kind else {}) | found)


# -- lists -------------------------------------------------------------------------------------------------------


class Listing:
    """A list that is being read; it knows how deep it lies (1 the outermost) and what its next item is called."""

    def __init__(self, element: Element, tag: str, depth: int, is_bare: bool) -> None:
        self.depth = depth
        self._form = "" if is_bare else _form_of(element, tag)
        self._next = _integer(element.get("start"), 1)

    @classmethod
    def inside(cls, outer: Listing | None, element: Element, tag: str) -> Listing | None:
        """The list that an element begins, else the one that it lies in."""
        if tag in _LISTS:
            return cls(element, tag, outer.depth + 1 if outer else 1, _is_in_contents(element))
        return outer

    def label(self, item: Element) -> str:
        """What stands before the next item; nothing where the list has no labels."""
        number = _integer(item.get("value"), self._next)
        self._next = number + 1
        if self._form in ("", "•"):
            return self._form
        return f"{_written(number, self._form)}."


def _form_of(element: Element, tag: str) -> str:
    style = _LIST_STYLE.search(element.get("style") or "")
    if style and style[1].lower() in _FORM_OF_STYLE:
        return _FORM_OF_STYLE[style[1].lower()]
    if tag == "ol":
        form = element.get("type") or "1"
        return form if form in ("1", "a", "A", "i", "I") else "1"
    return "" if tag == "dl" else "•"


def _is_in_contents(element: Element) -> bool:
    """Whether a list lies in a `nav`, whose lists have no labels (EPUB 3.3, section 7.3)."""
    return next(element.iterancestors("{*}nav"), None) is not None


def _integer(text: str | None, otherwise: int) -> int:
    found = _NUMBER.fullmatch(text or "")
    return int(found[1]) if found else otherwise


def _written(number: int, form: str) -> str:
    if form in ("i", "I") and 0 < number <= _LARGEST_ROMAN:
        letters = ""
        for value, letter in _ROMAN:
            letters += letter * (number // value)
            number %= value
    elif form in ("a", "A") and number > 0:
        letters = ""
        while number:
            number, digit = divmod(number - 1, 26)
            letters = chr(ord("a") + digit) + letters
    else:
        return str(number)
    return letters if form.islower() else letters.upper()


@dataclass(slots=True)
class Item:
    """An item of a list whose label waits for the item's first paragraph."""

    label: str
    outer: Item | None = None
    is_told: bool = False

    def tell(self) -> Mark | None:
        """The mark of the label, the first time; a paragraph that begins several items has the innermost label."""
        mark = None if self.is_told else Mark(0, 0, "label", self.label)
        item: Item | None = self
        while item is not None and not item.is_told:
            item.is_told = True
            item = item.outer
        return mark


# -- pictures ----------------------------------------------------------------------------------------------------


Point = tuple[MarkKind, str]
"""A mark without characters that still seeks its place: its kind and value."""

_STAY_BEHIND = ("image", "alt")


@dataclass(frozen=True)
class Loose:
    """Points that no text followed in their section or file."""

    points: tuple[Point, ...]


def picture_link(element: Element, tag: str) -> str | None:
    """The link to the picture that an element shows; None for all other elements."""
    if tag == "img":
        return element.get("src")
    if tag == "image":
        names = ((str(name).rpartition("}")[2], str(value)) for name, value in element.attrib.items())
        return next((value for name, value in names if name in ("href", "xlink:href")), None)
    if tag == "object" and (element.get("type") or "").lower().startswith("image/"):
        return element.get("data")
    return None


def is_description(alt: str, link: str | None) -> bool:
    """Whether an alternative text says what a picture shows, and is not its file's name or "image"."""
    bare = alt.strip(" []().").casefold()
    return len(bare) > 2 and bare not in _NO_DESCRIPTION and bare not in (link or "").casefold()


def points_before(draft: Draft, points: Iterable[Point]) -> Draft:
    """The paragraph with points before its first character."""
    return replace(draft, marks=(*(Mark(0, 0, kind, value) for kind, value in points), *draft.marks))


class PointPlacer:
    """Gives loose points a paragraph.

    Pictures go to the paragraph before them in their section and file, all else to the next one of the book.
    """

    def __init__(self) -> None:
        self._held: list[Start | Draft] = []
        self._is_near = False
        self._waiting: list[Point] = []

    def file(self, parts: Iterable[Start | Draft | Loose]) -> Iterator[Start | Draft]:
        """The parts of the next file, with every point in its place; the last paragraph is held back."""
        self._is_near = False
        for part in parts:
            if isinstance(part, Loose):
                self._waiting += part.points
                if self._is_near:
                    self._put_after(_STAY_BEHIND)
            elif isinstance(part, Start):
                self._is_near = False
                self._held.append(part)
            else:
                yield from self._held
                self._held = [points_before(part, self._waiting) if self._waiting else part]
                self._is_near, self._waiting = True, []

    def end(self) -> Iterator[Start | Draft]:
        """What was held back; points at the very end of the book go to its last paragraph."""
        self._put_after(tuple(POINTS))
        yield from self._held
        self._held = []

    def _put_after(self, kinds: tuple[MarkKind | str, ...]) -> None:
        last = self._held[0] if self._held else None
        if isinstance(last, Draft):
            place = len(last.text)
            marks = tuple(Mark(place, place, kind, value) for kind, value in self._waiting if kind in kinds)
            self._held[0] = replace(last, marks=last.marks + marks)
            self._waiting = [point for point in self._waiting if point[0] not in kinds]
