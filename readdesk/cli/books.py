"""Commands about documents: add, list, pages, export."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from readdesk.cli.session import Session
from readdesk.desk import Desk
from readdesk.documents.model import Choices
from readdesk.errors import ReadDeskError
from readdesk.library.model import DocumentRecord, PageRecord

_FLAGS = {
    "verbatim": "its own words",
    "cut": "cut",
    "opening": "first sentences",
    "crashed": "first sentences: the model crashed on it",
}


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--password", help="The password of a locked PDF; on a terminal it is asked for.")
@click.option("--encoding", default="", help="The encoding of text files; by default it is found out.")
@click.option("--chapters", default="", help='A pattern of the first lines of chapters in text files; "-" for none.')
@click.option("--again", "is_again", is_flag=True, help="Read known files anew; changed pages lose their gists.")
@click.pass_obj
def add(
    session: Session, files: tuple[Path, ...], password: str | None, encoding: str, chapters: str, is_again: bool
) -> None:
    """Add books and papers (EPUB, PDF, text) to the library."""
    choices = Choices(encoding, chapters) if encoding or chapters else None
    added: list[DocumentRecord] = []
    failures: list[str] = []
    with session.desk(may_begin=True) as desk:
        known = {record.id for record in desk.documents()}
        for file in files:
            try:
                reading = partial(desk.add, file, choices=choices, is_again=is_again)
                record: DocumentRecord = session.wait_for_file(desk, reading, password)
            except ReadDeskError as error:
                failures.append(str(error))
                session.note(str(error))
                continue
            added.append(record)
            session.print(_added_words(record, new=record.id not in known, is_again=is_again))
            known.add(record.id)
    session.print_json({"added": [document_json(record) for record in added], "failed": failures})
    if failures:
        click.get_current_context().exit(1)


def _added_words(record: DocumentRecord, *, new: bool, is_again: bool) -> str:
    state = "Added" if new else "Read again:" if is_again else "Already in the library:"
    lines = [f"{state} {record.id} \u201c{record.title}\u201d, {record.words:,} words."]
    return "\n".join([*lines, *(f"  Note: {note}" for note in record.notes)])


@click.command("list")
@click.pass_obj
def show_list(session: Session) -> None:
    """List the library."""
    with session.desk() as desk:
        records = desk.documents()
        rows = [(record, sum(1 for item in desk.pages(record) if item.gist)) for record in records]
    session.print_json([{**document_json(record), "gists": gists} for record, gists in rows])
    for record, gists in rows:
        author = f" by {', '.join(record.authors)}" if record.authors else ""
        session.print(
            f"{record.id:>4}  {record.title}{author}  ({record.format}, {record.words:,} words, {gists} gists)"
        )
    if not rows:
        session.print("The library is empty. Add a book: readdesk add FILE")


@click.command()
@click.argument("doc")
@click.option("--page", type=click.IntRange(min=1), help="Only this page.")
@click.option("--full", is_flag=True, help="The full text instead of the gist.")
@click.option("--model", default="", help="The gists of this model instead of the latest.")
@click.pass_obj
def pages(session: Session, doc: str, page: int | None, full: bool, model: str) -> None:
    """Show the gist memory of a document, page by page."""
    with session.desk() as desk:
        record = desk.find(doc)
        items = [item for item in desk.pages(record, model) if page in (None, item.page.number)]
        if page is not None and not items:
            desk.page_text(record, page)  # Says in its own words that there is no such page.
        texts = {item.page.number: desk.page_text(record, item.page.number) for item in items} if full else {}
    session.print_json([page_json(item, texts.get(item.page.number)) for item in items])
    for item in items:
        session.print(_page_words(item, texts.get(item.page.number)))
    if not items:
        state, verb = ("has not been read yet", "gist") if record.words else ("holds no text that can be read", "ocr")
        session.print(f"\u201c{record.title}\u201d {state}. Run: readdesk {verb} {record.id}")


def _page_words(item: PageRecord, text: str | None) -> str:
    flag = f" [{_FLAGS[item.gist.flag]}]" if item.gist and item.gist.flag else ""
    where = f" {item.section}" if item.section else ""
    body = text if text is not None else item.gist.text if item.gist else "(no gist yet)"
    recognised = ", recognised text" * item.is_recognised
    return f"Page {item.page.number}{where} ({item.page.words:,} words{recognised}){flag}\n{body}\n"


@click.command()
@click.argument("doc")
@click.option("--format", "form", type=click.Choice(["md"]), default="md", show_default=True, help="md is Markdown.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="The file; else it is printed.")
@click.pass_obj
def export(session: Session, doc: str, form: str, output: Path | None) -> None:
    """Write the gists of a document as notes."""
    with session.desk() as desk:
        result = session.wait(desk, desk.export(_id(desk, doc), form, output))
    if output is None:
        session.print(str(result).rstrip("\n"))
        session.print_json({"text": str(result)})
    else:
        session.print(f"Wrote {result}")
        session.print_json({"file": str(result)})


def _id(desk: Desk, doc: str) -> int:
    return desk.find(doc).id


def document_json(record: DocumentRecord) -> dict[str, object]:
    """A document for programs."""
    return {
        "id": record.id,
        "title": record.title,
        "authors": list(record.authors),
        "language": record.language,
        "format": record.format,
        "path": record.path,
        "words": record.words,
        "kind": record.kind,
        "notes": list(record.notes),
    }


def page_json(item: PageRecord, text: str | None) -> dict[str, object]:
    """A page for programs."""
    page, gist = item.page, item.gist
    value: dict[str, object] = {
        "page": page.number,
        "section": item.section,
        "start": page.start,
        "end": page.end,
        "words": page.words,
        "broken_by": page.broken_by,
        "recognised": item.is_recognised,
        "gist": gist.text if gist else None,
        "model": gist.model if gist else None,
        "flag": gist.flag if gist else None,
    }
    return value if text is None else {**value, "text": text}
