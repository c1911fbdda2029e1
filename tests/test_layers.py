"""The plan of the house: which way imports run, who alone may load which library, how large modules are.

The two lists are those of the design (architecture, section 3) and stand only here. Imports are read from the source,
wherever they stand (also inside functions and under TYPE_CHECKING); what a front process really loads is looked up in
a child. The checks are tried on bad samples too: a guard that never barks guards nothing.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "readdesk"

BASE = ("errors", "cancel", "paths", "settings", "log", "worker")
VALUES = ("*.model", "documents.numbering", "jobs.events")

MAY_IMPORT: Mapping[str, Sequence[str]] = {
    "base": BASE,
    "documents": BASE,
    "llm": BASE,
    "retrieval": (*BASE, "documents.model", "documents.normal", "llm.model", "llm.base"),
    "reading": (
        *("errors", "cancel", "documents.model", "documents.normal", "llm.model", "llm.base", "llm.replies"),
        *("retrieval", "retrieval.*", "!retrieval.vectors", "!retrieval.service"),
    ),
    "library": (
        *(*BASE, "documents.model", "documents.fileread", "documents.normal", "documents.numbering"),
        *("reading.model", "retrieval.base"),
    ),
    "jobs": (*BASE, "documents.*", "llm.*", "retrieval.*", "reading.*", "library.*"),
    "desk": (
        *(*BASE, "documents.model", "documents.numbering", "documents.open", "documents.drawer"),
        *("documents.recogniser", "llm.*", "retrieval.*", "library.*", "jobs.*"),
    ),
    "evaluation": (*BASE, "documents.*", "llm.*", "retrieval.*", "reading.*", "library.*"),
    "cli": (*BASE, "desk", "evaluation.*", *VALUES),
    "gui": (*BASE, "desk", *VALUES),
    "__main__": (*BASE, "cli.*", "gui.*", "desk"),
    "__init__": (),
}
"""What a room may import besides its own modules; patterns of module names, "!" takes away."""

SINGLE_IMPORTERS: Mapping[str, Sequence[str]] = {
    "llama_cpp": ("llm/llama/*",),
    "torch": ("retrieval/service.py",),
    "sentence_transformers": ("retrieval/service.py",),
    "faiss": ("retrieval/service.py",),
    "pymupdf": ("documents/pdf/*", "documents/render.py", "documents/service.py"),
    "fitz": (),
    "ebooklib": ("documents/epub/reader.py",),
    "sqlite_utils": ("library/*",),
    "sqlite3": ("library/*",),
    "PySide6": ("gui/*",),
    "qtawesome": ("gui/theme.py",),
    "superqt": ("gui/*",),
    "qtpy": (),
    "click": ("cli/*", "__main__.py"),
}

NEVER_IN_FRONT = ("pymupdf", "ebooklib", "lxml", "llama_cpp", "torch", "faiss", "sentence_transformers")
LONGEST_MODULE = 500


@dataclass(frozen=True)
class Import:
    """One import: the module's full name, where it stands, and whether that is inside a function."""

    module: str
    line: int
    inside_function: bool


# -- reading sources -----------------------------------------------------------------------------------------------


def modules() -> list[str]:
    """Every module as a path below the package."""
    return sorted(file.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("*.py"))


def name_of(place: str) -> str:
    """The module's name below `readdesk.`, "" for the package itself."""
    return place.removesuffix(".py").removesuffix("__init__").strip("/").replace("/", ".")


NAMES = {name_of(place) for place in modules()}


def room_of(name: str) -> str:
    """The room of a module."""
    first = name.partition(".")[0]
    return "base" if first in BASE else first or "__init__"


def imports(place: str, source: str) -> Iterator[Import]:
    """Every import of a module, also what is loaded by name."""
    yield from _imports(ast.parse(source), place, inside=False)


def _imports(node: ast.AST, place: str, *, inside: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (Import(alias.name, child.lineno, inside) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            yield from (Import(name, child.lineno, inside) for name in _from(child, place))
        elif isinstance(child, ast.Call) and _loads_by_name(child):
            for argument in child.args[:1]:
                if isinstance(argument, ast.Constant):
                    yield Import(str(argument.value), child.lineno, inside_function=True)
        function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from _imports(child, place, inside=inside or function)


def _from(node: ast.ImportFrom, place: str) -> Iterator[str]:
    """The modules of a from-import: `from readdesk.llm import base` means readdesk.llm.base."""
    package = ["readdesk", *place.split("/")[:-1]]
    base = [*package[: len(package) - node.level + 1], *filter(None, [node.module])] if node.level else [node.module]
    name = ".".join(filter(None, base))
    room = name.startswith("readdesk.") and (PACKAGE / name.removeprefix("readdesk.").replace(".", "/")).is_dir()
    for alias in node.names:
        whole = f"{name}.{alias.name}"
        # What a room offers itself begins with a capital; the rest are its modules, also those that are still to come.
        yield whole if whole.removeprefix("readdesk.") in NAMES or (room and alias.name.islower()) else name


def _loads_by_name(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in ("import_module", "__import__")


# -- the checks ----------------------------------------------------------------------------------------------------


def wrong_imports(place: str, source: str) -> list[str]:
    """Imports that run against the plan, as sentences."""
    return [f"{place}:{found.line}: {reason}" for found in imports(place, source) if (reason := _reason(place, found))]


def _reason(place: str, found: Import) -> str:
    top, _, rest = found.module.partition(".")
    if top != "readdesk":
        homes = SINGLE_IMPORTERS.get(top)
        at_home = homes is None or any(fnmatch(place, home) for home in homes)
        return "" if at_home else f"{top} may be imported only in {', '.join(homes or ('no module',))}"
    if found.inside_function and place != "__main__.py":
        return f"{found.module} is imported inside a function"
    room = room_of(name_of(place))
    if not rest or room_of(rest) == room or _allowed(room, rest):
        return ""
    return f"{room} may not import {rest}"


def _allowed(room: str, name: str) -> bool:
    patterns = MAY_IMPORT[room]
    if any(fnmatch(name, pattern[1:]) for pattern in patterns if pattern.startswith("!")):
        return False
    return any(fnmatch(name, pattern) or fnmatch(f"{name}.x", pattern) for pattern in patterns)


def cycle(edges: Mapping[str, set[str]]) -> list[str]:
    """The names along a circle of imports, none where there is none."""
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def loaded(statement: str, *names: str) -> list[str]:
    """Which modules a child process has after a statement, of those with these first names."""
    script = f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in json.loads(done.stdout) if name.partition(".")[0] in names]


def exists(name: str) -> bool:
    """Whether a module of ours is there yet."""
    return name in NAMES


# -- the house as it stands ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", modules())
def test_a_module_imports_what_it_may(place: str) -> None:
    assert room_of(name_of(place)) in MAY_IMPORT, "a new room needs a line in the design and in MAY_IMPORT"
    assert wrong_imports(place, (PACKAGE / place).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("place", modules())
def test_a_module_says_what_it_is_and_is_not_too_long(place: str) -> None:
    source = (PACKAGE / place).read_text(encoding="utf-8")
    assert (ast.get_docstring(ast.parse(source)) or "").strip(), "a module begins with a docstring"
    assert len(source.splitlines()) <= LONGEST_MODULE


def test_no_imports_run_in_a_circle_among_rooms_or_modules() -> None:
    between_modules: dict[str, set[str]] = {}
    between_rooms: dict[str, set[str]] = {}
    for place in modules():
        name = name_of(place)
        for found in imports(place, (PACKAGE / place).read_text(encoding="utf-8")):
            other = found.module.removeprefix("readdesk.")
            if found.module.startswith("readdesk.") and other != name:
                between_modules.setdefault(name, set()).add(other)
                if room_of(other) != room_of(name):
                    between_rooms.setdefault(room_of(name), set()).add(room_of(other))
    assert cycle(between_rooms) == []
    assert cycle(between_modules) == []
    assert len(between_rooms) >= 8, "the rooms were not read"


@pytest.mark.parametrize("module", ["readdesk.desk", "readdesk.cli.main", "readdesk.gui.app"])
def test_the_front_process_loads_no_parser_and_no_model(module: str) -> None:
    if not exists(module.removeprefix("readdesk.")):
        pytest.skip(f"{module} is not built yet")
    qt = () if module.startswith("readdesk.gui") else ("PySide6", "shiboken6")
    assert loaded(f"import {module}", *NEVER_IN_FRONT, *qt) == []


def test_starting_a_child_process_loads_nothing_of_ours() -> None:
    assert loaded("import readdesk.__main__", "readdesk", *NEVER_IN_FRONT, "click") == ["readdesk", "readdesk.__main__"]


# -- the checks can fail -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "source", "complaint"),
    [
        ("documents/text/reader.py", "from readdesk.llm.model import Message", "documents may not import llm.model"),
        ("llm/base.py", "from readdesk.documents.normal import normal", "llm may not import documents.normal"),
        ("reading/agent.py", "import readdesk.worker", "reading may not import worker"),
        ("reading/agent.py", "from readdesk.retrieval import vectors", "reading may not import retrieval.vectors"),
        ("reading/agent.py", "from readdesk.retrieval.service import X", "reading may not import retrieval.service"),
        ("reading/agent.py", "from readdesk.library.store import Library", "reading may not import library.store"),
        ("desk.py", "from readdesk.documents.pdf.reader import read", "desk may not import documents.pdf"),
        ("desk.py", "from readdesk.documents import pdf", "desk may not import documents.pdf"),
        ("cli/main.py", "from readdesk.jobs.lane import Lane", "cli may not import jobs.lane"),
        ("errors.py", "from readdesk.llm.model import Message", "base may not import llm.model"),
        ("llm/base.py", "from ..library import store", "llm may not import library.store"),
        ("llm/base.py", "if TYPE_CHECKING:\n    import readdesk.desk", "llm may not import desk"),
        ("jobs/ask.py", "def f():\n    from readdesk.llm.base import Engine", "inside a function"),
        ("jobs/ask.py", "import importlib\nimportlib.import_module('readdesk.llm.base')", "inside a function"),
        ("llm/local.py", "import llama_cpp.llama_cpp as lc", "llama_cpp may be imported only in llm/llama/*"),
        ("jobs/work.py", "def f():\n    import torch", "torch may be imported only in retrieval/service.py"),
        ("documents/open.py", "from pymupdf import open", "pymupdf may be imported only in"),
        ("documents/pdf/reader.py", "import fitz", "fitz may be imported only in no module"),
        ("gui/panes/gists.py", "import sqlite3", "sqlite3 may be imported only in library/*"),
        ("desk.py", "__import__('PySide6.QtCore')", "PySide6 may be imported only in gui/*"),
    ],
)
def test_a_wrong_import_is_found(place: str, source: str, complaint: str) -> None:
    (found,) = wrong_imports(place, source)
    assert complaint in found
    assert found.startswith(f"{place}:")


@pytest.mark.parametrize(
    ("place", "source"),
    [
        ("reading/agent.py", "from readdesk.retrieval.keyword import KeywordIndex\nimport readdesk.llm.replies"),
        ("llm/llama/model.py", "import llama_cpp as lc\nfrom readdesk.llm.model import Limits"),
        ("gui/panes/gists.py", "from PySide6 import QtWidgets\nfrom readdesk.jobs.events import Done"),
        ("cli/books.py", "from readdesk.library.model import DocumentRecord\nimport click\nimport readdesk"),
        ("__main__.py", "def main():\n    from readdesk.cli.main import run"),
    ],
)
def test_a_right_import_is_left_alone(place: str, source: str) -> None:
    assert wrong_imports(place, source) == []


def test_a_circle_is_found() -> None:
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}})
    assert cycle({"a": {"b", "c"}, "b": {"c"}}) == []


def test_the_lists_themselves_run_one_way() -> None:
    rooms = {room for room in MAY_IMPORT if room not in ("__init__", "base")}
    order = {
        room: {other for other in rooms - {room} if any(_names(pattern, other) for pattern in MAY_IMPORT[room])}
        for room in rooms
    }
    assert cycle(order) == []


def _names(pattern: str, room: str) -> bool:
    """Whether a pattern lets through anything of a room but its values."""
    return pattern not in VALUES and not pattern.endswith(".model") and pattern.partition(".")[0] == room


def test_what_a_child_has_loaded_is_seen() -> None:
    assert loaded("import sqlite3.dbapi2", "sqlite3") == ["sqlite3", "sqlite3.dbapi2"]
