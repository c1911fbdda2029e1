"""Bringing a model to this computer.

A download has no save points that a lane could use (it resumes by itself), so it is one step that reports as it goes.
"""

from __future__ import annotations

from readdesk.jobs.events import Progress, Started
from readdesk.jobs.lane import Post, Steps, Turn
from readdesk.llm.download import DownloadProgress, download
from readdesk.llm.model import ModelRecord
from readdesk.paths import Paths


def fetch(
    number: int, turn: Turn, record: ModelRecord, paths: Paths, post: Post, *, mirror: str, offline: bool
) -> Steps:
    """Download a model where it is not here yet; comes to its file or folder."""

    def report(now: DownloadProgress) -> None:
        share = now.done / now.total if now.total else 0.0
        post(Progress(number, f"{record.name}: {now.source}", now.done, now.total, share))

    yield Started(number, f"Getting the model {record.name}")
    return download(record, paths, report, turn.cancel, mirror=mirror, offline=offline)
