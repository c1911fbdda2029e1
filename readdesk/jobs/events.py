"""What a job tells while it works. Every event carries its job's number; late events of an old job are told by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from readdesk.documents.model import Leaf, Picture
from readdesk.errors import ReadDeskError
from readdesk.library.model import DocumentRecord, Figures, PageRecord
from readdesk.llm.model import EngineInfo
from readdesk.reading.model import LookUp


@dataclass(frozen=True)
class Started:
    """The job has begun; `what` says what it does, in words."""

    job: int
    what: str


@dataclass(frozen=True)
class Progress:
    """How far the job is: units done, units in all where that is known, the share done, seconds left where known."""

    job: int
    what: str
    done: int
    total: int | None = None
    share: float | None = None
    seconds_left: float | None = None


@dataclass(frozen=True)
class ModelReady:
    """The job's model is loaded, and this is what it runs on; told once in a job that needs one."""

    job: int
    info: EngineInfo


@dataclass(frozen=True)
class PageBegun:
    """The page of that number, which begins at that position, is in work.

    Where it `joins`, those begun before it are in work too; else it is the first of a group, and nothing else is.
    """

    job: int
    number: int
    start: int
    joins: bool = False


@dataclass(frozen=True)
class PageKept:
    """A page with its gist is in the library."""

    job: int
    page: PageRecord


@dataclass(frozen=True)
class LeafDrawn:
    """A leaf was drawn at a scale, in pixels a point; `error` stands where it could not be.

    Where `goes_on`, the picture lacks something and a better one is still tried for.
    """

    job: int
    leaf: int
    scale: float
    picture: Picture | None
    error: ReadDeskError | None = None
    goes_on: bool = False


@dataclass(frozen=True)
class LookedUp:
    """The pages that are being read in full for a question, with reasons."""

    job: int
    look_ups: tuple[LookUp, ...]


@dataclass(frozen=True)
class Text:
    """A piece of an answer."""

    job: int
    text: str


@dataclass(frozen=True)
class Overtaken:
    """The job has stepped back for something more urgent and goes on by itself."""

    job: int


@dataclass(frozen=True)
class Paused:
    """The job rests until it is told to go on; everything it had finished is kept."""

    job: int


@dataclass(frozen=True)
class Resumed:
    """The job that rested is in line again."""

    job: int


@dataclass(frozen=True)
class Done:
    """The job has finished; what it came to depends on its kind."""

    job: int
    result: Any = None


@dataclass(frozen=True)
class Gisted:
    """What a gisting job came to: figures over all pages so far, pages done now, whether everything is read.

    `crashed` are the pages that were passed over because the model crashed on them.
    """

    document: DocumentRecord
    figures: Figures
    added: int
    complete: bool
    crashed: tuple[int, ...] = ()


@dataclass(frozen=True)
class OpenedLeaves:
    """What opening a PDF for drawing came to: its leaves, and the first position on each (or after it)."""

    leaves: tuple[Leaf, ...]
    starts: tuple[int, ...]


@dataclass(frozen=True)
class Failed:
    """The job has ended with an error that a person can read."""

    job: int
    error: ReadDeskError


@dataclass(frozen=True)
class Stopped:
    """The job was stopped on request; everything it had finished is kept."""

    job: int


Event = (
    Started
    | Progress
    | ModelReady
    | PageBegun
    | PageKept
    | LeafDrawn
    | LookedUp
    | Text
    | Overtaken
    | Paused
    | Resumed
    | Done
    | Failed
    | Stopped
)
END = (Done, Failed, Stopped)
"""The events after which a job says nothing more."""
