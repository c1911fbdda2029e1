"""The base: stopping, settings, places, resources, the log, and errors that travel."""

from __future__ import annotations

import logging
import pickle
import threading
import tomllib
from dataclasses import fields
from pathlib import Path

import platformdirs
import pytest

from readdesk import errors
from readdesk.cancel import Cancelled, CancelToken
from readdesk.errors import ReadDeskError
from readdesk.log import start_log, stop_log
from readdesk.paths import Paths, resource
from readdesk.settings import OPTIONS, Settings, Value, load_settings, save_settings

# -- stopping ------------------------------------------------------------------------------------------------------


def test_a_token_is_raised_once_and_stays_raised() -> None:
    token = CancelToken()
    calls: list[int] = []
    token.raise_if_cancelled()
    with token.calling(lambda: calls.append(1)):
        assert not token.cancelled
        token.cancel()
        token.cancel()
    assert token.cancelled
    assert calls == [1]
    with pytest.raises(Cancelled):
        token.raise_if_cancelled()


def test_a_callback_is_called_at_once_when_it_has_happened_already() -> None:
    token = CancelToken()
    token.cancel()
    calls: list[int] = []
    with token.calling(lambda: calls.append(1)):
        assert calls == [1]


def test_a_callback_is_forgotten_when_its_block_ends_also_by_an_error() -> None:
    token = CancelToken()
    calls: list[str] = []
    with pytest.raises(ValueError, match="odd"), token.calling(lambda: calls.append("inner")):
        raise ValueError("odd")
    with token.calling(lambda: calls.append("outer")):
        token.cancel()
    assert calls == ["outer"]


def test_a_callback_may_look_at_the_token_and_register_another() -> None:
    token = CancelToken()
    seen: list[bool] = []

    def callback() -> None:
        seen.append(token.cancelled)
        with token.calling(lambda: seen.append(True)):
            pass

    with token.calling(callback):
        token.cancel()
    assert seen == [True, True]


def test_waiting_ends_when_another_thread_cancels() -> None:
    token = CancelToken()
    assert token.wait(0.0) is False
    thread = threading.Timer(0.05, token.cancel)
    thread.start()
    assert token.wait(30.0) is True
    thread.join()


# -- settings ------------------------------------------------------------------------------------------------------


def test_what_was_never_set_has_its_default(tmp_path: Path) -> None:
    settings = load_settings(tmp_path)
    assert {option.key: settings.get(option.key) for option in OPTIONS} == {
        option.key: option.default for option in OPTIONS
    }
    assert settings.number("engine.context") == 8192
    assert settings.text("models.default") == ""


def test_what_was_set_is_loaded_again(tmp_path: Path) -> None:
    settings = Settings()
    settings.set("engine.context", 16384)
    settings.set("models.mirror", 'https://a "mirror"/ü')
    save_settings(settings, tmp_path / "new" / "folder")
    loaded = load_settings(tmp_path / "new" / "folder")
    assert loaded == settings
    assert loaded.number("engine.context") == 16384
    assert loaded.text("models.mirror") == 'https://a "mirror"/ü'
    assert [file.name for file in (tmp_path / "new" / "folder").iterdir()] == ["settings.toml"]


def test_only_what_was_set_is_written(tmp_path: Path) -> None:
    settings = Settings()
    settings.set("ask.max_pages", 5)
    save_settings(settings, tmp_path)
    assert tomllib.loads((tmp_path / "settings.toml").read_text()) == {"ask": {"max_pages": 5}}


def test_keys_of_a_newer_program_are_kept(tmp_path: Path) -> None:
    newer = """
format = 3
names = ["a", "b"]

[engine]
context = 4096
speculation = true

[engine.draft]
model = "tiny"

[window]
width = 900
"""
    (tmp_path / "settings.toml").write_text(newer)
    settings = load_settings(tmp_path)
    settings.set("engine.context", 2048)
    settings.set("ask.max_pages", 1)
    save_settings(settings, tmp_path)
    expected = tomllib.loads(newer)
    expected["engine"]["context"] = 2048
    expected["ask"] = {"max_pages": 1}
    assert tomllib.loads((tmp_path / "settings.toml").read_text()) == expected
    save_settings(load_settings(tmp_path), tmp_path)
    assert tomllib.loads((tmp_path / "settings.toml").read_text()) == expected


def test_a_name_of_ours_that_a_newer_program_uses_otherwise_harms_nothing(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('ask = "always"\n')
    settings = load_settings(tmp_path)
    assert settings.number("ask.max_pages") == 3
    settings.set("ask.max_pages", 4)
    save_settings(settings, tmp_path)
    assert load_settings(tmp_path).number("ask.max_pages") == 4


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("engine.context", "8192"),
        ("engine.context", 8192.0),
        ("engine.context", True),
        ("engine.context", 12),
        ("engine.gpu_layers", -2),
        ("ask.max_pages", -1),
        ("models.default", 3),
    ],
)
def test_a_wrong_value_is_refused_with_its_key_and_leaves_the_old_one(key: str, value: Value) -> None:
    settings = Settings()
    before = settings.get(key)
    with pytest.raises(ReadDeskError) as error:
        settings.set(key, value)
    assert key in error.value.message and error.value.hint
    assert settings.get(key) == before


def test_a_key_that_is_no_option_is_a_bug() -> None:
    with pytest.raises(KeyError):
        Settings().get("engine.contxt")
    with pytest.raises(KeyError):
        Settings().set("engine.contxt", 1)


@pytest.mark.parametrize(
    "content", [b"not toml at all", b"[engine]\ncontext = \n", b"\xff\xfe\x00", b"[engine]\ncontext = 'big'\n"]
)
def test_a_settings_file_that_cannot_be_used_is_told_in_sentences(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "settings.toml").write_bytes(content)
    with pytest.raises(ReadDeskError) as error:
        load_settings(tmp_path)
    assert str(tmp_path / "settings.toml") in str(error.value)
    assert error.value.hint


def test_a_value_that_is_none_of_those_there_are_is_refused() -> None:
    settings = Settings()
    with pytest.raises(ReadDeskError, match=r"reading\.pauses cannot be .chance.\. It is one of: auto, model, words"):
        settings.set("reading.pauses", "chance")
    settings.set("reading.pauses", "words")
    assert settings.text("reading.pauses") == "words"


def test_every_option_is_a_whole_record() -> None:
    assert len({option.key for option in OPTIONS}) == len(OPTIONS)
    for option in OPTIONS:
        assert option.key.count(".") == 1 and option.label and option.help.endswith(".")
        Settings().set(option.key, option.default)


# -- places --------------------------------------------------------------------------------------------------------


def test_a_home_holds_everything(paths: Paths, tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert paths.data == home
    assert all(getattr(paths, field.name).is_relative_to(home) for field in fields(paths))
    assert len({paths.config, paths.cache, paths.models, paths.library}) == 4
    assert not home.exists(), "no folder is made before something is written"


def test_a_home_may_be_relative_or_begin_with_a_tilde(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("READDESK_HOME", "stick")
    assert Paths.default().data == tmp_path / "stick"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("READDESK_HOME", "~/books")
    assert Paths.default().data == tmp_path / "books"


@pytest.mark.parametrize("value", [None, ""])
def test_without_a_home_the_systems_places_are_used(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv("READDESK_HOME", raising=False)
    if value is not None:
        monkeypatch.setenv("READDESK_HOME", value)
    paths = Paths.default()
    assert paths.data == platformdirs.user_data_path("readdesk", appauthor=False)
    assert paths.config == platformdirs.user_config_path("readdesk", appauthor=False)
    assert paths.cache == platformdirs.user_cache_path("readdesk", appauthor=False)
    assert paths.models.parent == paths.library.parent == paths.data


def test_a_library_is_a_file_or_the_folder_it_lies_in(
    paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "bücher"
    folder.mkdir()
    assert paths.with_library(folder).library == folder / "library.db"
    assert paths.with_library(folder / "mine.db").library == folder / "mine.db"
    assert paths.with_library(Path("bücher")).library == folder / "library.db"
    other = paths.with_library(folder)
    assert (other.data, other.config, other.cache, other.models) == (
        paths.data,
        paths.config,
        paths.cache,
        paths.models,
    )


def test_resources_are_found_and_a_missing_one_is_named() -> None:
    assert resource("models.json").read_text(encoding="utf-8").startswith("{")
    assert resource("handbook.epub").is_file()
    with pytest.raises(FileNotFoundError, match="no-such-thing"):
        resource("no-such-thing")


# -- the log -------------------------------------------------------------------------------------------------------


def test_the_log_takes_what_our_rooms_say_until_it_is_stopped(tmp_path: Path) -> None:
    file = start_log(tmp_path / "cache")
    try:
        logging.getLogger("readdesk.worker").error("the echo ended with exit code %s", 7)
        logging.getLogger("readdesk.llm").debug("too small to be kept")
        logging.getLogger("another.library").error("not ours")
    finally:
        stop_log()
    logging.getLogger("readdesk.worker").error("after the end")
    (line,) = file.read_text(encoding="utf-8").splitlines()
    assert line.endswith("ERROR readdesk.worker: the echo ended with exit code 7")
    assert file == tmp_path / "cache" / "readdesk.log"


def test_the_log_stays_small(tmp_path: Path) -> None:
    start_log(tmp_path)
    try:
        for _ in range(60):
            logging.getLogger("readdesk").info("x" * 100_000)
    finally:
        stop_log()
    files = list(tmp_path.iterdir())
    assert len(files) == 3
    assert all(file.stat().st_size <= 1_000_000 for file in files)


def test_starting_the_log_twice_writes_every_line_once(tmp_path: Path) -> None:
    start_log(tmp_path / "first")
    file = start_log(tmp_path / "second")
    try:
        logging.getLogger("readdesk").info("once")
    finally:
        stop_log()
    assert file.read_text(encoding="utf-8").count("once") == 1
    assert not (tmp_path / "first" / "readdesk.log").exists()


# -- errors --------------------------------------------------------------------------------------------------------


def kinds() -> list[type[ReadDeskError]]:
    return [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ReadDeskError)]


@pytest.mark.parametrize("kind", kinds())
def test_errors_travel_between_processes_whole(kind: type[ReadDeskError]) -> None:
    error = pickle.loads(pickle.dumps(kind("It broke.", "Mend it.")))
    assert type(error) is kind
    assert (error.message, error.hint, str(error)) == ("It broke.", "Mend it.", "It broke. Mend it.")
    assert str(kind("It broke.")) == "It broke."
