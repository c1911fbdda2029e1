"""Sets ReadDesk up on a fresh machine and starts it, or its tests; needs nothing but Python.

    python3 packaging/bootstrap.py run [WORDS FOR READDESK ...]
    python3 packaging/bootstrap.py test [WORDS FOR PYTEST ...]

Everything goes into `.venv` of the checkout. A stamp in it, written last, says what was installed; while it matches,
nothing is done and ReadDesk starts at once. An interrupted set-up is continued by the same command. What the machine
lacks (a compiler, Python's venv module) is named in one sentence with the command that brings it.

What must stay true: standard library only; the machine's own pip configuration is respected; no stage is silent about
what it does and how long it may take; what is said goes to standard error, for standard output is ReadDesk's; the lock
holds as long as anything started here installs. Old Pythons can read the file, so that they can be told to update.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import hashlib
import json
import os
import platform
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

CHECKOUT = Path(__file__).resolve().parent.parent
VENV = CHECKOUT / ".venv"
STAMP = VENV / "readdesk-stamp.json"
LOG = VENV / "bootstrap.log"
LLAMA_NOTE = VENV / "readdesk-llama.txt"  # what CMAKE_ARGS a wished build was made with
LOCK = CHECKOUT / ".bootstrap.lock"
CONSTRAINTS = CHECKOUT / "packaging" / "constraints.txt"

WHEEL_INDEX = "https://abetlen.github.io/llama-cpp-python/whl/cpu"
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
PROBE_SECONDS = 2.0
INTERRUPTED = 130
BUILD_TOOLS = (
    "winget install Microsoft.VisualStudio.2022.BuildTools --override "
    '"--wait --passive --add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"'
)

QT_LIBRARIES = (
    *("libEGL.so.1", "libGL.so.1", "libxkbcommon.so.0", "libdbus-1.so.3", "libfontconfig.so.1", "libglib-2.0.so.0"),
    *("libxcb-cursor.so.0", "libxcb-icccm.so.4", "libxcb-keysyms.so.1", "libxcb-shape.so.0", "libxkbcommon-x11.so.0"),
)
QT_PACKAGES = {
    "apt-get": "apt-get install -y libegl1 libgl1 libxkbcommon-x11-0 libdbus-1-3 libfontconfig1 libglib2.0-0 "
    "libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxcb-xkb1 fonts-dejavu-core",
    "dnf": "dnf install mesa-libEGL mesa-libGL libxkbcommon-x11 dbus-libs fontconfig xcb-util-cursor xcb-util-wm",
    "pacman": "pacman -S libglvnd libxkbcommon-x11 dbus fontconfig xcb-util-cursor xcb-util-wm",
    "zypper": "zypper install libglvnd libxkbcommon-x11-0 libdbus-1-3 fontconfig libxcb-cursor0 libxcb-icccm4",
}
COMPILER_PACKAGES = {
    **{"apt-get": "apt-get install -y build-essential", "dnf": "dnf install gcc-c++ make"},
    **{"pacman": "pacman -S base-devel", "zypper": "zypper install gcc-c++ make"},
}


class SetupError(Exception):
    """What is missing or went wrong, and what to do, in one or two sentences."""


def main(arguments: Sequence[str]) -> int:
    """Set up, then start ReadDesk or the tests; returns the exit code."""
    if sys.version_info < (3, 11):
        say(f"ReadDesk needs Python 3.11 or newer; this is {platform.python_version()}. Start it with a newer one.")
        return 1
    ours, command, rest = split(arguments)
    options = command_line().parse_args(ours)
    if not command:
        command_line().print_usage(sys.stderr)
        return 2
    for name in {"SIGTERM", "SIGHUP"} & set(dir(signal)):
        signal.signal(getattr(signal, name), signal.default_int_handler)
    try:
        with only_one():
            set_up(command, options)
            if command == "test" or rest or not has_screen():
                fetch_model(command, options)  # The window offers a choice of models itself.
        return start(command, rest)
    except SetupError as error:
        say(str(error))
        return 1
    except OSError as error:
        say(f"The set-up stopped: {error}. Mend that (free 3 GB if the disk is full), then run the same command again.")
        return 1
    except KeyboardInterrupt:
        say("Stopped; run the same command again to continue.")
        return INTERRUPTED


def split(arguments: Sequence[str]) -> tuple[list[str], str, list[str]]:
    """Our options, the command, and everything after it, which is handed on unread."""
    for place, word in enumerate(arguments):
        if word in ("run", "test"):
            return list(arguments[:place]), word, list(arguments[place + 1 :])
    return list(arguments), "", []


def command_line() -> argparse.ArgumentParser:
    """The options that stand before the command."""
    parser = argparse.ArgumentParser(
        prog="bootstrap.py",
        usage="bootstrap.py [options] run [words for readdesk] | test [words for pytest]",
        description="Set ReadDesk up in .venv and start it (run), or pass its tests (test).",
    )
    parser.add_argument("--index", metavar="URL", default=WHEEL_INDEX, help="where a ready llama-cpp-python may be")
    parser.add_argument("--build", action="store_true", help="build llama-cpp-python even where a ready one can be had")
    parser.add_argument("--cuda-torch", action="store_true", help="do not insist on the processor's build of torch")
    parser.add_argument("--no-model", action="store_true", help="fetch no model")
    return parser


# -- setting up ---------------------------------------------------------------------------------------------------


def set_up(command: str, options: argparse.Namespace) -> None:
    """Make the environment and install what the stamp says is missing."""
    wanted = fingerprint(options)
    installed = read_stamp()
    if installed.get(command) == wanted and python().exists() and not build_is_wished(options):
        return
    say("Setting ReadDesk up in .venv; the first time takes about ten minutes. Ctrl-C is safe.")
    make_environment()
    remove_cut_off()
    install_llama(options)
    stage(
        "Installing ReadDesk and its libraries (two to four minutes) …",
        [
            *pip("install"),
            *([] if options.cuda_torch else torch_index()),
            *("-c", str(CONSTRAINTS), "-e", ".[dev]" if command == "test" else "."),
        ],
        "The libraries could not be installed.",
    )
    write_stamp({**installed, command: wanted})
    warn_of_qt_libraries()


def fingerprint(options: argparse.Namespace) -> str:
    """What an up-to-date environment is made from."""
    digest = hashlib.sha256()
    for file in (CHECKOUT / "pyproject.toml", CONSTRAINTS):
        digest.update(file.read_bytes())
    digest.update(f"{sys.version_info[:2]} {CHECKOUT} {options.cuda_torch}".encode())
    return digest.hexdigest()


def read_stamp() -> dict[str, str]:
    """What was installed for each command; nothing after an interruption."""
    try:
        content = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def write_stamp(content: dict[str, str]) -> None:
    """Say that everything is installed, in one step."""
    draft = STAMP.with_suffix(".new")
    draft.write_text(json.dumps(content), encoding="utf-8")
    draft.replace(STAMP)


def make_environment() -> None:
    """Make `.venv`; one that was left broken is made anew."""
    if python().exists() and quietly([*pip("--version")]) == 0:
        return
    shutil.rmtree(VENV, ignore_errors=True)
    say("Making the environment .venv …")
    if quietly([sys.executable, "-m", "venv", str(VENV)]) != 0 or not python().exists():
        shutil.rmtree(VENV, ignore_errors=True)
        version = ".".join(map(str, sys.version_info[:2]))
        raise SetupError(
            "This Python cannot make an environment because its venv module is missing. "
            f"Run: {as_root()}apt-get install python{version}-venv (or your system's package of that name), then this."
        )


def remove_cut_off() -> None:
    """Take away the record of packages whose installation was cut off: pip would hold them for installed."""
    for folder in VENV.glob("[Ll]ib*/**/site-packages/*.dist-info"):
        if not (folder / "INSTALLER").exists():  # pip writes it after a package's own files
            shutil.rmtree(folder)


def build_is_wished(options: argparse.Namespace) -> bool:
    """Whether `--build` asks for another llama-cpp-python than the one that was built for it."""
    made_with = LLAMA_NOTE.read_text(encoding="utf-8") if LLAMA_NOTE.exists() else None
    return bool(options.build) and made_with != os.environ.get("CMAKE_ARGS", "")


def install_llama(options: argparse.Namespace) -> None:
    """A ready llama-cpp-python where one can be had, else one built here."""
    version = pinned("llama-cpp-python")
    wanted = f"llama-cpp-python=={version}"
    install = [*pip("install"), "-c", str(CONSTRAINTS)]
    here = f"import importlib.metadata as m, llama_cpp; assert m.version('llama-cpp-python') == '{version}'"
    works = [str(python()), "-c", here]
    if quietly(works) == 0 and not build_is_wished(options):
        return
    if not options.build and has_wheel(options.index, version):
        command = [*install, "--only-binary", "llama-cpp-python", "--extra-index-url", options.index, wanted]
        with contextlib.suppress(SetupError):
            stage("Fetching a ready llama-cpp-python (half a minute) …", command, "")
            if quietly(works) == 0:  # it may need a newer system or processor than this one
                return
        say("The ready one does not work here.")
    missing = missing_compiler()
    if missing and (options.build or not has_ready_wheel(wanted)):
        raise SetupError(missing)
    again = ["--force-reinstall", "--no-deps"] if quietly([*pip("show"), "llama-cpp-python"]) == 0 else []
    # pip's cache does not know what CMAKE_ARGS a wheel was built with.
    anew = ["--no-binary", "llama-cpp-python", "--no-cache-dir"] if options.build else []
    stage(
        "Building llama-cpp-python (about five minutes on two cores, once) …",
        [*install, *again, *anew, wanted],
        "llama-cpp-python could not be built.",
    )
    if options.build:
        LLAMA_NOTE.write_text(os.environ.get("CMAKE_ARGS", ""), encoding="utf-8")


def has_wheel(index: str, version: str) -> bool:
    """Whether an index answers within two seconds and has a wheel of this version for this machine."""
    name = platform.machine().lower()
    names = {"amd64": "x86_64|amd64", "x86_64": "x86_64|amd64", "arm64": "arm64|aarch64"}.get(name, name)
    # The project's own wheels for Linux are named linux_x86_64; manylinux is what others call theirs.
    tag = {"Linux": "-(?:many)?linux", "Darwin": "-macosx", "Windows": "-win"}.get(platform.system(), "?")
    pattern = rf"llama_cpp_python-{re.escape(version)}-[^\"'<>#]*{tag}[^\"'<>#]*_(?:{names}|universal2)\.whl"
    return re.search(pattern, probe(f"{index.rstrip('/')}/llama-cpp-python/")) is not None


def has_ready_wheel(wanted: str) -> bool:
    """Whether a folder or index of pip's own configuration has it ready."""
    with tempfile.TemporaryDirectory() as folder:
        return quietly([*pip("download"), "--no-deps", "--only-binary", ":all:", "--dest", folder, wanted]) == 0


def torch_index() -> list[str]:
    """On Linux the place of the processor's build of torch, where it answers; the pin holds in any case."""
    if platform.system() != "Linux" or not probe(f"{TORCH_INDEX}/torch/"):
        return []
    return ["--extra-index-url", TORCH_INDEX]


def probe(address: str) -> str:
    """What an address answers within two seconds in all; empty for nothing."""
    answers: queue.SimpleQueue[str] = queue.SimpleQueue()

    def ask() -> None:
        try:
            with urllib.request.urlopen(address, timeout=PROBE_SECONDS) as response:
                answers.put(response.read(5_000_000).decode("utf-8", "replace"))
        except (OSError, ValueError):
            answers.put("")

    # A server may send a byte now and then for ever: the thread is left behind rather than waited for.
    threading.Thread(target=ask, daemon=True).start()
    try:
        return answers.get(timeout=PROBE_SECONDS)
    except queue.Empty:
        return ""


def pinned(package: str) -> str:
    """The version that constraints.txt names for a package."""
    found = re.search(rf"^{re.escape(package)}==(\S+)", CONSTRAINTS.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise SetupError(f"packaging/constraints.txt does not pin {package}; get the file again from the repository.")
    return found.group(1)


# -- what the machine must bring ------------------------------------------------------------------------------------


def has_compiler() -> bool:
    """Whether C++ can be compiled here, as far as can be seen without trying."""
    if platform.system() == "Darwin":  # c++ is always there, but without the tools it only offers to install them
        return quietly(["xcode-select", "-p"]) == 0
    if platform.system() == "Windows":  # CMake finds the build tools; they are on no PATH outside their own prompt
        studio = Path(os.environ.get("PROGRAMFILES(X86)", "C:/Program Files (x86)")) / "Microsoft Visual Studio"
        return shutil.which("cl") is not None or any(studio.glob("*/*/VC/Tools/MSVC"))
    return any(map(shutil.which, [*shlex.split(os.environ.get("CXX", ""))[:1], "c++", "g++", "clang++"]))


def missing_compiler() -> str:
    """One sentence with the command that brings a C++ compiler; empty when there is one."""
    if has_compiler():
        return ""
    commands = {"Darwin": "xcode-select --install", "Windows": BUILD_TOOLS}
    command = commands.get(platform.system()) or for_this_linux(COMPILER_PACKAGES)
    return f"Building llama-cpp-python needs a C++ compiler. Run: {command}, then this again."


def warn_of_qt_libraries() -> None:
    """A notice, not an error, since the commands do without a window: what it needs on a bare Linux."""
    missing = list(QT_LIBRARIES) if platform.system() == "Linux" else []
    for name in tuple(missing):
        with contextlib.suppress(OSError):
            ctypes.CDLL(name)
            missing.remove(name)
    if missing:
        say(f"Note: the window needs {', '.join(missing)}. To bring them: {for_this_linux(QT_PACKAGES)}")


def has_screen() -> bool:
    """Whether `run` alone will show the window: as readdesk/cli/window.py decides it."""
    return platform.system() != "Linux" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")))


def for_this_linux(commands: dict[str, str]) -> str:
    """The command for the package manager that is here."""
    known = next((manager for manager in commands if shutil.which(manager)), "apt-get")
    fresh_lists = f"{as_root()}apt-get update && " if known == "apt-get" else ""  # a bare system has none
    return fresh_lists + as_root() + commands[known]


def as_root() -> str:
    """What stands before a command that only the administrator may run."""
    return "sudo " if hasattr(os, "geteuid") and os.geteuid() != 0 else ""


# -- model and start ------------------------------------------------------------------------------------------------


def fetch_model(command: str, options: argparse.Namespace) -> None:
    """Bring the model that the command needs, unless it is here: a model has its name only when it is whole."""
    name = "starter" if command == "run" else "tiny"
    if options.no_model or (models_folder() / f"{name}.gguf").exists():
        return
    size = "1.1 GB, some minutes" if name == "starter" else "98 MB"
    say(f"Fetching the model {name} ({size}) …")
    if in_front([str(python()), "-m", "readdesk", "models", "get", name], cwd=str(CHECKOUT), stdout=2) != 0:
        raise SetupError(f"The model {name} could not be fetched. Run the same command again to continue.")


def models_folder() -> Path:
    """Where ReadDesk keeps its models: as readdesk/paths.py says, without its libraries."""
    if os.environ.get("READDESK_HOME"):
        return Path(os.environ["READDESK_HOME"]).expanduser().absolute() / "models"
    if platform.system() == "Windows":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "readdesk" / "models"
    if platform.system() == "Darwin":
        return Path.home() / "Library" / "Application Support" / "readdesk" / "models"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "readdesk" / "models"


def start(command: str, rest: list[str]) -> int:
    """Start ReadDesk in this process's place, or the tests."""
    if command == "test":
        return run_tests(rest)
    words = [str(python()), "-m", "readdesk", *rest]
    if os.name == "posix":
        sys.stdout.flush()
        os.execv(words[0], words)
    return in_front(words)


def run_tests(rest: list[str]) -> int:
    """All tests: those without a window with PySide6 blocked, then those of the window."""
    pytest = [str(python()), "-m", "pytest"]
    if rest:
        return in_front([*pytest, *rest], cwd=str(CHECKOUT))
    say("Testing everything but the window …")
    blocked = {**os.environ, "READDESK_BLOCK_QT": "1"}
    code = in_front([*pytest, "-p", "no:pytest-qt", "--ignore=tests/gui"], cwd=str(CHECKOUT), env=blocked)
    if code != 0 or not any((CHECKOUT / "tests" / "gui").rglob("test_*.py")):
        return code
    say("Testing the window …")
    offscreen = {**os.environ, "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
    return in_front([*pytest, "tests/gui"], cwd=str(CHECKOUT), env=offscreen)


# -- running commands -----------------------------------------------------------------------------------------------


def python() -> Path:
    """The environment's Python."""
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def pip(verb: str) -> list[str]:
    """A pip command of the environment; the machine's own configuration of pip holds."""
    return [str(python()), "-m", "pip", *([verb] if verb.startswith("-") else [verb, "--disable-pip-version-check"])]


def quietly(command: Sequence[str]) -> int:
    """Run a command without showing anything; its exit code."""
    try:
        return subprocess.call(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=str(CHECKOUT))
    except OSError:
        return 1


def in_front(command: Sequence[str], **settings: Any) -> int:
    """Give a program the terminal; at Ctrl-C it ends in its own way, then we do. Returns its exit code."""
    with subprocess.Popen(command, **settings) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=10)
            process.terminate()  # it heard of Ctrl-C, but not of a signal that was sent to us alone
            raise


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a stage and the compilers below it; asked first, so that pip tidies up."""
    if sys.platform != "win32":  # on Windows the console has told them all
        for number in (signal.SIGINT, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=3)
                break
    process.kill()
    process.wait()


def stage(words: str, command: Sequence[str], failure: str) -> None:
    """Run a long command with its output in the log and a sign of life; raises SetupError when it fails."""
    say(words)
    began = time.monotonic()
    with LOG.open("ab") as log:
        log.write(f"\n$ {' '.join(command)}\n".encode())
        log.flush()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=str(CHECKOUT),
            close_fds=False,  # hands down the lock, which must hold on if we are killed and pip is not
            process_group=None if sys.platform == "win32" else 0,
        )
        try:
            wait_with_signs(process, began)
        except BaseException:
            stop(process)
            raise
    if process.returncode != 0:
        last = LOG.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-8:]
        raise SetupError(
            f"{failure} Its last lines were:\n  " + "\n  ".join(last) + f"\nAll of it is in {LOG}. Mostly the network "
            "or the disk is the reason: look there, then run the same command again."
        )
    say(f"  done in {minutes(time.monotonic() - began)}")


def wait_with_signs(process: subprocess.Popen[bytes], began: float) -> None:
    """Wait for a command and say every so often that it is still working."""
    on_terminal = sys.stderr.isatty()
    while True:
        try:
            process.wait(timeout=20 if on_terminal else 60)
            return
        except subprocess.TimeoutExpired:
            say(f"  still working, {minutes(time.monotonic() - began)}")


def minutes(seconds: float) -> str:
    """A length of time as people say it."""
    return f"{seconds:.0f} s" if seconds < 60 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """Let one set-up run at a time; the system gives the lock back when the process ends, in whatever way."""
    with LOCK.open("a+b") as handle:
        try:
            if sys.platform == "win32":
                msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.set_inheritable(handle.fileno(), True)
        except (BlockingIOError, PermissionError):
            raise SetupError("Another set-up of this checkout is running. Wait for it, then run this again.") from None
        yield


def say(words: str) -> None:
    """Tell the person, at once."""
    print(words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
