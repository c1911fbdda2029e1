"""What a token takes, from the head of a model's file: for every kind of memory, and for files that are none."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import gguf
import pytest

from readdesk.llm.head import bytes_per_token
from tests.llm.random_gguf import HEADS, LAYERS, WIDTH, write_random_gguf
from tests.llm.random_kinds import write_random_kind

TWO_NUMBERS = 2 * 2


def head(path: Path, layers: int, heads: int, shared: int, width: int, length: int | None = None) -> Path:
    """The head of a file as publishers write it, with nothing behind it."""
    writer = gguf.GGUFWriter(str(path), "qwen3")
    writer.add_name("A model")
    writer.add_tags(["text", "chat"])
    writer.add_block_count(layers)
    writer.add_embedding_length(width)
    writer.add_head_count(heads)
    writer.add_head_count_kv(shared)
    writer.add_layer_norm_rms_eps(1e-6)
    if length is not None:
        writer.add_key_length(length)
        writer.add_value_length(length)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(["a", "b"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


def test_models_with_few_and_many_heads(tmp_path: Path) -> None:
    """As Qwen2.5 1.5B, and Qwen3 4B with its heads wider than its embedding is long."""
    assert bytes_per_token(head(tmp_path / "few", 28, 12, 2, 1536)) == 28_672
    assert bytes_per_token(head(tmp_path / "many", 36, 32, 8, 2560, 128)) == 147_456


def test_each_kind_of_memory(tmp_path: Path) -> None:
    a_layer = WIDTH * TWO_NUMBERS
    assert bytes_per_token(write_random_gguf(tmp_path)) == LAYERS * a_layer
    assert bytes_per_token(write_random_kind(tmp_path, "gemma3")) == 4 * a_layer
    assert bytes_per_token(write_random_kind(tmp_path, "lfm2")) == 2 * a_layer, "half of its layers have heads"
    assert bytes_per_token(write_random_kind(tmp_path, "qwen35")) == 2 * a_layer
    assert bytes_per_token(write_random_kind(tmp_path, "mamba")) == 0
    assert HEADS > 1


def test_what_is_no_model_file_takes_nothing(tmp_path: Path) -> None:
    assert bytes_per_token(tmp_path / "missing") == bytes_per_token(tmp_path) == 0
    good = head(tmp_path / "good", 28, 12, 2, 1536).read_bytes()
    file = tmp_path / "bad"
    for length in range(0, good.index(b"tokenizer"), 7):
        file.write_bytes(good[:length])
        assert bytes_per_token(file) == 0


@pytest.mark.parametrize("seed", range(5))
def test_any_bytes_are_read_in_a_moment_and_without_an_error(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    good = head(tmp_path / "good", 28, 12, 2, 1536).read_bytes()
    file = tmp_path / "bad"
    for _ in range(200):
        bad = bytearray(good)
        for _ in range(chance.randrange(1, 5)):
            place = chance.randrange(len(bad) - 8)
            bad[place : place + 8] = struct.pack("<Q", chance.choice((0, 1, 2**31, 2**63, chance.getrandbits(64))))
        file.write_bytes(bad)
        assert bytes_per_token(file) >= 0
