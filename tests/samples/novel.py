"""A Chinese web novel as people have them: one file, a paragraph a line, a volume now and then, chapters by number."""

from __future__ import annotations

import random

DIGITS = "零一二三四五六七八九"
COMMON = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事"
    "成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此"
    "已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代"
)
SURNAMES = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许"


def numeral(number: int) -> str:
    """A number up to 9,999 as Chinese writes it: 一千二百三十四, 一百零五, 二十."""
    found, has_gap = "", False
    for value, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, value)
        if digit:
            found += ("零" if has_gap and found else "") + DIGITS[digit] + unit
            has_gap = False
        else:
            has_gap = True
    return found.removeprefix("一") if found.startswith("一十") else found


def novel(chapters: int, characters: int, *, volumes: int = 0, is_spaced: bool = True, seed: int = 1) -> str:
    """A novel of so many chapters and about so many characters; paragraphs are indented by two wide spaces."""
    chance = random.Random(seed)
    each = characters // chapters
    parts = ["《星海行者》\n作者：佚名\n"]
    for number in range(1, chapters + 1):
        if volumes and (number - 1) % (chapters // volumes) == 0:
            parts.append(f"第{numeral(1 + (number - 1) // (chapters // volumes))}卷 {_words(chance, 4)}\n")
        parts.append(f"第{numeral(number)}章 {_words(chance, chance.randint(2, 8))}\n")
        length = 0
        while length < each:
            paragraph = _paragraph(chance)
            length += len(paragraph)
            parts.append(f"\u3000\u3000{paragraph}\n" + ("\n" if is_spaced else ""))
    return "\n".join(parts) if is_spaced else "".join(parts)


def _words(chance: random.Random, length: int) -> str:
    return "".join(chance.choices(COMMON, k=length))


def _paragraph(chance: random.Random) -> str:
    """One to three sentences, some of them spoken; now and then one mentions a chapter."""
    if chance.random() < 0.002:
        return f"第{numeral(chance.randint(1, 30))}章里说到，{_words(chance, 12)}。"
    said = "，".join(_words(chance, chance.randint(4, 14)) for _ in range(chance.randint(1, 4)))
    end = chance.choice("。。。！？……")
    return f"“{said}{end}”{chance.choice(SURNAMES)}{_words(chance, 3)}道。" if chance.random() < 0.4 else f"{said}{end}"
