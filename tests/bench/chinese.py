"""A long Chinese text made of real sentences, with chapters as web novels have them."""

from __future__ import annotations

import json
import random
from pathlib import Path

_DIGITS = "零一二三四五六七八九"
_PASSAGES = "xquad/xquad_zh.jsonl"


def chinese_text(data: Path, size: int, chapters: int, seed: int) -> str:
    """About so many bytes of UTF-8 in so many chapters, drawn from the passages of XQuAD."""
    chance = random.Random(seed)
    lines = (data / _PASSAGES).read_text("utf-8").splitlines()
    passages = [" ".join(json.loads(line)["passage"].split()) for line in lines]
    parts = ["《长书》", ""]
    written = 0
    for number in range(1, chapters + 1):
        parts += [f"第{numeral(number)}章 {chance.choice(passages)[:6].strip('，。 ')}", ""]
        while written < size * number // chapters:
            passage = chance.choice(passages)
            parts += [f"　　{passage}", ""]
            written += len(passage.encode())
    return "\n".join(parts)


def numeral(number: int) -> str:
    """A number up to 9,999 as Chinese writes it."""
    written, zero = "", False
    for power, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // power % 10
        if digit:
            is_plain_ten = power == 10 and digit == 1 and not written
            written += ("零" if zero else "") + ("" if is_plain_ten else _DIGITS[digit]) + unit
            zero = False
        else:
            zero = bool(written)
    return written
