"""The group of commands and what holds for all of them: global options, errors, exit codes.

Exit codes: 0 done, 1 what a person can mend (one sentence says how), 2 wrong usage, 130 stopped with Ctrl-C.
"""

from __future__ import annotations

import errno
import logging
import os
from contextlib import suppress
from pathlib import Path

import click

import readdesk
from readdesk.cli.books import add, export, pages, show_list
from readdesk.cli.health import health
from readdesk.cli.models import models
from readdesk.cli.read import ask, gist
from readdesk.cli.recognise import ocr
from readdesk.cli.session import INTERRUPTED, Interrupted, Session, Window, tell_error
from readdesk.cli.window import begin, open_window
from readdesk.errors import ReadDeskError
from readdesk.log import start_log, stop_log
from readdesk.paths import Paths

_logger = logging.getLogger(__name__)


class _ReaderLeft(Exception):
    """Whoever reads our output has left (`| head`)."""


class _Commands(click.Group):
    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # click 8 itself would end the program with 1, as if something had gone wrong.
            raise _ReaderLeft from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """`readdesk FILE` opens the file, as file managers expect of a program."""
        if args and args[0] not in self.commands and Path(args[0]).is_file():
            args = ["open", *args]
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--library", type=click.Path(path_type=Path), help="The library file, or the folder it lies in.")
@click.option("--offline", is_flag=True, help="Fetch nothing from the network.")
@click.option("--json", "as_json", is_flag=True, help="Print results as JSON.")
@click.option("--plain", is_flag=True, help="No redrawing: one progress line every 30 seconds.")
@click.version_option(readdesk.__version__, message="ReadDesk %(version)s")
@click.pass_context
def cli(context: click.Context, library: Path | None, offline: bool, as_json: bool, plain: bool) -> None:
    """Read books with a model of your own: gists of every page, answers that show what was looked up."""
    paths = Paths.default()
    if library is not None:
        paths = paths.with_library(library)
    window = context.obj
    context.obj = Session(paths, offline, as_json, plain, library_named=library is not None, window=window)
    if context.invoked_subcommand is None:
        begin(context.obj)


for command in (open_window, add, show_list, health, ocr, pages, gist, ask, export, models):
    cli.add_command(command)


def run(arguments: list[str] | None = None, window: Window | None = None) -> int:
    """Run a command line and return its exit code; errors are told, never shown as tracebacks.

    `window` shows the window for those commands that want one.
    """
    with suppress(OSError):  # A place that cannot be written: whatever needs it says so itself.
        start_log(Paths.default().cache)
    try:
        code = cli.main(arguments, prog_name="readdesk", standalone_mode=False, obj=window)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except ReadDeskError as error:
        tell_error(error)
        return 1
    except (Interrupted, KeyboardInterrupt, click.Abort) as stop:
        click.echo(str(stop) or "Stopped.", err=True)
        return INTERRUPTED
    except _ReaderLeft:
        # Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except OSError as error:
        if error.errno != errno.ENOSPC:
            return _told_bug()
        click.echo("The output cannot be written because the disk is full. Free some space.", err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except Exception:
        return _told_bug()
    finally:
        stop_log()
    # What `Context.exit` was given comes back as a value; commands themselves return nothing.
    return code if isinstance(code, int) else 0


def _told_bug() -> int:
    """Keep what went wrong in the log and say so; 1."""
    _logger.exception("command line")
    log = Paths.default().cache / "readdesk.log"
    click.echo(f"Something went wrong inside ReadDesk. Please report it with the file {log}.", err=True)
    return 1
