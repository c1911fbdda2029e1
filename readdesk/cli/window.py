"""The way to the window: `readdesk`, `readdesk open FILE`, and `readdesk FILE` as file managers call it.

The command line never imports the window: the function that shows it is handed to the session. Where there is no screen
(a server, a container), a newcomer's first steps are gone on the command line instead.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from readdesk.cli.read import welcome
from readdesk.cli.session import Session
from readdesk.errors import ReadDeskError


@click.command("open")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.pass_obj
def open_window(session: Session, files: tuple[Path, ...]) -> None:
    """Show the window, with a file that is added and opened."""
    if session.window is None or not has_screen():
        raise ReadDeskError(
            "There is no screen to show a window on.", "Use the commands instead: `readdesk --help` names them."
        )
    click.get_current_context().exit(session.window(session.paths, files, session.offline))


def begin(session: Session) -> None:
    """What `readdesk` alone does: the window, or the first steps as text where there is no screen."""
    if session.window is not None and has_screen() and not session.as_json and not session.plain:
        click.get_current_context().exit(session.window(session.paths, (), session.offline))
    welcome(session)


def has_screen() -> bool:
    """Whether a window can be shown, as far as the environment tells."""
    if os.environ.get("QT_QPA_PLATFORM"):
        return True
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
