"""Which models there are: those of `resources/models.json` and those a person added by path.

A model of the catalogue lies in the models folder under its final name, `<name>.gguf` or the folder `<name>/` where it
has several files, only when it is complete and its sum was checked; whoever finds that name may use it without looking
again, and packaging/bootstrap.py does. Models added by path stay where they are; `added.json` in the models folder
remembers their names. Records hold what a person must know before a download: size, licence, memory, languages.
"""

from __future__ import annotations

import errno
import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any

from readdesk.errors import ModelError, NotFoundError
from readdesk.llm.head import bytes_per_token
from readdesk.llm.model import ModelFile, ModelRecord, ModelState, Source
from readdesk.paths import Paths, resource

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_LIST_HINT = "Choose another one."
_LIST_COMMAND = "`readdesk models list` shows all."
_GGUF_VERSIONS = (2, 3)
# Below this no GGUF file holds even the description of one small tensor and a vocabulary.
_SMALLEST_GGUF = 1024
_MOST_TENSORS = 1_000_000
_LAST_RESORTS = ("starter", "small", "tiny")


class Catalogue:
    """The models that are known on this computer, by name."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        tree = json.loads(resource("models.json").read_text(encoding="utf-8"))
        self._own = tuple(_record(entry) for entry in tree["models"])
        self._added_file = paths.models / "added.json"

    def records(self) -> tuple[ModelRecord, ...]:
        """All models: the catalogue's in its order, then those a person added; raises ModelError."""
        return self._own + self._added()

    def find(self, name_or_path: str) -> ModelRecord:
        """The model of that name, or the `.gguf` file at that path; raises NotFoundError, ModelError."""
        records = self.records()
        for record in records:
            if record.name.casefold() == name_or_path.strip().casefold():
                return record
        path = Path(name_or_path).expanduser()
        if name_or_path.strip() and path.is_file():
            return self._at(path)
        if path.suffix.lower() == ".gguf" or path.name != name_or_path:
            raise NotFoundError(f"There is no model file {name_or_path}.", _LIST_HINT, _LIST_COMMAND)
        raise NotFoundError(f"No model is called {name_or_path}.", _LIST_HINT, _close_matches(name_or_path, records))

    def installed(self, record: ModelRecord) -> bool:
        """Whether the model can be used without a download."""
        return is_complete(record, self._paths)

    def state(self, record: ModelRecord) -> ModelState:
        """Whether the model is here, and what it will take of memory and disk for each token it keeps in mind."""
        is_here = self.installed(record)
        return ModelState(record, is_here, bytes_per_token(place(record, self._paths)) if is_here else 0)

    def file(self, record: ModelRecord) -> Path:
        """The GGUF file, or the folder of a model with several files; raises ModelError when it is not there."""
        if self.installed(record):
            return place(record, self._paths)
        if record.path:
            raise ModelError(
                f"The file of the model {record.name} is gone: {record.path}.",
                "Put it back, or use the file from where it is now.",
                "Put it back, or tell where it is now: `readdesk models add FILE`.",
            )
        raise ModelError(
            f"The model {record.name} is not on this computer.",
            "Get it first.",
            f"Get it with `readdesk models get {record.name}`.",
        )

    def add(self, path: str | Path, name: str | None = None) -> ModelRecord:
        """Remember a `.gguf` file under a name (its own by default); adding it again is harmless; raises ModelError."""
        check_gguf(Path(path).expanduser())
        try:
            self._paths.models.mkdir(parents=True, exist_ok=True)
            with exclusive(self._paths.models / ".added.lock", lambda: time.sleep(0.05)):
                return self._remember(Path(path).expanduser(), name)
        except OSError as error:
            raise ModelError(
                f"The model cannot be remembered in {self._added_file} ({error.strerror}).",
                "Make room there or allow writing, then add it again.",
            ) from error

    def _remember(self, path: Path, name: str | None) -> ModelRecord:
        known = self._at(path)
        added = self._added()
        if not known.path or (known in added and name in (None, known.name)):
            return known
        others = [record for record in added if not _same_file(record.path, known.path)]
        record = replace(known, name=self._free_name(name or path.stem, others))
        entries = [{"name": entry.name, "path": entry.path} for entry in (*others, record)]
        draft = self._added_file.with_name("added.json.new")
        draft.write_text(json.dumps(entries, indent=1, ensure_ascii=False), encoding="utf-8")
        draft.replace(self._added_file)
        return record

    def best_installed(self) -> ModelRecord | None:
        """The model to read with when none was named: the largest starred one here, else the next best thing."""
        here = [record for record in self.records() if record.kind == "chat" and self.installed(record)]
        for group in ([r for r in here if r.starred], [r for r in here if r.path]):
            if group:
                return max(group, key=lambda record: record.size)
        by_name = {record.name: record for record in here}
        return next((by_name[name] for name in _LAST_RESORTS if name in by_name), None)

    def _at(self, path: Path) -> ModelRecord:
        """The record of the file at this path: the catalogue's, the added one, or a new one that nobody remembers."""
        check_gguf(path)
        path = path.absolute()
        for record in self.records():
            if self.installed(record) and _same_file(place(record, self._paths), path):
                return record
        return _added_record(self._free_name(path.stem, self._added()), path)

    def _free_name(self, wanted: str, others: Iterable[ModelRecord]) -> str:
        """The wanted name as one word of letters that every command line takes, with a number when it is taken."""
        taken = {record.name.casefold() for record in (*self._own, *others)}
        base = re.sub(r"[^\w.-]+", "-", wanted).strip("-.") or "model"
        names = (base if number == 1 else f"{base}-{number}" for number in range(1, len(taken) + 2))
        return next(name for name in names if name.casefold() not in taken)

    def _added(self) -> tuple[ModelRecord, ...]:
        try:
            entries = json.loads(self._added_file.read_text(encoding="utf-8"))
            return tuple(_added_record(str(entry["name"]), Path(entry["path"])) for entry in entries)
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise ModelError(
                f"The list of added models {self._added_file} cannot be read.",
                "Delete it and add the models again; the model files themselves are not touched.",
            ) from error


def place(record: ModelRecord, paths: Paths) -> Path:
    """Where the finished model lies or will lie: a `.gguf` file, or a folder for a model with several files."""
    if record.path:
        return Path(record.path)
    return paths.models / (f"{record.name}.gguf" if _is_single(record) else record.name)


def is_complete(record: ModelRecord, paths: Paths) -> bool:
    """Whether all files are at their final place with the right sizes (sums were checked before they got there)."""
    at = place(record, paths)
    if record.path:
        return at.is_file()
    files = [at if _is_single(record) else at / file.name for file in record.files]
    sizes = [file.size for file in record.files]
    return bool(files) and all(f.is_file() and f.stat().st_size == size for f, size in zip(files, sizes, strict=True))


def check_gguf(path: Path) -> None:
    """Refuse what cannot be a model file by its first bytes and its size; raises ModelError, NotFoundError."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(24)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NotFoundError(f"There is no model file {path}.", _LIST_HINT, _LIST_COMMAND) from error
    except OSError as error:
        raise ModelError(f"The file {path} cannot be read ({error.strerror}).", "Choose a .gguf file.") from error
    if head[:4] != b"GGUF":
        raise ModelError(f"{path.name} is not a GGUF model file.", "Download a file that ends in .gguf.")
    version = int.from_bytes(head[4:8], "little")
    if version not in _GGUF_VERSIONS:
        raise ModelError(
            f"{path.name} is a GGUF file of version {version}, which this program cannot read.",
            "Take a file of version 2 or 3, for example a newer download of the same model.",
        )
    if size < _SMALLEST_GGUF:
        raise ModelError(f"{path.name} is cut off after {size} bytes.", "Download it again.")
    tensors, entries = (int.from_bytes(head[at : at + 8], "little") for at in (8, 16))
    if not 0 < tensors < _MOST_TENSORS or not 0 < entries < _MOST_TENSORS:
        raise ModelError(f"{path.name} is damaged: it does not say what is in it.", "Download it again.")


@contextmanager
def exclusive(lock: Path, wait: Callable[[], None]) -> Iterator[None]:
    """Run the block in one process at a time; `wait` is called while another runs it and may raise to give up.

    The lock file stays behind, empty: removing it would let two in.
    """
    with lock.open("ab") as handle:
        while not _locked(handle):
            wait()
        yield


def _locked(handle: IO[bytes]) -> bool:
    """Take the lock if it is free; a file system that knows no locks (some network folders) counts as free."""
    try:
        if sys.platform == "win32":
            handle.seek(0)
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    return True


def size_words(size: int) -> str:
    """A number of bytes as people say it: "491 MB", "1.1 GB"."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def _record(entry: dict[str, Any]) -> ModelRecord:
    files = tuple(
        ModelFile(file["name"], file["size"], file["sha256"], tuple(_source(source) for source in file["sources"]))
        for file in entry["files"]
    )
    return ModelRecord(**{**entry, "files": files})


def _source(entry: dict[str, Any]) -> Source:
    parts = tuple((package, version, inside) for package, version, inside in entry.get("parts", ()))
    return Source(url=entry.get("url", ""), parts=parts)


def _added_record(name: str, path: Path) -> ModelRecord:
    """The record of a file of a person's own: its size is known while it is there, its sum never."""
    files = (ModelFile("", path.stat().st_size, "", ()),) if path.is_file() else ()
    return ModelRecord(name, path.name, "as its publisher says", "A model of your own.", files=files, path=str(path))


def _is_single(record: ModelRecord) -> bool:
    return len(record.files) == 1 and not record.files[0].name


def _same_file(one: str | Path, other: str | Path) -> bool:
    return Path(one).resolve() == Path(other).resolve()


def _close_matches(name: str, records: Iterable[ModelRecord]) -> str:
    """Names that look like the one that was typed, or whose title holds it."""
    folded = {record.name.casefold(): record for record in records}
    close = get_close_matches(name.casefold(), folded, n=3, cutoff=0.5)
    words = re.findall(r"\w+", name.casefold())
    close += [key for key, r in folded.items() if words and all(word in r.title.casefold() for word in words)]
    names = [folded[key].name for key in dict.fromkeys(close)][:3]
    return f"Did you mean {' or '.join(names)}? {_LIST_COMMAND}" if names else _LIST_COMMAND
