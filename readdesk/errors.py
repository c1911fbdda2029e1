"""The errors a person sees.

A `ReadDeskError` carries two sentences: what happened, and what to do about it. They are shown word for word on
standard error and in the window, so they hold no class names, no tracebacks and no jargon of a library. Where the
command line has a command for what to do, that stands beside the hint: nobody at a window is told to type it. Anything
else that is raised is a bug of ours. All of them travel between processes, so they pickle by their sentences alone.
"""

from __future__ import annotations


class ReadDeskError(Exception):
    """What happened, in one sentence, and a hint that says what to do; `command` says it on a command line."""

    def __init__(self, message: str, hint: str = "", command: str = "") -> None:
        super().__init__(message, hint, command)
        self.message = message
        self.hint = hint
        self.command = command

    def __str__(self) -> str:
        """As a command line says it."""
        return f"{self.message} {self.command or self.hint}".strip()

    @property
    def words(self) -> str:
        """As a window says it."""
        return f"{self.message} {self.hint}".strip()


class DocumentError(ReadDeskError):
    """A file cannot be read as a book."""


class PasswordNeeded(DocumentError):
    """A file is locked and the password is missing or wrong."""


class NoTextError(DocumentError):
    """A file opens but holds no text that a model could read (a scan, a picture book)."""


class ModelError(ReadDeskError):
    """A model cannot be found, loaded or used."""


class ModelCrashed(ModelError):
    """The process that holds a model has ended in the middle of its work; it starts again with the next request."""


class LabelError(ModelError):
    """A model cannot score labels, because it writes them in more than one token."""


class DownloadError(ReadDeskError):
    """A download could not be finished or its content is not what was promised."""


class LibraryError(ReadDeskError):
    """The library file cannot be used."""


class NotFoundError(ReadDeskError):
    """What a person named (a document, a page, a model) is not there, or is named by more than one thing."""


class WorkerError(ReadDeskError):
    """A worker process ended or did not answer in time; it starts again with the next request."""


class WorkerTooLargeError(WorkerError):
    """A worker process took more memory than it may and was ended."""


class WorkerFault(Exception):
    """A bug inside a worker process; its text is the traceback from there."""
