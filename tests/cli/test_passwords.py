"""Locked PDFs on the command line: the password is asked for, and stands in no file afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from readdesk.paths import Paths
from tests.cli.terminal import Terminal, environment
from tests.samples import make

SECRET = "Sesam-öffne-dich-47"


@pytest.fixture
def locked(tmp_path: Path) -> Path:
    """A PDF that only its password opens."""
    return make.locked(tmp_path / "lease.pdf", SECRET, "the owner's")


def test_a_locked_file(terminal: Terminal, paths: Paths, locked: Path) -> None:
    """Trap 8: one sentence without a password and another with a wrong one; nothing is added."""
    missing = "lease.pdf is locked with a password. Give it with --password."
    wrong = "The password for lease.pdf is wrong. Give the right one with --password."
    assert terminal("add", locked).err.splitlines()[-1] == missing
    assert terminal("health", locked).check_error() == missing
    for password in ("sesam", "", "\udcff\udcfe", SECRET.upper()):
        assert terminal("health", locked, "--password", password).check_error() == wrong
    assert terminal("add", locked, "--password", "sesam").err.splitlines()[-1] == wrong
    assert terminal("--json", "list").json == []
    assert "Rain had fallen" in terminal("health", locked, "--password", SECRET, "--leaf", "1").out


def test_a_file_that_is_locked_only_for_changes(terminal: Terminal, paths: Paths, tmp_path: Path) -> None:
    """Trap 8: it opens without asking."""
    path = make.locked(tmp_path / "open.pdf", "", "the owner's")
    said = terminal("add", path)
    assert said.code == 0 and "“open”" in said.out


def test_the_password_is_written_nowhere(terminal: Terminal, paths: Paths, locked: Path, tmp_path: Path) -> None:
    """Trap 8: neither in the library nor in settings, logs or what workers say; nor a wrong one."""
    assert terminal("add", locked, "--password", f"wrong {SECRET}").code == 1
    assert terminal("add", locked, "--password", SECRET).code == 0
    assert terminal("health", locked, "--leaf", "1").code == 0
    assert terminal("gist", 1).code == 1, "there is no model here"
    locked.write_bytes(locked.read_bytes()[:700])
    assert terminal("health", locked, "--encoding", "UTF-8", "--password", SECRET).code == 1
    assert list(_holding(tmp_path, SECRET)) == []
    (tmp_path / "probe.txt").write_text(f"as {SECRET} would be found")
    assert list(_holding(tmp_path, SECRET)) == [tmp_path / "probe.txt"]


def _holding(folder: Path, words: str) -> Iterator[Path]:
    """The files below a folder that hold some words, however they are encoded."""
    forms = [words.encode(encoding) for encoding in ("utf-8", "utf-16-le", "latin-1")]
    for file in sorted(folder.rglob("*")):
        if file.is_file() and any(form in file.read_bytes() for form in forms):
            yield file


@pytest.mark.skipif(sys.platform == "win32", reason="terminals are made with pty")
def test_a_person_at_a_terminal_is_asked(paths: Paths, locked: Path, tmp_path: Path) -> None:
    """Again after a wrong password; what is typed is not seen."""
    code, seen = _typed(tmp_path / "home", ["health", str(locked)], ["sesame", SECRET])
    assert code == 0
    assert seen.count("Its password:") == 2 and "The password for lease.pdf is wrong." in seen
    assert SECRET not in seen and "sesame" not in seen
    code, seen = _typed(tmp_path / "home", ["add", str(locked)], [""])
    assert code == 1 and seen.rstrip().endswith("lease.pdf is locked with a password. Give it with --password.")


def _typed(home: Path, words: list[str], answers: list[str]) -> tuple[int, str]:
    """Run the real program at a terminal of its own and answer its questions; how it ended and what was seen."""
    import pty  # noqa: PLC0415 - Windows has none

    terminal, end = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "readdesk", "--plain", *words],
        env=environment(home),
        stdin=end,
        stdout=end,
        stderr=end,
        start_new_session=True,
    )
    os.close(end)
    seen, waiting = b"", list(answers)
    try:
        while True:
            try:
                seen += os.read(terminal, 4096)
            except OSError:  # The program has let go of its terminal.
                break
            if waiting and seen.count(b"Its password: ") > len(answers) - len(waiting):
                os.write(terminal, waiting.pop(0).encode() + b"\n")
        return child.wait(60), seen.decode()
    finally:
        child.kill()
        os.close(terminal)
