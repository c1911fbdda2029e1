"""Every option once, as a record.

An option has a key ("group.name"), a type through its default, a label and a help text; the window builds its dialog
and the command line its texts from the same records. Values that a person changed are kept in `settings.toml`; unknown
keys there are kept and ignored, so that an older program does not destroy what a newer one wrote.
"""

from __future__ import annotations

import tomllib
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from readdesk.errors import ReadDeskError

Value = str | int | float | bool


@dataclass(frozen=True)
class Option:
    """One thing a person can choose."""

    key: str
    default: Value
    label: str
    help: str
    at_least: int | None = None
    among: tuple[str, ...] = ()


OPTIONS: tuple[Option, ...] = (
    Option(
        "models.default", "", "Model", "The model that reads new books; empty means the best one that is installed."
    ),
    Option(
        "models.mirror",
        "",
        "Mirror",
        "An address put before a model's own web address, for networks where the hub is reached through a mirror.",
    ),
    Option("engine.context", 8192, "Context", "How many tokens the model keeps in mind at once.", at_least=1024),
    Option(
        "engine.threads",
        0,
        "Threads",
        "Threads that write words; 0 measures the best number when a model is loaded.",
        at_least=0,
    ),
    Option("engine.gpu_layers", -1, "GPU layers", "Layers put on a GPU where there is one; -1 means all.", at_least=-1),
    Option(
        "engine.cache_limit",
        4000,
        "Kept memories",
        "Megabytes of disk for what models have computed of gists, so that questions begin at once; 0 keeps nothing.",
        at_least=0,
    ),
    Option(
        "reading.pauses",
        "auto",
        "Pauses",
        "Who looks for the pauses between pages: the model, the words alone (model or words), or what is best (auto).",
        among=("auto", "model", "words"),
    ),
    Option("window.theme", "system", "Theme", "The window's colours: system, light or dark."),
    Option("window.zoom", 1.0, "Letters", "How large a book's letters are; 1.0 is as designed."),
    Option("window.layout", "", "Layout", "Where the window and its places were left; the window writes this itself."),
    Option("ask.max_pages", 3, "Pages to look up", "How many pages are read again in full for an answer.", at_least=0),
)
_BY_KEY = {option.key: option for option in OPTIONS}


@dataclass
class Settings:
    """The values in force; what was never set has its default."""

    values: dict[str, Value] = field(default_factory=dict)
    unknown: dict[str, Any] = field(default_factory=dict)

    def get(self, key: str) -> Value:
        """The value of an option; raises KeyError for a key that is no option."""
        return self.values.get(key, _BY_KEY[key].default)

    def text(self, key: str) -> str:
        """The value of an option that is a text."""
        return str(self.get(key))

    def number(self, key: str) -> int:
        """The value of an option that is a whole number."""
        return int(self.get(key))

    def set(self, key: str, value: Value) -> None:
        """Choose a value; raises ReadDeskError when it is of the wrong type, too small or not among those there are."""
        _check(_BY_KEY[key], value)
        self.values[key] = value


def _check(option: Option, value: object) -> None:
    wanted = type(option.default)
    if type(value) is not wanted:
        raise ReadDeskError(
            f"The setting {option.key} cannot be {value!r}.", f"It takes a {_KINDS[wanted]}: {option.help}"
        )
    if option.among and value not in option.among:
        raise ReadDeskError(
            f"The setting {option.key} cannot be \u201c{value}\u201d.", f"It is one of: {', '.join(option.among)}."
        )
    if option.at_least is not None and isinstance(value, int | float) and value < option.at_least:
        raise ReadDeskError(f"The setting {option.key} cannot be {value}.", f"The smallest value is {option.at_least}.")


_KINDS: dict[type, str] = {str: "text in quotes", int: "whole number", float: "number", bool: "true or false"}


def load_settings(folder: Path) -> Settings:
    """Read `settings.toml` from the configuration folder; raises ReadDeskError when it cannot be read."""
    file = folder / "settings.toml"
    try:
        tree = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ReadDeskError(f"The settings file {file} cannot be read ({error}).", "Mend it or delete it.") from error
    settings = Settings()
    for group, entries in tree.items():
        if not isinstance(entries, dict):
            settings.unknown[group] = entries
            continue
        for name, value in entries.items():
            if f"{group}.{name}" in _BY_KEY:
                _set_from(file, settings, f"{group}.{name}", value)
            else:
                settings.unknown.setdefault(group, {})[name] = value
    return settings


def _set_from(file: Path, settings: Settings, key: str, value: Value) -> None:
    try:
        settings.set(key, value)
    except ReadDeskError as error:
        raise ReadDeskError(error.message, f"{error.hint} Mend it in {file}.") from error


def save_settings(settings: Settings, folder: Path) -> None:
    """Write what was chosen to `settings.toml`, replacing the file in one step."""
    tree = deepcopy(settings.unknown)
    for key, value in settings.values.items():
        group, name = key.split(".", 1)
        if not isinstance(tree.get(group), dict):
            tree[group] = {}
        tree[group][name] = value
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / "settings.toml.new"
    draft.write_text(tomli_w.dumps(tree), encoding="utf-8")
    draft.replace(folder / "settings.toml")
