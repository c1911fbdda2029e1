"""What the tests of the engine share: a random little model as a file, loaded, with a context, and as a service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from readdesk.cancel import CancelToken
from readdesk.llm.llama.context import LlamaContext
from readdesk.llm.llama.model import LlamaModel
from readdesk.llm.llama.service import LlamaService
from tests.llm.asking import ONE_THREAD
from tests.llm.random_gguf import write_random_gguf


@pytest.fixture(scope="session")
def random_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_random_gguf(tmp_path_factory.mktemp("models"))


@pytest.fixture
def service(random_file: Path) -> Iterator[LlamaService]:
    """The random model, loaded afresh, in this process."""
    fresh = LlamaService("random", random_file, ONE_THREAD)
    yield fresh
    fresh.close()


@pytest.fixture
def model(random_file: Path) -> Iterator[LlamaModel]:
    loaded = LlamaModel(random_file, 0, CancelToken())
    yield loaded
    loaded.close()


@pytest.fixture
def context(model: LlamaModel) -> Iterator[LlamaContext]:
    """A context of one sequence over the random model."""
    opened = LlamaContext(model, 1024)
    yield opened
    opened.close()
