"""Languages of text recognition: their names, and which of those that are installed suit a book.

Tesseract calls its languages by three letters (ISO 639-2 or -3, "deu"), some with the script after them ("chi_sim").
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QLocale

translate = QCoreApplication.translate

_NO_LANGUAGES = frozenset({"osd", "equ", "snum"})
"""Models that find out how a page lies, or read formulas; no text is written in them."""

_CHINESE = {"chi_sim": "zh", "chi_tra": "zh"}


def offered(installed: Sequence[str]) -> tuple[str, ...]:
    """The installed languages that a person can choose, by their names."""
    return tuple(sorted((code for code in installed if code not in _NO_LANGUAGES), key=recognition_name))


def recognition_name(code: str) -> str:
    """A language of text recognition in the window's language; its code where Qt does not know it."""
    stem, _, rest = code.partition("_")
    special = {
        "chi_sim": translate("Languages", "Chinese, simplified"),
        "chi_tra": translate("Languages", "Chinese, traditional"),
    }
    found = next((words for start, words in special.items() if code.startswith(start)), "")
    if not found:
        language = QLocale.codeToLanguage(stem)
        if language in (QLocale.Language.AnyLanguage, QLocale.Language.C):
            return code
        found = QLocale.languageToString(language)
        notes = [rest.replace("_", " ")] if rest and rest != "vert" else []
    else:
        notes = []
    if code.endswith("_vert"):
        notes.append(translate("Languages", "vertical"))
    return f"{found} ({', '.join(notes)})" if notes else found


def suited(installed: Sequence[str], language: str) -> tuple[str, ...]:
    """The installed languages to begin with: the book's own, else the window's, else English, else the first."""
    codes = offered(installed)
    for wanted in (language.partition("-")[0], QLocale().name().partition("_")[0], "en"):
        found = tuple(code for code in codes if wanted and wanted == _two_letters(code))
        if found:
            return found
    return codes[:1]


def _two_letters(code: str) -> str:
    """The two letters of a language; "" for a vertical or an old variant, which nobody has by default."""
    if code in _CHINESE:
        return _CHINESE[code]
    if "_" in code:
        return ""
    return QLocale.languageToCode(QLocale.codeToLanguage(code))
