"""Front and back matter: what is printed with a book and is not the book.

What a file says of its own parts goes first (EPUB 3 types, the guide of EPUB 2); else the title of a section tells, in
the languages that books are often in, where the section also has the length and the place of such a thing; else, for
the licence of Project Gutenberg, the text itself. The text of a book that is wrongly left out is worse than a licence
that is read: a judgement that would leave out most of a book is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from readdesk.documents.model import Matter, Paragraph
from readdesk.documents.normal import normal

_SAMPLE = 1_500
_MOST_LEFT_OUT = 0.6
_BACK = 0.5
_EDGE = 0.15

_MATTER_OF_ROLE: Mapping[str, Matter] = {
    **dict.fromkeys(("cover",), "cover"),
    **dict.fromkeys(("titlepage", "title-page", "halftitlepage", "halftitle", "fulltitle"), "title"),
    **dict.fromkeys(("toc", "doc-toc", "loi", "lot", "loa", "lov", "landmarks", "page-list"), "contents"),
    **dict.fromkeys(("copyright-page", "colophon", "doc-colophon", "imprint", "imprimatur"), "imprint"),
    **dict.fromkeys(("index", "doc-index"), "index"),
    **dict.fromkeys(("endnotes", "doc-endnotes", "rearnotes", "footnotes", "notes"), "notes"),
    **dict.fromkeys(("bibliography", "doc-bibliography"), "bibliography"),
    **dict.fromkeys(("seriespage",), "promotion"),
}

_TITLES: Mapping[Matter, str] = {
    "cover": "(front )?cover( page)?|couverture|titelbild|umschlag|cubierta|capa|copertina|обложка|封面|表紙|"
    "الغلاف|כריכה",
    "title": "(half )?title ?page|half ?title|titelseite|titelblatt|page de titre|portada|página de título|"
    "frontespizio|титульный лист|титул|扉页|扉頁|书名页|書名頁|扉",
    "contents": "(table of )?contents|(list|table) of (illustrations|figures|tables|maps|plates)|inhalt|"
    "inhaltsverzeichnis|table des matières|sommaire|índice|índice general|sumário|indice|sommario|содержание|"
    "оглавление|зміст|目录|目錄|目次|もくじ|차례|목차|المحتويات|فهرس|الفهرس|فهرس المحتويات|תוכן|תוכן ה?עניינים|"
    "innehåll|inhoud|inhoudsopgave|spis treści|obsah|içindekiler|cuprins|tartalom|sisällys|indhold|innhold",
    "imprint": "(un)?copyright( page| notice| information)?|colophon|imprint|impressum|legal notice|edition notice|"
    "transcriber.?s.? notes?|about this (e-?book|edition)|mentions légales|créditos|colofón|выходные данные|"
    "об этой книге|от издательства|版权页|版权信息|版權頁|版权|版權|奥付|판권|حقوق النشر|זכויות יוצרים",
    "licence": "(appendix \\w+[.:]? )?(the )?((full )?project gutenberg(-tm|™)? |gnu .{0,60}|creative commons .{0,60}|"
    "open .{0,30})?licen[cs]es?( agreement)?|lizenz|licence d.utilisation",
    "notes": "(end|foot)?notes|notes and references|anmerkungen|endnoten|fußnoten|fussnoten|"
    "notes de (bas de page|fin)|notas|note|примечания|сноски|примітки|注释|注釋|注解|註釋|註解|脚注|訳注|注|각주|주석|"
    "الهوامش|هوامش|הערות|przypisy|noter|noten|voetnoten",
    "bibliography": "bibliography|references|works cited|literature cited|literatur|literaturverzeichnis|"
    "bibliographie|références|bibliografía|referencias|bibliografia|referências|riferimenti bibliografici|"
    "литература|список литературы|библиография|参考文献|參考文獻|참고문헌|المراجع|المصادر|ביבליוגרפיה|מקורות",
    "index": "(general |subject |name )?index( of (names|subjects|terms))?|"
    "(stichwort|sach|personen)?(register|verzeichnis)|índice (analítico|alfabético|onomástico)|"
    "indice (analitico|dei nomi)|(предметный |именной |алфавитный )?указатель|索引|찾아보기|색인|אינדקס|מפתח",
    "excerpt": "(an? )?(excerpt|extract|sneak peek|preview|sample chapters?|bonus chapter|teaser)"
    "( (from|of|to|for|at)\\b.*)?|(read on|keep reading|continue reading|turn the page) .*|leseprobe.*|"
    "extrait (de|du|des)\\b.*|un extrait.*|отрывок из .*|ознакомительный фрагмент.*",
    "promotion": "(books |titles |novels )?also by\\b.*|(other|more) (books|titles|works|novels) (by|from)\\b.*|"
    "by the same author|about the (authors?|publisher|translator)|praise for\\b.*|newsletter.*|"
    "advertisements?|du même auteur|über d(en|ie) autor(in)?|sobre (el|la|o|a) autora?|об авторе|作者简介|著者略歴|"
    "from the publisher|thank you for (reading|buying|downloading)\\b.*",
}
_PATTERNS: Mapping[Matter, re.Pattern[str]] = {
    matter: re.compile(f"(?:{pattern})", re.DOTALL) for matter, pattern in _TITLES.items()
}
_MOST_WORDS: Mapping[Matter, int] = {
    **dict.fromkeys(("cover", "title"), 600),
    **dict.fromkeys(("imprint", "promotion"), 2_500),
    "licence": 8_000,
}
_LARGEST_SHARE: Mapping[Matter, float] = {
    "contents": 0.2,
    "excerpt": 0.3,
    "bibliography": 0.3,
    "index": 0.3,
    "notes": 0.5,
}
_ONLY_AT_THE_END = frozenset(("excerpt", "index", "bibliography", "notes"))
_WITH_SECTIONS = _ONLY_AT_THE_END | {"licence", "promotion"}
"""What has sections of its own: a book's title page is often the parent of all its chapters."""
_GUTENBERG_LICENCE = re.compile(r"START: FULL LICENSE|the full project gutenberg.{0,4} licen[cs]e", re.IGNORECASE)
_TRIMMED = re.compile(r"^[\W_]+|[\W_]+$")
_NUMBERED = re.compile(r"(?:\d+|[ivxlc]+)\.? ")


@dataclass
class Seen:
    """What is remembered of a section while it streams by: enough to judge it, whatever its length."""

    title: str
    parent: int
    told: Matter = ""
    language: str = ""
    words: int = 0
    sample: str = ""

    def add(self, paragraph: Paragraph, words: int) -> None:
        """Take in a paragraph of so many words."""
        self.words += words
        if len(self.sample) < _SAMPLE and paragraph.kind not in ("code", "heading"):
            self.sample += f"{paragraph.text[:_SAMPLE]} "


def matter_of_roles(roles: frozenset[str]) -> Matter:
    """What the type, role or class of an element says that it is."""
    return next((_MATTER_OF_ROLE[role] for role in sorted(roles) if role in _MATTER_OF_ROLE), "")


def matter_of_title(title: str) -> Matter:
    """What a section's title says that it is."""
    bare = _TRIMMED.sub("", normal(title))
    numbered = _NUMBERED.match(bare)
    bare = bare[numbered.end() :] if numbered else bare
    found: Matter = next((matter for matter, pattern in _PATTERNS.items() if pattern.fullmatch(bare)), "")
    return "" if numbered and found not in _ONLY_AT_THE_END else found


def judged(sections: Sequence[Seen]) -> list[Matter]:
    """What each section is, "" for the book itself; what lies in front or back matter belongs to it."""
    total = sum(section.words for section in sections)
    before = [0, *accumulate(section.words for section in sections)]
    own = [section.told or _judge(section, before[at], total) for at, section in enumerate(sections)]
    matters = _inherited(sections, own)
    if _left_out(sections, matters) > _MOST_LEFT_OUT * total:
        matters = _inherited(sections, [section.told for section in sections])
    return matters


def _judge(section: Seen, before: int, total: int) -> Matter:
    """What a section is by its title, its length and its place in the whole; else by its text."""
    matter = matter_of_title(section.title)
    if matter and _is_in_place(matter, before, total) and _is_short_enough(matter, section.words, total):
        return matter
    return "licence" if _GUTENBERG_LICENCE.search(section.sample) else ""


def _is_in_place(matter: Matter, before: int, total: int) -> bool:
    """Whether such a thing stands after so many words of a whole: some only behind the book, others at its edges."""
    return before >= _BACK * total if matter in _ONLY_AT_THE_END else not _EDGE * total < before < (1 - _EDGE) * total


def _is_short_enough(matter: Matter, words: int, total: int) -> bool:
    return words <= _MOST_WORDS.get(matter, total) and words <= max(200, _LARGEST_SHARE.get(matter, 1.0) * total)


def _inherited(sections: Sequence[Seen], own: Sequence[Matter]) -> list[Matter]:
    found: list[Matter] = []
    for section, matter in zip(sections, own, strict=True):
        above = found[section.parent] if section.parent >= 0 else ""
        found.append(matter or (above if above in _WITH_SECTIONS else ""))
    return found


def _left_out(sections: Sequence[Seen], matters: Sequence[Matter]) -> int:
    return sum(section.words for section, matter in zip(sections, matters, strict=True) if matter)
