"""What a model runs on, in words: only what is known, and what a person must know before the model is used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from readdesk.cancel import CancelToken
from readdesk.llm.llama.service import LlamaService
from readdesk.llm.llama.threads import cores
from readdesk.llm.local import LocalEngine
from readdesk.llm.model import EngineInfo
from tests.llm.asking import ONE_THREAD
from tests.llm.random_gguf import write_random_gguf

INFO = EngineInfo("starter", 4096)
GPU = replace(INFO, device="GPU (NVIDIA H200)", gpu_layers=12, layers=29)
NOTE = "The GPU has memory for 12 of the model's 29 layers; the CPU does the rest."
PLAIN = "This model has no chat template: it is asked in plain words."


@pytest.mark.parametrize(
    ("info", "words"),
    [
        (INFO, "starter runs on the CPU."),
        (
            replace(INFO, threads=1, batch_threads=2, decode_speed=21.9),
            "starter runs on the CPU: 1 thread writes, 2 read; about 22 tokens a second.",
        ),
        (replace(INFO, threads=3, batch_threads=4), "starter runs on the CPU: 3 threads write, 4 read."),
        (replace(INFO, threads=1, batch_threads=1), "starter runs on the CPU: 1 thread."),
        (replace(INFO, threads=4), "starter runs on the CPU: 4 threads."),
        (replace(INFO, decode_speed=2100.0), "starter runs on the CPU: about 2,100 tokens a second."),
        (replace(INFO, decode_speed=0.42), "starter runs on the CPU: about 0.42 tokens a second."),
        (replace(GPU, gpu_layers=29), "starter runs with 29 of 29 layers on the GPU (NVIDIA H200)."),
        (replace(GPU, layers=0), "starter runs with 12 layers on the GPU (NVIDIA H200)."),
        (replace(GPU, note=NOTE), f"starter runs with 12 of 29 layers on the GPU (NVIDIA H200). {NOTE}"),
        (replace(INFO, has_template=False), f"starter runs on the CPU. {PLAIN}"),
    ],
)
def test_only_what_is_known_is_said(info: EngineInfo, words: str) -> None:
    """Never a thread or a token a second of which nobody knows."""
    assert info.words == words


def test_what_must_be_known_is_the_note_and_a_lack_of_a_template() -> None:
    assert INFO.warning == "" and GPU.warning == ""
    assert replace(GPU, note=NOTE).warning == NOTE
    assert replace(GPU, note=NOTE, has_template=False).warning == f"{NOTE} {PLAIN}"


def test_tiny_says_what_it_runs_on(tiny_engine: LocalEngine) -> None:
    threads = "1 thread writes" if cores() > 1 else "1 thread"
    words = tiny_engine.info(CancelToken()).words
    assert words.startswith(f"tiny runs on the CPU: {threads}") and words.endswith(".") and "token" not in words


def test_a_model_without_a_template_says_so(tmp_path: Path, service: LlamaService) -> None:
    """Trap 63: before it is used; one with a template says nothing of the kind."""
    base = LlamaService("base", write_random_gguf(tmp_path, template=None), ONE_THREAD)
    try:
        assert base.info(cancel=CancelToken()).warning == PLAIN
    finally:
        base.close()
    assert service.info(cancel=CancelToken()).warning == ""
