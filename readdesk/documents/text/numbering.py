"""What a line that begins like a heading says: which part of a book, which number, and the title after it.

Books number their parts in a few ways in each language: the name and then the number ("Chapter IV", "Глава первая",
"الفصل الأول"), an ordinal and then the name ("Erstes Kapitel"), or a numeral between two characters ("第十二章").
Prose begins so too ("Chapter two of my life began", "第一章里说到"), which is why a line is sure or only possible;
whether the numbers run on decides the rest (`chapters.py`).

What must stay true: ranks order what they name, 1 the highest; a line over 90 characters is no heading.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from readdesk.documents.text.numerals import CHINESE, chinese, folded, number_at, ordinal_of, plain_number

LONGEST_HEADING = 90
RANK_OF_CHAPTER = 5
RANK_OF_NUMBER = 7
"""The rank of what has a number and no name."""

_LONGEST_UNSPACED = 45
_MOST_WORDS = 8
_ENDS = "。，；、,;"
_SEPARATORS = " \u3000\t.:：．·・-–—―_*《「『【（(〈<|/"

_NAMES: tuple[tuple[str, int, str], ...] = (
    ("en", 1, "volume vol"),
    ("en", 2, "book"),
    ("en", 3, "part act"),
    ("en", 5, "chapter chap letter stave canto"),
    ("en", 6, "section scene"),
    ("de sv", 1, "band"),
    ("de", 2, "buch"),
    ("de", 3, "teil akt aufzug"),
    ("de", 5, "gesang"),
    ("de sv da no", 5, "kapitel"),
    ("de", 6, "abschnitt szene auftritt"),
    ("fr", 1, "tome volume"),
    ("fr", 2, "livre"),
    ("fr", 3, "partie acte"),
    ("fr", 5, "chapitre chant lettre"),
    ("fr", 6, "scène"),
    ("es", 1, "tomo volumen"),
    ("es pt it", 2, "libro livro"),
    ("es pt it", 3, "parte acto ato atto jornada"),
    ("es pt it", 5, "capítulo capitulo capitolo canto carta lettera"),
    ("es pt it", 6, "escena cena scena"),
    ("ru uk", 1, "том"),
    ("ru uk", 2, "книга"),
    ("ru uk", 3, "часть частина раздел действие дія акт"),
    ("ru uk", 5, "глава розділ письмо песнь"),
    ("ru uk", 6, "сцена явление"),
    ("pl", 1, "tom"),
    ("pl", 2, "księga"),
    ("pl", 3, "część akt"),
    ("pl", 5, "rozdział"),
    ("nl", 2, "boek"),
    ("nl", 3, "deel bedrijf"),
    ("nl", 5, "hoofdstuk"),
    ("tr", 1, "cilt"),
    ("tr", 2, "kitap"),
    ("tr", 3, "kısım perde"),
    ("tr", 5, "bölüm"),
    ("ar", 1, "المجلد"),
    ("ar", 2, "الكتاب الجزء"),
    ("ar", 3, "القسم"),
    ("ar", 4, "الباب"),
    ("ar", 5, "الفصل"),
    ("ar", 6, "المشهد المبحث"),
    ("he", 1, "כרך"),
    ("he", 2, "ספר"),
    ("he", 3, "חלק מערכה"),
    ("he", 4, "שער"),
    ("he", 5, "פרק"),
    ("he", 6, "תמונה"),
    ("fa", 1, "جلد"),
    ("fa", 2, "کتاب"),
    ("fa", 3, "بخش قسمت پرده"),
    ("fa", 4, "باب"),
    ("fa", 5, "فصل"),
    ("sv da no", 2, "bok boken bog bogen boka"),
    ("sv da no", 3, "del delen"),
    ("sv da no", 5, "kapitlet kapittel"),
    ("fi", 2, "kirja"),
    ("fi", 3, "osa näytös"),
    ("fi", 5, "luku"),
    ("hu", 1, "kötet"),
    ("hu", 2, "könyv"),
    ("hu", 3, "rész felvonás"),
    ("hu", 5, "fejezet"),
    ("cs", 2, "kniha"),
    ("cs", 3, "část dějství"),
    ("cs", 5, "kapitola"),
    ("el", 1, "τόμος"),
    ("el", 2, "βιβλίο"),
    ("el", 3, "μέρος"),
    ("el", 5, "κεφάλαιο"),
    ("", 1, "เล่มที่ เล่ม"),
    ("", 2, "cartea quyển खंड खण्ड"),
    ("", 3, "diel partea phần ภาคที่ ภาค भाग"),
    ("", 5, "kapitulo capitolul chương bab บทที่ ตอนที่ अध्याय परिच्छेद"),
)
_KNOWN = {
    folded(word): (rank, tuple(languages.split()))
    for languages, rank, words in reversed(_NAMES)
    for word in words.split()
}
_IN_ANY = {
    "akt": ("de", "pl", "sv", "da", "no"),
    "canto": ("en", "es", "pt", "it"),
    "volume": ("en", "fr", "it", "pt"),
    "tom": ("pl",),
}
_KNOWN |= {word: (_KNOWN[word][0], languages) for word, languages in _IN_ANY.items()}

_UNITS = {
    **dict.fromkeys("部册冊季", 1),
    **dict.fromkeys("卷巻", 2),
    **dict.fromkeys(("部分", "篇", "编", "編", "集"), 3),
    **dict.fromkeys(("章节", "章", "回", "话", "話", "折", "幕"), RANK_OF_CHAPTER),
    **dict.fromkeys("节節场場", 6),
}
_KOREAN_UNITS = {"부": 1, "권": 2, "편": 3, "장": 5, "화": 5, "회": 5, "막": 3, "절": 6}
_BETWEEN_CHARACTERS = re.compile(
    rf"(?:正文卷?|VIP卷?)?\s*第\s*(?P<number>[{CHINESE}\d]{{1,9}})\s*"
    rf"(?P<unit>{'|'.join(sorted(_UNITS, key=len, reverse=True))})(?P<rest>.*)$"
)
_CHARACTER_FIRST = re.compile(
    rf"(?:[其そ]の|[卷巻](?:之|第|の|ノ)?)\s*(?P<number>[{CHINESE}\d]{{1,6}})(?P<rest>(?:[ \u3000:：].*)?)$"
)
_KOREAN = re.compile(
    rf"(?:제\s*(?P<number>[\d일이삼사오육칠팔구십백]{{1,6}})|(?P<digits>\d{{1,4}}))\s*(?P<unit>{'|'.join(_KOREAN_UNITS)})"
    r"(?P<rest>(?:[\s.:<\[(-].*)?)$"
)
_NUMBERED_ASIDE = re.compile(
    rf"(?:番外[篇編]?|外[传傳]|楔子|序[章幕]|引子|尾[声聲]|[终終]章|외전)\s*[{CHINESE}\d]{{0,4}}"
    r"(?P<rest>(?:[ \u3000:：、（(].*)?)$"
)
_BARE_CHINESE = re.compile(rf"[（(【]?(?P<number>[{CHINESE}]{{1,5}}|[０-９]{{1,4}})[）)】]?$")
_LISTED_CHINESE = re.compile(
    rf"(?P<number>[{CHINESE}]{{1,5}}|\d{{1,4}})[、．.]\s*(?P<rest>[\u3040-\u9fff\uac00-\ud7af].{{0,30}})$"
)
_ROMAN = re.compile(r"(?=.)C{0,2}(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\.?$")
_ARABIC = re.compile(r"[1-9]\d{0,2}\.?$")
_NUMBERED_TITLE = re.compile(r"(?P<number>[IVXLC]+|[1-9]\d{0,2})\.\s+(?P<rest>\S.*)$")
_UNPARTED_THAI = re.compile(r"^([\u0e00-\u0e4f]{3,7})(?=\d)")
_BEGINS_CHINESE = frozenset(f"正V第其そ卷巻제番外楔序引尾终終외（(【{CHINESE}0123456789０１２３４５６７８９")
_IS_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class Numbered:
    """A line that begins like a heading; `number` is None where it has none, `is_sure` where it is nothing else."""

    rank: int
    number: int | None
    rest: str
    is_sure: bool


def numbered(line: str) -> Numbered | None:
    """What a line without white space around it is numbered as, None for all other lines."""
    if not line or len(line) > LONGEST_HEADING:
        return None
    if line[0] in _BEGINS_CHINESE and (found := _chinese(line)):
        return found
    if not line[0].isalnum() or _IS_UNSPACED.match(line):
        return None
    return _named(line) or _ordinal_first(line) or _bare(line)


def _chinese(line: str) -> Numbered | None:
    if match := _BETWEEN_CHARACTERS.match(line):
        inner = _BETWEEN_CHARACTERS.search(match["rest"].lstrip(), 1)  # "第一卷 少年 第三章 出山"
        if inner and _UNITS[inner["unit"]] >= RANK_OF_CHAPTER > _UNITS[match["unit"]]:
            match = inner
        return _found(_UNITS[match["unit"]], chinese(match["number"]), match["rest"])
    if match := _CHARACTER_FIRST.match(line):
        return _found(2 if line[0] in "卷巻" else RANK_OF_CHAPTER, chinese(match["number"]), match["rest"])
    if match := _KOREAN.match(line):
        return _found(_KOREAN_UNITS[match["unit"]], chinese(match["number"] or match["digits"]), match["rest"])
    if match := _NUMBERED_ASIDE.match(line):
        aside = _found(RANK_OF_CHAPTER, None, match["rest"])
        return aside if aside and aside.is_sure else None
    if match := _BARE_CHINESE.match(line):
        value = chinese(match["number"])
        return Numbered(RANK_OF_NUMBER, value, "", True) if value else None
    if match := _LISTED_CHINESE.match(line):
        found = _found(RANK_OF_NUMBER, chinese(match["number"]), match["rest"])
        return found and Numbered(found.rank, found.number, found.rest, False)
    return None


def _found(rank: int, number: int | None, rest: str) -> Numbered:
    """A line in a script without capitals, judged by its separator, its length and its end."""
    is_apart = not rest or rest[0] in _SEPARATORS
    title = rest.strip(_SEPARATORS)
    is_short = len(title) <= _LONGEST_UNSPACED and "。" not in title[:-1]
    return Numbered(rank, number, title, is_apart and is_short and not title.endswith(tuple(_ENDS)))


def _named(line: str) -> Numbered | None:
    """The name and then the number."""
    line = _UNPARTED_THAI.sub(r"\1 ", line)
    words = line.split(maxsplit=5)
    known = _KNOWN.get(folded(words[0].rstrip(".")))
    found = number_at(words[1:4], known[1]) if known else None
    if known is None or found is None:
        return None
    number, taken = found
    last = words[taken]
    rest = line.split(maxsplit=taken + 1)[taken + 1 :]
    title = rest[0] if rest else ""
    is_apart = last.endswith((".", ":", "-", "–", "—")) or title[:1] in tuple(".:-–—")
    if last.endswith(","):
        return Numbered(known[0], number, title, False)
    if not _has_case(words[0]):
        is_title = len(title.split()) <= _MOST_WORDS and not title.endswith((*_ENDS, ".", "،", "؛"))
        return Numbered(known[0], number, title, is_title)
    if not (words[0][0].isupper()):
        return None
    return Numbered(known[0], number, title, is_title_like(title, line, is_apart)) if _may_be(title, is_apart) else None


def _may_be(title: str, is_apart: bool) -> bool:
    """Whether what follows the number may be a title at all: what goes on in small letters is a sentence."""
    return is_apart or not title or not title[0].islower()


def _ordinal_first(line: str) -> Numbered | None:
    """The ordinal and then the name, and no more than a title that is set apart."""
    words = line.split(maxsplit=4)
    if words[0].lower() == "the":
        words = words[1:]
    if len(words) < 2:
        return None
    known = _KNOWN.get(folded(words[1].rstrip(".:")))
    if known is None or words[0][0].islower():
        return None
    number = ordinal_of(words[0], known[1])
    if number is None and words[0].endswith("."):
        number = plain_number(words[0][:-1])
    if number is None or (known[1] == ("en",) and words[1][0].islower()):
        return None
    rest = " ".join(words[2:])
    if rest and not words[1].endswith((".", ":")) and rest[0] not in ".:-–—":
        return None
    return Numbered(known[0], number, rest.strip(_SEPARATORS), True)


def _bare(line: str) -> Numbered | None:
    if _ROMAN.match(line) or _ARABIC.match(line):
        return Numbered(RANK_OF_NUMBER, plain_number(line.rstrip(".")), "", True)
    match = _NUMBERED_TITLE.match(line)
    if match and is_title_like(match["rest"], line, True):
        return Numbered(RANK_OF_NUMBER, plain_number(match["number"]), match["rest"], True)
    return None


def is_title_like(title: str, line: str, is_apart: bool) -> bool:
    """Whether what follows a number reads like a title and not like the rest of a sentence."""
    words = title.strip(" .:—–-").split()
    if not words or line.isupper():
        return True
    if not is_apart and words[0][0].islower():
        return False
    long_words = [word for word in words if len(word) > 4 and word[0].isalpha()]
    is_capitalised = all(word[0].isupper() for word in long_words)
    is_whole = not title.rstrip().endswith((",", ";")) and not words[0][0].islower()
    return (is_capitalised or len(words) <= _MOST_WORDS) and is_whole


def _has_case(word: str) -> bool:
    return word.lower() != word.upper()
