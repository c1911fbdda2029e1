"""Loading a model on what there is: devices that are made up, weights that are real."""

from __future__ import annotations

import ctypes
import json
from pathlib import Path
from typing import Any

import llama_cpp
import pytest

from readdesk.cancel import CancelToken
from readdesk.llm.llama import loading
from readdesk.llm.llama.devices import Device
from readdesk.llm.llama.loading import Opened, open_model
from readdesk.llm.llama.model import LlamaModel
from readdesk.llm.llama.offload import Sizes
from readdesk.llm.llama.service import LlamaService
from readdesk.llm.model import LoadOptions
from tests.llm.random_gguf import LAYERS, WIDTH, write_random_gguf

CARD = Device("CUDA0", "A card", "GPU", 8 << 30, 8 << 30)


@pytest.fixture(scope="module")
def random_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_random_gguf(tmp_path_factory.mktemp("models"))


def opened(file: Path, gpu_layers: int = -1) -> Opened:
    found = open_model(file, LoadOptions(512, threads=1, gpu_layers=gpu_layers), CancelToken())
    found.close()
    return found


def test_trap_37_a_build_without_a_gpu_says_cpu_whatever_was_asked_for(
    random_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trap 37: GPU layers asked for on a build for the CPU."""
    monkeypatch.setattr(loading, "gpus", lambda: ())
    found = opened(random_file, 99)
    assert (found.device, found.gpu_layers, found.note) == ("CPU", 0, "")


def test_a_model_of_noise_is_not_left_on_a_gpu(random_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random weights know no text, which is just what a GPU that computes nonsense looks like."""
    monkeypatch.setattr(loading, "gpus", lambda: (CARD,))
    found = opened(random_file)
    assert (found.device, found.gpu_layers) == ("CPU", 0)
    assert found.note == "The GPU computes nonsense with this model, so the CPU does the work."


def test_a_model_that_knows_its_numbers_stays_on_the_gpu(tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "gpus", lambda: (CARD,))
    found = opened(tiny_model)
    assert (found.device, found.gpu_layers, found.note) == ("GPU (A card)", 31, "")


def test_without_layers_no_gpu_is_asked(random_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "gpus", lambda: (CARD,))
    found = opened(random_file, 0)
    assert (found.device, found.gpu_layers, found.note) == ("CPU", 0, "")


@pytest.mark.parametrize(("layers", "is_shut_out"), [(0, True), (2, False), (-1, False)])
def test_without_layers_no_gpu_reads_prompts_either(
    random_file: Path, monkeypatch: pytest.MonkeyPatch, layers: int, is_shut_out: bool
) -> None:
    """llama.cpp computes long batches on any device that it knows of, wherever the weights are."""
    load, devices = llama_cpp.llama_model_load_from_file, []

    def seen(path: bytes, parameters: llama_cpp.llama_model_params) -> object:
        at: Any = parameters.devices
        devices.append(at and ctypes.c_void_p.from_address(at).value)
        assert bool(at) is is_shut_out
        return load(path, parameters)

    monkeypatch.setattr("llama_cpp.llama_model_load_from_file", seen)
    LlamaModel(random_file, layers, CancelToken()).close()
    assert devices == [None], "a list that ends at once, or none"


def test_speeds_are_kept_for_what_computes_them(
    random_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was measured with layers on a GPU tells nothing of the CPU alone."""
    monkeypatch.setattr(loading, "gpus", lambda: (CARD,))
    monkeypatch.setattr(loading, "knows", lambda *_: True)
    for layers, known in ((-1, 1), (0, 2), (0, 2), (1, 3)):
        service = LlamaService("random", random_file, LoadOptions(512, gpu_layers=layers, folder=tmp_path))
        assert service.info(cancel=CancelToken()).decode_speed > 0
        service.close()
        assert len(json.loads((tmp_path / "speeds.json").read_text(encoding="utf-8"))) == known


def test_the_head_of_a_file_tells_its_sizes(random_file: Path) -> None:
    model = LlamaModel(random_file, 0, CancelToken(), only_head=True)
    assert model.layers == LAYERS
    model.close()
    assert loading._sizes(random_file, LoadOptions(512), CancelToken()) == Sizes(
        layers=LAYERS, weights=random_file.stat().st_size, memory=512 * 4 * LAYERS * WIDTH
    )


def test_what_is_to_be_said_reaches_the_engines_info(random_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "gpus", lambda: (CARD,))
    service = LlamaService("random", random_file, LoadOptions(512, threads=1))
    info = service.info(cancel=CancelToken())
    service.close()
    assert (info.device, info.gpu_layers) == ("CPU", 0)
    assert "nonsense" in info.note
