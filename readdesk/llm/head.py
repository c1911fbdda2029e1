"""What a model's memory takes, from the head of its file, without loading it.

A GGUF file begins with named values. Those of the architecture stand before those of the vocabulary in every file that
we know; so a few kilobytes tell how many bytes a token takes of the model's memory and of the cache on disk. It is 28
kB for a model with two heads of keys and values in 28 layers, and 147 kB for one with eight in 36.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import IO

_SIZES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""Formats of `struct` for the simple kinds of values."""

_TEXT, _LIST = 8, 9
_BYTES_PER_NUMBER = 2
_LONGEST = 1 << 20
"""Longer texts and lists do not stand before the vocabulary; what claims to be one is no model file."""

_Value = int | float | str | list["_Value"]


def bytes_per_token(file: Path) -> int:
    """Bytes of memory a token takes at 16 bits; 0 where the file does not tell. Recurrent layers are left out."""
    try:
        with file.open("rb") as stream:
            values = _values(stream)
    except (OSError, ValueError, struct.error):
        return 0
    return _bytes(values)


def _bytes(values: dict[str, _Value]) -> int:
    name = values.get("general.architecture")

    def number(key: str, otherwise: int = 0) -> int:
        value = values.get(f"{name}.{key}", otherwise)
        return value if isinstance(value, int) else otherwise

    layers, heads = number("block_count"), number("attention.head_count")
    if not heads:
        return 0
    width = number("embedding_length") // heads
    keys, contents = number("attention.key_length", width), number("attention.value_length", width)
    by_layer = values.get(f"{name}.attention.head_count_kv", heads)
    if isinstance(by_layer, list):
        all_heads = sum(count for count in by_layer if isinstance(count, int))
    else:
        layers //= max(1, number("full_attention_interval", 1))  # Hybrids like Qwen 3.5 keep them in some layers only.
        all_heads = layers * number("attention.head_count_kv", heads)
    return all_heads * (keys + contents) * _BYTES_PER_NUMBER


def _values(stream: IO[bytes]) -> dict[str, _Value]:
    """The named values before the vocabulary's; raises ValueError and struct.error for what is no GGUF file."""
    magic, _, _, count = struct.unpack("<4sIQQ", stream.read(24))
    if magic != b"GGUF":
        raise ValueError("not a GGUF file")
    values: dict[str, _Value] = {}
    for _ in range(count):
        key = _text(stream)
        if key.startswith("tokenizer."):
            break
        values[key] = _value(stream, *struct.unpack("<I", stream.read(4)))
    return values


def _value(stream: IO[bytes], kind: int) -> _Value:
    if kind == _TEXT:
        return _text(stream)
    if kind == _LIST:
        inner, count = struct.unpack("<IQ", stream.read(12))
        if count > _LONGEST or inner == _LIST:
            raise ValueError("a list that no model has")
        return [_value(stream, inner) for _ in range(count)]
    if kind not in _SIZES:
        raise ValueError("an unknown kind of value")
    form = "<" + _SIZES[kind]
    (value,) = struct.unpack(form, stream.read(struct.calcsize(form)))
    return value if isinstance(value, float) else int(value)


def _text(stream: IO[bytes]) -> str:
    (length,) = struct.unpack("<Q", stream.read(8))
    if length > _LONGEST:
        raise ValueError("a text that no model has")
    return stream.read(length).decode("utf-8", "replace")
