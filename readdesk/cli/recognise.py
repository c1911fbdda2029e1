"""The command `ocr`: the text of scans is recognised, leaf by leaf."""

from __future__ import annotations

import re
from functools import partial

import click

from readdesk.cli.books import document_json
from readdesk.cli.session import Session
from readdesk.desk import RecognitionState
from readdesk.documents.model import LeafHealth
from readdesk.errors import ReadDeskError
from readdesk.library.model import DocumentRecord

_RANGE = re.compile(r"(\d+)(?:\s*[-–]\s*(\d+))?")


class _Leaves(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.3 on
    """Leaves as people write them, "3-10,14", counted from 1; comes to numbers counted from 0."""

    name = "leaves"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        found: set[int] = set()
        for part in str(value).split(","):
            match = _RANGE.fullmatch(part.strip())
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
            if not 0 < first <= last < 1_000_000:
                self.fail(f"{value!r} names no leaves; write for example 3-10 or 3,5,8.", param, ctx)
            found.update(range(first - 1, last))
        return tuple(sorted(found))


@click.command()
@click.argument("doc", required=False)
@click.option("--languages", default="", help="The languages of the text as Tesseract calls them: deu+eng.")
@click.option("--leaves", type=_Leaves(), help="Only these leaves, by their place in the file: 3-10,14.")
@click.option("--redo", is_flag=True, help="Also leaves whose text was recognised before.")
@click.option("--forget", "forgets", is_flag=True, help="Take recognised text back: leaves hold what their file does.")
@click.option("--password", help="The password of a locked PDF; on a terminal it is asked for.")
@click.option("--list", "with_list", is_flag=True, help="List the languages that can be recognised here.")
@click.pass_obj
def ocr(
    session: Session,
    doc: str | None,
    languages: str,
    leaves: tuple[int, ...] | None,
    redo: bool,
    forgets: bool,
    password: str | None,
    with_list: bool,
) -> None:
    """Recognise the text of scanned leaves; run again to continue."""
    if not with_list and doc is None:
        raise click.UsageError("Name a document, or use --list.")
    with session.desk(may_begin=with_list) as desk:
        if doc is None or with_list:
            _show_languages(session, desk.recognition())
            return
        record = desk.find(doc)
        before = desk.leaves(record)
        if leaves and leaves[-1] >= len(before):
            raise ReadDeskError(f"\u201c{record.title}\u201d has only {_counted(len(before))}.", "Name others.")
        working = partial(desk.recognise, record.id, languages, leaves, redo, forgets=forgets)
        record = session.wait_for_file(desk, lambda typed: working(password=typed), password)
        after = desk.leaves(record)
    if forgets:
        session.print(f"\u201c{record.title}\u201d holds what its file does again.")
    else:
        session.print(_result_words(record, before, after, redo=redo))
    session.print_json({**document_json(record), "leaves": [_leaf_json(leaf) for leaf in after]})


def _show_languages(session: Session, state: RecognitionState) -> None:
    session.print_json({"available": state.is_available, "languages": list(state.languages), "hint": state.hint})
    if not state.is_available:
        session.print(f"Tesseract is not on this computer. Install it: {state.hint}")
        return
    session.print(f"Languages: {', '.join(state.languages)}. More can be installed, for example: {state.hint}")


def _result_words(
    record: DocumentRecord, before: tuple[LeafHealth, ...], after: tuple[LeafHealth, ...], *, redo: bool
) -> str:
    recognised = [leaf for leaf in after if leaf.kind == "ocr"]
    new = len(recognised) - sum(leaf.kind == "ocr" for leaf in before)
    words = sum(leaf.words for leaf in recognised)
    if not (recognised or new) and all(leaf.kind in ("text", "empty") for leaf in after):
        return f"\u201c{record.title}\u201d: every leaf has a text of its own, which is left alone."
    if not (new or redo) and all(leaf.kind in ("text", "ocr", "empty") for leaf in after):
        return f"\u201c{record.title}\u201d: every leaf has text; --redo recognises that of pictures again."
    lines = [
        f"\u201c{record.title}\u201d: {_counted(len(recognised))} of {len(after)} with recognised text ({new} more"
        f" than before), {words:,} words."
    ]
    if left := sum(leaf.kind in ("scan", "unreadable") for leaf in after):
        lines.append(f"{_counted(left)} without text {'is' if left == 1 else 'are'} left; run ocr again for them.")
    return "\n".join([*lines, *(f"  Note: {note}" for note in record.notes)])


def _counted(leaves: int) -> str:
    return "1 leaf" if leaves == 1 else f"{leaves} leaves"


def _leaf_json(leaf: LeafHealth) -> dict[str, object]:
    return {
        "leaf": leaf.index + 1,
        "label": leaf.label,
        "kind": leaf.kind,
        "words": leaf.words,
        "quality": leaf.quality,
    }
