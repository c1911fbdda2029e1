"""Every command in this process: what it prints where, as words and as JSON, and how it ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from readdesk.cli.main import cli
from readdesk.desk import Desk
from readdesk.library.model import DocumentRecord
from readdesk.library.store import Library
from readdesk.llm.loader import EngineLoader
from readdesk.paths import Paths
from tests.cli.terminal import Said, Terminal
from tests.fakes import ScriptedEngine
from tests.jobs.books import short
from tests.library.books import COST, gist, page
from tests.samples import make


def all_commands(group: click.Group = cli, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command and group by its words."""
    yield words
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from all_commands(command, (*words, name))
        else:
            yield (*words, name)


COMMANDS = list(all_commands())


def test_all_commands_are_there() -> None:
    assert {" ".join(words) for words in COMMANDS} == {
        "",
        "add",
        "list",
        "health",
        "ocr",
        "pages",
        "gist",
        "ask",
        "export",
        "open",
        "models",
        "models list",
        "models get",
        "models add",
    }


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help(terminal: Terminal, words: tuple[str, ...], paths: Paths) -> None:
    """Each command says what it does and what each of its options is for, and touches nothing."""
    said = terminal(*words, "--help")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"Usage: {' '.join(('readdesk', *words))} ")
    command: click.Command = cli
    for word in words:
        assert isinstance(command, click.Group)
        command = command.commands[word]
    text = " ".join(said.out.split())
    assert command.help is not None and command.help.split(":")[0][:40] in text
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.opts[-1] in text and (parameter.help or "")[:30] in text and parameter.help
    assert terminal(*words, "-h").out == said.out
    assert not paths.library.exists()


def test_version(terminal: Terminal) -> None:
    said = terminal("--version")
    assert said.code == 0 and said.out.startswith("ReadDesk 0.")


# -- add and list ------------------------------------------------------------------------------------------------


def test_an_empty_library(terminal: Terminal) -> None:
    said = terminal("list")
    assert said == Said(0, "The library is empty. Add a book: readdesk add FILE\n", "")
    assert terminal("--json", "list").json == []


def test_add_and_list(terminal: Terminal, tmp_path: Path) -> None:
    epub = make.epub(tmp_path / "book.epub", {"a.xhtml": make.xhtml("<p>The ferry left at six.</p>")})
    latin = tmp_path / "straße.txt"
    latin.write_bytes("Die Fähre legte um sechs ab.".encode("cp1252"))
    said = terminal("add", epub, latin)
    assert said.code == 0
    assert said.out == (
        "Added 1 “A Sample”, 5 words.\n"
        "Added 2 “Die Fähre legte um sechs ab”, 6 words.\n"
        "  Note: The file does not say how its letters are encoded; it was read as Windows-1252. "
        "If letters look wrong, choose another encoding.\n"
    )
    assert said.err.splitlines() == ["Reading book.epub …", "Saving", "Reading straße.txt …", "Saving"]
    said = terminal("list")
    assert said.out == (
        "   1  A Sample by Ann Author  (epub, 5 words, 0 gists)\n"
        "   2  Die Fähre legte um sechs ab  (text, 6 words, 0 gists)\n"
    )
    listed = terminal("--json", "list").json
    assert [(entry["id"], entry["title"], entry["path"], entry["gists"]) for entry in listed] == [
        (1, "A Sample", str(epub), 0),
        (2, "Die Fähre legte um sechs ab", str(latin), 0),
    ]


def test_add_again(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The ferry left.")
    assert terminal("add", tmp_path / "a.txt").out == "Added 1 “The ferry left”, 3 words.\n"
    said = terminal("add", tmp_path / "a.txt", tmp_path / "a.txt")
    assert said.out == "Already in the library: 1 “The ferry left”, 3 words.\n" * 2 and said.code == 0
    added = terminal("--json", "add", tmp_path / "a.txt").json
    assert [entry["id"] for entry in added["added"]] == [1] and added["failed"] == []


def test_add_some_of_which_fail(terminal: Terminal, tmp_path: Path) -> None:
    """The others are added, each failure is told, and the exit code says that not all went well."""
    (tmp_path / "good.txt").write_text("The ferry left.")
    (tmp_path / "empty.txt").touch()
    words = (tmp_path / "empty.txt", tmp_path / "good.txt", tmp_path / "gone.txt")
    said = terminal("add", *words)
    assert (said.code, said.out) == (1, "Added 1 “The ferry left”, 3 words.\n")
    assert "empty.txt is empty. Get the file again." in said.err and "There is no file" in said.err
    said = terminal("--json", "add", *words)
    assert said.code == 1
    assert [entry["title"] for entry in said.json["added"]] == ["The ferry left"]
    assert [failure.split(" ")[0] for failure in said.json["failed"]] == ["empty.txt", "There"]


def test_add_a_locked_pdf(terminal: Terminal, tmp_path: Path) -> None:
    path = make.locked(tmp_path / "locked.pdf", "user", "owner")
    assert "locked" in terminal("add", path).check_error() and "--password" in terminal("add", path).err
    assert "wrong" in terminal("add", path, "--password", "nonsense").check_error()
    assert terminal("list").out.startswith("The library is empty")
    said = terminal("add", path, "--password", "user")
    assert said.code == 0 and said.out == "Added 1 “locked”, 45 words.\n"


# -- pages and export --------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("shelf")
def test_pages(terminal: Terminal) -> None:
    said = terminal("pages", "The [F")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("Page 1 Section 1 (600 words)\nword0n0 gist0 gist1")
    assert said.out.count("\nPage ") == 2
    assert terminal("pages", 1, "--page", 2).out.startswith("Page 2 Section 1 (200 words)\nword6n0 gist0")
    full = terminal("pages", 1, "--page", 2, "--full").out
    assert full.startswith("Page 2 Section 1 (200 words)\nword6n0 word6n1") and "gist0" not in full
    small = terminal("pages", 1, "--model", "small").out
    assert small.count("(no gist yet)") == 2 and "gist0" in small
    assert terminal("pages", 2).out == "“The Mill” has not been read yet. Run: readdesk gist 2\n"


@pytest.mark.usefixtures("shelf")
def test_pages_as_json(terminal: Terminal) -> None:
    pages = terminal("--json", "pages", 1).json
    assert [(page["page"], page["words"], page["model"], page["section"]) for page in pages] == [
        (1, 600, "tiny", "Section 1"),
        (2, 200, "tiny", "Section 1"),
        (3, 600, "tiny", "Section 2"),
    ]
    assert pages[0]["start"] == 0 and pages[0]["end"] == pages[1]["start"] and "text" not in pages[0]
    (page,) = terminal("--json", "pages", 1, "--page", 2, "--full").json
    assert page["text"].startswith("word6n0 ") and page["gist"].startswith("word6n0 gist0")
    assert terminal("--json", "pages", 2).json == []


@pytest.mark.usefixtures("shelf")
def test_export(terminal: Terminal, tmp_path: Path) -> None:
    """The printed notes and the file are the same; the old file is replaced."""
    said = terminal("export", 1)
    assert said.code == 0 and said.out.startswith("# The \\[Ferry\\]\n\n*3 pages, gists by tiny.*\n")
    target = tmp_path / "Größe.md"
    target.write_text("old")
    written = terminal("export", 1, "--format", "md", "-o", target)
    assert (written.code, written.out) == (0, f"Wrote {target}\n")
    assert target.read_text(encoding="utf-8") == said.out
    assert terminal("--json", "export", 1).json == {"text": said.out}
    assert terminal("--json", "export", 1, "-o", target).json == {"file": str(target)}


@pytest.mark.usefixtures("shelf")
def test_export_lies_where_the_command_was_given(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert terminal("export", 1, "-o", "notes.md").out == f"Wrote {tmp_path / 'notes.md'}\n"
    assert (tmp_path / "notes.md").exists()


# -- ask ---------------------------------------------------------------------------------------------------------

RUNS = {
    "model": "scripted",
    "device": "CPU",
    "gpu_layers": 0,
    "layers": 0,
    "threads": 0,
    "batch_threads": 0,
    "tokens_a_second": 0.0,
    "has_template": True,
    "note": "",
}
"""What a scripted engine runs on."""


@pytest.fixture
def answers(paths: Paths, tiny_model: Path, monkeypatch: pytest.MonkeyPatch, shelf: Path) -> ScriptedEngine:
    """The model that answers: it names page 3 and is asked about what it said."""
    engine = ScriptedEngine(["[3]", "It says word8 [Page 3]. So does page 2."])
    monkeypatch.setattr(EngineLoader, "engine", lambda *_: engine)
    return engine


@pytest.mark.usefixtures("answers")
def test_ask(terminal: Terminal) -> None:
    """The answer as it is written, then the trail."""
    said = terminal("ask", "the [ferry", "What", "does it", "say?", "--max-pages", 1)
    assert (said.code, said.err) == (0, "Asking “The [Ferry]” with tiny …\nscripted runs on the CPU.\n")
    assert said.out == (
        "It says word8 [Page 3]. So does page 2.\n"
        "\n"
        "Looked up page 3: the model named it from its gist.\n"
        "Read 1 of the 3 pages that have gists so far in full, all as gists.\n"
        "The answer names page 2, not read in full: unverified.\n"
    )


def test_ask_as_json(terminal: Terminal, answers: ScriptedEngine) -> None:
    said = terminal("--json", "ask", 1, "What does it say?", "--max-pages", 1)
    assert said.code == 0 and said.json == {
        "id": 1,
        "answer": "It says word8 [Page 3]. So does page 2.",
        "look_ups": [{"page": 3, "by": "model", "reason": "the model named it from its gist", "shortened": False}],
        "coverage": "Read 1 of the 3 pages that have gists so far in full, all as gists.",
        "left_out": [],
        "unverified_pages": [2],
        "shortened_gists": False,
        "choice_readable": True,
        "cut": False,
        "engine": RUNS,
    }
    assert answers.streamed[0].text.endswith("Question: What does it say?")


@pytest.mark.usefixtures("answers")
def test_gist_with_several_documents(terminal: Terminal, answers: ScriptedEngine) -> None:
    """Each gets its report; the model is the best one that is here."""
    answers.replies.clear()
    answers._otherwise = short
    said = terminal("--json", "gist", 1, "The Mill", "--pages", 4, "--model", "tiny")
    assert said.code == 0
    assert [(entry["id"], entry["pages"], entry["added"], entry["complete"]) for entry in said.json] == [
        (1, 4, 1, False),
        (2, 4, 4, False),
    ]
    assert [entry["engine"] for entry in said.json] == [RUNS, RUNS]
    assert said.err.splitlines() == [
        "Reading “The [Ferry]” with tiny …",
        "scripted runs on the CPU.",
        "page 4 of 4 (100%)",
        "Reading “The Mill” with tiny …",
        "scripted runs on the CPU.",
        "page 1 of 4 (25%)",
    ]


@pytest.mark.usefixtures("shelf")
def test_a_gist_that_needs_no_model_tells_of_none(terminal: Terminal, paths: Paths, tiny_model: Path) -> None:
    (paths.models / "tiny.gguf").parent.mkdir(parents=True, exist_ok=True)
    (paths.models / "tiny.gguf").symlink_to(tiny_model)
    said = terminal("--json", "gist", 1, "--pages", 3, "--model", "tiny")
    assert [(entry["added"], entry["engine"]) for entry in said.json] == [(0, None)]
    assert said.err.splitlines() == ["Reading “The [Ferry]” with tiny …"]


# -- models ------------------------------------------------------------------------------------------------------


def test_models(terminal: Terminal, paths: Paths, tiny_model: Path, tmp_path: Path) -> None:
    said = terminal("models", "list")
    assert said.code == 0 and "starter is what can be had wherever pip works" in said.out
    states = {state["name"]: state for state in terminal("--json", "models", "list").json}
    assert {"starter", "small", "tiny", "embedder"} <= set(states)
    assert not any(state["installed"] for state in states.values())
    assert states["starter"]["size"] == 1_117_320_768 and states["starter"]["licence"] == "Apache-2.0"

    (tmp_path / "my own.gguf").symlink_to(tiny_model)
    said = terminal("models", "add", tmp_path / "my own.gguf")
    assert said.out == "Added as my-own. Use it: readdesk gist DOC --model my-own\n"
    added = terminal("--json", "models", "add", tmp_path / "my own.gguf", "--name", "mine").json
    assert added == {"name": "mine", "file": str(tmp_path / "my own.gguf")}
    states = {state["name"]: state for state in terminal("--json", "models", "list").json}
    assert states["mine"]["installed"] and not states["tiny"]["installed"]
    assert (states["mine"]["bytes_per_token"], states["tiny"]["bytes_per_token"]) == (23_040, 0)
    assert "For gists of 6,000 tokens, in memory and kept on disk: mine 138 MB." in terminal("models", "list").out

    (paths.models / "tiny.gguf").symlink_to(tiny_model)
    said = terminal("--offline", "models", "get", "tiny")
    assert (said.code, said.out) == (0, "The model tiny is ready.\n")
    assert terminal("--json", "models", "get", "tiny").json == {"files": [str(paths.models / "tiny.gguf")]}


# -- what can go wrong -------------------------------------------------------------------------------------------

Words = list[str | Path | int]


def _damaged(folder: Path) -> Path:
    path = make.epub(folder / "damaged.epub", {"a.xhtml": make.xhtml("<p>text</p>" * 500)})
    path.write_bytes(path.read_bytes()[:-200])
    return path


def _text(folder: Path, name: str) -> Path:
    (folder / name).write_text("This is no such file. " * 100)
    return folder / name


ERRORS: dict[str, tuple[Callable[[Path], Words], int, str]] = {
    "missing file": (lambda f: ["add", f / "gone.epub"], 1, r"There is no file .*gone\.epub\."),
    "damaged file": (lambda f: ["add", _damaged(f)], 1, r"damaged\.epub is damaged or was cut short\."),
    "folder": (lambda f: ["add", f], 1, r"is a folder\. Name a file in it\."),
    "unknown doc": (lambda f: ["pages", "The Lighthouse"], 1, r"No document is called “The Lighthouse”\."),
    "unknown id": (lambda f: ["pages", 99], 1, r"“99”\. `readdesk list` shows the library\."),
    "huge id": (lambda f: ["pages", "9" * 40], 1, r"`readdesk list` shows the library\."),
    "several docs": (lambda f: ["pages", "the"], 1, r"more than one title: 1 “The \[Ferry\]”, 2 “The Mill”\."),
    "unknown page": (lambda f: ["pages", 1, "--page", 9], 1, r"has no page 9\. Run: readdesk pages 1"),
    "no model": (lambda f: ["gist", 1], 1, r"no model on this computer yet\. First run: readdesk models get starter"),
    "model not here": (lambda f: ["gist", 1, "--model", "starter"], 1, r"Get it with `readdesk models get starter`\."),
    "unknown model": (
        lambda f: ["gist", 1, "--model", "startr"],
        1,
        r"No model is called startr\. Did you mean starter",
    ),
    "unknown model to get": (lambda f: ["models", "get", "nothing"], 1, r"No model is called nothing\."),
    "no such model file": (lambda f: ["models", "add", f / "gone.gguf"], 1, r"There is no model file .*gone\.gguf\."),
    "no model file": (lambda f: ["models", "add", _text(f, "a.gguf")], 1, r"a\.gguf is not a GGUF model file\."),
    "offline": (
        lambda f: ["--offline", "models", "get", "small"],
        1,
        r"small is not on this computer, and ReadDesk was started offline",
    ),
    "asked before it is read": (lambda f: ["ask", 2, "What?"], 1, r"not been read yet\. First run: readdesk gist 2"),
    "empty question": (lambda f: ["ask", 1, " "], 1, r"The question is empty\. Write what you want to know\."),
    "other kind": (lambda f: ["gist", 1, "--model", "tiny", "--kind", "book"], 1, r"kind article\. Leave out --kind\."),
    "no gists to export": (lambda f: ["export", 2], 1, r"no gists to export\. First run: readdesk gist 2"),
    "export nowhere": (lambda f: ["export", 1, "-o", f / "x" / "a.md"], 1, r"cannot be written .*Name another file"),
    "library of text": (
        lambda f: ["--library", _text(f, "my.db"), "list"],
        1,
        r"The library .*my\.db cannot be opened",
    ),
    "unknown option": (lambda f: ["list", "--everything"], 2, r"No such option:? .?--everything"),
    "unknown command": (lambda f: ["lst"], 2, r"No such command 'lst'\."),
    "missing argument": (lambda f: ["add"], 2, r"Missing argument 'FILES\.\.\.'\."),
    "missing question": (lambda f: ["ask", 1], 2, r"Missing argument 'QUESTION\.\.\.'\."),
    "no number": (lambda f: ["gist", 1, "--pages", "many"], 2, r"'many' is not a valid integer range\."),
    "no pages": (lambda f: ["gist", 1, "--pages", "0"], 2, r"0 is not in the range x>=1\."),
    "unknown kind": (lambda f: ["gist", 1, "--kind", "poem"], 2, r"'poem' is not one of"),
    "unknown format": (lambda f: ["export", 1, "--format", "doc"], 2, r"'doc' is not"),
    "export to a folder": (lambda f: ["export", 1, "-o", f], 2, r"is a directory\."),
}


@pytest.mark.parametrize("case", ERRORS)
@pytest.mark.parametrize("options", [(), ("--json",)], ids=["words", "json"])
@pytest.mark.usefixtures("shelf")
def test_an_error_is_a_sentence(
    terminal: Terminal, tmp_path: Path, case: str, options: tuple[str, ...], tiny_model: Path, paths: Paths
) -> None:
    """On standard error, with what to do; nothing on standard output, no traceback, and the right exit code."""
    make_words, code, pattern = ERRORS[case]
    if case == "other kind":
        paths.models.mkdir(parents=True)
        (paths.models / "tiny.gguf").symlink_to(tiny_model)
    (tmp_path / "files").mkdir()
    said = terminal(*options, *make_words(tmp_path / "files"))
    if options and case in ("missing file", "damaged file", "folder"):
        assert said.code == 1 and said.json["added"] == [] and len(said.json["failed"]) == 1
        said = Said(said.code, "", said.err)
    if code == 1:
        assert re.search(pattern, said.check_error()), said.err
    else:
        assert (said.code, said.out) == (2, "")
        usage, hint, _, error = said.err.splitlines()
        assert usage.startswith("Usage: readdesk") and "--help" in hint and re.search(pattern, error), said.err


def test_settings_that_cannot_be_read(terminal: Terminal, paths: Paths) -> None:
    paths.config.mkdir(parents=True)
    (paths.config / "settings.toml").write_text("[engine\n")
    assert "settings.toml cannot be read" in terminal("list").check_error()


def test_a_fault_of_ours(terminal: Terminal, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence names the log file, and the log file has the traceback."""

    def fail(self: Desk) -> None:
        raise ZeroDivisionError("by nobody")

    monkeypatch.setattr(Desk, "documents", fail)
    said = terminal("list")
    log = paths.cache / "readdesk.log"
    assert said.check_error() == f"Something went wrong inside ReadDesk. Please report it with the file {log}."
    assert "ZeroDivisionError: by nobody" in log.read_text(encoding="utf-8")


def test_a_home_that_cannot_be_written(terminal: Terminal, paths: Paths) -> None:
    """Also where not even the log can be kept, a sentence says what is wrong."""
    paths.data.write_text("I am no folder.")
    assert f"{paths.data}/" in terminal("list").check_error()


def test_stopped_from_outside_a_job(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C at any other moment ends with 130, too."""

    def interrupted(self: Desk) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Desk, "documents", interrupted)
    said = terminal("list")
    assert (said.code, said.out, said.err.strip()) == (130, "", "Stopped.")


# -- where the library lies --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mine.db", "Büchereï 字 🐟.db", "a b/c d.db"])
def test_a_library_file(terminal: Terminal, tmp_path: Path, name: str, paths: Paths) -> None:
    """Wherever it is called, it appears there and nowhere else (trap 53)."""
    (tmp_path / "a.txt").write_text("The ferry left.")
    library = tmp_path / "libraries" / name
    assert terminal("--library", library, "add", tmp_path / "a.txt").code == 0
    assert library.is_file() and not paths.library.exists()
    assert len(terminal("--library", library, "--json", "list").json) == 1
    assert terminal("--json", "list").json == []


def test_a_library_folder(terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder means library.db inside it; a path is taken from where the command is given."""
    (tmp_path / "a.txt").write_text("The ferry left.")
    folder = tmp_path / "Bücher"
    folder.mkdir()
    assert terminal("--library", folder, "add", tmp_path / "a.txt").code == 0
    assert (folder / "library.db").is_file()
    monkeypatch.chdir(tmp_path)
    assert len(terminal("--library", "Bücher", "--json", "list").json) == 1
    assert len(terminal("--library", "Bücher/library.db", "--json", "list").json) == 1


@pytest.mark.parametrize("words", [("list",), ("pages", 1), ("gist", 1), ("ask", 1, "Who?"), ("export", 1)])
def test_a_mistyped_library_is_not_begun(terminal: Terminal, tmp_path: Path, words: tuple[str | int, ...]) -> None:
    said = terminal("--library", tmp_path / "typo" / "l.db", *words)
    assert said.code == 1 and said.err.startswith("There is no library at ") and not (tmp_path / "typo").exists()


# -- the first start ---------------------------------------------------------------------------------------------


def test_a_newcomer_without_a_model(terminal: Terminal) -> None:
    """The handbook is there, and it says what to get."""
    said = terminal()
    assert said.code == 1 and "in your library as number 1" in said.out
    assert said.err.rstrip().endswith("First run: readdesk models get starter")
    assert len(terminal("--json", "list").json) == 1


def test_a_newcomer_with_a_model(terminal: Terminal, paths: Paths, tiny_model: Path) -> None:
    """Nothing is left to read here, so it only says how to go on."""
    terminal()
    paths.models.mkdir(parents=True)
    (paths.models / "tiny.gguf").symlink_to(tiny_model)
    library = Library(paths.library)
    _four_gists(library, library.documents.get(1))
    library.close()
    said = terminal()
    assert said.code == 0
    for words in ("ask 1 ", "pages 1", "add FILE", "--help"):
        assert words in said.out


def _four_gists(library: Library, record: DocumentRecord) -> None:
    for number in range(1, 5):
        assert library.gists.add_page(record, page(number, 100 * number - 100, 100 * number), gist(number), COST, 1.0)


@pytest.mark.parametrize("ending", ["txt", "html"])
def test_a_title_commands_no_terminal(terminal: Terminal, tmp_path: Path, ending: str) -> None:
    """Escapes, bells and marks that turn the direction of a line are shown as what they are: nothing."""
    title = "Evil \x1b[2J\x1b]0;owned\x07 \u202eTitle\x9b1m"
    text = f"<html><head><title>{title}</title></head><body>" if ending == "html" else title
    path = tmp_path / f"t.{ending}"
    path.write_text(f"{text}\n\n{'Some words here. ' * 200}\n", encoding="utf-8")
    for command in (["add", str(path)], ["list"], ["health", "1", "--sections"]):
        said = terminal(*command)
        assert "Evil" in said.out
        assert not set("\x1b\x07\x9b\u202e") & set(said.out + said.err)
