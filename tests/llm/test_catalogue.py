"""The catalogue's promises: records are complete and pinned, names are found, files of one's own are remembered."""

from __future__ import annotations

import re
import struct
import threading
from pathlib import Path

import pytest

from readdesk.errors import ModelError, NotFoundError
from readdesk.llm.catalogue import Catalogue, check_gguf, place
from readdesk.llm.model import ModelRecord
from readdesk.paths import Paths


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    monkeypatch.setenv("READDESK_HOME", str(tmp_path / "home"))
    return Paths.default()


@pytest.fixture
def catalogue(paths: Paths) -> Catalogue:
    return Catalogue(paths)


def make_gguf(path: Path, size: int = 4096, version: int = 3) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((b"GGUF" + struct.pack("<IQQ", version, 1, 1)).ljust(size, b"\0")[:size])
    return path


def install(catalogue: Catalogue, paths: Paths, name: str) -> Path:
    """Put files of the right sizes (holes, no bytes) where a finished download of this model lies."""
    record = catalogue.find(name)
    for file in record.files:
        target = place(record, paths) / file.name if file.name else place(record, paths)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as out:
            out.truncate(file.size)
    return place(record, paths)


def test_every_record_is_pinned_and_can_be_had(catalogue: Catalogue) -> None:
    records = catalogue.records()
    assert len({record.name.casefold() for record in records}) == len(records)
    for record in records:
        assert re.fullmatch(r"[a-z0-9.-]+", record.name)
        assert record.title and record.licence and record.languages and record.context > 0
        assert "\n" not in record.good_for and record.good_for.endswith(".")
        for file in record.files:
            assert file.size > 0 and re.fullmatch(r"[0-9a-f]{64}", file.sha256)
            assert file.sources and all(bool(s.url) != bool(s.parts) for s in file.sources)
            assert all(s.url.startswith("https://") for s in file.sources if s.url)
        if record.kind == "chat":
            assert [file.name for file in record.files] == [""]


def test_nine_starred_models_with_pinned_revisions_and_honest_memory(catalogue: Catalogue) -> None:
    starred = [record for record in catalogue.records() if record.starred]
    assert len(starred) == 9
    for record in starred:
        assert re.search(r"/resolve/[0-9a-f]{40}/", record.files[0].sources[0].url)
        assert record.memory_gb in (8, 16, 24)
        assert record.size + 1.2e9 < record.memory_gb * 1e9
    for memory in (8, 16, 24):
        advice = f"The one to take for real reading with {memory} GB"
        assert [r.memory_gb for r in starred if r.good_for.startswith(advice)] == [memory]


def test_package_parts_are_in_order(catalogue: Catalogue) -> None:
    for name, count in (("starter", 22), ("small", 6)):
        sources = catalogue.find(name).files[0].sources
        assert [bool(source.url) for source in sources] == [True, False]
        numbers = [int(re.findall(r"part(\d+)\.bin", inside)[0]) for _, _, inside in sources[1].parts]
        assert numbers == list(range(1, count + 1))
        assert all(package.endswith(f"part{n}") for n, (package, _, _) in enumerate(sources[1].parts, start=1))


def test_find_by_name_in_any_case(catalogue: Catalogue) -> None:
    assert catalogue.find(" Qwen3-4B ").name == "qwen3-4b"


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("startr", "starter"), ("qwen3-4", "qwen3-4b"), ("gemma4-12b", "gemma-4-12b"), ("SmolLM2", "tiny")],
)
def test_a_mistyped_name_gets_close_matches(catalogue: Catalogue, typed: str, meant: str) -> None:
    with pytest.raises(NotFoundError, match=f"No model is called {typed}") as caught:
        catalogue.find(typed)
    assert meant in caught.value.command and "`readdesk models list`" in caught.value.command


@pytest.mark.parametrize("typed", ["", "  ", "zzzzzz", "no/such/file", "nothing.gguf"])
def test_what_resembles_nothing_points_to_the_list(catalogue: Catalogue, typed: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        catalogue.find(typed)
    assert caught.value.command == "`readdesk models list` shows all."


def test_a_path_works_without_adding(catalogue: Catalogue, tmp_path: Path) -> None:
    file = make_gguf(tmp_path / "own model.gguf")
    record = catalogue.find(str(file))
    assert (record.name, record.path, record.size) == ("own-model", str(file), 4096)
    assert catalogue.installed(record) and catalogue.file(record) == file
    assert record not in catalogue.records()


def test_the_path_of_an_installed_model_is_that_model(catalogue: Catalogue, paths: Paths) -> None:
    file = install(catalogue, paths, "tiny")
    file.write_bytes(make_gguf(file.with_name("head")).read_bytes())
    with file.open("rb+") as out:
        out.truncate(catalogue.find("tiny").size)
    assert catalogue.find(str(file)).name == "tiny"
    assert catalogue.add(file).name == "tiny"
    assert not any(record.path for record in catalogue.records())


def test_installed_needs_every_byte_and_file(catalogue: Catalogue, paths: Paths) -> None:
    for name, expected in (("tiny", paths.models / "tiny.gguf"), ("embedder", paths.models / "embedder")):
        record = catalogue.find(name)
        with pytest.raises(ModelError, match="not on this computer") as caught:
            catalogue.file(record)
        assert f"`readdesk models get {name}`" in caught.value.command
        assert install(catalogue, paths, name) == expected == catalogue.file(record)
    (paths.models / "embedder" / "1_Pooling" / "config.json").unlink()
    assert not catalogue.installed(catalogue.find("embedder"))
    with (paths.models / "tiny.gguf").open("rb+") as out:
        out.truncate(1000)
    assert not catalogue.installed(catalogue.find("tiny"))


def test_add_remembers_and_adding_twice_is_harmless(catalogue: Catalogue, paths: Paths, tmp_path: Path) -> None:
    file = make_gguf(tmp_path / "Mein Modell (v2).gguf")
    record = catalogue.add(file)
    assert record.name == "Mein-Modell-v2"
    assert catalogue.add(str(file)) == record == Catalogue(paths).find("mein-modell-v2")
    assert [r for r in catalogue.records() if r.path] == [record]
    assert catalogue.add(file, "mine").name == "mine"
    assert [r.name for r in catalogue.records() if r.path] == ["mine"]
    file.unlink()
    assert not catalogue.installed(catalogue.find("mine"))
    with pytest.raises(ModelError, match="is gone"):
        catalogue.file(catalogue.find("mine"))


def test_a_taken_name_gets_a_number(catalogue: Catalogue, tmp_path: Path) -> None:
    names = [catalogue.add(make_gguf(tmp_path / str(n) / "Starter.gguf")).name for n in range(3)]
    assert names == ["Starter-2", "Starter-3", "Starter-4"]
    assert catalogue.find("starter").path == ""
    assert catalogue.find(str(make_gguf(tmp_path / "9" / "tiny.gguf"))).name == "tiny-2"


def test_adding_at_the_same_time_loses_nothing(paths: Paths, tmp_path: Path) -> None:
    files = [make_gguf(tmp_path / f"m{n}.gguf") for n in range(12)]
    threads = [threading.Thread(target=Catalogue(paths).add, args=(file,)) for file in files]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {r.name for r in Catalogue(paths).records() if r.path} == {f"m{n}" for n in range(12)}


def test_add_refuses_what_is_no_model(catalogue: Catalogue, tmp_path: Path) -> None:
    text = tmp_path / "page.gguf"
    text.write_text("<html>Not found</html>" * 100)
    for file, sentence in (
        (text, "not a GGUF model file"),
        (make_gguf(tmp_path / "old.gguf", version=1), "version 1"),
        (make_gguf(tmp_path / "new.gguf", version=9), "version 9"),
        (make_gguf(tmp_path / "cut.gguf", size=100), "cut off after 100 bytes"),
        (tmp_path, "cannot be read"),
    ):
        with pytest.raises(ModelError, match=sentence):
            catalogue.add(file)
    with pytest.raises(NotFoundError, match="no model file"):
        catalogue.add(tmp_path / "missing.gguf")
    assert not any(record.path for record in catalogue.records())


def test_a_broken_list_of_added_models_says_which_file(catalogue: Catalogue, paths: Paths) -> None:
    paths.models.mkdir(parents=True)
    for broken in ("{", '{"a": 1}', '[{"name": "x"}]', "[3]"):
        (paths.models / "added.json").write_text(broken)
        with pytest.raises(ModelError, match=r"added\.json"):
            catalogue.records()


def test_best_installed_takes_the_best(catalogue: Catalogue, paths: Paths, tmp_path: Path) -> None:
    def best() -> str:
        record: ModelRecord | None = catalogue.best_installed()
        return record.name if record else ""

    assert best() == ""
    install(catalogue, paths, "embedder")
    assert best() == ""
    for name in ("tiny", "small", "starter"):
        install(catalogue, paths, name)
        assert best() == name
    catalogue.add(make_gguf(tmp_path / "mine.gguf", 5000))
    catalogue.add(make_gguf(tmp_path / "larger.gguf", 9000))
    assert best() == "larger"
    for name in ("qwen3.5-0.8b", "qwen3-4b"):
        install(catalogue, paths, name)
        assert best() == name
    install(catalogue, paths, "qwen3.5-2b")
    assert best() == "qwen3-4b"


@pytest.mark.parametrize("tensors, entries", [(0, 5), (5, 0), (1 << 60, 5), (5, 1 << 40)])
def test_junk_behind_the_right_letters_is_refused(tmp_path: Path, tensors: int, entries: int) -> None:
    file = tmp_path / "junk.gguf"
    file.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, tensors, entries) + b"junk" * 2_000)
    with pytest.raises(ModelError, match="does not say what is in it"):
        check_gguf(file)
