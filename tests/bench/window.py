"""The window: how soon it shows, what it takes, and how long its event loop is ever held.

    python -m tests.bench.window [--quick] [--runs 5] [--data FOLDER] [--models FOLDER]

Sample: the 480 leaves of zsh-manual.pdf and War and Peace as an EPUB, both in the library already; the model *tiny*.
Beside it in the same run, in turns, Okular with the same PDF and Foliate with the same EPUB, where they are installed.
Each is timed on a virtual screen from its start until the picture comes to rest, and weighed then (PSS of all its
processes). The event loop is watched by a timer of 5 ms in a window without a screen while it imports, gists and
streams an answer; the longest gap counts. No seed: nothing is drawn by lot.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench.screen import Screen, Shown, can_be_used

ROOT = Path(__file__).resolve().parents[2]
LOOP_TARGET = 0.050
DATA = Path(os.environ.get("READDESK_TEST_DATA") or ROOT.parent / "shared" / "data") / "documents"
PDF, EPUB = "pdf/zsh-manual.pdf", "epub/war-and-peace.epub"


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description="How soon the window shows, and how long its event loop is held.")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--models", type=Path, default=None)
    parser.add_argument("--loop", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def main(asked: argparse.Namespace) -> int:
    """Measure, print, judge."""
    if asked.loop is not None:
        return watch(asked.loop, asked.data)
    if not can_be_used() or not (asked.data / PDF).exists():
        sys.stderr.write("This bench needs Xvfb and the folder of real documents.\n")
        return 2
    runs = 0 if asked.quick else asked.runs
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        prepare(home, asked)
        with Screen() as screen:
            figures = start_figures(screen, home, asked.data, runs)
        figures |= loop_figures(home, asked.data)
    targets: dict[str, tuple[str, float]] = {
        f"loop_{name}_s": ("<=", LOOP_TARGET) for name in ("importing", "gisting", "streaming")
    }
    met = all(figures[name] <= limit for name, (_, limit) in targets.items())
    sizes = {name: (asked.data / name).stat().st_size for name in (PDF, EPUB)}
    on = {"files": [PDF, EPUB], "sizes": sizes, "model": "tiny", "runs": runs, "cores": os.cpu_count()}
    print(json.dumps({"bench": "window", "figures": figures, "targets": targets, "met": met, "on": on}))
    return 0 if met else 1


def prepare(home: Path, asked: argparse.Namespace) -> None:
    """A library with both books, and the model."""
    (home / "models").mkdir(parents=True)
    models = asked.models or Path(os.environ.get("READDESK_TEST_MODELS", ""))
    (home / "models" / "tiny.gguf").symlink_to(models / "tiny.gguf")
    command = [sys.executable, "-m", "readdesk", "add", str(asked.data / PDF), str(asked.data / EPUB)]
    subprocess.run(command, check=True, cwd=ROOT, env=_environment(home), stdout=subprocess.DEVNULL)


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "READDESK_HOME": str(home)}


# -- start and memory ----------------------------------------------------------------------------------------------


def start_figures(screen: Screen, home: Path, data: Path, runs: int) -> dict[str, float]:
    """Medians of the starts, ours and theirs in turns."""
    ours = [sys.executable, "-m", "readdesk"]
    settings = {"READDESK_HOME": str(home), "PYTHONPATH": str(ROOT)}
    theirs = {
        "HOME": str(home / "peers"),
        "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
        "LIBGL_ALWAYS_SOFTWARE": "1",
    }
    sides: dict[str, tuple[list[str], dict[str, str]]] = {
        "start": (ours, settings),
        "pdf": ([*ours, "open", str(data / PDF)], settings),
        "epub": ([*ours, "open", str(data / EPUB)], settings),
    }
    if shutil.which("okular"):
        sides["okular"] = (["okular", str(data / PDF)], theirs)
    if shutil.which("foliate") and shutil.which("dbus-run-session"):
        sides["foliate"] = (["dbus-run-session", "foliate", str(data / EPUB)], theirs)
    shown: dict[str, list[Shown]] = {name: [] for name in sides}
    for turn in range(runs + 1):
        for name, (command, environment) in sides.items():
            if name == "start":
                seconds = start_alone(home)
                result = Shown(seconds, 0.0)
            else:
                result = screen.show(command, environment)
            if turn or not runs:  # The first round warms the disk's cache for all of them.
                shown[name].append(result)
    figures: dict[str, float] = {}
    for name, results in shown.items():
        figures[f"{name}_s"] = round(statistics.median(result.seconds for result in results), 3)
        if name != "start":
            figures[f"{name}_pss_mb"] = round(statistics.median(result.memory for result in results), 1)
    for ours_name, peer in (("pdf", "okular"), ("epub", "foliate")):
        if peer in shown:
            figures[f"{ours_name}_to_{peer}"] = round(figures[f"{ours_name}_s"] / figures[f"{peer}_s"], 2)
            figures[f"{ours_name}_pss_to_{peer}"] = round(figures[f"{ours_name}_pss_mb"] / figures[f"{peer}_pss_mb"], 2)
    return figures


def start_alone(home: Path) -> float:
    """Seconds from starting the program to a painted library whose event loop is idle."""
    script = (
        "import sys, time; from pathlib import Path; from PySide6.QtCore import QTimer;"
        "from PySide6.QtWidgets import QApplication; from readdesk.gui.app import Window;"
        "from readdesk.paths import Paths; app = QApplication([]); window = Window(app, Paths.default(), offline=True);"
        "window.begin(); app.processEvents();"
        "QTimer.singleShot(0, lambda: (print(time.time(), flush=True), app.quit())); app.exec(); window.close()"
    )
    environment = {**_environment(home), "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
    began = time.time()
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, check=True, cwd=ROOT, env=environment, capture_output=True, text=True)
    return float(done.stdout.strip().splitlines()[-1]) - began


# -- the event loop ------------------------------------------------------------------------------------------------


def loop_figures(home: Path, data: Path) -> dict[str, float]:
    """What a window without a screen says of its own event loop."""
    command = [sys.executable, "-m", "tests.bench.window", "--loop", str(home), "--data", str(data)]
    environment = {**_environment(home), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, check=True, cwd=ROOT, env=environment, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def watch(home: Path, data: Path) -> int:
    """Inside the child: import, gist and ask while a timer looks at the clock."""
    from tests.bench.loop import Watched  # noqa: PLC0415 - only the child has Qt

    watched = Watched()
    figures: dict[str, float] = {}
    stages: tuple[tuple[str, Callable[[], None]], ...] = (
        ("importing", lambda: watched.add([data / "epub/moby-dick.epub", data / "pdf/debian-policy.pdf"])),
        ("gisting", watched.gist),
        ("streaming", watched.ask),
        ("turning_leaves", lambda: watched.turn_leaves(data / PDF)),
        ("turning_text", lambda: watched.turn_text(data / EPUB)),
    )
    for name, stage in stages:
        watched.begin()
        stage()
        figures[f"loop_{name}_s"] = round(watched.longest(), 4)
    watched.close()
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main(arguments()))
