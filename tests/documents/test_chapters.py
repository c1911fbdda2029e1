from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from readdesk.cancel import CancelToken
from readdesk.documents.draft import Draft
from readdesk.documents.health import HealthCollector
from readdesk.documents.model import NO_CHAPTERS, Choices, TextSpot
from readdesk.documents.text.chapters import Candidate, running_on
from readdesk.documents.text.numbering import numbered
from readdesk.documents.text.numerals import chinese, number_at, roman
from readdesk.documents.text.reader import read as read_text
from tests.documents.reading import INVISIBLE, Reading, check_random_spans, read, text_resolver
from tests.samples import make
from tests.samples.novel import novel, numeral

WRAPPED = "\n".join(make.LINES)


def of(tmp_path: Path, text: str, chapters: str = "") -> Reading:
    path = tmp_path / "book.txt"
    path.write_text(text, encoding="utf-8", newline="")
    return read(path, choices=Choices(chapters=chapters))


def titles(reading: Reading) -> list[str]:
    return [section.title for section in reading.document.sections]


# -- numbers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numeral", "value"),
    [
        ("一", 1),
        ("十", 10),
        ("十二", 12),
        ("二十", 20),
        ("两百", 200),
        ("一百零五", 105),
        ("一百一十", 110),
        ("一千二百三十四", 1234),
        ("一〇三", 103),
        ("贰拾叁", 23),
        ("壹佰", 100),
        ("廿三", 23),
        ("１２", 12),
        ("삼십이", 32),
        ("天", None),
    ],
)
def test_chinese_numerals(numeral: str, value: int | None) -> None:
    assert chinese(numeral) == value


@given(st.integers(1, 9_999))
def test_chinese_numerals_are_read_as_they_are_written(number: int) -> None:
    assert chinese(numeral(number)) == number


@pytest.mark.parametrize(
    ("words", "language", "value"),
    [
        ("one", "en", 1),
        ("TWENTY-ONE", "en", 21),
        ("Thirty Third", "en", 33),
        ("fünftes", "de", 5),
        ("einundzwanzigstes", "de", 21),
        ("premier", "fr", 1),
        ("dix-sept", "fr", 17),
        ("vingt et un", "fr", 21),
        ("CAPITULO", "es", None),
        ("decimoquinto", "es", 15),
        ("décimo primeiro", "pt", 11),
        ("quattordicesima", "it", 14),
        ("девятнадцатая", "ru", 19),
        ("двадцать третья", "ru", 23),
        ("п'ятий", "uk", 5),
        ("trzecie", "pl", 3),
        ("achttiende", "nl", 18),
        ("on birinci", "tr", 11),
        ("YİRMİ", "tr", 20),
        ("الحادي عشر", "ar", 11),
        ("الثانية", "ar", 2),
        ("السابع", "ar", 7),
        ("י״א", "he", 11),
        ("שלישי", "he", 3),
        ("٤", "ar", 4),
        ("۱۲", "fa", 12),
        ("يازدهم", "fa", 11),
        ("Α´", "el", 1),
        ("ϛ΄", "el", 6),
        ("ΙΣΤ'", "el", 16),
        ("κʹ", "el", 20),
        ("και", "el", None),
        ("ΔΕΚΑΤΟ ΤΡΙΤΟ", "el", 13),
        ("Fjärde", "sv", 4),
        ("anden", "da", 2),
        ("ÅTTENDE", "no", 8),
        ("attende", "no", 18),
        ("druhá", "cs", 2),
        ("xiv", "en", 14),
        ("of", "en", None),
        ("on", "en", None),
    ],
)
def test_number_words(words: str, language: str, value: int | None) -> None:
    found = number_at(words.split(), [language])
    assert (found[0] if found else None) == value


def test_twenty_numbers_of_every_language() -> None:
    """No word of a language's first twenty is two numbers, and none is missing."""
    for language in WORDS:
        from_words = {number_at([word], [language]) for word in WORDS[language].split()}
        assert from_words == {(value, 1) for value in range(1, 21)}, language


WORDS = {
    "en": "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty",
    "de": "erstes zweites drittes viertes fünftes sechstes siebtes achtes neuntes zehntes elftes zwölftes dreizehntes "
    "vierzehntes fünfzehntes sechzehntes siebzehntes achtzehntes neunzehntes zwanzigstes",
    "fr": "première deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième onzième douzième "
    "treizième quatorzième quinzième seizième dix-septième dix-huitième dix-neuvième vingtième",
    "es": "primera segunda tercera cuarta quinta sexta séptima octava novena décima undécima duodécima decimotercera "
    "decimocuarta decimoquinta decimosexta decimoséptima decimoctava decimonovena vigésima",
    "it": "prima seconda terza quarta quinta sesta settima ottava nona decima undicesima dodicesima tredicesima "
    "quattordicesima quindicesima sedicesima diciassettesima diciottesima diciannovesima ventesima",
    "ru": "первая вторая третья четвёртая пятая шестая седьмая восьмая девятая десятая одиннадцатая двенадцатая "
    "тринадцатая четырнадцатая пятнадцатая шестнадцатая семнадцатая восемнадцатая девятнадцатая двадцатая",
    "uk": "перша друга третя четверта п'ята шоста сьома восьма дев'ята десята одинадцята дванадцята тринадцята "
    "чотирнадцята п'ятнадцята шістнадцята сімнадцята вісімнадцята дев'ятнадцята двадцята",
    "pl": "pierwsza druga trzecia czwarta piąta szósta siódma ósma dziewiąta dziesiąta jedenasta dwunasta trzynasta "
    "czternasta piętnasta szesnasta siedemnasta osiemnasta dziewiętnasta dwudziesta",
    "nl": "een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
    "achttien negentien twintig",
    "sv": "första andra tredje fjärde femte sjätte sjunde åttonde nionde tionde elfte tolfte trettonde fjortonde "
    "femtonde sextonde sjuttonde artonde nittonde tjugonde",
    "da": "første anden tredje fjerde femte sjette syvende ottende niende tiende ellevte tolvte trettende fjortende "
    "femtende sekstende syttende attende nittende tyvende",
    "no": "første annet tredje fjerde femte sjette sjuende åttende niende tiende ellevte tolvte trettende fjortende "
    "femtende sekstende syttende attende nittende tjuende",
    "fi": "ensimmäinen toinen kolmas neljäs viides kuudes seitsemäs kahdeksas yhdeksäs kymmenes yhdestoista "
    "kahdestoista kolmastoista neljästoista viidestoista kuudestoista seitsemästoista kahdeksastoista "
    "yhdeksästoista kahdeskymmenes",
    "hu": "első második harmadik negyedik ötödik hatodik hetedik nyolcadik kilencedik tizedik tizenegyedik "
    "tizenkettedik tizenharmadik tizennegyedik tizenötödik tizenhatodik tizenhetedik tizennyolcadik tizenkilencedik "
    "huszadik",
    "cs": "první druhá třetí čtvrtá pátá šestá sedmá osmá devátá desátá jedenáctá dvanáctá třináctá čtrnáctá patnáctá "
    "šestnáctá sedmnáctá osmnáctá devatenáctá dvacátá",
    "fa": "اول دوم سوم چهارم پنجم ششم هفتم هشتم نهم دهم یازدهم دوازدهم سیزدهم چهاردهم پانزدهم شانزدهم هفدهم هجدهم "
    "نوزدهم بیستم",
    "el": "Αʹ Βʹ Γʹ Δʹ Εʹ ΣΤʹ Ζʹ Ηʹ Θʹ Ιʹ ΙΑʹ ΙΒʹ ΙΓʹ ΙΔʹ ΙΕʹ ΙΣΤʹ ΙΖʹ ΙΗʹ ΙΘʹ Κʹ",
}


@given(st.integers(1, 3_999))
def test_roman_numerals(number: int) -> None:
    values = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"))
    left, written = number, ""
    for value, letters in (*values, (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        written += letters * (left // value)
        left %= value
    assert roman(written) == roman(written.lower()) == number


# -- lines -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "rank", "number"),
    [
        ("第一千二百三十四章 大结局", 5, 1234),
        ("第１２章：开始", 5, 12),
        ("第12回 甄士隐梦幻识通灵，贾雨村风尘怀闺秀", 5, 12),
        ("正文 第3章 出山", 5, 3),
        ("第一卷 少年 第三章 出山", 5, 3),
        ("第二部分", 3, 2),
        ("第叁卷", 2, 3),
        ("卷之二 风云", 2, 2),
        ("第三節", 6, 3),
        ("第5集", 3, 5),
        ("番外一 他的童年", 5, None),
        ("楔子", 5, None),
        ("尾声", 5, None),
        ("（三）", 7, 3),
        ("其の一", 5, 1),
        ("第一話　旅立ち", 5, 1),
        ("제1장 시작", 5, 1),
        ("제 12 화", 5, 12),
        ("3부", 1, 3),
        ("CHAPTER XII.", 5, 12),
        ("Chapter Twenty-One: The Boat", 5, 21),
        ("Letter 4", 5, 4),
        ("Canto II", 5, 2),
        ("Act Two", 3, 2),
        ("SCENE III. A room", 6, 3),
        ("BOOK THE SECOND", None, None),
        ("Глава первая", 5, 1),
        ("ГЛАВА ДВАДЦАТЬ ПЕРВАЯ", 5, 21),
        ("Глава 1. Начало", 5, 1),
        ("Часть II", 3, 2),
        ("Том первый", 1, 1),
        ("Книга третья", 2, 3),
        ("Розділ перший", 5, 1),
        ("Erstes Kapitel", 5, 1),
        ("2. Kapitel", 5, 2),
        ("Kapitel 3", 5, 3),
        ("Zweites Buch. Die Reise", 2, 2),
        ("Dritter Akt", 3, 3),
        ("Chapitre premier", 5, 1),
        ("CHAPITRE IV", 5, 4),
        ("Première partie", 3, 1),
        ("Scène 2", 6, 2),
        ("Capítulo primero", 5, 1),
        ("CAPITULO 3", 5, 3),
        ("Capitolo quinto", 5, 5),
        ("Parte segunda", 3, 2),
        ("Libro II", 2, 2),
        ("Rozdział trzeci", 5, 3),
        ("Hoofdstuk vijf", 5, 5),
        ("BİRİNCİ BÖLÜM", 5, 1),
        ("Bölüm 3", 5, 3),
        ("الفصل الأول", 5, 1),
        ("الفصل ١٢", 5, 12),
        ("الباب الثاني", 4, 2),
        ("الجزء الثالث", 2, 3),
        ("פרק א", 5, 1),
        ("פרק י״ב: הים", 5, 12),
        ("פרק ראשון", 5, 1),
        ("Första kapitlet", 5, 1),
        ("KAPITEL FEM", 5, 5),
        ("Andra boken", 2, 2),
        ("Første kapitel", 5, 1),
        ("Annet kapittel", 5, 2),
        ("Ensimmäinen luku", 5, 1),
        ("2. osa", 3, 2),
        ("Első fejezet", 5, 1),
        ("Harmadik rész", 3, 3),
        ("Kapitola první", 5, 1),
        ("Druhá část", 3, 2),
        ("Κεφάλαιο Α´", 5, 1),
        ("ΚΕΦΑΛΑΙΟ ΠΡΩΤΟ", 5, 1),
        ("Δεύτερο μέρος", 3, 2),
        ("فصل اول", 5, 1),
        ("بخش دوم", 3, 2),
        ("บทที่ 1", 5, 1),
        ("บทที่๑๒ การเดินทาง", 5, 12),
        ("अध्याय 1", 5, 1),
        ("अध्याय १२: यात्रा", 5, 12),
        ("Del tre maggio non so nulla", None, None),
        ("Chapter two of my life began in the rain", None, None),
        ("Глава семьи вошёл в дом", None, None),
        ("Part of the problem", None, None),
        ("Partie de chasse", None, None),
        ("一个人走了", None, None),
        ("三月的雪", None, None),
        ("我们", None, None),
        ("Book One more flight, he said to the girl, and then we shall see what becomes of us all today", None, None),
    ],
)
def test_what_a_line_is_numbered_as(line: str, rank: int | None, number: int | None) -> None:
    found = numbered(line)
    assert (found.rank if found else None, found.number if found else None) == (rank, number)
    assert found is None or found.is_sure


@pytest.mark.parametrize(
    "line",
    [
        "第一章里说到，这个人很怪。",
        "第三集团军出发了",
        "第一章 他来了，他又走了。",
        "الفصل الأول من الكتاب يتحدث عن رجل كان يعيش في قرية صغيرة قرب البحر،",
        "十二、出山",
    ],
)
def test_what_is_only_possible(line: str) -> None:
    found = numbered(line)
    assert found is not None and not found.is_sure


# -- sequences ---------------------------------------------------------------------------------------------------


def chain(*numbers: float) -> list[int | None]:
    """The numbers that are kept; those with a half are only possible."""
    candidates = [Candidate(place, int(number), number == int(number)) for place, number in enumerate(numbers)]
    return [found.number for found in running_on(candidates)]


def test_numbers_that_run_on_are_kept() -> None:
    assert chain(1, 2, 3, 4) == [1, 2, 3, 4]
    assert chain(1, 2, 3, 1, 2, 3, 1, 2) == [1, 2, 3, 1, 2, 3, 1, 2]
    assert chain(1, 2, 2, 3, 5, 6) == [1, 2, 2, 3, 5, 6]
    assert chain(1, 2, 40, 3, 4) == [1, 2, 3, 4]
    assert chain(7) == [7]
    assert chain() == []


def test_what_is_only_possible_needs_its_neighbours() -> None:
    assert chain(1.5) == chain(1.5, 7.5) == []
    assert chain(1.5, 2.5, 3.5, 4.5) == [1, 2, 3, 4]
    assert chain(1, 2, 1.5, 3) == [1, 2, 3]
    assert chain(1, 2.5, 3) == [1, 2, 3]
    assert chain(1, 2, 3.5, 3, 4) == [1, 2, 3, 4]


# -- whole texts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_spaced", [True, False])
@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "big5", "utf-16-le"])
def test_a_chinese_novel(tmp_path: Path, is_spaced: bool, encoding: str) -> None:
    """Every chapter is a section of its volume, and sentences about chapters are text."""
    text = novel(120, 60_000, volumes=4, is_spaced=is_spaced)
    path = tmp_path / "book.txt"
    path.write_bytes(text.encode(encoding, "ignore"))
    reading = read(path)
    assert reading.head.title == "星海行者" and reading.head.authors == ("佚名",)
    assert reading.health.structure == "headings"
    sections = reading.document.sections
    lines = [line for line in path.read_bytes().decode(encoding).split("\n") if line and line[0] == "第"]
    assert [section.title for section in sections[1:]] == [line.strip() for line in lines]
    assert [section.level for section in sections[1:] if "卷 " in section.title] == [1] * 4
    assert {section.level for section in sections[1:] if "章 " in section.title} == {2}
    check_random_spans(reading.document, text_resolver(path.read_bytes().decode(encoding)))


def test_a_long_novel_is_read_whole(tmp_path: Path) -> None:
    """Six megabytes, 1,600 chapters; how long that takes is measured by the bench."""
    path = tmp_path / "book.txt"
    path.write_text(novel(1_600, 2_000_000, volumes=8), encoding="utf-8")
    assert path.stat().st_size > 6_000_000
    drafts = list(read_text(path, Choices(), HealthCollector(), CancelToken()))
    assert sum(isinstance(part, Draft) for part in drafts) > 50_000


@pytest.mark.parametrize(
    ("headings", "levels"),
    [
        (["Глава первая", "Глава вторая. Лес", "Глава третья", "Эпилог"], [1, 1, 1, 1]),
        (["Часть первая", "Глава 1", "Глава 2", "Часть вторая", "Глава 1", "Глава 2"], [1, 2, 2, 1, 2, 2]),
        (["Erstes Kapitel", "Zweites Kapitel", "Drittes Kapitel", "Nachwort"], [1, 1, 1, 1]),
        (["Première partie", "Chapitre premier", "Chapitre II", "Deuxième partie", "Chapitre III"], [1, 2, 2, 1, 2]),
        (["الفصل الأول", "الفصل الثاني: البحر", "الفصل الثالث", "خاتمة"], [1, 1, 1, 1]),
        (["פרק א", "פרק ב", "פרק ג"], [1, 1, 1]),
        (["Första kapitlet", "Andra kapitlet", "Tredje kapitlet"], [1, 1, 1]),
        (["Del ett", "Kapitel 1", "Kapitel 2", "Del två", "Kapitel 3"], [1, 2, 2, 1, 2]),
        (["Første kapitel", "Andet kapitel", "Tredje kapitel"], [1, 1, 1]),
        (["Ensimmäinen luku", "Toinen luku", "Kolmas luku"], [1, 1, 1]),
        (["Első fejezet", "Második fejezet", "Harmadik fejezet"], [1, 1, 1]),
        (["Kapitola první", "Kapitola druhá", "Kapitola třetí"], [1, 1, 1]),
        (["Κεφάλαιο Α´", "Κεφάλαιο Β´", "Κεφάλαιο Γ´"], [1, 1, 1]),
        (["فصل اول", "فصل دوم", "فصل سوم"], [1, 1, 1]),
        (["บทที่ 1", "บทที่ 2", "บทที่ 3"], [1, 1, 1]),
        (["अध्याय 1", "अध्याय 2", "अध्याय 3"], [1, 1, 1]),
        (["제1장 시작", "제2장 바다", "제3장 끝", "에필로그"], [1, 1, 1, 1]),
        (["第一章 旅", "第二章 海", "第三章 家", "あとがき"], [1, 1, 1, 1]),
        (["楔子", "第一章 山", "第二章 海", "番外一 他", "尾声"], [1, 1, 1, 1, 1]),
        (["一", "二", "三", "四"], [1, 1, 1, 1]),
        (["Letter 1", "Letter 2", "Chapter 1", "Chapter 2", "Chapter 3"], [1, 1, 1, 1, 1]),
    ],
)
def test_headings_of_many_languages(tmp_path: Path, headings: list[str], levels: list[int]) -> None:
    reading = of(tmp_path, "\n\n".join(f"{heading}\n\n{WRAPPED}" for heading in headings))
    assert titles(reading) == headings
    assert [section.level for section in reading.document.sections] == levels


def test_headings_without_blank_lines(tmp_path: Path) -> None:
    """A heading that only its own line parts from the text, among lines that say as much in a sentence."""
    mention = "Chapter 2 Is Where He Dies, they say, and nobody could tell me why it\nhad to be so."
    text = "\n".join(f"Chapter {number}\n{WRAPPED}" for number in range(1, 6))
    reading = of(tmp_path, f"{text}\n{mention}\n{WRAPPED}")
    assert titles(reading)[-5:] == [f"Chapter {number}" for number in range(1, 6)]


def test_one_sentence_about_a_chapter_is_no_heading(tmp_path: Path) -> None:
    for sentence in ("第一章里说到，这个人很怪。", "Глава семьи вошёл в дом.", "Chapter two of my life began."):
        assert len(of(tmp_path, f"{sentence}\n\n{WRAPPED}\n\n{sentence}\n\n{WRAPPED}").document.sections) == 1


def prose(words: int) -> str:
    """Wrapped paragraphs of about so many words."""
    return "\n\n".join([WRAPPED] * (words // len(WRAPPED.split())))


def test_titles_in_capitals(tmp_path: Path) -> None:
    """Three different ones with pages between them divide a text."""
    names = ["THE CAPTAIN", "THE POSTMAN", "THE BOATS"]
    reading = of(tmp_path, "\n\n".join(["A Book", *(f"{name}\n\n{prose(400)}" for name in names)]))
    assert titles(reading) == ["A Book", *names]


def test_signs_in_capitals_are_no_titles(tmp_path: Path) -> None:
    few = "\n\n".join(["A Story", prose(500), "KEEP OUT", prose(500), "THE END IS NIGH", prose(500)])
    close = "\n\n".join(["A Story", *(f"{sign}\n\n{prose(100)}" for sign in ("KEEP OUT", "BEWARE", "NO ENTRY"))])
    assert titles(of(tmp_path, few)) == titles(of(tmp_path, close)) == ["A Story"]


@pytest.mark.parametrize("words", [60, 400])
def test_speakers_are_no_chapters(tmp_path: Path, words: int) -> None:
    """Whoever speaks more than twice is no chapter; nor is, among such, who speaks once."""
    speakers = ["JONES", "SMITH"] * 6 + ["A VOICE", "THE DOOR", "A CHILD"]
    reading = of(tmp_path, "\n\n".join(["INTERVIEW", *(f"{speaker}\n\n{prose(words)}" for speaker in speakers)]))
    assert titles(reading) == ["INTERVIEW"]


def paged(lines: list[str], length: int, is_below: bool, gap: str = "\n\n") -> str:
    """The lines on pages of a length, each with its number below or above."""
    pages = ["\n".join(lines[at : at + length]) for at in range(0, len(lines), length)]
    numbered_pages = enumerate(pages, start=1)
    return gap.join(f"{page}{gap}{number}" if is_below else f"{number}{gap}{page}" for number, page in numbered_pages)


def printed(reading: Reading) -> list[tuple[str, str]]:
    """The pages that are marked, and the first word that each begins with."""
    paragraphs = reading.document.paragraphs
    return [(mark.value, one.text[mark.start :].split()[0]) for one in paragraphs for mark in one.marks]


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize("is_below", [True, False])
@pytest.mark.parametrize("has_chapters", [True, False])
def test_page_numbers_are_marks(tmp_path: Path, has_chapters: bool, is_below: bool, gap: str) -> None:
    """They are no chapters and part no paragraph; each marks where its page begins."""
    whole = " ".join(make.LINES * 5)
    lines = []
    for number in range(1, 6):
        lines += [f"CHAPTER {number}", ""] if has_chapters else []
        lines += [*textwrap.wrap(whole, 64), ""] * 5
    text = paged(lines, 23, is_below, gap)
    reading = of(tmp_path, f"A Book\n\n{text}")
    chapters = [f"CHAPTER {number}" for number in range(1, 6)] * has_chapters
    assert titles(reading) == ["A Book", *chapters]
    assert [one.text for one in reading.document.paragraphs].count(whole) == 25
    firsts = [next(line for line in lines[at:] if line).split()[0] for at in range(0, len(lines), 23)]
    firsts[0] = "A" if is_below else firsts[0]
    assert printed(reading) == [(str(number), first) for number, first in enumerate(firsts, start=1)]
    check_random_spans(reading.document, text_resolver(f"A Book\n\n{text}"), 40)


def test_page_numbers_of_hard_wrapped_chinese(tmp_path: Path) -> None:
    sentence = "他在那座山上住了很多年没有人记得他是什么时候来的也没有人知道他为什么留下。"
    lines = [line for _ in range(40) for line in ("　　" + sentence[:28], sentence[28:] + sentence[:20], sentence[20:])]
    reading = of(tmp_path, paged(lines, 34, is_below=True))
    assert len(reading.document.sections) == 1
    assert [value for value, _ in printed(reading)] == ["1", "2", "3", "4"]
    assert [one.text for one in reading.document.paragraphs] == [sentence * 2] * 40


def test_numbers_of_chapters_are_no_page_numbers(tmp_path: Path) -> None:
    """Sentences have ended before them, or they number short poems; and a person may say that they are chapters."""
    chapters = "\n\n".join(f"{number}\n\n{prose(300)}" for number in range(1, 6))
    assert titles(of(tmp_path, chapters)) == ["1", "2", "3", "4", "5"]
    poem = "the boats are coming in\nand nobody is there\nto count them or to call"
    poems = "\n\n".join(f"{number}\n\n{poem}" for number in range(1, 6))
    assert titles(of(tmp_path, poems)) == ["1", "2", "3", "4", "5"]
    chosen = of(tmp_path, paged([*make.LINES] * 60, 23, is_below=False), r"\d+$")
    assert titles(chosen) == [str(number) for number in range(1, 12)] and not printed(chosen)


def test_titles_on_the_next_line(tmp_path: Path) -> None:
    chapters = [
        f"第{numeral(number)}章\n{title}\n　　{'他走了很久。' * 9}\n" for number, title in enumerate("山海家路", 1)
    ]
    reading = of(tmp_path, "\n".join(chapters))
    assert titles(reading) == ["第一章: 山", "第二章: 海", "第三章: 家", "第四章: 路"]


def test_a_list_of_contents(tmp_path: Path) -> None:
    names = ["第一章 山", "第二章 海", "第三章 家", "第四章 路"]
    text = (
        "书\n\n目录\n" + "\n".join(names) + "\n\n" + "\n".join(f"{name}\n　　{'他走了很久。' * 30}" for name in names)
    )
    reading = of(tmp_path, text)
    assert titles(reading) == ["书", "目录", *names]
    assert [found.matter for found in reading.health.sectioned] == ["", "contents", "", "", "", ""]
    assert reading.by_section()[1][1] == ["目录", *names]


def test_a_list_of_contents_without_a_name_and_what_follows_it(tmp_path: Path) -> None:
    names = [f"Chapter {number}. {name}" for number, name in enumerate(("The Boat", "The Sea", "The Shore"), 1)]
    text = "\n\n".join(["A Book", *names, "Nobody asked for this book, and here it is.", *names[:0]])
    text += "\n\n" + "\n\n".join(f"{name}\n\n{WRAPPED}\n\n{WRAPPED}" for name in names)
    reading = of(tmp_path, text)
    assert titles(reading) == ["A Book", "Contents", "A Book", *names]
    assert [found.matter for found in reading.health.sectioned][:3] == ["", "contents", ""]
    assert reading.by_section()[2][1] == ["Nobody asked for this book, and here it is."]


def test_parts_of_a_long_text_without_chapters(tmp_path: Path) -> None:
    paragraph = make.PARAGRAPH * 20
    reading = of(tmp_path, "\n\n".join([paragraph] * 60))
    assert reading.health.structure == "parts" and titles(reading) == ["Part 1", "Part 2", "Part 3", "Part 4"]
    words = [found.words for found in reading.health.sectioned]
    assert all(5_000 <= count < 5_400 for count in words[:-1])
    assert of(tmp_path, "\n\n".join([paragraph] * 40)).health.structure == ""


# -- what a person chooses ---------------------------------------------------------------------------------------


def test_no_chapters(tmp_path: Path) -> None:
    reading = of(tmp_path, novel(20, 20_000), NO_CHAPTERS)
    assert len(reading.document.sections) == 1 and reading.health.structure == ""


def test_a_pattern(tmp_path: Path) -> None:
    text = "\n".join(f"log {number}: night\n{WRAPPED}" for number in range(4))
    reading = of(tmp_path, text, r"LOG \d+:")
    assert titles(reading) == [f"log {number}: night" for number in range(4)]
    assert reading.health.structure == "headings"
    assert len(of(tmp_path, text, "nothing like it").document.sections) == 1


# -- Project Gutenberg -------------------------------------------------------------------------------------------


def test_project_gutenberg(tmp_path: Path) -> None:
    text = (
        f"The Project Gutenberg eBook of The Boat\n\n{WRAPPED}\n\nTitle: The Boat\n      and the Sea\n\n"
        f"Author: Ann Author\n\nLanguage: English\n\n*** START OF THE PROJECT GUTENBERG EBOOK THE BOAT ***\n\n\n"
        f"THE BOAT\n\nCHAPTER I\n\n{WRAPPED}\n\nCHAPTER II\n\n{WRAPPED}\n\n"
        f"*** END OF THE PROJECT GUTENBERG EBOOK THE BOAT ***\n\nSection 1. General Terms\n\n{WRAPPED}"
    )
    reading = of(tmp_path, text)
    assert reading.head.title == "The Boat and the Sea" and reading.head.authors == ("Ann Author",)
    licence = "Project Gutenberg licence"
    assert titles(reading) == [licence, "THE BOAT", "CHAPTER I", "CHAPTER II", licence]
    assert [found.matter for found in reading.health.sectioned] == ["licence", "", "", "", "licence"]
    check_random_spans(reading.document, text_resolver(text))


# -- any text ----------------------------------------------------------------------------------------------------

LINES = st.sampled_from(
    [
        *("第一章 山", "第二章", "目录", "　　他走了。", "Chapter 1", "CHAPTER II", "Contents", "1. One", "II", ""),
        *(
            "1",
            "2",
            "3",
            "4",
            f"{make.PARAGRAPH * 8}and",
            f"{WRAPPED}\nand it rained, and rained, and did not stop, and",
        ),
        *(
            "",
            " ",
            "\t",
            "Глава первая",
            "*** START OF THE PROJECT GUTENBERG EBOOK X ***",
            WRAPPED,
            "THE END",
            "Title: x",
        ),
    ]
)


@given(st.lists(st.one_of(LINES, st.text(max_size=40)), max_size=25), st.sampled_from(["\n", "\r\n", "\r", "\n\n"]))
@example(["CHAPTER II", "000A", "000À"], "\n\n")
def test_every_character_is_in_one_paragraph_or_the_value_of_a_page_mark(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], end: str
) -> None:
    text = end.join(lines).encode("utf-8", "ignore").decode().removeprefix("\ufeff")
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    drafts = [part for part in read_text(path, Choices(), HealthCollector(), CancelToken()) if isinstance(part, Draft)]
    found: list[int] = []
    for draft in drafts:
        for piece in draft.pieces:
            spot = piece.spot
            assert isinstance(spot, TextSpot)
            assert draft.text[piece.start : piece.end].split() == text[spot.start : spot.end].split()
            found += range(spot.start, spot.end)
    assert len(found) == len(set(found))
    visible = [at for at, character in enumerate(text) if not character.isspace() and ord(character) not in INVISIBLE]
    # Nothing here is a word that a line's end divides and that stands elsewhere without its hyphen.
    pages = [mark.value for draft in drafts for mark in draft.marks if mark.kind == "page"]
    assert "".join(text[at] for at in sorted(set(visible) - set(found))) == "".join(pages)
