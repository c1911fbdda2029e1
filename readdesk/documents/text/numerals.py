"""Numbers as books write them before their chapters: digits of any script, Roman and Chinese numerals, words,
and the letters that are numerals in Hebrew and Greek.

Which words are numbers depends on the language ("on" is ten in Turkish), so whoever asks says which. What must stay
true: a word that is no number of those languages is None, never a guess.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import product

_ROMAN = re.compile(r"(?=.)(M{0,3})(CM|CD|D?C{0,4})(XC|XL|L?X{0,4})(IX|IV|V?I{0,4})", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_LIKE_ROMAN = str.maketrans("ІХСМіхсм", "IXCMixcm")
_DIGITS = re.compile(r"\d{1,4}")

_CHINESE_DIGITS = {
    **{character: value for value, character in enumerate("零一二三四五六七八九")},
    **{character: value for value, character in enumerate("〇壹贰叁肆伍陆柒捌玖")},
    **{character: value for value, character in enumerate("○壱貳參肆伍陸柒捌玖")},
    **{character: value for value, character in enumerate("영일이삼사오육칠팔구")},
    **{"两": 2, "兩": 2, "弐": 2, "参": 3, "元": 1},
}
_CHINESE_UNITS = {"十": 10, "拾": 10, "십": 10, "百": 100, "佰": 100, "백": 100, "千": 1000, "仟": 1000, "천": 1000}
_CHINESE_UNITS |= {"廿": 20, "卅": 30}
CHINESE = "".join((*_CHINESE_DIGITS, *_CHINESE_UNITS))
"""The characters of Chinese, Japanese and Korean numerals, plain and formal."""

_HEBREW = {
    **{letter: value for value, letter in enumerate("אבגדהוזחט", start=1)},
    **{letter: 10 * value for value, letter in enumerate("יכלמנסעפצ", start=1)},
    **{"ק": 100, "ר": 200},
}
_GREEK = {
    **{letter: value for value, letter in enumerate("αβγδεϛζηθ", start=1)},
    **{letter: 10 * value for value, letter in enumerate("ικλμνξοπϟ", start=1)},
    "ρ": 100,
}
_LETTERS = {"he": _HEBREW, "el": _GREEK}
_QUOTES = str.maketrans("", "", "'\"׳״’`´΄ʹ′")

_CARDINALS: Mapping[str, str] = {
    "en": "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty",
    "de": "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn zwanzig",
    "fr": "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit "
    "dix-neuf vingt",
    "es": "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte",
    "pt": "um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete "
    "dezoito dezenove vinte",
    "it": "uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
    "diciassette diciotto diciannove venti",
    "ru": "один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать "
    "пятнадцать шестнадцать семнадцать восемнадцать девятнадцать двадцать",
    "uk": "один два три чотири п'ять шість сім вісім дев'ять десять одинадцять дванадцять тринадцять чотирнадцять "
    "п'ятнадцять шістнадцять сімнадцять вісімнадцять дев'ятнадцять двадцять",
    "pl": "jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście trzynaście czternaście "
    "piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście dwadzieścia",
    "nl": "een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
    "achttien negentien twintig",
    "tr": "bir iki üç dört beş altı yedi sekiz dokuz on",
    "he": "אחד שניים שלושה ארבעה חמישה שישה שבעה שמונה תשעה עשרה",
    "ar": "واحد اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة",
    "fa": "یک دو سه چهار پنج شش هفت هشت نه ده یازده دوازده سیزده چهارده پانزده شانزده هفده هجده نوزده بیست",
    "sv": "ett två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton sexton sjutton arton nitton "
    "tjugo",
    "da": "en to tre fire fem seks syv otte ni ti elleve tolv tretten fjorten femten seksten sytten atten nitten tyve",
    "no": "en to tre fire fem seks sju åtte ni ti elleve tolv tretten fjorten femten seksten sytten atten nitten tjue",
    "fi": "yksi kaksi kolme neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen yksitoista kaksitoista kolmetoista "
    "neljätoista viisitoista kuusitoista seitsemäntoista kahdeksantoista yhdeksäntoista kaksikymmentä",
    "hu": "egy kettő három négy öt hat hét nyolc kilenc tíz tizenegy tizenkettő tizenhárom tizennégy tizenöt tizenhat "
    "tizenhét tizennyolc tizenkilenc húsz",
    "cs": "jedna dvě tři čtyři pět šest sedm osm devět deset jedenáct dvanáct třináct čtrnáct patnáct šestnáct "
    "sedmnáct osmnáct devatenáct dvacet",
    "el": "ένα δύο τρία τέσσερα πέντε έξι επτά οκτώ εννέα δέκα έντεκα δώδεκα δεκατρία δεκατέσσερα δεκαπέντε δεκαέξι "
    "δεκαεπτά δεκαοκτώ δεκαεννέα είκοσι",
}
_ORDINALS: Mapping[str, str] = {
    "en": "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
    "de": "erste zweite dritte vierte fünfte sechste siebente achte neunte zehnte elfte zwölfte dreizehnte vierzehnte "
    "fünfzehnte sechzehnte siebzehnte achtzehnte neunzehnte zwanzigste",
    "fr": "premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième onzième douzième "
    "treizième quatorzième quinzième seizième dix-septième dix-huitième dix-neuvième vingtième",
    "es": "primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo decimotercero "
    "decimocuarto decimoquinto decimosexto decimoséptimo decimoctavo decimonoveno vigésimo",
    "pt": "primeiro segundo terceiro quarto quinto sexto sétimo oitavo nono décimo undécimo duodécimo",
    "it": "primo secondo terzo quarto quinto sesto settimo ottavo nono decimo undicesimo dodicesimo tredicesimo "
    "quattordicesimo quindicesimo sedicesimo diciassettesimo diciottesimo diciannovesimo ventesimo",
    "ru": "первый второй третий четвёртый пятый шестой седьмой восьмой девятый десятый одиннадцатый двенадцатый "
    "тринадцатый четырнадцатый пятнадцатый шестнадцатый семнадцатый восемнадцатый девятнадцатый двадцатый",
    "uk": "перший другий третій четвертий п'ятий шостий сьомий восьмий дев'ятий десятий одинадцятий дванадцятий "
    "тринадцятий чотирнадцятий п'ятнадцятий шістнадцятий сімнадцятий вісімнадцятий дев'ятнадцятий двадцятий",
    "pl": "pierwszy drugi trzeci czwarty piąty szósty siódmy ósmy dziewiąty dziesiąty jedenasty dwunasty trzynasty "
    "czternasty piętnasty szesnasty siedemnasty osiemnasty dziewiętnasty dwudziesty",
    "nl": "eerste tweede derde vierde vijfde zesde zevende achtste negende tiende elfde twaalfde dertiende veertiende "
    "vijftiende zestiende zeventiende achttiende negentiende twintigste",
    "tr": "birinci ikinci üçüncü dördüncü beşinci altıncı yedinci sekizinci dokuzuncu onuncu",
    "he": "ראשון שני שלישי רביעי חמישי שישי שביעי שמיני תשיעי עשירי",
    "ar": "الأول الثاني الثالث الرابع الخامس السادس السابع الثامن التاسع العاشر",
    "fa": "اول دوم سوم چهارم پنجم ششم هفتم هشتم نهم دهم یازدهم دوازدهم سیزدهم چهاردهم پانزدهم شانزدهم هفدهم هجدهم "
    "نوزدهم بیستم",
    "sv": "första andra tredje fjärde femte sjätte sjunde åttonde nionde tionde elfte tolfte trettonde fjortonde "
    "femtonde sextonde sjuttonde artonde nittonde tjugonde",
    "da": "første andet tredje fjerde femte sjette syvende ottende niende tiende ellevte tolvte trettende fjortende "
    "femtende sekstende syttende attende nittende tyvende",
    "no": "første andre tredje fjerde femte sjette sjuende åttende niende tiende ellevte tolvte trettende fjortende "
    "femtende sekstende syttende attende nittende tjuende",
    "fi": "ensimmäinen toinen kolmas neljäs viides kuudes seitsemäs kahdeksas yhdeksäs kymmenes yhdestoista "
    "kahdestoista kolmastoista neljästoista viidestoista kuudestoista seitsemästoista kahdeksastoista "
    "yhdeksästoista kahdeskymmenes",
    "hu": "első második harmadik negyedik ötödik hatodik hetedik nyolcadik kilencedik tizedik tizenegyedik "
    "tizenkettedik tizenharmadik tizennegyedik tizenötödik tizenhatodik tizenhetedik tizennyolcadik tizenkilencedik "
    "huszadik",
    "cs": "první druhý třetí čtvrtý pátý šestý sedmý osmý devátý desátý jedenáctý dvanáctý třináctý čtrnáctý patnáctý "
    "šestnáctý sedmnáctý osmnáctý devatenáctý dvacátý",
    "el": "πρώτο δεύτερο τρίτο τέταρτο πέμπτο έκτο έβδομο όγδοο ένατο δέκατο ενδέκατο δωδέκατο",
}
_OTHERS: Mapping[str, Mapping[str, int]] = {
    "en": {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90},
    "de": {"ein": 1, "siebte": 7, "siebtes": 7, "siebter": 7, "dreißig": 30, "vierzig": 40, "fünfzig": 50},
    "fr": {"une": 1, "première": 1, "second": 2, "seconde": 2, "trente": 30, "quarante": 40, "cinquante": 50},
    "es": {"primer": 1, "tercer": 3, "treinta": 30, "cuarenta": 40, "cincuenta": 50},
    "pt": {"quatorze": 14, "dezasseis": 16, "dezassete": 17, "dezanove": 19, "vigésimo": 20, "trinta": 30},
    "it": {"undecimo": 11, "trenta": 30, "quaranta": 40},
    "ru": {"третья": 3, "третье": 3, "тридцать": 30, "сорок": 40, "пятьдесят": 50, "тридцатый": 30, "сороковой": 40},
    "uk": {"третя": 3, "третє": 3, "тридцять": 30, "сорок": 40},
    "pl": {"trzecia": 3, "trzecie": 3, "trzydzieści": 30, "trzydziesty": 30},
    "nl": {"dertig": 30, "veertig": 40},
    "tr": {"ilk": 1, "yirmi": 20, "yirminci": 20, "otuz": 30, "otuzuncu": 30, "kırk": 40},
    "he": {
        **{"אחת": 1, "שתיים": 2, "שנים": 2, "שלוש": 3, "ארבע": 4, "חמש": 5, "שש": 6, "שבע": 7, "תשע": 9, "עשר": 10},
        **{"שנייה": 2, "עשרים": 20, "שלושים": 30},
    },
    "ar": {
        **{"الأولى": 1, "الثانية": 2, "الحادي": 1, "عشر": 10, "العشرون": 20, "العشرين": 20, "الثلاثون": 30},
    },
    "fa": {"یکم": 1, "هیجدهم": 18, "سی": 30},
    "sv": {"förste": 1, "andre": 2, "adertonde": 18, "tjugonde": 20, "trettio": 30, "fyrtio": 40},
    "da": {"et": 1, "anden": 2, "ellefte": 11, "tredive": 30},
    "no": {"ett": 1, "annet": 2, "annen": 2, "syvende": 7, "tyvende": 20, "tretti": 30},
    "fi": {"kolmekymmentä": 30},
    "hu": {"két": 2, "harminc": 30, "harmincadik": 30},
    "cs": {"prvá": 1, "třicet": 30, "třicátá": 30},
    "el": {"εικοστό": 20, "τριάντα": 30},
}
_ENDINGS: Mapping[str, Sequence[tuple[str, Sequence[str]]]] = {
    "de": (("e", ("es", "er", "en")),),
    "es": (("o", ("a",)),),
    "pt": (("o", ("a",)),),
    "it": (("o", ("a",)),),
    "ru": (("ый", ("ая", "ое")), ("ой", ("ая", "ое"))),
    "uk": (("ий", ("а", "е")),),
    "pl": (("y", ("a", "e")), ("i", ("a", "ie"))),
    "he": (("י", ("ית",)), ("ון", ("ונה",))),
    "ar": (("", ("ة",)),),
    "cs": (("ý", ("á", "é")),),
    "el": (("ο", ("ος", "η")),),
}
_BETWEEN = frozenset(("et", "und", "y", "e", "и", "i", "en"))
_ALIKE = str.maketrans("ıيك", "iیک")
"""Letters that one keyboard has and another has not: Turkish i without a dot, the Arabic forms of Persian letters."""


def folded(word: str) -> str:
    """A word without case, accents and marks: how number words and the names of parts are compared."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character)).translate(_ALIKE)


def _composed(word: str) -> str:
    """A word without case but with its marks, which tell numbers apart (Norwegian "åttende" is 8, "attende" 18)."""
    return unicodedata.normalize("NFC", word).casefold()


def _words_of(language: str) -> tuple[dict[str, int], frozenset[str]]:
    """The number words of a language, as they are and folded, and which of them are no cardinals."""
    cardinals = {word: value for value, word in enumerate(_CARDINALS[language].split(), start=1)}
    ordinals = {word: value for value, word in enumerate(_ORDINALS[language].split(), start=1)}
    for ending, others in _ENDINGS.get(language, ()):
        for word, value in tuple(ordinals.items()):
            if word.endswith(ending):
                ordinals |= {word[: len(word) - len(ending)] + other: value for other in others}
    words = {**cardinals, **ordinals, **_OTHERS[language]}
    if language == "de":
        tens = {"zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50}
        units = ["ein", *_CARDINALS["de"].split()[1:9]]
        for (unit, one), (ten, many) in product(zip(units, range(1, 10), strict=True), tens.items()):
            words[f"{unit}und{ten}"] = one + many
            words |= {f"{unit}und{ten}ste{ending}": one + many for ending in ("", "s", "r", "n")}
    no_cardinals = words.keys() - cardinals.keys()
    both = {folded(word): value for word, value in words.items()} | words
    return both, frozenset((*no_cardinals, *map(folded, no_cardinals)))


_WORDS = {language: _words_of(language) for language in _CARDINALS}


def number_at(words: Sequence[str], languages: Sequence[str]) -> tuple[int, int] | None:
    """The number that some words begin with, and how many words it takes; None where they begin with none."""
    if not words:
        return None
    first = words[0].rstrip(".:,-–—")
    if (value := plain_number(first)) is not None:
        return value, 1
    for language in languages:
        letters = _LETTERS.get(language)
        if letters and (value := _lettered(first, letters)) is not None:
            return value, 1
        if found := _spelled(words, _WORDS[language][0]):
            return found
    return None


def ordinal_of(word: str, languages: Sequence[str]) -> int | None:
    """The value of an ordinal word ("first"), None for all others."""
    keys = (_composed(word), folded(word))
    return next((_WORDS[name][0][key] for name in languages for key in keys if key in _WORDS[name][1]), None)


def plain_number(word: str) -> int | None:
    """The value of digits or of a Roman numeral."""
    if _DIGITS.fullmatch(word):
        return int(word)
    return roman(word)


def roman(word: str) -> int | None:
    """The value of a Roman numeral, in capitals or not; None for what is none."""
    word = unicodedata.normalize("NFKC", word.translate(_LIKE_ROMAN) if not word.isascii() else word)
    if not _ROMAN.fullmatch(word):
        return None
    values = [_ROMAN_VALUES[letter] for letter in word.lower()]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < after else value for value, after in pairs)


def chinese(numeral: str) -> int | None:
    """The value of a Chinese, Japanese or Korean numeral or of digits ("一千二百三十四", "一二三", "１２")."""
    if _DIGITS.fullmatch(numeral):
        return int(numeral)
    total, last = 0, -1
    if not any(character in _CHINESE_UNITS for character in numeral):
        digits = [str(_CHINESE_DIGITS.get(character, character)) for character in numeral]
        return int("".join(digits)) if 0 < len(digits) <= 4 and all(map(str.isdecimal, digits)) else None
    for character in numeral:
        if (unit := _CHINESE_UNITS.get(character)) is not None:
            total += max(last, 1) * unit if unit not in (20, 30) else unit
            last = -1
        elif (digit := _CHINESE_DIGITS.get(character)) is not None:
            last = digit
        else:
            return None
    return total + max(last, 0)


def _lettered(word: str, letters: Mapping[str, int]) -> int | None:
    """The value of one to three letters of an alphabet used as a numeral; in Greek, two stand for 6."""
    written = word.translate(_QUOTES).lower().replace("στ", "ϛ")
    values = [letters.get(letter, 0) for letter in written]
    if not 1 <= len(values) <= 3 or not all(values) or values != sorted(values, reverse=True):
        return None
    return sum(values)


def _spelled(words: Sequence[str], known: Mapping[str, int]) -> tuple[int, int] | None:
    """A number of one word or two ("twenty-one", "vingt et un", "الثاني عشر"); hyphens part words too."""
    first = words[0].rstrip(".:,–—")
    if value := known.get(_composed(first)) or known.get(folded(first)):
        taken = 1
        rest = list(words[1:3])
        if rest and folded(rest[0]) in _BETWEEN:
            rest, taken = rest[1:], 2
        other = known.get(folded(rest[0].rstrip(".:,-–—")).removeprefix("و"), 0) if rest else 0
        is_sum = other and (value % 10 == 0) != (other % 10 == 0) and min(value, other) < 10
        return (value + other, taken + 1) if is_sum and first == words[0] else (value, 1)
    if "-" in first:
        parts = first.split("-")
        found = _spelled(parts, known)
        return (found[0], 1) if found and found[1] == len(parts) else None
    return None
