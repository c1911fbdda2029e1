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


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo-terminals here")
def test_an_answer_stays_on_the_terminal(paths: object) -> None:
    ours, theirs = os.openpty()
    checkout = Path(__file__).resolve().parents[2]
    done = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM], stdin=theirs, stdout=theirs, stderr=theirs, cwd=checkout, close_fds=True
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
    assert b"Asking" in said
    assert b"The cat sat." in said, "pieces of the answer were drawn over"
    assert b"\x1b[2K" not in said[said.index(b"The cat sat.") :], "the answer was wiped"
