"""What a report says of a book, in words: how long reading it will take, what it is made of, what is left out."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QLocale

from readdesk.documents.model import ENCODINGS, Format, Section, Structure
from readdesk.gui import figures
from readdesk.gui.matters import matter_words
from readdesk.library.model import HealthReport

translate = QCoreApplication.translate


def effort_words(report: HealthReport) -> str:
    """How many pages there will be and how long the report's model takes for them."""
    pages = translate("Estimates", "about {pages}").format(pages=figures.pages(report.pages))
    if report.seconds is None:
        return _sentence(pages)
    words = translate("Estimates", "{pages}, about {time} with {model}").format(
        pages=pages, time=figures.duration(_rounded(report.seconds)), model=report.model
    )
    if not report.is_measured:
        words = translate("Estimates", "{words} (a rough guess)").format(words=words)
    return _sentence(words)


def read_words(report: HealthReport) -> str:
    """How many words are to be read."""
    return figures.words(sum(section.words for section in report.sections if not section.is_left_out))


def left_out_summary(sections: Sequence[Section]) -> str:
    """What is left out, in short: "Left out: cover, notes, 2 other sections"; "" for nothing."""
    left = [section for section in sections if section.is_left_out]
    names = list(dict.fromkeys(words for section in left if (words := matter_words(section.matter))))
    others = sum(1 for section in left if not section.matter)
    if others == 1:
        names.append(translate("Estimates", "1 section more") if names else translate("Estimates", "1 section"))
    elif others:
        more = translate("Estimates", "{count} sections more") if names else translate("Estimates", "{count} sections")
        names.append(more.format(count=others))
    return translate("Estimates", "Left out: {names}.").format(names=", ".join(names)) if names else ""


def format_words(form: Format) -> str:
    """What kind of file it is."""
    return {
        "epub": translate("Estimates", "EPUB"),
        "pdf": translate("Estimates", "PDF"),
        "text": translate("Estimates", "Plain text"),
        "markdown": translate("Estimates", "Markdown"),
        "html": translate("Estimates", "Web page (HTML)"),
        "fb2": translate("Estimates", "FictionBook (FB2)"),
        "mobi": translate("Estimates", "Kindle book (MOBI)"),
        "xps": translate("Estimates", "XPS"),
        "cbz": translate("Estimates", "Comic (CBZ)"),
    }[form]


def structure_words(structure: Structure, count: int) -> str:
    """How many sections were found, and what they were made from; "" where nobody knows."""
    sections = (
        translate("Estimates", "1 section")
        if count == 1
        else translate("Estimates", "{count} sections").format(count=count)
    )
    source = {
        "": "",
        "contents": translate("Estimates", "from the book's own table of contents"),
        "headings": translate("Estimates", "from the headings in the text"),
        "files": translate("Estimates", "one for each file of the book"),
        "parts": translate("Estimates", "parts of equal length, since no chapters were found"),
    }[structure]
    return f"{sections}, {source}" if source else sections


def language_words(code: str) -> str:
    """A language by its code; the code itself where Qt does not know it."""
    language = QLocale.codeToLanguage(code.partition("-")[0])
    return code if language == QLocale.Language.AnyLanguage else QLocale.languageToString(language)


def encoding_words(name: str) -> str:
    """An encoding by the name that Python knows too."""
    known = {code.casefold(): words for code, words in ENCODINGS}
    return known.get(name.casefold(), name)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


def _rounded(seconds: float) -> float:
    """To five minutes where it takes hours: an estimate is no more exact."""
    return 300 * round(seconds / 300) if seconds > 5400 else seconds
