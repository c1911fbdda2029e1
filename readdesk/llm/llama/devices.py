"""What this build of llama.cpp can compute on: the devices of ggml, with their memory.

llama-cpp-python binds the calls of llama.cpp but not those of ggml that name devices (0.3.36), so they are called by
their C signatures in the library that it has loaded. A build without them, or one for the CPU only, has no GPU: that is
what is then said.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Literal

DeviceKind = Literal["CPU", "GPU", "accelerator"]
_KINDS: dict[int, DeviceKind] = {0: "CPU", 1: "GPU", 2: "GPU"}
"""GGML_BACKEND_DEVICE_TYPE_* of ggml-backend.h: the second kind of GPU shares the computer's memory."""


@dataclass(frozen=True)
class Device:
    """Something that computes: its short name, what it is, its kind, and its memory in bytes (free and in all)."""

    name: str
    description: str
    kind: DeviceKind
    free: int = 0
    total: int = 0


def devices() -> tuple[Device, ...]:
    """All devices of this build in llama.cpp's order; none where it cannot be asked."""
    try:
        from llama_cpp._ggml import libggml  # noqa: PLC0415 - a private module, which another version may lack
    except (ImportError, OSError, FileNotFoundError):
        return ()
    try:
        return tuple(_device(libggml, number) for number in range(_call(libggml, "count", ctypes.c_size_t)))
    except AttributeError:
        return ()


def gpus() -> tuple[Device, ...]:
    """The devices that layers can be put on."""
    return tuple(device for device in devices() if device.kind == "GPU")


def _device(library: ctypes.CDLL, number: int) -> Device:
    handle = ctypes.c_void_p(_call(library, "get", ctypes.c_void_p, ctypes.c_size_t(number)))
    name: bytes | None = _call(library, "name", ctypes.c_char_p, handle)
    description: bytes | None = _call(library, "description", ctypes.c_char_p, handle)
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    _call(library, "memory", None, handle, ctypes.byref(free), ctypes.byref(total))
    kind = _KINDS.get(int(_call(library, "type", ctypes.c_int, handle)), "accelerator")
    words = [(text or b"").decode("utf-8", "replace") for text in (name, description)]
    return Device(words[0], words[1].strip(), kind, free.value, total.value)


def _call(library: ctypes.CDLL, verb: str, answers: Any, *arguments: Any) -> Any:
    function = getattr(library, f"ggml_backend_dev_{verb}")
    function.restype = answers
    return function(*arguments)
