"""The real program in a process of its own: a whole session, a closed pipe, and Ctrl-C at bad moments."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.terminal import Program, environment, program
from tests.jobs.homes import as_text, long_page, make_home, short_pages, wait_until_quiet
from tests.samples import make

WITHIN_SECONDS = 1.0
"""What is promised for Ctrl-C."""

RUNS = r"tiny runs on the CPU: 1 thread( writes, \d+ read)?\."
"""What the model of a home runs on: how many threads read depends on the machine."""


@pytest.fixture
def home(tmp_path: Path, tiny_model: Path) -> Path:
    """A home with the model, under a name that is not English."""
    folder = tmp_path / "Zuhause 家"
    make_home(folder, tiny_model, context=4096)
    return folder


def test_a_whole_session(home: Path, tmp_path: Path) -> None:
    """Add, gist, ask, read, export, each a program of its own; standard output is the result and nothing else."""
    book = tmp_path / "fähre.txt"
    book.write_text("The Ferry\n\n\n" + as_text(short_pages(1)), encoding="utf-8")
    said = program(home, "--json", "add", book)
    assert said.code == 0 and said.json["added"][0]["path"] == str(book)
    assert said.err.splitlines() == ["Reading fähre.txt …", "Saving"]

    said = program(home, "--plain", "gist", book, "--pages", 1, "--kind", "article")
    assert said.code == 0 and said.out.startswith("“The Ferry”: 1 page with gists (1 now), ")
    assert said.out.endswith("More is left to read; run gist again without --pages to go on.\n")
    begun, ready, page = said.err.splitlines()
    assert (begun, page) == ("Reading “The Ferry” with tiny …", "page 1 of 1 (100%)")
    assert re.fullmatch(RUNS, ready)
    (gisted,) = program(home, "--json", "gist", 1).json
    assert (gisted["pages"], gisted["added"], gisted["complete"]) == (2, 1, True)
    assert (gisted["engine"]["model"], gisted["engine"]["device"], gisted["engine"]["threads"]) == ("tiny", "CPU", 1)

    said = program(home, "--plain", "ask", "the ferry", "What", "did", "the", "ferry", "bring?", "--max-pages", 1)
    assert said.code == 0
    answer, trail = said.out.rsplit("\n\n", 1)
    assert (
        answer.strip() and trail.startswith("Looked up page ") and "Read 1 of 2 pages in full, all as gists.\n" in trail
    )
    assert said.err.splitlines() == ["Asking “The Ferry” with tiny …", ready]

    pages = program(home, "--json", "pages", 1).json
    assert [page["page"] for page in pages] == [1, 2] and all(page["gist"] for page in pages)
    said = program(home, "export", 1)
    assert (said.code, said.err) == (0, "Exporting “The Ferry” …\n") and said.out.startswith("# The Ferry\n")
    assert program(home, "list").out == "   1  The Ferry  (text, 94 words, 2 gists)\n"
    wait_until_quiet(home)


def test_a_locked_file_and_the_exit_codes(home: Path, tmp_path: Path) -> None:
    path = make.locked(tmp_path / "locked.pdf", "user", "owner")
    assert "is locked with a password. Give it with --password." in program(home, "add", path).check_error()
    assert program(home, "add", path, "--password", "user").code == 0
    assert program(home, "lst").code == 2


def test_the_reader_of_the_output_leaves(home: Path) -> None:
    """`readdesk models list | head -1`: no complaint, and it counts as done."""
    for words in (["models", "list"], ["--json", "models", "list"]):
        child = subprocess.Popen(
            [sys.executable, "-m", "readdesk", *words],
            env=environment(home),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert child.stdout is not None and child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == b""
        child.stderr.close()
        assert child.wait(60) == 0


# -- Ctrl-C ------------------------------------------------------------------------------------------------------

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups of POSIX")
TOLD = "Stopped. Run the same command again to continue."


def test_ctrl_c_while_a_long_page_is_read(
    home: Path, tmp_path: Path, record_testsuite_property: Callable[[str, object], None]
) -> None:
    """It returns within a second and says what to do; the pages before it stay, and a second run goes on."""
    (tmp_path / "log.txt").write_text("A motto.\n\n\nCHAPTER 1\n\nNobody came.\n\n\nCHAPTER 2\n\n" + long_page(700)[9:])
    assert program(home, "add", tmp_path / "log.txt").code == 0
    gisting = Program(home, "gist", 1, "--kind", "book")
    assert gisting.wait_for_words() == "Reading “A motto” with tiny …\n"
    assert re.fullmatch(RUNS, gisting.wait_for_words().rstrip())
    assert gisting.wait_for_words().startswith("page 1 ")
    time.sleep(0.4)
    said, seconds = gisting.press_ctrl_c()
    record_testsuite_property("stop_seconds_ctrl_c", round(seconds, 3))
    assert (said.code, said.out) == (130, "")
    assert said.err.splitlines() == ["Stopping …", TOLD]
    assert seconds < WITHIN_SECONDS
    wait_until_quiet(home)

    before = program(home, "--json", "pages", 1).json
    assert [page["words"] for page in before] == [2, 4]
    (gisted,) = program(home, "--json", "gist", 1).json
    assert (gisted["pages"], gisted["added"], gisted["complete"]) == (3, 1, True)
    assert program(home, "--json", "pages", 1).json[:2] == before


@pytest.mark.parametrize("wait", [0.0, 0.2, 0.5])
def test_ctrl_c_while_the_model_loads_and_begins(
    home: Path, tmp_path: Path, wait: float, record_testsuite_property: Callable[[str, object], None]
) -> None:
    (tmp_path / "log.txt").write_text(long_page())
    assert program(home, "add", tmp_path / "log.txt").code == 0
    gisting = Program(home, "gist", 1, "--kind", "book")
    assert gisting.wait_for_words() == "Reading “THE LOG” with tiny …\n"
    time.sleep(wait)
    said, seconds = gisting.press_ctrl_c()
    record_testsuite_property(f"stop_seconds_ctrl_c_after_{wait}", round(seconds, 3))
    told = [line for line in said.err.splitlines() if not re.fullmatch(RUNS, line)]  # It may be loaded by then.
    assert (said.code, said.out, told) == (130, "", ["Stopping …", TOLD])
    assert seconds < WITHIN_SECONDS
    assert program(home, "--json", "pages", 1).json == []
    wait_until_quiet(home)


def test_ctrl_c_while_an_answer_is_written(home: Path, tmp_path: Path) -> None:
    """As soon as its first word is there; no process stays."""
    (tmp_path / "log.txt").write_text(long_page(200))
    assert program(home, "add", tmp_path / "log.txt").code == 0
    assert program(home, "gist", 1).code == 0
    asking = Program(home, "ask", 1, "Which ships passed, and with how many barrels aboard? Name them all.")
    asking.wait_for_output()
    said, seconds = asking.press_ctrl_c()
    asked, ready, *told = said.err.splitlines()
    assert said.code == 130 and (asked, told) == ("Asking “THE LOG” with tiny …", ["Stopping …", TOLD])
    assert re.fullmatch(RUNS, ready)
    assert seconds < WITHIN_SECONDS
    wait_until_quiet(home)


def test_ctrl_c_twice(home: Path, tmp_path: Path) -> None:
    """An impatient person does no harm."""
    (tmp_path / "log.txt").write_text(long_page())
    assert program(home, "add", tmp_path / "log.txt").code == 0
    gisting = Program(home, "gist", 1, "--kind", "book")
    gisting.wait_for_words()
    gisting.press_ctrl_c_only()
    said, _ = gisting.press_ctrl_c()
    assert said.code == 130 and "Traceback" not in said.err
    wait_until_quiet(home)
    assert program(home, "--json", "list").json[0]["gists"] == 0


INTERRUPTED_AT_THE_START = """
import sys

class Finder:
    def find_spec(self, name, path, target=None):
        if name == "readdesk.cli.session":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Finder())
from readdesk.__main__ import main
sys.exit(main())
"""


def test_ctrl_c_while_the_program_starts() -> None:
    """Before the command line is even loaded: no traceback."""
    child = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AT_THE_START, "list"], capture_output=True, text=True, check=False
    )
    assert (child.returncode, child.stdout, child.stderr) == (130, "", "Stopped.\n")
