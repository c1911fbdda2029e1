"""What all tests share: where real documents and the tiny model are, and a home that is not the user's.

With READDESK_BLOCK_QT=1 PySide6 cannot be imported, so that the rooms below the window prove that they do without it;
the tests of the window and pytest's Qt plugin are left out then.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

# Read when the libraries load, so set before any test imports one.
os.environ["OMP_WAIT_POLICY"] = "passive"
os.environ["HF_HUB_OFFLINE"] = "1"

# A run that was started in the background ignores Ctrl-C and would hand that on to the programs it starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

from readdesk.cancel import CancelToken
from readdesk.documents.tessdata import find_tessdata, install_command, languages_in
from readdesk.llm.catalogue import Catalogue
from readdesk.llm.local import LocalEngine
from readdesk.llm.model import LoadOptions
from readdesk.paths import Paths

_BLOCK_QT = os.environ.get("READDESK_BLOCK_QT") == "1"
_CONTEXT = 4096

collect_ignore = ["gui"] if _BLOCK_QT else []


class _WithoutQt(MetaPathFinder):
    """Stands before all other finders and refuses Qt."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] in ("PySide6", "shiboken6"):
            raise ModuleNotFoundError(f"{fullname} is blocked in these tests (READDESK_BLOCK_QT=1)", name=fullname)
        return None


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """The earliest hook of a conftest: the Qt plugin must go before it is configured, because that imports Qt."""
    if _BLOCK_QT:
        pluginmanager.unregister(name="pytest-qt")
        sys.meta_path.insert(0, _WithoutQt())


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real documents, from READDESK_TEST_DATA or beside the checkout.

    Where it is missing the test is skipped, or fails with READDESK_REQUIRE_DATA=1.
    """
    named = os.environ.get("READDESK_TEST_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        missing = f"the folder of real documents is not here: {folder}"
        if os.environ.get("READDESK_REQUIRE_DATA") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    return folder


@pytest.fixture(scope="session")
def tesseract() -> Path:
    """The folder of Tesseract's data with English; without it the test is skipped.

    With READDESK_REQUIRE_TESSERACT=1 it fails instead.
    """
    folder = find_tessdata()
    if folder is None or "eng" not in languages_in(folder):
        missing = f"Tesseract with English is not on this computer; {install_command()}"
        if os.environ.get("READDESK_REQUIRE_TESSERACT") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    return folder


@pytest.fixture(scope="session")
def tiny_model() -> Path:
    """The file of the model *tiny*, from the folder READDESK_TEST_MODELS or the user's own."""
    named = os.environ.get("READDESK_TEST_MODELS")
    if named:
        file = Path(named) / "tiny.gguf"
        here = file.is_file()
    else:
        catalogue = Catalogue(Paths.default())
        record = catalogue.find("tiny")
        here = catalogue.installed(record)
        file = catalogue.file(record) if here else Paths.default().models / "tiny.gguf"
    if not here:
        pytest.fail(f"The model for tests is not at {file}. Get it with: python3 packaging/bootstrap.py test")
    return file


@pytest.fixture(scope="session")
def tiny_engine(tiny_model: Path) -> Iterator[LocalEngine]:
    """The model *tiny* in a process of its own, loaded once for all tests."""
    engine = LocalEngine("tiny", tiny_model, LoadOptions(context=_CONTEXT, threads=1))
    engine.info(CancelToken())
    yield engine
    engine.close()


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """All folders below a temporary one."""
    monkeypatch.setenv("READDESK_HOME", str(tmp_path / "home"))
    return Paths.default()
