"""On a terminal the progress line is redrawn; it must never wipe an answer that stands in its place."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import sys
import click
from readdesk.cli.session import Session
from readdesk.jobs.events import Done, Progress, Started, Text
from readdesk.paths import Paths

session = Session(Paths.default())
events = [Started(1, "Asking"), Progress(1, "page 1", 1), Text(1, "The "), Text(1, "cat "), Text(1, "sat."), Done(1, 7)]
for event in events:
    session._events.put(event)

def show(event):
    if isinstance(event, Text):
        click.echo(event.text, nl=False)

assert session.wait(None, 1, show) == 7
click.echo("")
"""


_GISTING = """
from readdesk.cli.session import Session
from readdesk.jobs.events import Done, ModelReady, Progress, Started
from readdesk.llm.model import EngineInfo
from readdesk.paths import Paths

session = Session(Paths.default())
info = EngineInfo("base", 4096, has_template={has_template})
events = [Started(1, "Reading"), ModelReady(1, info), Progress(1, "page 1", 1), Done(1, 7)]
for event in events:
    session._events.put(event)
assert session.wait(None, 1) == 7 and session.engine == info
"""


def on_a_terminal(program: str) -> str:
    """All that a program writes to its terminal."""
    ours, theirs = os.openpty()
    checkout = Path(__file__).resolve().parents[2]
    done = subprocess.Popen(
        [sys.executable, "-c", program], stdin=theirs, stdout=theirs, stderr=theirs, cwd=checkout, close_fds=True
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # Linux says so at the end of a pseudo-terminal.
            break
        if not piece:
            break
        said += piece
    os.close(ours)
    assert done.wait(20) == 0, said.decode()
    return said.decode()


pytestmark = pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo-terminals here")


def test_an_answer_stays_on_the_terminal(paths: object) -> None:
    said = on_a_terminal(_PROGRAM)
    assert "Asking" in said
    assert "The cat sat." in said, "pieces of the answer were drawn over"
    assert "\x1b[2K" not in said[said.index("The cat sat.") :], "the answer was wiped"


def test_what_the_model_runs_on_makes_room_for_progress_but_a_warning_stays(paths: object) -> None:
    told = "base runs on the CPU."
    for has_template in (True, False):
        said = on_a_terminal(_GISTING.format(has_template=has_template))
        assert said.count(told) == 1
        # A line that stays ends; one that is redrawn is wiped without having ended.
        until_progress = said[said.index(told) : said.index("page 1")]
        assert ("asked in plain words. Reading" in " ".join(until_progress.split())) == (not has_template)
        assert ("\n" not in until_progress) == has_template
