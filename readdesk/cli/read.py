"""Commands that use the model: gist, ask, and the first steps of a newcomer."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Collection
from pathlib import Path

import click

from readdesk.cli.session import Session, duration
from readdesk.desk import Desk
from readdesk.errors import ReadDeskError
from readdesk.jobs.events import Event, Gisted, Text
from readdesk.library.model import DocumentRecord
from readdesk.llm.model import EngineInfo
from readdesk.paths import resource
from readdesk.reading.model import Answer

_KINDS = ["auto", "article", "book", "transcript", "script"]
_FIRST_PAGES = 4


@click.command()
@click.argument("docs", nargs=-1, required=True)
@click.option("--model", default="", help="The model that reads; by default the best one installed.")
@click.option("--pages", type=click.IntRange(min=1), help="Only the first N pages of each document.")
@click.option("--kind", type=click.Choice(_KINDS), default="auto", show_default=True, help="How long pages are.")
@click.option("--everything", is_flag=True, help="Front and back matter too (licence, index, notes).")
@click.pass_obj
def gist(session: Session, docs: tuple[str, ...], model: str, pages: int | None, kind: str, everything: bool) -> None:
    """Read documents and write a gist of every page; run again to continue."""
    results: list[dict[str, object]] = []
    with session.desk() as desk:
        for record in [desk.find(doc) for doc in docs]:
            if everything:
                for section in desk.sections(record):
                    if section.is_left_out:
                        desk.leave_out(record.id, section.index, False)
            result: Gisted = session.wait(desk, desk.gist(record.id, model, pages, kind))
            results.append(_gisted_json(result, session.engine))
            session.print(gisted_words(result))
    session.print_json(results)


def gisted_words(result: Gisted) -> str:
    """What a gisting job came to, for a person."""
    figures = result.figures
    if not figures.pages:
        return f"\u201c{result.document.title}\u201d: nothing was read."
    rate = 100 * (1 - figures.gist_words / figures.words) if figures.words else 0.0
    pages = "1 page" if figures.pages == 1 else f"{figures.pages} pages"
    words = [
        f"\u201c{result.document.title}\u201d: {pages} with gists ({result.added} now), "
        f"{figures.words:,} words shortened by {rate:.0f} %, {duration(figures.seconds)} in all."
    ]
    oddities = [
        f"{figures.fallback_breaks} page ends by rule" if figures.fallback_breaks else "",
        f"{figures.retried} gists written twice" if figures.retried else "",
        f"{figures.openings} pages kept by their first sentences" if figures.openings else "",
    ]
    if any(oddities):
        words.append(f"Of these: {', '.join(filter(None, oddities))}.")
    if result.crashed:
        words.append(
            f"The model crashed on {_numbers(result.crashed)}; the first sentences stand for what it did not read."
        )
    if not result.complete:
        words.append("More is left to read; run gist again without --pages to go on.")
    return "\n".join(words)


def _gisted_json(result: Gisted, engine: EngineInfo | None) -> dict[str, object]:
    figures = result.figures
    return {
        "id": result.document.id,
        "pages": figures.pages,
        "added": result.added,
        "complete": result.complete,
        "words": figures.words,
        "gist_words": figures.gist_words,
        "fallback_breaks": figures.fallback_breaks,
        "retried": figures.retried,
        "openings": figures.openings,
        "crashed": list(result.crashed),
        "tokens_read": figures.tokens_read,
        "tokens_written": figures.tokens_written,
        "seconds": round(figures.seconds, 1),
        "engine": _engine_json(engine),
    }


def _engine_json(info: EngineInfo | None) -> dict[str, object] | None:
    """What the model ran on; None where nothing was left to do for it."""
    if info is None:
        return None
    return {
        "model": info.model,
        "device": info.device,
        "gpu_layers": info.gpu_layers,
        "layers": info.layers,
        "threads": info.threads,
        "batch_threads": info.batch_threads,
        "tokens_a_second": round(info.decode_speed, 1),
        "has_template": info.has_template,
        "note": info.note,
    }


@click.command()
@click.argument("doc")
@click.argument("question", nargs=-1, required=True)
@click.option("--model", default="", help="The model that answers; by default the one that wrote the gists.")
@click.option("--max-pages", type=click.IntRange(min=0), help="How many pages may be read again in full.")
@click.pass_obj
def ask(session: Session, doc: str, question: tuple[str, ...], model: str, max_pages: int | None) -> None:
    """Ask a document; the answer is followed by what was looked up for it."""
    with session.desk() as desk:
        record = desk.find(doc)
        job = desk.ask(record.id, " ".join(question), model, max_pages)
        answer: Answer = session.wait(desk, job, None if session.as_json else _show)
        recognised = {item.page.number for item in desk.pages(record) if item.is_recognised}
    session.print("")
    session.print(trail_words(answer, recognised))
    session.print_json(_answer_json(record, answer, session.engine))


def _show(event: Event) -> None:
    if isinstance(event, Text):
        click.echo(event.text, nl=False)


def trail_words(answer: Answer, recognised: Collection[int] = ()) -> str:
    """Which pages were looked up and why, which of them are recognised text, and what the answer rests on."""
    lines = [""]
    for item in answer.look_ups:
        cut = " (its beginning only: the model's context is full)" if item.shortened else ""
        source = ", recognised text" * (item.page in recognised)
        lines.append(f"Looked up page {item.page}{source}{cut}: {item.reason}.")
    if not answer.look_ups:
        lines.append("No page was looked up: the answer rests on gists alone.")
    lines.append(answer.coverage)
    if answer.left_out:
        lines.append(f"Left out for lack of room: {_numbers(answer.left_out)}.")
    if answer.unread_tags:
        lines.append(f"The answer names {_numbers(answer.unread_tags)}, not read in full: unverified.")
    if answer.shortened_gists:
        lines.append("The gists were cut to fit the model's context.")
    if not answer.choice_readable:
        lines.append("The model named no pages; they were chosen by the question's words alone.")
    if answer.cut:
        lines.append("The answer was cut at its length limit.")
    return "\n".join(lines)


def _numbers(pages: tuple[int, ...]) -> str:
    return ("page " if len(pages) == 1 else "pages ") + ", ".join(map(str, pages))


def _answer_json(record: DocumentRecord, answer: Answer, engine: EngineInfo | None) -> dict[str, object]:
    return {
        "id": record.id,
        "answer": answer.text,
        "look_ups": [
            {"page": item.page, "by": item.by, "reason": item.reason, "shortened": item.shortened}
            for item in answer.look_ups
        ],
        "coverage": answer.coverage,
        "left_out": list(answer.left_out),
        "unverified_pages": list(answer.unread_tags),
        "shortened_gists": answer.shortened_gists,
        "choice_readable": answer.choice_readable,
        "cut": answer.cut,
        "engine": _engine_json(engine),
    }


def welcome(session: Session) -> None:
    """A newcomer's first steps: the handbook is added, its first pages are gisted, and it says how to go on."""
    with session.desk(may_begin=True) as desk:
        record: DocumentRecord = session.wait(desk, desk.add(resource("handbook.epub")))
        session.print(f"\u201c{record.title}\u201d is in your library as number {record.id}.")
        try:
            model = desk.default_model()
        except ReadDeskError as error:
            session.note(str(error))
            click.get_current_context().exit(1)
        _first_gists(session, desk, record, model.name)
    session.print(
        f'\nAsk it something:   readdesk ask {record.id} "What is a gist?"\n'
        f"Read its gists:     readdesk pages {record.id}\n"
        "Add your own book:  readdesk add FILE, then readdesk gist NUMBER\n"
        "All commands:       readdesk --help"
    )
    if shutil.which("readdesk") is None:
        session.print(f"Your shell does not know the command readdesk: write {_own_command()} instead.")


def _own_command() -> str:
    """How this ReadDesk is called from the folder in which the person stands."""
    command = Path(sys.executable).with_name("readdesk")
    try:
        return str(command.relative_to(Path.cwd()))
    except ValueError:
        return str(command)


def _first_gists(session: Session, desk: Desk, record: DocumentRecord, model: str) -> None:
    done = sum(1 for item in desk.pages(record) if item.gist)
    if done < _FIRST_PAGES:
        session.note(f"{model} now reads its first {_FIRST_PAGES} pages; about a minute on an ordinary laptop.")
        result: Gisted = session.wait(desk, desk.gist(record.id, model, _FIRST_PAGES, "article"))
        session.print(gisted_words(result))
