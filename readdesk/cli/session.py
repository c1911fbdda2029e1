"""What every command shares: the desk, how things are printed, and waiting for a job.

Answers and tables go to standard output, progress and errors to standard error, so that output can be piped. With
`--json` standard output is JSON only. Progress redraws one line on a terminal and is one line every thirty seconds
elsewhere (`--plain`). Ctrl-C stops the job, waits for its last event, and leaves with 130.
"""

from __future__ import annotations

import json
import queue
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.live import Live
from rich.text import Text as RichText

from readdesk.desk import Desk
from readdesk.errors import LibraryError, PasswordNeeded, ReadDeskError
from readdesk.jobs.events import END, Done, Event, Failed, ModelReady, Progress, Started, Stopped
from readdesk.llm.model import EngineInfo
from readdesk.paths import Paths
from readdesk.settings import load_settings

_PLAIN_SECONDS = 30.0
Window = Callable[[Paths, Sequence[Path], bool], int]
"""Shows the window for these places, opens files in it, fetches nothing where True; returns the exit code."""

INTERRUPTED = 130
_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that command a terminal or turn the direction of all that follows; no word needs them."""


class Interrupted(Exception):
    """The person stopped the job; the text says what to do."""


@dataclass
class Session:
    """The options that hold for every command, and the desk once it is needed."""

    paths: Paths
    offline: bool = False
    as_json: bool = False
    plain: bool = False
    library_named: bool = False
    window: Window | None = None
    """Shows the window and returns its exit code; None where there can be none."""
    engine: EngineInfo | None = None
    """What the model of the last job ran on; None where it needed none."""
    _events: queue.SimpleQueue[Event] = field(default_factory=queue.SimpleQueue)

    @contextmanager
    def desk(self, *, may_begin: bool = False) -> Iterator[Desk]:
        """The desk, closed when the command ends in whatever way.

        Only a command that `may_begin` a library makes one where --library points to nothing: for the others a slip of
        the pen would look as if all books were lost. Raises LibraryError.
        """
        if self.library_named and not may_begin and not self.paths.library.exists():
            raise LibraryError(
                f"There is no library at {self.paths.library}.", "Mend --library, or begin one there with `add FILE`."
            )
        desk = Desk(self.paths, load_settings(self.paths.config), self._events.put, offline=self.offline)
        try:
            yield desk
        finally:
            desk.close()

    def wait(self, desk: Desk, job: int, show: Callable[[Event], None] | None = None) -> Any:
        """Follow a job to its end and return what it came to; raises its error, or Interrupted after Ctrl-C."""
        self.engine = None
        with _Line(plain=self.plain or self.as_json) as line, _stopped_by_ctrl_c(lambda: desk.stop(job)) as stopping:
            while True:
                try:
                    event = self._events.get(timeout=0.2)
                except queue.Empty:
                    event = None
                if stopping.is_set():
                    stopping.clear()
                    line.say("Stopping …")
                if event is None or event.job != job:
                    continue
                line.show(event)
                if isinstance(event, ModelReady):
                    self.engine = event.info
                if show is not None and not isinstance(event, END):
                    line.leave()
                    show(event)
                if isinstance(event, Done):
                    return event.result
                if isinstance(event, Failed):
                    raise event.error
                if isinstance(event, Stopped):
                    raise Interrupted("Stopped. Run the same command again to continue.")

    def wait_for_file(self, desk: Desk, submit: Callable[[str | None], int], password: str | None) -> Any:
        """Follow a job that reads a file; on a terminal its password is asked for, and again while it is wrong."""
        while True:
            try:
                return self.wait(desk, submit(password))
            except PasswordNeeded as error:
                password = _typed_password(error.message)
                if not password:
                    raise

    def print(self, text: str) -> None:
        """Words for a person, on standard output; nothing with --json."""
        if not self.as_json:
            click.echo(harmless(text))

    def print_json(self, value: Any) -> None:
        """The command's result for a program; nothing without --json."""
        if self.as_json:
            click.echo(json.dumps(value, ensure_ascii=False, indent=1))

    def note(self, text: str) -> None:
        """Words beside the result, on standard error."""
        click.echo(harmless(text), err=True)


def _typed_password(why: str) -> str:
    """The password that a person types without its being seen; "" where nobody sits at a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return ""
    words = f"{harmless(why)} Its password"
    return str(click.prompt(words, default="", hide_input=True, show_default=False, err=True))


@contextmanager
def _stopped_by_ctrl_c(stop: Callable[[], None]) -> Iterator[threading.Event]:
    """Call `stop` on the first Ctrl-C in the block and raise the flag; a second one interrupts as ever.

    KeyboardInterrupt would do harm at two moments: between taking an event and showing it, and while one is printed.
    """
    stopping = threading.Event()

    def on_interrupt(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stopping.set()
        stop()

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield stopping  # Ctrl-C is ignored (a job in the background of a shell), or is not ours to handle.
        return
    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stopping
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class _Line:
    """The progress line: redrawn on a terminal, else a line at the start and every thirty seconds."""

    def __init__(self, plain: bool) -> None:
        self._live: Live | None = None
        if not plain and sys.stderr.isatty():
            self._live = Live(console=Console(stderr=True), transient=True, auto_refresh=False)
        self._next = 0.0

    def __enter__(self) -> _Line:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def show(self, event: Event) -> None:
        """Tell of a beginning, of the model, or of progress."""
        if isinstance(event, Started):
            self.say(f"{event.what} …")
        elif isinstance(event, Progress):
            now = time.monotonic()
            if self._live or now >= self._next:
                self._next = now + _PLAIN_SECONDS
                self.say(progress_words(event))
        elif isinstance(event, ModelReady):
            self._tell_of(event.info)

    def _tell_of(self, info: EngineInfo) -> None:
        """What the model runs on; a warning stays when the line goes on."""
        if self._live and info.warning:
            self._live.console.print(RichText(harmless(info.words)))
        else:
            self.say(info.words)

    def say(self, words: str) -> None:
        """Put words in the line's place."""
        if self._live:
            self._live.update(RichText(harmless(words), no_wrap=True, overflow="ellipsis"), refresh=True)
        else:
            click.echo(harmless(words), err=True)

    def leave(self) -> None:
        """Take the line away for good: redrawing it would wipe what is printed in its place."""
        if self._live:
            self._live.stop()
            self._live = None


def progress_words(event: Progress) -> str:
    """A progress event as one line."""
    words = [event.what]
    if event.total and event.total < 10_000:
        words.append(f"of {event.total}")
    if event.share is not None:
        words.append(f"({event.share:.0%})")
    if event.seconds_left is not None:
        words.append(f"about {duration(event.seconds_left)} left")
    return " ".join(words)


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"


def harmless(text: str) -> str:
    """The text without what a terminal would take as commands: a book's title may be anything."""
    return _COMMANDS.sub("\ufffd", text)


def tell_error(error: ReadDeskError) -> None:
    """One sentence of what happened and one of what to do, on standard error."""
    click.echo(harmless(str(error)), err=True)
