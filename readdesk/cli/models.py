"""Commands about models: list, get, add."""

from __future__ import annotations

from pathlib import Path

import click

from readdesk.cli.session import Session
from readdesk.llm.model import ModelState

_ADVICE = (
    "starter is what can be had wherever pip works; for real reading take a starred model (*):\n"
    "  8 GB of memory: qwen3-4b   16 GB: gemma-4-e4b   24 GB: gemma-4-26b or qwen3-30b"
)

_BOOK_TOKENS = 6000
"""The gists of a novel of 100,000 words are about as long."""


@click.group()
def models() -> None:
    """See, get and add models."""


@models.command("list")
@click.pass_obj
def show_list(session: Session) -> None:
    """List the models that ReadDesk knows."""
    with session.desk(may_begin=True) as desk:
        states = desk.models()
    session.print_json([_model_json(state) for state in states])
    for state in states:
        record = state.record
        star = "*" if record.starred else " "
        here = "installed" if state.installed else f"{record.size / 1e9:.1f} GB"
        session.print(f"{star} {record.name:<22} {here:>10}  {record.licence:<12} {record.good_for}")
    session.print("\n" + _ADVICE)
    taken = [f"{state.record.name} {_taken(state)}" for state in states if state.bytes_per_token]
    if taken:
        session.print(f"For gists of {_BOOK_TOKENS:,} tokens, in memory and kept on disk: {', '.join(taken)}.")


@models.command()
@click.argument("names", nargs=-1, required=True)
@click.pass_obj
def get(session: Session, names: tuple[str, ...]) -> None:
    """Bring models to this computer; run again to continue an interrupted download."""
    files = []
    with session.desk(may_begin=True) as desk:
        for name in names:
            file = session.wait(desk, desk.fetch_model(name))
            files.append(str(file))
            session.print(f"The model {name} is ready.")
    session.print_json({"files": files})


@models.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", help="What to call it; by default the file's name.")
@click.pass_obj
def add(session: Session, file: Path, name: str | None) -> None:
    """Make a .gguf file of your own known to ReadDesk; it stays where it is."""
    with session.desk(may_begin=True) as desk:
        record = desk.add_model(file, name)
    session.print(f"Added as {record.name}. Use it: readdesk gist DOC --model {record.name}")
    session.print_json({"name": record.name, "file": record.path})


def _taken(state: ModelState) -> str:
    return f"{state.bytes_per_token * _BOOK_TOKENS / 1e6:.0f} MB"


def _model_json(state: ModelState) -> dict[str, object]:
    record = state.record
    return {
        "name": record.name,
        "title": record.title,
        "kind": record.kind,
        "licence": record.licence,
        "size": record.size,
        "memory_gb": record.memory_gb,
        "languages": record.languages,
        "context": record.context,
        "good_for": record.good_for,
        "recommended": record.starred,
        "installed": state.installed,
        "bytes_per_token": state.bytes_per_token,
    }
