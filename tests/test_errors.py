"""Errors: what a window says never names a command, what a command line says does where there is one."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

from readdesk.errors import ModelError, ReadDeskError

ROOT = Path(__file__).resolve().parents[1] / "readdesk"


def test_a_window_and_a_command_line_say_it_their_own_way() -> None:
    error = ModelError("There is no model.", "Get one first.", "First run: readdesk models get starter")
    assert error.words == "There is no model. Get one first."
    assert str(error) == "There is no model. First run: readdesk models get starter"
    assert (
        str(ReadDeskError("It is late.", "Sleep."))
        == ReadDeskError("It is late.", "Sleep.").words
        == "It is late. Sleep."
    )


def test_all_three_travel_between_processes() -> None:
    error = pickle.loads(pickle.dumps(ModelError("One.", "Two.", "Three.")))
    assert (type(error), error.message, error.hint, error.command) == (ModelError, "One.", "Two.", "Three.")


def test_no_sentence_of_the_rooms_below_the_window_names_an_option_where_it_is_no_command() -> None:
    """A sentence with a command or an option stands third in its error, or belongs to the command line's own room."""
    found = []
    for file in ROOT.rglob("*.py"):
        if file.is_relative_to(ROOT / "cli"):
            continue
        text = file.read_text(encoding="utf-8")
        for call in re.finditer(r"Error\(|Needed\(", text):
            arguments = _arguments(text, call.end())
            found += [
                f"{file.name}: {part}"
                for part in arguments[:2]
                if re.search(r"`readdesk |readdesk [a-z]+ |--[a-z]", part)
            ]
    assert found == []


def _arguments(text: str, start: int) -> list[str]:
    """The arguments of a call, cut at the commas of its own level."""
    depth, parts, quote, last = 0, [], "", start
    for at in range(start, len(text)):
        character = text[at]
        if quote:
            quote = "" if character == quote and text[at - 1] != "\\" else quote
        elif character in "\"'":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}" and depth:
            depth -= 1
        elif character in ",)" and not depth:
            parts.append(text[last:at])
            last = at + 1
            if character == ")":
                break
    return parts
