"""The memory cache: what is kept is what was given or nothing at all, whatever happens to its file.

The files are made small so that every byte of one can be changed in turn. That replies from kept states are those of a
fresh load is shown in test_prefixes.py, with models of every kind of memory.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readdesk.cancel import Cancelled, CancelToken
from readdesk.llm.llama import state
from readdesk.llm.llama.state import Identity, MemoryCache, file_digest
from tests.llm.asking import CancelsAfter

IDENTITY = Identity("model", "library", "memory", "template")
TOKENS, STATE = (1, 5, 100_000, 7), bytes(range(200)) * 2
QUIET = CancelToken()


@pytest.fixture
def cache(tmp_path: Path) -> MemoryCache:
    return MemoryCache(tmp_path / "states", 1 << 20, IDENTITY)


def kept(cache: MemoryCache, owner: str = "book") -> tuple[tuple[int, ...], bytes] | None:
    found = cache.load(owner, QUIET)
    return (found.tokens, bytes(found.data)) if found else None


def the_file(tmp_path: Path) -> Path:
    (file,) = (tmp_path / "states").iterdir()
    return file


def test_what_is_kept_comes_back_in_another_process_too(cache: MemoryCache, tmp_path: Path) -> None:
    assert cache.save("book", TOKENS, STATE, QUIET)
    assert cache.tokens("book") == TOKENS
    again = MemoryCache(tmp_path / "states", 1 << 20, Identity(**vars(IDENTITY)))
    assert kept(again) == (TOKENS, STATE)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    owner=st.text(),
    tokens=st.lists(st.integers(0, 2**31 - 1), max_size=50),
    data=st.binary(max_size=500),
)
def test_any_owner_tokens_and_state_come_back(cache: MemoryCache, owner: str, tokens: list[int], data: bytes) -> None:
    assert cache.save(owner, tokens, data, QUIET)
    assert kept(cache, owner) == (tuple(tokens), data)


def test_owners_do_not_share_and_the_newest_state_of_one_stands(cache: MemoryCache, tmp_path: Path) -> None:
    cache.save("book", TOKENS, STATE, QUIET)
    cache.save("other", (9,), b"other", QUIET)
    cache.save("book", (1, 2), b"newer", QUIET)
    assert kept(cache) == ((1, 2), b"newer")
    assert kept(cache, "other") == ((9,), b"other")
    assert kept(cache, "nobody") is None and cache.tokens("nobody") == ()
    assert len(list((tmp_path / "states").iterdir())) == 2
    cache.forget("book")
    assert kept(cache) is None and kept(cache, "other") is not None


# -- never trusted -------------------------------------------------------------------------------------------------


def test_every_changed_byte_is_found(cache: MemoryCache, tmp_path: Path) -> None:
    """All of head, tokens, sums and state, each byte changed in some way."""
    cache.save("book", TOKENS, STATE, QUIET)
    file = the_file(tmp_path)
    good = file.read_bytes()
    chance = random.Random(6)
    for place in range(len(good)):
        bad = bytearray(good)
        bad[place] ^= chance.randrange(1, 256)
        file.write_bytes(bad)
        assert kept(cache) is None, place
        assert not file.exists(), f"a file that is wrong at {place} stays"
    file.write_bytes(good)
    assert kept(cache) == (TOKENS, STATE)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_spoilt_in_any_way_is_the_same_or_dropped(cache: MemoryCache, tmp_path: Path, data: Any) -> None:
    cache.save("book", TOKENS, STATE, QUIET)
    file = the_file(tmp_path)
    good = file.read_bytes()
    bad = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(bad)))
        end = data.draw(st.integers(start, min(len(bad), start + 40)))
        bad[start:end] = data.draw(st.binary(max_size=40))
    file.write_bytes(bad)
    assert kept(cache) in ((TOKENS, STATE), None) if bytes(bad) == good else kept(cache) is None


def test_every_length_but_the_whole_is_dropped(cache: MemoryCache, tmp_path: Path) -> None:
    cache.save("book", TOKENS, STATE, QUIET)
    file = the_file(tmp_path)
    good = file.read_bytes()
    for length in range(len(good)):
        file.write_bytes(good[:length])
        assert cache.tokens("book") == ()
        assert not file.exists()
    file.write_bytes(good + b"\0")
    assert kept(cache) is None and not file.exists()


@pytest.mark.parametrize("part", [field.name for field in fields(Identity)])
def test_another_model_library_memory_or_template_makes_it_worthless(
    cache: MemoryCache, tmp_path: Path, part: str
) -> None:
    cache.save("book", TOKENS, STATE, QUIET)
    other = MemoryCache(tmp_path / "states", 1 << 20, replace(IDENTITY, **{part: "changed"}))
    assert kept(other) is None
    if part != "model":
        assert kept(cache) is None, "what can never be used again is removed"


def test_a_state_in_the_place_of_another_is_not_used(cache: MemoryCache, tmp_path: Path) -> None:
    cache.save("book", TOKENS, STATE, QUIET)
    first = the_file(tmp_path)
    cache.save("other", (9,), b"other", QUIET)
    (second,) = (file for file in first.parent.iterdir() if file != first)
    shutil.copy(first, second)
    assert kept(cache, "other") is None
    assert kept(cache) == (TOKENS, STATE)


def test_an_older_format_is_dropped(cache: MemoryCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as older:
        older.setattr(state, "_MAGIC", b"RDSTATE0")
        cache.save("book", TOKENS, STATE, QUIET)
    assert kept(cache) is None
    assert not list((tmp_path / "states").iterdir())


# -- the disk ------------------------------------------------------------------------------------------------------


def test_the_least_recently_used_is_removed_beyond_the_limit(tmp_path: Path) -> None:
    cache = MemoryCache(tmp_path / "states", 4000, IDENTITY)
    for number, owner in enumerate(("a", "b", "c")):
        cache.save(owner, (1,), bytes(1000), QUIET)
        for file in (tmp_path / "states").iterdir():
            if file.stat().st_mtime > 1e9:  # Dates of files are coarser than the steps of a test.
                os.utime(file, (number + 1, number + 1))
    assert kept(cache, "a") is not None, "used again, so b is now the oldest"
    cache.save("d", (1,), bytes(1000), QUIET)
    assert [owner for owner in "abcd" if cache.tokens(owner)] == ["a", "c", "d"]


def test_the_one_just_written_is_never_removed(tmp_path: Path) -> None:
    cache = MemoryCache(tmp_path / "states", 4000, IDENTITY)
    for owner in "abc":
        cache.save(owner, (1,), bytes(1000), QUIET)
    future = time.time() + 1000
    for file in (tmp_path / "states").iterdir():
        os.utime(file, (future, future))  # As after the clock was put back.
    assert cache.save("large", (1,), bytes(3800), QUIET)
    assert [owner for owner in ("a", "b", "c", "large") if cache.tokens(owner)] == ["large"]


def test_what_is_larger_than_the_limit_is_not_kept_and_removes_nothing(tmp_path: Path) -> None:
    cache = MemoryCache(tmp_path / "states", 4000, IDENTITY)
    cache.save("a", (1,), bytes(1000), QUIET)
    assert not cache.save("a", (1,), bytes(4000), QUIET)
    assert kept(cache, "a") == ((1,), bytes(1000))


@pytest.mark.parametrize(("named", "limit"), [(False, 1000), (True, 0)])
def test_without_a_folder_or_room_nothing_is_kept_or_written(tmp_path: Path, named: bool, limit: int) -> None:
    cache = MemoryCache(tmp_path / "states" if named else None, limit, IDENTITY)
    assert not cache.save("book", TOKENS, b"", QUIET)
    assert (cache.tokens("book"), cache.load("book", QUIET)) == ((), None)
    cache.forget("book")
    assert not list(tmp_path.iterdir())


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_trap_59_a_full_disk_keeps_nothing_new_and_is_no_error(
    cache: MemoryCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trap 59: full disk. What was kept before stays, and no draft is left behind."""
    cache.save("book", TOKENS, STATE, QUIET)
    with monkeypatch.context() as broken:
        broken.setattr(state, "_pieces", full_disk)
        assert not cache.save("book", (1,), b"newer", QUIET)
    with monkeypatch.context() as broken:
        broken.setattr(Path, "replace", full_disk)
        assert not cache.save("book", (1,), b"newer", QUIET)
    usage = shutil.disk_usage(tmp_path)
    with monkeypatch.context() as nearly:
        nearly.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1 << 20))
        assert not cache.save("book", (1,), b"newer", QUIET)
    assert kept(cache) == (TOKENS, STATE)
    assert len(list((tmp_path / "states").iterdir())) == 1


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "states").write_text("a file stands there")
    cache = MemoryCache(tmp_path / "states", 1000, IDENTITY)
    assert not cache.save("book", TOKENS, b"", QUIET)
    assert cache.tokens("book") == ()


@pytest.mark.parametrize("looks", range(20))
def test_a_stop_while_writing_leaves_what_was_there(
    cache: MemoryCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    monkeypatch.setattr(state, "_PIECE", 40)
    cache.save("book", TOKENS, STATE, QUIET)
    with pytest.raises(Cancelled):
        cache.save("book", (1,), bytes(401), CancelsAfter(looks))
    assert kept(cache) == (TOKENS, STATE)
    assert len(list((tmp_path / "states").iterdir())) == 1


def test_a_stop_while_reading_leaves_what_was_there(cache: MemoryCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "_PIECE", 40)
    cache.save("book", TOKENS, STATE, QUIET)
    with pytest.raises(Cancelled):
        cache.load("book", CancelsAfter(5))
    assert kept(cache) == (TOKENS, STATE)


def test_drafts_that_a_dead_process_left_are_removed_in_time(cache: MemoryCache, tmp_path: Path) -> None:
    cache.save("book", TOKENS, STATE, QUIET)
    old, new = tmp_path / "states" / "old.draft", tmp_path / "states" / "new.draft"
    old.write_bytes(b"x")
    new.write_bytes(b"x")
    os.utime(old, (1, 1))
    cache.save("book", TOKENS, STATE, QUIET)
    assert (old.exists(), new.exists()) == (False, True), "a young one may be in work"


BUSY = """
import random, sys
from pathlib import Path
from readdesk.cancel import CancelToken
from readdesk.llm.llama.state import Identity, MemoryCache
cache = MemoryCache(Path(sys.argv[1]), 6000, Identity("model", "library", "memory", "template"))
chance, quiet = random.Random(int(sys.argv[2])), CancelToken()
for _ in range(300):
    owner, size = chance.choice("abcdefgh"), chance.randrange(2000)
    if chance.random() < 0.5:
        cache.save(owner, (size,), bytes([size % 251]) * size, quiet)
    found = cache.load(owner, quiet)
    if found is not None:
        (size,) = found.tokens
        assert bytes(found.data) == bytes([size % 251]) * size
print("done")
"""


def test_processes_that_write_read_and_remove_at_once_never_see_half_a_state(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BUSY, str(tmp_path / "states")]
    busy = [
        subprocess.Popen([*command, str(seed)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for seed in range(3)
    ]
    for process in busy:
        said, complained = process.communicate(timeout=120)
        assert (said.strip(), process.returncode) == ("done", 0), complained
    assert sum(file.stat().st_size for file in (tmp_path / "states").iterdir()) <= 6000 + 2 * 2100


# -- which model ---------------------------------------------------------------------------------------------------


@pytest.fixture
def model_file(tmp_path: Path) -> Iterator[Path]:
    file = tmp_path / "model.gguf"
    file.write_bytes(random.Random(1).randbytes(9_000_000))
    yield file


def test_a_model_is_known_by_its_bytes_and_not_by_its_date_or_name(model_file: Path, tmp_path: Path) -> None:
    before = file_digest(model_file)
    os.utime(model_file, (1, 1))
    moved = model_file.rename(tmp_path / "other.gguf")
    assert file_digest(moved) == before


@pytest.mark.parametrize("place", [0, 700_000, 8_500_000, 8_999_999])
def test_a_model_that_differs_at_its_ends_is_another(model_file: Path, place: int) -> None:
    before = file_digest(model_file)
    with model_file.open("r+b") as file:
        file.seek(place)
        byte = file.read(1)
        file.seek(place)
        file.write(bytes([byte[0] ^ 1]))
    assert file_digest(model_file) != before


def test_a_model_that_differs_in_one_layer_between_is_another(model_file: Path) -> None:
    """Fine-tuned models share size, head and tail."""
    before = file_digest(model_file)
    with model_file.open("r+b") as file:
        file.seek(4_000_000)
        file.write(bytes(300_000))
    assert file_digest(model_file) != before


@pytest.mark.parametrize("size", [0, 1, 1000, 70_000, 2_000_000])
def test_files_of_any_size_have_a_digest_that_tells_the_size(tmp_path: Path, size: int) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(bytes(size))
    second.write_bytes(bytes(size + 1))
    assert file_digest(first) != file_digest(second)
