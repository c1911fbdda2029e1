"""The command `health`: what a person should know before spending hours on a document.

A document of the library is looked at as it is; with other choices, and for a file that is not in the library, the file
is read and nothing is kept. Of a PDF one leaf can be asked for, with what a model reads of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from readdesk.cli.books import document_json
from readdesk.cli.leaves import leaf_json, leaf_words, leaves_json, leaves_lines, named_words
from readdesk.cli.session import Session, duration
from readdesk.desk import Desk
from readdesk.documents.model import Choices, Matter, Section, Structure
from readdesk.errors import NotFoundError
from readdesk.library.model import DocumentRecord, HealthReport

_LANGUAGES = dict(
    pair.split("=")
    for pair in (
        "ar=Arabic bg=Bulgarian bn=Bengali ca=Catalan cs=Czech da=Danish de=German el=Greek en=English es=Spanish "
        "et=Estonian eu=Basque fa=Persian fi=Finnish fr=French ga=Irish gl=Galician he=Hebrew hi=Hindi hr=Croatian "
        "hu=Hungarian hy=Armenian id=Indonesian is=Icelandic it=Italian ja=Japanese ka=Georgian ko=Korean la=Latin "
        "lt=Lithuanian lv=Latvian ms=Malay nb=Norwegian nl=Dutch no=Norwegian pl=Polish pt=Portuguese ro=Romanian "
        "ru=Russian sk=Slovak sl=Slovenian sq=Albanian sr=Serbian sv=Swedish ta=Tamil th=Thai tr=Turkish uk=Ukrainian "
        "ur=Urdu vi=Vietnamese zh=Chinese"
    ).split()
)
_MATTERS: dict[Matter, str] = {
    "": "left out by you",
    "cover": "cover",
    "title": "title page",
    "contents": "table of contents",
    "imprint": "imprint",
    "licence": "licence",
    "notes": "notes",
    "bibliography": "bibliography",
    "index": "index",
    "excerpt": "excerpt of another book",
    "promotion": "advertising",
}
_STRUCTURES: dict[Structure, str] = {
    "": "",
    "contents": "contents of the file, ",
    "headings": "headings, ",
    "files": "its files, ",
    "parts": "parts, ",
}


@click.command()
@click.argument("doc")
@click.option("--sections", "with_sections", is_flag=True, help="List the sections with their first words.")
@click.option("--model", default="", help="The model to estimate the time for; by default the best one installed.")
@click.option("--encoding", default="", help="Try this encoding of a text file.")
@click.option("--chapters", default="", help='Try this pattern of the first lines of chapters; "-" for none.')
@click.option("--password", help="The password of a locked PDF; on a terminal it is asked for.")
@click.option("--leaf", default="", help='What a model reads of this leaf of a PDF: a printed page number, or "#3".')
@click.option(
    "--label", help='With --leaf: what is printed on it; its neighbours count on from that. "" takes it back.'
)
@click.pass_obj
def health(
    session: Session,
    doc: str,
    with_sections: bool,
    model: str,
    encoding: str,
    chapters: str,
    password: str | None,
    leaf: str,
    label: str | None,
) -> None:
    """Show what a document or file holds before a model reads it."""
    if label is not None and not leaf:
        raise click.UsageError("--label says what is printed on a leaf: name that with --leaf.")
    with session.desk(may_begin=Path(doc).is_file()) as desk:
        if label is not None:
            _name_leaf(session, desk, desk.find(doc), leaf, label.strip())
            return
        report = _report(session, desk, doc, Choices(encoding, chapters), model, password, leaf)
    if report.leaf is not None:
        session.print_json(leaf_json(report.document, report.leaf))
        session.print(leaf_words(report.document, report.leaf))
        return
    session.print_json(_report_json(report))
    session.print(report_words(report))
    if with_sections:
        session.print("\n" + sections_words(report))


def _name_leaf(session: Session, desk: Desk, record: DocumentRecord, name: str, label: str) -> None:
    """Keep what is printed on a leaf, and say so."""
    leaf = desk.leaf_report(record, name).health.index
    desk.name_leaf(record.id, leaf, label)
    leaves = desk.leaves(record)
    session.print_json({"leaf": leaf + 1, "label": leaves[leaf].label, "labels": [leaf.label for leaf in leaves]})
    session.print(named_words(leaf, leaves[leaf].label if label else ""))


def _report(
    session: Session, desk: Desk, doc: str, choices: Choices, model: str, password: str | None, leaf: str
) -> HealthReport:
    """What is known of a document of the library, or what is found in a file."""
    file = Path(doc)
    try:
        record = desk.find(doc)
    except NotFoundError:
        if not file.is_file():
            raise
    else:
        if choices == Choices():
            report = desk.health(record, model, with_openings=not leaf)
            return replace(report, leaf=desk.leaf_report(record, leaf)) if leaf else report
        file = Path(record.path)
    found: HealthReport = session.wait_for_file(
        desk, lambda typed: desk.examine(file, typed, choices, model, leaf), password
    )
    return found


def report_words(report: HealthReport) -> str:
    """The whole report for a person."""
    document = report.document
    author = f" by {', '.join(document.authors)}" if document.authors else ""
    lines = [
        f"\u201c{document.title}\u201d{author}",
        f"  {document.format.upper() if document.format != 'text' else 'Text'}, {document.words:,} words, "
        f"{languages_words(report.sections, document.language)}",
        f"  Structure: {_STRUCTURES[document.structure]}{_counted(len(report.sections), 'section')}",
        *leaves_lines(report),
        *_left_out_lines(report.sections),
        *([f"  Encoding: {document.encoding}"] if document.encoding else []),
        *(f"  Note: {note}" for note in document.notes),
        f"  {estimate_words(report)}",
    ]
    return "\n".join(lines)


def languages_words(sections: Sequence[Section], language: str) -> str:
    """The languages by their English names, the one with the most words first; others with their words."""
    counted: Counter[str] = Counter()
    for section in sections:
        counted[section.language or language] += section.words
    first, *others = [code for code, _ in counted.most_common()] or [language]
    words = [f"{_language(code)} ({counted[code]:,} words)" for code in others if counted[code]]
    return ", ".join([_language(first), *words])


def _language(code: str) -> str:
    return _LANGUAGES.get(code, code) or "language unknown"


def _left_out_lines(sections: Sequence[Section]) -> list[str]:
    found: dict[Matter, list[Section]] = {}
    for section in sections:
        if section.is_left_out and section.words:
            found.setdefault(section.matter, []).append(section)
    if not found:
        return []
    lines = ["  Not read by a model (`gist --everything` reads it too):"]
    for matter, left_out in found.items():
        words = sum(section.words for section in left_out)
        lines.append(f"    {_MATTERS[matter]}: {_counted(len(left_out), 'section')}, {_counted(words, 'word')}")
    return lines


def estimate_words(report: HealthReport) -> str:
    """How many pages it makes, and how long a model takes for them."""
    if not report.document.words:
        if not report.document.id:
            return f"No text that a model could read yet. First run: readdesk add {report.document.path}"
        return f"No text that a model could read yet; recognise it with: readdesk ocr {report.document.id}"
    pages = f"About {_counted(report.pages, 'page')}"
    if report.seconds is None:
        who = f"{report.model} is not" if report.model else "no model is"
        return f"{pages}; {who} on this computer yet, so nobody can say how long they take."
    source = "measured on this computer" if report.is_measured else "a guess by the size of its file"
    return f"{pages}; {report.model} takes about {duration(report.seconds)} for them ({source})."


def sections_words(report: HealthReport) -> str:
    """The sections in order, each with its words, whether it is left out, and how it begins."""
    lines = []
    for section, opening in zip(report.sections, report.openings, strict=True):
        left_out = f" [not read: {_MATTERS[section.matter]}]" if section.is_left_out else ""
        begins = f": {opening}" if opening else ""
        indent = "  " * max(0, section.level - 1)
        lines.append(f"{indent}{section.title} ({_counted(section.words, 'word')}){left_out}{begins}")
    return "\n".join(lines)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _report_json(report: HealthReport) -> dict[str, object]:
    document = report.document
    return {
        **document_json(document),
        "structure": document.structure,
        "encoding": document.encoding,
        "choices": {"encoding": document.choices.encoding, "chapters": document.choices.chapters},
        "sections": [
            {
                "title": section.title,
                "level": section.level,
                "start": section.start,
                "words": section.words,
                "language": section.language,
                "matter": section.matter,
                "left_out": section.is_left_out,
                "opening": opening,
            }
            for section, opening in zip(report.sections, report.openings, strict=True)
        ],
        **leaves_json(report),
        "pages": report.pages,
        "model": report.model,
        "seconds": None if report.seconds is None else round(report.seconds, 1),
        "measured": report.is_measured,
    }
