"""Writes a random little llama with the gguf package: every edge of the engine in a fraction of a second.

Two layers, 64 wide, a SentencePiece-like vocabulary of 256 bytes and a few letters, so that any text has tokens. What
it says is noise, but the same noise every time: the weights come from a seed.
"""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np

WIDTH = 64
LAYERS = 2
HEADS = 4
FEED_FORWARD = 96

BOS, EOS, TURN_START, TURN_END = 1, 2, 3, 4
LETTERS = "ABCDEFGHabcdefgh"
LONG_PIECE = "\u2581long" * 60
"""One token of 420 bytes: longer than any buffer that one would guess."""

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
NO_SYSTEM = (
    "{{ bos_token }}{% for message in messages %}{% if message['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "<|im_start|>{{ message['role'] }}\n{{ message['content'] | trim }}<|im_end|>\n{% endfor %}"
    "{{ '<|im_start|>model\n' }}"
)


def tokens() -> tuple[list[bytes], list[int], list[float]]:
    """The vocabulary: pieces, their types, their scores."""
    special = ["<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>"]
    control = [gguf.TokenType.UNKNOWN, *[gguf.TokenType.CONTROL] * 4]
    pieces = [*special, *(f"<0x{byte:02X}>" for byte in range(256)), *LETTERS, "\u2581", LONG_PIECE]
    types = [*control, *[gguf.TokenType.BYTE] * 256, *[gguf.TokenType.NORMAL] * (len(LETTERS) + 2)]
    return [piece.encode() for piece in pieces], [int(kind) for kind in types], [0.0] * len(pieces)


LONG_TOKEN = 5 + 256 + len(LETTERS) + 1


def write_random_gguf(
    folder: Path,
    *,
    template: str | None = CHATML,
    context: int = 2048,
    seed: int = 7,
    architecture: str = "llama",
    add_bos: bool = True,
    name: str = "random.gguf",
) -> Path:
    """Write the model and return its file."""
    path = folder / name
    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_context_length(context)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    add_vocabulary(writer, add_bos=add_bos)
    if template is not None:
        writer.add_chat_template(template)
    _add_weights(writer, len(tokens()[0]), np.random.default_rng(seed))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def add_vocabulary(writer: gguf.GGUFWriter, *, add_bos: bool = True) -> None:
    """The words of every model that is written here, whatever its architecture."""
    pieces, types, scores = tokens()
    writer.add_tokenizer_model("llama")
    writer.add_token_list(pieces)
    writer.add_token_types(types)
    writer.add_token_scores(scores)
    writer.add_bos_token_id(BOS)
    writer.add_eos_token_id(EOS)
    writer.add_eot_token_id(TURN_END)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(add_bos)
    writer.add_add_space_prefix(False)


def _add_weights(writer: gguf.GGUFWriter, vocabulary: int, chance: np.random.Generator) -> None:
    def weight(name: str, *shape: int) -> None:
        writer.add_tensor(f"{name}.weight", (chance.standard_normal(shape) * 0.3).astype(np.float32))

    def norm(name: str) -> None:
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, dtype=np.float32))

    weight("token_embd", vocabulary, WIDTH)
    weight("output", vocabulary, WIDTH)
    norm("output_norm")
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        norm(f"{block}.attn_norm")
        norm(f"{block}.ffn_norm")
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            weight(f"{block}.{part}", WIDTH, WIDTH)
        weight(f"{block}.ffn_gate", FEED_FORWARD, WIDTH)
        weight(f"{block}.ffn_up", FEED_FORWARD, WIDTH)
        weight(f"{block}.ffn_down", WIDTH, FEED_FORWARD)
