"""Random little models of the kinds of memory that are not plain: sliding window, recurrent, and two hybrids.

What can be kept, cut back and continued differs between them (traps of the cache kinds), and no real one is small
enough for every test run. All have the vocabulary of random_gguf; the recurrent weights are tamed so that a state
neither dies nor blows up over some hundred tokens, and what was read long ago still changes the next word.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np

from tests.llm.random_gguf import FEED_FORWARD, HEADS, WIDTH, add_vocabulary, tokens

HEAD = WIDTH // HEADS
WINDOW = 24
"""Tokens that a window layer sees; the test's prompts are much longer."""

STATE, INNER, KERNEL, RANK, GROUPS, SHORT = 16, 2 * WIDTH, 4, 4, 2, 3

SHARPNESS = 1.5
"""How much attention prefers some tokens: with 1 every token counts alike, and a changed one is hardly noticed."""

KINDS = ("gemma3", "mamba", "lfm2", "qwen35")


def write_random_kind(folder: Path, architecture: str, *, seed: int = 7, context: int = 2048) -> Path:
    """Write a random model of one of the KINDS and return its file."""
    path = folder / f"{architecture}.gguf"
    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_context_length(context)
    writer.add_embedding_length(WIDTH)
    writer.add_layer_norm_rms_eps(1e-5)
    weights = _Weights(writer, np.random.default_rng(seed))
    weights.add("token_embd", len(tokens()[0]), WIDTH)
    weights.add("output", len(tokens()[0]), WIDTH)
    _ARCHITECTURES[architecture](writer, weights)
    add_vocabulary(writer)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


class _Weights:
    def __init__(self, writer: gguf.GGUFWriter, chance: np.random.Generator) -> None:
        self._writer = writer
        self._chance = chance

    def add(self, name: str, *shape: int, scale: float = 0.3) -> None:
        """A random matrix, the longest axis of a row last."""
        values = self._chance.standard_normal(shape) * scale
        self._writer.add_tensor(f"{name}.weight", values.astype(np.float32))

    def norm(self, name: str, width: int = WIDTH, value: float = 1.0) -> None:
        self.constant(f"{name}.weight", width, value=value)

    def constant(self, name: str, *shape: int, value: float) -> None:
        self._writer.add_tensor(name, np.full(shape, value, dtype=np.float32))

    def feed_forward(self, block: str) -> None:
        self.add(f"{block}.ffn_gate", FEED_FORWARD, WIDTH)
        self.add(f"{block}.ffn_up", FEED_FORWARD, WIDTH)
        self.add(f"{block}.ffn_down", WIDTH, FEED_FORWARD)

    def attention(self, block: str, *, query: int = WIDTH) -> None:
        self.add(f"{block}.attn_q", query, WIDTH)
        self.add(f"{block}.attn_k", WIDTH, WIDTH)
        self.add(f"{block}.attn_v", WIDTH, WIDTH)
        self.add(f"{block}.attn_output", WIDTH, WIDTH)
        self.norm(f"{block}.attn_q_norm", HEAD, SHARPNESS)
        self.norm(f"{block}.attn_k_norm", HEAD, SHARPNESS)


def _add_heads(writer: gguf.GGUFWriter, *, layers: int) -> None:
    writer.add_block_count(layers)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_key_length(HEAD)
    writer.add_value_length(HEAD)
    writer.add_rope_dimension_count(HEAD)


def _gemma3(writer: gguf.GGUFWriter, weights: _Weights) -> None:
    """Four layers of which every second sees only the window."""
    _add_heads(writer, layers=4)
    writer.add_head_count_kv(HEADS)
    writer.add_sliding_window(WINDOW)
    writer.add_sliding_window_pattern([True, False, True, False])
    weights.norm("output_norm")
    for layer in range(4):
        block = f"blk.{layer}"
        for name in ("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"):
            weights.norm(f"{block}.{name}")
        weights.attention(block)
        weights.feed_forward(block)


def _mamba(writer: gguf.GGUFWriter, weights: _Weights) -> None:
    """Two layers of a state-space model, no attention at all."""
    writer.add_block_count(2)
    writer.add_feed_forward_length(0)
    writer.add_head_count(0)
    _add_state_space(writer, inner=INNER)
    weights.norm("output_norm")
    for layer in range(2):
        block = f"blk.{layer}"
        weights.norm(f"{block}.attn_norm")
        weights.add(f"{block}.ssm_in", 2 * INNER, WIDTH)
        weights.add(f"{block}.ssm_conv1d", INNER, KERNEL)
        weights.constant(f"{block}.ssm_conv1d.bias", INNER, value=0.0)
        weights.add(f"{block}.ssm_x", RANK + 2 * STATE, INNER)
        weights.add(f"{block}.ssm_dt", INNER, RANK, scale=0.1)
        weights.constant(f"{block}.ssm_dt.bias", INNER, value=-4.0)
        weights.constant(f"{block}.ssm_a", INNER, STATE, value=-0.1)
        weights.constant(f"{block}.ssm_d", INNER, value=0.3)
        weights.add(f"{block}.ssm_out", WIDTH, INNER)


def _lfm2(writer: gguf.GGUFWriter, weights: _Weights) -> None:
    """Short convolutions and attention in turn."""
    _add_heads(writer, layers=4)
    writer.add_head_count_kv([0, HEADS, 0, HEADS])
    writer.add_shortconv_l_cache(SHORT)
    weights.norm("token_embd_norm")
    for layer in range(4):
        block = f"blk.{layer}"
        weights.norm(f"{block}.attn_norm")
        weights.norm(f"{block}.ffn_norm")
        if layer % 2:
            weights.attention(block)
        else:
            weights.add(f"{block}.shortconv.conv", WIDTH, SHORT)
            weights.add(f"{block}.shortconv.in_proj", 3 * WIDTH, WIDTH)
            weights.add(f"{block}.shortconv.out_proj", WIDTH, WIDTH)
        weights.feed_forward(block)


def _qwen35(writer: gguf.GGUFWriter, weights: _Weights) -> None:
    """Gated delta nets and attention in turn."""
    _add_heads(writer, layers=4)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_sections([HEAD // 4, HEAD // 8, HEAD // 8, 0])
    writer.add_full_attention_interval(2)
    inner, keys = RANK * STATE, GROUPS * STATE
    _add_state_space(writer, inner=inner)
    writer.add_ssm_group_count(GROUPS)
    weights.norm("output_norm")
    for layer in range(4):
        block = f"blk.{layer}"
        weights.norm(f"{block}.attn_norm")
        weights.norm(f"{block}.post_attention_norm")
        if layer % 2:
            weights.attention(block, query=2 * WIDTH)
        else:
            weights.add(f"{block}.attn_qkv", 2 * keys + inner, WIDTH)
            weights.add(f"{block}.attn_gate", inner, WIDTH)
            weights.add(f"{block}.ssm_conv1d", 2 * keys + inner, KERNEL)
            weights.constant(f"{block}.ssm_dt.bias", RANK, value=-4.0)
            weights.constant(f"{block}.ssm_a", RANK, value=-0.1)
            weights.add(f"{block}.ssm_beta", RANK, WIDTH)
            weights.add(f"{block}.ssm_alpha", RANK, WIDTH, scale=0.1)
            weights.norm(f"{block}.ssm_norm", STATE)
            weights.add(f"{block}.ssm_out", WIDTH, inner)
        weights.feed_forward(block)


def _add_state_space(writer: gguf.GGUFWriter, *, inner: int) -> None:
    writer.add_ssm_conv_kernel(KERNEL)
    writer.add_ssm_inner_size(inner)
    writer.add_ssm_state_size(STATE)
    writer.add_ssm_time_step_rank(RANK)


_ARCHITECTURES: dict[str, Callable[[gguf.GGUFWriter, _Weights], None]] = {
    "gemma3": _gemma3,
    "mamba": _mamba,
    "lfm2": _lfm2,
    "qwen35": _qwen35,
}
