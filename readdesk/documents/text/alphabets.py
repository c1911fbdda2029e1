"""Which one-byte encoding a text in the Latin script is in, by the letters that its language has.

German reads the same in four encodings, French in three, and statistics of letter pairs mistake one for another
(charset-normalizer 3.5 calls German Windows-1250). But a wrong encoding soon shows letters that no single language
has together, capitals within words, or signs between letters. So each encoding is tried with each language that is
written in it, and the one that explains most of the bytes above 127 is taken; of equals, the first, which is the most
common. Letters of another language count half: they are in foreign names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

_WESTERN = (
    "äöüß",
    "àâæçéèêëîïôœùûüÿ",
    "áéíñóúüïçª°º",
    "áâãàçéêíóôõúüªº",
    "àèéìíîòóùú",
    "éëïóöüèêçáíúàâîôû",
    "åäöæøéüàèêóò",
    "áðéíóúýþæö",
    "àçèéíïòóúü",
    "äöõüšž",
    "àèéêëçñöüôïæœîâ",
)
_CENTRAL = (
    "ąćęłńóśźż",
    "áčďéěíňóřšťúůýž",
    "áäčďéíĺľňóôŕšťúýž",
    "áéíóöőúüű",
    "čćđšž",
    "ăâîşţ",
    "äöüß",
)
_LANGUAGES: Mapping[str, Sequence[str]] = {
    "cp1252": _WESTERN,
    "cp1250": _CENTRAL,
    "iso8859_2": _CENTRAL,
    "cp1254": ("çğıöşüâîûi̇",),
    "cp1257": ("ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž"),
    "cp850": _WESTERN,
    "cp852": _CENTRAL,
    "mac_roman": _WESTERN,
}
_SIGNS = frozenset("‘’‚“”„–—…«»‹›§°£€©®¡¿·•†‡´\u00a0\u00ad½¼¾²³¹×")
_SIGNS_IN_WORDS = frozenset("‘’–—…·\u00a0\u00ad")
_LETTERS_ALONE = frozenset("àéóåîèìòöyœø")
_MOST_HIGH = 0.4
_FEWEST_EXPLAINED = 0.85
_FOREIGN = 0.5

_Seen = Counter[tuple[int, int, int]]


def latin(data: bytes) -> str:
    """The encoding of a text in Latin letters, "" for what is none."""
    seen: _Seen = Counter(
        (before, byte, after)
        for before, byte, after in zip(b" " + data, data, data[1:] + b" ", strict=False)
        if byte > 127
    )
    high = seen.total()
    if not high or high > _MOST_HIGH * len(data):
        return ""
    best, most = "", 0.0
    for encoding, languages in _LANGUAGES.items():
        table = bytes(range(256)).decode(encoding, "replace")
        names = frozenset("".join(languages))
        for letters in languages:
            own = frozenset(letters)
            explained = sum(count * _explained(found, table, own, names) for found, count in seen.items())
            if explained > most:
                best, most = encoding, explained
    return best if most >= _FEWEST_EXPLAINED * high else ""


def _explained(found: tuple[int, int, int], table: str, own: frozenset[str], names: frozenset[str]) -> float:
    """How well a byte between its neighbours is explained: by a letter of the language or of a name, or by a sign."""
    before, character, after = (table[byte] for byte in found)
    if not character.isalpha():
        is_odd = before.isalpha() and after.isalpha() and character not in _SIGNS_IN_WORDS
        return float(character in _SIGNS and not is_odd)
    small = character.lower()
    is_alone = not before.isalpha() and not after.isalpha()
    if (character.isupper() and before.islower()) or (is_alone and small not in _LETTERS_ALONE):
        return 0.0
    if small in own or character == "İ":
        return 1.0
    return _FOREIGN if small in names else 0.0
