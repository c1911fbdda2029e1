"""The way from the command line to the window: who shows it, with which files, and where there is no screen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from readdesk.cli.main import run
from readdesk.paths import Paths


class Shown:
    """Stands for the window and remembers how it was called."""

    def __init__(self, code: int = 0) -> None:
        self.calls: list[tuple[Path, tuple[Path, ...], bool]] = []
        self._code = code

    def __call__(self, paths: Paths, files: Sequence[Path], offline: bool) -> int:
        self.calls.append((paths.library, tuple(files), offline))
        return self._code


@pytest.fixture(autouse=True)
def screen(monkeypatch: pytest.MonkeyPatch, paths: Paths) -> None:
    """A screen, on whatever system, and a home that is not the user's."""
    for name in ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":5")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    file = tmp_path / "a book.txt"
    file.write_text("The ferry left at six.", encoding="utf-8")
    return file


def test_the_program_alone_shows_the_window(paths: Paths) -> None:
    shown = Shown()
    assert run([], window=shown) == 0
    assert shown.calls == [(paths.library, (), False)]


def test_files_are_handed_over(book: Path, tmp_path: Path) -> None:
    shown = Shown()
    assert run(["open", str(book), str(tmp_path / "other.pdf")], window=shown) == 0
    assert [files for _, files, _ in shown.calls] == [(book, tmp_path / "other.pdf")]


def test_a_file_alone_is_opened_as_file_managers_do_it(book: Path) -> None:
    shown = Shown()
    assert run([str(book)], window=shown) == 0
    assert [files for _, files, _ in shown.calls] == [(book,)]


def test_a_file_that_is_named_like_a_command_does_not_hide_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "list").write_text("not a command")
    monkeypatch.chdir(tmp_path)
    shown = Shown()
    assert run(["list"], window=shown) == 0
    assert shown.calls == []


def test_what_is_neither_command_nor_file_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    shown = Shown()
    assert run(["bok.epub"], window=shown) == 2
    assert "bok.epub" in capsys.readouterr().err and shown.calls == []


def test_global_options_reach_the_window(tmp_path: Path) -> None:
    shown = Shown()
    assert run(["--offline", "--library", str(tmp_path / "other.db"), "open"], window=shown) == 0
    assert shown.calls == [(tmp_path / "other.db", (), True)]


def test_the_windows_exit_code_is_the_programs() -> None:
    assert run(["open"], window=Shown(3)) == 3


def test_without_a_screen_open_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], book: Path
) -> None:
    monkeypatch.delenv("DISPLAY")
    monkeypatch.setattr("sys.platform", "linux")
    shown = Shown()
    assert run(["open", str(book)], window=shown) == 1
    assert "no screen" in capsys.readouterr().err and shown.calls == []


def test_without_a_screen_the_first_steps_are_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY")
    monkeypatch.setattr("sys.platform", "linux")
    shown = Shown()
    assert run([], window=shown) == 1, "there is no model here"
    said = capsys.readouterr()
    assert "The ReadDesk Handbook" in said.out and "models get starter" in said.err and shown.calls == []
