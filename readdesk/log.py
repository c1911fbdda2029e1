"""The log file: what a problem report needs, kept small.

One rotating file in the cache folder. It holds models with their speeds, and faults with their tracebacks, never a
sentence of a book, a question or an answer: people send this file to strangers.
"""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


def start_log(folder: Path) -> Path:
    """Write the log of this process to `readdesk.log` in the folder, one megabyte and two older files; return it.

    A log that was started before is closed.
    """
    stop_log()
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "readdesk.log"
    handler = RotatingFileHandler(file, maxBytes=1_000_000, backupCount=2, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter(_FORMAT))
    logger = logging.getLogger("readdesk")
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    logger.propagate = False
    return file


def stop_log() -> None:
    """Close the log file of this process."""
    logger = logging.getLogger("readdesk")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
