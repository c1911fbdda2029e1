"""The set-up script: what can be tested of it without installing anything."""

from __future__ import annotations

import argparse
import ast
import http.server
import importlib.util
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import psutil
import pytest

from readdesk.paths import Paths

SCRIPT = Path(__file__).resolve().parents[2] / "packaging" / "bootstrap.py"


@pytest.fixture
def bootstrap() -> ModuleType:
    specification = importlib.util.spec_from_file_location("bootstrap", SCRIPT)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@contextmanager
def server(answer: bytes | None, status: int = 200) -> Iterator[str]:
    """A real server that answers with bytes, or never (None)."""
    released = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if answer is None:
                released.wait(20)
                return
            self.send_response(status)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            return

    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_address[1]}"
    finally:
        released.set()
        running.shutdown()
        thread.join()
        running.server_close()


def options(**changed: object) -> argparse.Namespace:
    return argparse.Namespace(**{"index": "", "build": False, "cuda_torch": False, "no_model": False, **changed})


def test_is_understood_by_old_pythons_so_that_they_can_be_told() -> None:
    ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 8))


def test_uses_nothing_but_the_standard_library() -> None:
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"))
    names = {
        alias.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    names |= {str(node.module).split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names <= sys.stdlib_module_names


def test_without_a_command_it_says_how_it_is_used() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "usage: bootstrap.py" in done.stderr


def test_words_after_the_command_are_handed_on_unread(bootstrap: ModuleType) -> None:
    assert bootstrap.split(["--build", "run", "--library", "x", "gist", "--help"]) == (
        ["--build"],
        "run",
        ["--library", "x", "gist", "--help"],
    )


def test_another_pyproject_or_constraints_means_another_set_up(
    bootstrap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, pins = tmp_path / "pyproject.toml", tmp_path / "constraints.txt"
    project.write_text("a", encoding="utf-8")
    pins.write_text("b", encoding="utf-8")
    monkeypatch.setattr(bootstrap, "CHECKOUT", tmp_path)
    monkeypatch.setattr(bootstrap, "CONSTRAINTS", pins)
    before = bootstrap.fingerprint(options())
    assert bootstrap.fingerprint(options()) == before
    assert bootstrap.fingerprint(options(cuda_torch=True)) != before
    pins.write_text("c", encoding="utf-8")
    assert bootstrap.fingerprint(options()) != before


def test_nothing_is_done_when_the_stamp_matches(
    bootstrap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "STAMP", tmp_path / "stamp.json")
    monkeypatch.setattr(bootstrap, "python", lambda: Path(sys.executable))
    monkeypatch.setattr(bootstrap, "make_environment", lambda: pytest.fail("it began to set up"))
    bootstrap.write_stamp({"run": bootstrap.fingerprint(options())})
    bootstrap.set_up("run", options())
    with pytest.raises(pytest.fail.Exception):
        bootstrap.set_up("test", options())


def test_a_half_written_stamp_is_no_stamp(
    bootstrap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamp = tmp_path / "stamp.json"
    stamp.write_text('{"run": "12', encoding="utf-8")
    monkeypatch.setattr(bootstrap, "STAMP", stamp)
    assert bootstrap.read_stamp() == {}


def test_the_models_folder_is_the_one_readdesk_uses(
    bootstrap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("READDESK_HOME", raising=False)
    assert bootstrap.models_folder() == Paths.default().models
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "elsewhere"))
    assert bootstrap.models_folder() == Paths.default().models
    monkeypatch.setenv("READDESK_HOME", str(tmp_path / "home"))
    assert bootstrap.models_folder() == Paths.default().models == tmp_path / "home" / "models"


def test_a_model_that_is_here_is_not_fetched(
    bootstrap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READDESK_HOME", str(tmp_path))
    calls: list[object] = []

    def call(command: object, **_: object) -> int:
        calls.append(command)
        return 0

    monkeypatch.setattr(bootstrap, "in_front", call)
    bootstrap.fetch_model("test", options())
    assert len(calls) == 1
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "tiny.gguf").touch()
    bootstrap.fetch_model("test", options())
    assert len(calls) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="the list below names Linux wheels")
def test_a_ready_wheel_is_seen_only_for_this_machine_and_version(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap.platform, "machine", lambda: "x86_64")
    good = b'<a href="/x/llama_cpp_python-0.3.36-py3-none-manylinux_2_28_x86_64.whl#sha256=1">x</a>'
    with server(good) as address:
        assert bootstrap.has_wheel(address, "0.3.36")
        assert not bootstrap.has_wheel(address, "0.3.37")
    with server(good.replace(b"manylinux_2_28", b"linux")) as address:  # what the project's own index holds
        assert bootstrap.has_wheel(address, "0.3.36")
    for other in (b"manylinux_2_28_aarch64", b"win_amd64", b"macosx_11_0_arm64"):
        with server(good.replace(b"manylinux_2_28_x86_64", other)) as address:
            assert not bootstrap.has_wheel(address, "0.3.36")
    with server(good, status=404) as address:
        assert not bootstrap.has_wheel(address, "0.3.36")


def test_an_index_that_does_not_answer_costs_two_seconds(bootstrap: ModuleType) -> None:
    with server(None) as address:
        began = time.monotonic()
        assert bootstrap.probe(address) == ""
        assert time.monotonic() - began < 3.0


@pytest.mark.skipif(sys.platform != "linux", reason="names Linux package managers")
def test_a_missing_compiler_is_named_with_the_command(
    bootstrap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CXX", raising=False)
    manager = tmp_path / "dnf"
    manager.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "dnf install gcc-c++ make" in bootstrap.missing_compiler()
    monkeypatch.setenv("CXX", "a-compiler-that-is-not-here -O2")
    assert "dnf install gcc-c++ make" in bootstrap.missing_compiler()
    (tmp_path / "g++").touch(mode=0o755)
    assert bootstrap.missing_compiler() == ""


def test_ctrl_c_ends_with_a_sentence(
    bootstrap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bootstrap, "LOCK", tmp_path / "lock")
    monkeypatch.setattr(bootstrap, "set_up", interrupted)
    assert bootstrap.main(["run"]) == 130
    assert "run the same command again" in capsys.readouterr().err


def test_two_set_ups_at_once_are_told(
    bootstrap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "LOCK", tmp_path / "lock")
    with bootstrap.only_one():
        assert bootstrap.main(["test"]) == 1
    assert "Another set-up" in capsys.readouterr().err


def test_a_failing_stage_shows_its_last_lines_and_the_log(
    bootstrap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "LOG", tmp_path / "log")
    command = [sys.executable, "-c", "import sys; print('no space left'); sys.exit(3)"]
    with pytest.raises(bootstrap.SetupError, match=r"It failed.*\n.*no space left") as raised:
        bootstrap.stage("Trying …", command, "It failed.")
    assert str(tmp_path / "log") in str(raised.value)


@pytest.mark.parametrize("words, screen, fetched", [([], True, False), ([], False, True), (["list"], True, True)])
def test_the_window_brings_its_model_itself(
    bootstrap: ModuleType, monkeypatch: pytest.MonkeyPatch, words: list[str], screen: bool, fetched: bool
) -> None:
    """`run` alone shows the window, which offers a choice; commands need a model that is there."""
    done: list[str] = []
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    if screen:
        monkeypatch.setenv("DISPLAY", ":5")
    monkeypatch.setattr(bootstrap.platform, "system", lambda: "Linux")
    monkeypatch.setattr(bootstrap, "set_up", lambda *_: done.append("set up"))
    monkeypatch.setattr(bootstrap, "fetch_model", lambda *_: done.append("model"))
    monkeypatch.setattr(bootstrap, "start", lambda command, rest: len(rest))
    assert bootstrap.main(["run", *words]) == len(words)
    assert ("model" in done) == fetched


@pytest.mark.skipif(sys.platform != "linux", reason="a notice for Linux")
def test_a_missing_qt_library_is_a_notice(
    bootstrap: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "QT_LIBRARIES", ("libnothing-of-this-name.so.9",))
    bootstrap.warn_of_qt_libraries()
    assert "libnothing-of-this-name.so.9" in capsys.readouterr().err


def test_build_tools_of_windows_count_though_they_are_on_no_path(
    bootstrap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap.platform, "system", lambda: "Windows")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PROGRAMFILES(X86)", str(tmp_path))
    assert "winget install Microsoft.VisualStudio.2022.BuildTools" in bootstrap.missing_compiler()
    (tmp_path / "Microsoft Visual Studio" / "2022" / "BuildTools" / "VC" / "Tools" / "MSVC").mkdir(parents=True)
    assert bootstrap.missing_compiler() == ""


def test_a_package_cut_off_while_it_was_installed_is_installed_again(
    bootstrap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "lib" / "python3.11" / "site-packages"
    whole, cut_off = packages / "a-1.dist-info", packages / "b-1.dist-info"
    whole.mkdir(parents=True)
    (whole / "INSTALLER").touch()
    cut_off.mkdir()
    (cut_off / "METADATA").touch()
    monkeypatch.setattr(bootstrap, "VENV", tmp_path)
    bootstrap.remove_cut_off()
    assert [folder.name for folder in packages.iterdir()] == ["a-1.dist-info"]


def test_a_wished_build_is_made_once_for_its_arguments(
    bootstrap: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "LLAMA_NOTE", tmp_path / "note")
    monkeypatch.setenv("CMAKE_ARGS", "-DGGML_CUDA=on")
    assert bootstrap.build_is_wished(options(build=True))
    assert not bootstrap.build_is_wished(options())
    (tmp_path / "note").write_text("-DGGML_CUDA=on", encoding="utf-8")
    assert not bootstrap.build_is_wished(options(build=True))
    monkeypatch.setenv("CMAKE_ARGS", "-DGGML_VULKAN=on")
    assert bootstrap.build_is_wished(options(build=True))


_STAGE_THAT_STARTS_ANOTHER = """
import importlib.util, pathlib, signal, subprocess, sys
# A test run that was started in the background hands an ignored Ctrl-C on to what it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
specification = importlib.util.spec_from_file_location("bootstrap", {script!r})
bootstrap = importlib.util.module_from_spec(specification)
specification.loader.exec_module(bootstrap)
folder = pathlib.Path({folder!r})
bootstrap.LOCK, bootstrap.LOG = folder / "lock", folder / "log"
grandchild = "import pathlib, time; pathlib.Path({alive!r}).touch(); time.sleep(60)"
pip = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {{grandchild!r}}])"
bootstrap.set_up = lambda *_: bootstrap.stage("Working", [sys.executable, "-c", pip], "It failed.")
sys.exit(bootstrap.main(["--no-model", "run"]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_being_stopped_stops_all_that_a_stage_started(tmp_path: Path, number: signal.Signals) -> None:
    alive, errors = tmp_path / "alive", tmp_path / "errors"
    program = _STAGE_THAT_STARTS_ANOTHER.format(script=str(SCRIPT), folder=str(tmp_path), alive=str(alive))
    with errors.open("w") as stderr, subprocess.Popen([sys.executable, "-c", program], stderr=stderr) as process:
        _wait_until(alive.exists)
        process.send_signal(number)
        assert process.wait(timeout=20) == 130
    assert errors.read_text(encoding="utf-8").splitlines()[-1].startswith("Stopped; run the same command again")
    remaining = [p for p in psutil.process_iter(["cmdline"]) if str(alive) in " ".join(p.info["cmdline"] or [])]
    assert remaining == []


@pytest.mark.skipif(sys.platform == "win32", reason="locks that children inherit")
def test_the_lock_holds_while_a_stage_outlives_its_set_up(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    program = _STAGE_THAT_STARTS_ANOTHER.format(script=str(SCRIPT), folder=str(tmp_path), alive=str(alive))
    process = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
    _wait_until(alive.exists)
    orphans = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    try:
        second = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert second.returncode == 1
        assert "Another set-up" in second.stderr
    finally:
        for orphan in orphans:
            orphan.kill()


def _wait_until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.05)
