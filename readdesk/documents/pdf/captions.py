"""What a row says by its words alone: the entry of a list, a caption, the mark of a note, an entry of contents.

Captions are known by a word that names a figure or a table, in the languages that books are mostly written in, and a
number behind it that something closes; "Figure 3 shows" begins a sentence. What must stay true: one look at the row's
own text decides.
"""

from __future__ import annotations

import re

_BULLET = re.compile(r"\s*[•‣▪◦●■–—*·]\s|\s*[•‣▪◦●■]")
_NUMBERED = re.compile(r"\s*(?:\(?\d{1,3}[.)]|\(?[a-z][.)]|\([A-Zivx]{1,5}\)|\[\d{1,3}\])\s+\S")
_LEADERS = re.compile(r"(?:\s?[.·…]){4,}\s*\S{0,8}$")
_NOTE_MARK = re.compile(r"\s*(?:\d{1,3}|[*†‡§¶])\s*\S")
_FINISHED = re.compile(r"(?:[.!?:;。！？…][\"'”’»)\]」』]*|[■□∎◻])$")
_NUMBER = r"(?:\s*\d+(?:[.\-–]\d+)*[a-z]?|\s+(?-i:[A-Z]\d*(?:\.\d+)*|[IVXLC]+))"
_NAME = (
    r"\s*(?:fig(?:ure|\.)?|tab(?:le|\.)?|abb(?:ildung|\.)?|tabelle|listing|algorithm|plate|scheme|chart|exhibit|box"
    r"|figura|tabla|cuadro|tableau|tabela|quadro|рис(?:унок|\.)?|табл(?:ица|\.)?|листинг)"
)
_CAPTION = re.compile(rf"{_NAME}{_NUMBER}\s*(?:[:.|—–-](?:\s|$)|:|\s*$)", re.IGNORECASE)
_NAMED = re.compile(rf"{_NAME}{_NUMBER}\s+\S", re.IGNORECASE)
_CJK_CAPTION = re.compile(rf"\s*[図表图圖]{_NUMBER}\s*(?:[:：.]|\s)")
_CAPTION_START = frozenset("ftalpscebqрРтТлЛ図表图圖FTALPSCEBQ")


def is_bullet(text: str) -> bool:
    """Whether an entry with a bullet begins."""
    return bool(_BULLET.match(text))


def is_numbered(text: str) -> bool:
    """Whether an entry with a number or letter begins."""
    return bool(_NUMBERED.match(text))


def has_leaders(text: str) -> bool:
    """Whether dots lead to a page number at the end."""
    end = text[-14:]
    return ("." in end or "·" in end or "…" in end) and bool(_LEADERS.search(text))


def begins_note(text: str) -> bool:
    """Whether the mark of a footnote stands at the beginning."""
    return bool(_NOTE_MARK.match(text))


def is_finished(text: str) -> bool:
    """Whether a sentence ends with the text."""
    return bool(_FINISHED.search(text.rstrip()[-6:]))


def may_be_caption(text: str) -> bool:
    """Whether a name and a number begin a row that would be a caption beside a table: "Table 5.1 Paths"."""
    return text[:1] in _CAPTION_START and bool(_NAMED.match(text)) and not is_finished(text)


def is_caption(text: str) -> bool:
    """Whether a figure's or table's caption begins."""
    if text[:1] not in _CAPTION_START:
        return False
    return bool(_CAPTION.match(text)) or (bool(_CJK_CAPTION.match(text)) and not is_finished(text))
