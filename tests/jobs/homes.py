"""A home with the real model *tiny*, and what is left of one when it should be quiet."""

from __future__ import annotations

import time
from pathlib import Path

import psutil

from readdesk.settings import Settings, save_settings


def make_home(home: Path, tiny_model: Path, context: int = 2048) -> Settings:
    """Put the model there, and settings that spare what tests do not need; they are also returned."""
    (home / "models").mkdir(parents=True)
    (home / "models" / "tiny.gguf").symlink_to(tiny_model)
    settings = Settings()
    settings.set("engine.threads", 1)
    settings.set("engine.context", context)
    save_settings(settings, home / "config")
    return settings


def wait_until_quiet(home: Path, seconds: float = 10.0) -> None:
    """Wait until no process works for this home any more, however it was started; ends what stays, and fails."""
    deadline = time.monotonic() + seconds
    while left := _processes_of(home):
        if time.monotonic() > deadline:
            names = [f"{process.pid} {' '.join(process.cmdline())}" for process in left]
            for process in left:
                process.kill()
            raise AssertionError(f"left behind: {names}")
        time.sleep(0.05)


def _processes_of(home: Path) -> list[psutil.Process]:
    found = []
    me = psutil.Process().pid
    for process in psutil.process_iter():
        try:
            if process.pid == me or process.environ().get("READDESK_HOME") != str(home):
                continue
            # multiprocessing keeps this helper of ours for as long as the tests run.
            is_tracker = process.ppid() == me and "resource_tracker" in " ".join(process.cmdline())
            if not is_tracker and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def long_page(words: int = 1000) -> str:
    """A text of one section that makes one page of the kind "book", which takes the model some seconds to read."""
    sentences = (
        f"On day {day} the keeper of the light wrote that ship number {day * 7} had passed "
        f"with {day * 3} barrels aboard."
        for day in range(1, words // 18 + 1)
    )
    return "THE LOG\n\n" + "\n\n".join(sentences) + "\n"


def short_pages(chapters: int, about: str = "ferry") -> list[tuple[str, str]]:
    """Chapters, each with its title, that make one page each; the model has to shorten them."""
    towns = ("Hull", "Bergen", "Cork", "Ghent", "Riga", "Turku")
    return [
        (
            f"CHAPTER {number}",
            " ".join(
                f"In week {number * 6 + turn} the {about} brought {turn + 3} letters from {town}, "
                f"and nobody read them aloud."
                for turn, town in enumerate(towns)
            ),
        )
        for number in range(1, chapters + 1)
    ]


def as_text(chapters: list[tuple[str, str]]) -> str:
    """Chapters as a plain text file."""
    return "\n\n\n".join(f"{title}\n\n{text}" for title, text in chapters) + "\n"
