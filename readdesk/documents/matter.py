"""Front and back matter: what is printed with a book and is not the book.

What a file says of its own parts goes first (EPUB 3 types, the guide of EPUB 2); else the title of a section tells, in
the languages that books are often in; else, for the licence of Project Gutenberg, the text itself. A chapter that is
wrongly left out is worse than a licence that is read, and chapters are called all sorts of things. So a title counts
only where such a thing stands: front matter before the book has begun, back matter where hardly anything follows that
is none; nothing may be longer than such things are, with all that lies beneath it; and a judgement that would leave out
most of a book is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from readdesk.documents.model import Matter, Paragraph
from readdesk.documents.normal import normal

_SAMPLE = 1_500
_PIECE = 200
_MOST_PIECES = 12
_MOST_LEFT_OUT = 0.45
_FRONT = 0.15
"""The share of a book before which front matter stands."""

_BEHIND = 1_500
"""How many words of the book itself (an afterword, thanks) may follow back matter; a little more in a long book."""

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

_INDEXED = (
    "(general|subject|name|author|concept|keyword|word|term|topic|place|person|variable|option|function|command|key|"
    "symbol|style|tag|file|program|type|macro|class|method|package|module|error|data|editor|alphabetical|analytical|"
    "citation|combined|main)(s|es)?"
)
_TITLES: Mapping[Matter, str] = {
    "cover": "((front|back) )?cover( page)?|couverture|titelbild|umschlag|cubierta|capa|copertina|обложка|封面|表紙|"
    "الغلاف|כריכה",
    "title": "(half )?title ?page|half ?title|titelseite|titelblatt|page de titre|portada|página de título|"
    "frontespizio|титульный лист|титул|扉页|扉頁|书名页|書名頁|扉",
    "contents": "((table of|brief|detailed|short) )?contents( (at a glance|in brief))?|"
    "(list|table) of (illustrations|figures|tables|maps|plates|listings|algorithms)"
    "|inhalt|abbildungsverzeichnis|tabellenverzeichnis|"
    "inhaltsverzeichnis|table des matières|sommaire|índice|índice general|sumário|indice|sommario|содержание|"
    "оглавление|зміст|目录|目錄|目次|もくじ|차례|목차|المحتويات|فهرس|الفهرس|فهرس المحتويات|תוכן|תוכן ה?עניינים|"
    "innehåll|inhoud|inhoudsopgave|spis treści|obsah|içindekiler|cuprins|tartalom|sisällys|indhold|innhold",
    "imprint": "(un)?copyright(( page| notice| information)|( ©| \\(c\\)|,).{0,60})?|"
    "colophon|imprint|impressum|legal notice|edition notice|"
    "transcriber.?s.? notes?|about this (e-?book|edition)|mentions légales|créditos|colofón|выходные данные|"
    "об этой книге|от издательства|版权页|版权信息|版權頁|版权|版權|奥付|판권|حقوق النشر|זכויות יוצרים",
    "licence": "(appendix \\w+[.:]? )?(the )?((full )?project gutenberg(-tm|™)? |gnu .{0,60}|creative commons .{0,60}|"
    "open .{0,30})?licen[cs]es?( agreement)?|lizenz|licence d.utilisation",
    "notes": "(end|foot)?notes|notes (and|&) (references|sources)|(chapter|source) notes|"
    "notes to (the )?(chapters?|text)( \\w+)?|anmerkungen|endnoten|fußnoten|fussnoten|"
    "notes de (bas de page|fin)|notas|note|примечания|сноски|примітки|注释|注釋|注解|註釋|註解|脚注|訳注|注|각주|주석|"
    "الهوامش|هوامش|הערות|przypisy|noter|noten|voetnoten",
    "bibliography": "((selected|select|annotated) )?bibliography|further reading|references|"
    "works cited|literature cited|list of references|references (cited|and (notes|bibliography))|literatur|"
    "literatur(verzeichnis|angaben|hinweise)|quellen(verzeichnis)?|"
    "bibliographie|références|bibliografía|referencias|bibliografia|referências|riferimenti bibliografici|"
    "литература|список (использованн(ой|ых) )?(литературы|источников)( и (литературы|источников))?|библиография|"
    "参考书目|參考書目|引用文献|参考文献|參考文獻|참고문헌|المراجع|المصادر|ביבליוגרפיה|מקורות",
    "index": f"({_INDEXED}(,|,? and|,? &)? ){{0,4}}index(es)?( of .{{1,40}})?|"
    "(stichwort|sach|personen)?(register|verzeichnis)|índice (analítico|alfabético|onomástico)|"
    "indice (analitico|dei nomi)|(предметный |именной |алфавитный )?указатель|索引|찾아보기|색인|אינדקס|מפתח",
    "excerpt": "(an? )?(excerpt|extract|sneak peek|preview|sample chapters?|bonus chapter|teaser)"
    "( (from|of|to|for|at)\\b.*)?|(read on|keep reading|continue reading|turn the page) .*|leseprobe.*|"
    "extrait (de|du|des)\\b.*|un extrait.*|отрывок из .*|ознакомительный фрагмент.*",
    "promotion": "(books |titles |novels )?also by\\b.*|(other|more) (books|titles|works|novels) (by|from)\\b.*|"
    "by the same author|about the (authors?|publisher|translator)|praise for\\b.*|newsletter.*|"
    "advertisements?|du même auteur|über d(en|ie) autor(in)?|sobre (el|la|o|a) autora?|об авторе|作者简介|著者略歴|"
    "from the publisher|discover more\\b.*|thank you for (reading|buying|downloading)\\b.*",
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
    **dict.fromkeys(("excerpt", "bibliography", "index", "notes"), 0.3),
}
_LARGEST_SHARE_OF_TOLD_NOTES = 0.5
_ONLY_AT_THE_END = frozenset(("excerpt", "index", "bibliography", "notes"))
_OF_CHAPTERS = frozenset(("bibliography", "notes"))
"""What also stands at the end of single chapters."""

_WITH_SECTIONS = _ONLY_AT_THE_END | {"licence", "promotion"}
"""What has sections of its own: a book's title page is often the parent of all its chapters."""

_AMBIGUOUS = frozenset(
    (
        *("licence", "license", "the licence", "the license", "advertisement", "register", "verzeichnis", "literatur"),
        "quellen",
        *("литература", "указатель", "מפתח", "מקורות", "note", "noten", "noter"),
    )
)
"""Titles of chapters as well: they count only where nothing at all follows."""

_GUTENBERG_LICENCE = re.compile(r"START: FULL LICENSE|the full project gutenberg.{0,4} licen[cs]e", re.IGNORECASE)
_TRIMMED = re.compile(r"^[\W_]+|[\W_]+$")
_NOTE = re.compile(r"[(\[]?(?:\d{1,3}|[*†‡§])[.)\]]?\s")
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
    pieces: list[str] = field(default_factory=list)
    has_notes: bool = False
    _next_piece: int = 0

    def add(self, paragraph: Paragraph, words: int) -> None:
        """Take in a paragraph of so many words."""
        if not self.has_notes:
            is_marked = any(mark.kind == "target" for mark in paragraph.marks)
            self.has_notes = is_marked or _NOTE.match(paragraph.text) is not None
        if paragraph.kind not in ("code", "heading"):
            if len(self.sample) < _SAMPLE:
                self.sample += f"{paragraph.text[:_SAMPLE]} "
            if self.words >= self._next_piece and len(self.pieces) < _MOST_PIECES:
                self.pieces.append(paragraph.text[:_PIECE])
                self._next_piece = max(2 * self._next_piece, self.words + 1)
        self.words += words

    @property
    def spread(self) -> str:
        """Some text from the beginning, the middle and the end: a chapter may open in another language."""
        count = len(self.pieces)
        chosen = self.pieces if count <= 3 else [self.pieces[at] for at in (0, count // 2, count - 1)]
        text = " ".join(chosen)
        return text if len(text) >= 2 * _PIECE else self.sample


def matter_of_roles(roles: frozenset[str]) -> Matter:
    """What the type, role or class of an element says that it is."""
    return next((_MATTER_OF_ROLE[role] for role in sorted(roles) if role in _MATTER_OF_ROLE), "")


def matter_of_title(title: str) -> Matter:
    """What a section's title says that it is."""
    bare = _bare(title)
    numbered = _NUMBERED.match(bare)
    bare = bare[numbered.end() :] if numbered else bare
    found: Matter = next((matter for matter, pattern in _PATTERNS.items() if pattern.fullmatch(bare)), "")
    return "" if numbered and found not in _ONLY_AT_THE_END else found


def _bare(title: str) -> str:
    return _TRIMMED.sub("", normal(title))


def judged(sections: Sequence[Seen]) -> list[Matter]:
    """What each section is, "" for the book itself; what lies in front or back matter belongs to it."""
    book = _Whole(sections)
    found: list[Matter] = [""] * len(sections)
    for at in reversed(range(len(sections))):
        found[at] = book.judge(at)
        if not found[at] and not book.lies_in_matter(at):
            book.follows += sections[at].words
    found = _inherited(sections, found)
    if _left_out(sections, found) <= _MOST_LEFT_OUT * book.total:
        return found
    return [matter if matter == "licence" else "" for matter in found]  # A short story's is longer than the story.


def _left_out(sections: Sequence[Seen], matters: Sequence[Matter]) -> int:
    return sum(section.words for section, matter in zip(sections, matters, strict=True) if matter)


class _Whole:
    """A book that is judged from its end to its beginning; knows how much of the book itself follows."""

    def __init__(self, sections: Sequence[Seen]) -> None:
        self._sections = sections
        self.total = sum(section.words for section in sections)
        self._before = [0, *accumulate(section.words for section in sections)]
        self._with_parts = [section.words for section in sections]
        for at in reversed(range(len(sections))):
            if (parent := sections[at].parent) >= 0:
                self._with_parts[parent] += self._with_parts[at]
        self.follows = 0

    def judge(self, at: int) -> Matter:
        """What a section is, by what its file says, its title or its text, where it has the length and the place."""
        section = self._sections[at]
        if section.told:
            return section.told if self._is_short_enough(section.told, at, is_told=True) else ""
        matter = matter_of_title(section.title)
        if not matter and _GUTENBERG_LICENCE.search(section.sample):
            matter = "licence"
        return matter if matter and self._is_in_place(matter, at) and self._is_short_enough(matter, at) else ""

    def lies_in_matter(self, at: int) -> bool:
        """Whether a section lies in one that is matter with all its sections; that one is judged after it."""
        parent = self._sections[at].parent
        while parent >= 0:
            if self.judge(parent) in _WITH_SECTIONS:
                return True
            parent = self._sections[parent].parent
        return False

    def _is_in_place(self, matter: Matter, at: int) -> bool:
        if _bare(self._sections[at].title) in _AMBIGUOUS and not _GUTENBERG_LICENCE.search(self._sections[at].sample):
            return not self.follows
        is_behind = self.follows <= min(max(_BEHIND, 0.03 * self.total), 3 * _BEHIND, 0.1 * self.total)
        if matter in _OF_CHAPTERS and self._ends_chapter(at) and (matter != "notes" or self._sections[at].has_notes):
            return True
        return is_behind if matter in _ONLY_AT_THE_END else is_behind or self._before[at] <= _FRONT * self.total

    def _ends_chapter(self, at: int) -> bool:
        """Whether a section without parts is the last part of another one."""
        parent = self._sections[at].parent
        after = at + 1
        return parent >= 0 and (after == len(self._sections) or self._sections[after].parent not in (at, parent))

    def _is_short_enough(self, matter: Matter, at: int, *, is_told: bool = False) -> bool:
        words = self._with_parts[at] if matter in _WITH_SECTIONS else self._sections[at].words
        share = _LARGEST_SHARE.get(matter, 1.0)
        if is_told and matter == "notes":
            share = _LARGEST_SHARE_OF_TOLD_NOTES
        return words <= _MOST_WORDS.get(matter, self.total) and words <= max(200, share * self.total)


def _inherited(sections: Sequence[Seen], own: Sequence[Matter]) -> list[Matter]:
    found: list[Matter] = []
    for section, matter in zip(sections, own, strict=True):
        above = found[section.parent] if section.parent >= 0 else ""
        found.append(matter or (above if above in _WITH_SECTIONS else ""))
    return found
